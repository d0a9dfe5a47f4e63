#include <string.h>

#include "support/check.h"

static const char *const words[] = {"rho_inf", "formulation", "index3", "index2", "ggl", "max_steps", "h"};

static const char *nearest(const char *text)
{
    return dal_nearest(text, words, (int)LEN(words));
}

static void a_slip_finds_the_word(void **state)
{
    static const char *const slip[][2] = {
        {"rho_inv", "rho_inf"},
        {"rhoinf", "rho_inf"},
        {"rho", "rho_inf"},
        {"form", "formulation"},
        {"fromulation", "formulation"},
        {"formualtion", "formulation"},
        {"index4", "index3"},
        {"indx2", "index2"},
        {"gll", "ggl"},
        {"GGL", "ggl"},
        {"maxsteps", "max_steps"},
        {"Max-Steps", "max_steps"},
    };
    for (size_t k = 0; k < LEN(slip); ++k) {
        assert_non_null(nearest(slip[k][0]));
        assert_string_equal(nearest(slip[k][0]), slip[k][1]);
    }
}

static void a_word_is_nearest_to_itself(void **state)
{
    for (size_t k = 0; k < LEN(words); ++k) {
        assert_string_equal(nearest(words[k]), words[k]);
    }
}

static void far_words_find_nothing(void **state)
{
    static const char *const far[] = {"", "x", "zz", "velocity", "abc", "projection"};
    for (size_t k = 0; k < LEN(far); ++k) {
        assert_null(nearest(far[k]));
    }
    assert_null(dal_nearest("ggl", words, 0));
    char hint[DAL_HINT_SIZE];
    assert_string_equal(dal_hint(hint, NULL), "");
    assert_string_equal(dal_hint(hint, "ggl"), " (did you mean 'ggl'?)");
}

static void endless_texts_are_harmless(void **state)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(nearest(text));
    const char *const same[] = {text};
    assert_ptr_equal(dal_nearest(text, same, 1), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_finds_the_word),
        cmocka_unit_test(a_word_is_nearest_to_itself),
        cmocka_unit_test(far_words_find_nothing),
        cmocka_unit_test(endless_texts_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
