/* Generated programs against the library on all built-in models, over 1000 steps, with the tolerances of the models.
 *
 * Newton's method decides in both by the same rules, so that they differ by rounding alone: as much as the library from
 * itself when the last bits of the initial values change. */
#include <string.h>

#include "generate/agreement.h"
#include "support/check.h"

static void programs_agree_on_every_built_in_model(void **state)
{
    static const char *const full[] = {"newton=full"};
    int taken = 0;
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const char *model = dal_builtin_model(k).name, *no = program_refusal(model, NULL, 0);
        if (no[0]) {
            assert_non_null(strstr(no, "of type flexible"));
            continue;
        }
        const agreement a = agreement_over(model, full, 1, 1000, "-O0");
        assert_agrees(model, &a);
        ++taken;
    }
    assert_int_equal(taken, dal_builtin_count() - 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_agree_on_every_built_in_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
