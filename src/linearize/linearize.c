/* The matrices of a system by compressed columns. Blocks of one kind (pairs, links, links transposed) do not overlap, and
 * all columns of a factor or constraint have the same rows. Slots are those of linsol.h. */
#include "dalembert/linearize.h"

#include <limits.h>

#include "base/message.h"
#include "base/vector.h"
#include "linearize/bordered.h"
#include "linearize/linearization.h"
#include "system/sink.h"

typedef enum block_kind { PAIRS, LINKS, LINKS_TRANSPOSED, KINDS } block_kind;

/* A pattern with its slots. */
typedef struct blocks {
    int used, nblocks, nrows, ncols, nnz;
    int nslots; /* columns of all blocks together */
    int *colptr, *row;
    int **slot; /* nblocks: offsets, one per column */
} blocks;

enum { MATRICES = 7 };
static const struct {
    unsigned bit;
    block_kind kind;
} table[MATRICES] = {{DAL_WANT_M, PAIRS},
                     {DAL_WANT_C, PAIRS},
                     {DAL_WANT_K, PAIRS},
                     {DAL_WANT_B, LINKS},
                     {DAL_WANT_Z, LINKS},
                     {DAL_WANT_G, LINKS_TRANSPOSED},
                     {DAL_WANT_BT, LINKS_TRANSPOSED}};
enum { M_, C_, K_, B_, Z_, G_, BT_ };

struct dal_linearization {
    dal_sink sink; /* first: the tangents are pushed here */
    dal_ctx *ctx;
    dal_eval *ev, *own; /* own: created here, or NULL */
    blocks blocks[KINDS];
    dal_matrix to[MATRICES]; /* where blocks are added: values and slots; no values: not wanted */
    dal_sparse matrix[MATRICES];
    dal_arena arena;
};

/* ---- pattern ---------------------------------------------------------------------------------- */

static dal_block_at block_at(const dal_linearization *lin, block_kind k, int number)
{
    if (k == PAIRS) {
        return dal_pair_at(lin->ev, number);
    }
    const dal_block_at b = dal_link_at(lin->ev, number);
    return k == LINKS ? b : (dal_block_at){b.j, b.nj, b.i, b.ni};
}

static dal_status measure(dal_linearization *lin, block_kind k)
{
    const dal_eval *ev = lin->ev;
    blocks *p = &lin->blocks[k];
    p->nblocks = k == PAIRS ? ev->sys->npairs : ev->sys->nlinks;
    p->nrows = k == LINKS ? ev->nc : ev->nv;
    p->ncols = k == LINKS_TRANSPOSED ? ev->nc : ev->nv;
    size_t nnz = 0;
    for (int b = 0; b < p->nblocks; ++b) {
        const dal_block_at at = block_at(lin, k, b);
        nnz += (size_t)at.ni * (size_t)at.nj;
        p->nslots += at.nj;
    }
    if (nnz > INT_MAX) {
        return dal_fail(lin->ctx, DAL_EINVAL, "a matrix with %d rows and %zu entries is too large to linearise",
                        p->nrows, nnz);
    }
    p->nnz = (int)nnz;
    return DAL_OK;
}

/* Blocks by ascending rows; scratch: nrows + 1 zeros. */
static void sort_by_rows(const dal_linearization *lin, block_kind k, int *order, int *scratch)
{
    const blocks *p = &lin->blocks[k];
    for (int b = 0; b < p->nblocks; ++b) {
        scratch[block_at(lin, k, b).i]++;
    }
    for (int i = 0, sum = 0; i <= p->nrows; ++i) {
        const int n = scratch[i];
        scratch[i] = sum;
        sum += n;
    }
    for (int b = 0; b < p->nblocks; ++b) {
        order[scratch[block_at(lin, k, b).i]++] = b;
    }
}

/* order: blocks by ascending rows; fill: ncols + 1, scratch. */
static void set_pattern(dal_linearization *lin, block_kind k, const int *order, int *fill)
{
    blocks *p = &lin->blocks[k];
    for (int b = 0; b < p->nblocks; ++b) {
        const dal_block_at at = block_at(lin, k, b);
        for (int j = 0; j < at.nj; ++j) {
            p->colptr[at.j + j + 1] += at.ni;
        }
    }
    for (int j = 0; j < p->ncols; ++j) {
        p->colptr[j + 1] += p->colptr[j];
        fill[j] = p->colptr[j];
    }
    fill[p->ncols] = p->nnz;
    for (int n = 0; n < p->nblocks; ++n) {
        const dal_block_at at = block_at(lin, k, order[n]);
        for (int j = 0; j < at.nj; ++j) {
            p->slot[order[n]][j] = fill[at.j + j];
            for (int i = 0; i < at.ni; ++i) {
                p->row[fill[at.j + j]++] = at.i + i;
            }
        }
    }
}

static dal_status compress(dal_linearization *lin, block_kind k)
{
    const blocks *p = &lin->blocks[k];
    const size_t count = (size_t)p->nblocks + (size_t)p->nrows + 1 + (size_t)p->ncols + 1;
    int *order = dal_alloc_zero(lin->ctx, count * sizeof *order);
    if (!order) {
        return dal_fail(lin->ctx, DAL_ENOMEM, "no memory to linearise");
    }
    sort_by_rows(lin, k, order, order + p->nblocks);
    set_pattern(lin, k, order, order + p->nblocks + p->nrows + 1);
    dal_free(lin->ctx, order);
    return DAL_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_linearization *lin, dal_arena *arena)
{
    for (int k = 0; k < KINDS; ++k) {
        blocks *p = &lin->blocks[k];
        if (p->used) {
            p->colptr = dal_arena_ints(arena, p->ncols + 1);
            p->row = dal_arena_ints(arena, p->nnz);
            p->slot = dal_arena_take(arena, (size_t)p->nblocks, sizeof *p->slot);
            int *slots = dal_arena_ints(arena, p->nslots);
            for (int b = 0; slots && b < p->nblocks; ++b) {
                p->slot[b] = slots;
                slots += block_at(lin, (block_kind)k, b).nj;
            }
        }
    }
    for (int m = 0; m < MATRICES; ++m) {
        const blocks *p = &lin->blocks[table[m].kind];
        if (lin->sink.wants & table[m].bit) {
            lin->to[m] = (dal_matrix){.x = dal_arena_reals(arena, p->nnz), .slot = (const int *const *)p->slot};
            lin->matrix[m] = (dal_sparse){p->nrows, p->ncols, p->colptr, p->row, lin->to[m].x};
        }
    }
}

static dal_status set_up(dal_linearization *lin)
{
    for (int m = 0; m < MATRICES; ++m) {
        lin->blocks[table[m].kind].used |= (lin->sink.wants & table[m].bit) != 0;
    }
    for (int k = 0; k < KINDS; ++k) {
        DAL_TRY(measure(lin, (block_kind)k));
    }
    carve(lin, &lin->arena);
    DAL_TRY(dal_arena_reserve(&lin->arena));
    carve(lin, &lin->arena);
    for (int k = 0; k < KINDS; ++k) {
        if (lin->blocks[k].used) {
            DAL_TRY(compress(lin, (block_kind)k));
        }
    }
    return DAL_OK;
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K);
static void push_link(dal_sink *sink, int link, const double *B, const double *Z);
static void push_force(dal_sink *sink, int link, const double *G);

/* own: ev belongs to the object, also if this fails. */
static dal_status create(dal_linearization **out, dal_ctx *ctx, dal_eval *ev, int own, unsigned matrices)
{
    unsigned known = 0;
    for (int m = 0; m < MATRICES; ++m) {
        known |= table[m].bit;
    }
    dal_linearization *lin = dal_alloc_zero(ctx, sizeof *lin);
    dal_status st = lin ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "no memory to linearise");
    if (st == DAL_OK && (matrices & ~known)) {
        st = dal_fail(ctx, DAL_EINVAL, "there is no matrix with the bit %u to linearise: M, C, K, B, Z, G or BT",
                      matrices & ~known);
    }
    if (st == DAL_OK && ev->nlaws > 0 && (matrices & ~(unsigned)(DAL_WANT_M | DAL_WANT_BT))) {
        st = dal_fail(ctx, DAL_EINVAL, "this analysis knows nothing of laws (DAL_ROWS_LAW): write them as forces");
    }
    if (lin) {
        lin->ctx = ctx;
        lin->ev = ev;
        lin->arena = dal_arena_init(ctx);
        lin->sink = dal_sink_ignoring(matrices);
        lin->sink.pair = push_pair;
        lin->sink.link = push_link;
        lin->sink.link_force = push_force;
        st = st == DAL_OK ? set_up(lin) : st;
        lin->sink.wants |= matrices & DAL_WANT_BT ? (unsigned)DAL_WANT_B : 0U;
        lin->sink.wants &= ~(unsigned)DAL_WANT_BT;
        lin->sink.wants |= matrices & (DAL_WANT_C | DAL_WANT_K) ? (unsigned)DAL_WANT_MEANS : 0U;
        lin->sink.wants &= ev->sys->lambda_in_g ? ~0U : ~(unsigned)DAL_WANT_G;
    }
    if (st != DAL_OK) {
        dal_linearize_destroy(lin);
        if (own) {
            dal_eval_destroy(ev);
        }
        return st;
    }
    lin->own = own ? ev : NULL;
    *out = lin;
    return DAL_OK;
}

dal_status dal_linearize_create_with(dal_linearization **lin, dal_ctx *ctx, dal_eval *ev, unsigned matrices)
{
    *lin = NULL;
    return create(lin, ctx, ev, 0, matrices);
}

dal_status dal_linearize_create(dal_linearization **lin, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                unsigned matrices)
{
    DAL_NEED_AS(ctx, lin, "linearization");
    *lin = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    if (data && dal_data_system(data) != sys) {
        return dal_fail(ctx, DAL_EINVAL, "dal_linearize_create: the data belong to another system");
    }
    dal_eval *ev;
    DAL_TRY(dal_eval_create(&ev, ctx, sys, data));
    return create(lin, ctx, ev, 1, matrices);
}

void dal_linearize_destroy(dal_linearization *lin)
{
    if (lin) {
        dal_eval_destroy(lin->own);
        dal_arena_release(&lin->arena);
        dal_free(lin->ctx, lin);
    }
}

/* ---- values ----------------------------------------------------------------------------------- */

static void add(const dal_linearization *lin, int m, int number, const double *X)
{
    if (X && lin->to[m].x) {
        const dal_block_at b = block_at(lin, table[m].kind, number);
        dal_scatter(&lin->to[m], number, X, b.ni, b.ni, b.nj, 1.0);
    }
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const dal_linearization *lin = (dal_linearization *)sink;
    add(lin, M_, pair, M);
    add(lin, C_, pair, C);
    add(lin, K_, pair, K);
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_linearization *lin = (dal_linearization *)sink;
    const dal_block_at b = dal_link_at(lin->ev, link);
    add(lin, B_, link, B);
    add(lin, Z_, link, Z);
    if (B && lin->to[BT_].x) {
        dal_scatter_transposed(&lin->to[BT_], link, B, b.ni, b.ni, b.nj);
    }
}

static void push_force(dal_sink *sink, int link, const double *G)
{
    add((dal_linearization *)sink, G_, link, G);
}

dal_status dal_linearize_at(dal_linearization *lin, const dal_point *at)
{
    DAL_NEED_AS(NULL, lin, "linearization");
    DAL_NEED_POINT(lin->ctx, at, lin->ev->sys);
    for (int m = 0; m < MATRICES; ++m) {
        if (lin->to[m].x) {
            dal_zero(lin->to[m].x, lin->blocks[table[m].kind].nnz);
        }
    }
    return lin->sink.wants ? dal_eval_tangent(lin->ev, &lin->sink, at) : DAL_OK;
}

void dal_linearize_turn(dal_linearization *lin, int f, const double *D, const double *H)
{
    const dal_factor *F = &lin->ev->G->factor[f];
    const blocks *p = &lin->blocks[PAIRS];
    const int n = F->nv, rows = n > 0 ? p->colptr[F->v + 1] - p->colptr[F->v] : 0;
    double *M = lin->to[M_].x + p->colptr[F->v], *C = lin->to[C_].x + p->colptr[F->v],
           *K = lin->to[K_].x + p->colptr[F->v];
    for (int r = 0; r < rows; ++r) {
        double c[6], m[6];
        for (int j = 0; j < n; ++j) {
            m[j] = c[j] = 0.0;
            for (int l = 0; l < n; ++l) {
                c[j] += M[r + rows * l] * D[l + n * j];
                m[j] += M[r + rows * l] * H[l + n * j];
            }
            c[j] += C[r + rows * j];
        }
        for (int j = 0; j < n; ++j) {
            C[r + rows * j] = c[j] + m[j];
            for (int l = 0; l < n; ++l) {
                K[r + rows * j] += c[l] * H[l + n * j];
            }
        }
    }
}

static int number_of(unsigned matrix)
{
    int m = 0;
    while (m < MATRICES && table[m].bit != matrix) {
        ++m;
    }
    return m;
}

const dal_sparse *dal_linearize_matrix(const dal_linearization *lin, unsigned matrix)
{
    const int m = number_of(matrix);
    return lin && m < MATRICES && lin->to[m].x ? &lin->matrix[m] : NULL;
}

/* ---- names ------------------------------------------------------------------------------------ */

static void name(const dal_linearization *lin, char *buffer, size_t size, int constraint, int index)
{
    if (!buffer || size == 0) {
        return;
    }
    buffer[0] = '\0';
    if (!lin || index < 0 || index >= (constraint ? lin->ev->nc : lin->ev->nv)) {
        return;
    }
    if (constraint) {
        dal_eval_row_name(lin->ev, buffer, size, index);
    } else {
        dal_eval_velocity_name(lin->ev, buffer, size, index);
    }
}

void dal_linearize_row_name(const dal_linearization *lin, char *buffer, size_t size, unsigned matrix, int row)
{
    const int m = number_of(matrix);
    name(lin, buffer, size, m < MATRICES && table[m].kind == LINKS, m < MATRICES ? row : -1);
}

void dal_linearize_column_name(const dal_linearization *lin, char *buffer, size_t size, unsigned matrix, int column)
{
    const int m = number_of(matrix);
    name(lin, buffer, size, m < MATRICES && table[m].kind == LINKS_TRANSPOSED, m < MATRICES ? column : -1);
}

/* ---- linear systems --------------------------------------------------------------------------- */

static dal_status announce(dal_pattern *pattern, const void *self)
{
    return dal_bordered_announce(pattern, ((const dal_linearization *)self)->ev,
                                 DAL_BORDERED_PAIRS | DAL_BORDERED_LINKS);
}

dal_status dal_linearize_solver(dal_linsol **ls, const dal_linearization *lin, dal_linsol_kind kind)
{
    DAL_NEED(lin ? lin->ctx : NULL, ls);
    *ls = NULL;
    DAL_NEED_AS(NULL, lin, "linearization");
    return dal_layout_solver(ls, lin->ctx, lin->ev->nv + lin->ev->nc, kind, announce, lin);
}

/* A block of matrix m, and its leading dimension. */
static const double *block(const dal_linearization *lin, int m, int number, int *ld)
{
    const int *colptr = lin->matrix[m].colptr, j = block_at(lin, table[m].kind, number).j;
    *ld = colptr[j + 1] - colptr[j];
    return lin->to[m].x + lin->to[m].slot[number][0];
}

/* Border of (CS.8). */
static void combine_link(dal_matrix *A, const dal_linearization *lin, int link)
{
    const int slot = lin->ev->sys->npairs + 2 * link;
    const dal_block_at b = dal_link_at(lin->ev, link);
    int ld;
    const double *X = block(lin, B_, link, &ld);
    dal_scatter(A, slot, X, ld, b.ni, b.nj, 1.0);
    dal_scatter_transposed(A, slot + 1, X, ld, b.ni, b.nj);
    if (lin->to[G_].x) {
        X = block(lin, G_, link, &ld);
        dal_scatter(A, slot + 1, X, ld, b.nj, b.ni, 1.0);
    }
}

dal_status dal_linearize_combine(dal_linsol *ls, const dal_linearization *lin, double m, double c, double k)
{
    DAL_NEED_AS(NULL, lin, "linearization");
    DAL_NEED(lin->ctx, ls);
    const dal_system *sys = lin->ev->sys;
    const double scale[] = {m, c, k};
    dal_matrix *A = dal_linsol_matrix(ls);
    if (A->n != lin->ev->nv + lin->ev->nc || A->nslots != sys->npairs + 2 * sys->nlinks) {
        return dal_fail(lin->ctx, DAL_EINVAL, "this solver was not made by dal_linearize_solver of this system");
    }
    for (int i = M_; i <= B_; ++i) {
        if (!lin->to[i].x && (i == B_ ? lin->ev->nc > 0 : scale[i] != 0.0)) {
            return dal_fail(lin->ctx, DAL_EINVAL, "%c is used, but was not requested in dal_linearize_create",
                            "MCKB"[i]);
        }
    }
    dal_matrix_zero(A);
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(lin->ev, p);
        for (int i = M_; i <= K_; ++i) {
            int ld = 0;
            const double *X = scale[i] != 0.0 ? block(lin, i, p, &ld) : NULL;
            if (X) {
                dal_scatter(A, p, X, ld, b.ni, b.nj, scale[i]);
            }
        }
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        combine_link(A, lin, l);
    }
    return DAL_OK;
}
