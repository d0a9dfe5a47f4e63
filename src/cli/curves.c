/* Curves of a run: gathered step by step, drawn at its end. */
#include <math.h>
#include <string.h>

#include "cli/plot.h"

static const double pi = 3.14159265358979323846;

/* ---- gathering -------------------------------------------------------------------------------- */

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
    const int n = c->n;
    for (int i = 0; 2 * i < c->nstretches; ++i) {
        const cli_stretch *a = c->stretch + (size_t)(2 * i) * (size_t)n, *b = a + n;
        c->t[i] = c->t[2 * i];
        for (int j = 0; j < n; ++j) {
            c->stretch[(size_t)i * (size_t)n + (size_t)j] = 2 * i + 1 < c->nstretches ? join(a[j], b[j]) : a[j];
        }
    }
    c->nstretches = (c->nstretches + 1) / 2;
    c->rows *= 2;
}

/* An angle that went round: a jump by a turn, give or take a quarter. */
static int went_round(const cli_curves *c, int j, double now)
{
    const char *unit = dal_channels_get(c->channels, c->channel[j]).unit;
    return unit != NULL && strcmp(unit, "rad") == 0 && fabs(fabs(now - c->last[j]) - 2.0 * pi) < 0.5 * pi;
}

void curves_add(cli_curves *c, const dal_record_row *row)
{
    if (c->nstretches == PLOT_POINTS && c->filled == c->rows) {
        join_all(c);
        c->filled = c->rows; // an even number of stretches became half as many, all full
    }
    const int first = c->nstretches == 0, fresh = first || c->filled == c->rows;
    if (fresh) {
        c->t[c->nstretches++] = row->t;
        c->filled = 0;
    }
    c->filled++;
    cli_stretch *now = c->stretch + (size_t)(c->nstretches - 1) * (size_t)c->n;
    for (int j = 0; j < c->n; ++j) {
        const double value = row->x[c->channel[j]];
        const cli_stretch one = {value, value, !first && went_round(c, j, value)};
        now[j] = fresh ? one : join(now[j], one);
        c->last[j] = value;
    }
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static cli_stretch at(const cli_curves *c, int i, int column)
{
    return c->stretch[(size_t)i * (size_t)c->n + (size_t)column];
}

static double largest(const cli_curves *c, int column)
{
    double size = 0.0;
    for (int i = 0; i < c->nstretches; ++i) {
        size = fmax(size, fmax(fabs(at(c, i, column).lo), fabs(at(c, i, column).hi)));
    }
    return size;
}

static int same(const cli_curves *c, int a, int b)
{
    for (int i = 0; i < c->nstretches; ++i) {
        if (at(c, i, a).lo != at(c, i, b).lo || at(c, i, a).hi != at(c, i, b).hi) {
            return 0;
        }
    }
    return 1;
}

static const char *name_of(const cli_curves *c, int column)
{
    return dal_channels_get(c->channels, c->channel[column]).name;
}

/* The points of a column: x and y one after the other in new memory, three for a stretch at most. */
static svg_curve points(const cli_curves *c, int column)
{
    double *x = cli_alloc((size_t)c->nstretches * 6, sizeof *x), *y = x + 3 * (size_t)c->nstretches;
    int n = 0, monitor;
    for (int i = 0; i < c->nstretches; ++i) {
        const cli_stretch s = at(c, i, column);
        const int down = n > 0 && fabs(y[n - 1] - s.hi) < fabs(y[n - 1] - s.lo);
        const double value[3] = {NAN, down ? s.hi : s.lo, down ? s.lo : s.hi};
        for (int k = s.apart ? 0 : 1; k < (s.lo < s.hi ? 3 : 2); ++k) {
            x[n] = c->t[i];
            y[n++] = value[k];
        }
    }
    // steps, residuals and counts of the monitor are no smooth functions of time
    const int count = dal_channels_table(c->channels, &monitor, DAL_RECORD_MONITOR), k = c->channel[column];
    const int rough = k >= monitor && k < monitor + count && strcmp(name_of(c, column), "energy") != 0;
    return (svg_curve){.x = x, .y = y, .n = n, .smooth = !rough};
}

/* A panel as it is drawn, with what belongs to it. */
typedef struct drawn {
    svg_curve curve[16];
    char name[16][600];
    int n;
    char zeros[128];
    const char *note[1];
} drawn;

static const char *short_name(const cli_curves *c, int column)
{
    const char *name = name_of(c, column), *point = strrchr(name, '.');
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
            cli_append(d->zeros, sizeof d->zeros, "%s%.20s", zeros++ > 0 ? ", " : "", short_name(c, column));
            continue;
        }
        while (twin < d->n && !same(c, p->first + d->curve[twin].colour, column)) {
            ++twin;
        }
        if (twin == d->n) {
            d->curve[d->n] = points(c, column);
            d->curve[d->n].name = d->name[d->n];
            d->curve[d->n++].colour = j;
        }
        cli_append(d->name[twin], sizeof d->name[twin], "%s%.60s", d->name[twin][0] != '\0' ? ", " : "",
                   p->n > 1 ? short_name(c, column) : "");
    }
    if (zeros > 0) {
        cli_append(d->zeros, sizeof d->zeros, " = 0");
    }
    d->note[0] = d->zeros;
    return (svg_panel){.y = {p->title, p->unit != NULL && strcmp(p->unit, "1") != 0 ? p->unit : NULL},
                       .curve = d->curve,
                       .ncurves = d->n,
                       .note = d->note,
                       .nnotes = zeros > 0,
                       .empty = "no finite values"};
}

void plot_curves(const cli_curves *c, const char *path, const char *title)
{
    svg_panel panel[PLOT_PANELS];
    drawn *d = cli_alloc(PLOT_PANELS, sizeof *d);
    for (int k = 0; k < c->npanels; ++k) {
        panel[k] = draw_panel(&d[k], c, &c->panel[k]);
    }
    panel[c->npanels - 1].x = (svg_quantity){"time", "s"};
    const svg_picture picture = {
        .title = title, .panel = panel, .npanels = c->npanels, .columns = 1, .width = 640.0, .height = 180.0};
    plot_save(&picture, path);
}
