/* Scalar rows between two frames: value, gradient g (12) and its derivatives H (MB.5). Notation: a axis of A, b axis of
 * B, d = p_B - p_A; rotations vary as da = phi x a. Order of the 12: translation of A, rotation of A, translation of B,
 * rotation of B. Hessians are added to H, times la. */
#ifndef DAL_MBS_ROW_KERNEL_H
#define DAL_MBS_ROW_KERNEL_H

#include "mbs/pairing_kernel.h"

/* ---- a . b ------------------------------------------------------------------------------------ */

static inline void row_dot_gradient(real g[12], const real a[3], const real b[3])
{
    memset(g, 0, 3 * sizeof(real));
    memset(g + 6, 0, 3 * sizeof(real));
    cross3(g + 3, a, b);
    scale3(g + 9, REAL(-1.0), g + 3);
}

/* w = omega_A - omega_B: on A (w.a) b - (a.b) w, on B (a.b) w - (w.b) a */
static inline void row_dot_contract(real z[12], const real a[3], const real b[3], const mb_pairing *P)
{
    const real ab = dot3(a, b);
    real w[3];
    sub3(w, P->side[0].b->om, P->side[1].b->om);
    memset(z, 0, 12 * sizeof(real));
    axpy3(z + 3, dot3(w, a), b);
    axpy3(z + 3, -ab, w);
    axpy3(z + 9, ab, w);
    axpy3(z + 9, -dot3(w, b), a);
}

/* rotation blocks of dg for g = (a x b, b x a): AA a b^T - (a.b) I, AB (a.b) I - b a^T, and with A, B exchanged */
static inline void row_dot_hessian(mb_hessian *H, real la, const real a[3], const real b[3])
{
    const real ab = la * dot3(a, b);
    add_outer(H->H[0][1][0][1], la, a, b);
    add_unit(H->H[0][1][0][1], -ab);
    add_outer(H->H[0][1][1][1], -la, b, a);
    add_unit(H->H[0][1][1][1], ab);
    add_outer(H->H[1][1][0][1], -la, a, b);
    add_unit(H->H[1][1][0][1], ab);
    add_outer(H->H[1][1][1][1], la, b, a);
    add_unit(H->H[1][1][1][1], -ab);
}

/* ---- a . d ------------------------------------------------------------------------------------ */

static inline void row_axis_gradient(real g[12], const real a[3], const real d[3])
{
    scale3(g, REAL(-1.0), a);
    cross3(g + 3, a, d);
    copy3(g + 6, a);
    memset(g + 9, 0, 3 * sizeof(real));
}

/* The axis turns with frame A (side 0) or B (side 1). */
static inline void row_axis_hessian(mb_hessian *H, real la, int side, const real a[3], const real d[3])
{
    // d(a x d) = (phi x a) x d + a x (dp_B - dp_A)
    add_outer(H->H[0][1][side][1], la, a, d);
    add_unit(H->H[0][1][side][1], -la * dot3(a, d));
    add_tilde(H->H[0][1][1][0], la, a);
    add_tilde(H->H[0][1][0][0], -la, a);
    // d a = phi x a
    add_tilde(H->H[1][0][side][1], -la, a);
    add_tilde(H->H[0][0][side][1], la, a);
}

/* ---- (d.d - c^2)/(2 c) and |d| ------------------------------------------------------------------ */

/* +-s on the four blocks of (p_B - p_A, p_B - p_A) */
static inline void row_difference_hessian(mb_hessian *H, const real D[9])
{
    for (int k = 0; k < 9; ++k) {
        H->H[0][0][0][0][k] += D[k];
        H->H[1][0][1][0][k] += D[k];
        H->H[0][0][1][0][k] -= D[k];
        H->H[1][0][0][0][k] -= D[k];
    }
}

static inline void row_difference_gradient(real g[12], real s, const real d[3])
{
    memset(g, 0, 12 * sizeof(real));
    scale3(g, -s, d);
    scale3(g + 6, s, d);
}

static inline real row_square_phi(real c, const real d[3])
{
    return 0.5 * (dot3(d, d) / c - c);
}

static inline void row_square_hessian(mb_hessian *H, real la, real c)
{
    real D[9];
    memset(D, 0, sizeof D);
    add_unit(D, la / c);
    row_difference_hessian(H, D);
}

static inline real row_length_phi(const real d[3])
{
    return real_sqrt(dot3(d, d));
}

/* Where the points coincide there is no direction: no force, and no tangent. */
static inline void row_length_gradient(real g[12], const real d[3])
{
    const real l = row_length_phi(d), o = REAL(0.0);
    row_difference_gradient(g, real_select(real_less(o, l), 1.0 / l, o), d);
}

static inline void row_length_hessian(mb_hessian *H, real la, const real d[3])
{
    const real l = row_length_phi(d), o = REAL(0.0);
    const real_mask apart = real_less(o, l);
    real D[9];
    memset(D, 0, sizeof D);
    add_unit(D, real_select(apart, la / l, o));
    add_outer(D, real_select(apart, -la / (l * l * l), o), d, d);
    row_difference_hessian(H, D);
}

/* ---- angle about axis i of A: atan2(Y, X), X = e_j(A).e_j(B), Y = e_k(A).e_j(B), (i, j, k) cyclic -- */

typedef struct row_angle {
    const real *xa, *ya, *b; /* e_j(A), e_k(A), e_j(B) */
    real X, Y, rho2;
} row_angle;

static inline row_angle row_angle_of(int i, const mb_pairing *P)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    row_angle p = {P->side[0].E + 3 * j, P->side[0].E + 3 * k, P->side[1].E + 3 * j, REAL(0.0), REAL(0.0), REAL(0.0)};
    p.X = dot3(p.xa, p.b);
    p.Y = dot3(p.ya, p.b);
    p.rho2 = p.X * p.X + p.Y * p.Y;
    return p;
}

static inline real row_angle_phi(int i, const mb_pairing *P)
{
    const row_angle p = row_angle_of(i, P);
    return real_atan2(p.Y, p.X);
}

/* g = (X g_Y - Y g_X) / rho^2 */
static inline void row_angle_gradient(real g[12], int i, const mb_pairing *P)
{
    const row_angle p = row_angle_of(i, P);
    real w[3];
    memset(w, 0, sizeof w);
    add_cross3(w, p.X / p.rho2, p.ya, p.b);
    add_cross3(w, -p.Y / p.rho2, p.xa, p.b);
    memset(g, 0, 12 * sizeof(real));
    copy3(g + 3, w);
    scale3(g + 9, REAL(-1.0), w);
}

/* dg = (X H_Y - Y H_X)/rho^2 + (g_Y g_X^T - g_X g_Y^T)/rho^2 - 2 g (X g_X + Y g_Y)^T/rho^2; all gradients are
 * (w, -w) on the rotations of A and B */
static inline void row_angle_hessian(mb_hessian *H, real la, int axis, const mb_pairing *P)
{
    const row_angle p = row_angle_of(axis, P);
    const real s = la / p.rho2;
    row_dot_hessian(H, s * p.X, p.ya, p.b);
    row_dot_hessian(H, -s * p.Y, p.xa, p.b);
    real gx[3], gy[3], g[3], h[3];
    memset(g, 0, sizeof g);
    memset(h, 0, sizeof h);
    cross3(gx, p.xa, p.b);
    cross3(gy, p.ya, p.b);
    axpy3(g, p.X / p.rho2, gy);
    axpy3(g, -p.Y / p.rho2, gx);
    axpy3(h, p.X, gx);
    axpy3(h, p.Y, gy);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const real sign = i == j ? s : -s;
            real *block = H->H[i][1][j][1];
            add_outer(block, sign, gy, gx);
            add_outer(block, -sign, gx, gy);
            add_outer(block, -2.0 * sign, g, h);
        }
    }
}

/* ---- screw: a . d - c angle ----------------------------------------------------------------------- */

static inline void row_screw_gradient(real g[12], int i, real c, const mb_pairing *P)
{
    real ga[12];
    row_axis_gradient(g, P->side[0].E + 3 * i, P->d);
    row_angle_gradient(ga, i, P);
    for (int k = 0; k < 12; ++k) {
        g[k] -= c * ga[k];
    }
}

static inline void row_screw_hessian(mb_hessian *H, real la, int i, real c, const mb_pairing *P)
{
    row_axis_hessian(H, la, 0, P->side[0].E + 3 * i, P->d);
    row_angle_hessian(H, -la * c, i, P);
}

/* ---- angular velocity about axis a of A: no coordinate, only its rate --------------------------- */

static inline void row_spin_gradient(real g[12], const real a[3])
{
    memset(g, 0, 12 * sizeof(real));
    scale3(g + 3, REAL(-1.0), a);
    copy3(g + 9, a);
}

/* de = phi_A x e */
static inline void row_spin_hessian(mb_hessian *H, real la, const real a[3])
{
    add_tilde(H->H[0][1][0][1], la, a);
    add_tilde(H->H[1][1][0][1], -la, a);
}

/* ---- all rows --------------------------------------------------------------------------------- */

/* V^T H: the rate of the gradient, from the Hessian of the row alone */
static inline void row_contract(real z[12], const mb_hessian *H, const mb_pairing *P)
{
    real V[12];
    mb_pairing_velocity(V, P);
    memset(z, 0, 12 * sizeof(real));
    for (int k = 0; k < 16; ++k) {
        const int i = k / 8, a = k / 4 % 2, j = k / 2 % 2, b = k % 2;
        add_tmul3(z + 6 * j + 3 * b, H->H[i][a][j][b], V + 6 * i + 3 * a);
    }
}

/* g . v */
static inline real row_rate(const real g[12], const mb_pairing *P)
{
    real V[12], sum = REAL(0.0);
    mb_pairing_velocity(V, P);
    for (int k = 0; k < 12; ++k) {
        sum += g[k] * V[k];
    }
    return sum;
}

#endif
