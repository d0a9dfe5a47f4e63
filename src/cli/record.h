/* Tables of a run, as the command line names them. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/model.h"
#include "dalembert/results.h"

/* A model with more bodies than this writes its bodies and its state only when told to. */
enum { RECORD_BODIES = 200, RECORD_PATH = 4096 };

/* Where -o and --format put the results; "": nowhere. CLI_OK, or CLI_USAGE after a message. */
int record_place(char place[RECORD_PATH], dal_results_format *format, const cli_args *args);
/* Those of --tables that the model has, or what suits it; returns how many. */
int record_tables(int chosen[DAL_RECORD_TABLES], const cli_model *m, const cli_args *args);

#endif
