/* The figures of docs/papers: data by the same runs as the claims. */
#ifndef REPRODUCE_FIGURES_H
#define REPRODUCE_FIGURES_H

#include <stdio.h>

#include "reproduce/measure.h"

enum { FIGURE_SERIES = 8 };

/* A curve: its title, the options of its runs and what else is special about it. */
typedef struct figure_series {
    const char *title, *options, *set;
    int chart, kind; /* see comparisons.h; ERROR_X ... of measure.h, or what the figure makes of it */
} figure_series;

typedef struct figure figure;
struct figure {
    const char *name; /* of the files NAME.dat and NAME.svg */
    const char *title, *xlabel, *ylabel;
    int log_x, log_y;
    const char *model; /* what is run */
    double from, T, h; /* errors count from there on; end of the run; (largest) step size */
    int levels;        /* how many step sizes, each half as long as the one before */
    figure_series series[FIGURE_SERIES];
    /* Write a block of lines "x y" for each of the n series, each ended by two empty lines. */
    void (*data)(FILE *out, lab *L, const figure *f, int n);
};

int figure_count(void);
const figure *figure_at(int k);

/* Draw all figures into a folder (created if need be). 0 and a complaint on failure. */
int figures_draw(const char *folder, int jobs, FILE *err);

/* The list. */
const figure *figures_all(int *n);

#endif
