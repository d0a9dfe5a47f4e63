/* What a run gives: the recorder, then names, checkpoint, picture, summary. */
#include "cli/run.h"
#include "cli/signals.h"

CLI_OWNS(dal_recorder)

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

static const char *checkpoint_path(const run_job *job)
{
    const char *given = run_flag(job, "checkpoint");
    if (given != NULL || job->path[0] != '\0') {
        return given != NULL ? given
                             : cli_text(job->format == DAL_RESULTS_CSV ? "%s/checkpoint" : "%s.checkpoint", job->path);
    }
    char *path = cli_text("%.200s.checkpoint", job->model.name);
    for (char *s = path; *s; ++s) {
        *s = *s == '/' ? '_' : *s;
    }
    return path;
}

/* ---- before ----------------------------------------------------------------------------------- */

static char *options_text(const run_job *job)
{
    cli_answer *a = answer_create();
    answer_options(a, NULL, &job->model.opt);
    return answer_string(a, NULL);
}

/* What --set, --h and --t-end said, one a line: with the model file it is the model that was run. */
static char *assignments_text(const run_job *job)
{
    cli_string text = {0};
    cli_add(&text, "# given on the command line\n");
    for (int i = 0; i < job->nset; ++i) {
        cli_add(&text, "%s\n", job->set[i]);
    }
    return text.text;
}

/* One CSV file holds one table: the one named, or the first that the model has. */
static void only_one(run_job *job)
{
    int n = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        n += job->chosen[k];
        job->chosen[k] = job->chosen[k] && n == 1;
    }
    if (n != 1 && run_flag(job, "tables") != NULL) {
        cli_usage("'%s' holds one table: choose one by --tables NAME, or a folder for several: -o FOLDER", job->path);
    }
}

static unsigned choose_tables(run_job *job)
{
    unsigned tables = 0;
    if (job->path[0] == '\0') {
        return 0;
    }
    if (record_tables(job->chosen, &job->model, job->args) == 0) {
        cli_usage("--tables: this model has none of these tables");
    }
    if (job->format == DAL_RESULTS_CSV_FILE) {
        only_one(job);
    }
    if (!job->quiet && run_flag(job, "tables") == NULL && job->model.nbodies > RECORD_BODIES) {
        cli_say("note: %d bodies: only the tables of outputs and monitor are written (more: --tables bodies,state)",
                job->model.nbodies);
    }
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        tables |= job->chosen[k] ? 1u << k : 0u;
    }
    return tables;
}

/* Files, memory and disk, or the model. */
static void ensure(const run_job *job, dal_status st)
{
    cli_try(job->model.ctx, st, st == DAL_EIO ? CLI_IO : st == DAL_EINVAL ? CLI_USAGE : CLI_INTEGRATION);
}

void run_prepare(run_job *job)
{
    if (job->plot != NULL) {
        curves_choose(&job->curves, &job->model, run_flag(job, "plot-outputs"));
    }
    const unsigned tables = choose_tables(job);
    run_check_rows(job);
    if (job->html != NULL) {
        html_open(&job->page, &job->model, job->sim);
    }
    const dal_note note[] = {{"model.json", job->model.text},
                             {"options.json", options_text(job)},
                             {"assignments.txt", assignments_text(job)},
                             {"version.txt", cli_text("dalembert %s", dal_version_string())}};
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
    ensure(job, dal_recorder_create(&job->recorder, job->model.ctx, &spec));
    CLI_OWN(dal_recorder, job->recorder);
    ensure(job, run_sample(job));
    ensure(job, dal_sim_observe(job->sim, observe, job));
}

/* ---- after ------------------------------------------------------------------------------------ */

static void close_results(void *user)
{
    run_job *job = user;
    const cli_answer *a = run_answer(job);
    const dal_note note[] = {{"statistics.json", answer_string(a, NULL)}, {"summary.txt", answer_string(a, "run")}};
    const dal_status st = dal_recorder_close(job->recorder, job->stopped_by != 0, note, CLI_LEN(note));
    job->results_failed = st != DAL_OK;
    cli_try(job->model.ctx, st, CLI_IO);
}

static void save(void *user)
{
    const run_job *job = user;
    cli_try(job->model.ctx, dal_recorder_checkpoint(job->recorder, checkpoint_path(job)), CLI_IO);
}

/* The page, with the lines of the summary. */
static void write_page(void *user)
{
    run_job *job = user;
    if (job->failure != NULL) {
        html_warn(&job->page, job->failure);
    }
    html_summary(&job->page, answer_string(run_answer(job), "run"));
    html_events(&job->page, job->sim);
    html_save(&job->page, job->html);
    job->shown = 1;
}

static void draw(void *user)
{
    run_job *job = user;
    const char *title = dal_document_title(job->model.doc);
    plot_curves(&job->curves, job->plot,
                cli_text("%.290s", title != NULL && title[0] != '\0' ? title : job->model.name));
    job->drawn = 1;
}

int run_finish(run_job *job)
{
    if (job->results_failed) {
        const int code = cli_error(CLI_IO, "%s", job->failure != NULL ? job->failure : "writing failed");
        cli_say("The run stopped at t = %.9g s; rows written before are in the .part files of '%s'.",
                dal_sim_state(job->sim).t, job->path);
        return code;
    }
    if (dal_recorder_evaluate(job->recorder, &job->model.values) != DAL_OK) {
        cli_say("warning: outputs: %s", dal_ctx_message(job->model.ctx));
    }
    // one that fails does not keep the others from being made
    void (*const part[])(void *) = {close_results, save, draw, write_page};
    const int wanted[] = {job->path[0] != '\0', run_flag(job, "checkpoint") != NULL || job->stopped_by != 0,
                          job->plot != NULL && job->curves.nstretches > 0, job->html != NULL};
    int code = CLI_OK;
    for (int k = 0; k < CLI_LEN(part); ++k) {
        const int done = wanted[k] ? cli_guard(part[k], job, 0) : CLI_OK;
        code = code != CLI_OK ? code : done;
    }
    if (job->json || !job->quiet) {
        answer_tell(run_answer(job), job->args, NULL);
    }
    return code;
}

void run_tell_resume(run_job *job)
{
    static const char *const repeated[] = {
        "output",         "format",       "tables", "every",      "output-every",     "output-at",
        "plot",           "plot-outputs", "html",   "checkpoint", "checkpoint-every", "allow-files-outside",
        "allow-many-rows"};
    cli_string text = {0};
    cli_add(&text, "To go on: dalembert run");
    cli_add_word(&text, job->args->positional[0]);
    cli_add(&text, " --resume");
    cli_add_word(&text, checkpoint_path(job));
    for (int i = 0; i < CLI_LEN(repeated); ++i) {
        const char *value = run_flag(job, repeated[i]);
        if (value != NULL) {
            cli_add(&text, " --%s", repeated[i]);
            if (value[0] != '\0') { // some take none
                cli_add_word(&text, value);
            }
        }
    }
    cli_say("%s", text.text);
}
