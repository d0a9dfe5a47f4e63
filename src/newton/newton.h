/* Newton's method for F(x) = 0, full or modified, with a line search (docs/theory/newton.md, labels NW.*).
 * Knows nothing of groups and systems: it sees a residual, a Jacobian and an update. Allocates nothing
 * while solving. */
#ifndef DAL_NEWTON_NEWTON_H
#define DAL_NEWTON_NEWTON_H

#include <stdint.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "dalembert/linsol.h"
#include "newton/choice.h"

/* The problem keeps the iterate x itself. Callbacks return DAL_OK or what went wrong. */
typedef struct dal_newton_problem {
    dal_status (*residual)(void *self, double *r);
    dal_status (*jacobian)(void *self, dal_matrix *A);
    void (*update)(void *self, const double *dx, double scale); /* x := x + scale dx */
    double (*size)(void *self, const double *dx);               /* increment in units of its tolerance */
    void (*finish)(void *self);                                 /* x is final: bring the rest of the state up to date */
    void *self;
    /* optional: the name of an equation, for messages */
    void (*name)(void *self, char *buffer, size_t size, int equation);
    /* optional: the residual is not finite; say why, or DAL_OK if nothing better is known */
    dal_status (*explain)(void *self, double *r);
    /* optional, both or none: equations that are smooth within cases (open, sticking, sliding). A number that tells in which
     * cases the last residual was; and: keep the iterate, or go back to the one kept. A solution then has the cases of the
     * iterate before, and a failure leaves the iterate of least residual. (NW.10) */
    uint64_t (*cases)(void *self);
    void (*keep)(void *self, int back);
    /* optional: does the increment move nothing beyond the rounding of the iterate? (NW.13) */
    int (*idle)(void *self, const double *dx);
} dal_newton_problem;

typedef struct dal_newton_options {
    double residual_tol; /* on the maximum norm of the residual, times `weight` */
    double
        reduction; /* > 0: the residual alone decides, by its root mean square: at most residual_tol, or this part of the
                            first; full Newton then has new factors in every iteration (NW.9) */
    const double
        *weight;   /* n: of the equations, one over a residual that counts as large; NULL: 1. Must outlive the solver */
    int nfirst;    /* the first equations count `strict` times in that norm, */
    double strict; /* and once where the line search asks whether iterates come closer */
    double part;   /* of the tolerance of increments that may be left over (NW.2) */
    int stiff;     /* residuals may have more rounding than residual_tol: increments decide there (NW.13) */
    double rounding;   /* of increments, in parts of their tolerance: one that small is the last */
    int by_increments; /* they tell the rate: the Jacobian is inexact where the norm of the residual does not show it */
    int max_iterations;
    int modified;    /* keep the Jacobian from one solve to the next, as long as it contracts (NW.3) */
    int line_search; /* shorten steps that increase the residual */
    int choose;      /* `modified` or not, as the run decides by these costs; `modified` is then not looked at (NW.7) */
    int polish;      /* steps of a trial get an iteration more, so that they are not told from those of full Newton */
    dal_newton_costs costs;
    int in_place; /* the Jacobian is written through slots only: it is assembled where it is factored, if that can be done */
    int trust;   /* accept after one iteration where its contraction, or that of earlier solves, allows it (NW.6) */
    double left; /* part of the tolerances that may be left then; 0: a hundredth */
} dal_newton_options;

typedef struct dal_newton_stats {
    long iterations, jacobians, factorisations;
    dal_newton_choice choice; /* of modified Newton */
} dal_newton_stats;

typedef struct dal_newton {
    dal_ctx *ctx;
    dal_linsol *ls; /* owned by the caller */
    int n;
    dal_newton_options opt;
    dal_newton_stats stats;
    int fresh;          /* the factors belong to the current iterate */
    int have_factor;    /* there are factors at all */
    double contraction; /* rate of a first iteration with new factors, 0: not known */
    double increment;   /* and the size of its increment */
    int unseen;         /* solves since that was measured */
    int verify;         /* accept no solution without a look at its residual */
    double plain;       /* norm of the last residual with all equations counted once */
    double residual;    /* norm at the solution, estimated by the last reduction unless `verify` */
    long nresiduals;    /* evaluated in this solve */
    uint64_t cases;     /* of the last iterate */
    double *r, *dx;
    dal_arena arena;
} dal_newton;

dal_status dal_newton_init(dal_newton *nw, dal_ctx *ctx, dal_linsol *ls, const dal_newton_options *opt) DAL_NODISCARD;
void dal_newton_release(dal_newton *nw);

/* Does the next solve keep the factors of the one before? */
int dal_newton_modified(const dal_newton *nw);

/* Forget the factors: the next solve evaluates the Jacobian (the step size has changed, say). */
void dal_newton_invalidate(dal_newton *nw);

/* Factors and counts of a snapshot. */
void dal_newton_pass(dal_newton *nw, dal_cursor *k);

/* Iterate from the problem's x. DAL_NOCONV or DAL_SINGULAR leave x anywhere, with `cases` at its best; the message gives the residual
 * history in words. *iterations (may be NULL) receives the number of linear solves. */
dal_status dal_newton_solve(dal_newton *nw, int *iterations, const dal_newton_problem *problem) DAL_NODISCARD;

#endif
