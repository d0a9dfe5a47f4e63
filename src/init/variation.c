/* Memory, terms and the whole chain. */
#include "init/variation_impl.h"

/* ---- memory ----------------------------------------------------------------------------------- */

static void carve(dal_variation *x, dal_arena *arena)
{
    const int nv = x->nv, nc = x->nc, n = nv + nc;
    x->q = dal_arena_reals(arena, (DAL_VARIATION_ITERATES + 1) * x->nq);
    x->d = dal_arena_reals(arena, DAL_VARIATION_ITERATES * nv);
    x->y = dal_arena_reals(arena, DAL_VARIATION_ITERATES * nc);
    double **velocities[] = {&x->given_v,   &x->v, &x->vd, &x->part[0], &x->part[1], &x->vdd, &x->l,
                             &x->perturbed, &x->a, &x->v0, &x->theta,   &x->v1,      &x->w};
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; ++i) {
        *velocities[i] = dal_arena_reals(arena, nv);
    }
    double **rows[] = {&x->y_v, &x->la, &x->y_p, &x->mask};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = dal_arena_reals(arena, nc);
    }
    x->z[0] = dal_arena_reals(arena, n);
    x->z[1] = dal_arena_reals(arena, n);
    x->along = dal_arena_reals(arena, 4 * n);
    x->zero = dal_arena_reals(arena, n);
    x->answer = dal_arena_reals(arena, n);
    x->q1 = dal_arena_reals(arena, x->nq);
    x->T = dal_arena_reals(arena, nv * x->ev->G->max_nv);
    x->Ad = dal_arena_reals(arena, nv * x->ev->G->max_nv);
    x->E = dal_arena_reals(arena, n * x->room);
    x->X = dal_arena_reals(arena, 3 * (x->ny + nv) * x->room);
}

dal_status dal_variation_init(dal_variation *x, dal_ctx *ctx, dal_saddle *s, dal_dependence *p, int room)
{
    *x = (dal_variation){.s = s, .ev = s->ev, .p = p, .nv = s->nv, .nc = s->nc, .nq = s->ev->nq, .room = room};
    x->ny = 4 * x->nv + x->nc;
    x->arena = dal_arena_init(ctx);
    carve(x, &x->arena);
    DAL_TRY(dal_arena_reserve(&x->arena));
    carve(x, &x->arena);
    for (int c = 0; c < x->ev->sys->nconstraints; ++c) {
        const dal_row_kind kind = x->ev->sys->constraint[c].kind;
        for (int i = x->ev->row0[c]; i < x->ev->row0[c + 1]; ++i) {
            x->mask[i] = kind == DAL_ROWS_POSITION || kind == DAL_ROWS_TEXTBOOK ? 1.0 : 0.0;
        }
    }
    return dal_blocks_init(&x->block, ctx, x->ev);
}

void dal_variation_release(dal_variation *x)
{
    dal_blocks_release(&x->block);
    dal_arena_release(&x->arena);
}

/* ---- terms ------------------------------------------------------------------------------------ */

static dal_rows rows_of(const dal_variation *x, const dal_term *t, double *y)
{
    double *c = y + x->nv;
    return (dal_rows){.r = t->rows & DAL_TERM_R ? y : NULL,
                      .Phi = t->rows & DAL_TERM_PHI ? c : NULL,
                      .vel = t->rows & DAL_TERM_VEL ? c : NULL,
                      .acc = t->rows & DAL_TERM_ACC ? c : NULL,
                      .law = t->rows & DAL_TERM_ACC && x->ev->nlaws > 0 ? c : NULL,
                      .bare = (t->wants & DAL_WANT_BARE) != 0};
}

/* Equations of positions alone have a value. */
static void clear_rows(const dal_variation *x, const dal_term *t, double *c)
{
    const dal_system *sys = x->ev->sys;
    for (int k = 0; k < sys->nconstraints && (t->rows & DAL_TERM_PHI); ++k) {
        if (!dal_holds_positions(&sys->constraint[k])) {
            dal_zero(c + x->ev->row0[k], sys->constraint[k].nrows);
        }
    }
    for (int i = 0; i < x->nc && t->mask; ++i) {
        c[i] *= t->mask[i];
    }
}

static dal_change column_of(const dal_change *by, int stride, int j)
{
    return (dal_change){by->q ? by->q + j * stride : NULL, by->v ? by->v + j * stride : NULL,
                        by->vd ? by->vd + j * stride : NULL, by->la ? by->la + j * stride : NULL};
}

/* E += its change, for all columns. */
dal_status dal_term_forward(dal_variation *x, const dal_term *t, const double *dp, int count)
{
    const int n = x->nv + x->nc, np = x->p ? x->p->n : 0;
    const dal_rows rows = rows_of(x, t, x->answer);
    DAL_TRY(dal_blocks_at(&x->block, &t->at, t->wants));
    for (int j = 0; j < count; ++j) {
        const dal_change by = column_of(&t->by, x->ny, j);
        dal_zero(x->answer, n);
        dal_blocks_product(&x->block, &rows, &by, 1.0);
        DAL_TRY(dal_dependence_product(x->p, x->ev, &rows, n, &t->at, dp + j * np, 1));
        clear_rows(x, t, x->answer + x->nv);
        dal_add_multiple(x->E + j * n, x->answer, t->sign, n);
    }
    return DAL_OK;
}

/* What its point and p are weighed with, if E is weighed with psi: subtracted. */
dal_status dal_term_adjoint(dal_variation *x, double *pbar, const dal_term *t, const double *psi, int count)
{
    const int n = x->nv + x->nc, np = x->p ? x->p->n : 0;
    const dal_rows rows = rows_of(x, t, x->answer);
    DAL_TRY(dal_blocks_at(&x->block, &t->at, t->wants));
    for (int j = 0; j < count; ++j) {
        const dal_change by = column_of(&t->by, x->ny, j);
        dal_copy(x->answer, psi + j * n, n);
        clear_rows(x, t, x->answer + x->nv);
        dal_blocks_transposed(&x->block, &by, &rows, -t->sign);
        DAL_TRY(dal_dependence_transposed(x->p, x->ev, pbar + j * np, &t->at, &rows, -t->sign));
    }
    return DAL_OK;
}

/* ---- the saddle matrix ------------------------------------------------------------------------ */

dal_status dal_variation_factor(dal_variation *x, const dal_point *at, int with_force)
{
    DAL_TRY(dal_saddle_assemble(x->s, at, with_force));
    return dal_saddle_factor_assembled(x->s, at);
}

/* At the consistent positions: factors are kept. */
dal_status dal_variation_factor_here(dal_variation *x, int with_force)
{
    const int which = with_force && x->ev->iterates ? 2 : 1;
    if (x->factored == which) {
        return DAL_OK;
    }
    x->factored = 0;
    const dal_point at = {x->plan.t, dal_variation_q(x), x->v, x->vd, x->la};
    DAL_TRY(dal_variation_factor(x, &at, with_force));
    x->factored = which;
    return DAL_OK;
}

const double *dal_variation_q(const dal_variation *x)
{
    return x->q + x->niterates * x->nq;
}

/* ---- on the group ----------------------------------------------------------------------------- */

/* T(theta) and Ad(exp(-theta)) = I - hat(theta) T of all factors. */
void dal_variation_group(dal_variation *x, const double *theta)
{
    const dal_group *G = x->ev->G;
    double H[SQUARE], coef[DAL_NCOEF];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int n = F->nv;
        if (F->type->flat) {
            continue;
        }
        double *T = x->T + F->v * G->max_nv, *Ad = x->Ad + F->v * G->max_nv;
        F->type->prepare(coef, theta + F->v, n);
        memset(T, 0, (size_t)(n * n) * sizeof *T);
        F->type->tangent(T, theta + F->v, coef, n);
        F->type->hat(H, theta + F->v, n);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                double sum = i == j;
                for (int k = 0; k < n; ++k) {
                    sum -= H[i + k * n] * T[k + j * n];
                }
                Ad[i + j * n] = sum;
            }
        }
    }
}

/* y += X w, X the matrices T or Ad, or their transposes; scale: of w */
void dal_variation_apply(const dal_variation *x, double *y, const double *X, const double *w, double scale,
                         int transposed)
{
    const dal_group *G = x->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *A = X + F->v * G->max_nv;
        for (int i = 0; i < F->nv; ++i) {
            double sum = F->type->flat ? w[F->v + i] : 0.0;
            for (int j = 0; j < F->nv && !F->type->flat; ++j) {
                sum += (transposed ? A[j + i * F->nv] : A[i + j * F->nv]) * w[F->v + j];
            }
            y[F->v + i] += scale * sum;
        }
    }
}

/* ---- all of it -------------------------------------------------------------------------------- */

dal_status dal_variation_at(dal_variation *x, const dal_start_plan *plan, const double *q, const double *v)
{
    x->plan = *plan;
    x->factored = 0;
    dal_saddle_keep(x->s, 0, 0);
    dal_copy(x->q, q, x->nq);
    dal_copy(x->given_v, v, x->nv);
    DAL_TRY(dal_close_positions(x));
    DAL_TRY(dal_close_velocities(x));
    DAL_TRY(dal_initial_acceleration(x->s, x->vd, x->la, plan->t, dal_variation_q(x), x->v));
    x->factored = 0;
    dal_copy(x->a, x->vd, x->nv);
    dal_copy(x->v0, x->v, x->nv);
    if (plan->jerk) {
        DAL_TRY(dal_find_jerk(x));
        dal_add_multiple(x->a, x->vdd, plan->D * plan->h, x->nv);
    }
    if (dal_perturbs(x)) {
        DAL_TRY(dal_find_perturbation(x));
        dal_add(x->v0, x->perturbed, x->nv);
    }
    return DAL_OK;
}

dal_status dal_variation_forward(dal_variation *x, double *Y, const double *dp, int count)
{
    const int nv = x->nv;
    double *J = x->X + x->ny * x->room; // v'' of the columns, ny apart
    x->factored = 0;
    DAL_TRY(dal_positions_forward(x, Y, dp, count));
    x->factored = 0;
    DAL_TRY(dal_velocities_forward(x, Y, dp, count));
    DAL_TRY(dal_accelerations_forward(x, Y, dp, count));
    for (int j = 0; j < count; ++j) {
        dal_copy(Y + j * x->ny + 2 * nv, Y + j * x->ny + 3 * nv, nv);
    }
    if (!x->plan.jerk) {
        return DAL_OK;
    }
    DAL_TRY(dal_jerk_forward(x, J, Y, dp, count));
    for (int j = 0; j < count; ++j) {
        dal_add_multiple(Y + j * x->ny + 2 * nv, J + j * x->ny, x->plan.D * x->plan.h, nv);
    }
    return dal_perturbs(x) ? dal_perturbation_forward(x, Y, J, dp, count) : DAL_OK;
}

dal_status dal_variation_adjoint(dal_variation *x, double *Y, double *pbar, int count)
{
    const int nv = x->nv;
    double *J = x->X + x->ny * x->room;
    x->factored = 0;
    dal_zero(J, x->ny * count);
    for (int j = 0; j < count; ++j) { // a = v' + D h v''
        double *y = Y + j * x->ny;
        dal_add(y + 3 * nv, y + 2 * nv, nv);
        dal_add_multiple(J + j * x->ny, y + 2 * nv, x->plan.D * x->plan.h, nv);
        dal_zero(y + 2 * nv, nv);
    }
    if (dal_perturbs(x)) {
        DAL_TRY(dal_perturbation_adjoint(x, Y, J, pbar, count));
    }
    if (x->plan.jerk) {
        DAL_TRY(dal_jerk_adjoint(x, Y, pbar, J, count));
    }
    DAL_TRY(dal_accelerations_adjoint(x, Y, pbar, count));
    DAL_TRY(dal_velocities_adjoint(x, Y, pbar, count));
    x->factored = 0;
    return dal_positions_adjoint(x, Y, pbar, count);
}
