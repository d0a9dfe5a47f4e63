/* Pictures: curves over time in panels, errors over step sizes. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli/model.h"
#include "svg/svg.h"

enum { PLOT_PANELS = 16, PLOT_CURVES = 16, PLOT_POINTS = 4000 };

/* A panel shows n curves, from number first on. */
typedef struct cli_panel {
    char title[512];
    const char *unit;
    int first, n;
} cli_panel;

/* What a channel did in a stretch of rows: the picture has no more dots, and no peak is lost. */
typedef struct cli_stretch {
    double lo, hi;
    int apart; /* an angle jumped by a turn: no line to what was before */
} cli_stretch;

typedef struct cli_curves {
    const dal_channels *channels;
    int channel[PLOT_PANELS * PLOT_CURVES]; /* of each curve */
    int n;
    cli_panel panel[PLOT_PANELS];
    int npanels;
    int left_out;         /* outputs that are not shown, as nobody asked for any */
    double *t, *last;     /* begin of each stretch; values of the last row */
    cli_stretch *stretch; /* of each curve, stretch after stretch */
    int nstretches, rows; /* rows: in each stretch but the last */
    int filled;           /* rows in the last one */
} cli_curves;

/* Choose what to draw: names of outputs, of columns, or BODY.x, BODY.quat, BODY.v, BODY.omega, separated by commas; NULL:
 * all outputs, as many as there is room for, or the positions of the first bodies. */
void curves_choose(cli_curves *c, const cli_model *m, const char *text);
void curves_add(cli_curves *c, const dal_record_row *row);

/* Does the ending fit, and can a file be written there? */
void plot_check(const char *path);
void plot_save(const svg_picture *picture, const char *path);
void plot_curves(const cli_curves *c, const char *path, const char *title);

#endif
