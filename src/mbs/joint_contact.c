/* The joints that are contacts: which rows they have, their numbers and keys. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "mbs/contact_impl.h"
#include "mbs/curve_impl.h"
#include "mbs/meeting_impl.h"

/* A limit this large is none. */
#define NO_LIMIT 1e9

/* The axis of a brake about a point. */
enum { ALL_AXES = 3 };

static const char *const shapes[] = {"sphere", "disk", "capsule", "box", "cylinder", "mesh", "curve", NULL};
static const char *const shapes_a[] = {"plane", "sphere", "capsule", "box", "cylinder", NULL};

#define MATERIAL                                                                                                      \
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL, \
           .range = ">= 0 <= 1"),                                                                                     \
        MB_KEY(NUMBER, "mu", dal_joint, mu, "", "coefficient of friction", MB_OPTIONAL, MB_NOT_NEGATIVE),             \
        MB_KEY(NUMBER, "mu_s", dal_joint, mu_s, "", "the same while it sticks, at least mu (default: mu)",            \
               MB_OPTIONAL, .range = ">= mu")

const dal_key mb_contact_keys[MB_NCONTACT_KEYS] = {
    MB_KEY(CHOICE, "shape", dal_joint, shape, "",
           "of B, around its frame; disk, capsule and cylinder along z. A point is a sphere with radius 0; mesh: the "
           "vertices of the mesh that is the shape of the body; curve: an outline in its x-y plane",
           .words = shapes, .preset = "\"sphere\""),
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "of sphere, disk, capsule, cylinder", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "length", dal_joint, length, "m",
           "of a capsule, between the centres of its ends; of a cylinder, between its faces", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(VECTOR, "size", dal_joint, size, "m", "of a box: its edges", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(CHOICE, "shape_a", dal_joint, shape_a, "", "of A, around its frame; plane: x-y", .words = shapes_a,
           .preset = "\"plane\""),
    MB_KEY(NUMBER, "radius_a", dal_joint, radius_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "length_a", dal_joint, length_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(VECTOR, "size_a", dal_joint, size_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_CURVE_KEYS(dal_joint),
    MATERIAL};
const dal_key mb_sphere_contact_keys[MB_NSPHERE_CONTACT_KEYS] = {
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "of B", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "radius_a", dal_joint, radius_a, "m", "of A", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(FLAG, "hollow", dal_joint, hollow, "", "A is hollow, B inside it", MB_OPTIONAL), MATERIAL};
const dal_key mb_rope_keys[MB_NROPE_KEYS] = {
    MB_KEY(NUMBER, "length", dal_joint, length, "m", "default: the initial distance", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL,
           .range = ">= 0 <= 1")};
const dal_key mb_limit_keys[MB_NLIMIT_KEYS] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(NUMBERS, "limits", dal_joint, limits, "m or rad", "lower and upper; beyond +-1e9: none", MB_REQUIRED, .n = 2,
           .range = "rising"),
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL,
           .range = ">= 0 <= 1")};
const dal_key mb_clutch_keys[MB_NCLUTCH_KEYS] = {MB_COORDINATE_KEY(dal_joint, "which coordinate")};
const dal_key mb_ratchet_keys[MB_NRATCHET_KEYS] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(NUMBER, "pitch", dal_joint, pitch, "m or rad", "from tooth to tooth", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "restitution", dal_joint, restitution, "", "velocity after an impact to that before", MB_OPTIONAL,
           .range = ">= 0 <= 1")};
const dal_key mb_brake_keys[MB_NBRAKE_KEYS] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate; of a spherical joint none: all of its rotation"),
    MB_KEY(NUMBER, "limit", dal_joint, limit, "N or N m", "largest friction", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "mu", dal_joint, mu, "", "with `joint`: mu radius times its reaction force is added to the limit",
           MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "mu_s", dal_joint, mu_s, "", "likewise while it sticks; default: mu", MB_OPTIONAL, .range = ">= mu"),
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "lever of the reaction, for rotations", .preset = "1",
           MB_NOT_NEGATIVE)};

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_number(const mb_scope *s, const dal_joint *d, const char *key, double x, int sound,
                               const char *range)
{
    return sound && isfinite(x) ? DAL_OK
                                : dal_fail(s->ctx, DAL_EINVAL, "joint '%s': %s = %g; %s", d->name, key, x, range);
}

static dal_status check_material(const mb_scope *s, const dal_joint *d)
{
    return check_number(s, d, "mu_s", d->mu_s, d->mu_s == 0.0 || d->mu > 0.0,
                        "friction that sticks needs one that slides, mu, which is not zero");
}

/* Numbers of a shape; after: "" or "_a", behind its keys. */
static dal_status check_solid(const mb_scope *s, const dal_joint *d, mb_solid_kind kind, int of_a)
{
    const double radius = of_a ? d->radius_a : d->radius, length = of_a ? d->length_a : d->length;
    const double *size = of_a ? d->size_a : d->size, least = fmin(size[0], size[1]);
    if (kind == MB_SOLID_CURVE) {
        const mb_curve_given g = mb_curve_of_joint(d);
        return mb_curve_check(s, &g);
    }
    if (kind == MB_SOLID_PLANE || kind == MB_SOLID_MESH) {
        return DAL_OK;
    }
    if (kind == MB_SOLID_BOX) {
        return check_number(s, d, of_a ? "size_a" : "size", least, least > 0.0, "the edges of a box are positive");
    }
    if (kind == MB_SOLID_CAPSULE || kind == MB_SOLID_CYLINDER) {
        DAL_TRY(check_number(s, d, of_a ? "length_a" : "length", length, length > 0.0,
                             "the length of a capsule or cylinder is positive"));
    }
    const int round = kind == MB_SOLID_DISK || kind == MB_SOLID_CYLINDER;
    return check_number(s, d, of_a ? "radius_a" : "radius", radius, !round || radius > 0.0,
                        "that of a disk or cylinder is not zero");
}

static mb_solid_kind solid_a(const dal_joint *d)
{
    static const mb_solid_kind kind[] = {MB_SOLID_PLANE, MB_SOLID_SPHERE, MB_SOLID_CAPSULE, MB_SOLID_BOX,
                                         MB_SOLID_CYLINDER};
    return kind[d->shape_a];
}

dal_status mb_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    mb_meeting X;
    (void)j;
    DAL_TRY(check_material(s, d));
    DAL_TRY(check_solid(s, d, (mb_solid_kind)d->shape, 0));
    DAL_TRY(check_solid(s, d, solid_a(d), 1));
    if (d->shape == MB_SOLID_MESH && d->shape_a == 0) {
        return DAL_OK; // shapes of bodies may come later
    }
    return (d->shape_a == 0 && d->shape == MB_SOLID_DISK) || mb_meeting_of(&X, s->of, d, solid_a(d), 0, NULL)
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL,
                          "joint '%s': there is no contact of shape_a = %s with shape = %s; docs/theory/contact.md has "
                          "the pairs. Capsules and boxes meet each other, curves planes and spheres, spheres "
                          "everything, planes all",
                          d->name, shapes_a[d->shape_a], shapes[d->shape]);
}

dal_status mb_sphere_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    DAL_TRY(check_material(s, d));
    return check_number(s, d, "radius_a", d->radius_a, !d->hollow || d->radius_a > d->radius,
                        "it is larger than that of the sphere inside");
}

dal_status mb_limit_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    return mb_check_coordinate(s, j, d, "has limits");
}

dal_status mb_clutch_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    return mb_check_coordinate(s, j, d, "may only grow");
}

dal_status mb_ratchet_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    return mb_check_coordinate(s, j, d, "has teeth");
}

/* Is it on a joint that turns about a point, with none of its coordinates named? Then it has all three axes, and says so when it is asked
 * for its numbers. */
static int brakes_ball(const mb_scope *s, const dal_joint *d)
{
    const int all =
        d->coordinate == DAL_COORDINATE_DEFAULT || (d->coordinate == DAL_COORDINATE_ROTATION && d->axis == ALL_AXES);
    const int k = d->joint && all ? mb_names_find(&s->of->joint_names, d->joint) : -1;
    return k >= 0 && strcmp(s->joint[k].type->name, "spherical") == 0;
}

dal_status mb_brake_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    dal_joint of = *d;
    if (brakes_ball(s, d)) {
        of.coordinate = j->d.coordinate = DAL_COORDINATE_ROTATION;
        of.axis = j->d.axis = 0;
    }
    DAL_TRY(mb_check_coordinate(s, j, &of, "is braked"));
    j->d.axis = brakes_ball(s, d) ? ALL_AXES : j->d.axis;
    DAL_TRY(check_material(s, d));
    j->d.radius = d->radius == 0.0 ? 1.0 : d->radius;
    if (d->mu > 0.0 && (!d->joint || s->joint[j->refers[0]].type->force_rows == 0)) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "joint '%s': with mu friction follows the reaction of a joint that transmits a force: name "
                        "one (`joint`), or give a limit alone",
                        d->name);
    }
    return check_number(s, d, "limit", d->limit, d->limit > 0.0 || (d->limit == 0.0 && d->mu > 0.0),
                        "the largest friction is positive; one that is off at times is switched by `active` or events");
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int planar(const dal_model *m, const mb_joint *j)
{
    int some = 0;
    for (int i = 0; i < 2; ++i) {
        const mb_body_type *type = m->body[j->marker[i].body].type;
        some |= type != NULL && type->planar;
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
    const int one = planar(m, &m->joint[joint]), only = choose && fabs(j->marker[0].A[2]) > 0.5;
    for (int i = 0; i < 2; ++i) {
        if (!one || i == only) {
            mb_block_row(&c, (mb_row){.type = type, .i = i});
        }
    }
    return mb_add_constraint(m, &c);
}

/* Two spheres without friction need no axes: bodies may be points. */
static int smooth_spheres(const mb_joint *j)
{
    const int both = j->type->build == mb_sphere_contact_build || (j->d.shape_a == 1 && j->d.shape == MB_SOLID_SPHERE);
    return both && j->d.mu == 0.0;
}

int mb_joint_meeting(mb_meeting *X, const dal_model *m, const mb_joint *j)
{
    const int spheres = j->type->build == mb_sphere_contact_build;
    const int fixed = j->d.shape_a == 0 && j->d.shape <= MB_SOLID_BOX; // features of the plane alone, which stay
    if ((!spheres && (j->type->build != mb_contact_build || fixed)) || smooth_spheres(j)) {
        return 0;
    }
    return mb_meeting_of(X, m, &j->d, spheres ? MB_SOLID_SPHERE : solid_a(&j->d), planar(m, j), j->curve);
}

/* Contacts of a pair of shapes. */
static int npoints(const dal_model *m, int joint)
{
    const int shape = m->joint[joint].d.shape;
    mb_meeting X;
    if (mb_joint_meeting(&X, m, &m->joint[joint])) {
        return X.n;
    }
    return shape == MB_SOLID_BOX ? (planar(m, &m->joint[joint]) ? 4 : 8) : shape == MB_SOLID_CAPSULE ? 2 : 1;
}

int mb_contact_count(const dal_model *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    return j->type->build == mb_contact_build || j->type->build == mb_sphere_contact_build ? npoints(m, joint)
           : j->type->build == mb_limit_build ? (fabs(j->d.limits[0]) < NO_LIMIT) + (fabs(j->d.limits[1]) < NO_LIMIT)
                                              : 1;
}

int mb_contact_row_count(const dal_model *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    const int brakes = j->type->build == mb_brake_build;
    if (brakes && j->d.axis == ALL_AXES) {
        return 3;
    }
    const int sliding = j->d.mu > 0.0 && !brakes ? 2 - planar(m, j) : 0;
    return mb_contact_count(m, joint) * (1 + sliding);
}

/* Features that are chosen as the shapes move (meeting.c). */
static dal_status build_meeting(dal_model *m, int joint, int n)
{
    for (int k = 0; k < n; ++k) {
        DAL_TRY(add_gap(m, joint, (mb_row){.type = &mb_row_touch, .i = 2}));
        DAL_TRY(add_sliding(m, joint, &mb_row_slide, 0));
    }
    return DAL_OK;
}

dal_status mb_contact_build(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    const int disk = d->shape == MB_SOLID_DISK, points = d->shape == MB_SOLID_BOX || d->radius == 0.0;
    mb_meeting X;
    if (smooth_spheres(&m->joint[joint])) {
        return add_gap(m, joint, (mb_row){.type = &mb_row_limit_length, .j = d->hollow});
    }
    if (mb_joint_meeting(&X, m, &m->joint[joint])) {
        return build_meeting(m, joint, X.n);
    }
    if (d->shape == MB_SOLID_MESH) {
        return dal_fail(m->ctx, DAL_EINVAL, "joint '%s': body_b has no shape that is a mesh",
                        m->joint_names.name[joint]);
    }
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
    return mb_contact_build(m, joint);
}

dal_status mb_rope_build(dal_model *m, int joint)
{
    return add_gap(m, joint, (mb_row){.type = &mb_row_limit_length, .j = 1});
}

static const mb_row_type *limit_type(const dal_joint *d)
{
    return d->coordinate == DAL_COORDINATE_ROTATION      ? &mb_row_limit_angle
           : d->coordinate == DAL_COORDINATE_TRANSLATION ? &mb_row_limit_axis
                                                         : &mb_row_limit_length;
}

/* The lower limit is the last tooth passed (contact.c). */
dal_status mb_ratchet_build(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    return add_gap(m, joint, (mb_row){.type = limit_type(d), .i = d->axis});
}

dal_status mb_limit_build(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    const mb_row_type *type = limit_type(d);
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
    const dal_joint *d = &m->joint[joint].d;
    for (int i = 0; i < 3 && d->axis == ALL_AXES; ++i) {
        mb_block_row(&c, (mb_row){.type = &mb_row_spin, .i = i});
    }
    if (d->axis != ALL_AXES) {
        mb_block_row(&c, rate_row(d));
    }
    return mb_add_constraint(m, &c);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Where point k of the shape of B is, in the axes of its frame. */
static void offset(double x[3], const dal_joint *d, int k, int flat)
{
    x[0] = x[1] = x[2] = 0.0;
    if (d->shape == MB_SOLID_CAPSULE) {
        x[2] = (k == 0 ? -0.5 : 0.5) * d->length;
    }
    for (int i = 0; d->shape == MB_SOLID_BOX && i < (flat ? 2 : 3); ++i) {
        x[i] = (k >> i & 1 ? 0.5 : -0.5) * d->size[i];
    }
}

/* Features are chosen as they are needed (contact.c), for the first time here. */
static dal_status meeting_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    if (smooth_spheres(j)) {
        m->constraint[j->first].row[0].c = j->d.radius_a + (j->d.hollow ? -j->d.radius : j->d.radius);
        return DAL_OK;
    }
    for (int b = j->first; b < j->first + j->count; ++b) {
        m->constraint[b].row[0].memory = 0;
    }
    mb_contact_features(m, joint);
    return DAL_OK;
}

dal_status mb_contact_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    if (smooth_spheres(j) || m->constraint[j->first].row[0].type == &mb_row_touch) {
        return meeting_numbers(m, joint);
    }
    const int flat = j->d.shape == MB_SOLID_BOX && npoints(m->of, joint) == 4;
    for (int b = j->first, k = -1; b < j->first + j->count; ++b) {
        mb_constraint *c = &m->constraint[b];
        double x[3], y[3];
        k += c->gap < 0;
        offset(x, &j->d, k, flat);
        mat3_mul_vec(y, c->marker[1].A, 3, x);
        add3(c->marker[1].a, j->marker[1].a, y);
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].c = j->d.shape == MB_SOLID_BOX ? 0.0 : j->d.radius;
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
