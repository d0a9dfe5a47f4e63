/* Building a model: bodies, frames, and what all elements share. */
#include <math.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/pose.h"
#include "system/data.h"

int mb_norm_ok(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return 0;
        }
    }
    return 1;
}

dal_status mb_check_parameters(dal_ctx *ctx, const char *what, const char *name, const double *x, int n)
{
    return n >= 0 && n <= DAL_PARAMETERS_MAX && mb_norm_ok(x, n)
               ? DAL_OK
               : dal_fail(ctx, DAL_EINVAL, "%s '%s': a callback has 0 to %d parameters, and they are finite", what,
                          name, DAL_PARAMETERS_MAX);
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* All zero stands for the identity; anything else must have length one up to 1e-6 and is normalised. */
static int unit_quaternion(double p[4], const double given[4])
{
    const double n = sqrt(given[0] * given[0] + dot3(given + 1, given + 1));
    if (n == 0.0) {
        p[0] = 1.0;
        p[1] = p[2] = p[3] = 0.0;
        return 1;
    }
    for (int i = 0; i < 4; ++i) {
        p[i] = given[i] / n;
    }
    return fabs(n - 1.0) <= 1e-6;
}

mb_marker mb_marker_of(int body, const dal_frame *frame)
{
    mb_marker m = {.body = body};
    double p[4];
    copy3(m.a, frame->position);
    (void)unit_quaternion(p, frame->rotation);
    dal_quat_to_matrix(m.A, p);
    return m;
}

mb_scope mb_scope_of_model(const dal_model *m)
{
    return (mb_scope){m->ctx, m, m->joint};
}

dal_status mb_check_frame(dal_ctx *ctx, const char *what, const char *name, const dal_frame *frame)
{
    double p[4];
    if (!mb_norm_ok(frame->position, 3) || !unit_quaternion(p, frame->rotation)) {
        return dal_fail(ctx, DAL_EINVAL,
                        "%s '%s': a frame needs a finite position and a unit quaternion (or zeros for none)", what,
                        name ? name : "");
    }
    return DAL_OK;
}

dal_frame dal_frame_on_axis(const double point[3], const double axis[3], const double *x_hint)
{
    dal_frame f = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (!point || !axis) {
        return f;
    }
    copy3(f.position, point);
    double R[9], hint[3] = {0.0, 0.0, 0.0}, *x = R, *y = R + 3, *z = R + 6, n = sqrt(dot3(axis, axis));
    if (!(n > 0.0)) {
        return f;
    }
    scale3(z, 1.0 / n, axis);
    // the hint, or the unit vector that is farthest from the axis
    int smallest = fabs(z[0]) <= fabs(z[1]) ? 0 : 1;
    smallest = fabs(z[2]) < fabs(z[smallest]) ? 2 : smallest;
    hint[smallest] = 1.0;
    copy3(x, x_hint ? x_hint : hint);
    axpy3(x, -dot3(x, z), z);
    n = sqrt(dot3(x, x));
    if (!(n > 1e-8)) {
        copy3(x, hint);
        axpy3(x, -dot3(x, z), z);
        n = sqrt(dot3(x, x));
    }
    scale3(x, 1.0 / n, x);
    cross3(y, z, x);
    dal_quat_from_matrix(f.rotation, R);
    return f;
}

/* position R^T (p - x), rotation R^T P */
void mb_frame_in(double frame[7], const double pose[7], const double world[7])
{
    double R[9], d[3], p[4], back[4] = {pose[3], -pose[4], -pose[5], -pose[6]};
    dal_quat_to_matrix(R, pose + 3);
    sub3(d, world, pose);
    tmul3(frame, R, d);
    (void)unit_quaternion(p, world + 3);
    dal_quat_mul(frame + 3, back, p);
}

void mb_frame_at(dal_frame *frame, const double pose[7], const dal_frame *world)
{
    double x[7], y[7];
    copy3(x, world->position);
    memcpy(x + 3, world->rotation, sizeof world->rotation);
    mb_frame_in(y, pose, x);
    copy3(frame->position, y);
    memcpy(frame->rotation, y + 3, sizeof frame->rotation);
}

dal_status mb_model_pose(const dal_model *model, double pose[7], int body)
{
    if (body < 0 || body >= model->body_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no body number %d", body);
    }
    const dal_body b = mb_initial_pose(model, body);
    copy3(pose, b.position);
    memcpy(pose + 3, b.rotation, sizeof b.rotation);
    return DAL_OK;
}

dal_status dal_model_frame_at(const dal_model *model, dal_frame *frame, int body, const dal_frame *world)
{
    double pose[7] = {0.0};
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, world);
    DAL_NEED(model->ctx, frame);
    DAL_TRY(mb_model_pose(model, pose, body));
    mb_frame_at(frame, pose, world);
    return DAL_OK;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static const mb_body_type *const body_types[] = {&mb_body_r3so3,    &mb_body_se3,    &mb_body_euler,
                                                 &mb_body_textbook, &mb_body_cardan, &mb_body_vector,
                                                 &mb_body_point,    &mb_body_planar, &mb_body_planar_se2};
enum { NTYPES = sizeof body_types / sizeof body_types[0] };

static const char *type_name(int k)
{
    return k < NTYPES ? body_types[k]->name : NULL;
}

/* Those of dal_body, then the flexible one. */
dal_element_type mb_body_about(int k)
{
    const mb_body_type *type = k < NTYPES ? body_types[k] : k == NTYPES ? &mb_body_flexible : NULL;
    dal_element_type about = type ? type->about : (dal_element_type){0};
    about.section = "bodies";
    about.name = type ? type->name : NULL;
    return about;
}

const mb_body_type *mb_body_type_find(dal_ctx *ctx, const char *name, const char *body)
{
    const int k = name ? mb_type_find(ctx, "body", body, "type", name, type_name) : 0; // r3so3
    return k < 0 ? NULL : body_types[k];
}

int mb_sequence(int axis[3], const char *text)
{
    if (strlen(text) != 3) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        axis[k] = text[k] - 'x';
        if (axis[k] < 0 || axis[k] > 2 || (k > 0 && axis[k] == axis[k - 1])) {
            return 0;
        }
    }
    return 1;
}

/* Is a symmetric matrix (xx, yy, zz, xy, xz, yz) positive semidefinite? By its principal minors, up to rounding. */
static int semidefinite(const double J[6])
{
    const double t = 1e-12 * (fabs(J[0]) + fabs(J[1]) + fabs(J[2])), t2 = t * t * 1e12;
    const double xy = J[0] * J[1] - J[3] * J[3], xz = J[0] * J[2] - J[4] * J[4], yz = J[1] * J[2] - J[5] * J[5];
    const double det = J[0] * yz - J[3] * (J[3] * J[2] - J[5] * J[4]) + J[4] * (J[3] * J[5] - J[1] * J[4]);
    return J[0] >= -t && J[1] >= -t && J[2] >= -t && xy >= -t2 && xz >= -t2 && yz >= -t2 && det >= -t2 * t * 1e12;
}

/* No principal moment exceeds the sum of the others: tr(J)/2 I - J, the second moments of the mass, is semidefinite. */
static int triangle_ok(const double J[6])
{
    const double half = 0.5 * (J[0] + J[1] + J[2]) * (1.0 + 1e-9);
    return semidefinite((double[6]){half - J[0], half - J[1], half - J[2], -J[3], -J[4], -J[5]});
}

static dal_status check_inertia(dal_ctx *ctx, const dal_body *d, const mb_body_type *type, const dal_body *before)
{
    const double *J = d->inertia, *c = d->com;
    if (!mb_norm_ok(&d->mass, 1) || !mb_norm_ok(J, 6) || !mb_norm_ok(c, 3) || d->mass < 0.0) {
        return dal_fail(ctx, DAL_EINVAL,
                        "body '%s': mass = %g; mass, inertia and centre of mass must be finite, the mass not negative",
                        d->name, d->mass);
    }
    if (!type->rotates && (dot3(c, c) > 0.0 || dot3(J, J) + dot3(J + 3, J + 3) > 0.0)) {
        return dal_fail(ctx, DAL_EINVAL, "body '%s': a point has no inertia tensor and no centre of mass; use a body",
                        d->name);
    }
    if (type->planar && c[2] != 0.0) {
        return dal_fail(ctx, DAL_EINVAL, "body '%s': a planar body has its centre of mass at z = 0", d->name);
    }
    if (type->planar ? J[2] < 0.0 : !semidefinite(J)) {
        return dal_fail(ctx, DAL_EINVAL,
                        "body '%s': its inertia tensor is not positive semidefinite; give xx, yy, zz, xy, xz, yz "
                        "about the centre of mass",
                        d->name);
    }
    if (!type->planar && !triangle_ok(J) && (!before || triangle_ok(before->inertia))) {
        dal_log(ctx, DAL_LOG_WARNING,
                "body '%s': the principal moments of its inertia tensor violate the triangle inequality; no body with "
                "mass of its own has such a tensor",
                d->name);
    }
    return DAL_OK;
}

dal_status mb_check_pose(dal_ctx *ctx, const dal_body *d, const mb_body_type *type)
{
    double p[4];
    if (!mb_norm_ok(d->position, 3) || !mb_norm_ok(d->velocity, 3) || !mb_norm_ok(d->angular_velocity, 3) ||
        !mb_norm_ok(d->rotation, 4) || !unit_quaternion(p, d->rotation)) {
        return dal_fail(ctx, DAL_EINVAL,
                        "body '%s': initial values must be finite and the rotation a unit quaternion, scalar first",
                        d->name);
    }
    const double *w = d->angular_velocity;
    if (type->planar && (d->position[2] != 0.0 || d->velocity[2] != 0.0 || fabs(p[1]) + fabs(p[2]) > 1e-12 ||
                         w[0] != 0.0 || w[1] != 0.0)) {
        return dal_fail(ctx, DAL_EINVAL, "body '%s': a planar body starts and moves in the x-y plane, turned about z",
                        d->name);
    }
    return DAL_OK;
}

dal_body mb_pose_of(const dal_body *d)
{
    dal_body b = *d;
    (void)unit_quaternion(b.rotation, d->rotation);
    return b;
}

/* Interface nodes have theirs from the flexible body. */
dal_body mb_initial_pose(const dal_model *m, int body)
{
    return m->body[body].unit == body ? mb_pose_of(&m->body_desc[body]) : m->body_desc[body];
}

dal_status mb_body_check(dal_ctx *ctx, const dal_body *d, const mb_body_type *type, const dal_body *before)
{
    DAL_TRY(check_inertia(ctx, d, type, before));
    return mb_check_pose(ctx, d, type);
}

void mb_body_numbers(mb_body *b, const dal_body *d)
{
    const double *J = d->inertia, *c = d->com;
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    b->m = d->mass;
    scale3(b->mc, d->mass, c);
    memcpy(b->J, full, sizeof full);
    add_unit(b->J, d->mass * dot3(c, c));
    add_outer(b->J, -d->mass, c, c);
    b->centred = dot3(b->mc, b->mc) == 0.0;
    memset(b->M0, 0, sizeof b->M0);
    b->M0[0] = b->M0[7] = b->M0[14] = b->m;
    add_block(b->M0, 6, 3, 3, b->J);
    for (int k = 0; k < 9 && !b->centred; ++k) {
        const double x[9] = {0.0, b->mc[2], -b->mc[1], -b->mc[2], 0.0, b->mc[0], b->mc[1], -b->mc[0], 0.0};
        b->M0[3 + k % 3 + k / 3 * 6] = x[k];
        b->M0[k / 3 + (3 + k % 3) * 6] = x[k];
    }
}

dal_status dal_model_add_body_(dal_model *model, int *number, const dal_body *body, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, body);
    DAL_OWN(model->ctx, dal_body, body);
    dal_ctx *ctx = model->ctx;
    dal_body d = *body;
    DAL_TRY(mb_names_check(model, &model->body_names, "body", d.name));
    const mb_body_type *type = mb_body_type_find(ctx, d.type, d.name);
    if (!type) {
        return DAL_EINVAL;
    }
    mb_body b = {.type = type, .axis = {0, 1, 2}, .factor = -1, .nfactors = 1, .nv = type->nv};
    if (d.sequence && !mb_sequence(b.axis, d.sequence)) {
        return dal_fail(ctx, DAL_EINVAL, "body '%s': sequence '%s' must be three of x, y, z, such as \"xyz\"", d.name,
                        d.sequence);
    }
    if (d.sequence) {
        memcpy(b.sequence, d.sequence, sizeof b.sequence);
    }
    DAL_TRY(mb_body_check(ctx, &d, type, NULL));
    mb_body_numbers(&b, &d);
    b.unit = model->body_names.n;
    return mb_append_body(model, number, &b, &d);
}

dal_status mb_append_body(dal_model *m, int *number, const mb_body *b, const dal_body *d)
{
    const int n = m->body_names.n;
    DAL_GROW(m->ctx, m->body, m->body_capacity, n + 1);
    DAL_GROW(m->ctx, m->body_desc, m->desc_capacity, n + 1);
    DAL_TRY(mb_names_add(&m->body_names, &m->pool, d->name));
    m->body[n] = *b;
    m->body[n].number = n;
    m->body_desc[n] = *d;
    m->body_desc[n].name = m->body_desc[n].type = m->body_desc[n].sequence = NULL;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}

/* ---- the model -------------------------------------------------------------------------------- */

/* The ground: a body with no velocities. */
static dal_status add_ground(dal_model *m)
{
    DAL_TRY(dal_model_add_body(m, NULL, &(dal_body){.name = "ground"}));
    m->body[0].q = m->body[0].v = m->body[0].pair = -1;
    return DAL_OK;
}

dal_status dal_model_create(dal_model **model, dal_ctx *ctx)
{
    DAL_NEED(ctx, model);
    *model = NULL;
    DAL_NEED(NULL, ctx);
    dal_pool pool = {.ctx = ctx, .what = "a model"};
    dal_model *m;
    DAL_TAKE(&pool, m, 1);
    m->pool = pool;
    m->ctx = ctx;
    m->arena = dal_arena_init(ctx);
    m->structure = dal_arena_init(ctx);
    const dal_status st = add_ground(m);
    if (st != DAL_OK) {
        dal_model_destroy(m);
        return st;
    }
    *model = m;
    return DAL_OK;
}

void dal_model_destroy(dal_model *m)
{
    if (!m) {
        return;
    }
    dal_ctx *ctx = m->ctx;
    for (int i = 0; i < m->body_names.n; ++i) {
        if (m->body[i].unit == i) {
            mb_flex_destroy(m->body[i].flex, ctx);
        }
    }
    mb_names *names[] = {&m->body_names,     &m->joint_names,  &m->force_names,
                         &m->function_names, &m->output_names, &m->beam_names};
    for (int k = 0; k < 6; ++k) {
        mb_names_release(names[k], ctx);
    }
    void *arrays[] = {m->body_desc, m->body,       m->joint, m->function, m->output,
                      m->force,     m->constraint, m->beam,  m->span,     m->line};
    for (int k = 0; k < 10; ++k) {
        dal_free(ctx, arrays[k]);
    }
    mb_shapes_release(m);
    mb_events_destroy(m);
    dal_arena_release(&m->arena);
    dal_arena_release(&m->structure);
    dal_group_destroy(m->group);
    dal_pool pool = m->pool; // it is in it
    dal_pool_release(&pool);
}

void dal_model_gravity(const dal_model *model, double gravity[3])
{
    for (int i = 0; gravity && i < 3; ++i) {
        gravity[i] = model ? model->gravity[i] : 0.0;
    }
}

dal_status dal_model_set_end(dal_model *model, double t_end)
{
    DAL_NEED(NULL, model);
    if (!(t_end >= 0.0) || !isfinite(t_end)) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: a run cannot end at t = %g", t_end);
    }
    model->t_end = t_end;
    return DAL_OK;
}

dal_status dal_model_set_gravity(dal_model *model, const double gravity[3])
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, gravity);
    if (!mb_norm_ok(gravity, 3)) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: gravity must be finite");
    }
    copy3(model->gravity, gravity);
    return DAL_OK;
}

dal_status dal_model_set_inputs(dal_model *model, const dal_system_input *input, int n, dal_input_setter set,
                                void *user)
{
    DAL_NEED(NULL, model);
    if (n < 0 || model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, n < 0 ? "model: %d inputs" : "model: inputs come before it is compiled",
                        n);
    }
    if (n > 0) {
        DAL_NEED(model->ctx, input);
        DAL_NEED(model->ctx, set);
    }
    DAL_TRY(dal_inputs_check(model->ctx, input, n));
    DAL_TAKE(&model->pool, model->input, n);
    for (int k = 0; k < n; ++k) {
        char *name, *unit;
        DAL_TAKE_TEXT(&model->pool, name, input[k].name);
        DAL_TAKE_TEXT(&model->pool, unit, input[k].unit);
        model->input[k] = input[k];
        model->input[k].name = name;
        model->input[k].unit = unit;
    }
    model->ninputs = n;
    model->set_inputs = set;
    model->inputs_user = user;
    return DAL_OK;
}

int dal_model_input_count(const dal_model *model)
{
    return model ? model->ninputs : 0;
}

dal_system_input dal_model_input(const dal_model *model, int k)
{
    return k >= 0 && k < dal_model_input_count(model) ? model->input[k] : (dal_system_input){.name = NULL};
}

int dal_model_find_body(const dal_model *model, const char *name)
{
    const int k = model && name ? mb_names_find(&model->body_names, name) : -1;
    return k < 0 && model && name ? mb_beam_node(model, name) : k;
}

int dal_model_find_joint(const dal_model *model, const char *name)
{
    return model && name ? mb_names_find(&model->joint_names, name) : -1;
}

int dal_model_find_force(const dal_model *model, const char *name)
{
    return model && name ? mb_names_find(&model->force_names, name) : -1;
}

int dal_model_find_function(const dal_model *model, const char *name)
{
    const int k = model && name ? mb_names_find(&model->function_names, name) : -1;
    return k < 0 ? -1 : k + 1;
}

static const char *name_of(const mb_names *names, int number)
{
    return number >= 0 && number < names->n ? names->name[number] : NULL;
}

const char *dal_model_body_name(const dal_model *model, int number)
{
    return !model ? NULL : name_of(&model->body_names, number);
}

const char *dal_model_joint_name(const dal_model *model, int number)
{
    return !model ? NULL : name_of(&model->joint_names, number);
}

const char *dal_model_force_name(const dal_model *model, int number)
{
    return !model ? NULL : name_of(&model->force_names, number);
}

const char *dal_model_function_name(const dal_model *model, int number)
{
    return !model ? NULL : name_of(&model->function_names, number - 1);
}

const double *dal_model_q0(const dal_model *model)
{
    return model ? model->q0 : NULL;
}

const double *dal_model_v0(const dal_model *model)
{
    return model ? model->v0 : NULL;
}

dal_status dal_model_set_initial(dal_model *model, const double *q, const double *v)
{
    DAL_NEED(NULL, model);
    if (!model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: initial values of the bodies become q and v by compiling");
    }
    if ((q && !mb_norm_ok(q, model->group->nq)) || (v && !mb_norm_ok(v, model->nv))) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: initial values must be finite");
    }
    if (q) {
        DAL_TRY(dal_state_check(model->ctx, &model->system, DAL_EINVAL, "initial", 0.0, q, NULL));
        memcpy(model->q0, q, (size_t)model->group->nq * sizeof(double));
    }
    if (v) {
        memcpy(model->v0, v, (size_t)model->nv * sizeof(double));
    }
    return DAL_OK;
}

int dal_model_body_of(const dal_model *model, int number)
{
    return model && number >= 0 && number < model->body_names.n ? model->body[number].unit : -1;
}

int dal_model_body_factor(const dal_model *model, int body)
{
    return model && model->compiled && body >= 0 && body < model->body_names.n ? model->body[body].factor : -1;
}
