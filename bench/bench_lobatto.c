/* Error against cost: Lobatto IIIA-IIIB with 2 to 8 stages and generalized-alpha on the heavy top, the nonholonomic
 * particle and the rolling disk; the iterations for the stage equations on mechanisms of growing size. Times are CPU
 * milliseconds of one run, the best of several. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "dalembert/sim.h"
#include "problems/problems.h"

typedef struct setting {
    const char *name;
    dal_status (*create)(problem *p, dal_ctx *ctx);
    double T, h;      /* h: largest step for generalized-alpha; Lobatto starts with the factors below */
    double factor[9]; /* by the number of stages */
    int halvings;
} setting;

static dal_status heavy_top(problem *p, dal_ctx *ctx)
{
    return problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3);
}

static dal_status rolling_disk(problem *p, dal_ctx *ctx)
{
    return problem_rolling_disk(p, ctx, 1);
}

static const setting settings[] = {
    {"heavy top, [0, 1]: error of the position", heavy_top, 1.0, 1e-3, {0, 0, 2, 5, 5, 10, 10, 10, 12.5}, 3},
    {"nonholonomic particle, [0, 10]: error of q", problem_nonholonomic_particle, 10.0, 1e-2, {0, 0, 2, 10, 20, 50}, 3},
    {"rolling disk, [0, 2]: error of q", rolling_disk, 2.0, 1e-3, {0, 0, 2, 5, 10, 20}, 3},
};

typedef struct run {
    dal_ctx *ctx;
    problem p;
    dal_sim *sim;
    double T;
} run;

static void again(void *data)
{
    run *r = data;
    bench_ok(r->ctx, dal_sim_start(r->sim, NULL, 0.0, r->p.q0, r->p.v0));
    bench_ok(r->ctx, dal_sim_run(r->sim, NULL, r->T));
}

/* Error at the end: of the first three coordinates (the position of the body), and of lambda. */
static void errors(const run *r, double *eq, double *ela)
{
    double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX], sum = 0.0, sum_la = 0.0;
    problem_exact(&r->p, q, v, vd, la, &r->T, 1);
    const dal_state s = dal_sim_state(r->sim);
    for (int i = 0; i < 3; ++i) {
        sum += (q[i] - s.q[i]) * (q[i] - s.q[i]);
    }
    for (int i = 0; i < r->p.nc; ++i) {
        sum_la += (la[i] - s.la[i]) * (la[i] - s.la[i]);
    }
    *eq = sqrt(sum);
    *ela = sqrt(sum_la);
}

/* One row: stages (0: generalized-alpha), h, steps, errors, time, work per step. */
static void row(run *r, int stages, double h, const char *option)
{
    dal_options opt = dal_options_init();
    opt.integrator = stages > 0 ? DAL_INTEGRATOR_LOBATTO : DAL_INTEGRATOR_GENALPHA;
    opt.formulation = stages > 0 ? DAL_FORMULATION_DEFAULT : DAL_FORMULATION_INDEX3;
    opt.stages = stages > 0 ? stages : opt.stages;
    opt.h = h;
    if (option) {
        bench_ok(r->ctx, dal_options_parse(r->ctx, dal_options_table(), &opt, option));
    }
    bench_ok(r->ctx, dal_sim_create(&r->sim, r->ctx, r->p.sys, &opt));
    again(r);
    const dal_stats st = dal_sim_stats(r->sim);
    const double ms = 1e3 * bench_seconds(again, r);
    double eq, ela;
    errors(r, &eq, &ela);
    bench_label(stages);
    bench_cell(h);
    bench_cell((double)st.steps);
    bench_cell(eq);
    bench_cell(ela);
    bench_cell(ms);
    bench_cell((double)st.newton_iterations / (double)st.steps);
    bench_cell((double)st.jacobians / (double)st.steps);
    bench_end();
    dal_sim_destroy(r->sim);
}

static void heads(void)
{
    static const char *const head[] = {"stages", "h", "steps", "error", "lambda", "ms", "iterations", "jacobians"};
    bench_heads(head, sizeof head / sizeof head[0]);
}

static void work_precision(const setting *set)
{
    run r = {.T = set->T};
    bench_ok(NULL, dal_ctx_create(&r.ctx, NULL));
    bench_ok(r.ctx, set->create(&r.p, r.ctx));
    bench_title(set->name);
    heads();
    for (int s = 0; s < 9; ++s) {
        const double h = s == 0 ? set->h : set->h * set->factor[s];
        for (int k = 0; h > 0.0 && k < set->halvings; ++k) {
            row(&r, s, h / (1 << k), NULL);
        }
    }
    problem_free(&r.p);
    dal_ctx_destroy(r.ctx);
}

/* Where the matrix of one stage is enough: the squeezing mechanism in 31 coordinates, 61 (s - 1) + 61 unknowns. */
static void large(void)
{
    run r = {.T = 0.01};
    bench_ok(NULL, dal_ctx_create(&r.ctx, NULL));
    bench_ok(r.ctx, problem_andrews(&r.p, r.ctx));
    bench_title("squeezing mechanism, 31 coordinates, 30 constraints, [0, 0.01]");
    heads();
    for (int s = 0; s < 6; s += s == 0 ? 3 : 1) {
        row(&r, s, s == 0 ? 1e-5 : 2e-4, NULL);
        row(&r, s, s == 0 ? 5e-6 : 1e-4, NULL);
    }
    problem_free(&r.p);
    dal_ctx_destroy(r.ctx);
}

int main(void)
{
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k) {
        work_precision(&settings[k]);
    }
    large();
    return 0;
}
