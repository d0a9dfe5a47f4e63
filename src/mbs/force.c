/* Adding a force to a model. The list of all types is written by the build from the files force_*.c. */
#include <math.h>

#include "base/message.h"
#include "mbs/force_impl.h"

static const char *type_name(int k)
{
    return k < mb_nforce_types ? mb_force_types[k]->name : NULL;
}

dal_element_type mb_force_about(int k)
{
    dal_element_type about = type_name(k) ? mb_force_types[k]->about : (dal_element_type){0};
    about.section = "forces";
    about.name = type_name(k);
    return about;
}

const mb_force_type *mb_force_type_find(dal_ctx *ctx, const dal_force *d)
{
    const int k = mb_type_find(ctx, "force", d->name, "type", d->type, type_name);
    return k < 0 ? NULL : mb_force_types[k];
}

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_numbers(const mb_scope *s, const dal_force *d)
{
    const double x[] = {d->stiffness, d->cubic,  d->damping, d->quadratic, d->reference,
                        d->mu,        d->radius, d->slip,    d->integral};
    if (!mb_norm_ok(x, (int)(sizeof x / sizeof x[0])) || !mb_norm_ok(d->vector, 3) || !mb_norm_ok(d->stiffness6, 6) ||
        !mb_norm_ok(d->damping6, 6)) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': a number is not finite", d->name);
    }
    DAL_TRY(mb_check_parameters(s->ctx, "force", d->name, d->parameter, d->nparameters));
    const int f = mb_function_known(s->of, d->function) ? d->characteristic : d->function;
    return mb_function_known(s->of, f)
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "force '%s': there is no function number %d of one variable", d->name, f);
}

dal_status mb_check_actuator(const mb_scope *s, mb_force *f, const dal_force *d)
{
    (void)f;
    return d->function > 0 ? DAL_OK
                           : dal_fail(s->ctx, DAL_EINVAL, "force '%s': an actuator needs a function of time", d->name);
}

dal_status mb_check_friction(const mb_scope *s, mb_force *f, const dal_force *d)
{
    f->d.radius = d->radius == 0.0 ? 1.0 : d->radius;
    if (f->joint < 0 || s->joint[f->joint].type->force_rows == 0) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': friction needs a joint that transmits a force", d->name);
    }
    return DAL_OK;
}

/* ---- reading a description -------------------------------------------------------------------- */

static dal_status read_frames(const mb_scope *s, mb_force *f, const dal_force *d)
{
    static const mb_marker ground = {.body = 0, .A = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    dal_coordinate coordinate = d->coordinate;
    int axis = d->axis;
    DAL_TRY(mb_check_frame(s->ctx, "force", d->name, &d->frame_a));
    DAL_TRY(mb_check_frame(s->ctx, "force", d->name, &d->frame_b));
    f->marker[0] = mb_marker_of(d->body_a, &d->frame_a);
    f->marker[1] = mb_marker_of(d->body_b, &d->frame_b);
    f->joint = -1;
    if (d->joint) {
        DAL_TRY(mb_joint_reference(s, &coordinate, &axis, f->marker, &f->joint, "force", d->name, d->joint));
    }
    if (f->type->alone) {
        f->marker[0] = ground;
    }
    if (f->type->coordinates) {
        coordinate = coordinate == DAL_COORDINATE_DEFAULT ? f->type->coordinate : coordinate;
        if (coordinate == DAL_COORDINATE_DEFAULT || axis < 0 || axis > 2) {
            return dal_fail(s->ctx, DAL_EINVAL,
                            "force '%s': say which coordinate (length, translation or rotation; axis 0, 1 or 2) or "
                            "refer to a joint",
                            d->name);
        }
        f->row = mb_coordinate_row(coordinate, axis);
    }
    return DAL_OK;
}

dal_status mb_force_read(const mb_scope *s, mb_force *f, const dal_force *d)
{
    f->d = *d;
    f->d.name = f->d.type = f->d.joint = NULL;
    f->d.inputs = NULL;
    f->own = f->type->own;
    DAL_TRY(check_numbers(s, d));
    const int acts = !f->type->state && !f->type->bodiless;
    if (d->switched && (!acts || !(d->from < d->to))) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        !acts ? "force '%s': a state is not switched; let its rate be zero"
                              : "force '%s': to be active it needs from < to",
                        d->name);
    }
    DAL_TRY(read_frames(s, f, d));
    if (f->type->check) {
        DAL_TRY(f->type->check(s, f, d));
    }
    DAL_TRY(mb_check_ranges(s->ctx, "force", d->name, &f->type->about, d));
    return !acts ? DAL_OK : mb_check_bodies(s, "force", d->name, f->marker[0].body, f->marker[1].body);
}

/* ---- adding ----------------------------------------------------------------------------------- */

/* Room for the inputs of a type that has some. */
static dal_status make_room(dal_pool *pool, mb_force *f, const dal_force *d)
{
    if (!f->type->inputs || d->ninputs < 0 || d->ninputs > DAL_INPUTS_MAX) {
        return DAL_OK; // reading tells
    }
    DAL_TAKE(pool, f->input, d->ninputs);
    DAL_TAKE(pool, f->given, d->ninputs);
    return DAL_OK;
}

/* Keep the descriptions of the inputs, with texts that belong to the model. */
static dal_status keep_inputs(dal_model *m, mb_force *f, const dal_force *d)
{
    for (int k = 0; f->input && k < d->ninputs; ++k) {
        mb_input *in = &f->input[k];
        f->given[k] = d->inputs[k];
        f->given[k].joint = in->joint >= 0 ? m->joint_names.name[in->joint] : NULL;
        f->given[k].state = NULL;
        f->given[k].reaction = in->reaction >= 0 ? m->joint_names.name[in->reaction] : NULL;
        if (in->state_name) {
            DAL_TAKE_TEXT(&m->pool, in->state_name, in->state_name);
            f->given[k].state = in->state_name;
        }
    }
    return DAL_OK;
}

dal_status dal_model_add_force_(dal_model *model, int *number, const dal_force *force, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, force);
    DAL_OWN(model->ctx, dal_force, force);
    dal_ctx *ctx = model->ctx;
    DAL_TRY(mb_names_check(model, &model->force_names, "force", force->name));
    mb_force f = {.type = mb_force_type_find(ctx, force), .joint = -1, .factor = -1};
    if (!f.type) {
        return DAL_EINVAL;
    }
    const int n = model->force_names.n;
    const mb_scope scope = mb_scope_of_model(model);
    DAL_TRY(make_room(&model->pool, &f, force));
    DAL_TRY(mb_force_read(&scope, &f, force));
    DAL_TRY(keep_inputs(model, &f, force));
    DAL_GROW(ctx, model->force, model->force_capacity, n + 1);
    DAL_TRY(mb_names_add(&model->force_names, &model->pool, force->name));
    model->force[n] = f;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}
