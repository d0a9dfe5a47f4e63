/* Steps of built-in models and of beams of all kinds allocate nothing. */
#include <stdio.h>
#include <string.h>

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
    if (model[0] == '{') {
        check_ok(ctx, dal_document_parse(&doc, ctx, model, strlen(model), "test", set, nset));
    } else {
        check_ok(ctx, dal_document_open(&doc, ctx, model, set, nset));
    }
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

/* A beam on a hinge under its weight and a load that follows: elements, masses, laws and what slides along it, by all methods. */
static void steps_of_all_beams_allocate_nothing(void **state)
{
    static const char *const kinds[] = {"'order': 1, 'elements': 6",
                                        "'order': 1, 'elements': 6, 'fourth_order': true",
                                        "'order': 1, 'elements': 6, 'fourth_order': true, 'consistent': true",
                                        "'order': 4, 'elements': 2",
                                        "'order': 3, 'elements': 2, 'consistent': true",
                                        "'order': 1, 'elements': 6, 'slides': [{'body': 'bead'}]",
                                        "'order': 3, 'elements': 2, 'slides': [{'body': 'bead', 'feed': {'type': "
                                        "'polynomial', 'coefficients': [0.66, 0.6]}}]",
                                        "'order': 1, 'elements': 6, 'slides': [{'body': 'bead', 'guide': true, 'feed': "
                                        "{'type': 'polynomial', 'coefficients': [0.66, 0.6]}}]"};
    static const char *const methods[][2] = {{"formulation=index3", "h=5e-4"},    {"formulation=index2", "h=5e-4"},
                                             {"formulation=ggl", "h=5e-4"},       {"formulation=index1", "h=5e-4"},
                                             {"step=adaptive", "step_rtol=1e-4"}, {"integrator=lobatto", "h=5e-4"},
                                             {"integrator=rattlie", "h=2e-4"},    {"integrator=rk", "step_rtol=1e-5"},
                                             {"integrator=bdf", "h=5e-4"},        {"integrator=bdf", "step=adaptive"}};
    (void)state;
    for (size_t k = 0; k < LEN(kinds); ++k) {
        char text[1500];
        const int n = snprintf(
            text, sizeof text,
            "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'bead', 'mass': 0.2, 'inertia': [1e-3, "
            "1e-3, 1e-3], 'position': [0.66, 0, 0]}], 'beams': [{'name': 'b', 'to': [1, 0, 0], 'start': {'body': "
            "'ground', 'kind': 'hinged', 'axis': [0, 1, 0]}, %s, 'section': {'EA': 1e3, 'GA': 1e3, 'GJ': 1, 'EI': "
            "1, 'rhoA': 1, 'rhoI': 1e-2, 'damping': 1e-4}, 'loads': [{'vector': [0, 1, 0.5], 'follower': true, "
            "'function': {'type': 'polynomial', 'coefficients': [0, 1]}}]}]}",
            kinds[k]);
        assert_true(n > 0 && n < (int)sizeof text);
        for (int i = 0; i < n; ++i) {
            text[i] = (char)(text[i] == '\'' ? '"' : text[i]);
        }
        for (size_t i = 0; i < LEN(methods); ++i) {
            print_message("%s, %s %s\n", kinds[k], methods[i][0], methods[i][1]);
            count_steps(text, methods[i], 2, 10, 40);
        }
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
        cmocka_unit_test(steps_of_all_beams_allocate_nothing),
        cmocka_unit_test(sparse_renews_pivots_in_the_memory_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
