/* Generated files of all built-in models: compilers and their warnings, sanitizers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

/* Which share of the models: the tests divide them. */
enum { SHARES = 4 };
static int share;

static void all_built_in_models_compile_without_warnings_and_run_under_sanitizers(void **state)
{
    char folder[32];
    program_folder(folder);
    for (int k = share; k < dal_builtin_count(); k += SHARES) {
        const char *model = dal_builtin_model(k).name, *few = program_few(model);
        if (!program_refusal(model, NULL, 0)[0]) {
            print_message("%s\n", model);
            program_check(folder, model, &few, few != NULL);
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
