/* dalembert models, methods, schema: what is built in. */
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/methods.h"

static const cli_flag flags[] = {CLI_FLAG_JSON};
static const cli_flag model_flags[] = {
    CLI_FLAG_JSON,
    {"show", 0, "NAME", "print the file of one built-in model, to start your own from"},
    {"variables", 0, "MODEL", "print the variables of a model, one a line: name=value"},
    {"outputs", 0, "MODEL", "print the names of its outputs, one a line"}};

static int list_models(const cli_args *args);
static int list_methods(const cli_args *args);
static int print_schema(const cli_args *args);

const cli_command cli_models = {
    .name = "models",
    .place = 13,
    .arguments = "",
    .summary = "list the built-in models",
    .examples = "  dalembert models\n  dalembert models --show heavy_top > my_top.json",
    .flag = model_flags,
    .nflags = CLI_LEN(model_flags),
    .run = list_models,
};

const cli_command cli_methods = {
    .name = "methods",
    .place = 14,
    .arguments = "",
    .summary = "list methods and options",
    .about = "Methods are names for settings of options that belong together, for study --methods. Every option\n"
             "can be given to any command with --set KEY=VALUE.",
    .examples = "  dalembert methods\n  dalembert study heavy_top --h 4e-3,2e-3,1e-3 --methods index3,ggl,lobatto4",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = list_methods,
};

const cli_command cli_schema = {
    .name = "schema",
    .place = 15,
    .arguments = "",
    .summary = "print the JSON schema of model files",
    .examples = "  dalembert schema > model.schema.json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = print_schema,
};

static int show_model(const char *name)
{
    const char *word[256];
    const int n = dal_builtin_count() < 256 ? dal_builtin_count() : 256;
    for (int i = 0; i < n; ++i) {
        const dal_builtin b = dal_builtin_model(i);
        word[i] = b.name;
        if (strcmp(b.name, name) == 0) {
            fwrite(b.text, 1, b.n, stdout);
            return CLI_OK;
        }
    }
    const char *near = dal_nearest(name, word, n);
    char hint[DAL_HINT_SIZE];
    return cli_usage("no built-in model '%s'%s", name, dal_hint(hint, near));
}

/* Names of a model, for scripts and for the completion of command lines. */
static int print_names(const char *source, int outputs)
{
    dal_ctx *ctx = cli_context(NULL);
    dal_document *doc = NULL;
    int code = CLI_OK;
    if (dal_document_open(&doc, ctx, source, NULL, 0) != DAL_OK) {
        code = cli_error(CLI_MODEL, "%s", dal_ctx_message(ctx));
    }
    for (int k = 0; code == CLI_OK && !outputs && k < dal_document_variable_count(doc); ++k) {
        const dal_variable variable = dal_document_variable(doc, k);
        printf("%s=%.17g\n", variable.name, variable.value);
    }
    for (int k = 0; code == CLI_OK && outputs && k < dal_model_output_count(dal_document_model(doc)); ++k) {
        cli_put(stdout, dal_model_output_info(dal_document_model(doc), k).name);
        putchar('\n');
    }
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    return code;
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
    if (!cli_given(args, "json")) {
        for (int i = 0; i < dal_builtin_count(); ++i) {
            const dal_builtin b = dal_builtin_model(i);
            printf("%-26s %s\n", b.name, b.title);
        }
        return CLI_OK;
    }
    cli_answer *a = answer_create(), *list = answer_list(a, "models", 0);
    for (int i = 0; i < dal_builtin_count(); ++i) {
        const dal_builtin b = dal_builtin_model(i);
        answer_put(answer_object(list, NULL, 1), "name %s title %s", b.name, b.title);
    }
    answer_json(a, stdout);
    answer_release(a);
    return CLI_OK;
}

static void print_values(char buffer[160], const dal_option *o)
{
    size_t n = 0;
    buffer[0] = '\0';
    for (const dal_word *w = o->words; w != NULL && w->name != NULL && n < 120; ++w) {
        n += (size_t)snprintf(buffer + n, 160 - n, "%s%s", n > 0 ? "|" : "", w->name);
    }
    if (o->kind != DAL_OPTION_FLAG && o->kind != DAL_OPTION_CHOICE) {
        snprintf(buffer + n, 160 - n, "%s%s", n > 0 ? "|" : "",
                 o->kind == DAL_OPTION_INT     ? "whole number"
                 : o->kind == DAL_OPTION_REALS ? "numbers"
                                               : "number");
    } else if (o->kind == DAL_OPTION_FLAG) {
        snprintf(buffer, 160, "yes|no");
    }
}

static int list_methods_json(void)
{
    const dal_options opt = dal_options_init();
    cli_answer *a = answer_create(), *list = answer_list(a, "methods", 0);
    for (int i = 0; i < dal_method_count(); ++i) {
        const dal_method m = dal_method_get(i);
        answer_put(answer_object(list, NULL, 1), "name %s set %s order %d text %s", m.name, m.set, m.order, m.text);
    }
    answer_options(a, "options", &opt);
    answer_json(a, stdout);
    answer_release(a);
    return CLI_OK;
}

static int list_methods(const cli_args *args)
{
    if (cli_given(args, "json")) {
        return list_methods_json();
    }
    printf("Methods (for study --methods):\n"
           "damps: vibrations that h does not resolve die, and energy with them. conserves: energy stays in long runs "
           "of fixed\n"
           "steps. stiff: springs may be far faster than h; the others need h omega of about 2 or less. cheap: the "
           "least work a step.\n"
           "accurate: the least work for four digits and more. All but variational3 take nonholonomic rows; "
           "index2 is the choice where there are no others.\n");
    for (int i = 0; i < dal_method_count(); ++i) {
        const dal_method m = dal_method_get(i);
        printf("  %-12s order %d  %s\n", m.name, m.order, m.text);
    }
    printf("\nOptions (for --set KEY=VALUE), with their defaults:\n");
    const dal_option_table *table = dal_options_table();
    const dal_options opt = dal_options_init();
    for (int i = 0; i < table->n; ++i) {
        char value[256], values[160];
        dal_options_format(value, sizeof value, &table->option[i], &opt);
        print_values(values, &table->option[i]);
        printf("  %s=%s\n      %s\n      (%s)\n", table->option[i].name, value, table->option[i].text, values);
    }
    return CLI_OK;
}

static int print_schema(const cli_args *args)
{
    (void)args;
    const size_t size = dal_model_schema(NULL, 0) + 1;
    char *text = cli_alloc(size, 1);
    dal_model_schema(text, size);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}
