/* Rows of contacts: gaps that are positive while open, and sliding velocities. Derivatives as in row_kernel.h. */
#ifndef DAL_MBS_TOUCH_KERNEL_H
#define DAL_MBS_TOUCH_KERNEL_H

#include "mbs/row_kernel.h"

/* A gap to a limit from above (upper = 0: coordinate - c) or below (1: c - coordinate). */
static inline real gap_to(int upper, real coordinate, real c)
{
    return upper ? c - coordinate : coordinate - c;
}

static inline real gap_sign(int upper)
{
    return REAL(upper ? -1.0 : 1.0);
}

static inline void gap_turn(real g[12], int upper)
{
    for (int k = 0; k < 12 && upper; ++k) {
        g[k] = -g[k];
    }
}

static inline void gap_axis_gradient(real g[12], int upper, const real a[3], const real d[3])
{
    row_axis_gradient(g, a, d);
    gap_turn(g, upper);
}

static inline void gap_length_gradient(real g[12], int upper, const real d[3])
{
    row_length_gradient(g, d);
    gap_turn(g, upper);
}

static inline void gap_angle_gradient(real g[12], int upper, int i, const mb_pairing *P)
{
    row_angle_gradient(g, i, P);
    gap_turn(g, upper);
}

/* ---- two features that meet --------------------------------------------------------------------- */

/* The primitives (CT.7a)-(CT.7h), between a feature of one side (its z axis a, radius c) and one of the other (b, c2); d leads from the first
 * to the second. NONE: nothing to meet, the gap is c. */
enum {
    TOUCH_PLANE_POINT, /* a the normal */
    TOUCH_POINT_POINT,
    TOUCH_LINE_POINT,
    TOUCH_LINE_LINE,
    TOUCH_RIM_POINT, /* circle about a with radius c */
    TOUCH_PLANE_RIM, /* circle about b with radius c2 */
    TOUCH_NONE,
    TOUCH_CURVE_POINT, /* in the axes x, y of the first */
    TOUCH_PLANE_CURVE, /* of the second */
    TOUCH_KINDS = 16,
    TOUCH_SWAP = 16,  /* the first feature is that of B */
    TOUCH_MINUS = 32, /* LINE_LINE: n = -a x b/|.|; POINT_POINT: hollow, n = -d/|d| and c < 0 */
    TOUCH_TURN = 64,  /* times which axis w of frame A: the first tangent is w x n/|.|, the second n x that */
    TOUCH_ANY = 3,    /* such an axis: the one that is farthest from n now */
    TOUCH_PART = 256  /* PLANE_RIM: times the eighth of the circle, in axes x, y of the rim, towards which a leans */
};

/* Gap, normal from the first to the second, arms from the origins of their frames to the points of contact; and what their
 * derivatives need. A row along a vector y, which may be n, has the gradient -y, -arm_A x y, y, arm_B x y. */
typedef struct touch {
    int kind, swap;
    real c, c2;
    const real *a, *b;
    real d[3], phi, n[3], arm[2][3];
    real s, t, length, sine, sign, u[3], as[3], bs[3];
} touch;

/* y -> (y - x (x . y))/length, x a unit vector */
static inline void touch_across(real y[3], const real x[3], real length)
{
    const real along = dot3(x, y);
    for (int k = 0; k < 3; ++k) {
        y[k] = (y[k] - along * x[k]) / length;
    }
}

static inline real touch_normalise(real y[3], const real x[3])
{
    const real length = real_sqrt(dot3(x, x));
    scale3(y, 1.0 / length, x);
    return length;
}

/* The foot of d on the line, and the direction from there: s, length, u. */
static inline void touch_foot(touch *K)
{
    real e[3];
    K->s = dot3(K->a, K->d);
    copy3(e, K->d);
    axpy3(e, -K->s, K->a);
    K->length = touch_normalise(K->u, e);
}

static inline void touch_lines(touch *K)
{
    const real c = dot3(K->a, K->b), k = 1.0 - c * c;
    real x[3];
    cross3(x, K->a, K->b);
    touch_normalise(K->n, x);
    scale3(K->n, K->sign, K->n);
    for (int i = 0; i < 3; ++i) {
        K->as[i] = (K->a[i] - c * K->b[i]) / k;
        K->bs[i] = (K->b[i] - c * K->a[i]) / k;
    }
    K->s = dot3(K->as, K->d);
    K->t = -dot3(K->bs, K->d);
    K->length = dot3(K->n, K->d);
    K->phi = K->length - K->c - K->c2;
    axpy3(K->arm[0], K->s, K->a);
    axpy3(K->arm[1], K->t, K->b);
}

/* Below this sine a rim may pass the normal within a step; above it only rolls. */
#define TOUCH_WOBBLES 0.5

/* x, y: axes of the rim. Where a leans to the other side, past the normal, the sine is negative. */
static inline void touch_rim(touch *K, const real x[3], const real y[3], int part)
{
    // lowest point rho of the circle: -R (a - c b)/sqrt(1 - c^2)
    const real c = dot3(K->a, K->b), to = REAL(part * 0.125 * MB_TURN);
    real ab[3];
    cross3(ab, K->a, K->b);
    const real sine = real_max(real_sqrt(dot3(ab, ab)), REAL(1e-12));
    const real none = real_select(real_less(sine, REAL(TOUCH_WOBBLES)), REAL(0.0), REAL(-2.0));
    const real_mask other = real_less(dot3(K->a, x) * real_cos(to) + dot3(K->a, y) * real_sin(to), none);
    K->s = c;
    K->sine = real_select(other, REAL(-1.0), REAL(1.0)) * sine;
    axpy3(K->arm[1], -K->c2 / K->sine, K->a);
    axpy3(K->arm[1], K->c2 * c / K->sine, K->b);
    add3(K->arm[0], K->d, K->arm[1]);
    copy3(K->n, K->a);
    K->phi = dot3(K->a, K->arm[0]);
    axpy3(K->arm[0], -K->phi, K->a);
}

/* Of a curve: the frames alone, the rest is in contact_kernel.h. */
static inline touch touch_of(int code, real c, real c2, const mb_pairing *P)
{
    const int swap = (code & TOUCH_SWAP) != 0;
    touch K;
    memset(&K, 0, sizeof K);
    K.kind = code % TOUCH_KINDS;
    K.swap = swap;
    K.c = c;
    K.c2 = c2;
    K.sign = REAL(code & TOUCH_MINUS ? -1.0 : 1.0);
    K.a = P->side[swap].E + 6;
    K.b = P->side[1 - swap].E + 6;
    scale3(K.d, REAL(swap ? -1.0 : 1.0), P->d);
    switch (K.kind) {
    case TOUCH_PLANE_POINT:
        copy3(K.n, K.a);
        K.s = dot3(K.n, K.d);
        K.phi = K.s - c - c2;
        copy3(K.arm[0], K.d);
        axpy3(K.arm[0], -K.s, K.n);
        break;
    case TOUCH_POINT_POINT:
        K.length = touch_normalise(K.n, K.d);
        scale3(K.n, K.sign, K.n);
        K.phi = K.sign * K.length - c - c2;
        axpy3(K.arm[0], c, K.n);
        break;
    case TOUCH_LINE_POINT:
        touch_foot(&K);
        copy3(K.n, K.u);
        K.phi = K.length - c - c2;
        axpy3(K.arm[0], K.s, K.a);
        axpy3(K.arm[0], c, K.n);
        break;
    case TOUCH_LINE_LINE:
        touch_lines(&K);
        axpy3(K.arm[0], c, K.n);
        break;
    case TOUCH_RIM_POINT:
        touch_foot(&K);
        copy3(K.n, K.d);
        axpy3(K.n, -c, K.u);
        K.sine = touch_normalise(K.n, K.n);
        K.phi = K.sine - c2;
        axpy3(K.arm[0], c, K.u);
        break;
    case TOUCH_PLANE_RIM:
        touch_rim(&K, P->side[1 - swap].E, P->side[1 - swap].E + 3, code / TOUCH_PART);
        return K;
    default:
        K.phi = c;
        return K;
    }
    axpy3(K.arm[1], -c2, K.n);
    return K;
}

/* Changes of n and of the arms. */
typedef struct touch_change {
    real n[3], arm[2][3];
} touch_change;

static inline void touch_foot_along(real *ds, real du[3], const touch *K, const real da[3], const real dd[3])
{
    *ds = dot3(K->a, dd) + dot3(da, K->d);
    copy3(du, dd);
    axpy3(du, -*ds, K->a);
    axpy3(du, -K->s, da);
    touch_across(du, K->u, K->length);
}

static inline void touch_lines_along(touch_change *D, const touch *K, const real da[3], const real db[3],
                                     const real dd[3])
{
    real w[3];
    axpy3(D->n, -dot3(K->n, da), K->as);
    axpy3(D->n, -dot3(K->n, db), K->bs);
    copy3(w, dd);
    axpy3(w, -K->s, da);
    axpy3(w, K->t, db);
    axpy3(w, -K->length, D->n);
    axpy3(D->arm[0], dot3(K->as, w), K->a);
    axpy3(D->arm[0], K->s, da);
    axpy3(D->arm[1], -dot3(K->bs, w), K->b);
    axpy3(D->arm[1], K->t, db);
}

static inline void touch_rim_along(touch_change *D, const touch *K, const real da[3], const real db[3],
                                   const real dd[3])
{
    const real c = K->s, S = K->sine, dc = dot3(K->b, da) + dot3(K->a, db);
    real *rho = D->arm[1];
    for (int k = 0; k < 3; ++k) {
        rho[k] = -K->c2 * ((da[k] - K->b[k] * dc - c * db[k]) / S + (K->a[k] - c * K->b[k]) * c * dc / (S * S * S));
    }
    copy3(D->n, da);
    add3(D->arm[0], dd, rho);
    // of d + rho - phi a
    const real dphi = dot3(da, K->d) + dot3(da, K->arm[1]) + dot3(K->a, D->arm[0]);
    axpy3(D->arm[0], -dphi, K->a);
    axpy3(D->arm[0], -K->phi, da);
}

/* turn0, turn1: rotations of the first and of the second. */
static inline void touch_curve_along(touch_change *D, const touch *K, const real turn0[3], const real dd[3])
{
    real y[3]; // change of d in the axes of the curve
    copy3(y, dd);
    add_cross3(y, REAL(-1.0), turn0, K->d);
    const real along = dot3(K->u, y);
    cross3(D->n, turn0, K->n);
    axpy3(D->n, along * K->s, K->u);
    cross3(D->arm[0], turn0, K->arm[0]);
    axpy3(D->arm[0], along * K->t, K->u);
    axpy3(D->arm[0], dot3(K->a, y), K->a);
}

static inline void touch_curve_on_plane_along(touch_change *D, const touch *K, const real da[3], const real turn1[3],
                                              const real dd[3])
{
    real y[3]; // change of the normal in the axes of the curve
    copy3(y, da);
    add_cross3(y, REAL(-1.0), turn1, K->a);
    copy3(D->n, da);
    cross3(D->arm[1], turn1, K->arm[1]);
    axpy3(D->arm[1], dot3(K->u, y) * K->s, K->u);
    add3(D->arm[0], dd, D->arm[1]);
    const real dphi = dot3(da, K->d) + dot3(da, K->arm[1]) + dot3(K->a, D->arm[0]);
    axpy3(D->arm[0], -dphi, K->a);
    axpy3(D->arm[0], -K->phi, da);
}

/* Along the motion x (12), in the order of the sides. */
static inline touch_change touch_along(const touch *K, const real x[12])
{
    touch_change D;
    const real *x0 = x + (K->swap ? 6 : 0), *x1 = x + (K->swap ? 0 : 6);
    real da[3], db[3], dd[3], du[3], ds;
    memset(&D, 0, sizeof D);
    cross3(da, x0 + 3, K->a);
    cross3(db, x1 + 3, K->b);
    sub3(dd, x1, x0);
    switch (K->kind) {
    case TOUCH_PLANE_POINT:
        copy3(D.n, da);
        copy3(D.arm[0], dd);
        axpy3(D.arm[0], -dot3(da, K->d) - dot3(K->n, dd), K->n);
        axpy3(D.arm[0], -K->s, da);
        break;
    case TOUCH_POINT_POINT:
        copy3(D.n, dd);
        touch_across(D.n, K->n, K->sign * K->length);
        axpy3(D.arm[0], K->c, D.n);
        break;
    case TOUCH_LINE_POINT:
        touch_foot_along(&ds, D.n, K, da, dd);
        axpy3(D.arm[0], ds, K->a);
        axpy3(D.arm[0], K->s, da);
        axpy3(D.arm[0], K->c, D.n);
        break;
    case TOUCH_LINE_LINE:
        touch_lines_along(&D, K, da, db, dd);
        axpy3(D.arm[0], K->c, D.n);
        break;
    case TOUCH_RIM_POINT:
        touch_foot_along(&ds, du, K, da, dd);
        copy3(D.n, dd);
        axpy3(D.n, -K->c, du);
        touch_across(D.n, K->n, K->sine);
        axpy3(D.arm[0], K->c, du);
        break;
    case TOUCH_PLANE_RIM:
        touch_rim_along(&D, K, da, db, dd);
        return D;
    case TOUCH_CURVE_POINT:
        touch_curve_along(&D, K, x0 + 3, dd);
        break;
    case TOUCH_PLANE_CURVE:
        touch_curve_on_plane_along(&D, K, da, x1 + 3, dd);
        return D;
    default:
        return D;
    }
    axpy3(D.arm[1], -K->c2, D.n);
    return D;
}

/* ---- rows along the normal and the tangents ------------------------------------------------------ */

/* The axis w of frame A for the tangents; TOUCH_ANY: the one that is farthest from the normal. */
static inline void touch_axis(real w[3], int code, const real n[3], const mb_pairing *P)
{
    const real *E = P->side[0].E;
    const int k = code / TOUCH_TURN % 4;
    copy3(w, E + 3 * (k % 3));
    real least = k == TOUCH_ANY ? real_abs(dot3(w, n)) : REAL(0.0);
    for (int j = 1; k == TOUCH_ANY && j < 3; ++j) {
        const real along = real_abs(dot3(E + 3 * j, n));
        const real_mask better = real_less(along, least);
        for (int i = 0; i < 3; ++i) {
            w[i] = real_select(better, E[3 * j + i], w[i]);
        }
        least = real_min(along, least);
    }
}

/* The vector of a row, i = 0, 1: tangents, 2: the normal, in the order of the sides; dy, may be NULL: its change with that of n, D. */
static inline void touch_vector(real y[3], real *dy, int code, int i, const touch *K, const mb_pairing *P,
                                const touch_change *D, const real *x)
{
    if (i == 2 || K->kind == TOUCH_NONE) {
        copy3(y, K->n);
        if (dy) {
            copy3(dy, D->n);
        }
        return;
    }
    real w[3], t[3], dt[3], dw[3];
    touch_axis(w, code, K->n, P);
    cross3(t, w, K->n);
    const real sine = touch_normalise(t, t);
    if (dy) {
        cross3(dw, x + 3, w);
        cross3(dt, dw, K->n);
        add_cross3(dt, REAL(1.0), w, D->n);
        touch_across(dt, t, sine);
        copy3(dy, dt);
    }
    copy3(y, t);
    if (i == 1) {
        cross3(y, K->n, t);
        if (dy) {
            cross3(dy, D->n, t);
            add_cross3(dy, REAL(1.0), K->n, dt);
        }
    }
}

/* The first two rows are of the first feature: it is pushed against y. */
static inline void touch_gradient_of(real g[12], int code, int i, const touch *K, const mb_pairing *P)
{
    real *first = g + (K->swap ? 6 : 0), *second = g + (K->swap ? 0 : 6), y[3];
    touch_vector(y, NULL, code, i, K, P, NULL, NULL);
    scale3(first, REAL(-1.0), y);
    cross3(first + 3, y, K->arm[0]);
    copy3(second, y);
    cross3(second + 3, K->arm[1], y);
}

static inline void touch_hessian_of(mb_hessian *H, real la, int code, int i, const touch *K, const mb_pairing *P)
{
    for (int j = 0; j < 12; ++j) {
        real x[12], g[12], y[3], dy[3], *first = g + (K->swap ? 6 : 0), *second = g + (K->swap ? 0 : 6);
        memset(x, 0, sizeof x);
        x[j] = REAL(1.0);
        const touch_change D = touch_along(K, x);
        touch_vector(y, dy, code, i, K, P, &D, x);
        scale3(first, REAL(-1.0), dy);
        cross3(first + 3, dy, K->arm[0]);
        add_cross3(first + 3, REAL(1.0), y, D.arm[0]);
        copy3(second, dy);
        cross3(second + 3, K->arm[1], dy);
        add_cross3(second + 3, REAL(1.0), D.arm[1], y);
        for (int k = 0; k < 12; ++k) {
            H->H[k / 6][k / 3 % 2][j / 6][j / 3 % 2][k % 3 + 3 * (j % 3)] += la * g[k];
        }
    }
}

#endif
