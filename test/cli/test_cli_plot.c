/* Pictures of the tool: --plot of run and study. */
#include <math.h>
#include <string.h>

#include "cli/tool.h"

/* A free body that turns about z; its rotation vector jumps at half a turn. */
static const char *const SPIN =
    "{\"dalembert\": 1, \"name\": \"spin\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, "
    "\"inertia\": [1, 1, 1], \"angular_velocity\": [0, 0, 5]}], "
    "\"outputs\": [{\"quantity\": \"rotation_vector\", \"body\": \"b\", \"name\": \"turn\"}], "
    "\"simulation\": {\"t_end\": 2, \"h\": 0.01}}";

static void text_of_a_model_is_never_interpreted(void **state)
{
    tool_write("i.json",
               "{\"dalembert\": 1, \"name\": \"n`touch PWNED_name`\", \"title\": \"a `touch PWNED_title` "
               "$(touch PWNED_sub) <script>alert(1)</script> \\\" '; system(\\\"touch PWNED_gp\\\")\", \"bodies\": "
               "[{\"name\": \"n`touch PWNED_body`\", \"mass\": 1, \"inertia\": [1, 1, 1]}], "
               "\"simulation\": {\"t_end\": 0.1}}");
    tool_expect("run i.json -q --plot i.svg", 0, NULL);
    char *svg = tool_read("i.svg");
    assert_non_null(svg);
    assert_null(strstr(svg, "<script"));
    assert_non_null(strstr(svg, "a `touch PWNED_title` $(touch PWNED_sub) &#60;script&#62;"));
    assert_non_null(strstr(svg, "n`touch PWNED_body`.position"));
    free(svg);
    tool_expect("study i.json --plot s.svg", 0, NULL);
    const char *const files[] = {"PWNED_name", "PWNED_title", "PWNED_sub", "PWNED_gp", "PWNED_body"};
    for (size_t i = 0; i < LEN(files); ++i) {
        assert_false(tool_exists(files[i]));
    }
}

/* A body with n outputs, each its position under a name of its own. */
static void write_outputs(const char *path, int n)
{
    char text[4000] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], "
                      "\"velocity\": [1, 2, 3]}], \"simulation\": {\"t_end\": 0.1}, \"outputs\": [";
    for (int k = 1; k <= n; ++k) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "%s{\"quantity\": \"position\", \"body\": \"b\", \"name\": \"place_%02d\"}", k > 1 ? ", " : "", k);
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "]}");
    tool_write(path, text);
}

/* All outputs have a panel, up to 16 of them; then the summary says how many are left out. */
static void a_picture_shows_all_outputs(void **state)
{
    static const int outputs[] = {6, 16, 19};
    for (size_t i = 0; i < LEN(outputs); ++i) {
        char name[32];
        write_outputs("many.json", outputs[i]);
        tool_expect("run many.json --plot many.svg", 0, NULL);
        char *svg = tool_read("many.svg");
        assert_non_null(svg);
        for (int k = 1; k <= outputs[i]; ++k) {
            snprintf(name, sizeof name, "place_%02d", k);
            assert_int_equal(strstr(svg, name) != NULL, k <= 16);
        }
        free(svg);
    }
    tool_result r = tool("run many.json --plot many.svg");
    assert_non_null(strstr(r.out, "without 3 of 19 outputs"));
    tool_free(&r);
    tool_expect("run many.json --plot many.svg --plot-outputs place_19,place_18", 0, NULL);
    char *svg = tool_read("many.svg");
    assert_true(strstr(svg, "place_19") != NULL && strstr(svg, "place_01") == NULL);
    free(svg);
}

static void a_bad_path_is_found_before_the_run(void **state)
{
    tool_expect("run pendulum -o results --plot no/such/folder/p.svg", 5, "No such file");
    assert_false(tool_exists("results"));
    tool_expect("study pendulum --plot no/such/folder/p.svg", 5, "No such file");
}

static void a_picture_that_cannot_be_written_is_not_announced(void **state)
{
    tool_result r = tool_limited("run heavy_top --plot big.svg", 3000);
    assert_int_equal(r.code, 5);
    assert_non_null(strstr(r.err, "big.svg"));
    assert_null(strstr(r.out, "picture"));
    assert_false(tool_exists("big.svg"));
    assert_false(tool_exists("big.svg.part"));
    tool_free(&r);
}

/* The longest upright piece of the curves, in pixels: straight or a cubic. */
static double longest_upright(const char *svg)
{
    double longest = 0.0;
    for (const char *path = svg; (path = strstr(path, "stroke-linejoin")) != NULL; ++path) {
        const char *s = strstr(path, "d=\"") + 3;
        double x0 = NAN, y0 = NAN;
        while (*s != '"') {
            const char kind = *s++;
            char *end = NULL;
            double p[6] = {0.0};
            for (int k = 0; k < (kind == 'C' ? 6 : 2); ++k, s = end) {
                p[k] = strtod(s, &end);
            }
            const double x1 = p[kind == 'C' ? 4 : 0], y1 = p[kind == 'C' ? 5 : 1];
            if (kind != 'M' && fabs(x1 - x0) < 8.0) {
                longest = fmax(longest, fabs(y1 - y0));
            }
            x0 = x1;
            y0 = y1;
        }
    }
    return longest;
}

static void angles_that_go_round_are_drawn_without_upright_lines(void **state)
{
    tool_write("spin.json", SPIN);
    tool_expect("run spin.json -q --plot turn.svg", 0, NULL);
    char *svg = tool_read("turn.svg");
    assert_true(longest_upright(svg) < 30.0);
    assert_non_null(strstr(svg, "x, y = 0")); // components that vanish are not drawn over each other
    free(svg);
    tool_expect("run spin.json -q --h 1e-4 --plot many.svg", 0, NULL); // more steps than dots
    svg = tool_read("many.svg");
    assert_true(longest_upright(svg) < 30.0);
    free(svg);
}

static void the_axis_of_an_energy_has_digits(void **state)
{
    tool_expect("run heavy_top -q --set formulation=index3 --plot e.svg --plot-outputs energy", 0, NULL);
    char *svg = tool_read("e.svg");
    assert_non_null(strstr(svg, "energy \xe2\x88\x92 5435.6 [J]"));
    assert_non_null(strstr(svg, ">0.04</text>"));
    assert_non_null(strstr(svg, ">0.06</text>"));
    free(svg);
}

static void steps_far_apart_are_joined_by_curves(void **state)
{
    tool_expect("run heavy_top -q --set step=adaptive --set step_rtol=1e-2 --plot a.svg --plot-outputs top.position", 0,
                NULL);
    char *svg = tool_read("a.svg"), *path = strstr(svg, "stroke-linejoin");
    assert_non_null(path);
    assert_non_null(strchr(strstr(path, "d=\""), 'C'));
    free(svg);
}

static void a_study_without_errors_has_a_picture(void **state)
{
    tool_write("still.json", "{\"dalembert\": 1, \"name\": \"still\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, "
                             "\"inertia\": [1, 1, 1]}], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}");
    tool_expect("study still.json --plot still.svg", 0, NULL);
    char *svg = tool_read("still.svg");
    assert_non_null(svg);
    assert_non_null(strstr(svg, "no error at any step size"));
    free(svg);
}

/* Coarse steps far from the limit: an order read off there was shown as 3 or 5. */
static void slope_triangles_show_orders_of_methods(void **state)
{
    tool_expect("study heavy_top --h 1.6e-2,8e-3,4e-3,2e-3,1e-3 --methods index3,ggl,naive,lobatto3 --plot o.svg", 0,
                NULL);
    char *svg = tool_read("o.svg");
    int n = 0;
    assert_non_null(svg);
    for (const char *s = svg; (s = strstr(s, "fill=\"#555555\"")) != NULL; ++s, ++n) {
        const char *number = strchr(s, '>') + 1;
        assert_true(strncmp(number, "2<", 2) == 0 || strncmp(number, "4<", 2) == 0);
    }
    assert_true(n >= 3);
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_model_is_never_interpreted),
        cmocka_unit_test(a_picture_shows_all_outputs),
        cmocka_unit_test(a_bad_path_is_found_before_the_run),
        cmocka_unit_test(a_picture_that_cannot_be_written_is_not_announced),
        cmocka_unit_test(angles_that_go_round_are_drawn_without_upright_lines),
        cmocka_unit_test(the_axis_of_an_energy_has_digits),
        cmocka_unit_test(steps_far_apart_are_joined_by_curves),
        cmocka_unit_test(a_study_without_errors_has_a_picture),
        cmocka_unit_test(slope_triangles_show_orders_of_methods),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
