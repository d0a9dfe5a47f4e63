/* Eigenvalues and shapes of small motions: the dense way, and what both ways share. */
#include <math.h>
#include <stdlib.h>

#include "analysis/modal_impl.h"
#include "base/message.h"
#include "base/vector.h"
#include "eigen/general.h"
#include "linearize/linearization.h"
#include "projection/reduce.h"
#include "system/data.h"

/* Beyond this many velocities `auto` takes the sparse solver; up to SMALL the space in which that searches is the whole one, and worse
 * conditioned. */
enum { DENSE_MAX = 600, SMALL = 20, MODES_DEFAULT = 20, BALANCE_SWEEPS = 20 };
/* Singular values below this, relative to the largest, belong to the eigenvalue zero. */
static const double zero_tol = 2e-15; // times the size of the matrix
/* The same in turning axes, whose angular velocity comes from differences. */
static const double turning_tol = 1e-10;
static const double two_pi = 6.283185307179586477;

/* ---- the object ------------------------------------------------------------------------------- */

static void carve(dal_modal *m, int n)
{
    m->mode = dal_arena_take(&m->arena, (size_t)n, sizeof *m->mode);
    m->shape = dal_arena_take(&m->arena, (size_t)n * (size_t)(2 * m->info.nv), sizeof(double));
    m->share = dal_arena_take(&m->arena, (size_t)n * (size_t)m->info.nv, sizeof(double));
}

dal_status dal_modal_reserve(dal_modal *m, int n)
{
    carve(m, n);
    DAL_TRY(dal_arena_reserve(&m->arena));
    carve(m, n);
    m->info.n = n;
    return DAL_OK;
}

void dal_modal_destroy(dal_modal *m)
{
    if (m) {
        dal_arena_release(&m->arena);
        dal_free(m->ctx, m);
    }
}

dal_modal_info dal_modal_about(const dal_modal *m)
{
    return m ? m->info : (dal_modal_info){0};
}

dal_mode dal_modal_mode(const dal_modal *m, int k)
{
    return m && k >= 0 && k < m->info.n ? m->mode[k] : (dal_mode){0};
}

const double *dal_modal_shape(const dal_modal *m, int k)
{
    return m && k >= 0 && k < m->info.n ? m->shape + 2 * (size_t)k * (size_t)m->info.nv : NULL;
}

const double *dal_modal_shares(const dal_modal *m, int k)
{
    return m && k >= 0 && k < m->info.n ? m->share + (size_t)k * (size_t)m->info.nv : NULL;
}

double dal_modal_assurance(const double *a, const double *b, int nv)
{
    double aa = 0.0, bb = 0.0, re = 0.0, im = 0.0;
    for (int i = 0; a && b && i < nv; ++i) {
        aa += a[i] * a[i] + a[nv + i] * a[nv + i];
        bb += b[i] * b[i] + b[nv + i] * b[nv + i];
        re += a[i] * b[i] + a[nv + i] * b[nv + i];
        im += a[i] * b[nv + i] - a[nv + i] * b[i];
    }
    return aa > 0.0 && bb > 0.0 ? (re * re + im * im) / (aa * bb) : 0.0;
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* The largest component becomes 1; of components that differ by rounding only, the first decides. Returns its magnitude. */
static double normalise(double *d, int nv)
{
    double most = 0.0, re = 1.0, im = 0.0;
    for (int i = 0; i < nv; ++i) {
        const double size = hypot(d[i], d[nv + i]);
        if (size > (1.0 + 1e-6) * most) {
            most = size;
            re = d[i];
            im = d[nv + i];
        }
    }
    for (int i = 0; i < nv && most > 0.0; ++i) {
        const double x = d[i], y = d[nv + i];
        d[i] = (x * re + y * im) / (most * most);
        d[nv + i] = (y * re - x * im) / (most * most);
    }
    return most;
}

/* share_i = Re(conj(d_i) (M d)_i) / sum */
static void set_shares(double *share, const double *d, const dal_sparse *M)
{
    const int nv = M->ncols;
    double sum = 0.0;
    dal_zero(share, nv);
    for (int j = 0; j < nv; ++j) {
        for (int l = M->colptr[j]; l < M->colptr[j + 1]; ++l) {
            const int i = M->row[l];
            share[i] += M->x[l] * (d[i] * d[j] + d[nv + i] * d[nv + j]);
        }
    }
    for (int i = 0; i < nv; ++i) {
        sum += share[i];
    }
    if (!(sum > 0.0)) { // no mass moves: by the displacements
        sum = 0.0;
        for (int i = 0; i < nv; ++i) {
            share[i] = d[i] * d[i] + d[nv + i] * d[nv + i];
            sum += share[i];
        }
    }
    for (int i = 0; i < nv && sum > 0.0; ++i) {
        share[i] /= sum;
    }
}

void dal_modal_enter(dal_modal *m, double *d, double *w, int k, double re, double im, const dal_sparse *M)
{
    const int nv = m->info.nv;
    const double size = hypot(re, im), most_d = dal_max_abs(d, 2 * nv);
    double moving = 0.0, states = 0.0, *shape = d;
    for (int i = 0; i < 2 * nv; ++i) {
        double *most = dal_is_state(m->sys, i % nv) ? &states : &moving;
        *most = fmax(*most, fabs(w[i]));
    }
    // units of states are their own: only what is rounding of them is nothing
    if (!(most_d > 1e-12 * moving && most_d > 1e-16 * states)) {
        shape = w;
    }
    normalise(shape, nv);
    dal_copy(m->shape + 2 * (size_t)k * (size_t)nv, shape, 2 * nv);
    set_shares(m->share + (size_t)k * (size_t)nv, shape, M);
    m->mode[k] = (dal_mode){.re = re,
                            .im = im,
                            .frequency = im / two_pi,
                            .damping = size > 0.0 ? 0.0 - re / size : 0.0,
                            .rigid = size == 0.0};
    m->info.rigid += size == 0.0;
    m->info.unstable += re > 1e-7 * fmax(size, 1e-3 * m->info.highest);
}

/* ---- dense ------------------------------------------------------------------------------------ */

typedef struct dense {
    dal_pencil *p;
    int n, nzero, nnull; /* size, multiplicity of zero, dimension of its kernel */
    double tol;          /* for the eigenvalue zero, at least */
    double *scale;       /* n: z = scale z^ balances the two halves, and each state of first order with the rest */
    double *A, *Q;       /* Q^T A Q, Q */
    double *S, *V;       /* regular part, its eigenvectors */
    double *re, *im;
    double *z, *a; /* 2 n: a state; its coefficients in the basis Q */
    double *d, *w; /* 2 nv */
    int *order;    /* columns of V, one for each mode */
    int *state;    /* n: of first order? */
    dal_arena arena;
} dense;

static void carve_dense(dense *e)
{
    const size_t n = (size_t)e->n;
    double **square[] = {&e->A, &e->Q, &e->S, &e->V};
    for (size_t i = 0; i < sizeof square / sizeof square[0]; ++i) {
        *square[i] = dal_arena_take(&e->arena, n * n, sizeof(double));
    }
    e->scale = dal_arena_reals(&e->arena, e->n);
    e->re = dal_arena_reals(&e->arena, e->n);
    e->im = dal_arena_reals(&e->arena, e->n);
    e->z = dal_arena_reals(&e->arena, 2 * e->n);
    e->a = dal_arena_reals(&e->arena, 2 * e->n);
    e->d = dal_arena_reals(&e->arena, 2 * e->p->nv);
    e->w = dal_arena_reals(&e->arena, 2 * e->p->nv);
    e->order = dal_arena_ints(&e->arena, e->n);
    e->state = dal_arena_ints(&e->arena, e->n);
}

/* e->state: which components of z are states of first order. */
static void mark_states(dense *e)
{
    const dal_pencil *p = e->p;
    for (int k = 0; k < p->nv * p->nf; ++k) {
        const int i = k % p->nv, j = p->np + k / p->nv;
        e->state[j] |= dal_is_state(p->sys, i) && fabs(p->P[dal_entry(i, j, p->nv)]) > 0.5;
    }
}

/* A state of first order has units of its own: such that its row and its column of A have equal size (Osborne), or its only one
 * that of the others. */
static void balance_state(dense *e, int i, double rate)
{
    double row = 0.0, column = 0.0;
    for (int j = 0; j < e->n; ++j) {
        row += j == i ? 0.0 : fabs(e->p->A[dal_entry(i, j, e->n)]) * e->scale[j];
        column += j == i ? 0.0 : fabs(e->p->A[dal_entry(j, i, e->n)]) / e->scale[j];
    }
    if (row > 0.0 || column > 0.0) {
        e->scale[i] = column == 0.0 ? row / rate : row == 0.0 ? rate / column : sqrt(row / column);
    }
}

/* A in balanced units: the time unit is such that the stiffness and unity have equal size. */
static void balance(dense *e)
{
    const dal_pencil *p = e->p;
    double low = 0.0, fast = 0.0;
    mark_states(e);
    for (int j = 0; j < e->n; ++j) {
        for (int i = p->np; i < e->n; ++i) {
            double *most = j < p->np ? &low : &fast;
            *most = e->state[i] || e->state[j] ? *most : fmax(*most, fabs(p->A[dal_entry(i, j, e->n)]));
        }
    }
    const double rate = low > 0.0 ? sqrt(low) : fast > 0.0 ? fast : 1.0;
    for (int i = 0; i < e->n; ++i) {
        e->scale[i] = i < p->np ? 1.0 : rate;
    }
    for (int k = 0; k < BALANCE_SWEEPS * e->n; ++k) {
        if (e->state[k % e->n]) {
            balance_state(e, k % e->n, rate);
        }
    }
    for (int j = 0; j < e->n; ++j) {
        for (int i = 0; i < e->n; ++i) {
            const size_t k = (size_t)i + (size_t)j * (size_t)e->n;
            e->A[k] = p->A[k] * (e->scale[j] / e->scale[i]);
        }
    }
}

/* How many columns of the zero part are in the kernel itself: the first stage of the deflation. */
static int count_null(const dense *e)
{
    int n = 0;
    while (n < e->nzero) {
        const double *column = e->A + (size_t)n * (size_t)e->n;
        if (dal_max_abs(column, e->n) > 0.0) {
            break;
        }
        ++n;
    }
    return n;
}

static dal_status solve(dense *e, dal_ctx *ctx)
{
    const int n = e->n;
    balance(e);
    DAL_TRY(dal_eigen_deflate(ctx, e->A, e->Q, &e->nzero, n, fmax(e->tol, zero_tol * n)));
    e->nnull = count_null(e);
    const int m = n - e->nzero;
    for (int j = 0; j < m; ++j) {
        dal_copy(e->S + (size_t)j * (size_t)m, e->A + e->nzero + (size_t)(e->nzero + j) * (size_t)n, m);
    }
    return dal_eigen_general(e->re, e->im, e->V, e->S, m, ctx);
}

/* e->order: columns of V by ascending magnitude of their eigenvalues, one of each pair; how many. */
static int sort(dense *e)
{
    const int m = e->n - e->nzero;
    int n = 0;
    for (int j = 0; j < m; ++j) {
        if (e->im[j] < 0.0) {
            continue;
        }
        const double size = hypot(e->re[j], e->im[j]);
        int at = n++;
        for (; at > 0 && hypot(e->re[e->order[at - 1]], e->im[e->order[at - 1]]) > size; --at) {
            e->order[at] = e->order[at - 1];
        }
        e->order[at] = j;
    }
    return n;
}

/* The part of an eigenvector in the zero part: (s I - U) a = X z, by back substitution. */
static void complete(dense *e, double re, double im)
{
    const int n = e->n;
    const double size = re * re + im * im;
    for (int i = e->nzero - 1; i >= 0; --i) {
        double x = 0.0, y = 0.0;
        for (int j = i + 1; j < n; ++j) {
            const double u = e->A[dal_entry(i, j, n)];
            x += u * e->a[j];
            y += u * e->a[n + j];
        }
        e->a[i] = (x * re + y * im) / size;
        e->a[n + i] = (y * re - x * im) / size;
    }
}

/* d = Nh x and w = P z of the state whose coefficients are e->a */
static void expand(dense *e)
{
    const dal_pencil *p = e->p;
    dal_matrix_product(e->z, 0.0, 1.0, e->Q, 0, e->a, 0, e->n, 2, e->n);
    for (int i = 0; i < e->n; ++i) {
        e->z[i] *= e->scale[i];
        e->z[e->n + i] *= e->scale[i];
    }
    for (int part = 0; part < 2; ++part) {
        dal_matrix_product(e->d + part * p->nv, 0.0, 1.0, p->Nh, 0, e->z + part * e->n, 0, p->nv, 1, p->np);
        dal_matrix_product(e->w + part * p->nv, 0.0, 1.0, p->P, 0, e->z + part * e->n, 0, p->nv, 1, e->n);
    }
}

static void enter_rigid(dal_modal *m, dense *e, int k)
{
    dal_zero(e->a, 2 * e->n);
    e->a[k] = 1.0;
    expand(e);
    dal_modal_enter(m, e->d, e->w, k, 0.0, 0.0, dal_linearize_matrix(e->p->lin, DAL_WANT_M));
}

static void enter_regular(dal_modal *m, dense *e, int k, int column)
{
    const int size = e->n - e->nzero;
    dal_zero(e->a, 2 * e->n);
    for (int i = 0; i < size; ++i) {
        e->a[e->nzero + i] = e->V[dal_entry(i, column, size)];
        if (e->im[column] > 0.0) {
            e->a[e->n + e->nzero + i] = e->V[dal_entry(i, column + 1, size)];
        }
    }
    complete(e, e->re[column], e->im[column]);
    expand(e);
    dal_modal_enter(m, e->d, e->w, k, e->re[column], e->im[column], dal_linearize_matrix(e->p->lin, DAL_WANT_M));
}

static dal_status enter_all(dal_modal *m, dense *e, int wanted)
{
    const int regular = sort(e), rigid = e->nnull < wanted ? e->nnull : wanted;
    const int n = rigid + (regular < wanted ? regular : wanted);
    m->info.zeros = e->nzero;
    if (regular > 0) {
        const int last = e->order[regular - 1];
        m->info.highest = hypot(e->re[last], e->im[last]);
    }
    DAL_TRY(dal_modal_reserve(m, n));
    for (int k = 0; k < n; ++k) {
        if (k < rigid) {
            enter_rigid(m, e, k);
        } else {
            enter_regular(m, e, k, e->order[k - rigid]);
        }
    }
    m->info.rigid = e->nnull;
    return DAL_OK;
}

static dal_status modal_dense(dal_modal *m, dal_pencil *p, int wanted)
{
    dense e = {.p = p,
               .n = p->n,
               .tol = m->info.axes == DAL_AXES_TURNING ? turning_tol : 0.0,
               .arena = dal_arena_init(m->ctx)};
    carve_dense(&e);
    dal_status st = dal_arena_reserve(&e.arena);
    carve_dense(&e);
    m->info.positions = p->np;
    m->info.velocities = p->nf;
    m->info.redundant = p->nc - (p->nv - p->nf);
    st = st != DAL_OK ? st : solve(&e, m->ctx);
    st = st != DAL_OK ? st : enter_all(m, &e, wanted);
    dal_arena_release(&e.arena);
    return st;
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Do the coefficients of a state of rest change with time? */
static dal_status varies(int *changes, dal_pencil *p, const dal_point *at, double period)
{
    static const double when[] = {0.0, 0.21, 0.38, 0.62, 0.85}, least = 1e-9;
    const dal_axes_choice world = {.sys = p->sys};
    const int n = p->n * p->n;
    double *first = dal_alloc(p->ctx, ((size_t)n + 1) * sizeof *first), most = 0.0;
    *changes = 0;
    if (!first) {
        return dal_fail(p->ctx, DAL_ENOMEM, "no memory for modes");
    }
    dal_status st = DAL_OK;
    for (int k = 0; k < 5 && st == DAL_OK; ++k) {
        dal_point then = *at;
        then.t += when[k] * period;
        st = dal_pencil_at(p, &then, &world);
        st = st != DAL_OK ? st : dal_pencil_reduce(p);
        for (int i = 0; i < n && st == DAL_OK; ++i) {
            first[i] = k == 0 ? p->A[i] : first[i];
            most = fmax(most, fabs(p->A[i]));
            *changes |= fabs(p->A[i] - first[i]) > least * most;
        }
    }
    dal_free(p->ctx, first);
    return st;
}

static void note_steady(dal_modal *m, const dal_steady *s)
{
    m->info.steady = s->steady;
    m->info.axes = dal_steady_kind(s);
    m->info.drift = s->drift;
    m->info.acceleration = s->acceleration;
    dal_copy(m->info.turning, s->axes.turning, 3);
}

/* Slender bodies in motion: the axes from two instants or, if there are many bodies, from the accelerations; modes by the sparse
 * way. */
static dal_status find_moving(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at,
                              const dal_modal_options *opt, int wanted)
{
    dal_pencil *p = NULL;
    dal_steady s;
    dal_status st;
    if (sys->group->nv > DENSE_MAX) {
        st = dal_steady_turning(&s, m->ctx, sys, data, at);
    } else {
        st = dal_pencil_create(&p, m->ctx, sys, data);
        st = st != DAL_OK ? st : dal_steady_find(&s, p, data, at, opt->axes);
        dal_pencil_destroy(p);
    }
    DAL_TRY(st);
    note_steady(m, &s);
    return dal_modal_sparse(m, sys, data, at, wanted, &s.axes);
}

static dal_status find_dense(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at,
                             const dal_modal_options *opt, int wanted)
{
    dal_pencil *p;
    dal_steady s;
    DAL_TRY(dal_pencil_create(&p, m->ctx, sys, data));
    dal_status st = dal_steady_find(&s, p, data, at, opt->axes);
    if (st == DAL_OK) {
        note_steady(m, &s);
        int periodic = s.steady == DAL_STEADINESS_FROZEN && opt->period > 0.0;
        if (s.steady == DAL_STEADINESS_AT_REST && opt->period > 0.0) {
            st = varies(&periodic, p, at, opt->period);
            st = st != DAL_OK || periodic ? st : dal_steady_find(&s, p, data, at, opt->axes); // the pencil as it was
        }
        st = st != DAL_OK ? st
             : periodic   ? dal_modal_floquet(m, p, data, at, opt->period, wanted)
                          : modal_dense(m, p, wanted);
    }
    dal_pencil_destroy(p);
    return st;
}

static dal_status check(dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_modal_options *opt)
{
    if (data && dal_data_system(data) != sys) {
        return dal_fail(ctx, DAL_EINVAL, "dal_modal_create: the data belong to another system");
    }
    if (opt->n < 0) {
        return dal_fail(ctx, DAL_EINVAL, "%d modes were requested; at least 1, or 0 for %d", opt->n, MODES_DEFAULT);
    }
    if (!(opt->period >= 0.0 && isfinite(opt->period))) {
        return dal_fail(ctx, DAL_EINVAL, "period = %g is not a valid period", opt->period);
    }
    return DAL_OK;
}

/* Is there an entry that is not zero in row r of S, or, r < 0, in any? */
static int has_entry(const dal_sparse *S, int r)
{
    int some = 0;
    for (int l = 0; l < S->colptr[S->ncols]; ++l) {
        some |= S->x[l] != 0.0 && (r < 0 || S->row[l] == r);
    }
    return some;
}

/* Is there a row of positions that is left out, but for those of open contacts, which are zero? */
static dal_status drops_positions(int *drops, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_point *at,
                                  const dal_sparse *B)
{
    dal_reduction *r;
    DAL_TRY(dal_reduction_create_with(&r, ctx, sys, data, at->t, at->q, 0.0));
    for (int k = 0; k < dal_reduction_count(r); ++k) {
        const int row = dal_reduction_rows(r)[k];
        int c = 0;
        for (int end = sys->constraint[0].nrows; end <= row; end += sys->constraint[c].nrows) {
            ++c;
        }
        *drops |= sys->constraint[c].kind == DAL_ROWS_POSITION && has_entry(B, row);
    }
    dal_reduction_destroy(r);
    return DAL_OK;
}

/* To the sparse way a row on velocities holds no position and nothing follows from one. That is wrong of the integral of a pid, and where
 * a row of positions says the same and is left out: a brake that sticks at a stop. */
static dal_status is_beyond_sparse(int *is, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_point *at)
{
    dal_linearization *lin;
    int velocities = 0;
    *is = 0;
    for (int c = 0; c < sys->nconstraints; ++c) {
        velocities |= sys->constraint[c].kind == DAL_ROWS_VELOCITY;
    }
    if (!velocities) {
        return DAL_OK;
    }
    DAL_TRY(dal_linearize_create(&lin, ctx, sys, data, DAL_WANT_B | DAL_WANT_Z));
    dal_status st = dal_linearize_at(lin, at);
    *is = st == DAL_OK && has_entry(dal_linearize_matrix(lin, DAL_WANT_Z), -1);
    st = st != DAL_OK || *is ? st : drops_positions(is, ctx, sys, data, at, dal_linearize_matrix(lin, DAL_WANT_B));
    dal_linearize_destroy(lin);
    return st;
}

/* Frequencies of a thin beam reach from a few to millions of Hz, of which the dense way loses the low ones; the sparse way, which
 * factors K, has them. Rows on velocities in motion and periods it does not know. */
static dal_status find(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at,
                       const dal_modal_options *opt, int wanted)
{
    const int moves = dal_steady_speed(sys, at) > 0.0;
    int all = opt->solver == DAL_MODAL_DENSE || (opt->solver == DAL_MODAL_AUTO && sys->group->nv <= DENSE_MAX) ||
              (sys->group->nv <= SMALL && !sys->slender && !moves);
    if (opt->solver == DAL_MODAL_AUTO && sys->slender) {
        all = opt->period > 0.0;
        for (int c = 0; c < sys->nconstraints && moves; ++c) {
            all |= sys->constraint[c].kind == DAL_ROWS_VELOCITY;
        }
    }
    int beyond = 0;
    DAL_TRY(all || moves ? DAL_OK : is_beyond_sparse(&beyond, m->ctx, sys, data, at));
    if (beyond && (opt->solver == DAL_MODAL_SPARSE || sys->group->nv > DENSE_MAX)) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "rows on velocities follow from positions, or say what rows of positions say as well (a pid, a "
                        "brake that sticks at a stop): the dense solver takes such systems");
    }
    return all || beyond           ? find_dense(m, sys, data, at, opt, wanted)
           : moves && sys->slender ? find_moving(m, sys, data, at, opt, wanted)
                                   : dal_modal_sparse(m, sys, data, at, wanted, NULL);
}

/* Where the dense way is the only one: say what may be wrong. */
static void doubt_slender(const dal_modal *m)
{
    const int first = m->info.rigid < m->info.n ? m->info.rigid : 0;
    const double low = m->info.n > 0 ? hypot(m->mode[first].re, m->mode[first].im) : 0.0;
    if (m->sys->slender && !m->info.sparse && (m->info.zeros > 0 || m->info.highest > 1e5 * low)) {
        dal_log(m->ctx, DAL_LOG_WARNING,
                "modes of thin beams in motion: the highest frequency is so far above the lowest that low ones may be "
                "lost or be shown as rigid; --solver sparse has them where no row is one of velocities");
    }
}

dal_status dal_modal_create_(dal_modal **modal, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                             const dal_point *at, const dal_modal_options *options, size_t size)
{
    DAL_NEED_AS(ctx, modal, "modal");
    *modal = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED_POINT(ctx, at, sys);
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", at->t, at->q, at->v));
    DAL_OWN(ctx, dal_modal_options, options);
    const dal_modal_options opt = options ? *options : (dal_modal_options){0};
    DAL_TRY(check(ctx, sys, data, &opt));
    dal_modal *m = dal_alloc_zero(ctx, sizeof *m);
    if (!m) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for modes");
    }
    m->ctx = ctx;
    m->arena = dal_arena_init(ctx);
    m->sys = sys;
    m->info.nv = sys->group->nv;
    for (int i = 0; i < m->info.nv; ++i) {
        m->info.states += dal_is_state(sys, i);
    }
    const int wanted = opt.n > 0 ? opt.n : MODES_DEFAULT;
    dal_status st = find(m, sys, data, at, &opt, wanted);
    st = st == DAL_OK && sys->contacts.n > 0 ? dal_redundant_rows(&m->info.redundant, ctx, sys, data, at) : st;
    if (st != DAL_OK) {
        dal_modal_destroy(m);
        return st;
    }
    doubt_slender(m);
    *modal = m;
    return DAL_OK;
}
