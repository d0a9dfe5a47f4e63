/* Outputs of a model: adding and evaluating them. */
#include <stdio.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/derivative.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"
#include "mbs/output_impl.h"
#include "system/data.h"

enum { COMPONENT = 16 };

static const char *type_name(int k)
{
    return k < mb_noutput_types ? mb_output_types[k].name : NULL;
}

static dal_status of_body(dal_model *m, mb_output *o, const dal_output *d)
{
    if (d->body < 1 || d->body >= m->body_names.n) {
        return dal_fail(m->ctx, DAL_EINVAL, "output '%s': there is no moving body number %d", d->name, d->body);
    }
    DAL_TRY(mb_check_frame(m->ctx, "output", d->name, &d->frame));
    o->marker = mb_marker_of(d->body, &d->frame);
    if (!mb_sequence(o->axis, d->sequence ? d->sequence : "xyz")) {
        return dal_fail(m->ctx, DAL_EINVAL, "output '%s': sequence '%s' must be three of x, y, z, such as \"xyz\"",
                        d->name, d->sequence);
    }
    return DAL_OK;
}

static dal_status of_modes(dal_model *m, mb_output *o, const dal_output *d)
{
    DAL_TRY(of_body(m, o, d));
    const mb_flex *flex = m->body[d->body].flex;
    if (!flex) {
        return dal_fail(m->ctx, DAL_EINVAL, "output '%s': body '%s' is not flexible", d->name,
                        m->body_names.name[d->body]);
    }
    return o->type->of == MB_OF_MODES || flex->nrecovery > 0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "output '%s': body '%s' has no recovery matrix", d->name,
                          m->body_names.name[d->body]);
}

/* The body whose force or torque is wanted. */
static dal_status find_side(dal_model *m, mb_output *o, const dal_output *d)
{
    const mb_joint *j = &m->joint[o->joint];
    if (!j->type->free_bodies) {
        return d->body == 0
                   ? DAL_OK
                   : dal_fail(m->ctx, DAL_EINVAL,
                              "output '%s': forces of a %s joint are those on its body B; only a pfaffian joint "
                              "has more to choose from",
                              d->name, j->type->name);
    }
    if (!j->type->wrench) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "output '%s': joint '%s' acts on several bodies; ask for the forces of the joints it couples, or "
            "for its multipliers",
            d->name, d->joint);
    }
    o->side = j->d.nbodies - 1;
    for (int k = 0; k < j->d.nbodies && d->body != 0; ++k) {
        if (j->bodies[k] == d->body) {
            o->side = k;
            return DAL_OK;
        }
    }
    return d->body == 0 ? DAL_OK
                        : dal_fail(m->ctx, DAL_EINVAL, "output '%s': joint '%s' does not act on body number %d",
                                   d->name, d->joint, d->body);
}

static dal_status of_joint(dal_model *m, mb_output *o, const dal_output *d)
{
    o->joint = mb_names_find(&m->joint_names, d->joint);
    if (o->joint < 0) {
        const dal_status st = mb_names_missing(&m->joint_names, m->ctx, "joint", d->joint);
        return dal_fail_in(m->ctx, st, "output '%s'", d->name);
    }
    if (o->type->of == MB_OF_CONTACT && !m->joint[o->joint].type->contact) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "output '%s': joint '%s' is of type %s and has no contact point; a rolling_disk, rolling_sphere "
            "or wheel has one",
            d->name, d->joint, m->joint[o->joint].type->name);
    }
    if (o->type->of == MB_OF_TOUCH) {
        const mb_joint *j = &m->joint[o->joint];
        if (!j->type->unilateral) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "output '%s': joint '%s' is of type %s and no contact; contact, sphere_contact, rope, "
                            "limit, clutch and brake are",
                            d->name, d->joint, j->type->name);
        }
        if (j->d.coordinate != DAL_COORDINATE_DEFAULT) {
            o->row = mb_coordinate_row(j->d.coordinate, j->d.axis); // for the unit
        }
    }
    if (o->type->of == MB_OF_FRAMES) {
        DAL_TRY(find_side(m, o, d));
    }
    if (o->type->of == MB_OF_FORCE) {
        const mb_joint *j = &m->joint[o->joint];
        if (j->type->unilateral || mb_joint_row_count(m, o->joint) != 1) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "output '%s': joint '%s' of type %s has no single force; ask for its %s", d->name, d->joint,
                            j->type->name, j->type->unilateral ? "p_n or p_t" : "force and torque");
        }
        if (j->d.coordinate != DAL_COORDINATE_DEFAULT) {
            o->row = mb_coordinate_row(j->d.coordinate, j->d.axis); // for the unit
        }
    }
    if (o->type->of == MB_OF_COORDINATE) {
        mb_marker marker[2];
        dal_coordinate coordinate = d->coordinate;
        int axis = d->axis;
        if (coordinate == DAL_COORDINATE_DEFAULT && m->joint[o->joint].d.coordinate != DAL_COORDINATE_DEFAULT) {
            coordinate = m->joint[o->joint].d.coordinate; // what a motion drives
            axis = m->joint[o->joint].d.axis;
        }
        const mb_scope scope = mb_scope_of_model(m);
        DAL_TRY(mb_joint_reference(&scope, &coordinate, &axis, marker, NULL, "output", d->name, d->joint));
        o->row = mb_coordinate_row(coordinate, axis);
    }
    return DAL_OK;
}

static dal_status of_force(dal_model *m, mb_output *o, const dal_output *d)
{
    o->force = mb_names_find(&m->force_names, d->force);
    if (o->force < 0) {
        const dal_status st = mb_names_missing(&m->force_names, m->ctx, "force", d->force);
        return dal_fail_in(m->ctx, st, "output '%s'", d->name);
    }
    if (o->type->of == MB_OF_STATE && !m->force[o->force].type->state && !m->force[o->force].type->keep) {
        return dal_fail(m->ctx, DAL_EINVAL, "output '%s': force '%s' is of type %s and has no state", d->name, d->force,
                        m->force[o->force].type->name);
    }
    return o->type->of == MB_OF_ELEMENT || m->force[o->force].type->value
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "output '%s': force '%s' is of type %s and has no single value", d->name,
                          d->force, m->force[o->force].type->name);
}

static dal_status of_beam(dal_model *m, mb_output *o, const dal_output *d)
{
    o->beam = mb_beam_place(m, &o->place, d->beam);
    return o->beam >= 0
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL,
                          "output '%s': '%s' is no place on a beam; write \"name@0.5\" with a part of its length "
                          "from 0 to 1",
                          d->name, d->beam ? d->beam : "");
}

static dal_status resolve(dal_model *m, mb_output *o, const dal_output *d)
{
    switch (o->type->of) {
    case MB_OF_BODY:
        return of_body(m, o, d);
    case MB_OF_MODES:
    case MB_OF_RECOVERY:
        return of_modes(m, o, d);
    case MB_OF_FRAMES:
    case MB_OF_COORDINATE:
    case MB_OF_ROWS:
    case MB_OF_REACTIONS:
    case MB_OF_CONTACT:
    case MB_OF_TOUCH:
        return of_joint(m, o, d);
    case MB_OF_STATE:
        return of_force(m, o, d);
    case MB_OF_BEAM:
        return of_beam(m, o, d);
    case MB_OF_FORCE:
    case MB_OF_ELEMENT:
        return d->joint ? of_joint(m, o, d) : of_force(m, o, d);
    default:
        return DAL_OK;
    }
}

/* ---- components ------------------------------------------------------------------------------- */

static int count_of(const dal_model *m, const mb_output *o)
{
    switch (o->type->of) {
    case MB_OF_ROWS:
    case MB_OF_REACTIONS:
        return mb_joint_row_count(m, o->joint);
    case MB_OF_TOUCH:
        return o->type->n > 0 ? o->type->n : mb_contact_count(m, o->joint);
    case MB_OF_MODES:
        return dal_model_modes(m, NULL, NULL, o->marker.body);
    case MB_OF_RECOVERY:
        return m->body[o->marker.body].flex->nrecovery;
    default:
        return o->type->n;
    }
}

static void component_name(char *buffer, size_t size, const mb_output *o, int k)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
    const int vector = o->type->n == 3 || o->type->n == 4;
    if (o->all == 1) {
        snprintf(buffer, size, "%s", "");
    } else if (strcmp(o->type->name, "euler_angles") == 0) { // by the axes of the sequence: z, y, x or z1, x, z2
        snprintf(buffer, size, o->axis[0] == o->axis[2] && k != 1 ? "%s%d" : "%s", xyz[o->axis[k]], k / 2 + 1);
    } else if (vector) {
        snprintf(buffer, size, "%s", o->type->n == 3 ? xyz[k] : wxyz[k]);
    } else if (o->type->n == 9) { // a matrix, row after row
        snprintf(buffer, size, "%d%d", k / 3 + 1, k % 3 + 1);
    } else {
        snprintf(buffer, size, "%d", k + 1);
    }
}

/* One of the values, or all of them. */
static dal_status choose(dal_ctx *ctx, mb_output *o, const dal_output *d)
{
    char name[COMPONENT], first[COMPONENT], last[COMPONENT];
    o->part = -1;
    o->n = o->all;
    if (!d->component) {
        return DAL_OK;
    }
    if (o->all > MB_COMPONENTS) {
        return dal_fail(ctx, DAL_EINVAL, "output '%s': it has %d values, too many to select one; take them all",
                        d->name, o->all);
    }
    for (int k = 0; k < o->all; ++k) {
        component_name(name, sizeof name, o, k);
        if (name[0] != '\0' && strcmp(name, d->component) == 0) {
            o->part = k;
            o->n = 1;
            return DAL_OK;
        }
    }
    if (o->all == 1) {
        return dal_fail(ctx, DAL_EINVAL, "output '%s': %s has no components", d->name, o->type->name);
    }
    component_name(first, sizeof first, o, 0);
    component_name(last, sizeof last, o, o->all - 1);
    return dal_fail(ctx, DAL_EINVAL, "output '%s': %s has no component '%s'; it has %s to %s", d->name, o->type->name,
                    d->component, first, last);
}

void dal_model_output_component(const dal_model *model, char *buffer, size_t size, int number, int k)
{
    if (!model || !buffer) {
        return;
    }
    const mb_output *o = number >= 0 && number < model->output_names.n ? &model->output[number] : NULL;
    if (o && o->part < 0 && k >= 0 && k < o->n) {
        component_name(buffer, size, o, k);
    } else {
        snprintf(buffer, size, "%s", "");
    }
}

dal_status mb_output_make(dal_model *m, mb_output *o, const dal_output *d)
{
    const int type = mb_type_find(m->ctx, "output", d->name, "quantity", d->quantity, type_name);
    if (type < 0) {
        return DAL_EINVAL;
    }
    *o = (mb_output){.type = &mb_output_types[type], .d = *d, .joint = -1, .force = -1};
    DAL_TRY(resolve(m, o, d));
    o->all = count_of(m, o);
    DAL_TRY(choose(m->ctx, o, d));
    o->d.name = o->d.quantity = o->d.joint = o->d.force = o->d.sequence = o->d.component = o->d.beam = NULL;
    return DAL_OK;
}

dal_status dal_model_add_output_(dal_model *model, int *number, const dal_output *output, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, output);
    DAL_OWN(model->ctx, dal_output, output);
    mb_output o;
    DAL_TRY(mb_names_check(model, &model->output_names, "output", output->name));
    DAL_TRY(mb_output_make(model, &o, output));
    o.first = model->noutput_values;
    const int n = model->output_names.n;
    DAL_GROW(model->ctx, model->output, model->output_capacity, n + 1);
    DAL_TRY(mb_names_add(&model->output_names, &model->pool, output->name));
    model->output[n] = o;
    model->noutput_values += o.n;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}

int dal_model_output_count(const dal_model *model)
{
    return model ? model->output_names.n : 0;
}

int dal_model_output_size(const dal_model *model)
{
    return model ? model->noutput_values : 0;
}

dal_output_info dal_model_output_info(const dal_model *model, int number)
{
    if (!model || number < 0 || number >= model->output_names.n) {
        return (dal_output_info){0};
    }
    const mb_output *o = &model->output[number];
    const mb_row *row = o->force >= 0 ? &model->force[o->force].row : &o->row; // of a coordinate
    return (dal_output_info){.name = model->output_names.name[number],
                             .unit = o->type->unit[row->type && row->type->angle],
                             .first = o->first,
                             .n = o->n,
                             .integral = o->type->rate != NULL};
}

/* Bodies' states and, where one of n outputs asks for them, the three levels of all rows. wanted NULL: all of them. */
static dal_status evaluate(mb_instance *m, const mb_output *o, int n, const char *wanted, const dal_point *at)
{
    int rows = 0;
    for (int k = 0; k < n; ++k) {
        rows |= o[k].type->of == MB_OF_ROWS && (!wanted || wanted[k]);
    }
    if (!rows) {
        DAL_TRY(mb_settled(m));
        mb_states(m, at);
        return DAL_OK;
    }
    // nonholonomic rows have no Phi
    const size_t nc = (size_t)m->nc;
    memset(m->rows, 0, 3 * nc * sizeof(double));
    const dal_residual out = {.Phi = m->rows, .vel = m->rows + nc, .acc = m->rows + 2 * nc};
    return mb_residual(&out, at, m->of, m);
}

static void value_of(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    if (o->part < 0) {
        o->type->value(y, o, m, at);
    } else {
        double all[MB_COMPONENTS];
        o->type->value(all, o, m, at);
        *y = all[o->part];
    }
}

static dal_status outputs(mb_instance *m, const dal_point *at, const char *wanted, double *values)
{
    DAL_TRY(evaluate(m, m->output, m->noutputs, wanted, at));
    m->st = DAL_OK;
    for (int k = 0; k < m->noutputs; ++k) {
        if (!wanted || wanted[k]) {
            value_of(values + m->output[k].first, &m->output[k], m, at);
        }
    }
    return m->st;
}

dal_status mb_output_watch(mb_instance *m, const dal_point *at)
{
    const mb_output *o = m->output + m->noutputs;
    const int n = m->of->events->noutputs;
    DAL_TRY(evaluate(m, o, n, NULL, at));
    m->st = DAL_OK;
    for (int k = 0; k < n; ++k) {
        value_of(&m->seen_inputs[k], &o[k], m, at);
    }
    return m->st;
}

dal_status dal_model_outputs(const dal_model *model, dal_data *data, double *values, const dal_point *at)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, values);
    DAL_NEED_POINT(model->ctx, at, &model->system);
    dal_data *own;
    mb_instance *m;
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    st = st == DAL_OK ? outputs(m, at, NULL, values) : st;
    dal_data_destroy(own);
    return st;
}

dal_status mb_outputs_wanted(dal_data *data, double *values, const dal_point *at, const char *wanted)
{
    mb_instance *m = mb_instance_in(data);
    return m ? outputs(m, at, wanted, values) : DAL_EINVAL;
}
