/* The first iterate of a step: polynomials through the stages of the last step (LB.8), corrected by what they were off in
 * the steps before (LB.14). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_table.h"

/* y = scale sum_j l_j x_j, x n x s */
static void blend(double *restrict y, const double *restrict x, const double *l, int n, int s, double scale)
{
    double a[LB_MAX];
    for (int j = 0; j < s; ++j) {
        a[j] = scale * l[j];
    }
    int k = 0;
    for (; k + 1 < n; k += 2) {
        dal_two sum = {0.0, 0.0};
        for (int j = 0; j < s; ++j) {
            sum += a[j] * *(const dal_two *)(x + k + j * n);
        }
        *(dal_two *)(y + k) = sum;
    }
    for (; k < n; ++k) {
        y[k] = 0.0;
        for (int j = 0; j < s; ++j) {
            y[k] += a[j] * x[k + j * n];
        }
    }
}

/* x := x + y */
static void add(double *restrict x, const double *restrict y, int n)
{
    for (int k = 0; k < n; ++k) {
        x[k] += y[k];
    }
}

/* ---- prediction ------------------------------------------------------------------------------- */

static void extrapolate(dal_lobatto *lb)
{
    const lb_polynomial *p = &lb->poly;
    for (int i = 0; i < lb->s; ++i) {
        double other[LB_MAX], *l = lb->past.valid ? lb->ahead[i] : other;
        if (!lb->past.valid) {
            dal_lagrange(other, lb->c, lb->bary, lb->s, (dal_lb_stage_time(lb, i) - p->t) / p->h);
        }
        blend(dal_lb_alpha(lb, i), p->A, l, lb->nv, lb->s, lb->h);
        if (i > 0) {
            blend(dal_lb_mu(lb, i), p->la, l, lb->nc, lb->s, lb->h);
        }
    }
}

static void hold(dal_lobatto *lb, double h)
{
    for (int i = 0; i < lb->s; ++i) {
        for (int k = 0; k < lb->nv; ++k) {
            dal_lb_alpha(lb, i)[k] = h * lb->from->vd[k];
        }
        for (int k = 0; i > 0 && k < lb->nc; ++k) {
            dal_lb_mu(lb, i)[k] = h * lb->from->la[k];
        }
    }
}

/* Do the polynomials belong to the step before this one, and has it the same size? */
static int follows(const dal_lobatto *lb)
{
    const lb_polynomial *p = &lb->poly;
    return lb->opt.step != DAL_STEP_ADAPTIVE && p->h > 0.0 && fabs(p->h - lb->h) <= 1e-9 * lb->h &&
           fabs(p->t + p->h - lb->from->t) <= 1e-6 * lb->h;
}

/* Adds the differences; delta has no polynomial, so its own first difference is its last value. */
static void correct(dal_lobatto *lb)
{
    const lb_history *p = &lb->past;
    const int nx = lb->n - lb->nc;
    for (int k = 0; k < p->use; ++k) {
        add(dal_lb_alpha(lb, 0), p->d[k], nx);
    }
    for (int k = 0; k <= p->use && k < p->depth; ++k) {
        add(lb->delta + lb->nv, p->d[k] + nx, p->n - nx);
    }
}

void dal_lb_predict(dal_lobatto *lb, dal_predictor predictor)
{
    const int s = lb->s, nv = lb->nv, nx = lb->n - lb->nc;
    const lb_polynomial *p = &lb->poly;
    int known = p->h > 0.0 && predictor == DAL_PREDICTOR_EXTRAPOLATE;
    dal_zero(lb->x, lb->n);
    dal_zero(lb->delta, nv * s);
    lb->past.valid = known && follows(lb);
    if (known) {
        extrapolate(lb);
    }
    if (lb->past.valid) {
        dal_copy(lb->past.base, dal_lb_alpha(lb, 0), nx);
        correct(lb);
    }
    // a polynomial that runs away is of no use
    known = known && dal_max_abs(dal_lb_alpha(lb, 0), nv * s) <= 4.0 * lb->h * dal_max_abs(p->A, nv * s);
    if (!known) {
        dal_zero(lb->delta, nv * s);
        hold(lb, predictor == DAL_PREDICTOR_ZERO ? 0.0 : lb->h);
    }
    dal_copy(lb->q, lb->from->q, lb->nq);
}

/* ---- what was found --------------------------------------------------------------------------- */

/* d[0] := e and, with the differences of before, d[1] := d[0] - old d[0], ...; `depth` of them. e is used up. */
static void difference(const lb_history *p, double *restrict e)
{
    for (int k = 0; k < p->depth; ++k) {
        double *restrict d = p->d[k];
        for (int i = 0; i < p->n; ++i) {
            const double before = d[i];
            d[i] = e[i];
            e[i] -= before;
        }
    }
}

/* With k differences the polynomials would have missed y by d[k], here n of its components from `first` on. The best k
 * serves the next step if it left less than 0.2 of what is missed without any: else it did so by chance. */
static void choose(lb_history *p, int first, int n)
{
    double best = 0.2 * dal_max_abs(p->d[0] + first, n);
    p->use = 0;
    for (int k = 1; k < p->depth; ++k) {
        const double missed = dal_max_abs(p->d[k] + first, n);
        if (missed < best) {
            best = missed;
            p->use = k;
        }
    }
}

void dal_lb_keep_history(dal_lobatto *lb)
{
    lb_history *p = &lb->past;
    const int nx = lb->n - lb->nc;
    if (!p->valid) {
        p->depth = p->use = 0;
        return;
    }
    p->depth += p->depth < LB_DIFFERENCES;
    double *e = p->base;
    const double *x = dal_lb_alpha(lb, 0);
    for (int i = 0; i < nx; ++i) {
        e[i] = x[i] - e[i];
    }
    dal_copy(e + nx, lb->delta + lb->nv, p->n - nx);
    difference(p, e);
    choose(p, lb->nv * (lb->s - 1), lb->nv);
}

void dal_lb_keep_polynomial(dal_lobatto *lb)
{
    lb->poly.t = lb->from->t;
    lb->poly.h = lb->h;
    dal_copy(lb->poly.A, lb->Acc, lb->nv * lb->s);
    dal_copy(lb->poly.la, lb->la, lb->nc * lb->s);
    // the consistent values are better than those of the stage
    dal_copy(lb->poly.A, lb->from->vd, lb->nv);
}
