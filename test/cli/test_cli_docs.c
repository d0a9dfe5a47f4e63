/* What the documentation promises: documents fit their schemas, the model of the first ten minutes runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/schema.h"
#include "cli/tool.h"

static void documents_of_every_model_fit_their_schemas(void **state)
{
    json_t *list = tool_json("models --json", 0), *model;
    size_t i;
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));
        char arguments[300];
        snprintf(arguments, sizeof arguments, "run %s --json --set max_steps=5 --set redundant=drop", name);
        json_t *run = tool_json(arguments, 4);
        schema_check(run, "run.schema.json");
        json_decref(run);
        snprintf(arguments, sizeof arguments, "check %s --json --set redundant=drop", name);
        json_t *check = tool_json(arguments, 0);
        schema_check(check, "check.schema.json");
        json_decref(check);
    }
    json_decref(list);
}

/* Documents of all commands, good and failed. */
static void documents_of_every_command_fit_their_schemas(void **state)
{
    static const struct {
        const char *schema, *arguments;
        int code;
    } trial[] = {
        {"run", "run pendulum --json", 0},
        {"run", "run double_pendulum --set initial=static --t-end 0.01 --json", 0},
        {"study", "study pendulum --h 2e-2,1e-2 --methods index3,index3:max_steps=3 --json", 1},
        {"sweep",
         "sweep heavy_top --vary m=-1:3:5 --random spin=uniform(100,200) --t-end 0.01 --collect final(energy) --json",
         1},
        {"check", "check bricard --set redundant=error --json", 1},
        {"check", "check flyball_governor --json", 0},
        {"static", "static slider_crank --json", 0},
        {"static", "static free_top --json", 0},
        {"static_path", "static elastica --path P=0:4 --json", 0},
        {"modes", "modes bicycle --set v=5 --json", 0},
        {"modes", "modes flexible_pendulum --about static --json", 0},
        {"campbell", "campbell bicycle --set v=4:7:4 --json", 0},
        {"linearize", "linearize pendulum --json", 0},
        {"kinematics", "kinematics slider_crank --drive A=0:1:11 --json", 0},
        {"inverse", "inverse slider_crank --motion A=t --times 0:1:5 --json", 0},
        {"models", "models --json", 0},
        {"methods", "methods --json", 0},
        {"version", "--version --json", 0},
    };
    for (size_t k = 0; k < sizeof trial / sizeof trial[0]; ++k) {
        char schema[64];
        snprintf(schema, sizeof schema, "%s.schema.json", trial[k].schema);
        json_t *d = tool_json(trial[k].arguments, trial[k].code);
        schema_check(d, schema);
        json_decref(d);
    }
}

/* What stands between the first pair of such fences of a page becomes a file. */
static void write_fenced(const char *path, const char *page_path, const char *fence)
{
    char *page = tool_read(page_path);
    assert_non_null(page);
    char *start = strstr(page, fence);
    assert_non_null(start);
    start += strlen(fence);
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = '\0';
    tool_write(path, start);
    free(page);
}

/* docs/user/import.md: the commands of its first section, and the torques that it computes by hand. */
static void the_first_robot_of_the_manual_runs(void **state)
{
    write_fenced("arm.urdf", DAL_SOURCE "/docs/user/import.md", "```xml\n");
    json_t *d = tool_json("import arm.urdf --json", 0);
    schema_check(d, "import.schema.json");
    assert_near(tool_number(d, "mass"), 3.3, 1e-15);
    json_decref(d);
    tool_expect("check arm.urdf", 0, NULL);
    tool_expect("run arm.urdf --t-end 2 --html arm.html --quiet", 0, NULL);
    tool_result r = tool("inverse arm.urdf --motion shoulder=0;elbow=0 --times 0:1:2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "shoulder      first 11.3796, last 11.3796"));
    assert_non_null(strstr(r.out, "elbow         first 2.3544, last 2.3544"));
    tool_free(&r);
    d = tool_json("run arm.urdf --set tau_shoulder=9.81*1.16 --set tau_elbow=9.81*0.24 --t-end 0.5 --json", 0);
    const json_t *angle = json_array_get(json_object_get(json_object_get(d, "outputs"), "elbow.coordinate"), 0);
    assert_near(json_real_value(angle), 0.0, 1e-9);
    json_decref(d);
}

/* docs/user/cli.md */
static void the_first_model_of_the_manual_runs(void **state)
{
    write_fenced("crank.json", DAL_SOURCE "/docs/user/cli.md", "```json\n");
    json_t *d = tool_json("check crank.json --json", 0);
    assert_int_equal((int)tool_number(d, "dof"), 1);
    json_decref(d);
    tool_expect("run crank.json -o results --plot crank.svg --plot-outputs slider.position,A.force,guide.force", 0,
                NULL);
    assert_true(tool_exists("results/outputs.csv") && tool_exists("crank.svg"));
    d = tool_json("study crank.json --h 4e-3,2e-3,1e-3 --t-end 1 --json", 0);
    const json_t *last = json_array_get(json_object_get(d, "rows"), 2);
    assert_near(tool_number(json_object_get(last, "order"), "q"), 2.0, 0.05);
    assert_near_rel(tool_number(json_object_get(last, "error"), "q"), 6.803e-4, 0.01);
    json_decref(d);
}

/* The models of the page on beams, and its three tasks with the numbers that it says. */
static void the_page_on_beams_is_true(void **state)
{
    (void)state;
    write_fenced("cantilever.json", DAL_SOURCE "/docs/user/beams.md", "```json\n");
    write_fenced("bridge.json", DAL_SOURCE "/docs/user/beams.md", "```json bridge\n");
    write_fenced("rope.json", DAL_SOURCE "/docs/user/beams.md", "```json rope\n");
    json_t *d = tool_json("static cantilever.json --json", 0);
    json_decref(d);
    d = tool_json("static bridge.json --json", 0);
    const json_t *outputs = json_object_get(d, "outputs");
    assert_near(json_number_value(json_array_get(json_object_get(outputs, "deck@0.5.position"), 2)), -6.4e-3, 5e-5);
    assert_near(json_number_value(json_array_get(json_object_get(outputs, "hanger@0.5.section_force"), 0)), 52e3, 500);
    assert_non_null(json_object_get(outputs, "deck@0.25.section_moment"));
    json_decref(d);
    tool_expect("run rope.json --t-end 0.1 -q", 0, NULL);
    d = tool_json("static elastica --json", 0);
    const json_t *tip = json_object_get(json_object_get(d, "outputs"), "beam@1.position");
    assert_near(json_number_value(json_array_get(tip, 0)), 0.61237, 1e-5);
    assert_near(json_number_value(json_array_get(tip, 1)), 0.71429, 1e-5);
    json_decref(d);
    double z[2];
    for (int k = 0; k < 2; ++k) {
        d = tool_json(k == 0 ? "static helical_spring --set m=1 --json" : "static helical_spring --set m=2 --json", 0);
        z[k] = json_number_value(json_array_get(json_object_get(json_object_get(d, "outputs"), "plate.position"), 2));
        json_decref(d);
    }
    assert_near(9.81 / (z[0] - z[1]), 6599.0, 1.0);
    d = tool_json("modes rotating_blade --set rpm=750 --about steady -n 6 --json", 0);
    assert_near(tool_number(json_array_get(json_object_get(d, "eigenvalues"), 0), "frequency"), 13.55, 0.005);
    json_decref(d);
}

/* Every built-in model has its picture in the gallery. */
static void the_gallery_shows_every_model(void **state)
{
    json_t *list = tool_json("models --json", 0), *model;
    char *page = tool_read(DAL_SOURCE "/docs/gallery.md");
    size_t i;
    assert_non_null(page);
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));
        char text[300];
        snprintf(text, sizeof text, "](figures/gallery/%s.png)", name);
        if (strstr(page, text) == NULL) {
            fail_msg("'%s' is not in docs/gallery.md: make figures", name);
        }
        snprintf(text, sizeof text, "%s/docs/figures/gallery/%s.png", DAL_SOURCE, name);
        FILE *f = fopen(text, "rb");
        assert_non_null(f);
        fclose(f);
    }
    free(page);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gallery_shows_every_model),
        cmocka_unit_test(the_page_on_beams_is_true),
        cmocka_unit_test(documents_of_every_model_fit_their_schemas),
        cmocka_unit_test(documents_of_every_command_fit_their_schemas),
        cmocka_unit_test(the_first_model_of_the_manual_runs),
        cmocka_unit_test(the_first_robot_of_the_manual_runs),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
