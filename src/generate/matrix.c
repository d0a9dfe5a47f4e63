/* The iteration matrix: its pattern grows while the Jacobian is printed; then the factors are printed as straight-line code
 * on the entries that are not zero, in the order of order.c. */
#include <stdio.h>

#include "generate/generate_impl.h"

dal_status gen_matrix_init(gen *g)
{
    gen_matrix *A = &g->A;
    const size_t n = (size_t)g->n;
    *A = (gen_matrix){.n = g->n};
    A->at = dal_alloc_zero(g->ctx, n * n * sizeof(int));
    A->seen = dal_alloc_zero(g->ctx, n * n);
    A->known = dal_alloc_zero(g->ctx, n * n * sizeof(double));
    A->unit = dal_alloc_zero(g->ctx, n * sizeof(double));
    A->pivot_row = dal_alloc_zero(g->ctx, n * sizeof(int));
    A->pivot_col = dal_alloc_zero(g->ctx, n * sizeof(int));
    A->left_out = dal_alloc_zero(g->ctx, n + 1);
    A->mask = dal_alloc_zero(g->ctx, (n + 1) * sizeof(int));
    A->dense = dal_alloc_zero(g->ctx, n + 1);
    if (!A->left_out || !A->mask || !A->dense || !A->at || !A->seen || !A->known || !A->unit || !A->pivot_row ||
        !A->pivot_col) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the pattern of the matrix");
    }
    for (size_t k = 0; k < n * n; ++k) {
        A->at[k] = -1;
        A->known[k] = (double)NAN;
    }
    for (int i = 1; i < g->m->body_names.n && !g->saddle; ++i) {
        const int turning = gen_chart_of(&g->m->body[i])->n;
        g->body[i].inverse = A->nnz;
        A->nnz += turning * turning;
    }
    A->nfirst = A->nnz;
    return DAL_OK;
}

void gen_matrix_release(gen *g)
{
    gen_matrix *A = &g->A;
    dal_free(g->ctx, A->at);
    dal_free(g->ctx, A->seen);
    dal_free(g->ctx, A->known);
    dal_free(g->ctx, A->unit);
    dal_free(g->ctx, A->pivot_row);
    dal_free(g->ctx, A->pivot_col);
    dal_free(g->ctx, A->op);
    dal_free(g->ctx, A->left_out);
    dal_free(g->ctx, A->mask);
    dal_free(g->ctx, A->dense);
}

void gen_entry(gen_matrix *A, int i, int j)
{
    int *at = &A->at[i + j * A->n];
    *at = *at < 0 ? GEN_PRESENT : *at;
}

/* Where an entry is in A: those that are printed are numbered in that order. */
static int index_of(gen_matrix *A, int place)
{
    int *at = &A->at[place];
    *at = *at == GEN_PRESENT ? A->nnz++ : *at;
    return *at;
}

gen_term gen_entry_value(gen_matrix *A, int row, int column)
{
    const double known = A->known[row + column * A->n];
    return isnan(known) ? gen_name(1.0, "A[%d]", index_of(A, row + column * A->n)) : gen_const(known);
}

void gen_scatter(gen *g, int row, int column, unsigned scale, const gen_mat *X)
{
    gen_matrix *A = &g->A;
    for (int j = 0; j < X->n; ++j) {
        for (int i = 0; i < X->m; ++i) {
            const int place = row + i + (column + j) * A->n;
            const gen_term t = gen_scaled(g, scale, X->e[i + j * X->m]);
            const int mask = A->mask[row + i];
            char text[2 * GEN_NAME], number[GEN_NAME], on[GEN_NAME] = "";
            if (t.c == 0.0 || A->left_out[row + i] || A->left_out[column + j]) {
                continue;
            }
            gen_entry(A, row + i, column + j);
            const double known = A->seen[place] ? A->known[place] : 0.0;
            A->seen[place] = 1;
            A->known[place] = t.s[0] || mask > 0 ? (double)NAN : known + t.c;
            if (!isnan(A->known[place])) {
                continue; // numbers are not stored, the factors have them
            }
            gen_need(g, t);
            gen_term_text(text, sizeof text, t);
            if (mask > 0) {
                snprintf(on, sizeof on, "w->s->on[%d] * ", mask - 1);
            }
            PUT("    A[%d] %s ", index_of(A, place), isnan(known) ? "+=" : "=");
            if (known == 0.0 || isnan(known)) {
                PUT("%s%s;\n", on, text);
            } else {
                PUT("%s + %s;\n", gen_literal(number, sizeof number, known), text);
            }
        }
    }
}

/* ---- straight-line factors -------------------------------------------------------------------- */

/* ( + c a b), with numbers folded */
static void put_product(gen *g, int *first, double sign, gen_term a, gen_term b)
{
    char number[GEN_NAME];
    const double c = sign * a.c * b.c;
    if (c == 0.0) {
        return;
    }
    PUT("%s", c < 0.0 ? (*first ? "-" : " - ") : *first ? "" : " + ");
    *first = 0;
    if (!a.s[0] && !b.s[0]) {
        PUT("%s", gen_literal(number, sizeof number, fabs(c)));
        return;
    }
    if (fabs(c) != 1.0) {
        PUT("%s * ", gen_literal(number, sizeof number, fabs(c)));
    }
    PUT("%s%s%s", a.s, a.s[0] && b.s[0] ? " * " : "", b.s);
}

/* Does pivot m, one that does not go in a block, act on this place? */
static int acts(const gen_matrix *A, int m, int row, int column)
{
    return !A->dense[m] && A->at[row + A->pivot_col[m] * A->n] >= 0 && A->at[A->pivot_row[m] + column * A->n] >= 0;
}

int gen_print_entry(gen *g, int n, int row, int column, const gen_term *inverse)
{
    gen_matrix *A = &g->A;
    const int place = row + column * A->n;
    const gen_term one = gen_const(1.0), own = A->seen[place] ? gen_entry_value(A, row, column) : gen_const(0.0);
    double sum = own.s[0] ? 0.0 : own.c;
    int open = own.s[0] != '\0', terms = 0;
    for (int m = 0; m < n; ++m) {
        if (acts(A, m, row, column)) {
            const gen_term l = gen_entry_value(A, row, A->pivot_col[m]),
                           u = gen_entry_value(A, A->pivot_row[m], column);
            sum -= l.s[0] || u.s[0] ? 0.0 : l.c * u.c;
            open |= l.s[0] || u.s[0];
            terms += 1;
        }
    }
    if (!open && (!inverse || !inverse->s[0])) {
        A->known[place] = sum * (inverse ? inverse->c : 1.0);
        return terms;
    }
    A->known[place] = (double)NAN;
    if (terms == 0 && !inverse) {
        return 0; // as the Jacobian left it
    }
    int first = 1;
    PUT("    A[%d] = %s", index_of(A, place), inverse ? "(" : "");
    if (own.s[0]) {
        put_product(g, &first, 1.0, own, one);
    }
    put_product(g, &first, 1.0, gen_const(sum), one);
    for (int m = 0; m < n; ++m) {
        if (acts(A, m, row, column)) {
            const gen_term l = gen_entry_value(A, row, A->pivot_col[m]),
                           u = gen_entry_value(A, A->pivot_row[m], column);
            if (l.s[0] || u.s[0]) {
                put_product(g, &first, -1.0, l, u);
            }
        }
    }
    if (first) {
        PUT("0.0");
    }
    if (inverse) {
        char text[2 * GEN_NAME];
        gen_literal(text, sizeof text, inverse->c);
        PUT(") * %s", inverse->s[0] ? inverse->s : text);
    }
    PUT(";\n");
    return terms;
}

/* A matrix whose entries are all known when the program is generated. */
static void print_unused(gen *g)
{
    if (g->A.nnz == 0) {
        PUT("    (void)A;\n");
    }
}

/* Row by row of U and column by column of L, each entry once. */
static void print_pivot(gen *g, int n)
{
    gen_matrix *A = &g->A;
    const int r = A->pivot_row[n], c = A->pivot_col[n];
    for (int k = n; k < A->n; ++k) {
        const int j = A->pivot_col[k];
        if (A->at[r + j * A->n] >= 0) {
            (void)gen_print_entry(g, n, r, j, NULL);
        }
    }
    double *pivot = &A->known[r + c * A->n];
    if (isnan(*pivot)) {
        const int p = index_of(A, r + c * A->n);
        PUT("    A[%d] = 1.0 / A[%d];\n", p, p);
    } else {
        *pivot = 1.0 / *pivot;
    }
    const gen_term inverse = gen_entry_value(A, r, c);
    for (int k = n + 1; k < A->n; ++k) {
        const int i = A->pivot_row[k];
        if (A->at[i + c * A->n] >= 0) {
            (void)gen_print_entry(g, n, i, c, &inverse);
        }
    }
}

/* A list of velocities, one for each body at most. */
static int *make_list(gen *g)
{
    int *list = dal_alloc_zero(g->ctx, ((size_t)g->A.n + 1) * sizeof *list);
    g->st = list ? g->st : dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the order of elimination");
    return list;
}

void gen_print_factor(gen *g)
{
    int *list = make_list(g);
    print_unused(g);
    for (int n = 0, step; n < g->A.n && list; n += step) {
        const int count = gen_dense_neighbours(g, list, n);
        step = count >= 0 ? GEN_DENSE : 1;
        if (count >= 0) {
            gen_print_dense_pivot(g, n, list, count);
        } else {
            print_pivot(g, n);
        }
    }
    dal_free(g->ctx, list);
}

/* b of row n of the pivots, from those before that do not go in blocks */
static void print_forward(gen *g, int n)
{
    gen_matrix *A = &g->A;
    const int r = A->pivot_row[n];
    int first = 1;
    for (int m = 0; m < n; ++m) {
        if (!A->dense[m] && A->at[r + A->pivot_col[m] * A->n] >= 0) {
            if (first) {
                PUT("    b[%d] = ", r);
                put_product(g, &first, 1.0, gen_name(1.0, "b[%d]", r), gen_const(1.0));
            }
            put_product(g, &first, -1.0, gen_entry_value(A, r, A->pivot_col[m]),
                        gen_name(1.0, "b[%d]", A->pivot_row[m]));
        }
    }
    PUT("%s", first ? "" : ";\n");
}

static void print_back(gen *g, int n)
{
    gen_matrix *A = &g->A;
    const int r = A->pivot_row[n], c = A->pivot_col[n];
    char text[2 * GEN_NAME];
    int first = 0;
    PUT("    x[%d] = (b[%d]", c, r);
    for (int k = A->n - 1; k > n; --k) { // the one that was found last comes last: nothing else waits for it
        const int j = A->pivot_col[k];
        if (A->at[r + j * A->n] >= 0) {
            put_product(g, &first, -1.0, gen_entry_value(A, r, j), gen_name(1.0, "x[%d]", j));
        }
    }
    const gen_term inverse = gen_entry_value(A, r, c);
    gen_literal(text, sizeof text, inverse.c);
    PUT(") * %s;\n", inverse.s[0] ? inverse.s : text);
}

void gen_print_backsolve(gen *g)
{
    gen_matrix *A = &g->A;
    int *list = make_list(g);
    print_unused(g);
    for (int k = 0; k < A->nops; ++k) {
        PUT("    b[%d] += A[%d] * b[%d];\n", A->op[k].row, A->op[k].slot, A->op[k].by);
    }
    for (int n = 0; n < A->n && list; ++n) {
        print_forward(g, n);
        if (A->dense[n] == GEN_DENSE) {
            gen_print_dense_forward(g, n + 1 - GEN_DENSE, list);
        }
    }
    for (int n = A->n - 1; n >= 0 && list; --n) {
        if (A->dense[n] == GEN_DENSE) {
            gen_print_dense_back(g, n + 1 - GEN_DENSE, list);
        } else if (!A->dense[n]) {
            print_back(g, n);
        }
    }
    dal_free(g->ctx, list);
    if (!g->saddle) {
        gen_print_turn_back(g);
    }
}
