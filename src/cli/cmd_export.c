/* dalembert export: a model as a functional mock-up unit, for other programs. */
#include "cli/model.h"
#include "fmu/fmu.h"

CLI_OWNS(dal_document)
CLI_OWNS(dal_binding)

enum { MAX_PARAMETERS = 256 };

/* Those that are asked for, or all variables that can be set without changing the structure; how many. */
static int choose(const char *to[MAX_PARAMETERS], const cli_args *args, const dal_document *doc)
{
    const char *list = cli_value(args, "parameters");
    char word[256];
    int n = 0;
    while (cli_word(&list, word, sizeof word)) {
        if (n == MAX_PARAMETERS) {
            cli_usage("--parameters: there can be %d", (int)MAX_PARAMETERS);
        }
        if (word[0] != '\0') { // --parameters "": none
            to[n++] = cli_copy(word);
        }
    }
    for (int k = 0; !cli_given(args, "parameters") && k < dal_document_variable_count(doc); ++k) {
        const dal_variable v = dal_document_variable(doc, k);
        dal_binding *binding = NULL;
        if (!v.input && n < MAX_PARAMETERS && dal_binding_create(&binding, cli_ctx(), doc, &v.name, 1) == DAL_OK) {
            CLI_OWN(dal_binding, binding);
            to[n++] = cli_copy(v.name);
        }
    }
    dal_ctx_clear(cli_ctx());
    return n;
}

static void tell(const fmu_model *m, const fmu_made *made, const char *path, int version)
{
    printf("%s: FMI %d.0, co-simulation", path, version);
    if (m->nstates > 0) {
        printf(" and model exchange");
    } else {
        printf(m->only_inside != NULL ? " (the model has %s: no model exchange)" : " (no model exchange: %s)",
               m->only_inside != NULL ? m->only_inside : m->why);
    }
    printf("; %d inputs, %d parameters, %d outputs", m->ninputs, m->nparameters, m->noutputs);
    if (m->nstates > 0) {
        printf(", %d states, %d event indicators", m->nstates, m->nindicators);
    }
    printf("\n");
    if (made->code == FMU_GENERATED && m->why[0] != '\0') {
        printf("generated code with its source; communication points are whole steps of %g s apart\n",
               dal_document_options(m->doc)->h);
    } else if (made->code == FMU_GENERATED) {
        printf("generated code with its source\n");
    } else if (made->why[0] != '\0') {
        printf("with the library inside, not of generated code: %s\n", made->why);
    } else {
        printf("with the library inside\n");
    }
}

/* Some seconds for 100 KB: large beams take minutes. */
static void compiling(const char *compiler, size_t bytes)
{
    if (bytes > 2000000) {
        fprintf(stderr,
                "dalembert export: '%s' compiles %.1f MB of generated code, which takes minutes; --code library needs "
                "no compiler\n",
                compiler, 1e-6 * (double)bytes);
    }
}

static void release(void *model)
{
    fmu_model_release(model);
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "fmu"), *parameters[MAX_PARAMETERS];
    const int version = cli_given(args, "fmi") ? 2 + cli_whole(args, "fmi") : 3;
    const fmu_code code = cli_given(args, "code") ? (fmu_code)cli_whole(args, "code") : FMU_AUTO;
    dal_document *doc = NULL;
    if (path == NULL) {
        cli_usage("--fmu FILE.fmu: where to write the unit");
    }
    cli_try(cli_ctx(), dal_document_open(&doc, cli_ctx(), args->positional[0], args->set, args->nset), CLI_MODEL);
    CLI_OWN(dal_document, doc);
    // the folder is none: a unit has the text of the model alone
    const fmu_source from = {.text = dal_document_text(doc),
                             .name = "resources of the unit/model.json",
                             .set = args->set,
                             .nset = args->nset,
                             .parameter = parameters,
                             .compiling = compiling,
                             .nparameters = choose(parameters, args, doc)};
    fmu_model *m = cli_alloc(1, sizeof *m);
    fmu_made made;
    m->ctx = cli_ctx();
    cli_own(m, release);
    cli_try(m->ctx, fmu_model_load(m, &from), CLI_MODEL);
    const dal_status st = fmu_write(m, &made, path, &from, version, code);
    cli_try(m->ctx, st, st == DAL_EINVAL || st == DAL_EOPTION ? CLI_MODEL : CLI_IO);
    tell(m, &made, path, version);
    return CLI_OK;
}

const cli_command cli_export = {.name = "export", .run = command};
