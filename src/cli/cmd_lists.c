/* dalembert models, methods, schema: what is built in. */
#include "cli/answer.h"
#include "cli/model.h"

CLI_OWNS(dal_document)

static int show_model(const char *name)
{
    char hint[DAL_HINT_SIZE];
    const dal_builtin *b = model_builtin(name, hint);
    if (b == NULL) {
        cli_usage("no built-in model '%s'%s", name, hint);
    }
    fwrite(b->text, 1, b->n, stdout);
    return CLI_OK;
}

/* Names of a model, for scripts and for the completion of command lines. */
static int print_names(const char *source, int outputs)
{
    dal_document *doc = NULL;
    cli_try(cli_ctx(), dal_document_open(&doc, cli_ctx(), source, NULL, 0), CLI_MODEL);
    CLI_OWN(dal_document, doc);
    for (int k = 0; !outputs && k < dal_document_variable_count(doc); ++k) {
        const dal_variable variable = dal_document_variable(doc, k);
        printf("%s=%.17g\n", variable.name, variable.value);
    }
    for (int k = 0; outputs && k < dal_model_output_count(dal_document_model(doc)); ++k) {
        cli_print("%s\n", dal_model_output_info(dal_document_model(doc), k).name);
    }
    return CLI_OK;
}

static int list_models(const cli_args *args)
{
    const char *show = cli_value(args, "show");
    const char *variables = cli_value(args, "variables"), *outputs = cli_value(args, "outputs");
    if (show != NULL) {
        return show_model(show);
    }
    if (variables != NULL || outputs != NULL) {
        return print_names(variables != NULL ? variables : outputs, variables == NULL);
    }
    cli_answer *a = answer_create(), *list = answer_list(a, "models", 0);
    for (int i = 0; i < dal_builtin_count(); ++i) {
        const dal_builtin b = dal_builtin_model(i);
        answer_line(list, NULL, "name %s title %s", b.name, b.title);
    }
    answer_tell(a, args, NULL);
    return CLI_OK;
}

/* What an option may be. */
static char *values_of(const dal_option *o)
{
    cli_string text = {0};
    int n = 0;
    for (const dal_word *w = o->words; w != NULL && w->name != NULL && text.n < 120; ++w) {
        cli_add(&text, "%s%s", n++ > 0 ? "|" : "", w->name);
    }
    if (o->kind != DAL_OPTION_FLAG && o->kind != DAL_OPTION_CHOICE) {
        cli_add(&text, "%s%s", n > 0 ? "|" : "",
                o->kind == DAL_OPTION_INT     ? "whole number"
                : o->kind == DAL_OPTION_REALS ? "numbers"
                                              : "number");
    }
    return o->kind == DAL_OPTION_FLAG ? cli_copy("yes|no") : text.text;
}

static int list_methods(const cli_args *args)
{
    const dal_option_table *table = dal_options_table();
    const dal_options opt = dal_options_init();
    cli_answer *a = answer_create(), *list = answer_list(a, "methods", 0), *all = answer_list(a, ".all", 0);
    for (int i = 0; i < dal_method_count(); ++i) {
        const dal_method m = dal_method_get(i);
        answer_line(list, NULL, "name %s set %s order %d text %s", m.name, m.set, m.order, m.text);
    }
    answer_options(a, "options", &opt);
    for (int i = 0; i < table->n; ++i) {
        char value[256];
        dal_options_format(value, sizeof value, &table->option[i], &opt);
        answer_line(all, NULL, "name %s value %s text %s values %s", table->option[i].name, value,
                    table->option[i].text, values_of(&table->option[i]));
    }
    answer_tell(a, args, NULL);
    return CLI_OK;
}

static int print_schema(const cli_args *args)
{
    (void)args;
    const size_t size = dal_model_schema(NULL, 0) + 1;
    char *text = cli_alloc(size, 1);
    dal_model_schema(text, size);
    fputs(text, stdout);
    return CLI_OK;
}

const cli_command cli_models = {.name = "models", .run = list_models};
const cli_command cli_methods = {.name = "methods", .run = list_methods};
const cli_command cli_schema = {.name = "schema", .run = print_schema};
