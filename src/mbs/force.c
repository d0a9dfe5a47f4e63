/* The list of forces, and adding one to a model. */
#include <math.h>

#include "base/message.h"
#include "mbs/force_impl.h"

static const mb_force_type *const types[] = {
    &mb_force_force, &mb_force_torque, &mb_force_spring, &mb_force_bushing,  &mb_force_actuator,  &mb_force_pd,
    &mb_force_pid,   &mb_force_law,    &mb_force_drag,   &mb_force_friction, &mb_force_cartesian, &mb_force_state};
enum { NTYPES = sizeof types / sizeof types[0] };

static const mb_force_type *find_type(dal_ctx *ctx, const dal_force *d)
{
    const char *name[NTYPES];
    for (int k = 0; k < NTYPES; ++k) {
        name[k] = types[k]->name;
        if (d->type && strcmp(d->type, name[k]) == 0) {
            return types[k];
        }
    }
    const char *near = dal_nearest(d->type ? d->type : "", name, NTYPES);
    (void)dal_fail(ctx, DAL_EINVAL, "force '%s': no type '%s'%s%s%s", d->name, d->type ? d->type : "",
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return NULL;
}

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_numbers(dal_model *m, const dal_force *d)
{
    const double x[] = {d->stiffness, d->cubic,  d->damping, d->quadratic, d->reference,
                        d->mu,        d->radius, d->slip,    d->integral};
    if (!mb_norm_ok(x, (int)(sizeof x / sizeof x[0])) || !mb_norm_ok(d->vector, 3) || !mb_norm_ok(d->stiffness6, 6) ||
        !mb_norm_ok(d->damping6, 6)) {
        return dal_fail(m->ctx, DAL_EINVAL, "force '%s': a number is not finite", d->name);
    }
    const int nf = m->function_names.n, *f = d->function < 0 || d->function > nf ? &d->function : &d->characteristic;
    return *f < 0 || *f > nf ? dal_fail(m->ctx, DAL_EINVAL, "force '%s': there is no function number %d", d->name, *f)
                             : DAL_OK;
}

dal_status mb_check_spring(dal_model *m, mb_force *f, const dal_force *d)
{
    (void)f;
    return d->stiffness != 0.0 || d->cubic != 0.0 || d->damping != 0.0 || d->characteristic > 0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "force '%s': give a stiffness, cubic, damping or characteristic",
                          d->name);
}

dal_status mb_check_drive(dal_model *m, mb_force *f, const dal_force *d)
{
    if (f->type == &mb_force_pid && d->integral == 0.0) {
        return dal_fail(m->ctx, DAL_EINVAL, "force '%s': a pid needs a gain `integral`; without it, use pd", d->name);
    }
    if (f->type != &mb_force_actuator) {
        return f->type == &mb_force_pid ? DAL_OK : mb_check_spring(m, f, d);
    }
    return d->function > 0 ? DAL_OK
                           : dal_fail(m->ctx, DAL_EINVAL, "force '%s': an actuator needs a function of time", d->name);
}

dal_status mb_check_bushing(dal_model *m, mb_force *f, const dal_force *d)
{
    (void)f;
    for (int k = 0; k < 6; ++k) {
        if (d->stiffness6[k] != 0.0 || d->damping6[k] != 0.0) {
            return DAL_OK;
        }
    }
    return dal_fail(m->ctx, DAL_EINVAL, "force '%s': a bushing needs a stiffness or a damping", d->name);
}

dal_status mb_check_friction(dal_model *m, mb_force *f, const dal_force *d)
{
    f->d.radius = d->radius == 0.0 ? 1.0 : d->radius;
    if (f->joint < 0 || m->joint[f->joint].type->force_rows == 0) {
        return dal_fail(m->ctx, DAL_EINVAL, "force '%s': friction needs a joint that transmits a force", d->name);
    }
    return d->mu >= 0.0 && d->slip > 0.0 && d->radius >= 0.0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL,
                          "force '%s': friction needs mu >= 0, radius >= 0 and slip > 0 (the velocity at which it is "
                          "fully developed)",
                          d->name);
}

dal_status mb_check_load(dal_model *m, mb_force *f, const dal_force *d)
{
    f->marker[0] = (mb_marker){.body = 0, .A = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    return dot3(d->vector, d->vector) > 0.0 ? DAL_OK
                                            : dal_fail(m->ctx, DAL_EINVAL, "force '%s': its vector is zero", d->name);
}

dal_status mb_check_drag(dal_model *m, mb_force *f, const dal_force *d)
{
    f->marker[0] = (mb_marker){.body = 0, .A = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    return d->damping >= 0.0 && d->quadratic >= 0.0 && d->damping + d->quadratic > 0.0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "force '%s': drag needs damping or quadratic, neither negative", d->name);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static dal_status prepare(dal_model *m, mb_force *f, const dal_force *d)
{
    dal_coordinate coordinate = d->coordinate;
    int axis = d->axis;
    DAL_TRY(check_numbers(m, d));
    if (d->switched && (f->type->own || !(d->from < d->to))) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        f->type->own ? "force '%s': a state is not switched; let its rate be zero"
                                     : "force '%s': to be active it needs from < to",
                        d->name);
    }
    DAL_TRY(mb_check_frame(m, "force", d->name, &d->frame_a));
    DAL_TRY(mb_check_frame(m, "force", d->name, &d->frame_b));
    f->marker[0] = mb_marker_of(d->body_a, &d->frame_a);
    f->marker[1] = mb_marker_of(d->body_b, &d->frame_b);
    if (d->joint) {
        DAL_TRY(mb_joint_reference(m, "force", d->name, d->joint, &coordinate, &axis, f->marker, &f->joint));
    }
    if (f->type->coordinates) {
        coordinate = coordinate == DAL_COORDINATE_DEFAULT ? f->type->coordinate : coordinate;
        if (coordinate == DAL_COORDINATE_DEFAULT || axis < 0 || axis > 2) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "force '%s': say which coordinate (length, translation or rotation; axis 0, 1 or 2) or "
                            "refer to a joint",
                            d->name);
        }
        f->row = mb_coordinate_row(coordinate, axis);
    }
    DAL_TRY(f->type->check(m, f, d));
    return f->type->own ? DAL_OK : mb_check_bodies(m, "force", d->name, f->marker[0].body, f->marker[1].body);
}

void mb_force_release(mb_force *f, dal_ctx *ctx)
{
    for (int k = 0; f->input && k < f->d.ninputs; ++k) {
        dal_free(ctx, f->input[k].state_name);
    }
    dal_free(ctx, f->input);
}

dal_status dal_model_add_force(dal_model *model, const dal_force *force, int *number)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, force);
    dal_ctx *ctx = model->ctx;
    DAL_TRY(mb_names_check(&model->force_names, ctx, "force", force->name));
    if (model->compiled) {
        return dal_fail(ctx, DAL_EINVAL, "model: force '%s' comes after compiling; add it before", force->name);
    }
    mb_force f = {.type = find_type(ctx, force), .d = *force, .joint = -1, .factor = -1};
    if (!f.type) {
        return DAL_EINVAL;
    }
    const int n = model->force_names.n;
    dal_status st = prepare(model, &f, force);
    f.d.name = f.d.type = f.d.joint = NULL;
    st = st != DAL_OK ? st : mb_grow((void **)&model->force, &model->force_capacity, n, sizeof(mb_force), ctx);
    st = st != DAL_OK ? st : mb_names_add(&model->force_names, ctx, "force", force->name);
    if (st != DAL_OK) {
        mb_force_release(&f, ctx);
        return st;
    }
    model->force[n] = f;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}
