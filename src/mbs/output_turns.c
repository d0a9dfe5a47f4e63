/* Rotation vectors and angles as outputs: of all that describe a rotation, those that continue the motion (MB.16). */
#include "mbs/output_impl.h"
#include "mbs/turn_kernel.h"

static void nearest(double y[3], const mb_output *o, const double near[3])
{
    if (o->type->turning == MB_TURNING_VECTOR) {
        turn_nearest_vector(y, near);
    } else {
        turn_nearest_angles(y, near, o->axis);
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
    double Om[3];
    if (o->type->turning == MB_TURNING_ANGLES) {
        tmul3(Om, o->marker.A, s->Om);
        turn_rates(yd, y, o->axis, Om);
    } else {
        copy3(yd, s->om);
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
