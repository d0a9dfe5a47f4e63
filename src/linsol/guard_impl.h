/* What the solvers share that do not search the whole matrix for pivots (block, frontal): their factors are checked by
 * a solve with a known solution, and if they are not good, `sparse` takes over for a while. */
#ifndef DAL_LINSOL_GUARD_IMPL_H
#define DAL_LINSOL_GUARD_IMPL_H

#include "linsol/linsol_impl.h"

/* Pivots of one node or front that differ by more than this are not trusted. */
#define DAL_PIVOT_LIMIT 1e13

typedef struct dal_guard {
    double checked;     /* ratio of pivots up to which the factors have been checked by a solve, 0: never */
    dal_linsol *backup; /* `sparse`, once the own factors have failed */
    int away;           /* the factors in use are those of the backup */
    int pause;          /* factorisations until the own elimination is tried again */
    int failures;       /* how often in a row it has failed */
    long fallbacks;     /* factorisations that the backup has made */
} dal_guard;

/* Do the pivots differ no more than in factors that have been checked? */
int dal_guard_known(const dal_guard *guard, double ratio);
/* Is the own elimination to be tried with the next matrix? */
int dal_guard_tries(const dal_guard *guard);
/* The own factors are there, their pivots differ by `ratio` (infinite: unusable, or not tried): accept them, or factor with the
 * backup. */
dal_status dal_guard_finish(dal_linsol *ls, dal_guard *guard, double ratio) DAL_NODISCARD;
void dal_guard_release(dal_guard *guard);
/* As if nothing had been factored yet. */
void dal_guard_forget(dal_guard *guard);

/* The part of a snapshot that belongs to the guard. */
void dal_guard_pass(dal_linsol *ls, dal_guard *guard, dal_cursor *k);

#endif
