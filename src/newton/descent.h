/* Newton's method where a norm of the residual alone decides: equilibria, assembly, returns to the constraints (NW.11). The
 * steps of integrators, which are many and end on promises, have newton.h. */
#ifndef DAL_NEWTON_DESCENT_H
#define DAL_NEWTON_DESCENT_H

#include "dalembert/base.h"

/* The problem keeps the iterate and the step. */
typedef struct dal_descent {
    void *self;
    /* The residual at the iterate moved by scale times the step (0: at the iterate itself): its norm, and is it good enough? */
    dal_status (*look)(void *self, double *norm, int *good, double scale);
    /* The step from the iterate, whose residual was looked at last; fresh: with new factors. */
    dal_status (*step)(void *self, int fresh);
    /* The iterate moves to where the residual was looked at last. */
    dal_status (*move)(void *self);
    int most;       /* iterations */
    int halvings;   /* of a step that does not reduce the norm, which then has to; 0: full steps */
    int more;       /* iterations past a good iterate, convergence is quadratic */
    double nothing; /* a norm that leaves nothing to be done */
    double kept;    /* factors that have reduced the norm to this part are used again */
    double slow;    /* a good iterate is the last if the norm is above this part of the one before */
} dal_descent;

/* *found: the iterate is good. A status is that of a callback; without halvings any, else those but DAL_ECALLBACK that are
 * negative: other failures shorten the step. iterations may be NULL. */
dal_status dal_descend(const dal_descent *d, int *found, int *iterations) DAL_NODISCARD;

#endif
