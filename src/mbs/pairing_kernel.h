/* Two frames, and how rows and forces between them act on their bodies. */
#ifndef DAL_MBS_PAIRING_KERNEL_H
#define DAL_MBS_PAIRING_KERNEL_H

#include "mbs/vec.h"

/* Motion of a body frame. */
typedef struct mb_state {
    real x[3], R[9];
    real xd[3], Om[3], om[3];   /* velocity; angular velocity in body and in world axes */
    real xdd[3], Omd[3], al[3]; /* acceleration; Omega' and R Omega' */
} mb_state;

/* One of two frames at a point. */
typedef struct mb_side {
    const mb_state *b;
    const real *a;
    real s[3], p[3]; /* s = R a, p = x + s */
    real ws[3], pd[3], pdd[3];
    real E[9]; /* axes, world */
} mb_side;

/* Frames A and B at a point. Vectors of 12 are ordered (p_A, phi_A, p_B, phi_B), phi: rotation in world axes. */
typedef struct mb_pairing {
    mb_side side[2];
    real d[3];
} mb_pairing;

/* Derivatives d g_(i,a) / d (j,b) of a gradient g of 12, in 3x3 blocks; a, b: 0 translation, 1 rotation. */
typedef struct mb_hessian {
    real H[2][2][2][2][9];
} mb_hessian;

/* level 0: positions, 1: velocities, 2: accelerations. The frame has its origin at a and its axes A in body axes; axes:
 * E is needed. */
static inline void mb_side_at(mb_side *S, const mb_state *b, const real *a, const real *A, int level, int axes)
{
    S->b = b;
    S->a = a;
    mat3_mul_vec(S->s, b->R, 3, a);
    add3(S->p, b->x, S->s);
    if (level > 0) {
        // p' = x' + omega x s
        cross3(S->ws, b->om, S->s);
        add3(S->pd, b->xd, S->ws);
    }
    if (level > 1) {
        // p'' = x'' + alpha x s + omega x (omega x s)
        cross3(S->pdd, b->al, S->s);
        add_cross3(S->pdd, REAL(1.0), b->om, S->ws);
        add3(S->pdd, S->pdd, b->xdd);
    }
    if (axes) {
        mat3_mul(S->E, 3, b->R, 3, A, 3);
    }
}

/* Where frame B is in the frame of body A: origin and axes. */
static inline void mb_pairing_grab(real frame[12], const mb_pairing *P)
{
    real d[3];
    sub3(d, P->side[1].p, P->side[0].b->x);
    tmul3(frame, P->side[0].b->R, d);
    tmul33(frame + 3, P->side[0].b->R, P->side[1].E);
}

/* V (12): velocities of the pairing */
static inline void mb_pairing_velocity(real V[12], const mb_pairing *P)
{
    for (int k = 0; k < 2; ++k) {
        copy3(V + 6 * k, P->side[k].pd);
        copy3(V + 6 * k + 3, P->side[k].b->om);
    }
}

/* W (12): their accelerations */
static inline void mb_pairing_acceleration(real W[12], const mb_pairing *P)
{
    for (int k = 0; k < 2; ++k) {
        copy3(W + 6 * k, P->side[k].pdd);
        copy3(W + 6 * k + 3, P->side[k].b->al);
    }
}

/* Row as it acts on a body: g6 = (u, R^T (w + s x u)) (MB.6) */
static inline void mb_gradient_to_body(real g6[6], const mb_side *S, const real g[6])
{
    real w[3];
    cross3(w, S->s, g);
    add3(w, w, g + 3);
    copy3(g6, g);
    tmul3(g6 + 3, S->b->R, w);
}

/* Its rate of change with the motion of the body, z6 (MB.7): besides the change z of the gradient, p' and omega turn with the body */
static inline void mb_rate_to_body(real z6[6], const mb_side *S, const real z[6], const real g[6])
{
    real w[3];
    cross3(w, S->s, z);
    add3(w, w, z + 3);
    add_cross3(w, REAL(1.0), S->b->om, g + 3);
    add_cross3(w, REAL(1.0), S->ws, g);
    copy3(z6, z);
    tmul3(z6 + 3, S->b->R, w);
}

/* 6x6 block of sides i and j: K += T_i^T H_ij T_j */
static inline void mb_hessian_to_body(real K[36], const mb_hessian *H, const mb_pairing *P, int i, int j,
                                      int rotational)
{
    const mb_side *Si = &P->side[i], *Sj = &P->side[j];
    real X[9], Y[9], W[9];
    if (rotational) {
        // R_i^T H_ww R_j
        mat3_mul(X, 3, H->H[i][1][j][1], 3, Sj->b->R, 3);
        tmul33(Y, Si->b->R, X);
        add_block(K, 6, 3, 3, Y);
        return;
    }
    const real *Huu = H->H[i][0][j][0], *Huw = H->H[i][0][j][1], *Hwu = H->H[i][1][j][0], *Hww = H->H[i][1][j][1];
    add_block(K, 6, 0, 0, Huu);
    // (-H_uu s_j~ + H_uw) R_j
    mul_tilde(X, 3, Huu, Sj->s);
    for (int k = 0; k < 9; ++k) {
        X[k] = Huw[k] - X[k];
    }
    mat3_mul(Y, 3, X, 3, Sj->b->R, 3);
    add_block(K, 6, 0, 3, Y);
    // W = s_i~ H_uu + H_wu; R_i^T W
    tilde_mul(W, Si->s, Huu);
    for (int k = 0; k < 9; ++k) {
        W[k] += Hwu[k];
    }
    tmul33(Y, Si->b->R, W);
    add_block(K, 6, 3, 0, Y);
    // R_i^T (-W s_j~ + s_i~ H_uw + H_ww) R_j
    real U[9];
    mul_tilde(X, 3, W, Sj->s);
    tilde_mul(U, Si->s, Huw);
    for (int k = 0; k < 9; ++k) {
        X[k] = U[k] + Hww[k] - X[k];
    }
    mat3_mul(U, 3, X, 3, Sj->b->R, 3);
    tmul33(Y, Si->b->R, U);
    add_block(K, 6, 3, 3, Y);
}

/* d(R^T (tau + s x f)) for (f, tau) that stay: (tau~ + a~ f~) dtheta in body axes  (MB.8) */
static inline void mb_arm_terms(real K[36], const mb_side *S, const real f[3], const real tau[3])
{
    real fb[3];
    tmul3(fb, S->b->R, f);
    add_tilde_tilde(K, 6, 3, 3, REAL(1.0), S->a, fb);
    if (tau) {
        real T[9], tb[3];
        memset(T, 0, sizeof T);
        tmul3(tb, S->b->R, tau);
        add_tilde(T, REAL(1.0), tb);
        add_block(K, 6, 3, 3, T);
    }
}

/* wrench (f, tau) at the frame: r6 += */
static inline void mb_add_wrench(real r6[6], const mb_side *S, const real f[3], const real tau[3])
{
    real w[3];
    cross3(w, S->s, f);
    add3(w, w, tau);
    add3(r6, r6, f);
    add_tmul3(r6 + 3, S->b->R, w);
}

#define MB_TURN 6.283185307179586
/* The angle that differs from the given one by whole turns and is nearest to another. */
static inline real mb_nearest_turn(real angle, real near)
{
    return angle + MB_TURN * real_rint((near - angle) / MB_TURN);
}

/* Change component k of the position (0), velocity (1) or acceleration (2) of a frame: three along the axes of the world, three about
 * those of the body. */
static inline void mb_perturb(mb_state *s, int what, int k, double by)
{
    real *const x[3] = {s->x, s->xd, s->xdd}, *const w[3] = {NULL, s->Om, s->Omd};
    if (k < 3) {
        x[what][k] += by;
    } else if (what > 0) {
        w[what][k - 3] += by;
    } else {
        real *a = s->R + 3 * ((k + 1) % 3), *b = s->R + 3 * ((k + 2) % 3);
        const double c = cos(by), d = sin(by);
        for (int i = 0; i < 3; ++i) {
            const real y = a[i];
            a[i] = c * y + d * b[i];
            b[i] = c * b[i] - d * y;
        }
    }
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

#endif
