/* The figures of docs/papers: data by the same measurements as the claims. */
#ifndef REPRODUCE_FIGURES_H
#define REPRODUCE_FIGURES_H

#include <stdio.h>

#include "reproduce/catalogue.h"
#include "reproduce/lab.h"

/* A section "[figure NAME]" of claims/figures.txt: title, x and y (what the axes say), log (x, y or both), values, and a series
 * for each curve, "title: measurement and words". values = "h=4e-3 /2 7": at 7 values of h, each half of the one before (or
 * +0.01, so much more); without values the curves are quantities over time. columns: each curve is a drawing of its own. */
enum { FIGURE_TITLE = 64 };

int figure_count(void);
const section *figure_at(int k);
const char *figure_name(const section *f);

/* A curve: at most `room` points; returns their number. k counts the series from 0 on; *title may be NULL. -1: there is none. */
int figure_curve(lab *L, const section *f, int k, char title[FIGURE_TITLE], double *x, double *y, int room);

/* Draw all figures into a folder (created if need be). 0 and a complaint on failure. */
int figures_draw(const char *folder, int jobs, FILE *err);

#endif
