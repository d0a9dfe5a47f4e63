/* dalembert report: a page from stored results. */
#include <math.h>
#include <string.h>

#include "cli/html.h"
#include "cli/record.h"

typedef struct report_job {
    const char *path;
    cli_model model;
    dal_table_data state, outputs, monitor;
    cli_html page;
} report_job;

/* A text that lies beside the results; NULL: there is none. */
static char *note(const report_job *job, const char *name)
{
    char *text = NULL, *copy = NULL;
    if (dal_results_note(&text, cli_ctx(), job->path, name) == DAL_OK) {
        copy = cli_copy(text);
        dal_results_note_free(cli_ctx(), text);
    }
    return copy;
}

/* The model of the results: its text and what was assigned on the command line. */
static void load_model(report_job *job)
{
    const char *set[CLI_SETS], *text = note(job, "model.json");
    int nset = 0;
    if (text == NULL) {
        cli_fail(CLI_IO, "%s", dal_ctx_message(cli_ctx()));
    }
    char *lines = note(job, "assignments.txt");
    for (char *line = strtok(lines != NULL ? lines : cli_copy(""), "\n"); line != NULL && nset < CLI_SETS;
         line = strtok(NULL, "\n")) {
        if (line[0] != '#') {
            set[nset++] = line;
        }
    }
    model_load_text(&job->model, text, job->path, set, nset);
}

static void read_tables(report_job *job)
{
    const dal_system *sys = job->model.sys;
    const int n = 1 + sys->group->nq + sys->group->nv + dal_system_rows(sys);
    if (record_read(&job->state, cli_ctx(), job->path, "state") != DAL_OK) {
        cli_fail(CLI_IO, "%s. The motion comes from the table 'state': run with --tables state,...",
                 dal_ctx_message(cli_ctx()));
    }
    if (job->state.n != n) {
        cli_fail(CLI_IO, "the table 'state' of '%s' has %d columns, its model needs %d", job->path, job->state.n, n);
    }
    // these two may be missing
    (void)!record_read(&job->outputs, cli_ctx(), job->path, "outputs");
    (void)!record_read(&job->monitor, cli_ctx(), job->path, "monitor");
}

/* Row i of the table as a point; x has room for a row. */
static dal_point point_of(const dal_table_data *t, int i, const dal_system *sys, double *x, const double *zero)
{
    for (int k = 0; k < t->n; ++k) {
        x[k] = t->x[(size_t)i + (size_t)k * (size_t)t->rows];
    }
    const double *q = x + 1, *v = q + sys->group->nq, *la = v + sys->group->nv;
    return (dal_point){.t = x[0], .q = q, .v = v, .vd = zero, .la = la};
}

static void add_pictures(report_job *job)
{
    const dal_system *sys = job->model.sys;
    const dal_table_data *t = &job->state;
    double *x = cli_alloc((size_t)t->n + 1, sizeof *x), *zero = cli_alloc((size_t)sys->group->nv + 1, sizeof *zero);
    for (int i = 0; i < t->rows; ++i) {
        const dal_point at = point_of(t, i, sys, x, zero);
        cli_try(job->model.ctx, dal_page_frame(job->page.page, &at), CLI_IO);
    }
}

/* The curves of a run, from the tables: those without a column have no values. */
static void add_curves(report_job *job)
{
    cli_html *h = &job->page;
    const dal_table_data *o = &job->outputs, *m = &job->monitor, *from[HTML_CURVES];
    int column[HTML_CURVES];
    double x[HTML_CURVES];
    html_curves(h, &job->model);
    const int n = h->n;
    for (int k = 0; k < n; ++k) {
        const char *name = dal_channels_get(job->model.channels, h->channel[k]).name;
        column[k] = o->rows > 0 ? dal_table_column(o, name) : -1;
        from[k] = column[k] >= 0 ? o : m;
        column[k] = column[k] >= 0 || m->rows == 0 ? column[k] : dal_table_column(m, name);
    }
    const dal_table_data *clock = o->rows > 0 ? o : m;
    for (int i = 0; i < clock->rows; ++i) {
        for (int k = 0; k < n; ++k) {
            const dal_table_data *t = from[k];
            x[k] = column[k] >= 0 && i < t->rows ? t->x[(size_t)i + (size_t)column[k] * (size_t)t->rows] : NAN;
        }
        cli_try(h->ctx, html_values(h, x, clock->x[i]), CLI_IO);
    }
}

/* What the run said at its end, and where it lies. */
static void say_summary(report_job *job)
{
    const dal_table_data *t = &job->state;
    const char *said = note(job, "summary.txt");
    html_summary(&job->page,
                 cli_text("  read from     %.200s\n  rows          %d\n  time          %.9g .. %.9g s\n", job->path,
                          t->rows, t->rows > 0 ? t->x[0] : 0.0, t->rows > 0 ? t->x[t->rows - 1] : 0.0));
    html_summary(&job->page, said != NULL ? said : "");
}

static int command(const cli_args *args)
{
    report_job *job = cli_alloc(1, sizeof *job);
    const char *to = cli_value(args, "output");
    if (to == NULL) {
        cli_usage("where to? -o FILE.html");
    }
    job->path = args->positional[0];
    job->model.files_outside = cli_given(args, "allow-files-outside");
    cli_check_files(args, 0);
    load_model(job);
    read_tables(job);
    html_open(&job->page, &job->model, NULL);
    say_summary(job);
    add_pictures(job);
    add_curves(job);
    html_save(&job->page, to);
    cli_print("%s\n", to);
    return CLI_OK;
}

const cli_command cli_report = {.name = "report", .run = command};
