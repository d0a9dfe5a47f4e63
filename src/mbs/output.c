/* Output quantities of bodies, joints, forces and the whole model. */
#include <math.h>

#include "mbs/beam_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/force_impl.h"
#include "mbs/output_impl.h"
#include "mbs/rolling_kernel.h"
#include "mbs/turn_kernel.h"

/* ---- bodies ----------------------------------------------------------------------------------- */

static void side_of(mb_pairing *P, const mb_output *o, const mb_instance *m)
{
    const mb_marker marker[2] = {o->marker, o->marker};
    mb_pairing_at(P, m->state, marker, 2, MB_AXES_B);
}

/* World vector to the axes that the output asks for. */
static void in_axes(double y[3], const mb_output *o, const mb_state *s, const double w[3])
{
    if (o->d.body_axes) {
        tmul3(y, s->R, w);
    } else {
        copy3(y, w);
    }
}

/* Of a quantity: its value, or its first or second derivative over time. */
enum { VALUE, RATE, SECOND };

static void of_point(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    side_of(&P, o, m);
    const mb_side *s = &P.side[1];
    if (o->type->part == VALUE) {
        copy3(y, s->p);
    } else {
        in_axes(y, o, s->b, o->type->part == RATE ? s->pd : s->pdd);
    }
}

static void of_rotation(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_state *s = &m->state[o->marker.body];
    const double *rate = o->d.body_axes ? s->Om : s->om, *second = o->d.body_axes ? s->Omd : s->al;
    copy3(y, o->type->part == RATE ? rate : second);
}

static void matrix(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mat3_mul(y, 3, m->state[o->marker.body].R, 3, o->marker.A, 3);
}

/* Row after row. */
static void matrix_rows(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double R[9];
    matrix(R, o, m, at);
    for (int k = 0; k < 9; ++k) {
        y[k] = R[k / 3 + 3 * (k % 3)];
    }
}

/* Of the two quaternions of a rotation, the one that continues the motion without a jump. */
static void quaternion(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    const mb_body *b = &m->body[o->marker.body];
    const double *f = o->d.frame.rotation, *frame = f[0] * f[0] + dot3(f + 1, f + 1) > 0.0 ? f : none;
    double R[9], body[4], p[4];
    matrix(R, o, m, at);
    dal_quat_from_matrix(y, R);
    if (b->type->quaternion) {
        b->type->quaternion(body, b, at->q + b->q);
        dal_quat_mul(p, body, frame);
        if (p[0] * y[0] + dot3(p + 1, y + 1) < 0.0) {
            for (int k = 0; k < 4; ++k) {
                y[k] = -y[k];
            }
        }
    }
}

static void rotation_vector_within(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double R[9], p[4];
    matrix(R, o, m, at);
    dal_quat_from_matrix(p, R);
    dal_quat_to_vector(y, p);
}

static void rotation_vector(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    rotation_vector_within(y, o, m, at);
    mb_output_continue(y, o, m, at->t);
}

static void euler_angles_within(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double R[9];
    matrix(R, o, m, at);
    turn_angles(y, R, o->axis);
}

static void euler_angles(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    euler_angles_within(y, o, m, at);
    mb_output_continue(y, o, m, at->t);
}

static void modal(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    const mb_body *b = &m->body[o->marker.body];
    memcpy(y, o->type->part == VALUE ? at->q + b->q + 7 : at->v + b->v + 6, (size_t)o->all * sizeof(double));
}

static void recovery(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    const mb_body *b = &m->body[o->marker.body];
    flex_times(y, b->flex->recovery, b->flex->nrecovery, at->q + b->q + 7, b->flex->n, 0);
}

/* ---- joints ----------------------------------------------------------------------------------- */

/* A coordinate; g . V; g . W + V^T H V, V and W the velocities and accelerations of the two frames. */
static void of_coordinate(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    mb_pairing P;
    double g[12], V[12], W[12] = {0.0}, z[12] = {0.0};
    mb_pairing_at(&P, m->state, m->joint[o->joint].marker, o->type->part, o->row.type->axes);
    if (o->type->part == VALUE) {
        y[0] = mb_coordinate_value(NULL, &o->row, &P, m, at->t);
        return;
    }
    o->row.type->gradient(g, &o->row, &P);
    mb_pairing_velocity(V, &P);
    if (o->type->part == SECOND) {
        mb_row_contract(z, &o->row, &P);
        mb_pairing_acceleration(W, &P);
    }
    y[0] = 0.0;
    for (int k = 0; k < 12; ++k) {
        y[0] += o->type->part == RATE ? g[k] * V[k] : g[k] * W[k] + z[k] * V[k];
    }
}

/* The body that a force or torque acts on. */
static const mb_state *acted_on(const mb_output *o, const mb_instance *m)
{
    const mb_joint *j = &m->joint[o->joint];
    return &m->state[j->type->free_bodies ? j->bodies[o->side] : j->marker[1].body];
}

/* part: 0 the force, 3 the torque */
static void of_wrench(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double f[6];
    mb_joint_wrench(f, &m->joint[o->joint], o->side, m, at);
    in_axes(y, o, acted_on(o, m), f + o->type->part);
}

/* Rows of the joint from an array over all rows. */
static void copy_rows(double *y, const mb_output *o, const mb_instance *m, const double *rows)
{
    const int first = m->constraint[m->joint[o->joint].first].row0;
    memcpy(y, rows + first, (size_t)o->all * sizeof(double));
}

static void multipliers(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    copy_rows(y, o, m, at->la);
}

static void residual(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    copy_rows(y, o, m, m->rows + (size_t)o->type->part * (size_t)m->nc);
}

static void contact_point(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_joint *j = &m->joint[o->joint];
    mb_pairing P;
    mb_pairing_at(&P, m->state, j->marker, 0, MB_AXES_A | MB_AXES_B);
    const row_contact K = j->type->contact->contact(j->d.radius, &P);
    add3(y, K.rho, P.side[1].p);
}

/* ---- forces ----------------------------------------------------------------------------------- */

/* Of a joint with one row: what it exerts along its coordinate. */
static void force_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    if (o->joint >= 0) {
        const mb_constraint *c = &m->constraint[m->joint[o->joint].first];
        y[0] = -at->la[c->row0];
        return;
    }
    const mb_force *f = &m->force[o->force];
    y[0] = mb_acts(f, m, at->t) ? f->type->value(f, m, at) : 0.0;
}

static void state_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    const mb_force *f = &m->force[o->force];
    y[0] = f->type->keep ? mb_delayed(f, m, at) : at->v[f->v];
}

/* ---- beams ------------------------------------------------------------------------------------ */

/* part: 0, 3 of the section forces, 6, 9 of the strains */
static void of_beam(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double all[12];
    mb_beam_at(NULL, NULL, all + 6, all, m, o->beam, o->place, at->t);
    copy3(y, all + o->type->part);
}

/* ---- the model -------------------------------------------------------------------------------- */

enum { KINETIC = 1, POTENTIAL = 2 };

static void energy(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = (o->type->part & KINETIC ? mb_kinetic_energy(m, at->t) : 0.0) +
           (o->type->part & POTENTIAL ? mb_potential_energy(m, at->t) : 0.0);
}

enum { MOMENTUM, ANGULAR_MOMENTUM, CENTRE };

static void of_mass(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_sums sum = {0};
    for (int k = 0; k < m->nelements; ++k) {
        if (m->element[k].type->sums) {
            m->element[k].type->sums(&sum, m->element[k].self, m);
        }
    }
    if (o->type->part == CENTRE) {
        scale3(y, sum.mass > 0.0 ? 1.0 / sum.mass : 0.0, sum.mc);
    } else {
        copy3(y, o->type->part == MOMENTUM ? sum.p : sum.L);
    }
}

/* ---- the list --------------------------------------------------------------------------------- */

#define OUTPUT(name_, of_, n_, along_, about_, value_, ...)                                                     \
    {                                                                                                           \
        .name = (name_), .of = MB_OF_##of_, .n = (n_), .unit = {along_, about_}, .value = (value_), __VA_ARGS__ \
    }

const mb_output_type mb_output_types[] = {
    OUTPUT("position", BODY, 3, "m", "m", of_point, .part = VALUE),
    OUTPUT("quaternion", BODY, 4, "1", "1", quaternion, .part = VALUE),
    OUTPUT("matrix", BODY, 9, "1", "1", matrix_rows, .part = VALUE),
    OUTPUT("rotation_vector", BODY, 3, "rad", "rad", rotation_vector, .turning = MB_TURNING_VECTOR,
           .raw = rotation_vector_within),
    OUTPUT("euler_angles", BODY, 3, "rad", "rad", euler_angles, .turning = MB_TURNING_ANGLES,
           .raw = euler_angles_within),
    OUTPUT("velocity", BODY, 3, "m/s", "m/s", of_point, .part = RATE),
    OUTPUT("acceleration", BODY, 3, "m/s^2", "m/s^2", of_point, .part = SECOND),
    OUTPUT("angular_velocity", BODY, 3, "rad/s", "rad/s", of_rotation, .part = RATE),
    OUTPUT("angular_acceleration", BODY, 3, "rad/s^2", "rad/s^2", of_rotation, .part = SECOND),
    OUTPUT("modal_coordinates", MODES, 0, "", "", modal, .part = VALUE),
    OUTPUT("modal_velocities", MODES, 0, "", "", modal, .part = RATE),
    OUTPUT("recovery", RECOVERY, 0, "", "", recovery, .part = VALUE),
    OUTPUT("section_force", BEAM, 3, "N", "N", of_beam, .part = 0),
    OUTPUT("section_moment", BEAM, 3, "N m", "N m", of_beam, .part = 3),
    OUTPUT("strain", BEAM, 3, "1", "1", of_beam, .part = 6),
    OUTPUT("curvature", BEAM, 3, "1/m", "1/m", of_beam, .part = 9),
    OUTPUT("coordinate", COORDINATE, 1, "m", "rad", of_coordinate, .part = VALUE),
    OUTPUT("coordinate_velocity", COORDINATE, 1, "m/s", "rad/s", of_coordinate, .part = RATE),
    OUTPUT("coordinate_acceleration", COORDINATE, 1, "m/s^2", "rad/s^2", of_coordinate, .part = SECOND),
    OUTPUT("force", FRAMES, 3, "N", "N", of_wrench, .part = 0),
    OUTPUT("torque", FRAMES, 3, "N m", "N m", of_wrench, .part = 3),
    OUTPUT("multipliers", REACTIONS, 0, "", "", multipliers, .part = VALUE),
    OUTPUT("contact_point", CONTACT, 3, "m", "m", contact_point, .part = VALUE),
    OUTPUT("gap", TOUCH, 0, "m", "rad", mb_touch_value, .part = MB_TOUCH_GAP),
    OUTPUT("slip", TOUCH, 0, "m/s", "rad/s", mb_touch_value, .part = MB_TOUCH_SLIP),
    OUTPUT("p_n", TOUCH, 0, "N", "N m", mb_touch_value, .part = MB_TOUCH_P_N),
    OUTPUT("p_t", TOUCH, 0, "N", "N m", mb_touch_value, .part = MB_TOUCH_P_T),
    OUTPUT("case", TOUCH, 0, "1", "1", mb_touch_value, .part = MB_TOUCH_CASE),
    OUTPUT("impulse", TOUCH, 0, "N s", "N m s", mb_touch_value, .part = MB_TOUCH_IMPULSE),
    OUTPUT("slip_path", TOUCH, 1, "m", "rad", mb_integral, .rate = mb_slip_path),
    OUTPUT("stick_time", TOUCH, 1, "s", "s", mb_integral, .rate = mb_stick_time),
    OUTPUT("residual", ROWS, 0, "", "", residual, .part = VALUE),
    OUTPUT("residual_velocity", ROWS, 0, "", "", residual, .part = RATE),
    OUTPUT("residual_acceleration", ROWS, 0, "", "", residual, .part = SECOND),
    OUTPUT("force_value", FORCE, 1, "N", "N m", force_value, .part = VALUE),
    OUTPUT("state", STATE, 1, "1", "1", state_value, .part = VALUE),
    OUTPUT("power", ELEMENT, 1, "W", "W", mb_power, .part = VALUE),
    OUTPUT("work", ELEMENT, 1, "J", "J", mb_integral, .rate = mb_power),
    OUTPUT("kinetic_energy", MODEL, 1, "J", "J", energy, .part = KINETIC),
    OUTPUT("potential_energy", MODEL, 1, "J", "J", energy, .part = POTENTIAL),
    OUTPUT("energy", MODEL, 1, "J", "J", energy, .part = KINETIC | POTENTIAL),
    OUTPUT("dissipated_energy", MODEL, 1, "J", "J", mb_integral, .rate = mb_dissipation),
    OUTPUT("drive_work", MODEL, 1, "J", "J", mb_integral, .rate = mb_drive_power),
    OUTPUT("momentum", MODEL, 3, "kg m/s", "kg m/s", of_mass, .part = MOMENTUM),
    OUTPUT("angular_momentum", MODEL, 3, "kg m^2/s", "kg m^2/s", of_mass, .part = ANGULAR_MOMENTUM),
    OUTPUT("centre_of_mass", MODEL, 3, "m", "m", of_mass, .part = CENTRE),
};
const int mb_noutput_types = sizeof mb_output_types / sizeof mb_output_types[0];
