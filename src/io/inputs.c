/* Inputs of a model: variables at the end of the list that a simulation may change while it runs, by a binding of their own. */
#include <math.h>
#include <string.h>

#include "io/binding_impl.h"
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

/* Each of two bindings knows the values of the other as they were: an element that both act on can follow one of them only. */
static dal_status refuse_shared(const dal_data *data, const dal_binding *inputs, const dal_binding *other)
{
    for (int i = 0; i < inputs->nitems; ++i) {
        const io_item *item = &inputs->item[i];
        for (int k = 0; k < other->nitems; ++k) {
            if (other->item[k].kind == item->kind && other->item[k].number == item->number) {
                return dal_fail(data->ctx, DAL_EINVAL,
                                "%s: %s depends on inputs and on values that were set otherwise: name the inputs in "
                                "that binding, and set all of them by it",
                                inputs->doc->source, item->path);
            }
        }
    }
    return DAL_OK;
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

void dal_io_take_inputs(const dal_binding *b, dal_data *data, const double *values)
{
    data->bound = b;
    for (int k = 0; k < data->sys->ninputs; ++k) {
        const int value = value_of(b, data->sys->input[k].name);
        data->input[k] = value >= 0 ? values[value] : data->input[k];
    }
}

static dal_status set_inputs(dal_data *data, const double *u, void *user)
{
    if (data->bound != NULL) {
        DAL_TRY(refuse_shared(data, user, data->bound));
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

/* All else of the model has been read. */
dal_status dal_io_inputs(io_loader *L, const io_node *root)
{
    dal_document *doc = L->doc;
    dal_system_input *input;
    const char **name;
    io_node at;
    if (doc->ninputs == 0) {
        return DAL_OK;
    }
    io_variable *v = doc->variables.item + doc->variables.n - doc->ninputs;
    dal_io_member(&at, root, "inputs");
    DAL_TAKE(L->scratch, input, doc->ninputs);
    DAL_TAKE(L->scratch, name, doc->ninputs);
    for (int k = 0; k < doc->ninputs; ++k) {
        const io_node child = dal_io_item(&at, (size_t)k);
        name[k] = v[k].name;
        DAL_TRY(read_input(L, &input[k], &v[k], &child));
    }
    DAL_TRY(dal_binding_create(&doc->inputs, doc->ctx, doc, name, doc->ninputs));
    return dal_model_set_inputs(doc->model, input, doc->ninputs, set_inputs, doc->inputs);
}
