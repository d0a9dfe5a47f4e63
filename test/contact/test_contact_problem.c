/* The contact problem: random ones are solved, with the laws of contact and friction satisfied; redundant contacts share. */
#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "support/check.h"

enum { MAX = 12, N = 3 * MAX };

typedef struct random_problem {
    dal_contact_problem P;
    int first[MAX + 1], normal[MAX], state[MAX];
    double mu[MAX], D[N * N], d[N], p[N], w[N];
} random_problem;

/* D = C C^T of contacts with 3 unknowns on bodies with nv velocities; some rows twice. */
static void draw(random_problem *r, check_rng *rng, int m, int nv, int twice)
{
    const int n = 3 * m;
    double C[N * N];
    memset(r, 0, sizeof *r);
    check_normals(rng, C, n * nv);
    for (int c = 0; c < m; ++c) {
        r->first[c + 1] = 3 * (c + 1);
        r->normal[c] = 1;
        r->mu[c] = check_uniform(rng, 0.0, 0.8);
    }
    for (int j = 0; j < nv && twice; ++j) {
        memcpy(C + 3 + (size_t)j * (size_t)n, C + (size_t)j * (size_t)n, 3 * sizeof(double));
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < nv; ++k) {
                r->D[i + j * n] += C[i + k * n] * C[j + k * n];
            }
        }
    }
    double v[N];
    check_normals(rng, v, nv);
    for (int i = 0; i < n; ++i) { // rates of one motion: there is a solution
        for (int k = 0; k < nv; ++k) {
            r->d[i] += C[i + k * n] * v[k];
        }
    }
    r->P = (dal_contact_problem){m, r->first, r->normal, r->mu, r->D, r->d, r->p, r->w, r->state, 0, 0.0, 0, 0};
}

/* Largest violation of (CT.8). */
static double violation(const random_problem *r)
{
    double worst = 0.0;
    for (int c = 0; c < r->P.m; ++c) {
        const double *p = r->p + 3 * c, *w = r->w + 3 * c;
        const double pt = hypot(p[1], p[2]), wt = hypot(w[1], w[2]), limit = r->mu[c] * p[0];
        worst = fmax(worst, fmax(-p[0], -w[0]));
        worst = fmax(worst, fabs(p[0] * w[0]));
        worst = fmax(worst, pt - limit);
        worst = fmax(worst, wt * (limit - pt));                            // slides: at the limit
        worst = fmax(worst, fabs(p[1] * w[1] + p[2] * w[2] + limit * wt)); // against the motion
    }
    return worst;
}

static void random_contacts_obey_the_laws(void **state)
{
    static const int sizes[] = {1, 3, 6, 12};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(27);
    int rescued = 0;
    for (int k = 0; k < 200; ++k) {
        random_problem r;
        const int m = sizes[k % 4], twice = m > 1 && k % 3 == 0;
        draw(&r, &rng, m, 2 * m + 4, twice);
        check_ok(ctx, dal_contact_solve(&r.P, ctx));
        assert_near(r.P.residual, 0.0, 1e-8);
        assert_near(violation(&r), 0.0, 1e-7);
        rescued += r.P.attempts > 1;
    }
    print_message("%d of 200 problems took a second attempt\n", rescued);
    assert_in_range(rescued, 0, 30);
    check_ctx_free(ctx);
}

/* Two contacts at the same place carry the load together, whatever part each takes. */
static void redundant_contacts_share(void **state)
{
    dal_ctx *ctx = check_ctx();
    const int first[] = {0, 1, 2}, normal[] = {1, 1};
    const double mu[] = {0.0, 0.0}, D[] = {1.0, 1.0, 1.0, 1.0}, d[] = {-3.0, -3.0};
    double p[2] = {0.0, 0.0}, w[2];
    int cases[2];
    dal_contact_problem P = {2, first, normal, mu, D, d, p, w, cases, 0, 0.0, 0, 0};
    check_ok(ctx, dal_contact_solve(&P, ctx));
    assert_near(p[0] + p[1], 3.0, 1e-12);
    assert_near(p[0], 1.5, 1e-6);
    assert_int_equal(cases[0], DAL_CONTACT_SLIDES);
    check_ctx_free(ctx);
}

/* A block spins and slides on four corners: what each carries decides how it goes on. It is the same whatever the axes of the tangents are. */
static void shares_do_not_depend_on_axes(void **state)
{
    static const double corner[4][3] = {{0.5, 0.3, -0.2}, {-0.5, 0.3, -0.2}, {0.5, -0.3, -0.2}, {-0.5, -0.3, -0.2}};
    static const double v[6] = {0.4, -0.1, -1.0, 0.3, 0.2, 1.5}, inertia[6] = {1.0, 1.0, 1.0, 0.1, 0.2, 0.3};
    dal_ctx *ctx = check_ctx();
    double whole[2][6] = {{0.0}};
    random_problem r;
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        double C[12][6];
        memset(&r, 0, sizeof r);
        r.P = (dal_contact_problem){4, r.first, r.normal, r.mu, r.D, r.d, r.p, r.w, r.state, 0, 0.0, 0, 0};
        for (int k = 0; k < 12; ++k) {
            const double *x = corner[k / 3], angle = 0.7 * turn + (k % 3 == 2 ? acos(0.0) : 0.0);
            const double y[3] = {k % 3 == 0 ? 0.0 : cos(angle), k % 3 == 0 ? 0.0 : sin(angle), k % 3 == 0};
            r.first[k / 3 + 1] = 3 * (k / 3 + 1);
            r.normal[k / 3] = 1;
            r.mu[k / 3] = 0.4;
            for (int i = 0; i < 3; ++i) {
                C[k][i] = y[i];
                C[k][3 + i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
            }
        }
        for (int k = 0; k < 12 * 12 * 6; ++k) {
            const int i = k % 12, j = k / 12 % 12, a = k / 144;
            r.D[i + 12 * j] += C[i][a] * C[j][a] / inertia[a];
            r.d[i] += j == 0 ? C[i][a] * v[a] : 0.0;
        }
        check_ok(ctx, dal_contact_solve_shared(&r.P, ctx));
        assert_near(r.P.residual, 0.0, 1e-12);
        assert_near(violation(&r), 0.0, 1e-11);
        for (int k = 0; k < 12 * 6; ++k) {
            whole[turn][k % 6] += C[k / 6][k % 6] * r.p[k / 6];
        }
    }
    assert_all_near(whole[1], whole[0], 6, 1e-11);
    check_ctx_free(ctx);
}

/* Friction alone: sticks below its limit, slides above. */
static void friction_alone_has_a_limit(void **state)
{
    dal_ctx *ctx = check_ctx();
    const int first[] = {0, 1}, normal[] = {0};
    const double mu[] = {2.0}, D[] = {0.5};
    for (int k = 0; k < 2; ++k) {
        const double d[] = {k == 0 ? 0.9 : 1.1};
        double p[1] = {0.0}, w[1];
        int cases[1];
        dal_contact_problem P = {1, first, normal, mu, D, d, p, w, cases, 0, 0.0, 0, 0};
        check_ok(ctx, dal_contact_solve(&P, ctx));
        assert_near(p[0], k == 0 ? -1.8 : -2.0, 1e-13);
        assert_int_equal(cases[0], k == 0 ? DAL_CONTACT_STICKS : DAL_CONTACT_SLIDES);
    }
    check_ctx_free(ctx);
}

/* A force that pulls the contact in, D < 0 (Painleve): with d < 0 there is no solution, with d > 0 the contact opens. */
static void what_has_no_solution_is_told(void **state)
{
    dal_ctx *ctx = check_ctx();
    const int first[] = {0, 1}, normal[] = {1};
    const double mu[] = {0.0}, D[] = {-0.03};
    for (int k = 0; k < 2; ++k) {
        const double d[] = {k == 0 ? -9.81 : 5.3};
        double p[1] = {0.0}, w[1];
        int cases[1];
        dal_contact_problem P = {1, first, normal, mu, D, d, p, w, cases, 0, 0.0, 0, 0};
        check_ok(ctx, dal_contact_solve(&P, ctx));
        assert_true(k == 0 ? P.residual > 1e-3 : P.residual == 0.0);
        assert_true(k == 0 || (p[0] == 0.0 && cases[0] == DAL_CONTACT_OPEN));
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_contacts_obey_the_laws), cmocka_unit_test(redundant_contacts_share),
        cmocka_unit_test(shares_do_not_depend_on_axes),  cmocka_unit_test(friction_alone_has_a_limit),
        cmocka_unit_test(what_has_no_solution_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
