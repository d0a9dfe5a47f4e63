/* Functions from tables in text files. */
#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

static void write_table(const char *text)
{
    FILE *file = fopen("table.csv", "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define TABLE(more) "'functions': {'f': {'type': 'table', 'file': 'table.csv'" more "}}"

static void columns_are_found_by_number_and_by_name(void **state)
{
    static const char *const cases[][2] = {
        {"0,1\n1,3\n2,5\n", TABLE("")},
        {"0;1\r\n1;3\r\n2;5\r\n", TABLE(", 'interpolation': 'cubic'")},
        {"# a comment\n\n t \t f\n0\t1\n1\t3\n\n2\t5", TABLE(", 'interpolation': 'linear'")},
        {"\xEF\xBB\xBFtime [s],other,\"force [N]\"\n0, 9, 1\n1, 9, 3\n2, 9, 5\n", TABLE(", 'x': 'time', 'y': 'force'")},
        {"1,x,0\n3,x,1\n5,x,2\n", TABLE(", 'x': 3, 'y': 1")},
        {"-1,0\n1e0,1.0e+0\n3,2\n", TABLE(", 'x': 2, 'y': 1, 'interpolation': 'linear'")},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        double y[3];
        write_table(cases[k][0]);
        check_ok(ctx, text_body(&doc, ctx, cases[k][1]));
        dal_model_function_value(dal_document_model(doc), y, 1, 0.5);
        assert_near(y[0], k + 1 < LEN(cases) ? 2.0 : 0.0, 1e-14);
        assert_near(y[1], 2.0, 1e-14);
        dal_document_destroy(doc);
    }
    remove("table.csv");
    check_ctx_free(ctx);
}

static void mistakes_are_told_with_their_line(void **state)
{
    static const struct {
        const char *file, *model, *message;
    } cases[] = {
        {"t,f\n0,1\n1,abc\n", TABLE(""), "/functions/f/file: table.csv:3: column 2: 'abc' is not a number"},
        {"t,f\n0,1\n\n# x\n1\n", TABLE(""), "table.csv:5: there is no column 2"},
        {"0,1\n0,2\n", TABLE(""), "table.csv:2: column 1 must increase, but 0 follows 0"},
        {"t,f\n0,1\n1,2\n", TABLE(", 'y': 'g'"), "table.csv:1: no column 'g'"},
        {"0,1\n1,2\n", TABLE(", 'y': 'g'"), "table.csv:1: no column 'g'"},
        {"0,1\n1,2\n", TABLE(", 'y': 0"), "/functions/f/y: columns are numbered from 1"},
        {"0,1\n1,nan\n", TABLE(""), "table.csv:2: column 2: 'nan' is not a number"},
        {"0,1\n1,\x1b[31m\n", TABLE(""), "table.csv:2: column 2: '?[31m' is not a number"},
        {"0,1\n", TABLE(""), "table.csv: a table needs at least two lines"},
        {"", TABLE(""), "a table needs at least two lines"},
        {"0,1\n1,2\n", TABLE(", 'interpolation': 'liner'"), "no interpolation 'liner' (did you mean 'linear'?)"},
        {"0,1\n1,2\n", TABLE(", 'interpolation': 'periodic'"), "must end with the value it begins with"},
        {"0,1\n1,2\n", "'functions': {'f': {'type': 'table', 'file': 'absent.csv'}}", "cannot open 'absent.csv'"},
        {"0,1\n1,2\n", "'functions': {'f': {'type': 'table', 'file': '/etc/passwd'}}",
         "outside the folder of the model"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        write_table(cases[k].file);
        // a file that is not there is no mistake in the text
        const dal_status st = strstr(cases[k].message, "cannot open") ? DAL_EIO : DAL_EINVAL;
        check_fails(ctx, text_body(&doc, ctx, cases[k].model), st, cases[k].message);
    }
    remove("table.csv");
    check_ctx_free(ctx);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    dal_document *doc;
    const dal_status st = text_body(&doc, ctx, TABLE(", 'interpolation': 'periodic'"));
    dal_document_destroy(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    static char text[8000];
    size_t n = 0;
    for (int k = 0; k <= 600; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%d,%d\n", k, k % 3);
    }
    write_table(text);
    assert_true(check_every_allocation(scenario, NULL) > 10);
    remove("table.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_number_and_by_name),
        cmocka_unit_test(mistakes_are_told_with_their_line),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
