/* Sweeps in generated programs against the library: mechanisms, and device code compiled for the host. */
#define _DEFAULT_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/backend.h"

/* Reductions of position, velocity, reactions and energy. */
static void check_model(const char *model, const char *const *set, int nset, const char *const *parameter, int np,
                        const char *const *collect, int n, double tolerance)
{
    const dal_sweep_spec spec = {.source = model,
                                 .set = set,
                                 .nset = nset,
                                 .parameter = parameter,
                                 .nparameters = np,
                                 .samples = 20,
                                 .seed = 1,
                                 .collect = collect,
                                 .ncollect = n};
    long handed;
    const double worst = backend_difference(&handed, &spec, DAL_SWEEP_LANES);
    printf("%s: %.1e\n", model, worst);
    assert_true(worst <= tolerance);
    assert_int_equal(handed, 0);
}

/* Reactions are found from second differences of positions: their rounding is 1e-16/h^2 of a force. */
static void a_slider_crank_in_lanes_is_that_of_the_library(void **state)
{
    static const char *const set[] = {"t_end=0.5", "atol=1e-14", "rtol=1e-13"},
                             *const parameter[] = {"c=uniform(0.0,0.05)", "speed=uniform(4,8)",
                                                   "bodies.slider.mass=normal(2,0.1)"},
                             *const collect[] = {"max(A.force)",
                                                 "rms(C.torque)",
                                                 "final(slider.position.x)",
                                                 "min(slider.velocity.x)",
                                                 "time_of_max(B.force)",
                                                 "mean(energy)",
                                                 "crossings(slider.velocity.x,0)",
                                                 "settle(slider.position.x,0.5)",
                                                 "max(rod.angular_velocity)"};
    check_model("spatial_slider_crank", set, LEN(set), parameter, LEN(parameter), collect, LEN(collect), 1e-8);
}

static void a_chain_in_lanes_is_that_of_the_library(void **state)
{
    static const char *const set[] = {"N=5", "t_end=0.5", "atol=1e-14", "rtol=1e-13"},
                             *const parameter[] = {"gravity.2=uniform(-11,-9)"},
                             *const collect[] = {"final(energy)", "mean(kinetic_energy)", "max(potential_energy)"};
    check_model("chain", set, LEN(set), parameter, 1, collect, LEN(collect), 1e-9);
}

static void a_heavy_top_in_lanes_is_that_of_the_library(void **state)
{
    static const char *const set[] = {"atol=1e-14", "rtol=1e-13"},
                             *const parameter[] = {"m=uniform(10,20)", "J1=uniform(0.2,0.3)", "spin=uniform(100,200)"},
                             *const collect[] = {"max(tip.force)", "rms(energy)", "min(top.position.z)",
                                                 "max(top.angular_velocity)"};
    check_model("heavy_top", set, LEN(set), parameter, LEN(parameter), collect, LEN(collect), 1e-8);
}

/* A centre of mass that lies in the origin of some members. */
static void a_number_may_be_zero_in_some_members(void **state)
{
    static const char *const set[] = {"t_end=0.2", "atol=1e-14", "rtol=1e-13"},
                             *const parameter[] = {"c=list:0,0.01,-0.04"},
                             *const collect[] = {"max(A.force)", "final(slider.position.x)"};
    check_model("spatial_slider_crank", set, LEN(set), parameter, 1, collect, LEN(collect), 1e-8);
}

/* Sweep over a parameter of this model, in the library and in lanes. */
static long handed_over(const char *text, const char *parameter, const char *const *collect, int n)
{
    char path[] = "/tmp/dalembert-model-XXXXXX.json";
    static const char *const set[] = {"atol=1e-14", "rtol=1e-13"};
    assert_int_equal(backend_model(path, text), 0);
    const dal_sweep_spec spec = {.source = path,
                                 .set = set,
                                 .nset = LEN(set),
                                 .parameter = &parameter,
                                 .nparameters = 1,
                                 .collect = collect,
                                 .ncollect = n};
    long handed;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_LANES), 0.0, 1e-8);
    remove(path);
    return handed;
}

/* Two of the members turn until an angle of the bushing has no meaning: both engines refuse them, with the same words. */
static void what_a_bushing_cannot_follow_is_refused_in_lanes_as_in_the_library(void **state)
{
    static const char *const collect[] = {"final(energy)"};
    assert_int_equal(
        handed_over("{\"dalembert\": 1, \"variables\": {\"w\": 0.9}, \"bodies\": [{\"name\": \"b\", \"mass\": 1, "
                    "\"inertia\": [1, 1, 1], \"angular_velocity\": [0, \"w\", 0]}], \"forces\": [{\"name\": \"f\", "
                    "\"type\": \"bushing\", \"body_b\": \"b\", \"stiffness\": [0, 0, 0, 0, 1, 0.5]}], "
                    "\"outputs\": [\"energy\"], \"simulation\": {\"t_end\": 3, \"h\": 0.01}}",
                    "w=0.9,1.54,1.56", collect, 1),
        2);
}

/* A state that reads a joint, whose place is a parameter. */
static void a_law_reads_a_joint_that_the_parameters_move(void **state)
{
    static const char *const collect[] = {"final(b.position.x)", "final(st.state)", "max(A.force)"};
    assert_int_equal(
        handed_over(
            "{\"dalembert\": 1, \"variables\": {\"L\": 0.6}, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": "
            "\"a\", "
            "\"mass\": 1, \"inertia\": [0.03, 0.03, 0.001], \"position\": [0, 0, \"-L/2\"]}, {\"name\": \"b\", "
            "\"mass\": 0.7, \"inertia\": [0.02, 0.02, 0.001], \"position\": [0, 0, \"-3*L/2\"], "
            "\"angular_velocity\": [1, 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"universal\", \"body_b\": "
            "\"a\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"B\", \"type\": \"revolute\", \"body_a\": "
            "\"a\", \"body_b\": \"b\", \"point\": [0, 0, \"-L\"], \"axis\": [1, 0, 0]}], \"forces\": [{\"name\": "
            "\"st\", "
            "\"type\": \"state\", \"value\": \"-5*s + v\", \"inputs\": {\"s\": \"st.state\", \"v\": "
            "\"B.coordinate_velocity\"}}, {\"name\": \"law\", \"type\": \"law\", \"joint\": \"B\", \"value\": "
            "\"-2*s - c\", \"inputs\": {\"s\": \"st.state\", \"c\": \"B.coordinate\"}}], \"outputs\": "
            "[\"b.position\", \"A.force\", \"st.state\"], \"simulation\": {\"t_end\": 0.3, \"h\": 0.001}}",
            "L=0.5:0.7:3", collect, LEN(collect)),
        0);
}

/* Device code without nvcc is C: what stands for nvcc here takes its options and calls the compiler of the host. */
static void device_code_on_the_host_is_that_of_the_library(void **state)
{
    char script[64] = "/tmp/dalembert-nvcc-XXXXXX";
    const int fd = mkstemp(script);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("#!/bin/sh\nout=\nfor a; do\n case $1 in\n -o) out=$2; shift ;;\n *.cu) source=$1 ;;\n esac\n shift\n [ $# "
          "-gt 0 ] || "
          "break\ndone\n"
          "exec cc -x c -std=c17 -O1 -w -ffp-contract=off -shared -fPIC -o \"$out\" \"$source\" -lm\n",
          file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0700), 0);
    setenv("DAL_NVCC", script, 1);
    static const char *const set[] = {"t_end=0.2", "atol=1e-14", "rtol=1e-13"},
                             *const parameter[] = {"m=uniform(10,20)", "spin=uniform(100,200)"},
                             *const refused[] = {"m=list:-1,15,-2"},
                             *const collect[] = {"max(tip.force)", "min(top.position.z)", "final(top.position.x)"};
    dal_sweep_spec spec = {.source = "heavy_top",
                           .set = set,
                           .nset = LEN(set),
                           .parameter = parameter,
                           .nparameters = 2,
                           .samples = 50,
                           .collect = collect,
                           .ncollect = 3};
    long handed;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_CUDA), 0.0, 1e-8);
    assert_int_equal(handed, 0);
    // masses that are none: statuses and messages of the library
    spec.parameter = refused;
    spec.nparameters = 1;
    spec.samples = 0;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_CUDA), 0.0, 1e-8);
    assert_int_equal(handed, 0);
    remove(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_crank_in_lanes_is_that_of_the_library),
        cmocka_unit_test(a_chain_in_lanes_is_that_of_the_library),
        cmocka_unit_test(a_heavy_top_in_lanes_is_that_of_the_library),
        cmocka_unit_test(a_number_may_be_zero_in_some_members),
        cmocka_unit_test(what_a_bushing_cannot_follow_is_refused_in_lanes_as_in_the_library),
        cmocka_unit_test(a_law_reads_a_joint_that_the_parameters_move),
        cmocka_unit_test(device_code_on_the_host_is_that_of_the_library),
    };
    backend_cache("-O1");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    return failed;
}
