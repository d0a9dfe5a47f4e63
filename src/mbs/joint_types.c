/* The list of joints: what their rows and their keys are. */
#include <math.h>

#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/mbs_impl.h"

#define TWO_PI 6.283185307179586

enum { BODIES = 4 }; /* of a pfaffian joint */

/* ---- building --------------------------------------------------------------------------------- */

mb_constraint mb_block_of(const dal_model *m, int joint, int npoint)
{
    const mb_joint *j = &m->joint[joint];
    mb_constraint c = {
        .type = &mb_constraint_joint, .joint = joint, .force = -1, .nsides = 2, .npoint = npoint, .rotational = 1};
    c.nrows = npoint;
    for (int i = 0; i < 2; ++i) {
        c.marker[i] = j->marker[i];
        c.body[i] = j->marker[i].body;
    }
    return c;
}

void mb_block_row(mb_constraint *c, mb_row row)
{
    c->row[c->nscalar++] = row;
    c->nrows++;
    c->coupled = 1;
    c->axes |= row.type->axes;
    c->rotational &= row.type->rotational;
    c->nonholonomic |= row.type->nonholonomic;
}

static void pairing_of(mb_pairing *P, const mb_instance *m, int joint)
{
    mb_pairing_at(P, m->state, m->joint[joint].marker, 0, MB_AXES_A | MB_AXES_B);
}

static dal_status build_listed(dal_model *m, int joint)
{
    const mb_joint_type *type = m->joint[joint].type;
    mb_constraint c = mb_block_of(m, joint, type->npoint);
    for (int k = 0; k < MB_ROWS && type->row[k].type; ++k) {
        mb_block_row(&c, (mb_row){.type = type->row[k].type, .i = type->row[k].i, .j = type->row[k].j});
    }
    if (c.npoint == 3 && c.nscalar == 0) {
        c.type = &mb_constraint_spherical;
    }
    return mb_add_constraint(m, &c);
}

/* Rotations: with all locked the axes agree; with two locked the third axes agree; one locked keeps the other two
 * axes normal to each other. */
static dal_status build_generic(dal_model *m, int joint)
{
    const unsigned locked = m->joint[joint].d.locked, turn = locked / DAL_LOCK_RX;
    mb_constraint c = mb_block_of(m, joint, 0);
    for (int i = 0; i < 3; ++i) {
        if (locked & (1U << i)) {
            mb_block_row(&c, (mb_row){.type = &mb_row_axis, .i = i});
        }
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const int ti = (turn >> i) & 1U, tj = (turn >> j) & 1U, tk = (turn >> k) & 1U;
        if (ti && tj && tk) {
            mb_block_row(&c, (mb_row){.type = &mb_row_dot, .i = i, .j = j});
        } else if (ti && tj) {
            mb_block_row(&c, (mb_row){.type = &mb_row_dot, .i = i, .j = k});
            mb_block_row(&c, (mb_row){.type = &mb_row_dot, .i = j, .j = k});
        } else if (ti && !tk) {
            mb_block_row(&c, (mb_row){.type = &mb_row_dot, .i = j, .j = k});
        }
    }
    return mb_add_constraint(m, &c);
}

static dal_status build_motion(dal_model *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    mb_constraint c = mb_block_of(m, joint, 0);
    mb_row row = mb_coordinate_row(d->coordinate, d->axis);
    row.f = d->function;
    mb_block_row(&c, row);
    return mb_add_constraint(m, &c);
}

static dal_status build_rolling(dal_model *m, int joint, const mb_row_type *height, const mb_row_type *slip)
{
    if (height) {
        mb_constraint c = mb_block_of(m, joint, 0);
        mb_block_row(&c, (mb_row){.type = height});
        DAL_TRY(mb_add_constraint(m, &c));
    }
    mb_constraint c = mb_block_of(m, joint, 0);
    mb_block_row(&c, (mb_row){.type = slip, .i = 0});
    mb_block_row(&c, (mb_row){.type = slip, .i = 1});
    return mb_add_constraint(m, &c);
}

static dal_status build_disk(dal_model *m, int joint)
{
    return build_rolling(m, joint, &mb_row_disk_height, &mb_row_disk_slip);
}

static dal_status build_sphere(dal_model *m, int joint)
{
    return build_rolling(m, joint, &mb_row_sphere_height, &mb_row_sphere_slip);
}

static dal_status build_wheel(dal_model *m, int joint)
{
    return build_rolling(m, joint, NULL, &mb_row_disk_slip);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static dal_status number_distance(mb_instance *m, int joint)
{
    double length = m->joint[joint].d.length;
    if (length == 0.0) {
        mb_pairing P;
        pairing_of(&P, m, joint);
        length = sqrt(dot3(P.d, P.d));
    }
    if (!(length > 0.0)) {
        return dal_fail(m->ctx, DAL_EINVAL, "joint '%s': a distance must be positive; use a spherical joint for zero",
                        m->of->joint_names.name[joint]);
    }
    m->constraint[m->joint[joint].first].row[0].c = length;
    return DAL_OK;
}

static dal_status number_screw(mb_instance *m, int joint)
{
    const double pitch = m->joint[joint].d.pitch;
    mb_row *row = &m->constraint[m->joint[joint].first].row[4];
    row->c = pitch / TWO_PI;
    row->period = fabs(pitch);
    return DAL_OK;
}

static dal_status number_rolling(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    for (int k = j->first; k < j->first + j->count; ++k) {
        mb_constraint *c = &m->constraint[k];
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].c = j->d.radius;
        }
    }
    return DAL_OK;
}

/* A length that rests at zero, or below, at t = 0 has no direction, and its rows no gradient. */
static dal_status number_motion(mb_instance *m, int joint)
{
    const dal_joint *d = &m->joint[joint].d;
    double y[3] = {0.0, 0.0, 0.0};
    if (d->coordinate != DAL_COORDINATE_LENGTH) {
        return DAL_OK;
    }
    DAL_TRY(mb_function_value(y, m->function, d->function, 0.0));
    return y[0] > 0.0 || y[1] != 0.0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL,
                          "joint '%s': its function prescribes a length of %g, and a length must be positive to have a "
                          "direction; use a spherical joint for zero",
                          m->of->joint_names.name[joint], y[0]);
}

dal_status mb_joint_numbers(mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    for (int k = j->first; k < j->first + j->count && !j->type->free_bodies; ++k) {
        m->constraint[k].marker[0] = j->marker[0];
        m->constraint[k].marker[1] = j->marker[1];
    }
    return j->type->numbers ? j->type->numbers(m, joint) : DAL_OK;
}

/* ---- warnings --------------------------------------------------------------------------------- */

/* Rows x_A.z_B = y_A.z_B = 0 are satisfied by opposite axes, too, which is seldom intended. */
static int opposite(const mb_instance *m, int joint)
{
    const mb_constraint *c = &m->constraint[m->joint[joint].first];
    int rows = 0;
    for (int k = 0; k < c->nscalar; ++k) {
        rows += c->row[k].type->normal && c->row[k].i != c->row[k].j;
    }
    mb_pairing P;
    pairing_of(&P, m, joint);
    return rows >= 2 && dot3(P.side[0].E + 6, P.side[1].E + 6) < 0.0;
}

void mb_joint_warn(const mb_instance *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    const char *name = m->of->joint_names.name[joint];
    if (!j->type->build && opposite(m, joint)) {
        dal_log(m->ctx, DAL_LOG_WARNING,
                "joint '%s': the z axes of its frames point in opposite directions at the start and will stay so",
                name);
    }
    const double until = m->of->t_end, opens = j->d.release;
    mb_jump jump;
    if (j->type->build != build_motion || opens < 0.0) {
        return;
    }
    const double end = opens > 0.0 ? fmin(until, opens) : until;
    const double unit = j->d.coordinate == DAL_COORDINATE_ROTATION ? 1.0 : mb_length(m);
    if (until > 0.0 && mb_function_jump(&jump, m->function, j->d.function, end, unit)) {
        dal_log(m->ctx, DAL_LOG_WARNING,
                "joint '%s': the motion it prescribes jumps at t = %.6g, its %s from %.4g to %.4g, which takes %s. "
                "What a run "
                "shows from there on depends on its steps; a function of type step, or a cubic table, has no jumps",
                name, jump.t, jump.rate ? "rate" : "value", jump.before, jump.after,
                jump.rate ? "an impulse" : "more than any force");
    } else if (until == 0.0 && mb_function_kinked(m->function, j->d.function)) {
        dal_log(
            m->ctx, DAL_LOG_WARNING,
            "joint '%s': the velocity that its function prescribes jumps (a ramp, or a table with straight lines), "
            "which takes an impulse. Positions follow, but velocities, forces and drive_work depend on the step there; "
            "a function of type step, or a cubic table, has no jumps",
            name);
    }
}

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_pitch(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    return d->pitch != 0.0 && isfinite(d->pitch)
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL,
                          "joint '%s': pitch = %g; a screw moves by a pitch other than zero per "
                          "turn (without one it is a revolute joint)",
                          d->name, d->pitch);
}

static dal_status check_locked(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    (void)j;
    return d->locked > 0 && d->locked < 64
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "joint '%s': `locked` must name at least one of the six directions",
                          d->name);
}

dal_status mb_check_coordinate(const mb_scope *s, mb_joint *j, const dal_joint *d, const char *what)
{
    j->d.coordinate = d->coordinate;
    if (d->joint) {
        DAL_TRY(
            mb_joint_reference(s, &j->d.coordinate, &j->d.axis, j->marker, &j->refers[0], "joint", d->name, d->joint));
        j->d.body_a = j->marker[0].body;
        j->d.body_b = j->marker[1].body;
    }
    if (j->d.coordinate == DAL_COORDINATE_DEFAULT || j->d.axis < 0 || j->d.axis > 2) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "joint '%s': say which coordinate %s (length, translation or rotation, axis 0, 1 or 2)",
                        d->name, what);
    }
    return DAL_OK;
}

static dal_status check_motion(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    DAL_TRY(mb_check_coordinate(s, j, d, "is driven"));
    return d->function >= 1 && mb_function_known(s->of, d->function)
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "joint '%s': there is no function number %d of one variable to follow",
                          d->name, d->function);
}

static dal_status check_pfaffian(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    if (!d->rows || !d->bodies || d->nbodies < 1 || d->nbodies > BODIES || d->nrows < 1 || d->nrows > MB_ROWS) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "joint '%s': give a callback, 1 to %d bodies and 1 to %d rows (there are %d and %d)", d->name,
                        BODIES, MB_ROWS, d->nbodies, d->nrows);
    }
    DAL_TRY(mb_check_parameters(s->ctx, "joint", d->name, d->parameter, d->nparameters));
    for (int k = 0; k < d->nbodies; ++k) {
        if (d->bodies[k] < 1 || d->bodies[k] >= s->of->body_names.n) {
            return dal_fail(s->ctx, DAL_EINVAL, "joint '%s': there is no moving body number %d", d->name, d->bodies[k]);
        }
        j->bodies[k] = d->bodies[k];
    }
    return DAL_OK;
}

/* ---- keys ------------------------------------------------------------------------------------- */

static const char *const directions[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

static const dal_key screw_keys[] = {
    MB_KEY(NUMBER, "pitch", dal_joint, pitch, "m", "displacement per turn, not zero", MB_REQUIRED)};
static const dal_key distance_keys[] = {
    MB_KEY(NUMBER, "length", dal_joint, length, "m", "default: the initial distance", MB_OPTIONAL, MB_NOT_NEGATIVE)};
static const dal_key generic_keys[] = {MB_KEY(CHOICES, "locked", dal_joint, locked, "", "what is held", MB_REQUIRED,
                                              .words = directions, .word = "direction")};
static const dal_key motion_keys[] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(FUNCTION, "function", dal_joint, function, "m or rad", "its value over time", MB_REQUIRED)};
static const dal_key gear_keys[] = {
    MB_KEY(TEXT, "joint_1", dal_joint, joint_1, "", "first joint", MB_REQUIRED),
    MB_KEY(TEXT, "joint_2", dal_joint, joint_2, "", "second joint", MB_REQUIRED),
    MB_KEY(COORDINATE, "coordinate_1", dal_joint, coordinate_1, "", "of the first joint",
           .second = offsetof(dal_joint, axis_1)),
    MB_KEY(COORDINATE, "coordinate_2", dal_joint, coordinate_2, "", "of the second joint",
           .second = offsetof(dal_joint, axis_2)),
    MB_KEY(NUMBERS, "ratio", dal_joint, ratio, "", "factors of the two coordinates", MB_REQUIRED, .n = 2),
    MB_KEY(TEXT, "joint_3", dal_joint, joint_3, "", "third joint, as of a planetary gear", MB_OPTIONAL),
    MB_KEY(COORDINATE, "coordinate_3", dal_joint, coordinate_3, "", "of the third joint",
           .second = offsetof(dal_joint, axis_3)),
    MB_KEY(NUMBER, "ratio_3", dal_joint, ratio_3, "", "factor of its coordinate", MB_OPTIONAL),
    MB_KEY(FLAG, "torques_only", dal_joint, torques_only, "", "no tooth forces on the bearings", MB_OPTIONAL)};
static const dal_key rolling_keys[] = {
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "of the wheel", MB_REQUIRED, MB_POSITIVE)};
static const dal_key pfaffian_keys[] = {
    MB_KEY_READ(BODIES, "bodies", "", "names of the bodies, one or two", MB_REQUIRED),
    MB_KEY_READ(
        ROWS, "rows", "",
        "6 coefficients per body, then b if it is not zero; expressions may use t and the positions x1, y1, z1, "
        "x2, y2, z2",
        MB_REQUIRED)};

/* ---- the list --------------------------------------------------------------------------------- */

#define DOT(i, j)         \
    {                     \
        &mb_row_dot, i, j \
    }
#define AXIS(i)            \
    {                      \
        &mb_row_axis, i, 0 \
    }

static const mb_joint_type types[] = {
    {.name = "spherical",
     .about = MB_ABOUT_PLAIN("Both frames have the same origin.", BODIES),
     .planar = "planar_revolute",
     .npoint = 3,
     .force_rows = 3},
    {.name = "revolute",
     .about = MB_ABOUT_PLAIN("B turns about the z axis of A.", BODIES),
     .planar = "planar_revolute",
     .npoint = 3,
     .row = {DOT(0, 2), DOT(1, 2)},
     .coordinate = DAL_COORDINATE_ROTATION,
     .axis = 2,
     .bearing = 1,
     .force_rows = 3},
    {.name = "universal",
     .about = MB_ABOUT_PLAIN("Same origin, the x axis of A normal to the y axis of B.", BODIES),
     .planar = "planar_revolute",
     .npoint = 3,
     .row = {DOT(0, 1)},
     .force_rows = 3},
    {.name = "prismatic",
     .about = MB_ABOUT_PLAIN("B slides along the z axis of A.", BODIES),
     .planar = "planar_prismatic",
     .row = {AXIS(0), AXIS(1), DOT(0, 1), DOT(1, 2), DOT(2, 0)},
     .coordinate = DAL_COORDINATE_TRANSLATION,
     .axis = 2,
     .force_rows = 2},
    {.name = "cylindrical",
     .about = MB_ABOUT_PLAIN("B slides along and turns about the z axis of A.", BODIES),
     .planar = "planar_prismatic",
     .row = {AXIS(0), AXIS(1), DOT(0, 2), DOT(1, 2)},
     .coordinate = DAL_COORDINATE_TRANSLATION,
     .axis = 2,
     .bearing = 1,
     .force_rows = 2},
    {.name = "planar",
     .about = MB_ABOUT_PLAIN("B moves in the x-y plane of A and turns about its z axis.", BODIES),
     .row = {AXIS(2), DOT(0, 2), DOT(1, 2)},
     .force_rows = 1},
    {.name = "fixed",
     .about = MB_ABOUT_PLAIN("Both frames are the same.", BODIES),
     .planar = "planar_fixed",
     .npoint = 3,
     .row = {DOT(0, 1), DOT(1, 2), DOT(2, 0)},
     .force_rows = 3},
    {.name = "screw",
     .about = MB_ABOUT("Turns about and slides along z: displacement = pitch/(2 pi) angle.", BODIES, screw_keys),
     .row = {AXIS(0), AXIS(1), DOT(0, 2), DOT(1, 2), {&mb_row_screw, 2, 0}},
     .coordinate = DAL_COORDINATE_ROTATION,
     .axis = 2,
     .bearing = 1,
     .force_rows = 2,
     .check = check_pitch,
     .numbers = number_screw},
    {.name = "distance",
     .about = MB_ABOUT("Two points keep their distance.", ENDS, distance_keys),
     .row = {{&mb_row_square, 0, 0}},
     .coordinate = DAL_COORDINATE_LENGTH,
     .force_rows = 1,
     .numbers = number_distance},
    {.name = "point_on_line",
     .about = MB_ABOUT_PLAIN("The origin of B stays on the z axis of A.", BODIES),
     .planar = "point_on_plane",
     .row = {AXIS(0), AXIS(1)},
     .coordinate = DAL_COORDINATE_TRANSLATION,
     .axis = 2,
     .force_rows = 2},
    {.name = "point_on_plane",
     .about = MB_ABOUT_PLAIN("The origin of B stays in the x-y plane of A.", BODIES),
     .row = {AXIS(2)},
     .force_rows = 1},
    {.name = "orientation",
     .about = MB_ABOUT_PLAIN("The axes of B stay parallel to those of A.", BODIES),
     .row = {DOT(0, 1), DOT(1, 2), DOT(2, 0)}},
    {.name = "parallel_axes",
     .about = MB_ABOUT_PLAIN("The z axes of A and B stay parallel.", BODIES),
     .row = {DOT(0, 2), DOT(1, 2)},
     .coordinate = DAL_COORDINATE_ROTATION,
     .axis = 2},
    {.name = "generic",
     .about = MB_ABOUT("Holds the directions in `locked`, in the axes of frame A.", BODIES, generic_keys),
     .check = check_locked,
     .build = build_generic},
    {.name = "planar_revolute",
     .about = MB_ABOUT_PLAIN("Bodies in the x-y plane: both frames have the same origin.", BODIES),
     .npoint = 2,
     .coordinate = DAL_COORDINATE_ROTATION,
     .axis = 2,
     .bearing = 1,
     .force_rows = 2},
    {.name = "planar_prismatic",
     .about = MB_ABOUT_PLAIN("Bodies in the x-y plane: B slides along the x axis of A.", BODIES),
     .row = {AXIS(1), DOT(0, 1)},
     .coordinate = DAL_COORDINATE_TRANSLATION,
     .axis = 0,
     .force_rows = 1},
    {.name = "planar_fixed",
     .about = MB_ABOUT_PLAIN("Bodies in the x-y plane: both frames are the same.", BODIES),
     .npoint = 2,
     .row = {DOT(0, 1)},
     .force_rows = 2},
    {.name = "motion",
     .about =
         MB_ABOUT_ONE_OF("A coordinate follows a function of time.", BODIES_OR_JOINT, motion_keys, "joint|coordinate"),
     .nrows = 1,
     .check = check_motion,
     .build = build_motion,
     .numbers = number_motion},
    {.name = "gear",
     .about =
         MB_ABOUT("ratio[0] c_1 + ratio[1] c_2 = constant, for coordinates of two joints; with a third + ratio_3 c_3.",
                  NONE, gear_keys),
     .nrows = 1,
     .free_bodies = 1,
     .check = mb_gear_check,
     .build = mb_gear_build,
     .numbers = mb_gear_numbers},
    {.name = "rolling_disk",
     .about = MB_ABOUT("A disk about z of frame B rolls without slip on the x-y plane of A.", BODIES, rolling_keys),
     .nrows = 3,
     .build = build_disk,
     .numbers = number_rolling,
     .contact = &mb_row_disk_slip},
    {.name = "rolling_sphere",
     .about = MB_ABOUT("A sphere around frame B rolls without slip on the x-y plane of A.", BODIES, rolling_keys),
     .nrows = 3,
     .build = build_sphere,
     .numbers = number_rolling,
     .contact = &mb_row_sphere_slip},
    {.name = "wheel",
     .about = MB_ABOUT("The velocity rows of rolling_disk alone; its height is held elsewhere.", BODIES, rolling_keys),
     .nrows = 2,
     .build = build_wheel,
     .numbers = number_rolling,
     .contact = &mb_row_disk_slip},
    {.name = "knife_edge",
     .about = MB_ABOUT_PLAIN("The origin of B does not move along its y axis.", BODIES),
     .row = {{&mb_row_edge, 0, 1}}},
    {.name = "pfaffian",
     .about = MB_ABOUT("Rows A v + b = 0 in the velocities of one or two bodies.", NONE, pfaffian_keys),
     .free_bodies = 1,
     .check = check_pfaffian,
     .build = mb_pfaffian_build,
     .wrench = mb_pfaffian_wrench,
     .finite = mb_pfaffian_finite},
    {.name = "contact",
     .about = MB_ABOUT(
         "A shape of B and one of A, or its x-y plane, do not enter each other: they touch, slide, stick and lift.",
         BODIES, mb_contact_keys),
     .unilateral = 1,
     .check = mb_contact_check,
     .build = mb_contact_build,
     .numbers = mb_contact_numbers},
    {.name = "sphere_contact",
     .about = MB_ABOUT("Spheres around both frames that do not enter each other, or one in a hollow one.", BODIES,
                       mb_sphere_contact_keys),
     .unilateral = 1,
     .check = mb_sphere_contact_check,
     .build = mb_sphere_contact_build,
     .numbers = mb_contact_numbers},
    {.name = "rope",
     .about = MB_ABOUT("Two points are at most a length apart.", ENDS, mb_rope_keys),
     .coordinate = DAL_COORDINATE_LENGTH,
     .unilateral = 1,
     .build = mb_rope_build,
     .numbers = mb_rope_numbers},
    {.name = "limit",
     .about = MB_ABOUT_ONE_OF("A coordinate stays between two limits; turns are counted.", BODIES_OR_JOINT,
                              mb_limit_keys, "joint|coordinate"),
     .unilateral = 1,
     .check = mb_limit_check,
     .build = mb_limit_build,
     .numbers = mb_limit_numbers},
    {.name = "clutch",
     .about =
         MB_ABOUT_ONE_OF("One way: a coordinate may only grow.", BODIES_OR_JOINT, mb_clutch_keys, "joint|coordinate"),
     .unilateral = 1,
     .check = mb_clutch_check,
     .build = mb_clutch_build},
    {.name = "ratchet",
     .about = MB_ABOUT_ONE_OF("One way with teeth: a coordinate goes back to the last tooth passed at most.",
                              BODIES_OR_JOINT, mb_ratchet_keys, "joint|coordinate"),
     .unilateral = 1,
     .check = mb_ratchet_check,
     .build = mb_ratchet_build},
    {.name = "brake",
     .about = MB_ABOUT_ONE_OF("Dry friction along a coordinate: it sticks until its limit is reached.", BODIES_OR_JOINT,
                              mb_brake_keys, "joint|coordinate"),
     .unilateral = 1,
     .check = mb_brake_check,
     .build = mb_brake_build},
};
enum { NTYPES = sizeof types / sizeof types[0] };

static const char *type_name(int k)
{
    return k < NTYPES ? types[k].name : NULL;
}

dal_element_type mb_joint_about(int k)
{
    dal_element_type about = type_name(k) ? types[k].about : (dal_element_type){0};
    about.section = "joints";
    about.name = type_name(k);
    return about;
}

const mb_joint_type *mb_joint_type_find(dal_ctx *ctx, const dal_joint *d)
{
    const int k = mb_type_find(ctx, "joint", d->name, "type", d->type, type_name);
    return k < 0 ? NULL : &types[k];
}

dal_status mb_joint_build(dal_model *m, int joint)
{
    const mb_joint_type *type = m->joint[joint].type;
    return type->build ? type->build(m, joint) : build_listed(m, joint);
}

int mb_joint_row_count(const dal_model *m, int joint)
{
    const mb_joint *j = &m->joint[joint];
    int n = j->type->npoint;
    for (int k = 0; k < MB_ROWS && j->type->row[k].type; ++k) {
        ++n;
    }
    if (j->type->build == build_generic) {
        for (unsigned bit = 1; bit < 64; bit *= 2) {
            n += (j->d.locked & bit) != 0;
        }
    }
    n += j->type->unilateral ? mb_contact_row_count(m, joint) : 0;
    return n > 0 ? n : j->type->nrows > 0 ? j->type->nrows : j->d.nrows;
}
