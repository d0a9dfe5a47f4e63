/* Cost of the linear solvers: full matrices, and the saddle matrices of chains of bodies.
 *
 *     [ M  B^T ]   bodies: blocks of 6 rows,  joint i: 3 rows that touch the bodies i - 1 and i
 *     [ B   0  ]
 */
#include <string.h>

#include "bench.h"
#include "dalembert/linsol.h"

enum { BODY = 6, JOINT = 3 };

/* A repeatable sequence in [-1, 1). */
static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

typedef struct problem {
    dal_ctx *ctx;
    dal_linsol *ls;
    int n;
    double *values, *b, *x;
} problem;

/* ---- matrices --------------------------------------------------------------------------------- */

static dal_pattern *full_pattern(dal_ctx *ctx, int n)
{
    dal_pattern *p = NULL;
    bench_ok(ctx, dal_pattern_create(&p, ctx, n));
    bench_ok(ctx, dal_pattern_block(p, 0, 0, n, n));
    return p;
}

static void fill_full(dal_matrix *A)
{
    unsigned seed = 1;
    for (int k = 0; k < A->nnz; ++k) {
        A->x[k] = noise(&seed);
    }
}

/* Slots: for each body one, for each joint B and B^T of its one or two bodies. */
static dal_pattern *chain_pattern(dal_ctx *ctx, int bodies)
{
    dal_pattern *p = NULL;
    bench_ok(ctx, dal_pattern_create(&p, ctx, (BODY + JOINT) * bodies));
    for (int i = 0; i < bodies; ++i) {
        bench_ok(ctx, dal_pattern_block(p, BODY * i, BODY * i, BODY, BODY));
        bench_ok(ctx, dal_pattern_node(p, BODY * i, BODY, i, 0));
    }
    for (int j = 0; j < bodies; ++j) {
        const int row = BODY * bodies + JOINT * j;
        bench_ok(ctx, dal_pattern_node(p, row, JOINT, bodies + j, 1));
        for (int i = j > 0 ? j - 1 : 0; i <= j; ++i) {
            bench_ok(ctx, dal_pattern_block(p, row, BODY * i, JOINT, BODY));
            bench_ok(ctx, dal_pattern_block(p, BODY * i, row, BODY, JOINT));
        }
    }
    return p;
}

static void fill_chain(dal_matrix *A, int bodies)
{
    unsigned seed = 1;
    double M[BODY * BODY], B[JOINT * BODY], Bt[BODY * JOINT];
    int slot = 0;
    dal_matrix_zero(A);
    for (int i = 0; i < bodies; ++i) {
        for (int k = 0; k < BODY * BODY; ++k) {
            M[k] = k % (BODY + 1) == 0 ? 1.0 + 0.5 * noise(&seed) : 0.1 * noise(&seed);
        }
        dal_matrix_add(A, slot++, M, BODY, BODY, BODY);
    }
    for (int j = 0; j < bodies; ++j) {
        for (int i = j > 0 ? j - 1 : 0; i <= j; ++i) {
            for (int c = 0; c < BODY; ++c) {
                for (int r = 0; r < JOINT; ++r) {
                    const double translation = c == r ? (i == j ? 1.0 : -1.0) : 0.0;
                    B[r + JOINT * c] = c < JOINT ? translation : 0.5 * noise(&seed);
                    Bt[c + BODY * r] = B[r + JOINT * c];
                }
            }
            dal_matrix_add(A, slot++, B, JOINT, JOINT, BODY);
            dal_matrix_add(A, slot++, Bt, BODY, BODY, JOINT);
        }
    }
}

/* ---- work ------------------------------------------------------------------------------------- */

static void new_problem(problem *p, dal_ctx *ctx, dal_pattern *pattern, dal_linsol_kind kind, int bodies)
{
    *p = (problem){.ctx = ctx};
    bench_ok(ctx, dal_linsol_create(&p->ls, ctx, pattern, kind));
    dal_pattern_destroy(pattern);
    dal_matrix *A = dal_linsol_matrix(p->ls);
    if (bodies > 0) {
        fill_chain(A, bodies);
    } else {
        fill_full(A);
    }
    p->n = A->n;
    p->values = malloc((size_t)A->nnz * sizeof *p->values);
    p->b = malloc((size_t)A->n * sizeof *p->b);
    p->x = malloc((size_t)A->n * sizeof *p->x);
    if (p->values == NULL || p->b == NULL || p->x == NULL) {
        exit(EXIT_FAILURE);
    }
    memcpy(p->values, A->x, (size_t)A->nnz * sizeof *p->values);
    for (int i = 0; i < p->n; ++i) {
        p->b[i] = 1.0 + i % 7;
    }
    bench_ok(ctx, dal_linsol_factor(p->ls));
}

static void free_problem(problem *p)
{
    dal_linsol_destroy(p->ls);
    free(p->values);
    free(p->b);
    free(p->x);
}

static void solve(void *data)
{
    problem *p = data;
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    dal_linsol_solve(p->ls, p->x);
}

static void factor(void *data)
{
    problem *p = data;
    bench_ok(p->ctx, dal_linsol_factor(p->ls));
}

static void factor_and_solve(void *data)
{
    factor(data);
    solve(data);
}

/* Values that change so much that new pivots are due each time: the first body becomes light and heavy in turn. */
static void factor_anew(void *data)
{
    problem *p = data;
    dal_matrix *A = dal_linsol_matrix(p->ls);
    const double scale = A->x[0] == p->values[0] ? 1e4 : 1.0;
    for (int j = 0; j < BODY; ++j) {
        for (int i = 0; i < BODY; ++i) {
            const int k = A->slot[0][j] + i;
            A->x[k] = scale * p->values[k];
        }
    }
    factor(data);
}

typedef struct creation {
    dal_ctx *ctx;
    int bodies;
    dal_linsol_kind kind;
} creation;

static void create_and_factor(void *data)
{
    const creation *c = data;
    problem p;
    new_problem(&p, c->ctx, chain_pattern(c->ctx, c->bodies), c->kind, c->bodies);
    free_problem(&p);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static const dal_linsol_kind kinds[] = {DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE, DAL_LINSOL_BLOCK};

static void full_table(dal_ctx *ctx)
{
    static const int n[] = {6, 9, 12, 18, 24, 36, 48, 60, 80, 100, 150};
    static const char *const head[] = {"n", "small", "dense", "sparse"};
    bench_title("full matrices, factor + solve, ns");
    bench_heads(head, 4);
    for (size_t k = 0; k < sizeof n / sizeof n[0]; ++k) {
        bench_label(n[k]);
        for (int kind = 0; kind < 3; ++kind) {
            problem p;
            new_problem(&p, ctx, full_pattern(ctx, n[k]), kinds[kind], 0);
            bench_cell(1e9 * bench_seconds(factor_and_solve, &p));
            free_problem(&p);
        }
        bench_end();
    }
}

static void short_chain_table(dal_ctx *ctx)
{
    static const int bodies[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30};
    static const char *const head[] = {"bodies", "n", "small", "dense", "sparse", "block", "auto"};
    bench_title("chains of bodies, factor + solve, ns");
    bench_heads(head, 7);
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; ++k) {
        bench_label(bodies[k]);
        bench_cell((BODY + JOINT) * bodies[k]);
        problem p;
        for (int kind = 0; kind < 4; ++kind) {
            new_problem(&p, ctx, chain_pattern(ctx, bodies[k]), kinds[kind], bodies[k]);
            bench_cell(1e9 * bench_seconds(factor_and_solve, &p));
            free_problem(&p);
        }
        new_problem(&p, ctx, chain_pattern(ctx, bodies[k]), DAL_LINSOL_AUTO, bodies[k]);
        printf("%14s", dal_linsol_name(p.ls));
        free_problem(&p);
        bench_end();
    }
}

static void long_chain_table(dal_ctx *ctx)
{
    static const int bodies[] = {10, 100, 1000, 4000};
    static const char *const head[] = {"bodies", "sparse create", "new pivots", "refactor",
                                       "solve",  "block create",  "factor",     "solve"};
    bench_title("chains of bodies, sparse and block, us per body (create: pattern, analysis, first factors)");
    bench_heads(head, 8);
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; ++k) {
        const double us = 1e6 / bodies[k];
        creation c = {ctx, bodies[k], DAL_LINSOL_SPARSE};
        problem p;
        new_problem(&p, ctx, chain_pattern(ctx, bodies[k]), DAL_LINSOL_SPARSE, bodies[k]);
        bench_label(bodies[k]);
        bench_cell(us * bench_seconds(create_and_factor, &c));
        bench_cell(us * bench_seconds(factor_anew, &p));
        factor_and_solve(&p);
        bench_cell(us * bench_seconds(factor, &p));
        bench_cell(us * bench_seconds(solve, &p));
        free_problem(&p);
        c.kind = DAL_LINSOL_BLOCK;
        new_problem(&p, ctx, chain_pattern(ctx, bodies[k]), DAL_LINSOL_BLOCK, bodies[k]);
        bench_cell(us * bench_seconds(create_and_factor, &c));
        bench_cell(us * bench_seconds(factor, &p));
        bench_cell(us * bench_seconds(solve, &p));
        bench_end();
        free_problem(&p);
    }
}

int main(void)
{
    dal_ctx *ctx = NULL;
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    full_table(ctx);
    short_chain_table(ctx);
    long_chain_table(ctx);
    dal_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
