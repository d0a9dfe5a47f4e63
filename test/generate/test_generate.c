/* Generated programs: the essentials. All models and formulations: test_generate_models.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

static void heavy_top_agrees_with_the_library(void **state)
{
    const double difference = program_against_library("heavy_top", NULL, 0, 1000, "-O1");
    assert_near(difference, 0.0, 1e-12);
}

static void what_generated_code_does_not_have_is_refused_by_name(void **state)
{
    static const char *const lobatto[] = {"integrator=lobatto"}, *const adaptive[] = {"step=adaptive"};
    assert_non_null(strstr(program_refusal("flexible_pendulum", NULL, 0), "body 'beam' is of type flexible"));
    assert_non_null(strstr(program_refusal("nonholonomic_particle", NULL, 0), "joint 'row' is of type pfaffian"));
    assert_non_null(strstr(program_refusal("bricard", NULL, 0), "redundant rows"));
    assert_non_null(strstr(program_refusal("heavy_top", lobatto, 1), "integrator"));
    assert_non_null(strstr(program_refusal("heavy_top", adaptive, 1), "step size that changes"));
}

static void the_text_has_no_library_no_allocation_no_globals(void **state)
{
    char *text;
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_generate(&text, ctx, "spatial_slider_crank", NULL, 0, NULL), DAL_OK);
    int includes = 0;
    for (const char *p = text; (p = strstr(p, "#include")) != NULL; ++p) {
        ++includes;
    }
    assert_int_equal(includes, 2);
    assert_non_null(strstr(text, "#include <math.h>\n#include <string.h>\n"));
    assert_null(strstr(text, "malloc"));
    assert_non_null(strstr(text, "(GA.10)"));
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
}

static void the_same_model_gives_the_same_text(void **state)
{
    char *a, *b;
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_generate(&a, ctx, "andrews_squeezer", NULL, 0, NULL), DAL_OK);
    assert_int_equal(dal_generate(&b, ctx, "andrews_squeezer", NULL, 0, NULL), DAL_OK);
    assert_string_equal(a, b);
    dal_generate_free(ctx, a);
    dal_generate_free(ctx, b);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_agrees_with_the_library),
        cmocka_unit_test(what_generated_code_does_not_have_is_refused_by_name),
        cmocka_unit_test(the_text_has_no_library_no_allocation_no_globals),
        cmocka_unit_test(the_same_model_gives_the_same_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
