/* Events: zero crossings found at the end of a step and located on the interpolant. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "projection/reduce.h"
#include "sim/sim_impl.h"
#include "system/data.h"

static dal_status event_value(dal_sim *sim, int e, double t, const double *q, const double *v, double *value)
{
    const dal_event *ev = &sim->event[e].event;
    *value = ev->value(t, q, v, ev->user);
    if (!isfinite(*value)) {
        return dal_fail(sim->ctx, DAL_ECALLBACK, "event %d returned %g at t = %.9g", e, *value, t);
    }
    return DAL_OK;
}

/* Value of event e at the current state; an event at zero waits for the next step. */
dal_status dal_sim_arm_event(dal_sim *sim, int e)
{
    const dal_state_buffer *s = sim->method->current;
    sim_event *ev = &sim->event[e];
    DAL_TRY(event_value(sim, e, s->t, s->q, s->v, &ev->last));
    ev->armed = ev->last != 0.0;
    return DAL_OK;
}

/* The value of an event that has just fired is zero up to rounding and the error of the dense output: which side it goes to is seen a little
 * later on the motion, past the change (a ball that bounces comes back, a pendulum goes through). If it is off and goes back to zero it comes
 * from that error, and waits for the next step. */
static void arm_fired_event(dal_sim *sim, int e)
{
    const dal_state_buffer *s = sim->method->current;
    const double dt = 1e-6 * s->h, over = fabs(sim->event[e].value - sim->event[e].last);
    sim_event *ev = &sim->event[e];
    const double now = ev->event.value(s->t, s->q, s->v, ev->event.user);
    for (int i = 0; i < sim->ev->nv; ++i) {
        sim->w[i] = dt * (s->v[i] + 0.5 * dt * s->vd[i]);
        sim->v[i] = s->v[i] + dt * s->vd[i];
    }
    dal_retract(sim->ev->G, sim->q, s->q, sim->w);
    ev->last = ev->event.value(s->t + dt, sim->q, sim->v, ev->event.user);
    const int off = now * ev->last > 0.0 && fabs(ev->last) < fabs(now) && fabs(now) <= 1e-2 * over;
    ev->armed = ev->last != 0.0 && isfinite(ev->last) && !off;
}

static int crosses(const sim_event *e)
{
    const int up = e->last < 0.0 && e->value >= 0.0, down = e->last > 0.0 && e->value <= 0.0;
    return e->armed && ((up && e->event.direction >= 0) || (down && e->event.direction <= 0));
}

/* Time of the crossing of event e within the last step: bisection to rounding. */
static dal_status locate(dal_sim *sim, int e, double *t_event)
{
    double lo = sim->method->previous->t, hi = sim->method->current->t;
    const double before = sim->event[e].last;
    for (int it = 0; it < 80; ++it) {
        const double mid = lo + 0.5 * (hi - lo);
        if (mid <= lo || mid >= hi) {
            break;
        }
        double value;
        sim->method->type->interpolate(sim->method, sim->q, sim->v, NULL, NULL, mid);
        DAL_TRY(event_value(sim, e, mid, sim->q, sim->v, &value));
        if ((value < 0.0) == (before < 0.0) && value != 0.0) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    *t_event = hi;
    return DAL_OK;
}

/* Let the user change the state at an event. */
static dal_status apply_change(dal_sim *sim, int e, double t)
{
    const dal_event *event = &sim->event[e].event;
    const dal_status before = dal_message_listen(sim->ctx);
    const dal_status st = event->change ? event->change(t, sim->q, sim->v, event->user) : DAL_OK;
    if (st != DAL_OK) {
        return dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "event %d, change at t = %.9g", e, t);
    }
    dal_message_heard(sim->ctx, before);
    const dal_status valid = dal_state_check(sim->ctx, sim->sys, DAL_ECALLBACK, "changed", t, sim->q, sim->v);
    if (valid != DAL_OK) {
        return dal_fail_in(sim->ctx, valid, "event %d, change at t = %.9g", e, t);
    }
    dal_normalise(sim->ev->G, sim->q);
    return DAL_OK;
}

static dal_status start_method(dal_sim *sim, double t, double h, dal_moment moment)
{
    DAL_TRY(dal_project_position(sim->saddle, sim->q, NULL, t, DAL_POSITION_TOLERANCE));
    DAL_TRY(dal_project_velocity(sim->saddle, sim->v, NULL, t, sim->q, NULL));
    dal_integrator *m = sim->method;
    DAL_TRY(m->type->start(m, t, sim->q, sim->v, h, moment));
    return sim->goes_on && m->type->ease ? m->type->ease(m, sim->before_vd) : DAL_OK;
}

void dal_sim_goes_on(dal_sim *sim, double t)
{
    const dal_state_buffer *s = sim->method->current;
    if (t < s->t) {
        sim->method->type->interpolate(sim->method, NULL, NULL, sim->before_vd, NULL, t);
    } else {
        dal_copy(sim->before_vd, s->vd, sim->ev->nv);
    }
    sim->goes_on = 1;
}

dal_status dal_sim_rebuild(dal_sim *sim, const double *q, const double *v, double t)
{
    const dal_newton_stats newton = *sim->method->newton_stats;
    const long residuals = sim->ev->nresiduals;
    DAL_TRY(dal_sim_leave_out_redundant(sim, &q, &v, t));
    dal_copy(sim->q, q, sim->ev->nq);
    dal_copy(sim->v, v, sim->ev->nv);
    *sim->method->newton_stats = newton;
    sim->ev->nresiduals = residuals;
    sim->output = 0;
    // what is shown if the start fails
    dal_state_buffer *now = sim->method->current;
    now->t = sim->method->previous->t = t;
    dal_copy(now->q, q, sim->ev->nq);
    dal_copy(now->v, v, sim->ev->nv);
    dal_sim_contacts_built(sim);
    return DAL_OK;
}

/* Impacts and other modes of contacts at sim->q and sim->v; rows that hold from now on. */
static dal_status settle_contacts(dal_sim *sim, double t, double h)
{
    int changed;
    DAL_TRY(dal_sim_contacts_decide(sim, &changed, t, h));
    if (!changed) {
        return DAL_OK;
    }
    if (sim->output) {
        DAL_TRY(dal_sim_take_samples_to(sim, t)); // as long as the step can be interpolated
    }
    DAL_TRY(dal_sim_rebuild(sim, sim->q, sim->v, t));
    sim->started = 1;
    return DAL_OK;
}

/* The same rows hold on: start from sim->q and sim->v, made consistent. */
static dal_status start_again(dal_sim *sim, double t, double h, dal_moment moment)
{
    dal_sim_keep_saddle(sim, 1);
    const dal_status st = start_method(sim, t, h, moment);
    dal_sim_keep_saddle(sim, 0);
    DAL_TRY(st);
    sim->fresh = 1;
    return DAL_OK;
}

dal_status dal_sim_start_again(dal_sim *sim, double t, double h)
{
    return start_again(sim, t, h, DAL_MOMENT_STEP);
}

/* Start from sim->q and sim->v, made consistent. What the callbacks refer to may have changed. DAL_MOMENT_STEP: only the
 * forces jump or have a kink. */
static dal_status restart(dal_sim *sim, double t, double h, dal_moment moment)
{
    const double size = sim->opt.step != DAL_STEP_ADAPTIVE ? sim->opt.h : h;
    dal_data_forget(sim->data);
    DAL_TRY(settle_contacts(sim, t, size));
    DAL_TRY(start_again(sim, t, size, moment));
    dal_sim_reset_grid(sim);
    return DAL_OK;
}

dal_status dal_sim_data_changed(dal_sim *sim)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    dal_data_forget(sim->data);
    if (!sim->started) {
        return DAL_OK;
    }
    const double t = sim->method->current->t;
    dal_sim_claim_scratch(sim);
    DAL_TRY(dal_sim_interpolate(sim, sim->q, sim->v, NULL, t));
    const sim_phase before = sim->phase;
    sim->phase = SIM_SOLVING;
    const dal_status st = restart(sim, t, sim->method->current->h, DAL_MOMENT_RESTART);
    sim->phase = before;
    if (st != DAL_OK) {
        return dal_fail_in(sim->ctx, st, "start with changed data at t = %.9g", t);
    }
    DAL_TRY(dal_sim_settle(sim, DAL_MOMENT_RESTART));
    return dal_sim_balance_anew(sim);
}

/* Number of rows that have been released but are not left out yet. The first ones are named. */
static int newly_released(dal_sim *sim, double t)
{
    const int *dropped = dal_reduction_rows(sim->reduction), n = dal_reduction_count(sim->reduction);
    int count = 0;
    char names[300] = "";
    for (int r = 0, d = 0; r < dal_system_rows(sim->sys); ++r) {
        const int gone = d < n && dropped[d] == r;
        d += gone;
        if (!gone && dal_data_released(sim->data, r, t)) {
            const size_t used = strlen(names);
            char name[96];
            dal_eval_row_name(sim->whole, name, sizeof name, r);
            if (used + sizeof name < sizeof names) {
                snprintf(names + used, sizeof names - used, "%s%s", count > 0 ? ", " : "", name);
            }
            ++count;
        }
    }
    if (count > 0) {
        dal_log(sim->ctx, DAL_LOG_INFO, "t = %.9g: %d constraint rows are released: %s", t, count, names);
    }
    return count;
}

/* Build anew without the rows that have been released, and decide again which of the others depend on each other. The state
 * goes to sim->q and sim->v. */
static dal_status open_rows(dal_sim *sim, double t)
{
    DAL_TRY(dal_sim_take_samples(sim)); // up to here, as long as the step can be interpolated
    return dal_sim_rebuild(sim, sim->method->current->q, sim->method->current->v, t);
}

dal_status dal_sim_pass_break(dal_sim *sim)
{
    const double t = sim->method->current->t;
    DAL_TRY(dal_sim_settle(sim, DAL_MOMENT_STEP));
    (void)dal_sim_next_break(sim, t, 1); // from here on what comes after counts
    const int stale = sim->stale;
    sim->stale = 0;
    if ((sim->sys->life.released && newly_released(sim, t) > 0) || stale) {
        DAL_TRY(open_rows(sim, t));
        const dal_status opened = restart(sim, t, sim->h_next, stale ? DAL_MOMENT_STEP : DAL_MOMENT_RESTART);
        sim->started = opened == DAL_OK; // otherwise there is no state to go on from
        return opened == DAL_OK ? DAL_OK
                                : dal_fail_in(sim->ctx, opened, "where %s, at t = %.9g",
                                              stale ? "other constraint rows are left out" : "joints are released", t);
    }
    dal_copy(sim->q, sim->method->current->q, sim->ev->nq);
    dal_copy(sim->v, sim->method->current->v, sim->ev->nv);
    const dal_status st = restart(sim, t, sim->h_next, DAL_MOMENT_STEP);
    return st == DAL_OK ? DAL_OK : dal_fail_in(sim->ctx, st, "where forces are switched, at t = %.9g", t);
}

dal_status dal_sim_restart_with_own(dal_sim *sim, int *stop, double t, double h)
{
    int again = dal_sim_own_happens(sim);
    for (int round = 0; round == 0 || again; ++round) {
        if (again) {
            DAL_TRY(sim->output ? dal_sim_take_samples_to(sim, t) : DAL_OK); // of what was before
            DAL_TRY(dal_sim_own_act(sim, stop, t));
            sim->output = 0;
            DAL_TRY(dal_sim_own_apply(sim, t));
        }
        const dal_status st = restart(sim, t, h, DAL_MOMENT_RESTART);
        if (st != DAL_OK) {
            return dal_fail_in(sim->ctx, st, "start after the event at t = %.9g", t);
        }
        DAL_TRY(dal_sim_own_follow(sim, &again, round));
        if (again) {
            dal_copy(sim->q, sim->method->current->q, sim->ev->nq);
            dal_copy(sim->v, sim->method->current->v, sim->ev->nv);
        }
    }
    return DAL_OK;
}

dal_status dal_sim_first_samples(dal_sim *sim)
{
    const double t = sim->method->current->t;
    int stop = 0;
    if (!dal_sim_own_due(sim, t)) {
        return DAL_OK;
    }
    dal_copy(sim->q, sim->method->current->q, sim->ev->nq);
    dal_copy(sim->v, sim->method->current->v, sim->ev->nv);
    DAL_TRY(dal_sim_restart_with_own(sim, &stop, t, sim->method->current->h));
    return dal_sim_settle(sim, DAL_MOMENT_RESTART);
}

/* Go back to time t, apply the changes of the events that happen there, and start from consistent values. */
static dal_status restart_at(dal_sim *sim, double t, int *stop)
{
    const double h = sim->method->current->h;
    DAL_TRY(dal_sim_integrate(sim, t));
    DAL_TRY(dal_sim_balance_event(sim, t));
    dal_sim_goes_on(sim, t);
    if (t < sim->method->current->t) {
        if (dal_sim_contacts_located(sim)) { // gaps are those of a state on the rows that hold until then
            DAL_TRY(dal_sim_contacts_state(sim, t));
        } else {
            sim->method->type->interpolate(sim->method, sim->q, sim->v, NULL, NULL, t);
        }
    } else {
        dal_copy(sim->q, sim->method->current->q, sim->ev->nq);
        dal_copy(sim->v, sim->method->current->v, sim->ev->nv);
    }
    for (int e = 0; e < sim->nevents; ++e) {
        if (sim->event[e].happens) {
            DAL_TRY(apply_change(sim, e, t));
        }
    }
    return dal_sim_restart_with_own(sim, stop, t, h);
}

/* Values at the end of the step, and the times of the crossings: infinite where there is none. */
static dal_status find_crossings(dal_sim *sim, double *earliest)
{
    const dal_state_buffer *s = sim->method->current;
    *earliest = INFINITY;
    for (int e = 0; e < sim->nevents; ++e) {
        sim_event *ev = &sim->event[e];
        ev->time = INFINITY;
        DAL_TRY(event_value(sim, e, s->t, s->q, s->v, &ev->value));
        if (crosses(ev)) {
            DAL_TRY(locate(sim, e, &ev->time));
            *earliest = fmin(*earliest, ev->time);
        }
    }
    return DAL_OK;
}

static dal_status handle_events(dal_sim *sim, int *restarted, int *stop)
{
    double t, t_contact, t_own;
    DAL_TRY(find_crossings(sim, &t));
    DAL_TRY(dal_sim_contacts_watch(sim, &t_contact));
    DAL_TRY(dal_sim_own_watch(sim, &t_own));
    t = fmin(t, fmin(t_contact, t_own));
    if (t == INFINITY) {
        for (int e = 0; e < sim->nevents; ++e) {
            sim->event[e].last = sim->event[e].value;
            sim->event[e].armed = sim->event[e].value != 0.0;
        }
        return DAL_OK;
    }
    // events at the same time, up to rounding, happen together
    for (int e = 0; e < sim->nevents; ++e) {
        sim->event[e].happens = sim->event[e].time <= t + 1e-9 * sim->method->current->h;
    }
    dal_sim_own_choose(sim, t);
    DAL_TRY(restart_at(sim, t, stop));
    *restarted = 1;
    for (int e = sim->nevents - 1; e >= 0; --e) {
        if (sim->event[e].happens) {
            const int stops = sim->event[e].event.action == DAL_EVENT_STOP;
            arm_fired_event(sim, e);
            sim->fired = stops || !*stop ? e : sim->fired; // the first one, of those that stop if there are any
            *stop |= stops;
        } else {
            DAL_TRY(dal_sim_arm_event(sim, e));
        }
    }
    return DAL_OK;
}

/* The start of the last step: a step that an event makes fail is taken back to it. */
static double keep_start(dal_sim *sim)
{
    const dal_state_buffer *from = sim->method->previous;
    dal_copy(sim->before_q, from->q, sim->ev->nq);
    dal_copy(sim->before_v, from->known > 0 ? from->vc : from->v, sim->ev->nv);
    dal_copy(sim->before_memory, sim->data->memory, sim->sys->nmemory);
    return from->t;
}

/* Returns st, why the step is taken back; its message stays. */
static dal_status take_back(dal_sim *sim, double t, dal_status st)
{
    const double h = sim->method->current->h;
    dal_message kept;
    dal_message_keep(&kept, sim->ctx);
    dal_copy(sim->q, sim->before_q, sim->ev->nq);
    dal_copy(sim->v, sim->before_v, sim->ev->nv);
    dal_copy(sim->data->memory, sim->before_memory, sim->sys->nmemory);
    sim->stats.steps--;
    sim->stats.rejected++;
    while (sim->next_projection > 0 && sim->opt.projection_times.x[sim->next_projection - 1] > t) {
        sim->next_projection--;
    }
    sim->output = 0;
    // fails only where callbacks fail that did not before: then there is no state to go on from
    sim->started = dal_sim_own_undo(sim, t) == DAL_OK && restart(sim, t, h, DAL_MOMENT_RESTART) == DAL_OK &&
                   dal_sim_settle(sim, DAL_MOMENT_RESTART) == DAL_OK && dal_sim_balance_anew(sim) == DAL_OK;
    DAL_TRY(dal_message_settle(&kept, sim->ctx, DAL_OK));
    return st;
}

dal_status dal_sim_handle_events(dal_sim *sim, int *restarted, int *stop)
{
    *stop = *restarted = 0;
    if (sim->nevents == 0 && !sim->contacts && !sim->own) {
        return DAL_OK;
    }
    const double t = keep_start(sim);
    const dal_status st = handle_events(sim, restarted, stop);
    sim->goes_on = 0;
    return st == DAL_OK ? DAL_OK : take_back(sim, t, st);
}

dal_status dal_sim_retreat(dal_sim *sim, int *retreated, dal_status st)
{
    int changed = 0;
    *retreated = 0;
    if (st != DAL_EREDUNDANT || !sim->contacts) {
        return st;
    }
    const double t = sim->method->previous->t, h = sim->method->current->h;
    DAL_TRY(dal_sim_balance_event(sim, t));
    DAL_TRY(dal_sim_contacts_retreat(sim, &changed));
    if (!changed) {
        return st;
    }
    sim->output = 0;
    DAL_TRY(dal_sim_rebuild(sim, sim->q, sim->v, t));
    sim->started = 1;
    dal_sim_keep_saddle(sim, 1);
    const dal_status started =
        start_method(sim, t, sim->opt.step != DAL_STEP_ADAPTIVE ? sim->opt.h : h, DAL_MOMENT_RESTART);
    dal_sim_keep_saddle(sim, 0);
    DAL_TRY(started);
    sim->fresh = 1;
    sim->stats.steps--;
    sim->stats.rejected++;
    dal_sim_reset_grid(sim);
    *retreated = 1;
    return dal_sim_settle(sim, DAL_MOMENT_RESTART);
}
