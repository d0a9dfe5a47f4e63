/* dalembert gallery: all built-in models as one page. */
#include <string.h>

#include "cli/html.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "the page, default gallery.html"},
    {"quiet", 'q', NULL, "do not tell where it is"},
};

static int command(const cli_args *args);

const cli_command cli_gallery = {
    .name = "gallery",
    .place = 25,
    .arguments = "[MODEL ...]",
    .min = 0,
    .max = 1000,
    .summary = "all built-in models, or those given, with their motion as one HTML page",
    .about = "The page needs no network. It shows the first seconds of each model; of one with more than 60 bodies, or "
             "that\n"
             "does not run, the initial pose.\n"
             "Exit codes: 0 ok, 2 usage, 3 bad model, 5 files.",
    .examples = "  dalembert gallery -o gallery.html\n  dalembert gallery crank.json heavy_top",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

enum { MOST_BODIES = 60, MOST_STEPS = 4000 };
static const double longest = 4.0; /* seconds of the motion */

/* The motion, as far as it goes. */
static void film(cli_html *h, const cli_model *m, dal_sim *sim)
{
    const double t_end = m->t_end < longest ? m->t_end : longest;
    int step = 0;
    for (double t = 0.0; t < t_end && step < MOST_STEPS; ++step) {
        const dal_point at = dal_sim_point(sim);
        if (dal_page_frame(h->page, &at) != DAL_OK || dal_sim_step(sim) != DAL_OK) {
            break;
        }
        t = dal_sim_point(sim).t;
    }
}

static int add(dal_gallery *gallery, const cli_model *m)
{
    cli_html h = {0};
    dal_sim *sim = NULL;
    const dal_model_summary s = dal_model_report(m->model);
    int runs = s.bodies <= MOST_BODIES && dal_sim_create(&sim, m->ctx, m->sys, &m->opt) == DAL_OK;
    runs = runs && dal_sim_start(sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)) == DAL_OK;
    int code = html_open(&h, m, NULL);
    if (code == CLI_OK && runs) {
        film(&h, m, sim);
    }
    if (code == CLI_OK && dal_gallery_add(gallery, h.page) != DAL_OK) {
        code = cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    }
    html_release(&h);
    dal_sim_destroy(sim);
    return code;
}

static int add_source(dal_gallery *gallery, const char *source)
{
    cli_model m = {.may_be_open = 1};
    int code = model_load(&m, source, NULL, 0);
    code = code != CLI_OK ? code : add(gallery, &m);
    model_release(&m);
    return code;
}

static int fill(dal_gallery *gallery, const cli_args *args)
{
    const int n = args->npositional > 0 ? args->npositional : dal_builtin_count();
    int code = CLI_OK;
    for (int k = 0; k < n && code == CLI_OK; ++k) {
        code = add_source(gallery, args->npositional > 0 ? args->positional[k] : dal_builtin_model(k).name);
    }
    return code;
}

static int command(const cli_args *args)
{
    const char *given = cli_value(args, "output"), *path = given != NULL ? given : "gallery.html";
    dal_ctx *ctx = cli_context(NULL);
    dal_gallery *gallery = NULL;
    int code = html_check(path);
    if (code == CLI_OK && dal_gallery_create(&gallery, ctx) != DAL_OK) {
        code = cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(ctx));
    }
    code = code != CLI_OK ? code : fill(gallery, args);
    if (code == CLI_OK && dal_gallery_write(gallery, path) != DAL_OK) {
        code = cli_error(CLI_IO, "%s", dal_ctx_message(ctx));
    }
    if (code == CLI_OK && !cli_given(args, "quiet")) {
        cli_print("%s\n", path);
    }
    dal_gallery_destroy(gallery);
    dal_ctx_destroy(ctx);
    return code;
}
