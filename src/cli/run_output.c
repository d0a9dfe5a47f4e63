/* What a run gives: the recorder, then names, checkpoint, picture, summary. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "cli/signals.h"

/* ---- while it goes on ------------------------------------------------------------------------- */

/* Rows go to the picture and to the page as well. */
static dal_status draw_row(const dal_record_row *row, void *user)
{
    run_job *job = user;
    job->model.values = row->x;
    if (job->plot != NULL) {
        curves_add(&job->curves, row);
    }
    return job->html != NULL ? html_row(&job->page, row) : DAL_OK;
}

static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    run_job *job = user;
    (void)s;
    progress_show(&job->progress, sim);
    return signals_seen() != 0 ? DAL_RETRY : DAL_OK;
}

static const char *checkpoint_path(const run_job *job, char buffer[4200])
{
    const char *given = run_flag(job, "checkpoint");
    if (given != NULL) {
        return given;
    }
    if (job->path[0] != '\0') {
        snprintf(buffer, 4200, job->format == DAL_RESULTS_CSV ? "%s/checkpoint" : "%s.checkpoint", job->path);
    } else {
        snprintf(buffer, 4200, "%.200s.checkpoint", job->model.name);
        for (char *s = buffer; *s; ++s) {
            *s = *s == '/' ? '_' : *s;
        }
    }
    return buffer;
}

/* ---- before ----------------------------------------------------------------------------------- */

static char *options_text(const run_job *job)
{
    cli_answer *a = answer_create();
    answer_options(a, NULL, &job->model.opt);
    char *text = answer_string(a, NULL);
    answer_release(a);
    return text;
}

/* What --set, --h and --t-end said, one a line: with the model file it is the model that was run. */
static char *assignments_text(const run_job *job)
{
    static const char head[] = "# given on the command line\n";
    size_t size = sizeof head;
    for (int i = 0; i < job->nset; ++i) {
        size += strlen(job->set[i]) + 1;
    }
    char *text = cli_alloc(size, 1);
    cli_append(text, size, "%s", head);
    for (int i = 0; i < job->nset; ++i) {
        cli_append(text, size, "%s\n", job->set[i]);
    }
    return text;
}

/* One CSV file holds one table: the one named, or the first that the model has. */
static int only_one(run_job *job)
{
    int n = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        n += job->chosen[k];
        job->chosen[k] = job->chosen[k] && n == 1;
    }
    return n == 1 || run_flag(job, "tables") == NULL
               ? CLI_OK
               : cli_usage("'%s' holds one table: choose one by --tables NAME, or a folder for several: -o FOLDER",
                           job->path);
}

static int choose_tables(run_job *job, unsigned *tables)
{
    if (record_tables(job->chosen, &job->model, job->args) == 0) {
        return cli_usage("--tables: this model has none of these tables");
    }
    if (job->format == DAL_RESULTS_CSV_FILE && only_one(job) != CLI_OK) {
        return CLI_USAGE;
    }
    if (!job->quiet && run_flag(job, "tables") == NULL && job->model.nbodies > RECORD_BODIES) {
        cli_say("note: %d bodies: only the tables of outputs and monitor are written (more: --tables bodies,state)",
                job->model.nbodies);
    }
    *tables = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        *tables |= job->chosen[k] ? 1u << k : 0u;
    }
    return CLI_OK;
}

/* Exit code of a failure: files, memory and disk, or the model. */
static int failure_code(const run_job *job)
{
    const dal_status st = dal_ctx_status(job->model.ctx);
    return st == DAL_EIO ? CLI_IO : st == DAL_EINVAL ? CLI_USAGE : CLI_INTEGRATION;
}

int run_prepare(run_job *job)
{
    unsigned tables = 0;
    int code = CLI_OK;
    if (job->plot != NULL) {
        code = curves_choose(&job->curves, &job->model, run_flag(job, "plot-outputs"));
    }
    if (code == CLI_OK && job->path[0] != '\0') {
        code = choose_tables(job, &tables);
    }
    code = code == CLI_OK ? run_check_rows(job) : code;
    if (code == CLI_OK && job->html != NULL) {
        code = html_open(&job->page, &job->model, job->sim);
    }
    if (code != CLI_OK) {
        return code;
    }
    char *options = options_text(job), *set = assignments_text(job);
    char version[64];
    snprintf(version, sizeof version, "dalembert %s", dal_version_string());
    const dal_note note[] = {
        {"model.json", job->model.text}, {"options.json", options}, {"assignments.txt", set}, {"version.txt", version}};
    const dal_recorder_spec spec = {
        .channels = job->model.channels,
        .sim = job->sim,
        .path = job->path[0] != '\0' ? job->path : NULL,
        .format = job->format,
        .tables = tables,
        .nnotes = CLI_LEN(note),
        .note = note,
        .every = job->sampling.every > 0.0 || job->times != NULL ? -1 : cli_whole(job->args, "every"),
        // without files, a summary and a checkpoint nobody sees the monitor
        .unwatched = job->quiet && !job->json && run_flag(job, "checkpoint") == NULL,
        .row = job->plot != NULL || job->html != NULL ? draw_row : NULL,
        .user = job,
        .checkpoint = run_flag(job, "checkpoint"),
        .checkpoint_seconds = cli_real(job->args, "checkpoint-every"),
        .belongs = job->model.text,
        .nset = job->nset,
        .set = job->set,
        .resume = job->saved};
    dal_status st = dal_recorder_create(&job->recorder, job->model.ctx, &spec);
    free(options);
    free(set);
    st = st != DAL_OK ? st : run_sample(job);
    st = st != DAL_OK ? st : dal_sim_observe(job->sim, observe, job);
    return st == DAL_OK ? CLI_OK : cli_error(failure_code(job), "%s", dal_ctx_message(job->model.ctx));
}

/* ---- after ------------------------------------------------------------------------------------ */

static int close_results(run_job *job)
{
    cli_answer *a = run_answer(job);
    char *text = answer_string(a, NULL), *summary = answer_string(a, "run");
    const dal_note note[] = {{"statistics.json", text}, {"summary.txt", summary}};
    const dal_status st = dal_recorder_close(job->recorder, job->stopped_by != 0, note, CLI_LEN(note));
    free(text);
    free(summary);
    answer_release(a);
    job->results_failed = st != DAL_OK;
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(job->model.ctx));
}

static int save(run_job *job)
{
    char buffer[4200];
    return dal_recorder_checkpoint(job->recorder, checkpoint_path(job, buffer)) == DAL_OK
               ? CLI_OK
               : cli_error(CLI_IO, "%s", dal_ctx_message(job->model.ctx));
}

/* The page, with the lines of the summary. */
static int write_page(run_job *job)
{
    cli_answer *a = run_answer(job);
    char *text = answer_string(a, "run");
    if (job->failure != NULL) {
        html_warn(&job->page, job->failure);
    }
    html_summary(&job->page, text);
    html_events(&job->page, job->sim);
    free(text);
    answer_release(a);
    const int code = html_save(&job->page, job->html);
    job->shown = code == CLI_OK;
    return code;
}

static int draw(run_job *job)
{
    char title[300];
    const char *text = dal_document_title(job->model.doc);
    snprintf(title, sizeof title, "%.290s", text != NULL && text[0] != '\0' ? text : job->model.name);
    const int code = plot_curves(&job->curves, job->plot, title);
    job->drawn = code == CLI_OK;
    return code;
}

int run_finish(run_job *job)
{
    int code = CLI_OK;
    const dal_state s = dal_sim_state(job->sim);
    if (job->results_failed) {
        code = cli_error(CLI_IO, "%s", job->failure != NULL ? job->failure : "writing failed");
        cli_say("The run stopped at t = %.9g s; rows written before are in the .part files of '%s'.", s.t, job->path);
        return code;
    }
    if (dal_recorder_evaluate(job->recorder, &job->model.values) != DAL_OK) {
        cli_say("warning: outputs: %s", dal_ctx_message(job->model.ctx));
    }
    if (job->path[0] != '\0') {
        code = close_results(job);
    }
    if (run_flag(job, "checkpoint") != NULL || job->stopped_by != 0) {
        const int saved = save(job);
        code = code != CLI_OK ? code : saved;
    }
    if (job->plot != NULL && job->curves.nstretches > 0) {
        const int plotted = draw(job);
        code = code != CLI_OK ? code : plotted;
    }
    if (job->html != NULL) {
        const int written = write_page(job);
        code = code != CLI_OK ? code : written;
    }
    if (job->json || !job->quiet) {
        cli_answer *a = run_answer(job);
        answer_tell(a, job->args, 0);
        answer_release(a);
    }
    return code;
}

void run_tell_resume(run_job *job)
{
    static const char *const repeated[] = {
        "output",         "format",       "tables", "every",      "output-every",     "output-at",
        "plot",           "plot-outputs", "html",   "checkpoint", "checkpoint-every", "allow-files-outside",
        "allow-many-rows"};
    char buffer[4200], text[20000] = "To go on: dalembert run";
    cli_append_word(text, sizeof text, job->args->positional[0]);
    cli_append(text, sizeof text, " --resume");
    cli_append_word(text, sizeof text, checkpoint_path(job, buffer));
    for (int i = 0; i < CLI_LEN(repeated); ++i) {
        const char *value = run_flag(job, repeated[i]);
        if (value != NULL) {
            cli_append(text, sizeof text, " --%s", repeated[i]);
            if (value[0] != '\0') { // some take none
                cli_append_word(text, sizeof text, value);
            }
        }
    }
    cli_say("%s", text);
}

void run_release(run_job *job)
{
    dal_recorder_destroy(job->recorder);
    dal_sim_destroy(job->sim);
    dal_checkpoint_destroy(job->saved);
    dal_ctx_destroy(job->resume_ctx);
    curves_release(&job->curves);
    html_release(&job->page);
    free(job->failure);
    free(job->times);
    model_release(&job->model);
}
