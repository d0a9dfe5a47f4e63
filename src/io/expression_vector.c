/* Arithmetic of numbers and vectors while an expression is read: vectors are three operands, so that what is compiled knows
 * numbers only. Dimensions go along as far as they are known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/expression_reader.h"

/* ---- dimensions ------------------------------------------------------------------------------- */

static const dal_dimension plain = {.known = 1};

static dal_dimension scaled(const dal_dimension *x, int times, int over)
{
    dal_dimension d = *x;
    for (int i = 0; i < DAL_BASES; ++i) {
        d.known = d.known && x->e[i] * times % over == 0;
        d.e[i] = (signed char)(x->e[i] * times / over);
    }
    return d;
}

/* Where lengths or masses go and a time stays, as in v/r, torque/inertia, stiffness/mass, an angle may be meant or not. */
static dal_dimension joined(const dal_dimension *x, const dal_dimension *y, int sign)
{
    dal_dimension d = {.known = x->known && y->known};
    for (int i = 0; i < DAL_BASES; ++i) {
        d.e[i] = (signed char)(x->e[i] + sign * y->e[i]);
    }
    const int rate = d.e[METRE] == 0 && d.e[KILOGRAM] == 0 && d.e[SECOND] != 0;
    d.turns = x->turns || y->turns || (rate && (x->e[METRE] != 0 || x->e[KILOGRAM] != 0));
    return d;
}

static dal_status add_dimensions(const reader *r, size_t at, quantity *x, const quantity *y)
{
    if (!dal_dimension_agrees(&x->dimension, &y->dimension)) {
        char a[DAL_DIMENSION_TEXT], b[DAL_DIMENSION_TEXT], what[200];
        snprintf(what, sizeof what, "%s and %s cannot be added or compared", dal_dimension_text(a, &x->dimension),
                 dal_dimension_text(b, &y->dimension));
        return dal_reader_complain(r, at, what);
    }
    x->dimension = x->dimension.known ? x->dimension : y->dimension;
    return DAL_OK;
}

static dal_status set_dimension(const reader *r, size_t at, expression_op op, quantity *x, const quantity *y)
{
    switch (op) {
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MIN:
    case OP_MAX:
        return add_dimensions(r, at, x, y);
    case OP_MULTIPLY:
    case OP_DIVIDE:
        x->dimension = joined(&x->dimension, &y->dimension, op == OP_MULTIPLY ? 1 : -1);
        return DAL_OK;
    case OP_POWER:
        if (y->x[0].node < 0 && fabs(y->x[0].c) < 10.0 && y->x[0].c == floor(y->x[0].c)) {
            x->dimension = scaled(&x->dimension, (int)y->x[0].c, 1);
        } else {
            x->dimension.known = 0;
        }
        return DAL_OK;
    case OP_SQRT:
        x->dimension = scaled(&x->dimension, 1, 2);
        return DAL_OK;
    case OP_NEGATE:
    case OP_ABS:
        return DAL_OK;
    case OP_ATAN2:
        DAL_TRY(add_dimensions(r, at, x, y));
        x->dimension = plain;
        return DAL_OK;
    case OP_FLOOR:
        x->dimension.known = 0;
        return DAL_OK;
    default: // sin, exp, ...
        x->dimension = plain;
        return DAL_OK;
    }
}

/* ---- operators -------------------------------------------------------------------------------- */

dal_status dal_quantity_combine(reader *r, quantity *x, size_t at, expression_op op, const quantity *y)
{
    const int sum = op == OP_ADD || op == OP_SUBTRACT;
    const int n = y != NULL && y->n > x->n ? y->n : x->n;
    if (n > 1) {
        const int fits = y == NULL           ? op == OP_NEGATE
                         : sum               ? x->n == y->n
                         : op == OP_MULTIPLY ? x->n != y->n
                                             : op == OP_DIVIDE && y->n == 1;
        if (!fits) {
            return dal_reader_complain(
                r, at,
                op == OP_MULTIPLY ? "the product of two vectors is dot(a, b) or cross(a, b)"
                                  : "a vector near here does not fit: vectors are added to vectors, multiplied "
                                    "and divided by numbers; norm(a) and a.x are numbers");
        }
    }
    const quantity first = *x;
    x->n = n;
    for (int k = 0; k < n; ++k) {
        x->x[k] = first.x[first.n > 1 ? k : 0];
        DAL_TRY(dal_reader_combine(r, &x->x[k], at, op, y != NULL ? &y->x[y->n > 1 ? k : 0] : NULL));
    }
    return set_dimension(r, at, op, x, y != NULL ? y : &first);
}

/* ---- functions -------------------------------------------------------------------------------- */

enum { NORM, DOT, CROSS, UNIT, ROTATE, FUNCTIONS };

static const struct {
    const char *word;
    int arguments;
    int vectors; /* so many of them, the first ones, are vectors */
} functions[FUNCTIONS] = {
    [NORM] = {"norm", 1, 1}, [DOT] = {"dot", 2, 2},       [CROSS] = {"cross", 2, 2},
    [UNIT] = {"unit", 1, 1}, [ROTATE] = {"rotate", 3, 2},
};

int dal_vector_function(const char *name, int *arguments)
{
    for (int k = 0; k < FUNCTIONS; ++k) {
        if (strcmp(functions[k].word, name) == 0) {
            *arguments = functions[k].arguments;
            return k;
        }
    }
    *arguments = 0;
    return -1;
}

const char *dal_vector_word(int function)
{
    return function < FUNCTIONS ? functions[function].word : NULL;
}

static quantity component(const quantity *v, int k)
{
    return (quantity){.n = 1, .x = {v->x[k]}, .dimension = v->dimension};
}

static dal_status dot(reader *r, size_t at, quantity *x, const quantity *a, const quantity *b)
{
    for (int k = 0; k < 3; ++k) {
        quantity term = component(a, k);
        const quantity other = component(b, k);
        DAL_TRY(dal_quantity_combine(r, &term, at, OP_MULTIPLY, &other));
        if (k == 0) {
            *x = term;
        } else {
            DAL_TRY(dal_quantity_combine(r, x, at, OP_ADD, &term));
        }
    }
    return DAL_OK;
}

static dal_status cross(reader *r, size_t at, quantity *x, const quantity *a, const quantity *b)
{
    quantity c = {.n = 3};
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        quantity plus = component(a, i), minus = component(a, j);
        const quantity bi = component(b, i), bj = component(b, j);
        DAL_TRY(dal_quantity_combine(r, &plus, at, OP_MULTIPLY, &bj));
        DAL_TRY(dal_quantity_combine(r, &minus, at, OP_MULTIPLY, &bi));
        DAL_TRY(dal_quantity_combine(r, &plus, at, OP_SUBTRACT, &minus));
        c.x[k] = plus.x[0];
        c.dimension = plus.dimension;
    }
    *x = c;
    return DAL_OK;
}

static dal_status norm(reader *r, size_t at, quantity *x, const quantity *a)
{
    DAL_TRY(dot(r, at, x, a, a));
    return dal_quantity_combine(r, x, at, OP_SQRT, NULL);
}

static dal_status unit(reader *r, size_t at, quantity *x, const quantity *a)
{
    quantity length;
    DAL_TRY(norm(r, at, &length, a));
    *x = *a;
    return dal_quantity_combine(r, x, at, OP_DIVIDE, &length);
}

/* v cos(phi) + (u x v) sin(phi) + u (u . v) (1 - cos(phi)), u = the axis of length one */
static dal_status rotate(reader *r, size_t at, quantity *x, const quantity *a)
{
    quantity u, along, across, c = a[2], s = a[2], rest = number_quantity(1.0);
    rest.dimension = plain;
    DAL_TRY(unit(r, at, &u, &a[1]));
    u.dimension = plain;
    DAL_TRY(dot(r, at, &along, &u, &a[0]));
    DAL_TRY(cross(r, at, &across, &u, &a[0]));
    DAL_TRY(dal_quantity_combine(r, &c, at, OP_COS, NULL));
    DAL_TRY(dal_quantity_combine(r, &s, at, OP_SIN, NULL));
    DAL_TRY(dal_quantity_combine(r, &rest, at, OP_SUBTRACT, &c));
    DAL_TRY(dal_quantity_combine(r, &rest, at, OP_MULTIPLY, &along));
    DAL_TRY(dal_quantity_combine(r, &u, at, OP_MULTIPLY, &rest));
    DAL_TRY(dal_quantity_combine(r, &across, at, OP_MULTIPLY, &s));
    *x = a[0];
    DAL_TRY(dal_quantity_combine(r, x, at, OP_MULTIPLY, &c));
    DAL_TRY(dal_quantity_combine(r, x, at, OP_ADD, &across));
    return dal_quantity_combine(r, x, at, OP_ADD, &u);
}

dal_status dal_vector_call(reader *r, quantity *x, size_t at, int function, const quantity *a)
{
    for (int k = 0; k < functions[function].arguments; ++k) {
        const int wanted = k < functions[function].vectors ? 3 : 1;
        if (a[k].n != wanted) {
            char what[100];
            snprintf(what, sizeof what, "argument %d of %s is a %s", k + 1, functions[function].word,
                     wanted == 3 ? "vector" : "number");
            return dal_reader_complain(r, at, what);
        }
    }
    switch (function) {
    case NORM:
        return norm(r, at, x, a);
    case DOT:
        return dot(r, at, x, a, a + 1);
    case CROSS:
        return cross(r, at, x, a, a + 1);
    case UNIT:
        return unit(r, at, x, a);
    default:
        return rotate(r, at, x, a);
    }
}
