/* Dense description of a small system as a dal_system: one constraint block for the holonomic rows, one for
 * the nonholonomic ones, and every factor coupled with every other. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/system.h"

/* Constant, shared by all simulations. */
typedef struct dense_system {
    dal_system sys; /* first: a dal_system* is a dense_system* */
    dal_dense d;
    dal_ctx *ctx;
    int nv, nr; /* velocities, rows */
    dal_constraint constraint[2];
    dal_pair *pair;
    dal_link *link;
    dal_arena arena;
} dense_system;

/* Of one simulation. */
typedef struct dense_work {
    dal_ctx *ctx;
    const dense_system *of;
    dal_dense d; /* the callbacks, near at hand */
    int nv, nr;
    /* M and B at the last (t, q): the residual and the tangent are asked for at the same point in turn */
    double *q_at, t_at;
    int cached, sound; /* sound: those in the cache are known to be finite */
    double *M, *B;
    double *C, *K, *Z, *G, *w, *block, *q, *theta, *vp, *vm, *Bd;
    dal_arena arena;
} dense_work;

static dal_status failed(dense_work *s, dal_status st, const char *callback, double t)
{
    if (dal_ctx_status(s->ctx) == st) {
        return dal_fail_in(s->ctx, st, "callback %s", callback);
    }
    return dal_fail(s->ctx, st, "callback %s failed at t = %.9g (%s)", callback, t, dal_status_text(st));
}

/* 0 if all values are finite, NaN otherwise; four sums so that the processor need not wait for one. */
static double finite_sum(const double *x, int n)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i] * 0.0;
        b += x[i + 1] * 0.0;
        c += x[i + 2] * 0.0;
        d += x[i + 3] * 0.0;
    }
    for (; i < n; ++i) {
        a += x[i] * 0.0;
    }
    return (a + b) + (c + d);
}

/* Check what a callback has written. */
static dal_status finite(dense_work *s, const char *callback, const double *x, int n, double t)
{
    if (finite_sum(x, n) == 0.0) {
        return DAL_OK;
    }
    int i = 0;
    while (isfinite(x[i])) {
        ++i;
    }
    s->cached = 0;
    return dal_fail(s->ctx, DAL_ECALLBACK, "callback %s returned %g in entry %d at t = %.9g", callback, x[i], i, t);
}

/* Call without looking at the values: those that enter a residual are checked there, in one go. */
#define CALL_RAW(s, name, out, t, ...)                           \
    do {                                                         \
        const dal_status st_ = (s)->d.name(out, t, __VA_ARGS__); \
        if (st_ != DAL_OK) {                                     \
            return failed(s, st_, #name, t);                     \
        }                                                        \
    } while (0)

#define CALL(s, name, n, out, t, ...)           \
    do {                                        \
        CALL_RAW(s, name, out, t, __VA_ARGS__); \
        DAL_TRY(finite(s, #name, out, n, t));   \
    } while (0)

/* M and B at (t, q), from the cache if they are there. */
static dal_status matrices_at(dense_work *s, double t, const double *q)
{
    const size_t nq = (size_t)s->d.group->nq;
    if (s->cached && s->t_at == t && memcmp(s->q_at, q, nq * sizeof(double)) == 0) {
        return DAL_OK;
    }
    s->cached = 0;
    CALL_RAW(s, M, s->M, t, q, s->d.user);
    if (s->nr > 0) {
        CALL_RAW(s, B, s->B, t, q, s->d.user);
    }
    memcpy(s->q_at, q, nq * sizeof(double));
    s->t_at = t;
    s->cached = 1;
    s->sound = 0;
    return DAL_OK;
}

/* y += A x, A ld x n */
static void add_mul(double *restrict y, const double *restrict A, int ld, int n, const double *restrict x)
{
    int j = 0;
    for (; j + 1 < n; j += 2) { // two columns at a time: y is read and written half as often
        const double *a = A + j * ld, *b = a + ld, u = x[j], w = x[j + 1];
        for (int i = 0; i < ld; ++i) {
            y[i] += a[i] * u + b[i] * w;
        }
    }
    for (int i = 0; j < n && i < ld; ++i) {
        y[i] += A[i + j * ld] * x[j];
    }
}

/* b of (CS.5): given, differenced in t, or zero. */
static dal_status time_term(dense_work *s, double *b, double t, const double *q)
{
    memset(b, 0, (size_t)s->nr * sizeof(double));
    if (s->d.b) {
        CALL(s, b, s->nr, b, t, q, s->d.user);
    } else if (s->d.time_dependent && s->d.nc > 0) {
        const double dt = 6e-6 * (1.0 + fabs(t));
        CALL(s, Phi, s->d.nc, s->vp, t + dt, q, s->d.user);
        CALL(s, Phi, s->d.nc, s->vm, t - dt, q, s->d.user);
        for (int i = 0; i < s->d.nc; ++i) {
            b[i] = (s->vp[i] - s->vm[i]) / (2.0 * dt);
        }
    }
    return DAL_OK;
}

/* vel = B v + b at any point, without touching the cache. */
static dal_status velocity_level(dense_work *s, double *vel, double t, const double *q, const double *v)
{
    DAL_TRY(time_term(s, vel, t, q));
    CALL(s, B, s->nr * s->nv, s->Bd, t, q, s->d.user);
    add_mul(vel, s->Bd, s->nr, s->nv, v);
    return DAL_OK;
}

/* (CS.6) for v' = 0: the derivative of vel along q' = q v~. */
static dal_status acceleration_terms(dense_work *s, double *acc, const dal_point *at)
{
    if (s->d.acc) {
        CALL(s, acc, s->nr, acc, at->t, at->q, at->v, s->d.user);
        return DAL_OK;
    }
    if (s->d.Z && !s->d.time_dependent) {
        CALL(s, Z, s->nr * s->nv, s->Z, at->t, at->q, at->v, s->d.user);
        memset(acc, 0, (size_t)s->nr * sizeof(double));
        add_mul(acc, s->Z, s->nr, s->nv, at->v);
        return DAL_OK;
    }
    // central difference over t - dt, t + dt, dt such that the fastest coordinate moves by about 1e-5
    double vmax = 1.0;
    for (int i = 0; i < s->nv; ++i) {
        vmax = fmax(vmax, fabs(at->v[i]));
    }
    const double dt = 6e-6 / vmax;
    for (int side = 0; side < 2; ++side) {
        const double step = side == 0 ? dt : -dt;
        for (int i = 0; i < s->nv; ++i) {
            s->theta[i] = step * at->v[i];
        }
        dal_retract(s->d.group, s->q, at->q, s->theta);
        DAL_TRY(velocity_level(s, side == 0 ? acc : s->w, at->t + step, s->q, at->v));
    }
    for (int i = 0; i < s->nr; ++i) {
        acc[i] = (acc[i] - s->w[i]) / (2.0 * dt);
    }
    return DAL_OK;
}

/* r = M v' + g + B^T lambda. A value that is not finite shows in r: only then the culprit is looked for. */
static dal_status equilibrium(dense_work *s, double *r, const dal_point *at)
{
    const int nv = s->nv, nr = s->nr;
    CALL_RAW(s, g, r, at->t, at->q, at->v, at->la, s->d.user);
    const double g_finite = finite_sum(r, nv);
    add_mul(r, s->M, nv, nv, at->vd);
    for (int j = 0; j < nv; ++j) {
        double sum = 0.0;
        for (int i = 0; i < nr; ++i) {
            sum += s->B[i + j * nr] * at->la[i];
        }
        r[j] += sum;
    }
    if (finite_sum(r, nv) == 0.0) {
        s->sound = 1;
        return DAL_OK;
    }
    DAL_TRY(finite(s, "M", s->M, nv * nv, at->t));
    DAL_TRY(finite(s, "B", s->B, nr * nv, at->t));
    return g_finite == 0.0
               ? dal_fail(s->ctx, DAL_RETRY, "M v' + g + B^T lambda overflows at t = %.9g", at->t)
               : dal_fail(s->ctx, DAL_ECALLBACK, "callback g returned a value that is not finite at t = %.9g", at->t);
}

static dal_status dense_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    (void)user;
    dense_work *s = work;
    const int nv = s->nv, nr = s->nr;
    if (out->r || out->vel || out->acc) {
        DAL_TRY(matrices_at(s, at->t, at->q));
    }
    if (out->r) {
        DAL_TRY(equilibrium(s, out->r, at));
    }
    if (out->Phi && s->d.nc > 0) {
        CALL(s, Phi, s->d.nc, out->Phi, at->t, at->q, s->d.user);
    }
    if (out->vel && nr > 0) {
        DAL_TRY(time_term(s, out->vel, at->t, at->q));
        add_mul(out->vel, s->B, nr, nv, at->v);
    }
    if (out->acc && nr > 0) {
        DAL_TRY(acceleration_terms(s, out->acc, at));
        add_mul(out->acc, s->B, nr, nv, at->vd);
    }
    if ((out->vel && finite_sum(out->vel, nr) != 0.0) || (out->acc && finite_sum(out->acc, nr) != 0.0)) {
        return finite(s, "B", s->B, nr * nv, at->t);
    }
    return DAL_OK;
}

/* ---- tangents --------------------------------------------------------------------------------- */

/* Rows row0 .. row0+ni-1 and columns col0 .. col0+nj-1 of A (ld rows); A itself if that is all of it. */
static const double *part(double *block, const double *A, int ld, int row0, int ni, int col0, int nj)
{
    if (!A || ni == ld) {
        return A ? A + col0 * ld : NULL;
    }
    for (int j = 0; j < nj; ++j) {
        memcpy(block + j * ni, A + row0 + (col0 + j) * ld, (size_t)ni * sizeof(double));
    }
    return block;
}

static void push_pairs(dense_work *s, dal_sink *sink, const double *C, const double *K)
{
    const dal_group *G = s->d.group;
    const int nv = s->nv, size = G->max_nv * G->max_nv;
    for (int p = 0; p < s->of->sys.npairs; ++p) {
        const dal_factor *fi = &G->factor[s->of->pair[p].i], *fj = &G->factor[s->of->pair[p].j];
        sink->pair(sink, p, part(s->block, s->M, nv, fi->v, fi->nv, fj->v, fj->nv),
                   part(s->block + size, C, nv, fi->v, fi->nv, fj->v, fj->nv),
                   part(s->block + 2 * size, K, nv, fi->v, fi->nv, fj->v, fj->nv));
    }
}

static void push_links(dense_work *s, dal_sink *sink, const double *Z, const double *G)
{
    const dal_group *group = s->d.group;
    const int nr = s->nr, nv = s->nv, size = nr * group->max_nv;
    for (int l = 0; l < s->of->sys.nlinks; ++l) {
        const int c = s->of->link[l].c, rows = s->of->constraint[c].nrows,
                  row0 = c == 0 ? 0 : s->of->constraint[0].nrows;
        const dal_factor *fj = &group->factor[s->of->link[l].j];
        sink->link(sink, l, part(s->block, s->B, nr, row0, rows, fj->v, fj->nv),
                   part(s->block + size, Z, nr, row0, rows, fj->v, fj->nv));
        if (G) {
            sink->link_force(sink, l, part(s->block, G, nv, fj->v, fj->nv, row0, rows));
        }
    }
}

/* C and K where they are given and wanted, into their places. */
static dal_status tangents_of_equilibrium(dense_work *s, unsigned wants, const dal_point *at)
{
    if (wants & DAL_WANT_C) {
        CALL(s, C, s->nv * s->nv, s->C, at->t, at->q, at->v, at->la, s->d.user);
    }
    if (wants & DAL_WANT_K) {
        CALL(s, K, s->nv * s->nv, s->K, at->t, at->q, at->v, at->vd, at->la, s->d.user);
    }
    return DAL_OK;
}

/* Z and G likewise. */
static dal_status tangents_of_constraints(dense_work *s, unsigned wants, const dal_point *at)
{
    if (wants & DAL_WANT_Z) {
        CALL(s, Z, s->nr * s->nv, s->Z, at->t, at->q, at->v, s->d.user);
    }
    if (wants & DAL_WANT_G) {
        CALL(s, G, s->nr * s->nv, s->G, at->t, at->q, at->v, at->la, s->d.user);
    }
    return DAL_OK;
}

static dal_status dense_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    (void)user;
    dense_work *s = work;
    const unsigned wants = sink->wants & s->of->sys.provides;
    DAL_TRY(matrices_at(s, at->t, at->q));
    if (!s->sound) { // no residual has looked at them yet, as in a projection
        DAL_TRY(finite(s, "M", s->M, s->nv * s->nv, at->t));
        DAL_TRY(finite(s, "B", s->B, s->nr * s->nv, at->t));
        s->sound = 1;
    }
    DAL_TRY(tangents_of_equilibrium(s, wants, at));
    DAL_TRY(tangents_of_constraints(s, wants, at));
    push_pairs(s, sink, wants & DAL_WANT_C ? s->C : NULL, wants & DAL_WANT_K ? s->K : NULL);
    push_links(s, sink, wants & DAL_WANT_Z ? s->Z : NULL, wants & DAL_WANT_G ? s->G : NULL);
    return DAL_OK;
}

static double dense_energy(const dal_point *at, const void *user, void *work)
{
    (void)work;
    const dense_system *s = user;
    return s->d.energy(at->t, at->q, at->v, s->d.user);
}

static void dense_forget(const void *user, void *work)
{
    (void)user;
    ((dense_work *)work)->cached = 0;
}

/* ---- creation --------------------------------------------------------------------------------- */

static void carve_structure(dense_system *s, dal_arena *arena)
{
    const int nf = s->d.group->nfactors;
    s->pair = dal_arena_take(arena, (size_t)nf * (size_t)nf, sizeof(dal_pair));
    s->link = dal_arena_take(arena, 2 * (size_t)nf, sizeof(dal_link));
}

static void carve(dense_work *s, dal_arena *arena)
{
    const int nv = s->nv, nr = s->nr, n = nv > nr ? nv : nr;
    s->q_at = dal_arena_reals(arena, s->d.group->nq);
    s->q = dal_arena_reals(arena, s->d.group->nq);
    s->theta = dal_arena_reals(arena, nv);
    s->M = dal_arena_reals(arena, nv * nv);
    s->C = dal_arena_reals(arena, nv * nv);
    s->K = dal_arena_reals(arena, nv * nv);
    s->B = dal_arena_reals(arena, nr * nv);
    s->Bd = dal_arena_reals(arena, nr * nv);
    s->Z = dal_arena_reals(arena, nr * nv);
    s->G = dal_arena_reals(arena, nr * nv);
    s->w = dal_arena_reals(arena, nr);
    s->vp = dal_arena_reals(arena, nr);
    s->vm = dal_arena_reals(arena, nr);
    s->block = dal_arena_reals(arena, 3 * n * s->d.group->max_nv);
}

static dal_status dense_work_create(void **out, dal_ctx *ctx, double *memory, const void *user)
{
    (void)memory;
    const dense_system *of = user;
    dense_work *s = dal_alloc_zero(ctx, sizeof *s);
    if (!s) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to evaluate a dense system");
    }
    *s = (dense_work){.ctx = ctx, .of = of, .d = of->d, .nv = of->nv, .nr = of->nr, .arena = dal_arena_init(ctx)};
    carve(s, &s->arena);
    const dal_status st = dal_arena_reserve(&s->arena);
    if (st != DAL_OK) {
        dal_free(ctx, s);
        return st;
    }
    carve(s, &s->arena);
    *out = s;
    return DAL_OK;
}

static void dense_work_destroy(void *work, const void *user)
{
    (void)user;
    dense_work *s = work;
    dal_arena_release(&s->arena);
    dal_free(s->ctx, s);
}

static dal_status check_dense(dal_ctx *ctx, const dal_dense *d)
{
    if (!d || !d->group) {
        return dal_fail(ctx, DAL_EINVAL, "dense system: no group given");
    }
    if (d->nc < 0 || d->nn < 0) {
        return dal_fail(ctx, DAL_EINVAL, "dense system: nc = %d, nn = %d must not be negative", d->nc, d->nn);
    }
    if (!d->M || !d->g) {
        return dal_fail(ctx, DAL_EINVAL, "dense system: the callbacks M and g are required");
    }
    if ((d->nc > 0 && !d->Phi) || (d->nc + d->nn > 0 && !d->B)) {
        return dal_fail(ctx, DAL_EINVAL, "dense system: %d constraint rows need the callbacks %sB", d->nc + d->nn,
                        d->nc > 0 ? "Phi and " : "");
    }
    if (d->nc + d->nn > d->group->nv) {
        return dal_fail(ctx, DAL_EREDUNDANT, "dense system: %d constraint rows for %d velocities", d->nc + d->nn,
                        d->group->nv);
    }
    return DAL_OK;
}

static void describe(dense_system *s)
{
    const dal_dense *d = &s->d;
    dal_system *sys = &s->sys;
    const int nf = d->group->nfactors;
    sys->group = d->group;
    sys->constraint = s->constraint;
    sys->pair = s->pair;
    sys->link = s->link;
    if (d->nc > 0) {
        s->constraint[sys->nconstraints++] = (dal_constraint){d->nc, DAL_ROWS_POSITION};
    }
    if (d->nn > 0) {
        s->constraint[sys->nconstraints++] = (dal_constraint){d->nn, DAL_ROWS_VELOCITY};
    }
    for (int j = 0; j < nf; ++j) {
        for (int i = 0; i < nf; ++i) {
            s->pair[sys->npairs++] = (dal_pair){i, j, 0};
        }
        for (int c = 0; c < sys->nconstraints; ++c) {
            s->link[sys->nlinks++] = (dal_link){c, j};
        }
    }
    sys->provides = DAL_WANT_M | (s->nr > 0 ? (unsigned)DAL_WANT_B : 0U) | (d->C ? (unsigned)DAL_WANT_C : 0U) |
                    (d->K ? (unsigned)DAL_WANT_K : 0U) | (d->Z ? (unsigned)DAL_WANT_Z : 0U) |
                    (d->G ? (unsigned)DAL_WANT_G : 0U);
    sys->lambda_in_g = d->lambda_in_g;
    sys->equations = (dal_equations){
        .residual = dense_residual, .tangent = dense_tangent, .energy = d->energy ? dense_energy : NULL};
    sys->life = (dal_life){.create = dense_work_create, .destroy = dense_work_destroy, .forget = dense_forget};
    sys->user = s;
}

dal_status dal_dense_create_(dal_system **sys, dal_ctx *ctx, const dal_dense *dense, size_t size)
{
    DAL_NEED(ctx, sys);
    *sys = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, dense);
    DAL_OWN(ctx, dal_dense, dense);
    DAL_TRY(check_dense(ctx, dense));
    dense_system *s = dal_alloc_zero(ctx, sizeof *s);
    if (!s) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a dense system");
    }
    s->ctx = ctx;
    s->d = *dense;
    s->nv = dense->group->nv;
    s->nr = dense->nc + dense->nn;
    s->arena = dal_arena_init(ctx);
    carve_structure(s, &s->arena);
    const dal_status st = dal_arena_reserve(&s->arena);
    if (st != DAL_OK) {
        dal_free(ctx, s);
        return st;
    }
    carve_structure(s, &s->arena);
    describe(s);
    *sys = &s->sys;
    return DAL_OK;
}

void dal_dense_destroy(dal_system *sys)
{
    if (sys) {
        dense_system *s = (dense_system *)sys;
        dal_arena_release(&s->arena);
        dal_free(s->ctx, s);
    }
}
