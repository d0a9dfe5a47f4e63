/* dalembert check: sound models and others. */
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static void the_document_has_its_members(void **state)
{
    json_t *d = tool_json("check heavy_top --json", 0);
    tool_keys(d, "model bodies coordinates constraints dof states redundant residual tangent_error linear_solver "
                 "solver_choice solver_fallbacks jacobian_cost variables inputs outputs ok");
    assert_int_equal((int)tool_number(d, "bodies"), 1);
    assert_int_equal((int)tool_number(d, "coordinates"), 6);
    assert_int_equal((int)tool_number(d, "constraints"), 3);
    assert_int_equal((int)tool_number(d, "dof"), 3);
    assert_int_equal(json_array_size(json_object_get(d, "redundant")), 0);
    assert_near(tool_number(d, "residual"), 0.0, 1e-9);
    assert_near(tool_number(d, "tangent_error"), 0.0, 1e-6);
    assert_true(json_is_true(json_object_get(d, "ok")));
    json_decref(d);
}

/* {"name": NAME, ...} of a list */
static const json_t *named(const json_t *d, const char *list, const char *name)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(d, list), i, x)
    {
        if (strcmp(json_string_value(json_object_get(x, "name")), name) == 0) {
            return x;
        }
    }
    fail_msg("no '%s' in %s", name, list);
    return NULL;
}

static void variables_and_outputs_have_the_units_of_their_keys(void **state)
{
    static const struct {
        const char *list, *name, *unit;
    } want[] = {{"variables", "m", "kg"},
                {"variables", "L", "m"},
                {"variables", "g", "m/s^2"}, // with a sign
                {"variables", "depth", "m"}, // in a list
                {"variables", "E", ""},      // only within expressions
                {"outputs", "mass.velocity", "m/s"},
                {"outputs", "energy", "J"}};
    json_t *d = tool_json("check pendulum --json", 0);
    for (size_t k = 0; k < sizeof want / sizeof want[0]; ++k) {
        const json_t *x = named(d, want[k].list, want[k].name);
        assert_string_equal(json_string_value(json_object_get(x, "unit")), want[k].unit);
    }
    assert_int_equal(json_array_size(json_object_get(d, "outputs")), 4); // those of the model
    json_decref(d);
}

static void every_built_in_model_is_sound_but_for_redundancy(void **state)
{
    json_t *list = tool_json("models --json", 0);
    size_t i;
    json_t *model;
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        char arguments[200] = "check --json --set redundant=drop ";
        strncat(arguments, json_string_value(json_object_get(model, "name")), 100);
        json_t *d = tool_json(arguments, 0);
        json_decref(d);
    }
    json_decref(list);
}

static void redundant_rows_are_named(void **state)
{
    json_t *d = tool_json("check bricard --json --set redundant=error", 1);
    const json_t *redundant = json_object_get(d, "redundant");
    assert_int_equal(json_array_size(redundant), 1);
    assert_non_null(strstr(json_string_value(json_array_get(redundant, 0)), "joint '"));
    assert_int_equal((int)tool_number(d, "dof"), 1);
    assert_true(json_is_false(json_object_get(d, "ok")));
    json_decref(d);
    tool_expect("check bricard --set redundant=error", 1, "redundant");
    // contacts that are open hold nothing, and are no defect
    d = tool_json("check rocking_block --json", 0);
    assert_int_equal(json_array_size(json_object_get(d, "redundant")), 0);
    assert_int_equal((int)tool_number(d, "dof"), 3);
    json_decref(d);
}

static void an_inconsistent_initial_state_is_told(void **state)
{
    tool_write("off.json",
               "{\"dalembert\": 1, \"name\": \"off\", \"simulation\": {\"t_end\": 1}, \"gravity\": [0, 0, -9.81],\n"
               " \"bodies\": [{\"name\": \"ball\", \"type\": \"point\", \"mass\": 1, \"position\": [1, 0, 0],"
               " \"velocity\": [0.5, 0, 0]}],\n"
               " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"body_b\": \"ball\", \"length\": 1}]}\n");
    tool_expect("check off.json", 1, "violates the constraints");
    tool_expect("run off.json -o off", 0, "was moved by");
}

/* The velocity of the cart is that of its drive at t = 0; a given one that differs from it is told. */
static void a_drive_in_motion_at_the_start_is_sound(void **state)
{
    static const char *const form =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"cart\", \"type\": \"point\", \"mass\": 1%s}], \"joints\": "
        "[{\"name\": \"shaker\", \"type\": \"motion\", \"body_b\": \"cart\", \"coordinate\": \"translation_x\", "
        "\"function\": \"0.1*sin(4*pi*t)\"}]}";
    char text[600];
    snprintf(text, sizeof text, form, "");
    tool_write("shaker.json", text);
    json_t *d = tool_json("check shaker.json --json", 0);
    assert_near(tool_number(d, "residual"), 0.0, 1e-12);
    json_decref(d);
    tool_result r = tool("check shaker.json");
    assert_non_null(strstr(r.out, "set in motion by drives: velocities up to 1.26"));
    assert_null(strstr(r.out, "linear solver")); // only with --verbose
    tool_free(&r);
    snprintf(text, sizeof text, form, ", \"velocity\": [1, 0, 0]");
    tool_write("against.json", text);
    tool_expect("check against.json", 1, "violates the constraints by 2.6e-01");
}

/* Differences across the kink of its load mean nothing: the model is sound. */
static void a_wheel_that_just_touches_is_sound(void **state)
{
    tool_write("touch.json",
               "{\"dalembert\": 1, \"variables\": {\"v\": \"10 m/s\", \"r\": \"300 mm\"},\n"
               "\"bodies\": [{\"repeat\": \"i\", \"to\": 4, \"items\": [{\"name\": \"wheel{i}\", \"mass\": 12, "
               "\"inertia\": [0.5, 0.9, 0.5],\n"
               " \"position\": [\"i\", 0, \"r\"], \"velocity\": [\"v\", 0, 0], \"angular_velocity\": [0, \"v/r\", "
               "0]}]}],\n"
               "\"forces\": [{\"repeat\": \"i\", \"to\": 4, \"items\": [{\"name\": \"tyre{i}\", \"type\": \"tyre\", "
               "\"body_b\": \"wheel{i}\",\n"
               " \"frame_a\": [0, 0, 0], \"frame_b\": {\"axis\": [0, 1, 0]}, \"radius\": \"r\", \"stiffness\": 2e5, "
               "\"damping\": 500,\n"
               " \"slip_stiffness\": [56000, 56000]}]}]}");
    tool_expect("check touch.json", 0, "a force has a kink at the initial state");
}

/* Rounding of places makes forces of a steel column that carries nothing; that is no kink, nor is it held against its tangents. */
static void a_steel_column_without_load_is_sound(void **state)
{
    tool_write("column.json",
               "{\"dalembert\": 1, \"beams\": [{\"name\": \"a\", \"to\": [0, 0, 3], \"start\": \"ground\", "
               "\"elements\": 2, \"section\": {\"circle\": 0.02, \"E\": 2.1e11, \"nu\": 0.3, \"density\": "
               "7850}}]}");
    tool_result r = tool("check column.json");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.err, "");
    tool_free(&r);
}

static void what_a_body_cannot_take_is_refused_with_the_remedy(void **state)
{
    tool_write("point.json",
               "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81],\n"
               " \"bodies\": [{\"name\": \"bob\", \"type\": \"point\", \"mass\": 1, \"position\": [1, 0, 0]}],\n"
               " \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"body_b\": \"bob\","
               " \"point\": [0, 0, 0]}]}\n");
    tool_expect("run point.json -q", 3, "a pendulum is a `distance` joint");
    tool_write("flat.json", "{\"dalembert\": 1, \"gravity\": [0, -9.81],\n"
                            " \"bodies\": [{\"name\": \"b\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1}],\n"
                            " \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"b\"}]}\n");
    tool_expect("run flat.json -q", 3, "use 'planar_revolute'");
    tool_write("drop.json", "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81],\n"
                            " \"bodies\": [{\"name\": \"b\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1}]}\n");
    tool_expect("run drop.json -q", 3, "does not feel gravity along z");
}

/* A slider crank of which only the speed of the crank is given. */
static const char *const CRANK =
    "{\"dalembert\": 1, \"name\": \"speed\", \"variables\": {\"w\": 2}, \"simulation\": {\"t_end\": 1e-6, \"h\": "
    "1e-6},\n"
    " \"bodies\": [{\"name\": \"crank\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0, 0.5],"
    " \"rotation\": \"pi/2\", \"angular_velocity\": \"w\"},\n"
    " {\"name\": \"rod\", \"type\": \"planar\", \"mass\": 9, \"inertia\": 3, \"position\": [\"sqrt(3)/2\", 0.5],"
    " \"rotation\": \"-pi/6\"},\n"
    " {\"name\": \"slider\", \"type\": \"planar\", \"mass\": 5, \"inertia\": 1, \"position\": [\"sqrt(3)\", 0]}],\n"
    " \"joints\": [{\"name\": \"O\", \"type\": \"planar_revolute\", \"body_b\": \"crank\", \"point\": [0, 0]},"
    " {\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"crank\", \"body_b\": \"rod\", \"point\": [0, 1]},"
    " {\"name\": \"C\", \"type\": \"planar_revolute\", \"body_a\": \"rod\", \"body_b\": \"slider\", \"point\": "
    "[\"sqrt(3)\", 0]},"
    " {\"name\": \"guide\", \"type\": \"planar_prismatic\", \"body_b\": \"slider\"}]}\n";

static void the_speed_of_the_crank_is_enough(void **state)
{
    tool_write("speed.json", CRANK);
    json_t *d = tool_json("check speed.json --json", 0);
    assert_true(json_is_true(json_object_get(d, "ok")));
    json_decref(d);
    // the crank keeps its speed, the end of the rod above it moves by -w r, and so does the slider
    d = tool_json("run speed.json --json", 0);
    const json_t *bodies = json_object_get(d, "bodies");
    const json_t *omega = json_object_get(json_object_get(bodies, "crank"), "omega");
    const json_t *v = json_object_get(json_object_get(bodies, "slider"), "v");
    assert_near(json_number_value(json_array_get(omega, 2)), 2.0, 1e-4);
    assert_near(json_number_value(json_array_get(v, 0)), -2.0, 1e-4);
    json_decref(d);
}

/* Modal coordinates of 10 mm in four modes; the joint is at a node, off it by rounding only. */
#define BENT(STIFFENING)                                                                                           \
    "{\"dalembert\": 1, \"bodies\": [{\"name\": \"rod\", \"type\": \"flexible\", \"position\": [-1, 0, 0],"        \
    "\"modal\": [0.01, -0.01, 0.01, -0.01], \"beam\": {\"length\": 1, \"E\": 1e8, \"nu\": 0.3, \"density\": 1000," \
    "\"area\": 5e-4, \"Iy\": 2e-7, \"Iz\": 1e-7, \"boundary\": \"clamped\", \"elements\": 20, \"modes\": 4,"       \
    "\"stiffening\": " STIFFENING "}}],"                                                                           \
    "\"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"body_b\": \"rod/B\"}]}"

/* The length of the model is that of the beam: differences find the tangents right. With stiffening it is bent too far, and is
 * told so by name. */
static void a_beam_that_is_bent_too_far_is_named(void **state)
{
    tool_write("bent.json", BENT("false"));
    tool_expect("check bent.json", 0, NULL);
    tool_write("stiff.json", BENT("true"));
    tool_expect("check stiff.json", 1, "motion of rod.mode 1");
    tool_expect("check stiff.json", 1, "deform less or have fewer modes");
}

static void a_loop_that_cannot_close_is_not_advised_to_drop_rows(void **state)
{
    tool_write("contra.json",
               "{\"dalembert\": 1, \"name\": \"contra\", \"simulation\": {\"t_end\": 1},\n"
               " \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}],\n"
               " \"joints\": [{\"name\": \"A\", \"type\": \"spherical\", \"body_b\": \"b\", \"point\": [1, 0, 0]},"
               " {\"name\": \"D\", \"type\": \"distance\", \"body_b\": \"b\", \"frame_a\": {\"position\": [3, 0, 0]},"
               " \"frame_b\": {\"position\": [1, 0, 0]}, \"length\": 1}]}\n");
    // the same failure, the same exit code
    static const char *const commands[] = {"run contra.json", "run contra.json --set redundant=drop",
                                           "study contra.json", "study contra.json --reference self"};
    for (size_t i = 0; i < LEN(commands); ++i) {
        tool_result r = tool(commands[i]);
        assert_int_equal(r.code, 3);
        assert_non_null(strstr(r.err, "cannot be closed"));
        assert_null(strstr(r.err, "drop"));
        tool_free(&r);
    }
    tool_result r = tool("check contra.json");
    assert_int_equal(r.code, 1);
    assert_null(strstr(r.err, "drop"));
    tool_free(&r);
}

static void unknown_names_are_answered_with_those_there_are(void **state)
{
    tool_write("hinge.json",
               "{\"dalembert\": 1, \"name\": \"h\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 1}],"
               " \"joints\": [{\"type\": \"hinge\", \"body_b\": \"b\"}]}");
    tool_expect("check hinge.json", 3, "revolute, universal");
    tool_write("angle.json", "{\"dalembert\": 1, \"name\": \"h\", \"bodies\": [{\"name\": \"b\", \"mass\": 1,"
                             " \"inertia\": [1, 1, 1]}], \"outputs\": [\"b.angle\"]}");
    tool_expect("check angle.json", 3, "rotation_vector, euler_angles");
}

static void control_characters_are_shown_not_sent(void **state)
{
    static const char *const commands[] = {"run a\x1b[31mb\xff.json", "check a\x1b]0;x\x07", "a\x1b[2J",
                                           "run pendulum --plot-outputs a\x1b[2J\x9b --plot x.svg",
                                           "run pendulum --set a\x1b=1"};
    for (size_t i = 0; i < LEN(commands); ++i) {
        tool_result r = tool(commands[i]);
        assert_true(r.code != 0);
        assert_non_null(strstr(r.err, "\\x1b"));
        for (const char *s = r.err; *s; ++s) {
            assert_true((unsigned char)*s >= ' ' || *s == '\n');
            assert_true((unsigned char)*s != 0x9b && (unsigned char)*s != 0xff);
        }
        tool_free(&r);
    }
}

/* A pendulum drawn 0.1 beside its hinge. */
static void assembly_is_told(void **state)
{
    tool_write("rough.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"rod\", \"mass\": 1, \"inertia\": 1, "
               "\"position\": [0.1, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", "
               "\"body_b\": \"rod\", \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0]}], \"assembly\": {}}");
    static const char *const commands[] = {"check rough.json", "run rough.json --t-end 0.01"};
    for (size_t k = 0; k < LEN(commands); ++k) {
        tool_result r = tool(commands[k]);
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.out, "assembly      moved by 0.1; largest gap 1.0e-01 before"));
        tool_free(&r);
    }
}

/* A rod that nothing keeps from spinning about its own axis, which has no inertia: by rounding the matrix is not quite
 * singular, and velocities would move by 1e16. */
static void an_axis_without_inertia_that_is_free_is_refused(void **state)
{
    static const char *const types[] = {"r3so3", "se3", "euler_parameters", "cardan"};
    for (size_t k = 0; k < LEN(types); ++k) {
        char text[700];
        snprintf(text, sizeof text,
                 "{\"dalembert\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"rod\", \"type\": \"%s\", "
                 "\"mass\": 1.2822, \"inertia\": {\"rod\": 0.3221, \"axis\": \"y\"}, \"position\": [0.4928, 0.9175, "
                 "0.3221], "
                 "\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 1.570796326794897}, \"angular_velocity\": [0, 0, "
                 "-4.8573]}], "
                 "\"joints\": [{\"name\": \"roll\", \"type\": \"wheel\", \"body_b\": \"rod\", \"radius\": 0.3221, "
                 "\"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0]}], \"simulation\": {\"t_end\": 0.4, \"h\": 0.002}}",
                 types[k]);
        tool_write("spin.json", text);
        tool_expect("run spin.json -q", 3, "the mass matrix is not positive definite");
    }
}

static void a_length_that_is_to_be_zero_is_refused(void **state)
{
    tool_write("zero.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 0.1, \"position\": [1, 0, "
               "0]}], \"joints\": [{\"name\": \"m\", \"type\": \"motion\", \"body_b\": \"b\", \"coordinate\": "
               "\"length\", \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], \"function\": 0}]}");
    tool_expect("run zero.json -q", 3, "joint 'm': its function prescribes a length of 0");
}

/* The limit of stability (RT.8), against what damps; a step below it brings no word. */
static void a_step_that_rattlie_cannot_take_is_told(void **state)
{
    static const struct {
        const char *integrator, *h;
        int told;
    } list[] = {{"rattlie", "5e-3", 1}, {"rattlie", "1e-3", 0}, {"genalpha", "5e-3", 0}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; ++k) {
        char words[128];
        snprintf(words, sizeof words, "check spinning_beam --set integrator=%s --set h=%s", list[k].integrator,
                 list[k].h);
        tool_result r = tool(words);
        assert_int_equal(r.code, 0);
        assert_int_equal(strstr(r.err, "integrator = rattlie is stable below 2 only") != NULL, list[k].told);
        tool_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_length_that_is_to_be_zero_is_refused),
        cmocka_unit_test(an_axis_without_inertia_that_is_free_is_refused),
        cmocka_unit_test(the_document_has_its_members),
        cmocka_unit_test(variables_and_outputs_have_the_units_of_their_keys),
        cmocka_unit_test(every_built_in_model_is_sound_but_for_redundancy),
        cmocka_unit_test(redundant_rows_are_named),
        cmocka_unit_test(an_inconsistent_initial_state_is_told),
        cmocka_unit_test(a_drive_in_motion_at_the_start_is_sound),
        cmocka_unit_test(a_wheel_that_just_touches_is_sound),
        cmocka_unit_test(a_steel_column_without_load_is_sound),
        cmocka_unit_test(what_a_body_cannot_take_is_refused_with_the_remedy),
        cmocka_unit_test(assembly_is_told),
        cmocka_unit_test(the_speed_of_the_crank_is_enough),
        cmocka_unit_test(a_step_that_rattlie_cannot_take_is_told),
        cmocka_unit_test(a_beam_that_is_bent_too_far_is_named),
        cmocka_unit_test(a_loop_that_cannot_close_is_not_advised_to_drop_rows),
        cmocka_unit_test(unknown_names_are_answered_with_those_there_are),
        cmocka_unit_test(control_characters_are_shown_not_sent),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
