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
    scale3(g, REAL(-1.0), t);
    cross3(g + 3, t, arm);
    copy3(g + 6, t);
    cross3(g + 9, K->rho, t);
}

static inline void roll_slip_hessian(mb_hessian *H, real la, int i, const mb_pairing *P, const row_contact *K)
{
    const real *t = P->side[0].E + 3 * i;
    real arm[3], tD[9];
    add3(arm, P->d, K->rho);
    // dt = phi_A x t
    add_tilde(H->H[0][0][0][1], la, t);
    add_tilde(H->H[1][0][0][1], -la, t);
    // d(t x arm) = (phi_A x t) x arm + t x (dp_B - dp_A + drho)
    add_outer(H->H[0][1][0][1], la, t, arm);
    add_unit(H->H[0][1][0][1], -la * dot3(t, arm));
    add_tilde(H->H[0][1][1][0], la, t);
    add_tilde(H->H[0][1][0][0], -la, t);
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

/* k . d - h: -k, k x d, k, 0 */
static inline void roll_height_gradient(real g[12], const mb_pairing *P)
{
    const real *k = roll_normal(P);
    scale3(g, REAL(-1.0), k);
    cross3(g + 3, k, P->d);
    copy3(g + 6, k);
    memset(g + 9, 0, 3 * sizeof(real));
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
    roll_height_gradient(g, P);
    add_cross3(g + 3, f1, k, n);
    add_cross3(g + 9, f1, n, k);
}

static inline void roll_disk_hessian(mb_hessian *H, real la, real c0, const mb_pairing *P)
{
    const real *k = roll_normal(P), *n = P->side[1].E + 6, c = dot3(k, n), s2 = roll_sine_squared(c), s = real_sqrt(s2);
    real kn[3];
    cross3(kn, k, n);
    row_axis_hessian(H, la, k, P->d);
    row_dot_hessian(H, la * c0 * c / s, k, n);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            add_outer(H->H[i][1][j][1], (i == j ? la : -la) * c0 / (s * s2), kn, kn);
        }
    }
}

static inline void roll_edge_gradient(real g[12], int j, const mb_pairing *P)
{
    const real *n = P->side[1].E + 3 * j;
    scale3(g, REAL(-1.0), n);
    cross3(g + 3, n, P->d);
    copy3(g + 6, n);
    memset(g + 9, 0, 3 * sizeof(real));
}

static inline void roll_edge_hessian(mb_hessian *H, real la, int j, const mb_pairing *P)
{
    const real *n = P->side[1].E + 3 * j;
    // dn = phi_B x n; d(n x d) = (phi_B x n) x d + n x (dp_B - dp_A)
    add_tilde(H->H[0][0][1][1], la, n);
    add_tilde(H->H[1][0][1][1], -la, n);
    add_outer(H->H[0][1][1][1], la, n, P->d);
    add_unit(H->H[0][1][1][1], -la * dot3(n, P->d));
    add_tilde(H->H[0][1][1][0], la, n);
    add_tilde(H->H[0][1][0][0], -la, n);
}

#endif
