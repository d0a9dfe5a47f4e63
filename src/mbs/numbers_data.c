/* Numbers of elements for one simulation: the public functions, and how numbers become part of snapshots. */
#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"
#include "mbs/pose.h"
#include "system/data.h"

/* NULL if the data is not that of a model, with a message. */
static mb_instance *instance_of(dal_data *data)
{
    if (data->sys->equations.residual != mb_residual || !data->work) {
        (void)dal_fail(data->ctx, DAL_EINVAL,
                       "the data given is not that of a simulation of a dal_model: there are no elements in it");
        return NULL;
    }
    return data->work;
}

dal_status dal_data_set_gravity(dal_data *data, const double gravity[3])
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, gravity);
    mb_instance *m = instance_of(data);
    return m ? mb_set_gravity(m, gravity) : DAL_EINVAL;
}

dal_status dal_data_get_gravity(dal_data *data, double gravity[3])
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, gravity);
    mb_instance *m = instance_of(data);
    if (!m) {
        return DAL_EINVAL;
    }
    copy3(gravity, m->gravity);
    return DAL_OK;
}

dal_status dal_data_set_body(dal_data *data, int number, const dal_body *body)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, body);
    mb_instance *m = instance_of(data);
    return m ? mb_set_body(m, number, body) : DAL_EINVAL;
}

dal_status dal_data_get_body(dal_data *data, dal_body *body, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, body);
    mb_instance *m = instance_of(data);
    return m ? mb_get_body(m, body, number) : DAL_EINVAL;
}

dal_status dal_data_set_joint(dal_data *data, int number, const dal_joint *joint)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, joint);
    mb_instance *m = instance_of(data);
    return m ? mb_set_joint(m, number, joint) : DAL_EINVAL;
}

dal_status dal_data_get_joint(dal_data *data, dal_joint *joint, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, joint);
    mb_instance *m = instance_of(data);
    return m ? mb_get_joint(m, joint, number) : DAL_EINVAL;
}

dal_status dal_data_set_force(dal_data *data, int number, const dal_force *force)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, force);
    mb_instance *m = instance_of(data);
    return m ? mb_set_force(m, number, force) : DAL_EINVAL;
}

dal_status dal_data_get_force(dal_data *data, dal_force *force, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, force);
    mb_instance *m = instance_of(data);
    return m ? mb_get_force(m, force, number) : DAL_EINVAL;
}

dal_status dal_data_set_function(dal_data *data, int number, const dal_function *function)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, function);
    mb_instance *m = instance_of(data);
    return m ? mb_set_function(m, number, function) : DAL_EINVAL;
}

dal_status dal_data_get_function(dal_data *data, dal_function *function, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, function);
    mb_instance *m = instance_of(data);
    return m ? mb_get_function(m, function, number) : DAL_EINVAL;
}

dal_status dal_data_set_flexible(dal_data *data, int number, const dal_flexible *body)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, body);
    mb_instance *m = instance_of(data);
    return m ? mb_set_flexible(m, number, body) : DAL_EINVAL;
}

dal_status dal_data_get_flexible(dal_data *data, dal_flexible *body, int number)
{
    dal_body d;
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, body);
    DAL_TRY(dal_data_get_body(data, &d, number));
    const mb_body *b = &instance_of(data)->body[number];
    if (!b->flex) {
        return dal_fail(data->ctx, DAL_EINVAL, "body '%s' is not flexible", d.name);
    }
    *body = (dal_flexible){.name = d.name, .modal = b->bent->z0, .modal_velocity = b->bent->zd0, .given = d.given};
    copy3(body->position, d.position);
    memcpy(body->rotation, d.rotation, sizeof d.rotation);
    copy3(body->velocity, d.velocity);
    copy3(body->angular_velocity, d.angular_velocity);
    return DAL_OK;
}

dal_status dal_data_get_output(dal_data *data, dal_frame *frame, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, frame);
    const mb_instance *m = instance_of(data);
    if (!m) {
        return DAL_EINVAL;
    }
    if (number < 0 || number >= m->noutputs) {
        return dal_fail(data->ctx, DAL_EINVAL, "model: there is no output of number %d", number);
    }
    *frame = m->output[number].d.frame;
    return DAL_OK;
}

dal_status dal_data_set_output(dal_data *data, int number, const dal_frame *frame)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, frame);
    mb_instance *m = instance_of(data);
    return m ? mb_set_output(m, number, frame) : DAL_EINVAL;
}

dal_status mb_data_pose(dal_data *data, double pose[7], int body)
{
    const mb_instance *m = instance_of(data);
    if (!m) {
        return DAL_EINVAL;
    }
    if (body < 0 || body >= m->nbodies) {
        return dal_fail(data->ctx, DAL_EINVAL, "model: there is no body number %d", body);
    }
    const int unit = m->body[body].unit;
    const mb_body *owner = &m->body[unit];
    dal_body b = mb_pose_of(&m->desc[unit]);
    if (unit != body) {
        b = mb_node_pose(&b, owner->flex, owner->bent->turned, m->body[body].node, owner->bent->z0);
    }
    copy3(pose, b.position);
    memcpy(pose + 3, b.rotation, sizeof b.rotation);
    return DAL_OK;
}

dal_status dal_data_frame_at(dal_data *data, dal_frame *frame, int body, const dal_frame *world)
{
    double pose[7];
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, world);
    DAL_NEED(data->ctx, frame);
    DAL_TRY(mb_data_pose(data, pose, body));
    mb_frame_at(frame, pose, world);
    return DAL_OK;
}

dal_status dal_data_given(dal_data *data, int *given)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, given);
    const mb_instance *m = instance_of(data);
    if (!m) {
        return DAL_EINVAL;
    }
    mb_given(given, m->of, m->body, m->desc);
    return DAL_OK;
}

dal_status dal_data_initial(dal_data *data, double *q, double *v)
{
    DAL_NEED(NULL, data);
    mb_instance *m = instance_of(data);
    if (!m) {
        return DAL_EINVAL;
    }
    DAL_TRY(mb_settle(m));
    if (q) {
        memcpy(q, m->q0, (size_t)m->of->group->nq * sizeof(double));
    }
    if (v) {
        memcpy(v, m->v0, (size_t)m->nv * sizeof(double));
    }
    return DAL_OK;
}

/* ---- in snapshots ----------------------------------------------------------------------------- */

/* Numbers pass one after the other: to x, from x, or they are counted. */
typedef struct passing {
    double *out;
    const double *in;
    int n;
} passing;

static void pass(passing *p, double *x, int n)
{
    if (p->out) {
        memcpy(p->out + p->n, x, (size_t)n * sizeof(double));
    } else if (p->in) {
        memcpy(x, p->in + p->n, (size_t)n * sizeof(double));
    }
    p->n += n;
}

static void pass_frame(passing *p, dal_frame *f)
{
    pass(p, f->position, 3);
    pass(p, f->rotation, 4);
}

static dal_status pass_body(passing *p, mb_instance *m, int number)
{
    dal_body d;
    const mb_body *b = &m->body[number];
    if (b->unit != number) {
        return DAL_OK;
    }
    DAL_TRY(mb_get_body(m, &d, number));
    if (b->flex) {
        pass(p, b->bent->z0, b->flex->n);
        pass(p, b->bent->zd0, b->flex->n);
        if (!mb_norm_ok(b->bent->z0, b->flex->n) || !mb_norm_ok(b->bent->zd0, b->flex->n)) {
            return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': a number is not finite", d.name);
        }
    }
    pass(p, &d.mass, 1);
    pass(p, d.inertia, 6);
    pass(p, d.com, 3);
    pass(p, d.position, 3);
    pass(p, d.rotation, 4);
    pass(p, d.velocity, 3);
    pass(p, d.angular_velocity, 3);
    return p->in ? mb_set_body(m, number, &d) : DAL_OK;
}

static dal_status pass_joint(passing *p, mb_instance *m, int number)
{
    dal_joint d;
    DAL_TRY(mb_get_joint(m, &d, number));
    pass_frame(p, &d.frame_a);
    pass_frame(p, &d.frame_b);
    pass(p, &d.length, 1);
    pass(p, &d.pitch, 1);
    pass(p, &d.radius, 1);
    pass(p, d.ratio, 2);
    pass(p, &d.ratio_3, 1);
    pass(p, d.parameter, d.nparameters);
    return p->in ? mb_set_joint(m, number, &d) : DAL_OK;
}

static dal_status pass_force(passing *p, mb_instance *m, int number)
{
    dal_force d;
    dal_input input[DAL_INPUTS_MAX];
    DAL_TRY(mb_get_force(m, &d, number));
    double *x[] = {&d.stiffness, &d.cubic, &d.damping,  &d.quadratic, &d.reference, &d.mu,
                   &d.radius,    &d.slip,  &d.integral, &d.initial,   &d.from,      &d.to};
    pass_frame(p, &d.frame_a);
    pass_frame(p, &d.frame_b);
    pass(p, d.vector, 3);
    pass(p, d.stiffness6, 6);
    pass(p, d.damping6, 6);
    for (size_t k = 0; k < sizeof x / sizeof *x; ++k) {
        pass(p, x[k], 1);
    }
    pass(p, d.parameter, d.nparameters);
    for (int k = 0; d.inputs && k < d.ninputs; ++k) {
        input[k] = d.inputs[k];
        pass_frame(p, &input[k].frame_a);
        pass_frame(p, &input[k].frame_b);
    }
    d.inputs = d.inputs ? input : NULL;
    return p->in ? mb_set_force(m, number, &d) : DAL_OK;
}

/* Into place: what follows from them is made anew from the same numbers. */
static dal_status pass_function(passing *p, mb_instance *m, int number)
{
    dal_function d;
    mb_function *f = &m->function[number];
    int interpolation = (int)f->interpolation;
    double word = interpolation;
    DAL_TRY(mb_get_function(m, &d, number));
    pass(p, &word, 1);
    pass(p, f->c, mb_function_is_table(f) ? 2 * f->n : f->nc);
    interpolation =
        word >= DAL_INTERPOLATION_CUBIC && word <= DAL_INTERPOLATION_PERIODIC ? (int)word : DAL_INTERPOLATION_CUBIC;
    d.interpolation = (dal_interpolation)interpolation;
    return p->in ? mb_set_function(m, number, &d) : DAL_OK;
}

static dal_status pass_output(passing *p, mb_instance *m, int number)
{
    dal_frame frame = m->output[number].d.frame;
    pass_frame(p, &frame);
    return p->in ? mb_set_output(m, number, &frame) : DAL_OK;
}

static dal_status pass_all(passing *p, mb_instance *m)
{
    double gravity[3];
    copy3(gravity, m->gravity);
    pass(p, gravity, 3);
    if (p->in) {
        DAL_TRY(mb_set_gravity(m, gravity));
    }
    for (int k = 1; k <= m->of->function_names.n; ++k) {
        DAL_TRY(pass_function(p, m, k));
    }
    for (int k = 1; k < m->nbodies; ++k) {
        DAL_TRY(pass_body(p, m, k));
    }
    for (int k = 0; k < m->njoints; ++k) {
        DAL_TRY(pass_joint(p, m, k));
    }
    for (int k = 0; k < m->nforces; ++k) {
        DAL_TRY(pass_force(p, m, k));
    }
    for (int k = 0; k < m->noutputs; ++k) {
        DAL_TRY(pass_output(p, m, k));
    }
    return DAL_OK;
}

int mb_numbers(double *x, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    passing p = {.out = x};
    if (!m->changed) {
        return 0;
    }
    return pass_all(&p, m) == DAL_OK ? p.n : 0;
}

dal_status mb_set_numbers(const double *x, int n, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    passing count = {0}, p = {.in = x};
    if (n == 0) {
        if (m->changed) {
            mb_instance_restore(m);
        }
        return DAL_OK;
    }
    DAL_TRY(pass_all(&count, m));
    if (n != count.n) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "it has %d numbers of elements, this simulation has %d: set the callbacks with their parameters before", n,
            count.n);
    }
    DAL_TRY(pass_all(&p, m));
    return mb_settle(m);
}
