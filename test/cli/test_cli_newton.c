/* Newton's method in runs that used to fail or to drift, and what a failure tells. */
#include <math.h>
#include <string.h>

#include "tool.h"

/* The multiplier of the unit length of Euler parameters is zero up to rounding. */
static void euler_parameters_of_a_fast_rotor_converge_to_rounding(void **state)
{
    tool_write("rotor.json",
               "{\"dalembert\": 1, \"name\": \"rotor\", \"bodies\": [{\"name\": \"rotor\", \"type\": "
               "\"euler_parameters\", \"mass\": 1.223, \"inertia\": [0.001541, 0.000812, 0.000812], "
               "\"angular_velocity\": [20943.951023931954, 0, 0]}], \"forces\": ["
               "{\"name\": \"left\", \"type\": \"bushing\", \"body_b\": \"rotor\", \"point\": [-0.11, 0, 0], "
               "\"stiffness\": [4000, 4000, 4000, 0, 0, 0], \"damping\": [5.165093, 5.165093, 5.165093, 0, 0, 0]}, "
               "{\"name\": \"right\", \"type\": \"bushing\", \"body_b\": \"rotor\", \"point\": [0.09, 0, 0], "
               "\"stiffness\": [0, 4000, 4000, 0, 0, 0], \"damping\": [0, 5.165093, 5.165093, 0, 0, 0]}, "
               "{\"name\": \"torque\", \"type\": \"torque\", \"body\": \"rotor\", \"vector\": [0, 0, 0.12]}], "
               "\"simulation\": {\"t_end\": 0.02, \"h\": 1e-4, \"sigma\": \"spin\", \"formulation\": \"ggl\"}}");
    for (int k = 0; k < 2; ++k) {
        json_t *out = tool_json(k ? "run rotor.json -q --json --h 5e-5" : "run rotor.json -q --json", 0);
        assert_true(tool_number(json_object_get(out, "max_residual"), "position") < 1e-14);
        json_decref(out);
    }
}

/* Two scissors with springs across their ends, trapezoidal rule: v' alternates from step to step, and a line through
 * the last two values points away from the next. */
static const char scissor[] =
    "{\"dalembert\": 1, \"name\": \"scissor\", \"gravity\": [0, -9.81], \"variables\": {\"a\": \"deg(40)\", "
    "\"c\": \"cos(a)\", \"s\": \"sin(a)\", \"J\": \"1/12\"}, \"bodies\": ["
    "{\"name\": \"u0\", \"type\": \"planar\", \"mass\": 1, \"inertia\": \"J\", \"position\": [\"c/2\", \"s/2\"], "
    "\"rotation\": \"a\"}, "
    "{\"name\": \"d0\", \"type\": \"planar\", \"mass\": 1, \"inertia\": \"J\", \"position\": [\"c/2\", \"s/2\"], "
    "\"rotation\": \"-a\"}, "
    "{\"name\": \"u1\", \"type\": \"planar\", \"mass\": 1, \"inertia\": \"J\", \"position\": [\"1.5*c\", \"s/2\"], "
    "\"rotation\": \"a\"}, "
    "{\"name\": \"d1\", \"type\": \"planar\", \"mass\": 1, \"inertia\": \"J\", \"position\": [\"1.5*c\", \"s/2\"], "
    "\"rotation\": \"-a\"}], \"joints\": ["
    "{\"name\": \"ground\", \"type\": \"planar_revolute\", \"body_b\": \"u0\", \"point\": [0, 0]}, "
    "{\"name\": \"c0\", \"type\": \"planar_revolute\", \"body_a\": \"u0\", \"body_b\": \"d0\", \"point\": "
    "[\"c/2\", \"s/2\"]}, "
    "{\"name\": \"c1\", \"type\": \"planar_revolute\", \"body_a\": \"u1\", \"body_b\": \"d1\", \"point\": "
    "[\"1.5*c\", \"s/2\"]}, "
    "{\"name\": \"top\", \"type\": \"planar_revolute\", \"body_a\": \"u0\", \"body_b\": \"d1\", \"point\": "
    "[\"c\", \"s\"]}, "
    "{\"name\": \"bottom\", \"type\": \"planar_revolute\", \"body_a\": \"d0\", \"body_b\": \"u1\", \"point\": "
    "[\"c\", 0]}], \"forces\": ["
    "{\"name\": \"k0\", \"type\": \"spring\", \"body_a\": \"u0\", \"body_b\": \"d0\", \"point_a\": [0, 0], "
    "\"point_b\": [0, \"s\"], \"stiffness\": 1000, \"reference\": \"0.3*s\"}, "
    "{\"name\": \"k1\", \"type\": \"spring\", \"body_a\": \"u1\", \"body_b\": \"d1\", \"point_a\": [\"c\", 0], "
    "\"point_b\": [\"c\", \"s\"], \"stiffness\": 1000, \"reference\": \"0.3*s\"}], "
    "\"simulation\": {\"t_end\": 2, \"h\": 0.02, \"rho_inf\": 1, \"formulation\": \"index2\"}}";

static void extrapolation_gives_way_where_the_motion_alternates(void **state)
{
    static const char *const predictor[] = {"extrapolate", "hold", "zero"};
    double iterations[3], energy[3];
    tool_write("scissor.json", scissor);
    for (int k = 0; k < 3; ++k) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "run scissor.json -q --json --set predictor=%s", predictor[k]);
        json_t *out = tool_json(arguments, 4); // the steps are far too long, and the run says so
        iterations[k] = tool_number(out, "newton_iterations");
        energy[k] = tool_number(json_object_get(out, "energy"), "max_drift");
        print_message("%s: %g iterations in 100 steps, energy off by %g\n", predictor[k], iterations[k], energy[k]);
        json_decref(out);
    }
    // all at most as much work as the best of them, up to a tenth, and the same motion
    assert_true(iterations[0] <= 1.1 * iterations[2]);
    assert_near(energy[0], energy[2], 1.0);
}

/* Errors of Newton's method must not add up: 5000 steps of a pendulum that goes round. */
static void modified_newton_does_not_drift(void **state)
{
    double energy[3];
    for (int k = 0; k < 3; ++k) {
        json_t *out = tool_json(k == 2   ? "run pendulum -q --json -t 50 --set E=5"
                                : k == 1 ? "run pendulum -q --json -t 50 --set E=5 --set newton=modified"
                                         : "run pendulum -q --json -t 50 --set E=5 --set atol=1e-14 --set rtol=1e-13",
                                0);
        energy[k] = tool_number(json_object_get(out, "energy"), "final");
        json_decref(out);
    }
    print_message("modified and full against tight tolerances after 5000 steps: %.2e %.2e J\n", energy[1] - energy[0],
                  energy[2] - energy[0]);
    assert_near(energy[1], energy[0], 2e-8);
    assert_near(energy[2], energy[0], 2e-8);
}

/* The crank leads the two rods to where they cannot reach each other. */
static void a_step_that_fails_names_the_body_or_the_joint(void **state)
{
    static const char *const options[] = {"", "formulation=ggl", "formulation=index2", "integrator=lobatto"};
    tool_write("reach.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"crank\", \"type\": \"planar\", \"mass\": 1, "
               "\"inertia\": 0.1, \"position\": [0.5, 0]}, {\"name\": \"link\", \"type\": \"planar\", \"mass\": 1, "
               "\"inertia\": 0.1, \"position\": [2, 0.5]}], \"joints\": [{\"name\": \"A\", \"type\": "
               "\"planar_revolute\", \"body_b\": \"crank\", \"point\": [0, 0]}, {\"name\": \"drive\", \"type\": "
               "\"motion\", \"joint\": \"A\", \"coordinate\": \"rotation_z\", \"function\": {\"type\": "
               "\"polynomial\", \"coefficients\": [0, 1]}}, {\"name\": \"arm\", \"type\": \"distance\", "
               "\"body_a\": \"crank\", \"body_b\": \"link\", \"point_a\": [1, 0], \"point_b\": [2, 0.5]}, "
               "{\"name\": \"leg\", \"type\": \"distance\", \"body_b\": \"link\", \"point_a\": [3, 0], "
               "\"point_b\": [2, 0.5]}], \"simulation\": {\"t_end\": 3, \"h\": 0.01}}");
    for (size_t k = 0; k < LEN(options); ++k) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "run reach.json -q%s%s", *options[k] ? " --set " : "", options[k]);
        tool_expect(arguments, 4, ", largest in link.");
    }
}

/* A body described by three angles turns about its second axis: after a quarter of a turn the others are parallel. */
static void gimbal_lock_is_called_by_its_name(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"wheel\", \"type\": \"cardan\"%s, \"mass\": 1, \"inertia\": "
        "[0.1, 0.2, 0.15], \"angular_velocity\": [0, %s, 0]%s}], \"simulation\": {\"t_end\": 2, \"h\": 0.01}}";
    char model[512];
    snprintf(model, sizeof model, text, "", "\"pi\"", "");
    tool_write("lock.json", model);
    tool_expect("run lock.json -q", 4, "step 50 from t = 0.49 with h = 1.000e-02: gimbal lock of body 'wheel'");
    tool_expect("run lock.json -q --set integrator=lobatto", 4, "gimbal lock of body 'wheel'");
    // it can also get past with a little luck: slightly off the axis of the second angle
    tool_write("near.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"wheel\", \"type\": \"cardan\", \"mass\": 1, "
               "\"inertia\": [0.1, 0.1, 0.1], \"angular_velocity\": [0, \"pi\", 0.1]}], \"simulation\": {\"t_end\": "
               "1, \"h\": 0.0005}}");
    tool_expect("run near.json", 0, "near gimbal lock of body 'wheel'");
    // steps of 0.63 rad, from 1.26 to 1.88: none of them ends near the lock
    tool_write("coarse.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"wheel\", \"type\": \"cardan\", \"mass\": 1, "
               "\"inertia\": [0.1, 0.1, 0.1], \"angular_velocity\": [0, \"pi\", 0]}], \"simulation\": {\"t_end\": "
               "1, \"h\": 0.2}}");
    tool_expect("run coarse.json", 0, "near gimbal lock of body 'wheel'");
    // a proper Euler sequence is singular where it begins
    snprintf(model, sizeof model, text, ", \"sequence\": \"zxz\"", "0", "");
    tool_write("lock.json", model);
    tool_expect("run lock.json -q", 3, "body 'wheel': its coordinates are singular at the initial rotation");
    snprintf(model, sizeof model, text, "", "0", ", \"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"pi/2\"}");
    tool_write("lock.json", model);
    tool_expect("run lock.json -q", 3, "start at t = 0: gimbal lock of body 'wheel'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_parameters_of_a_fast_rotor_converge_to_rounding),
        cmocka_unit_test(extrapolation_gives_way_where_the_motion_alternates),
        cmocka_unit_test(modified_newton_does_not_drift),
        cmocka_unit_test(a_step_that_fails_names_the_body_or_the_joint),
        cmocka_unit_test(gimbal_lock_is_called_by_its_name),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
