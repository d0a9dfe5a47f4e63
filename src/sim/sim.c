/* Creation, initial values and queries. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "sim/sim_impl.h"
#include "system/sink.h"

/* Combinations of options that contradict each other. */
static dal_status check_options(dal_ctx *ctx, const dal_options *opt)
{
    DAL_TRY(dal_options_check(ctx, dal_options_table(), opt));
    const int scheduled = opt->projection_every > 0 || opt->projection_times.n > 0 || opt->project_position;
    if (opt->projection == DAL_PROJECTION_NONE && scheduled) {
        return dal_fail(ctx, DAL_EOPTION,
                        "projection_every, projection_times or project_position is set but projection = none: choose "
                        "plain or compensated");
    }
    if (opt->integrator == DAL_LOBATTO && opt->linear_solver == DAL_LINSOL_BLOCK) {
        return dal_fail(ctx, DAL_EOPTION, "linear_solver = block works with integrator = genalpha only: choose auto");
    }
    if (opt->h_min > opt->h_max) {
        return dal_fail(ctx, DAL_EOPTION, "h_min = %g is larger than h_max = %g", opt->h_min, opt->h_max);
    }
    if (opt->step == DAL_STEP_ADAPTIVE && opt->step_atol == 0.0 && opt->step_rtol == 0.0) {
        return dal_fail(ctx, DAL_EOPTION, "adaptive steps need step_atol or step_rtol above zero");
    }
    for (int i = 1; i < opt->projection_times.n; ++i) {
        if (opt->projection_times.x[i] <= opt->projection_times.x[i - 1]) {
            return dal_fail(ctx, DAL_EOPTION, "projection_times must increase (%g after %g)",
                            opt->projection_times.x[i], opt->projection_times.x[i - 1]);
        }
    }
    return DAL_OK;
}

dal_status dal_sim_create(dal_sim **out, dal_ctx *ctx, const dal_system *sys, const dal_options *options)
{
    *out = NULL;
    dal_sim *sim = dal_alloc_zero(ctx, sizeof *sim);
    if (!sim) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the simulation");
    }
    sim->ctx = ctx;
    sim->sys = sys;
    sim->opt = options ? *options : dal_options_init();
    sim->fired = -1;
    dal_status st = check_options(sim->ctx, &sim->opt);
    if (st == DAL_OK) {
        st = dal_sim_build(sim, sys);
    }
    if (st != DAL_OK) {
        dal_sim_destroy(sim);
        return st;
    }
    *out = sim;
    return DAL_OK;
}

void dal_sim_destroy(dal_sim *sim)
{
    if (sim) {
        dal_sim_unbuild(sim);
        dal_reduction_destroy(sim->reduction);
        dal_free(sim->ctx, sim->la);
        dal_free(sim->ctx, sim);
    }
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Norms of the constraints at two levels; nonholonomic rows count at velocity level only. */
static dal_status constraint_norms(dal_sim *sim, double t, const double *q, const double *v, double *position,
                                   double *velocity)
{
    const dal_eval *ev = sim->ev;
    const double *zero = sim->saddle->zero;
    const dal_point at = {t, q, v, zero, zero};
    *position = *velocity = 0.0;
    if (ev->nh > 0) {
        dal_zero(sim->w, ev->nc);
        DAL_TRY(dal_eval_residual(sim->ev, &(dal_residual){.Phi = sim->w}, &at));
        *position = dal_max_abs(sim->w, ev->nc);
    }
    if (ev->nc > 0) {
        DAL_TRY(dal_eval_residual(sim->ev, &(dal_residual){.vel = sim->w}, &at));
        *velocity = dal_max_abs(sim->w, ev->nc);
    }
    return DAL_OK;
}

static dal_status check_initial(dal_sim *sim, double t, const double *q, const double *v)
{
    const dal_group *G = sim->ev->G;
    if (!isfinite(t)) {
        return dal_fail(sim->ctx, DAL_EINITIAL, "the initial time is not finite");
    }
    for (int i = 0; i < G->nq; ++i) {
        if (!isfinite(q[i])) {
            return dal_fail(sim->ctx, DAL_EINITIAL, "initial q[%d] = %g is not finite", i, q[i]);
        }
    }
    for (int i = 0; i < G->nv; ++i) {
        if (!isfinite(v[i])) {
            return dal_fail(sim->ctx, DAL_EINITIAL, "initial v[%d] = %g is not finite", i, v[i]);
        }
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double defect = F->type->defect(q + F->q, F->nv);
        if (defect > 1e-6) {
            return dal_fail(
                sim->ctx, DAL_EINITIAL,
                "initial q: factor %d (%s) is not an element of its group, its quaternion is off unit length "
                "by %.2e. Normalise it",
                f, F->type->name, defect);
        }
    }
    return DAL_OK;
}

dal_status dal_sim_make_consistent(dal_sim *sim, double t, double *q, double *v, dal_initial_report *report)
{
    dal_initial_report rep = {0};
    const double tol = sim->opt.initial_tol;
    DAL_TRY(constraint_norms(sim, t, q, v, &rep.position_residual, &rep.velocity_residual));
    const int off = rep.position_residual > tol || rep.velocity_residual > tol;
    if (off && sim->opt.initial == DAL_INITIAL_STRICT) {
        return dal_fail(sim->ctx, DAL_EINITIAL,
                        "initial values are inconsistent: |Phi| = %.3e, |B v + Phi_t| = %.3e, tolerance %.1e. Correct "
                        "them, or let initial = project move them",
                        rep.position_residual, rep.velocity_residual, tol);
    }
    if (sim->opt.initial == DAL_INITIAL_PROJECT && sim->ev->nc > 0) {
        // values that are consistent to rounding stay as they are
        if (rep.position_residual > 1e-14) {
            DAL_TRY(dal_project_position(sim->saddle, t, q, DAL_POSITION_TOLERANCE, &rep.position_moved));
        }
        DAL_TRY(dal_project_velocity(sim->saddle, t, q, v, NULL, &rep.velocity_moved));
        if (off) {
            dal_log(sim->ctx, DAL_LOG_INFO, "initial values projected: q moved by %.3e, v by %.3e", rep.position_moved,
                    rep.velocity_moved);
        }
    }
    if (report) {
        *report = rep;
    }
    return DAL_OK;
}

dal_status dal_sim_start(dal_sim *sim, double t0, const double *q, const double *v, dal_initial_report *report)
{
    if (!sim->method) {
        DAL_TRY(dal_sim_build(sim, sim->sys));
    }
    DAL_TRY(check_initial(sim, t0, q, v));
    DAL_TRY(dal_sim_leave_out_redundant(sim, t0, &q, &v));
    dal_copy(sim->q, q, sim->ev->nq);
    dal_copy(sim->v, v, sim->ev->nv);
    dal_normalise(sim->ev->G, sim->q);
    const double h = fmin(sim->opt.h, sim->opt.h_max);
    dal_status st = dal_sim_make_consistent(sim, t0, sim->q, sim->v, report);
    if (st == DAL_OK) {
        st = sim->method->type->start(sim->method, t0, sim->q, sim->v, h);
    }
    if (st != DAL_OK) {
        return dal_fail_in(sim->ctx, st, "start at t = %.9g", t0);
    }
    sim->h_next = h;
    sim->last_error = 1.0;
    sim->started = 1;
    sim->output = 0;
    sim->fired = -1;
    sim->next_projection = 0;
    sim->stats = (dal_stats){.h_smallest = INFINITY};
    *sim->method->newton_stats = (dal_newton_stats){0};
    sim->ev->nresiduals = sim->ev->ntangents = 0;
    dal_sim_reset_grid(sim);
    for (int e = 0; e < sim->nevents; ++e) {
        dal_sim_arm_event(sim, e);
    }
    int stop;
    return dal_sim_notify(sim, &stop);
}

/* ---- queries ---------------------------------------------------------------------------------- */

dal_state dal_sim_state(const dal_sim *sim)
{
    if (!sim->method) {
        return (dal_state){0}; // a start ran out of memory
    }
    const dal_state_buffer *s = sim->method->current;
    const double h = sim->stats.steps > 0 ? s->h : 0.0;
    const int reduced = sim->reduction && dal_reduction_count(sim->reduction) > 0;
    return (dal_state){s->t, h, s->q, s->v, s->vd, s->a, reduced ? sim->la : s->la, s->eta};
}

dal_stats dal_sim_stats(const dal_sim *sim)
{
    dal_stats st = sim->stats;
    st.newton_iterations = sim->method->newton_stats->iterations;
    st.jacobians = sim->method->newton_stats->jacobians;
    st.factorisations = sim->method->newton_stats->factorisations;
    st.residuals = sim->ev->nresiduals;
    return st;
}

double dal_sim_condition(dal_sim *sim)
{
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

static dal_status need_start(const dal_sim *sim)
{
    return sim->started ? DAL_OK
                        : dal_fail(sim->ctx, DAL_EINVAL, "the simulation has no state yet: call dal_sim_start first");
}

dal_status dal_sim_reaction(dal_sim *sim, double *force)
{
    DAL_TRY(need_start(sim));
    const dal_state_buffer *s = sim->method->current;
    dal_zero(force, sim->ev->nv);
    reaction_sink sink = {dal_sink_ignoring(DAL_WANT_B), sim->ev, s->la, force};
    sink.base.link = reaction_link;
    return dal_eval_tangent(sim->ev, &sink.base, &(dal_point){s->t, s->q, s->v, s->vd, s->la});
}

dal_status dal_sim_residuals(dal_sim *sim, double *position, double *velocity)
{
    DAL_TRY(need_start(sim));
    const dal_state_buffer *s = sim->method->current;
    double p, v;
    DAL_TRY(constraint_norms(sim, s->t, s->q, s->v, &p, &v));
    if (position) {
        *position = p;
    }
    if (velocity) {
        *velocity = v;
    }
    return DAL_OK;
}

dal_status dal_sim_energy(dal_sim *sim, double *energy)
{
    DAL_TRY(need_start(sim));
    if (!sim->sys->energy) {
        return dal_fail(sim->ctx, DAL_EINVAL, "the system has no energy callback");
    }
    const dal_state_buffer *s = sim->method->current;
    *energy = sim->sys->energy(&(dal_point){s->t, s->q, s->v, s->vd, dal_sim_state(sim).la}, sim->sys->user);
    return DAL_OK;
}

dal_status dal_sim_interpolate(dal_sim *sim, double t, double *q, double *v, double *la)
{
    DAL_TRY(need_start(sim));
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
        sim->method->type->interpolate(sim->method, t, q, v, la);
        return DAL_OK;
    }
    // multipliers of all rows, from those at the interpolated state
    sim->method->type->interpolate(sim->method, t, sim->q, sim->v, sim->w);
    dal_copy(q ? q : sim->q, sim->q, q ? ev->nq : 0);
    dal_copy(v ? v : sim->v, sim->v, v ? ev->nv : 0);
    return dal_sim_whole_multipliers(sim, &(dal_point){t, sim->q, sim->v, s1->vd, sim->w}, la);
}

dal_status dal_sim_project(dal_sim *sim, dal_projection mode)
{
    DAL_TRY(need_start(sim));
    if (mode != DAL_PROJECTION_NONE) {
        dal_sim_claim_scratch(sim);
        DAL_TRY(sim->method->type->project(sim->method, mode, sim->opt.project_position));
        sim->stats.projections++;
    }
    return DAL_OK;
}

dal_status dal_sim_set_step(dal_sim *sim, double h)
{
    DAL_TRY(need_start(sim));
    if (!(h > 0.0 && isfinite(h))) {
        return dal_fail(sim->ctx, DAL_EINVAL, "h = %g is not a positive step size", h);
    }
    DAL_TRY(sim->method->type->retune(sim->method, h));
    sim->opt.h = sim->h_next = h;
    dal_sim_reset_grid(sim);
    return DAL_OK;
}

dal_status dal_sim_observe(dal_sim *sim, dal_observer observer, void *user)
{
    if (!observer || sim->nobservers == MAX_OBSERVERS) {
        return dal_fail(sim->ctx, DAL_EINVAL, observer ? "at most %d observers" : "no observer given", MAX_OBSERVERS);
    }
    sim->observer[sim->nobservers].call = observer;
    sim->observer[sim->nobservers++].user = user;
    return DAL_OK;
}

dal_status dal_sim_event(dal_sim *sim, const dal_event *event)
{
    if (!event || !event->value || sim->nevents == MAX_EVENTS) {
        return dal_fail(sim->ctx, DAL_EINVAL,
                        event && event->value ? "at most %d events"
                                              : "an event needs a value function (at most %d events)",
                        MAX_EVENTS);
    }
    sim->event[sim->nevents++] = (sim_event){.event = *event, .armed = 0};
    if (sim->started) {
        dal_sim_arm_event(sim, sim->nevents - 1);
    }
    return DAL_OK;
}

int dal_sim_event_index(const dal_sim *sim)
{
    return sim->fired;
}
