/* Dense output of the Runge-Kutta methods. */
#include <math.h>
#include <stdio.h>

#include "problems/ends.h"
#include "support/check.h"

static dal_sim *started(const problem *p, const dal_options *opt)
{
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    return sim;
}

/* Largest error of q, v and lambda at five places in the middle step of three of size h. */
static void dense_error(double error[3], const problem *p, int order, double h)
{
    char options[96];
    snprintf(options, sizeof options, "integrator=rk order=%d step=fixed h=%.17g", order, h);
    const dal_options opt = ends_options(p->ctx, options);
    dal_sim *sim = started(p, &opt);
    check_ok(p->ctx, dal_sim_step(sim));
    check_ok(p->ctx, dal_sim_step(sim));
    error[0] = error[1] = error[2] = 0.0;
    for (int i = 1; i < 6; ++i) {
        const double t = h * (1.0 + i / 6.0);
        double q[2][PROBLEM_MAX], v[2][PROBLEM_MAX], la[2][PROBLEM_MAX];
        check_ok(p->ctx, dal_sim_interpolate(sim, q[0], v[0], la[0], t));
        problem_exact(p, q[1], v[1], NULL, la[1], &t, 1);
        error[0] = fmax(error[0], dal_distance(p->group, q[0], q[1]));
        error[1] = fmax(error[1], check_max_abs_diff(v[0], v[1], p->nv));
        error[2] = fmax(error[2], check_max_abs_diff(la[0], la[1], p->nc));
    }
    dal_sim_destroy(sim);
}

/* Local errors h^5 and h^8: orders 4 and 7 over a run, in lambda too. */
static void dense_output_has_orders_4_and_7(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int order = 5; order <= 8; order += 3) {
        double last[3], error[3];
        const double h = order == 5 ? 1e-3 : 4e-3;
        dense_error(last, &p, order, h);
        for (int k = 1; k < 3; ++k) {
            dense_error(error, &p, order, h / (1 << k));
            print_message("order %d, h %.3g: q %.2e (%.2f) v %.2e (%.2f) lambda %.2e (%.2f)\n", order, h / (1 << k),
                          error[0], log2(last[0] / error[0]), error[1], log2(last[1] / error[1]), error[2],
                          log2(last[2] / error[2]));
            for (int i = 0; i < 3; ++i) {
                assert_true(log2(last[i] / error[i]) > order - 0.3);
                last[i] = error[i];
            }
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output_has_orders_4_and_7),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
