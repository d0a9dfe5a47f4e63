#include <string.h>

#include "base/sample_options.h"

static const char manual[] =
    "## Sample options\n"
    "\n"
    "| Name | Values | Default | Meaning |\n"
    "|---|---|---|---|\n"
    "| `rho_inf` | number in [0, 1] | `0.9` | Spectral radius at infinity. |\n"
    "| `sigma` | number in [0, 3], or `opt`, `spin` | `opt` | Weight of the tangent term. |\n"
    "| `h_max` | number in (0, inf), or `none` | `none` | Largest step. |\n"
    "| `shift` | number in (-inf, inf) | `0` | Any number. |\n"
    "| `max_iter` | whole number in [1, 1000] | `20` | Iterations a\\|step. |\n"
    "| `strict` | `no`, `yes` | `yes` | Refuse inconsistent values. |\n"
    "| `formulation` | `index3`, `index2`, `index1`, `ggl` | `index3` | Index of the equations. |\n"
    "| `times` | up to 16 numbers in [0, 10] | none | Output times. |\n";

static void markdown_is_the_table_of_the_manual(void **state)
{
    char text[2000];
    assert_int_equal(dal_options_markdown(text, sizeof text, &sample_table), strlen(manual));
    assert_string_equal(text, manual);
}

/* With any size the length needed comes back, the text is the beginning of the whole and ends with a zero. */
static void a_short_buffer_gets_the_beginning(void **state)
{
    char text[sizeof manual + 1];
    for (size_t size = 0; size <= sizeof manual; ++size) {
        memset(text, 'X', sizeof text);
        assert_int_equal(dal_options_markdown(size > 0 ? text : NULL, size, &sample_table), strlen(manual));
        assert_int_equal(text[size], 'X');
        if (size > 0) {
            assert_int_equal(strlen(text), size - 1);
            assert_memory_equal(text, manual, size - 1);
        }
    }
}

static void values_are_written_as_words_where_they_have_one(void **state)
{
    static const char *const want[] = {"0.9", "opt", "none", "0", "20", "yes", "index3", ""};
    sample s;
    dal_options_default(&sample_table, &s);
    for (size_t k = 0; k < LEN(want); ++k) {
        char text[40];
        assert_int_equal(dal_options_format(text, sizeof text, &sample_option[k], &s), strlen(want[k]));
        assert_string_equal(text, want[k]);
    }
}

static void lists_are_written_with_commas(void **state)
{
    sample s;
    char text[40];
    dal_options_default(&sample_table, &s);
    s.times = (dal_reals){3, {0.1, 2.0, 1e-6}};
    assert_int_equal(dal_options_format(text, sizeof text, &sample_option[7], &s), 11);
    assert_string_equal(text, "0.1,2,1e-06");
    assert_int_equal(dal_options_format(text, 4, &sample_option[7], &s), 11);
    assert_string_equal(text, "0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown_is_the_table_of_the_manual),
        cmocka_unit_test(a_short_buffer_gets_the_beginning),
        cmocka_unit_test(values_are_written_as_words_where_they_have_one),
        cmocka_unit_test(lists_are_written_with_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
