/* Rigid bodies in rotation vectors: R = exp(psi~), Omega = T(psi) psi' (MB.21). T is singular where |psi| = 2 pi. */
#include <math.h>

#include "mbs/compile_impl.h"
#include "mbs/vector_kernel.h"

static void vector_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double T[9], Ti[9];
    (void)b;
    copy3(q, d->position);
    copy3(v, d->velocity);
    dal_quat_to_vector(q + 3, d->rotation);
    const vector_series t = vector_series_of(dot3(q + 3, q + 3));
    for (int k = 0; k < 3; ++k) {
        vector_T(T + 3 * k, &t, q + 3, (const double[3]){k == 0, k == 1, k == 2}, 1.0);
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
    (void)b;
    body_vector(s, q, v, vd);
}

static void vector_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    memset(L->S, 0, (size_t)(6 * b->nv) * sizeof(double));
    if (all) {
        mb_lift_clear(L, b->nv);
        lift_vector(L->S, L->V, L->Aq, L->Av, q, v, vd);
    } else {
        lift_vector_S(L->S, q);
    }
}

static void vector_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    curvature_vector(N, q, f);
}

/* 1 away from |psi| = 2 pi, 0 there */
static double vector_regular(const mb_body *b, const double *q)
{
    (void)b;
    return fmin(1.0, fabs(6.283185307179586 - sqrt(dot3(q + 3, q + 3))));
}

const mb_body_type mb_body_vector = {
    .name = "rotation_vector",
    .chart = MB_CHART_VECTOR,
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
