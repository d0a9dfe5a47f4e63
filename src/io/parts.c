/* Parts: a model uses other models. Their files are read once, before all else; the elements of a part are read where those of
 * the model are, with a prefix before their names and places moved by that of the part. */
#define _XOPEN_SOURCE 700

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "dalembert/import.h"
#include "io/io_impl.h"

enum { NESTED_MAX = 16 };

/* ---- files ------------------------------------------------------------------------------------ */

/* A file that parts use. */
struct io_file {
    char *source;
    const dal_json *json;
    io_file *next;
};

static const dal_builtin *find_builtin(dal_builtin *model, const char *name)
{
    for (int k = 0; k < dal_builtin_count(); ++k) {
        *model = dal_builtin_model(k);
        if (strcmp(model->name, name) == 0) {
            return model;
        }
    }
    return NULL;
}

/* What a part uses: a built-in model, or a file beside the one that uses it. */
static dal_status source_of(const io_loader *L, char source[PATH_MAX], const io_node *use)
{
    char name[IO_TEXT];
    dal_builtin model;
    DAL_TRY(dal_io_text(L, name, use));
    const char *slash = strrchr(L->source, '/');
    const int folder =
        name[0] == '/' || find_builtin(&model, name) != NULL || slash == NULL ? 0 : (int)(slash - L->source) + 1;
    snprintf(source, PATH_MAX, "%.*s%s", folder, L->source, name);
    return DAL_OK;
}

static const io_file *find_file(const io_loader *L, const char *source)
{
    const io_file *file = L->files != NULL ? *L->files : NULL;
    while (file != NULL && strcmp(file->source, source) != 0) {
        file = file->next;
    }
    return file;
}

static dal_status parse_import(const io_loader *L, const dal_json **json, const char *path)
{
    const dal_import_options options = {.files_outside = L->files_outside};
    dal_import *import;
    DAL_TRY(dal_import_create(&import, L->ctx, path, &options));
    const char *text = dal_import_text(import);
    const dal_status st = dal_io_parse(L->ctx, json, text, strlen(text), path);
    dal_import_destroy(import);
    return st;
}

static dal_status parse_file(const io_loader *L, const dal_json **json, const io_node *use, const char *source)
{
    dal_builtin model;
    char *path;
    *json = NULL;
    if (find_builtin(&model, source) != NULL) {
        return dal_io_parse(L->ctx, json, model.text, model.n, source);
    }
    DAL_TRY(dal_io_path(L, &path, use));
    const dal_status st = dal_import_is(path) ? parse_import(L, json, path) : dal_io_json_file(L->ctx, json, path);
    return st == DAL_OK ? st : dal_fail_in(L->ctx, st, "%s: the part \"%s\"", L->source, dal_json_text(use->json));
}

/* Who uses whom, from the inside to the outside. */
typedef struct chain {
    const char *source;
    const struct chain *user;
    int depth;
} chain;

static dal_status load_list(const io_loader *L, const io_node *list, const chain *users);

static dal_status check_circle(const io_loader *L, const io_node *use, const char *source, const chain *users)
{
    for (const chain *c = users; c != NULL; c = c->user) {
        if (strcmp(c->source, source) == 0) {
            return dal_io_fail(L, use, "'%s' uses itself%s; a part cannot contain itself", source,
                               c == users ? "" : " by way of other parts");
        }
    }
    return users->depth < NESTED_MAX
               ? DAL_OK
               : dal_io_fail(L, use, "parts are nested more than %d deep; is one a part of itself?", NESTED_MAX);
}

/* The files of a part, and of its parts. */
static dal_status load_part(const io_loader *L, const io_node *at, const chain *users) // NOLINT(misc-no-recursion)
{
    io_node use, parts;
    char source[PATH_MAX];
    if (dal_io_member(&parts, at, "model")) { // it stands there; its parts may be files
        const io_node model = parts;
        return dal_io_member(&parts, &model, "parts") ? load_list(L, &parts, users) : DAL_OK;
    }
    if (!dal_io_member(&use, at, "use")) {
        return DAL_OK;
    }
    DAL_TRY(source_of(L, source, &use));
    DAL_TRY(check_circle(L, &use, source, users));
    if (find_file(L, source) != NULL) {
        return DAL_OK;
    }
    io_file *file;
    DAL_TAKE(L->scratch, file, 1);
    DAL_TAKE_TEXT(L->scratch, file->source, source);
    DAL_TRY(parse_file(L, &file->json, &use, source));
    file->next = *L->files;
    *L->files = file;
    io_loader inner = *L;
    inner.source = file->source;
    const io_node root = {.json = file->json};
    const chain own = {source, users, users->depth + 1};
    DAL_TRY(dal_io_check_texts(&inner, &root));
    return dal_io_member(&parts, &root, "parts") ? load_list(&inner, &parts, &own) : DAL_OK;
}

static dal_status load_list(const io_loader *L, const io_node *list, const chain *users) // NOLINT(misc-no-recursion)
{
    if (list->depth > IO_DEPTH_MAX) {
        return dal_io_fail(L, list, "nested too deeply");
    }
    for (size_t k = 0; k < dal_io_length(list); ++k) {
        const io_node at = dal_io_element(list, k);
        io_node items;
        DAL_TRY(dal_io_member(&items, &at, "items") ? load_list(L, &items, users) : load_part(L, &at, users));
    }
    return DAL_OK;
}

dal_status dal_io_load_files(io_loader *L, const io_node *root)
{
    const chain own = {L->source, NULL, 0};
    io_node list;
    return dal_io_member(&list, root, "parts") ? load_list(L, &list, &own) : DAL_OK;
}

void dal_io_files_destroy(io_file *list, dal_ctx *ctx)
{
    for (; list != NULL; list = list->next) {
        dal_json_destroy(list->json, ctx);
    }
}

/* ---- one text with all of them ---------------------------------------------------------------- */

typedef struct writer {
    const io_loader *L;
    char *text;
    int n, capacity;
} writer;

static dal_status put(writer *w, const char *text, size_t n)
{
    if (n > (size_t)(IO_BYTES_MAX - w->n)) {
        return dal_fail(w->L->ctx, DAL_EINVAL, "%s: the model and its parts have more than %d bytes", w->L->source,
                        IO_BYTES_MAX);
    }
    DAL_GROW(w->L->ctx, w->text, w->capacity, w->n + (int)n + 1);
    memcpy(w->text + w->n, text, n);
    w->n += (int)n;
    return DAL_OK;
}

static dal_status put_text(writer *w, const char *text)
{
    const size_t n = dal_json_quote(NULL, text);
    DAL_GROW(w->L->ctx, w->text, w->capacity, w->n + (int)n + 1);
    w->n += (int)dal_json_quote(w->text + w->n, text);
    return DAL_OK;
}

static dal_status put_value(writer *w, const io_node *at);

/* The model of a part stands in it. */
static dal_status put_model(writer *w, const io_node *at) // NOLINT(misc-no-recursion)
{
    const io_loader *L = w->L;
    io_node use, model;
    char source[PATH_MAX];
    if (at->up == NULL || !dal_io_member(&use, at, "use") || dal_io_member(&model, at, "model")) {
        return DAL_OK;
    }
    DAL_TRY(source_of(L, source, &use));
    const io_file *file = find_file(L, source);
    if (file == NULL) { // not of a part
        return DAL_OK;
    }
    io_loader inner = *L;
    inner.source = file->source;
    const io_node root = {.json = file->json};
    DAL_TRY(put(w, ",\"model\":", 9));
    w->L = &inner;
    const dal_status st = put_value(w, &root);
    w->L = L;
    return st;
}

static dal_status put_items(writer *w, const io_node *at, int object) // NOLINT(misc-no-recursion)
{
    DAL_TRY(put(w, object ? "{" : "[", 1));
    for (size_t k = 0; k < at->json->n; ++k) {
        const io_node child = dal_io_item(at, k);
        DAL_TRY(k > 0 ? put(w, ",", 1) : DAL_OK);
        if (object) {
            DAL_TRY(put_text(w, child.key));
            DAL_TRY(put(w, ":", 1));
        }
        DAL_TRY(put_value(w, &child));
    }
    DAL_TRY(object ? put_model(w, at) : DAL_OK);
    return put(w, object ? "}\n" : "]", object ? 2 : 1);
}

static dal_status put_value(writer *w, const io_node *at) // NOLINT(misc-no-recursion): the depth of JSON is limited
{
    char digits[DAL_NUMBER_SIZE];
    switch (at->json->kind) {
    case DAL_JSON_LIST:
    case DAL_JSON_OBJECT:
        return put_items(w, at, at->json->kind == DAL_JSON_OBJECT);
    case DAL_JSON_TEXT:
        return put_text(w, dal_json_text(at->json));
    case DAL_JSON_NUMBER:
        dal_number_format(digits, dal_json_number(at->json));
        return put(w, digits, strlen(digits));
    case DAL_JSON_NULL:
        return put(w, "null", 4);
    default:
        return dal_json_is(at->json, DAL_JSON_TRUE) ? put(w, "true", 4) : put(w, "false", 5);
    }
}

dal_status dal_io_join_files(io_loader *L, const io_node *root)
{
    if (L->files == NULL || *L->files == NULL) {
        return DAL_OK;
    }
    writer w = {.L = L};
    dal_status st = put_value(&w, root);
    if (st == DAL_OK && w.text != NULL) {
        w.text[w.n] = '\0';
        L->doc->text = dal_pool_text(&L->doc->pool, w.text);
        st = L->doc->text != NULL ? DAL_OK : dal_io_no_memory(L->ctx);
    }
    dal_free(L->ctx, w.text);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static dal_status model_of(const io_loader *L, const io_node *at, io_node *root, char source[PATH_MAX])
{
    io_node use, model;
    const int named = dal_io_member(&use, at, "use");
    snprintf(source, PATH_MAX, "%s", L->source);
    if (named) {
        DAL_TRY(source_of(L, source, &use));
    }
    if (dal_io_member(&model, at, "model")) {
        *root = model;
        root->up = named ? NULL : model.up; // a file has paths of its own
        return DAL_OK;
    }
    const io_file *file = find_file(L, source);
    if (!named || file == NULL) {
        return dal_io_fail(L, at, "'use' is missing: the file or built-in model that the part is");
    }
    *root = (io_node){.json = file->json, .depth = at->depth};
    return DAL_OK;
}

/* Enter a part, and let what is under way visit it. What it says of gravity, simulation, sweep, assembly and view is not heeded: these are
 * those of the model. */
static dal_status read_part(io_loader *L, const io_node *at)
{
    char name[IO_TEXT], prefix[IO_TEXT], source[PATH_MAX];
    io_node child, root;
    DAL_TRY(dal_io_object(L, at, dal_io_form("part")));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_text(L, name, &child));
    if (!dal_expression_name(name) ||
        snprintf(prefix, sizeof prefix, "%s%s.", L->scope != NULL ? L->scope->prefix : "", name) >= IO_TEXT / 2) {
        return dal_io_fail(L, &child,
                           "'%.100s' cannot be the name of a part: letters, digits and _, and not that of a function",
                           name);
    }
    DAL_TRY(model_of(L, at, &root, source));
    const io_loader outer = *L;
    const io_scope scope = {.prefix = prefix, .outer = &outer, .part = at, .model = &root};
    L->scope = &scope;
    L->index = NULL;
    L->source = source;
    dal_status st = dal_io_object(L, &root, dal_io_form("model"));
    st = st == DAL_OK ? L->visit(L, &root) : st;
    L->scope = outer.scope;
    L->index = outer.index;
    L->source = outer.source;
    return st;
}

dal_status dal_io_parts(io_loader *L, const io_node *root, io_reader visit)
{
    const io_reader before = L->visit;
    L->visit = visit;
    const dal_status st = dal_io_each(L, root, "parts", read_part);
    L->visit = before;
    return st;
}

static dal_status visit_list(io_loader *L, const io_node *root)
{
    return dal_io_everywhere(L, root, L->list, L->read);
}

dal_status dal_io_everywhere(io_loader *L, const io_node *root, const char *key, io_reader read)
{
    DAL_TRY(dal_io_each(L, root, key, read));
    L->list = key;
    L->read = read;
    return dal_io_parts(L, root, visit_list);
}

/* ---- where they are --------------------------------------------------------------------------- */

dal_status dal_io_ground(const io_loader *L, int *body)
{
    io_node on;
    *body = DAL_GROUND;
    if (L->scope == NULL) {
        return DAL_OK;
    }
    return dal_io_member(&on, L->scope->part, "on") ? dal_io_body_number(L->scope->outer, body, &on)
                                                    : dal_io_ground(L->scope->outer, body);
}

/* Is it the name of a joint, and of no body? */
static dal_status in_joint(const io_loader *L, io_real pose[7], int *given, const io_node *at)
{
    char name[IO_TEXT];
    *given = 0;
    DAL_TRY(dal_io_name(L, name, at));
    if (strcmp(name, "ground") == 0 || dal_model_find_body(L->model, name) >= 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_joint_frame(L, pose, given, at));
    return *given
               ? DAL_OK
               : dal_io_fail(
                     L, at,
                     "no body '%.100s', and no joint of this name (bodies stand before those that are in their axes)",
                     name);
}

dal_status dal_io_reference(const io_loader *L, io_real pose[7], int *given, const io_node *at)
{
    io_node child;
    io_real both[14];
    int outer, body;
    if (dal_io_member(&child, at, "in")) {
        DAL_TRY(in_joint(L, pose, given, &child));
        if (*given) {
            return DAL_OK;
        }
        *given = 1;
        DAL_TRY(dal_io_body_number(L, &body, &child));
        if (body != DAL_GROUND || L->scope == NULL) {
            return dal_io_pose(L, pose, body);
        }
    }
    *given = 0;
    if (L->scope == NULL) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_reference(L->scope->outer, both, &outer, L->scope->part));
    *given = dal_io_member(&child, L->scope->part, "at");
    if (*given) {
        DAL_TRY(dal_io_frame(L->scope->outer, outer ? both + 7 : pose, &child));
    }
    if (outer) {
        memcpy(pose, both, 7 * sizeof *pose);
        DAL_TRY(*given ? dal_io_apply(L, pose, at, IO_PLACED, both) : DAL_OK);
    }
    *given |= outer;
    return DAL_OK;
}

dal_status dal_io_placed(const io_loader *L, io_real frame[7], const io_node *at)
{
    io_real both[14];
    int given = 0;
    DAL_TRY(dal_io_reference(L, both, &given, at));
    if (!given) {
        return DAL_OK;
    }
    memcpy(both + 7, frame, 7 * sizeof *frame);
    return dal_io_apply(L, frame, at, IO_PLACED, both);
}

dal_status dal_io_turned(const io_loader *L, io_real vector[3], const io_node *at)
{
    static const io_node nowhere = {.json = NULL};
    io_real pose[7], x[7];
    int given = 0;
    DAL_TRY(dal_io_reference(L, pose, &given, &nowhere));
    if (!given) {
        return DAL_OK;
    }
    memcpy(x, pose + 3, 4 * sizeof *x);
    memcpy(x + 4, vector, 3 * sizeof *x);
    return dal_io_apply(L, vector, at, IO_AHEAD, x);
}

dal_status dal_io_turn_field(const io_loader *L, double field[3], const io_node *at)
{
    io_real x[3];
    dal_io_fetch(L, x, field, 3);
    DAL_TRY(dal_io_turned(L, x, at));
    dal_io_store(L, field, x, 3);
    return DAL_OK;
}
