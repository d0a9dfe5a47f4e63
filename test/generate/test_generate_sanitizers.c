/* Generated files of all built-in models: compilers and their warnings, sanitizers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

/* Which share of the models: the tests divide them. */
enum { SHARES = 4 };
static int share;

static const char run_text[] =
    "#include \"gm.c\"\nint main(void)\n{\n    static gm_state s;\n    double y[512];\n    gm_init(&s);\n"
    "    for (int k = 0; k < 20; ++k) {\n        if (gm_step(&s) != GM_OK) {\n            return 1;\n        }\n"
    "    }\n    gm_outputs(&s, y);\n    return !(gm_energy(&s) < 1e300);\n}\n";

/* Compile with both compilers where they are there, without warnings; run under sanitizers. */
static void check_program(const char *folder, const char *model, const char *const *set, int nset)
{
    static const char *const compilers[] = {"gcc", "clang"};
    char command[512];
    program_write_model(folder, "gm.c", model, set, nset, "gm");
    for (size_t k = 0; k < LEN(compilers); ++k) {
        snprintf(command, sizeof command,
                 "! command -v %s > /dev/null || %s -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "
                 "-fsyntax-only %s/gm.c",
                 compilers[k], compilers[k], folder);
        assert_int_equal(system(command), 0);
    }
    program_write(folder, "main.c", run_text, strlen(run_text));
    snprintf(command, sizeof command,
             "cd %s && " DAL_TEST_CC
             " -std=c17 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -o main main.c -lm && ./main",
             folder);
    assert_int_equal(system(command), 0);
}

static void all_built_in_models_compile_without_warnings_and_run_under_sanitizers(void **state)
{
    static const char *const few[] = {"N=8"}; // of links, where there are many of the same
    char folder[32];
    program_folder(folder);
    for (int k = share; k < dal_builtin_count(); k += SHARES) {
        const char *model = dal_builtin_model(k).name;
        if (!program_refusal(model, NULL, 0)[0]) {
            print_message("%s\n", model);
            check_program(folder, model, few, (strcmp(model, "catenary") == 0 || strcmp(model, "hanging_chain") == 0));
        }
    }
    program_remove(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_built_in_models_compile_without_warnings_and_run_under_sanitizers)};
    share = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
