/* Dependent columns of a large sparse matrix by SuiteSparseQR, in two steps.
 *
 * Sparse QR takes the columns in an order that keeps R sparse, not in the order of what they have left. A column that
 * is dependent but for a little then brings a direction full of rounding errors, after which its partners look
 * independent. So the first step uses a loose tolerance: it gives a well-conditioned set S, and some candidates. The
 * second factors S alone and lets the candidates' parts orthogonal to S, few and dense, go through a pivoted QR. */
#include <SuiteSparseQR_C.h>

#include "linsol/blas_serial.h"
#include "linsol/rank_impl.h"

#define LOOSE 1e-4

/* Columns in CHOLMOD's terms, which index with long integers. */
typedef struct sparse {
    int ncols;
    SuiteSparse_long *p, *i;
    double *x;
} sparse;

static cholmod_sparse matrix(int n, const sparse *s)
{
    return (cholmod_sparse){
        .nrow = (size_t)n,
        .ncol = (size_t)s->ncols,
        .nzmax = (size_t)s->p[s->ncols],
        .p = s->p,
        .i = s->i,
        .x = s->x,
        .itype = CHOLMOD_LONG,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
        .packed = 1,
    };
}

static void carve_sparse(sparse *s, dal_arena *arena, const rank_columns *c)
{
    const size_t nnz = (size_t)c->p[c->ncols];
    s->p = dal_arena_take(arena, (size_t)c->ncols + 1, sizeof *s->p);
    s->i = dal_arena_take(arena, nnz, sizeof *s->i);
    s->x = dal_arena_take(arena, nnz, sizeof *s->x);
}

/* Append column j. */
static void append(sparse *s, const rank_columns *c, int j)
{
    SuiteSparse_long nnz = s->p[s->ncols];
    for (int l = c->p[j]; l < c->p[j + 1]; ++l) {
        s->i[nnz] = c->i[l];
        s->x[nnz++] = c->x[l];
    }
    s->p[++s->ncols] = nnz;
}

static dal_status failure(const rank_columns *c, const cholmod_common *common)
{
    return dal_fail(c->ctx, DAL_ENOMEM, "SPQR failed with status %d", common->status);
}

/* R is a staircase: a column that brought a new direction ends one row below those before it, a dependent one does
 * not. E: column j of R is column E[j] of the matrix (NULL: j). Returns the number of dependent columns. */
static int mark_dependent(rank_columns *c, const cholmod_sparse *R, const SuiteSparse_long *E)
{
    const SuiteSparse_long *p = R->p, *i = R->i;
    const double *x = R->x;
    SuiteSparse_long next = 0;
    for (int j = 0; j < c->ncols; ++j) {
        int live = 0;
        for (SuiteSparse_long l = p[j]; l < p[j + 1]; ++l) {
            live |= i[l] == next && x[l] != 0.0;
        }
        next += live;
        c->dead[E != NULL ? E[j] : j] = !live;
    }
    return c->ncols - (int)next;
}

/* First step: c->dead marks the candidates. */
static dal_status find_candidates(rank_columns *c, sparse *all, cholmod_common *common, int *ncandidates)
{
    for (int j = 0; j < c->ncols; ++j) {
        append(all, c, j);
    }
    cholmod_sparse Bt = matrix(c->n, all), *R = NULL;
    SuiteSparse_long *E = NULL;
    const double tol = c->tol > LOOSE ? c->tol : LOOSE;
    const SuiteSparse_long rank = SuiteSparseQR_C(SPQR_ORDERING_DEFAULT, tol, 0, 0, &Bt, NULL, NULL, NULL, NULL, &R, &E,
                                                  NULL, NULL, NULL, common);
    dal_status st = DAL_OK;
    if (rank < 0 || R == NULL) {
        st = failure(c, common);
    } else {
        *ncandidates = mark_dependent(c, R, E);
    }
    cholmod_l_free_sparse(&R, common);
    cholmod_l_free((size_t)c->ncols, sizeof *E, E, common);
    return st;
}

static dal_status first_step(rank_columns *c, cholmod_common *common, int *ncandidates)
{
    sparse all = {0};
    dal_arena arena = dal_arena_init(c->ctx);
    carve_sparse(&all, &arena, c);
    DAL_TRY(dal_arena_reserve(&arena));
    carve_sparse(&all, &arena, c);
    const dal_status st = find_candidates(c, &all, common, ncandidates);
    dal_arena_release(&arena);
    return st;
}

/* The set S and, as a dense n x ncandidates matrix, the candidates. */
typedef struct parts {
    dal_arena arena;
    sparse S;
    double *dense;
    int *candidate, *dead; /* numbers of the candidates, the verdict on each */
} parts;

static void carve(parts *s, const rank_columns *c, int ncandidates)
{
    carve_sparse(&s->S, &s->arena, c);
    s->dense = dal_arena_take(&s->arena, (size_t)c->n * (size_t)ncandidates, sizeof *s->dense);
    s->candidate = dal_arena_ints(&s->arena, ncandidates);
    s->dead = dal_arena_ints(&s->arena, ncandidates);
}

static void split(parts *s, const rank_columns *c)
{
    double *column = s->dense;
    int ncandidates = 0;
    for (int j = 0; j < c->ncols; ++j) {
        if (!c->dead[j]) {
            append(&s->S, c, j);
            continue;
        }
        for (int l = c->p[j]; l < c->p[j + 1]; ++l) {
            column[c->i[l]] += c->x[l];
        }
        column += c->n;
        s->candidate[ncandidates++] = j;
    }
}

/* Second step: with S = Q R the rows below R of Q^T X are what the candidates X have beside S. */
static dal_status judge(rank_columns *c, parts *s, cholmod_common *common, int ncandidates)
{
    cholmod_sparse S = matrix(c->n, &s->S);
    cholmod_dense X = {
        .nrow = (size_t)c->n,
        .ncol = (size_t)ncandidates,
        .nzmax = (size_t)c->n * (size_t)ncandidates,
        .d = (size_t)c->n,
        .x = s->dense,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
    };
    cholmod_dense *QtX = NULL;
    if (SuiteSparseQR_C(SPQR_ORDERING_DEFAULT, SPQR_NO_TOL, c->n, 0, &S, NULL, &X, NULL, &QtX, NULL, NULL, NULL, NULL,
                        NULL, common) < 0 ||
        QtX == NULL) {
        cholmod_l_free_dense(&QtX, common);
        return failure(c, common);
    }
    dal_status st = DAL_OK;
    for (int k = 0; k < ncandidates; ++k) {
        s->dead[k] = 1;
    }
    if (s->S.ncols < c->n) {
        st = dal_rank_pivoted(c->ctx, (double *)QtX->x + s->S.ncols, s->dead, c->n - s->S.ncols, ncandidates,
                              (int)QtX->d, c->tol);
    }
    for (int k = 0; k < ncandidates; ++k) {
        c->dead[s->candidate[k]] = s->dead[k];
    }
    cholmod_l_free_dense(&QtX, common);
    return st;
}

static dal_status second_step(rank_columns *c, cholmod_common *common, int ncandidates)
{
    parts s = {.arena = dal_arena_init(c->ctx)};
    carve(&s, c, ncandidates);
    DAL_TRY(dal_arena_reserve(&s.arena));
    carve(&s, c, ncandidates);
    split(&s, c);
    const dal_status st = judge(c, &s, common, ncandidates);
    dal_arena_release(&s.arena);
    return st;
}

dal_status dal_rank_sparse(rank_columns *c)
{
    cholmod_common common;
    int ncandidates = 0;
    dal_blas_serial_begin();
    cholmod_l_start(&common);
    common.print = 0; // nothing of ours prints
    dal_status st = first_step(c, &common, &ncandidates);
    if (st == DAL_OK && ncandidates > 0) {
        st = second_step(c, &common, ncandidates);
    }
    cholmod_l_finish(&common);
    dal_blas_serial_end();
    return st;
}
