/* One compiled model for all members, and a model opened anew where that is not possible: the same bits. */
#include <stdio.h>
#include <string.h>

#include "dalembert/sweep.h"
#include "support/check.h"
#include "sweep/sweep_impl.h"

static dal_sweep *run(dal_ctx *ctx, const char *model, const char *set, const char *const *parameter, int n,
                      const char *const *what, int nwhat)
{
    const dal_sweep_spec spec = {.source = model,
                                 .set = &set,
                                 .nset = 1,
                                 .parameter = parameter,
                                 .nparameters = n,
                                 .samples = 3,
                                 .seed = 2,
                                 .collect = what,
                                 .ncollect = nwhat};
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 2}));
    return s;
}

static void same_results(const dal_sweep *a, const dal_sweep *b, int n)
{
    assert_int_equal(dal_sweep_members(a), dal_sweep_members(b));
    for (long k = 0; k < dal_sweep_members(a); ++k) {
        const dal_sweep_member x = dal_sweep_result(a, k), y = dal_sweep_result(b, k);
        assert_string_equal(x.message, "");
        assert_memory_equal(x.value, y.value, (size_t)n * sizeof *x.value);
    }
}

/* An option as a parameter, with the value it has anyway, makes every member open the model. */
static void bound_members_have_the_bits_of_models_opened_anew(void **state)
{
    char rho[64];
    snprintf(rho, sizeof rho, "rho_inf=list:%.17g", dal_options_init().rho_inf);
    const char *const bound[] = {"c=0.03:0.05:3", "speed=list:5,7"}, *const anew[] = {"c=0.03:0.05:3", "speed=list:5,7",
                                                                                      rho};
    static const char *const what[] = {"max(A.force)", "rms(slider.velocity.x)", "final(energy)",
                                       "mean(rod.angular_velocity)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *a = run(ctx, "spatial_slider_crank", "t_end=0.05", bound, 2, what, 4);
    dal_sweep *b = run(ctx, "spatial_slider_crank", "t_end=0.05", anew, 3, what, 4);
    assert_non_null(a->binding);
    assert_null(b->binding);
    same_results(a, b, 4);
    dal_sweep_destroy(a);
    dal_sweep_destroy(b);
    check_ctx_free(ctx);
}

static void numbers_of_elements_can_be_parameters(void **state)
{
    static const char *const element[] = {"bodies.top.mass=uniform(10,20)"}, *const variable[] = {"m=uniform(10,20)"};
    static const char *const what[] = {"max(tip.force)", "final(energy)"}, *const other[] = {
                                                                               "bodies.top.mas=uniform(10,20)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *a = run(ctx, "heavy_top", "t_end=0.05", element, 1, what, 2);
    dal_sweep *b = run(ctx, "heavy_top", "t_end=0.05", variable, 1, what, 2);
    same_results(a, b, 2);
    dal_sweep_destroy(a);
    dal_sweep_destroy(b);
    dal_sweep *s = NULL;
    const dal_sweep_spec spec = {
        .source = "heavy_top", .parameter = other, .nparameters = 1, .collect = what, .ncollect = 2};
    check_fails(ctx, dal_sweep_create(&s, ctx, &spec), DAL_EOPTION, "mas");
    check_ctx_free(ctx);
}

/* What sections are made from cannot be bound, but it has an address as what can be. */
static void numbers_of_beams_can_be_parameters(void **state)
{
    static const char *const element[] = {"beams.coil.section.E=list:2e11,2.1e11", "bodies.plate.mass=list:2,3"},
                             *const variable[] = {"E=list:2e11,2.1e11", "m=list:2,3"},
                             *const what[] = {"final(plate.position.z)", "final(energy)"},
                             *const none[] = {"beams.coil.section.F=list:1,2"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *a = run(ctx, "helical_spring", "t_end=0.003", element, 2, what, 2);
    dal_sweep *b = run(ctx, "helical_spring", "t_end=0.003", variable, 2, what, 2);
    assert_int_equal(dal_sweep_members(a), 12);
    assert_true(dal_sweep_result(a, 0).value[0] != dal_sweep_result(a, 11).value[0]);
    same_results(a, b, 2);
    dal_sweep_destroy(a);
    dal_sweep_destroy(b);
    dal_sweep *s = NULL;
    const dal_sweep_spec spec = {
        .source = "helical_spring", .parameter = none, .nparameters = 1, .collect = what, .ncollect = 2};
    check_fails(ctx, dal_sweep_create(&s, ctx, &spec), DAL_EOPTION, "beams.coil.section.F");
    check_ctx_free(ctx);
}

/* The number of links is structure. */
static void structure_can_vary_as_well(void **state)
{
    static const char *const p[] = {"N=list:1,2,3"}, *const what[] = {"initial(energy)", "final(link1.position.x)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = run(ctx, "chain", "t_end=0.01", p, 1, what, 2);
    assert_null(s->binding);
    assert_int_equal(dal_sweep_count(s, 0), 9);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

static void a_member_allocates_nothing(void **state)
{
    static const char *const p[] = {"spin=uniform(100,200)", "m=uniform(10,20)"}, *const what[] = {
                                                                                      "max(tip.force)",
                                                                                      "settle(top.position.x,0.1)",
                                                                                      "final(energy)"};
    const char *const set[] = {"t_end=0.05"};
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_sweep *s = NULL;
    const dal_sweep_spec spec = {
        .source = "heavy_top", .set = set, .nset = 1, .parameter = p, .nparameters = 2, .collect = what, .ncollect = 3};
    double x[2] = {150.0, 15.0}, value[3];
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_evaluate(s, value, NULL, x));
    const long before = alloc.total;
    for (int k = 0; k < 5; ++k) {
        x[0] += 1.0;
        x[1] += 0.1;
        check_ok(ctx, dal_sweep_evaluate(s, value, NULL, x));
    }
    assert_int_equal(alloc.total, before);
    dal_sweep_destroy(s);
    assert_int_equal(alloc.live, 1); // the context
    check_ctx_free(ctx);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    static const char *const p[] = {"spin=uniform(100,200)"}, *const what[] = {"max(tip.force) + spin"},
                             *const set[] = {"t_end=0.002"};
    const double x[1] = {150.0};
    double value[1];
    const dal_sweep_spec spec = {.source = "heavy_top",
                                 .set = set,
                                 .nset = 1,
                                 .parameter = p,
                                 .nparameters = 1,
                                 .samples = 4,
                                 .collect = what,
                                 .ncollect = 1};
    dal_sweep *s = NULL;
    dal_status st = dal_sweep_create(&s, ctx, &spec);
    st = st != DAL_OK ? st : dal_sweep_evaluate(s, value, NULL, x);
    dal_sweep_destroy(s);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    assert_true(check_every_allocation(scenario, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_members_have_the_bits_of_models_opened_anew),
        cmocka_unit_test(numbers_of_elements_can_be_parameters),
        cmocka_unit_test(numbers_of_beams_can_be_parameters),
        cmocka_unit_test(structure_can_vary_as_well),
        cmocka_unit_test(a_member_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
