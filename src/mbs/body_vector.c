/* Rigid bodies in rotation vectors: R = exp(psi~), Omega = T(psi) psi' (MB.21). T is singular where |psi| = 2 pi. */
#include <math.h>

#include "mbs/compile_impl.h"

/* a = (1 - cos s)/s^2 and b = (s - sin s)/s^3 as functions of x = s^2, with two derivatives. Their series converge
 * everywhere; up to 2 pi they lose a digit. */
typedef struct series {
    double a[3], b[3];
} series;

static series series_of(double x)
{
    enum { TERMS = 20 };
    series t = {{0.0}, {0.0}};
    double ca = 1.0 / 1.4050061177528799e51, cb = ca / 43.0; // 1/42!, 1/43!
    for (int k = TERMS; k >= 0; --k) {
        t.a[2] = t.a[2] * x + t.a[1], t.a[1] = t.a[1] * x + t.a[0], t.a[0] = t.a[0] * x + ca;
        t.b[2] = t.b[2] * x + t.b[1], t.b[1] = t.b[1] * x + t.b[0], t.b[0] = t.b[0] * x + cb;
        ca *= -(2 * k + 1) * (2 * k + 2);
        cb *= -(2 * k + 2) * (2 * k + 3);
    }
    t.a[2] *= 2.0, t.b[2] *= 2.0;
    return t;
}

/* y = T w = w - a psi x w + b (psi (psi.w) - x w); sign -1: T(-psi) = T^T */
static void apply_T(double y[3], const series *t, const double *psi, const double *w, double sign)
{
    const double x = dot3(psi, psi), p = dot3(psi, w);
    double u[3];
    cross3(u, psi, w);
    for (int i = 0; i < 3; ++i) {
        y[i] = w[i] - sign * t->a[0] * u[i] + t->b[0] * (psi[i] * p - x * w[i]);
    }
}

/* y += the change of T w with psi along d */
static void add_dT(double y[3], const series *t, const double *psi, const double *w, const double *d, double sign)
{
    const double x = dot3(psi, psi), p = dot3(psi, w), along = dot3(psi, d), dp = dot3(d, w);
    double u[3], du[3];
    cross3(u, psi, w);
    cross3(du, d, w);
    for (int i = 0; i < 3; ++i) {
        y[i] += -sign * (t->a[0] * du[i] + 2.0 * t->a[1] * along * u[i]) +
                t->b[0] * (d[i] * p + psi[i] * dp - 2.0 * along * w[i]) +
                2.0 * t->b[1] * along * (psi[i] * p - x * w[i]);
    }
}

/* Columns of dc/dpsi (q) and dc/dw (v) for c = T' w = -2 a' p u + b (psi w^2 - p w) + 2 b' p (p psi - x w), p = psi.w,
 * u = psi x w; primes of a and b are with respect to x */
static void curve_columns(double q[3], double v[3], const series *t, const double *psi, const double *w, int k)
{
    const double d[3] = {k == 0, k == 1, k == 2}, x = dot3(psi, psi), p = dot3(psi, w), ww = dot3(w, w);
    const double *a = t->a, *b = t->b, dx = 2.0 * psi[k];
    double u[3], du[3], dv[3];
    cross3(u, psi, w);
    cross3(du, d, w);
    cross3(dv, psi, d);
    for (int i = 0; i < 3; ++i) {
        const double flat = p * psi[i] - x * w[i];
        q[i] = -2.0 * (a[1] * (w[k] * u[i] + p * du[i]) + a[2] * dx * p * u[i]) + b[0] * (d[i] * ww - w[k] * w[i]) +
               b[1] * dx * (psi[i] * ww - p * w[i]) +
               2.0 * b[1] * (w[k] * flat + p * (w[k] * psi[i] + p * d[i] - dx * w[i])) + 2.0 * b[2] * dx * p * flat;
        v[i] = -2.0 * a[1] * (psi[k] * u[i] + p * dv[i]) + b[0] * (2.0 * psi[i] * w[k] - psi[k] * w[i] - p * d[i]) +
               2.0 * b[1] * (psi[k] * flat + p * (psi[k] * psi[i] - x * d[i]));
    }
}

static void vector_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double T[9], Ti[9];
    (void)b;
    copy3(q, d->position);
    copy3(v, d->velocity);
    dal_quat_to_vector(q + 3, d->rotation);
    const series t = series_of(dot3(q + 3, q + 3));
    for (int k = 0; k < 3; ++k) {
        apply_T(T + 3 * k, &t, q + 3, (const double[3]){k == 0, k == 1, k == 2}, 1.0);
    }
    mat3_invert(Ti, 3, T, 3);
    mat3_mul_vec(v + 3, Ti, 3, d->angular_velocity);
}

static void vector_quaternion(double p[4], const mb_body *b, const double *q)
{
    (void)b;
    dal_quat_from_vector(p, q + 3);
}

static void vector_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    const double *psi = q + 3, *w = v + 3;
    const series t = series_of(dot3(psi, psi));
    double p[4];
    vector_quaternion(p, b, q);
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    dal_quat_to_matrix(s->R, p);
    apply_T(s->Om, &t, psi, w, 1.0);
    apply_T(s->Omd, &t, psi, vd + 3, 1.0);
    add_dT(s->Omd, &t, psi, w, w, 1.0);
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

static void vector_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    const series t = series_of(dot3(q + 3, q + 3));
    memset(L->S, 0, (size_t)(6 * b->nv) * sizeof(double));
    L->S[0] = L->S[7] = L->S[14] = 1.0;
    if (all) {
        mb_lift_clear(L, b->nv);
    }
    for (int k = 0; k < 3; ++k) {
        const double d[3] = {k == 0, k == 1, k == 2};
        const int at = 3 + (3 + k) * 6; // rows of the rotation, column k
        apply_T(L->S + at, &t, q + 3, d, 1.0);
        if (all) {
            curve_columns(L->Aq + at, L->Av + at, &t, q + 3, v + 3, k);
            add_dT(L->V + at, &t, q + 3, v + 3, d, 1.0);
            add_dT(L->Aq + at, &t, q + 3, vd + 3, d, 1.0);
        }
    }
}

/* d(T^T f)/dpsi */
static void vector_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    const series t = series_of(dot3(q + 3, q + 3));
    (void)b;
    memset(N, 0, 36 * sizeof *N);
    for (int k = 0; k < 3; ++k) {
        add_dT(N + 3 + (3 + k) * 6, &t, q + 3, f + 3, (const double[3]){k == 0, k == 1, k == 2}, -1.0);
    }
}

/* 1 away from |psi| = 2 pi, 0 there */
static double vector_regular(const mb_body *b, const double *q)
{
    (void)b;
    return fmin(1.0, fabs(6.283185307179586 - sqrt(dot3(q + 3, q + 3))));
}

const mb_body_type mb_body_vector = {
    .name = "rotation_vector",
    .chart = MB_CHART_OTHER,
    .about = MB_ABOUT_RIGID("The rotation vector of textbooks, for comparisons: less than one turn from where R = I."),
    .element = &mb_element_lifted,
    .kind = DAL_FACTOR_RN,
    .n = 6,
    .nq = 6,
    .nv = 6,
    .rotates = 1,
    .velocity = {"x", "y", "z", "psi1", "psi2", "psi3"},
    .initial = vector_initial,
    .state = vector_state,
    .lift = vector_lift,
    .curvature = vector_curvature,
    .regular = vector_regular,
    .quaternion = vector_quaternion};
