/* What a model is made of: descriptions of its elements, and the shapes of its bodies. */
#include "base/message.h"
#include "mbs/crowd_impl.h"
#include "mbs/flex_impl.h"

/* ---- elements --------------------------------------------------------------------------------- */

static dal_status no_element(const dal_model *m, const char *what, int number)
{
    return dal_fail(m->ctx, DAL_EINVAL, "model: there is no %s of number %d", what, number);
}

static dal_frame frame_of(const mb_marker *marker)
{
    dal_frame f = {.position = {marker->a[0], marker->a[1], marker->a[2]}};
    dal_quat_from_matrix(f.rotation, marker->A);
    return f;
}

dal_status dal_model_body_info_(const dal_model *model, dal_body *to, int number, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED_AS(model->ctx, to, "info");
    if (number < 0 || number >= model->body_names.n) {
        return no_element(model, "body", number);
    }
    dal_body info = mb_initial_pose(model, number);
    info.name = model->body_names.name[number];
    info.type = number > 0 ? model->body[number].type->name : "ground";
    info.sequence = NULL;
    dal_hand_out(to, size, &info, sizeof info);
    return DAL_OK;
}

dal_status dal_model_joint_info_(const dal_model *model, dal_joint *to, int number, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED_AS(model->ctx, to, "info");
    if (number < 0 || number >= model->joint_names.n) {
        return no_element(model, "joint", number);
    }
    const mb_joint *j = &model->joint[number];
    dal_joint info = j->d;
    info.name = model->joint_names.name[number];
    info.type = j->type->name;
    info.joint = info.joint_1 = info.joint_2 = NULL;
    info.bodies = j->bodies;
    info.body_a = j->marker[0].body;
    info.body_b = j->marker[1].body;
    info.frame_a = frame_of(&j->marker[0]);
    info.frame_b = frame_of(&j->marker[1]);
    dal_hand_out(to, size, &info, sizeof info);
    return DAL_OK;
}

dal_status dal_model_force_info_(const dal_model *model, dal_force *to, int number, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED_AS(model->ctx, to, "info");
    if (number < 0 || number >= model->force_names.n) {
        return no_element(model, "force", number);
    }
    const mb_force *f = &model->force[number];
    dal_force info = f->d;
    info.name = model->force_names.name[number];
    info.type = f->type->name;
    info.joint = NULL;
    info.inputs = NULL;
    info.ninputs = 0;
    info.body_a = f->marker[0].body;
    info.body_b = f->marker[1].body;
    info.frame_a = frame_of(&f->marker[0]);
    info.frame_b = frame_of(&f->marker[1]);
    if (f->type->coordinates) {
        info.coordinate = f->row.type->coordinate;
        info.axis = f->row.i;
    }
    dal_hand_out(to, size, &info, sizeof info);
    return DAL_OK;
}

dal_flexible_nodes dal_model_flexible_nodes(const dal_model *model, int body)
{
    const mb_flex *f = model && body > 0 && body < model->body_names.n ? model->body[body].flex : NULL;
    if (!f || model->body[body].unit != body) {
        return (dal_flexible_nodes){0};
    }
    return (dal_flexible_nodes){f->ndrawn, f->n, f->drawn, f->drawn_shape, f->ntriangles, f->triangle};
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* A copy that owns its points and its mesh. */
static dal_status copy_shape(dal_pool *pool, dal_shape *to, const dal_shape *from)
{
    double *points = NULL;
    dal_mesh *mesh = NULL;
    *to = *from;
    to->points = NULL;
    to->mesh = NULL;
    if (from->kind == DAL_SHAPE_TUBE) {
        DAL_TAKE(pool, points, 3 * from->npoints);
        memcpy(points, from->points, 3 * (size_t)from->npoints * sizeof *points);
    }
    if (from->kind == DAL_SHAPE_MESH) {
        DAL_TRY(dal_mesh_copy(&mesh, pool->ctx, from->mesh));
    }
    to->points = points;
    to->mesh = mesh;
    return DAL_OK;
}

dal_status dal_model_add_shape_(dal_model *model, int body, const dal_shape *shape, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, shape);
    DAL_OWN(model->ctx, dal_shape, shape);
    if (body < 0 || body >= model->body_names.n) {
        return no_element(model, "body", body);
    }
    DAL_TRY(dal_shape_check(model->ctx, shape));
    DAL_GROW(model->ctx, model->shape, model->shape_capacity, model->nshapes + 1);
    mb_shape *s = &model->shape[model->nshapes];
    DAL_TRY(copy_shape(&model->pool, &s->shape, shape));
    s->body = body;
    ++model->nshapes;
    return DAL_OK;
}

int dal_model_shape_count(const dal_model *model)
{
    return model ? model->nshapes : 0;
}

const dal_shape *dal_model_shape(const dal_model *model, int *body, int number)
{
    if (!model || number < 0 || number >= model->nshapes) {
        return NULL;
    }
    if (body) {
        *body = model->shape[number].body;
    }
    return &model->shape[number].shape;
}

dal_status dal_model_add_trail(dal_model *model, int body, const double point[3])
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, point);
    if (body < 1 || body >= model->body_names.n) {
        return no_element(model, "body", body);
    }
    DAL_GROW(model->ctx, model->trail, model->trail_capacity, model->ntrails + 1);
    model->trail[model->ntrails++] = (mb_trail){body, {point[0], point[1], point[2]}};
    return DAL_OK;
}

int dal_model_trail_count(const dal_model *model)
{
    return model ? model->ntrails : 0;
}

int dal_model_trail(const dal_model *model, double point[3], int number)
{
    if (!model || !point || number < 0 || number >= model->ntrails) {
        return 0;
    }
    memcpy(point, model->trail[number].point, 3 * sizeof(double));
    return model->trail[number].body;
}

void mb_shapes_release(dal_model *m)
{
    for (int k = 0; k < m->nshapes; ++k) {
        dal_mesh_destroy((dal_mesh *)m->shape[k].shape.mesh, m->ctx);
    }
    dal_free(m->ctx, m->shape);
    dal_free(m->ctx, m->trail);
    mb_crowds_release(m);
}

dal_model_summary dal_model_report(const dal_model *model)
{
    if (!model) {
        return (dal_model_summary){0};
    }
    dal_model_summary s = {
        .joints = model->joint_names.n, .forces = model->force_names.n, .velocities = model->nv, .rows = model->nc};
    for (int i = 1; i < model->body_names.n; ++i) {
        s.bodies += model->body[i].unit == i;
    }
    for (int k = 0; k < model->nconstraints; ++k) {
        s.holonomic += model->constraint[k].nonholonomic ? 0 : model->constraint[k].nrows;
    }
    for (int k = 0; k < model->force_names.n; ++k) {
        s.states += model->force[k].type->diagonal ? model->force[k].own : 0;
    }
    s.freedoms = s.velocities - s.states - s.rows;
    return s;
}
