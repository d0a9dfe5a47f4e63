/* What is collected of a run, against closed forms. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/sweep.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* A ball thrown upwards with velocity w from height z0, and a cart on a spring and a damper that starts at a, at rest. */
static const char model[] = "{\"dalembert\": 1, \"name\": \"two\", \"variables\": {\"w\": 3, \"z0\": 0.5, \"g\": 10, "
                            "\"a\": 0.2, \"k\": 40, \"d\": 0},"
                            " \"gravity\": [0, 0, \"-g\"],"
                            " \"bodies\": [{\"name\": \"ball\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, "
                            "0, \"z0\"], \"velocity\": [0, 0, \"w\"]},"
                            "  {\"name\": \"cart\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"a\", 0, 0]}],"
                            " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", "
                            "\"axis\": [1, 0, 0], \"point\": [0, 0, 0]}],"
                            " \"forces\": [{\"name\": \"coil\", \"type\": \"spring\", \"joint\": \"rail\", "
                            "\"reference\": \"-a\", \"stiffness\": \"k\", \"damping\": \"d\"}],"
                            " \"outputs\": [\"ball.position\"],"
                            " \"simulation\": {\"t_end\": 2, \"h\": 0.001}}";
static char path[] = "/tmp/test_sweep_collect_XXXXXX.json";

/* One member of the model with these assignments. */
static void collect(const char *const *set, int nset, const char *const *what, int n, double *value)
{
    static const char *const p[] = {"a=list:0.2"};
    const dal_sweep_spec spec = {
        .source = path, .set = set, .nset = nset, .parameter = p, .nparameters = 1, .collect = what, .ncollect = n};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 1}));
    const dal_sweep_member m = dal_sweep_result(s, 0);
    assert_string_equal(m.message, "");
    assert_int_equal(m.status, DAL_OK);
    memcpy(value, m.value, (size_t)n * sizeof *value);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* z = z0 + w t - g t^2/2 up to t = 2 */
static void reductions_of_a_throw_are_its_closed_forms(void **state)
{
    static const char *const what[] = {"final(ball.position.z)",
                                       "initial(ball.position.z)",
                                       "max(ball.position.z)",
                                       "min(ball.position.z)",
                                       "time_of_max(ball.position.z)",
                                       "time_of_min(ball.position.z)",
                                       "mean(ball.position.z)",
                                       "integral(ball.velocity.z)",
                                       "time_of(ball.position.z, 0)",
                                       "crossings(ball.position.z, 0.6)",
                                       "time_of(ball.position.z, 5)",
                                       "rms(ball.velocity.z)",
                                       "max(ball.position.z) - min(ball.position.z) + a",
                                       "max(max(ball.position.z, 0.7 + a))",
                                       "final(t)",
                                       "max(ball.velocity)",
                                       "max(ball.acceleration.z)",
                                       "final(\"ball.position.z\")"};
    const double fall = 0.3 + sqrt(0.09 + 0.1), mean = 0.5 + 3.0 - 10.0 * 4.0 / 6.0;
    const double want[] = {-13.5,
                           0.5,
                           0.95,
                           -13.5,
                           0.3,
                           2.0,
                           mean,
                           -14.0,
                           fall,
                           2.0,
                           NAN,
                           sqrt(9.0 - 60.0 + 400.0 / 3.0),
                           0.95 + 13.5 + 0.2,
                           0.95,
                           2.0,
                           17.0,
                           -10.0,
                           -13.5};
    double value[LEN(what)];
    collect(NULL, 0, what, LEN(what), value);
    for (size_t k = 0; k < LEN(what); ++k) {
        if (isnan(want[k])) {
            assert_true(isnan(value[k]));
        } else {
            check_near_at(value[k], want[k], 2e-5, what[k], __FILE__, __LINE__);
        }
    }
}

/* Only at the end, without looking at the steps between. */
static void final_values_alone_are_the_same(void **state)
{
    static const char *const alone[] = {"final(ball.position.z)", "initial(ball.position.z)"},
                             *const with[] = {"final(ball.position.z)", "initial(ball.position.z)", "max(t)"};
    double a[2], b[3];
    collect(NULL, 0, alone, 2, a);
    collect(NULL, 0, with, 3, b);
    assert_true(a[0] == b[0] && a[1] == b[1]);
}

/* x = a exp(-c t) (cos(om t) + c/om sin(om t)); the last time at which it leaves the band of 5 % about 0. */
static double settled(double a, double k, double d, double band)
{
    const double c = 0.5 * d, om = sqrt(k - c * c);
    double last = 0.0;
    for (int i = 0; i <= 2000000; ++i) {
        const double t = 1e-6 * i;
        if (fabs(exp(-c * t) * (cos(om * t) + c / om * sin(om * t))) > band) {
            last = t;
        }
    }
    (void)a;
    return last;
}

static void a_damped_oscillation_settles_when_it_should(void **state)
{
    static const char *const set[] = {"d=6"}, *const what[] = {
                                                  "settle(cart.position.x, 0.05, 0)", "crossings(cart.position.x, 0)",
                                                  "settle(cart.position.x, 1e-9)", "settle(ball.position.y, 0.1)"};
    double value[4];
    collect(set, 1, what, 4, value);
    assert_near(value[0], settled(0.2, 40.0, 6.0, 0.05), 1e-4);
    assert_near(value[1], floor((2.0 * sqrt(31.0) - atan(3.0 / sqrt(31.0))) / pi + 0.5), 0.0);
    assert_true(value[2] > 1.9 && value[2] <= 2.0);
    assert_near(value[3], 0.0, 0.0); // it never moves
}

/* The cart without damper, x = a cos(om t) over 2 s, and the throw, by methods that take large steps: to their tolerance, not
 * to the distance of the steps. abs and max make kinks within steps. */
static void reductions_by_dense_output_have_the_tolerance_of_the_run(void **state)
{
    static const char *const what[] = {"max(cart.position.x)",
                                       "min(cart.position.x)",
                                       "time_of_min(cart.position.x)",
                                       "time_of(cart.position.x, -0.1)",
                                       "crossings(cart.position.x, 0.0)",
                                       "integral(cart.position.x)",
                                       "rms(cart.position.x)",
                                       "integral(abs(cart.position.x))",
                                       "mean(cart.velocity.x^4)",
                                       "settle(ball.position.z, 0.5)",
                                       "time_of_max(ball.position.z)",
                                       "max(coil.force_value)",
                                       "integral(max(cart.position.x, 0.1))",
                                       "max(-abs(cart.velocity.x - 0.3))",
                                       "rms(rail.force.z)"};
    static const struct {
        const char *set[3];
        double tol;
    } run[] = {{{"integrator=rk", "step_rtol=1e-8", "h=0.01"}, 1e-8},
               {{"integrator=rk", "order=5", "step_rtol=1e-6"}, 5e-6},
               {{"integrator=auto", "step_rtol=1e-7", "h=0.01"}, 1e-7},
               {{"integrator=lobatto", "stages=4", "h=0.1"}, 5e-7},
               {{"integrator=lobatto", "step=adaptive", "step_rtol=1e-7"}, 3e-7},
               {{"integrator=genalpha", "step=adaptive", "step_rtol=1e-5"}, 1e-4}};
    const double a = 0.2, om = sqrt(40.0), T = 2.0, s = sin(om * T), half = pi / om;
    const int n = (int)(om * T / pi + 0.5);
    // int |cos|: half periods are 2/om; int cos^4 of sin: T 3/8 - sin(2 om T)/(4 om) + sin(4 om T)/(32 om)
    const double area = a / om * (2.0 * n + (n % 2 ? -s : s)), quarter = acos(0.5) / om;
    double above = 0.0;
    for (int i = 0; i < 2000000; ++i) {
        above += 1e-6 * fmax(a * cos(om * (i + 0.5) * 1e-6), 0.1);
    }
    const double fourth =
        pow(a * om, 4.0) * (0.375 - sin(2.0 * om * T) / (4.0 * om * T) + sin(4.0 * om * T) / (32.0 * om * T));
    const double want[] = {a,
                           -a,
                           half,
                           2.0 * quarter,
                           n,
                           a * s / om,
                           a * sqrt(0.5 + sin(2.0 * om * T) / (4.0 * om * T)),
                           area,
                           fourth,
                           0.1 * (3.0 + sqrt(149.0)),
                           0.3,
                           40.0 * a,
                           above,
                           0.0,
                           10.0};
    for (size_t r = 0; r < LEN(run); ++r) {
        double value[LEN(what)];
        collect(run[r].set, 3, what, LEN(what), value);
        value[2] = fmod(value[2], 2.0 * half); // one minimum is as deep as the other
        for (size_t k = 0; k < LEN(what); ++k) {
            check_near_at(value[k], want[k], run[r].tol * fmax(1.0, fabs(want[k])), what[k], __FILE__, __LINE__);
        }
    }
}

static void energy_and_forces_of_elements_need_no_output(void **state)
{
    static const char *const what[] = {"max(coil.force_value) - k*0.2", "max(kinetic_energy)", "rms(rail.force.z)"};
    static const char *const p[] = {"k=list:30,40"};
    const dal_sweep_spec spec = {.source = path, .parameter = p, .nparameters = 1, .collect = what, .ncollect = 3};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    for (int k = 0; k < 2; ++k) {
        const dal_sweep_member m = dal_sweep_result(s, k);
        assert_near(m.value[0], 0.0, 1e-5 * 8.0);
        assert_near_rel(m.value[1], 17.0 * 17.0 + 0.0, 0.01);
        assert_near_rel(m.value[2], 10.0, 1e-9); // carries the cart
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

static void units_follow_from_outputs_and_keys(void **state)
{
    static const struct {
        const char *what, *unit;
    } cases[] = {{"max(coil.force_value)", "N"},
                 {"integral(ball.position.z)", "m s"},
                 {"time_of(ball.position.z, 0)", "s"},
                 {"crossings(ball.position.z, 0)", "1"},
                 {"max(ball.position.z) - min(ball.position.z) + a", "m"},
                 {"rms(abs(rail.force.z))", "N"},
                 {"max(t)", "s"},
                 {"2*max(energy)", ""},
                 {"max(ball.position.z*ball.velocity.z)", ""},
                 {"max(ball.velocity) + max(energy)", ""}};
    static const char *const p[] = {"a=list:0.2", "z0=list:1"};
    const char *what[LEN(cases)];
    char unit[DAL_SWEEP_UNIT];
    for (size_t k = 0; k < LEN(cases); ++k) {
        what[k] = cases[k].what;
    }
    const dal_sweep_spec spec = {
        .source = path, .parameter = p, .nparameters = 2, .collect = what, .ncollect = LEN(cases)};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_sweep_collect_unit(s, unit, (int)k);
        assert_string_equal(unit, cases[k].unit);
    }
    dal_sweep_parameter_unit(s, unit, 1);
    assert_string_equal(unit, "m");
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Anything can go wrong in a member; the others are not concerned. */
static void a_failing_member_is_recorded_and_the_others_run(void **state)
{
    static const char *const p[] = {"g=list:10,1e200,9", "k=list:40,-1"}, *const what[] = {"final(ball.position.z)"};
    const dal_sweep_spec spec = {.source = path, .parameter = p, .nparameters = 2, .collect = what, .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    dal_sweep_cause cause[4];
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    assert_int_equal(dal_sweep_count(s, 1) + dal_sweep_count(s, 0), 6);
    for (int k = 0; k < 6; ++k) {
        const dal_sweep_member m = dal_sweep_result(s, k);
        const int bad = m.status != DAL_OK;
        assert_true(k / 2 == 1 ? bad : 1);
        assert_int_equal(bad, m.message[0] != '\0');
        assert_int_equal(bad, isnan(m.value[0]) != 0);
    }
    const int n = dal_sweep_causes(s, cause, 4);
    assert_true(n >= 1 && cause[0].count >= 1);
    assert_int_equal(dal_sweep_result(s, cause[0].first).status, cause[0].status);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Explicit steps beyond the limit of stability of the spring: finite values that the method made up, energy from nowhere. */
static void a_motion_that_the_method_made_is_no_result(void **state)
{
    static const char *const p[] = {"k=list:1e3,1e5"}, *const what[] = {"final(cart.position.x)"},
                             *const set[] = {"integrator=rk", "step=fixed", "h=0.02", "t_end=0.6"};
    const dal_sweep_spec spec = {
        .source = path, .set = set, .nset = 4, .parameter = p, .nparameters = 1, .collect = what, .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    assert_int_equal(dal_sweep_result(s, 0).status, DAL_OK);
    const dal_sweep_member bad = dal_sweep_result(s, 1);
    assert_int_equal(bad.status, DAL_ESTEP);
    assert_non_null(strstr(bad.message, "energy balance is off by"));
    assert_true(isnan(bad.value[0]));
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Against sums over a handful of numbers. */
static void statistics_are_those_of_the_members(void **state)
{
    static const char *const p[] = {"z0=list:5,1,4,2,3"}, *const what[] = {"initial(ball.position.z)"};
    const dal_sweep_spec spec = {.source = path, .parameter = p, .nparameters = 1, .collect = what, .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    dal_sweep_summary m;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    check_ok(ctx, dal_sweep_statistics(s, &m, 0));
    assert_int_equal(m.n, 5);
    assert_near(m.mean, 3.0, 1e-15);
    assert_near(m.deviation, sqrt(2.5), 1e-15);
    assert_near(m.quantile[3], 3.0, 1e-15);
    assert_near(m.quantile[2], 2.0, 1e-15);
    assert_near(m.quantile[0], 1.04, 1e-15);
    assert_int_equal(m.min_member, 1);
    assert_int_equal(m.max_member, 0);
    check_fails(ctx, dal_sweep_statistics(s, &m, 1), DAL_EINVAL, "not collected");
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

static int write_model(void **state)
{
    const int fd = mkstemps(path, 5);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    return out == NULL || fputs(model, out) < 0 || fclose(out) != 0;
}

static int remove_model(void **state)
{
    return remove(path);
}

/* Places of beams are parts of names; the beam itself depends on what is varied. */
static void places_of_beams_are_collected(void **state)
{
    (void)state;
    static const char *const p[] = {"EI=list:400,500"}, *const set[] = {"t_end=0.02", "elements=2", "h=0.01"},
                             *const what[] = {"initial(beam@1.position.y) - 2*initial(beam@0.position.x)",
                                              "max(beam@0.25.section_moment)", "EI"};
    const dal_sweep_spec spec = {.source = "flying_spaghetti",
                                 .set = set,
                                 .nset = 3,
                                 .parameter = p,
                                 .nparameters = 1,
                                 .collect = what,
                                 .ncollect = 3};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 1}));
    for (int k = 0; k < 2; ++k) {
        const dal_sweep_member m = dal_sweep_result(s, k);
        assert_string_equal(m.message, "");
        assert_near(m.value[0], 8.0 - 2.0 * 6.0, 1e-14);
        assert_true(m.value[1] > 0.0);
        assert_near(m.value[2], 400.0 + 100.0 * k, 0.0);
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_of_a_throw_are_its_closed_forms),
        cmocka_unit_test(final_values_alone_are_the_same),
        cmocka_unit_test(a_damped_oscillation_settles_when_it_should),
        cmocka_unit_test(reductions_by_dense_output_have_the_tolerance_of_the_run),
        cmocka_unit_test(energy_and_forces_of_elements_need_no_output),
        cmocka_unit_test(units_follow_from_outputs_and_keys),
        cmocka_unit_test(a_failing_member_is_recorded_and_the_others_run),
        cmocka_unit_test(a_motion_that_the_method_made_is_no_result),
        cmocka_unit_test(places_of_beams_are_collected),
        cmocka_unit_test(statistics_are_those_of_the_members),
    };
    return cmocka_run_group_tests(tests, write_model, remove_model);
}
