/* Errors over step sizes, both logarithmic, with slope triangles; as a picture, and as a page. */
#include <math.h>

#include "cli/html.h"
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
    const int order = opt->integrator == DAL_INTEGRATOR_LOBATTO    ? 2 * opt->stages - 2
                      : opt->integrator == DAL_INTEGRATOR_GENALPHA ? 2
                                                                   : opt->order;
    int confirmed = 0;
    for (int i = 1; i < s->nh; ++i) {
        confirmed += fabs(pick(&s->row[m * s->nh + i].order, k) - order) < 0.25;
    }
    return confirmed >= (s->nh > 2 ? 2 : 1) && opt->step == DAL_STEP_FIXED ? order : 0;
}

/* Errors of one method: step sizes, then the three errors, NAN where it failed or has none. */
static double *errors_of(const study *s, int m)
{
    double *data = cli_alloc(4 * (size_t)s->nh, sizeof *data);
    for (int i = 0; i < s->nh; ++i) {
        const study_row *r = &s->row[m * s->nh + i];
        data[i] = r->h;
        for (int k = 0; k < 3; ++k) {
            data[(k + 1) * s->nh + i] = r->failed ? NAN : pick(&r->error, k);
        }
    }
    return data;
}

void study_plot(void *user)
{
    static const char *const title[] = {"error in q", "error in v", "error in lambda"};
    const study *s = user;
    const int panels = dal_system_rows(s->model.sys) > 0 ? 3 : 2;
    svg_curve *curves = cli_alloc(3 * (size_t)s->nmethods, sizeof *curves);
    svg_panel panel[3];
    for (int m = 0; m < s->nmethods; ++m) {
        const double *data = errors_of(s, m);
        for (int k = 0; k < panels; ++k) {
            curves[k * s->nmethods + m] = (svg_curve){.name = s->method[m],
                                                      .x = data,
                                                      .y = data + (k + 1) * s->nh,
                                                      .n = s->nh,
                                                      .colour = m,
                                                      .marks = 1,
                                                      .order = shown_order(s, m, k)};
        }
    }
    for (int k = 0; k < panels; ++k) {
        panel[k] = (svg_panel){.x = {"step size h", "s"},
                               .y = {title[k], NULL},
                               .log_x = 1,
                               .log_y = 1,
                               .curve = curves + k * s->nmethods,
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
    plot_save(&picture, s->plot);
}

/* ---- the page --------------------------------------------------------------------------------- */

/* One method: its errors, its finest order of each kind, and its rows in words. */
static void say_method(cli_html *h, const study *s, int m)
{
    const double *data = errors_of(s, m);
    dal_page_method method = {.name = s->method[m], .n = s->nh, .h = data};
    for (int k = 0; k < 3; ++k) {
        method.error[k] = data + (k + 1) * s->nh;
        method.order[k] = NAN;
        for (int i = 0; i < s->nh; ++i) {
            const double order = pick(&s->row[m * s->nh + i].order, k);
            method.order[k] = isnan(order) ? method.order[k] : order;
        }
    }
    for (int i = 0; i < s->nh; ++i) {
        const study_row *r = &s->row[m * s->nh + i];
        html_say(h, DAL_PAGE_SUMMARY, r->failed, cli_text("%.60s, h = %g", s->method[m], r->h),
                 r->failed ? cli_text("failed: %.500s", r->message)
                           : cli_text("%ld steps, errors q %.3e, v %.3e, lambda %.3e, %.2f us per step", r->steps,
                                      r->error.q, r->error.v, r->error.lambda, r->us_per_step));
    }
    cli_try(h->ctx, dal_page_study(h->page, &method), CLI_IO);
}

void study_page(void *user)
{
    const study *s = user;
    const cli_model *m = &s->model;
    const dal_page_spec spec = {.name = m->name, .title = dal_document_title(m->doc), .source = m->text};
    cli_html h = {0};
    html_begin(&h, m->ctx, &spec);
    for (int k = 0; k < s->nmethods; ++k) {
        say_method(&h, s, k);
    }
    html_save(&h, s->html);
}
