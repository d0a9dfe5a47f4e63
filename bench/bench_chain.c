/* Cost of a step for chains of N links with spherical joints: how it grows with N, and where the time goes.
 *
 *     bench_chain                    the tables
 *     bench_chain N METHOD STEPS     run that many steps and print nothing (for callgrind) */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "dalembert/mbs.h"
#include "dalembert/sim.h"

typedef struct chain {
    dal_ctx *ctx;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    double t_end;
} chain;

/* Links of 0.1 m and 0.1 kg with a square section of 0.02 m, along x, held at the origin. */
static void make_model(chain *c, int n)
{
    const double L = 0.1, m = 0.1, w = 0.02;
    const double axial = m * w * w / 6.0, across = m * (L * L + w * w) / 12.0;
    bench_ok(NULL, dal_ctx_create(&c->ctx, NULL));
    bench_ok(c->ctx, dal_model_create(&c->model, c->ctx));
    bench_ok(c->ctx, dal_model_set_gravity(c->model, (double[3]){0.0, 0.0, -9.81}));
    int before = DAL_GROUND;
    for (int i = 0; i < n; ++i) {
        char name[32];
        int body;
        snprintf(name, sizeof name, "link%d", i + 1);
        bench_ok(c->ctx, dal_model_add_body(c->model, &body,
                                            &(dal_body){.name = name,
                                                        .mass = m,
                                                        .inertia = {axial, across, across},
                                                        .position = {(i + 0.5) * L, 0.0, 0.0}}));
        snprintf(name, sizeof name, "joint%d", i + 1);
        bench_ok(c->ctx, dal_model_add_joint(c->model, NULL,
                                             &(dal_joint){.name = name,
                                                          .type = "spherical",
                                                          .body_a = before,
                                                          .body_b = body,
                                                          .frame_a = {.position = {i == 0 ? 0.0 : 0.5 * L}},
                                                          .frame_b = {.position = {-0.5 * L}}}));
        before = body;
    }
    bench_ok(c->ctx, dal_model_compile(c->model, &c->sys));
}

static void make_chain(chain *c, int n, const char *method, int steps)
{
    dal_options opt = dal_options_init();
    make_model(c, n);
    opt.h = 1e-3;
    opt.formulation = DAL_FORMULATION_INDEX3; // unless a method says otherwise
    bench_ok(c->ctx, dal_options_parse(c->ctx, dal_options_table(), &opt, method));
    bench_ok(c->ctx, dal_sim_create(&c->sim, c->ctx, c->sys, &opt));
    c->t_end = steps * opt.h;
}

static void free_chain(chain *c)
{
    dal_sim_destroy(c->sim);
    dal_model_destroy(c->model);
    dal_ctx_destroy(c->ctx);
}

static void start(chain *c)
{
    bench_ok(c->ctx, dal_sim_start(c->sim, NULL, 0.0, dal_model_q0(c->model), dal_model_v0(c->model)));
}

/* Seconds for the steps alone, best of `rounds`. */
static double time_steps(chain *c, int rounds)
{
    double best = 1e300;
    for (int k = 0; k < rounds; ++k) {
        start(c);
        const double t = bench_now();
        bench_ok(c->ctx, dal_sim_run(c->sim, NULL, c->t_end));
        best = fmin(best, bench_now() - t);
    }
    return best;
}

static void ignore_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    (void)sink, (void)pair, (void)M, (void)C, (void)K;
}

static void ignore_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    (void)sink, (void)link, (void)B, (void)Z;
}

static void ignore_force(dal_sink *sink, int link, const double *G)
{
    (void)sink, (void)link, (void)G;
}

/* What the model itself costs: one residual and one set of tangents, seconds. */
static void residual_once(void *data)
{
    chain *c = data;
    static double r[400000], Phi[200000];
    const dal_state s = dal_sim_state(c->sim);
    bench_ok(c->ctx, dal_data_residual(dal_sim_data(c->sim), &(dal_residual){.r = r, .Phi = Phi},
                                       &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
}

static void tangent_once(void *data)
{
    chain *c = data;
    dal_sink sink = {.wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B,
                     .pair = ignore_pair,
                     .link = ignore_link,
                     .link_acc = ignore_link,
                     .link_force = ignore_force};
    const dal_state s = dal_sim_state(c->sim);
    bench_ok(c->ctx, dal_data_tangent(dal_sim_data(c->sim), &sink, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
}

static void table(const char *method)
{
    static const int size[] = {10, 100, 1000, 4000};
    double before = 0.0;
    bench_title("Chain of N links with spherical joints, h = 1e-3, 100 steps");
    printf("%16s %6s %12s %10s %10s %14s %14s %14s %8s\n", "method", "N", "us/step", "us/link", "it/step",
           "residual us/N", "tangent us/N", "linear us/N", "slope");
    for (int k = 0; k < 4; ++k) {
        chain c;
        const int n = size[k];
        make_chain(&c, n, method, 100);
        const double us = 1e6 * time_steps(&c, n < 1000 ? 5 : 2) / 100.0;
        const dal_stats s = dal_sim_stats(c.sim);
        const double residual = 1e6 * bench_seconds(residual_once, &c) / n;
        const double tangent = 1e6 * bench_seconds(tangent_once, &c) / n;
        const double steps = (double)s.steps, evals = (double)s.residuals / steps;
        const double rest = us / n - evals * residual - (double)s.jacobians / steps * tangent;
        printf("%16s %6d %12.1f %10.3f %10.2f %14.3f %14.3f %14.3f", method, n, us, us / n,
               (double)s.newton_iterations / steps, residual, tangent, rest);
        if (k > 0) {
            printf(" %8.2f", log(us / before) / log((double)n / size[k - 1]));
        }
        printf("\n");
        fflush(stdout);
        before = us;
        free_chain(&c);
    }
}

static void largest(void)
{
    chain c;
    const int n = 20000;
    const double t = bench_now();
    make_chain(&c, n, "newton=full", 10);
    start(&c);
    const double made = bench_now() - t, us = 1e6 * time_steps(&c, 1) / 10.0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\n%d links: %.2f s to build and start, %.1f us/step, %.1f KiB of memory per link at the peak\n", n, made,
           us, (double)usage.ru_maxrss / n);
    free_chain(&c);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        chain c;
        make_chain(&c, atoi(argv[1]), argv[2], atoi(argv[3]));
        start(&c);
        bench_ok(c.ctx, dal_sim_run(c.sim, NULL, c.t_end));
        free_chain(&c);
        return EXIT_SUCCESS;
    }
    table("newton=full");
    table("newton=modified");
    largest();
    return EXIT_SUCCESS;
}
