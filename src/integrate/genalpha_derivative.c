/* Derivatives of the generalized-alpha step: the exact matrix at the converged step, forwards and transposed (GR.3)-(GR.8). */
#include <string.h>

#include "base/vector.h"
#include "integrate/derivative.h"
#include "integrate/genalpha_products.h"
#include "linsol/in_place.h"
#include "linsol/many.h"

/* ---- records ---------------------------------------------------------------------------------- */

/* t, h, then q, v, a, v', lambda, theta, eta. */
enum { TIME, STEP, FIRST };

typedef struct places {
    int q, v, a, vd, la, theta, eta, size;
} places;

static places places_of(const dal_genalpha *ga)
{
    places p = {.q = FIRST};
    p.v = p.q + ga->ev->nq;
    p.a = p.v + ga->nv;
    p.vd = p.a + ga->nv;
    p.la = p.vd + ga->nv;
    p.theta = p.la + ga->nc;
    p.eta = p.theta + ga->nv;
    p.size = p.eta + ga->ne;
    return p;
}

static int size(const dal_integrator *method)
{
    return places_of((const dal_genalpha *)method).size;
}

static void record(const dal_integrator *method, double *x, int end)
{
    const dal_genalpha *ga = (const dal_genalpha *)method;
    const dal_state_buffer *s = end ? method->end : method->current;
    const places p = places_of(ga);
    x[TIME] = s->t;
    x[STEP] = s->h;
    dal_copy(x + p.q, s->q, ga->ev->nq);
    dal_copy(x + p.v, s->v, ga->nv);
    dal_copy(x + p.a, s->a, ga->nv);
    dal_copy(x + p.vd, s->vd, ga->nv);
    dal_copy(x + p.la, s->la, ga->nc);
    dal_copy(x + p.theta, s->theta, ga->nv);
    dal_copy(x + p.eta, s->eta, ga->ne);
}

static dal_point point(const dal_integrator *method, const double *x)
{
    const places p = places_of((const dal_genalpha *)method);
    return (dal_point){x[TIME], x + p.q, x + p.v, x + p.vd, x + p.la};
}

static double *extra(const dal_integrator *method, double *x, int *n)
{
    const dal_genalpha *ga = (const dal_genalpha *)method;
    *n = ga->nv;
    return x ? x + places_of(ga).a : method->current->a;
}

/* ---- the object ------------------------------------------------------------------------------- */

typedef struct ga_derivative {
    dal_genalpha *ga;
    dal_dependence *p;
    dal_variation start;
    dal_blocks at1, eta1, eta0; /* tangents at the end; those of B0^T nu at the start of a step, with and without nu */
    int room, ny;
    double *E;               /* n x room */
    double *Z;               /* ny x room: changes at fixed unknowns, or what is weighed */
    double *Phi, *vel, *law; /* nc: of one column, or its weights */
    double *rows;            /* (3 nc + 2 nv) x room: what numbers do to rows, to B0^T nu and to r */
    double *u, *w, *nu;      /* nv, nv, nc */
    double *Ad;              /* of factors */
    double *F;               /* n: residual at the end */
    dal_arena arena;
} ga_derivative;

struct dal_derivative {
    ga_derivative ga;
};

static void carve(ga_derivative *d, dal_arena *arena)
{
    const dal_genalpha *ga = d->ga;
    d->E = dal_arena_reals(arena, ga->n * d->room);
    d->Z = dal_arena_reals(arena, d->ny * d->room);
    d->rows = dal_arena_reals(arena, (3 * ga->nc + 2 * ga->nv) * d->room);
    d->Phi = dal_arena_reals(arena, ga->nc);
    d->vel = dal_arena_reals(arena, ga->nc);
    d->law = dal_arena_reals(arena, ga->nc);
    d->nu = dal_arena_reals(arena, ga->nc);
    d->u = dal_arena_reals(arena, ga->nv);
    d->w = dal_arena_reals(arena, ga->nv);
    d->Ad = dal_arena_reals(arena, ga->nv * ga->ev->G->max_nv);
    d->F = dal_arena_reals(arena, ga->n);
}

static void destroy(dal_derivative *self)
{
    if (self) {
        ga_derivative *d = &self->ga;
        dal_variation_release(&d->start);
        dal_blocks_release(&d->at1);
        dal_blocks_release(&d->eta1);
        dal_blocks_release(&d->eta0);
        dal_arena_release(&d->arena);
        dal_free(d->arena.ctx, self); // the method may be gone
    }
}

static dal_status set_up(ga_derivative *d, dal_ctx *ctx)
{
    dal_genalpha *ga = d->ga;
    d->arena = dal_arena_init(ctx);
    carve(d, &d->arena);
    DAL_TRY(dal_arena_reserve(&d->arena));
    carve(d, &d->arena);
    DAL_TRY(dal_variation_init(&d->start, ctx, ga->saddle, d->p, d->room));
    DAL_TRY(dal_blocks_init(&d->at1, ctx, ga->ev));
    DAL_TRY(dal_blocks_init(&d->eta1, ctx, ga->ev));
    return dal_blocks_init(&d->eta0, ctx, ga->ev);
}

static dal_status create(dal_derivative **out, dal_ctx *ctx, dal_integrator *method, dal_dependence *p, int room)
{
    dal_genalpha *ga = (dal_genalpha *)method;
    *out = NULL;
    if (ga->opt.kinematics != DAL_KINEMATICS_EXACT || ga->opt.formulation == DAL_FORMULATION_INDEX1 ||
        ga->opt.jacobian != DAL_JACOBIAN_EXACT) {
        return dal_fail(ctx, DAL_EOPTION,
                        "gradients of generalized-alpha need kinematics = exact, jacobian = exact and formulation = "
                        "index3, index2 or ggl");
    }
    dal_derivative *self = dal_alloc_zero(ctx, sizeof *self);
    if (!self) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for derivatives of steps");
    }
    self->ga = (ga_derivative){.ga = ga, .p = p, .room = room, .ny = 4 * ga->nv + ga->nc};
    const dal_status st = set_up(&self->ga, ctx);
    if (st != DAL_OK) {
        destroy(self);
        return st;
    }
    *out = self;
    return DAL_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

static dal_status start(dal_derivative *self, double t, const double *q, const double *v, double h)
{
    const dal_genalpha *ga = self->ga.ga;
    const int perturbed = ga->opt.starting == DAL_STARTING_PERTURBED && ga->opt.formulation == DAL_FORMULATION_INDEX3;
    const dal_start_plan plan = {.t = t,
                                 .h = h,
                                 .position = 1,
                                 .velocity = 1,
                                 .jerk = ga->opt.starting != DAL_STARTING_NAIVE,
                                 .one_sided = ga->opt.start_difference == DAL_DIFFERENCE_FORWARD,
                                 .perturb = perturbed,
                                 .D = ga->c.alpha_m - ga->c.alpha_f,
                                 .C_q = ga->c.C_q,
                                 .C_h = ga->C_h};
    return dal_variation_at(&self->ga.start, &plan, q, v);
}

static dal_status start_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    return dal_variation_forward(&self->ga.start, Y, dp, count);
}

static dal_status start_adjoint(dal_derivative *self, double *Y, double *pbar, int count)
{
    return dal_variation_adjoint(&self->ga.start, Y, pbar, count);
}

/* ---- the step at hand ------------------------------------------------------------------------- */

/* The points at which d(B0^T nu)/dq0 is K: (GR.2). */
static dal_point eta_point(const ga_derivative *d, int with)
{
    const dal_genalpha *ga = d->ga;
    const dal_state_buffer *s0 = ga->base.current;
    const double *zero = ga->saddle->zero;
    return (dal_point){s0->t, s0->q, zero, zero, with ? d->nu : zero};
}

static dal_status eta_tangents(ga_derivative *d)
{
    dal_genalpha *ga = d->ga;
    if (ga->ne == 0) {
        return DAL_OK;
    }
    dal_zero(d->nu, ga->nc);
    for (int c = 0; c < ga->ev->sys->nconstraints; ++c) {
        for (int i = 0; i < ga->ev->sys->constraint[c].nrows && ga->eta0[c] >= 0; ++i) {
            d->nu[ga->ev->row0[c] + i] = ga->x[ga->nv + ga->nc + ga->eta0[c] + i];
        }
    }
    const dal_point with = eta_point(d, 1), without = eta_point(d, 0);
    DAL_TRY(dal_ga_keep_B0_with(ga, &d->eta1, &with));
    return dal_blocks_at(&d->eta0, &without, DAL_WANT_K | DAL_WANT_BARE);
}

static void load(const dal_genalpha *ga, dal_state_buffer *s, const double *x)
{
    const places p = places_of(ga);
    s->t = x[TIME];
    s->h = x[STEP];
    dal_copy(s->q, x + p.q, ga->ev->nq);
    dal_copy(s->v, x + p.v, ga->nv);
    dal_copy(s->a, x + p.a, ga->nv);
    dal_copy(s->vd, x + p.vd, ga->nv);
    dal_copy(s->la, x + p.la, ga->nc);
}

/* The exact matrix at the end of the step, its factors, and the tangents. */
static dal_status factor(ga_derivative *d)
{
    dal_genalpha *ga = d->ga;
    dal_matrix *A = dal_linsol_in_place(ga->base.matrix);
    if (A) {
        DAL_TRY(dal_ga_jacobian_keeping(ga, A, &d->at1));
        if (dal_linsol_factor_in_place(ga->base.matrix)) {
            return DAL_OK;
        }
    }
    DAL_TRY(dal_ga_jacobian_keeping(ga, dal_linsol_matrix(ga->base.matrix), &d->at1));
    return dal_linsol_factor(ga->base.matrix);
}

static dal_status step(dal_derivative *self, const double *from, const double *to)
{
    ga_derivative *d = &self->ga;
    dal_genalpha *ga = d->ga;
    const places p = places_of(ga);
    dal_state_buffer *s0 = ga->base.current, *s1 = ga->trial;
    load(ga, s0, from);
    ga->v0 = s0->v;
    ga->a0 = s0->a;
    ga->vd0 = s0->vd;
    ga->t1 = s1->t = to[TIME];
    s1->h = to[STEP];
    dal_ga_set_step(ga, to[STEP]);
    dal_copy(ga->x, to + p.theta, ga->nv);
    for (int i = 0; i < ga->nc; ++i) {
        ga->x[ga->nv + i] = ga->s * to[p.la + i];
    }
    for (int i = 0; i < ga->ne; ++i) {
        ga->x[ga->nv + ga->nc + i] = ga->h * to[p.eta + i];
    }
    DAL_TRY(eta_tangents(d));
    dal_ga_trial_state(ga);
    DAL_TRY(factor(d));
    ga_find_Ad(ga, d->Ad);
    return DAL_OK;
}

/* ---- rows of the equations (GA.5) ------------------------------------------------------------- */

/* The level of a block of rows: positions, velocities, both, laws. */
enum { LEVEL_POSITION = 1, LEVEL_VELOCITY = 2, LEVEL_BOTH = 3, LEVEL_LAW = 4 };
static int level_of(const dal_genalpha *ga, int c)
{
    const dal_constraint *k = &ga->ev->sys->constraint[c];
    if (k->kind == DAL_ROWS_LAW) {
        return LEVEL_LAW;
    }
    const int position = dal_holds_positions(k) && ga->opt.formulation != DAL_FORMULATION_INDEX2;
    return ga->eta0[c] >= 0 ? LEVEL_BOTH : position ? LEVEL_POSITION : LEVEL_VELOCITY;
}

/* Equations from rows; or weights of rows from weights of equations. */
static void pass_rows(ga_derivative *d, double *E, int transposed)
{
    const dal_genalpha *ga = d->ga;
    for (int c = 0; c < ga->ev->sys->nconstraints; ++c) {
        const int level = level_of(ga, c);
        for (int i = ga->ev->row0[c], k = 0; i < ga->ev->row0[c + 1]; ++i, ++k) {
            double *first = &E[ga->nv + i];
            double *velocity = level == LEVEL_BOTH ? &E[ga->nv + ga->nc + ga->eta0[c] + k] : first;
            if (transposed) {
                d->Phi[i] = level & LEVEL_POSITION ? *first : 0.0;
                d->vel[i] = level & LEVEL_VELOCITY ? ga->s_vel * *velocity : 0.0;
                d->law[i] = level == LEVEL_LAW ? *first : 0.0;
                continue;
            }
            *first = level & LEVEL_POSITION ? d->Phi[i] : level == LEVEL_LAW ? d->law[i] : 0.0;
            if (level & LEVEL_VELOCITY) {
                *velocity = ga->s_vel * d->vel[i];
            }
        }
    }
}

static dal_rows rows_at(const ga_derivative *d, double *r)
{
    const dal_genalpha *ga = d->ga;
    const int velocities = (dal_ga_wants(ga) & DAL_WANT_Z) != 0;
    return (dal_rows){.r = r,
                      .Phi = ga->opt.formulation != DAL_FORMULATION_INDEX2 && ga->nh > 0 ? d->Phi : NULL,
                      .vel = velocities ? d->vel : NULL,
                      .law = ga->ev->nlaws > 0 ? d->law : NULL};
}

static dal_point end_point(const ga_derivative *d)
{
    const dal_state_buffer *s1 = d->ga->trial;
    return (dal_point){d->ga->t1, s1->q, s1->v, s1->vd, s1->la};
}

/* ---- kinematics ------------------------------------------------------------------------------- */

/* Coefficients of c and of v1' in what a step starts with, as dal_ga_set_step has them. */
typedef struct coefficients {
    double cv, ca, da, dvd, av, aa; /* a1 = av (v1 - v0) + aa a0 */
} coefficients;

static coefficients coefficients_of(const dal_genalpha *ga)
{
    const dal_ga_coef c = ga->c;
    const double h = ga->h;
    return (coefficients){.cv = h * (c.beta / c.gamma - 1.0),
                          .ca = h * h * (c.beta * (1.0 - c.gamma) / c.gamma - 0.5 + c.beta),
                          .da = (c.alpha_m - (1.0 - c.alpha_m) * (1.0 - c.gamma) / c.gamma) / (1.0 - c.alpha_f),
                          .dvd = -c.alpha_f / (1.0 - c.alpha_f),
                          .av = 1.0 / (h * c.gamma),
                          .aa = -(1.0 - c.gamma) / c.gamma};
}

/* a1 and v1' of a change from v1: y0 at the start, y at the end, where q and v are there. */
static void finish_change(const dal_genalpha *ga, double *restrict y, const double *restrict y0)
{
    const coefficients k = coefficients_of(ga);
    const int nv = ga->nv;
    const double kv = ga->kv, *v1 = y + nv, *v0 = y0 + nv, *a0 = v0 + nv, *vd0 = a0 + nv;
    double *restrict a = y + 2 * nv, *restrict vd = a + nv;
    for (int i = 0; i < nv; ++i) {
        const double dv = v1[i] - v0[i];
        a[i] = k.av * dv + k.aa * a0[i];
        vd[i] = kv * dv + k.da * a0[i] + k.dvd * vd0[i];
    }
}

/* The change at the end with the unknowns held (GR.4). eta_p: what the numbers do to B0^T nu. */
static void explicit_part(ga_derivative *d, double *y, const double *y0, const double *eta_p)
{
    const dal_genalpha *ga = d->ga;
    const coefficients k = coefficients_of(ga);
    const int nv = ga->nv;
    dal_zero(y, d->ny);
    dal_zero(d->w, nv);
    ga_apply(ga, y, OF_AD, d->Ad, y0, 1.0, 0);
    for (int i = 0; i < nv; ++i) {
        d->u[i] = k.cv * y0[nv + i] + k.ca * y0[2 * nv + i];
    }
    ga_apply(ga, d->w, OF_T, d->Ad, d->u, 1.0, 0);
    if (ga->ne > 0) {
        const dal_rows r = {.r = d->u};
        const dal_change by = {.q = (double *)y0}; // it is read
        dal_copy(d->u, eta_p, nv);
        dal_blocks_product(&d->eta1, &r, &by, 1.0);
        dal_blocks_product(&d->eta0, &r, &by, -1.0);
        for (int i = 0; i < nv; ++i) {
            d->w[i] += ga->lift[i] * d->u[i];
        }
    }
    ga_apply(ga, y + nv, OF_P, d->Ad, d->w, ga->gp, 0);
    finish_change(ga, y, y0);
}

/* ---- forwards (GR.5) -------------------------------------------------------------------------- */

/* rows_p: what the numbers do to rows and to r. */
static void equations(ga_derivative *d, double *E, double *y, const double *rows_p)
{
    const dal_genalpha *ga = d->ga;
    const int nv = ga->nv, nc = ga->nc;
    const dal_rows rows = rows_at(d, E);
    const dal_change by = {y, y + nv, y + 3 * nv, NULL};
    dal_copy(d->Phi, rows_p, nc);
    dal_copy(d->vel, rows_p + nc, nc);
    dal_copy(d->law, rows_p + 2 * nc, nc);
    dal_copy(E, rows_p + 3 * nc + nv, nv);
    dal_blocks_product(&d->at1, &rows, &by, 1.0);
    dal_scale(E, ga->s, nv);
    pass_rows(d, E, 0);
}

/* Products with the numbers, for all columns at once. */
static dal_status numbers(ga_derivative *d, const double *dp, int count)
{
    const dal_genalpha *ga = d->ga;
    const int nv = ga->nv, nc = ga->nc, stride = 3 * nc + 2 * nv;
    const dal_rows wanted = rows_at(d, d->E), rows = {.r = d->rows + 3 * nc + nv,
                                                      .Phi = wanted.Phi ? d->rows : NULL,
                                                      .vel = wanted.vel ? d->rows + nc : NULL,
                                                      .law = wanted.law ? d->rows + 2 * nc : NULL};
    const dal_point at = end_point(d), before = eta_point(d, 1);
    dal_zero(d->rows, stride * count);
    DAL_TRY(dal_dependence_product(d->p, ga->ev, &rows, stride, &at, dp, count));
    return ga->ne > 0 ? dal_dependence_product(d->p, ga->ev, &(dal_rows){.r = d->rows + 3 * nc, .alone = 1}, stride,
                                               &before, dp, count)
                      : DAL_OK;
}

static dal_status step_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    ga_derivative *d = &self->ga;
    const dal_genalpha *ga = d->ga;
    const int nv = ga->nv, nc = ga->nc, stride = 3 * nc + 2 * nv;
    DAL_TRY(numbers(d, dp, count));
    for (int j = 0; j < count; ++j) {
        const double *rows = d->rows + j * stride;
        explicit_part(d, d->Z + j * d->ny, Y + j * d->ny, rows + 3 * nc);
        equations(d, d->E + j * ga->n, d->Z + j * d->ny, rows);
    }
    dal_linsol_solve_many(ga->base.matrix, d->E, count);
    for (int j = 0; j < count; ++j) {
        double *y0 = Y + j * d->ny, *y = d->Z + j * d->ny, *x = d->E + j * ga->n;
        dal_scale(x, -1.0, ga->n);
        ga_apply(ga, y, OF_T, d->Ad, x, 1.0, 0);
        ga_apply(ga, y + nv, OF_N, d->Ad, x, ga->gp, 0);
        dal_zero(d->w, nv);
        ga_apply_B0(ga, d->w, x + nv + nc, 1.0, 0);
        if (ga->ne > 0) {
            ga_apply(ga, y + nv, OF_P, d->Ad, d->w, ga->gp, 0);
        }
        finish_change(ga, y, y0);
        dal_divide(y + 4 * nv, x + nv, ga->s, nc);
        dal_copy(y0, y, d->ny);
    }
    return DAL_OK;
}

/* ---- backwards (GR.6)-(GR.8) ------------------------------------------------------------------ */

/* Weights of the unknowns from those of the end: theta, nu. */
static void weigh_unknowns(ga_derivative *d, double *x, const double *y)
{
    const dal_genalpha *ga = d->ga;
    const coefficients k = coefficients_of(ga);
    const int nv = ga->nv;
    for (int i = 0; i < nv; ++i) {
        d->w[i] = y[nv + i] + k.av * y[2 * nv + i] + ga->kv * y[3 * nv + i];
    }
    dal_zero(x, ga->n);
    ga_apply(ga, x, OF_T, d->Ad, y, 1.0, 1);
    ga_apply(ga, x, OF_N, d->Ad, d->w, ga->gp, 1);
    dal_divide(x + nv, y + 4 * nv, ga->s, ga->nc);
    if (ga->ne > 0) {
        dal_zero(d->u, nv);
        ga_apply(ga, d->u, OF_P, d->Ad, d->w, ga->gp, 1);
        ga_apply_B0(ga, d->u, x + nv + ga->nc, 1.0, 1);
    }
}

/* Weights of the start from those of the end, unknowns held. */
static dal_status weigh_start(ga_derivative *d, double *y0, const double *y, double *pbar)
{
    const dal_genalpha *ga = d->ga;
    const coefficients k = coefficients_of(ga);
    const int nv = ga->nv;
    dal_zero(y0, d->ny);
    dal_zero(d->u, nv);
    for (int i = 0; i < nv; ++i) {
        const double a = y[2 * nv + i], vd = y[3 * nv + i];
        d->w[i] = y[nv + i] + k.av * a + ga->kv * vd;
        y0[nv + i] = -k.av * a - ga->kv * vd;
        y0[2 * nv + i] = k.aa * a + k.da * vd;
        y0[3 * nv + i] = k.dvd * vd;
    }
    ga_apply(ga, y0, OF_AD, d->Ad, y, 1.0, 1);
    ga_apply(ga, d->u, OF_P, d->Ad, d->w, ga->gp, 1);
    dal_zero(d->w, nv);
    ga_apply(ga, d->w, OF_T, d->Ad, d->u, 1.0, 1);
    dal_add_multiple(y0 + nv, d->w, k.cv, nv);
    dal_add_multiple(y0 + 2 * nv, d->w, k.ca, nv);
    if (ga->ne > 0) {
        const dal_rows r = {.r = d->u};
        const dal_change by = {.q = y0};
        const dal_point with = eta_point(d, 1);
        for (int i = 0; i < nv; ++i) {
            d->u[i] *= ga->lift[i];
        }
        dal_blocks_transposed(&d->eta1, &by, &r, 1.0);
        dal_blocks_transposed(&d->eta0, &by, &r, -1.0);
        DAL_TRY(dal_dependence_transposed(d->p, ga->ev, pbar, &with, &(dal_rows){.r = d->u, .alone = 1}, 1.0));
    }
    return DAL_OK;
}

static dal_status step_adjoint(dal_derivative *self, double *Y, double *pbar, double *error, int count)
{
    ga_derivative *d = &self->ga;
    dal_genalpha *ga = d->ga;
    const int nv = ga->nv, np = d->p ? d->p->n : 0;
    const dal_point at = end_point(d);
    if (error) {
        DAL_TRY(ga->problem.explain(ga, d->F)); // the trial state is there
    }
    for (int j = 0; j < count; ++j) {
        double *y = Y + j * d->ny, *psi = d->E, *y0 = d->Z;
        weigh_unknowns(d, psi, y);
        dal_scale(psi, -1.0, ga->n);
        dal_linsol_solve_transposed_many(ga->base.matrix, psi, 1);
        if (error) {
            error[j] -= dal_dot(psi, d->F, ga->n);
        }
        dal_scale(psi, ga->s, nv);
        pass_rows(d, psi, 1);
        const dal_rows rows = rows_at(d, psi);
        const dal_change by = {y, y + nv, y + 3 * nv, NULL};
        dal_blocks_transposed(&d->at1, &by, &rows, 1.0);
        DAL_TRY(dal_dependence_transposed(d->p, ga->ev, pbar + j * np, &at, &rows, 1.0));
        DAL_TRY(weigh_start(d, y0, y, pbar + j * np));
        dal_copy(y, y0, d->ny);
    }
    return DAL_OK;
}

const dal_derivative_type dal_ga_derivative = {.size = size,
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
