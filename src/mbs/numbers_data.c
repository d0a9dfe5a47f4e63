/* Numbers of elements for one simulation: the public functions. */
#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"
#include "mbs/pose.h"
#include "system/data.h"

mb_instance *mb_instance_in(dal_data *data)
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
    mb_instance *m = mb_instance_in(data);
    return m ? mb_set_gravity(m, gravity) : DAL_EINVAL;
}

dal_status dal_data_get_gravity(dal_data *data, double gravity[3])
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, gravity);
    mb_instance *m = mb_instance_in(data);
    if (!m) {
        return DAL_EINVAL;
    }
    copy3(gravity, m->gravity);
    return DAL_OK;
}

/* Elements of one kind by their descriptions. What a program does not know of stays as it is. */
#define ACCESS(kind, type, name)                                                                 \
    dal_status dal_data_set_##kind##_(dal_data *data, int number, const type *name, size_t size) \
    {                                                                                            \
        DAL_NEED(NULL, data);                                                                    \
        DAL_NEED(data->ctx, name);                                                               \
        type own = {0};                                                                          \
        mb_instance *m = mb_instance_in(data);                                                   \
        DAL_TRY(m ? DAL_OK : DAL_EINVAL);                                                        \
        DAL_TRY(size < sizeof own ? mb_get_##kind(m, &own, number) : DAL_OK);                    \
        DAL_TRY(dal_own_copy(data->ctx, &own, sizeof own, name, size, #type));                   \
        return mb_set_##kind(m, number, &own);                                                   \
    }                                                                                            \
    dal_status dal_data_get_##kind##_(dal_data *data, type *name, int number, size_t size)       \
    {                                                                                            \
        type own;                                                                                \
        DAL_NEED(NULL, data);                                                                    \
        DAL_NEED(data->ctx, name);                                                               \
        mb_instance *m = mb_instance_in(data);                                                   \
        DAL_TRY(m ? mb_get_##kind(m, &own, number) : DAL_EINVAL);                                \
        dal_hand_out(name, size, &own, sizeof own);                                              \
        return DAL_OK;                                                                           \
    }

ACCESS(body, dal_body, body)
ACCESS(flexible, dal_flexible, body)
ACCESS(joint, dal_joint, joint)
ACCESS(force, dal_force, force)
ACCESS(function, dal_function, function)
ACCESS(event, dal_model_event, event)

dal_status dal_data_set_output(dal_data *data, int number, const dal_frame *frame)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, frame);
    mb_instance *m = mb_instance_in(data);
    return m ? mb_set_output(m, number, frame) : DAL_EINVAL;
}

dal_status dal_data_get_output(dal_data *data, dal_frame *frame, int number)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, frame);
    mb_instance *m = mb_instance_in(data);
    return m ? mb_get_output(m, frame, number) : DAL_EINVAL;
}

dal_status mb_data_pose(dal_data *data, double pose[7], int body)
{
    const mb_instance *m = mb_instance_in(data);
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
    const mb_instance *m = mb_instance_in(data);
    if (!m) {
        return DAL_EINVAL;
    }
    mb_given(given, m->of, m->body, m->desc);
    return DAL_OK;
}

dal_status dal_data_initial(dal_data *data, double *q, double *v)
{
    DAL_NEED(NULL, data);
    mb_instance *m = mb_instance_in(data);
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
