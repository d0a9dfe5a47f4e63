/* dalembert gradient. */
#include <string.h>

#include "cli/tool.h"

static void derivatives_agree_with_differences(void **state)
{
    json_t *d = tool_json(
        "gradient heavy_top --of final(top.position.x),max(tip.force) --by m,spin,bodies.top.position.0 -t 0.1 "
        "--check --json",
        0);
    tool_keys(d, "values gradient mode steps segments newton_error disagreement unclear agrees");
    assert_true(json_is_true(json_object_get(d, "agrees")));
    assert_true(tool_number(d, "disagreement") < 1e-6);
    assert_int_equal((int)tool_number(d, "steps"), 100);
    const json_t *of = json_object_get(json_object_get(d, "gradient"), "max(tip.force)");
    assert_int_equal(json_object_size(of), 3);
    json_decref(d);
}

/* Over 0.1 % of the cone of a wheel its contact opens: a shorter step does not reach that. Of a result that is zero differences show
 * rounding alone, which is no disagreement; nor is a kink at the number itself. */
static void a_check_takes_steps_that_tell_something(void **state)
{
    tool_result r =
        tool("gradient " DAL_SOURCE
             "/test/gradient/wheels.json --of final(kinetic_energy),final(energy) --by forces.tread.cone --check");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "(over 1e-0"));
    tool_free(&r);
    tool_write("held.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"planar\", \"position\": [-0.4, -0.5, 0], "
               "\"mass\": 2, \"inertia\": 0.004, \"com\": [-0.09, -0.05], \"velocity\": [0.5, 0.8]}], \"joints\": "
               "[{\"name\": \"j\", \"type\": \"planar_fixed\", \"body_b\": \"b\", \"point\": [0, 0]}], "
               "\"simulation\": {\"t_end\": 0.06, \"h\": 0.002, \"integrator\": \"genalpha\"}}");
    json_t *d = tool_json("gradient held.json --of integral(kinetic_energy) --by bodies.b.mass,bodies.b.velocity.0 "
                          "--check --json",
                          0);
    assert_true(json_is_true(json_object_get(d, "agrees")));
    assert_int_equal((int)tool_number(d, "unclear"), 0);
    json_decref(d);
    tool_write("kink.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": 1, \"position\": "
               "[0, 0, 0]}], \"forces\": [{\"name\": \"f\", \"type\": \"law\", \"body_b\": \"b\", \"coordinate\": "
               "\"translation_x\", \"value\": \"abs(c)\"}], \"variables\": {\"c\": 0}, "
               "\"simulation\": {\"t_end\": 0.1, \"h\": 0.01, \"integrator\": \"genalpha\"}}");
    d = tool_json("gradient kink.json --of final(b.velocity.x)+c --by c --check --json", 0);
    assert_int_equal((int)tool_number(d, "unclear"), 0); // central differences agree with the mean slope
    json_decref(d);
}

static void both_modes_give_the_same(void **state)
{
    json_t *a = tool_json(
        "gradient bricard --of integral(energy),smooth_max(kinetic_energy,3) --by m,L -t 0.1 --mode forward --json", 0);
    json_t *b = tool_json(
        "gradient bricard --of integral(energy),smooth_max(kinetic_energy,3) --by m,L -t 0.1 --mode adjoint --json", 0);
    assert_string_equal(json_string_value(json_object_get(a, "mode")), "forward");
    assert_string_equal(json_string_value(json_object_get(b, "mode")), "adjoint");
    const char *of;
    json_t *row;
    json_object_foreach(json_object_get(a, "gradient"), of, row)
    {
        const json_t *other = json_object_get(json_object_get(b, "gradient"), of);
        assert_near_rel(tool_number(other, "m"), tool_number(row, "m"), 1e-10);
        assert_near_rel(tool_number(other, "L"), tool_number(row, "L"), 1e-10);
    }
    json_decref(a);
    json_decref(b);
    tool_expect("gradient bricard --of final(kinetic_energy) --by w -t 0.05 --check", 0, NULL);
    tool_expect("gradient bouncing_ball --of final(ball.position.z) --by e,drop -t 1.2 --mode adjoint --check", 0,
                NULL);
}

/* 200 forces bring a load to rest 10 m away: the example of the manual. Each of them counts. */
static void a_crane_stops_without_swing(void **state)
{
    tool_needs_nlopt();
    json_t *d =
        tool_json("sweep " DAL_SOURCE "/examples"
                  "/trajectory/crane.json --optimize min(integral(drive.force_value^2)/1e6) "
                  "--bound functions.u.y.0..199=-1500:1500:0 "
                  "--constraint final(hook.position.x)>=9.999 --constraint final(hook.position.x)<=10.001 "
                  "--constraint final(trolley.position.x)>=9.999 --constraint final(trolley.position.x)<=10.001 "
                  "--constraint final(hook.velocity.x)>=-0.001 --constraint final(hook.velocity.x)<=0.001 "
                  "--constraint final(trolley.velocity.x)>=-0.001 --constraint final(trolley.velocity.x)<=0.001 "
                  "--tolerance 1e-4 --evaluations 200 -q --json",
                  0);
    assert_true(json_is_true(json_object_get(d, "gradients")));
    assert_true(json_is_true(json_object_get(d, "converged")));
    assert_true(json_is_true(json_object_get(d, "feasible")));
    assert_int_equal((int)json_array_size(json_object_get(d, "parameters")), 200);
    assert_true(tool_number(d, "evaluations") < 150);
    assert_true(tool_number(d, "value") < 3.26);
    // what starts and stops alike is driven alike, with the opposite sign
    const json_t *found = json_object_get(d, "parameters");
    for (size_t k = 1; k < 100; ++k) {
        const double before = tool_number(json_array_get(found, 100 - k), "value"),
                     after = tool_number(json_array_get(found, 100 + k), "value");
        assert_near(after, -before, 5.0);
    }
    json_decref(d);
}

static void what_cannot_be_is_told(void **state)
{
    tool_expect("gradient heavy_top --by m", 2, "--of is missing");
    tool_expect("gradient heavy_top --of final(energy)", 2, "--by is missing");
    tool_expect("gradient heavy_top --of final(energy) --by mass", 3, "mass");
    tool_expect("gradient heavy_top --of settle(energy,1) --by m", 2, "settle");
    tool_expect("gradient heavy_top --of final(tip.forc) --by m", 2, "tip.forc");
    tool_expect("gradient heavy_top --of final(energy) --by m -s integrator=bdf", 2, "integrator");
    tool_write("flat.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, "
               "\"position\": [0, 0, 0]}], \"simulation\": {\"t_end\": 0.1, \"h\": 0.01}}");
    tool_expect("gradient flat.json --of final(energy) --by bodies.b.position.2", 3, "cannot be moved");
    tool_expect("gradient " DAL_SOURCE
                "/test/gradient/flat.json --of final(b.position.y) --by functions.u.y.0 --mode adjoint",
                3, "choose forward mode");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(a_check_takes_steps_that_tell_something),
        cmocka_unit_test(both_modes_give_the_same),
        cmocka_unit_test(a_crane_stops_without_swing),
        cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
