/* Cost of a step, and error against cost.
 *
 *     bench_integrate                        the tables
 *     bench_integrate CASE METHOD STEPS      run that many steps and print nothing: bench/instructions counts them */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "dalembert/sim.h"
#include "problems/problems.h"

typedef struct bench_case {
    const char *name;
    double h;
    int steps;
    const char *options[4];
} bench_case;

static const bench_case cases[] = {
    {"heavy_top", 1e-3, 1000, {0}},
    {"rotor", 1e-5, 1000, {"starting=naive", "atol=1e-18"}},
    {"andrews", 1e-5, 1000, {"rho_inf=0.7"}},
    {"slider_crank", 1e-3, 1000, {"rho_inf=0.7"}},
};
enum { NCASES = sizeof cases / sizeof cases[0] };

typedef struct run {
    dal_ctx *ctx;
    problem p;
    dal_sim *sim;
    double t_end;
} run;

static void make_problem(run *r, const char *name)
{
    bench_ok(NULL, dal_ctx_create(&r->ctx, NULL));
    const dal_status st = strcmp(name, "heavy_top") == 0 ? problem_heavy_top(&r->p, r->ctx, HEAVY_TOP_R3SO3)
                          : strcmp(name, "rotor") == 0   ? problem_rotor(&r->p, r->ctx, 0)
                          : strcmp(name, "andrews") == 0 ? problem_andrews(&r->p, r->ctx)
                                                         : problem_slider_crank(&r->p, r->ctx);
    bench_ok(r->ctx, st);
}

static void make_run(run *r, const char *name, double h, int steps, const char *const *option, int n)
{
    make_problem(r, name);
    dal_options opt = dal_options_init();
    opt.h = h;
    opt.formulation = DAL_FORMULATION_INDEX3; // unless a method says otherwise
    for (int i = 0; i < n; ++i) {
        if (option[i]) {
            bench_ok(r->ctx, dal_options_parse(r->ctx, dal_options_table(), &opt, option[i]));
        }
    }
    bench_ok(r->ctx, dal_sim_create(&r->sim, r->ctx, r->p.sys, &opt));
    r->t_end = h * steps;
}

static void free_run(run *r)
{
    dal_sim_destroy(r->sim);
    problem_free(&r->p);
    dal_ctx_destroy(r->ctx);
}

static void work(void *data)
{
    run *r = data;
    bench_ok(r->ctx, dal_sim_start(r->sim, NULL, 0.0, r->p.q0, r->p.v0));
    bench_ok(r->ctx, dal_sim_run(r->sim, NULL, r->t_end));
}

static void case_run(run *r, const bench_case *c, const char *method, int steps)
{
    const char *option[] = {method, c->options[0], c->options[1], c->options[2], c->options[3]};
    make_run(r, c->name, c->h, steps, option, 5);
}

/* us, iterations and Jacobians per step. */
static void cost_table(void)
{
    static const char *const method[] = {"newton=full", "newton=modified", "integrator=bdf", "formulation=ggl",
                                         "integrator=rattlie"};
    bench_title("Cost of a step");
    printf("%14s %18s %10s %10s %10s %10s\n", "problem", "method", "us/step", "it/step", "jac/step", "eval/step");
    for (int c = 0; c < NCASES; ++c) {
        for (size_t m = 0; m < sizeof method / sizeof method[0]; ++m) {
            run r;
            case_run(&r, &cases[c], method[m], cases[c].steps);
            work(&r);
            const dal_stats s = dal_sim_stats(r.sim);
            const double n = (double)s.steps;
            printf("%14s %18s %10.3f %10.2f %10.3f %10.2f\n", cases[c].name, method[m],
                   1e6 * bench_seconds(work, &r) / n, (double)s.newton_iterations / n, (double)s.jacobians / n,
                   (double)s.residuals / n);
            fflush(stdout);
            free_run(&r);
        }
    }
}

/* Heavy top on [0, 1]: error of x at t = 1 and time. */
static void work_precision(void)
{
    static const char *const method[][3] = {{"formulation=index3", "sigma=0"},
                                            {"formulation=index3", "sigma=1"},
                                            {"formulation=ggl", "sigma=0"},
                                            {"formulation=ggl", "sigma=1"},
                                            {"formulation=index2", "sigma=1"}};
    static const int steps[] = {250, 500, 1000, 2000, 4000, 8000, 16000, 32000};
    bench_title("Heavy top on [0, 1]: error of x at t = 1 / CPU ms");
    printf("%18s", "");
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
        printf("%15d steps", steps[k]);
    }
    printf("\n");
    for (size_t m = 0; m < sizeof method / sizeof method[0]; ++m) {
        printf("%8s %-9s", method[m][0] + strlen("formulation="), method[m][1]);
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
            run r;
            double q[PROBLEM_MAX], error = 0.0;
            const double t = 1.0;
            make_run(&r, "heavy_top", 1.0 / steps[k], steps[k], method[m], 3);
            const double ms = 1e3 * bench_seconds(work, &r);
            problem_exact(&r.p, q, NULL, NULL, NULL, &t, 1);
            for (int i = 0; i < 3; ++i) {
                error = hypot(error, q[i] - dal_sim_state(r.sim).q[i]);
            }
            printf("   %8.2e / %6.2f", error, ms);
            fflush(stdout);
            free_run(&r);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        for (int c = 0; c < NCASES; ++c) {
            if (strcmp(argv[1], cases[c].name) == 0) {
                run r;
                case_run(&r, &cases[c], argv[2], atoi(argv[3]));
                work(&r);
                free_run(&r);
                return EXIT_SUCCESS;
            }
        }
        fprintf(stderr, "no case '%s'\n", argv[1]);
        return EXIT_FAILURE;
    }
    cost_table();
    work_precision();
    return EXIT_SUCCESS;
}
