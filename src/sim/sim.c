/* Creation and initial values. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "dalembert/static.h"
#include "integrate/options.h"
#include "sim/sim_impl.h"
#include "system/data.h"

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
    const int has_matrix = opt->integrator == DAL_INTEGRATOR_GENALPHA || opt->integrator == DAL_INTEGRATOR_AUTO ||
                           opt->integrator == DAL_INTEGRATOR_BDF;
    if (!has_matrix && opt->linear_solver == DAL_LINSOL_BLOCK) {
        return dal_fail(ctx, DAL_EOPTION,
                        "linear_solver = block works with integrator = genalpha and bdf only: choose auto");
    }
    if (opt->h_max > 0.0 && opt->h_min > opt->h_max) {
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

/* Contacts beyond which impacts are captured where nothing is said. */
enum { MANY_CONTACTS = 200 };

static dal_status choose_impacts(dal_sim *sim)
{
    dal_options *opt = &sim->opt;
    const dal_contacts *contacts = &sim->sys->contacts;
    const int free = opt->integrator == DAL_INTEGRATOR_DEFAULT,
              fits = free || opt->integrator == DAL_INTEGRATOR_GENALPHA;
    if (opt->impacts == DAL_IMPACTS_AUTO) {
        opt->impacts =
            contacts->touches || (fits && contacts->n > MANY_CONTACTS) ? DAL_IMPACTS_CAPTURED : DAL_IMPACTS_LOCATED;
    }
    if (opt->impacts == DAL_IMPACTS_LOCATED) {
        return contacts->touches
                   ? dal_fail(sim->ctx, DAL_EOPTION,
                              "impacts = located is for contacts that are joints; those of contact groups "
                              "are captured")
                   : DAL_OK;
    }
    if (contacts->n == 0 && !contacts->touches) {
        return DAL_OK;
    }
    if (!fits) {
        return dal_fail(
            sim->ctx, DAL_EOPTION,
            "contacts that are captured (contact groups, or impacts = captured) need integrator = genalpha%s",
            contacts->touches ? "" : ". With impacts = located these go with every integrator");
    }
    opt->integrator = DAL_INTEGRATOR_GENALPHA;
    return DAL_OK;
}

static dal_status set_up(dal_sim *sim, const dal_options *options)
{
    DAL_TRY(dal_options_take(&sim->opt, sim->ctx, options));
    DAL_TRY(choose_impacts(sim));
    dal_options_resolve(&sim->opt);
    DAL_TRY(check_options(sim->ctx, &sim->opt));
    if ((sim->sys->contacts.n > 0 || sim->sys->contacts.touches) && sim->opt.redundant == DAL_REDUNDANT_ERROR) {
        sim->opt.redundant = DAL_REDUNDANT_LEAST_NORM; // four feet of a table share the weight
    }
    if (sim->sys->contacts.n > 0 && sim->opt.impacts != DAL_IMPACTS_CAPTURED && sim->opt.step == DAL_STEP_FIXED) {
        sim->opt.step =
            DAL_STEP_FIXED_OR_CUT; // steps end at events anyway; where sliding ends in a plane they may fail
    }
    DAL_TRY(dal_data_create(&sim->data, sim->ctx, sim->sys)); // says if the system is not sound
    DAL_TRY(dal_sim_build(sim, sim->sys));
    DAL_TRY(dal_sim_contacts_create(sim));
    DAL_TRY(dal_sim_own_create(sim));
    sim->fingerprint = dal_sim_fingerprint(sim);
    const int nq = sim->sys->group->nq, nv = sim->sys->group->nv;
    sim->initial_q = dal_alloc_zero(sim->ctx, (size_t)(2 * nq + 4 * nv + sim->sys->nmemory) * sizeof(double));
    if (!sim->initial_q) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory for the simulation");
    }
    sim->initial_v = sim->initial_q + nq;
    sim->zero_v = sim->initial_v + nv;
    sim->before_q = sim->zero_v + nv;
    sim->before_v = sim->before_q + nq;
    sim->before_vd = sim->before_v + nv;
    sim->before_memory = sim->before_vd + nv;
    return DAL_OK;
}

dal_status dal_sim_create(dal_sim **sim, dal_ctx *ctx, const dal_system *sys, const dal_options *options)
{
    DAL_NEED(ctx, sim);
    *sim = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    dal_sim *made = dal_alloc_zero(ctx, sizeof *made);
    if (!made) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the simulation");
    }
    made->ctx = ctx;
    made->sys = sys;
    made->fired = -1;
    dal_message kept;
    dal_message_keep(&kept, ctx);
    const dal_status st = set_up(made, options);
    if (st != DAL_OK) {
        dal_sim_destroy(made);
        return st;
    }
    *sim = made;
    return dal_message_settle(&kept, ctx, DAL_OK);
}

void dal_sim_destroy(dal_sim *sim)
{
    if (sim) {
        dal_sim_unbuild(sim);
        dal_sim_contacts_destroy(sim);
        dal_sim_own_destroy(sim);
        dal_sim_forget_reduction(sim);
        dal_data_destroy(sim->data);
        dal_free(sim->ctx, sim->initial_q);
        dal_free(sim->ctx, sim->event);
        dal_free(sim->ctx, sim->log);
        dal_free(sim->ctx, sim->observer);
        dal_free(sim->ctx, sim->sampler);
        dal_free(sim->ctx, sim);
    }
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Norms of the constraints at two levels, of all rows, those left out too; nonholonomic rows count at velocity level
 * only. */
dal_status dal_sim_constraint_norms(dal_sim *sim, double *position, double *velocity, double t, const double *q,
                                    const double *v)
{
    dal_eval *ev = sim->whole ? sim->whole : sim->ev;
    double *value = sim->whole ? sim->rows : sim->w;
    const double *zero = sim->whole ? sim->la : sim->saddle->zero; // lambda plays no part
    const dal_point at = {t, q, v, sim->saddle->zero, zero};
    *position = *velocity = 0.0;
    if (ev->nh > 0) {
        dal_zero(value, ev->nc);
        DAL_TRY(dal_eval_residual(ev, &(dal_residual){.Phi = value}, &at));
        *position = dal_max_abs(value, ev->nc);
    }
    if (ev->nc > 0) {
        DAL_TRY(dal_eval_residual(ev, &(dal_residual){.vel = value}, &at));
        *velocity = dal_max_abs(value, ev->nc);
    }
    return DAL_OK;
}

static dal_status make_consistent(dal_sim *sim, double *q, double *v, dal_initial_report *report, double t)
{
    dal_initial_report rep = {0};
    const double tol = sim->opt.initial_tol;
    DAL_TRY(dal_sim_constraint_norms(sim, &rep.position_residual, &rep.velocity_residual, t, q, v));
    const int off = rep.position_residual > tol || rep.velocity_residual > tol;
    if (off && sim->opt.initial == DAL_INITIAL_STRICT) {
        return dal_fail(sim->ctx, DAL_EINITIAL,
                        "initial values are inconsistent: |Phi| = %.3e, |B v + Phi_t| = %.3e, tolerance %.1e. Correct "
                        "them, or let initial = project move them",
                        rep.position_residual, rep.velocity_residual, tol);
    }
    const int moves = sim->opt.initial == DAL_INITIAL_PROJECT || sim->opt.initial == DAL_INITIAL_STATIC;
    if (moves && sim->ev->nc > 0) {
        // values that are consistent to rounding stay as they are
        if (rep.position_residual > 1e-14 * sim->ev->length) {
            DAL_TRY(dal_project_position(sim->saddle, q, &rep.position_moved, t, DAL_POSITION_TOLERANCE));
            dal_difference(sim->ev->G, sim->saddle->v1, sim->saddle->q0, q);
            rep.position_part = dal_scales_displacement(&sim->saddle->scales, sim->saddle->v1);
        }
        const double before = dal_scales_displacement(&sim->saddle->scales, v);
        DAL_TRY(dal_project_velocity(sim->saddle, v, &rep.velocity_moved, t, q, NULL));
        const double speed = fmax(before, dal_scales_displacement(&sim->saddle->scales, v));
        rep.velocity_part = speed > 0.0 ? dal_scales_displacement(&sim->saddle->scales, sim->saddle->x) / speed : 0.0;
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

/* Everything that belongs to one run, and nothing of the run before: pivots chosen then would show in the bits. */
static dal_status begin(dal_sim *sim, double h)
{
    sim->fresh = 1;
    sim->h_next = h;
    sim->last_error = 1.0;
    sim->started = 1;
    sim->output = 0;
    sim->fired = -1;
    sim->next_projection = 0;
    sim->stale = 0;
    sim->warned = sim->warned_stability = sim->warned_coordinates = sim->warned_tolerance = 0;
    sim->stats = (dal_stats){.h_smallest = INFINITY};
    dal_linsol_forget(sim->method->matrix); // if the start had failed, the run before could have gone on with it
    *sim->method->newton_stats = (dal_newton_stats){0};
    sim->ev->nresiduals = 0;
    dal_sim_reset_grid(sim);
    for (int e = 0; e < sim->nevents; ++e) {
        DAL_TRY(dal_sim_arm_event(sim, e));
    }
    return DAL_OK;
}

/* Unknowns up to which starts are worth being quick: there may be very many of them. */
enum { QUICK = 200 };

void dal_sim_keep_saddle(dal_sim *sim, int yes)
{
    // a start of Lobatto's method has a single solve
    const int quick = sim->opt.integrator != DAL_INTEGRATOR_LOBATTO && sim->ev->nv + sim->ev->nc <= QUICK;
    dal_saddle_keep(sim->saddle, yes, yes && quick);
}

/* Consistent values from sim->q and sim->v, and the method started from them: all with one saddle matrix, where the positions
 * hold. */
static dal_status start_method(dal_sim *sim, double t0, double h, dal_initial_report *report)
{
    dal_sim_keep_saddle(sim, 1);
    dal_status st = make_consistent(sim, sim->q, sim->v, report, t0);
    if (st == DAL_OK && sim->sys->life.integrate) { // histories begin: delays stay what they are there
        const double *zero = sim->saddle->zero, *la = sim->reduction ? sim->la : zero; // which are not known yet
        dal_zero(sim->reduction ? sim->la : NULL, sim->reduction ? dal_system_rows(sim->sys) : 0);
        st = dal_data_integrate(sim->data, &(dal_point){t0, sim->q, sim->v, zero, la}, 0.0);
    }
    sim->saddle->doubted = 1;
    if (st == DAL_OK) {
        st = sim->method->type->start(sim->method, t0, sim->q, sim->v, h, DAL_MOMENT_START);
    }
    sim->saddle->doubted = 0;
    dal_sim_keep_saddle(sim, 0);
    return st;
}

static void keep_initial(dal_sim *sim, const double *q, const double *v)
{
    memmove(sim->initial_q, q, (size_t)sim->ev->nq * sizeof *q);
    memmove(sim->initial_v, v, (size_t)sim->ev->nv * sizeof *v);
}

/* Contacts that touch at the start, from sim->q and sim->v with the joints closed. */
static dal_status start_contacts(dal_sim *sim, dal_initial_report *joints, double t0, double h)
{
    int changed;
    dal_sim_contacts_free(sim);
    DAL_TRY(make_consistent(sim, sim->q, sim->v, joints, t0));
    DAL_TRY(dal_sim_contacts_start(sim, t0));
    DAL_TRY(dal_sim_contacts_decide(sim, &changed, t0, h));
    return changed ? dal_sim_rebuild(sim, sim->q, sim->v, t0) : DAL_OK;
}

/* What was given is off by what it was before the joints were closed for the contacts, and has been moved then. */
static void add_report(dal_initial_report *report, const dal_initial_report *joints)
{
    report->position_residual = fmax(report->position_residual, joints->position_residual);
    report->velocity_residual = fmax(report->velocity_residual, joints->velocity_residual);
    report->position_moved = fmax(report->position_moved, joints->position_moved);
    report->velocity_moved = fmax(report->velocity_moved, joints->velocity_moved);
    report->position_part = fmax(report->position_part, joints->position_part);
    report->velocity_part = fmax(report->velocity_part, joints->velocity_part);
}

/* The equilibrium, in sim->q and sim->v. Rows that depend on others are those of the place where the run begins. */
static dal_status start_at_rest(dal_sim *sim, double t0)
{
    DAL_TRY(dal_static_solve(sim->ctx, sim->sys, sim->data, sim->q, sim->v, NULL, NULL, t0, NULL));
    if (sim->contacts) {
        dal_sim_contacts_free(sim);
    }
    return dal_sim_looks_for_redundant(sim) ? dal_sim_rebuild(sim, sim->q, sim->v, t0) : DAL_OK;
}

static dal_status start(dal_sim *sim, double t0, const double *q, const double *v, dal_initial_report *report)
{
    DAL_TRY(dal_sim_own_reset(sim));
    dal_data_reset(sim->data);
    sim->nlog = 0;
    DAL_TRY(dal_data_apply_inputs(sim->data));
    dal_sim_contacts_reset(sim);
    DAL_TRY(dal_sim_leave_out_redundant(sim, &q, &v, t0));
    dal_copy(sim->q, q, sim->ev->nq);
    dal_copy(sim->v, v, sim->ev->nv);
    dal_normalise(sim->ev->G, sim->q);
    dal_linsol_forget(sim->saddle->ls);
    sim->saddle->scales.work = 0.0; // scales are those of this start
    dal_linsol_forget(sim->method->mass);
    const double h = sim->opt.h_max > 0.0 ? fmin(sim->opt.h, sim->opt.h_max) : sim->opt.h;
    const int rest = sim->opt.initial == DAL_INITIAL_STATIC;
    (void)dal_sim_next_break(sim, t0, 1);
    if (rest || sim->contacts) {
        keep_initial(sim, q, v); // the rows that hold may become others, and these copies with them
    }
    dal_status st = rest ? start_at_rest(sim, t0) : DAL_OK;
    dal_initial_report joints = {0};
    st = st == DAL_OK && sim->contacts ? start_contacts(sim, &joints, t0, h) : st;
    st = st == DAL_OK ? start_method(sim, t0, h, report) : st;
    if (report) {
        add_report(report, &joints);
    }
    if (st == DAL_OK) {
        st = dal_sim_watch_start(sim, t0, sim->q, sim->v, sim->method->current->vd);
    }
    if (st != DAL_OK) {
        return dal_fail_in(sim->ctx, st, "start at t = %.9g", t0);
    }
    sim->initial_t = t0;
    if (!rest && !sim->contacts) {
        keep_initial(sim, q, v);
    }
    DAL_TRY(begin(sim, h));
    int stop;
    // the search for an equilibrium has begun to count the turns of angles
    DAL_TRY(dal_sim_settle(sim, rest ? DAL_MOMENT_RESTART : DAL_MOMENT_START));
    DAL_TRY(dal_sim_own_start(sim));
    DAL_TRY(dal_sim_first_samples(sim));
    sim->balance = (dal_balance){0};
    DAL_TRY(dal_sim_balance_anew(sim));
    dal_sim_rewind_samplers(sim, 0);
    DAL_TRY(dal_sim_take_samples(sim));
    return dal_sim_notify(sim, &stop);
}

dal_status dal_sim_start(dal_sim *sim, dal_initial_report *report, double t0, const double *q, const double *v)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, q);
    DAL_TRY(dal_sim_idle(sim, __func__));
    v = v ? v : sim->zero_v;
    if (!sim->method) {
        DAL_TRY(dal_sim_build(sim, sim->sys));
    }
    DAL_TRY(dal_state_check(sim->ctx, sim->sys, DAL_EINITIAL, "initial", t0, q, v));
    dal_message kept;
    dal_message_keep(&kept, sim->ctx);
    sim->phase = SIM_SOLVING;
    const dal_status st = start(sim, t0, q, v, report);
    sim->phase = SIM_IDLE;
    return dal_message_settle(&kept, sim->ctx, st);
}

dal_status dal_sim_reset(dal_sim *sim, dal_initial_report *report)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_idle(sim, __func__));
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "dal_sim_reset repeats a start: call dal_sim_start first");
    }
    return dal_sim_start(sim, report, sim->initial_t, sim->initial_q, sim->initial_v);
}
