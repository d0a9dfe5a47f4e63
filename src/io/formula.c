/* Expressions from outside the file, in terms of its variables. */
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/io_impl.h"

static int find(double *x, const char *name, int depth, const dal_lookup *from)
{
    const dal_document *doc = from->user;
    (void)depth;
    const io_variable *v = dal_io_variable_find(&doc->variables, name, strlen(name));
    if (v == NULL || v->state != IO_KNOWN) {
        return 0;
    }
    *x = v->value;
    return 1;
}

static const char *nearest(const char *name, const dal_lookup *from)
{
    const dal_document *doc = from->user;
    const char *words[IO_VARIABLES_MAX];
    int n = 0;
    for (; n < doc->variables.n && n < IO_VARIABLES_MAX; ++n) {
        words[n] = doc->variables.item[n].name;
    }
    return dal_nearest(name, words, n);
}

dal_status dal_document_value(const dal_document *doc, double *x, const char *expression)
{
    DAL_NEED_AS(NULL, doc, "document");
    DAL_NEED(doc->ctx, expression);
    DAL_NEED(doc->ctx, x);
    const dal_lookup lookup = {.find = find, .nearest = nearest, .user = doc};
    return dal_expression_value(x, doc->ctx, expression, &lookup, 0);
}

static dal_status value(double y[3], double x, void *user)
{
    const double in[3] = {x, 1.0, 0.0};
    dal_expression_along(y, user, in);
    return DAL_OK;
}

static double next_break(double x, const double *c, void *user)
{
    (void)c;
    return dal_expression_break(user, &x, 1, x, NULL);
}

int dal_io_is_formula(dal_status (*call)(double y[3], double x, void *user))
{
    return call == value;
}

dal_status dal_document_add_function(dal_document *doc, int *number, const char *name, const char *expression)
{
    static const char *const arguments[] = {"t"};
    DAL_NEED_AS(NULL, doc, "document");
    DAL_NEED(doc->ctx, name);
    DAL_NEED(doc->ctx, expression);
    DAL_NEED(doc->ctx, number);
    const dal_lookup lookup = {.find = find, .nearest = nearest, .user = doc};
    dal_expression *e;
    DAL_TRY(dal_expression_compile(&e, doc->ctx, expression, arguments, 1, &lookup));
    DAL_TRY(dal_io_keep_expression(doc, e));
    const dal_function f = {.name = name, .type = "user", .call = value, .user = e, .next_break = next_break};
    return dal_model_add_function(doc->model, number, &f);
}
