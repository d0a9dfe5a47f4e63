/* Shapes in model files: what they weigh, what they look like, what is wrong with them. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/text.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

static dal_model *load(dal_document **doc, dal_ctx *ctx, const char *bodies)
{
    check_ok(ctx, text_body(doc, ctx, bodies));
    return dal_document_model(*doc);
}

/* A dumbbell along x: two balls and a rod, the centre of mass at the middle of the rod, away from the frame. */
static void density_gives_mass_centre_and_inertia(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_body b;
    dal_model *m =
        load(&doc, ctx,
             "'bodies': [{'name': 'b', 'density': 1000, 'shape': [{'sphere': 0.1, 'frame': [1, 0, 0]}, "
             "{'sphere': 0.1, 'frame': [2, 0, 0]}, {'cylinder': [0.02, 1], 'along': 'x', 'frame': [1.5, 0, 0]}]}]");
    check_ok(ctx, dal_model_body_info(m, &b, 1));
    const double ball = 4.0 / 3.0 * pi * 1.0, rod = pi * 0.0004 * 1000.0;
    assert_near_rel(b.mass, 2.0 * ball + rod, 1e-13);
    assert_near(b.com[0], 1.5, 1e-13);
    assert_near_rel(b.inertia[0], 2.0 * 0.4 * ball * 0.01 + 0.5 * rod * 0.0004, 1e-10);
    assert_near_rel(b.inertia[1], 2.0 * ball * (0.004 + 0.25) + rod * (0.0001 + 1.0 / 12.0), 1e-10);
    assert_int_equal(dal_model_shape_count(m), 3);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void looks_are_kept(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    int body;
    dal_model *m =
        load(&doc, ctx,
             "'bodies': [{'name': 'a', 'type': 'point', 'mass': 1}, {'name': 'b', 'mass': 1, 'inertia': 1, 'shape': "
             "{'capsule': [0.1, 0.5], 'along': 'y', 'colour': '#ff8000', 'opacity': 0.5}}]");
    const dal_shape *s = dal_model_shape(m, &body, 0);
    assert_non_null(s);
    assert_int_equal(body, 2);
    assert_int_equal(s->kind, DAL_SHAPE_CAPSULE);
    assert_near(s->radius, 0.1, 0.0);
    assert_near(s->length, 0.5, 0.0);
    assert_near(s->opacity, 0.5, 0.0);
    assert_near(s->colour[1], 128.0 / 255.0, 1e-15);
    double z[3], along[3] = {0.0, 0.0, 1.0};
    dal_quat_rotate(z, s->rotation, along); // its axis is y
    assert_near(z[1], 1.0, 1e-15);
    assert_null(dal_model_shape(m, &body, 1));
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* A unit cube beside the model, in millimetres. */
static void a_mesh_comes_from_a_file(void **state)
{
    static const char cube[] =
        "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 1000 1000 0\nv 0 0 1000\nv 1000 0 1000\nv 0 1000 1000\n"
        "v 1000 1000 1000\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    static const char model[] =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"density\": 2, \"shape\": {\"mesh\": "
        "\"cube.obj\", \"scale\": 0.001}}]}";
    dal_ctx *ctx = check_ctx();
    char folder[] = "/tmp/dalembert_shapes_XXXXXX", path[64], mesh[64];
    dal_document *doc;
    dal_body b;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.json", folder);
    snprintf(mesh, sizeof mesh, "%s/cube.obj", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(model, f);
    fclose(f);
    check_fails(ctx, dal_document_open(&doc, ctx, path, NULL, 0), DAL_EIO, "cannot open");
    f = fopen(mesh, "w");
    assert_non_null(f);
    fputs(cube, f);
    fclose(f);
    check_ok(ctx, dal_document_open(&doc, ctx, path, NULL, 0));
    check_ok(ctx, dal_model_body_info(dal_document_model(doc), &b, 1));
    assert_near_rel(b.mass, 2.0, 1e-12);
    assert_near(b.com[2], 0.5, 1e-12);
    assert_near_rel(b.inertia[1], 2.0 / 6.0, 1e-12);
    dal_document_destroy(doc);
    f = fopen(mesh, "w");
    assert_non_null(f);
    fwrite(cube, 1, strlen(cube) - 10, f); // the last face is gone
    fclose(f);
    check_fails(ctx, dal_document_open(&doc, ctx, path, NULL, 0), DAL_EINVAL, "not closed");
    unlink(path);
    unlink(mesh);
    rmdir(folder);
    check_ctx_free(ctx);
}

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{'name': 'b', 'density': 1}", "'density' gives the mass of shapes"},
        {"{'name': 'b', 'density': 1, 'mass': 1, 'shape': {'sphere': 1}}", "/bodies/0/mass: either 'mass' as numbers"},
        {"{'name': 'b', 'density': -1, 'shape': {'sphere': 1}}", "the density is -1"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'ball': 1}}", "/bodies/0/shape: a shape is one of box"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': [{'sphere': 1}, 3]}",
         "/bodies/0/shape/1: a shape is an object"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'box': [1, 2]}}", "/shape/box: expected 3 elements"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'sphere': 0}}", "the radius must be positive"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'sphere': 1, 'colour': 'red'}}", "a colour is \"#rrggbb\""},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'sphere': 1, 'along': 'x'}}", "has no 'along'"},
        {"{'name': 'b', 'mass': 1, 'inertia': 1, 'shape': {'tube': [[0, 0], [1, 0]]}}", "'radius' is missing"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        char text[512];
        dal_document *doc;
        snprintf(text, sizeof text, "'bodies': [%s]", cases[k].text);
        check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, cases[k].message);
        assert_null(doc);
    }
    check_ctx_free(ctx);
}

#define TWO_BODIES                                                                                                   \
    "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [1, 0, 0]}, {'name': 'b', 'mass': 1, 'inertia': " \
    "1}]"

static void check_trail(const dal_model *m, int number, int body, double x)
{
    double point[3];
    assert_int_equal(dal_model_trail(m, point, number), body);
    assert_near(point[0], x, 1e-15);
}

static void trails_are_those_of_the_view_or_of_positions_that_are_outputs(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_model *m = load(&doc, ctx,
                        TWO_BODIES ", 'outputs': ['a.position', 'a.velocity', "
                                   "{'name': 'tip', 'quantity': 'position', 'body': 'b', 'frame': [3, 0, 0]}]");
    assert_int_equal(dal_model_trail_count(m), 2);
    check_trail(m, 0, 1, 0.0);
    check_trail(m, 1, 2, 3.0);
    dal_document_destroy(doc);
    m = load(&doc, ctx,
             TWO_BODIES ", 'outputs': ['a.position'], 'view': {'trails': ['b', {'body': 'a', 'point': [5, 0, 0]}]}");
    assert_int_equal(dal_model_trail_count(m), 2);
    check_trail(m, 0, 2, 0.0);
    check_trail(m, 1, 1, 4.0); // a point of the world, in the frame of the body
    double none[3];
    assert_int_equal(dal_model_trail(m, none, 2), 0);
    dal_document_destroy(doc);
    m = load(&doc, ctx, TWO_BODIES ", 'outputs': ['a.position'], 'view': {'trails': []}");
    assert_int_equal(dal_model_trail_count(m), 0);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void the_ground_and_flexible_bodies_have_shapes(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    int body;
    dal_model *m = load(
        &doc, ctx,
        "'bodies': [{'name': 'rod', 'type': 'flexible', 'shape': {'sphere': 0.1}, 'beam': {'length': 1, "
        "'E': 1e8, 'nu': 0.3, 'density': 1000, 'circle': 0.02, 'modes': 2}}], 'view': {'ground': [{'box': [1, 2, 3]}, "
        "{'sphere': 2}]}");
    assert_int_equal(dal_model_shape_count(m), 3);
    assert_int_equal(dal_model_shape(m, &body, 0)->kind, DAL_SHAPE_SPHERE);
    assert_int_equal(body, 1);
    assert_int_equal(dal_model_shape(m, &body, 1)->kind, DAL_SHAPE_BOX);
    assert_int_equal(body, 0);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void mistakes_of_a_view_are_named(void **state)
{
    static const struct {
        const char *view, *message;
    } cases[] = {{"{'camera': 1}", "has no 'camera'"},
                 {"{'trails': ['c']}", "/view/trails/0: "},
                 {"{'trails': ['ground']}", "the path of a point of the ground is a point"},
                 {"{'trails': [{'frame': [1, 0, 0]}]}", "/view/trails/0: "},
                 {"{'ground': {'ball': 1}}", "/view/ground: a shape is one of box"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        char text[512];
        dal_document *doc;
        snprintf(text, sizeof text, TWO_BODIES ", 'view': %s", cases[k].view);
        check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, cases[k].message);
    }
    check_ctx_free(ctx);
}

static dal_status load_once(dal_ctx *ctx, void *user)
{
    dal_document *doc;
    (void)user;
    const dal_status st =
        text_body(&doc, ctx,
                  "'bodies': [{'name': 'b', 'density': 1, 'shape': [{'sphere': 1}, {'tube': [[0, 0], [1, 0]], "
                  "'radius': 0.1}]}], 'view': {'ground': {'sphere': 1}, 'trails': ['b']}");
    dal_document_destroy(doc);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    check_every_allocation(load_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(density_gives_mass_centre_and_inertia),
                                       cmocka_unit_test(looks_are_kept),
                                       cmocka_unit_test(a_mesh_comes_from_a_file),
                                       cmocka_unit_test(mistakes_are_named),
                                       cmocka_unit_test(trails_are_those_of_the_view_or_of_positions_that_are_outputs),
                                       cmocka_unit_test(the_ground_and_flexible_bodies_have_shapes),
                                       cmocka_unit_test(mistakes_of_a_view_are_named),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
