/* Adding a joint to a model, and what other elements take from one. */
#include "base/message.h"
#include "mbs/mbs_impl.h"

dal_status mb_check_bodies(const mb_scope *s, const char *what, const char *name, int a, int b)
{
    const int n = s->of->body_names.n, bad = a < 0 || a >= n ? a : b;
    if (a < 0 || a >= n || b < 0 || b >= n) {
        return dal_fail(s->ctx, DAL_EINVAL, "%s '%s': there is no body number %d", what, name, bad);
    }
    return a != b ? DAL_OK
                  : dal_fail(s->ctx, DAL_EINVAL, "%s '%s': both frames are on body '%s'; connect two different bodies",
                             what, name, s->of->body_names.name[a]);
}

dal_status mb_joint_reference(const mb_scope *s, dal_coordinate *coordinate, int *axis, mb_marker marker[2],
                              int *number, const char *what, const char *name, const char *joint)
{
    const int k = mb_names_find(&s->of->joint_names, joint);
    if (k < 0) {
        const dal_status st = mb_names_missing(&s->of->joint_names, s->ctx, "joint", joint);
        return dal_fail_in(s->ctx, st, "%s '%s'", what, name ? name : "");
    }
    const mb_joint *j = &s->joint[k];
    if (j->type->free_bodies) {
        return dal_fail(s->ctx, DAL_EINVAL, "%s '%s': joint '%s' has no frames of its own to refer to", what, name,
                        joint);
    }
    memcpy(marker, j->marker, sizeof j->marker);
    if (*coordinate == DAL_COORDINATE_DEFAULT) {
        *coordinate = j->type->coordinate;
        *axis = j->type->axis;
    }
    if (*coordinate == DAL_COORDINATE_DEFAULT || *axis < 0 || *axis > 2) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "%s '%s': joint '%s' is of type %s; say which of its coordinates is meant (and axis 0, 1, 2)",
                        what, name, joint, j->type->name);
    }
    if (number) {
        *number = k;
    }
    return DAL_OK;
}

int mb_model_turns(const dal_model *model, dal_coordinate coordinate, const char *joint)
{
    const int k = joint != NULL ? mb_names_find(&model->joint_names, joint) : -1;
    if (coordinate == DAL_COORDINATE_DEFAULT && k >= 0) {
        const mb_joint *j = &model->joint[k];
        coordinate = j->type->coordinate != DAL_COORDINATE_DEFAULT ? j->type->coordinate : j->d.coordinate;
    }
    return coordinate == DAL_COORDINATE_DEFAULT ? -1 : coordinate == DAL_COORDINATE_ROTATION;
}

dal_status mb_joint_read(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    j->d = *d;
    j->d.name = j->d.type = j->d.joint = j->d.joint_1 = j->d.joint_2 = j->d.joint_3 = NULL;
    j->d.bodies = NULL;
    j->refers[0] = j->refers[1] = j->refers[2] = -1;
    if (!j->type->free_bodies) {
        DAL_TRY(mb_check_frame(s->ctx, "joint", d->name, &d->frame_a));
        DAL_TRY(mb_check_frame(s->ctx, "joint", d->name, &d->frame_b));
        j->marker[0] = mb_marker_of(d->body_a, &d->frame_a);
        j->marker[1] = mb_marker_of(d->body_b, &d->frame_b);
    }
    DAL_TRY(mb_check_ranges(s->ctx, "joint", d->name, &j->type->about, d));
    if (j->type->check) {
        DAL_TRY(j->type->check(s, j, d));
    }
    return j->type->free_bodies ? DAL_OK : mb_check_bodies(s, "joint", d->name, j->marker[0].body, j->marker[1].body);
}

/* A field that the type does not use was probably meant for another type or another joint. */
static void warn_of_unused(dal_model *m, const mb_joint *j, const dal_joint *d)
{
    const struct {
        const char *key;
        int given;
    } list[] = {{"length", d->length != 0.0},
                {"pitch", d->pitch != 0.0},
                {"radius", d->radius != 0.0},
                {"locked", d->locked != 0},
                {"ratio", d->ratio[0] != 0.0 || d->ratio[1] != 0.0 || d->ratio_3 != 0.0},
                {"rows", d->rows != NULL}};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        if (list[i].given && !mb_has_key(&j->type->about, list[i].key)) {
            dal_log(m->ctx, DAL_LOG_WARNING, "joint '%s': a joint of type '%s' has no %s; the value given is ignored",
                    d->name, j->type->name, list[i].key);
        }
    }
}

dal_status dal_model_add_joint_(dal_model *model, int *number, const dal_joint *joint, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, joint);
    DAL_OWN(model->ctx, dal_joint, joint);
    dal_ctx *ctx = model->ctx;
    DAL_TRY(mb_names_check(model, &model->joint_names, "joint", joint->name));
    const mb_scope scope = mb_scope_of_model(model);
    mb_joint j = {.type = mb_joint_type_find(ctx, joint)};
    if (!j.type) {
        return DAL_EINVAL;
    }
    DAL_TRY(mb_joint_read(&scope, &j, joint));
    warn_of_unused(model, &j, joint);
    const int n = model->joint_names.n;
    DAL_GROW(ctx, model->joint, model->joint_capacity, n + 1);
    DAL_TRY(mb_names_add(&model->joint_names, &model->pool, joint->name));
    model->joint[n] = j;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}
