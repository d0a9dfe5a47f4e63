/* Where the coefficients come from, what they are worth, and which are refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/run.h"
#include "support/check.h"

static dal_ga_coef coefficients(dal_ctx *ctx, const char *options)
{
    const dal_options opt = run_options(ctx, options);
    dal_ga_coef c;
    check_ok(ctx, dal_ga_coefficients(ctx, &c, &opt));
    return c;
}

static void chung_hulbert_follows_from_rho(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i <= 10; ++i) {
        char options[64];
        const double rho = 0.1 * i;
        snprintf(options, sizeof options, "rho_inf=%.17g", rho);
        const dal_ga_coef c = coefficients(ctx, options);
        assert_near(c.alpha_m, (2.0 * rho - 1.0) / (rho + 1.0), 1e-15);
        assert_near(c.alpha_f, rho / (rho + 1.0), 1e-15);
        assert_near(c.gamma, 0.5 + c.alpha_f - c.alpha_m, 1e-15);
        assert_near(c.beta, 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5), 1e-15);
        assert_near(c.sigma, 1.0, 0.0);
        assert_near(c.C_q, 1.0 / 6.0 - c.beta - 0.5 * (c.alpha_m - c.alpha_f), 1e-15);
        assert_near(c.C_h, 1.0 / 12.0 - 0.25 * c.beta / c.gamma, 1e-15);
    }
    check_ctx_free(ctx);
}

static void presets_have_the_expected_coefficients(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_ga_coef c = coefficients(ctx, "parameters=hht alpha=0.1");
    assert_near(c.alpha_m, 0.0, 0.0);
    assert_near(c.alpha_f, 0.1, 1e-15);
    assert_near(c.gamma, 0.6, 1e-15);
    assert_near(c.beta, 0.3025, 1e-15);
    c = coefficients(ctx, "parameters=newmark beta=0.3025 gamma=0.6");
    assert_near(c.alpha_m, 0.0, 0.0);
    assert_near(c.alpha_f, 0.0, 0.0);
    assert_near(c.gamma, 0.6, 1e-15);
    assert_near(c.beta, 0.3025, 1e-15);
    c = coefficients(ctx, "parameters=free alpha_m=0.1 alpha_f=0.3 beta=0.4 gamma=0.7");
    assert_near(c.alpha_m, 0.1, 0.0);
    assert_near(c.alpha_f, 0.3, 0.0);
    assert_near(c.beta, 0.4, 0.0);
    assert_near(c.gamma, 0.7, 0.0);
    check_ctx_free(ctx);
}

static void sigma_words_stand_for_their_formulas(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_ga_coef c = coefficients(ctx, "rho_inf=0.9 sigma=opt");
    assert_near(c.sigma, c.gamma / (3.0 * c.beta), 1e-15);
    assert_near(c.sigma, 0.66500, 5e-6);
    assert_near(c.C_h, 0.0, 1e-16);
    c = coefficients(ctx, "rho_inf=0.65 sigma=opt");
    assert_near(c.sigma, 0.64625, 5e-6);
    // C_q v'' + C_h hat(v) v' = 0 for v'' = -hat(v) v'
    c = coefficients(ctx, "rho_inf=0.9 sigma=spin");
    assert_near(c.C_h, c.C_q, 1e-15);
    assert_near(c.sigma, 1.336, 5e-4);
    check_ctx_free(ctx);
}

/* Order on the heavy top with the last two of three step sizes. */
static study top_study(dal_ctx *ctx, const char *options)
{
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 0.5, 4000);
    const study st = run_study(&p, &e, 1000, 3, 0, options);
    exact_free(&e);
    problem_free(&p);
    return st;
}

static void hht_is_of_order_two(void **state)
{
    static const char *const options[] = {"parameters=hht alpha=0.1", "parameters=hht alpha=0.3",
                                          "parameters=hht alpha=0.1 formulation=ggl"};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(options); ++i) {
        const study st = top_study(ctx, options[i]);
        check_study(&st, ORDER_ALL, 2.0, 0.1, options[i]);
    }
    check_ctx_free(ctx);
}

static void damped_newmark_is_of_order_one(void **state)
{
    static const char *const options[] = {"parameters=newmark gamma=0.6 beta=0.3025",
                                          "parameters=newmark gamma=0.6 beta=0.3025 formulation=ggl"};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(options); ++i) {
        const study st = top_study(ctx, options[i]);
        check_study(&st, ORDER_ALL, 1.0, 0.1, options[i]);
    }
    check_ctx_free(ctx);
}

static void trapezoidal_newmark_is_of_order_two_without_constraints(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_free_top(&p, ctx));
    exact e = exact_grid(&p, 2.0, 1600);
    const study st = run_study(&p, &e, 400, 3, 0, "parameters=newmark gamma=0.5 beta=0.25");
    check_study(&st, ORDER_Q | ORDER_V, 2.0, 0.1, "newmark 1/2, 1/4");
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void unstable_parameters_are_refused_unless_allowed(void **state)
{
    static const struct {
        const char *options, *why;
    } bad[] = {
        {"parameters=free alpha_m=0.4 alpha_f=0.3 beta=0.5 gamma=0.4", "alpha_m < alpha_f < 1/2"},
        {"parameters=free alpha_m=0.1 alpha_f=0.6 beta=0.6 gamma=1", "alpha_m < alpha_f < 1/2"},
        {"parameters=free alpha_m=0.1 alpha_f=0.3 beta=0.3 gamma=0.7", "beta > 1/4 + (alpha_f - alpha_m)/2 = 0.35"},
        {"parameters=newmark gamma=0.4 beta=0.25", "not unconditionally stable"},
        {"parameters=newmark gamma=0.6 beta=0.25", "2 beta >= gamma >= 1/2"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(bad); ++i) {
        dal_options opt = run_options(ctx, bad[i].options);
        dal_ga_coef c;
        check_fails(ctx, dal_ga_coefficients(ctx, &c, &opt), DAL_EOPTION, bad[i].why);
        assert_non_null(strstr(dal_ctx_message(ctx), "allow_unstable"));
        opt.allow_unstable = 1;
        check_ok(ctx, dal_ga_coefficients(ctx, &c, &opt));
        assert_near(c.gamma, opt.gamma, 0.0);
    }
    check_ctx_free(ctx);
}

/* Refusal reaches the user at creation, and so does the permission. */
static void simulation_refuses_unstable_parameters(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_sim *sim;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    dal_options opt = run_options(ctx, "parameters=free alpha_m=0.1 alpha_f=0.3 beta=0.3 gamma=0.7");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "beta");
    assert_null(sim);
    opt.allow_unstable = 1;
    check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
    dal_sim_destroy(sim);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void meaningless_parameters_are_refused_even_if_allowed(void **state)
{
    static const char *const bad[] = {
        "parameters=free alpha_m=1 allow_unstable=yes", "parameters=free alpha_f=1 allow_unstable=yes",
        "parameters=newmark beta=0 allow_unstable=yes", "parameters=newmark gamma=0 allow_unstable=yes"};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(bad); ++i) {
        const dal_options opt = run_options(ctx, bad[i]);
        dal_ga_coef c;
        check_fails(ctx, dal_ga_coefficients(ctx, &c, &opt), DAL_EOPTION, "beta > 0, gamma > 0, alpha_m < 1");
    }
    check_ctx_free(ctx);
}

/* Free coefficients that pass the check damp the algebraic variables: T^n tends to zero for both formulations. */
static void accepted_parameters_damp_starting_errors(void **state)
{
    static const dal_formulation formulation[] = {DAL_FORMULATION_INDEX3, DAL_FORMULATION_GGL};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(4);
    for (int k = 0; k < 200; ++k) {
        dal_options opt = dal_options_init();
        opt.parameters = DAL_PARAMETERS_FREE;
        opt.alpha_f = check_uniform(&rng, -0.5, 0.49);
        opt.alpha_m = opt.alpha_f - check_uniform(&rng, 0.01, 1.0);
        opt.gamma = 0.5 + opt.alpha_f - opt.alpha_m;
        opt.beta = 0.25 + 0.5 * (opt.alpha_f - opt.alpha_m) + check_uniform(&rng, 0.01, 0.3);
        dal_ga_coef c;
        check_ok(ctx, dal_ga_coefficients(ctx, &c, &opt));
        for (size_t f = 0; f < LEN(formulation); ++f) {
            double T[9];
            int n;
            check_ok(ctx, dal_error_recursion(ctx, T, &n, &c, formulation[f]));
            // T^(2^14)
            for (int i = 0; i < 14; ++i) {
                double S[9] = {0};
                for (int a = 0; a < n * n * n; ++a) {
                    S[a % n + n * (a / n / n)] += T[a % n + n * (a / n % n)] * T[a / n % n + n * (a / n / n)];
                }
                for (int a = 0; a < n * n; ++a) {
                    T[a] = S[a];
                }
            }
            assert_near(check_max_abs(T, n * n), 0.0, 1e-6);
        }
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chung_hulbert_follows_from_rho),
        cmocka_unit_test(presets_have_the_expected_coefficients),
        cmocka_unit_test(sigma_words_stand_for_their_formulas),
        cmocka_unit_test(hht_is_of_order_two),
        cmocka_unit_test(damped_newmark_is_of_order_one),
        cmocka_unit_test(trapezoidal_newmark_is_of_order_two_without_constraints),
        cmocka_unit_test(unstable_parameters_are_refused_unless_allowed),
        cmocka_unit_test(simulation_refuses_unstable_parameters),
        cmocka_unit_test(meaningless_parameters_are_refused_even_if_allowed),
        cmocka_unit_test(accepted_parameters_damp_starting_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
