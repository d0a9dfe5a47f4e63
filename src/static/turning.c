/* Equilibrium in axes that turn at a constant rate: every body turns with them. Its velocity and acceleration follow from its
 * place, and so does what they add to the stiffness (ST.7). */
#include "base/vector.h"
#include "lie/mat3.h"
#include "static/static_impl.h"

static int is_place(const dal_system *sys, int f)
{
    return sys->names.is_place && sys->group->factor[f].nv == 3 && sys->names.is_place(f, sys->user);
}

/* What a factor has: a place with so many numbers, in world or body axes; a quaternion at an offset of q; an angle. */
typedef struct parts {
    int place, world, quaternion, angle;
} parts;

static parts parts_of(const dal_system *sys, int f)
{
    switch (sys->group->factor[f].type->kind) {
    case DAL_FACTOR_SO3:
        return (parts){0, 0, 0, 0};
    case DAL_FACTOR_R3SO3:
        return (parts){3, 1, 3, 0};
    case DAL_FACTOR_SE3:
        return (parts){3, 0, 3, 0};
    case DAL_FACTOR_SE2:
        return (parts){2, 0, -1, 1};
    case DAL_FACTOR_R2S1:
        return (parts){2, 1, -1, 1};
    default:
        return (parts){is_place(sys, f) ? 3 : 0, 1, -1, 0};
    }
}

static void turn_back(double y[3], const double *p, const double x[3])
{
    const double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    dal_quat_rotate(y, conjugate, x);
}

static void factor_motion(double *v, double *vd, const statics *s, int f, const double *q)
{
    const parts k = parts_of(s->sys, f);
    const double *w = s->turning;
    double arm[3] = {0.0}, u[3], a[3];
    for (int i = 0; i < k.place; ++i) {
        arm[i] = q[i] - s->centre[i];
    }
    cross3(u, w, arm);
    cross3(a, w, u);
    if (k.place > 0 && !k.world && k.quaternion >= 0) {
        turn_back(v, q + k.quaternion, u);
    } else if (k.place > 0 && !k.world) {
        v[0] = cos(q[2]) * u[0] + sin(q[2]) * u[1];
        v[1] = cos(q[2]) * u[1] - sin(q[2]) * u[0];
    } else {
        dal_copy(v, u, k.place);
        dal_copy(vd, a, k.place);
    }
    if (k.quaternion >= 0) {
        turn_back(v + k.place, q + k.quaternion, w);
    }
    if (k.angle) {
        v[2] = w[2];
    }
}

void dal_statics_turn(const statics *s)
{
    const dal_group *G = s->sys->group;
    for (int f = 0; f < G->nfactors && s->turns; ++f) {
        const dal_factor *F = &G->factor[f];
        if (F->type->kind != DAL_FACTOR_RN || is_place(s->sys, f)) {
            factor_motion(s->v + F->v, s->vd + F->v, s, f, s->q + F->q);
        }
    }
}

/* H and D H of a factor: d v = H d, d v' = D H d */
static void rates(double H[36], double DH[36], const statics *s, int f)
{
    const dal_factor *F = &s->sys->group->factor[f];
    const parts k = parts_of(s->sys, f);
    const int n = F->nv;
    const double *w = s->turning, W[9] = {0.0, w[2], -w[1], -w[2], 0.0, w[0], w[1], -w[0], 0.0};
    double D[36] = {0.0};
    dal_zero(H, n * n);
    if (F->type->kind == DAL_FACTOR_RN && k.place == 0) {
        dal_zero(DH, n * n);
        return;
    }
    F->type->hat(H, s->v + F->v, n);
    for (int i = 0; i < k.place * k.place && k.world; ++i) {
        D[i % k.place + n * (i / k.place)] = W[i % k.place + 3 * (i / k.place)];
    }
    for (int i = 0; i < n * n; ++i) {
        H[i] += D[i];
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int l = 0; l < n; ++l) {
                sum += D[i + n * l] * H[l + n * j];
            }
            DH[i + n * j] = sum;
        }
    }
}

static void add_product(double *Y, const double *A, const double *B, int m, int n)
{
    for (int j = 0; A && j < n; ++j) {
        for (int l = 0; l < n; ++l) {
            for (int i = 0; i < m; ++i) {
                Y[i + m * j] += A[i + m * l] * B[l + n * j];
            }
        }
    }
}

const double *dal_statics_turned(const statics *s, int pair, const double *M, const double *C, const double *K)
{
    const dal_block_at at = dal_pair_at(s->ev, pair);
    const int f = s->sys->pair[pair].j, size = at.ni * at.nj;
    double H[36] = {0.0}, DH[36] = {0.0};
    if (at.nj > 6) {
        return K; // numbers, which do not turn
    }
    rates(H, DH, s, f);
    for (int i = 0; i < size; ++i) {
        s->block[i] = K ? K[i] : 0.0;
    }
    add_product(s->block, C, H, at.ni, at.nj);
    add_product(s->block, M, DH, at.ni, at.nj);
    return s->block;
}

int dal_static_turning(double turning[3], double centre[3], const dal_system *sys, const double *q, const double *v)
{
    double most = 0.0;
    for (int i = 0; turning && centre && i < 3; ++i) {
        turning[i] = centre[i] = 0.0;
    }
    for (int f = 0; turning && centre && sys && q && v && f < sys->group->nfactors; ++f) {
        const dal_factor *F = &sys->group->factor[f];
        const parts k = parts_of(sys, f);
        double w[3] = {0.0}, u[3] = {0.0}, arm[3];
        if (k.quaternion >= 0) {
            dal_quat_rotate(w, q + F->q + k.quaternion, v + F->v + k.place);
        } else if (k.angle) {
            w[2] = v[F->v + 2];
        }
        const double size = dot3(w, w);
        if (!(size > (1.0 + 1e-9) * most) || k.place == 0) {
            continue;
        }
        most = size;
        dal_copy(u, v + F->v, k.place);
        if (!k.world && k.quaternion >= 0) {
            dal_quat_rotate(u, q + F->q + k.quaternion, v + F->v);
        } else if (!k.world) {
            const double phi = q[F->q + 2];
            u[0] = cos(phi) * v[F->v] - sin(phi) * v[F->v + 1];
            u[1] = sin(phi) * v[F->v] + cos(phi) * v[F->v + 1];
        }
        // u = w x (x - c): c = x + w x u/w.w for what is across w
        cross3(arm, w, u);
        for (int i = 0; i < 3; ++i) {
            turning[i] = w[i];
            centre[i] = (i < k.place ? q[F->q + i] : 0.0) + arm[i] / size;
        }
    }
    return most > 0.0;
}
