/* The compliant law of contacts (CT.16): F = k delta^n max(0, 1 + D delta'/v) with delta = max(0, -gap), friction mu F u/sqrt(u^2 + s^2) or of
 * bristles (CT.25), and how two features press each other apart with it. */
#ifndef DAL_MBS_COMPLIANT_KERNEL_H
#define DAL_MBS_COMPLIANT_KERNEL_H

#include "mbs/touch_kernel.h"

/* Numbers of the law: D the damping, v the least speed of approach that is told apart from rest; slip, or bristle > 0 and what calms it. */
typedef struct compliant_law {
    real k, n, D, v, mu, slip, bristle, damping;
} compliant_law;

/* A point of contact: rows of the gap and of two sliding velocities, forces against their increase and their derivatives. */
typedef struct compliant_point {
    int code;
    touch K;
    real_mask closed;
    real g[3][12], rate[3];
    real F, V; /* normal force, potential */
    real Q[3], Qc[3], Qd[3][3];
    real bent[2];            /* bristles */
    real held, turned[2][2]; /* 1: they hold; d(Q[1], Q[2]) with respect to what would bend them */
    real lost;               /* power */
} compliant_point;

/* D_v = D/v */
static inline void compliant_press(compliant_point *p, const compliant_law *law, real D_v)
{
    const real o = REAL(0.0), depth = real_select(p->closed, -p->K.phi, REAL(1.0)), damped = 1.0 - D_v * p->rate[0];
    const real elastic = real_select(p->closed, law->k * real_pow(depth, law->n), o);
    p->F = real_select(real_less(o, damped), elastic * damped, o);
    p->V = elastic * depth / (law->n + 1.0);
    p->Q[0] = -p->F;
    p->Qc[0] = law->n * p->F / depth;
    p->Qd[0][0] = real_select(real_less(o, damped), elastic * D_v, o);
    p->lost = (elastic - p->F) * p->rate[0];
}

static inline void compliant_slide(compliant_point *p, const compliant_law *law)
{
    const real *u = p->rate + 1, w2 = u[0] * u[0] + u[1] * u[1] + law->slip * law->slip;
    const real per = 1.0 / real_max(real_sqrt(w2), REAL(1e-300));
    for (int i = 0; i < 2; ++i) {
        const real e = u[i] * per;
        p->Q[1 + i] = law->mu * e * p->F;
        p->Qc[1 + i] = -law->mu * e * p->Qc[0];
        p->Qd[1 + i][0] = -law->mu * e * p->Qd[0][0];
        for (int j = 0; j < 2; ++j) {
            p->Qd[1 + i][1 + j] = law->mu * p->F * ((i == j ? 1.0 : 0.0) - e * (u[j] * per)) * per;
        }
        p->lost += p->Q[1 + i] * u[i];
    }
}

/* k z + c u, z = the way slid, at most mu F. Since the last final state, a time dt ago, bristles were bent by the mean of the sliding
 * velocities then, `slid`, and now. */
static inline void compliant_bend(compliant_point *p, const compliant_law *law, const real bent[2], const real slid[2],
                                  real dt)
{
    const real o = REAL(0.0), k = law->bristle, slope = 0.5 * dt * k + law->damping, *u = p->rate + 1;
    real T[2];
    for (int i = 0; i < 2; ++i) {
        T[i] = k * (bent[i] + 0.5 * dt * (u[i] + slid[i])) + law->damping * u[i];
    }
    const real size = real_sqrt(T[0] * T[0] + T[1] * T[1]), per = 1.0 / real_max(size, REAL(1e-300));
    const real_mask slides = real_less(law->mu * p->F, size);
    p->held = real_select(slides, o, REAL(1.0));
    for (int i = 0; i < 2; ++i) {
        const real e = T[i] * per;
        p->Q[1 + i] = real_select(slides, law->mu * p->F * e, T[i]);
        p->Qc[1 + i] = real_select(slides, -law->mu * p->Qc[0] * e, o);
        p->Qd[1 + i][0] = real_select(slides, -law->mu * p->Qd[0][0] * e, o);
        for (int j = 0; j < 2; ++j) {
            const real turn = (i == j ? 1.0 : 0.0) - e * T[j] * per;
            p->turned[i][j] = real_select(slides, law->mu * p->F * per * turn, REAL(i == j ? 1.0 : 0.0));
            p->Qd[1 + i][1 + j] = p->turned[i][j] * slope;
        }
        p->bent[i] = (p->Q[1 + i] - real_select(slides, o, law->damping * u[i])) / k;
        p->lost += p->Q[1 + i] * u[i];
    }
}

/* Features K, of this code, at P; is it closed? */
static inline real_mask compliant_meet(compliant_point *p, int code, const touch *K, const mb_pairing *P)
{
    memset(p, 0, sizeof *p);
    p->code = code;
    p->K = *K;
    p->closed = real_less(K->phi, REAL(0.0));
    for (int i = 0; i < 3; ++i) {
        touch_gradient_of(p->g[i], code, i == 0 ? 2 : i - 1, K, P);
        p->rate[i] = row_rate(p->g[i], P);
    }
    return p->closed;
}

/* The forces of a point that touched with `speed`; bent, slid, dt: of bristles. */
static inline void compliant_act(compliant_point *p, const compliant_law *law, real speed, const real bent[2],
                                 const real slid[2], real dt)
{
    compliant_press(p, law, law->D / real_max(speed, law->v));
    if (bent) {
        compliant_bend(p, law, bent, slid, dt);
    } else {
        compliant_slide(p, law);
    }
}

static inline void compliant_wrench(real sum[12], const compliant_point *p)
{
    for (int i = 0; i < 12; ++i) {
        sum[i] = p->Q[0] * p->g[0][i] + p->Q[1] * p->g[1][i] + p->Q[2] * p->g[2][i];
    }
}

/* What the tangents between the bodies of a point are made of. */
typedef struct compliant_tangent {
    mb_hessian H; /* of the rows, times their forces */
    real sum[12], g6[3][2][6], z6[3][2][6];
} compliant_tangent;

static inline void compliant_turn(compliant_tangent *T, const compliant_point *p, const mb_pairing *P)
{
    real z[12];
    memset(&T->H, 0, sizeof T->H);
    compliant_wrench(T->sum, p);
    for (int r = 0; r < 3; ++r) {
        mb_hessian H;
        memset(&H, 0, sizeof H);
        touch_hessian_of(&H, REAL(1.0), p->code, r == 0 ? 2 : r - 1, &p->K, P);
        row_contract(z, &H, P);
        for (int k = 0; k < 144; ++k) {
            const int i = k / 72, a = k / 36 % 2, j = k / 18 % 2, b = k / 9 % 2;
            T->H.H[i][a][j][b][k % 9] += p->Q[r] * H.H[i][a][j][b][k % 9];
        }
        for (int i = 0; i < 2; ++i) {
            mb_gradient_to_body(T->g6[r][i], &P->side[i], p->g[r] + 6 * i);
            mb_rate_to_body(T->z6[r][i], &P->side[i], z + 6 * i, p->g[r] + 6 * i);
        }
    }
}

/* K += sum of Q H + g (Qc g_n + Qd z)^T, C += g Qd g^T over the three rows, of sides i and j. */
static inline void compliant_pair(real K[36], real C[36], const compliant_tangent *T, const compliant_point *p,
                                  const mb_pairing *P, int i, int j)
{
    for (int r = 0; r < 9; ++r) {
        const int a = r / 3, b = r % 3;
        for (int k = 0; k < 36; ++k) {
            const real x = T->g6[a][i][k % 6];
            C[k] += x * p->Qd[a][b] * T->g6[b][j][k / 6];
            K[k] += x * p->Qd[a][b] * T->z6[b][j][k / 6];
            if (b == 0) {
                K[k] += x * p->Qc[a] * T->g6[0][j][k / 6];
            }
        }
    }
    mb_hessian_to_body(K, &T->H, P, i, j, 0);
    if (i == j) {
        mb_arm_terms(K, &P->side[i], T->sum + 6 * i, T->sum + 6 * i + 3);
    }
}

/* The square of the speed at which an open point will touch: rate^2 - 2 acceleration gap, which is exact in free fall; it never does
 * where that is negative. P with accelerations. */
static inline real compliant_square(const compliant_point *p, const mb_pairing *P)
{
    mb_hessian H;
    real V[12], W[12], z[12], acc = REAL(0.0);
    memset(&H, 0, sizeof H);
    touch_hessian_of(&H, REAL(1.0), p->code, 2, &p->K, P);
    row_contract(z, &H, P);
    mb_pairing_velocity(V, P);
    mb_pairing_acceleration(W, P);
    for (int i = 0; i < 12; ++i) {
        acc += p->g[0][i] * W[i] + z[i] * V[i];
    }
    return p->rate[0] * p->rate[0] - 2.0 * acc * p->K.phi;
}

static inline real compliant_speed(const compliant_point *p, const mb_pairing *P)
{
    return real_sqrt(real_max(compliant_square(p, P), REAL(0.0)));
}

#endif
