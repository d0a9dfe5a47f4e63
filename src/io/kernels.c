/* The operations on numbers that reading an element takes, and what their inputs must be. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "io/io_impl.h"
#include "mbs/number_kernel.h"
#include "mbs/pose.h"

/* ---- rotations -------------------------------------------------------------------------------- */

/* How far a rotation may be from a unit quaternion or an orthogonal matrix: rounded digits pass, wrong ones do not. */
static const double rotation_tol = 1e-3;

static dal_status check_direction(const double *x, const io_loader *L, const io_node *at)
{
    return hypot(hypot(x[0], x[1]), x[2]) > 0.0 ? DAL_OK : dal_io_fail(L, at, "a direction must not be zero");
}

static void unit_direction(double *y, const double *x)
{
    const double length = hypot(hypot(x[0], x[1]), x[2]);
    for (int k = 0; k < 3; ++k) {
        y[k] = x[k] / length;
    }
}

static dal_status check_quaternion(const double *x, const io_loader *L, const io_node *at)
{
    const double length = sqrt(x[0] * x[0] + dot3(x + 1, x + 1));
    return fabs(length - 1.0) <= rotation_tol
               ? DAL_OK
               : dal_io_fail(L, at, "a quaternion (scalar first) must have length 1; this one has %.6g", length);
}

static void unit_quaternion(double *y, const double *x)
{
    const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int k = 0; k < 4; ++k) {
        y[k] = x[k] / length;
    }
}

/* R^T R - I and the sign of the determinant */
static dal_status check_matrix(const double *x, const io_loader *L, const io_node *at)
{
    double defect = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double *a = x + 3 * i, *b = x + 3 * j;
            defect = fmax(defect, fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - (i == j ? 1.0 : 0.0)));
        }
    }
    const double det =
        x[0] * (x[4] * x[8] - x[5] * x[7]) - x[3] * (x[1] * x[8] - x[2] * x[7]) + x[6] * (x[1] * x[5] - x[2] * x[4]);
    if (!(defect <= rotation_tol)) {
        return dal_io_fail(L, at, "this matrix is not orthogonal: R^T R differs from I by %.3g", defect);
    }
    return det > 0.0 ? DAL_OK
                     : dal_io_fail(L, at, "this matrix is a reflection, not a rotation (determinant %.3g)", det);
}

/* ---- axes and frames -------------------------------------------------------------------------- */

static dal_status check_axes(const double *x, const io_loader *L, const io_node *at)
{
    double n[3];
    cross3(n, x, x + 3);
    return hypot(hypot(n[0], n[1]), n[2]) > 1e-8 ? DAL_OK : dal_io_fail(L, at, "the two axes are parallel");
}

static void rotation_on_axis(double p[4], const double axis[3], const double *hint)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const dal_frame frame = dal_frame_on_axis(origin, axis, hint);
    memcpy(p, frame.rotation, sizeof frame.rotation);
}

static void axes(double *y, const double *x)
{
    rotation_on_axis(y, x, x + 3);
}

static void axis(double *y, const double *x)
{
    rotation_on_axis(y, x, NULL);
}

static void frame(double *y, const double *x)
{
    mb_frame_in(y, x, x + 7);
}

/* As the frame of the world tells it, position -R^T x, rotation R^T. */
static void origin(double *y, const double *x)
{
    static const double world[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    double seen[7];
    mb_frame_in(seen, x, world);
    const double conjugate[4] = {seen[3], -seen[4], -seen[5], -seen[6]};
    dal_quat_rotate(y, conjugate, seen);
    scale3(y, -1.0, y);
}

/* ---- what bodies weigh ------------------------------------------------------------------------ */

static dal_status check_lengths(const double *x, int n, const io_loader *L, const io_node *at, const char *what)
{
    for (int k = 0; k < n; ++k) {
        if (!(x[k] >= 0.0)) {
            return dal_io_fail(L, at, "the lengths of a %s cannot be negative, as %g is", what, x[k]);
        }
    }
    return DAL_OK;
}

#define CHECK_LENGTHS(name, n)                                                             \
    static dal_status check_##name(const double *x, const io_loader *L, const io_node *at) \
    {                                                                                      \
        return check_lengths(x + 1, n, L, at, #name);                                      \
    }

CHECK_LENGTHS(box, 3)
CHECK_LENGTHS(rod, 1)
CHECK_LENGTHS(cylinder, 2)
CHECK_LENGTHS(disk, 1)
CHECK_LENGTHS(sphere, 1)

/* x: dal_shape_mass so far; kind, position, rotation, size, radius and length of a shape; density. */
static dal_status weigh(double *y, const double *x, const io_loader *L, const io_node *at)
{
    dal_shape_mass sum;
    dal_shape shape = {.kind = (dal_shape_kind)x[13], .radius = x[24], .length = x[25]};
    memcpy(&sum, x, sizeof sum);
    memcpy(shape.position, x + 14, sizeof shape.position);
    memcpy(shape.rotation, x + 17, sizeof shape.rotation);
    memcpy(shape.size, x + 21, sizeof shape.size);
    const dal_status st = dal_shape_mass_add(&sum, L->ctx, &shape, x[26]);
    memcpy(y, &sum, sizeof sum);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

/* y: mass, inertia, centre of mass, as in dal_body. */
static void weighed(double *y, const double *x)
{
    dal_shape_mass sum;
    memcpy(&sum, x, sizeof sum);
    y[0] = sum.m;
    dal_shape_mass_finish(&sum, y + 7, y + 1);
}

/* ---- what a description says in another way --------------------------------------------------- */

/* 0 of a dal_force: the default. */
static void lever(double *y, const double *x)
{
    y[0] = x[0] == 0.0 ? DBL_MIN : x[0];
}

/* A run starts at t = 0. */
static void active(double *y, const double *x)
{
    y[0] = x[0] > 0.0 ? x[0] : -INFINITY;
    y[1] = x[1];
}

static dal_status check_active(const double *x, const io_loader *L, const io_node *at)
{
    return x[1] > x[0] && x[1] > 0.0
               ? DAL_OK
               : dal_io_fail(L, at, "the force is never active: 'to' must lie after 'from' and after the start");
}

/* 0 of a dal_joint: never. */
static void released(double *y, const double *x)
{
    y[0] = x[0] > 0.0 ? x[0] : -1.0;
}

static dal_status check_release(const double *x, const io_loader *L, const io_node *at)
{
    return x[0] >= 0.0 ? DAL_OK
                       : dal_io_fail(L, at, "a joint is released at the start, t = 0, or later, not at t = %g", x[0]);
}

const io_kernel_type dal_io_kernels[IO_KERNELS] = {
    [IO_UNIT3] = {"unit3", 3, 3, unit_direction, check_direction, NULL},
    [IO_UNIT4] = {"unit4", 4, 4, unit_quaternion, check_quaternion, NULL},
    [IO_QUATERNION] = {"quaternion", 9, 4, dal_quat_from_matrix, check_matrix, NULL},
    [IO_TURN] = {"turn", 3, 4, dal_quat_from_vector, NULL, NULL},
    [IO_TURNED] = {"turned", 4, 3, number_turned, NULL, NULL},
    [IO_PRODUCT] = {"product", 8, 4, number_product, NULL, NULL},
    [IO_CROSS] = {"cross", 6, 3, number_cross, NULL, NULL},
    [IO_NORMAL] = {"normal", 3, 3, number_normal, NULL, NULL},
    [IO_AXES] = {"axes", 6, 4, axes, check_axes, NULL},
    [IO_AXIS] = {"axis", 3, 4, axis, NULL, NULL},
    [IO_BACK] = {"back", 7, 3, number_back, NULL, NULL},
    [IO_AHEAD] = {"ahead", 7, 3, number_ahead, NULL, NULL},
    [IO_PLACED] = {"placed", 14, 7, number_placed, NULL, NULL},
    [IO_MINUS] = {"minus", 6, 3, number_minus, NULL, NULL},
    [IO_FRAME] = {"frame", 14, 7, frame, NULL, NULL},
    [IO_ORIGIN] = {"same", 7, 3, origin, NULL, NULL},
    [IO_BOX] = {"box", 4, 3, number_box, check_box, NULL},
    [IO_ROD] = {"rod", 2, 1, number_rod, check_rod, NULL},
    [IO_CYLINDER] = {"cylinder", 3, 2, number_cylinder, check_cylinder, NULL},
    [IO_DISK] = {"disk", 2, 2, number_disk, check_disk, NULL},
    [IO_SPHERE] = {"sphere", 2, 1, number_sphere, check_sphere, NULL},
    [IO_WEIGH] = {NULL, 27, 13, NULL, NULL, weigh},
    [IO_WEIGHED] = {NULL, 13, 10, weighed, NULL, NULL},
    [IO_LEVER] = {NULL, 1, 1, lever, NULL, NULL},
    [IO_ACTIVE] = {NULL, 2, 2, active, check_active, NULL},
    [IO_RELEASED] = {NULL, 1, 1, released, check_release, NULL},
};

dal_status dal_io_compute(const io_loader *L, double *y, const io_node *at, io_kernel kernel, const double *x)
{
    const io_kernel_type *type = &dal_io_kernels[kernel];
    if (type->attempt != NULL) {
        return type->attempt(y, x, L, at);
    }
    DAL_TRY(type->check != NULL ? type->check(x, L, at) : DAL_OK);
    type->call(y, x);
    return DAL_OK;
}
