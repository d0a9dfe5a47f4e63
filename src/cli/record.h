/* What a run keeps: tables for the result files, extremes for the summary, curves for the picture. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/model.h"
#include "dalembert/results.h"

/* Accumulated over the run, kept in checkpoints. */
typedef struct cli_monitor {
    double energy0, energy, max_drift; /* NaN if the model has no energy */
    double max_position, max_velocity; /* constraint residuals */
    double wall;                       /* seconds, before the checkpoint */
    double t0;
} cli_monitor;

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

typedef enum cli_table { TABLE_OUTPUTS, TABLE_BODIES, TABLE_STATE, TABLE_MONITOR, TABLE_COUNT } cli_table;
extern const char *const cli_table_name[TABLE_COUNT];

/* A model with more bodies than this writes its bodies and its state only when told to. */
enum { RECORD_BODIES = 200 };

/* Columns of one table of a model. */
cli_columns record_columns(const cli_model *m, cli_table table);
void record_columns_release(cli_columns *c);

/* Numbers of the row at a state. The outputs must have been evaluated. */
enum { MONITOR_H, MONITOR_ENERGY, MONITOR_POSITION, MONITOR_VELOCITY, MONITOR_NEWTON, MONITOR_COUNT };
double record_value(const cli_column *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT]);

/* "outputs,state" to flags; CLI_OK or CLI_USAGE after a message. text NULL: what suits the model. */
int record_tables(int chosen[TABLE_COUNT], const cli_model *m, const char *command, const char *text);

#endif
