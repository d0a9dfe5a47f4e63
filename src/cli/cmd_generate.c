/* dalembert generate: a model as one self-contained C file. */
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"
#include "dalembert/generate.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    CLI_FLAG_H("step size in seconds (short for --set h=H)"),
    {"output", 'o', "FILE", "where to write the program; default: standard output"},
    {"name", 0, "NAME", "prefix of everything in the program; default: the name of the model"},
    {"parameters", 0, "NAME,...", "variables of the model that may differ between members of an ensemble"},
    {"lanes", 0, "N", "vectors of N = 4 or 8 lanes, a member of an ensemble in each", CLI_CHOICE, "4|8"},
    {"cuda", 0, NULL, "device code for nvcc, a member in each thread; as C it compiles for the host"},
    {"sample", 0, "N", "append a table of N members with parameters drawn within 10 % of the model's", CLI_WHOLE,
     .max = 100000},
};

static int command(const cli_args *args);

const cli_command cli_generate = {
    .name = "generate",
    .place = 6,
    .summary = "print a model as one self-contained C file",
    .about =
        "The program has no library, no allocation and no globals: NAME_init, NAME_step, NAME_outputs and\n"
        "NAME_energy on a struct that is the whole state; with parameters or inputs NAME_start, NAME_set_input. What\n"
        "generated code does not have is refused by name.\n"
        "Exit codes: 0 ok, 2 usage, 3 bad model or not for generated code, 5 files.",
    .examples = "  dalembert generate heavy_top -o heavy_top.c\n"
                "  dalembert generate chain -s N=10 --lanes 8 -o chain.c\n"
                "  dalembert generate heavy_top --cuda --parameters m,J1 --sample 256 -o heavy_top.cu",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

enum { MAX_PARAMETERS = 64 };

/* The words of a list between commas; the text is cut. */
static int split(char *text, const char *word[MAX_PARAMETERS])
{
    int n = 0;
    for (char *p = text; p != NULL && *p != '\0' && n < MAX_PARAMETERS;) {
        char *comma = strchr(p, ',');
        word[n++] = p;
        if (comma != NULL) {
            *comma++ = '\0';
        }
        p = comma;
    }
    return n;
}

/* Inputs of the model are parameters of a program of one member: NAME_set_input changes them. names: those of the list, to be released. */
static int add_inputs(const cli_args *args, const char *word[MAX_PARAMETERS], int n, char *names[MAX_PARAMETERS])
{
    dal_ctx *ctx = cli_context(NULL);
    dal_document *doc = NULL;
    const dal_status st = dal_document_open(&doc, ctx, args->positional[0], args->set, args->nset);
    for (int k = 0; st == DAL_OK && k < dal_document_variable_count(doc); ++k) {
        const dal_variable v = dal_document_variable(doc, k);
        int listed = !v.input || n == MAX_PARAMETERS;
        for (int i = 0; i < n; ++i) {
            listed |= strcmp(word[i], v.name) == 0;
        }
        if (!listed) {
            names[n] = cli_copy(v.name);
            word[n] = names[n];
            ++n;
        }
    }
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    return n;
}

/* A number in (-1, 1) that looks random, the same in every run. */
static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return 2.0 * ((*seed >> 8) + 0.5) / 16777216.0 - 1.0;
}

static int value_of(const cli_args *args, const char *name, double *value)
{
    dal_ctx *ctx = cli_context(NULL);
    dal_document *doc;
    int found = 0;
    if (dal_document_open(&doc, ctx, args->positional[0], args->set, args->nset) == DAL_OK) {
        for (int k = 0; k < dal_document_variable_count(doc); ++k) {
            const dal_variable v = dal_document_variable(doc, k);
            if (strcmp(v.name, name) == 0) {
                *value = v.value;
                found = 1;
            }
        }
        dal_document_destroy(doc);
    }
    dal_ctx_destroy(ctx);
    return found;
}

/* Members with random parameters, for benchmarks and trials. */
static dal_status write_sample(FILE *file, const cli_args *args, const dal_program *p, const char *name, int count,
                               const char *const *parameter, int n)
{
    const int size = dal_program_size(p);
    double *x = cli_alloc((size_t)size, sizeof *x), own[MAX_PARAMETERS] = {0.0}, values[MAX_PARAMETERS];
    unsigned seed = 1;
    dal_status st = DAL_OK;
    for (int i = 0; i < n; ++i) {
        (void)value_of(args, parameter[i], &own[i]);
    }
    const dal_member_layout at = dal_program_layout(p);
    fprintf(file, "\n/* Members with parameters drawn within 10 %% of those of the model; q of each from Q on, v from "
                  "V to END. */\n");
    fprintf(file, "enum { %s_SAMPLE = %d, %s_SIZE = %d, %s_Q = %d, %s_V = %d, %s_END = %d };\n", name, count, name,
            size, name, at.q, name, at.v, name, at.v + at.nv);
    fprintf(file, "static const double %s_sample[%d][%d] = {\n", name, count, size);
    for (int k = 0; k < count && st == DAL_OK; ++k) {
        for (int i = 0; i < n; ++i) {
            values[i] = own[i] * (1.0 + 0.1 * draw(&seed));
        }
        st = dal_program_member(p, x, values);
        fputs("    {", file);
        for (int i = 0; i < size; ++i) {
            fprintf(file, "%s%.17g", i > 0 ? ", " : "", x[i]);
        }
        fputs("},\n", file);
    }
    fputs("};\n", file);
    free(x);
    return st;
}

/* The program and the table of members to a file. */
static int write_program(const cli_args *args, dal_ctx *ctx, const dal_program *p, const dal_generate_options *how)
{
    const char *path = cli_value(args, "output");
    const int count = cli_whole(args, "sample");
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    if (file == NULL) {
        return cli_error(CLI_IO, "cannot write '%s'", path);
    }
    fputs(dal_program_text(p), file);
    const dal_status st = count > 0 ? write_sample(file, args, p, how->name != NULL ? how->name : "members", count,
                                                   how->parameters, how->nparameters)
                                    : DAL_OK;
    const int failed = ferror(file) | (path != NULL ? fclose(file) : fflush(file));
    if (st != DAL_OK) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(ctx));
    }
    return failed ? cli_error(CLI_IO, "cannot write '%s'", path != NULL ? path : "standard output") : CLI_OK;
}

/* What would have no effect is refused. */
static int check_flags(const cli_args *args)
{
    const char *list = cli_value(args, "parameters");
    int words = list != NULL && list[0] != '\0';
    for (const char *c = list; c != NULL && *c != '\0'; ++c) {
        words += *c == ',';
    }
    if (cli_given(args, "cuda") && cli_given(args, "lanes")) {
        return cli_usage("--lanes and --cuda exclude each other");
    }
    if (words > MAX_PARAMETERS) {
        return cli_usage("--parameters: %d names, there can be %d", words, (int)MAX_PARAMETERS);
    }
    if (cli_given(args, "sample") && words == 0) {
        return cli_usage("--sample draws parameters: name them by --parameters");
    }
    for (int k = 0; k < args->nset; ++k) {
        if (strncmp(args->set[k], "t_end=", 6) == 0) {
            return cli_usage("%s: a program has no end; whoever calls it counts the steps", args->set[k]);
        }
    }
    return CLI_OK;
}

static int command(const cli_args *args)
{
    const int refused = check_flags(args);
    if (refused != CLI_OK) {
        return refused;
    }
    const char *list = cli_value(args, "parameters"), *word[MAX_PARAMETERS];
    char *names = cli_copy(list != NULL ? list : "");
    dal_generate_options how = {.name = cli_value(args, "name"), .parameters = word};
    char *inputs[MAX_PARAMETERS] = {NULL};
    how.nparameters = split(names, word);
    how.lanes = cli_given(args, "lanes") ? 4 + 4 * cli_whole(args, "lanes") : 0;
    how.scalar = cli_given(args, "cuda") ? DAL_GENERATE_CUDA : how.lanes > 0 ? DAL_GENERATE_LANES : DAL_GENERATE_DOUBLE;
    if (how.scalar == DAL_GENERATE_DOUBLE) {
        how.nparameters = add_inputs(args, word, how.nparameters, inputs);
    }
    dal_ctx *ctx = cli_context(NULL);
    dal_program *p = NULL;
    const dal_status st = dal_program_create(&p, ctx, args->positional[0], args->set, args->nset, &how);
    const int code =
        st == DAL_OK ? write_program(args, ctx, p, &how) : cli_error(CLI_MODEL, "%s", dal_ctx_message(ctx));
    dal_program_destroy(p);
    dal_ctx_destroy(ctx);
    free(names);
    for (int k = 0; k < MAX_PARAMETERS; ++k) {
        free(inputs[k]);
    }
    return code;
}
