/* dalembert gallery: all built-in models as one page. */
#include "cli/html.h"

CLI_OWNS(dal_gallery)

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

/* A model of the gallery. */
typedef struct item {
    dal_gallery *gallery;
    const char *source;
} item;

static void add(void *user)
{
    const item *x = user;
    cli_model *m = cli_alloc(1, sizeof *m);
    cli_html h = {0};
    dal_sim *sim = NULL;
    m->may_be_open = 1;
    model_load(m, x->source, NULL, 0);
    const int runs = dal_model_report(m->model).bodies <= MOST_BODIES && model_start(m, &sim, NULL, &m->opt) == DAL_OK;
    html_open(&h, m, NULL);
    if (runs) {
        film(&h, m, sim);
    }
    cli_try(m->ctx, dal_gallery_add(x->gallery, h.page), CLI_INTEGRATION);
}

static int command(const cli_args *args)
{
    const char *given = cli_value(args, "output"), *path = given != NULL ? given : "gallery.html";
    const int n = args->npositional > 0 ? args->npositional : dal_builtin_count();
    item x = {.gallery = NULL};
    html_check(path);
    cli_try(cli_ctx(), dal_gallery_create(&x.gallery, cli_ctx()), CLI_INTEGRATION);
    CLI_OWN(dal_gallery, x.gallery);
    for (int k = 0; k < n; ++k) {
        x.source = args->npositional > 0 ? args->positional[k] : dal_builtin_model(k).name;
        const int code = cli_guard(add, &x, 0);
        if (code != CLI_OK) {
            return code;
        }
    }
    cli_try(cli_ctx(), dal_gallery_write(x.gallery, path), CLI_IO);
    if (!cli_quiet(args)) {
        cli_print("%s\n", path);
    }
    return CLI_OK;
}

const cli_command cli_gallery = {.name = "gallery", .run = command};
