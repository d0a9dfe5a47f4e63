/* Equilibria that Newton's method does not reach: the load in steps, and relaxation. */
#include "static_models.h"

static dal_status solve_by(rest_model *m, dal_static_method method)
{
    const dal_static_options only = {.methods = 1U << method};
    memcpy(m->q, dal_model_q0(m->model), (size_t)m->sys->group->nq * sizeof *m->q);
    return rest_solve(m, 0.0, &only);
}

/* ---- a cantilever bent to and fro --------------------------------------------------------------------- */

/* N links of length 1/N in series, hinges with springs of N N m/rad (2 N at the clamp); a force P across the last link at its end
 * follows it. */
static const char cantilever[] =
    "{\"dalembert\": 1, \"name\": \"cantilever\", \"variables\": {\"N\": 40, \"P\": 200}, "
    "\"bodies\": [{\"repeat\": \"i\", \"to\": \"N\", \"items\": [{\"name\": \"b{i}\", \"type\": \"planar\", \"mass\": "
    "1, "
    "\"inertia\": 0.01, \"position\": [\"(i - 0.5)/N\", 0]}]}],"
    "\"joints\": [{\"name\": \"j1\", \"type\": \"planar_revolute\", \"body_b\": \"b1\", \"point\": [0, 0]},"
    "{\"repeat\": \"i\", \"from\": 2, \"to\": \"N\", \"items\": [{\"name\": \"j{i}\", \"type\": \"planar_revolute\", "
    "\"body_a\": \"b{i-1}\", \"body_b\": \"b{i}\", \"point\": [\"(i - 1)/N\", 0]}]}],"
    "\"forces\": [{\"name\": \"k1\", \"type\": \"spring\", \"joint\": \"j1\", \"stiffness\": \"2*N\"},"
    "{\"repeat\": \"i\", \"from\": 2, \"to\": \"N\", \"items\": [{\"name\": \"k{i}\", \"type\": \"spring\", \"joint\": "
    "\"j{i}\", "
    "\"stiffness\": \"N\"}]},"
    "{\"name\": \"tip\", \"type\": \"force\", \"body\": \"b40\", \"point\": [1, 0, 0], \"vector\": [0, \"P\", 0], "
    "\"follower\": true}]}";

/* Closed form: in the axes of the last link the force is known, so that the angles follow one after the other from the end: the
 * spring of hinge i carries the moment of P about it. The clamp then tells the angle of everything. */
static void closed_form(double *phi, int n, double P)
{
    double x = 0.0, angle = 0.0; // x of the end of link i as seen from the end of the last one, and its angle
    phi[n - 1] = 0.0;
    for (int i = n - 1; i > 0; --i) {
        x -= cos(angle) / n; // hinge i; the moment of the force (0, P) at x = 0
        angle -= -x * P / n;
        phi[i - 1] = angle;
    }
    x -= cos(angle) / n;
    const double clamp = angle - -x * P / (2.0 * n);
    for (int i = 0; i < n; ++i) {
        phi[i] -= clamp;
    }
}

static void the_load_in_steps_bends_a_cantilever_to_and_fro(void **state)
{
    enum { N = 40 };
    double phi[N], x = 0.0, y = 0.0;
    closed_form(phi, N, 200.0);
    rest_model m = rest_of(cantilever);
    check_fails(m.ctx, solve_by(&m, DAL_STATIC_NEWTON), DAL_NOCONV, "no equilibrium");
    check_ok(m.ctx, solve_by(&m, DAL_STATIC_LOAD_STEPS));
    assert_true(m.report.iterations < 80); // relaxation takes more than 4000
    for (int i = 0; i < N; ++i) {
        assert_near(m.q[3 * i], x + 0.5 / N * cos(phi[i]), 1e-11);
        assert_near(m.q[3 * i + 1], y + 0.5 / N * sin(phi[i]), 1e-11);
        assert_near(m.q[3 * i + 2], phi[i], 1e-10);
        x += cos(phi[i]) / N;
        y += sin(phi[i]) / N;
    }
    // one after the other: it is the load steps that find it
    memcpy(m.q, dal_model_q0(m.model), (size_t)m.sys->group->nq * sizeof *m.q);
    const dal_static_options nearest = {.nearest = 1};
    check_ok(m.ctx, rest_solve(&m, 0.0, &nearest));
    assert_int_equal(m.report.method, DAL_STATIC_LOAD_STEPS);
    assert_near(m.q[3 * N - 1], phi[N - 1], 1e-10);
    rest_free(&m);
}

/* ---- snap-through ------------------------------------------------------------------------------ */

/* Two springs as a flat roof of height 0.2 over a half span of 1, loaded past what it can carry. */
static const char roof[] =
    "{\"dalembert\": 1, \"name\": \"roof\", \"variables\": {\"rise\": 0.2, \"P\": 4}, "
    "\"bodies\": [{\"name\": \"top\", \"type\": \"point\", \"mass\": 1, \"position\": [0, \"rise\", 0]}],"
    "\"joints\": [{\"name\": \"guide\", \"type\": \"generic\", \"body_b\": \"top\", \"locked\": [\"x\", \"z\"], "
    "\"frame_a\": [0, \"rise\", 0]}],"
    "\"forces\": [{\"name\": \"left\", \"type\": \"spring\", \"body_b\": \"top\", \"point_a\": [-1, 0, 0], "
    "\"stiffness\": 1000, \"reference\": \"sqrt(1 + rise^2)\"},"
    "{\"name\": \"right\", \"type\": \"spring\", \"body_b\": \"top\", \"point_a\": [1, 0, 0], "
    "\"stiffness\": 1000, \"reference\": \"sqrt(1 + rise^2)\"},"
    "{\"name\": \"load\", \"type\": \"force\", \"body\": \"top\", \"vector\": [0, \"-P\", 0]}]}";

/* Force of both springs on the top, upwards. */
static double carried(double y)
{
    return 2.0 * 1000.0 * (sqrt(1.04) / sqrt(1.0 + y * y) - 1.0) * y;
}

static void relaxation_snaps_through_where_the_load_path_ends(void **state)
{
    double most = 0.0;
    for (int i = 0; i <= 200; ++i) {
        most = fmax(most, carried(0.001 * i));
    }
    assert_true(most < 3.1); // the roof carries less than the load of 4
    rest_model m = rest_of(roof);
    check_fails(m.ctx, solve_by(&m, DAL_STATIC_NEWTON), DAL_NOCONV, "no equilibrium");
    check_fails(m.ctx, solve_by(&m, DAL_STATIC_LOAD_STEPS), DAL_NOCONV, "no equilibrium");
    check_ok(m.ctx, solve_by(&m, DAL_STATIC_RELAXATION));
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(m.report.method, DAL_STATIC_RELAXATION);
        assert_true(m.report.stable);
        assert_true(m.q[1] < -0.2); // inside out
        assert_near(carried(m.q[1]), 4.0, 1e-9);
        memcpy(m.q, dal_model_q0(m.model), 3 * sizeof *m.q);
        check_ok(m.ctx, rest_solve(&m, 0.0, NULL)); // one after the other
    }
    rest_free(&m);
}

static void methods_that_do_not_exist_are_refused(void **state)
{
    rest_model m = rest_of(roof);
    const dal_static_options odd = {.methods = 8};
    check_fails(m.ctx, rest_solve(&m, 0.0, &odd), DAL_EINVAL, "methods = 8");
    rest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_load_in_steps_bends_a_cantilever_to_and_fro),
        cmocka_unit_test(relaxation_snaps_through_where_the_load_path_ends),
        cmocka_unit_test(methods_that_do_not_exist_are_refused),
    };
    return cmocka_run_group_tests_name("static_methods", tests, NULL, NULL);
}
