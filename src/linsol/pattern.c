/* Patterns: a list of dense blocks becomes a matrix with slots. */
#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "linsol/linsol_impl.h"
#include "linsol/steady.h"

dal_status dal_pattern_create(dal_pattern **pattern, dal_ctx *ctx, int n)
{
    DAL_NEED(ctx, pattern);
    *pattern = NULL;
    DAL_NEED(NULL, ctx);
    if (n < 1) {
        return dal_fail(ctx, DAL_EINVAL, "a matrix with %d rows", n);
    }
    dal_pattern *p = dal_alloc_zero(ctx, sizeof *p);
    if (p == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "pattern");
    }
    p->ctx = ctx;
    p->n = n;
    *pattern = p;
    return DAL_OK;
}

void dal_pattern_destroy(dal_pattern *pattern)
{
    if (pattern != NULL) {
        dal_free(pattern->ctx, pattern->block);
        dal_free(pattern->ctx, pattern->node);
        dal_free(pattern->ctx, pattern);
    }
}

/* Double the room for blocks. */
static dal_status grow(dal_pattern *p)
{
    const int capacity = p->capacity > 0 ? 2 * p->capacity : 16;
    if (p->capacity > INT_MAX / 2) {
        return dal_fail(p->ctx, DAL_EINVAL, "more than %d blocks", p->capacity);
    }
    dal_block *b = dal_alloc(p->ctx, (size_t)capacity * sizeof *b);
    if (b == NULL) {
        return dal_fail(p->ctx, DAL_ENOMEM, "pattern with %d blocks", capacity);
    }
    if (p->nblocks > 0) {
        memcpy(b, p->block, (size_t)p->nblocks * sizeof *b);
    }
    dal_free(p->ctx, p->block);
    p->block = b;
    p->capacity = capacity;
    return DAL_OK;
}

dal_status dal_pattern_block(dal_pattern *p, int i, int j, int ni, int nj)
{
    DAL_NEED_AS(NULL, p, "pattern");
    if (i < 0 || j < 0 || ni < 0 || nj < 0 || ni > p->n - i || nj > p->n - j) {
        return dal_fail(p->ctx, DAL_EINVAL, "block %d: %d x %d entries at (%d, %d) of a %d x %d matrix", p->nblocks, ni,
                        nj, i, j, p->n, p->n);
    }
    if (p->ncolumns + (size_t)nj > INT_MAX) {
        return dal_fail(p->ctx, DAL_EINVAL, "block %d: the slots are too long", p->nblocks);
    }
    if (p->nblocks == p->capacity) {
        DAL_TRY(grow(p));
    }
    p->block[p->nblocks++] = (dal_block){i, j, ni, nj};
    p->ncolumns += (size_t)nj;
    return DAL_OK;
}

void dal_pattern_steady(dal_pattern *pattern)
{
    pattern->steady = 1;
}

dal_status dal_pattern_node(dal_pattern *p, int first, int n, int node, int level)
{
    DAL_NEED_AS(NULL, p, "pattern");
    if (first < 0 || n < 0 || n > p->n - first || node < 0 || node >= p->n || level < 0 || level > 1) {
        return dal_fail(p->ctx, DAL_EINVAL, "node %d, level %d: unknowns %d .. %d of %d", node, level, first,
                        first + n - 1, p->n);
    }
    if (p->node == NULL) {
        p->node = dal_alloc(p->ctx, 2 * (size_t)p->n * sizeof *p->node);
        if (p->node == NULL) {
            return dal_fail(p->ctx, DAL_ENOMEM, "nodes of the pattern");
        }
        p->level = p->node + p->n;
        for (int i = 0; i < p->n; ++i) {
            p->node[i] = -1;
            p->level[i] = 0;
        }
    }
    for (int i = first; i < first + n; ++i) {
        p->node[i] = node;
        p->level[i] = level;
    }
    return DAL_OK;
}

int dal_pattern_has_nodes(const dal_pattern *p)
{
    int yes = p->node != NULL;
    for (int i = 0; i < p->n && yes; ++i) {
        yes = p->node[i] >= 0;
    }
    return yes;
}

void dal_pattern_dense_slots(const dal_pattern *p, int *const *slot)
{
    for (int k = 0; k < p->nblocks; ++k) {
        const dal_block b = p->block[k];
        for (int j = 0; j < b.nj; ++j) {
            slot[k][j] = b.i + (b.j + j) * p->n;
        }
    }
}

/* Blocks met by each column, by ascending first row: list[start[j] .. start[j+1]-1] for column j. Blocks without
 * rows are left out. */
typedef struct columns {
    dal_arena arena;
    int *start; /* n + 1 */
    int *list;  /* all columns of all blocks */
    int *order; /* nblocks: blocks by first row */
    int *count; /* n + 1: work */
} columns;

static void carve(columns *c, const dal_pattern *p)
{
    c->start = dal_arena_ints(&c->arena, p->n + 1);
    c->count = dal_arena_ints(&c->arena, p->n + 1);
    c->order = dal_arena_ints(&c->arena, p->nblocks);
    c->list = dal_arena_ints(&c->arena, (int)p->ncolumns);
}

/* Two counting sorts: blocks by first row, then, in this order, into the columns they meet. */
static dal_status sort_blocks(columns *c, const dal_pattern *p)
{
    const int n = p->n;
    c->arena = dal_arena_init(p->ctx);
    carve(c, p);
    DAL_TRY(dal_arena_reserve(&c->arena));
    carve(c, p);

    for (int k = 0; k < p->nblocks; ++k) {
        const dal_block b = p->block[k];
        if (b.ni > 0) {
            ++c->count[b.i + 1];
            for (int j = b.j; j < b.j + b.nj; ++j) {
                ++c->start[j + 1];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        c->count[i + 1] += c->count[i];
        c->start[i + 1] += c->start[i];
    }
    int nordered = 0;
    for (int k = 0; k < p->nblocks; ++k) {
        if (p->block[k].ni > 0) {
            c->order[c->count[p->block[k].i]++] = k;
            ++nordered;
        }
    }
    // count becomes the next free place of each column
    memcpy(c->count, c->start, (size_t)n * sizeof *c->count);
    for (int o = 0; o < nordered; ++o) {
        const int k = c->order[o];
        for (int j = p->block[k].j; j < p->block[k].j + p->block[k].nj; ++j) {
            c->list[c->count[j]++] = k;
        }
    }
    return DAL_OK;
}

/* Number of rows in column j: length of the union of intervals that ascend with their first row. */
static int column_count(const columns *c, const dal_pattern *p, int j)
{
    int end = 0, count = 0;
    for (int l = c->start[j]; l < c->start[j + 1]; ++l) {
        const dal_block b = p->block[c->list[l]];
        const int first = b.i > end ? b.i : end;
        if (b.i + b.ni > first) {
            count += b.i + b.ni - first;
            end = b.i + b.ni;
        }
    }
    return count;
}

dal_status dal_pattern_count(const dal_pattern *p, size_t *nnz)
{
    columns c;
    *nnz = 0;
    DAL_TRY(sort_blocks(&c, p));
    for (int j = 0; j < p->n; ++j) {
        *nnz += (size_t)column_count(&c, p, j);
    }
    dal_arena_release(&c.arena);
    return DAL_OK;
}

dal_status dal_pattern_compress(const dal_pattern *p, int *colptr, int *row, int *const *slot)
{
    columns c;
    DAL_TRY(sort_blocks(&c, p));
    int pos = 0;
    for (int j = 0; j < p->n; ++j) {
        colptr[j] = pos;
        int end = 0; // rows below end are written
        for (int l = c.start[j]; l < c.start[j + 1]; ++l) {
            const int k = c.list[l];
            const dal_block b = p->block[k];
            // the rows b.i .. end-1 are there already, and without a gap: the last end - b.i entries
            slot[k][j - b.j] = b.i < end ? pos - (end - b.i) : pos;
            for (int i = b.i > end ? b.i : end; i < b.i + b.ni; ++i) {
                row[pos++] = i;
            }
            if (b.i + b.ni > end) {
                end = b.i + b.ni;
            }
        }
    }
    colptr[p->n] = pos;
    dal_arena_release(&c.arena);
    return DAL_OK;
}
