/* Pages: the mechanism, its motion and its curves as one HTML file. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "cli/model.h"
#include "dalembert/page.h"

enum { HTML_CURVES = 200 }; /* most curves of a page */

typedef struct cli_html {
    dal_page *page; /* NULL: not open */
    dal_ctx *ctx;
    int n;
    int channel[HTML_CURVES]; /* of each curve */
    int balanced, balance[3]; /* is there a curve of the balance, n; curves it is made of, -1: none */
} cli_html;

/* Could a page be written there? */
void html_check(const char *path);
/* Begin a page. */
void html_begin(cli_html *h, dal_ctx *ctx, const dal_page_spec *spec);
/* Begin a page on a model, with its options and warnings. sim: where it is, and what the page will be fed by; NULL: the initial values
 * of the model. */
void html_open(cli_html *h, const cli_model *m, dal_sim *sim);
/* Say which curves there are: the outputs, then what the monitor shows. html_open does it where there is a simulation. */
void html_curves(cli_html *h, const cli_model *m);
/* All channels at a time. */
dal_status html_row(cli_html *h, const dal_record_row *row);
/* The n curves at a time; x has room for HTML_CURVES. */
dal_status html_values(cli_html *h, double *x, double t);
/* What happened in the run, marked on the time axis; of very many the first. */
void html_events(cli_html *h, const dal_sim *sim);
/* A line of a list; marked: it stands out. */
void html_say(cli_html *h, dal_page_list list, int marked, const char *name, const char *value);
void html_warn(cli_html *h, const char *text);
/* The lines of a summary: "  name          value". */
void html_summary(cli_html *h, const char *text);
void html_save(cli_html *h, const char *path);

#endif
