#include "cli/diagram.h"

#include <math.h>
#include <string.h>

cli_chart *diagram_chart(cli_diagram *d, int traces, const char *x, const char *format, ...)
{
    cli_chart *c = &d->chart[d->n++];
    *c = (cli_chart){.x = x,
                     .trace = cli_alloc((size_t)traces, sizeof *c->trace),
                     .curve = cli_alloc((size_t)traces, sizeof *c->curve)};
    va_list args;
    va_start(args, format);
    cli_vformat(c->title, sizeof c->title, format, args);
    va_end(args);
    return c;
}

cli_trace *diagram_trace(cli_chart *c, dal_trace_style style, int n, const char *unit, const char *format, ...)
{
    cli_trace *t = &c->trace[c->n++];
    *t = (cli_trace){.style = style, .n = n, .x = cli_alloc(6 * (size_t)n, sizeof *t->x)};
    t->y = t->x + n; // and room for a picture
    t->label = style == DAL_PAGE_MARKS ? cli_alloc((size_t)n, sizeof *t->label) : NULL;
    snprintf(t->unit, sizeof t->unit, "%s", unit);
    va_list args;
    va_start(args, format);
    cli_vformat(t->name, sizeof t->name, format, args);
    va_end(args);
    return t;
}

void diagram_mark(cli_trace *t, double x, double y, const char *format, ...)
{
    va_list args;
    t->x[t->n] = x;
    t->y[t->n] = y;
    va_start(args, format);
    cli_vformat(t->label[t->n++], DIAGRAM_LABEL, format, args);
    va_end(args);
}

int diagram_seen(const cli_trace *t)
{
    int any = 0;
    for (int i = 0; i < t->n; ++i) {
        any |= isfinite(t->y[i]) != 0;
    }
    return any;
}

static void show_trace(const cli_trace *t, cli_html *h)
{
    const char **label = t->label != NULL ? cli_alloc((size_t)t->n, sizeof *label) : NULL;
    for (int i = 0; i < t->n && label != NULL; ++i) {
        label[i] = t->label[i];
    }
    const dal_page_trace trace = {.name = t->name,
                                  .unit = t->unit,
                                  .style = t->style,
                                  .n = t->n,
                                  .x = t->x,
                                  .y = t->y,
                                  .label = label,
                                  .hidden = t->hidden};
    cli_try(h->ctx, dal_page_add_trace(h->page, &trace), CLI_IO);
}

void diagram_show(const cli_diagram *d, cli_html *h)
{
    for (int k = 0; k < d->n; ++k) {
        const cli_chart *c = &d->chart[k];
        const dal_page_chart chart = {.title = c->title, .x = c->x, .log_x = c->log_x, .log_y = c->log_y};
        cli_try(h->ctx, dal_page_add_chart(h->page, &chart), CLI_IO);
        for (int i = 0; i < c->n; ++i) {
            if (diagram_seen(&c->trace[i])) {
                show_trace(&c->trace[i], h);
            }
        }
    }
}

/* ---- pictures --------------------------------------------------------------------------------- */

/* A picture joins points, so a gap follows each mark; marks have no name in it. */
static svg_curve draw(cli_trace *t, int index)
{
    const int marks = t->style == DAL_PAGE_MARKS, n = marks ? 2 * t->n : t->n;
    double *x = marks ? t->y + t->n : t->x, *y = marks ? x + n : t->y;
    for (int i = 0; i < n && marks; ++i) {
        x[i] = t->x[i / 2];
        y[i] = i % 2 == 1 ? NAN : t->y[i / 2];
    }
    snprintf(t->picture, sizeof t->picture, "%.*s", (int)strcspn(t->name, ":"), t->name);
    return (svg_curve){.name = diagram_seen(t) && !marks ? t->picture : NULL,
                       .x = x,
                       .y = y,
                       .n = n,
                       .colour = t->style == DAL_PAGE_LINE ? index : 7,
                       .dashed = t->style == DAL_PAGE_DASHED,
                       .marks = marks};
}

void diagram_save(cli_diagram *d, const char *path, const char *title)
{
    svg_panel panel[DIAGRAM_CHARTS];
    for (int k = 0; k < d->n; ++k) {
        const cli_chart *c = &d->chart[k];
        for (int i = 0; i < c->n; ++i) {
            c->curve[i] = draw(&c->trace[i], i);
        }
        panel[k] = (svg_panel){.x = {c->x, NULL},
                               .range_x = c->range,
                               .y = {c->title, c->trace[0].unit},
                               .curve = c->curve,
                               .ncurves = c->n,
                               .empty = c->empty};
    }
    const svg_picture picture = {.title = title,
                                 .panel = panel,
                                 .npanels = d->n,
                                 .columns = 1,
                                 .width = 640,
                                 .height = 300,
                                 .legend = SVG_LEGEND_RIGHT};
    plot_save(&picture, path);
}
