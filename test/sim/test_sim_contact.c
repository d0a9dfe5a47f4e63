/* Contacts, impacts and dry friction against closed forms and references of ten digits and more, with every integrator. */
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

static check_model finest(const char *source)
{
    return start(source, "integrator=rk", FINE, FINER);
}

/* The time, impulse and loss of impact number k. */
static const dal_contact_event *impact(const check_model *r, int k)
{
    int n;
    const dal_contact_event *event = dal_sim_contact_events(r->sim, &n);
    for (int i = 0; i < n; ++i) {
        if (event[i].what == DAL_CONTACT_IMPACT && k-- == 0) {
            return &event[i];
        }
    }
    return NULL;
}

/* ---- impacts ---------------------------------------------------------------------------------- */

/* Impact k at t_0 (1 + 2 e + .. + 2 e^k) with the impulse (1 + e) e^k v_0; the last one, number infinity, at 8.5789 s. */
static void a_ball_bounces_until_it_rests(void **state)
{
    static const char *const method[] = {"integrator=genalpha", "integrator=rk", "integrator=lobatto",
                                         "integrator=auto"};
    const double t0 = sqrt(2.0 / 9.81), v0 = sqrt(2.0 * 9.81), e = 0.9;
    for (size_t i = 0; i < LEN(method); ++i) {
        check_model r = start("bouncing_ball", method[i], NULL, NULL);
        check_model_run(&r, 10.0);
        double t = t0, flight = 2.0 * e * t0;
        for (int k = 0; k < 20; ++k) {
            assert_near(impact(&r, k)->t, t, 1e-11);
            assert_near(impact(&r, k)->P_n, (1.0 + e) * pow(e, k) * v0, 1e-10);
            t += flight;
            flight *= e;
        }
        const double touch = check_model_happens(&r, DAL_CONTACT_TOUCH, 0);
        assert_near(touch, 8.578949178728887, i == 0 ? 0.1 : 1e-6);
        assert_near(r.y[2], 0.1, 1e-15);
        assert_near(check_max_abs(r.y + 3, 3), 0.0, 1e-15);
        assert_near(r.y[8], 9.81, 1e-12);
        assert_near(dal_sim_contact_totals(r.sim).lost, 9.81, 1e-2);
        assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-12);
        check_model_free(&r);
    }
}

/* A pendulum on a stop at the bottom, as a limit of its angle. */
static const char pendulum[] =
    "{'dalembert': 1, 'name': 'p', 'gravity': [0, -9.81, 0], 'variables': {'low': 0, 'e': 0.8, 'from': 'pi/2'},"
    "'bodies': [{'name': 'p', 'type': 'planar', 'mass': 1, 'inertia': 1e-20, 'position': ['sin(from)', '-cos(from)']}],"
    "'joints': [{'name': 'pin', 'type': 'planar_revolute', 'body_b': 'p', 'point': [0, 0]},"
    "{'name': 'stop', 'type': 'limit', 'joint': 'pin', 'limits': ['low - from', 1e9], 'restitution': 'e'}],"
    "'outputs': ['pin.coordinate', 'pin.coordinate_velocity', 'stop.multipliers'],"
    "'simulation': {'t_end': 6, 'h': 0.01}}";

static void a_pendulum_hits_a_stop(void **state)
{
    static const double time[] = {0.5919604868940592, 1.6939559810917393, 2.755260561529399,
                                  3.7938298916104194, 4.818952733866888,  5.835870922098711};
    static const double impulse[] = {7.973004452526036,  6.378403562020829,  5.102722849616664,
                                     4.0821782796933315, 3.2657426237546647, 2.612594099003732};
    check_model r = finest(pendulum);
    check_model_run(&r, 6.0);
    for (int k = 0; k < 6; ++k) {
        assert_near(impact(&r, k)->t, time[k], 1e-11);
        assert_near(impact(&r, k)->P_n, impulse[k], 1e-10);
    }
    assert_near(r.y[0] + 0.5 * 3.14159265358979324, 0.18230948903390548, 1e-11);
    assert_near(r.y[1], 1.011496759925884, 1e-11);
    check_model_free(&r);
}

/* Second order through located impacts. */
static void impacts_keep_the_order(void **state)
{
    static const char *const h[] = {"h=0.02", "h=0.01", "h=0.005"};
    static const double size[] = {0.02, 0.01, 0.005};
    double err[3];
    for (int k = 0; k < 3; ++k) {
        check_model r = start(pendulum, h[k], NULL, NULL);
        check_model_run(&r, 6.0);
        err[k] = fabs(r.y[0] + 0.5 * 3.14159265358979324 - 0.18230948903390548);
        double position, velocity;
        check_ok(r.ctx, dal_sim_residuals(r.sim, &position, &velocity));
        assert_near(position, 0.0, 1e-10);
        check_model_free(&r);
    }
    check_slopes(size, err, 3, 2.0, 0.3);
}

/* Gravity presses it on a stop at 0.5 rad: the impacts accumulate, then it rests and the stop carries m g l sin(0.5). */
static void a_pendulum_comes_to_rest_on_a_stop(void **state)
{
    static const double time[] = {0.46288801421089526, 1.1530020998409707, 1.6537288531895005, 1.989628162215257,
                                  2.2018181459859645,  2.331788500011003,  2.410377755946655,  2.45766521067523};
    static const char *const method[] = {"integrator=rk", "integrator=genalpha"};
    for (int i = 0; i < 2; ++i) {
        check_model r = check_model_start(pendulum,
                                          (const char *const[]){"low=0.5", "from=1.5", "e=0.6", method[i],
                                                                i == 0 ? FINE : NULL, i == 0 ? FINER : NULL},
                                          6);
        check_model_run(&r, 4.0);
        for (int k = 0; k < 8; ++k) {
            assert_near(impact(&r, k)->t, time[k], i == 0 ? 1e-10 : 1e-3);
        }
        assert_near(check_model_happens(&r, DAL_CONTACT_TOUCH, 0), 2.528689343140347, i == 0 ? 1e-6 : 0.03);
        assert_near(r.y[0] + 1.5, 0.5, 1e-14);
        assert_near(r.y[1], 0.0, 1e-14);
        assert_near(-r.y[2], 4.703164533707231, 1e-11);
        check_model_free(&r);
    }
}

/* Impact with spin and friction that slides throughout: closed form. */
static const char sphere[] =
    "{'dalembert': 1, 'name': 's', 'gravity': [0, 0, -9.81],"
    "'variables': {'z': 0.1, 'vy': 0.5, 'wx': 3, 'wy': -2, 'wz': 4, 'mu': 0.2, 'e': 0},"
    "'bodies': [{'name': 's', 'mass': 1, 'inertia': [0.004, 0.004, 0.004], 'position': [0, 0, 'z'],"
    "'velocity': [1, 'vy', 0], 'angular_velocity': ['wx', 'wy', 'wz']}],"
    "'joints': [{'name': 'floor', 'type': 'contact', 'body_b': 's', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], "
    "'radius': 0.1,"
    "'mu': 'mu', 'restitution': 'e'}],"
    "'outputs': ['s.position', 's.velocity', 's.angular_velocity', 'floor.force'],"
    "'simulation': {'t_end': 1, 'h': 0.001}}";

static void a_spinning_sphere_bounces(void **state)
{
    static const double want[] = {1.633181064077068,   0.2961948267406552, 0.7392035620208292,
                                  3.390925646818273,   0.3316878386623351, 0.12500445252603587,
                                  -1.7078040334416231, 90.22685882954319,  0.0};
    check_model r = check_model_start(
        sphere, (const char *const[]){"z=1.1", "vy=0.4", "wx=0", "wy=150", "wz=0", "mu=0.3", "e=0.8", "h=0.01"}, 8);
    check_model_run(&r, 0.8);
    assert_all_near(r.y, want, 9, 1e-10);
    assert_near(impact(&r, 0)->t, 0.4515236409857309, 1e-13);
    assert_near(impact(&r, 0)->P_n, 7.973004452526037, 1e-11);
    assert_near(impact(&r, 0)->P_t, 2.3919013357578107, 1e-11);
    assert_near(impact(&r, 0)->lost, 27.019797919990882, 1e-9);
    check_model_free(&r);
}

/* A rod whose end touches the floor again and again, with a little friction. */
static void a_rod_bounces_on_its_end(void **state)
{
    static const char rod[] =
        "{'dalembert': 1, 'name': 'r', 'gravity': [0, -10, 0], 'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1,"
        "'inertia': '1/12', 'position': ['sqrt(0.125)', 'sqrt(0.125)'], 'rotation': 'pi/4', 'velocity': [-0.5, 0.1],"
        "'angular_velocity': 0.1}], 'joints': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'end{i}', 'type': 'contact',"
        "'body_b': 'b', 'frame_a': {'position': [0, 0, 0], 'axis': [0, 1, 0]}, 'frame_b': ['i - 1.5', 0, 0], 'mu': "
        "0.01,"
        "'restitution': 1}]}], 'outputs': ['b.position', 'b.velocity', 'b.angular_velocity'],"
        "'simulation': {'t_end': 0.2, 'h': 0.001}}";
    check_model r = finest(rod);
    check_model_run(&r, 0.2);
    assert_near(impact(&r, 0)->t, 0.012933506844055906, 1e-12);
    assert_near(impact(&r, 13)->t, 0.1968007680014501, 1e-11);
    assert_near(r.y[0], 0.25424155483896166, 1e-11);
    assert_near(r.y[1], 0.24236981516204217, 1e-11);
    assert_near(r.y[3], -0.4933369747845544, 1e-10);
    assert_near(r.y[4], -1.233697478455438, 1e-9);
    assert_near(r.y[8], -2.912857445580423, 1e-9);
    check_model_free(&r);
}

/* The tip of a double pendulum strikes the floor and slides, and friction turns its sliding round: with Newton's restitution of 0.7 it would
 * win 0.38 J. It has what leaves the energy as it was; without friction all of it, where 0.51 of the energy of the approach goes. */
static void an_impact_gives_no_energy(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'k', 'gravity': [0, -9.81, 0], 'variables': {'a': 0.1, 'b': 0.6, 'u': 1, 'w': -2.6, "
        "'mu': 0.7},"
        "'bodies': [{'name': 'up', 'type': 'planar', 'mass': 1, 'inertia': '1/12', 'position': ['sin(a)/2', "
        "'-cos(a)/2'],"
        "'rotation': 'a', 'velocity': ['u*cos(a)/2', 'u*sin(a)/2'], 'angular_velocity': 'u'},"
        "{'name': 'low', 'type': 'planar', 'mass': 1, 'inertia': '1/12', 'rotation': 'b', 'angular_velocity': 'w',"
        "'position': ['sin(a) + sin(b)/2', '-cos(a) - cos(b)/2'],"
        "'velocity': ['u*cos(a) + w*cos(b)/2', 'u*sin(a) + w*sin(b)/2']}],"
        "'joints': [{'name': 'pin', 'type': 'planar_revolute', 'body_b': 'up', 'point': [0, 0]},"
        "{'name': 'knee', 'type': 'planar_revolute', 'body_a': 'up', 'body_b': 'low', 'point': ['sin(a)', '-cos(a)']},"
        "{'name': 'floor', 'type': 'contact', 'body_b': 'low', 'frame_b': [0, -0.5, 0], 'mu': 'mu', 'restitution': 0.7,"
        "'frame_a': {'position': [0, '-cos(a) - cos(b)', 0], 'axis': [0, 1, 0]}}],"
        "'outputs': ['low.velocity', 'low.angular_velocity', 'kinetic_energy'], 'simulation': {'t_end': 0.001, 'h': "
        "0.001}}";
    const double approach = 1.0 * sin(0.1) - 2.6 * sin(0.6);
    check_model r = start(text, NULL, NULL, NULL);
    check_model_run(&r, 0.0);
    assert_near(impact(&r, 0)->lost, 0.0, 1e-12);
    assert_true(r.y[1] + 0.5 * r.y[5] * sin(0.6) > 0.1 && r.y[1] + 0.5 * r.y[5] * sin(0.6) < -0.7 * approach - 0.01);
    check_model_free(&r);
    r = start(text, "mu=0", NULL, NULL);
    check_model_run(&r, 0.0);
    assert_near(r.y[1] + 0.5 * r.y[5] * sin(0.6), -0.7 * approach, 1e-12);
    assert_near(impact(&r, 0)->lost, -0.5 * impact(&r, 0)->P_n * 0.3 * approach, 1e-12);
    check_model_free(&r);
}

/* Balls that touch obey Newton's law all at once; with gaps the impacts come one after the other. */
static void balls_in_a_row(void **state)
{
    check_model r = start("newton_cradle", "gap=0", "N=3", NULL);
    check_model_run(&r, 0.1);
    assert_all_near(r.y, ((const double[]){-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}), 3, 1e-12);
    check_model_free(&r);
    r = start("newton_cradle", "gap=0", NULL, NULL);
    check_model_run(&r, 0.1);
    assert_all_near(r.y, ((const double[]){-0.6, 0.4, 0.4, 0.4, 0.4}), 5, 1e-12);
    check_model_free(&r);
    r = start("newton_cradle", NULL, NULL, NULL);
    check_model_run(&r, 0.1);
    assert_all_near(r.y, ((const double[]){0.0, 0.0, 0.0, 0.0, 1.0}), 5, 1e-12);
    check_model_free(&r);
}

static void a_block_rocks(void **state)
{
    static const double time[] = {0.49380321507877883, 1.2974702370673399, 1.9793909311472964, 2.5707208348410884};
    static const double lost[] = {0.0381487449206101, 0.03171361926357996, 0.026364003557356436, 0.0219167884244139};
    check_model r = finest("rocking_block");
    check_model_run(&r, 3.0);
    for (int k = 0; k < 4; ++k) { // the corner that was the pivot takes part without an impulse
        assert_near(impact(&r, k)->t, time[k], 1e-9);
        assert_near(impact(&r, k)->lost, lost[k], 1e-9);
    }
    assert_near(r.y[0], 0.2213867221561408, 1e-9);
    assert_near(r.y[1], 1.006721371211014, 1e-9);
    assert_near(r.y[8], -0.24371761150088495, 1e-8);
    check_model_free(&r);
    r = start("rocking_block", NULL, NULL, NULL);
    check_model_run(&r, 3.0);
    assert_near(r.y[0], 0.2213867221561408, 3e-6);
    check_model_free(&r);
}

/* Two arms fall on the stops of their hinges, one after the other and again and again: where one lifts off while the other holds, no gap is
 * negative at the end of any step. */
static void gaps_hold_where_arms_rest_on_stops(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'arms', 'gravity': [0, 0, -9.81], 'variables': {'up': 0.41, 'down': -0.19},"
        "'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1e-3, 1e-2, 1e-2], 'position': [0.15, 0, 0]},"
        "{'name': 'b', 'mass': 1, 'inertia': [1e-3, 1e-2, 1e-2], 'position': [0.45, 0, 0]}],"
        "'joints': [{'name': 'j', 'type': 'revolute', 'body_b': 'a', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"
        "{'name': 's', 'type': 'limit', 'joint': 'j', 'restitution': 0.4, 'limits': [-0.5, 0.64]},"
        "{'name': 'k', 'type': 'revolute', 'body_a': 'a', 'body_b': 'b', 'point': [0.3, 0, 0], 'axis': [0, 1, 0]},"
        "{'name': 'u', 'type': 'limit', 'joint': 'k', 'restitution': 0.4, 'limits': ['down', 'up']}],"
        "'forces': [{'name': 'd', 'type': 'spring', 'joint': 'j', 'stiffness': 0, 'damping': 0.3, 'reference': 0},"
        "{'name': 'e', 'type': 'spring', 'joint': 'k', 'stiffness': 0, 'damping': 0.3, 'reference': 0}],"
        "'outputs': ['kinetic_energy'], 'simulation': {'t_end': 4, 'h': 0.002}}";
    static const char *const up[] = {"up=0.41", "up=0.3", "up=0.7", "up=0.15"};
    (void)state;
    for (size_t i = 0; i < LEN(up); ++i) {
        check_model r = start(text, up[i], NULL, NULL);
        check_model_run(&r, 4.0);
        const dal_contact_totals totals = dal_sim_contact_totals(r.sim);
        assert_true(totals.impacts > 5);
        assert_near(fmin(totals.least_gap, 0.0), 0.0, 1e-12);
        assert_near(r.y[0], 0.0, 1e-12);
        check_model_free(&r);
    }
}

/* Modes, directions and gaps are part of a snapshot: a run goes on from it bit for bit. */
static void a_restored_run_goes_on_bit_for_bit(void **state)
{
    static const struct {
        const char *model;
        double t, end;
    } list[] = {{"bouncing_ball", 3.0, 9.0}, {"rocking_block", 1.5, 3.0}, {"box_stack", 1.0, 2.0}};
    for (size_t k = 0; k < LEN(list); ++k) {
        check_model a = start(list[k].model, NULL, NULL, NULL), b = start(list[k].model, NULL, NULL, NULL);
        check_model_run(&a, list[k].t);
        check_model_hand_over(&a, &b);
        check_model_run(&a, list[k].end);
        check_model_run(&b, list[k].end);
        const dal_state x = dal_sim_state(a.sim), y = dal_sim_state(b.sim);
        assert_memory_equal(x.q, y.q, (size_t)a.sys->group->nq * sizeof(double));
        assert_memory_equal(x.v, y.v, (size_t)a.sys->group->nv * sizeof(double));
        check_model_free(&a);
        check_model_free(&b);
    }
}

/* Arms that rest at stops, whose loads begin at zero and pull them away: all are looked at with the same solutions, so many take no more
 * evaluations than one. Angle: (t^3 - s^3)/(6 J) from the time s where they lift on, within the first step. */
static void stops_that_open_together_share_their_evaluations(void **state)
{
    static const char fingers[] =
        "{'dalembert': 1, 'name': 'f', 'variables': {'N': 1}, 'bodies': [{'repeat': 'i', 'to': 'N', 'items': [{'name': "
        "'b{i}', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 'i', 0]}]}], 'joints': [{'repeat': 'i', "
        "'to': 'N', "
        "'items': [{'name': 'h{i}', 'type': 'revolute', 'body_b': 'b{i}', 'point': [0, 'i', 0], 'axis': [0, 1, 0]}, "
        "{'name': "
        "'s{i}', 'type': 'limit', 'joint': 'h{i}', 'limits': [0, 1]}]}], 'forces': [{'repeat': 'i', 'to': 'N', "
        "'items': "
        "[{'name': 't{i}', 'type': 'actuator', 'joint': 'h{i}', 'function': 't'}]}], 'outputs': ['h1.coordinate'], "
        "'simulation': {'t_end': 1, 'h': 0.001}}";
    static const char *const many[] = {"N=1", "N=12"};
    long evaluations[2];
    for (int k = 0; k < 2; ++k) {
        check_model r = start(fingers, many[k], "integrator=rk", NULL);
        int n;
        check_model_run(&r, 0.001);
        evaluations[k] = dal_sim_stats(r.sim).residuals;
        check_model_run(&r, 0.5);
        (void)dal_sim_contact_events(r.sim, &n);
        assert_int_equal(n, k == 0 ? 2 : 24);
        assert_true(check_model_happens(&r, DAL_CONTACT_LIFT, n / 2 - 1) <= 0.001);
        assert_near(r.y[0], 0.125 / (6.0 * 0.35), 1e-5);
        check_model_free(&r);
    }
    assert_true(evaluations[0] > 40 && evaluations[1] < 2 * evaluations[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_until_it_rests),
        cmocka_unit_test(a_pendulum_hits_a_stop),
        cmocka_unit_test(impacts_keep_the_order),
        cmocka_unit_test(a_pendulum_comes_to_rest_on_a_stop),
        cmocka_unit_test(a_spinning_sphere_bounces),
        cmocka_unit_test(a_rod_bounces_on_its_end),
        cmocka_unit_test(an_impact_gives_no_energy),
        cmocka_unit_test(balls_in_a_row),
        cmocka_unit_test(a_block_rocks),
        cmocka_unit_test(gaps_hold_where_arms_rest_on_stops),
        cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
        cmocka_unit_test(stops_that_open_together_share_their_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
