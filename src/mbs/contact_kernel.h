/* Rows of contacts: gaps that are positive while open, and sliding velocities. Derivatives as in row_kernel.h. */
#ifndef DAL_MBS_CONTACT_KERNEL_H
#define DAL_MBS_CONTACT_KERNEL_H

#include "mbs/row_kernel.h"

/* A gap to a limit from above (upper = 0: coordinate - c) or below (1: c - coordinate). */
static inline double gap_to(int upper, double coordinate, double c)
{
    return upper ? c - coordinate : coordinate - c;
}

static inline double gap_sign(int upper)
{
    return upper ? -1.0 : 1.0;
}

static inline void gap_turn(double g[12], int upper)
{
    for (int k = 0; k < 12 && upper; ++k) {
        g[k] = -g[k];
    }
}

static inline void gap_axis_gradient(double g[12], int upper, const double a[3], const double d[3])
{
    row_axis_gradient(g, a, d);
    gap_turn(g, upper);
}

static inline void gap_length_gradient(double g[12], int upper, const double d[3])
{
    row_length_gradient(g, d);
    gap_turn(g, upper);
}

static inline void gap_angle_gradient(double g[12], int upper, int i, const mb_pairing *P)
{
    row_angle_gradient(g, i, P);
    gap_turn(g, upper);
}

/* Sliding of two spheres, or of one in a hollow one: n = d/|d|, t_0 = z_A x n/|.|, t_1 = n x t_0; the point of contact is
 * p_A + r_A n = p_B + r_B n. On p_A, phi_A, p_B, phi_B: -t, -r_A n x t, t, r_B n x t. */
typedef struct gap_frame {
    double n[3], t0[3], t[3], length, sine;
} gap_frame;

static inline gap_frame gap_frame_of(int i, const mb_pairing *P)
{
    gap_frame f;
    double w[3];
    f.length = sqrt(dot3(P->d, P->d));
    scale3(f.n, 1.0 / f.length, P->d);
    cross3(w, P->side[0].E + 6, f.n);
    f.sine = sqrt(dot3(w, w));
    scale3(f.t0, 1.0 / f.sine, w);
    if (i == 0) {
        copy3(f.t, f.t0);
    } else {
        cross3(f.t, f.n, f.t0);
    }
    return f;
}

static inline void gap_slide_gradient(double g[12], int i, double r_a, double r_b, const mb_pairing *P)
{
    const gap_frame f = gap_frame_of(i, P);
    double nt[3];
    cross3(nt, f.n, f.t);
    scale3(g, -1.0, f.t);
    scale3(g + 3, -r_a, nt);
    copy3(g + 6, f.t);
    scale3(g + 9, r_b, nt);
}

/* x' - y (y . x') for a unit vector y = x/|x| */
static inline void gap_normal_part(double y[3], const double unit[3], const double x[3], double length)
{
    const double along = dot3(unit, x);
    for (int k = 0; k < 3; ++k) {
        y[k] = (x[k] - along * unit[k]) / length;
    }
}

/* The change of the gradient with the motion x (12). */
static inline void gap_slide_along(double dg[12], int i, double r_a, double r_b, const mb_pairing *P,
                                   const double x[12])
{
    const gap_frame f = gap_frame_of(i, P);
    const double *a = P->side[0].E + 6;
    double dd[3], dn[3], da[3], w[3], dt[3], nt[3] = {0.0, 0.0, 0.0};
    sub3(dd, x + 6, x);
    gap_normal_part(dn, f.n, dd, f.length);
    cross3(da, x + 3, a);
    cross3(w, da, f.n);
    add_cross3(w, 1.0, a, dn);
    gap_normal_part(dt, f.t0, w, f.sine);
    if (i == 1) {
        cross3(w, dn, f.t0);
        add_cross3(w, 1.0, f.n, dt);
        copy3(dt, w);
    }
    add_cross3(nt, 1.0, dn, f.t);
    add_cross3(nt, 1.0, f.n, dt);
    scale3(dg, -1.0, dt);
    scale3(dg + 3, -r_a, nt);
    copy3(dg + 6, dt);
    scale3(dg + 9, r_b, nt);
}

static inline void gap_slide_hessian(mb_hessian *H, double la, int i, double r_a, double r_b, const mb_pairing *P)
{
    for (int j = 0; j < 12; ++j) {
        double x[12] = {0.0}, dg[12];
        x[j] = 1.0;
        gap_slide_along(dg, i, r_a, r_b, P, x);
        for (int k = 0; k < 12; ++k) {
            H->H[k / 6][k / 3 % 2][j / 6][j / 3 % 2][k % 3 + 3 * (j % 3)] += la * dg[k];
        }
    }
}

#endif
