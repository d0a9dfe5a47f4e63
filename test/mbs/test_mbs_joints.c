/* Every joint: B, Z, the share of K, velocity and acceleration level against differences, at random states. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random_model.h"

enum { NSTATES = 3 };

static const double gravity[3] = {1.0, -2.0, -9.81};

static dal_model *new_model(dal_ctx *ctx)
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, gravity));
    return m;
}

static void add_body(dal_ctx *ctx, dal_model *m, check_rng *rng, const char *name, const char *type)
{
    const dal_body b = random_body(rng, name, type);
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
}

/* The joint between two bodies, and between the ground and a body in both orders. */
static void check_joint(dal_ctx *ctx, const dal_joint *like, const char *type_a, const char *type_b, double spread)
{
    static const int between[3][2] = {{1, 2}, {0, 1}, {1, 0}};
    check_rng rng = check_rng_seed(11);
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        dal_model *m = new_model(ctx);
        const char *const types[3] = {NULL, type_a, type_b};
        set_gravity(ctx, m, type_a, type_b);
        const double c[4] = {0.1, 0.2, 1.5, 0.3};
        check_ok(ctx,
                 dal_model_add_function(m, NULL, &(dal_function){.name = "f", .type = "harmonic", .c = c, .n = 4}));
        add_body(ctx, m, &rng, "a", type_a);
        add_body(ctx, m, &rng, "b", type_b);
        dal_joint j = *like;
        j.name = "j";
        j.body_a = between[k][0];
        j.body_b = between[k][1];
        j.frame_a = frame_on(&rng, types[j.body_a]);
        j.frame_b = frame_on(&rng, types[j.body_b]);
        check_ok(ctx, dal_model_add_joint(m, NULL, &j));
        if (is_refused(ctx, m)) {
            dal_model_destroy(m);
            continue;
        }
        const double error = check_model(ctx, m, &rng, NSTATES, spread, 1e-7);
        worst = fmax(worst, error);
    }
    print_message("%-18s %-18s %-18s %.1e\n", like->type, type_a ? type_a : "r3so3", type_b ? type_b : "r3so3", worst);
}

static const dal_joint joints[] = {
    {.type = "spherical"},
    {.type = "revolute"},
    {.type = "universal"},
    {.type = "prismatic"},
    {.type = "cylindrical"},
    {.type = "planar"},
    {.type = "fixed"},
    {.type = "screw", .pitch = 40.0},
    {.type = "distance", .length = 1.3},
    {.type = "point_on_line"},
    {.type = "point_on_plane"},
    {.type = "orientation"},
    {.type = "parallel_axes"},
    {.type = "generic", .locked = DAL_LOCK_X | DAL_LOCK_Z | DAL_LOCK_RY},
    {.type = "generic", .locked = DAL_LOCK_Y | DAL_LOCK_RX | DAL_LOCK_RZ},
    {.type = "generic", .locked = 63},
    {.type = "planar_revolute"},
    {.type = "planar_prismatic"},
    {.type = "planar_fixed"},
    {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_LENGTH},
    {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1},
    {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_ROTATION, .axis = 0},
    {.type = "rolling_disk", .radius = 0.4},
    {.type = "rolling_sphere", .radius = 0.4},
    {.type = "wheel", .radius = 0.4},
    {.type = "knife_edge"},
};

static void tangents_of_joints_are_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(joints); ++k) {
        check_joint(ctx, &joints[k], NULL, NULL, 1.0);
    }
    check_ctx_free(ctx);
}

/* Of every type there is, with numbers for all its keys; those that numbers do not fill have tests of their own. */
static void tangents_of_every_type_are_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(21);
    int checked = 0;
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        dal_joint j = {.type = type.name};
        if (strcmp(type.section, "joints") == 0 && random_numbers(&rng, &type, &j)) {
            j.restitution *= 0.1;
            j.mu_s += j.mu;
            j.mu = strcmp(type.name, "brake") == 0 ? 0.0 : j.mu; // it needs a joint to follow: test_mbs_contact
            j.mu_s = j.mu > 0.0 ? j.mu_s : 0.0;
            j.radius_a += j.radius;
            j.limits[0] -= 10.0;
            check_joint(ctx, &j, NULL, NULL, 0.3);
            check_joint(ctx, &j, "euler_parameters", "planar", 0.3);
            ++checked;
        } else if (strcmp(type.section, "joints") == 0) {
            assert_true(strcmp(type.name, "gear") == 0 || strcmp(type.name, "pfaffian") == 0);
        }
    }
    assert_true(checked >= 22);
    check_ctx_free(ctx);
}

/* The same joint on bodies in other coordinates. */
static void tangents_do_not_depend_on_the_description_of_the_body(void **state)
{
    static const char *const type[] = {"se3", "euler_parameters", "cardan", "planar", "planar_se2", "point"};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(type); ++k) {
        for (size_t j = 0; j < LEN(joints); ++j) {
            check_joint(ctx, &joints[j], type[k], type[(k + 1) % LEN(type)], 0.3);
        }
        check_joint(ctx, &joints[1], type[k], "r3so3", 0.3);
    }
    check_ctx_free(ctx);
}

/* Relations between coordinates of two joints that share a body. */
static void tangents_of_gears_are_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    // the last two: parallel axes, hence teeth, on the second axis seen from its wheel; three joints
    static const double ratio[5][2] = {{1.0, -2.0}, {0.37, -1.0}, {1.0, 3.141592653589793}, {1.0, 2.0}, {1.0, 2.0}};
    for (int k = 0; k < 5; ++k) {
        dal_model *m = new_model(ctx);
        add_body(ctx, m, &rng, "carrier", NULL);
        add_body(ctx, m, &rng, "sun", "se3");
        add_body(ctx, m, &rng, "planet", NULL);
        dal_frame f[4] = {random_frame(&rng), random_frame(&rng), random_frame(&rng), random_frame(&rng)};
        memcpy(k >= 3 ? f[3].rotation : f[0].rotation, f[0].rotation, sizeof f[0].rotation);
        const dal_joint r1 = {
            .name = "r1", .type = "revolute", .body_a = 1, .body_b = 2, .frame_a = f[0], .frame_b = f[1]};
        const dal_joint r2 = {.name = "r2",
                              .type = k == 1 ? "prismatic" : "revolute",
                              .body_a = k >= 3 ? 3 : 1,
                              .body_b = k >= 3 ? 1 : 3,
                              .frame_a = f[2],
                              .frame_b = f[3]};
        const dal_joint r3 = {.name = "r3", .type = "revolute", .body_b = 1, .frame_b = f[1]};
        const dal_joint gear = {.name = "gear",
                                .type = "gear",
                                .joint_1 = "r1",
                                .joint_2 = "r2",
                                .ratio = {ratio[k][0], ratio[k][1]},
                                .joint_3 = k == 4 ? "r3" : NULL,
                                .ratio_3 = k == 4 ? -3.0 : 0.0};
        check_ok(ctx, dal_model_add_joint(m, NULL, &r1));
        check_ok(ctx, dal_model_add_joint(m, NULL, &r2));
        check_ok(ctx, dal_model_add_joint(m, NULL, &r3));
        check_ok(ctx, dal_model_add_joint(m, NULL, &gear));
        print_message("gear %.1e\n", check_model(ctx, m, &rng, NSTATES, 0.02, 1e-7));
    }
    check_ctx_free(ctx);
}

/* A knife edge of body 0 and a driven relation with body 1, written by hand. */
static dal_status user_rows(double *A, double *b, double t, const double *x, const double *R,
                            const dal_functions *functions, void *user)
{
    (void)functions;
    memset(A, 0, 24 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        A[2 * i] = R[3 + i];
        A[1 + 2 * i] = x[i];
        A[1 + 2 * (6 + i)] = -x[3 + i];
        A[1 + 2 * (9 + i)] = R[9 + i];
    }
    b[0] = 0.0;
    b[1] = sin(t) * x[0];
    (void)user;
    return DAL_OK;
}

static void rows_from_a_callback_are_completed_by_differences(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(6);
    static const char *const type[] = {"r3so3", "se3", "euler_parameters"};
    for (size_t k = 0; k < LEN(type); ++k) {
        dal_model *m = new_model(ctx);
        const int bodies[2] = {2, 1};
        add_body(ctx, m, &rng, "a", type[k]);
        add_body(ctx, m, &rng, "b", "r3so3");
        const dal_joint j = {
            .name = "j", .type = "pfaffian", .rows = user_rows, .bodies = bodies, .nbodies = 2, .nrows = 2};
        check_ok(ctx, dal_model_add_joint(m, NULL, &j));
        // differences of differences: the acceleration level is itself differenced
        print_message("pfaffian %.1e\n", check_model(ctx, m, &rng, NSTATES, 1.0, 1e-4));
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_joints_are_derivatives),
        cmocka_unit_test(tangents_of_every_type_are_derivatives),
        cmocka_unit_test(tangents_do_not_depend_on_the_description_of_the_body),
        cmocka_unit_test(tangents_of_gears_are_derivatives),
        cmocka_unit_test(rows_from_a_callback_are_completed_by_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
