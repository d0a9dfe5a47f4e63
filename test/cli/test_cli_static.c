/* dalembert static: documents, tables, exit codes, and an answer for every built-in model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static void every_builtin_model_gets_an_answer(void **state)
{
    json_t *list = tool_json("models --json", 0), *model;
    size_t i;
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "static %s --json", json_string_value(json_object_get(model, "name")));
        tool_result r = tool(arguments);
        json_t *d = json_loads(r.out, 0, NULL);
        assert_non_null(d);
        const int converged = json_is_true(json_object_get(d, "converged"));
        assert_int_equal(r.code, converged ? 0 : 1);
        if (converged) {
            assert_near(tool_number(d, "relative_residual"), 0.0, 1e-10);
            assert_near(tool_number(d, "position_residual"), 0.0, 1e-10);
        } else {
            assert_non_null(strstr(r.err, "no equilibrium"));
            assert_non_null(strstr(r.err, "in the direction"));
        }
        json_decref(d);
        tool_free(&r);
    }
    json_decref(list);
}

static void the_document_has_its_fields(void **state)
{
    json_t *d = tool_json("static double_pendulum --json", 0);
    tool_keys(d, "model time converged method iterations residual relative_residual position_residual moved redundant "
                 "stable held_states symmetric negative_directions indifferent_directions counts_complete negative "
                 "indifferent softest warnings "
                 "bodies joints outputs");
    assert_true(json_is_true(json_object_get(d, "stable")));
    const json_t *support = json_object_get(json_object_get(d, "joints"), "support");
    assert_near(json_number_value(json_array_get(json_object_get(support, "force"), 1)), 19.62, 1e-10);
    const json_t *lower = json_object_get(json_object_get(d, "bodies"), "lower");
    assert_near(json_number_value(json_array_get(json_object_get(lower, "position"), 1)), -1.0, 1e-12);
    json_decref(d);
    d = tool_json("static planar_slider_crank --json", 1);
    assert_non_null(strstr(json_string_value(json_object_get(d, "message")), "crank.phi"));
    json_decref(d);
}

static void tables_pictures_and_pages_are_written(void **state)
{
    tool_expect("static double_pendulum -o rest --plot rest.svg --html rest.html --quiet", 0, NULL);
    assert_true(tool_exists("rest/bodies.csv") && tool_exists("rest/state.csv") && tool_exists("rest.svg") &&
                tool_exists("rest.html"));
    tool_expect("static double_pendulum -o rest.h5 --quiet", 0, NULL);
    assert_true(tool_exists("rest.h5"));
    tool_expect("static double_pendulum -o rest.csv --tables bodies --quiet", 0, NULL);
    char *text = tool_read("rest.csv");
    assert_non_null(strstr(text, "lower.x.y"));
    free(text);
}

static void wrong_arguments_are_refused(void **state)
{
    tool_expect("static", 2, "MODEL");
    tool_expect("static double_pendulum --time soon", 2, "--time");
    tool_expect("static double_pendulum --tables bodies", 2, "-o PATH");
    tool_expect("static double_pendulum -o x --tables bodys", 2, "there are outputs, bodies, state");
    tool_expect("static double_pendulum --html rest.svg", 2, ".html");
    tool_expect("static no_such_model", 3, "no_such_model");
}

/* A pendulum of length 1 that is held out falls by sqrt(2) and turns by a right angle; in its equilibrium it stays. */
static void a_start_in_equilibrium_says_how_far_it_is(void **state)
{
    tool_write(
        "far.json",
        "{\"dalembert\": 1, \"variables\": {\"a\": 0}, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", "
        "\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"cos(a)\", 0, \"-sin(a)\"]}, {\"name\": \"anchor\", "
        "\"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", "
        "\"body_b\": \"rod\", \"axis\": [0, 1, 0], \"point\": [0, 0, 0]}, {\"name\": \"B\", \"type\": \"fixed\", "
        "\"body_b\": \"anchor\"}], \"simulation\": {\"t_end\": 0.1, \"initial\": \"static\"}}");
    for (int k = 0; k < 2; ++k) {
        json_t *d = tool_json(k == 0 ? "run far.json --json" : "run far.json --json --set a=pi/2", 0),
               *e = json_object_get(d, "equilibrium");
        assert_near(tool_number(e, "moved"), k == 0 ? sqrt(2.0) : 0.0, 1e-6);
        assert_near(tool_number(e, "turned"), k == 0 ? 0.5 * acos(-1.0) : 0.0, 1e-6);
        assert_int_equal(json_array_size(json_object_get(d, "warnings")), k == 0);
        if (k == 0) {
            assert_string_equal(json_string_value(json_object_get(e, "body")), "rod");
            assert_non_null(strstr(json_string_value(json_array_get(json_object_get(d, "warnings"), 0)),
                                   "body 'rod' was moved by 1.41 m"));
        }
        json_decref(d);
    }
}

/* A double pendulum in rotation vectors, far from rest: Newton's method ends where the stiffness is beyond all measure, and what is
 * tried next is not judged by that. */
static void a_residual_is_not_measured_by_the_attempt_before(void **state)
{
    tool_write(
        "turned.json",
        "{\"dalembert\": 1, \"gravity\": [-0.411, 6.771, -7.086], \"parts\": [{\"name\": \"P\", \"at\": {\"rotation\": "
        "[0.7764, 0.3235, "
        "-0.1849, 0.5084]}, \"model\": {\"dalembert\": 1, \"bodies\": [{\"name\": \"top\", \"type\": "
        "\"rotation_vector\", \"mass\": 1, "
        "\"inertia\": [0.1, 0.2, 0.3], \"position\": [1, 0, 0], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 0.6}}, "
        "{\"name\": \"loose\", \"type\": \"rotation_vector\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.3], \"com\": "
        "[0.1, 0.05, 0], "
        "\"position\": [0, 1, 0]}], \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"body_b\": \"top\", "
        "\"point\": [0, 0, 0]}], "
        "\"forces\": [{\"name\": \"spring\", \"type\": \"spring\", \"body_a\": \"top\", \"body_b\": \"loose\", "
        "\"coordinate\": \"length\", "
        "\"stiffness\": 50, \"damping\": 1, \"reference\": 1}]}}]}");
    json_t *d = tool_json("static turned.json --json", 0);
    assert_near(tool_number(d, "residual"), 0.0, 1e-9);
    assert_true(json_is_true(json_object_get(d, "stable")));
    json_decref(d);
}

/* The chain of run --set initial=static does not move. */
static void a_run_from_rest_stays_at_rest(void **state)
{
    json_t *rest = tool_json("static catenary --json", 0);
    tool_expect("run catenary --set initial=static --t-end 0.5 -o run --tables bodies --quiet", 0, NULL);
    char *text = tool_read("run/bodies.csv");
    assert_non_null(text);
    char *last = text;
    for (char *line = text; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n')) {
        last = line;
    }
    const json_t *link = json_object_get(json_object_get(rest, "bodies"), "link1");
    double t, x, y;
    assert_int_equal(sscanf(last, "%lf,%lf,%lf", &t, &x, &y), 3);
    assert_near(t, 0.5, 1e-12);
    assert_near(x, json_number_value(json_array_get(json_object_get(link, "position"), 0)), 1e-7);
    assert_near(y, json_number_value(json_array_get(json_object_get(link, "position"), 1)), 1e-7);
    free(text);
    json_decref(rest);
    // a flexible body with its interface nodes
    tool_expect("run flexible_slider_crank --set initial=static --t-end 0.001", 0, "it was moved");
}

/* Bricard's mechanism hangs flat, its point P3 sqrt(3) m below the first joint. Rows that are left out at the initial position are
 * needed there. */
static void redundant_rows_are_those_of_the_equilibrium(void **state)
{
    static const char *const way[] = {"drop", "least_norm"};
    for (int k = 0; k < 2; ++k) {
        char arguments[128];
        snprintf(arguments, sizeof arguments,
                 "run bricard --set initial=static --set redundant=%s --t-end 1 --json --quiet", way[k]);
        json_t *d = tool_json(arguments, 0);
        const json_t *P3 = json_object_get(json_object_get(d, "outputs"), "P3");
        const double want[] = {0.0, -sqrt(3.0), 0.0};
        for (size_t i = 0; i < 3; ++i) {
            assert_near(json_number_value(json_array_get(P3, i)), want[i], 1e-12);
        }
        assert_near(tool_number(json_object_get(d, "energy"), "initial"), -2.0 * sqrt(3.0) * 9.81, 1e-12);
        assert_near(tool_number(json_object_get(d, "energy"), "max_drift"), 0.0, 1e-12);
        json_decref(d);
    }
}

/* s^3 + s^2 + 4 s + 7 = 0 has roots with positive real parts: the stiffness alone does not tell. */
static void integrals_are_said_to_be_held(void **state)
{
    tool_write("pid.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"m\", \"type\": \"point\", \"mass\": 1}],"
               "\"joints\": [{\"name\": \"r\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": [\"x\", \"y\"]}],"
               "\"forces\": [{\"name\": \"c\", \"type\": \"pid\", \"body_b\": \"m\", \"coordinate\": \"translation_z\","
               "\"stiffness\": 4, \"damping\": 1, \"integral\": 7, \"function\": 0}]}");
    json_t *d = tool_json("static pid.json --json", 0);
    assert_int_equal((int)tool_number(d, "held_states"), 1);
    json_decref(d);
    d = tool_json("static double_pendulum --json", 0);
    assert_int_equal((int)tool_number(d, "held_states"), 0);
    json_decref(d);
    tool_result r = tool("static pid.json");
    assert_non_null(strstr(r.out, "yes: statically; states and integrals are held, see 'modes'"));
    tool_free(&r);
}

/* Two masses on a line with a spring between them: they drift together, and swing against each other. */
static void shared_directions_name_all_bodies_with_signs(void **state)
{
    tool_write("pair.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1},"
               "{\"name\": \"b\", \"type\": \"point\", \"mass\": 1, \"position\": [1, 0, 0]}],"
               "\"joints\": [{\"name\": \"ga\", \"type\": \"generic\", \"body_b\": \"a\", \"locked\": [\"y\", \"z\"]},"
               "{\"name\": \"gb\", \"type\": \"generic\", \"body_b\": \"b\", \"locked\": [\"y\", \"z\"]}],"
               "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_a\": \"a\", \"body_b\": \"b\","
               "\"stiffness\": 200, \"reference\": 1}]}");
    tool_result r = tool("static pair.json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "indifferent   a.x, b.x (1)\n"));
    assert_non_null(strstr(r.out, "softest       a.x, b.x (-1)\n"));
    tool_free(&r);
}

/* A cantilever under its weight: the deflection of the tip, w L^4/(8 E I), is an output. */
static void outputs_and_modal_deflections_are_printed(void **state)
{
    tool_write("beam.json", "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\":"
                            "\"flexible\", \"beam\": {\"length\": 1, \"E\": 2e11, \"nu\": 0.3, \"density\": 7800,"
                            "\"rectangle\": [0.02, 0.01], \"modes\": 12, \"slender\": true}}],"
                            "\"joints\": [{\"name\": \"w\", \"type\": \"fixed\", \"body_b\": \"rod/A\"}],"
                            "\"outputs\": [\"rod/B.position\", \"w.force\"]}");
    tool_result r = tool("static beam.json");
    assert_int_equal(r.code, 0);
    double x, y, z;
    const char *tip = strstr(r.out, "rod/B.position"), *modes = strstr(r.out, "modal coordinates\n  rod ");
    assert_true(tip != NULL && modes != NULL && strstr(r.out, "w.force") != NULL);
    assert_int_equal(sscanf(tip, "rod/B.position [m] %lf %lf %lf", &x, &y, &z), 3);
    const double weight = 7800.0 * 0.02 * 0.01 * 9.81, I = 0.02 * 0.01 * 0.01 * 0.01 / 12.0;
    assert_near(z, -weight / (8.0 * 2e11 * I), 1e-3 * fabs(z));
    tool_free(&r);
}

static void a_method_can_be_chosen(void **state)
{
    json_t *d = tool_json("static catenary --set N=10 --method relaxation --json", 0);
    assert_string_equal(json_string_value(json_object_get(d, "method")), "relaxation");
    json_decref(d);
    tool_expect("static catenary --method guess", 2, "newton, load_steps or relaxation, not 'guess'");
}

/* Numbers that are rounding are zeros, and units are there. */
static void what_is_zero_is_shown_as_zero(void **state)
{
    tool_result r = tool("static double_pendulum");
    assert_null(strstr(r.out, " -0 "));
    const char *table = strstr(r.out, "x/m");
    assert_non_null(table);
    assert_null(strstr(table, "e-"));
    assert_non_null(strstr(table, "Tx/(N m)"));
    assert_non_null(strstr(table, "support.coordinate [rad]"));
    tool_free(&r);
    r = tool("modes double_pendulum --about static");
    assert_null(strstr(strstr(r.out, "shape"), "e-"));
    tool_free(&r);
}

/* Points, limits, tables over the length of the path, and where it ends. */
static void a_path_goes_through_its_limits(void **state)
{
    json_t *d =
        tool_json("static lee_frame --set elements=2 --path P=0:3 --until limit --json -o path.csv --tables path", 0);
    tool_keys(d, "model parameter from to limits points complete iterations");
    const json_t *limits = json_object_get(d, "limits"), *last = json_array_get(limits, json_array_size(limits) - 1);
    assert_string_equal(json_string_value(json_object_get(last, "kind")), "limit");
    assert_near(tool_number(last, "parameter"), 1.8547, 2e-3);
    assert_non_null(json_object_get(json_object_get(last, "outputs"), "beam@0.2.position"));
    char *text = tool_read("path.csv");
    assert_non_null(strstr(text, "parameter"));
    free(text);
    json_decref(d);
    // all of the way, as the manual has it: the load that gives way to the side, the largest, and the least
    static const double loads[3] = {1.06186, 1.85466, -0.93962};
    d = tool_json("static lee_frame --path P=0:3 --json", 0);
    limits = json_object_get(d, "limits");
    assert_true(json_is_true(json_object_get(d, "complete")));
    assert_int_equal(json_array_size(limits), 3);
    for (size_t k = 0; k < 3; ++k) {
        assert_near(tool_number(json_array_get(limits, k), "parameter"), loads[k], 2e-5);
    }
    json_decref(d);
    tool_expect("static elastica --path P=0:4 --control beam@1.y", 0, NULL);
    tool_expect("static elastica --path P=0:4 --points 2", 1, "2 points did not suffice to come to P = 4");
    tool_expect("static elastica --path P=4", 2, "--path KEY=A:B is expected");
    tool_expect("static elastica --path P=4:4", 2, "ends where it begins");
    tool_expect("static elastica --path P=0:4 --control tip.w", 2, "no displacement 'tip.w'");
    tool_expect("static elastica --until limit", 2, "--path");
    tool_expect("static elastica --path weight=0:4", 3, "no variable 'weight'");
    tool_expect("static lee_frame --path L=100:120", 3, "the mesh of a beam is made when the model is compiled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_goes_through_its_limits),
        cmocka_unit_test(a_start_in_equilibrium_says_how_far_it_is),
        cmocka_unit_test(a_residual_is_not_measured_by_the_attempt_before),
        cmocka_unit_test(what_is_zero_is_shown_as_zero),
        cmocka_unit_test(a_method_can_be_chosen),
        cmocka_unit_test(every_builtin_model_gets_an_answer),
        cmocka_unit_test(the_document_has_its_fields),
        cmocka_unit_test(tables_pictures_and_pages_are_written),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_run_from_rest_stays_at_rest),
        cmocka_unit_test(redundant_rows_are_those_of_the_equilibrium),
        cmocka_unit_test(integrals_are_said_to_be_held),
        cmocka_unit_test(shared_directions_name_all_bodies_with_signs),
        cmocka_unit_test(outputs_and_modal_deflections_are_printed),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
