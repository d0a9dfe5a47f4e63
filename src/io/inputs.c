/* Inputs of a model: variables at the end of the list that a simulation may change while it runs, by a binding of their own. */
#include <math.h>
#include <string.h>

#include "io/binding_impl.h"
#include "io/follow.h"
#include "io/forms.h"
#include "system/data.h"

/* ---- beside other values ---------------------------------------------------------------------- */

/* The number of a variable among the values of a binding, or -1. */
static int value_of(const dal_binding *b, const char *name)
{
    int k = b->n - 1;
    while (k >= 0 && strcmp(b->name[k], name) != 0) {
        --k;
    }
    return k;
}

/* An element that both bindings act on, or NULL. */
static const io_item *shared_by(const dal_binding *inputs, const dal_binding *other)
{
    for (int i = 0; i < inputs->nitems; ++i) {
        const io_item *item = &inputs->item[i];
        for (int k = 0; k < other->nitems; ++k) {
            if (other->item[k].kind == item->kind && other->item[k].number == item->number) {
                return item;
            }
        }
    }
    return NULL;
}

const char *dal_binding_beside_inputs(const dal_binding *binding)
{
    const dal_binding *inputs = binding->doc->inputs;
    const io_item *item = inputs != NULL ? shared_by(inputs, binding) : NULL;
    return item != NULL ? item->path : NULL;
}

/* Each of two bindings knows the values of the other as they were: an element that both act on can follow one of them only. */
static dal_status refuse_shared(const dal_data *data, const dal_binding *inputs, const dal_binding *other)
{
    const io_item *item = shared_by(inputs, other);
    return item == NULL ? DAL_OK
                        : dal_fail(data->ctx, DAL_EINVAL,
                                   "%s: %s depends on inputs and on values that were set otherwise: name the inputs "
                                   "in that binding, and set all of them by it",
                                   inputs->doc->source, item->path);
}

dal_status dal_io_beside_inputs(const dal_binding *b, const dal_data *data, const double *values)
{
    int apart = 0;
    for (int k = 0; k < data->sys->ninputs; ++k) {
        const dal_system_input *input = &data->sys->input[k];
        const int value = value_of(b, input->name);
        apart |= value < 0 && data->input[k] != input->value;
        DAL_TRY(value >= 0 ? dal_input_check(data->ctx, input, values[value]) : DAL_OK);
    }
    return apart ? refuse_shared(data, b->doc->inputs, b) : DAL_OK;
}

dal_status dal_io_take_inputs(const dal_binding *b, dal_data *data, const double *values)
{
    DAL_GROW(data->ctx, data->bound_value, data->bound_room, b->n);
    data->bound = b;
    data->nbound = b->n;
    if (b->n > 0) {
        memcpy(data->bound_value, values, (size_t)b->n * sizeof *values);
    }
    for (int k = 0; k < data->sys->ninputs; ++k) {
        const int value = value_of(b, data->sys->input[k].name);
        data->input[k] = value >= 0 ? values[value] : data->input[k];
    }
    return DAL_OK;
}

/* Elements that a binding and the inputs act on, and all inputs are among its values: by that binding. */
static dal_status set_by_bound(dal_data *data, const dal_binding *inputs, const double *u)
{
    const dal_binding *b = data->bound;
    int all = data->nbound > 0;
    for (int k = 0; k < data->sys->ninputs && all; ++k) {
        all = value_of(b, data->sys->input[k].name) >= 0;
    }
    if (!all) {
        return refuse_shared(data, inputs, b);
    }
    for (int k = 0; k < data->sys->ninputs; ++k) {
        data->bound_value[value_of(b, data->sys->input[k].name)] = u[k];
    }
    return dal_io_set_values(b, data, data->bound_value);
}

static dal_status set_inputs(dal_data *data, const double *u, void *user)
{
    if (data->bound != NULL && shared_by(user, data->bound) != NULL) {
        // a start gives the inputs as they are: the binding that has them, too, has set its elements by them
        const int same = memcmp(u, data->input, (size_t)data->sys->ninputs * sizeof *u) == 0;
        return same ? DAL_OK : set_by_bound(data, user, u);
    }
    return dal_io_set_values(user, data, u);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* {"torque": 0} or {"torque": {"value": 0, "unit": "N m", "min": -5, "max": 5}} */
static dal_status read_input(io_loader *L, dal_system_input *input, io_variable *v, const io_node *at)
{
    io_limits limits = {.value = v->value, .min = -INFINITY, .max = INFINITY};
    char unit[IO_TEXT];
    char *kept;
    int there = 0;
    if (dal_json_is(at->json, DAL_JSON_OBJECT)) {
        DAL_TRY(dal_io_read(L, &limits, NULL, at, dal_io_form("model_input")));
        DAL_TRY(dal_io_text_if(L, unit, &there, at, "unit"));
    }
    DAL_TAKE_TEXT(&L->doc->pool, kept, there ? unit : "");
    v->unit = there ? kept : v->unit;
    *input = (dal_system_input){.name = v->name, .unit = kept, .value = v->value, .min = limits.min, .max = limits.max};
    if (!(input->min <= input->max)) {
        return dal_io_fail(L, at, "min = %g is above max = %g", input->min, input->max);
    }
    if (!(input->min <= input->value && input->value <= input->max)) { // which may have been given from outside
        return dal_io_fail(L, at, "%g is outside of its limits, %g to %g", input->value, input->min, input->max);
    }
    return DAL_OK;
}

/* Those of the model or a part, and of the parts in it. */
static dal_status read_list(io_loader *L, const io_node *root)
{
    io_node at;
    const size_t n = dal_io_member(&at, root, "inputs") ? dal_json_members(at.json) : 0;
    for (size_t k = 0; k < n; ++k) {
        const io_node child = dal_io_item(&at, k);
        char full[IO_TEXT];
        const io_variable *inputs = L->doc->variables.item + L->doc->variables.n - L->doc->ninputs;
        dal_io_full_name(L, full, child.key);
        io_variable *v = dal_io_variable_find(&L->doc->variables, full, strlen(full));
        DAL_TRY(read_input(L, &L->input[v - inputs], v, &child));
    }
    return dal_io_parts(L, root, read_list);
}

/* All else of the model has been read. */
dal_status dal_io_inputs(io_loader *L, const io_node *root)
{
    dal_document *doc = L->doc;
    dal_system_input *input;
    const char **name;
    if (doc->ninputs == 0) {
        return DAL_OK;
    }
    const io_variable *v = doc->variables.item + doc->variables.n - doc->ninputs;
    DAL_TAKE(L->scratch, input, doc->ninputs);
    DAL_TAKE(L->scratch, name, doc->ninputs);
    for (int k = 0; k < doc->ninputs; ++k) {
        name[k] = v[k].name;
    }
    L->input = input;
    DAL_TRY(read_list(L, root));
    DAL_TRY(dal_binding_create(&doc->inputs, doc->ctx, doc, name, doc->ninputs));
    return dal_model_set_inputs(doc->model, input, doc->ninputs, set_inputs, doc->inputs);
}
