/* dalembert report: a page from stored results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/html.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "the page (required)", CLI_HTML},
    {"allow-files-outside", 0, NULL, "the model may name files outside the folder of the results"},
};

static int command(const cli_args *args);

const cli_command cli_report = {
    .name = "report",
    .place = 3,
    .arguments = "RESULTS",
    .min = 1,
    .max = 1,
    .summary = "make an HTML page from stored results",
    .about = "RESULTS is what 'dalembert run -o RESULTS' wrote, a folder or an HDF5 file, with the table 'state'.\n"
             "Exit codes: 0 ok, 2 usage, 3 the model stored with the results cannot be read, 5 files.",
    .examples = "  dalembert run heavy_top -o results/top\n  dalembert report results/top -o top.html",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

typedef struct report_job {
    const char *path;
    dal_ctx *ctx; /* for reading the results */
    cli_model model;
    dal_table_data state, outputs, monitor;
    cli_html page;
} report_job;

static int unreadable(const report_job *job)
{
    return cli_error(CLI_IO, "%s", dal_ctx_message(job->ctx));
}

/* The model of the results: its text and what was assigned on the command line. */
static int load_model(report_job *job)
{
    char *text = NULL, *lines = NULL;
    const char *set[CLI_SETS];
    int nset = 0;
    if (dal_results_note(&text, job->ctx, job->path, "model.json") != DAL_OK) {
        return unreadable(job);
    }
    if (dal_results_note(&lines, job->ctx, job->path, "assignments.txt") == DAL_OK) {
        for (char *line = strtok(lines, "\n"); line != NULL && nset < CLI_SETS; line = strtok(NULL, "\n")) {
            if (line[0] != '#') {
                set[nset++] = line;
            }
        }
    }
    const int code = model_load_text(&job->model, text, job->path, set, nset);
    dal_results_note_free(job->ctx, text);
    dal_results_note_free(job->ctx, lines);
    return code;
}

static int read_tables(report_job *job)
{
    const dal_system *sys = job->model.sys;
    if (sys == NULL) { // load_model has told why
        return CLI_MODEL;
    }
    const int n = 1 + sys->group->nq + sys->group->nv + dal_system_rows(sys);
    if (dal_table_read(&job->state, job->ctx, job->path, "state") != DAL_OK) {
        return cli_error(CLI_IO, "%s. The motion comes from the table 'state': run with --tables state,...",
                         dal_ctx_message(job->ctx));
    }
    if (job->state.n != n) {
        return cli_error(CLI_IO, "the table 'state' of '%s' has %d columns, its model needs %d", job->path,
                         job->state.n, n);
    }
    // these two may be missing
    if (dal_table_read(&job->outputs, job->ctx, job->path, "outputs") != DAL_OK) {
        job->outputs = (dal_table_data){0};
    }
    if (dal_table_read(&job->monitor, job->ctx, job->path, "monitor") != DAL_OK) {
        job->monitor = (dal_table_data){0};
    }
    return CLI_OK;
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

static dal_status add_pictures(report_job *job)
{
    const dal_system *sys = job->model.sys;
    const dal_table_data *t = &job->state;
    double *x = cli_alloc((size_t)t->n + 1, sizeof *x), *zero = cli_alloc((size_t)sys->group->nv + 1, sizeof *zero);
    dal_status st = DAL_OK;
    for (int i = 0; i < t->rows && st == DAL_OK; ++i) {
        const dal_point at = point_of(t, i, sys, x, zero);
        st = dal_page_frame(job->page.page, &at);
    }
    free(x);
    free(zero);
    return st;
}

/* The curves of a run, from the tables: those without a column have no values. */
static dal_status add_curves(report_job *job)
{
    cli_html *h = &job->page;
    const dal_table_data *o = &job->outputs, *m = &job->monitor, *from[HTML_CURVES];
    int column[HTML_CURVES];
    double x[HTML_CURVES];
    DAL_TRY(html_curves(h, &job->model));
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
        DAL_TRY(html_values(h, x, clock->x[i]));
    }
    return DAL_OK;
}

/* What the run said at its end, and where it lies. */
static void say_summary(report_job *job)
{
    char text[300], *said = NULL;
    const dal_table_data *t = &job->state;
    snprintf(text, sizeof text, "  read from     %.200s\n  rows          %d\n  time          %.9g .. %.9g s\n",
             job->path, t->rows, t->rows > 0 ? t->x[0] : 0.0, t->rows > 0 ? t->x[t->rows - 1] : 0.0);
    html_summary(&job->page, text);
    if (dal_results_note(&said, job->ctx, job->path, "summary.txt") == DAL_OK) {
        html_summary(&job->page, said);
        dal_results_note_free(job->ctx, said);
    }
}

static int write_page(report_job *job, const char *to)
{
    const int code = html_open(&job->page, &job->model, NULL);
    if (code != CLI_OK) {
        return code;
    }
    say_summary(job);
    if (add_pictures(job) != DAL_OK || add_curves(job) != DAL_OK) {
        return cli_error(CLI_IO, "%s", dal_ctx_message(job->model.ctx));
    }
    return html_save(&job->page, to);
}

static int command(const cli_args *args)
{
    report_job job = {.path = args->positional[0]};
    const char *to = cli_value(args, "output");
    if (to == NULL) {
        return cli_usage("where to? -o FILE.html");
    }
    job.model.files_outside = cli_given(args, "allow-files-outside");
    int code = cli_check_files(args, 0);
    job.ctx = cli_context(NULL);
    code = code != CLI_OK ? code : load_model(&job);
    code = code != CLI_OK ? code : read_tables(&job);
    code = code != CLI_OK ? code : write_page(&job, to);
    if (code == CLI_OK) {
        cli_print("%s\n", to);
    }
    html_release(&job.page);
    dal_table_release(&job.state);
    dal_table_release(&job.outputs);
    dal_table_release(&job.monitor);
    model_release(&job.model);
    dal_ctx_destroy(job.ctx);
    return code;
}
