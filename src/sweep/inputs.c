/* Outputs of a model that a sweep asks for, by name. */
#include <stdio.h>
#include <string.h>

#include "sweep/sweep_impl.h"

enum { NAMES = 2000, LONG = 700 };

/* An output of the model has the name, or the name without its last piece; then *component is that piece. */
static int find_output(const dal_model *model, const char *name, int *component)
{
    for (int i = 0; i < dal_model_output_count(model); ++i) {
        const dal_output_info info = dal_model_output_info(model, i);
        const size_t n = strlen(info.name);
        if (strcmp(info.name, name) == 0) {
            *component = info.n == 1 ? 0 : -1;
            return i;
        }
        if (strncmp(info.name, name, n) == 0 && name[n] == '.') {
            for (int k = 0; k < info.n; ++k) {
                char piece[32];
                dal_model_output_component(model, piece, sizeof piece, i, k);
                if (strcmp(piece, name + n + 1) == 0) {
                    *component = k;
                    return i;
                }
            }
        }
    }
    return -1;
}

/* Add "element.quantity" or "quantity" to the model, of whatever has that name. */
static int add_quantity(dal_model *model, const char *name, const char *element, const char *quantity)
{
    dal_output output = {.name = name, .quantity = quantity, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (element == NULL) {
        return dal_model_add_output(model, NULL, &output) == DAL_OK;
    }
    output.body = dal_model_find_body(model, element);
    if (output.body >= 0 && dal_model_add_output(model, NULL, &output) == DAL_OK) {
        return 1;
    }
    output.body = 0;
    output.joint = dal_model_find_joint(model, element) >= 0 ? element : NULL;
    if (output.joint != NULL && dal_model_add_output(model, NULL, &output) == DAL_OK) {
        return 1;
    }
    output.joint = NULL;
    output.force = dal_model_find_force(model, element) >= 0 ? element : NULL;
    if (output.force != NULL && dal_model_add_output(model, NULL, &output) == DAL_OK) {
        return 1;
    }
    output.force = NULL;
    output.beam = strchr(element, '@') != NULL ? element : NULL;
    return output.beam != NULL && dal_model_add_output(model, NULL, &output) == DAL_OK;
}

/* "element.quantity", without a component. */
static int add_output(dal_model *model, const char *name)
{
    char element[LONG];
    if (strlen(name) >= sizeof element) {
        return 0;
    }
    snprintf(element, sizeof element, "%s", name);
    char *point = strrchr(element, '.');
    if (point != NULL) {
        *point = '\0';
    }
    return point != NULL ? add_quantity(model, name, element, point + 1) : add_quantity(model, name, NULL, name);
}

static int find_or_add(dal_model *model, const char *name, int *component)
{
    int i = find_output(model, name, component);
    char vector[LONG];
    if (i >= 0) {
        return i;
    }
    // the whole of it, or the vector that it is a component of
    snprintf(vector, sizeof vector, "%.600s", name);
    char *point = strrchr(vector, '.');
    if (!add_output(model, name)) {
        if (point == NULL) {
            return -1;
        }
        *point = '\0';
        if (find_output(model, vector, component) >= 0 || !add_output(model, vector)) {
            return -1;
        }
    }
    i = find_output(model, name, component);
    return i;
}

static dal_status no_output(const char *name, dal_ctx *ctx, const dal_model *model)
{
    const char *word[NAMES];
    int n = 0;
    for (; n < dal_model_output_count(model) && n < NAMES; ++n) {
        word[n] = dal_model_output_info(model, n).name;
    }
    const char *near = dal_nearest(name, word, n);
    return dal_fail(ctx, DAL_EOPTION,
                    near ? "the model has no output '%s' (did you mean '%s'?)"
                         : "the model has no output '%s', and nothing of that name can be made one%s",
                    name, near ? near : "");
}

dal_status dal_sweep_inputs_add(sweep_input *input, const sweep_plan *plan, dal_ctx *ctx, dal_model *model)
{
    for (int k = 0; k < plan->ninputs; ++k) {
        sweep_input *in = &input[k];
        *in = (sweep_input){.output = -1};
        in->output = find_or_add(model, plan->input[k], &in->component);
        if (in->output < 0 && strcmp(plan->input[k], "t") != 0) {
            return no_output(plan->input[k], ctx, model);
        }
        dal_ctx_clear(ctx);
        if (in->output >= 0 && in->component < 0 && dal_model_output_info(model, in->output).n != 3) {
            return dal_fail(ctx, DAL_EOPTION, "'%s' has %d components: say which one, '%s.1' or the like",
                            plan->input[k], dal_model_output_info(model, in->output).n, plan->input[k]);
        }
    }
    return DAL_OK;
}

void dal_sweep_inputs_bind(sweep_input *input, const sweep_plan *plan, const dal_model *model)
{
    for (int k = 0; k < plan->ninputs; ++k) {
        if (input[k].output >= 0) {
            const dal_output_info info = dal_model_output_info(model, input[k].output);
            input[k].first = info.first + (input[k].component > 0 ? input[k].component : 0);
            input[k].n = input[k].component < 0 ? 3 : 1;
        }
    }
}
