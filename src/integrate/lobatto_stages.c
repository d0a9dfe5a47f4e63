/* The stage equations (LB.3): everything at the stages follows from the scaled accelerations alpha_i = h A_i and
 * multipliers mu_i = h Lambda_i, i >= 2. Lambda_1 = lambda_n. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_sum.h"
#include "integrate/lobatto_table.h"

/* Increments of Newton's method are brought below this even where rtol asks for less: what is left of them is not
 * random but adds up over the steps, and the methods are made for tight tolerances. */
static const double tight = 1e-13;
/* A symmetric method drifts as far as its iteration leaves anything. */
static const double tightest = 1e-14;

double dal_lb_stage_time(const dal_lobatto *lb, int i)
{
    return i == lb->s - 1 ? lb->t1 : lb->from->t + lb->c[i] * lb->h;
}

double *dal_lb_carried(const dal_lobatto *lb, const dal_state_buffer *s)
{
    return lb->carried + lb->nc * (int)(s - lb->buffer);
}

/* y_i = y0 + scale sum_j C_ij x_j for the columns i >= first of y, j < m; y0 NULL: zero. C is s x s, x nv x s. */
static void combine(const dal_lobatto *lb, int first, double *y, const double *y0, const double *C, const double *x,
                    double scale, int m)
{
    const int s = lb->s, n = lb->nv;
    for (int i = first; i < s; ++i) {
        double a[LB_MAX];
        a[0] = scale * C[i];
        for (int j = 1; j < m; ++j) {
            a[j] = scale * C[i + j * s];
        }
        dal_lb_sum(y + i * n, y0, x, a, n, m);
    }
}

static void divide(double *restrict y, const double *restrict x, double h, int n)
{
    for (int k = 0; k < n; ++k) {
        y[k] = x[k] / h;
    }
}

/* theta_i = h sum_j a_ij (V_j + delta_j), i >= first, or with a_ij - abar_j (LJ.1); returns the largest in its unit, NaN where one is not finite */
static double coordinates(dal_lobatto *lb, int first)
{
    const int n = lb->nv * lb->s;
    double *restrict f = lb->f;
    const double *restrict V = lb->V, *restrict delta = lb->delta;
    for (int k = 0; k < n; ++k) {
        f[k] = V[k] + delta[k];
    }
    first = lb->mid ? 0 : first;
    combine(lb, first, lb->theta, NULL, lb->chart, lb->f, lb->h, lb->s);
    double most = 0.0;
    for (int i = first; i < lb->s; ++i) {
        most = dal_larger(most, dal_scales_displacement(&lb->saddle->scales, lb->theta + i * lb->nv));
    }
    return most;
}

/* delta_j := T^-1(theta_j) V_j - V_j; returns the largest change in its unit times h, NaN where delta is not finite. */
static double bend(dal_lobatto *lb)
{
    const int nv = lb->nv;
    double change = 0.0;
    for (int j = dal_lb_bent(lb); j < lb->s; ++j) {
        const double *V = lb->V + j * nv;
        double *delta = lb->delta + j * nv;
        dal_inv_tangent_apply(lb->ev->G, lb->w, lb->theta + j * nv, V);
        for (int k = 0; k < nv; ++k) {
            const double next = lb->w[k] - V[k], d = fabs(next - delta[k]) * lb->ev->per_unit[k];
            change = d > change ? d : change;
            delta[k] = next;
        }
    }
    return lb->h * change + dal_not_finite(lb->delta, nv * lb->s);
}

/* theta from V by sweeps, which contract like h |V|/4 and better. They start from the delta of the last iterate. `exact`:
 * to rounding; else what is left may be 1e-13 of theta (`settled`), or 1e-4 of what it was off: the next iterate and
 * `finish` go on from there. */
static dal_status local_coordinates(dal_lobatto *lb, int exact)
{
    double first = 0.0, last = INFINITY, size = coordinates(lb, 1);
    for (int it = 0; it < 60 && isfinite(size); ++it) {
        const double change = lb->ev->G->flat ? 0.0 : bend(lb);
        const double rate = it == 0 ? fmin(0.5 * size, 1.0) : change / last;
        const double goal = (exact ? 2.0 * DBL_EPSILON : 1e-13) * size;
        first = it == 0 ? change : first;
        const int enough = rate < 1.0 && change * rate <= goal * (1.0 - rate);
        const int rounding = change <= 1e-12 * size && change > 0.5 * last;
        if (enough || rounding || (!exact && it > 0 && change <= 1e-4 * first)) {
            lb->settled = enough || rounding;
            lb->exact = exact || change <= 2.0 * DBL_EPSILON * size;
            if (change > goal) {
                (void)coordinates(lb, exact ? lb->s - 1 : 1);
            }
            return DAL_OK;
        }
        last = change;
        size = coordinates(lb, 1);
    }
    return dal_fail(lb->ctx, DAL_NOCONV, "the rotations within the step do not settle: the step turns a body too far");
}

/* Stage values from the unknowns. `last`: they are final, and only the last stage needs all of them. */
static dal_status stage_values(dal_lobatto *lb, int last)
{
    const int s = lb->s, nv = lb->nv, nc = lb->nc, first = last ? s - 1 : 1;
    const dal_state_buffer *s0 = lb->from;
    const double *la0 = dal_lb_carried(lb, s0);
    combine(lb, 0, lb->V, s0->v, lb->Ahat, dal_lb_alpha(lb, 0), 1.0, s - 1); // the last column is zero
    combine(lb, first, lb->L, s0->v, lb->A, dal_lb_alpha(lb, 0), 1.0, s);
    divide(lb->Acc, dal_lb_alpha(lb, 0), lb->h, nv * s);
    divide(lb->la, dal_lb_mu(lb, 0), lb->h, nc);
    divide(lb->la + nc, dal_lb_mu(lb, 1), lb->h, nc * (s - 1));
    for (int k = 0; k < nc; ++k) {
        lb->la[k] += la0[k];
    }
    if (lb->variational) {
        (void)coordinates(lb, 0); // rates are those of the chart
        lb->settled = lb->exact = 1;
    } else {
        DAL_TRY(local_coordinates(lb, last));
    }
    if (lb->variational) {
        dal_lb_variational_values(lb);
    }
    const double *origin = s0->q;
    if (lb->mid) {
        for (int k = 0; k < nv; ++k) {
            lb->w[k] = -lb->theta[k];
        }
        dal_retract(lb->ev->G, lb->middle_q, s0->q, lb->w);
        origin = lb->middle_q;
    }
    for (int i = first; i < s; ++i) {
        dal_retract(lb->ev->G, lb->q + i * lb->nq, origin, lb->theta + i * nv);
    }
    return DAL_OK;
}

/* Rows of the symmetric method at stage i, of whose multipliers all are unknown: holonomic ones hold as positions, over h, and at
 * the end as velocities in the place of omega; nonholonomic ones as in the other methods. (LJ.3), (LJ.4) */
static void sort_rows(const dal_lobatto *lb, double *r, int i)
{
    const dal_eval *ev = lb->ev;
    double *rows = r + lb->nv * lb->s + lb->nc * i;
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int held = dal_lb_held(lb, c);
        for (int k = ev->row0[c]; k < ev->row0[c + 1]; ++k) {
            rows[k] = held ? rows[k] / lb->h : lb->vel[k];
            if (held && i == lb->s - 1) {
                r[k] = lb->vel[k];
            }
        }
    }
}

/* All rows but omega; `looking` for values that are not finite. */
static dal_status stage_residuals(dal_lobatto *lb, double *r, int looking)
{
    const int nv = lb->nv, nc = lb->nc;
    for (int i = 0; i < lb->s; ++i) {
        double *ri = r + nc + i * nv;
        const double *q = lb->q + i * lb->nq;
        const double *acceleration = lb->variational ? lb->saddle->zero : lb->Acc + i * nv;
        const dal_point at = {dal_lb_stage_time(lb, i), q, lb->V + i * nv, acceleration, lb->la + i * nc};
        dal_residual out = {.r = ri};
        if (nc > 0 && i == 0 && lb->singular_mass) {
            out.acc = r;
        } else if (nc > 0 && i > 0) {
            const int velocities = !lb->mid || lb->ev->nh < nc || i == lb->s - 1;
            out.Phi = lb->mid ? r + nv * lb->s + nc * i : NULL;
            out.vel = !velocities ? NULL : lb->mid ? lb->vel : r + nv * lb->s + nc * i;
            out.w = velocities ? lb->L + i * nv : NULL;
        }
        DAL_TRY(looking ? dal_eval_residual(lb->ev, &out, &at) : dal_eval_residual_unchecked(lb->ev, &out, &at));
        if (lb->ev->nlaws > 0) {
            DAL_TRY(dal_eval_residual(lb->ev, &(dal_residual){.law = i > 0 ? out.vel : r}, &at));
        }
        if (lb->mid && i > 0) {
            sort_rows(lb, r, i);
        }
        for (int k = 0; k < nv; ++k) {
            ri[k] *= lb->h;
        }
    }
    if (lb->variational) {
        dal_lb_variational_rows(lb, r + nc);
    }
    return DAL_OK;
}

/* Rows: omega or the acceleration level at the first stage, h (CS.2) at all stages, velocity level at the others. */
static dal_status residual(void *self, double *r)
{
    dal_lobatto *lb = self;
    const dal_eval *ev = lb->ev;
    DAL_TRY(stage_values(lb, 0));
    if (lb->variational && !lb->aimed) {
        dal_copy(lb->turned, lb->theta, lb->nv * (lb->s - 1)); // the last increment is one of v_(n+1)
        lb->aimed = 1;
    }
    lb->newton.opt.trust &= lb->settled; // else the increment does not tell all
    DAL_TRY(stage_residuals(lb, r, 0));
    const int laws = lb->nc - lb->ev->nlaws, unset = lb->singular_mass ? 0 : laws;
    if (dal_not_finite(r + unset, lb->n - unset) != 0.0) {
        DAL_TRY(stage_residuals(lb, r, 1)); // says which
    }
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        for (int k = ev->row0[c]; k < ev->row0[c + 1] && !dal_lb_held(lb, c); ++k) {
            r[k] = lb->singular_mass || k >= laws ? lb->h * r[k] : lb->x[k];
        }
    }
    return DAL_OK;
}

static void update(void *self, const double *dx, double scale)
{
    dal_lobatto *lb = self;
    const int first = lb->variational ? lb->nc + lb->nv * lb->s : lb->nc;
    for (int i = 0; i < lb->nc; ++i) {
        lb->x[i] += scale * dx[i];
    }
    for (int i = first; i < lb->n; ++i) {
        lb->x[i] += scale * dx[i];
    }
    if (lb->variational) {
        dal_lb_variational_update(lb, dal_lb_alpha(lb, 0), dx + lb->nc, scale);
    }
}

/* Increments in units of their tolerance: velocities by component, multipliers relative to the largest; what rounding of positions
 * makes of either where these are held (LJ.9). */
static double size(void *self, const double *dx)
{
    const dal_lobatto *lb = self;
    const int nv = lb->nv, first = lb->nc + nv * lb->s;
    const double goal = lb->mid ? tightest : tight;
    const double rtol = fmin(lb->opt.rtol, goal), least = fmin(lb->opt.atol, goal) + lb->rounding;
    const double *d = dx + lb->nc, *alpha = dal_lb_alpha(lb, 0), *v = lb->from->v, *unit = lb->ev->unit;
    dal_two two = {0.0};
    int k = 0;
    for (; k + DAL_PAIR <= nv; k += DAL_PAIR) {
        const dal_two tol = least * *(const dal_two *)(unit + k) + rtol * lb_magnitude(*(const dal_two *)(v + k));
        for (int i = k; i < nv * lb->s; i += nv) {
            const dal_two whole = tol + rtol * lb_magnitude(*(const dal_two *)(alpha + i));
            two = lb_larger(two, lb_magnitude(*(const dal_two *)(d + i)) / whole);
        }
    }
    double worst = lb_largest(two) + dal_not_finite(dx, lb->n);
    for (; k < nv; ++k) {
        const double tol = least * unit[k] + rtol * fabs(v[k]);
        for (int i = k; i < nv * lb->s; i += nv) {
            const double change = fabs(d[i]), whole = tol + rtol * fabs(alpha[i]);
            worst = change > worst * whole ? change / whole : worst;
        }
    }
    double largest = 0.0, change = lb->mid ? dal_max_product(dx, lb->saddle->scales.reach, lb->nc) : 0.0;
    for (int i = first; i < lb->n; i += lb->nc) {
        largest = dal_larger(largest, dal_max_product(lb->x + i, lb->saddle->scales.reach, lb->nc));
        change = dal_larger(change, dal_max_product(dx + i, lb->saddle->scales.reach, lb->nc));
    }
    // Lambda_i enters the velocities with h only: a hundredth of the accuracy will do; not for Lambda_s of the symmetric
    // method, which no stage feels
    const double share = lb->mid ? 1.0 : 100.0;
    const double work = lb->saddle->scales.work,
                 tol = share * rtol * (largest + lb->h * lb->opt.atol * work) + lb->rounding * work;
    return change == 0.0 ? worst : dal_larger(worst, change / tol);
}

static void finish(void *self)
{
    dal_lobatto *lb = self;
    // the increment was below the tolerance, so what has converged before converges again
    (void)!stage_values(lb, 1);
}

static void name_equation(void *self, char *buffer, size_t size, int equation)
{
    dal_lb_equation_name((dal_integrator *)self, buffer, size, equation);
}

dal_newton_problem dal_lb_problem(dal_lobatto *lb)
{
    return (dal_newton_problem){.residual = residual,
                                .jacobian = dal_lb_jacobian,
                                .update = update,
                                .size = size,
                                .finish = finish,
                                .self = lb,
                                .name = name_equation};
}
