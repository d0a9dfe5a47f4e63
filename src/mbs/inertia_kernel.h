/* Inertia, gyroscopic terms and weight of a rigid body in its frame: reference point anywhere, (MB.4). m: mass, mc: mass
 * times centre of mass, J: inertia about the origin, body axes. */
#ifndef DAL_MBS_INERTIA_KERNEL_H
#define DAL_MBS_INERTIA_KERNEL_H

#include "mbs/pairing_kernel.h"

/* w = Omega' x mc + Omega x (Omega x mc) */
static inline void inertia_lever(real w[3], const real mc[3], const mb_state *s)
{
    real u[3];
    cross3(u, s->Om, mc);
    cross3(w, s->Omd, mc);
    add_cross3(w, REAL(1.0), s->Om, u);
}

/* r6 += M y' + gyroscopic terms - weight; centred: mc = 0 */
static inline void inertia_residual(real r6[6], real m, const real mc[3], const real J[9], int centred,
                                    const mb_state *s, const real gravity[3])
{
    real y[3], L[3], N[3];
    sub3(y, s->xdd, gravity);
    mat3_mul_vec(L, J, 3, s->Om);
    mat3_mul_vec(N, J, 3, s->Omd);
    axpy3(r6, m, y);
    add3(r6 + 3, r6 + 3, N);
    add_cross3(r6 + 3, REAL(1.0), s->Om, L);
    if (!centred) {
        real w[3], Rw[3], yb[3];
        inertia_lever(w, mc, s);
        mat3_mul_vec(Rw, s->R, 3, w);
        add3(r6, r6, Rw);
        tmul3(yb, s->R, y);
        add_cross3(r6 + 3, REAL(1.0), mc, yb);
    }
}

/* P = M y, and how y^T M y/2 changes with the frame: by its rotation alone, (Omega x mc) x R^T x' */
static inline void inertia_momentum(real P[6], real turn[6], real m, const real mc[3], const real J[9],
                                    const mb_state *s)
{
    real u[3], xb[3];
    cross3(u, s->Om, mc);
    mat3_mul_vec(P, s->R, 3, u);
    axpy3(P, m, s->xd);
    tmul3(xb, s->R, s->xd);
    mat3_mul_vec(P + 3, J, 3, s->Om);
    add_cross3(P + 3, REAL(1.0), mc, xb);
    memset(turn, 0, 3 * sizeof(real));
    cross3(turn + 3, u, xb);
}

/* Rotation block of C: Omega~ J - (J Omega)~ */
static inline void inertia_gyroscopic(real X[9], const real J[9], const real Om[3])
{
    real L[3];
    mat3_mul_vec(L, J, 3, Om);
    tilde_mul(X, Om, J);
    add_tilde(X, REAL(-1.0), L);
}

/* Block of C, forces by rotation: -R ((Omega x mc)~ + Omega~ mc~) */
static inline void inertia_lever_rate(real Y[9], const real mc[3], const mb_state *s)
{
    real X[9], u[3];
    memset(X, 0, sizeof X);
    cross3(u, s->Om, mc);
    add_tilde(X, REAL(-1.0), u);
    add_tilde_tilde(X, 3, 0, 0, REAL(-1.0), s->Om, mc);
    mat3_mul(Y, 3, s->R, 3, X, 3);
}

/* Blocks of K: X = -R w~ (forces by rotation), and torques by rotation += mc~ (R^T (x'' - gravity))~ */
static inline void inertia_lever_stiffness(real X[9], real *K, int ld, const real mc[3], const mb_state *s,
                                           const real gravity[3])
{
    real w[3], y[3], yb[3];
    inertia_lever(w, mc, s);
    scale3(w, REAL(-1.0), w);
    mul_tilde(X, 3, s->R, w);
    sub3(y, s->xdd, gravity);
    tmul3(yb, s->R, y);
    add_tilde_tilde(K, ld, 0, 0, REAL(1.0), mc, yb);
}

/* [m I, -R mc~; mc~ R^T, J] */
static inline void inertia_mass(real M[36], real m, const real mc[3], const real J[9], int centred, const mb_state *s)
{
    memset(M, 0, 36 * sizeof(real));
    M[0] = M[7] = M[14] = m;
    add_block(M, 6, 3, 3, J);
    if (!centred) {
        real X[9];
        mul_tilde(X, 3, s->R, mc);
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                M[i + (3 + j) * 6] = -X[i + 3 * j];
                M[3 + j + i * 6] = -X[i + 3 * j];
            }
        }
    }
}

/* C, K (6 x 6) +=; NULL: not wanted */
static inline void inertia_tangent(real *C, real *K, const real mc[3], const real J[9], int centred, const mb_state *s,
                                   const real gravity[3])
{
    real X[9];
    if (C) {
        inertia_gyroscopic(X, J, s->Om);
        add_block(C, 6, 3, 3, X);
    }
    if (C && !centred) {
        inertia_lever_rate(X, mc, s);
        add_block(C, 6, 0, 3, X);
    }
    if (K && !centred) {
        inertia_lever_stiffness(X, K + 21, 6, mc, s, gravity);
        add_block(K, 6, 0, 3, X);
    }
}

/* Kinetic energy, of a body with mc = 0 and of any. */
static inline real inertia_kinetic_centred(real m, const real J[9], const mb_state *s)
{
    real L[3];
    mat3_mul_vec(L, J, 3, s->Om);
    return 0.5 * (m * dot3(s->xd, s->xd) + dot3(s->Om, L));
}

static inline real inertia_kinetic(real m, const real mc[3], const real J[9], const mb_state *s)
{
    real u[3], Ru[3];
    cross3(u, s->Om, mc);
    mat3_mul_vec(Ru, s->R, 3, u);
    return inertia_kinetic_centred(m, J, s) + dot3(s->xd, Ru);
}

/* Potential of the weight. */
static inline real inertia_weight(real m, const real mc[3], const mb_state *s, const real gravity[3])
{
    real c[3];
    mat3_mul_vec(c, s->R, 3, mc);
    axpy3(c, m, s->x);
    return -dot3(gravity, c);
}

/* mc_all += m x + R mc, p_all += p = m x' + R (Omega x mc), L_all += x x p + R (J Omega + mc x R^T x') */
static inline void inertia_sums(real mc_all[3], real p_all[3], real L_all[3], real m, const real mc[3], const real J[9],
                                const mb_state *s)
{
    real c[3], p[3], L[3], u[3], y[3];
    mat3_mul_vec(c, s->R, 3, mc);
    axpy3(c, m, s->x);
    add3(mc_all, mc_all, c);
    cross3(u, s->Om, mc);
    mat3_mul_vec(y, s->R, 3, u);
    scale3(p, m, s->xd);
    add3(p, p, y);
    add3(p_all, p_all, p);
    add_cross3(L_all, REAL(1.0), s->x, p);
    mat3_mul_vec(L, J, 3, s->Om);
    tmul3(u, s->R, s->xd);
    add_cross3(L, REAL(1.0), mc, u);
    mat3_mul_vec(y, s->R, 3, L);
    add3(L_all, L_all, y);
}

/* The same of a momentum p and an angular momentum L of its own, in its frame. */
static inline void inertia_own(real p_all[3], real L_all[3], const real p[3], const real L[3], const mb_state *s)
{
    real y[3];
    mat3_mul_vec(y, s->R, 3, p);
    add3(p_all, p_all, y);
    add_cross3(L_all, REAL(1.0), s->x, y);
    mat3_mul_vec(y, s->R, 3, L);
    add3(L_all, L_all, y);
}

#endif
