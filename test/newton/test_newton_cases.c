/* Semismooth Newton (NW.10): a contact, open or closed. */
#include <string.h>

#include "newton/newton.h"
#include "support/check.h"

/* 0 <= x perp x - 1 + y >= 0, y + x/2 = b in the prox form: open (x = 0) or closed, by the sign of z = x - 3 (x - 1 + y). */
typedef struct contact {
    double x[2], kept[2], b;
    int nresiduals, closed;
} contact;

static dal_status contact_residual(void *self, double *r)
{
    contact *k = self;
    const double w = k->x[0] - 1.0 + k->x[1];
    k->nresiduals++;
    k->closed = k->x[0] - 3.0 * w > 0.0;
    r[0] = k->closed ? w : k->x[0];
    r[1] = k->x[1] + 0.5 * k->x[0] - k->b;
    return DAL_OK;
}

static dal_status contact_jacobian(void *self, dal_matrix *A)
{
    const contact *k = self;
    const double J[] = {1.0, 0.5, k->closed ? 1.0 : 0.0, 1.0};
    dal_matrix_zero(A);
    dal_matrix_add(A, 0, J, 2, 2, 2);
    return DAL_OK;
}

static void contact_update(void *self, const double *dx, double scale)
{
    contact *k = self;
    k->x[0] += scale * dx[0];
    k->x[1] += scale * dx[1];
}

static double contact_size(void *self, const double *dx)
{
    return check_max_abs(dx, 2) / 1e-10;
}

static uint64_t contact_cases(void *self)
{
    return (uint64_t)((contact *)self)->closed;
}

/* As a law that never agrees with itself. */
static uint64_t other_cases(void *self)
{
    return (uint64_t)((contact *)self)->nresiduals;
}

static void contact_keep(void *self, int back)
{
    contact *k = self;
    memcpy(back ? k->x : k->kept, back ? k->kept : k->x, sizeof k->x);
}

static void contact_finish(void *self)
{
    fail_msg("a solution was taken on a promise");
}

static void a_solution_has_the_cases_of_the_iterate_before(void **state)
{
    const dal_newton_options opt = {
        .residual_tol = 1e-12, .part = 1.0, .max_iterations = 20, .line_search = 1, .trust = 1};
    dal_ctx *ctx = check_ctx();
    dal_pattern *pattern;
    dal_linsol *ls;
    dal_newton nw;
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 2));
    check_ok(ctx, dal_pattern_block(pattern, 0, 0, 2, 2));
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, DAL_LINSOL_SMALL));
    dal_pattern_destroy(pattern);
    check_ok(ctx, dal_newton_init(&nw, ctx, ls, &opt));
    const dal_newton_problem problem = {.residual = contact_residual,
                                        .jacobian = contact_jacobian,
                                        .update = contact_update,
                                        .size = contact_size,
                                        .finish = contact_finish,
                                        .cases = contact_cases,
                                        .keep = contact_keep};
    for (int open = 0; open < 2; ++open) {
        // begins in the wrong case
        contact k = {.x = {open ? 4.0 : 0.0, open ? -4.0 : 4.0}, .b = open ? 2.0 : 0.75};
        dal_newton_problem p = problem;
        int iterations;
        p.self = &k;
        check_ok(ctx, dal_newton_solve(&nw, &iterations, &p));
        assert_int_equal(k.closed, !open);
        assert_near(k.x[0], open ? 0.0 : 0.5, 1e-14);
        assert_near(k.x[1], open ? 2.0 : 0.5, 1e-14);
        assert_true(iterations >= 2); // one to find the case, one to confirm it
        // cases that go on changing are no solution, and the best iterate is handed back
        p.cases = other_cases;
        k.x[0] = 4.0;
        check_fails(ctx, dal_newton_solve(&nw, &iterations, &p), DAL_NOCONV, "did not converge");
        double r[2];
        check_ok(ctx, contact_residual(&k, r));
        assert_near(check_max_abs(r, 2), 0.0, 1e-14);
    }
    dal_newton_release(&nw);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_solution_has_the_cases_of_the_iterate_before)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
