/* Every type of element there is: generated programs agree with the library on it, or refuse it by name and the manual
 * says so. A new type must find its place in a model here. */
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
static const trial trials[] = {{"joints_1", "index3", 300},
                               {"joints_1", "index2", 300},
                               {"joints_2", "index3", 300},
                               {"joints_2", "index2", 300},
                               {"joints_3", "ggl", 300},
                               {"joints_4", "ggl", 300},
                               {"rolling", "ggl", 300},
                               {"drives", "index3", 300},
                               {"drives", "index2", 300},
                               {"gears", "index3", 300},
                               {"gears", "ggl", 300},
                               {"planar", "ggl", 300},
                               {"planar_se2", "index3", 300},
                               {"forces", "ggl", 300},
                               {"functions", "ggl", 300},
                               {"laws", "index3", 1000},
                               {"laws", "index2", 1000},
                               {"laws", "ggl", 1000},
                               {"rows", "index3", 1000},
                               {"rows", "index2", 1000},
                               {"expressions", "index3", 1000},
                               {"expressions", "ggl", 1000},
                               {"beams", "ggl", 100},
                               {"beams", "index3", 100},
                               {"beams_frame", "ggl", 100},
                               {"beams_frame", "index3", 100},
                               {"beams_order", "index3", 100},
                               {"turns", "index3", 100},
                               {"rotation_vector", "index3", 300},
                               {"rotation_vector", "ggl", 300},
                               {"compliant", "index3", 400},
                               {"compliant", "ggl", 400},
                               {"armature", "index3", 300},
                               {"armature", "ggl", 300},
                               {"flexible", "index2", 100},
                               {"flexible", "ggl", 100},
                               {"flexible_shapes", "index3", 200},
                               {"flexible_shapes", "ggl", 200},
                               {"flexible_rotor", "index3", 200},
                               {"beam_consistent", "index3", 100},
                               {"beam_consistent_order", "index3", 100}};

typedef struct refusal {
    const char *section, *type, *model;
} refusal;

static const refusal refusals[] = {{"forces", "tyre", DAL_ELEMENTS "/tyre.json"},
                                   {"forces", "rail", DAL_ELEMENTS "/rail.json"},
                                   {"forces", "mesh", DAL_ELEMENTS "/mesh.json"},
                                   {"forces", "rack", DAL_ELEMENTS "/rack.json"},
                                   {"forces", "belt", DAL_ELEMENTS "/belt.json"},
                                   {"forces", "delay", DAL_ELEMENTS "/delay.json"},
                                   {"joints", "contact", "bouncing_ball"},
                                   {"joints", "sphere_contact", "newton_cradle"},
                                   {"joints", "rope", DAL_ELEMENTS "/rope.json"},
                                   {"joints", "limit", DAL_ELEMENTS "/limit.json"},
                                   {"joints", "clutch", DAL_ELEMENTS "/clutch.json"},
                                   {"joints", "ratchet", DAL_ELEMENTS "/ratchet.json"},
                                   {"joints", "brake", DAL_ELEMENTS "/brake.json"},
                                   {"functions", "map", DAL_ELEMENTS "/map.json"}};

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
            continue; // test_generate_outputs.c
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

/* Elements of beams are evaluated several at a time, in vectors as wide as the compiler finds or is told: the same bits. */
static void packs_of_elements_of_any_width_give_the_same(void **state)
{
    static const char *const flags[] = {"-O1 -ffp-contract=off -Wno-psabi -DPACK=1", "-O1 -ffp-contract=off -Wno-psabi",
                                        "-O1 -ffp-contract=off -Wno-psabi -DPACK=4",
                                        "-O1 -ffp-contract=off -Wno-psabi -DPACK=8"};
    enum { NQ = 7 * 12, STEPS = 20 }; // six elements in each of two legs
    double q[LEN(flags)][NQ], E[LEN(flags)];
    for (size_t k = 0; k < LEN(flags); ++k) {
        program p;
        program_open(&p, "right_angle_cantilever", (const char *[]){"elements=6"}, 1, NULL, flags[k]);
        for (int i = 0; i < STEPS; ++i) {
            assert_int_equal(p.step(p.state), 0);
        }
        memcpy(q[k], p.q(p.state), sizeof q[k]);
        E[k] = p.energy(p.state);
        program_close(&p);
        assert_memory_equal(q[k], q[0], sizeof q[k]);
        assert_true(E[k] == E[0]);
    }
    assert_true(q[0][NQ - 1] != 0.0 && E[0] > 0.0);
}

static void beams_that_programs_do_not_have_are_refused_by_name(void **state)
{
    static const char *const rattlie[] = {"integrator=rattlie"};
    static const struct {
        const char *model, *words;
        int nset;
    } models[] = {{"beam_slide", "bodies that slide along it", 0}, {"beam_consistent", "consistent mass", 1}};
    for (size_t k = 0; k < LEN(models); ++k) {
        char path[256];
        path_of(path, sizeof path, models[k].model);
        const char *message = program_refusal(path, rattlie, models[k].nset);
        assert_non_null(strstr(message, "beam 'rail'"));
        assert_non_null(strstr(message, models[k].words));
    }
}

static void contacts_that_programs_do_not_have_are_refused_by_name(void **state)
{
    static const char *const models[][3] = {{"press", "contact 'edge'", "capsules and boxes with planes"},
                                            {"bristles", "contact 'pair'", "no bristles between spheres"}};
    for (size_t k = 0; k < LEN(models); ++k) {
        char path[256];
        path_of(path, sizeof path, models[k][0]);
        const char *message = program_refusal(path, NULL, 0);
        assert_non_null(strstr(message, models[k][1]));
        assert_non_null(strstr(message, models[k][2]));
    }
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
        cmocka_unit_test(packs_of_elements_of_any_width_give_the_same),
        cmocka_unit_test(beams_that_programs_do_not_have_are_refused_by_name),
        cmocka_unit_test(contacts_that_programs_do_not_have_are_refused_by_name),
        cmocka_unit_test(lanes_of_every_type_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
