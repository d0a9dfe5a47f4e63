/* Beams that are pushed or pulled through a guide, or slide in a sleeve. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beam_cases.h"
#include "dalembert/modes.h"
#include "dalembert/static.h"

static const double pi = 3.14159265358979323846;

#define GUIDED(more)                                                                                                 \
    "{'dalembert': 1, 'variables': {'out': 0.6, 'rate': 0, 'n': 50}, 'functions': {'place': {'type': 'polynomial', " \
    "'coefficients': ['1 - out', '-rate']}}, 'beams': [{'name': 'b', 'to': [1, 0, 0], 'velocity': ['rate', 0, 0], "  \
    "'elements': 'n', 'order': 1, 'section': {'EA': 7e6, 'GA': 2e7, 'GJ': 50, 'EI': 58, 'rhoA': 0.27, 'rhoI': "      \
    "2e-7}, 'slides': [{'body': 'ground', 'point': ['1 - out', 0, 0], 'guide': true, 'feed': 'place'}]}]" more "}"

/* First frequency of a cantilever of the length that is out: c/L^2. */
static double cantilever(void)
{
    return pow(1.8751040687, 2.0) / (2.0 * pi) * sqrt(58.0 / 0.27);
}

/* The error falls with the square of the number of elements and does not depend on where in an element the mouth is. */
static void what_is_out_of_a_guide_is_a_cantilever(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (int k = 0; k < 12; ++k) {
        static const double lengths[] = {0.55, 0.5531, 0.5599999, 0.56, 0.5601, 0.61};
        const double L = lengths[k % 6], want = cantilever() / (L * L);
        char set[2][32];
        snprintf(set[0], sizeof set[0], "out=%.10g", L);
        snprintf(set[1], sizeof set[1], "n=%d", k < 6 ? 50 : 100);
        check_model m = check_model_start(GUIDED(""), (const char *[]){set[0], set[1]}, 2);
        const dal_point at = dal_sim_point(m.sim);
        dal_modal *modal;
        check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &at, &(dal_modal_options){.n = 2}));
        const double off = dal_modal_mode(modal, 0).frequency / want - 1.0;
        print_message("%g m: %.5f Hz, closed form %.5f, off by %.1e\n", L, dal_modal_mode(modal, 0).frequency, want,
                      off);
        worst[k / 6] = fmax(worst[k / 6], fabs(off));
        dal_modal_destroy(modal);
        check_model_free(&m);
    }
    assert_true(worst[0] < 5e-4 && worst[1] < 0.35 * worst[0]);
}

/* Pushed out at 0.25 m/s from 0.55 m on and struck at its tip, it swings ever slower: the number of swings is the integral of the
 * frequency of the length that is out, c (1/L_0 - 1/L_1)/rate with f = c/L^2. */
static void a_beam_that_is_pushed_out_swings_ever_slower(void **state)
{
    (void)state;
    check_model m = check_model_start(
        GUIDED(", 'forces': [{'name': 'blow', 'type': 'force', 'body': 'b@1', 'vector': [0, 0.5, 0], 'function': "
               "{'type': 'table', 'interpolation': 'linear', 'x': [0, 0.005, 0.01, 1], 'y': [0, 1, 0, 0]}}], "
               "'outputs': ['b@1.position', 'energy', 'drive_work', 'dissipated_energy']"),
        (const char *[]){"out=0.55", "rate=0.25", "h=0.0005"}, 3);
    const double c = cantilever(), first = 0.02, last = 0.52;
    double before = 0.0, crossing[2] = {0.0};
    int count = 0;
    for (int k = 0; k <= 1000; ++k) {
        const double t = first + 0.0005 * k;
        check_model_run(&m, t);
        assert_near(m.y[0], 1.0 + 0.25 * t, 1e-4); // the whole beam moves on
        if (k > 0 && before * m.y[1] < 0.0) {
            const double when = t - 0.0005 * m.y[1] / (m.y[1] - before);
            crossing[count > 0] = when;
            ++count;
        }
        before = m.y[1];
    }
    const double L0 = 0.55 + 0.25 * crossing[0], L1 = 0.55 + 0.25 * crossing[1],
                 swings = c * (1.0 / L0 - 1.0 / L1) / 0.25;
    print_message("%.1f swings until t = %g, %.4f from the closed form\n", 0.5 * (count - 1), last, swings);
    assert_near_rel(swings, 0.5 * (count - 1), 2e-3);
    check_model_free(&m);
}

#define MOVING(body, outputs)                                                                                         \
    "{'dalembert': 1, 'variables': {'out': 0.3, 'w': 0.5}, 'functions': {'feed': '1 - out - 0.2*t', 'turn': 'w*(1 - " \
    "cos(2*t))'}, 'bodies': [{'name': 'sleeve', 'mass': 2, 'inertia': [0.1, 0.1, 0.1]}], 'beams': [{'name': 'b', "    \
    "'to': [1, 0, 0], 'velocity': [0.2, 0, 0], 'elements': 50, 'order': 1, 'section': {'EA': 7e5, 'GA': 2e5, 'GJ': "  \
    "50, 'EI': 58, 'rhoA': 0.27, 'rhoI': 2e-5, 'damping': 1e-4}, 'slides': [{'body': '" body "', 'point': ['1 - "     \
    "out', 0, 0], 'guide': true, 'feed': 'feed'}]}], 'joints': [{'name': 'pin', 'type': 'revolute', 'body_b': "       \
    "'sleeve', 'axis': [0, 0, 1]}, {'name': 'drive', 'type': 'motion', 'joint': 'pin', 'function': 'turn'}], "        \
    "'outputs': [" outputs "]}"

/* What is damped has no strain as long as it moves on without load, whether steps end where nodes pass the mouth or not. */
static void what_moves_through_a_guide_is_free_of_force(void **state)
{
    (void)state;
    static const char *const out[] = {"out=0.3", "out=0.31", "out=0.3037"};
    for (int k = 0; k < 3; ++k) {
        check_model m = check_model_start(
            MOVING("ground", "'b@0.5.position', 'b@1.position', 'b@0.2:0.8:4.section_force', 'dissipated_energy'"),
            (const char *[]){out[k], "h=0.002", "w=0"}, 3);
        for (int i = 1; i <= 30; ++i) {
            check_model_run(&m, 0.01 * i);
            assert_all_near(m.y, ((double[]){0.5 + 0.002 * i, 0.0, 0.0, 1.0 + 0.002 * i, 0.0, 0.0}), 6, 1e-11);
            assert_all_near(m.y + 6, (double[12]){0.0}, 12, 1e-3);
        }
        assert_near(m.y[18], 0.0, 1e-9);
        check_model_free(&m);
    }
}

/* A guide on an arm that turns, out of which the beam is driven: what both drives put in is energy, or lost in damping. */
static void drives_of_a_telescoping_arm_put_in_its_energy(void **state)
{
    (void)state;
    check_model m = check_model_start(MOVING("sleeve", "'energy', 'drive_work', 'dissipated_energy'"),
                                      (const char *[]){"h=0.0005"}, 1);
    double off[2] = {0.0};
    check_model_run(&m, 0.0);
    const double start = m.y[0];
    for (int i = 1; i <= 10; ++i) {
        check_model_run(&m, 0.05 * i);
        off[0] = fmax(off[0], fabs(m.y[0] + m.y[2] - m.y[1] - start));
        off[1] = fmax(off[1], m.y[0]);
    }
    print_message("energy up to %.4f J, balance off by %.1e J\n", off[1], off[0]);
    assert_true(off[1] > 0.05 && off[0] < 3e-4);
    check_model_free(&m);
}

/* Adaptive steps of an undamped beam on an arm that turns at a constant rate: held in a guide it takes as many as clamped. Fed from the
 * start on, the force of Coriolis begins at once, and steps follow what rings from it; a feed that begins smoothly takes few but where a node
 * passes the mouth (t = 0.25). */
static void steps_follow_what_begins_at_once(void **state)
{
    (void)state;
#define ARM(beam, feed)                                                                                                \
    "{'dalembert': 1, 'functions': {'feed': '" feed "', 'turn': '0.5*t'}, 'bodies': [{'name': 'sleeve', 'mass': 2, "   \
    "'inertia': [0.1, 0.1, 0.1], 'angular_velocity': [0, 0, 0.5]}], 'beams': [{'name': 'b', " beam ", 'order': 1, "    \
    "'to': [1, 0, 0], 'angular_velocity': [0, 0, 0.5], 'section': {'EA': 7e5, 'GA': 2e5, 'GJ': 50, 'EI': 58, 'rhoA': " \
    "0.27, 'rhoI': 2e-5}}], 'joints': [{'name': 'pin', 'type': 'revolute', 'body_b': 'sleeve', 'axis': [0, 0, 1]}, "   \
    "{'name': 'drive', 'type': 'motion', 'joint': 'pin', 'function': 'turn'}], 'outputs': ['energy']}"
#define HELD                                                                                                \
    "'elements': 20, 'slides': [{'body': 'sleeve', 'point': [0.7, 0, 0], 'guide': true, 'feed': 'feed'}], " \
    "'velocity': "
    static const char *const text[] = {
        ARM("'from': [0.7, 0, 0], 'start': 'sleeve', 'elements': 6, 'velocity': [0, 0.35, 0]", "0*t"),
        ARM(HELD "[0, 0, 0]", "0.7 + 0*t"), ARM(HELD "[0.2, 0, 0]", "0.7 - 0.2*t"),
        ARM(HELD "[0, 0, 0]", "0.7 - 0.2*t^3/(t^2 + 0.0025)")};
    long steps[4], before = 0;
    for (int k = 0; k < 4; ++k) {
        check_model m =
            check_model_start(text[k], (const char *[]){"integrator=genalpha", "step=adaptive", "step_rtol=1e-4"}, 3);
        check_model_run(&m, 0.24);
        before = dal_sim_stats(m.sim).steps;
        check_model_run(&m, 0.3);
        steps[k] = dal_sim_stats(m.sim).steps;
        print_message("%ld steps, %ld of them before a node passes\n", steps[k], before);
        check_model_free(&m);
    }
    assert_true((double)steps[1] < 1.2 * (double)steps[0]);
    assert_true(steps[2] > 4 * steps[1] && steps[3] < 3 * steps[1]);
    assert_true(before < steps[1]); // of the last
}

/* A guide on a body that is free along or about an axis, or not at all but for its drive. */
#define CARRIED(joint, way)                                                                                           \
    "{'dalembert': 1, 'variables': {'vx': 0.2, 'vy': 0, 'w': 0, 'EI': 58}, 'functions': {'feed': '" way "'}, "        \
    "'bodies': [{'name': 'sleeve', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], 'velocity': [0, 'vy', 0], "                 \
    "'angular_velocity': [0, 0, 'w']}], 'beams': [{'name': 'b', 'to': [1, 0, 0], 'velocity': ['vx', 'vy', 0], "       \
    "'angular_velocity': [0, 0, 'w'], 'elements': 20, 'order': 1, 'section': {'EA': 7e5, 'GA': 2e5, 'GJ': 50, 'EI': " \
    "'EI', 'rhoA': 0.27, 'rhoI': 2e-5}, 'slides': [{'body': 'sleeve', 'point': [0.7, 0, 0], 'guide': true, 'feed': "  \
    "'feed'}]}], 'joints': [{'name': 'rail', " joint ", 'body_b': 'sleeve'}], 'outputs': ['sleeve.position', "        \
    "'b@1.position', 'sleeve.angular_velocity', 'b@0.angular_velocity', 'energy', 'drive_work']}"

/* Nothing loads it: it moves on, and so does what carries the guide, at rest or in a frame that moves, past all nodes. Reactions of
 * the joint are zero but for what stiff elements make of rounding. */
static void a_guide_on_a_joint_carries_a_beam_without_load(void **state)
{
    (void)state;
    static const char *const model[] = {CARRIED("'type': 'revolute', 'axis': [0, 0, 1]", "0.7 - 0.2*t"),
                                        CARRIED("'type': 'prismatic', 'axis': [0, 1, 0]", "0.7 - 0.2*t"),
                                        CARRIED("'type': 'prismatic', 'axis': [0, 1, 0]", "0.7 - 0.2*t")};
    for (int k = 0; k < 3; ++k) {
        const double vy = k == 2 ? 1.5 : 0.0;
        check_model m = check_model_start(model[k], (const char *[]){"h=0.001", k == 2 ? "vy=1.5" : "vy=0"}, 2);
        for (int i = 1; i <= 10; ++i) {
            const double t = 0.1 * i;
            check_model_run(&m, t);
            assert_all_near(m.y, ((double[]){0.0, vy * t, 0.0, 1.0 + 0.2 * t, vy * t, 0.0}), 6, 1e-9);
        }
        check_model_free(&m);
    }
}

/* Pushed out of a sleeve that is free along the beam, it pushes that back: their centre of mass stays. */
static void a_beam_pushes_its_sleeve_back(void **state)
{
    (void)state;
    check_model m = check_model_start(CARRIED("'type': 'prismatic', 'axis': [1, 0, 0]", "0.7 - 0.2*t*t^2/(0.2 + t^2)"),
                                      (const char *[]){"h=0.001", "vx=0"}, 2);
    for (int i = 1; i <= 10; ++i) {
        const double t = 0.1 * i, out = 0.2 * t * t * t / (0.2 + t * t), back = -0.27 / 2.27 * out;
        check_model_run(&m, t);
        assert_all_near(m.y, ((double[]){back, 0.0, 0.0, 1.0 + out + back, 0.0, 0.0}), 6, 1e-6);
    }
    check_model_free(&m);
}

/* Pushed out of an arm that turns freely, a stiff one slows it down as the angular momentum asks for: of the arm, and of a rod with
 * the nodes of the beam as points. What it takes from the energy is the work of the feed. */
static void a_beam_that_leaves_a_free_arm_slows_it_down(void **state)
{
    (void)state;
    check_model m = check_model_start(CARRIED("'type': 'revolute', 'axis': [0, 0, 1]", "0.7 - 0.2*t"),
                                      (const char *[]){"h=0.0001", "w=1", "EI=5.8e4"}, 3);
    double start = 0.0, J0 = 0.0;
    for (int i = 0; i <= 6; ++i) {
        const double t = 0.05 * i, out = 0.2 * t;
        double J = 0.1 + 2e-5;
        for (int k = 0; k <= 20; ++k) {
            const double r = 0.05 * k + out;
            J += 0.27 * (k % 20 == 0 ? 0.025 : 0.05) * r * r;
        }
        check_model_run(&m, t);
        start = i == 0 ? m.y[12] - m.y[13] : start;
        J0 = i == 0 ? J : J0;
        print_message("%.7f rad/s, off by %.1e, energy by %.1e\n", m.y[8], m.y[8] - J0 / J, m.y[12] - m.y[13] - start);
        assert_near(m.y[8], J0 / J, 5e-5);
        assert_near(m.y[12] - m.y[13], start, 3e-6);
    }
    check_model_free(&m);
}

/* P at the end of a beam in a guide: the moment falls from the mouth to the end, also in the element that the guide takes apart, and what
 * is behind the mouth carries nothing. */
static void a_guide_carries_the_moment_of_what_is_out(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        check_model m = check_model_start(
            GUIDED(", 'forces': [{'name': 'load', 'type': 'force', 'body': 'b@1', 'vector': [0, 0.01, 0]}], 'outputs': "
                   "['b@0.443:0.457:8.section_moment']"),
            (const char *[]){k == 0 ? "out=0.551" : "out=0.549"}, 1);
        const dal_state s = dal_sim_state(m.sim);
        double q[500];
        memcpy(q, s.q, (size_t)m.sys->group->nq * sizeof *q);
        check_ok(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, q, NULL, NULL, NULL, 0.0, NULL));
        check_ok(m.ctx, dal_sim_start(m.sim, NULL, 0.0, q, NULL));
        check_model_run(&m, 0.0);
        for (int i = 0; i < 8; ++i) {
            const double place = 0.443 + 0.002 * i, mouth = k == 0 ? 0.449 : 0.451;
            if (fabs(place - mouth) > 1e-6) {
                assert_near(m.y[3 * i + 2], place < mouth ? 0.0 : 0.01 * (1.0 - place), 1e-7);
            }
        }
        check_model_free(&m);
    }
}

/* Under P at the end the node that passes the mouth begins to turn there, by what its distance from the mouth bends: in the part of an
 * element in which it is held it gives way gradually, neither side of it jumps. */
static void a_node_passes_the_mouth_without_a_jump(void **state)
{
    (void)state;
    static const double z[] = {-2.0, -1.0, -0.5, -1e-6, 1e-6, 0.5, 1.0, 2.0};
    double turn[8];
    for (int k = 0; k < 8; ++k) {
        char set[32];
        snprintf(set, sizeof set, "out=%.15g", 0.56 + 2e-6 * z[k]);
        check_model m = check_model_start(
            GUIDED(", 'forces': [{'name': 'load', 'type': 'force', 'body': 'b@1', 'vector': [0, 1, 0]}]"),
            (const char *[]){set}, 1);
        const dal_state s = dal_sim_state(m.sim);
        double q[500];
        memcpy(q, s.q, (size_t)m.sys->group->nq * sizeof *q);
        check_ok(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, q, NULL, NULL, NULL, 0.0, NULL));
        turn[k] = 2.0 * q[7 * 22 + 6] / (0.56 * 2e-6 / 58.0);
        print_message("%g of the length that holds it: turned by %.4f\n", z[k], turn[k]);
        check_model_free(&m);
    }
    assert_all_near(turn, ((double[]){0.0, 0.0, 0.1035, 0.5, 0.5, 0.8965, 1.0, 2.0}), 8, 2e-3);
}

/* A sleeve of two points that turns with 2 rad/s, and a beam that slides in it as it likes: a stiff one flies out like r cosh(2 t); of
 * any one the energy is what the drive has put in. */
#define SLEEVE                                                                                                        \
    "{'dalembert': 1, 'variables': {'EI': 5.8e5}, 'functions': {'turn': {'type': 'polynomial', 'coefficients': [0, "  \
    "2]}}, 'bodies': [{'name': 'hub', 'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'angular_velocity': [0, 0, 2]}], "    \
    "'beams': [{'name': 'b', 'from': [-0.3, 0, 0], 'to': [0.7, 0, 0], 'elements': 20, 'order': 1, 'velocity': [0, "   \
    "-0.6, 0], 'angular_velocity': [0, 0, 2], 'section': {'EA': 7e6, 'GA': 2e7, 'GJ': 50, 'EI': 'EI', 'rhoA': 0.27, " \
    "'rhoI': 2e-7}, 'slides': [{'body': 'hub', 'point': [-0.05, 0, 0]}, {'body': 'hub', 'point': [0.05, 0, 0]}]}], "  \
    "'joints': [{'name': 'shaft', 'type': 'revolute', 'body_b': 'hub', 'axis': [0, 0, 1]}, {'name': 'drive', "        \
    "'type': 'motion', 'joint': 'shaft', 'function': 'turn'}], 'outputs': ['b@0.5.position', 'energy', "              \
    "'drive_work'], 'simulation': {'h': 2e-4}}"

static void a_beam_flies_out_of_a_turning_sleeve(void **state)
{
    (void)state;
    check_model stiff = check_model_start(SLEEVE, NULL, 0),
                soft = check_model_start(SLEEVE, (const char *[]){"EI=5"}, 1);
    check_model_run(&soft, 1e-3);
    const double start = soft.y[3] - soft.y[4];
    for (int k = 1; k <= 4; ++k) {
        const double t = 0.1 * k, r = 0.2 * cosh(2.0 * t);
        check_model_run(&stiff, t);
        check_model_run(&soft, t);
        print_message("off by %.1e, energy by %.1e\n", hypot(stiff.y[0], stiff.y[1]) - r,
                      soft.y[3] - soft.y[4] - start);
        assert_all_near(stiff.y, ((double[]){r * cos(2.0 * t), r * sin(2.0 * t), 0.0}), 3, 5e-8);
        assert_near(soft.y[3] - soft.y[4], start, 2e-8);
    }
    assert_true(hypot(soft.y[0], soft.y[1]) < hypot(stiff.y[0], stiff.y[1]) - 1e-4); // it bends in the sleeve
    check_model_free(&stiff);
    check_model_free(&soft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_out_of_a_guide_is_a_cantilever),
        cmocka_unit_test(a_beam_that_is_pushed_out_swings_ever_slower),
        cmocka_unit_test(what_moves_through_a_guide_is_free_of_force),
        cmocka_unit_test(drives_of_a_telescoping_arm_put_in_its_energy),
        cmocka_unit_test(steps_follow_what_begins_at_once),
        cmocka_unit_test(a_guide_on_a_joint_carries_a_beam_without_load),
        cmocka_unit_test(a_beam_pushes_its_sleeve_back),
        cmocka_unit_test(a_beam_that_leaves_a_free_arm_slows_it_down),
        cmocka_unit_test(a_guide_carries_the_moment_of_what_is_out),
        cmocka_unit_test(a_node_passes_the_mouth_without_a_jump),
        cmocka_unit_test(a_beam_flies_out_of_a_turning_sleeve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
