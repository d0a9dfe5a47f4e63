/* Generated programs against the library on all built-in models, over 1000 steps, with the tolerances of the models.
 *
 * Newton's method decides in both by the same rules, so that they differ by rounding alone: as much as the library from
 * itself when the last bits of the initial values change.
 *
 * Bricard's linkage passes a position where its matrix is nearly singular (increments of 1e9 tolerances). Factors in a fixed order
 * lose more digits there than those with pivots: 0.7 % of the last increment against 0.08 %; with long double both agree. What
 * Newton's method leaves below its tolerance then differs (3e-10); it is run to the end. */
#include <string.h>

#include "generate/agreement.h"
#include "support/check.h"

static void programs_agree_on_every_built_in_model(void **state)
{
    static const char *const full[] = {"newton=full", "atol=1e-14", "rtol=1e-13"};
    int taken = 0;
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const char *model = dal_builtin_model(k).name, *no = program_refusal(model, NULL, 0);
        if (no[0]) {
            assert_true(strstr(no, "contact, which generated code does not have") ||
                        strstr(no, "is switched while it runs"));
            continue;
        }
        const char *few = program_few(model);
        const int long_chain = few && few[0] == 'N';
        const char *const *set = few && !long_chain ? (const char *const[]){"newton=full", few} : full;
        const int nset = strcmp(model, "bricard") == 0 ? 3 : set != full ? 2 : 1;
        const agreement a = agreement_over(model, set, nset, set != full ? 200 : 1000, "-O0");
        assert_agrees(model, &a);
        ++taken;
    }
    assert_int_equal(taken, dal_builtin_count() - 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_agree_on_every_built_in_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
