/* Steps of built-in models allocate nothing. */
#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

static void count_steps(const char *model, const char *const *set, int nset, int warm, int steps)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, dal_document_open(&doc, ctx, model, set, nset));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    long before = 0;
    for (int k = 0; k < warm + steps; ++k) {
        if (k == warm) {
            before = alloc.total;
        }
        check_ok(ctx, dal_sim_step(sim));
    }
    assert_int_equal(alloc.total, before);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

static void steps_of_built_in_models_allocate_nothing(void **state)
{
    static const char *const lobatto[] = {"integrator=lobatto", "h=1e-4"};
    static const char *const models[] = {"flyball_governor", "chain", "spatial_slider_crank", "planar_slider_crank",
                                         "n_four_bar"};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof models[0]; ++k) {
        count_steps(models[k], NULL, 0, 1, 200);
        count_steps(models[k], lobatto, 2, 1, 20);
    }
}

/* Beams of both kinds of elements, under loads that change, in a steady turn and as a spring. */
static void steps_of_beams_allocate_nothing(void **state)
{
    static const char *const models[] = {"right_angle_cantilever", "flying_spaghetti", "rotating_blade",
                                         "helical_spring"};
    static const char *const methods[] = {"integrator=genalpha", "integrator=bdf"};
    (void)state;
    for (size_t k = 0; k < 8; ++k) {
        const char *const set[] = {methods[k / 4], "h=5e-4"};
        count_steps(models[k % 4], set, 2, 10, 50);
    }
}

/* With `sparse` pivots are renewed now and then, in memory that is kept: after some steps there is enough of it. */
static void sparse_renews_pivots_in_the_memory_it_has(void **state)
{
    static const char *const sparse[] = {"linear_solver=sparse", "h=5e-4"};
    (void)state;
    count_steps("flyball_governor", sparse, 2, 100, 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_built_in_models_allocate_nothing),
        cmocka_unit_test(steps_of_beams_allocate_nothing),
        cmocka_unit_test(sparse_renews_pivots_in_the_memory_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
