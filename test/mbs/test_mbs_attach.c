/* Points and planar bodies refuse what they would swallow, and say what to do. */
#include <math.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "support/check.h"

typedef struct scene {
    dal_ctx *ctx;
    dal_model *m;
} scene;

static int add_body(scene *s, const char *name, const char *type)
{
    const int point = strcmp(type, "point") == 0;
    int number;
    dal_body b = {.name = name, .type = type, .mass = 1.0};
    for (int i = 0; i < 3 && !point; ++i) {
        b.inertia[i] = 0.1;
    }
    check_ok(s->ctx, dal_model_add_body(s->m, &number, &b));
    return number;
}

/* A body of each kind: 1 a point, 2 another, 3 planar, 4 planar, 5 with all freedoms. */
static scene new_scene(void)
{
    scene s = {.ctx = check_ctx()};
    check_ok(s.ctx, dal_model_create(&s.m, s.ctx));
    add_body(&s, "p", "point");
    add_body(&s, "q", "point");
    add_body(&s, "f", "planar");
    add_body(&s, "g", "planar_se2");
    add_body(&s, "b", "r3so3");
    const double c[1] = {0.5};
    check_ok(s.ctx,
             dal_model_add_function(s.m, NULL, &(dal_function){.name = "c", .type = "constant", .c = c, .n = 1}));
    return s;
}

/* Compile; message NULL: it works, otherwise it is refused and says that. */
static void end_scene(scene *s, const char *message)
{
    const dal_system *sys;
    const dal_status st = dal_model_compile(s->m, &sys);
    if (message) {
        check_fails(s->ctx, st, DAL_EINVAL, message);
    } else {
        check_ok(s->ctx, st);
    }
    dal_model_destroy(s->m);
    check_ctx_free(s->ctx);
}

static void expect_joint(dal_joint j, const char *message)
{
    scene s = new_scene();
    j.name = "j";
    check_ok(s.ctx, dal_model_add_joint(s.m, NULL, &j));
    end_scene(&s, message);
}

static void expect_force(dal_force f, const char *message)
{
    scene s = new_scene();
    f.name = "f";
    check_ok(s.ctx, dal_model_add_force(s.m, NULL, &f));
    end_scene(&s, message);
}

static const dal_frame off = {.position = {0.1}};

static void joints_on_a_point_sit_at_the_point(void **state)
{
    expect_joint((dal_joint){.type = "spherical", .body_b = 1, .frame_b = off}, "point 'p' at (0.1, 0, 0)");
    expect_joint((dal_joint){.type = "distance", .body_a = 1, .frame_a = off, .length = 1.0}, "no lever arm");
    expect_joint((dal_joint){.type = "spherical", .body_a = 5, .body_b = 1, .frame_a = off}, NULL);
    expect_joint((dal_joint){.type = "distance", .body_a = 1, .body_b = 2, .length = 1.0}, NULL);
    expect_joint((dal_joint){.type = "point_on_line", .body_b = 1}, NULL);
    expect_joint((dal_joint){.type = "point_on_plane", .body_a = 5, .frame_a = off, .body_b = 1}, NULL);
}

static void joints_that_need_axes_refuse_a_point(void **state)
{
    static const char *const type[] = {"revolute",      "universal",    "prismatic",       "cylindrical",
                                       "planar",        "fixed",        "orientation",     "knife_edge",
                                       "parallel_axes", "planar_fixed", "planar_prismatic"};
    for (size_t k = 0; k < LEN(type); ++k) {
        expect_joint((dal_joint){.type = type[k], .body_a = 5, .body_b = 1}, "'p', which is a point");
    }
    expect_joint((dal_joint){.type = "rolling_sphere", .body_b = 1, .radius = 0.1}, "'p', which is a point");
    expect_joint((dal_joint){.type = "point_on_line", .body_a = 1, .body_b = 5}, "'p', which is a point");
    expect_joint((dal_joint){.type = "motion", .body_b = 1, .function = 1, .coordinate = DAL_COORDINATE_ROTATION},
                 "'p', which is a point");
    expect_joint((dal_joint){.type = "motion", .body_b = 1, .function = 1, .coordinate = DAL_COORDINATE_TRANSLATION},
                 NULL);
    expect_joint((dal_joint){.type = "generic", .body_b = 1, .locked = DAL_LOCK_X | DAL_LOCK_Z}, NULL);
    expect_joint((dal_joint){.type = "generic", .body_b = 1, .locked = DAL_LOCK_RX}, "'p', which is a point");
}

/* x' = 0 and, if asked to, omega_z = 0. */
static dal_status rows(double *A, double *b, double t, const double *x, const double *R, const dal_functions *functions,
                       void *user)
{
    (void)functions;
    memset(A, 0, 12 * sizeof(double));
    A[0] = 1.0;
    A[1 + 2 * 1] = 1.0;
    A[1 + 2 * 5] = *(const double *)user;
    b[0] = b[1] = 0.0;
    (void)t, (void)x, (void)R;
    return DAL_OK;
}

static void rows_from_a_callback_turn_no_point(void **state)
{
    static const int body[] = {1};
    double turn = 0.0;
    const dal_joint j = {.type = "pfaffian", .bodies = body, .nbodies = 1, .nrows = 2, .rows = rows, .user = &turn};
    expect_joint(j, NULL);
    turn = 1.0;
    expect_joint(j, "rows on the angular velocity of body 'p'");
}

static void forces_on_a_point_have_no_lever_arm_and_no_torque(void **state)
{
    expect_force((dal_force){.type = "torque", .body_b = 1, .vector = {0, 0, 1}}, "takes no torque");
    expect_force((dal_force){.type = "force", .body_b = 1, .vector = {0, 0, 1}}, NULL);
    expect_force((dal_force){.type = "force", .body_b = 1, .vector = {0, 0, 1}, .frame_b = off}, "no lever arm");
    expect_force((dal_force){.type = "force", .body_b = 1, .vector = {0, 0, 1}, .follower = 1}, "is a point");
    expect_force((dal_force){.type = "spring", .body_b = 1, .stiffness = 1.0, .frame_a = off}, NULL);
    expect_force((dal_force){.type = "spring", .body_a = 2, .body_b = 1, .stiffness = 1.0}, NULL);
    expect_force((dal_force){.type = "spring", .body_b = 1, .stiffness = 1.0, .frame_b = off}, "no lever arm");
    expect_force((dal_force){.type = "drag", .body_b = 1, .damping = 1.0, .frame_b = off}, "no lever arm");
    expect_force((dal_force){.type = "bushing", .body_b = 1, .stiffness6 = {1, 1, 1}}, NULL);
    expect_force((dal_force){.type = "bushing", .body_b = 1, .stiffness6 = {1, 1, 1, 1}}, "is a point");
    expect_force((dal_force){.type = "bushing", .body_a = 1, .body_b = 5, .stiffness6 = {1, 1, 1}}, "is a point");
    expect_force((dal_force){.type = "actuator", .body_b = 1, .coordinate = DAL_COORDINATE_ROTATION, .function = 1},
                 "is a point");
}

static void planar_bodies_feel_nothing_out_of_their_plane(void **state)
{
    scene s = new_scene();
    check_ok(s.ctx, dal_model_set_gravity(s.m, (double[3]){0.0, 0.0, -9.81}));
    end_scene(&s, "body 'f': it is planar and does not feel gravity along z");
    expect_force((dal_force){.type = "force", .body_b = 3, .vector = {1, 0, 1}}, "a force along z (here 1)");
    expect_force((dal_force){.type = "force", .body_b = 4, .vector = {1, 2, 0}, .frame_b = off}, NULL);
    expect_force((dal_force){.type = "torque", .body_b = 3, .vector = {1, 0, 1}}, "a torque about x or y");
    expect_force((dal_force){.type = "torque", .body_b = 4, .vector = {0, 0, 1}}, NULL);
    // a follower is given in the axes of its frame: here its x is the world's z
    const dal_frame up = {.rotation = {sqrt(0.5), 0.0, -sqrt(0.5), 0.0}};
    expect_force((dal_force){.type = "force", .body_b = 3, .vector = {1}, .follower = 1, .frame_b = up}, "along z");
    expect_force((dal_force){.type = "force", .body_b = 3, .vector = {0, 1}, .follower = 1, .frame_b = up}, NULL);
    expect_force(
        (dal_force){
            .type = "spring", .body_b = 3, .stiffness = 1.0, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 2},
        "'along z' is a direction in which planar bodies do not move");
    // springs in all directions, of which some do nothing
    expect_force((dal_force){.type = "bushing", .body_b = 3, .stiffness6 = {1, 1, 1, 1, 1, 1}}, NULL);
}

static void joints_of_planar_bodies_say_what_to_use_instead(void **state)
{
    const dal_frame along = {.rotation = {sqrt(0.5), 0.0, sqrt(0.5), 0.0}};
    expect_joint((dal_joint){.type = "revolute", .body_b = 3}, "use 'planar_revolute'");
    expect_joint((dal_joint){.type = "spherical", .body_a = 4, .body_b = 3}, "use 'planar_revolute'");
    expect_joint((dal_joint){.type = "fixed", .body_a = 4, .body_b = 3}, "use 'planar_fixed'");
    expect_joint((dal_joint){.type = "prismatic", .body_b = 3, .frame_a = along, .frame_b = along},
                 "use 'planar_prismatic'");
    expect_joint((dal_joint){.type = "orientation", .body_b = 3}, "rotation about z alone");
    expect_joint((dal_joint){.type = "generic", .body_b = 3, .locked = DAL_LOCK_X | DAL_LOCK_RZ}, NULL);
    expect_joint((dal_joint){.type = "generic", .body_b = 3, .locked = DAL_LOCK_Z}, "'along z'");
    expect_joint((dal_joint){.type = "planar_fixed", .body_a = 4, .body_b = 3}, NULL);
    expect_joint((dal_joint){.type = "distance", .body_b = 3, .frame_a = off}, NULL);
    expect_joint((dal_joint){.type = "knife_edge", .body_b = 3}, NULL);
    // a body with all freedoms is held in the plane by a planar one
    expect_joint((dal_joint){.type = "fixed", .body_a = 5, .body_b = 3}, NULL);
}

/* Two planar bodies welded together move like one. */
static void a_planar_weld_makes_one_body(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, (double[3]){0.0, -9.81, 0.0}));
    dal_body b = {.name = "a", .type = "planar", .mass = 1.0, .inertia = {0, 0, 0.1}, .position = {0.5}};
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    b.name = "b";
    b.position[0] = 1.5;
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    const dal_joint pin = {.name = "pin", .type = "planar_revolute", .body_b = 1, .frame_b = {.position = {-0.5}}};
    const dal_joint weld = {.name = "weld",
                            .type = "planar_fixed",
                            .body_a = 1,
                            .body_b = 2,
                            .frame_a = {.position = {0.5}},
                            .frame_b = {.position = {-0.5}}};
    check_ok(ctx, dal_model_add_joint(m, NULL, &pin));
    check_ok(ctx, dal_model_add_joint(m, NULL, &weld));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    // J phi'' = -m g (0.5 + 1.5) with J about the pin
    const double J = 2.0 * 0.1 + 0.25 + 2.25;
    assert_near(dal_sim_state(sim).vd[2], -9.81 * 2.0 / J, 1e-9);
    check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
    const dal_state at = dal_sim_state(sim);
    assert_near(at.q[5], at.q[2], 1e-10);
    assert_near(at.q[3] - at.q[0], cos(at.q[2]), 1e-9);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_on_a_point_sit_at_the_point),
        cmocka_unit_test(joints_that_need_axes_refuse_a_point),
        cmocka_unit_test(rows_from_a_callback_turn_no_point),
        cmocka_unit_test(forces_on_a_point_have_no_lever_arm_and_no_torque),
        cmocka_unit_test(planar_bodies_feel_nothing_out_of_their_plane),
        cmocka_unit_test(joints_of_planar_bodies_say_what_to_use_instead),
        cmocka_unit_test(a_planar_weld_makes_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
