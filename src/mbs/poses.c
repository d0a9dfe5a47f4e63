/* Where the bodies are and what acts between them, for pictures. */
#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/output_impl.h"
#include "system/data.h"

/* Evaluate at a point, with the data of a simulation or with temporary data. */
static dal_status at_point(const dal_model *model, dal_data *data, const dal_point *at, double *out,
                           void (*fill)(double *out, mb_instance *m, const dal_point *at))
{
    dal_data *own;
    mb_instance *m;
    if (!model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: compile it before asking where its bodies are");
    }
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    st = st == DAL_OK ? mb_settled(m) : st;
    if (st == DAL_OK) {
        mb_states(m, at);
        fill(out, m, at);
    }
    dal_data_destroy(own);
    return st;
}

static void fill_poses(double *pose, mb_instance *m, const dal_point *at)
{
    (void)at;
    for (int i = 1; i < m->nbodies; ++i, pose += 7) {
        copy3(pose, m->state[i].x);
        dal_quat_from_matrix(pose + 3, m->state[i].R);
    }
}

dal_status dal_model_poses(const dal_model *model, dal_data *data, double *pose, const dal_point *at)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, pose);
    DAL_NEED_POINT(model->ctx, at, NULL);
    return at_point(model, data, at, pose, fill_poses);
}

static void fill_wrenches(double *wrench, mb_instance *m, const dal_point *at)
{
    memset(wrench, 0, 6 * (size_t)(m->njoints + m->nforces) * sizeof(double));
    for (int k = 0; k < m->njoints; ++k, wrench += 6) {
        if (!m->joint[k].type->free_bodies && at->la) {
            mb_joint_wrench(wrench, &m->joint[k], 1, m, at);
        }
    }
    for (int k = 0; k < m->nforces; ++k, wrench += 6) {
        if (m->force[k].type->wrench) {
            m->force[k].type->wrench(wrench, &m->force[k], m, at);
        }
    }
}

dal_status dal_model_wrenches(const dal_model *model, dal_data *data, double *wrench, const dal_point *at)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, wrench);
    DAL_NEED_POINT(model->ctx, at, NULL);
    return at_point(model, data, at, wrench, fill_wrenches);
}
