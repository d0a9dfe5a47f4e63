/* The section "sweep" of a model:
 *     "sweep": {"vary": {"L": "0.1:0.5:41", "k": [1e3, 2e3]}, "random": {"m": "normal(1,0.05)"}, "samples": 1000,
 *               "design": "lhs", "seed": 7, "collect": ["max(A.force)"], "trajectories": ["A.force"], "times": [0, 1]} */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "io/json.h"
#include "sweep/sweep_impl.h"

struct dal_sweep_section {
    dal_ctx *ctx;
    const dal_json *root, *json; /* the model, and its section */
    const char **parameter, **collect, **trajectory;
    char **made; /* texts of parameters that are not in spec */
    int nmade;
    double *times;
};

enum { LONGEST = 100000 };

static dal_status bad(const dal_sweep_section *t, const char *key, const char *what)
{
    return dal_fail(t->ctx, DAL_EINVAL, "/sweep/%.100s: expected %s", key, what);
}

void dal_sweep_section_destroy(dal_sweep_section *t)
{
    if (t == NULL) {
        return;
    }
    for (int k = 0; t->made != NULL && k < t->nmade; ++k) {
        dal_free(t->ctx, t->made[k]);
    }
    dal_free(t->ctx, t->made);
    dal_free(t->ctx, t->parameter);
    dal_free(t->ctx, t->collect);
    dal_free(t->ctx, t->trajectory);
    dal_free(t->ctx, t->times);
    dal_json_destroy(t->root, t->ctx);
    dal_free(t->ctx, t);
}

/* ---- parameters ------------------------------------------------------------------------------- */

static int given(const dal_sweep_spec *spec, const char *name)
{
    const size_t n = strlen(name);
    for (int k = 0; k < spec->nparameters; ++k) {
        const char *text = spec->parameter[k] + strspn(spec->parameter[k], " ");
        size_t length = strcspn(text, "=");
        while (length > 0 && text[length - 1] == ' ') {
            --length;
        }
        if (length == n && memcmp(text, name, n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "NAME=list:1,2": a list of numbers as text. */
static dal_status list_text(dal_sweep_section *t, const char *name, const dal_json *list, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%.300s=list:", name);
    for (size_t k = 0; k < dal_json_length(list); ++k) {
        const dal_json *one = dal_json_item(list, k);
        char digits[DAL_NUMBER_SIZE];
        if (!dal_json_is(one, DAL_JSON_NUMBER) || n + DAL_NUMBER_SIZE + 2 > size) {
            return bad(t, name, "a list of numbers, not too long");
        }
        dal_number_format(digits, dal_json_number(one));
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? "," : "", digits);
    }
    return DAL_OK;
}

static dal_status add_parameter(dal_sweep_section *t, const char *name, const dal_json *value)
{
    char *text = dal_alloc_zero(t->ctx, LONGEST);
    if (text == NULL) {
        return dal_sweep_no_memory(t->ctx);
    }
    dal_status st = DAL_OK;
    if (dal_json_is(value, DAL_JSON_TEXT)) {
        snprintf(text, LONGEST, "%.300s=%.50000s", name, dal_json_text(value));
    } else {
        st = dal_json_length(value) > 0
                 ? list_text(t, name, value, text, LONGEST)
                 : bad(t, name, "a text like \"0.1:0.5:41\" or \"normal(1,0.05)\", or a list of numbers");
    }
    t->made[t->nmade] = st == DAL_OK ? dal_sweep_copy(t->ctx, text, strlen(text)) : NULL;
    st = st == DAL_OK && t->made[t->nmade] == NULL ? dal_sweep_no_memory(t->ctx) : st;
    t->nmade += st == DAL_OK;
    dal_free(t->ctx, text);
    return st;
}

static dal_status read_parameters(dal_sweep_section *t, dal_sweep_spec *spec)
{
    const char *const group[2] = {"vary", "random"};
    const size_t most =
        dal_json_members(dal_json_member(t->json, "vary")) + dal_json_members(dal_json_member(t->json, "random"));
    t->made = dal_alloc_zero(t->ctx, (most + 1) * sizeof *t->made);
    t->parameter = dal_alloc_zero(t->ctx, (most + (size_t)spec->nparameters + 1) * sizeof *t->parameter);
    if (t->made == NULL || t->parameter == NULL) {
        return dal_sweep_no_memory(t->ctx);
    }
    for (int g = 0; g < 2; ++g) {
        const dal_json *o = dal_json_member(t->json, group[g]);
        if (o != NULL && !dal_json_is(o, DAL_JSON_OBJECT)) {
            return bad(t, group[g], "an object");
        }
        for (size_t k = 0; k < dal_json_members(o); ++k) {
            const dal_json *value = dal_json_item(o, k);
            const char *name = value->key;
            DAL_TRY(given(spec, name) ? DAL_OK : add_parameter(t, name, value));
        }
    }
    for (int k = 0; k < spec->nparameters; ++k) {
        t->parameter[k] = spec->parameter[k];
    }
    for (int k = 0; k < t->nmade; ++k) {
        t->parameter[spec->nparameters + k] = t->made[k];
    }
    spec->parameter = t->parameter;
    spec->nparameters += t->nmade;
    return DAL_OK;
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* A list of texts, unless there is one already. */
static dal_status read_texts(dal_sweep_section *t, const char *key, const char ***to, const char *const **list, int *n)
{
    const dal_json *value = dal_json_member(t->json, key);
    if (value == NULL || *n > 0) {
        return DAL_OK;
    }
    *to = dal_alloc_zero(t->ctx, (dal_json_length(value) + 1) * sizeof **to);
    if (*to == NULL) {
        return dal_sweep_no_memory(t->ctx);
    }
    if (!dal_json_is(value, DAL_JSON_LIST)) {
        return bad(t, key, "a list of texts");
    }
    for (size_t k = 0; k < dal_json_length(value); ++k) {
        (*to)[k] = dal_json_text(dal_json_item(value, k));
        if ((*to)[k] == NULL) {
            return bad(t, key, "a list of texts");
        }
    }
    *list = *to;
    *n = (int)dal_json_length(value);
    return DAL_OK;
}

static dal_status read_times(dal_sweep_section *t, dal_sweep_spec *spec)
{
    const dal_json *list = dal_json_member(t->json, "times");
    if (list == NULL || spec->ntimes > 0) {
        return DAL_OK;
    }
    t->times = dal_alloc_zero(t->ctx, (dal_json_length(list) + 1) * sizeof *t->times);
    if (t->times == NULL) {
        return dal_sweep_no_memory(t->ctx);
    }
    for (size_t k = 0; k < dal_json_length(list); ++k) {
        if (!dal_json_is(dal_json_item(list, k), DAL_JSON_NUMBER)) {
            return bad(t, "times", "a list of numbers");
        }
        t->times[k] = dal_json_number(dal_json_item(list, k));
    }
    spec->times = t->times;
    spec->ntimes = (int)dal_json_length(list);
    return DAL_OK;
}

static dal_status read_numbers(dal_sweep_section *t, dal_sweep_spec *spec)
{
    const dal_json *samples = dal_json_member(t->json, "samples"), *seed = dal_json_member(t->json, "seed"),
                   *design = dal_json_member(t->json, "design");
    if (samples != NULL && !(dal_json_number(samples) >= 1.0 && dal_json_number(samples) <= 2e9)) {
        return bad(t, "samples", "a positive whole number");
    }
    if (seed != NULL &&
        !(dal_json_is(seed, DAL_JSON_NUMBER) && dal_json_number(seed) >= 0.0 && dal_json_number(seed) < 9e15)) {
        return bad(t, "seed", "a whole number from 0 on");
    }
    spec->samples = spec->samples == 0 && samples != NULL ? (long)dal_json_number(samples) : spec->samples;
    spec->seed = spec->seed == 0 && seed != NULL ? (unsigned long long)dal_json_number(seed) : spec->seed;
    if (design != NULL && spec->design == DAL_SWEEP_AUTO) {
        int k = DAL_SWEEP_SALTELLI;
        while (k > 0 && (!dal_json_is(design, DAL_JSON_TEXT) ||
                         strcmp(dal_json_text(design), dal_sweep_design_name((dal_sweep_design)k)) != 0)) {
            --k;
        }
        if (k == 0) {
            return bad(t, "design", "grid, random, lhs, sobol or saltelli");
        }
        spec->design = (dal_sweep_design)k;
    }
    return DAL_OK;
}

/* The document has been opened: it is an object, and its keys are known. */
static dal_status read_section(dal_sweep_section *t, dal_sweep_spec *spec)
{
    DAL_TRY(read_parameters(t, spec));
    DAL_TRY(read_texts(t, "collect", &t->collect, &spec->collect, &spec->ncollect));
    DAL_TRY(read_texts(t, "trajectories", &t->trajectory, &spec->trajectory, &spec->ntrajectories));
    DAL_TRY(read_times(t, spec));
    return read_numbers(t, spec);
}

dal_status dal_sweep_section_read(dal_sweep_section **section, dal_ctx *ctx, dal_sweep_spec *spec)
{
    DAL_NEED(ctx, section);
    *section = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    const dal_load_options how = {.set = spec->set, .nset = spec->nset, .files_outside = spec->files_outside};
    dal_document *doc;
    DAL_TRY(dal_document_open_with(&doc, ctx, spec->source, &how));
    const dal_json *root;
    const char *text = dal_document_text(doc);
    const dal_status parsed = dal_json_parse(&root, ctx, text, strlen(text), spec->source);
    dal_document_destroy(doc);
    DAL_TRY(parsed);
    const dal_json *json = dal_json_member(root, "sweep");
    dal_sweep_section *t = json != NULL ? dal_alloc_zero(ctx, sizeof *t) : NULL;
    if (t == NULL) {
        dal_json_destroy(root, ctx);
        return json == NULL ? DAL_OK : dal_sweep_no_memory(ctx);
    }
    *t = (dal_sweep_section){.ctx = ctx, .root = root, .json = json};
    const dal_status st = read_section(t, spec);
    if (st != DAL_OK) {
        dal_sweep_section_destroy(t);
        return dal_fail_in(ctx, st, "%s", spec->source);
    }
    *section = t;
    return DAL_OK;
}
