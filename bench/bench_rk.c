/* Explicit Runge-Kutta: error against cost on the heavy top, and the cost of one evaluation of the right-hand side on the
 * heavy top and on chains. Times are CPU time, the best of several runs.
 *
 *     bench_rk                          the tables
 *     bench_rk MODEL OPTION ... STEPS   so many steps of a built-in model, for callgrind */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "problems/problems.h"

#define LEN(a) (int)(sizeof(a) / sizeof((a)[0]))

/* ---- a built-in model ------------------------------------------------------------------------- */

typedef struct run {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    dal_sim *sim;
    double T;
} run;

static void open_run(run *r, const char *name, const char *const *set, int n)
{
    const dal_system *sys;
    bench_ok(NULL, dal_ctx_create(&r->ctx, NULL));
    bench_ok(r->ctx, dal_document_open(&r->doc, r->ctx, name, set, n));
    r->model = dal_document_model(r->doc);
    bench_ok(r->ctx, dal_model_compile(r->model, &sys));
    bench_ok(r->ctx, dal_document_assemble(r->doc, NULL, sys));
    bench_ok(r->ctx, dal_sim_create(&r->sim, r->ctx, sys, dal_document_options(r->doc)));
}

static void close_run(run *r)
{
    dal_sim_destroy(r->sim);
    dal_document_destroy(r->doc);
    dal_ctx_destroy(r->ctx);
}

static void start(run *r)
{
    bench_ok(r->ctx, dal_sim_start(r->sim, NULL, 0.0, dal_model_q0(r->model), dal_model_v0(r->model)));
}

static void again(void *data)
{
    run *r = data;
    start(r);
    bench_ok(r->ctx, dal_sim_run(r->sim, NULL, r->T));
}

/* ---- error against cost ------------------------------------------------------------------------ */

/* The exact position of the heavy top at t = 1. */
static void exact_top(double x[3])
{
    dal_ctx *ctx;
    problem p;
    double q[PROBLEM_MAX];
    const double T = 1.0;
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    bench_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    problem_exact(&p, q, NULL, NULL, NULL, &T, 1);
    memcpy(x, q, 3 * sizeof *x);
    problem_free(&p);
    dal_ctx_destroy(ctx);
}

/* One row: options after the coordinates; error of x(1), steps, milliseconds, evaluations and time for each. */
static void top_row(const double exact[3], const char *coordinates, const char *order, const char *rtol)
{
    const char *const set[] = {coordinates, "integrator=rk", order, rtol, "step_atol=1e-14"};
    run r = {.T = 1.0};
    double sum = 0.0;
    open_run(&r, "heavy_top", set, LEN(set));
    again(&r);
    const dal_stats st = dal_sim_stats(r.sim);
    const double *x = dal_sim_state(r.sim).q;
    for (int i = 0; i < 3; ++i) {
        sum += (exact[i] - x[i]) * (exact[i] - x[i]);
    }
    const double seconds = bench_seconds(again, &r);
    printf("%8s %16s", order + 6, rtol + 10);
    bench_cell(sqrt(sum));
    bench_cell((double)st.steps);
    bench_cell(1e3 * seconds);
    bench_cell((double)st.factorisations);
    bench_cell(1e6 * seconds / (double)st.factorisations);
    bench_end();
    close_run(&r);
}

static void tops(void)
{
    static const char *const coordinates[] = {"coordinates=r3so3", "coordinates=se3", "coordinates=cardan"};
    static const char *const order[] = {"order=5", "order=8"};
    static const char *const rtol[] = {"step_rtol=1e-3", "step_rtol=1e-4", "step_rtol=2e-5",
                                       "step_rtol=1e-7", "step_rtol=1e-9", "step_rtol=1e-11"};
    double exact[3];
    exact_top(exact);
    for (int c = 0; c < LEN(coordinates); ++c) {
        printf("\nheavy top, [0, 1], %s\n%8s %16s%14s%14s%14s%14s%14s\n", coordinates[c], "order", "step_rtol",
               "error of x", "steps", "ms", "evaluations", "us each");
        for (int k = 0; k < LEN(order) * LEN(rtol); ++k) {
            top_row(exact, coordinates[c], order[k / LEN(rtol)], rtol[k % LEN(rtol)]);
        }
    }
}

/* ---- chains ----------------------------------------------------------------------------------- */

static void chains(void)
{
    static const char *const links[] = {"N=1", "N=2", "N=4", "N=8", "N=16", "N=32", "N=64", "N=128"};
    printf("\nchain, [0, 0.1], order 8, h = 0.002\n%8s%14s%14s%14s\n", "links", "us/step", "us each", "us/link each");
    for (int k = 0; k < LEN(links); ++k) {
        const char *const set[] = {links[k], "integrator=rk", "order=8", "step=fixed", "h=0.002"};
        run r = {.T = 0.1};
        open_run(&r, "chain", set, LEN(set));
        again(&r);
        const double steps = (double)dal_sim_stats(r.sim).steps, seconds = bench_seconds(again, &r);
        const double each = seconds / (double)dal_sim_stats(r.sim).factorisations;
        bench_label(atoi(links[k] + 2));
        bench_cell(1e6 * seconds / steps);
        bench_cell(1e6 * each);
        bench_cell(1e6 * each / atof(links[k] + 2));
        bench_end();
        close_run(&r);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        run r;
        open_run(&r, argv[1], (const char *const *)argv + 2, argc - 3);
        start(&r);
        for (long k = 0; k < atol(argv[argc - 1]); ++k) {
            bench_ok(r.ctx, dal_sim_step(r.sim));
        }
        close_run(&r);
        return 0;
    }
    tops();
    chains();
    return 0;
}
