/* Modes over a parameter. */
#ifndef CLI_CAMPBELL_H
#define CLI_CAMPBELL_H

#include "cli/about.h"
#include "cli/shape.h"

enum { CAMPBELL_ORDERS = 8, CAMPBELL_TEXT = 128 };

/* Modes at one value of the parameter. */
typedef struct cli_spectrum {
    double p;
    dal_modal *modal;
    int n;
    int *track;                  /* of each mode; -1: rigid */
    char (*text)[CAMPBELL_TEXT]; /* its shape in words */
    int *whirl;                  /* 1 forward, -1 backward, 0 neither */
} cli_spectrum;

/* Where a mode meets an order line (order > 0), or its growth changes sign (order = 0). */
typedef struct cli_crossing {
    double p, frequency;
    int track;
    double order;
} cli_crossing;

typedef struct cli_campbell {
    const cli_args *args;
    dal_ctx *ctx; /* of all modes */
    const char *source;
    char *model;   /* its name */
    char name[64]; /* of the parameter */
    int set;       /* number of its assignment */
    int n;
    cli_spectrum *at; /* n */
    int ntracks;
    double unit; /* rad/s of one unit of the parameter */
    double order[CAMPBELL_ORDERS];
    int norders;
    dal_modal_options opt;
    cli_crossing *crossing;
    int ncrossings, capacity;
    long opened; /* values evaluated */
} cli_campbell;

/* Evaluate, track, locate crossings. CLI_OK, or an exit code after a message. */
int campbell_run(cli_campbell *c);
void campbell_release(cli_campbell *c);
/* The mode of a track at value i; -1: it is not there. */
int campbell_mode(const cli_campbell *c, int i, int number);
/* Modes at the value p, to be forgotten afterwards, also after an error. */
int campbell_evaluate(cli_spectrum *s, cli_campbell *c, double p);
void campbell_forget(cli_spectrum *s);
void campbell_add(cli_campbell *c, cli_crossing x);
/* Number of eigenvalues with growth, pairs counting twice. */
int campbell_unstable(const cli_spectrum *s);
/* Limits of stability between the values i and i + 1 that are not known yet. */
void campbell_limits(cli_campbell *c, int i);
int campbell_plot(const cli_campbell *c, const char *path);
int campbell_page(const cli_campbell *c, const char *path);
/* First value at which a track is there, and its mode; -1: none. */
int campbell_first(const cli_campbell *c, int *mode, int track);
/* Number of values at which the state is neither at rest nor in steady motion, and a sentence that says so. */
int campbell_frozen(char *text, size_t size, const cli_campbell *c);
/* The whirl of a track where it is seen first. */
int campbell_whirl(const cli_campbell *c, int track);
/* The growth of a mode, 0 where it is nothing but rounding. */
double campbell_growth(dal_mode m);

#endif
