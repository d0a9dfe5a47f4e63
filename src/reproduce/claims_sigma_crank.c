/* [HAG]: sigma-modified methods. The spatial slider crank. */
#include <math.h>

#include "reproduce/charts.h"
#include "reproduce/claim.h"
#include "reproduce/comparisons.h"
#include "reproduce/measure.h"

/* Errors of geom1 in the formulation arg[0] (2, 3: index) over those of the method, the smaller of position and velocity,
 * h = 1e-3. */
static double gain_over_geom1(const claim *c, dal_ctx *ctx)
{
    const crank_run geom1 = crank_errors(
        ctx, CHART_NONE, 1e-3, c->arg[0] == 2.0 ? "formulation=index2 sigma=0" : "formulation=index3 sigma=0");
    const crank_run method = crank_errors(ctx, CHART_NONE, 1e-3, c->options);
    return fmin(geom1.position / method.position, geom1.velocity / method.velocity);
}

/* Error of the position in the chart arg[0], index 3, over that of the method, h = 1e-3. */
static double gain_over_chart(const claim *c, dal_ctx *ctx)
{
    return crank_errors(ctx, (int)c->arg[0], 1e-3, "").position /
           crank_errors(ctx, CHART_NONE, 1e-3, c->options).position;
}

/* Iterations per step (arg[1] = 0) or Jacobians (1), h = 1e-3, chart arg[0]. */
static double effort(const claim *c, dal_ctx *ctx)
{
    const crank_run r = crank_errors(ctx, (int)c->arg[0], 1e-3, c->options);
    return c->arg[1] == 0.0 ? r.iterations : r.jacobians;
}

/* sigma = 1, h = 1e-4: error of the slider's position at t = 5 against the exact motion; arg[0] = 1: crank balanced */
static double long_run(const claim *c, dal_ctx *ctx)
{
    problem p;
    const double T = 5.0;
    double q[PROBLEM_MAX];
    if (problem_spatial_slider_crank(&p, ctx, (int)c->arg[0]) != DAL_OK) {
        return NAN;
    }
    problem_exact(&p, q, NULL, NULL, NULL, &T, 1);
    track r = track_run(&p, T, "rho_inf=0.875 rtol=1e-9 sigma=1 starting=naive h=1e-4");
    const double err = r.status == DAL_OK ? fabs(track_column(r.q, p.nq, r.n - 1)[14] - q[14]) : NAN;
    track_free(&r);
    problem_free(&p);
    return err;
}

static const claim CLAIMS[] = {
    {.id = "slider-iftomm",
     .source = "[HAG] sec. 7.3, fig. 9",
     .statement = "Spatial slider crank, sigma = 1: s(5) deviates from the IFToMM reference by 8.6e-3 m, because of "
                  "different time integration "
                  "methods.",
     RELATIVE(8.6e-3, 0.1),
     BY(long_run, NULL, 0),
     DIFFERS(1.0e-6, 0.1,
             "With h = 1e-4 the position is right to 1e-6 m, with 1e-5 to 1e-8: no time integration explains "
             "8.6e-3 m. The descriptions of the benchmark disagree about the centre of mass of the crank, which "
             "moves s(5) by 1.4e-2 m. The table itself was not available to us.")},
    {.id = "slider-iftomm-balanced",
     .source = "[HAG] sec. 7.3, to fig. 9",
     .statement = "Spatial slider crank, the same with the crank's centre of mass on its axis: agrees with the exact "
                  "motion to 1e-5 m.",
     AT_MOST(1e-5),
     BY(long_run, NULL, 1)},
    {.id = "slider-index3-sigma1",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 3: sigma = 1 is more accurate than geom1 at t = 2.",
     AT_LEAST(1.0),
     BY(gain_over_geom1, "sigma=1", 3)},
    {.id = "slider-index3-opt",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 3: sigma = opt is more accurate than geom1 at t = 2.",
     AT_LEAST(1.0),
     BY(gain_over_geom1, "sigma=opt", 3)},
    {.id = "slider-index2-sigma1",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 2: sigma = 1 is more accurate than geom1 at t = 2.",
     AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index2 sigma=1", 2)},
    {.id = "slider-index2-opt",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 2: sigma = opt is more accurate than geom1 at t = 2.",
     AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index2 sigma=opt", 2)},
    {.id = "slider-printed-sigma1",
     .source = "[HAG] sec. 7.3, algorithm 1",
     .statement = "Spatial slider crank, index 3: the algorithm for sigma = 1 is more accurate than geom1 at t = 2.",
     AT_LEAST(1.0),
     BY(gain_over_geom1, "sigma=1 kinematics=printed", 3)},
    {.id = "slider-index2-euler-sigma1",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 2, sigma = 1: more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "formulation=index2 sigma=1", CHART_EULER)},
    {.id = "slider-index2-euler-opt",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, index 2, sigma = opt: more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "formulation=index2 sigma=opt", CHART_EULER),
     DIFFERS(0.962, 0.02,
             "By 4 % the other way round; the algorithm as printed, with sigma_eff of about 2 sigma, is more "
             "accurate than they.")},
    {.id = "slider-index2-euler-printed",
     .source = "[HAG] sec. 7.3, fig. 10, algorithm 2",
     .statement = "Spatial slider crank, index 2, algorithm for sigma = opt: more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=printed", CHART_EULER)},
    {.id = "slider-cardan",
     .source = "[HAG] sec. 7.3, fig. 10",
     .statement = "Spatial slider crank, Cardan angles R_x R_y R_z are the most accurate: more so than the best of the "
                  "printed algorithms, index "
                  "2, sigma = 1.",
     AT_MOST(1.0),
     BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=printed", CHART_XYZ)},
    {.id = "slider-ggl",
     .source = "ours, to [HAG] sec. 7.3",
     .statement = "Spatial slider crank, the stabilised index 2 formulation, which the paper leaves out here, is more "
                  "accurate than Cardan angles.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "formulation=ggl sigma=1", CHART_XYZ)},
    {.id = "slider-iterations-index3",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, index 3: 2.0 iterations per step.",
     RELATIVE(2.0, 0.15),
     BY(effort, "sigma=1", CHART_NONE)},
    {.id = "slider-iterations-index2",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, index 2: 2.5 iterations per step.",
     RELATIVE(2.5, 0.15),
     BY(effort, "formulation=index2 sigma=1", CHART_NONE)},
    {.id = "slider-iterations-euler",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, Euler parameters: 3.0 iterations per step.",
     RELATIVE(3.0, 0.15),
     BY(effort, "", CHART_EULER),
     DIFFERS(2.17, 0.02, "With exact derivatives Euler parameters need as many iterations as the others.")},
    {.id = "slider-iterations-cardan",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, Cardan angles: 2.0 iterations per step.",
     RELATIVE(2.0, 0.15),
     BY(effort, "", CHART_XYZ)},
    {.id = "slider-modified",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, modified Newton, sigma = 1: 7.2 iterations per step.",
     RELATIVE(7.2, 0.15),
     BY(effort, "newton=modified sigma=1", CHART_NONE)},
    {.id = "slider-modified-euler",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, modified Newton, Euler parameters: 7.8 iterations per step.",
     RELATIVE(7.8, 0.15),
     BY(effort, "newton=modified", CHART_EULER)},
    {.id = "slider-jacobians",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, modified Newton, sigma = 1: about 170 Jacobians for the run.",
     RELATIVE(170, 0.25),
     BY(effort, "newton=modified sigma=1", CHART_NONE, 1)},
    {.id = "slider-jacobians-euler",
     .source = "[HAG] sec. 7.3",
     .statement = "Spatial slider crank, modified Newton, Euler parameters: 1000 Jacobians for the run.",
     RELATIVE(1000, 0.25),
     BY(effort, "newton=modified", CHART_EULER, 1),
     DIFFERS(235, 0.05,
             "With exact derivatives Euler parameters need a quarter more Jacobians than the Lie group, not six "
             "times as many.")},
};

const claim *claims_sigma_crank(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
