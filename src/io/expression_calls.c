/* Calls in expressions: name "(" arguments ")", of the functions that there always are and of those of the model. */
#include <stdio.h>

#include "base/message.h"
#include "io/expression_reader.h"

static dal_status wrong_count(const reader *r, size_t begin, const char *word, int arguments)
{
    static const char *const counts[] = {"", "one argument", "two arguments", "three arguments"};
    char what[NAMES_SIZE + NAME_SIZE];
    snprintf(what, sizeof(what), "%s takes %s", word, counts[arguments]);
    return dal_reader_complain(r, begin, what);
}

/* name "(" arguments ")", after the parenthesis */
static dal_status read_call(reader *r, expression_op op, size_t begin, quantity *x)
{
    const expression_operation *f = &dal_expression_operations[op];
    quantity a[ARGUMENTS_MAX];
    int n = 0;
    DAL_TRY(dal_reader_list(r, a, &n, ')'));
    if (f->arguments == EXPRESSION_MANY ? n < 2 : n != f->arguments) {
        return wrong_count(r, begin, f->word, f->arguments == 1 ? 1 : 2);
    }
    *x = a[0];
    if (f->arguments == 1 && op != OP_RADIANS) {
        DAL_TRY(dal_quantity_combine(r, x, begin, op, NULL));
    }
    for (int k = 1; k < n; ++k) {
        DAL_TRY(dal_quantity_combine(r, x, begin, op, &a[k]));
    }
    return DAL_OK;
}

/* The value of a function at numbers, where a number is wanted. */
static dal_status value_of_call(reader *r, int function, const char *name, size_t begin, const quantity *a, int n,
                                quantity *x)
{
    double at[2] = {0.0};
    for (int k = 0; k < n; ++k) {
        if (a[k].x[0].node >= 0) {
            char what[NAMES_SIZE + 200];
            snprintf(what, sizeof what,
                     "the argument of %s follows from a value that is bound, or from an input; numbers that call "
                     "functions are computed once, when the file is read",
                     name);
            return dal_reader_complain(r, begin, what);
        }
        at[k] = a[k].x[0].c;
    }
    return r->lookup->call(&x->x[0].c, function, at, r->lookup);
}

/* A function of the model. Where calls are kept its numbers may change, so even that of a number is no number. */
static dal_status read_model_call(reader *r, int function, const char *name, size_t begin, quantity *x)
{
    const int arguments = r->lookup->arguments(function, r->lookup);
    quantity a[ARGUMENTS_MAX];
    int n = 0;
    DAL_TRY(dal_reader_list(r, a, &n, ')'));
    if (n != arguments) {
        return wrong_count(r, begin, name, arguments);
    }
    if (a[0].n != 1 || a[n - 1].n != 1) {
        return dal_reader_complain(r, begin, "functions of the model take a number, not a vector");
    }
    *x = number_quantity(0.0);
    if (!r->lookup->calls || r->node == NULL) {
        return value_of_call(r, function, name, begin, a, n, x);
    }
    expression_node node = {.op = n > 1 ? OP_CALL_TWO : OP_CALL, .c = function};
    DAL_TRY(dal_reader_as_node(r, &node.a, begin, &a[0].x[0]));
    DAL_TRY(dal_reader_as_node(r, &node.b, begin, &a[n - 1].x[0]));
    return dal_reader_node(r, &x->x[0].node, begin, &node);
}

static dal_status read_vector_call(reader *r, int function, int arguments, size_t begin, quantity *x)
{
    quantity a[ARGUMENTS_MAX];
    int n = 0;
    DAL_TRY(dal_reader_list(r, a, &n, ')'));
    return n == arguments ? dal_vector_call(r, x, begin, function, a)
                          : wrong_count(r, begin, dal_vector_word(function), arguments);
}

dal_status dal_reader_call(reader *r, quantity *x, size_t begin, const char *name)
{
    int arguments;
    const expression_op op = dal_reader_function(name);
    const int function = dal_vector_function(name, &arguments);
    if (op != OP_CONSTANT) {
        return read_call(r, op, begin, x);
    }
    if (arguments > 0) {
        return read_vector_call(r, function, arguments, begin, x);
    }
    if (r->sizing) { // which function it is does not matter, all of the model give numbers
        quantity a[ARGUMENTS_MAX];
        *x = number_quantity(1.0);
        return dal_reader_list(r, a, &arguments, ')');
    }
    const dal_lookup *l = r->lookup;
    const int called = l != NULL && l->function != NULL ? l->function(name, l) : 0;
    return called > 0 ? read_model_call(r, called, name, begin, x) : dal_reader_unknown(r, begin, name, 1);
}
