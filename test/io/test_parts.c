/* Parts: a model in another one is the same mechanism, wherever it is put. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

enum { STEPS = 30, NUMBERS = 400 };

typedef struct opened {
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void close_document(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
}

static void start(dal_ctx *ctx, opened *o, const dal_options *options)
{
    check_ok(ctx, dal_model_compile(dal_document_model(o->doc), &o->sys));
    check_ok(ctx, dal_document_assemble(o->doc, NULL, o->sys));
    check_ok(ctx, dal_sim_create(&o->sim, ctx, o->sys, options));
    const dal_model *m = dal_document_model(o->doc);
    check_ok(ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

/* Position of all bodies and the energy after some steps. */
static int run(dal_ctx *ctx, const opened *o, double x[NUMBERS])
{
    const dal_model *m = dal_document_model(o->doc);
    for (int k = 0; k < STEPS; ++k) {
        check_ok(ctx, dal_sim_step(o->sim));
    }
    const dal_point at = dal_sim_point(o->sim);
    assert_true(dal_model_output_size(m) < NUMBERS);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(o->sim), x, &at));
    return dal_model_output_size(m);
}

/* A model with a built-in one as its part, with the positions of bodies as outputs. */
static void load(dal_ctx *ctx, opened *o, const char *name, const char *gravity, const char *at)
{
    static char text[4000];
    dal_document *source;
    check_ok(ctx, dal_document_open(&source, ctx, name, NULL, 0));
    const dal_model *m = dal_document_model(source);
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "{'dalembert': 1, 'variables': {'axis': [1, 2, -1], 'phi': '40 deg'}, 'gravity': '%s', "
                         "'parts': [{'use': '%s', 'name': 'it'%s}], 'outputs': ['kinetic_energy'",
                         gravity, name, at);
    for (int k = 1; dal_model_body_name(m, k) != NULL && k < 20; ++k) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", {'name': 'p%d', 'quantity': 'position', 'body': 'it.%s'}", k,
                                 dal_model_body_name(m, k));
    }
    snprintf(text + used, sizeof text - used, "]}");
    check_ok(ctx, text_load(&o->doc, ctx, text));
    start(ctx, o, dal_document_options(source));
    dal_document_destroy(source);
}

/* R x + p, R about [1, 2, -1] by 40 degrees */
static void place(double y[3], const double x[3])
{
    static const double p[3] = {3.0, -1.0, 2.0};
    const double n = sqrt(6.0), u[3] = {1.0 / n, 2.0 / n, -1.0 / n}, phi = acos(-1.0) * 40.0 / 180.0;
    const double c = cos(phi), s = sin(phi), along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = c * x[i] + s * (u[j] * x[k] - u[k] * x[j]) + (1.0 - c) * along * u[i] + p[i];
    }
}

/* At another place, with gravity turned as well, all positions are turned and moved, and the kinetic energy is the same. */
static void a_part_moves_as_the_model_alone_wherever_it_is(void **state)
{
    static const char *const models[] = {
        "bricard", "flexible_pendulum",    "flyball_governor", "heavy_top",        "rolling_disk",  "bicycle",
        "chain",   "spatial_slider_crank", "free_top",         "high_speed_rotor", "bouncing_ball", "spinning_beam"};
    static double own[NUMBERS], part[NUMBERS];
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(models); ++k) {
        opened a, b;
        load(ctx, &a, models[k], "[1, 0.5, -9.81]", "");
        load(ctx, &b, models[k], "rotate([1, 0.5, -9.81], axis, phi)",
             ", 'at': {'position': [3, -1, 2], 'rotation': {'axis': 'axis', 'angle': 'phi'}}");
        int bodies = 0;
        while (dal_model_body_name(dal_document_model(a.doc), 1 + bodies) != NULL && bodies < 19) {
            ++bodies;
        }
        const int count = run(ctx, &a, own);
        double worst = 0.0, length = 1.0;
        assert_int_equal(count, run(ctx, &b, part));
        assert_near(part[0], own[0], 1e-7 * (1.0 + fabs(own[0])));
        for (int i = 1; i < 1 + 3 * bodies; i += 3) {
            double y[3];
            place(y, own + i);
            for (int j = 0; j < 3; ++j) {
                worst = fmax(worst, fabs(y[j] - part[i + j]));
                length = fmax(length, fabs(y[j]));
            }
        }
        print_message("%-22s %d bodies, off by %.1e\n", models[k], bodies, worst);
        assert_near(worst, 0.0, 1e-8 * length);
        close_document(&a);
        close_document(&b);
    }
    check_ctx_free(ctx);
}

static double output(dal_ctx *ctx, const char *text, const char *name)
{
    opened o;
    double x[NUMBERS] = {0.0};
    check_ok(ctx, text_load(&o.doc, ctx, text));
    start(ctx, &o, dal_document_options(o.doc));
    const dal_model *m = dal_document_model(o.doc);
    const dal_point at = dal_sim_point(o.sim);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(o.sim), x, &at));
    int first = -1;
    for (int k = 0, n = 0; k < dal_model_output_count(m); ++k) {
        const dal_output_info info = dal_model_output_info(m, k);
        first = strcmp(info.name, name) == 0 ? n : first;
        n += info.n;
    }
    assert_true(first >= 0);
    close_document(&o);
    return x[first];
}

#define LINK                                                                                                      \
    "{'dalembert': 1, 'variables': {'L': 1, 'm': 2}, 'words': {'kind': 'revolute'},"                              \
    " 'bodies': [{'name': 'rod', 'mass': 'm', 'inertia': 0.1, 'position': ['L/2', 0, 0]},"                        \
    "  {'name': 'tip', 'in': 'rod', 'mass': 1, 'inertia': 0.1, 'position': ['L/2', 0, 0]}],"                      \
    " 'joints': [{'name': 'A', 'type': '{kind}', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"        \
    "  {'name': 'B', 'type': 'fixed', 'body_a': 'rod', 'body_b': 'tip'}],"                                        \
    " 'forces': [{'name': 'pull', 'type': 'spring', 'body_b': 'tip', 'frame_a': ['2*L', 0, 0], 'stiffness': 10, " \
    "'reference': 0}],"                                                                                           \
    " 'outputs': ['tip.position.x', 'pull.force_value', 'energy']}"

/* Parts of parts: names, places and what is set go on from one to the next. */
static void parts_have_parts(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'a': 3}, 'parts': [{'name': 'arm', 'at': [10, 0, 0], 'set': {'two.L': '2*a'},"
        " 'model': {'dalembert': 1, 'parts': [{'repeat': 'i', 'to': 2, 'with': {'x': '100*i'}, 'items': [{'name': "
        "'link{i}', 'at': ['x', 0], 'set': {'L': 'i + 3'}, 'model': " LINK "}]},"
        "  {'name': 'two', 'on': 'link1.tip', 'in': 'link1.tip', 'at': [0, 1, 0], 'model': " LINK "}]}}]}";
    dal_ctx *ctx = check_ctx();
    assert_near(output(ctx, text, "arm.link1.tip.position.x"), 10.0 + 100.0 + 4.0, 1e-12);
    assert_near(output(ctx, text, "arm.link2.tip.position.x"), 10.0 + 200.0 + 5.0, 1e-12);
    // it stands on the tip of the first, which is at x = 114, with L = 6
    assert_near(output(ctx, text, "arm.two.tip.position.x"), 114.0 + 6.0, 1e-12);
    // its spring is fixed to that, 2 L from its origin, and pulls with 10 N/m
    assert_near(fabs(output(ctx, text, "arm.two.pull.force_value")), 60.0, 1e-10);
    check_ctx_free(ctx);
}

static void mistakes_in_parts_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"'parts': [{'name': 'a'}]", "/parts/0: 'use' is missing"},
        {"'parts': [{'use': 'pendulum'}]", "/parts/0: 'name' is missing"},
        {"'parts': [{'use': 'pendulum', 'name': 'a.b'}]", "/parts/0/name: 'a.b' cannot be the name of a part"},
        {"'parts': [{'use': 'pendulum', 'name': 'max'}]", "letters, digits and _, and not that of a function"},
        {"'parts': [{'use': 'pendulm', 'name': 'a'}]", "/parts/0/use: cannot open 'pendulm'"},
        {"'parts': [{'use': 'pendulum', 'name': 'a', 'set': {'no': 1}}]",
         "/parts/0/set/no: the part has no variable 'no'"},
        {"'parts': [{'use': 'elastica', 'name': 'a'}]", "elastica:"},
        {"'parts': [{'use': 'elastica', 'name': 'a'}]", "a part cannot have beams"},
        {"'parts': [{'use': 'nonholonomic_particle', 'name': 'a', 'at': [1, 0, 0]}]", "in the axes of the world"},
        {"'parts': [{'use': 'flexible_slider_crank', 'name': 'a', 'at': {'rotation': {'axis': [1, 0, 0], 'angle': "
         "1}}}]",
         "planar_revolute holds points in the x-y plane of the world"},
        {"'parts': [{'name': 'a', 'model': {'dalembert': 1, 'bodies': [{'name': 'b', 'mass': 'mm', 'inertia': 1}]}}]",
         "/parts/0/model/bodies/0/mass (a): \"mm\", column 1: no variable 'mm'"},
        {"'parts': [{'use': 'pendulum', 'name': 'a', 'on': 'nothing'}]", "/parts/0/on: no body 'nothing'"},
        {"'bodies': [{'name': 'b', 'in': 'c', 'mass': 1, 'inertia': 1}]", "/bodies/0/in: no body 'c'"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        const dal_status st = text_body(&doc, ctx, cases[k][0]);
        assert_true(st == DAL_EINVAL || st == DAL_EIO);
        if (strstr(dal_ctx_message(ctx), cases[k][1]) == NULL) {
            fail_msg("%s: \"%s\" lacks \"%s\"", cases[k][0], dal_ctx_message(ctx), cases[k][1]);
        }
    }
    check_ctx_free(ctx);
}

static void write_file(const char *name, const char *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", PARTS_FOLDER, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *text != '\0'; ++text) {
        fputc(*text == '\'' ? '"' : *text, f);
    }
    fclose(f);
}

/* Files beside the model; messages have the file and the line. A model that was read is one text, with its parts. */
static void files_are_read_and_named(void **state)
{
    static const char *const set[] = {"one.L=5"};
    dal_ctx *ctx = check_ctx();
    dal_document *doc, *again;
    double x;
    write_file("link.json", LINK);
    write_file(
        "user.json",
        "{'dalembert': 1, 'variables': {'w': 2}, 'parts': [{'use': 'link.json', 'name': 'one', 'set': {'L': 'w'}},"
        "{'use': 'link.json', 'name': 'other', 'at': [0, 1, 0]}]}");
    write_file("bad.json", "{'dalembert': 1,\n 'bodies': [\n  {'name': 'b', 'mass': '2 mm', 'inertia': 1}]}");
    write_file("uses_bad.json", "{'dalembert': 1, 'parts': [{'use': 'bad.json', 'name': 'b'}]}");
    write_file("circle.json", "{'dalembert': 1, 'parts': [{'use': 'back.json', 'name': 'b'}]}");
    write_file("back.json", "{'dalembert': 1, 'parts': [{'use': 'circle.json', 'name': 'c'}]}");
    check_ok(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/user.json", NULL, 0));
    check_ok(ctx, dal_document_value(doc, &x, "one.L + 10*other.L"));
    assert_near(x, 12.0, 0.0);
    check_ok(ctx,
             dal_document_parse(&again, ctx, dal_document_text(doc), strlen(dal_document_text(doc)), "copy", set, 1));
    check_ok(ctx, dal_document_value(again, &x, "one.L + 10*other.L"));
    assert_near(x, 15.0, 0.0);
    dal_document_destroy(again);
    dal_document_destroy(doc);
    check_fails(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/uses_bad.json", NULL, 0), DAL_EINVAL,
                "/bad.json:3: /bodies/0/mass (b): \"2 mm\" is in m, and this number is in kg");
    check_fails(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/circle.json", NULL, 0), DAL_EINVAL,
                "circle.json' uses itself by way of other parts");
    check_ctx_free(ctx);
}

/* The axes are where directions say. */
static void rotations_follow_from_directions(void **state)
{
    static const char *const rotations[] = {
        "{'x_along': [[1, 1, 0], [1, 1, 3]], 'y_axis': [0, 1, 1]}",
        "{'x_along': [[0, 0, 0], 'p'], 'z_axis': [1, 0, 1]}",
        "{'y_along': [[0, 0, 0], 'p'], 'z_axis': [1, 0, 1]}",
        "{'y_along': ['p', [0, 0, 0]], 'x_axis': [1, 0, 0]}",
        "{'z_along': [[0, 0, 0], 'p'], 'y_axis': [1, 0, 0]}",
        "{'z_along': [[0, 0, 0], 'p']}",
    };
    static const double along[][4] = {// which axis, and its direction
                                      {0, 0, 0, 1},
                                      {0, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {1, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {1, -1.0 / 3, -2.0 / 3, -2.0 / 3},
                                      {2, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {2, 1.0 / 3, 2.0 / 3, 2.0 / 3}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(rotations); ++k) {
        char text[600], name[40];
        snprintf(text, sizeof text,
                 "{'dalembert': 1, 'variables': {'p': [1, 2, 2]}, 'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1, "
                 "'rotation': %s}], 'outputs': ['b.matrix.1%d', 'b.matrix.2%d', 'b.matrix.3%d']}",
                 rotations[k], 1 + (int)along[k][0], 1 + (int)along[k][0], 1 + (int)along[k][0]);
        for (int i = 0; i < 3; ++i) {
            snprintf(name, sizeof name, "b.matrix.%d%d", i + 1, 1 + (int)along[k][0]);
            assert_near(output(ctx, text, name), along[k][1 + i], 1e-15);
        }
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_moves_as_the_model_alone_wherever_it_is),
        cmocka_unit_test(parts_have_parts),
        cmocka_unit_test(mistakes_in_parts_are_named),
        cmocka_unit_test(files_are_read_and_named),
        cmocka_unit_test(rotations_follow_from_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
