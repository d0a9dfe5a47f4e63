/* Searching between bounds: what fit.c (measured data) and optimize.c (a best value) share. A point z in [0, 1]^n stands for the
 * parameters x = lo + z (hi - lo). */
#ifndef DAL_SWEEP_SEARCH_IMPL_H
#define DAL_SWEEP_SEARCH_IMPL_H

#include "sweep/sweep_impl.h"

enum { SEARCH_MOST = DAL_SWEEP_SEARCHED };

typedef struct sweep_search {
    dal_sweep *sweep;
    const dal_sweep_search *spec;
    dal_sweep_found *found;
    int n;
    double lo[SEARCH_MOST], hi[SEARCH_MOST];
    double z[SEARCH_MOST]; /* where it begins, then the best so far */
} sweep_search;

/* Bounds and start. */
dal_status dal_sweep_search_init(sweep_search *s, dal_sweep *sweep, dal_sweep_found *found,
                                 const dal_sweep_search *spec) DAL_NODISCARD;
/* A run at z; 0: it failed. */
int dal_sweep_search_run(sweep_search *s, double *value, double *trajectory, const double *z);
/* found: where the search has come to. */
void dal_sweep_search_end(sweep_search *s, double margin);

#endif
