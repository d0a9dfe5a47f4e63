/* Errors over step sizes, both logarithmic, with slope triangles; as a picture, and as a page. */
#include <math.h>
#include <stdlib.h>

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
    const int code = plot_save(&picture, path);
    free(curves);
    free(data);
    return code;
}

/* ---- the page --------------------------------------------------------------------------------- */

/* One method: its errors, its finest order of each kind, and its rows in words. */
static dal_status say_method(dal_page *page, const study *s, int m, double *data)
{
    dal_page_method method = {.name = s->method[m], .n = s->nh, .h = data};
    for (int k = 0; k < 3; ++k) {
        double *error = data + (size_t)(k + 1) * (size_t)s->nh;
        method.error[k] = error;
        method.order[k] = NAN;
        for (int i = 0; i < s->nh; ++i) {
            const study_row *r = &s->row[m * s->nh + i];
            data[i] = r->h;
            error[i] = r->failed ? NAN : pick(&r->error, k);
            const double order = pick(&r->order, k);
            method.order[k] = isnan(order) ? method.order[k] : order;
        }
    }
    for (int i = 0; i < s->nh; ++i) {
        const study_row *r = &s->row[m * s->nh + i];
        char name[100], text[700];
        snprintf(name, sizeof name, "%.60s, h = %g", s->method[m], r->h);
        if (r->failed) {
            snprintf(text, sizeof text, "failed: %.500s", r->message);
        } else {
            snprintf(text, sizeof text, "%ld steps, errors q %.3e, v %.3e, lambda %.3e, %.2f us per step", r->steps,
                     r->error.q, r->error.v, r->error.lambda, r->us_per_step);
        }
        DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, name, text, r->failed));
    }
    return dal_page_study(page, &method);
}

int study_page(const study *s, const char *path)
{
    const cli_model *m = &s->model;
    const dal_page_spec spec = {.name = m->name, .title = dal_document_title(m->doc), .source = m->text};
    dal_page *page = NULL;
    double *data = cli_alloc(4 * (size_t)s->nh, sizeof *data);
    dal_status st = dal_page_create(&page, m->ctx, &spec);
    for (int k = 0; k < s->nmethods && st == DAL_OK; ++k) {
        st = say_method(page, s, k, data);
    }
    st = st != DAL_OK ? st : dal_page_write(page, path);
    dal_page_destroy(page);
    free(data);
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(m->ctx));
}
