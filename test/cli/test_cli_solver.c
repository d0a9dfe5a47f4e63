/* Which linear solver did the work, and that threads of a library change neither bits nor times. */
#define _POSIX_C_SOURCE 200809L // setenv
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* A solver that hands over to `sparse` hides its mistakes: no model needs it. */
static void no_built_in_model_falls_back(void **state)
{
    static const struct {
        const char *arguments, *solver;
    } run[] = {
        {"chain --t-end 0.02", "block"},
        {"chain --t-end 0.02 --set formulation=index3", "block"},
        {"chain --t-end 0.005 --set integrator=lobatto", "frontal"},
        {"spatial_slider_crank --t-end 0.02", "block"},
        {"planar_slider_crank --t-end 0.02", "block"}, // bodies without inertia
        {"planar_slider_crank --t-end 0.02 --set formulation=index3", "block"},
        {"andrews_squeezer --t-end 0.0005", "block"},
        {"n_four_bar --t-end 0.02 --set N=40", "block"},
        {"n_four_bar --t-end 0.02 --set N=40 --set formulation=index3", "block"},
        {"bricard --t-end 0.02 --set redundant=drop --set formulation=index3", "block"},
        {"bricard --t-end 0.02 --set redundant=drop", "block"},
        {"flyball_governor --t-end 0.02 --set formulation=index3", "block"},
        {"flyball_governor --t-end 0.02", "block"},
        {"flyball_governor --t-end 0.02 --set integrator=lobatto", "frontal"},
        {"heavy_top --t-end 0.02", "block"},
        {"rolling_disk --t-end 0.02", "small"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof run / sizeof run[0]; ++k) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "run %s -q --json", run[k].arguments);
        json_t *d = tool_json(arguments, 0);
        assert_string_equal(json_string_value(json_object_get(d, "linear_solver")), run[k].solver);
        assert_near(tool_number(d, "solver_fallbacks"), 0.0, 0.0);
        json_decref(d);
    }
}

/* A planar body without inertia and without a bearing of its own: its pivots are left to `sparse`, and the run says so. */
static void a_fallback_is_told(void **state)
{
    (void)state;
    tool_write(
        "light.json",
        "{\"dalembert\": 1, \"name\": \"light\", \"gravity\": [0, -9.81], \"bodies\": ["
        "{\"name\": \"a\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"position\": [0.5, 0]}, "
        "{\"name\": \"b\", \"type\": \"planar\", \"mass\": 0, \"inertia\": 0, \"position\": [1.5, 0]}, "
        "{\"name\": \"c\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"position\": [2.5, 0]}, "
        "{\"name\": \"d\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"position\": [3.5, 0]}], "
        "\"joints\": ["
        "{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"a\", \"point\": [0, 0]}, "
        "{\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [1, 0]}, "
        "{\"name\": \"C\", \"type\": \"planar_revolute\", \"body_a\": \"b\", \"body_b\": \"c\", \"point\": [2, 0]}, "
        "{\"name\": \"D\", \"type\": \"planar_revolute\", \"body_a\": \"c\", \"body_b\": \"d\", \"point\": [3, 0]}], "
        "\"simulation\": {\"t_end\": 0.01, \"h\": 1e-3}}");
    json_t *d = tool_json("run light.json -q --json --set linear_solver=block", 0);
    assert_true(tool_number(d, "solver_fallbacks") >= 10.0);
    json_decref(d);
    tool_result r = tool("run light.json --set linear_solver=block");
    assert_non_null(strstr(r.out, "sparse took over in"));
    tool_free(&r);
    r = tool("check light.json --set linear_solver=block -v");
    assert_non_null(strstr(r.out, "sparse took over in"));
    tool_free(&r);
}

static void check_tells_what_each_solver_would_cost(void **state)
{
    (void)state;
    json_t *d = tool_json("check chain --json", 0);
    assert_string_equal(json_string_value(json_object_get(d, "linear_solver")), "block");
    const char *choice = json_string_value(json_object_get(d, "solver_choice"));
    static const char *const word[] = {"predicted", "dense", "block", "frontal", "sparse"};
    for (size_t k = 0; k < sizeof word / sizeof word[0]; ++k) {
        assert_non_null(strstr(choice, word[k]));
    }
    json_decref(d);
    tool_result r = tool("check chain --verbose");
    assert_non_null(strstr(r.out, "linear solver block"));
    tool_free(&r);
}

/* OpenBLAS with one thread and with two; LAPACK factors the matrices of the last run. */
static void bits_do_not_depend_on_threads_of_openblas(void **state)
{
    static const char *const run[] = {
        "run flyball_governor -q --json --set integrator=lobatto --h 0.002 --t-end 0.02",
        "run flexible_slider_crank -q --json --set integrator=lobatto --t-end 0.002",
        "run chain -q --json --set integrator=lobatto --set linear_solver=dense --t-end 0.003",
        "run bricard -q --json --set redundant=least_norm --t-end 0.02",
    };
    (void)state;
    for (size_t k = 0; k < sizeof run / sizeof run[0]; ++k) {
        json_t *d[2];
        for (int threads = 1; threads <= 2; ++threads) {
            setenv("OPENBLAS_NUM_THREADS", threads == 1 ? "1" : "2", 1);
            d[threads - 1] = tool_json(run[k], 0);
        }
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        assert_true(json_equal(json_object_get(d[0], "final"), json_object_get(d[1], "final")));
        json_decref(d[0]);
        json_decref(d[1]);
    }
}

/* Chains of Euler parameters filled the factors of a general sparse LU without end. */
static void lobatto_with_euler_parameters_stays_sparse(void **state)
{
    (void)state;
    tool_write(
        "chain_ep.json",
        "{\"dalembert\": 1, \"name\": \"chain_ep\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"repeat\": \"i\", "
        "\"to\": 400, \"items\": [{\"name\": \"b{i}\", \"type\": \"euler_parameters\", \"mass\": 0.1, "
        "\"inertia\": {\"box\": [0.1, 0.02, 0.02]}, \"position\": [\"(i - 1/2)/10\", 0, 0]}]}], \"joints\": ["
        "{\"name\": \"j1\", \"type\": \"spherical\", \"body_b\": \"b1\", \"point\": [0, 0, 0]}, "
        "{\"repeat\": \"i\", \"from\": 2, \"to\": 400, \"items\": [{\"name\": \"j{i}\", \"type\": \"spherical\", "
        "\"body_a\": \"b{i - 1}\", \"body_b\": \"b{i}\", \"point\": [\"(i - 1)/10\", 0, 0]}]}], "
        "\"simulation\": {\"t_end\": 0.001, \"h\": 1e-3, \"integrator\": \"lobatto\", \"stages\": 3}}");
    json_t *d = tool_json("run chain_ep.json -q --json", 0);
    assert_string_equal(json_string_value(json_object_get(d, "linear_solver")), "frontal");
    assert_near(tool_number(d, "solver_fallbacks"), 0.0, 0.0);
    json_decref(d);
}

/* Two bodies of a microgram and less on a cylindrical joint, falling: entries of the iteration matrix lie 1e14 apart. Every
 * solver gets through, and energy stays to all digits. */
static void bodies_of_micrograms_are_solved_by_every_solver(void **state)
{
    static const char *const formulations[] = {"index3", "index2", "ggl"}, *const solvers[] = {"auto", "dense",
                                                                                               "sparse", "block"};
    assert_int_equal(system("cp '" DAL_SOURCE "/test/data/micrometres.json' micro.json"), 0);
    for (size_t i = 0; i < LEN(formulations); ++i) {
        for (size_t k = 0; k < LEN(solvers); ++k) {
            char line[128];
            snprintf(line, sizeof line, "run micro.json --json -q --set formulation=%s --set linear_solver=%s",
                     formulations[i], solvers[k]);
            json_t *d = tool_json(line, 0);
            const json_t *energy = json_object_get(d, "energy");
            assert_near(tool_number(energy, "max_drift"), 0.0, 1e-9 * fabs(tool_number(energy, "initial")));
            json_decref(d);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_built_in_model_falls_back),
        cmocka_unit_test(a_fallback_is_told),
        cmocka_unit_test(check_tells_what_each_solver_would_cost),
        cmocka_unit_test(bits_do_not_depend_on_threads_of_openblas),
        cmocka_unit_test(lobatto_with_euler_parameters_stays_sparse),
        cmocka_unit_test(bodies_of_micrograms_are_solved_by_every_solver),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
