/* dalembert sweep: the same model many times. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"
#include "cli/signals.h"
#include "cli/sweep.h"

CLI_OWNS(dal_sweep)
CLI_OWNS(dal_sweep_section)

const char *sweep_flag(const sweep_job *job, const char *flag)
{
    return cli_value(job->args, flag);
}

void sweep_try(const sweep_job *job, dal_status st)
{
    cli_try(job->ctx, st,
            st == DAL_EOPTION  ? CLI_USAGE
            : st == DAL_EIO    ? CLI_IO
            : st == DAL_ENOMEM ? CLI_INTEGRATION
                               : CLI_MODEL);
}

/* ---- progress --------------------------------------------------------------------------------- */

static dal_status progress(const dal_sweep_progress *p, void *user)
{
    sweep_job *job = user;
    if (progress_due(&job->progress)) {
        char text[200] = "";
        cli_append(text, sizeof text, "%ld/%ld  %.4g/s", p->done, p->todo,
                   (double)(p->done - p->before) / (job->progress.shown - job->progress.start));
        if (p->failed > 0) {
            cli_append(text, sizeof text, "  %ld failed", p->failed);
        }
        progress_bar(&job->progress, p->todo > 0 ? (double)p->done / (double)p->todo : 1.0, text);
    }
    return signals_seen() != 0 ? DAL_RETRY : DAL_OK;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static int stopped(const sweep_job *job)
{
    const long done = dal_sweep_count(job->sweep, 0) + dal_sweep_count(job->sweep, 1);
    const int number = signals_seen();
    if (job->output != NULL) {
        cli_say("%ld of %ld members are done and kept in '%s'; the same command with --resume continues.", done,
                dal_sweep_members(job->sweep), job->journal);
    }
    return number != 0 ? CLI_SIGNAL + number : cli_error(CLI_INTEGRATION, "stopped at the first member that failed");
}

static int run(sweep_job *job)
{
    progress_start(&job->progress, job->quiet || sweep_rank != 0, NULL, 0.0);
    job->options.progress = progress;
    job->options.user = job;
    signals_watch();
    const dal_status st = sweep_engine != NULL ? sweep_engine(job) : dal_sweep_run(job->sweep, &job->options);
    job->wall = cli_seconds() - job->progress.start;
    progress_clear(&job->progress);
    if (sweep_rank != 0) {
        return CLI_OK;
    }
    if (st != DAL_RETRY) {
        sweep_try(job, st);
    }
    if (st == DAL_OK && job->output != NULL && job->options.nshards == 0) {
        sweep_try(job, dal_sweep_save(job->sweep, job->output, job->partial));
    }
    sweep_report(job);
    if (sweep_flag(job, "results") != NULL) {
        sweep_write_driver(job, sweep_flag(job, "results"));
    }
    const long failed = dal_sweep_count(job->sweep, 1);
    return st == DAL_RETRY ? stopped(job)
           : failed > 0    ? cli_error(CLI_CHECK, "%ld of %ld members failed", failed, dal_sweep_members(job->sweep))
                           : CLI_OK;
}

/* Flags that a search needs, or has no use for. */
static void check_search(const sweep_job *job)
{
    const char *search = sweep_flag(job, "optimize") != NULL ? "optimize" : "fit";
    const sweep_choice choice = sweep_read_backend(job);
    if (sweep_flag(job, search) == NULL) {
        return;
    }
    if (choice.backend != DAL_SWEEP_INTERPRETED && choice.backend != DAL_SWEEP_BACKEND_AUTO) {
        cli_usage("--%s runs one member after the other: it goes with --backend interpreted", search);
    }
    if (sweep_flag(job, "output") != NULL) {
        cli_usage("--%s writes no file of results: drop -o and use --json", search);
    }
}

static int perform(sweep_job *job)
{
    if (job->args->npositional == 0) {
        cli_usage("MODEL is missing (usage: dalembert sweep MODEL)");
    }
    if (job->args->npositional > 1) {
        cli_usage("'%s' is one argument too many", job->args->positional[1]);
    }
    check_search(job);
    sweep_become_mpi(job);
    sweep_read(job);
    cli_check_files(job->args, 0);
    // errors of the model are reported as by the other commands; a mechanism may be open for its own numbers
    cli_model *model = cli_alloc(1, sizeof *model);
    *model = (cli_model){.files_outside = job->spec.files_outside, .may_be_open = 1};
    model_load(model, job->spec.source, job->spec.set, job->spec.nset);
    if (sweep_flag(job, "optimize") != NULL || sweep_flag(job, "fit") != NULL) {
        return sweep_search(job);
    }
    sweep_try(job, dal_sweep_section_read(&job->section, job->ctx, &job->spec));
    CLI_OWN(dal_sweep_section, job->section);
    sweep_try(job, dal_sweep_create(&job->sweep, job->ctx, &job->spec));
    CLI_OWN(dal_sweep, job->sweep);
    return run(job);
}

/* ---- shards ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files FILE.shard-I-of-N beside FILE. */
static int find_shards(const sweep_job *job, const char **list, int most)
{
    char folder[SWEEP_PATH], start[SWEEP_PATH];
    const char *slash = strrchr(job->output, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - job->output) + 1 : 2,
             slash != NULL ? job->output : "./");
    snprintf(start, sizeof start, "%.3500s.shard-", slash != NULL ? slash + 1 : job->output);
    int n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d != NULL && n < most && (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, start, strlen(start)) == 0) {
            list[n++] = cli_text("%s%s", slash != NULL ? folder : "", e->d_name);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    return n;
}

static int merge(sweep_job *job)
{
    const char *list[1000];
    int n = job->args->npositional;
    job->output = sweep_flag(job, "output");
    job->partial = sweep_flag(job, "partial") != NULL;
    for (int k = 0; k < n; ++k) {
        list[k] = job->args->positional[k];
    }
    n = n > 0 ? n : find_shards(job, list, 1000);
    if (n == 0) {
        cli_fail(CLI_IO, "there are no files '%s.shard-I-of-N'", job->output);
    }
    sweep_try(job, dal_sweep_open(&job->sweep, job->ctx, list, n));
    CLI_OWN(dal_sweep, job->sweep);
    const dal_status st = dal_sweep_save(job->sweep, job->output, job->partial);
    cli_try(job->ctx, st, st == DAL_EINVAL ? CLI_CHECK : CLI_IO);
    job->spec.source = dal_sweep_source(job->sweep);
    sweep_report(job);
    return CLI_OK;
}

static int command(const cli_args *args)
{
    sweep_job *job = cli_alloc(1, sizeof *job);
    *job =
        (sweep_job){.args = args, .ctx = cli_ctx(), .quiet = cli_given(args, "quiet"), .json = cli_given(args, "json")};
    return cli_given(args, "merge") ? merge(job) : perform(job);
}

const cli_command cli_sweep = {.name = "sweep", .run = command};
