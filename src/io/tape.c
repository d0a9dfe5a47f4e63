/* Reading an element again with other values of variables: what is looked up is recorded once, and replayed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/binding_impl.h"

dal_status dal_io_lost(const io_loader *L)
{
    return dal_fail(
        L->ctx, DAL_EINVAL,
        "%s: with these values an element is read in another way than before; open the model anew with them",
        L->source);
}

/* ---- entries ---------------------------------------------------------------------------------- */

void dal_io_put(io_tape *tape, io_entry entry)
{
    if (tape->n == tape->capacity) {
        const int capacity = 2 * tape->capacity + 64;
        io_entry *larger = dal_alloc(tape->ctx, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            tape->lost = 1;
            return;
        }
        if (tape->n > 0) {
            memcpy(larger, tape->made, (size_t)tape->n * sizeof *larger);
        }
        dal_free(tape->ctx, tape->made);
        tape->made = larger;
        tape->capacity = capacity;
    }
    tape->made[tape->n++] = entry;
}

void dal_io_keep_whole(const io_loader *L, int *n)
{
    if (dal_io_mode(L) == IO_RECORD) {
        dal_io_put(L->tape, (io_entry){.kind = IO_WHOLE, .n = *n});
    } else if (dal_io_mode(L) == IO_REPLAY) {
        *n = dal_io_take(L->tape, IO_WHOLE).n;
    }
}

void dal_io_keep_pointer(const io_loader *L, const void **p)
{
    if (dal_io_mode(L) == IO_RECORD) {
        dal_io_put(L->tape, (io_entry){.kind = IO_POINTER, .p = *p});
    } else if (dal_io_mode(L) == IO_REPLAY) {
        *p = dal_io_take(L->tape, IO_POINTER).p;
    }
}

/* ---- expressions ------------------------------------------------------------------------------ */

dal_status dal_io_formula(const io_loader *L, const dal_expression **e, const char *text)
{
    dal_binding *b = L->record->b;
    dal_expression *made;
    *e = NULL;
    DAL_TRY(dal_io_compile_with(L, &made, text, b->name, b->nlive));
    if (dal_expression_is_constant(made)) {
        dal_expression_destroy(made, L->ctx);
        return DAL_OK;
    }
    *e = made;
    return dal_io_own_block(b, made);
}

/* Names of the live values that an expression uses: "'L', 'm'". */
static void name_causes(const io_loader *L, const dal_expression *e, char *text, size_t size)
{
    const dal_binding *b = L->record->b;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < b->nlive && used < size; ++k) {
        if (dal_expression_uses(e, k)) {
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "", b->name[k]);
        }
    }
}

dal_status dal_io_fixed(const io_loader *L, double *x, const char *text)
{
    const dal_expression *e = NULL;
    char causes[120];
    if (dal_io_mode(L) == IO_RECORD) {
        DAL_TRY(dal_io_formula(L, &e, text));
    }
    if (e != NULL) {
        name_causes(L, e, causes, sizeof causes);
        return dal_fail(
            L->ctx, DAL_EINVAL,
            "\"%.100s\" depends on %s and decides about the structure of the model (numbers of elements, names, "
            "shapes, options): open the model anew with this value",
            text, causes);
    }
    return dal_io_evaluate(L, x, text);
}

/* Does a text depend on the values? What is no expression does not. */
static dal_status is_fixed(const io_loader *L, const char *text, int *fixed)
{
    const dal_expression *e = NULL;
    const dal_status st = dal_io_formula(L, &e, text);
    if (st == DAL_ENOMEM) {
        return st;
    }
    if (st != DAL_OK) {
        dal_ctx_clear(L->ctx);
    }
    *fixed &= e == NULL;
    return DAL_OK;
}

/* The same, or one of the {expressions} in it. */
static dal_status text_is_fixed(const io_loader *L, const char *text, int *fixed)
{
    char inside[IO_TEXT];
    for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
        const size_t n = strcspn(at + 1, "}");
        if (n < IO_TEXT) {
            memcpy(inside, at + 1, n);
            inside[n] = '\0';
            DAL_TRY(is_fixed(L, inside, fixed));
        }
    }
    return is_fixed(L, text, fixed);
}

dal_status dal_io_is_fixed(const io_loader *L, int *fixed, const io_node *at) // NOLINT(misc-no-recursion)
{
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        return text_is_fixed(L, dal_json_text(at->json), fixed);
    }
    for (size_t k = 0; k < dal_io_length(at) && *fixed; ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_is_fixed(L, fixed, &element));
    }
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const dal_json *value = dal_json_item(at->json, k);
        const char *key = value->key;
        const io_node child = {.json = value, .up = at, .key = key, .depth = at->depth + 1};
        DAL_TRY(dal_io_is_fixed(L, fixed, &child));
    }
    return DAL_OK;
}

dal_status dal_io_must_be_fixed(const io_loader *L, const io_node *at, const char *why) // NOLINT(misc-no-recursion)
{
    int fixed = 1;
    if (dal_io_mode(L) != IO_RECORD) {
        return DAL_OK;
    }
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TRY(text_is_fixed(L, dal_json_text(at->json), &fixed));
        return fixed
                   ? DAL_OK
                   : dal_io_fail(L, at,
                                 "\"%.100s\" depends on a value that is bound: %s. Open the model anew with this value",
                                 dal_json_text(at->json), why);
    }
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_must_be_fixed(L, &element, why));
    }
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const dal_json *value = dal_json_item(at->json, k);
        const char *key = value->key;
        const io_node child = {.json = value, .up = at, .key = key, .depth = at->depth + 1};
        DAL_TRY(dal_io_must_be_fixed(L, &child, why));
    }
    return DAL_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* "bodies.rod.position.1" of a number below the element that is recorded. */
static void address_of(const io_loader *L, const io_node *at, char address[IO_TEXT])
{
    const io_recorder *r = L->record;
    const io_node *way[IO_DEPTH_MAX];
    int n = 0;
    for (; at != NULL && at->json != r->root->json && n < IO_DEPTH_MAX; at = at->up) {
        way[n++] = at;
    }
    size_t used =
        (size_t)snprintf(address, IO_TEXT, "%s%s%s", r->section, r->element[0] != '\0' ? "." : "", r->element);
    while (n-- > 0 && used < IO_TEXT) {
        const char *point = used > 0 ? "." : "";
        used += way[n]->key != NULL ? (size_t)snprintf(address + used, IO_TEXT - used, "%s%s", point, way[n]->key)
                                    : (size_t)snprintf(address + used, IO_TEXT - used, "%s%zu", point, way[n]->number);
    }
}

/* Which of the values is this number of an element? -1: none. */
static int find_address(const io_loader *L, const io_node *at)
{
    io_recorder *r = L->record;
    char address[IO_TEXT];
    int wanted = 0;
    for (int k = 0; k < r->b->n; ++k) {
        wanted |= r->b->name[k][0] == '\0';
    }
    if (!wanted || r->section == NULL) {
        return -1;
    }
    address_of(L, at, address);
    for (int k = 0; k < r->b->n; ++k) {
        if (r->b->name[k][0] != '\0') {
            continue;
        }
        if (strcmp(r->given[k], address) == 0) {
            r->found[k] = 1;
            return k;
        }
        const char *near = !r->found[k] ? dal_nearest(r->given[k], (const char *const[]){r->near, address}, 2) : NULL;
        if (near == address) {
            snprintf(r->near, IO_TEXT, "%s", address);
        }
    }
    return -1;
}

static dal_status record_number(const io_loader *L, const io_node *at, double *x)
{
    const dal_expression *e = NULL;
    const int value = find_address(L, at);
    if (value >= 0) {
        L->tape->live++;
        dal_io_put(L->tape, (io_entry){.kind = IO_VALUE, .n = value});
        return DAL_OK;
    }
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const dal_status st = dal_io_formula(L, &e, dal_json_text(at->json));
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
    }
    if (e != NULL) {
        L->tape->live++;
        dal_io_put(L->tape, (io_entry){.kind = IO_FORMULA, .e = e});
    } else {
        dal_io_put(L->tape, (io_entry){.kind = IO_CONSTANT, .x = *x});
    }
    return DAL_OK;
}

static double formula(const io_loader *L, const dal_expression *e)
{
    const double value = dal_expression_at(e, L->live);
    if (L->trace != NULL) {
        dal_trace_put(L->trace, (dal_trace_op){.e = e, .nout = 1}, &value, NULL);
    }
    return value;
}

/* A constant, one of the values, or an expression of them: as it was recorded. */
static double replayed(const io_loader *L)
{
    io_tape *tape = L->tape;
    const io_entry_kind kind = tape->at < tape->n ? tape->kept[tape->at].kind : IO_CONSTANT;
    switch (kind) {
    case IO_VALUE:
        return L->live[dal_io_take(tape, IO_VALUE).n];
    case IO_FORMULA:
        return formula(L, dal_io_take(tape, IO_FORMULA).e);
    default:
        return dal_io_take(tape, IO_CONSTANT).x;
    }
}

dal_status dal_io_tape_number(const io_loader *L, double *x, const io_node *at)
{
    if (dal_io_mode(L) == IO_RECORD) {
        return record_number(L, at, x);
    }
    const double value = replayed(L);
    if (!(fabs(value) <= IO_NUMBER_MAX)) {
        return dal_io_fail(L, at, "%g is out of range", value);
    }
    *x = value;
    return DAL_OK;
}

dal_status dal_io_tape_text(const io_loader *L, char text[IO_TEXT])
{
    if (dal_io_mode(L) == IO_REPLAY) {
        const char *kept = dal_io_take(L->tape, IO_TEXT_OF).text;
        kept = kept != NULL ? kept : "";
        memcpy(text, kept, strlen(kept) + 1); // it fitted when it was recorded
        return DAL_OK;
    }
    const char *copy = dal_io_own_text(L->record->b, text);
    if (copy == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    dal_io_put(L->tape, (io_entry){.kind = IO_TEXT_OF, .text = copy});
    return DAL_OK;
}

/* ---- expressions of laws, functions and rows -------------------------------------------------- */

enum { NAMES_MAX = 1 + DAL_INPUTS_MAX + IO_LIVE_MAX };

/* Which live values does a text use, beside the inputs? Those that are not in the list yet are added. */
static dal_status add_live(const io_loader *L, const char *text, const char *const *inputs, int ninputs,
                           int live[DAL_PARAMETERS_MAX], int *n)
{
    const dal_binding *b = L->record->b;
    const char *names[NAMES_MAX];
    dal_expression *e;
    memcpy(names, inputs, (size_t)ninputs * sizeof *names);
    memcpy(names + ninputs, b->name, (size_t)b->nlive * sizeof *names);
    DAL_TRY(dal_io_compile_with(L, &e, text, names, ninputs + b->nlive));
    dal_status st = DAL_OK;
    for (int k = 0; k < b->nlive && st == DAL_OK; ++k) {
        int known = !dal_expression_uses(e, ninputs + k);
        for (int i = 0; i < *n; ++i) {
            known |= live[i] == k;
        }
        if (!known && *n == DAL_PARAMETERS_MAX) {
            st =
                dal_fail(L->ctx, DAL_EINVAL, "it depends on more than %d variables that are bound", DAL_PARAMETERS_MAX);
        } else if (!known) {
            live[(*n)++] = k;
        }
    }
    dal_expression_destroy(e, L->ctx);
    return st;
}

/* Compiled with n live values as parameters behind the inputs. */
static dal_status compile_bound(const io_loader *L, const char *text, const char *const *inputs, int ninputs,
                                const int *live, int n, dal_expression **e)
{
    const char *names[NAMES_MAX];
    memcpy(names, inputs, (size_t)ninputs * sizeof *names);
    for (int k = 0; k < n; ++k) {
        names[ninputs + k] = L->record->b->name[live[k]];
    }
    DAL_TRY(dal_io_compile_with(L, e, text, names, ninputs + n));
    return dal_io_own_block(L->record->b, *e);
}

dal_status dal_io_live_of(const io_loader *L, int live[DAL_PARAMETERS_MAX], int *n, const io_node *at,
                          const char *const *inputs, int ninputs) // NOLINT(misc-no-recursion)
{
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const dal_status st = add_live(L, dal_json_text(at->json), inputs, ninputs, live, n);
        return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
    }
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_live_of(L, live, n, &element, inputs, ninputs));
    }
    return DAL_OK;
}

dal_status dal_io_bind_row(const io_loader *L, dal_expression **e, const io_node *at, const char *const *inputs,
                           int ninputs, const int *live, int n)
{
    const dal_status st = compile_bound(L, dal_json_text(at->json), inputs, ninputs, live, n, e);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

void *dal_io_own_zero(const io_loader *L, size_t size)
{
    return dal_io_own(L->record->b, size);
}

static dal_status make_bound(const io_loader *L, const char *text, const char *const *inputs, int ninputs,
                             io_bound *bound)
{
    dal_expression *e;
    bound->ninputs = ninputs;
    DAL_TRY(add_live(L, text, inputs, ninputs, bound->live, &bound->n));
    DAL_TRY(compile_bound(L, text, inputs, ninputs, bound->live, bound->n, &e));
    bound->e = e;
    return DAL_OK;
}

dal_status dal_io_bind(const io_loader *L, const io_bound **bound, double parameters[DAL_PARAMETERS_MAX],
                       const io_node *at, const char *const *inputs, int ninputs)
{
    const void *kept = NULL;
    if (dal_io_mode(L) == IO_RECORD) {
        io_bound *made = dal_io_own(L->record->b, sizeof *made);
        if (made == NULL) {
            return dal_io_no_memory(L->ctx);
        }
        const dal_status st = make_bound(L, dal_json_text(at->json), inputs, ninputs, made);
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
        L->tape->live += made->n;
        kept = made;
    }
    dal_io_keep_pointer(L, &kept);
    *bound = kept;
    for (int k = 0; *bound != NULL && k < (*bound)->n; ++k) {
        parameters[k] = dal_io_mode(L) == IO_REPLAY ? L->live[(*bound)->live[k]] : L->record->value[(*bound)->live[k]];
    }
    return DAL_OK;
}

void dal_io_uses_pose(const io_loader *L, int body)
{
    if (dal_io_mode(L) == IO_RECORD && body > 0) {
        L->tape->live += L->record->moved[dal_model_body_of(L->model, body)];
    }
}
