/* Units of generated code: the program of the model and what makes a unit of it, as one C file that needs no library. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dalembert/generate.h"
#include "fmu/fmu.h"

/* A text as a literal of C. */
static void put_literal(dal_text *t, const char *text)
{
    dal_text_put(t, "\"");
    for (; *text != '\0'; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (isalnum(c) || (c < 127 && strchr(" _.,:;()[]{}<>=+-*/^%&|!~#'@", c) != NULL)) {
            dal_text_put_n(t, text, 1);
        } else {
            dal_text_print(t, "\\%03o", (unsigned)c);
        }
    }
    dal_text_put(t, "\"");
}

static void put_number(dal_text *t, double x)
{
    dal_text_print(t, isinf(x) ? x > 0.0 ? ", INFINITY" : ", -INFINITY" : ", %.17g", x);
}

/* A file of ours without what it includes of ours; but for what both versions have. */
static void put_file(dal_text *t, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        const size_t n = strcspn(line, "\n") + 1;
        if (strncmp(line, "#include \"fmu/both.h\"", 21) == 0) {
            dal_text_put(t, fmu_own_texts()->both_h);
        } else if (strncmp(line, "#include \"", 10) != 0) {
            dal_text_put_n(t, line, strlen(line) < n ? strlen(line) : n);
        }
        line += strlen(line) < n ? strlen(line) : n;
    }
    dal_text_put(t, "\n");
}

/* The functions of a text get a prefix: names that begin with a word and that a parenthesis follows, or that are in a list. */
static void put_prefixes(dal_text *t, const char *text, const char *word, const char *identifier)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL;) {
        size_t n = strlen(word);
        while (isalnum((unsigned char)at[n]) || at[n] == '_') {
            ++n;
        }
        const int listed = at - text > 7 && (strncmp(at - 7, "REFUSE(", 7) == 0 || strncmp(at - 3, " X(", 3) == 0);
        if (n > strlen(word) && (at[n] == '(' || listed)) {
            dal_text_print(t, "#define %.*s %s_%.*s\n", (int)n, at, identifier, (int)n, at);
        }
        at += n;
    }
}

/* Units may be linked into one program. Functions of the standard have a prefix, which the standard lets one do without: for shared objects. */
static void put_names(dal_text *t, const char *identifier, int version)
{
    static const char *const of_program[] = {
        "step",    "init", "default", "start",       "start_members", "change",     "inputs", "set_input",  "energy",
        "outputs", "run",  "run_to",  "run_through", "first_events",  "indicators", "accept", "next_event", "switch"};
    const fmu_texts *own = fmu_own_texts();
    dal_text_print(t, "#ifndef FMI%d_OVERRIDE_FUNCTION_PREFIX\n", version);
    put_prefixes(t, version == 3 ? own->fmi3_h : own->fmi2_h, version == 3 ? "fmi3" : "fmi2", identifier);
    put_prefixes(t, version == 3 ? own->fmi3_c : own->fmi2_c, version == 3 ? "fmi3" : "fmi2", identifier);
    dal_text_put(t, "#endif\n");
    put_prefixes(t, own->instance_h, "fmu_", identifier);
    put_prefixes(t, own->engine_h, "fmu_", identifier);
    for (size_t k = 0; k < sizeof of_program / sizeof of_program[0]; ++k) {
        dal_text_print(t, "#define model_%s %s_model_%s\n", of_program[k], identifier, of_program[k]);
    }
    dal_text_put(t, "#include <float.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include "
                    "<stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
                    "#ifdef __GNUC__\n#pragma GCC visibility push(hidden)\n#endif\n\n");
}

/* Where number k of the outputs of the model is among those of the program; -1: nowhere. */
static int place_of(const fmu_model *m, const dal_program *p, int k)
{
    for (int i = 0; i < dal_model_output_count(m->model); ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        if (k >= info.first && k < info.first + info.n) {
            const int at = dal_program_output(p, info.name);
            return at < 0 ? -1 : at + k - info.first;
        }
    }
    return -1;
}

static dal_status put_variables(dal_text *t, const fmu_model *m, const dal_program *p)
{
    dal_text_put(t, "static const fmu_variable unit_variable[] = {\n");
    for (int k = 0; k < m->n; ++k) {
        const fmu_variable *v = &m->variable[k];
        const int index = v->kind == FMU_OUTPUT ? place_of(m, p, v->index) : v->index;
        if (index < 0) {
            return dal_fail(m->ctx, DAL_EINVAL, "the output '%s' is not for generated programs", v->name);
        }
        dal_text_put(t, "    {");
        put_literal(t, v->name);
        dal_text_put(t, ", ");
        put_literal(t, v->unit);
        dal_text_print(t, ", (fmu_kind)%d, %d", (int)v->kind, index);
        put_number(t, v->start);
        put_number(t, v->min);
        put_number(t, v->max);
        dal_text_put(t, "},\n");
    }
    dal_text_put(t, "};\n");
    return DAL_OK;
}

static dal_status put_unit(dal_text *t, const fmu_model *m, const dal_program *p, const char *token, int version)
{
    char identifier[128];
    const fmu_texts *own = fmu_own_texts();
    fmu_identifier(identifier, sizeof identifier, dal_document_name(m->doc));
    dal_text_print(t,
                   "/* %s: a functional mock-up unit, FMI %d.0, generated by dalembert %s. One file; it needs libc and "
                   "libm:\n"
                   " *     cc -O2 -fPIC -shared -ffp-contract=off -DFMI%d_OVERRIDE_FUNCTION_PREFIX %s.c -o %s.so -lm "
                   "*/\n",
                   identifier, version, dal_version_string(), version, identifier, identifier);
    put_names(t, identifier, version);
    put_file(t, version == 3 ? own->fmi3_h : own->fmi2_h);
    put_file(t, own->instance_h);
    put_file(t, own->engine_h);
    put_file(t, own->instance_c);
    put_file(t, version == 3 ? own->fmi3_c : own->fmi2_c);
    dal_text_put(t, dal_program_text(p));
    dal_text_put(t, "\n/* ---- the variables of the unit "
                    "------------------------------------------------------------------ */\n\n");
    DAL_TRY(put_variables(t, m, p));
    dal_text_print(t,
                   "static const char unit_token[] = \"%s\";\n#define UNIT_H %.17g\n#define UNIT_CHANGES %d\n"
                   "#define UNIT_PERTURBED %d /* starts have v on the constraints in vc */\n"
                   "#define UNIT_OUTPUTS %d\n#define UNIT_SWITCHES %d\nenum {\n    UNIT_EVENTS = %d,\n    "
                   "UNIT_VARIABLES = %d,\n    UNIT_INPUTS = %d,\n"
                   "    UNIT_PARAMETERS = %d,\n    UNIT_Q = %d,\n    UNIT_V = %d\n};\n",
                   token, dal_document_options(m->doc)->h, dal_program_no_start(p) == NULL,
                   strstr(dal_program_text(p), " vc[") != NULL, dal_program_output_size(p),
                   strstr(dal_program_text(p), "int model_run_through(") != NULL, dal_sim_indicator_count(m->sys), m->n,
                   m->ninputs, m->nparameters, m->sys->group->nq, m->sys->group->nv);
    dal_text_put(t, own->generated);
    return t->failed ? dal_fail(m->ctx, DAL_ENOMEM, "no memory for the source of the unit") : DAL_OK;
}

/* The program, whose parameters are those of the unit and its inputs. */
static dal_status make_program(dal_program **p, dal_binding **binding, const fmu_model *m, const fmu_source *from,
                               const char **name, double *value)
{
    const int n = m->nparameters + m->ninputs;
    for (int k = 0; k < n; ++k) {
        name[k] = k < m->nparameters ? from->parameter[k] : m->sys->input[k - m->nparameters].name;
    }
    DAL_TRY(dal_binding_create(binding, m->ctx, m->doc, name, n));
    dal_binding_values(*binding, value);
    const dal_generate_options how = {
        .name = "model", .parameters = name, .nparameters = n, .change = 1, .any_step = 1};
    DAL_TRY(dal_program_create_bound(p, m->ctx, m->doc, *binding, value, &how));
    const char *without = dal_program_no_start(*p);
    return n > 0 && without != NULL
               ? dal_fail(m->ctx, DAL_EINVAL, "parameters and inputs of a unit of generated code: %s", without)
               : DAL_OK;
}

/* Does a force remember what accepted steps did? Programs learn of those that they make themselves. */
static int remembers(const fmu_model *m)
{
    int found = 0;
    for (int k = 0; k < dal_model_report(m->model).forces; ++k) {
        dal_force force;
        found |= dal_model_force_info(m->model, &force, k) == DAL_OK && strcmp(force.type, "contact") == 0;
    }
    return found;
}

dal_status fmu_source_text(dal_text *t, fmu_model *m, const fmu_source *from, const char *token, int version)
{
    const size_t n = (size_t)m->nparameters + (size_t)m->ninputs + 1;
    const char **name = dal_alloc_zero(m->ctx, n * sizeof *name);
    double *value = dal_alloc_zero(m->ctx, n * sizeof *value);
    dal_program *p = NULL;
    dal_binding *binding = NULL;
    dal_status st = name != NULL && value != NULL ? make_program(&p, &binding, m, from, name, value)
                                                  : dal_fail(m->ctx, DAL_ENOMEM, "no memory for the program");
    if (st == DAL_OK && dal_program_no_start(p) != NULL) {
        fmu_only_co_simulation(m, dal_program_no_start(p));
    } else if (st == DAL_OK && m->only_inside == NULL && remembers(m)) {
        fmu_only_co_simulation(m, "");
        m->only_inside = "contacts that remember how they touched, which a unit with --code library takes";
    }
    st = st == DAL_OK ? put_unit(t, m, p, token, version) : st;
    dal_program_destroy(p);
    dal_binding_destroy(binding);
    dal_free(m->ctx, (void *)name);
    dal_free(m->ctx, value);
    return st;
}
