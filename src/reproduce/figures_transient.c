/* Figures for the error analysis papers: convergence, transients, projection. */
#include <math.h>
#include <stdlib.h>

#include "reproduce/figures.h"
#include "reproduce/measure.h"

static void block_end(FILE *out)
{
    fputs("\n\n", out);
}

/* Lines "h err" for T/n0, T/(2 n0) ... (levels of them): the largest error of a kind in [from, T]. */
static void convergence(FILE *out, const problem *p, double from, double T, int n0, int levels, int kind,
                        const char *options)
{
    for (int k = 0; k < levels; ++k) {
        const double h = T / (n0 << k);
        track r = track_run(p, T, "%s h=%.17g", options, h);
        const double err = track_errors(&r, from, T, 0).max[kind];
        if (isfinite(err)) {
            fprintf(out, "%.6g %.6g\n", h, err);
        }
        track_free(&r);
    }
    block_end(out);
}

/* ---- [AB07] ----------------------------------------------------------------------------------- */

/* Relative errors of one coordinate and one multiplier at T against h. */
static int end_errors(FILE *out, const problem *p, double T, int n0, int levels, int coordinate)
{
    double q[PROBLEM_MAX], la[PROBLEM_MAX];
    problem_exact(p, q, NULL, NULL, la, &T, 1);
    for (int what = 0; what < 2; ++what) {
        for (int k = 0; k < levels; ++k) {
            const double h = T / (n0 << k);
            track r = track_run(p, T, "rho_inf=0.7 starting=naive h=%.17g", h);
            if (r.status == DAL_OK) {
                const double *x =
                    what == 0 ? track_column(r.q, p->nq, r.n - 1) + coordinate : track_column(r.la, p->nc, r.n - 1);
                const double want = what == 0 ? q[coordinate] : la[0];
                fprintf(out, "%.6g %.6g\n", h, fabs(x[0] / want - 1.0));
            }
            track_free(&r);
        }
        block_end(out);
    }
    return 1;
}

static int slider_crank(FILE *out, dal_ctx *ctx)
{
    problem p;
    if (problem_slider_crank(&p, ctx) != DAL_OK) {
        return 0;
    }
    const int good = end_errors(out, &p, 1.0, 100, 8, 2);
    problem_free(&p);
    return good;
}

static int andrews(FILE *out, dal_ctx *ctx)
{
    problem p;
    if (problem_andrews(&p, ctx) != DAL_OK) {
        return 0;
    }
    const int good = end_errors(out, &p, 0.03, 100, 6, 2);
    problem_free(&p);
    return good;
}

/* The force in the first joint with and without damping, and the exact one. */
static int andrews_damping(FILE *out, dal_ctx *ctx)
{
    static const char *const options[] = {"rho_inf=1", "rho_inf=0.7"};
    enum { N = 301 };
    problem p;
    if (problem_andrews(&p, ctx) != DAL_OK) {
        return 0;
    }
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, 0.03, "%s starting=naive h=3e-4", options[k]);
        for (int i = 1; i < r.n; ++i) {
            fprintf(out, "%.6g %.6g\n", 1e3 * r.t[i], track_column(r.la, p.nc, i)[0]);
        }
        block_end(out);
        track_free(&r);
    }
    double t[N], *la = malloc((size_t)p.nc * N * sizeof *la);
    for (int i = 0; i < N; ++i) {
        t[i] = 1e-4 * i;
    }
    if (la != NULL) {
        problem_exact(&p, NULL, NULL, NULL, la, t, N);
        for (int i = 0; i < N; ++i) {
            fprintf(out, "%.6g %.6g\n", 1e3 * t[i], la[(size_t)i * (size_t)p.nc]);
        }
    }
    block_end(out);
    free(la);
    problem_free(&p);
    return la != NULL;
}

/* ---- [ABC15] ---------------------------------------------------------------------------------- */

static int pendulum(FILE *out, dal_ctx *ctx)
{
    static const struct {
        double x0;
        const char *options;
    } runs[] = {{0.2, "starting=naive h=0.02"},
                {0.2, "starting=naive h=0.01"},
                {0.2, "starting=perturbed h=0.02"},
                {0.0, "starting=naive h=0.02"}};
    for (int k = 0; k < 4; ++k) {
        problem p;
        if (problem_pendulum(&p, ctx, runs[k].x0) != DAL_OK) {
            return 0;
        }
        track r = track_run(&p, 1.2, "%s", runs[k].options);
        double *la = malloc((size_t)r.n * sizeof *la);
        if (la != NULL) {
            problem_exact(&p, NULL, NULL, NULL, la, r.t, r.n);
            for (int i = 0; i < r.n; ++i) {
                fprintf(out, "%.6g %.6g\n", r.t[i], r.la[i] - la[i]);
            }
        }
        block_end(out);
        free(la);
        track_free(&r);
        problem_free(&p);
    }
    return 1;
}

/* max ||T^n|| and the rule 0.9/(1 - rho^(1/4)) against rho */
static int recursion(FILE *out, dal_ctx *ctx)
{
    for (int rule = 0; rule < 2; ++rule) {
        for (int i = 30; i <= 99; ++i) {
            dal_options opt = dal_options_init();
            dal_ga_coef coef;
            double T[9];
            int n, at;
            opt.rho_inf = 0.01 * i;
            if (dal_ga_coefficients(ctx, &opt, &coef) != DAL_OK ||
                dal_error_recursion(ctx, &coef, DAL_INDEX3, T, &n) != DAL_OK) {
                return 0;
            }
            fprintf(out, "%.2f %.6g\n", opt.rho_inf,
                    rule ? 0.9 / (1.0 - pow(opt.rho_inf, 0.25)) : dal_error_amplification(T, n, 3000, &at));
        }
        block_end(out);
    }
    return 1;
}

/* lambda_3 from the start, and the exact one */
static int top_transient(FILE *out, dal_ctx *ctx)
{
    static const char *const options[] = {"starting=naive", "starting=naive rho_inf=0.6", "starting=perturbed"};
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    double t[101], la[303];
    for (int k = 0; k < 3; ++k) {
        track r = track_run(&p, 0.1, "%s sigma=0 h=1e-3", options[k]);
        for (int i = 0; i < r.n; ++i) {
            fprintf(out, "%.6g %.6g\n", r.t[i], track_column(r.la, 3, i)[2]);
        }
        block_end(out);
        track_free(&r);
    }
    for (int i = 0; i <= 100; ++i) {
        t[i] = 1e-3 * i;
    }
    problem_exact(&p, NULL, NULL, NULL, la, t, 101);
    for (int i = 0; i <= 100; ++i) {
        fprintf(out, "%.6g %.6g\n", t[i], la[3 * i + 2]);
    }
    block_end(out);
    problem_free(&p);
    return 1;
}

static int eta(FILE *out, dal_ctx *ctx)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, 1.0, "formulation=ggl sigma=0 h=%.17g", 1e-3 / (1 << k));
        for (int i = 1; i < r.n; i += 2 << k) {
            fprintf(out, "%.6g %.6g\n", r.t[i], distance(track_column(r.eta, 3, i), zero, 3));
        }
        block_end(out);
        track_free(&r);
    }
    problem_free(&p);
    return 1;
}

static int top_order(FILE *out, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    convergence(out, &p, 0.5, 1.0, 250, 7, ERROR_Q, "sigma=0 starting=naive atol=1e-12");
    convergence(out, &p, 0.5, 1.0, 250, 7, ERROR_LA, "sigma=0 starting=naive atol=1e-12");
    convergence(out, &p, 0.5, 1.0, 250, 7, ERROR_Q, "sigma=0 starting=naive atol=1e-12 formulation=ggl");
    convergence(out, &p, 0.5, 1.0, 250, 7, ERROR_LA, "sigma=0 starting=naive atol=1e-12 formulation=ggl");
    problem_free(&p);
    return 1;
}

/* ---- [ACB15] ---------------------------------------------------------------------------------- */

static int residual(FILE *out, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, 1.0, "sigma=0 h=%.17g projection=plain projection_times=0.7", 1e-3 / (1 << k));
        for (int i = 0; i < r.n; ++i) {
            double B[18], sum = 0.0;
            if (p.dense.B(B, r.t[i], track_column(r.q, p.nq, i), p.dense.user) != DAL_OK) {
                return 0;
            }
            for (int j = 0; j < 6; ++j) {
                sum += B[3 * j] * track_column(r.v, 6, i)[j];
            }
            fprintf(out, "%.6g %.6g\n", r.t[i], sum);
        }
        block_end(out);
        track_free(&r);
    }
    problem_free(&p);
    return 1;
}

static int projected_lambda(FILE *out, dal_ctx *ctx)
{
    static const char *const options[] = {"projection=plain projection_times=0.7",
                                          "projection=compensated projection_times=0.7"};
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, 0.85, "%s sigma=0 h=1e-3", options[k]);
        for (int i = 650; i < r.n; ++i) {
            fprintf(out, "%.6g %.6g\n", r.t[i], track_column(r.la, 3, i)[2]);
        }
        block_end(out);
        track_free(&r);
    }
    problem_free(&p);
    return 1;
}

static int projection_order(FILE *out, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return 0;
    }
    convergence(out, &p, 0.0, 1.0, 500, 5, ERROR_LA, "sigma=0");
    convergence(out, &p, 0.0, 1.0, 500, 5, ERROR_LA, "sigma=0 projection=plain projection_times=0.7");
    convergence(out, &p, 0.0, 1.0, 500, 5, ERROR_LA, "sigma=0 projection=compensated projection_times=0.7");
    problem_free(&p);
    return 1;
}

static const figure FIGURES[] = {
    {.name = "ab07_slider_crank",
     .title = "Planar slider crank, ρ = 0.7: relative errors at t = 1",
     .xlabel = "h [s]",
     .ylabel = "relative error",
     .log_x = 1,
     .log_y = 1,
     .series = {"θ1", "λ1"},
     .data = slider_crank},
    {.name = "ab07_andrews",
     .title = "Andrews' mechanism, ρ = 0.7: relative errors at t = 0.03",
     .xlabel = "h [s]",
     .ylabel = "relative error",
     .log_x = 1,
     .log_y = 1,
     .series = {"β", "λ1"},
     .data = andrews},
    {.name = "ab07_damping",
     .title = "Andrews' mechanism, h = 0.3 ms: x force in joint O",
     .xlabel = "t [ms]",
     .ylabel = "λ1 [N]",
     .series = {"ρ = 1", "ρ = 0.7", "exact"},
     .data = andrews_damping},
    {.name = "abc15_pendulum",
     .title = "Pendulum, ρ = 0.9: error of λ",
     .xlabel = "t [s]",
     .ylabel = "error of λ",
     .series = {"x0 = 0.2, h = 0.02", "x0 = 0.2, h = 0.01", "x0 = 0.2, h = 0.02, perturbed", "x0 = 0, h = 0.02"},
     .data = pendulum},
    {.name = "abc15_recursion",
     .title = "Amplification of starting errors",
     .xlabel = "ρ",
     .ylabel = "largest norm of T^n",
     .log_y = 1,
     .series = {"maximum over n", "0.9/(1 - ρ^0.25)"},
     .data = recursion},
    {.name = "abc15_transient",
     .title = "Heavy top, index 3, h = 1 ms: λ3 after the start",
     .xlabel = "t [s]",
     .ylabel = "λ3 [N]",
     .series = {"naive, ρ = 0.9", "naive, ρ = 0.6", "perturbed, ρ = 0.9", "exact"},
     .data = top_transient},
    {.name = "abc15_eta",
     .title = "Heavy top, stabilised index 2: norm of η",
     .xlabel = "t [s]",
     .ylabel = "|η|",
     .series = {"h = 1 ms", "h = 0.5 ms"},
     .data = eta},
    {.name = "abc15_order",
     .title = "Heavy top: largest errors beyond the transient, naive start",
     .xlabel = "h [s]",
     .ylabel = "error in [0.5, 1]",
     .log_x = 1,
     .log_y = 1,
     .series = {"q, index 3", "λ, index 3", "q, stabilised", "λ, stabilised"},
     .data = top_order},
    {.name = "acb15_residual",
     .title = "Heavy top, index 3: (B v)1, projection at t = 0.7",
     .xlabel = "t [s]",
     .ylabel = "(B v)1 [m/s]",
     .series = {"h = 1 ms", "h = 0.5 ms"},
     .data = residual},
    {.name = "acb15_lambda",
     .title = "Heavy top, index 3, h = 1 ms: λ3 around the projection",
     .xlabel = "t [s]",
     .ylabel = "λ3 [N]",
     .series = {"plain projection", "compensated projection"},
     .data = projected_lambda},
    {.name = "acb15_order",
     .title = "Heavy top, index 3: largest error of λ in [0, 1]",
     .xlabel = "h [s]",
     .ylabel = "error of λ [N]",
     .log_x = 1,
     .log_y = 1,
     .series = {"no projection", "plain projection at t = 0.7", "compensated projection"},
     .data = projection_order},
};

const figure *figures_transient(int *n)
{
    *n = (int)(sizeof FIGURES / sizeof FIGURES[0]);
    return FIGURES;
}
