/* Arithmetic in model files: "L/2", "2*pi*f", "deg(30)".
 *
 *     sum      = product { ("+" | "-") product }
 *     product  = factor { ("*" | "/") factor }
 *     factor   = ("+" | "-") factor | value [ "^" factor ]
 *     value    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
 *
 * Functions: sin cos tan asin acos atan atan2 sqrt abs exp log pow floor min max, deg(x) = x degrees in radians,
 * rad(x) = x. Constant: pi. */
#ifndef DAL_IO_EXPRESSION_H
#define DAL_IO_EXPRESSION_H

#include "dalembert/base.h"

enum { DAL_EXPRESSION_DEPTH = 200 }; /* of parentheses, signs, powers, and variables that refer to variables */

/* Where names are looked up. find: 1 and the value, 0 if there is no such name, -1 if its value cannot be had (then
 * the message is set). depth is handed on to nested calls of dal_expression_value. */
typedef struct dal_lookup {
    int (*find)(double *x, const char *name, int depth, const void *user);
    const char *(*nearest)(const char *name, const void *user); /* a name for the message, or NULL; may be NULL */
    const void *user;
} dal_lookup;

/* The value of an expression; it is finite. The message of a failure quotes the text and names the column.
 * lookup may be NULL. */
dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup,
                                int depth) DAL_NODISCARD;

/* Is this a name that variables may have (letter or _, then letters, digits and _), and not pi or a function's? */
int dal_expression_name(const char *text);

#endif
