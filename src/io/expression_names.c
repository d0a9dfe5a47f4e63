/* What names in expressions stand for: inputs, variables, local variables, components of vectors. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/expression_reader.h"

/* "; inputs are t, phi" */
static void list_inputs(const reader *r, char list[QUOTE_MAX])
{
    size_t used = 0;
    list[0] = '\0';
    for (int k = 0; k < r->ninputs && r->ninputs < 100 && used < QUOTE_MAX; ++k) { // more: names of a machine
        used += (size_t)snprintf(list + used, QUOTE_MAX - used, "%s%s", k > 0 ? ", " : "; inputs are ", r->inputs[k]);
    }
    if (used >= QUOTE_MAX) {
        memcpy(list + QUOTE_MAX - 4, "...", 4);
    }
}

dal_status dal_reader_unknown(const reader *r, size_t begin, const char *name, int called)
{
    enum { WORDS = OP_COUNT + 16 };
    const char *words[WORDS];
    char list[QUOTE_MAX], hint[DAL_HINT_SIZE];
    int nwords = 0;
    for (int k = 0; k < OP_COUNT; ++k) {
        words[nwords] = dal_expression_operations[k].word;
        nwords += words[nwords] != NULL;
    }
    for (int k = 0; dal_vector_word(k) != NULL && nwords < WORDS; ++k) {
        words[nwords++] = dal_vector_word(k);
    }
    const dal_lookup *l = r->lookup;
    if (!called && l != NULL && l->function != NULL && l->function(name, l) > 0) {
        return dal_fail(r->ctx, DAL_EINVAL,
                        "\"%.*s\", column %d: '%s' is a function of the model: write its argument, as in %s(t)",
                        QUOTE_MAX, r->text, (int)begin + 1, name, name);
    }
    const char *near = called ? dal_nearest(name, words, nwords) : dal_nearest(name, r->inputs, r->ninputs);
    if (called && l != NULL && l->nearest_function != NULL) {
        const char *const both[] = {near, l->nearest_function(name, l)};
        near = both[0] == NULL ? both[1] : both[1] == NULL ? both[0] : dal_nearest(name, both, 2);
    }
    if (near == NULL && !called && l != NULL && l->nearest != NULL) {
        near = l->nearest(name, l);
    }
    list_inputs(r, list);
    return dal_fail(r->ctx, DAL_EINVAL, "\"%.*s\", column %d: no %s '%s'%s%s", QUOTE_MAX, r->text, (int)begin + 1,
                    called ? "function" : "variable", name, dal_hint(hint, near), called ? "" : list);
}

/* Inputs of the user by their names; variables that are inputs by their full ones. */
static int is_input(const reader *r, int k, const char *name)
{
    const char *prefix = k >= r->own && r->lookup != NULL && r->lookup->prefix != NULL ? r->lookup->prefix : "";
    const size_t n = strlen(prefix);
    return strncmp(r->inputs[k], prefix, n) == 0 && strcmp(r->inputs[k] + n, name) == 0;
}

/* A number of this name: *found is 0 if there is none. */
static dal_status find_number(reader *r, size_t begin, const char *name, operand *x, dal_dimension *d, int *found)
{
    const dal_lookup *l = r->lookup;
    *found = 1;
    for (int k = 0; k < r->ninputs; ++k) {
        if (is_input(r, k, name)) {
            const expression_node node = {.op = OP_INPUT, .a = k};
            return dal_reader_node(r, &x->node, begin, &node);
        }
    }
    *found = l != NULL && l->find != NULL ? l->find(&x->c, name, r->depth, l) : 0;
    if (*found > 0 && l->dimension != NULL) {
        *d = l->dimension(name, l);
    }
    return *found < 0 ? DAL_EINVAL : DAL_OK;
}

/* A local variable is its text, read where it is defined. */
static dal_status find_local(reader *r, const char *name, quantity *x, int *found)
{
    dal_lookup inner;
    const char *text = r->lookup != NULL && r->lookup->local != NULL ? r->lookup->local(&inner, name, r->lookup) : NULL;
    *found = text != NULL;
    if (text == NULL) {
        return DAL_OK;
    }
    reader local = *r;
    local.text = text;
    local.at = 0;
    local.lookup = &inner;
    local.own = 0;
    const dal_status st = dal_reader_text(&local, x);
    r->n = local.n;
    return st == DAL_OK ? st : dal_fail_in(r->ctx, st, "local variable '%s'", name);
}

/* A vector whose components have names. */
static dal_status find_vector(reader *r, size_t begin, const char *name, quantity *x, int *found)
{
    for (int k = 0; k < 3; ++k) {
        char part[NAMES_SIZE + 2];
        snprintf(part, sizeof part, "%s.%c", name, "xyz"[k]);
        x->x[k] = (operand){.node = -1};
        DAL_TRY(find_number(r, begin, part, &x->x[k], &x->dimension, found));
        if (!*found) {
            return DAL_OK;
        }
    }
    x->n = 3;
    return DAL_OK;
}

/* While only sizes are asked for. */
static int size_of(const reader *r, const char *name)
{
    const dal_lookup *l = r->lookup;
    const int n = l != NULL && l->size != NULL ? l->size(name, r->depth, l) : 1;
    return n == 3 ? 3 : 1;
}

static dal_status find(reader *r, size_t begin, const char *name, quantity *x, int *found)
{
    *x = number_quantity(1.0);
    DAL_TRY(find_local(r, name, x, found));
    if (*found) {
        return DAL_OK;
    }
    if (r->sizing) {
        *found = 1;
        x->n = size_of(r, name);
        x->x[1] = x->x[2] = x->x[0];
        return DAL_OK;
    }
    DAL_TRY(find_number(r, begin, name, &x->x[0], &x->dimension, found));
    return *found ? DAL_OK : find_vector(r, begin, name, x, found);
}

dal_status dal_reader_name(reader *r, quantity *x, size_t begin, const char *name)
{
    int found = 0;
    if (strcmp(name, "pi") == 0) {
        *x = number_quantity(3.14159265358979323846);
        x->dimension.known = 1;
        return DAL_OK;
    }
    const char *point = strrchr(name, '.');
    const char *axis = point != NULL && point[1] != '\0' && point[2] == '\0' ? strchr("xyz", point[1]) : NULL;
    if (axis != NULL) { // of a local vector, or of what is named so
        char stem[NAMES_SIZE];
        snprintf(stem, sizeof stem, "%.*s", (int)(point - name), name);
        quantity v;
        DAL_TRY(find_local(r, stem, &v, &found));
        if (found) {
            if (v.n != 3) {
                return dal_reader_complain(r, begin, "this is a number, and has no components");
            }
            *x = (quantity){.n = 1, .x = {v.x[*axis - 'x']}, .dimension = v.dimension};
            return DAL_OK;
        }
        if (r->sizing) {
            *x = number_quantity(1.0);
            return DAL_OK;
        }
    }
    DAL_TRY(find(r, begin, name, x, &found));
    return found ? DAL_OK : dal_reader_unknown(r, begin, name, 0);
}
