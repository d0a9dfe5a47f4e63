/* Expressions as code: what forces, functions and rows need of it. */
#ifndef DAL_GENERATE_EXPRESSIONS_IMPL_H
#define DAL_GENERATE_EXPRESSIONS_IMPL_H

#include "generate/generate_impl.h"
#include "io/callbacks.h"
#include "io/expression_list.h"

/* Inputs of the expressions of a model, parameters included. */
enum { GEN_INPUTS = 1 + DAL_INPUTS_MAX + DAL_PARAMETERS_MAX };

/* An input: how its value is written, and where the derivative by it goes ("": nowhere; of a curve: whether it moves). */
typedef struct gen_input {
    char text[GEN_NAME], slope[GEN_NAME];
} gen_input;

gen_input gen_input_named(const char *text, const char *slope);
gen_input gen_input_number(gen *g, const double *x); /* a number of the model */

/* "to = value;" */
void gen_print_expression(gen *g, const dal_expression *e, const gen_input *in, const char *to);
/* The same, and the derivatives. */
void gen_print_slopes(gen *g, const dal_expression *e, const gen_input *in, const char *to);
/* Value and two derivatives to[3] along the curve on which the inputs that have a slope are the parameter itself. */
void gen_print_curve(gen *g, const dal_expression *e, const gen_input *in, const char *to);

#endif
