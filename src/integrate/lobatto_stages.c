/* The stage equations (LB.3): everything at the stages follows from the scaled accelerations alpha_i = h A_i and
 * multipliers mu_i = h Lambda_i, i >= 2. Lambda_1 = lambda_n. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_table.h"

/* Increments of Newton's method are brought below this even where rtol asks for less: what is left of them is not
 * random but adds up over the steps, and the methods are made for tight tolerances. */
static const double tight = 1e-13;

double dal_lb_stage_time(const dal_lobatto *lb, int i)
{
    return i == lb->s - 1 ? lb->t1 : lb->from->t + lb->c[i] * lb->h;
}

double *dal_lb_carried(const dal_lobatto *lb, const dal_state_buffer *s)
{
    return lb->carried + lb->nc * (int)(s - lb->buffer);
}

static double *alpha(const dal_lobatto *lb, int i)
{
    return lb->x + lb->nc + i * lb->nv;
}

/* h Lambda_i, i >= 1; for the first stage what is added to h lambda_n (LB.5) */
static double *mu(const dal_lobatto *lb, int i)
{
    return i == 0 ? lb->x : lb->x + lb->nc * i + lb->nv * lb->s;
}

/* y_i = y0 + scale sum_j C_ij x_j for the columns i of y; y0 NULL: zero. C is s x s, x nv x s. */
static void combine(const dal_lobatto *lb, double *y, const double *y0, const double *C, const double *x, double scale)
{
    const int s = lb->s, n = lb->nv;
    for (int i = 0; i < s; ++i) {
        double *restrict yi = y + i * n;
        for (int k = 0; k < n; ++k) {
            yi[k] = y0 ? y0[k] : 0.0;
        }
        for (int j = 0; j < s; ++j) {
            const double a = scale * C[i + j * s];
            const double *restrict xj = x + j * n;
            for (int k = 0; k < n && a != 0.0; ++k) {
                yi[k] += a * xj[k];
            }
        }
    }
}

/* One sweep theta_i := h sum_j a_ij T^-1(theta_j) V_j; returns the largest change, *size: the largest theta; both are
 * infinite where theta is not a number. */
static double sweep(dal_lobatto *lb, double *size)
{
    const int s = lb->s, nv = lb->nv;
    double change = 0.0;
    *size = 0.0;
    for (int j = 1; j < s; ++j) {
        dal_inv_tangent_apply(lb->ev->G, lb->f + j * nv, lb->theta + j * nv, lb->V + j * nv);
    }
    for (int i = 1; i < s; ++i) {
        double *restrict theta = lb->theta + i * nv, *restrict next = lb->w;
        dal_zero(next, nv);
        for (int j = 0; j < s; ++j) {
            const double a = lb->h * lb->A[i + j * s], *restrict f = lb->f + j * nv;
            for (int k = 0; k < nv; ++k) {
                next[k] += a * f[k];
            }
        }
        for (int k = 0; k < nv; ++k) {
            const double d = fabs(next[k] - theta[k]), t = fabs(next[k]);
            change = d > change ? d : change;
            *size = t > *size ? t : *size;
            theta[k] = next[k];
            if (!isfinite(t)) {
                return *size = INFINITY;
            }
        }
    }
    return change;
}

/* theta from V by sweeps, which contract like h |V|/4 and better. They start from the last iterate of Newton's method;
 * a part of 1e-4 of what that was off may remain, the next iterate and `finish` go on from there. */
static dal_status local_coordinates(dal_lobatto *lb)
{
    double first = 0.0, last = INFINITY;
    if (lb->ev->G->flat) {
        combine(lb, lb->theta, NULL, lb->A, lb->V, lb->h);
        return DAL_OK;
    }
    memcpy(lb->f, lb->V, (size_t)lb->nv * sizeof(double));
    for (int it = 0; it < 60; ++it) {
        double size;
        const double change = sweep(lb, &size);
        if (isinf(change)) {
            break;
        }
        first = it == 0 ? change : first;
        if (change <= 2.0 * DBL_EPSILON * size || (it > 0 && change <= 1e-4 * first) ||
            (change <= 1e-12 * size && change > 0.5 * last)) {
            return DAL_OK;
        }
        last = change;
    }
    return dal_fail(lb->ctx, DAL_NOCONV, "the rotations within the step do not settle: the step turns a body too far");
}

/* Stage values from the unknowns. */
static dal_status stage_values(dal_lobatto *lb)
{
    const int s = lb->s, nv = lb->nv, nc = lb->nc;
    const dal_state_buffer *s0 = lb->from;
    const double *la0 = dal_lb_carried(lb, s0);
    combine(lb, lb->V, s0->v, lb->Ahat, alpha(lb, 0), 1.0);
    combine(lb, lb->L, s0->v, lb->A, alpha(lb, 0), 1.0);
    for (int k = 0; k < nv * s; ++k) {
        lb->Acc[k] = alpha(lb, 0)[k] / lb->h;
    }
    for (int k = 0; k < nc; ++k) {
        lb->la[k] = la0[k] + mu(lb, 0)[k] / lb->h;
    }
    for (int k = nc; k < nc * s; ++k) {
        lb->la[k] = mu(lb, 1)[k - nc] / lb->h;
    }
    DAL_TRY(local_coordinates(lb));
    for (int i = 1; i < s; ++i) {
        dal_retract(lb->ev->G, lb->q + i * lb->nq, s0->q, lb->theta + i * nv);
    }
    return DAL_OK;
}

/* Rows: omega or the acceleration level at the first stage, h (CS.2) at all stages, velocity level at the others. */
static dal_status residual(void *self, double *r)
{
    dal_lobatto *lb = self;
    const int nv = lb->nv, nc = lb->nc;
    DAL_TRY(stage_values(lb));
    for (int i = 0; i < lb->s; ++i) {
        double *ri = r + nc + i * nv;
        const double *q = lb->q + i * lb->nq;
        dal_point at = {dal_lb_stage_time(lb, i), q, lb->V + i * nv, lb->Acc + i * nv, lb->la + i * nc};
        dal_residual out = {.r = ri, .acc = i == 0 && lb->singular_mass && nc > 0 ? r : NULL};
        DAL_TRY(dal_eval_residual(lb->ev, &out, &at));
        for (int k = 0; k < nv; ++k) {
            ri[k] *= lb->h;
        }
        if (i > 0 && nc > 0) {
            at.v = lb->L + i * nv;
            DAL_TRY(dal_eval_residual(lb->ev, &(dal_residual){.vel = r + nv * lb->s + nc * i}, &at));
        }
    }
    for (int k = 0; k < nc; ++k) {
        r[k] = lb->singular_mass ? lb->h * r[k] : lb->x[k];
    }
    return DAL_OK;
}

static void update(void *self, const double *dx, double scale)
{
    dal_lobatto *lb = self;
    for (int i = 0; i < lb->n; ++i) {
        lb->x[i] += scale * dx[i];
    }
}

/* Increments in units of their tolerance: velocities by component, multipliers relative to the largest. */
static double size(void *self, const double *dx)
{
    const dal_lobatto *lb = self;
    const int nv = lb->nv, nc = lb->nc, s = lb->s;
    const double rtol = fmin(lb->opt.rtol, tight), atol = fmin(lb->opt.atol, tight);
    double worst = 0.0, largest = 0.0, change = 0.0;
    for (int i = 0; i < nv * s; ++i) {
        const double scale = fabs(lb->from->v[i % nv]) + fabs(alpha(lb, 0)[i]);
        worst = fmax(worst, fabs(dx[nc + i]) / (atol + rtol * scale));
    }
    for (int i = nc + nv * s; i < lb->n; ++i) {
        largest = fmax(largest, fabs(lb->x[i]));
        change = fmax(change, fabs(dx[i]));
    }
    // Lambda_i enters the velocities with h only: a hundredth of the accuracy will do
    return change > 0.0 ? fmax(worst, change / (100.0 * rtol * (largest + lb->h * lb->opt.atol))) : worst;
}

static void finish(void *self)
{
    dal_lobatto *lb = self;
    // the increment was below the tolerance, so what has converged before converges again
    (void)!stage_values(lb);
}

static void name_equation(void *self, char *buffer, size_t size, int equation)
{
    dal_lb_equation_name((dal_integrator *)self, buffer, size, equation);
}

dal_newton_problem dal_lb_problem(dal_lobatto *lb)
{
    return (dal_newton_problem){residual, dal_lb_jacobian, update, size, finish, lb, name_equation, NULL};
}

/* ---- predictor (LB.8) ------------------------------------------------------------------------- */

/* y = scale sum_j l_j x_j, x n x s */
static void blend(double *y, const double *x, const double *l, int n, int s, double scale)
{
    for (int k = 0; k < n; ++k) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) {
            sum += l[j] * x[k + j * n];
        }
        y[k] = scale * sum;
    }
}

void dal_lb_predict(dal_lobatto *lb, dal_predictor predictor)
{
    const int s = lb->s, nv = lb->nv, nc = lb->nc;
    const double h = lb->h;
    const lb_polynomial *p = &lb->poly;
    int known = p->h > 0.0 && predictor == DAL_PREDICTOR_EXTRAPOLATE;
    memset(lb->x, 0, (size_t)lb->n * sizeof(double));
    for (int i = 0; known && i < s; ++i) {
        double l[LB_MAX];
        dal_lagrange(l, lb->c, lb->bary, s, (dal_lb_stage_time(lb, i) - p->t) / p->h);
        blend(alpha(lb, i), p->A, l, nv, s, h);
        if (i > 0) {
            blend(mu(lb, i), p->la, l, nc, s, h);
        }
    }
    // a polynomial that runs away is of no use
    known = known && dal_max_abs(alpha(lb, 0), nv * s) <= 4.0 * h * dal_max_abs(p->A, nv * s);
    for (int i = 0; !known && i < s; ++i) {
        const double hold = predictor == DAL_PREDICTOR_ZERO ? 0.0 : h;
        for (int k = 0; k < nv; ++k) {
            alpha(lb, i)[k] = hold * lb->from->vd[k];
        }
        for (int k = 0; i > 0 && k < nc; ++k) {
            mu(lb, i)[k] = hold * lb->from->la[k];
        }
    }
    // coordinates to begin with: T = I
    combine(lb, lb->V, lb->from->v, lb->Ahat, alpha(lb, 0), 1.0);
    combine(lb, lb->theta, NULL, lb->A, lb->V, h);
    memcpy(lb->q, lb->from->q, (size_t)lb->nq * sizeof(double));
}

void dal_lb_keep_polynomial(dal_lobatto *lb)
{
    lb->poly.t = lb->from->t;
    lb->poly.h = lb->h;
    memcpy(lb->poly.A, lb->Acc, (size_t)(lb->nv * lb->s) * sizeof(double));
    memcpy(lb->poly.la, lb->la, (size_t)(lb->nc * lb->s) * sizeof(double));
    // the consistent values are better than those of the stage
    memcpy(lb->poly.A, lb->from->vd, (size_t)lb->nv * sizeof(double));
}
