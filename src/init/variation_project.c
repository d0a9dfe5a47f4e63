/* Positions, velocities and accelerations that are consistent. */
#include "init/variation_impl.h"

/* M v' + B^T lambda does not depend on velocities. */
static const unsigned bare = DAL_WANT_K | DAL_WANT_BARE;

/* ---- positions (PR.1) ------------------------------------------------------------------------- */

/* M d + B^T y = 0, Phi + B d = 0 at iterate k. Where d is nothing but rounding M and B count alone. */
static int position_terms(dal_variation *x, dal_term t[5], int k)
{
    const double *q = x->q + k * x->nq, *d = x->d + k * x->nv, *y = x->y + k * x->nc;
    const dal_point still = {x->plan.t, q, x->zero, x->zero, x->zero};
    t[0] = (dal_term){.at = still, .rows = DAL_TERM_PHI, .sign = 1.0, .wants = DAL_WANT_M | DAL_WANT_B};
    if (dal_max_abs(d, x->nv) <= 1e-13 * x->ev->length) {
        return 1;
    }
    t[1] = (dal_term){.at = {x->plan.t, q, x->zero, d, y}, .rows = DAL_TERM_R, .sign = 1.0, .wants = bare};
    t[2] = (dal_term){.at = still, .rows = DAL_TERM_R, .sign = -1.0, .wants = bare};
    t[3] =
        (dal_term){.at = {x->plan.t, q, d, x->zero, x->zero}, .rows = DAL_TERM_VEL, .sign = 1.0, .wants = DAL_WANT_Z};
    t[4] = (dal_term){.at = still, .rows = DAL_TERM_VEL, .sign = -1.0, .wants = DAL_WANT_Z};
    return 5;
}

/* Tangents of Euler parameters as in textbooks are those of motions that keep their length (EP.4): positions on the way to the
 * constraints must have it, too. */
static dal_status check_lengths(const dal_variation *x, const double *Phi)
{
    const dal_eval *ev = x->ev;
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int row = ev->row0[c];
        if (ev->sys->constraint[c].kind == DAL_ROWS_TEXTBOOK && fabs(Phi[row]) > 1e-10) {
            char name[96];
            dal_eval_row_name(ev, name, sizeof name, row);
            return dal_fail(x->s->ctx, DAL_EINVAL,
                            "gradients: %s is off by %.1e while positions are made consistent, where equations of "
                            "textbooks are not differentiated: choose positions that the joints allow, or type "
                            "euler_parameters",
                            name, fabs(Phi[row]));
        }
    }
    return DAL_OK;
}

dal_status dal_close_positions(dal_variation *x)
{
    double last = INFINITY;
    x->niterates = 0;
    for (int k = 0; k < DAL_VARIATION_ITERATES && x->plan.position && x->ev->nh > 0; ++k) {
        double *q = x->q + k * x->nq, *rhs = x->s->x;
        const dal_point at = {x->plan.t, q, x->zero, x->zero, x->zero};
        dal_zero(rhs, x->nv + x->nc);
        DAL_TRY(dal_saddle_measure(x->s, &at));
        DAL_TRY(dal_eval_residual(x->ev, &(dal_residual){.Phi = rhs + x->nv}, &at));
        DAL_TRY(check_lengths(x, rhs + x->nv));
        const double gap = dal_scales_gap(&x->s->scales, rhs + x->nv);
        if (k > 0 && (gap <= 1e-15 || (gap <= DAL_POSITION_TOLERANCE && gap > 0.1 * last))) {
            return DAL_OK;
        }
        last = gap;
        for (int i = x->nv; i < x->nv + x->nc; ++i) {
            rhs[i] = -rhs[i];
        }
        DAL_TRY(dal_variation_factor(x, &at, 0));
        dal_variation_solve(x, rhs);
        dal_copy(x->d + k * x->nv, rhs, x->nv);
        dal_copy(x->y + k * x->nc, rhs + x->nv, x->nc);
        dal_retract(x->ev->G, q + x->nq, q, rhs);
        x->niterates = k + 1;
    }
    return x->niterates < DAL_VARIATION_ITERATES
               ? DAL_OK
               : dal_fail(x->s->ctx, DAL_NOCONV, "the position constraints cannot be satisfied at t = %.9g", x->plan.t);
}

dal_status dal_positions_forward(dal_variation *x, double *Y, const double *dp, int count)
{
    const int n = x->nv + x->nc;
    for (int k = 0; k < x->niterates; ++k) {
        const dal_point at = {x->plan.t, x->q + k * x->nq, x->zero, x->zero, x->zero};
        dal_term t[5];
        const int nterms = position_terms(x, t, k);
        dal_zero(x->E, n * count);
        for (int i = 0; i < nterms; ++i) {
            t[i].by.q = Y;
            DAL_TRY(dal_term_forward(x, &t[i], dp, count));
        }
        DAL_TRY(dal_variation_factor(x, &at, 0));
        dal_variation_group(x, x->d + k * x->nv);
        for (int j = 0; j < count; ++j) {
            double *q = Y + j * x->ny;
            dal_variation_solve(x, x->E + j * n);
            dal_copy(x->w, q, x->nv);
            dal_zero(q, x->nv);
            dal_variation_apply(x, q, x->Ad, x->w, 1.0, 0);
            dal_variation_apply(x, q, x->T, x->E + j * n, -1.0, 0);
        }
    }
    return DAL_OK;
}

dal_status dal_positions_adjoint(dal_variation *x, double *Y, double *pbar, int count)
{
    const int n = x->nv + x->nc;
    for (int k = x->niterates - 1; k >= 0; --k) {
        const dal_point at = {x->plan.t, x->q + k * x->nq, x->zero, x->zero, x->zero};
        dal_term t[5];
        const int nterms = position_terms(x, t, k);
        DAL_TRY(dal_variation_factor(x, &at, 0));
        dal_variation_group(x, x->d + k * x->nv);
        dal_zero(x->E, n * count);
        for (int j = 0; j < count; ++j) {
            double *q = Y + j * x->ny;
            dal_variation_apply(x, x->E + j * n, x->T, q, 1.0, 1);
            dal_linsol_solve_transposed(x->s->ls, x->E + j * n);
            dal_copy(x->w, q, x->nv);
            dal_zero(q, x->nv);
            dal_variation_apply(x, q, x->Ad, x->w, 1.0, 1);
        }
        for (int i = 0; i < nterms; ++i) {
            t[i].by.q = Y;
            DAL_TRY(dal_term_adjoint(x, pbar, &t[i], x->E, count));
        }
    }
    return DAL_OK;
}

/* ---- velocities (PR.2) ------------------------------------------------------------------------ */

/* M (v - v^) + B^T y = 0, B v + Phi_t = 0 */
static int velocity_terms(dal_variation *x, dal_term t[3], double *difference)
{
    const double *q = dal_variation_q(x);
    double size = 0.0;
    for (int i = 0; i < x->nv; ++i) {
        difference[i] = x->v[i] - x->given_v[i];
        size = dal_larger(size, fabs(difference[i]));
    }
    const int moved = size > 1e-14 * dal_max_abs(x->v, x->nv);
    t[0] = (dal_term){.at = {x->plan.t, q, x->v, x->zero, x->zero},
                      .rows = DAL_TERM_VEL,
                      .sign = 1.0,
                      .wants = DAL_WANT_Z | DAL_WANT_M};
    t[1] =
        (dal_term){.at = {x->plan.t, q, x->zero, difference, x->y_v}, .rows = DAL_TERM_R, .sign = 1.0, .wants = bare};
    t[2] = (dal_term){.at = {x->plan.t, q, x->zero, x->zero, x->zero}, .rows = DAL_TERM_R, .sign = -1.0, .wants = bare};
    return moved ? 3 : 1;
}

static int has_velocities(const dal_variation *x)
{
    return x->plan.velocity && x->nc > 0;
}

dal_status dal_close_velocities(dal_variation *x)
{
    double *rhs = x->s->x;
    dal_copy(x->v, x->given_v, x->nv);
    dal_zero(x->y_v, x->nc);
    if (!has_velocities(x)) {
        return DAL_OK;
    }
    const dal_point at = {x->plan.t, dal_variation_q(x), x->v, x->zero, x->zero};
    dal_zero(rhs, x->nv + x->nc);
    DAL_TRY(dal_saddle_measure(x->s, &at));
    DAL_TRY(dal_eval_residual(x->ev, &(dal_residual){.vel = rhs + x->nv}, &at));
    for (int i = x->nv; i < x->nv + x->nc; ++i) {
        rhs[i] = -rhs[i];
    }
    DAL_TRY(dal_variation_factor_here(x, 0));
    dal_variation_solve(x, rhs);
    dal_add(x->v, rhs, x->nv);
    dal_copy(x->y_v, rhs + x->nv, x->nc);
    return DAL_OK;
}

/* M v^ for all columns: `answer` of the mass matrix, which the first term has. */
dal_status dal_velocities_forward(dal_variation *x, double *Y, const double *dp, int count)
{
    const int n = x->nv + x->nc, nv = x->nv;
    dal_term t[3];
    if (!has_velocities(x)) {
        return DAL_OK;
    }
    const int nterms = velocity_terms(x, t, x->theta);
    dal_zero(x->E, n * count);
    for (int i = 0; i < nterms; ++i) {
        t[i].by.q = Y;
        DAL_TRY(dal_term_forward(x, &t[i], dp, count));
    }
    DAL_TRY(dal_blocks_at(&x->block, &t[0].at, DAL_WANT_M));
    DAL_TRY(dal_variation_factor_here(x, 0));
    for (int j = 0; j < count; ++j) {
        double *E = x->E + j * n, *v = Y + j * x->ny + nv;
        dal_blocks_product(&x->block, &(dal_rows){.r = E}, &(dal_change){.vd = v}, -1.0);
        dal_variation_solve(x, E);
        dal_negative(v, E, nv);
    }
    return DAL_OK;
}

dal_status dal_velocities_adjoint(dal_variation *x, double *Y, double *pbar, int count)
{
    const int n = x->nv + x->nc, nv = x->nv;
    dal_term t[3];
    if (!has_velocities(x)) {
        return DAL_OK;
    }
    const int nterms = velocity_terms(x, t, x->theta);
    DAL_TRY(dal_blocks_at(&x->block, &t[0].at, DAL_WANT_M));
    DAL_TRY(dal_variation_factor_here(x, 0));
    dal_zero(x->E, n * count);
    for (int j = 0; j < count; ++j) {
        double *E = x->E + j * n, *v = Y + j * x->ny + nv;
        dal_copy(E, v, nv);
        dal_linsol_solve_transposed(x->s->ls, E);
        dal_zero(v, nv);
        dal_blocks_transposed(&x->block, &(dal_change){.vd = v}, &(dal_rows){.r = E}, 1.0);
    }
    for (int i = 0; i < nterms; ++i) {
        t[i].by.q = Y;
        DAL_TRY(dal_term_adjoint(x, pbar, &t[i], x->E, count));
    }
    return DAL_OK;
}

/* ---- accelerations (IN.4) --------------------------------------------------------------------- */

static dal_term acceleration_term(const dal_variation *x, double *Y)
{
    return (dal_term){.at = {x->plan.t, dal_variation_q(x), x->v, x->vd, x->la},
                      .rows = DAL_TERM_R | DAL_TERM_ACC,
                      .sign = 1.0,
                      .wants = DAL_WANT_C | DAL_WANT_K | DAL_WANT_A | DAL_WANT_SHARP,
                      .by = {.q = Y, .v = Y + x->nv}};
}

dal_status dal_accelerations_forward(dal_variation *x, double *Y, const double *dp, int count)
{
    const int n = x->nv + x->nc, nv = x->nv;
    const dal_term t = acceleration_term(x, Y);
    dal_zero(x->E, n * count);
    DAL_TRY(dal_term_forward(x, &t, dp, count));
    DAL_TRY(dal_variation_factor_here(x, 1));
    for (int j = 0; j < count; ++j) {
        dal_variation_solve(x, x->E + j * n);
        dal_negative(Y + j * x->ny + 3 * nv, x->E + j * n, n);
    }
    return DAL_OK;
}

dal_status dal_accelerations_adjoint(dal_variation *x, double *Y, double *pbar, int count)
{
    const int n = x->nv + x->nc, nv = x->nv;
    const dal_term t = acceleration_term(x, Y);
    DAL_TRY(dal_variation_factor_here(x, 1));
    for (int j = 0; j < count; ++j) {
        dal_copy(x->E + j * n, Y + j * x->ny + 3 * nv, n);
        dal_linsol_solve_transposed(x->s->ls, x->E + j * n);
        dal_zero(Y + j * x->ny + 3 * nv, n);
    }
    return dal_term_adjoint(x, pbar, &t, x->E, count);
}
