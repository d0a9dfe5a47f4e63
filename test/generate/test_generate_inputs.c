/* Inputs in generated programs: values that change during a run, beside the library that is told the same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

/* Wheels that turn many times, of which one drives the other through a gear; a pid holds an arm. */
static const char wheels[] =
    "{\"dalembert\": 1, \"name\": \"wheels\", \"gravity\": [0, 0, -9.81], \"variables\": {\"k\": 2},"
    "\"inputs\": {\"torque\": {\"value\": 0.5, \"unit\": \"N m\", \"min\": -5, \"max\": 5}, \"stiff\": 3},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.01}, {\"name\": \"b\", \"mass\": 2, \"inertia\": 0.05, "
    "\"position\": [1, 0, 0]},"
    "{\"name\": \"arm\", \"mass\": 1, \"inertia\": 0.02, \"position\": [0, 1, -0.5]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"a\", \"axis\": [0, 0, 1]},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_b\": \"b\", \"axis\": [0, 0, 1]},"
    "{\"name\": \"C\", \"type\": \"revolute\", \"body_b\": \"arm\", \"point\": [0, 1, 0], \"axis\": [0, 1, 0]},"
    "{\"name\": \"G\", \"type\": \"gear\", \"joint_1\": \"A\", \"joint_2\": \"B\", \"ratio\": [1, 2]}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"A\", \"value\": \"k*torque\"},"
    "{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"C\", \"stiffness\": \"stiff\", \"damping\": 0.1}],"
    "\"outputs\": [\"A.coordinate\", \"B.coordinate\", \"C.coordinate\", \"energy\"], \"simulation\": {\"h\": 1e-3, "
    "\"rtol\": 1e-13}}";

static const char driver[] =
    "\nstatic gm_state gm_s;\nstatic gm_parameters gm_p;\nint drive(int what, int k, double x, double *y);\n"
    "int drive(int what, int k, double x, double *y)\n{\n    if (what == 0) {\n        gm_default(&gm_p);\n"
    "        return gm_start(&gm_s, &gm_p);\n    }\n    if (what == 1) {\n        return gm_set_input(&gm_s, &gm_p, k, "
    "x);\n    }\n"
    "    if (what == 2) {\n        return gm_step(&gm_s);\n    }\n    y[0] = gm_s.t;\n    gm_outputs(&gm_s, y + 1);\n"
    "    return gm_inputs(2) == 0 && gm_inputs(-1) == 0 ? 0 : 9;\n}\n";

typedef int (*drive)(int what, int k, double x, double *y);
enum { START, SET, STEP, SHOW };

static void *compile(dal_ctx *ctx, char folder[32], const char *const *set, int nset)
{
    static const char *const inputs[] = {"torque", "stiff"};
    const dal_generate_options how = {.name = "gm", .parameters = inputs, .nparameters = 2};
    char command[512], path[64], model[64];
    program_folder(folder);
    program_write(folder, "model.json", wheels, strlen(wheels));
    snprintf(model, sizeof model, "%s/model.json", folder);
    char *text, *all;
    check_ok(ctx, dal_generate(&text, ctx, model, set, nset, &how));
    const size_t n = strlen(text);
    all = malloc(n + sizeof driver);
    assert_non_null(all);
    memcpy(all, text, n);
    memcpy(all + n, driver, sizeof driver);
    program_write(folder, "gm.c", all, n + sizeof driver - 1);
    free(all);
    dal_generate_free(ctx, text);
    snprintf(command, sizeof command,
             DAL_TEST_CC
             " -std=c17 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off -shared "
             "-fPIC -o %s/gm.so %s/gm.c -lm",
             folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/gm.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    return library;
}

/* 1500 steps, another torque every 50 of them, another stiffness every 70. */
static void agree(const char *const *set, int nset)
{
    dal_ctx *ctx = check_ctx();
    char folder[32], model[64];
    void *library = compile(ctx, folder, set, nset);
    drive go;
    *(void **)&go = dlsym(library, "drive");
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    snprintf(model, sizeof model, "%s/model.json", folder);
    check_ok(ctx, dal_document_open(&doc, ctx, model, set, nset));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    dal_options options = *dal_document_options(doc);
    options.newton = DAL_NEWTON_FULL; // as programs do
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &options));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    double mine[8], y[8], most = 0.0;
    assert_int_equal(go(START, 0, 0.0, NULL), 0);
    for (int k = 0; k < 1500; ++k) {
        const double torque = k % 50 == 0 ? 3.0 * cos(0.01 * k) + 1.0 : NAN, stiff = 2.0 + sin(k);
        if (k % 50 == 0) {
            assert_int_equal(go(SET, 0, torque, NULL), 0);
            check_ok(ctx, dal_sim_set_input(sim, 0, torque));
        }
        if (k % 70 == 0) {
            assert_int_equal(go(SET, 1, stiff, NULL), 0);
            check_ok(ctx, dal_sim_set_input(sim, 1, stiff));
        }
        assert_int_equal(go(STEP, 0, 0.0, NULL), 0);
        check_ok(ctx, dal_sim_step(sim));
        const dal_state s = dal_sim_state(sim);
        const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
        check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y, &at));
        assert_int_equal(go(SHOW, 0, 0.0, mine), 0);
        assert_near(mine[0], s.t, 1e-12);
        for (int i = 0; i < 4; ++i) {
            assert_near(mine[1 + i], y[i], 2e-11 * fmax(1.0, fabs(y[i])));
        }
        most = fmax(most, fabs(y[0]));
    }
    assert_true(most > 20.0);                       // turns are counted through the jumps
    assert_int_not_equal(go(SET, 0, 6.0, NULL), 0); // outside of its limits
    assert_int_not_equal(go(SET, 0, NAN, NULL), 0);
    assert_int_not_equal(go(SET, 7, 1.0, NULL), 0);
    double after[8];
    assert_int_equal(go(SHOW, 0, 0.0, after), 0);
    assert_memory_equal(after, mine, 5 * sizeof *mine);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    dlclose(library);
    program_remove(folder);
    check_ctx_free(ctx);
}

static void programs_follow_inputs_as_the_library_does(void **state)
{
    static const char *const rattlie[] = {"integrator=rattlie"};
    agree(NULL, 0);
    agree(rattlie, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_follow_inputs_as_the_library_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
