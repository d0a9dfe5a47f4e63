#include <stdio.h>
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
    memset(&s, 0xff, sizeof s);
    dal_options_default(&sample_table, &s);
    return s;
}

static void defaults_are_those_of_the_table_and_valid(void **state)
{
    const sample s = defaults();
    assert_true(s.rho_inf == 0.9);
    assert_true(s.sigma == -1.0);
    assert_true(s.h_max == INFINITY);
    assert_int_equal(s.max_iter, 20);
    assert_int_equal(s.strict, 1);
    assert_int_equal(s.formulation, FORM_INDEX3);
    assert_int_equal(s.times.n, 0);
    check_ok(ctx, dal_options_check(ctx, &sample_table, &s));
}

static void values_are_set_from_text(void **state)
{
    sample s = defaults();
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "rho_inf", "1"));
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "sigma", "spin"));
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "max_iter", "1e2"));
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "formulation", "ggl"));
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "times", "0.1,0.2, 0.5"));
    assert_true(s.rho_inf == 1.0);
    assert_true(s.sigma == -2.0);
    assert_int_equal(s.max_iter, 100);
    assert_int_equal(s.formulation, FORM_GGL);
    assert_int_equal(s.times.n, 3);
    assert_true(s.times.x[0] == 0.1 && s.times.x[1] == 0.2 && s.times.x[2] == 0.5);
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "sigma", "0.25"));
    assert_true(s.sigma == 0.25);
    check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "times", ""));
    assert_int_equal(s.times.n, 0);
}

static void flags_know_four_pairs_of_words(void **state)
{
    static const char *const word[][2] = {{"no", "yes"}, {"off", "on"}, {"false", "true"}, {"0", "1"}};
    for (size_t k = 0; k < LEN(word); ++k) {
        sample s = defaults();
        for (int value = 0; value < 2; ++value) {
            check_ok(ctx, dal_options_set(ctx, &sample_table, &s, "strict", word[k][value]));
            assert_int_equal(s.strict, value);
        }
    }
}

static void assignments_are_parsed_with_blanks(void **state)
{
    static const char *const form[] = {"rho_inf=0.5", " rho_inf = 0.5 ", "rho_inf\t=0.5\n"};
    for (size_t k = 0; k < LEN(form); ++k) {
        sample s = defaults();
        check_ok(ctx, dal_options_parse(ctx, &sample_table, &s, form[k]));
        assert_true(s.rho_inf == 0.5);
    }
}

/* Format every option, set the text in a fresh struct: the bits are the same. */
static void formatted_values_read_back_exactly(void **state)
{
    check_rng rng = check_rng_seed(3);
    for (int round = 0; round < 500; ++round) {
        sample s = defaults(), back = defaults();
        s.rho_inf = check_uniform(&rng, 0.0, 1.0);
        s.sigma = round % 3 == 0 ? -2.0 : check_uniform(&rng, 0.0, 3.0);
        s.h_max = round % 2 == 0 ? INFINITY : exp(check_normal(&rng));
        s.shift = ldexp(check_normal(&rng), (int)check_uniform(&rng, -900.0, 900.0));
        s.max_iter = (int)check_uniform(&rng, 1.0, 1000.0);
        s.strict = round % 2;
        s.formulation = round % 4 == 0 ? FORM_GGL : FORM_INDEX1;
        s.times.n = round % (DAL_REALS_MAX + 1);
        for (int i = 0; i < s.times.n; ++i) {
            s.times.x[i] = check_uniform(&rng, 0.0, 10.0);
        }
        for (int k = 0; k < sample_table.n; ++k) {
            char text[600];
            assert_true(dal_options_format(text, sizeof text, &sample_option[k], &s) < sizeof text);
            check_ok(ctx, dal_options_set(ctx, &sample_table, &back, sample_option[k].name, text));
        }
        assert_true(back.rho_inf == s.rho_inf && back.sigma == s.sigma && back.h_max == s.h_max);
        assert_true(back.shift == s.shift && back.max_iter == s.max_iter && back.strict == s.strict);
        assert_int_equal(back.formulation, s.formulation);
        assert_int_equal(back.times.n, s.times.n);
        assert_memory_equal(back.times.x, s.times.x, sizeof(double) * (size_t)s.times.n);
    }
}

static void a_refused_value_changes_nothing(void **state)
{
    static const char *const bad[] = {"rho_inf=2",  "rho_inf=x",          "sigma=none",  "max_iter=0",   "max_iter=1.5",
                                      "strict=may", "formulation=index4", "times=1,2,x", "times=1,2,11", "nothing=1"};
    for (size_t k = 0; k < LEN(bad); ++k) {
        sample before = defaults(), s;
        before.times = (dal_reals){2, {1.0, 2.0}};
        memcpy(&s, &before, sizeof s);
        assert_int_equal(dal_options_parse(ctx, &sample_table, &s, bad[k]), DAL_EOPTION);
        assert_memory_equal(&s, &before, sizeof s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table_and_valid),
        cmocka_unit_test(values_are_set_from_text),
        cmocka_unit_test(flags_know_four_pairs_of_words),
        cmocka_unit_test(assignments_are_parsed_with_blanks),
        cmocka_unit_test(formatted_values_read_back_exactly),
        cmocka_unit_test(a_refused_value_changes_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
