#include "linearize/bordered.h"

#include "linsol/steady.h"
#include "system/sink.h"

/* A block without rows and columns of what is held. */
static void push_block(const dal_bordered *b, int pair, const double *X, dal_block_at at, double scale)
{
    for (int j = 0; j < at.nj; ++j) {
        for (int i = 0; i < at.ni; ++i) {
            if (at.i + i == at.j + j || !(b->held[at.i + i] || b->held[at.j + j])) {
                b->A->x[b->A->slot[pair][j] + i] += scale * X[i + j * at.ni];
            }
        }
    }
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const dal_bordered *b = (dal_bordered *)sink;
    const dal_block_at at = dal_pair_at(b->ev, pair);
    const double *X[] = {M, C, K}, scale[] = {b->m, b->c, b->k};
    for (int i = 0; i < 3; ++i) {
        if (X[i] && scale[i] != 0.0 && b->held) {
            push_block(b, pair, X[i], at, scale[i]);
        } else if (X[i] && scale[i] != 0.0) {
            dal_scatter(b->A, pair, X[i], at.ni, at.ni, at.nj, scale[i]);
        }
    }
}

/* B and B^T without the columns of what is held. */
static void push_free(const dal_bordered *b, int slot, const double *B, dal_block_at at)
{
    for (int j = 0; j < at.nj; ++j) {
        for (int r = 0; r < at.ni && !b->held[at.j + j]; ++r) {
            b->A->x[b->A->slot[slot][j] + r] += B[r + j * at.ni];
            b->A->x[b->A->slot[slot + 1][r] + j] += B[r + j * at.ni];
        }
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_bordered *b = (dal_bordered *)sink;
    const dal_block_at at = dal_link_at(b->ev, link);
    const int slot = b->first_link + 2 * link;
    (void)Z;
    const int law = dal_link_of_law(b->ev, link);
    if (!B || (law && !(b->sink.wants & DAL_WANT_L)) ||
        (b->holonomic_only && !dal_holds_positions(&b->ev->sys->constraint[b->ev->sys->link[link].c]))) {
        return;
    }
    if (b->held) {
        push_free(b, slot, B, at);
        return;
    }
    if (!law) {
        dal_scatter(b->A, slot, B, at.ni, at.ni, at.nj, 1.0);
    }
    dal_scatter_transposed(b->A, slot + 1, B, at.ni, at.ni, at.nj);
}

static void push_force(dal_sink *sink, int link, const double *G)
{
    const dal_bordered *b = (dal_bordered *)sink;
    const dal_block_at at = dal_link_at(b->ev, link);
    dal_scatter(b->A, b->first_link + 2 * link + 1, G, at.nj, at.nj, at.ni, 1.0);
}

static void push_couple(dal_sink *sink, int couple, const double *F)
{
    const dal_bordered *b = (dal_bordered *)sink;
    const dal_block_at at = dal_couple_at(b->ev, couple);
    if (F) {
        dal_scatter(b->A, b->first_couple + couple, F, at.ni, at.ni, at.nj, 1.0);
    }
}

/* Laws hold nothing where forces play no part: their multipliers are zero. */
static void forget_laws(const dal_bordered *b)
{
    for (int k = 0; k < b->ev->sys->ncouples; ++k) {
        const dal_block_at at = dal_couple_at(b->ev, k);
        for (int i = 0; at.i == at.j && i < at.ni; ++i) {
            b->A->x[b->A->slot[b->first_couple + k][i] + i] += 1.0;
        }
    }
}

dal_status dal_bordered_announce(dal_pattern *pattern, const dal_eval *ev, unsigned parts)
{
    const int links = (parts & DAL_BORDERED_LINKS) != 0;
    if (parts & DAL_BORDERED_STEADY) {
        dal_pattern_steady(pattern);
    }
    DAL_TRY(links ? dal_layout_nodes(pattern, ev, 0, ev->nv) : dal_layout_factors(pattern, ev, 0));
    if (parts & DAL_BORDERED_PAIRS) {
        DAL_TRY(dal_layout_pairs(pattern, ev, 0, 0));
    }
    if (links) {
        DAL_TRY(dal_layout_links(pattern, ev, ev->nv, 0));
        DAL_TRY(dal_layout_couples(pattern, ev, ev->nv));
    }
    return parts & DAL_BORDERED_DIAGONAL ? dal_layout_diagonal(pattern, 0, ev->nv + (links ? ev->nc : 0)) : DAL_OK;
}

static dal_status announce(dal_pattern *pattern, const void *self)
{
    const dal_bordered *b = self;
    return dal_bordered_announce(pattern, b->ev, b->parts);
}

dal_status dal_bordered_init(dal_bordered *b, dal_ctx *ctx, dal_eval *ev, unsigned parts, dal_linsol_kind kind)
{
    const int links = (parts & DAL_BORDERED_LINKS) != 0;
    *b = (dal_bordered){.sink = dal_sink_ignoring(0), .ev = ev, .parts = parts, .m = 1.0};
    b->first_link = parts & DAL_BORDERED_PAIRS ? ev->sys->npairs : 0;
    b->first_couple = b->first_link + (links ? 2 * ev->sys->nlinks : 0);
    b->first_diagonal = b->first_couple + (links ? ev->sys->ncouples : 0);
    if (parts & DAL_BORDERED_PAIRS) {
        b->sink.pair = push_pair;
    }
    if (links) {
        b->sink.link = push_link;
        b->sink.link_force = push_force;
        b->sink.couple = push_couple;
    }
    DAL_TRY(dal_layout_solver(&b->ls, ctx, ev->nv + (links ? ev->nc : 0), kind, announce, b));
    b->A = dal_linsol_matrix(b->ls);
    return DAL_OK;
}

void dal_bordered_release(dal_bordered *b)
{
    dal_linsol_destroy(b->ls);
    b->ls = NULL;
}

static unsigned wanted(const dal_bordered *b, int with_force)
{
    unsigned wants = 0;
    if (b->parts & DAL_BORDERED_PAIRS) {
        wants |= b->m != 0.0 ? (unsigned)DAL_WANT_M : 0U;
        wants |= b->c != 0.0 ? (unsigned)DAL_WANT_C : 0U;
        wants |= b->k != 0.0 ? (unsigned)DAL_WANT_K | (unsigned)DAL_WANT_MEANS : 0U; // an equilibrium
    }
    if (b->parts & DAL_BORDERED_LINKS) {
        wants |= DAL_WANT_B | (with_force && b->ev->sys->lambda_in_g ? (unsigned)DAL_WANT_G : 0U);
        wants |= with_force && b->ev->nlaws > 0 ? (unsigned)DAL_WANT_L : 0U;
    }
    return wants;
}

dal_status dal_bordered_fill(dal_bordered *b, const dal_point *at, int with_force)
{
    b->sink.wants = wanted(b, with_force);
    dal_matrix_zero(b->A);
    for (int i = 0; (b->parts & DAL_BORDERED_DIAGONAL) && i < b->A->n; ++i) {
        b->A->x[b->A->slot[b->first_diagonal + i][0]] += b->added ? b->added[i] : b->diagonal[i >= b->ev->nv];
    }
    if ((b->parts & DAL_BORDERED_LINKS) && !with_force) {
        forget_laws(b);
    }
    return dal_eval_tangent(b->ev, &b->sink, at);
}
