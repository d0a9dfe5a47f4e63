/* Floquet exponents of models: Hill's and Mathieu's equations, fast modes. */
#include <math.h>
#include <stdio.h>

#include "models/at.h"

static const double pi = 3.14159265358979323846;

/* Distance of the nearest eigenvalue. */
static double nearest(const dal_modal *modal, double re, double im)
{
    double best = INFINITY;
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        best = fmin(best, hypot(mode.re - re, mode.im - im));
    }
    return best;
}

static const char shaken[] =
    "{\"dalembert\": 1, \"name\": \"shaken\", \"variables\": {\"amp\": 0.1, \"w\": 20},"
    "\"gravity\": [0, 0, -9.81],"
    "\"functions\": {\"z\": {\"type\": \"harmonic\", \"amplitude\": \"amp\", \"omega\": \"w\", \"phase\": \"pi/2\"}},"
    "\"bodies\": [{\"name\": \"cart\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, \"amp\"]},"
    "{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.01], \"position\": [0, 0, \"0.5 + amp\"]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\","
    "\"frame_a\": {\"position\": [0, 0, 0]}, \"frame_b\": {\"position\": [0, 0, 0]}},"
    "{\"name\": \"shake\", \"type\": \"motion\", \"joint\": \"rail\", \"function\": \"z\"},"
    "{\"name\": \"hinge\", \"type\": \"revolute\", \"body_a\": \"cart\", \"body_b\": \"rod\", \"point\": [0, 0, "
    "\"amp\"],"
    "\"axis\": [0, -1, 0]}], \"simulation\": {\"t_end\": 1, \"h\": 0.001}}";

/* Upside down on a support that shakes: 0.6 phi'' = (9.81 - 0.1 w^2 cos(w t)) phi. Half the trace of its flow over a period by
 * the classical Runge-Kutta method. */
static double half_trace(double w)
{
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        const int n = 4000;
        const double h = 2.0 * pi / w / n;
        double y = k == 0, v = k == 1;
        for (int i = 0; i < n; ++i) {
            double dy[5] = {0.0}, dv[5] = {0.0}, ya = 0.0, va = 0.0;
            static const double c[] = {0.0, 0.5, 0.5, 1.0}, b[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
            for (int s = 0; s < 4; ++s) {
                const double t = h * (i + c[s]), ys = y + c[s] * h * dy[s], vs = v + c[s] * h * dv[s];
                dy[s + 1] = vs;
                dv[s + 1] = (9.81 - 0.1 * w * w * cos(w * t)) / 0.6 * ys;
                ya += b[s] * dy[s + 1];
                va += b[s] * dv[s + 1];
            }
            y += h * ya;
            v += h * va;
        }
        sum += k == 0 ? y : v;
    }
    return 0.5 * sum;
}

static void shaken_pendulum_has_the_exponents_of_hills_equation(void **state)
{
    static const char *const set[] = {"w=20", "w=60"}; // falls; stands
    static const double rate[] = {20.0, 60.0};
    for (int k = 0; k < 2; ++k) {
        model_at m = model_open(shaken, set[k], NULL);
        const double period = 2.0 * pi / rate[k], half = half_trace(rate[k]);
        const dal_modal_options opt = {.period = period}, wrong = {.period = 0.9 * period};
        dal_modal *modal;
        check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &m.at, &opt));
        assert_int_equal(dal_modal_about(modal).steady, DAL_STEADINESS_FLOQUET);
        assert_int_equal(dal_modal_about(modal).unstable, k == 0 ? 1 : 0);
        if (k == 0) {
            assert_near(nearest(modal, acosh(half) / period, 0.0), 0.0, 1e-8);
            assert_near(nearest(modal, -acosh(half) / period, 0.0), 0.0, 1e-8);
        } else {
            assert_near(nearest(modal, 0.0, acos(half) / period), 0.0, 1e-8);
        }
        dal_modal_destroy(modal);
        check_fails(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &m.at, &wrong), DAL_ECHECK,
                    "not a period of the motion");
        model_close(&m);
    }
}

/* Two masses on rails with their forces; the coefficients have the period pi. */
static dal_modal *on_rails(model_at *m, const char *first, const char *second)
{
#define MASS(name) "{\"name\": \"" name "\", \"type\": \"point\", \"mass\": 1}"
#define RAIL(name) \
    "{\"name\": \"rail " name "\", \"type\": \"generic\", \"body_b\": \"" name "\", \"locked\": [\"y\", \"z\"]}"
#define LAW(name)                                                       \
    "{\"name\": \"f " name "\", \"type\": \"law\", \"body_b\": \"" name \
    "\", \"coordinate\": \"translation_x\", \"value\": "                \
    "\"%s\", \"inputs\": {\"x\": \"" name ".position.x\", \"v\": \"" name ".velocity.x\"}}"
    char text[1500];
    snprintf(text, sizeof text,
             "{\"dalembert\": 1, \"bodies\": [" MASS("a") ", " MASS("b") "], \"joints\": [" RAIL("a") ", " RAIL(
                 "b") "], \"forces\": [" LAW("a") ", " LAW("b") "]}",
             first, second);
    const dal_modal_options opt = {.period = pi};
    dal_modal *modal;
    *m = model_open(text, NULL, NULL);
    check_ok(m->ctx, dal_modal_create(&modal, m->ctx, m->sys, dal_sim_data(m->sim), &m->at, &opt));
    assert_int_equal(dal_modal_about(modal).steady, DAL_STEADINESS_FLOQUET);
    return modal;
}

/* Mathieu's equation x'' + (a - 2 q cos 2t) x = 0 about rest. a = 2, q = 1: exponents +-i nu, and -c/2 +- i nu of
 * x'' + c x' + (a + c^2/4 - 2 q cos 2t) x = 0; a = 1, q = 1/2 is in the first tongue, where multipliers are negative. The
 * figures are those of an integration with 30 digits. */
static void mathieus_equation_has_its_exponents(void **state)
{
    model_at m;
    dal_modal *modal = on_rails(&m, "-(2.01 - 2*cos(2*t))*x - 0.2*v", "-(1 - cos(2*t))*x - 0*v");
    assert_near(nearest(modal, -0.1, 0.783423743452122748), 0.0, 1e-11);
    assert_near(nearest(modal, 0.243145756984144970, 1.0), 0.0, 1e-11);
    assert_near(nearest(modal, -0.243145756984144970, 1.0), 0.0, 1e-11);
    assert_int_equal(dal_modal_about(modal).unstable, 1);
    double sum = 0.0; // Liouville: the exponents add up to -c
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        sum += (mode.im > 0.0 && mode.im < 1.0 - 1e-9 ? 2.0 : 1.0) * mode.re;
        assert_true(mode.error < 1e-9);
    }
    assert_near(sum, -0.2, 1e-11);
    dal_modal_destroy(modal);
    model_close(&m);
}

/* 30 swings in a period, growing: the method does not damp them, and the error it states holds. */
static void a_fast_mode_keeps_its_growth(void **state)
{
    model_at m;
    dal_modal *modal = on_rails(&m, "-(2.01 - 2*cos(2*t))*x - 0.2*v", "-3700*x + 0.04*v");
    const double off = nearest(modal, 0.02, 0.827622015002361919);
    assert_near(off, 0.0, 1e-10);
    assert_true(off <= 10.0 * dal_modal_about(modal).error && dal_modal_about(modal).error < 1e-8);
    assert_int_equal(dal_modal_about(modal).unstable, 1);
    dal_modal_destroy(modal);
    model_close(&m);
}

/* The support repeats its motion after 2 pi/w, and not sooner. */
static void the_period_of_a_motion_is_found(void **state)
{
    model_at m = model_open(shaken, NULL, NULL);
    const dal_options *run = dal_document_options(m.doc);
    dal_modal *modal;
    check_ok(m.ctx, dal_modal_create_periodic(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &m.at, NULL, run, 1.0));
    assert_near_rel(dal_modal_about(modal).period, 2.0 * pi / 20.0, 1e-8);
    dal_modal_destroy(modal);
    check_fails(m.ctx, dal_modal_create_periodic(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &m.at, NULL, run, 0.2),
                DAL_ECHECK, "does not repeat itself within t_end = 0.2 s");
    assert_null(modal);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaken_pendulum_has_the_exponents_of_hills_equation),
        cmocka_unit_test(the_period_of_a_motion_is_found),
        cmocka_unit_test(mathieus_equation_has_its_exponents),
        cmocka_unit_test(a_fast_mode_keeps_its_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
