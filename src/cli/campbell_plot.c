/* The Campbell diagram: frequencies above, growth below, order lines dashed, crossings marked. */
#include <math.h>
#include <stdlib.h>

#include "cli/campbell.h"
#include "cli/plot.h"

typedef struct diagram {
    svg_curve *curve;
    double *x, *y;
    char (*name)[32];
    int n;
    size_t used;
} diagram;

static svg_curve *add(diagram *d, int points, int colour)
{
    svg_curve *c = &d->curve[d->n++];
    *c = (svg_curve){.x = d->x + d->used, .y = d->y + d->used, .n = points, .colour = colour};
    d->used += (size_t)points;
    return c;
}

double campbell_growth(dal_mode m)
{
    return fabs(m.re) > 1e-9 * hypot(m.re, m.im) ? m.re : 0.0;
}

/* One mode: frequency (growth = 0) or growth over the parameter. */
static void add_track(diagram *d, const cli_campbell *c, int track, int growth)
{
    const size_t first = d->used;
    int there = 0;
    for (int i = 0; i < c->n; ++i) {
        const int j = campbell_mode(c, i, track);
        const dal_mode m = dal_modal_mode(c->at[i].modal, j);
        const int shown = j >= 0 && (growth || m.im > 0.0);
        d->x[first + (size_t)i] = c->at[i].p;
        d->y[first + (size_t)i] = !shown ? NAN : growth ? campbell_growth(m) : m.frequency;
        there |= shown;
    }
    svg_curve *curve = add(d, c->n, track);
    if (there) {
        snprintf(d->name[track], sizeof *d->name, "mode %d", track + 1);
        curve->name = d->name[track];
    }
}

static void add_order(diagram *d, const cli_campbell *c, int k)
{
    const size_t first = d->used;
    for (int i = 0; i < 2; ++i) {
        d->x[first + (size_t)i] = c->at[i == 0 ? 0 : c->n - 1].p;
        d->y[first + (size_t)i] = fabs(c->order[k] * c->unit * d->x[first + (size_t)i]) / 6.283185307179586;
    }
    svg_curve *curve = add(d, 2, 7);
    snprintf(d->name[c->ntracks + k], sizeof *d->name, "order %g", c->order[k]);
    curve->name = d->name[c->ntracks + k];
    curve->dashed = 1;
}

/* A mark at each crossing of a kind. */
static void add_marks(diagram *d, const cli_campbell *c, int critical)
{
    const size_t first = d->used;
    int n = 0;
    for (int k = 0; k < c->ncrossings; ++k) {
        const cli_crossing *x = &c->crossing[k];
        for (int i = 0; i < 2 && (x->order > 0.0) == critical; ++i) { // a gap follows each mark
            d->x[first + (size_t)n] = x->p;
            d->y[first + (size_t)n++] = i == 1 ? NAN : critical ? x->frequency : 0.0;
        }
    }
    add(d, n, 7)->marks = 1;
}

int campbell_plot(const cli_campbell *c, const char *path)
{
    const size_t curves = 2 * (size_t)c->ntracks + (size_t)c->norders + 2;
    const size_t points = 2 * (size_t)c->ntracks * (size_t)c->n + 2 * (size_t)c->norders + 4 * (size_t)c->ncrossings;
    diagram d = {.curve = cli_alloc(curves, sizeof *d.curve),
                 .x = cli_alloc(points, sizeof *d.x),
                 .y = cli_alloc(points, sizeof *d.y),
                 .name = cli_alloc((size_t)c->ntracks + (size_t)c->norders, sizeof *d.name)};
    for (int t = 0; t < c->ntracks; ++t) {
        add_track(&d, c, t, 0);
    }
    for (int k = 0; k < c->norders; ++k) {
        add_order(&d, c, k);
    }
    add_marks(&d, c, 1);
    const int upper = d.n;
    for (int t = 0; t < c->ntracks; ++t) {
        add_track(&d, c, t, 1);
    }
    add_marks(&d, c, 0);
    const double from = c->at[0].p, to = c->at[c->n - 1].p;
    const svg_range range = {from < to ? from : to, from < to ? to : from};
    const svg_panel panel[] = {{.x = {c->name, NULL},
                                .range_x = range,
                                .y = {"frequency", "Hz"},
                                .curve = d.curve,
                                .ncurves = upper,
                                .empty = "nothing swings"},
                               {.x = {c->name, NULL},
                                .range_x = range,
                                .y = {"growth", "1/s"},
                                .curve = d.curve + upper,
                                .ncurves = d.n - upper}};
    const svg_picture picture = {.title = c->model,
                                 .panel = panel,
                                 .npanels = 2,
                                 .columns = 1,
                                 .width = 640,
                                 .height = 300,
                                 .legend = SVG_LEGEND_RIGHT};
    const int code = plot_save(&picture, "campbell", path);
    free(d.curve);
    free(d.x);
    free(d.y);
    free(d.name);
    return code;
}
