#include "projection/schur.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "projection/envelope.h"
#include "projection/schur_kernels.h"
#include "system/sink.h"

/* Mean length of a row of the envelope, and terms per link, up to which it is worth it. */
enum { WIDEST = 18, MANY = 4 };
/* So many links of one factor are too many in any case. */
enum { CROWD = 64 };
/* Parts of the diagonal that must be left when its turn comes: of M, and of B M^-1 B^T. */
static const double least_mass = 1e-6, least_row = 1e-6;

/* A block of M: full; 6 x 6 with two blocks of three, as of a body about its centre of mass; diagonal, as in principal axes:
 * its inverse begins with the diagonal then. With full blocks alone a step of rk 5 on a chain of 10 links takes 11 % more. */
enum { FULL, BLOCKS, DIAGONAL };

/* A link: its factor, velocities from v on, n of them, its constraint, rows from `row` on, r of them; B from `at` on. */
typedef struct link {
    int f, v, n, c, row, r, at;
} link;

/* A block of B M^-1 B^T: of two links of one factor, the first with the later rows. */
typedef struct term {
    int a, b;
} term;

struct dal_schur {
    dal_sink sink; /* first: the tangents are pushed here */
    dal_ctx *ctx;
    dal_eval *ev;
    int coupled; /* M couples factors */
    int nfactors, nlinks, nterms;
    int *m0; /* nfactors + 1: where the block of a factor in M begins */
    link *link;
    double *M, *known, *inv; /* blocks of M, those that were inverted last, their inverses */
    char *pushed, *changed;  /* nfactors: parts of the block have come; it is not what was there before */
    char *linked;            /* nlinks: parts of B have come */
    int *form;               /* nfactors: of the block */
    double *B, *W;           /* of each link, velocities x rows: B^T, and M^-1 B^T */
    term *term;
    dal_envelope S;
    double *r; /* nv + nc */
    int nM, nB;
    dal_arena arena;
};

/* ---- M and B ---------------------------------------------------------------------------------- */

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_schur *s = (dal_schur *)sink;
    const dal_pair p = s->ev->sys->pair[pair];
    const int ni = s->ev->G->factor[p.i].nv, n = ni * s->ev->G->factor[p.j].nv;
    (void)C, (void)K;
    if (M == NULL) {
        return;
    }
    if (p.i != p.j) {
        s->coupled |= dal_max_abs(M, n) != 0.0;
        return;
    }
    double *restrict to = s->M + s->m0[p.i];
    if (s->pushed[p.i]) {
        for (int i = 0; i < n; ++i) {
            to[i] += M[i];
        }
        s->changed[p.i] = 1;
    } else if (memcmp(to, M, (size_t)n * sizeof *M) != 0) {
        memcpy(to, M, (size_t)n * sizeof *M);
        s->changed[p.i] = 1;
    }
    s->pushed[p.i] = 1;
}

static void push_link(dal_sink *sink, int number, const double *B, const double *Z)
{
    dal_schur *s = (dal_schur *)sink;
    const link *l = &s->link[number];
    (void)Z;
    if (B == NULL) {
        return;
    }
    if (s->linked[number]) {
        add_transposed(s->B + l->at, B, l->r, l->n);
    } else if (l->r == 3 && l->n == 6) {
        transpose(s->B + l->at, B, 3, 6);
    } else {
        transpose(s->B + l->at, B, l->r, l->n);
    }
    s->linked[number] = 1;
}

/* What nobody has pushed is zero. */
static void complete(dal_schur *s)
{
    for (int f = 0; f < s->nfactors; ++f) {
        if (!s->pushed[f]) {
            dal_zero(s->M + s->m0[f], s->m0[f + 1] - s->m0[f]);
            s->changed[f] = 1;
        }
    }
    for (int i = 0; i < s->nlinks; ++i) {
        if (!s->linked[i]) {
            dal_zero(s->B + s->link[i].at, s->link[i].r * s->link[i].n);
        }
    }
}

static void push_force(dal_sink *sink, int number, const double *G)
{
    (void)sink, (void)number, (void)G;
}

int dal_schur_pass(const dal_schur *s, dal_bordered *matrix)
{
    const dal_system *sys = s->ev->sys;
    if (s->coupled) {
        return 0;
    }
    matrix->sink.wants = DAL_WANT_M | DAL_WANT_B;
    dal_matrix_zero(matrix->A);
    for (int p = 0, f; p < sys->npairs; ++p) {
        f = sys->pair[p].i;
        if (f == sys->pair[p].j) {
            matrix->sink.pair(&matrix->sink, p, s->M + s->m0[f], NULL, NULL);
        }
    }
    for (int i = 0; i < s->nlinks; ++i) {
        const link *l = &s->link[i];
        double *B = s->W + l->at; // has room of that size
        for (int k = 0; k < l->r * l->n; ++k) {
            B[k] = s->B[l->at + k / l->r + k % l->r * l->n];
        }
        matrix->sink.link(&matrix->sink, i, B, NULL);
    }
    return 1;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* The form of a block that is inverted; -1: it is not safely positive definite. */
static int invert(double *inv, const double *M, int n)
{
    if (dal_schur_invert_diagonal(inv, M, n)) {
        return DIAGONAL;
    }
    if (dal_schur_has_blocks(M, n)) {
        return dal_schur_invert_blocks(inv, M, least_mass) ? BLOCKS : -1;
    }
    return dal_schur_invert(inv, M, n, least_mass) ? FULL : -1;
}

static int invert_masses(dal_schur *s)
{
    const dal_factor *F = s->ev->G->factor;
    for (int f = 0; f < s->nfactors; ++f) {
        const double *M = s->M + s->m0[f];
        double *known = s->known + s->m0[f];
        const size_t bytes = (size_t)(s->m0[f + 1] - s->m0[f]) * sizeof *M;
        if (s->changed[f] && memcmp(M, known, bytes) != 0) {
            known[0] = NAN;
            s->form[f] = invert(s->inv + s->m0[f], M, F[f].nv);
            if (s->form[f] < 0) {
                return 0;
            }
            memcpy(known, M, bytes);
        }
        s->changed[f] = 0;
    }
    return 1;
}

/* W = M^-1 B^T of a link with velocities x rows n x r, by the form of its M^-1 */
static void weigh_form(double *W, int form, const double *inv, const double *B, int n, int r)
{
    if (form == DIAGONAL) {
        weigh_diagonal(W, inv, B, n, r);
    } else if (form == BLOCKS && r == 3) {
        weigh_blocks(W, inv, B, 3);
    } else if (form == BLOCKS) {
        weigh_blocks(W, inv, B, r);
    } else if (n == 6 && r == 3) {
        weigh(W, inv, B, 6, 3);
    } else {
        weigh(W, inv, B, n, r);
    }
}

static void weigh_link(const dal_schur *s, const link *l)
{
    const double *inv = s->inv + s->m0[l->f], *B = s->B + l->at;
    double *W = s->W + l->at;
    if (l->n == 6 && l->r == 3 && s->form[l->f] == DIAGONAL) {
        weigh_diagonal(W, inv, B, 6, 3);
    } else {
        weigh_form(W, s->form[l->f], inv, B, l->n, l->r);
    }
}

/* The share of two links in S = B M^-1 B^T. */
static void add_term(dal_schur *s, const link *a, const link *b)
{
    const double *B = s->B + a->at, *W = s->W + b->at;
    dal_envelope *S = &s->S;
    if (S->threes) {
        double *x = S->x + 9 * (ptrdiff_t)(S->offset[a->row] + b->row / 3);
        if (a->n != 6) {
            add_block(x, 3, B, W, 3, 3, a->n, 0);
        } else if (a->c == b->c) {
            add_block(x, 3, B, W, 3, 3, 6, 1);
        } else {
            add_block(x, 3, B, W, 3, 3, 6, 0);
        }
        return;
    }
    for (int i = 0; i < a->r; ++i) {
        add_block(S->x + S->offset[a->row + i] + b->row, 0, B + i * a->n, W, 1, a->c == b->c ? i + 1 : b->r, a->n, 0);
    }
}

static void form(dal_schur *s)
{
    for (int i = 0; i < s->nlinks; ++i) {
        weigh_link(s, &s->link[i]);
    }
    dal_zero(s->S.x, (int)s->S.nx);
    for (int t = 0; t < s->nterms; ++t) {
        add_term(s, &s->link[s->term[t].a], &s->link[s->term[t].b]);
    }
}

dal_status dal_schur_factor(dal_schur *s, int *done, const dal_point *at)
{
    s->coupled = 0;
    memset(s->pushed, 0, (size_t)s->nfactors);
    memset(s->linked, 0, (size_t)s->nlinks);
    *done = 0;
    DAL_TRY(dal_eval_tangent(s->ev, &s->sink, at));
    complete(s);
    if (!s->coupled && invert_masses(s)) {
        form(s);
        *done = dal_envelope_factor(&s->S, least_row);
    }
    return DAL_OK;
}

/* ---- solve ------------------------------------------------------------------------------------ */

/* x := M^-1 x */
static void unload(const dal_schur *s, double *x)
{
    const dal_group *G = s->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        double *xf = x + G->factor[f].v;
        const double *inv = s->inv + s->m0[f];
        const int n = G->factor[f].nv;
        if (n == 6 && s->form[f] == DIAGONAL) {
            scale(xf, inv, 6);
        } else if (s->form[f] == DIAGONAL) {
            scale(xf, inv, n);
        } else if (n == 6) {
            weigh_in_place(xf, inv, 6);
        } else {
            weigh_in_place(xf, inv, n);
        }
    }
}

/* y -= B x */
static void gather(const dal_schur *s, const double *x, double *y)
{
    for (const link *l = s->link; l < s->link + s->nlinks; ++l) {
        if (l->n == 6 && l->r == 3) {
            product(y + l->row, s->B + l->at, x + l->v, 6, 3);
        } else {
            product(y + l->row, s->B + l->at, x + l->v, l->n, l->r);
        }
    }
}

/* x -= W y */
static void react(const dal_schur *s, double *x, const double *y)
{
    for (const link *l = s->link; l < s->link + s->nlinks; ++l) {
        if (l->n == 6 && l->r == 3) {
            apply(x + l->v, s->W + l->at, y + l->row, 6, 3);
        } else {
            apply(x + l->v, s->W + l->at, y + l->row, l->n, l->r);
        }
    }
}

static void solve(dal_schur *s, double *x)
{
    const int nv = s->ev->nv;
    if (has_entries(x, nv)) { // projections have no forces
        unload(s, x);
        gather(s, x, x + nv);
    }
    dal_envelope_solve(&s->S, x + nv); // y = -S^-1 (c - B M^-1 f)
    react(s, x, x + nv);
}

/* r := r - A x */
static void subtract(const dal_schur *s, double *r, const double *x)
{
    const int nv = s->ev->nv;
    for (int f = 0; f < s->nfactors; ++f) {
        const dal_factor *F = &s->ev->G->factor[f];
        if (F->nv == 6) {
            apply(r + F->v, s->M + s->m0[f], x + F->v, 6, 6);
        } else {
            apply(r + F->v, s->M + s->m0[f], x + F->v, F->nv, F->nv);
        }
    }
    gather(s, x, r + nv);
    for (const link *l = s->link; l < s->link + s->nlinks; ++l) {
        if (l->n == 6 && l->r == 3) {
            apply(r + l->v, s->B + l->at, x + nv + l->row, 6, 3);
        } else {
            apply(r + l->v, s->B + l->at, x + nv + l->row, l->n, l->r);
        }
    }
}

void dal_schur_constrain(const dal_schur *s, double *y, const double *x)
{
    dal_zero(y, s->ev->nc);
    gather(s, x, y);
    for (int i = 0; i < s->ev->nc; ++i) {
        y[i] = -y[i];
    }
}

void dal_schur_solve(dal_schur *s, double *x, int refined)
{
    const int n = s->ev->nv + s->ev->nc;
    if (!refined) {
        solve(s, x);
        return;
    }
    dal_copy(s->r, x, n);
    solve(s, x);
    subtract(s, s->r, x);
    solve(s, s->r);
    for (int i = 0; i < n; ++i) {
        x[i] += s->r[i];
    }
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Links of a factor, one list after the other: first (nfactors + 1), list (nlinks). */
static void sort_links(const dal_schur *s, int *first, int *list)
{
    const dal_link *all = s->ev->sys->link;
    memset(first, 0, (size_t)(s->nfactors + 1) * sizeof *first);
    for (int l = 0; l < s->nlinks; ++l) {
        first[all[l].j + 1]++;
    }
    for (int f = 0; f < s->nfactors; ++f) {
        first[f + 1] += first[f];
    }
    for (int l = s->nlinks - 1; l >= 0; --l) {
        list[--first[all[l].j + 1]] = l;
    }
    // each entry now is the start of its own list, one place too far to the right
    memmove(first, first + 1, (size_t)s->nfactors * sizeof *first);
    first[s->nfactors] = s->nlinks;
}

/* The links in a list of n in pairs, the one with the later rows first; the number of pairs, listed unless `to` is NULL. */
static int pair_up(const dal_schur *s, const int *list, int n, term *to)
{
    const dal_link *all = s->ev->sys->link;
    int found = 0;
    for (int k = 0; k < n * n; ++k) {
        const term t = {.a = list[k / n], .b = list[k % n]};
        if (all[t.a].c >= all[t.b].c) {
            if (to != NULL) {
                to[found] = t;
            }
            ++found;
        }
    }
    return found;
}

/* The pairs of links of all factors; the search ends where they are too many. */
static int list_terms(const dal_schur *s, const int *first, const int *list, term *to)
{
    int n = 0;
    for (int f = 0; f < s->nfactors && n <= MANY * s->nlinks; ++f) {
        const int links = first[f + 1] - first[f];
        if (links > CROWD) {
            return MANY * s->nlinks + 1;
        }
        n += pair_up(s, list + first[f], links, to != NULL ? to + n : NULL);
    }
    return n;
}

/* Rows of S are those of the system, in their order. */
static void find_envelope(dal_schur *s)
{
    const int *row0 = s->ev->row0;
    dal_envelope *S = &s->S;
    S->n = s->ev->nc;
    S->threes = S->n > 0;
    for (int c = 0; c < s->ev->sys->nconstraints; ++c) {
        S->threes = S->threes && row0[c + 1] - row0[c] == 3;
        for (int r = row0[c]; r < row0[c + 1]; ++r) {
            S->first[r] = row0[c];
        }
    }
    for (int t = 0; t < s->nterms; ++t) {
        const link *a = &s->link[s->term[t].a], *b = &s->link[s->term[t].b];
        for (int r = a->row; r < a->row + a->r; ++r) {
            S->first[r] = S->first[r] < b->row ? S->first[r] : b->row;
        }
    }
    dal_envelope_shape(S);
}

static void carve(dal_schur *s, dal_arena *arena)
{
    const int nc = s->ev->nc;
    s->m0 = dal_arena_ints(arena, s->nfactors + 1);
    s->link = dal_arena_take(arena, (size_t)s->nlinks + 1, sizeof *s->link);
    s->M = dal_arena_reals(arena, s->nM);
    s->known = dal_arena_reals(arena, s->nM);
    s->inv = dal_arena_reals(arena, s->nM);
    s->form = dal_arena_ints(arena, s->nfactors);
    s->pushed = dal_arena_take(arena, (size_t)s->nfactors, 1);
    s->changed = dal_arena_take(arena, (size_t)s->nfactors, 1);
    s->linked = dal_arena_take(arena, (size_t)s->nlinks + 1, 1);
    s->B = dal_arena_reals(arena, s->nB);
    s->W = dal_arena_reals(arena, s->nB);
    s->term = dal_arena_take(arena, (size_t)s->nterms + 1, sizeof *s->term);
    s->S.first = dal_arena_ints(arena, nc);
    s->S.offset = dal_arena_ints(arena, nc);
    s->S.x = dal_arena_reals(arena, nc * WIDEST);
    s->S.d = dal_arena_reals(arena, 3 * nc);
    s->r = dal_arena_reals(arena, s->ev->nv + nc);
}

/* Numbers in M and in B. */
static void measure(dal_schur *s)
{
    for (int f = 0; f < s->nfactors; ++f) {
        s->nM += s->ev->G->factor[f].nv * s->ev->G->factor[f].nv;
    }
    for (int i = 0; i < s->nlinks; ++i) {
        const dal_block_at at = dal_link_at(s->ev, i);
        s->nB += at.ni * at.nj;
    }
}

static void place(dal_schur *s)
{
    int at = 0;
    for (int f = 0; f < s->nfactors; ++f) {
        const int n = s->ev->G->factor[f].nv;
        s->m0[f] = at;
        at += n * n;
    }
    s->m0[s->nfactors] = at;
    at = 0;
    for (int i = 0; i < s->nlinks; ++i) {
        const dal_block_at b = dal_link_at(s->ev, i);
        const dal_link l = s->ev->sys->link[i];
        s->link[i] = (link){.f = l.j, .v = b.j, .n = b.nj, .c = l.c, .row = b.i, .r = b.ni, .at = at};
        at += b.ni * b.nj;
    }
    for (int i = 0; i < s->nM; ++i) {
        s->known[i] = NAN;
    }
    memset(s->changed, 1, (size_t)s->nfactors);
}

/* Blocks of M that are small, at most a few links per factor. */
static int pays(const dal_schur *s)
{
    for (int f = 0; f < s->nfactors; ++f) {
        if (s->ev->G->factor[f].nv > DAL_SCHUR_BLOCK) {
            return 0;
        }
    }
    return !s->ev->iterates && s->nterms <= MANY * s->nlinks;
}

/* The memory, and the structure of B M^-1 B^T; *pay = 0: it is not worth it. work: nfactors + 1 + nlinks. */
static dal_status set_up(dal_schur *s, int *work, int *pay)
{
    int *first = work, *list = work + s->nfactors + 1;
    sort_links(s, first, list);
    s->nterms = list_terms(s, first, list, NULL);
    *pay = pays(s);
    if (!*pay) {
        return DAL_OK;
    }
    measure(s);
    carve(s, &s->arena);
    DAL_TRY(dal_arena_reserve(&s->arena));
    carve(s, &s->arena);
    place(s);
    list_terms(s, first, list, s->term);
    find_envelope(s);
    *pay = s->S.nx <= (size_t)s->ev->nc * WIDEST;
    return DAL_OK;
}

dal_status dal_schur_create(dal_schur **out, dal_ctx *ctx, dal_eval *ev)
{
    *out = NULL;
    dal_schur *s = dal_alloc_zero(ctx, sizeof *s);
    int *work = dal_alloc_zero(ctx, (size_t)(ev->G->nfactors + 1 + ev->sys->nlinks) * sizeof *work);
    int pay = 0;
    if (s == NULL || work == NULL) {
        dal_free(ctx, s);
        dal_free(ctx, work);
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the saddle system");
    }
    *s = (dal_schur){.sink = dal_sink_ignoring(DAL_WANT_M | DAL_WANT_B),
                     .ctx = ctx,
                     .ev = ev,
                     .nfactors = ev->G->nfactors,
                     .nlinks = ev->sys->nlinks,
                     .arena = dal_arena_init(ctx)};
    s->sink.pair = push_pair;
    s->sink.link = push_link;
    s->sink.link_force = push_force;
    const dal_status st = set_up(s, work, &pay);
    dal_free(ctx, work);
    if (st != DAL_OK || !pay) {
        dal_schur_destroy(s);
        return st;
    }
    *out = s;
    return DAL_OK;
}

void dal_schur_destroy(dal_schur *s)
{
    if (s != NULL) {
        dal_arena_release(&s->arena);
        dal_free(s->ctx, s);
    }
}
