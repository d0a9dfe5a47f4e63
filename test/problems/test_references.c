/* The exact motions against the tables, against each other, and against what they must conserve. */
#include <math.h>
#include <string.h>

#include "problems/problem_impl.h"
#include "problems/table.h"
#include "support/check.h"

enum { N = PROBLEM_MAX, ROWS = 32 };

static dal_ctx *ctx;

static int set_up(void **unused)
{
    (void)unused;
    ctx = check_ctx();
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    check_ctx_free(ctx);
    return 0;
}

/* Worst difference over n columns of `size` numbers, over the largest wanted number; NaN in want: not given. */
static double worst(const double *got, const double *want, int size, int n)
{
    double max = 0.0, err = 0.0;
    for (int i = 0; i < size * n; ++i) {
        if (!isnan(want[i])) {
            max = fmax(max, fabs(want[i]));
            err = isnan(got[i]) ? INFINITY : fmax(err, fabs(got[i] - want[i]));
        }
    }
    return max > 0.0 ? err / max : err;
}

/* A quaternion and its negative are the same rotation: choose the sign of the table. */
static void align(const problem *p, double *q, const double *want)
{
    for (int i = 0; i < p->group->nfactors; ++i) {
        const dal_factor *F = &p->group->factor[i];
        double *a = q + F->q + F->nq - 4;
        const double *b = want + F->q + F->nq - 4;
        if (F->nq > F->nv && a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0) {
            for (int j = 0; j < 4; ++j) {
                a[j] = -a[j];
            }
        }
    }
}

typedef struct exact {
    double q[N * ROWS], v[N * ROWS], vd[N * ROWS], la[N * ROWS];
} exact;

/* Errors of q, v, v', lambda against the table, rows with t <= t_end. */
static void compare(const problem *p, double t_end, double tol)
{
    static exact e;
    reference r;
    check_ok(ctx, reference_load(&r, p));
    int n = 0;
    while (n < r.n && r.t[n] <= t_end) {
        ++n;
    }
    assert_true(n > 1 && n <= ROWS);
    problem_exact(p, e.q, e.v, e.vd, e.la, r.t, n);
    for (int k = 0; k < n; ++k) {
        align(p, e.q + k * p->nq, r.q + k * p->nq);
    }
    const double err[4] = {worst(e.q, r.q, p->nq, n), worst(e.v, r.v, p->nv, n), worst(e.vd, r.vd, p->nv, n),
                           worst(e.la, r.la, p->nc, n)};
    print_message("%-24s t <= %-5g q %.1e  v %.1e  v' %.1e  lambda %.1e\n", p->name, t_end, err[0], err[1], err[2],
                  err[3]);
    assert_near(check_max_abs(err, 4), 0.0, tol);
    reference_free(&r);
}

static void exact_motions_agree_with_the_tables(void **unused)
{
    (void)unused;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        check_ok(ctx, problem_nth(&p, ctx, k));
        if (p.table.file != NULL) {
            compare(&p, p.t_end, 5e-11);
        }
        problem_free(&p);
    }
}

static void heavy_top_agrees_until_two_seconds(void **unused)
{
    (void)unused;
    for (int chart = 0; chart < 4; ++chart) {
        problem p;
        check_ok(ctx, problem_heavy_top(&p, ctx, (heavy_top_chart)chart));
        compare(&p, 2.0, 2e-14);
        problem_free(&p);
    }
}

static void rotor_bearings_agree_with_the_table(void **unused)
{
    (void)unused;
    for (int steel = 0; steel < 2; ++steel) {
        problem p;
        table tab;
        double t[ROWS], p1[3 * ROWS], p2[3 * ROWS];
        int n = 0;
        check_ok(ctx, problem_rotor(&p, ctx, steel));
        check_ok(ctx, table_load(&tab, ctx, p.table.file, p.table.columns, p.table.rows));
        while (n < tab.nrows && table_get(&tab, n, "t") <= 0.1) {
            t[n] = table_get(&tab, n, "t");
            ++n;
        }
        rotor_bearings_exact(&p, p1, p2, t, n);
        for (int k = 0; k < n; ++k) {
            // amplitudes are 1e-5; some thousand radians of nutation magnify the rounding of the data
            assert_near(p1[3 * k + 1], table_get(&tab, k, "p1y"), 2e-17);
            assert_near(p1[3 * k + 2], table_get(&tab, k, "p1z"), 2e-17);
            assert_near(p2[3 * k + 1], table_get(&tab, k, "p2y"), 2e-17);
            assert_near(p2[3 * k + 2], table_get(&tab, k, "p2z"), 2e-17);
            assert_near(p2[3 * k], table_get(&tab, k, "p2x"), 1e-15);
        }
        table_free(&tab);
        problem_free(&p);
    }
}

static void both_motions_of_the_rotor_agree(void **unused)
{
    (void)unused;
    problem p;
    double q[7 * 20], t[20], p1[60], p2[60], a[3], b[3];
    check_ok(ctx, problem_rotor(&p, ctx, 0));
    for (int k = 0; k < 20; ++k) {
        t[k] = 1e-3 * (k + 1);
    }
    problem_exact(&p, q, NULL, NULL, NULL, t, 20);
    rotor_bearings_exact(&p, p1, p2, t, 20);
    for (int k = 0; k < 20; ++k) {
        rotor_bearings(a, b, q + 7 * k);
        for (int i = 1; i < 3; ++i) {
            assert_near(a[i], p1[3 * k + i], 1e-16);
            assert_near(b[i], p2[3 * k + i], 1e-16);
        }
    }
    problem_free(&p);
}

/* The minimal coordinates against the index-1 equations in the problem's own coordinates. */
static void exact_motions_do_not_depend_on_the_coordinates(void **unused)
{
    (void)unused;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double a[2][N], b[2][N];
        check_ok(ctx, problem_nth(&p, ctx, k));
        const double t = 0.05 * p.t_end;
        problem_exact(&p, a[0], a[1], NULL, NULL, &t, 1);
        index1_motion(&p, p.motion.ny > 0 ? fmin((double)p.motion.h, t / 4.0) : t / 4.0);
        problem_exact(&p, b[0], b[1], NULL, NULL, &t, 1);
        assert_near(worst(a[0], b[0], p.nq, 1), 0.0, 1e-12);
        assert_near(worst(a[1], b[1], p.nv, 1), 0.0, 1e-12);
        problem_free(&p);
    }
}

static void exact_motions_conserve_energy(void **unused)
{
    (void)unused;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double q[N], v[N];
        check_ok(ctx, problem_nth(&p, ctx, k));
        if (p.dense.energy != NULL) {
            const double t = 0.3 * p.t_end, E0 = p.dense.energy(0.0, p.q0, p.v0, p.dense.user);
            problem_exact(&p, q, v, NULL, NULL, &t, 1);
            // relative to the kinetic energy scale where E0 vanishes
            assert_near(p.dense.energy(t, q, v, p.dense.user) / (1.0 + fabs(E0)), E0 / (1.0 + fabs(E0)), 1e-13);
        }
        problem_free(&p);
    }
}

static void absolute_and_relative_angles_of_andrews_mechanism_agree(void **unused)
{
    (void)unused;
    problem p;
    table tab;
    static const char *const name[7] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
    static double q[31 * ROWS];
    double t[ROWS], angle[7];
    check_ok(ctx, problem_andrews(&p, ctx));
    check_ok(ctx, table_load(&tab, ctx, p.table.file, p.table.columns, p.table.rows));
    for (int k = 0; k < tab.nrows; ++k) {
        t[k] = table_get(&tab, k, "t");
    }
    problem_exact(&p, q, NULL, NULL, NULL, t, tab.nrows);
    for (int k = 0; k < tab.nrows; ++k) {
        andrews_angles(angle, q + 31 * k);
        for (int i = 0; i < 7; ++i) {
            assert_near(angle[i], table_get(&tab, k, name[i]), 1e-11);
        }
    }
    table_free(&tab);
    problem_free(&p);
}

static void a_missing_table_is_reported(void **unused)
{
    (void)unused;
    table tab;
    check_fails(ctx, table_load(&tab, ctx, "heavy_top", "reference/columns", "reference/nothing"), DAL_EINVAL,
                "no such table");
    check_fails(ctx, table_load(&tab, ctx, "nothing", "reference/columns", "reference/rows"), DAL_EINVAL, "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_motions_agree_with_the_tables),
        cmocka_unit_test(heavy_top_agrees_until_two_seconds),
        cmocka_unit_test(rotor_bearings_agree_with_the_table),
        cmocka_unit_test(both_motions_of_the_rotor_agree),
        cmocka_unit_test(exact_motions_do_not_depend_on_the_coordinates),
        cmocka_unit_test(exact_motions_conserve_energy),
        cmocka_unit_test(absolute_and_relative_angles_of_andrews_mechanism_agree),
        cmocka_unit_test(a_missing_table_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
