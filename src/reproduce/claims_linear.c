/* [AB07]: generalized-alpha at index 3 in linear spaces, mechanisms with absolute coordinates. */
#include <math.h>

#include "reproduce/claim.h"

/* ---- convergence at the final time ------------------------------------------------------------ */

enum { OF_Q, OF_V, OF_VD, OF_LA, OF_ALL };

/* Order of the error at T = arg[0] with arg[1] and twice as many steps; arg[2]: in q, v, v' or lambda, or the one of q, v and
 * lambda farthest from what is expected; arg[3] > 0: of that component alone, from 1 on */
static double order_at_end(const claim *c, lab *L)
{
    const subject *s = claim_model(c, L);
    const double T = c->arg[0];
    const track *exact = lab_exact(L, s, &T, 1);
    const int first = c->arg[3] > 0.0 ? (int)c->arg[3] - 1 : 0, one = c->arg[3] > 0.0;
    const int size[4] = {one ? 1 : s->nq, one ? 1 : s->nv, one ? 1 : s->nv, one ? 1 : s->nc};
    double err[2][4], order[4], worst = c->expected;
    for (int k = 0; k < 2; ++k) {
        const track *r = lab_end(L, s, T, "%s h=%.17g", c->options, T / ((int)c->arg[1] << k));
        const double *const is[4] = {at_q(r, 0), at_v(r, 0), at_vd(r, 0), at_la(r, 0)};
        const double *const want[4] = {at_q(exact, 0), at_v(exact, 0), at_vd(exact, 0), at_la(exact, 0)};
        for (int i = 0; i < 4; ++i) {
            err[k][i] = distance(is[i] + first, want[i] + first, size[i]);
        }
    }
    for (int i = 0; i < 4; ++i) {
        order[i] = log2(err[0][i] / err[1][i]);
        worst = i != OF_VD ? farther(worst, order[i], c->expected) : worst;
    }
    return c->arg[2] == OF_ALL ? worst : order[(int)c->arg[2]];
}

/* The seven angles of Andrews' mechanism: those of the bodies, four of them relative to another. */
static void andrews_angles(double angle[7], const double *q)
{
    static const int inner[7] = {-1, 0, -1, 4, -1, 6, -1};
    for (int i = 0; i < 7; ++i) {
        angle[i] = q[3 * i + 2] - (inner[i] >= 0 ? q[3 * inner[i] + 2] : 0.0);
    }
}

/* The published reference for them at t = 0.03 (Test Set for IVP Solvers): largest difference from the exact motion, or, with
 * arg[0] steps and twice as many, the order of the first, beta. */
static double andrews_reference(const claim *c, lab *L)
{
    static const double published[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                        -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                        1.048080741042263};
    const double T = 0.03;
    const subject *s = claim_model(c, L);
    double angle[7], err[2], worst = 0.0;
    for (int k = 0; k < 2 && c->arg[0] > 0.0; ++k) {
        andrews_angles(angle, at_q(lab_end(L, s, T, "%s h=%.17g", c->options, T / ((int)c->arg[0] << k)), 0));
        err[k] = fabs(angle[0] - published[0]);
    }
    andrews_angles(angle, at_q(lab_exact(L, s, &T, 1), 0));
    for (int i = 0; i < 7; ++i) {
        worst = larger(worst, fabs(angle[i] - published[i]));
    }
    return c->arg[0] > 0.0 ? log2(err[0] / err[1]) : worst;
}

/* ---- curves of the figures -------------------------------------------------------------------- */

enum { CRANK_ANGLE, SPRING_MASS, NODE_X, NODE_Y };

/* Of the planar slider crank and of Andrews' mechanism. */
static double curve(const double *q, int what)
{
    static const int at[] = {2, 9, 24, 25};
    return q[at[what]];
}

/* Largest error of a curve until T = arg[0] with h = arg[1], relative to its range; arg[2]: which */
static double curve_error(const claim *c, lab *L)
{
    const track *r = lab_run(L, claim_model(c, L), c->arg[0], "%s h=%g", c->options, c->arg[1]);
    const track *exact = lab_exact(L, r->s, r->t, r->n);
    double worst = 0.0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < r->n; ++k) {
        const double y = curve(at_q(exact, k), (int)c->arg[2]);
        worst = larger(worst, fabs(curve(at_q(r, k), (int)c->arg[2]) - y));
        low = fmin(low, y);
        high = fmax(high, y);
    }
    return good(r, worst / (high - low));
}

/* ---- oscillations without damping ------------------------------------------------------------- */

/* Acceleration of the node E of Andrews' mechanism, or the first pair of multipliers. */
static const double *andrews_force(const track *r, int k, int acceleration)
{
    return acceleration ? at_vd(r, k) + 24 : at_la(r, k);
}

/* Andrews' mechanism with h = 3e-4: how much a quantity zigzags from step to step, largest |e_{n-1} - 2 e_n + e_{n+1}|/4
 * of its error, relative to the largest exact value. arg[0]: 0 acceleration of the node E, 1 the first pair of
 * multipliers (forces in O). */
static double andrews_zigzag(const claim *c, lab *L)
{
    const track *r = lab_run(L, claim_model(c, L), 0.03, "%s h=3e-4", c->options);
    const track *exact = lab_exact(L, r->s, r->t, r->n);
    double worst = 0.0, size = 0.0;
    for (int k = 1; k + 1 < r->n; ++k) {
        for (int i = 0; i < 2; ++i) {
            double e[3];
            for (int m = 0; m < 3; ++m) {
                e[m] = andrews_force(r, k - 1 + m, c->arg[0] == 0.0)[i] -
                       andrews_force(exact, k - 1 + m, c->arg[0] == 0.0)[i];
            }
            worst = larger(worst, 0.25 * fabs(e[0] - 2.0 * e[1] + e[2]));
            size = larger(size, fabs(andrews_force(exact, k, c->arg[0] == 0.0)[i]));
        }
    }
    return good(r, worst / size);
}

/* ---- scaling ---------------------------------------------------------------------------------- */

/* Exponent of 1/h in the condition number of the iteration matrix, from h = arg[0] to arg[1]. */
static double condition_exponent(const claim *c, lab *L)
{
    double cond[2];
    for (int k = 0; k < 2; ++k) {
        cond[k] = lab_end(L, claim_model(c, L), 10.0 * c->arg[k], "%s h=%.17g", c->options, c->arg[k])->condition;
    }
    return log(cond[1] / cond[0]) / log(c->arg[0] / c->arg[1]);
}

/* Exponent of h in the largest error of lambda over 100 steps, from h = arg[0] to arg[1]. */
static double small_step_exponent(const claim *c, lab *L)
{
    double err[2];
    for (int k = 0; k < 2; ++k) {
        const double h = c->arg[k];
        const track *r = lab_run(L, claim_model(c, L), 100.0 * h, "%s h=%.17g", c->options, h);
        err[k] = track_errors(L, r, 0.0, 100.0 * h).max[ERROR_LA];
    }
    return log(err[0] / err[1]) / log(c->arg[0] / c->arg[1]);
}

/* log10 of the smallest h = 1e-3, 1e-4 ... 1e-8 with which 100 steps succeed. */
static double smallest_step(const claim *c, lab *L)
{
    int smallest = 0;
    for (int k = 3, works = 1; k <= 8 && works; ++k) {
        const double h = pow(10.0, -k);
        works = lab_end(L, claim_model(c, L), 100.0 * h, "%s h=%.17g", c->options, h)->status == DAL_OK;
        smallest = works ? -k : smallest;
    }
    dal_ctx_clear(L->ctx);
    return smallest;
}

static const claim CLAIMS[] = {
    {"crank-theta1-order", "[AB07] sec. 5.1, fig. 3",
     "Planar slider crank, rho 0.7: the crank angle at t = 1 converges with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 1.0, 800, OF_Q, 3), ON("planar_slider_crank", "")},
    {"crank-lambda1-order", "[AB07] sec. 5.1, fig. 3",
     "Planar slider crank, rho 0.7: the first multiplier at t = 1 converges with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 1.0, 800, OF_LA, 1), ON("planar_slider_crank", "")},
    {"andrews-beta-order", "[AB07] sec. 5.2, fig. 9",
     "Andrews' mechanism in 31 coordinates, rho 0.7: beta at t = 0.03 converges to the published reference with order "
     "2.",
     NEAR(2.0, 0.1), BY(andrews_reference, "rho_inf=0.7 starting=naive", 800), ON("andrews_squeezer", "nodes=1")},
    {"andrews-lambda1-order", "[AB07] sec. 5.2, fig. 9",
     "Andrews' mechanism in 31 coordinates, rho 0.7: a multiplier at t = 0.03 converges with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 0.03, 800, OF_LA, 1), ON("andrews_squeezer", "nodes=1")},
    {"andrews-reference", "[AB07] sec. 5.2, published benchmark",
     "Andrews' mechanism: the exact motion agrees with the published angles at t = 0.03 to their accuracy.",
     AT_MOST(2e-9), BY(andrews_reference, NULL, 0), ON("andrews_squeezer", "nodes=1")},
    {"andrews-acceleration-undamped", "[AB07] sec. 5.2, fig. 8",
     "Andrews' mechanism, h = 3e-4, rho 1: accelerations oscillate from step to step by half their size and more.",
     AT_LEAST(0.5), BY(andrews_zigzag, "rho_inf=1 starting=naive", 0), ON("andrews_squeezer", "nodes=1")},
    {"andrews-lambda-undamped", "[AB07] sec. 5.2, fig. 8",
     "Andrews' mechanism, h = 3e-4, rho 1: multipliers oscillate from step to step by half their size and more.",
     AT_LEAST(0.5), BY(andrews_zigzag, "rho_inf=1 starting=naive", 1), ON("andrews_squeezer", "nodes=1")},
    {"andrews-acceleration-damped", "[AB07] sec. 5.2, fig. 7",
     "Andrews' mechanism, h = 3e-4, rho 0.7: accelerations do not, by less than a tenth.", AT_MOST(0.1),
     BY(andrews_zigzag, "rho_inf=0.7 starting=naive", 0), ON("andrews_squeezer", "nodes=1")},
    {"andrews-lambda-damped", "[AB07] sec. 5.2, fig. 7",
     "Andrews' mechanism, h = 3e-4, rho 0.7: multipliers do not, by less than a tenth.", AT_MOST(0.1),
     BY(andrews_zigzag, "rho_inf=0.7 starting=naive", 1), ON("andrews_squeezer", "nodes=1")},
    {"condition-scaled", "[AB07] sec. 2, eqs. (8)-(10)",
     "With scaling the condition number of the iteration matrix stays bounded: growth exponent 0 down to h = 1e-6.",
     NEAR(0.0, 0.05), BY(condition_exponent, "rho_inf=0.7", 1e-3, 1e-6), ON("planar_slider_crank", "")},
    {"condition-unscaled", "[AB07] sec. 2, eqs. (8)-(10)", "Without scaling the condition number grows like h^-4.",
     NEAR(4.0, 0.1), BY(condition_exponent, "rho_inf=0.7 scaling=no atol=1 rtol=1e-6", 1e-3, 1e-4),
     ON("planar_slider_crank", "")},
    {"scaling-steps", "ours, to [AB07] sec. 2",
     "With scaling the heavy top runs with steps as small as 1e-8 (log10 of the smallest that works).", AT_MOST(-8),
     BY(smallest_step, "", 0), ON("heavy_top", "")},
    {"scaling-lambda", "[AB07] sec. 3.3 and 5.2",
     "With scaling the multipliers of the slider crank have order 2 until h = 1e-4.", NEAR(2.0, 0.1),
     BY(order_on, "rho_inf=0.7 atol=1e-14 rtol=1e-12", 0.0, 0.05, 250, KIND_LA), ON("planar_slider_crank", "")},
    {"lambda-roundoff", "[AB07] sec. 3.3 and 5.2",
     "For very small h the multipliers suffer from rounding, amplified by h^-2.", NEAR(-2.0, 0.2),
     BY(small_step_exponent, "newton=full rho_inf=0.7 atol=1e-14 rtol=1e-12", 1e-5, 1e-7),
     ON("planar_slider_crank", "")},
    {"crank-figure-theta1", "[AB07] sec. 5.1, fig. 2",
     "Planar slider crank, rho 0.7, h = 5e-3: the curve of the crank angle is right within 2 % of its range.",
     AT_MOST(0.02), BY(curve_error, "rho_inf=0.7 starting=naive", 1.0, 5e-3, CRANK_ANGLE),
     ON("planar_slider_crank", "")},
    {"crank-figure-x4", "[AB07] sec. 5.1, fig. 2",
     "Planar slider crank, rho 0.7, h = 5e-3: so is that of the mass on the spring.", AT_MOST(0.02),
     BY(curve_error, "rho_inf=0.7 starting=naive", 1.0, 5e-3, SPRING_MASS), ON("planar_slider_crank", "")},
    {"andrews-figure-beta", "[AB07] sec. 5.2, figs. 5, 6",
     "Andrews' mechanism, rho 0.7, h = 3e-4: the curve of beta is right within 2 % of its range.", AT_MOST(0.02),
     BY(curve_error, "rho_inf=0.7 starting=naive", 0.03, 3e-4, CRANK_ANGLE), ON("andrews_squeezer", "nodes=1")},
    {"andrews-figure-x", "[AB07] sec. 5.2, figs. 5, 6",
     "Andrews' mechanism, rho 0.7, h = 3e-4: the x coordinate of point P is right within 5 % of its range.",
     AT_MOST(0.05), BY(curve_error, "rho_inf=0.7 starting=naive", 0.03, 3e-4, NODE_X),
     ON("andrews_squeezer", "nodes=1")},
    {"andrews-figure-y", "[AB07] sec. 5.2, figs. 5, 6",
     "Andrews' mechanism, rho 0.7, h = 3e-4: the y coordinate of point P is right within 5 % of its range.",
     AT_MOST(0.05), BY(curve_error, "rho_inf=0.7 starting=naive", 0.03, 3e-4, NODE_Y),
     ON("andrews_squeezer", "nodes=1")},
    {"crank-velocity-order", "[AB07] sec. 3.4",
     "Planar slider crank, rho 0.7: the velocities at t = 1 converge with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 1.0, 800, OF_V), ON("planar_slider_crank", "")},
    {"crank-acceleration-order", "[AB07] sec. 2.1 and 6",
     "Planar slider crank, rho 0.7: the accelerations at t = 1 converge with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 1.0, 800, OF_VD), ON("planar_slider_crank", "")},
    {"andrews-acceleration-order", "[AB07] sec. 2.1 and 6",
     "Andrews' mechanism, rho 0.7: the accelerations at t = 0.03 converge with order 2.", NEAR(2.0, 0.1),
     BY(order_at_end, "rho_inf=0.7 starting=naive", 0.03, 800, OF_VD), ON("andrews_squeezer", "nodes=1")},
    {"mass-matrix-order", "[AB07] sec. 2.1 and 6",
     "Spatial slider crank in Cardan angles, mass matrix not constant, rho 0.7: order 2 in q, v and lambda.",
     NEAR(2.0, 0.1), BY(order_at_end, "rho_inf=0.7 starting=naive", 0.5, 1600, OF_ALL),
     ON("spatial_slider_crank", "coordinates=cardan")},
};

const claim *claims_linear(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
