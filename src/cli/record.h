/* Tables of a run and their columns, as the command line names them. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/model.h"
#include "dalembert/results.h"

typedef enum cli_source { FROM_OUTPUTS, FROM_Q, FROM_V, FROM_LAMBDA, FROM_MONITOR } cli_source;

/* A column: where its number comes from. */
typedef struct cli_column {
    char *name;
    const char *unit;
    cli_source source;
    int index;
} cli_column;

typedef struct cli_columns {
    cli_column *item;
    int n, capacity;
} cli_columns;

typedef enum cli_table {
    TABLE_OUTPUTS = DAL_RECORD_OUTPUTS,
    TABLE_BODIES = DAL_RECORD_BODIES,
    TABLE_STATE = DAL_RECORD_STATE,
    TABLE_MONITOR = DAL_RECORD_MONITOR,
    TABLE_COUNT = DAL_RECORD_TABLES
} cli_table;

/* A model with more bodies than this writes its bodies and its state only when told to. */
enum { RECORD_BODIES = 200 };

/* Columns of one table of a model. */
cli_columns record_columns(const cli_model *m, cli_table table);
void record_columns_release(cli_columns *c);

/* The number of a column in a row: outputs are in m->values. */
enum { MONITOR_H, MONITOR_ENERGY, MONITOR_POSITION, MONITOR_VELOCITY, MONITOR_NEWTON, MONITOR_COUNT };
double record_value(const cli_column *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT]);

/* "outputs,state" to flags; CLI_OK or CLI_USAGE after a message. text NULL: what suits the model. */
int record_tables(int chosen[TABLE_COUNT], const cli_model *m, const char *command, const char *text);

#endif
