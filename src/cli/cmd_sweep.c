/* dalembert sweep: the same model many times. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/model.h"
#include "cli/signals.h"
#include "cli/sweep.h"

static const cli_flag flags[] = {
    {"vary", 0, "K=A:B:N", "N levels of K from A to B; also log:A:B:N and A,B,...; may be repeated"},
    {"random", 0, "K=normal(M,S)", "K is drawn from a distribution, see below; may be repeated"},
    {"rows", 0, "FILE.csv", "parameters from a table: names in the first line, then one row per member"},
    {"samples", 'n', "N", "members, or members per combination of levels in a grid; default 1", CLI_WHOLE, .max = 2e9},
    {"design", 0, "NAME", "grid, random, lhs, sobol or saltelli; default grid if there are levels, else random",
     CLI_CHOICE, "grid|random|lhs|sobol|saltelli"},
    {"seed", 0, "S", "of everything that is drawn; default 0"},
    {"collect", 'c', "EXPR,...", "what to keep of a run, see below; may be repeated"},
    {"trajectory", 0, "EXPR,...", "outputs to keep over time (HDF5 only)"},
    {"times", 0, "A:B:N", "their times; also A,B,..."},
    {"set", 's', "KEY=VALUE", "set an option or a variable for all members; may be repeated", CLI_SET},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_T_END,
    CLI_FLAG_H("step size in seconds"),
    {"output", 'o', "FILE", "results: HDF5, or CSV if the name ends in .csv", CLI_PATH},
    {"jobs", 'j', "N", "threads; default: number of cores", CLI_WHOLE, .max = 1000},
    {"resume", 0, NULL, "go on with a sweep that was interrupted, bit for bit", .needs = "output"},
    {"fail-fast", 0, NULL, "stop at the first member that fails"},
    {"shard", 0, "I/N", "do only part I of N, into FILE.shard-I-of-N", .needs = "output"},
    {"merge", 0, NULL, "put shards (those given, or all of FILE) together into FILE", .needs = "output"},
    {"partial", 0, NULL, "with --merge: members may be missing, shards are kept"},
    {"backend", 0, "interpreted|lanes|cuda|auto", "the library, or a program compiled for the model"},
    {"plot", 'p', "FILE", "histograms and responses, an .svg file", CLI_SVG},
    {"html", 0, "FILE", "page with statistics, sensitivity and pictures, for any browser", CLI_HTML},
    {"parallel", 0, "FILE", "parallel coordinates, an .svg file", CLI_SVG},
    {"params", 0, "FILE", "one run with the parameters in this file (as drivers like Dakota write them) ..."},
    {"results", 0, "FILE", "... and its results to this one", .needs = "params"},
    {"optimize", 0, "min(EXPR)", "look for the smallest (or max: largest) value of EXPR between bounds"},
    {"fit", 0, "FILE.csv", "look for the parameters that fit measured data best (least squares)"},
    {"bound", 0, "K=A:B[:X]", "K is searched for between A and B, beginning with X; may be repeated"},
    {"constraint", 0, "EXPR<=C", "or >=, for --optimize; may be repeated", .needs = "optimize"},
    {"method", 0, "local|global|multistart", "of --optimize; default local", CLI_CHOICE, "local|global|multistart"},
    {"evaluations", 0, "N", "runs a search may take, default 1000", CLI_WHOLE, .usual = 1000, .max = 1e9},
    {"tolerance", 0, "X", "of a search, relative to the bounds; default 1e-6", CLI_POSITIVE, .usual = 1e-6},
    {"quiet", 'q', NULL, "no progress bar, no summary"},
    {"json", 0, NULL, "print one JSON document instead of the summary"},
};

static int command(const cli_args *args);

const cli_command cli_sweep = {
    .name = "sweep",
    .place = 17,
    .arguments = "MODEL",
    .max = 64,
    .summary = "run a model many times with other numbers, collect results and statistics",
    .about =
        "Parameters are variables of the model, options with numbers, and t_end. Distributions: uniform(A,B),\n"
        "normal(MEAN,DEVIATION[,MIN,MAX]), lognormal(M,S), triangular(A,MODE,B), exponential(MEAN),\n"
        "weibull(SCALE,SHAPE), choice(A,B,...), integer(A,B).\n"
        "EXPR: arithmetic with parameters and with final(E), initial(E), min(E), max(E), mean(E), rms(E),\n"
        "integral(E), time_of_min(E), time_of_max(E), time_of(E,C), crossings(E,C), settle(E,BAND[,C]), where E is an\n"
        "expression of outputs: A.force.x, energy, t; A.force is the norm of the vector.\n"
        "A model may say all this itself, in its section \"sweep\". Members that fail are recorded with their\n"
        "messages. Ctrl-C keeps what is done; --resume continues. 'mpirun dalembert sweep ...' uses all ranks\n"
        "(--backend mpi and --backend threads say so; 'mpi,lanes' both).\n"
        "Programs are compiled by $DAL_CC, $CC or cc (cuda: $DAL_NVCC or nvcc) and kept in $XDG_CACHE_HOME/dalembert\n"
        "or ~/.cache/dalembert. What they cannot do is handed over to the library.\n"
        "Exit codes: 0 ok, 1 members failed or a search did not converge, 2 usage, or no compiler or GPU for "
        "--backend,\n"
        "3 bad model, or not for the backend, 4 stopped by --fail-fast, 5 files, 130 Ctrl-C.",
    .examples =
        "  dalembert sweep heavy_top --vary spin=50:250:41 --collect 'min(top.position.z)' -o tops.csv\n"
        "  dalembert sweep spatial_slider_crank --random 'c=normal(0.04,0.001)' --random 'speed=uniform(5,7)' \\\n"
        "      --design lhs --samples 1000 --seed 7 --collect 'max(A.force),max(C.force)' -o crank.h5\n"
        "  dalembert sweep heavy_top --random 'spin=uniform(100,200)' --samples 100000 --collect 'min(top.position.z)' "
        "\\\n"
        "      --backend lanes -o tops.h5\n"
        "  dalembert sweep MODEL ... -o crank.h5 --shard 3/20\n"
        "  dalembert sweep --merge -o crank.h5\n"
        "  dalembert sweep spatial_slider_crank --optimize 'min(max(A.force))' --bound c=0:0.08",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

const char *sweep_flag(const sweep_job *job, const char *flag)
{
    return cli_value(job->args, flag);
}

int sweep_fail(const sweep_job *job, dal_status st)
{
    const int code = st == DAL_EOPTION  ? CLI_USAGE
                     : st == DAL_EIO    ? CLI_IO
                     : st == DAL_ENOMEM ? CLI_INTEGRATION
                                        : CLI_MODEL;
    return cli_error(code, "%s", dal_ctx_message(job->ctx));
}

/* ---- progress --------------------------------------------------------------------------------- */

static void show(sweep_job *job, const dal_sweep_progress *p)
{
    enum { BAR = 24 };
    const double now = cli_seconds(), elapsed = now - job->start;
    const double done = p->todo > 0 ? (double)p->done / (double)p->todo : 1.0;
    const double rate = elapsed > 0.0 ? (double)(p->done - p->before) / elapsed : 0.0;
    const double left = rate > 0.0 ? (double)(p->todo - p->done) / rate : 0.0;
    char bar[BAR + 1];
    if (!job->bar || now - job->shown < 0.2) {
        return;
    }
    job->shown = now;
    for (int i = 0; i < BAR; ++i) {
        bar[i] = i < (int)(done * BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    fprintf(stderr, "\r[%s] %ld/%ld  %.4g/s  ", bar, p->done, p->todo, rate);
    if (p->failed > 0) {
        fprintf(stderr, "%ld failed  ", p->failed);
    }
    if (rate > 0.0) {
        fprintf(stderr, "%d:%02d:%02d left ", (int)(left / 3600.0), (int)(left / 60.0) % 60, (int)fmod(left, 60.0));
    }
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

static dal_status progress(const dal_sweep_progress *p, void *user)
{
    show(user, p);
    return signals_seen() != 0 ? DAL_RETRY : DAL_OK;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static int save(sweep_job *job)
{
    if (job->output == NULL || job->options.nshards > 0) {
        return CLI_OK;
    }
    const dal_status st = dal_sweep_save(job->sweep, job->output, job->partial);
    return st == DAL_OK ? CLI_OK : sweep_fail(job, st);
}

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
    job->start = job->shown = cli_seconds();
    job->bar = !job->quiet && sweep_rank == 0 && isatty(STDERR_FILENO);
    job->options.progress = progress;
    job->options.user = job;
    signals_watch();
    const dal_status st = sweep_engine != NULL ? sweep_engine(job) : dal_sweep_run(job->sweep, &job->options);
    job->wall = cli_seconds() - job->start;
    if (job->bar) {
        fprintf(stderr, "\r\033[K");
    }
    if (sweep_rank != 0) {
        return CLI_OK;
    }
    if (st != DAL_OK && st != DAL_RETRY) {
        return sweep_fail(job, st);
    }
    int code = st == DAL_OK ? save(job) : CLI_OK;
    code = code != CLI_OK ? code : sweep_report(job);
    code = code != CLI_OK ? code : sweep_plots(job);
    const char *results = sweep_flag(job, "results");
    code = code != CLI_OK || results == NULL ? code : sweep_write_driver(job, results);
    if (code != CLI_OK) {
        return code;
    }
    if (st == DAL_RETRY) {
        return stopped(job);
    }
    const long failed = dal_sweep_count(job->sweep, 1);
    return failed > 0 ? cli_error(CLI_CHECK, "%ld of %ld members failed", failed, dal_sweep_members(job->sweep))
                      : CLI_OK;
}

/* Flags that a search needs, or has no use for. */
static int check_search(const sweep_job *job)
{
    const int optimize = sweep_flag(job, "optimize") != NULL, fit = sweep_flag(job, "fit") != NULL;
    sweep_choice choice;
    if (sweep_read_backend(job, &choice) == CLI_OK && (optimize || fit) && choice.backend != DAL_SWEEP_INTERPRETED &&
        choice.backend != DAL_SWEEP_BACKEND_AUTO) {
        return cli_usage("--%s runs one member after the other: it goes with --backend interpreted",
                         optimize ? "optimize" : "fit");
    }
    if (sweep_flag(job, "output") != NULL && (optimize || fit)) {
        return cli_usage("--%s writes no file of results: drop -o and use --json", optimize ? "optimize" : "fit");
    }
    return CLI_OK;
}

static int perform(sweep_job *job)
{
    if (job->args->npositional != 1) {
        return job->args->npositional == 0 ? cli_usage("MODEL is missing (usage: dalembert sweep MODEL)")
                                           : cli_usage("'%s' is one argument too many", job->args->positional[1]);
    }
    int code = check_search(job);
    code = code != CLI_OK ? code : sweep_become_mpi(job);
    code = code != CLI_OK ? code : sweep_read(job);
    code = code != CLI_OK ? code : cli_check_files(job->args, 0);
    if (code != CLI_OK) {
        return code;
    }
    // errors of the model are reported as by the other commands; a mechanism may be open for its own numbers
    cli_model model = {.files_outside = job->spec.files_outside, .may_be_open = 1};
    const int loaded = model_load(&model, job->spec.source, job->spec.set, job->spec.nset);
    model_release(&model);
    if (loaded != CLI_OK) {
        return loaded;
    }
    if (sweep_flag(job, "optimize") != NULL || sweep_flag(job, "fit") != NULL) {
        return sweep_search(job);
    }
    dal_status st = dal_sweep_section_read(&job->section, job->ctx, &job->spec);
    st = st != DAL_OK ? st : dal_sweep_create(&job->sweep, job->ctx, &job->spec);
    return st == DAL_OK ? run(job) : sweep_fail(job, st);
}

/* ---- shards ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files FILE.shard-I-of-N beside FILE. */
static int find_shards(sweep_job *job, const char **list, int most)
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
            char path[2 * SWEEP_PATH];
            const int length = snprintf(path, sizeof path, "%s%s", slash != NULL ? folder : "", e->d_name);
            list[n++] = sweep_keep(job, path, (size_t)length);
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
        return cli_error(CLI_IO, "there are no files '%s.shard-I-of-N'", job->output);
    }
    dal_status st = dal_sweep_open(&job->sweep, job->ctx, list, n);
    if (st != DAL_OK) {
        return sweep_fail(job, st);
    }
    st = dal_sweep_save(job->sweep, job->output, job->partial);
    if (st != DAL_OK) {
        return cli_error(st == DAL_EINVAL ? CLI_CHECK : CLI_IO, "%s", dal_ctx_message(job->ctx));
    }
    job->spec.source = dal_sweep_source(job->sweep);
    const int code = sweep_report(job);
    return code != CLI_OK ? code : sweep_plots(job);
}

static int command(const cli_args *args)
{
    sweep_job *job = cli_alloc(1, sizeof *job);
    job->args = args;
    job->quiet = sweep_flag(job, "quiet") != NULL;
    job->json = sweep_flag(job, "json") != NULL;
    job->ctx = cli_context(NULL);
    const int code = sweep_flag(job, "merge") != NULL ? merge(job) : perform(job);
    dal_sweep_destroy(job->sweep);
    dal_sweep_section_destroy(job->section);
    dal_ctx_destroy(job->ctx);
    sweep_release_copies(job);
    free(job->rows);
    free(job->times);
    free(job);
    return code;
}
