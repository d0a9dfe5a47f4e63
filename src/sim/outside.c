/* A motion that is integrated from outside: whoever integrates places the state, watches indicators, and says when what has to happen is to
 * happen. Between these moments nothing is switched. */
#include <math.h>

#include "base/message.h"
#include "base/vector.h"
#include "sim/contact_impl.h"

int dal_sim_indicator_count(const dal_system *sys)
{
    return sys ? 3 * sys->contacts.n + sys->events.n : 0;
}

/* In one piece: the messages of a call belong to it. */
static dal_status as_solver(dal_sim *sim, const char *function, dal_status (*call)(dal_sim *sim, void *arguments),
                            void *arguments)
{
    DAL_TRY(dal_sim_idle(sim, function));
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "the simulation has no state yet: call dal_sim_start first");
    }
    dal_message kept;
    dal_message_keep(&kept, sim->ctx);
    sim->phase = SIM_SOLVING;
    const dal_status st = call(sim, arguments);
    sim->phase = SIM_IDLE;
    return dal_message_settle(&kept, sim->ctx, st);
}

/* The same of a call that says yes or no; to: NULL if nobody wants to know. */
static dal_status as_solver_says(dal_sim *sim, const char *function, dal_status (*call)(dal_sim *sim, void *arguments),
                                 int *to)
{
    int yes = 0;
    const dal_status st = as_solver(sim, function, call, &yes);
    if (to) {
        *to = yes;
    }
    return st;
}

/* ---- the state ---------------------------------------------------------------------------------- */

static dal_status place(dal_sim *sim, void *arguments)
{
    const dal_point *at = arguments;
    const dal_state_buffer *s = sim->method->current;
    dal_sim_claim_scratch(sim);
    dal_data_forget(sim->data);
    dal_copy(sim->q, at->q, sim->ev->nq);
    dal_copy(sim->v, at->v, sim->ev->nv);
    dal_normalise(sim->ev->G, sim->q);
    DAL_TRY(dal_state_check(sim->ctx, sim->sys, DAL_EINITIAL, "given", at->t, sim->q, sim->v));
    DAL_TRY(dal_sim_start_again(sim, at->t, sim->opt.step != DAL_STEP_ADAPTIVE ? sim->opt.h : s->h));
    dal_sim_reset_grid(sim);
    sim->output = 0;
    s = sim->method->current;
    return sim->reduction ? dal_sim_whole_multipliers(sim, sim->la, &(dal_point){s->t, s->q, s->v, s->vd, s->la})
                          : DAL_OK;
}

dal_status dal_sim_place(dal_sim *sim, double t, const double *q, const double *v)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, q);
    DAL_NEED(sim->ctx, v);
    return as_solver(sim, __func__, place, &(dal_point){.t = t, .q = q, .v = v});
}

/* Rows that were left out because they depended on others, and do not any more, are no reason to fail: other contacts have to hold, or other rows. */
static dal_status accept(dal_sim *sim, void *arguments)
{
    int *event = arguments;
    dal_status st = dal_sim_watch_step(sim);
    *event = (st == DAL_EREDUNDANT && sim->contacts) || sim->stale;
    DAL_TRY(*event ? DAL_OK : st);
    DAL_TRY(dal_sim_settle(sim, DAL_MOMENT_STEP));
    dal_sim_contacts_accept(sim);
    return dal_sim_own_sides(sim);
}

dal_status dal_sim_accept_placed(dal_sim *sim, int *event)
{
    DAL_NEED(NULL, sim);
    return as_solver_says(sim, __func__, accept, event);
}

/* ---- what happens ------------------------------------------------------------------------------- */

static dal_status indicators(dal_sim *sim, void *arguments)
{
    double *z = arguments;
    for (int k = 0; k < dal_sim_indicator_count(sim->sys); ++k) {
        z[k] = 1.0;
    }
    DAL_TRY(dal_sim_contacts_located(sim) ? dal_sim_contacts_now(sim, z) : DAL_OK);
    return dal_sim_own_values(sim, z + (ptrdiff_t)3 * sim->sys->contacts.n);
}

dal_status dal_sim_indicators(dal_sim *sim, double *z)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, z);
    return as_solver(sim, __func__, indicators, z);
}

double dal_sim_next_event(const dal_sim *sim)
{
    return sim && sim->started ? fmin(dal_sim_next_break(sim, sim->method->current->t, 1), dal_sim_own_next(sim))
                               : INFINITY;
}

/* Forces that jump at this time, contacts whose mode has ended, events; then what these set off. */
static dal_status happen(dal_sim *sim, void *arguments)
{
    int *stop = arguments, more = 1;
    for (int round = 0; more && round <= sim->sys->contacts.n; ++round) {
        DAL_TRY(dal_sim_own_ready(sim));
        DAL_TRY(dal_sim_contacts_located(sim) ? dal_sim_contacts_end_now(sim) : DAL_OK);
        DAL_TRY(dal_sim_pass_break(sim));
        if (dal_sim_own_happens(sim)) {
            const dal_state_buffer *s = sim->method->current;
            dal_copy(sim->q, s->q, sim->ev->nq);
            dal_copy(sim->v, s->known > 0 ? s->vc : s->v, sim->ev->nv);
            DAL_TRY(dal_sim_restart_with_own(sim, stop, s->t, s->h));
        }
        DAL_TRY(dal_sim_settle(sim, DAL_MOMENT_RESTART));
        dal_sim_contacts_accept(sim);
        DAL_TRY(dal_sim_contacts_located(sim) ? dal_sim_contacts_ended_now(sim, &more) : DAL_OK);
        more = more && dal_sim_contacts_located(sim);
    }
    return dal_sim_balance_anew(sim);
}

dal_status dal_sim_switch(dal_sim *sim, int *stop)
{
    DAL_NEED(NULL, sim);
    return as_solver_says(sim, __func__, happen, stop);
}
