#include <string.h>

#include "base/sample_options.h"

static dal_ctx *ctx;

static int setup(void **state)
{
    ctx = check_ctx();
    return 0;
}

static int teardown(void **state)
{
    check_ctx_free(ctx);
    return 0;
}

static sample defaults(void)
{
    sample s;
    memset(&s, 0, sizeof s);
    dal_options_default(&sample_table, &s);
    return s;
}

/* Assignment and the whole message it must give. */
typedef struct refusal {
    const char *assignment, *message;
} refusal;

static void assert_refused(const refusal *r, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        sample s = defaults();
        assert_int_equal(dal_options_parse(ctx, &sample_table, &s, r[k].assignment), DAL_EOPTION);
        assert_string_equal(dal_ctx_message(ctx), r[k].message);
    }
}

static void unknown_names_suggest_the_nearest(void **state)
{
    static const refusal r[] = {
        {"rho=1", "no option 'rho' (did you mean 'rho_inf'?)"},
        {"maxiter=1", "no option 'maxiter' (did you mean 'max_iter'?)"},
        {"velocity=1", "no option 'velocity'"},
        {"=1", "no option ''"},
        {"rho_inf", "'rho_inf' does not have the form key=value"},
    };
    assert_refused(r, LEN(r));
}

static void numbers_out_of_range_name_the_range(void **state)
{
    static const refusal r[] = {
        {"rho_inf=1.2", "rho_inf = 1.2 is not in [0, 1]"},
        {"rho_inf=-0.1", "rho_inf = -0.1 is not in [0, 1]"},
        {"h_max=0", "h_max = 0 is neither in (0, inf) nor one of none"},
        {"sigma=5", "sigma = 5 is neither in [0, 3] nor one of opt, spin"},
        {"max_iter=0", "max_iter = 0 is not in [1, 1000]"},
        {"max_iter=3000000000", "max_iter = 3000000000 is not in [1, 1000]"},
        {"times=1,11", "times = 11 is not in [0, 10]"},
    };
    assert_refused(r, LEN(r));
}

static void unreadable_values_name_what_is_possible(void **state)
{
    static const refusal r[] = {
        {"rho_inf=nan", "rho_inf = 'nan': choose a number in [0, 1]"},
        {"rho_inf=", "rho_inf = '': choose a number in [0, 1]"},
        {"rho_inf=0.5x", "rho_inf = '0.5x': choose a number in [0, 1]"},
        {"shift=inf", "shift = 'inf': choose a number in (-inf, inf)"},
        {"shift=1e999", "shift = '1e999': choose a number in (-inf, inf)"},
        {"sigma=optt", "sigma = 'optt': choose a number in [0, 3] or one of opt, spin (did you mean 'opt'?)"},
        {"max_iter=1.5", "max_iter = '1.5': choose a whole number in [1, 1000]"},
        {"strict=ye", "strict = 'ye': choose one of no, yes, off, on, false, true, 0, 1 (did you mean 'yes'?)"},
        {"formulation=index4",
         "formulation = 'index4': choose one of index3, index2, index1, ggl (did you mean 'index3'?)"},
        {"formulation=GGL", "formulation = 'GGL': choose one of index3, index2, index1, ggl (did you mean 'ggl'?)"},
        {"formulation=lobatto", "formulation = 'lobatto': choose one of index3, index2, index1, ggl"},
        {"times=1,x", "times = 'x': choose a number in [0, 10]"},
        {"times=1,,2", "times = '': choose a number in [0, 10]"},
        {"times=1,2,", "times: a number is missing after the last comma"},
        {"times=1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8", "times: more than 16 numbers"},
    };
    assert_refused(r, LEN(r));
}

static void names_and_values_must_be_there(void **state)
{
    sample s = defaults();
    check_fails(ctx, dal_options_set(ctx, &sample_table, &s, NULL, "1"), DAL_EINVAL, "key is NULL");
    check_fails(ctx, dal_options_set(ctx, &sample_table, &s, "rho_inf", NULL), DAL_EINVAL, "value is NULL");
    check_fails(ctx, dal_options_parse(ctx, &sample_table, &s, NULL), DAL_EINVAL, "assignment is NULL");
}

static void endless_texts_are_cut(void **state)
{
    sample s = defaults();
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    check_fails(ctx, dal_options_set(ctx, &sample_table, &s, text, "1"), DAL_EOPTION, "no option 'xxx");
    check_fails(ctx, dal_options_set(ctx, &sample_table, &s, "rho_inf", text), DAL_EOPTION, "choose a number");
    check_fails(ctx, dal_options_parse(ctx, &sample_table, &s, text), DAL_EOPTION, "key=value");
    assert_true(strlen(dal_ctx_message(ctx)) < 200);
}

/* dal_options_check on structs that were filled by hand. */
static void check_finds_what_a_program_got_wrong(void **state)
{
    sample s = defaults();
    s.rho_inf = NAN;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION, "rho_inf = nan is not in [0, 1]");
    s = defaults();
    s.shift = INFINITY;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION, "shift = inf is not in (-inf, inf)");
    s = defaults();
    s.max_iter = -7;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION, "max_iter = -7 is not in [1, 1000]");
    s = defaults();
    s.strict = 2;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION,
                "strict = 2 is neither 0 (no) nor 1 (yes)");
    s = defaults();
    s.formulation = (sample_form)5;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION,
                "formulation = 5: choose one of index3, index2, index1, ggl");
    s = defaults();
    s.times.n = DAL_REALS_MAX + 1;
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION, "times: 17 numbers, where 0 to 16");
    s.times = (dal_reals){2, {1.0, NAN}};
    check_fails(ctx, dal_options_check(ctx, &sample_table, &s), DAL_EOPTION, "times = nan is not in [0, 10]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names_suggest_the_nearest),
        cmocka_unit_test(numbers_out_of_range_name_the_range),
        cmocka_unit_test(unreadable_values_name_what_is_possible),
        cmocka_unit_test(names_and_values_must_be_there),
        cmocka_unit_test(endless_texts_are_cut),
        cmocka_unit_test(check_finds_what_a_program_got_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
