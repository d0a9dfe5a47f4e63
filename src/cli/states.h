/* What analyses give: states of a model, one after the other, as tables, a picture and a page, as the flags say, which are those of
 * `run`; the last word of --tables is the table of the command. */
#ifndef CLI_STATES_H
#define CLI_STATES_H

#include "cli/answer.h"
#include "cli/html.h"
#include "cli/plot.h"
#include "cli/record.h"

typedef struct cli_states {
    const cli_args *args;
    char place[RECORD_PATH];
    dal_results_format format;
    cli_model *m;
    dal_data *data;
    dal_recorder *recorder;
    const dal_table *own; /* table of the command, if it is written */
    double *own_values;
    double later; /* what is shown of a state has its time and this; may be set before a state is added */
    int drawing;
    cli_curves curves;
    const char *html;
    cli_html page;
} cli_states;

/* data: what the states are evaluated with. own: a table of the command; NULL: none. It must outlive this. */
void states_open(cli_states *s, cli_model *m, dal_data *data, const cli_args *args, const dal_table *own);
/* A state; own: values of the table of the command. Channels are in m->values until the next one. */
void states_add(cli_states *s, const dal_point *at, const double *own);
/* Files get their names. summary: lines for the page. */
void states_close(cli_states *s, const char *summary);

/* The member "outputs": a number or a list for each. */
void states_outputs(cli_answer *to, const cli_model *m, int flat);

#endif
