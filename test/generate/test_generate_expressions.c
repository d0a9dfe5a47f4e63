/* Expressions, laws, states and rows of coefficients in generated programs: in lanes and as device code, with parameters, under
 * compilers and sanitizers. Against the library: test_generate_elements. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/agreement.h"
#include "support/check.h"

static const struct {
    const char *model, *parameters[3], *set[3];
    int n;
    double values[3];
} cases[] = {
    {DAL_ELEMENTS "/laws.json", {"c1", "gain", "relax"}, {"c1=0.7", "gain=1.9", "relax=4"}, 3, {0.7, 1.9, 4.0}},
    {DAL_ELEMENTS "/rows.json", {"k"}, {"k=0.5"}, 1, {0.5}},
    {DAL_ELEMENTS "/expressions.json", {"A", "om", "n"}, {"A=0.3", "om=2", "n=1.7"}, 3, {0.3, 2.0, 1.7}}};

/* Which of them: one for each test. */
enum { CASES = sizeof cases / sizeof cases[0] };
static int share;

enum { STEPS = 200, MOST = 2000 };

static int count_q(const char *model)
{
    library l;
    library_open(&l, model, NULL, 0, 0);
    const int n = l.sys->group->nq;
    library_close(&l);
    return n;
}

static void lanes_and_device_code_are_bit_equal_to_the_scalar_program(void **state)
{
    const dal_generate_options lanes = {.scalar = DAL_GENERATE_LANES, .lanes = 4}, cuda = {.scalar = DAL_GENERATE_CUDA};
    for (int k = share; k < CASES; k += CASES) {
        const int nq = count_q(cases[k].model);
        program a, b, c;
        program_open(&a, cases[k].model, NULL, 0, NULL, "-O0");
        program_open(&b, cases[k].model, NULL, 0, &lanes, "-O0 -Wno-psabi");
        program_open(&c, cases[k].model, NULL, 0, &cuda, "-O0");
        for (int n = 0; n < STEPS; ++n) {
            assert_int_equal(a.step(a.state), 0);
            assert_int_equal(b.step(b.state), 0);
            assert_int_equal(c.step(c.state), 0);
        }
        for (int i = 0; i < nq; ++i) {
            for (int l = 0; l < 4; ++l) {
                assert_true(a.q(a.state)[i] == b.q(b.state)[4 * i + l]);
            }
            assert_true(a.q(a.state)[i] == c.q(c.state)[i]);
        }
        program_close(&a);
        program_close(&b);
        program_close(&c);
    }
}

/* Members whose variables are inside expressions: the library with these values, program and member of the same model. */
static void variables_inside_expressions_may_be_parameters(void **state)
{
    static const char *const tight[] = {"atol=1e-14", "rtol=1e-13"};
    for (int k = share; k < CASES; k += CASES) {
        const dal_generate_options how = {.parameters = cases[k].parameters, .nparameters = cases[k].n};
        const char *set[5] = {tight[0], tight[1], cases[k].set[0], cases[k].set[1], cases[k].set[2]};
        program p;
        library l;
        dal_program *made;
        double x[MOST];
        int failed = 0;
        void (*run)(double *x, int *failed, int n, int steps);
        program_open(&p, cases[k].model, tight, 2, &how, "-O0");
        library_open(&l, cases[k].model, set, 2 + cases[k].n, 0);
        assert_int_equal(dal_program_create(&made, l.ctx, cases[k].model, tight, 2, &how), DAL_OK);
        assert_true(dal_program_size(made) <= MOST);
        assert_int_equal(dal_program_member(made, x, cases[k].values), DAL_OK);
        *(void **)&run = dlsym(p.library, "gm_run");
        assert_non_null(run);
        run(x, &failed, 1, STEPS);
        assert_int_equal(failed, 0);
        for (int n = 0; n < STEPS; ++n) {
            assert_int_equal(dal_sim_step(l.sim), DAL_OK);
        }
        const dal_state s = dal_sim_state(l.sim);
        for (int i = 0; i < l.sys->group->nq; ++i) {
            assert_near(x[dal_program_layout(made).q + i], s.q[i], 1e-12 * (1.0 + fabs(s.q[i])));
        }
        dal_program_destroy(made);
        library_close(&l);
        program_close(&p);
    }
}

static void they_compile_without_warnings_and_run_under_sanitizers(void **state)
{
    char folder[32];
    program_folder(folder);
    for (int k = share; k < CASES; k += CASES) {
        program_check(folder, cases[k].model, NULL, 0);
    }
    program_remove(folder);
}

/* ---- callbacks -------------------------------------------------------------------------------- */

static dal_status half(double *F, double *g, double t, const double *x, void *user)
{
    (void)g, (void)t, (void)x, (void)user;
    *F = 0.5;
    return DAL_OK;
}

static dal_status line(double y[3], double x, void *user)
{
    (void)user;
    y[0] = x;
    y[1] = 1.0;
    y[2] = 0.0;
    return DAL_OK;
}

/* What a program says to heavy_top with one more force. */
static void assert_refused(const dal_force *force, const dal_function *function, const char *text)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_binding *binding;
    dal_program *p;
    dal_force f = *force;
    assert_int_equal(dal_document_open(&doc, ctx, "heavy_top", NULL, 0), DAL_OK);
    dal_model *m = dal_document_model(doc);
    if (function) {
        assert_int_equal(dal_model_add_function(m, &f.function, function), DAL_OK);
    }
    assert_int_equal(dal_model_add_force(m, NULL, &f), DAL_OK);
    assert_int_equal(dal_binding_create(&binding, ctx, doc, NULL, 0), DAL_OK);
    assert_int_equal(dal_program_create_bound(&p, ctx, doc, binding, NULL, NULL), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), text));
    dal_binding_destroy(binding);
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
}

static void callbacks_are_refused_by_name(void **state)
{
    const dal_force law = {
        .name = "push", .type = "law", .body_b = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .law = half};
    const dal_force load = {.name = "pull", .type = "force", .body_b = 1, .vector = {1.0, 0.0, 0.0}};
    const dal_function ramp = {.name = "ramp", .type = "user", .call = line};
    assert_refused(&law, NULL, "the value of force 'push' is a callback");
    assert_refused(&load, &ramp, "force 'pull' follows function 'ramp', a callback");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_and_device_code_are_bit_equal_to_the_scalar_program),
        cmocka_unit_test(variables_inside_expressions_may_be_parameters),
        cmocka_unit_test(they_compile_without_warnings_and_run_under_sanitizers),
        cmocka_unit_test(callbacks_are_refused_by_name),
    };
    share = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
