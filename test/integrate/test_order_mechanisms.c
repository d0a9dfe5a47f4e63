/* Second order on mechanisms in linear coordinates, with regular and rank-deficient mass matrices, and on the spatial
 * slider crank: in q, v and lambda, largest error over all steps. sigma matters on the latter only. */
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

static const char *const formulation[] = {"index3", "index2", "ggl"};

/* All formulations with these further options, n, 2 n ... e->n steps. */
static void all_formulations(const problem *p, const exact *e, int n, const char *further)
{
    int levels = 1;
    while (n << (levels - 1) < e->n) {
        levels++;
    }
    for (size_t f = 0; f < LEN(formulation); ++f) {
        char options[128], what[192];
        snprintf(options, sizeof options, "formulation=%s %s", formulation[f], further);
        snprintf(what, sizeof what, "%s %s", p->name, options);
        const study st = run_study(p, e, n, levels, 0, options);
        check_study(&st, ORDER_ALL, 2.0, 0.1, what);
    }
}

static void order_two(problem *p, double T, int n, int n_max, const char *further)
{
    exact e = exact_grid(p, T, n_max);
    all_formulations(p, &e, n, further);
    exact_free(&e);
    problem_free(p);
}

static void planar_slider_crank_is_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_slider_crank(&p, ctx));
    order_two(&p, 1.0, 1600, 3200, "rho_inf=0.7");
    check_ctx_free(ctx);
}

/* 31 coordinates, 30 rows, h = 7.5e-5, 3.75e-5, 1.875e-5. */
static void andrews_mechanism_is_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_andrews(&p, ctx));
    order_two(&p, 0.03, 400, 1600, "rho_inf=0.7");
    check_ctx_free(ctx);
}

static void rank_deficient_pendulums_are_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_massless_frame(&p, ctx));
    order_two(&p, 2.0, 500, 2000, "rho_inf=0.9");
    check_ok(ctx, problem_massless_spring(&p, ctx));
    order_two(&p, 2.0, 500, 2000, "rho_inf=0.9");
    check_ctx_free(ctx);
}

static void spatial_slider_crank_is_of_order_two(void **state)
{
    static const char *const sigma[] = {"sigma=0", "sigma=1", "sigma=opt"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 1));
    exact e = exact_grid(&p, 0.5, 400);
    for (size_t s = 0; s < LEN(sigma); ++s) {
        all_formulations(&p, &e, 200, sigma[s]);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_slider_crank_is_of_order_two),
        cmocka_unit_test(andrews_mechanism_is_of_order_two),
        cmocka_unit_test(rank_deficient_pendulums_are_of_order_two),
        cmocka_unit_test(spatial_slider_crank_is_of_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
