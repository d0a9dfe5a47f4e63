/* Rows at requested times instead of at every step. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "cli/signals.h"

enum { MOST_TIMES = 10000000 };
/* Beyond these somebody is asked first. */
static const double MOST_ROWS = 1e8, MOST_BYTES = 5e10;

/* Numbers of a text, separated by blanks, commas or lines; # begins a comment. */
static int parse(run_job *job, const char *path, const char *text)
{
    int n = 0, line = 1, capacity = 0;
    for (const char *p = text; *p != '\0';) {
        if (*p == '#') {
            p += strcspn(p, "\n");
        } else if (isspace((unsigned char)*p) || *p == ',') {
            line += *p == '\n';
            ++p;
        } else {
            char word[64];
            const size_t length = strcspn(p, " \t\r\n,#");
            double t;
            snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), p);
            if (!cli_number(&t, word)) {
                return cli_usage("--output-at %s, line %d: '%s' is not a number", path, line, word);
            }
            if (n > 0 && !(t > job->times[n - 1])) {
                return cli_usage("--output-at %s, line %d: the times must increase, %s does not", path, line, word);
            }
            if (n == capacity) {
                capacity = capacity > 0 ? 2 * capacity : 256;
                double *more = cli_alloc((size_t)capacity, sizeof *more);
                for (int i = 0; i < n; ++i) {
                    more[i] = job->times[i];
                }
                free(job->times);
                job->times = more;
            }
            job->times[n++] = t;
            p += length;
        }
        if (n > MOST_TIMES) {
            return cli_usage("--output-at %s: more than %d times", path, (int)MOST_TIMES);
        }
    }
    job->sampling = (dal_sampling){.times = job->times, .n = n};
    return n > 0 ? CLI_OK : cli_usage("--output-at %s: there is no time in the file", path);
}

static int read_file(run_job *job, const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return cli_error(CLI_IO, "--output-at %s: %s", path, strerror(errno));
    }
    size_t n = 0, capacity = 4096;
    char *text = cli_alloc(capacity, 1);
    for (size_t got; (got = fread(text + n, 1, capacity - n - 1, in)) > 0;) {
        n += got;
        if (n + 1 == capacity) {
            char *more = cli_alloc(2 * capacity, 1);
            memcpy(more, text, n);
            free(text);
            text = more;
            capacity *= 2;
        }
    }
    text[n] = '\0';
    const int failed = ferror(in) != 0;
    fclose(in);
    const int code = failed ? cli_error(CLI_IO, "--output-at %s: cannot be read", path) : parse(job, path, text);
    free(text);
    return code;
}

int run_read_times(run_job *job)
{
    const char *every = run_flag(job, "output-every"), *at = run_flag(job, "output-at");
    if ((every != NULL) + (at != NULL) + (run_flag(job, "every") != NULL) > 1) {
        return cli_usage("--every, --output-every and --output-at exclude each other");
    }
    job->sampling.every = cli_real(job->args, "output-every");
    return at != NULL ? read_file(job, at) : CLI_OK;
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

int run_check_rows(const run_job *job)
{
    const double rows = count_rows(job), number = job->format == DAL_RESULTS_HDF5 ? 8.0 : 20.0; // bytes
    double bytes = 0.0;
    for (int k = 0, first; k < DAL_RECORD_TABLES && job->path[0] != '\0'; ++k) {
        bytes += job->chosen[k] ? rows * number * (dal_channels_table(job->model.channels, &first, k) + 1) : 0.0;
    }
    if (!run_has_rows(job) || run_flag(job, "allow-many-rows") != NULL || (rows <= MOST_ROWS && bytes <= MOST_BYTES)) {
        return CLI_OK;
    }
    char size[64] = "";
    if (bytes > 0.0) {
        snprintf(size, sizeof size, ", about %.3g GB", 1e-9 * bytes);
    }
    return confirmed(rows, size)
               ? CLI_OK
               : cli_usage("%.3g rows%s: take a larger --output-every, --every N or fewer --tables, or permit it by "
                           "--allow-many-rows",
                           rows, size);
}
