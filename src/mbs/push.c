/* Tangents of the frames of bodies on their way to the sink: through S of bodies in other coordinates, (MB.3), and in parts
 * to the factors of flexible bodies. */
#include "base/vector.h"
#include "lie/so3_kernel.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"

/* Y (na x nb) = X (na x 6) S (6 x nb), or += */
static void times_lift(double *Y, const double *X, int na, const double *S, int nb, int add)
{
    for (int j = 0; j < nb; ++j) {
        double *y = Y + j * na;
        for (int i = 0; i < na && !add; ++i) {
            y[i] = 0.0;
        }
        for (int k = 0; k < 6; ++k) {
            const double s = S[k + 6 * j];
            for (int i = 0; i < na && s != 0.0; ++i) {
                y[i] += X[i + k * na] * s;
            }
        }
    }
}

/* Y (na x 6) = X S, S = diag(A, I) or diag(I, A): columns from `turned` on are multiplied by A, the others are the same */
static inline void times_block(double *restrict Y, const double *restrict X, int na, const double *S, int turned)
{
    const int same = 3 - turned;
    block_mul(Y + turned * na, X + turned * na, na, S + 7 * turned, 6);
    memcpy(Y + same * na, X + same * na, (size_t)(3 * na) * sizeof *Y);
}

/* Y (na x nv) = X (na x 6) S */
static void times_map(double *Y, const double *X, int na, const mb_body *b)
{
    const double *S = b->lift->S;
    const int turned = b->type->map == MB_MAP_TRANSLATION ? 0 : 3;
    if (b->type->map == MB_MAP_FULL) {
        times_lift(Y, X, na, S, b->nv, 0);
    } else if (na == 3) {
        times_block(Y, X, 3, S, turned);
    } else if (na == 6) {
        times_block(Y, X, 6, S, turned);
    } else {
        times_block(Y, X, na, S, turned);
    }
}

/* Y (na x nb) = S^T X, S 6 x na, X 6 x nb */
static void lift_times(double *Y, const double *S, int na, const double *X, int nb)
{
    for (int j = 0; j < nb; ++j) {
        for (int i = 0; i < na; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 6; ++k) {
                sum += S[k + 6 * i] * X[k + 6 * j];
            }
            Y[i + j * na] = sum;
        }
    }
}

/* Y (nv x nb) = S^T X */
static void map_times(double *Y, const mb_body *b, const double *X, int nb)
{
    const double *S = b->lift->S;
    const int turned = b->type->map == MB_MAP_TRANSLATION ? 0 : 3, same = 3 - turned;
    if (b->type->map == MB_MAP_FULL) {
        lift_times(Y, S, b->nv, X, nb);
        return;
    }
    S += 7 * turned;
    for (int j = 0; j < nb; ++j) {
        const double *x = X + 6 * j + turned;
        double *y = Y + 6 * j + turned;
        y[0] = dot3(S, x);
        y[1] = dot3(S + 6, x);
        y[2] = dot3(S + 12, x);
        copy3(Y + 6 * j + same, X + 6 * j + same);
    }
}

/* Columns of the second factor follow those of the first. */
static void link_parts(void (*push)(dal_sink *, int, const double *, const double *), dal_sink *sink, const mb_body *b,
                       int link, const double *B, const double *Z, int nrows)
{
    push(sink, link, B, Z);
    if (b->nv > b->type->nv) {
        const size_t next = (size_t)b->type->nv * (size_t)nrows;
        push(sink, link + 1, B + next, Z ? Z + next : NULL);
    }
}

void mb_push_link(const mb_instance *m, dal_sink *sink, int body, int link, const double *B6, const double *Z6,
                  int nrows)
{
    const mb_body *b = &m->body[body];
    double *B = m->scratch.B, *Z = m->scratch.Z;
    if (b->type->identity) {
        sink->link(sink, link, B6, Z6);
        return;
    }
    times_map(B, B6, nrows, b);
    if (Z6) {
        times_map(Z, Z6, nrows, b);
        times_lift(Z, B6, nrows, b->lift->V, b->nv, 1);
    }
    link_parts(sink->link, sink, b, link, B, Z6 ? Z : NULL, nrows);
}

void mb_push_link_acc(const mb_instance *m, dal_sink *sink, int body, int link, const double *Aq6, const double *Av6,
                      const double *Aa6, int nrows)
{
    const mb_body *b = &m->body[body];
    double *Aq = m->scratch.B, *Av = m->scratch.Z;
    if (b->type->identity) {
        sink->link_acc(sink, link, Aq6, Av6);
        return;
    }
    times_map(Aq, Aq6, nrows, b);
    times_lift(Aq, Av6, nrows, b->lift->V, b->nv, 1);
    times_lift(Aq, Aa6, nrows, b->lift->Aq, b->nv, 1);
    times_map(Av, Av6, nrows, b);
    times_lift(Av, Aa6, nrows, b->lift->Av, b->nv, 1);
    link_parts(sink->link_acc, sink, b, link, Aq, Av, nrows);
}

/* Block of A (ld rows) at (row, column), ni x nj, without padding; NULL stays NULL. */
static const double *part_of(double *to, const double *A, int ld, int row, int ni, int column, int nj)
{
    for (int j = 0; j < nj && A; ++j) {
        memcpy(to + j * ni, A + row + (column + j) * ld, (size_t)ni * sizeof(double));
    }
    return A ? to : NULL;
}

void mb_push_force(const mb_instance *m, dal_sink *sink, int body, int link, const double *G6, int nrows)
{
    const mb_body *b = &m->body[body];
    double *G = m->scratch.B;
    const int head = b->type->nv;
    if (b->type->identity) {
        sink->link_force(sink, link, G6);
        return;
    }
    map_times(G, b, G6, nrows);
    sink->link_force(sink, link, b->nv == head ? G : part_of(m->scratch.Z, G, b->nv, 0, head, 0, nrows));
    if (b->nv > head) {
        sink->link_force(sink, link + 1, part_of(m->scratch.Z, G, b->nv, head, b->nv - head, 0, nrows));
    }
}

/* Velocities of the first and of the second factor. */
typedef struct span {
    int frame, modes;
} span;

static void push_spans(const mb_instance *m, dal_sink *sink, int pair, span si, span sj, int stride,
                       const double *const A[3])
{
    const int ni[2] = {si.frame, si.modes}, nj[2] = {sj.frame, sj.modes}, ld = si.frame + si.modes;
    for (int a = 0; a < 2 && ni[a] > 0; ++a) {
        for (int b = 0; b < 2 && nj[b] > 0; ++b) {
            const double *part[3];
            for (int k = 0; k < 3; ++k) {
                part[k] = part_of(m->scratch.part[k], A[k], ld, a * ni[0], ni[a], b * nj[0], nj[b]);
            }
            sink->pair(sink, pair + a * stride + b, part[0], part[1], part[2]);
        }
    }
}

/* Blocks of the factors of two bodies out of M, C, K of all their velocities (nv_i x nv_j, NULL: zero). */
static void push_blocks(const mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *M, const double *C,
                        const double *K)
{
    const mb_body *bi = &m->body[i], *bj = &m->body[j];
    const span si = {bi->type->nv, bi->nv - bi->type->nv}, sj = {bj->type->nv, bj->nv - bj->type->nv};
    if (si.modes == 0 && sj.modes == 0) {
        sink->pair(sink, pair, M, C, K);
    } else {
        push_spans(m, sink, pair, si, sj, bj->nfactors, (const double *[3]){M, C, K});
    }
}

void mb_push_square(const mb_instance *m, dal_sink *sink, int i, const double *M, const double *C, const double *K)
{
    const mb_body *b = &m->body[i];
    const span s = {6, b->flex->n};
    push_spans(m, sink, b->pair, s, s, b->nfactors, (const double *[3]){M, C, K});
}

void mb_push_column(const mb_instance *m, dal_sink *sink, int body, int pair, const double *C6, const double *K6)
{
    const mb_body *b = &m->body[body];
    double *C = m->scratch.B, *K = m->scratch.Z;
    const int head = b->type->nv;
    if (b->type->identity) {
        sink->pair(sink, pair, NULL, C6, K6);
        return;
    }
    if (C6) {
        map_times(C, b, C6, 1);
    }
    if (K6) {
        map_times(K, b, K6, 1);
    }
    sink->pair(sink, pair, NULL, C6 ? C : NULL, K6 ? K : NULL);
    if (b->nv > head) {
        sink->pair(sink, pair + 1, NULL, C6 ? C + head : NULL, K6 ? K + head : NULL);
    }
}

void mb_push_row(const mb_instance *m, dal_sink *sink, int body, int pair, const double C6[6], const double K6[6])
{
    const mb_body *b = &m->body[body];
    double *C = m->scratch.B, *K = m->scratch.Z;
    if (b->type->identity) {
        sink->pair(sink, pair, NULL, C6, K6);
        return;
    }
    times_map(C, C6, 1, b);
    times_map(K, K6, 1, b);
    times_lift(K, C6, 1, b->lift->V, b->nv, 1);
    sink->pair(sink, pair, NULL, C, K);
    if (b->nv > b->type->nv) {
        sink->pair(sink, pair + 1, NULL, C + b->type->nv, K + b->type->nv);
    }
}

void mb_add_row(const mb_instance *m, double *row, int body, const double K6[6], const double C6[6], const double A6[6])
{
    const mb_body *b = &m->body[body];
    const double *const from[3] = {K6, C6, A6};
    for (int i = 0; i < 3; ++i) {
        double *x = m->scratch.B, *to = row + (ptrdiff_t)i * m->nv + b->v;
        if (b->type->identity) {
            dal_add(to, from[i], 6);
            continue;
        }
        times_map(x, from[i], 1, b);
        if (i == 0) {
            times_lift(x, C6, 1, b->lift->V, b->nv, 1);
            times_lift(x, A6, 1, b->lift->Aq, b->nv, 1);
        } else if (i == 1) {
            times_lift(x, A6, 1, b->lift->Av, b->nv, 1);
        }
        dal_add(to, x, b->nv);
    }
}

/* X (6 x nj): K6 S + C6 V, and C6 S into Y */
static void right_lift(double *X, double *Y, const mb_body *bj, const double *C6, const double *K6)
{
    if (bj->type->identity) {
        memcpy(X, K6, 36 * sizeof(double));
        memcpy(Y, C6, 36 * sizeof(double));
        return;
    }
    times_map(X, K6, 6, bj);
    times_lift(X, C6, 6, bj->lift->V, bj->nv, 1);
    times_map(Y, C6, 6, bj);
}

void mb_add_pair(mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *C6, const double *K6)
{
    static const double zero[36];
    const mb_body *bi = &m->body[i], *bj = &m->body[j];
    if (i == j) {
        for (int k = 0; k < 36; ++k) {
            bi->C[k] += C6 ? C6[k] : 0.0;
            bi->K[k] += K6 ? K6[k] : 0.0;
        }
        return;
    }
    if (bi->type->identity && bj->type->identity) {
        sink->pair(sink, pair, NULL, C6, K6);
        return;
    }
    const mb_scratch *w = &m->scratch;
    right_lift(w->X, w->Y, bj, C6 ? C6 : zero, K6 ? K6 : zero);
    if (bi->type->identity) {
        push_blocks(m, sink, i, j, pair, NULL, w->Y, w->X);
        return;
    }
    map_times(w->K, bi, w->X, bj->nv);
    map_times(w->C, bi, w->Y, bj->nv);
    push_blocks(m, sink, i, j, pair, NULL, w->C, w->K);
}

void mb_add_mass(mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *M6)
{
    const mb_body *bi = &m->body[i], *bj = &m->body[j];
    const mb_scratch *w = &m->scratch;
    if (i == j) {
        for (int k = 0; k < 36; ++k) {
            bi->M[k] += M6[k];
        }
        return;
    }
    // M6 y_j' with y_j' = S v' + ...: M6 S, M6 Aq, M6 Av; then S_i^T from the left
    const int lifted = !bj->type->identity, curved = lifted && !bj->type->constant;
    const double *M = M6, *C = curved ? w->Y : NULL, *K = curved ? w->X : NULL;
    if (lifted) {
        times_map(w->W, M6, 6, bj);
        M = w->W;
    }
    if (curved) {
        times_lift(w->X, M6, 6, bj->lift->Aq, bj->nv, 0);
        times_lift(w->Y, M6, 6, bj->lift->Av, bj->nv, 0);
    }
    if (!bi->type->identity) {
        const double *const from[3] = {M, C, K};
        double *const to[3] = {w->M, w->C, w->K};
        for (int k = 0; k < 3 && from[k]; ++k) {
            map_times(to[k], bi, from[k], bj->nv);
        }
        M = w->M;
        C = C ? w->C : NULL;
        K = K ? w->K : NULL;
    }
    push_blocks(m, sink, i, j, pair, M, C, K);
}

void mb_push_lifted(const mb_instance *m, int i, dal_sink *sink, const double *M6, const double *q)
{
    const mb_body *b = &m->body[i];
    const mb_scratch *w = &m->scratch;
    const mb_lift *L = b->lift;
    const int nv = b->nv;
    const double *M = M6 ? w->M : NULL;
    if (M6 && b->type->body_axes && !b->M) {
        M = b->M0;
    } else if (M6) {
        times_map(w->W, M6, 6, b);
        map_times(w->M, b, w->W, nv);
    }
    if (!(sink->wants & (DAL_WANT_C | DAL_WANT_K))) {
        push_blocks(m, sink, i, i, b->pair, M, NULL, NULL);
        return;
    }
    right_lift(w->X, w->Y, b, b->C, b->K);
    if (M6 && !b->type->constant) {
        times_lift(w->X, M6, 6, L->Aq, nv, 1);
        times_lift(w->Y, M6, 6, L->Av, nv, 1);
    }
    map_times(w->C, b, w->Y, nv);
    map_times(w->K, b, w->X, nv);
    if (!b->type->constant) {
        memset(w->N, 0, (size_t)(nv * nv) * sizeof(double));
        b->type->curvature(w->N, b, q, b->own6);
        for (int k = 0; k < nv * nv; ++k) {
            w->K[k] += w->N[k];
        }
    }
    push_blocks(m, sink, i, i, b->pair, M, w->C, w->K);
}
