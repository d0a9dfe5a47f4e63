/* The joints that are contacts: which rows they have, their numbers and keys. */
#include <limits.h>
#include <math.h>

#include "base/message.h"
#include "mbs/contact_impl.h"

/* A limit this large is none. */
#define NO_LIMIT 1e9

enum { SHAPE_SPHERE, SHAPE_DISK, SHAPE_CAPSULE, SHAPE_BOX };
static const char *const shapes[] = {"sphere", "disk", "capsule", "box", NULL};

#define MATERIAL                                                                                                       \
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL), \
        MB_KEY(NUMBER, "mu", dal_joint, mu, "", "coefficient of friction", MB_OPTIONAL),                               \
        MB_KEY(NUMBER, "mu_s", dal_joint, mu_s, "", "the same while it sticks, at least mu (default: mu)",             \
               MB_OPTIONAL)

const dal_key mb_contact_keys[MB_NCONTACT_KEYS] = {
    MB_KEY(CHOICE, "shape", dal_joint, shape, "",
           "of B, around its frame; disk and capsule along z. A point is a sphere with radius 0", .words = shapes,
           .preset = "\"sphere\""),
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "of sphere, disk, capsule", MB_OPTIONAL),
    MB_KEY(NUMBER, "length", dal_joint, length, "m", "of a capsule, between the centres of its ends", MB_OPTIONAL),
    MB_KEY(VECTOR, "size", dal_joint, size, "m", "of a box: its edges", MB_OPTIONAL), MATERIAL};
const dal_key mb_sphere_contact_keys[MB_NSPHERE_CONTACT_KEYS] = {
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "of B", MB_OPTIONAL),
    MB_KEY(NUMBER, "radius_a", dal_joint, radius_a, "m", "of A", MB_REQUIRED),
    MB_KEY(FLAG, "hollow", dal_joint, hollow, "", "A is hollow, B inside it", MB_OPTIONAL), MATERIAL};
const dal_key mb_rope_keys[MB_NROPE_KEYS] = {
    MB_KEY(NUMBER, "length", dal_joint, length, "m", "default: the initial distance", MB_OPTIONAL),
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL)};
const dal_key mb_limit_keys[MB_NLIMIT_KEYS] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(NUMBERS, "limits", dal_joint, limits, "m or rad", "lower and upper; beyond +-1e9: none", MB_REQUIRED,
           .n = 2),
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL)};
const dal_key mb_clutch_keys[MB_NCLUTCH_KEYS] = {MB_COORDINATE_KEY(dal_joint, "which coordinate")};
const dal_key mb_brake_keys[MB_NBRAKE_KEYS] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(NUMBER, "limit", dal_joint, limit, "N or N m", "largest friction", MB_REQUIRED)};

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_number(const mb_scope *s, const dal_joint *d, const char *key, double x, int sound,
                               const char *range)
{
    return sound && isfinite(x) ? DAL_OK
                                : dal_fail(s->ctx, DAL_EINVAL, "joint '%s': %s = %g; %s", d->name, key, x, range);
}

static dal_status check_material(const mb_scope *s, const dal_joint *d)
{
    DAL_TRY(check_number(s, d, "restitution", d->restitution, d->restitution >= 0.0 && d->restitution <= 1.0,
                         "it is from 0 to 1"));
    DAL_TRY(check_number(s, d, "mu", d->mu, d->mu >= 0.0, "friction is not negative"));
    return check_number(s, d, "mu_s", d->mu_s, d->mu_s == 0.0 || (d->mu_s >= d->mu && d->mu > 0.0),
                        "friction that sticks is at least that which slides, mu, and that is not zero");
}

dal_status mb_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    DAL_TRY(check_material(s, d));
    if (d->shape == SHAPE_BOX) {
        const double least = fmin(d->size[0], d->size[1]);
        return check_number(s, d, "size", least, least > 0.0 && d->size[2] >= 0.0, "the edges of a box are positive");
    }
    if (d->shape == SHAPE_CAPSULE) {
        DAL_TRY(check_number(s, d, "length", d->length, d->length > 0.0, "the length of a capsule is positive"));
    }
    return check_number(s, d, "radius", d->radius, d->radius >= 0.0 && (d->shape != SHAPE_DISK || d->radius > 0.0),
                        "a radius is not negative, that of a disk not zero");
}

dal_status mb_sphere_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    DAL_TRY(check_material(s, d));
    DAL_TRY(check_number(s, d, "radius", d->radius, d->radius >= 0.0, "a radius is not negative"));
    return check_number(s, d, "radius_a", d->radius_a, d->radius_a > (d->hollow ? d->radius : 0.0),
                        "it is positive, and larger than that of the sphere inside");
}

dal_status mb_rope_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    DAL_TRY(check_material(s, d));
    return check_number(s, d, "length", d->length, d->length >= 0.0, "it must be positive");
}

dal_status mb_limit_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    DAL_TRY(mb_check_coordinate(s, j, d, "has limits"));
    DAL_TRY(check_material(s, d));
    return d->limits[0] < d->limits[1]
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "joint '%s': limits = [%g, %g]; the lower one comes first", d->name,
                          d->limits[0], d->limits[1]);
}

dal_status mb_clutch_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    return mb_check_coordinate(s, j, d, "may only grow");
}

dal_status mb_brake_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    DAL_TRY(mb_check_coordinate(s, j, d, "is braked"));
    return check_number(s, d, "limit", d->limit, d->limit > 0.0, "the largest friction is positive");
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int planar(const dal_model *m, int joint)
{
    int some = 0;
    for (int i = 0; i < 2; ++i) {
        some |= m->body[m->joint[joint].marker[i].body].type != NULL &&
                m->body[m->joint[joint].marker[i].body].type->planar;
    }
    return some;
}

/* A block of a contact. */
static mb_constraint block(dal_model *m, int joint, const mb_element_type *type, int gap)
{
    mb_constraint c = mb_block_of(m, joint, 0);
    c.type = type;
    c.gap = gap;
    c.contact = m->ncontacts;
    return c;
}

/* A new contact with its gap. */
static dal_status add_gap(dal_model *m, int joint, mb_row row)
{
    m->ncontacts++;
    mb_constraint c = block(m, joint, &mb_constraint_gap, -1);
    mb_block_row(&c, row);
    return mb_add_constraint(m, &c);
}

/* Its friction. Planar bodies slide in one direction: of the axes of A that which lies in their plane. */
static dal_status add_sliding(dal_model *m, int joint, const mb_row_type *type, int choose)
{
    const mb_joint *j = &m->joint[joint];
    mb_constraint c = block(m, joint, &mb_constraint_sliding, m->nconstraints - 1);
    if (!(j->d.mu > 0.0)) {
        return DAL_OK;
    }
    const int one = planar(m, joint), only = choose && fabs(j->marker[0].A[2]) > 0.5;
    for (int i = 0; i < 2; ++i) {
        if (!one || i == only) {
            mb_block_row(&c, (mb_row){.type = type, .i = i});
        }
    }
    return mb_add_constraint(m, &c);
}

/* Points or spheres of the shape of B. */
static int npoints(const dal_model *m, int joint)
{
    const int shape = m->joint[joint].d.shape;
    return shape == SHAPE_BOX ? (planar(m, joint) ? 4 : 8) : shape == SHAPE_CAPSULE ? 2 : 1;
}

int mb_contact_row_count(const dal_model *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    const int contacts = j->type->build == mb_contact_build ? npoints(m, joint)
                         : j->type->build == mb_limit_build
                             ? (fabs(j->d.limits[0]) < NO_LIMIT) + (fabs(j->d.limits[1]) < NO_LIMIT)
                             : 1;
    return contacts * (1 + (j->d.mu > 0.0 ? 2 - planar(m, joint) : 0));
}

dal_status mb_contact_build(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    const int disk = d->shape == SHAPE_DISK, points = d->shape == SHAPE_BOX || d->radius == 0.0;
    for (int k = 0; k < npoints(m, joint); ++k) {
        DAL_TRY(add_gap(m, joint, (mb_row){.type = disk ? &mb_row_disk_height : &mb_row_sphere_height}));
        DAL_TRY(add_sliding(m, joint,
                            disk     ? &mb_row_disk_slip
                            : points ? &mb_row_rate_axis // needs no rotation of B
                                     : &mb_row_sphere_slip,
                            1));
    }
    return DAL_OK;
}

dal_status mb_sphere_contact_build(dal_model *m, int joint)
{
    DAL_TRY(add_gap(m, joint, (mb_row){.type = &mb_row_limit_length, .j = m->joint[joint].d.hollow}));
    return add_sliding(m, joint, &mb_row_slide, 0);
}

dal_status mb_rope_build(dal_model *m, int joint)
{
    return add_gap(m, joint, (mb_row){.type = &mb_row_limit_length, .j = 1});
}

dal_status mb_limit_build(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    const mb_row_type *type = d->coordinate == DAL_COORDINATE_ROTATION      ? &mb_row_limit_angle
                              : d->coordinate == DAL_COORDINATE_TRANSLATION ? &mb_row_limit_axis
                                                                            : &mb_row_limit_length;
    for (int j = 0; j < 2; ++j) {
        if (fabs(d->limits[j]) < NO_LIMIT) {
            DAL_TRY(add_gap(m, joint, (mb_row){.type = type, .i = d->axis, .j = j}));
        }
    }
    return DAL_OK;
}

static mb_row rate_row(const dal_joint *d)
{
    const mb_row_type *type = d->coordinate == DAL_COORDINATE_ROTATION      ? &mb_row_spin
                              : d->coordinate == DAL_COORDINATE_TRANSLATION ? &mb_row_rate_axis
                                                                            : &mb_row_rate_length;
    return (mb_row){.type = type, .i = d->axis};
}

dal_status mb_clutch_build(dal_model *m, int joint)
{
    return add_gap(m, joint, rate_row(&m->joint[joint].d));
}

dal_status mb_brake_build(dal_model *m, int joint)
{
    m->ncontacts++;
    mb_constraint c = block(m, joint, &mb_constraint_sliding, INT_MAX);
    mb_block_row(&c, rate_row(&m->joint[joint].d));
    return mb_add_constraint(m, &c);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Where point k of the shape of B is, in the axes of its frame. */
static void offset(double x[3], const dal_joint *d, int k, int flat)
{
    x[0] = x[1] = x[2] = 0.0;
    if (d->shape == SHAPE_CAPSULE) {
        x[2] = (k == 0 ? -0.5 : 0.5) * d->length;
    }
    for (int i = 0; d->shape == SHAPE_BOX && i < (flat ? 2 : 3); ++i) {
        x[i] = (k >> i & 1 ? 0.5 : -0.5) * d->size[i];
    }
}

dal_status mb_contact_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    const int flat = j->d.shape == SHAPE_BOX && npoints(m->of, joint) == 4;
    for (int b = j->first, k = -1; b < j->first + j->count; ++b) {
        mb_constraint *c = &m->constraint[b];
        double x[3], y[3];
        k += c->gap < 0;
        offset(x, &j->d, k, flat);
        mat3_mul_vec(y, c->marker[1].A, 3, x);
        add3(c->marker[1].a, j->marker[1].a, y);
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].c = j->d.shape == SHAPE_BOX ? 0.0 : j->d.radius;
        }
    }
    return DAL_OK;
}

dal_status mb_sphere_contact_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    const double r = j->d.hollow ? -j->d.radius : j->d.radius;
    for (int b = j->first; b < j->first + j->count; ++b) {
        mb_constraint *c = &m->constraint[b];
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].c = c->gap < 0 ? j->d.radius_a + r : j->d.radius_a;
            c->row[i].c2 = -r;
        }
    }
    return DAL_OK;
}

dal_status mb_rope_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    mb_pairing P;
    mb_pairing_at(&P, m->state, j->marker, 0, 0);
    const double length = j->d.length > 0.0 ? j->d.length : sqrt(dot3(P.d, P.d));
    m->constraint[j->first].row[0].c = length;
    return length > 0.0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "joint '%s': a rope needs a length", m->of->joint_names.name[joint]);
}

dal_status mb_limit_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    for (int b = j->first; b < j->first + j->count; ++b) {
        mb_row *row = &m->constraint[b].row[0];
        row->c = j->d.limits[row->j];
    }
    return DAL_OK;
}
