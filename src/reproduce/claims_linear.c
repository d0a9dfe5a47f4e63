/* [AB07]: generalized-alpha at index 3 in linear spaces, mechanisms with absolute coordinates. */
#include <math.h>
#include <stdlib.h>

#include "reproduce/claim.h"
#include "reproduce/measure.h"

/* ---- convergence at the final time ------------------------------------------------------------ */

/* Crank angle theta_1 (arg[0] = 0) or first multiplier (1) of the planar slider crank at t = 1: order of the relative
 * error with arg[1] and twice as many steps. */
static double slider_crank_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_slider_crank(&p, ctx) != DAL_OK) {
        return NAN;
    }
    const double T = 1.0;
    double q[PROBLEM_MAX], la[PROBLEM_MAX], err[2];
    problem_exact(&p, q, NULL, NULL, la, &T, 1);
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, T, "%s h=%.17g", c->options, T / ((int)c->arg[1] << k));
        const int last = r.n - 1;
        err[k] = r.status != DAL_OK ? NAN
                 : c->arg[0] == 0.0 ? fabs(track_column(r.q, p.nq, last)[2] / q[2] - 1.0)
                                    : fabs(track_column(r.la, p.nc, last)[0] / la[0] - 1.0);
        track_free(&r);
    }
    problem_free(&p);
    return log2(err[0] / err[1]);
}

/* The published reference for the seven angles of Andrews' mechanism at t = 0.03 (Test Set for IVP Solvers). */
static const double ANDREWS_ANGLES[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                         -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                         1.048080741042263};

/* beta (arg[0] = 0) against the published reference, or lambda_1 (1), at t = 0.03: order with arg[1] and twice as many
 * steps. lambda_1: x force of the crank on the ground. */
static double andrews_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_andrews(&p, ctx) != DAL_OK) {
        return NAN;
    }
    const double T = 0.03;
    double la[PROBLEM_MAX], err[2], angle[7];
    problem_exact(&p, NULL, NULL, NULL, la, &T, 1);
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, T, "%s h=%.17g", c->options, T / ((int)c->arg[1] << k));
        err[k] = NAN;
        if (r.status == DAL_OK) {
            andrews_angles(angle, track_column(r.q, p.nq, r.n - 1));
            err[k] = c->arg[0] == 0.0 ? fabs(angle[0] - ANDREWS_ANGLES[0])
                                      : fabs(track_column(r.la, p.nc, r.n - 1)[0] - la[0]);
        }
        track_free(&r);
    }
    problem_free(&p);
    return log2(err[0] / err[1]);
}

/* Largest difference of the seven angles between the published reference and the limit of small steps (the exact
 * motion). */
static double andrews_reference(const claim *c, dal_ctx *ctx)
{
    (void)c;
    problem p;
    if (problem_andrews(&p, ctx) != DAL_OK) {
        return NAN;
    }
    const double T = 0.03;
    double q[PROBLEM_MAX], angle[7], worst = 0.0;
    problem_exact(&p, q, NULL, NULL, NULL, &T, 1);
    andrews_angles(angle, q);
    for (int i = 0; i < 7; ++i) {
        worst = fmax(worst, fabs(angle[i] - ANDREWS_ANGLES[i]));
    }
    problem_free(&p);
    return worst;
}

/* ---- all variables, curves of the figures ------------------------------------------------------------ */

enum { CRANK, ANDREWS, IN_ANGLES };

static int mechanism(problem *p, dal_ctx *ctx, int which)
{
    return (which == CRANK     ? problem_slider_crank(p, ctx)
            : which == ANDREWS ? problem_andrews(p, ctx)
                               : problem_andrews_angles(p, ctx)) == DAL_OK;
}

/* Order of the error at the final time with arg[1] and twice as many steps; arg[0]: the mechanism; arg[2]: 0 q, 1 v, 2 v',
 * 3 lambda, 4 the one of q, v and lambda farthest from what is expected */
static double order_at_end(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (!mechanism(&p, ctx, (int)c->arg[0])) {
        return NAN;
    }
    const double T = c->arg[0] == CRANK ? 1.0 : 0.03;
    double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX], err[2][4], order[4], worst = c->expected;
    problem_exact(&p, q, v, vd, la, &T, 1);
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, T, "%s h=%.17g", c->options, T / ((int)c->arg[1] << k));
        const int last = r.n - 1, good = r.status == DAL_OK;
        err[k][0] = good ? distance(track_column(r.q, p.nq, last), q, p.nq) : NAN;
        err[k][1] = good ? distance(track_column(r.v, p.nv, last), v, p.nv) : NAN;
        err[k][2] = good ? distance(track_column(r.vd, p.nv, last), vd, p.nv) : NAN;
        err[k][3] = good ? distance(track_column(r.la, p.nc, last), la, p.nc) : NAN;
        track_free(&r);
    }
    problem_free(&p);
    for (int i = 0; i < 4; ++i) {
        order[i] = log2(err[0][i] / err[1][i]);
        worst = i != 2 && !(fabs(order[i] - c->expected) <= fabs(worst - c->expected)) ? order[i] : worst;
    }
    return c->arg[2] == 4.0 ? worst : order[(int)c->arg[2]];
}

/* Largest error of a curve relative to its range, h as in the figures. arg[0]: 0 crank angle, 1 mass on the spring of the
 * slider crank; 2 beta, 3 x and 4 y of node E of Andrews' mechanism */
static double curve_error(const claim *c, dal_ctx *ctx)
{
    problem p;
    const int what = (int)c->arg[0];
    if (!mechanism(&p, ctx, what < 2 ? CRANK : ANDREWS)) {
        return NAN;
    }
    track r = track_run(&p, what < 2 ? 1.0 : 0.03, "%s h=%g", c->options, what < 2 ? 5e-3 : 3e-4);
    double *q = malloc(((size_t)p.nq * (size_t)r.n + 1) * sizeof *q), worst = 0.0, low = INFINITY, high = -INFINITY;
    const int good = r.status == DAL_OK && q != NULL;
    if (good) {
        problem_exact(&p, q, NULL, NULL, NULL, r.t, r.n);
    }
    for (int k = 0; good && k < r.n; ++k) {
        const double *is = track_column(r.q, p.nq, k), *exact = q + (size_t)p.nq * (size_t)k;
        double a[7], b[7];
        andrews_angles(a, what == 2 ? is : p.q0);
        andrews_angles(b, what == 2 ? exact : p.q0);
        static const int at[] = {2, 7, 0, 23, 24};
        const double x = what == 2 ? a[0] : is[at[what]], y = what == 2 ? b[0] : exact[at[what]];
        worst = fmax(worst, fabs(x - y));
        low = fmin(low, y);
        high = fmax(high, y);
    }
    free(q);
    track_free(&r);
    problem_free(&p);
    return good ? worst / (high - low) : NAN;
}

/* ---- oscillations without damping ------------------------------------------------------------- */

/* Andrews' mechanism with h = 3e-4: how much a quantity zigzags from step to step, largest |e_{n-1} - 2 e_n + e_{n+1}|/4
 * of its error, relative to the largest exact value. arg[0]: 0 acceleration of the node E, 1 the first pair of
 * multipliers (inner forces of body 1). */
static double andrews_zigzag(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_andrews(&p, ctx) != DAL_OK) {
        return NAN;
    }
    track r = track_run(&p, 0.03, "%s h=3e-4", c->options);
    const size_t n = (size_t)r.n;
    const int acceleration = c->arg[0] == 0.0, rows = acceleration ? p.nv : p.nc, at = acceleration ? 23 : 0;
    double *exact = malloc((size_t)rows * (n + 1) * sizeof *exact), worst = 0.0, size = 0.0;
    if (r.status == DAL_OK && exact != NULL) {
        problem_exact(&p, NULL, NULL, acceleration ? exact : NULL, acceleration ? NULL : exact, r.t, r.n);
        const double *x = (acceleration ? r.vd : r.la) + at, *y = exact + at;
        for (int k = 1; k + 1 < r.n; ++k) {
            for (int i = 0; i < 2; ++i) {
                const int a = (k - 1) * rows + i, b = k * rows + i, d = (k + 1) * rows + i;
                const double e = (x[a] - y[a]) - 2.0 * (x[b] - y[b]) + (x[d] - y[d]);
                worst = fmax(worst, 0.25 * fabs(e));
                size = fmax(size, fabs(y[b]));
            }
        }
    } else {
        worst = NAN;
    }
    free(exact);
    track_free(&r);
    problem_free(&p);
    return worst / size;
}

/* ---- scaling ---------------------------------------------------------------------------------- */

/* Exponent of 1/h in the condition number of the iteration matrix of the slider crank, from h = arg[0] to arg[1]. */
static double condition_exponent(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_slider_crank(&p, ctx) != DAL_OK) {
        return NAN;
    }
    double cond[2];
    for (int k = 0; k < 2; ++k) {
        track r = track_run(&p, 10.0 * c->arg[k], "%s h=%.17g", c->options, c->arg[k]);
        cond[k] = r.condition;
        track_free(&r);
    }
    problem_free(&p);
    return log(cond[1] / cond[0]) / log(c->arg[0] / c->arg[1]);
}

/* Exponent of h in the largest error of lambda over 100 steps of the slider crank, from h = arg[0] to arg[1]. */
static double small_step_exponent(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_slider_crank(&p, ctx) != DAL_OK) {
        return NAN;
    }
    double err[2];
    for (int k = 0; k < 2; ++k) {
        const double h = c->arg[k];
        track r = track_run(&p, 100.0 * h, "%s h=%.17g", c->options, h);
        err[k] = track_errors(&r, 0.0, 100.0 * h, 0).max[ERROR_LA];
        track_free(&r);
    }
    problem_free(&p);
    return log(err[0] / err[1]) / log(c->arg[0] / c->arg[1]);
}

/* Order of lambda on [0, 0.05] with h = 2e-4 and 1e-4. */
static double small_step_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_slider_crank(&p, ctx) != DAL_OK) {
        return NAN;
    }
    const orders o = observed_orders(&p, 0.0, 0.05, 250, 0, c->options);
    problem_free(&p);
    return o.order[ERROR_LA];
}

/* log10 of the smallest h = 1e-3, 1e-4 ... 1e-8 with which 100 steps of the heavy top succeed. */
static double smallest_step(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return NAN;
    }
    int smallest = 0;
    for (int k = 3, good = 1; k <= 8 && good; ++k) {
        const double h = pow(10.0, -k);
        track r = track_run(&p, 100.0 * h, "%s h=%.17g", c->options, h);
        good = r.status == DAL_OK;
        smallest = good ? -k : smallest;
        track_free(&r);
    }
    dal_ctx_clear(ctx);
    problem_free(&p);
    return smallest;
}

static const claim CLAIMS[] = {
    {.id = "crank-theta1-order",
     .source = "[AB07] sec. 5.1, fig. 3",
     .statement = "Planar slider crank, rho 0.7: the crank angle at t = 1 converges with order 2.",
     NEAR(2.0, 0.1),
     BY(slider_crank_order, "rho_inf=0.7 starting=naive", 0, 800)},
    {.id = "crank-lambda1-order",
     .source = "[AB07] sec. 5.1, fig. 3",
     .statement = "Planar slider crank, rho 0.7: the first multiplier at t = 1 converges with order 2.",
     NEAR(2.0, 0.1),
     BY(slider_crank_order, "rho_inf=0.7 starting=naive", 1, 800)},
    {.id = "andrews-beta-order",
     .source = "[AB07] sec. 5.2, fig. 9",
     .statement =
         "Andrews' mechanism in 31 coordinates, rho 0.7: beta at t = 0.03 converges to the published reference "
         "with order 2.",
     NEAR(2.0, 0.1),
     BY(andrews_order, "rho_inf=0.7 starting=naive", 0, 800)},
    {.id = "andrews-lambda1-order",
     .source = "[AB07] sec. 5.2, fig. 9",
     .statement = "Andrews' mechanism in 31 coordinates, rho 0.7: a multiplier at t = 0.03 converges with order 2.",
     NEAR(2.0, 0.1),
     BY(andrews_order, "rho_inf=0.7 starting=naive", 1, 800)},
    {.id = "andrews-reference",
     .source = "[AB07] sec. 5.2, published benchmark",
     .statement =
         "Andrews' mechanism: the exact motion agrees with the published angles at t = 0.03 to their accuracy.",
     AT_MOST(2e-9),
     BY(andrews_reference, NULL, 0)},
    {.id = "andrews-acceleration-undamped",
     .source = "[AB07] sec. 5.2, fig. 8",
     .statement =
         "Andrews' mechanism, h = 3e-4, rho 1: accelerations oscillate from step to step by half their size and "
         "more.",
     AT_LEAST(0.5),
     BY(andrews_zigzag, "rho_inf=1 starting=naive", 0)},
    {.id = "andrews-lambda-undamped",
     .source = "[AB07] sec. 5.2, fig. 8",
     .statement = "Andrews' mechanism, h = 3e-4, rho 1: multipliers oscillate from step to step by half their size and "
                  "more.",
     AT_LEAST(0.5),
     BY(andrews_zigzag, "rho_inf=1 starting=naive", 1)},
    {.id = "andrews-acceleration-damped",
     .source = "[AB07] sec. 5.2, fig. 7",
     .statement = "Andrews' mechanism, h = 3e-4, rho 0.7: accelerations do not, by less than a tenth.",
     AT_MOST(0.1),
     BY(andrews_zigzag, "rho_inf=0.7 starting=naive", 0)},
    {.id = "andrews-lambda-damped",
     .source = "[AB07] sec. 5.2, fig. 7",
     .statement = "Andrews' mechanism, h = 3e-4, rho 0.7: multipliers do not, by less than a tenth.",
     AT_MOST(0.1),
     BY(andrews_zigzag, "rho_inf=0.7 starting=naive", 1)},
    {.id = "condition-scaled",
     .source = "[AB07] sec. 2, eqs. (8)-(10)",
     .statement = "With scaling the condition number of the iteration matrix stays bounded: growth exponent 0 down to "
                  "h = 1e-6.",
     NEAR(0.0, 0.05),
     BY(condition_exponent, "rho_inf=0.7", 1e-3, 1e-6)},
    {.id = "condition-unscaled",
     .source = "[AB07] sec. 2, eqs. (8)-(10)",
     .statement = "Without scaling the condition number grows like h^-4.",
     NEAR(4.0, 0.1),
     BY(condition_exponent, "rho_inf=0.7 scaling=no atol=1 rtol=1e-6", 1e-3, 1e-4)},
    {.id = "scaling-steps",
     .source = "ours, to [AB07] sec. 2",
     .statement = "With scaling the heavy top runs with steps as small as 1e-8 (log10 of the smallest that works).",
     AT_MOST(-8),
     BY(smallest_step, "", 0)},
    {.id = "scaling-lambda",
     .source = "[AB07] sec. 3.3 and 5.2",
     .statement = "With scaling the multipliers of the slider crank have order 2 until h = 1e-4.",
     NEAR(2.0, 0.1),
     BY(small_step_order, "rho_inf=0.7 atol=1e-14 rtol=1e-12", 0)},
    {.id = "lambda-roundoff",
     .source = "[AB07] sec. 3.3 and 5.2",
     .statement = "For very small h the multipliers suffer from rounding, amplified by h^-2.",
     NEAR(-2.0, 0.2),
     BY(small_step_exponent, "newton=full rho_inf=0.7 atol=1e-14 rtol=1e-12", 1e-5, 1e-7)},
    {.id = "crank-figure-theta1",
     .source = "[AB07] sec. 5.1, fig. 2",
     .statement =
         "Planar slider crank, rho 0.7, h = 5e-3: the curve of the crank angle is right within 2 % of its range.",
     AT_MOST(0.02),
     BY(curve_error, "rho_inf=0.7 starting=naive", 0)},
    {.id = "crank-figure-x4",
     .source = "[AB07] sec. 5.1, fig. 2",
     .statement = "Planar slider crank, rho 0.7, h = 5e-3: so is that of the mass on the spring.",
     AT_MOST(0.02),
     BY(curve_error, "rho_inf=0.7 starting=naive", 1)},
    {.id = "andrews-figure-beta",
     .source = "[AB07] sec. 5.2, figs. 5, 6",
     .statement = "Andrews' mechanism, rho 0.7, h = 3e-4: the curve of beta is right within 2 % of its range.",
     AT_MOST(0.02),
     BY(curve_error, "rho_inf=0.7 starting=naive", 2)},
    {.id = "andrews-figure-x",
     .source = "[AB07] sec. 5.2, figs. 5, 6",
     .statement =
         "Andrews' mechanism, rho 0.7, h = 3e-4: the x coordinate of point P is right within 5 % of its range.",
     AT_MOST(0.05),
     BY(curve_error, "rho_inf=0.7 starting=naive", 3)},
    {.id = "andrews-figure-y",
     .source = "[AB07] sec. 5.2, figs. 5, 6",
     .statement =
         "Andrews' mechanism, rho 0.7, h = 3e-4: the y coordinate of point P is right within 5 % of its range.",
     AT_MOST(0.05),
     BY(curve_error, "rho_inf=0.7 starting=naive", 4)},
    {.id = "crank-velocity-order",
     .source = "[AB07] sec. 3.4",
     .statement = "Planar slider crank, rho 0.7: the velocities at t = 1 converge with order 2.",
     NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", CRANK, 800, 1)},
    {.id = "crank-acceleration-order",
     .source = "[AB07] sec. 2.1 and 6",
     .statement = "Planar slider crank, rho 0.7: the accelerations at t = 1 converge with order 2.",
     NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", CRANK, 800, 2)},
    {.id = "andrews-acceleration-order",
     .source = "[AB07] sec. 2.1 and 6",
     .statement = "Andrews' mechanism, rho 0.7: the accelerations at t = 0.03 converge with order 2.",
     NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", ANDREWS, 800, 2)},
    {.id = "mass-matrix-order",
     .source = "[AB07] sec. 2.1 and 6",
     .statement = "Andrews' mechanism in seven angles, mass matrix not constant, rho 0.7: order 2 in q, v and lambda.",
     NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", IN_ANGLES, 1600, 4)},
};

const claim *claims_linear(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
