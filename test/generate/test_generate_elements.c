/* Every type of element there is: generated programs agree with the library on it, or refuse it by name and the manual
 * says so. A new type must find its place in a model here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/elements.h"
#include "generate/agreement.h"
#include "support/check.h"

typedef struct trial {
    const char *model, *formulation;
    int steps;
} trial;

/* All that programs take is in one of these. ggl has all rows at both levels; where it would be large, index 3 and index 2 do. */
static const trial trials[] = {
    {"joints_1", "index3", 300},   {"joints_1", "index2", 300}, {"joints_2", "index3", 300},
    {"joints_2", "index2", 300},   {"joints_3", "ggl", 300},    {"joints_4", "ggl", 300},
    {"rolling", "ggl", 300},       {"drives", "index3", 300},   {"drives", "index2", 300},
    {"gears", "index3", 300},      {"gears", "ggl", 300},       {"planar", "ggl", 300},
    {"planar_se2", "index3", 300}, {"forces", "ggl", 300},      {"functions", "ggl", 300},
    {"laws", "index3", 1000},      {"laws", "index2", 1000},    {"laws", "ggl", 1000},
    {"rows", "index3", 1000},      {"rows", "index2", 1000},    {"expressions", "index3", 1000},
    {"expressions", "ggl", 1000}};

typedef struct refusal {
    const char *section, *type, *model;
} refusal;

static const refusal refusals[] = {{"bodies", "rotation_vector", DAL_ELEMENTS "/rotation_vector.json"},
                                   {"forces", "armature", DAL_ELEMENTS "/armature.json"},
                                   {"bodies", "flexible", "flexible_pendulum"},
                                   {"joints", "contact", "bouncing_ball"},
                                   {"joints", "sphere_contact", "newton_cradle"},
                                   {"joints", "rope", DAL_ELEMENTS "/rope.json"},
                                   {"joints", "limit", DAL_ELEMENTS "/limit.json"},
                                   {"joints", "clutch", DAL_ELEMENTS "/clutch.json"},
                                   {"joints", "brake", DAL_ELEMENTS "/brake.json"}};

static void path_of(char *to, size_t size, const char *model)
{
    snprintf(to, size, DAL_ELEMENTS "/%s.json", model);
}

/* A file, to be freed. */
static char *text_of(const char *path)
{
    enum { SIZE = 1 << 17 };
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SIZE);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Does the model have an element of this type in its section? That ends where the next one begins. */
static int has(const char *text, const dal_element_type *t)
{
    char key[64], type[64];
    snprintf(key, sizeof key, "\n  \"%s\": ", t->section);
    snprintf(type, sizeof type, "\"type\": \"%s\"", t->name);
    const char *section = strstr(text, key);
    const char *end = section ? strstr(section + 1, "\n  \"") : NULL;
    const char *found = section ? strstr(section, type) : NULL;
    return found && (!end || found < end);
}

static int is_tried(const dal_element_type *t)
{
    int found = 0;
    for (size_t k = 0; k < LEN(trials) && !found; ++k) {
        char path[256];
        path_of(path, sizeof path, trials[k].model);
        char *text = text_of(path);
        found = has(text, t);
        free(text);
    }
    return found;
}

static const refusal *refusal_of(const dal_element_type *t)
{
    for (size_t k = 0; k < LEN(refusals); ++k) {
        if (strcmp(refusals[k].section, t->section) == 0 && strcmp(refusals[k].type, t->name) == 0) {
            return &refusals[k];
        }
    }
    return NULL;
}

static void every_type_is_taken_or_refused_by_name_and_the_manual_lists_it(void **state)
{
    char *text = text_of(DAL_MANUAL), quoted[64];
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type t = dal_element_type_at(k);
        const refusal *no = refusal_of(&t);
        if (strcmp(t.section, "outputs") == 0) {
            continue; // below
        }
        snprintf(quoted, sizeof quoted, "`%s`", t.name);
        if (!strstr(text, quoted)) {
            fail_msg("docs/user/generate.md does not say whether programs take %s of type %s", t.section, t.name);
        }
        if (no) {
            const char *message = program_refusal(no->model, NULL, 0);
            snprintf(quoted, sizeof quoted, "of type %s", t.name);
            if (!strstr(message, quoted)) {
                fail_msg("%s of type %s: the refusal is '%s'", t.section, t.name, message);
            }
        } else if (!is_tried(&t)) {
            fail_msg("no model here has %s of type %s: add one, or refuse it", t.section, t.name);
        }
    }
    free(text);
}

static void programs_agree_with_the_library_on_every_type(void **state)
{
    for (size_t k = 0; k < LEN(trials); ++k) {
        char path[256], formulation[64];
        const char *set[2] = {formulation, "newton=full"};
        path_of(path, sizeof path, trials[k].model);
        snprintf(formulation, sizeof formulation, "formulation=%s", trials[k].formulation);
        const agreement a = agreement_over(path, set, 2, trials[k].steps, "-O0");
        assert_agrees(trials[k].model, &a);
    }
}

/* Where the text says that the values of an output are: y[k]; -1: it says that they are left out. */
static int place_of(const char *text, const char *name)
{
    char line[128];
    snprintf(line, sizeof line, " *     without %s:", name);
    if (strstr(text, line)) {
        return -1;
    }
    snprintf(line, sizeof line, " %s:", name);
    const char *end = strstr(strstr(text, "Outputs of the model"), line);
    assert_non_null(end);
    while (strncmp(end, "y[", 2) != 0) {
        --end;
    }
    return (int)strtol(end + 2, NULL, 10);
}

/* How many outputs of the model the program has, after 100 steps of both. */
static int compare_outputs_of(const char *path)
{
    static const char *const set[] = {"formulation=ggl"};
    char *text;
    double y[256], z[256];
    int taken = 0;
    library l;
    program p;
    library_open(&l, path, set, 1, 0);
    program_open(&p, path, set, 1, NULL, "-O0");
    assert_int_equal(dal_generate(&text, l.ctx, path, set, 1, NULL), DAL_OK);
    for (int n = 0; n < 100; ++n) {
        assert_int_equal(dal_sim_step(l.sim), DAL_OK);
        assert_int_equal(p.step(p.state), 0);
    }
    const dal_point at = dal_sim_point(l.sim);
    assert_int_equal(dal_model_outputs(l.model, dal_sim_data(l.sim), z, &at), DAL_OK);
    p.outputs(p.state, y);
    for (int k = 0; k < dal_model_output_count(l.model); ++k) {
        const dal_output_info o = dal_model_output_info(l.model, k);
        const int place = place_of(text, o.name);
        for (int i = 0; i < o.n && place >= 0; ++i) {
            assert_near(y[place + i], z[o.first + i], 1e-9 * (1.0 + fabs(z[o.first + i])));
        }
        taken += place >= 0;
    }
    dal_generate_free(l.ctx, text);
    program_close(&p);
    library_close(&l);
    return taken;
}

static int compare_outputs(const char *model)
{
    char path[256];
    path_of(path, sizeof path, model);
    return compare_outputs_of(path);
}

static void outputs_are_those_of_the_library_or_said_to_be_left_out(void **state)
{
    assert_int_equal(compare_outputs("forces"), 21);
    assert_int_equal(compare_outputs("laws"), 8);
    assert_int_equal(compare_outputs_of("flyball_governor"), 5); // angles of joints
}

/* A number where a vector belongs shows in lanes only. */
static void lanes_of_every_type_compile(void **state)
{
    const dal_generate_options lanes = {.name = "gm", .scalar = DAL_GENERATE_LANES, .lanes = 4};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(trials); ++k) {
        char path[256], folder[32], command[512], *text;
        path_of(path, sizeof path, trials[k].model);
        assert_int_equal(dal_generate(&text, ctx, path, NULL, 0, &lanes), DAL_OK);
        program_folder(folder);
        program_write(folder, "gm.c", text, strlen(text));
        snprintf(command, sizeof command, DAL_TEST_CC " -std=c17 -mavx2 -Wall -Wextra -Wno-psabi -fsyntax-only %s/gm.c",
                 folder);
        assert_int_equal(system(command), 0);
        program_remove(folder);
        dal_generate_free(ctx, text);
    }
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_taken_or_refused_by_name_and_the_manual_lists_it),
        cmocka_unit_test(programs_agree_with_the_library_on_every_type),
        cmocka_unit_test(outputs_are_those_of_the_library_or_said_to_be_left_out),
        cmocka_unit_test(lanes_of_every_type_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
