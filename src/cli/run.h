/* A run of the tool: what cmd_run.c (arguments, course) and run_output.c (results, summary) share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/answer.h"
#include "cli/html.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/record.h"

typedef struct run_job {
    const cli_args *args;
    const char *set[CLI_SETS]; /* all assignments, those of a checkpoint included */
    int nset;
    char path[RECORD_PATH]; /* of the results; "": none */
    dal_results_format format;
    int quiet, json;
    dal_sampling sampling; /* times of the rows, if asked for: every > 0 or times not NULL */
    double *times;         /* of --output-at */
    double row_t;          /* of the last row at such a time */
    const char *plot;
    dal_checkpoint *saved; /* NULL: a fresh start */

    cli_model model;
    dal_sim *sim;
    dal_recorder *recorder;
    int results_failed;  /* writing results or a checkpoint */
    dal_monitor monitor; /* at the end */
    dal_initial_report initial;
    cli_progress progress;
    double wall; /* clock */
    /* initial = static: the body that the search of the equilibrium moved farthest [m], and how far it turned one [rad] */
    const char *moved_body;
    double moved, turned;

    int chosen[DAL_RECORD_TABLES];
    cli_curves curves;
    int drawn, shown; /* the picture is there, the page is */
    const char *html; /* the page; NULL: none */
    cli_html page;

    int stopped_by;      /* signal */
    const char *failure; /* of the integration */
} run_job;

const char *run_flag(const run_job *job, const char *flag);
/* Result files, curves, and the observer of the simulation. */
void run_prepare(run_job *job);
/* Last rows, names of files, checkpoint, picture, summary or document. */
int run_finish(run_job *job);
void run_tell_resume(run_job *job);

/* run_times.c: --output-every and --output-at */
void run_read_times(run_job *job);
int run_has_rows(const run_job *job); /* somebody takes them: files, picture, page */
/* So many rows, or such large tables, that it must be a slip? Asks at a terminal. */
void run_check_rows(const run_job *job);
/* Rows at the requested times, from now on. */
dal_status run_sample(run_job *job) DAL_NODISCARD;

/* summary.c */
/* Did the start move what was given? */
int run_initial_moved(const run_job *job);
cli_answer *run_answer(const run_job *job); /* what is known by now */

#endif
