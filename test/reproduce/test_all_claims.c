/* Every claim, as `dalembert reproduce` runs them, and the data of every figure. */
#include <string.h>

#include "reproduce/figures.h"
#include "reproduce/reproduce.h"
#include "support/check.h"

static void all_claims_are_reproduced_or_differ_as_explained(void **state)
{
    const reproduce_options opt = {.jobs = 2};
    assert_int_equal(reproduce_main(&opt, stdout, stderr), 0);
}

/* Blocks with at least two lines of numbers in what a figure writes. */
static int count_blocks(FILE *data)
{
    char line[256];
    int blocks = 0, lines = 0;
    double x, y;
    rewind(data);
    while (fgets(line, sizeof line, data) != NULL) {
        if (line[0] == '\n') {
            blocks += lines >= 2;
            lines = 0;
        } else {
            assert_int_equal(sscanf(line, "%lf %lf", &x, &y), 2);
            lines++;
        }
    }
    return blocks;
}

static void every_figure_has_a_block_for_each_series(void **state)
{
    for (int k = 0; k < figure_count(); ++k) {
        const figure *f = figure_at(k);
        dal_ctx *ctx = check_ctx();
        FILE *data = tmpfile();
        int series = 0;
        while (series < FIGURE_SERIES && f->series[series].title != NULL) {
            series++;
        }
        assert_non_null(data);
        lab L = {.ctx = ctx};
        f->data(data, &L, f, series);
        lab_close(&L);
        print_message("%s: %d series\n", f->name, series);
        assert_int_equal(count_blocks(data), series);
        assert_int_equal(fclose(data), 0);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_claims_are_reproduced_or_differ_as_explained),
        cmocka_unit_test(every_figure_has_a_block_for_each_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
