/* Contact of a disk or a sphere at frame B with the x-y plane of frame A, and the knife edge (MB.10); see rows_rolling.c. */
#ifndef DAL_MBS_ROLLING_KERNEL_H
#define DAL_MBS_ROLLING_KERNEL_H

#include "mbs/row_kernel.h"

/* rho and its derivatives with respect to the rotations of A and B: d rho = D_A phi_A + D_B phi_B */
typedef struct row_contact {
    real rho[3], D[2][9];
} row_contact;

/* 1 - c^2, kept from zero: a disk that lies flat has no contact point, and Newton's method must not meet NaN. */
static inline real roll_sine_squared(real c)
{
    return real_max(1.0 - c * c, REAL(1e-24));
}

static inline const real *roll_normal(const mb_pairing *P)
{
    return P->side[0].E + 6;
}

static inline row_contact roll_disk(real c0, const mb_pairing *P)
{
    const real *k = roll_normal(P), *n = P->side[1].E + 6, c = dot3(k, n), s2 = roll_sine_squared(c), s = real_sqrt(s2);
    row_contact K;
    memset(&K, 0, sizeof K);
    real e[3], kn[3];
    copy3(e, k);
    axpy3(e, -c, n);
    axpy3(K.rho, -c0 / s, e);
    // dc = (k x n).phi_A + (n x k).phi_B
    cross3(kn, k, n);
    for (int side = 0; side < 2; ++side) {
        const real sign = REAL(side == 0 ? 1.0 : -1.0);
        real *D = K.D[side];
        add_tilde(D, side == 0 ? c0 / s : -c0 * c / s, side == 0 ? k : n); // dk = -k~ phi_A, dn = -n~ phi_B
        add_outer(D, sign * c0 / s, n, kn);
        add_outer(D, -sign * c0 * c / (s * s2), e, kn);
    }
    return K;
}

static inline row_contact roll_sphere(real c0, const mb_pairing *P)
{
    row_contact K;
    memset(&K, 0, sizeof K);
    axpy3(K.rho, -c0, roll_normal(P));
    add_tilde(K.D[0], c0, roll_normal(P));
    return K;
}

/* on p_A, phi_A, p_B, phi_B: -t, t x (d + rho), t, rho x t */
static inline void roll_slip_gradient(real g[12], int i, const mb_pairing *P, const row_contact *K)
{
    const real *t = P->side[0].E + 3 * i;
    real arm[3];
    add3(arm, P->d, K->rho);
    row_axis_gradient(g, t, arm);
    cross3(g + 9, K->rho, t);
}

static inline void roll_slip_hessian(mb_hessian *H, real la, int i, const mb_pairing *P, const row_contact *K)
{
    const real *t = P->side[0].E + 3 * i;
    real arm[3], tD[9];
    add3(arm, P->d, K->rho);
    // d(t x arm) with drho still to come
    row_axis_hessian(H, la, 0, t, arm);
    // d(rho x t) = -t x drho + rho x (phi_A x t)
    add_unit(H->H[1][1][0][1], la * dot3(K->rho, t));
    add_outer(H->H[1][1][0][1], -la, t, K->rho);
    for (int side = 0; side < 2; ++side) {
        tilde_mul(tD, t, K->D[side]);
        for (int k = 0; k < 9; ++k) {
            H->H[0][1][side][1][k] += la * tD[k];
            H->H[1][1][side][1][k] -= la * tD[k];
        }
    }
}

static inline void roll_disk_slip_gradient(real g[12], int i, real c0, const mb_pairing *P)
{
    const row_contact K = roll_disk(c0, P);
    roll_slip_gradient(g, i, P, &K);
}

static inline void roll_disk_slip_hessian(mb_hessian *H, real la, int i, real c0, const mb_pairing *P)
{
    const row_contact K = roll_disk(c0, P);
    roll_slip_hessian(H, la, i, P, &K);
}

static inline void roll_sphere_slip_gradient(real g[12], int i, real c0, const mb_pairing *P)
{
    const row_contact K = roll_sphere(c0, P);
    roll_slip_gradient(g, i, P, &K);
}

static inline void roll_sphere_slip_hessian(mb_hessian *H, real la, int i, real c0, const mb_pairing *P)
{
    const row_contact K = roll_sphere(c0, P);
    roll_slip_hessian(H, la, i, P, &K);
}

/* k . d + f(c), f = -r sqrt(1 - c^2), f' = r c/sqrt(1 - c^2), f'' = r/(1 - c^2)^(3/2) */
static inline real roll_disk_phi(real c0, const mb_pairing *P)
{
    const real c = dot3(roll_normal(P), P->side[1].E + 6);
    return dot3(roll_normal(P), P->d) - c0 * real_sqrt(roll_sine_squared(c));
}

static inline void roll_disk_gradient(real g[12], real c0, const mb_pairing *P)
{
    const real *k = roll_normal(P), *n = P->side[1].E + 6, c = dot3(k, n),
               f1 = c0 * c / real_sqrt(roll_sine_squared(c));
    row_axis_gradient(g, k, P->d);
    add_cross3(g + 3, f1, k, n);
    add_cross3(g + 9, f1, n, k);
}

static inline void roll_disk_hessian(mb_hessian *H, real la, real c0, const mb_pairing *P)
{
    const real *k = roll_normal(P), *n = P->side[1].E + 6, c = dot3(k, n), s2 = roll_sine_squared(c), s = real_sqrt(s2);
    real kn[3];
    cross3(kn, k, n);
    row_axis_hessian(H, la, 0, k, P->d);
    row_dot_hessian(H, la * c0 * c / s, k, n);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            add_outer(H->H[i][1][j][1], (i == j ? la : -la) * c0 / (s * s2), kn, kn);
        }
    }
}

#endif
