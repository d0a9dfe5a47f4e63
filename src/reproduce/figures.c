#define _POSIX_C_SOURCE 200809L

#include "reproduce/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reproduce/measures.h"
#include "reproduce/workers.h"
#include "svg/svg.h"

enum { PATH = 1024, SERIES = 12, POINTS = 4096 };

static const char KIND[] = "figure ";

const section *figure_at(int k)
{
    const section *s;
    for (int i = 0; (s = catalogue_at(i)) != NULL; ++i) {
        if (strncmp(s->name, KIND, strlen(KIND)) == 0 && k-- == 0) {
            return s;
        }
    }
    return NULL;
}

int figure_count(void)
{
    int n = 0;
    while (figure_at(n) != NULL) {
        n++;
    }
    return n;
}

const char *figure_name(const section *f)
{
    return f->name + strlen(KIND);
}

/* ---- one figure ------------------------------------------------------------------------------- */

/* A measurement at the values of a word, "h=4e-3 /2 7". */
static int measured_curve(lab *L, const words *w, measure_function *measure, const char *values, double *x, double *y)
{
    const size_t key = strcspn(values, ":=") + 1;
    char *end;
    double value = strtod(values + key, &end);
    const char how = end[1];
    const double change = strtod(end + 2, &end);
    const int steps = atoi(end);
    int n = 0;
    for (int i = 0; i < steps; ++i) {
        char word[WORD_SIZE];
        words all = *w;
        (void)snprintf(word, sizeof word, "%.*s%.12g", (int)key, values, value);
        const double result = words_add(&all, word) ? measure(L, &all) : NAN;
        if (isfinite(result)) {
            x[n] = value;
            y[n++] = result;
        }
        value = how == '/' ? value / change : value + change;
    }
    return n;
}

int figure_curve(lab *L, const section *f, int k, char title[FIGURE_TITLE], double *x, double *y, int room)
{
    for (int i = 0; i < f->n; ++i) {
        if (strcmp(f->entry[i].key, "series") != 0 || k-- > 0) {
            continue;
        }
        const char *text = f->entry[i].value, *colon = strstr(text, ": "), *values = section_value(f, "values");
        words w = {.n = 0};
        (void)snprintf(title, FIGURE_TITLE, "%.*s", (int)(colon - text), text);
        if (values == NULL) {
            return words_add(&w, colon + 2) ? measure_curve(L, &w, x, y, room) : 0;
        }
        measure_function *measure = measure_find(&w, colon + 2);
        return measure != NULL ? measured_curve(L, &w, measure, values, x, y) : 0;
    }
    return -1;
}

/* The order that three neighbouring points confirm, 0 if none do. */
static int drawn_order(const svg_curve *c)
{
    for (int i = 2; i < c->n; ++i) {
        const double a = log(c->y[i] / c->y[i - 1]) / log(c->x[i] / c->x[i - 1]);
        const double b = log(c->y[i - 1] / c->y[i - 2]) / log(c->x[i - 1] / c->x[i - 2]), order = round(0.5 * (a + b));
        if (order >= 1.0 && fabs(a - order) < 0.12 && fabs(b - order) < 0.12) {
            return (int)order;
        }
    }
    return 0;
}

/* Least and largest value of x or y over all curves, and a twentieth of it on both sides. */
static svg_range reach(const svg_curve *curve, int n, int vertical)
{
    svg_range r = {INFINITY, -INFINITY};
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < curve[k].n; ++i) {
            const double value = vertical ? curve[k].y[i] : curve[k].x[i];
            r.lo = fmin(r.lo, value);
            r.hi = fmax(r.hi, value);
        }
    }
    const double margin = 0.05 * (r.hi - r.lo);
    return (svg_range){r.lo - margin, r.hi + margin};
}

/* Drawings side by side, "columns": each curve in a panel of its own, all with the same scale in x and y. */
static void set_panels(svg_picture *picture, svg_panel *panel, const section *f, svg_curve *curve, int n)
{
    const svg_range x = reach(curve, n, 0), y = reach(curve, n, 1);
    for (int k = 0; k < n; ++k) {
        panel[k] = (svg_panel){
            .x = panel[0].x, .y = {curve[k].name, NULL}, .range_x = x, .range_y = y, .curve = &curve[k], .ncurves = 1};
        curve[k].name = NULL;
        curve[k].colour = 0;
        curve[k].marks = 1;
    }
    picture->npanels = n;
    picture->columns = atoi(section_value(f, "columns"));
    picture->width = 220.0;
    picture->height = picture->width * (y.hi - y.lo) / (x.hi - x.lo);
}

static int save_picture(const char *folder, const section *f, svg_curve *curve, int n)
{
    char path[PATH], message[PATH];
    const char *log = section_value(f, "log");
    svg_panel panel[SERIES] = {{.x = {section_value(f, "x"), NULL},
                                .y = {section_value(f, "y"), NULL},
                                .log_x = log != NULL && strchr(log, 'x') != NULL,
                                .log_y = log != NULL && strchr(log, 'y') != NULL,
                                .curve = curve,
                                .ncurves = n}};
    svg_picture picture = {.title = section_value(f, "title"),
                           .panel = panel,
                           .npanels = 1,
                           .columns = 1,
                           .width = 560.0,
                           .height = 320.0,
                           .legend = SVG_LEGEND_BELOW};
    if (section_value(f, "columns") != NULL) {
        set_panels(&picture, panel, f, curve, n);
    }
    (void)snprintf(path, sizeof path, "%.800s/%s.svg", folder, figure_name(f));
    return svg_save(&picture, message, sizeof message, path) == 0;
}

/* Each curve a block of lines "x y" */
static int save_data(const char *folder, const section *f, const svg_curve *curve, int n)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%.800s/%s.dat", folder, figure_name(f));
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return 0;
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < curve[k].n; ++i) {
            fprintf(out, "%.6g %.6g\n", curve[k].x[i], curve[k].y[i]);
        }
        fputs("\n\n", out);
    }
    return fclose(out) == 0;
}

/* The data to NAME.dat, the picture to NAME.svg. */
static int make_figure(const char *folder, const section *f, dal_ctx *ctx)
{
    svg_curve curve[SERIES];
    char title[SERIES][FIGURE_TITLE];
    lab L = {.ctx = ctx};
    double *data = malloc((size_t)(2 * POINTS * SERIES) * sizeof *data);
    const char *log = section_value(f, "log");
    const int marks = log != NULL && strchr(log, 'x') != NULL;
    int n = 0, points = 0;
    for (; data != NULL && n < SERIES; ++n) {
        double *x = data + (size_t)(2 * n) * POINTS, *y = x + POINTS;
        const int length = figure_curve(&L, f, n, title[n], x, y, POINTS);
        if (length < 0) {
            break;
        }
        curve[n] = (svg_curve){.name = title[n], .x = x, .y = y, .n = length, .colour = n, .marks = marks};
        curve[n].order = marks ? drawn_order(&curve[n]) : 0;
        points += length;
    }
    lab_close(&L);
    const int good = points > 0 && save_data(folder, f, curve, n) && save_picture(folder, f, curve, n);
    free(data);
    return good;
}

/* ---- all of them ------------------------------------------------------------------------------ */

typedef struct drawing {
    const char *folder;
    FILE *err;
    int failed;
} drawing;

static void draw(int k, void *result, void *user)
{
    const drawing *d = user;
    int *good = result;
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, NULL) == DAL_OK) {
        *good = make_figure(d->folder, figure_at(k), ctx);
        dal_ctx_destroy(ctx);
    }
}

static void drawn(int k, const void *result, void *user)
{
    drawing *d = user;
    int good = 0;
    if (result != NULL) {
        memcpy(&good, result, sizeof good);
    }
    if (!good) {
        fprintf(d->err, "dalembert reproduce: figure '%s' could not be drawn in '%s'\n", figure_name(figure_at(k)),
                d->folder);
        d->failed++;
    }
}

int figures_draw(const char *folder, int jobs, FILE *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(err, "dalembert reproduce: cannot create '%s': %s\n", folder, strerror(errno));
        return 0;
    }
    drawing d = {folder, err, 0};
    const workers w = {.n = figure_count(), .jobs = jobs, .size = sizeof(int), .user = &d, .task = draw, .done = drawn};
    workers_run(&w);
    return d.failed == 0;
}
