#include "oracle_impl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* ---- rotations -------------------------------------------------------------------------------- */

void oracle_cross(double c[3], const double a[3], const double b[3])
{
    const double d[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(c, d, sizeof d);
}

static double norm3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* p1 = p exp(w/2) */
static void turn(double p1[4], const double p[4], const double w[3])
{
    const double angle = norm3(w), c = cos(0.5 * angle), s = angle > 1e-9 ? sin(0.5 * angle) / angle : 0.5;
    const double r[3] = {s * w[0], s * w[1], s * w[2]};
    double pr[3];
    oracle_cross(pr, p + 1, r);
    const double d[4] = {p[0] * c - p[1] * r[0] - p[2] * r[1] - p[3] * r[2], p[0] * r[0] + c * p[1] + pr[0],
                         p[0] * r[1] + c * p[2] + pr[1], p[0] * r[2] + c * p[3] + pr[2]};
    memcpy(p1, d, sizeof d);
}

/* y = T(w) x, T = I - (1 - cos a)/a^2 hat + (a - sin a)/a^3 hat^2 */
void oracle_tangent(double y[3], const double w[3], const double x[3])
{
    const double a = norm3(w), a2 = a * a;
    const double c1 = a > 1e-3 ? (1.0 - cos(a)) / a2 : 0.5 - a2 / 24.0;
    const double c2 = a > 1e-2 ? (a - sin(a)) / (a2 * a) : 1.0 / 6.0 - a2 / 120.0 + a2 * a2 / 5040.0;
    double wx[3], wwx[3];
    oracle_cross(wx, w, x);
    oracle_cross(wwx, w, wx);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] - c1 * wx[i] + c2 * wwx[i];
    }
}

/* y = T(w)^-1 x = x + w x x/2 + (1/a^2)(1 - (a/2) cot(a/2)) w x (w x x) */
void oracle_inverse_tangent(double y[3], const double w[3], const double x[3])
{
    const double a = norm3(w), a2 = a * a;
    const double c = a > 1e-2 ? (1.0 - 0.5 * a / tan(0.5 * a)) / a2 : 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0;
    double wx[3], wwx[3];
    oracle_cross(wx, w, x);
    oracle_cross(wwx, w, wx);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] + 0.5 * wx[i] + c * wwx[i];
    }
}

/* Solve A x = b by rows with pivots, n <= 3. */
void oracle_solve3(double x[3], double A[9], const double b[3])
{
    double c[3];
    for (int k = 0; k < 3; ++k) {
        // Cramer's rule: column k replaced
        double C[9], *u = C, *v = C + 3, *w = C + 6;
        memcpy(C, A, sizeof C);
        memcpy(C + (size_t)3 * (size_t)k, b, 3 * sizeof *b);
        oracle_cross(c, v, w);
        x[k] = u[0] * c[0] + u[1] * c[1] + u[2] * c[2];
    }
    oracle_cross(c, A + 3, A + 6);
    const double det = A[0] * c[0] + A[1] * c[1] + A[2] * c[2];
    for (int k = 0; k < 3; ++k) {
        x[k] /= det;
    }
}

void oracle_move(double *q1, const double *q, const double *theta, int bodies)
{
    for (int b = 0; b < bodies; ++b) {
        for (int i = 0; i < 3; ++i) {
            q1[7 * b + i] = q[7 * b + i] + theta[6 * b + i];
        }
        turn(q1 + 7 * b + 3, q + 7 * b + 3, theta + 6 * b + 3);
    }
}

/* ---- charts ----------------------------------------------------------------------------------- */

int oracle_width(const oracle *o) /* coordinates of a body */
{
    return o->m.chart == ORACLE_EULER ? 7 : 6;
}

int oracle_is_curved(const oracle *o)
{
    return o->bodies > 0 && o->m.chart == ORACLE_GROUP;
}

/* Columns of E, Omega = E r'. R = R_x(r0) R_y(r1) R_z(r2), or Euler parameters with E = 2 (-e, p0 - hat e). */
static void rates(double complex E[12], const oracle *o, const double complex *r)
{
    if (o->m.chart == ORACLE_EULER) {
        const double complex G[12] = {-r[1], -r[2], -r[3], r[0], -r[3], r[2], r[3], r[0], -r[1], -r[2], r[1], r[0]};
        for (int i = 0; i < 12; ++i) {
            E[i] = 2.0 * G[i];
        }
        return;
    }
    const double complex cb = ccos(r[1]), sb = csin(r[1]), cc = ccos(r[2]), sc = csin(r[2]);
    const double complex A[9] = {cb * cc, -cb * sc, sb, sc, cc, 0.0, 0.0, 0.0, 1.0};
    memcpy(E, A, sizeof A);
}

/* E of body b, and its rate along v by a complex step. */
void oracle_rates_of(double E[12], double Ed[12], const oracle *o, int b, const double *q, const double *v)
{
    const int w = oracle_width(o) - 3;
    double complex r[4], C[12];
    for (int k = 0; k < w; ++k) {
        r[k] = q[(w + 3) * b + 3 + k] + 1e-30 * v[(w + 3) * b + 3 + k] * I;
    }
    rates(C, o, r);
    for (int i = 0; i < 3 * w; ++i) {
        E[i] = creal(C[i]);
        Ed[i] = cimag(C[i]) / 1e-30;
    }
}

/* q, v, v' of the problem from those of the chart; v, vd may be NULL. */
void oracle_to_base(double *qb, double *vb, double *vdb, const oracle *o, const double *q, const double *v,
                    const double *vd)
{
    static const double zero[ORACLE_NV];
    const int w = oracle_width(o) - 3;
    for (int b = 0; b < o->bodies; ++b) {
        const double *x = q + (w + 3) * b, *r = x + 3;
        double E[12], Ed[12], p[4] = {1.0, 0.0, 0.0, 0.0};
        memcpy(qb + 7 * b, x, 3 * sizeof *x);
        if (o->m.chart == ORACLE_EULER) {
            // the program of [HAG] has R(p) of any length
            const double length = o->m.published ? 1.0 : sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
            for (int i = 0; i < 4; ++i) {
                p[i] = r[i] / length;
            }
        } else {
            for (int k = 0; k < 3; ++k) {
                const double axis[3] = {k == 0 ? r[0] : 0.0, k == 1 ? r[1] : 0.0, k == 2 ? r[2] : 0.0};
                turn(p, p, axis);
            }
        }
        memcpy(qb + 7 * b + 3, p, sizeof p);
        oracle_rates_of(E, Ed, o, b, q, v ? v : zero);
        for (int i = 0; i < 6 && v; ++i) {
            const double *u = v + (w + 3) * b, *a = vd ? vd + (w + 3) * b : zero;
            double y = i < 3 ? u[i] : 0.0, yd = i < 3 ? a[i] : 0.0;
            for (int k = 0; i >= 3 && k < w; ++k) {
                y += E[i - 3 + 3 * k] * u[3 + k];
                yd += E[i - 3 + 3 * k] * a[3 + k] + Ed[i - 3 + 3 * k] * u[3 + k];
            }
            vb[6 * b + i] = y;
            if (vdb) {
                vdb[6 * b + i] = yd;
            }
        }
    }
    for (int k = 0, from = (w + 3) * o->bodies; k < o->modes; ++k) {
        qb[7 * o->bodies + k] = q[from + k];
        if (v) {
            vb[6 * o->bodies + k] = v[from + k];
        }
        if (vdb) {
            vdb[6 * o->bodies + k] = vd[from + k];
        }
    }
}

/* f = L^T f_base */
static void pull_back(double *f, const oracle *o, const double *q, const double *fb)
{
    static const double zero[ORACLE_NV];
    const int w = oracle_width(o) - 3;
    double E[12], Ed[12];
    for (int b = 0; b < o->bodies; ++b) {
        oracle_rates_of(E, Ed, o, b, q, zero);
        for (int k = 0; k < w + 3; ++k) {
            double sum = k < 3 ? fb[6 * b + k] : 0.0;
            for (int i = 0; k >= 3 && i < 3; ++i) {
                sum += E[i + 3 * (k - 3)] * fb[6 * b + 3 + i];
            }
            f[(w + 3) * b + k] = sum;
        }
    }
    memcpy(f + (w + 3) * o->bodies, fb + 6 * o->bodies, (size_t)o->modes * sizeof *f);
}

/* ---- the equations ---------------------------------------------------------------------------- */

/* In the coordinates of the problem: r = M v' + g, then with B = NULL or all rows of B (nc x nv). */
static void base_terms(double *r, double *Phi, double *B, double *vel, const oracle *o, double t, const double *q,
                       const double *v, const double *vd)
{
    static const double zero[ORACLE_NC];
    const dal_dense *d = &o->p->dense;
    const int nv = o->p->nv, nc = o->p->nc;
    double M[ORACLE_NV * ORACLE_NV];
    (void)d->M(M, t, q, d->user);
    (void)d->g(r, t, q, v, zero, d->user);
    for (int j = 0; j < nv; ++j) {
        for (int i = 0; i < nv; ++i) {
            r[i] += M[i + nv * j] * vd[j];
        }
    }
    if (nc == 0) {
        return;
    }
    (void)d->Phi(Phi, t, q, d->user);
    (void)d->B(B, t, q, d->user);
    memset(vel, 0, (size_t)nc * sizeof *vel);
    if (d->b) {
        (void)d->b(vel, t, q, d->user);
    }
    for (int j = 0; j < nv; ++j) {
        for (int i = 0; i < nc; ++i) {
            vel[i] += B[i + nc * j] * v[j];
        }
    }
}

/* r = M v' + g + B^T lambda, Phi, vel = B v + Phi_t, and B (nc x nv), in the coordinates used. */
void oracle_evaluate(double *r, double *Phi, double *vel, double *B, const oracle *o, double t, const oracle_state *s)
{
    const int nc = o->p->nc, nb = o->p->nv;
    double qb[ORACLE_NV] = {0.0}, vb[ORACLE_NV] = {0.0}, vdb[ORACLE_NV] = {0.0}, rb[ORACLE_NV],
           Bb[ORACLE_NC * ORACLE_NV], row[ORACLE_NV];
    memset(B, 0, (size_t)o->nc * (size_t)o->nv * sizeof *B);
    if (o->bodies == 0 || oracle_is_curved(o)) {
        base_terms(r, Phi, B, vel, o, t, s->q, s->v, s->vd);
    } else {
        oracle_to_base(qb, vb, vdb, o, s->q, s->v, s->vd);
        base_terms(rb, Phi, Bb, vel, o, t, qb, vb, vdb);
        pull_back(r, o, s->q, rb);
        for (int i = 0; i < nc; ++i) {
            double of_base[ORACLE_NV];
            for (int j = 0; j < nb; ++j) {
                of_base[j] = Bb[i + nc * j];
            }
            pull_back(row, o, s->q, of_base);
            for (int j = 0; j < o->nv; ++j) {
                B[i + o->nc * j] = row[j];
            }
        }
        for (int b = 0; o->m.chart == ORACLE_EULER && b < o->bodies; ++b) {
            const double *p = s->q + 7 * b + 3, *pd = s->v + 7 * b + 3;
            Phi[nc + b] = -0.5;
            vel[nc + b] = 0.0;
            for (int k = 0; k < 4; ++k) {
                B[nc + b + o->nc * (7 * b + 3 + k)] = p[k];
                Phi[nc + b] += 0.5 * p[k] * p[k];
                vel[nc + b] += p[k] * pd[k];
            }
        }
    }
    for (int j = 0; j < o->nv; ++j) {
        for (int i = 0; i < o->nc; ++i) {
            r[j] += B[i + o->nc * j] * s->la[i];
        }
    }
}
