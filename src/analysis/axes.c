/* Perturbations in axes of the bodies or in axes that turn: rates, carrying over, steady motion. */
#include "analysis/axes.h"

#include <math.h>

#include "base/vector.h"
#include "lie/mat3.h"
#include "linsol/subspace.h"

/* The vectors a factor consists of: where they start in v, and whether they are in world or in body axes. */
typedef struct vectors {
    int position, rotation; /* offsets in v of the factor; -1: none */
    int world;              /* the position is in world axes */
    int planar;             /* two components, and the angle is a number */
    int quaternion;         /* offset in q; -1: none */
} vectors;

static int is_place(const dal_system *sys, int number)
{
    return sys && sys->names.is_place && sys->group->factor[number].nv == 3 && sys->names.is_place(number, sys->user);
}

static vectors vectors_of(const dal_factor *f, const dal_system *sys, int number)
{
    switch (f->type->kind) {
    case DAL_FACTOR_SO3:
        return (vectors){-1, 0, 0, 0, 0};
    case DAL_FACTOR_R3SO3:
        return (vectors){0, 3, 1, 0, 3};
    case DAL_FACTOR_SE3:
        return (vectors){0, 3, 0, 0, 3};
    case DAL_FACTOR_SE2:
        return (vectors){0, -1, 0, 1, -1};
    case DAL_FACTOR_R2S1:
        return (vectors){0, -1, 1, 1, -1};
    default: // places of points, and numbers that have nothing to do with axes
        return (vectors){is_place(sys, number) ? 0 : -1, -1, 1, 0, -1};
    }
}

int dal_axes_flat(const dal_group *G, int f, const dal_axes_choice *axes)
{
    return G->factor[f].type->kind == DAL_FACTOR_RN && !is_place(axes->sys, f);
}

static void rotate_back(double y[3], const double *p, const double x[3])
{
    const double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    dal_quat_rotate(y, conjugate, x);
}

/* X[i.., j..] += w~ in a matrix with leading dimension ld */
static void put_tilde(double *X, int ld, int at, const double w[3])
{
    double W[9];
    mat3_scalar_tilde(W, 3, 0.0, w);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            X[at + i + (at + j) * ld] = W[i + 3 * j];
        }
    }
}

void dal_axes_rate(double *D, const dal_group *G, int f, const dal_axes_choice *axes, const double *q, const double *v)
{
    const dal_factor *F = &G->factor[f];
    const vectors x = vectors_of(F, axes->sys, f);
    const int n = F->nv;
    dal_zero(D, n * n);
    if (axes->body) {
        return;
    }
    if (x.planar) {
        const double rate = axes->turning[2] - (x.world ? 0.0 : v[F->v + 2]);
        D[1] = rate;
        D[n] = -rate;
        return;
    }
    double w[3];
    if (x.rotation >= 0) {
        rotate_back(w, q + F->q + x.quaternion, axes->turning);
        for (int i = 0; i < 3; ++i) {
            w[i] -= v[F->v + x.rotation + i];
        }
        put_tilde(D, n, x.rotation, w);
    }
    if (x.position >= 0) {
        put_tilde(D, n, x.position, x.world ? axes->turning : w);
    }
}

/* T = R1^T exp(turning dt) R0 for vectors in body axes, exp(turning dt) for those in world axes */
void dal_axes_carry(double *T, const dal_group *G, int f, const dal_axes_choice *axes, const double *q0,
                    const double *q1, double dt)
{
    const dal_factor *F = &G->factor[f];
    const vectors x = vectors_of(F, axes->sys, f);
    const int n = F->nv;
    dal_zero(T, n * n);
    for (int i = 0; i < n; ++i) {
        T[i + i * n] = 1.0;
    }
    if (axes->body) {
        return;
    }
    if (x.planar) {
        const double angle = axes->turning[2] * dt - (x.world ? 0.0 : q1[F->q + 2] - q0[F->q + 2]);
        T[0] = T[1 + n] = cos(angle);
        T[1] = sin(angle);
        T[n] = -T[1];
        return;
    }
    const double w[3] = {axes->turning[0] * dt, axes->turning[1] * dt, axes->turning[2] * dt};
    double p[4];
    dal_quat_from_vector(p, w);
    for (int part = 0; part < 2; ++part) {
        const int at = part == 0 ? x.position : x.rotation, body = part == 1 || !x.world;
        for (int j = 0; j < 3 && at >= 0; ++j) {
            double e[3] = {j == 0, j == 1, j == 2}, y[3];
            if (body) {
                dal_quat_rotate(y, q0 + F->q + x.quaternion, e);
                dal_quat_rotate(e, p, y);
                rotate_back(y, q1 + F->q + x.quaternion, e);
            } else {
                dal_quat_rotate(y, p, e);
            }
            for (int i = 0; i < 3; ++i) {
                T[at + i + (at + j) * n] = y[i];
            }
        }
    }
}

/* S += u~^T u~, b += u x a: normal equations of a = turning x u */
static void accumulate(double S[9], double b[3], const double u[3], const double a[3])
{
    const double uu = dot3(u, u);
    double c[3];
    cross3(c, u, a);
    for (int j = 0; j < 3; ++j) {
        b[j] += c[j];
        for (int i = 0; i < 3; ++i) {
            S[i + 3 * j] += (i == j ? uu : 0.0) - u[i] * u[j];
        }
    }
}

/* One factor's vectors x (velocities or accelerations) and their rates a. */
static void accumulate_factor(double S[9], double b[3], const dal_system *sys, int f, const dal_axes_state *s,
                              const double *x, const double *a)
{
    const dal_factor *F = &sys->group->factor[f];
    const vectors k = vectors_of(F, sys, f);
    const double *v = s->v + F->v, *p = s->q + F->q + k.quaternion;
    if (k.planar) {
        const double spin = k.world ? 0.0 : v[2];
        const double u[3] = {x[0], x[1], 0.0}, ua[3] = {a[0] - spin * x[1], a[1] + spin * x[0], 0.0};
        accumulate(S, b, u, ua);
        return;
    }
    for (int part = 0; part < 2; ++part) {
        const int at = part == 0 ? k.position : k.rotation;
        double u[3], ua[3], c[3];
        if (at >= 0 && part == 0 && k.world) {
            accumulate(S, b, x + at, a + at);
        } else if (at >= 0) { // to world axes, and the rate as seen from there
            cross3(c, v + k.rotation, x + at);
            for (int i = 0; i < 3; ++i) {
                c[i] += a[at + i];
            }
            dal_quat_rotate(u, p, x + at);
            dal_quat_rotate(ua, p, c);
            accumulate(S, b, u, ua);
        }
    }
}

dal_status dal_axes_fit(double turning[3], dal_ctx *ctx, const dal_system *sys, const dal_axes_state *s)
{
    const dal_group *G = sys->group;
    double S[9] = {0.0}, b[3] = {0.0}, S2[9] = {0.0}, b2[3] = {0.0};
    const double weight = 1.0 / fmax(1.0, dal_max_abs(s->v, G->nv));
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        accumulate_factor(S, b, sys, f, s, s->v + F->v, s->vd + F->v);
        accumulate_factor(S2, b2, sys, f, s, s->vd + F->v, s->vdd + F->v);
    }
    for (int i = 0; i < 9; ++i) {
        S[i] += weight * weight * S2[i];
        b[i % 3] += i < 3 ? weight * weight * b2[i] : 0.0;
    }
    dal_kernel *k;
    DAL_TRY(dal_kernel_create(&k, ctx, S, 3, 3, 1e-9));
    dal_kernel_least(k, turning, b, 1);
    dal_kernel_destroy(k);
    return DAL_OK;
}

double dal_axes_unsteady(const dal_group *G, double *work, const dal_axes_choice *axes, const dal_axes_state *s)
{
    double D[36];
    dal_copy(work, s->vd, G->nv);
    for (int f = 0; f < G->nfactors && !axes->body; ++f) {
        const dal_factor *F = &G->factor[f];
        if (dal_axes_flat(G, f, axes)) {
            continue;
        }
        dal_axes_rate(D, G, f, axes, s->q, s->v);
        for (int j = 0; j < F->nv; ++j) {
            for (int i = 0; i < F->nv; ++i) {
                work[F->v + i] -= D[i + j * F->nv] * s->v[F->v + j];
            }
        }
    }
    return dal_max_abs(work, G->nv);
}

int dal_axes_spin(double w[3], const dal_group *G, int f, const double *q, const double *v)
{
    const dal_factor *F = &G->factor[f];
    const vectors x = vectors_of(F, NULL, f);
    w[0] = w[1] = w[2] = 0.0;
    if (x.planar) {
        w[2] = v[F->v + 2];
    } else if (x.rotation >= 0) {
        dal_quat_rotate(w, q + F->q + x.quaternion, v + F->v + x.rotation);
    }
    return x.planar || x.rotation >= 0;
}

/* x1 = x0 + dt (I + w~/2! + w~^2/3! + ...) x', w = turning dt: a velocity that turns */
static void move(double x1[3], const double x0[3], const double xd[3], const double w[3], double dt)
{
    double term[3] = {dt * xd[0], dt * xd[1], dt * xd[2]}, next[3];
    for (int i = 0; i < 3; ++i) {
        x1[i] = x0[i] + term[i];
    }
    for (int k = 2; k < 40; ++k) {
        cross3(next, w, term);
        for (int i = 0; i < 3; ++i) {
            term[i] = next[i] / k;
            x1[i] += term[i];
        }
    }
}

/* R1 = exp(turning dt) R0 exp((omega - R0^T turning) dt) */
static void turn(double p1[4], const double p0[4], const double omega[3], const double w[3], double dt)
{
    double back[3], rest[3], a[4], b[4], c[4];
    rotate_back(back, p0, w);
    for (int i = 0; i < 3; ++i) {
        rest[i] = dt * omega[i] - back[i];
    }
    dal_quat_from_vector(a, w);
    dal_quat_from_vector(b, rest);
    dal_quat_mul(c, a, p0);
    dal_quat_mul(p1, c, b);
}

/* The new configuration of a factor whose velocity is constant in turning axes. */
static void advance_factor(double *q1, const dal_factor *F, const vectors x, const double turning[3], const double *q,
                           const double *v, double dt)
{
    const double w[3] = {turning[0] * dt, turning[1] * dt, turning[2] * dt};
    double xd[3] = {v[0], F->nv > 1 ? v[1] : 0.0, F->nv > 2 ? v[2] : 0.0};
    if (x.planar) {
        const double c = x.world ? 1.0 : cos(q[2]), s = x.world ? 0.0 : sin(q[2]);
        const double u[3] = {c * v[0] - s * v[1], s * v[0] + c * v[1], 0.0}, x0[3] = {q[0], q[1], 0.0};
        double x1[3];
        const double wz[3] = {0.0, 0.0, w[2]};
        move(x1, x0, u, wz, dt);
        q1[0] = x1[0];
        q1[1] = x1[1];
        q1[2] = q[2] + dt * v[2];
        return;
    }
    if (x.position >= 0) {
        if (!x.world) {
            dal_quat_rotate(xd, q + x.quaternion, v);
        }
        move(q1, q, xd, w, dt);
    }
    if (x.rotation >= 0) {
        turn(q1 + x.quaternion, q + x.quaternion, v + x.rotation, w, dt);
    }
}

void dal_axes_advance(double *q1, double *v1, double *vd1, const dal_group *G, const dal_axes_choice *axes,
                      const dal_axes_state *s, double dt)
{
    double theta[6], coef[DAL_NCOEF], T[36];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (dal_axes_flat(G, f, axes)) {
            for (int i = 0; i < F->nv; ++i) {
                q1[F->q + i] = s->q[F->q + i] + dt * s->v[F->v + i];
                v1[F->v + i] = s->v[F->v + i];
                vd1[F->v + i] = s->vd[F->v + i];
            }
            continue;
        }
        if (axes->body) { // constant velocity of the group
            for (int i = 0; i < F->nv; ++i) {
                theta[i] = dt * s->v[F->v + i];
            }
            F->type->prepare(coef, theta, F->nv);
            F->type->retract(q1 + F->q, s->q + F->q, theta, coef, F->nv);
        } else {
            advance_factor(q1 + F->q, F, vectors_of(F, axes->sys, f), axes->turning, s->q + F->q, s->v + F->v, dt);
        }
        dal_axes_carry(T, G, f, axes, s->q, q1, dt);
        for (int i = 0; i < F->nv; ++i) {
            v1[F->v + i] = vd1[F->v + i] = 0.0;
            for (int j = 0; j < F->nv; ++j) {
                v1[F->v + i] += T[i + j * F->nv] * s->v[F->v + j];
                vd1[F->v + i] += T[i + j * F->nv] * s->vd[F->v + j];
            }
        }
    }
}
