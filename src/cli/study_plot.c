/* Errors over step sizes, both logarithmic, with slope triangles. */
#include <math.h>
#include <stdlib.h>

#include "cli/plot.h"
#include "cli/study.h"

static double pick(const dal_error *e, int k)
{
    return k == 0 ? e->q : k == 1 ? e->v : e->lambda;
}

static void put_row(FILE *g, const study_row *r)
{
    fprintf(g, "%.9g", r->h);
    for (int k = 0; k < 3; ++k) {
        const double e = pick(&r->error, k);
        if (e > 0.0) {
            fprintf(g, " %.9g", e);
        } else {
            fputs(" NaN", g);
        }
    }
    fputc('\n', g);
}

static void put_data(FILE *g, const study *s)
{
    for (int m = 0; m < s->nmethods; ++m) {
        fprintf(g, "$m%d << EOD\n", m);
        for (int i = 0; i < s->nh; ++i) {
            if (!s->row[m * s->nh + i].failed) {
                put_row(g, &s->row[m * s->nh + i]);
            }
        }
        fprintf(g, "EOD\n");
    }
}

/* Typical order of a method: the median of those observed, rounded; 0 if there is none. */
static int typical_order(const study *s, int m, int k)
{
    double order[STUDY_H];
    int n = 0;
    for (int i = 1; i < s->nh; ++i) {
        const double x = pick(&s->row[m * s->nh + i].order, k);
        if (!isnan(x)) {
            int j = n++;
            for (; j > 0 && order[j - 1] > x; --j) {
                order[j] = order[j - 1];
            }
            order[j] = x;
        }
    }
    return n > 0 && order[n / 2] > 0.5 ? (int)lround(order[n / 2]) : 0;
}

/* Smallest error at step i over the methods of order p; infinite if there is none. */
static double lowest(const study *s, int p, int i, int k)
{
    double e = INFINITY;
    for (int m = 0; m < s->nmethods; ++m) {
        const study_row *r = &s->row[m * s->nh + i];
        if (typical_order(s, m, k) == p && !r->failed && pick(&r->error, k) > 0.0) {
            e = fmin(e, pick(&r->error, k));
        }
    }
    return e;
}

/* For each order that occurs a triangle below the errors: run from one step size to the next, rise the power. */
static void put_triangles(FILE *g, const study *s, int k)
{
    int label = 1;
    const int i = s->nh / 2;
    fprintf(g, "unset label\nunset object\n");
    for (int p = 1; p < 32 && s->nh > 1; ++p) {
        const int smaller = s->h[i] < s->h[i - 1] ? i : i - 1;
        const double h0 = s->h[smaller], h1 = s->h[i + i - 1 - smaller];
        const double e0 = 0.4 * lowest(s, p, smaller, k), e1 = e0 * pow(h1 / h0, p);
        if (!isfinite(e0) || !isfinite(e1)) {
            continue;
        }
        fprintf(g, "set object %d polygon from %g,%g to %g,%g to %g,%g to %g,%g fs empty border lc rgb '#888888'\n",
                label, h0, e0, h1, e0, h1, e1, h0, e0);
        fprintf(g, "set label %d ' %d' at %g,%g left tc rgb '#888888'\n", label, p, h1, sqrt(e0 * e1));
        ++label;
    }
}

int study_plot(const study *s, const char *path)
{
    static const char *const title[] = {"error in q", "error in v", "error in lambda"};
    const int panels = dal_system_rows(s->model.sys) > 0 ? 3 : 2;
    FILE *g = plot_open("study", path, 420 * panels, 460);
    if (g == NULL) {
        return CLI_IO;
    }
    put_data(g, s);
    fprintf(g, "set logscale xy\nset format '%%.0e'\nset xlabel 'step size h [s]'\nset key bottom right samplen 1\n");
    fprintf(g, "set multiplot layout 1,%d title ", panels);
    plot_text(g, s->model.name);
    fputc('\n', g);
    for (int k = 0; k < panels; ++k) {
        put_triangles(g, s, k);
        fprintf(g, "set title '%s'\nplot ", title[k]);
        for (int m = 0; m < s->nmethods; ++m) {
            fprintf(g, "%s$m%d using 1:%d with linespoints lt %d title ", m > 0 ? ", " : "", m, k + 2, m + 1);
            plot_text(g, s->method[m]);
        }
        fputc('\n', g);
    }
    fprintf(g, "unset multiplot\n");
    return plot_close(g, "study", path);
}
