/* Dry friction in joints that follows their reactions, one-way clutches and ratchets, against closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

#define FINE "step_rtol=1e-12"
#define FINER "step_atol=1e-13"

static check_model start(const char *source, const char *a, const char *b, const char *c)
{
    const char *const set[] = {a, b, c};
    return check_model_start(source, set, 3);
}

/* ---- friction that follows the reaction ------------------------------------------------------- */

/* A rotor in a bearing that carries its weight: mu r m g brakes it until it stands. */
static void a_bearing_stops_a_rotor(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'r', 'gravity': [0, -9.81, 0],"
        "'bodies': [{'name': 'r', 'mass': 2, 'inertia': [0.02, 0.02, 0.04], 'angular_velocity': [0, 0, 5]}],"
        "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'r', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'b', 'mu': 0.2, 'radius': 0.05, 'limit': 0.01}],"
        "'outputs': ['b.coordinate', 'b.coordinate_velocity', 'f.p_t', 'f.case', 'dissipated_energy'],"
        "'simulation': {'t_end': 2, 'h': 0.01}}";
    static const char *const method[] = {"integrator=genalpha", "integrator=rk", "integrator=lobatto"};
    const double torque = 0.01 + 0.2 * 0.05 * 2.0 * 9.81;
    (void)state;
    for (size_t i = 0; i < LEN(method); ++i) {
        check_model r = start(text, method[i], NULL, NULL);
        check_model_run(&r, 0.5);
        assert_near(r.y[1], 5.0 - torque / 0.04 * 0.5, 1e-10);
        assert_near(r.y[2], torque, 1e-10);
        check_model_run(&r, 2.0);
        assert_near(r.y[0], 0.5 * 0.04 * 25.0 / torque, 1e-9);
        assert_near(r.y[1], 0.0, 1e-14);
        assert_near(r.y[3], 2.0, 0.0);
        assert_near(r.y[4], 0.5, 1e-9);
        assert_near(check_model_happens(&r, DAL_CONTACT_STICK, 0), 0.2 / torque, 1e-9);
        check_model_free(&r);
    }
}

/* A slider on a slope: its guide carries m g cos a. Below mu_s it stays, above it slides with mu. */
static void a_slider_sticks_below_its_angle_of_friction(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 's', 'gravity': [0, 0, -9.81], 'variables': {'a': 0.5, 'mu': 0.3, 'mu_s': 0.3},"
        "'bodies': [{'name': 'm', 'mass': 2, 'inertia': [0.02, 0.02, 0.04]}],"
        "'joints': [{'name': 'g', 'type': 'prismatic', 'body_b': 'm', 'point': [0, 0, 0],"
        "'axis': ['cos(a)', 0, '-sin(a)']}, {'name': 'f', 'type': 'brake', 'joint': 'g', 'mu': 'mu', 'mu_s': 'mu_s'}],"
        "'outputs': ['g.coordinate', 'f.p_t', 'f.case'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    static const char *const given[][2] = {{"mu=0.3", "mu_s=0.3"}, {"mu=0.3", "mu_s=0.54"}, {"mu=0.3", "mu_s=0.55"}};
    (void)state;
    for (size_t i = 0; i < LEN(given); ++i) {
        const int sticks = i == 2; // tan 0.5 = 0.5463
        check_model r = start(text, given[i][0], given[i][1], NULL);
        check_model_run(&r, 1.0);
        assert_near(r.y[0], sticks ? 0.0 : 0.5 * 9.81 * (sin(0.5) - 0.3 * cos(0.5)), 1e-10);
        assert_near(r.y[1], 2.0 * 9.81 * (sticks ? sin(0.5) : 0.3 * cos(0.5)), 1e-10);
        assert_near(r.y[2], sticks ? 2.0 : 1.0, 0.0);
        check_model_free(&r);
    }
}

/* A pendulum presses its bearing by its weight and its swing: r mu |R|. It stops where that holds it; two methods agree, and
 * generalized-alpha has its second order. */
static void a_pendulum_stops_in_its_bearing(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'p', 'gravity': [0, -9.81, 0], 'variables': {'l': 0.3, 'th': 1.0},"
        "'bodies': [{'name': 'p', 'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'position': ['l*sin(th)', '-l*cos(th)', "
        "0]}],"
        "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'p', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'b', 'mu': 0.2, 'radius': 0.1}],"
        "'outputs': ['b.coordinate', 'b.coordinate_velocity', 'f.p_t', 'f.case', 'dissipated_energy', 'energy', "
        "'b.force'],"
        "'simulation': {'t_end': 6, 'h': 0.01}}";
    double at[3][2];
    check_model r = start(text, "integrator=rk", FINE, FINER);
    (void)state;
    check_model_run(&r, 0.4);
    at[2][0] = r.y[0];
    assert_near(r.y[2], 0.02 * sqrt(r.y[6] * r.y[6] + r.y[7] * r.y[7]), 1e-9);
    check_model_run(&r, 6.0);
    at[2][1] = r.y[0];
    assert_near(r.y[1], 0.0, 1e-14);
    assert_near(r.y[3], 2.0, 0.0);
    assert_near(r.y[2], 0.3 * 9.81 * fabs(sin(1.0 + r.y[0])), 1e-8); // holds it where it stands
    assert_true(r.y[2] <= 0.02 * 9.81);
    assert_near(r.y[5] + r.y[4], -0.3 * 9.81 * cos(1.0), 1e-7);
    check_model_free(&r);
    for (int i = 0; i < 2; ++i) {
        r = start(text, "integrator=genalpha", i == 0 ? "h=0.01" : "h=0.005", NULL);
        check_model_run(&r, 0.4);
        at[i][0] = fabs(r.y[0] - at[2][0]);
        check_model_run(&r, 6.0);
        at[i][1] = fabs(r.y[0] - at[2][1]);
        check_model_free(&r);
    }
    print_message("errors %.2e %.2e, where it stops %.2e %.2e\n", at[0][0], at[1][0], at[0][1], at[1][1]);
    assert_near(log2(at[0][0] / at[1][0]), 2.0, 0.15);
    assert_near(at[1][1], 0.0, 2e-5);
}

/* A mass in a guide is drawn by a spring: it sticks until the spring has mu_s m g, and slides on with mu; the same as on a belt. */
static void a_guide_makes_stick_slip(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'g', 'gravity': [0, 0, -9.81],"
        "'functions': {'run': {'type': 'polynomial', 'coefficients': [0, 0.5]}},"
        "'bodies': [{'name': 'm', 'mass': 1, 'inertia': [1, 1, 1]}, {'name': 'hook', 'mass': 1, 'inertia': [1, 1, 1]}],"
        "'joints': [{'name': 'track', 'type': 'prismatic', 'body_b': 'hook', 'point': [0, 0, 0], 'axis': [1, 0, 0]},"
        "{'name': 'drive', 'type': 'motion', 'joint': 'track', 'function': 'run'},"
        "{'name': 'g', 'type': 'prismatic', 'body_b': 'm', 'point': [0, 0, 0], 'axis': [1, 0, 0]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'g', 'mu': 0.3, 'mu_s': 0.4}],"
        "'forces': [{'name': 's', 'type': 'spring', 'body_a': 'hook', 'body_b': 'm', 'coordinate': 'translation_x',"
        "'stiffness': 10, 'reference': 0, 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}],"
        "'outputs': ['g.coordinate'], 'simulation': {'t_end': 6, 'h': 0.01}}";
    (void)state;
    for (int i = 0; i < 2; ++i) {
        check_model r =
            start(text, i == 0 ? "integrator=rk" : "integrator=genalpha", i == 0 ? FINE : NULL, i == 0 ? FINER : NULL);
        const double tol = i == 0 ? 1e-10 : 1e-3;
        check_model_run(&r, 6.0);
        const double slip = check_model_happens(&r, DAL_CONTACT_SLIP, 0),
                     stick = check_model_happens(&r, DAL_CONTACT_STICK, 0);
        assert_near(slip, 0.7848, tol);
        assert_near(stick - slip, 1.635707076044454, tol);
        assert_near(check_model_happens(&r, DAL_CONTACT_SLIP, 1) - slip, 2.028107076044454, tol);
        check_model_free(&r);
    }
}

/* ---- one way ---------------------------------------------------------------------------------- */

/* A wheel is driven by a one-way clutch: with the driver while that goes forwards, alone at constant speed where it turns back. */
static void a_freewheel_drives_forwards(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'f', 'functions': {'swing': {'type': 'harmonic', 'amplitude': 0.5, 'omega': 3}},"
        "'bodies': [{'name': 'd', 'mass': 1, 'inertia': [0.01, 0.01, 0.01]},"
        "{'name': 'w', 'mass': 5, 'inertia': [0.1, 0.1, 0.1]}],"
        "'joints': [{'name': 'shaft', 'type': 'revolute', 'body_b': 'd', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'bearing', 'type': 'revolute', 'body_b': 'w', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'drive', 'type': 'motion', 'joint': 'shaft', 'function': 'swing'},"
        "{'name': 'c', 'type': 'clutch', 'body_a': 'd', 'body_b': 'w', 'point': [0, 0, 0], 'axis': [0, 0, 1],"
        "'coordinate': 'rotation_z'}],"
        "'outputs': ['shaft.coordinate_velocity', 'bearing.coordinate_velocity', 'bearing.coordinate'],"
        "'simulation': {'t_end': 4, 'h': 0.005}}";
    const double pi = 3.14159265358979323846;
    static const char *const method[] = {"integrator=genalpha", "integrator=rk"};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double tol = i == 0 ? 2e-3 : 1e-9;
        check_model r = start(text, method[i], i == 0 ? NULL : FINE, i == 0 ? NULL : FINER);
        // whatever its phase, the driver's largest speed is kept from the first time on
        check_model_run(&r, 2.0 * pi / 3.0);
        assert_near(r.y[1], 1.5, tol);
        const double angle = r.y[2];
        for (int k = 1; k <= 8; ++k) {
            check_model_run(&r, 2.0 * pi / 3.0 + 0.2 * k);
            assert_true(r.y[1] >= r.y[0] - 1e-9);
            assert_near(r.y[1], 1.5, tol);
        }
        assert_near(r.y[2] - angle, 1.5 * 1.6, 10.0 * tol);
        check_model_free(&r);
    }
}

/* A weight on an arm is thrown up, and falls back on the last tooth it has passed, which then carries it. */
static void a_ratchet_holds_the_last_tooth(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'r', 'gravity': [0, -9.81, 0], 'variables': {'w': 8, 'from': 0},"
        "'bodies': [{'name': 'w', 'mass': 2, 'inertia': [0.02, 0.02, 0.04], 'position': [0.1, 0, 0],"
        "'angular_velocity': [0, 0, 'w'], 'velocity': [0, '0.1*w', 0]}],"
        "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'w', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'p', 'type': 'ratchet', 'joint': 'b', 'pitch': 'pi/6'}],"
        "'outputs': ['b.coordinate', 'p.p_n', 'p.gap'], 'simulation': {'t_end': 3, 'h': 0.002}}";
    const double pi = 3.14159265358979323846, weight = 2.0 * 9.81 * 0.1;
    static const char *const method[] = {"integrator=genalpha", "integrator=rk"}, *const speed[] = {"w=8", "w=4",
                                                                                                    "w=7"};
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const double w = i / 2 == 0 ? 8.0 : i / 2 == 1 ? 4.0 : 7.0, top = 0.03 * w * w / weight;
        const double tooth = pi / 6.0 * floor(asin(top) / (pi / 6.0));
        check_model r = start(text, method[i % 2], speed[i / 2], i % 2 == 1 ? "step_rtol=1e-10" : NULL);
        check_model_run(&r, 3.0);
        assert_near(r.y[0], tooth, 1e-12);
        assert_near(r.y[1], weight * cos(tooth), 1e-9);
        assert_near(r.y[2], 0.0, 1e-12);
        assert_near(dal_sim_contact_totals(r.sim).lost, weight * (top - sin(tooth)), i % 2 == 0 ? 3e-4 : 1e-7);
        check_model_free(&r);
    }
}

/* Over many turns the teeth are counted on, and a start at a negative coordinate is between teeth, too. */
static void a_ratchet_counts_turns(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'r',"
        "'bodies': [{'name': 'w', 'mass': 2, 'inertia': [1, 1, 1], 'angular_velocity': [0, 0, 20]}],"
        "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'w', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'p', 'type': 'ratchet', 'joint': 'b', 'pitch': 0.7}],"
        "'forces': [{'name': 't', 'type': 'actuator', 'joint': 'b', 'function': 'back'}],"
        "'functions': {'back': {'type': 'polynomial', 'coefficients': [-10]}},"
        "'outputs': ['b.coordinate', 'p.p_n'], 'simulation': {'t_end': 3, 'h': 0.002}}";
    check_model r = start(text, NULL, NULL, NULL);
    (void)state;
    check_model_run(&r, 1.99);
    check_model_run(&r, 3.0); // it has turned by 20^2/20 = 20
    assert_near(r.y[0], 0.7 * floor(20.0 / 0.7), 1e-11);
    assert_near(r.y[1], 10.0, 1e-9);
    check_model_free(&r);
}

/* A robot falls with its joints at their stops and held by friction: nothing presses the stops, their forces are rounding. They stay as they
 * are, whatever sign that has: 249 events with generalized-alpha where it decided. */
static void stops_that_nothing_presses_stay_closed(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'fall', 'gravity': [0.3, -0.2, -9.81], 'bodies': ["
        "{'name': 'base', 'mass': 20, 'inertia': [1.1, 1.3, 0.9], 'rotation': {'axis': [1, 2, 3], 'angle': 0.7}},"
        "{'name': 'arm', 'mass': 3, 'inertia': [0.02, 0.05, 0.04], 'in': 'base', 'position': [0.4, 0.1, 0.2]},"
        "{'name': 'hand', 'mass': 0.4, 'inertia': [0.001, 0.002, 0.003], 'in': 'arm', 'position': [0.3, 0, 0.1]}],"
        "'joints': [{'name': 'shoulder', 'type': 'revolute', 'body_a': 'base', 'body_b': 'arm', 'in': 'base',"
        "'point': [0.2, 0, 0.1], 'axis': [0, 1, 0.2]}, {'name': 'wrist', 'type': 'revolute', 'body_a': 'arm',"
        "'body_b': 'hand', 'in': 'arm', 'point': [0.2, 0, 0.1], 'axis': [0.3, 0, 1]},"
        "{'name': 'shoulder_stop', 'type': 'limit', 'joint': 'shoulder', 'limits': [0, 1]},"
        "{'name': 'shoulder_friction', 'type': 'brake', 'joint': 'shoulder', 'limit': 0.5},"
        "{'name': 'wrist_stop', 'type': 'limit', 'joint': 'wrist', 'limits': [-1, 0]},"
        "{'name': 'wrist_friction', 'type': 'brake', 'joint': 'wrist', 'limit': 0.1}],"
        "'outputs': ['base.position', 'shoulder.coordinate', 'wrist.coordinate'], 'simulation': {'t_end': 0.5, 'h': "
        "0.005}}";
    static const char *const method[] = {"integrator=genalpha", "integrator=rk", "integrator=lobatto"};
    static const double g[3] = {0.3, -0.2, -9.81};
    (void)state;
    for (size_t i = 0; i < LEN(method); ++i) {
        check_model r = start(text, method[i], NULL, NULL);
        int n;
        check_model_run(&r, 0.5);
        (void)dal_sim_contact_events(r.sim, &n);
        assert_int_equal(n, 4); // all at the start
        for (int k = 0; k < 3; ++k) {
            assert_near(r.y[k], 0.125 * g[k], 1e-12);
        }
        assert_near(fabs(r.y[3]) + fabs(r.y[4]), 0.0, 1e-14);
        check_model_free(&r);
    }
}

/* Captured impacts do not know reactions. */
static void captured_impacts_refuse_it(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'r', 'bodies': [{'name': 'r', 'mass': 2, 'inertia': [1, 1, 1]}],"
        "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'r', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"
        "{'name': 'rub', 'type': 'brake', 'joint': 'b', 'mu': 0.2}],"
        "'simulation': {'t_end': 1}}";
    check_model r = start(text, NULL, NULL, NULL);
    dal_options opt = *dal_document_options(r.doc);
    dal_sim *sim = NULL;
    (void)state;
    opt.impacts = DAL_IMPACTS_CAPTURED;
    assert_int_equal(dal_sim_create(&sim, r.ctx, r.sys, &opt), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(r.ctx), "rub"));
    assert_non_null(strstr(dal_ctx_message(r.ctx), "located"));
    dal_ctx_clear(r.ctx);
    check_model_free(&r);
}

/* Nothing acts, or springs cancel: accelerations and reactions are rounding, of a shaft in no special direction with a brake
 * that is off. It turns evenly, or stays where it is. */
static void friction_settles_where_forces_cancel(void **state)
{
    static const char shaft[] =
        "{'dalembert': 1, 'name': 's', 'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.1, 0.1, 0.1],"
        "'rotation': {'axis': [1, 2, 3], 'angle': 1}, 'angular_velocity': [0, 0, 30]}],"
        "'joints': [{'name': 'j', 'type': 'revolute', 'body_b': 'b', 'point': [0, 0, 0], 'axis': [9, 1, 2]},"
        "{'name': 'off', 'type': 'brake', 'joint': 'j', 'limit': 2, 'active': false}],"
        "'outputs': ['j.coordinate', 'j.coordinate_velocity'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    static const char springs[] =
        "{'dalembert': 1, 'name': 's', 'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.1, 0.2, 0.15],"
        "'position': [0.1, 0.2, 0.3], 'rotation': {'axis': [1, 2, 3], 'angle': 1}}],"
        "'joints': [{'name': 'j', 'type': 'prismatic', 'body_b': 'b', 'axis': [9, 1, 2]},"
        "{'name': 'off', 'type': 'brake', 'joint': 'j', 'limit': 2, 'active': false}],"
        "'forces': [{'name': 's1', 'type': 'spring', 'body_b': 'b', 'coordinate': 'length',"
        "'frame_a': [1.1, 0.7, 0.3], 'frame_b': [0, 0, 0], 'stiffness': 1e4, 'reference': 0.37},"
        "{'name': 's2', 'type': 'spring', 'body_b': 'b', 'coordinate': 'length',"
        "'frame_a': [-0.9, -0.3, 0.3], 'frame_b': [0, 0, 0], 'stiffness': 1e4, 'reference': 0.37}],"
        "'outputs': ['j.coordinate', 'j.coordinate_velocity'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    static const char *const text[] = {shaft, springs};
    static const char *const method[] = {"integrator=genalpha", "integrator=rk", "integrator=lobatto"};
    (void)state;
    for (size_t i = 0; i < LEN(method) * LEN(text); ++i) {
        check_model r = start(text[i % 2], method[i / 2], NULL, NULL);
        check_model_run(&r, 0.0);
        const double speed = r.y[1];
        assert_true(i % 2 ? speed == 0.0 : fabs(speed) > 1.0);
        check_model_run(&r, 1.0);
        assert_near(r.y[0], speed, 1e-10);
        assert_near(r.y[1], speed, 1e-10);
        check_model_free(&r);
    }
}

/* ---- friction about a point ------------------------------------------------------------------- */

/* A ball in a socket with the largest torque T: it stops at I w/T about whatever axis it spins, after I w^2/(2 T), and stays. */
static void a_socket_stops_a_spin(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'b', 'variables': {'T': 0.5},"
        "'bodies': [{'name': 'b', 'mass': 2, 'inertia': [0.05, 0.05, 0.05], 'angular_velocity': [3, -4, 12]}],"
        "'joints': [{'name': 'j', 'type': 'spherical', 'body_b': 'b', 'point': [0, 0, 0]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'j', 'limit': 'T'}],"
        "'outputs': ['b.angular_velocity', 'f.p_t', 'f.slip', 'f.case', 'f.slip_path', 'f.stick_time', 'f.torque', "
        "'dissipated_energy'], 'simulation': {'t_end': 2, 'h': 0.01}}";
    static const char *const method[] = {"integrator=genalpha", "integrator=rk", "integrator=lobatto"};
    (void)state;
    for (size_t i = 0; i < 9; ++i) {
        const double T = i < 3 ? 0.5 : 0.52; // at the end of a step, and within one
        check_model r = start(text, method[i % 3], i >= 3 && i < 6 ? "T=0.52" : "T=0.5", NULL);
        if (i >= 6) { // in one simulation
            dal_joint socket;
            check_ok(r.ctx, dal_data_get_joint(dal_sim_data(r.sim), &socket, 1));
            socket.limit = T;
            check_ok(r.ctx, dal_data_set_joint(dal_sim_data(r.sim), 1, &socket));
            check_ok(r.ctx, dal_sim_reset(r.sim, NULL));
        }
        check_model_run(&r, 0.5);
        const double left = 1.0 - 0.5 * T / 0.65;
        assert_all_near(r.y, ((const double[]){3.0 * left, -4.0 * left, 12.0 * left}), 3, 1e-12);
        assert_all_near(r.y + 3, ((const double[]){T, 13.0 * left, 1.0}), 3, 1e-12);
        // on B: against the spin; outputs tell what B does to A
        assert_near(fabs(r.y[8] * 3.0 - r.y[9] * 4.0 + r.y[10] * 12.0), 13.0 * T, 1e-11);
        check_model_run(&r, 2.0);
        assert_near(check_model_happens(&r, DAL_CONTACT_STICK, 0), 0.65 / T, 1e-11);
        assert_near(check_max_abs(r.y, 3), 0.0, 1e-14);
        assert_near(r.y[5], 2.0, 0.0);
        assert_near(r.y[6], 0.5 * 0.05 * 169.0 / T, 1e-9);
        assert_near(r.y[7], 2.0 - 0.65 / T, 1e-11);
        assert_near(r.y[11], 0.5 * 0.05 * 169.0, 1e-9);
        check_model_free(&r);
    }
}

/* A pendulum in a socket: below T = m g l sin(th) it falls; above it stays where it is. On its way in space friction follows the reaction as
 * well: two methods agree, generalized-alpha with its second order, and no energy is lost but by friction. */
static void a_socket_holds_a_pendulum(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'p', 'gravity': [0, 0, -9.81], 'variables': {'T': 0.5, 'mu': 0, 'w': 0},"
        "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.02, 0.03, 0.01], 'position': [0.3, 0.2, -0.5],"
        "'angular_velocity': ['0.6*w', '0.6*w', '2.9*w'], 'velocity': ['w*(-0.6*0.5 - 2.9*0.2)', 'w*(2.9*0.3 + "
        "0.6*0.5)', 'w*(0.6*0.2 - 0.6*0.3)']}],"
        "'joints': [{'name': 'j', 'type': 'spherical', 'body_b': 'b', 'point': [0, 0, 0]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'j', 'limit': 'T', 'mu': 'mu', 'radius': 0.05}],"
        "'outputs': ['b.position', 'f.p_t', 'f.case', 'energy', 'dissipated_energy', 'j.force'],"
        "'simulation': {'t_end': 2, 'h': 0.01}}";
    const double weight = 9.81 * hypot(0.3, 0.2);
    double at[3][3];
    (void)state;
    for (int i = 0; i < 2; ++i) { // just enough, and not quite
        char limit[32];
        snprintf(limit, sizeof limit, "T=%.15g", weight * (i == 0 ? 1.0 + 1e-6 : 1.0 - 1e-3));
        check_model r = start(text, limit, NULL, NULL);
        check_model_run(&r, 1.0);
        if (i == 0) {
            assert_near(r.y[4], 2.0, 0.0);
            assert_all_near(r.y, ((const double[]){0.3, 0.2, -0.5}), 3, 1e-13);
            assert_near(r.y[3], weight, 1e-10);
        }
        assert_true(i == 0 || r.y[2] < -0.5 - 1e-4); // and sticks a little lower
        check_model_free(&r);
    }
    for (int i = 0; i < 3; ++i) {
        const char *const how[] = {"h=0.01", "h=0.005", "integrator=rk"};
        const char *const set[] = {"mu=0.4", "w=1", how[i], i < 2 ? NULL : FINE, i < 2 ? NULL : FINER};
        check_model r = check_model_start(text, set, 5);
        check_model_run(&r, 0.0);
        const double energy = r.y[5];
        check_model_run(&r, 0.5);
        memcpy(at[i], r.y, sizeof at[i]);
        assert_near(r.y[5] + r.y[6], energy, i == 0 ? 4e-4 : i == 1 ? 1e-4 : 1e-10);
        if (i == 2) {
            assert_near(r.y[3], 0.5 + 0.4 * 0.05 * sqrt(r.y[7] * r.y[7] + r.y[8] * r.y[8] + r.y[9] * r.y[9]), 1e-10);
        }
        check_model_free(&r);
    }
    const double coarse = check_max_abs_diff(at[0], at[2], 3), fine = check_max_abs_diff(at[1], at[2], 3);
    print_message("errors %.2e %.2e\n", coarse, fine);
    assert_near(log2(coarse / fine), 2.0, 0.1);
}

/* Explicit stages that reach beyond the stop see no direction across the sliding: it ends where it should, v/(mu g). */
static void sliding_ends_on_time_with_large_steps(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 's', 'gravity': [0, 0, -10], 'variables': {'mu': 0.5},"
        "'bodies': [{'name': 'b', 'mass': 2, 'inertia': [1, 1, 1], 'velocity': [3, -4, 0]}],"
        "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'mu': "
        "'mu'}], 'outputs': ['b.position'], 'simulation': {'t_end': 2, 'h': 0.007, 'integrator': 'rk'}}";
    (void)state;
    for (int i = 0; i < 8; ++i) {
        const double mu = 0.5 + 0.03 * i;
        char set[32];
        snprintf(set, sizeof set, "mu=%.15g", mu);
        check_model r = start(text, set, NULL, NULL);
        check_model_run(&r, 2.0);
        assert_near(check_model_happens(&r, DAL_CONTACT_STICK, 0), 0.5 / mu, 1e-11);
        assert_all_near(r.y, ((const double[]){0.75 / mu, -1.0 / mu, 0.0}), 3, 1e-11);
        check_model_free(&r);
    }
}

/* The elbow of an arm swings onto its stop and, with friction in the same hinge, sticks there: the row of the brake is the velocity of that of
 * the stop, which holds the place to rounding. When the arm swings back the stop does not pull: the brake holds alone, and slips at its limit. */
static void a_stop_holds_where_a_brake_sticks(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'arm', 'gravity': [0, 0, -9.81], 'bodies': ["
        "{'name': 'a', 'mass': 1, 'inertia': [1e-3, 1e-2, 1e-2], 'position': [0.15, 0, 0]},"
        "{'name': 'b', 'mass': 2, 'inertia': [1e-3, 1e-2, 1e-2], 'position': [0.45, 0, 0], 'angular_velocity': [0, 1, "
        "0]}],"
        "'joints': [{'name': 'j', 'type': 'revolute', 'body_b': 'a', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"
        "{'name': 'k', 'type': 'revolute', 'body_a': 'a', 'body_b': 'b', 'point': [0.3, 0, 0], 'axis': [0, 1, 0]},"
        "{'name': 's', 'type': 'limit', 'joint': 'k', 'limits': [-0.4, 0.2]},"
        "{'name': 'f', 'type': 'brake', 'joint': 'k', 'limit': 0.3}],"
        "'forces': [{'name': 'd', 'type': 'spring', 'joint': 'j', 'stiffness': 0, 'damping': 0.5, 'reference': 0}],"
        "'outputs': ['k.coordinate', 's.case', 'f.case', 'k.coordinate_velocity'], 'simulation': {'t_end': 2, 'h': "
        "0.002}}";
    static const char *const method[] = {"formulation=ggl", "integrator=bdf", "integrator=rk"};
    (void)state;
    for (size_t i = 0; i < LEN(method); ++i) {
        check_model r = start(text, method[i], i == 2 ? FINE : NULL, i == 2 ? FINER : NULL);
        check_model_run(&r, 0.7);
        assert_near(r.y[0], 0.2, 1e-12);
        assert_true(r.y[2] > 0.0 && r.y[3] == 2.0);
        check_model_run(&r, 0.8); // the stop would pull
        assert_near(r.y[0], 0.2, 1e-12);
        check_model_run(&r, 2.0);
        double slip = 0.0, stick = 0.0;
        for (int k = 0; slip < 0.8 && slip >= 0.0; ++k) {
            slip = check_model_happens(&r, DAL_CONTACT_SLIP, k);
        }
        for (int k = 0; stick < 1.0 && stick >= 0.0; ++k) {
            stick = check_model_happens(&r, DAL_CONTACT_STICK, k);
        }
        assert_near(slip, 0.8474271, i == 2 ? 1e-6 : 1e-3);
        assert_near(stick, 1.1014942, i == 2 ? 1e-6 : 1e-3);
        int n;
        (void)dal_sim_contact_events(r.sim, &n);
        assert_true(n < 40 && dal_sim_contact_totals(r.sim).least_gap > -1e-12);
        check_model_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_socket_stops_a_spin),
        cmocka_unit_test(a_socket_holds_a_pendulum),
        cmocka_unit_test(sliding_ends_on_time_with_large_steps),
        cmocka_unit_test(a_bearing_stops_a_rotor),
        cmocka_unit_test(a_slider_sticks_below_its_angle_of_friction),
        cmocka_unit_test(a_pendulum_stops_in_its_bearing),
        cmocka_unit_test(a_guide_makes_stick_slip),
        cmocka_unit_test(a_freewheel_drives_forwards),
        cmocka_unit_test(a_ratchet_holds_the_last_tooth),
        cmocka_unit_test(a_ratchet_counts_turns),
        cmocka_unit_test(a_stop_holds_where_a_brake_sticks),
        cmocka_unit_test(stops_that_nothing_presses_stay_closed),
        cmocka_unit_test(captured_impacts_refuse_it),
        cmocka_unit_test(friction_settles_where_forces_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
