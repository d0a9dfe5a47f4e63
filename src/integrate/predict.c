/* The first iterate of a step (NW.5): v' and lambda continue as polynomials in time. */
#include <math.h>

#include "integrate/genalpha_impl.h"

/* Degree -1 stands for zero, the published choice. */
enum { ZERO = -1, LARGEST = 2 };

/* A degree must have been this much better than the one below it. */
static const double gain = 0.5;

/* Lagrange weights at time t of the states current, previous, past; the first degree + 1 of them count. */
static void weights(double w[3], const dal_genalpha *ga, int degree, double t)
{
    const double node[3] = {ga->base.current->t, ga->base.previous->t, ga->past->t};
    for (int i = 0; i < 3; ++i) {
        w[i] = i <= degree ? 1.0 : 0.0;
        for (int j = 0; j < 3; ++j) {
            w[i] *= i <= degree && j <= degree && j != i ? (t - node[j]) / (node[i] - node[j]) : 1.0;
        }
    }
}

static int degree_of(const dal_genalpha *ga, dal_predictor predictor)
{
    return predictor == DAL_PREDICTOR_ZERO ? ZERO : predictor == DAL_PREDICTOR_HOLD ? 0 : ga->degree;
}

/* The polynomial that would have met v' of the step just solved best is the one for the next step; a degree that could
 * not be tried yet gets its chance when the one below it was best. Motions in which v' alternates, as with the
 * trapezoidal rule and stiff springs, end up with degree 0 or zero, smooth ones with degree 2. */
void dal_ga_choose_degree(dal_genalpha *ga)
{
    const double *x0 = ga->base.current->vd, *x1 = ga->base.previous->vd, *x2 = ga->past->vd;
    const int tried = ga->history < LARGEST ? ga->history : LARGEST;
    double least = INFINITY;
    int best = ZERO;
    for (int degree = ZERO; degree <= tried; ++degree) {
        double w[3], worst = 0.0;
        weights(w, ga, degree, ga->t1);
        for (int i = 0; i < ga->nv; ++i) {
            double d = ga->trial->vd[i] - w[0] * x0[i];
            d -= degree > 0 ? w[1] * x1[i] : 0.0;
            d -= degree > 1 ? w[2] * x2[i] : 0.0;
            worst = fabs(d) > worst ? fabs(d) : worst;
        }
        // the ladder ends where a rung gains little
        if (!(worst <= gain * least)) {
            break;
        }
        least = worst;
        best = degree;
    }
    ga->degree = best == tried && tried < LARGEST ? tried + 1 : best;
}

/* eta stays as it was. The sigma term of (GA.2) is taken to second order:
 * T^-1(theta) v1 - v1 = hat(theta) v1/2 + hat(theta)^2 v1/12 + ... */
void dal_ga_predict(dal_genalpha *ga, dal_predictor predictor)
{
    const dal_ga_coef c = ga->c;
    const dal_state_buffer *s0 = ga->base.current, *s1 = ga->base.previous, *s2 = ga->past;
    const double h = ga->h, *v0 = ga->v0, *a0 = ga->a0, e = 1.0 / (1.0 - c.alpha_m);
    const int degree = degree_of(ga, predictor);
    double *theta = ga->x, *v1 = ga->trial->v, w[3];
    weights(w, ga, degree, s0->t + h);
    for (int i = 0; i < ga->nv; ++i) {
        double vd1 = w[0] * s0->vd[i];
        vd1 += degree > 0 ? w[1] * s1->vd[i] : 0.0;
        vd1 += degree > 1 ? w[2] * s2->vd[i] : 0.0;
        const double a1 = e * ((1.0 - c.alpha_f) * vd1 + c.alpha_f * ga->vd0[i] - c.alpha_m * a0[i]);
        theta[i] = h * (v0[i] + h * ((0.5 - c.beta) * a0[i] + c.beta * a1));
        v1[i] = v0[i] + h * ((1.0 - c.gamma) * a0[i] + c.gamma * a1);
    }
    if (c.sigma != 0.0 && !ga->ev->G->flat) {
        const double f = c.sigma * h * c.beta / c.gamma;
        dal_bracket(ga->ev->G, ga->w, theta, v1);
        dal_bracket(ga->ev->G, ga->l_q, theta, ga->w);
        for (int i = 0; i < ga->nv; ++i) {
            theta[i] += f * (0.5 * ga->w[i] + ga->l_q[i] / 12.0);
        }
    }
    double *mu = ga->x + ga->nv, *nu = mu + ga->nc;
    for (int i = 0; i < ga->nc; ++i) {
        double la = w[0] * s0->la[i];
        la += degree > 0 ? w[1] * s1->la[i] : 0.0;
        la += degree > 1 ? w[2] * s2->la[i] : 0.0;
        mu[i] = ga->s * la;
    }
    for (int i = 0; i < ga->n - ga->nv - ga->nc; ++i) {
        nu[i] = h * s0->eta[i];
    }
}
