/* A study: runs over step sizes and methods against a reference. cmd_study.c has arguments and tables, study_run.c the
 * runs, study_plot.c the picture. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/model.h"
#include "dalembert/analysis.h"

enum { STUDY_H = 64, STUDY_METHODS = 32, STUDY_SAMPLES = 100 };

/* Result of one run. */
typedef struct study_row {
    int method;
    double h;
    int failed;
    char message[500];
    dal_error error, order;
    long steps, newton, jacobians;
    double us_per_step;
} study_row;

typedef struct study {
    cli_model model;
    double h[STUDY_H];
    int nh;
    const char *method[STUDY_METHODS];
    dal_options opt[STUDY_METHODS];
    int nmethods;
    enum { REFERENCE_EXACT, REFERENCE_SELF, REFERENCE_FILE } kind;
    const char *reference; /* as given */
    int jobs;
    double t[STUDY_SAMPLES]; /* where errors are measured */
    int nt;
    dal_samples ref[STUDY_METHODS]; /* the same for all methods unless self */
    dal_error ref_error;
    study_row *row;          /* nmethods x nh */
    const char *plot, *html; /* where to */
} study;

/* References, then all runs, in several threads. */
void study_perform(study *s);
void study_plot(void *user); /* a study */
void study_page(void *user);

#endif
