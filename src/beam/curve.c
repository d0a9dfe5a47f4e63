/* Reference curves: constant curvature, or a cubic spline through points with frames that turn as little as possible. */
#include "base/memory.h"
#include "base/message.h"
#include "dalembert/beam.h"
#include "dalembert/lie.h"
#include "lie/se3_kernel.h"

/* ---- constant curvature ----------------------------------------------------------------------- */

/* q(s) = q_0 exp(s f0): straight lines, arcs, helices */
static void screw_frame(double pose[7], const dal_curve *c, double s)
{
    // exp of the group in pieces that its series take, half a turn each
    double q[7] = {c->position[0], c->position[1], c->position[2], 1.0, 0.0, 0.0, 0.0}, next[7];
    const double *p = c->rotation, length = s * c->length, *k = c->curvature;
    const double norm = sqrt(p[0] * p[0] + dot3(p + 1, p + 1));
    const int pieces = 1 + (int)(sqrt(dot3(k, k)) * fabs(length) / 3.0);
    const double part = length / pieces, theta[6] = {part, 0.0, 0.0, part * k[0], part * k[1], part * k[2]};
    double coef[COEF_USED], series[8];
    for (int i = 0; i < 4 && norm > 0.0; ++i) {
        q[3 + i] = p[i] / norm;
    }
    (void)angle_first(coef, series, theta + 3);
    for (int i = 0; i < pieces; ++i) {
        se3_retract(next, q, theta, coef);
        memcpy(q, next, sizeof q);
    }
    memcpy(pose, q, sizeof q);
}

/* ---- splines ---------------------------------------------------------------------------------- */

/* Knots t by chords, second derivatives M, arc lengths S at the knots. */
typedef struct spline {
    const double *x;
    int n;
    double *t, *M, *S, *work;
} spline;

static void chords(spline *p)
{
    p->t[0] = 0.0;
    for (int i = 1; i < p->n; ++i) {
        const double *a = p->x + 3 * (i - 1), *b = p->x + 3 * i, d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        p->t[i] = p->t[i - 1] + sqrt(dot3(d, d));
    }
}

/* Second derivatives with a third derivative that does not jump at the second and last but one knot: three points give a
 * parabola, two a line */
static void bend(spline *p)
{
    const int n = p->n;
    double *diagonal = p->work, *upper = p->work + n;
    memset(p->M, 0, (size_t)(3 * n) * sizeof(double));
    if (n < 3) {
        return;
    }
    for (int i = 1; i < n - 1; ++i) {
        const double h0 = p->t[i] - p->t[i - 1], h1 = p->t[i + 1] - p->t[i];
        double below = h0, on = 2.0 * (h0 + h1), above = h1;
        if (i == 1) { // M_0 = M_1 (1 + h0/h1) - M_2 h0/h1
            on += h0 * (1.0 + h0 / h1);
            above -= h0 * h0 / h1;
        }
        if (i == n - 2) {
            on += h1 * (1.0 + h1 / h0);
            below -= h1 * h1 / h0;
        }
        if (n == 3) {
            on = 3.0 * (h0 + h1); // a parabola
        }
        const double f = i > 1 ? below / diagonal[i - 1] : 0.0;
        diagonal[i] = on - (i > 1 ? f * upper[i - 1] : 0.0);
        upper[i] = above;
        for (int k = 0; k < 3; ++k) {
            const double *x = p->x + 3 * i + k;
            p->M[3 * i + k] =
                6.0 * ((x[3] - x[0]) / h1 - (x[0] - x[-3]) / h0) - (i > 1 ? f * p->M[3 * (i - 1) + k] : 0.0);
        }
    }
    for (int i = n - 2; i >= 1; --i) {
        for (int k = 0; k < 3; ++k) {
            const double next = i < n - 2 ? upper[i] * p->M[3 * (i + 1) + k] : 0.0;
            p->M[3 * i + k] = (p->M[3 * i + k] - next) / diagonal[i];
        }
    }
    const double a = n > 3 ? (p->t[1] - p->t[0]) / (p->t[2] - p->t[1]) : 0.0;
    const double b = n > 3 ? (p->t[n - 1] - p->t[n - 2]) / (p->t[n - 2] - p->t[n - 3]) : 0.0;
    for (int k = 0; k < 3; ++k) {
        p->M[k] = p->M[3 + k] * (1.0 + a) - (n > 3 ? p->M[6 + k] * a : 0.0);
        p->M[3 * (n - 1) + k] = p->M[3 * (n - 2) + k] * (1.0 + b) - (n > 3 ? p->M[3 * (n - 3) + k] * b : 0.0);
    }
}

/* Place and derivative at t in piece i */
static void spline_at(double x[3], double xd[3], const spline *p, int i, double t)
{
    const double h = p->t[i + 1] - p->t[i], a = (p->t[i + 1] - t) / h, b = 1.0 - a;
    for (int k = 0; k < 3; ++k) {
        const double x0 = p->x[3 * i + k], x1 = p->x[3 * i + 3 + k], M0 = p->M[3 * i + k], M1 = p->M[3 * i + 3 + k];
        x[k] = a * x0 + b * x1 + h * h / 6.0 * (a * (a * a - 1.0) * M0 + b * (b * b - 1.0) * M1);
        xd[k] = (x1 - x0) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * M0 + (3.0 * b * b - 1.0) * M1);
    }
}

/* Arc length from t0 to t1 within piece i: Gauss with five points on eight parts */
static double stretch(const spline *p, int i, double t0, double t1)
{
    static const double node[3] = {0.0, 0.538469310105683, 0.906179845938664},
                        weight[3] = {0.568888888888889, 0.478628670499366, 0.236926885056189};
    double sum = 0.0, x[3], xd[3];
    for (int part = 0; part < 8; ++part) {
        const double half = (t1 - t0) / 16.0, mid = t0 + (2 * part + 1) * half;
        for (int k = -2; k <= 2; ++k) {
            const int j = k < 0 ? -k : k;
            spline_at(x, xd, p, i, mid + (k < 0 ? -half : half) * node[j]);
            sum += half * weight[j] * sqrt(dot3(xd, xd));
        }
    }
    return sum;
}

/* Place and unit tangent at an arc length */
static void spline_place(double x[3], double tangent[3], const spline *p, double s)
{
    int i = 0;
    while (i < p->n - 2 && s > p->S[i + 1]) {
        ++i;
    }
    const double whole = p->S[i + 1] - p->S[i];
    double t = p->t[i] + (s - p->S[i]) / whole * (p->t[i + 1] - p->t[i]), norm;
    for (int it = 0; it < 20; ++it) {
        spline_at(x, tangent, p, i, t);
        norm = sqrt(dot3(tangent, tangent));
        const double step = (p->S[i] + stretch(p, i, p->t[i], t) - s) / norm;
        t -= step;
        if (fabs(step) <= 1e-15 * p->t[p->n - 1]) {
            break;
        }
    }
    spline_at(x, tangent, p, i, t);
    norm = sqrt(dot3(tangent, tangent));
    for (int k = 0; k < 3; ++k) {
        tangent[k] /= norm;
    }
}

/* r := r less its share along a unit vector, of length one; 0: nothing is left */
static int across(double r[3], const double t[3])
{
    const double along = dot3(r, t);
    for (int k = 0; k < 3; ++k) {
        r[k] -= along * t[k];
    }
    const double norm = sqrt(dot3(r, r));
    for (int k = 0; k < 3; ++k) {
        r[k] /= norm > 0.0 ? norm : 1.0;
    }
    return norm > 1e-8;
}

/* r := r - 2 v (v.r)/(v.v) */
static void reflect(double r[3], const double v[3])
{
    const double f = 2.0 * dot3(v, r) / dot3(v, v);
    for (int k = 0; k < 3; ++k) {
        r[k] -= f * v[k];
    }
}

enum { TRANSPORTS = 64 }; /* of the frame between two places */

/* The frame that turns least, by two reflections a step: axis 2 (r) goes along from s0 to s1 */
static void transport(double x[3], double t[3], double r[3], const spline *p, double s0, double s1)
{
    for (int k = 1; k <= TRANSPORTS; ++k) {
        double y[3], u[3], v[3], w[3], turned[3];
        memcpy(turned, t, sizeof turned);
        spline_place(y, u, p, s0 + (s1 - s0) * k / TRANSPORTS);
        for (int i = 0; i < 3; ++i) {
            v[i] = y[i] - x[i];
        }
        if (dot3(v, v) > 0.0) {
            reflect(r, v);
            reflect(turned, v);
            for (int i = 0; i < 3; ++i) {
                w[i] = u[i] - turned[i];
            }
            if (dot3(w, w) > 0.0) {
                reflect(r, w);
            }
        }
        memcpy(x, y, sizeof y);
        memcpy(t, u, sizeof u);
        (void)across(r, t);
    }
}

/* Axis 2 at the start: as given, or z x t, or x */
static void first_axis(double r[3], const dal_curve *c, const double t[3])
{
    const double z[3] = {0.0, 0.0, 1.0};
    memcpy(r, c->axis_2, 3 * sizeof(double));
    if (dot3(r, r) > 0.0 && across(r, t)) {
        return;
    }
    cross3(r, z, t);
    if (!across(r, t)) {
        r[0] = 1.0, r[1] = r[2] = 0.0;
        (void)across(r, t);
    }
}

static void spline_frames(double *pose, const dal_curve *c, const spline *p, const double *s, int n)
{
    const double whole = p->S[p->n - 1];
    double x[3], t[3], r[3], at = 0.0, R[9];
    spline_place(x, t, p, 0.0);
    first_axis(r, c, t);
    for (int i = 0; i < n; ++i) {
        if (s[i] * whole > at) {
            transport(x, t, r, p, at, s[i] * whole);
            at = s[i] * whole;
        }
        memcpy(R, t, sizeof t);
        memcpy(R + 3, r, sizeof r);
        cross3(R + 6, t, r);
        memcpy(pose + 7 * i, x, sizeof x);
        dal_quat_from_matrix(pose + 7 * i + 3, R);
    }
}

/* ---- both ------------------------------------------------------------------------------------- */

static void turn(double pose[7], double angle)
{
    const double e[4] = {cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0};
    double p[4];
    quat_mul(p, pose + 3, e);
    memcpy(pose + 3, p, sizeof p);
}

static dal_status check_curve(dal_ctx *ctx, const dal_curve *c, const double *s, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!(s[i] >= 0.0 && s[i] <= 1.0) || (i > 0 && !(s[i] >= s[i - 1]))) {
            return dal_fail(ctx, DAL_EINVAL, "curve: places ascend from 0 to 1, the parts of its length");
        }
    }
    if (c->npoints == 0) {
        return c->length > 0.0 && isfinite(c->length) && isfinite(dot3(c->curvature, c->curvature))
                   ? DAL_OK
                   : dal_fail(ctx, DAL_EINVAL, "curve: its length, %g, must be positive and its curvature finite",
                              c->length);
    }
    for (int i = 0; i < 3 * c->npoints; ++i) {
        const double *d = c->point + 3 * (i / 3);
        const double gap[3] = {d[0] - d[-3 * (i >= 3)], d[1] - d[-3 * (i >= 3) + 1], d[2] - d[-3 * (i >= 3) + 2]};
        if (!isfinite(c->point[i]) || (i >= 3 && !(dot3(gap, gap) > 0.0))) {
            return dal_fail(ctx, DAL_EINVAL, "curve: point %d is not finite, or is the one before it", i / 3 + 1);
        }
    }
    return c->npoints > 1 ? DAL_OK : dal_fail(ctx, DAL_EINVAL, "curve: a spline needs two points at least");
}

dal_status dal_curve_frames(dal_ctx *ctx, double *length, double *pose, const dal_curve *curve, const double *s, int n)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, curve);
    DAL_NEED(ctx, pose);
    DAL_NEED(ctx, s);
    DAL_TRY(check_curve(ctx, curve, s, n));
    if (curve->npoints == 0) {
        for (int i = 0; i < n; ++i) {
            screw_frame(pose + 7 * i, curve, s[i]);
        }
    } else {
        const int m = curve->npoints;
        double *room = dal_alloc(ctx, (size_t)(7 * m) * sizeof *room);
        if (!room) {
            return dal_fail(ctx, DAL_ENOMEM, "curve: no memory");
        }
        spline p = {curve->point, m, room, room + m, room + 4 * m, room + 5 * m};
        chords(&p);
        bend(&p);
        p.S[0] = 0.0;
        for (int i = 0; i < m - 1; ++i) {
            p.S[i + 1] = p.S[i] + stretch(&p, i, p.t[i], p.t[i + 1]);
        }
        spline_frames(pose, curve, &p, s, n);
        if (length) {
            *length = p.S[m - 1];
        }
        dal_free(ctx, room);
    }
    for (int i = 0; i < n && curve->twist != 0.0; ++i) {
        turn(pose + 7 * i, curve->twist * s[i]);
    }
    if (length && curve->npoints == 0) {
        *length = curve->length;
    }
    return DAL_OK;
}
