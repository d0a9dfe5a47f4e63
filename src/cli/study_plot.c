/* Errors over step sizes, both logarithmic, with slope triangles. */
#include <math.h>
#include <stdlib.h>

#include "cli/plot.h"
#include "cli/study.h"

static double pick(const dal_error *e, int k)
{
    return k == 0 ? e->q : k == 1 ? e->v : e->lambda;
}

/* The order of a method by theory, if two of the orders observed confirm it; else 0: no triangle. Far from the limit and
 * near rounding errors fall as they like, and a slope read off there would mislead. */
static int shown_order(const study *s, int m, int k)
{
    const dal_options *opt = &s->opt[m];
    const int order = opt->integrator == DAL_LOBATTO ? 2 * opt->stages - 2 : 2;
    int confirmed = 0;
    for (int i = 1; i < s->nh; ++i) {
        confirmed += fabs(pick(&s->row[m * s->nh + i].order, k) - order) < 0.25;
    }
    return confirmed >= (s->nh > 2 ? 2 : 1) && opt->step == DAL_STEP_FIXED ? order : 0;
}

/* Points of one method and one error, NAN where it failed or has no error. */
static svg_curve curve(const study *s, int m, int k, double *data)
{
    double *h = data, *error = data + s->nh;
    for (int i = 0; i < s->nh; ++i) {
        const study_row *r = &s->row[m * s->nh + i];
        h[i] = r->h;
        error[i] = r->failed ? NAN : pick(&r->error, k);
    }
    return (svg_curve){
        .name = s->method[m], .x = h, .y = error, .n = s->nh, .colour = m, .marks = 1, .order = shown_order(s, m, k)};
}

int study_plot(const study *s, const char *path)
{
    static const char *const title[] = {"error in q", "error in v", "error in lambda"};
    const int panels = dal_system_rows(s->model.sys) > 0 ? 3 : 2;
    const size_t each = 2 * (size_t)s->nh;
    svg_curve *curves = cli_alloc(3 * (size_t)s->nmethods, sizeof *curves);
    double *data = cli_alloc(3 * (size_t)s->nmethods * each, sizeof *data);
    svg_panel panel[3];
    for (int k = 0; k < panels; ++k) {
        svg_curve *first = curves + k * s->nmethods;
        for (int m = 0; m < s->nmethods; ++m) {
            first[m] = curve(s, m, k, data + (size_t)(k * s->nmethods + m) * each);
        }
        panel[k] = (svg_panel){.x = {"step size h", "s"},
                               .y = {title[k], NULL},
                               .log_x = 1,
                               .log_y = 1,
                               .curve = first,
                               .ncurves = s->nmethods,
                               .empty = "no error at any step size"};
    }
    const svg_picture picture = {.title = s->model.name,
                                 .panel = panel,
                                 .npanels = panels,
                                 .columns = panels,
                                 .width = 330.0,
                                 .height = 340.0,
                                 .legend = SVG_LEGEND_BELOW};
    const int code = plot_save(&picture, "study", path);
    free(curves);
    free(data);
    return code;
}
