/* What rows and velocities of a compiled model are called, and which joints are open: for messages. */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"

/* What a row of a joint holds: "point x", "axes x.z" (of A and of B), "along y" (of A), "height" ... */
static void row_text(char *buffer, size_t size, const mb_constraint *c, int k)
{
    if (k < c->npoint) {
        snprintf(buffer, size, "point %c", 'x' + k);
        return;
    }
    if (k - c->npoint >= c->nscalar) {
        snprintf(buffer, size, "row %d", k);
    } else {
        mb_row_text(buffer, size, &c->row[k - c->npoint]);
    }
}

void mb_joint_row_name(char *buffer, size_t size, const void *constraint, const dal_model *m, int row)
{
    const mb_constraint *c = constraint;
    char text[32];
    row_text(text, sizeof text, c, row);
    snprintf(buffer, size, "joint '%s': %s", m->joint_names.name[c->joint], text);
}

void mb_row_name(char *buffer, size_t size, int row, const void *user)
{
    const dal_model *m = user;
    int lo = 0, hi = m->nconstraints; // the block that holds the row
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(m->constraint[mid].row0 <= row ? &lo : &hi) = mid;
    }
    const mb_constraint *c = &m->constraint[lo];
    c->type->row_name(buffer, size, c, m, row - c->row0);
}

void mb_velocity_name(char *buffer, size_t size, int index, const void *user)
{
    const dal_model *m = user;
    int lo = 1, hi = m->body_names.n;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(m->body[mid].v <= index ? &lo : &hi) = mid;
    }
    lo = m->body[lo].unit;
    const mb_body *b = &m->body[lo];
    const int k = index - b->v, modes = b->flex ? b->flex->n : 0;
    if (k < b->type->nv) {
        snprintf(buffer, size, "%s.%s", m->body_names.name[lo], b->type->velocity[k]);
        return;
    }
    if (k < b->type->nv + modes) {
        snprintf(buffer, size, "%s.mode %d", m->body_names.name[lo], k - b->type->nv + 1);
        return;
    }
    for (int f = 0; f < m->force_names.n; ++f) {
        if (m->force[f].v == index) {
            snprintf(buffer, size, "%s.%s", m->force_names.name[f], m->force[f].type->own_name);
        }
    }
}

/* ---- joints that are not closed ----------------------------------------------------------------- */

/* Largest |Phi| of a joint's rows, and which row. */
static double joint_gap(const mb_instance *m, int joint, int *row)
{
    const mb_joint *j = &m->joint[joint];
    double gap = 0.0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &m->constraint[k];
        for (int i = c->row0; i < c->row0 + c->nrows && !c->nonholonomic; ++i) {
            if (!(fabs(m->rows[i]) <= gap)) {
                gap = fabs(m->rows[i]);
                *row = i;
            }
        }
    }
    return gap;
}

static dal_status open_joints(mb_instance *m, double t, const double *q, double tol, int *count, char *buffer,
                              size_t size)
{
    // velocities do not matter for Phi: any array of the right size will do
    const dal_residual out = {.Phi = m->rows};
    DAL_TRY(mb_residual(&out, &(dal_point){t, q, m->of->v0, m->of->v0, m->rows}, m->of, m));
    size_t used = 0;
    *count = 0;
    for (int k = 0; k < m->njoints; ++k) {
        int row = 0;
        const double gap = joint_gap(m, k, &row);
        if (gap > tol || isnan(gap)) {
            char name[128];
            mb_row_name(name, sizeof name, row, m->of);
            const int n = snprintf(used < size ? buffer + used : NULL, used < size ? size - used : 0, "%s%s by %.3g",
                                   *count > 0 ? ", " : "", name, gap);
            used += n > 0 ? (size_t)n : 0;
            ++*count;
        }
    }
    if (*count == 0 && size > 0) {
        buffer[0] = 0;
    }
    return DAL_OK;
}

dal_status dal_model_open_joints(const dal_model *model, dal_data *data, int *count, char *buffer, size_t size,
                                 double t, const double *q, double tol)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, q);
    DAL_NEED(model->ctx, count);
    if (size > 0) {
        DAL_NEED(model->ctx, buffer);
    }
    dal_data *own;
    mb_instance *m;
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    if (st == DAL_OK) {
        st = open_joints(m, t, q, tol, count, buffer, size);
    }
    dal_data_destroy(own);
    return st;
}
