/* What analyses give: states of a model, one after the other, as tables, a picture and a page. The flags are those of
 * `run`: a command lists STATES_FLAGS among its own, with "|NAME" of its own table or "". */
#ifndef CLI_STATES_H
#define CLI_STATES_H

#include "cli/html.h"
#include "cli/plot.h"
#include "cli/record.h"

/* clang-format off */
#define STATES_FLAGS(own) \
    {"output", 'o', "PATH", "write tables: a folder, FILE.csv (one table) or FILE.h5", CLI_PATH}, \
    {"format", 'f', "csv|hdf5", "of the tables in PATH; default csv, or hdf5 if PATH ends in .h5", CLI_CHOICE, "csv|hdf5", .needs = "output"}, \
    {"tables", 0, "LIST", "which: outputs,bodies,state and those of this command", CLI_WORDS, "outputs|bodies|state" own, .needs = "output"}, \
    {"html", 0, "FILE.html", "write a page: the mechanism in 3D with curves", CLI_HTML}, \
    {"plot", 'p', "FILE.svg", "draw outputs", CLI_SVG}, \
    {"plot-outputs", 0, "LIST", "what to draw: names of outputs, or BODY.x", .needs = "plot"}, \
    CLI_FLAG_SET, \
    CLI_FLAG_OUTSIDE, \
    {"quiet", 'q', NULL, "print no messages"}, \
    CLI_FLAG_JSON
/* clang-format on */

typedef struct cli_states {
    const cli_args *args;
    char place[RECORD_PATH];
    dal_results_format format;
    cli_model *m;
    dal_data *data;
    const dal_table *own; /* table of the command; n = 0: none */
    int chosen[DAL_RECORD_TABLES], own_chosen;
    double later;   /* what is shown of a state has its time and this; may be set before a state is added */
    double *x;      /* all channels */
    double *values; /* of a row */
    dal_results *results;
    int drawing;
    cli_curves curves;
    const char *html;
    cli_html page;
} cli_states;

/* data: what the states are evaluated with. own: a table of the command; NULL: none. It must outlive this. */
int states_open(cli_states *s, cli_model *m, dal_data *data, const cli_args *args, const dal_table *own);
/* A state; own: values of the table of the command. Channels are in m->values until the next one. */
int states_add(cli_states *s, const dal_point *at, const double *own);
/* Files get their names. summary: lines for the page, may be NULL. */
int states_close(cli_states *s, const char *summary);
void states_release(cli_states *s);

#endif
