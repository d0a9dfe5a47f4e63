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
/* An element that follows from values of the binding and from inputs of the model, both, so that these cannot be set by an event
 * while the binding has set the element; NULL: there is none. */
const char *dal_binding_beside_inputs(const dal_binding *binding);

/* How initial values come about. */
typedef struct io_guess {
    int closed; /* not simply those of the descriptions: an assembly closes joints, or some velocities are given and not all */
    int completed; /* 1: from those given the others were completed; -1: they contradict the joints, and stay as they are, for the
                    * start to project; 0: there was nothing to complete */
} io_guess;

/* What dal_binding_start starts from: numbers are set to the values, q and v are as dal_sim_start is given them. */
dal_status dal_binding_guess(const dal_binding *binding, dal_data *data, double *q, double *v, io_guess *how,
                             const double *values) DAL_NODISCARD;

/* A variable of the document, or a number of its text by address (dal_load_options.address). */
dal_status dal_document_number(const dal_document *doc, double *x, const char *name) DAL_NODISCARD;

#endif
