/* dalembert reduce, and models with finite element bodies. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"
#include "flex/fem_bodies.h"

static const fem_material steel = {2.1e11, 0.3, 7850.0};

#define INTERFACES                                                                                           \
    "'interfaces': {'A': {'box': [[0, -1, -1], [0, 1, 1]]}, 'B': {'box': [[1, -1, -1], [1, 1, 1]], 'kind': " \
    "'average'}}"
#define FILES "'matrices': {'M': 'm.mtx', 'K': 'k.mtx'}, 'nodes': 'nodes.csv'"

/* A cantilever of finite elements under its weight; `more` of the body. */
static void write_model(const char *path, const char *body)
{
    char text[4000];
    snprintf(text, sizeof text,
             "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'bar', 'type': 'flexible', %s}],\n"
             "'joints': [{'name': 'wall', 'type': 'fixed', 'body_b': 'bar/A'}],\n"
             "'outputs': ['bar/B.position', 'energy'], 'simulation': {'t_end': 0.01, 'h': 1e-4}}\n",
             body);
    for (char *c = text; *c != '\0'; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    tool_write(path, text);
}

static void write_bar(void)
{
    static const int n[3] = {8, 1, 1};
    static const double size[3] = {1.0, 0.05, 0.05};
    fem_mesh mesh;
    fem_mesh_box(&mesh, n, size, &steel, NULL);
    fem_mesh_write(&mesh, ".");
    fem_mesh_release(&mesh);
}

static double real_at(const json_t *d, const char *list, size_t k, const char *key)
{
    return json_number_value(json_object_get(json_array_get(json_object_get(d, list), k), key));
}

static void a_body_is_reduced_once_and_used_again(void **state)
{
    write_bar();
    write_model("bar.json",
                "'flexible': {" FILES ", 'surface': 'surface.csv', " INTERFACES ", 'modes': 6, 'damping': 0.02}");
    json_t *d = tool_json("reduce bar.json -o bar.h5 --json", 0);
    tool_keys(d, "model body degrees interface modes mass com inertia wave_speed frequencies held warnings file");
    assert_int_equal((int)tool_number(d, "degrees"), 108);
    assert_int_equal((int)tool_number(d, "modes"), 12);
    assert_near_rel(tool_number(d, "mass"), 7850.0 * 0.0025, 1e-12);
    assert_int_equal((int)json_array_size(json_object_get(d, "held")), 6);
    assert_true(real_at(d, "frequencies", 0, "error") > 0.0 && real_at(d, "frequencies", 0, "error") < 0.01);
    assert_int_equal((int)json_array_size(json_object_get(d, "warnings")), 0);
    json_decref(d);
    // the stored body moves as the one that is reduced on the spot, bit for bit
    write_model("stored.json", "'modes_file': 'bar.h5'");
    json_t *a = tool_json("run bar.json --json --quiet", 0), *b = tool_json("run stored.json --json --quiet", 0);
    assert_true(json_equal(json_object_get(a, "final"), json_object_get(b, "final")));
    assert_true(json_equal(json_object_get(a, "outputs"), json_object_get(b, "outputs")));
    json_decref(a);
    json_decref(b);
    tool_expect("check stored.json", 0, NULL);
    tool_expect("reduce stored.json", 3, "no body has finite element matrices");
    tool_expect("reduce bar.json --body wall", 2, "there is no body 'wall'");
    tool_expect("reduce bar.json -o nowhere/bar.h5", 5, "nowhere");
}

/* rho A g L^4/(8 E I) and the first frequency of a cantilever, with the few percent of a coarse mesh and of shear. */
static void it_bends_and_vibrates_as_a_cantilever(void **state)
{
    write_bar();
    write_model("bar.json", "'flexible': {" FILES ", " INTERFACES ", 'method': 'free', 'modes': 8, 'reference': 'A'}");
    const double h = 0.05, sag = 7850.0 * 9.81 * 12.0 / (8.0 * 2.1e11 * h * h);
    json_t *d = tool_json("static bar.json --json", 0);
    json_t *outputs = json_object_get(d, "outputs");
    const double z = json_number_value(json_array_get(json_object_get(outputs, "bar/B.position"), 2));
    assert_near_rel(z, -sag, 0.04);
    json_decref(d);
    d = tool_json("modes bar.json -n 2 --json", 0);
    assert_near_rel(real_at(d, "eigenvalues", 0, "frequency"),
                    1.8751040687 * 1.8751040687 / 6.283185307 * sqrt(2.1e11 / 7850.0) * h / sqrt(12.0), 0.02);
    json_decref(d);
    tool_expect("linearize bar.json --outputs bar/B.position.z", 0, NULL);
    tool_expect("view bar.json -o bar.html", 0, NULL);
    tool_expect("run bar.json --set integrator=lobatto --h 1e-5 --t-end 0.001 --quiet", 0, NULL);
    tool_expect("run bar.json --set step=adaptive --quiet", 0, NULL);
    tool_expect("generate bar.json -o bar.c", 0, NULL);
}

static void stresses_are_outputs(void **state)
{
    char model[4000], *text;
    write_bar();
    // the elongation of the bar, and ten times it, from two displacements
    tool_write("s.mtx", "%%MatrixMarket matrix coordinate real general\n2 108 4\n1 1 -1\n1 25 1\n2 1 -10\n2 25 10\n");
    write_model("bar.json", "'flexible': {" FILES ", " INTERFACES ", 'modes': 6, 'recovery': 's.mtx'}");
    text = tool_read("bar.json");
    char *at = strstr(text, "\"energy\"");
    snprintf(model, sizeof model, "%.*s\"bar.recovery\"%s", (int)(at - text), text, at + 8);
    tool_write("bar.json", model);
    free(text);
    json_t *d = tool_json("static bar.json --json", 0);
    json_t *s = json_object_get(json_object_get(d, "outputs"), "bar.recovery");
    assert_int_equal((int)json_array_size(s), 2);
    assert_true(fabs(json_number_value(json_array_get(s, 0))) > 0.0);
    assert_near_rel(json_number_value(json_array_get(s, 1)), 10.0 * json_number_value(json_array_get(s, 0)), 1e-9);
    json_decref(d);
    write_model("bar.json", "'flexible': {" FILES ", " INTERFACES ", 'modes': 6}");
    tool_expect("run bar.json --set x=1", 2, NULL);
}

static void bad_input_is_told_with_its_file(void **state)
{
    static const struct {
        const char *body, *why;
        int code;
    } bad[] = {
        {"'flexible': {'matrices': {'M': 'm.mtx', 'K': 'none.mtx'}, 'nodes': 'nodes.csv', 'modes': 2}",
         "cannot open 'none.mtx'", 3},
        {"'flexible': {'matrices': {'M': 'm.mtx'}, 'nodes': 'nodes.csv', 'modes': 2}", "'K' is missing", 3},
        {"'flexible': {'matrices': {'M': 'm.mtx', 'K': 'nodes.csv'}, 'nodes': 'nodes.csv', 'modes': 2}", "nodes.csv",
         3},
        {"'flexible': {" FILES ", " INTERFACES "}", "either modes", 3},
        {"'flexible': {" FILES ", " INTERFACES ", 'modes': 2, 'frequency': 10}", "either modes", 3},
        {"'flexible': {" FILES ", " INTERFACES ", 'modes': -2}", "-2 modes", 3},
        {"'flexible': {" FILES ", " INTERFACES ", 'modes': 2, 'mass_unit': 0}", "units are positive", 3},
        {"'flexible': {" FILES ", 'interfaces': {'A': {'box': [[5, 5, 5], [6, 6, 6]]}}, 'modes': 2}",
         "no node in this box", 3},
        {"'flexible': {" FILES ", 'interfaces': {'A': {'nodes': [0, 999]}}, 'modes': 2}",
         "node 999 is not one of 0 .. 35", 3},
        {"'flexible': {" FILES ", 'interfaces': {'A': {'nodes': [0, 9]}}, 'modes': 2}", "lie on a line", 3},
        {"'flexible': {'matrices': {'M': 'm.mtx', 'K': 'k.mtx'}, 'nodes': 'few.csv', " INTERFACES ", 'modes': 2}",
         "neither three nor six", 3},
        {"'flexible': {'matrices': {'M': 'm.mtx', 'K': 'nan.mtx'}, 'nodes': 'nodes.csv', 'modes': 2}",
         "'nan' is not a finite number", 3},
        {"'flexible': {'matrices': {'M': 'm.mtx', 'K': 'skew.csv'}, 'nodes': 'nodes.csv', 'modes': 2}", "not symmetric",
         3},
        {"'flexible': {'matrices': {'M': 'small.csv', 'K': 'k.mtx'}, 'nodes': 'nodes.csv', 'modes': 2}",
         "M has 2 rows, K 108", 3},
        {"'flexible': {" FILES ", " INTERFACES ", 'modes': 2, 'surface': 'nodes.csv'}", "node", 3},
        {"'flexible': {" FILES ", 'modes': 2}, 'beam': {}", "a flexible body has one of", 3},
    };
    write_bar();
    tool_write("few.csv", "0,0,0\n1,0,0\n1,1,0\n");
    tool_write("small.csv", "1,2\n2,1\n");
    tool_write("nan.mtx", "%%MatrixMarket matrix coordinate real symmetric\n108 108 1\n1 1 nan\n");
    tool_write("skew.csv", "108,1,1\n1,108,-1\n1,1,1\n108,108,1\n");
    for (size_t k = 0; k < LEN(bad); ++k) {
        write_model("bad.json", bad[k].body);
        tool_expect("check bad.json", bad[k].code, bad[k].why);
    }
}

/* Nodes in millimetres with matrices in SI units: nothing is singular, but no solid has such waves. */
static void units_that_do_not_fit_are_warned_of(void **state)
{
    write_bar();
    FILE *in = fopen("nodes.csv", "r"), *out = fopen("mm.csv", "w");
    double x, y, z;
    assert_true(in != NULL && out != NULL && fscanf(in, "x,y,z ") == 0);
    while (fscanf(in, "%lf,%lf,%lf ", &x, &y, &z) == 3) {
        fprintf(out, "%.17g,%.17g,%.17g\n", 1e3 * x, 1e3 * y, 1e3 * z);
    }
    fclose(in);
    fclose(out);
    write_model("bar.json",
                "'flexible': {'matrices': {'M': 'm.mtx', 'K': 'k.mtx'}, 'nodes': 'mm.csv', 'interfaces': {'A': "
                "{'box': [[0, -99, -99], [0, 99, 99]]}, 'B': 8}, 'modes': 4}");
    json_t *d = tool_json("reduce bar.json --json", 0);
    assert_int_equal((int)json_array_size(json_object_get(d, "warnings")), 1);
    assert_non_null(strstr(json_string_value(json_array_get(json_object_get(d, "warnings"), 0)), "same units"));
    json_decref(d);
}

/* The deflection of the middle of a rod over a turn of the crank: the last value, and the largest. */
static double deflection(const char *method, int n)
{
    char arguments[600];
    snprintf(arguments, sizeof arguments,
             "run %s/examples/connecting_rod/crank.json --set method=%s --set n=%d --t-end 0.02 --json --quiet",
             DAL_SOURCE, method, n);
    json_t *d = tool_json(arguments, 0);
    const double x =
        json_number_value(json_array_get(json_object_get(json_object_get(d, "outputs"), "rod.recovery"), 0));
    json_decref(d);
    return x;
}

/* All 66 inner degrees of freedom are the whole rod. */
static void a_reduced_connecting_rod_comes_to_the_whole_one(void **state)
{
    const double whole = deflection("craig_bampton", 66);
    assert_true(fabs(whole) > 5e-4);
    assert_true(fabs(deflection("craig_bampton", 0) / whole - 1.0) > 0.1);
    assert_near_rel(deflection("craig_bampton", 6), whole, 1e-2);
    assert_near_rel(deflection("craig_bampton", 24), whole, 1e-3);
    assert_near_rel(deflection("free", 16), whole, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_reduced_once_and_used_again),
        cmocka_unit_test(it_bends_and_vibrates_as_a_cantilever),
        cmocka_unit_test(stresses_are_outputs),
        cmocka_unit_test(a_reduced_connecting_rod_comes_to_the_whole_one),
        cmocka_unit_test(bad_input_is_told_with_its_file),
        cmocka_unit_test(units_that_do_not_fit_are_warned_of),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
