/* dalembert campbell: frequencies over a parameter, modes tracked, critical speeds and limits of stability. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/campbell.h"
#include "cli/html.h"
#include "cli/json.h"
#include "cli/plot.h"
#include "dalembert/results.h"

static const cli_flag flags[] = {
    {"set", 's', "KEY=VALUE", "set a variable or an option; one of them is a range FROM:TO:N, the parameter", CLI_SET},
    {"number", 'n', "N", "how many modes beside the rigid ones; default 20", CLI_WHOLE, .max = 1000,
     .expected = "a number of modes, at least 1,"},
    CLI_FLAG_ABOUT,
    {"orders", 0, "K,...", "lines of critical speeds, multiples of the parameter; default 1, 0: none"},
    {"unit", 0, "UNIT", "of the parameter as a speed: rad/s (default), Hz, rpm", CLI_CHOICE, "rad/s|Hz|rpm"},
    {"output", 'o', "FILE", "table of all modes: CSV, or HDF5 if it ends in .h5"},
    {"plot", 'p', "FILE.svg", "picture: frequencies and growth over the parameter", CLI_SVG},
    {"html", 0, "FILE", "page with the diagram, its modes and crossings, for any browser", CLI_HTML},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_campbell_command = {
    .name = "campbell",
    .place = 11,
    .summary = "frequencies over a parameter, critical speeds, limits of stability",
    .about = "Modes are tracked by their shapes, through crossings. Where a frequency meets the line of an order (1: "
             "that of\n"
             "the speed itself) there is a critical speed; where a growth changes sign, a limit of stability.\n"
             "Exit codes: 0 ok, 2 usage, 3 bad model, 4 no answer, 5 files.",
    .examples = "  dalembert campbell rotor --set spin=0:500:51 --plot campbell.svg\n"
                "  dalembert campbell bicycle --set v=0.5:10:96 --orders 0",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* ---- arguments -------------------------------------------------------------------------------- */

/* "spin=0:500:51": the parameter and its values. */
static int read_range(cli_campbell *c)
{
    const char *found = NULL;
    for (int i = 0; i < c->args->nset; ++i) {
        const char *value = strchr(c->args->set[i], '=') + 1;
        if (strchr(value, ':') != NULL) {
            if (found != NULL) {
                return cli_usage("campbell", "only one --set may be a range: '%s' or '%s'", found, c->args->set[i]);
            }
            found = c->args->set[i];
            c->set = i;
        }
    }
    if (found == NULL) {
        return cli_usage("campbell", "one --set must be a range FROM:TO:N, for example --set spin=0:500:51");
    }
    double from, to;
    char a[64], b[64];
    const char *equals = strchr(found, '='), *first = strchr(equals, ':'), *second = strchr(first + 1, ':');
    snprintf(c->name, sizeof c->name, "%.*s", (int)(equals - found), found);
    snprintf(a, sizeof a, "%.*s", (int)(first - equals - 1), equals + 1);
    snprintf(b, sizeof b, "%.*s", second != NULL ? (int)(second - first - 1) : 0, first + 1);
    if (second == NULL || !cli_number(&from, a) || !cli_number(&to, b) || !cli_integer(&c->n, second + 1, 2, 100000) ||
        from == to) {
        c->n = 0;
        return cli_usage("campbell", "'%s': a range is FROM:TO:N with two numbers and at least 2 values", found);
    }
    c->at = cli_alloc((size_t)c->n, sizeof *c->at);
    for (int i = 0; i < c->n; ++i) {
        c->at[i].p = from + (to - from) * i / (c->n - 1);
    }
    return CLI_OK;
}

static int read_orders(cli_campbell *c)
{
    const char *text = cli_value(c->args, "orders"), *at = text != NULL && text[0] != '\0' ? text : NULL;
    char word[32];
    c->order[0] = 1.0;
    c->norders = at == NULL;
    while (cli_word(&at, word, sizeof word)) {
        double x;
        if (!cli_number(&x, word) || x < 0.0 || c->norders == CAMPBELL_ORDERS) {
            return cli_usage("campbell", "--orders takes up to %d numbers that are not negative, not '%s'",
                             CAMPBELL_ORDERS, text);
        }
        if (x > 0.0) {
            c->order[c->norders++] = x;
        }
    }
    return CLI_OK;
}

static int read_arguments(cli_campbell *c)
{
    static const double unit[] = {1.0, 6.283185307179586, 0.10471975511965977}; // rad/s, Hz, rpm
    c->unit = unit[cli_whole(c->args, "unit")];
    c->opt.n = cli_whole(c->args, "number");
    const int code = read_range(c);
    return code != CLI_OK ? code : read_orders(c);
}

/* ---- printing --------------------------------------------------------------------------------- */

int campbell_first(const cli_campbell *c, int *mode, int track)
{
    for (int i = 0; i < c->n; ++i) {
        *mode = campbell_mode(c, i, track);
        if (*mode >= 0) {
            return i;
        }
    }
    return -1;
}

int campbell_whirl(const cli_campbell *c, int track)
{
    for (int i = 0; i < c->n; ++i) {
        const int j = campbell_mode(c, i, track);
        if (j >= 0 && c->at[i].whirl[j] != 0) {
            return c->at[i].whirl[j];
        }
    }
    return 0;
}

static void print_crossings(const cli_campbell *c)
{
    for (int k = 0; k < c->ncrossings; ++k) {
        const cli_crossing *x = &c->crossing[k];
        if (x->order > 0.0) {
            cli_print("  critical      %s = %.10g: mode %d at %.8g Hz meets order %g\n", c->name, x->p, x->track + 1,
                      x->frequency, x->order);
        } else {
            cli_print("  stability     %s = %.12g: growth of mode %d changes sign (%.6g Hz)\n", c->name, x->p,
                      x->track + 1, x->frequency);
        }
    }
}

static const char *const steady_words[] = {"rest", "steady", "frozen", "periodic"};

static dal_steadiness steady_at(const cli_campbell *c, int i)
{
    return dal_modal_about(c->at[i].modal).steady;
}

int campbell_frozen(char *text, size_t size, const cli_campbell *c)
{
    const char *about = cli_value(c->args, "about");
    int n = 0, first = 0;
    for (int i = c->n - 1; i >= 0; --i) {
        first = steady_at(c, i) == DAL_STEADINESS_FROZEN ? i : first;
        n += steady_at(c, i) == DAL_STEADINESS_FROZEN;
    }
    if (n > 0) {
        snprintf(text, size,
                 "at %d of %d values, from %s = %g on, the state is neither an equilibrium nor a steady "
                 "motion: coefficients are those of the instant; %s",
                 n, c->n, c->name, c->at[first].p,
                 about != NULL && strcmp(about, "static") == 0 ? "drives or loads set the equilibrium in motion"
                                                               : "--about static finds the equilibrium");
    }
    return n;
}

/* The largest growth; 0 where it is nothing but rounding. */
static double most_growth(const cli_spectrum *s)
{
    double most = -INFINITY;
    for (int j = 0; j < s->n; ++j) {
        const dal_mode m = dal_modal_mode(s->modal, j);
        most = m.rigid ? most : fmax(most, fabs(m.re) > 1e-9 * hypot(m.re, m.im) ? m.re : 0.0);
    }
    return most > -INFINITY ? most : 0.0;
}

static void print(const cli_campbell *c)
{
    char text[400];
    cli_print("%s over %s, %d values\n", c->model, c->name, c->n);
    if (campbell_frozen(text, sizeof text, c) > 0) {
        cli_print("  frozen        %s\n", text);
    }
    for (int t = 0; t < c->ntracks; ++t) {
        int mode;
        const int i = campbell_first(c, &mode, t);
        if (i >= 0) {
            const int whirl = c->at[i].whirl[mode] == 0 ? campbell_whirl(c, t) : 0; // else it is in the text
            cli_print("  mode %-8d from %s = %g on: %s%s%s%s\n", t + 1, c->name, c->at[i].p, c->at[i].text[mode],
                      whirl != 0 ? "; " : "", shape_whirl_word(whirl), whirl != 0 ? " whirl" : "");
        }
    }
    print_crossings(c);
    cli_print("  %14s", c->name);
    for (int t = 0; t < c->ntracks; ++t) {
        printf("   mode %2d/Hz", t + 1);
    }
    printf(" largest growth/(1/s)\n");
    for (int i = 0; i < c->n; ++i) {
        printf("  %14.8g", c->at[i].p);
        for (int t = 0; t < c->ntracks; ++t) {
            const int j = campbell_mode(c, i, t);
            if (j >= 0) {
                printf(" %12.6g", dal_modal_mode(c->at[i].modal, j).frequency);
            } else {
                printf(" %12s", "-");
            }
        }
        const double growth = most_growth(&c->at[i]);
        printf(" %12.6g%s\n", fabs(growth),
               growth < 0.0                       ? " decay"
               : campbell_unstable(&c->at[i]) > 0 ? "  UNSTABLE"
                                                  : "");
    }
}

static void json_track(cli_json *out, const cli_campbell *c, int track)
{
    double *x = cli_alloc((size_t)c->n, sizeof *x);
    int mode = 0;
    const int first = campbell_first(c, &mode, track);
    cli_json_open(out, NULL, '{', 0);
    cli_json_whole(out, "mode", track + 1);
    cli_json_text(out, "shape", first >= 0 ? c->at[first].text[mode] : "");
    cli_json_text(out, "whirl", shape_whirl_word(campbell_whirl(c, track)));
    for (int what = 0; what < 3; ++what) {
        for (int i = 0; i < c->n; ++i) {
            const int j = campbell_mode(c, i, track);
            const dal_mode m = dal_modal_mode(c->at[i].modal, j);
            x[i] = j < 0 ? NAN : what == 0 ? m.re : what == 1 ? m.im : m.frequency;
        }
        cli_json_reals(out, what == 0 ? "re" : what == 1 ? "im" : "frequency", x, c->n);
    }
    cli_json_close(out, '}');
    free(x);
}

static void json_crossings(cli_json *out, const cli_campbell *c, const char *key, int critical)
{
    cli_json_open(out, key, '[', 0);
    for (int k = 0; k < c->ncrossings; ++k) {
        const cli_crossing *x = &c->crossing[k];
        if ((x->order > 0.0) == critical) {
            cli_json_open(out, NULL, '{', 1);
            cli_json_real(out, "value", x->p);
            cli_json_whole(out, "mode", x->track + 1);
            cli_json_real(out, "frequency", x->frequency);
            if (critical) {
                cli_json_real(out, "order", x->order);
            }
            cli_json_close(out, '}');
        }
    }
    cli_json_close(out, ']');
}

static void print_json(const cli_campbell *c)
{
    double *x = cli_alloc((size_t)c->n, sizeof *x);
    cli_json out = cli_json_to(stdout);
    for (int i = 0; i < c->n; ++i) {
        x[i] = c->at[i].p;
    }
    cli_json_open(&out, NULL, '{', 0);
    cli_json_text(&out, "model", c->model);
    cli_json_text(&out, "parameter", c->name);
    cli_json_reals(&out, "values", x, c->n);
    cli_json_open(&out, "steady", '[', 1);
    for (int i = 0; i < c->n; ++i) {
        cli_json_text(&out, NULL, steady_words[steady_at(c, i)]);
        x[i] = most_growth(&c->at[i]);
    }
    cli_json_close(&out, ']');
    cli_json_reals(&out, "growth", x, c->n);
    cli_json_open(&out, "modes", '[', 0);
    for (int t = 0; t < c->ntracks; ++t) {
        json_track(&out, c, t);
    }
    cli_json_close(&out, ']');
    json_crossings(&out, c, "critical", 1);
    json_crossings(&out, c, "stability", 0);
    cli_json_close(&out, '}');
    cli_json_end(&out);
    free(x);
}

/* The same as an HDF5 file: values, and matrices with a row for each value and a column for each mode. */
static int write_arrays(const cli_campbell *c, const char *path)
{
    const int n = c->n, modes = c->ntracks;
    double *x = cli_alloc((size_t)n * (3 * (size_t)modes + 1), sizeof *x);
    for (int i = 0; i < n; ++i) {
        x[i] = c->at[i].p;
        for (int t = 0; t < modes; ++t) {
            const int j = campbell_mode(c, i, t);
            const dal_mode m = dal_modal_mode(c->at[i].modal, j);
            const double value[3] = {m.re, m.im, m.frequency};
            for (int k = 0; k < 3; ++k) {
                x[(size_t)n * (size_t)(1 + k * modes + t) + (size_t)i] = j < 0 ? NAN : value[k];
            }
        }
    }
    const size_t size = (size_t)n * (size_t)modes;
    const dal_array list[] = {{.name = "values", .rows = n, .cols = 1, .x = x},
                              {.name = "re", .rows = n, .cols = modes, .x = x + n},
                              {.name = "im", .rows = n, .cols = modes, .x = x + n + size},
                              {.name = "frequency", .rows = n, .cols = modes, .x = x + n + 2 * size}};
    const dal_note note[] = {{"model", c->model}, {"parameter", c->name}};
    const dal_status st = dal_arrays_write(c->ctx, path, list, modes > 0 ? CLI_LEN(list) : 1, note, CLI_LEN(note));
    free(x);
    return st == DAL_OK ? CLI_OK : cli_error("campbell", CLI_IO, "%s", dal_ctx_message(c->ctx));
}

/* One line for each value: the parameter, then re, im, frequency of each mode; empty where there is none. */
static int write_table(const cli_campbell *c, const char *path)
{
    const char *point = strrchr(path, '.');
    cli_make_folder_of(path);
    if (point != NULL && strcmp(point, ".h5") == 0) {
        return write_arrays(c, path);
    }
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return cli_error("campbell", CLI_IO, "cannot write '%s'", path);
    }
    cli_print_to(out, "%s", c->name);
    for (int t = 0; t < c->ntracks; ++t) {
        fprintf(out, ",re%d,im%d,frequency%d", t + 1, t + 1, t + 1);
    }
    for (int i = 0; i < c->n; ++i) {
        fprintf(out, "\n%.17g", c->at[i].p);
        for (int t = 0; t < c->ntracks; ++t) {
            const int j = campbell_mode(c, i, t);
            const dal_mode m = dal_modal_mode(c->at[i].modal, j);
            if (j >= 0) {
                fprintf(out, ",%.17g,%.17g,%.17g", m.re, m.im, m.frequency);
            } else {
                fprintf(out, ",,,");
            }
        }
    }
    fprintf(out, "\n");
    const int bad = ferror(out);
    return fclose(out) != 0 || bad ? cli_error("campbell", CLI_IO, "cannot write '%s'", path) : CLI_OK;
}

static int answer(cli_campbell *c)
{
    const char *plot = cli_value(c->args, "plot"), *table = cli_value(c->args, "output");
    const char *html = cli_value(c->args, "html");
    int code = cli_check_files(c->args, 1);
    code = code != CLI_OK ? code : campbell_run(c);
    if (code != CLI_OK) {
        return code;
    }
    if (cli_given(c->args, "json")) {
        print_json(c);
    } else {
        print(c);
    }
    code = table != NULL ? write_table(c, table) : CLI_OK;
    code = code == CLI_OK && plot != NULL ? campbell_plot(c, plot) : code;
    return code == CLI_OK && html != NULL ? campbell_page(c, html) : code;
}

static int command(const cli_args *args)
{
    cli_campbell c = {.args = args, .source = args->positional[0]};
    c.ctx = cli_context(NULL);
    int code = read_arguments(&c);
    code = code != CLI_OK ? code : answer(&c);
    if (code == CLI_INTEGRATION && cli_given(args, "json")) {
        cli_json_failure(c.model != NULL ? c.model : c.source, cli_last_error());
    }
    campbell_release(&c);
    return code;
}
