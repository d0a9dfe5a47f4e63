/* Searching for parameters: what sweep_optimize.c (a best value) and sweep_fit.c (measured data) share. */
#ifndef CLI_SWEEP_SEARCH_H
#define CLI_SWEEP_SEARCH_H

#include "cli/sweep.h"

enum { SEARCH_PARAMETERS = 50 };

/* Parameters between bounds; z in [0, 1] stands for x in [lo, hi]. */
typedef struct sweep_search {
    sweep_job *job;
    int n;
    const char *name[SEARCH_PARAMETERS];
    double lo[SEARCH_PARAMETERS], hi[SEARCH_PARAMETERS], start[SEARCH_PARAMETERS];
    long evaluations, most;
    int failed; /* evaluations */
    double tolerance;
} sweep_search;

/* --bound, --evaluations, --tolerance; spec gets the parameters. */
int search_read(sweep_search *s, sweep_job *job);
void search_point(const sweep_search *s, double *x, const double *z);
/* The command that runs the point alone. */
void search_command(const sweep_search *s, char *text, size_t size, const double *x);
/* Say that the search ended before its tolerance was met; the exit code. */
int search_unconverged(const sweep_search *s);

int sweep_optimize(sweep_job *job);
int sweep_fit(sweep_job *job);

#endif
