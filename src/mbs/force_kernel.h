/* Forces along a coordinate with gradient g, against whose increase Q acts (MB.9), and drag. */
#ifndef DAL_MBS_FORCE_KERNEL_H
#define DAL_MBS_FORCE_KERNEL_H

#include "mbs/pairing_kernel.h"

/* On bodies i and j, beside Q H_ij: K += g_i (Qc g_j + Qd z_j)^T, C += Qd g_i g_j^T */
static inline void force_along_pair(real K[36], real C[36], const real gi[6], const real gj[6], const real zj[6],
                                    real Qc, real Qd)
{
    for (int j = 0; j < 6; ++j) {
        const real k = Qc * gj[j] + Qd * zj[j], c = Qd * gj[j];
        for (int i = 0; i < 6; ++i) {
            K[i + 6 * j] += gi[i] * k;
            C[i + 6 * j] += gi[i] * c;
        }
    }
}

/* K -= F_k g_i y_j^T of input k of a law (MB.15) */
static inline void force_of_input(real K[36], real Fk, const real gi[6], const real yj[6])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            K[i + 6 * j] -= Fk * gi[i] * yj[j];
        }
    }
}

/* A spring with elongation e and its rate; y: value and derivative of its characteristic. l = Q, Qc, Qd. */
static inline void force_spring(real l[3], real stiffness, real cubic, real damping, const real e[2], const real y[2])
{
    l[0] = stiffness * e[0] + cubic * e[0] * e[0] * e[0] + y[0] + damping * e[1];
    l[1] = stiffness + 3.0 * cubic * e[0] * e[0] + y[1];
    l[2] = damping;
}

/* Friction with s = mu radius N at the rate cd. */
static inline void force_friction(real l[3], real s, real slip, real cd)
{
    const real th = real_tanh(cd / slip);
    l[0] = s * th;
    l[1] = REAL(0.0);
    l[2] = s * (1.0 - th * th) / slip;
}

/* Drag (damping + quadratic |v|) v, and its derivative D with respect to v */
static inline void force_drag(real F[3], real D[9], real damping, real quadratic, const real v[3])
{
    const real o = REAL(0.0), speed = real_sqrt(dot3(v, v)), c = damping + quadratic * speed;
    scale3(F, c, v);
    memset(D, 0, 9 * sizeof(real));
    add_unit(D, c);
    add_outer(D, real_select(real_less(o, speed), quadratic / speed, o), v, v);
}

/* A = s a b^T */
static inline void force_outer(real A[36], real s, const real a[6], const real b[6])
{
    for (int k = 0; k < 36; ++k) {
        A[k] = s * a[k % 6] * b[k / 6];
    }
}

#endif
