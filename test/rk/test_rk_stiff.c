/* Stiff systems: the integrator tells that stability limits its steps, and does not begin what would take hours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

/* Two masses: one swings slowly, the other is tied to it by a spring and damper of rate `rate`. */
static dal_status pair_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status pair_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const double rate = *(const double *)user;
    g[0] = q[0];
    g[1] = rate * rate * (q[1] - q[0]) + 1.6 * rate * (v[1] - v[0]);
    return DAL_OK;
}

typedef struct heard {
    int warnings;
    char text[512];
} heard;

static void listen(dal_log_level level, const char *text, void *user)
{
    heard *h = user;
    if (level == DAL_LOG_WARNING) {
        h->warnings++;
        snprintf(h->text, sizeof h->text, "%s", text);
    }
}

/* Run to t = 1 with a rate; the status, what was logged, and the number of steps. */
static dal_status run(double rate, const char *options, heard *h, char message[512], long *steps)
{
    dal_ctx *ctx;
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    const dal_config config = {.log = listen, .user = h};
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    const double q[2] = {1.0, 1.0}, v[2] = {0.0, 0.0};
    memset(h, 0, sizeof *h);
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = pair_M, .g = pair_g, .user = &rate};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    const dal_options opt = ends_options(ctx, options);
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    const dal_status st = dal_sim_run(sim, NULL, 1.0);
    snprintf(message, 512, "%s", dal_ctx_message(ctx));
    *steps = dal_sim_stats(sim).steps;
    assert_true(st != DAL_OK || fabs(dal_sim_state(sim).q[0] - cos(1.0)) < 1e-3);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    dal_ctx_destroy(ctx);
    return st;
}

static void stability_is_told_once_with_the_frequency(void **state)
{
    for (int order = 5; order <= 8; order += 3) {
        heard h;
        char options[64], message[512];
        long steps;
        double hertz = 0.0, t = 0.0;
        snprintf(options, sizeof options, "integrator=rk order=%d", order);
        assert_int_equal(run(2000.0, options, &h, message, &steps), DAL_OK);
        print_message("order %d, %ld steps: %s\n", order, steps, h.text);
        assert_int_equal(h.warnings, 1);
        assert_int_equal(
            sscanf(h.text, "step limited by stability at t = %lf, fastest frequency about %lf Hz", &t, &hertz), 2);
        assert_non_null(strstr(h.text, "use integrator = genalpha"));
        assert_near_rel(hertz, 2000.0 / 6.283, 0.3);
        assert_int_equal(run(3.0, options, &h, message, &steps), DAL_OK);
        assert_int_equal(h.warnings, 0);
    }
}

static void hopeless_runs_are_refused_with_their_cause(void **state)
{
    for (int order = 5; order <= 8; order += 3) {
        heard h;
        char options[64], message[512];
        long steps;
        snprintf(options, sizeof options, "integrator=rk order=%d", order);
        assert_int_equal(run(3e7, options, &h, message, &steps), DAL_ESTEP);
        print_message("order %d, %ld steps: %s\n", order, steps, message);
        assert_non_null(strstr(message, "step limited by stability"));
        assert_non_null(strstr(message, "integrator = genalpha"));
        assert_true(steps < 1000);
        // who insists sets max_steps
        snprintf(options, sizeof options, "integrator=rk order=%d max_steps=2000", order);
        assert_int_equal(run(3e7, options, &h, message, &steps), DAL_ESTEP);
        assert_non_null(strstr(message, "max_steps"));
    }
}

/* With fixed steps beyond the limit numbers explode; that is told, too. */
static void fixed_steps_beyond_stability_fail_with_a_cause(void **state)
{
    heard h;
    char message[512];
    long steps;
    assert_int_equal(run(1e5, "integrator=rk order=5 step=fixed h=0.01", &h, message, &steps), DAL_RETRY);
    print_message("%s\n", message);
    assert_non_null(strstr(message, "grow without bound"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stability_is_told_once_with_the_frequency),
        cmocka_unit_test(hopeless_runs_are_refused_with_their_cause),
        cmocka_unit_test(fixed_steps_beyond_stability_fail_with_a_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
