/* The list of operations that an expression is compiled to, for those who walk over it. */
#ifndef DAL_IO_EXPRESSION_LIST_H
#define DAL_IO_EXPRESSION_LIST_H

#include "io/expression.h"

/* All operations, each told once: its number, its word in files (NULL: an operator), how many arguments it takes, whether
 * variables may have its name all the same, as before there was the function; then, with operands x and y and the value f, the
 * value and the derivatives (expression_kernel.h) as the library computes them and generated programs print them. */
enum { EXPRESSION_MANY = 3 }; /* arguments: two or more */
#define EXPRESSION_OPERATIONS(X)                                                              \
    X(ADD, NULL, 2, 0, x + y, expr_of_sum())                                                  \
    X(SUBTRACT, NULL, 2, 0, x - y, expr_of_difference())                                      \
    X(MULTIPLY, NULL, 2, 0, x *y, expr_of_product(x, y))                                      \
    X(DIVIDE, NULL, 2, 0, x / y, expr_of_quotient(y, f))                                      \
    X(POWER, "pow", 2, 0, real_pow(x, y), expr_of_power(x, y, f))                             \
    X(ATAN2, "atan2", 2, 0, real_atan2(x, y), expr_of_atan2(x, y))                            \
    X(MIN, "min", EXPRESSION_MANY, 0, expr_min(x, y), expr_of_choice(real_less(y, x)))        \
    X(MAX, "max", EXPRESSION_MANY, 0, expr_max(x, y), expr_of_choice(real_less(x, y)))        \
    X(LESS, NULL, 2, 0, expr_less(x, y), expr_none())                                         \
    X(GATE, NULL, 2, 0, expr_gate(x, y), expr_of_gate(x))                                     \
    X(NEGATE, NULL, 1, 0, -x, expr_of_one(REAL(-1.0), REAL(0.0)))                             \
    X(SIN, "sin", 1, 0, real_sin(x), expr_of_one(real_cos(x), -f))                            \
    X(COS, "cos", 1, 0, real_cos(x), expr_of_one(-real_sin(x), -f))                           \
    X(TAN, "tan", 1, 0, real_tan(x), expr_of_one(1.0 + f * f, 2.0 * f * (1.0 + f * f)))       \
    X(ASIN, "asin", 1, 0, real_asin(x), expr_of_arc(REAL(1.0), x))                            \
    X(ACOS, "acos", 1, 0, real_acos(x), expr_of_arc(REAL(-1.0), x))                           \
    X(ATAN, "atan", 1, 0, real_atan(x), expr_of_atan(x))                                      \
    X(SQRT, "sqrt", 1, 0, real_sqrt(x), expr_of_one(0.5 / f, -0.25 / (x * f)))                \
    X(ABS, "abs", 1, 0, real_abs(x), expr_of_one(expr_sign(x), REAL(0.0)))                    \
    X(EXP, "exp", 1, 0, real_exp(x), expr_of_one(f, f))                                       \
    X(LOG, "log", 1, 0, real_log(x), expr_of_one(1.0 / x, -1.0 / (x * x)))                    \
    X(FLOOR, "floor", 1, 0, real_floor(x), expr_none())                                       \
    X(SINH, "sinh", 1, 1, real_sinh(x), expr_of_one(real_cosh(x), f))                         \
    X(COSH, "cosh", 1, 1, real_cosh(x), expr_of_one(real_sinh(x), f))                         \
    X(TANH, "tanh", 1, 1, real_tanh(x), expr_of_one(1.0 - f * f, -2.0 * f * (1.0 - f * f)))   \
    X(SIGN, "sign", 1, 1, expr_sign(x), expr_none())                                          \
    X(DEGREES, "deg", 1, 0, expr_degrees(x), expr_of_one(expr_degrees(REAL(1.0)), REAL(0.0))) \
    X(RADIANS, "rad", 1, 0, x, expr_of_one(REAL(1.0), REAL(0.0)))

#define EXPRESSION_NUMBER(op, ...) OP_##op,
typedef enum expression_op {
    OP_CONSTANT,
    OP_INPUT,
    EXPRESSION_OPERATIONS(EXPRESSION_NUMBER) OP_CALL, /* function c of the model at node a */
    OP_CALL_TWO,                                      /* at nodes a and b */
    OP_COUNT
} expression_op;

/* A row of the list; value and partials as text. */
typedef struct expression_operation {
    const char *word;
    int arguments, free;
    const char *value, *partials;
} expression_operation;

extern const expression_operation dal_expression_operations[OP_COUNT];

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
