/* [HAG]: sigma-modified methods. The rotor at 200 000 rpm on flexible supports. */
#include <math.h>

#include "reproduce/charts.h"
#include "reproduce/claim.h"
#include "reproduce/comparisons.h"
#include "reproduce/measure.h"

/* Error of geom1 at t = 1 over that of the method, both with h = arg[0]: position of the right bearing, or velocity of the
 * left one for arg[1] = 1. */
static double gain_over_geom1(const claim *c, dal_ctx *ctx)
{
    double va, vb;
    const double a = rotor_error(ctx, CHART_NONE, 1.0, c->arg[0], "sigma=0", &va);
    const double b = rotor_error(ctx, CHART_NONE, 1.0, c->arg[0], c->options, &vb);
    return c->arg[1] == 0.0 ? a / b : va / vb;
}

/* Error in the chart arg[0] at t = 1 over that of the method, h = arg[1]. */
static double gain_over_chart(const claim *c, dal_ctx *ctx)
{
    const double h = c->arg[1];
    return rotor_error(ctx, (int)c->arg[0], 1.0, h, "atol=1e-10 rtol=1e-8", NULL) /
           rotor_error(ctx, CHART_NONE, 1.0, h, c->options, NULL);
}

/* How many of the steps 1e-3, 5e-4, 2e-4, 1e-4 do not lead to t = 1 in the chart arg[0]. */
static double failures(const claim *c, dal_ctx *ctx)
{
    static const double h[] = {1e-3, 5e-4, 2e-4, 1e-4};
    rotor R;
    int failed = 0;
    if (!rotor_open(&R, ctx, (int)c->arg[0])) {
        return NAN;
    }
    for (int k = 0; k < 4; ++k) {
        track r = track_run(R.p, 1.0, "rho_inf=0.9 starting=naive predictor=zero h=%.17g %s", h[k], c->options);
        failed += r.status != DAL_OK;
        track_free(&r);
    }
    rotor_close(&R);
    dal_ctx_clear(ctx);
    return failed;
}

/* A run to t = 1 with modified Newton or not: iterations per step (arg[2] = 0) or Jacobians (1); arg[0] chart, arg[1] step
 * size */
static double effort(const claim *c, dal_ctx *ctx)
{
    double iterations, jacobians;
    rotor_effort(&iterations, &jacobians, ctx, (int)c->arg[0], c->arg[1], c->options);
    return c->arg[2] == 0.0 ? iterations : jacobians;
}

/* Time until the left bearing comes back nearest to where it started, after t = 1.5. */
static double precession(const claim *c, dal_ctx *ctx)
{
    enum { N = 400 };
    (void)c;
    problem p;
    double t[N], left[3 * N], nearest = INFINITY, when = NAN;
    if (problem_rotor(&p, ctx, 0) != DAL_OK) {
        return NAN;
    }
    for (int k = 0; k < N; ++k) {
        t[k] = 0.01 * k;
    }
    rotor_bearings_exact(&p, left, NULL, t, N);
    for (int k = 150; k < N; ++k) {
        const double d = distance(left + (size_t)3 * (size_t)k, left, 3);
        when = d < nearest ? t[k] : when;
        nearest = fmin(nearest, d);
    }
    problem_free(&p);
    return when;
}

static const char GAIN[] =
    "The leading error is C_q v'' + C_h hat(v) v', and for fast spin v'' = -hat(v) v': sigma changes the second part "
    "only. "
    "The best value is sigma_eff = 1.7; printed algorithms have 2 sigma, with factor 1/2 they have 1.5 sigma.";
static const char TWO[] =
    "Two is the least that the stopping test of this library makes: the first iteration gives no rate.";
static const char EULER[] =
    "Counted at h = 5e-6, the step at which Euler parameters resolve the spin; the paper averages over "
    "steps that it does not list.";

static const claim CLAIMS[] = {
    {.id = "rotor-precession",
     .source = "[HAG] sec. 7.2, fig. 6",
     .statement = "The rotor precesses with a period of about 2.5 s.",
     NEAR(2.5, 0.1),
     BY(precession, NULL, 0)},
    {.id = "rotor-gain-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = 1 is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1", 1e-5),
     DIFFERS(2.44, 0.02, GAIN)},
    {.id = "rotor-gain-opt",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = opt is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=exact", 1e-5),
     DIFFERS(1.645, 0.02, GAIN)},
    {.id = "rotor-gain-printed-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = 1, as printed, is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1 kinematics=printed", 1e-5),
     DIFFERS(5.45, 0.02, GAIN)},
    {.id = "rotor-gain-printed-opt",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = opt, as printed, is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=printed", 1e-5),
     DIFFERS(4.67, 0.02, GAIN)},
    {.id = "rotor-gain-half-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement =
         "Rotor, h = 1e-5, t = 1: sigma = 1, as printed with factor 1/2, is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1 kinematics=printed_half", 1e-5)},
    {.id = "rotor-gain-half-opt",
     .source = "[HAG] sec. 7.2, fig. 7a",
     .statement =
         "Rotor, h = 1e-5, t = 1: sigma = opt, as printed with factor 1/2, is about ten times as accurate as geom1.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=printed_half", 1e-5),
     DIFFERS(2.44, 0.02, GAIN)},
    {.id = "rotor-velocity-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = 1 gains about as much in the velocity of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1", 1e-5, 1),
     DIFFERS(2.388, 0.02, GAIN)},
    {.id = "rotor-velocity-opt",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = opt gains about as much in the velocity of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=exact", 1e-5, 1),
     DIFFERS(1.638, 0.02, GAIN)},
    {.id = "rotor-velocity-printed-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement =
         "Rotor, h = 1e-5, t = 1: sigma = 1, as printed, gains about as much in the velocity of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1 kinematics=printed", 1e-5, 1),
     DIFFERS(5.008, 0.02, GAIN)},
    {.id = "rotor-velocity-printed-opt",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement =
         "Rotor, h = 1e-5, t = 1: sigma = opt, as printed, gains about as much in the velocity of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=printed", 1e-5, 1),
     DIFFERS(4.46, 0.02, GAIN)},
    {.id = "rotor-velocity-half-sigma1",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = 1, as printed with factor 1/2, gains about as much in the velocity "
                  "of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=1 kinematics=printed_half", 1e-5, 1),
     DIFFERS(6.695, 0.02, GAIN)},
    {.id = "rotor-velocity-half-opt",
     .source = "[HAG] sec. 7.2, fig. 7b",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = opt, as printed with factor 1/2, gains about as much in the "
                  "velocity of the left bearing.",
     NEAR(10, 3),
     BY(gain_over_geom1, "sigma=opt kinematics=printed_half", 1e-5, 1),
     DIFFERS(2.397, 0.02, GAIN)},
    {.id = "rotor-euler-fails",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor: Euler parameters fail at the largest steps, all of 1e-3, 5e-4, 2e-4, 1e-4.",
     NEAR(4, 0),
     BY(failures, "", CHART_EULER),
     DIFFERS(0, 0,
             "All four runs reach t = 1: in the multiplier of the unit length Lagrange's equations have 2 Omega.J "
             "Omega, and Newton's method meets its tolerance. The results are useless at these steps, as those of "
             "every other method are.")},
    {.id = "rotor-lie-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor: sigma = 1: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 (number of failures).",
     NEAR(0, 0),
     BY(failures, "sigma=1", CHART_NONE)},
    {.id = "rotor-geom1-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor: geom1: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 (number of failures).",
     NEAR(0, 0),
     BY(failures, "sigma=0", CHART_NONE)},
    {.id = "rotor-opt-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor: sigma = opt: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 (number of failures).",
     NEAR(0, 0),
     BY(failures, "sigma=opt", CHART_NONE)},
    {.id = "rotor-printed-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor: the printed algorithm for sigma = 1: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 "
                  "(number of failures).",
     NEAR(0, 0),
     BY(failures, "sigma=1 kinematics=printed", CHART_NONE)},
    {.id = "rotor-half-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement =
         "Rotor: the one with factor 1/2: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 (number of failures).",
     NEAR(0, 0),
     BY(failures, "sigma=1 kinematics=printed_half", CHART_NONE)},
    {.id = "rotor-cardan-succeeds",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement =
         "Rotor: Cardan angles R_x R_y R_z: t = 1 is reached with h = 1e-3, 5e-4, 2e-4 and 1e-4 (number of failures).",
     NEAR(0, 0),
     BY(failures, "", CHART_XYZ)},
    {.id = "rotor-cardan-accuracy",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor, h = 5e-5, t = 1: sigma = 1 is substantially more accurate than Cardan angles R_x R_y R_z, at "
                  "least 5 times.",
     AT_LEAST(5),
     BY(gain_over_chart, "sigma=1", CHART_XYZ, 5e-5)},
    {.id = "rotor-cardan-last",
     .source = "ours, to [HAG] sec. 7.2",
     .statement = "Rotor, spin as the last angle, R_y R_z R_x: Cardan angles are more accurate than sigma = spin, a "
                  "thousand times.",
     AT_MOST(1e-3),
     BY(gain_over_chart, "sigma=spin", CHART_YZX, 5e-5)},
    {.id = "rotor-euler-accuracy",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor, h = 1e-5, t = 1: sigma = 1 is more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "sigma=1", CHART_EULER, 1e-5)},
    {.id = "rotor-euler-fine",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor, h = 5e-6, t = 1: sigma = 1 is more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "sigma=1", CHART_EULER, 5e-6),
     DIFFERS(.61, 0.03,
             "Where Euler parameters resolve the spin they are more accurate than the exact sigma = 1; the printed "
             "algorithms are more accurate than they.")},
    {.id = "rotor-euler-fine-printed",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement = "Rotor, h = 5e-6, t = 1: sigma = 1, as printed, is more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "sigma=1 kinematics=printed", CHART_EULER, 5e-6)},
    {.id = "rotor-euler-fine-half",
     .source = "[HAG] sec. 7.2, fig. 7",
     .statement =
         "Rotor, h = 5e-6, t = 1: sigma = 1, as printed with factor 1/2, is more accurate than Euler parameters.",
     AT_LEAST(1.0),
     BY(gain_over_chart, "sigma=1 kinematics=printed_half", CHART_EULER, 5e-6)},
    {.id = "rotor-modified-sigma1-index3",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, index 3, modified Newton, sigma = 1: 2.1 iterations per step.",
     RELATIVE(2.1, 0.15),
     BY(effort, "newton=modified sigma=1 formulation=index3", CHART_NONE, 1e-5, 0)},
    {.id = "rotor-modified-geom1-index3",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, index 3, modified Newton, geom1: 2.3 iterations per step.",
     RELATIVE(2.3, 0.15),
     BY(effort, "newton=modified sigma=0 formulation=index3", CHART_NONE, 1e-5, 0)},
    {.id = "rotor-modified-sigma1-index2",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, index 2, modified Newton, sigma = 1: 2.1 iterations per step.",
     RELATIVE(2.1, 0.15),
     BY(effort, "newton=modified sigma=1 formulation=index2", CHART_NONE, 1e-5, 0)},
    {.id = "rotor-modified-geom1-index2",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, index 2, modified Newton, geom1: 2.3 iterations per step.",
     RELATIVE(2.3, 0.15),
     BY(effort, "newton=modified sigma=0 formulation=index2", CHART_NONE, 1e-5, 0)},
    {.id = "rotor-jacobian-sigma1",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, modified Newton, sigma = 1, h = 1e-5: one Jacobian for the whole run.",
     NEAR(1, 0),
     BY(effort, "newton=modified sigma=1", CHART_NONE, 1e-5, 1)},
    {.id = "rotor-jacobian-geom1",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, modified Newton, geom1, h = 1e-5: one Jacobian for the whole run.",
     NEAR(1, 0),
     BY(effort, "newton=modified sigma=0", CHART_NONE, 1e-5, 1)},
    {.id = "rotor-modified-cardan",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, modified Newton, Cardan angles: 3.3 iterations per step.",
     RELATIVE(3.3, 0.15),
     BY(effort, "newton=modified", CHART_XYZ, 5e-5, 0),
     DIFFERS(2.0, 0.01, TWO)},
    {.id = "rotor-modified-euler",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, modified Newton, Euler parameters, h = 5e-6: 8.3 iterations per step.",
     RELATIVE(8.3, 0.15),
     BY(effort, "newton=modified", CHART_EULER, 5e-6, 0),
     DIFFERS(5.0, 0.02, EULER)},
    {.id = "rotor-jacobian-euler",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, modified Newton, Euler parameters, h = 5e-6: 119823 Jacobians for the run.",
     RELATIVE(119823, 0.25),
     BY(effort, "newton=modified", CHART_EULER, 5e-6, 1),
     DIFFERS(200000, 0.02, EULER)},
    {.id = "rotor-full-sigma1",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, full Newton, index 2, sigma = 1: 1.3 iterations per step.",
     RELATIVE(1.3, 0.15),
     BY(effort, "sigma=1 formulation=index2", CHART_NONE, 1e-5, 0),
     DIFFERS(2.0, 0.01, TWO)},
    {.id = "rotor-full-geom1",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, full Newton, index 2, geom1: 1.8 iterations per step.",
     RELATIVE(1.8, 0.15),
     BY(effort, "sigma=0 formulation=index2", CHART_NONE, 1e-5, 0)},
    {.id = "rotor-full-euler",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, full Newton, Euler parameters, h = 5e-6: 2.56 iterations per step.",
     RELATIVE(2.56, 0.15),
     BY(effort, "", CHART_EULER, 5e-6, 0),
     DIFFERS(3.0, 0.01, EULER)},
    {.id = "rotor-full-cardan",
     .source = "[HAG] sec. 7.2",
     .statement = "Rotor, full Newton, Cardan angles: 2.56 iterations per step.",
     RELATIVE(2.56, 0.15),
     BY(effort, "", CHART_XYZ, 5e-5, 0),
     DIFFERS(2.0, 0.01, TWO)},
};

const claim *claims_sigma_rotor(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
