/* The figures of docs/papers: data by the same runs as the claims. */
#ifndef REPRODUCE_FIGURES_H
#define REPRODUCE_FIGURES_H

#include <stdio.h>

#include "dalembert/base.h"

enum { FIGURE_SERIES = 8 };

typedef struct figure {
    const char *name; /* of the files NAME.dat and NAME.svg */
    const char *title, *xlabel, *ylabel;
    int log_x, log_y;
    const char *series[FIGURE_SERIES]; /* titles; a block of lines "x y" each */
    /* Write the blocks in this order, each ended by two empty lines. 0 on failure. */
    int (*data)(FILE *out, dal_ctx *ctx);
} figure;

int figure_count(void);
const figure *figure_at(int k);

/* Draw all figures into a folder (created if need be). 0 and a complaint on failure. */
int figures_draw(const char *folder, int jobs, FILE *err);

/* The parts of the list. */
const figure *figures_transient(int *n); /* [AB07], [ABC15], [ACB15] */
const figure *figures_methods(int *n);   /* [HAG], [SM21] */

#endif
