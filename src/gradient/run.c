/* The run: numbers, initial values, steps. */
#include <math.h>
#include <string.h>

#include "base/stencil.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "system/mask.h"

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Those of p that follow from the numbers given: a direction that is drawn shows them. */
static dal_status find_numbers(dal_gradient *g)
{
    unsigned seed = 7;
    double *direction = g->of_squares; // scratch
    for (int k = 0; k < g->n; ++k) {
        seed = seed * 1664525U + 1013904223U;
        direction[k] = 0.5 + (double)(seed >> 8) / 16777216.0;
    }
    DAL_TRY(dal_gr_product(g, direction));
    const int before = g->np;
    int same = 1;
    g->np = 0;
    for (int i = 0; i < g->ntotal + g->nremembered + g->nwhole; ++i) {
        const int whole = i - g->ntotal - g->nremembered, number = i < g->ntotal ? i
                                                                   : whole < 0   ? -1
                                                                                 : g->ntotal + whole;
        if (number < 0 || number >= g->ntotal || g->p[number] != 0.0) {
            same &= g->np < before && g->index[g->np] == number;
            g->index[g->np++] = number;
        }
    }
    g->outputs.known &= same && g->np == before; // what outputs depend on is as it was
    return DAL_OK;
}

/* Velocities that are completed at some values of number k and contradict the joints at others jump between these. */
static dal_status check_start(const dal_gradient *g, int k, int completed, int before)
{
    if (completed * before >= 0) {
        return DAL_OK;
    }
    return dal_fail(
        g->ctx, DAL_EINVAL,
        "gradients: initial velocities jump with '%s': those given contradict the joints at one value and are "
        "completed by the others at the next, so that the run has no derivative. Give the velocities of all "
        "bodies or of none, or take another number",
        g->name[k]);
}

/* The number as one that the model is opened with; NULL: it is bound. */
static const gr_whole *opened_with(const dal_gradient *g, int k)
{
    for (int i = 0; i < g->nwhole; ++i) {
        if (g->whole[i].number == k && g->whole[i].twin[0].data) {
            return &g->whole[i];
        }
    }
    return NULL;
}

/* Initial values with other numbers, and their changes, by differences: closed mechanisms, completed velocities. Where there is
 * nothing to complete at the numbers themselves, as at rest, there may be at others. */
static dal_status differences_of_start(dal_gradient *g)
{
    const dal_group *G = g->sys->group;
    double *q = g->outputs.q, *v = g->outputs.v, *theta = g->outputs.theta;
    io_guess how;
    dal_zero(g->dq0, g->nv * g->n);
    dal_zero(g->dv0, g->nv * g->n);
    for (int k = 0; k < g->n; ++k) {
        const gr_whole *anew = opened_with(g, k);
        const dal_stencil *by = anew ? anew->by : &dal_six_values;
        const double own = g->now[k], step = anew ? anew->step : 1e-3 * (own != 0.0 ? fabs(own) : 1.0);
        int completed = g->start.completed;
        dal_status st = DAL_OK;
        for (int j = 0; j < by->n && st == DAL_OK; ++j) {
            const double w = by->weight[j] / step;
            g->now[k] = anew ? own : own + by->place[j] * step;
            st = dal_gr_guess(g, q, v, &how, anew ? &anew->twin[j] : NULL);
            st = st == DAL_OK ? check_start(g, k, how.completed, completed) : st;
            completed = how.completed != 0 ? how.completed : completed;
            dal_difference(G, theta, g->q0, q);
            dal_add_multiple(g->dq0 + k * g->nv, theta, w, g->nv);
            dal_add_multiple(g->dv0 + k * g->nv, v, w, g->nv);
        }
        g->now[k] = own;
        DAL_TRY(st);
    }
    return dal_gr_guess(g, g->q0, g->v0, &how, NULL);
}

static dal_status prepare(dal_gradient *g)
{
    dal_gr_dependence_destroy(g);
    DAL_TRY(dal_gr_guess(g, g->q0, g->v0, &g->start, NULL));
    DAL_TRY(dal_gr_place_whole(g));
    DAL_TRY(find_numbers(g));
    DAL_TRY(dal_gr_dependence_create(g));
    return g->start.closed ? differences_of_start(g) : DAL_OK;
}

/* ---- times at which steps end ------------------------------------------------------------------ */

enum { BREAKS = 1024, FINER = 4 };

/* Times within the run at which forces jump; how many. */
static int find_breaks(const dal_gradient *g, const dal_data *data, double t[BREAKS])
{
    const dal_system *sys = data->sys;
    int n = 0;
    for (double at = 0.0; n < BREAKS;) {
        const double from = at;
        at = sys->life.next_break ? sys->life.next_break(from, sys->user, data->work) : INFINITY;
        at = sys->life.next_jump ? fmin(at, sys->life.next_jump(from, 0, sys->user, data->work)) : at;
        if (!(at < g->t_end)) {
            break;
        }
        t[n++] = at;
    }
    return n;
}

static int is_multiple(double t, double h)
{
    const double steps = t / h;
    return fabs(steps - floor(steps + 0.5)) <= 1e-9 * steps;
}

/* A step as long as asked for, or a little shorter, so that steps end at t_end and where forces jump: the change of a shorter step is
 * none. */
dal_status dal_gr_fit_step(dal_gradient *g)
{
    double t[BREAKS] = {0.0};
    const int n = find_breaks(g, dal_sim_data(g->sim), t);
    const long least = (long)ceil(g->t_end / g->opt.h * (1.0 - 1e-9));
    for (long steps = least; steps <= FINER * least; ++steps) {
        const double h = g->t_end / (double)steps;
        int fits = 1;
        for (int i = 0; i < n && fits; ++i) {
            fits = is_multiple(t[i], h);
        }
        if (fits) {
            if (!is_multiple(g->t_end, g->opt.h) || steps > least) {
                g->opt.h = h;
                dal_log(g->ctx, DAL_LOG_INFO, "gradients: h = %.9g, so that steps end at t_end and where forces jump",
                        h);
            }
            return DAL_OK;
        }
    }
    return dal_fail(g->ctx, DAL_EOPTION,
                    "gradients: forces jump at t = %.9g, where no step ends: choose h so that this time and t_end = %g "
                    "are multiples of it, or integrator = rk",
                    t[0], g->t_end);
}

dal_status dal_gr_check_breaks(dal_gradient *g, const dal_data *data, int k)
{
    double t[BREAKS], other[BREAKS];
    dal_data *own = dal_sim_data(g->sim);
    int same = 1;
    if (data == own) {
        DAL_TRY(dal_gr_set(g, own, g->given));
    }
    const int n = find_breaks(g, own, t);
    if (n > 0 && data == own) {
        g->now[k] = g->given[k] != 0.0 ? 1.001 * g->given[k] : 0.001;
        same = dal_gr_set(g, own, g->now) == DAL_OK;
        g->now[k] = g->given[k];
    }
    same = same && find_breaks(g, data, other) == n;
    for (int i = 0; i < n && same; ++i) {
        same = t[i] == other[i];
    }
    return same ? DAL_OK
                : dal_fail(g->ctx, DAL_EINVAL,
                           "gradients: a time at which forces jump or joints are released depends on '%s'; times are "
                           "not differentiated",
                           g->name[k]);
}

/* Times at which forces jump must not follow from the numbers. */
dal_status dal_gr_check_all_breaks(dal_gradient *g)
{
    double t[BREAKS];
    const int n = find_breaks(g, dal_sim_data(g->sim), t);
    for (int k = 0; k < g->n && n > 0; ++k) {
        DAL_TRY(dal_gr_check_breaks(g, dal_sim_data(g->sim), k));
    }
    return dal_gr_set(g, dal_sim_data(g->sim), g->given);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static dal_status note_time(dal_sim *sim, const dal_state *state, void *user)
{
    dal_gradient *g = user;
    const int event = dal_gr_happened(g, sim) && g->ntimes > 0; // it is found again, within a step
    if (event || (g->ntimes > 0 && state->t <= g->times[g->ntimes - 1])) {
        return DAL_OK;
    }
    const int halves =
        g->opt.integrator == DAL_INTEGRATOR_LOBATTO && g->ntimes > 0; // of which its steps consist (LB.10)
    for (int k = 1 - halves; k < 2; ++k) {
        DAL_TRY(dal_gr_grow(g, &g->times, &g->room_times, g->ntimes, 1));
        const double before = k == 0 ? g->times[g->ntimes - 1] : state->t;
        g->times[g->ntimes++] = before + 0.5 * (state->t - before);
    }
    return DAL_OK;
}

dal_status dal_gr_pilot(dal_gradient *g)
{
    DAL_TRY(dal_sim_create(&g->pilot, g->ctx, g->sys, &g->control));
    return dal_sim_observe(g->pilot, note_time, g);
}

/* The steps that error control takes; they are held. */
static dal_status choose_steps(dal_gradient *g)
{
    if (!g->pilot || (g->frozen && g->ntimes > 0)) {
        return DAL_OK;
    }
    const gr_model pilot = {.binding = g->binding, .data = dal_sim_data(g->pilot)};
    io_guess how;
    g->ntimes = 0;
    DAL_TRY(dal_gr_guess(g, g->q0, g->v0, &how, &pilot));
    DAL_TRY(dal_sim_start(g->pilot, NULL, 0.0, g->q0, g->v0));
    return dal_sim_run(g->pilot, NULL, g->t_end);
}

void dal_gr_drop_derivative(dal_gradient *g)
{
    dal_gr_joints_drop(g);
    if (g->derivative) {
        g->type->destroy(g->derivative);
        g->derivative = NULL;
    }
}

dal_status dal_gr_need_derivative(dal_gradient *g)
{
    return g->derivative ? DAL_OK : g->type->create(&g->derivative, g->ctx, g->parts.method, g->dependence, g->columns);
}

/* A start is differentiated without impacts. */
static dal_status check_first_impact(const dal_gradient *g)
{
    int n = 0;
    const dal_contact_event *event = dal_sim_contact_events(g->sim, &n);
    for (int k = 0; k < n; ++k) {
        if (event[k].what == DAL_CONTACT_IMPACT) {
            char name[96];
            (void)dal_sim_happening(g->sim, name, sizeof name, &event[k]);
            return dal_fail(g->ctx, DAL_EINVAL,
                            "gradients: '%s' begins with an impact at t = 0, which is not differentiated: begin a "
                            "little before it, or with velocities after it",
                            name);
        }
    }
    return DAL_OK;
}

/* The positions that projections arrive at depend on how they go: the run starts from those that are differentiated. */
static dal_status start(dal_gradient *g, int derivatives)
{
    io_guess how;
    dal_gr_drop_derivative(g); // a start may make another method
    dal_gr_records_clear(g);
    DAL_TRY(dal_gr_guess(g, g->q0, g->v0, &how, NULL));
    DAL_TRY(dal_sim_start(g->sim, NULL, 0.0, g->q0, g->v0));
    DAL_TRY(check_first_impact(g));
    g->columns = g->about.mode == DAL_GRADIENT_FORWARD ? g->n : g->nof + (g->ndata > 0);
    g->columns += g->columns == 0;
    return derivatives && !g->happens ? dal_gr_need_derivative(g) : DAL_OK;
}

dal_status dal_gr_run(dal_gradient *g)
{
    const int derivatives = g->about.mode != DAL_GRADIENT_VALUES;
    DAL_TRY(choose_steps(g));
    if (derivatives) {
        DAL_TRY(prepare(g));
    }
    DAL_TRY(start(g, derivatives));
    DAL_TRY(dal_gr_fill(g));
    g->about.steps = 0;
    for (long i = 1; i < g->nrecords; ++i) {
        g->about.steps += !dal_gr_fresh(g, i);
    }
    return DAL_OK;
}
