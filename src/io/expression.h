/* Arithmetic in model files: "L/2", "2*pi*f", "deg(30)", "-c*v*abs(v)".
 *
 *     sum      = product { ("+" | "-") product }
 *     product  = factor { ("*" | "/") factor }
 *     factor   = ("+" | "-") factor | value [ "^" factor ]
 *     value    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
 *
 * Functions: sin cos tan asin acos atan atan2 sqrt abs exp log pow floor min max sinh cosh tanh sign,
 * deg(x) = x degrees in radians, rad(x) = x. Constant: pi.
 *
 * A text is read once. What has no inputs is a number at once; the rest becomes a list of operations, each on results
 * before it, with equal ones kept once. Evaluating it walks over the list: no recursion, no allocation. Derivatives are
 * exact: each operation knows its own, and the chain rule does the rest. */
#ifndef DAL_IO_EXPRESSION_H
#define DAL_IO_EXPRESSION_H

#include "dalembert/base.h"

enum {
    DAL_EXPRESSION_DEPTH = 200, /* of parentheses, signs, powers, and variables that refer to variables */
    DAL_EXPRESSION_NODES = 1000 /* operations, inputs and constants of a compiled expression */
};

/* Where names are looked up. find: 1 and the value, 0 if there is no such name, -1 if its value cannot be had (then
 * the message is set). depth is handed on to nested calls of dal_expression_value. */
typedef struct dal_lookup {
    int (*find)(double *x, const char *name, int depth, const void *user);
    const char *(*nearest)(const char *name, const void *user); /* a name for the message, or NULL; may be NULL */
    int (*is_function)(const char *name,
                       const void *user); /* of the model, which expressions do not call; may be NULL */
    const void *user;
} dal_lookup;

/* The value of an expression; it is finite. The message of a failure quotes the text and names the column.
 * lookup may be NULL. */
dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup,
                                int depth) DAL_NODISCARD;

/* Is this a name that variables may have (letter or _, then letters, digits and _), and not pi or a function's? */
int dal_expression_name(const char *text);
int dal_expression_function(const char *name); /* is there a function of that name? */

/* ---- expressions of inputs -------------------------------------------------------------------- */

typedef struct dal_expression dal_expression;

/* Compile an expression of ninputs inputs, whose names come before those of lookup. */
dal_status dal_expression_compile(dal_expression **e, dal_ctx *ctx, const char *text, const char *const *inputs,
                                  int ninputs, const dal_lookup *lookup) DAL_NODISCARD;
void dal_expression_destroy(dal_expression *e, dal_ctx *ctx); /* NULL is fine */

int dal_expression_inputs(const dal_expression *e); /* how many it was compiled with */
/* Does the value depend on this input? On any? */
int dal_expression_uses(const dal_expression *e, int input);
int dal_expression_is_constant(const dal_expression *e);

/* The value at the inputs x. It may be infinite or NaN, as may derivatives at kinks and poles; abs, min, max, floor and
 * sign have the derivatives of the branch that gives the value, abs and sign zero at zero. */
double dal_expression_at(const dal_expression *e, const double *x);
/* The value; g (ninputs) are its derivatives. */
double dal_expression_gradient(double *g, const dal_expression *e, const double *x);
/* Along a curve x(s): y is the value and its first and second derivative, from
 * x_i, x_i', x_i'', three numbers per input. */
void dal_expression_along(double y[3], const dal_expression *e, const double *x);

/* The first time after t from which on abs, sign, floor, min, max or atan2 of the time alone is on another branch; where there
 * are too many to look through, a time until which none is. Infinity: there is none. The first ntime inputs are the time, the
 * others are x (indexed as the inputs), NaN where they change with the motion. */
double dal_expression_break(const dal_expression *e, const double *x, int ntime, double t);

#endif
