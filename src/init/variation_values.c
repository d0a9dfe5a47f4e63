/* Starting values: v'', and velocities off the constraints. */
#include "base/stencil.h"
#include "init/variation_impl.h"

/* ---- v'' (IN.6) ------------------------------------------------------------------------------- */

static double side_time(const dal_variation *x, int side)
{
    const double dt = (x->plan.one_sided ? 0.01 : 0.25) * x->plan.h;
    return side == 0 ? dt : -dt;
}

/* The point a time dt along the motion; theta goes there. */
static dal_point side_point(dal_variation *x, double dt)
{
    for (int i = 0; i < x->nv; ++i) {
        x->theta[i] = dt * x->v[i] + 0.5 * dt * dt * x->vd[i];
        x->v1[i] = x->v[i] + dt * x->vd[i];
    }
    dal_retract(x->ev->G, x->q1, dal_variation_q(x), x->theta);
    return (dal_point){x->plan.t + dt, x->q1, x->v1, x->vd, x->la};
}

/* Which part of v'' comes from each side: half of both, or the smaller one by component (IN.5). */
static void find_parts(dal_variation *x)
{
    const dal_group *G = x->ev->G;
    const double ratio = x->plan.h / side_time(x, 0);
    for (int f = 0; f < G->nfactors; ++f) {
        double change = 0.0, size = 0.0;
        for (int i = G->factor[f].v; i < G->factor[f].v + G->factor[f].nv; ++i) {
            const double mean = 0.5 * (x->z[0][i] + x->z[1][i]), half = 0.5 * ratio * (x->z[0][i] - x->z[1][i]);
            const double larger = (fabs(mean) + fabs(half)) * x->ev->per_unit[i],
                         apart = 2.0 * half * x->ev->per_unit[i];
            change += apart * apart;
            size += larger * larger;
        }
        for (int i = G->factor[f].v; i < G->factor[f].v + G->factor[f].nv; ++i) {
            const double mean = 0.5 * (x->z[0][i] + x->z[1][i]), half = 0.5 * ratio * (x->z[0][i] - x->z[1][i]);
            const double turn = (mean < 0.0) == (half < 0.0) ? ratio : -ratio;
            const int smooth = change <= size, none = !smooth && fabs(mean) <= fabs(half);
            x->part[0][i] = none ? 0.0 : smooth ? 0.5 : 0.5 * (1.0 - turn);
            x->part[1][i] = none ? 0.0 : smooth ? 0.5 : 0.5 * (1.0 + turn);
        }
    }
}

static int nsides(const dal_variation *x)
{
    return x->plan.one_sided ? 1 : 2;
}

dal_status dal_find_jerk(dal_variation *x)
{
    const int n = x->nv + x->nc;
    DAL_TRY(dal_variation_factor_here(x, 1));
    for (int side = 0; side < nsides(x); ++side) {
        const double dt = side_time(x, side);
        const dal_point at = side_point(x, dt);
        DAL_TRY(dal_eval_acceleration(x->ev, x->z[side], &at));
        dal_scale(x->z[side], -1.0 / dt, n);
        dal_variation_solve(x, x->z[side]);
    }
    for (int i = 0; i < x->nv; ++i) {
        x->part[0][i] = 1.0;
        x->part[1][i] = 0.0;
    }
    if (nsides(x) == 2) {
        find_parts(x);
    }
    for (int i = 0; i < x->nv; ++i) {
        x->vdd[i] = x->part[0][i] * x->z[0][i] + x->part[1][i] * x->z[1][i];
    }
    return DAL_OK;
}

/* S z: what depends on q. */
static void affine_terms(dal_variation *x, dal_term t[4], const double *z, double *Y)
{
    const double *q = dal_variation_q(x);
    const dal_point still = {x->plan.t, q, x->zero, x->zero, x->zero};
    const dal_change by = {.q = Y};
    t[0] = (dal_term){
        .at = {x->plan.t, q, x->v, z, z + x->nv}, .rows = DAL_TERM_R, .sign = 1.0, .wants = DAL_WANT_K, .by = by};
    t[1] = (dal_term){
        .at = {x->plan.t, q, x->v, x->zero, x->zero}, .rows = DAL_TERM_R, .sign = -1.0, .wants = DAL_WANT_K, .by = by};
    t[2] = (dal_term){
        .at = {x->plan.t, q, z, x->zero, x->zero}, .rows = DAL_TERM_VEL, .sign = 1.0, .wants = DAL_WANT_Z, .by = by};
    t[3] = (dal_term){.at = still, .rows = DAL_TERM_VEL, .sign = -1.0, .wants = DAL_WANT_Z, .by = by};
}

/* S z where forces depend on multipliers: the derivative of R along z, by four values, whose points are in `along`. */
static void curved_terms(dal_variation *x, dal_term t[4], const double *z, double *Y)
{
    const dal_stencil *four = &dal_four_values;
    const int nv = x->nv, nc = x->nc;
    const double rate = dal_max_abs(z + nv, nc),
                 step = 1e-3 * fmax(x->plan.h, rate > 0.0 ? dal_max_abs(x->la, nc) / rate : 1.0);
    for (int k = 0; k < 4; ++k) {
        double *vd = x->along + k * (nv + nc), by = four->place[k] * step;
        for (int i = 0; i < nv + nc; ++i) {
            vd[i] = (i < nv ? x->vd[i] : x->la[i - nv]) + by * z[i];
        }
        t[k] = (dal_term){.at = {x->plan.t, dal_variation_q(x), x->v, vd, vd + nv},
                          .rows = DAL_TERM_R | DAL_TERM_ACC,
                          .sign = four->weight[k] / step,
                          .wants = DAL_WANT_C | DAL_WANT_K | DAL_WANT_A | DAL_WANT_SHARP,
                          .by = {.q = Y, .v = Y + nv, .la = Y + 4 * nv}};
    }
}

/* S z + R(dt)/dt = 0. Changes at the point beside are in Z. */
static int jerk_terms(dal_variation *x, dal_term t[5], int side, double *Y, double *Z)
{
    const double dt = side_time(x, side);
    const int nv = x->nv;
    (x->ev->iterates ? curved_terms : affine_terms)(x, t, x->z[side], Y);
    t[4] = (dal_term){.at = side_point(x, dt),
                      .rows = DAL_TERM_R | DAL_TERM_ACC,
                      .sign = 1.0 / dt,
                      .wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_A | DAL_WANT_SHARP,
                      .by = {Z, Z + nv, Z + 2 * nv, Z + 3 * nv}};
    return 5;
}

/* Changes at the point beside: Z has q, v, v', lambda. */
static void side_forward(dal_variation *x, double *Z, const double *Y, double dt)
{
    const int nv = x->nv;
    const double *v = Y + nv, *vd = Y + 3 * nv;
    for (int i = 0; i < nv; ++i) {
        x->w[i] = dt * v[i] + 0.5 * dt * dt * vd[i];
        Z[nv + i] = v[i] + dt * vd[i];
    }
    dal_zero(Z, nv);
    dal_variation_apply(x, Z, x->Ad, Y, 1.0, 0);
    dal_variation_apply(x, Z, x->T, x->w, 1.0, 0);
    dal_copy(Z + 2 * nv, vd, nv + x->nc);
}

static void side_adjoint(dal_variation *x, const double *Z, double *Y, double dt)
{
    const int nv = x->nv;
    double *v = Y + nv, *vd = Y + 3 * nv;
    dal_variation_apply(x, Y, x->Ad, Z, 1.0, 1);
    dal_zero(x->w, nv);
    dal_variation_apply(x, x->w, x->T, Z, 1.0, 1);
    for (int i = 0; i < nv; ++i) {
        v[i] += dt * x->w[i] + Z[nv + i];
        vd[i] += 0.5 * dt * dt * x->w[i] + dt * Z[nv + i];
    }
    dal_add(vd, Z + 2 * nv, nv + x->nc);
}

/* J (nv x count, ny apart): v'' */
dal_status dal_jerk_forward(dal_variation *x, double *J, double *Y, const double *dp, int count)
{
    const int n = x->nv + x->nc;
    double *Z = x->X;
    for (int side = 0; side < nsides(x); ++side) {
        const double dt = side_time(x, side);
        dal_term t[5];
        const int nterms = jerk_terms(x, t, side, Y, Z);
        dal_variation_group(x, x->theta);
        for (int j = 0; j < count; ++j) {
            side_forward(x, Z + j * x->ny, Y + j * x->ny, dt);
        }
        dal_zero(x->E, n * count);
        for (int i = 0; i < nterms; ++i) {
            DAL_TRY(dal_term_forward(x, &t[i], dp, count));
        }
        DAL_TRY(dal_variation_factor_here(x, 1));
        for (int j = 0; j < count; ++j) {
            dal_variation_solve(x, x->E + j * n);
            for (int i = 0; i < x->nv; ++i) {
                J[j * x->ny + i] = (side > 0 ? J[j * x->ny + i] : 0.0) - x->part[side][i] * x->E[j * n + i];
            }
        }
    }
    return DAL_OK;
}

dal_status dal_jerk_adjoint(dal_variation *x, double *Y, double *pbar, const double *J, int count)
{
    const int n = x->nv + x->nc;
    double *Z = x->X;
    for (int side = 0; side < nsides(x); ++side) {
        const double dt = side_time(x, side);
        dal_term t[5];
        DAL_TRY(dal_variation_factor_here(x, 1));
        dal_zero(x->E, n * count);
        for (int j = 0; j < count; ++j) {
            for (int i = 0; i < x->nv; ++i) {
                x->E[j * n + i] = x->part[side][i] * J[j * x->ny + i];
            }
            dal_linsol_solve_transposed(x->s->ls, x->E + j * n);
        }
        const int nterms = jerk_terms(x, t, side, Y, Z);
        dal_zero(Z, x->ny * count);
        for (int i = 0; i < nterms; ++i) {
            DAL_TRY(dal_term_adjoint(x, pbar, &t[i], x->E, count));
        }
        dal_variation_group(x, x->theta);
        for (int j = 0; j < count; ++j) {
            side_adjoint(x, Z + j * x->ny, Y + j * x->ny, dt);
        }
    }
    return DAL_OK;
}

/* ---- velocities off the constraints (IN.3) ---------------------------------------------------- */

int dal_perturbs(const dal_variation *x)
{
    return x->plan.jerk && x->plan.perturb && x->ev->nh > 0;
}

dal_status dal_find_perturbation(dal_variation *x)
{
    double *rhs = x->s->x;
    const dal_point at = {x->plan.t, dal_variation_q(x), x->v, x->zero, x->zero};
    dal_local_error(x->ev->G, x->l, x->plan.h, x->plan.C_q, x->plan.C_h, x->v, x->vd, x->vdd);
    dal_scale(x->l, 1.0 / x->plan.h, x->nv);
    DAL_TRY(dal_variation_factor_here(x, 0));
    x->s->by_mass = 0;
    DAL_TRY(dal_saddle_constrain(x->s, rhs + x->nv, &at, x->l));
    dal_zero(rhs, x->nv);
    for (int i = 0; i < x->nc; ++i) {
        rhs[x->nv + i] *= x->mask[i];
    }
    dal_variation_solve(x, rhs);
    dal_copy(x->perturbed, rhs, x->nv);
    dal_copy(x->y_p, rhs + x->nv, x->nc);
    return DAL_OK;
}

/* M d + B^T y = 0, B d - mask B l = 0. L: changes of l. */
static int perturbation_terms(dal_variation *x, dal_term t[6], double *Y, double *L)
{
    const double *q = dal_variation_q(x), *d = x->perturbed;
    const dal_point still = {x->plan.t, q, x->zero, x->zero, x->zero};
    const dal_change by = {.q = Y};
    const unsigned bare = DAL_WANT_K | DAL_WANT_BARE;
    t[0] =
        (dal_term){.at = {x->plan.t, q, x->zero, d, x->y_p}, .rows = DAL_TERM_R, .sign = 1.0, .wants = bare, .by = by};
    t[1] = (dal_term){.at = still, .rows = DAL_TERM_R, .sign = -1.0, .wants = bare, .by = by};
    t[2] = (dal_term){
        .at = {x->plan.t, q, d, x->zero, x->zero}, .rows = DAL_TERM_VEL, .sign = 1.0, .wants = DAL_WANT_Z, .by = by};
    t[3] = (dal_term){.at = still, .rows = DAL_TERM_VEL, .sign = -1.0, .wants = DAL_WANT_Z, .by = by};
    t[4] = (dal_term){.at = {x->plan.t, q, x->l, x->zero, x->zero},
                      .rows = DAL_TERM_VEL,
                      .sign = -1.0,
                      .wants = DAL_WANT_Z | DAL_WANT_B,
                      .mask = x->mask,
                      .by = {.q = Y, .v = L}};
    t[5] = t[3];
    t[5].sign = 1.0;
    t[5].mask = x->mask;
    return 6;
}

/* l = h^2 (C_q v'' + C_h hat(v) v') */
static void error_forward(const dal_variation *x, double *l, const double *Y, const double *J)
{
    const int nv = x->nv;
    const double h2 = x->plan.h * x->plan.h;
    dal_bracket(x->ev->G, l, Y + nv, x->vd);
    dal_bracket(x->ev->G, x->w, x->v, Y + 3 * nv);
    for (int i = 0; i < nv; ++i) {
        l[i] = h2 * (x->plan.C_q * J[i] + x->plan.C_h * (l[i] + x->w[i]));
    }
}

/* y -= hat(a)^T w and the like: hat(a)^T as a matrix, factor by factor. */
static void add_bracket_transposed(const dal_variation *x, double *y, const double *a, const double *w, double scale)
{
    const dal_group *G = x->ev->G;
    double H[SQUARE];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (F->type->flat) {
            continue;
        }
        F->type->hat(H, a + F->v, F->nv);
        for (int j = 0; j < F->nv; ++j) {
            y[F->v + j] += scale * dal_dot(H + j * F->nv, w + F->v, F->nv);
        }
    }
}

static void error_adjoint(const dal_variation *x, const double *l, double *Y, double *J)
{
    const int nv = x->nv;
    const double h2 = x->plan.h * x->plan.h;
    dal_add_multiple(J, l, h2 * x->plan.C_q, nv);
    add_bracket_transposed(x, Y + 3 * nv, x->v, l, h2 * x->plan.C_h);
    add_bracket_transposed(x, Y + nv, x->vd, l, -h2 * x->plan.C_h);
}

dal_status dal_perturbation_forward(dal_variation *x, double *Y, const double *J, const double *dp, int count)
{
    const int n = x->nv + x->nc;
    double *L = x->X;
    dal_term t[6];
    for (int j = 0; j < count; ++j) {
        error_forward(x, L + j * x->ny, Y + j * x->ny, J + j * x->ny);
    }
    const int nterms = perturbation_terms(x, t, Y, L);
    dal_zero(x->E, n * count);
    for (int i = 0; i < nterms; ++i) {
        DAL_TRY(dal_term_forward(x, &t[i], dp, count));
    }
    DAL_TRY(dal_variation_factor_here(x, 0));
    for (int j = 0; j < count; ++j) {
        dal_variation_solve(x, x->E + j * n);
        dal_add_multiple(Y + j * x->ny + x->nv, x->E + j * n, -1.0, x->nv);
    }
    return DAL_OK;
}

dal_status dal_perturbation_adjoint(dal_variation *x, double *Y, double *J, double *pbar, int count)
{
    const int n = x->nv + x->nc;
    double *L = x->X;
    dal_term t[6];
    DAL_TRY(dal_variation_factor_here(x, 0));
    dal_zero(x->E, n * count);
    dal_zero(L, x->ny * count);
    for (int j = 0; j < count; ++j) {
        dal_copy(x->E + j * n, Y + j * x->ny + x->nv, x->nv);
        dal_linsol_solve_transposed(x->s->ls, x->E + j * n);
    }
    const int nterms = perturbation_terms(x, t, Y, L);
    for (int i = 0; i < nterms; ++i) {
        DAL_TRY(dal_term_adjoint(x, pbar, &t[i], x->E, count));
    }
    for (int j = 0; j < count; ++j) {
        error_adjoint(x, L + j * x->ny, Y + j * x->ny, J + j * x->ny);
    }
    return DAL_OK;
}
