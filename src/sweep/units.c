/* Units of parameters and of what is collected, as far as they follow from outputs. */
#include <stdio.h>
#include <string.h>

#include "io/expression_list.h"
#include "sweep/sweep_impl.h"

typedef const char *(*unit_of_input)(const dal_sweep *s, int input, char buffer[DAL_SWEEP_UNIT]);

/* The unit of an expression, in `unit`; 0: not known. Constants and parameters take that of what they are added to. */
static int find_unit(char unit[DAL_SWEEP_UNIT], const dal_sweep *s, const dal_expression *e, unit_of_input of)
{
    char name[8][DAL_SWEEP_UNIT];
    const char *of_node[8];
    if (e->n > 8) {
        return 0;
    }
    for (int k = 0; k < e->n; ++k) {
        const expression_node *node = &e->node[k];
        const int leaf = node->op == OP_INPUT || node->op == OP_CONSTANT; // a is the number of an input then
        const char *a = !leaf && node->a < k ? of_node[node->a] : NULL,
                   *b = !leaf && node->b < k ? of_node[node->b] : NULL;
        const int sum = node->op == OP_ADD || node->op == OP_SUBTRACT || node->op == OP_MIN || node->op == OP_MAX;
        if (leaf) {
            of_node[k] = node->op == OP_INPUT ? of(s, node->a, name[k]) : "";
        } else if (node->op == OP_NEGATE || node->op == OP_ABS) {
            of_node[k] = a;
        } else {
            of_node[k] = !sum || a == NULL || b == NULL      ? NULL
                         : a[0] == '\0' || strcmp(a, b) == 0 ? b
                         : b[0] == '\0'                      ? a
                                                             : NULL;
        }
    }
    const char *found = of_node[e->n - 1];
    snprintf(unit, DAL_SWEEP_UNIT, "%s", found != NULL ? found : "");
    return found != NULL;
}

static const char *unit_of_output(const dal_sweep *s, int input, char buffer[DAL_SWEEP_UNIT])
{
    if (input >= s->plan.ninputs) {
        return ""; // a parameter
    }
    const sweep_input *in = &s->input[input];
    const dal_output_info info = dal_model_output_info(dal_document_model(s->doc), in->output < 0 ? 0 : in->output);
    snprintf(buffer, DAL_SWEEP_UNIT, "%s", in->output < 0 ? "s" : info.unit);
    return buffer;
}

static const char *unit_of_reduction(const dal_sweep *s, int k, char buffer[DAL_SWEEP_UNIT])
{
    if (k >= s->plan.nreductions) {
        return "";
    }
    const sweep_reduction *r = &s->plan.reduction[k];
    switch (r->kind) {
    case REDUCE_TIME_OF:
    case REDUCE_TIME_OF_MIN:
    case REDUCE_TIME_OF_MAX:
    case REDUCE_SETTLE:
        return "s";
    case REDUCE_CROSSINGS:
        return "1";
    default:
        if (!find_unit(buffer, s, r->of, unit_of_output)) {
            return NULL;
        }
        if (r->kind == REDUCE_INTEGRAL && buffer[0] != '\0') {
            const int alone = strcmp(buffer, "1") == 0;
            snprintf(buffer + (alone ? 0 : strlen(buffer)), alone ? 2 : DAL_SWEEP_UNIT - strlen(buffer),
                     alone ? "s" : " s");
        }
        return buffer;
    }
}

void dal_sweep_collect_unit(const dal_sweep *s, char unit[DAL_SWEEP_UNIT], int k)
{
    if (unit == NULL) {
        return;
    }
    unit[0] = '\0';
    if (s != NULL && s->doc != NULL && s->planned && k >= 0 && k < s->plan.ncolumns) {
        (void)find_unit(unit, s, s->plan.value[k], unit_of_reduction);
    }
}

void dal_sweep_parameter_unit(const dal_sweep *s, char unit[DAL_SWEEP_UNIT], int k)
{
    const char *name = s != NULL ? dal_sweep_parameter_name(s, k) : NULL;
    if (unit == NULL) {
        return;
    }
    unit[0] = '\0';
    for (int i = 0; name != NULL && s->doc != NULL && i < dal_document_variable_count(s->doc); ++i) {
        const dal_variable v = dal_document_variable(s->doc, i);
        if (v.name != NULL && strcmp(v.name, name) == 0) {
            snprintf(unit, DAL_SWEEP_UNIT, "%s", v.unit != NULL ? v.unit : "");
        }
    }
}
