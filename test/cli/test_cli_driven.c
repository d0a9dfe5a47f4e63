/* dalembert kinematics and inverse: documents, tables, limits, exit codes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static const double r = 0.2, l = 0.7, e = 0.1, start = 1.0; // of the built-in slider_crank

static double nth(const json_t *list, size_t k)
{
    return json_number_value(json_array_get(list, k));
}

static void dead_centres_of_the_slider_crank_are_located(void **state)
{
    json_t *d = tool_json("kinematics slider_crank --drive A=0:2*pi:37 --json", 0), *centre;
    tool_keys(d, "model drive complete limit limit_direction dead_centres values joints");
    const double in = acos(-1.0) + asin(e / (l - r)) - start, out = 2.0 * acos(-1.0) + asin(e / (l + r)) - start;
    int found = 0;
    size_t i;
    json_array_foreach(json_object_get(d, "dead_centres"), i, centre)
    {
        if (strcmp(json_string_value(json_object_get(centre, "joint")), "guide") == 0) {
            const int far = strcmp(json_string_value(json_object_get(centre, "kind")), "largest") == 0;
            assert_near(tool_number(centre, "drive"), far ? out : in, 1e-10);
            ++found;
        }
    }
    assert_int_equal(found, 2);
    const json_t *guide = json_object_get(json_object_get(d, "joints"), "guide");
    const double a = nth(json_object_get(d, "values"), 9) + start, s = r * sin(a) - e;
    assert_near(nth(json_object_get(guide, "coordinate"), 9), r * cos(a) + sqrt(l * l - s * s), 1e-12);
    json_decref(d);
}

static void a_drive_that_comes_to_its_limit_is_told(void **state)
{
    json_t *d = tool_json("kinematics slider_crank --drive guide=0.7:1.2:51 --json", 1);
    assert_near(tool_number(d, "limit"), sqrt((l + r) * (l + r) - e * e), 1e-10);
    assert_non_null(strstr(json_string_value(json_object_get(d, "limit_direction")), "crank.phi"));
    json_decref(d);
    tool_expect("kinematics slider_crank --drive guide=0.7:1.2:51", 1, "the drive is at its limit");
}

static void mobility_other_than_one_is_told_by_name(void **state)
{
    tool_expect("kinematics double_pendulum --drive support=0:1:5", 3, "1 freedom is left");
    tool_expect("kinematics slider_crank --drive slider.y=0:1:5", 3, "freedom is left");
    tool_expect("kinematics rolling_disk --drive disk.x=0:1:5", 3, "rows on velocities");
}

/* An arm that turns about y on a base that turns about z: the freedom that is left is named by its axis; two drives take both, and
 * the tip of length 1 at elevation -b over azimuth a is where they say. */
static void several_drives_move_together(void **state)
{
    tool_write(
        "arm.json",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"base\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        "{\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": ["
        "{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"base\", \"axis\": [0, 0, 1], \"point\": [0, 0, 0]},"
        "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"base\", \"body_b\": \"arm\", \"axis\": [0, 1, 0], "
        "\"point\": [0, 0, 0]}],"
        "\"outputs\": [{\"name\": \"tip\", \"quantity\": \"position\", \"body\": \"arm\", \"frame\": [1, 0, 0]}]}");
    tool_expect("kinematics arm.json --drive A=0.5:1:5", 3, "which drives on arm.Om_y would take");
    tool_expect("kinematics arm.json --drive A=0.5:1:5 --drive A=0:1", 2, "--drive A is given twice");
    tool_expect("kinematics arm.json --drive A=0.5:1:5 --drive B=0:1:4", 2, "they move together");
    tool_expect("kinematics arm.json --drive A=0.5:1:5 --drive time=0:1:5", 2, "no other drive beside it");
    tool_expect("kinematics arm.json --drive A=0.5:1:5 --drive B=0.3", 0, "");
    tool_expect("kinematics arm.json --drive A=0.5:1:6 --drive B=0.2:-0.8 --tables outputs -q -o two.csv", 0, "");
    FILE *in = fopen("two.csv", "r");
    assert_non_null(in);
    char line[4000];
    assert_non_null(fgets(line, sizeof line, in));
    for (int k = 0; k < 6; ++k) {
        const double a = 0.5 + 0.1 * k, b = 0.2 - 0.2 * k;
        double t, x[3];
        assert_non_null(fgets(line, sizeof line, in));
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &t, &x[0], &x[1], &x[2]), 4);
        assert_near(t, 0.1 * k, 1e-12);
        assert_near(x[0], cos(a) * cos(b), 1e-9);
        assert_near(x[1], sin(a) * cos(b), 1e-9);
        assert_near(x[2], -sin(b), 1e-9);
    }
    fclose(in);
}

/* Crank 0.2 and rod 0.5 in one line: the slider turns back there, its rate is zero. */
static void a_start_at_a_dead_centre_is_told(void **state)
{
    tool_write("stretched.json",
               "{\"dalembert\": 1, \"bodies\": ["
               "{\"name\": \"crank\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.01, \"position\": [0.1, 0]},"
               "{\"name\": \"rod\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.02, \"position\": [0.45, 0]},"
               "{\"name\": \"slider\", \"type\": \"planar\", \"mass\": 3, \"inertia\": 0.01, \"position\": [0.7, 0]}],"
               "\"joints\": ["
               "{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"crank\", \"point\": [0, 0]},"
               "{\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"crank\", \"body_b\": \"rod\", "
               "\"point\": [0.2, 0]},"
               "{\"name\": \"C\", \"type\": \"planar_revolute\", \"body_a\": \"rod\", \"body_b\": \"slider\", "
               "\"point\": [0.7, 0]},"
               "{\"name\": \"G\", \"type\": \"planar_prismatic\", \"body_b\": \"slider\", \"point\": [0.7, 0]}]}");
    tool_expect("kinematics stretched.json --drive G=-0.1:-0.5:41", 3, "starts at a dead centre");
    tool_expect("kinematics stretched.json --drive G=-0.1:-0.5:41", 3, "drive another coordinate");
    tool_expect("kinematics stretched.json --drive A=0:1:5 --quiet", 0, NULL);
    tool_expect("kinematics stretched.json --drive slider.y=0:1:5", 3, "1 freedom is left"); // it never moves
}

static void sweeps_and_drives_are_written(void **state)
{
    tool_expect("kinematics slider_crank --drive A=0:1:11 -o sweep --plot sweep.svg --html sweep.html --quiet", 0,
                NULL);
    assert_true(tool_exists("sweep/drive.csv") && tool_exists("sweep/bodies.csv") && tool_exists("sweep.svg") &&
                tool_exists("sweep.html"));
    char *text = tool_read("sweep/outputs.csv");
    assert_non_null(strstr(text, "rod.acceleration.x"));
    free(text);
    tool_expect("inverse slider_crank --motion A=t^2 --times 0:1:11 -o drives.h5 --quiet", 0, NULL);
    assert_true(tool_exists("drives.h5"));
    // forces have units: a torque about a hinge, a force along a slider
    tool_result said = tool("inverse slider_crank --motion A=t^2 --times 0:1:11 -o work");
    assert_non_null(strstr(said.out, " N m\n"));
    tool_free(&said);
    text = tool_read("work/drives.csv");
    assert_non_null(strstr(text, "time [s],A [N m]\n"));
    free(text);
    json_t *d = tool_json("inverse slider_crank --motion A=t^2 --drives slider.x --times 0:1:2 --json", 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(d, "units"), "slider.x")), "N");
    json_decref(d);
}

/* Power of the drive and of the weight makes up for the rate of the energy; here at rest: torque = moment of the weight. */
static void a_drive_at_rest_holds_the_weight(void **state)
{
    json_t *d = tool_json("inverse slider_crank --motion A=0*t --times 0:1:2 --json", 0);
    tool_keys(d, "model prescribed smoothing rank least_norm time units drives");
    json_t *rest = tool_json("static slider_crank --json", 0);
    assert_true(json_is_true(json_object_get(rest, "converged")));
    // dE/da of the weights minus the motor of the model, 2 N m
    const double g = 9.81, tilt = asin((e - r * sin(start)) / l), dtilt = -r * cos(start) / (l * cos(tilt));
    const double dy_crank = 0.5 * r * cos(start), dy_rod = r * cos(start) + 0.5 * l * cos(tilt) * dtilt;
    const double want = g * (1.0 * dy_crank + 1.5 * dy_rod) - 2.0;
    assert_near(nth(json_object_get(json_object_get(d, "drives"), "A"), 0), want, 1e-10);
    json_decref(rest);
    json_decref(d);
}

static void tables_with_and_without_derivatives_are_smoothed_as_said(void **state)
{
    FILE *plain = fopen("plain.csv", "w"), *full = fopen("full.csv", "w");
    assert_true(plain != NULL && full != NULL);
    fputs("t,A\n", plain);
    fputs("t,A,A.velocity,A.acceleration\n", full);
    for (int k = 0; k <= 200; ++k) {
        const double t = 0.005 * k;
        fprintf(plain, "%.17g,%.17g\n", t, sin(t));
        fprintf(full, "%.17g,%.17g,%.17g,%.17g\n", t, sin(t), cos(t), -sin(t));
    }
    fclose(plain);
    fclose(full);
    json_t *exact = tool_json("inverse slider_crank --motion A=sin(t) --times 0:1:201 --json", 0);
    json_t *a = tool_json("inverse slider_crank --motion full.csv --json", 0);
    json_t *b = tool_json("inverse slider_crank --motion plain.csv --json", 0);
    const json_t *want = json_object_get(json_object_get(exact, "drives"), "A");
    for (size_t k = 20; k <= 180; k += 20) {
        assert_near(nth(json_object_get(json_object_get(a, "drives"), "A"), k), nth(want, k), 1e-11);
        assert_near(nth(json_object_get(json_object_get(b, "drives"), "A"), k), nth(want, k), 1e-5);
    }
    assert_non_null(strstr(json_string_value(json_object_get(a, "smoothing")), "quintic"));
    assert_non_null(strstr(json_string_value(json_object_get(b, "smoothing")), "cubic spline"));
    json_decref(exact);
    json_decref(a);
    json_decref(b);
}

static void times_beyond_the_table_are_refused(void **state)
{
    tool_write("short.csv", "t,A\n0,0\n0.5,0.25\n1,1\n");
    tool_expect("inverse slider_crank --motion short.csv --times 0:1:6 --quiet", 0, NULL);
    tool_expect("inverse slider_crank --motion short.csv --times 0:5:6", 2, "from t = 0 to 1");
    tool_expect("inverse slider_crank --motion short.csv --times -1:1:6", 2, "from t = 0 to 1");
}

static void redundant_and_missing_drives_are_told(void **state)
{
    json_t *d = tool_json("inverse slider_crank --motion A=t --drives A,guide --times 0:1:3 --json", 0);
    assert_true(json_is_true(json_object_get(d, "least_norm")));
    assert_int_equal((int)tool_number(d, "rank"), 1);
    json_decref(d);
    tool_expect("inverse double_pendulum --motion support=t;elbow=t --drives support", 1, "cannot make this motion");
}

static void wrong_arguments_are_refused(void **state)
{
    tool_expect("kinematics slider_crank", 2, "--drive");
    tool_expect("kinematics slider_crank --drive A", 2, "NAME=FROM:TO:N");
    tool_expect("kinematics slider_crank --drive A=0:1", 2, "FROM:TO:N");
    tool_expect("kinematics slider_crank --drive A=0:x:3", 2, "x");
    tool_expect("kinematics slider_crank --drive Q=0:1:3", 2, "no coordinate 'Q'");
    tool_expect("kinematics slider_crank --drive A=0:1:3 --rate -1", 2, "--rate");
    tool_expect("kinematics slider_crank --drive time=0:1:3", 2, "prescribes no motion");
    tool_expect("inverse slider_crank", 2, "--motion");
    tool_expect("inverse slider_crank --motion A=sin(", 2, "--motion");
    tool_expect("inverse slider_crank --motion nowhere.csv", 5, "nowhere.csv");
    tool_expect("inverse slider_crank --motion A=t --times 1:0:3", 2, "increase");
    tool_expect("inverse slider_crank --motion A=t --drives Q", 2, "no coordinate 'Q'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_centres_of_the_slider_crank_are_located),
        cmocka_unit_test(a_drive_that_comes_to_its_limit_is_told),
        cmocka_unit_test(mobility_other_than_one_is_told_by_name),
        cmocka_unit_test(several_drives_move_together),
        cmocka_unit_test(a_start_at_a_dead_centre_is_told),
        cmocka_unit_test(sweeps_and_drives_are_written),
        cmocka_unit_test(a_drive_at_rest_holds_the_weight),
        cmocka_unit_test(tables_with_and_without_derivatives_are_smoothed_as_said),
        cmocka_unit_test(times_beyond_the_table_are_refused),
        cmocka_unit_test(redundant_and_missing_drives_are_told),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
