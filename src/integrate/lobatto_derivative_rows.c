/* Derivatives of the Lobatto step, its stages: changes of their values, of their equations, and solutions (GR.16). */
#include "base/vector.h"
#include "integrate/lobatto_derivative_impl.h"

dal_point dal_lb_force_point(const lb_derivative *d, int i)
{
    const dal_lobatto *lb = d->lb;
    return (dal_point){dal_lb_stage_time(lb, i), lb->q + i * lb->nq, lb->V + i * lb->nv, lb->Acc + i * lb->nv,
                       lb->la + i * lb->nc};
}

dal_point dal_lb_velocity_point(const lb_derivative *d, int i)
{
    const dal_lobatto *lb = d->lb;
    return (dal_point){dal_lb_stage_time(lb, i), lb->q + i * lb->nq, lb->L + i * lb->nv, d->at.zero, d->at.zero};
}

/* X of a factor: (1 + h c_ij T_j^-1 d(T u)/dtheta_j) dtheta = h c_ij T_j^-1 dV_j, u = T^-1 V. */
void dal_lb_find_rates(lb_derivative *d, int f)
{
    dal_lobatto *lb = d->lb;
    const dal_factor *F = &lb->ev->G->factor[f];
    const int nv = F->nv, s = lb->s, m = s * nv, square = nv * nv;
    double *A = d->rates, *X = d->X[f], *Y = d->inverse;
    dal_zero(A, m * m);
    for (int j = 0; j < s; ++j) {
        const double *theta = lb->theta + j * lb->nv + F->v;
        double coef[DAL_NCOEF], u[6];
        F->type->prepare(coef, theta, nv);
        dal_zero(d->Ti, square);
        dal_zero(d->D, square);
        F->type->inv_tangent(d->Ti, theta, coef, nv);
        for (int a = 0; a < nv; ++a) {
            u[a] = 0.0;
            for (int b = 0; b < nv; ++b) {
                u[a] += d->Ti[a + b * nv] * lb->V[j * lb->nv + F->v + b];
            }
        }
        F->type->dtangent(d->D, theta, u, coef, nv);
        for (int a = 0; a < square; ++a) {
            const int row = a % nv, column = a / nv;
            double N = 0.0;
            for (int b = 0; b < nv; ++b) {
                N += d->Ti[row + b * nv] * d->D[b + column * nv];
            }
            for (int i = 0; i < s; ++i) {
                const int at = i * nv + row + (j * nv + column) * m;
                const double c = lb->h * lb->chart[i + j * s];
                A[at] = c * N + (i == j && row == column ? 1.0 : 0.0);
                Y[at] = c * d->Ti[a];
            }
        }
    }
    dal_lb_solve(Y, A, m);
    dal_copy(X, Y, m * m);
}

/* y += X x, or X^T x: changes of theta from those of V at all stages */
static void apply_rates(const lb_derivative *d, double *y, const double *x, int transposed)
{
    const dal_lobatto *lb = d->lb;
    const dal_group *G = lb->ev->G;
    const int s = lb->s;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int nv = F->nv, m = s * nv;
        for (int to = 0; to < m; ++to) {
            const int i = to / nv, a = to % nv;
            double sum = 0.0;
            for (int j = 0; j < s && !d->X[f]; ++j) {
                sum += lb->h * lb->chart[transposed ? j + i * s : i + j * s] * x[j * lb->nv + F->v + a];
            }
            for (int from = 0; from < m && d->X[f]; ++from) {
                sum += d->X[f][transposed ? from + to * m : to + from * m] * x[from / nv * lb->nv + F->v + from % nv];
            }
            y[i * lb->nv + F->v + a] += sum;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Equations of stage i, as they are in the residual, from what the system answers there. */
static void put_rows(const lb_derivative *d, int i, double *F, const answers *a)
{
    const dal_lobatto *lb = d->lb;
    const dal_eval *ev = lb->ev;
    double *rows = F + lb->nv * lb->s + lb->nc * i;
    dal_add_multiple(F + lb->nc + i * lb->nv, a->r, lb->h, lb->nv);
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int held = dal_lb_held(lb, c);
        for (int k = ev->row0[c]; k < ev->row0[c + 1]; ++k) {
            if (i == 0) {
                F[k] += lb->singular_mass && !held ? lb->h * a->acc[k] : 0.0;
                continue;
            }
            rows[k] += held ? a->Phi[k] / lb->h : a->vel[k];
            F[k] += held && i == lb->s - 1 ? a->vel[k] : 0.0;
        }
    }
}

/* The transpose. */
static void take_rows(const lb_derivative *d, int i, const answers *a, const double *psi)
{
    const dal_lobatto *lb = d->lb;
    const dal_eval *ev = lb->ev;
    const double *rows = psi + lb->nv * lb->s + lb->nc * i;
    dal_zero(a->r, lb->nv + 3 * lb->nc);
    dal_add_multiple(a->r, psi + lb->nc + i * lb->nv, lb->h, lb->nv);
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int held = dal_lb_held(lb, c);
        for (int k = ev->row0[c]; k < ev->row0[c + 1]; ++k) {
            a->acc[k] = i == 0 && lb->singular_mass && !held ? lb->h * psi[k] : 0.0;
            a->Phi[k] = i > 0 && held ? rows[k] / lb->h : 0.0;
            a->vel[k] = i == 0 ? 0.0 : !held ? rows[k] : i == lb->s - 1 ? psi[k] : 0.0;
        }
    }
}

/* dLambda_i from the unknowns and the multipliers that the step begins with, or the transpose. */
static double share_of_unknown(const lb_derivative *d, int c, int i)
{
    return i > 0 || d->lb->singular_mass || dal_lb_held(d->lb, c) ? 1.0 / d->lb->h : 0.0;
}

static void multipliers(const lb_derivative *d, int i, double *x, double *y0, int transposed)
{
    const dal_lobatto *lb = d->lb;
    double *mu = x + (i == 0 ? 0 : lb->nc * i + lb->nv * lb->s), *carried = y0 + 2 * lb->nv;
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        const double f = share_of_unknown(d, c, i), g = i == 0 && !dal_lb_held(lb, c) ? 1.0 : 0.0;
        for (int k = lb->ev->row0[c]; k < lb->ev->row0[c + 1]; ++k) {
            if (transposed) {
                mu[k] += f * d->dla[k];
                carried[k] += g * d->dla[k];
            } else {
                d->dla[k] = f * mu[k] + g * carried[k];
            }
        }
    }
}

/* Changes at all stages from those of the unknowns and of the state that the step begins with. */
void dal_lb_stages_forward(lb_derivative *d, const double *x, const double *y0)
{
    const dal_lobatto *lb = d->lb;
    const int s = lb->s, nv = lb->nv;
    const double *alpha = x + lb->nc;
    for (int i = 0; i < s; ++i) {
        double *V = d->dV + i * nv, *L = d->dL + i * nv;
        dal_copy(V, y0 + nv, nv);
        dal_copy(L, y0 + nv, nv);
        for (int j = 0; j < s; ++j) {
            dal_add_multiple(V, alpha + j * nv, lb->Ahat[i + j * s], nv);
            dal_add_multiple(L, alpha + j * nv, lb->A[i + j * s], nv);
        }
    }
    dal_zero(d->dtheta, nv * s);
    apply_rates(d, d->dtheta, d->dV, 0);
    dal_copy(d->origin, y0, nv);
    if (lb->mid) {
        dal_zero(d->origin, nv);
        dal_variation_apply(&d->at, d->origin, d->Ad + s * d->width, y0, 1.0, 0);
        dal_variation_apply(&d->at, d->origin, d->T + s * d->width, d->dtheta, -1.0, 0);
    }
    dal_zero(d->dq, nv * s);
    for (int i = 0; i < s; ++i) {
        dal_variation_apply(&d->at, d->dq + i * nv, d->Ad + i * d->width, d->origin, 1.0, 0);
        dal_variation_apply(&d->at, d->dq + i * nv, d->T + i * d->width, d->dtheta + i * nv, 1.0, 0);
    }
}

/* The transpose, added: weights are in dV, dL, dq. */
void dal_lb_stages_adjoint(lb_derivative *d, double *x, double *y0)
{
    const dal_lobatto *lb = d->lb;
    const int s = lb->s, nv = lb->nv;
    double *alpha = x + lb->nc;
    dal_zero(d->origin, nv);
    dal_zero(d->dtheta, nv * s);
    for (int i = 0; i < s; ++i) {
        dal_variation_apply(&d->at, d->origin, d->Ad + i * d->width, d->dq + i * nv, 1.0, 1);
        dal_variation_apply(&d->at, d->dtheta + i * nv, d->T + i * d->width, d->dq + i * nv, 1.0, 1);
    }
    if (lb->mid) {
        dal_variation_apply(&d->at, d->dtheta, d->T + s * d->width, d->origin, -1.0, 1);
        dal_variation_apply(&d->at, y0, d->Ad + s * d->width, d->origin, 1.0, 1);
    } else {
        dal_add(y0, d->origin, nv);
    }
    apply_rates(d, d->dV, d->dtheta, 1);
    for (int i = 0; i < s; ++i) {
        const double *V = d->dV + i * nv, *L = d->dL + i * nv;
        dal_add(y0 + nv, V, nv);
        dal_add(y0 + nv, L, nv);
        for (int j = 0; j < s; ++j) {
            dal_add_multiple(alpha + j * nv, V, lb->Ahat[i + j * s], nv);
            dal_add_multiple(alpha + j * nv, L, lb->A[i + j * s], nv);
        }
    }
}

/* Rows of omega that say that it is zero. */
static void add_omega(const lb_derivative *d, double *y, const double *x)
{
    const dal_lobatto *lb = d->lb;
    for (int c = 0; c < lb->ev->sys->nconstraints && !lb->singular_mass; ++c) {
        for (int k = lb->ev->row0[c]; k < lb->ev->row0[c + 1] && !dal_lb_held(lb, c); ++k) {
            y[k] += x[k];
        }
    }
}

/* F = J x + dF/dy0 y0 */
void dal_lb_rows_forward(lb_derivative *d, double *F, double *x, double *y0)
{
    const dal_lobatto *lb = d->lb;
    const int nv = lb->nv;
    dal_zero(F, lb->n);
    dal_lb_stages_forward(d, x, y0);
    add_omega(d, F, x);
    for (int i = 0; i < lb->s; ++i) {
        const answers *a = &d->one;
        dal_zero(a->r, nv + 3 * lb->nc);
        multipliers(d, i, x, y0, 0);
        dal_divide(d->dvd, x + lb->nc + i * nv, lb->h, nv);
        const dal_change by = {d->dq + i * nv, d->dV + i * nv, d->dvd, d->dla};
        dal_blocks_product(&d->force[i], &(dal_rows){.r = a->r, .Phi = a->Phi, .acc = a->acc}, &by, 1.0);
        if (i > 0 && lb->nc > 0) {
            dal_blocks_product(&d->vl[i], &(dal_rows){.vel = a->vel},
                               &(dal_change){.q = d->dq + i * nv, .v = d->dL + i * nv}, 1.0);
        }
        put_rows(d, i, F, a);
    }
}

/* x += J^T psi, y0 += (dF/dy0)^T psi */
void dal_lb_rows_adjoint(lb_derivative *d, double *x, double *y0, const double *psi)
{
    const dal_lobatto *lb = d->lb;
    const int nv = lb->nv;
    add_omega(d, x, psi);
    dal_zero(d->dq, nv * lb->s);
    dal_zero(d->dV, nv * lb->s);
    dal_zero(d->dL, nv * lb->s);
    for (int i = 0; i < lb->s; ++i) {
        const answers *a = &d->one;
        take_rows(d, i, a, psi);
        dal_zero(d->dvd, nv);
        dal_zero(d->dla, lb->nc);
        const dal_change by = {d->dq + i * nv, d->dV + i * nv, d->dvd, d->dla};
        dal_blocks_transposed(&d->force[i], &by, &(dal_rows){.r = a->r, .Phi = a->Phi, .acc = a->acc}, 1.0);
        if (i > 0 && lb->nc > 0) {
            dal_blocks_transposed(&d->vl[i], &(dal_change){.q = d->dq + i * nv, .v = d->dL + i * nv},
                                  &(dal_rows){.vel = a->vel}, 1.0);
        }
        multipliers(d, i, x, y0, 1);
        dal_add_multiple(x + lb->nc + i * nv, d->dvd, 1.0 / lb->h, nv);
    }
    dal_lb_stages_adjoint(d, x, y0);
}

/* b := J^-1 b, or J^-T b, with corrections by the matrix of Newton's method, to rounding. */
dal_status dal_lb_solve_stages(lb_derivative *d, double *b, double *nothing, int transposed)
{
    enum { MOST = 60 };
    const dal_lobatto *lb = d->lb;
    const int n = lb->n;
    double last = INFINITY, by = 0.0, size = 0.0;
    dal_zero(d->x, n);
    for (int k = 0; k < MOST; ++k) {
        dal_zero(nothing, d->ny);
        dal_zero(d->b, n);
        if (transposed) {
            dal_lb_rows_adjoint(d, d->b, nothing, d->x);
        } else {
            dal_lb_rows_forward(d, d->b, d->x, nothing);
        }
        for (int i = 0; i < n; ++i) {
            d->b[i] = b[i] - d->b[i];
        }
        if (transposed) {
            dal_linsol_solve_transposed(lb->base.matrix, d->b);
        } else {
            dal_linsol_solve(lb->base.matrix, d->b);
        }
        by = dal_max_abs(d->b, n);
        size = dal_max_abs(d->x, n);
        if (!(by < 0.9 * last) || by <= 1e-16 * size) {
            break;
        }
        last = by;
        dal_add(d->x, d->b, n);
    }
    if (!(by <= 1e-8 * size)) {
        return dal_fail(lb->ctx, DAL_NOCONV,
                        "gradients: the stage equations at t = %.9g cannot be solved for derivatives, the matrix of "
                        "Newton's method is too far from them: take a smaller h",
                        lb->t1);
    }
    dal_copy(b, d->x, n);
    return DAL_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static dal_rows rows_of(const answers *a, int velocities)
{
    return velocities ? (dal_rows){.vel = a->vel} : (dal_rows){.r = a->r, .Phi = a->Phi, .acc = a->acc};
}

/* What numbers do to the equations, for all columns: added to E. */
dal_status dal_lb_numbers_forward(lb_derivative *d, const double *dp, int count)
{
    const dal_lobatto *lb = d->lb;
    const int stride = lb->nv + 3 * lb->nc;
    for (int i = 0; i < lb->s; ++i) {
        dal_zero(d->all.r, stride * count);
        for (int velocities = 0; velocities <= (i > 0 && lb->nc > 0); ++velocities) {
            const dal_point at = velocities ? dal_lb_velocity_point(d, i) : dal_lb_force_point(d, i);
            dal_rows y = rows_of(&d->all, velocities);
            y.acc = i == 0 && lb->singular_mass ? y.acc : NULL;
            y.Phi = i > 0 && lb->mid ? y.Phi : NULL;
            DAL_TRY(dal_dependence_product(d->at.p, lb->ev, &y, stride, &at, dp, count));
        }
        for (int j = 0; j < count; ++j) {
            const int by = j * stride;
            const answers a = {d->all.r + by, d->all.Phi + by, d->all.vel + by, d->all.acc + by};
            put_rows(d, i, d->E + j * lb->n, &a);
        }
    }
    return DAL_OK;
}

dal_status dal_lb_numbers_adjoint(lb_derivative *d, double *pbar, const double *psi)
{
    const dal_lobatto *lb = d->lb;
    for (int i = 0; i < lb->s; ++i) {
        take_rows(d, i, &d->one, psi);
        for (int velocities = 0; velocities <= (i > 0 && lb->nc > 0); ++velocities) {
            const dal_point at = velocities ? dal_lb_velocity_point(d, i) : dal_lb_force_point(d, i);
            dal_rows w = rows_of(&d->one, velocities);
            w.acc = i == 0 && lb->singular_mass ? w.acc : NULL;
            w.Phi = i > 0 && lb->mid ? w.Phi : NULL;
            DAL_TRY(dal_dependence_transposed(d->at.p, lb->ev, pbar, &at, &w, 1.0));
        }
    }
    return DAL_OK;
}
