/* Gradients of Lobatto steps: numbers of stages, forms of the method, kinds of rows, chosen steps, starts within a run. */
#include "compare.h"

static const char *const forms[] = {"lambda=consistent", "lambda=carried", "lambda=symmetric"};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void gradients_of_all_stages_and_forms_are_differences_of_runs(void **state)
{
    (void)state;
    static const char *const of[] = {"final(top.position.x)", "integral(tip.force^2)", "rms(top.velocity.z) - m"};
    static const char *const by[] = {"m", "spin", "J1", "gravity.2", "bodies.top.position.0"};
    static const char *const coordinates[] = {"coordinates=r3so3", "coordinates=se3", "coordinates=euler_parameters",
                                              "coordinates=cardan"};
    static const char *const stages[] = {"stages=3", "stages=4", "stages=5", "stages=8"};
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 4 * FORMS; ++k) {
        const char *const set[] = {
            "integrator=lobatto", stages[k % 4], forms[k % FORMS], coordinates[k / FORMS], "h=0.002",
            "t_end=0.02",         "spin=20"};
        const dal_gradient_spec spec = {
            .source = "heavy_top", .of = of, .nof = 3, .by = by, .nby = 5, .set = set, .nset = 7};
        assert_int_equal(compare(ctx, &spec, 1e-7), 0);
    }
    check_ctx_free(ctx);
}

/* Two stages leave so much to the projection, which the symmetric form has not, that its path shows: in the square of its way. */
static void two_stages_have_gradients_too(void **state)
{
    (void)state;
    static const char *const of[] = {"final(top.position.x)", "integral(tip.force^2)"}, *const by[] = {"m", "spin"};
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < FORMS; ++k) {
        const char *const set[] = {"integrator=lobatto", "stages=2", forms[k], "h=0.002", "t_end=0.02"};
        const dal_gradient_spec spec = {
            .source = "heavy_top", .of = of, .nof = 2, .by = by, .nby = 2, .set = set, .nset = 5};
        assert_int_equal(compare(ctx, &spec, k == 2 ? 1e-6 : 1e-5), 0);
    }
    check_ctx_free(ctx);
}

/* Rows of velocities alone, redundant rows, closed chains, mass matrices without inverse; also with error control. */
static void lobatto_knows_all_kinds_of_rows(void **state)
{
    (void)state;
    static const struct {
        const char *model, *by[3], *of[2], *h, *t_end;
    } models[] = {{"chaplygin_sleigh",
                   {"m", "J", "angle"},
                   {"final(sleigh.position.x)", "integral(edge.force^2)"},
                   "h=0.02",
                   "t_end=0.2"},
                  {"rolling_disk",
                   {"m", "r", "tilt"},
                   {"final(disk.position.x)", "integral(contact.force^2)"},
                   "h=0.01",
                   "t_end=0.1"},
                  {"bricard",
                   {"m", "L", "gravity.2"},
                   {"final(kinetic_energy)", "integral(kinetic_energy)"},
                   "h=0.01",
                   "t_end=0.1"},
                  {"rank_deficient_pendulum",
                   {"m", "L", "angle"},
                   {"final(mass.position.x)", "integral(pin.force^2)"},
                   "h=0.02",
                   "t_end=0.2"},
                  {"spatial_slider_crank",
                   {"c", "speed", "gravity.2"},
                   {"final(slider.position.x)", "integral(A.force^2)"},
                   "h=0.005",
                   "t_end=0.1"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < FORMS * sizeof models / sizeof models[0]; ++k) {
        const size_t m = k / FORMS;
        const char *const set[] = {"integrator=lobatto", k % 2 ? "step=adaptive" : "step=fixed", forms[k % FORMS],
                                   models[m].h, models[m].t_end};
        const dal_gradient_spec spec = {.source = models[m].model,
                                        .of = models[m].of,
                                        .nof = 2,
                                        .by = models[m].by,
                                        .nby = 3,
                                        .set = set,
                                        .nset = 5};
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    }
    check_ctx_free(ctx);
}

static void starts_within_a_run_and_segments_of_it_change_nothing(void **state)
{
    (void)state;
    static const char *const of[] = {"final(load.position.x)", "integral(pin.force^2)"}, *const by[] = {
                                                                                             "forces.push.vector.0",
                                                                                             "bodies.load.mass",
                                                                                             "forces.rope.stiffness"};
    static const size_t memory[] = {0, 150000};
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < FORMS; ++f) {
        const char *const set[] = {"integrator=lobatto", "step=fixed", "h=0.01", forms[f]};
        dal_gradient_spec spec = {
            .source = DAL_MODELS "/break.json", .of = of, .nof = 2, .by = by, .nby = 3, .set = set, .nset = 4};
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
        double row[2][3];
        for (int k = 0; k < 2; ++k) {
            dal_gradient *g;
            spec.memory = memory[k];
            check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
            check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
            const int segments = dal_gradient_about(g).segments;
            assert_true(k == 0 ? segments == 1 : segments > 1);
            memcpy(row[k], dal_gradient_row(g, 1), sizeof row[k]);
            dal_gradient_destroy(g);
        }
        for (int k = 0; k < 3; ++k) {
            assert_near(row[1][k], row[0][k], 1e-11 * fabs(row[0][k]));
        }
    }
    check_ctx_free(ctx);
}

static void methods_without_gradients_are_refused_with_a_remedy(void **state)
{
    (void)state;
    static const char *const of[] = {"final(energy)"}, *const by[] = {"gravity.2"};
    static const struct {
        const char *set[2], *says;
    } cases[] = {{{"integrator=bdf", ""}, "integrator = bdf has none: choose genalpha"},
                 {{"integrator=rattlie", ""}, "integrator = rattlie has none: choose genalpha"},
                 {{"integrator=genalpha", "step=adaptive"}, "need step = fixed"},
                 {{"integrator=lobatto", "lambda=variational"}, "choose lambda = symmetric"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const dal_gradient_spec spec = {.source = "pendulum",
                                        .of = of,
                                        .nof = 1,
                                        .by = by,
                                        .nby = 1,
                                        .set = cases[k].set,
                                        .nset = cases[k].set[1][0] ? 2 : 1};
        dal_gradient *g;
        check_fails(ctx, dal_gradient_create(&g, ctx, &spec), DAL_EOPTION, cases[k].says);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_all_stages_and_forms_are_differences_of_runs),
        cmocka_unit_test(two_stages_have_gradients_too),
        cmocka_unit_test(lobatto_knows_all_kinds_of_rows),
        cmocka_unit_test(starts_within_a_run_and_segments_of_it_change_nothing),
        cmocka_unit_test(methods_without_gradients_are_refused_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
