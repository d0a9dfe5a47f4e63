#include <stdio.h>
#include <string.h>

#include "support/check.h"

static const dal_status all[] = {
#define STATUS(name, value, text) name,
    DAL_STATUS_LIST(STATUS)
#undef STATUS
};

static void every_status_has_its_own_value_name_and_text(void **state)
{
    for (size_t i = 0; i < LEN(all); ++i) {
        assert_memory_equal(dal_status_name(all[i]), "DAL_", 4);
        assert_true(strlen(dal_status_text(all[i])) > 0);
        for (size_t j = 0; j < i; ++j) {
            assert_int_not_equal(all[i], all[j]);
            assert_string_not_equal(dal_status_name(all[i]), dal_status_name(all[j]));
            assert_string_not_equal(dal_status_text(all[i]), dal_status_text(all[j]));
        }
    }
}

static void names_and_texts_are_those_of_the_list(void **state)
{
    assert_int_equal(DAL_OK, 0);
    assert_string_equal(dal_status_name(DAL_EINVAL), "DAL_EINVAL");
    assert_string_equal(dal_status_text(DAL_EINVAL), "invalid argument");
    assert_string_equal(dal_status_name(DAL_RETRY), "DAL_RETRY");
}

static void a_foreign_value_is_called_unknown(void **state)
{
    const int foreign = 12345;
    dal_status st = DAL_OK;
    memcpy(&st, &foreign, sizeof st);
    assert_string_equal(dal_status_name(st), "unknown status");
    assert_string_equal(dal_status_text(st), "unknown status");
}

static dal_status twice(dal_status first, int *reached)
{
    DAL_TRY(first);
    *reached = 1;
    return DAL_OK;
}

static void try_returns_at_the_first_failure(void **state)
{
    int reached = 0;
    assert_int_equal(twice(DAL_RETRY, &reached), DAL_RETRY);
    assert_int_equal(reached, 0);
    assert_int_equal(twice(DAL_OK, &reached), DAL_OK);
    assert_int_equal(reached, 1);
}

static void version_is_that_of_the_header(void **state)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", DAL_VERSION_MAJOR, DAL_VERSION_MINOR, DAL_VERSION_PATCH);
    assert_int_equal(dal_version(), DAL_VERSION);
    assert_string_equal(dal_version_string(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_value_name_and_text),
        cmocka_unit_test(names_and_texts_are_those_of_the_list),
        cmocka_unit_test(a_foreign_value_is_called_unknown),
        cmocka_unit_test(try_returns_at_the_first_failure),
        cmocka_unit_test(version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
