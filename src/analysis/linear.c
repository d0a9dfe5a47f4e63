/* A system with inputs and outputs as a linear one: the object, the differences, the minimal form. */
#include "analysis/linear_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/stencil.h"
#include "base/vector.h"
#include "projection/reduce.h"
#include "system/data.h"

/* Beyond this many velocities there is no minimal form. */
enum { DENSE_MAX = 600 };

/* ---- the object ------------------------------------------------------------------------------- */

static void carve(dal_linear *m)
{
    const size_t nv = (size_t)m->info.nv, ni = (size_t)m->info.ninputs, no = (size_t)m->info.noutputs;
    const size_t n = 2 * nv, nc = (size_t)m->nc;
    m->ru = dal_arena_take(&m->arena, nv * ni, sizeof(double));
    m->Phiu = dal_arena_take(&m->arena, nc * ni, sizeof(double));
    m->velu = dal_arena_take(&m->arena, nc * ni, sizeof(double));
    m->Yu = dal_arena_take(&m->arena, no * ni, sizeof(double));
    for (int k = 0; k < 3; ++k) {
        m->Y[k] = dal_arena_take(&m->arena, no * nv, sizeof(double));
        m->B[k] = dal_arena_take(&m->arena, m->dense ? n * ni : 0, sizeof(double));
        m->D[k] = dal_arena_take(&m->arena, m->dense ? no * ni : 0, sizeof(double));
    }
    m->Yl = dal_arena_take(&m->arena, no * nc, sizeof(double));
    m->A = dal_arena_take(&m->arena, m->dense ? n * n : 0, sizeof(double));
    m->C = dal_arena_take(&m->arena, m->dense ? no * n : 0, sizeof(double));
    m->states = dal_arena_take(&m->arena, m->dense ? n * n : 0, sizeof(double));
    m->row = dal_arena_ints(&m->arena, m->nc);
    m->place = dal_arena_ints(&m->arena, m->nc);
    m->y = dal_arena_reals(&m->arena, m->info.noutputs);
    m->q = dal_arena_reals(&m->arena, m->sys->group->nq);
    m->v = dal_arena_reals(&m->arena, m->info.nv);
    m->vd = dal_arena_reals(&m->arena, m->info.nv);
    m->la = dal_arena_reals(&m->arena, m->nc);
    m->theta = dal_arena_reals(&m->arena, m->info.nv);
    m->r = dal_arena_reals(&m->arena, m->info.nv + 2 * m->nc);
}

void dal_linear_destroy(dal_linear *m)
{
    if (m) {
        dal_data_destroy(m->own);
        dal_linear_release_descriptor(m);
        dal_arena_release(&m->arena);
        dal_free(m->ctx, m);
    }
}

dal_linear_info dal_linear_about(const dal_linear *m)
{
    return m ? m->info : (dal_linear_info){0};
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* X (n x ninputs): column k += scale x */
static void add_column(double *X, int k, double scale, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        X[dal_entry(i, k, n)] += scale * x[i];
    }
}

/* What the equations at one value of input k count in its differences. */
static dal_status add_input(dal_linear *m, const dal_point *at, int k, double step, double scale)
{
    const int nv = m->info.nv, nc = m->nc, no = m->info.noutputs;
    const dal_residual out = {.r = m->r, .Phi = m->r + nv, .vel = m->r + nv + nc};
    dal_zero(m->r, nv + 2 * nc);
    DAL_TRY(m->spec.set_input(k, step, m->spec.user));
    dal_data_forget(m->data);
    DAL_TRY(dal_data_residual(m->data, &out, at));
    add_column(m->ru, k, scale, m->r, nv);
    add_column(m->Phiu, k, scale, m->r + nv, nc);
    add_column(m->velu, k, scale, m->r + nv + nc, nc);
    if (no > 0) {
        DAL_TRY(m->spec.outputs(m->y, at, m->spec.user));
        add_column(m->Yu, k, scale, m->y, no);
    }
    return DAL_OK;
}

/* Derivatives of the residual, of Phi and of the velocity level with respect to the inputs; outputs too: differences of fourth order. */
static dal_status difference_inputs(dal_linear *m, const dal_point *at)
{
    static const double step = 1e-3;
    const dal_stencil *by = &dal_four_values;
    for (int k = 0; k < m->info.ninputs; ++k) {
        for (int i = 0; i < by->n; ++i) {
            DAL_TRY(add_input(m, at, k, by->place[i] * step, by->weight[i] / step));
        }
        DAL_TRY(m->spec.set_input(k, 0.0, m->spec.user));
        dal_data_forget(m->data);
    }
    m->info.rates = dal_max_abs(m->Phiu, m->nc * m->info.ninputs) > 0.0;
    return DAL_OK;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* Y (noutputs x n) for changes of q, v, v' (kind 0, 1, 2) or of the multipliers (3): differences of fourth order. */
static dal_status difference_outputs(dal_linear *m, const dal_point *at, int kind, double *Y)
{
    const int nv = m->info.nv, no = m->info.noutputs, n = kind == 3 ? m->nc : nv;
    const double *base = kind == 1 ? at->v : kind == 2 ? at->vd : at->la;
    double *moved = kind == 0 ? m->theta : kind == 1 ? m->v : kind == 2 ? m->vd : m->la;
    const dal_stencil *by = &dal_four_values;
    for (int i = 0; i < n && no > 0; ++i) {
        const double x = kind == 0 ? 0.0 : base[i], step = 1e-3 * (1.0 + fabs(x));
        for (int k = 0; k < by->n; ++k) {
            dal_point p = *at;
            moved[i] = x + by->place[k] * step;
            if (kind == 0) {
                dal_retract(m->sys->group, m->q, at->q, m->theta);
                p.q = m->q;
            }
            p.v = kind == 1 ? m->v : at->v;
            p.vd = kind == 2 ? m->vd : at->vd;
            p.la = kind == 3 ? m->la : at->la;
            DAL_TRY(m->spec.outputs(m->y, &p, m->spec.user));
            for (int o = 0; o < no; ++o) {
                Y[dal_entry(o, i, no)] += by->weight[k] / step * m->y[o];
            }
        }
        moved[i] = x;
    }
    return DAL_OK;
}

static dal_status differences(dal_linear *m, const dal_point *at)
{
    const int nv = m->info.nv;
    dal_zero(m->theta, nv);
    dal_copy(m->v, at->v, nv);
    dal_copy(m->vd, at->vd, nv);
    dal_copy(m->la, at->la, m->nc);
    DAL_TRY(difference_inputs(m, at));
    for (int kind = 0; kind < 3; ++kind) {
        DAL_TRY(difference_outputs(m, at, kind, m->Y[kind]));
    }
    return difference_outputs(m, at, 3, m->Yl);
}

/* ---- minimal form ----------------------------------------------------------------------------- */

/* A perturbation with what follows from it. */
typedef struct response {
    double *d, *w, *a, *l; /* changes of q, v, v', lambda */
    double *rest;          /* nv: w' where y' = 0 and x' is what it is */
    double *x, *y;         /* x', y' */
    double *f;             /* nv */
} response;

static void carve_response(response *r, dal_arena *arena, const dal_pencil *p)
{
    r->d = dal_arena_reals(arena, p->nv);
    r->w = dal_arena_reals(arena, p->nv);
    r->a = dal_arena_reals(arena, p->nv);
    r->rest = dal_arena_reals(arena, p->nv);
    r->f = dal_arena_reals(arena, p->nv);
    r->l = dal_arena_reals(arena, p->nc);
    r->x = dal_arena_reals(arena, p->np);
    r->y = dal_arena_reals(arena, p->nf);
}

static void apply(double *y, double beta, double alpha, const double *A, int transposed, const double *x, int m, int k)
{
    dal_matrix_product(y, beta, alpha, A, transposed, x, 0, m, 1, k);
}

/* Given d, w, the rate dd of d beyond x' (or NULL), w' = rest + W x' + N y' with `rest` given, and the force r (or NULL): x', y',
 * then a = v' and l.                                                                                   (MO.6) */
static dal_status respond(response *r, dal_pencil *p, const double *dd, const double *force)
{
    const int nv = p->nv, nf = p->nf, np = p->np;
    dal_copy(r->f, r->w, nv);
    apply(r->f, 1.0, -1.0, p->H, 0, r->d, nv, nv);
    for (int i = 0; dd && i < nv; ++i) {
        r->f[i] -= dd[i];
    }
    apply(r->x, 0.0, 1.0, p->Nh, 1, r->f, np, nv);
    dal_copy(r->a, r->rest, nv);
    apply(r->a, 1.0, 1.0, p->W, 0, r->x, nv, np);
    // L^T (M (a + N y') + C w + K d + force) = 0; C has M D
    apply(r->f, 0.0, 1.0, p->C, 0, r->w, nv, nv);
    apply(r->f, 1.0, 1.0, p->K, 0, r->d, nv, nv);
    apply(r->f, 1.0, 1.0, p->M, 0, r->a, nv, nv);
    for (int i = 0; force && i < nv; ++i) {
        r->f[i] += force[i];
    }
    apply(r->y, 0.0, -1.0, p->L, 1, r->f, nf, nv);
    memcpy(p->work2, p->Mr, (size_t)nf * (size_t)nf * sizeof(double));
    DAL_TRY(dal_matrix_solve(p->work2, r->y, nf, 1, p->ctx));
    // multipliers: F l = -(f + M N y')
    apply(p->work, 0.0, 1.0, p->N, 0, r->y, nv, nf);
    apply(r->f, 1.0, 1.0, p->M, 0, p->work, nv, nv);
    dal_kernel_transposed(p->left ? p->left : p->rows, r->l, r->f, 1);
    for (int i = 0; i < nv; ++i) {
        r->a[i] += p->work[i];
    }
    for (int c = 0; c < p->nc; ++c) {
        r->l[c] = -r->l[c];
    }
    apply(r->a, 1.0, 1.0, p->D, 0, r->w, nv, nv); // v' = w' + D w
    return DAL_OK;
}

/* Column of outputs. */
static void observe(double *column, const dal_linear *m, const response *r)
{
    const int nv = m->info.nv, no = m->info.noutputs;
    apply(column, 0.0, 1.0, m->Y[0], 0, r->d, no, nv);
    apply(column, 1.0, 1.0, m->Y[1], 0, r->w, no, nv);
    apply(column, 1.0, 1.0, m->Y[2], 0, r->a, no, nv);
    apply(column, 1.0, 1.0, m->Yl, 0, r->l, no, m->nc);
}

static dal_status state_columns(dal_linear *m, dal_pencil *p, response *r)
{
    const int n = p->n, nv = p->nv;
    for (int j = 0; j < n; ++j) {
        double *to = m->states + 2 * dal_entry(0, j, nv);
        if (j < p->np) {
            dal_copy(r->d, p->Nh + dal_entry(0, j, nv), nv);
        } else {
            dal_zero(r->d, nv);
        }
        dal_copy(r->w, p->P + dal_entry(0, j, nv), nv);
        dal_zero(r->rest, nv);
        DAL_TRY(respond(r, p, NULL, NULL));
        dal_copy(m->A + dal_entry(0, j, n), r->x, p->np);
        dal_copy(m->A + dal_entry(p->np, j, n), r->y, p->nf);
        observe(m->C + dal_entry(0, j, m->info.noutputs), m, r);
        dal_copy(to, r->d, nv);
        dal_copy(to + nv, r->w, nv);
    }
    return DAL_OK;
}

/* Where a motion is prescribed: du = -Bh^+ Phi_u, w_u = -B^+ (vel_u + Z du), w_1 = -B^+ Phi_u. */
static void prescribed(const dal_linear *m, dal_pencil *p, int k, double *du, double *wu, double *w1)
{
    const double *Phiu = m->Phiu + dal_entry(0, k, m->nc), *velu = m->velu + dal_entry(0, k, m->nc);
    double *b = p->work, *bh = p->work2;
    int row = 0, to = 0;
    for (int c = 0; c < p->sys->nconstraints; ++c) {
        for (int i = 0; i < p->sys->constraint[c].nrows; ++i, ++row) {
            b[row] = -Phiu[row];
            if (p->sys->constraint[c].kind != DAL_ROWS_VELOCITY) {
                bh[to++] = -Phiu[row];
            }
        }
    }
    for (; to < p->nh; ++to) {
        bh[to] = 0.0;
    }
    dal_kernel_least(p->holonomic, du, bh, 1);
    dal_kernel_least(p->rows, w1, b, 1);
    for (int c = 0; c < m->nc; ++c) {
        b[c] = -velu[c];
    }
    apply(b, 1.0, -1.0, p->Z, 0, du, m->nc, p->nv);
    dal_kernel_least(p->rows, wu, b, 1);
}

/* Columns of B and D for u, u' and u'' of input k. */
static dal_status input_columns(dal_linear *m, dal_pencil *p, response *r, int k, double *du, double *wu, double *w1)
{
    const int n = p->n, nv = p->nv, no = m->info.noutputs;
    prescribed(m, p, k, du, wu, w1);
    for (int order = 0; order < (m->info.rates ? 3 : 1); ++order) {
        dal_zero(r->d, nv);
        dal_zero(r->w, nv);
        dal_zero(r->rest, nv);
        if (order == 0) {
            dal_copy(r->d, du, nv);
            dal_copy(r->w, wu, nv);
        } else if (order == 1) {
            dal_copy(r->w, w1, nv);
            dal_copy(r->rest, wu, nv);
        } else {
            dal_copy(r->rest, w1, nv);
        }
        DAL_TRY(respond(r, p, order == 1 ? du : NULL, order == 0 ? m->ru + dal_entry(0, k, nv) : NULL));
        dal_copy(m->B[order] + dal_entry(0, k, n), r->x, p->np);
        dal_copy(m->B[order] + dal_entry(p->np, k, n), r->y, p->nf);
        double *D = m->D[order] + dal_entry(0, k, no);
        observe(D, m, r);
        for (int i = 0; i < no && order == 0; ++i) {
            D[i] += m->Yu[dal_entry(i, k, no)];
        }
    }
    return DAL_OK;
}

static dal_status minimal(dal_linear *m, dal_pencil *p)
{
    dal_arena arena = dal_arena_init(m->ctx);
    response r;
    double *du = NULL, *wu = NULL, *w1 = NULL;
    for (int pass = 0; pass < 2; ++pass) { // measure, assign
        if (pass == 1) {
            DAL_TRY(dal_arena_reserve(&arena));
        }
        carve_response(&r, &arena, p);
        du = dal_arena_reals(&arena, p->nv);
        wu = dal_arena_reals(&arena, p->nv);
        w1 = dal_arena_reals(&arena, p->nv);
    }
    dal_status st = state_columns(m, p, &r);
    for (int k = 0; k < m->info.ninputs && st == DAL_OK; ++k) {
        st = input_columns(m, p, &r, k, du, wu, w1);
    }
    dal_arena_release(&arena);
    m->info.n = p->n;
    m->info.positions = p->np;
    m->info.velocities = p->nf;
    m->info.A = m->A;
    m->info.C = m->C;
    m->info.states = m->states;
    for (int k = 0; k < 3; ++k) {
        m->info.B[k] = m->B[k];
        m->info.D[k] = m->D[k];
    }
    return st;
}

dal_status dal_linear_transfer(const dal_linear *m, double *G, double re, double im)
{
    DAL_NEED_AS(NULL, m, "linear");
    DAL_NEED(m->ctx, G);
    const int n = m->info.n, ni = m->info.ninputs, no = m->info.noutputs;
    if (n == 0) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "there is no minimal form of this system: it is too large or has no freedom");
    }
    // [ re - A  -im ] [ xr ]   [ br ]
    // [ im    re - A] [ xi ] = [ bi ],   b = (B + s B1 + s^2 B2) e_k
    const int two = 2 * n;
    const double s2[2] = {re * re - im * im, 2.0 * re * im};
    double *S = dal_alloc_zero(m->ctx, ((size_t)two * (size_t)two + (size_t)two * (size_t)ni) * sizeof(double));
    if (!S) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for a transfer function");
    }
    double *X = S + (size_t)two * (size_t)two;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            S[dal_entry(i, j, two)] = S[dal_entry(n + i, n + j, two)] = (i == j ? re : 0.0) - m->A[dal_entry(i, j, n)];
        }
        S[dal_entry(n + j, j, two)] = im;
        S[dal_entry(j, n + j, two)] = -im;
    }
    for (int e = 0; e < n * ni; ++e) {
        const double b[3] = {m->B[0][e], m->B[1][e], m->B[2][e]};
        X[dal_entry(e % n, e / n, two)] = b[0] + re * b[1] + s2[0] * b[2];
        X[dal_entry(n + e % n, e / n, two)] = im * b[1] + s2[1] * b[2];
    }
    const dal_status st = dal_matrix_solve(S, X, two, ni, m->ctx);
    for (int e = 0; e < no * ni && st == DAL_OK; ++e) {
        const int o = e % no, k = e / no;
        G[e] = m->D[0][e] + re * m->D[1][e] + s2[0] * m->D[2][e];
        G[no * ni + e] = im * m->D[1][e] + s2[1] * m->D[2][e];
        for (int i = 0; i < n; ++i) {
            G[e] += m->C[dal_entry(o, i, no)] * X[dal_entry(i, k, two)];
            G[no * ni + e] += m->C[dal_entry(o, i, no)] * X[dal_entry(n + i, k, two)];
        }
    }
    dal_free(m->ctx, S);
    return st;
}

/* ---- creation --------------------------------------------------------------------------------- */

static dal_status check(dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_linear_spec *spec)
{
    if (data && dal_data_system(data) != sys) {
        return dal_fail(ctx, DAL_EINVAL, "dal_linear_create: the data belong to another system");
    }
    if (spec->ninputs < 0 || spec->noutputs < 0 || (spec->ninputs > 0 && !spec->set_input) ||
        (spec->noutputs > 0 && !spec->outputs)) {
        return dal_fail(ctx, DAL_EINVAL, "dal_linear_create: inputs need set_input, outputs need outputs");
    }
    return DAL_OK;
}

static void take_steady(dal_linear *m, const dal_steady *s)
{
    m->info.steady = s->steady;
    m->info.axes = dal_steady_kind(s);
    m->info.drift = s->drift;
    dal_copy(m->info.turning, s->axes.turning, 3);
}

static dal_status build(dal_linear *m, const dal_point *at)
{
    dal_pencil *p = NULL;
    dal_steady s;
    DAL_TRY(dal_steady_rest(&s, m->ctx, m->sys, m->data, at));
    if (!m->dense && dal_steady_speed(m->sys, at) > 0.0) {
        return dal_fail(m->ctx, DAL_EINVAL, "a system with %d velocities is linearised about a state of rest only",
                        m->info.nv);
    }
    DAL_TRY(differences(m, at));
    dal_status st = DAL_OK;
    if (m->dense) {
        DAL_TRY(dal_pencil_create(&p, m->ctx, m->sys, m->data));
        st = dal_steady_find(&s, p, m->data, at, m->spec.axes);
        st = st != DAL_OK ? st : minimal(m, p);
    }
    take_steady(m, &s);
    st = st != DAL_OK ? st : dal_linear_descriptor(m, at, &s.axes);
    dal_pencil_destroy(p);
    return st;
}

dal_status dal_linear_create_(dal_linear **linear, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                              const dal_point *at, const dal_linear_spec *spec, size_t size)
{
    DAL_NEED(ctx, linear);
    *linear = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED_POINT(ctx, at, sys);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_linear_spec, spec);
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", at->t, at->q, at->v));
    DAL_TRY(check(ctx, sys, data, spec));
    dal_linear *m = dal_alloc_zero(ctx, sizeof *m);
    if (!m) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to linearise");
    }
    *m = (dal_linear){.ctx = ctx, .sys = sys, .data = data, .spec = *spec, .arena = dal_arena_init(ctx)};
    m->nc = dal_system_rows(sys);
    m->dense = sys->group->nv <= DENSE_MAX;
    m->info.nv = sys->group->nv;
    for (int i = 0; i < m->info.nv; ++i) {
        m->info.first_order += dal_is_state(sys, i);
    }
    m->info.ninputs = spec->ninputs;
    m->info.noutputs = spec->noutputs;
    carve(m);
    dal_status st = dal_arena_reserve(&m->arena);
    carve(m);
    if (st == DAL_OK && !data) {
        st = dal_data_create(&m->own, ctx, sys);
        m->data = m->own;
    }
    st = st != DAL_OK ? st : build(m, at);
    st = st == DAL_OK && sys->contacts.n > 0 ? dal_redundant_rows(&m->info.redundant, ctx, sys, m->data, at) : st;
    if (st != DAL_OK) {
        dal_linear_destroy(m);
        return st;
    }
    *linear = m;
    return DAL_OK;
}
