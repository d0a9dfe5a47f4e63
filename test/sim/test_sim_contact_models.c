/* Built-in models with contacts, outputs of contacts, and more cases with references of many digits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/modes.h"
#include "dalembert/static.h"
#include "support/check.h"
#include "support/check_model.h"

static check_model start(const char *source, const char *a, const char *b, const char *c)
{
    const char *const set[] = {a, b, c};
    return check_model_start(source, set, 3);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* A mass on a spring on a rough floor: every output of its contact has a closed form. */
static void outputs_of_a_contact(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'o', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'position': [1, 0, 0]}],"
        "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'mu': 0.1}],"
        "'forces': [{'name': 's', 'type': 'spring', 'body_b': 'm', 'coordinate': 'translation_x', 'stiffness': 10,"
        "'reference': 0, 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}],"
        "'outputs': ['f.gap', 'f.slip', 'f.p_n', 'f.p_t', 'f.case', 'f.impulse', 'f.slip_path', 'f.stick_time',"
        "'dissipated_energy', 'm.velocity.x'], 'simulation': {'t_end': 6, 'h': 0.01}}";
    static const char *const method[] = {"integrator=rk", "integrator=genalpha"};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double tol = i == 0 ? 1e-8 : 1e-3;
        check_model r = start(text, method[i], i == 0 ? "step_rtol=1e-12" : NULL, i == 0 ? "step_atol=1e-13" : NULL);
        check_model_run(&r, 0.7);
        assert_near(r.y[0], 0.0, 1e-14);
        assert_near(r.y[1], fabs(r.y[9]), 1e-14);
        assert_near(r.y[2], 9.81, 1e-12);
        assert_near(r.y[3], 0.981, 1e-12);
        assert_near(r.y[4], 1.0, 0.0); // slides
        check_model_run(&r, 5.96729413289805);
        assert_near(r.y[1], 0.0, 1e-14);
        assert_near(r.y[3], 0.19, tol);
        assert_near(r.y[4], 2.0, 0.0); // sticks
        assert_near(r.y[5], 0.0, 0.0);
        assert_near(r.y[6], 4.998195 / 0.981, tol);
        assert_near(r.y[7], 1.0, tol);
        assert_near(r.y[8], 4.998195, tol);
        check_model_free(&r);
    }
}

/* Gap, impulses and case of a ball in the air and at rest; a stop has a torque. Captured impacts have the same outputs. */
static void outputs_of_impacts(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'b', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'm', 'type': 'point', 'mass': 2, 'position': [0, 0, 1]}],"
        "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'restitution': 0.5}], 'outputs': ['f.gap', 'f.p_n', 'f.case', 'f.impulse'], 'simulation': {'t_end': 3, 'h': "
        "0.001}}";
    const double t0 = sqrt(2.0 / 9.81), v0 = 9.81 * t0;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        check_model r = start(text, i == 0 ? "impacts=located" : "impacts=captured", NULL, NULL);
        check_model_run(&r, 0.4);
        assert_near(r.y[0], 1.0 - 0.5 * 9.81 * 0.16, i == 0 ? 1e-12 : 1e-3);
        assert_near(r.y[1], 0.0, 0.0);
        assert_near(r.y[2], 0.0, 0.0);
        assert_near(r.y[3], 0.0, 0.0);
        check_model_run(&r, 0.8);
        assert_near(r.y[3], 3.0 * v0, i == 0 ? 1e-10 : 0.05);
        check_model_run(&r, 3.0);
        assert_near(r.y[0], 0.0, 1e-10);
        assert_near(r.y[1], 19.62, 1e-9);
        assert_near(r.y[2], 1.0, 0.0);
        // what is left out where flights become shorter than a step is small
        assert_near(r.y[3], 2.0 * v0 * 1.5 / (1.0 - 0.5), i == 0 ? 0.05 : 0.4);
        check_model_free(&r);
    }
}

/* ---- references ------------------------------------------------------------------------------- */

/* The pendulum of test_sim_contact with its rod as a joint and its stop as a wall; the joint holds to rounding on both levels. */
static void a_pendulum_hits_a_wall(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'p', 'gravity': [0, -9.81, 0],"
        "'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'position': [1, 0, 0]}],"
        "'joints': [{'name': 'plane', 'type': 'generic', 'body_b': 'm', 'locked': ['z']},"
        "{'name': 'rod', 'type': 'distance', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]},"
        "{'name': 'wall', 'type': 'contact', 'body_b': 'm', 'frame_a': {'position': [0, 0, 0], 'axis': [1, 0, 0]},"
        "'frame_b': [0, 0, 0], 'restitution': 0.8}],"
        "'outputs': ['m.position', 'm.velocity'], 'simulation': {'t_end': 6, 'h': 0.01}}";
    static const char *const h[] = {"h=0.02", "h=0.01", "h=0.005"};
    static const double size[] = {0.02, 0.01, 0.005};
    double err[3];
    (void)state;
    for (int k = 0; k < 3; ++k) {
        check_model r = start(text, h[k], NULL, NULL);
        check_model_run(&r, 6.0);
        double position, velocity;
        check_ok(r.ctx, dal_sim_residuals(r.sim, &position, &velocity));
        assert_near(position, 0.0, 1e-14);
        assert_near(velocity, 0.0, 1e-11);
        assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-12);
        err[k] = fabs(atan2(r.y[0], -r.y[1]) - 0.18230948903390548);
        check_model_free(&r);
    }
    check_slopes(size, err, 3, 2.0, 0.3);
    check_model r = start(text, "integrator=rk", "step_rtol=1e-12", "step_atol=1e-13");
    check_model_run(&r, 6.0);
    assert_near(atan2(r.y[0], -r.y[1]), 0.18230948903390548, 1e-10);
    check_model_free(&r);
}

/* An elastic bar of point masses hits a wall: until the wave comes back the wall feels v sqrt(EA rho A), then the bar leaves. */
static void a_bar_hits_a_wall(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'bar', 'variables': {'N': 40},"
        "'bodies': [{'repeat': 'i', 'from': 0, 'to': 'N', 'items': [{'name': 'p{i}', 'type': 'point',"
        "'mass': '1/N - max(0, 1 - i)/(2*N) - max(0, i - N + 1)/(2*N)', 'position': ['0.05 + i/N', 0, 0],"
        "'velocity': [-0.1, 0, 0]}]}],"
        "'joints': [{'name': 'wall', 'type': 'contact', 'body_b': 'p0', 'frame_a': {'position': [0, 0, 0],"
        "'axis': [1, 0, 0]}, 'frame_b': [0, 0, 0]}],"
        "'forces': [{'repeat': 'i', 'to': 'N', 'items': [{'name': 's{i}', 'type': 'spring', 'body_a': 'p{i - 1}',"
        "'body_b': 'p{i}', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'stiffness': 'N', 'reference': '1/N'}]}],"
        "'outputs': ['wall.p_n', 'momentum.x', 'energy', 'wall.impulse'], 'simulation': {'t_end': 3, 'h': '1/80'}}";
    (void)state;
    static const char *const set[][2] = {{"N=40", "h=0.0125"}, {"N=160", "h=0.003125"}};
    double left[2];
    for (int k = 0; k < 2; ++k) {
        check_model r = start(text, set[k][0], set[k][1], NULL);
        double sum = 0.0;
        for (int i = 0; i < 120; ++i) {
            check_model_run(&r, 0.8 + 0.01 * i);
            assert_near(r.y[0], 0.1, k == 0 ? 4e-3 : 2e-3); // waves of single masses
            sum += r.y[0] / 120.0;
        }
        assert_near(sum, 0.1, 1e-4);
        check_model_run(&r, 3.0);
        assert_near(r.y[0], 0.0, 0.0);
        assert_near(r.y[2], 0.005, 0.02 * 0.005); // but for the first mass, which stops
        left[k] = fabs(r.y[1] - 0.1);
        int n, touch = 0, lift = 0;
        const dal_contact_event *event = dal_sim_contact_events(r.sim, &n);
        for (int i = 0; i < n; ++i) {
            touch += event[i].what == DAL_CONTACT_TOUCH && fabs(event[i].t - 0.5) < 1e-7;
            lift += event[i].what == DAL_CONTACT_LIFT && fabs(event[i].t - 2.5) < 0.2;
        }
        assert_int_equal(n, 3); // an impact, then closed throughout: no chatter
        assert_int_equal(touch, 1);
        assert_int_equal(lift, 1);
        check_model_free(&r);
    }
    assert_true(left[0] < 3e-3 && left[1] < 0.6 * left[0]); // of the discrete bar
}

/* ---- rest and small motions ------------------------------------------------------------------- */

static void rest_of(check_model *r)
{
    double q[64], v[64], la[64];
    dal_static_report report;
    dal_data *data;
    memcpy(q, dal_model_q0(r->model), (size_t)r->sys->group->nq * sizeof *q);
    memset(v, 0, sizeof v);
    check_ok(r->ctx, dal_data_create(&data, r->ctx, r->sys));
    check_ok(r->ctx, dal_static_solve(r->ctx, r->sys, data, q, v, la, &report, 0.0, NULL));
    assert_true(report.converged && report.stable);
    const double zero[64] = {0.0};
    check_ok(r->ctx, dal_model_outputs(r->model, data, r->y, &(dal_point){0.0, q, zero, zero, la}));
    dal_data_destroy(data);
}

/* A box that hangs in the air, tilted, comes to rest on a face; springs draw it to its place there. */
static void a_box_rests_on_its_face(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'o', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 0, 0.4],"
        "'rotation': {'axis': [1, 2, 0], 'angle': 0.3}}],"
        "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape': 'box', 'size': [0.2, 0.2, 0.2], 'mu': 0.5}],"
        "'forces': [{'name': 's', 'type': 'cartesian', 'body_b': 'm', 'stiffness': [10, 20, 0], 'frame_a': [0.4, 0, "
        "0], 'frame_b': [0, 0, 0]}],"
        "'outputs': ['m.position', 'm.matrix', 'f.gap', 'f.p_n'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    (void)state;
    check_model r = start(text, NULL, NULL, NULL);
    rest_of(&r);
    assert_all_near(r.y, ((const double[]){0.4, 0.0, 0.1}), 3, 1e-9);
    assert_near(r.y[11], 1.0, 1e-12);
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        assert_true(r.y[12 + k] > -1e-10);
        assert_true(r.y[20 + k] > -1e-9);
        assert_near(r.y[12 + k] * r.y[20 + k], 0.0, 1e-9);
        sum += r.y[20 + k];
    }
    assert_near(sum, 9.81, 1e-9);
    check_model_free(&r);
}

/* What rattles from corner to corner of an edge, or from end to end, ever faster, and rolls on meanwhile: both corners stick at last, though
 * one could carry all the friction; one end comes to rest within less than a step resolves. They end on a face and on the side. */
static void what_rattles_comes_to_rest(void **state)
{
    static const struct {
        const char *text;
        double height, weight;
    } cases[] = {{"{'dalembert': 1, 'name': 'o', 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'b', 'mass': "
                  "1.9107901713938844, 'inertia': [0.004060501956512788, 0.010080321768403655, "
                  "0.008222818827809944], 'position': [0, 0, 0.15137226240730936], 'rotation': {'axis': "
                  "[0.5779715741015627, -0.621824523984313, 0.4050976134727593], 'angle': 1.7944044914394444}, "
                  "'velocity': [0.15612280479850826, -0.13496978468196427, 0.05431036739994699], "
                  "'angular_velocity': [-0.816530020538415, 0.17285965158954575, 0.004494407932545852]}], "
                  "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], "
                  "'frame_b': [0, 0, 0], 'shape': 'box', 'mu': 0.6167040580812585, 'restitution': 0, 'size': "
                  "[0.21147759053939919, 0.08317183386719114, 0.13631912378635536]}], 'forces': [{'name': "
                  "'air', 'type': 'drag', 'body': 'b', 'damping': 1.9107901713938844}], 'outputs': ['energy', "
                  "'kinetic_energy', 'b.position'], 'simulation': {'t_end': 2.0, 'h': 0.002, 'impacts': "
                  "'located'}}",
                  0.10573879526969960, 1.9107901713938844},
                 {"{'dalembert': 1, 'name': 'o', 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'b', 'mass': "
                  "1.798002097255687, 'inertia': [0.006667821052675253, 0.006667821052675253, "
                  "0.002831999645356347], 'position': [0, 0, 0.2661469874548954], 'rotation': {'axis': "
                  "[0.025039091084569032, 0.27943487805845413, 0.06262565081272742], 'angle': "
                  "2.2033135167497244}, 'velocity': [-0.8674696189663486, 0.4995598731899753, "
                  "0.5458810461882684], 'angular_velocity': [3.773035424458148, 2.438824346506979, "
                  "-2.6135918512679126]}], 'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'b', "
                  "'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'shape': 'capsule', 'mu': 0.6383210011677776, "
                  "'restitution': 0, 'radius': 0.059162326442698296, 'length': 0.10076828520317535}], "
                  "'forces': [{'name': 'air', 'type': 'drag', 'body': 'b', 'damping': 1.798002097255687}], "
                  "'outputs': ['energy', 'kinetic_energy', 'b.position'], 'simulation': {'t_end': 2.0, 'h': "
                  "0.002, 'impacts': 'located'}}",
                  0.059162326442698296, 1.798002097255687}};
    (void)state;
    for (size_t k = 0; k < LEN(cases); ++k) {
        check_model r = start(cases[k].text, NULL, NULL, NULL);
        double last = INFINITY, rise = -INFINITY;
        for (int i = 1; i <= 1000; ++i) {
            check_model_run(&r, 0.002 * i);
            rise = fmax(rise, r.y[0] - last);
            last = r.y[0];
        }
        assert_true(rise < 1e-9);
        assert_near(r.y[4], cases[k].height, 1e-10);
        assert_near(r.y[0] - r.y[1], 9.81 * cases[k].weight * cases[k].height, 1e-9);
        assert_true(r.y[1] < (k == 0 ? 1e-20 : 1e-2)); // the capsule still rolls
        assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
        check_model_free(&r);
    }
}

/* A weight on a spring and a rope: the rope is slack where the spring carries all, and takes the rest where it is too short. */
static void a_rope_carries_what_a_spring_leaves(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'w', 'gravity': [0, 0, -9.81], 'variables': {'L': 1},"
        "'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'position': [0, 0, -0.5]}],"
        "'joints': [{'name': 'guide', 'type': 'generic', 'body_b': 'm', 'locked': ['x', 'y']},"
        "{'name': 'rope', 'type': 'rope', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'length': 'L'}],"
        "'forces': [{'name': 's', 'type': 'spring', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'stiffness': 20, 'reference': 0.5}],"
        "'outputs': ['m.position.z', 'rope.p_n', 'rope.gap'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    (void)state;
    check_model r = start(text, NULL, NULL, NULL);
    rest_of(&r);
    assert_near(r.y[0], -0.9905, 1e-10);
    assert_near(r.y[1], 0.0, 1e-12);
    assert_near(r.y[2], 0.0095, 1e-10);
    check_model_free(&r);
    r = start(text, "L=0.8", NULL, NULL);
    rest_of(&r);
    assert_near(r.y[0], -0.8, 1e-10);
    assert_near(r.y[1], 9.81 - 20.0 * 0.3, 1e-9);
    check_model_free(&r);
}

/* ---- models ----------------------------------------------------------------------------------- */

/* It stands on its head after two seconds, and friction leaves the product of the angular momentum and the way from the
 * centre of mass to the point of contact (Jellett). */
static void a_tippe_top_turns_over(void **state)
{
    const double m = 0.02, R = 0.02, offset = 0.25 * R, I = 0.4 * m * R * R;
    double first = 0.0;
    (void)state;
    check_model r = start("tippe_top", "step_rtol=1e-9", NULL, NULL);
    check_model_run(&r, 0.0);
    assert_near(r.y[3], cos(0.1), 1e-12);
    for (double t = 0.0; t <= 4.0; t += 0.25) {
        check_model_run(&r, t);
        double y[3], way[3];
        // the axis of the body: by its centre of mass, which lies offset below the centre of the sphere
        const dal_state s = dal_sim_state(r.sim);
        const double *p = s.q + 3;
        y[0] = 2.0 * (p[1] * p[3] + p[0] * p[2]);
        y[1] = 2.0 * (p[2] * p[3] - p[0] * p[1]);
        y[2] = 1.0 - 2.0 * (p[1] * p[1] + p[2] * p[2]);
        assert_near(y[2], r.y[3], 1e-12);
        for (int k = 0; k < 3; ++k) {
            way[k] = offset * y[k] - (k == 2 ? R : 0.0);
        }
        const double jellett = I * (r.y[4] * way[0] + r.y[5] * way[1] + r.y[6] * way[2]);
        first = t == 0.0 ? jellett : first;
        assert_near(jellett / first, 1.0, 1e-6);
    }
    assert_true(r.y[3] < -0.9);
    assert_near(r.y[2], R - offset * r.y[3], 1e-9); // on the floor, centre of mass above
    check_model_free(&r);
}

/* Until the last one lies, impacts that are captured follow those that are located; then all rest, leaning on each other. */
static void dominoes_fall(void **state)
{
    double x[2][3];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        check_model r = start("domino", i == 0 ? "impacts=located" : "h=0.0001", NULL, NULL);
        check_model_run(&r, 0.2);
        memcpy(x[i], r.y, sizeof x[i]);
        check_model_free(&r);
    }
    assert_all_near(x[1], x[0], 3, 2e-4);
    check_model r = start("domino", NULL, NULL, NULL);
    double energy = INFINITY;
    for (double t = 0.05; t < 1.01; t += 0.05) {
        check_model_run(&r, t);
        assert_true(r.y[9] < energy + 1e-8);
        energy = r.y[9];
    }
    assert_near(check_max_abs(dal_sim_state(r.sim).v, r.sys->group->nv), 0.0, 1e-9);
    assert_near(r.y[4], 0.004, 1e-6); // the last one lies flat
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
    check_model_free(&r);
}

static void a_gripper_lifts_a_box(void **state)
{
    (void)state;
    check_model r = start("gripper", NULL, NULL, NULL);
    check_model_run(&r, 1.25);
    assert_near(r.y[1], 0.25, 1e-6);
    check_model_run(&r, 2.0);
    assert_near(r.y[1], 0.05, 1e-6);
    check_model_free(&r);
}

static dal_status keep_largest_energy(dal_sim *sim, const dal_state *now, void *user)
{
    check_model *r = user;
    double y[CHECK_OUTPUTS];
    const dal_point at = dal_sim_point(sim);
    (void)now;
    check_ok(r->ctx, dal_model_outputs(r->model, dal_sim_data(sim), y, &at));
    r->y[0] = fmax(r->y[0], y[0]);
    return DAL_OK;
}

/* A ball at the end of a blade that steps do not resolve (shear at 2e6 rad/s) falls on a floor and comes to rest there: its energy never
 * rises, and ends as that of the equilibrium on the floor. */
static void a_blade_hits_the_floor(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'d': 0}, 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'ball', 'position': [0.5, 0, 0], 'mass': 0.3, 'inertia': [1.08e-4, 1.08e-4, 1.08e-4]}],"
        "'beams': [{'name': 'blade', 'to': [0.5, 0, 0], 'elements': 3, 'order': 4, 'start': 'ground', 'end': 'ball',"
        "'section': {'rectangle': [0.02, 0.002], 'E': 7e10, 'nu': 0.3, 'density': 2700, 'damping': 'd'}}],"
        "'joints': [{'name': 'floor', 'type': 'contact', 'body_b': 'ball', 'frame_a': [0, 0, -0.08], 'frame_b':"
        "[0, 0, 0], 'radius': 0.03, 'mu': 0.2, 'restitution': 0.3}],"
        "'outputs': ['energy', 'ball.position.z'], 'simulation': {'t_end': 0.3}}";
    static const char *const method[][4] = {{"integrator=genalpha", "h=1e-3", NULL, NULL},
                                            {"integrator=genalpha", "h=3e-4", "formulation=index3", "rho_inf=0.5"},
                                            {"integrator=genalpha", "h=1e-4", "formulation=index2", "rho_inf=0"},
                                            {"integrator=genalpha", "h=1e-4", "d=1e-5", NULL},
                                            {"integrator=bdf", "h=1e-3", NULL, NULL},
                                            {"integrator=bdf", "h=1e-4", NULL, NULL},
                                            {"integrator=bdf", "h=1e-4", "d=1e-5", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof method / sizeof *method; ++i) {
        check_model r = check_model_start(text, method[i], 4);
        r.y[0] = -INFINITY;
        check_ok(r.ctx, dal_sim_observe(r.sim, keep_largest_energy, &r));
        check_ok(r.ctx, dal_sim_run(r.sim, NULL, 0.3));
        const double most = r.y[0], hit = check_model_happens(&r, DAL_CONTACT_IMPACT, 0);
        check_model_run(&r, 0.3);
        print_message("%s %s: impact at %.6f, energy at most %.1e, %.6f at the end\n", method[i][0], method[i][1], hit,
                      most, r.y[0]);
        assert_near(hit, 0.103338, 6e-5);
        assert_true(most < 1e-4);
        assert_true(r.y[0] > -0.129007 && r.y[0] < -0.1275); // -0.129006: `static`
        assert_near(r.y[1], -0.05, 1e-4);
        check_model_free(&r);
    }
}

/* ---- starts ----------------------------------------------------------------------------------- */

#define BOX                                                                                                        \
    "{'dalembert': 1, 'name': 'box', 'gravity': [0, 0, -10],"                                                      \
    "'bodies': [{'name': 'box', 'mass': 2, 'inertia': [0.01, 0.01, 0.01], 'position': [0, 0, 0.13]}],"             \
    "'joints': [{'name': 'floor', 'type': 'contact', 'body_b': 'box', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]," \
    "'shape': 'box', 'size': [0.4, 0.3, 0.2], 'mu': 0.3}],"                                                        \
    "'outputs': ['box.position', 'floor.p_n', 'energy'], 'simulation': {'initial': 'static', 'h': 0.01}}"

/* A box above a rough floor rests on the four corners of its face, stably, and a run that begins there stays. */
static void a_run_begins_on_the_floor(void **state)
{
    static const char *const method[] = {"integrator=genalpha", "integrator=lobatto", "integrator=rk",
                                         "impacts=captured"};
    static const double rests[12] = {0.0, 0.0, 0.1, 5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 0.0, 2.0};
    (void)state;
    for (size_t k = 0; k < LEN(method); ++k) {
        check_model r = start(BOX, method[k], NULL, NULL);
        for (double t = 0.0; t < 0.25; t += 0.1) {
            check_model_run(&r, t);
            assert_all_near(r.y, rests, k < 3 || t > 0.0 ? 12 : 3, 1e-9);
        }
        double q[7];
        dal_static_report report;
        memcpy(q, dal_model_q0(r.model), sizeof q);
        check_ok(r.ctx, dal_static_solve(r.ctx, r.sys, NULL, q, NULL, NULL, &report, 0.0, NULL));
        assert_int_equal(report.nnegative, 0);
        assert_int_equal(report.nindifferent, 3);
        check_model_free(&r);
    }
}

/* Velocities that a joint does not allow are moved, and that is told, be there contacts or not. */
static void what_is_moved_beside_contacts_is_told(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'rail', 'bodies': [{'name': 'm', 'type': 'point', 'mass': 2, 'velocity': [1, 0.75, "
        "0]}],"
        "'joints': [{'name': 'rail', 'type': 'generic', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], "
        "'locked': ['y', 'z']},"
        "{'name': 'wall', 'type': 'contact', 'body_b': 'm', 'frame_a': {'position': [5, 0, 0], 'axis': [-1, 0, 0]},"
        "'frame_b': [0, 0, 0]}], 'outputs': ['m.velocity'], 'simulation': {'h': 0.01}}";
    (void)state;
    check_model r = start(text, NULL, NULL, NULL);
    dal_initial_report report;
    check_ok(r.ctx, dal_sim_start(r.sim, &report, 0.0, dal_model_q0(r.model), dal_model_v0(r.model)));
    assert_near(report.velocity_residual, 0.75, 1e-14);
    assert_near(report.velocity_moved, 0.75, 1e-14);
    assert_near(report.velocity_part, 0.75, 1e-12); // of the largest velocity, 1 m/s
    check_model_free(&r);
}

/* Beside a beam, for which modes take the sparse way: a slider that lies on its stop, in the grip of a brake, holds a mass on a spring; a
 * servo has the roots of 2 s^3 + 4 s^2 + 40 s + 30. */
static void modes_beside_a_beam(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'm', 'gravity': [0, 0, -10],"
        "'beams': [{'name': 'rod', 'from': [5, 0, 0], 'to': [6, 0, 0], 'start': 'ground', 'elements': 2, 'order': 2,"
        "'section': {'circle': 0.1, 'E': 2e11, 'nu': 0.3, 'density': 7800}}],"
        "'bodies': [{'name': 'slider', 'mass': 2, 'inertia': 1}, {'name': 'load', 'mass': 3, 'inertia': 1, 'position': "
        "[0, 0, -1]},"
        "{'name': 'rotor', 'mass': 1, 'inertia': 2, 'position': [0, 2, 0]}],"
        "'joints': [{'name': 'rail', 'type': 'prismatic', 'body_b': 'slider', 'point': [0, 0, 0]},"
        "{'name': 'guide', 'type': 'prismatic', 'body_b': 'load', 'point': [0, 0, 0]},"
        "{'name': 'stop', 'type': 'limit', 'joint': 'rail', 'limits': [0, 1]},"
        "{'name': 'grip', 'type': 'brake', 'joint': 'rail', 'limit': 100},"
        "{'name': 'axle', 'type': 'revolute', 'body_b': 'rotor', 'point': [0, 2, 0]}],"
        "'forces': [{'name': 'spring', 'type': 'spring', 'body_a': 'slider', 'body_b': 'load', 'frame_a': [0, 0, 0], "
        "'frame_b': [0, 0, 0],"
        "'stiffness': 300, 'reference': 0.9}%s], 'outputs': ['energy'], 'simulation': {'initial': 'static', 'h': "
        "0.001}}";
    static const char servo[] = ", {'name': 'servo', 'type': 'pid', 'joint': 'axle', 'stiffness': 40, 'damping': 4, "
                                "'integral': 30, 'function': 0}";
    (void)state;
    for (int with = 0; with < 2; ++with) {
        char model[sizeof text + sizeof servo];
        snprintf(model, sizeof model, text, with ? servo : "");
        check_model r = start(model, NULL, NULL, NULL);
        const dal_point at = dal_sim_point(r.sim);
        dal_modal *modal;
        check_ok(r.ctx, dal_modal_create(&modal, r.ctx, r.sys, dal_sim_data(r.sim), &at, NULL));
        int spring = 0, root = 0, slow = 0;
        for (int k = 0; k < dal_modal_about(modal).n; ++k) {
            const dal_mode s = dal_modal_mode(modal, k);
            slow += s.im > 0.0 && s.im < 100.0;
            spring += fabs(s.im - 10.0) < 1e-6; // (k/m)^(1/2): nothing else gives way
            root += s.im == 0.0 && fabs(2.0 * pow(s.re, 3.0) + 4.0 * s.re * s.re + 40.0 * s.re + 30.0) < 1e-6;
        }
        assert_int_equal(spring, 1);
        assert_int_equal(root, with);
        assert_int_equal(slow, 1 + with);
        dal_modal_destroy(modal);
        check_model_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_of_a_contact),
                                       cmocka_unit_test(outputs_of_impacts),
                                       cmocka_unit_test(a_pendulum_hits_a_wall),
                                       cmocka_unit_test(a_bar_hits_a_wall),
                                       cmocka_unit_test(a_tippe_top_turns_over),
                                       cmocka_unit_test(dominoes_fall),
                                       cmocka_unit_test(a_gripper_lifts_a_box),
                                       cmocka_unit_test(a_box_rests_on_its_face),
                                       cmocka_unit_test(what_rattles_comes_to_rest),
                                       cmocka_unit_test(a_rope_carries_what_a_spring_leaves),
                                       cmocka_unit_test(a_blade_hits_the_floor),
                                       cmocka_unit_test(a_run_begins_on_the_floor),
                                       cmocka_unit_test(what_is_moved_beside_contacts_is_told),
                                       cmocka_unit_test(modes_beside_a_beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
