/* Numbers of members: those of the model opened with the same values, without opening it. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/generate.h"
#include "support/check.h"

enum { MOST = 2000 };

static dal_program *program_of(dal_ctx *ctx, const char *model, const char *const *set, int nset,
                               const char *const *names, int n)
{
    dal_program *p;
    const dal_generate_options how = {.parameters = names, .nparameters = n};
    if (dal_program_create(&p, ctx, model, set, nset, &how) != DAL_OK) {
        fail_msg("%s: %s", model, dal_ctx_message(ctx));
    }
    assert_true(dal_program_size(p) <= MOST);
    return p;
}

/* The member of a program with values that are far from those of the model, against the member of the program of a model
 * that has these values. */
static void check_members(const char *model, const char *const *names, const char *const *set, const double *values,
                          int n)
{
    double x[MOST], y[MOST];
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_program *p = program_of(ctx, model, NULL, 0, names, n), *other = program_of(ctx, model, set, n, names, n);
    assert_int_equal(dal_program_size(p), dal_program_size(other));
    assert_int_equal(dal_program_member(p, x, values), DAL_OK);
    assert_int_equal(dal_program_member(other, y, values), DAL_OK);
    for (int k = 0; k < dal_program_size(p); ++k) {
        assert_true(x[k] == y[k]);
    }
    dal_program_destroy(p);
    dal_program_destroy(other);
    dal_ctx_destroy(ctx);
}

static void a_member_has_the_numbers_of_the_model_opened_with_its_values(void **state)
{
    static const char *const top[] = {"m", "J1", "spin"}, *const top_set[] = {"m=12", "J1=0.3", "spin=170"};
    static const double top_values[] = {12.0, 0.3, 170.0};
    static const char *const crank[] = {"c", "speed"}, *const crank_set[] = {"c=0.01", "speed=4"};
    static const double crank_values[] = {0.01, 4.0};
    check_members("heavy_top", top, top_set, top_values, 3);
    check_members("spatial_slider_crank", crank, crank_set, crank_values, 2);
}

/* A centre of mass in the origin is left out of a program; it must not be if it is a parameter. */
static void a_number_that_is_zero_in_the_model_may_vary(void **state)
{
    static const char *const names[] = {"c"}, *const zero[] = {"c=0"};
    const double values[] = {0.04};
    double x[MOST], y[MOST];
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_program *p = program_of(ctx, "spatial_slider_crank", zero, 1, names, 1),
                *other = program_of(ctx, "spatial_slider_crank", NULL, 0, names, 1);
    const char *lever = strstr(dal_program_text(p), "    inertia_lever_stiffness(");
    assert_non_null(lever);
    assert_int_equal(dal_program_size(p), dal_program_size(other));
    assert_int_equal(dal_program_member(p, x, values), DAL_OK);
    assert_int_equal(dal_program_member(other, y, values), DAL_OK);
    for (int k = 0; k < dal_program_size(p); ++k) {
        assert_true(x[k] == y[k]);
    }
    dal_program_destroy(p);
    dal_program_destroy(other);
    dal_ctx_destroy(ctx);
}

static const char clipped[] =
    "{\"dalembert\": 1, \"name\": \"clipped\", \"variables\": {\"a\": 1, \"g\": 9.81}, \"gravity\": [0, 0, \"-g\"],\n"
    " \"bodies\": [{\"name\": \"b\", \"mass\": \"max(a, 2)\", \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}],\n"
    " \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"body_b\": \"b\", \"point\": [0, 0, 0], \"axis\": [0, 1, "
    "0]}],\n"
    " \"simulation\": {\"t_end\": 1, \"h\": 0.01}}\n";

/* The mass does not follow from a near a = 1, so that the program has it as a constant. */
static void a_constant_of_the_program_that_a_member_has_otherwise_is_refused(void **state)
{
    static const char *const names[] = {"a", "g"};
    char path[] = "/tmp/dalembert-clipped-XXXXXX.json";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs(clipped, file);
    assert_int_equal(fclose(file), 0);
    dal_ctx *ctx;
    double x[MOST];
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_program *p = program_of(ctx, path, NULL, 0, names, 2);
    assert_int_equal(dal_program_member(p, x, (const double[]){1.9, 3.7}), DAL_OK);
    assert_int_equal(dal_program_member(p, x, (const double[]){5.0, 9.81}), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), "is 5 that the program has as 2"));
    dal_program_destroy(p);
    dal_ctx_destroy(ctx);
    remove(path);
}

static const char lifted[] =
    "{\"dalembert\": 1, \"name\": \"lifted\", \"variables\": {\"m\": 1, \"a\": 1},\n"
    " \"functions\": {\"lift\": {\"type\": \"table\", \"x\": [0, 0.5, 1], \"y\": [0, \"a\", 0.2]}},\n"
    " \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": \"m\"}],\n"
    " \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"b\", \"vector\": [1, 0, 0], \"function\": "
    "\"lift\"}],\n"
    " \"simulation\": {\"t_end\": 1, \"h\": 0.01}}\n";

/* Tables are literals of a program: all members would have that of one sample. */
static void a_parameter_in_a_table_is_refused_by_name(void **state)
{
    static const char *const names[] = {"m", "a"};
    char path[] = "/tmp/dalembert-lifted-XXXXXX.json";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs(lifted, file);
    assert_int_equal(fclose(file), 0);
    dal_ctx *ctx;
    dal_program *p;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    const dal_generate_options how = {.parameters = names, .nparameters = 2};
    assert_int_equal(dal_program_create(&p, ctx, path, NULL, 0, &how), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), "parameter 'a' changes the table of function 'lift'"));
    p = program_of(ctx, path, NULL, 0, names, 1);
    dal_program_destroy(p);
    dal_ctx_destroy(ctx);
    remove(path);
}

static void a_program_without_a_start_says_why(void **state)
{
    static const char *const part[] = {"part"}, *const m[] = {"m"}, *const few[] = {"N=3"},
                             *const rest[] = {"initial=static"};
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_program *p = program_of(ctx, "catenary", few, 1, part, 1), *q = program_of(ctx, "pendulum", rest, 1, m, 1),
                *has = program_of(ctx, "heavy_top", NULL, 0, m, 1),
                *none = program_of(ctx, "heavy_top", NULL, 0, NULL, 0);
    assert_non_null(strstr(dal_program_no_start(p), "assembly"));
    assert_non_null(strstr(dal_program_text(p), "/* Without catenary_start: the model closes its loops"));
    assert_non_null(strstr(dal_program_no_start(q), "initial = static"));
    assert_null(dal_program_no_start(has));
    assert_non_null(strstr(dal_program_text(has), "int heavy_top_start("));
    assert_non_null(dal_program_no_start(none));
    assert_null(strstr(dal_program_text(none), "heavy_top_start"));
    dal_program_destroy(p);
    dal_program_destroy(q);
    dal_program_destroy(has);
    dal_program_destroy(none);
    dal_ctx_destroy(ctx);
}

static void a_number_of_repetitions_is_refused_as_parameter(void **state)
{
    static const char *const names[] = {"N"};
    dal_program *p;
    dal_ctx *ctx;
    const dal_generate_options how = {.parameters = names, .nparameters = 1};
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_program_create(&p, ctx, "chain", NULL, 0, &how), DAL_EINVAL);
    assert_null(p);
    assert_non_null(strstr(dal_ctx_message(ctx), "N"));
    dal_ctx_destroy(ctx);
}

static void outputs_are_those_asked_for(void **state)
{
    static const char *const outputs[] = {"energy", "tip.force"};
    dal_program *p;
    dal_ctx *ctx;
    const dal_generate_options how = {.outputs = outputs, .noutputs = 2, .trace = 1};
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_program_create(&p, ctx, "heavy_top", NULL, 0, &how), DAL_OK);
    assert_int_equal(dal_program_output(p, "tip.force"), 0);
    assert_int_equal(dal_program_output(p, "energy"), 3);
    assert_int_equal(dal_program_output(p, "top.position"), -1);
    assert_int_equal(dal_program_output_size(p), 4);
    assert_non_null(
        strstr(dal_program_text(p), "void heavy_top_trace(double *x, int *failed, double *y, int n, int steps)"));
    dal_program_destroy(p);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_has_the_numbers_of_the_model_opened_with_its_values),
        cmocka_unit_test(a_number_that_is_zero_in_the_model_may_vary),
        cmocka_unit_test(a_constant_of_the_program_that_a_member_has_otherwise_is_refused),
        cmocka_unit_test(a_parameter_in_a_table_is_refused_by_name),
        cmocka_unit_test(a_program_without_a_start_says_why),
        cmocka_unit_test(a_number_of_repetitions_is_refused_as_parameter),
        cmocka_unit_test(outputs_are_those_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
