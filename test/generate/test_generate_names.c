/* Names of a model in the text of its program. */
#include <stdio.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

/* A chain of three bodies, the last one named as two others with a line between, with a force, a spring and a function; $ is where names end. */
static const char chain[] =
    "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"functions\": {\"f$\": {\"type\": \"harmonic\", \"amplitude\": 2, "
    "\"omega\": 3}}, \"bodies\": ["
    "{\"name\": \"a$\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, -1]},"
    "{\"name\": \"b$\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, -3]},"
    "{\"name\": \"a_b$\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, -5]}], \"joints\": ["
    "{\"name\": \"A$\", \"type\": \"revolute\", \"body_b\": \"a$\", \"point\": [0, 0, 0], \"axis\": [0, 1, 0]},"
    "{\"name\": \"B$\", \"type\": \"revolute\", \"body_a\": \"a$\", \"body_b\": \"b$\", \"point\": [0, 0, -2], "
    "\"axis\": [0, 1, 0]},"
    "{\"name\": \"C$\", \"type\": \"spherical\", \"body_a\": \"b$\", \"body_b\": \"a_b$\", \"point\": [0, 0, -4]}], "
    "\"forces\": ["
    "{\"name\": \"F$\", \"type\": \"force\", \"body\": \"a$\", \"vector\": [5, 0, 0], \"function\": \"f$\"},"
    "{\"name\": \"S$\", \"type\": \"spring\", \"body_b\": \"a_b$\", \"point_a\": [1, 0, 0], \"point_b\": [0, 0, -5], "
    "\"stiffness\": 100, \"damping\": 1}], \"outputs\": [\"energy\", {\"name\": \"y$\", \"quantity\": \"position\", "
    "\"body\": \"a$\"}], \"simulation\": {\"t_end\": 0.1, \"h\": 0.001}}";

/* The chain in a file, with this end of its names (as JSON). */
static void write_chain(const char *folder, const char *file, const char *end)
{
    char text[8000] = "";
    for (const char *p = chain; *p != '\0'; ++p) {
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, *p == '$' ? "%s" : "%.1s", *p == '$' ? end : p);
    }
    program_write(folder, file, text, strlen(text));
}

/* Names that continue a line, end a comment, close a block, or look like an entry of the matrix or like a value. */
static void names_of_a_model_never_become_code(void **state)
{
    static const char *const end[] = {"?\?/", " */ #error x /*\\\"'} A[99999999] w->x[0]; //\\\\"};
    char folder[32], path[64];
    program_folder(folder);
    snprintf(path, sizeof path, "%s/chain.json", folder);
    write_chain(folder, "chain.json", "");
    const double plain = program_against_library(path, NULL, 0, 20, "-O0");
    assert_near(plain, 0.0, 1e-12);
    for (size_t k = 0; k < sizeof end / sizeof end[0]; ++k) {
        write_chain(folder, "chain.json", end[k]);
        assert_true(program_against_library(path, NULL, 0, 20, "-O0") == plain);
    }
    program_remove(folder);
}

/* Words of C, C++ and CUDA, macros of headers and of programs, names that belong to the compiler, and two that meet. */
static void parameters_with_reserved_names_compile(void **state)
{
    static const char *const name[] = {"_Bool",   "M_PI",      "__x",    "x",        "_x",      "x_1",     "__LINE__",
                                       "int",     "class",     "true",   "INFINITY", "NAN",     "FP_NAN",  "REAL",
                                       "LANES",   "EACH_LANE", "typeof", "and_eq",   "alignas", "nullptr", "NULL",
                                       "linux",   "DEVICE",    "DOMAIN", "a__b",     "_",       "static",  "char16_t",
                                       "M_SQRT2", "I",         "J1",     "default",  "OVERFLOW"};
    char folder[32], path[64], list[2000] = "", sum[2000] = "0", text[6000], command[400];
    program_folder(folder);
    for (size_t k = 0; k < LEN(name); ++k) {
        const size_t n = strlen(list), m = strlen(sum);
        snprintf(list + n, sizeof list - n, "%s\"%s\": %g", k > 0 ? ", " : "", name[k], 1.0 + 0.1 * (double)k);
        snprintf(sum + m, sizeof sum - m, " + %s", name[k]);
    }
    snprintf(
        text, sizeof text,
        "{\"dalembert\": 1, \"variables\": {%s}, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": "
        "\"%s\", \"velocity\": [1, 0, 0]}], \"outputs\": [\"energy\"], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}",
        list, sum);
    program_write(folder, "names.json", text, strlen(text));
    snprintf(path, sizeof path, "%s/names.json", folder);
    dal_ctx *ctx = check_ctx();
    static const char *const compile[] = {DAL_TEST_CC " -std=c17", DAL_TEST_CC " -std=c17 -mavx2", "c++ -x c++"};
    for (int k = 0; k < 3; ++k) {
        const dal_generate_options how = {.name = "gm",
                                          .parameters = name,
                                          .nparameters = LEN(name),
                                          .lanes = 4,
                                          .scalar = k == 0   ? DAL_GENERATE_DOUBLE
                                                    : k == 1 ? DAL_GENERATE_LANES
                                                             : DAL_GENERATE_CUDA};
        char *made;
        check_ok(ctx, dal_generate(&made, ctx, path, NULL, 0, &how));
        assert_non_null(strstr(made, "real J1;")); // what is not reserved keeps its name
        assert_non_null(strstr(made, "real x;"));
        program_write(folder, "gm.c", made, strlen(made));
        dal_generate_free(ctx, made);
        snprintf(command, sizeof command,
                 "%s -fsyntax-only -Wall -Werror -Wno-unused-function -Wno-unknown-pragmas %s/gm.c", compile[k],
                 folder);
        assert_int_equal(system(command), 0);
    }
    check_ctx_free(ctx);
    program_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_model_never_become_code),
        cmocka_unit_test(parameters_with_reserved_names_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
