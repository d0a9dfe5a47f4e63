/* Contacts between shapes of bodies: features that take over from one another, against closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

#define FINE "step_rtol=1e-12"
#define FINER "step_atol=1e-13"

static check_model finest(const char *source)
{
    const char *const set[] = {"integrator=rk", FINE, FINER};
    return check_model_start(source, set, 3);
}

static check_model with(const char *source, const char *a)
{
    return check_model_start(source, &a, 1);
}

/* A smooth ball slides over the edge of a box and turns about it until its path is straighter than that:
 * cos = (2 + v^2/(g r))/3. */
static void a_ball_slides_over_an_edge(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'name': 'edge', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'ball', 'mass': 1, 'inertia': [0.004, 0.004, 0.004], 'position': [0, 0.2, 0.35],"
        "'velocity': [0.5, 0, 0]}],"
        "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'ball', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'radius': 0.1, 'shape_a': 'box', 'size_a': [1, 1, 0.5]}],"
        "'outputs': ['ball.position'], 'simulation': {'t_end': 1.2, 'h': 0.002}}";
    const double v = 0.5, g = 9.81, r = 0.1, c = (2.0 + v * v / (g * r)) / 3.0, s = sqrt(1.0 - c * c);
    check_model f = finest(model);
    check_model_run(&f, 1.2);
    const double t = check_model_happens(&f, DAL_CONTACT_LIFT, 0), flight = 1.2 - t, u = sqrt(g * r * c);
    assert_near(f.y[0], 0.5 + r * s + u * c * flight, 1e-10);
    assert_near(f.y[2], 0.25 + r * c - u * s * flight - 0.5 * g * flight * flight, 1e-10);
    assert_near(dal_sim_contact_totals(f.sim).lost, 0.0, 1e-12);
    assert_true(dal_sim_contact_totals(f.sim).least_gap > -1e-10);
    check_model_free(&f);
    check_model r2 = with(model, "integrator=genalpha");
    check_model_run(&r2, 1.2);
    assert_near(check_model_happens(&r2, DAL_CONTACT_LIFT, 0), t, 1e-4);
    check_model_free(&r2);
}

/* A bar across two others: it sinks onto them, slides along and over the end; energy stays without friction. */
static const char bars[] =
    "{'dalembert': 1, 'name': 'bars', 'gravity': [0, 0, -9.81], 'variables': {'mu': 0},"
    "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.02, 0.02, 0.001], 'position': [0, 0.02, 0.15],"
    "'rotation': {'axis': [1, 0, 0], 'angle': 'pi/2'}}],"
    "'joints': [{'name': 'l', 'type': 'contact', 'body_b': 'b', 'frame_a': {'position': [0, -0.1, 0], 'axis': [1, 0, "
    "0]},"
    "'frame_b': [0, 0, 0], 'shape_a': 'capsule', 'length_a': 0.6, 'radius_a': 0.1, 'shape': 'capsule', 'length': 0.5,"
    "'radius': 0.05, 'mu': 'mu'},"
    "{'name': 'r', 'type': 'contact', 'body_b': 'b', 'frame_a': {'position': [0, 0.1, 0], 'axis': [1, 0, 0]},"
    "'frame_b': [0, 0, 0], 'shape_a': 'capsule', 'length_a': 0.6, 'radius_a': 0.1, 'shape': 'capsule', 'length': 0.5,"
    "'radius': 0.05, 'mu': 'mu'}],"
    "'outputs': ['b.position', 'b.velocity', 'l.force', 'r.force'], 'simulation': {'t_end': 0.5, 'h': 0.005}}";

/* Weights on the two supports by the lever: 0.12 and 0.08 of 0.2. */
static void a_bar_rests_on_two_bars(void **state)
{
    check_model r = with(bars, "mu=0.3");
    check_model_run(&r, 0.5);
    assert_near(r.y[2], 0.15, 1e-14);
    assert_near(check_max_abs(r.y + 3, 3), 0.0, 1e-12);
    assert_near(fabs(r.y[8]), 9.81 * 0.4, 1e-9);
    assert_near(fabs(r.y[11]), 9.81 * 0.6, 1e-9);
    check_model_free(&r);
}

/* Boxes on boxes of other sizes, the third across the second: corners on faces, edges on edges. At rest for ever. */
static void boxes_stand_on_boxes(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'name': 'boxes', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'a', 'mass': 2, 'inertia': [0.01, 0.01, 0.01], 'position': [0, 0, 0.1]},"
        "{'name': 'b', 'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'position': [0.02, 0.03, 0.25]},"
        "{'name': 'c', 'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'position': [0.02, 0.03, 0.35]}],"
        "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'a', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape': 'box', 'size': [0.4, 0.4, 0.2], 'mu': 0.5},"
        "{'name': 'ab', 'type': 'contact', 'body_a': 'a', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape_a': 'box', 'size_a': [0.4, 0.4, 0.2], 'shape': 'box', 'size': [0.1, 0.3, 0.1], 'mu': 0.5},"
        "{'name': 'bc', 'type': 'contact', 'body_a': 'b', 'body_b': 'c', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape_a': 'box', 'size_a': [0.1, 0.3, 0.1], 'shape': 'box', 'size': [0.3, 0.1, 0.1], 'mu': 0.5}],"
        "'outputs': ['a.position', 'b.position', 'c.position', 'f.force', 'ab.force', 'bc.force'],"
        "'simulation': {'t_end': 1, 'h': 0.01}}";
    static const double place[] = {0, 0, 0.1, 0.02, 0.03, 0.25, 0.02, 0.03, 0.35};
    check_model r = with(model, NULL);
    check_model_run(&r, 1.0);
    for (int k = 0; k < 9; ++k) {
        assert_near(r.y[k], place[k], 1e-12);
    }
    assert_near(fabs(r.y[11]), 4.0 * 9.81, 1e-9);
    assert_near(fabs(r.y[14]), 2.0 * 9.81, 1e-9);
    assert_near(fabs(r.y[17]), 9.81, 1e-9);
    check_model_free(&r);
}

/* Boxes that tumble over the edge of a table, where the features of their contacts exchange: nothing overlaps, and the energy
 * falls. In the last case two contacts are the same but for 1e-9. */
static void boxes_tumble_over_edges(void **state)
{
    static const struct {
        double t;
        const char *box, *law, *air;
    } of[] = {
        {0.3,
         "'mass': 1.578375, 'inertia': [0.01145199, 0.01522929, 0.01633193], 'position': [0.3161997, -0.008991328, "
         "0.45], 'velocity': [-0.9196156, -0.6356815, -0.1412638], 'angular_velocity': [-0.6982485, 0.9950369, "
         "-0.4875088], 'rotation': {'axis': [-0.1400582, 0.09287283, -0.8906101], 'angle': 0.7364932}",
         "'size': [0.2764829, 0.2184602, 0.1983477], 'mu': 0.3165702, 'restitution': 0", "1.578375"},
        {0.52,
         "'mass': 1.41554, 'inertia': [0.008798503, 0.01491492, 0.01380025], 'position': [0.2089443, -0.01442994, "
         "0.45], 'velocity': [-0.7456935, 0.6333799, -0.500138], 'angular_velocity': [-3.329037, -1.65257, 2.33774], "
         "'rotation': {'axis': [-0.9007121, 0.1994389, -0.5239397], 'angle': 0.3977369}",
         "'size': [0.2905513, 0.1804693, 0.2049844], 'mu': 0.6560002, 'restitution': 0.3", "1.41554"},
        {0.6,
         "'mass': 1.223045, 'inertia': [0.01008325, 0.00362805, 0.01084543], 'position': [0.09339779, 0.1722731, "
         "0.45], 'velocity': [-0.9473954, -0.331609, -0.3997404], 'angular_velocity': [-1.641804, 1.09313, 3.709362], "
         "'rotation': {'axis': [0.627186, 0.2826309, 0.9426829], 'angle': 0.8084209}",
         "'size': [0.1467567, 0.2913301, 0.1185721], 'mu': 0.7964408, 'restitution': 0.6", "1.223045"},
        {0.52,
         "'mass': 1.285125, 'inertia': [0.01067631, 0.007747174, 0.007538036], 'position': [0.08702956, -0.1513738, "
         "0.45], 'velocity': [0.0591984, 0.9614287, 0.8294218], 'angular_velocity': [-3.661229, -0.7455528, "
         "-2.250521], 'rotation': {'axis': [-0.9875271, 0.7375697, 0.8707512], 'angle': 1.446701}",
         "'size': [0.1466903, 0.2210638, 0.2254375], 'mu': 0.1819003, 'restitution': 0", "1.285125"},
    };
    (void)state;
    for (size_t k = 0; k < LEN(of); ++k) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "{'dalembert': 1, 'name': 'tumble', 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'b', %s}],"
            "'joints': [{'name': 'table', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
            "'shape_a': 'box', 'size_a': [0.5, 0.5, 0.4], 'shape': 'box', %s}],"
            "'forces': [{'name': 'air', 'type': 'drag', 'body': 'b', 'damping': %s}],"
            "'outputs': ['energy', 'table.gap'], 'simulation': {'t_end': 1, 'h': 0.002}}",
            of[k].box, of[k].law, of[k].air);
        check_model r = with(text, NULL);
        double last = INFINITY;
        for (int i = 1; i <= 100; ++i) {
            check_model_run(&r, of[k].t * i / 100.0);
            assert_true(r.y[0] < last + 1e-7);
            last = r.y[0];
        }
        const dal_contact_totals totals = dal_sim_contact_totals(r.sim);
        assert_true(totals.impacts > 2 && totals.least_gap > -5e-9);
        check_model_free(&r);
    }
}

/* A smooth box pushed over the edge of a table: corners leave the face, its edges lie on those of the table instead, until its centre is
 * beyond. Up to there nothing happens to it. */
static void a_box_slides_to_an_edge(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'name': 'table', 'gravity': [0, 0, -9.81],"
        "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.01, 0.02, 0.03], 'position': [0.2, 0.02, 0.3],"
        "'velocity': [0.5, 0, 0]}],"
        "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape_a': 'box', 'size_a': [1, 1, 0.5], 'shape': 'box', 'size': [0.3, 0.2, 0.1]}],"
        "'outputs': ['b.position', 'b.velocity', 'c.force'], 'simulation': {'t_end': 1, 'h': 0.01}}";
    check_model r = with(model, NULL);
    check_model_run(&r, 0.55);
    assert_near(r.y[0], 0.475, 1e-12);
    assert_near(r.y[2], 0.3, 1e-12);
    assert_near(fabs(r.y[8]), 9.81, 1e-9);
    check_model_run(&r, 0.7);
    assert_true(r.y[2] < 0.3 - 1e-4); // it tips
    check_model_free(&r);
}

/* A cylinder on its side rolls, standing it stands, tilted it falls onto its side or its end. */
static const char cylinder[] =
    "{'dalembert': 1, 'name': 'c', 'gravity': [0, 0, -9.81], 'variables': {'lean': 0, 'v': 0},"
    "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.01, 0.01, 0.005], 'position': [0, 0, '0.1*abs(sin(lean)) + "
    "0.15*abs(cos(lean))'],"
    "'velocity': ['v', 0, 0], 'rotation': {'axis': [1, 0, 0], 'angle': 'lean'}}],"
    "'joints': [{'name': 'f', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'shape': "
    "'cylinder',"
    "'length': 0.3, 'radius': 0.1, 'mu': 0.3}],"
    "'outputs': ['b.position', 'b.velocity', 'b.angular_velocity', 'f.force'], 'simulation': {'t_end': 1, 'h': 0.005}}";

static void a_cylinder_stands_and_rolls(void **state)
{
    check_model r = with(cylinder, NULL);
    check_model_run(&r, 1.0);
    assert_near(r.y[2], 0.15, 1e-13);
    assert_near(check_max_abs(r.y + 3, 6), 0.0, 1e-12);
    assert_near(fabs(r.y[11]), 9.81, 1e-10);
    check_model_free(&r);
    static const char *const side[] = {"integrator=rk", "lean=pi/2", "v=1"};
    r = check_model_start(cylinder, side, 3);
    check_model_run(&r, 1.0);
    // it slides until it rolls: v = v_0/(1 + J/(m r^2))
    assert_near(r.y[3], 1.0 / 1.5, 1e-6);
    assert_near(r.y[7], 10.0 / 1.5, 1e-5);
    assert_near(r.y[2], 0.1, 1e-9);
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_slides_over_an_edge), cmocka_unit_test(a_bar_rests_on_two_bars),
        cmocka_unit_test(boxes_stand_on_boxes),       cmocka_unit_test(boxes_tumble_over_edges),
        cmocka_unit_test(a_box_slides_to_an_edge),    cmocka_unit_test(a_cylinder_stands_and_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
