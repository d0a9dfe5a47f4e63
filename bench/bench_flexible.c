/* Cost of a step of a flexible pendulum with n modes: how it grows with n, and what the model itself takes. */
#include <math.h>

#include "bench.h"
#include "dalembert/flex.h"
#include "dalembert/sim.h"

typedef struct pendulum {
    dal_ctx *ctx;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
} pendulum;

enum { STEPS = 500, MOST = 128 };

/* A steel strip of 1 m that hangs by the end that is not clamped to its frame. */
static void make(pendulum *p, int nmodes, int stiffening)
{
    const dal_beam b = {.length = 1.0,
                        .E = 2.1e11,
                        .G = 8e10,
                        .density = 7800.0,
                        .area = 2e-4,
                        .Iy = 6.7e-9,
                        .Iz = 1.7e-9,
                        .elements = 40,
                        .nmodes = nmodes,
                        .stiffening = stiffening,
                        .damping = 0.01};
    dal_options opt = dal_options_init();
    dal_modes *modes;
    opt.h = 1e-5;
    opt.formulation = DAL_FORMULATION_INDEX3; // unless a method says otherwise
    bench_ok(NULL, dal_ctx_create(&p->ctx, NULL));
    bench_ok(p->ctx, dal_model_create(&p->model, p->ctx));
    bench_ok(p->ctx, dal_model_set_gravity(p->model, (double[3]){0.0, 0.0, -9.81}));
    bench_ok(p->ctx, dal_beam_modes_create(&modes, p->ctx, &b));
    bench_ok(p->ctx, dal_model_add_flexible(p->model, NULL,
                                            &(dal_flexible){.name = "strip", .modes = modes, .position = {-1.0}}));
    dal_beam_modes_destroy(modes);
    bench_ok(p->ctx, dal_model_add_joint(p->model, NULL,
                                         &(dal_joint){.name = "pivot",
                                                      .type = "spherical",
                                                      .body_b = dal_model_find_body(p->model, "strip/B")}));
    bench_ok(p->ctx, dal_model_compile(p->model, &p->sys));
    bench_ok(p->ctx, dal_sim_create(&p->sim, p->ctx, p->sys, &opt));
}

static void release(pendulum *p)
{
    dal_sim_destroy(p->sim);
    dal_model_destroy(p->model);
    dal_ctx_destroy(p->ctx);
}

/* Seconds per step, best of five. */
static double time_step(pendulum *p)
{
    double best = 1e300;
    for (int k = 0; k < 5; ++k) {
        bench_ok(p->ctx, dal_sim_start(p->sim, NULL, 0.0, dal_model_q0(p->model), dal_model_v0(p->model)));
        const double t = bench_now();
        bench_ok(p->ctx, dal_sim_run(p->sim, NULL, STEPS * 1e-5));
        best = fmin(best, bench_now() - t);
    }
    return best / STEPS;
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

static void residual_once(void *data)
{
    pendulum *p = data;
    double r[MOST], Phi[3];
    const dal_state s = dal_sim_state(p->sim);
    bench_ok(p->ctx, dal_data_residual(dal_sim_data(p->sim), &(dal_residual){.r = r, .Phi = Phi},
                                       &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
}

static void tangent_once(void *data)
{
    pendulum *p = data;
    dal_sink sink = {.wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B,
                     .pair = ignore_pair,
                     .link = ignore_link,
                     .link_acc = ignore_link,
                     .link_force = ignore_force};
    const dal_state s = dal_sim_state(p->sim);
    bench_ok(p->ctx, dal_data_tangent(dal_sim_data(p->sim), &sink, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
}

int main(void)
{
    static const int modes[] = {2, 10, 40};
    bench_title("Flexible pendulum with n modes, h = 1e-5, 500 steps (exponent: growth with n)");
    printf("%6s %12s %10s %10s %10s %14s %14s\n", "n", "stiffening", "us/step", "exponent", "it/step", "residual us",
           "tangent us");
    for (int stiffening = 0; stiffening < 2; ++stiffening) {
        double before = 0.0;
        for (int k = 0; k < 3; ++k) {
            pendulum p;
            make(&p, modes[k], stiffening);
            const double us = 1e6 * time_step(&p);
            const dal_stats s = dal_sim_stats(p.sim);
            printf("%6d %12s %10.2f %10.2f %10.2f %14.2f %14.2f\n", modes[k], stiffening ? "yes" : "no", us,
                   k > 0 ? log(us / before) / log((double)modes[k] / modes[k - 1]) : 0.0,
                   (double)s.newton_iterations / (double)s.steps, 1e6 * bench_seconds(residual_once, &p),
                   1e6 * bench_seconds(tangent_once, &p));
            before = us;
            release(&p);
        }
    }
    return EXIT_SUCCESS;
}
