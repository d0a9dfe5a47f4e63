/* dalembert generate: a model as one self-contained C file. */
#include <string.h>

#include "cli/model.h"
#include "dalembert/generate.h"

CLI_OWNS(dal_program)
CLI_OWNS(dal_document)

enum { MAX_PARAMETERS = 64 };

/* Parameters of the program and their values in the model. */
typedef struct names {
    const char *word[MAX_PARAMETERS];
    double value[MAX_PARAMETERS];
    int n;
} names;

static int find(const names *to, const char *name)
{
    int k = 0;
    while (k < to->n && strcmp(to->word[k], name) != 0) {
        ++k;
    }
    return k;
}

/* What is asked for; inputs of the model are parameters of a program of one member, too: NAME_set_input changes them. */
static void list_parameters(names *to, const cli_args *args, int inputs)
{
    dal_document *doc = NULL;
    const char *list = cli_value(args, "parameters");
    for (char *word = strtok(cli_copy(list != NULL ? list : ""), ","); word != NULL; word = strtok(NULL, ",")) {
        to->word[to->n++] = word;
    }
    // what is wrong with it is told when the program is made
    if (dal_document_open(&doc, cli_ctx(), args->positional[0], args->set, args->nset) != DAL_OK) {
        return;
    }
    CLI_OWN(dal_document, doc);
    for (int k = 0; k < dal_document_variable_count(doc); ++k) {
        const dal_variable v = dal_document_variable(doc, k);
        const int at = find(to, v.name);
        if (at == to->n && inputs && v.input && to->n < MAX_PARAMETERS) {
            to->word[to->n++] = v.name;
        }
        if (at < to->n) {
            to->value[at] = v.value;
        }
    }
}

/* A number in (-1, 1) that looks random, the same in every run. */
static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return 2.0 * ((*seed >> 8) + 0.5) / 16777216.0 - 1.0;
}

/* Members with random parameters, for benchmarks and trials. */
static void write_sample(cli_string *out, const dal_program *p, const char *name, int count, const names *own)
{
    const int size = dal_program_size(p);
    double *x = cli_alloc((size_t)size, sizeof *x), values[MAX_PARAMETERS];
    unsigned seed = 1;
    const dal_member_layout at = dal_program_layout(p);
    cli_add(out, "\n/* Members with parameters drawn within 10 %% of those of the model; q of each from Q on, v from "
                 "V to END. */\n");
    cli_add(out, "enum { %s_SAMPLE = %d, %s_SIZE = %d, %s_Q = %d, %s_V = %d, %s_END = %d };\n", name, count, name, size,
            name, at.q, name, at.v, name, at.v + at.nv);
    cli_add(out, "static const double %s_sample[%d][%d] = {\n", name, count, size);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < own->n; ++i) {
            values[i] = own->value[i] * (1.0 + 0.1 * draw(&seed));
        }
        cli_try(cli_ctx(), dal_program_member(p, x, values), CLI_MODEL);
        cli_add(out, "    {");
        for (int i = 0; i < size; ++i) {
            cli_add(out, "%s%.17g", i > 0 ? ", " : "", x[i]);
        }
        cli_add(out, "},\n");
    }
    cli_add(out, "};\n");
}

/* What would have no effect is refused. */
static void check_flags(const cli_args *args)
{
    const char *list = cli_value(args, "parameters");
    int words = list != NULL && list[0] != '\0';
    for (const char *c = list; c != NULL && *c != '\0'; ++c) {
        words += *c == ',';
    }
    if (cli_given(args, "cuda") && cli_given(args, "lanes")) {
        cli_usage("--lanes and --cuda exclude each other");
    }
    if (words > MAX_PARAMETERS) {
        cli_usage("--parameters: %d names, there can be %d", words, (int)MAX_PARAMETERS);
    }
    if (cli_given(args, "sample") && words == 0) {
        cli_usage("--sample draws parameters: name them by --parameters");
    }
    for (int k = 0; k < args->nset; ++k) {
        if (strncmp(args->set[k], "t_end=", 6) == 0) {
            cli_usage("%s: a program has no end; whoever calls it counts the steps", args->set[k]);
        }
    }
}

static int command(const cli_args *args)
{
    check_flags(args);
    const char *path = cli_value(args, "output");
    const int lanes = cli_given(args, "lanes"), cuda = cli_given(args, "cuda"), count = cli_whole(args, "sample");
    names parameters = {.n = 0};
    list_parameters(&parameters, args, !lanes && !cuda);
    const dal_generate_options how = {.name = cli_value(args, "name"),
                                      .parameters = parameters.word,
                                      .nparameters = parameters.n,
                                      .lanes = lanes ? 4 + 4 * cli_whole(args, "lanes") : 0,
                                      .scalar = cuda    ? DAL_GENERATE_CUDA
                                                : lanes ? DAL_GENERATE_LANES
                                                        : DAL_GENERATE_DOUBLE};
    dal_program *p = NULL;
    CLI_CREATE(dal_program, p, CLI_MODEL, cli_ctx(), args->positional[0], args->set, args->nset, &how);
    cli_string out = {0};
    cli_add(&out, "%s", dal_program_text(p));
    if (count > 0) {
        write_sample(&out, p, how.name != NULL ? how.name : "members", count, &parameters);
    }
    if (path != NULL) {
        cli_save(out.text, path);
    } else {
        fputs(out.text, stdout);
    }
    return CLI_OK;
}

const cli_command cli_generate = {.name = "generate", .run = command};
