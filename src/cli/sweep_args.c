/* Arguments of 'dalembert sweep'. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep.h"

void sweep_add_parameter(sweep_job *job, const char *name, const char *what)
{
    if (job->spec.nparameters == SWEEP_COLUMNS) {
        cli_usage("at most %d parameters", SWEEP_COLUMNS);
    }
    job->parameter[job->spec.nparameters++] = cli_text("%s%s", name, what);
    job->spec.parameter = job->parameter;
}

static void read_lists(sweep_job *job)
{
    job->spec.ncollect = cli_pieces(job->args, "collect", job->collect, SWEEP_TEXTS);
    job->spec.ntrajectories = cli_pieces(job->args, "trajectory", job->trajectory, SWEEP_TEXTS);
    job->spec.collect = job->collect;
    job->spec.trajectory = job->trajectory;
}

/* --vary and --random in the order in which they were given. */
static void read_parameters(sweep_job *job)
{
    for (int i = 0; i < job->args->ngiven; ++i) {
        const char *name = job->args->command->flag[job->args->given[i].flag].name, *text = job->args->given[i].value;
        const int vary = strcmp(name, "vary") == 0, random = strcmp(name, "random") == 0;
        if (!vary && !random) {
            continue;
        }
        const char *equals = strchr(text, '=');
        if (equals == NULL) {
            cli_usage("--%s takes NAME=%s, not '%s'", name, vary ? "A:B:N" : "normal(m,s)", text);
        }
        const int levels = strchr(equals, '(') == NULL || strchr(equals, ':') != NULL;
        if (vary != levels) {
            cli_usage("--%s %s: %s", name, text,
                      vary ? "levels are expected (A:B:N, log:A:B:N or A,B,...); a distribution goes with --random"
                           : "a distribution is expected; levels go with --vary");
        }
        sweep_add_parameter(job, text, "");
    }
}

/* "0:1:101" or "0,0.5,1". */
static void read_times(sweep_job *job, const char *text)
{
    double x[3];
    char one[64];
    int good = 1, n = strchr(text, ':') != NULL && cli_range(x, text) == 3 && x[2] <= 1e6 ? (int)x[2] : 0;
    if (strchr(text, ':') != NULL) {
        good = n >= 2 && n == x[2] && x[0] >= 0.0 && x[0] < x[1];
    }
    job->times = cli_alloc(strlen(text) + (size_t)n + 1, sizeof *job->times);
    for (int k = 0; k < n && good; ++k) {
        job->times[k] = k < n - 1 ? x[0] + (x[1] - x[0]) * k / (n - 1) : x[1];
    }
    for (const char *list = text; n == 0 && good && cli_word(&list, one, sizeof one);) {
        good = cli_number(&job->times[job->spec.ntimes++], one);
    }
    job->spec.ntimes += n;
    job->spec.times = job->times;
    if (!good) {
        cli_usage("--times %s: FROM:TO:NUMBER, or times between commas", text);
    }
}

/* One word of --backend: is it one, and the first of its kind? */
static int read_backend_word(sweep_choice *c, const char *word)
{
    for (int k = 0; k <= DAL_SWEEP_BACKEND_AUTO; ++k) {
        if (strcmp(dal_sweep_backend_name((dal_sweep_backend)k), word) == 0) {
            const int first = !c->given;
            c->given = 1;
            c->backend = (dal_sweep_backend)k;
            return first;
        }
    }
    const int threads = strcmp(word, "threads") == 0, mpi = strcmp(word, "mpi") == 0, first = !c->threads && !c->mpi;
    c->threads |= threads;
    c->mpi |= mpi;
    return (threads || mpi) && first;
}

sweep_choice sweep_read_backend(const sweep_job *job)
{
    sweep_choice choice = {.backend = DAL_SWEEP_INTERPRETED};
    const char *text;
    for (int k = 0; (text = cli_value_at(job->args, "backend", k)) != NULL; ++k) {
        char word[32];
        for (const char *list = text; cli_word(&list, word, sizeof word);) {
            if (!read_backend_word(&choice, word)) {
                cli_usage("--backend is interpreted, lanes, cuda or auto, and threads or mpi, with a comma between "
                          "two of them, not '%s'",
                          text);
            }
        }
    }
    return choice;
}

static void read_seed(sweep_job *job)
{
    const char *text = sweep_flag(job, "seed");
    char *end;
    if (text != NULL) {
        errno = 0;
        job->spec.seed = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
            cli_usage("--seed %s: a whole number from 0 to 18446744073709551615 is expected", text);
        }
    }
}

static void read_shard(sweep_job *job)
{
    const char *shard = sweep_flag(job, "shard"), *slash = shard != NULL ? strchr(shard, '/') : NULL;
    if (shard != NULL &&
        (slash == NULL || !cli_integer(&job->options.nshards, slash + 1, 1, 1000000) ||
         !cli_integer(&job->options.shard, cli_text("%.*s", (int)(slash - shard), shard), 1, job->options.nshards))) {
        cli_usage("--shard %s: I/N with 1 <= I <= N is expected", shard);
    }
}

/* Where results go, and what is kept beside them meanwhile. */
static void read_output(sweep_job *job)
{
    job->output = sweep_flag(job, "output");
    if (job->output == NULL) {
        return;
    }
    cli_make_folder_of(job->output);
    if (job->options.nshards > 0) {
        snprintf(job->journal, SWEEP_PATH, "%s.shard-%d-of-%d", job->output, job->options.shard, job->options.nshards);
    } else {
        snprintf(job->journal, SWEEP_PATH, "%s.journal", job->output);
    }
    job->options.journal = job->journal;
    // more samples than it has, or none to do; a CSV file beside a journal is to be replaced
    if (job->options.resume && job->options.nshards == 0 && access(job->output, F_OK) == 0 &&
        !(cli_ends_with(job->output, ".csv") && access(job->journal, F_OK) == 0)) {
        job->options.finished = job->output;
    }
}

void sweep_read(sweep_job *job)
{
    const cli_args *args = job->args;
    const char *rows = sweep_flag(job, "rows"), *times = sweep_flag(job, "times"), *params = sweep_flag(job, "params");
    job->spec.source = args->positional[0];
    job->spec.set = args->set;
    job->spec.nset = args->nset;
    job->spec.files_outside = cli_given(args, "allow-files-outside");
    job->spec.backend = sweep_read_backend(job).backend;
    job->spec.samples = cli_whole(args, "samples");
    job->spec.design = cli_given(args, "design") ? (dal_sweep_design)(cli_whole(args, "design") + 1) : DAL_SWEEP_AUTO;
    job->options.jobs = cli_whole(args, "jobs");
    job->options.resume = cli_given(args, "resume");
    job->options.fail_fast = cli_given(args, "fail-fast");
    read_parameters(job);
    read_lists(job);
    read_shard(job);
    read_seed(job);
    if (times != NULL) {
        read_times(job, times);
    }
    if (rows != NULL) {
        sweep_read_rows(job, rows);
    }
    if (params != NULL) {
        sweep_read_driver(job, params);
    }
    read_output(job);
}
