/* Error of the energy over long runs: Lobatto IIIA-IIIB and generalized-alpha on the nonholonomic particle (t = 1000)
 * and the heavy top (t = 100). Writes blocks of "t error" to the file named, one per run, in the order of the list:
 *     plot_energy energy.dat */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dalembert/sim.h"
#include "problems/problems.h"

static const struct {
    const char *name;
    int particle, stages; /* stages 0: generalized-alpha */
    dal_lambda lambda;
    double T, h;
} runs[] = {
    {"particle, generalized-alpha, h = 0.02", 1, 0, DAL_LAMBDA_CONSISTENT, 1000.0, 0.02},
    {"particle, lobatto, 3 stages, h = 0.1", 1, 3, DAL_LAMBDA_CONSISTENT, 1000.0, 0.1},
    {"particle, lobatto, 3 stages, h = 0.1, symmetric", 1, 3, DAL_LAMBDA_SYMMETRIC, 1000.0, 0.1},
    {"particle, lobatto, 4 stages, h = 0.2", 1, 4, DAL_LAMBDA_CONSISTENT, 1000.0, 0.2},
    {"particle, lobatto, 4 stages, h = 0.2, symmetric", 1, 4, DAL_LAMBDA_SYMMETRIC, 1000.0, 0.2},
    {"heavy top, generalized-alpha, h = 0.001", 0, 0, DAL_LAMBDA_CONSISTENT, 100.0, 1e-3},
    {"heavy top, lobatto, 3 stages, h = 0.005", 0, 3, DAL_LAMBDA_CONSISTENT, 100.0, 5e-3},
    {"heavy top, lobatto, 3 stages, h = 0.005, symmetric", 0, 3, DAL_LAMBDA_SYMMETRIC, 100.0, 5e-3},
    {"heavy top, lobatto, 4 stages, h = 0.005", 0, 4, DAL_LAMBDA_CONSISTENT, 100.0, 5e-3},
    {"heavy top, lobatto, 4 stages, h = 0.005, symmetric", 0, 4, DAL_LAMBDA_SYMMETRIC, 100.0, 5e-3},
};

static void ok(const dal_ctx *ctx, dal_status st)
{
    if (st != DAL_OK) {
        fprintf(stderr, "%s\n", dal_ctx_message(ctx));
        exit(EXIT_FAILURE);
    }
}

/* The largest error of each of n intervals of [0, T]: what a curve of this width can show. */
static double trace(FILE *out, dal_ctx *ctx, dal_sim *sim, double T)
{
    enum { INTERVALS = 200 };
    double E0, E, last = 0.0;
    ok(ctx, dal_sim_energy(sim, &E0));
    for (int i = 1; i <= INTERVALS; ++i) {
        const double end = T * i / INTERVALS;
        double worst = 0.0;
        while (dal_sim_state(sim).t < end * (1.0 - 1e-12)) {
            ok(ctx, dal_sim_step(sim));
            ok(ctx, dal_sim_energy(sim, &E));
            worst = fmax(worst, fabs(E / E0 - 1.0));
        }
        fprintf(out, "%.6g %.3e\n", end, worst);
        last = worst;
    }
    fprintf(out, "\n\n");
    return last;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!out) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; ++k) {
        dal_ctx *ctx;
        problem p;
        dal_sim *sim;
        ok(NULL, dal_ctx_create(&ctx, NULL));
        ok(ctx,
           runs[k].particle ? problem_nonholonomic_particle(&p, ctx) : problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
        dal_options opt = dal_options_init();
        opt.integrator = runs[k].stages > 0 ? DAL_INTEGRATOR_LOBATTO : DAL_INTEGRATOR_GENALPHA;
        opt.formulation = runs[k].stages > 0 ? DAL_FORMULATION_DEFAULT : DAL_FORMULATION_INDEX3;
        opt.stages = runs[k].stages > 0 ? runs[k].stages : opt.stages;
        opt.h = runs[k].h;
        opt.lambda = (int)runs[k].lambda;
        ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
        ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        fprintf(out, "# %s\n", runs[k].name);
        const double last = trace(out, ctx, sim, runs[k].T);
        printf("%-58s relative error of the energy at the end %.1e\n", runs[k].name, last);
        dal_sim_destroy(sim);
        problem_free(&p);
        dal_ctx_destroy(ctx);
    }
    return out != stdout && fclose(out) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
