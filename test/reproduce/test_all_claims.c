/* Every claim, as `dalembert reproduce` runs them, and the data of every figure. */
#include "reproduce/figures.h"
#include "reproduce/reproduce.h"
#include "support/check.h"

static void all_claims_are_reproduced_or_differ_as_explained(void **state)
{
    const reproduce_options opt = {.jobs = 2};
    assert_int_equal(reproduce_main(&opt, stdout, stderr), 0);
}

static void every_figure_has_points_for_each_series(void **state)
{
    enum { ROOM = 4096 };
    static double x[ROOM], y[ROOM];
    for (int k = 0; k < figure_count(); ++k) {
        const section *f = figure_at(k);
        dal_ctx *ctx = check_ctx();
        lab L = {.ctx = ctx};
        char title[FIGURE_TITLE];
        int series = 0, n;
        while ((n = figure_curve(&L, f, series, title, x, y, ROOM)) >= 0) {
            assert_true(n >= 2);
            series++;
        }
        lab_close(&L);
        print_message("%s: %d series\n", figure_name(f), series);
        assert_true(series >= 1);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_claims_are_reproduced_or_differ_as_explained),
        cmocka_unit_test(every_figure_has_points_for_each_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
