/* Generated programs: the essentials. All models and formulations: test_generate_models.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/generate_impl.h"
#include "generate/program.h"
#include "support/check.h"

static void heavy_top_agrees_with_the_library(void **state)
{
    const double difference = program_against_library("heavy_top", NULL, 0, 1000, "-O1");
    assert_near(difference, 0.0, 1e-12);
}

static void flags_that_hide_failed_steps_are_refused(void **state)
{
    char folder[32], command[256];
    program_folder(folder);
    program_write_model(folder, "gm.c", "planar_slider_crank", NULL, 0, "gm");
    snprintf(command, sizeof command,
             "cd %s && ! " DAL_TEST_CC " -ffast-math -E -o gm.i gm.c 2> log && grep -q -e '-fno-finite-math-only' log",
             folder);
    assert_int_equal(system(command), 0);
    program_remove(folder);
}

static void what_generated_code_does_not_have_is_refused_by_name(void **state)
{
    static const char *const lobatto[] = {"integrator=lobatto"}, *const adaptive[] = {"step=adaptive"},
                             *const index2[] = {"formulation=index2"};
    assert_non_null(strstr(program_refusal("bouncing_ball", NULL, 0), "is of type contact"));
    assert_non_null(strstr(program_refusal("bricard", index2, 1), "redundant rows"));
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

/* What the head of a program says of its matrix. */
static long operations(const char *model)
{
    char *text;
    long n = -1;
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    const char *const set[] = {"formulation=index3"};
    assert_int_equal(dal_generate(&text, ctx, model, set, 1, NULL), DAL_OK);
    const char *at = strstr(text, "about ");
    assert_non_null(at);
    n = strtol(at + 6, NULL, 10);
    assert_null(strstr(text, "A[0] = REAL(")); // numbers are folded, not stored
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
    return n;
}

/* Velocities first, with M for their pivots, takes 118, 2787 and 1037. */
static void coordinates_go_with_the_joints_that_hold_them(void **state)
{
    assert_in_range(operations("heavy_top"), 27, 80); // at least a 3 x 3 system
    assert_in_range(operations("spatial_slider_crank"), 27, 1150);
    assert_in_range(operations("andrews_squeezer"), 27, 520);
}

static void a_piece_of_text_may_have_any_length(void **state)
{
    enum { SIZE = 20000 };
    char *long_text = calloc(1, SIZE + 1);
    dal_ctx *ctx = check_ctx();
    gen_text t = {.ctx = ctx};
    assert_non_null(long_text);
    memset(long_text, 'a', SIZE);
    gen_put(&t, "%d %s;", 7, long_text);
    assert_int_equal(t.failed, 0);
    assert_int_equal(t.n, SIZE + 3);
    assert_memory_equal(t.s, "7 a", 3);
    assert_string_equal(t.s + SIZE, "aa;");
    gen_text_release(&t);
    free(long_text);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_agrees_with_the_library),
        cmocka_unit_test(flags_that_hide_failed_steps_are_refused),
        cmocka_unit_test(what_generated_code_does_not_have_is_refused_by_name),
        cmocka_unit_test(the_text_has_no_library_no_allocation_no_globals),
        cmocka_unit_test(a_piece_of_text_may_have_any_length),
        cmocka_unit_test(the_same_model_gives_the_same_text),
        cmocka_unit_test(coordinates_go_with_the_joints_that_hold_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
