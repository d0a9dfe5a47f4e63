/* Symmetric positive definite matrices within an envelope: S = L D L^T row by row, nothing outside it is touched. Where all
 * rows come in threes, those of a point, it works with blocks of three: row by row a step of rk 5 on a chain of 10 links takes 25 % more
 * instructions (bench/table). */
#ifndef DAL_PROJECTION_ENVELOPE_H
#define DAL_PROJECTION_ENVELOPE_H

#include "base/memory.h"

typedef struct dal_envelope {
    int n;
    int threes; /* rows, columns and the envelope come in threes */
    int *first; /* n: first column of a row */
    int *
        offset; /* n: entry (i, j) of the lower half is x[offset[i] + j]; by threes: (i/3, j/3) is 9 numbers, by rows */
    double *x;  /* the lower half of S, then L */
    double *d;  /* 1/D: n, or 9 for each three */
    size_t nx;  /* numbers in x */
} dal_envelope;

/* first is there; offsets and size of x follow. n must be divisible by 3 if it works by threes. */
void dal_envelope_shape(dal_envelope *e);
/* 0: a pivot is below `least` of the diagonal entry that was there. */
int dal_envelope_factor(dal_envelope *e, double least);
/* y := -S^-1 y */
void dal_envelope_solve(const dal_envelope *e, double *y);

#endif
