/* Making a binding: the variables that depend on the values, and every element of the document read once more, to record what
 * its numbers follow from (setup.c). */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/beams.h"
#include "io/binding_impl.h"

/* ---- variables -------------------------------------------------------------------------------- */

static int find_name(const dal_binding *b, const char *name)
{
    for (int k = 0; k < b->nlive; ++k) {
        if (strcmp(b->name[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

static dal_status unknown_name(const dal_binding *b, const char *name)
{
    const char *words[IO_VARIABLES_MAX];
    char hint[DAL_HINT_SIZE];
    const io_variables *v = &b->doc->variables;
    if (dal_io_variable_find(&b->doc->words, name, strlen(name)) != NULL) {
        return dal_fail(b->ctx, DAL_EINVAL, "%s: '%s' is a word: texts belong to the structure", b->doc->source, name);
    }
    for (int k = 0; k < v->n; ++k) {
        words[k] = v->item[k].name;
    }
    const char *near = dal_nearest(name, words, v->n);
    return dal_fail(b->ctx, DAL_EINVAL, "%s: no variable '%s'%s; numbers of elements are as \"bodies.rod.mass\"",
                    b->doc->source, name, dal_hint(hint, near));
}

/* The names of the values: variables, or "" of numbers of elements. */
static dal_status take_names(dal_binding *b, const char *const *names, int n)
{
    b->n = b->nlive = n;
    for (int k = 0; k < n; ++k) {
        DAL_NEED_AS(b->ctx, names[k], "name");
        b->name[k] = "";
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < k; ++i) {
            if (strcmp(names[i], names[k]) == 0) {
                return dal_fail(b->ctx, DAL_EINVAL, "%s: '%s' is given twice", b->doc->source, names[k]);
            }
        }
        const io_variable *v = dal_io_variable_find(&b->doc->variables, names[k], strlen(names[k]));
        if (v != NULL) {
            b->name[k] = v->name;
        } else if (strchr(names[k], '.') == NULL) {
            return unknown_name(b, names[k]);
        }
    }
    return DAL_OK;
}

static dal_status too_many(const dal_binding *b, int n)
{
    return dal_fail(b->ctx, DAL_EINVAL, "%s: %d values with the variables that follow from them are more than %d",
                    b->doc->source, n, IO_LIVE_MAX);
}

/* Variables that depend on the values, on variables that do, and so on. */
static dal_status take_dependent(const io_loader *L, dal_binding *b)
{
    const io_variables *v = &b->doc->variables;
    for (int more = 1; more;) {
        more = 0;
        for (int k = 0; k < v->n; ++k) {
            const dal_expression *e = NULL;
            if (find_name(b, v->item[k].name) >= 0) {
                continue;
            }
            const io_loader there = dal_io_where(L, &v->item[k]);
            DAL_TRY(dal_io_formula(&there, &e, v->item[k].text));
            if (e != NULL) {
                if (b->nlive == IO_LIVE_MAX) {
                    return too_many(b, b->n);
                }
                b->name[b->nlive++] = v->item[k].name;
                more = 1;
            }
        }
    }
    return DAL_OK;
}

/* Their order: each after those it depends on, which were found in any order. */
static dal_status order_dependent(const io_loader *L, dal_binding *b)
{
    for (int k = b->n; k < b->nlive; ++k) {
        int placed = 0;
        for (int i = k; i < b->nlive && !placed; ++i) {
            const io_variable *v = dal_io_variable_find(&b->doc->variables, b->name[i], strlen(b->name[i]));
            const dal_expression *e = NULL;
            int ready = 1;
            const io_loader there = dal_io_where(L, v);
            DAL_TRY(dal_io_formula(&there, &e, v->text));
            for (int j = k; j < b->nlive; ++j) {
                ready &= e == NULL || !dal_expression_uses(e, j);
            }
            if (ready) {
                const char *name = b->name[i];
                b->name[i] = b->name[k];
                b->name[k] = name;
                placed = 1;
            }
        }
    }
    for (int k = b->n; k < b->nlive; ++k) {
        const io_variable *v = dal_io_variable_find(&b->doc->variables, b->name[k], strlen(b->name[k]));
        const io_loader there = dal_io_where(L, v);
        DAL_TRY(dal_io_formula(&there, &b->value[k - b->n], v->text));
    }
    return DAL_OK;
}

static dal_status find_variables(const io_loader *L, dal_binding *b, const char *const *names, int n)
{
    if (n > IO_LIVE_MAX) {
        return too_many(b, n);
    }
    const int most = n + b->doc->variables.n; // what follows are variables
    b->name = dal_io_own(b, ((size_t)most + 1) * sizeof *b->name);
    b->value = dal_io_own(b, ((size_t)most + 1) * sizeof(void *));
    if (b->name == NULL || b->value == NULL) {
        return dal_io_no_memory(b->ctx);
    }
    DAL_TRY(take_names(b, names, n));
    DAL_TRY(take_dependent(L, b));
    return order_dependent(L, b);
}

/* ---- elements --------------------------------------------------------------------------------- */

static dal_status add_item(dal_binding *b, const io_item *item)
{
    DAL_GROW(b->ctx, b->item, b->capacity, b->nitems + 1);
    b->item[b->nitems++] = *item;
    return DAL_OK;
}

/* The name of an element for addresses; it is read again with the rest. */
static dal_status name_of(const io_loader *L, const io_node *at, char name[IO_TEXT])
{
    io_node child;
    name[0] = '\0';
    return dal_io_member(&child, at, "name") ? dal_io_name(L, name, &child) : DAL_OK;
}

/* The part of the program that was recorded for an element, if any of its numbers follow from values. */
static dal_status keep(const io_loader *L, const io_node *at)
{
    io_recorder *r = L->record;
    io_item *item = &r->element->item;
    char path[IO_TEXT];
    if (r->lost) {
        return dal_io_no_memory(L->ctx);
    }
    if (item->ntargets == 0) {
        return DAL_OK;
    }
    dal_io_path_text(path, sizeof path, at);
    item->path = dal_io_own_text(r->b, path[0] == '/' ? path + 1 : path);
    DAL_TRY(item->path != NULL ? add_item(r->b, item) : dal_io_no_memory(L->ctx));
    item->op = NULL; // the binding has them now
    item->target = NULL;
    return DAL_OK;
}

/* Read an element, by its reader or as a function of that name. */
static dal_status record(io_loader *L, const io_node *at, const char *section, const char *name, io_reader read,
                         int *number)
{
    io_element element = {.section = section, .name = name, .root = at, .nodes = 1 + L->record->b->nlive};
    io_element *before = L->record->element;
    L->record->element = &element;
    dal_status st = read != NULL ? read(L, at) : dal_io_read_function(L, number, at, name);
    st = st == DAL_OK ? keep(L, at) : st;
    L->record->element = before;
    dal_free(L->ctx, element.item.op);
    dal_free(L->ctx, element.item.target);
    dal_free(L->ctx, element.field);
    return st;
}

dal_status dal_io_function_element(io_loader *L, int *number, const io_node *at, const char *name)
{
    return L->record == NULL ? dal_io_read_function(L, number, at, name)
                             : record(L, at, "functions", name, NULL, number);
}

static dal_status record_named(io_loader *L, const io_node *at, const char *section, io_reader read)
{
    char name[IO_TEXT];
    DAL_TRY(name_of(L, at, name));
    return record(L, at, section, name, read, NULL);
}

static dal_status record_body(io_loader *L, const io_node *at)
{
    return record_named(L, at, "bodies", dal_io_body);
}

static dal_status record_joint(io_loader *L, const io_node *at)
{
    return record_named(L, at, "joints", dal_io_joint);
}

static dal_status record_force(io_loader *L, const io_node *at)
{
    return record_named(L, at, "forces", dal_io_force);
}

static dal_status record_output(io_loader *L, const io_node *at)
{
    return record_named(L, at, "outputs", dal_io_output);
}

static dal_status record_event(io_loader *L, const io_node *at)
{
    return record_named(L, at, "events", dal_io_event);
}

/* ---- the simulation --------------------------------------------------------------------------- */

/* t_end and h may depend on values; other options are those the simulation was created with. */
static dal_status take_option(const io_loader *L, dal_binding *b, const char *name, const char *text)
{
    const dal_expression *e = NULL;
    const dal_status st = dal_io_formula(L, &e, text);
    if (st == DAL_ENOMEM) {
        return st;
    }
    if (st != DAL_OK) {
        dal_ctx_clear(L->ctx); // a word
    }
    if (strcmp(name, "t_end") == 0) {
        b->t_end = e;
    } else if (strcmp(name, "h") == 0) {
        b->h = e;
    } else if (e != NULL) {
        return dal_fail(
            L->ctx, DAL_EINVAL,
            "%s: option '%s' = \"%.100s\" depends on a value that is bound; a simulation keeps the options it was "
            "created with, but h",
            L->source, name, text);
    }
    return DAL_OK;
}

/* Options of the file. */
static dal_status record_options(const io_loader *L, dal_binding *b, const io_node *root)
{
    const io_node plain = {.json = root->json};
    io_node at;
    if (!dal_io_member(&at, &plain, "simulation")) {
        return DAL_OK;
    }
    for (size_t k = 0; k < dal_json_members(at.json); ++k) {
        const dal_json *value = dal_json_item(at.json, k);
        const char *key = value->key;
        const io_node child = {.json = value, .up = &at, .key = key, .depth = 2};
        if (dal_json_is(value, DAL_JSON_TEXT)) {
            DAL_TRY(take_option(L, b, key, dal_json_text(value)));
        } else if (strcmp(key, "note") != 0) {
            DAL_TRY(dal_io_must_be_fixed(L, &child, "a simulation keeps the options it was created with"));
        }
    }
    return DAL_OK;
}

/* And those it was opened with, which replace them. */
static dal_status record_simulation(const io_loader *L, dal_binding *b, const io_node *root)
{
    DAL_TRY(record_options(L, b, root));
    for (int k = 0; k < b->doc->nset; ++k) {
        const char *name, *text;
        char word[IO_TEXT];
        size_t n = dal_io_assignment(&name, &text, b->doc->set[k]);
        const size_t option_n = dal_io_option_name(&name, n);
        n = option_n > 0 ? option_n : n;
        if (n < IO_TEXT && text != NULL && (option_n > 0 || !dal_io_named(b->doc, name, n))) {
            memcpy(word, name, n);
            word[n] = '\0';
            DAL_TRY(take_option(L, b, word, text));
        }
    }
    return DAL_OK;
}

/* ---- the binding ------------------------------------------------------------------------------ */

static dal_status record_all(io_loader *L, dal_binding *b)
{
    const io_node root = {.json = b->json};
    DAL_TRY(record_simulation(L, b, &root));
    DAL_TRY(record(L, &root, "", "", dal_io_gravity, NULL));
    DAL_TRY(dal_io_functions(L, &root));
    DAL_TRY(dal_io_everywhere(L, &root, "bodies", record_body));
    DAL_TRY(dal_io_beams(L, &root));
    DAL_TRY(dal_io_contacts(L, &root));
    DAL_TRY(dal_io_everywhere(L, &root, "joints", record_joint));
    DAL_TRY(dal_io_everywhere(L, &root, "forces", record_force));
    DAL_TRY(dal_io_everywhere(L, &root, "outputs", record_output));
    return dal_io_everywhere(L, &root, "events", record_event);
}

static dal_status check_addresses(const dal_binding *b, const io_recorder *r)
{
    char hint[DAL_HINT_SIZE];
    for (int k = 0; k < b->n; ++k) {
        double x;
        if (b->name[k][0] != '\0' || r->found[k]) {
            continue;
        }
        if (dal_document_number(b->doc, &x, r->given[k]) == DAL_OK) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "%s: '%s' cannot change in a compiled model (meshes of beams, say, are made before). "
                            "sweep and gradient open the model anew with each value",
                            b->doc->source, r->given[k]);
        }
        return dal_fail(b->ctx, DAL_EINVAL, "%s: no number '%s' in the file%s", b->doc->source, r->given[k],
                        dal_hint(hint, r->near[0] ? r->near : NULL));
    }
    return DAL_OK;
}

void dal_io_note_call(const io_loader *L, int function)
{
    L->record->called[function] = 1;
}

/* Numbers that call functions are computed when the file is read: no value may change such a function. */
static dal_status check_called(const dal_binding *b, const io_recorder *r)
{
    for (int k = 0; k < b->nitems; ++k) {
        const int changed = b->item[k].number;
        for (int f = 1; b->item[k].kind == MB_FUNCTION && dal_model_function_name(b->doc->model, f) != NULL; ++f) {
            if (r->called[f] && mb_function_follows(b->doc->model, f, changed)) {
                return dal_fail(b->ctx, DAL_EINVAL,
                                "%s: a value that is bound changes function '%s', and numbers of the model call '%s'; "
                                "these are computed once, when the file is read",
                                b->doc->source, dal_model_function_name(b->doc->model, changed),
                                dal_model_function_name(b->doc->model, f));
            }
        }
    }
    return DAL_OK;
}

static dal_status prepare(dal_binding *b, io_recorder *r, const char *const *names, int n)
{
    int bodies = 1, functions = 1;
    while (dal_model_body_name(b->doc->model, bodies) != NULL) {
        ++bodies;
    }
    while (dal_model_function_name(b->doc->model, functions) != NULL) {
        ++functions;
    }
    r->b = b;
    r->given = names;
    r->found = dal_io_own(b, ((size_t)n + 1) * sizeof *r->found);
    r->moved = dal_io_own(b, (size_t)bodies);
    r->called = dal_io_own(b, (size_t)functions);
    if (r->found == NULL || r->moved == NULL || r->called == NULL) {
        return dal_io_no_memory(b->ctx);
    }
    DAL_TRY(dal_io_parse(b->ctx, &b->json, b->doc->text, strlen(b->doc->text), b->doc->source));
    return dal_io_types_init(&b->types, b->ctx);
}

static dal_status make(dal_binding *b, const char *const *names, int n)
{
    io_element outside = {.section = NULL};
    io_recorder r = {.b = b, .element = &outside};
    dal_pool scratch = {.ctx = b->ctx, .what = "the model"};
    DAL_TRY(prepare(b, &r, names, n));
    b->doc->looks = 0;
    io_loader L = {.ctx = b->ctx,
                   .doc = b->doc,
                   .scratch = &scratch,
                   .model = b->doc->model,
                   .source = b->doc->source,
                   .types = b->types,
                   .files_outside = 1,
                   .record = &r};
    DAL_TRY(find_variables(&L, b, names, n));
    r.value = dal_io_own(b, ((size_t)b->nlive + 1) * sizeof *r.value);
    if (r.value == NULL) {
        return dal_io_no_memory(b->ctx);
    }
    for (int k = 0; k < b->nlive; ++k) {
        const io_variable *v = dal_io_variable_find(&b->doc->variables, b->name[k], strlen(b->name[k]));
        r.value[k] = v != NULL ? v->value : 0.0;
    }
    b->given = r.value;
    outside.nodes = 1 + b->nlive;
    dal_status st = record_all(&L, b);
    st = st == DAL_OK ? check_called(b, &r) : st;
    dal_pool_release(&scratch);
    dal_free(b->ctx, outside.item.op);
    dal_free(b->ctx, outside.field);
    return st == DAL_OK ? check_addresses(b, &r) : st;
}

dal_status dal_binding_create(dal_binding **binding, dal_ctx *ctx, const dal_document *doc, const char *const *names,
                              int n)
{
    DAL_NEED(ctx, binding);
    *binding = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, doc);
    if (n > 0) {
        DAL_NEED(ctx, names);
    }
    dal_binding *b = dal_alloc_zero(ctx, sizeof *b);
    if (b == NULL) {
        return dal_io_no_memory(ctx);
    }
    b->ctx = ctx;
    b->doc = (dal_document *)doc; // read only
    const dal_status st = n >= 0 ? make(b, names, n) : dal_fail(ctx, DAL_EINVAL, "%d values", n);
    if (st != DAL_OK) {
        dal_binding_destroy(b);
        return st;
    }
    *binding = b;
    return DAL_OK;
}
