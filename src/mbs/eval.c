/* Evaluation of a compiled model: states of the bodies, then inertia, constraints and forces. */
#include <stdio.h>

#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/inertia_kernel.h"

/* Residual, tangent, energy and outputs come at the same point one after the other: are the states those of this point? */
static int have_states(mb_instance *m, const dal_point *at)
{
    const size_t nq = (size_t)m->of->group->nq * sizeof(double), nv = (size_t)m->nv * sizeof(double);
    if (m->seen && memcmp(m->seen_v, at->v, nv) == 0 && memcmp(m->seen_q, at->q, nq) == 0 &&
        memcmp(m->seen_vd, at->vd, nv) == 0) {
        return 1;
    }
    memcpy(m->seen_q, at->q, nq);
    memcpy(m->seen_v, at->v, nv);
    memcpy(m->seen_vd, at->vd, nv);
    m->seen = 1;
    return 0;
}

void mb_states(mb_instance *m, const dal_point *at)
{
    if (have_states(m, at)) {
        return;
    }
    for (int i = 1; i < m->nbodies; ++i) {
        mb_body *b = &m->body[i];
        b->type->state(&m->state[i], b, at->q + b->q, at->v + b->v, at->vd + b->v);
        if (b->type == &mb_body_flexible) {
            mb_flex_update(b, at->q + b->q + 7, at->v + b->v + 6);
        }
    }
}

/* ---- through S -------------------------------------------------------------------------------- */

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
    times_lift(B, B6, nrows, b->lift->S, b->nv, 0);
    if (Z6) {
        times_lift(Z, Z6, nrows, b->lift->S, b->nv, 0);
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
    times_lift(Aq, Aq6, nrows, b->lift->S, b->nv, 0);
    times_lift(Aq, Av6, nrows, b->lift->V, b->nv, 1);
    times_lift(Aq, Aa6, nrows, b->lift->Aq, b->nv, 1);
    times_lift(Av, Av6, nrows, b->lift->S, b->nv, 0);
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
    lift_times(G, b->lift->S, b->nv, G6, nrows);
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

void mb_push_blocks(const mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *M, const double *C,
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
        lift_times(C, b->lift->S, b->nv, C6, 1);
    }
    if (K6) {
        lift_times(K, b->lift->S, b->nv, K6, 1);
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
    times_lift(C, C6, 1, b->lift->S, b->nv, 0);
    times_lift(K, K6, 1, b->lift->S, b->nv, 0);
    times_lift(K, C6, 1, b->lift->V, b->nv, 1);
    sink->pair(sink, pair, NULL, C, K);
    if (b->nv > b->type->nv) {
        sink->pair(sink, pair + 1, NULL, C + b->type->nv, K + b->type->nv);
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
    times_lift(X, K6, 6, bj->lift->S, bj->nv, 0);
    times_lift(X, C6, 6, bj->lift->V, bj->nv, 1);
    times_lift(Y, C6, 6, bj->lift->S, bj->nv, 0);
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
        mb_push_blocks(m, sink, i, j, pair, NULL, w->Y, w->X);
        return;
    }
    lift_times(w->K, bi->lift->S, bi->nv, w->X, bj->nv);
    lift_times(w->C, bi->lift->S, bi->nv, w->Y, bj->nv);
    mb_push_blocks(m, sink, i, j, pair, NULL, w->C, w->K);
}

/* The diagonal block of a body with S != I, (MB.3): N is d(S^T r6)/dq for r6 that stays. M6 NULL: no inertia. */
static void push_lifted(const mb_instance *m, int i, dal_sink *sink, const double *M6, const double *q)
{
    const mb_body *b = &m->body[i];
    const mb_scratch *w = &m->scratch;
    const mb_lift *L = b->lift;
    const int nv = b->nv;
    right_lift(w->X, w->Y, b, b->C, b->K);
    if (M6) {
        times_lift(w->W, M6, 6, L->S, nv, 0);
        lift_times(w->M, L->S, nv, w->W, nv);
    }
    if (M6 && !b->type->constant) {
        times_lift(w->X, M6, 6, L->Aq, nv, 1);
        times_lift(w->Y, M6, 6, L->Av, nv, 1);
    }
    lift_times(w->C, L->S, nv, w->Y, nv);
    lift_times(w->K, L->S, nv, w->X, nv);
    if (!b->type->constant) {
        memset(w->N, 0, (size_t)(nv * nv) * sizeof(double));
        b->type->curvature(w->N, b, q, b->own6);
        for (int k = 0; k < nv * nv; ++k) {
            w->K[k] += w->N[k];
        }
    }
    mb_push_blocks(m, sink, i, i, b->pair, M6 ? w->M : NULL, w->C, w->K);
}

/* ---- callbacks of the system ------------------------------------------------------------------ */

static void sum_forces(mb_instance *m, const dal_residual *out, const dal_point *at)
{
    if (out->r) {
        memset(out->r, 0, (size_t)m->nv * sizeof(double));
        for (int i = 1; i < m->nbodies; ++i) {
            mb_body *b = &m->body[i];
            memset(b->own6, 0, sizeof b->own6);
            b->r6 = b->type->identity ? out->r + b->v : b->own6;
            if (b->unit == i) {
                mb_inertia_residual(b->r6, b, &m->state[i], m->gravity);
            }
            if (b->type == &mb_body_flexible) {
                mb_flex_residual(out->r + b->v, b, &m->state[i], m->gravity, at);
            }
        }
        for (int k = 0; k < m->nforces; ++k) {
            const mb_force *f = &m->force[k];
            if (mb_acts(f, m, at->t)) {
                f->type->residual(f, m, at);
            }
            if (f->type->own) {
                f->type->own(out->r, f, m, at);
            }
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].type->residual(&m->constraint[k], m, out, at);
    }
}

dal_status mb_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    if (out->r) {
        for (int k = 0; k < m->nlifted; ++k) {
            const mb_body *b = &m->body[m->lifted[k]];
            b->type->lift(b->lift, b, at->q + b->q, at->v + b->v, at->vd + b->v);
        }
    }
    sum_forces(m, out, at);
    for (int k = 0; k < m->nlifted && out->r; ++k) {
        // r += S^T r6
        const mb_body *b = &m->body[m->lifted[k]];
        for (int j = 0; j < b->nv; ++j) {
            for (int i = 0; i < 6; ++i) {
                out->r[b->v + j] += b->lift->S[i + 6 * j] * b->own6[i];
            }
        }
    }
    return m->st;
}

/* The four diagonal blocks of a flexible body: rigid part, what acts on its frame, and everything with modes. */
static void push_flexible(const mb_instance *m, int i, dal_sink *sink, const double M6[36], const dal_point *at)
{
    const mb_body *b = &m->body[i];
    const mb_scratch *w = &m->scratch;
    const int n = b->flex->n, nv = 6 + n;
    const mb_flex_block out = {w->M, w->C, w->K, nv};
    const int pair = b->pair;
    mb_inertia_tangent(b->C, b->K, b, &m->state[i], m->gravity);
    if (n == 0) {
        sink->pair(sink, pair, M6, b->C, b->K);
        return;
    }
    mb_flex_tangent(&out, b, &m->state[i], m->gravity, at);
    for (int k = 0; k < 36; ++k) {
        const int at6 = k % 6 + k / 6 * nv;
        w->M[at6] += M6[k];
        w->C[at6] += b->C[k];
        w->K[at6] += b->K[k];
    }
    mb_push_square(m, sink, i, w->M, w->C, w->K);
}

static void push_body(mb_instance *m, int i, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = &m->body[i];
    const unsigned wants = sink->wants;
    double M6[36];
    if (b->unit != i) {
        push_lifted(m, i, sink, NULL, at->q + b->q);
        return;
    }
    mb_inertia_mass(M6, b, &m->state[i]);
    if (b->type == &mb_body_flexible) {
        push_flexible(m, i, sink, M6, at);
        return;
    }
    if (b->type->identity) {
        mb_inertia_tangent(wants & DAL_WANT_C ? b->C : NULL, wants & DAL_WANT_K ? b->K : NULL, b, &m->state[i],
                           m->gravity);
        sink->pair(sink, b->pair, wants & DAL_WANT_M ? M6 : NULL, wants & DAL_WANT_C ? b->C : NULL,
                   wants & DAL_WANT_K ? b->K : NULL);
        return;
    }
    mb_inertia_tangent(b->C, b->K, b, &m->state[i], m->gravity);
    push_lifted(m, i, sink, M6, at->q + b->q);
}

dal_status mb_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    mb_instance *m = work;
    const unsigned motion = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K;
    if (m->ncurved > 0 && (sink->wants & DAL_WANT_K)) {
        // r6 of the bodies for d(S^T r6)/dq
        const dal_residual out = {.r = m->r};
        DAL_TRY(mb_residual(&out, at, user, work));
    } else {
        m->st = DAL_OK;
        DAL_TRY(mb_settled(m));
        mb_states(m, at);
        for (int k = 0; k < m->nlifted; ++k) {
            const mb_body *b = &m->body[m->lifted[k]];
            b->type->lift(b->lift, b, at->q + b->q, at->v + b->v, at->vd + b->v);
        }
    }
    const int nbodies = m->nbodies;
    if (sink->wants & (DAL_WANT_C | DAL_WANT_K)) {
        dal_zero(m->body[1].K, (nbodies - 1) * 72);
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].type->tangent(&m->constraint[k], m, sink, at);
    }
    for (int k = 0; k < m->nconstraints && (sink->wants & DAL_WANT_A); ++k) {
        mb_push_acceleration(&m->constraint[k], m, sink, at);
    }
    for (int k = 0; k < m->nforces && (sink->wants & (motion | DAL_WANT_G)); ++k) {
        const mb_force *f = &m->force[k];
        if (mb_acts(f, m, at->t) && (f->type->own || (sink->wants & (DAL_WANT_C | DAL_WANT_K | DAL_WANT_G)))) {
            f->type->tangent(f, m, sink, at);
        }
    }
    for (int i = 1; i < nbodies && (sink->wants & motion); ++i) {
        push_body(m, i, sink, at);
    }
    return m->st;
}

/* ---- energy ----------------------------------------------------------------------------------- */

double mb_kinetic_energy(const mb_instance *m)
{
    double T = 0.0;
    for (int i = 1; i < m->nbodies; ++i) {
        const mb_body *b = &m->body[i];
        const mb_state *s = &m->state[i];
        T += inertia_kinetic(b->m, b->mc, b->J, s);
        T += b->type == &mb_body_flexible ? mb_flex_kinetic(b, s) : 0.0;
    }
    return T;
}

double mb_potential_energy(mb_instance *m, double t)
{
    double V = 0.0;
    for (int i = 1; i < m->nbodies; ++i) {
        const mb_body *b = &m->body[i];
        V += inertia_weight(b->m, b->mc, &m->state[i], m->gravity);
        V += b->type == &mb_body_flexible ? mb_flex_strain(b) : 0.0;
    }
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &m->force[k];
        V += f->type->potential && mb_acts(f, m, t) ? f->type->potential(f, m, t) : 0.0;
    }
    return V;
}

double mb_energy(const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    if (mb_settled(m) != DAL_OK) {
        return NAN;
    }
    mb_states(m, at);
    return mb_kinetic_energy(m) + mb_potential_energy(m, at->t);
}
