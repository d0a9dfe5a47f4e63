/* Contacts that are captured: contact groups, and contacts of joints with impacts = captured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

#define START "{'dalembert': 1, 'name': 'm', 'gravity': [0, 0, -9.81],"

static check_model start(const char *source, const char *a, const char *b)
{
    const char *const set[] = {a, b, NULL};
    return check_model_start(source, set, 3);
}

static double energy_rise(check_model *r, double t_end, double h)
{
    double last = INFINITY, rise = -INFINITY;
    for (double t = h; t < t_end + 0.5 * h; t += h) {
        check_model_run(r, t);
        rise = fmax(rise, r->y[0] - last);
        last = r->y[0];
    }
    return rise;
}

/* The ball comes to rest on the plane, without hovering, with its weight as force. */
static void a_ball_comes_to_rest(void **state)
{
    static const char *const h[] = {"h=0.004", "h=0.001"};
    for (size_t k = 0; k < LEN(h); ++k) {
        check_model r = start("bouncing_ball", "impacts=captured", h[k]);
        check_model_run(&r, 10.0);
        assert_near(r.y[2], 0.1, 1e-10);
        assert_near(check_max_abs(r.y + 3, 3), 0.0, 1e-12);
        assert_near(r.y[8], 9.81, 1e-10);
        const dal_contact_totals all = dal_sim_contact_totals(r.sim);
        assert_true(all.captured > 20 && all.unfinished == 0);
        assert_near(all.least_gap, 0.0, 1e-10); // seen, though nothing overlaps
        check_model_free(&r);
    }
}

/* A run that begins at the equilibrium stays there: contacts that carry in it are no rows of the run. */
static void what_starts_in_equilibrium_stays_there(void **state)
{
    check_model r = start("bouncing_ball", "impacts=captured", "initial=static");
    for (int k = 1; k <= 10; ++k) {
        check_model_run(&r, 0.01 * k);
        assert_near(r.y[2], 0.1, 1e-12);
        assert_near(check_max_abs(r.y + 3, 3), 0.0, 1e-12);
        assert_near(r.y[8], 9.81, 1e-10);
    }
    check_model_free(&r);
}

/* A sphere dropped with spin: closed form, impact with sliding; first order. */
static const char spin[] =
    START "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.004, 0.004, 0.004], 'position': [0, 0, 1.1],"
          "'velocity': [1, 0.4, 0], 'angular_velocity': [0, 150, 0], 'shape': {'sphere': 0.1}}],"
          "'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.3, 'restitution': 0.8}],"
          "'outputs': ['b.position', 'b.velocity'], 'simulation': {'t_end': 0.8, 'h': 0.001}}";

static void an_impact_with_friction_is_of_first_order(void **state)
{
    static const char *const h[] = {"h=0.001", "h=0.0001"};
    static const double x[] = {1.633181064077068, 0.2961948267406552, 0.7392035620208292},
                        v[] = {3.390925646818273, 0.3316878386623351, 0.12500445252603587};
    for (int k = 0; k < 2; ++k) {
        check_model r = start(spin, h[k], NULL);
        check_model_run(&r, 0.8);
        for (int i = 0; i < 3; ++i) {
            assert_near(r.y[i], x[i], k == 0 ? 8e-3 : 8e-4);
            assert_near(r.y[3 + i], v[i], k == 0 ? 2e-2 : 2e-3);
        }
        int n;
        const dal_contact_event *event = dal_sim_contact_events(r.sim, &n);
        assert_int_equal(n, 1);
        assert_near(event->P_n, 7.973004452526037, k == 0 ? 2e-2 : 2e-3);
        assert_near(event->P_t / event->P_n, 0.3, 1e-12);
        check_model_free(&r);
    }
}

/* Five spheres in a shaft, with gaps and friction: all come to rest on each other, and nothing overlaps on the way. */
static const char column[] =
    START "'variables': {'r': 0.05},"
          "'bodies': [{'repeat': 'i', 'to': 5, 'items': [{'name': 'b{i}', 'mass': 0.5, 'inertia': ['0.2*r^2', "
          "'0.2*r^2', '0.2*r^2'],"
          "'position': ['0.5*r*(i - 2*floor(i/2))', 0, '2.2*r*(i - 0.5)'], 'velocity': [0, 0, -1], 'shape': {'sphere': "
          "'r'}}]}],"
          "'contacts': [{'mu': 0.3, 'restitution': 0.3, 'planes': [[0, 0, 0],"
          "{'position': ['-1.01*r', 0, 0], 'axis': [1, 0, 0]}, {'position': ['1.52*r', 0, 0], 'axis': [-1, 0, 0]},"
          "{'position': [0, '-1.01*r', 0], 'axis': [0, 1, 0]}, {'position': [0, '1.01*r', 0], 'axis': [0, -1, 0]}]}],"
          "'outputs': ['energy', 'b1.velocity', 'b5.velocity', 'b5.position'], 'simulation': {'t_end': 1, 'h': 0.001}}";

static void a_column_of_spheres_comes_to_rest(void **state)
{
    check_model r = start(column, NULL, NULL);
    assert_true(energy_rise(&r, 1.0, 0.001) < 5e-4); // of 7.6 J: the work of moving apart
    assert_near(check_max_abs(r.y + 1, 6), 0.0, 1e-9);
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
    check_model_free(&r);
}

/* A block that slides up a rough incline and stops there, and one that swings to and fro on a rough floor: friction, which acts on the
 * mean of the velocities, gives no energy where the sliding ends or turns round. The way up is v^2/(2 g (sin + mu cos)); the swing ends
 * where its fifth half does, 1 - 10 mu m g/k. */
static const char uphill[] =
    "{'dalembert': 1, 'name': 'm', 'gravity': [-5.886, 0, -7.848]," // slope 0.6 : 0.8
    "'bodies': [{'name': 'b', 'type': 'point', 'mass': 2, 'velocity': [1.3, 0, 0]}],"
    "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'mu': "
    "0.9}],"
    "'outputs': ['energy', 'b.position.x', 'b.velocity.x'], 'simulation': {'t_end': 1, 'h': 0.004, 'impacts': "
    "'captured'}}";
static const char swing[] = START
    "'bodies': [{'name': 'b', 'type': 'point', 'mass': 1, 'position': [1, 0, 0]}],"
    "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'mu': "
    "0.1}],"
    "'forces': [{'name': 's', 'type': 'cartesian', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], "
    "'stiffness': [10, 0, 0]}],"
    "'outputs': ['energy', 'b.position.x', 'b.velocity.x'], 'simulation': {'t_end': 6, 'h': 0.01, 'impacts': "
    "'captured'}}";

static void friction_gives_no_energy_where_sliding_ends(void **state)
{
    const double way = 1.3 * 1.3 / (2.0 * (5.886 + 0.9 * 7.848));
    (void)state;
    check_model r = start(uphill, NULL, NULL);
    assert_true(energy_rise(&r, 1.0, 0.004) < 1e-12);
    assert_near(r.y[1], way, 5e-3);
    assert_near(r.y[2], 0.0, 1e-12);
    check_model_free(&r);
    r = start(swing, NULL, NULL);
    assert_true(energy_rise(&r, 6.0, 0.01) < 1e-6); // of 5 J, by the error of the method in the spring
    assert_near(r.y[1], -0.019, 1e-3);
    assert_near(r.y[2], 0.0, 1e-12);
    check_model_free(&r);
}

/* Boxes of a group fall on each other, turned and tilted, and a capsule on top: they stand, each on the face of the other. */
static void boxes_of_a_group_stand_on_each_other(void **state)
{
    static const char text[] =
        START "'bodies': [{'name': 'a', 'mass': 1, 'inertia': [4e-3, 4e-3, 4e-3], 'position': [0, 0, 0.1],"
              "'shape': {'box': [0.2, 0.2, 0.2]}},"
              "{'name': 'b', 'mass': 1, 'inertia': [4e-3, 4e-3, 4e-3], 'position': [0.03, 0.02, 0.31],"
              "'shape': {'box': [0.2, 0.2, 0.2]}, 'rotation': {'axis': [0, 0, 1], 'angle': 0.4}},"
              "{'name': 'c', 'mass': 1, 'inertia': [4e-3, 4e-3, 4e-3], 'position': [0.05, 0, 0.54],"
              "'shape': {'box': [0.2, 0.2, 0.2]}, 'rotation': {'axis': [1, 0.3, 0.1], 'angle': 0.1}},"
              "{'name': 'd', 'mass': 1, 'inertia': [4e-3, 4e-3, 1e-3], 'position': [0.05, 0, 0.72],"
              "'shape': {'capsule': [0.04, 0.3]}, 'rotation': {'axis': [0, 1, 0], 'angle': 1.6}}],"
              "'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.5, 'restitution': 0.1}],"
              "'outputs': ['energy', 'a.position.z', 'b.position.z', 'c.position.z', 'd.position.z', 'c.velocity'],"
              "'simulation': {'t_end': 1, 'h': 0.002}}";
    (void)state;
    check_model r = start(text, NULL, NULL);
    check_model_run(&r, 1.0);
    for (int i = 0; i < 3; ++i) {
        assert_near(r.y[1 + i], 0.1 + 0.2 * i, 1e-9);
    }
    assert_near(r.y[4], 0.64, 1e-9);
    assert_near(check_max_abs(r.y + 5, 3), 0.0, 1e-6);
    const long impacts = dal_sim_contact_totals(r.sim).impacts; // what rests hits nothing
    check_model_run(&r, 1.1);
    assert_int_equal(dal_sim_contact_totals(r.sim).impacts, impacts);
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
    check_model_free(&r);
}

/* Cylinders of a group: one rolls down an incline with 2/3 g sin(alpha), one that stands on its end stays there, one that is dropped with a
 * tilt wobbles and stands, too; a ball lies on top, a capsule leans on it until it has fallen. */
static void cylinders_roll_and_stand(void **state)
{
    static const char text[] =
        START "'variables': {'alpha': 0.3, 'r': 0.1, 'J': '0.5*r^2', 'K': '0.25*r^2 + 0.3^2/12'},"
              "'bodies': [{'name': 'roll', 'mass': 1, 'inertia': ['K', 'K', 'J'], 'position': ['-10 + r*sin(alpha)', "
              "0, 'r*cos(alpha)'],"
              "'rotation': {'axis': [1, 0, 0], 'angle': 'pi/2'}, 'shape': {'cylinder': ['r', 0.3]}},"
              "{'name': 'stand', 'mass': 1, 'inertia': ['K', 'K', 'J'], 'position': [0, 3, 0.15], 'shape': "
              "{'cylinder': ['r', 0.3]}},"
              "{'name': 'drop', 'mass': 1, 'inertia': ['K', 'K', 'J'], 'position': [0, 5, 0.3], 'shape': {'cylinder': "
              "['r', 0.3]},"
              "'rotation': {'axis': [1, 0.2, 0], 'angle': 0.2}},"
              "{'name': 'ball', 'mass': 1, 'inertia': ['0.4*r^2', '0.4*r^2', '0.4*r^2'], 'position': [0, 3, 0.45], "
              "'shape': {'sphere': 'r'}},"
              "{'name': 'stick', 'mass': 0.2, 'inertia': [2e-3, 2e-3, 1e-4], 'position': [0.23, 3, 0.2], 'shape': "
              "{'capsule': [0.02, 0.3]},"
              "'rotation': {'axis': [0, 1, 0], 'angle': -0.5}}],"
              "'contacts': [{'bodies': ['roll'], 'mu': 0.6, 'planes': [{'position': [-10, 0, 0], 'axis': "
              "['sin(alpha)', 0, 'cos(alpha)']}]},"
              "{'bodies': ['drop'], 'mu': 0.6, 'restitution': 0.1, 'planes': [[0, 0, 0]]}, {'bodies': ['stand', "
              "'ball', 'stick'], 'mu': 0.6, 'restitution': 0.1, 'planes': [[0, 0, 0]]}],"
              "'outputs': ['roll.velocity', 'roll.angular_velocity', 'stand.position', 'drop.velocity', "
              "'ball.position', 'ball.velocity', 'stick.velocity'],"
              "'simulation': {'t_end': 2, 'h': 0.001}}";
    (void)state;
    check_model r = start(text, NULL, NULL), fine = start(text, "h=0.0005", NULL);
    const double v = 2.0 / 3.0 * 9.81 * sin(0.3);
    check_model_run(&r, 1.0);
    check_model_run(&fine, 1.0);
    assert_near(hypot(r.y[0], r.y[2]), v, 2e-3); // impulses are of first order
    assert_near(hypot(fine.y[0], fine.y[2]), v, 1e-3);
    assert_near(check_max_abs(fine.y + 3, 3), v / 0.1, 1e-2);
    assert_near(check_max_abs(fine.y + 9, 3), 0.0, 1e-6); // on its end again
    check_model_run(&r, 3.0);
    assert_near(r.y[6], 0.0, 1e-9);
    assert_near(r.y[8], 0.15, 1e-9);
    assert_near(r.y[14], 0.4, 1e-9);                 // on top of it
    assert_near(hypot(r.y[17], r.y[20]), 0.0, 1e-6); // what is round may still roll
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
    check_model_free(&r);
    check_model_free(&fine);
}

/* Pairs that are not there, and nodes of beams, are refused by name. */
static void groups_refuse_what_they_do_not_take(void **state)
{
    static const char *const models[][2] = {
        {"{'dalembert': 1, 'name': 'm', 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'shape': "
         "{'cylinder': [1, 1]}},"
         "{'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'position': [9, 0, 0], 'shape': {'box': [1, 1, 1]}}], "
         "'contacts': [{'name': 'heap'}]}",
         "'heap': box against cylinder"},
        {"{'dalembert': 1, 'name': 'm', 'beams': [{'name': 'rope', 'to': [1, 0, 0], 'section': {'circle': 0.01, 'E': "
         "1e7, 'nu': 0.3, 'density': 1000}}],"
         "'contacts': [{'name': 'heap', 'bodies': ['rope*'], 'planes': [[0, 0, -1]]}]}",
         "'rope@0' is a node of a beam"}};
    for (size_t k = 0; k < LEN(models); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_document *doc;
        const dal_system *sys;
        char text[1024];
        snprintf(text, sizeof text, "%s", models[k][0]);
        for (char *c = text; *c != '\0'; ++c) {
            *c = *c == '\'' ? '"' : *c;
        }
        assert_int_equal(dal_document_parse(&doc, ctx, text, strlen(text), "test", NULL, 0), DAL_OK);
        assert_int_equal(dal_model_compile(dal_document_model(doc), &sys), DAL_EINVAL);
        assert_non_null(strstr(dal_ctx_message(ctx), models[k][1]));
        dal_document_destroy(doc);
        dal_ctx_destroy(ctx);
    }
}

/* Three boxes fall on each other, between them wedges that stick: impulses of many attempts. Energy falls, and the impulses obey the laws. */
static void boxes_wedge_each_other(void **state)
{
    static const char text[] = START
        "'bodies': [{'name': 'a', 'mass': 1.2482, 'inertia': [8.4598e-3, 5.417e-3, 5.6027e-3], 'position': [0.03032, "
        "-0.027452, 0.203], 'shape': {'box': [0.11093, 0.20386, 0.19943]}, 'rotation': {'axis': [0.6946, "
        "-0.27269, -0.25215], 'angle': 1.0416}, 'velocity': [-8.6459e-3, 3.7287e-3, -0.010602], "
        "'angular_velocity': [-0.058319, 0.057214, 0.047524]},"
        "{'name': 'b', 'mass': 0.68798, 'inertia': [3.9144e-3, 5.5208e-3, 5.0459e-3], 'position': [0.014549, "
        "-0.018072, 0.55369], 'shape': {'box': [0.24086, 0.1732, 0.19565]}, 'rotation': {'axis': [0.76431, "
        "-0.47265, 0.35996], 'angle': 0.53493}, 'velocity': [0.41924, 0.059083, 0.028927], "
        "'angular_velocity': [1.4333, -0.16063, 0.2262]},"
        "{'name': 'c', 'mass': 1.7096, 'inertia': [5.9614e-3, 8.1542e-3, 9.2681e-3], 'position': [-0.032104, "
        "7.8674e-3, 0.89461], 'shape': {'box': [0.20056, 0.15758, 0.13043]}, 'rotation': {'axis': [0.60096, "
        "-0.33674, 0.31598], 'angle': 0.43522}, 'velocity': [0.72925, 0.049266, 0.28059], "
        "'angular_velocity': [-0.63692, 1.1408, -0.22006]}],"
        "'contacts': [{'planes': [{'position': [0, 0, 0], 'axis': [0, 0, 1]}, {'position': [-0.6, 0, 0], 'axis': "
        "[1, 0, 0]}, {'position': [0.6, 0, 0], 'axis': [-1, 0, 0]}, {'position': [0, -0.6, 0], 'axis': [0, 1, 0]}, "
        "{'position': [0, 0.6, 0], 'axis': [0, -1, 0]}], 'mu': 0.79287, 'restitution': 0.3}],"
        "'forces': [{'type': 'drag', 'name': 'da', 'body': 'a', 'damping': 1.2482}, {'type': 'drag', 'name': "
        "'db', 'body': 'b', 'damping': 0.68798}, {'type': 'drag', 'name': 'dc', 'body': 'c', 'damping': 1.7096}],"
        "'outputs': ['energy'], 'simulation': {'t_end': 1, 'h': 0.002}}";
    (void)state;
    check_model r = start(text, NULL, NULL);
    assert_true(energy_rise(&r, 0.7, 0.002) < 0.0);
    assert_near(dal_sim_contact_totals(r.sim).complementarity, 0.0, 1e-6);
    check_model_free(&r);
}

/* A chain with joints falls on a floor: joints hold at both levels. */
static const char chain[] =
    START "'bodies': [{'repeat': 'i', 'to': 6, 'items': [{'name': 'b{i}', 'mass': 0.2, 'inertia': [1e-4, 1e-4, 1e-4],"
          "'position': ['0.1*i', 0, '0.3 + 0.02*i'], 'shape': {'sphere': 0.03}}]}],"
          "'joints': [{'repeat': 'i', 'from': 2, 'to': 6, 'items': [{'name': 'j{i}', 'type': 'spherical', 'body_a': "
          "'b{i - 1}',"
          "'body_b': 'b{i}', 'point': ['0.1*i - 0.05', 0, '0.29 + 0.02*i']}]}],"
          "'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.4, 'restitution': 0.2}],"
          "'outputs': ['energy', 'j2.force'], 'simulation': {'t_end': 1, 'h': 0.002}}";

static void joints_hold_beside_contacts(void **state)
{
    check_model r = start(chain, NULL, NULL);
    double position, velocity;
    check_model_run(&r, 1.0);
    check_ok(r.ctx, dal_sim_residuals(r.sim, &position, &velocity));
    assert_near(position, 0.0, 1e-11);
    assert_near(velocity, 0.0, 1e-8);
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-11);
    check_model_free(&r);
}

/* Impulses that the next step begins with are in snapshots. */
static void a_snapshot_goes_on_bit_for_bit(void **state)
{
    check_model a = start(column, NULL, NULL), b = start(column, NULL, NULL);
    check_model_run(&a, 0.3);
    const size_t size = dal_sim_snapshot_size(a.sim);
    void *room = malloc(size);
    check_ok(a.ctx, dal_sim_save(a.sim, room, size));
    check_ok(b.ctx, dal_sim_restore(b.sim, room, size));
    free(room);
    check_model_run(&a, 0.5);
    check_model_run(&b, 0.5);
    assert_memory_equal(a.y, b.y, 10 * sizeof(double));
    check_model_free(&a);
    check_model_free(&b);
}

/* Two bodies slide on the same floor with different friction: v^2/(2 mu g) until they rest. */
static void materials_differ(void **state)
{
    static const char text[] = "{'dalembert': 1, 'name': 'm', 'gravity': [0, 0, -9.81], 'bodies': ["
                               "{'name': 'ice', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 0, 0.1], 'velocity': "
                               "[1, 0, 0], 'shape': {'box': [0.2, 0.2, 0.2]}},"
                               "{'name': 'wood', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 5, 0.1], 'velocity': "
                               "[1, 0, 0], 'shape': {'box': [0.2, 0.2, 0.2]}}],"
                               "'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.5, 'apart': true, 'pairs': [{'a': "
                               "['ic*'], 'b': ['ground'], 'mu': 0.1}]}],"
                               "'outputs': ['ice.position', 'wood.position'], 'simulation': {'t_end': 2, 'h': 0.001}}";
    (void)state;
    check_model r = check_model_start(text, NULL, 0);
    check_model_run(&r, 2.0);
    assert_near(r.y[0], 1.0 / (2.0 * 0.1 * 9.81), 2e-3);
    assert_near(r.y[3], 1.0 / (2.0 * 0.5 * 9.81), 2e-3);
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_comes_to_rest),
        cmocka_unit_test(what_starts_in_equilibrium_stays_there),
        cmocka_unit_test(an_impact_with_friction_is_of_first_order),
        cmocka_unit_test(a_column_of_spheres_comes_to_rest),
        cmocka_unit_test(friction_gives_no_energy_where_sliding_ends),
        cmocka_unit_test(boxes_of_a_group_stand_on_each_other),
        cmocka_unit_test(boxes_wedge_each_other),
        cmocka_unit_test(cylinders_roll_and_stand),
        cmocka_unit_test(groups_refuse_what_they_do_not_take),
        cmocka_unit_test(joints_hold_beside_contacts),
        cmocka_unit_test(materials_differ),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
