/* dalembert export: a model as a functional mock-up unit, for other programs. */
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"
#include "fmu/fmu.h"

static const cli_flag flags[] = {
    {"fmu", 0, "FILE.fmu", "where to write the unit", CLI_PATH},
    {"fmi", 0, "VERSION", "of the standard: 2 or 3; default: 3", CLI_CHOICE, "2|3"},
    {"code", 0, "KIND",
     "generated: C code with its source, made by the compiler here; library: the library inside; auto: generated where "
     "the model can be, the default",
     CLI_CHOICE, "auto|generated|library"},
    {"parameters", 0, "NAME,...",
     "variables of the model, or numbers of its elements, that may be set, \"\": none; default: all variables"},
    CLI_FLAG_SET,
    CLI_FLAG_H("step size in seconds (short for --set h=H)"),
};

static int command(const cli_args *args);

const cli_command cli_export = {
    .name = "export",
    .place = 21,
    .arguments = "MODEL",
    .min = 1,
    .max = 1,
    .summary = "a model as a functional mock-up unit (FMI 2.0, 3.0)",
    .about = "The unit is for co-simulation: it runs with the model's own method and steps. If the model has neither\n"
             "contacts nor events nor integrals over time it is for model exchange, too. It needs libc and libm only. "
             "Models\n"
             "that read other files are refused. A unit of generated code takes communication points that are whole\n"
             "steps apart; one that has the library inside takes any, and every model.\n"
             "Exit codes: 0 ok, 2 usage, 3 bad model or one that cannot be a unit, 5 files.",
    .examples = "  dalembert export crane.json --fmu crane.fmu\n"
                "  dalembert export heavy_top --fmu top.fmu --fmi 2 --parameters m,J1",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

enum { MAX_PARAMETERS = 256, MAX_WORD = 256 };

typedef struct names {
    char word[MAX_PARAMETERS][MAX_WORD];
    const char *pointer[MAX_PARAMETERS];
    int n;
} names;

static void add(names *to, const char *word)
{
    snprintf(to->word[to->n], MAX_WORD, "%s", word);
    to->pointer[to->n] = to->word[to->n];
    ++to->n;
}

/* Those that are asked for, or all variables that can be set without changing the structure. */
static int choose(names *to, const cli_args *args, dal_ctx *ctx, const dal_document *doc)
{
    const char *list = cli_value(args, "parameters");
    char word[MAX_WORD];
    while (list != NULL && cli_word(&list, word, sizeof word)) {
        if (to->n == MAX_PARAMETERS) {
            return cli_usage("--parameters: there can be %d", (int)MAX_PARAMETERS);
        }
        if (word[0] != '\0') { // --parameters "": none
            add(to, word);
        }
    }
    for (int k = 0; cli_value(args, "parameters") == NULL && k < dal_document_variable_count(doc); ++k) {
        const dal_variable v = dal_document_variable(doc, k);
        dal_binding *binding = NULL;
        if (!v.input && to->n < MAX_PARAMETERS && dal_binding_create(&binding, ctx, doc, &v.name, 1) == DAL_OK) {
            add(to, v.name);
            dal_binding_destroy(binding);
        }
    }
    dal_ctx_clear(ctx);
    return CLI_OK;
}

static void tell(const fmu_model *m, const fmu_made *made, const char *path, int version)
{
    printf("%s: FMI %d.0, co-simulation", path, version);
    if (m->nstates > 0) {
        printf(" and model exchange");
    } else {
        printf(m->smooth_but_for != NULL ? " (the model has %s: no model exchange)" : " (no model exchange: %s)",
               m->smooth_but_for != NULL ? m->smooth_but_for : m->why);
    }
    printf("; %d inputs, %d parameters, %d outputs", m->ninputs, m->nparameters, m->noutputs);
    printf(m->nstates > 0 ? ", %d states\n" : "\n", m->nstates);
    if (made->code == FMU_GENERATED) {
        printf("generated code with its source; communication points are whole steps of %g s apart\n",
               dal_document_options(m->doc)->h);
    } else if (made->why[0] != '\0') {
        printf("with the library inside, not of generated code: %s\n", made->why);
    } else {
        printf("with the library inside\n");
    }
}

static int write_loaded(const cli_args *args, fmu_model *m, const fmu_source *from, const char *path, int version)
{
    fmu_made made;
    const fmu_code code = cli_given(args, "code") ? (fmu_code)cli_whole(args, "code") : FMU_AUTO;
    const dal_status st = fmu_write(m, &made, path, from, version, code);
    if (st != DAL_OK) {
        return cli_error(st == DAL_EINVAL || st == DAL_EOPTION ? CLI_MODEL : CLI_IO, "%s", dal_ctx_message(m->ctx));
    }
    tell(m, &made, path, version);
    return CLI_OK;
}

static int write_unit(const cli_args *args, dal_ctx *ctx, const dal_document *doc, const char *path)
{
    const int version = cli_given(args, "fmi") ? 2 + cli_whole(args, "fmi") : 3;
    names *parameters = cli_alloc(1, sizeof *parameters);
    int code = choose(parameters, args, ctx, doc);
    // the folder is none: a unit has the text of the model alone
    const fmu_source from = {.text = dal_document_text(doc),
                             .name = "resources of the unit/model.json",
                             .set = args->set,
                             .nset = args->nset,
                             .parameter = parameters->pointer,
                             .nparameters = parameters->n};
    fmu_model m = {.ctx = ctx};
    if (code == CLI_OK) {
        code = fmu_model_load(&m, &from) == DAL_OK ? write_loaded(args, &m, &from, path, version)
                                                   : cli_error(CLI_MODEL, "%s", dal_ctx_message(ctx));
    }
    fmu_model_release(&m);
    free(parameters);
    return code;
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "fmu");
    if (path == NULL) {
        return cli_usage("--fmu FILE.fmu: where to write the unit");
    }
    dal_ctx *ctx = cli_context(NULL);
    dal_document *doc = NULL;
    const dal_status st = dal_document_open(&doc, ctx, args->positional[0], args->set, args->nset);
    const int code = st == DAL_OK ? write_unit(args, ctx, doc, path) : cli_error(CLI_MODEL, "%s", dal_ctx_message(ctx));
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    return code;
}
