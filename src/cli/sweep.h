/* A sweep of the tool: what cmd_sweep.c (course), sweep_args.c (arguments), sweep_rows.c (tables), sweep_search.c (searches),
 * sweep_report.c (summary, page) and sweep_plot.c (pictures) share. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/cli.h"
#include "dalembert/sweep.h"

enum { SWEEP_TEXTS = 1000, SWEEP_COLUMNS = 200, SWEEP_PATH = 4096, SWEEP_COMMAND = 8000 };

typedef struct sweep_job {
    const cli_args *args;
    dal_ctx *ctx;
    dal_sweep_spec spec;
    dal_sweep_section *section;
    dal_sweep *sweep;
    struct sweep_copy *copies; /* texts that spec points to */
    const char *parameter[SWEEP_COLUMNS], *collect[SWEEP_TEXTS], *trajectory[SWEEP_TEXTS];
    double *rows, *times;
    dal_sweep_run_options options;
    char journal[SWEEP_PATH];
    const char *output; /* NULL: none */
    int quiet, json, partial;
    /* the run */
    double start, shown, wall;
    int bar;
} sweep_job;

const char *sweep_flag(const sweep_job *job, const char *flag);
int sweep_fail(const sweep_job *job, dal_status st); /* tell it; the exit code */

/* Read the arguments into spec and options. CLI_OK, or an exit code after a message. */
int sweep_read(sweep_job *job);
/* A copy of the first n characters, with zeros up to there, that lives as long as the job. */
char *sweep_keep(sweep_job *job, const char *text, size_t n);
void sweep_release_copies(sweep_job *job);
/* The parameter "NAMEWHAT", where WHAT is "=rows" or the like. */
int sweep_add_parameter(sweep_job *job, const char *name, const char *what);

/* A table: names in the first line, then numbers, one row after the other. */
typedef struct sweep_table {
    const char *name[SWEEP_COLUMNS];
    int n;
    long rows;
    double *x; /* free it */
} sweep_table;
int sweep_read_table(sweep_job *job, sweep_table *table, const char *path);
int sweep_read_rows(sweep_job *job, const char *path); /* of parameters */

/* --backend says up to two things, between commas: who does the work (threads, mpi) and with what (interpreted, lanes, cuda,
 * auto). CLI_OK, or an exit code after a message. */
typedef struct sweep_choice {
    int threads, mpi; /* asked for */
    int given;        /* `backend` was */
    dal_sweep_backend backend;
} sweep_choice;
int sweep_read_backend(const sweep_job *job, sweep_choice *choice);

/* Another engine than threads, and the rank in it: rank 0 writes and reports. */
extern dal_status (*sweep_engine)(sweep_job *job);
extern int sweep_rank;
extern int sweep_begun; /* all ranks have come as far as the engine */
dal_status sweep_mpi_run(sweep_job *job) DAL_NODISCARD;
/* Under mpirun: become dalembert-mpi, which does the same over all ranks. Returns if there is nothing to do, or an exit code
 * after a message. */
int sweep_become_mpi(const sweep_job *job);

/* sweep_driver.c: parameters from a file of a driver, results to another. */
int sweep_read_driver(sweep_job *job, const char *path);
int sweep_write_driver(const sweep_job *job, const char *path);

/* --optimize and --fit: look for parameters, tell them; the exit code. */
int sweep_search(sweep_job *job);

/* The summary or the document of --json, and the page of --html. */
int sweep_report(const sweep_job *job);
int sweep_page(const sweep_job *job, const char *path);

/* Pictures: to files as the flags say, or as text of a page, to be freed. */
int sweep_plots(const sweep_job *job);
char *sweep_picture(const sweep_job *job, int parallel);

#endif
