/* Numbers that follow from several elements. Setting one element leaves them as they are; they are found before the next
 * evaluation, all at once, and compiling finds them with the same function. */
#include <math.h>

#include "mbs/compile_impl.h"
#include "mbs/curve_impl.h"
#include "mbs/event_impl.h"

/* Frames that are taken from a joint; what a joint refers to was added before it. */
static void follow_references(mb_instance *m)
{
    for (int k = 0; k < m->njoints; ++k) {
        mb_joint *j = &m->joint[k];
        for (int i = 0; i < 3 && j->refers[i] >= 0; ++i) {
            memcpy(j->type->free_bodies ? j->gear.marker[i] : j->marker, m->joint[j->refers[i]].marker,
                   sizeof j->marker);
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        mb_force *f = &m->force[k];
        if (f->joint >= 0) {
            const int first = f->type->alone ? 1 : 0;
            memcpy(f->marker + first, m->joint[f->joint].marker + first, (size_t)(2 - first) * sizeof(mb_marker));
        }
        for (int i = 0; f->input && i < f->d.ninputs; ++i) {
            if (f->input[i].joint >= 0) {
                memcpy(f->input[i].marker, m->joint[f->input[i].joint].marker, sizeof f->input[i].marker);
            }
        }
    }
}

static dal_status initial_values(mb_instance *m)
{
    for (int i = 1; i < m->nbodies; ++i) {
        const mb_body *b = &m->body[i];
        if (b->unit != i) {
            continue;
        }
        const dal_body pose = mb_pose_of(&m->desc[i]);
        b->type->initial(m->q0 + b->q, m->v0 + b->v, b, &pose);
        double largest = 0.0;
        for (int k = 0; k < b->type->nv; ++k) {
            largest = fmax(largest, fabs(m->v0[b->v + k]));
        }
        if (!(largest < 1e12) || !mb_norm_ok(m->v0 + b->v, b->type->nv)) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "body '%s': its coordinates are singular at the initial rotation; "
                            "choose another sequence of angles or another type",
                            m->of->body_names.name[i]);
        }
    }
    return DAL_OK;
}

static dal_status find_numbers(mb_instance *m)
{
    follow_references(m);
    DAL_TRY(initial_values(m));
    memset(m->r, 0, (size_t)m->nv * sizeof(double));
    m->st = DAL_OK;
    m->seen = 0;
    mb_states(m, &(dal_point){0.0, m->q0, m->v0, m->r, NULL});
    for (int k = 0; k < m->nforces; ++k) {
        if (m->force[k].type->start) {
            m->force[k].type->start(m->v0, &m->force[k], m);
        }
    }
    if (m->st != DAL_OK) {
        return m->st > 0 ? dal_fail_in(m->ctx, DAL_EINVAL, "model, at the start") : m->st;
    }
    DAL_TRY(mb_curves_sample(m));
    for (int k = 0; k < m->njoints; ++k) {
        DAL_TRY(mb_joint_numbers(m, k));
    }
    return mb_check_attachments(m);
}

dal_status mb_settle(mb_instance *m)
{
    // before a run the turns of angles are not counted yet
    double *memory = m->memory;
    mb_grabbed(m);
    m->memory = NULL;
    const dal_status st = find_numbers(m);
    m->memory = memory;
    m->st = DAL_OK;
    m->unsettled = st != DAL_OK;
    m->summed = 0;
    m->smooth.valid = 0;
    return st;
}
