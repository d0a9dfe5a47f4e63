/* The list of operations that an expression is compiled to, for those who walk over it. */
#ifndef DAL_IO_EXPRESSION_LIST_H
#define DAL_IO_EXPRESSION_LIST_H

#include "io/expression.h"

typedef enum expression_op {
    OP_CONSTANT,
    OP_INPUT,
    OP_ADD, /* from here on: two operands */
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_ATAN2,
    OP_MIN,
    OP_MAX,
    OP_NEGATE, /* one operand */
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SQRT,
    OP_ABS,
    OP_EXP,
    OP_LOG,
    OP_FLOOR,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_SIGN,
    OP_DEGREES
} expression_op;

/* One operation on nodes a and b before it (b = a where there is one operand), a constant c, or input a. */
typedef struct expression_node {
    expression_op op;
    int a, b;
    double c;
} expression_node;

struct dal_expression {
    int n, ninputs;
    expression_node node[]; /* the last one is the value */
};

/* The value of an operation; y is not looked at where there is one operand. */
double dal_expression_apply(expression_op op, double x, double y);

#endif
