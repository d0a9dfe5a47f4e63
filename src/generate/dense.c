/* Bodies whose blocks of the matrix are full, 6x6, as those of nodes of beams: they are eliminated as blocks (dense.txt), if all
 * that is left beside and below them are such blocks. With the inverse of the diagonal block D, L = A_iD D^-1 and
 * A_ij -= L A_Dj; rows of U stay as they are, unlike those of single pivots. */
#include "generate/generate_impl.h"

/* The first velocity of the body that velocity k belongs to, if it has six; else -1. */
static int first_of(const gen *g, int k)
{
    for (int b = 1; b < g->m->body_names.n; ++b) {
        const mb_body *body = &g->m->body[b];
        if (!body->flex && body->nv == GEN_DENSE && k >= body->v && k < body->v + GEN_DENSE) {
            return body->v;
        }
    }
    return -1;
}

/* Is the block at (i, j) full, of values that the program computes, and are they side by side, or without a place yet? */
static int is_full(const gen_matrix *A, int i, int j)
{
    const int first = A->at[i + j * A->n];
    int full = 1;
    for (int k = 0; k < GEN_DENSE * GEN_DENSE; ++k) {
        const int place = i + k % GEN_DENSE + (j + k / GEN_DENSE) * A->n;
        full &= A->at[place] >= 0 && isnan(A->known[place]) &&
                A->at[place] == (first == GEN_PRESENT ? GEN_PRESENT : first + k);
    }
    return full;
}

/* Bodies left after pivot n that the one with velocities from d on is coupled with, in the order of elimination; -1: it is
 * coupled with something else, too, or not by full blocks. */
static int neighbours(const gen *g, int *list, int n, int d)
{
    const gen_matrix *A = &g->A;
    int count = 0, rows = 0;
    for (int k = n + GEN_DENSE; k < A->n; ++k) {
        const int r = A->pivot_row[k], c = A->pivot_col[k], i = r == c && r < g->nv ? first_of(g, r) : -1;
        int coupled = 0;
        for (int e = d; e < d + GEN_DENSE; ++e) {
            coupled |= A->at[r + e * A->n] >= 0 || A->at[e + c * A->n] >= 0;
        }
        if (coupled && (i < 0 || !is_full(A, i, d) || !is_full(A, d, i))) {
            return -1;
        }
        rows += coupled;
        if (coupled && r == i) {
            list[count++] = i;
        }
    }
    if (rows != GEN_DENSE * count) { // some of its velocities are gone
        return -1;
    }
    for (int k = 0; k < count * count; ++k) {
        if (!is_full(A, list[k / count], list[k % count])) {
            return -1;
        }
    }
    return count;
}

int gen_dense_neighbours(const gen *g, int *list, int n)
{
    const gen_matrix *A = &g->A;
    const int d = A->pivot_row[n], here = gen_large(g) && g->how->scalar == DAL_GENERATE_DOUBLE;
    if (!here || g->saddle || n + GEN_DENSE > A->n || d >= g->nv || first_of(g, d) != d || !is_full(A, d, d)) {
        return -1;
    }
    for (int k = 0; k < GEN_DENSE; ++k) {
        if (A->pivot_row[n + k] != d + k || A->pivot_col[n + k] != d + k) {
            return -1;
        }
    }
    return neighbours(g, list, n, d);
}

/* The block at (i, j), with its place. */
static int block_at(gen *g, int i, int j)
{
    gen_matrix *A = &g->A;
    for (int k = 0; k < GEN_DENSE * GEN_DENSE; ++k) {
        (void)gen_entry_value(A, i + k % GEN_DENSE, j + k / GEN_DENSE);
    }
    return A->at[i + j * A->n];
}

/* What single pivots before n leave of the block at (i, j), where it is used next; of fill no one has seen: nothing. */
static int print_pending(gen *g, int n, int i, int j)
{
    gen_matrix *A = &g->A;
    const int at = block_at(g, i, j);
    for (int k = 0; k < GEN_DENSE * GEN_DENSE; ++k) {
        const int row = i + k % GEN_DENSE, column = j + k / GEN_DENSE, place = row + column * A->n;
        if (gen_print_entry(g, n, row, column, NULL) == 0 && !A->seen[place]) {
            PUT("    A[%d] = REAL(0.0);\n", at + k);
        }
        A->seen[place] = 1;
    }
    return at;
}

/* Does the pivot after that of n go as a block, too, on which the one of n does not act, as where a chain is eliminated from both ends? */
static int goes_beside(const gen *g, int n, int *list, int count)
{
    const int next = n + GEN_DENSE < g->A.n ? g->A.pivot_row[n + GEN_DENSE] : -1;
    for (int k = 0; k < count; ++k) {
        if (list[k] == next) {
            return 0;
        }
    }
    return next >= 0 && gen_dense_neighbours(g, list + count, n + GEN_DENSE) >= 0;
}

/* The inverse of the diagonal block, with that of the next pivot where they do not wait for each other. */
static void print_inverse(gen *g, int n, int *list, int count)
{
    gen_matrix *A = &g->A;
    const int d = A->pivot_row[n];
    if (A->inverted == n && n > 0) {
        return;
    }
    if (goes_beside(g, n, list, count)) {
        A->inverted = n + GEN_DENSE;
        const int e = A->pivot_row[A->inverted], E = print_pending(g, n, e, e);
        PUT("    block_invert_two(A + %d, A + %d);\n", block_at(g, d, d), E);
    } else {
        PUT("    block_invert(A + %d);\n", block_at(g, d, d));
    }
}

void gen_print_dense_pivot(gen *g, int n, int *list, int count)
{
    gen_matrix *A = &g->A;
    const int d = A->pivot_row[n], D = A->inverted == n && n > 0 ? block_at(g, d, d) : print_pending(g, n, d, d);
    for (int k = 0; k < count; ++k) {
        (void)print_pending(g, n, list[k], d);
        (void)print_pending(g, n, d, list[k]);
    }
    print_inverse(g, n, list, count);
    for (int k = 0; k < count; ++k) {
        const int L = block_at(g, list[k], d);
        PUT("    block_times(A + %d, A + %d);\n", L, D);
        for (int l = 0; l < count; ++l) {
            const int i = list[k], j = list[l], T = block_at(g, i, j);
            if (!A->seen[i + j * A->n]) {
                PUT("    memset(A + %d, 0, %d * sizeof *A);\n", T, GEN_DENSE * GEN_DENSE);
            }
            for (int e = 0; e < GEN_DENSE * GEN_DENSE; ++e) {
                A->seen[i + e % GEN_DENSE + (j + e / GEN_DENSE) * A->n] = 1;
            }
            PUT("    block_subtract(A + %d, A + %d, A + %d);\n", T, L, block_at(g, d, j));
        }
    }
    for (int k = 0; k < GEN_DENSE; ++k) {
        A->dense[n + k] = (unsigned char)(k + 1);
    }
}

void gen_print_dense_forward(gen *g, int n, int *list)
{
    const int d = g->A.pivot_row[n], count = neighbours(g, list, n, d);
    for (int k = 0; k < count; ++k) {
        PUT("    block_take(b + %d, A + %d, b + %d);\n", list[k], block_at(g, list[k], d), d);
    }
}

void gen_print_dense_back(gen *g, int n, int *list)
{
    const int d = g->A.pivot_row[n], count = neighbours(g, list, n, d);
    for (int k = count - 1; k >= 0; --k) { // the one that was found last comes last
        PUT("    block_take(b + %d, A + %d, x + %d);\n", d, block_at(g, d, list[k]), list[k]);
    }
    PUT("    block_apply(x + %d, A + %d, b + %d);\n", d, block_at(g, d, d), d);
}
