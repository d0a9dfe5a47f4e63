/* Gradients through impacts, changes of contacts and events: closed forms, and differences of runs. */
#include "methods.h"

/* A ball falls from the height H and keeps the part e of its speed: after n impacts, the last at t_n = t_1 (1 + 2 e + ... + 2 e^(n-1)),
 * t_1 = sqrt(2 H/g), it flies with the speed e^n g t_1. */
static void ball(double e, double H, double g, double T, int n, double *t_n, double *z)
{
    const double t1 = sqrt(2.0 * H / g);
    double sum = 1.0;
    for (int k = 1; k < n; ++k) {
        sum += 2.0 * pow(e, k);
    }
    *t_n = t1 * sum;
    const double s = T - *t_n;
    *z = pow(e, n) * g * t1 * s - 0.5 * g * s * s;
}

/* Derivatives of the closed form, by differences of it. */
static double ball_slope(int by, int of, double T, int n)
{
    double x[3] = {0.9, 1.0, 9.81}, sum = 0.0;
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const double own = x[by], step = 1e-3 * own;
    for (int j = -3; j <= 3; ++j) {
        double y[2];
        if (j != 0) {
            x[by] = own + j * step;
            ball(x[0], x[1], x[2], T, n, &y[0], &y[1]);
            sum += (j < 0 ? -1.0 : 1.0) * weight[(j < 0 ? -j : j) - 1] * y[of] / step;
        }
    }
    return sum;
}

/* Parabolas are what all methods compute exactly: the closed form to rounding, for every number of impacts. */
static void heights_and_times_of_a_bouncing_ball_have_closed_gradients(void **state)
{
    (void)state;
    static const char *const of[] = {"final(ball.position.z)"}, *const by[] = {"e", "drop", "gravity.2"};
    static const double T[] = {0.4, 1.2, 1.9, 2.5, 3.0};
    dal_ctx *ctx = check_ctx();
    for (int m = 0; m < METHODS; ++m) {
        for (int n = 0; n < 5; ++n) {
            char end[32];
            snprintf(end, sizeof end, "t_end=%g", T[n]);
            const char *const set[] = {methods[m][0], methods[m][1], methods[m][2], end};
            const dal_gradient_spec spec = {
                .source = "bouncing_ball", .of = of, .nof = 1, .by = by, .nby = 3, .set = set, .nset = 4};
            dal_gradient *g;
            check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
            check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_AUTO));
            assert_int_equal(dal_gradient_events(g), n);
            for (int k = 0; k < 3 && n > 0; ++k) {
                const double sign = k == 2 ? -1.0 : 1.0; // gravity.2 is -g
                assert_near(dal_gradient_row(g, 0)[k], sign * ball_slope(k, 1, T[n], n), 1e-7);
                for (int i = 1; i <= n; ++i) {
                    double t, z;
                    ball(0.9, 1.0, 9.81, T[n], i, &t, &z);
                    assert_near(dal_gradient_event_time(g, i - 1), t, 1e-9);
                    assert_near(dal_gradient_event_row(g, i - 1)[k], sign * ball_slope(k, 0, T[n], i), 1e-8);
                }
            }
            assert_null(dal_gradient_event_row(g, n));
            dal_gradient_destroy(g);
        }
    }
    check_ctx_free(ctx);
}

/* Impacts, a contact that is left, events that set inputs, kick and stop, a joint that is released. */
static void gradients_through_events_are_differences_of_runs(void **state)
{
    (void)state;
    static const happening cases[] = {{"bouncing_ball",
                                       {"integral(ball.position.z)", "rms(ball.velocity.z)", "max(ball.velocity.z)"},
                                       {"e", "drop", "gravity.2", "m"},
                                       "t_end=1.5"},
                                      {DAL_MODELS "/release.json",
                                       {"final(b.position.z)", "integral(pin.force^2)", "final(kinetic_energy)"},
                                       {"gravity.2", "bodies.a.mass", "bodies.b.inertia.1", "bodies.b.mass"},
                                       "t_end=0.04"},
                                      {DAL_MODELS "/lift.json",
                                       {"final(b.position.x)", "final(b.position.y)", "integral(floor.force.y)"},
                                       {"R", "v0", "g", "m"},
                                       "t_end=1"},
                                      {DAL_MODELS "/happen.json",
                                       {"final(t)", "final(b.velocity.x)", "integral(b.velocity.x^2)"},
                                       {"far", "F", "K", "P"},
                                       "t_end=4"}};
    assert_int_equal(compare_happenings(cases, sizeof cases / sizeof cases[0]), 0);
}

/* The transition matrix of an impact on a plane: position and speed change their sign, with the factor e. */
static void transition_through_an_impact_is_the_saltation_matrix(void **state)
{
    (void)state;
    static const char *const of[] = {"final(ball.position.z)"}, *const by[] = {"e"},
                             *const set[] = {"t_end=0.6", "integrator=rk", "step=fixed"};
    const dal_gradient_spec spec = {
        .source = "bouncing_ball", .of = of, .nof = 1, .by = by, .nby = 1, .set = set, .nset = 3};
    const double g0 = 9.81, e = 0.9, T = 0.6, t1 = sqrt(2.0 / g0), v = g0 * t1;
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD));
    double Phi[144];
    assert_int_equal(dal_gradient_velocities(g), 6);
    check_ok(ctx, dal_gradient_transition(g, Phi));
    // z(T) = e s (v0) ... : with z0 and w0 at the start, t1 = (w0 + sqrt(w0^2 + 2 g z0))/g, speed u = sqrt(w0^2 + 2 g z0)
    const double dt_z = 1.0 / v, du_z = g0 / v, dt_w = 1.0 / g0, du_w = 0.0, s = T - t1;
    const double rate = -e * v + g0 * s; // dz(T)/dt1 at the speed u
    assert_near(Phi[2 + 12 * 2], e * du_z * s + rate * dt_z, 1e-8);
    assert_near(Phi[2 + 12 * 8], e * du_w * s + rate * dt_w, 1e-8);
    assert_near(Phi[8 + 12 * 2], e * du_z + g0 * dt_z, 1e-8);
    assert_near(Phi[8 + 12 * 8], e * du_w + g0 * dt_w, 1e-8);
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void what_is_not_differentiated_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *model, *of, *by, *set, *says;
    } cases[] = {{"bouncing_ball", "final(ball.position.z)", "e", "impacts=captured", "impacts = captured has none"},
                 {DAL_MODELS "/hit.json", "final(ball.position.z)", "e", "t_end=0.1", "begins with an impact"},
                 {DAL_MODELS "/happen.json", "final(t)", "later", "F=5.4", "sets input 'push'"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const dal_gradient_spec spec = {.source = cases[k].model,
                                        .of = &cases[k].of,
                                        .nof = 1,
                                        .by = &cases[k].by,
                                        .nby = 1,
                                        .set = &cases[k].set,
                                        .nset = 1};
        dal_gradient *g;
        const dal_status st = dal_gradient_create(&g, ctx, &spec);
        check_fails(ctx, st == DAL_OK ? dal_gradient_run(g, NULL, DAL_GRADIENT_AUTO) : st,
                    k == 0 ? DAL_EOPTION : DAL_EINVAL, cases[k].says);
        dal_gradient_destroy(g);
    }
    check_ctx_free(ctx);
}

/* What a brake exerts depends on the multipliers of its joint, in steps and at the start. Nothing happens in this run, and the
 * adjoint goes through it, too. */
static void friction_that_follows_a_reaction_has_a_gradient(void **state)
{
    (void)state;
    static const char *const of[] = {"final(kinetic_energy)", "integral(pin.force)"}, *const by[] = {
                                                                                          "joints.rub.mu",
                                                                                          "joints.rub.radius",
                                                                                          "bodies.arm.mass",
                                                                                          "gravity.2"};
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (int m = 0; m < 3; ++m) {
        bad += compare(
            ctx,
            &(dal_gradient_spec){
                .source = DAL_MODELS "/rub.json", .of = of, .nof = 2, .by = by, .nby = 4, .set = methods[m], .nset = 3},
            1e-8);
    }
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}

/* Heights that were measured, and results besides, through four impacts: backwards as forwards, with the states of a few steps at a time,
 * and in threads. */
static void adjoint_through_impacts_takes_data_segments_and_threads(void **state)
{
    (void)state;
    enum { N = 5, BY = 5 };
    static const char *const of[] = {"final(ball.position.z)", "integral(ball.velocity.z^2)", "max(ball.position.z)",
                                     "final(ball.position.x)"},
                             *const by[BY] = {"e", "drop", "gravity.2", "bodies.ball.position.0", "m"},
                             *const set[] = {"t_end=2.8", "h=0.004"};
    static const double t[N] = {0.3, 0.9, 1.45, 2.0, 2.6}, y[N] = {0.5, 0.7, 0.2, 0.6, 0.4};
    const dal_gradient_data data = {.expression = "ball.position.z", .t = t, .y = y, .n = N};
    static const struct {
        size_t memory;
        int jobs;
    } cases[] = {{0, 1}, {120000, 1}, {0, 2}, {240000, 3}};
    dal_ctx *ctx = check_ctx();
    double row[5][BY];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const dal_gradient_spec spec = {.source = "bouncing_ball",
                                        .of = of,
                                        .nof = 4,
                                        .by = by,
                                        .nby = BY,
                                        .set = set,
                                        .nset = 2,
                                        .data = &data,
                                        .ndata = 1,
                                        .memory = cases[c].memory,
                                        .jobs = cases[c].jobs};
        dal_gradient *g;
        check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
        for (int back = c > 0; back < 2; ++back) {
            check_ok(ctx, dal_gradient_run(g, NULL, back ? DAL_GRADIENT_ADJOINT : DAL_GRADIENT_FORWARD));
            assert_int_equal(dal_gradient_events(g), 4);
            for (int i = 0; i < 5; ++i) {
                const double *now = i < 4 ? dal_gradient_row(g, i) : dal_gradient_of_squares(g);
                for (int k = 0; k < BY; ++k) {
                    row[i][k] = back ? row[i][k] : now[k];
                    assert_near(now[k], row[i][k], 1e-9 * fmax(1.0, fabs(row[i][0])));
                }
            }
        }
        assert_true(cases[c].memory == 0 || dal_gradient_about(g).segments > 5); // impacts begin four
        dal_gradient_destroy(g);
    }
    check_ctx_free(ctx);
}

/* A block that falls flat: turned by ever so little it touches with one corner first, in no direction that the numbers take. Many numbers
 * ask for the adjoint, which leaves it to forward mode. */
static void where_directions_have_no_derivative_forward_mode_is_taken(void **state)
{
    (void)state;
    enum { BY = 20 };
    static const char *const of[] = {"final(b.position.y)"};
    char name[BY][32];
    const char *by[BY];
    for (int k = 0; k < BY; ++k) {
        snprintf(name[k], sizeof name[k], "functions.u.y.%d", k);
        by[k] = name[k];
    }
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    const dal_gradient_spec spec = {.source = DAL_MODELS "/flat.json", .of = of, .nof = 1, .by = by, .nby = BY};
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_fails(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT), DAL_EINVAL, "choose forward mode");
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_AUTO));
    assert_int_equal(dal_gradient_about(g).mode, DAL_GRADIENT_FORWARD);
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_through_impacts_takes_data_segments_and_threads),
        cmocka_unit_test(where_directions_have_no_derivative_forward_mode_is_taken),
        cmocka_unit_test(heights_and_times_of_a_bouncing_ball_have_closed_gradients),
        cmocka_unit_test(gradients_through_events_are_differences_of_runs),
        cmocka_unit_test(transition_through_an_impact_is_the_saltation_matrix),
        cmocka_unit_test(friction_that_follows_a_reaction_has_a_gradient),
        cmocka_unit_test(what_is_not_differentiated_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
