#include "reproduce/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* v_base = L(q) v, with 3 further columns or 4 for each body; the forces follow as L^T (M (L v' + L' v) + g + B^T la). */

enum { BODIES = 4, NV = 6 * BODIES, NC = 24 };

typedef struct chart {
    const problem *base;
    int nbodies, width; /* coordinates for each body: 7 or 6 */
    int axis[3];        /* of the angles; axis[0] < 0: Euler parameters */
} chart;

static int is_euler(const chart *c)
{
    return c->axis[0] < 0;
}

/* ---- one rotation ----------------------------------------------------------------------------- */

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* p = Euler parameters of the turn by a about an axis */
static void axis_turn(double p[4], int axis, double a)
{
    memset(p, 0, 4 * sizeof *p);
    p[0] = cos(0.5 * a);
    p[1 + axis] = sin(0.5 * a);
}

static void multiply(double c[4], const double a[4], const double b[4])
{
    const double d[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(c, d, sizeof d);
}

/* unit Euler parameters of the coordinates r (4 or 3) */
static void attitude(double p[4], const chart *c, const double *r)
{
    if (is_euler(c)) {
        const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        for (int i = 0; i < 4; ++i) {
            p[i] = r[i] / length;
        }
        return;
    }
    double turn[4];
    axis_turn(p, c->axis[0], r[0]);
    for (int k = 1; k < 3; ++k) {
        axis_turn(turn, c->axis[k], r[k]);
        multiply(p, p, turn);
    }
}

/* w := R^T w for a turn by a about an axis */
static void turn_back(double w[3], int axis, double a)
{
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double c = cos(a), s = sin(a), y = w[j], z = w[k];
    w[j] = c * y + s * z;
    w[k] = -s * y + c * z;
}

/* E (3 x 4 or 3 x 3): Omega = E r'. Angles: columns (R_j R_k)^T e_i, R_k^T e_j, e_k. */
static void rates(double *E, const chart *c, const double *r)
{
    if (is_euler(c)) {
        // 2 G(p) = 2 (-e, p0 I - hat(e))
        const double G[12] = {-r[1], -r[2], -r[3], r[0], -r[3], r[2], r[3], r[0], -r[1], -r[2], r[1], r[0]};
        for (int i = 0; i < 12; ++i) {
            E[i] = 2.0 * G[i];
        }
        return;
    }
    memset(E, 0, 9 * sizeof *E);
    for (int k = 0; k < 3; ++k) {
        E[c->axis[k] + 3 * k] = 1.0;
        for (int m = k + 1; m < 3; ++m) {
            turn_back(E + 3 * k, c->axis[m], r[m]);
        }
    }
}

/* w = E' r'. Euler parameters: 2 G(p') p' = 0. Angles: columns turn with the frames that follow them. */
static void rates_change(double w[3], const chart *c, const double *r, const double *rd)
{
    memset(w, 0, 3 * sizeof *w);
    if (is_euler(c)) {
        return;
    }
    double E[9], following[3], change[3];
    rates(E, c, r);
    for (int k = 0; k < 2; ++k) {
        memset(following, 0, sizeof following);
        for (int m = k + 1; m < 3; ++m) {
            for (int i = 0; i < 3; ++i) {
                following[i] += E[i + 3 * m] * rd[m];
            }
        }
        cross(change, following, E + 3 * k);
        for (int i = 0; i < 3; ++i) {
            w[i] -= change[i] * rd[k];
        }
    }
}

/* ---- all bodies ------------------------------------------------------------------------------- */

void chart_to_base(double *q_base, const problem *p, const double *q)
{
    const chart *c = p->data;
    for (int b = 0; b < c->nbodies; ++b) {
        memcpy(q_base + 7 * b, q + c->width * b, 3 * sizeof *q);
        attitude(q_base + 7 * b + 3, c, q + c->width * b + 3);
    }
}

/* y_base = L y */
static void forward(double *y_base, const chart *c, const double *q, const double *y)
{
    double E[12];
    for (int b = 0; b < c->nbodies; ++b) {
        const double *r = q + c->width * b + 3, *rd = y + c->width * b + 3;
        rates(E, c, r);
        memcpy(y_base + 6 * b, y + c->width * b, 3 * sizeof *y);
        for (int i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (int k = 0; k < c->width - 3; ++k) {
                sum += E[i + 3 * k] * rd[k];
            }
            y_base[6 * b + 3 + i] = sum;
        }
    }
}

/* f = L^T f_base, with f_base at distance `step` */
static void backward(double *f, int f_step, const chart *c, const double *q, const double *f_base, int step)
{
    double E[12];
    for (int b = 0; b < c->nbodies; ++b) {
        rates(E, c, q + c->width * b + 3);
        for (int k = 0; k < c->width; ++k) {
            double sum = k < 3 ? f_base[step * (6 * b + k)] : 0.0;
            for (int i = 0; k >= 3 && i < 3; ++i) {
                sum += E[i + 3 * (k - 3)] * f_base[step * (6 * b + 3 + i)];
            }
            f[f_step * (c->width * b + k)] = sum;
        }
    }
}

/* w_base = L' v */
static void change(double *w_base, const chart *c, const double *q, const double *v)
{
    for (int b = 0; b < c->nbodies; ++b) {
        memset(w_base + 6 * b, 0, 3 * sizeof *w_base);
        rates_change(w_base + 6 * b + 3, c, q + c->width * b + 3, v + c->width * b + 3);
    }
}

/* ---- callbacks; user: the problem ------------------------------------------------------------- */

static dal_status chart_M(double *M, double t, const double *q, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const problem *base = c->base;
    double qb[7 * BODIES], Mb[NV * NV], ML[NV * 7 * BODIES];
    chart_to_base(qb, p, q);
    DAL_TRY(base->dense.M(Mb, t, qb, base->dense.user));
    // M L by rows (M is symmetric: row i of M L = L^T of column i), then L^T (M L)
    for (int i = 0; i < base->nv; ++i) {
        backward(ML + i, base->nv, c, q, Mb + i * base->nv, 1);
    }
    for (int j = 0; j < p->nv; ++j) {
        backward(M + j * p->nv, 1, c, q, ML + j * base->nv, 1);
    }
    return DAL_OK;
}

/* y = J Omega of a body, and Omega.J Omega. Lagrange's equations in Euler parameters contain -2 (Omega.J Omega) p, which
 * shifts the multiplier of the unit length from zero to 2 Omega.J Omega and changes nothing else: g has this term. */
static double twice_spin_energy(double y[3], const problem *base, int b, const double *Mb, const double *vb)
{
    const double *Omega = vb + 6 * b + 3, *J = Mb + (size_t)(6 * b + 3) * (size_t)(base->nv + 1);
    for (int i = 0; i < 3; ++i) {
        y[i] = J[i] * Omega[0] + J[i + base->nv] * Omega[1] + J[i + 2 * base->nv] * Omega[2];
    }
    return Omega[0] * y[0] + Omega[1] * y[1] + Omega[2] * y[2];
}

static dal_status chart_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const problem *base = c->base;
    double qb[7 * BODIES], vb[NV], w[NV], gb[NV], Mb[NV * NV];
    chart_to_base(qb, p, q);
    forward(vb, c, q, v);
    change(w, c, q, v);
    DAL_TRY(base->dense.g(gb, t, qb, vb, la, base->dense.user));
    DAL_TRY(base->dense.M(Mb, t, qb, base->dense.user));
    for (int j = 0; j < base->nv; ++j) {
        for (int i = 0; i < base->nv; ++i) {
            gb[i] += Mb[i + base->nv * j] * w[j];
        }
    }
    backward(g, 1, c, q, gb, 1);
    for (int b = 0; is_euler(c) && b < c->nbodies; ++b) {
        double y[3];
        const double s = 2.0 * twice_spin_energy(y, base, b, Mb, vb);
        for (int k = 0; k < 4; ++k) {
            g[7 * b + 3 + k] -= s * q[7 * b + 3 + k];
        }
    }
    return DAL_OK;
}

static dal_status chart_Phi(double *Phi, double t, const double *q, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    double qb[7 * BODIES];
    chart_to_base(qb, p, q);
    if (c->base->nc > 0) {
        DAL_TRY(c->base->dense.Phi(Phi, t, qb, c->base->dense.user));
    }
    for (int b = 0; is_euler(c) && b < c->nbodies; ++b) {
        const double *r = q + 7 * b + 3;
        Phi[c->base->nc + b] = 0.5 * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1.0);
    }
    return DAL_OK;
}

static dal_status chart_B(double *B, double t, const double *q, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const int nb = c->base->nc;
    double qb[7 * BODIES], Bb[NC * NV];
    chart_to_base(qb, p, q);
    memset(B, 0, (size_t)p->nc * (size_t)p->nv * sizeof *B);
    if (nb > 0) {
        DAL_TRY(c->base->dense.B(Bb, t, qb, c->base->dense.user));
    }
    for (int i = 0; i < nb; ++i) {
        backward(B + i, p->nc, c, q, Bb + i, nb);
    }
    for (int b = 0; is_euler(c) && b < c->nbodies; ++b) {
        for (int k = 0; k < 4; ++k) {
            B[nb + b + p->nc * (7 * b + 3 + k)] = q[7 * b + 3 + k];
        }
    }
    return DAL_OK;
}

static dal_status chart_acc(double *w, double t, const double *q, const double *v, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const problem *base = c->base;
    double qb[7 * BODIES], vb[NV], wb[NV] = {0.0}, Bb[NC * NV] = {0.0};
    chart_to_base(qb, p, q);
    forward(vb, c, q, v);
    change(wb, c, q, v);
    if (base->nc > 0) {
        DAL_TRY(base->dense.acc(w, t, qb, vb, base->dense.user));
        DAL_TRY(base->dense.B(Bb, t, qb, base->dense.user));
    }
    for (int j = 0; j < base->nv; ++j) {
        for (int i = 0; i < base->nc; ++i) {
            w[i] += Bb[i + base->nc * j] * wb[j];
        }
    }
    for (int b = 0; is_euler(c) && b < c->nbodies; ++b) {
        const double *rd = v + 7 * b + 3;
        w[base->nc + b] = rd[0] * rd[0] + rd[1] * rd[1] + rd[2] * rd[2] + rd[3] * rd[3];
    }
    return DAL_OK;
}

/* ---- tangents in Euler parameters; those of the angles are differenced --------------------------- */

/* D = -2 G(w) (block diagonal): d(L y)/dp for w = the rates in y; 0 for the positions. out (nb x 7 per body) += A D. */
static void add_times_change(double *out, int rows, const chart *c, const double *A, const double *y)
{
    double E[12];
    for (int b = 0; b < c->nbodies; ++b) {
        rates(E, c, y + 7 * b + 3);
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < rows; ++i) {
                for (int m = 0; m < 3; ++m) {
                    out[i + rows * (7 * b + 3 + k)] -= A[i + rows * (6 * b + 3 + m)] * E[m + 3 * k];
                }
            }
        }
    }
}

/* out (rows x nv) = A L, A rows x nv of base */
static void times_L(double *out, int rows, const chart *c, const double *q, const double *A)
{
    for (int i = 0; i < rows; ++i) {
        backward(out + i, rows, c, q, A + i, rows);
    }
}

/* out = L^T A, A nv of base x nv */
static void times_LT(double *out, const problem *p, const double *q, const double *A)
{
    const chart *c = p->data;
    for (int j = 0; j < p->nv; ++j) {
        backward(out + j * p->nv, 1, c, q, A + j * c->base->nv, 1);
    }
}

/* A -= s p (J Omega)^T 2 G(w), the block of body b: derivatives of (Omega.J Omega) p for w = p (by v) and -p' (by p) */
static void add_spin_energy(double *A, const problem *p, const double *q, int b, const double *Mb, const double *vb,
                            const double *w, double s)
{
    double y[3], E[12];
    (void)twice_spin_energy(y, ((const chart *)p->data)->base, b, Mb, vb);
    rates(E, p->data, w + 7 * b + 3);
    for (int k = 0; k < 4; ++k) {
        const double row = s * (y[0] * E[3 * k] + y[1] * E[1 + 3 * k] + y[2] * E[2 + 3 * k]);
        for (int i = 0; i < 4; ++i) {
            A[7 * b + 3 + i + p->nv * (7 * b + 3 + k)] -= row * q[7 * b + 3 + i];
        }
    }
}

static dal_status euler_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    double qb[7 * BODIES], vb[NV], Cb[NV * NV], CL[NV * 7 * BODIES];
    chart_to_base(qb, p, q);
    forward(vb, c, q, v);
    DAL_TRY(c->base->dense.C(Cb, t, qb, vb, la, c->base->dense.user));
    times_L(CL, c->base->nv, c, q, Cb);
    times_LT(C, p, q, CL);
    DAL_TRY(c->base->dense.M(Cb, t, qb, c->base->dense.user));
    for (int b = 0; b < c->nbodies; ++b) {
        add_spin_energy(C, p, q, b, Cb, vb, q, 4.0);
    }
    return DAL_OK;
}

/* f = M v' + g + B^T la of base */
static dal_status base_force(double *f, const problem *base, double t, const double *q, const double *v,
                             const double *vd, const double *la, double *M)
{
    double B[NC * NV];
    DAL_TRY(base->dense.g(f, t, q, v, la, base->dense.user));
    DAL_TRY(base->dense.M(M, t, q, base->dense.user));
    if (base->nc > 0) {
        DAL_TRY(base->dense.B(B, t, q, base->dense.user));
    }
    for (int j = 0; j < base->nv; ++j) {
        for (int i = 0; i < base->nv; ++i) {
            f[i] += M[i + base->nv * j] * vd[j];
        }
        for (int i = 0; i < base->nc; ++i) {
            f[j] += B[i + base->nc * j] * la[i];
        }
    }
    return DAL_OK;
}

/* K = L^T (K_b L - C_b 2 G(p') - M 2 G(p'')) + 2 N(f), where G(w)^T y = N(y) w, + la of the normalisation */
static dal_status euler_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const problem *base = c->base;
    double qb[7 * BODIES], vb[NV], vdb[NV], f[NV], Mb[NV * NV], A[NV * NV], KL[NV * 7 * BODIES];
    chart_to_base(qb, p, q);
    forward(vb, c, q, v);
    forward(vdb, c, q, vd);
    DAL_TRY(base_force(f, base, t, qb, vb, vdb, la, Mb));
    DAL_TRY(base->dense.K(A, t, qb, vb, vdb, la, base->dense.user));
    times_L(KL, base->nv, c, q, A);
    DAL_TRY(base->dense.C(A, t, qb, vb, la, base->dense.user));
    add_times_change(KL, base->nv, c, A, v);
    add_times_change(KL, base->nv, c, Mb, vd);
    times_LT(K, p, q, KL);
    for (int b = 0; b < c->nbodies; ++b) {
        double spin[3];
        const double *y = f + 6 * b + 3;
        const double mu = la[base->nc + b] - 2.0 * twice_spin_energy(spin, base, b, Mb, vb);
        add_spin_energy(K, p, q, b, Mb, vb, v, -4.0);
        // 2 N(y) = 2 [[0, -y^T], [y, -hat(y)]]
        const double N[16] = {0.0,   y[0], y[1], y[2],  -y[0], 0.0,   -y[2], y[1],
                              -y[1], y[2], 0.0,  -y[0], -y[2], -y[1], y[0],  0.0};
        for (int i = 0; i < 16; ++i) {
            K[7 * b + 3 + i % 4 + p->nv * (7 * b + 3 + i / 4)] += 2.0 * N[i] + (i % 5 == 0 ? mu : 0.0);
        }
    }
    return DAL_OK;
}

/* Z = Z_b L - B 2 G(p') and p'^T */
static dal_status euler_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    const problem *p = user;
    const chart *c = p->data;
    const problem *base = c->base;
    const int nb = base->nc;
    double qb[7 * BODIES], vb[NV], A[NC * NV], ZL[NC * 7 * BODIES] = {0.0};
    memset(Z, 0, (size_t)p->nc * (size_t)p->nv * sizeof *Z);
    chart_to_base(qb, p, q);
    forward(vb, c, q, v);
    if (nb > 0) {
        DAL_TRY(base->dense.Z(A, t, qb, vb, base->dense.user));
        times_L(ZL, nb, c, q, A);
        DAL_TRY(base->dense.B(A, t, qb, base->dense.user));
        add_times_change(ZL, nb, c, A, v);
    }
    for (int j = 0; j < p->nv; ++j) {
        for (int i = 0; i < nb; ++i) {
            Z[i + p->nc * j] = ZL[i + nb * j];
        }
        if (j % 7 >= 3) {
            Z[nb + j / 7 + p->nc * j] = v[j];
        }
    }
    return DAL_OK;
}

/* ---- from base -------------------------------------------------------------------------------- */

/* Angles of a rotation matrix, |a2| < 90 degrees. */
static void angles_of(double a[3], const int axis[3], const double R[9])
{
    const int i = axis[0], j = axis[1], k = axis[2];
    const double s = (i + 1) % 3 == j ? 1.0 : -1.0;
    a[0] = atan2(-s * R[j + 3 * k], R[k + 3 * k]);
    a[1] = asin(s * R[i + 3 * k]);
    a[2] = atan2(-s * R[i + 3 * j], R[i + 3 * i]);
}

/* x = E^-1 b, 3 x 3, by Cramer's rule */
static void solve3(double x[3], const double E[9], const double b[3])
{
    double c[3];
    cross(c, E + 3, E + 6);
    const double det = E[0] * c[0] + E[1] * c[1] + E[2] * c[2];
    x[0] = (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]) / det;
    cross(c, E + 6, E);
    x[1] = (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]) / det;
    cross(c, E, E + 3);
    x[2] = (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]) / det;
}

/* The coordinates and their rates for one body. */
static void from_base(double *q, double *v, const chart *c, const double *q_base, const double *v_base)
{
    const double *pb = q_base + 3, *Omega = v_base + 3;
    double E[12];
    memcpy(q, q_base, 3 * sizeof *q);
    memcpy(v, v_base, 3 * sizeof *v);
    if (is_euler(c)) {
        const double w[4] = {0.0, 0.5 * Omega[0], 0.5 * Omega[1], 0.5 * Omega[2]};
        memcpy(q + 3, pb, 4 * sizeof *q);
        multiply(v + 3, pb, w);
        return;
    }
    double R[9];
    for (int j = 0; j < 3; ++j) {
        double e[3] = {0.0, 0.0, 0.0};
        e[j] = 1.0;
        dal_quat_rotate(R + 3 * j, pb, e);
    }
    angles_of(q + 3, c->axis, R);
    rates(E, c, q + 3);
    solve3(v + 3, E, Omega);
}

static void chart_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                        const problem *p)
{
    const chart *c = p->data;
    double qb[PROBLEM_MAX], vb[PROBLEM_MAX], vdb[PROBLEM_MAX], lab[PROBLEM_MAX];
    c->base->motion.state(qb, vb, vdb, lab, t, y, c->base);
    for (int b = 0; b < c->nbodies; ++b) {
        from_base(q + c->width * b, v + c->width * b, c, qb + 7 * b, vb + 6 * b);
    }
    // v' and the multipliers of the normalisation are not needed
    memset(vd, 0, (size_t)p->nv * sizeof *vd);
    memset(la, 0, (size_t)p->nc * sizeof *la);
    memcpy(la, lab, (size_t)c->base->nc * sizeof *la);
}

dal_status chart_problem(problem *p, const problem *base, int kind)
{
    dal_ctx *ctx = base->ctx;
    *p = (problem){.name = base->name, .ctx = ctx, .t_end = base->t_end, .motion = base->motion};
    chart *c = calloc(1, sizeof *c);
    if (c == NULL || base->group->nfactors > BODIES) {
        free(c);
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a chart, or more than %d bodies", BODIES);
    }
    *c = (chart){.base = base, .nbodies = base->group->nfactors, .width = kind == CHART_EULER ? 7 : 6};
    c->axis[0] = kind / 100 - 1, c->axis[1] = kind / 10 % 10 - 1, c->axis[2] = kind % 10 - 1;
    p->data = c;
    p->nq = p->nv = c->nbodies * c->width;
    p->nc = base->nc + (kind == CHART_EULER ? c->nbodies : 0);
    memcpy(p->par, base->par, sizeof p->par);
    p->motion.state = chart_state;
    for (int b = 0; b < c->nbodies; ++b) {
        from_base(p->q0 + c->width * b, p->v0 + c->width * b, c, base->q0 + 7 * b, base->v0 + 6 * b);
    }
    dal_status st = dal_group_create(&p->group, ctx, &(dal_factor_spec){DAL_RN, p->nq}, 1);
    if (st == DAL_OK) {
        p->dense = (dal_dense){.group = p->group, .nc = p->nc, .user = p, .M = chart_M, .g = chart_g};
        if (p->nc > 0) {
            p->dense.Phi = chart_Phi;
            p->dense.B = chart_B;
            p->dense.acc = chart_acc;
        }
        if (kind == CHART_EULER) {
            p->dense.C = euler_C;
            p->dense.K = euler_K;
            p->dense.Z = euler_Z;
        }
        st = dal_dense_create(&p->sys, ctx, &p->dense);
    }
    if (st != DAL_OK) {
        problem_free(p);
    }
    return st;
}
