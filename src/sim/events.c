/* Events: zero crossings found at the end of a step and located on the interpolant. */
#include <math.h>

#include "sim/sim_impl.h"

static dal_status event_value(dal_sim *sim, int e, double t, const double *q, const double *v, double *value)
{
    const dal_event *ev = &sim->event[e].event;
    *value = ev->value(t, q, v, ev->user);
    if (!isfinite(*value)) {
        return dal_fail(sim->ctx, DAL_ECALLBACK, "event %d returned %g at t = %.9g", e, *value, t);
    }
    return DAL_OK;
}

/* Values are taken at the next occasion; crossings count from the step after that. */
void dal_sim_arm_events(dal_sim *sim)
{
    const dal_state_buffer *s = sim->method->current;
    for (int e = 0; e < sim->nevents; ++e) {
        sim->event[e].last = sim->event[e].event.value(s->t, s->q, s->v, sim->event[e].event.user);
        sim->event[e].armed = sim->event[e].last != 0.0 && isfinite(sim->event[e].last);
    }
}

static int crosses(const sim_event *e, double value)
{
    const int up = e->last < 0.0 && value >= 0.0, down = e->last > 0.0 && value <= 0.0;
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
        sim->method->type->interpolate(sim->method, mid, sim->q, sim->v, NULL);
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

/* Go back to the event, let the user change the state, and start from there with consistent values. */
static dal_status restart_at(dal_sim *sim, int e, double t)
{
    const dal_event *event = &sim->event[e].event;
    const double h = sim->method->current->h;
    DAL_TRY(dal_sim_interpolate(sim, t, sim->q, sim->v, NULL));
    if (event->change) {
        const dal_status st = event->change(t, sim->q, sim->v, event->user);
        if (st != DAL_OK) {
            return dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "event %d, change at t = %.9g", e, t);
        }
    }
    DAL_TRY(dal_project_position(sim->saddle, t, sim->q, 1e-10, NULL));
    DAL_TRY(dal_project_velocity(sim->saddle, t, sim->q, sim->v, NULL, NULL));
    DAL_TRY(sim->method->type->start(sim->method, t, sim->q, sim->v, sim->opt.step == DAL_STEP_FIXED ? sim->opt.h : h));
    dal_sim_reset_grid(sim);
    return DAL_OK;
}

dal_status dal_sim_handle_events(dal_sim *sim, int *stop)
{
    const dal_state_buffer *s = sim->method->current;
    int first = -1;
    double t_first = INFINITY, value[MAX_EVENTS];
    *stop = 0;
    for (int e = 0; e < sim->nevents; ++e) {
        DAL_TRY(event_value(sim, e, s->t, s->q, s->v, &value[e]));
        if (crosses(&sim->event[e], value[e])) {
            double t;
            DAL_TRY(locate(sim, e, &t));
            if (t < t_first) {
                t_first = t;
                first = e;
            }
        }
    }
    if (first >= 0) {
        DAL_TRY(restart_at(sim, first, t_first));
        dal_sim_arm_events(sim);
        sim->event[first].armed = 0;
        sim->fired = first;
        *stop = sim->event[first].event.action == DAL_EVENT_STOP;
        return DAL_OK;
    }
    for (int e = 0; e < sim->nevents; ++e) {
        sim->event[e].last = value[e];
        sim->event[e].armed = value[e] != 0.0;
    }
    return DAL_OK;
}
