/* Motions that a command prescribes: expressions of time, or columns of a table. */
#ifndef CLI_MOTIONS_H
#define CLI_MOTIONS_H

#include "cli/drives.h"

enum { MOTIONS_MAX = 64 };

typedef struct cli_motions {
    int n;
    char *name[MOTIONS_MAX]; /* coordinates */
    int joint[MOTIONS_MAX];  /* that prescribe them */
    dal_table_data table;    /* rows = 0: expressions */
    int quintic;             /* columns with velocity and acceleration */
} cli_motions;

/* text: "A=0.5*sin(t); B=2*t", or the name of a CSV or HDF5 file with a column for each coordinate. Adds joints of type
 * motion to the model. o stays where it is until the command ends. */
void motions_add(cli_motions *o, cli_model *m, const char *text);
/* How motions from a table are smoothed, in words; NULL: expressions. */
const char *motions_smoothing(const cli_motions *o);

#endif
