/* Rotation vectors and angles as outputs: of all that describe a rotation, those that continue the motion (MB.16). */
#include <math.h>

#include "mbs/body_kernel.h"
#include "mbs/output_impl.h"

/* Axes with a determinant below this give no rates of angles. */
static const double locked = 1e-6;

/* y + 2 pi k n, n the axis of the rotation, next to `near`. */
static void nearest_vector(double y[3], const double near[3])
{
    const double size = sqrt(dot3(y, y)), expected = sqrt(dot3(near, near));
    const double *axis = size > 1e-9 ? y : near, length = size > 1e-9 ? size : expected;
    if (length > 1e-9) {
        const double turns = rint((dot3(near, axis) - dot3(y, axis)) / (length * MB_TURN));
        const double shift = turns * MB_TURN / length, n[3] = {axis[0], axis[1], axis[2]};
        for (int i = 0; i < 3 && turns != 0.0; ++i) {
            y[i] += shift * n[i];
        }
    }
}

static double distance_of(const double y[3], const double near[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += (y[i] - near[i]) * (y[i] - near[i]);
    }
    return sum;
}

/* The two triples of angles of a rotation, each up to whole turns: the one next to `near`. */
static void nearest_angles(double y[3], const double near[3], const int axis[3])
{
    double other[3] = {y[0] + 0.5 * MB_TURN, axis[2] != axis[0] ? 0.5 * MB_TURN - y[1] : -y[1], y[2] + 0.5 * MB_TURN};
    for (int i = 0; i < 3; ++i) {
        y[i] = mb_nearest_turn(y[i], near[i]);
        other[i] = mb_nearest_turn(other[i], near[i]);
    }
    if (distance_of(other, near) < distance_of(y, near)) {
        copy3(y, other);
    }
}

static void nearest(double y[3], const mb_output *o, const double near[3])
{
    if (o->type->turning == MB_TURNING_VECTOR) {
        nearest_vector(y, near);
    } else {
        nearest_angles(y, near, o->axis);
    }
}

/* What is expected a time dt after the state that is remembered. */
static void expect(double near[3], const double *last, double dt)
{
    for (int i = 0; i < 3; ++i) {
        near[i] = last[i] + dt * last[3 + i];
    }
}

void mb_output_continue(double y[3], const mb_output *o, const mb_instance *m, double t)
{
    double near[3];
    if (o->turning > 0 && m->memory && m->memory[MB_MEMORY_STARTED] != 0.0) {
        expect(near, m->memory + o->turning, t - m->memory[MB_MEMORY_TIME]);
        nearest(y, o, near);
    }
}

/* Rates: of a rotation vector the angular velocity, which it is while the axis stands still; of angles their own. */
static void rates(double yd[3], const double y[3], const mb_output *o, const mb_instance *m)
{
    const mb_state *s = &m->state[o->marker.body];
    double S[9], Si[9], Om[3], c[3];
    copy3(yd, s->om);
    if (o->type->turning == MB_TURNING_ANGLES) {
        body_angle_axes(S, o->axis, y);
        cross3(c, S + 3, S + 6);
        yd[0] = yd[1] = yd[2] = 0.0;
        if (fabs(dot3(S, c)) > locked) {
            mat3_invert(Si, 3, S, 3);
            tmul3(Om, o->marker.A, s->Om);
            mat3_mul_vec(yd, Si, 3, Om);
        }
    }
}

void mb_output_follow(const mb_output *o, mb_instance *m, const dal_point *at, double h, dal_moment moment)
{
    double y[3], near[3], *last = m->memory + o->turning;
    o->type->raw(y, o, m, at);
    if (moment != DAL_MOMENT_START) {
        expect(near, last, h);
        nearest(y, o, near);
    }
    copy3(last, y);
    rates(last + 3, y, o, m);
}
