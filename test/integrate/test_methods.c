/* Methods by name. */
#include <string.h>

#include "dalembert/integrate.h"
#include "support/check.h"

static void every_method_can_be_applied_and_has_a_line(void **state)
{
    dal_ctx *ctx = check_ctx();
    assert_true(dal_method_count() > 10);
    for (int k = 0; k < dal_method_count(); ++k) {
        const dal_method m = dal_method_get(k);
        dal_options opt = dal_options_init();
        check_ok(ctx, dal_options_method(ctx, &opt, m.name));
        check_ok(ctx, dal_options_check(ctx, dal_options_table(), &opt));
        assert_true(m.order >= 1 && m.text[0] != '\0');
    }
    assert_null(dal_method_get(-1).name);
    assert_null(dal_method_get(dal_method_count()).name);
    check_ctx_free(ctx);
}

static void a_name_may_be_followed_by_assignments(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_options opt = dal_options_init();
    check_ok(ctx, dal_options_method(ctx, &opt, "lobatto3:h=0.25:step=adaptive"));
    assert_int_equal(opt.integrator, DAL_INTEGRATOR_LOBATTO);
    assert_int_equal(opt.stages, 3);
    assert_int_equal(opt.step, DAL_STEP_ADAPTIVE);
    assert_near(opt.h, 0.25, 0.0);
    check_ctx_free(ctx);
}

static void auto_is_adaptive_whatever_the_model_says(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_options opt = dal_options_init();
    opt.step = DAL_STEP_FIXED;
    check_ok(ctx, dal_options_method(ctx, &opt, "auto:step_rtol=1e-7"));
    assert_int_equal(opt.integrator, DAL_INTEGRATOR_AUTO);
    dal_options_resolve(&opt);
    assert_int_equal(opt.step, DAL_STEP_ADAPTIVE);
    assert_near(opt.step_rtol, 1e-7, 0.0);
    check_ctx_free(ctx);
}

static void a_wrong_name_or_assignment_changes_nothing(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_options opt = dal_options_init();
    const dal_options before = opt;
    assert_int_equal(dal_options_method(ctx, &opt, "gg"), DAL_EOPTION);
    assert_non_null(strstr(dal_ctx_message(ctx), "did you mean 'ggl'"));
    assert_int_equal(dal_options_method(ctx, &opt, "ggl:h=-1"), DAL_EOPTION);
    assert_int_equal(dal_options_method(ctx, &opt, NULL), DAL_EINVAL);
    assert_int_equal(dal_options_method(ctx, NULL, "ggl"), DAL_EINVAL);
    assert_memory_equal(&opt, &before, sizeof opt);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_can_be_applied_and_has_a_line),
        cmocka_unit_test(a_name_may_be_followed_by_assignments),
        cmocka_unit_test(auto_is_adaptive_whatever_the_model_says),
        cmocka_unit_test(a_wrong_name_or_assignment_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
