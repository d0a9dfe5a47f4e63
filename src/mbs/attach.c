/* Can the bodies take what is attached to them? A point has neither axes nor a lever arm; planar bodies move in the x-y
 * plane only. What an element needs is in the table of its type: the axes and the rotations that a row reads, whether
 * a load is a torque. An element that would have no effect, in whole or in part, is refused (MB.17). */
#include <math.h>
#include <stdio.h>

#include "mbs/compile_impl.h"

/* The element in question, for messages. */
typedef struct element {
    const char *kind, *name, *type;
    const char *planar; /* what to use instead on planar bodies; NULL: nothing in particular */
} element;

static const double rounding = 1e-12;

static int is_point(const mb_instance *m, int body)
{
    return body > 0 && !m->body[body].type->rotates;
}

/* ---- points ----------------------------------------------------------------------------------- */

static dal_status no_axes(const mb_instance *m, const element *e, int body, const char *what)
{
    return dal_fail(m->ctx, DAL_EINVAL,
                    "%s '%s' (%s): it %s body '%s', which is a point: a point has no orientation and takes no torque. "
                    "Give '%s' an inertia and the type r3so3, or use an element that needs no axes there (spherical, "
                    "distance, cartesian; point_on_line and point_on_plane with the point as B)",
                    e->kind, e->name, e->type, what, m->of->body_names.name[body], m->of->body_names.name[body]);
}

/* turning: the sides whose axes or rotation matter. */
static dal_status check_points(const mb_instance *m, const element *e, const mb_marker marker[2], unsigned turning)
{
    for (int i = 0; i < 2; ++i) {
        const int body = marker[i].body;
        if (!is_point(m, body)) {
            continue;
        }
        const double *a = marker[i].a, *x = m->desc[body].position;
        if (sqrt(dot3(a, a)) > rounding * (1.0 + sqrt(dot3(x, x)))) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "%s '%s' (%s): it is attached to point '%s' at (%.6g, %.6g, %.6g) from it, but a point has "
                            "no lever arm. Attach it at the point itself (a pendulum is a `distance` joint), or give "
                            "'%s' an inertia and the type r3so3",
                            e->kind, e->name, e->type, m->of->body_names.name[body], a[0], a[1], a[2],
                            m->of->body_names.name[body]);
        }
        if (turning & (i == 0 ? MB_AXES_A : MB_AXES_B)) {
            return no_axes(m, e, body, "needs the axes or the rotation of");
        }
    }
    return DAL_OK;
}

/* ---- planar bodies ---------------------------------------------------------------------------- */

/* Are all moving bodies planar, and is there one? */
static int all_planar(const mb_instance *m, const mb_marker marker[2])
{
    int planar = 0;
    for (int i = 0; i < 2; ++i) {
        if (marker[i].body > 0 && !m->body[marker[i].body].type->planar) {
            return 0;
        }
        planar |= marker[i].body > 0;
    }
    return planar;
}

/* Does a gradient act on planar bodies only out of their plane? */
static int out_of_plane(const mb_marker marker[2], const mb_pairing *P, const double g[12])
{
    double within = 0.0, all = 0.0;
    for (int i = 0; i < 2; ++i) {
        double g6[6];
        if (marker[i].body > 0) {
            mb_gradient_to_body(g6, &P->side[i], g + 6 * i);
            within += g6[0] * g6[0] + g6[1] * g6[1] + g6[5] * g6[5];
            all += dot3(g6, g6) + dot3(g6 + 3, g6 + 3);
        }
    }
    return all > 0.0 && within <= rounding * rounding * all;
}

static dal_status no_motion(const mb_instance *m, const element *e, const char *row)
{
    char remedy[80];
    snprintf(remedy, sizeof remedy, e->planar ? "use '%s'" : "use what acts on x, y and the rotation about z alone",
             e->planar);
    return dal_fail(m->ctx, DAL_EINVAL,
                    "%s '%s' (%s): '%s' is a direction in which planar bodies do not move; %s, or bodies of type r3so3",
                    e->kind, e->name, e->type, row, remedy);
}

static dal_status check_row(const mb_instance *m, const element *e, const mb_marker marker[2], const mb_row *row)
{
    mb_pairing P;
    double g[12];
    DAL_TRY(check_points(m, e, marker, row->type->axes | row->type->turns));
    if (!all_planar(m, marker)) {
        return DAL_OK;
    }
    mb_pairing_at(&P, m->state, marker, 0, MB_AXES_A | MB_AXES_B);
    row->type->gradient(g, row, &P);
    if (out_of_plane(marker, &P, g)) {
        char text[32];
        mb_row_text(text, sizeof text, row);
        return no_motion(m, e, text);
    }
    return DAL_OK;
}

/* ---- joints ----------------------------------------------------------------------------------- */

/* Torques of rows from a callback on points. */
static dal_status check_wrench(mb_instance *m, const element *e, const mb_constraint *c, double *la)
{
    const mb_joint_type *type = m->joint[c->joint].type;
    const dal_point at = {0.0, m->q0, m->v0, m->r, la};
    for (int side = 0; side < c->nsides; ++side) {
        for (int row = 0; is_point(m, c->body[side]) && row < c->nrows; ++row) {
            double f[6];
            la[c->row0 + row] = 1.0;
            type->wrench(f, c, m, &at, side);
            la[c->row0 + row] = 0.0;
            if (dot3(f + 3, f + 3) > 0.0) {
                return no_axes(m, e, c->body[side], "has rows on the angular velocity of");
            }
        }
    }
    return DAL_OK;
}

static dal_status check_block(mb_instance *m, const mb_constraint *c, double *la)
{
    const mb_joint *j = &m->joint[c->joint];
    const element e = {"joint", m->of->joint_names.name[c->joint], j->type->name, j->type->planar};
    if (j->type->wrench) {
        return check_wrench(m, &e, c, la);
    }
    for (int k = 0; k < j->gear.n && j->type->free_bodies; ++k) {
        DAL_TRY(check_row(m, &e, j->gear.marker[k], &j->gear.row[k]));
    }
    if (j->type->free_bodies) {
        return DAL_OK;
    }
    DAL_TRY(check_points(m, &e, c->marker, 0));
    if (c->npoint == 3 && all_planar(m, c->marker)) {
        return no_motion(m, &e, "point z");
    }
    for (int k = 0; k < c->nscalar; ++k) {
        DAL_TRY(check_row(m, &e, c->marker, &c->row[k]));
    }
    return DAL_OK;
}

/* ---- forces ----------------------------------------------------------------------------------- */

/* A force or a torque given as a vector. */
static dal_status check_load(const mb_instance *m, const element *e, const mb_force *f)
{
    const mb_body *b = &m->body[f->marker[1].body];
    const int torque = f->type->load == MB_LOAD_TORQUE;
    double w[3];
    if (!b->type->planar || f->type->load == MB_LOAD_NONE) {
        return DAL_OK;
    }
    copy3(w, f->d.vector);
    if (f->d.follower) {
        mat3_mul_vec(w, f->marker[1].A, 3, f->d.vector);
    }
    const double outside = torque ? hypot(w[0], w[1]) : fabs(w[2]);
    return outside <= rounding * sqrt(dot3(w, w))
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL,
                          "%s '%s' (%s): body '%s' is planar and does not feel %s (here %.6g): set %s to zero, or make "
                          "it a body of type r3so3",
                          e->kind, e->name, e->type, m->of->body_names.name[f->marker[1].body],
                          torque ? "a torque about x or y" : "a force along z", outside, torque ? "these" : "it");
}

static dal_status check_force(const mb_instance *m, int number)
{
    const mb_force *f = &m->force[number];
    const element e = {"force", m->of->force_names.name[number], f->type->name, NULL};
    const unsigned axes = f->type->turns_of ? f->type->turns_of(f) : 0U;
    DAL_TRY(check_points(m, &e, f->marker, axes));
    if (f->type->coordinates) {
        DAL_TRY(check_row(m, &e, f->marker, &f->row));
    }
    for (int k = 0; f->input && k < f->d.ninputs; ++k) {
        const mb_row_type *type = f->input[k].row.type;
        if (f->input[k].state >= 0 || f->input[k].reaction >= 0) {
            continue;
        }
        DAL_TRY(check_points(m, &e, f->input[k].marker, type->axes | type->turns));
    }
    return check_load(m, &e, f);
}

/* ---- all together ----------------------------------------------------------------------------- */

static dal_status check_gravity(const mb_instance *m)
{
    const double *g = m->gravity;
    for (int i = 1; i < m->of->body_names.n && fabs(g[2]) > rounding * sqrt(dot3(g, g)); ++i) {
        if (m->body[i].type->planar && m->body[i].m > 0.0) {
            return dal_fail(
                m->ctx, DAL_EINVAL,
                "body '%s': it is planar and does not feel gravity along z (here %.6g): give gravity in the "
                "x-y plane, or make it a body of type r3so3",
                m->of->body_names.name[i], g[2]);
        }
    }
    return DAL_OK;
}

dal_status mb_check_attachments(mb_instance *m)
{
    double *la = m->rows;
    memset(la, 0, (size_t)m->nc * sizeof(double));
    DAL_TRY(check_gravity(m));
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].joint >= 0) {
            DAL_TRY(check_block(m, &m->constraint[k], la));
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        DAL_TRY(check_force(m, k));
    }
    return DAL_OK;
}
