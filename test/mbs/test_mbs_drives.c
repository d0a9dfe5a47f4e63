/* Drives, gears, screws, friction and control in motion, against what is known in closed form. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "support/check.h"

static const double x_axis[3] = {1.0, 0.0, 0.0}, z_axis[3] = {0.0, 0.0, 1.0}, origin[3] = {0.0, 0.0, 0.0};

typedef struct machine {
    dal_ctx *ctx;
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    double y[32];
} machine;

static machine new_machine(void)
{
    machine M = {.ctx = check_ctx()};
    check_ok(M.ctx, dal_model_create(&M.m, M.ctx));
    return M;
}

static int add_body(machine *M, dal_body b)
{
    int k;
    check_ok(M->ctx, dal_model_add_body(M->m, &k, &b));
    return k;
}

static void add_joint(machine *M, dal_joint j)
{
    check_ok(M->ctx, dal_model_add_joint(M->m, NULL, &j));
}

static void add_force(machine *M, dal_force f)
{
    check_ok(M->ctx, dal_model_add_force(M->m, NULL, &f));
}

static int add_function(machine *M, dal_function f)
{
    int k;
    check_ok(M->ctx, dal_model_add_function(M->m, &k, &f));
    return k;
}

static int add_output(machine *M, dal_output o)
{
    int k;
    check_ok(M->ctx, dal_model_add_output(M->m, &k, &o));
    return dal_model_output_info(M->m, k).first;
}

static void start(machine *M, double h)
{
    dal_options opt = dal_options_init();
    opt.h = h;
    check_ok(M->ctx, dal_model_compile(M->m, &M->sys));
    check_ok(M->ctx, dal_sim_create(&M->sim, M->ctx, M->sys, &opt));
    check_ok(M->ctx, dal_sim_start(M->sim, NULL, 0.0, dal_model_q0(M->m), dal_model_v0(M->m)));
}

/* Run to a time and evaluate the outputs. */
static const double *at(machine *M, double t)
{
    check_ok(M->ctx, dal_sim_run(M->sim, NULL, t));
    const dal_state s = dal_sim_state(M->sim);
    check_ok(M->ctx, dal_model_outputs(M->m, dal_sim_data(M->sim), M->y, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    return M->y;
}

static void end(machine *M)
{
    dal_sim_destroy(M->sim);
    dal_model_destroy(M->m);
    check_ctx_free(M->ctx);
}

static const dal_body wheel = {.mass = 2.0, .inertia = {0.3, 0.3, 0.5}};

/* A wheel driven by 3 t^2 through many turns: torque J alpha = 0.5 * 6, power torque times speed. */
static void driven_angles_follow_their_function_over_many_turns(void **state)
{
    machine M = new_machine();
    const double c[3] = {0.0, 0.0, 3.0};
    dal_body b = wheel;
    b.name = "wheel";
    const int body = add_body(&M, b),
              f = add_function(&M, (dal_function){.name = "f", .type = "polynomial", .c = c, .n = 3});
    add_joint(&M, (dal_joint){.name = "axle", .type = "revolute", .body_b = body});
    add_joint(&M, (dal_joint){.name = "drive", .type = "motion", .joint = "axle", .function = f});
    const int angle = add_output(&M, (dal_output){.name = "angle", .quantity = "coordinate", .joint = "axle"});
    const int speed = add_output(&M, (dal_output){.name = "speed", .quantity = "coordinate_velocity", .joint = "axle"});
    const int torque = add_output(&M, (dal_output){.name = "torque", .quantity = "torque", .joint = "drive"});
    const int power = add_output(&M, (dal_output){.name = "power", .quantity = "power", .joint = "drive"});
    start(&M, 1e-2);
    for (int k = 1; k < 6; ++k) {
        const double t = 0.5 * k, *y = at(&M, t);
        assert_near(remainder(y[angle] - 3.0 * t * t, 2.0 * acos(-1.0)), 0.0, 1e-9);
        assert_near(y[speed], 6.0 * t, 1e-3);
        assert_near(y[torque + 2], 3.0, 1e-5);
        assert_near(y[power], 3.0 * 6.0 * t, 1e-3);
    }
    end(&M);
}

/* Two wheels, ratio 2 : -3, one under a constant torque: both accelerations from the reduced inertia. */
static void gears_keep_their_ratio_over_many_turns(void **state)
{
    static const double ratio[2][2] = {{2.0, 3.0}, {1.0, 1.7320508075688772}}; // the second at velocity level
    for (int k = 0; k < 2; ++k) {
        machine M = new_machine();
        dal_body b = wheel;
        b.name = "one";
        const int one = add_body(&M, b);
        b.name = "two";
        b.position[0] = 1.0;
        const int two = add_body(&M, b);
        add_joint(&M, (dal_joint){.name = "r1", .type = "revolute", .body_b = one});
        add_joint(&M, (dal_joint){.name = "r2",
                                  .type = "revolute",
                                  .body_b = two,
                                  .frame_a = dal_frame_on_axis((double[3]){1.0, 0.0, 0.0}, z_axis, x_axis),
                                  .frame_b = dal_frame_on_axis(origin, z_axis, x_axis)});
        add_joint(
            &M,
            (dal_joint){
                .name = "gear", .type = "gear", .joint_1 = "r1", .joint_2 = "r2", .ratio = {ratio[k][0], ratio[k][1]}});
        add_force(&M, (dal_force){.name = "torque", .type = "torque", .body_b = one, .vector = {0.0, 0.0, 5.0}});
        const int w1 = add_output(&M, (dal_output){.name = "w1", .quantity = "coordinate_velocity", .joint = "r1"});
        const int w2 = add_output(&M, (dal_output){.name = "w2", .quantity = "coordinate_velocity", .joint = "r2"});
        start(&M, 1e-2);
        // c_2 = -i c_1 with i = ratio_1/ratio_2: (J + J i^2) alpha = 5
        const double i = ratio[k][0] / ratio[k][1], alpha = 5.0 / (0.5 * (1.0 + i * i));
        const double *y = at(&M, 3.0);
        assert_near_rel(y[w1], 3.0 * alpha, 1e-8);
        assert_near_rel(y[w2], -3.0 * i * alpha, 1e-8);
        end(&M);
    }
}

/* The same wheels: the tooth force at the pitch point is what is missing to the moment of each, (MB.19), and the bearings
 * carry it. With axes that point against each other, with the pitch point outside (an internal mesh), and torques alone. */
static void bearings_carry_the_force_of_the_teeth(void **state)
{
    static const struct {
        double ratio[2];
        int upside_down, torques_only;
    } cases[] = {{{2.0, 3.0}, 0, 0}, {{2.0, -3.0}, 1, 0}, {{2.0, -3.0}, 0, 0}, {{2.0, 3.0}, 0, 1}, {{1.0, -1.0}, 0, 0}};
    for (size_t k = 0; k < LEN(cases); ++k) {
        machine M = new_machine();
        dal_body b = wheel;
        b.name = "one";
        const int one = add_body(&M, b);
        b.name = "two";
        b.position[0] = 0.5;
        const int two = add_body(&M, b);
        const double turned = cases[k].upside_down ? -1.0 : 1.0, axis[3] = {0.0, 0.0, turned};
        add_joint(&M, (dal_joint){.name = "r1", .type = "revolute", .body_b = one});
        add_joint(&M, (dal_joint){.name = "r2",
                                  .type = "revolute",
                                  .body_a = two, // the wheel may be on either side
                                  .frame_a = dal_frame_on_axis(origin, axis, x_axis),
                                  .frame_b = dal_frame_on_axis((double[3]){0.5, 0.0, 0.0}, axis, x_axis)});
        add_joint(&M, (dal_joint){.name = "gear",
                                  .type = "gear",
                                  .joint_1 = "r1",
                                  .joint_2 = "r2",
                                  .ratio = {cases[k].ratio[0], -cases[k].ratio[1]},
                                  .torques_only = cases[k].torques_only});
        add_force(&M, (dal_force){.name = "torque", .type = "torque", .body_b = one, .vector = {0.0, 0.0, 5.0}});
        const int f1 = add_output(&M, (dal_output){.name = "f1", .quantity = "force", .joint = "r1"});
        const int f2 = add_output(&M, (dal_output){.name = "f2", .quantity = "force", .joint = "r2"});
        const int a1 = add_output(&M, (dal_output){.name = "a1", .quantity = "angular_acceleration", .body = one});
        const int a2 = add_output(&M, (dal_output){.name = "a2", .quantity = "angular_acceleration", .body = two});
        start(&M, 1e-2);
        const double *y = at(&M, 0.3);
        // w1 r1 = -w2 r2 with radii r1 + r2 = 0.5 (r2 < 0: inside)
        const double i = cases[k].ratio[0] / (turned * cases[k].ratio[1]), r1 = 0.5 * i / (1.0 + i),
                     r2 = 0.5 / (1.0 + i);
        const int teeth = k < 3;
        assert_near_rel(y[a1 + 2], 5.0 / (0.5 * (1.0 + i * i)), 1e-7);
        assert_near_rel(y[a2 + 2], -i * y[a1 + 2], 1e-7);
        // of the ground on wheel one; r2 has it on the ground from wheel two
        const double F = teeth ? (5.0 - 0.5 * y[a1 + 2]) / r1 : 0.0;
        const double want[3] = {0.0, F, 0.0};
        for (int c = 0; c < 3; ++c) {
            assert_near(y[f1 + c], want[c], 1e-5);
            assert_near(y[f2 + c], want[c], 1e-5);
        }
        if (teeth) {
            assert_near_rel(F, -0.5 * y[a2 + 2] / r2, 1e-6); // the same at the other wheel
        }
        end(&M);
    }
}

/* Sun, planet and carrier, z_s (w_s - w_c) + z_p (w_p - w_c) = 0: as a gear of two joints on the carrier, whose pin then
 * carries the tooth force, and as a relation of three joints, which transmits torques. Same motion. */
static void a_planetary_gear_can_be_a_relation_of_three_joints(void **state)
{
    const double zs = 20.0, zp = 25.0, rc = 0.045, rp = 0.025, Js = 1e-4, Jc = 2e-3, Jp = 5e-5, m = 0.2;
    const double i = zs / zp, Mss = Js + Jp * i * i, Msc = -Jp * i * (1.0 + i),
                 Mcc = Jc + m * rc * rc + Jp * (1.0 + i) * (1.0 + i), det = Mss * Mcc - Msc * Msc;
    const double as = 2.0 * Mcc / det, ac = -2.0 * Msc / det, ap = -i * as + (1.0 + i) * ac;
    for (int k = 0; k < 2; ++k) {
        machine M = new_machine();
        const int sun = add_body(&M, (dal_body){.name = "sun", .type = "planar", .mass = 0.3, .inertia = {0, 0, Js}});
        const int carrier =
            add_body(&M, (dal_body){.name = "carrier", .type = "planar", .mass = 1.0, .inertia = {0, 0, Jc}});
        const int planet = add_body(
            &M, (dal_body){.name = "planet", .type = "planar", .mass = m, .inertia = {0, 0, Jp}, .position = {rc}});
        dal_joint gear = {.name = "gear", .type = "gear", .joint_1 = "S", .joint_2 = "P", .ratio = {zs, zp}};
        if (k == 0) { // the sun turns on the ground
            gear.joint_3 = "C";
            gear.ratio_3 = -zs;
        }
        add_joint(&M, (dal_joint){.name = "C", .type = "planar_revolute", .body_b = carrier});
        add_joint(&M,
                  (dal_joint){.name = "S", .type = "planar_revolute", .body_a = k == 0 ? 0 : carrier, .body_b = sun});
        add_joint(&M, (dal_joint){.name = "P",
                                  .type = "planar_revolute",
                                  .body_a = carrier,
                                  .body_b = planet,
                                  .frame_a = {.position = {rc}}});
        add_joint(&M, gear);
        add_force(&M, (dal_force){.name = "T", .type = "torque", .body_b = sun, .vector = {0.0, 0.0, 2.0}});
        const int s = add_output(&M, (dal_output){.name = "s", .quantity = "angular_acceleration", .body = sun});
        const int c = add_output(&M, (dal_output){.name = "c", .quantity = "angular_acceleration", .body = carrier});
        const int p = add_output(&M, (dal_output){.name = "p", .quantity = "angular_acceleration", .body = planet});
        const int pin = add_output(&M, (dal_output){.name = "pin", .quantity = "force", .joint = "P"});
        start(&M, 5e-4);
        const double *y = at(&M, 0.0);
        assert_near_rel(y[s + 2], as, 1e-9);
        assert_near_rel(y[c + 2], ac, 1e-9);
        assert_near_rel(y[p + 2], ap, 1e-9);
        // m rc ac = pin + tooth force, and the tooth force turns the planet: Jp ap = -rp F
        assert_near_rel(y[pin + 1], m * rc * ac + (k == 1 ? Jp * ap / rp : 0.0), 1e-9);
        at(&M, 0.1); // through many turns
        assert_near_rel(y[s + 2], as, 1e-5);
        assert_near_rel(y[p + 2], ap, 1e-5);
        end(&M);
    }
}

static dal_status stairs(double y[3], double t, void *user)
{
    (void)user;
    y[0] = floor(3.0 * t + 0.1);
    y[1] = y[2] = 0.0;
    return DAL_OK;
}

static dal_status reversing(double y[3], double t, void *user)
{
    (void)user;
    y[0] = fabs(sin(40.0 * t)); // first reverses at pi/40
    y[1] = sin(40.0 * t) >= 0.0 ? 40.0 * cos(40.0 * t) : -40.0 * cos(40.0 * t);
    y[2] = -1600.0 * y[0];
    return DAL_OK;
}

static void keep_warning(dal_log_level level, const char *text, void *user)
{
    if (level == DAL_LOG_WARNING) {
        snprintf(user, 200, "%s", text);
    }
}

/* t^2/2 - (1 - cos 0.4t)/0.16: of its terms only rounding is left near t = 0. */
static dal_status cancelling(double y[3], double t, void *user)
{
    (void)user;
    y[0] = 0.5 * t * t - 6.25 + 6.25 * cos(0.4 * t);
    y[1] = t - 2.5 * sin(0.4 * t);
    y[2] = 1.0 - cos(0.4 * t);
    return DAL_OK;
}

/* Jumps of value or rate are told with their time; fast, steep and flat functions without one are not called so, nor is one that
 * comes after the end. */
static void motions_that_jump_are_told(void **state)
{
    const double line[] = {0.0, 0.1, 0.2, 0.5, 0.0, 0.1, 0.0, 0.2}, fast[] = {0.3, 2.0, 900.0, 0.1},
                 steep[] = {0.0, 5.0, 0.4, 0.4001}, square[] = {1.0, 2.0, -3.0}, still[] = {4.0};
    const struct {
        dal_function f;
        double end;
        const char *warning;
    } cases[] = {
        {{.type = "table", .x = line, .y = line + 4, .n = 4, .interpolation = DAL_INTERPOLATION_LINEAR},
         1.0,
         "jumps at t = 0.1, its rate from 1 to -1"},
        {{.type = "table", .x = line, .y = line + 4, .n = 4, .interpolation = DAL_INTERPOLATION_LINEAR}, 0.09, ""},
        {{.type = "table", .x = line, .y = line + 4, .n = 4}, 1.0, ""},
        {{.type = "user", .call = stairs}, 1.0, "jumps at t = 0.3, its value from 0 to 1"},
        {{.type = "user", .call = reversing}, 1.0, "jumps at t = 0.0785398, its rate from -40 to 40"},
        {{.type = "user", .call = cancelling}, 0.05, ""},
        {{.type = "user", .call = cancelling}, 0.002, ""},
        {{.type = "harmonic", .c = fast, .n = 4}, 1.0, ""},
        {{.type = "step", .c = steep, .n = 4}, 1.0, ""},
        {{.type = "polynomial", .c = square, .n = 3}, 1.0, ""},
        {{.type = "constant", .c = still, .n = 1}, 1.0, ""},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        char text[200] = "";
        const dal_config config = {.log = keep_warning, .user = text};
        dal_function g = cases[k].f;
        dal_body b = wheel;
        int number;
        machine M = {0};
        g.name = "g";
        b.name = "wheel";
        assert_int_equal(dal_ctx_create(&M.ctx, &config), DAL_OK);
        check_ok(M.ctx, dal_model_create(&M.m, M.ctx));
        const int body = add_body(&M, b);
        check_ok(M.ctx, dal_model_add_function(M.m, &number, &g));
        add_joint(&M, (dal_joint){.name = "axle", .type = "revolute", .body_b = body});
        add_joint(&M, (dal_joint){.name = "drive", .type = "motion", .joint = "axle", .function = number});
        check_ok(M.ctx, dal_model_set_end(M.m, cases[k].end));
        check_ok(M.ctx, dal_model_compile(M.m, &M.sys));
        if (cases[k].warning[0] == '\0') {
            assert_string_equal(text, "");
        } else if (strstr(text, cases[k].warning) == NULL) {
            fail_msg("'%s' lacks '%s'", text, cases[k].warning);
        }
        dal_model_destroy(M.m);
        dal_ctx_destroy(M.ctx);
    }
}

/* A nut on a vertical screw falls with m g p/(m p^2 + J), p = pitch/(2 pi), through many turns. */
static void screws_advance_by_their_pitch(void **state)
{
    machine M = new_machine();
    dal_body b = wheel;
    b.name = "nut";
    const int body = add_body(&M, b);
    check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.0, 0.0, -9.81}));
    add_joint(&M, (dal_joint){.name = "screw", .type = "screw", .body_b = body, .pitch = 0.2});
    const int z = add_output(&M, (dal_output){.name = "z", .quantity = "position", .body = body});
    const int w = add_output(&M, (dal_output){.name = "w", .quantity = "angular_velocity", .body = body});
    start(&M, 1e-2);
    const double p = 0.2 / (2.0 * acos(-1.0)), alpha = -2.0 * 9.81 * p / (2.0 * p * p + 0.5);
    const double *y = at(&M, 5.0);
    assert_near_rel(y[w + 2], 5.0 * alpha, 1e-8);
    assert_near_rel(y[z + 2], 12.5 * p * alpha, 1e-6);
    assert_true(fabs(y[z + 2]) > 2.0 * 0.2); // more than two turns
    end(&M);
}

/* A block on a rail: friction mu m g while it slides; the power of friction is what the energy loses. */
static void friction_is_mu_times_the_reaction(void **state)
{
    machine M = new_machine();
    const int body =
        add_body(&M, (dal_body){.name = "block", .mass = 3.0, .inertia = {1.0, 1.0, 1.0}, .velocity = {4.0}});
    check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.0, 0.0, -9.81}));
    const dal_frame rail = dal_frame_on_axis(origin, x_axis, NULL);
    add_joint(&M, (dal_joint){.name = "rail", .type = "prismatic", .body_b = body, .frame_a = rail, .frame_b = rail});
    add_force(&M, (dal_force){.name = "friction", .type = "friction", .joint = "rail", .mu = 0.2, .slip = 1e-3});
    const int v = add_output(&M, (dal_output){.name = "v", .quantity = "velocity", .body = body});
    const int F = add_output(&M, (dal_output){.name = "F", .quantity = "force_value", .force = "friction"});
    const int N = add_output(&M, (dal_output){.name = "N", .quantity = "force", .joint = "rail"});
    const int P = add_output(&M, (dal_output){.name = "P", .quantity = "power", .force = "friction"});
    start(&M, 1e-3);
    const double *y = at(&M, 0.5);
    assert_near(y[v], 4.0 - 0.2 * 9.81 * 0.5, 1e-8);
    assert_near(y[F], -0.2 * 3.0 * 9.81, 1e-6);
    assert_near(y[N + 2], 3.0 * 9.81, 1e-6);
    assert_near(y[P], y[F] * y[v], 1e-6);
    end(&M);
}

/* Control of a slider against its weight: pd leaves m g/k, the integral removes it. */
static void integral_control_removes_the_offset(void **state)
{
    for (int pid = 0; pid < 2; ++pid) {
        machine M = new_machine();
        const double target[1] = {0.5};
        const int body = add_body(&M, (dal_body){.name = "lift", .mass = 2.0, .inertia = {1.0, 1.0, 1.0}});
        const int f = add_function(&M, (dal_function){.name = "target", .type = "constant", .c = target, .n = 1});
        check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.0, 0.0, -10.0}));
        add_joint(&M, (dal_joint){.name = "rail", .type = "prismatic", .body_b = body});
        add_force(&M, (dal_force){.name = "control",
                                  .type = pid ? "pid" : "pd",
                                  .joint = "rail",
                                  .function = f,
                                  .stiffness = 200.0,
                                  .damping = 40.0,
                                  .integral = pid ? 500.0 : 0.0});
        const int z = add_output(&M, (dal_output){.name = "z", .quantity = "coordinate", .joint = "rail"});
        const int F = add_output(&M, (dal_output){.name = "F", .quantity = "force_value", .force = "control"});
        start(&M, 2e-3);
        const double *y = at(&M, 6.0);
        assert_near(y[z], pid ? 0.5 : 0.5 - 20.0 / 200.0, 1e-5);
        assert_near(y[F], 20.0, 1e-3);
        assert_int_equal(dal_model_report(M.m).freedoms, 1);
        end(&M);
    }
}

/* A point on a driven distance from the ground: radius 1 + 0.2 sin t. */
static void driven_lengths_follow_their_function(void **state)
{
    machine M = new_machine();
    const double c[4] = {1.0, 0.2, 1.0, 0.0};
    const int body =
        add_body(&M, (dal_body){.name = "p", .type = "point", .mass = 1.0, .position = {1.0}, .velocity = {0.2, 1.0}});
    const int f = add_function(&M, (dal_function){.name = "f", .type = "harmonic", .c = c, .n = 4});
    add_joint(&M,
              (dal_joint){
                  .name = "rod", .type = "motion", .body_b = body, .coordinate = DAL_COORDINATE_LENGTH, .function = f});
    add_joint(&M, (dal_joint){.name = "plane", .type = "point_on_plane", .body_b = body});
    const int x = add_output(&M, (dal_output){.name = "x", .quantity = "position", .body = body});
    const int L = add_output(&M, (dal_output){.name = "L", .quantity = "angular_momentum"});
    start(&M, 1e-3);
    for (int k = 1; k < 6; ++k) {
        const double t = 0.5 * k, *y = at(&M, t);
        assert_near(hypot(y[x], y[x + 1]), 1.0 + 0.2 * sin(t), 1e-10);
        assert_near(y[L + 2], 1.0, 1e-6); // central force
    }
    end(&M);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_angles_follow_their_function_over_many_turns),
        cmocka_unit_test(gears_keep_their_ratio_over_many_turns),
        cmocka_unit_test(motions_that_jump_are_told),
        cmocka_unit_test(bearings_carry_the_force_of_the_teeth),
        cmocka_unit_test(a_planetary_gear_can_be_a_relation_of_three_joints),
        cmocka_unit_test(screws_advance_by_their_pitch),
        cmocka_unit_test(friction_is_mu_times_the_reaction),
        cmocka_unit_test(integral_control_removes_the_offset),
        cmocka_unit_test(driven_lengths_follow_their_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
