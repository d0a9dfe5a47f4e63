/* How the numbers of a model follow from the values of a binding (mbs/follow.h), with the expressions of the file. */
#ifndef DAL_IO_FOLLOW_H
#define DAL_IO_FOLLOW_H

#include "dalembert/io.h"
#include "io/expression.h"
#include "mbs/follow.h"

typedef struct io_flow io_flow;
struct io_flow {
    mb_flow of;
    void (*value)(io_flow *f, const double *y, int number); /* y is a value of the binding */
    /* y follows from live values, those of the binding and of variables that depend on them. */
    void (*formula)(io_flow *f, const double *y, const dal_expression *e, const double *live);
};

/* dal_binding_set, and what follows from what; descriptions come first, then what elements make of them. */
dal_status dal_binding_follow(const dal_binding *binding, dal_data *data, io_flow *f,
                              const double *values) DAL_NODISCARD;
/* Does a start close loops before anything else, as "assembly" in the file asks for? Does the step size follow from values? */
int dal_binding_assembles(const dal_binding *binding);
int dal_binding_sets_step(const dal_binding *binding);

#endif
