/* Pictures through gnuplot: curves over time in panels, errors over step sizes. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli/record.h"

enum { PLOT_PANELS = 6, PLOT_POINTS = 4000 };

/* A panel shows the columns first .. first + n - 1. */
typedef struct cli_panel {
    char *title;
    const char *unit;
    int first, n;
} cli_panel;

typedef struct cli_curves {
    cli_columns columns;
    cli_panel panel[PLOT_PANELS];
    int npanels;
    double *row;               /* (t, values), row after row */
    int rows, stride, skipped; /* every stride-th row is kept: the picture needs no more points than it has dots */
} cli_curves;

/* Choose what to draw: names of outputs, of columns, or BODY.x, BODY.quat, BODY.v, BODY.omega, separated by commas; NULL:
 * the first outputs, or the positions of the first bodies. CLI_OK, or CLI_USAGE after a message. */
int curves_choose(cli_curves *c, const cli_model *m, const char *command, const char *text);
void curves_add(cli_curves *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT]);
void curves_release(cli_curves *c);

/* Does the ending fit (.svg, .png)? CLI_OK, or CLI_USAGE after a message. */
int plot_check_name(const char *command, const char *path);
/* gnuplot with the terminal for the file; NULL after a message. */
FILE *plot_open(const char *command, const char *path, int width, int height);
/* CLI_OK, or CLI_IO after a message. */
int plot_close(FILE *gnuplot, const char *command, const char *path);
int plot_curves(const cli_curves *c, const char *command, const char *path, const char *title);
/* Text in double quotes for gnuplot. */
void plot_text(FILE *gnuplot, const char *text);

#endif
