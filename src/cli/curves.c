/* Curves of a run: gathered step by step, drawn at its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot.h"

static const double pi = 3.14159265358979323846;

/* ---- gathering -------------------------------------------------------------------------------- */

void curves_room(cli_curves *c)
{
    c->steps = 1;
    c->t = cli_alloc(PLOT_POINTS, sizeof *c->t);
    c->stretch = cli_alloc((size_t)PLOT_POINTS * (size_t)c->columns.n, sizeof *c->stretch);
    c->last = cli_alloc((size_t)c->columns.n, sizeof *c->last);
}

/* b follows a: both in one. What lies before a jump is left out, or the jump would be drawn. */
static cli_stretch join(cli_stretch a, cli_stretch b)
{
    if (b.apart || isnan(a.lo)) {
        b.apart |= a.apart;
        return b;
    }
    return (cli_stretch){fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.apart};
}

/* Stretches of twice the length. */
static void join_all(cli_curves *c)
{
    const int n = c->columns.n;
    for (int i = 0; 2 * i < c->n; ++i) {
        const cli_stretch *a = c->stretch + (size_t)(2 * i) * (size_t)n, *b = a + n;
        c->t[i] = c->t[2 * i];
        for (int j = 0; j < n; ++j) {
            c->stretch[(size_t)i * (size_t)n + (size_t)j] = 2 * i + 1 < c->n ? join(a[j], b[j]) : a[j];
        }
    }
    c->n = (c->n + 1) / 2;
    c->steps *= 2;
}

/* An angle that went round: a jump by a turn, give or take a quarter. */
static int went_round(const cli_column *column, double before, double now)
{
    return column->unit != NULL && strcmp(column->unit, "rad") == 0 && fabs(fabs(now - before) - 2.0 * pi) < 0.5 * pi;
}

void curves_add(cli_curves *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT])
{
    if (c->t == NULL) {
        return;
    }
    if (c->n == PLOT_POINTS && c->filled == c->steps) {
        join_all(c);
        c->filled = c->steps; // an even number of stretches became half as many, all full
    }
    const int fresh = c->n == 0 || c->filled == c->steps, first = c->n == 0;
    if (fresh) {
        c->t[c->n++] = s->t;
        c->filled = 0;
    }
    c->filled++;
    cli_stretch *now = c->stretch + (size_t)(c->n - 1) * (size_t)c->columns.n;
    for (int j = 0; j < c->columns.n; ++j) {
        const double value = record_value(&c->columns.item[j], m, s, monitor);
        const cli_stretch one = {value, value, !first && went_round(&c->columns.item[j], c->last[j], value)};
        now[j] = fresh ? one : join(now[j], one);
        c->last[j] = value;
    }
}

void curves_release(cli_curves *c)
{
    record_columns_release(&c->columns);
    for (int i = 0; i < c->npanels; ++i) {
        free(c->panel[i].title);
    }
    free(c->t);
    free(c->stretch);
    free(c->last);
    *c = (cli_curves){0};
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static cli_stretch at(const cli_curves *c, int i, int column)
{
    return c->stretch[(size_t)i * (size_t)c->columns.n + (size_t)column];
}

static double largest(const cli_curves *c, int column)
{
    double size = 0.0;
    for (int i = 0; i < c->n; ++i) {
        size = fmax(size, fmax(fabs(at(c, i, column).lo), fabs(at(c, i, column).hi)));
    }
    return size;
}

static int same(const cli_curves *c, int a, int b)
{
    for (int i = 0; i < c->n; ++i) {
        if (at(c, i, a).lo != at(c, i, b).lo || at(c, i, a).hi != at(c, i, b).hi) {
            return 0;
        }
    }
    return 1;
}

/* The points of a column: x and y one after the other in new memory, three for a stretch at most. */
static svg_curve points(double **data, const cli_curves *c, int column)
{
    const cli_column *col = &c->columns.item[column];
    double *x = cli_alloc((size_t)c->n * 6, sizeof *x), *y = x + 3 * (size_t)c->n;
    int n = 0;
    *data = x;
    for (int i = 0; i < c->n; ++i) {
        const cli_stretch s = at(c, i, column);
        const int down = n > 0 && fabs(y[n - 1] - s.hi) < fabs(y[n - 1] - s.lo);
        const double value[3] = {NAN, down ? s.hi : s.lo, down ? s.lo : s.hi};
        for (int k = s.apart ? 0 : 1; k < (s.lo < s.hi ? 3 : 2); ++k) {
            x[n] = c->t[i];
            y[n++] = value[k];
        }
    }
    const int counts = col->source == FROM_MONITOR && col->index != MONITOR_ENERGY;
    return (svg_curve){.x = x, .y = y, .n = n, .smooth = !counts};
}

/* A panel as it is drawn, with what belongs to it. */
typedef struct drawn {
    svg_curve curve[16];
    double *data[16]; /* their points */
    char *name[16];
    int n;
    char zeros[128];
    const char *note[1];
} drawn;

static const char *short_name(const cli_curves *c, int column)
{
    const char *name = c->columns.item[column].name, *point = strrchr(name, '.');
    return point != NULL ? point + 1 : name;
}

/* Components that vanish beside others (the third of a planar motion) are said to, those that are equal get one curve. */
static svg_panel draw_panel(drawn *d, const cli_curves *c, const cli_panel *p)
{
    double size = 0.0;
    int zeros = 0;
    for (int j = 0; j < p->n; ++j) {
        size = fmax(size, largest(c, p->first + j));
    }
    for (int j = 0; j < p->n; ++j) {
        const int column = p->first + j;
        const double mine = largest(c, column);
        int twin = 0;
        if (size > 0.0 && mine <= 1e-13 * size) {
            const size_t used = strlen(d->zeros);
            snprintf(d->zeros + used, sizeof d->zeros - used, "%s%.20s", zeros++ > 0 ? ", " : "",
                     short_name(c, column));
            continue;
        }
        while (twin < d->n && !same(c, p->first + d->curve[twin].colour, column)) {
            ++twin;
        }
        const size_t used = twin < d->n ? strlen(d->name[twin]) : 0;
        if (twin == d->n) {
            d->name[d->n] = cli_alloc(600, 1);
            d->curve[d->n] = points(&d->data[d->n], c, column);
            d->curve[d->n++].colour = j;
        }
        snprintf(d->name[twin] + used, 600 - used, "%s%.60s", used > 0 ? ", " : "",
                 p->n > 1 ? short_name(c, column) : "");
        d->curve[twin].name = d->name[twin];
    }
    if (zeros > 0) {
        const size_t used = strlen(d->zeros);
        snprintf(d->zeros + used, sizeof d->zeros - used, " = 0");
    }
    d->note[0] = d->zeros;
    return (svg_panel){.y = {p->title, p->unit != NULL && strcmp(p->unit, "1") != 0 ? p->unit : NULL},
                       .curve = d->curve,
                       .ncurves = d->n,
                       .note = d->note,
                       .nnotes = zeros > 0,
                       .empty = "no finite values"};
}

int plot_curves(const cli_curves *c, const char *command, const char *path, const char *title)
{
    svg_panel panel[PLOT_PANELS];
    drawn *d = cli_alloc(PLOT_PANELS, sizeof *d);
    for (int k = 0; k < c->npanels; ++k) {
        panel[k] = draw_panel(&d[k], c, &c->panel[k]);
    }
    panel[c->npanels - 1].x = (svg_quantity){"time", "s"};
    const svg_picture picture = {
        .title = title, .panel = panel, .npanels = c->npanels, .columns = 1, .width = 640.0, .height = 180.0};
    const int code = plot_save(&picture, command, path);
    for (int k = 0; k < c->npanels; ++k) {
        for (int j = 0; j < d[k].n; ++j) {
            free(d[k].data[j]);
            free(d[k].name[j]);
        }
    }
    free(d);
    return code;
}
