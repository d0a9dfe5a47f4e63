/* Gradients by method: Runge-Kutta with fixed and with chosen steps, forces that jump, runs longer than memory. */
#include "compare.h"

static const char *const methods[][3] = {{"integrator=rk", "step=fixed", "order=5"},
                                         {"integrator=rk", "step=fixed", "order=8"},
                                         {"integrator=rk", "step=adaptive", "order=5"},
                                         {"integrator=rk", "step=adaptive", "order=8"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void gradients_of_runge_kutta_are_differences_of_runs(void **state)
{
    (void)state;
    static const char *const of[] = {"final(top.position.x)", "integral(tip.force^2)", "rms(top.velocity.z) - m"};
    static const char *const by[] = {"m", "spin", "J1", "gravity.2", "bodies.top.position.0"};
    static const char *const coordinates[] = {"coordinates=r3so3", "coordinates=se3", "coordinates=euler_parameters",
                                              "coordinates=cardan"};
    dal_ctx *ctx = check_ctx();
    for (int m = 0; m < METHODS; ++m) {
        const char *const set[] = {methods[m][0],  methods[m][1], methods[m][2],
                                   coordinates[m], "t_end=0.02",  "spin=20"};
        const dal_gradient_spec spec = {
            .source = "heavy_top", .of = of, .nof = 3, .by = by, .nby = 5, .set = set, .nset = 6};
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    }
    check_ctx_free(ctx);
}

/* Rows of velocities alone, redundant rows, closed chains. */
static void runge_kutta_knows_all_kinds_of_rows(void **state)
{
    (void)state;
    static const struct {
        const char *model, *by[2];
    } models[] = {{"chaplygin_sleigh", {"m", "J"}},
                  {"rolling_disk", {"m", "r"}},
                  {"bricard", {"m", "L"}},
                  {"planar_slider_crank", {"l1", "m2"}},
                  {"spatial_slider_crank", {"c", "speed"}}};
    static const char *const of[] = {"final(kinetic_energy)", "integral(kinetic_energy)"};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < sizeof models / sizeof models[0]; ++k) {
        const char *const set[] = {methods[k % METHODS][0], methods[k % METHODS][1], methods[k % METHODS][2], "h=0.002",
                                   "t_end=0.05"};
        const dal_gradient_spec spec = {
            .source = models[k].model, .of = of, .nof = 2, .by = models[k].by, .nby = 2, .set = set, .nset = 5};
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    }
    check_ctx_free(ctx);
}

static const char *const push[] = {"forces.push.vector.0", "bodies.load.mass", "forces.rope.stiffness",
                                   "joints.pin.point.2",   "functions.u.y.1",  "functions.u.y.3"};
enum { NUMBERS = sizeof push / sizeof push[0] };

/* A force that begins and ends starts the run anew at both times. */
static void starts_within_a_run_are_differentiated(void **state)
{
    (void)state;
    static const char *const of[] = {"final(load.position.x)", "integral(pin.force^2)", "max(load.position.z)"};
    static const char *const method[][2] = {
        {"formulation=index3", "h=0.01"}, {"formulation=index2", "h=0.01"},
        {"formulation=ggl", "h=0.01"},    {"formulation=ggl", "h=0.013"}, // steps end at the jumps all the same
        {"integrator=rk", "step=fixed"},  {"integrator=rk", "step=adaptive"}};
    dal_ctx *ctx = check_ctx();
    for (size_t m = 0; m < sizeof method / sizeof method[0]; ++m) {
        const dal_gradient_spec spec = {.source = DAL_MODELS "/break.json",
                                        .of = of,
                                        .nof = 3,
                                        .by = push,
                                        .nby = NUMBERS,
                                        .set = method[m],
                                        .nset = 2};
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    }
    static const char *const off[] = {"h=0.01", "from=0.3003"}, *const when[] = {"to"};
    dal_gradient *g;
    dal_gradient_spec spec = {
        .source = DAL_MODELS "/break.json", .of = of, .nof = 1, .by = push, .nby = 1, .set = off, .nset = 2};
    check_fails(ctx, dal_gradient_create(&g, ctx, &spec), DAL_EOPTION, "0.3003");
    spec.nset = 1;
    spec.by = when;
    check_fails(ctx, dal_gradient_create(&g, ctx, &spec), DAL_EINVAL, "to");
    check_ctx_free(ctx);
}

/* Inputs over time, a number for each interval: a mass m on a rail moves by sum u_i dt (T - t_i - dt/2)/m, or, with straight lines between the
 * points, by the integrals of the hats over (T - t)/m. */
static void inputs_over_time_have_closed_gradients(void **state)
{
    (void)state;
    enum { N = 50 };
    static const char *const interpolation[] = {"constant", "linear"}, *const of[] = {"final(cart.position.x)"};
    static char name[N][32], text[4096];
    const char *by[N];
    const double T = 2.0, dt = T / N, m = 3.0;
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 2; ++k) {
        int at = snprintf(
            text, sizeof text,
            "{\"dalembert\": 1, \"bodies\": [{\"name\": \"cart\", \"mass\": %g, \"inertia\": 1}], \"joints\": "
            "[{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0]}], "
            "\"forces\": [{\"name\": \"drive\", \"type\": \"actuator\", \"joint\": \"rail\", \"function\": \"u\"}], "
            "\"simulation\": {\"t_end\": %g, \"h\": 0.02, \"integrator\": \"%s\", \"step\": \"fixed\"}, "
            "\"functions\": {\"u\": {\"type\": \"table\", \"interpolation\": \"%s\", \"x\": [",
            m, T, k == 0 ? "genalpha" : "rk", interpolation[k]);
        for (int row = 0; row < 2; ++row) {
            for (int i = 0; i < N + k; ++i) {
                at += snprintf(text + at, sizeof text - (size_t)at, "%s%.17g", i > 0 ? ", " : "",
                               row == 0 ? i * dt : (double)(i % 5));
            }
            at += snprintf(text + at, sizeof text - (size_t)at, row == 0 ? "], \"y\": [" : "]}}}");
        }
        for (int i = 0; i < N; ++i) {
            snprintf(name[i], sizeof name[i], "functions.u.y.%d", i);
            by[i] = name[i];
        }
        const dal_gradient_spec spec = {.source = "cart", .text = text, .of = of, .nof = 1, .by = by, .nby = N};
        dal_gradient *g;
        check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
        for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
            check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
            for (int i = 0; i < N; ++i) {
                const double hat = i > 0 ? T - i * dt : 0.5 * (T - dt / 3.0); // the first is half a hat
                const double exact = dt / m * (k == 0 ? T - i * dt - 0.5 * dt : hat);
                assert_near(dal_gradient_row(g, 0)[i], exact, 1e-12);
            }
        }
        dal_gradient_destroy(g);
    }
    check_ctx_free(ctx);
}

/* With little memory parts of the run are computed twice: the same bits. */
static void checkpoints_change_no_bit(void **state)
{
    (void)state;
    static const char *const of[] = {"final(load.position.x)", "integral(pin.force^2)"};
    static const char *const method[][3] = {{"integrator=genalpha", "step=fixed", "h=0.001"},
                                            {"integrator=rk", "step=fixed", "h=0.001"}};
    static const size_t memory[] = {0, 400000};
    dal_ctx *ctx = check_ctx();
    for (int m = 0; m < 4; ++m) {
        const dal_gradient_mode mode = m % 2 ? DAL_GRADIENT_ADJOINT : DAL_GRADIENT_FORWARD;
        double row[2][2][NUMBERS];
        for (int k = 0; k < 2; ++k) {
            const dal_gradient_spec spec = {.source = DAL_MODELS "/break.json",
                                            .of = of,
                                            .nof = 2,
                                            .by = push,
                                            .nby = NUMBERS,
                                            .set = method[m / 2],
                                            .nset = 3,
                                            .memory = memory[k]};
            dal_gradient *g;
            check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
            check_ok(ctx, dal_gradient_run(g, NULL, mode));
            const int segments = dal_gradient_about(g).segments;
            assert_true(k == 0 ? segments == 1 : segments >= 2);
            for (int i = 0; i < 2; ++i) {
                memcpy(row[k][i], dal_gradient_row(g, i), sizeof row[k][i]);
            }
            dal_gradient_destroy(g);
        }
        assert_memory_equal(row[1], row[0], sizeof row[0]);
    }
    check_ctx_free(ctx);
}

/* ggl weighs turns against translations by the length of the model, which is held while numbers change. */
static void lengths_have_gradients_with_ggl(void **state)
{
    (void)state;
    static const char *const of[] = {"final(kinetic_energy)", "integral(kinetic_energy)"}, *const by[] = {"l1", "l2"},
                             *const set[] = {"formulation=ggl", "h=0.005", "t_end=0.1"};
    const dal_gradient_spec spec = {
        .source = "planar_slider_crank", .of = of, .nof = 2, .by = by, .nby = 2, .set = set, .nset = 3};
    dal_ctx *ctx = check_ctx();
    assert_int_equal(compare(ctx, &spec, 1e-9), 0);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_runge_kutta_are_differences_of_runs),
        cmocka_unit_test(runge_kutta_knows_all_kinds_of_rows),
        cmocka_unit_test(starts_within_a_run_are_differentiated),
        cmocka_unit_test(inputs_over_time_have_closed_gradients),
        cmocka_unit_test(checkpoints_change_no_bit),
        cmocka_unit_test(lengths_have_gradients_with_ggl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
