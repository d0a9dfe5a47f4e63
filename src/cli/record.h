/* Tables of a run, as the command line names them. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/model.h"
#include "dalembert/results.h"

/* A model with more bodies than this writes its bodies and its state only when told to. */
enum { RECORD_BODIES = 200, RECORD_PATH = 4096 };

/* Where -o and --format put the results; "": nowhere. */
void record_place(char place[RECORD_PATH], dal_results_format *format, const cli_args *args);
/* Those of --tables that the model has, or what suits it; returns how many. */
int record_tables(int chosen[DAL_RECORD_TABLES], const cli_model *m, const cli_args *args);

/* Read a table of results, which is owned; zero if it cannot be read. */
dal_status record_read(dal_table_data *table, dal_ctx *ctx, const char *path, const char *name) DAL_NODISCARD;

#endif
