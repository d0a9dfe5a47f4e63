/* Arguments of 'dalembert sweep'. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep.h"

struct sweep_copy {
    struct sweep_copy *next;
    char text[];
};

char *sweep_keep(sweep_job *job, const char *text, size_t n)
{
    struct sweep_copy *copy = cli_alloc(1, sizeof *copy + n + 1);
    strncpy(copy->text, text, n);
    copy->next = job->copies;
    job->copies = copy;
    return copy->text;
}

void sweep_release_copies(sweep_job *job)
{
    for (struct sweep_copy *copy = job->copies, *next; copy != NULL; copy = next) {
        next = copy->next;
        free(copy);
    }
}

int sweep_add_parameter(sweep_job *job, const char *name, const char *what)
{
    const size_t n = strlen(name);
    if (job->spec.nparameters == SWEEP_COLUMNS) {
        return cli_usage("at most %d parameters", SWEEP_COLUMNS);
    }
    char *text = sweep_keep(job, name, n + strlen(what));
    memcpy(text + n, what, strlen(what) + 1);
    job->parameter[job->spec.nparameters++] = text;
    job->spec.parameter = job->parameter;
    return CLI_OK;
}

/* Pieces between commas, not looking into parentheses and quotes. */
static int split(sweep_job *job, const char *text, const char **to, int *n, const char *flag)
{
    int depth = 0, quoted = 0;
    const char *begin = text;
    for (const char *c = text;; ++c) {
        quoted ^= *c == '"';
        depth += *c == '(';
        depth -= *c == ')';
        if (*c == '\0' || (*c == ',' && depth == 0 && !quoted)) {
            begin += strspn(begin, " ");
            const char *end = c;
            while (end > begin && end[-1] == ' ') {
                --end;
            }
            if (end == begin) {
                return cli_usage("--%s '%s': something is missing", flag, text);
            }
            if (*n == SWEEP_TEXTS) {
                return cli_usage("--%s: too many", flag);
            }
            to[(*n)++] = sweep_keep(job, begin, (size_t)(end - begin));
            begin = c + 1;
        }
        if (*c == '\0') {
            return CLI_OK;
        }
    }
}

static int read_lists(sweep_job *job)
{
    static const char *const flag[2] = {"collect", "trajectory"};
    int *const count[2] = {&job->spec.ncollect, &job->spec.ntrajectories};
    const char **const list[2] = {job->collect, job->trajectory};
    for (int i = 0; i < 2; ++i) {
        const char *text;
        for (int k = 0; (text = cli_value_at(job->args, flag[i], k)) != NULL; ++k) {
            const int code = split(job, text, list[i], count[i], flag[i]);
            if (code != CLI_OK) {
                return code;
            }
        }
    }
    job->spec.collect = job->collect;
    job->spec.trajectory = job->trajectory;
    return CLI_OK;
}

/* --vary and --random in the order in which they were given. */
static int read_parameters(sweep_job *job)
{
    for (int i = 0; i < job->args->ngiven; ++i) {
        const char *name = job->args->command->flag[job->args->given[i].flag].name, *text = job->args->given[i].value;
        const int vary = strcmp(name, "vary") == 0, random = strcmp(name, "random") == 0;
        if (!vary && !random) {
            continue;
        }
        const char *equals = strchr(text, '=');
        if (equals == NULL) {
            return cli_usage("--%s takes NAME=%s, not '%s'", name, vary ? "A:B:N" : "normal(m,s)", text);
        }
        const int levels = strchr(equals, '(') == NULL || strchr(equals, ':') != NULL;
        if (vary != levels) {
            return cli_usage(
                "--%s %s: %s", name, text,
                vary ? "levels are expected (A:B:N, log:A:B:N or A,B,...); a distribution goes with --random"
                     : "a distribution is expected; levels go with --vary");
        }
        if (sweep_add_parameter(job, text, "") != CLI_OK) {
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

/* "0:1:101" or "0,0.5,1". */
static int read_times(sweep_job *job, const char *text)
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
    return good ? CLI_OK : cli_usage("--times %s: FROM:TO:NUMBER, or times between commas", text);
}

/* One word of --backend, of n characters. */
static int read_backend_word(sweep_choice *c, const char *word, size_t n)
{
    for (int k = 0; k <= DAL_SWEEP_BACKEND_AUTO; ++k) {
        const char *name = dal_sweep_backend_name((dal_sweep_backend)k);
        if (strlen(name) == n && strncmp(name, word, n) == 0) {
            const int first = !c->given;
            c->given = 1;
            c->backend = (dal_sweep_backend)k;
            return first;
        }
    }
    const int threads = n == 7 && strncmp(word, "threads", n) == 0, mpi = n == 3 && strncmp(word, "mpi", n) == 0;
    const int first = !c->threads && !c->mpi;
    c->threads |= threads;
    c->mpi |= mpi;
    return (threads || mpi) && first;
}

int sweep_read_backend(const sweep_job *job, sweep_choice *choice)
{
    *choice = (sweep_choice){.backend = DAL_SWEEP_INTERPRETED};
    const char *text;
    for (int k = 0; (text = cli_value_at(job->args, "backend", k)) != NULL; ++k) {
        for (const char *word = text;;) {
            const size_t n = strcspn(word, ",");
            if (!read_backend_word(choice, word, n)) {
                return cli_usage(
                    "--backend is interpreted, lanes, cuda or auto, and threads or mpi, with a comma between "
                    "two of them, not '%s'",
                    text);
            }
            if (word[n] == '\0') {
                break;
            }
            word += n + 1;
        }
    }
    return CLI_OK;
}

static int read_seed(sweep_job *job)
{
    const char *text = sweep_flag(job, "seed");
    char *end;
    if (text != NULL) {
        errno = 0;
        job->spec.seed = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
            return cli_usage("--seed %s: a whole number from 0 to 18446744073709551615 is expected", text);
        }
    }
    return CLI_OK;
}

static int read_numbers(sweep_job *job)
{
    const char *shard = sweep_flag(job, "shard");
    int n = 0;
    job->spec.samples = cli_whole(job->args, "samples");
    job->options.jobs = cli_whole(job->args, "jobs");
    job->spec.design =
        sweep_flag(job, "design") != NULL ? (dal_sweep_design)(cli_whole(job->args, "design") + 1) : DAL_SWEEP_AUTO;
    if (shard != NULL) {
        const char *slash = strchr(shard, '/');
        char first[16] = "";
        if (slash != NULL && slash - shard < 15) {
            memcpy(first, shard, (size_t)(slash - shard));
        }
        if (!cli_integer(&n, slash != NULL ? slash + 1 : "", 1, 1000000) ||
            !cli_integer(&job->options.shard, first, 1, n)) {
            return cli_usage("--shard %s: I/N with 1 <= I <= N is expected", shard);
        }
        job->options.nshards = n;
    }
    return read_seed(job);
}

/* Where results go, and what is kept beside them meanwhile. */
static int read_output(sweep_job *job)
{
    job->output = sweep_flag(job, "output");
    if (job->output == NULL) {
        return CLI_OK;
    }
    cli_make_folder_of(job->output);
    if (job->options.nshards > 0) {
        snprintf(job->journal, SWEEP_PATH, "%s.shard-%d-of-%d", job->output, job->options.shard, job->options.nshards);
    } else {
        snprintf(job->journal, SWEEP_PATH, "%s.journal", job->output);
    }
    job->options.journal = job->journal;
    const size_t n = strlen(job->output);
    const int csv = n > 4 && strcmp(job->output + n - 4, ".csv") == 0;
    // more samples than it has, or none to do; a CSV file beside a journal is to be replaced
    if (job->options.resume && job->options.nshards == 0 && access(job->output, F_OK) == 0 &&
        !(csv && access(job->journal, F_OK) == 0)) {
        job->options.finished = job->output;
    }
    return CLI_OK;
}

int sweep_read(sweep_job *job)
{
    const char *rows = sweep_flag(job, "rows"), *times = sweep_flag(job, "times");
    job->spec.source = job->args->positional[0];
    job->spec.set = job->args->set;
    job->spec.nset = job->args->nset;
    job->spec.files_outside = sweep_flag(job, "allow-files-outside") != NULL;
    job->options.resume = sweep_flag(job, "resume") != NULL;
    job->options.fail_fast = sweep_flag(job, "fail-fast") != NULL;
    sweep_choice choice;
    int code = sweep_read_backend(job, &choice);
    job->spec.backend = choice.backend;
    code = code != CLI_OK ? code : read_parameters(job);
    code = code != CLI_OK ? code : read_lists(job);
    code = code != CLI_OK ? code : read_numbers(job);
    code = code != CLI_OK || times == NULL ? code : read_times(job, times);
    code = code != CLI_OK || rows == NULL ? code : sweep_read_rows(job, rows);
    const char *params = sweep_flag(job, "params");
    code = code != CLI_OK || params == NULL ? code : sweep_read_driver(job, params);
    return code != CLI_OK ? code : read_output(job);
}
