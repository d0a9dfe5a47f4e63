#include "oracle_impl.h"

#include <math.h>
#include <string.h>

/* ---- a step ----------------------------------------------------------------------------------- */

static void retract(double *q1, const oracle *o, const double *q, const double *theta)
{
    if (oracle_is_curved(o)) {
        oracle_move(q1, q, theta, o->bodies);
        for (int k = 0; k < o->modes; ++k) {
            q1[7 * o->bodies + k] = q[7 * o->bodies + k] + theta[6 * o->bodies + k];
        }
        return;
    }
    for (int i = 0; i < o->nv; ++i) {
        q1[i] = q[i] + theta[i];
    }
}

/* y = T(theta)^power x, power 1 or -1, on the rotations of bodies. */
static void apply_tangent(double *y, const oracle *o, const double *theta, const double *x, int power)
{
    memcpy(y, x, (size_t)o->nv * sizeof *y);
    for (int b = 0; oracle_is_curved(o) && b < o->bodies; ++b) {
        const int k = 6 * b + 3;
        (power > 0 ? oracle_tangent : oracle_inverse_tangent)(y + k, theta + k, x + k);
    }
}

/* y = P^-1 x, P = sigma I + (1 - sigma) T(theta) */
static void apply_inverse_P(double *y, const oracle *o, const double *theta, const double *x)
{
    memcpy(y, x, (size_t)o->nv * sizeof *y);
    for (int b = 0; oracle_is_curved(o) && b < o->bodies; ++b) {
        double P[9];
        for (int j = 0; j < 3; ++j) {
            const double e[3] = {j == 0, j == 1, j == 2};
            oracle_tangent(P + 3 * j, theta + 6 * b + 3, e);
            for (int i = 0; i < 3; ++i) {
                P[i + 3 * j] = (1.0 - o->m.sigma) * P[i + 3 * j] + o->m.sigma * e[i];
            }
        }
        oracle_solve3(y + 6 * b + 3, P, x + 6 * b + 3);
    }
}

/* v' and a that belong to v */
static void accelerations(const oracle *o, oracle_state *s)
{
    for (int i = 0; i < o->nv; ++i) {
        s->a[i] = (s->v[i] - o->s0.v[i] - o->h * (1.0 - o->gamma) * o->s0.a[i]) / (o->h * o->gamma);
        s->vd[i] =
            ((1.0 - o->alpha_m) * s->a[i] + o->alpha_m * o->s0.a[i] - o->alpha_f * o->s0.vd[i]) / (1.0 - o->alpha_f);
    }
}

/* Residual of all equations at s1; with (GA.2) if the relation is solved. Lengths as in o->n. */
static void residual(double *F, const oracle *o, const oracle_state *s)
{
    double r[ORACLE_NV], Phi[ORACLE_NC], vel[ORACLE_NC], B[ORACLE_NC * ORACLE_NV], back[ORACLE_NV], push[ORACLE_NV];
    const double h = o->h;
    int n = 0;
    oracle_evaluate(r, Phi, vel, B, o, o->t + h, s);
    for (int i = 0; i < o->nv; ++i) {
        F[n++] = r[i];
    }
    for (int i = 0; i < o->nc; ++i) {
        F[n++] = o->m.formulation == ORACLE_INDEX2 ? vel[i] : Phi[i];
    }
    for (int i = 0; o->m.formulation == ORACLE_GGL && i < o->nc; ++i) {
        F[n++] = vel[i];
    }
    if (o->m.factor > 0.0) {
        return;
    }
    memset(push, 0, sizeof push);
    for (int j = 0; o->m.formulation == ORACLE_GGL && j < o->nv; ++j) {
        for (int i = 0; i < o->nc; ++i) {
            push[j] += o->B0[i + o->nc * j] * s->eta[i];
        }
    }
    for (int i = 0; i < o->nv; ++i) {
        push[i] = o->m.sigma * (o->beta / o->gamma) * s->v[i] - push[i];
    }
    apply_tangent(back, o, s->theta, push, -1);
    for (int i = 0; i < o->nv; ++i) {
        F[n++] = s->theta[i] / h - o->s0.v[i] - h * ((0.5 - o->beta) * o->s0.a[i] + o->beta * s->a[i]) - back[i] +
                 o->m.sigma * (o->beta / o->gamma) * s->v[i];
    }
}

/* What increments dx do: unknowns (theta, lambda, eta, v); of the printed algorithms (theta, lambda, eta) alone. */
static void update(oracle_state *to, const oracle *o, const oracle_state *s, const double *dx, int simplified)
{
    const int ggl = o->m.formulation == ORACLE_GGL;
    const double gp = o->gamma / (o->h * o->beta), kv = (1.0 - o->alpha_m) / (o->h * o->gamma * (1.0 - o->alpha_f));
    double w[ORACLE_NV], dv[ORACLE_NV];
    *to = *s;
    for (int i = 0; i < o->nc; ++i) {
        to->la[i] += dx[o->nv + i];
        to->eta[i] += ggl ? dx[o->nv + o->nc + i] : 0.0;
    }
    if (o->m.factor == 0.0) {
        const double *d = dx + o->nv + (1 + ggl) * o->nc;
        for (int i = 0; i < o->nv; ++i) {
            to->theta[i] += dx[i];
            to->v[i] += d[i];
        }
        retract(to->q, o, o->s0.q, to->theta);
        accelerations(o, to);
        return;
    }
    if (simplified || o->m.sigma == 1.0) {
        retract(to->q, o, s->q, dx);
    } else {
        apply_tangent(w, o, s->theta, dx, -1);
        for (int i = 0; i < o->nv; ++i) {
            to->theta[i] += w[i];
        }
        retract(to->q, o, o->s0.q, to->theta);
    }
    memcpy(w, dx, sizeof w);
    for (int j = 0; ggl && j < o->nv; ++j) {
        for (int i = 0; i < o->nc; ++i) {
            w[j] += o->B0[i + o->nc * j] * dx[o->nv + o->nc + i];
        }
    }
    memcpy(dv, w, sizeof dv);
    if (!simplified) {
        if (o->m.unsimplified) {
            apply_tangent(dv, o, s->theta, w, -1);
            apply_tangent(w, o, to->theta, dv, 1);
        }
        apply_inverse_P(dv, o, o->m.old ? s->theta : to->theta, w);
    }
    for (int i = 0; i < o->nv; ++i) {
        to->v[i] += gp * dv[i];
        to->vd[i] += kv * gp * dv[i];
    }
}

/* Size that a change of unknown k should have for differences. */
static double small(const oracle *o, int k)
{
    const int ggl = o->m.formulation == ORACLE_GGL, v = o->nv + (1 + ggl) * o->nc;
    if (k < o->nv) {
        return o->m.rows ? 1e-6 : o->m.published ? 1e-4 * o->h : o->m.factor > 0.0 ? 1e-7 * o->h : 1e-7;
    }
    return k < v ? 1e-2 : 1e-6;
}

/* F += sign F(q and v of s, v' and lambda of forces, or none) */
static void add_residual(double *F, const oracle *o, double sign, const oracle_state *s, const oracle_state *forces)
{
    double part[ORACLE_N] = {0.0};
    oracle_state at = *s;
    for (int i = 0; i < o->nv; ++i) {
        at.vd[i] = forces ? forces->vd[i] : 0.0;
    }
    for (int i = 0; i < o->nc; ++i) {
        at.la[i] = forces ? forces->la[i] : 0.0;
    }
    residual(part, o, &at);
    for (int i = 0; i < o->n; ++i) {
        F[i] += sign * part[i];
    }
}

/* o->J = the matrix of derivatives by differences; as published those of q and v are taken for v' = 0 and lambda = 0. */
static void differences(oracle *o)
{
    double dx[ORACLE_N] = {0.0};
    oracle_state s;
    const int forces = o->m.published && !o->m.exact;
    double r[ORACLE_NV], Phi[ORACLE_NC], vel[ORACLE_NC], B[ORACLE_NC * ORACLE_NV];
    oracle_evaluate(r, Phi, vel, B, o, o->t + o->h, &o->s1);
    for (int k = 0; k < o->n; ++k) {
        double *column = o->J + (size_t)o->n * (size_t)k;
        memset(column, 0, (size_t)o->n * sizeof *column);
        for (int side = 1; side >= -1; side -= 2) {
            dx[k] = side * small(o, k);
            const double part = 0.5 / dx[k];
            update(&s, o, &o->s1, dx, o->m.newton == ORACLE_SIMPLIFIED);
            add_residual(column, o, part, forces ? &o->s1 : &s, &s);
            if (forces) {
                add_residual(column, o, part, &s, NULL);
            }
        }
        dx[k] = 0.0;
        if (o->m.rows && k < o->nv) {
            memcpy(column + o->nv, B + (size_t)o->nc * (size_t)k, (size_t)o->nc * sizeof *B);
        }
    }
}

/* ... factored with row pivots. */
static void factor(oracle *o)
{
    const int n = o->n;
    differences(o);
    double scale[ORACLE_N] = {0.0};
    for (int i = 0; i < n * n; ++i) {
        scale[i % n] = fmax(scale[i % n], fabs(o->J[i]));
    }
    memcpy(o->scale, scale, sizeof scale);
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(o->J[i + n * k]) * scale[p] > fabs(o->J[p + n * k]) * scale[i] ? i : p;
        }
        o->pivot[k] = p;
        const double other = scale[p];
        scale[p] = scale[k];
        scale[k] = other;
        for (int j = 0; j < n; ++j) {
            const double x = o->J[k + n * j];
            o->J[k + n * j] = o->J[p + n * j];
            o->J[p + n * j] = x;
        }
        for (int i = k + 1; i < n; ++i) {
            o->J[i + n * k] /= o->J[k + n * k];
            for (int j = k + 1; j < n; ++j) {
                o->J[i + n * j] -= o->J[i + n * k] * o->J[k + n * j];
            }
        }
    }
    o->factored = 1;
    o->matrices++;
}

static void back_substitute(const oracle *o, double *x)
{
    const int n = o->n;
    for (int k = 0; k < n; ++k) {
        const double y = x[o->pivot[k]];
        x[o->pivot[k]] = x[k];
        x[k] = y;
    }
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1; i < n; ++i) {
            x[i] -= o->J[i + n * k] * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= o->J[k + n * k];
        for (int i = 0; i < k; ++i) {
            x[i] -= o->J[i + n * k] * x[k];
        }
    }
}

/* With v' = 0 and lambda = 0, as published. */
static void predict(oracle *o)
{
    const double h = o->h, turned = o->m.factor * o->m.sigma * h * o->beta / o->gamma;
    oracle_state *s = &o->s1;
    *s = o->s0;
    memset(s->la, 0, sizeof s->la);
    memset(s->eta, 0, sizeof s->eta);
    memset(s->vd, 0, sizeof s->vd);
    for (int i = 0; i < o->nv; ++i) {
        s->a[i] = (o->alpha_f * o->s0.vd[i] - o->alpha_m * o->s0.a[i]) / (1.0 - o->alpha_m);
        s->v[i] = o->s0.v[i] + h * ((1.0 - o->gamma) * o->s0.a[i] + o->gamma * s->a[i]);
        s->theta[i] = h * (o->s0.v[i] + h * ((0.5 - o->beta) * o->s0.a[i] + o->beta * s->a[i]));
    }
    for (int b = 0; oracle_is_curved(o) && b < o->bodies; ++b) {
        double w[3];
        oracle_cross(w, s->v + 6 * b + 3, s->theta + 6 * b + 3);
        for (int i = 0; i < 3; ++i) {
            s->theta[6 * b + 3 + i] -= turned * w[i];
        }
    }
    retract(s->q, o, o->s0.q, s->theta);
}

/* Increments in units of the tolerance: positions, and multipliers against the largest; those of the unit length of Euler
 * parameters are not looked at. */
static double size(const oracle *o, const double *dx, double rtol)
{
    double most = 1e-300, worst = 0.0;
    for (int i = 0; i < o->p->nc; ++i) {
        most = fmax(most, fabs(o->s1.la[i]));
    }
    for (int i = 0; i < o->nv; ++i) {
        worst += dx[i] * 0.0; // NaN stays
        worst = isnan(worst) ? worst : fmax(worst, fabs(dx[i]) / (rtol * (fabs(o->s1.theta[i]) + 1e-2)));
    }
    for (int i = 0; i < o->p->nc; ++i) {
        worst = fmax(worst, fabs(dx[o->nv + i]) / (rtol * most));
    }
    return worst;
}

static double length(const oracle *o, const oracle_state *s)
{
    double F[ORACLE_N] = {0.0}, sum = 0.0;
    residual(F, o, s);
    for (int i = 0; i < o->n; ++i) {
        sum += F[i] * F[i] / (o->scale[i] * o->scale[i]);
    }
    return sqrt(sum);
}

/* Full Newton steps, halved while the residual grows: for the hard cases. */
static int solve_with_care(oracle *o)
{
    for (int it = 0; it < 100; ++it) {
        double dx[ORACLE_N] = {0.0}, now = INFINITY;
        oracle_state s;
        factor(o);
        const double start = length(o, &o->s1);
        residual(dx, o, &o->s1);
        for (int i = 0; i < o->n; ++i) {
            dx[i] = -dx[i];
        }
        back_substitute(o, dx);
        for (int k = 0; k < 12; ++k) {
            update(&s, o, &o->s1, dx, 0);
            now = length(o, &s);
            if (now < start) {
                break;
            }
            for (int i = 0; i < o->n; ++i) {
                dx[i] *= 0.5;
            }
        }
        o->s1 = now < start || it == 0 ? s : o->s1;
        // the multipliers of the unit length are hardly determined here: it is the residual that tells
        if (size(o, dx, 1e-11) <= 1.0 || fmin(start, now) < 1e-12) {
            return 1;
        }
        if (!(now < start)) {
            return 0;
        }
    }
    return 0;
}

static int solve(oracle *o)
{
    const int thrifty = o->m.newton == ORACLE_THRIFTY, keeps = thrifty || o->m.newton == ORACLE_MODIFIED;
    const double rtol = thrifty ? 1e-13 : o->m.rtol;
    double last = INFINITY;
    for (int it = 0; it < 30; ++it) {
        double dx[ORACLE_N] = {0.0};
        if (!keeps || !o->factored) {
            factor(o);
        }
        residual(dx, o, &o->s1);
        for (int i = 0; i < o->n; ++i) {
            dx[i] = -dx[i];
        }
        back_substitute(o, dx);
        oracle_state s;
        update(&s, o, &o->s1, dx, 0);
        o->s1 = s;
        o->iterations++;
        const double now = size(o, dx, rtol), rate = now / last;
        if (!isfinite(now)) {
            return 0;
        }
        // rounding: no further decrease of what is small already
        if ((it > 0 && rate < 1.0 && now * rate / (1.0 - rate) <= 1.0) || now <= 1e-3 ||
            (thrifty && now < 1e4 && rate > 0.1)) {
            o->factored = keeps && (!thrifty || it < 8);
            return 1;
        }
        if (keeps && rate > (thrifty ? 0.3 : 0.5)) {
            o->factored = 0;
        }
        last = now;
    }
    return 0;
}

/* Until the root mean square of the residual is 1e-10, or rtol of what it was; matrices are kept while it is halved. */
static int solve_as_published(oracle *o)
{
    double first = INFINITY, last = INFINITY;
    const int most = o->m.exact ? 40 : 20;
    for (int it = 0; it <= most; ++it) {
        double dx[ORACLE_N] = {0.0}, sum = 0.0;
        residual(dx, o, &o->s1);
        for (int i = 0; i < o->n; ++i) {
            sum += dx[i] * dx[i];
            dx[i] = -dx[i];
        }
        const double now = sqrt(sum / o->n);
        first = it == 0 ? now : first;
        if (it > 0 && (now <= 1e-10 || now <= o->m.rtol * first)) {
            return 1;
        }
        if (!isfinite(now) || it == most) {
            return 0;
        }
        if (o->m.newton != ORACLE_MODIFIED || !o->factored || (it > 0 && now > 0.5 * last)) {
            factor(o);
        }
        back_substitute(o, dx);
        oracle_state s;
        update(&s, o, &o->s1, dx, 0);
        o->s1 = s;
        o->iterations++;
        last = now;
    }
    return 0;
}

int oracle_step(oracle *o)
{
    double r[ORACLE_NV], Phi[ORACLE_NC], vel[ORACLE_NC];
    if (o->m.formulation == ORACLE_GGL) {
        oracle_evaluate(r, Phi, vel, o->B0, o, o->t, &o->s0);
    }
    predict(o);
    int good = o->m.published ? solve_as_published(o) : solve(o);
    if (!good && o->m.newton == ORACLE_THRIFTY) {
        predict(o);
        o->factored = 0;
        good = solve_with_care(o);
        o->factored = 0;
    }
    if (!good) {
        return 0;
    }
    for (int i = 0; i < o->nv; ++i) {
        o->s1.a[i] = ((1.0 - o->alpha_f) * o->s1.vd[i] + o->alpha_f * o->s0.vd[i] - o->alpha_m * o->s0.a[i]) /
                     (1.0 - o->alpha_m);
    }
    o->s0 = o->s1;
    o->steps++;
    o->t = (double)o->steps * o->h;
    return 1;
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Coordinates, velocities and accelerations of a body in the chart. */
static void start_body(oracle *o, int b, const double *q, const double *v, const double *vd)
{
    const int w = oracle_width(o);
    double *x = o->s0.q + w * b, *u = o->s0.v + w * b, *a = o->s0.vd + w * b, *p = x + 3, E[12], Ed[12];
    const double *Om = v + 6 * b + 3, *Omd = vd + 6 * b + 3, *e = q + 7 * b + 3;
    for (int i = 0; i < 3; ++i) {
        x[i] = q[7 * b + i], u[i] = v[6 * b + i], a[i] = vd[6 * b + i];
    }
    if (o->m.chart == ORACLE_EULER) {
        // p' = p Omega/2, p'' = p Omega'/2 - |Omega|^2 p/4
        for (int i = 0; i < 4; ++i) {
            p[i] = e[i];
        }
        for (int k = 0; k < 2; ++k) {
            const double *y = k == 0 ? Om : Omd;
            double c[3], *to = k == 0 ? u + 3 : a + 3;
            oracle_cross(c, e + 1, y);
            to[0] = -0.5 * (e[1] * y[0] + e[2] * y[1] + e[3] * y[2]);
            for (int i = 0; i < 3; ++i) {
                to[1 + i] = 0.5 * (e[0] * y[i] + c[i]);
            }
        }
        const double s = 0.25 * (Om[0] * Om[0] + Om[1] * Om[1] + Om[2] * Om[2]);
        for (int i = 0; i < 4; ++i) {
            a[3 + i] -= s * e[i];
        }
        return;
    }
    // R = R_x R_y R_z: R_13 = sin b, R_23 = -sin a cos b, R_33 = cos a cos b, R_12 = -cos b sin c, R_11 = cos b cos c
    p[1] = asin(2.0 * (e[1] * e[3] + e[0] * e[2]));
    p[0] = atan2(-2.0 * (e[2] * e[3] - e[0] * e[1]), 1.0 - 2.0 * (e[1] * e[1] + e[2] * e[2]));
    p[2] = atan2(-2.0 * (e[1] * e[2] - e[0] * e[3]), 1.0 - 2.0 * (e[2] * e[2] + e[3] * e[3]));
    oracle_rates_of(E, Ed, o, b, o->s0.q, o->s0.v);
    oracle_solve3(u + 3, E, Om);
    oracle_rates_of(E, Ed, o, b, o->s0.q, o->s0.v);
    double rest[3];
    for (int i = 0; i < 3; ++i) {
        rest[i] = Omd[i] - Ed[i] * u[3] - Ed[i + 3] * u[4] - Ed[i + 6] * u[5];
    }
    oracle_solve3(a + 3, E, rest);
}

void oracle_begin(oracle *o, const problem *p, const oracle_method *m, double h, const double *q, const double *v,
                  const double *vd, const double *la)
{
    memset(o, 0, sizeof *o);
    o->p = p;
    o->m = *m;
    o->h = h;
    o->bodies = p->nq - p->nv;
    o->modes = o->bodies > 0 ? p->nv - 6 * o->bodies : 0;
    const int chart = o->bodies > 0 && m->chart != ORACLE_GROUP;
    o->nq = chart ? oracle_width(o) * o->bodies + o->modes : p->nq;
    o->nv = chart ? oracle_width(o) * o->bodies + o->modes : p->nv;
    o->nc = p->nc + (m->chart == ORACLE_EULER ? o->bodies : 0);
    o->n = o->nv + (m->formulation == ORACLE_GGL ? 2 : 1) * o->nc + (m->factor > 0.0 ? 0 : o->nv);
    o->alpha_m = (2.0 * m->rho - 1.0) / (m->rho + 1.0);
    o->alpha_f = m->rho / (m->rho + 1.0);
    o->gamma = 0.5 + o->alpha_f - o->alpha_m;
    o->beta = 0.25 * (o->gamma + 0.5) * (o->gamma + 0.5);
    if (!chart) {
        memcpy(o->s0.q, q, (size_t)p->nq * sizeof *q);
        memcpy(o->s0.v, v, (size_t)p->nv * sizeof *v);
        memcpy(o->s0.vd, vd, (size_t)p->nv * sizeof *v);
    }
    for (int b = 0; chart && b < o->bodies; ++b) {
        start_body(o, b, q, v, vd);
    }
    for (int k = 0, to = oracle_width(o) * o->bodies; chart && k < o->modes; ++k) {
        o->s0.q[to + k] = q[7 * o->bodies + k];
        o->s0.v[to + k] = v[6 * o->bodies + k];
        o->s0.vd[to + k] = vd[6 * o->bodies + k];
    }
    memcpy(o->s0.a, o->s0.vd, sizeof o->s0.a);
    memcpy(o->s0.la, la, (size_t)p->nc * sizeof *la);
}

void oracle_open(oracle *o, const problem *p, const oracle_method *m, double h)
{
    const double t0 = 0.0;
    double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
    problem_exact(p, q, v, vd, la, &t0, 1);
    oracle_begin(o, p, m, h, q, v, vd, la);
}

void oracle_base(double *q, double *v, const oracle *o)
{
    if (o->bodies > 0 && o->m.chart != ORACLE_GROUP) {
        oracle_to_base(q, v, NULL, o, o->s0.q, o->s0.v, NULL);
        return;
    }
    memcpy(q, o->s0.q, (size_t)o->p->nq * sizeof *q);
    memcpy(v, o->s0.v, (size_t)o->p->nv * sizeof *v);
}
