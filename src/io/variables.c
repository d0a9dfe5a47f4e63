/* What names stand for: variables with arithmetic, words, indices of repetitions, and texts with {...} in them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"
#include "mbs/parameters.h"

/* ---- looking up ------------------------------------------------------------------------------- */

io_variable *dal_io_variable_find(const io_variables *v, const char *name, size_t n)
{
    for (int k = 0; k < v->n; ++k) {
        if (strlen(v->item[k].name) == n && memcmp(v->item[k].name, name, n) == 0) {
            return &v->item[k];
        }
    }
    return NULL;
}

const char *dal_io_full_name(const io_loader *L, char full[IO_TEXT], const char *name)
{
    snprintf(full, IO_TEXT, "%s%s", L->scope != NULL ? L->scope->prefix : "", name);
    return full;
}

io_variable *dal_io_variable(const io_loader *L, const char *name)
{
    char full[IO_TEXT];
    dal_io_full_name(L, full, name);
    return dal_io_variable_find(&L->doc->variables, full, strlen(full));
}

io_loader dal_io_where(const io_loader *L, const io_variable *v)
{
    io_loader there = *L;
    there.scope = v->scope;
    there.index = v->index;
    return there;
}

/* The index or local variable of this name. */
static const io_index *find_index(const io_index *i, const char *name)
{
    while (i != NULL && strcmp(i->name, name) != 0) {
        i = i->outer;
    }
    return i;
}

static dal_status evaluate(const io_loader *L, io_variable *v, int depth)
{
    const io_loader there = dal_io_where(L, v);
    const dal_lookup lookup = dal_io_lookup(&there);
    double x[3];
    int n;
    v->state = IO_BUSY;
    dal_status st = dal_expression_values(x, &n, &v->dimension, L->ctx, v->text, &lookup, depth);
    if (st == DAL_OK && n != 1) {
        st = dal_fail(L->ctx, DAL_EINVAL, "this is a vector, and it was a number");
    }
    v->value = x[0];
    v->state = st == DAL_OK ? IO_KNOWN : IO_WAITING;
    return st;
}

/* Variables are evaluated when they are first needed, so their order in the file does not matter. */
static int find(double *x, const char *name, int depth, const dal_lookup *from)
{
    const io_loader *L = from->user;
    const io_index *i = find_index(from->place, name);
    if (i != NULL) {
        *x = i->value;
        return 1;
    }
    io_variable *v = dal_io_variable(L, name);
    if (v == NULL) {
        return 0;
    }
    L->doc->variables.looked += L->record == NULL;
    if (v->state == IO_BUSY) {
        dal_fail(L->ctx, DAL_EINVAL, "variable '%s' depends on itself", name);
        return -1;
    }
    if (v->state == IO_WAITING) {
        const dal_status st = evaluate(L, v, depth);
        if (st != DAL_OK) {
            if (!L->doc->variables.failed) {
                dal_fail_in(L->ctx, st, "variable '%s'", name);
            }
            L->doc->variables.failed = 1;
            return -1;
        }
    }
    *x = v->value;
    return 1;
}

static dal_dimension dimension(const char *name, const dal_lookup *from)
{
    const io_variable *v = find_index(from->place, name) == NULL ? dal_io_variable(from->user, name) : NULL;
    return v != NULL ? v->dimension : (dal_dimension){0};
}

/* Of a variable whose text is not split into components yet, too. */
static int size(const char *name, int depth, const dal_lookup *from)
{
    const io_loader *L = from->user;
    char part[IO_TEXT];
    io_variable *v = find_index(from->place, name) == NULL ? dal_io_variable(L, name) : NULL;
    if (v == NULL) {
        snprintf(part, sizeof part, "%.*s.x", IO_TEXT - 3, name);
        return dal_io_variable(L, part) != NULL ? 3 : 1;
    }
    if (v->size == 0) {
        const io_loader there = dal_io_where(L, v);
        const dal_lookup lookup = dal_io_lookup(&there);
        v->size = 1; // should it depend on itself
        v->size = dal_expression_size(L->ctx, v->text, &lookup, depth);
    }
    return v->size;
}

static const char *local(dal_lookup *inner, const char *name, const dal_lookup *from)
{
    const io_index *i = find_index(from->place, name);
    if (i == NULL || i->text == NULL) {
        return NULL;
    }
    *inner = *from;
    inner->place = i->outer;
    return i->text;
}

static const char *nearest(const char *name, const dal_lookup *from)
{
    const io_loader *L = from->user;
    const char *words[IO_VARIABLES_MAX + IO_DEPTH_MAX], *prefix = L->scope != NULL ? L->scope->prefix : "";
    const size_t length = strlen(prefix);
    int n = 0;
    for (int k = 0; k < L->doc->variables.n; ++k) {
        const char *word = L->doc->variables.item[k].name;
        if (strncmp(word, prefix, length) == 0) {
            words[n++] = word + length;
        }
    }
    for (const io_index *i = L->index; i != NULL && n < IO_VARIABLES_MAX + IO_DEPTH_MAX; i = i->outer) {
        words[n++] = i->name;
    }
    return dal_nearest(name, words, n);
}

static int function(const char *name, const dal_lookup *from)
{
    const io_loader *L = from->user;
    char full[IO_TEXT];
    const int number = L->model != NULL ? dal_model_find_function(L->model, dal_io_full_name(L, full, name)) : 0;
    L->doc->variables.missed |= number <= 0;
    return number > 0 ? number : 0;
}

/* At numbers; a binding remembers which functions its numbers follow from (binding_record.c). */
static dal_status call(double *y, int number, const double *x, const dal_lookup *from)
{
    const io_loader *L = from->user;
    if (L->record != NULL) {
        dal_io_note_call(L, number);
    }
    return mb_model_call(L->model, y, number, x);
}

static int arguments(int number, const dal_lookup *from)
{
    const io_loader *L = from->user;
    return dal_model_function_arguments(L->model, number);
}

static const char *nearest_function(const char *name, const dal_lookup *from)
{
    const io_loader *L = from->user;
    const char *words[IO_VARIABLES_MAX], *word;
    const size_t length = strlen(from->prefix);
    int n = 0;
    for (int k = 1; n < IO_VARIABLES_MAX && (word = dal_model_function_name(L->model, k)) != NULL; ++k) {
        if (strncmp(word, from->prefix, length) == 0 && word[0] != '#') {
            words[n++] = word + length;
        }
    }
    return dal_nearest(name, words, n);
}

dal_lookup dal_io_lookup(const io_loader *L)
{
    return (dal_lookup){.find = find,
                        .dimension = dimension,
                        .size = size,
                        .local = local,
                        .nearest = nearest,
                        .function = function,
                        .arguments = arguments,
                        .call = call,
                        .calls = L->calls,
                        .nearest_function = nearest_function,
                        .prefix = L->scope != NULL ? L->scope->prefix : "",
                        .user = L,
                        .place = L->index};
}

dal_status dal_io_evaluate(const io_loader *L, double *x, const char *text)
{
    const dal_lookup lookup = dal_io_lookup(L);
    return dal_expression_value(x, L->ctx, text, &lookup, 0);
}

dal_status dal_io_evaluate_all(const io_loader *L, double x[3], int *n, dal_dimension *d, const char *text)
{
    const dal_lookup lookup = dal_io_lookup(L);
    return dal_expression_values(x, n, d, L->ctx, text, &lookup, 0);
}

int dal_io_is_vector(const io_loader *L, const dal_json *json)
{
    const dal_lookup lookup = dal_io_lookup(L);
    return dal_json_is(json, DAL_JSON_LIST) ||
           (dal_json_is(json, DAL_JSON_TEXT) && dal_expression_size(L->ctx, dal_json_text(json), &lookup, 0) == 3);
}

struct io_expression {
    dal_expression *compiled;
    io_expression *next;
};

dal_status dal_io_compile_with(const io_loader *L, dal_expression **e, int k, const char *text,
                               const char *const *inputs, int ninputs, int own)
{
    const dal_lookup lookup = dal_io_lookup(L);
    return dal_expression_compile_part(e, k, L->ctx, text, inputs, ninputs, own, &lookup);
}

dal_status dal_io_compile(io_loader *L, dal_expression **e, const io_node *at, const char *const *inputs, int ninputs)
{
    const dal_lookup lookup = dal_io_lookup(L);
    io_expression *made;
    DAL_TAKE(&L->doc->pool, made, 1);
    made->next = L->doc->expressions;
    L->doc->expressions = made;
    const dal_status st =
        dal_expression_compile(&made->compiled, L->ctx, dal_json_text(at->json), inputs, ninputs, &lookup);
    *e = made->compiled;
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

dal_status dal_io_keep_expression(dal_document *doc, dal_expression *e)
{
    io_expression *made = dal_pool_take(&doc->pool, 1, sizeof *made);
    if (made == NULL) {
        dal_expression_destroy(e, doc->ctx);
        return DAL_ENOMEM;
    }
    *made = (io_expression){e, doc->expressions};
    doc->expressions = made;
    return DAL_OK;
}

void dal_io_expressions_destroy(io_expression *list, dal_ctx *ctx)
{
    for (; list != NULL; list = list->next) {
        dal_expression_destroy(list->compiled, ctx);
    }
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* What stands for {inside}: a word, or the whole number that is the value of an expression. */
static dal_status replacement(const io_loader *L, const char *inside, char out[IO_TEXT])
{
    char full[IO_TEXT];
    dal_io_full_name(L, full, inside);
    const io_variable *word = dal_io_variable_find(&L->doc->words, full, strlen(full));
    if (word != NULL) {
        snprintf(out, IO_TEXT, "%s", word->text);
        return DAL_OK;
    }
    double x;
    DAL_TRY(dal_io_fixed(L, &x, inside));
    if (x != floor(x) || fabs(x) > 1e9) {
        return dal_fail(L->ctx, DAL_EINVAL, "{%s} = %g is not a whole number", inside, x);
    }
    snprintf(out, IO_TEXT, "%d", (int)x);
    return DAL_OK;
}

dal_status dal_io_expand(const io_loader *L, char expanded[IO_TEXT], const char *text)
{
    size_t n = 0;
    while (*text != '\0') {
        char inside[IO_TEXT], out[IO_TEXT] = {*text, '\0'};
        if (*text == '{') {
            const size_t length = strcspn(++text, "}");
            if (text[length] != '}' || length >= IO_TEXT) {
                return dal_fail(L->ctx, DAL_EINVAL, "'{' without '}'");
            }
            memcpy(inside, text, length);
            inside[length] = '\0';
            DAL_TRY(replacement(L, inside, out));
            text += length;
        }
        ++text;
        const size_t added = strlen(out);
        if (n + added >= IO_TEXT) {
            return dal_fail(L->ctx, DAL_EINVAL, "this text is longer than %d bytes", IO_TEXT - 1);
        }
        memcpy(expanded + n, out, added);
        n += added;
    }
    expanded[n] = '\0';
    return DAL_OK;
}
