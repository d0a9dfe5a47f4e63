#include "cli/about.h"

#include <math.h>
#include <string.h>

#include "cli/progress.h"
#include "dalembert/static.h"

CLI_OWNS(dal_sim)

const char *const about_axes[] = {"auto", "world", "turning", "body"};
const char *const about_steady[] = {"rest", "steady", "frozen", "periodic"};

/* A time that is more steps away than this is taken for a slip. */
static const double most_steps = 1e8;
enum { FIRST_STEPS = 100 }; /* after which the others are estimated */

/* Redundant rows do not matter here: what depends on them (reactions) is not used. */
static dal_sim *start(const cli_model *m, const double *q, const double *v)
{
    dal_options opt = m->opt;
    dal_sim *sim;
    opt.initial = opt.initial == DAL_INITIAL_STATIC ? opt.initial : DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP;
    model_try_start(m, dal_sim_create(&sim, m->ctx, m->sys, &opt));
    CLI_OWN(dal_sim, sim);
    model_try_start(m, dal_sim_start(sim, NULL, 0.0, q, v));
    return sim;
}

/* Start where the model is in equilibrium, at rest or, if it turns, in axes that turn with what turns fastest at the start. */
static dal_sim *rest(const cli_model *m, int steady)
{
    dal_static_options opt = {.nearest = 0};
    dal_static_report report;
    double *q = model_q0(m), *v = cli_alloc((size_t)m->sys->group->nv, sizeof *v);
    memcpy(v, dal_model_v0(m->model), (size_t)m->sys->group->nv * sizeof *v);
    if (steady) { // velocities as they are when they are consistent
        const dal_state s = dal_sim_state(start(m, q, v));
        (void)dal_static_turning(opt.turning, opt.centre, m->sys, s.q, s.v);
    }
    cli_try(m->ctx, dal_static_solve(m->ctx, m->sys, NULL, q, v, NULL, &report, 0.0, &opt), CLI_INTEGRATION);
    if (!report.stable) {
        cli_say("note: the equilibrium is unstable, it gives way in the direction %s; no stable one was found from the "
                "initial position",
                report.nnegative > 0 ? report.negative[0].name : "");
    }
    return start(m, q, v);
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
static void run_to(dal_sim *sim, const cli_model *m, double t)
{
    course *c = cli_alloc(1, sizeof *c); // the simulation keeps its observer
    c->t_end = t;
    dal_stop reason = DAL_STOP_TIME;
    progress_start(&c->progress, 0, sim, t);
    dal_status st = dal_sim_observe(sim, watch, c);
    st = st != DAL_OK ? st : dal_sim_run(sim, &reason, t);
    progress_clear(&c->progress);
    cli_try(m->ctx, st, CLI_INTEGRATION);
    if (reason == DAL_STOP_OBSERVER) {
        cli_usage(
            "--about %g: the model would have to be simulated for about %.0e steps, more than %.0e; take an earlier "
            "time or larger steps (--set h=...)",
            t, c->steps, most_steps);
    }
    c->progress.on = 0;
    const dal_state s = dal_sim_state(sim);
    const size_t nq = (size_t)m->sys->group->nq, nv = (size_t)m->sys->group->nv;
    double *q = cli_alloc(nq + nv, sizeof *q), *v = q + nq;
    memcpy(q, s.q, nq * sizeof *q);
    memcpy(v, s.v, nv * sizeof *v);
    model_try_start(m, dal_sim_start(sim, NULL, s.t, q, v));
}

/* Say that initial velocities are dropped. */
static void note_velocities(const cli_model *m)
{
    const double *v = dal_model_v0(m->model);
    int moves = 0;
    for (int i = 0; i < m->sys->group->nv; ++i) {
        moves |= v[i] != 0.0;
    }
    if (moves) {
        cli_say("note: the equilibrium is at rest; initial velocities of the model (a spin, for example) are dropped");
    }
}

/* Say that closed contacts count as joints. */
static void note_contacts(const dal_sim *sim)
{
    int n, closed = 0;
    char name[96] = "";
    const dal_contact_event *event = dal_sim_contact_events(sim, &n);
    for (int i = 0; i < n; ++i) {
        closed += (event[i].what == DAL_CONTACT_TOUCH) - (event[i].what == DAL_CONTACT_LIFT);
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
        dal_kink kink;
        if (dal_model_kink(m->model, data, &kink, at, k) == DAL_OK && kink != DAL_KINK_NONE) {
            model_warn(m, cli_text(kink == DAL_KINK_SLOPE
                                       ? "force '%.100s' has a kink at this state: its derivative is the mean of those "
                                         "on both sides"
                                       : "force '%.100s' jumps at this state: a linear model says nothing about small "
                                         "motions that cross the jump; replace it by a steep slope (tanh instead of "
                                         "sign) to see them",
                                   dal_model_force_name(m->model, k)));
        }
    }
}

/* Warn of events that set inputs at sample times: the inputs are constants here. */
static void warn_of_samples(cli_model *m)
{
    for (int k = 0; k < m->sys->events.n; ++k) {
        const dal_system_event *e = &m->sys->events.event[k];
        if (e->every > 0.0) {
            model_warn(m,
                       cli_text("event '%.100s' samples every %g s: the inputs that it sets are held as constants, so "
                                "the loop of this controller is open here; write it as a law to have it closed",
                                e->name, e->every));
        }
    }
}

static int is_static(const cli_args *args)
{
    const char *about = cli_value(args, "about");
    return about != NULL && strcmp(about, "static") == 0;
}

dal_sim *about_start(cli_model *m, dal_point *at, const cli_args *args, int told)
{
    const char *about = cli_value(args, "about");
    const int words = isnan(cli_real(args, "about")), steady = words && strcmp(about, "steady") == 0;
    dal_sim *sim =
        steady || is_static(args) ? rest(m, steady) : start(m, dal_model_q0(m->model), dal_model_v0(m->model));
    if (cli_real(args, "about") > 0.0) {
        run_to(sim, m, cli_real(args, "about"));
    }
    const dal_state s = dal_sim_shown_state(sim);
    *at = (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    if (!told) {
        if (is_static(args)) {
            note_velocities(m);
        }
        note_contacts(sim);
        about_kinks(m, dal_sim_data(sim), at);
        warn_of_samples(m);
    }
    return sim;
}

const char *about_whirl(int whirl)
{
    return whirl > 0 ? "forward" : whirl < 0 ? "backward" : "";
}

const char *about_remedy(const cli_args *args)
{
    return is_static(args) ? "drives or loads set the equilibrium in motion" : "--about static finds the equilibrium";
}
