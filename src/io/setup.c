/* The set-up program of a binding. While an element is read again, each of its numbers knows what it follows from: a live
 * value, an expression of live values, or a result of an operation. What is computed is written down here, once; setting
 * values runs through it (binding.c). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/binding_impl.h"
#include "io/look.h"
#include "mbs/pose.h"

/* ---- operations ------------------------------------------------------------------------------- */

/* Nodes for n results of an operation, of the element that is being read. */
static dal_status add_operation(const io_loader *L, const io_node *at, io_operation op, io_real *y, int n)
{
    io_element *e = L->record->element;
    char path[IO_TEXT];
    DAL_GROW(L->ctx, e->item.op, e->op_capacity, e->item.nops + 1);
    if (e->nodes + n > IO_NODES_MAX) {
        return dal_io_fail(L, at, "more than %d numbers of an element follow from values that are bound", IO_NODES_MAX);
    }
    dal_io_path_text(path, sizeof path, at);
    op.path = dal_io_own_text(L->record->b, path[0] == '/' ? path + 1 : path);
    if (op.path == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    op.first = e->nodes;
    for (int k = 0; k < n; ++k) {
        y[k].node = e->nodes++;
    }
    e->item.op[e->item.nops++] = op;
    return DAL_OK;
}

dal_status dal_io_apply(const io_loader *L, io_real *y, const io_node *at, io_kernel kernel, const io_real *x)
{
    const io_kernel_type *type = &dal_io_kernels[kernel];
    double in[IO_INPUTS_MAX] = {0.0}, out[IO_INPUTS_MAX];
    int live = 0;
    for (int k = 0; k < type->nin; ++k) {
        in[k] = x[k].x;
        live |= x[k].node != 0;
    }
    DAL_TRY(dal_io_compute(L, out, at, kernel, in));
    io_operation op = {.kernel = kernel};
    if (live) {
        io_real *kept = dal_io_own(L->record->b, (size_t)type->nin * sizeof *kept);
        if (kept == NULL) {
            return dal_io_no_memory(L->ctx);
        }
        memcpy(kept, x, (size_t)type->nin * sizeof *kept);
        op.in = kept;
    }
    for (int k = 0; k < type->nout; ++k) {
        y[k] = (io_real){out[k], 0};
    }
    return live ? add_operation(L, at, op, y, type->nout) : DAL_OK;
}

dal_status dal_io_pose(const io_loader *L, io_real pose[7], int body)
{
    double x[7];
    DAL_TRY(mb_model_pose(L->model, x, body));
    const int moved = L->record != NULL && body > 0 && L->record->moved[dal_model_body_of(L->model, body)];
    for (int k = 0; k < 7; ++k) {
        pose[k] = (io_real){x[k], moved ? -(1 + 7 * body + k) : 0};
    }
    return DAL_OK;
}

/* ---- fields of descriptions ------------------------------------------------------------------- */

static io_field *find_field(const io_loader *L, const double *at)
{
    const io_element *e = L->record != NULL ? L->record->element : NULL;
    for (int i = e != NULL ? e->nfields - 1 : -1; i >= 0; --i) {
        if (e->field[i].at == at) {
            return &e->field[i];
        }
    }
    return NULL;
}

static void add_field(const io_loader *L, io_field field)
{
    io_element *e = L->record->element;
    if (dal_grow(L->ctx, (void **)&e->field, &e->field_capacity, e->nfields + 1, sizeof *e->field) != DAL_OK) {
        L->record->lost = 1;
        return;
    }
    e->field[e->nfields++] = field;
}

void dal_io_store(const io_loader *L, double *field, const io_real *x, int n)
{
    for (int k = 0; k < n; ++k) {
        io_field *known = find_field(L, field + k);
        field[k] = x[k].x;
        if (known != NULL) {
            known->node = x[k].node;
        } else if (x[k].node != 0) {
            add_field(L, (io_field){field + k, x[k].node});
        }
    }
}

void dal_io_fetch(const io_loader *L, io_real *x, const double *field, int n)
{
    for (int k = 0; k < n; ++k) {
        const io_field *known = find_field(L, field + k);
        x[k] = (io_real){field[k], known != NULL ? known->node : 0};
    }
}

int dal_io_has_live(const io_loader *L, const double *field, int n)
{
    int live = 0;
    for (int k = 0; k < n; ++k) {
        const io_field *known = find_field(L, field + k);
        live |= known != NULL && known->node != 0;
    }
    return live;
}

io_item *dal_io_keep_fields(const io_loader *L, mb_kind kind, int number, const io_lists *lists)
{
    io_element *e = L->record->element;
    io_item *item = &e->item;
    item->kind = kind;
    item->number = number;
    for (int i = 0; i < e->nfields; ++i) {
        const uintptr_t at = (uintptr_t)e->field[i].at;
        for (int k = 0; k < 3 && e->field[i].node != 0; ++k) {
            const uintptr_t from = (uintptr_t)lists->from[k];
            if (from == 0 || at < from || at >= from + lists->size[k]) {
                continue;
            }
            if (dal_grow(L->ctx, (void **)&item->target, &e->target_capacity, item->ntargets + 1,
                         sizeof *item->target) != DAL_OK) {
                L->record->lost = 1;
                return item;
            }
            item->target[item->ntargets++] = (io_target){k, at - from, e->field[i].node};
        }
    }
    return item;
}

void dal_io_store_live(const io_loader *L, double *parameters, const int *live, int n)
{
    for (int k = 0; k < n; ++k) {
        dal_io_store(L, &parameters[k], &(io_real){L->record->value[live[k]], 1 + live[k]}, 1);
    }
}

/* ---- expressions ------------------------------------------------------------------------------ */

/* Number k of it; -1: it is a number. */
static dal_status formula(const io_loader *L, const dal_expression **e, const char *text, int k)
{
    dal_binding *b = L->record->b;
    dal_expression *made;
    *e = NULL;
    DAL_TRY(dal_io_compile_with(L, &made, k, text, b->name, b->nlive, 0));
    if (dal_expression_is_constant(made)) {
        dal_expression_destroy(made, L->ctx);
        return DAL_OK;
    }
    *e = made;
    return dal_io_own_block(b, made);
}

dal_status dal_io_formula(const io_loader *L, const dal_expression **e, const char *text)
{
    return formula(L, e, text, -1);
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
    if (L->record != NULL) {
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
    for (int k = 0; k < 3; ++k) {
        const dal_expression *e = NULL;
        const dal_status st = formula(L, &e, text, k);
        if (st == DAL_ENOMEM) {
            return st;
        }
        if (st != DAL_OK) {
            dal_ctx_clear(L->ctx);
            return DAL_OK;
        }
        *fixed &= e == NULL;
    }
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
        const io_node child = dal_io_item(at, k);
        DAL_TRY(dal_io_is_fixed(L, fixed, &child));
    }
    return DAL_OK;
}

dal_status dal_io_must_be_fixed(const io_loader *L, const io_node *at, const char *why) // NOLINT(misc-no-recursion)
{
    int fixed = 1;
    if (L->record == NULL) {
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
        const io_node child = dal_io_item(at, k);
        DAL_TRY(dal_io_must_be_fixed(L, &child, why));
    }
    return DAL_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

io_identity dal_io_record_as(const io_loader *L, io_identity as)
{
    if (L->record == NULL) {
        return as;
    }
    io_element *e = L->record->element;
    const io_identity before = {e->section, e->name, e->root};
    e->section = as.section;
    e->name = as.name;
    e->root = as.root;
    return before;
}

/* "bodies.rod.position.1" of a number below the element that is recorded. */
static void address_of(const io_loader *L, const io_node *at, char address[IO_TEXT])
{
    const io_element *e = L->record->element;
    const io_node *way[IO_DEPTH_MAX];
    int n = 0;
    for (; at != NULL && at->json != e->root->json && n < IO_DEPTH_MAX; at = at->up) {
        way[n++] = at;
    }
    size_t used = (size_t)snprintf(address, IO_TEXT, "%s%s%s", e->section, e->name[0] != '\0' ? "." : "", e->name);
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
    if (!wanted || r->element->section == NULL) {
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
        const int hints = r->b->n <= 32; // of many numbers the search for what may be meant takes longer than all else
        const char *near =
            hints && !r->found[k] ? dal_nearest(r->given[k], (const char *const[]){r->near, address}, 2) : NULL;
        if (near == address) {
            snprintf(r->near, IO_TEXT, "%s", address);
        }
    }
    return -1;
}

dal_status dal_io_record_number(const io_loader *L, io_real *x, const io_node *at)
{
    const dal_expression *e = NULL;
    const int value = find_address(L, at);
    if (value >= 0) {
        x->node = 1 + value;
        L->record->value[value] = x->x;
        return DAL_OK;
    }
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const dal_status st = dal_io_formula(L, &e, dal_json_text(at->json));
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
    }
    return e != NULL ? add_operation(L, at, (io_operation){.e = e}, x, 1) : DAL_OK;
}

/* A vector as an expression. */
dal_status dal_io_record_vector(const io_loader *L, io_real x[3], const io_node *at)
{
    for (int k = 0; k < 3; ++k) {
        const dal_expression *e = NULL;
        const dal_status st = formula(L, &e, dal_json_text(at->json), k);
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
        DAL_TRY(e != NULL ? add_operation(L, at, (io_operation){.e = e}, &x[k], 1) : DAL_OK);
    }
    return DAL_OK;
}

/* ---- expressions of laws, functions and rows -------------------------------------------------- */

enum { NAMES_MAX = 1 + DAL_INPUTS_MAX + IO_LIVE_MAX };

/* Which live values does a text use, beside the inputs? Those that are not in the list yet are added. */
dal_status dal_io_add_live(const io_loader *L, int live[DAL_PARAMETERS_MAX], int *n, const char *text,
                           const char *const *inputs, int ninputs)
{
    const dal_binding *b = L->record->b;
    const char *names[NAMES_MAX];
    dal_expression *e;
    memcpy(names, inputs, (size_t)ninputs * sizeof *names);
    memcpy(names + ninputs, b->name, (size_t)b->nlive * sizeof *names);
    DAL_TRY(dal_io_compile_with(L, &e, -1, text, names, ninputs + b->nlive, ninputs));
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
dal_status dal_io_compile_bound(const io_loader *L, dal_expression **e, const char *text, const char *const *inputs,
                                int ninputs, const int *live, int n)
{
    const char *names[NAMES_MAX];
    memcpy(names, inputs, (size_t)ninputs * sizeof *names);
    for (int k = 0; k < n; ++k) {
        names[ninputs + k] = L->record->b->name[live[k]];
    }
    DAL_TRY(dal_io_compile_with(L, e, -1, text, names, ninputs + n, ninputs));
    return dal_io_own_block(L->record->b, *e);
}

dal_status dal_io_live_of(const io_loader *L, int live[DAL_PARAMETERS_MAX], int *n, const io_node *at,
                          const char *const *inputs, int ninputs) // NOLINT(misc-no-recursion)
{
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const dal_status st = dal_io_add_live(L, live, n, dal_json_text(at->json), inputs, ninputs);
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
    const dal_status st = dal_io_compile_bound(L, e, dal_json_text(at->json), inputs, ninputs, live, n);
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
    DAL_TRY(dal_io_add_live(L, bound->live, &bound->n, text, inputs, ninputs));
    DAL_TRY(dal_io_compile_bound(L, &e, text, inputs, ninputs, bound->live, bound->n));
    bound->e = e;
    return DAL_OK;
}

dal_status dal_io_bind(const io_loader *L, const io_bound **bound, double parameters[DAL_PARAMETERS_MAX],
                       const io_node *at, const char *const *inputs, int ninputs)
{
    io_bound *made = dal_io_own(L->record->b, sizeof *made);
    if (made == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    const dal_status st = make_bound(L, dal_json_text(at->json), inputs, ninputs, made);
    if (st != DAL_OK) {
        return dal_io_fail_at(L, at, st);
    }
    *bound = made;
    dal_io_store_live(L, parameters, made->live, made->n);
    return DAL_OK;
}
