/* Tables of exact solutions from the JSON files in test/data. */
#ifndef PROBLEMS_TABLE_H
#define PROBLEMS_TABLE_H

#include "problems/problems.h"

typedef struct table {
    int ncols, nrows;
    char (*name)[24];
    double *x; /* nrows x ncols, row after row */
} table;

/* Read the arrays at two paths of a file, as "reference/columns" and "variants/coin/rows". */
dal_status table_load(table *tab, dal_ctx *ctx, const char *file, const char *columns, const char *rows) DAL_NODISCARD;
void table_free(table *tab);
int table_column(const table *tab, const char *name);          /* -1 if there is none */
double table_get(const table *tab, int row, const char *name); /* NaN if there is no such column */

/* The table of a problem in the problem's own coordinates and signs: columns of q, v, vd, la for each of n times.
 * What the file does not give is NaN. */
typedef struct reference {
    int n;
    double *t, *q, *v, *vd, *la;
} reference;

dal_status reference_load(reference *ref, const problem *p) DAL_NODISCARD;
void reference_free(reference *ref);

#endif
