/* Derivatives of a system with respect to its numbers, as whoever differentiates a run needs them: products with
 * d(r, Phi, vel, acc, law)/dp and with its transpose, number by number. */
#ifndef DAL_SYSTEM_DEPENDENCE_H
#define DAL_SYSTEM_DEPENDENCE_H

#include "system/eval.h"

/* What the equations answer, or what their answers are weighed with: nv, then nc each; NULL: not wanted, or zero. */
typedef struct dal_rows {
    double *r, *Phi, *vel, *acc, *law;
    int alone; /* r has what rows exert, B^T lambda, alone */
    int bare;  /* DAL_WANT_BARE */
} dal_rows;

/* `n` entries from `first` on. */
typedef struct dal_range {
    int first, n;
} dal_range;

/* The share of some element in the derivative with respect to number k: what is not in the ranges is zero. */
typedef struct dal_column {
    int k;
    dal_rows at; /* all rows of the system, those left out too */
    const dal_range *v, *row;
    int nv, nrows;
} dal_column;

/* Numbers of a system that count as parameters. */
typedef struct dal_dependence dal_dependence;
struct dal_dependence {
    int n;
    /* Call `take` with the shares of all elements in all numbers, at a point with multipliers of all rows. wants: members that
     * are not NULL are wanted. */
    dal_status (*columns)(dal_dependence *p, const dal_rows *wants, const dal_point *at,
                          void (*take)(const dal_column *column, void *user), void *user);
};

/* y += d(...)/dp dp for `count` directions: dp is n x count, members of y have `stride` numbers between two directions. Rows are
 * those of the evaluation. p NULL: there are no numbers. */
dal_status dal_dependence_product(dal_dependence *p, dal_eval *ev, const dal_rows *y, int stride, const dal_point *at,
                                  const double *dp, int count) DAL_NODISCARD;
/* pbar += scale d(...)/dp^T w */
dal_status dal_dependence_transposed(dal_dependence *p, dal_eval *ev, double *pbar, const dal_point *at,
                                     const dal_rows *w, double scale) DAL_NODISCARD;

#endif
