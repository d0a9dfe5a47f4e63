/* One run: a thread has one worker and uses it for one member after the other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sim/follow.h"
#include "sweep/sweep_impl.h"

/* A step is halved to follow what is collected in it so often, and into so many parts in all: enough for some kinks. */
enum { ASSIGNMENT = 400, HALVINGS = 24, PARTS = 256 };

struct sweep_worker {
    dal_ctx *ctx; /* of the thread */
    dal_pool pool;
    dal_sweep *sweep;
    int (*stop)(void *user);
    void *user;
    int stopped;
    /* the model */
    dal_document *doc;    /* NULL: that of the sweep */
    dal_binding *binding; /* of doc, for numbers of elements */
    const dal_model *model;
    dal_sim *sim;
    double t_end;
    const char **set;
    char (*assignment)[ASSIGNMENT];
    /* the numbers of a run */
    double *x;       /* parameters */
    double *outputs; /* noutputs */
    int noutputs;
    sweep_input *input;
    double *in;       /* inputs of expressions, then parameters */
    double *along;    /* reductions at the points of a stretch: SWEEP_POINTS each */
    double tolerance; /* of what is collected between the steps */
    double from, to;  /* the present step */
    int parts;        /* ... and how many it has been cut into */
    double *r;        /* reductions, then parameters */
    sweep_tally *tally;
    double *value, *trajectory;
    int sampled;
    unsigned char *record;
    size_t room;
};

/* ---- values at a state ------------------------------------------------------------------------ */

static dal_status evaluate(sweep_worker *w, const dal_point *at)
{
    const sweep_plan *plan = &w->sweep->plan;
    DAL_TRY(dal_model_outputs(w->model, dal_sim_data(w->sim), w->outputs, at));
    for (int k = 0; k < plan->ninputs; ++k) {
        const sweep_input *in = &w->input[k];
        const double *y = w->outputs + in->first;
        w->in[k] = in->output < 0 ? at->t : in->n == 1 ? y[0] : sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    }
    return DAL_OK;
}

static dal_status tally(sweep_worker *w, double t)
{
    return dal_sweep_course_add(w->sweep, w->tally, w->ctx, t, w->in);
}

/* From t0 to t1, by dense output: in parts, in each of which polynomials follow what is collected. */
static dal_status follow_part(sweep_worker *w, double t0, double t1, int halvings)
{
    const dal_sweep *s = w->sweep;
    const sweep_curve part = dal_sweep_line(t0, 0.0, t1, 0.0);
    for (int i = 0; i < SWEEP_POINTS; ++i) {
        dal_point at;
        const double t = dal_sweep_time_at(&part, dal_sweep_node[i]);
        DAL_TRY(dal_sim_state_at(w->sim, &at, fmin(fmax(t, w->from), w->to)));
        DAL_TRY(evaluate(w, &at));
        for (int k = 0; k < s->plan.nreductions; ++k) {
            w->along[k * SWEEP_POINTS + i] = dal_expression_at(s->plan.reduction[k].of, w->in);
        }
    }
    const int smooth = dal_sweep_course_follows(s, w->tally, w->along, w->tolerance);
    if (!smooth && halvings < HALVINGS && w->parts < PARTS) {
        const double middle = 0.5 * (t0 + t1);
        ++w->parts;
        DAL_TRY(follow_part(w, t0, middle, halvings + 1));
        return follow_part(w, middle, t1, halvings + 1);
    }
    return dal_sweep_course_stretch(s, w->tally, w->ctx, t0, t1, w->along, smooth);
}

static dal_status follow(dal_sim *sim, double t0, double t1, void *user)
{
    sweep_worker *w = user;
    (void)sim;
    w->parts = 1;
    w->from = t0 + 1e-8 * (t1 - t0); // within the step, should it begin or end with a jump
    w->to = t1 - 1e-8 * (t1 - t0);
    return follow_part(w, t0, t1, 0);
}

/* Steps of generalized-alpha and RATTLie of a fixed size are a polygon, as those of generated programs, which give no more. */
static void follow_steps(sweep_worker *w)
{
    const dal_sweep *s = w->sweep;
    const dal_options *o = dal_sim_options(w->sim);
    const int adaptive = o->step == DAL_STEP_ADAPTIVE;
    const int generated = o->integrator == DAL_INTEGRATOR_GENALPHA || o->integrator == DAL_INTEGRATOR_RATTLIE;
    const int dense = s->plan.path && (adaptive || !generated);
    for (int k = 0; k < s->plan.nreductions; ++k) {
        w->tally[k].dense = dense;
    }
    w->tolerance = adaptive ? fmax(0.1 * o->step_rtol, 1e-10) : 1e-10;
    dal_sim_follow(w->sim, dense ? follow : NULL, w);
}

static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    sweep_worker *w = user;
    const sweep_plan *plan = &w->sweep->plan;
    if (w->stop != NULL && w->stop(w->user)) {
        w->stopped = 1;
        return DAL_RETRY;
    }
    if (plan->path || (plan->start && dal_sim_stats(sim).steps == 0)) {
        const dal_point at = {.t = s->t, .q = s->q, .v = s->v, .vd = s->vd, .la = s->la};
        DAL_TRY(evaluate(w, &at));
        return tally(w, s->t);
    }
    return DAL_OK;
}

static dal_status sample(dal_sim *sim, const dal_point *at, void *user)
{
    sweep_worker *w = user;
    (void)sim;
    DAL_TRY(evaluate(w, at));
    dal_sweep_course_sample(w->sweep, w->trajectory, w->sampled++, w->in);
    return DAL_OK;
}

/* ---- the model with the numbers of a member --------------------------------------------------- */

static void close_model(sweep_worker *w)
{
    dal_sim_destroy(w->sim);
    dal_binding_destroy(w->binding);
    dal_document_destroy(w->doc);
    dal_free(w->ctx, w->outputs);
    w->sim = NULL;
    w->binding = NULL;
    w->doc = NULL;
    w->outputs = NULL;
}

static dal_status open_document(sweep_worker *w)
{
    dal_sweep *s = w->sweep;
    const char *address[SWEEP_PARAMETERS];
    double number[SWEEP_PARAMETERS];
    dal_load_options how = {.set = w->set,
                            .nset = s->nset,
                            .files_outside = s->files_outside,
                            .text = s->files_outside ? NULL : s->model_text,
                            .address = address,
                            .number = number};
    for (int k = 0; k < s->np; ++k) {
        if (s->parameter[k].made) {
            address[how.nnumbers] = s->parameter[k].name;
            number[how.nnumbers++] = w->x[k];
        }
        if (s->parameter[k].element) {
            continue;
        }
        char digits[DAL_NUMBER_SIZE];
        dal_number_format(digits, w->x[k]);
        snprintf(w->assignment[k], ASSIGNMENT, "%.300s=%s", s->parameter[k].name, digits);
        w->set[how.nset++] = w->assignment[k];
    }
    if (s->foreign_files) { // HDF5 knows no threads
        pthread_mutex_lock(&s->opening);
    }
    const dal_status st = dal_document_open_with(&w->doc, w->ctx, s->source, &how);
    if (s->foreign_files) {
        pthread_mutex_unlock(&s->opening);
    }
    return st;
}

static dal_status watch(sweep_worker *w)
{
    const dal_sweep *s = w->sweep;
    follow_steps(w);
    DAL_TRY(dal_sim_observe(w->sim, observe, w));
    if (s->ncurves > 0) {
        return dal_sim_sample(w->sim, &(dal_sampling){.times = s->times, .n = s->ntimes}, sample, w);
    }
    return DAL_OK;
}

/* A simulation of the model that was compiled once. */
static dal_status make_simulation(sweep_worker *w)
{
    const dal_sweep *s = w->sweep;
    if (w->sim != NULL) {
        return DAL_OK;
    }
    w->model = dal_document_model(s->doc);
    memcpy(w->input, s->input, (size_t)s->plan.ninputs * sizeof *w->input);
    if (w->outputs == NULL) {
        w->outputs = dal_alloc(w->ctx, ((size_t)s->noutputs + 1) * sizeof *w->outputs);
    }
    if (w->outputs == NULL) {
        return dal_sweep_no_memory(w->ctx);
    }
    DAL_TRY(dal_sim_create(&w->sim, w->ctx, s->system, dal_document_options(s->doc)));
    return watch(w);
}

static dal_status find_end(sweep_worker *w)
{
    const dal_status st = dal_binding_t_end(w->sweep->binding, &w->t_end, w->x);
    return st == DAL_OK ? DAL_OK : dal_fail(w->ctx, st, "t_end = %g is not a valid end time", w->t_end);
}

/* The simulation of the model that was compiled once, with the parameters w->x, started. */
static dal_status start_member(sweep_worker *w)
{
    DAL_TRY(make_simulation(w));
    DAL_TRY(dal_binding_start(w->sweep->binding, w->sim, NULL, w->x));
    return find_end(w);
}

/* Start the simulation of w->doc, with the numbers of elements among w->x if there are any. */
static dal_status start_document(sweep_worker *w, const dal_system *sys)
{
    double x[SWEEP_PARAMETERS];
    int n = 0;
    for (int k = 0; k < w->sweep->np; ++k) {
        if (w->sweep->parameter[k].element && !w->sweep->parameter[k].made) {
            x[n++] = w->x[k];
        }
    }
    if (w->binding == NULL) {
        DAL_TRY(dal_document_assemble(w->doc, NULL, sys));
    }
    DAL_TRY(dal_sim_create(&w->sim, w->ctx, sys, dal_document_options(w->doc)));
    DAL_TRY(watch(w));
    if (w->binding == NULL) {
        return dal_sim_start(w->sim, NULL, 0.0, dal_model_q0(w->model), dal_model_v0(w->model));
    }
    DAL_TRY(dal_binding_t_end(w->binding, &w->t_end, x));
    return dal_binding_start(w->binding, w->sim, NULL, x);
}

/* A simulation of the model with the parameters w->x, started. */
static dal_status open_member(sweep_worker *w)
{
    const dal_system *sys;
    close_model(w);
    DAL_TRY(open_document(w));
    dal_model *model = dal_document_model(w->doc);
    w->model = model;
    w->t_end = dal_document_t_end(w->doc);
    DAL_TRY(dal_sweep_inputs_add(w->input, &w->sweep->plan, w->ctx, model));
    DAL_TRY(dal_sweep_bind_elements(w->sweep, w->ctx, &w->binding, w->doc));
    DAL_TRY(dal_model_compile(model, &sys));
    dal_sweep_inputs_bind(w->input, &w->sweep->plan, w->model);
    w->outputs = dal_alloc(w->ctx, ((size_t)dal_model_output_size(w->model) + 1) * sizeof *w->outputs);
    if (w->outputs == NULL) {
        return dal_sweep_no_memory(w->ctx);
    }
    return start_document(w, sys);
}

/* ---- a run ------------------------------------------------------------------------------------ */

static void begin(sweep_worker *w)
{
    const dal_sweep *s = w->sweep;
    for (int k = 0; k < s->np; ++k) {
        w->in[SWEEP_COLUMNS + k] = w->r[SWEEP_COLUMNS + k] = w->x[k];
    }
    dal_sweep_course_begin(s, w->tally, w->value, w->trajectory, w->x);
    w->sampled = 0;
}

static dal_status finish(sweep_worker *w)
{
    const sweep_plan *plan = &w->sweep->plan;
    if (!plan->path) {
        const dal_state s = dal_sim_shown_state(w->sim);
        const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
        DAL_TRY(evaluate(w, &at));
        DAL_TRY(tally(w, s.t));
    }
    dal_sweep_course_end(w->sweep, w->r, w->value, w->tally);
    return DAL_OK;
}

/* A motion that is made by the method is a failure here as in a single run. */
static dal_status judge(sweep_worker *w)
{
    const dal_balance b = dal_sim_balance(w->sim);
    if (!dal_balance_off(&b, b.offset, 1.0)) {
        return DAL_OK;
    }
    return dal_fail(
        w->ctx, DAL_ESTEP,
        "the motion is no longer that of the model: the energy balance is off by %.3g J, %.2g %% of the %.3g J "
        "turned over. `dalembert run` with these values says what helps",
        b.residual, 100.0 * b.residual / fmax(b.kinetic + b.work, 1e-9 * b.residual), b.kinetic + b.work);
}

static dal_status run(sweep_worker *w)
{
    DAL_TRY(w->sweep->binding != NULL ? start_member(w) : open_member(w));
    if (!(w->t_end > 0.0)) {
        return dal_fail(w->ctx, DAL_EINVAL, "the model gives no end time");
    }
    DAL_TRY(dal_sim_watch(w->sim, NULL));
    DAL_TRY(dal_sim_run(w->sim, NULL, w->t_end));
    DAL_TRY(judge(w));
    return finish(w);
}

static dal_status reserve_record(sweep_worker *w, size_t bytes)
{
    if (bytes > w->room) {
        unsigned char *record = dal_alloc(w->ctx, bytes);
        if (record == NULL) {
            return dal_sweep_no_memory(w->ctx);
        }
        dal_free(w->ctx, w->record);
        w->record = record;
        w->room = bytes;
    }
    return DAL_OK;
}

dal_status dal_sweep_worker_start(sweep_worker *w, double *in, sweep_start *start, long member)
{
    dal_sweep_point(w->sweep, w->x, member);
    w->stopped = 0;
    begin(w);
    DAL_TRY(start_member(w));
    const dal_state s = dal_sim_shown_state(w->sim);
    const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    DAL_TRY(evaluate(w, &at));
    memcpy(in, w->in, (size_t)w->sweep->plan.ninputs * sizeof *in);
    memcpy(in + SWEEP_COLUMNS, w->x, (size_t)w->sweep->np * sizeof *in);
    *start = (sweep_start){.sim = w->sim, .x = w->x, .t_end = w->t_end};
    return DAL_OK;
}

dal_status dal_sweep_worker_check(sweep_worker *w, double *x, double *t_end, long member)
{
    dal_sweep_point(w->sweep, w->x, member);
    DAL_TRY(make_simulation(w));
    DAL_TRY(dal_binding_initial(w->sweep->binding, dal_sim_data(w->sim), NULL, NULL, w->x));
    DAL_TRY(find_end(w));
    memcpy(x, w->x, (size_t)w->sweep->np * sizeof *x);
    *t_end = w->t_end;
    return DAL_OK;
}

dal_status dal_sweep_worker_run(sweep_worker *w, const void **record, size_t *bytes, long member, int handed)
{
    const dal_sweep *s = w->sweep;
    dal_sweep_point(s, w->x, member);
    w->stopped = 0;
    begin(w);
    dal_status st = run(w);
    if (w->stopped) {
        return DAL_RETRY;
    }
    if (st == DAL_ENOMEM) {
        return st;
    }
    if (st != DAL_OK) {
        for (int k = 0; k < s->ncollect; ++k) {
            w->value[k] = NAN;
        }
    }
    const char *message = st != DAL_OK ? dal_ctx_message(w->ctx) : "";
    DAL_TRY(reserve_record(w, dal_sweep_record_size(s, strlen(message))));
    *record = w->record;
    *bytes = dal_sweep_record_write(s, w->record, member, st, handed, w->value, w->trajectory, message);
    return DAL_OK;
}

dal_status dal_sweep_evaluate(dal_sweep *s, double *value, double *trajectory, const double *x)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, x);
    if (!s->planned) {
        return dal_fail(s->ctx, DAL_EINVAL, "a sweep that was opened from journals cannot be run");
    }
    if (s->own == NULL) {
        s->own = dal_sweep_worker_create(s->ctx, s, NULL, NULL);
    }
    sweep_worker *w = s->own;
    if (w == NULL) {
        return DAL_ENOMEM;
    }
    memcpy(w->x, x, (size_t)s->np * sizeof *x);
    begin(w);
    DAL_TRY(run(w));
    if (value != NULL) {
        memcpy(value, w->value, (size_t)s->ncollect * sizeof *value);
    }
    if (trajectory != NULL) {
        memcpy(trajectory, w->trajectory, (size_t)s->ncurves * (size_t)s->ntimes * sizeof *trajectory);
    }
    return DAL_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

static dal_status allocate(sweep_worker *w)
{
    const dal_sweep *s = w->sweep;
    DAL_TAKE(&w->pool, w->set, s->nset + s->np + 1);
    DAL_TAKE(&w->pool, w->assignment, s->np + 1);
    DAL_TAKE(&w->pool, w->input, s->plan.ninputs + 1);
    DAL_TAKE(&w->pool, w->tally, s->plan.nreductions + 1);
    DAL_TAKE(&w->pool, w->x, s->np + 1);
    DAL_TAKE(&w->pool, w->in, SWEEP_COLUMNS + s->np);
    DAL_TAKE(&w->pool, w->r, SWEEP_COLUMNS + s->np);
    DAL_TAKE(&w->pool, w->along, SWEEP_POINTS * s->plan.nreductions + 1);
    DAL_TAKE(&w->pool, w->value, s->ncollect + 1);
    DAL_TAKE(&w->pool, w->trajectory, (size_t)s->ncurves * (size_t)s->ntimes + 1);
    for (int k = 0; k < s->nset; ++k) {
        w->set[k] = s->set[k];
    }
    return DAL_OK;
}

sweep_worker *dal_sweep_worker_create(dal_ctx *ctx, dal_sweep *s, int (*stop)(void *user), void *user)
{
    sweep_worker *w = dal_alloc_zero(ctx, sizeof *w);
    if (w == NULL) {
        dal_fail(ctx, DAL_ENOMEM, "no memory for a run of the sweep");
        return NULL;
    }
    *w = (sweep_worker){
        .ctx = ctx, .pool = {.ctx = ctx, .what = "a run of the sweep"}, .sweep = s, .stop = stop, .user = user};
    if (allocate(w) != DAL_OK) {
        dal_sweep_worker_destroy(w);
        return NULL;
    }
    return w;
}

void dal_sweep_worker_destroy(sweep_worker *w)
{
    if (w == NULL) {
        return;
    }
    close_model(w);
    for (int k = 0; w->tally != NULL && k < w->sweep->plan.nreductions; ++k) {
        dal_free(w->ctx, w->tally[k].history);
    }
    dal_free(w->ctx, w->record);
    dal_pool_release(&w->pool);
    dal_free(w->ctx, w);
}
