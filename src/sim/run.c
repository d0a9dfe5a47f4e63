/* Steps: fixed or adaptive, projection on schedule, the loop to an end time. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "sim/look.h"
#include "sim/sim_impl.h"

/* Step size control (SC.2); the gains are divided by the order of the error estimate. They follow the error
 * closely and there is no dead zone: a step size that lags behind or hangs costs energy in every cycle of a motion,
 * on the squeezing mechanism more than the transfers saved (docs/theory/stepsize.md). */
typedef struct step_control {
    double safety, growth_limit, gain_now, gain_before;
} step_control;
static const step_control implicit_steps = {0.85, 2.0, 0.9, 0.1};
/* Explicit methods do without transfers; damping helps where stability limits the steps (RK.9). */
static const step_control explicit_steps = {0.9, 5.0, 0.8, 0.4};
static const double shrink_limit = 0.2;

static const step_control *control_of(const dal_sim *sim)
{
    return sim->method->explicit_steps ? &explicit_steps : &implicit_steps;
}

void dal_sim_reset_grid(dal_sim *sim)
{
    sim->t_anchor = sim->method->current->t;
    sim->k = 0.0;
}

void dal_sim_claim_scratch(dal_sim *sim)
{
    sim->output = sim->output && sim->method->end == sim->method->current;
}

static dal_status attempt(dal_sim *sim, double h, double t1)
{
    dal_sim_claim_scratch(sim);
    dal_sim_contacts_share(sim);
    dal_data_forget(sim->data); // between steps, callbacks may find other data
    return sim->method->type->attempt(sim->method, h, t1);
}

dal_status dal_sim_settle(dal_sim *sim, dal_moment moment)
{
    const dal_state_buffer *s = sim->method->current;
    const int known = sim->reduction && dal_sim_contacts_multipliers(sim, sim->la) && moment == DAL_MOMENT_STEP;
    if (sim->reduction && !known) {
        DAL_TRY(dal_sim_whole_multipliers(sim, sim->la, &(dal_point){s->t, s->q, s->v, s->vd, s->la}));
    }
    if (sim->data->sys->life.accept == NULL) {
        return DAL_OK;
    }
    const double *la = sim->reduction ? dal_sim_state(sim).la : s->la;
    const dal_status st = dal_data_accept(sim->data, &(dal_point){s->t, s->q, s->v, s->vd, la}, moment);
    return st == DAL_OK ? DAL_OK : dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "at t = %.9g", s->t);
}

dal_status dal_sim_notify(dal_sim *sim, int *stop)
{
    *stop = 0;
    for (int i = 0; i < sim->nobservers; ++i) {
        const dal_state state = dal_sim_shown_state(sim);
        const dal_status before = dal_message_listen(sim->ctx);
        const sim_phase phase = sim->phase;
        sim->phase = SIM_OBSERVING;
        const dal_status st = sim->observer[i].call(sim, &state, sim->observer[i].user);
        sim->phase = phase;
        if (st < 0) {
            return dal_ctx_status(sim->ctx) == st
                       ? st
                       : dal_fail(sim->ctx, st, "observer %d failed at t = %.9g", i, state.t);
        }
        dal_message_heard(sim->ctx, before);
        *stop |= st > 0;
    }
    return DAL_OK;
}

/* Did the step lead into singular coordinates (gimbal lock)? */
static int coordinates_fail(dal_sim *sim, double h, char *text, size_t size)
{
    const dal_state_buffer *s = sim->method->current;
    for (int k = 0; k <= 4; ++k) {
        for (int i = 0; i < sim->ev->nv; ++i) {
            sim->w[i] = 0.25 * k * h * s->v[i];
        }
        dal_retract(sim->ev->G, sim->q, s->q, sim->w);
        if (dal_eval_coordinates_fail(sim->ev, text, size, sim->q, 0.05)) {
            return 1;
        }
    }
    return 0;
}

static dal_status step_failed(dal_sim *sim, dal_status st, double h, const char *remedy)
{
    const double t = sim->method->current->t;
    char lock[256];
    if (st > 0 && coordinates_fail(sim, h, lock, sizeof lock)) {
        return dal_fail(sim->ctx, st, "step %ld from t = %.9g with h = %.3e: %s", sim->stats.steps + 1, t, h, lock);
    }
    if (st == DAL_SINGULAR) {
        char name[96], seen[128] = "";
        const int equation = dal_linsol_singular_row(sim->method->matrix);
        if (equation >= 0) {
            sim->method->type->equation_name(sim->method, name, sizeof name, equation);
            snprintf(seen, sizeof seen, ", seen at %s", name);
        }
        if (sim->method->limit[0] != '\0') {
            return dal_fail(sim->ctx, st, "step %ld from t = %.9g with h = %.3e failed (%s): its matrix is singular%s",
                            sim->stats.steps + 1, t, h, remedy, seen);
        }
        return dal_fail(sim->ctx, st,
                        "step %ld from t = %.9g with h = %.3e: singular configuration%s. The mechanism locks or "
                        "branches there; a small change of the initial values or of the dimensions leads past it",
                        sim->stats.steps + 1, t, h, seen);
    }
    return dal_fail_in(sim->ctx, st, "step %ld from t = %.9g with h = %.3e failed (%s)", sim->stats.steps + 1, t, h,
                       remedy);
}

static void accept(dal_sim *sim, double h)
{
    sim->method->type->accept(sim->method);
    sim->output = 1;
    sim->fresh = 0;
    sim->stats.steps++;
    sim->stats.explicit_steps += sim->method->explicit_steps;
    sim->stats.h_smallest = fmin(sim->stats.h_smallest, h);
    sim->stats.h_largest = fmax(sim->stats.h_largest, h);
    sim->stats.max_newton_residual = fmax(sim->stats.max_newton_residual, *sim->method->newton_residual);
}

/* The smallest step at time t: below it, t + h is t up to rounding. */
static double finest(double t)
{
    return 8.0 * DBL_EPSILON * fabs(t);
}

/* What helps where a step of fixed size fails. Lobatto has a limit of stability (docs/theory/lobatto.md, section 3): beyond it
 * steps that are cut where they fail would go on with vibrations that have grown already. */
static const char *remedy_of(const dal_sim *sim)
{
    return sim->method->limit[0] != '\0' ? sim->method->limit
           : sim->opt.integrator == DAL_INTEGRATOR_LOBATTO
               ? "use a smaller h or step = adaptive, or with stiff springs integrator = genalpha"
               : "use a smaller h, or step = adaptive or fixed_or_cut";
}

/* One step of the given size to t1. */
static dal_status fixed_step(dal_sim *sim, double h, double t1)
{
    const double t = sim->method->current->t;
    if (!(h >= finest(t)) || !(t1 > t)) {
        return dal_fail(sim->ctx, DAL_ESTEP,
                        "step %ld from t = %.17g: h = %.3e is lost in the rounding of the time. Use h > %.1e, or let "
                        "the time begin near zero",
                        sim->stats.steps + 1, t, h, finest(t));
    }
    const dal_status st = attempt(sim, h, t1);
    if (st != DAL_OK) {
        return step_failed(sim, st, h, st > 0 ? remedy_of(sim) : "a smaller step will not help");
    }
    accept(sim, h);
    return DAL_OK;
}

/* A step towards t1 that may be cut: halved until it can be done, at most ten times. h_next is the size of the parts; it
 * doubles when t1 is reached, so that the run returns to full steps. */
static dal_status cut_step(dal_sim *sim, double h, double t1)
{
    // rounding of the time must not make another step size
    const double t = sim->method->current->t, left = fabs(t1 - t - h) < 1e-9 * h ? h : t1 - t;
    double part = fmin(left, sim->h_next);
    const double wish = sim->h_next;
    const long rejected = sim->stats.rejected;
    // no tiny part is left over: parts would stay as small
    part = left < 1.001 * part ? left : left < 1.999 * part ? 0.5 * left : part;
    for (;;) {
        const dal_status st = attempt(sim, part, part == left ? t1 : t + part);
        if (st == DAL_OK) {
            break;
        }
        if (st < 0 || 0.5 * part < fmax(sim->opt.h / 1024.0, finest(t))) {
            return step_failed(sim, st, part,
                               st < 0 ? "a smaller step will not help" : "parts of a thousandth of h fail too");
        }
        if (sim->opt.integrator == DAL_INTEGRATOR_LOBATTO && sim->stats.rejected == 0) {
            dal_log(sim->ctx, DAL_LOG_WARNING,
                    "t = %.6g: a step failed and is cut; with Lobatto that is often the end of vibrations that grow "
                    "because h "
                    "is beyond the limit of stability. If the energy has changed and nothing drove it, the results are "
                    "worthless: %s",
                    t, remedy_of(sim));
        }
        sim->stats.rejected++;
        part *= 0.5;
    }
    accept(sim, part);
    // a part that is short only because t1 is near says nothing
    const double done = sim->stats.rejected > rejected ? part : fmax(part, wish);
    sim->h_next = part < left ? part : fmin(sim->opt.h, 2.0 * done);
    return DAL_OK;
}

static double root(double x, double k)
{
    return k == 2.0 ? sqrt(x) : pow(x, 1.0 / k);
}

/* Factor for the next step size after an accepted one. */
static double next_factor(dal_sim *sim, double error)
{
    const step_control *c = control_of(sim);
    const double e = fmax(error, 1e-8), k = sim->method->error_order;
    const double factor = c->safety * pow(e, -c->gain_now / k) * pow(sim->last_error, c->gain_before / k);
    sim->last_error = e;
    const double most = sim->method->growth_limit > 0.0 ? sim->method->growth_limit : c->growth_limit;
    return fmin(fmin(most, c->growth_limit), fmax(shrink_limit, factor));
}

static dal_status too_small(dal_sim *sim, double smallest)
{
    return dal_fail(
        sim->ctx, DAL_ESTEP,
        "step %ld from t = %.9g: the error tolerance needs h < %.3e (h_min). Loosen step_rtol, or look for a "
        "discontinuity in the forces there",
        sim->stats.steps + 1, sim->method->current->t, smallest);
}

/* Where nothing moves, or nothing bends the motion, the error tells nothing, and steps would grow without end over whatever comes
 * next: then they are at most a hundredth of the run, or ten first steps. Without an end of the run, a tenth of the time passed. */
static double longest_step(const dal_sim *sim, double t_end)
{
    const double t = sim->method->current->t, t0 = sim->initial_t;
    return fmax(isfinite(t_end) ? 0.01 * (t_end - t0) : 0.1 * (t - t0), 10.0 * sim->opt.h);
}

/* One accepted step under error control, not beyond t_limit. `longest` where the error tells nothing. */
static dal_status adaptive_step(dal_sim *sim, double t_limit, double longest)
{
    // in tolerances: the step could be 18 times as long
    const double nothing = fmin(1e-10, pow(10.0, -1.25 * sim->method->error_order));
    const double h_max = sim->opt.h_max > 0.0 ? sim->opt.h_max : INFINITY;
    const double t = sim->method->current->t, left = t_limit - t;
    // below this, t + h = t; at t = 0 the first step size gives the scale
    const double rounding = finest(fmax(fabs(t), sim->opt.h)), smallest = fmax(sim->opt.h_min, rounding);
    const double wish = fmax(sim->h_next, sim->opt.h_min);
    double h = fmin(wish, h_max);
    if (h < rounding) { // steps went well, but each asked for a smaller one
        return too_small(sim, rounding);
    }
    // land on t_limit without a tiny last step
    h = left <= 1.001 * h ? left : left < 2.0 * h ? 0.5 * left : h;
    const double first = h;
    for (;;) {
        const double t1 = h == left ? t_limit : t + h;
        const dal_status st = attempt(sim, h, t1);
        if (st < 0) {
            return step_failed(sim, st, h, "a smaller step will not help");
        }
        const double error = st == DAL_OK ? sim->method->type->error(sim->method) : INFINITY;
        if (error <= 1.0) {
            accept(sim, h);
            double next = fmin(h * next_factor(sim, error), error < nothing ? fmin(longest, h_max) : h_max);
            // where steps may grow fast, what has just been refused is not tried again at once
            const int refused = h < first;
            next = refused && sim->method->explicit_steps ? fmin(next, h) : next;
            // a step shortened only to land on t_limit says little: keep the wish
            const int landed = !refused && h < wish && sim->stats.steps > 1 && h >= 0.5 * fmin(left, wish);
            sim->h_next = landed && next < wish ? wish : next;
            return DAL_OK;
        }
        sim->stats.rejected++;
        h *= isfinite(error)
                 ? fmax(shrink_limit, fmin(0.9, control_of(sim)->safety / root(error, sim->method->error_order)))
                 : 0.25;
        sim->h_next = h;
        if (h < smallest) {
            return st > 0 ? step_failed(sim, st, h, "h fell below h_min") : too_small(sim, smallest);
        }
    }
}

/* An explicit method whose steps are limited by stability, not by accuracy: say so once a run, and do not begin what
 * takes hours. */
static dal_status watch_stability(dal_sim *sim, double t_end)
{
    const double rate = sim->method->stability_rate, hertz = rate / 6.283185307179586, most = 1e6;
    const double t = sim->method->current->t, h = sim->method->current->h, left = (t_end - t) / h;
    if (!(rate > 0.0)) {
        return DAL_OK;
    }
    if (isfinite(t_end) && left > most && sim->opt.max_steps == 0) {
        return dal_fail(
            sim->ctx, DAL_ESTEP,
            "step limited by stability at t = %.6g: fastest frequency about %.3g Hz, so the rest would take "
            "%.1e steps of %.1e s. Use integrator = genalpha, or set max_steps to continue anyway",
            t, hertz, left, h);
    }
    if (!sim->warned_stability) {
        sim->warned_stability = 1;
        dal_log(sim->ctx, DAL_LOG_WARNING,
                "step limited by stability at t = %.6g, fastest frequency about %.3g Hz; use integrator = genalpha", t,
                hertz);
    }
    return DAL_OK;
}

/* Near gimbal lock errors grow with 1/|det S|: say so once a run. A long step may begin before the lock and end behind it, so
 * the way is looked at in parts of 0.05 rad, half the width in which |det S| is below the limit; far from it in longer ones:
 * |det S| changes by at most 1 per radian, and half of what would be needed is gone at once. */
static void watch_coordinates(dal_sim *sim)
{
    static const double limit = 0.05, part = 0.05, least = 1.0 / 200.0; // parts: at least of the whole way
    char lock[256];
    const dal_system *sys = sim->ev->sys;
    const dal_state_buffer *s = sim->method->current, *from = sim->method->previous;
    if (sim->warned_coordinates || !sys->names.coordinates) {
        return;
    }
    const double h = s->t - from->t, way = h > 0.0 ? dal_max_abs(s->theta, sim->ev->nv) : 0.0;
    for (double gone = fmin(part, way), done = 0.0; done < 1.0 && !sim->warned_coordinates;) {
        done = gone < way ? gone / way : 1.0;
        for (int i = 0; i < sim->ev->nv; ++i) {
            sim->w[i] = (done - 1.0) * s->theta[i];
        }
        dal_retract(sim->ev->G, sim->q, s->q, sim->w);
        const double regular = sys->names.coordinates(lock, 1, sim->q, sys->user);
        if (!(regular >= limit)) {
            sim->warned_coordinates = 1;
            (void)sys->names.coordinates(lock, sizeof lock, sim->q, sys->user);
            dal_log(sim->ctx, DAL_LOG_WARNING, "t = %.6g: near %s", s->t - h * (1.0 - done), lock);
        }
        gone += fmax(fmax(part, least * way), 0.5 * (regular - limit));
    }
}

/* Projection after a step, if its turn has come. */
static dal_status scheduled_projection(dal_sim *sim)
{
    const dal_options *opt = &sim->opt;
    const double t = sim->method->current->t, h = sim->method->current->h;
    int due = opt->projection_every > 0 && sim->stats.steps % opt->projection_every == 0;
    while (sim->next_projection < opt->projection_times.n &&
           opt->projection_times.x[sim->next_projection] <= t + 1e-6 * h) {
        due |= opt->projection_times.x[sim->next_projection] > t - h * (1.0 - 1e-6);
        sim->next_projection++;
    }
    if (opt->projection == DAL_PROJECTION_NONE || !due) {
        return DAL_OK;
    }
    const dal_status st = dal_sim_project_now(sim, (dal_projection)opt->projection);
    return st == DAL_OK ? DAL_OK : dal_fail_in(sim->ctx, st, "projection at t = %.9g", t);
}

/* What follows an accepted step. *stop: 1 an event, 2 an observer or sampler ends the run. */
static dal_status after_step(dal_sim *sim, double t_break, double t_end, int *stop)
{
    int by_event = 0, by_observer = 0, restarted = 0, retreated = 0, jumped = 0;
    const dal_status watched = dal_sim_watch_step(sim);
    DAL_TRY(watched == DAL_OK ? DAL_OK : dal_sim_retreat(sim, &retreated, watched));
    if (retreated) {
        *stop = 0;
        return dal_sim_balance_anew(sim);
    }
    watch_coordinates(sim);
    DAL_TRY(scheduled_projection(sim));
    DAL_TRY(dal_sim_handle_events(sim, &restarted, &by_event));
    const double t = sim->method->current->t;
    const int jumps = t >= t_break || sim->stale;
    if (!restarted) {
        DAL_TRY(dal_sim_integrate(sim, t));
        DAL_TRY(dal_sim_balance_step(sim, jumps || t >= t_end));
    }
    DAL_TRY(dal_sim_capture(sim, &jumped));
    if (jumps) {
        DAL_TRY(dal_sim_pass_break(sim));
        restarted = 1;
    }
    DAL_TRY(dal_sim_settle(sim, restarted ? DAL_MOMENT_RESTART : DAL_MOMENT_STEP));
    dal_sim_contacts_accept(sim);
    DAL_TRY(restarted || jumped ? dal_sim_balance_anew(sim) : DAL_OK);
    DAL_TRY(dal_sim_take_samples(sim));
    DAL_TRY(dal_sim_notify(sim, &by_observer));
    *stop = by_event ? 1 : by_observer || sim->sampler_stops ? 2 : 0;
    return DAL_OK;
}

static dal_status ready(dal_sim *sim)
{
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "the simulation has no state yet: call dal_sim_start first");
    }
    if (sim->opt.max_steps > 0 && sim->stats.steps >= sim->opt.max_steps) {
        return dal_fail(sim->ctx, DAL_ESTEP, "max_steps = %d reached at t = %.9g", sim->opt.max_steps,
                        sim->method->current->t);
    }
    return DAL_OK;
}

/* A step of size h to t1, or, if it may be cut, towards it. *there: t1 is reached. */
static dal_status step_to(dal_sim *sim, double h, double t1, int *there)
{
    if (sim->opt.step == DAL_STEP_FIXED_OR_CUT) {
        DAL_TRY(cut_step(sim, h, t1));
    } else {
        DAL_TRY(fixed_step(sim, h, t1));
    }
    *there = sim->method->current->t == t1;
    return DAL_OK;
}

/* A fixed step towards t_end: full, or of the size that ends there. No tiny step is left over. */
static dal_status fixed_step_towards(dal_sim *sim, double t_end)
{
    const double h = sim->opt.h, t = sim->method->current->t, t1 = sim->t_anchor + (sim->k + 1.0) * h;
    const double rounding = t_end == INFINITY ? 0.0 : 1e-12 * h + 4.0 * 2.2e-16 * fabs(t_end);
    int there;
    if (fabs(t1 - t_end) <= rounding || t1 < t_end - 1e-6 * h) {
        DAL_TRY(step_to(sim, h, fabs(t1 - t_end) <= rounding ? t_end : t1, &there));
        sim->k += there ? 1.0 : 0.0;
        return DAL_OK;
    }
    DAL_TRY(step_to(sim, t_end - t, t_end, &there));
    if (there) {
        dal_sim_reset_grid(sim);
    }
    return DAL_OK;
}

double dal_sim_next_break(const dal_sim *sim, double t, int go_on)
{
    const dal_system *sys = sim->data->sys;
    double next = sys->life.next_break ? sys->life.next_break(t, sys->user, sim->data->work) : INFINITY;
    double (*const find)(double, int, const void *, void *) =
        sim->opt.step == DAL_STEP_ADAPTIVE ? sys->life.next_kink : sys->life.next_jump;
    if (find) {
        next = fmin(next, find(t, go_on, sys->user, sim->data->work));
    }
    return next;
}

/* Breaks too close together for a step between them count as one: the last of those that belong to the one at t_break. */
static double last_break(const dal_sim *sim, double t_break)
{
    const double h = sim->opt.step != DAL_STEP_ADAPTIVE ? sim->opt.h : sim->method->current->h;
    const double until = t_break + 1e-6 * h + 16.0 * 2.2e-16 * fabs(t_break);
    double last = t_break, next;
    while (last < INFINITY && (next = dal_sim_next_break(sim, last, 0)) > last && next <= until) {
        last = next;
    }
    return last;
}

static double rounding_of(double t_end)
{
    return isfinite(t_end) ? 4.0 * DBL_EPSILON * fabs(t_end) : 0.0;
}

static dal_status one_step(dal_sim *sim, double t_end, int *stop)
{
    DAL_TRY(ready(sim));
    const double t = sim->method->current->t, t_break = dal_sim_next_break(sim, t, 1);
    const int adaptive = sim->opt.step == DAL_STEP_ADAPTIVE;
    // what follows a break matters to a step that may reach it
    const int near = t_break < t + 4.0 * (adaptive ? sim->h_next : sim->opt.h);
    const double t_limit = fmin(fmin(t_end, dal_sim_own_next(sim)), near ? last_break(sim, t_break) : t_break);
    DAL_TRY(adaptive ? adaptive_step(sim, t_limit, longest_step(sim, t_end)) : fixed_step_towards(sim, t_limit));
    return after_step(sim, t_break, t_end - rounding_of(t_end), stop);
}

dal_status dal_sim_step(dal_sim *sim)
{
    int stop;
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_idle(sim, __func__));
    DAL_TRY(ready(sim));
    dal_message kept;
    dal_message_keep(&kept, sim->ctx);
    sim->fired = -1;
    sim->phase = SIM_SOLVING;
    dal_status st = DAL_OK;
    while (st == DAL_OK && sim->sampler_stops) {
        st = dal_sim_rest_of_samples(sim);
    }
    st = st == DAL_OK ? one_step(sim, INFINITY, &stop) : st;
    st = st == DAL_OK ? watch_stability(sim, INFINITY) : st;
    st = st == DAL_OK ? dal_sim_look(sim) : st;
    sim->phase = SIM_IDLE;
    return dal_message_settle(&kept, sim->ctx, st);
}

/* Is t_end a time to run to? Infinity is, if there is something that can end the run. */
static dal_status check_end(const dal_sim *sim, double t_end, double rounding)
{
    const double t = sim->method->current->t;
    if (t_end == INFINITY && sim->nevents == 0 && sim->nobservers == 0 && sim->opt.max_steps == 0) {
        return dal_fail(sim->ctx, DAL_EINVAL,
                        "t_end = %g and nothing else can end the run: add an event or an observer, or set max_steps",
                        t_end);
    }
    if (!isfinite(t_end) && t_end != INFINITY) {
        return dal_fail(sim->ctx, DAL_EINVAL, "t_end = %g is not a time", t_end);
    }
    if (t_end < t - rounding) {
        return dal_fail(sim->ctx, DAL_EINVAL,
                        "t_end = %.9g lies before the current time %.9g: to go back, start anew or restore a snapshot",
                        t_end, t);
    }
    return DAL_OK;
}

/* Once a run. */
static void warn_of_rounding(dal_sim *sim)
{
    const dal_stats st = dal_sim_stats(sim);
    if (st.lambda_rounding > DAL_ROUNDING_WARNING && !sim->warned) {
        sim->warned = 1;
        dal_log(
            sim->ctx, DAL_LOG_WARNING,
            "steps of %.1e s are below what double precision allows: rounding makes an error of about %.0e of the "
            "largest reaction, and it grows like 1/h^2. Larger steps, or formulation = ggl or integrator = lobatto, "
            "give better reactions",
            st.h_smallest, st.lambda_rounding);
    }
}

/* Likewise of a tolerance that rounding does not allow. */
static void warn_of_tolerance(dal_sim *sim)
{
    const double missed = sim->method->missed;
    if (missed > 1.0 && !sim->warned_tolerance) {
        sim->warned_tolerance = 1;
        dal_log(sim->ctx, DAL_LOG_WARNING,
                "the tolerance is not reached: rounding leaves errors of about %.1g times step_atol + step_rtol times "
                "the speed in single steps. Loosen step_rtol = %g or step_atol = %g",
                missed, sim->opt.step_rtol, sim->opt.step_atol);
    }
}

static dal_status run(dal_sim *sim, double t_end, double rounding, int *stop)
{
    DAL_TRY(dal_sim_rest_of_samples(sim));
    *stop = sim->sampler_stops ? 2 : 0;
    while (!*stop && sim->method->current->t < t_end - rounding) {
        DAL_TRY(one_step(sim, t_end, stop));
        DAL_TRY(watch_stability(sim, t_end));
    }
    warn_of_rounding(sim);
    warn_of_tolerance(sim);
    return dal_sim_look(sim);
}

dal_status dal_sim_run(dal_sim *sim, dal_stop *reason, double t_end)
{
    int stop = 0;
    const double rounding = rounding_of(t_end);
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_idle(sim, __func__));
    DAL_TRY(ready(sim));
    DAL_TRY(check_end(sim, t_end, rounding));
    dal_message kept;
    dal_message_keep(&kept, sim->ctx);
    sim->fired = -1;
    sim->phase = SIM_SOLVING;
    const dal_status st = run(sim, t_end, rounding, &stop);
    sim->phase = SIM_IDLE;
    sim->fired = stop == 1 ? sim->fired : -1;
    if (reason && st == DAL_OK) {
        *reason = stop == 1 ? DAL_STOP_EVENT : stop == 2 ? DAL_STOP_OBSERVER : DAL_STOP_TIME;
    }
    return dal_message_settle(&kept, sim->ctx, st);
}
