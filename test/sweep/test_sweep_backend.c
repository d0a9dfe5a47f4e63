/* Sweeps in generated programs against the library: the heavy top. Other models: test_sweep_backend_models.c. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/backend.h"
#include "sweep/sweep_impl.h"

static const char *const tight[] = {"t_end=0.06", "atol=1e-14", "rtol=1e-13"};
static const char *const varied[] = {"m=uniform(14,16)", "spin=uniform(140,160)"};
static const char *const kinds[] = {
    "final(top.position.z)",        "initial(top.position.z)",        "min(top.position.z)",
    "max(top.position.x)",          "mean(top.position.y)",           "rms(top.position)",
    "integral(top.position.x)",     "time_of_min(top.position.y)",    "time_of_max(top.position.x)",
    "time_of(top.position.x,0.15)", "crossings(top.position.x,0.15)", "time_of(top.position.x,50)",
    "settle(top.position.x,0.1)",   "settle(top.position.x,0.1,0.2)", "max(top.position.x*m - t) - m/15 + final(t)"};

static dal_sweep_spec tops(const char *const *collect, int ncollect)
{
    return (dal_sweep_spec){.source = "heavy_top",
                            .set = tight,
                            .nset = LEN(tight),
                            .parameter = varied,
                            .nparameters = LEN(varied),
                            .samples = 11, // a block and a piece of one
                            .seed = 5,
                            .collect = collect,
                            .ncollect = ncollect};
}

static void every_reduction_in_lanes_is_that_of_the_library(void **state)
{
    const dal_sweep_spec spec = tops(kinds, LEN(kinds));
    long handed;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_LANES), 0.0, 1e-11);
    assert_int_equal(handed, 0);
}

static void final_values_alone_are_those_of_the_library(void **state)
{
    const dal_sweep_spec spec = tops(kinds, 2);
    long handed;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_LANES), 0.0, 1e-11);
    assert_int_equal(handed, 0);
}

static void same_values(const dal_sweep *a, const dal_sweep *b, int ncollect)
{
    long there = 0;
    for (long m = 0; m < dal_sweep_members(a); ++m) {
        const dal_sweep_member x = dal_sweep_result(a, m), y = dal_sweep_result(b, m);
        if (y.status != DAL_SWEEP_MISSING) {
            ++there;
            assert_int_equal(x.status, y.status);
            assert_memory_equal(x.value, y.value, (size_t)ncollect * sizeof(double));
        }
    }
    assert_true(there > 0);
}

static void threads_and_neighbours_do_not_show_in_the_bits(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_sweep_spec spec = tops(kinds, LEN(kinds));
    spec.backend = DAL_SWEEP_LANES;
    dal_sweep *one = backend_run(ctx, &spec, DAL_SWEEP_LANES, 1), *two = backend_run(ctx, &spec, DAL_SWEEP_LANES, 2),
              *shard = NULL;
    same_values(one, two, LEN(kinds));
    check_ok(ctx, dal_sweep_create(&shard, ctx, &spec));
    check_ok(ctx, dal_sweep_run(shard, &(dal_sweep_run_options){.jobs = 1, .shard = 2, .nshards = 3}));
    same_values(one, shard, LEN(kinds));
    // another program beside this one is another one, for the loader too
    const dal_sweep_spec other = tops(kinds, 1);
    long handed;
    assert_near(backend_difference(&handed, &other, DAL_SWEEP_LANES), 0.0, 1e-11);
    dal_sweep_destroy(one);
    dal_sweep_destroy(two);
    dal_sweep_destroy(shard);
    check_ctx_free(ctx);
}

/* Newton's method fails in some members, the same ones; their messages are those of the library. */
static void members_whose_iteration_fails_are_handed_over(void **state)
{
    static const char *const set[] = {"t_end=0.2", "h=0.02", "max_iterations=4"}, *const wild[] = {"spin=0:800:17"};
    dal_sweep_spec spec = tops(kinds, 2);
    long handed;
    spec.set = set;
    spec.parameter = wild;
    spec.nparameters = 1;
    (void)backend_difference(&handed, &spec, DAL_SWEEP_LANES);
    assert_true(handed > 0 && handed < 17 * 11);
}

static const char clipped[] =
    "{\"dalembert\": 1, \"name\": \"clipped\", \"variables\": {\"a\": 1, \"T\": 0.5}, \"gravity\": [0, 0, -9.81],\n"
    " \"bodies\": [{\"name\": \"b\", \"mass\": \"max(a, 2)\", \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}],\n"
    " \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"body_b\": \"b\", \"point\": [0, 0, 0], \"axis\": [0, 1, "
    "0]}],\n"
    " \"simulation\": {\"t_end\": \"T\", \"h\": 0.01, \"atol\": 1e-14, \"rtol\": 1e-13}}\n";
static char path[] = "/tmp/dalembert-clipped-XXXXXX.json";

/* The mass is a constant of the program near a = 1; with other masses, or an end within a step, it is not that member. */
static void members_that_the_program_cannot_be_are_handed_over(void **state)
{
    static const char *const p[] = {"a=list:1,1.5,3,4", "T=list:0.5,0.3,0.255,-1"}, *const what[] = {
                                                                                        "final(b.position.z)",
                                                                                        "final(t)",
                                                                                        "min(b.position.z)"};
    const dal_sweep_spec spec = {.source = path, .parameter = p, .nparameters = 2, .collect = what, .ncollect = 3};
    long handed;
    assert_near(backend_difference(&handed, &spec, DAL_SWEEP_LANES), 0.0, 1e-11);
    // two masses with three times, and two others with a time within a step; those that do not start are nobody's
    assert_int_equal(handed, 2 * 3 + 2);
}

static void trajectories_are_those_of_the_library(void **state)
{
    static const char *const curve[] = {"top.position.x", "t + m"};
    static const double times[] = {0.0, 0.01, 0.03, 0.06, 0.07};
    dal_sweep_spec spec = tops(kinds, LEN(kinds));
    spec.trajectory = curve;
    spec.ntrajectories = 2;
    spec.times = times;
    spec.ntimes = LEN(times);
    dal_ctx *ctx = check_ctx();
    dal_sweep *s[2];
    char journal[64];
    for (int k = 0; k < 2; ++k) {
        snprintf(journal, sizeof journal, "/tmp/dalembert-%ld-%d.journal", (long)getpid(), k);
        remove(journal);
        spec.backend = k == 0 ? DAL_SWEEP_INTERPRETED : DAL_SWEEP_LANES;
        check_ok(ctx, dal_sweep_create(&s[k], ctx, &spec));
        check_ok(ctx, dal_sweep_run(s[k], &(dal_sweep_run_options){.jobs = 1, .journal = journal}));
    }
    for (long m = 0; m < 11; ++m) {
        double a[2 * LEN(times)], b[2 * LEN(times)];
        assert_int_equal(dal_sweep_trajectory_read(s[0], a, m), DAL_OK);
        assert_int_equal(dal_sweep_trajectory_read(s[1], b, m), DAL_OK);
        for (size_t k = 0; k < LEN(a); ++k) {
            assert_int_equal(isnan(a[k]), isnan(b[k]));
            assert_int_equal(isnan(a[k]), k % LEN(times) == 4);
            assert_true(isnan(a[k]) || fabs(a[k] - b[k]) <= 1e-11);
        }
    }
    for (int k = 0; k < 2; ++k) {
        dal_sweep_destroy(s[k]);
        snprintf(journal, sizeof journal, "/tmp/dalembert-%ld-%d.journal", (long)getpid(), k);
        assert_int_equal(remove(journal), 0);
    }
    check_ctx_free(ctx);
}

static void what_programs_do_not_have_is_refused_by_name(void **state)
{
    static const char *const rattlie[] = {"integrator=rattlie"};
    static const char *const adaptive[] = {"step=adaptive"}, *const odd[] = {"t_end=0.0605"},
                             *const option[] = {"rho_inf=0.5:0.9:3"}, *const work[] = {"max(tip.work)"},
                             *const curve[] = {"top.position.x"};
    static const double between[] = {0.0, 0.0105};
    dal_sweep_spec spec = tops(kinds, 1);
    dal_status st;
    spec.set = adaptive;
    spec.nset = 1;
    assert_non_null(strstr(backend_refusal(&st, &spec, DAL_SWEEP_LANES), "a tolerance controls the steps"));
    assert_int_equal(st, DAL_EINVAL);
    spec.set = odd;
    assert_non_null(strstr(backend_refusal(&st, &spec, DAL_SWEEP_LANES), "t_end = 0.0605 is not a whole number"));
    spec = tops(kinds, 1);
    spec.parameter = option;
    spec.nparameters = 1;
    assert_non_null(strstr(backend_refusal(&st, &spec, DAL_SWEEP_LANES), "is an option"));
    spec = tops(kinds, 1);
    spec.trajectory = curve;
    spec.ntrajectories = 1;
    spec.times = between;
    spec.ntimes = 2;
    assert_non_null(strstr(backend_refusal(&st, &spec, DAL_SWEEP_LANES), "t = 0.0105, between two steps"));
    spec = tops(work, 1);
    spec.set = rattlie; // whose programs have no integrals
    spec.nset = 1;
    const char *message = backend_refusal(&st, &spec, DAL_SWEEP_LANES);
    assert_true(strstr(message, "tip.work") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reduction_in_lanes_is_that_of_the_library),
        cmocka_unit_test(final_values_alone_are_those_of_the_library),
        cmocka_unit_test(threads_and_neighbours_do_not_show_in_the_bits),
        cmocka_unit_test(members_whose_iteration_fails_are_handed_over),
        cmocka_unit_test(members_that_the_program_cannot_be_are_handed_over),
        cmocka_unit_test(trajectories_are_those_of_the_library),
        cmocka_unit_test(what_programs_do_not_have_is_refused_by_name),
    };
    if (backend_model(path, clipped)) {
        return 1;
    }
    backend_cache("-O0");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    remove(path);
    return failed;
}
