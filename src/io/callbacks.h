/* What stands behind the callbacks of a model that was read from a file: the expressions that were there. Callbacks of
 * programs are none of these. */
#ifndef DAL_IO_CALLBACKS_H
#define DAL_IO_CALLBACKS_H

#include "dalembert/events.h"
#include "dalembert/mbs.h"
#include "io/expression.h"

/* An expression; its last nparameters inputs are numbers of the element that has the callback. e NULL: there is none. */
typedef struct io_formula {
    const dal_expression *e;
    int nparameters;
} io_formula;

/* Inputs: t and those of the force, then parameters. */
io_formula dal_io_formula_of_law(const dal_force *d);
/* Inputs: the argument, under each of its names, then coefficients. */
io_formula dal_io_formula_of_function(const dal_function *d);

/* Value k of an event: 0 its condition, then what it sets. Inputs: t and those of the event, then parameters. */
io_formula dal_io_formula_of_event(const dal_model_event *d, int k);

/* Is this a joint of type pfaffian whose coefficients are expressions or numbers? Inputs: t, x, y, z of each body, then
 * parameters. */
int dal_io_rows_are_known(const dal_joint *d);
/* Coefficient of velocity `column` in a row, of A from 0 to 6 nbodies - 1, then b; a number where there is no expression. */
io_formula dal_io_formula_of_row(double *value, const dal_joint *d, int row, int column);

#endif
