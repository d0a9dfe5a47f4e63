/* Gradients by numbers of functions, however elements use these, and of results that show them for a short time. */
#include "compare.h"

enum { N = 60 }; // points of the table u, 0.01 s apart

/* A cart with a table u over time and functions of it, then what a case adds. */
static void write_cart(char *text, size_t size, const char *interpolation, double each, const char *more)
{
    int at = snprintf(text, size,
                      "{\"dalembert\": 1, \"bodies\": [{\"name\": \"cart\", \"mass\": 3, \"inertia\": [1, 1, 1], "
                      "\"com\": [0.1, 0, 0]}], \"simulation\": {\"t_end\": 0.6, \"h\": 0.005, \"integrator\": "
                      "\"genalpha\"}, %s, \"functions\": {\"u\": {\"type\": \"table\", \"interpolation\": \"%s\", "
                      "\"x\": [",
                      more, interpolation);
    for (int row = 0; row < 2; ++row) {
        for (int i = 0; i < N; ++i) {
            at += snprintf(text + at, size - (size_t)at, "%s%.17g", i > 0 ? ", " : "",
                           row == 0 ? 0.01 * i : each * i + 0.2 * (i % 5) + 0.1);
        }
        at += snprintf(text + at, size - (size_t)at, row == 0 ? "], \"y\": [" : "]}");
    }
    at += snprintf(text + at, size - (size_t)at,
                   ", \"twice\": {\"type\": \"sum\", \"functions\": [\"u\", \"u\"]}, \"cube\": {\"type\": "
                   "\"product\", \"functions\": [\"u\", \"u\", \"u\"]}%s}}",
                   strstr(more, "\"late\"") ? ", \"late\": \"u(t - 0.2)\"" : "");
    assert_true((size_t)at < size);
}

static const char *const values[] = {"functions.u.y.0", "functions.u.y.17", "functions.u.y.33", "functions.u.y.59"};

/* How a model uses a table: by time, as a sum or a product, with another argument, within laws, as an angle that goes through several
 * turns, along a coordinate. */
static void values_of_tables_count_however_they_are_used(void **state)
{
    (void)state;
    static const char rail[] = "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", "
                               "\"axis\": [1, 0, 0]}], \"forces\": [{\"name\": \"drive\", \"joint\": \"rail\", ",
                      axle[] = "\"joints\": [{\"name\": \"rail\", \"type\": \"revolute\", \"body_b\": \"cart\", "
                               "\"axis\": [0, 1, 0], \"point\": [0, 0, 0]}, {\"name\": \"drive\", \"type\": "
                               "\"motion\", \"joint\": \"rail\", \"function\": \"u\"}]";
    static const struct {
        const char *interpolation, *joints, *force;
        double each;
    } cases[] = {
        {"linear", rail, "\"type\": \"actuator\", \"function\": \"u\"}]", 0.0},
        {"constant", rail, "\"type\": \"actuator\", \"function\": \"u\"}]", 0.0},
        {"cubic", rail, "\"type\": \"actuator\", \"function\": \"u\"}]", 0.0},
        {"linear", rail, "\"type\": \"actuator\", \"function\": \"twice\"}]", 0.0},
        {"linear", rail, "\"type\": \"actuator\", \"function\": \"cube\"}]", 0.0},
        {"linear", rail, "\"type\": \"actuator\", \"function\": \"late\"}]", 0.0},
        {"linear", rail, "\"type\": \"law\", \"value\": \"exp(u(t)) + u(0.59 - t)^3\"}]", 0.0},
        {"linear", rail, "\"type\": \"law\", \"value\": \"1 + u(c)\", \"inputs\": {\"c\": \"rail.coordinate\"}}]", 0.0},
        {"linear", axle, "", 0.4}};
    static const char *const of[] = {"integral(kinetic_energy)", "integral(drive.force_value^2)",
                                     "final(kinetic_energy)"};
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char more[600], text[8192];
        snprintf(more, sizeof more, "%s%s", cases[k].joints, cases[k].force);
        write_cart(text, sizeof text, cases[k].interpolation, cases[k].each, more);
        const dal_gradient_spec spec = {
            .source = cases[k].force, .text = text, .of = of, .nof = 3, .by = values, .nby = 4};
        bad += compare(ctx, &spec, 1e-6);
    }
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}

/* A sum over the ends of steps, h/2 at the first and the last: every value of the table has its share, whenever it counts. */
static void every_value_of_a_table_that_is_shown_counts(void **state)
{
    (void)state;
    static const char *const of[] = {"integral(drive.force_value^2)"};
    static char name[N][32], text[8192];
    const char *by[N];
    const double h = 0.005;
    dal_ctx *ctx = check_ctx();
    write_cart(
        text, sizeof text, "linear", 0.0,
        "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0]}], "
        "\"forces\": [{\"name\": \"drive\", \"joint\": \"rail\", \"type\": \"actuator\", \"function\": \"u\"}]");
    for (int i = 0; i < N; ++i) {
        snprintf(name[i], sizeof name[i], "functions.u.y.%d", i);
        by[i] = name[i];
    }
    const dal_gradient_spec spec = {.source = "cart", .text = text, .of = of, .nof = 1, .by = by, .nby = N};
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
        check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
        for (int i = 1; i < N - 2;
             ++i) { // steps end at the points and in the middle between two; the last line goes on
            const double u = dal_gradient_number(g, i), middles = 0.5 * (dal_gradient_number(g, i - 1) + u) +
                                                                  0.5 * (u + dal_gradient_number(g, i + 1));
            assert_near(dal_gradient_row(g, 0)[i], h * (2.0 * u + middles), 1e-11);
        }
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

/* A spring that acts for two hundredths of the run, and its force alone as a result. */
static void what_acts_for_a_short_time_has_gradients(void **state)
{
    (void)state;
    static const char *const of[] = {"integral(brief.force_value^2)", "min(brief.force_value)"},
                             *const by[] = {"forces.brief.stiffness", "bodies.cart.mass", "bodies.cart.velocity.0"};
    const dal_gradient_spec spec = {
        .source = "brief",
        .text =
            "{\"dalembert\": 1, \"bodies\": [{\"name\": \"cart\", \"mass\": 3, \"inertia\": 1, \"velocity\": [1, 0, "
            "0]}], \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, "
            "0, 0]}], \"forces\": [{\"name\": \"brief\", \"type\": \"spring\", \"joint\": \"rail\", \"stiffness\": "
            "40, \"active\": {\"from\": 0.31, \"to\": 0.33}}], \"simulation\": {\"t_end\": 1, \"h\": 0.005, "
            "\"integrator\": "
            "\"genalpha\"}}",
        .of = of,
        .nof = 2,
        .by = by,
        .nby = 3};
    dal_ctx *ctx = check_ctx();
    assert_int_equal(compare(ctx, &spec, 1e-6), 0);
    check_ctx_free(ctx);
}

/* Outlines of contacts by functions: a cam that a roller follows, a wheel out of round on a floor by the compliant law. */
static void outlines_of_contacts_have_gradients(void **state)
{
    (void)state;
    static const char cam[] =
        "{\"dalembert\": 1, \"gravity\": [0, -9.81, 0], \"variables\": {\"speed\": 6, \"R\": 0.1, \"e\": 0.04, \"r\": "
        "0.03}, \"functions\": {\"turn\": {\"type\": \"polynomial\", \"coefficients\": [0, \"speed\"]}}, \"bodies\": "
        "[{\"name\": \"cam\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.01, \"angular_velocity\": \"speed\"}, "
        "{\"name\": \"f\", \"type\": \"planar\", \"mass\": 2, \"inertia\": 0.01, \"position\": [0, \"sqrt((R + r)^2 - "
        "e^2)\"], \"velocity\": [0, \"e*speed\"]}], \"joints\": [{\"name\": \"shaft\", \"type\": "
        "\"planar_revolute\", \"body_b\": \"cam\", \"point\": [0, 0]}, {\"name\": \"drive\", \"type\": \"motion\", "
        "\"joint\": \"shaft\", \"function\": \"turn\"}, {\"name\": \"guide\", \"type\": \"generic\", \"body_b\": "
        "\"f\", \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], \"locked\": [\"x\", \"rz\"]}, {\"name\": \"c\", "
        "\"type\": \"contact\", \"body_a\": \"f\", \"body_b\": \"cam\", \"shape_a\": \"sphere\", \"radius_a\": \"r\", "
        "\"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], \"shape\": \"curve\", \"curve_x\": \"e + R*cos(t)\", "
        "\"curve_y\": \"R*sin(t)\", \"curve_range\": [0, \"2*pi\"]}], \"simulation\": {\"t_end\": 0.1, \"h\": 0.002, "
        "\"integrator\": \"genalpha\"}}";
    static const char wheel[] =
        "{\"dalembert\": 1, \"gravity\": [0, -9.81, 0], \"variables\": {\"R\": 0.2, \"e\": 0.21}, \"bodies\": "
        "[{\"name\": \"f\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.02, \"com\": [0.03, 0], \"position\": "
        "[0, 0.199], \"velocity\": [0.4, 0], \"angular_velocity\": 1}], \"forces\": [{\"name\": \"c\", \"type\": "
        "\"contact\", \"body_b\": \"f\", \"frame_a\": {\"axis\": [0, 1, 0]}, \"frame_b\": [0, 0, 0], \"shape\": "
        "\"curve\", \"curve_x\": \"R*cos(t)\", \"curve_y\": \"e*sin(t)\", \"curve_range\": [0, \"2*pi\"], "
        "\"stiffness\": 1e4}], \"simulation\": {\"t_end\": 0.03, \"h\": 0.001, \"integrator\": \"genalpha\"}}";
    static const char *const of[] = {"final(f.position.y)", "final(f.velocity.y)"}, *const by[] = {"e", "R"};
    dal_ctx *ctx = check_ctx();
    dal_gradient_spec spec = {.source = "cam", .text = cam, .of = of, .nof = 2, .by = by, .nby = 2};
    assert_int_equal(compare_forward(ctx, &spec, 1e-6, 0, 0), 0);
    spec.source = "wheel";
    spec.text = wheel;
    assert_int_equal(compare_forward(ctx, &spec, 1e-6, 0, 0), 0);
    check_ctx_free(ctx);
}

/* A drive a sin(w t): d/dw = a t cos(w t), after 60 and 1900 periods. */
static void drives_of_many_periods_have_gradients(void **state)
{
    (void)state;
    static const char *const of[] = {"final(pin.coordinate)"}, *const by[] = {"w"}, *const set[] = {"w=20", "w=600"};
    const dal_gradient_spec spec = {
        .source = "drive",
        .text = "{\"dalembert\": 1, \"variables\": {\"w\": 20}, \"bodies\": [{\"name\": \"arm\", \"type\": "
                "\"planar\", \"mass\": 3, \"inertia\": 1, \"angular_velocity\": \"0.3*w\"}], \"joints\": "
                "[{\"name\": \"pin\", \"type\": \"planar_revolute\", \"body_b\": \"arm\", \"point\": [0, 0]}, "
                "{\"name\": \"drive\", \"type\": \"motion\", \"joint\": \"pin\", \"function\": \"u\"}], "
                "\"functions\": {\"u\": \"0.3*sin(w*t)\"}, \"simulation\": {\"t_end\": 20, \"h\": 0.05, "
                "\"integrator\": \"genalpha\", \"formulation\": \"index3\"}}",
        .of = of,
        .nof = 1,
        .by = by,
        .nby = 1,
        .nset = 1};
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 2; ++k) {
        dal_gradient_spec each = spec;
        dal_gradient *g;
        each.set = &set[k];
        check_ok(ctx, dal_gradient_create(&g, ctx, &each));
        check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
        const double wt = 20.0 * dal_gradient_number(g, 0);
        assert_near(dal_gradient_row(g, 0)[0], 0.3 * 20.0 * cos(wt), k == 0 ? 1e-9 : 1e-7);
        dal_gradient_destroy(g);
    }
    check_ctx_free(ctx);
}

/* Where a joint begins to count its coordinate: the frames of both sides move what a table with corners makes of it to opposite
 * sides. */
static void corners_along_a_coordinate_are_not_reached(void **state)
{
    (void)state;
    static const char *const of[] = {"integral(drive.force_value^2)", "final(kinetic_energy)"},
                             *const by[] = {"joints.rail.frame_a.position.0", "joints.rail.frame_b.position.0"};
    char text[8192];
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    write_cart(text, sizeof text, "linear", 0.0,
               "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"frame_a\": "
               "{\"position\": [0.003, 0, 0], \"axis\": [1, 0, 0]}, \"frame_b\": {\"position\": [-0.001, 0, 0], "
               "\"axis\": [1, 0, 0]}}], \"forces\": [{\"name\": \"drive\", \"joint\": \"rail\", \"type\": "
               "\"law\", \"value\": \"1 + u(c)\", \"inputs\": {\"c\": \"rail.coordinate\"}}]");
    const dal_gradient_spec spec = {.source = "corners", .text = text, .of = of, .nof = 2, .by = by, .nby = 2};
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
        check_ok(ctx, dal_gradient_run(g, NULL, (dal_gradient_mode)mode));
        for (int i = 0; i < 2; ++i) {
            const double *row = dal_gradient_row(g, i);
            assert_true(fabs(row[0]) > 0.1);
            assert_near(row[1], -row[0], 1e-7 * fabs(row[0]));
        }
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_tables_count_however_they_are_used),
        cmocka_unit_test(every_value_of_a_table_that_is_shown_counts),
        cmocka_unit_test(what_acts_for_a_short_time_has_gradients),
        cmocka_unit_test(outlines_of_contacts_have_gradients),
        cmocka_unit_test(drives_of_many_periods_have_gradients),
        cmocka_unit_test(corners_along_a_coordinate_are_not_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
