/* Evaluation of a compiled model: states of the bodies, then inertia, constraints and forces. */
#include <stdio.h>

#include "mbs/compile_impl.h"

void mb_states(dal_model *m, const dal_point *at)
{
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        b->type->state(&m->state[i], b, at->q + b->q, at->v + b->v, at->vd + b->v);
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

void mb_push_link(const dal_model *m, dal_sink *sink, int body, int link, const double *B6, const double *Z6, int nrows)
{
    const mb_body *b = &m->body[body];
    const int nv = b->type->nv;
    double B[MB_ROWS_MAX * MB_NV], Z[MB_ROWS_MAX * MB_NV];
    if (b->type->identity) {
        sink->link(sink, link, B6, Z6);
        return;
    }
    times_lift(B, B6, nrows, b->lift->S, nv, 0);
    if (Z6) {
        times_lift(Z, Z6, nrows, b->lift->S, nv, 0);
        times_lift(Z, B6, nrows, b->lift->V, nv, 1);
    }
    sink->link(sink, link, B, Z6 ? Z : NULL);
}

void mb_push_link_acc(const dal_model *m, dal_sink *sink, int body, int link, const double *Aq6, const double *Av6,
                      const double *Aa6, int nrows)
{
    const mb_body *b = &m->body[body];
    const int nv = b->type->nv;
    double Aq[MB_ROWS_MAX * MB_NV], Av[MB_ROWS_MAX * MB_NV];
    if (b->type->identity) {
        sink->link_acc(sink, link, Aq6, Av6);
        return;
    }
    times_lift(Aq, Aq6, nrows, b->lift->S, nv, 0);
    times_lift(Aq, Av6, nrows, b->lift->V, nv, 1);
    times_lift(Aq, Aa6, nrows, b->lift->Aq, nv, 1);
    times_lift(Av, Av6, nrows, b->lift->S, nv, 0);
    times_lift(Av, Aa6, nrows, b->lift->Av, nv, 1);
    sink->link_acc(sink, link, Aq, Av);
}

void mb_lift_column(double *g, const mb_body *b, const double g6[6])
{
    if (b->type->identity) {
        memcpy(g, g6, 6 * sizeof(double));
    } else {
        lift_times(g, b->lift->S, b->type->nv, g6, 1);
    }
}

void mb_push_force(const dal_model *m, dal_sink *sink, int body, int link, const double *G6, int nrows)
{
    const mb_body *b = &m->body[body];
    double G[MB_ROWS_MAX * MB_NV];
    if (b->type->identity) {
        sink->link_force(sink, link, G6);
        return;
    }
    lift_times(G, b->lift->S, b->type->nv, G6, nrows);
    sink->link_force(sink, link, G);
}

/* X (6 x nj): K6 S + C6 V, and C6 S into Y */
static void right_lift(double *X, double *Y, const mb_body *bj, const double *C6, const double *K6)
{
    const int nj = bj->type->nv;
    if (bj->type->identity) {
        memcpy(X, K6, 36 * sizeof(double));
        memcpy(Y, C6, 36 * sizeof(double));
        return;
    }
    times_lift(X, K6, 6, bj->lift->S, nj, 0);
    times_lift(X, C6, 6, bj->lift->V, nj, 1);
    times_lift(Y, C6, 6, bj->lift->S, nj, 0);
}

void mb_add_pair(dal_model *m, dal_sink *sink, int i, int j, int pair, const double *C6, const double *K6)
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
    double X[6 * MB_NV], Y[6 * MB_NV], K[MB_NV * MB_NV], C[MB_NV * MB_NV];
    const int nj = bj->type->nv;
    right_lift(X, Y, bj, C6 ? C6 : zero, K6 ? K6 : zero);
    if (bi->type->identity) {
        sink->pair(sink, pair, NULL, Y, X);
        return;
    }
    lift_times(K, bi->lift->S, bi->type->nv, X, nj);
    lift_times(C, bi->lift->S, bi->type->nv, Y, nj);
    sink->pair(sink, pair, NULL, C, K);
}

/* The diagonal block of a body with S != I, (MB.3): N is d(S^T r6)/dq for r6 that stays. */
static void push_lifted(const mb_body *b, dal_sink *sink, const double M6[36], const double *q)
{
    const int nv = b->type->nv;
    const mb_lift *L = b->lift;
    double X[6 * MB_NV], Y[6 * MB_NV], W[6 * MB_NV];
    double M[MB_NV * MB_NV], C[MB_NV * MB_NV], K[MB_NV * MB_NV] = {0.0}, N[MB_NV * MB_NV] = {0.0};
    times_lift(W, M6, 6, L->S, nv, 0);
    lift_times(M, L->S, nv, W, nv);
    right_lift(X, Y, b, b->C, b->K);
    if (!b->type->constant) {
        times_lift(X, M6, 6, L->Aq, nv, 1);
        times_lift(Y, M6, 6, L->Av, nv, 1);
        b->type->curvature(N, b, q, b->own6);
    }
    lift_times(C, L->S, nv, Y, nv);
    lift_times(K, L->S, nv, X, nv);
    for (int k = 0; k < nv * nv; ++k) {
        K[k] += N[k];
    }
    sink->pair(sink, b->pair, M, C, K);
}

/* ---- callbacks of the system ------------------------------------------------------------------ */

static void sum_forces(dal_model *m, const dal_residual *out, const dal_point *at)
{
    if (out->r) {
        memset(out->r, 0, (size_t)m->nv * sizeof(double));
        for (int i = 1; i < m->body_names.n; ++i) {
            mb_body *b = &m->body[i];
            memset(b->own6, 0, sizeof b->own6);
            b->r6 = b->type->identity ? out->r + b->v : b->own6;
            mb_inertia_residual(b->r6, b, &m->state[i], m->gravity);
        }
        for (int k = 0; k < m->force_names.n; ++k) {
            m->force[k].type->residual(&m->force[k], m, at);
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].type->residual(&m->constraint[k], m, out, at);
    }
}

dal_status mb_residual(const dal_residual *out, const dal_point *at, void *user)
{
    dal_model *m = user;
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
        for (int j = 0; j < b->type->nv; ++j) {
            for (int i = 0; i < 6; ++i) {
                out->r[b->v + j] += b->lift->S[i + 6 * j] * b->own6[i];
            }
        }
    }
    return DAL_OK;
}

static void push_body(dal_model *m, int i, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = &m->body[i];
    const unsigned wants = sink->wants;
    double M6[36];
    mb_inertia_mass(M6, b, &m->state[i]);
    if (b->type->identity) {
        mb_inertia_tangent(wants & DAL_WANT_C ? b->C : NULL, wants & DAL_WANT_K ? b->K : NULL, b, &m->state[i],
                           m->gravity);
        sink->pair(sink, b->pair, wants & DAL_WANT_M ? M6 : NULL, wants & DAL_WANT_C ? b->C : NULL,
                   wants & DAL_WANT_K ? b->K : NULL);
        return;
    }
    mb_inertia_tangent(b->C, b->K, b, &m->state[i], m->gravity);
    push_lifted(b, sink, M6, at->q + b->q);
}

dal_status mb_tangent(dal_sink *sink, const dal_point *at, void *user)
{
    dal_model *m = user;
    const unsigned motion = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K;
    if (m->ncurved > 0 && (sink->wants & DAL_WANT_K)) {
        // r6 of the bodies for d(S^T r6)/dq
        const dal_residual out = {.r = m->r};
        DAL_TRY(mb_residual(&out, at, user));
    } else {
        mb_states(m, at);
        for (int k = 0; k < m->nlifted; ++k) {
            const mb_body *b = &m->body[m->lifted[k]];
            b->type->lift(b->lift, b, at->q + b->q, at->v + b->v, at->vd + b->v);
        }
    }
    const int nbodies = m->body_names.n;
    if (sink->wants & (DAL_WANT_C | DAL_WANT_K)) {
        memset(m->body[1].K, 0, (size_t)(nbodies - 1) * 72 * sizeof(double));
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].type->tangent(&m->constraint[k], m, sink, at);
    }
    for (int k = 0; k < m->nconstraints && (sink->wants & DAL_WANT_A); ++k) {
        mb_push_acceleration(&m->constraint[k], m, sink, at);
    }
    for (int k = 0; k < m->force_names.n && (sink->wants & (DAL_WANT_C | DAL_WANT_K | DAL_WANT_G)); ++k) {
        m->force[k].type->tangent(&m->force[k], m, sink, at);
    }
    for (int i = 1; i < nbodies && (sink->wants & motion); ++i) {
        push_body(m, i, sink, at);
    }
    return DAL_OK;
}

/* ---- energy ----------------------------------------------------------------------------------- */

double mb_kinetic_energy(const dal_model *m)
{
    double T = 0.0;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        const mb_state *s = &m->state[i];
        double L[3], u[3], Ru[3];
        mat3_mul_vec(L, b->J, 3, s->Om);
        cross3(u, s->Om, b->mc);
        mat3_mul_vec(Ru, s->R, 3, u);
        T += 0.5 * (b->m * dot3(s->xd, s->xd) + dot3(s->Om, L)) + dot3(s->xd, Ru);
    }
    return T;
}

double mb_potential_energy(dal_model *m, double t)
{
    double V = 0.0;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        double c[3];
        mat3_mul_vec(c, m->state[i].R, 3, b->mc);
        axpy3(c, b->m, m->state[i].x);
        V -= dot3(m->gravity, c);
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        const mb_force *f = &m->force[k];
        V += f->type->potential ? f->type->potential(f, m, t) : 0.0;
    }
    return V;
}

double mb_energy(const dal_point *at, void *user)
{
    dal_model *m = user;
    mb_states(m, at);
    return mb_kinetic_energy(m) + mb_potential_energy(m, at->t);
}
