#include "figures.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

static const struct {
    const char *group;
    void (*check)(dal_ctx *ctx, const json_t *entry);
    int slow;
} groups[] = {
    {"reference", figure_state, 0},    {"rattlie", figure_state, 0},       {"composition", figure_state, 0},
    {"lobatto_both", figure_state, 0}, {"bliedf", figure_errors, 0},       {"bliedf_variable", figure_errors, 0},
    {"weighted", figure_weighted, 0},  {"gamma", figure_changing, 0},      {"bliedf_transient", figure_transient, 0},
    {"count", figure_count, 0},        {"mass", figure_mass, 0},           {"stability", figure_stability, 0},
    {"energy", figure_energy, 1},      {"parasitic", figure_parasitic, 0}, {"forms", figure_forms, 1},
};

enum { ENTRIES = 251 };

static int bad;

double figure_number(const json_t *entry, const char *name)
{
    const json_t *x = json_object_get(entry, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

double figure_item(const json_t *entry, const char *name, int i)
{
    return json_number_value(json_array_get(json_object_get(entry, name), (size_t)i));
}

const char *figure_text(const json_t *entry, const char *name)
{
    return json_string_value(json_object_get(entry, name));
}

int figure_is(const json_t *entry, const char *name, const char *text)
{
    const char *is = figure_text(entry, name);
    return is && strcmp(is, text) == 0;
}

double figure_tolerance(const json_t *entry, const char *name)
{
    return figure_number(json_object_get(entry, "tolerance"), name);
}

void figure_true(const json_t *entry, const char *what, int holds)
{
    if (!holds) {
        bad++;
        print_message("%s: %s does not hold\n", figure_text(entry, "id"), what);
    }
}

void figure_compare(const json_t *entry, const char *name, double is, double should, double tol)
{
    const int near = fabs(is - should) <= tol;
    bad += !near;
    print_message("%s%s: %s %.6g, here %.6g\n", near ? "" : "OFF ", figure_text(entry, "id"), name, should, is);
}

void figure_expect(const json_t *entry, const char *name, double is, double tol)
{
    figure_compare(entry, name, is, figure_number(entry, name), tol);
}

static int group_of(const json_t *entry)
{
    for (size_t g = 0; g < LEN(groups); ++g) {
        if (figure_is(entry, "group", groups[g].group)) {
            return (int)g;
        }
    }
    return -1;
}

void figures_check(int slow)
{
    dal_ctx *ctx = check_ctx();
    json_t *file = json_load_file(PROBLEM_DATA_DIR "/integrators.json", JSON_REJECT_DUPLICATES, NULL),
           *seen = json_object();
    const json_t *entries = json_object_get(file, "entries");
    assert_int_equal(json_array_size(entries), ENTRIES);
    bad = 0;
    for (size_t i = 0; i < ENTRIES; ++i) {
        const json_t *entry = json_array_get(entries, i);
        const int g = group_of(entry);
        figure_true(entry, "a comparison for its group", g >= 0);
        // only what a second computation shows to be undetermined has no tolerance of its own
        figure_true(entry, "a tolerance", json_object_get(entry, "tolerance") || figure_text(entry, "undetermined"));
        json_object_set_new(seen, figure_text(entry, "id"), json_true());
        if (g >= 0 && groups[g].slow == slow) {
            groups[g].check(ctx, entry);
        }
    }
    assert_int_equal(json_object_size(seen), ENTRIES);
    json_decref(seen);
    json_decref(file);
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}
