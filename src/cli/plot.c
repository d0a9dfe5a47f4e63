#include "cli/plot.h"

#include <stdlib.h>
#include <string.h>

int plot_check(const char *command, const char *path)
{
    const char *point = strrchr(path, '.');
    char message[600];
    if (point == NULL || strcmp(point, ".svg") != 0) {
        return cli_usage(
            command,
            "--plot writes SVG, so the name must end in .svg, not '%s' (browsers show such files, rsvg-convert "
            "turns them into others)",
            path);
    }
    return svg_writable(message, sizeof message, path) == 0 ? CLI_OK : cli_error(command, CLI_IO, "%s", message);
}

int plot_save(const svg_picture *picture, const char *command, const char *path)
{
    char message[600];
    return svg_save(picture, message, sizeof message, path) == 0 ? CLI_OK : cli_error(command, CLI_IO, "%s", message);
}

/* ---- what is drawn ---------------------------------------------------------------------------- */

/* Add a panel with the columns of `from` that are called name or name.SOMETHING. */
static int add_panel(cli_curves *c, const cli_columns *from, const char *name)
{
    const size_t n = strlen(name);
    cli_panel panel = {.first = c->columns.n};
    for (int i = 0; i < from->n; ++i) {
        const cli_column *col = &from->item[i];
        const int whole = strcmp(col->name, name) == 0;
        const int part =
            strncmp(col->name, name, n) == 0 && col->name[n] == '.' && strchr(col->name + n + 1, '.') == NULL;
        if ((whole || part) && panel.n < 16) {
            c->columns.item[c->columns.n] = *col;
            c->columns.item[c->columns.n++].name = cli_copy(col->name);
            panel.unit = col->unit;
            panel.n++;
        }
    }
    if (panel.n > 0) {
        panel.title = cli_copy(name);
        c->panel[c->npanels++] = panel;
    }
    return panel.n > 0;
}

static void choose_first(cli_curves *c, const cli_model *m, const cli_columns table[TABLE_COUNT])
{
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        c->left_out += c->npanels == PLOT_PANELS || !add_panel(c, &table[TABLE_OUTPUTS], info.name);
    }
    for (int i = 0; m->noutputs == 0 && i < m->nbodies && c->npanels < 3; ++i) {
        char name[600];
        snprintf(name, sizeof name, "%s.x", m->body[i].name);
        add_panel(c, &table[TABLE_BODIES], name);
    }
    if (c->npanels == 0) {
        add_panel(c, &table[TABLE_MONITOR], "energy");
    }
}

static int unknown_name(const char *command, const char *name, const cli_model *m)
{
    char list[400] = "";
    const char **word = cli_alloc((size_t)m->noutputs, sizeof *word);
    for (int i = 0, n = 0; i < m->noutputs; ++i) {
        word[i] = dal_model_output_info(m->model, i).name;
        if (n >= 0 && n < 300) {
            n += snprintf(list + n, sizeof list - (size_t)n, "%s%.60s", i > 0 ? ", " : "", word[i]);
        }
    }
    const char *near = dal_nearest(name, word, m->noutputs);
    free(word);
    return near != NULL ? cli_usage(command, "--plot-outputs: no output '%s' (did you mean '%s'?)", name, near)
                        : cli_usage(command,
                                    "--plot-outputs: no output '%s'; there are: %s%senergy, and of every body BODY.x, "
                                    "BODY.quat, BODY.v, BODY.omega",
                                    name, list, list[0] != '\0' ? ", " : "");
}

int curves_choose(cli_curves *c, const cli_model *m, const char *command, const char *text)
{
    cli_columns table[TABLE_COUNT];
    int code = CLI_OK;
    *c = (cli_curves){0};
    for (int k = 0; k < TABLE_COUNT; ++k) {
        table[k] = record_columns(m, (cli_table)k);
    }
    c->columns.item = cli_alloc((size_t)PLOT_PANELS * 16, sizeof *c->columns.item);
    if (text == NULL) {
        choose_first(c, m, table);
    }
    char name[512];
    while (code == CLI_OK && cli_word(&text, name, sizeof name)) {
        int found = 0;
        for (int k = 0; k < TABLE_COUNT && !found && c->npanels < PLOT_PANELS; ++k) {
            found = add_panel(c, &table[k], name);
        }
        if (c->npanels == PLOT_PANELS && !found) {
            code = cli_usage(command, "--plot-outputs: at most %d panels", PLOT_PANELS);
        } else if (!found) {
            code = unknown_name(command, name, m);
        }
    }
    for (int k = 0; k < TABLE_COUNT; ++k) {
        record_columns_release(&table[k]);
    }
    curves_room(c);
    return code;
}
