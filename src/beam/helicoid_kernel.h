/* Two nodes on SE(3): the helicoid through two section frames, with constant strain, (BM.4)-(BM.17); and the section law of
 * order four for it, (BM.18)-(BM.21). */
#ifndef DAL_BEAM_HELICOID_KERNEL_H
#define DAL_BEAM_HELICOID_KERNEL_H

#include "beam/beam_kernel.h"

/* What is known of the helicoid between two frames: d, and the functions of |d_w|. */
typedef struct helicoid {
    real d[6];
    real R[2][9];
    real x, gamma, dgamma, ddgamma;
    real A[9], Q[9]; /* T^-1(d) = [[A, Q], [0, A]], T^-1(-d) = [[A^T, Q^T], [0, A^T]] */
} helicoid;

/* gamma and its derivatives 2 d/dx, from the half angle functions (BM.16) */
static inline void helicoid_angle(helicoid *h, const real w[3])
{
    real coef[COEF_USED], s[8];
    const real m = angle_first(coef, s, w), r = 1.0 / s[1];
    const real md = 0.125 * (3.0 * (s[4] - s[5]) - s[3]);
    const real mdd = 0.0625 * (s[4] - 6.0 * s[5] + 15.0 * (s[6] - s[7]));
    h->x = coef[COEF_X];
    h->gamma = m * r;
    h->dgamma = 0.5 * md * r + h->gamma * h->gamma;
    h->ddgamma = 0.25 * mdd * r + 0.5 * h->gamma * md * r + 2.0 * h->gamma * h->dgamma;
    so3_inv_tangent(h->A, 3, w, coef);
}

/* The angle of a rotation, up to half a turn, over the sine s of its half: 2 asin(s)/s, by the series in z = s^2 where it is short. */
static inline real helicoid_turn(real z, real cosine)
{
    const double c[3][4] = {{2.0, 1.0 / 3.0, 3.0 / 20.0, 5.0 / 56.0},
                            {35.0 / 576.0, 63.0 / 1408.0, 231.0 / 6656.0, 143.0 / 5120.0},
                            {6435.0 / 278528.0, 12155.0 / 622592.0, 46189.0 / 2752512.0, 88179.0 / 6029312.0}};
    const real_mask wide = real_less(REAL(0.0625), z);
    const real y = z * z, x = y * y;
    real part[3];
    for (int i = 0; i < 3; ++i) {
        part[i] = (c[i][0] + c[i][1] * z) + (c[i][2] + c[i][3] * z) * y;
    }
    const real near = part[0] + (part[1] + part[2] * x) * x;
    if (!real_any(wide)) {
        return near;
    }
    const real sine = real_sqrt(z);
    return real_select(wide, 2.0 * real_atan2(sine, cosine) / real_select(wide, sine, REAL(1.0)), near);
}

/* d = log(q_A^-1 q_B), |d_w| < pi: the shortest rotation (BM.4) */
static inline void helicoid_between(helicoid *h, const beam_frame f[2])
{
    real r[4], dx[3], y[3];
    quat_matrix(h->R[0], f[0].p);
    quat_matrix(h->R[1], f[1].p);
    quat_between(r, f[0].p, f[1].p);
    const real factor = helicoid_turn(dot3(r + 1, r + 1), real_abs(r[0]));
    const real sign = real_select(real_less(r[0], REAL(0.0)), -factor, factor);
    for (int i = 0; i < 3; ++i) {
        h->d[3 + i] = sign * r[1 + i];
        dx[i] = f[1].x[i] - f[0].x[i];
    }
    helicoid_angle(h, h->d + 3);
    for (int i = 0; i < 3; ++i) {
        y[i] = dot3(h->R[0] + 3 * i, dx);
    }
    const real back[3] = {-h->d[3], -h->d[4], -h->d[5]};
    so3_inv_tangent_times(h->d, back, y, h->gamma);
}

/* Q of T^-1(d): u~/2 + gamma (u w^T + w u^T) + dgamma (w.u) w w^T - (w.u)(2 gamma + x dgamma) I */
static inline void helicoid_map(helicoid *h)
{
    const real *u = h->d, *w = h->d + 3, wu = dot3(w, u), g = h->gamma;
    real half[3], a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        half[i] = 0.5 * u[i];
        a[i] = g * u[i] + h->dgamma * wu * w[i];
        b[i] = g * w[i];
    }
    mat3_tilde_outer2(h->Q, 3, -wu * (2.0 * g + h->x * h->dgamma), half, a, w, b, u);
}

/* G(c) = dgamma (w (w.c) - x c) w^T + gamma ((w.c) I + w c^T - 2 c w^T): E(c) = c~/2 + G, F(c) = -c~/2 + G (BM.9) */
static inline void helicoid_G(real G[9], const helicoid *h, const real c[3])
{
    const real none[3] = {REAL(0.0), REAL(0.0), REAL(0.0)};
    const real *w = h->d + 3, wc = dot3(w, c), g = h->gamma;
    real a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = h->dgamma * (wc * w[i] - h->x * c[i]) - 2.0 * g * c[i];
        b[i] = g * w[i];
    }
    mat3_tilde_outer2(G, 3, g * wc, none, a, w, b, c);
}

/* H(c) = d(E(c) u)/dw (BM.12) */
static inline void helicoid_H(real H[9], const helicoid *h, const real c[3])
{
    const real none[3] = {REAL(0.0), REAL(0.0), REAL(0.0)};
    const real *u = h->d, *w = h->d + 3;
    const real wc = dot3(w, c), wu = dot3(w, u), cu = dot3(c, u), g = h->gamma, dg = h->dgamma;
    real on_w[3], on_u[3], on_c[3];
    for (int i = 0; i < 3; ++i) {
        const real a = wc * w[i] - h->x * c[i], b = wc * u[i] + cu * w[i] - 2.0 * wu * c[i];
        on_w[i] = h->ddgamma * wu * a + dg * (b - 2.0 * wu * c[i]);
        on_u[i] = dg * a - 2.0 * g * c[i];
        on_c[i] = dg * wu * w[i] + g * u[i];
    }
    mat3_tilde_outer2(H, 3, dg * wu * wc + g * cu, none, on_w, w, on_u, u);
    mat3_add_outer2(H, 3, on_c, c, none, none);
}

/* X = s c~/2 + t G */
static inline void helicoid_skew(real X[9], real s, const real c[3], real t, const real G[9])
{
    const real half[3] = {0.5 * s * c[0], 0.5 * s * c[1], 0.5 * s * c[2]};
    mat3_scalar_tilde(X, 3, REAL(0.0), half);
    for (int i = 0; i < 9; ++i) {
        X[i] += t * G[i];
    }
}

/* 3x3 block (row, column) of a matrix with leading dimension ld: += X */
static inline void beam_add_block(real *M, int ld, int row, int column, const real X[9])
{
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            M[row + i + (column + j) * ld] += X[i + 3 * j];
        }
    }
}

/* [S(-d, c); S(d, c)], 12 x 6: the derivative of (-T^-T(-d) c, T^-T(d) c) with respect to d (BM.11) */
static inline void helicoid_S(real S[72], const helicoid *h, const real c[6])
{
    real Gn[9], Gm[9], H[9], E[9];
    memset(S, 0, 72 * sizeof *S);
    helicoid_G(Gn, h, c);
    helicoid_G(Gm, h, c + 3);
    helicoid_H(H, h, c);
    for (int i = 0; i < 9; ++i) {
        Gm[i] += H[i];
    }
    for (int side = 0; side < 2; ++side) {
        const real t = side == 0 ? REAL(-1.0) : REAL(1.0);
        helicoid_skew(E, REAL(1.0), c, t, Gn);
        beam_add_block(S, 12, 6 * side, 3, E);
        beam_add_block(S, 12, 6 * side + 3, 0, E);
        helicoid_skew(E, REAL(1.0), c + 3, t, Gm);
        beam_add_block(S, 12, 6 * side + 3, 3, E);
    }
}

/* X += d(T^-1(t d) c)/d(theta), t = 1 or -1 (BM.13) */
static inline void helicoid_dinv(real X[36], const helicoid *h, const real c[6], real t)
{
    real Gu[9], Gw[9], H[9], F[9];
    helicoid_G(Gu, h, c);
    helicoid_G(Gw, h, c + 3);
    helicoid_H(H, h, c + 3);
    for (int i = 0; i < 9; ++i) {
        Gu[i] += H[i];
    }
    helicoid_skew(F, REAL(-1.0), c + 3, t, Gw);
    beam_add_block(X, 6, 0, 0, F);
    beam_add_block(X, 6, 3, 3, F);
    helicoid_skew(F, REAL(-1.0), c, t, Gu);
    beam_add_block(X, 6, 0, 3, F);
}

/* ---- order four ------------------------------------------------------------------------------- */

/* Solve A X = B, A 6x6 symmetric (lost), B 6 x n: LDL^T without interchanges, as for a positive definite matrix. */
static inline void beam_solve6(real *B, real A[36], int n)
{
    for (int k = 0; k < 6; ++k) {
        const real r = 1.0 / A[7 * k];
        for (int i = k + 1; i < 6; ++i) {
            const real f = A[i + 6 * k] * r;
            for (int j = k + 1; j <= i; ++j) {
                A[i + 6 * j] -= f * A[j + 6 * k];
            }
        }
        for (int i = k + 1; i < 6; ++i) {
            A[i + 6 * k] *= r;
        }
    }
    for (int c = 0; c < n; ++c) {
        real *b = B + 6 * c;
        for (int i = 1; i < 6; ++i) {
            for (int j = 0; j < i; ++j) {
                b[i] -= A[i + 6 * j] * b[j];
            }
        }
        for (int i = 5; i >= 0; --i) {
            b[i] /= A[7 * i];
            for (int j = i + 1; j < 6; ++j) {
                b[i] -= A[j + 6 * i] * b[j];
            }
        }
    }
}

/* hat(f) = [[w~, u~], [0, w~]] */
static inline void beam_hat(real H[36], const real f[6])
{
    real W[9], U[9];
    memset(H, 0, 36 * sizeof *H);
    mat3_scalar_tilde(U, 3, REAL(0.0), f);
    mat3_scalar_tilde(W, 3, REAL(0.0), f + 3);
    beam_add_block(H, 6, 0, 0, W);
    beam_add_block(H, 6, 3, 3, W);
    beam_add_block(H, 6, 0, 3, U);
}

/* N = hat(f)^T s = (-w x n, -w x m - u x n) */
static inline void beam_balance(real N[6], const real f[6], const real s[6])
{
    real a[3], b[3], c[3];
    cross3(a, f + 3, s);
    cross3(b, f + 3, s + 3);
    cross3(c, f, s);
    for (int i = 0; i < 3; ++i) {
        N[i] = -a[i];
        N[3 + i] = -b[i] - c[i];
    }
}

/* Strain of section forces s, and its derivative Ft (BM.19), (BM.20); returns psi(s) (BM.18) */
static inline real beam_flexibility(real e[6], real Ft[36], const beam_point *g, real L, const real s[6])
{
    const real *F = g->F, c = L * L / 12.0;
    real f[6], Fs[6], N[6], z[6], A[36], FA[36], hz[36], hF[36], Az[6], W[36], N_[9], M_[9];
    mul6(Fs, F, s);
    for (int i = 0; i < 6; ++i) {
        f[i] = g->f0[i] + Fs[i];
    }
    beam_balance(N, f, s);
    mul6(z, F, N);
    // A = hat(f0 + F s)^T + W(s) F, W = [[0, n~], [n~, m~]]
    memset(W, 0, sizeof W);
    mat3_scalar_tilde(N_, 3, REAL(0.0), s);
    mat3_scalar_tilde(M_, 3, REAL(0.0), s + 3);
    beam_add_block(W, 6, 0, 3, N_);
    beam_add_block(W, 6, 3, 0, N_);
    beam_add_block(W, 6, 3, 3, M_);
    mul6n(A, W, F, 6);
    beam_hat(hz, f);
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            A[i + 6 * j] += hz[j + 6 * i];
        }
    }
    tmul6(Az, A, z);
    mul6n(FA, F, A, 6);
    beam_hat(hz, z);
    mul6n(hF, hz, F, 6);
    for (int j = 0; j < 6; ++j) {
        e[j] = Fs[j] + c * Az[j];
        for (int i = 0; i < 6; ++i) {
            Ft[i + 6 * j] = F[i + 6 * j] + c * (dot6(A + 6 * i, FA + 6 * j) - hF[i + 6 * j] - hF[j + 6 * i]);
        }
    }
    return 0.5 * dot6(s, Fs) + 0.5 * c * dot6(N, z);
}

enum { BEAM_LAW_ITERATIONS = 8 };

/* Elastic section forces of a strain, their derivative Kt if it is wanted, and the energy per length. */
static inline real beam_law(real s[6], real *Kt, const beam_point *g, real L, const real e[6])
{
    const real *K = g->section->K;
    if (!g->F) {
        mul6(s, K, e);
        if (Kt) {
            memcpy(Kt, K, 36 * sizeof *Kt);
        }
        return 0.5 * dot6(s, e);
    }
    real Ft[36], of[6];
    mul6(s, g->start, e);
    for (int it = 0; it < BEAM_LAW_ITERATIONS; ++it) {
        (void)beam_flexibility(of, Ft, g, L, s);
        real defect = REAL(0.0), size = REAL(0.0), step[6];
        for (int i = 0; i < 6; ++i) {
            step[i] = e[i] - of[i];
        }
        beam_solve6(step, Ft, 1);
        for (int i = 0; i < 6; ++i) {
            s[i] += step[i];
            defect += step[i] * step[i];
            size += s[i] * s[i];
        }
        // Newton's method: what is left after a step of 1e-8 is rounding
        if (!real_any(real_less(1e-16 * size, defect))) {
            break;
        }
    }
    const real psi = beam_flexibility(of, Ft, g, L, s);
    if (Kt) {
        memset(Kt, 0, 36 * sizeof *Kt);
        for (int i = 0; i < 6; ++i) {
            Kt[7 * i] = REAL(1.0);
        }
        beam_solve6(Kt, Ft, 6);
    }
    return dot6(s, e) - psi;
}

/* ---- the element ------------------------------------------------------------------------------ */

/* v (12): velocities of the ends in section axes */
static inline void helicoid_velocity(real v[12], const helicoid *h, const beam_frame f[2])
{
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            v[6 * k + i] = dot3(h->R[k] + 3 * i, f[k].xd);
            v[6 * k + 3 + i] = f[k].Om[i];
        }
    }
}

/* g = P^T s: T^-T(theta) c = (A^T c_u, Q^T c_u + A^T c_w) at both ends (BM.7), (BM.8) */
static inline void helicoid_ends(real g[12], const helicoid *h, const real s[6])
{
    real a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        g[6 + i] = dot3(h->A + 3 * i, s);
        g[9 + i] = dot3(h->Q + 3 * i, s) + dot3(h->A + 3 * i, s + 3);
    }
    mat3_mul_vec(a, h->A, 3, s);
    mat3_mul_vec(b, h->A, 3, s + 3);
    mat3_mul_vec(g + 3, h->Q, 3, s);
    for (int i = 0; i < 3; ++i) {
        g[i] = -a[i];
        g[3 + i] = -g[3 + i] - b[i];
    }
}

/* Strain rate P v/L, P = [-T^-1(-d), T^-1(d)] (BM.6) */
static inline void helicoid_rate(real ed[6], const helicoid *h, real L, const real v[12])
{
    real y[3];
    mat3_mul_vec(ed, h->A, 3, v + 6);
    mat3_mul_vec(y, h->Q, 3, v + 9);
    mat3_mul_vec(ed + 3, h->A, 3, v + 9);
    for (int i = 0; i < 3; ++i) {
        const real *a = h->A + 3 * i, *q = h->Q + 3 * i;
        ed[i] = (ed[i] + y[i] - dot3(a, v) - dot3(q, v + 3)) / L;
        ed[3 + i] = (ed[3 + i] - dot3(a, v + 3)) / L;
    }
}

/* Forces on the two nodes, world and section axes (BM.17); s receives the section forces of the middle, e the strain. */
static inline void helicoid_force(real r[12], real e[6], real s[6], const beam_point *at, const beam_frame f[2])
{
    helicoid h;
    real g[12], L = at->weight;
    helicoid_between(&h, f);
    helicoid_map(&h);
    for (int i = 0; i < 6; ++i) {
        e[i] = h.d[i] / L - at->f0[i];
    }
    (void)beam_law(s, NULL, at, L, e);
    if (at->section->damped) {
        real v[12], ed[6], sd[6];
        helicoid_velocity(v, &h, f);
        helicoid_rate(ed, &h, L, v);
        mul6(sd, at->section->D, ed);
        for (int i = 0; i < 6; ++i) {
            s[i] += sd[i];
        }
    }
    helicoid_ends(g, &h, s);
    for (int k = 0; k < 2; ++k) {
        mat3_mul_vec(r + 6 * k, h.R[k], 3, g + 6 * k);
        memcpy(r + 6 * k + 3, g + 6 * k + 3, 3 * sizeof *r);
    }
}

/* The columns of P for translations in world axes: blocks [T, Q; 0, A] of both nodes */
typedef struct helicoid_columns {
    real T[2][9], Q[2][9], A[2][9];
} helicoid_columns;

static inline void helicoid_columns_of(helicoid_columns *c, const helicoid *h)
{
    for (int i = 0; i < 9; ++i) {
        const int t = i / 3 + 3 * (i % 3);
        c->A[0][i] = -h->A[t];
        c->Q[0][i] = -h->Q[t];
    }
    memcpy(c->A[1], h->A, sizeof c->A[1]);
    memcpy(c->Q[1], h->Q, sizeof c->Q[1]);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 3; ++j) {
            const real row[3] = {h->R[k][j], h->R[k][3 + j], h->R[k][6 + j]}; // a column of R^T
            mat3_mul_vec(c->T[k] + 3 * j, c->A[k], 3, row);
        }
    }
}

/* Z (12 x 6) = P^T Y + S, translations in world axes; S may be NULL */
static inline void helicoid_rows(real Z[72], const helicoid *h, const real Y[36], const real *S)
{
    real g[12];
    for (int j = 0; j < 6; ++j) {
        helicoid_ends(g, h, Y + 6 * j);
        for (int i = 0; i < 12 && S; ++i) {
            g[i] += S[i + 12 * j];
        }
        for (int k = 0; k < 2; ++k) {
            real *z = Z + 12 * j + 6 * k;
            mat3_mul_vec(z, h->R[k], 3, g + 6 * k);
            memcpy(z + 3, g + 6 * k + 3, 3 * sizeof *z);
        }
    }
}

/* K (12 x 12) = Z P */
static inline void helicoid_product(real *restrict K, const real *restrict Z, const helicoid_columns *restrict c)
{
    for (int k = 0; k < 6; ++k) {
        const real *T = c->T[k / 3] + 3 * (k % 3), *Q = c->Q[k / 3] + 3 * (k % 3), *A = c->A[k / 3] + 3 * (k % 3);
        real *t = K + 12 * (6 * (k / 3) + k % 3), *w = t + 36;
        for (int i = 0; i < 12; ++i) {
            t[i] = Z[i] * T[0] + Z[i + 12] * T[1] + Z[i + 24] * T[2];
            w[i] = Z[i] * Q[0] + Z[i + 12] * Q[1] + Z[i + 24] * Q[2] + Z[i + 36] * A[0] + Z[i + 48] * A[1] +
                   Z[i + 60] * A[2];
        }
    }
}

/* The share of damping (BM.14): s, Kt: +=, C; and what K has of velocities that are held in world axes, X R u~ with the columns X of
 * C for translations: d(R^T x') = u~ dtheta, u = R^T x' */
static inline void helicoid_damping(real C[144], real s[6], real Kt[36], const helicoid *h, const helicoid_columns *c,
                                    const real v[12], const beam_point *at)
{
    const real *D = at->section->D, L = at->weight;
    real ed[6], sd[6], DX[36], DD[36], Z[72];
    helicoid_rate(ed, h, L, v);
    mul6(sd, D, ed);
    memset(DX, 0, sizeof DX);
    helicoid_dinv(DX, h, v + 6, REAL(1.0));
    helicoid_dinv(DX, h, v, REAL(-1.0));
    mul6n(DD, D, DX, 6);
    for (int i = 0; i < 6; ++i) {
        s[i] += sd[i];
    }
    for (int i = 0; i < 36; ++i) {
        Kt[i] += DD[i];
        DX[i] = D[i] / L;
    }
    helicoid_rows(Z, h, DX, NULL);
    helicoid_product(C, Z, c);
}

static inline void helicoid_held(real K[144], const real C[144], const helicoid *h, const real v[12])
{
    real X[9];
    for (int k = 0; k < 2; ++k) {
        const real *u = v + 6 * k, *R = h->R[k];
        for (int i = 0; i < 3; ++i) { // R u~
            X[i] = R[i + 3] * u[2] - R[i + 6] * u[1];
            X[i + 3] = R[i + 6] * u[0] - R[i] * u[2];
            X[i + 6] = R[i] * u[1] - R[i + 3] * u[0];
        }
        for (int j = 0; j < 3; ++j) {
            const real *x = X + 3 * j, *of = C + 72 * k;
            real *to = K + 12 * (6 * k + 3 + j);
            for (int i = 0; i < 12; ++i) {
                to[i] += of[i] * x[0] + of[i + 12] * x[1] + of[i + 24] * x[2];
            }
        }
    }
}

/* K = dr/dq and, where it is damped, C = dr/dv, 12 x 12: P^T (Kt/L) P + [S(-d); S(d)] P (BM.10), (BM.17) */
static inline void helicoid_tangent(real K[144], real C[144], const beam_point *at, const beam_frame f[2])
{
    helicoid h;
    helicoid_columns c;
    real S[72], Z[72], Kt[36], e[6], s[6], g[12], v[12];
    const real L = at->weight;
    helicoid_between(&h, f);
    helicoid_map(&h);
    helicoid_columns_of(&c, &h);
    for (int i = 0; i < 6; ++i) {
        e[i] = h.d[i] / L - at->f0[i];
    }
    (void)beam_law(s, Kt, at, L, e);
    if (at->section->damped) {
        helicoid_velocity(v, &h, f);
        helicoid_damping(C, s, Kt, &h, &c, v, at);
    }
    for (int i = 0; i < 36; ++i) {
        Kt[i] /= L;
    }
    helicoid_S(S, &h, s);
    helicoid_rows(Z, &h, Kt, S);
    helicoid_product(K, Z, &c);
    if (at->section->damped) {
        helicoid_held(K, C, &h, v);
    }
    // the force turns with its node: -R g_u~
    helicoid_ends(g, &h, s);
    for (int k = 0; k < 2; ++k) {
        const real *u = g + 6 * k, *R = h.R[k];
        real *to = K + 12 * (6 * k + 3) + 6 * k;
        for (int i = 0; i < 3; ++i) {
            to[i] -= R[i + 3] * u[2] - R[i + 6] * u[1];
            to[i + 12] -= R[i + 6] * u[0] - R[i] * u[2];
            to[i + 24] -= R[i] * u[1] - R[i + 3] * u[0];
        }
    }
}

/* Elastic energy. */
static inline real helicoid_energy(const beam_point *at, const beam_frame f[2])
{
    helicoid h;
    real e[6], s[6];
    const real L = at->weight;
    helicoid_between(&h, f);
    for (int i = 0; i < 6; ++i) {
        e[i] = h.d[i] / L - at->f0[i];
    }
    return L * beam_law(s, NULL, at, L, e);
}

/* Power that damping takes. */
static inline real helicoid_loss(const beam_point *at, const beam_frame f[2])
{
    helicoid h;
    real v[12], ed[6], sd[6];
    helicoid_between(&h, f);
    helicoid_map(&h);
    helicoid_velocity(v, &h, f);
    helicoid_rate(ed, &h, at->weight, v);
    mul6(sd, at->section->D, ed);
    return at->weight * dot6(ed, sd);
}

/* The frame at xi in [0, 1] of the helicoid: q_A exp(xi d) (BM.5) */
static inline void helicoid_frame(real x[3], real p[4], const beam_frame f[2], real xi)
{
    helicoid h;
    real coef[COEF_USED], s[8], w[3], a[3], b[3], u[3];
    helicoid_between(&h, f);
    for (int i = 0; i < 3; ++i) {
        w[i] = xi * h.d[3 + i];
        u[i] = xi * h.d[i];
    }
    (void)angle_first(coef, s, w);
    // V u = u + w x (c2 u + c3 w x u)
    cross3(b, w, u);
    for (int i = 0; i < 3; ++i) {
        a[i] = coef[COEF_C2] * u[i] + coef[COEF_C3] * b[i];
    }
    cross3(b, w, a);
    for (int i = 0; i < 3; ++i) {
        u[i] += b[i];
    }
    mat3_mul_vec(x, h.R[0], 3, u);
    for (int i = 0; i < 3; ++i) {
        x[i] += f[0].x[i];
    }
    so3_retract(p, f[0].p, w, coef);
}

/* Strain, and section forces at xi: the wrench that node A exerts is carried along: forces in world axes stay, moments are about the
 * new place. */
static inline void helicoid_section(real strain[6], real s[6], const beam_point *at, const beam_frame f[2], real xi)
{
    real r[12], mid[6], place[3], turn[4], R[2][9], arm[3], n[3], m[3], moment[3];
    helicoid_force(r, strain, mid, at, f);
    helicoid_frame(place, turn, f, xi);
    quat_matrix(R[0], f[0].p);
    quat_matrix(R[1], turn);
    for (int i = 0; i < 3; ++i) {
        arm[i] = f[0].x[i] - place[i];
        n[i] = -r[i];
    }
    const real mA[3] = {-r[3], -r[4], -r[5]};
    mat3_mul_vec(m, R[0], 3, mA);
    cross3(moment, arm, n);
    for (int i = 0; i < 3; ++i) {
        m[i] += moment[i];
    }
    for (int i = 0; i < 3; ++i) {
        s[i] = dot3(R[1] + 3 * i, n);
        s[3 + i] = dot3(R[1] + 3 * i, m);
    }
}

#endif
