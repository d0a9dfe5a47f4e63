/* Searching for parameters: the best value, measured data, drivers that know files only; pictures. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static const double pi = 3.14159265358979323846;

/* A ball thrown at an angle a with 10 m/s, g = 10 m/s^2, for a second; a cart on a spring and a damper. */
static int write_models(void **state)
{
    if (tool_enter(state) != 0) {
        return 1;
    }
    tool_write("throw.json", "{\"dalembert\": 1, \"variables\": {\"a\": 1}, \"gravity\": [0, 0, -10],"
                             " \"bodies\": [{\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": "
                             "[\"10*cos(a)\", 0, \"10*sin(a)\"]}],"
                             " \"outputs\": [\"ball.position\"], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}");
    tool_write("cart.json",
               "{\"dalembert\": 1, \"variables\": {\"k\": 30, \"d\": 2},"
               " \"bodies\": [{\"name\": \"cart\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0.2, 0, 0]}],"
               " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0], "
               "\"point\": [0, 0, 0]}],"
               " \"forces\": [{\"name\": \"coil\", \"type\": \"spring\", \"joint\": \"rail\", \"stiffness\": \"k\", "
               "\"damping\": \"d\","
               "   \"reference\": -0.2}],"
               " \"outputs\": [\"cart.position\"], \"simulation\": {\"t_end\": 2, \"h\": 0.005}}");
    return 0;
}

static double parameter(const json_t *j, int k)
{
    return tool_number(json_array_get(json_object_get(j, "parameters"), (size_t)k), "value");
}

/* x + z = 10 (cos a + sin a) - 5 is largest at 45 degrees; with z >= 3 at sin a = 0.8. */
static void the_best_throw_is_found(void **state)
{
    tool_needs_nlopt();
    json_t *j = tool_json(
        "sweep throw.json --optimize max(final(ball.position.x+ball.position.z)) --bound a=0.1:1.5:0.3 --json", 0);
    assert_near(parameter(j, 0), pi / 4.0, 1e-3);
    assert_near(tool_number(j, "value"), 10.0 * sqrt(2.0) - 5.0, 1e-5);
    json_decref(j);
    j = tool_json("sweep throw.json --optimize max(final(ball.position.x+ball.position.z)) --bound a=0.1:1.5:0.3"
                  " --constraint final(ball.position.z)>=3 --json",
                  0);
    assert_near(parameter(j, 0), asin(0.8), 1e-4);
    assert_near(tool_number(j, "value"), 9.0, 1e-3);
    json_decref(j);
    tool_expect("sweep throw.json --optimize max(final(ball.position.x)) --bound a=0.1:1 --constraint "
                "final(ball.position.z)>=30",
                1, "constraints");
}

/* 0.1 (a - 3)^2 - cos 5a: a local search from 5.5 ends near 5, a global one near 2.5. */
static void a_global_search_leaves_the_nearest_valley(void **state)
{
    static const char goal[] =
        "sweep throw.json --optimize min(final(t)*(0.1*(a-3)^2-cos(5*a))) --bound a=0:6:5.5 --json";
    char text[300];
    tool_needs_nlopt();
    json_t *j = tool_json(goal, 0);
    assert_near(parameter(j, 0), 5.01, 0.05);
    json_decref(j);
    snprintf(text, sizeof text, "%s --method global", goal);
    j = tool_json(text, 0);
    assert_near(parameter(j, 0), 2.517, 0.005);
    json_decref(j);
}

/* x = 0.2 e^(-ct) (cos om t + c/om sin om t) with k = 40, d = 6. */
static void stiffness_and_damping_are_identified(void **state)
{
    FILE *out = fopen("measured.csv", "w");
    const double c = 3.0, om = sqrt(31.0);
    fprintf(out, "t,cart.position.x\n");
    for (int i = 0; i <= 40; ++i) {
        const double t = 0.05 * i, noise = 1e-4 * sin(37.0 * i);
        fprintf(out, "%.17g,%.17g\n", t, 0.2 * exp(-c * t) * (cos(om * t) + c / om * sin(om * t)) + noise);
    }
    fclose(out);
    json_t *j = tool_json("sweep cart.json --fit measured.csv --bound k=10:100:30 --bound d=0:20 --json", 0);
    const json_t *k = json_array_get(json_object_get(j, "parameters"), 0),
                 *d = json_array_get(json_object_get(j, "parameters"), 1);
    assert_near(tool_number(k, "value"), 40.0, 0.05);
    assert_near(tool_number(d, "value"), 6.0, 0.02);
    // the errors that are told are those that were made, or larger
    assert_true(fabs(tool_number(k, "value") - 40.0) < 4.0 * tool_number(k, "error") + 0.02);
    assert_true(tool_number(k, "error") < 0.1 && tool_number(d, "error") < 0.05);
    json_decref(j);
    tool_expect("sweep cart.json --fit measured.csv --vary k=1:2:3", 2, "--bound");
    tool_expect("sweep cart.json --fit measured.csv", 2, "--bound");
    tool_expect("sweep cart.json --fit none.csv --bound k=1:2", 5, "none.csv");
    tool_expect("sweep cart.json --fit measured.csv --bound k=2:1", 2, "MIN:MAX");
}

/* A body with constant velocity: x = x0 + v t. The data is 1 + t/2 + e at t = 0, 1/50 .. 1 with e = 0.1 (-1)^i. */
static void write_line(void)
{
    tool_write("line.json",
               "{\"dalembert\": 1, \"variables\": {\"x0\": 0, \"v\": 1, \"none\": 1},"
               " \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"x0\", 0, 0],"
               "   \"velocity\": [\"v\", 0, \"none-1\"]}],"
               " \"outputs\": [\"b.position\"], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}");
    FILE *out = fopen("line.csv", "w");
    fprintf(out, "t,b.position.x\n");
    for (int i = 0; i <= 50; ++i) {
        fprintf(out, "%.17g,%.17g\n", 0.02 * i, 1.0 + 0.01 * i + (i % 2 ? -0.1 : 0.1));
    }
    fclose(out);
}

/* With v >= 1 the best line has v = 1 and x0 = mean(x - t), whose error is that of one free parameter. */
static void a_fit_with_the_optimum_on_a_bound_converges(void **state)
{
    double mean = 0.0, squares = 0.0;
    write_line();
    for (int i = 0; i <= 50; ++i) {
        mean += (1.0 - 0.01 * i + (i % 2 ? -0.1 : 0.1)) / 51.0;
    }
    for (int i = 0; i <= 50; ++i) {
        squares += pow(1.0 - 0.01 * i + (i % 2 ? -0.1 : 0.1) - mean, 2);
    }
    json_t *j = tool_json("sweep line.json --fit line.csv --bound v=1:5 --bound x0=-5:5 --json", 0);
    const json_t *v = json_array_get(json_object_get(j, "parameters"), 0),
                 *x0 = json_array_get(json_object_get(j, "parameters"), 1);
    assert_near(tool_number(v, "value"), 1.0, 0.0);
    assert_true(json_is_true(json_object_get(v, "at_bound")));
    assert_true(json_is_null(json_object_get(v, "error")));
    assert_near(tool_number(x0, "value"), mean, 1e-7);
    assert_near_rel(tool_number(x0, "error"), sqrt(squares / 50.0 / 51.0), 1e-5);
    assert_true(json_is_true(json_object_get(j, "converged")));
    assert_true(tool_number(j, "iterations") < 10);
    json_decref(j);
}

static void what_has_no_influence_is_named_and_the_rest_is_fitted(void **state)
{
    write_line();
    json_t *j = tool_json("sweep line.json --fit line.csv --bound none=0:2 --bound v=-1:5 --bound x0=-5:5 --json", 0);
    const json_t *none = json_array_get(json_object_get(j, "parameters"), 0),
                 *v = json_array_get(json_object_get(j, "parameters"), 1);
    assert_true(json_is_true(json_object_get(none, "undetermined")));
    assert_true(json_is_false(json_object_get(v, "undetermined")));
    assert_near(tool_number(v, "value"), 0.5, 0.02);
    assert_true(tool_number(v, "error") > 0.0);
    json_decref(j);
    tool_result r = tool("sweep line.json --fit line.csv --bound none=0:2 --bound v=-1:5 --bound x0=-5:5");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "undetermined"));
    assert_null(strstr(r.out, "nan"));
    tool_free(&r);
}

static void a_search_that_does_not_converge_says_so(void **state)
{
    write_line();
    json_t *j = tool_json("sweep line.json --fit line.csv --bound v=-1:5 --bound x0=-5:5 --evaluations 3 --json", 1);
    assert_true(json_is_false(json_object_get(j, "converged")));
    json_decref(j);
    tool_expect("sweep line.json --fit line.csv --bound v=-1:5 --bound x0=-5:5 --evaluations 3", 1, "did not converge");
    tool_needs_nlopt();
    j = tool_json("sweep line.json --optimize min(final(b.position.x)^2) --bound v=-2:5 --evaluations 2 --json", 1);
    assert_true(json_is_false(json_object_get(j, "converged")));
    json_decref(j);
    j = tool_json("sweep line.json --optimize min(final(b.position.x)^2) --bound v=-2:5 --json", 0);
    assert_true(json_is_true(json_object_get(j, "converged")));
    json_decref(j);
}

static void flags_that_a_search_has_no_use_for_are_refused(void **state)
{
    tool_expect("sweep throw.json --vary a=0:1:3 --collect final(t) --constraint final(t)<=1", 2, "--optimize");
    tool_expect("sweep throw.json --optimize min(final(t)) --bound a=0:1 -o best.csv", 2, "-o");
    tool_needs_nlopt();
    tool_expect("sweep throw.json --optimize min(final(t)*log(-1-a)) --bound a=0:1", 4, "not finite");
}

static void a_driver_gets_its_results_in_a_file(void **state)
{
    tool_write("params.in", "                    1 variables\n        0.5 a\n    1 functions\n    1 ASV_1:obj_fn\n");
    tool_expect("sweep throw.json --params params.in --results results.out --collect "
                "final(ball.position.x),final(ball.position.z) -q",
                0, NULL);
    char *text = tool_read("results.out"), *second;
    assert_near(strtod(text, &second), 10.0 * cos(0.5), 1e-9);
    assert_true(strncmp(second, " final(ball.position.x)\n", 24) == 0);
    assert_near(strtod(second + 24, NULL), 10.0 * sin(0.5) - 5.0, 1e-9);
    free(text);
    tool_write("bad.in", "a = 1\nh = -1\n");
    tool_expect("sweep throw.json --params bad.in --results results.out --collect final(t) -q", 1, NULL);
    text = tool_read("results.out");
    assert_true(strncmp(text, "fail\n", 5) == 0);
    free(text);
    tool_expect("sweep throw.json --results r.out --collect final(t)", 2, "--params");
    tool_write("worse.in", "a b c\n");
    tool_expect("sweep throw.json --params worse.in --collect final(t)", 2, "worse.in:1");
}

static void pictures_are_drawn(void **state)
{
    tool_expect(
        "sweep throw.json --random a=uniform(0,1) --samples 40 --collect final(ball.position.z),final(ball.position.x)"
        " --plot all.svg --parallel lines.svg --html page.html -q",
        0, NULL);
    char *text = tool_read("all.svg");
    assert_non_null(strstr(text, "members"));
    assert_non_null(strstr(text, "final(ball.position.z)"));
    free(text);
    text = tool_read("lines.svg");
    assert_non_null(strstr(text, "2: final(ball.position.z)"));
    free(text);
    text = tool_read("page.html");
    assert_non_null(strstr(text, "final(ball.position.z)"));
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "dalembert run throw.json"));
    assert_null(strstr(text, "<script"));
    free(text);
    tool_expect("sweep throw.json --random a=uniform(0,1) --collect final(t) --plot all.png", 2, ".svg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_throw_is_found),
        cmocka_unit_test(a_global_search_leaves_the_nearest_valley),
        cmocka_unit_test(stiffness_and_damping_are_identified),
        cmocka_unit_test(a_fit_with_the_optimum_on_a_bound_converges),
        cmocka_unit_test(what_has_no_influence_is_named_and_the_rest_is_fitted),
        cmocka_unit_test(a_search_that_does_not_converge_says_so),
        cmocka_unit_test(flags_that_a_search_has_no_use_for_are_refused),
        cmocka_unit_test(a_driver_gets_its_results_in_a_file),
        cmocka_unit_test(pictures_are_drawn),
    };
    return cmocka_run_group_tests(tests, write_models, tool_leave);
}
