/* The figure of docs/user/methods.md: error over time of some methods, a panel for each model.
 *     plot_work_precision DATA.csv PICTURE.svg MODEL ...        DATA.csv: what bench_methods prints */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svg/svg.h"

enum { METHODS = 7, MODELS = 9, RUNGS = 32 };

static const char *const methods[METHODS] = {"index3", "ggl", "index3, adaptive", "lobatto4", "lobatto7", "rk5", "rk8"};

typedef struct ladder {
    int n;
    double ms[RUNGS], error[RUNGS];
} ladder;

static void fail(const char *what)
{
    fprintf(stderr, "plot_work_precision: %s\n", what);
    exit(EXIT_FAILURE);
}

static int find(const char *word, size_t length, const char *const *list, int n)
{
    for (int i = 0; i < n; ++i) {
        if (strlen(list[i]) == length && memcmp(list[i], word, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* model,end,"method",by,setting,error,ms,... */
static void read_line(ladder (*to)[METHODS], const char *line, const char *const *model, int nmodels)
{
    const char *comma = strchr(line, ','), *open = strchr(line, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    if (comma == NULL || close == NULL) {
        return;
    }
    const int i = find(line, (size_t)(comma - line), model, nmodels);
    const int k = find(open + 1, (size_t)(close - open - 1), methods, METHODS);
    double error, ms;
    if (i < 0 || k < 0 || sscanf(close + 1, ",%*[^,],%*[^,],%lf,%lf", &error, &ms) != 2) {
        return;
    }
    ladder *t = &to[i][k];
    if (t->n < RUNGS && isfinite(error)) {
        t->ms[t->n] = ms;
        t->error[t->n++] = fmax(error, 1e-12);
    }
}

int main(int argc, char **argv)
{
    static ladder data[MODELS][METHODS];
    static svg_curve curve[MODELS][METHODS];
    svg_panel panel[MODELS];
    char line[1024], message[1200];
    const int nmodels = argc - 3;
    if (nmodels < 1 || nmodels > MODELS) {
        fail("usage: plot_work_precision DATA.csv PICTURE.svg MODEL ...");
    }
    const char *const *model = (const char *const *)argv + 3;
    FILE *in = fopen(argv[1], "r");
    if (in == NULL) {
        fail(argv[1]);
        return EXIT_FAILURE;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        read_line(data, line, model, nmodels);
    }
    fclose(in);
    for (int i = 0; i < nmodels; ++i) {
        for (int k = 0; k < METHODS; ++k) {
            const ladder *t = &data[i][k];
            curve[i][k] = (svg_curve){
                .name = methods[k], .x = t->ms, .y = t->error, .n = t->n, .colour = k, .marks = 1, .dashed = k < 3};
        }
        panel[i] = (svg_panel){.x = {"CPU time", "ms"},
                               .y = {model[i], NULL},
                               .range_y = {1e-11, 1.0},
                               .log_x = 1,
                               .log_y = 1,
                               .curve = curve[i],
                               .ncurves = METHODS};
    }
    const svg_picture picture = {.title = "Error of q over time",
                                 .panel = panel,
                                 .npanels = nmodels,
                                 .columns = 2,
                                 .width = 380.0,
                                 .height = 260.0,
                                 .legend = SVG_LEGEND_BELOW};
    if (svg_save(&picture, message, sizeof message, argv[2]) != 0) {
        fail(message);
    }
    return EXIT_SUCCESS;
}
