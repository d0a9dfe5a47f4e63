#include "cli/html.h"

#include <string.h>

CLI_OWNS(dal_page)

void html_check(const char *path)
{
    const char *point = strrchr(path, '.');
    if (point == NULL || strcmp(point, ".html") != 0) {
        cli_usage("a page is HTML, so its name must end in .html, not '%s'", path);
    }
    cli_try(cli_ctx(), dal_page_writable(cli_ctx(), path), CLI_IO);
}

/* How many pictures a motion of that length may need. */
static int html_pictures(double t_end)
{
    const double n = 120.0 * t_end;
    return n < 400.0 ? 400 : n > 8000.0 ? 8000 : (int)n;
}

/* ---- curves ----------------------------------------------------------------------------------- */

/* What an energy balance is made of: energy + dissipated_energy - drive_work is constant. */
static const char *const balance[] = {"energy", "dissipated_energy", "drive_work", "kinetic_energy",
                                      "potential_energy"};
static const char balance_panel[] = "energy balance";

static void add_curve(cli_html *h, dal_page_curve *curve, const cli_model *m, int channel, const char *panel, int log)
{
    const dal_channel c = dal_channels_get(m->channels, channel);
    for (int k = 0; k < h->n; ++k) {
        if (strcmp(curve[k].name, c.name) == 0) {
            return; // the energy is an output and a channel of the monitor
        }
    }
    if (h->n < HTML_CURVES - 1) { // one is left for the balance
        h->channel[h->n] = channel;
        curve[h->n++] = (dal_page_curve){c.name, c.unit, panel, log};
    }
}

static const char *panel_of_output(const char *name)
{
    for (int k = 0; k < CLI_LEN(balance); ++k) {
        if (strcmp(name, balance[k]) == 0) {
            return balance_panel;
        }
    }
    return name;
}

/* A curve that should be a straight line, where there is dissipation or a drive. */
static void add_balance(cli_html *h, dal_page_curve *curve)
{
    for (int k = 0; k < 3; ++k) {
        h->balance[k] = -1;
        for (int i = 0; i < h->n; ++i) {
            h->balance[k] = strcmp(curve[i].name, balance[k]) == 0 ? i : h->balance[k];
        }
    }
    if (h->balance[0] >= 0 && (h->balance[1] >= 0 || h->balance[2] >= 0)) {
        h->balanced = 1;
        curve[h->n] = (dal_page_curve){"energy + dissipated - driven", "J", balance_panel, 0};
    }
}

void html_curves(cli_html *h, const cli_model *m)
{
    static const struct {
        const char *channel, *panel;
        int log;
    } quality[] = {{"energy", balance_panel, 0},
                   {"position_residual", "constraint residuals", 1},
                   {"velocity_residual", "constraint residuals", 1},
                   {"h", "step size", 0},
                   {"newton_iterations", "Newton iterations", 0}};
    dal_page_curve *curve = cli_alloc(HTML_CURVES, sizeof *curve);
    int first, count;
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        for (int k = 0; k < info.n; ++k) {
            add_curve(h, curve, m, info.first + k, panel_of_output(info.name), 0);
        }
    }
    count = dal_channels_table(m->channels, &first, DAL_RECORD_MONITOR);
    for (int q = 0; q < CLI_LEN(quality); ++q) {
        for (int k = first; k < first + count; ++k) {
            if (strcmp(dal_channels_get(m->channels, k).name, quality[q].channel) == 0) {
                add_curve(h, curve, m, k, quality[q].panel, quality[q].log);
            }
        }
    }
    add_balance(h, curve);
    cli_try(h->ctx, dal_page_curves(h->page, curve, h->n + h->balanced), CLI_IO);
}

dal_status html_values(cli_html *h, double *x, double t)
{
    if (h->balanced) {
        const int *b = h->balance;
        x[h->n] = x[b[0]] + (b[1] >= 0 ? x[b[1]] : 0.0) - (b[2] >= 0 ? x[b[2]] : 0.0);
    }
    return dal_page_row(h->page, t, x);
}

dal_status html_row(cli_html *h, const dal_record_row *row)
{
    double x[HTML_CURVES];
    for (int k = 0; k < h->n; ++k) {
        x[k] = row->x[h->channel[k]];
    }
    return html_values(h, x, row->t);
}

/* ---- the page --------------------------------------------------------------------------------- */

void html_begin(cli_html *h, dal_ctx *ctx, const dal_page_spec *spec)
{
    h->ctx = ctx;
    CLI_CREATE(dal_page, h->page, CLI_IO, ctx, spec);
}

void html_say(cli_html *h, dal_page_list list, int marked, const char *name, const char *value)
{
    cli_try(h->ctx, dal_page_text(h->page, list, name, value, marked), CLI_IO);
}

void html_warn(cli_html *h, const char *text)
{
    html_say(h, DAL_PAGE_WARNINGS, 0, "", text);
}

static void say_options(cli_html *h, const cli_model *m)
{
    const dal_option_table *table = dal_options_table();
    dal_options standard = dal_options_init();
    dal_options_resolve(&standard);
    for (int i = 0; i < table->n; ++i) {
        char value[512], usual[512];
        dal_options_format(value, sizeof value, &table->option[i], &m->opt);
        dal_options_format(usual, sizeof usual, &table->option[i], &standard);
        html_say(h, DAL_PAGE_OPTIONS, strcmp(value, usual) != 0, table->option[i].name, value);
    }
}

static dal_status frame(dal_sim *sim, const dal_point *at, void *user)
{
    cli_html *h = user;
    (void)sim;
    return dal_page_frame(h->page, at);
}

/* A picture now, and then at equal times until the end. */
static dal_status film(cli_html *h, const cli_model *m, dal_sim *sim)
{
    const dal_point now = dal_sim_point(sim);
    const double every = (m->t_end - now.t) / html_pictures(m->t_end - now.t);
    DAL_TRY(dal_page_frame(h->page, &now));
    const dal_sampling when = {.every = every, .from = now.t + every};
    return every > 0.0 ? dal_sim_sample(sim, &when, frame, h) : DAL_OK;
}

void html_open(cli_html *h, const cli_model *m, dal_sim *sim)
{
    const dal_point now = sim != NULL ? dal_sim_point(sim) : (dal_point){0};
    const dal_page_spec spec = {.name = m->name,
                                .title = dal_document_title(m->doc),
                                .source = m->text,
                                .model = m->model,
                                .data = sim != NULL ? dal_sim_data(sim) : NULL,
                                .initial = sim != NULL ? &now : NULL};
    html_begin(h, m->ctx, &spec);
    say_options(h, m);
    for (int i = 0; i < m->nwarnings; ++i) {
        html_warn(h, m->warning[i]);
    }
    if (sim != NULL) {
        html_curves(h, m);
        cli_try(m->ctx, film(h, m, sim), CLI_IO);
    }
}

void html_events(cli_html *h, const dal_sim *sim)
{
    enum { MOST = 2000 };
    int n;
    const dal_contact_event *event = dal_sim_contact_events(sim, &n);
    for (int i = 0; i < n && i < MOST; ++i) {
        char name[96];
        const char *text;
        const dal_system_event *own = dal_sim_happening(sim, name, sizeof name, &event[i]);
        if (own != NULL) {
            text = cli_text("%s%s%.90s", name, own->note[0] != '\0' ? ": " : "", own->note);
        } else if (event[i].what == DAL_CONTACT_IMPACT) {
            text = cli_text("%s, impact %.3g N s", name, event[i].P_n);
        } else {
            text = cli_text("%s, %s", name, dal_contact_happening_name(event[i].what));
        }
        cli_try(h->ctx, dal_page_event(h->page, event[i].t, text), CLI_IO);
    }
}

void html_summary(cli_html *h, const char *text)
{
    enum { NAME = 16 };
    for (char *line = strtok(cli_copy(text), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strlen(line) > NAME && line[0] == ' ') { // "  steps         1000, ..."
            char *name = line + 2, *value = cli_text("%.999s", line + NAME);
            line[NAME] = '\0';
            for (int k = NAME - 2; k > 0 && name[k - 1] == ' '; --k) {
                name[k - 1] = '\0';
            }
            if (strcmp(name, "warning") == 0) {
                html_warn(h, value);
            } else {
                html_say(h, DAL_PAGE_SUMMARY, 0, name, value);
            }
        }
    }
}

void html_save(cli_html *h, const char *path)
{
    cli_try(h->ctx, dal_page_write(h->page, path), CLI_IO);
}
