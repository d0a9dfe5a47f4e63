/* Rotation vectors: R = exp(psi~), Omega = T(psi) psi' (MB.21). */
#ifndef DAL_MBS_VECTOR_KERNEL_H
#define DAL_MBS_VECTOR_KERNEL_H

#include "mbs/body_kernel.h"

/* a = (1 - cos s)/s^2 and b = (s - sin s)/s^3 as functions of x = s^2, with two derivatives. Their series converge
 * everywhere; up to 2 pi they lose a digit. */
typedef struct vector_series {
    real a[3], b[3];
} vector_series;

static inline vector_series vector_series_of(real x)
{
    vector_series t;
    double ca = 1.0 / 1.4050061177528799e51, cb = ca / 43.0; // 1/42!, 1/43!
    memset(&t, 0, sizeof t);
    for (int k = 20; k >= 0; --k) {
        t.a[2] = t.a[2] * x + t.a[1], t.a[1] = t.a[1] * x + t.a[0], t.a[0] = t.a[0] * x + ca;
        t.b[2] = t.b[2] * x + t.b[1], t.b[1] = t.b[1] * x + t.b[0], t.b[0] = t.b[0] * x + cb;
        ca *= -(2 * k + 1) * (2 * k + 2);
        cb *= -(2 * k + 2) * (2 * k + 3);
    }
    t.a[2] *= 2.0, t.b[2] *= 2.0;
    return t;
}

/* y = T w = w - a psi x w + b (psi (psi.w) - x w); sign -1: T(-psi) = T^T */
static inline void vector_T(real y[3], const vector_series *t, const real *psi, const real *w, double sign)
{
    const real x = dot3(psi, psi), p = dot3(psi, w);
    real u[3];
    cross3(u, psi, w);
    for (int i = 0; i < 3; ++i) {
        y[i] = w[i] - sign * t->a[0] * u[i] + t->b[0] * (psi[i] * p - x * w[i]);
    }
}

/* y += the change of T w with psi along d */
static inline void vector_add_dT(real y[3], const vector_series *t, const real *psi, const real *w, const real *d,
                                 double sign)
{
    const real x = dot3(psi, psi), p = dot3(psi, w), along = dot3(psi, d), dp = dot3(d, w);
    real u[3], du[3];
    cross3(u, psi, w);
    cross3(du, d, w);
    for (int i = 0; i < 3; ++i) {
        y[i] += -sign * (t->a[0] * du[i] + 2.0 * t->a[1] * along * u[i]) +
                t->b[0] * (d[i] * p + psi[i] * dp - 2.0 * along * w[i]) +
                2.0 * t->b[1] * along * (psi[i] * p - x * w[i]);
    }
}

static inline void vector_unit(real d[3], int k)
{
    for (int i = 0; i < 3; ++i) {
        d[i] = REAL(i == k);
    }
}

/* Columns of dc/dpsi (q) and dc/dw (v) for c = T' w = -2 a' p u + b (psi w^2 - p w) + 2 b' p (p psi - x w), p = psi.w,
 * u = psi x w; primes of a and b are with respect to x */
static inline void vector_curve(real q[3], real v[3], const vector_series *t, const real *psi, const real *w, int k)
{
    const real x = dot3(psi, psi), p = dot3(psi, w), ww = dot3(w, w);
    const real *a = t->a, *b = t->b, dx = 2.0 * psi[k];
    real u[3], du[3], dv[3], d[3];
    vector_unit(d, k);
    cross3(u, psi, w);
    cross3(du, d, w);
    cross3(dv, psi, d);
    for (int i = 0; i < 3; ++i) {
        const real flat = p * psi[i] - x * w[i];
        q[i] = -2.0 * (a[1] * (w[k] * u[i] + p * du[i]) + a[2] * dx * p * u[i]) + b[0] * (d[i] * ww - w[k] * w[i]) +
               b[1] * dx * (psi[i] * ww - p * w[i]) +
               2.0 * b[1] * (w[k] * flat + p * (w[k] * psi[i] + p * d[i] - dx * w[i])) + 2.0 * b[2] * dx * p * flat;
        v[i] = -2.0 * a[1] * (psi[k] * u[i] + p * dv[i]) + b[0] * (2.0 * psi[i] * w[k] - psi[k] * w[i] - p * d[i]) +
               2.0 * b[1] * (psi[k] * flat + p * (psi[k] * psi[i] - x * d[i]));
    }
}

static inline void body_vector(mb_state *s, const real *q, const real *v, const real *vd)
{
    const real *psi = q + 3, *w = v + 3, x = dot3(psi, psi), half = 0.5 * real_sqrt(x);
    const vector_series t = vector_series_of(x);
    // sin(s/2)/s
    const real_mask tiny = real_less(half, REAL(1e-8));
    const real f = real_select(tiny, REAL(0.5), 0.5 * real_sin(half) / real_select(tiny, REAL(1.0), half));
    const real p[4] = {real_cos(half), f * psi[0], f * psi[1], f * psi[2]};
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    quat_matrix(s->R, p);
    vector_T(s->Om, &t, psi, w, 1.0);
    vector_T(s->Omd, &t, psi, vd + 3, 1.0);
    vector_add_dT(s->Omd, &t, psi, w, w, 1.0);
    body_world_rotation(s);
}

static inline void lift_vector_S(real *S, const real *q)
{
    const vector_series t = vector_series_of(dot3(q + 3, q + 3));
    real d[3];
    body_unit_translation(S);
    for (int k = 0; k < 3; ++k) {
        vector_unit(d, k);
        vector_T(S + 3 + (3 + k) * 6, &t, q + 3, d, 1.0); // rows of the rotation, column k
    }
}

static inline void lift_vector(real *S, real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    const vector_series t = vector_series_of(dot3(q + 3, q + 3));
    real d[3];
    lift_vector_S(S, q);
    for (int k = 0; k < 3; ++k) {
        const int at = 3 + (3 + k) * 6;
        vector_unit(d, k);
        vector_curve(Aq + at, Av + at, &t, q + 3, v + 3, k);
        vector_add_dT(V + at, &t, q + 3, v + 3, d, 1.0);
        vector_add_dT(Aq + at, &t, q + 3, vd + 3, d, 1.0);
    }
}

/* d(T^T f)/dpsi */
static inline void curvature_vector(real *N, const real *q, const real f[6])
{
    const vector_series t = vector_series_of(dot3(q + 3, q + 3));
    real d[3];
    memset(N, 0, 36 * sizeof *N);
    for (int k = 0; k < 3; ++k) {
        vector_unit(d, k);
        vector_add_dT(N + 3 + (3 + k) * 6, &t, q + 3, f + 3, d, -1.0);
    }
}

#endif
