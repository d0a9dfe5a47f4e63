/* Newton's method on small systems of its own: convergence, kept factors, line search, and every way to fail. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "newton/newton.h"
#include "support/check.h"

enum { NMAX = 2, HISTORY = 64 };

/* F(x) = 0 in n <= 2 unknowns with a history of residual norms at the points visited. */
typedef struct equation {
    int n;
    double x[NMAX];
    dal_status (*F)(double *r, const double *x, void *user);
    void (*J)(double *A, const double *x); /* n x n */
    double tol;                            /* of the increments */
    int nhistory, finished;
    double history[HISTORY];
    dal_status jacobian_status;
    void *user;
} equation;

static dal_status residual(void *self, double *r)
{
    equation *eq = self;
    DAL_TRY(eq->F(r, eq->x, eq->user));
    if (eq->nhistory < HISTORY) {
        eq->history[eq->nhistory++] = check_max_abs(r, eq->n);
    }
    return DAL_OK;
}

static dal_status jacobian(void *self, dal_matrix *A)
{
    equation *eq = self;
    double J[NMAX * NMAX];
    DAL_TRY(eq->jacobian_status);
    eq->J(J, eq->x);
    dal_matrix_zero(A);
    dal_matrix_add(A, 0, J, eq->n, eq->n, eq->n);
    return DAL_OK;
}

static void update(void *self, const double *dx, double scale)
{
    equation *eq = self;
    for (int i = 0; i < eq->n; ++i) {
        eq->x[i] += scale * dx[i];
    }
}

static double size(void *self, const double *dx)
{
    const equation *eq = self;
    return check_max_abs(dx, eq->n) / eq->tol;
}

static void finish(void *self)
{
    ((equation *)self)->finished++;
}

typedef struct fixture {
    dal_ctx *ctx;
    dal_linsol *ls;
    dal_newton nw;
    equation eq;
    dal_newton_problem problem;
} fixture;

static void fixture_create(fixture *f, const equation *eq, const dal_newton_options *opt)
{
    dal_pattern *pattern;
    *f = (fixture){.ctx = check_ctx(), .eq = *eq};
    check_ok(f->ctx, dal_pattern_create(&pattern, f->ctx, eq->n));
    check_ok(f->ctx, dal_pattern_block(pattern, 0, 0, eq->n, eq->n));
    check_ok(f->ctx, dal_linsol_create(&f->ls, f->ctx, pattern, DAL_LINSOL_SMALL));
    dal_pattern_destroy(pattern);
    check_ok(f->ctx, dal_newton_init(&f->nw, f->ctx, f->ls, opt));
    f->problem = (dal_newton_problem){
        .residual = residual, .jacobian = jacobian, .update = update, .size = size, .finish = finish, .self = &f->eq};
}

static void fixture_free(fixture *f)
{
    dal_newton_release(&f->nw);
    dal_linsol_destroy(f->ls);
    check_ctx_free(f->ctx);
}

static const dal_newton_options full = {.residual_tol = 1e-12, .part = 1.0, .max_iterations = 20, .line_search = 1};

/* ---- equations -------------------------------------------------------------------------------- */

/* x^2 + y^2 = 4, x y = 1 */
static dal_status circle_F(double *r, const double *x, void *user)
{
    r[0] = x[0] * x[0] + x[1] * x[1] - 4.0;
    r[1] = x[0] * x[1] - 1.0;
    return DAL_OK;
}

static void circle_J(double *A, const double *x)
{
    A[0] = 2.0 * x[0];
    A[1] = x[1];
    A[2] = 2.0 * x[1];
    A[3] = x[0];
}

static const equation circle = {.n = 2, .x = {2.2, 0.3}, .F = circle_F, .J = circle_J, .tol = 1e-10};

static dal_status arctan_F(double *r, const double *x, void *user)
{
    r[0] = atan(x[0]);
    return DAL_OK;
}

static void arctan_J(double *A, const double *x)
{
    A[0] = 1.0 / (1.0 + x[0] * x[0]);
}

static const equation arctan = {.n = 1, .x = {3.0}, .F = arctan_F, .J = arctan_J, .tol = 1e-10};

/* ---- convergence ------------------------------------------------------------------------------ */

static void full_newton_converges_quadratically(void **state)
{
    fixture f;
    int iterations;
    dal_newton_options opt = full;
    // tolerances so tight that the whole history is seen
    opt.residual_tol = 1e-15;
    equation eq = circle;
    eq.tol = 1e-15;
    fixture_create(&f, &eq, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, &iterations, &f.problem));
    const double x = sqrt(2.0 + sqrt(3.0));
    assert_near(f.eq.x[0], x, 1e-15);
    assert_near(f.eq.x[1], 1.0 / x, 1e-15);
    assert_in_range(iterations, 4, 7);
    // |F| <= |F|^2 with a new Jacobian; factors that gained two digits serve once more and gain another two
    for (int k = 1; k < f.eq.nhistory && f.eq.history[k - 1] > 1e-7; ++k) {
        const double before = f.eq.history[k - 1], gain = k > 1 ? before / f.eq.history[k - 2] : 1.0;
        assert_true(f.eq.history[k] <= (gain > 0.01 ? before * before : 0.01 * before));
    }
    fixture_free(&f);
}

static void the_last_reduction_saves_the_last_residual(void **state)
{
    fixture f;
    int iterations;
    fixture_create(&f, &circle, &full);
    check_ok(f.ctx, dal_newton_solve(&f.nw, &iterations, &f.problem));
    // a solution accepted without looking is announced by finish, and the estimate holds
    assert_int_equal(f.eq.finished, 1);
    assert_int_equal(f.eq.nhistory, iterations);
    double r[2];
    check_ok(f.ctx, circle_F(r, f.eq.x, NULL));
    assert_true(check_max_abs(r, 2) <= 1e-12 && f.nw.residual <= 1e-12);
    assert_true(f.nw.residual > 0.0);
    fixture_free(&f);
}

static void a_solution_at_the_start_stays_where_it_is(void **state)
{
    fixture f;
    equation eq = arctan;
    eq.x[0] = 0.0;
    int iterations;
    fixture_create(&f, &eq, &full);
    check_ok(f.ctx, dal_newton_solve(&f.nw, &iterations, &f.problem));
    assert_true(f.eq.x[0] == 0.0);
    assert_int_equal(iterations, 1);
    fixture_free(&f);
}

/* ---- factors ---------------------------------------------------------------------------------- */

static void modified_newton_keeps_its_factors_from_one_solve_to_the_next(void **state)
{
    fixture f;
    dal_newton_options opt = full;
    opt.modified = 1;
    fixture_create(&f, &circle, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    const long first = f.nw.stats.jacobians;
    for (int k = 0; k < 10; ++k) {
        f.eq.x[0] += 0.01;
        f.eq.x[1] -= 0.02;
        check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
        assert_near(f.eq.x[0] * f.eq.x[1], 1.0, 1e-11);
    }
    assert_int_equal(f.nw.stats.jacobians, first);
    assert_int_equal(f.nw.stats.factorisations, first);
    dal_newton_invalidate(&f.nw);
    f.eq.x[0] += 0.01;
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_int_equal(f.nw.stats.jacobians, first + 1);
    fixture_free(&f);
}

static void modified_newton_renews_factors_that_do_not_contract(void **state)
{
    fixture f;
    dal_newton_options opt = full;
    opt.modified = 1;
    fixture_create(&f, &circle, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    const long first = f.nw.stats.jacobians;
    // far away, towards the other solution (y, x)
    f.eq.x[0] = 0.4;
    f.eq.x[1] = 2.5;
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_true(f.nw.stats.jacobians > first);
    assert_near(f.eq.x[1], sqrt(2.0 + sqrt(3.0)), 1e-10);
    fixture_free(&f);
}

static void full_newton_evaluates_a_jacobian_in_every_solve(void **state)
{
    fixture f;
    fixture_create(&f, &circle, &full);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    for (int k = 0; k < 3; ++k) {
        const long before = f.nw.stats.jacobians;
        f.eq.x[0] += 0.1;
        check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
        assert_true(f.nw.stats.jacobians > before);
    }
    fixture_free(&f);
}

/* ---- line search ------------------------------------------------------------------------------ */

static void the_line_search_rescues_a_start_from_which_full_steps_diverge(void **state)
{
    fixture f;
    dal_newton_options opt = full;
    fixture_create(&f, &arctan, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_near(f.eq.x[0], 0.0, 1e-12);
    fixture_free(&f);
    opt.line_search = 0;
    fixture_create(&f, &arctan, &opt);
    const dal_status st = dal_newton_solve(&f.nw, NULL, &f.problem);
    assert_true(st == DAL_NOCONV || st == DAL_SINGULAR);
    fixture_free(&f);
}

/* sqrt(x) - 1, out of range for x < 0 */
static dal_status root_F(double *r, const double *x, void *user)
{
    if (x[0] < 0.0) {
        return DAL_RETRY;
    }
    r[0] = 0.5 - 1.0 / (1.0 + sqrt(x[0]));
    return DAL_OK;
}

static void root_J(double *A, const double *x)
{
    const double s = sqrt(x[0]);
    A[0] = 0.5 / (s * (1.0 + s) * (1.0 + s));
}

static void the_line_search_returns_from_where_the_residual_is_not_defined(void **state)
{
    fixture f;
    const equation eq = {.n = 1, .x = {20.0}, .F = root_F, .J = root_J, .tol = 1e-10};
    dal_newton_options opt = full;
    fixture_create(&f, &eq, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_near(f.eq.x[0], 1.0, 1e-10);
    fixture_free(&f);
    opt.line_search = 0;
    fixture_create(&f, &eq, &opt);
    assert_int_equal(dal_newton_solve(&f.nw, NULL, &f.problem), DAL_RETRY);
    fixture_free(&f);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void a_singular_jacobian_is_reported(void **state)
{
    fixture f;
    equation eq = circle;
    eq.x[0] = eq.x[1] = 1.0; // 2x 2y; y x: determinant 2 (x^2 - y^2)
    fixture_create(&f, &eq, &full);
    assert_int_equal(dal_newton_solve(&f.nw, NULL, &f.problem), DAL_SINGULAR);
    // and forgotten: the next solve starts afresh
    memcpy(f.eq.x, circle.x, sizeof f.eq.x);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    fixture_free(&f);
}

static void a_jacobian_that_fails_ends_the_solve_with_its_status(void **state)
{
    fixture f;
    equation eq = circle;
    eq.jacobian_status = DAL_ECALLBACK;
    fixture_create(&f, &eq, &full);
    assert_int_equal(dal_newton_solve(&f.nw, NULL, &f.problem), DAL_ECALLBACK);
    fixture_free(&f);
}

static dal_status nan_F(double *r, const double *x, void *user)
{
    r[0] = x[0] - 1.0;
    r[1] = *(const int *)user > 0 ? x[1] : NAN;
    return DAL_OK;
}

static void unit_J(double *A, const double *x)
{
    A[0] = A[3] = 1.0;
    A[1] = A[2] = 0.0;
}

static void a_residual_that_is_not_a_number_is_reported(void **state)
{
    int good = 0;
    const equation eq = {.n = 2, .x = {0.0}, .F = nan_F, .J = unit_J, .tol = 1e-10, .user = &good};
    for (int line_search = 0; line_search < 2; ++line_search) {
        fixture f;
        dal_newton_options opt = full;
        opt.line_search = line_search;
        fixture_create(&f, &eq, &opt);
        check_fails(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem), DAL_NOCONV, "nan");
        fixture_free(&f);
    }
}

/* A residual whose last digits are noise: the iteration cannot get below. */
typedef struct noise {
    double size;
    int calls;
} noise;

static dal_status noisy_F(double *r, const double *x, void *user)
{
    noise *z = user;
    r[0] = atan(x[0]) + z->size * (2.0 + sin(z->calls++));
    return DAL_OK;
}

static void stagnation_at_the_level_of_rounding_is_accepted(void **state)
{
    fixture f;
    noise z = {.size = 1e-13};
    const equation eq = {.n = 1, .x = {0.5}, .F = noisy_F, .J = arctan_J, .tol = 1e-16, .user = &z};
    fixture_create(&f, &eq, &full);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_near(f.eq.x[0], 0.0, 1e-12);
    assert_true(z.calls < 12);
    fixture_free(&f);
    // noise far above the tolerance is not
    z = (noise){.size = 1e-4};
    fixture_create(&f, &eq, &full);
    check_fails(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem), DAL_NOCONV, "did not converge");
    fixture_free(&f);
}

/* Near its zero the residual is noise that new and old factors turn into each other: 1e-16, 1e-19, 1e-16, ... */
static dal_status alternating_F(double *r, const double *x, void *user)
{
    noise *z = user;
    const double value = atan(x[0]);
    r[0] = fabs(value) > 1e-12 ? value : z->calls++ % 2 ? 1e-19 : 1e-16;
    return DAL_OK;
}

static void a_residual_that_alternates_at_the_level_of_rounding_is_accepted(void **state)
{
    fixture f;
    noise z = {0};
    const equation eq = {.n = 1, .x = {0.5}, .F = alternating_F, .J = arctan_J, .tol = 1e-40, .user = &z};
    fixture_create(&f, &eq, &full);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    assert_true(f.nw.residual <= 1e-16);
    assert_true(z.calls <= 5);
    fixture_free(&f);
}

/* A residual that falls from 1e6 to noise promises a rate that the next iteration cannot keep. */
static dal_status steep_F(double *r, const double *x, void *user)
{
    noise *z = user;
    r[0] = 1e6 * x[0] + (fabs(x[0]) < 1.0 ? z->size * (2.0 + sin(z->calls++)) : 0.0);
    return DAL_OK;
}

static void steep_J(double *A, const double *x)
{
    A[0] = 1e6;
}

static void a_solution_to_be_verified_is_not_accepted_on_a_promise(void **state)
{
    for (int verify = 0; verify < 2; ++verify) {
        fixture f;
        noise z = {.size = 1e-8};
        const equation eq = {.n = 1, .x = {1.0}, .F = steep_F, .J = steep_J, .tol = 1.0, .user = &z};
        fixture_create(&f, &eq, &full);
        f.nw.verify = verify;
        const dal_status st = dal_newton_solve(&f.nw, NULL, &f.problem);
        assert_int_equal(st, verify ? DAL_NOCONV : DAL_OK);
        fixture_free(&f);
    }
}

/* Noise above the tolerance of the residual, but 1e-8 of where it came from, and in increments that do not matter. The Jacobian is a
 * fifth too large, so that no reduction promises more than there is. */
static dal_status line_F(double *r, const double *x, void *user)
{
    noise *z = user;
    r[0] = x[0] + z->size * (2.0 + sin(z->calls++));
    return DAL_OK;
}

static void line_J(double *A, const double *x)
{
    A[0] = 1.2;
}

static void rounding_of_a_stiff_residual_is_accepted_where_increments_are_small(void **state)
{
    static const struct {
        double tol, noise;
        dal_status st;
    } cases[] = {{1e-6, 1e-10, DAL_OK}, {1e-12, 1e-10, DAL_NOCONV}, {1.0, 1e-5, DAL_NOCONV}};
    for (int k = 0; k < 3; ++k) {
        fixture f;
        noise z = {.size = cases[k].noise};
        const equation eq = {.n = 1, .x = {1.0}, .F = line_F, .J = line_J, .tol = cases[k].tol, .user = &z};
        dal_newton_options stiff = full;
        stiff.stiff = 1;
        fixture_create(&f, &eq, &stiff);
        assert_int_equal(dal_newton_solve(&f.nw, NULL, &f.problem), cases[k].st);
        fixture_free(&f);
    }
}

/* x^2 + 1 has no zero. */
static dal_status none_F(double *r, const double *x, void *user)
{
    r[0] = x[0] * x[0] + 1.0;
    return DAL_OK;
}

static void none_J(double *A, const double *x)
{
    A[0] = 2.0 * x[0];
}

static void giving_up_tells_iterations_residuals_and_tolerance(void **state)
{
    fixture f;
    const equation eq = {.n = 1, .x = {3.0}, .F = none_F, .J = none_J, .tol = 1e-10};
    dal_newton_options opt = full;
    fixture_create(&f, &eq, &opt);
    assert_int_equal(dal_newton_solve(&f.nw, NULL, &f.problem), DAL_NOCONV);
    fixture_free(&f);
    opt.max_iterations = 2;
    int iterations;
    equation slow = circle;
    fixture_create(&f, &slow, &opt);
    check_fails(f.ctx, dal_newton_solve(&f.nw, &iterations, &f.problem), DAL_NOCONV,
                "did not converge in 2 iterations: scaled residual 9.30e-01 at the start");
    check_fails(f.ctx, dal_ctx_status(f.ctx), DAL_NOCONV, "tolerance 1.00e-12");
    assert_int_equal(iterations, 2);
    fixture_free(&f);
}

static void name_equation(void *self, char *buffer, size_t size, int k)
{
    snprintf(buffer, size, "%s", k == 0 ? "the circle" : "the hyperbola");
}

static void giving_up_names_the_equation_that_is_off_most(void **state)
{
    fixture f;
    int good = 0;
    dal_newton_options opt = full;
    opt.max_iterations = 1;
    fixture_create(&f, &circle, &opt);
    f.problem.name = name_equation;
    check_fails(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem), DAL_NOCONV, "at the end, largest in the circle, tol");
    fixture_free(&f);
    const equation eq = {.n = 2, .x = {0.0}, .F = nan_F, .J = unit_J, .tol = 1e-10, .user = &good};
    fixture_create(&f, &eq, &full);
    f.problem.name = name_equation;
    check_fails(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem), DAL_NOCONV, "nan, largest in the hyperbola");
    fixture_free(&f);
}

/* What kept factors leave of an increment is a small part of its tolerance, because it has the same sign each time. */
static void modified_newton_leaves_a_hundredth_of_the_tolerance(void **state)
{
    const double x = sqrt(2.0 + sqrt(3.0));
    double worst = 0.0;
    fixture f;
    dal_newton_options opt = full;
    opt.modified = 1;
    opt.residual_tol = 1.0;
    opt.part = 0.01;
    equation eq = circle;
    eq.tol = 1e-6;
    fixture_create(&f, &eq, &opt);
    check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
    for (int k = 0; k < 20; ++k) {
        f.eq.x[0] = x + 0.03 + 0.01 * k;
        f.eq.x[1] = 1.0 / x - 0.02;
        check_ok(f.ctx, dal_newton_solve(&f.nw, NULL, &f.problem));
        worst = fmax(worst, fmax(fabs(f.eq.x[0] - x), fabs(f.eq.x[1] - 1.0 / x)));
    }
    print_message("largest error %.2e, tolerance %.1e\n", worst, eq.tol);
    assert_true(worst <= 0.02 * eq.tol);
    fixture_free(&f);
}

static void solving_allocates_nothing(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_pattern *pattern;
    dal_linsol *ls;
    dal_newton nw;
    equation eq = circle;
    const dal_newton_problem problem = {
        .residual = residual, .jacobian = jacobian, .update = update, .size = size, .finish = finish, .self = &eq};
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 2));
    check_ok(ctx, dal_pattern_block(pattern, 0, 0, 2, 2));
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, DAL_LINSOL_SMALL));
    dal_pattern_destroy(pattern);
    check_ok(ctx, dal_newton_init(&nw, ctx, ls, &full));
    const long before = alloc.total;
    check_ok(ctx, dal_newton_solve(&nw, NULL, &problem));
    assert_int_equal(alloc.total, before);
    dal_newton_release(&nw);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_newton_converges_quadratically),
        cmocka_unit_test(the_last_reduction_saves_the_last_residual),
        cmocka_unit_test(a_solution_at_the_start_stays_where_it_is),
        cmocka_unit_test(modified_newton_keeps_its_factors_from_one_solve_to_the_next),
        cmocka_unit_test(modified_newton_renews_factors_that_do_not_contract),
        cmocka_unit_test(full_newton_evaluates_a_jacobian_in_every_solve),
        cmocka_unit_test(the_line_search_rescues_a_start_from_which_full_steps_diverge),
        cmocka_unit_test(the_line_search_returns_from_where_the_residual_is_not_defined),
        cmocka_unit_test(a_singular_jacobian_is_reported),
        cmocka_unit_test(a_jacobian_that_fails_ends_the_solve_with_its_status),
        cmocka_unit_test(a_residual_that_is_not_a_number_is_reported),
        cmocka_unit_test(stagnation_at_the_level_of_rounding_is_accepted),
        cmocka_unit_test(a_residual_that_alternates_at_the_level_of_rounding_is_accepted),
        cmocka_unit_test(a_solution_to_be_verified_is_not_accepted_on_a_promise),
        cmocka_unit_test(rounding_of_a_stiff_residual_is_accepted_where_increments_are_small),
        cmocka_unit_test(giving_up_tells_iterations_residuals_and_tolerance),
        cmocka_unit_test(giving_up_names_the_equation_that_is_off_most),
        cmocka_unit_test(modified_newton_leaves_a_hundredth_of_the_tolerance),
        cmocka_unit_test(solving_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
