/* The first iterate of a step (NW.5): v' and lambda continue as polynomials in time. */
#include <math.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"

/* Degree -1 stands for zero, the published choice. */
enum { ZERO = -1, LARGEST = 2 };

/* A degree must have been this much better than the one below it. */
static const double gain = 0.5;

/* Lagrange weights at time t of the states current, previous, past; zero beyond the first degree + 1 of them. */
static void weights(double w[3], const dal_genalpha *ga, int degree, double t)
{
    const double a = ga->base.current->t, b = ga->base.previous->t, c = ga->past->t;
    w[0] = degree >= 0 ? 1.0 : 0.0;
    w[1] = w[2] = 0.0;
    if (degree == 1) {
        w[0] = (t - b) / (a - b);
        w[1] = (t - a) / (b - a);
    } else if (degree == 2) {
        w[0] = (t - b) / (a - b) * ((t - c) / (a - c));
        w[1] = (t - a) / (b - a) * ((t - c) / (b - c));
        w[2] = (t - a) / (c - a) * ((t - b) / (c - b));
    }
}

static int degree_of(const dal_genalpha *ga, dal_predictor predictor)
{
    return predictor == DAL_PREDICTOR_ZERO ? ZERO : predictor == DAL_PREDICTOR_HOLD ? 0 : ga->degree;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Largest error that the polynomials of degree ZERO .. LARGEST would have made in v' of the step just solved. */
static void errors(double worst[LARGEST - ZERO + 1], const dal_genalpha *ga)
{
    const double *restrict x = ga->trial->vd, *restrict x0 = ga->base.current->vd;
    const double *restrict x1 = ga->base.previous->vd, *restrict x2 = ga->past->vd;
    double w1[3], w2[3], e0 = 0.0, e1 = 0.0, e2 = 0.0, e3 = 0.0;
    weights(w1, ga, ga->history > 0 ? 1 : ZERO, ga->t1);
    weights(w2, ga, ga->history > 1 ? 2 : ZERO, ga->t1);
    for (int i = 0; i < ga->nv; ++i) {
        e0 = larger(e0, fabs(x[i]));
        e1 = larger(e1, fabs(x[i] - x0[i]));
        e2 = larger(e2, fabs(x[i] - w1[0] * x0[i] - w1[1] * x1[i]));
        e3 = larger(e3, fabs(x[i] - w2[0] * x0[i] - w2[1] * x1[i] - w2[2] * x2[i]));
    }
    worst[0] = e0;
    worst[1] = e1;
    worst[2] = e2;
    worst[3] = e3;
}

/* The polynomial that would have met v' of the step just solved best is the one for the next step; a degree that could
 * not be tried yet gets its chance when the one below it was best. Motions in which v' alternates, as with the
 * trapezoidal rule and stiff springs, end up with degree 0 or zero, smooth ones with degree 2. */
void dal_ga_choose_degree(dal_genalpha *ga)
{
    const int tried = ga->history < LARGEST ? ga->history : LARGEST;
    double worst[LARGEST - ZERO + 1], least = INFINITY;
    int best = ZERO;
    errors(worst, ga);
    for (int degree = ZERO; degree <= tried; ++degree) {
        // the ladder ends where a rung gains little
        if (!(worst[degree - ZERO] <= gain * least)) {
            break;
        }
        least = worst[degree - ZERO];
        best = degree;
    }
    ga->degree = best == tried && tried < LARGEST ? tried + 1 : best;
}

/* y = sum_k w_k x_k */
static void extrapolate(double *y, const double w[3], const double *x0, const double *x1, const double *x2, int n)
{
    const double a = w[0], b = w[1], c = w[2];
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) =
            *(const dal_two *)(x0 + i) * a + *(const dal_two *)(x1 + i) * b + *(const dal_two *)(x2 + i) * c;
    }
    if (i < n) {
        y[i] = a * x0[i] + b * x1[i] + c * x2[i];
    }
}

/* theta and v1 by (GA.2), (GA.3) without sigma from a1, given v1' in a1 (GA.4) */
static void integrate(double *theta, double *v1, double *a1, const dal_genalpha *ga)
{
    const double *v0 = ga->v0, *a0 = ga->a0, *vd0 = ga->vd0;
    const dal_ga_coef c = ga->c;
    const double h = ga->h, e = 1.0 / (1.0 - c.alpha_m), kept = 1.0 - c.alpha_f, alpha_f = c.alpha_f;
    const double alpha_m = c.alpha_m, beta = c.beta, gamma = c.gamma, beta0 = 0.5 - beta, gamma0 = 1.0 - gamma;
    const int n = ga->nv;
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        const dal_two v = *(const dal_two *)(v0 + i), a = *(const dal_two *)(a0 + i);
        const dal_two b = (*(dal_two *)(a1 + i) * kept + *(const dal_two *)(vd0 + i) * alpha_f - a * alpha_m) * e;
        *(dal_two *)(a1 + i) = b;
        *(dal_two *)(theta + i) = (v + (a * beta0 + b * beta) * h) * h;
        *(dal_two *)(v1 + i) = v + (a * gamma0 + b * gamma) * h;
    }
    if (i < n) {
        a1[i] = e * (kept * a1[i] + alpha_f * vd0[i] - alpha_m * a0[i]);
        theta[i] = h * (v0[i] + h * (beta0 * a0[i] + beta * a1[i]));
        v1[i] = v0[i] + h * (gamma0 * a0[i] + gamma * a1[i]);
    }
}

/* theta += f (w1/2 + w2/12) */
static void add_turn(double *theta, double f, const double *w1, const double *w2, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(theta + i) += (*(const dal_two *)(w1 + i) * 0.5 + *(const dal_two *)(w2 + i) / 12.0) * f;
    }
    if (i < n) {
        theta[i] += f * (0.5 * w1[i] + w2[i] / 12.0);
    }
}

/* theta of backward differences, given v1: theta = v1/gp - T(theta) c with T to second order (BD.2) */
static void integrate_differences(double *theta, const double *v1, dal_genalpha *ga)
{
    for (int i = 0; i < ga->nv; ++i) {
        theta[i] = v1[i] / ga->gp - ga->cvec[i];
    }
    if (!ga->ev->G->flat && !ga->untransported) {
        // T(theta) c = c - w/2 + ..., w = hat(theta) c; and w changes with theta
        dal_bracket(ga->ev->G, ga->w, theta, ga->cvec);
        for (int i = 0; i < ga->nv; ++i) {
            ga->vdd[i] = theta[i] / 6.0 + 0.25 * ga->cvec[i];
        }
        dal_bracket(ga->ev->G, ga->l_q, ga->vdd, ga->w);
        for (int i = 0; i < ga->nv; ++i) {
            theta[i] += 0.5 * ga->w[i] - ga->l_q[i];
        }
    }
}

/* v1 of backward differences: that of extrapolated v', or of a longer row of velocities. */
static void predict_differences(dal_genalpha *ga, const double w[3])
{
    double *v1 = ga->trial->v, *vd = ga->trial->vd;
    if (w[2] != 0.0 && dal_bdf_continue(ga, v1)) {
        return;
    }
    extrapolate(vd, w, ga->base.current->vd, ga->base.previous->vd, ga->past->vd, ga->nv);
    for (int i = 0; i < ga->nv; ++i) {
        v1[i] = (vd[i] - ga->d0[i]) / ga->kv;
    }
}

/* eta stays as it was. The sigma term of (GA.2) is taken to second order:
 * T^-1(theta) v1 - v1 = hat(theta) v1/2 + hat(theta)^2 v1/12 + ... */
void dal_ga_predict(dal_genalpha *ga, dal_predictor predictor)
{
    const dal_ga_coef c = ga->c;
    const dal_state_buffer *s0 = ga->base.current, *s1 = ga->base.previous, *s2 = ga->past;
    const int nv = ga->nv;
    double *theta = ga->x, *mu = ga->x + nv, *nu = mu + ga->nc, w[3];
    weights(w, ga, degree_of(ga, predictor), s0->t + ga->h);
    if (ga->bdf) {
        predict_differences(ga, w);
        integrate_differences(theta, ga->trial->v, ga);
    } else {
        extrapolate(ga->trial->vd, w, s0->vd, s1->vd, s2->vd, nv);
        integrate(theta, ga->trial->v, ga->trial->vd, ga);
    }
    if (!ga->bdf && c.sigma != 0.0 && !ga->ev->G->flat) {
        dal_bracket(ga->ev->G, ga->w, theta, ga->trial->v);
        dal_bracket(ga->ev->G, ga->l_q, theta, ga->w);
        add_turn(theta, c.sigma * ga->h * c.beta / c.gamma, ga->w, ga->l_q, nv);
    }
    if (predictor == DAL_PREDICTOR_EXTRAPOLATE && ga->degree == ZERO) {
        w[0] = 1.0; // where v' is zero or alternates, reactions may be steady
    }
    extrapolate(mu, w, s0->la, s1->la, s2->la, ga->nc);
    dal_scale(mu, ga->s, ga->nc);
    for (int i = 0; i < ga->ne; ++i) {
        nu[i] = ga->h * s0->eta[i];
    }
}
