/* The progress bar, on a terminal only. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/cli.h"
#include "dalembert/sim.h"

typedef struct cli_progress {
    int on;
    double start, shown; /* wall clock */
    double t0, t_end;
    dal_stats before; /* of the simulation */
} cli_progress;

/* sim NULL: of something else, for which progress_due and progress_bar are called. */
void progress_start(cli_progress *p, int quiet, const dal_sim *sim, double t_end);
void progress_show(cli_progress *p, const dal_sim *sim);
void progress_clear(const cli_progress *p);
/* Is it time to show something? */
int progress_due(cli_progress *p);
/* So much is done, 0 .. 1. */
void progress_bar(const cli_progress *p, double done, const char *text);

#endif
