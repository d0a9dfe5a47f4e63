/* How the numbers of a simulation follow from those of its descriptions, in the order of settle.c. */
#include <stdio.h>

#include "mbs/event_impl.h"
#include "mbs/follow.h"
#include "mbs/number_kernel.h"
#include "mbs/numbers_impl.h"
#include "system/data.h"

const void *mb_description_home(dal_data *data, mb_kind kind, int number, int list)
{
    const mb_instance *m = data->work;
    switch (kind) {
    case MB_FUNCTION:
        return m->function[number].c + (list == 2 ? m->function[number].n : 0);
    case MB_BODY:
        return &m->desc[number];
    case MB_JOINT:
        return &m->joint[number].d;
    case MB_FORCE:
        return list == 0 ? (const void *)&m->force[number].d : m->force[number].given;
    case MB_OUTPUT:
        return &m->output[number].d.frame;
    case MB_EVENT:
        return &m->event[number].d;
    default:
        return m->gravity;
    }
}

/* A quaternion of length one; zeros mean none. */
static void follow_rotation(mb_flow *f, double p[4], const double given[4])
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    const int zero = given[0] == 0.0 && dot3(given + 1, given + 1) == 0.0;
    number_unit4(p, zero ? none : given);
    f->call(f, "unit4", "", MB_SPANS({p, 4}), MB_SPANS({zero ? none : given, 4}));
}

void mb_follow_pose(dal_data *data, double pose[7], int body, mb_flow *f)
{
    const mb_instance *m = data->work;
    copy3(pose, m->desc[body].position);
    f->copy(f, pose, m->desc[body].position, 3);
    follow_rotation(f, pose + 3, m->desc[body].rotation);
}

/* ---- frames ----------------------------------------------------------------------------------- */

static void copy_marker(mb_flow *f, const mb_marker *to, const mb_marker *from)
{
    f->copy(f, to->a, from->a, 3);
    f->copy(f, to->A, from->A, 9);
}

static void copy_markers(mb_flow *f, const mb_marker to[2], const mb_marker from[2])
{
    copy_marker(f, &to[0], &from[0]);
    copy_marker(f, &to[1], &from[1]);
}

static void follow_frame(mb_flow *f, const mb_marker *marker, const dal_frame *frame)
{
    double p[4];
    f->copy(f, marker->a, frame->position, 3);
    follow_rotation(f, p, frame->rotation);
    f->call(f, "matrix", "", MB_SPANS({marker->A, 9}), MB_SPANS({p, 4}));
}

/* ---- bodies ----------------------------------------------------------------------------------- */

/* Entry by entry: those that are alike are one, and zeros are seen. */
static void follow_mass(mb_flow *f, const mb_body *b, const dal_body *d)
{
    const double *m = &d->mass, *c = d->com;
    f->copy(f, &b->m, m, 1);
    for (int i = 0; i < 3; ++i) {
        f->call(f, "times", "", MB_SPANS({b->mc + i, 1}), MB_SPANS({m, 1}, {c + i, 1}));
        f->call(f, "moment", "", MB_SPANS({b->J + (size_t)(4 * i), 1}),
                MB_SPANS({m, 1}, {d->inertia + i, 1}, {c + (i == 0), 1}, {c + (i == 2 ? 1 : 2), 1}));
        for (int j = i + 1; j < 3; ++j) {
            const double *J = b->J + i + (size_t)(3 * j);
            f->call(f, "deviation", "", MB_SPANS({J, 1}),
                    MB_SPANS({m, 1}, {d->inertia + 2 + i + j, 1}, {c + i, 1}, {c + j, 1}));
            f->copy(f, b->J + j + (size_t)(3 * i), J, 1);
        }
    }
}

/* From the pose and the velocities of a description to q and v: mb_body_type.initial. */
static void follow_initial(mb_flow *f, const mb_instance *m, const mb_body *b, const dal_body *d)
{
    const double *q = m->q0 + b->q, *v = m->v0 + b->v, *turning = d->angular_velocity;
    const int n = b->type->planar ? 2 : 3;
    double p[4];
    char axes[32];
    follow_rotation(f, p, d->rotation);
    f->copy(f, q, d->position, n);
    f->copy(f, v, d->velocity, n);
    switch (b->type->chart) {
    case MB_CHART_R3SO3:
    case MB_CHART_SE3:
        f->copy(f, q + 3, p, 4);
        f->copy(f, v + 3, turning, 3);
        if (b->type->chart == MB_CHART_SE3) {
            f->call(f, "back", "", MB_SPANS({v, 3}), MB_SPANS({p, 4}, {d->velocity, 3}));
        }
        break;
    case MB_CHART_EULER:
    case MB_CHART_TEXTBOOK:
        f->copy(f, q + 3, p, 4);
        f->call(f, "rates", "", MB_SPANS({v + 3, 4}), MB_SPANS({p, 4}, {turning, 3}));
        break;
    case MB_CHART_CARDAN:
        snprintf(axes, sizeof axes, ", %d, %d, %d", b->axis[0], b->axis[1], b->axis[2]);
        f->call(f, "cardan", axes, MB_SPANS({q + 3, 3}, {v + 3, 3}), MB_SPANS({p, 4}, {turning, 3}));
        break;
    case MB_CHART_VECTOR:
        f->call(f, "vector", "", MB_SPANS({q + 3, 3}, {v + 3, 3}), MB_SPANS({p, 4}, {turning, 3}));
        break;
    case MB_CHART_PLANAR:
    case MB_CHART_PLANAR_SE2:
        f->call(f, "angle", "", MB_SPANS({q + 2, 1}), MB_SPANS({p, 4}));
        f->copy(f, v + 2, turning + 2, 1);
        if (b->type->chart == MB_CHART_PLANAR_SE2) {
            f->call(f, "se2", "", MB_SPANS({v, 2}), MB_SPANS({q + 2, 1}, {d->velocity, 2}));
        }
        break;
    default:
        break;
    }
}

/* ---- joints ----------------------------------------------------------------------------------- */

/* The distance of two points at the start. */
static void follow_distance(mb_flow *f, dal_data *data, const mb_joint *j, const double *c)
{
    double pose[2][7];
    for (int i = 0; i < 2; ++i) {
        mb_follow_pose(data, pose[i], j->marker[i].body, f);
    }
    f->call(f, "distance", "", MB_SPANS({c, 1}),
            MB_SPANS({pose[0], 7}, {j->marker[0].a, 3}, {pose[1], 7}, {j->marker[1].a, 3}));
}

/* Its row: factors of the coordinates, teeth, period; the constant is what the start makes of it. */
static void follow_gear(mb_flow *f, dal_data *data, const mb_joint *j)
{
    const mb_gear *G = &j->gear;
    const mb_marker *at[2] = {&G->marker[0][G->carrier[0]], &G->marker[1][G->carrier[1]]};
    double x[11];
    char signs[32];
    int sign[2];
    f->copy(f, G->ratio, j->d.ratio, 2);
    f->copy(f, G->ratio + 2, &j->d.ratio_3, G->n == 3);
    for (int k = 0; k < 2 && G->nterms > G->n; ++k) {
        copy_marker(f, &G->marker[2 + k][0], at[k]);
        copy_marker(f, &G->marker[2 + k][1], &G->marker[k][1 - G->carrier[k]]);
    }
    if (G->nterms > G->n && mb_gear_teeth(G, x, sign)) {
        snprintf(signs, sizeof signs, ", %d, %d", sign[0], sign[1]);
        f->call(f, "teeth", signs, MB_SPANS({G->ratio + 2, 2}, {G->marker[2][0].A, 9}),
                MB_SPANS({at[0]->a, 3}, {at[1]->a, 3}, {at[0]->A + (size_t)(3 * G->row[0].i), 3}, {G->ratio, 2}));
        f->copy(f, G->marker[3][0].A, G->marker[2][0].A, 9);
    }
    f->call(f, NULL, "", MB_SPANS({&G->period, 1}), MB_SPANS({G->ratio, G->n}));
    // all that its coordinates depend on
    mb_span all[6 * MB_TERMS + 2] = {{G->ratio, G->nterms}};
    double pose[2 * MB_TERMS][7];
    for (int k = 0; k < 2 * G->nterms; ++k) {
        const mb_marker *marker = &G->marker[k / 2][k % 2];
        mb_follow_pose(data, pose[k], marker->body, f);
        all[1 + 3 * k] = (mb_span){marker->a, 3};
        all[2 + 3 * k] = (mb_span){marker->A, 9};
        all[3 + 3 * k] = (mb_span){pose[k], 7};
    }
    f->call(f, "", "", MB_SPANS({&G->constant, 1}), all);
}

static void follow_joint(mb_flow *f, dal_data *data, const mb_instance *m, int number)
{
    const mb_joint *j = &m->joint[number];
    const char *type = j->type->name;
    const mb_constraint *c = &m->constraint[j->first];
    follow_frame(f, &j->marker[0], &j->d.frame_a);
    follow_frame(f, &j->marker[1], &j->d.frame_b);
    for (int i = 0; i < 3 && j->refers[i] >= 0; ++i) {
        copy_markers(f, j->type->free_bodies ? j->gear.marker[i] : j->marker, m->joint[j->refers[i]].marker);
    }
    if (j->gear.nterms > 0) {
        follow_gear(f, data, j);
        return;
    }
    for (int k = 0; k < j->count; ++k) {
        copy_markers(f, c[k].marker, j->marker);
        for (int i = 0; i < c[k].nscalar && j->type->contact; ++i) {
            f->copy(f, &c[k].row[i].c, &j->d.radius, 1);
        }
    }
    if (strcmp(type, "screw") == 0) {
        f->call(f, "pitch", "", MB_SPANS({&c->row[4].c, 1}), MB_SPANS({&j->d.pitch, 1}));
        f->call(f, "period", "", MB_SPANS({&c->row[4].period, 1}), MB_SPANS({&j->d.pitch, 1}));
    } else if (strcmp(type, "distance") == 0 && j->d.length == 0.0) {
        follow_distance(f, data, j, &c->row[0].c);
    } else if (strcmp(type, "distance") == 0) {
        f->copy(f, &c->row[0].c, &j->d.length, 1);
    }
}

/* ---- forces ----------------------------------------------------------------------------------- */

static void follow_force(mb_flow *f, const mb_instance *m, int number)
{
    const mb_force *force = &m->force[number];
    for (int i = force->type->alone ? 1 : 0; i < 2; ++i) {
        if (force->joint >= 0) {
            copy_marker(f, &force->marker[i], &m->joint[force->joint].marker[i]);
        } else {
            follow_frame(f, &force->marker[i], i == 0 ? &force->d.frame_a : &force->d.frame_b);
        }
    }
    for (int k = 0; force->input && k < force->d.ninputs; ++k) {
        const mb_input *in = &force->input[k];
        if (in->joint >= 0) {
            copy_markers(f, in->marker, m->joint[in->joint].marker);
        } else {
            follow_frame(f, &in->marker[0], &force->given[k].frame_a);
            follow_frame(f, &in->marker[1], &force->given[k].frame_b);
        }
    }
    f->call(f, NULL, "", MB_SPANS({&force->row.c2, 1}), MB_SPANS({&force->d.restitution, 1}));
    if (force->type->state) {
        f->copy(f, &m->v0[force->v], &force->d.initial, 1);
    }
}

void mb_follow(dal_data *data, mb_flow *f)
{
    const mb_instance *m = data->work;
    for (int i = 1; i < m->nbodies; ++i) {
        follow_mass(f, &m->body[i], &m->desc[i]);
        follow_initial(f, m, &m->body[i], &m->desc[i]);
    }
    for (int k = 0; k < m->njoints; ++k) {
        follow_joint(f, data, m, k);
    }
    for (int k = 0; k < m->nforces; ++k) {
        follow_force(f, m, k);
    }
    for (int k = 0; k < m->noutputs; ++k) {
        follow_frame(f, &m->output[k].marker, &m->output[k].d.frame);
    }
}
