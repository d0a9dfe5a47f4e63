/* What becomes of constraints that are not imposed: growth of Phi at lower index, none with projection. And the
 * condition of the iteration matrix with and without scaling. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

/* ---- drift ------------------------------------------------------------------------------------ */

enum { TIMES = 5 };

/* |Phi| at its largest until t = T/16, T/8, ... T. */
typedef struct drift {
    double T, largest, until[TIMES];
    int n;
} drift;

static dal_status watch(dal_sim *sim, const dal_state *s, void *self)
{
    drift *d = self;
    double Phi;
    DAL_TRY(dal_sim_residuals(sim, &Phi, NULL));
    d->largest = fmax(d->largest, Phi);
    if (d->n < TIMES && s->t >= d->T / (1 << (TIMES - 1 - d->n)) * (1.0 - 1e-9)) {
        d->until[d->n++] = d->largest;
    }
    return DAL_OK;
}

static drift drift_of(const problem *p, double T, const char *options)
{
    drift d = {.T = T};
    dal_sim *sim;
    const dal_options opt = run_options(p->ctx, options);
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_observe(sim, watch, &d));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    check_ok(p->ctx, dal_sim_run(sim, NULL, T));
    dal_sim_destroy(sim);
    assert_int_equal(d.n, TIMES);
    print_message("%s %s:", p->name, options);
    for (int i = 0; i < TIMES; ++i) {
        print_message(" %.2e", d.until[i]);
    }
    print_message(", exponent %.2f\n", log2(d.until[TIMES - 1] / d.until[0]) / (TIMES - 1));
    return d;
}

static double exponent(const drift *d)
{
    return log2(d->until[TIMES - 1] / d->until[0]) / (TIMES - 1);
}

/* Phi' = -B l_q/h: linear where the mean of B l_q does not vanish. The drive moves away from its start for ever, the
 * spatial slider crank goes round with sigma = 0. */
static void index2_drifts_linearly(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_cubic_drive(&p, ctx));
    drift d = drift_of(&p, 10.0, "formulation=index2 h=0.01");
    assert_near(exponent(&d), 1.0, 0.02);
    problem_free(&p);
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 1));
    d = drift_of(&p, 10.0, "formulation=index2 sigma=0 h=2e-3");
    assert_near(exponent(&d), 1.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A pendulum comes back to where it was: B l_q is the derivative of a periodic function, nothing accumulates. */
static void index2_drift_of_a_pendulum_stays_bounded(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    const drift d = drift_of(&p, 40.0, "formulation=index2 h=1e-2");
    assert_near(exponent(&d), 0.0, 0.02);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void index1_drifts_quadratically(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    drift d = drift_of(&p, 20.0, "formulation=index1 h=1e-3");
    assert_near(exponent(&d), 2.0, 0.1);
    problem_free(&p);
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    d = drift_of(&p, 20.0, "formulation=index1 h=2e-3");
    assert_near(exponent(&d), 2.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void projection_removes_the_drift(void **state)
{
    static const char *const options[] = {
        "formulation=index1 h=1e-3 projection=plain project_position=yes projection_every=1",
        "formulation=index2 h=1e-3 projection=plain project_position=yes projection_every=1",
        "formulation=index3 h=1e-3", "formulation=ggl h=1e-3"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (size_t i = 0; i < LEN(options); ++i) {
        const drift d = drift_of(&p, 5.0, options[i]);
        assert_near(d.largest, 0.0, 1e-10);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Projection now and then keeps Phi at what accumulates in between. */
static void projection_at_intervals_bounds_the_drift(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    const drift d = drift_of(&p, 10.0,
                             "formulation=index1 h=1e-3 projection=plain project_position=yes "
                             "projection_every=100");
    assert_near(exponent(&d), 0.0, 0.15);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- condition -------------------------------------------------------------------------------- */

/* Condition of the matrix of the last of ten steps of size h = 1e-2, 1e-3 ... (n of them): renewed in every step. */
static void conditions(double *cond, int n, const problem *p, const char *options)
{
    print_message("%s %s:", p->name, options);
    for (int k = 0; k < n; ++k) {
        const double h = pow(10.0, -2.0 - k);
        char text[192];
        snprintf(text, sizeof text, "%s h=%.17g newton=full", options, h);
        run r = run_good(p, 10.0 * h, text);
        cond[k] = r.condition;
        print_message(" %.2e", cond[k]);
        run_free(&r);
    }
    print_message("\n");
}

/* Without scaling it grows like h^-4 (index 3), h^-3 (index 2 and, for small h, ggl), h^-2 (index 1): the mass in the
 * dynamic rows brings h^-2, the columns of lambda against velocity or position rows bring the rest. At h = 1e-6 such
 * matrices are singular in double precision. */
static void condition_is_bounded_with_scaling_and_grows_without(void **state)
{
    static const struct {
        const char *formulation;
        double least, most;
    } growth[] = {{"index3", 3.9, 4.1}, {"index2", 2.9, 3.1}, {"ggl", 1.9, 4.1}, {"index1", 1.9, 2.1}};
    dal_ctx *ctx = check_ctx();
    problem top, crank;
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    check_ok(ctx, problem_slider_crank(&crank, ctx));
    const problem *const p[] = {&top, &crank};
    for (size_t i = 0; i < LEN(p); ++i) {
        for (size_t f = 0; f < LEN(growth); ++f) {
            char options[128];
            double cond[5];
            snprintf(options, sizeof options, "formulation=%s", growth[f].formulation);
            conditions(cond, 5, p[i], options);
            for (int k = 1; k < 5; ++k) {
                assert_true(cond[k] <= cond[k - 1] * 1.01);
            }
            snprintf(options, sizeof options, "formulation=%s scaling=no atol=1 rtol=1e-6", growth[f].formulation);
            conditions(cond, 3, p[i], options);
            const double power = log10(cond[2] / cond[1]);
            assert_true(power >= growth[f].least && power <= growth[f].most);
        }
    }
    problem_free(&top);
    problem_free(&crank);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index2_drifts_linearly),
        cmocka_unit_test(index2_drift_of_a_pendulum_stays_bounded),
        cmocka_unit_test(index1_drifts_quadratically),
        cmocka_unit_test(projection_removes_the_drift),
        cmocka_unit_test(projection_at_intervals_bounds_the_drift),
        cmocka_unit_test(condition_is_bounded_with_scaling_and_grows_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
