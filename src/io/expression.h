/* Arithmetic in model files: "L/2", "2*pi*f", "deg(30)", "-c*v*abs(v)".
 *
 *     sum      = product { ("+" | "-") product }
 *     product  = factor { ("*" | "/") factor }
 *     factor   = ("+" | "-") factor | value [ "^" factor ]
 *     value    = number [ units ] | name | name "(" sum { "," sum } ")" | ( "(" sum ")" | "[" sum "," sum [ "," sum ] "]" ) [ "." axis ]
 *              | "if(" sum ("<" | ">" | "<=" | ">=") sum { ("and" | "or") ... } "," sum "," sum ")"
 *     units    = unit [ "^" digit ] { ( "*" | "/" | " " ) unit [ "^" digit ] }, without blanks around * and /
 *
 * A name that is called is a function below or a function of the model (one argument, or two). Functions: sin cos tan asin acos atan atan2 sqrt abs exp log pow floor min max sinh cosh tanh sign,
 * deg(x) = x degrees in radians, rad(x) = x; of vectors norm dot cross unit rotate. Constant: pi. A vector is three numbers: p
 * consists of p.x, p.y and p.z.
 *
 * A text is read once. What has no inputs is a number at once; the rest becomes a list of operations, each on results
 * before it, with equal ones kept once. Evaluating it walks over the list: no recursion, no allocation. Derivatives are
 * exact: each operation knows its own, and the chain rule does the rest. */
#ifndef DAL_IO_EXPRESSION_H
#define DAL_IO_EXPRESSION_H

#include "dalembert/events.h"

enum {
    DAL_EXPRESSION_DEPTH = 200, /* of parentheses, signs, powers, and variables that refer to variables */
    DAL_EXPRESSION_NODES = 1000 /* operations, inputs and constants of a compiled expression */
};

/* Exponents of m, kg, s and rad. */
enum { DAL_BASES = 4 };
typedef struct dal_dimension {
    unsigned char known; /* 0: it is a number without units, which may be anything */
    unsigned char turns; /* 1: an angle may be meant, as in v/r: any power of rad */
    signed char e[DAL_BASES];
} dal_dimension;

/* What is not known agrees with everything. */
int dal_dimension_agrees(const dal_dimension *a, const dal_dimension *b);
/* Is it that of a unit, or of one of several: "N/m or N m/rad"? */
int dal_dimension_is(const dal_dimension *a, const char *unit);
enum { DAL_DIMENSION_TEXT = 64 };
const char *dal_dimension_text(char text[DAL_DIMENSION_TEXT], const dal_dimension *d); /* "kg m^2" */

/* Where names are looked up. find: 1 and the value, 0 if there is no such name, -1 if its value cannot be had (then
 * the message is set). depth is handed on to nested calls of dal_expression_value. All but find may be NULL. */
typedef struct dal_lookup dal_lookup;
struct dal_lookup {
    int (*find)(double *x, const char *name, int depth, const dal_lookup *from);
    dal_dimension (*dimension)(const char *name, const dal_lookup *from); /* of what was found */
    int (*size)(const char *name, int depth, const dal_lookup *from);     /* 3: it is a vector */
    /* The text that a name stands for, and where its own names are looked up; NULL: there is none. */
    const char *(*local)(dal_lookup *inner, const char *name, const dal_lookup *from);
    const char *(*nearest)(const char *name, const dal_lookup *from); /* a name for the message, or NULL */
    /* The number of a function of the model (0: there is none), how many arguments it takes, its value at these, and a name of one. */
    int (*function)(const char *name, const dal_lookup *from);
    int (*arguments)(int number, const dal_lookup *from);
    dal_status (*call)(double *y, int number, const double *x, const dal_lookup *from);
    int calls; /* calls are kept in what is compiled; else they are numbers */
    const char *(*nearest_function)(const char *name, const dal_lookup *from);
    const char *prefix; /* before the names of variables that are inputs */
    const void *user, *place;
};

/* The value of an expression; it is finite. The message of a failure quotes the text and names the column.
 * lookup may be NULL. */
dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup,
                                int depth) DAL_NODISCARD;
/* The same for a number or a vector, *n numbers, with its dimension. */
dal_status dal_expression_values(double x[3], int *n, dal_dimension *d, dal_ctx *ctx, const char *text,
                                 const dal_lookup *lookup, int depth) DAL_NODISCARD;
/* 3 if it is a vector. No values are looked up, and mistakes are not reported. */
int dal_expression_size(dal_ctx *ctx, const char *text, const dal_lookup *lookup, int depth);

/* Is this a name that variables may have (letter or _, then letters, digits and _), and not pi or a function's? */
int dal_expression_name(const char *text);
int dal_expression_function(const char *name); /* is there a function of that name? */

/* ---- expressions of inputs -------------------------------------------------------------------- */

typedef struct dal_expression dal_expression;

/* Compile an expression of ninputs inputs, whose names come before those of lookup. */
dal_status dal_expression_compile(dal_expression **e, dal_ctx *ctx, const char *text, const char *const *inputs,
                                  int ninputs, const dal_lookup *lookup) DAL_NODISCARD;
/* Number k of a vector, k = -1: of a number. The first `own` inputs are those of the user, the others variables by their full
 * names: local variables see only these. */
dal_status dal_expression_compile_part(dal_expression **e, int k, dal_ctx *ctx, const char *text,
                                       const char *const *inputs, int ninputs, int own,
                                       const dal_lookup *lookup) DAL_NODISCARD;
void dal_expression_destroy(dal_expression *e, dal_ctx *ctx); /* NULL is fine */

int dal_expression_inputs(const dal_expression *e); /* how many it was compiled with */
/* Does the value depend on this input? On any? */
int dal_expression_uses(const dal_expression *e, int input);
int dal_expression_is_constant(const dal_expression *e);

/* Number of the first function of the model, from node *at on, that is called; 0: there is no other. */
int dal_expression_called(const dal_expression *e, int *at);

/* The value at the inputs x. It may be infinite or NaN, as may derivatives at kinks and poles; abs, min, max, floor and
 * sign have the derivatives of the branch that gives the value, abs and sign zero at zero. */
double dal_expression_at(const dal_expression *e, const double *x);
/* The value; g (ninputs) are its derivatives. */
double dal_expression_gradient(double *g, const dal_expression *e, const double *x);
/* Both for expressions that call functions; g may be NULL. A status that is not DAL_OK is that of a function. */
dal_status dal_expression_calling(double *f, double *g, const dal_expression *e, const double *x,
                                  const dal_functions *functions) DAL_NODISCARD;
/* Along a curve x(s): y is the value and its first and second derivative, from
 * x_i, x_i', x_i'', three numbers per input. */
void dal_expression_along(double y[3], const dal_expression *e, const double *x);
/* The same, for one that calls functions. */
dal_status dal_expression_along_calling(double y[3], const dal_expression *e, const double *x,
                                        const dal_functions *functions);

/* The first time after t from which on abs, sign, floor, min, max or atan2 of the time alone is on another branch; where there
 * are too many to look through, a time until which none is. Infinity: there is none. The first ntime inputs are the time, the
 * others are x (indexed as the inputs), NaN where they change with the motion. Breaks of functions that are called with arguments
 * of this kind count, branches that follow from their values do not; functions is NULL where none are called. */
double dal_expression_break(const dal_expression *e, const double *x, int ntime, double t,
                            const dal_functions *functions);

#endif
