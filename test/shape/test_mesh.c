/* Meshes: the two STL formats and OBJ give the same body; volume integrals; holes are found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/shape.h"
#include "support/check.h"

/* A box with edges 2, 1, 0.5 and one corner at (1, 1, 1): 8 vertices, 6 faces of 4 corners, outwards. */
static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void corner_of(double x[3], int v)
{
    x[0] = v & 1 ? 3.0 : 1.0;
    x[1] = v & 2 ? 2.0 : 1.0;
    x[2] = v & 4 ? 1.5 : 1.0;
}

static size_t obj_text(char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "# box\no box\n");
    for (int v = 0; v < 8; ++v) {
        double x[3];
        corner_of(x, v);
        n += (size_t)snprintf(text + n, size - n, "v %g %g %g\n", x[0], x[1], x[2]);
    }
    n += (size_t)snprintf(text + n, size - n, "vn 0 0 1\n");
    for (int f = 0; f < 6; ++f) {
        n += (size_t)snprintf(text + n, size - n, "f %d//1 %d/1/1 %d %d\r\n", face[f][0] + 1, face[f][1] + 1,
                              face[f][2] - 8, face[f][3] + 1);
    }
    return n;
}

static size_t stl_text(char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "solid box\n");
    for (int t = 0; t < 12; ++t) {
        const int *f = face[t / 2], c[3] = {f[0], f[t % 2 + 1], f[t % 2 + 2]};
        n += (size_t)snprintf(text + n, size - n, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; ++k) {
            double x[3];
            corner_of(x, c[k]);
            n += (size_t)snprintf(text + n, size - n, "      vertex %.3e %.3e %.3e\n", x[0], x[1], x[2]);
        }
        n += (size_t)snprintf(text + n, size - n, "    endloop\n  endfacet\n");
    }
    return n + (size_t)snprintf(text + n, size - n, "endsolid box\n");
}

static size_t stl_bytes(char *bytes)
{
    memset(bytes, 0, 84);
    snprintf(bytes, 80, "solid but binary");
    bytes[80] = 12;
    size_t n = 84;
    for (int t = 0; t < 12; ++t) {
        const int *f = face[t / 2], c[3] = {f[0], f[t % 2 + 1], f[t % 2 + 2]};
        memset(bytes + n, 0, 50);
        for (int k = 0; k < 9; ++k) {
            double x[3];
            corner_of(x, c[k / 3]);
            const float value = (float)x[k % 3];
            memcpy(bytes + n + 12 + 4 * k, &value, sizeof value);
        }
        n += 50;
    }
    return n;
}

static void check_box(dal_ctx *ctx, const dal_mesh *mesh)
{
    const dal_shape solid = {.kind = DAL_SHAPE_BOX, .size = {2.0, 1.0, 0.5}, .position = {2.0, 1.5, 1.25}};
    const dal_shape shape = {.kind = DAL_SHAPE_MESH, .mesh = mesh};
    dal_shape_mass a = {0}, b = {0};
    double com[3], J[6], comb[3], Jb[6];
    assert_int_equal(mesh->nvertices, 8);
    assert_int_equal(mesh->ntriangles, 12);
    check_ok(ctx, dal_mesh_closed(ctx, mesh));
    check_ok(ctx, dal_shape_mass_add(&a, ctx, &shape, 7800.0));
    check_ok(ctx, dal_shape_mass_add(&b, ctx, &solid, 7800.0));
    dal_shape_mass_finish(&a, com, J);
    dal_shape_mass_finish(&b, comb, Jb);
    assert_near_rel(a.m, b.m, 1e-14);
    assert_all_near(com, comb, 3, 1e-14);
    assert_all_near(J, Jb, 6, 1e-9);
}

static void three_formats_give_one_body(void **state)
{
    dal_ctx *ctx = check_ctx();
    static char bytes[8192];
    dal_mesh *mesh;
    check_ok(ctx, dal_mesh_create(&mesh, ctx, bytes, obj_text(bytes, sizeof bytes), "box.obj"));
    check_box(ctx, mesh);
    dal_mesh_destroy(mesh, ctx);
    check_ok(ctx, dal_mesh_create(&mesh, ctx, bytes, stl_text(bytes, sizeof bytes), "box.STL"));
    check_box(ctx, mesh);
    dal_mesh_destroy(mesh, ctx);
    check_ok(ctx, dal_mesh_create(&mesh, ctx, bytes, stl_bytes(bytes), "box.stl"));
    check_box(ctx, mesh);
    dal_mesh_destroy(mesh, ctx);
    check_ctx_free(ctx);
}

/* A surface turned inside out is the same body; scaling by k multiplies the mass by k^3, the inertia by k^5. */
static void orientation_and_scale(void **state)
{
    dal_ctx *ctx = check_ctx();
    static char bytes[4096];
    dal_mesh *mesh;
    check_ok(ctx, dal_mesh_create(&mesh, ctx, bytes, obj_text(bytes, sizeof bytes), "box.obj"));
    for (int t = 0; t < mesh->ntriangles; ++t) {
        const int c = mesh->index[3 * t];
        mesh->index[3 * t] = mesh->index[3 * t + 1];
        mesh->index[3 * t + 1] = c;
    }
    check_box(ctx, mesh);
    dal_shape s = {.kind = DAL_SHAPE_MESH, .mesh = mesh};
    dal_shape_mass a = {0}, b = {0};
    double com[3], J[6], com2[3], J2[6];
    check_ok(ctx, dal_shape_mass_add(&a, ctx, &s, 1.0));
    s.scale = 2.0;
    check_ok(ctx, dal_shape_mass_add(&b, ctx, &s, 1.0));
    dal_shape_mass_finish(&a, com, J);
    dal_shape_mass_finish(&b, com2, J2);
    assert_near_rel(b.m, 8.0 * a.m, 1e-14);
    for (int k = 0; k < 3; ++k) {
        assert_near_rel(com2[k], 2.0 * com[k], 1e-14);
        assert_near_rel(J2[k], 32.0 * J[k], 1e-12);
    }
    dal_mesh_destroy(mesh, ctx);
    check_ctx_free(ctx);
}

static void a_hole_or_a_turned_face_is_found(void **state)
{
    dal_ctx *ctx = check_ctx();
    static char bytes[4096];
    dal_mesh *mesh;
    dal_shape_mass sum = {0};
    check_ok(ctx, dal_mesh_create(&mesh, ctx, bytes, obj_text(bytes, sizeof bytes), "box.obj"));
    const dal_shape s = {.kind = DAL_SHAPE_MESH, .mesh = mesh};
    --mesh->ntriangles;
    check_fails(ctx, dal_shape_mass_add(&sum, ctx, &s, 1.0), DAL_EINVAL, "not closed: 3 edges");
    ++mesh->ntriangles;
    const int c = mesh->index[0];
    mesh->index[0] = mesh->index[1];
    mesh->index[1] = c;
    check_fails(ctx, dal_mesh_closed(ctx, mesh), DAL_EINVAL, "3 edges");
    dal_mesh_destroy(mesh, ctx);
    check_ctx_free(ctx);
}

static void broken_files_are_refused(void **state)
{
    static const struct {
        const char *name, *text, *message;
    } broken[] = {{"a.obj", "v 0 0\n", "line 1: three coordinates"},
                  {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face with 2 corners"},
                  {"a.obj", "v 0 0 0\nf 1 2 3\n", "'2' is not one of the 1 vertices"},
                  {"a.obj", "v 0 0 0\nf -5 1 1\n", "'-5' is not one"},
                  {"a.obj", "", "no triangles"},
                  {"a.obj", "v 0 0 0\nf 1 1 1\n", "no triangles"},
                  {"a.stl", "solid\nvertex 1 2 x\n", "line 2: three coordinates"},
                  {"a.stl", "solid\nvertex 1 2 3\nendloop\n", "a facet with 1 vertices"},
                  {"a.stl", "garbage", "neither"},
                  {"a.stl", "solid x\nendsolid x\n", "no triangles"},
                  {"a.ply", "ply", "end in .stl or .obj"}};
    dal_ctx *ctx = check_ctx();
    dal_mesh *mesh;
    for (size_t i = 0; i < LEN(broken); ++i) {
        check_fails(ctx, dal_mesh_create(&mesh, ctx, broken[i].text, strlen(broken[i].text), broken[i].name),
                    DAL_EINVAL, broken[i].message);
        assert_null(mesh);
    }
    static char bytes[1024];
    const size_t n = stl_bytes(bytes);
    check_fails(ctx, dal_mesh_create(&mesh, ctx, bytes, n - 1, "cut.stl"), DAL_EINVAL, "no triangles");
    memset(bytes + 96, 0xff, 12);
    check_fails(ctx, dal_mesh_create(&mesh, ctx, bytes, n, "nan.stl"), DAL_EINVAL, "not finite");
    check_fails(ctx, dal_mesh_create(NULL, ctx, bytes, n, "nan.stl"), DAL_EINVAL, "mesh is NULL");
    check_ctx_free(ctx);
}

static dal_status create_once(dal_ctx *ctx, void *user)
{
    static char bytes[4096];
    dal_mesh *mesh;
    (void)user;
    const dal_status st = dal_mesh_create(&mesh, ctx, bytes, obj_text(bytes, sizeof bytes), "box.obj");
    const dal_status closed = st == DAL_OK ? dal_mesh_closed(ctx, mesh) : st;
    dal_mesh_destroy(mesh, ctx);
    return closed;
}

static void every_allocation_may_fail(void **state)
{
    check_every_allocation(create_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_formats_give_one_body), cmocka_unit_test(orientation_and_scale),
        cmocka_unit_test(a_hole_or_a_turned_face_is_found), cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
