/* Every allocation fails once, like test_allocations: all built-in models, programs of larger ones, sweeps. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/dalembert.h"
#include "support/check.h"

#define FOLDER "test_allocations_large.results"
#define TRY_ALL(st, call) ((st) == DAL_OK ? (call) : (st))

/* ---- generated programs ----------------------------------------------------------------------- */

typedef struct program {
    const char *model;
    dal_generate_options how;
} program;

static dal_status generate(dal_ctx *ctx, void *user)
{
    const program *p = user;
    char *text;
    const dal_status st = dal_generate(&text, ctx, p->model, NULL, 0, &p->how);
    assert_true((st == DAL_OK) == (text != NULL));
    dal_generate_free(ctx, text);
    return st;
}

static void generated_programs(void **state)
{
    static const char *const names[] = {"g"};
    program cases[] = {
        {"pendulum", {.scalar = DAL_GENERATE_LANES, .parameters = names, .nparameters = 1, .trace = 1}},
        {"spatial_slider_crank", {0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        assert_true(check_every_allocation(generate, &cases[k]) > 100);
    }
}

/* ---- sweeps ----------------------------------------------------------------------------------- */

static const char swept[] = "{\"dalembert\": 1, \"variables\": {\"m\": 1, \"c\": 0.1}, \"gravity\": [0, 0, -9.81], "
                            "\"bodies\": [{\"name\": \"a\", \"type\": "
                            "\"point\", \"mass\": \"m\"}], \"forces\": [{\"name\": \"d\", \"type\": \"drag\", "
                            "\"body\": \"a\", \"damping\": \"c\"}],"
                            "\"simulation\": {\"t_end\": 0.02, \"h\": 0.01}, \"sweep\": {\"vary\": {\"m\": \"1:2:2\", "
                            "\"c\": [0.1, 0.2]}, \"collect\": "
                            "[\"final(energy)\", \"max(t)\"]}}";

static dal_status sweep_and_save(dal_sweep *sweep, const char *path)
{
    dal_sweep_summary summary;
    dal_sweep_effect effect;
    dal_status st = dal_sweep_run(sweep, &(dal_sweep_run_options){.jobs = 1, .journal = FOLDER "/journal"});
    st = TRY_ALL(st, dal_sweep_statistics(sweep, &summary, 0));
    st = TRY_ALL(st, dal_sweep_sensitivity(sweep, &effect, 0, 0));
    st = TRY_ALL(st, dal_sweep_save(sweep, path, 0));
    return st;
}

static dal_status sweep_all(dal_ctx *ctx, void *user)
{
    static const char *const set[] = {"h=0.005"}, *const energy[] = {"energy"};
    static const double times[] = {0.01};
    const char *path = user;
    dal_sweep_section *section = NULL;
    dal_sweep *sweep = NULL;
    dal_sweep_spec spec = {.source = FOLDER "/swept.json", .set = set, .nset = 1};
    if (strstr(path, ".h5") != NULL) {
        spec.trajectory = energy;
        spec.ntrajectories = spec.ntimes = 1;
        spec.times = times;
    }
    remove(path);
    remove(FOLDER "/journal");
    dal_status st = dal_sweep_section_read(&section, ctx, &spec);
    st = TRY_ALL(st, dal_sweep_create(&sweep, ctx, &spec));
    if (st == DAL_OK) {
        assert_int_equal(dal_sweep_members(sweep), 4); // nothing of the section is lost
        assert_string_equal(dal_sweep_setting(sweep, 0), "h=0.005");
        assert_int_equal(dal_sweep_collect_count(sweep), 2);
        st = sweep_and_save(sweep, path);
    }
    assert_true((st == DAL_OK) == (access(path, F_OK) == 0));
    dal_sweep_destroy(sweep);
    dal_sweep_section_destroy(section);
    return st;
}

static void sweeps(void **state)
{
    assert_int_equal(system("mkdir -p " FOLDER), 0);
    FILE *file = fopen(FOLDER "/swept.json", "w");
    assert_non_null(file);
    fputs(swept, file);
    fclose(file);
    assert_true(check_every_allocation(sweep_all, FOLDER "/swept.csv") > 100);
    assert_true(check_every_allocation(sweep_all, FOLDER "/swept.h5") > 100);
    remove(FOLDER "/journal");
    remove(FOLDER "/swept.csv");
    remove(FOLDER "/swept.h5");
    remove(FOLDER "/swept.json");
    rmdir(FOLDER);
}

/* ---- models ----------------------------------------------------------------------------------- */

static dal_status open_and_start(dal_ctx *ctx, void *user)
{
    dal_document *doc = NULL;
    dal_sim *sim = NULL;
    const dal_system *sys;
    dal_status st = dal_document_open(&doc, ctx, user, NULL, 0);
    st = TRY_ALL(st, dal_model_compile(dal_document_model(doc), &sys));
    st = TRY_ALL(st, dal_document_assemble(doc, NULL, sys));
    st = TRY_ALL(st, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    st = TRY_ALL(st, dal_sim_start(sim, NULL, 0.0, dal_model_q0(dal_document_model(doc)),
                                   dal_model_v0(dal_document_model(doc))));
    st = TRY_ALL(st, dal_sim_step(sim));
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    return st;
}

static void built_in_models(void **state)
{
    for (int k = 0; k < dal_builtin_count(); ++k) {
        char name[100];
        snprintf(name, sizeof name, "%s", dal_builtin_model(k).name);
        assert_true(check_every_allocation(open_and_start, name) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_programs),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(built_in_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
