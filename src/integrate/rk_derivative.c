/* Derivatives of the explicit Runge-Kutta step: stage by stage (GR.13), and its end on the constraints (GR.14). A stage, the end and
 * the start of a run are parts of one chain (init/variation.h): accelerations that belong to a position and a velocity. */
#include "base/vector.h"
#include "init/terms.h"
#include "integrate/derivative.h"
#include "integrate/rk_impl.h"

/* ---- records: t, h, then q, v, v', lambda ----------------------------------------------------- */

enum { TIME, STEP, FIRST };

static int size(const dal_integrator *method)
{
    const dal_rk *rk = (const dal_rk *)method;
    return FIRST + rk->nq + 2 * rk->nv + rk->nc;
}

static dal_point point(const dal_integrator *method, const double *x)
{
    const dal_rk *rk = (const dal_rk *)method;
    const double *v = x + FIRST + rk->nq;
    return (dal_point){x[TIME], x + FIRST, v, v + rk->nv, v + 2 * rk->nv};
}

static void record(const dal_integrator *method, double *x, int end)
{
    const dal_rk *rk = (const dal_rk *)method;
    const dal_state_buffer *s = end ? method->end : method->current;
    double *v = x + FIRST + rk->nq;
    x[TIME] = s->t;
    x[STEP] = s->h;
    dal_copy(x + FIRST, s->q, rk->nq);
    dal_copy(v, s->v, rk->nv);
    dal_copy(v + rk->nv, s->vd, rk->nv);
    dal_copy(v + 2 * rk->nv, s->la, rk->nc);
}

static double *extra(const dal_integrator *method, double *x, int *n)
{
    (void)method, (void)x;
    *n = 0;
    return NULL;
}

/* ---- the object ------------------------------------------------------------------------------- */

typedef struct rk_derivative {
    dal_rk *rk;
    dal_variation at;     /* of a stage, of the end, of the start */
    dal_blocks last, end; /* M and B at the last stage, B at the end */
    int room, ny, n;      /* n: 2 nv */
    double t0, t1, h;
    double *Q, *y;            /* (s + 1): positions; (theta, v) of stages and of the end before it is projected */
    double *d, *y_d;          /* (GR.14) */
    double *K;                /* 2 nv x (s + 1) x room: changes of slopes, or their weights */
    double *Z, *S, *W;        /* ny x room: changes at a stage, at the last stage, at the end */
    double *Ti, *D;           /* of factors: T^-1, d(T u)/dtheta */
    double *A, *x, *b;        /* nv + nc: of the solutions of (GR.14) */
    double *tied, *free_rows; /* nc: 1 for rows of positions; for the others */
    dal_arena arena;
} rk_derivative;

static void carve(rk_derivative *d, dal_arena *arena)
{
    const dal_rk *rk = d->rk;
    const int s = rk->table->stages, nv = rk->nv, nc = rk->nc;
    d->Q = dal_arena_reals(arena, (s + 1) * rk->nq);
    d->y = dal_arena_reals(arena, (s + 1) * d->n);
    d->d = dal_arena_reals(arena, nv + nc);
    d->K = dal_arena_reals(arena, d->n * (s + 1) * d->room);
    double **changes[] = {&d->Z, &d->S, &d->W};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        *changes[i] = dal_arena_reals(arena, d->ny * d->room);
    }
    d->Ti = dal_arena_reals(arena, nv * rk->ev->G->max_nv);
    d->D = dal_arena_reals(arena, nv * rk->ev->G->max_nv);
    d->A = dal_arena_reals(arena, nv + nc);
    d->x = dal_arena_reals(arena, nv + nc);
    d->b = dal_arena_reals(arena, 2 * nv + nc);
    d->tied = dal_arena_reals(arena, nc);
    d->free_rows = dal_arena_reals(arena, nc);
    d->y_d = d->d + nv;
}

static void destroy(dal_derivative *self)
{
    rk_derivative *d = (rk_derivative *)self;
    if (d) {
        dal_variation_release(&d->at);
        dal_blocks_release(&d->last);
        dal_blocks_release(&d->end);
        dal_arena_release(&d->arena);
        dal_free(d->arena.ctx, d); // the method may be gone
    }
}

static dal_status set_up(rk_derivative *d, dal_ctx *ctx, dal_dependence *p)
{
    dal_eval *ev = d->rk->ev;
    d->arena = dal_arena_init(ctx);
    carve(d, &d->arena);
    DAL_TRY(dal_arena_reserve(&d->arena));
    carve(d, &d->arena);
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int tied = dal_holds_positions(&ev->sys->constraint[c]);
        for (int i = ev->row0[c]; i < ev->row0[c + 1]; ++i) {
            d->tied[i] = tied ? 1.0 : 0.0;
            d->free_rows[i] = tied ? 0.0 : 1.0;
        }
    }
    DAL_TRY(dal_variation_init(&d->at, ctx, d->rk->saddle, p, d->room));
    DAL_TRY(dal_blocks_init(&d->last, ctx, ev));
    return dal_blocks_init(&d->end, ctx, ev);
}

static dal_status create(dal_derivative **out, dal_ctx *ctx, dal_integrator *method, dal_dependence *p, int room)
{
    dal_rk *rk = (dal_rk *)method;
    *out = NULL;
    rk_derivative *d = dal_alloc_zero(ctx, sizeof *d);
    if (!d) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for derivatives of steps");
    }
    *d = (rk_derivative){.rk = rk, .room = room, .n = 2 * rk->nv, .ny = 4 * rk->nv + rk->nc};
    const dal_status st = set_up(d, ctx, p);
    if (st != DAL_OK) {
        destroy((dal_derivative *)d);
        return st;
    }
    *out = (dal_derivative *)d;
    return DAL_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

static dal_status start(dal_derivative *self, double t, const double *q, const double *v, double h)
{
    const dal_start_plan plan = {.t = t, .h = h, .position = 1, .velocity = 1};
    return dal_variation_at(&((rk_derivative *)self)->at, &plan, q, v);
}

static dal_status start_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    return dal_variation_forward(&((rk_derivative *)self)->at, Y, dp, count);
}

static dal_status start_adjoint(dal_derivative *self, double *Y, double *pbar, int count)
{
    return dal_variation_adjoint(&((rk_derivative *)self)->at, Y, pbar, count);
}

/* ---- the step at hand ------------------------------------------------------------------------- */

static const double *theta_of(const rk_derivative *d, int i)
{
    return d->y + i * d->n;
}

/* The step once more, with its stages. */
static dal_status step(dal_derivative *self, const double *from, const double *to)
{
    rk_derivative *d = (rk_derivative *)self;
    dal_rk *rk = d->rk;
    const int s = rk->table->stages;
    const dal_group *G = rk->ev->G;
    dal_state_buffer *s0 = rk->base.current;
    const dal_point at = point(&rk->base, from);
    s0->t = at.t;
    dal_copy(s0->q, at.q, rk->nq);
    dal_copy(s0->v, at.v, rk->nv);
    dal_copy(s0->vd, at.vd, rk->nv);
    dal_copy(s0->la, at.la, rk->nc);
    d->t0 = at.t;
    d->t1 = to[TIME];
    d->h = to[STEP];
    DAL_TRY(dal_rk_step(rk, s0, d->h, d->t1));
    dal_copy(d->y + s * d->n, rk->y, d->n);
    for (int i = 1; i <= s; ++i) {
        if (i < s) {
            dal_rk_combine(rk, d->y + i * d->n, rk->y0, d->h, &rk->table->row[i], rk->slope);
        }
        dal_retract(G, d->Q + i * rk->nq, s0->q, theta_of(d, i));
    }
    if (rk->ev->nh == 0) {
        return DAL_OK;
    }
    // (GR.14): d, and y with M_s d + B_s^T y = 0
    const dal_point last = {d->t1, d->Q + (s - 1) * rk->nq, d->at.zero, d->at.zero, d->at.zero};
    const dal_point end = {d->t1, rk->trial->q, d->at.zero, d->at.zero, d->at.zero};
    DAL_TRY(dal_blocks_at(&d->last, &last, DAL_WANT_M | DAL_WANT_B));
    DAL_TRY(dal_blocks_at(&d->end, &end, DAL_WANT_B));
    DAL_TRY(dal_variation_factor(&d->at, &last, 0));
    dal_zero(d->d, rk->nv + rk->nc);
    dal_difference(G, d->at.theta, d->Q + s * rk->nq, rk->trial->q);
    dal_blocks_product(&d->last, &(dal_rows){.Phi = d->y_d}, &(dal_change){.q = d->at.theta}, 1.0);
    dal_variation_solve(&d->at, d->d);
    return DAL_OK;
}

static double time_of(const rk_derivative *d, int i)
{
    const dal_rk_table *T = d->rk->table;
    return i >= T->stages - 1 ? d->t1 : d->t0 + T->row[i].c * d->h;
}

/* Accelerations that belong to stage i, or to the end of the step (i = s), where velocities are projected. */
static dal_status look_at(rk_derivative *d, int i)
{
    const dal_rk *rk = d->rk;
    const int end = i == rk->table->stages;
    const dal_start_plan plan = {.t = time_of(d, i), .h = d->h, .velocity = end};
    return dal_variation_at(&d->at, &plan, end ? rk->trial->q : d->Q + i * rk->nq, theta_of(d, i) + rk->nv);
}

/* T, Ad, T^-1 and d(T u)/dtheta with u = theta' of stage i. */
static void turn_to(rk_derivative *d, int i)
{
    const dal_rk *rk = d->rk;
    const dal_group *G = rk->ev->G;
    const double *theta = theta_of(d, i), *u = rk->slope + i * d->n;
    double coef[DAL_NCOEF];
    dal_variation_group(&d->at, theta);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        double *Ti = d->Ti + F->v * G->max_nv, *D = d->D + F->v * G->max_nv;
        if (F->type->flat) {
            continue;
        }
        dal_zero(Ti, F->nv * F->nv);
        dal_zero(D, F->nv * F->nv);
        F->type->prepare(coef, theta + F->v, F->nv);
        F->type->inv_tangent(Ti, theta + F->v, coef, F->nv);
        F->type->dtangent(D, theta + F->v, u + F->v, coef, F->nv);
    }
}

/* y += scale X w; matrices of flat factors are the identity for T, nothing for D */
static void apply_D(const rk_derivative *d, double *y, const double *w, double scale, int transposed)
{
    const dal_group *G = d->rk->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *X = d->D + F->v * G->max_nv;
        for (int i = 0; i < F->nv && !F->type->flat; ++i) {
            for (int j = 0; j < F->nv; ++j) {
                y[F->v + i] += scale * (transposed ? X[j + i * F->nv] : X[i + j * F->nv]) * w[F->v + j];
            }
        }
    }
}

/* ---- on the constraints (GR.14) --------------------------------------------------------------- */

static void weigh_rows(double *y, const double *x, const double *w, int n)
{
    for (int i = 0; i < n; ++i) {
        y[i] = x[i] * w[i];
    }
}

/* A x = [[M_s, B_s^T], [B(q*) T(d), 0]] x, or A^T x; rows that are not of positions have B_s. T(d) is that of `at`. */
static void product(rk_derivative *d, double *y, double *x, int transposed)
{
    const int nv = d->rk->nv, nc = d->rk->nc;
    double *w = d->b, *rows = d->b + nv;
    dal_zero(y, nv + nc);
    if (!transposed) {
        dal_blocks_product(&d->last, &(dal_rows){.r = y}, &(dal_change){.vd = x, .la = x + nv}, 1.0);
        dal_zero(w, nv + nc);
        dal_variation_apply(&d->at, w, d->at.T, x, 1.0, 0);
        dal_blocks_product(&d->end, &(dal_rows){.Phi = rows}, &(dal_change){.q = w}, 1.0);
        weigh_rows(y + nv, rows, d->tied, nc);
        dal_zero(rows, nc);
        dal_blocks_product(&d->last, &(dal_rows){.Phi = rows}, &(dal_change){.q = x}, 1.0);
        weigh_rows(rows, rows, d->free_rows, nc);
        dal_add(y + nv, rows, nc);
        return;
    }
    dal_blocks_transposed(&d->last, &(dal_change){.vd = y, .la = y + nv}, &(dal_rows){.r = x}, 1.0);
    dal_zero(w, nv);
    weigh_rows(rows, x + nv, d->tied, nc);
    dal_blocks_transposed(&d->end, &(dal_change){.q = w}, &(dal_rows){.Phi = rows}, 1.0);
    dal_variation_apply(&d->at, y, d->at.T, w, 1.0, 1);
    weigh_rows(rows, x + nv, d->free_rows, nc);
    dal_blocks_transposed(&d->last, &(dal_change){.q = y}, &(dal_rows){.Phi = rows}, 1.0);
}

/* b := A^-1 b, or A^-T b: the matrix of the last stage is close, and corrections go on to rounding. */
static void solve_end(rk_derivative *d, double *b, int transposed)
{
    enum { MOST = 20 };
    const int n = d->rk->nv + d->rk->nc;
    double last = INFINITY;
    dal_zero(d->x, n);
    for (int k = 0; k < MOST; ++k) {
        product(d, d->A, d->x, transposed);
        for (int i = 0; i < n; ++i) {
            d->A[i] = b[i] - d->A[i];
        }
        if (transposed) {
            dal_linsol_solve_transposed(d->at.s->ls, d->A);
        } else {
            dal_variation_solve(&d->at, d->A);
        }
        const double by = dal_max_abs(d->A, n);
        if (!(by < 0.5 * last)) {
            break;
        }
        last = by;
        dal_add(d->x, d->A, n);
    }
    dal_copy(b, d->x, n);
}

/* M_s d + B_s^T y = 0 and Phi(q*) = 0: what changes with the last stage, with the end, with the numbers. */
static int end_terms(rk_derivative *d, dal_term t[5])
{
    const double *q = d->Q + (d->rk->table->stages - 1) * d->rk->nq, *zero = d->at.zero;
    const dal_point still = {d->t1, q, zero, zero, zero};
    const dal_change by = {.q = d->S};
    const unsigned bare = DAL_WANT_K | DAL_WANT_BARE;
    t[0] = (dal_term){.at = {d->t1, d->rk->trial->q, zero, zero, zero},
                      .rows = DAL_TERM_PHI,
                      .sign = 1.0,
                      .wants = DAL_WANT_B,
                      .by = {.q = d->W}};
    t[1] = (dal_term){.at = {d->t1, q, zero, d->d, d->y_d}, .rows = DAL_TERM_R, .sign = 1.0, .wants = bare, .by = by};
    t[2] = (dal_term){.at = still, .rows = DAL_TERM_R, .sign = -1.0, .wants = bare, .by = by};
    t[3] = (dal_term){
        .at = {d->t1, q, d->d, zero, zero}, .rows = DAL_TERM_VEL, .sign = 1.0, .wants = DAL_WANT_Z, .by = by};
    t[3].mask = d->free_rows;
    t[4] = (dal_term){
        .at = still, .rows = DAL_TERM_VEL, .sign = -1.0, .wants = DAL_WANT_Z, .mask = d->free_rows, .by = by};
    return 5;
}

static dal_status factor_last(rk_derivative *d)
{
    const double *zero = d->at.zero;
    return dal_variation_factor(
        &d->at, &(dal_point){d->t1, d->Q + (d->rk->table->stages - 1) * d->rk->nq, zero, zero, zero}, 0);
}

/* W: changes of q^ become those of q*. */
static dal_status end_forward(rk_derivative *d, const double *dp, int count)
{
    const int nv = d->rk->nv, n = nv + d->rk->nc;
    dal_term t[5];
    if (d->rk->ev->nh == 0) {
        return DAL_OK;
    }
    dal_variation_group(&d->at, d->d);
    for (int j = 0; j < count; ++j) { // Ad dq^
        double *q = d->W + j * d->ny;
        dal_copy(d->at.w, q, nv);
        dal_zero(q, nv);
        dal_variation_apply(&d->at, q, d->at.Ad, d->at.w, 1.0, 0);
    }
    const int nterms = end_terms(d, t);
    dal_zero(d->at.E, n * count);
    for (int i = 0; i < nterms; ++i) {
        DAL_TRY(dal_term_forward(&d->at, &t[i], dp, count));
    }
    DAL_TRY(factor_last(d));
    for (int j = 0; j < count; ++j) {
        solve_end(d, d->at.E + j * n, 0);
        dal_variation_apply(&d->at, d->W + j * d->ny, d->at.T, d->at.E + j * n, -1.0, 0);
    }
    return DAL_OK;
}

/* W: weights of q* become those of q^; S: those of the last stage are added to. */
static dal_status end_adjoint(rk_derivative *d, double *pbar, int count)
{
    const int nv = d->rk->nv, n = nv + d->rk->nc;
    dal_term t[5];
    if (d->rk->ev->nh == 0) {
        return DAL_OK;
    }
    DAL_TRY(factor_last(d));
    dal_variation_group(&d->at, d->d);
    dal_zero(d->at.E, n * count);
    for (int j = 0; j < count; ++j) {
        dal_variation_apply(&d->at, d->at.E + j * n, d->at.T, d->W + j * d->ny, 1.0, 1);
        solve_end(d, d->at.E + j * n, 1);
    }
    const int nterms = end_terms(d, t);
    for (int i = 0; i < nterms; ++i) {
        DAL_TRY(dal_term_adjoint(&d->at, pbar, &t[i], d->at.E, count));
    }
    for (int j = 0; j < count; ++j) {
        double *q = d->W + j * d->ny;
        dal_copy(d->at.w, q, nv);
        dal_zero(q, nv);
        dal_variation_apply(&d->at, q, d->at.Ad, d->at.w, 1.0, 1);
    }
    return DAL_OK;
}

/* ---- forwards --------------------------------------------------------------------------------- */

static double *slope_of(const rk_derivative *d, int i, int j)
{
    return d->K + (i * d->room + j) * d->n;
}

/* Changes of (theta, v) of row i, of q and v there. */
static void stage_forward(const rk_derivative *d, double *theta, double *z, const double *y0, int i, int j)
{
    const dal_rk_row *row = &d->rk->table->row[i];
    const int nv = d->rk->nv;
    dal_zero(theta, nv);
    dal_zero(z, d->ny);
    dal_copy(z + nv, y0 + nv, nv);
    for (int t = 0; t < row->n; ++t) {
        const double *K = slope_of(d, row->term[t].j, j), f = d->h * row->term[t].a;
        dal_add_multiple(theta, K, f, nv);
        dal_add_multiple(z + nv, K + nv, f, nv);
    }
    dal_variation_apply(&d->at, z, d->at.Ad, y0, 1.0, 0);
    dal_variation_apply(&d->at, z, d->at.T, theta, 1.0, 0);
}

static dal_status step_forward(dal_derivative *self, double *Y, const double *dp, int count)
{
    rk_derivative *d = (rk_derivative *)self;
    const int s = d->rk->table->stages, nv = d->rk->nv;
    double *theta = d->b, *w = d->A;
    for (int j = 0; j < count; ++j) {
        dal_copy(slope_of(d, 0, j), Y + j * d->ny + nv, nv);
        dal_copy(slope_of(d, 0, j) + nv, Y + j * d->ny + 3 * nv, nv);
    }
    for (int i = 1; i < s; ++i) {
        DAL_TRY(look_at(d, i));
        turn_to(d, i);
        for (int j = 0; j < count; ++j) {
            double *z = d->Z + j * d->ny, *K = slope_of(d, i, j);
            stage_forward(d, theta, z, Y + j * d->ny, i, j);
            dal_copy(w, z + nv, nv);
            apply_D(d, w, theta, -1.0, 0);
            dal_zero(K, nv);
            dal_variation_apply(&d->at, K, d->Ti, w, 1.0, 0); // theta' = T^-1 v
        }
        DAL_TRY(dal_variation_forward(&d->at, d->Z, dp, count));
        for (int j = 0; j < count; ++j) {
            dal_copy(slope_of(d, i, j) + nv, d->Z + j * d->ny + 3 * nv, nv);
        }
    }
    dal_copy(d->S, d->Z, d->ny * count);
    turn_to(d, s);
    for (int j = 0; j < count; ++j) {
        stage_forward(d, theta, d->W + j * d->ny, Y + j * d->ny, s, j);
    }
    DAL_TRY(end_forward(d, dp, count));
    DAL_TRY(look_at(d, s));
    dal_copy(Y, d->W, d->ny * count);
    return dal_variation_forward(&d->at, Y, dp, count);
}

/* ---- backwards -------------------------------------------------------------------------------- */

/* Weights of theta and of v at row i go to the slopes. */
static void stage_adjoint(const rk_derivative *d, const double *theta, const double *v, int i, int j)
{
    const dal_rk_row *row = &d->rk->table->row[i];
    for (int t = 0; t < row->n; ++t) {
        double *K = slope_of(d, row->term[t].j, j);
        const double f = d->h * row->term[t].a;
        dal_add_multiple(K, theta, f, d->rk->nv);
        dal_add_multiple(K + d->rk->nv, v, f, d->rk->nv);
    }
}

static dal_status step_adjoint(dal_derivative *self, double *Y, double *pbar, double *error, int count)
{
    rk_derivative *d = (rk_derivative *)self;
    const int s = d->rk->table->stages, nv = d->rk->nv;
    double *theta = d->b, *w = d->A;
    (void)error; // there is nothing to iterate
    DAL_TRY(look_at(d, s));
    DAL_TRY(dal_variation_adjoint(&d->at, Y, pbar, count));
    dal_copy(d->W, Y, d->ny * count);
    dal_zero(d->S, d->ny * count);
    DAL_TRY(end_adjoint(d, pbar, count));
    turn_to(d, s);
    dal_zero(d->K, d->n * (s + 1) * d->room);
    for (int j = 0; j < count; ++j) {
        const double *q = d->W + j * d->ny;
        double *y = Y + j * d->ny; // v^ is what it weighs already
        dal_zero(theta, nv);
        dal_variation_apply(&d->at, theta, d->at.T, q, 1.0, 1);
        stage_adjoint(d, theta, y + nv, s, j);
        dal_zero(y, nv);
        dal_variation_apply(&d->at, y, d->at.Ad, q, 1.0, 1);
    }
    for (int i = s - 1; i > 0; --i) {
        DAL_TRY(look_at(d, i));
        for (int j = 0; j < count; ++j) {
            double *z = d->Z + j * d->ny;
            dal_zero(z, d->ny);
            dal_copy(z, d->S + j * d->ny, i == s - 1 ? nv : 0);
            dal_copy(z + 3 * nv, slope_of(d, i, j) + nv, nv);
        }
        DAL_TRY(dal_variation_adjoint(&d->at, d->Z, pbar, count));
        turn_to(d, i);
        for (int j = 0; j < count; ++j) {
            double *z = d->Z + j * d->ny, *y = Y + j * d->ny;
            dal_zero(w, nv);
            dal_variation_apply(&d->at, w, d->Ti, slope_of(d, i, j), 1.0, 1);
            dal_add(z + nv, w, nv);
            dal_zero(theta, nv);
            dal_variation_apply(&d->at, theta, d->at.T, z, 1.0, 1);
            apply_D(d, theta, w, -1.0, 1);
            dal_variation_apply(&d->at, y, d->at.Ad, z, 1.0, 1);
            dal_add(y + nv, z + nv, nv);
            stage_adjoint(d, theta, z + nv, i, j);
        }
    }
    for (int j = 0; j < count; ++j) {
        dal_add(Y + j * d->ny + nv, slope_of(d, 0, j), nv);
        dal_copy(Y + j * d->ny + 3 * nv, slope_of(d, 0, j) + nv, nv);
    }
    return DAL_OK;
}

const dal_derivative_type dal_rk_derivative = {.size = size,
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
