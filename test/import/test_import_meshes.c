/* Meshes of descriptions: COLLADA files, mirrored ones, masses of those that are not closed. */
#define _DEFAULT_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/robot.h"

/* A box from 0 to 1 along all axes as six polygons, and a tetrahedron of triangles; normals stand between the vertices. */
#define GEOMETRIES                                                                                                     \
    "<library_geometries><geometry id='box'><mesh><source id='xyz'><float_array id='f' count='24'>0 0 0 1 0 0 1 1 0 "  \
    "0 1 0 0 0 1 1 0 1 1 1 1 0 1 1</float_array><technique_common><accessor source='#f' count='8' stride='3'/>"        \
    "</technique_common></source><source id='n'><float_array id='g' count='3'>0 0 1</float_array></source>"            \
    "<vertices id='v'><input semantic='POSITION' source='#xyz'/></vertices><polylist count='6'><input "                \
    "semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' offset='1'/><vcount>4 4 4 4 4 4"   \
    "</vcount><p>0 0 3 0 2 0 1 0  4 0 5 0 6 0 7 0  0 0 1 0 5 0 4 0  2 0 3 0 7 0 6 0  1 0 2 0 6 0 5 0  0 0 4 0 7 0 3 0" \
    "</p></polylist></mesh></geometry><geometry id='tetra'><mesh><source id='t'><float_array>0 0 0 1 0 0 0 1 0 0 0 1"  \
    "</float_array></source><vertices id='w'><input semantic='POSITION' source='#t'/></vertices><triangles count='4'>" \
    "<input semantic='VERTEX' source='#w' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"    \
    "</library_geometries>"

static dal_status read_text(dal_mesh **mesh, dal_ctx *ctx, const char *text)
{
    char plain[8192];
    snprintf(plain, sizeof plain, "%s", text);
    for (char *c = plain; *c != '\0'; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    return dal_mesh_read(mesh, ctx, plain, strlen(plain), "part.DAE");
}

/* Volume and centre of a mesh, with density 1; parts of it may share edges. */
static void weigh(dal_ctx *ctx, const dal_mesh *mesh, double *volume, double com[3], double inertia[6])
{
    dal_shape_mass sum = {0};
    const dal_shape shape = {.kind = DAL_SHAPE_MESH, .mesh = mesh, .scale = 1.0};
    check_ok(ctx, dal_shape_mass_add_open(&sum, ctx, &shape, 1.0));
    dal_shape_mass_finish(&sum, com, inertia);
    *volume = sum.m;
}

/* In millimetres: the box stretched and moved, the tetrahedron turned, mirrored, and a second time through a node that is used. */
static void scenes_of_collada_files(void **state)
{
    static const char text[] =
        "<COLLADA><asset><unit meter='0.001'/><up_axis>Y_UP</up_axis></asset>" GEOMETRIES
        "<library_nodes><node id='again'><instance_geometry url='#tetra'/></node></library_nodes>"
        "<library_visual_scenes><visual_scene id='s'><node><translate>10 0 0</translate><scale>2 3 4</scale>"
        "<instance_geometry url='#box'/></node><node><matrix>1 0 0 0 0 1 0 100 0 0 1 0 0 0 0 1</matrix><node>"
        "<rotate>0 0 1 90</rotate><scale>-6 6 6</scale><instance_geometry url='#tetra'/></node></node>"
        "<node><translate>0 0 -50</translate><instance_node "
        "url='#again'/></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_mesh *mesh;
    double V, c[3], J[6];
    check_ok(ctx, read_text(&mesh, ctx, text));
    assert_int_equal(mesh->ntriangles, 12 + 4 + 4);
    weigh(ctx, mesh, &V, c, J);
    const double box = 24.0, large = 36.0, small = 1.0 / 6.0, all = box + large + small;
    assert_near_rel(V, 1e-9 * all, 1e-13);
    // the corner of the mirrored one: (-x, y) turned by 90 degrees is (-y, -x); centre at a quarter of its edges
    assert_near(c[0], 1e-3 * (box * 11.0 + large * -1.5 + small * 0.25) / all, 1e-15);
    assert_near(c[1], 1e-3 * (box * 1.5 + large * (100.0 - 1.5) + small * 0.25) / all, 1e-15);
    assert_near(c[2], 1e-3 * (box * 2.0 + large * 1.5 + small * (0.25 - 50.0)) / all, 1e-15);
    dal_mesh_destroy(mesh, ctx);
    // without a scene: all geometries as they are
    check_ok(ctx, read_text(&mesh, ctx, "<COLLADA>" GEOMETRIES "</COLLADA>"));
    weigh(ctx, mesh, &V, c, J);
    assert_near_rel(V, 1.0 + 1.0 / 6.0, 1e-14);
    dal_mesh_destroy(mesh, ctx);
    check_ctx_free(ctx);
}

static void faults_of_collada_files(void **state)
{
    static const char *const cases[][2] = {
        {"<robot/>", "part.DAE:1: this is no COLLADA file"},
        {"<COLLADA>", "part.DAE:1: column 10: this is no XML"},
        {"<COLLADA/>", "part.DAE: has no triangles"},
        {"<COLLADA><library_visual_scenes><visual_scene>\n<node><matrix>1 2</matrix></node></visual_scene>"
         "</library_visual_scenes></COLLADA>",
         "part.DAE:2: <matrix>: 'matrix' needs 16 numbers"},
        {"<COLLADA><library_nodes><node id='a'><instance_node url='#a'/></node></library_nodes><library_visual_scenes>"
         "<visual_scene><instance_node url='#a'/></visual_scene></library_visual_scenes></COLLADA>",
         "nodes are within themselves"},
        {"<COLLADA><library_geometries><geometry id='g'><mesh><source id='t'><float_array>0 0 0</float_array></source>"
         "<vertices id='w'><input semantic='POSITION' source='#t'/></vertices><triangles><input semantic='VERTEX' "
         "source='#w' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>",
         "a polygon names a vertex that is not there"},
    };
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_mesh *mesh = NULL;
        check_fails(ctx, read_text(&mesh, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
        assert_null(mesh);
    }
    check_ctx_free(ctx);
}

/* A box whose lid is missing: 5/6 of it and cones to its middle, which is where the mean of its vertices is. Mirrored it weighs as much. */
static void masses_of_open_and_mirrored_meshes(void **state)
{
    static const char box[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
                              "f 1 4 3 2\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
    static const char lid[] = "f 5 6 7 8\n";
    char text[1024];
    (void)state;
    for (int k = 0; k < 3; ++k) {
        dal_ctx *ctx = check_ctx();
        char folder[] = "/tmp/dalembert_meshes_XXXXXX", path[64];
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/box.obj", folder);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%s%s", box, k == 0 ? "" : lid);
        fclose(f);
        snprintf(text, sizeof text,
                 "<mujoco><compiler meshdir='%s'/><asset><mesh name='m' file='box.obj' scale='%s'/></asset><worldbody>"
                 "<body name='b'><freejoint/><geom type='mesh' mesh='m' density='300'/></body></worldbody></mujoco>",
                 folder, k == 2 ? "1 -1 3" : "1 1 1");
        const dal_import_options options = {.files_outside = 1};
        dal_import *import = robot_import(ctx, text, &options);
        const dal_import_summary s = dal_import_report(import);
        assert_near_rel(s.mass, 300.0 * (k == 0 ? 5.0 / 6.0 * 2.0 : k == 1 ? 2.0 : 6.0), 1e-13);
        assert_near(s.com[1], k == 2 ? -0.5 : 0.5, 1e-13);
        assert_string_equal(robot_note(import, "not closed"), k == 0 ? "b" : "");
        assert_true((strstr(dal_import_text(import), "\"stretch\": [1, -1, 3]") != NULL) == (k == 2));
        // the model has the mesh as the description does
        dal_document *doc;
        const dal_load_options how = {.files_outside = 1, .text = dal_import_text(import)};
        check_ok(ctx, dal_document_open_with(&doc, ctx, "m.json", &how));
        dal_document_destroy(doc);
        dal_import_destroy(import);
        check_ctx_free(ctx);
        remove(path);
        remove(folder);
    }
}

/* Moments that are rounding of a program are none; others are kept. */
static void inertia_that_is_rounding(void **state)
{
    static const char text[] =
        "<robot name='r'><link name='base'/><link name='a'><inertial><origin xyz='0.1 0 0'/><mass "
        "value='2'/><inertia ixx='1e-20' iyy='-3e-19' izz='2e-20' ixy='1e-21' ixz='0' iyz='0'/>"
        "</inertial></link><joint name='A' type='continuous'><parent link='base'/><child "
        "link='a'/><axis xyz='0 0 1'/></joint></robot>";
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, text, NULL);
    assert_string_equal(robot_note(import, "nothing but rounding"), "a");
    assert_non_null(strstr(dal_import_text(import), "\"inertia\": [0, 0, 0, 0, 0, 0]"));
    dal_import_destroy(import);
    check_ctx_free(ctx);
    static const char *const set[] = {"tau_A=3"};
    check_model r =
        robot_start(text, NULL, "{'name': 'acc', 'quantity': 'coordinate_acceleration', 'joint': 'A'}", set, 1);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], 3.0 / (2.0 * 0.01), 1e-12);
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_collada_files),
        cmocka_unit_test(faults_of_collada_files),
        cmocka_unit_test(masses_of_open_and_mirrored_meshes),
        cmocka_unit_test(inertia_that_is_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
