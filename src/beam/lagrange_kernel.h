/* Order p on R^3 x SO(3): positions and quaternions of p + 1 Lobatto nodes interpolated as they are, p points of Gauss,
 * (BM.22)-(BM.28). Quaternions of one element lie in one hemisphere, as seen from the middle node. */
#ifndef DAL_BEAM_LAGRANGE_KERNEL_H
#define DAL_BEAM_LAGRANGE_KERNEL_H

#include "beam/beam_kernel.h"

/* Place in the list of (X, P, Q), 11 numbers. */
enum { LAG_X, LAG_P = 3, LAG_Q = 7, LAG_SIZE = 11 };

/* What is interpolated at a point: X = x', P, Q = P' along the arc, Y = X o P, rho = 1/P.P, strain (u, w) */
typedef struct lagrange_at {
    real X[3], P[4], Q[4], Y[4], rho, f[6];
} lagrange_at;

/* Lam(p) e_k = p o (0, e_k), 4 x 3 */
static inline void quat_columns(real Lam[12], const real p[4])
{
    const real col[12] = {-p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0]};
    memcpy(Lam, col, sizeof col);
}

/* y = (0, x) o p */
static inline void vector_quat(real y[4], const real x[3], const real p[4])
{
    y[0] = -dot3(x, p + 1);
    cross3(y + 1, x, p + 1);
    for (int i = 0; i < 3; ++i) {
        y[1 + i] += p[0] * x[i];
    }
}

static inline real dot4(const real a[4], const real b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* One sign for the quaternions: p_i.p_middle > 0 (trap: not node 0) */
static inline void lagrange_quaternions(real p[][4], const beam_frame *f, int n)
{
    const real *middle = f[n / 2].p;
    for (int i = 0; i < n; ++i) {
        const real sign = real_select(real_less(dot4(f[i].p, middle), REAL(0.0)), REAL(-1.0), REAL(1.0));
        for (int k = 0; k < 4; ++k) {
            p[i][k] = sign * f[i].p[k];
        }
    }
}

/* Values l and slopes dl/J of the polynomials; vectors of `stride` numbers: X or X' from x, P and Q from p. */
static inline void lagrange_sum(real z[LAG_SIZE], const beam_frame *f, real p[][4], int rate, const real *l,
                                const real *dl, real J, int n)
{
    memset(z, 0, LAG_SIZE * sizeof *z);
    for (int i = 0; i < n; ++i) {
        const real *x = rate ? f[i].xd : f[i].x, a = dl[i] / J, b = l[i];
        for (int k = 0; k < 3; ++k) {
            z[LAG_X + k] += a * x[k];
        }
        for (int k = 0; k < 4; ++k) {
            z[LAG_P + k] += b * p[i][k];
            z[LAG_Q + k] += a * p[i][k];
        }
    }
}

/* (BM.22), (BM.23): u = rho vec(P* X P), w = 2 rho vec(P* Q) */
static inline void lagrange_strain(lagrange_at *g, const real z[LAG_SIZE])
{
    real Lam[12];
    memcpy(g->X, z + LAG_X, sizeof g->X);
    memcpy(g->P, z + LAG_P, sizeof g->P);
    memcpy(g->Q, z + LAG_Q, sizeof g->Q);
    g->rho = 1.0 / dot4(g->P, g->P);
    vector_quat(g->Y, g->X, g->P);
    quat_columns(Lam, g->P);
    for (int k = 0; k < 3; ++k) {
        g->f[k] = g->rho * dot4(Lam + 4 * k, g->Y);
        g->f[3 + k] = 2.0 * g->rho * dot4(Lam + 4 * k, g->Q);
    }
}

/* Rows k of B = d(u, w)/d(X, P, Q), 6 x 11 column-major (BM.26); S(e_k) y = -y o e_k */
static inline void lagrange_B(real B[66], const lagrange_at *g)
{
    real R[9], LY[12], LQ[12], LP[12], unit[4];
    const real r = 2.0 * g->rho, s = real_sqrt(g->rho);
    memset(B, 0, 66 * sizeof *B);
    for (int k = 0; k < 4; ++k) {
        unit[k] = s * g->P[k];
    }
    quat_matrix(R, unit);
    quat_columns(LY, g->Y);
    quat_columns(LQ, g->Q);
    quat_columns(LP, g->P);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) {
            B[k + 6 * j] = R[j + 3 * k];
        }
        for (int j = 0; j < 4; ++j) {
            B[k + 6 * (LAG_P + j)] = -r * (LY[j + 4 * k] + g->f[k] * g->P[j]);
            B[3 + k + 6 * (LAG_P + j)] = -r * (LQ[j + 4 * k] + g->f[3 + k] * g->P[j]);
            B[3 + k + 6 * (LAG_Q + j)] = r * LP[j + 4 * k];
        }
    }
}

/* E = dB along (X', P', Q') = z: E_k = Hess(eps_k) z; ed = B z */
static inline void lagrange_B_rate(real E[66], const lagrange_at *g, const real B[66], const real z[LAG_SIZE],
                                   const real ed[6])
{
    const real *Xd = z + LAG_X, *Pd = z + LAG_P, *Qd = z + LAG_Q;
    const real r = 2.0 * g->rho, shrink = -r * dot4(g->P, Pd); // rho'/rho
    real Yd[4], Z[4], LY[12], LQ[12], LP[12], L[12];
    vector_quat(Yd, Xd, g->P);
    vector_quat(Z, g->X, Pd);
    for (int j = 0; j < 4; ++j) {
        Yd[j] += Z[j];
    }
    quat_columns(LY, Yd);
    quat_columns(LQ, Qd);
    quat_columns(LP, Pd);
    quat_columns(L, g->P);
    for (int i = 0; i < 66; ++i) {
        E[i] = shrink * B[i];
    }
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) {
            // u = R^T X is bilinear in P: e_k.R^T e_j = rho (P o e_k).(e_j o P)
            const real e[3] = {j == 0 ? REAL(1.0) : REAL(0.0), j == 1 ? REAL(1.0) : REAL(0.0),
                               j == 2 ? REAL(1.0) : REAL(0.0)};
            real a[4], b[4];
            vector_quat(a, e, g->P);
            vector_quat(b, e, Pd);
            E[k + 6 * j] += g->rho * (dot4(LP + 4 * k, a) + dot4(L + 4 * k, b));
        }
        for (int j = 0; j < 4; ++j) {
            E[k + 6 * (LAG_P + j)] -= r * (LY[j + 4 * k] + ed[k] * g->P[j] + g->f[k] * Pd[j]);
            E[3 + k + 6 * (LAG_P + j)] -= r * (LQ[j + 4 * k] + ed[3 + k] * g->P[j] + g->f[3 + k] * Pd[j]);
            E[3 + k + 6 * (LAG_Q + j)] += r * LP[j + 4 * k];
        }
    }
}

/* y = S(n) v = (v.n, -v_0 n + n x v) */
static inline void lagrange_S(real y[4], const real n[3], const real v[4])
{
    y[0] = dot3(n, v + 1);
    cross3(y + 1, n, v + 1);
    for (int i = 0; i < 3; ++i) {
        y[1 + i] -= v[0] * n[i];
    }
}

/* H_XP: a_XP[k] = 2 S(n) (e_k o P), a_X = a_XP P/2 */
static inline void lagrange_hessian_XP(real A[121], const lagrange_at *g, const real n[3], real w)
{
    const real *P = g->P, r1 = w * g->rho, r2 = r1 * g->rho;
    for (int k = 0; k < 3; ++k) {
        real e[3], y[4], S[4];
        memset(e, 0, sizeof e);
        e[k] = REAL(1.0);
        vector_quat(y, e, P);
        lagrange_S(S, n, y);
        const real along = dot4(S, P);
        for (int i = 0; i < 4; ++i) {
            const real h = 2.0 * (r1 * S[i] - r2 * along * P[i]);
            A[k + LAG_SIZE * (LAG_P + i)] += h;
            A[LAG_P + i + LAG_SIZE * k] += h;
        }
    }
}

/* A (11 x 11) += w times the Hessian of s.eps (BM.27) */
static inline void lagrange_hessian(real A[121], const lagrange_at *g, const real s[6], real w)
{
    const real *n = s, *m = s + 3, *P = g->P, *X = g->X;
    const real r1 = w * g->rho, r2 = r1 * g->rho, r3 = r2 * g->rho;
    real Sn[4], c[4], SmP[4], SmQ[4], nx[3], SL[16];
    lagrange_S(Sn, n, g->Y);
    lagrange_S(SmQ, m, g->Q);
    lagrange_S(SmP, m, P);
    const real ab = dot4(P, Sn) + 2.0 * dot4(P, SmQ), dot = dot3(n, X);
    // S(n) L(X) = [[n.X, (n x X)^T], [n x X, n X^T + X n^T - (n.X) I]]
    cross3(nx, n, X);
    SL[0] = dot;
    for (int j = 0; j < 3; ++j) {
        SL[1 + j] = SL[4 + 4 * j] = nx[j];
        for (int i = 0; i < 3; ++i) {
            SL[5 + i + 4 * j] = n[i] * X[j] + X[i] * n[j] - (i == j ? dot : REAL(0.0));
        }
    }
    for (int i = 0; i < 4; ++i) {
        c[i] = 2.0 * (Sn[i] + SmQ[i]);
    }
    lagrange_hessian_XP(A, g, n, w);
    // S(m), columns
    const real Sm[16] = {REAL(0.0), -m[0], -m[1],     -m[2], m[0], REAL(0.0), m[2],  -m[1],
                         m[1],      -m[2], REAL(0.0), m[0],  m[2], m[1],      -m[0], REAL(0.0)};
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            real pp = 2.0 * r1 * SL[i + 4 * j] - 2.0 * r2 * (P[i] * c[j] + c[i] * P[j]) + 8.0 * r3 * ab * P[i] * P[j];
            pp -= i == j ? 2.0 * r2 * ab : REAL(0.0);
            const real pq = 2.0 * r1 * Sm[i + 4 * j] + 4.0 * r2 * P[i] * SmP[j];
            A[LAG_P + i + LAG_SIZE * (LAG_P + j)] += pp;
            A[LAG_P + i + LAG_SIZE * (LAG_Q + j)] += pq;
            A[LAG_Q + j + LAG_SIZE * (LAG_P + i)] += pq;
        }
    }
}

/* ---- the element ------------------------------------------------------------------------------ */

/* What a point of integration has: strain, its rate, section forces. */
typedef struct lagrange_point {
    lagrange_at at;
    real B[66], z[LAG_SIZE], e[6], ed[6], s[6]; /* z: rates of (X, P, Q), where it is damped */
} lagrange_point;

static inline void lagrange_point_at(lagrange_point *g, const beam_point *b, const beam_frame *f, real p[][4],
                                     real pd[][4], const real *l, const real *dl, int n)
{
    real z[LAG_SIZE];
    lagrange_sum(z, f, p, 0, l, dl, b->slope, n);
    lagrange_strain(&g->at, z);
    lagrange_B(g->B, &g->at);
    for (int i = 0; i < 6; ++i) {
        g->e[i] = g->at.f[i] - b->f0[i];
    }
    mul6(g->s, b->section->K, g->e);
    if (b->section->damped) {
        real sd[6];
        lagrange_sum(g->z, f, pd, 1, l, dl, b->slope, n);
        for (int i = 0; i < 6; ++i) {
            g->ed[i] = REAL(0.0);
            for (int j = 0; j < LAG_SIZE; ++j) {
                g->ed[i] += g->B[i + 6 * j] * g->z[j];
            }
        }
        mul6(sd, b->section->D, g->ed);
        for (int i = 0; i < 6; ++i) {
            g->s[i] += sd[i];
        }
    }
}

/* p_i' = p_i o Omega_i/2 */
static inline void lagrange_rates(real pd[][4], real p[][4], const beam_frame *f, int n)
{
    for (int i = 0; i < n; ++i) {
        real Lam[12];
        quat_columns(Lam, p[i]);
        for (int k = 0; k < 4; ++k) {
            pd[i][k] = 0.5 * (Lam[k] * f[i].Om[0] + Lam[k + 4] * f[i].Om[1] + Lam[k + 8] * f[i].Om[2]);
        }
    }
}

/* Forces in the space of (x_i, p_i): G (7 per node) += (BM.24), (BM.25) */
static inline void lagrange_spread(real *G, const lagrange_point *g, const beam_point *b, const real *l, const real *dl,
                                   int n)
{
    real c[LAG_SIZE];
    for (int j = 0; j < LAG_SIZE; ++j) {
        c[j] = b->weight * dot6(g->B + 6 * j, g->s);
    }
    for (int i = 0; i < n; ++i) {
        const real slope = dl[i] / b->slope;
        real *to = G + 7 * i;
        for (int k = 0; k < 3; ++k) {
            to[k] += slope * c[LAG_X + k];
        }
        for (int k = 0; k < 4; ++k) {
            to[3 + k] += l[i] * c[LAG_P + k] + slope * c[LAG_Q + k];
        }
    }
}

/* Forces on the nodes, 6 per node */
static inline void lagrange_force(real *r, const beam_table *t, const beam_point *at, const beam_frame *f)
{
    const int n = t->p + 1;
    real p[BEAM_NODES_MAX][4], pd[BEAM_NODES_MAX][4], G[7 * BEAM_NODES_MAX], Lam[12];
    lagrange_point g;
    lagrange_quaternions(p, f, n);
    lagrange_rates(pd, p, f, n);
    memset(G, 0, sizeof G);
    for (int k = 0; k < t->p; ++k) {
        lagrange_point_at(&g, &at[k], f, p, pd, t->l[k], t->dl[k], n);
        lagrange_spread(G, &g, &at[k], t->l[k], t->dl[k], n);
    }
    for (int i = 0; i < n; ++i) {
        quat_columns(Lam, p[i]);
        memcpy(r + 6 * i, G + 7 * i, 3 * sizeof *r);
        for (int k = 0; k < 3; ++k) {
            r[6 * i + 3 + k] = 0.5 * dot4(Lam + 4 * k, G + 7 * i + 3);
        }
    }
}

/* V (49, 7 x 7 of nodes i and j) += F_i^T A F_j: slopes a, values b of both polynomials */
static inline void lagrange_pair(real *restrict V, const real *restrict A, real ai, real bi, real aj, real bj)
{
    real W[LAG_SIZE * 7]; // A F_j
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < LAG_SIZE; ++i) {
            W[i + LAG_SIZE * k] = aj * A[i + LAG_SIZE * k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < LAG_SIZE; ++i) {
            W[i + LAG_SIZE * (3 + k)] = bj * A[i + LAG_SIZE * (LAG_P + k)] + aj * A[i + LAG_SIZE * (LAG_Q + k)];
        }
    }
    for (int k = 0; k < 7; ++k) {
        const real *w = W + LAG_SIZE * k;
        for (int i = 0; i < 3; ++i) {
            V[i + 7 * k] += ai * w[i];
        }
        for (int i = 0; i < 4; ++i) {
            V[3 + i + 7 * k] += bi * w[LAG_P + i] + ai * w[LAG_Q + i];
        }
    }
}

/* X (6 x 6) = Z_i^T V Z_j, Z = blkdiag(I, Lam/2); D (12, NULL: not wanted): d(p_j')/dtheta_j, then Y (6 x 3) = Z_i^T V_p D */
static inline void lagrange_project(real X[36], const real V[49], const real Li[12], const real Lj[12])
{
    real W[42]; // V Z_j, 7 x 6
    memcpy(W, V, 21 * sizeof *W);
    for (int k = 0; k < 3; ++k) {
        const real *c = Lj + 4 * k;
        for (int i = 0; i < 7; ++i) {
            W[i + 7 * (3 + k)] = 0.5 * (V[i + 21] * c[0] + V[i + 28] * c[1] + V[i + 35] * c[2] + V[i + 42] * c[3]);
        }
    }
    for (int j = 0; j < 6; ++j) {
        const real *w = W + 7 * j;
        memcpy(X + 6 * j, w, 3 * sizeof *X);
        for (int k = 0; k < 3; ++k) {
            X[6 * j + 3 + k] = 0.5 * dot4(Li + 4 * k, w + 3);
        }
    }
}

/* Ambient blocks of all nodes and of all points, and what is left of G. */
typedef struct lagrange_work {
    real V[BEAM_NODES_MAX][BEAM_NODES_MAX][49]; /* [i][j] */
    real U[BEAM_NODES_MAX][BEAM_NODES_MAX][49]; /* the same of C */
    real G[7 * BEAM_NODES_MAX];
    real p[BEAM_NODES_MAX][4], pd[BEAM_NODES_MAX][4];
} lagrange_work;

/* A = w (B^T K B + Hess(s.eps)), with damping B^T D E besides; Cg = w B^T D B */
static inline void lagrange_point_matrix(real A[121], real Cg[121], const lagrange_point *g, const beam_point *b)
{
    real KB[66];
    mul6n(KB, b->section->K, g->B, LAG_SIZE);
    if (b->section->damped) {
        real E[66], DE[66], DB[66];
        lagrange_B_rate(E, &g->at, g->B, g->z, g->ed);
        mul6n(DE, b->section->D, E, LAG_SIZE);
        mul6n(DB, b->section->D, g->B, LAG_SIZE);
        for (int i = 0; i < 66; ++i) {
            KB[i] += DE[i];
        }
        for (int j = 0; j < LAG_SIZE; ++j) {
            for (int i = 0; i < LAG_SIZE; ++i) {
                Cg[i + LAG_SIZE * j] = b->weight * dot6(g->B + 6 * i, DB + 6 * j);
            }
        }
    }
    for (int j = 0; j < LAG_SIZE; ++j) {
        for (int i = 0; i < LAG_SIZE; ++i) {
            A[i + LAG_SIZE * j] = b->weight * dot6(g->B + 6 * i, KB + 6 * j);
        }
    }
    lagrange_hessian(A, &g->at, g->s, b->weight);
}

static inline void lagrange_sum_points(lagrange_work *w, const beam_table *t, const beam_point *at, const beam_frame *f)
{
    const int n = t->p + 1, damped = at->section->damped;
    real A[121], Cg[121];
    lagrange_point g;
    lagrange_quaternions(w->p, f, n);
    lagrange_rates(w->pd, w->p, f, n);
    memset(w->G, 0, sizeof w->G);
    for (int i = 0; i < n; ++i) {
        memset(w->V[i], 0, (size_t)n * sizeof w->V[i][0]);
        memset(w->U[i], 0, damped ? (size_t)n * sizeof w->U[i][0] : 0);
    }
    for (int k = 0; k < t->p; ++k) {
        const real *l = t->l[k], *dl = t->dl[k], J = at[k].slope;
        lagrange_point_at(&g, &at[k], f, w->p, w->pd, l, dl, n);
        lagrange_spread(w->G, &g, &at[k], l, dl, n);
        lagrange_point_matrix(A, Cg, &g, &at[k]);
        // A is symmetric unless there is damping
        for (int i = 0; i < n; ++i) {
            for (int j = damped ? 0 : i; j < n; ++j) {
                lagrange_pair(w->V[i][j], A, dl[i] / J, l[i], dl[j] / J, l[j]);
                if (damped) {
                    lagrange_pair(w->U[i][j], Cg, dl[i] / J, l[i], dl[j] / J, l[j]);
                }
            }
        }
    }
}

/* K += Z_i^T U_p d(p_j')/dtheta_j, d(p')/dtheta = -p Omega^T/4 - Lam Omega~/4, of one block X of C with its ambient U */
static inline void lagrange_turning(real K[36], const real U[49], const real Li[12], const real Lj[12],
                                    const real pj[4], const real Om[3])
{
    real D[12], W[21];
    for (int i = 0; i < 4; ++i) {
        const real a = Lj[i], b = Lj[i + 4], c = Lj[i + 8];
        D[i] = -0.25 * (pj[i] * Om[0] + b * Om[2] - c * Om[1]);
        D[i + 4] = -0.25 * (pj[i] * Om[1] + c * Om[0] - a * Om[2]);
        D[i + 8] = -0.25 * (pj[i] * Om[2] + a * Om[1] - b * Om[0]);
    }
    for (int k = 0; k < 3; ++k) {
        const real *d = D + 4 * k;
        for (int i = 0; i < 7; ++i) {
            W[i + 7 * k] = U[i + 21] * d[0] + U[i + 28] * d[1] + U[i + 35] * d[2] + U[i + 42] * d[3];
        }
        for (int i = 0; i < 3; ++i) {
            K[i + 6 * (3 + k)] += W[i + 7 * k];
            K[3 + i + 6 * (3 + k)] += 0.5 * dot4(Li + 4 * i, W + 7 * k + 3);
        }
    }
}

/* Block (row, column) of a square matrix with leading dimension ld: X, or its transpose */
static inline void lagrange_store(real *K, int ld, int i, int j, const real X[36], int transposed)
{
    for (int b = 0; b < 6; ++b) {
        for (int a = 0; a < 6; ++a) {
            K[6 * i + a + (6 * j + b) * ld] = transposed ? X[b + 6 * a] : X[a + 6 * b];
        }
    }
}

/* K and, where it is damped, C: 6n x 6n (BM.28) */
static inline void lagrange_tangent(real *K, real *C, const beam_table *t, const beam_point *at, const beam_frame *f)
{
    const int n = t->p + 1, ld = 6 * n, damped = at->section->damped;
    lagrange_work w;
    real Lam[BEAM_NODES_MAX][12], X[36];
    lagrange_sum_points(&w, t, at, f);
    for (int i = 0; i < n; ++i) {
        quat_columns(Lam[i], w.p[i]);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = damped ? 0 : i; j < n; ++j) {
            if (damped) {
                lagrange_project(X, w.U[i][j], Lam[i], Lam[j]);
                lagrange_store(C, ld, i, j, X, 0);
            }
            lagrange_project(X, w.V[i][j], Lam[i], Lam[j]);
            if (damped) {
                lagrange_turning(X, w.U[i][j], Lam[i], Lam[j], w.p[j], f[j].Om);
            } else if (i != j) {
                lagrange_store(K, ld, j, i, X, 1);
            }
            lagrange_store(K, ld, i, j, X, 0);
        }
        // -(p.G)/4 I + til(torque)/2
        real half[3], D[9];
        const real *G = w.G + 7 * i + 3;
        for (int k = 0; k < 3; ++k) {
            half[k] = 0.25 * dot4(Lam[i] + 4 * k, G);
        }
        mat3_scalar_tilde(D, 3, -0.25 * dot4(w.p[i], G), half);
        for (int b = 0; b < 3; ++b) {
            for (int a = 0; a < 3; ++a) {
                K[6 * i + 3 + a + (6 * i + 3 + b) * ld] += D[a + 3 * b];
            }
        }
    }
}

/* Elastic energy (BM.24) */
static inline real lagrange_energy(const beam_table *t, const beam_point *at, const beam_frame *f)
{
    const int n = t->p + 1;
    real p[BEAM_NODES_MAX][4], z[LAG_SIZE], e[6], s[6], V = REAL(0.0);
    lagrange_at g;
    lagrange_quaternions(p, f, n);
    for (int k = 0; k < t->p; ++k) {
        lagrange_sum(z, f, p, 0, t->l[k], t->dl[k], at[k].slope, n);
        lagrange_strain(&g, z);
        for (int i = 0; i < 6; ++i) {
            e[i] = g.f[i] - at[k].f0[i];
        }
        mul6(s, at[k].section->K, e);
        V += 0.5 * at[k].weight * dot6(s, e);
    }
    return V;
}

/* Power that damping takes. */
static inline real lagrange_loss(const beam_table *t, const beam_point *at, const beam_frame *f)
{
    const int n = t->p + 1;
    real p[BEAM_NODES_MAX][4], pd[BEAM_NODES_MAX][4], sd[6], sum = REAL(0.0);
    lagrange_quaternions(p, f, n);
    lagrange_rates(pd, p, f, n);
    for (int k = 0; k < t->p; ++k) {
        lagrange_point g;
        lagrange_point_at(&g, &at[k], f, p, pd, t->l[k], t->dl[k], n);
        mul6(sd, at[k].section->D, g.ed);
        sum += at[k].weight * dot6(g.ed, sd);
    }
    return sum;
}

/* Strains and section forces have the full order at the points of Gauss: those of the polynomials l through these. (The forces on the
 * nodes would not do: they lack what acts on the share of an end node.) */
static inline void lagrange_section(real strain[6], real s[6], const beam_table *t, const beam_point *at,
                                    const beam_frame *f, const real *l)
{
    const int n = t->p + 1;
    real q[BEAM_NODES_MAX][4], qd[BEAM_NODES_MAX][4];
    memset(strain, 0, 6 * sizeof *strain);
    memset(s, 0, 6 * sizeof *s);
    lagrange_quaternions(q, f, n);
    lagrange_rates(qd, q, f, n);
    for (int k = 0; k < t->p; ++k) {
        lagrange_point g;
        lagrange_point_at(&g, &at[k], f, q, qd, t->l[k], t->dl[k], n);
        for (int i = 0; i < 6; ++i) {
            strain[i] += l[k] * g.e[i];
            s[i] += l[k] * g.s[i];
        }
    }
}

#endif
