/* The section "sweep" of a model:
 *     "sweep": {"vary": {"L": "0.1:0.5:41", "k": [1e3, 2e3]}, "random": {"m": "normal(1,0.05)"}, "samples": 1000,
 *               "design": "lhs", "seed": 7, "collect": ["max(A.force)"], "trajectories": ["A.force"], "times": [0, 1]} */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sweep/sweep_impl.h"

struct dal_sweep_section {
    dal_pool pool;
    const dal_json *root, *json; /* the model, and its section */
};

enum { LONGEST = 100000 };

static dal_status bad(const dal_sweep_section *t, const char *key, const char *what)
{
    return dal_fail(t->pool.ctx, DAL_EINVAL, "/sweep/%.100s: expected %s", key, what);
}

void dal_sweep_section_destroy(dal_sweep_section *t)
{
    if (t != NULL) {
        dal_ctx *ctx = t->pool.ctx;
        dal_json_destroy(t->root, ctx);
        dal_pool_release(&t->pool);
        dal_free(ctx, t);
    }
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

/* "NAME=list:1,2" or "NAME=TEXT". */
static dal_status parameter_text(dal_sweep_section *t, char *text, const char *name, const dal_json *value)
{
    if (dal_json_is(value, DAL_JSON_TEXT)) {
        snprintf(text, LONGEST, "%.300s=%.50000s", name, dal_json_text(value));
        return DAL_OK;
    }
    if (dal_json_length(value) == 0) {
        return bad(t, name, "a text like \"0.1:0.5:41\" or \"normal(1,0.05)\", or a list of numbers");
    }
    size_t n = (size_t)snprintf(text, LONGEST, "%.300s=list:", name);
    for (size_t k = 0; k < dal_json_length(value); ++k) {
        const dal_json *one = dal_json_item(value, k);
        char digits[DAL_NUMBER_SIZE];
        if (!dal_json_is(one, DAL_JSON_NUMBER) || n + DAL_NUMBER_SIZE + 2 > LONGEST) {
            return bad(t, name, "a list of numbers, not too long");
        }
        dal_number_format(digits, dal_json_number(one));
        n += (size_t)snprintf(text + n, LONGEST - n, "%s%s", k > 0 ? "," : "", digits);
    }
    return DAL_OK;
}

/* One of them, unless the caller has it. */
static dal_status read_parameter(dal_sweep_section *t, const dal_sweep_spec *spec, const dal_json *value, char *text,
                                 const char **parameter, int *n)
{
    if (given(spec, value->key)) {
        return DAL_OK;
    }
    DAL_TRY(parameter_text(t, text, value->key, value));
    DAL_TAKE_TEXT(&t->pool, parameter[*n], text);
    ++*n;
    return DAL_OK;
}

static dal_status read_parameters(dal_sweep_section *t, dal_sweep_spec *spec)
{
    static const char *const group[2] = {"vary", "random"};
    const dal_json *const of[2] = {dal_json_member(t->json, group[0]), dal_json_member(t->json, group[1])};
    const char **parameter;
    char *text;
    int n = spec->nparameters;
    DAL_TAKE(&t->pool, parameter, dal_json_members(of[0]) + dal_json_members(of[1]) + (size_t)n + 1);
    DAL_TAKE(&t->pool, text, LONGEST);
    for (int k = 0; k < n; ++k) {
        parameter[k] = spec->parameter[k];
    }
    for (int g = 0; g < 2; ++g) {
        if (of[g] != NULL && !dal_json_is(of[g], DAL_JSON_OBJECT)) {
            return bad(t, group[g], "an object");
        }
        for (size_t k = 0; k < dal_json_members(of[g]); ++k) {
            DAL_TRY(read_parameter(t, spec, dal_json_item(of[g], k), text, parameter, &n));
        }
    }
    spec->parameter = parameter;
    spec->nparameters = n;
    return DAL_OK;
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* A list of texts, unless there is one already. */
static dal_status read_texts(dal_sweep_section *t, const char *key, const char *const **list, int *n)
{
    const dal_json *value = dal_json_member(t->json, key);
    if (value == NULL || *n > 0) {
        return DAL_OK;
    }
    const dal_status st = dal_sweep_json_texts(&t->pool, n, list, value);
    return st == DAL_EINVAL ? bad(t, key, "a list of texts") : st;
}

static dal_status read_times(dal_sweep_section *t, dal_sweep_spec *spec)
{
    const dal_json *value = dal_json_member(t->json, "times");
    if (value == NULL || spec->ntimes > 0) {
        return DAL_OK;
    }
    const dal_status st = dal_sweep_json_numbers(&t->pool, &spec->ntimes, &spec->times, value);
    return st == DAL_EINVAL ? bad(t, "times", "a list of numbers") : st;
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
        spec->design = dal_sweep_design_of_name(dal_json_text(design));
        return spec->design != DAL_SWEEP_AUTO ? DAL_OK : bad(t, "design", "grid, random, lhs, sobol or saltelli");
    }
    return DAL_OK;
}

/* The document has been opened: it is an object, and its keys are known. */
static dal_status read_section(dal_sweep_section *t, dal_sweep_spec *spec)
{
    DAL_TRY(read_parameters(t, spec));
    DAL_TRY(read_texts(t, "collect", &spec->collect, &spec->ncollect));
    DAL_TRY(read_texts(t, "trajectories", &spec->trajectory, &spec->ntrajectories));
    DAL_TRY(read_times(t, spec));
    return read_numbers(t, spec);
}

dal_status dal_sweep_section_read_(dal_sweep_section **section, dal_ctx *ctx, dal_sweep_spec *given, size_t size)
{
    DAL_NEED(ctx, section);
    *section = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED_AS(ctx, given, "spec");
    dal_sweep_spec spec = {0};
    DAL_TRY(dal_own_copy(ctx, &spec, sizeof spec, given, size, "dal_sweep_spec"));
    const dal_load_options how = {.set = spec.set, .nset = spec.nset, .files_outside = spec.files_outside};
    dal_document *doc;
    DAL_TRY(dal_document_open_with(&doc, ctx, spec.source, &how));
    const dal_json *root;
    const char *text = dal_document_text(doc);
    const dal_status parsed = dal_json_parse(&root, ctx, text, strlen(text), spec.source);
    dal_document_destroy(doc);
    DAL_TRY(parsed);
    const dal_json *json = dal_json_member(root, "sweep");
    dal_sweep_section *t = json != NULL ? dal_alloc_zero(ctx, sizeof *t) : NULL;
    if (t == NULL) {
        dal_json_destroy(root, ctx);
        return json == NULL ? DAL_OK : dal_sweep_no_memory(ctx);
    }
    *t = (dal_sweep_section){.pool = {.ctx = ctx, .what = "the section \"sweep\""}, .root = root, .json = json};
    const dal_status st = read_section(t, &spec);
    if (st != DAL_OK) {
        dal_sweep_section_destroy(t);
        return dal_fail_in(ctx, st, "%s", spec.source);
    }
    *section = t;
    dal_hand_out(given, size, &spec, sizeof spec);
    return DAL_OK;
}
