/* The chain of N links between two supports against the closed form of the discrete catenary: with the horizontal force H
 * and the vertical force V at the left support, link i (from 0) has tan(phi_i) = (w (i + 1/2) - V)/H, w its weight, and
 * the sums of L cos(phi_i) and L sin(phi_i) are the span and the rise. */
#include "static_models.h"

static void sums(double out[2], int n, double L, double w, double H, double V)
{
    out[0] = out[1] = 0.0;
    for (int i = 0; i < n; ++i) {
        const double phi = atan2(w * (i + 0.5) - V, H);
        out[0] += L * cos(phi);
        out[1] += L * sin(phi);
    }
}

/* H and V by Newton's method with differences. */
static void closed_form(double *H, double *V, int n, double L, double w, double span, double rise)
{
    *H = 0.5 * n * w;
    *V = 0.4 * n * w;
    for (int it = 0; it < 60; ++it) {
        double f[2], a[2], b[2];
        const double e = 1e-6 * n * w;
        sums(f, n, L, w, *H, *V);
        sums(a, n, L, w, *H + e, *V);
        sums(b, n, L, w, *H, *V + e);
        const double J[4] = {(a[0] - f[0]) / e, (a[1] - f[1]) / e, (b[0] - f[0]) / e, (b[1] - f[1]) / e};
        const double r[2] = {span - f[0], rise - f[1]}, det = J[0] * J[3] - J[2] * J[1];
        *H += (r[0] * J[3] - r[1] * J[2]) / det;
        *V += (J[0] * r[1] - J[1] * r[0]) / det;
    }
}

static void hangs_as_the_discrete_catenary(int n)
{
    char number[32];
    snprintf(number, sizeof number, "N=%d", n);
    const char *set[] = {number};
    rest_model m = rest_builtin("catenary", set, 1);
    const double L = 10.0 / n, w = 9.81 * 5.0 / n;
    double H, V, x = 0.0, y = 0.0, value[8];
    closed_form(&H, &V, n, L, w, 8.0, 1.0);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.stable);
    assert_int_equal(m.report.method, DAL_STATIC_NEWTON);
    for (int i = 0; i < n; ++i) {
        const double phi = atan2(w * (i + 0.5) - V, H);
        assert_near(m.q[3 * i], x + 0.5 * L * cos(phi), 1e-9);
        assert_near(m.q[3 * i + 1], y + 0.5 * L * sin(phi), 1e-9);
        assert_near(m.q[3 * i + 2], phi, 1e-9);
        x += L * cos(phi);
        y += L * sin(phi);
    }
    const dal_point at = {0.0, m.q, m.v, m.vd, m.la};
    check_ok(m.ctx, dal_model_outputs(m.model, m.data, value, &at));
    assert_near(value[0], -H, 1e-8);
    assert_near(value[1], V, 1e-8);
    rest_free(&m);
}

static void ten_links_hang_as_the_discrete_catenary(void **state)
{
    hangs_as_the_discrete_catenary(10);
}

static void a_thousand_links_hang_as_the_discrete_catenary(void **state)
{
    hangs_as_the_discrete_catenary(1000);
}

/* From a horizontal start, too far for Newton's method. */
static void a_long_chain_falls_into_its_equilibrium(void **state)
{
    const char *set[] = {"N=60"};
    rest_model m = rest_builtin("chain", set, 1);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.stable);
    for (int i = 0; i < 60; ++i) {
        assert_near(m.q[7 * i + 2], -0.1 * (i + 0.5), 1e-9);
    }
    rest_free(&m);
}

/* Standing on end: every link gives way in two directions, and the large system's judge finds such. */
static void a_chain_that_stands_is_unstable(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"name\": \"tower\", \"variables\": {\"N\": 100}, \"gravity\": [0, -9.81, 0],"
        "\"bodies\": [{\"repeat\": \"i\", \"to\": \"N\", \"items\": [{\"name\": \"b{i}\", \"type\": \"planar\", "
        "\"mass\": 1, "
        "\"inertia\": 0.1, \"position\": [0, \"i - 0.5\"]}]}],"
        "\"joints\": [{\"name\": \"j1\", \"type\": \"planar_revolute\", \"body_b\": \"b1\", \"point\": [0, 0]},"
        "{\"repeat\": \"i\", \"from\": 2, \"to\": \"N\", \"items\": [{\"name\": \"j{i}\", \"type\": "
        "\"planar_revolute\", "
        "\"body_a\": \"b{i-1}\", \"body_b\": \"b{i}\", \"point\": [0, \"i - 1\"]}]}]}";
    rest_model m = rest_of(text);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_false(m.report.complete);
    assert_false(m.report.stable);
    assert_true(m.report.nnegative > 10);
    rest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_links_hang_as_the_discrete_catenary),
        cmocka_unit_test(a_thousand_links_hang_as_the_discrete_catenary),
        cmocka_unit_test(a_long_chain_falls_into_its_equilibrium),
        cmocka_unit_test(a_chain_that_stands_is_unstable),
    };
    return cmocka_run_group_tests_name("static_chain", tests, NULL, NULL);
}
