/* Searching between bounds: what fit.c (measured data) and optimize.c (a best value) share. A point z in [0, 1]^n stands for the
 * parameters x = lo + z (hi - lo). */
#ifndef DAL_SEARCH_SEARCH_IMPL_H
#define DAL_SEARCH_SEARCH_IMPL_H

#include "dalembert/gradient.h"
#include "sweep/sweep_impl.h"

enum { SEARCH_MOST = DAL_SWEEP_SEARCHED };

typedef struct sweep_search {
    dal_sweep *sweep;
    const dal_sweep_search *spec;
    dal_sweep_found *found;
    int n;
    double lo[SEARCH_MOST], hi[SEARCH_MOST];
    double z[SEARCH_MOST];  /* where it begins, then the best so far */
    dal_gradient *gradient; /* NULL: there are none */
} sweep_search;

/* Bounds and start. */
dal_status dal_sweep_search_init(sweep_search *s, dal_sweep *sweep, dal_sweep_found *found,
                                 const dal_sweep_search *spec) DAL_NODISCARD;
/* A run at z; 0: it failed. */
int dal_sweep_search_run(sweep_search *s, double *value, double *trajectory, const double *z);
/* Exact derivatives of what is collected, and of ndata curves, if there are any: of models that are compiled once, by steps of
 * generalized-alpha as the runs take them. Else a message of level info says why not. */
dal_status dal_sweep_search_differentiate(sweep_search *s, const dal_gradient_data *data, int ndata) DAL_NODISCARD;
/* A run at z with derivatives; 0: it failed. Derivatives with respect to z are those of the row times hi - lo. */
int dal_sweep_search_slopes(sweep_search *s, dal_gradient_mode mode, const double *z);
/* combination.c: of which parameters only a combination counts, from A = J^T J (n x n) at z: found->tied, found->together. Those that
 * the others stand for are held from now on. room: n x n */
void dal_fit_combinations(sweep_search *s, double *room, int *held, const double *A);
/* found: where the search has come to. Releases what it needed. */
void dal_sweep_search_end(sweep_search *s, double margin);

#endif
