/* Gradients of runs that remember: delays, bristles and speeds of approach of compliant contacts. */
#include "compare.h"

static const char *const methods[][3] = {{"integrator=genalpha", "step=fixed", "formulation=index3"},
                                         {"integrator=genalpha", "step=fixed", "formulation=index2"},
                                         {"integrator=genalpha", "step=fixed", "formulation=ggl"},
                                         {"integrator=rk", "step=fixed", "order=5"},
                                         {"integrator=rk", "step=adaptive", "order=8"},
                                         {"integrator=lobatto", "step=fixed", "stages=3"},
                                         {"integrator=lobatto", "step=adaptive", "stages=4"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static const char *const delays[] = {"K",
                                     "C",
                                     "bodies.a.mass",
                                     "forces.s.stiffness",
                                     "bodies.b.position.0",
                                     "forces.x.initial",
                                     "bodies.b.angular_velocity.1"};

static void delays_are_differentiated(void **state)
{
    (void)state;
    static const char *const of[] = {"final(b.position.x)", "integral(push.force_value^2)", "final(x.state)",
                                     "final(older.state)"};
    dal_ctx *ctx = check_ctx();
    for (int m = 0; m < METHODS; ++m) {
        const dal_gradient_spec spec = {.source = DAL_MODELS "/delay.json",
                                        .of = of,
                                        .nof = 4,
                                        .by = delays,
                                        .nby = sizeof delays / sizeof delays[0],
                                        .set = methods[m],
                                        .nset = 3};
        assert_int_equal(compare(ctx, &spec, 1e-8), 0);
    }
    check_ctx_free(ctx);
}

/* x' = -a x(t - 1), x = x0 before: x = x0 (1 - a t + a^2 (t - 1)^2/2) from 1 to 2. Up to 1.9 cubics go through points of a line alone. */
static void a_delayed_state_has_a_closed_gradient(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dalembert\": 1, \"variables\": {\"a\": 0.7, \"x0\": 1.3}, \"bodies\": [{\"name\": \"free\", \"mass\": 1, "
        "\"inertia\": 1}], \"forces\": [{\"name\": \"old\", \"type\": "
        "\"delay\", \"time\": 1, \"value\": \"x\", \"inputs\": {\"x\": \"x.state\"}}, {\"name\": \"x\", \"type\": "
        "\"state\", \"initial\": \"x0\", \"value\": \"-a*y\", \"inputs\": {\"y\": \"old.state\"}}], \"simulation\": "
        "{\"t_end\": 1.9, \"h\": 0.05, \"integrator\": \"rk\", \"step\": \"fixed\"}}";
    static const char *const of[] = {"final(x.state)"}, *const by[] = {"a", "x0"};
    const double a = 0.7, x0 = 1.3;
    const dal_gradient_spec spec = {.source = "x", .text = text, .of = of, .nof = 1, .by = by, .nby = 2};
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
        check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
        assert_near(dal_gradient_value(g, 0), x0 * (1.0 - 1.9 * a + 0.405 * a * a), 1e-12);
        assert_near(dal_gradient_row(g, 0)[0], x0 * (0.81 * a - 1.9), 1e-10);
        assert_near(dal_gradient_row(g, 0)[1], 1.0 - 1.9 * a + 0.405 * a * a, 1e-12);
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void histories_are_segments_too(void **state)
{
    (void)state;
    static const char *const of[] = {"final(b.position.x)", "integral(push.force_value^2)"};
    static const size_t memory[] = {0, 1000000};
    enum { N = sizeof delays / sizeof delays[0] };
    dal_ctx *ctx = check_ctx();
    for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
        double row[2][2][N];
        for (int k = 0; k < 2; ++k) {
            const dal_gradient_spec spec = {.source = DAL_MODELS "/delay.json",
                                            .of = of,
                                            .nof = 2,
                                            .by = delays,
                                            .nby = N,
                                            .set = methods[0],
                                            .nset = 3,
                                            .memory = memory[k]};
            dal_gradient *g;
            check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
            check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
            assert_true((dal_gradient_about(g).segments > 1) == (k > 0));
            for (int i = 0; i < 2; ++i) {
                memcpy(row[k][i], dal_gradient_row(g, i), sizeof row[k][i]);
            }
            dal_gradient_destroy(g);
        }
        assert_memory_equal(row[1], row[0], sizeof row[0]);
    }
    check_ctx_free(ctx);
}

/* Solids that touch, stick and slide by bristles, with restitution: sticking, sliding and free. */
static void compliant_contacts_are_differentiated(void **state)
{
    (void)state;
    static const char *const of[] = {"final(kinetic_energy)", "integral(kinetic_energy)", "final(corners.force_value)",
                                     "final(floor.force_value)"};
    static const char *const by[] = {"gravity.2",
                                     "k",
                                     "r",
                                     "bodies.box.mass",
                                     "bodies.arm.mass",
                                     "forces.corners.mu",
                                     "forces.corners.bristle",
                                     "forces.corners.bristle_damping",
                                     "forces.corners.restitution",
                                     "forces.corners.size.0",
                                     "forces.floor.restitution",
                                     "forces.pair.restitution",
                                     "forces.ends.restitution",
                                     "forces.anvil.restitution",
                                     "bodies.box.velocity.0",
                                     "bodies.box.position.2"};
    static const char *const set[][5] = {
        {"integrator=genalpha", "step=fixed", "formulation=index3", "h=0.0005", "t_end=0.075"},
        {"integrator=genalpha", "step=fixed", "formulation=ggl", "h=0.0005", "t_end=0.07"},
        {"integrator=rk", "step=adaptive", "order=5", "h=0.0005", "t_end=0.05"},
        {"integrator=lobatto", "step=fixed", "stages=3", "h=0.001", "t_end=0.05"}};
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (size_t m = 0; m < sizeof set / sizeof set[0]; ++m) {
        const dal_gradient_spec spec = {.source = DAL_ELEMENTS "/compliant.json",
                                        .of = of,
                                        .nof = 4,
                                        .by = by,
                                        .nby = sizeof by / sizeof by[0],
                                        .set = set[m],
                                        .nset = 5};
        bad += compare_over(ctx, &spec, 1e-6, 2e-6);
    }
    assert_int_equal(bad, 0);
    check_ctx_free(ctx);
}

/* A ball comes back with e v from a wall whose law has the restitution e, without gravity. */
static void restitution_has_a_closed_gradient(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dalembert\": 1, \"variables\": {\"e\": 0.6, \"v\": 0.8}, \"bodies\": [{\"name\": \"ball\", \"mass\": 2, "
        "\"inertia\": 0.01, \"position\": [0, 0, 0.101], \"velocity\": [0, 0, \"-v\"]}], \"forces\": [{\"name\": "
        "\"wall\", \"type\": \"contact\", \"body_b\": \"ball\", \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], "
        "\"radius\": 0.1, \"stiffness\": 1e5, \"restitution\": \"e\"}], \"simulation\": {\"t_end\": 0.05, "
        "\"integrator\": \"rk\", \"order\": 8, \"step_rtol\": 1e-11, \"step_atol\": 1e-13}}";
    static const char *const of[] = {"final(ball.velocity.z)"}, *const by[] = {"e", "v", "forces.wall.stiffness"};
    const dal_gradient_spec spec = {.source = "wall", .text = text, .of = of, .nof = 1, .by = by, .nby = 3};
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
        check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
        assert_near(dal_gradient_value(g, 0), 0.48, 1e-8);
        assert_near(dal_gradient_row(g, 0)[0], 0.8, 1e-5);
        assert_near(dal_gradient_row(g, 0)[1], 0.6, 1e-5);
        assert_near(1e5 * dal_gradient_row(g, 0)[2], 0.0, 1e-5);
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void what_is_not_differentiated_is_named(void **state)
{
    (void)state;
    static const char *const of[] = {"final(b.position.x)"}, *const by[] = {"bodies.a.mass", "forces.old.time"};
    static const char head[] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1}, "
                               "{\"name\": \"b\", \"mass\": 1, \"inertia\": 1}], \"joints\": [{\"name\": \"rail\", "
                               "\"type\": \"prismatic\", \"body_b\": \"b\", \"axis\": [1, 0, 0]}, {\"name\": \"ball\", "
                               "\"type\": \"spherical\", \"body_b\": \"a\", \"point\": [0, 0, 0]}], ";
    static const struct {
        const char *rest, *says;
        int by;
    } cases[] = {
        {"\"forces\": [{\"name\": \"old\", \"type\": \"delay\", \"time\": 0.1, \"value\": \"x\", \"inputs\": {\"x\": "
         "\"b.position.x\"}}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}",
         "depends on 'forces.old.time'", 1},
        {"\"forces\": [{\"name\": \"old\", \"type\": \"delay\", \"time\": 0.1, \"value\": \"x\", \"inputs\": {\"x\": "
         "\"ball.force.x\"}}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}",
         "delay 'old' reads a reaction", 0},
        {"\"forces\": [{\"name\": \"old\", \"type\": \"delay\", \"time\": 0.1, \"value\": \"x\", \"inputs\": {\"x\": "
         "\"b.position.x\"}}], \"events\": [{\"name\": \"there\", \"when\": \"b.position.x > 1\", \"stop\": true}], "
         "\"simulation\": {\"t_end\": 1, \"h\": 0.01}}",
         "delay 'old' remembers the past", 0},
        {"\"forces\": [{\"name\": \"floor\", \"type\": \"contact\", \"body_b\": \"b\", \"frame_a\": [0, 0, -2], "
         "\"frame_b\": [0, 0, 0], \"radius\": 1, \"stiffness\": 1e4, \"restitution\": 0.5}], \"events\": [{\"name\": "
         "\"there\", \"when\": \"b.position.x > 1\", \"stop\": true}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}",
         "contact 'floor' remembers the speed", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[2000];
        dal_gradient *g;
        snprintf(text, sizeof text, "%s%s", head, cases[k].rest);
        const dal_gradient_spec spec = {.source = "named",
                                        .text = text,
                                        .of = of,
                                        .nof = 1,
                                        .by = by + cases[k].by,
                                        .nby = 1,
                                        .set = methods[0],
                                        .nset = 3};
        dal_ctx *ctx = check_ctx();
        check_fails(ctx, dal_gradient_create(&g, ctx, &spec), DAL_EINVAL, cases[k].says);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_are_differentiated),         cmocka_unit_test(a_delayed_state_has_a_closed_gradient),
        cmocka_unit_test(histories_are_segments_too),        cmocka_unit_test(compliant_contacts_are_differentiated),
        cmocka_unit_test(restitution_has_a_closed_gradient), cmocka_unit_test(what_is_not_differentiated_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
