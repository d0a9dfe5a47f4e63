/* Which method is cheapest for which accuracy? For every built-in model, the processor time in milliseconds that each
 * method needs to bring the error of q at the end below 1e-2, 1e-4 ... 1e-10 of the way that the motion has gone, and the
 * cheapest of them. Step sizes are halved, tolerances divided by 4.
 *
 *     bench_methods            a table of all built-in models, as in docs/user/cli.md
 *     bench_methods MODEL ...  details of these */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "dalembert/analysis.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"

#define LEN(a) (int)(sizeof(a) / sizeof((a)[0]))

enum { TARGETS = 5 };
static const double target[TARGETS] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};

typedef struct method {
    const char *name;
    const char *set[3];
    int adaptive;
    double first; /* step size in units of the model's, or first tolerance */
} method;

static const method methods[] = {
    {"index3", {"integrator=genalpha", "formulation=index3", "step=fixed"}, 0, 8.0},
    {"genalpha, adaptive", {"integrator=genalpha", "formulation=index3", "step=adaptive"}, 1, 1e-2},
    {"lobatto3", {"integrator=lobatto", "stages=3", "step=fixed"}, 0, 16.0},
    {"lobatto4", {"integrator=lobatto", "stages=4", "step=fixed"}, 0, 32.0},
    {"lobatto5", {"integrator=lobatto", "stages=5", "step=fixed"}, 0, 64.0},
    {"rk5", {"integrator=rk", "order=5", "step=adaptive"}, 1, 1e-2},
    {"rk8", {"integrator=rk", "order=8", "step=adaptive"}, 1, 1e-2},
};

typedef struct job {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    double T, way;
    dal_samples ref, got;
    dal_error known;
    double best[LEN(methods)][TARGETS]; /* milliseconds; infinite: not reached */
} job;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The model and its exact state at the end; 0 if there is none. */
static int open_job(job *j, const char *name)
{
    bench_ok(NULL, dal_ctx_create(&j->ctx, NULL));
    bench_ok(j->ctx, dal_document_open(&j->doc, j->ctx, name, NULL, 0));
    j->model = dal_document_model(j->doc);
    bench_ok(j->ctx, dal_model_compile(j->model, &j->sys));
    bench_ok(j->ctx, dal_document_assemble(j->doc, NULL, j->sys));
    j->T = fmin(dal_document_t_end(j->doc), 1.0);
    const double t[2] = {0.0, j->T};
    bench_ok(j->ctx, dal_samples_create(&j->ref, j->ctx, j->sys, t, 2));
    bench_ok(j->ctx, dal_samples_create(&j->got, j->ctx, j->sys, t, 2));
    if (dal_reference(&j->ref, &j->known, j->ctx, j->sys, 0.0, dal_model_q0(j->model), dal_model_v0(j->model),
                      dal_document_options(j->doc), 1e-12) != DAL_OK) {
        return 0;
    }
    j->way = dal_samples_size(j->sys->group, &j->ref).q;
    return 1;
}

static void close_job(job *j)
{
    dal_samples_release(&j->ref);
    dal_samples_release(&j->got);
    dal_document_destroy(j->doc);
    dal_ctx_destroy(j->ctx);
}

/* Time of one run, the best of up to three; *error of q relative to the way. Infinite if the run fails. */
static double run(job *j, const dal_options *opt, double *error)
{
    double best = INFINITY;
    *error = INFINITY;
    for (int k = 0; k < 3; ++k) {
        dal_sim *sim;
        bench_ok(j->ctx, dal_sim_create(&sim, j->ctx, j->sys, opt));
        dal_status st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(j->model), dal_model_v0(j->model));
        const double start = cpu();
        st = st == DAL_OK ? dal_samples_run(&j->got, sim, NULL) : st;
        const double time = cpu() - start;
        dal_sim_destroy(sim);
        if (st != DAL_OK) {
            return INFINITY;
        }
        best = fmin(best, time);
        *error = dal_samples_error(j->sys->group, &j->got, &j->ref, 2).q / j->way;
        if (best > 0.05) {
            break;
        }
    }
    return best;
}

static void measure(job *j, int m, int details)
{
    const method *me = &methods[m];
    dal_options opt = *dal_document_options(j->doc);
    const double h = opt.h;
    for (int i = 0; i < LEN(me->set); ++i) {
        bench_ok(j->ctx, dal_options_parse(j->ctx, dal_options_table(), &opt, me->set[i]));
    }
    opt.formulation = me->set[0][11] == 'g' ? opt.formulation : DAL_FORMULATION_INDEX3;
    opt.step_atol = 1e-14;
    opt.max_steps = 400000;
    for (int t = 0; t < TARGETS; ++t) {
        j->best[m][t] = INFINITY;
    }
    for (int k = 0; k < 20; ++k) {
        double error;
        opt.step_rtol = me->adaptive ? fmax(me->first * pow(0.25, k), 1e-14) : opt.step_rtol;
        opt.h = me->adaptive ? h : h * me->first * pow(0.5, k);
        const double time = run(j, &opt, &error);
        if (details) {
            printf("%-20s %10.3g  error %.2e  %10.3f ms\n", me->name, me->adaptive ? opt.step_rtol : opt.h, error,
                   1e3 * time);
        }
        for (int t = 0; t < TARGETS; ++t) {
            j->best[m][t] = error <= target[t] ? fmin(j->best[m][t], 1e3 * time) : j->best[m][t];
        }
        if (error < target[TARGETS - 1] || (isfinite(time) && time > 0.1)) {
            break;
        }
    }
}

static void row(const char *name, int details)
{
    job j = {0};
    if (open_job(&j, name)) {
        for (int m = 0; m < LEN(methods); ++m) {
            measure(&j, m, details);
        }
        printf("| %s, %g s |", name, j.T);
        for (int t = 0; t < TARGETS; ++t) {
            int best = -1;
            for (int m = 0; m < LEN(methods); ++m) {
                best = isfinite(j.best[m][t]) && (best < 0 || j.best[m][t] < j.best[best][t]) ? m : best;
            }
            if (best < 0 || target[t] < 3.0 * j.known.q / j.way) {
                printf(" - |");
            } else {
                const double g = fmin(j.best[0][t], j.best[1][t]);
                printf(" %s %.2g", methods[best].name, j.best[best][t]);
                printf(isfinite(g) && best > 1 ? " (%.2g) |" : " |", g);
            }
        }
        printf("\n");
    } else {
        printf("| %s | no reference: %s |\n", name, dal_ctx_message(j.ctx));
    }
    fflush(stdout);
    close_job(&j);
}

int main(int argc, char **argv)
{
    printf("Cheapest method and its milliseconds; in parentheses those of generalized-alpha\n\n| model |");
    for (int t = 0; t < TARGETS; ++t) {
        printf(" %.0e |", target[t]);
    }
    printf("\n|---|---|---|---|---|---|\n");
    for (int k = 1; k < argc; ++k) {
        row(argv[k], 1);
    }
    for (int k = 0; argc == 1 && k < dal_builtin_count(); ++k) {
        row(dal_builtin_model(k).name, 0);
    }
    return 0;
}
