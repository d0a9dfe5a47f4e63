/* Building: what is refused and how it is said, memory, structure, names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/reduce.h"
#include "mechanisms.h"
#include "random_model.h"

static const dal_body good = {.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}};

static dal_model *new_model(dal_ctx *ctx)
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    return m;
}

static void bad_bodies_are_refused_with_the_reason(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    dal_body b = good;
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "body 'b' already");
    b.name = NULL;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "has no name");
    b.name = "c";
    b.mass = -1.0;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "body 'c': mass = -1");
    b.mass = NAN;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "finite");
    b.mass = 1.0;
    b.inertia[3] = 2.0;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "not positive semidefinite");
    b.inertia[3] = 0.0;
    b.rotation[0] = 0.5;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "unit quaternion");
    b.rotation[0] = 0.0;
    b.type = "euler_parameter";
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "did you mean 'euler_parameters'");
    b.type = "point";
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "a point has no inertia");
    b.type = "planar";
    b.position[2] = 1.0;
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "x-y plane");
    b.position[2] = 0.0;
    b.type = "cardan";
    b.sequence = "xxy";
    check_fails(ctx, dal_model_add_body(m, NULL, &b), DAL_EINVAL, "sequence 'xxy'");
    assert_int_equal(dal_model_find_body(m, "b"), 1);
    assert_int_equal(dal_model_find_body(m, "ground"), 0);
    assert_int_equal(dal_model_find_body(m, "c"), -1);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void bad_joints_are_refused_with_the_reason(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    const dal_system *sys;
    check_fails(ctx, dal_model_compile(m, &sys), DAL_EINVAL, "there is no body");
    check_ok(ctx, dal_model_add_body(m, NULL, &good));
    dal_joint j = {.name = "j", .type = "revolut", .body_b = 1};
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL,
                "joint 'j': no type 'revolut' (did you mean 'revolute'?)");
    j.type = "revolute";
    j.body_b = 2;
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "there is no body number 2");
    j.body_b = 0;
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "both frames are on body 'ground'");
    j.body_b = 1;
    j.frame_a.rotation[0] = 2.0;
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "a frame needs");
    j.frame_a.rotation[0] = 0.0;
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "joint 'j' already");
    j = (dal_joint){.name = "k", .type = "screw", .body_b = 1};
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "pitch");
    j.type = "rolling_disk";
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "radius = 0");
    j.type = "generic";
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "locked");
    j.type = "motion";
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "which coordinate");
    j.joint = "i";
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "joint 'k': no joint 'i'");
    j.joint = "j";
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "no function number 0");
    j = (dal_joint){.name = "k", .type = "gear", .joint_1 = "j", .joint_2 = "j"};
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "ratio[0]");
    j = (dal_joint){.name = "k", .type = "pfaffian"};
    check_fails(ctx, dal_model_add_joint(m, NULL, &j), DAL_EINVAL, "callback");
    j = (dal_joint){.name = "k", .type = "distance", .body_b = 1};
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
    check_fails(ctx, dal_model_compile(m, &sys), DAL_EINVAL, "joint 'k': a distance must be positive");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void bad_forces_functions_and_outputs_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    check_ok(ctx, dal_model_add_body(m, NULL, &good));
    dal_force f = {.name = "f", .type = "sprng", .body_b = 1};
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "did you mean 'spring'");
    f.type = "spring";
    f.stiffness = INFINITY;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "not finite");
    f.stiffness = 1.0;
    f.function = 3;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "no function number 3");
    f.function = 0;
    f.type = "pd";
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "say which coordinate");
    f.type = "friction";
    f.coordinate = DAL_COORDINATE_TRANSLATION;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "friction needs a joint");
    f.type = "force";
    check_ok(ctx, dal_model_add_force(m, NULL, &f)); // a load of zero is one
    f.name = "drag";
    f.type = "drag";
    f.damping = -1.0;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "damping = -1 must not be negative");
    const double c[4] = {0.0, 1.0, 2.0, 1.0};
    dal_function g = {.name = "g", .type = "step", .c = c, .n = 4};
    check_fails(ctx, dal_model_add_function(m, NULL, &g), DAL_EINVAL, "must end (1) after it begins (2)");
    g.type = "harmonic";
    g.n = 3;
    check_fails(ctx, dal_model_add_function(m, NULL, &g), DAL_EINVAL, "needs 4 to 4 finite coefficients, not 3");
    g = (dal_function){.name = "g", .type = "table", .x = c + 2, .y = c, .n = 2};
    check_fails(ctx, dal_model_add_function(m, NULL, &g), DAL_EINVAL, "x must increase");
    const int self[1] = {1};
    g = (dal_function){.name = "g", .type = "sum", .f = self, .nf = 1};
    check_fails(ctx, dal_model_add_function(m, NULL, &g), DAL_EINVAL, "no function 1 before it");
    dal_output o = {.name = "o", .quantity = "positon", .body = 1};
    check_fails(ctx, dal_model_add_output(m, NULL, &o), DAL_EINVAL, "did you mean 'position'");
    o.quantity = "force";
    o.joint = "x";
    check_fails(ctx, dal_model_add_output(m, NULL, &o), DAL_EINVAL, "output 'o': no joint 'x'");
    o.quantity = "position";
    check_ok(ctx, dal_model_add_output(m, NULL, &o));
    double y[3];
    check_fails(ctx, dal_model_outputs(m, NULL, y, &(dal_point){0.0, y, y, y, y}), DAL_EINVAL, "compile");
    const dal_system *sys;
    check_ok(ctx, dal_model_compile(m, &sys));
    check_fails(ctx, dal_model_add_body(m, NULL, &(dal_body){.name = "late"}), DAL_EINVAL, "after compiling");
    o.name = "late";
    check_fails(ctx, dal_model_add_output(m, NULL, &o), DAL_EINVAL, "after compiling");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static dal_status build_everything(dal_ctx *ctx, void *user)
{
    (void)user;
    dal_model *m = NULL;
    const dal_system *sys;
    const double c[4] = {0.1, 0.2, 3.0, 0.0};
    dal_status st = dal_model_create(&m, ctx);
    for (int i = 0; i < 12 && st == DAL_OK; ++i) {
        const char name[2] = {(char)('a' + i), 0};
        const dal_body b = {.name = name, .type = i % 3 == 0 ? "se3" : NULL, .mass = 1.0, .inertia = {1.0, 1.0, 1.0}};
        st = dal_model_add_body(m, NULL, &b);
        if (st == DAL_OK) {
            st = dal_model_add_joint(
                m, NULL,
                &(dal_joint){.name = name, .type = i % 2 ? "revolute" : "spherical", .body_a = i, .body_b = i + 1});
        }
    }
    st = st ? st : dal_model_add_function(m, NULL, &(dal_function){.name = "f", .type = "harmonic", .c = c, .n = 4});
    st = st ? st
            : dal_model_add_joint(m, NULL, &(dal_joint){.name = "m", .type = "motion", .joint = "b", .function = 1});
    st = st ? st
            : dal_model_add_force(m, NULL, &(dal_force){.name = "s", .type = "spring", .body_b = 4, .stiffness = 1.0});
    st = st ? st : dal_model_add_output(m, NULL, &(dal_output){.name = "E", .quantity = "energy"});
    st = st ? st : dal_model_compile(m, &sys);
    dal_model_destroy(m);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    const long n = check_every_allocation(build_everything, NULL);
    assert_true(n > 20);
}

static void ignore_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    (void)sink, (void)pair, (void)M, (void)C, (void)K;
}

static void ignore_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    (void)sink, (void)link, (void)B, (void)Z;
}

static void ignore_force(dal_sink *sink, int link, const double *G)
{
    (void)sink, (void)link, (void)G;
}

static void evaluating_allocates_nothing(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_model *m = slider_crank_model(ctx, "euler_parameters");
    const dal_system *sys;
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "F", .quantity = "force", .joint = "A"}));
    check_ok(ctx, dal_model_compile(m, &sys));
    dal_data *data;
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    const long before = alloc.total;
    double r[32], Phi[32], la[32] = {0.0}, vd[32] = {0.0}, y[3];
    const dal_point at = {0.0, dal_model_q0(m), dal_model_v0(m), vd, la};
    dal_sink sink = {.wants = sys->provides,
                     .pair = ignore_pair,
                     .link = ignore_link,
                     .link_acc = ignore_link,
                     .link_force = ignore_force};
    check_ok(ctx, dal_data_residual(data, &(dal_residual){.r = r, .Phi = Phi}, &at));
    check_ok(ctx, dal_data_tangent(data, &sink, &at));
    check_ok(ctx, dal_model_outputs(m, data, y, &at));
    assert_int_equal(alloc.total, before);
    dal_data_destroy(data);
    dal_model_destroy(m);
    assert_int_equal(alloc.live, 1); // the context
    check_ctx_free(ctx);
}

/* ---- structure -------------------------------------------------------------------------------- */

/* The forces of joints depend on coordinates alone: K, no C; a spring may have a damper. */
static void pairs_of_joints_depend_on_positions_and_those_of_forces_do_not(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = chain_model(ctx, 4, "revolute");
    check_ok(ctx, dal_model_add_force(m, NULL,
                                      &(dal_force){.name = "damper",
                                                   .type = "spring",
                                                   .body_a = 2,
                                                   .body_b = 3,
                                                   .damping = 1.0,
                                                   .frame_b = {.position = {0.1, 0.2, 0.0}}}));
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_int_equal(sys->npairs, 4 + 2 * 3);
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_pair pair = sys->pair[p];
        const int damped = (pair.i == 1 && pair.j == 2) || (pair.i == 2 && pair.j == 1);
        assert_int_equal(pair.positions, pair.i != pair.j && !damped);
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void chains_couple_no_bodies_by_spherical_joints(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = chain_model(ctx, 50, "spherical");
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_int_equal(sys->npairs, 50);
    assert_int_equal(sys->nlinks, 99);
    const dal_model_summary s = dal_model_report(m);
    assert_int_equal(s.freedoms, 150);
    assert_int_equal(s.bodies, 50);
    dal_model_destroy(m);
    m = chain_model(ctx, 50, "revolute");
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_int_equal(sys->npairs, 50 + 2 * 49);
    assert_int_equal(dal_model_report(m).freedoms, 50);
    int first, n;
    check_ok(ctx, dal_model_joint_rows(m, &first, &n, dal_model_find_joint(m, "joint7")));
    assert_string_equal(dal_model_joint_name(m, dal_model_find_joint(m, "joint7")), "joint7");
    assert_null(dal_model_joint_name(m, -1));
    assert_null(dal_model_joint_name(m, dal_model_report(m).joints));
    assert_string_equal(dal_model_body_name(m, DAL_GROUND), "ground");
    assert_null(dal_model_body_name(m, dal_model_report(m).bodies + 1));
    assert_null(dal_model_function_name(m, DAL_NO_FUNCTION));
    assert_null(dal_model_force_name(m, dal_model_report(m).forces));
    assert_int_equal(first, 30);
    assert_int_equal(n, 5);
    char name[64];
    sys->names.row(name, sizeof name, 33, sys->user);
    assert_string_equal(name, "joint 'joint7': axes x.z");
    sys->names.velocity(name, sizeof name, 10, sys->user);
    assert_string_equal(name, "link2.Om_y");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* A planar four-bar loop with revolute joints in space: three rows too many, named by joint and direction. */
static void redundant_rows_are_named_by_joint_and_direction(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    static const double corner[4][3] = {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.5, 1.5, 0.0}, {1.5, 0.0, 0.0}};
    static const double z[3] = {0.0, 0.0, 1.0};
    static const char *const name[4] = {"A", "B", "C", "D"};
    for (int k = 0; k < 3; ++k) {
        dal_body b = good;
        b.name = name[k];
        for (int i = 0; i < 3; ++i) {
            b.position[i] = 0.5 * (corner[k][i] + corner[k + 1][i]);
        }
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
    }
    for (int k = 0; k < 4; ++k) {
        const dal_frame world = dal_frame_on_axis(corner[k], z, NULL);
        dal_joint j = {.name = name[k], .type = "revolute", .body_a = k, .body_b = (k + 1) % 4};
        check_ok(ctx, dal_model_frame_at(m, &j.frame_a, j.body_a, &world));
        check_ok(ctx, dal_model_frame_at(m, &j.frame_b, j.body_b, &world));
        check_ok(ctx, dal_model_add_joint(m, NULL, &j));
    }
    const dal_system *sys;
    dal_reduction *reduction;
    char names[512];
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_int_equal(dal_model_report(m).freedoms, -2);
    check_ok(ctx, dal_reduction_create(&reduction, ctx, sys, 0.0, dal_model_q0(m), 0.0));
    assert_int_equal(dal_reduction_count(reduction), 3);
    dal_reduction_names(reduction, names, sizeof names);
    print_message("%s\n", names);
    assert_non_null(strstr(names, "joint '"));
    assert_non_null(strstr(names, "axes x.z"));
    dal_reduction_destroy(reduction);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void open_joints_are_named_with_their_gap(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    const dal_system *sys;
    char text[256];
    int count;
    check_ok(ctx, dal_model_add_body(m, NULL, &good));
    const dal_joint ball = {.name = "ball", .type = "spherical", .body_b = 1, .frame_a = {{0.0, 0.25, 0.0}, {0}}};
    check_ok(ctx, dal_model_add_joint(m, NULL, &ball));
    const dal_joint axes = {.name = "axes", .type = "parallel_axes", .body_b = 1};
    check_ok(ctx, dal_model_add_joint(m, NULL, &axes));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_model_open_joints(m, NULL, &count, text, sizeof text, 0.0, dal_model_q0(m), 1e-9));
    assert_int_equal(count, 1);
    assert_string_equal(text, "joint 'ball': point y by 0.25");
    check_ok(ctx, dal_model_open_joints(m, NULL, &count, text, sizeof text, 0.0, dal_model_q0(m), 1.0));
    assert_int_equal(count, 0);
    assert_string_equal(text, "");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void singular_initial_angles_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = new_model(ctx);
    const dal_system *sys;
    dal_body b = good;
    b.type = "cardan";
    b.rotation[0] = b.rotation[2] = sqrt(0.5); // 90 degrees about y
    b.angular_velocity[0] = 1.0;
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_fails(ctx, dal_model_compile(m, &sys), DAL_EINVAL, "body 'b': its coordinates are singular");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void frames_on_an_axis_are_right_handed(void **state)
{
    check_rng rng = check_rng_seed(2);
    for (int k = 0; k < 20; ++k) {
        double axis[3], hint[3], R[9];
        check_direction(&rng, axis, 2.0);
        check_direction(&rng, hint, 3.0);
        const dal_frame f = dal_frame_on_axis(axis, axis, k % 2 ? hint : NULL);
        dal_quat_to_matrix(R, f.rotation);
        for (int i = 0; i < 3; ++i) {
            assert_near(R[6 + i], 0.5 * axis[i], 1e-14);
        }
        if (k % 2) {
            // x in the plane of axis and hint: y normal to the hint
            assert_near(R[3] * hint[0] + R[4] * hint[1] + R[5] * hint[2], 0.0, 1e-14);
        }
    }
}

static void count_warning(dal_log_level level, const char *text, void *user)
{
    *(int *)user += level == DAL_LOG_WARNING && strstr(text, "triangle") != NULL;
}

/* Rods and plates are the limit; a full tensor may violate what its diagonal does not show. */
static void the_triangle_inequality_is_that_of_principal_moments(void **state)
{
    static const struct {
        double J[6];
        int warned;
    } cases[] = {
        {{1.0, 1.0, 1.0}, 0},      {{0.0, 0.3, 0.3}, 0},       {{0.1, 0.2, 0.3}, 0},
        {{0.1, 0.2, 0.4}, 1},      {{0.5, 0.5, 1.0, -0.5}, 0}, // a rod across the x-y plane: 0, 1, 1
        {{1.0, 1.0, 0.5, 0.2}, 0},                             // 1.2, 0.8, 0.5
        {{1.0, 1.0, 0.5, 0.4}, 1},                             // 1.4, 0.6, 0.5
    };
    int warnings = 0;
    dal_ctx *ctx;
    dal_model *m;
    const dal_config config = {.log = count_warning, .user = &warnings};
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    check_ok(ctx, dal_model_create(&m, ctx));
    for (size_t k = 0; k < LEN(cases); ++k) {
        char name[16];
        dal_body b = {.name = name, .mass = 1.0};
        snprintf(name, sizeof name, "b%zu", k);
        memcpy(b.inertia, cases[k].J, sizeof b.inertia);
        warnings = 0;
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
        assert_int_equal(warnings, cases[k].warned);
    }
    // a body that changes is warned of when it begins to be such a one, not at each change
    const dal_system *sys;
    dal_data *data;
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    warnings = 0;
    for (int k = 0; k < 6; ++k) {
        dal_body b = {.name = "b2", .mass = 1.0, .inertia = {0.1, 0.2, k == 3 ? 0.3 : 0.4 + 0.01 * k}};
        check_ok(ctx, dal_data_set_body(data, 2, &b));
        assert_int_equal(warnings, k < 4 ? 1 : 2);
    }
    dal_data_destroy(data);
    dal_model_destroy(m);
    dal_ctx_destroy(ctx);
}

static void count_jump(dal_log_level level, const char *text, void *user)
{
    *(int *)user += level == DAL_LOG_WARNING && strstr(text, "joint 'drive': the velocity") != NULL;
}

/* A slider driven by a function. */
static int warnings_of_a_drive(const dal_function *inner, const dal_function *f)
{
    int warnings = 0, number;
    dal_ctx *ctx;
    dal_model *m;
    const dal_system *sys;
    const dal_config config = {.log = count_jump, .user = &warnings};
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    check_ok(ctx, dal_model_create(&m, ctx));
    if (inner) {
        check_ok(ctx, dal_model_add_function(m, &number, inner));
    }
    check_ok(ctx, dal_model_add_function(m, &number, f));
    const dal_body b = {.name = "slider", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}};
    dal_joint guide = {.name = "guide", .type = "prismatic", .body_b = 1};
    dal_joint drive = {.name = "drive", .type = "motion", .joint = "guide", .function = number};
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_ok(ctx, dal_model_add_joint(m, NULL, &guide));
    check_ok(ctx, dal_model_add_joint(m, NULL, &drive));
    check_ok(ctx, dal_model_compile(m, &sys));
    dal_model_destroy(m);
    dal_ctx_destroy(ctx);
    return warnings;
}

/* A ramp, a polygon, and what contains one; a straight line and splines do not count. */
static void a_drive_whose_velocity_jumps_is_warned_of(void **state)
{
    static const double c[4] = {0.0, 1.0, 0.1, 0.2}, none[4] = {0.5, 0.5, 0.1, 0.2};
    static const double x[4] = {0.0, 0.1, 0.2, 0.4}, bent[4] = {0.0, 0.1, 0.3, 0.2}, straight[4] = {0.0, 0.1, 0.2, 0.4};
    static const int first[1] = {1};
    const dal_function ramp = {.name = "f", .type = "ramp", .n = 4, .c = c};
    const dal_function flat = {.name = "f", .type = "ramp", .n = 4, .c = none};
    const dal_function step = {.name = "f", .type = "step", .n = 4, .c = c};
    const dal_function sum = {.name = "sum", .type = "sum", .nf = 1, .f = first};
    dal_function table = {
        .name = "f", .type = "table", .n = 4, .x = x, .y = bent, .interpolation = DAL_INTERPOLATION_LINEAR};
    assert_int_equal(warnings_of_a_drive(NULL, &ramp), 1);
    assert_int_equal(warnings_of_a_drive(NULL, &flat), 0);
    assert_int_equal(warnings_of_a_drive(NULL, &step), 0);
    assert_int_equal(warnings_of_a_drive(&ramp, &sum), 1);
    assert_int_equal(warnings_of_a_drive(&step, &sum), 0);
    assert_int_equal(warnings_of_a_drive(NULL, &table), 1);
    table.y = straight;
    assert_int_equal(warnings_of_a_drive(NULL, &table), 0);
    table.y = bent;
    table.interpolation = DAL_INTERPOLATION_CUBIC;
    assert_int_equal(warnings_of_a_drive(NULL, &table), 0);
}

static void count_unused(dal_log_level level, const char *text, void *user)
{
    *(int *)user +=
        level == DAL_LOG_WARNING && strstr(text, "joint 'J': a joint of type 'revolute' has no pitch") != NULL;
}

static void fields_that_a_joint_does_not_use_are_warned_of(void **state)
{
    int warnings = 0, b;
    dal_ctx *ctx;
    dal_model *m;
    const dal_config config = {.log = count_unused, .user = &warnings};
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, &b, &(dal_body){.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
    check_ok(ctx, dal_model_add_joint(m, NULL, &(dal_joint){.name = "S", .type = "screw", .body_b = b, .pitch = 3.0}));
    assert_int_equal(warnings, 0);
    check_ok(ctx,
             dal_model_add_joint(m, NULL, &(dal_joint){.name = "J", .type = "revolute", .body_b = b, .pitch = 3.0}));
    assert_int_equal(warnings, 1);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bodies_are_refused_with_the_reason),
        cmocka_unit_test(bad_joints_are_refused_with_the_reason),
        cmocka_unit_test(bad_forces_functions_and_outputs_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(evaluating_allocates_nothing),
        cmocka_unit_test(chains_couple_no_bodies_by_spherical_joints),
        cmocka_unit_test(redundant_rows_are_named_by_joint_and_direction),
        cmocka_unit_test(open_joints_are_named_with_their_gap),
        cmocka_unit_test(singular_initial_angles_are_refused),
        cmocka_unit_test(frames_on_an_axis_are_right_handed),
        cmocka_unit_test(the_triangle_inequality_is_that_of_principal_moments),
        cmocka_unit_test(pairs_of_joints_depend_on_positions_and_those_of_forces_do_not),
        cmocka_unit_test(a_drive_whose_velocity_jumps_is_warned_of),
        cmocka_unit_test(fields_that_a_joint_does_not_use_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
