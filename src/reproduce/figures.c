#define _POSIX_C_SOURCE 200809L

#include "reproduce/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reproduce/workers.h"
#include "svg/svg.h"

enum { PATH = 1024 };

int figure_count(void)
{
    int n;
    (void)figures_all(&n);
    return n;
}

const figure *figure_at(int k)
{
    int n;
    const figure *all = figures_all(&n);
    return k < n ? all + k : NULL;
}

/* ---- one figure ------------------------------------------------------------------------------- */

/* The points of a series lie in text, "x y" line by line; *text moves behind the empty lines that end it. */
static int read_series(double *x, double *y, int room, const char **text)
{
    int n = 0;
    while (**text != '\0' && **text != '\n') {
        char *end;
        const double first = strtod(*text, &end), second = strtod(end, &end);
        if (n < room) {
            x[n] = first;
            y[n++] = second;
        }
        *text = end + strspn(end, " ") + 1;
    }
    *text += strspn(*text, "\n");
    return n;
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

static int save_picture(const char *folder, const figure *f, const char *text)
{
    char path[PATH], message[PATH];
    int room = 1;
    for (const char *s = text; *s; ++s) {
        room += *s == '\n';
    }
    svg_curve curve[FIGURE_SERIES];
    double *data = malloc((size_t)room * 2 * FIGURE_SERIES * sizeof *data);
    int n = 0;
    for (; data != NULL && n < FIGURE_SERIES && f->series[n].title != NULL; ++n) {
        double *x = data + (size_t)(2 * n) * (size_t)room, *y = x + room;
        curve[n] = (svg_curve){.name = f->series[n].title, .x = x, .y = y, .colour = n, .marks = f->log_x};
        curve[n].n = read_series(x, y, room, &text);
        curve[n].order = f->log_x ? drawn_order(&curve[n]) : 0;
    }
    const svg_panel panel = {.x = {f->xlabel, NULL},
                             .y = {f->ylabel, NULL},
                             .log_x = f->log_x,
                             .log_y = f->log_y,
                             .curve = curve,
                             .ncurves = n};
    const svg_picture picture = {.title = f->title,
                                 .panel = &panel,
                                 .npanels = 1,
                                 .columns = 1,
                                 .width = 560.0,
                                 .height = 320.0,
                                 .legend = SVG_LEGEND_BELOW};
    (void)snprintf(path, sizeof path, "%.800s/%s.svg", folder, f->name);
    const int good = data != NULL && svg_save(&picture, message, sizeof message, path) == 0;
    free(data);
    return good;
}

/* The data to NAME.dat, the picture to NAME.svg. */
static int make_figure(const char *folder, const figure *f, dal_ctx *ctx)
{
    char path[PATH], *text = NULL;
    size_t size = 0;
    lab L = {.ctx = ctx};
    FILE *out = open_memstream(&text, &size);
    int n = 0;
    while (n < FIGURE_SERIES && f->series[n].title != NULL) {
        n++;
    }
    if (out != NULL) {
        f->data(out, &L, f, n);
    }
    lab_close(&L);
    // nothing but empty lines: nothing was measured
    if (out == NULL || fclose(out) != 0 || size <= 2 * (size_t)n) {
        free(text);
        return 0;
    }
    (void)snprintf(path, sizeof path, "%.800s/%s.dat", folder, f->name);
    FILE *file = fopen(path, "w");
    int good = file != NULL && fwrite(text, 1, size, file) == size;
    good = (file == NULL || fclose(file) == 0) && good && save_picture(folder, f, text);
    free(text);
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
    const figure *f = figure_at(k);
    int *good = result;
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, NULL) == DAL_OK) {
        *good = make_figure(d->folder, f, ctx);
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
        fprintf(d->err, "dalembert reproduce: figure '%s' could not be drawn in '%s'\n", figure_at(k)->name, d->folder);
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
