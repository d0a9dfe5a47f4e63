/* Numbers of a file by address, for opening a model with other numbers in their place. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "io/follow.h"
#include "io/io_impl.h"

/* What follows a word at the beginning of an address; NULL: it begins with another. */
static const char *after(const char *address, const char *word)
{
    const size_t n = word != NULL ? strlen(word) : 0;
    const int begins = n > 0 && strncmp(address, word, n) == 0 && (address[n] == '.' || address[n] == '\0');
    return begins ? address + n + (address[n] == '.') : NULL;
}

/* Members of objects have their keys, elements of lists their names, or else their numbers. NULL: there is no such value. */
static const dal_json *find(const dal_json *at, const char *address)
{
    while (at != NULL && address[0] != '\0') {
        const dal_json *item, *next = NULL;
        const char *rest = NULL;
        for (size_t k = 0; next == NULL && (item = dal_json_item(at, k)) != NULL; ++k) {
            char number[24];
            snprintf(number, sizeof number, "%zu", k);
            rest = after(address,
                         dal_json_is(at, DAL_JSON_OBJECT) ? item->key : dal_json_text(dal_json_member(item, "name")));
            rest = rest == NULL && dal_json_is(at, DAL_JSON_LIST) ? after(address, number) : rest;
            next = rest != NULL ? item : NULL;
        }
        at = next;
        address = rest;
    }
    return dal_json_is(at, DAL_JSON_NUMBER) || dal_json_is(at, DAL_JSON_TEXT) ? at : NULL;
}

dal_status dal_io_replace(dal_ctx *ctx, const dal_json *json, const char *name, const dal_load_options *how)
{
    for (int k = 0; k < how->nnumbers; ++k) {
        dal_json *at = (dal_json *)find(json, how->address[k]); // no one else has seen the tree yet
        if (at == NULL) {
            return dal_fail(ctx, DAL_EINVAL, "%s: no number '%s' in the file", name, how->address[k]);
        }
        at->kind = DAL_JSON_NUMBER;
        at->of.number = how->number[k];
    }
    return DAL_OK;
}

dal_status dal_document_number(const dal_document *doc, double *x, const char *name)
{
    const io_variable *v = dal_io_variable_find(&doc->variables, name, strlen(name));
    const dal_json *json;
    if (v != NULL) {
        *x = v->value;
        return DAL_OK;
    }
    DAL_TRY(dal_io_parse(doc->ctx, &json, doc->text, strlen(doc->text), doc->source));
    const dal_json *at = find(json, name);
    const io_loader L = {.ctx = doc->ctx, .doc = (dal_document *)doc, .model = doc->model, .source = doc->source};
    const dal_status st = at == NULL
                              ? dal_fail(doc->ctx, DAL_EINVAL, "%s: no number '%s' in the file", doc->source, name)
                          : dal_json_is(at, DAL_JSON_TEXT) ? dal_io_evaluate(&L, x, dal_json_text(at))
                                                           : DAL_OK;
    *x = dal_json_is(at, DAL_JSON_NUMBER) ? dal_json_number(at) : *x;
    dal_json_destroy(json, doc->ctx);
    return st;
}
