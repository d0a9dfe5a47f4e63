/* Long runs: constraints at rounding, energy. */
#include <math.h>

#include "problems/ends.h"
#include "support/check.h"

typedef struct trace {
    double Phi, vel;    /* largest residuals */
    double early, late; /* largest relative error of the energy in the first and in the last tenth */
} trace;

static trace long_run(const problem *p, int steps, const dal_options *opt)
{
    trace r = {0};
    dal_sim *sim;
    double E0, E, Phi, vel;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    check_ok(p->ctx, dal_sim_energy(sim, &E0));
    for (int i = 0; i < steps; ++i) {
        check_ok(p->ctx, dal_sim_step(sim));
        check_ok(p->ctx, dal_sim_energy(sim, &E));
        check_ok(p->ctx, dal_sim_residuals(sim, &Phi, &vel));
        r.Phi = fmax(r.Phi, Phi);
        r.vel = fmax(r.vel, vel);
        if (i < steps / 10) {
            r.early = fmax(r.early, fabs(E / E0 - 1.0));
        } else if (i >= steps - steps / 10) {
            r.late = fmax(r.late, fabs(E / E0 - 1.0));
        }
    }
    print_message("%-22s %d steps, lambda %d: |Phi| %.1e  |B v| %.1e  energy %.2e, at the end %.2e\n", p->name, steps,
                  opt->lambda, r.Phi, r.vel, r.early, r.late);
    dal_sim_destroy(sim);
    return r;
}

/* t = 5000: with symmetric multipliers the energy only oscillates. */
static void particle_keeps_constraint_and_energy_over_100000_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    const dal_options consistent = ends_options(ctx, "stages=3 h=0.05");
    const dal_options symmetric = ends_options(ctx, "stages=3 h=0.05 lambda=symmetric");
    const trace a = long_run(&p, 100000, &consistent), b = long_run(&p, 100000, &symmetric);
    assert_true(a.vel < 1e-14 && b.vel < 1e-14);
    assert_true(b.late < 1.2 * b.early && b.late < 5e-8);
    assert_true(a.late > 50.0 * b.late);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* t = 100, 2400 turns of the spin */
static void top_keeps_constraints_over_100_seconds(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    const dal_options consistent = ends_options(ctx, "stages=4 h=0.005");
    const dal_options symmetric = ends_options(ctx, "stages=4 h=0.005 lambda=symmetric");
    const dal_options genalpha = ends_options(ctx, "integrator=genalpha formulation=index3 h=0.001");
    const trace a = long_run(&p, 20000, &consistent), b = long_run(&p, 20000, &symmetric);
    const trace c = long_run(&p, 100000, &genalpha);
    // the ends of `consistent` are projected; those of `symmetric` hold as far as Newton's method carries: 1.8e-15
    assert_true(a.Phi < 1e-15 && b.Phi < 4e-15 && a.vel < 3e-14 && b.vel < 3e-14);
    assert_true(a.late < 5e-5 && b.late < 1e-9 && c.late > 1e-3);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_keeps_constraint_and_energy_over_100000_steps),
        cmocka_unit_test(top_keeps_constraints_over_100_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
