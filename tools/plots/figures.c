/* Pictures of the manual from the data of the examples and of plot_energy:
 *     plot_figures heavy_top.csv transient.dat energy.dat FOLDER */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svg/svg.h"

enum { ROWS = 4000, COLUMNS = 7, BLOCKS = 10 };

/* Rows of numbers of a file: columns of one block (csv), or "x y" in blocks. */
typedef struct table {
    int n;
    double x[COLUMNS][ROWS];
} table;

static void fail(const char *what)
{
    fprintf(stderr, "plot_figures: %s\n", what);
    exit(EXIT_FAILURE);
}

/* Every so many rows of a CSV file with one line of names. */
static void read_csv(table *t, const char *path, int every)
{
    char line[512];
    FILE *in = fopen(path, "r");
    if (in == NULL || fgets(line, sizeof line, in) == NULL) {
        fail(path);
        return;
    }
    for (int i = 0; fgets(line, sizeof line, in) != NULL; ++i) {
        char *s = line;
        for (int j = 0; j < COLUMNS && i % every == 0 && t->n < ROWS; ++j) {
            t->x[j][t->n] = strtod(s, &s);
            s += *s == ',';
        }
        t->n += i % every == 0 && t->n < ROWS;
    }
    fclose(in);
}

/* Blocks of lines "x y", ended by empty lines. */
static void read_blocks(table *block, int count, const char *path)
{
    char line[512];
    int k = 0;
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        fail(path);
        return;
    }
    while (fgets(line, sizeof line, in) != NULL && k < count) {
        table *t = &block[k];
        if (line[0] == '\n') {
            k += t->n > 0;
        } else if (line[0] != '#' && t->n < ROWS) {
            char *s;
            t->x[0][t->n] = strtod(line, &s);
            t->x[1][t->n++] = strtod(s, NULL);
        }
    }
    fclose(in);
}

static void save(const svg_picture *p, const char *folder, const char *name)
{
    char path[1024], message[1200];
    (void)snprintf(path, sizeof path, "%.900s/%s", folder, name);
    if (svg_save(p, message, sizeof message, path) != 0) {
        fail(message);
    }
}

static svg_curve curve(const char *name, const table *t, int column, int colour)
{
    return (svg_curve){.name = name, .x = t->x[0], .y = t->x[column], .n = t->n, .colour = colour, .smooth = 1};
}

static void heavy_top(const char *data, const char *folder)
{
    static table t;
    read_csv(&t, data, 4);
    const svg_curve x[] = {curve("x", &t, 1, 0), curve("y", &t, 2, 1), curve("z", &t, 3, 2)};
    const svg_curve force[] = {curve("x", &t, 4, 0), curve("y", &t, 5, 1), curve("z", &t, 6, 2)};
    const svg_panel panel[] = {{.y = {"centre of mass", "m"}, .curve = x, .ncurves = 3},
                               {.x = {"time t", "s"}, .y = {"force of the joint", "N"}, .curve = force, .ncurves = 3}};
    save(&(svg_picture){.panel = panel, .npanels = 2, .columns = 1, .width = 640.0, .height = 200.0}, folder,
         "heavy_top.svg");
}

static void transient(const char *data, const char *folder)
{
    static table t[4];
    read_blocks(t, 4, data);
    const svg_curve c[] = {curve("naive, ρ∞ = 0.9", &t[0], 1, 1), curve("naive, ρ∞ = 0.6", &t[1], 1, 3),
                           curve("stabilised index 2, ρ∞ = 0.9", &t[2], 1, 2),
                           curve("perturbed, ρ∞ = 0.9", &t[3], 1, 0)};
    const svg_panel panel = {.x = {"time t [ms] = number of steps, h = 1 ms", NULL},
                             .y = {"error of the joint force", "N"},
                             .log_y = 1,
                             .range_x = {0.0, 100.0},
                             .range_y = {0.05, 100.0},
                             .curve = c,
                             .ncurves = 4};
    save(
        &(svg_picture){
            .panel = &panel, .npanels = 1, .columns = 1, .width = 640.0, .height = 300.0, .legend = SVG_LEGEND_BELOW},
        folder, "transient.svg");
}

static void energy(const char *data, const char *folder)
{
    static const int colour[] = {1, 3, 2, 5, 0};
    static const char *const name[BLOCKS] = {
        "generalized-α, h = 0.02", "3 stages, h = 0.1",       "3 stages, symmetric", "4 stages, h = 0.2",
        "4 stages, symmetric",     "generalized-α, h = 1 ms", "3 stages, h = 5 ms",  "3 stages, symmetric",
        "4 stages, h = 5 ms",      "4 stages, symmetric"};
    static table t[BLOCKS];
    svg_curve c[BLOCKS];
    read_blocks(t, BLOCKS, data);
    for (int k = 0; k < BLOCKS; ++k) {
        c[k] = curve(name[k], &t[k], 1, colour[k % 5]);
        c[k].smooth = 0;
    }
    const svg_panel panel[] = {{.x = {"time t", NULL},
                                .y = {"nonholonomic particle: relative error of the energy", NULL},
                                .log_y = 1,
                                .range_x = {0.0, 1000.0},
                                .curve = c,
                                .ncurves = 5},
                               {.x = {"time t", "s"},
                                .y = {"heavy top: relative error of the energy", NULL},
                                .log_y = 1,
                                .range_x = {0.0, 100.0},
                                .curve = c + 5,
                                .ncurves = 5}};
    save(&(svg_picture){.panel = panel, .npanels = 2, .columns = 1, .width = 560.0, .height = 220.0}, folder,
         "energy.svg");
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fail("usage: plot_figures heavy_top.csv transient.dat energy.dat FOLDER");
    }
    heavy_top(argv[1], argv[4]);
    transient(argv[2], argv[4]);
    energy(argv[3], argv[4]);
    return EXIT_SUCCESS;
}
