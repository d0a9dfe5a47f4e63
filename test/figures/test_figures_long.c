/* Figures of an independent program, those of long runs. */
#include "figures.h"
#include "support/check.h"

static void every_figure_of_a_long_run_is_met(void **state)
{
    figures_check(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_figure_of_a_long_run_is_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
