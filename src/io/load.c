/* A document: the text is parsed, variables are evaluated, and the elements are handed to the builder one by one. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/import.h"
#include "integrate/options.h"
#include "io/beams.h"
#include "io/io_impl.h"

/* ---- small things ----------------------------------------------------------------------------- */

dal_status dal_io_no_memory(dal_ctx *ctx)
{
    return dal_fail(ctx, DAL_ENOMEM, "no memory for the model");
}

/* ---- lists with repetition -------------------------------------------------------------------- */

static dal_status read_items(io_loader *L, const io_node *list, io_reader read);

enum { LOCALS_MAX = 32 };

/* The name of an index or a local variable is not taken. */
static dal_status check_index(const io_loader *L, const io_node *at, const char *name)
{
    char part[IO_TEXT];
    snprintf(part, sizeof part, "%.*s.x", IO_TEXT - 3, name);
    for (const io_index *i = L->index; i != NULL; i = i->outer) {
        if (strcmp(i->name, name) == 0) {
            return dal_io_fail(L, at, "'%.100s' is taken by a repetition around it", name);
        }
    }
    return dal_expression_name(name) && dal_io_variable(L, name) == NULL && dal_io_variable(L, part) == NULL
               ? DAL_OK
               : dal_io_fail(L, at, "'%.100s' cannot be an index: choose a name that is not taken", name);
}

/* "with": {"phi": "2*pi*i/N", "p": ["R*cos(phi)", "R*sin(phi)", 0]}: local variables, each of those before it. */
static dal_status read_locals(io_loader *L, const io_node *at, io_index local[LOCALS_MAX], int *n)
{
    io_node list;
    *n = 0;
    if (!dal_io_member(&list, at, "with")) {
        return DAL_OK;
    }
    if (!dal_json_is(list.json, DAL_JSON_OBJECT) || dal_json_members(list.json) > LOCALS_MAX) {
        return dal_io_fail(L, &list, "expected an object with at most %d local variables", LOCALS_MAX);
    }
    for (size_t k = 0; k < dal_json_members(list.json); ++k) {
        const io_node child = dal_io_item(&list, k);
        char *text;
        DAL_TRY(check_index(L, &child, child.key));
        DAL_TRY(dal_io_text_of(L, &text, L->scratch, &child));
        local[*n] = (io_index){.name = child.key, .text = text, .outer = L->index};
        L->index = &local[(*n)++];
    }
    return DAL_OK;
}

/* Each of them has a value. */
static dal_status check_locals(const io_loader *L, const io_node *with)
{
    for (size_t k = 0; k < dal_json_members(with->json); ++k) {
        const io_node child = dal_io_item(with, k);
        double x[3];
        int n;
        dal_dimension d;
        const dal_status st = dal_io_evaluate_all(L, x, &n, &d, child.key);
        if (st != DAL_OK) {
            return dal_io_fail_at(L, &child, st);
        }
    }
    return DAL_OK;
}

static dal_status repeat_items(io_loader *L, const io_node *at, io_index *index, const io_repetition *r, io_reader read)
{
    io_index local[LOCALS_MAX];
    io_node items, with;
    int n;
    DAL_TRY(dal_io_need(&items, L, at, "items"));
    DAL_TRY(read_locals(L, at, local, &n));
    for (int i = r->from; i <= r->to; ++i) {
        index->value = i;
        if (n > 0 && L->record == NULL && L->input_names) { // mistakes in them are found where they stand
            dal_io_member(&with, at, "with");
            DAL_TRY(check_locals(L, &with));
        }
        DAL_TRY(read_items(L, &items, read));
    }
    return DAL_OK;
}

/* {"repeat": "i", "from": 1, "to": "N", "with": {...}, "items": [...]} */
static dal_status repeat(io_loader *L, const io_node *at, io_reader read)
{
    io_texts texts;
    io_node child;
    io_repetition r = {.from = 1};
    DAL_TRY(dal_io_read(L, &r, &texts, at, dal_io_form("repetition")));
    DAL_TRY(dal_io_need(&child, L, at, "repeat"));
    DAL_TRY(check_index(L, &child, r.index));
    DAL_TRY(dal_io_need(&child, L, at, "to"));
    if ((long)r.to - r.from >= IO_ELEMENTS_MAX) {
        return dal_io_fail(L, &child, "%ld repetitions are more than %d", (long)r.to - r.from + 1, IO_ELEMENTS_MAX);
    }
    io_index index = {.name = r.index, .outer = L->index};
    L->index = &index;
    const dal_status st = repeat_items(L, at, &index, &r, read);
    L->index = index.outer;
    return st;
}

static dal_status read_items(io_loader *L, const io_node *list, io_reader read)
{
    DAL_TRY(dal_io_list(L, list, 0, IO_ELEMENTS_MAX));
    if (++L->elements > IO_ELEMENTS_MAX) {
        return dal_io_fail(L, list, "the model has more than %d elements", IO_ELEMENTS_MAX);
    }
    for (size_t k = 0; k < dal_io_length(list); ++k) {
        const io_node at = dal_io_element(list, k);
        if (++L->elements > IO_ELEMENTS_MAX) {
            return dal_io_fail(L, &at, "the model has more than %d elements", IO_ELEMENTS_MAX);
        }
        if (dal_json_member(at.json, "repeat") != NULL) {
            DAL_TRY(repeat(L, &at, read));
        } else {
            DAL_TRY(read(L, &at));
        }
    }
    return DAL_OK;
}

dal_status dal_io_each(io_loader *L, const io_node *root, const char *key, io_reader read)
{
    io_node list;
    return dal_io_member(&list, root, key) ? read_items(L, &list, read) : DAL_OK;
}

/* A list inside of an element: they are counted, then read one after the other. */
struct io_collection {
    char *item;
    size_t size;
    int n;
    io_item_reader read;
    void *user;
};

static dal_status count_item(io_loader *L, const io_node *at)
{
    (void)at;
    ++L->collection->n;
    return DAL_OK;
}

static dal_status collect_item(io_loader *L, const io_node *at)
{
    struct io_collection *c = L->collection;
    return c->read(L, c->item + c->size * (size_t)c->n++, at, c->user);
}

dal_status dal_io_collect(io_loader *L, void **list, int *n, const io_node *at, const char *key, size_t size,
                          io_item_reader read, void *user)
{
    struct io_collection c = {.size = size, .read = read, .user = user}, *const before = L->collection;
    const long elements = L->elements;
    L->collection = &c;
    dal_status st = dal_io_each(L, at, key, count_item);
    L->elements = elements;
    *n = c.n;
    c.n = 0;
    c.item = st == DAL_OK ? dal_pool_take(L->scratch, (size_t)*n, size) : NULL;
    st = st == DAL_OK && c.item == NULL ? dal_io_no_memory(L->ctx) : st;
    *list = c.item;
    st = st == DAL_OK ? dal_io_each(L, at, key, collect_item) : st;
    L->collection = before;
    return st;
}

/* ---- the document ----------------------------------------------------------------------------- */

static dal_status read_text(const io_loader *L, const io_node *root, const char *key, const char *otherwise,
                            char **text)
{
    io_node at;
    const char *value = otherwise;
    if (dal_io_member(&at, root, key)) {
        if (!dal_json_is(at.json, DAL_JSON_TEXT)) {
            return dal_io_fail(L, &at, "expected a text");
        }
        value = dal_json_text(at.json);
        DAL_TRY(dal_io_plain(L, &at, value));
    }
    DAL_TAKE_TEXT(&L->doc->pool, *text, value);
    return DAL_OK;
}

static dal_status read_head(io_loader *L, const io_node *root)
{
    io_node at;
    int version;
    DAL_TRY(dal_io_object(L, root, dal_io_form("model")));
    DAL_TRY(dal_io_need(&at, L, root, "dalembert"));
    DAL_TRY(dal_io_integer(L, &version, &at));
    if (version != 1) {
        return dal_io_fail(L, &at, "this is format %d; this version of the library reads format 1", version);
    }
    DAL_TRY(read_text(L, root, "name", "model", &L->doc->name));
    return read_text(L, root, "title", "", &L->doc->title);
}

/* Its keys; dalembert sweep reads the values. */
static dal_status check_sweep(const io_loader *L, const io_node *root)
{
    io_node at;
    return dal_io_member(&at, root, "sweep") ? dal_io_object(L, &at, dal_io_form("sweep")) : DAL_OK;
}

/* Those of the model and its parts; if there are none, some that everybody wants to see. */
static dal_status read_outputs(io_loader *L, const io_node *root)
{
    io_node at;
    DAL_TRY(dal_io_everywhere(L, root, "outputs", dal_io_output));
    return dal_io_member(&at, root, "outputs") || dal_model_output_count(L->model) > 0 ? DAL_OK
                                                                                       : dal_io_default_outputs(L);
}

/* What elements are made from. */
static dal_status read_numbers(io_loader *L, const io_node *root, const char *const *set, int nset)
{
    DAL_TRY(read_head(L, root));
    DAL_TRY(dal_io_variables(L, root, set, nset));
    DAL_TRY(dal_io_simulation(L, root, set, nset));
    DAL_TRY(dal_io_gravity(L, root));
    DAL_TRY(dal_io_functions(L, root));
    return dal_io_variables_left(L, root);
}

static dal_status read_model(io_loader *L, const io_node *root, const char *const *set, int nset)
{
    DAL_TRY(read_numbers(L, root, set, nset));
    DAL_TRY(dal_io_everywhere(L, root, "bodies", dal_io_body));
    DAL_TRY(dal_io_beams(L, root));
    DAL_TRY(dal_io_everywhere(L, root, "joints", dal_io_joint));
    DAL_TRY(dal_io_everywhere(L, root, "forces", dal_io_force));
    DAL_TRY(dal_io_assembly(L, root));
    DAL_TRY(dal_io_view(L, root));
    DAL_TRY(dal_io_contacts(L, root));
    DAL_TRY(check_sweep(L, root));
    DAL_TRY(read_outputs(L, root));
    DAL_TRY(dal_io_everywhere(L, root, "events", dal_io_event));
    return dal_io_inputs(L, root);
}

static dal_status load(dal_document *doc, const dal_json *json, const char *name, const dal_load_options *how)
{
    dal_pool scratch = {.ctx = doc->ctx, .what = "the model"};
    io_file *files = NULL;
    io_loader L = {.ctx = doc->ctx,
                   .doc = doc,
                   .scratch = &scratch,
                   .source = name,
                   .files = &files,
                   .files_outside = how->files_outside};
    const io_node root = {.json = json};
    DAL_TRY(dal_io_check_texts(&L, &root));
    DAL_TRY(dal_model_create(&doc->model, doc->ctx));
    L.model = doc->model;
    doc->looks = 0;
    dal_status st = dal_io_types_init(&L.types, L.ctx);
    st = st == DAL_OK ? dal_io_load_files(&L, &root) : st;
    st = st == DAL_OK ? dal_io_join_files(&L, &root) : st;
    st = st == DAL_OK ? read_model(&L, &root, how->set, how->nset) : st;
    dal_io_files_destroy(files, L.ctx);
    dal_io_types_release(&L.types, L.ctx);
    dal_pool_release(&scratch);
    return st;
}

dal_status dal_io_parse(dal_ctx *ctx, const dal_json **json, const char *text, size_t n, const char *name)
{
    *json = NULL;
    if (n > IO_BYTES_MAX) {
        return dal_fail(ctx, DAL_EINVAL, "%s: a model file has at most %d bytes", name, IO_BYTES_MAX);
    }
    return dal_json_parse(json, ctx, text, n, name);
}

/* The text, and what was set when the document was opened. */
static dal_status keep_source(dal_document *doc, const char *text, size_t n, const char *name,
                              const dal_load_options *how)
{
    DAL_TAKE(&doc->pool, doc->text, n + 1);
    memcpy(doc->text, text, n);
    DAL_TAKE_TEXT(&doc->pool, doc->source, name);
    DAL_TAKE(&doc->pool, doc->set, how->nset);
    for (; doc->nset < how->nset; ++doc->nset) {
        DAL_TAKE_TEXT(&doc->pool, doc->set[doc->nset], how->set[doc->nset]);
    }
    DAL_TAKE(&doc->pool, doc->without, how->nwithout);
    DAL_TAKE(&doc->pool, doc->left_out, how->nwithout);
    for (; how->without != NULL && doc->nwithout < how->nwithout; ++doc->nwithout) {
        DAL_TAKE_TEXT(&doc->pool, doc->without[doc->nwithout], how->without[doc->nwithout]);
    }
    return DAL_OK;
}

/* What is to be left out must have been there. */
static dal_status check_left_out(const dal_document *doc)
{
    for (int k = 0; k < doc->nwithout; ++k) {
        if (doc->left_out[k] == 0) {
            return dal_fail(doc->ctx, DAL_EINVAL, "%s: no joint or force '%.100s' to leave out", doc->source,
                            doc->without[k]);
        }
    }
    return DAL_OK;
}

static dal_status parse_document(dal_document **doc, dal_ctx *ctx, const char *text, size_t n, const char *name,
                                 const dal_load_options *how)
{
    const dal_json *json;
    dal_pool pool = {.ctx = ctx, .what = "the model"};
    *doc = NULL;
    DAL_TRY(dal_io_parse(ctx, &json, text, n, name));
    dal_document *made = dal_pool_take(&pool, 1, sizeof *made);
    dal_status st = DAL_ENOMEM;
    if (made != NULL) {
        made->pool = pool;
        made->ctx = ctx;
        st = keep_source(made, text, n, name, how);
        st = st == DAL_OK ? dal_io_replace(ctx, json, name, how) : st;
        st = st == DAL_OK ? load(made, json, name, how) : st;
        st = st == DAL_OK ? check_left_out(made) : st;
    }
    dal_json_destroy(json, ctx);
    if (st != DAL_OK) {
        dal_document_destroy(made);
        return st;
    }
    *doc = made;
    return DAL_OK;
}

dal_status dal_io_json_file(dal_ctx *ctx, const dal_json **json, const char *path)
{
    char *text;
    size_t n;
    *json = NULL;
    dal_status st = dal_io_read_file(ctx, &text, &n, path);
    st = st == DAL_OK ? dal_io_parse(ctx, json, text, n, path) : st;
    dal_free(ctx, text);
    return st;
}

static dal_status no_source(dal_ctx *ctx, const char *source, int error)
{
    const char *words[256];
    int n = 0;
    for (; n < dal_builtin_count() && n < 256; ++n) {
        words[n] = dal_builtin_model(n).name;
    }
    char hint[DAL_HINT_SIZE];
    return dal_fail(ctx, DAL_EIO, "cannot open '%s': %s, and no built-in model has this name%s", source,
                    strerror(error), dal_hint(hint, dal_nearest(source, words, n)));
}

/* A description of a robot: the model that it becomes. What is lost on the way is warned of. */
static dal_status import_document(dal_document **doc, dal_ctx *ctx, const char *source, const dal_load_options *how)
{
    const dal_import_options options = {.files_outside = how->files_outside};
    dal_import *import;
    DAL_TRY(dal_import_create(&import, ctx, source, &options));
    for (int k = 0; k < dal_import_note_count(import); ++k) {
        const dal_import_note note = dal_import_note_at(import, k);
        if (note.lost != 0) {
            dal_log(ctx, DAL_LOG_WARNING, "%s%s: %s", note.lost == 1 ? "not kept: " : "", note.what, note.names);
        }
    }
    const char *text = dal_import_text(import);
    const dal_status st = parse_document(doc, ctx, text, strlen(text), source, how);
    dal_import_destroy(import);
    return st;
}

dal_status dal_document_open_with_(dal_document **doc, dal_ctx *ctx, const char *source, const dal_load_options *how,
                                   size_t size)
{
    DAL_NEED(ctx, doc);
    *doc = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, source);
    static const dal_load_options plain = {0};
    DAL_OWN(ctx, dal_load_options, how);
    how = how != NULL ? how : &plain;
    DAL_TRY(dal_null_text(ctx, __func__, "set", how->set, how->nset));
    DAL_TRY(dal_null_text(ctx, __func__, "without", how->without, how->nwithout));
    DAL_TRY(dal_null_text(ctx, __func__, "address", how->address, how->nnumbers));
    if (how->text != NULL) {
        return parse_document(doc, ctx, how->text, strlen(how->text), source, how);
    }
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin model = dal_builtin_model(k);
        if (strcmp(model.name, source) == 0) {
            return parse_document(doc, ctx, model.text, model.n, model.name, how);
        }
    }
    if (access(source, F_OK) != 0) {
        return no_source(ctx, source, errno);
    }
    if (dal_import_is(source)) {
        return import_document(doc, ctx, source, how);
    }
    char *text;
    size_t n;
    dal_status st = dal_io_read_file(ctx, &text, &n, source);
    if (st == DAL_OK) {
        st = parse_document(doc, ctx, text, n, source, how);
    }
    dal_free(ctx, text);
    return st;
}

dal_status dal_document_open(dal_document **doc, dal_ctx *ctx, const char *source, const char *const *set, int nset)
{
    const dal_load_options how = {.set = set, .nset = nset};
    return dal_document_open_with(doc, ctx, source, &how);
}

dal_status dal_document_parse(dal_document **doc, dal_ctx *ctx, const char *text, size_t n, const char *name,
                              const char *const *set, int nset)
{
    DAL_NEED(ctx, doc);
    *doc = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, text);
    DAL_NEED(ctx, name);
    DAL_NEED_TEXTS(ctx, set, nset);
    const dal_load_options how = {.set = set, .nset = nset};
    return parse_document(doc, ctx, text, n, name, &how);
}

void dal_document_destroy(dal_document *doc)
{
    if (doc == NULL) {
        return;
    }
    dal_model_destroy(doc->model);
    dal_binding_destroy(doc->inputs);
    dal_io_expressions_destroy(doc->expressions, doc->ctx);
    dal_io_reductions_destroy(doc->reductions);
    dal_pool pool = doc->pool; // it is in it
    dal_pool_release(&pool);
}

dal_model *dal_document_model(const dal_document *doc)
{
    return doc != NULL ? doc->model : NULL;
}

const dal_options *dal_document_options_(const dal_document *doc, size_t size)
{
    return doc != NULL ? dal_options_shown(&((dal_document *)doc)->shown, &doc->options, size) : NULL;
}

double dal_document_t_end(const dal_document *doc)
{
    return doc != NULL ? doc->t_end : 0.0;
}

const char *dal_document_name(const dal_document *doc)
{
    return doc != NULL ? doc->name : NULL;
}

const char *dal_document_title(const dal_document *doc)
{
    return doc != NULL ? doc->title : NULL;
}

int dal_document_variable_count(const dal_document *doc)
{
    return doc != NULL ? doc->variables.n : 0;
}

dal_variable dal_document_variable(const dal_document *doc, int k)
{
    if (k < 0 || k >= dal_document_variable_count(doc)) {
        return (dal_variable){.name = NULL};
    }
    const io_variable *v = &doc->variables.item[k];
    return (dal_variable){v->name, v->value, v->unit != NULL ? v->unit : "", k >= doc->variables.n - doc->ninputs};
}

const char *dal_document_text(const dal_document *doc)
{
    return doc != NULL ? doc->text : NULL;
}
