/* Rows at requested times instead of at every step. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "cli/signals.h"

enum { MOST_TIMES = 10000000 };
/* Beyond these somebody is asked first. */
static const double MOST_ROWS = 1e8, MOST_BYTES = 5e10;

/* A time more, which must come after the others. */
static void add_time(run_job *job, const char *path, int line, const char *word, int *room)
{
    double t;
    const int n = job->sampling.n;
    if (!cli_number(&t, word)) {
        cli_usage("--output-at %s, line %d: '%s' is not a number", path, line, word);
    }
    if (n > 0 && !(t > job->times[n - 1])) {
        cli_usage("--output-at %s, line %d: the times must increase, %s does not", path, line, word);
    }
    if (n == MOST_TIMES) {
        cli_usage("--output-at %s: more than %d times", path, (int)MOST_TIMES);
    }
    if (n == *room) {
        *room = n > 0 ? 2 * n : 256;
        double *more = cli_alloc((size_t)*room, sizeof *more);
        for (int i = 0; i < n; ++i) {
            more[i] = job->times[i];
        }
        job->times = more;
    }
    job->times[job->sampling.n++] = t;
}

static void close_file(void *file)
{
    fclose(file);
}

/* Numbers of a file, separated by blanks, commas or lines; # begins a comment. */
static void read_file(run_job *job, const char *path)
{
    FILE *in = fopen(path, "r");
    int room = 0, line = 1;
    if (in == NULL) {
        cli_fail(CLI_IO, "--output-at %s: %s", path, strerror(errno));
    }
    cli_own(in, close_file);
    for (int c; (c = fgetc(in)) != EOF;) {
        char word[512];
        if (c == '#') {
            while (c != '\n' && c != EOF) {
                c = fgetc(in);
            }
        }
        line += c == '\n';
        if (c != EOF && !isspace(c) && c != ',') {
            ungetc(c, in);
            if (fscanf(in, "%511[^ \t\r\n,#]", word) == 1) {
                add_time(job, path, line, word, &room);
            }
        }
    }
    if (ferror(in) != 0) {
        cli_fail(CLI_IO, "--output-at %s: cannot be read", path);
    }
    if (job->sampling.n == 0) {
        cli_usage("--output-at %s: there is no time in the file", path);
    }
    job->sampling.times = job->times;
}

void run_read_times(run_job *job)
{
    const char *every = run_flag(job, "output-every"), *at = run_flag(job, "output-at");
    if ((every != NULL) + (at != NULL) + (run_flag(job, "every") != NULL) > 1) {
        cli_usage("--every, --output-every and --output-at exclude each other");
    }
    job->sampling.every = cli_real(job->args, "output-every");
    if (at != NULL) {
        read_file(job, at);
    }
}

static dal_status write_row(dal_sim *sim, const dal_point *at, void *user)
{
    run_job *job = user;
    job->row_t = at->t;
    DAL_TRY(dal_recorder_row(job->recorder, at, dal_sim_state(sim).h));
    return signals_seen() != 0 ? DAL_RETRY : DAL_OK;
}

int run_has_rows(const run_job *job)
{
    return job->path[0] != '\0' || job->plot != NULL || job->html != NULL;
}

dal_status run_sample(run_job *job)
{
    const int asked = (job->sampling.every > 0.0 || job->times != NULL) && run_has_rows(job);
    job->row_t = -INFINITY;
    return asked ? dal_sim_sample(job->sim, &job->sampling, write_row, job) : DAL_OK;
}

/* ---- how many --------------------------------------------------------------------------------- */

/* Rows that are still to come, as far as that is known before; times of adaptive steps are not. */
static double count_rows(const run_job *job)
{
    const dal_options *opt = &job->model.opt;
    const double span = job->model.t_end - dal_sim_state(job->sim).t;
    return job->sampling.every > 0.0        ? span / job->sampling.every
           : job->times != NULL             ? job->sampling.n
           : opt->step != DAL_STEP_ADAPTIVE ? span / opt->h / cli_whole(job->args, "every")
                                            : 0.0;
}

/* Yes, from somebody at a terminal. */
static int confirmed(double rows, const char *size)
{
    char line[16];
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        return 0;
    }
    fprintf(stderr, "That makes %.3g rows%s. Go on? [y/N] ", rows, size);
    fflush(stderr);
    return fgets(line, sizeof line, stdin) != NULL && (line[0] == 'y' || line[0] == 'Y');
}

void run_check_rows(const run_job *job)
{
    const double rows = count_rows(job), number = job->format == DAL_RESULTS_HDF5 ? 8.0 : 20.0; // bytes
    double bytes = 0.0;
    for (int k = 0, first; k < DAL_RECORD_TABLES && job->path[0] != '\0'; ++k) {
        bytes += job->chosen[k] ? rows * number * (dal_channels_table(job->model.channels, &first, k) + 1) : 0.0;
    }
    if (!run_has_rows(job) || run_flag(job, "allow-many-rows") != NULL || (rows <= MOST_ROWS && bytes <= MOST_BYTES)) {
        return;
    }
    const char *size = bytes > 0.0 ? cli_text(", about %.3g GB", 1e-9 * bytes) : "";
    if (!confirmed(rows, size)) {
        cli_usage("%.3g rows%s: take a larger --output-every, --every N or fewer --tables, or permit it by "
                  "--allow-many-rows",
                  rows, size);
    }
}
