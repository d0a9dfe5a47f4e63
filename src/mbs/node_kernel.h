/* Nodes of beams: section frames in bodies. Origin a, axes A, the same rotation as a quaternion c; where a node is plain, it is the
 * frame of its body. (docs/theory/beams.md) */
#ifndef DAL_MBS_NODE_KERNEL_H
#define DAL_MBS_NODE_KERNEL_H

#include "beam/beam_kernel.h"
#include "mbs/pairing_kernel.h"
#include "mbs/vec.h"

/* The frame of a body whose quaternion is p, and its motion */
static inline void node_plain(beam_frame *f, const mb_state *b, const real p[4])
{
    copy3(f->x, b->x);
    copy3(f->xd, b->xd);
    memcpy(f->p, p, sizeof f->p);
    copy3(f->Om, b->Om);
}

/* x + R a, p o c, x' + R (Omega x a), A^T Omega */
static inline void node_frame(beam_frame *f, const mb_state *b, const real p[4], const real a[3], const real A[9],
                              const real c[4])
{
    real s[3], w[3];
    mat3_mul_vec(s, b->R, 3, a);
    cross3(w, b->om, s);
    add3(f->x, b->x, s);
    add3(f->xd, b->xd, w);
    quat_mul(f->p, p, c);
    tmul3(f->Om, A, b->Om);
}

/* A frame of the ground */
static inline void node_fixed(beam_frame *f, const real a[3], const real c[4])
{
    memset(f, 0, sizeof *f);
    copy3(f->x, a);
    memcpy(f->p, c, sizeof f->p);
}

/* r6 += forces at a plain node */
static inline void node_add_force(real r6[6], const real r[6])
{
    add3(r6, r6, r);
    add3(r6 + 3, r6 + 3, r + 3);
}

/* r6 += forces at a node, torque in section axes: A tau + a x R^T f */
static inline void node_add_arm(real r6[6], const real r[6], const mb_state *b, const real a[3], const real A[9])
{
    real f[3], t[3];
    tmul3(f, b->R, r);
    mat3_mul_vec(t, A, 3, r + 3);
    add_cross3(t, REAL(1.0), a, f);
    add3(r6, r6, r);
    add3(r6 + 3, r6 + 3, t);
}

/* X += block (i, j) of a matrix with leading dimension ld, which points there */
static inline void node_add_block(real X[36], const real *M, int ld)
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            X[i + 6 * j] += M[i + ld * j];
        }
    }
}

/* X := X T, T = [I, -R a~; 0, A^T] of the column's node; X 6 x 6 */
static inline void node_columns(real X[36], const mb_state *b, const real a[3], const real A[9])
{
    real U[9], V[9], W[9], Y[9];
    transpose3(Y, A);
    for (int half = 0; half < 6; half += 3) {
        for (int k = 0; k < 9; ++k) {
            U[k] = X[half + k % 3 + 6 * (k / 3)];
            V[k] = X[half + k % 3 + 6 * (3 + k / 3)];
        }
        mat3_mul(W, 3, U, 3, b->R, 3);
        mul_tilde(U, 3, W, a);
        mat3_mul(W, 3, V, 3, Y, 3);
        for (int k = 0; k < 9; ++k) {
            X[half + k % 3 + 6 * (3 + k / 3)] = W[k] - U[k];
        }
    }
}

static inline void node_transpose(real X[36])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < j; ++i) {
            const real x = X[i + 6 * j];
            X[i + 6 * j] = X[j + 6 * i];
            X[j + 6 * i] = x;
        }
    }
}

/* X := T^T X of the row's node */
static inline void node_rows(real X[36], const mb_state *b, const real a[3], const real A[9])
{
    node_transpose(X);
    node_columns(X, b, a, A);
    node_transpose(X);
}

/* K += C (x' of the section) d(R (Omega x a)) = -C R (Omega x a)~ dtheta */
static inline void node_arm_rate(real K[36], const real C[36], const mb_state *b, const real a[3])
{
    real w[3], CR[9], X[9], U[9];
    cross3(w, b->Om, a);
    for (int half = 0; half < 6; half += 3) {
        for (int k = 0; k < 9; ++k) {
            U[k] = C[half + k % 3 + 6 * (k / 3)];
        }
        mat3_mul(CR, 3, U, 3, b->R, 3);
        mul_tilde(X, 3, CR, w);
        for (int k = 0; k < 9; ++k) {
            K[half + k % 3 + 6 * (3 + k / 3)] -= X[k];
        }
    }
}

/* X += s times the derivative of a x R^T f with f that stays */
static inline void node_arm_force(real X[36], real s, const mb_state *b, const real a[3], const real f[3])
{
    real fb[3];
    tmul3(fb, b->R, f);
    add_tilde_tilde(X, 6, 3, 3, s, a, fb);
}

/* A load on a node: scale times v, in world axes or, if it follows, in those of the section */
static inline void node_load(real F[3], const beam_frame *f, const real v[3], real scale, int follows)
{
    scale3(F, scale, v);
    if (follows) {
        real w[3];
        copy3(w, F);
        quat_rotate(F, f->p, w);
    }
}

/* It turns with its node: X += -dF = R p~ dtheta */
static inline void node_load_turns(real X[36], const beam_frame *f, const real F[3])
{
    real R[9], w[3], Y[9];
    quat_matrix(R, f->p);
    tmul3(w, R, F);
    mul_tilde(Y, 3, R, w);
    add_block(X, 6, 0, 3, Y);
}

#endif
