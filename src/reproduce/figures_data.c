/* The figures of the papers, by what they show: errors over step sizes, forces over time, methods side by side. */
#include <math.h>

#include "reproduce/claim.h"
#include "reproduce/comparisons.h"
#include "reproduce/figures.h"

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

/* ---- errors over step sizes ------------------------------------------------------------------- */

/* The largest error of the kind of the series in [from, T]. */
static void convergence(FILE *out, lab *L, const figure *f, int n)
{
    const subject *s = lab_model(L, f->model, "");
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < f->levels; ++i) {
            const double h = f->h / (1 << i);
            const track *r = lab_run(L, s, f->T, "%s h=%.17g", f->series[k].options, h);
            point(out, h, track_errors(L, r, f->from, f->T).max[f->series[k].kind]);
        }
        block_end(out);
    }
}

/* Relative errors of coordinate 2, an angle, and of the first multiplier at T. */
static void end_errors(FILE *out, lab *L, const figure *f, int n)
{
    const subject *s = lab_model(L, f->model, f->series[0].set != NULL ? f->series[0].set : "");
    const track *exact = lab_exact(L, s, &f->T, 1);
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < f->levels; ++i) {
            const double h = f->h / (1 << i);
            const track *r = lab_end(L, s, f->T, "%s h=%.17g", f->series[k].options, h);
            point(out, h,
                  fabs(k == 0 ? at_q(r, 0)[2] / at_q(exact, 0)[2] - 1.0 : *at_la(r, 0) / *at_la(exact, 0) - 1.0));
        }
        block_end(out);
    }
}

/* Heavy top, the metric `kind` of comparisons.h. */
static void top(FILE *out, lab *L, const figure *f, int n)
{
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < f->levels; ++i) {
            double err[METRICS];
            top_errors(err, L, f->series[k].chart, f->h / (1 << i), f->series[k].options);
            point(out, f->h / (1 << i), err[f->series[0].kind]);
        }
        block_end(out);
    }
}

static void rotor(FILE *out, lab *L, const figure *f, int n)
{
    static const double h[] = {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 7; ++i) {
            point(out, h[i], rotor_error(L, NULL, f->series[k].chart, f->T, h[i], f->series[k].options));
        }
        block_end(out);
    }
}

static void slider(FILE *out, lab *L, const figure *f, int n)
{
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < f->levels; ++i) {
            const double h = f->h / (1 << i);
            point(out, h, crank_errors(L, f->series[k].chart, 0, h, f->series[k].options).position);
        }
        block_end(out);
    }
}

/* Two stages and more; kind: error of q (0) or lambda */
static void particle(FILE *out, lab *L, const figure *f, int n)
{
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < f->levels; ++i) {
            const particle_run r = particle_errors(L, 2 + k, f->T, (int)lround(f->T / f->h) << i);
            point(out, f->h / (1 << i), f->series[0].kind == 0 ? r.q : r.la);
        }
        block_end(out);
    }
}

/* ---- over time -------------------------------------------------------------------------------- */

enum { SHOW_LAMBDA = 0, SHOW_ERROR = -1, SHOW_ETA = -2, SHOW_RESIDUAL = -3, SHOW_EXACT = 100 };

static double shown(const track *r, const track *exact, int k, int what)
{
    switch (what) {
    case SHOW_ERROR:
        return r->la[(size_t)k * (size_t)r->s->nc] - *at_la(exact, k);
    case SHOW_ETA:
        return distance(r->eta + (size_t)k * (size_t)r->s->nh, NULL, r->s->nh);
    case SHOW_RESIDUAL:
        return top_residual(r, k);
    default:
        return at_la(r, k)[what % SHOW_EXACT];
    }
}

/* kind: the number of a multiplier, of the exact motion from SHOW_EXACT on, or what else is shown */
static void over_time(FILE *out, lab *L, const figure *f, int n)
{
    for (int k = 0; k < n; ++k) {
        const figure_series *p = &f->series[k];
        const track *r =
            lab_run(L, lab_model(L, f->model, p->set != NULL ? p->set : ""), f->T, "h=%g %s", f->h, p->options);
        const track *exact = p->kind == SHOW_ERROR || p->kind >= SHOW_EXACT ? lab_exact(L, r->s, r->t, r->n) : r;
        for (int i = p->kind == SHOW_ETA ? 1 : 0; i < r->n; ++i) {
            if (r->t[i] >= f->from) {
                point(out, r->t[i], shown(p->kind >= SHOW_EXACT ? exact : r, exact, i, p->kind));
            }
        }
        block_end(out);
    }
}

/* max ||T^n|| and the rule 0.9/(1 - rho^(1/4)) against rho */
static void recursion(FILE *out, lab *L, const figure *f, int n)
{
    (void)f;
    for (int rule = 0; rule < n; ++rule) {
        for (int i = 30; i <= 99; ++i) {
            double T[9];
            dal_ga_coef k;
            int at;
            const double rho = 0.01 * i;
            if (claim_recursion(T, &k, L, rho, DAL_FORMULATION_INDEX3)) {
                point(out, rho, rule ? 0.9 / (1.0 - pow(rho, 0.25)) : dal_error_amplification(&at, T, 3, 3000));
            }
        }
        block_end(out);
    }
}

#define OVER_H .xlabel = "h [s]", .log_x = 1, .log_y = 1
#define OVER_T .xlabel = "t [s]", .data = over_time
#define NAIVE "sigma=0 starting=naive atol=1e-12"
#define AT_07 "projection_times=0.7 sigma=0"

static const figure FIGURES[] = {
    {"ab07_slider_crank", "Planar slider crank, ρ = 0.7: relative errors at t = 1", OVER_H, .ylabel = "relative error",
     .data = end_errors, .model = "planar_slider_crank", .T = 1.0, .h = 0.01, .levels = 8,
     .series = {{"θ1", .options = "rho_inf=0.7 starting=naive"}, {"λ1", .options = "rho_inf=0.7 starting=naive"}}},
    {"ab07_andrews", "Andrews' mechanism, ρ = 0.7: relative errors at t = 0.03", OVER_H, .ylabel = "relative error",
     .data = end_errors, .model = "andrews_squeezer", .T = 0.03, .h = 3e-4, .levels = 6,
     .series = {{"β", .options = "rho_inf=0.7 starting=naive", "nodes=1"},
                {"λ1", .options = "rho_inf=0.7 starting=naive"}}},
    {"ab07_damping", "Andrews' mechanism, h = 0.3 ms: x force in joint O", OVER_T, .ylabel = "λ1 [N]",
     .model = "andrews_squeezer", .T = 0.03, .h = 3e-4,
     .series = {{"ρ = 1", .options = "rho_inf=1 starting=naive", "nodes=1"},
                {"ρ = 0.7", .options = "rho_inf=0.7 starting=naive", "nodes=1"},
                {"exact", .options = "h=1e-4", "nodes=1", .kind = SHOW_EXACT}}},
    {"abc15_pendulum", "Pendulum, ρ = 0.9: error of λ", OVER_T, .ylabel = "error of λ", .model = "pendulum", .T = 1.2,
     .h = 0.02,
     .series = {{"x0 = 0.2, h = 0.02", .options = "starting=naive", "x0=0.2", .kind = SHOW_ERROR},
                {"x0 = 0.2, h = 0.01", .options = "starting=naive h=0.01", "x0=0.2", .kind = SHOW_ERROR},
                {"x0 = 0.2, h = 0.02, perturbed", .options = "starting=perturbed", "x0=0.2", .kind = SHOW_ERROR},
                {"x0 = 0, h = 0.02", .options = "starting=naive", "x0=0", .kind = SHOW_ERROR}}},
    {"abc15_recursion", "Amplification of starting errors", .xlabel = "ρ", .ylabel = "largest norm of T^n", .log_y = 1,
     .series = {{.title = "maximum over n"}, {.title = "0.9/(1 - ρ^0.25)"}}, .data = recursion},
    {"abc15_transient", "Heavy top, index 3, h = 1 ms: λ3 after the start", OVER_T, .ylabel = "λ3 [N]",
     .model = "heavy_top", .T = 0.1, .h = 1e-3,
     .series = {{"naive, ρ = 0.9", .options = "starting=naive sigma=0", .kind = 2},
                {"naive, ρ = 0.6", .options = "starting=naive rho_inf=0.6 sigma=0", .kind = 2},
                {"perturbed, ρ = 0.9", .options = "starting=perturbed sigma=0", .kind = 2},
                {"exact", .options = "", .kind = SHOW_EXACT + 2}}},
    {"abc15_eta", "Heavy top, stabilised index 2: norm of η", OVER_T, .ylabel = "|η|", .model = "heavy_top", .T = 1.0,
     .h = 1e-3,
     .series = {{"h = 1 ms", .options = "formulation=ggl sigma=0", .kind = SHOW_ETA},
                {"h = 0.5 ms", .options = "formulation=ggl sigma=0 h=5e-4", .kind = SHOW_ETA}}},
    {"abc15_order", "Heavy top: largest errors beyond the transient, naive start", OVER_H,
     .ylabel = "error in [0.5, 1]", .data = convergence, .model = "heavy_top", .from = 0.5, .T = 1.0, .h = 4e-3,
     .levels = 7,
     .series = {{"q, index 3", .options = NAIVE, .kind = ERROR_Q},
                {"λ, index 3", .options = NAIVE, .kind = ERROR_LA},
                {"q, stabilised", NAIVE " formulation=ggl", .kind = ERROR_Q},
                {"λ, stabilised", NAIVE " formulation=ggl", .kind = ERROR_LA}}},
    {"acb15_residual", "Heavy top, index 3: (B v)1, projection at t = 0.7", OVER_T, .ylabel = "(B v)1 [m/s]",
     .model = "heavy_top", .T = 1.0, .h = 1e-3,
     .series = {{"h = 1 ms", .options = "projection=plain " AT_07, .kind = SHOW_RESIDUAL},
                {"h = 0.5 ms", .options = "projection=plain h=5e-4 " AT_07, .kind = SHOW_RESIDUAL}}},
    {"acb15_lambda", "Heavy top, index 3, h = 1 ms: λ3 around the projection", OVER_T, .ylabel = "λ3 [N]",
     .model = "heavy_top", .from = 0.65, .T = 0.85, .h = 1e-3,
     .series = {{"plain projection", .options = "projection=plain " AT_07, .kind = 2},
                {"compensated projection", .options = "projection=compensated " AT_07, .kind = 2}}},
    {"acb15_order", "Heavy top, index 3: largest error of λ in [0, 1]", OVER_H, .ylabel = "error of λ [N]",
     .data = convergence, .model = "heavy_top", .T = 1.0, .h = 2e-3, .levels = 5,
     .series = {{"no projection", .options = "sigma=0", .kind = ERROR_LA},
                {"plain projection at t = 0.7", .options = "projection=plain " AT_07, .kind = ERROR_LA},
                {"compensated projection", .options = "projection=compensated " AT_07, .kind = ERROR_LA}}},
#define TOP_SERIES(metric)                                                                   \
    .data = top, .h = 4e-3, .levels = 6,                                                     \
    .series = {{"geom1", .options = "rho_inf=0.65 sigma=0", .kind = (metric)},               \
               {"σ = 1", .options = "rho_inf=0.65 sigma=1"},                                 \
               {"σ = opt", .options = "rho_inf=0.65 sigma=opt"},                             \
               {"σ = 1, printed", .options = "rho_inf=0.65 sigma=1 kinematics=printed"},     \
               {"σ = opt, printed", .options = "rho_inf=0.65 sigma=opt kinematics=printed"}, \
               {"Euler parameters", .options = "rho_inf=0.65", .chart = CHART_EULER},        \
               {"angles, spin last", .options = "rho_inf=0.65", .chart = CHART_XZY}}
    {"hag_top_q", "Heavy top, index 3, ρ = 0.65: largest error of (x, p)", OVER_H, .ylabel = "error",
     TOP_SERIES(METRIC_Q)},
    {"hag_top_lambda", "Heavy top, index 3, ρ = 0.65: largest error of λ", OVER_H, .ylabel = "error [N]",
     TOP_SERIES(METRIC_LA)},
    {"hag_top_ggl", "Heavy top, stabilised index 2, ρ = 1: largest error of (x, p)", OVER_H, .ylabel = "error",
     .data = top, .h = 4e-3, .levels = 6,
     .series = {{"geom1", .options = "formulation=ggl rho_inf=1 sigma=0", .kind = METRIC_Q},
                {"σ = 1", .options = "formulation=ggl rho_inf=1 sigma=1"},
                {"σ = opt", .options = "formulation=ggl rho_inf=1 sigma=opt"},
                {"σ = 1, printed", .options = "formulation=ggl rho_inf=1 sigma=1 kinematics=printed"},
                {"σ = opt, printed", .options = "formulation=ggl rho_inf=1 sigma=opt kinematics=printed"}}},
    {"hag_rotor", "Rotor, ρ = 0.9: error of the right bearing at t = 0.5", OVER_H, .ylabel = "error [m]", .data = rotor,
     .T = 0.5,
     .series = {{"geom1", .options = "sigma=0"},
                {"σ = 1", .options = "sigma=1"},
                {"σ = opt", .options = "sigma=opt"},
                {"σ = spin", .options = "sigma=spin"},
                {"σ = 1, printed", .options = "sigma=1 kinematics=printed"},
                {"angles Rx Ry Rz", .options = "atol=1e-10 rtol=1e-8", .chart = CHART_XYZ}}},
    {"hag_slider", "Spatial slider crank, ρ = 0.875: error of the slider at t = 2", OVER_H, .ylabel = "error [m]",
     .data = slider, .h = 4e-3, .levels = 4,
     .series = {{"geom1, index 3", .options = "sigma=0"},
                {"σ = 1, index 3", .options = "sigma=1"},
                {"geom1, index 2", .options = "formulation=index2 sigma=0"},
                {"σ = 1, index 2", .options = "formulation=index2 sigma=1"},
                {"σ = 1 printed, index 2", .options = "formulation=index2 sigma=1 kinematics=printed"},
                {"σ = 1, stabilised", .options = "formulation=ggl sigma=1"},
                {"Euler parameters", .options = "", .chart = CHART_EULER},
                {"angles Rx Ry Rz", .options = "", .chart = CHART_XYZ}}},
    {"sm21_q", "Nonholonomic particle, Lobatto IIIA-IIIB: error of q at t = 2", OVER_H, .ylabel = "error",
     .data = particle, .T = 2.0, .h = 0.5, .levels = 7,
     .series = {{.title = "s = 2"}, {.title = "s = 3"}, {.title = "s = 4"}, {.title = "s = 5"}}},
    {"sm21_lambda", "Nonholonomic particle, Lobatto IIIA-IIIB: error of λ at t = 2", OVER_H, .ylabel = "error",
     .data = particle, .T = 2.0, .h = 0.5, .levels = 7,
     .series = {{.title = "s = 2", .kind = 1}, {.title = "s = 3"}, {.title = "s = 4"}, {.title = "s = 5"}}},
    {"ours_lobatto", "Heavy top on the Lie group: largest error of λ in [0, 0.4]", OVER_H, .ylabel = "error of λ [N]",
     .data = convergence, .model = "heavy_top", .T = 0.4, .h = 0.02, .levels = 8,
     .series = {{"generalized-α, σ = 1", .options = "integrator=genalpha sigma=1", .kind = ERROR_LA},
                {"Lobatto, s = 2", .options = "integrator=lobatto stages=2", .kind = ERROR_LA},
                {"s = 3", .options = "integrator=lobatto stages=3", .kind = ERROR_LA},
                {"s = 4", .options = "integrator=lobatto stages=4", .kind = ERROR_LA},
                {"s = 5", .options = "integrator=lobatto stages=5", .kind = ERROR_LA}}},
};

const figure *figures_all(int *n)
{
    *n = (int)(sizeof FIGURES / sizeof FIGURES[0]);
    return FIGURES;
}
