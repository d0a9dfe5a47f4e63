/* Figures of an independent program, each of which is computed here or in test_figures_long. */
#include "figures.h"
#include "support/check.h"

static void every_figure_is_met(void **state)
{
    figures_check(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_figure_is_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
