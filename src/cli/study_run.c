/* The runs of a study, in threads: each has a context and a simulation of its own, and the system is constant. */

#include <math.h>
#include <string.h>

#include "cli/record.h"
#include "cli/study.h"
#include "dalembert/results.h"
#include "dalembert/sweep.h"

/* How much smaller the steps of the method's own reference are: with order 2 its error is 1 % of the smallest one
 * measured. Much smaller ones would bring up rounding, which grows like 1/h^2 in the multipliers of index 3. */
static const double self_factor = 10.0;

/* What the library warns of in one of the threads. */
static void warn(dal_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == DAL_LOG_WARNING) {
        cli_say("warning: %s", text);
    }
}

/* work(k) for k = 0 .. n - 1, at most s->jobs at a time. */
static void work_all(study *s, int n, void (*work)(dal_ctx *ctx, long k, void *user))
{
    const dal_config config = cli_config(&(dal_config){.log = warn});
    cli_try(s->model.ctx, dal_sweep_each(s->model.ctx, &config, s->jobs, n, work, s), CLI_INTEGRATION);
}

/* ---- one run ---------------------------------------------------------------------------------- */

typedef struct record {
    dal_samples *samples;
    int n; /* samples so far */
} record;

static dal_status record_sample(dal_sim *sim, const dal_point *at, void *user)
{
    record *r = user;
    const dal_samples *s = r->samples;
    const size_t i = (size_t)r->n++;
    (void)sim;
    memcpy(s->q + i * (size_t)s->nq, at->q, (size_t)s->nq * sizeof *s->q);
    memcpy(s->v + i * (size_t)s->nv, at->v, (size_t)s->nv * sizeof *s->v);
    if (s->nc > 0) {
        memcpy(s->la + i * (size_t)s->nc, at->la, (size_t)s->nc * sizeof *s->la);
    }
    return DAL_OK;
}

/* Samples from dense output, so that the tolerances choose the steps, as they do in a run, and not the samples. */
static dal_status run_free(dal_samples *samples, dal_sim *sim)
{
    record r = {.samples = samples};
    const dal_sampling when = {.times = samples->t, .n = samples->n};
    const dal_status st = dal_sim_sample(sim, &when, record_sample, &r);
    samples->q[(size_t)(samples->n - 1) * (size_t)samples->nq] = NAN; // unless the run gets there
    return st != DAL_OK ? st : dal_sim_run(sim, NULL, samples->t[samples->n - 1]);
}

/* Run with the given options through the samples. A reference (row NULL) has steps that end at them. */
static dal_status run(const study *s, dal_ctx *ctx, const dal_options *opt, dal_samples *samples, study_row *row)
{
    const cli_model *m = &s->model;
    dal_sim *sim = NULL;
    dal_status st = dal_sim_create(&sim, ctx, m->sys, opt);
    st = st != DAL_OK ? st : dal_sim_start(sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
    if (st == DAL_OK) {
        const double start = cli_seconds();
        st = row != NULL && dal_sim_options(sim)->step == DAL_STEP_ADAPTIVE ? run_free(samples, sim)
                                                                            : dal_samples_run(samples, sim, NULL);
        const double wall = cli_seconds() - start;
        const dal_stats stats = dal_sim_stats(sim);
        if (row != NULL) {
            row->steps = stats.steps;
            row->newton = stats.newton_iterations;
            row->jacobians = stats.jacobians;
            row->us_per_step = stats.steps > 0 ? 1e6 * wall / (double)stats.steps : NAN;
        }
    }
    dal_sim_destroy(sim);
    return st;
}

static void fail(study_row *row, const char *message)
{
    row->failed = 1;
    snprintf(row->message, sizeof row->message, "%s", message);
    row->error = (dal_error){NAN, NAN, NAN};
}

static void run_row(dal_ctx *ctx, long k, void *user)
{
    const study *s = user;
    study_row *row = &s->row[k];
    const int method = (int)k / s->nh;
    dal_options opt = s->opt[method];
    dal_samples samples;
    row->method = method;
    row->h = opt.h = s->h[k % s->nh];
    row->order = (dal_error){NAN, NAN, NAN};
    if (dal_samples_init(&samples, ctx, s->model.sys, s->t, s->nt) != DAL_OK ||
        run(s, ctx, &opt, &samples, row) != DAL_OK) {
        fail(row, dal_ctx_message(ctx));
    } else {
        row->failed = 0;
        row->message[0] = '\0';
        row->error = dal_samples_error(s->model.sys->group, &samples, &s->ref[method], s->nt);
        if (!isfinite(row->error.q) || !isfinite(row->error.v) || !isfinite(row->error.lambda)) {
            fail(row, "the solution is not finite");
        }
    }
    dal_samples_release(&samples);
}

static void release_samples(void *samples)
{
    dal_samples_release(samples);
}

/* Room for the samples of a reference; owned. */
static void take_samples(study *s, dal_samples *samples)
{
    cli_try(s->model.ctx, dal_samples_init(samples, s->model.ctx, s->model.sys, s->t, s->nt), CLI_INTEGRATION);
    cli_own(samples, release_samples);
}

/* ---- references ------------------------------------------------------------------------------- */

static size_t sample_size(const study *s)
{
    const dal_group *G = s->model.sys->group;
    return (size_t)s->nt * (size_t)(1 + G->nq + G->nv + dal_system_rows(s->model.sys));
}

/* The method's own run with far smaller steps, to the reference of the method; where it fails, its first time is not a
 * number. */
static void run_self(dal_ctx *ctx, long k, void *user)
{
    const study *s = user;
    dal_options opt = s->opt[k];
    dal_samples samples;
    opt.h = s->h[0];
    for (int i = 1; i < s->nh; ++i) {
        opt.h = fmin(opt.h, s->h[i]);
    }
    opt.h /= self_factor;
    if (opt.step == DAL_STEP_ADAPTIVE) {
        opt.step_rtol *= 1.0 / (self_factor * self_factor);
        opt.step_atol *= 1.0 / (self_factor * self_factor);
    }
    opt.rtol = fmin(opt.rtol, 1e-11);
    opt.atol = fmin(opt.atol, 1e-12);
    if (dal_samples_init(&samples, ctx, s->model.sys, s->t, s->nt) == DAL_OK &&
        run(s, ctx, &opt, &samples, NULL) == DAL_OK) {
        memcpy(s->ref[k].t, samples.t, sample_size(s) * sizeof *samples.t);
    } else {
        s->ref[k].t[0] = NAN;
    }
    dal_samples_release(&samples);
}

static void reference_self(study *s)
{
    work_all(s, s->nmethods, run_self);
    for (int k = 0; k < s->nmethods; ++k) {
        if (isnan(s->ref[k].t[0])) {
            cli_fail(CLI_INTEGRATION,
                     "method %s fails with a step %g times smaller than the smallest: no reference for it",
                     s->method[k], self_factor);
        }
    }
}

static void reference_exact(study *s)
{
    cli_model *m = &s->model;
    const dal_status st = dal_reference(&s->ref[0], &s->ref_error, m->ctx, m->sys, 0.0, dal_model_q0(m->model),
                                        dal_model_v0(m->model), &m->opt, 1e-10);
    if (st != DAL_OK) {
        const int code = cli_error(st == DAL_EREDUNDANT || st == DAL_EINITIAL ? CLI_MODEL : CLI_INTEGRATION, "%s",
                                   dal_ctx_message(m->ctx));
        cli_say("Try --reference self.");
        cli_end(code);
    }
}

/* Copy the columns prefix1 .. prefixN at the rows of the samples. */
static void copy_columns(double *to, const dal_table_data *data, const char *prefix, int n, const int *row, int nt)
{
    for (int j = 0; j < n; ++j) {
        const char *name = cli_text("%s%d", prefix, j + 1);
        const int column = dal_table_column(data, name);
        if (column < 0) {
            cli_fail(CLI_USAGE, "the reference has no column '%s': is it of this model?", name);
        }
        for (int i = 0; i < nt; ++i) {
            to[j + i * n] = data->x[(size_t)row[i] + (size_t)column * (size_t)data->rows];
        }
    }
}

/* Samples at times that the file has. */
static void reference_file(study *s)
{
    cli_model *m = &s->model;
    dal_table_data data;
    dal_samples *ref = &s->ref[0];
    int row[STUDY_SAMPLES] = {0}, found = 0;
    if (record_read(&data, m->ctx, s->reference, "state") != DAL_OK) {
        cli_fail(CLI_IO, "reference: %s", dal_ctx_message(m->ctx));
    }
    for (int i = 0; i < s->nt; ++i) {
        for (int k = 0; k < data.rows; ++k) {
            if (fabs(data.x[k] - s->t[i]) <= 1e-9 * s->t[s->nt - 1]) {
                s->t[found] = data.x[k];
                row[found++] = k;
                break;
            }
        }
    }
    if (found == 0) {
        cli_fail(CLI_USAGE,
                 "the reference has no state at t = %g, nor at any other time where "
                 "all step sizes meet",
                 s->t[s->nt - 1]);
    }
    s->nt = found;
    dal_samples_release(ref);
    take_samples(s, ref);
    copy_columns(ref->q, &data, "q", ref->nq, row, s->nt);
    copy_columns(ref->v, &data, "v", ref->nv, row, s->nt);
    copy_columns(ref->la, &data, "lambda", ref->nc, row, s->nt);
}

/* Times where errors are measured: as many equal parts of the interval, up to 100, as all step sizes divide. */
static void choose_samples(study *s)
{
    const double T = s->model.t_end;
    int parts = STUDY_SAMPLES;
    for (; parts > 1; --parts) {
        int good = 1;
        for (int i = 0; i < s->nh; ++i) {
            const double steps = T / parts / s->h[i];
            good &= steps > 0.5 && fabs(steps - round(steps)) <= 1e-6 * steps;
        }
        if (good) {
            break;
        }
    }
    s->nt = parts;
    for (int i = 0; i < parts; ++i) {
        s->t[i] = i + 1 == parts ? T : T * (i + 1) / parts;
    }
}

/* Does any of the methods start? If none does, that is said once, with the exit code that a run has. */
static void check_start(study *s)
{
    const cli_model *m = &s->model;
    dal_status first = DAL_OK;
    const char *message = NULL;
    for (int k = 0; k < s->nmethods; ++k) {
        dal_sim *sim;
        const dal_status st = model_start(m, &sim, NULL, &s->opt[k]);
        if (st == DAL_OK) {
            return;
        }
        first = message == NULL ? st : first;
        message = message == NULL ? cli_copy(dal_ctx_message(m->ctx)) : message;
    }
    cli_fail(model_start_code(first), "%s", message);
}

/* Observed orders from the errors of neighbouring step sizes. */
static void find_orders(study *s)
{
    for (int k = 0; k < s->nmethods * s->nh; ++k) {
        const study_row *a = &s->row[k - (k % s->nh > 0)];
        study_row *b = &s->row[k];
        if (a != b) {
            b->order.q = dal_observed_order(a->h, a->error.q, b->h, b->error.q);
            b->order.v = dal_observed_order(a->h, a->error.v, b->h, b->error.v);
            b->order.lambda = dal_observed_order(a->h, a->error.lambda, b->h, b->error.lambda);
        }
    }
}

void study_perform(study *s)
{
    check_start(s);
    choose_samples(s);
    for (int k = 0; k < s->nmethods && (k == 0 || s->kind == REFERENCE_SELF); ++k) {
        take_samples(s, &s->ref[k]);
    }
    (s->kind == REFERENCE_EXACT ? reference_exact : s->kind == REFERENCE_SELF ? reference_self : reference_file)(s);
    for (int k = 1; k < s->nmethods && s->kind != REFERENCE_SELF; ++k) {
        s->ref[k] = s->ref[0];
    }
    const int n = s->nmethods * s->nh;
    s->row = cli_alloc((size_t)n, sizeof *s->row);
    work_all(s, n, run_row);
    find_orders(s);
}
