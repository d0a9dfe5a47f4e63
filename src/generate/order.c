/* The order of elimination.
 *
 * Pivots are chosen without values. The scaled matrix is [M N T^-1, B^T; B, 0] up to O(h) (GA.9): velocities may go in any
 * order, for M is positive definite, if need be with rows of joints added to it (augment.c); a row of a constraint follows when all velocities it acts on are gone: its pivot is then
 * that of -B M^-1 B^T. Where a row of a joint holds a coordinate with factor 1, the two can go together, coordinate and
 * multiplier: what is left is the same problem in the coordinates that the joint leaves free. Among those allowed the one
 * with least fill comes next. */
#include "generate/flexible_impl.h"

/* How pairs of a coordinate and a multiplier are treated. */
enum { PAIRS_NEVER, PAIRS_CHEAPEST, PAIRS_FIRST, NPAIRINGS };

typedef struct search {
    gen *g;
    gen_matrix *A;
    unsigned char *gone_row, *gone_col;
    unsigned char *fixed; /* by place: 1 where the value is a number, 2 where that is the one of the Jacobian */
    unsigned char *lead;  /* by place: stays as h goes to zero; what forces couple between bodies does not */
    int *kept, *rank;     /* the pattern without fill; bodies in the order in which they are visited */
    int *in_row, *in_col; /* entries left in the rows and columns that are left */
    int *leads;           /* by row: velocities left that it acts on as h goes to zero */
    int *pair, npairs;    /* rows of joints and coordinates that may go together, one after the other */
    int ranked, pairing;
    int apart, last; /* whether neighbours in the order should be none in the matrix; the last pivot, -1: none */
} search;

/* Products of a pivot; its own place may be empty. */
static long cost(const search *s, int r, int c)
{
    const int own = s->A->at[r + c * s->A->n] >= 0;
    return (long)(s->in_col[c] - own) * (s->in_row[r] - own);
}

/* Row r and column c are taken out. */
static void leave(search *s, int r, int c)
{
    const gen_matrix *A = s->A;
    s->gone_row[r] = s->gone_col[c] = 1;
    for (int k = 0; k < A->n; ++k) {
        s->in_row[k] -= A->at[k + c * A->n] >= 0;
        s->leads[k] -= c < s->g->nv && s->lead[k + c * A->n];
        s->in_col[k] -= A->at[r + k * A->n] >= 0;
    }
}

/* Entries of L of a pivot, and its inverse; a division counts as eight multiplications. */
static void count_column(search *s, int r, int c)
{
    gen_matrix *A = s->A;
    const int pivot = s->fixed[r + c * A->n] > 0;
    A->operations += pivot ? 0 : 8;
    for (int i = 0; i < A->n; ++i) {
        if (!s->gone_row[i] && A->at[i + c * A->n] >= 0) {
            unsigned char *fixed = &s->fixed[i + c * A->n];
            A->operations += *fixed && pivot ? 0 : 2; // scaled once, used in the solution
            *fixed = *fixed && pivot;
        }
    }
}

/* Fill of a pivot. */
static void eliminate(search *s, int r, int c)
{
    gen_matrix *A = s->A;
    leave(s, r, c);
    count_column(s, r, c);
    for (int j = 0; j < A->n; ++j) {
        const int u = r + j * A->n;
        if (s->gone_col[j] || A->at[u] < 0) {
            continue;
        }
        A->operations += !s->fixed[u];
        for (int i = 0; i < A->n; ++i) {
            const int l = i + c * A->n, place = i + j * A->n;
            if (!s->gone_row[i] && A->at[l] >= 0) {
                const int number = s->fixed[l] && s->fixed[u];
                s->fixed[place] = number && (A->at[place] < 0 || s->fixed[place]);
                if (!s->lead[place] && s->lead[l] && s->lead[u]) {
                    s->lead[place] = 1;
                    s->leads[i] += j < s->g->nv;
                }
                s->in_row[i] += A->at[place] < 0;
                s->in_col[j] += A->at[place] < 0;
                gen_entry(A, i, j);
                A->operations += !number;
            }
        }
    }
}

/* The row of the position level that belongs to a row of the velocity level with eta. */
static int position_row(const gen *g, int r)
{
    int found = r;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const int i = r - (g->nv + g->nc + g->eta0[k]);
        found =
            g->eta0[k] >= 0 && i >= 0 && i < g->m->constraint[k].nrows ? g->nv + g->m->constraint[k].row0 + i : found;
    }
    return found;
}

/* Are all velocities gone that a row of a constraint acts on? With ggl a velocity row follows its position row: with M, L positive
 * definite [M, B^T, -M L B^T; B, 0, 0; B, 0, -B L B^T] leaves -B L B^T for the pivots of nu, for some of the rows too. */
static int ready(const search *s, int r)
{
    const gen *g = s->g;
    if (r < g->nv) {
        return 1;
    }
    if (r >= g->nv + g->nc && !s->gone_row[position_row(g, r)]) {
        return 0;
    }
    return s->leads[r] == 0;
}

static void take(search *s, int *n, int r, int c)
{
    s->A->pivot_row[*n] = r;
    s->A->pivot_col[(*n)++] = c;
    s->last = c;
    eliminate(s, r, c);
}

/* The integral of a pid has no mass: it goes with its own row. */
static int pid_pivots(search *s)
{
    const gen *g = s->g;
    int n = 0;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_INTEGRAL) {
            const int v = g->m->force[c->force].v, row = g->nv + c->row0;
            take(s, &n, row, v);
            take(s, &n, v, row);
        }
    }
    return n;
}

/* Which body the velocity with this number belongs to, 0: the integral of a pid. */
static int body_of(const gen *g, int velocity)
{
    for (int b = 1; b < g->m->body_names.n; ++b) {
        const mb_body *body = &g->m->body[b];
        if (velocity >= body->v && velocity < body->v + gen_velocities(body)) {
            return b;
        }
    }
    return 0;
}

/* Can coordinate j go with row p of a joint and its multiplier? Both entries are numbers of the Jacobian still. */
static int pairs(const search *s, int p, int j)
{
    const gen_matrix *A = s->A;
    return !s->gone_row[p] && !s->gone_col[j] && !s->gone_row[j] && !s->gone_col[p] && s->fixed[p + j * A->n] == 2 &&
           s->fixed[j + p * A->n] == 2 && A->at[p + p * A->n] < 0;
}

/* Where a row of a joint holds a coordinate with a large factor. */
static void find_pairs(search *s)
{
    const gen_matrix *A = s->A;
    s->npairs = 0;
    for (int p = s->g->nv; p < s->g->nv + s->g->nc; ++p) {
        for (int j = 0; j < s->g->nv && A->unit[p] > 0.0; ++j) {
            if (fabs(A->known[p + j * A->n]) >= 0.5 * A->unit[p]) {
                s->pair[2 * s->npairs] = p;
                s->pair[2 * s->npairs++ + 1] = j;
            }
        }
    }
}

/* A candidate, and the best so far: bodies in their order, then the least cost. */
typedef struct choice {
    int row, column, when;
    long cost;
} choice;

/* Does row r have an entry in the column of the last pivot? */
static int follows(const search *s, int r)
{
    return s->last >= 0 && s->A->at[r + s->last * s->A->n] >= 0;
}

static void consider(const search *s, choice *best, int r, int c, long extra)
{
    const int when = s->ranked && c < s->g->nv ? s->rank[body_of(s->g, c)] : 0;
    if (best->row >= 0 && when > best->when) {
        return;
    }
    const long now = cost(s, r, c) + extra;
    const int apart = s->apart && best->row >= 0 && now == best->cost && follows(s, best->row) && !follows(s, r);
    if (best->row < 0 || when < best->when || now < best->cost || apart) {
        *best = (choice){r, c, when, now};
    }
}

/* The next pivot: rows of constraints that are ready go with the velocities of the body at hand, cheapest first. */
static choice next_pivot(const search *s)
{
    const gen_matrix *A = s->A;
    choice best = {.row = -1};
    for (int k = 0; k < s->npairs && s->pairing != PAIRS_NEVER; ++k) {
        const int p = s->pair[2 * k], j = s->pair[2 * k + 1];
        if (pairs(s, p, j)) {
            consider(s, &best, p, j, s->pairing == PAIRS_FIRST ? -1000000 : cost(s, j, p));
        }
    }
    for (int r = 0; r < A->n; ++r) {
        if (!s->gone_row[r] && !s->gone_col[r] && A->at[r + r * A->n] >= 0 && ready(s, r)) {
            consider(s, &best, r, r, 0);
        }
    }
    return best;
}

static void choose_pivots(search *s)
{
    gen_matrix *A = s->A;
    const size_t n2 = (size_t)A->n * (size_t)A->n;
    A->operations = 0;
    memset(s->gone_row, 0, (size_t)A->n);
    memset(s->gone_col, 0, (size_t)A->n);
    memset(s->in_row, 0, (size_t)A->n * sizeof *s->in_row);
    memset(s->in_col, 0, (size_t)A->n * sizeof *s->in_col);
    memset(s->leads, 0, (size_t)A->n * sizeof *s->leads);
    for (size_t k = 0; k < n2; ++k) {
        const int row = (int)(k % (size_t)A->n), column = (int)(k / (size_t)A->n);
        s->in_row[row] += A->at[k] >= 0;
        s->in_col[column] += A->at[k] >= 0;
        s->fixed[k] = A->at[k] >= 0 && !isnan(A->known[k]) ? 2 : 0;
        s->lead[k] =
            A->at[k] >= 0 && (row >= s->g->nv || column >= s->g->nv || body_of(s->g, row) == body_of(s->g, column));
        s->leads[row] += column < s->g->nv && s->lead[k];
    }
    for (int n = pid_pivots(s); n < A->n;) {
        const choice c = next_pivot(s);
        if (c.row < 0) {
            s->g->st = DAL_EINVAL;
            return;
        }
        take(s, &n, c.row, c.column);
        if (c.row != c.column) {
            take(s, &n, c.column, c.row);
        }
    }
}

/* The body whose velocities a link goes to. */
static int unit_of(const gen *g, int body)
{
    return body > 0 ? g->m->body[body].unit : body;
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
                    near = g->link[k].c == g->link[l].c && unit_of(g, g->link[k].body) == here &&
                           unit_of(g, g->link[l].body) == b;
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

static void try_order(search *s, int start, int pairing)
{
    gen_matrix *A = s->A;
    memcpy(A->at, s->kept, (size_t)A->n * (size_t)A->n * sizeof *s->kept);
    s->ranked = start > 0;
    s->pairing = pairing;
    s->last = -1;
    if (start > 0) {
        visit(s->g, s->rank, start);
    }
    choose_pivots(s);
}

/* Try the order of least fill, and those that visit the bodies from one of them on; keep the one with least operations, of equal
 * ones one that goes from body to body: sweeps on a device then need few bodies at a time (chain of 10 links on an H200: 7.1e7
 * steps a second, 4.5e7 by least fill alone). Without rows of joints a processor has more to do at a time where a chain is taken
 * from both ends: its blocks wait for each other (20 elements of a beam: 4 % to 7 % of a step). */
static void search_order(search *s)
{
    gen_matrix *A = s->A;
    enum { STARTS = 9 }; // of many bodies some that are far from each other, the last one too
    const int last = s->g->m->body_names.n - 1, nstarts = last < STARTS ? last + 1 : STARTS;
    int best = 0, best_pairing = 0;
    long least = -1;
    memcpy(s->kept, A->at, (size_t)A->n * (size_t)A->n * sizeof *s->kept);
    for (int k = 0; k < nstarts; ++k) {
        const int start = k == 0 ? 0 : 1 + (last - 1) * (k - 1) / (nstarts > 2 ? nstarts - 2 : 1);
        for (int pairing = 0; pairing < NPAIRINGS && s->g->st == DAL_OK; ++pairing) {
            try_order(s, start, pairing);
            if (least < 0 || A->operations < least || (best == 0 && A->operations == least && !s->apart)) {
                least = A->operations;
                best = start;
                best_pairing = pairing;
            }
        }
    }
    if (s->g->st == DAL_OK) {
        try_order(s, best, best_pairing);
    }
}

dal_status gen_order(gen *g)
{
    gen_matrix *A = &g->A;
    const size_t n = (size_t)A->n;
    unsigned char *gone = dal_alloc_zero(g->ctx, 2 * n + 1), *fixed = dal_alloc_zero(g->ctx, 2 * n * n + 1);
    int *kept = dal_alloc_zero(g->ctx, (n * n + 1) * sizeof *kept);
    int *rank = dal_alloc_zero(g->ctx, ((size_t)g->m->body_names.n + 1) * sizeof *rank);
    int *counts = dal_alloc_zero(g->ctx, (3 * n + n * n) * sizeof *counts);
    dal_status st = DAL_ENOMEM;
    if (gone && fixed && kept && rank && counts) {
        search s = {.g = g,
                    .A = A,
                    .gone_row = gone,
                    .gone_col = gone + A->n,
                    .fixed = fixed,
                    .lead = fixed + n * n,
                    .kept = kept,
                    .rank = rank,
                    .in_row = counts,
                    .in_col = counts + n,
                    .leads = counts + 2 * n,
                    .pair = counts + 3 * n,
                    .apart = gen_large(g) && g->how->scalar == DAL_GENERATE_DOUBLE && g->nc == 0};
        find_pairs(&s);
        search_order(&s);
        st = DAL_OK;
    } else {
        (void)dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the order of elimination");
    }
    dal_free(g->ctx, gone);
    dal_free(g->ctx, fixed);
    dal_free(g->ctx, kept);
    dal_free(g->ctx, rank);
    dal_free(g->ctx, counts);
    if (st == DAL_OK && g->st != DAL_OK) {
        st = dal_fail(g->ctx, DAL_EINVAL,
                      "generate: no order of elimination without a zero pivot: a row of a joint acts on no velocity, "
                      "or a body has "
                      "no mass");
    }
    return st;
}
