#include "cli/about.h"

#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "dalembert/static.h"

/* A time that is more steps away than this is taken for a slip. */
static const double most_steps = 1e8;
enum { FIRST_STEPS = 100 }; /* after which the others are estimated */

/* Redundant rows do not matter here: what depends on them (reactions) is not used. */
static int create(dal_sim **sim, const cli_model *m, double t, const double *q, const double *v)
{
    dal_options opt = m->opt;
    opt.initial = opt.initial == DAL_INITIAL_STATIC && t == 0.0 ? opt.initial : DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP;
    dal_status st = dal_sim_create(sim, m->ctx, m->sys, &opt);
    st = st != DAL_OK ? st : dal_sim_start(*sim, NULL, t, q, v);
    return st == DAL_OK ? CLI_OK : model_start_failure(m, st);
}

/* Start where the model is in equilibrium, at rest or, if it turns, in axes that turn with what turns fastest at the start. */
static int rest(dal_sim **sim, const cli_model *m, int steady)
{
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    dal_static_options opt = {.nearest = 0};
    if (steady) { // velocities as they are when they are consistent
        const int code = create(sim, m, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
        if (code != CLI_OK) {
            return code;
        }
        const dal_state s = dal_sim_state(*sim);
        (void)dal_static_turning(opt.turning, opt.centre, m->sys, s.q, s.v);
        dal_sim_destroy(*sim);
        *sim = NULL;
    }
    double *q = cli_alloc((size_t)nq + (size_t)nv, sizeof *q), *v = q + nq;
    memcpy(q, dal_model_q0(m->model), (size_t)nq * sizeof *q);
    memcpy(v, dal_model_v0(m->model), (size_t)nv * sizeof *v);
    dal_static_report report;
    const dal_status st = dal_static_solve(m->ctx, m->sys, NULL, q, v, NULL, &report, 0.0, &opt);
    if (st == DAL_OK && !report.stable) {
        cli_say("note: the equilibrium is unstable, it gives way in the direction %s; no stable one was found from the "
                "initial position",
                report.nnegative > 0 ? report.negative[0].name : "");
    }
    const int code =
        st == DAL_OK ? create(sim, m, 0.0, q, v) : cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    free(q);
    return code;
}

typedef struct course {
    cli_progress progress;
    double t_end, steps; /* estimated when some are made */
} course;

static dal_status watch(dal_sim *sim, const dal_state *s, void *user)
{
    course *c = user;
    const long steps = dal_sim_stats(sim).steps;
    progress_show(&c->progress, sim);
    c->steps = steps >= FIRST_STEPS && s->t > 0.0 ? (double)steps * (c->t_end / s->t) : 0.0;
    return c->steps > most_steps ? DAL_RETRY : DAL_OK;
}

/* Run to t and start anew from there: accelerations and multipliers of the state, not of the integrator. */
static int run_to(dal_sim **sim, const cli_model *m, double t)
{
    static course c; // the simulation keeps its observer
    c = (course){.t_end = t};
    dal_stop reason = DAL_STOP_TIME;
    progress_start(&c.progress, 0, *sim, t);
    dal_status run = dal_sim_observe(*sim, watch, &c);
    run = run != DAL_OK ? run : dal_sim_run(*sim, &reason, t);
    progress_clear(&c.progress);
    if (run != DAL_OK) {
        return cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    }
    if (reason == DAL_STOP_OBSERVER) {
        return cli_usage(
            "--about %g: the model would have to be simulated for about %.0e steps, more than %.0e; take an earlier "
            "time or larger steps (--set h=...)",
            t, c.steps, most_steps);
    }
    c.progress.on = 0;
    const dal_state s = dal_sim_state(*sim);
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    double *q = cli_alloc((size_t)nq + (size_t)nv, sizeof *q), *v = q + nq;
    memcpy(q, s.q, (size_t)nq * sizeof *q);
    memcpy(v, s.v, (size_t)nv * sizeof *v);
    const dal_status st = dal_sim_start(*sim, NULL, s.t, q, v);
    free(q);
    return st == DAL_OK ? CLI_OK : model_start_failure(m, st);
}

int about_start(dal_sim **sim, const cli_model *m, const char *about)
{
    double t = 0.0;
    *sim = NULL;
    const int initial = about == NULL || strcmp(about, "initial") == 0;
    if (about != NULL && (strcmp(about, "static") == 0 || strcmp(about, "steady") == 0)) {
        return rest(sim, m, strcmp(about, "steady") == 0);
    }
    if (!initial && (!cli_number(&t, about) || t < 0.0)) {
        return cli_usage("--about takes initial, static, steady or a time, not '%s'", about);
    }
    const int code = create(sim, m, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
    return code == CLI_OK && t > 0.0 ? run_to(sim, m, t) : code;
}

void about_note(const cli_model *m, const char *about)
{
    const double *v = dal_model_v0(m->model);
    int moves = 0;
    for (int i = 0; i < m->sys->group->nv; ++i) {
        moves |= v[i] != 0.0;
    }
    if (moves && about != NULL && strcmp(about, "static") == 0) {
        cli_say("note: the equilibrium is at rest; initial velocities of the model (a spin, for example) are dropped");
    }
}

void about_contacts(const dal_sim *sim)
{
    int n, closed = 0;
    char name[96] = "";
    const dal_contact_event *event = dal_sim_contact_events(sim, &n);
    for (int i = 0; i < n; ++i) {
        closed += event[i].what == DAL_CONTACT_TOUCH;
        closed -= event[i].what == DAL_CONTACT_LIFT;
        if (event[i].what == DAL_CONTACT_TOUCH) {
            (void)dal_sim_happening(sim, name, sizeof name, &event[i]);
        }
    }
    if (closed > 0) {
        cli_say("note: %d closed contacts (%s among them) count as joints, those that stick do not slide: small "
                "motions that "
                "open them or make them slip are not seen",
                closed, name);
    }
}

void about_kinks(cli_model *m, dal_data *data, const dal_point *at)
{
    for (int k = 0; k < dal_model_report(m->model).forces; ++k) {
        char text[400];
        dal_kink kink;
        if (dal_model_kink(m->model, data, &kink, at, k) != DAL_OK || kink == DAL_KINK_NONE) {
            continue;
        }
        snprintf(
            text, sizeof text,
            kink == DAL_KINK_SLOPE
                ? "force '%.100s' has a kink at this state: its derivative is the mean of those on both sides"
                : "force '%.100s' jumps at this state: a linear model says nothing about small motions that cross the "
                  "jump; replace it by a steep slope (tanh instead of sign) to see them",
            dal_model_force_name(m->model, k));
        model_warn(m, text);
    }
}

void about_samples(cli_model *m)
{
    for (int k = 0; k < m->sys->events.n; ++k) {
        const dal_system_event *e = &m->sys->events.event[k];
        char text[400];
        if (e->every > 0.0) {
            snprintf(
                text, sizeof text,
                "event '%.100s' samples every %g s: the inputs that it sets are held as constants, so the loop of this "
                "controller is open here; write it as a law to have it closed",
                e->name, e->every);
            model_warn(m, text);
        }
    }
}

dal_point about_point(const dal_sim *sim)
{
    const dal_state s = dal_sim_shown_state(sim);
    return (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
}

const char *about_whirl(int whirl)
{
    return whirl > 0 ? "forward" : whirl < 0 ? "backward" : "";
}
