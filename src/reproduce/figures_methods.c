/* Figures for the papers that compare methods: sigma-modified ones against geom1 and charts; Lobatto by stages. */
#include <math.h>

#include "reproduce/charts.h"
#include "reproduce/comparisons.h"
#include "reproduce/figures.h"

/* A method: chart and options. */
typedef struct method {
    int chart;
    const char *options;
} method;

static void point(FILE *out, double x, double y)
{
    if (isfinite(y)) {
        fprintf(out, "%.6g %.6g\n", x, y);
    }
}

static void block_end(FILE *out)
{
    fputs("\n\n", out);
}

/* ---- [HAG] ------------------------------------------------------------------------------------ */

static const method TOP[] = {{CHART_NONE, "rho_inf=0.65 sigma=0"},
                             {CHART_NONE, "rho_inf=0.65 sigma=1"},
                             {CHART_NONE, "rho_inf=0.65 sigma=opt"},
                             {CHART_NONE, "rho_inf=0.65 sigma=1 kinematics=printed"},
                             {CHART_NONE, "rho_inf=0.65 sigma=opt kinematics=printed"},
                             {CHART_EULER, "rho_inf=0.65"},
                             {CHART_XZY, "rho_inf=0.65"}};
enum { NTOP = (int)(sizeof TOP / sizeof TOP[0]) };

static int top(FILE *out, dal_ctx *ctx, int metric)
{
    for (int k = 0; k < NTOP; ++k) {
        for (int i = 0; i < 6; ++i) {
            const double h = 4e-3 / (1 << i);
            double err[METRICS];
            top_errors(err, ctx, TOP[k].chart, h, TOP[k].options);
            point(out, h, err[metric]);
        }
        block_end(out);
    }
    return 1;
}

static int top_q(FILE *out, dal_ctx *ctx)
{
    return top(out, ctx, METRIC_Q);
}

static int top_lambda(FILE *out, dal_ctx *ctx)
{
    return top(out, ctx, METRIC_LA);
}

static int top_ggl(FILE *out, dal_ctx *ctx)
{
    static const char *const options[] = {"sigma=0", "sigma=1", "sigma=opt", "sigma=1 kinematics=printed",
                                          "sigma=opt kinematics=printed"};
    for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < 6; ++i) {
            const double h = 4e-3 / (1 << i);
            double err[METRICS];
            char text[96];
            (void)snprintf(text, sizeof text, "formulation=ggl rho_inf=1 %s", options[k]);
            top_errors(err, ctx, CHART_NONE, h, text);
            point(out, h, err[METRIC_Q]);
        }
        block_end(out);
    }
    return 1;
}

static int rotor_bearing(FILE *out, dal_ctx *ctx)
{
    static const method methods[] = {{CHART_NONE, "sigma=0"},
                                     {CHART_NONE, "sigma=1"},
                                     {CHART_NONE, "sigma=opt"},
                                     {CHART_NONE, "sigma=spin"},
                                     {CHART_NONE, "sigma=1 kinematics=printed"},
                                     {CHART_XYZ, "atol=1e-10 rtol=1e-8"}};
    static const double h[] = {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};
    for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < 7; ++i) {
            point(out, h[i], rotor_error(ctx, methods[k].chart, 0.5, h[i], methods[k].options, NULL));
        }
        block_end(out);
    }
    return 1;
}

static int crank(FILE *out, dal_ctx *ctx)
{
    static const method methods[] = {{CHART_NONE, "sigma=0"},
                                     {CHART_NONE, "sigma=1"},
                                     {CHART_NONE, "formulation=index2 sigma=0"},
                                     {CHART_NONE, "formulation=index2 sigma=1"},
                                     {CHART_NONE, "formulation=index2 sigma=1 kinematics=printed"},
                                     {CHART_NONE, "formulation=ggl sigma=1"},
                                     {CHART_EULER, ""},
                                     {CHART_XYZ, ""}};
    for (int k = 0; k < 8; ++k) {
        for (int i = 0; i < 4; ++i) {
            const double h = 4e-3 / (1 << i);
            point(out, h, crank_errors(ctx, methods[k].chart, 0, h, methods[k].options).position);
        }
        block_end(out);
    }
    return 1;
}

/* ---- [SM21] ----------------------------------------------------------------------------------- */

static int particle(FILE *out, dal_ctx *ctx, int lambda)
{
    for (int s = 2; s <= 5; ++s) {
        for (int n = 4; n <= 256; n *= 2) {
            const particle_run r = particle_errors(ctx, s, 2.0, n);
            point(out, 2.0 / n, lambda ? r.la : r.q);
        }
        block_end(out);
    }
    return 1;
}

static int particle_q(FILE *out, dal_ctx *ctx)
{
    return particle(out, ctx, 0);
}

static int particle_lambda(FILE *out, dal_ctx *ctx)
{
    return particle(out, ctx, 1);
}

/* ---- ours ------------------------------------------------------------------------------------- */

/* Heavy top in R^3 x SO(3): largest error of lambda on [0, 0.4] by stages, and generalized-alpha. */
static int lobatto_top(FILE *out, dal_ctx *ctx)
{
    static const char *const options[] = {"integrator=genalpha sigma=1", "integrator=lobatto stages=2",
                                          "integrator=lobatto stages=3", "integrator=lobatto stages=4",
                                          "integrator=lobatto stages=5"};
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    for (int k = 0; k < 5; ++k) {
        for (int n = 20; n <= 2560; n *= 2) {
            track r = track_run(&p, 0.4, "%s h=%.17g", options[k], 0.4 / n);
            point(out, 0.4 / n, track_errors(&r, 0.0, 0.4, 0).max[ERROR_LA]);
            track_free(&r);
        }
        block_end(out);
    }
    problem_free(&p);
    return 1;
}

#define TOP_SERIES                                                                                                 \
    {                                                                                                              \
        "geom1", "σ = 1", "σ = opt", "σ = 1, printed", "σ = opt, printed", "Euler parameters", "angles, spin last" \
    }

static const figure FIGURES[] = {
    {.name = "hag_top_q",
     .title = "Heavy top, index 3, ρ = 0.65: largest error of (x, p)",
     .xlabel = "h [s]",
     .ylabel = "error",
     .log_x = 1,
     .log_y = 1,
     .series = TOP_SERIES,
     .data = top_q},
    {.name = "hag_top_lambda",
     .title = "Heavy top, index 3, ρ = 0.65: largest error of λ",
     .xlabel = "h [s]",
     .ylabel = "error [N]",
     .log_x = 1,
     .log_y = 1,
     .series = TOP_SERIES,
     .data = top_lambda},
    {.name = "hag_top_ggl",
     .title = "Heavy top, stabilised index 2, ρ = 1: largest error of (x, p)",
     .xlabel = "h [s]",
     .ylabel = "error",
     .log_x = 1,
     .log_y = 1,
     .series = {"geom1", "σ = 1", "σ = opt", "σ = 1, printed", "σ = opt, printed"},
     .data = top_ggl},
    {.name = "hag_rotor",
     .title = "Rotor, ρ = 0.9: error of the right bearing at t = 0.5",
     .xlabel = "h [s]",
     .ylabel = "error [m]",
     .log_x = 1,
     .log_y = 1,
     .series = {"geom1", "σ = 1", "σ = opt", "σ = spin", "σ = 1, printed", "angles Rx Ry Rz"},
     .data = rotor_bearing},
    {.name = "hag_slider",
     .title = "Spatial slider crank, ρ = 0.875: error of the slider at t = 2",
     .xlabel = "h [s]",
     .ylabel = "error [m]",
     .log_x = 1,
     .log_y = 1,
     .series = {"geom1, index 3", "σ = 1, index 3", "geom1, index 2", "σ = 1, index 2", "σ = 1 printed, index 2",
                "σ = 1, stabilised", "Euler parameters", "angles Rx Ry Rz"},
     .data = crank},
    {.name = "sm21_q",
     .title = "Nonholonomic particle, Lobatto IIIA-IIIB: error of q at t = 2",
     .xlabel = "h",
     .ylabel = "error",
     .log_x = 1,
     .log_y = 1,
     .series = {"s = 2", "s = 3", "s = 4", "s = 5"},
     .data = particle_q},
    {.name = "sm21_lambda",
     .title = "Nonholonomic particle, Lobatto IIIA-IIIB: error of λ at t = 2",
     .xlabel = "h",
     .ylabel = "error",
     .log_x = 1,
     .log_y = 1,
     .series = {"s = 2", "s = 3", "s = 4", "s = 5"},
     .data = particle_lambda},
    {.name = "ours_lobatto",
     .title = "Heavy top on the Lie group: largest error of λ in [0, 0.4]",
     .xlabel = "h [s]",
     .ylabel = "error of λ [N]",
     .log_x = 1,
     .log_y = 1,
     .series = {"generalized-α, σ = 1", "Lobatto, s = 2", "s = 3", "s = 4", "s = 5"},
     .data = lobatto_top},
};

const figure *figures_methods(int *n)
{
    *n = (int)(sizeof FIGURES / sizeof FIGURES[0]);
    return FIGURES;
}
