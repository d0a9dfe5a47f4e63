/* The library as the engine of units: it runs the model of the resources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fmu/engine.h"
#include "fmu/fmu.h"

struct fmu_engine {
    fmu_model m;
    dal_sim *sim;
    fmu_logger logger;
    void *user;
    dal_status last;
    char *text, *settings; /* of the resources */
    const char **set, **parameter;
    double *work;  /* q and v */
    double *bound; /* parameters, then inputs */
    double *told;  /* inputs as the importer has set them */
    int stopping;  /* at events: */
    int nhappened;
};

static void log_warning(dal_log_level level, const char *text, void *user)
{
    const fmu_engine *e = user;
    if (level == DAL_LOG_WARNING) {
        e->logger(e->user, 0, text);
    }
}

const char *fmu_engine_message(const fmu_engine *e)
{
    const char *text = dal_ctx_message(e->m.ctx);
    return text[0] != '\0' ? text : dal_status_text(e->last);
}

static int note(fmu_engine *e, dal_status st)
{
    e->last = st;
    return st != DAL_OK;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static char *read_text(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, room = 0, got = 1;
    while (file != NULL && got > 0) {
        room = 2 * room + 65536;
        char *larger = realloc(text, room);
        got = larger != NULL ? fread(larger + n, 1, room - n - 1, file) : 0;
        text = larger != NULL ? larger : text;
        n += got;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (text != NULL) {
        text[n] = '\0';
    }
    return text;
}

/* Lines "set k=2" and "parameter m" into two lists, which point into the text. */
static int read_settings(fmu_engine *e, fmu_source *from, char *text)
{
    size_t lines = 1;
    for (const char *c = text; *c != '\0'; ++c) {
        lines += *c == '\n';
    }
    e->set = calloc(lines, sizeof *e->set);
    e->parameter = calloc(lines, sizeof *e->parameter);
    if (e->set == NULL || e->parameter == NULL) {
        return 0;
    }
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end != '\0' ? end + 1 : end;
        *end = '\0';
        if (strncmp(line, "set ", 4) == 0) {
            e->set[from->nset++] = line + 4;
        } else if (strncmp(line, "parameter ", 10) == 0) {
            e->parameter[from->nparameters++] = line + 10;
        }
        line = next;
    }
    from->set = e->set;
    from->parameter = e->parameter;
    return 1;
}

static dal_status watch(dal_sim *sim, const dal_state *state, void *user)
{
    const fmu_engine *e = user;
    int n = 0;
    (void)state;
    (void)dal_sim_contact_events(sim, &n);
    return e->stopping && n > e->nhappened ? DAL_RETRY : DAL_OK;
}

static dal_status create(fmu_engine *e, const fmu_source *from, int exchange)
{
    DAL_TRY(fmu_model_load(&e->m, from));
    const int nx = e->m.sys->group->nq + e->m.sys->group->nv;
    if (exchange && e->m.nstates == 0) {
        return dal_fail(e->m.ctx, DAL_EINVAL, "the model has %s: it cannot be integrated from outside",
                        e->m.only_inside);
    }
    e->work = calloc((size_t)nx + (size_t)e->m.nparameters + 2 * (size_t)e->m.ninputs + 1, sizeof *e->work);
    if (e->work == NULL) {
        return dal_fail(e->m.ctx, DAL_ENOMEM, "out of memory");
    }
    e->bound = e->work + nx;
    e->told = e->bound + e->m.nparameters + e->m.ninputs;
    DAL_TRY(dal_sim_create(&e->sim, e->m.ctx, e->m.sys, dal_document_options(e->m.doc)));
    return dal_sim_observe(e->sim, watch, e);
}

/* The texts of the resources, which must be those of the token; NULL, or what is wrong. */
static const char *read_resources(fmu_engine *e, const char *folder, const char *token)
{
    char expected[FMU_TOKEN];
    e->text = read_text(folder, "model.json");
    e->settings = read_text(folder, "settings.txt");
    if (e->text == NULL || e->settings == NULL) {
        return "the resources of the unit cannot be read: model.json, settings.txt";
    }
    fmu_token(expected, e->text, e->settings);
    return token != NULL && strcmp(expected, token) == 0
               ? NULL
               : "the token is not that of the resources: description and binary belong to different units";
}

fmu_engine *fmu_engine_open(fmu_about *about, const char *folder, const char *token, int exchange, fmu_logger logger,
                            void *user)
{
    fmu_engine *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    char name[4096];
    const dal_config config = {.log = log_warning, .user = e};
    e->logger = logger;
    e->user = user;
    snprintf(name, sizeof name, "%s/model.json", folder != NULL ? folder : "");
    const char *wrong = read_resources(e, folder != NULL ? folder : "", token);
    fmu_source from = {.name = name, .text = e->text};
    if (wrong == NULL && (!read_settings(e, &from, e->settings) || dal_ctx_create(&e->m.ctx, &config) != DAL_OK)) {
        wrong = "out of memory";
    }
    if (wrong == NULL && note(e, create(e, &from, exchange))) {
        wrong = fmu_engine_message(e);
    }
    if (wrong != NULL) {
        logger(user, 1, wrong);
        fmu_engine_close(e);
        return NULL;
    }
    const dal_group *group = e->m.sys->group;
    *about = (fmu_about){.variable = e->m.variable,
                         .n = e->m.n,
                         .ninputs = e->m.ninputs,
                         .nparameters = e->m.nparameters,
                         .noutputs = dal_model_output_size(e->m.model),
                         .nq = group->nq,
                         .nv = group->nv,
                         .nstates = e->m.nstates,
                         .nindicators = e->m.nindicators};
    return e;
}

void fmu_engine_close(fmu_engine *e)
{
    if (e == NULL) {
        return;
    }
    dal_sim_destroy(e->sim);
    if (e->m.ctx != NULL) {
        fmu_model_release(&e->m);
    }
    dal_ctx_destroy(e->m.ctx);
    free(e->work);
    free((void *)e->set);
    free((void *)e->parameter);
    free(e->text);
    free(e->settings);
    free(e);
}

/* ---- the course --------------------------------------------------------------------------------- */

static const double *bound(const fmu_engine *e, const double *p, const double *u)
{
    memcpy(e->bound, p, (size_t)e->m.nparameters * sizeof *p);
    memcpy(e->bound + e->m.nparameters, u, (size_t)e->m.ninputs * sizeof *u);
    return e->bound;
}

/* From the initial values, which are those of t = 0, and brought to the joints at t. */
static dal_status begin(fmu_engine *e, double t, const double *p, const double *u)
{
    const int nq = e->m.sys->group->nq, nv = e->m.sys->group->nv;
    if (e->m.binding != NULL) {
        DAL_TRY(dal_binding_start(e->m.binding, e->sim, NULL, bound(e, p, u)));
    } else {
        DAL_TRY(e->m.ninputs > 0 ? dal_sim_set_inputs(e->sim, u) : DAL_OK);
        DAL_TRY(dal_sim_start(e->sim, NULL, 0.0, dal_model_q0(e->m.model), dal_model_v0(e->m.model)));
    }
    if (t == 0.0) {
        return DAL_OK;
    }
    const dal_state s = dal_sim_state(e->sim); // it moves while the simulation starts
    memcpy(e->work, s.q, (size_t)nq * sizeof *e->work);
    memcpy(e->work + nq, s.v, (size_t)nv * sizeof *e->work);
    return dal_sim_start(e->sim, NULL, t, e->work, e->work + nq);
}

int fmu_engine_start(fmu_engine *e, double t, const double *p, const double *u)
{
    memcpy(e->told, u, (size_t)e->m.ninputs * sizeof *u);
    return note(e, begin(e, t, p, u));
}

int fmu_engine_accept(fmu_engine *e, int *event)
{
    return note(e, dal_sim_accept_placed(e->sim, event));
}

int fmu_engine_indicators(fmu_engine *e, double *z)
{
    return note(e, dal_sim_indicators(e->sim, z));
}

int fmu_engine_switch(fmu_engine *e, fmu_update *did)
{
    const int failed = note(e, dal_sim_switch(e->sim, &did->terminated));
    did->next = dal_sim_next_event(e->sim);
    return failed;
}

/* Inputs that the importer has changed, among those there are: what events have set stays until it sets it itself. */
static const double *inputs_now(fmu_engine *e, const double *p, const double *u)
{
    double *now = e->bound + e->m.nparameters;
    memcpy(e->bound, p, (size_t)e->m.nparameters * sizeof *p);
    for (int k = 0; k < e->m.ninputs; ++k) {
        now[k] = u[k] != e->told[k] ? u[k] : dal_data_input(dal_sim_data(e->sim), k).value;
    }
    return now;
}

static dal_status change(fmu_engine *e, double t, const double *p, const double *u, const double *x)
{
    const int same = memcmp(e->told, u, (size_t)e->m.ninputs * sizeof *u) == 0;
    if (!same && x != NULL) {
        const double *now = inputs_now(e, p, u);
        dal_data *data = dal_sim_data(e->sim);
        DAL_TRY(e->m.binding != NULL ? dal_binding_set(e->m.binding, data, e->bound) : dal_data_set_inputs(data, now));
    } else if (!same) {
        const double *now = inputs_now(e, p, u);
        DAL_TRY(e->m.binding != NULL ? dal_binding_change(e->m.binding, e->sim, e->bound)
                                     : dal_sim_set_inputs(e->sim, now));
    }
    memcpy(e->told, u, (size_t)e->m.ninputs * sizeof *u);
    return x != NULL ? dal_sim_place(e->sim, t, x, x + e->m.sys->group->nq) : DAL_OK;
}

int fmu_engine_change(fmu_engine *e, double t, const double *p, const double *u, const double *x)
{
    return note(e, change(e, t, p, u, x));
}

int fmu_engine_run(fmu_engine *e, fmu_step *did, double t, int stop_at_events)
{
    dal_stop reason = DAL_STOP_TIME;
    (void)dal_sim_contact_events(e->sim, &e->nhappened);
    e->stopping = stop_at_events;
    const dal_status st = dal_sim_run(e->sim, &reason, t);
    e->stopping = 0;
    did->t = st == DAL_OK && reason == DAL_STOP_TIME ? t : dal_sim_state(e->sim).t;
    did->event = reason == DAL_STOP_OBSERVER;
    did->terminated = reason == DAL_STOP_EVENT;
    return note(e, st);
}

int fmu_engine_show(fmu_engine *e, double *y, double *x, double *vd)
{
    const dal_state s = dal_sim_shown_state(e->sim);
    const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    const int nq = e->m.sys->group->nq, nv = e->m.sys->group->nv;
    memcpy(x, s.q, (size_t)nq * sizeof *x);
    memcpy(x + nq, s.v, (size_t)nv * sizeof *x);
    memcpy(vd, s.vd, (size_t)nv * sizeof *vd);
    return note(e, dal_model_outputs(e->m.model, dal_sim_data(e->sim), y, &at));
}

void fmu_engine_move(const fmu_engine *e, double *q1, const double *q, const double *theta)
{
    dal_retract(e->m.sys->group, q1, q, theta);
}

/* Inputs as the importer has set them, those that the simulation knows of; then the simulation. */
static size_t told_size(const fmu_engine *e)
{
    return (size_t)e->m.ninputs * sizeof *e->told;
}

size_t fmu_engine_size(const fmu_engine *e)
{
    return told_size(e) + dal_sim_snapshot_size(e->sim);
}

int fmu_engine_save(fmu_engine *e, void *to, size_t n)
{
    memcpy(to, e->told, told_size(e));
    return note(e, dal_sim_save(e->sim, (char *)to + told_size(e), n - told_size(e)));
}

/* What numbers follow from is not in a snapshot: events that set inputs need it. */
static dal_status restore(fmu_engine *e, const void *from, size_t n, const double *p)
{
    const size_t told = told_size(e);
    if (n < told) {
        return dal_fail(e->m.ctx, DAL_EINVAL, "this is no state of the unit");
    }
    DAL_TRY(dal_sim_restore(e->sim, (const char *)from + told, n - told));
    memcpy(e->told, from, told);
    (void)inputs_now(e, p, e->told);
    return e->m.binding != NULL ? dal_binding_set(e->m.binding, dal_sim_data(e->sim), e->bound) : DAL_OK;
}

int fmu_engine_restore(fmu_engine *e, const void *from, size_t n, const double *p)
{
    return note(e, restore(e, from, n, p));
}
