/* Features of solids: where they are, and which one a point is closest to. */
#include <math.h>

#include "lie/so3_kernel.h"
#include "mbs/contact_kernel.h"
#include "mbs/solid_impl.h"

/* ---- features --------------------------------------------------------------------------------- */

static void box_feature(solid_feature *F, const mb_solid *s, int f)
{
    if (f < EDGES) {
        F->kind = PLANE;
        F->axis = f / 2;
        F->minus = f % 2;
        F->p[F->axis] = F->minus ? -s->half[F->axis] : s->half[F->axis];
    } else if (f < VERTICES) {
        F->kind = LINE;
        F->axis = (f - EDGES) / 4;
        for (int i = 1; i < 3; ++i) {
            const int k = (F->axis + i) % 3;
            F->p[k] = (f - EDGES) % 4 >> (i - 1) & 1 ? -s->half[k] : s->half[k];
        }
    } else {
        for (int k = 0; k < 3; ++k) {
            F->p[k] = (f - VERTICES) >> k & 1 ? -s->half[k] : s->half[k];
        }
    }
}

solid_feature mb_feature_of(const mb_meeting *X, int side, int f)
{
    const mb_solid *s = &X->solid[side];
    solid_feature F = {.kind = POINT, .axis = 2, .radius = s->radius};
    if (s->kind == MB_SOLID_CURVE) {
        // corners: extruded, but for a plane
        F.kind = f < s->curve->n ? CURVE : X->solid[0].kind == MB_SOLID_PLANE ? POINT : LINE;
        F.radius = 0.0;
        for (int k = 0; k < 2 && f >= s->curve->n; ++k) {
            F.p[k] = s->curve->node[f - s->curve->n].x[k];
        }
    } else if (f == WHOLE && s->kind != MB_SOLID_MESH) {
        F.radius = s->reach;
    } else if (s->kind == MB_SOLID_PLANE) {
        F.kind = PLANE;
    } else if (s->kind == MB_SOLID_CAPSULE) {
        F.kind = f == 0 ? LINE : POINT;
        F.p[2] = f == 0 ? 0.0 : f == 1 ? -s->half[2] : s->half[2];
    } else if (s->kind == MB_SOLID_BOX) {
        box_feature(&F, s, f);
        F.p[2] = X->flat ? 0.0 : F.p[2];
    } else if (s->kind == MB_SOLID_CYLINDER && f == 0) {
        F.kind = LINE;
    } else if (s->kind == MB_SOLID_CYLINDER && f < POINTS_OF_RIMS) {
        F.kind = f < RIMS ? PLANE : RIM;
        F.minus = f == 1;
        F.radius = f < RIMS ? 0.0 : s->radius;
        F.p[2] = f % 2 == 1 ? -s->half[2] : s->half[2];
    } else if (s->kind == MB_SOLID_CYLINDER) {
        const int k = (f - POINTS_OF_RIMS) % RIM_POINTS;
        F.p[0] = s->radius * cos(k * MB_TURN / RIM_POINTS);
        F.p[1] = s->radius * sin(k * MB_TURN / RIM_POINTS);
        F.p[2] = f < POINTS_OF_RIMS + RIM_POINTS ? -s->half[2] : s->half[2];
        F.radius = 0.0;
    } else if (s->kind == MB_SOLID_MESH && s->mesh) {
        const double scale = s->mesh->scale > 0.0 ? s->mesh->scale : 1.0, *x = s->mesh->mesh->x + (ptrdiff_t)3 * f;
        const double *p = s->mesh->rotation, y[3] = {scale * x[0], scale * x[1], scale * x[2]};
        copy3(F.p, y);
        if (dot3(p, p) + p[3] * p[3] > 0.0) {
            quat_rotate(F.p, p, y);
        }
        add3(F.p, F.p, s->mesh->position);
    }
    return F;
}

void mb_place_of(double x[3], const solid_feature *F, const mb_side *S)
{
    mat3_mul_vec(x, S->E, 3, F->p);
    add3(x, x, S->p);
}

/* Which primitive two kinds are, TOUCH_SWAP where the second comes first. */
static int primitive(feature_kind a, feature_kind b)
{
    static const int kind[FEATURE_KINDS][FEATURE_KINDS] = {
        {TOUCH_NONE, TOUCH_PLANE_POINT, TOUCH_NONE, TOUCH_PLANE_RIM, TOUCH_PLANE_CURVE},
        {TOUCH_PLANE_POINT | TOUCH_SWAP, TOUCH_POINT_POINT, TOUCH_LINE_POINT | TOUCH_SWAP, TOUCH_RIM_POINT | TOUCH_SWAP,
         TOUCH_CURVE_POINT | TOUCH_SWAP},
        {TOUCH_NONE, TOUCH_LINE_POINT, TOUCH_LINE_LINE, TOUCH_NONE, TOUCH_NONE},
        {TOUCH_PLANE_RIM | TOUCH_SWAP, TOUCH_RIM_POINT, TOUCH_NONE, TOUCH_NONE, TOUCH_NONE},
        {TOUCH_NONE, TOUCH_NONE, TOUCH_NONE, TOUCH_NONE, TOUCH_NONE}};
    return kind[a][b];
}

/* ---- numbers of pairs ------------------------------------------------------------------------- */

int mb_encode(pair_code c)
{
    return 2 + c.turn + 3 * (c.minus + 2 * (c.a + FEATURES * c.b));
}

pair_code mb_decode(int number)
{
    const int k = number - 2;
    return (pair_code){.a = k / 6 % FEATURES, .b = k / 6 / FEATURES, .minus = k / 3 % 2, .turn = k % 3};
}

/* A frame of a solid moved to a feature, z along its axis. */
static void move_marker(mb_marker *to, const mb_marker *frame, const solid_feature *F)
{
    const int k = F->axis;
    const double sign = F->minus ? -1.0 : 1.0;
    to->body = frame->body;
    mat3_mul_vec(to->a, frame->A, 3, F->p);
    add3(to->a, to->a, frame->a);
    copy3(to->A, frame->A + (ptrdiff_t)3 * ((k + 1) % 3));
    scale3(to->A + 3, sign, frame->A + (ptrdiff_t)3 * ((k + 2) % 3));
    scale3(to->A + 6, sign, frame->A + (ptrdiff_t)3 * k);
}

void mb_meeting_load(mb_marker marker[2], mb_row *row, const mb_meeting *X, const mb_marker frame[2], int number)
{
    const pair_code code = mb_decode(number);
    row->memory = number;
    if (number <= NONE) {
        row->j = TOUCH_NONE;
        row->c = X->size;
        row->c2 = 0.0;
        return;
    }
    const solid_feature F[2] = {mb_feature_of(X, 0, code.a), mb_feature_of(X, 1, code.b)};
    move_marker(&marker[0], &frame[0], &F[0]);
    move_marker(&marker[1], &frame[1], &F[1]);
    const int kind = primitive(F[0].kind, F[1].kind), swap = (kind & TOUCH_SWAP) != 0;
    const int minus = kind == TOUCH_LINE_LINE ? code.minus : X->hollow, part = kind == TOUCH_PLANE_RIM ? code.a : 0;
    row->j = kind | (minus ? TOUCH_MINUS : 0) | TOUCH_TURN * code.turn | TOUCH_PART * part;
    row->c = X->hollow ? -F[0].radius : F[swap].radius;
    row->c2 = F[1 - swap].radius;
    row->curve = X->solid[1].curve;
    row->part = code.b;
}

void mb_meeting_frames(mb_marker frame[2], const mb_meeting *X, const mb_marker marker[2])
{
    for (int i = 0; i < 2; ++i) {
        const mb_marker of_body = {marker[i].body, {0.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
        frame[i] = X->solid[i].kind == MB_SOLID_MESH ? of_body : marker[i];
    }
}

/* ---- regions of a point ----------------------------------------------------------------------- */

void mb_in_solid(double y[3], const double x[3], const mb_side *S)
{
    double d[3];
    sub3(d, x, S->p);
    tmul3(y, S->E, d);
}

/* The face of a box that is nearest to a point inside, or the outermost one of those it is beyond. */
static int face_of(const mb_solid *s, const double y[3], int flat, double *beyond)
{
    int face = 0;
    *beyond = -INFINITY;
    for (int k = 0; k < (flat ? 2 : 3); ++k) {
        const double b = fabs(y[k]) - s->half[k];
        if (b > *beyond) {
            *beyond = b;
            face = 2 * k + (y[k] < 0.0);
        }
    }
    return face;
}

/* The feature of a box that is closest to a point, and the distance. */
static int box_region(const mb_meeting *X, const mb_solid *s, const double y[3], double *distance)
{
    double away = 0.0, beyond;
    int out[3] = {0}, n = 0;
    for (int k = 0; k < (X->flat ? 2 : 3); ++k) {
        const double b = fabs(y[k]) - s->half[k];
        out[k] = b > 0.0;
        n += out[k];
        away = out[k] ? hypot(away, b) : away;
    }
    const int face = face_of(s, y, X->flat, &beyond);
    if (n <= 1 || away < CLOSE * X->size) { // at an edge that is touched there is no direction
        *distance = beyond;
        return face;
    }
    *distance = away;
    const int sign[3] = {y[0] < 0.0, y[1] < 0.0, y[2] < 0.0};
    if (n == 3 || X->flat) {
        return VERTICES + sign[0] + 2 * sign[1] + (X->flat ? 0 : 4 * sign[2]);
    }
    const int axis = !out[0] ? 0 : !out[1] ? 1 : 2;
    return EDGES + 4 * axis + sign[(axis + 1) % 3] + 2 * sign[(axis + 2) % 3];
}

static int cylinder_region(const mb_meeting *X, const mb_solid *s, const double y[3], double *distance)
{
    const double side = hypot(y[0], y[1]) - s->radius, end = fabs(y[2]) - s->half[2];
    if (side > 0.0 && end > 0.0 && hypot(side, end) > CLOSE * X->size) {
        *distance = hypot(side, end);
        return RIMS + (y[2] > 0.0);
    }
    *distance = fmax(side, end);
    return side > end ? 0 : 1 + (y[2] > 0.0);
}

int mb_region(const mb_meeting *X, int side, const double y[3], double *distance)
{
    const mb_solid *s = &X->solid[side];
    const double z = s->half[2];
    switch (s->kind) {
    case MB_SOLID_BOX:
        return box_region(X, s, y, distance);
    case MB_SOLID_CYLINDER:
        return cylinder_region(X, s, y, distance);
    case MB_SOLID_CAPSULE:
        *distance = hypot(hypot(y[0], y[1]), fmax(fabs(y[2]) - z, 0.0)) - s->radius;
        return fabs(y[2]) <= z ? 0 : 1 + (y[2] > 0.0);
    case MB_SOLID_PLANE:
        *distance = y[2];
        return 0;
    default:
        *distance = (X->hollow ? -1.0 : 1.0) * (sqrt(dot3(y, y)) - s->radius);
        return 0;
    }
}

/* How far inside the region of a feature a point is. */
static double box_inside(const mb_meeting *X, const mb_solid *s, int f, const double y[3])
{
    double inside = INFINITY;
    for (int k = 0; k < (X->flat ? 2 : 3); ++k) {
        const double b = fabs(y[k]) - s->half[k];
        const int along =
            f < EDGES ? k != f / 2 : f < VERTICES && k == (f - EDGES) / 4; // within its ends, or beyond the faces
        if (f >= EDGES || along) {
            inside = fmin(inside, along ? -b : b);
        }
    }
    return inside;
}

double mb_inside_region(const mb_meeting *X, int side, int f, const double y[3])
{
    const mb_solid *s = &X->solid[side];
    const double end = fabs(y[2]) - s->half[2], beyond = hypot(y[0], y[1]) - s->radius;
    switch (s->kind) {
    case MB_SOLID_BOX:
        return box_inside(X, s, f, y);
    case MB_SOLID_CAPSULE:
        return f == 0 ? -end : end;
    case MB_SOLID_CYLINDER:
        return f == 0 ? -end : f < RIMS ? -beyond : fmin(end, beyond);
    default:
        return X->size;
    }
}

/* ---- solids ----------------------------------------------------------------------------------- */

static void complete_solid(mb_solid *s)
{
    const double r = s->radius, *h = s->half;
    s->reach = s->kind == MB_SOLID_BOX        ? sqrt(dot3(h, h))
               : s->kind == MB_SOLID_CAPSULE  ? h[2] + r
               : s->kind == MB_SOLID_CYLINDER ? hypot(h[2], r)
               : s->curve                     ? s->curve->reach
                                              : r;
    for (int k = 0; s->kind == MB_SOLID_MESH && k < s->mesh->mesh->nvertices; ++k) {
        const double *x = s->mesh->mesh->x + (ptrdiff_t)3 * k;
        s->reach = fmax(s->reach, sqrt(dot3(x, x)) * (s->mesh->scale > 0.0 ? s->mesh->scale : 1.0));
    }
}

static const dal_shape *mesh_of(const dal_model *m, int body)
{
    for (int k = 0; k < m->nshapes; ++k) {
        if (m->shape[k].body == body && m->shape[k].shape.kind == DAL_SHAPE_MESH) {
            return &m->shape[k].shape;
        }
    }
    return NULL;
}

/* How many contacts at once; 0: they cannot meet. */
static int count(mb_solid_kind a, mb_solid_kind b, int flat)
{
    if (a == MB_SOLID_PLANE) {
        return b == MB_SOLID_CYLINDER ? RIM_POINTS
               : b == MB_SOLID_MESH   ? 4
               : b == MB_SOLID_CURVE  ? 2
               : b == MB_SOLID_BOX    ? (flat ? 4 : 8)
                                      : (b == MB_SOLID_CAPSULE) + (b != MB_SOLID_DISK);
    }
    const mb_solid_kind least = a < b ? a : b, most = a < b ? b : a;
    return a == MB_SOLID_SPHERE && b == MB_SOLID_CURVE                                      ? 2
           : least == MB_SOLID_SPHERE && most <= MB_SOLID_CYLINDER && most != MB_SOLID_DISK ? 1
           : least == MB_SOLID_CAPSULE && most == MB_SOLID_CAPSULE                          ? 2
           : least == MB_SOLID_CAPSULE && most == MB_SOLID_BOX                              ? 4
           : least == MB_SOLID_BOX && most == MB_SOLID_BOX                                  ? 8
                                                                                            : 0;
}

int mb_meeting_of(mb_meeting *X, const dal_model *m, const dal_joint *d, mb_solid_kind a, int planar,
                  const struct mb_curve *curve)
{
    const double *size[2] = {d->size_a, d->size}, length[2] = {d->length_a, d->length};
    *X = (mb_meeting){.hollow = d->hollow, .flat = planar};
    X->solid[0] = (mb_solid){.kind = a, .radius = d->radius_a};
    X->solid[1] = (mb_solid){.kind = (mb_solid_kind)d->shape, .radius = d->radius};
    for (int i = 0; i < 2; ++i) {
        mb_solid *s = &X->solid[i];
        const int box = s->kind == MB_SOLID_BOX;
        s->radius = box || s->kind >= MB_SOLID_MESH ? 0.0 : s->radius;
        s->curve = s->kind == MB_SOLID_CURVE ? curve : NULL;
        for (int k = 0; k < 3; ++k) {
            s->half[k] = box ? 0.5 * size[i][k] : 0.0;
        }
        s->half[2] = box && planar ? 0.0 : box ? s->half[2] : 0.5 * length[i];
        s->mesh = s->kind == MB_SOLID_MESH ? mesh_of(m, i == 0 ? d->body_a : d->body_b) : NULL;
        if (s->kind == MB_SOLID_MESH && !s->mesh) {
            return 0;
        }
        complete_solid(s);
    }
    X->n = count(X->solid[0].kind, X->solid[1].kind, planar);
    X->size = X->solid[0].kind == MB_SOLID_PLANE ? X->solid[1].reach : fmin(X->solid[0].reach, X->solid[1].reach);
    X->size = X->size > 0.0 ? X->size : fmax(X->solid[0].reach, X->solid[1].reach);
    return X->n > 0;
}
