/* Members whose numbers no model can have: programs start their members without looking at what the numbers mean, so the
 * library has to say it, with any backend. */
#define _DEFAULT_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/backend.h"

static const char model[] =
    "{\"dalembert\": 1, \"name\": \"pendulum\", \"variables\": {\"J\": 0.1, \"ax\": 1, \"slip\": 0.01, \"mu\": 0.3},\n"
    " \"gravity\": [0, 0, -9.81],\n"
    " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [\"J\", 0.2, 0.3], \"position\": [0.5, 0, 0]}],\n"
    " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"body_b\": \"a\", \"point\": [0, 0, 0],\n"
    "   \"axis\": [0, \"ax\", 0]}],\n"
    " \"forces\": [{\"name\": \"f\", \"type\": \"friction\", \"joint\": \"pin\", \"mu\": \"mu\", \"radius\": 0.05,\n"
    "   \"slip\": \"slip\"}],\n"
    " \"simulation\": {\"t_end\": 0.02, \"h\": 0.001, \"atol\": 1e-14, \"rtol\": 1e-13}}\n";
static char path[] = "/tmp/dalembert-refused-XXXXXX.json";

/* As with the interpreter, record by record, and nothing is handed over: these members are nobody's. */
static void same_records(const dal_sweep_spec *spec, long refused)
{
    long handed;
    assert_near(backend_difference(&handed, spec, DAL_SWEEP_LANES), 0.0, 1e-11);
    assert_int_equal(handed, 0);
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = backend_run(ctx, spec, DAL_SWEEP_INTERPRETED, 1);
    long n = 0;
    for (long m = 0; m < dal_sweep_members(s); ++m) {
        n += dal_sweep_result(s, m).status == DAL_EINVAL;
    }
    assert_int_equal(n, refused);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

static void a_negative_mass_is_refused_in_lanes(void **state)
{
    static const char *const set[] = {"t_end=0.01", "atol=1e-14", "rtol=1e-13"}, *const p[] = {"m=list:15,-1,14,-0.5"},
                             *const what[] = {"final(energy)"};
    const dal_sweep_spec spec = {.source = "heavy_top",
                                 .set = set,
                                 .nset = LEN(set),
                                 .parameter = p,
                                 .nparameters = 1,
                                 .collect = what,
                                 .ncollect = 1};
    same_records(&spec, 2);
}

/* Each alone and all together; good members between them keep their values. */
static void inertia_axis_and_friction_are_refused_in_lanes(void **state)
{
    static const char *const p[] = {"J=list:-0.1,0.1", "ax=list:0,1", "mu=list:-0.3,0.3,0.2", "slip=list:-0.01,0.01"},
                             *const what[] = {"final(energy)", "initial(a.position.x)"};
    const dal_sweep_spec spec = {
        .source = path, .parameter = p, .nparameters = LEN(p), .collect = what, .ncollect = LEN(what)};
    same_records(&spec, 2 * 2 * 3 * 2 - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_negative_mass_is_refused_in_lanes),
        cmocka_unit_test(inertia_axis_and_friction_are_refused_in_lanes),
    };
    if (backend_model(path, model)) {
        return 1;
    }
    backend_cache("-O0");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    remove(path);
    return failed;
}
