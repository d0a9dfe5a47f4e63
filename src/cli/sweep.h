/* A sweep of the tool: what cmd_sweep.c (course), sweep_args.c (arguments), sweep_rows.c (tables), sweep_search.c (searches),
 * sweep_report.c (summary, page) and sweep_plot.c (pictures) share. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/progress.h"
#include "dalembert/sweep.h"

enum { SWEEP_TEXTS = 1000, SWEEP_COLUMNS = 200, SWEEP_PATH = 4096 };

typedef struct sweep_job {
    const cli_args *args;
    dal_ctx *ctx;
    dal_sweep_spec spec;
    dal_sweep_section *section;
    dal_sweep *sweep;
    const char *parameter[SWEEP_COLUMNS], *collect[SWEEP_TEXTS], *trajectory[SWEEP_TEXTS];
    double *rows, *times;
    dal_sweep_run_options options;
    char journal[SWEEP_PATH];
    const char *output; /* NULL: none */
    int quiet, json, partial;
    cli_progress progress;
    double wall; /* seconds that the run took */
} sweep_job;

const char *sweep_flag(const sweep_job *job, const char *flag);
void sweep_try(const sweep_job *job, dal_status st); /* unless it is DAL_OK, tell it and end */

/* Read the arguments into spec and options. */
void sweep_read(sweep_job *job);
/* The parameter "NAMEWHAT", where WHAT is "=rows" or the like. */
void sweep_add_parameter(sweep_job *job, const char *name, const char *what);

/* A table: names in the first line, then numbers, one row after the other. */
typedef struct sweep_table {
    const char *name[SWEEP_COLUMNS];
    int n;
    long rows;
    double *x;
} sweep_table;
void sweep_read_table(sweep_table *table, const char *path);
void sweep_read_rows(sweep_job *job, const char *path); /* of parameters */
/* A file to read, closed when the command ends. */
FILE *sweep_open(const char *path);

/* --backend says up to two things, between commas: who does the work (threads, mpi) and with what (interpreted, lanes, cuda,
 * auto). */
typedef struct sweep_choice {
    int threads, mpi; /* asked for */
    int given;        /* `backend` was */
    dal_sweep_backend backend;
} sweep_choice;
sweep_choice sweep_read_backend(const sweep_job *job);

/* Another engine than threads, and the rank in it: rank 0 writes and reports. */
extern dal_status (*sweep_engine)(sweep_job *job);
extern int sweep_rank;
extern int sweep_begun; /* all ranks have come as far as the engine */
dal_status sweep_mpi_run(sweep_job *job) DAL_NODISCARD;
/* Under mpirun: become dalembert-mpi, which does the same over all ranks. Returns if there is nothing to do. */
void sweep_become_mpi(const sweep_job *job);

/* sweep_driver.c: parameters from a file of a driver, results to another. */
void sweep_read_driver(sweep_job *job, const char *path);
void sweep_write_driver(const sweep_job *job, const char *path);

/* --optimize and --fit: look for parameters, tell them; the exit code. */
int sweep_search(sweep_job *job);

/* The summary or the document of --json, pictures to files as the flags say, and the page of --html. */
void sweep_report(const sweep_job *job);
/* Histograms and responses, or parallel coordinates, to a file or (path NULL) as text. */
void sweep_draw(const sweep_job *job, int parallel, const char *path, FILE *out);

#endif
