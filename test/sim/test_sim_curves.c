/* Plane curves in contact, as outlines of cams: against closed forms, and against shapes that they are, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

static check_model with(const char *source, const char *integrator)
{
    const char *const set[] = {integrator, "step_rtol=1e-12", "step_atol=1e-13"};
    return check_model_start(source, set, strcmp(integrator, "integrator=rk") == 0 ? 3 : 1);
}

static const char *const both[] = {"integrator=genalpha", "integrator=rk"};

/* ---- shapes that curves are, too -------------------------------------------------------------- */

static void same_motion(const char *text, const char *as_curve, const char *as_shape, double t, double bound)
{
    for (int k = 0; k < 2; ++k) {
        char model[2][1200];
        (void)snprintf(model[0], sizeof model[0], text, as_curve);
        (void)snprintf(model[1], sizeof model[1], text, as_shape);
        check_model a = with(model[0], both[k]), b = with(model[1], both[k]);
        check_model_run(&a, t);
        check_model_run(&b, t);
        for (int i = 0; i < 6; ++i) {
            assert_near(a.y[i], b.y[i], bound);
        }
        assert_true(dal_sim_contact_totals(a.sim).least_gap > -1e-13);
        check_model_free(&a);
        check_model_free(&b);
    }
}

/* A wheel whose mass is off its centre slides, rolls and slips on a floor. */
static void a_round_outline_is_a_wheel(void **state)
{
    same_motion("{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'w', 'type': 'planar', 'mass': 1,"
                "'inertia': 0.02, 'com': [0.03, 0, 0], 'position': [0, 0.2], 'velocity': [0.4, 0]}],"
                "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'w', 'frame_a': {'axis': [0, 1, 0]},"
                "'frame_b': [0, 0, 0], 'mu': 0.1, %s}], 'outputs': ['w.position', 'w.velocity'],"
                "'simulation': {'t_end': 1, 'h': 0.002}}",
                "'shape': 'curve', 'curve_x': '0.2*cos(t)', 'curve_y': '0.2*sin(t)', 'curve_range': [0, '2*pi']",
                "'shape': 'sphere', 'radius': 0.2", 1.0, 1e-10);
}

/* The other way round the inside is free. */
static void a_curve_turned_round_is_a_bowl(void **state)
{
    same_motion("{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1,"
                "'inertia': 4e-4, 'position': [0.3, 0.2]}], 'joints': [{'name': 'c', %s, 'frame_a': [0, 0, 0],"
                "'frame_b': [0, 0, 0], 'radius_a': 0.1, 'mu': 0.2, 'restitution': 0.5}],"
                "'outputs': ['b.position', 'b.velocity'], 'simulation': {'t_end': 0.6, 'h': 0.002}}",
                "'type': 'contact', 'body_a': 'b', 'shape': 'curve', 'shape_a': 'sphere', 'curve_x': '0.5*cos(t)',"
                "'curve_y': '-0.5*sin(t)', 'curve_range': [0, '2*pi']",
                "'type': 'contact', 'body_a': 'b', 'shape': 'curve', 'shape_a': 'sphere', 'curve_x': '0.5*sin(t)',"
                "'curve_y': '0.5*cos(t)', 'curve_range': [1, '1 + 2*pi']",
                0.6, 1e-10);
    check_model f = with("{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'b', 'type': 'planar',"
                         "'mass': 1, 'inertia': 4e-4, 'position': [0.3, 0.2]}], 'joints': [{'name': 'c',"
                         "'type': 'sphere_contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
                         "'radius': 0.1, 'radius_a': 0.5, 'hollow': true, 'mu': 0.2, 'restitution': 0.5}],"
                         "'outputs': ['b.position', 'b.velocity'], 'simulation': {'t_end': 0.6, 'h': 0.002}}",
                         both[1]);
    check_model g = with("{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'b', 'type': 'planar',"
                         "'mass': 1, 'inertia': 4e-4, 'position': [0.3, 0.2]}], 'joints': [{'name': 'c',"
                         "'type': 'contact', 'body_a': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
                         "'radius_a': 0.1, 'mu': 0.2, 'restitution': 0.5, 'shape': 'curve', 'shape_a': 'sphere',"
                         "'curve_x': '0.5*cos(t)', 'curve_y': '-0.5*sin(t)', 'curve_range': [0, '2*pi']}],"
                         "'outputs': ['b.position', 'b.velocity'], 'simulation': {'t_end': 0.6, 'h': 0.002}}",
                         both[1]);
    check_model_run(&f, 0.6);
    check_model_run(&g, 0.6);
    for (int i = 0; i < 6; ++i) {
        assert_near(f.y[i], g.y[i], 1e-10);
    }
    check_model_free(&f);
    check_model_free(&g);
}

/* ---- cams ------------------------------------------------------------------------------------- */

/* An eccentric circle of radius R drives a follower that runs on a guide through its axis. */
static const char cam[] =
    "{'dalembert': 1, 'gravity': [0, -9.81, 0], 'variables': {'speed': 6, 'R': 0.1, 'e': 0.04, 'r': %s},"
    "'functions': {'turn': {'type': 'polynomial', 'coefficients': [0, 'speed']}},"
    "'bodies': [{'name': 'cam', 'type': 'planar', 'mass': 1, 'inertia': 0.01, 'angular_velocity': 'speed'},"
    "{'name': 'f', 'type': 'planar', 'mass': 2, 'inertia': 0.01, 'position': [0, '%s'],"
    "'velocity': [0, '%s*speed']}], 'joints': ["
    "{'name': 'shaft', 'type': 'planar_revolute', 'body_b': 'cam', 'point': [0, 0]},"
    "{'name': 'drive', 'type': 'motion', 'joint': 'shaft', 'function': 'turn'},"
    "{'name': 'guide', 'type': 'generic', 'body_b': 'f', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
    "'locked': ['x', 'rz']},"
    "{'name': 'c', 'type': 'contact', 'body_a': 'f', 'body_b': 'cam', %s, 'frame_b': [0, 0, 0], 'shape': 'curve',"
    "'curve_x': 'e + R*cos(t)', 'curve_y': 'R*sin(t)', 'curve_range': [0, '2*pi']}],"
    "'outputs': ['f.position.y', 'c.p_n', 'c.gap'], 'simulation': {'t_end': 1, 'h': 0.001}}";

static double lift(double phi, double R, double e)
{
    return e * sin(phi) + sqrt(R * R - e * e * cos(phi) * cos(phi));
}

/* Roller and knife edge: the centre of the roller keeps the distance R + r from that of the cam. */
static void a_roller_follows_a_cam(void **state)
{
    static const char *const radius[] = {"0.03", "0"};
    for (int k = 0; k < 4; ++k) {
        const double r = k / 2 == 0 ? 0.03 : 0.0, e = 0.04, w = 6.0, R = 0.1 + r, t = 0.8, d = 1e-4;
        char model[1600];
        (void)snprintf(model, sizeof model, cam, radius[k / 2], "sqrt((R + r)^2 - e^2)", "e",
                       "'shape_a': 'sphere', 'radius_a': 'r', 'frame_a': [0, 0, 0]");
        check_model f = with(model, both[k % 2]);
        check_model_run(&f, t);
        const double y = lift(w * t, R, e);
        const double a = (lift(w * (t + d), R, e) - 2.0 * y + lift(w * (t - d), R, e)) / (d * d);
        const double phi = w * t, c = sqrt(R * R - e * e * cos(phi) * cos(phi)) / R; // slant of the normal
        assert_near(f.y[0], y, 1e-13);
        assert_near(f.y[1], 2.0 * (9.81 + a) / c, k % 2 == 0 ? 2e-3 : 1e-5);
        check_model_free(&f);
    }
}

/* A flat one moves by R + e sin. Too fast, it leaves where e w^2 sin = g, and comes back down with a bang. */
static void a_flat_follower_leaves_a_fast_cam(void **state)
{
    const double e = 0.04, g = 9.81, w = 20.0, leaves = asin(g / (e * w * w)) / w;
    for (int k = 0; k < 2; ++k) {
        char model[1600];
        (void)snprintf(model, sizeof model, cam, "0", "R", "e", "'frame_a': {'axis': [0, -1, 0]}");
        const char *const set[] = {both[k], "speed=20", "step_rtol=1e-12", "step_atol=1e-13"};
        check_model f = check_model_start(model, set, k == 0 ? 2 : 4);
        check_model_run(&f, 0.9 * leaves);
        assert_near(f.y[0], 0.1 + e * sin(w * 0.9 * leaves), 1e-13);
        assert_near(f.y[1], 2.0 * (g - e * w * w * sin(w * 0.9 * leaves)), k == 0 ? 2e-2 : 1e-8);
        const double t = leaves + 0.05, flight = 0.05;
        check_model_run(&f, t);
        assert_near(check_model_happens(&f, DAL_CONTACT_LIFT, 0), leaves, k == 0 ? 2e-5 : 1e-11);
        assert_near(f.y[0], 0.1 + e * sin(w * leaves) + e * w * cos(w * leaves) * flight - 0.5 * g * flight * flight,
                    k == 0 ? 1e-5 : 1e-11);
        check_model_run(&f, 0.5);
        assert_true(dal_sim_contact_totals(f.sim).impacts > 0);
        assert_true(dal_sim_contact_totals(f.sim).least_gap > -1e-13);
        check_model_free(&f);
    }
}

/* Knots of a spline are no events: the same motion as that on the curve it goes through, with less than its error. */
static void a_spline_is_followed_across_its_knots(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, -9.81, 0], %s"
        "'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1, 'inertia': 1e-4, 'position': [0.31, 0.31]}],"
        "'joints': [{'name': 'c', 'type': 'contact', 'body_a': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'shape': 'curve', 'shape_a': 'sphere', 'radius_a': 0.02, 'mu': 0.3, %s, 'curve_range': [-1, 1]}],"
        "'outputs': ['b.position', 'b.velocity', 'c.stick_time'], 'simulation': {'t_end': 1.5, 'h': 0.002}}";
    char model[2][8000], x[1500], y[1500];
    int nx = 0, ny = 0;
    for (int k = 0; k <= 64; ++k) { // upside down: its right is above
        const double s = -1.0 + k / 32.0;
        nx += snprintf(x + nx, sizeof x - (size_t)nx, "%s%.6f", k > 0 ? "," : "", s);
        ny += snprintf(y + ny, sizeof y - (size_t)ny, "%s%.17g", k > 0 ? "," : "", 0.5 * s * s + 0.1 * s * s * s);
    }
    (void)snprintf(model[0], sizeof model[0], text, "", "'curve_x': '-t', 'curve_y': '0.5*t^2 - 0.1*t^3'");
    char functions[4000];
    (void)snprintf(functions, sizeof functions, "'functions': {'f': {'type': 'table', 'x': [%s], 'y': [%s]}},", x, y);
    (void)snprintf(model[1], sizeof model[1], text, functions, "'curve_x': '-t', 'curve_y': 'f(-t)'");
    check_model a = with(model[0], both[1]), b = with(model[1], both[1]);
    check_model_run(&a, 1.5);
    check_model_run(&b, 1.5);
    for (int i = 0; i < 6; ++i) {
        assert_near(a.y[i], b.y[i], 1e-5);
    }
    assert_int_equal(dal_sim_contact_totals(b.sim).impacts, dal_sim_contact_totals(a.sim).impacts);
    assert_true(a.y[6] > 0.1); // it rolls
    check_model_free(&a);
    check_model_free(&b);
}

/* ---- outlines with corners -------------------------------------------------------------------- */

/* Straight lines through points, the place at s = k. */
#define LINES(n, s, x, y)                                                                              \
    "'shape': 'curve', 'shape_a': 'sphere', 'curve_range': [0, " #n "],"                               \
    "'curve_x': {'type': 'table', 'interpolation': 'linear', 'x': [" s "], 'y': [" x "]}, 'curve_y': " \
    "{'type': 'table', 'interpolation': 'linear', 'x': [" s "], 'y': [" y "]}"

/* As from the edge of a box: cos = (2 + v^2/(g r))/3 where a smooth ball leaves its corner. */
static void a_ball_slides_over_a_corner(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1,"
        "'inertia': 0.004, 'position': [0, 0.35], 'velocity': [0.5, 0]}],"
        "'joints': [{'name': 'c', 'type': 'contact', 'body_a': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'radius_a': 0.1, " LINES(
            4, "0, 1, 2, 3, 4", "-0.5, 0.5, 0.5, -0.5, -0.5",
            "-0.25, -0.25, 0.25, 0.25, -0.25") "}],"
                                               "'outputs': ['b.position'], 'simulation': {'t_end': 1.2, 'h': 0.002}}";
    const double v = 0.5, g = 9.81, r = 0.1, c = (2.0 + v * v / (g * r)) / 3.0, s = sqrt(1.0 - c * c);
    for (int k = 0; k < 2; ++k) {
        check_model f = with(model, both[k]);
        check_model_run(&f, 1.2);
        const double t = check_model_happens(&f, DAL_CONTACT_LIFT, 0), flight = 1.2 - t, u = sqrt(g * r * c);
        assert_near(f.y[0], 0.5 + r * s + u * c * flight, k == 0 ? 1e-4 : 1e-10);
        assert_near(f.y[1], 0.25 + r * c - u * s * flight - 0.5 * g * flight * flight, k == 0 ? 1e-3 : 1e-10);
        assert_near(dal_sim_contact_totals(f.sim).lost, 0.0, 1e-10);
        check_model_free(&f);
    }
}

/* A bead slides down one side of a V and up the other: in the corner what is normal to the new way is lost. */
static void a_corner_takes_the_speed_across_it(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'gravity': [0, -9.81, 0], 'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1,"
        "'inertia': 0.004, 'position': [-0.5, 0.5]}],"
        "'joints': [{'name': 'c', 'type': 'contact', 'body_a': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], " LINES(
            2, "0, 1, 2", "2, 0, -2",
            "1, 0, 2") "}],"
                       "'outputs': ['b.position', 'b.velocity'], 'simulation': {'t_end': 1.2, 'h': 0.002}}";
    const double g = 9.81, down = sqrt(g), after = down / sqrt(10.0), corner = sqrt(2.0 / g), slope = atan(0.5);
    for (int k = 0; k < 2; ++k) {
        check_model f = with(model, both[k]);
        check_model_run(&f, corner + 0.1);
        const double s = after * 0.1 - 0.5 * g * sin(slope) * 0.01;
        assert_near(f.y[0], s * cos(slope), k == 0 ? 1e-6 : 1e-10);
        assert_near(f.y[1], s * sin(slope), k == 0 ? 1e-6 : 1e-10);
        assert_near(dal_sim_contact_totals(f.sim).lost, 0.5 * (down * down - after * after), k == 0 ? 1e-5 : 1e-9);
        check_model_free(&f);
    }
}

/* ---- what cannot be --------------------------------------------------------------------------- */

static void curves_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *keys, *what;
    } list[] = {
        {"'curve_x': 't'", "curve_y"},
        {"'curve_x': 't', 'curve_y': '0*t', 'curve_range': [1, 0]", "curve_range"},
        {"'curve_x': '1', 'curve_y': '2'", "stands still"},
        {"'curve_x': 't', 'curve_y': 't^2', 'shape_a': 'box', 'size_a': [1, 1, 1]", "box"},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "{'dalembert': 1, 'bodies': [{'name': 'b', 'type': 'planar', 'mass': 1, 'inertia': 1}],"
                       "'joints': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'shape': 'curve', %s}]}",
                       list[k].keys);
        for (char *at = text; *at != '\0'; ++at) {
            *at = *at == '\'' ? '"' : *at;
        }
        dal_ctx *ctx = check_ctx();
        dal_document *doc = NULL;
        const dal_system *sys;
        dal_status st = dal_document_parse(&doc, ctx, text, strlen(text), "test", NULL, 0);
        st = st == DAL_OK ? dal_model_compile(dal_document_model(doc), &sys) : st;
        assert_int_equal(st, DAL_EINVAL);
        assert_non_null(strstr(dal_ctx_message(ctx), list[k].what));
        dal_document_destroy(doc);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_outline_is_a_wheel),
        cmocka_unit_test(a_curve_turned_round_is_a_bowl),
        cmocka_unit_test(a_roller_follows_a_cam),
        cmocka_unit_test(a_flat_follower_leaves_a_fast_cam),
        cmocka_unit_test(a_spline_is_followed_across_its_knots),
        cmocka_unit_test(a_ball_slides_over_a_corner),
        cmocka_unit_test(a_corner_takes_the_speed_across_it),
        cmocka_unit_test(curves_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
