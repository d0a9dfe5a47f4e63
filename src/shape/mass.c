/* Mass, centre of mass and inertia of shapes, (SH.1) to (SH.3). */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "lie/mat3.h"
#include "shape/shape_impl.h"

static const double pi = 3.14159265358979323846;

static int all_positive(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!(x[i] > 0.0 && x[i] <= 1e100)) {
            return 0;
        }
    }
    return 1;
}

static int all_within(const double *x, int n, double low, double high)
{
    for (int i = 0; i < n; ++i) {
        if (!(x[i] >= low && x[i] <= high)) {
            return 0;
        }
    }
    return 1;
}

static const char *wrong_size(const dal_shape *s)
{
    const int round = s->kind != DAL_SHAPE_BOX && s->kind != DAL_SHAPE_ELLIPSOID && s->kind != DAL_SHAPE_MESH;
    const int has_length = s->kind == DAL_SHAPE_CYLINDER || s->kind == DAL_SHAPE_CONE || s->kind == DAL_SHAPE_CAPSULE;
    if ((s->kind == DAL_SHAPE_BOX || s->kind == DAL_SHAPE_ELLIPSOID) && !all_positive(s->size, 3)) {
        return s->kind == DAL_SHAPE_BOX ? "the edges of a box must be positive" : "semi-axes must be positive";
    }
    if (round && !all_positive(&s->radius, 1)) {
        return "the radius must be positive";
    }
    if (has_length && !all_positive(&s->length, 1)) {
        return "the length must be positive";
    }
    if (s->kind == DAL_SHAPE_TUBE &&
        (s->npoints < 2 || !s->points || !all_within(s->points, 3 * s->npoints, -1e100, 1e100))) {
        return "a tube needs two finite points or more";
    }
    if (s->kind == DAL_SHAPE_MESH &&
        (!s->mesh || !s->mesh->x || !s->mesh->index || !all_within(&s->scale, 1, 0.0, 1e100))) {
        return s->mesh && s->mesh->x && s->mesh->index ? "the scale of a mesh must be positive" : "a mesh is missing";
    }
    return NULL;
}

dal_status dal_shape_check_(dal_ctx *ctx, const dal_shape *s, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED_AS(ctx, s, "shape");
    DAL_OWN(ctx, dal_shape, s);
    if (s->kind < DAL_SHAPE_BOX || s->kind > DAL_SHAPE_MESH) {
        return dal_fail(ctx, DAL_EINVAL, "shape: no such kind (%d)", (int)s->kind);
    }
    const char *wrong = wrong_size(s);
    if (wrong) {
        return dal_fail(ctx, DAL_EINVAL, "shape: %s", wrong);
    }
    if (!all_within(s->position, 3, -1e100, 1e100) || !all_within(s->rotation, 4, -1e100, 1e100)) {
        return dal_fail(ctx, DAL_EINVAL, "shape: its frame is not finite");
    }
    if (!all_within(s->colour, 3, 0.0, 1.0) || !all_within(&s->opacity, 1, 0.0, 1.0)) {
        return dal_fail(ctx, DAL_EINVAL, "shape: colours and opacity are numbers from 0 to 1");
    }
    return DAL_OK;
}

/* ---- in the frame of the shape ---------------------------------------------------------------- */

/* Volume, centre, and second moments Q = int x x^T dV about the centre in the axes of the shape. */
typedef struct moments {
    double V, c[3], Q[9];
} moments;

static void diagonal(moments *m, double x, double y, double z)
{
    m->Q[0] = m->V * x;
    m->Q[4] = m->V * y;
    m->Q[8] = m->V * z;
}

/* Half spheres move out by half the length; their own centres are 3/8 r beyond. */
static void capsule_moments(moments *m, double r, double l)
{
    const double Vc = pi * r * r * l, Vs = 4.0 / 3.0 * pi * r * r * r;
    m->V = Vc + Vs;
    m->Q[0] = m->Q[4] = Vc * r * r / 4.0 + Vs * r * r / 5.0;
    m->Q[8] = Vc * l * l / 12.0 + Vs * (r * r / 5.0 + l * l / 4.0 + 3.0 / 8.0 * l * r);
}

static void mesh_shape_moments(moments *m, const dal_shape *s)
{
    const double k = s->scale > 0.0 ? s->scale : 1.0;
    double first[3], second[9];
    dal_mesh_moments(s->mesh, &m->V, first, second);
    for (int i = 0; i < 3; ++i) {
        m->c[i] = first[i] / m->V * k;
    }
    for (int i = 0; i < 9; ++i) {
        m->Q[i] = second[i] * k * k * k * k * k - m->V * k * k * k * m->c[i % 3] * m->c[i / 3];
    }
    m->V *= k * k * k;
}

/* All but the tube. (SH.1) */
static void shape_moments(moments *m, const dal_shape *s)
{
    const double r = s->radius, l = s->length, *a = s->size;
    memset(m, 0, sizeof *m);
    switch (s->kind) {
    case DAL_SHAPE_BOX:
        m->V = a[0] * a[1] * a[2];
        diagonal(m, a[0] * a[0] / 12.0, a[1] * a[1] / 12.0, a[2] * a[2] / 12.0);
        break;
    case DAL_SHAPE_SPHERE:
        m->V = 4.0 / 3.0 * pi * r * r * r;
        diagonal(m, r * r / 5.0, r * r / 5.0, r * r / 5.0);
        break;
    case DAL_SHAPE_ELLIPSOID:
        m->V = 4.0 / 3.0 * pi * a[0] * a[1] * a[2];
        diagonal(m, a[0] * a[0] / 5.0, a[1] * a[1] / 5.0, a[2] * a[2] / 5.0);
        break;
    case DAL_SHAPE_CYLINDER:
        m->V = pi * r * r * l;
        diagonal(m, r * r / 4.0, r * r / 4.0, l * l / 12.0);
        break;
    case DAL_SHAPE_CONE:
        m->V = pi / 3.0 * r * r * l;
        m->c[2] = -0.25 * l;
        diagonal(m, 3.0 / 20.0 * r * r, 3.0 / 20.0 * r * r, 3.0 / 80.0 * l * l);
        break;
    case DAL_SHAPE_CAPSULE:
        capsule_moments(m, r, l);
        break;
    default:
        mesh_shape_moments(m, s);
        break;
    }
}

/* ---- into the frame of the body --------------------------------------------------------------- */

/* R of a unit quaternion; the identity for zero. */
static void rotation_matrix(double R[9], const double p[4])
{
    const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double w = n > 0.0 ? p[0] / n : 1.0, x = n > 0.0 ? p[1] / n : 0.0;
    const double y = n > 0.0 ? p[2] / n : 0.0, z = n > 0.0 ? p[3] / n : 0.0;
    const double M[9] = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z),       2.0 * (x * z - w * y),
                         2.0 * (x * y - w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x),
                         2.0 * (x * z + w * y),       2.0 * (y * z - w * x),       1.0 - 2.0 * (x * x + y * y)};
    memcpy(R, M, sizeof M);
}

/* J = (tr P) I - P with P = rho (R Q R^T + V c c^T), c the centre in the body frame. (SH.2) */
static void add_moments(dal_shape_mass *sum, const moments *m, const double R[9], const double x[3], double density)
{
    double c[3], RQ[9], P[9];
    mat3_mul_vec(c, R, 3, m->c);
    for (int i = 0; i < 3; ++i) {
        c[i] += x[i];
    }
    mat3_mul(RQ, 3, R, 3, m->Q, 3);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double rqr = 0.0;
            for (int k = 0; k < 3; ++k) {
                rqr += RQ[i + 3 * k] * R[j + 3 * k];
            }
            P[i + 3 * j] = density * (rqr + m->V * c[i] * c[j]);
        }
    }
    const double trace = P[0] + P[4] + P[8];
    for (int k = 0; k < 9; ++k) {
        sum->J[k] += (k % 4 == 0 ? trace : 0.0) - P[k];
    }
    sum->m += density * m->V;
    for (int i = 0; i < 3; ++i) {
        sum->mc[i] += density * m->V * c[i];
    }
}

/* The rotation that takes z to the direction d, any one. */
static void turn_z_to(double p[4], const double d[3])
{
    const double n = sqrt(dot3(d, d));
    const double w = n + d[2];
    if (w > 1e-12 * n) {
        p[0] = w;
        p[1] = -d[1];
        p[2] = d[0];
        p[3] = 0.0;
    } else {
        p[0] = p[2] = p[3] = 0.0;
        p[1] = 1.0;
    }
}

static void add_tube(dal_shape_mass *sum, const dal_shape *s, const double R[9], double density)
{
    for (int i = 0; i + 1 < s->npoints; ++i) {
        const double *a = s->points + 3 * (size_t)i, *b = a + 3;
        double d[3], middle[3], x[3], p[4], turn[9], all[9];
        for (int k = 0; k < 3; ++k) {
            d[k] = b[k] - a[k];
            middle[k] = 0.5 * (a[k] + b[k]);
        }
        const dal_shape piece = {.kind = DAL_SHAPE_CYLINDER, .radius = s->radius, .length = sqrt(dot3(d, d))};
        moments m;
        shape_moments(&m, &piece);
        turn_z_to(p, d);
        rotation_matrix(turn, p);
        mat3_mul(all, 3, R, 3, turn, 3);
        mat3_mul_vec(x, R, 3, middle);
        for (int k = 0; k < 3; ++k) {
            x[k] += s->position[k];
        }
        add_moments(sum, &m, all, x, density);
    }
}

dal_status dal_shape_mass_add_open_(dal_shape_mass *sum, dal_ctx *ctx, const dal_shape *shape, double density,
                                    size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sum);
    DAL_OWN(ctx, dal_shape, shape);
    DAL_TRY(dal_shape_check(ctx, shape));
    if (!(density > 0.0 && density <= 1e100)) {
        return dal_fail(ctx, DAL_EINVAL, "shape: the density is %g, it must be positive", density);
    }
    double R[9];
    rotation_matrix(R, shape->rotation);
    if (shape->kind == DAL_SHAPE_TUBE) {
        add_tube(sum, shape, R, density);
        return DAL_OK;
    }
    moments m;
    shape_moments(&m, shape);
    if (!(m.V > 0.0)) {
        return dal_fail(ctx, DAL_EINVAL, "shape: the mesh encloses no volume");
    }
    add_moments(sum, &m, R, shape->position, density);
    return DAL_OK;
}

dal_status dal_shape_mass_add_(dal_shape_mass *sum, dal_ctx *ctx, const dal_shape *shape, double density, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sum);
    DAL_OWN(ctx, dal_shape, shape);
    DAL_TRY(dal_shape_check(ctx, shape));
    DAL_TRY(shape->kind == DAL_SHAPE_MESH ? dal_mesh_closed(ctx, shape->mesh) : DAL_OK);
    return dal_shape_mass_add_open(sum, ctx, shape, density);
}

void dal_shape_mass_finish(const dal_shape_mass *sum, double com[3], double inertia[6])
{
    static const int entry[6] = {0, 4, 8, 3, 6, 7};
    double c[3], J[9];
    for (int k = 0; k < 3; ++k) {
        c[k] = sum->m > 0.0 ? sum->mc[k] / sum->m : 0.0;
    }
    for (int k = 0; k < 9; ++k) {
        const int i = k % 3, j = k / 3;
        J[k] = sum->J[k] - sum->m * ((i == j ? dot3(c, c) : 0.0) - c[i] * c[j]);
    }
    memcpy(com, c, sizeof c);
    for (int k = 0; k < 6; ++k) {
        inertia[k] = J[entry[k]];
    }
}
