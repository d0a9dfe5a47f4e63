/* dalembert campbell: frequencies over a parameter, modes tracked, critical speeds and limits of stability. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/about.h"
#include "cli/answer.h"
#include "cli/diagram.h"
#include "dalembert/modes.h"
#include "dalembert/results.h"

CLI_OWNS(dal_campbell)
CLI_OWNS(dal_shapes)

enum { ORDERS = 8, TEXT = 128, LABEL = DIAGRAM_LABEL };

/* A mode at one of the values in words. */
typedef struct words {
    int whirl; /* 1 forward, -1 backward, 0 neither */
    char shape[TEXT];
} words;

/* A mode that is followed. */
typedef struct track {
    double from;             /* value at which it is seen first */
    const char *shape;       /* there */
    const char *whirl;       /* where it first has one */
    const char *later_whirl; /* the same if it comes later than that */
} track;

typedef struct job {
    const cli_args *args;
    const char *model; /* its name */
    const char *name;  /* of the parameter */
    int set;           /* number of its assignment */
    int n;
    double *p;
    words **words; /* of each value */
    double order[ORDERS];
    int norders;
    double unit;
    int told; /* what a reader should know */
    int code; /* of a value that could not be evaluated */
    dal_campbell *campbell;
    dal_campbell_info info;
    track *track;
    double *x; /* DAL_BRANCH_NUMBERS matrices, n x ntracks */
} job;

static double *numbers(const job *j, dal_branch_number what, int t)
{
    return j->x + (size_t)j->n * (size_t)((int)what * j->info.ntracks + t);
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* "spin=0:500:51": the parameter and its values. */
static void read_range(job *j)
{
    const char *found = NULL;
    for (int i = 0; i < j->args->nset; ++i) {
        if (strchr(strchr(j->args->set[i], '=') + 1, ':') != NULL) {
            if (found != NULL) {
                cli_usage("only one --set may be a range: '%s' or '%s'", found, j->args->set[i]);
            }
            found = j->args->set[i];
            j->set = i;
        }
    }
    if (found == NULL) {
        cli_usage("one --set must be a range FROM:TO:N, for example --set spin=0:500:51");
    }
    double x[3];
    const char *equals = strchr(found, '=');
    j->name = cli_text("%.*s", (int)(equals - found), found);
    if (cli_range(x, equals + 1) != 3 || !cli_integer(&j->n, strrchr(equals, ':') + 1, 2, 100000) || x[0] == x[1]) {
        cli_usage("'%s': a range is FROM:TO:N with two numbers and at least 2 values", found);
    }
    j->p = cli_alloc((size_t)j->n, sizeof *j->p);
    for (int i = 0; i < j->n; ++i) {
        j->p[i] = x[0] + (x[1] - x[0]) * i / (j->n - 1);
    }
}

static void read_orders(job *j)
{
    const char *text = cli_value(j->args, "orders"), *at = text != NULL && text[0] != '\0' ? text : NULL;
    char word[32];
    j->order[0] = 1.0;
    j->norders = at == NULL;
    while (cli_word(&at, word, sizeof word)) {
        double x;
        if (!cli_number(&x, word) || x < 0.0 || j->norders == ORDERS) {
            cli_usage("--orders takes up to %d numbers that are not negative, not '%s'", ORDERS, text);
        }
        if (x > 0.0) {
            j->order[j->norders++] = x;
        }
    }
}

/* ---- evaluation ------------------------------------------------------------------------------- */

/* The modes at a value. */
typedef struct point {
    job *j;
    int i; /* which value, -1: one between them, of which no words are needed */
    double p;
    dal_modal *modal;
    words *words; /* for free() */
} point;

/* The model is opened anew for each value. */
static void analyse(void *user)
{
    point *x = user;
    job *j = x->j;
    const char *set[CLI_SETS];
    cli_model *m = cli_alloc(1, sizeof *m);
    const dal_modal_options opt = {.n = cli_whole(j->args, "number")};
    dal_mode_shape shape = {.text = ""};
    dal_shapes *shapes;
    dal_point at;
    memcpy(set, j->args->set, sizeof set);
    set[j->set] = cli_text("%s=%.17g", j->name, x->p);
    m->files_outside = cli_given(j->args, "allow-files-outside");
    model_load(m, j->args->positional[0], set, j->args->nset);
    dal_sim *sim = about_start(m, &at, j->args, j->told);
    j->told = 1;
    if (dal_modal_create(&x->modal, cli_ctx(), m->sys, dal_sim_data(sim), &at, &opt) != DAL_OK) {
        cli_fail(CLI_INTEGRATION, "%s = %g: %s", j->name, x->p, dal_ctx_message(cli_ctx()));
    }
    const int n = x->i >= 0 ? dal_modal_about(x->modal).n : 0;
    x->words = malloc(((size_t)n + 1) * sizeof *x->words);
    CLI_CREATE(dal_shapes, shapes, CLI_INTEGRATION, m->ctx, m->model, m->sys, dal_sim_data(sim), &at);
    for (int k = 0; k < n && x->words != NULL; ++k) {
        cli_try(m->ctx, dal_shapes_mode(shapes, &shape, x->modal, k), CLI_INTEGRATION);
        snprintf(x->words[k].shape, TEXT, "%.*s", TEXT - 1, shape.text);
        x->words[k].whirl = shape.whirl;
    }
}

static dal_status evaluate(dal_modal **modal, double p, int i, void *user)
{
    job *j = user;
    point x = {.j = j, .i = i, .p = p};
    const int code = cli_guard(analyse, &x, 0);
    cli_own(x.words, free);
    *modal = x.modal;
    if (i >= 0) {
        j->words[i] = x.words;
        j->code = code;
    }
    return code != CLI_OK ? DAL_NOCONV : x.words != NULL ? DAL_OK : DAL_ENOMEM;
}

static void gather(job *j, int t)
{
    track *to = &j->track[t];
    *to = (track){.from = NAN, .shape = "", .whirl = "", .later_whirl = ""};
    for (int i = 0; i < j->n; ++i) {
        const int k = dal_campbell_mode(j->campbell, i, t);
        if (k >= 0) {
            const char *whirl = about_whirl(j->words[i][k].whirl);
            const int first = isnan(to->from);
            to->shape = first ? j->words[i][k].shape : to->shape;
            to->from = first ? j->p[i] : to->from;
            to->later_whirl = !first && to->whirl[0] == '\0' ? whirl : to->later_whirl;
            to->whirl = to->whirl[0] == '\0' ? whirl : to->whirl;
        }
    }
    for (int what = 0; what < DAL_BRANCH_NUMBERS; ++what) {
        dal_campbell_branch(j->campbell, numbers(j, (dal_branch_number)what, t), t, (dal_branch_number)what);
    }
}

static void run(job *j)
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
    j->words = cli_alloc((size_t)j->n, sizeof(void *));
    const dal_status st = dal_campbell_create(&j->campbell, cli_ctx(), &spec);
    if (j->code != CLI_OK) {
        cli_end(j->code);
    }
    cli_try(cli_ctx(), st, CLI_INTEGRATION);
    CLI_OWN(dal_campbell, j->campbell);
    j->model = cli_subject();
    j->info = dal_campbell_about(j->campbell);
    j->track = cli_alloc((size_t)j->info.ntracks, sizeof *j->track);
    j->x = cli_alloc((size_t)j->n * (size_t)j->info.ntracks, DAL_BRANCH_NUMBERS * sizeof *j->x);
    for (int t = 0; t < j->info.ntracks; ++t) {
        gather(j, t);
    }
}

/* ---- the answer ------------------------------------------------------------------------------- */

static dal_steadiness steady_at(const job *j, int i)
{
    return dal_modal_about(dal_campbell_modal(j->campbell, i)).steady;
}

/* How many values there are at which the state is neither at rest nor in steady motion; NULL: none. */
static const char *frozen(const job *j)
{
    int n = 0, first = 0;
    for (int i = j->n - 1; i >= 0; --i) {
        first = steady_at(j, i) == DAL_STEADINESS_FROZEN ? i : first;
        n += steady_at(j, i) == DAL_STEADINESS_FROZEN;
    }
    return n == 0 ? NULL
                  : cli_text("at %d of %d values, from %s = %g on, the state is neither an equilibrium nor a steady "
                             "motion: coefficients are those of the instant; %s",
                             n, j->n, j->name, j->p[first], about_remedy(j->args));
}

static const char *say_crossing(const job *j, const dal_crossing *x)
{
    return x->order > 0.0 ? cli_text("%s = %.10g: mode %d at %.8g Hz meets order %g", j->name, x->p, x->track + 1,
                                     x->frequency, x->order)
                          : cli_text("%s = %.12g: growth of mode %d changes sign (%.6g Hz)", j->name, x->p,
                                     x->track + 1, x->frequency);
}

static void put_crossings(cli_answer *a, const job *j)
{
    cli_answer *all = answer_list(a, ".crossings", 0), *critical = answer_list(a, "critical", 0);
    cli_answer *stability = answer_list(a, "stability", 0);
    for (int k = 0; k < j->info.ncrossings; ++k) {
        const dal_crossing *x = &j->info.crossing[k];
        const int line = x->order > 0.0;
        answer_line(all, NULL, "kind %s text %s", line ? "critical" : "stability", say_crossing(j, x));
        cli_answer *one = answer_line(line ? critical : stability, NULL, "value %g mode %d frequency %g", x->p,
                                      x->track + 1, x->frequency);
        if (line) {
            answer_put(one, "order %g", x->order);
        }
    }
}

/* What happens at each value: the state, frequencies, and the largest growth, 0 where it is nothing but rounding. */
static void put_values(cli_answer *a, const job *j)
{
    const int n = j->info.ntracks;
    double *most = cli_alloc((size_t)j->n, sizeof *most), *x = cli_alloc(4 * (size_t)n, sizeof *x), *f = x + 3 * n;
    cli_answer *steady = answer_list(a, "steady", 1), *rows = answer_list(a, ".rows", 0);
    for (int i = 0; i < j->n; ++i) {
        most[i] = dal_campbell_growth(j->campbell, i);
        for (int t = 0; t < n; ++t) {
            for (int what = DAL_BRANCH_RE; what <= DAL_BRANCH_FREQUENCY; ++what) {
                f[t] = x[3 * t + what] = numbers(j, (dal_branch_number)what, t)[i];
            }
        }
        answer_text(steady, NULL, about_steady[steady_at(j, i)]);
        const int unstable = dal_modal_growing(dal_campbell_modal(j->campbell, i)) > 0;
        cli_answer *row = answer_line(rows, NULL, "value %g growth %g word %s", j->p[i], fabs(most[i]),
                                      most[i] < 0.0 ? " decay"
                                      : unstable    ? "  UNSTABLE"
                                                    : "");
        answer_reals(row, "frequencies", f, n);
        answer_reals(row, "all", x, 3 * n);
    }
    answer_reals(a, "growth", most, j->n);
}

static const cli_answer *answer(const job *j)
{
    static const char *const name[] = {"re", "im", "frequency"};
    cli_answer *a = answer_create();
    answer_put(a, "model %s parameter %s .nvalues %d .frozen %s", j->model, j->name, j->n, frozen(j));
    answer_reals(a, "values", j->p, j->n);
    put_values(a, j);
    cli_answer *modes = answer_list(a, "modes", 0);
    for (int t = 0; t < j->info.ntracks; ++t) {
        const track *from = &j->track[t];
        cli_answer *mode = answer_object(modes, NULL, 0);
        answer_put(mode, "mode %d shape %s whirl %s .from %g .later_whirl %s", t + 1, from->shape, from->whirl,
                   from->from, from->later_whirl);
        for (int what = DAL_BRANCH_RE; what <= DAL_BRANCH_FREQUENCY; ++what) {
            answer_reals(mode, name[what], numbers(j, (dal_branch_number)what, t), j->n);
        }
    }
    put_crossings(a, j);
    return a;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* HDF5: values, and matrices with a row for each value and a column for each mode. */
static void write_arrays(const job *j, const char *path)
{
    const int n = j->n, modes = j->info.ntracks;
    const dal_array list[] = {
        {.name = "values", .rows = n, .cols = 1, .x = j->p},
        {.name = "re", .rows = n, .cols = modes, .x = numbers(j, DAL_BRANCH_RE, 0)},
        {.name = "im", .rows = n, .cols = modes, .x = numbers(j, DAL_BRANCH_IM, 0)},
        {.name = "frequency", .rows = n, .cols = modes, .x = numbers(j, DAL_BRANCH_FREQUENCY, 0)}};
    const dal_note note[] = {{"model", j->model}, {"parameter", j->name}};
    answer_save_arrays(path, list, modes > 0 ? CLI_LEN(list) : 1, note, CLI_LEN(note));
}

/* ---- the diagram ------------------------------------------------------------------------------ */

/* Frequencies or growth, order lines dashed, crossings marked. */
static void add_chart(cli_diagram *d, const job *j, int growth)
{
    enum { SHOWN = 12 }; // modes that a page shows at once
    const char *unit = growth ? "1/s" : "Hz";
    const size_t size = (size_t)j->n * sizeof(double);
    const dal_campbell_info *i = &j->info;
    cli_chart *c = diagram_chart(d, i->ntracks + j->norders + 1, j->name, growth ? "growth" : "frequency");
    c->empty = growth ? NULL : "nothing swings";
    c->range = (svg_range){fmin(j->p[0], j->p[j->n - 1]), fmax(j->p[0], j->p[j->n - 1])};
    for (int t = 0; t < i->ntracks; ++t) {
        const track *mode = &j->track[t];
        const int later = mode->later_whirl[0] != '\0';
        cli_trace *to = diagram_trace(c, DAL_PAGE_LINE, j->n, unit, "mode %d: %.110s%s%s%s", t + 1, mode->shape,
                                      later ? ", " : "", mode->later_whirl, later ? " whirl" : "");
        to->hidden = t >= SHOWN;
        memcpy(to->x, j->p, size);
        memcpy(to->y, numbers(j, growth ? DAL_BRANCH_GROWTH : DAL_BRANCH_SWING, t), size);
    }
    for (int k = 0; k < j->norders && !growth; ++k) {
        cli_trace *to = diagram_trace(c, DAL_PAGE_DASHED, 2, unit, "order %g", j->order[k]);
        for (int e = 0; e < 2; ++e) {
            to->x[e] = j->p[e == 0 ? 0 : j->n - 1];
            to->y[e] = fabs(j->order[k] * j->unit * to->x[e]) / 6.283185307179586;
        }
    }
    cli_trace *marks =
        diagram_trace(c, DAL_PAGE_MARKS, i->ncrossings, unit, growth ? "limits of stability" : "critical speeds");
    marks->n = 0;
    for (int k = 0; k < i->ncrossings; ++k) {
        const dal_crossing *x = &i->crossing[k];
        if ((x->order > 0.0) != growth) {
            diagram_mark(marks, x->p, growth ? 0.0 : x->frequency, "%s", say_crossing(j, x));
        }
    }
}

static void write_page(const cli_diagram *d, const job *j, const char *path)
{
    cli_html h = {0};
    const dal_page_spec spec = {.name = j->model, .title = cli_text("Campbell diagram over %s", j->name)};
    html_begin(&h, cli_ctx(), &spec);
    html_say(&h, DAL_PAGE_SUMMARY, 0, "parameter",
             cli_text("%s from %g to %g, %d values", j->name, j->p[0], j->p[j->n - 1], j->n));
    for (int t = 0; t < j->info.ntracks; ++t) {
        html_say(&h, DAL_PAGE_SUMMARY, 0, cli_text("mode %d", t + 1),
                 cli_text("from %s = %g on: %s", j->name, j->track[t].from, j->track[t].shape));
    }
    for (int growth = 0; growth < 2; ++growth) {
        const cli_chart *c = &d->chart[growth];
        const cli_trace *marks = &c->trace[c->n - 1];
        for (int k = 0; k < marks->n; ++k) {
            html_say(&h, DAL_PAGE_SUMMARY, 1, growth ? "stability" : "critical", marks->label[k]);
        }
    }
    if (frozen(j) != NULL) {
        html_say(&h, DAL_PAGE_WARNINGS, 0, NULL, frozen(j));
    }
    diagram_show(d, &h);
    html_save(&h, path);
}

/* ---- the command ------------------------------------------------------------------------------ */

static int command(const cli_args *args)
{
    const char *picture = cli_value(args, "plot"), *table = cli_value(args, "output"), *html = cli_value(args, "html");
    job *j = cli_alloc(1, sizeof *j);
    cli_diagram *d = cli_alloc(1, sizeof *d);
    j->args = args;
    read_range(j);
    read_orders(j);
    cli_check_files(args, 1);
    run(j);
    const cli_answer *a = answer(j);
    answer_tell(a, args, NULL);
    if (table != NULL && !answer_save_csv(a, "campbell_csv", table)) {
        write_arrays(j, table);
    }
    add_chart(d, j, 0);
    add_chart(d, j, 1);
    if (picture != NULL) {
        diagram_save(d, picture, j->model);
    }
    if (html != NULL) {
        write_page(d, j, html);
    }
    return CLI_OK;
}

const cli_command cli_campbell = {.name = "campbell", .run = command, .tells_failure = 1};
