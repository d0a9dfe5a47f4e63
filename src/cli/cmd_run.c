/* dalembert run: simulate a model, write its results. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run.h"
#include "cli/signals.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_T_END,
    CLI_FLAG_H("step size in seconds (short for --set h=H)"),
    {"output", 'o', "PATH", "write results to this folder, or to a file if it ends in .h5 or .csv (one table)",
     CLI_PATH},
    {"format", 'f', "csv|hdf5", "of the results in PATH; default csv, or hdf5 if PATH ends in .h5", CLI_CHOICE,
     "csv|hdf5", .needs = "output"},
    {"tables", 0, "NAME,...", "which tables to write: outputs, bodies, state, monitor", CLI_WORDS,
     "outputs|bodies|state|monitor", .needs = "output"},
    {"every", 0, "N", "write every N-th step only", CLI_WHOLE, .usual = 1, .max = 1e9},
    {"output-every", 0, "DT", "write rows every DT seconds instead of every step, by dense output", CLI_POSITIVE,
     .expected = "a positive number of seconds"},
    {"output-at", 0, "FILE",
     "write rows at the times in this file: increasing numbers between blanks, commas or lines"},
    {"allow-many-rows", 0, NULL, "more than 1e8 rows, or tables of more than 50 GB"},
    {"plot", 'p', "FILE", "picture of the outputs, an .svg file", CLI_SVG},
    {"plot-outputs", 0, "NAME,...", "what to draw: outputs, or BODY.x, BODY.v, BODY.omega, energy", .needs = "plot"},
    {"html", 0, "FILE", "page with the moving mechanism, curves and summary, for any browser", CLI_HTML},
    {"checkpoint", 0, "FILE", "save the complete state there now and then, and at the end"},
    {"checkpoint-every", 0, "S", "seconds between checkpoints, default 30", CLI_NOT_NEGATIVE, .usual = 30},
    {"resume", 0, "FILE", "go on from a checkpoint, bit for bit; results in PATH are continued"},
    {"quiet", 'q', NULL, "no progress bar, no summary"},
    {"json", 0, NULL, "print one JSON document instead of the summary"},
};

static int command(const cli_args *args);

const cli_command cli_run = {
    .name = "run",
    .place = 1,
    .summary = "simulate a model, write results and a picture",
    .about = "MODEL is a file or the name of a built-in model. Files in PATH end in .part until the run is over.\n"
             "Ctrl-C stops after the current step or row, keeps everything and says how to continue.\n"
             "Exit codes: 0 ok, 2 usage, 3 bad model, 4 integration failed, 5 files, 130 stopped by Ctrl-C.",
    .examples = "  dalembert run heavy_top\n"
                "  dalembert run heavy_top -o results --plot results/top.svg\n"
                "  dalembert run crank.json --t-end 2 --h 5e-4 --set rho_inf=0.8 -o results/crank.h5\n"
                "  dalembert run pendulum --json | python3 -m json.tool",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

const char *run_flag(const run_job *job, const char *flag)
{
    return cli_value(job->args, flag);
}

/* ---- reading the arguments -------------------------------------------------------------------- */

/* A picture or page in a folder that the results will be in may come before them: make it. */
static void make_folder_beside(const run_job *job, const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const size_t n = slash != NULL ? (size_t)(slash - path) : 0;
    if (n > 0 && strncmp(job->path, path, n) == 0 && (job->path[n] == '/' || job->path[n] == '\0')) {
        cli_make_folder_of(path);
    }
}

static int read_rest(run_job *job)
{
    const int code = run_read_times(job);
    if (code != CLI_OK) {
        return code;
    }
    job->plot = run_flag(job, "plot");
    job->html = run_flag(job, "html");
    job->quiet = run_flag(job, "quiet") != NULL;
    job->json = run_flag(job, "json") != NULL;
    make_folder_beside(job, job->html);
    make_folder_beside(job, job->plot);
    return cli_check_files(job->args, 0);
}

/* Does the assignment say the same as one of the checkpoint? Numbers may be written in different ways. */
static int same_assignment(const char *a, const char *b)
{
    const char *x = strchr(a, '='), *y = strchr(b, '=');
    double p, q;
    if (x == NULL || y == NULL || x - a != y - b || memcmp(a, b, (size_t)(x - a)) != 0) {
        return 0;
    }
    return strcmp(x, y) == 0 || (cli_number(&p, x + 1) && cli_number(&q, y + 1) && p == q);
}

/* A resumed run has the assignments of the checkpoint, whatever is given now; only the end time may differ. */
static int read_checkpoint(run_job *job)
{
    const char *resume = run_flag(job, "resume");
    const int n = job->args->nset;
    if (resume == NULL) {
        job->nset = n;
        memcpy(job->set, job->args->set, sizeof job->set);
        return CLI_OK;
    }
    job->resume_ctx = cli_context(NULL);
    if (dal_checkpoint_read(&job->saved, job->resume_ctx, resume) != DAL_OK) {
        return cli_error(CLI_IO, "%s", dal_ctx_message(job->resume_ctx));
    }
    const int nsaved = dal_checkpoint_set_count(job->saved);
    if (n + nsaved > CLI_SETS) {
        return cli_usage("too many assignments");
    }
    for (int k = 0; k < nsaved; ++k) {
        job->set[job->nset++] = dal_checkpoint_set(job->saved, k);
    }
    for (int i = 0; i < n; ++i) {
        const char *given = job->args->set[i];
        int known = 0;
        for (int k = 0; k < nsaved; ++k) {
            known |= same_assignment(given, dal_checkpoint_set(job->saved, k));
        }
        if (strncmp(given, "t_end=", 6) == 0) {
            job->set[job->nset++] = given;
        } else if (!known) {
            return cli_usage("%s: a resumed run keeps the values of its checkpoint '%s'; only --t-end may be given "
                             "anew",
                             given, resume);
        }
    }
    return CLI_OK;
}

/* ---- the run ---------------------------------------------------------------------------------- */

/* How far the equilibrium is from where the model placed its bodies. */
static dal_status measure_equilibrium(run_job *job)
{
    const dal_model *m = job->model.model;
    const size_t n = (size_t)dal_model_report(m).bodies;
    const dal_state s = dal_sim_shown_state(job->sim);
    double *given = cli_alloc(14 * n + 1, sizeof *given), *found = given + 7 * n, size = 0.0;
    double *zero =
        cli_alloc((size_t)job->model.sys->group->nv + (size_t)dal_system_rows(job->model.sys) + 1, sizeof *zero);
    const dal_point before = {0.0, dal_model_q0(m), zero, zero, zero}, now = {s.t, s.q, s.v, s.vd, s.la};
    dal_status st = dal_model_poses(m, dal_sim_data(job->sim), given, &before);
    st = st == DAL_OK ? dal_model_poses(m, dal_sim_data(job->sim), found, &now) : st;
    for (size_t k = 0; st == DAL_OK && k < n; ++k) {
        const double *a = given + 7 * k, *b = found + 7 * k;
        const double moved = sqrt(pow(b[0] - a[0], 2.0) + pow(b[1] - a[1], 2.0) + pow(b[2] - a[2], 2.0));
        const double dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
        job->turned = fmax(job->turned, 2.0 * acos(fmin(fabs(dot), 1.0)));
        size = fmax(size, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
        if (moved > job->moved || job->moved_body == NULL) {
            job->moved = moved;
            job->moved_body = dal_model_body_name(m, (int)k + 1);
        }
    }
    if (st == DAL_OK && (job->moved > 0.1 * size || job->turned > 0.1)) {
        dal_log(job->model.ctx, DAL_LOG_WARNING,
                "initial = static: the equilibrium is far from the initial position: body '%s' was moved by %.3g m, "
                "bodies turned "
                "by up to %.3g rad",
                job->moved_body, job->moved, job->turned);
    }
    free(zero);
    free(given);
    return st;
}

static int create_simulation(run_job *job)
{
    cli_model *m = &job->model;
    dal_initial_report moved;
    dal_status st = dal_sim_create(&job->sim, m->ctx, m->sys, &m->opt);
    if (st != DAL_OK) {
        return model_start_failure(m, st);
    }
    m->opt = *dal_sim_options(job->sim); // with what was left to the library: the summary reports it
    if (job->saved != NULL) {
        return dal_checkpoint_restore(job->saved, m->ctx, job->sim, m->text) == DAL_OK
                   ? CLI_OK
                   : cli_error(CLI_USAGE, "%s", dal_ctx_message(m->ctx));
    }
    st = dal_sim_start(job->sim, &moved, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
    if (st != DAL_OK) {
        return model_start_failure(m, st);
    }
    job->initial = moved;
    if (!job->quiet && run_initial_moved(job)) {
        cli_say("note: the initial state violated the constraints (position %.1e, velocity %.1e); it was moved by %.1e "
                "and %.1e",
                moved.position_residual, moved.velocity_residual, moved.position_moved, moved.velocity_moved);
    }
    if (m->opt.initial == DAL_INITIAL_STATIC && dal_model_report(m->model).bodies > 0) {
        st = measure_equilibrium(job);
    }
    return st == DAL_OK ? CLI_OK : model_start_failure(m, st);
}

/* Steps to the end; what stopped it is in job->stopped_by and job->failure. */
static void integrate(run_job *job)
{
    dal_stop reason = DAL_STOP_TIME;
    const dal_status st = dal_sim_run(job->sim, &reason, job->model.t_end);
    progress_clear(&job->progress);
    job->monitor = dal_recorder_monitor(job->recorder);
    job->wall = job->monitor.wall;
    if (st != DAL_OK) {
        job->failure = cli_copy(dal_ctx_message(job->model.ctx));
        job->results_failed = dal_recorder_failed(job->recorder);
    } else if (dal_monitor_lost(&job->monitor)) {
        char text[400];
        (void)dal_monitor_warning(&job->monitor, text, sizeof text, &job->model.opt);
        job->failure = cli_copy(text);
    } else if (reason == DAL_STOP_OBSERVER) {
        job->stopped_by = signals_seen();
    }
}

/* After the run: what went wrong comes last, so that it is seen. */
static int conclude(run_job *job)
{
    int code = run_finish(job);
    if (job->failure != NULL && code == CLI_OK) {
        const dal_state s = dal_sim_state(job->sim);
        cli_error(CLI_INTEGRATION, "integration failed at t = %.9g s: %s", s.t, job->failure);
        if (job->path[0] != '\0') {
            cli_say("The motion up to t = %.9g s is kept in '%s'.", s.t, job->path);
        }
        code = CLI_INTEGRATION;
    }
    if (job->stopped_by != 0 && code == CLI_OK) {
        cli_say("Stopped at t = %.9g s of %.9g s; everything up to there is kept.", dal_sim_state(job->sim).t,
                job->model.t_end);
        if (job->sampling.every > 0.0 && job->row_t + job->sampling.every < dal_sim_state(job->sim).t) {
            cli_say("The last row is that at t = %.9g s; a run that goes on writes none between these times.",
                    job->row_t);
        }
        run_tell_resume(job);
        code = CLI_SIGNAL + job->stopped_by;
    }
    return code;
}

static int perform(run_job *job)
{
    int code = record_place(job->path, &job->format, job->args);
    code = code != CLI_OK ? code : read_rest(job);
    code = code != CLI_OK ? code : read_checkpoint(job);
    job->model.files_outside = run_flag(job, "allow-files-outside") != NULL;
    code = code != CLI_OK ? code : model_load(&job->model, job->args->positional[0], job->set, job->nset);
    if (code == CLI_OK && !(job->model.t_end > 0.0)) {
        code = cli_usage("the model gives no end time: give --t-end T");
    }
    code = code != CLI_OK ? code : create_simulation(job);
    if (code == CLI_OK) {
        signals_watch();
        code = run_prepare(job);
    }
    if (code != CLI_OK) {
        return code;
    }
    progress_start(&job->progress, job->quiet, job->sim, job->model.t_end);
    integrate(job);
    return conclude(job);
}

static int command(const cli_args *args)
{
    run_job job = {.args = args};
    const int code = perform(&job);
    run_release(&job);
    return code;
}
