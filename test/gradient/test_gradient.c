/* Gradients of runs: both modes against differences, what is refused. */
#include "compare.h"

static void both_modes_are_the_differences_of_runs(void **state)
{
    (void)state;
    static const char *const of[] = {"final(top.position.x)", "smooth_max(tip.force,0.01)", "rms(top.velocity.z) - m",
                                     "max(top.position.z)", "mean(energy)/J1"};
    static const char *const by[] = {"m", "spin", "J1", "gravity.2", "bodies.top.position.0"};
    static const char *const formulation[] = {"formulation=index3", "formulation=index2", "formulation=ggl"};
    static const char *const coordinates[] = {"coordinates=r3so3", "coordinates=se3", "coordinates=euler_parameters",
                                              "coordinates=cardan"};
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 3; ++f) {
        for (int c = 0; c < 4; ++c) {
            const char *const set[] = {formulation[f], coordinates[c], "t_end=0.02", "spin=20"};
            const dal_gradient_spec spec = {
                .source = "heavy_top", .of = of, .nof = 5, .by = by, .nby = 5, .set = set, .nset = 4};
            assert_int_equal(compare(ctx, &spec, 1e-6), 0);
        }
    }
    check_ctx_free(ctx);
}

/* The sum of squares of residuals against data is least where the data come from, and its gradient is that of either mode. */
static void data_are_fitted_best_by_the_numbers_they_come_from(void **state)
{
    (void)state;
    static const char *const by[] = {"m", "spin"}, *const set[] = {"formulation=ggl", "t_end=0.03"};
    static const double t[] = {0.0101, 0.02, 0.0255};
    double y[3] = {0.0}, x[2];
    dal_ctx *ctx = check_ctx();
    for (int round = 0; round < 2; ++round) {
        const dal_gradient_data data = {.expression = "tip.force.x", .t = t, .y = y, .n = 3};
        const dal_gradient_spec spec = {
            .source = "heavy_top", .by = by, .nby = 2, .set = set, .nset = 2, .data = &data, .ndata = 1};
        dal_gradient *g;
        check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
        check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD));
        for (int i = 0; i < 3; ++i) {
            y[i] += dal_gradient_value(g, i);
            x[i % 2] = dal_gradient_number(g, i % 2);
        }
        if (round == 1) {
            assert_near(dal_gradient_squares(g), 0.0, 1e-18);
            x[0] *= 1.01;
            check_ok(ctx, dal_gradient_run(g, x, DAL_GRADIENT_FORWARD));
            const double forward[2] = {dal_gradient_of_squares(g)[0], dal_gradient_of_squares(g)[1]};
            check_ok(ctx, dal_gradient_run(g, x, DAL_GRADIENT_ADJOINT));
            for (int k = 0; k < 2; ++k) {
                assert_near(dal_gradient_of_squares(g)[k] / forward[k], 1.0, 1e-9);
            }
        }
        dal_gradient_destroy(g);
    }
    check_ctx_free(ctx);
}

/* Two links of which one has an angular velocity: the other is completed from it, at rest too. */
static const char links[] =
    "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.3], \"position\": [0.5, 0, 0], "
    "\"angular_velocity\": [0, %g, 0]}, "
    "{\"name\": \"b\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3], \"position\": [1.5, 0, 0]}], \"joints\": ["
    "{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"a\", \"axis\": [0, 1, 0], \"point\": [0, 0, 0]}, "
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"axis\": [0, 1, 0], "
    "\"point\": [1, 0, 0]}], "
    "\"simulation\": {\"t_end\": 0.02, \"h\": 0.001, \"integrator\": \"genalpha\"}}";

static void velocities_that_are_completed_are_differentiated(void **state)
{
    (void)state;
    static const char *const of[] = {"final(b.position.z)", "final(kinetic_energy)"},
                             *const by[] = {"bodies.a.angular_velocity.1", "bodies.a.mass", "joints.B.point.0"},
                             *const across[] = {"bodies.a.angular_velocity.0"};
    static const double speed[] = {0.0, 0.7};
    char text[1024];
    dal_ctx *ctx = check_ctx();
    dal_gradient_spec spec = {.source = "links", .text = text, .of = of, .nof = 2};
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, links, speed[k]);
        spec.by = by;
        spec.nby = 3;
        assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    }
    // across the axis they contradict the joint: nothing is completed then, and the motion is another one
    dal_gradient *g;
    spec.by = across;
    spec.nby = 1;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_fails(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT), DAL_EINVAL, "'bodies.a.angular_velocity.0'");
    double value[2];
    for (int k = 0; k < 2; ++k) {
        check_ok(ctx, dal_gradient_run(g, &(double){1e-6 * k}, DAL_GRADIENT_VALUES));
        value[k] = dal_gradient_value(g, 1);
    }
    assert_true(fabs(value[1] - value[0]) > 0.1 * value[0]);
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

/* A cart on a damped spring: x'' + 2 d x' + w^2 x = 0 has a transition matrix in closed form. */
static void the_transition_matrix_is_that_of_an_oscillator(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"cart\", \"mass\": 2, \"inertia\": 1, \"velocity\": [1, 0, 0]}], "
        "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0]}], "
        "\"forces\": [{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"rail\", \"stiffness\": 50, "
        "\"damping\": 2}], "
        "\"simulation\": {\"t_end\": 1.2, \"h\": 0.01, \"integrator\": \"rk\", \"order\": 8, \"step\": \"fixed\"}}";
    static const char *const of[] = {"final(cart.position.x)"}, *const by[] = {"forces.spring.stiffness"};
    const dal_gradient_spec spec = {.source = "cart", .text = text, .of = of, .nof = 1, .by = by, .nby = 1};
    const double d = 0.5, w = 5.0, o = sqrt(w * w - d * d), T = 1.2, e = exp(-d * T), c = e * cos(o * T),
                 s = e * sin(o * T) / o;
    const double exact[2][2] = {{c + d * s, s}, {-w * w * s, c - d * s}}; // of x and x'
    double Phi[144];
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_VALUES));
    check_fails(ctx, dal_gradient_transition(g, Phi), DAL_EINVAL, "derivatives");
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
    assert_int_equal(dal_gradient_velocities(g), 6);
    check_ok(ctx, dal_gradient_transition(g, Phi));
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            assert_near(Phi[6 * i + 12 * 6 * j], exact[i][j], 1e-12);
        }
    }
    for (int i = 0; i < 12; ++i) { // the rail holds the others
        assert_near(Phi[i + 12], 0.0, 1e-14);
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void refuse(dal_ctx *ctx, const dal_gradient_spec *spec, dal_status status, const char *message)
{
    dal_gradient *g;
    check_fails(ctx, dal_gradient_create(&g, ctx, spec), status, message);
    assert_null(g);
}

static void what_has_no_gradient_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const of[] = {"final(energy)"}, *const by[] = {"m"}, *const bdf[] = {"integrator=bdf"},
                             *const nothing[] = {"mass"};
    dal_ctx *ctx = check_ctx();
    dal_gradient_spec spec = {.source = "heavy_top", .of = of, .nof = 1, .by = by, .nby = 1, .set = bdf, .nset = 1};
    refuse(ctx, &spec, DAL_EOPTION, "integrator");
    spec.nset = 0;
    spec.by = nothing;
    refuse(ctx, &spec, DAL_EINVAL, "mass");
    static const char *const ball[] = {"bodies.ball.mass"};
    spec.by = ball;
    spec.source = "ball";
    spec.text =
        "{\"dalembert\": 1, \"inputs\": {\"u\": 1}, \"bodies\": [{\"name\": \"ball\", \"type\": \"point\", \"mass\": "
        "1}], "
        "\"forces\": [{\"name\": \"push\", \"type\": \"law\", \"body_b\": \"ball\", \"coordinate\": \"translation_x\", "
        "\"value\": \"u\"}], \"events\": [{\"name\": \"servo\", \"every\": 0.1, \"set\": {\"u\": "
        "\"-ball.position.x\"}}]}";
    refuse(ctx, &spec, DAL_EINVAL, "the event 'servo' is sampled");
    check_ctx_free(ctx);
}

/* Off |p| = 1 their tangents are not derivatives. */
static void euler_parameters_of_textbooks_are_refused_where_their_length_is_not_held(void **state)
{
    (void)state;
    static const char *const of[] = {"final(energy)"}, *const by[] = {"bodies.bob.mass"};
    static const char *const set[] = {"formulation=index2", "integrator=rk", "integrator=lobatto", "formulation=ggl"};
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    dal_gradient_spec spec = {
        .source = "bob",
        .text = "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"bob\", \"type\": "
                "\"euler_parameters_textbook\", \"mass\": 1, \"inertia\": [1, 2, 2], \"position\": [1.05, 0.1, 0]}], "
                "\"joints\": [{\"name\": \"pin\", \"type\": \"spherical\", \"body_b\": \"bob\", \"frame_b\": [-1, 0, "
                "0], \"frame_a\": [0, 0, 0]}], \"simulation\": {\"t_end\": 0.01, \"h\": 1e-3}}",
        .of = of,
        .nof = 1,
        .by = by,
        .nby = 1,
        .nset = 1};
    for (int k = 0; k < 3; ++k) {
        spec.set = &set[k];
        refuse(ctx, &spec, DAL_EOPTION, "euler_parameters_textbook");
    }
    spec.set = &set[3];
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_fails(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD), DAL_EINVAL, "'bob'");
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_modes_are_the_differences_of_runs),
        cmocka_unit_test(data_are_fitted_best_by_the_numbers_they_come_from),
        cmocka_unit_test(velocities_that_are_completed_are_differentiated),
        cmocka_unit_test(the_transition_matrix_is_that_of_an_oscillator),
        cmocka_unit_test(what_has_no_gradient_is_refused_by_name),
        cmocka_unit_test(euler_parameters_of_textbooks_are_refused_where_their_length_is_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
