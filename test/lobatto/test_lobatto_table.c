/* Coefficients of the Lobatto pairs: simplifying assumptions of the order theory, for every number of stages. */
#include <float.h>
#include <math.h>

#include "dalembert/integrate.h"
#include "support/check.h"

typedef struct table {
    int s;
    double c[DAL_STAGES_MAX], b[DAL_STAGES_MAX];
    double A[DAL_STAGES_MAX * DAL_STAGES_MAX], Ahat[DAL_STAGES_MAX * DAL_STAGES_MAX];
} table;

static table table_of(dal_ctx *ctx, int s)
{
    table t = {.s = s};
    check_ok(ctx, dal_lobatto_coefficients(ctx, t.c, t.b, t.A, t.Ahat, s));
    return t;
}

/* B(p): sum b_i c_i^(k-1) = 1/k */
static void check_B(const table *t, int p)
{
    for (int k = 1; k <= p; ++k) {
        double sum = 0.0;
        for (int i = 0; i < t->s; ++i) {
            sum += t->b[i] * pow(t->c[i], k - 1);
        }
        assert_near(sum, 1.0 / k, 4e-16);
    }
}

/* C(p): sum_j a_ij c_j^(k-1) = c_i^k/k */
static void check_C(const table *t, const double *A, int p)
{
    for (int k = 1; k <= p; ++k) {
        for (int i = 0; i < t->s; ++i) {
            double sum = 0.0;
            for (int j = 0; j < t->s; ++j) {
                sum += A[i + j * t->s] * pow(t->c[j], k - 1);
            }
            assert_near(sum, pow(t->c[i], k) / k, 4e-16);
        }
    }
}

/* D(p): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k */
static void check_D(const table *t, const double *A, int p)
{
    for (int k = 1; k <= p; ++k) {
        for (int j = 0; j < t->s; ++j) {
            double sum = 0.0;
            for (int i = 0; i < t->s; ++i) {
                sum += t->b[i] * pow(t->c[i], k - 1) * A[i + j * t->s];
            }
            assert_near(sum, t->b[j] * (1.0 - pow(t->c[j], k)) / k, 4e-16);
        }
    }
}

static void order_conditions_hold_for_all_stages(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int s = 2; s <= DAL_STAGES_MAX; ++s) {
        const table t = table_of(ctx, s);
        check_B(&t, 2 * s - 2);
        check_C(&t, t.A, s);
        check_D(&t, t.A, s - 2);
        check_C(&t, t.Ahat, s - 2);
        check_D(&t, t.Ahat, s);
    }
    check_ctx_free(ctx);
}

static void the_two_methods_are_symplectically_conjugate(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int s = 2; s <= DAL_STAGES_MAX; ++s) {
        const table t = table_of(ctx, s);
        for (int i = 0; i < s; ++i) {
            for (int j = 0; j < s; ++j) {
                assert_near(t.b[i] * t.Ahat[i + j * s] + t.b[j] * t.A[j + i * s], t.b[i] * t.b[j], 1e-16);
            }
        }
    }
    check_ctx_free(ctx);
}

/* First row of A zero, last row b; first column of Ahat b_1, last column zero; nodes symmetric: all exact. */
static void structure_is_exact(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int s = 2; s <= DAL_STAGES_MAX; ++s) {
        const table t = table_of(ctx, s);
        for (int i = 0; i < s; ++i) {
            assert_true(t.A[i * s] == 0.0);
            assert_true(t.A[s - 1 + i * s] == t.b[i]);
            assert_true(t.Ahat[i] == t.b[0]);
            assert_true(t.Ahat[i + (s - 1) * s] == 0.0);
            assert_near(t.c[i] + t.c[s - 1 - i], 1.0, 2e-16);
            assert_true(i == 0 || t.c[i] > t.c[i - 1]);
        }
        assert_true(t.c[0] == 0.0 && t.c[s - 1] == 1.0);
    }
    check_ctx_free(ctx);
}

static void known_values_come_out(void **state)
{
    dal_ctx *ctx = check_ctx();
    const table two = table_of(ctx, 2), three = table_of(ctx, 3), four = table_of(ctx, 4);
    assert_near(two.A[1], 0.5, 0.0);
    assert_near(three.A[1], 5.0 / 24.0, 1e-17);
    assert_near(three.A[1 + 6], -1.0 / 24.0, 1e-17);
    assert_near(three.Ahat[3], -1.0 / 6.0, 3e-17);
    assert_near(four.c[1], 0.5 - 0.1 * sqrt(5.0), 1e-16);
    assert_near(four.b[1], 5.0 / 12.0, 1e-16);
    check_ctx_free(ctx);
}

/* P_n and its first two derivatives at x in (-1, 1) */
static void legendre(long double P[3], int n, long double x)
{
    long double last = 1.0L, now = x;
    for (int k = 2; k <= n; ++k) {
        const long double next = ((2 * k - 1) * x * now - (k - 1) * last) / k;
        last = now;
        now = next;
    }
    P[0] = n == 0 ? 1.0L : now;
    P[1] = n * (last - x * now) / (1.0L - x * x);
    P[2] = (2.0L * x * P[1] - n * (n + 1) * P[0]) / (1.0L - x * x);
}

/* P'_{s-1}(2 c - 1) = 0 at the inner nodes to half a unit in the last place of c, b = 1/(s (s - 1) P_{s-1}^2). */
static void nodes_and_weights_are_those_of_the_legendre_polynomials(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int s = 2; s <= DAL_STAGES_MAX; ++s) {
        const table t = table_of(ctx, s);
        assert_near(t.b[0], 1.0 / (s * (s - 1)), 1e-17);
        assert_near(t.b[s - 1], 1.0 / (s * (s - 1)), 1e-17);
        for (int i = 1; i < s - 1; ++i) {
            long double P[3];
            legendre(P, s - 1, 2.0L * t.c[i] - 1.0L);
            assert_near((double)(0.5L * P[1] / P[2]), 0.0, 0.51 * DBL_EPSILON * t.c[i]);
            assert_near_rel(t.b[i], (double)(1.0L / (s * (s - 1) * P[0] * P[0])), 4e-16);
        }
    }
    check_ctx_free(ctx);
}

static void impossible_stages_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    double x[DAL_STAGES_MAX], A[DAL_STAGES_MAX * DAL_STAGES_MAX];
    check_fails(ctx, dal_lobatto_coefficients(ctx, x, x, A, A, 1), DAL_EINVAL, "2 to 16");
    check_fails(ctx, dal_lobatto_coefficients(ctx, x, x, A, A, 17), DAL_EINVAL, "stages = 17");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_conditions_hold_for_all_stages),
        cmocka_unit_test(the_two_methods_are_symplectically_conjugate),
        cmocka_unit_test(structure_is_exact),
        cmocka_unit_test(known_values_come_out),
        cmocka_unit_test(nodes_and_weights_are_those_of_the_legendre_polynomials),
        cmocka_unit_test(impossible_stages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
