/* The Campbell diagram as a page: frequencies and growth over the parameter, crossings marked. */
#include <math.h>
#include <stdlib.h>

#include "cli/campbell.h"
#include "cli/html.h"

enum { LABEL = 160 };

/* A mode of a model with many: hidden until its name is clicked. */
enum { SHOWN = 12 };

static dal_status add_track(dal_page *page, const cli_campbell *c, int track, int growth, double *x)
{
    char name[LABEL];
    double *y = x + c->n;
    int there = 0, mode = 0;
    const int first = campbell_first(c, &mode, track);
    for (int i = 0; i < c->n; ++i) {
        const int j = campbell_mode(c, i, track);
        const dal_mode m = dal_modal_mode(c->at[i].modal, j);
        const int shown = j >= 0 && (growth || m.im > 0.0);
        x[i] = c->at[i].p;
        y[i] = !shown ? NAN : growth ? campbell_growth(m) : m.frequency;
        there |= shown;
    }
    if (!there || first < 0) {
        return DAL_OK;
    }
    const int whirl = c->at[first].whirl[mode] == 0 ? campbell_whirl(c, track) : 0;
    snprintf(name, sizeof name, "mode %d: %.110s%s%s%s", track + 1, c->at[first].text[mode], whirl != 0 ? ", " : "",
             shape_whirl_word(whirl), whirl != 0 ? " whirl" : "");
    const dal_page_trace trace = {
        .name = name, .unit = growth ? "1/s" : "Hz", .n = c->n, .x = x, .y = y, .hidden = track >= SHOWN};
    return dal_page_add_trace(page, &trace);
}

static dal_status add_order(dal_page *page, const cli_campbell *c, double order)
{
    char name[LABEL];
    const double x[2] = {c->at[0].p, c->at[c->n - 1].p};
    const double y[2] = {fabs(order * c->unit * x[0]) / 6.283185307179586,
                         fabs(order * c->unit * x[1]) / 6.283185307179586};
    snprintf(name, sizeof name, "order %g", order);
    const dal_page_trace trace = {.name = name, .unit = "Hz", .style = DAL_PAGE_DASHED, .n = 2, .x = x, .y = y};
    return dal_page_add_trace(page, &trace);
}

static void say_crossing(char text[LABEL], const cli_campbell *c, const cli_crossing *x)
{
    if (x->order > 0.0) {
        snprintf(text, LABEL, "%s = %.10g: mode %d at %.8g Hz meets order %g", c->name, x->p, x->track + 1,
                 x->frequency, x->order);
    } else {
        snprintf(text, LABEL, "%s = %.12g: growth of mode %d changes sign (%.6g Hz)", c->name, x->p, x->track + 1,
                 x->frequency);
    }
}

/* Crossings of a kind as marks with labels, and in the summary. */
static dal_status add_crossings(dal_page *page, const cli_campbell *c, int critical)
{
    const size_t room = (size_t)c->ncrossings + 1;
    double *x = cli_alloc(2 * room, sizeof *x), *y = x + room;
    char(*text)[LABEL] = cli_alloc(room, sizeof *text);
    const char **label = cli_alloc(room, sizeof *label);
    dal_status st = DAL_OK;
    int n = 0;
    for (int k = 0; k < c->ncrossings && st == DAL_OK; ++k) {
        const cli_crossing *at = &c->crossing[k];
        if ((at->order > 0.0) == critical) {
            x[n] = at->p;
            y[n] = critical ? at->frequency : 0.0;
            say_crossing(text[n], c, at);
            label[n] = text[n];
            st = dal_page_text(page, DAL_PAGE_SUMMARY, critical ? "critical" : "stability", text[n++], 1);
        }
    }
    const dal_page_trace trace = {.name = critical ? "critical speeds" : "limits of stability",
                                  .unit = critical ? "Hz" : "1/s",
                                  .style = DAL_PAGE_MARKS,
                                  .n = n,
                                  .x = x,
                                  .y = y,
                                  .label = label};
    st = st == DAL_OK && n > 0 ? dal_page_add_trace(page, &trace) : st;
    free(x);
    free(text);
    free(label);
    return st;
}

static dal_status add_chart(dal_page *page, const cli_campbell *c, int growth, double *room)
{
    const dal_page_chart chart = {.title = growth ? "growth" : "frequency", .x = c->name};
    DAL_TRY(dal_page_add_chart(page, &chart));
    for (int t = 0; t < c->ntracks; ++t) {
        DAL_TRY(add_track(page, c, t, growth, room));
    }
    for (int k = 0; k < c->norders && !growth; ++k) {
        DAL_TRY(add_order(page, c, c->order[k]));
    }
    return add_crossings(page, c, !growth);
}

static dal_status add_text(dal_page *page, const cli_campbell *c)
{
    char text[400], name[LABEL];
    snprintf(text, sizeof text, "%s from %g to %g, %d values", c->name, c->at[0].p, c->at[c->n - 1].p, c->n);
    DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, "parameter", text, 0));
    for (int t = 0; t < c->ntracks; ++t) {
        int mode = 0;
        const int i = campbell_first(c, &mode, t);
        if (i >= 0) {
            snprintf(name, sizeof name, "mode %d", t + 1);
            snprintf(text, sizeof text, "from %s = %g on: %s", c->name, c->at[i].p, c->at[i].text[mode]);
            DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, name, text, 0));
        }
    }
    return campbell_frozen(text, sizeof text, c) > 0 ? dal_page_text(page, DAL_PAGE_WARNINGS, NULL, text, 0) : DAL_OK;
}

int campbell_page(const cli_campbell *c, const char *path)
{
    char title[200];
    double *room = cli_alloc(2 * (size_t)c->n, sizeof *room);
    snprintf(title, sizeof title, "Campbell diagram over %s", c->name);
    const dal_page_spec spec = {.name = c->model, .title = title};
    dal_page *page = NULL;
    dal_status st = dal_page_create(&page, c->ctx, &spec);
    st = st != DAL_OK ? st : add_text(page, c);
    for (int growth = 0; growth < 2 && st == DAL_OK; ++growth) {
        st = add_chart(page, c, growth, room);
    }
    st = st != DAL_OK ? st : dal_page_write(page, path);
    dal_page_destroy(page);
    free(room);
    return st == DAL_OK ? CLI_OK : cli_error("campbell", CLI_IO, "%s", dal_ctx_message(c->ctx));
}
