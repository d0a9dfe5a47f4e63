#include "problems/spatial.h"

#include <assert.h>
#include <string.h>

#include "problems/vec3.h"

void spatial_add(spatial *s, spatial_joint joint)
{
    assert(s->njoints < SPATIAL_JOINTS);
    joint.row = s->nrows;
    s->nrows += joint.angle ? 1 : 3 - joint.from;
    s->joint[s->njoints++] = joint;
}

/* One side of a joint: sign of its body in the row, attitude, arm in body axes, and in world axes R a and its rate. */
typedef struct side {
    int body;
    double sign, x[3], R[9], a[3], Om[3], Ra[3], rate[3];
} side;

static side side_of(const spatial_joint *J, int second, const double *q, const double *v)
{
    const int body = second ? J->j : J->i;
    const double unit[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, *qb = body < 0 ? unit : q + 7 * body;
    side s = {.body = body, .sign = second ? -1.0 : 1.0};
    memcpy(s.x, qb, sizeof s.x);
    memcpy(s.a, second ? J->b : J->a, sizeof s.a);
    qmatrix(s.R, qb + 3);
    mvec(s.Ra, s.R, s.a);
    if (body >= 0 && v != NULL) {
        memcpy(s.Om, v + 6 * body + 3, sizeof s.Om);
        vcross(s.rate, s.Om, s.a);
        mvec(s.rate, s.R, s.rate);
    }
    return s;
}

static dal_status spatial_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q;
    const spatial *s = user;
    const int n = 6 * s->nbodies;
    vzero(M, n * n);
    for (int b = 0; b < s->nbodies; ++b) {
        mput_unit(M, n, 6 * b, 6 * b, s->mass[b]);
        for (int i = 0; i < 3; ++i) {
            M[(n + 1) * (6 * b + 3 + i)] = s->J[b][i];
        }
    }
    return DAL_OK;
}

static dal_status spatial_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la;
    const spatial *s = user;
    for (int b = 0; b < s->nbodies; ++b) {
        const double *J = s->J[b], *w = v + 6 * b + 3, L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
        g[6 * b] = g[6 * b + 1] = 0.0;
        g[6 * b + 2] = s->mass[b] * s->gravity;
        vcross(g + 6 * b + 3, w, L);
    }
    return DAL_OK;
}

static dal_status spatial_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la;
    const spatial *s = user;
    const int n = 6 * s->nbodies;
    vzero(C, n * n);
    for (int b = 0; b < s->nbodies; ++b) {
        const int r = 6 * b + 3;
        const double *J = s->J[b], *w = v + r, L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
        double H[9];
        vhat(H, w);
        for (int i = 0; i < 9; ++i) {
            H[i] *= J[i / 3];
        }
        mput(C, n, r, r, 1.0, H);
        mput_hat(C, n, r, r, -1.0, L);
    }
    return DAL_OK;
}

static dal_status spatial_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t;
    const spatial *s = user;
    for (int k = 0; k < s->njoints; ++k) {
        const spatial_joint *J = &s->joint[k];
        const side A = side_of(J, 0, q, NULL), B = side_of(J, 1, q, NULL);
        if (J->angle) {
            Phi[J->row] = vdot(A.Ra, B.Ra);
            continue;
        }
        for (int i = J->from; i < 3; ++i) {
            Phi[J->row + i - J->from] = A.x[i] + A.Ra[i] - B.x[i] - B.Ra[i];
        }
    }
    return DAL_OK;
}

/* out (row at (row, col), stride ld) = - u^T R hat(a): derivative of u . R a */
static void arm_row(double *out, int ld, int row, int col, const double u[3], const double R[9], const double a[3])
{
    double w[3];
    mtvec(w, R, u);
    vcross(w, a, w);
    for (int i = 0; i < 3; ++i) {
        out[row + (col + i) * ld] += w[i];
    }
}

static dal_status spatial_B(double *B, double t, const double *q, void *user)
{
    (void)t;
    const spatial *s = user;
    const int ld = s->nrows;
    vzero(B, ld * 6 * s->nbodies);
    for (int k = 0; k < s->njoints; ++k) {
        const spatial_joint *J = &s->joint[k];
        const side S[2] = {side_of(J, 0, q, NULL), side_of(J, 1, q, NULL)};
        for (int d = 0; d < 2; ++d) {
            const int col = 6 * S[d].body;
            if (S[d].body < 0) {
                continue;
            }
            if (J->angle) {
                arm_row(B, ld, J->row, col + 3, S[1 - d].Ra, S[d].R, S[d].a);
                continue;
            }
            for (int i = J->from; i < 3; ++i) {
                const int row = J->row + i - J->from;
                double e[3] = {0.0, 0.0, 0.0};
                e[i] = S[d].sign;
                B[row + (col + i) * ld] = S[d].sign;
                arm_row(B, ld, row, col + 3, e, S[d].R, S[d].a);
            }
        }
    }
    return DAL_OK;
}

/* The rate of R a is R (Omega x a); d of it = -R hat(Omega x a) dtheta. */
static dal_status spatial_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t;
    const spatial *s = user;
    const int ld = s->nrows;
    vzero(Z, ld * 6 * s->nbodies);
    for (int k = 0; k < s->njoints; ++k) {
        const spatial_joint *J = &s->joint[k];
        const side S[2] = {side_of(J, 0, q, v), side_of(J, 1, q, v)};
        for (int d = 0; d < 2; ++d) {
            const int col = 6 * S[d].body + 3;
            double w[3];
            if (S[d].body < 0) {
                continue;
            }
            vcross(w, S[d].Om, S[d].a);
            if (J->angle) {
                arm_row(Z, ld, J->row, col, S[1 - d].Ra, S[d].R, w);
                arm_row(Z, ld, J->row, col, S[1 - d].rate, S[d].R, S[d].a);
                continue;
            }
            for (int i = J->from; i < 3; ++i) {
                double e[3] = {0.0, 0.0, 0.0};
                e[i] = S[d].sign;
                arm_row(Z, ld, J->row + i - J->from, col, e, S[d].R, w);
            }
        }
    }
    return DAL_OK;
}

static dal_status spatial_acc(double *w, double t, const double *q, const double *v, void *user)
{
    const spatial *s = user;
    const int ld = s->nrows;
    double Z[3 * SPATIAL_JOINTS * 6 * SPATIAL_BODIES];
    DAL_TRY(spatial_Z(Z, t, q, v, user));
    vzero(w, ld);
    for (int j = 0; j < 6 * s->nbodies; ++j) {
        for (int i = 0; i < ld; ++i) {
            w[i] += Z[i + j * ld] * v[j];
        }
    }
    return DAL_OK;
}

/* d(hat(a) R^T f)/dtheta = hat(a) hat(R^T f), added with the factor s */
static void arm_K(double *K, int ld, int at, double s, const side *S, const double f[3])
{
    double H[9], F[9], w[3];
    mtvec(w, S->R, f);
    vhat(H, S->a);
    vhat(F, w);
    mmul(H, H, F);
    mput(K, ld, at, at, s, H);
}

static dal_status spatial_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                            void *user)
{
    (void)t, (void)v, (void)vd;
    const spatial *s = user;
    const int n = 6 * s->nbodies;
    vzero(K, n * n);
    for (int k = 0; k < s->njoints; ++k) {
        const spatial_joint *J = &s->joint[k];
        const side S[2] = {side_of(J, 0, q, NULL), side_of(J, 1, q, NULL)};
        double f[3] = {0.0, 0.0, 0.0};
        for (int i = J->from; i < 3 && !J->angle; ++i) {
            f[i] = la[J->row + i - J->from];
        }
        for (int d = 0; d < 2; ++d) {
            const int at = 6 * S[d].body + 3, other = 6 * S[1 - d].body + 3;
            if (S[d].body < 0) {
                continue;
            }
            if (!J->angle) {
                arm_K(K, n, at, S[d].sign, &S[d], f);
                continue;
            }
            arm_K(K, n, at, la[J->row], &S[d], S[1 - d].Ra);
            if (S[1 - d].body >= 0) {
                // la hat(a) R^T d(R' b) = -la hat(a) R^T R' hat(b) dtheta'
                double X[9], H[9];
                vhat(H, S[1 - d].a);
                mmul(X, S[1 - d].R, H);
                mtmul(X, S[d].R, X);
                vhat(H, S[d].a);
                mmul(X, H, X);
                mput(K, n, at, other, -la[J->row], X);
            }
        }
    }
    return DAL_OK;
}

static double spatial_energy(double t, const double *q, const double *v, void *user)
{
    (void)t;
    const spatial *s = user;
    double E = 0.0;
    for (int b = 0; b < s->nbodies; ++b) {
        const double *u = v + 6 * b, *w = u + 3, *J = s->J[b];
        E += 0.5 * (s->mass[b] * vdot(u, u) + J[0] * w[0] * w[0] + J[1] * w[1] * w[1] + J[2] * w[2] * w[2]);
        E += s->mass[b] * s->gravity * q[7 * b + 2];
    }
    return E;
}

void spatial_describe(dal_dense *dense, spatial *s)
{
    *dense = (dal_dense){.group = dense->group,
                         .nc = s->nrows,
                         .user = s,
                         .M = spatial_M,
                         .g = spatial_g,
                         .Phi = spatial_Phi,
                         .B = spatial_B,
                         .Z = spatial_Z,
                         .acc = spatial_acc,
                         .C = spatial_C,
                         .K = spatial_K,
                         .energy = spatial_energy};
}
