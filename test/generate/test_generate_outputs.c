/* Every type of output there is: programs report what the library reports, scalar and in lanes, or leave it out and the manual
 * says so. A new type must find its place in a model here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/elements.h"
#include "generate/agreement.h"
#include "support/check.h"

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

/* Values of a program against those of the library; how many outputs of the model the program has. */
static int compare_values(const library *l, const char *text, const double *y, int stride)
{
    const dal_point at = dal_sim_point(l->sim);
    double z[256];
    int taken = 0;
    assert_int_equal(dal_model_outputs(l->model, dal_sim_data(l->sim), z, &at), DAL_OK);
    for (int k = 0; k < dal_model_output_count(l->model); ++k) {
        const dal_output_info o = dal_model_output_info(l->model, k);
        const int place = place_of(text, o.name);
        for (int i = 0; i < o.n && place >= 0; ++i) {
            const double has = y[(place + i) * stride], wants = z[o.first + i];
            if (!(fabs(has - wants) <= 1e-9 * (1.0 + fabs(wants)))) {
                fail_msg("%s: %.15g, the library has %.15g", o.name, has, wants);
            }
        }
        taken += place >= 0;
    }
    return taken;
}

/* The same after 100 steps of both, of each lane. */
static int compare_outputs_of(const char *path, int lanes, const char *option)
{
    // rows at the level of accelerations show what Newton's method leaves
    const char *const set[] = {"newton=full", "rtol=1e-12", option};
    const dal_generate_options how = {.name = "gm", .scalar = DAL_GENERATE_LANES, .lanes = lanes};
    char *text;
    double y[4 * 256];
    int taken = 0;
    library l;
    program p;
    assert_true(lanes <= 4);
    library_open(&l, path, set, LEN(set), 0);
    program_open(&p, path, set, LEN(set), lanes > 1 ? &how : NULL, lanes > 1 ? "-O0 -mavx2" : "-O0");
    assert_int_equal(dal_generate(&text, l.ctx, path, set, LEN(set), lanes > 1 ? &how : NULL), DAL_OK);
    for (int n = 0; n < 100; ++n) {
        assert_int_equal(dal_sim_step(l.sim), DAL_OK);
        assert_int_equal(p.step(p.state), 0);
    }
    p.outputs(p.state, y);
    for (int k = 0; k < lanes; ++k) {
        taken = compare_values(&l, text, y + k, lanes);
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
    return compare_outputs_of(path, 1, "formulation=ggl");
}

/* Outputs of contacts: of stops and ropes programs have them (test_generate_switched). */
static int is_of_contacts(const char *type)
{
    static const char *const names[] = {"gap", "slip", "p_n", "p_t", "case", "impulse", "slip_path", "stick_time"};
    int found = 0;
    for (size_t k = 0; k < LEN(names); ++k) {
        found |= strcmp(type, names[k]) == 0;
    }
    return found;
}

/* Does a model have an output of this type, as "NAME.type", or as a quantity? */
static int has_output(const char *model, const char *type)
{
    char path[256], words[2][64];
    path_of(path, sizeof path, model);
    char *text = text_of(path);
    snprintf(words[0], sizeof words[0], ".%s\"", type);
    snprintf(words[1], sizeof words[1], "\"%s\"", type);
    const int found = strstr(text, words[0]) || strstr(text, words[1]);
    free(text);
    return found;
}

static void every_output_is_compared_or_left_out_as_the_manual_says(void **state)
{
    static const char *const models[] = {"forces",      "laws",     "gears",           "beams",
                                         "beams_order", "flexible", "flexible_shapes", "rolling"};
    char *text = text_of(DAL_MANUAL), quoted[64];
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type t = dal_element_type_at(k);
        int found = strcmp(t.section, "outputs") != 0;
        snprintf(quoted, sizeof quoted, "`%s`", t.name);
        if (!found && is_of_contacts(t.name)) {
            found = strstr(text, quoted) != NULL;
        }
        for (size_t i = 0; i < LEN(models) && !found; ++i) {
            found = has_output(models[i], t.name);
        }
        if (!found) {
            fail_msg("output %s: no model here has it, or the manual does not say that it is left out", t.name);
        }
    }
    free(text);
}

static void outputs_are_those_of_the_library_or_said_to_be_left_out(void **state)
{
    assert_int_equal(compare_outputs("forces"), 38);
    assert_int_equal(compare_outputs("drives"), 7);
    assert_int_equal(compare_outputs("planar_se2"), 8);
    assert_int_equal(compare_outputs("rows"), 9); // rows by coefficients have no residuals
    assert_int_equal(compare_outputs("turns"), 22);
    assert_int_equal(compare_outputs("laws"), 8);
    assert_int_equal(compare_outputs("flexible"), 20);
    assert_int_equal(compare_outputs("flexible_shapes"), 10);
    assert_int_equal(compare_outputs("gears"), 9);
    assert_int_equal(compare_outputs("beams"), 9);
    assert_int_equal(compare_outputs("armature"), 5);
    assert_int_equal(compare_outputs("rolling"), 4);
    assert_int_equal(compare_outputs("beams_order"), 6);
    assert_int_equal(compare_outputs("compliant"), 9);
    assert_int_equal(compare_outputs_of("flyball_governor", 1, "formulation=ggl"), 5); // angles of joints
}

static void lanes_report_what_the_library_reports(void **state)
{
    char path[256];
    path_of(path, sizeof path, "forces");
    assert_int_equal(compare_outputs_of(path, 4, "formulation=ggl"), 38);
}

/* Integrals over multipliers that the library shares out are not those of the steps; RATTLie has a dense output of its own. */
static void what_depends_on_other_multipliers_or_another_dense_output_is_left_out(void **state)
{
    char path[256];
    assert_int_equal(compare_outputs("door"), 8); // the rows that are left out have zero there and here
    path_of(path, sizeof path, "door");
    assert_int_equal(compare_outputs_of(path, 1, "redundant=least_norm"), 5);
    path_of(path, sizeof path, "bob");
    assert_int_equal(compare_outputs_of(path, 1, "integrator=genalpha"), 3);
    assert_int_equal(compare_outputs_of(path, 1, "integrator=rattlie"), 2);
}

/* One row of 31, and eleven of 38, depend on the others; ggl and index 3, one by one and in lanes. */
static void reactions_of_redundant_joints_are_shared_as_the_library_shares_them(void **state)
{
    static const char *const model[] = {"bricard", "parallel"};
    static const int outputs[] = {7, 10};
    char path[256];
    for (size_t k = 0; k < LEN(model); ++k) {
        path_of(path, sizeof path, model[k]);
        assert_int_equal(compare_outputs_of(path, 1, "formulation=ggl"), outputs[k]);
        assert_int_equal(compare_outputs_of(path, 1, "formulation=index3"), outputs[k]);
        assert_int_equal(compare_outputs_of(path, 4, "formulation=ggl"), outputs[k]);
    }
}

/* However many joints there are. */
static void long_chains_have_all_their_coordinates(void **state)
{
    enum { N = 80 };
    static char text[400 * N];
    char *at = text + sprintf(text, "{\"dalembert\": 1, \"gravity\": [0, -9.81], \"bodies\": [");
    for (int k = 0; k < N; ++k) {
        at += sprintf(
            at, "%s{\"name\": \"l%d\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [%d.5, 0]}",
            k > 0 ? ", " : "", k, k);
    }
    at += sprintf(at, "], \"joints\": [");
    for (int k = 0; k < N; ++k) {
        at +=
            sprintf(at, "%s{\"name\": \"j%d\", \"type\": \"planar_revolute\", \"body_b\": \"l%d\", \"point\": [%d, 0]",
                    k > 0 ? ", " : "", k, k, k);
        at += k > 0 ? sprintf(at, ", \"body_a\": \"l%d\"}", k - 1) : sprintf(at, "}");
    }
    at += sprintf(at, "], \"outputs\": [");
    for (int k = 0; k < N; ++k) {
        at += sprintf(at, "%s\"j%d.coordinate\", \"l%d.euler_angles\"", k > 0 ? ", " : "", k, k);
    }
    sprintf(at, "], \"simulation\": {\"h\": 1e-3}}");
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_binding *binding;
    dal_program *made;
    const dal_load_options how = {.text = text};
    check_ok(ctx, dal_document_open_with(&doc, ctx, "chain", &how));
    check_ok(ctx, dal_binding_create(&binding, ctx, doc, NULL, 0));
    check_ok(ctx, dal_program_create_bound(&made, ctx, doc, binding, NULL, NULL));
    assert_int_equal(place_of(dal_program_text(made), "j79.coordinate"), 4 * 79);
    assert_int_equal(dal_program_output_size(made), 4 * N);
    dal_program_destroy(made);
    dal_binding_destroy(binding);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_is_compared_or_left_out_as_the_manual_says),
        cmocka_unit_test(outputs_are_those_of_the_library_or_said_to_be_left_out),
        cmocka_unit_test(lanes_report_what_the_library_reports),
        cmocka_unit_test(what_depends_on_other_multipliers_or_another_dense_output_is_left_out),
        cmocka_unit_test(reactions_of_redundant_joints_are_shared_as_the_library_shares_them),
        cmocka_unit_test(long_chains_have_all_their_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
