/* Pictures of a sweep. One row of panels for each collected quantity: its histogram, then the quantity over each parameter,
 * as a curve with its main effect where levels are few, as points with the main effect otherwise. And parallel coordinates:
 * a line for each member across all parameters and quantities, each scaled to its range. */
#include <math.h>
#include <string.h>

#include "cli/plot.h"
#include "cli/sweep.h"

enum { ROWS = 4, COLUMNS = 4, POINTS = 2000, LINES = 300, HISTOGRAM = 60 };

static double *numbers(size_t n)
{
    return cli_alloc(n, sizeof(double));
}

static double value_of(const dal_sweep *s, long member, int collect)
{
    return dal_sweep_result(s, member).value[collect];
}

/* Outline of the histogram: as many bins as Sturges and Scott agree on, at most HISTOGRAM. */
static svg_curve histogram(const dal_sweep *s, int collect, const dal_sweep_summary *m)
{
    const double scott = 3.49 * m->deviation / cbrt((double)m->n), range = m->max - m->min;
    int bins = scott > 0.0 && isfinite(scott) ? (int)ceil(range / scott) : 1;
    bins = bins < 1 ? 1 : bins > HISTOGRAM ? HISTOGRAM : bins;
    double *x = numbers(2 * HISTOGRAM + 2), *y = numbers(2 * HISTOGRAM + 2);
    int n = 0;
    double count[HISTOGRAM] = {0.0};
    for (long k = 0; k < dal_sweep_members(s); ++k) {
        const double v = value_of(s, k, collect);
        if (isfinite(v)) {
            const int b = range > 0.0 ? (int)((v - m->min) / range * bins) : 0;
            count[b < bins ? b : bins - 1] += 1.0;
        }
    }
    const double width = range > 0.0 ? range / bins : 1.0;
    x[n] = m->min;
    y[n++] = 0.0;
    for (int b = 0; b < bins; ++b) {
        x[n] = m->min + b * width;
        y[n++] = count[b];
        x[n] = m->min + (b + 1) * width;
        y[n++] = count[b];
    }
    x[n] = x[n - 1];
    y[n++] = 0.0;
    return (svg_curve){.x = x, .y = y, .n = n};
}

/* Members as points: gaps between them keep lines away. */
static svg_curve points(const dal_sweep *s, int collect, int parameter)
{
    const long all = dal_sweep_members(s), step = all > POINTS ? (all + POINTS - 1) / POINTS : 1;
    double *x = numbers(2 * POINTS + 2), *y = numbers(2 * POINTS + 2), p[200];
    int n = 0;
    for (long k = 0; k < all && n < 2 * POINTS; k += step) {
        dal_sweep_point(s, p, k);
        x[n] = p[parameter];
        y[n++] = value_of(s, k, collect);
        x[n] = NAN;
        y[n++] = NAN;
    }
    return (svg_curve){.x = x, .y = y, .n = n, .marks = 1, .colour = 1};
}

static svg_curve effect(const dal_sweep *s, int collect, int parameter)
{
    dal_sweep_effect e;
    double *x = numbers(DAL_SWEEP_BINS), *y = numbers(DAL_SWEEP_BINS);
    const int n = dal_sweep_sensitivity(s, &e, collect, parameter) == DAL_OK ? e.n : 0;
    memcpy(x, e.x, (size_t)n * sizeof *x);
    memcpy(y, e.y, (size_t)n * sizeof *y);
    return (svg_curve){.x = x, .y = y, .n = n};
}

static void emit(const svg_picture *picture, const char *path, FILE *out)
{
    if (path != NULL) {
        plot_save(picture, path);
    } else {
        svg_print(out, picture);
    }
}

static const char *shown(const char *unit)
{
    return unit[0] != '\0' && strcmp(unit, "1") != 0 ? unit : NULL;
}

/* To a file of that name, or into a page. */
static void draw_panels(const sweep_job *job, const char *path, FILE *out)
{
    const dal_sweep *s = job->sweep;
    const int rows = dal_sweep_collect_count(s) < ROWS ? dal_sweep_collect_count(s) : ROWS;
    const int columns = 1 + (dal_sweep_parameter_count(s) < COLUMNS - 1 ? dal_sweep_parameter_count(s) : COLUMNS - 1);
    svg_panel panel[ROWS * COLUMNS];
    svg_curve curve[ROWS * COLUMNS][2];
    char unit[ROWS][DAL_SWEEP_UNIT], parameter_unit[COLUMNS][DAL_SWEEP_UNIT];
    for (int i = 0; i < rows; ++i) {
        dal_sweep_summary m;
        sweep_try(job, dal_sweep_statistics(s, &m, i));
        for (int k = 0; k < columns; ++k) {
            const int at = i * columns + k;
            if (k == 0) {
                curve[at][0] = histogram(s, i, &m);
            } else {
                curve[at][0] = points(s, i, k - 1);
                curve[at][1] = effect(s, i, k - 1);
            }
            dal_sweep_collect_unit(s, unit[i], i);
            if (k > 0) {
                dal_sweep_parameter_unit(s, parameter_unit[k - 1], k - 1);
            }
            panel[at] =
                (svg_panel){.x = {k == 0 ? dal_sweep_collect_name(s, i) : dal_sweep_parameter_name(s, k - 1),
                                  shown(k == 0 ? unit[i] : parameter_unit[k - 1])},
                            .y = {k == 0 ? "members" : dal_sweep_collect_name(s, i), k == 0 ? NULL : shown(unit[i])},
                            .curve = curve[at],
                            .ncurves = k == 0 ? 1 : 2,
                            .empty = "no member has a number"};
        }
    }
    const svg_picture picture = {.title = dal_sweep_model_name(s),
                                 .panel = panel,
                                 .npanels = rows * columns,
                                 .columns = columns,
                                 .width = 240.0,
                                 .height = 180.0,
                                 .legend = SVG_LEGEND_BELOW};
    emit(&picture, path, out);
}

/* ---- parallel coordinates --------------------------------------------------------------------- */

/* Coordinate k of a member: parameters first. */
static double coordinate(const dal_sweep *s, long member, int k)
{
    double x[200];
    const int np = dal_sweep_parameter_count(s);
    dal_sweep_point(s, x, member);
    return k < np ? x[k] : value_of(s, member, k - np);
}

/* Ranges of the coordinates, and what they are. */
static void find_ranges(const dal_sweep *s, int n, double *lo, double *hi, const char **note)
{
    const int np = dal_sweep_parameter_count(s);
    for (int k = 0; k < n; ++k) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (long i = 0; i < dal_sweep_members(s); ++i) {
            const double v = coordinate(s, i, k);
            lo[k] = v < lo[k] ? v : lo[k];
            hi[k] = v > hi[k] ? v : hi[k];
        }
        note[k] = cli_text("%d: %.40s, %.4g .. %.4g", k + 1,
                           k < np ? dal_sweep_parameter_name(s, k) : dal_sweep_collect_name(s, k - np), lo[k], hi[k]);
    }
}

/* All members of a third of the first quantity as one curve with gaps. */
static void fill_thirds(const dal_sweep *s, int n, const double *lo, const double *hi, svg_curve curve[3],
                        double *const x[3], double *const y[3])
{
    const long all = dal_sweep_members(s), step = all > LINES ? (all + LINES - 1) / LINES : 1;
    const int np = dal_sweep_parameter_count(s), lead = np < n ? np : 0;
    for (long i = 0; i < all; i += step) {
        const double part = hi[lead] > lo[lead] ? (coordinate(s, i, lead) - lo[lead]) / (hi[lead] - lo[lead]) : 0.0;
        const int third = part < 1.0 / 3.0 ? 0 : part < 2.0 / 3.0 ? 1 : 2;
        for (int k = 0; k <= n; ++k) {
            const int at = curve[third].n++;
            x[third][at] = k < n ? (double)(k + 1) : NAN;
            y[third][at] = k == n ? NAN : hi[k] > lo[k] ? (coordinate(s, i, k) - lo[k]) / (hi[k] - lo[k]) : 0.5;
        }
    }
}

static void draw_parallel(const sweep_job *job, const char *path, FILE *out)
{
    static const char *const name[3] = {"lowest third", "middle third", "highest third"};
    const dal_sweep *s = job->sweep;
    const int n = dal_sweep_parameter_count(s) + dal_sweep_collect_count(s);
    double *lo = numbers((size_t)n), *hi = numbers((size_t)n), *x[3], *y[3];
    const char **note = cli_alloc((size_t)n, sizeof *note);
    svg_curve curve[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = numbers((size_t)(n + 1) * LINES);
        y[k] = numbers((size_t)(n + 1) * LINES);
        curve[k] = (svg_curve){.name = name[k], .x = x[k], .y = y[k], .colour = k == 0 ? 0 : 3 - k};
    }
    find_ranges(s, n, lo, hi, note);
    fill_thirds(s, n, lo, hi, curve, x, y);
    const svg_panel panel = {.x = {"number", NULL},
                             .y = {"relative to the range", NULL},
                             .curve = curve,
                             .ncurves = 3,
                             .note = note,
                             .nnotes = n,
                             .empty = "no member has a number"};
    const svg_picture picture = {
        .title = dal_sweep_model_name(s), .panel = &panel, .npanels = 1, .columns = 1, .width = 760.0, .height = 360.0};
    emit(&picture, path, out);
}

void sweep_draw(const sweep_job *job, int parallel, const char *path, FILE *out)
{
    (parallel ? draw_parallel : draw_panels)(job, path, out);
}
