/* The first iterate of a step: polynomials through the stages of the last step (LB.8), corrected by what they were off in
 * the steps before (LB.14). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_sum.h"
#include "integrate/lobatto_table.h"

/* y = scale sum_j l_j x_j, x n x s */
static void blend(double *restrict y, const double *restrict x, const double *l, int n, int s, double scale)
{
    double a[LB_MAX];
    a[0] = scale * l[0];
    for (int j = 1; j < s; ++j) {
        a[j] = scale * l[j];
    }
    dal_lb_sum(y, NULL, x, a, n, s);
}

/* x := x + d[0] + ... + d[m-1], n numbers from `first` on of each d; four pairs stay in registers */
static void add(double *x, double *const *d, int m, int first, int n)
{
    int i = 0;
    for (; i + 4 * DAL_PAIR <= n; i += 4 * DAL_PAIR) {
        dal_two *to = (dal_two *)(x + i), sum[4] = {to[0], to[1], to[2], to[3]};
        for (int k = 0; k < m; ++k) {
            const dal_two *y = (const dal_two *)(d[k] + first + i);
            sum[0] += y[0];
            sum[1] += y[1];
            sum[2] += y[2];
            sum[3] += y[3];
        }
        memcpy(to, sum, sizeof sum);
    }
    for (; i < n; ++i) {
        for (int k = 0; k < m; ++k) {
            x[i] += d[k][first + i];
        }
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
    add(dal_lb_alpha(lb, 0), p->d, p->use, 0, nx);
    add(lb->delta + dal_lb_bent(lb) * lb->nv, p->d, p->use < p->depth ? p->use + 1 : p->depth, nx, p->n - nx);
}

void dal_lb_predict(dal_lobatto *lb, dal_predictor predictor)
{
    const int s = lb->s, nv = lb->nv, nx = lb->n - lb->nc;
    const lb_polynomial *p = &lb->poly;
    int known = p->h > 0.0 && predictor == DAL_PREDICTOR_EXTRAPOLATE;
    lb->aimed = 0;
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

/* d[0] := e and, with the differences of before, d[1] := d[0] - old d[0], ...; `depth` of them. */
static void difference(const lb_history *p, const double *e)
{
    int i = 0;
    for (; i + 4 * DAL_PAIR <= p->n; i += 4 * DAL_PAIR) {
        const dal_two *from = (const dal_two *)(e + i);
        dal_two a[4] = {from[0], from[1], from[2], from[3]};
        for (int k = 0; k < p->depth; ++k) {
            dal_two *d = (dal_two *)(p->d[k] + i);
            const dal_two before[4] = {d[0], d[1], d[2], d[3]};
            for (int j = 0; j < 4; ++j) {
                d[j] = a[j];
                a[j] -= before[j];
            }
        }
    }
    for (; i < p->n; ++i) {
        double a = e[i];
        for (int k = 0; k < p->depth; ++k) {
            const double before = p->d[k][i];
            p->d[k][i] = a;
            a -= before;
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
    dal_copy(e + nx, lb->delta + dal_lb_bent(lb) * lb->nv, p->n - nx);
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
    if (lb->mid) {
        dal_copy(lb->poly.la, lb->from->la, lb->nc);
    }
}
