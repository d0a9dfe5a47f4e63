/* Output quantities of bodies, joints, forces and the whole model. */
#include <math.h>

#include "mbs/flex_impl.h"
#include "mbs/output_impl.h"

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

static void position(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    side_of(&P, o, m);
    copy3(y, P.side[1].p);
}

static void velocity(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    side_of(&P, o, m);
    in_axes(y, o, P.side[1].b, P.side[1].pd);
}

static void acceleration(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    side_of(&P, o, m);
    in_axes(y, o, P.side[1].b, P.side[1].pdd);
}

static void angular_velocity(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_state *s = &m->state[o->marker.body];
    copy3(y, o->d.body_axes ? s->Om : s->om);
}

static void angular_acceleration(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_state *s = &m->state[o->marker.body];
    copy3(y, o->d.body_axes ? s->Omd : s->al);
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
    mb_angles_from_matrix(y, R, o->axis);
}

static void euler_angles(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    euler_angles_within(y, o, m, at);
    mb_output_continue(y, o, m, at->t);
}

static void modal_coordinates(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    memcpy(y, at->q + m->body[o->marker.body].q + 7, (size_t)o->all * sizeof(double));
}

static void modal_velocities(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    memcpy(y, at->v + m->body[o->marker.body].v + 6, (size_t)o->all * sizeof(double));
}

/* ---- joints ----------------------------------------------------------------------------------- */

static void coordinate(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    mb_pairing P;
    mb_pairing_at(&P, m->state, m->joint[o->joint].marker, 0, o->row.type->axes);
    y[0] = mb_coordinate_value(NULL, &o->row, &P, m, at->t);
}

static void coordinate_velocity(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    double g[12], V[12];
    mb_pairing_at(&P, m->state, m->joint[o->joint].marker, 1, o->row.type->axes);
    o->row.type->gradient(g, &o->row, &P);
    mb_pairing_velocity(V, &P);
    y[0] = 0.0;
    for (int k = 0; k < 12; ++k) {
        y[0] += g[k] * V[k];
    }
}

/* g . W + V^T H V, W the accelerations of the two frames */
static void coordinate_acceleration(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_pairing P;
    double g[12], V[12], W[12], z[12];
    mb_pairing_at(&P, m->state, m->joint[o->joint].marker, 2, o->row.type->axes);
    o->row.type->gradient(g, &o->row, &P);
    mb_row_contract(z, &o->row, &P);
    mb_pairing_velocity(V, &P);
    mb_pairing_acceleration(W, &P);
    y[0] = 0.0;
    for (int k = 0; k < 12; ++k) {
        y[0] += g[k] * W[k] + z[k] * V[k];
    }
}

/* Force and torque on B at the origin of its frame: -sum lambda (u_B, w_B). */
void mb_joint_wrench(double f[6], const mb_joint *j, int side, mb_instance *m, const dal_point *at)
{
    if (j->type->wrench) {
        j->type->wrench(f, &m->constraint[j->first], m, at, side);
        return;
    }
    memset(f, 0, 6 * sizeof(double));
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &m->constraint[k];
        const double *la = at->la + c->row0;
        mb_pairing P;
        double g[12];
        mb_pairing_at(&P, m->state, c->marker, 0, MB_AXES_A | MB_AXES_B);
        for (int i = 0; i < c->npoint; ++i) {
            f[i] -= la[i];
        }
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].type->gradient(g, &c->row[i], &P);
            axpy3(f, -la[c->npoint + i], g + 6);
            axpy3(f + 3, -la[c->npoint + i], g + 9);
        }
    }
}

/* The body that a force or torque acts on. */
static const mb_state *acted_on(const mb_output *o, const mb_instance *m)
{
    const mb_joint *j = &m->joint[o->joint];
    return &m->state[j->type->free_bodies ? j->bodies[o->side] : j->marker[1].body];
}

static void joint_force(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double f[6];
    mb_joint_wrench(f, &m->joint[o->joint], o->side, m, at);
    in_axes(y, o, acted_on(o, m), f);
}

static void joint_torque(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    double f[6];
    mb_joint_wrench(f, &m->joint[o->joint], o->side, m, at);
    in_axes(y, o, acted_on(o, m), f + 3);
}

static void multipliers(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    memcpy(y, at->la + m->constraint[m->joint[o->joint].first].row0, (size_t)o->all * sizeof(double));
}

static void contact_point(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_joint *j = &m->joint[o->joint];
    const mb_row row = {.type = j->type->contact, .c = j->d.radius};
    mb_pairing P;
    mb_pairing_at(&P, m->state, j->marker, 0, MB_AXES_A | MB_AXES_B);
    row.type->contact(y, &row, &P);
    add3(y, y, P.side[1].p);
}

/* Rows of the joint from an array over all rows. */
static void copy_rows(double *y, const mb_output *o, const mb_instance *m, const double *rows)
{
    const int first = m->constraint[m->joint[o->joint].first].row0;
    memcpy(y, rows + first, (size_t)o->all * sizeof(double));
}

static void residual(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    copy_rows(y, o, m, m->rows);
}

static void residual_velocity(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    copy_rows(y, o, m, m->rows + m->nc);
}

static void residual_acceleration(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)at;
    copy_rows(y, o, m, m->rows + 2 * (size_t)m->nc);
}

/* ---- forces ----------------------------------------------------------------------------------- */

static void force_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    const mb_force *f = &m->force[o->force];
    y[0] = mb_acts(f, m, at->t) ? f->type->value(f, m, at) : 0.0;
}

static void state_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = at->v[m->force[o->force].v];
}

/* ---- the model -------------------------------------------------------------------------------- */

static void kinetic_energy(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o, (void)at;
    y[0] = mb_kinetic_energy(m);
}

static void potential_energy(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    y[0] = mb_potential_energy(m, at->t);
}

static void energy(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    y[0] = mb_kinetic_energy(m) + mb_potential_energy(m, at->t);
}

static mb_sums sums_of(const mb_instance *m)
{
    mb_sums sum = {0};
    for (int k = 0; k < m->nelements; ++k) {
        if (m->element[k].type->sums) {
            m->element[k].type->sums(&sum, m->element[k].self, m);
        }
    }
    return sum;
}

static void momentum(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o, (void)at;
    const mb_sums sum = sums_of(m);
    copy3(y, sum.p);
}

static void angular_momentum(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o, (void)at;
    const mb_sums sum = sums_of(m);
    copy3(y, sum.L);
}

static void centre_of_mass(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o, (void)at;
    const mb_sums sum = sums_of(m);
    scale3(y, sum.mass > 0.0 ? 1.0 / sum.mass : 0.0, sum.mc);
}

/* ---- the list --------------------------------------------------------------------------------- */

const mb_output_type mb_output_types[] = {
    {"position", MB_OF_BODY, 3, {"m", "m"}, position, NULL, MB_TURNING_NONE, NULL},
    {"quaternion", MB_OF_BODY, 4, {"1", "1"}, quaternion, NULL, MB_TURNING_NONE, NULL},
    {"matrix", MB_OF_BODY, 9, {"1", "1"}, matrix_rows, NULL, MB_TURNING_NONE, NULL},
    {"rotation_vector",
     MB_OF_BODY,
     3,
     {"rad", "rad"},
     rotation_vector,
     NULL,
     MB_TURNING_VECTOR,
     rotation_vector_within},
    {"euler_angles", MB_OF_BODY, 3, {"rad", "rad"}, euler_angles, NULL, MB_TURNING_ANGLES, euler_angles_within},
    {"velocity", MB_OF_BODY, 3, {"m/s", "m/s"}, velocity, NULL, MB_TURNING_NONE, NULL},
    {"acceleration", MB_OF_BODY, 3, {"m/s^2", "m/s^2"}, acceleration, NULL, MB_TURNING_NONE, NULL},
    {"angular_velocity", MB_OF_BODY, 3, {"rad/s", "rad/s"}, angular_velocity, NULL, MB_TURNING_NONE, NULL},
    {"angular_acceleration", MB_OF_BODY, 3, {"rad/s^2", "rad/s^2"}, angular_acceleration, NULL, MB_TURNING_NONE, NULL},
    {"modal_coordinates", MB_OF_MODES, 0, {"", ""}, modal_coordinates, NULL, MB_TURNING_NONE, NULL},
    {"modal_velocities", MB_OF_MODES, 0, {"", ""}, modal_velocities, NULL, MB_TURNING_NONE, NULL},
    {"coordinate", MB_OF_COORDINATE, 1, {"m", "rad"}, coordinate, NULL, MB_TURNING_NONE, NULL},
    {"coordinate_velocity", MB_OF_COORDINATE, 1, {"m/s", "rad/s"}, coordinate_velocity, NULL, MB_TURNING_NONE, NULL},
    {"coordinate_acceleration",
     MB_OF_COORDINATE,
     1,
     {"m/s^2", "rad/s^2"},
     coordinate_acceleration,
     NULL,
     MB_TURNING_NONE,
     NULL},
    {"force", MB_OF_FRAMES, 3, {"N", "N"}, joint_force, NULL, MB_TURNING_NONE, NULL},
    {"torque", MB_OF_FRAMES, 3, {"N m", "N m"}, joint_torque, NULL, MB_TURNING_NONE, NULL},
    {"multipliers", MB_OF_REACTIONS, 0, {"", ""}, multipliers, NULL, MB_TURNING_NONE, NULL},
    {"contact_point", MB_OF_CONTACT, 3, {"m", "m"}, contact_point, NULL, MB_TURNING_NONE, NULL},
    {"residual", MB_OF_ROWS, 0, {"", ""}, residual, NULL, MB_TURNING_NONE, NULL},
    {"residual_velocity", MB_OF_ROWS, 0, {"", ""}, residual_velocity, NULL, MB_TURNING_NONE, NULL},
    {"residual_acceleration", MB_OF_ROWS, 0, {"", ""}, residual_acceleration, NULL, MB_TURNING_NONE, NULL},
    {"force_value", MB_OF_FORCE, 1, {"N", "N m"}, force_value, NULL, MB_TURNING_NONE, NULL},
    {"state", MB_OF_STATE, 1, {"1", "1"}, state_value, NULL, MB_TURNING_NONE, NULL},
    {"power", MB_OF_ELEMENT, 1, {"W", "W"}, mb_power, NULL, MB_TURNING_NONE, NULL},
    {"work", MB_OF_ELEMENT, 1, {"J", "J"}, mb_integral, mb_power, MB_TURNING_NONE, NULL},
    {"kinetic_energy", MB_OF_MODEL, 1, {"J", "J"}, kinetic_energy, NULL, MB_TURNING_NONE, NULL},
    {"potential_energy", MB_OF_MODEL, 1, {"J", "J"}, potential_energy, NULL, MB_TURNING_NONE, NULL},
    {"energy", MB_OF_MODEL, 1, {"J", "J"}, energy, NULL, MB_TURNING_NONE, NULL},
    {"dissipated_energy", MB_OF_MODEL, 1, {"J", "J"}, mb_integral, mb_dissipation, MB_TURNING_NONE, NULL},
    {"drive_work", MB_OF_MODEL, 1, {"J", "J"}, mb_integral, mb_drive_power, MB_TURNING_NONE, NULL},
    {"momentum", MB_OF_MODEL, 3, {"kg m/s", "kg m/s"}, momentum, NULL, MB_TURNING_NONE, NULL},
    {"angular_momentum", MB_OF_MODEL, 3, {"kg m^2/s", "kg m^2/s"}, angular_momentum, NULL, MB_TURNING_NONE, NULL},
    {"centre_of_mass", MB_OF_MODEL, 3, {"m", "m"}, centre_of_mass, NULL, MB_TURNING_NONE, NULL},
};
const int mb_noutput_types = sizeof mb_output_types / sizeof mb_output_types[0];
