/* dalembert campbell: frequencies over a parameter, modes tracked, critical speeds and limits of stability. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/about.h"
#include "cli/answer.h"
#include "cli/diagram.h"
#include "dalembert/modes.h"
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

const cli_command cli_campbell = {
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

enum { ORDERS = 8, TEXT = 128, LABEL = DIAGRAM_LABEL };

/* Modes at one of the values in words. */
typedef struct words {
    char (*shape)[TEXT];
    int *whirl; /* 1 forward, -1 backward, 0 neither */
} words;

/* A mode that is followed. */
typedef struct track {
    double from;             /* value at which it is seen first */
    const char *shape;       /* there */
    const char *whirl;       /* where it first has one */
    const char *later_whirl; /* the same if it comes later than that */
} track;

/* Numbers of a track: eigenvalue and frequency, and what is drawn: frequencies of modes that swing, growth that is no rounding. */
enum { RE, IM, FREQUENCY, DRAWN, GROWTH, NUMBERS };

typedef struct job {
    const cli_args *args;
    dal_ctx *ctx; /* of all modes */
    char *model;  /* its name */
    char name[64];
    int set; /* number of its assignment */
    int n;
    double *p;
    words *words; /* of each value */
    double order[ORDERS];
    int norders;
    double unit;
    int code; /* of a value that could not be evaluated */
    dal_campbell *campbell;
    int ntracks;
    track *track;
    double *x; /* NUMBERS matrices, n x ntracks; NaN where a mode is not there */
    const dal_crossing *crossing;
    int ncrossings;
} job;

static double *numbers(const job *j, int what, int t)
{
    return j->x + (size_t)j->n * (size_t)(what * j->ntracks + t);
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* "spin=0:500:51": the parameter and its values. */
static int read_range(job *j)
{
    const char *found = NULL;
    for (int i = 0; i < j->args->nset; ++i) {
        const char *value = strchr(j->args->set[i], '=') + 1;
        if (strchr(value, ':') != NULL) {
            if (found != NULL) {
                return cli_usage("only one --set may be a range: '%s' or '%s'", found, j->args->set[i]);
            }
            found = j->args->set[i];
            j->set = i;
        }
    }
    if (found == NULL) {
        return cli_usage("one --set must be a range FROM:TO:N, for example --set spin=0:500:51");
    }
    double from, to;
    char a[64], b[64];
    const char *equals = strchr(found, '='), *first = strchr(equals, ':'), *second = strchr(first + 1, ':');
    snprintf(j->name, sizeof j->name, "%.*s", (int)(equals - found), found);
    snprintf(a, sizeof a, "%.*s", (int)(first - equals - 1), equals + 1);
    snprintf(b, sizeof b, "%.*s", second != NULL ? (int)(second - first - 1) : 0, first + 1);
    if (second == NULL || !cli_number(&from, a) || !cli_number(&to, b) || !cli_integer(&j->n, second + 1, 2, 100000) ||
        from == to) {
        j->n = 0;
        return cli_usage("'%s': a range is FROM:TO:N with two numbers and at least 2 values", found);
    }
    j->p = cli_alloc((size_t)j->n, sizeof *j->p);
    for (int i = 0; i < j->n; ++i) {
        j->p[i] = from + (to - from) * i / (j->n - 1);
    }
    return CLI_OK;
}

static int read_orders(job *j)
{
    const char *text = cli_value(j->args, "orders"), *at = text != NULL && text[0] != '\0' ? text : NULL;
    char word[32];
    j->order[0] = 1.0;
    j->norders = at == NULL;
    while (cli_word(&at, word, sizeof word)) {
        double x;
        if (!cli_number(&x, word) || x < 0.0 || j->norders == ORDERS) {
            return cli_usage("--orders takes up to %d numbers that are not negative, not '%s'", ORDERS, text);
        }
        if (x > 0.0) {
            j->order[j->norders++] = x;
        }
    }
    return CLI_OK;
}

/* ---- evaluation ------------------------------------------------------------------------------- */

/* Shapes in words. */
static dal_status describe(words *w, const cli_model *m, dal_sim *sim, const dal_point *at, const dal_modal *modal)
{
    dal_shapes *shapes;
    dal_mode_shape shape = {.text = ""};
    const int n = dal_modal_about(modal).n;
    *w = (words){cli_alloc((size_t)n, sizeof *w->shape), cli_alloc((size_t)n, sizeof *w->whirl)};
    dal_status st = dal_shapes_create(&shapes, m->ctx, m->model, m->sys, dal_sim_data(sim), at);
    for (int k = 0; k < n && st == DAL_OK; ++k) {
        st = dal_shapes_mode(shapes, &shape, modal, k);
        snprintf(w->shape[k], TEXT, "%.*s", TEXT - 1, shape.text);
        w->whirl[k] = shape.whirl;
    }
    dal_shapes_destroy(shapes);
    return st;
}

/* The model is opened anew for each value. */
static dal_status evaluate(dal_modal **modal, double p, int i, void *user)
{
    job *j = user;
    const char *set[CLI_SETS], *about = cli_value(j->args, "about");
    char assignment[128];
    cli_model m = {.files_outside = cli_given(j->args, "allow-files-outside")};
    const dal_modal_options opt = {.n = cli_whole(j->args, "number")};
    dal_sim *sim = NULL;
    memcpy(set, j->args->set, sizeof set);
    snprintf(assignment, sizeof assignment, "%s=%.17g", j->name, p);
    set[j->set] = assignment;
    int code = model_load(&m, j->args->positional[0], set, j->args->nset);
    code = code != CLI_OK ? code : about_start(&sim, &m, about);
    if (code == CLI_OK) {
        const dal_point at = about_point(sim);
        if (j->model == NULL) {
            j->model = cli_copy(m.name);
            about_note(&m, about);
            about_contacts(sim);
            about_kinks(&m, dal_sim_data(sim), &at);
            about_samples(&m);
        }
        if (dal_modal_create(modal, j->ctx, m.sys, dal_sim_data(sim), &at, &opt) != DAL_OK) {
            code = cli_error(CLI_INTEGRATION, "%s = %g: %s", j->name, p, dal_ctx_message(j->ctx));
        } else if (i >= 0 && describe(&j->words[i], &m, sim, &at, *modal) != DAL_OK) {
            code = cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(m.ctx));
        }
    }
    dal_sim_destroy(sim);
    model_release(&m);
    j->code = i >= 0 ? code : j->code;
    return code == CLI_OK ? DAL_OK : DAL_NOCONV;
}

static void gather(job *j, int t)
{
    track *to = &j->track[t];
    *to = (track){.from = NAN, .shape = "", .whirl = "", .later_whirl = ""};
    for (int i = 0; i < j->n; ++i) {
        const int k = dal_campbell_mode(j->campbell, i, t);
        if (k < 0) {
            for (int what = 0; what < NUMBERS; ++what) {
                numbers(j, what, t)[i] = NAN;
            }
            continue;
        }
        const dal_mode m = dal_modal_mode(dal_campbell_modal(j->campbell, i), k);
        const double x[NUMBERS] = {m.re, m.im, m.frequency, m.im > 0.0 ? m.frequency : NAN, dal_mode_growth(m)};
        for (int what = 0; what < NUMBERS; ++what) {
            numbers(j, what, t)[i] = x[what];
        }
        const char *whirl = about_whirl(j->words[i].whirl[k]);
        const int first = isnan(to->from);
        to->shape = first ? j->words[i].shape[k] : to->shape;
        to->from = first ? j->p[i] : to->from;
        to->later_whirl = !first && to->whirl[0] == '\0' ? whirl : to->later_whirl;
        to->whirl = to->whirl[0] == '\0' ? whirl : to->whirl;
    }
}

static int run(job *j)
{
    static const double unit[] = {1.0, 6.283185307179586, 0.10471975511965977}; // rad/s, Hz, rpm
    const dal_campbell_spec spec = {.n = j->n,
                                    .p = j->p,
                                    .norders = j->norders,
                                    .order = j->order,
                                    .unit = unit[cli_whole(j->args, "unit")],
                                    .modes = evaluate,
                                    .user = j};
    j->unit = spec.unit;
    j->words = cli_alloc((size_t)j->n, sizeof *j->words);
    if (dal_campbell_create(&j->campbell, j->ctx, &spec) != DAL_OK) {
        return j->code != CLI_OK ? j->code : cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(j->ctx));
    }
    const dal_campbell_info info = dal_campbell_about(j->campbell);
    j->ntracks = info.ntracks;
    j->ncrossings = info.ncrossings;
    j->crossing = info.crossing;
    j->track = cli_alloc((size_t)j->ntracks, sizeof *j->track);
    j->x = cli_alloc((size_t)j->n * (size_t)j->ntracks, NUMBERS * sizeof *j->x);
    for (int t = 0; t < j->ntracks; ++t) {
        gather(j, t);
    }
    return CLI_OK;
}

/* ---- the answer ------------------------------------------------------------------------------- */

static const char *const steady_words[] = {"rest", "steady", "frozen", "periodic"};

static dal_steadiness steady_at(const job *j, int i)
{
    return dal_modal_about(dal_campbell_modal(j->campbell, i)).steady;
}

/* Number of values at which the state is neither at rest nor in steady motion, and a sentence that says so. */
static int frozen(char *text, size_t size, const job *j)
{
    const char *about = cli_value(j->args, "about");
    int n = 0, first = 0;
    for (int i = j->n - 1; i >= 0; --i) {
        first = steady_at(j, i) == DAL_STEADINESS_FROZEN ? i : first;
        n += steady_at(j, i) == DAL_STEADINESS_FROZEN;
    }
    if (n > 0) {
        snprintf(text, size,
                 "at %d of %d values, from %s = %g on, the state is neither an equilibrium nor a steady "
                 "motion: coefficients are those of the instant; %s",
                 n, j->n, j->name, j->p[first],
                 about != NULL && strcmp(about, "static") == 0 ? "drives or loads set the equilibrium in motion"
                                                               : "--about static finds the equilibrium");
    }
    return n;
}

/* The largest growth at value i; 0 where it is nothing but rounding. */
static double most_growth(const job *j, int i)
{
    double most = -INFINITY;
    for (int t = 0; t < j->ntracks; ++t) {
        most = fmax(most, numbers(j, GROWTH, t)[i]); // which leaves out those that are not there
    }
    return most > -INFINITY ? most : 0.0;
}

static void say_crossing(char text[LABEL], const job *j, const dal_crossing *x)
{
    if (x->order > 0.0) {
        snprintf(text, LABEL, "%s = %.10g: mode %d at %.8g Hz meets order %g", j->name, x->p, x->track + 1,
                 x->frequency, x->order);
    } else {
        snprintf(text, LABEL, "%s = %.12g: growth of mode %d changes sign (%.6g Hz)", j->name, x->p, x->track + 1,
                 x->frequency);
    }
}

static void put_crossings(cli_answer *a, const job *j)
{
    cli_answer *all = answer_hidden(a, "crossings"), *critical = answer_list(a, "critical", 0);
    cli_answer *stability = answer_list(a, "stability", 0);
    for (int k = 0; k < j->ncrossings; ++k) {
        const dal_crossing *x = &j->crossing[k];
        const int line = x->order > 0.0;
        char text[LABEL];
        say_crossing(text, j, x);
        answer_put(answer_object(all, NULL, 0), "kind %s text %s", line ? "critical" : "stability", text);
        cli_answer *one = answer_object(line ? critical : stability, NULL, 1);
        answer_put(one, "value %g mode %d frequency %g", x->p, x->track + 1, x->frequency);
        if (line) {
            answer_put(one, "order %g", x->order);
        }
    }
}

static cli_answer *answer(const job *j)
{
    char text[400] = "";
    double *growth = cli_alloc((size_t)j->n, sizeof *growth);
    cli_answer *a = answer_create();
    frozen(text, sizeof text, j);
    answer_put(a, "model %s parameter %s .nvalues %d .frozen %s", j->model, j->name, j->n, text);
    answer_reals(a, "values", j->p, j->n);
    cli_answer *steady = answer_list(a, "steady", 1);
    for (int i = 0; i < j->n; ++i) {
        answer_text(steady, NULL, steady_words[steady_at(j, i)]);
        growth[i] = most_growth(j, i);
    }
    answer_reals(a, "growth", growth, j->n);
    cli_answer *modes = answer_list(a, "modes", 0);
    for (int t = 0; t < j->ntracks; ++t) {
        const track *from = &j->track[t];
        cli_answer *mode = answer_object(modes, NULL, 0);
        answer_put(mode, "mode %d shape %s whirl %s .from %g .later_whirl %s", t + 1, from->shape, from->whirl,
                   from->from, from->later_whirl);
        answer_reals(mode, "re", numbers(j, RE, t), j->n);
        answer_reals(mode, "im", numbers(j, IM, t), j->n);
        answer_reals(mode, "frequency", numbers(j, FREQUENCY, t), j->n);
    }
    put_crossings(a, j);
    free(growth);
    return a;
}

/* Frequencies at all values. */
static void print_table(const job *j)
{
    cli_print("  %14s", j->name);
    for (int t = 0; t < j->ntracks; ++t) {
        printf("   mode %2d/Hz", t + 1);
    }
    printf(" largest growth/(1/s)\n");
    for (int i = 0; i < j->n; ++i) {
        const double growth = most_growth(j, i);
        const int unstable = dal_modal_growing(dal_campbell_modal(j->campbell, i)) > 0;
        printf("  %14.8g", j->p[i]);
        for (int t = 0; t < j->ntracks; ++t) {
            const double f = numbers(j, FREQUENCY, t)[i];
            if (isnan(f)) {
                printf(" %12s", "-");
            } else {
                printf(" %12.6g", f);
            }
        }
        printf(" %12.6g%s\n", fabs(growth), growth < 0.0 ? " decay" : unstable ? "  UNSTABLE" : "");
    }
}

/* ---- files ------------------------------------------------------------------------------------ */

/* HDF5: values, and matrices with a row for each value and a column for each mode. */
static int write_arrays(const job *j, const char *path)
{
    const int n = j->n, modes = j->ntracks;
    const dal_array list[] = {{.name = "values", .rows = n, .cols = 1, .x = j->p},
                              {.name = "re", .rows = n, .cols = modes, .x = numbers(j, RE, 0)},
                              {.name = "im", .rows = n, .cols = modes, .x = numbers(j, IM, 0)},
                              {.name = "frequency", .rows = n, .cols = modes, .x = numbers(j, FREQUENCY, 0)}};
    const dal_note note[] = {{"model", j->model}, {"parameter", j->name}};
    return dal_arrays_write(j->ctx, path, list, modes > 0 ? CLI_LEN(list) : 1, note, CLI_LEN(note)) == DAL_OK
               ? CLI_OK
               : cli_error(CLI_IO, "%s", dal_ctx_message(j->ctx));
}

/* One line for each value: the parameter, then re, im, frequency of each mode; empty where there is none. */
static int write_table(const job *j, const char *path)
{
    const char *point = strrchr(path, '.');
    cli_make_folder_of(path);
    if (point != NULL && strcmp(point, ".h5") == 0) {
        return write_arrays(j, path);
    }
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return cli_error(CLI_IO, "cannot write '%s'", path);
    }
    cli_print_to(out, "%s", j->name);
    for (int t = 1; t <= j->ntracks; ++t) {
        fprintf(out, ",re%d,im%d,frequency%d", t, t, t);
    }
    for (int i = 0; i < j->n; ++i) {
        fprintf(out, "\n%.17g", j->p[i]);
        for (int t = 0; t < j->ntracks; ++t) {
            for (int what = RE; what <= FREQUENCY; ++what) {
                const double x = numbers(j, what, t)[i];
                fprintf(out, isnan(x) ? "," : ",%.17g", x);
            }
        }
    }
    fprintf(out, "\n");
    const int bad = ferror(out);
    return fclose(out) != 0 || bad ? cli_error(CLI_IO, "cannot write '%s'", path) : CLI_OK;
}

/* ---- the diagram ------------------------------------------------------------------------------ */

/* Frequencies or growth, order lines dashed, crossings marked. */
static void add_chart(cli_diagram *d, const job *j, int growth)
{
    enum { SHOWN = 12 }; // modes that a page shows at once
    const char *unit = growth ? "1/s" : "Hz";
    const size_t size = (size_t)j->n * sizeof(double);
    cli_chart *c = diagram_chart(d, j->ntracks + j->norders + 1, j->name, growth ? "growth" : "frequency");
    c->empty = growth ? NULL : "nothing swings";
    c->range = (svg_range){fmin(j->p[0], j->p[j->n - 1]), fmax(j->p[0], j->p[j->n - 1])};
    for (int t = 0; t < j->ntracks; ++t) {
        const track *mode = &j->track[t];
        const int later = mode->later_whirl[0] != '\0';
        cli_trace *to = diagram_trace(c, DAL_PAGE_LINE, j->n, unit, "mode %d: %.110s%s%s%s", t + 1, mode->shape,
                                      later ? ", " : "", mode->later_whirl, later ? " whirl" : "");
        to->hidden = t >= SHOWN;
        memcpy(to->x, j->p, size);
        memcpy(to->y, numbers(j, growth ? GROWTH : DRAWN, t), size);
    }
    for (int k = 0; k < j->norders && !growth; ++k) {
        cli_trace *to = diagram_trace(c, DAL_PAGE_DASHED, 2, unit, "order %g", j->order[k]);
        for (int i = 0; i < 2; ++i) {
            to->x[i] = j->p[i == 0 ? 0 : j->n - 1];
            to->y[i] = fabs(j->order[k] * j->unit * to->x[i]) / 6.283185307179586;
        }
    }
    cli_trace *marks =
        diagram_trace(c, DAL_PAGE_MARKS, j->ncrossings, unit, growth ? "limits of stability" : "critical speeds");
    marks->n = 0;
    for (int k = 0; k < j->ncrossings; ++k) {
        const dal_crossing *x = &j->crossing[k];
        if ((x->order > 0.0) != growth) {
            marks->x[marks->n] = x->p;
            marks->y[marks->n] = growth ? 0.0 : x->frequency;
            say_crossing(marks->label[marks->n++], j, x);
        }
    }
}

static dal_status add_text(dal_page *page, const cli_diagram *d, const job *j)
{
    char text[400], name[LABEL];
    snprintf(text, sizeof text, "%s from %g to %g, %d values", j->name, j->p[0], j->p[j->n - 1], j->n);
    DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, "parameter", text, 0));
    for (int t = 0; t < j->ntracks; ++t) {
        snprintf(name, sizeof name, "mode %d", t + 1);
        snprintf(text, sizeof text, "from %s = %g on: %s", j->name, j->track[t].from, j->track[t].shape);
        DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, name, text, 0));
    }
    for (int growth = 0; growth < 2; ++growth) {
        const cli_chart *c = &d->chart[growth];
        const cli_trace *marks = &c->trace[c->n - 1];
        for (int k = 0; k < marks->n; ++k) {
            DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, growth ? "stability" : "critical", marks->label[k], 1));
        }
    }
    return frozen(text, sizeof text, j) > 0 ? dal_page_text(page, DAL_PAGE_WARNINGS, NULL, text, 0) : DAL_OK;
}

static int write_page(const cli_diagram *d, const job *j, const char *path)
{
    char title[200];
    snprintf(title, sizeof title, "Campbell diagram over %s", j->name);
    const dal_page_spec spec = {.name = j->model, .title = title};
    dal_page *page = NULL;
    dal_status st = dal_page_create(&page, j->ctx, &spec);
    st = st != DAL_OK ? st : add_text(page, d, j);
    st = st != DAL_OK ? st : diagram_show(d, page);
    st = st != DAL_OK ? st : dal_page_write(page, path);
    dal_page_destroy(page);
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(j->ctx));
}

/* ---- the command ------------------------------------------------------------------------------ */

static int tell(const job *j)
{
    const char *picture = cli_value(j->args, "plot"), *table = cli_value(j->args, "output");
    const char *html = cli_value(j->args, "html");
    cli_answer *a = answer(j);
    answer_tell(a, j->args, 0);
    answer_release(a);
    if (!cli_given(j->args, "json")) {
        print_table(j);
    }
    int code = table != NULL ? write_table(j, table) : CLI_OK;
    cli_diagram *d = cli_alloc(1, sizeof *d);
    add_chart(d, j, 0);
    add_chart(d, j, 1);
    code = code == CLI_OK && picture != NULL ? diagram_save(d, picture, j->model) : code;
    code = code == CLI_OK && html != NULL ? write_page(d, j, html) : code;
    diagram_release(d);
    free(d);
    return code;
}

static void release(job *j)
{
    for (int i = 0; i < j->n && j->words != NULL; ++i) {
        free(j->words[i].shape);
        free(j->words[i].whirl);
    }
    free(j->words);
    free(j->track);
    free(j->x);
    free(j->p);
    free(j->model);
    dal_campbell_destroy(j->campbell);
    dal_ctx_destroy(j->ctx);
}

static int command(const cli_args *args)
{
    job j = {.args = args, .ctx = cli_context(NULL)};
    int code = read_range(&j);
    code = code != CLI_OK ? code : read_orders(&j);
    code = code != CLI_OK ? code : cli_check_files(args, 1);
    code = code != CLI_OK ? code : run(&j);
    code = code != CLI_OK ? code : tell(&j);
    if (code == CLI_INTEGRATION && cli_given(args, "json")) {
        answer_failure(j.model != NULL ? j.model : args->positional[0]);
    }
    release(&j);
    return code;
}
