/* Derivatives of the Lobatto step: all stages together (GR.16), the end on the constraints as a start is brought there. The matrix
 * of Newton's method is not quite that of the equations (LB.7): it corrects, products with the exact one tell what is left. */
#include "base/vector.h"
#include "integrate/lobatto_derivative_impl.h"

/* ---- records: t, h, then q, v, v', lambda, multipliers that the next step begins with, unknowns of the step that led here -- */

enum { TIME, STEP, FIRST };

static int size(const dal_integrator *method)
{
    const dal_lobatto *lb = (const dal_lobatto *)method;
    return FIRST + lb->nq + 2 * lb->nv + 2 * lb->nc + lb->n;
}

static dal_point point(const dal_integrator *method, const double *x)
{
    const dal_lobatto *lb = (const dal_lobatto *)method;
    const double *v = x + FIRST + lb->nq;
    return (dal_point){x[TIME], x + FIRST, v, v + lb->nv, v + 2 * lb->nv};
}

static void record(const dal_integrator *method, double *x, int end)
{
    const dal_lobatto *lb = (const dal_lobatto *)method;
    const dal_state_buffer *s = end ? method->end : method->current;
    double *v = x + FIRST + lb->nq, *la = v + 2 * lb->nv;
    x[TIME] = s->t;
    x[STEP] = s->h;
    dal_copy(x + FIRST, s->q, lb->nq);
    dal_copy(v, s->v, lb->nv);
    dal_copy(v + lb->nv, s->vd, lb->nv);
    dal_copy(la, s->la, lb->nc);
    dal_copy(la + lb->nc, dal_lb_carried(lb, s), lb->nc);
    dal_copy(la + 2 * lb->nc, lb->x, lb->n);
}

static double *extra(const dal_integrator *method, double *x, int *n)
{
    const dal_lobatto *lb = (const dal_lobatto *)method;
    *n = lb->nc;
    return x ? x + FIRST + lb->nq + 2 * lb->nv + lb->nc : dal_lb_carried(lb, method->current);
}

/* ---- the object ------------------------------------------------------------------------------- */

static void carve_answers(answers *a, dal_arena *arena, int nv, int nc)
{
    a->r = dal_arena_reals(arena, nv + 3 * nc);
    a->Phi = a->r ? a->r + nv : NULL;
    a->vel = a->r ? a->Phi + nc : NULL;
    a->acc = a->r ? a->vel + nc : NULL;
}

static void carve(lb_derivative *d, dal_arena *arena)
{
    const dal_lobatto *lb = d->lb;
    const dal_group *G = lb->ev->G;
    const int s = lb->s, nv = lb->nv, nc = lb->nc, most = s * G->max_nv;
    d->T = dal_arena_reals(arena, (s + 1) * d->width);
    d->Ad = dal_arena_reals(arena, (s + 1) * d->width);
    d->X = dal_arena_take(arena, (size_t)G->nfactors, sizeof *d->X);
    for (int f = 0; f < G->nfactors; ++f) {
        const int m = s * G->factor[f].nv;
        double *X = G->factor[f].type->flat ? NULL : dal_arena_reals(arena, m * m);
        if (d->X) {
            d->X[f] = X;
        }
    }
    d->inverse = dal_arena_reals(arena, G->flat ? 0 : most * most);
    d->rates = dal_arena_reals(arena, G->flat ? 0 : most * most);
    d->Ti = dal_arena_reals(arena, G->max_nv * G->max_nv);
    d->D = dal_arena_reals(arena, G->max_nv * G->max_nv);
    double **stages[] = {&d->dV, &d->dL, &d->dtheta, &d->dq};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
        *stages[i] = dal_arena_reals(arena, nv * s);
    }
    d->origin = dal_arena_reals(arena, nv);
    d->dvd = dal_arena_reals(arena, nv);
    d->dla = dal_arena_reals(arena, nc);
    carve_answers(&d->one, arena, nv, nc);
    d->all.r = dal_arena_reals(arena, (nv + 3 * nc) * d->room);
    d->E = dal_arena_reals(arena, lb->n * d->room);
    d->F = dal_arena_reals(arena, lb->n);
    d->x = dal_arena_reals(arena, lb->n);
    d->b = dal_arena_reals(arena, lb->n);
    d->W = dal_arena_reals(arena, d->ny * d->room);
    d->force = dal_arena_take(arena, (size_t)s, sizeof *d->force);
    d->vl = dal_arena_take(arena, (size_t)s, sizeof *d->vl);
}

static void destroy(dal_derivative *self)
{
    lb_derivative *d = (lb_derivative *)self;
    if (d) {
        for (int i = 0; i < d->nblocks; ++i) {
            dal_blocks_release(&d->force[i]);
            dal_blocks_release(&d->vl[i]);
        }
        dal_variation_release(&d->at);
        dal_arena_release(&d->arena);
        dal_free(d->arena.ctx, d); // the method may be gone
    }
}

static dal_status set_up(lb_derivative *d, dal_ctx *ctx, dal_dependence *p)
{
    const int nv = d->lb->nv, nc = d->lb->nc;
    d->arena = dal_arena_init(ctx);
    carve(d, &d->arena);
    DAL_TRY(dal_arena_reserve(&d->arena));
    carve(d, &d->arena);
    d->all.Phi = d->all.r + nv;
    d->all.vel = d->all.Phi + nc;
    d->all.acc = d->all.vel + nc;
    for (int i = 0; i < d->lb->s; ++i) {
        d->force[i] = d->vl[i] = (dal_blocks){0};
    }
    d->nblocks = d->lb->s;
    for (int i = 0; i < d->lb->s; ++i) {
        DAL_TRY(dal_blocks_init(&d->force[i], ctx, d->lb->ev));
        DAL_TRY(dal_blocks_init(&d->vl[i], ctx, d->lb->ev));
    }
    return dal_variation_init(&d->at, ctx, d->lb->saddle, p, d->room);
}

static dal_status create(dal_derivative **out, dal_ctx *ctx, dal_integrator *method, dal_dependence *p, int room)
{
    dal_lobatto *lb = (dal_lobatto *)method;
    *out = NULL;
    if (lb->ev->nlaws > 0) {
        return dal_fail(
            ctx, DAL_EOPTION,
            "gradients of integrator = lobatto do not know multipliers that obey laws (friction in joints): "
            "choose integrator = genalpha");
    }
    lb_derivative *d = dal_alloc_zero(ctx, sizeof *d);
    if (!d) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for derivatives of steps");
    }
    *d = (lb_derivative){.lb = lb, .room = room, .ny = 4 * lb->nv + lb->nc, .width = lb->nv * lb->ev->G->max_nv};
    const dal_status st = set_up(d, ctx, p);
    if (st != DAL_OK) {
        destroy((dal_derivative *)d);
        return st;
    }
    *out = (dal_derivative *)d;
    return DAL_OK;
}

/* ---- start, end ------------------------------------------------------------------------------- */

/* Multipliers that the next step begins with have the place of a, which the method has not. */
static dal_status start(dal_derivative *self, double t, const double *q, const double *v, double h)
{
    const dal_start_plan plan = {.t = t, .h = h, .position = 1, .velocity = 1};
    return dal_variation_at(&((lb_derivative *)self)->at, &plan, q, v);
}

static void carry_forward(const lb_derivative *d, double *y)
{
    dal_copy(y + 2 * d->lb->nv, y + 4 * d->lb->nv, d->lb->nc);
}

static void carry_adjoint(const lb_derivative *d, double *y)
{
    dal_add(y + 4 * d->lb->nv, y + 2 * d->lb->nv, d->lb->nc);
    dal_zero(y + 2 * d->lb->nv, d->lb->nv);
}

static dal_status start_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    lb_derivative *d = (lb_derivative *)self;
    DAL_TRY(dal_variation_forward(&d->at, Y, dp, count));
    for (int j = 0; j < count; ++j) {
        carry_forward(d, Y + j * d->ny);
    }
    return DAL_OK;
}

static dal_status start_adjoint(dal_derivative *self, double *Y, double *pbar, int count)
{
    lb_derivative *d = (lb_derivative *)self;
    for (int j = 0; j < count; ++j) {
        carry_adjoint(d, Y + j * d->ny);
    }
    return dal_variation_adjoint(&d->at, Y, pbar, count);
}

/* ---- the step at hand ------------------------------------------------------------------------- */

/* Values at all stages from the unknowns of a record, to rounding; the residual. */
static dal_status find_stages(lb_derivative *d, const double *from, const double *to)
{
    enum { SWEEPS = 8 };
    dal_lobatto *lb = d->lb;
    dal_state_buffer *s0 = lb->base.current;
    const dal_point at = point(&lb->base, from);
    s0->t = at.t;
    dal_copy(s0->q, at.q, lb->nq);
    dal_copy(s0->v, at.v, lb->nv);
    dal_copy(s0->vd, at.vd, lb->nv);
    dal_copy(s0->la, at.la, lb->nc);
    dal_copy(dal_lb_carried(lb, s0), at.la + lb->nc, lb->nc);
    dal_copy(lb->x, point(&lb->base, to).la + 2 * lb->nc, lb->n);
    lb->from = s0;
    lb->h = to[STEP];
    lb->t1 = to[TIME];
    dal_copy(lb->q, s0->q, lb->nq);
    for (int k = 0; k < SWEEPS; ++k) { // rotations within the step go on from where they were
        DAL_TRY(lb->problem.residual(lb, d->F));
    }
    return DAL_OK;
}

static dal_status step(dal_derivative *self, const double *from, const double *to)
{
    lb_derivative *d = (lb_derivative *)self;
    dal_lobatto *lb = d->lb;
    const unsigned force = lb->ev->sys->lambda_in_g ? DAL_WANT_G : 0U;
    DAL_TRY(find_stages(d, from, to));
    for (int i = 0; i < lb->s; ++i) {
        const dal_point at = dal_lb_force_point(d, i), held = dal_lb_velocity_point(d, i);
        const unsigned first = i == 0 && lb->singular_mass && lb->nc > 0 ? DAL_WANT_A : 0U;
        DAL_TRY(dal_blocks_at(&d->force[i], &at, DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | force | first));
        if (i > 0 && lb->nc > 0) {
            DAL_TRY(dal_blocks_at(&d->vl[i], &held, DAL_WANT_B | DAL_WANT_Z));
        }
        dal_variation_group(&d->at, lb->theta + i * lb->nv);
        dal_copy(d->T + i * d->width, d->at.T, d->width);
        dal_copy(d->Ad + i * d->width, d->at.Ad, d->width);
    }
    if (lb->mid) {
        dal_negative(d->origin, lb->theta, lb->nv);
        dal_variation_group(&d->at, d->origin);
        dal_copy(d->T + lb->s * d->width, d->at.T, d->width);
        dal_copy(d->Ad + lb->s * d->width, d->at.Ad, d->width);
    }
    for (int f = 0; f < lb->ev->G->nfactors; ++f) {
        if (d->X[f]) {
            dal_lb_find_rates(d, f);
        }
    }
    DAL_TRY(dal_lb_jacobian(lb, dal_linsol_matrix(lb->base.matrix)));
    dal_newton_invalidate(&lb->newton);
    DAL_TRY(dal_linsol_factor(lb->base.matrix));
    const dal_start_plan plan = {.t = lb->t1, .h = lb->h, .position = !lb->mid, .velocity = !lb->mid};
    const int last = lb->s - 1;
    return dal_variation_at(&d->at, &plan, lb->q + last * lb->nq, lb->L + last * lb->nv);
}

/* ---- the step --------------------------------------------------------------------------------- */

/* Is the multiplier of the last stage what the next step begins with (1), or none (0)? -1: that of the end. */
static int carries(const dal_lobatto *lb, int c)
{
    return lb->opt.lambda == DAL_LAMBDA_CONSISTENT ? -1 : dal_lb_held(lb, c) ? 0 : 1;
}

/* Multipliers of the end and those that are carried, from those of the last stage. */
static void end_multipliers(const lb_derivative *d, double *y, const double *x)
{
    const dal_lobatto *lb = d->lb;
    const double *mu = x + lb->nv * lb->s + lb->nc * (lb->s - 1);
    double *carried = y + 2 * lb->nv, *la = y + 4 * lb->nv;
    dal_zero(carried, lb->nv);
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        const int how = carries(lb, c);
        for (int k = lb->ev->row0[c]; k < lb->ev->row0[c + 1]; ++k) {
            carried[k] = how < 0 ? la[k] : how * mu[k] / lb->h;
            la[k] = lb->opt.lambda == DAL_LAMBDA_CARRIED ? mu[k] / lb->h : la[k];
        }
    }
}

static void end_multipliers_adjoint(const lb_derivative *d, double *y, double *x)
{
    const dal_lobatto *lb = d->lb;
    double *mu = x + lb->nv * lb->s + lb->nc * (lb->s - 1), *carried = y + 2 * lb->nv, *la = y + 4 * lb->nv;
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        const int how = carries(lb, c);
        for (int k = lb->ev->row0[c]; k < lb->ev->row0[c + 1]; ++k) {
            mu[k] += how > 0 ? carried[k] / lb->h : 0.0;
            if (lb->opt.lambda == DAL_LAMBDA_CARRIED) {
                mu[k] += la[k] / lb->h;
                la[k] = 0.0;
            }
            la[k] += how < 0 ? carried[k] : 0.0;
        }
    }
    dal_zero(carried, lb->nv);
}

static dal_status step_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    lb_derivative *d = (lb_derivative *)self;
    const dal_lobatto *lb = d->lb;
    const int nv = lb->nv, n = lb->n, last = (lb->s - 1) * nv;
    for (int j = 0; j < count; ++j) {
        dal_zero(d->x, n);
        dal_lb_rows_forward(d, d->E + j * n, d->x, Y + j * d->ny);
    }
    DAL_TRY(dal_lb_numbers_forward(d, dp, count));
    for (int j = 0; j < count; ++j) {
        double *x = d->E + j * n, *y = Y + j * d->ny;
        dal_scale(x, -1.0, n);
        DAL_TRY(dal_lb_solve_stages(d, x, d->W, 0));
        dal_lb_stages_forward(d, x, y);
        dal_copy(y, d->dq + last, nv);
        dal_copy(y + nv, d->dL + last, nv);
    }
    DAL_TRY(dal_variation_forward(&d->at, Y, dp, count));
    for (int j = 0; j < count; ++j) {
        end_multipliers(d, Y + j * d->ny, d->E + j * n);
    }
    return DAL_OK;
}

static dal_status step_adjoint(dal_derivative *self, double *Y, double *pbar, double *error, int count)
{
    lb_derivative *d = (lb_derivative *)self;
    const dal_lobatto *lb = d->lb;
    const int nv = lb->nv, n = lb->n, last = (lb->s - 1) * nv, np = d->at.p ? d->at.p->n : 0;
    dal_zero(d->E, n * count);
    for (int j = 0; j < count; ++j) {
        end_multipliers_adjoint(d, Y + j * d->ny, d->E + j * n);
    }
    DAL_TRY(dal_variation_adjoint(&d->at, Y, pbar, count));
    for (int j = 0; j < count; ++j) {
        double *psi = d->E + j * n, *y = Y + j * d->ny, *y0 = d->W + j * d->ny;
        dal_zero(y0, d->ny);
        dal_zero(d->dq, nv * lb->s);
        dal_zero(d->dV, nv * lb->s);
        dal_zero(d->dL, nv * lb->s);
        dal_copy(d->dq + last, y, nv);
        dal_copy(d->dL + last, y + nv, nv);
        dal_lb_stages_adjoint(d, psi, y0);
        dal_scale(psi, -1.0, n);
        DAL_TRY(dal_lb_solve_stages(d, psi, y, 1));
        if (error) {
            error[j] -= dal_dot(psi, d->F, n);
        }
        dal_zero(d->x, n);
        dal_lb_rows_adjoint(d, d->x, y0, psi);
        DAL_TRY(dal_lb_numbers_adjoint(d, pbar + j * np, psi));
        dal_copy(y, y0, d->ny);
    }
    return DAL_OK;
}

const dal_derivative_type dal_lb_derivative = {.size = size,
                                               .record = record,
                                               .create = create,
                                               .destroy = destroy,
                                               .start = start,
                                               .start_forward = start_forward,
                                               .start_adjoint = start_adjoint,
                                               .step = step,
                                               .step_forward = step_forward,
                                               .step_adjoint = step_adjoint,
                                               .point = point,
                                               .extra = extra};
