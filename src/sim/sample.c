/* States at requested times: by dense output after the step that passes them. */
#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/vector.h"
#include "sim/sim_impl.h"

/* Times this close to the end of a step, in units of it, are the end of the step. */
static const double snap = 1e-9;

/* Number i of the requested times; infinite if there are no more. */
static double time_of(const sim_sampler *s, double i)
{
    if (s->times) {
        return i < (double)s->n ? s->times[(int)i] : INFINITY;
    }
    return s->from + i * s->every;
}

/* The first time that is not before t, or, with `after`, the first that is later. */
static double first_from(const sim_sampler *s, double t, int after)
{
    const double rounding = 4.0 * 2.2e-16 * fabs(t);
    double i = s->times ? 0.0 : fmax(0.0, floor((t - s->from) / s->every) - 1.0);
    while (after ? time_of(s, i) <= t + rounding : time_of(s, i) < t - rounding) {
        i += 1.0;
    }
    return i;
}

void dal_sim_rewind_samplers(dal_sim *sim, int after)
{
    sim->sampler_stops = 0;
    for (int k = 0; k < sim->nsamplers; ++k) {
        sim->sampler[k].next = first_from(&sim->sampler[k], sim->method->current->t, after);
    }
}

dal_status dal_sim_state_at(dal_sim *sim, dal_point *at, double t)
{
    const dal_state_buffer *s1 = sim->method->current;
    const double h = s1->t - sim->method->previous->t;
    if (!sim->output || t >= s1->t - snap * h) {
        const dal_state s = dal_sim_shown_state(sim);
        *at = (dal_point){t, s.q, s.v, s.vd, s.la};
        return DAL_OK;
    }
    double *la = sim->reduction ? sim->w : sim->sample_la;
    sim->method->type->interpolate(sim->method, sim->sample_q, sim->sample_v, sim->sample_vd, la, t);
    *at = (dal_point){t, sim->sample_q, sim->sample_v, sim->sample_vd, sim->sample_la};
    if (sim->reduction) {
        const dal_point reduced = {t, sim->sample_q, sim->sample_v, sim->sample_vd, sim->w};
        return dal_sim_whole_multipliers(sim, sim->sample_la, &reduced);
    }
    return DAL_OK;
}

static dal_status call(dal_sim *sim, const sim_sampler *s, double t)
{
    dal_point at;
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    const dal_status before = dal_message_listen(sim->ctx);
    const sim_phase phase = sim->phase;
    sim->phase = SIM_OBSERVING;
    const dal_status st = s->call(sim, &at, s->user);
    sim->phase = phase;
    if (st == DAL_RETRY) {
        sim->sampler_stops = 1;
    } else if (st != DAL_OK) {
        return dal_ctx_status(sim->ctx) == st
                   ? st
                   : dal_fail(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "the sampler failed at t = %.9g", t);
    }
    dal_message_heard(sim->ctx, before);
    return DAL_OK;
}

void dal_sim_follow(dal_sim *sim, dal_sim_follower follower, void *user)
{
    sim->follow = follower;
    sim->follow_user = user;
}

dal_status dal_sim_take_samples(dal_sim *sim)
{
    return dal_sim_take_samples_to(sim, sim->method->current->t);
}

dal_status dal_sim_take_samples_to(dal_sim *sim, double t)
{
    const double h = sim->output ? t - sim->method->previous->t : 0.0;
    if (sim->follow && h > 0.0) {
        DAL_TRY(sim->follow(sim, sim->method->previous->t, t, sim->follow_user));
    }
    for (int k = 0; k < sim->nsamplers; ++k) {
        sim_sampler *s = &sim->sampler[k];
        for (double next; !sim->sampler_stops && (next = time_of(s, s->next)) <= t + snap * h + 4.0 * 2.2e-16 * fabs(t);
             s->next += 1.0) {
            DAL_TRY(call(sim, s, next));
        }
    }
    return DAL_OK;
}

dal_status dal_sim_rest_of_samples(dal_sim *sim)
{
    if (sim->sampler_stops && !sim->output) { // the step cannot be interpolated any more
        dal_sim_rewind_samplers(sim, 1);
    }
    if (!sim->sampler_stops) {
        return DAL_OK;
    }
    sim->sampler_stops = 0;
    return dal_sim_take_samples(sim);
}

static dal_status check_sampling(dal_sim *sim, const dal_sampling *when)
{
    if (when->times == NULL) {
        return when->every > 0.0 && isfinite(when->every) && isfinite(when->from)
                   ? DAL_OK
                   : dal_fail(sim->ctx, DAL_EINVAL, "sampling every %g from %g: a positive interval is expected",
                              when->every, when->from);
    }
    for (int i = 0; i < when->n; ++i) {
        if (!isfinite(when->times[i]) || (i > 0 && !(when->times[i] > when->times[i - 1]))) {
            return dal_fail(sim->ctx, DAL_EINVAL, "sampling times must be finite and increase: number %d is %g", i,
                            when->times[i]);
        }
    }
    return DAL_OK;
}

dal_status dal_sim_sample_(dal_sim *sim, const dal_sampling *when, dal_sampler sampler, void *user, size_t size)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, when);
    DAL_OWN(sim->ctx, dal_sampling, when);
    DAL_NEED(sim->ctx, sampler);
    DAL_TRY(dal_sim_idle(sim, __func__));
    DAL_TRY(check_sampling(sim, when));
    DAL_GROW(sim->ctx, sim->sampler, sim->sampler_room, sim->nsamplers + 1);
    sim_sampler *s = &sim->sampler[sim->nsamplers++];
    *s = (sim_sampler){sampler, user, when->every, when->from, when->times, when->n, 0.0};
    if (!sim->started) {
        return DAL_OK;
    }
    // before the first step the present state is still to come
    s->next = first_from(s, sim->method->current->t, sim->stats.steps > 0);
    return sim->stats.steps > 0 ? DAL_OK : dal_sim_take_samples(sim);
}
