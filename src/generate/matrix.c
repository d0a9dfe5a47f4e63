/* The iteration matrix: its pattern grows while the Jacobian is printed; then the order of elimination is chosen and the
 * factors are printed as straight-line code on the entries that are not zero.
 *
 * Pivots are chosen without values. The scaled matrix is [M N, B^T; B T, 0] up to O(h) (GA.9): the velocities come
 * first, in any order, for M is positive definite; a row of a constraint follows when all velocities it acts on are
 * gone: its pivot is then that of -B M^-1 B^T. Among those allowed the one with least fill comes next. */
#include "generate/generate_impl.h"

dal_status gen_matrix_create(gen *g)
{
    gen_matrix *A = &g->A;
    const size_t n = (size_t)g->n;
    *A = (gen_matrix){.n = g->n};
    A->at = dal_alloc_zero(g->ctx, n * n * sizeof(int));
    A->seen = dal_alloc_zero(g->ctx, n * n);
    A->known = dal_alloc_zero(g->ctx, n * n * sizeof(double));
    A->pivot_row = dal_alloc_zero(g->ctx, n * sizeof(int));
    A->pivot_col = dal_alloc_zero(g->ctx, n * sizeof(int));
    if (!A->at || !A->seen || !A->known || !A->pivot_row || !A->pivot_col) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the pattern of the matrix");
    }
    for (size_t k = 0; k < n * n; ++k) {
        A->at[k] = -1;
        A->known[k] = (double)NAN;
    }
    return DAL_OK;
}

static int entry(gen_matrix *A, int i, int j)
{
    int *at = &A->at[i + j * A->n];
    if (*at < 0) {
        *at = A->nnz++;
    }
    return *at;
}

void gen_scatter(gen *g, int row, int column, double scale, const gen_mat *X)
{
    gen_matrix *A = &g->A;
    for (int j = 0; j < X->n; ++j) {
        for (int i = 0; i < X->m; ++i) {
            const int place = row + i + (column + j) * A->n;
            gen_term t = X->e[i + j * X->m];
            char text[2 * GEN_NAME];
            t.c *= scale;
            if (t.c == 0.0) {
                continue;
            }
            const int k = entry(A, row + i, column + j);
            A->known[place] = t.s[0] || A->seen[place] ? (double)NAN : t.c;
            gen_term_text(text, sizeof text, t);
            PUT("    A[%d] %s %s;\n", k, A->seen[place] ? "+=" : "=", text);
            A->seen[place] = A->seen[place] ? 2 : 1;
        }
    }
}

/* ---- order ------------------------------------------------------------------------------------ */

static long cost(const gen_matrix *A, const unsigned char *gone_row, const unsigned char *gone_col, int r, int c)
{
    long rows = 0, columns = 0;
    for (int k = 0; k < A->n; ++k) {
        rows += !gone_row[k] && k != r && A->at[k + c * A->n] >= 0;
        columns += !gone_col[k] && k != c && A->at[r + k * A->n] >= 0;
    }
    return rows * columns;
}

/* Fill of a pivot. */
static void eliminate(gen_matrix *A, unsigned char *gone_row, unsigned char *gone_col, int r, int c)
{
    gone_row[r] = gone_col[c] = 1;
    for (int j = 0; j < A->n; ++j) {
        if (gone_col[j] || A->at[r + j * A->n] < 0) {
            continue;
        }
        for (int i = 0; i < A->n; ++i) {
            if (!gone_row[i] && A->at[i + c * A->n] >= 0) {
                (void)entry(A, i, j);
                A->operations++;
            }
        }
    }
}

/* Are all velocities gone that a row of a constraint acts on? */
static int ready(const gen *g, const unsigned char *gone_col, int r, int nu_wait)
{
    if (r < g->nv) {
        return 1;
    }
    if (r >= g->nv + g->nc && nu_wait) {
        return 0;
    }
    for (int k = 0; k < g->nv; ++k) {
        if (!gone_col[k] && g->A.seen[r + k * g->A.n]) {
            return 0;
        }
    }
    return 1;
}

/* The integral of a pid has no mass: it goes with its own row. */
static int pid_pivots(gen *g, unsigned char *gone_row, unsigned char *gone_col)
{
    gen_matrix *A = &g->A;
    int n = 0;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type == &mb_constraint_integral) {
            const int s = g->m->force[c->force].v, row = g->nv + c->row0;
            A->pivot_row[n] = row, A->pivot_col[n++] = s;
            eliminate(A, gone_row, gone_col, row, s);
            A->pivot_row[n] = s, A->pivot_col[n++] = row;
            eliminate(A, gone_row, gone_col, s, row);
        }
    }
    return n;
}

/* Which body the velocity or the integral with this number belongs to, in the order in which bodies are visited. */
static int rank_of(const gen *g, const int *rank, int velocity)
{
    for (int b = 1; b < g->m->body_names.n; ++b) {
        const mb_body *body = &g->m->body[b];
        if (velocity >= body->v && velocity < body->v + body->type->nv) {
            return rank[b];
        }
    }
    return 0;
}

/* The next pivot: rows of constraints that are ready go with the velocities of the body at hand, cheapest first. */
static int next_pivot(const gen *g, const unsigned char *gone_row, const unsigned char *gone_col, const int *rank)
{
    const gen_matrix *A = &g->A;
    int best = -1, first = 0;
    long least = 0;
    for (int pass = 0; pass < 2 && best < 0; ++pass) {
        for (int r = 0; r < A->n; ++r) {
            if (gone_row[r] || A->at[r + r * A->n] < 0 || !ready(g, gone_col, r, pass == 0)) {
                continue;
            }
            const int when = rank && r < g->nv ? rank_of(g, rank, r) : 0;
            if (best >= 0 && when > first) {
                continue;
            }
            const long now = cost(A, gone_row, gone_col, r, r);
            if (best < 0 || when < first || now < least) {
                best = r;
                least = now;
                first = when;
            }
        }
    }
    return best;
}

static void choose_pivots(gen *g, unsigned char *gone_row, unsigned char *gone_col, const int *rank)
{
    gen_matrix *A = &g->A;
    A->operations = 0;
    memset(gone_row, 0, (size_t)A->n);
    memset(gone_col, 0, (size_t)A->n);
    for (int n = pid_pivots(g, gone_row, gone_col); n < A->n; ++n) {
        const int best = next_pivot(g, gone_row, gone_col, rank);
        if (best < 0) {
            g->st = DAL_EINVAL;
            return;
        }
        A->pivot_row[n] = A->pivot_col[n] = best;
        eliminate(A, gone_row, gone_col, best, best);
    }
}

/* Bodies by their distance from one of them, through joints and forces: rank[b] from 1 on. */
static void visit(const gen *g, int *rank, int from)
{
    const int n = g->m->body_names.n;
    int next = 1;
    for (int b = 0; b < n; ++b) {
        rank[b] = 0;
    }
    rank[from] = next++;
    for (int done = 1; next < n; ++done) {
        int here = 0;
        for (int b = 1; b < n; ++b) {
            here = rank[b] == done ? b : here;
        }
        for (int b = 1; b < n && here > 0; ++b) {
            int near = 0;
            for (int k = 0; k < g->nlinks && rank[b] == 0; ++k) {
                for (int l = 0; l < g->nlinks && !near; ++l) {
                    near = g->link[k].c == g->link[l].c && g->link[k].body == here && g->link[l].body == b;
                }
            }
            if (near) {
                rank[b] = next++;
            }
        }
        for (int b = 1; b < n && here == 0; ++b) {
            if (rank[b] == 0) { // not connected with those before it
                rank[b] = next++;
                break;
            }
        }
    }
}

/* Try the order of least fill, and those that visit the bodies from each of them on; keep the one with least operations. */
static void search_order(gen *g, int *kept, unsigned char *gone, int *rank)
{
    gen_matrix *A = &g->A;
    const size_t size = (size_t)A->n * (size_t)A->n;
    const int nnz = A->nnz, nbodies = g->m->body_names.n;
    int best = 0;
    long least = -1;
    memcpy(kept, A->at, size * sizeof *kept);
    for (int from = 0; from <= nbodies && g->st == DAL_OK; ++from) {
        const int start = from == nbodies ? best : from;
        memcpy(A->at, kept, size * sizeof *kept);
        A->nnz = nnz;
        if (start > 0) {
            visit(g, rank, start);
        }
        choose_pivots(g, gone, gone + A->n, start > 0 ? rank : NULL);
        if (least < 0 || A->operations < least) {
            least = A->operations;
            best = start;
        }
        from = nbodies > 64 && from == 0 ? nbodies - 1 : from; // many bodies: least fill alone
    }
}

dal_status gen_order(gen *g)
{
    gen_matrix *A = &g->A;
    const size_t n = (size_t)A->n;
    unsigned char *gone = dal_alloc_zero(g->ctx, 2 * n + 1);
    int *kept = dal_alloc_zero(g->ctx, (n * n + 1) * sizeof *kept);
    int *rank = dal_alloc_zero(g->ctx, ((size_t)g->m->body_names.n + 1) * sizeof *rank);
    dal_status st = DAL_ENOMEM;
    A->nfirst = A->nnz;
    if (gone && kept && rank) {
        search_order(g, kept, gone, rank);
        st = DAL_OK;
    } else {
        (void)dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the order of elimination");
    }
    dal_free(g->ctx, gone);
    dal_free(g->ctx, kept);
    dal_free(g->ctx, rank);
    if (st == DAL_OK && g->st != DAL_OK) {
        st = dal_fail(g->ctx, DAL_EINVAL,
                      "generate: no order of elimination without a zero pivot: a row of a joint acts on no velocity, "
                      "or a body has "
                      "no mass");
    }
    return st;
}

/* ---- straight-line factors -------------------------------------------------------------------- */

/* An entry as a term: a number, or its place in A. */
static gen_term value_of(const gen_matrix *A, int row, int column)
{
    const double known = A->known[row + column * A->n];
    return isnan(known) ? gen_name(1.0, "A[%d]", A->at[row + column * A->n]) : gen_const(known);
}

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

/* A[k] = (A[k] - sum L U), times 1/pivot if there is one; fill has no A[k] of its own. What is known is not printed. */
static void print_entry(gen *g, int n, int row, int column, const gen_term *inverse)
{
    const gen_matrix *A = &g->A;
    const int place = row + column * A->n, k = A->at[place];
    const gen_term one = gen_const(1.0), own = value_of(A, row, column);
    double sum = A->seen[place] && !own.s[0] ? own.c : 0.0;
    int open = A->seen[place] && own.s[0], terms = 0;
    for (int m = 0; m < n; ++m) {
        if (A->at[row + A->pivot_col[m] * A->n] >= 0 && A->at[A->pivot_row[m] + column * A->n] >= 0) {
            const gen_term l = value_of(A, row, A->pivot_col[m]), u = value_of(A, A->pivot_row[m], column);
            sum -= l.s[0] || u.s[0] ? 0.0 : l.c * u.c;
            open |= l.s[0] || u.s[0];
            terms += 1;
        }
    }
    if (!open && (!inverse || !inverse->s[0])) {
        A->known[place] = sum * (inverse ? inverse->c : 1.0);
        return;
    }
    A->known[place] = (double)NAN;
    if (terms == 0 && !inverse) {
        return; // as the Jacobian left it
    }
    int first = 1;
    PUT("    A[%d] = %s", k, inverse ? "(" : "");
    if (A->seen[place] && own.s[0]) {
        put_product(g, &first, 1.0, own, one);
    }
    put_product(g, &first, 1.0, gen_const(sum), one);
    for (int m = 0; m < n; ++m) {
        if (A->at[row + A->pivot_col[m] * A->n] >= 0 && A->at[A->pivot_row[m] + column * A->n] >= 0) {
            const gen_term l = value_of(A, row, A->pivot_col[m]), u = value_of(A, A->pivot_row[m], column);
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
}

/* Row by row of U and column by column of L, each entry once. */
void gen_print_factor(gen *g)
{
    const gen_matrix *A = &g->A;
    for (int n = 0; n < A->n; ++n) {
        const int r = A->pivot_row[n], c = A->pivot_col[n], p = A->at[r + c * A->n];
        for (int k = n; k < A->n; ++k) {
            const int j = A->pivot_col[k];
            if (A->at[r + j * A->n] >= 0) {
                print_entry(g, n, r, j, NULL);
            }
        }
        double *pivot = &A->known[r + c * A->n];
        if (isnan(*pivot)) {
            PUT("    A[%d] = 1.0 / A[%d];\n", p, p);
        } else {
            *pivot = 1.0 / *pivot;
        }
        const gen_term inverse = value_of(A, r, c);
        for (int k = n + 1; k < A->n; ++k) {
            const int i = A->pivot_row[k];
            if (A->at[i + c * A->n] >= 0) {
                print_entry(g, n, i, c, &inverse);
            }
        }
    }
}

void gen_print_backsolve(gen *g)
{
    const gen_matrix *A = &g->A;
    const gen_term one = gen_const(1.0);
    for (int k = 0; k < A->nops; ++k) {
        PUT("    b[%d] += A[%d] * b[%d];\n", A->op[k].row, A->op[k].slot, A->op[k].by);
    }
    for (int n = 1; n < A->n; ++n) {
        const int r = A->pivot_row[n];
        int first = 1;
        for (int m = 0; m < n; ++m) {
            if (A->at[r + A->pivot_col[m] * A->n] >= 0) {
                if (first) {
                    PUT("    b[%d] = ", r);
                    put_product(g, &first, 1.0, gen_name(1.0, "b[%d]", r), one);
                }
                put_product(g, &first, -1.0, value_of(A, r, A->pivot_col[m]), gen_name(1.0, "b[%d]", A->pivot_row[m]));
            }
        }
        PUT("%s", first ? "" : ";\n");
    }
    for (int n = A->n - 1; n >= 0; --n) {
        const int r = A->pivot_row[n], c = A->pivot_col[n];
        char text[2 * GEN_NAME];
        int first = 0;
        PUT("    x[%d] = (b[%d]", c, r);
        for (int k = n + 1; k < A->n; ++k) {
            const int j = A->pivot_col[k];
            if (A->at[r + j * A->n] >= 0) {
                put_product(g, &first, -1.0, value_of(A, r, j), gen_name(1.0, "x[%d]", j));
            }
        }
        const gen_term inverse = value_of(A, r, c);
        gen_literal(text, sizeof text, inverse.c);
        PUT(") * %s;\n", inverse.s[0] ? inverse.s : text);
    }
}
