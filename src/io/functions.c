/* Functions of time or elongation: by name, as an expression, in place, or a number. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/callbacks.h"
#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

enum { COEFFICIENTS_MAX = 8, TERMS_MAX = 64 };

static dal_status read_function(io_loader *L, const io_node *at, const char *name, int *number);

static dal_status read_coefficients(io_loader *L, const io_node *at, const io_type *type, dal_function *f, int *number)
{
    double c[COEFFICIENTS_MAX] = {0.0};
    for (int k = 0; k < type->nkeys; ++k) {
        const dal_key *key = type->key[k];
        if (key->kind == DAL_KEY_COEFFICIENT && key->n < COEFFICIENTS_MAX) {
            io_real x = {0.0, 0};
            DAL_TRY(dal_io_number_if(L, &x, at, key->name));
            dal_io_store(L, &c[key->n], &x, 1);
            f->n = f->n > key->n ? f->n : key->n + 1;
        }
    }
    f->c = c;
    return dal_io_add_function(L, number, at, f);
}

/* The list of a key, and how many items it has. */
static dal_status find_list(const io_loader *L, io_node *list, const io_node *at, const char *key, int *n)
{
    DAL_TRY(dal_io_need(list, L, at, key));
    DAL_TRY(dal_io_list(L, list, 1, IO_LIST_MAX));
    *n = (int)dal_io_length(list);
    return DAL_OK;
}

static dal_status read_numbers(io_loader *L, const io_node *list, double *to)
{
    for (size_t k = 0; k < dal_io_length(list); ++k) {
        const io_node element = dal_io_element(list, k);
        io_real x;
        DAL_TRY(dal_io_number(L, &x, &element));
        dal_io_store(L, &to[k], &x, 1);
    }
    return DAL_OK;
}

/* A list of numbers of any length; those of a long one cannot follow from values. */
static dal_status read_list(io_loader *L, const io_node *at, const char *key, double **list, int *n)
{
    io_node child;
    DAL_TRY(find_list(L, &child, at, key, n));
    DAL_TRY(*n > IO_LIVE_LIST ? dal_io_must_be_fixed(L, &child, "a list this long is read once") : DAL_OK);
    DAL_TAKE(L->scratch, *list, *n);
    return read_numbers(L, &child, *list);
}

static dal_status read_table(io_loader *L, const io_node *at, dal_function *f, int *number)
{
    double *list[2];
    int n[2];
    io_node child;
    if (dal_io_member(&child, at, "file")) {
        DAL_TRY(dal_io_must_be_fixed(L, at, "the file is read once"));
        if (L->record != NULL) {
            *number = dal_model_find_function(L->model, f->name);
            return DAL_OK;
        }
        DAL_TRY(dal_io_table_file(L, list, &n[0], at));
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
    return dal_io_add_function(L, number, at, f);
}

/* One list: x, y, then z, row by row. */
static dal_status read_map(io_loader *L, const io_node *at, dal_function *f, int *number)
{
    io_node x, y, z;
    double *c;
    int rows;
    DAL_TRY(find_list(L, &x, at, "x", &f->nx));
    DAL_TRY(find_list(L, &y, at, "y", &f->ny));
    DAL_TRY(find_list(L, &z, at, "z", &rows));
    if (rows != f->nx || (size_t)f->nx * (size_t)f->ny > IO_LIST_MAX) {
        return dal_io_fail(L, &z, "x has %d numbers, z has %d lists (at most %d numbers)", f->nx, rows, IO_LIST_MAX);
    }
    f->n = f->nx + f->ny + f->nx * f->ny;
    DAL_TRY(f->n > IO_LIVE_LIST ? dal_io_must_be_fixed(L, at, "a map this large is read once") : DAL_OK);
    DAL_TAKE(L->scratch, c, f->n);
    DAL_TRY(read_numbers(L, &x, c));
    DAL_TRY(read_numbers(L, &y, c + f->nx));
    for (int i = 0; i < rows; ++i) {
        const io_node row = dal_io_element(&z, (size_t)i);
        DAL_TRY(dal_io_list(L, &row, 1, IO_LIST_MAX));
        if ((int)dal_io_length(&row) != f->ny) {
            return dal_io_fail(L, &row, "y has %d numbers, this list has %d", f->ny, (int)dal_io_length(&row));
        }
        DAL_TRY(read_numbers(L, &row, c + f->nx + f->ny + i * f->ny));
    }
    f->c = c;
    return dal_io_add_function(L, number, at, f);
}

static dal_status read_polynomial(io_loader *L, const io_node *at, dal_function *f, int *number)
{
    double *list;
    DAL_TRY(read_list(L, at, "coefficients", &list, &f->n));
    f->c = list;
    return dal_io_add_function(L, number, at, f);
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

/* The argument twice, and parameters that stay. */
static void put_arguments(double *in, double x, const double *c, int n)
{
    for (int k = 0; k < LEN(arguments) + n; ++k) {
        in[3 * k] = k < LEN(arguments) ? x : c[k - LEN(arguments)];
        in[3 * k + 1] = k < LEN(arguments) ? 1.0 : 0.0;
        in[3 * k + 2] = 0.0;
    }
}

/* The same with parameters behind the argument. */
static dal_status bound_value(double y[3], double x, const double *c, void *user)
{
    const io_bound *bound = user;
    double in[3 * (LEN(arguments) + DAL_PARAMETERS_MAX)];
    put_arguments(in, x, c, bound->n);
    dal_expression_along(y, bound->e, in);
    return DAL_OK;
}

/* Those that call functions. */
static dal_status calling_value(double y[3], double x, const double *c, const dal_functions *functions, void *user)
{
    const double in[3 * LEN(arguments)] = {x, 1.0, 0.0, x, 1.0, 0.0};
    (void)c;
    return dal_expression_along_calling(y, user, in, functions);
}

static dal_status calling_bound(double y[3], double x, const double *c, const dal_functions *functions, void *user)
{
    const io_bound *bound = user;
    double in[3 * (LEN(arguments) + DAL_PARAMETERS_MAX)];
    put_arguments(in, x, c, bound->n);
    return dal_expression_along_calling(y, bound->e, in, functions);
}

static double calling_break(double x, const double *c, const dal_functions *functions, void *user)
{
    const double in[LEN(arguments)] = {x, x};
    (void)c;
    return dal_expression_break(user, in, LEN(arguments), x, functions);
}

static double calling_bound_break(double x, const double *c, const dal_functions *functions, void *user)
{
    const io_bound *bound = user;
    double in[LEN(arguments) + DAL_PARAMETERS_MAX] = {x, x};
    memcpy(in + LEN(arguments), c, (size_t)bound->n * sizeof *c);
    return dal_expression_break(bound->e, in, LEN(arguments), x, functions);
}

static double expression_break(double x, const double *c, void *user)
{
    const double in[LEN(arguments)] = {x, x};
    (void)c;
    return dal_expression_break(user, in, LEN(arguments), x, NULL);
}

static double bound_break(double x, const double *c, void *user)
{
    const io_bound *bound = user;
    double in[LEN(arguments) + DAL_PARAMETERS_MAX] = {x, x};
    memcpy(in + LEN(arguments), c, (size_t)bound->n * sizeof *c);
    return dal_expression_break(bound->e, in, LEN(arguments), x, NULL);
}

io_formula dal_io_formula_of_function(const dal_function *d)
{
    if (d->calling == calling_value) {
        return (io_formula){d->user, 0};
    }
    if (d->call_with == bound_value || d->calling == calling_bound) {
        const io_bound *bound = d->user;
        return (io_formula){bound->e, bound->n};
    }
    const int known = d->call_with == NULL && (d->call == expression_value || dal_io_is_formula(d->call));
    return (io_formula){known ? d->user : NULL, 0};
}

/* The first n of t, x, where an expression uses them, must not be variables as well. */
dal_status dal_io_check_arguments(const io_loader *L, const io_node *at, const dal_expression *e, int n)
{
    for (int k = 0; k < n; ++k) {
        const char *a = arguments[k];
        if (dal_expression_uses(e, k) && dal_io_variable(L, a) != NULL) {
            return dal_io_fail(L, at, "'%s' is %s here, and a variable; rename the variable", a,
                               n > 1 ? "the argument of the function" : "the time");
        }
    }
    return DAL_OK;
}

/* The functions that an expression calls, each once. */
static dal_status find_called(const io_loader *L, const io_node *at, int called[TERMS_MAX], int *n,
                              const dal_expression *e)
{
    *n = 0;
    for (int node = 0, number; (number = dal_expression_called(e, &node)) > 0;) {
        int k = 0;
        while (k < *n && called[k] != number) {
            ++k;
        }
        if (k == TERMS_MAX) {
            return dal_io_fail(L, at, "an expression calls at most %d functions", TERMS_MAX);
        }
        called[k] = number;
        *n = k == *n ? k + 1 : *n;
    }
    return DAL_OK;
}

static dal_status record_expression(io_loader *L, const io_node *at, const char *name, int *number)
{
    double c[DAL_PARAMETERS_MAX] = {0.0};
    const io_bound *bound = NULL;
    int called[TERMS_MAX], ncalled;
    L->calls = 1;
    const dal_status st = dal_io_bind(L, &bound, c, at, arguments, LEN(arguments));
    L->calls = 0;
    DAL_TRY(st);
    DAL_TRY(find_called(L, at, called, &ncalled, bound->e));
    dal_function f = {
        .name = name, .type = "user", .user = (void *)bound, .c = c, .n = bound->n, .f = called, .nf = ncalled};
    if (ncalled > 0) {
        f.calling = calling_bound;
        f.calling_break = calling_bound_break;
    } else {
        f.call_with = bound_value;
        f.next_break = bound_break;
    }
    return dal_io_add_function(L, number, at, &f);
}

/* There is room for as many parameters as the expression has variables, in case these are bound. */
static dal_status read_expression(io_loader *L, const io_node *at, const char *name, int *number)
{
    static const double none[DAL_PARAMETERS_MAX];
    dal_expression *e;
    if (L->record != NULL) {
        return record_expression(L, at, name, number);
    }
    const int before = L->doc->variables.looked;
    int called[TERMS_MAX], ncalled;
    L->calls = 1;
    const dal_status st = dal_io_compile(L, &e, at, arguments, LEN(arguments));
    L->calls = 0;
    DAL_TRY(st);
    DAL_TRY(find_called(L, at, called, &ncalled, e));
    DAL_TRY(dal_io_check_arguments(L, at, e, LEN(arguments)));
    const int looked = L->doc->variables.looked - before;
    dal_function f = {.name = name,
                      .type = "user",
                      .user = e,
                      .c = none,
                      .n = looked < DAL_PARAMETERS_MAX ? looked : DAL_PARAMETERS_MAX,
                      .f = called,
                      .nf = ncalled};
    if (ncalled > 0) {
        f.calling = calling_value;
        f.calling_break = calling_break;
    } else {
        f.call = expression_value;
        f.next_break = expression_break;
    }
    return dal_io_add_function(L, number, at, &f);
}

/* Is the text one word that is neither the argument nor a variable? Then it is meant to be the name of a function. */
static int is_name(const io_loader *L, const char *text)
{
    for (int k = 0; k < LEN(arguments); ++k) {
        if (strcmp(text, arguments[k]) == 0) {
            return 0;
        }
    }
    return dal_expression_name(text) && dal_io_variable(L, text) == NULL;
}

/* ---- references ------------------------------------------------------------------------------- */

dal_status dal_io_read_function(io_loader *L, int *number, const io_node *at, const char *name)
{
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        return read_expression(L, at, name, number);
    }
    if (dal_json_is(at->json, DAL_JSON_NUMBER)) {
        io_real value;
        double c;
        DAL_TRY(dal_io_number(L, &value, at));
        dal_io_store(L, &c, &value, 1);
        const dal_function f = {.name = name, .type = "constant", .c = &c, .n = 1};
        return dal_io_add_function(L, number, at, &f);
    }
    return read_function(L, at, name, number);
}

dal_status dal_io_function(io_loader *L, int *number, const io_node *at)
{
    char name[IO_TEXT];
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const char *text = dal_json_text(at->json);
        if (strlen(text) < IO_TEXT) {
            char plain[IO_TEXT];
            DAL_TRY(dal_io_text(L, plain, at));
            DAL_TRY(dal_io_name(L, name, at));
            *number = dal_model_find_function(L->model, name);
            if (dal_model_function_arguments(L->model, *number) > 1) {
                return dal_io_fail(
                    L, at, "'%s' is a function of two variables: laws, states and events call it, as in %s(x, y)", name,
                    name);
            }
            if (*number >= 0) {
                return DAL_OK;
            }
            if (is_name(L, plain) || strcmp(plain, text) != 0) {
                return dal_io_no_element(L, at, "function", name, dal_model_function_name, 1);
            }
        }
    }
    snprintf(name, sizeof(name), "#%d", ++L->inline_functions);
    return dal_io_function_element(L, number, at, name);
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
        DAL_TRY(dal_io_function(L, &terms[k], &element));
    }
    f->f = terms;
    return dal_io_add_function(L, number, at, f);
}

static dal_status read_function(io_loader *L, const io_node *at, const char *name, int *number)
{
    const io_type *type = NULL;
    io_texts texts;
    io_node child;
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, at, "expected a function: an object, an expression, a number, or the name of a function");
    }
    DAL_TRY(dal_io_selector(&child, L, at, "functions", "type", "a function"));
    DAL_TRY(dal_io_type(L, &type, &child, "functions", "type of function"));
    DAL_TRY(dal_io_object_of(L, at, "this function", "type", type));

    dal_function f = {.name = name, .type = type->about.name};
    DAL_TRY(dal_io_values(L, &f, &texts, at, type));
    return dal_io_key_of_kind(type, DAL_KEY_ARRAY) != NULL       ? read_map(L, at, &f, number)
           : dal_io_key_of_kind(type, DAL_KEY_COLUMN) != NULL    ? read_table(L, at, &f, number)
           : dal_io_key_of_kind(type, DAL_KEY_LIST) != NULL      ? read_polynomial(L, at, &f, number)
           : dal_io_key_of_kind(type, DAL_KEY_FUNCTIONS) != NULL ? read_terms(L, at, &f, number)
                                                                 : read_coefficients(L, at, type, &f, number);
}

/* A function that fails may call one that stands behind it. */
static dal_status name_later(const io_loader *L, const io_node *all, size_t k, dal_status st)
{
    const io_node child = dal_io_item(all, k);
    const char *text = dal_json_text(child.json);
    for (size_t j = k + 1; text != NULL && j < dal_json_members(all->json); ++j) {
        const char *later = dal_io_item(all, j).key;
        const size_t n = strlen(later);
        for (const char *p = strstr(text, later); p != NULL && n > 0; p = strstr(p + 1, later)) {
            const int begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.');
            if (begins && p[n + strspn(p + n, " ")] == '(') {
                return dal_io_fail(L, &child, "it calls '%s', which stands behind it: functions call those before them",
                                   later);
            }
        }
    }
    return st;
}

static dal_status read_functions(io_loader *L, const io_node *root)
{
    io_node at;
    if (!dal_io_member(&at, root, "functions")) {
        return DAL_OK;
    }
    if (!dal_json_is(at.json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, &at, "expected an object with a function for each name");
    }
    for (size_t k = 0; k < dal_json_members(at.json); ++k) {
        const io_node child = dal_io_item(&at, k);
        const char *key = child.key;
        char name[IO_TEXT];
        int number;
        if (strlen(key) >= IO_TEXT / 2 || key[0] == '#' || key[0] == '\0') {
            return dal_io_fail(L, &child, "this cannot be the name of a function");
        }
        const dal_status st = dal_io_function_element(L, &number, &child, dal_io_full_name(L, name, key));
        DAL_TRY(st == DAL_OK ? st : name_later(L, &at, k, st));
    }
    return DAL_OK;
}

dal_status dal_io_functions(io_loader *L, const io_node *root)
{
    DAL_TRY(read_functions(L, root));
    return dal_io_parts(L, root, dal_io_functions);
}
