/* The variables of a unit, in the order of their value references: time, inputs, parameters, outputs, states and their derivatives. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fmu/fmu.h"

enum { NAME = 24 }; /* of a state: "der(v123456789)" */

void fmu_token(char token[FMU_TOKEN], const char *text, const char *settings)
{
    uint64_t h = UINT64_C(14695981039346656037); // FNV-1a
    for (int k = 0; k < 2; ++k) {
        for (const char *c = k == 0 ? text : settings; *c != '\0'; ++c) {
            h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
        }
    }
    snprintf(token, FMU_TOKEN, "{%016llx}", (unsigned long long)h);
}

static dal_status bind(fmu_model *m, const fmu_source *from)
{
    const int n = from->nparameters + m->ninputs;
    if (from->nparameters == 0) {
        return DAL_OK;
    }
    const char **name = dal_alloc(m->ctx, (size_t)n * sizeof *name);
    if (name == NULL) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for %d parameters", n);
    }
    for (int k = 0; k < n; ++k) {
        const int input = k - from->nparameters;
        name[k] = input < 0 ? from->parameter[k] : m->sys->input[input].name;
    }
    const dal_status st = dal_binding_create(&m->binding, m->ctx, m->doc, name, n);
    dal_free(m->ctx, (void *)name);
    return st;
}

/* What only steps of the library can do. */
static const char *only_inside(const fmu_model *m)
{
    for (int k = 0; k < dal_channels_output_count(m->channels); ++k) {
        if (dal_model_output_info(m->model, k).integral) {
            return "outputs that are integrals over time";
        }
    }
    for (int k = 0; k < dal_model_report(m->model).forces; ++k) {
        dal_force force;
        if (dal_model_force_info(m->model, &force, k) == DAL_OK && strcmp(force.type, "delay") == 0) {
            return "delays";
        }
    }
    const int captured = dal_document_options(m->doc)->impacts == DAL_IMPACTS_CAPTURED;
    return captured && (m->sys->contacts.n > 0 || m->sys->contacts.touches) ? "impacts captured in steps" : NULL;
}

static void add(fmu_model *m, const char *name, const char *unit, fmu_kind kind, int index)
{
    m->variable[m->n++] =
        (fmu_variable){.name = name, .unit = unit, .kind = kind, .index = index, .min = -INFINITY, .max = INFINITY};
}

/* q1 .. v1 .., der(q1) .. and z1 .. */
static void add_states(fmu_model *m)
{
    const int nq = m->sys->group->nq;
    char *name = m->names;
    for (int k = 0; k < 2 * m->nstates; ++k, name += NAME) {
        const int i = k % m->nstates;
        snprintf(name, NAME, k < m->nstates ? "%c%d" : "der(%c%d)", i < nq ? 'q' : 'v', i < nq ? i + 1 : i - nq + 1);
        add(m, name, "", k < m->nstates ? FMU_STATE : FMU_DERIVATIVE, i);
    }
    for (int k = 0; k < m->nindicators; ++k, name += NAME) {
        snprintf(name, NAME, "z%d", k + 1);
        add(m, name, "", FMU_INDICATOR, k);
    }
}

static dal_status list(fmu_model *m, const fmu_source *from)
{
    const size_t named = 2 * (size_t)m->nstates + (size_t)m->nindicators;
    double *values = dal_alloc(m->ctx, ((size_t)m->nparameters + (size_t)m->ninputs + 1) * sizeof *values);
    m->variable = dal_alloc_zero(
        m->ctx, (1 + (size_t)m->ninputs + (size_t)m->nparameters + (size_t)m->noutputs + named) * sizeof *m->variable);
    m->names = dal_alloc(m->ctx, named * NAME + 1);
    if (values == NULL || m->variable == NULL || m->names == NULL) {
        dal_free(m->ctx, values);
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for the variables");
    }
    add(m, "time", "s", FMU_TIME, 0);
    for (int k = 0; k < m->ninputs; ++k) {
        const dal_system_input *input = &m->sys->input[k];
        add(m, input->name, input->unit, FMU_INPUT, k);
        m->variable[m->n - 1].start = input->value;
        m->variable[m->n - 1].min = input->min;
        m->variable[m->n - 1].max = input->max;
    }
    if (m->binding != NULL) {
        dal_binding_values(m->binding, values);
    }
    for (int k = 0; k < m->nparameters; ++k) {
        add(m, from->parameter[k], "", FMU_PARAMETER, k);
        m->variable[m->n - 1].start = values[k];
        for (int i = 0; i < dal_document_variable_count(m->doc); ++i) {
            const dal_variable v = dal_document_variable(m->doc, i);
            m->variable[m->n - 1].unit = strcmp(v.name, from->parameter[k]) == 0 ? v.unit : m->variable[m->n - 1].unit;
        }
    }
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_channel c = dal_channels_get(m->channels, k);
        add(m, c.name, c.unit, FMU_OUTPUT, k);
    }
    add_states(m);
    dal_free(m->ctx, values);
    return DAL_OK;
}

dal_status fmu_model_load(fmu_model *m, const fmu_source *from)
{
    const dal_load_options how = {.set = from->set, .nset = from->nset, .text = from->text};
    DAL_TRY(dal_document_open_with(&m->doc, m->ctx, from->name, &how));
    m->model = dal_document_model(m->doc);
    DAL_TRY(dal_channels_create(&m->channels, m->ctx, m->model));
    DAL_TRY(dal_model_compile(m->model, &m->sys));
    DAL_TRY(dal_channels_bind(m->channels, m->sys));
    DAL_TRY(dal_document_assemble(m->doc, NULL, m->sys));
    int first;
    m->ninputs = m->sys->ninputs;
    m->nparameters = from->nparameters;
    m->noutputs = dal_channels_table(m->channels, &first, DAL_RECORD_OUTPUTS);
    m->only_inside = only_inside(m);
    m->nstates = m->only_inside == NULL ? m->sys->group->nq + m->sys->group->nv : 0;
    m->nindicators = m->only_inside == NULL ? dal_sim_indicator_count(m->sys) : 0;
    DAL_TRY(bind(m, from));
    return list(m, from);
}

void fmu_only_co_simulation(fmu_model *m, const char *why)
{
    m->n -= 2 * m->nstates + m->nindicators; // the last ones
    m->nstates = m->nindicators = 0;
    snprintf(m->why, sizeof m->why, "%s", why);
}

void fmu_model_release(fmu_model *m)
{
    dal_free(m->ctx, m->variable);
    dal_free(m->ctx, m->names);
    dal_binding_destroy(m->binding);
    dal_channels_destroy(m->channels);
    dal_document_destroy(m->doc);
}
