#include "linearize/blocks.h"

#include <string.h>

#include "base/vector.h"
#include "system/sink.h"

enum { M_, C_, K_, OF_PAIR };
enum { B_, Z_, AQ, AV, G_, LQ, LV, OF_LINK };

static int flags_of(const dal_system *sys)
{
    return OF_PAIR * sys->npairs + OF_LINK * sys->nlinks + sys->ncouples;
}

/* Matrices one after the other, each with its blocks in their order. */
static void carve(dal_blocks *b, dal_arena *arena)
{
    const dal_system *sys = b->ev->sys;
    size_t n = 0, all;
    b->pair0 = dal_arena_take(arena, (size_t)sys->npairs + 1, sizeof(size_t));
    b->link0 = dal_arena_take(arena, (size_t)sys->nlinks + 1, sizeof(size_t));
    b->couple0 = dal_arena_take(arena, (size_t)sys->ncouples + 1, sizeof(size_t));
    for (int p = 0; p <= sys->npairs; ++p) {
        if (b->pair0) {
            b->pair0[p] = n;
        }
        n += p < sys->npairs ? (size_t)(dal_pair_at(b->ev, p).ni * dal_pair_at(b->ev, p).nj) : 0;
    }
    all = OF_PAIR * n;
    n = 0;
    for (int l = 0; l <= sys->nlinks; ++l) {
        if (b->link0) {
            b->link0[l] = n;
        }
        n += l < sys->nlinks ? (size_t)(dal_link_at(b->ev, l).ni * dal_link_at(b->ev, l).nj) : 0;
    }
    all += OF_LINK * n;
    for (int k = 0; k <= sys->ncouples; ++k) {
        if (b->couple0) {
            b->couple0[k] = all;
        }
        all += k < sys->ncouples ? (size_t)(dal_couple_at(b->ev, k).ni * dal_couple_at(b->ev, k).nj) : 0;
    }
    b->x = dal_arena_take(arena, all, sizeof(double));
    b->empty = dal_arena_take(arena, (size_t)flags_of(sys), 1);
}

dal_status dal_blocks_init(dal_blocks *b, dal_ctx *ctx, dal_eval *ev)
{
    *b = (dal_blocks){.ev = ev, .arena = dal_arena_init(ctx)};
    carve(b, &b->arena);
    DAL_TRY(dal_arena_reserve(&b->arena));
    carve(b, &b->arena);
    return DAL_OK;
}

void dal_blocks_release(dal_blocks *b)
{
    dal_arena_release(&b->arena);
}

/* ---- filling ---------------------------------------------------------------------------------- */

static double *pair_block(const dal_blocks *b, int pair, int which)
{
    return b->x + (size_t)which * b->pair0[b->ev->sys->npairs] + b->pair0[pair];
}

static double *link_block(const dal_blocks *b, int link, int which)
{
    return pair_block(b, 0, OF_PAIR) + (size_t)which * b->link0[b->ev->sys->nlinks] + b->link0[link];
}

/* When a matrix is wanted. */
static const unsigned pair_bit[OF_PAIR] = {DAL_WANT_M, DAL_WANT_C, DAL_WANT_K},
                      link_bit[OF_LINK] = {DAL_WANT_B, DAL_WANT_Z, DAL_WANT_A, DAL_WANT_A,
                                           DAL_WANT_G, DAL_WANT_L, DAL_WANT_L};

static char *pair_flag(const dal_blocks *b, int pair, int which)
{
    return b->empty + OF_PAIR * pair + which;
}

static char *link_flag(const dal_blocks *b, int link, int which)
{
    return b->empty + OF_PAIR * b->ev->sys->npairs + OF_LINK * link + which;
}

static char *couple_flag(const dal_blocks *b, int couple)
{
    return link_flag(b, b->ev->sys->nlinks, 0) + couple;
}

/* to = from, the first time, then += it. Blocks between bodies have 36 numbers. */
static void keep(double *restrict to, char *empty, const double *restrict from, int n)
{
    if (from && *empty) {
        memcpy(to, from, (size_t)n * sizeof *to);
        *empty = 0;
    } else if (from && n == 36) {
        for (int i = 0; i < 36; ++i) {
            to[i] += from[i];
        }
    } else if (from) {
        dal_add(to, from, n);
    }
}

static void keep_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const dal_blocks *b = (const dal_blocks *)sink;
    const dal_block_at at = dal_pair_at(b->ev, pair);
    const double *const from[OF_PAIR] = {M, C, K};
    for (int i = b->ev->sys->pair[pair].positions ? K_ : 0; i < OF_PAIR; ++i) {
        keep(pair_block(b, pair, i), pair_flag(b, pair, i), b->has & pair_bit[i] ? from[i] : NULL, at.ni * at.nj);
    }
    if (b->also) {
        b->also->pair(b->also, pair, M, C, K);
    }
}

static void keep_two(dal_sink *sink, int link, int first, const double *X, const double *Y)
{
    const dal_blocks *b = (const dal_blocks *)sink;
    const dal_block_at at = dal_link_at(b->ev, link);
    const int n = at.ni * at.nj, second = first + 1;
    keep(link_block(b, link, first), link_flag(b, link, first), b->has & link_bit[first] ? X : NULL, n);
    keep(link_block(b, link, second), link_flag(b, link, second), b->has & link_bit[second] ? Y : NULL, n);
}

static void keep_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_sink *also = ((const dal_blocks *)sink)->also;
    keep_two(sink, link, B_, B, Z);
    if (also) {
        also->link(also, link, B, Z);
    }
}

static void keep_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    dal_sink *also = ((const dal_blocks *)sink)->also;
    keep_two(sink, link, AQ, Aq, Av);
    if (also) {
        also->link_acc(also, link, Aq, Av);
    }
}

static void keep_force(dal_sink *sink, int link, const double *G)
{
    const dal_blocks *b = (const dal_blocks *)sink;
    const dal_block_at at = dal_link_at(b->ev, link);
    keep(link_block(b, link, G_), link_flag(b, link, G_), G, at.ni * at.nj);
    if (b->also) {
        b->also->link_force(b->also, link, G);
    }
}

static void keep_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    dal_sink *also = ((const dal_blocks *)sink)->also;
    keep_two(sink, link, LQ, Lq, Lv);
    if (also) {
        also->link_law(also, link, Lq, Lv);
    }
}

static void keep_couple(dal_sink *sink, int couple, const double *F)
{
    const dal_blocks *b = (const dal_blocks *)sink;
    const dal_block_at at = dal_couple_at(b->ev, couple);
    keep(b->x + b->couple0[couple], couple_flag(b, couple), F, at.ni * at.nj);
    if (b->also) {
        b->also->couple(b->also, couple, F);
    }
}

dal_status dal_blocks_at(dal_blocks *b, const dal_point *at, unsigned wants)
{
    wants |= b->ev->sys->lambda_in_g && (wants & DAL_WANT_C) ? (unsigned)DAL_WANT_G : 0U;
    wants |= b->ev->nlaws > 0 && (wants & DAL_WANT_C) ? (unsigned)DAL_WANT_L : 0U;
    b->has = wants;
    b->sink = (dal_sink){wants, keep_pair, keep_link, keep_acc, keep_force, keep_law, keep_couple};
    memset(b->empty, 1, (size_t)flags_of(b->ev->sys));
    return dal_eval_tangent(b->ev, &b->sink, at);
}

dal_status dal_blocks_with(dal_blocks *b, dal_sink *also, const dal_point *at)
{
    b->also = also;
    const dal_status st = dal_blocks_at(b, at, also->wants);
    b->also = NULL;
    return st;
}

/* ---- products --------------------------------------------------------------------------------- */

/* y += A x, A ni x nj; with `transposed` y += A^T x */
DAL_INLINE void multiply_sized(double *restrict y, const double *restrict A, const double *restrict x, int ni, int nj,
                               int transposed, double scale)
{
    for (int j = 0; j < nj; ++j) {
        const double *a = A + j * ni;
        if (transposed) {
            y[j] += scale * dal_dot_few(a, x, ni);
        } else {
            const double f = scale * x[j];
            for (int i = 0; i < ni; ++i) {
                y[i] += a[i] * f;
            }
        }
    }
}

/* Bodies have six columns, joints often three or five rows. */
static void multiply(double *y, const double *A, const double *x, int ni, int nj, int transposed, double scale)
{
    if (nj == 6 && ni == 6) {
        multiply_sized(y, A, x, 6, 6, transposed, scale);
    } else if (nj == 6 && ni == 3) {
        multiply_sized(y, A, x, 3, 6, transposed, scale);
    } else if (nj == 6 && ni == 5) {
        multiply_sized(y, A, x, 5, 6, transposed, scale);
    } else {
        multiply_sized(y, A, x, ni, nj, transposed, scale);
    }
}

/* One of the matrices: it stands between a member of the answers and one of the changes. */
static void one(double *row, double *column, const double *A, const dal_block_at *at, int transposed, double scale)
{
    if (row && column) {
        double *y = transposed ? column + at->j : row + at->i;
        const double *x = transposed ? row + at->i : column + at->j;
        multiply(y, A, x, at->ni, at->nj, transposed, scale);
    }
}

static int has(const dal_blocks *b, int link, int which)
{
    return (b->has & link_bit[which]) && !*link_flag(b, link, which);
}

static void through_link(const dal_blocks *b, int link, const dal_rows *y, const dal_change *x, int transposed,
                         double scale)
{
    const dal_block_at at = dal_link_at(b->ev, link), turned = {at.j, at.nj, at.i, at.ni};
    const double *B = link_block(b, link, B_);
    if (has(b, link, B_)) {
        // B^T la in r
        if (y->r && x->la) {
            double *to = transposed ? x->la + at.i : y->r + at.j;
            const double *from = transposed ? y->r + at.j : x->la + at.i;
            multiply(to, B, from, at.ni, at.nj, !transposed, scale);
        }
        if (!dal_link_of_law(b->ev, link)) {
            one(y->Phi, x->q, B, &at, transposed, scale);
            one(y->vel, x->v, B, &at, transposed, scale);
            one(y->acc, x->vd, B, &at, transposed, scale);
        }
    }
    if (has(b, link, Z_)) {
        one(y->vel, x->q, link_block(b, link, Z_), &at, transposed, scale);
    }
    if (has(b, link, AQ)) {
        one(y->acc, x->q, link_block(b, link, AQ), &at, transposed, scale);
    }
    if (has(b, link, AV)) {
        one(y->acc, x->v, link_block(b, link, AV), &at, transposed, scale);
    }
    if (has(b, link, G_)) {
        one(y->r, x->la, link_block(b, link, G_), &turned, transposed, scale);
    }
    if (has(b, link, LQ)) {
        one(y->law, x->q, link_block(b, link, LQ), &at, transposed, scale);
    }
    if (has(b, link, LV)) {
        one(y->law, x->v, link_block(b, link, LV), &at, transposed, scale);
    }
}

static void through(const dal_blocks *b, const dal_rows *y, const dal_change *x, int transposed, double scale)
{
    const dal_system *sys = b->ev->sys;
    double *const by[OF_PAIR] = {x->vd, x->v, x->q};
    for (int p = 0; p < sys->npairs && y->r; ++p) {
        const dal_block_at at = dal_pair_at(b->ev, p);
        for (int i = sys->pair[p].positions ? K_ : 0; i < OF_PAIR; ++i) {
            if ((b->has & pair_bit[i]) && by[i] && !*pair_flag(b, p, i)) {
                one(y->r, by[i], pair_block(b, p, i), &at, transposed, scale);
            }
        }
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        through_link(b, l, y, x, transposed, scale);
    }
    for (int k = 0; k < sys->ncouples && (b->has & DAL_WANT_L); ++k) {
        const dal_block_at at = dal_couple_at(b->ev, k);
        if (*couple_flag(b, k)) {
            continue;
        }
        one(y->law, x->la, b->x + b->couple0[k], &at, transposed, scale);
    }
}

void dal_blocks_product(const dal_blocks *b, const dal_rows *y, const dal_change *x, double scale)
{
    through(b, y, x, 0, scale);
}

void dal_blocks_transposed(const dal_blocks *b, const dal_change *x, const dal_rows *y, double scale)
{
    through(b, y, x, 1, scale);
}
