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
    static const char *const end[] = {"?\?/", " */ #error x /*\\\"'} A[99999999] w->x[0]; \\u202e//\\\\"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_a_model_never_become_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
