/* dalembert run: simulate a model, write its results. */
#include <math.h>
#include <string.h>

#include "cli/run.h"
#include "cli/signals.h"

CLI_OWNS(dal_checkpoint)
CLI_OWNS(dal_sim)

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

static void read_rest(run_job *job)
{
    record_place(job->path, &job->format, job->args);
    run_read_times(job);
    job->plot = run_flag(job, "plot");
    job->html = run_flag(job, "html");
    job->quiet = run_flag(job, "quiet") != NULL;
    job->json = run_flag(job, "json") != NULL;
    make_folder_beside(job, job->html);
    make_folder_beside(job, job->plot);
    cli_check_files(job->args, 0);
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
static void read_checkpoint(run_job *job)
{
    const char *resume = run_flag(job, "resume");
    const int n = job->args->nset;
    if (resume == NULL) {
        job->nset = n;
        memcpy(job->set, job->args->set, sizeof job->set);
        return;
    }
    cli_try(cli_ctx(), dal_checkpoint_read(&job->saved, cli_ctx(), resume), CLI_IO);
    CLI_OWN(dal_checkpoint, job->saved);
    const int nsaved = dal_checkpoint_set_count(job->saved);
    if (n + nsaved > CLI_SETS) {
        cli_usage("too many assignments");
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
            cli_usage("%s: a resumed run keeps the values of its checkpoint '%s'; only --t-end may be given "
                      "anew",
                      given, resume);
        }
    }
}

/* ---- the run ---------------------------------------------------------------------------------- */

/* Bodies, and interface nodes of flexible ones. */
static int frames(const dal_model *m)
{
    int n = 0;
    while (dal_model_body_name(m, n + 1) != NULL) {
        ++n;
    }
    return n;
}

/* Their poses at a state. */
static const double *poses(const run_job *job, const dal_point *at)
{
    const dal_model *m = job->model.model;
    double *x = cli_alloc(7 * (size_t)frames(m) + 1, sizeof *x);
    model_try_start(&job->model, dal_model_poses(m, dal_sim_data(job->sim), x, at));
    return x;
}

static double length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* How far the equilibrium is from where the model placed its bodies. */
static void measure_equilibrium(run_job *job)
{
    const dal_model *m = job->model.model;
    const dal_system *sys = job->model.sys;
    const double *zero = cli_alloc((size_t)sys->group->nv + (size_t)dal_system_rows(sys) + 1, sizeof *zero);
    const dal_state s = dal_sim_shown_state(job->sim);
    const double *a = poses(job, &(dal_point){0.0, dal_model_q0(m), zero, zero, zero});
    const double *b = poses(job, &(dal_point){s.t, s.q, s.v, s.vd, s.la});
    double size = 0.0;
    for (int k = 1; k <= frames(m); ++k, a += 7, b += 7) {
        const double moved = length(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        const double dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
        job->turned = fmax(job->turned, 2.0 * acos(fmin(fabs(dot), 1.0)));
        size = fmax(size, length(a[0], a[1], a[2]));
        if (moved > job->moved || job->moved_body == NULL) {
            job->moved = moved;
            job->moved_body = dal_model_body_name(m, k);
        }
    }
    if (job->moved > 0.1 * size || job->turned > 0.1) {
        dal_log(job->model.ctx, DAL_LOG_WARNING,
                "initial = static: the equilibrium is far from the initial position: body '%s' was moved by %.3g m, "
                "bodies turned "
                "by up to %.3g rad",
                job->moved_body, job->moved, job->turned);
    }
}

static void create_simulation(run_job *job)
{
    cli_model *m = &job->model;
    const dal_initial_report *moved = &job->initial;
    model_try_start(m, dal_sim_create(&job->sim, m->ctx, m->sys, &m->opt));
    CLI_OWN(dal_sim, job->sim);
    m->opt = *dal_sim_options(job->sim); // with what was left to the library: the summary reports it
    if (job->saved != NULL) {
        cli_try(m->ctx, dal_checkpoint_restore(job->saved, m->ctx, job->sim, m->text), CLI_USAGE);
        return;
    }
    model_try_start(m, dal_sim_start(job->sim, &job->initial, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)));
    if (!job->quiet && run_initial_moved(job)) {
        cli_say("note: the initial state violated the constraints (position %.1e, velocity %.1e); it was moved by %.1e "
                "and %.1e",
                moved->position_residual, moved->velocity_residual, moved->position_moved, moved->velocity_moved);
    }
    if (m->opt.initial == DAL_INITIAL_STATIC && dal_model_report(m->model).bodies > 0) {
        measure_equilibrium(job);
    }
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

static int command(const cli_args *args)
{
    run_job *job = cli_alloc(1, sizeof *job);
    job->args = args;
    read_rest(job);
    read_checkpoint(job);
    job->model.files_outside = run_flag(job, "allow-files-outside") != NULL;
    model_load(&job->model, args->positional[0], job->set, job->nset);
    if (!(job->model.t_end > 0.0)) {
        cli_usage("the model gives no end time: give --t-end T");
    }
    create_simulation(job);
    signals_watch();
    run_prepare(job);
    progress_start(&job->progress, job->quiet, job->sim, job->model.t_end);
    integrate(job);
    return conclude(job);
}

const cli_command cli_run = {.name = "run", .run = command};
