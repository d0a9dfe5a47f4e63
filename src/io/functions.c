/* Functions of time or elongation: by name, as an expression, in place, or a number. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

enum { COEFFICIENTS_MAX = 8, TERMS_MAX = 64 };

static dal_status read_function(io_loader *L, const io_node *at, const char *name, int *number);

static dal_status add(io_loader *L, const io_node *at, const dal_function *f, int *number)
{
    const dal_status st = dal_model_add_function(L->model, f, number);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

static dal_status read_coefficients(io_loader *L, const io_node *at, const io_type *type, dal_function *f, int *number)
{
    double c[COEFFICIENTS_MAX] = {0.0};
    for (int k = 0; k < type->nkeys; ++k) {
        const dal_key *key = type->key[k];
        if (key->kind == DAL_KEY_COEFFICIENT && key->n < COEFFICIENTS_MAX) {
            DAL_TRY(dal_io_number_if(L, at, key->name, &c[key->n]));
            f->n = f->n > key->n ? f->n : key->n + 1;
        }
    }
    f->c = c;
    return add(L, at, f, number);
}

/* A list of numbers of any length; free it with dal_free. */
static dal_status read_list(io_loader *L, const io_node *at, const char *key, double **x, int *n)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, key));
    DAL_TRY(dal_io_list(L, &child, 1, IO_LIST_MAX));
    *n = (int)dal_io_length(&child);
    *x = dal_alloc(L->ctx, (size_t)*n * sizeof(double));
    if (*x == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    return dal_io_numbers(L, &child, *x, *n);
}

static dal_status read_table(io_loader *L, const io_node *at, dal_function *f, double *list[2], int *number)
{
    int n[2];
    io_node child;
    if (dal_io_member(&child, at, "file")) {
        DAL_TRY(dal_io_table_file(L, at, list, &n[0]));
    } else {
        DAL_TRY(read_list(L, at, "x", &list[0], &n[0]));
        DAL_TRY(read_list(L, at, "y", &list[1], &n[1]));
        if (n[0] != n[1]) {
            return dal_io_fail(L, at, "x has %d numbers, y has %d", n[0], n[1]);
        }
    }
    f->x = list[0];
    f->y = list[1];
    f->n = n[0];
    return add(L, at, f, number);
}

static dal_status read_polynomial(io_loader *L, const io_node *at, dal_function *f, double *list[2], int *number)
{
    DAL_TRY(read_list(L, at, "coefficients", &list[0], &f->n));
    f->c = list[0];
    return add(L, at, f, number);
}

/* ---- expressions ------------------------------------------------------------------------------ */

/* Two names for the one argument: t for functions of time, x for others. */
static const char *const arguments[] = {"t", "x"};

static dal_status expression_value(double y[3], double x, void *user)
{
    const double in[3 * LEN(arguments)] = {x, 1.0, 0.0, x, 1.0, 0.0};
    dal_expression_along(y, user, in);
    return DAL_OK;
}

static dal_status read_expression(io_loader *L, const io_node *at, const char *name, int *number)
{
    dal_expression *e;
    DAL_TRY(dal_io_compile(L, at, arguments, LEN(arguments), &e));
    for (int k = 0; k < LEN(arguments); ++k) {
        const char *a = arguments[k];
        if (dal_expression_uses(e, k) && dal_io_variable_find(&L->doc->variables, a, strlen(a)) != NULL) {
            return dal_io_fail(L, at, "'%s' is the argument of the function here, and a variable; rename the variable",
                               a);
        }
    }
    const dal_function f = {.name = name, .type = "user", .call = expression_value, .user = e};
    return add(L, at, &f, number);
}

/* Is the text one word that is neither the argument nor a variable? Then it is meant to be the name of a function. */
static int is_name(const io_loader *L, const char *text)
{
    for (int k = 0; k < LEN(arguments); ++k) {
        if (strcmp(text, arguments[k]) == 0) {
            return 0;
        }
    }
    return dal_expression_name(text) && dal_io_variable_find(&L->doc->variables, text, strlen(text)) == NULL;
}

/* ---- references ------------------------------------------------------------------------------- */

/* By name, as an expression, in place, or a number. */
static dal_status read_reference(io_loader *L, const io_node *at, int *number)
{
    char name[IO_TEXT];
    if (json_is_string(at->json)) {
        const char *text = json_string_value(at->json);
        if (strlen(text) < IO_TEXT) {
            DAL_TRY(dal_io_text(L, at, name));
            *number = dal_model_find_function(L->model, name);
            if (*number >= 0) {
                return DAL_OK;
            }
            if (is_name(L, name) || strcmp(name, text) != 0) {
                return dal_io_no_element(L, at, "function", name, dal_model_function_name, 1);
            }
        }
        snprintf(name, sizeof(name), "#%d", ++L->inline_functions);
        return read_expression(L, at, name, number);
    }
    snprintf(name, sizeof(name), "#%d", ++L->inline_functions);
    if (json_is_number(at->json)) {
        double c;
        DAL_TRY(dal_io_number(L, at, &c));
        const dal_function f = {.name = name, .type = "constant", .c = &c, .n = 1};
        return add(L, at, &f, number);
    }
    return read_function(L, at, name, number);
}

static dal_status read_terms(io_loader *L, const io_node *at, dal_function *f, int *number)
{
    int terms[TERMS_MAX];
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "functions"));
    DAL_TRY(dal_io_list(L, &child, 1, TERMS_MAX));
    f->nf = (int)dal_io_length(&child);
    for (int k = 0; k < f->nf; ++k) {
        const io_node element = dal_io_element(&child, (size_t)k);
        DAL_TRY(read_reference(L, &element, &terms[k]));
    }
    f->f = terms;
    return add(L, at, f, number);
}

static dal_status read_function(io_loader *L, const io_node *at, const char *name, int *number)
{
    const io_type *type = NULL;
    io_texts texts = {.n = 0};
    double *list[2] = {NULL, NULL};
    io_node child;
    if (!json_is_object(at->json)) {
        return dal_io_fail(L, at, "expected a function: an object, an expression, a number, or the name of a function");
    }
    DAL_TRY(dal_io_need(&child, L, at, "type"));
    DAL_TRY(dal_io_type(L, &child, "functions", "type of function", &type));
    DAL_TRY(dal_io_object_of(L, at, "this function", "type", type));

    dal_function f = {.name = name, .type = type->about.name};
    DAL_TRY(dal_io_values(L, at, type, &f, &texts));
    dal_status st;
    if (dal_io_key_of_kind(type, DAL_KEY_COLUMN) != NULL) {
        st = read_table(L, at, &f, list, number);
    } else if (dal_io_key_of_kind(type, DAL_KEY_LIST) != NULL) {
        st = read_polynomial(L, at, &f, list, number);
    } else if (dal_io_key_of_kind(type, DAL_KEY_FUNCTIONS) != NULL) {
        st = read_terms(L, at, &f, number);
    } else {
        st = read_coefficients(L, at, type, &f, number);
    }
    dal_free(L->ctx, list[0]);
    dal_free(L->ctx, list[1]);
    return st;
}

dal_status dal_io_functions(io_loader *L, const io_node *root)
{
    io_node at;
    if (!dal_io_member(&at, root, "functions")) {
        return DAL_OK;
    }
    if (!json_is_object(at.json)) {
        return dal_io_fail(L, &at, "expected an object with a function for each name");
    }
    const char *key;
    json_t *value;
    json_object_foreach(at.json, key, value)
    {
        const io_node child = {.json = value, .up = &at, .key = key, .depth = at.depth + 1};
        int number;
        if (strlen(key) >= IO_TEXT || key[0] == '#' || key[0] == '\0') {
            return dal_io_fail(L, &child, "this cannot be the name of a function");
        }
        DAL_TRY(json_is_string(value) ? read_expression(L, &child, key, &number)
                                      : read_function(L, &child, key, &number));
    }
    return DAL_OK;
}

dal_status dal_io_function(io_loader *L, const io_node *at, int *number)
{
    return read_reference(L, at, number);
}
