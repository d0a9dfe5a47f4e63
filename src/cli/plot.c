#define _POSIX_C_SOURCE 200809L

#include "cli/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *ending(const char *path)
{
    const char *point = strrchr(path, '.');
    return point != NULL ? point : "";
}

int plot_check_name(const char *command, const char *path)
{
    if (strcmp(ending(path), ".svg") != 0 && strcmp(ending(path), ".png") != 0) {
        return cli_usage(command, "--plot writes .svg or .png, not '%s'", path);
    }
    return strpbrk(path, "'\n") == NULL ? CLI_OK : cli_usage(command, "--plot: no quotes in file names, please");
}

FILE *plot_open(const char *command, const char *path, int width, int height)
{
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        cli_error(command, CLI_IO,
                  "--plot needs gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)");
        return NULL;
    }
    // gnuplot would not tell why it cannot write
    char part[4200];
    snprintf(part, sizeof part, "%.4000s.part", path);
    FILE *probe = fopen(part, "wb");
    if (probe == NULL) {
        cli_error(command, CLI_IO, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    fclose(probe);
    fflush(NULL);
    FILE *g = popen("gnuplot >/dev/null 2>&1", "w");
    if (g == NULL) {
        cli_error(command, CLI_IO, "cannot start gnuplot: %s", strerror(errno));
        return NULL;
    }
    const int svg = strcmp(ending(path), ".svg") == 0;
    fprintf(g, "set encoding utf8\n");
    fprintf(g,
            svg ? "set terminal svg size %d,%d noenhanced font 'Helvetica,14' background 'white'\n"
                : "set terminal pngcairo size %d,%d noenhanced font 'Helvetica,12' background 'white'\n",
            width, height);
    fprintf(g, "set output '%s'\n", part);
    // colours that are told apart in grey and by the colour-blind
    static const char *const colour[] = {"0072b2", "e69f00", "009e73", "cc79a7",
                                         "56b4e9", "d55e00", "000000", "999999"};
    for (int i = 0; i < CLI_LEN(colour); ++i) {
        fprintf(g, "set linetype %d lc rgb '#%s' lw 2 pt %d\n", i + 1, colour[i], i % 4 == 0 ? 7 : i % 4 * 2 + 3);
    }
    fprintf(g, "set border 3\nset tics nomirror out\nset grid xtics ytics lt 1 lw 1 lc rgb '#dddddd'\n");
    return g;
}

int plot_close(FILE *g, const char *command, const char *path)
{
    char part[4200];
    snprintf(part, sizeof part, "%.4000s.part", path);
    fprintf(g, "unset output\n");
    const int bad_pipe = ferror(g), status = pclose(g);
    if (bad_pipe || status != 0 || rename(part, path) != 0) {
        unlink(part);
        return cli_error(command, CLI_IO, "gnuplot could not write '%s'", path);
    }
    return CLI_OK;
}

void plot_text(FILE *g, const char *text)
{
    fputc('"', g);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', g);
        }
        if ((unsigned char)*text >= ' ') {
            fputc(*text, g);
        }
    }
    fputc('"', g);
}

/* ---- curves ----------------------------------------------------------------------------------- */

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
    for (int i = 0; i < m->noutputs && c->npanels < 4; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        if (info.n <= 3) { // quaternions and matrices tell little as curves
            add_panel(c, &table[TABLE_OUTPUTS], info.name);
        }
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
    const char **word = cli_alloc((size_t)m->noutputs, sizeof *word);
    for (int i = 0; i < m->noutputs; ++i) {
        word[i] = dal_model_output_info(m->model, i).name;
    }
    const char *near = dal_nearest(name, word, m->noutputs);
    free(word);
    return near != NULL
               ? cli_usage(command, "--plot-outputs: no output '%s' (did you mean '%s'?)", name, near)
               : cli_usage(command, "--plot-outputs: no output '%s'; a body's states are NAME.x, .quat, .v, .omega",
                           name);
}

int curves_choose(cli_curves *c, const cli_model *m, const char *command, const char *text)
{
    cli_columns table[TABLE_COUNT];
    int code = CLI_OK;
    *c = (cli_curves){.stride = 1};
    for (int k = 0; k < TABLE_COUNT; ++k) {
        table[k] = record_columns(m, (cli_table)k);
    }
    c->columns.item = cli_alloc((size_t)PLOT_PANELS * 16, sizeof *c->columns.item);
    if (text == NULL) {
        choose_first(c, m, table);
    }
    while (text != NULL && code == CLI_OK) {
        char name[512];
        const size_t n = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
        int found = 0;
        for (int k = 0; k < TABLE_COUNT && !found && c->npanels < PLOT_PANELS; ++k) {
            found = add_panel(c, &table[k], name);
        }
        if (c->npanels == PLOT_PANELS && !found) {
            code = cli_usage(command, "--plot-outputs: at most %d panels", PLOT_PANELS);
        } else if (!found) {
            code = unknown_name(command, name, m);
        }
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
    for (int k = 0; k < TABLE_COUNT; ++k) {
        record_columns_release(&table[k]);
    }
    c->row = cli_alloc((size_t)PLOT_POINTS * (size_t)(c->columns.n + 1), sizeof *c->row);
    return code;
}

/* Keep every second row when the room is used up. */
static void thin_out(cli_curves *c)
{
    const size_t width = (size_t)c->columns.n + 1;
    for (int i = 0; 2 * i < c->rows; ++i) {
        memmove(c->row + (size_t)i * width, c->row + (size_t)(2 * i) * width, width * sizeof *c->row);
    }
    c->rows = (c->rows + 1) / 2;
    c->stride *= 2;
}

void curves_add(cli_curves *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT])
{
    if (c->row == NULL || c->skipped++ % c->stride != 0) {
        return;
    }
    if (c->rows == PLOT_POINTS) {
        thin_out(c);
    }
    double *x = c->row + (size_t)c->rows * ((size_t)c->columns.n + 1);
    x[0] = s->t;
    for (int j = 0; j < c->columns.n; ++j) {
        x[j + 1] = record_value(&c->columns.item[j], m, s, monitor);
    }
    c->rows++;
}

void curves_release(cli_curves *c)
{
    record_columns_release(&c->columns);
    for (int i = 0; i < c->npanels; ++i) {
        free(c->panel[i].title);
    }
    free(c->row);
    *c = (cli_curves){0};
}

static void put_data(FILE *g, const cli_curves *c)
{
    fprintf(g, "$data << EOD\n");
    for (int i = 0; i < c->rows; ++i) {
        const double *x = c->row + (size_t)i * ((size_t)c->columns.n + 1);
        for (int j = 0; j <= c->columns.n; ++j) {
            if (isfinite(x[j])) {
                fprintf(g, "%.9g ", x[j]);
            } else {
                fputs("NaN ", g);
            }
        }
        fputc('\n', g);
    }
    fprintf(g, "EOD\n");
}

int plot_curves(const cli_curves *c, const char *command, const char *path, const char *title)
{
    FILE *g = plot_open(command, path, 800, 80 + 240 * c->npanels);
    if (g == NULL) {
        return CLI_IO;
    }
    put_data(g, c);
    // one left margin for all panels, so that their time axes agree
    fprintf(g, "set lmargin 12\nset rmargin 10\nset key outside right top samplen 1\nset multiplot layout %d,1 title ",
            c->npanels);
    plot_text(g, title);
    fputc('\n', g);
    for (int k = 0; k < c->npanels; ++k) {
        const cli_panel *p = &c->panel[k];
        char label[700];
        snprintf(label, sizeof label, p->unit != NULL && p->unit[0] != '\0' ? "%s [%s]" : "%s", p->title, p->unit);
        fprintf(g, k + 1 == c->npanels ? "set xlabel 'time [s]'\nset ylabel " : "set ylabel ");
        plot_text(g, label);
        fprintf(g, " offset 1\nplot ");
        for (int j = 0; j < p->n; ++j) {
            const char *name = c->columns.item[p->first + j].name, *point = strrchr(name, '.');
            fprintf(g, "%s$data using 1:%d with lines lt %d title ", j > 0 ? ", " : "", p->first + j + 2, j + 1);
            plot_text(g, p->n == 1 ? "" : point != NULL ? point + 1 : name);
        }
        fputc('\n', g);
    }
    fprintf(g, "unset multiplot\n");
    return plot_close(g, command, path);
}
