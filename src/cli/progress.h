/* The progress bar, on a terminal only. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "dalembert/sim.h"

typedef struct cli_progress {
    int on;
    double start, shown; /* wall clock */
    double t0, t_end;
    long steps0, iterations0;
} cli_progress;

void progress_start(cli_progress *p, int quiet, const dal_sim *sim, double t_end);
void progress_show(cli_progress *p, const dal_sim *sim);
void progress_clear(const cli_progress *p);

#endif
