/* Forces of wheels and teeth as elements. */
#include "mbs/wrench.h"

#include <math.h>

#include "mbs/compile_impl.h"
#include "mbs/wrench_impl.h"

/* Slip is taken of at least this speed unless the model says: of the radius, per second, so that it is the same in all units. */
static const double LEAST_SPEED = 0.03;

static wrench_numbers numbers_of(const mb_force *f)
{
    const dal_force *d = &f->d;
    wrench_numbers n = {.radius = d->radius,
                        .radius_a = d->radius_a,
                        .stiffness = d->stiffness,
                        .damping = d->damping,
                        .mu = d->mu,
                        .least_speed = d->least_speed > 0.0 ? d->least_speed : LEAST_SPEED * d->radius,
                        .half_length = d->half_length,
                        .shape_factor = d->shape_factor,
                        .curvature = d->curvature,
                        .angle = d->angle,
                        .camber = d->camber_stiffness,
                        .relaxation = d->relaxation_length,
                        .offset = f->row.c2,
                        .backlash = d->backlash,
                        .tension = d->tension,
                        .span = f->row.c,
                        .law = d->tyre,
                        .rollers = d->rollers,
                        .internal = d->internal || f->type->wrench_kernel == WRENCH_BELT};
    memcpy(n.slip_stiffness, d->slip_stiffness, sizeof n.slip_stiffness);
    memcpy(n.creep, d->creep, sizeof n.creep);
    n.pitch = d->teeth > 0.0 ? MB_TURN * d->radius / d->teeth : 1.0;
    return n;
}

/* The state of a tyre with relaxation. */
static double state_of(const mb_force *f, const dal_point *at)
{
    return f->own > 0 ? at->v[f->v] : 0.0;
}

static void at_state(double y[WRENCH_SIZE], const mb_force *f, const mb_instance *m, double state)
{
    mb_pairing P;
    const wrench_numbers n = numbers_of(f);
    mb_pairing_at(&P, m->state, f->marker, 1, MB_AXES_A | MB_AXES_B);
    wrench_at(y, (wrench_kind)f->type->wrench_kernel, &P, &n, state);
}

/* A wheel on a rail stands: where its axle turns along the rail, or up, the generator that touches is another one at once. */
static void check_stands(const mb_force *f, mb_instance *m)
{
    static const double least = 0.5; // sixty degrees
    mb_pairing P;
    if (!m->memory || m->memory[MB_MEMORY_STARTED] == 0.0) {
        return; // no run
    }
    mb_pairing_at(&P, m->state, f->marker, 1, MB_AXES_A | MB_AXES_B);
    if (fabs(dot3(P.side[0].E + 3, P.side[1].E + 6)) < least) {
        MB_FAIL(
            m, DAL_RETRY,
            "force '%s': the axle of the wheel, z of frame B, is more than 60 degrees away from y of frame A, across "
            "the rail. Turn the frames; a wheel that lies or has turned round is not for this element",
            m->of->force_names.name[f - m->force]);
    }
}

void mb_wrench_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_force *f = self;
    double y[WRENCH_SIZE];
    if (f->type->wrench_kernel == WRENCH_RAIL) {
        check_stands(f, m);
    }
    at_state(y, f, m, state_of(f, at));
    if (f->own > 0) {
        out->r[f->v] += at->vd[f->v] - y[WRENCH_RATE];
    }
    for (int i = 0; i < 12; ++i) {
        m->body[f->marker[i / 6].body].r6[i % 6] += y[i];
    }
}

/* Blocks of a state s with unit mass, s' = rate, (MB.18): rows of its own, and columns of the bodies. */
static void push_state(const mb_force *f, mb_instance *m, dal_sink *sink, const mb_wrench_slopes *slope)
{
    const double own = -slope->rate_by_state;
    sink->pair(sink, f->pair_own, NULL, &own, NULL);
    for (int j = 0; j < 2; ++j) {
        const int body = f->marker[j].body;
        double C[6], K[6];
        for (int k = 0; k < 6; ++k) {
            C[k] = -slope->rate_C[j][k];
            K[k] = -slope->rate_K[j][k];
        }
        if (body > 0) {
            mb_push_row(m, sink, body, f->pair_reads[j], C, K);
            mb_push_column(m, sink, body, f->pair_integral[j], slope->by_state[j], NULL);
        }
    }
}

void mb_wrench_push(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    const wrench_numbers n = numbers_of(f);
    mb_wrench_frame frame[2];
    mb_wrench_slopes slope;
    if (f->own > 0) {
        static const double one = 1.0;
        sink->pair(sink, f->pair_own, &one, NULL, NULL);
    }
    if (!(sink->wants & (DAL_WANT_C | DAL_WANT_K))) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        const mb_state *s = &m->state[f->marker[i].body];
        copy3(frame[i].x, s->x);
        memcpy(frame[i].R, s->R, sizeof frame[i].R);
        copy3(frame[i].xd, s->xd);
        copy3(frame[i].Om, s->Om);
        copy3(frame[i].a, f->marker[i].a);
        memcpy(frame[i].A, f->marker[i].A, sizeof frame[i].A);
    }
    mb_wrench_tangent(&slope, (wrench_kind)f->type->wrench_kernel, frame, &n, state_of(f, at));
    for (int k = 0; k < 4; ++k) {
        const int i = k / 2, j = k % 2, row = f->marker[i].body, column = f->marker[j].body;
        if (row != 0 && column != 0) {
            mb_add_pair(m, sink, row, column, f->pair[i], slope.C[i][j], slope.K[i][j]);
        }
    }
    if (f->own > 0) {
        push_state(f, m, sink, &slope);
    }
}

void mb_wrench_connect(mb_plan *plan, void *force)
{
    mb_force *f = force;
    mb_connect_frames(plan, force);
    for (int i = 0; i < 2 && f->own > 0; ++i) {
        const mb_columns body = mb_columns_of_body(plan, f->marker[i].body), own = mb_columns_of_force(f);
        mb_plan_pair(plan, &f->pair_reads[i], own, body);
        mb_plan_pair(plan, &f->pair_integral[i], body, own);
    }
}

void mb_wrench_potential(double *V, const void *self, mb_instance *m, double t)
{
    (void)t;
    double y[WRENCH_SIZE];
    at_state(y, self, m, 0.0); // only the springs against the ground and of teeth have a potential
    *V += y[WRENCH_V];
}

void mb_wrench_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    double y[WRENCH_SIZE];
    at_state(y, self, m, state_of(self, at));
    P[0] = y[WRENCH_LOSS];
    P[1] = 0.0;
}

double mb_wrench_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    double y[WRENCH_SIZE];
    at_state(y, f, m, state_of(f, at));
    return y[WRENCH_VALUE];
}

unsigned mb_wrench_axes(const mb_force *f)
{
    (void)f;
    return MB_AXES_A | MB_AXES_B;
}

void mb_wrench_remember(const mb_force *f, mb_instance *m, double t)
{
    (void)t;
    const wrench_numbers n = numbers_of(f);
    const char *name = m->of->force_names.name[f - m->force];
    mb_pairing P;
    double u[3], d;
    mb_pairing_at(&P, m->state, f->marker, 0, MB_AXES_A | MB_AXES_B);
    (void)wrench_mesh_angle(u, &d, &P, &n);
    const double touch = n.radius_a + (n.internal ? -n.radius : n.radius);
    if (fabs(dot3(P.side[0].E + 6, P.side[1].E + 6)) < 0.5) {
        MB_FAIL(m, DAL_EINVAL,
                "force '%s': the axes of the wheels, z of frames A and B, must be parallel. Turn the frames", name);
    } else if (f->type->wrench_kernel == WRENCH_MESH && fabs(d - touch) > 0.5 * touch) {
        MB_FAIL(m, DAL_EINVAL,
                "force '%s': the axes of the wheels are %.6g apart, and their pitch circles touch at %.6g", name, d,
                touch);
    }
}

void mb_wrench_start(double *v0, const mb_force *f, mb_instance *m)
{
    (void)v0;
    const wrench_numbers n = numbers_of(f);
    mb_pairing P;
    double u[3], d;
    mb_pairing_at(&P, m->state, f->marker, 0, MB_AXES_A | MB_AXES_B);
    mb_row *row = &m->force[f - m->force].row;
    if (f->type->wrench_kernel == WRENCH_RACK) {
        row->c2 = wrench_rack_ahead(&P, &n);
        return;
    }
    row->c2 = wrench_mesh_angle(u, &d, &P, &n);
    row->c = sqrt(fmax(d * d - (n.radius_a - n.radius) * (n.radius_a - n.radius), 0.0));
}
