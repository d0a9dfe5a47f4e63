#include "cli/plot.h"

#include <string.h>

void plot_check(const char *path)
{
    const char *point = strrchr(path, '.');
    char message[600];
    if (point == NULL || strcmp(point, ".svg") != 0) {
        cli_usage("--plot writes SVG, so the name must end in .svg, not '%s' (browsers show such files, rsvg-convert "
                  "turns them into others)",
                  path);
    }
    if (svg_writable(message, sizeof message, path) != 0) {
        cli_fail(CLI_IO, "%s", message);
    }
}

void plot_save(const svg_picture *picture, const char *path)
{
    char message[600];
    if (svg_save(picture, message, sizeof message, path) != 0) {
        cli_fail(CLI_IO, "%s", message);
    }
}

/* ---- what is drawn ---------------------------------------------------------------------------- */

/* Add a panel with the channels of a table that are called name or name.SOMETHING. */
static int add_panel(cli_curves *c, int table, const char *name)
{
    const size_t length = strlen(name);
    cli_panel *panel = &c->panel[c->npanels];
    int first;
    const int count = dal_channels_table(c->channels, &first, table);
    *panel = (cli_panel){.first = c->n};
    snprintf(panel->title, sizeof panel->title, "%s", name);
    for (int k = first; k < first + count && panel->n < PLOT_CURVES; ++k) {
        const dal_channel channel = dal_channels_get(c->channels, k);
        const char *rest = strncmp(channel.name, name, length) == 0 ? channel.name + length : "?";
        if (rest[0] == '\0' || (rest[0] == '.' && strchr(rest + 1, '.') == NULL)) {
            c->channel[c->n++] = k;
            panel->unit = channel.unit;
            panel->n++;
        }
    }
    c->npanels += panel->n > 0;
    return panel->n > 0;
}

static void choose_first(cli_curves *c, const cli_model *m)
{
    for (int i = 0; i < m->noutputs; ++i) {
        const char *name = dal_model_output_info(m->model, i).name;
        c->left_out += c->npanels == PLOT_PANELS || !add_panel(c, DAL_RECORD_OUTPUTS, name);
    }
    for (int i = 0; m->noutputs == 0 && i < m->nbodies && c->npanels < 3; ++i) {
        add_panel(c, DAL_RECORD_BODIES, cli_text("%s.x", m->body[i].name));
    }
    if (c->npanels == 0) {
        add_panel(c, DAL_RECORD_MONITOR, "energy");
    }
}

static _Noreturn void unknown_name(const char *name, const cli_model *m)
{
    char list[400] = "", hint[DAL_HINT_SIZE];
    const char **word = cli_alloc((size_t)m->noutputs, sizeof *word);
    for (int i = 0; i < m->noutputs; ++i) {
        word[i] = dal_model_output_info(m->model, i).name;
        if (strlen(list) < 300) {
            cli_append(list, sizeof list, "%.60s, ", word[i]);
        }
    }
    cli_usage("--plot-outputs: no output '%s'%s", name,
              dal_nearest(name, word, m->noutputs) != NULL
                  ? dal_hint(hint, dal_nearest(name, word, m->noutputs))
                  : cli_text("; there are: %senergy, and of every body BODY.x, BODY.quat, BODY.v, BODY.omega", list));
}

void curves_choose(cli_curves *c, const cli_model *m, const char *text)
{
    char name[512];
    *c = (cli_curves){.channels = m->channels, .rows = 1};
    if (text == NULL) {
        choose_first(c, m);
    }
    while (cli_word(&text, name, sizeof name)) {
        int found = 0;
        for (int k = 0; k < DAL_RECORD_TABLES && !found && c->npanels < PLOT_PANELS; ++k) {
            found = add_panel(c, k, name);
        }
        if (!found && c->npanels == PLOT_PANELS) {
            cli_usage("--plot-outputs: at most %d panels", PLOT_PANELS);
        }
        if (!found) {
            unknown_name(name, m);
        }
    }
    c->t = cli_alloc((size_t)PLOT_POINTS + (size_t)c->n, sizeof *c->t);
    c->last = c->t + PLOT_POINTS;
    c->stretch = cli_alloc((size_t)PLOT_POINTS * (size_t)c->n, sizeof *c->stretch);
}
