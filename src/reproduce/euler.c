/* Euler parameters as in textbooks: Omega = 2 G(p) p' whatever the length of p, which a row of its own keeps at 1. The
 * bodies of type euler_parameters of model files divide by p.p, so that R(p/|p|) turns with Omega for every p; at index 3,
 * where p.p' is not zero, that is another method.
 *
 * The system of the model in R^3 x SO(3) is used as it is: with v_base = L(q) v, L = diag(I, 2 G(p)),
 *
 *     L^T r_base(q, L v, L v', lambda) + (mu - 2 Omega.J Omega) p = 0,   Phi_base = 0,   (p.p - 1)/2 = 0
 *
 * since G(p') p' = 0; what stands beside mu is what Lagrange's equations have there. Changes of L by p: G(p) w = -G(w) p and G(p)^T f = N(f) p. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/lab.h"

enum { BODIES = 3, NVB = 6 * BODIES, NV = 7 * BODIES, NCB = 17 };

typedef struct euler {
    dal_system sys;
    dal_constraint rows;
    dal_pair pair;
    dal_link link;
    dal_group *group;
    const subject *base;
    dal_linearization *lin;
    int n;                /* bodies */
    double J[9 * BODIES]; /* inertia of each body */
    double q0[NV], v0[NV];
} euler;

/* 2 G(p), 3 x 4 */
static void rates(double E[12], const double p[4])
{
    const double G[12] = {-p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0]};
    for (int i = 0; i < 12; ++i) {
        E[i] = 2.0 * G[i];
    }
}

static void to_base(double *qb, const euler *e, const double *q)
{
    for (int b = 0; b < e->n; ++b) {
        const double length = distance(q + 7 * b + 3, NULL, 4);
        for (int i = 0; i < 7; ++i) {
            qb[7 * b + i] = q[7 * b + i] / (i < 3 ? 1.0 : length);
        }
    }
}

/* y_base = L y */
static void lift(double *yb, const euler *e, const double *q, const double *y)
{
    for (int b = 0; b < e->n; ++b) {
        double E[12];
        rates(E, q + 7 * b + 3);
        for (int i = 0; i < 3; ++i) {
            const double *w = y + 7 * b + 3;
            yb[6 * b + i] = y[7 * b + i];
            yb[6 * b + 3 + i] = E[i] * w[0] + E[i + 3] * w[1] + E[i + 6] * w[2] + E[i + 9] * w[3];
        }
    }
}

/* f += L^T f_base, numbers at distances `step` and `step_base`; along = 0: f -= (2 G(w))^T f_base, which is d(L w)/dp */
static void lower(double *f, int step, const euler *e, const double *w, int along, const double *fb, int step_base)
{
    for (int b = 0; b < e->n; ++b) {
        double E[12];
        rates(E, w + 7 * b + 3);
        for (int k = 0; k < 7; ++k) {
            double sum = k < 3 && along ? fb[step_base * (6 * b + k)] : 0.0;
            for (int i = 0; k >= 3 && i < 3; ++i) {
                sum += (along ? 1.0 : -1.0) * E[i + 3 * (k - 3)] * fb[step_base * (6 * b + 3 + i)];
            }
            f[step * (7 * b + k)] += sum;
        }
    }
}

/* y = J Omega of a body; returns Omega.J Omega */
static double spin(double y[3], const euler *e, int b, const double *vb)
{
    const double *J = e->J + 9 * b, *w = vb + 6 * b + 3;
    for (int i = 0; i < 3; ++i) {
        y[i] = J[i] * w[0] + J[i + 3] * w[1] + J[i + 6] * w[2];
    }
    return w[0] * y[0] + w[1] * y[1] + w[2] * y[2];
}

/* The point of the base that belongs to a point here. */
typedef struct image {
    double q[NV], v[NVB], vd[NVB];
} image;

static dal_point image_of(image *im, const euler *e, const dal_point *at)
{
    to_base(im->q, e, at->q);
    lift(im->v, e, at->q, at->v);
    lift(im->vd, e, at->q, at->vd);
    return (dal_point){at->t, im->q, im->v, im->vd, at->la};
}

static dal_status residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    (void)work;
    const euler *e = user;
    image im;
    double r[NVB];
    const int nb = e->base->nc;
    const dal_point base = image_of(&im, e, at);
    const dal_residual wanted = {.r = out->r != NULL ? r : NULL, .Phi = out->Phi, .vel = out->vel, .acc = out->acc};
    DAL_TRY(dal_data_residual(e->base->data, &wanted, &base));
    if (out->r != NULL) {
        memset(out->r, 0, (size_t)(7 * e->n) * sizeof *out->r);
        lower(out->r, 1, e, at->q, 1, r, 1);
    }
    for (int b = 0; b < e->n; ++b) {
        const double *p = at->q + 7 * b + 3, *w = at->v + 7 * b + 3, *a = at->vd + 7 * b + 3;
        double pp = 0.0, pw = 0.0, pa = 0.0, ww = 0.0, y[3];
        const double mu = at->la[nb + b] - 2.0 * spin(y, e, b, im.v);
        for (int i = 0; i < 4; ++i) {
            pp += p[i] * p[i], pw += p[i] * w[i], pa += p[i] * a[i], ww += w[i] * w[i];
            if (out->r != NULL) {
                out->r[7 * b + 3 + i] += mu * p[i];
            }
        }
        double *const level[3] = {out->Phi, out->vel, out->acc};
        const double row[3] = {0.5 * (pp - 1.0), pw, pa + ww};
        for (int i = 0; i < 3; ++i) {
            if (level[i] != NULL) {
                level[i][nb + b] = row[i];
            }
        }
    }
    return DAL_OK;
}

/* A matrix of the base, dense; zeros if it has none */
static void matrix(double *A, const euler *e, unsigned which)
{
    memset(A, 0, (size_t)(NVB * NVB) * sizeof *A);
    add_sparse(A, dal_linearize_matrix(e->lin, which));
}

/* out (rows x nv) += A L, or A d(L w)/dp */
static void times(double *out, int rows, const euler *e, const double *w, int along, const double *A)
{
    for (int i = 0; i < rows; ++i) {
        lower(out + i, rows, e, w, along, A + i, rows);
    }
}

/* out = L^T A, A with the rows of the base */
static void transposed_times(double *out, const euler *e, const double *q, const double *A)
{
    memset(out, 0, (size_t)(49 * e->n * e->n) * sizeof *out);
    for (int j = 0; j < 7 * e->n; ++j) {
        lower(out + (size_t)j * (size_t)(7 * e->n), 1, e, q, 1, A + (size_t)j * (size_t)(6 * e->n), 1);
    }
}

/* K += d(L^T) r and mu; -2 (Omega.J Omega) p changes by Omega = 2 G(p) p': C -= 4 p (J Omega)^T 2 G(p), and K likewise
 * with -G(p'). */
static void add_curvature(double *C, double *K, const euler *e, const dal_point *at, const double *r, const double *vb)
{
    const int nv = 7 * e->n;
    for (int b = 0; b < e->n; ++b) {
        double w[3], E[2][12];
        const double *y = r + 6 * b + 3, *p = at->q + 7 * b + 3;
        const double mu = at->la[e->base->nc + b] - 2.0 * spin(w, e, b, vb);
        const double N[16] = {0.0,   y[0], y[1], y[2],  -y[0], 0.0,   -y[2], y[1],
                              -y[1], y[2], 0.0,  -y[0], -y[2], -y[1], y[0],  0.0};
        rates(E[0], p);
        rates(E[1], at->v + 7 * b + 3);
        for (int i = 0; i < 16; ++i) {
            const int k = i / 4, to = 7 * b + 3 + i % 4 + nv * (7 * b + 3 + k);
            K[to] += 2.0 * N[i] + (i % 5 == 0 ? mu : 0.0);
            for (int m = 0; m < 3; ++m) {
                C[to] -= 4.0 * p[i % 4] * w[m] * E[0][m + 3 * k];
                K[to] += 4.0 * p[i % 4] * w[m] * E[1][m + 3 * k];
            }
        }
    }
}

/* M = L^T M L, C = L^T C L, K = L^T (K L + C dL v + M dL v') + dL^T r */
static dal_status push_pair(dal_sink *sink, const euler *e, const dal_point *at, const dal_point *base)
{
    double A[NVB * NVB], AL[NVB * NV], M[NV * NV], C[NV * NV], K[NV * NV], r[NVB];
    const int nvb = 6 * e->n;
    DAL_TRY(dal_data_residual(e->base->data, &(dal_residual){.r = r}, base));
    double KL[NVB * NV] = {0.0};
    matrix(A, e, DAL_WANT_M);
    memset(AL, 0, sizeof AL);
    times(AL, nvb, e, at->q, 1, A);
    transposed_times(M, e, at->q, AL);
    times(KL, nvb, e, at->vd, 0, A);
    matrix(A, e, DAL_WANT_C);
    memset(AL, 0, sizeof AL);
    times(AL, nvb, e, at->q, 1, A);
    transposed_times(C, e, at->q, AL);
    times(KL, nvb, e, at->v, 0, A);
    matrix(A, e, DAL_WANT_K);
    times(KL, nvb, e, at->q, 1, A);
    transposed_times(K, e, at->q, KL);
    add_curvature(C, K, e, at, r, base->v);
    sink->pair(sink, 0, M, C, K);
    return DAL_OK;
}

/* B = B L and p^T, Z = Z L + B dL v and p'^T */
static void push_link(dal_sink *sink, const euler *e, const dal_point *at)
{
    const int nb = e->base->nc, nc = nb + e->n, nv = 7 * e->n;
    double A[NVB * NVB], L[NCB * NV], B[(NCB + BODIES) * NV] = {0.0}, Z[(NCB + BODIES) * NV] = {0.0};
    for (int k = 0; k < 2; ++k) {
        double *out = k == 0 ? B : Z;
        memset(L, 0, sizeof L);
        matrix(A, e, k == 0 ? DAL_WANT_B : DAL_WANT_Z);
        times(L, nb, e, at->q, 1, A);
        if (k == 1) {
            matrix(A, e, DAL_WANT_B);
            times(L, nb, e, at->v, 0, A);
        }
        for (int j = 0; j < nv; ++j) {
            memcpy(out + (size_t)j * (size_t)nc, L + (size_t)j * (size_t)nb, (size_t)nb * sizeof *L);
            if (j % 7 >= 3) {
                out[nb + j / 7 + nc * j] = (k == 0 ? at->q : at->v)[j];
            }
        }
    }
    sink->link(sink, 0, B, Z);
}

static dal_status tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    (void)work;
    const euler *e = user;
    image im;
    const dal_point base = image_of(&im, e, at);
    DAL_TRY(dal_linearize_at(e->lin, &base));
    DAL_TRY(push_pair(sink, e, at, &base));
    push_link(sink, e, at);
    return DAL_OK;
}

/* The inertia does not depend on the state. */
static dal_status inertias(euler *e)
{
    double A[NVB * NVB], zero[NVB + NCB] = {0.0};
    const dal_point at = {0.0, e->base->q0, e->base->v0, zero, zero};
    DAL_TRY(dal_linearize_at(e->lin, &at));
    matrix(A, e, DAL_WANT_M);
    for (int i = 0; i < 9 * e->n; ++i) {
        const int first = 6 * (i / 9) + 3;
        e->J[i] = A[first + i % 3 + 6 * e->n * (first + i / 3 % 3)];
    }
    return DAL_OK;
}

/* p' = p o (0, Omega)/2 = (2 G(p))^T Omega / 4 */
static void initial(euler *e)
{
    for (int b = 0; b < e->n; ++b) {
        double E[12];
        const double *Omega = e->base->v0 + 6 * b + 3;
        memcpy(e->q0 + 7 * b, e->base->q0 + 7 * b, 7 * sizeof *e->q0);
        memcpy(e->v0 + 7 * b, e->base->v0 + 6 * b, 3 * sizeof *e->v0);
        rates(E, e->q0 + 7 * b + 3);
        for (int k = 0; k < 4; ++k) {
            e->v0[7 * b + 3 + k] = 0.25 * (E[3 * k] * Omega[0] + E[3 * k + 1] * Omega[1] + E[3 * k + 2] * Omega[2]);
        }
    }
}

static void destroy(void *self)
{
    euler *e = self;
    dal_linearize_destroy(e->lin);
    dal_group_destroy(e->group);
    free(e);
}

const subject *lab_euler(lab *L, const subject *base)
{
    const unsigned wanted = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z;
    euler *e = calloc(1, sizeof *e);
    if (e == NULL || base->sys == NULL || base->nv > NVB || base->nc > NCB) {
        free(e);
        return lab_system(L, NULL, NULL, NULL, NULL, NULL);
    }
    e->base = base;
    e->n = base->nv / 6;
    e->rows.nrows = base->nc + e->n;
    if (dal_group_create(&e->group, L->ctx, &(dal_factor_spec){DAL_FACTOR_RN, 7 * e->n}, 1) != DAL_OK ||
        dal_linearize_create(&e->lin, L->ctx, base->sys, base->data, wanted) != DAL_OK || inertias(e) != DAL_OK) {
        destroy(e);
        return lab_system(L, NULL, NULL, NULL, NULL, NULL);
    }
    e->sys = (dal_system){.group = e->group,
                          .nconstraints = 1,
                          .constraint = &e->rows,
                          .npairs = 1,
                          .pair = &e->pair,
                          .nlinks = 1,
                          .link = &e->link,
                          .provides = wanted,
                          .equations = {.residual = residual, .tangent = tangent},
                          .user = e};
    initial(e);
    return lab_system(L, &e->sys, e->q0, e->v0, e, destroy);
}
