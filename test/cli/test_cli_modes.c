/* dalembert modes: documents, words, messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static double nearest(const json_t *d, double re, double im)
{
    double best = INFINITY;
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(d, "eigenvalues"), i, e)
    {
        best = fmin(best, hypot(tool_number(e, "re") - re, tool_number(e, "im") - im));
    }
    return best;
}

static void bicycle_at_five_metres_per_second(void **state)
{
    json_t *d = tool_json("modes bicycle --set v=5 --json", 0);
    assert_near(nearest(d, -0.77534188219585, 4.46486771378823), 0.0, 1e-12);
    assert_near(nearest(d, -0.32286642900409, 0.0), 0.0, 1e-12);
    assert_near(nearest(d, -14.07838969279822, 0.0), 0.0, 1e-12);
    assert_string_equal(json_string_value(json_object_get(d, "steady")), "steady");
    assert_string_equal(json_string_value(json_object_get(d, "axes")), "world");
    json_decref(d);
}

static void the_document_has_its_members(void **state)
{
    json_t *d = tool_json("modes double_pendulum --set angle1=0 --set angle2=0 --json", 0);
    tool_keys(d, "model time steady axes turning drift acceleration period period_error period_steps freedoms "
                 "velocity_freedoms states redundant rigid "
                 "zeros solver "
                 "highest_frequency step_size seconds warnings eigenvalues");
    const json_t *e = json_array_get(json_object_get(d, "eigenvalues"), 0);
    tool_keys(e, "re im frequency damping error pair rigid shape whirl bodies states joints");
    const json_t *upper = json_object_get(json_object_get(e, "bodies"), "upper"),
                 *lower = json_object_get(json_object_get(e, "bodies"), "lower");
    tool_keys(upper, "share deformation translation translation_im rotation rotation_im");
    assert_near(tool_number(upper, "share") + tool_number(lower, "share"), 1.0, 1e-12);
    // the elbow turns by the difference of the rotations of the rods
    const json_t *elbow = json_object_get(json_object_get(e, "joints"), "elbow");
    const double turn = json_number_value(json_array_get(json_object_get(elbow, "rotation"), 2));
    const double u = json_number_value(json_array_get(json_object_get(upper, "rotation"), 2));
    const double l = json_number_value(json_array_get(json_object_get(lower, "rotation"), 2));
    assert_near(turn, l - u, 1e-9);
    assert_near(fmax(fabs(u), fabs(l)), 1.0, 1e-9);
    assert_near(tool_number(e, "frequency"), tool_number(e, "im") / 6.283185307179586, 1e-12);
    json_decref(d);
}

static void every_built_in_model_has_an_answer(void **state)
{
    json_t *list = tool_json("models --json", 0);
    size_t i;
    json_t *model;
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        char arguments[200] = "modes --json ";
        strncat(arguments, json_string_value(json_object_get(model, "name")), 100);
        json_t *d = tool_json(arguments, 0);
        assert_true(json_array_size(json_object_get(d, "eigenvalues")) > 0);
        json_decref(d);
    }
    json_decref(list);
}

static void motion_that_is_not_steady_is_told(void **state)
{
    static const char *const names[] = {"modes heavy_top", "modes pendulum"};
    for (size_t i = 0; i < LEN(names); ++i) {
        tool_result r = tool(names[i]);
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.out, "neither an equilibrium nor a steady motion"));
        assert_non_null(strstr(r.out, "--about static"));
        tool_free(&r);
    }
    tool_result r = tool("modes n_four_bar"); // its accelerations are zero, its velocities are not
    assert_non_null(strstr(r.out, "(velocities up to "));
    tool_free(&r);
}

static void a_state_of_a_run_may_be_asked_for(void **state)
{
    json_t *d = tool_json("modes high_speed_rotor --about 0.01 --json", 0);
    assert_near(tool_number(d, "time"), 0.01, 1e-12);
    json_decref(d);
}

static void modes_about_the_equilibrium(void **state)
{
    json_t *d = tool_json("modes double_pendulum --about static --json", 0);
    assert_string_equal(json_string_value(json_object_get(d, "steady")), "rest");
    // a w^4 + b w^2 + c = 0 of two rods, see test_models_modes.c
    const double a = 4.0 / 9.0 - 0.25, b = -9.81 * (4.0 / 6.0 + 0.5), c = 9.81 * 9.81 * 0.75,
                 r = sqrt(b * b - 4.0 * a * c);
    assert_near(nearest(d, 0.0, sqrt((-b - r) / (2.0 * a))), 0.0, 1e-8);
    assert_near(nearest(d, 0.0, sqrt((-b + r) / (2.0 * a))), 0.0, 1e-8);
    json_decref(d);
    tool_expect("modes free_top --about static", 0, "initial velocities of the model");
    tool_expect("modes rolling_disk --about static -n 1", 0, NULL);
    tool_expect("modes double_pendulum --set angle1=pi --set angle2=pi --about static", 0,
                "unstable, it gives way in the direction ");
    // beyond an unstable one that is found on the way
    d = tool_json("modes andrews_squeezer --about static --json", 0);
    assert_true(tool_number(json_array_get(json_object_get(d, "eigenvalues"), 0), "im") > 1.0);
    json_decref(d);
}

/* A pendulum from rest at an angle: its period is 4 K(sin(a/2))/w0. One multiplier 1 is double, as of every periodic motion. */
static void a_period_is_searched(void **state)
{
    tool_write(
        "swing.json",
        "{\"dalembert\": 1, \"name\": \"swing\", \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"bob\", "
        "\"type\": "
        "\"point\", \"mass\": 1, \"position\": [\"sin(1)\", \"-cos(1)\", 0]}], \"joints\": [{\"name\": \"arm\", "
        "\"type\": "
        "\"distance\", \"body_b\": \"bob\", \"point_a\": [0, 0, 0], \"point_b\": [\"sin(1)\", \"-cos(1)\", 0]}], "
        "\"simulation\": {\"t_end\": 5, \"h\": 0.01}}");
    double a = 1.0, b = cos(0.5); // K(k) = pi/(2 agm(1, k'))
    for (int k = 0; k < 8; ++k) {
        const double next = 0.5 * (a + b);
        b = sqrt(a * b);
        a = next;
    }
    json_t *d = tool_json("modes swing.json --period auto --json", 0);
    assert_string_equal(json_string_value(json_object_get(d, "steady")), "periodic");
    assert_near(tool_number(d, "period"), 6.283185307179586 / (a * sqrt(9.81)), 1e-6);
    json_decref(d);
    tool_expect("modes swing.json --period auto --set t_end=1", 4, "does not repeat itself within t_end = 1 s");
    d = tool_json("modes swing.json --period auto --set t_end=1 --json", 4);
    assert_non_null(
        strstr(json_string_value(json_object_get(d, "error")), "does not repeat itself within t_end = 1 s"));
    json_decref(d);
    tool_expect("modes swing.json --period soon", 2, "or auto");
    // a top with the angular velocity back where it was, seen from the body, but turned in space
    tool_expect("modes free_top --period auto --set h=0.02", 4,
                "--period auto found none: the motion does not repeat itself within t_end = 10 s (velocities are back");
}

/* A drive that moves at once: the equilibrium is none, and the advice is not the option that was given. */
static void an_equilibrium_that_a_drive_moves_is_told(void **state)
{
    tool_write(
        "driven.json",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1}, {\"name\": \"b\", "
        "\"type\": \"point\", \"mass\": 1, \"position\": [1, 0]}], \"joints\": [{\"name\": \"m\", \"type\": "
        "\"motion\", "
        "\"body_b\": \"a\", \"coordinate\": \"translation_x\", \"function\": \"0.1*sin(t)\"}], \"forces\": [{\"name\": "
        "\"k\", \"type\": \"spring\", \"body_a\": \"a\", \"body_b\": \"b\", \"stiffness\": 9, \"reference\": 1}]}");
    tool_result r = tool("modes driven.json --about static");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "drives or loads set the equilibrium in motion"));
    assert_null(strstr(r.out, "--about static finds"));
    tool_free(&r);
    r = tool("modes driven.json");
    assert_non_null(strstr(r.out, "--about static finds the equilibrium"));
    tool_free(&r);
}

static void redundant_rows_do_not_matter(void **state)
{
    // a pendulum in four bearings: 20 rows for 6 velocities; those of a stop and of a ball that touches nothing do not count
#define BEARING(name, y)                                                                                              \
    "{\"name\": \"" name "\", \"type\": \"revolute\", \"body_b\": \"b\", \"point\": [0, " y ", 0], \"axis\": [0, 1, " \
    "0]}"
#define HELD(more)                                                                                               \
    "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"simulation\": {\"redundant\": \"drop\"}, \"bodies\": "     \
    "[{\"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 0, -1]}], \"joints\": [" BEARING( \
        "A", "0") ", " BEARING("B", "1") ", " BEARING("C", "2") ", " BEARING("D", "3") more "]}"
    tool_write("held.json", HELD(""));
    tool_write(
        "open.json",
        HELD(", {\"name\": \"stop\", \"type\": \"limit\", \"joint\": \"A\", \"limits\": [-1, 1]}, {\"name\": "
             "\"ball\", \"type\": \"contact\", \"body_b\": \"b\", \"shape\": \"sphere\", \"radius\": 0.1, \"mu\": "
             "0.5, \"frame_a\": [0, 0, -5]}"));
    static const char *const commands[] = {"modes held.json --json", "modes open.json --json",
                                           "linearize held.json --outputs b.position --json",
                                           "linearize open.json --outputs b.position --json"};
    for (int k = 0; k < 4; ++k) {
        json_t *held = tool_json(commands[k], 0);
        assert_int_equal((int)tool_number(held, "redundant"), 15);
        assert_true(k > 1 || nearest(held, 0.0, sqrt(2.0 * 9.81 / 3.0)) < 1e-9);
        json_decref(held);
    }
    json_t *d = tool_json("modes bricard --set redundant=error --json", 0);
    assert_int_equal((int)tool_number(d, "redundant"), 1);
    assert_int_equal((int)tool_number(d, "freedoms"), 1);
    json_decref(d);
}

static void every_mode_is_a_chapter_of_the_page_and_a_line_of_the_table(void **state)
{
    tool_expect("modes double_pendulum --set angle1=0 --set angle2=0 --html shapes/modes.html -o shapes/modes.csv", 0,
                NULL);
    char *page = tool_read("shapes/modes.html"), *table = tool_read("shapes/modes.csv");
    assert_non_null(page);
    assert_non_null(table);
    assert_non_null(strstr(page, "\"chapters\":[{\"name\":\"mode 1: "));
    assert_non_null(strstr(page, "{\"name\":\"mode 2: "));
    assert_null(strstr(page, "{\"name\":\"mode 3: "));
    assert_non_null(strstr(table, "mode,re,im,frequency,damping,rigid,shape\n1,"));
    assert_non_null(strstr(table, "\n2,"));
    free(page);
    free(table);
    tool_expect("modes pendulum --html modes.pdf", 2, ".html");
    tool_expect("modes double_pendulum -o shapes/modes.h5", 0, NULL);
    assert_true(tool_exists("shapes/modes.h5"));
    tool_expect("modes pendulum -o /dev/null/modes.csv", 5, "cannot write");
}

static void what_cannot_be_answered_says_why(void **state)
{
    tool_expect("modes pendulum --about somewhere", 2, "initial, static, steady or a time");
    tool_expect("modes pendulum -n 0", 2, "at least 1");
    tool_expect("modes pendulum --about 1e9", 2, "about 1e+11 steps");
    tool_expect("modes pendulum --axes wrold", 2, "did you mean 'world'");
    tool_expect("modes pendulum --solver arpack", 2, "--solver");
    tool_expect("modes bicycle --solver sparse", 4, "state of rest");
    json_t *d = tool_json("modes bicycle --solver sparse --json", 4);
    assert_non_null(strstr(json_string_value(json_object_get(d, "error")), "state of rest"));
    json_decref(d);
    tool_expect("modes pendlum", 3, "did you mean 'pendulum'");
    tool_write("massless.json", "{\"dalembert\": 1, \"name\": \"massless\", \"bodies\": [{\"name\": \"b\", \"mass\": 0,"
                                " \"inertia\": [0, 0, 0]}], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}");
    tool_expect("modes massless.json", 3, "give it mass or inertia");
}

static void the_step_size_counts_the_spin_of_bodies(void **state)
{
    json_t *slow = tool_json("modes rotor --set spin=10 --json", 0),
           *fast = tool_json("modes rotor --set spin=3000 --json", 0);
    assert_near_rel(tool_number(slow, "step_size"), 0.05 / tool_number(slow, "highest_frequency"), 1e-12);
    assert_near_rel(tool_number(fast, "step_size"), 0.05 * 6.283185307179586 / 3000.0, 1e-12);
    json_decref(slow);
    json_decref(fast);
    tool_result r = tool("modes rotor --set spin=3000");
    assert_non_null(strstr(r.out, "rotor spins at 477.465 Hz: h <= 0.000105 s"));
    tool_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bicycle_at_five_metres_per_second),
        cmocka_unit_test(the_document_has_its_members),
        cmocka_unit_test(every_built_in_model_has_an_answer),
        cmocka_unit_test(motion_that_is_not_steady_is_told),
        cmocka_unit_test(a_state_of_a_run_may_be_asked_for),
        cmocka_unit_test(modes_about_the_equilibrium),
        cmocka_unit_test(a_period_is_searched),
        cmocka_unit_test(an_equilibrium_that_a_drive_moves_is_told),
        cmocka_unit_test(redundant_rows_do_not_matter),
        cmocka_unit_test(every_mode_is_a_chapter_of_the_page_and_a_line_of_the_table),
        cmocka_unit_test(what_cannot_be_answered_says_why),
        cmocka_unit_test(the_step_size_counts_the_spin_of_bodies),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
