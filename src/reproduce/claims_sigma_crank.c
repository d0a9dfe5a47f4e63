/* [HAG]: sigma-modified methods. The spatial slider crank, with the centre of mass of the crank in its middle and at A: the
 * published descriptions of the benchmark disagree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/claim.h"
#include "reproduce/comparisons.h"

enum { MIDDLE, AT_A };

/* Errors in a chart with these options over those of the method, the smallest ratio of position and velocity at h = 2e-3 and
 * 1e-3; arg[0]: centre of mass */
static double gain(const claim *c, lab *L, int chart, const char *options)
{
    static const double h[] = {2e-3, 1e-3};
    double smallest = -INFINITY;
    for (int k = 0; k < 2; ++k) {
        const crank_run a = crank_errors(L, chart, (int)c->arg[0], h[k], options);
        const crank_run b = crank_errors(L, CHART_NONE, (int)c->arg[0], h[k], c->options);
        smallest = larger(smallest, larger(-a.position / b.position, -a.velocity / b.velocity));
    }
    return -smallest;
}

/* Those of geom1 in the same formulation. */
static double gain_over_geom1(const claim *c, lab *L)
{
    const int index2 = strstr(c->options, "index2") != NULL;
    return gain(c, L, CHART_NONE, index2 ? "formulation=index2 sigma=0" : "formulation=index3 sigma=0");
}

/* Those in the chart arg[1], index 3. */
static double gain_over_chart(const claim *c, lab *L)
{
    return gain(c, L, (int)c->arg[1], "");
}

/* Error of Cardan angles over that of the best of geom1, sigma = 1 and opt in index 3 and index 2 and of Euler parameters,
 * with the kinematics of the options, position and velocity, h = 1e-3. */
static double cardan_against_all(const claim *c, lab *L)
{
    static const char *const methods[] = {"formulation=index3 sigma=0",   "formulation=index3 sigma=1",
                                          "formulation=index3 sigma=opt", "formulation=index2 sigma=0",
                                          "formulation=index2 sigma=1",   "formulation=index2 sigma=opt"};
    const int com = (int)c->arg[0];
    crank_run best = crank_errors(L, CHART_EULER, com, 1e-3, "");
    const crank_run cardan = crank_errors(L, CHART_XYZ, com, 1e-3, "");
    for (int k = 0; k < CLAIM_LENGTH(methods); ++k) {
        char options[96];
        (void)snprintf(options, sizeof options, "%s %s", methods[k], c->options);
        const crank_run r = crank_errors(L, CHART_NONE, com, 1e-3, options);
        best.position = fmin(best.position, r.position);
        best.velocity = fmin(best.velocity, r.velocity);
    }
    return larger(cardan.position / best.position, cardan.velocity / best.velocity);
}

/* Iterations per step (arg[2] = 0) or Jacobians (1), h = 1e-3, chart arg[1]. */
static double effort(const claim *c, lab *L)
{
    const crank_run r = crank_errors(L, (int)c->arg[1], (int)c->arg[0], 1e-3, c->options);
    return c->arg[2] == 0.0 ? r.iterations : r.jacobians;
}

/* Error of the position of the slider (arg[1] = 0) or of the crank angle (1) at t = 5 against the exact motion; arg[2]: the
 * chart */
static double long_run(const claim *c, lab *L)
{
    const double T = 5.0;
    const track *exact = lab_exact(L, crank_in_chart(L, CHART_NONE, (int)c->arg[0]), &T, 1);
    const track *r = lab_end(L, crank_in_chart(L, (int)c->arg[2], (int)c->arg[0]), T, "starting=naive %s", c->options);
    double is[7], want[7];
    const int body = c->arg[1] == 0.0 ? 2 : 0;
    at_pose(is, r, 0, body);
    at_pose(want, exact, 0, body);
    // the crank turns about x: half its angle is that of its Euler parameters
    return body == 2 ? fabs(is[0] - want[0]) : fabs(sin(2.0 * (atan2(is[4], is[3]) - atan2(want[4], want[3]))));
}

static const char NEARLY[] =
    "By 3 or 4 % the other way round, in one of position and velocity; with the other centre of mass it holds.";
static const char BEATEN[] =
    "In position and velocity together the angles are not the most accurate: the printed algorithms at "
    "index 2, and with the centre of mass at A the exact ones too, have smaller velocity errors.";
static const char SIGN[] =
    "With the crank's centre of mass at A and index 2 the error of geom1 at t = 2 is already smaller "
    "than what sigma changes, so that less is not better; in its middle the claim holds.";

static const claim CLAIMS[] = {
    {"slider-iftomm", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, Euler parameters, rho 0.6, h = 4 ms, as an emulation of the table: s(5) is off by about "
     "8.6e-3 m.",
     RELATIVE(8.6e-3, 0.35), BY(long_run, "rho_inf=0.6 h=4e-3", MIDDLE, 0, CHART_EULER)},
    {"slider-exact", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, sigma = 1, h = 5e-4: s(5) itself is right to 1e-4 m.", AT_MOST(1e-4),
     BY(long_run, "rho_inf=0.875 rtol=1e-9 sigma=1 h=5e-4", MIDDLE, 0)},
    {"slider-angle", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, sigma = 1, h = 5e-4: the crank angle at t = 5 is right to 1e-3.", AT_MOST(1e-3),
     BY(long_run, "rho_inf=0.875 rtol=1e-9 sigma=1 h=5e-4", MIDDLE, 1)},
    {"slider-index3-sigma1", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = 1 is more accurate than geom1 at t = 2, h = 2e-3, 1e-3.", AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=exact", MIDDLE)},
    {"slider-index3-sigma1-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = 1, as printed is more accurate than geom1 at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=printed", MIDDLE)},
    {"slider-index3-sigma1-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = 1, as printed with factor 1/2 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=printed_half", MIDDLE)},
    {"slider-index3-opt", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = opt is more accurate than geom1 at t = 2, h = 2e-3, 1e-3.", AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=exact", MIDDLE)},
    {"slider-index3-opt-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = opt, as printed is more accurate than geom1 at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=printed", MIDDLE)},
    {"slider-index3-opt-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 3: sigma = opt, as printed with factor 1/2 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=printed_half", MIDDLE)},
    {"slider-index2-sigma1", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1 is more accurate than geom1 at t = 2, h = 2e-3, 1e-3.", AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=exact", MIDDLE)},
    {"slider-index2-sigma1-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1, as printed is more accurate than geom1 at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=printed", MIDDLE)},
    {"slider-index2-sigma1-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1, as printed with factor 1/2 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=printed_half", MIDDLE)},
    {"slider-index2-opt", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt is more accurate than geom1 at t = 2, h = 2e-3, 1e-3.", AT_LEAST(1.0),
     BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=exact", MIDDLE)},
    {"slider-index2-opt-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt, as printed is more accurate than geom1 at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=printed", MIDDLE)},
    {"slider-index2-opt-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt, as printed with factor 1/2 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=printed_half", MIDDLE)},
    {"slider-euler-sigma1", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1 is more accurate than Euler parameters at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=exact", MIDDLE, CHART_EULER)},
    {"slider-euler-sigma1-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1, as printed is more accurate than Euler parameters at t = 2, h = 2e-3, "
     "1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=printed", MIDDLE, CHART_EULER)},
    {"slider-euler-sigma1-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = 1, as printed with factor 1/2 is more accurate than Euler parameters at t "
     "= 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=printed_half", MIDDLE, CHART_EULER)},
    {"slider-euler-opt", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt is more accurate than Euler parameters at t = 2, h = 2e-3 and 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=exact", MIDDLE, CHART_EULER),
     DIFFERS(0.9633, 0.02, NEARLY)},
    {"slider-euler-opt-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt, as printed is more accurate than Euler parameters at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=printed", MIDDLE, CHART_EULER)},
    {"slider-euler-opt-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, index 2: sigma = opt, as printed with factor 1/2 is more accurate than Euler parameters at "
     "t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=printed_half", MIDDLE, CHART_EULER)},
    {"slider-cardan", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, Cardan angles R_x R_y R_z are more accurate than every other method (the others exact).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=exact", MIDDLE)},
    {"slider-cardan-printed", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, Cardan angles R_x R_y R_z are more accurate than every other method (the others as "
     "printed).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=printed", MIDDLE), DIFFERS(1.715, 0.02, BEATEN)},
    {"slider-cardan-half", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, Cardan angles R_x R_y R_z are more accurate than every other method (the others as printed "
     "with factor 1/2).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=printed_half", MIDDLE), DIFFERS(1.148, 0.02, BEATEN)},
    {"slider-ggl", "ours, to [HAG] sec. 7.3",
     "Spatial slider crank, the stabilised index 2 formulation, which the paper leaves out here, is more accurate than "
     "Cardan angles.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=ggl sigma=1", MIDDLE, CHART_XYZ)},
    {"slider-iterations-sigma1-index3", "[HAG] sec. 7.3",
     "Spatial slider crank, sigma = 1, index 3: 2.0 iterations per step.", RELATIVE(2.0, 0.15),
     BY(effort, "formulation=index3 sigma=1", MIDDLE, CHART_NONE)},
    {"slider-modified-sigma1-index3", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, sigma = 1, index 3: 7.2 iterations per step.", RELATIVE(7.2, 0.15),
     BY(effort, "formulation=index3 sigma=1 newton=modified", MIDDLE, CHART_NONE)},
    {"slider-iterations-geom1-index3", "[HAG] sec. 7.3",
     "Spatial slider crank, geom1, index 3: 2.0 iterations per step.", RELATIVE(2.0, 0.15),
     BY(effort, "formulation=index3 sigma=0", MIDDLE, CHART_NONE)},
    {"slider-modified-geom1-index3", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, geom1, index 3: 7.2 iterations per step.", RELATIVE(7.2, 0.15),
     BY(effort, "formulation=index3 sigma=0 newton=modified", MIDDLE, CHART_NONE)},
    {"slider-iterations-sigma1-index2", "[HAG] sec. 7.3",
     "Spatial slider crank, sigma = 1, index 2: 2.5 iterations per step.", RELATIVE(2.5, 0.15),
     BY(effort, "formulation=index2 sigma=1", MIDDLE, CHART_NONE)},
    {"slider-modified-sigma1-index2", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, sigma = 1, index 2: 7.2 iterations per step.", RELATIVE(7.2, 0.15),
     BY(effort, "formulation=index2 sigma=1 newton=modified", MIDDLE, CHART_NONE)},
    {"slider-iterations-geom1-index2", "[HAG] sec. 7.3",
     "Spatial slider crank, geom1, index 2: 2.5 iterations per step.", RELATIVE(2.5, 0.15),
     BY(effort, "formulation=index2 sigma=0", MIDDLE, CHART_NONE)},
    {"slider-modified-geom1-index2", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, geom1, index 2: 7.2 iterations per step.", RELATIVE(7.2, 0.15),
     BY(effort, "formulation=index2 sigma=0 newton=modified", MIDDLE, CHART_NONE)},
    {"slider-iterations-euler", "[HAG] sec. 7.3", "Spatial slider crank, Euler parameters: 3.0 iterations per step.",
     RELATIVE(3.0, 0.15), BY(effort, "", MIDDLE, CHART_EULER),
     DIFFERS(2.17, 0.05, "With exact derivatives Euler parameters need as many iterations as the others.")},
    {"slider-modified-euler", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, Euler parameters: 7.8 iterations per step.", RELATIVE(7.8, 0.15),
     BY(effort, "newton=modified", MIDDLE, CHART_EULER)},
    {"slider-iterations-cardan", "[HAG] sec. 7.3", "Spatial slider crank, Cardan angles: 2.0 iterations per step.",
     RELATIVE(2.0, 0.15), BY(effort, "", MIDDLE, CHART_XYZ)},
    {"slider-modified-cardan", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, Cardan angles: 7.3 iterations per step.", RELATIVE(7.3, 0.15),
     BY(effort, "newton=modified", MIDDLE, CHART_XYZ)},
    {"slider-jacobians", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, sigma = 1: about 170 Jacobians for the run.", RELATIVE(170, 0.25),
     BY(effort, "newton=modified sigma=1", MIDDLE, CHART_NONE, 1)},
    {"slider-jacobians-euler", "[HAG] sec. 7.3",
     "Spatial slider crank, modified Newton, Euler parameters: 1000 Jacobians for the run.", RELATIVE(1000, 0.25),
     BY(effort, "newton=modified", MIDDLE, CHART_EULER, 1),
     DIFFERS(235, 0.1,
             "With exact derivatives Euler parameters need a quarter more Jacobians than the Lie group, not six times "
             "as many.")},
    {"slider-iftomm-at-a", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, crank's centre of mass at A, Euler parameters, rho 0.6, h = 4 ms, as an emulation of the "
     "table: s(5) is off by about 8.6e-3 m.",
     RELATIVE(8.6e-3, 0.35), BY(long_run, "rho_inf=0.6 h=4e-3", AT_A, 0, CHART_EULER)},
    {"slider-exact-at-a", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, crank's centre of mass at A, sigma = 1, h = 5e-4: s(5) itself is right to 1e-4 m.",
     AT_MOST(1e-4), BY(long_run, "rho_inf=0.875 rtol=1e-9 sigma=1 h=5e-4", AT_A, 0)},
    {"slider-angle-at-a", "[HAG] sec. 7.3, fig. 9",
     "Spatial slider crank, crank's centre of mass at A, sigma = 1, h = 5e-4: the crank angle at t = 5 is right to "
     "1e-3.",
     AT_MOST(1e-3), BY(long_run, "rho_inf=0.875 rtol=1e-9 sigma=1 h=5e-4", AT_A, 1)},
    {"slider-index3-sigma1-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = 1 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=exact", AT_A)},
    {"slider-index3-sigma1-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = 1, as printed is more accurate than geom1 at "
     "t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=printed", AT_A)},
    {"slider-index3-sigma1-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = 1, as printed with factor 1/2 is more "
     "accurate than geom1 at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=1 kinematics=printed_half", AT_A)},
    {"slider-index3-opt-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = opt is more accurate than geom1 at t = 2, h "
     "= 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=exact", AT_A)},
    {"slider-index3-opt-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = opt, as printed is more accurate than geom1 "
     "at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=printed", AT_A)},
    {"slider-index3-opt-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 3: sigma = opt, as printed with factor 1/2 is more "
     "accurate than geom1 at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index3 sigma=opt kinematics=printed_half", AT_A)},
    {"slider-index2-sigma1-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1 is more accurate than geom1 at t = 2, h = "
     "2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=exact", AT_A),
     DIFFERS(0.6053, 0.02, SIGN)},
    {"slider-index2-sigma1-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1, as printed is more accurate than geom1 at "
     "t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=printed", AT_A),
     DIFFERS(0.4431, 0.02, SIGN)},
    {"slider-index2-sigma1-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1, as printed with factor 1/2 is more "
     "accurate than geom1 at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=1 kinematics=printed_half", AT_A),
     DIFFERS(0.5061, 0.02, SIGN)},
    {"slider-index2-opt-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt is more accurate than geom1 at t = 2, h "
     "= 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=exact", AT_A),
     DIFFERS(0.7023, 0.02, SIGN)},
    {"slider-index2-opt-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt, as printed is more accurate than geom1 "
     "at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=printed", AT_A),
     DIFFERS(0.5454, 0.02, SIGN)},
    {"slider-index2-opt-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt, as printed with factor 1/2 is more "
     "accurate than geom1 at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_geom1, "formulation=index2 sigma=opt kinematics=printed_half", AT_A),
     DIFFERS(0.607, 0.02, SIGN)},
    {"slider-euler-sigma1-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1 is more accurate than Euler parameters at "
     "t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=exact", AT_A, CHART_EULER)},
    {"slider-euler-sigma1-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1, as printed is more accurate than Euler "
     "parameters at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=printed", AT_A, CHART_EULER),
     DIFFERS(0.9725, 0.02, NEARLY)},
    {"slider-euler-sigma1-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = 1, as printed with factor 1/2 is more "
     "accurate than Euler parameters at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=1 kinematics=printed_half", AT_A, CHART_EULER)},
    {"slider-euler-opt-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt is more accurate than Euler parameters "
     "at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=exact", AT_A, CHART_EULER)},
    {"slider-euler-opt-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt, as printed is more accurate than Euler "
     "parameters at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=printed", AT_A, CHART_EULER)},
    {"slider-euler-opt-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, index 2: sigma = opt, as printed with factor 1/2 is more "
     "accurate than Euler parameters at t = 2, h = 2e-3, 1e-3.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=index2 sigma=opt kinematics=printed_half", AT_A, CHART_EULER)},
    {"slider-cardan-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, Cardan angles R_x R_y R_z are more accurate than every other "
     "method (the others exact).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=exact", AT_A), DIFFERS(1.148, 0.02, BEATEN)},
    {"slider-cardan-printed-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, Cardan angles R_x R_y R_z are more accurate than every other "
     "method (the others as printed).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=printed", AT_A), DIFFERS(2.22, 0.02, BEATEN)},
    {"slider-cardan-half-at-a", "[HAG] sec. 7.3, fig. 10",
     "Spatial slider crank, crank's centre of mass at A, Cardan angles R_x R_y R_z are more accurate than every other "
     "method (the others as printed with factor 1/2).",
     AT_MOST(1.0), BY(cardan_against_all, "kinematics=printed_half", AT_A), DIFFERS(1.335, 0.02, BEATEN)},
    {"slider-ggl-at-a", "ours, to [HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, the stabilised index 2 formulation, which the paper leaves "
     "out here, is more accurate than Cardan angles.",
     AT_LEAST(1.0), BY(gain_over_chart, "formulation=ggl sigma=1", AT_A, CHART_XYZ)},
    {"slider-iterations-sigma1-index3-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, sigma = 1, index 3: 2.0 iterations per step.",
     RELATIVE(2.0, 0.15), BY(effort, "formulation=index3 sigma=1", AT_A, CHART_NONE)},
    {"slider-modified-sigma1-index3-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, sigma = 1, index 3: 7.2 iterations per step.",
     RELATIVE(7.2, 0.15), BY(effort, "formulation=index3 sigma=1 newton=modified", AT_A, CHART_NONE)},
    {"slider-iterations-geom1-index3-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, geom1, index 3: 2.0 iterations per step.", RELATIVE(2.0, 0.15),
     BY(effort, "formulation=index3 sigma=0", AT_A, CHART_NONE)},
    {"slider-modified-geom1-index3-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, geom1, index 3: 7.2 iterations per step.",
     RELATIVE(7.2, 0.15), BY(effort, "formulation=index3 sigma=0 newton=modified", AT_A, CHART_NONE)},
    {"slider-iterations-sigma1-index2-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, sigma = 1, index 2: 2.5 iterations per step.",
     RELATIVE(2.5, 0.15), BY(effort, "formulation=index2 sigma=1", AT_A, CHART_NONE)},
    {"slider-modified-sigma1-index2-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, sigma = 1, index 2: 7.2 iterations per step.",
     RELATIVE(7.2, 0.15), BY(effort, "formulation=index2 sigma=1 newton=modified", AT_A, CHART_NONE)},
    {"slider-iterations-geom1-index2-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, geom1, index 2: 2.5 iterations per step.", RELATIVE(2.5, 0.15),
     BY(effort, "formulation=index2 sigma=0", AT_A, CHART_NONE)},
    {"slider-modified-geom1-index2-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, geom1, index 2: 7.2 iterations per step.",
     RELATIVE(7.2, 0.15), BY(effort, "formulation=index2 sigma=0 newton=modified", AT_A, CHART_NONE)},
    {"slider-iterations-euler-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, Euler parameters: 3.0 iterations per step.",
     RELATIVE(3.0, 0.15), BY(effort, "", AT_A, CHART_EULER),
     DIFFERS(2.17, 0.05, "With exact derivatives Euler parameters need as many iterations as the others.")},
    {"slider-modified-euler-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, Euler parameters: 7.8 iterations per step.",
     RELATIVE(7.8, 0.15), BY(effort, "newton=modified", AT_A, CHART_EULER)},
    {"slider-iterations-cardan-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, Cardan angles: 2.0 iterations per step.", RELATIVE(2.0, 0.15),
     BY(effort, "", AT_A, CHART_XYZ)},
    {"slider-modified-cardan-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, Cardan angles: 7.3 iterations per step.",
     RELATIVE(7.3, 0.15), BY(effort, "newton=modified", AT_A, CHART_XYZ)},
    {"slider-jacobians-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, sigma = 1: about 170 Jacobians for the run.",
     RELATIVE(170, 0.25), BY(effort, "newton=modified sigma=1", AT_A, CHART_NONE, 1)},
    {"slider-jacobians-euler-at-a", "[HAG] sec. 7.3",
     "Spatial slider crank, crank's centre of mass at A, modified Newton, Euler parameters: 1000 Jacobians for the "
     "run.",
     RELATIVE(1000, 0.25), BY(effort, "newton=modified", AT_A, CHART_EULER, 1),
     DIFFERS(235, 0.1,
             "With exact derivatives Euler parameters need a quarter more Jacobians than the Lie group, not six times "
             "as many.")},
};

const claim *claims_sigma_crank(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
