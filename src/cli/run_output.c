/* What a run writes: rows while it goes on, then names, checkpoint, picture, summary. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json.h"
#include "cli/run.h"
#include "cli/signals.h"

/* ---- while it goes on ------------------------------------------------------------------------- */

static dal_status watch(run_job *job, const dal_state *s)
{
    cli_monitor *mo = &job->monitor;
    const dal_stats stats = dal_sim_stats(job->sim);
    double *now = job->now;
    DAL_TRY(dal_sim_residuals(job->sim, &now[MONITOR_POSITION], &now[MONITOR_VELOCITY]));
    now[MONITOR_ENERGY] = NAN;
    if (job->model.sys->energy != NULL) {
        DAL_TRY(dal_sim_energy(job->sim, &now[MONITOR_ENERGY]));
    }
    now[MONITOR_H] = s->h;
    now[MONITOR_NEWTON] = (double)(stats.newton_iterations - job->newton_before);
    job->newton_before = stats.newton_iterations;
    mo->energy = now[MONITOR_ENERGY];
    mo->max_drift = fmax(mo->max_drift, fabs(mo->energy - mo->energy0));
    mo->max_position = fmax(mo->max_position, now[MONITOR_POSITION]);
    mo->max_velocity = fmax(mo->max_velocity, now[MONITOR_VELOCITY]);
    return DAL_OK;
}

static dal_status write_row(run_job *job, const dal_state *s)
{
    DAL_TRY(model_evaluate(&job->model, s));
    curves_add(&job->curves, &job->model, s, job->now);
    if (job->results == NULL) {
        return DAL_OK;
    }
    double *x = job->row;
    for (int k = 0; k < TABLE_COUNT; ++k) {
        for (int j = 0; job->chosen[k] && j < job->table[k].n; ++j) {
            *x++ = record_value(&job->table[k].item[j], &job->model, s, job->now);
        }
    }
    const dal_status st = dal_results_row(job->results, s->t, job->row);
    job->results_failed = st != DAL_OK;
    job->last_row = s->t;
    return st;
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

static int save(run_job *job)
{
    char buffer[4200];
    cli_monitor mo = job->monitor;
    const dal_state s = dal_sim_state(job->sim);
    if (model_evaluate(&job->model, &s) != DAL_OK) {
        return cli_error("run", CLI_INTEGRATION, "outputs: %s", dal_ctx_message(job->model.ctx));
    }
    mo.wall += cli_seconds() - job->started;
    job->checkpointed = cli_seconds();
    return checkpoint_write(checkpoint_path(job, buffer), &job->model, &job->args, &mo, job->sim);
}

/* After every step. */
static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    run_job *job = user;
    DAL_TRY(watch(job, s));
    DAL_TRY(model_integrate(&job->model, s));
    if (dal_sim_stats(sim).steps % job->every == 0 && (job->results != NULL || job->curves.row != NULL)) {
        DAL_TRY(write_row(job, s));
    }
    progress_show(&job->progress, sim);
    if (run_flag(job, "checkpoint") != NULL && cli_seconds() - job->checkpointed >= job->checkpoint_every &&
        save(job) != CLI_OK) {
        job->results_failed = 1;
        return dal_fail(job->model.ctx, DAL_EINVAL, "the checkpoint could not be written");
    }
    return signals_seen() != 0 ? DAL_RETRY : DAL_OK;
}

/* ---- before ----------------------------------------------------------------------------------- */

/* A text from a function that prints. */
static char *printed(void (*print)(const run_job *job, FILE *out), const run_job *job)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL) {
        return cli_copy("");
    }
    print(job, out);
    fclose(out);
    return text;
}

static void print_options(const run_job *job, FILE *out)
{
    cli_json j = cli_json_to(out);
    cli_json_options(&j, NULL, &job->model.opt);
    cli_json_end(&j);
}

static dal_status create_results(run_job *job, const dal_table *table, int n)
{
    char *options = printed(print_options, job);
    char version[64];
    snprintf(version, sizeof version, "dalembert %s", dal_version_string());
    const dal_note note[] = {{"model.json", job->model.text}, {"options.json", options}, {"version.txt", version}};
    const dal_results_spec spec = {.format = job->format,
                                   .path = job->path,
                                   .ntables = n,
                                   .table = table,
                                   .nnotes = CLI_LEN(note),
                                   .note = note,
                                   .append = job->saved.bytes != NULL,
                                   .append_after = dal_sim_state(job->sim).t};
    const dal_status st = dal_results_create(&job->results, job->model.ctx, &spec);
    free(options);
    return st;
}

static int open_results(run_job *job)
{
    dal_table table[TABLE_COUNT];
    const char **text[2 * TABLE_COUNT] = {0};
    int n = 0;
    for (int k = 0; k < TABLE_COUNT; ++k) {
        const cli_columns *c = &job->table[k];
        if (!job->chosen[k]) {
            continue;
        }
        const char **name = cli_alloc((size_t)c->n, sizeof *name), **unit = cli_alloc((size_t)c->n, sizeof *unit);
        for (int j = 0; j < c->n; ++j) {
            name[j] = c->item[j].name;
            unit[j] = c->item[j].unit;
        }
        table[n] = (dal_table){cli_table_name[k], c->n, name, unit};
        text[2 * n] = name;
        text[2 * n + 1] = unit;
        ++n;
    }
    const dal_status st = create_results(job, table, n);
    for (int k = 0; k < 2 * n; ++k) {
        free(text[k]);
    }
    return st == DAL_OK ? CLI_OK : cli_error("run", CLI_IO, "%s", dal_ctx_message(job->model.ctx));
}

static int prepare_tables(run_job *job)
{
    const int code = record_tables(job->chosen, &job->model, "run", run_flag(job, "tables"));
    if (code != CLI_OK) {
        return code;
    }
    if (!job->quiet && run_flag(job, "tables") == NULL && job->model.nbodies > RECORD_BODIES) {
        cli_say("note: %d bodies: only the tables of outputs and monitor are written (more: --tables bodies,state)",
                job->model.nbodies);
    }
    for (int k = 0; k < TABLE_COUNT; ++k) {
        if (job->chosen[k]) {
            job->table[k] = record_columns(&job->model, (cli_table)k);
            job->width += job->table[k].n;
        }
    }
    if (job->width == 0) {
        return cli_usage("run", "--tables: this model has none of these tables");
    }
    job->row = cli_alloc((size_t)job->width, sizeof *job->row);
    return open_results(job);
}

int run_prepare(run_job *job)
{
    int code = CLI_OK;
    if (job->plot != NULL) {
        code = curves_choose(&job->curves, &job->model, "run", run_flag(job, "plot-outputs"));
    }
    if (code == CLI_OK && job->path[0] != '\0') {
        code = prepare_tables(job);
    }
    if (code != CLI_OK) {
        return code;
    }
    job->started = job->checkpointed = cli_seconds();
    job->newton_before = dal_sim_stats(job->sim).newton_iterations;
    const dal_state s = dal_sim_state(job->sim);
    dal_status st = model_integrate_from(&job->model, &s);
    if (st == DAL_OK && job->saved.bytes == NULL) {
        job->monitor.t0 = s.t;
        job->monitor.energy0 = NAN;
        if (job->model.sys->energy != NULL) {
            st = dal_sim_energy(job->sim, &job->monitor.energy0);
        }
        st = st != DAL_OK ? st : observe(job->sim, &s, job);
    }
    st = st < 0 ? st : dal_sim_observe(job->sim, observe, job);
    if (st < 0) {
        return cli_error("run", job->results_failed ? CLI_IO : CLI_INTEGRATION, "%s", dal_ctx_message(job->model.ctx));
    }
    return CLI_OK;
}

/* ---- after ------------------------------------------------------------------------------------ */

static int close_results(run_job *job)
{
    const dal_state s = dal_sim_state(job->sim);
    dal_status st = DAL_OK;
    // the end is always there; a run that will be resumed writes the rows of one that was not interrupted
    if (s.t > job->last_row && job->stopped_by == 0 && job->every > 1) {
        st = write_row(job, &s);
    }
    char *text = printed(run_document, job);
    const dal_note note = {"statistics.json", text};
    if (st == DAL_OK) {
        st = dal_results_close(job->results, &note, 1);
    }
    free(text);
    return st == DAL_OK ? CLI_OK : cli_error("run", CLI_IO, "%s", dal_ctx_message(job->model.ctx));
}

int run_finish(run_job *job)
{
    int code = CLI_OK;
    const dal_state s = dal_sim_state(job->sim);
    if (job->results_failed) {
        code = cli_error("run", CLI_IO, "%s", job->failure != NULL ? job->failure : "writing failed");
        cli_say("The run stopped at t = %.9g s; rows written before are in the .part files of '%s'.", s.t, job->path);
        return code;
    }
    if (model_evaluate(&job->model, &s) != DAL_OK) {
        cli_say("warning: outputs: %s", dal_ctx_message(job->model.ctx));
    }
    if (job->results != NULL) {
        code = close_results(job);
    }
    if (run_flag(job, "checkpoint") != NULL || job->stopped_by != 0) {
        const int saved = save(job);
        code = code != CLI_OK ? code : saved;
    }
    if (job->plot != NULL && job->curves.rows > 0) {
        char title[300];
        const char *text = dal_document_title(job->model.doc);
        snprintf(title, sizeof title, "%.290s", text != NULL && text[0] != '\0' ? text : job->model.name);
        const int plotted = plot_curves(&job->curves, "run", job->plot, title);
        code = code != CLI_OK ? code : plotted;
    }
    if (job->json) {
        run_document(job, stdout);
    } else if (!job->quiet) {
        run_summary(job);
    }
    return code;
}

/* A word of a command line, in quotes where a shell would not take it as it stands. */
static void say_word(const char *word)
{
    if (strpbrk(word, " \t\n'\"\\$*?&|;<>()[]{}~`!#") == NULL && word[0] != '\0') {
        fprintf(stderr, " %s", word);
        return;
    }
    fputs(" '", stderr);
    for (; *word; ++word) {
        fprintf(stderr, *word == '\'' ? "'\\''" : "%c", *word);
    }
    fputc('\'', stderr);
}

void run_tell_resume(run_job *job)
{
    static const char *const repeated[] = {"output", "format", "tables", "every", "plot", "plot-outputs", "checkpoint"};
    char buffer[4200];
    fputs("To go on: dalembert run", stderr);
    say_word(job->args.positional[0]);
    fputs(" --resume", stderr);
    say_word(checkpoint_path(job, buffer));
    for (int i = 0; i < CLI_LEN(repeated); ++i) {
        const char *value = run_flag(job, repeated[i]);
        if (value != NULL) {
            fprintf(stderr, " --%s", repeated[i]);
            say_word(value);
        }
    }
    fputc('\n', stderr);
}

void run_release(run_job *job)
{
    dal_results_destroy(job->results);
    dal_sim_destroy(job->sim);
    for (int k = 0; k < TABLE_COUNT; ++k) {
        record_columns_release(&job->table[k]);
    }
    curves_release(&job->curves);
    checkpoint_release(&job->saved);
    free(job->row);
    free(job->failure);
    model_release(&job->model);
}
