/* Diagrams that are no curves over time: the same charts as a picture and on a page. */
#ifndef CLI_DIAGRAM_H
#define CLI_DIAGRAM_H

#include "cli/html.h"
#include "cli/plot.h"

enum { DIAGRAM_CHARTS = 200, DIAGRAM_LABEL = 160 };

/* n points, NaN where there is none; one without any is not shown. */
typedef struct cli_trace {
    char name[2 * DIAGRAM_LABEL], picture[DIAGRAM_LABEL]; /* a picture has what stands before ':' */
    char unit[64];
    dal_trace_style style;
    int n, hidden; /* hidden: until its name is clicked, on a page */
    double *x, *y;
    char (*label)[DIAGRAM_LABEL]; /* of each mark */
} cli_trace;

typedef struct cli_chart {
    char title[DIAGRAM_LABEL];
    const char *x;     /* name of the horizontal axis */
    const char *empty; /* what a picture says where there is nothing to be seen */
    int log_x, log_y;
    svg_range range; /* of x, in a picture */
    cli_trace *trace;
    svg_curve *curve; /* of a picture */
    int n;
} cli_chart;

typedef struct cli_diagram {
    cli_chart chart[DIAGRAM_CHARTS];
    int n;
} cli_diagram;

/* The next chart, with room for so many traces; its other members are set by the caller. */
cli_chart *diagram_chart(cli_diagram *d, int traces, const char *x, const char *format, ...) DAL_PRINTF(4, 5);
/* A trace of the chart with room for n points, to be filled, and the name. */
cli_trace *diagram_trace(cli_chart *c, dal_trace_style style, int n, const char *unit, const char *format, ...)
    DAL_PRINTF(5, 6);
int diagram_seen(const cli_trace *t); /* has it any point? */
/* The next point of marks (n is 0 at first), with its label. */
void diagram_mark(cli_trace *t, double x, double y, const char *format, ...) DAL_PRINTF(4, 5);
void diagram_show(const cli_diagram *d, cli_html *h);
/* One chart below the other. */
void diagram_save(cli_diagram *d, const char *path, const char *title);

#endif
