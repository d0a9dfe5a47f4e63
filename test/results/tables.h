/* A small set of tables for the tests of result files, and folders to write them to. */
#ifndef RESULTS_TABLES_H
#define RESULTS_TABLES_H

#include "dalembert/results.h"
#include "support/check.h"

enum { TABLES_WIDTH = 3 }; /* values of a row */

/* Two tables: "angle" (1 column) and "force" (2 columns). */
dal_results_spec tables_spec(dal_results_format format, const char *path);
/* Row k: numbers whose last bits matter. */
double tables_time(int k);
void tables_values(double x[TABLES_WIDTH], int k);
/* The table "force" at path has `rows` rows as written. */
void tables_check(dal_ctx *ctx, const char *path, int rows);

/* A new folder below the current one, removed with tables_remove. name: 256 characters. */
void tables_folder(char *name);
void tables_remove(const char *name);

#endif
