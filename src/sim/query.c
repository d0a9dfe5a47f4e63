/* Questions to the state, observers and events, changes between steps. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/vector.h"
#include "integrate/options.h"
#include "sim/parts.h"
#include "sim/sim_impl.h"
#include "system/sink.h"

/* ---- who may call ----------------------------------------------------------------------------- */

dal_status dal_sim_idle(const dal_sim *sim, const char *function)
{
    return sim->phase == SIM_IDLE
               ? DAL_OK
               : dal_fail(sim->ctx, DAL_EINVAL,
                          "%.*s was called from %s of the same simulation: return from it first (an observer stops the "
                          "run by returning DAL_RETRY)",
                          dal_name_length(function), function,
                          sim->phase == SIM_OBSERVING ? "an observer" : "a callback");
}

dal_status dal_sim_between_steps(const dal_sim *sim, const char *function)
{
    return sim->phase != SIM_SOLVING
               ? DAL_OK
               : dal_fail(sim->ctx, DAL_EINVAL,
                          "%.*s was called from a callback of the system or of an event of the same simulation, in the "
                          "middle of a step: call it from an observer, or between steps",
                          dal_name_length(function), function);
}

static dal_status need_state(const dal_sim *sim, const char *function)
{
    DAL_TRY(dal_sim_between_steps(sim, function));
    return sim->started ? DAL_OK
                        : dal_fail(sim->ctx, DAL_EINVAL, "the simulation has no state yet: call dal_sim_start first");
}

/* ---- state ------------------------------------------------------------------------------------ */

static inline dal_state state_of(const dal_sim *sim)
{
    const dal_state_buffer *s = sim->method->current;
    const double h = sim->stats.steps > 0 ? s->h : 0.0;
    const int reduced = sim->reduction && dal_reduction_count(sim->reduction) > 0;
    return (dal_state){s->t, h, s->q, s->v, s->vd, s->a, reduced ? sim->la : s->la, s->eta};
}

dal_state dal_sim_state(const dal_sim *sim)
{
    return sim && sim->method ? state_of(sim) : (dal_state){0}; // NULL: a start ran out of memory
}

dal_state dal_sim_shown_state(const dal_sim *sim)
{
    if (!sim || !sim->method) {
        return (dal_state){0};
    }
    dal_state s = state_of(sim);
    if (sim->fresh && sim->method->current->known > 0) {
        s.v = sim->method->current->vc;
    }
    return s;
}

dal_sim_parts dal_sim_parts_of(const dal_sim *sim)
{
    return (dal_sim_parts){sim->method, sim->ev, sim->saddle, sim->fresh, sim->builds};
}

void dal_sim_keep_steps_whole(dal_sim *sim)
{
    sim->opt.step = sim->opt.step == DAL_STEP_FIXED_OR_CUT ? DAL_STEP_FIXED : sim->opt.step;
}

dal_point dal_sim_point(const dal_sim *sim)
{
    const dal_state s = dal_sim_state(sim);
    return (dal_point){s.t, s.q, s.v, s.vd, s.la};
}

const dal_options *dal_sim_options_(const dal_sim *sim, size_t size)
{
    return sim ? dal_options_shown(&((dal_sim *)sim)->shown, &sim->opt, size) : NULL;
}

const dal_system *dal_sim_system(const dal_sim *sim)
{
    return sim ? sim->sys : NULL;
}

/* The error of the reactions by rounding, relative to the largest. Where that is hardly more than the error, as in a drive at constant
 * speed, there are none to speak of, and forces that would bend the motion are the measure. */
static double rounding_of_reactions(const dal_integrator *method, double noise)
{
    const double largest = noise > 0.01 * method->la_max ? fmax(method->la_max, method->la_motion) : method->la_max;
    return largest > 0.0 ? noise / largest : 0.0;
}

dal_stats dal_sim_stats(const dal_sim *sim)
{
    dal_stats st = sim ? sim->stats : (dal_stats){0};
    if (!sim || !sim->method) {
        return st;
    }
    st.newton_iterations = sim->method->newton_stats->iterations;
    st.jacobians = sim->method->newton_stats->jacobians;
    st.factorisations = sim->method->newton_stats->factorisations;
    st.newton_modified = sim->method->newton_stats->choice.kept;
    st.jacobian_cost = sim->method->jacobian_cost;
    st.residuals = sim->ev->nresiduals;
    const double h = (sim->method->current->t - sim->initial_t) / (double)st.steps;
    st.lambda_rounding = st.steps > 0 ? rounding_of_reactions(sim->method, sim->method->la_noise / (h * h)) : 0.0;
    st.linear_solver = dal_linsol_name(sim->method->matrix);
    st.solver_fallbacks = dal_linsol_fallbacks(sim->saddle->ls);
    if (sim->method->matrix != sim->saddle->ls) {
        st.solver_fallbacks += dal_linsol_fallbacks(sim->method->matrix);
    }
    return st;
}

const char *dal_sim_solver_choice(const dal_sim *sim)
{
    return sim && sim->method ? dal_linsol_choice(sim->method->matrix) : "";
}

double dal_sim_condition(dal_sim *sim)
{
    if (!sim || !sim->method || !dal_linsol_factored(sim->method->matrix)) {
        return NAN;
    }
    const double rcond = dal_linsol_rcond(sim->method->matrix);
    sim->stats.condition = rcond > 0.0 ? 1.0 / rcond : INFINITY;
    return sim->stats.condition;
}

/* Sums up -B^T lambda from the pushed blocks of B. */
typedef struct reaction_sink {
    dal_sink base;
    const dal_eval *ev;
    const double *la;
    double *force;
} reaction_sink;

static void reaction_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const reaction_sink *self = (reaction_sink *)sink;
    const dal_link l = self->ev->sys->link[link];
    const int nr = self->ev->sys->constraint[l.c].nrows;
    const dal_factor *F = &self->ev->G->factor[l.j];
    (void)Z;
    for (int i = 0; B && i < F->nv; ++i) {
        for (int r = 0; r < nr; ++r) {
            self->force[F->v + i] -= B[r + i * nr] * self->la[self->ev->row0[l.c] + r];
        }
    }
}

dal_status dal_sim_reaction(dal_sim *sim, double *force)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, force);
    DAL_TRY(need_state(sim, __func__));
    const dal_state_buffer *s = sim->method->current;
    dal_zero(force, sim->ev->nv);
    reaction_sink sink = {dal_sink_ignoring(DAL_WANT_B), sim->ev, s->la, force};
    sink.base.link = reaction_link;
    return dal_eval_tangent(sim->ev, &sink.base, &(dal_point){s->t, s->q, s->v, s->vd, s->la});
}

dal_status dal_sim_residuals(dal_sim *sim, double *position, double *velocity)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(need_state(sim, __func__));
    const dal_state_buffer *s = sim->method->current;
    double p, v;
    DAL_TRY(dal_sim_constraint_norms(sim, &p, &v, s->t, s->q, s->v));
    if (position) {
        *position = p;
    }
    if (velocity) {
        *velocity = v;
    }
    return DAL_OK;
}

dal_data *dal_sim_data(const dal_sim *sim)
{
    return sim ? sim->data : NULL;
}

dal_status dal_sim_energy(dal_sim *sim, double *energy)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, energy);
    DAL_TRY(need_state(sim, __func__));
    if (!sim->sys->equations.energy) {
        return dal_fail(sim->ctx, DAL_EINVAL, "the system has no energy callback");
    }
    const dal_state_buffer *s = sim->method->current;
    *energy = dal_data_energy(sim->data, &(dal_point){s->t, s->q, s->v, s->vd, dal_sim_state(sim).la});
    return DAL_OK;
}

dal_status dal_sim_interpolate(dal_sim *sim, double *q, double *v, double *la, double t)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(need_state(sim, __func__));
    const dal_state_buffer *s0 = sim->method->previous, *s1 = sim->method->current;
    const dal_eval *ev = sim->ev;
    if (t == s1->t) {
        dal_copy(q ? q : sim->q, s1->q, ev->nq);
        dal_copy(v ? v : sim->v, s1->v, ev->nv);
        if (la) {
            dal_copy(la, dal_sim_state(sim).la, dal_system_rows(sim->sys));
        }
        return DAL_OK;
    }
    const int interval = sim->output && s1->t > s0->t;
    if (!interval || !(t >= s0->t && t < s1->t)) {
        return dal_fail(sim->ctx, DAL_EINVAL, "t = %.9g is not within the last step [%.9g, %.9g]", t,
                        interval ? s0->t : s1->t, s1->t);
    }
    if (!la || !sim->reduction) {
        sim->method->type->interpolate(sim->method, q, v, NULL, la, t);
        return DAL_OK;
    }
    // multipliers of all rows, from those at the interpolated state
    sim->method->type->interpolate(sim->method, sim->q, sim->v, NULL, sim->w, t);
    dal_copy(q ? q : sim->q, sim->q, q ? ev->nq : 0);
    dal_copy(v ? v : sim->v, sim->v, v ? ev->nv : 0);
    return dal_sim_whole_multipliers(sim, la, &(dal_point){t, sim->q, sim->v, s1->vd, sim->w});
}

dal_status dal_sim_project_now(dal_sim *sim, dal_projection mode)
{
    dal_sim_claim_scratch(sim);
    DAL_TRY(sim->method->type->project(sim->method, mode, sim->opt.project_position));
    sim->fresh = 0;
    sim->stats.projections++;
    return DAL_OK;
}

dal_status dal_sim_project(dal_sim *sim, dal_projection mode)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(need_state(sim, __func__));
    if (mode == DAL_PROJECTION_NONE) {
        return DAL_OK;
    }
    if (mode != DAL_PROJECTION_PLAIN && mode != DAL_PROJECTION_COMPENSATED) {
        return dal_fail(sim->ctx, DAL_EINVAL, "there is no projection of kind %d", (int)mode);
    }
    return dal_sim_project_now(sim, mode);
}

dal_status dal_sim_set_step(dal_sim *sim, double h)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(need_state(sim, __func__));
    if (!(h > 0.0 && isfinite(h))) {
        return dal_fail(sim->ctx, DAL_EINVAL, "h = %g is not a positive step size", h);
    }
    DAL_TRY(sim->method->type->retune(sim->method, h));
    sim->opt.h = sim->h_next = h;
    dal_sim_reset_grid(sim);
    return DAL_OK;
}

/* ---- observers and events --------------------------------------------------------------------- */

dal_status dal_sim_observe(dal_sim *sim, dal_observer observer, void *user)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, observer);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    DAL_GROW(sim->ctx, sim->observer, sim->observer_room, sim->nobservers + 1);
    sim->observer[sim->nobservers].call = observer;
    sim->observer[sim->nobservers++].user = user;
    return DAL_OK;
}

dal_status dal_sim_event_(dal_sim *sim, const dal_event *event, size_t size)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, event);
    DAL_OWN(sim->ctx, dal_event, event);
    DAL_NEED(sim->ctx, event->value);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    if (event->action != DAL_EVENT_STOP && event->action != DAL_EVENT_RESTART) {
        return dal_fail(sim->ctx, DAL_EINVAL, "an event has no action %d", (int)event->action);
    }
    DAL_GROW(sim->ctx, sim->event, sim->event_room, sim->nevents + 1);
    sim->event[sim->nevents++] = (sim_event){.event = *event, .armed = 0};
    const dal_status st = sim->started ? dal_sim_arm_event(sim, sim->nevents - 1) : DAL_OK;
    sim->nevents -= st != DAL_OK; // one that cannot be evaluated is not taken
    return st;
}

dal_status dal_sim_remove_event(dal_sim *sim, int index)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    if (index < 0 || index >= sim->nevents) {
        return dal_fail(sim->ctx, DAL_EINVAL, "there is no event %d: the simulation has %d, counted from 0", index,
                        sim->nevents);
    }
    sim->nevents--;
    for (int e = index; e < sim->nevents; ++e) {
        sim->event[e] = sim->event[e + 1];
    }
    sim->event[sim->nevents] = (sim_event){0};
    sim->fired = sim->fired == index ? -1 : sim->fired > index ? sim->fired - 1 : sim->fired;
    return DAL_OK;
}

int dal_sim_event_index(const dal_sim *sim)
{
    return sim ? sim->fired : -1;
}
