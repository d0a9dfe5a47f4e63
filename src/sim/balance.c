/* The balance of energy of a run (MB.20): what changes energy - work fed in + work dissipated is the error of the method. */
#include <math.h>

#include "base/message.h"
#include "base/vector.h"
#include "sim/sim_impl.h"
#include "system/data.h"

static dal_status callback_failed(dal_sim *sim, dal_status st, double t)
{
    return st == DAL_OK ? DAL_OK : dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "energy balance at t = %.9g", t);
}

static dal_status powers(dal_sim *sim, double P[2], const dal_state_buffer *s)
{
    const dal_point at = {s->t, s->q, s->v, s->vd, s->la};
    return callback_failed(sim, dal_system_exchange(sim->ev->sys, sim->data, P, &at), s->t);
}

/* Energy dissipated and fed in by the parabola through the powers at the ends of the last two steps; no state is evaluated for it
 * but the present one. After a restart: the trapezoidal rule. */
static dal_status work_of_ends(dal_sim *sim, double W[2])
{
    const double h = sim->method->current->t - sim->method->previous->t, h0 = sim->power_h;
    double P[2];
    if (sim->npower == 0) {
        DAL_TRY(powers(sim, sim->power, sim->method->previous));
        sim->npower = 1;
    }
    DAL_TRY(powers(sim, P, sim->method->current));
    for (int k = 0; k < 2; ++k) {
        const double slope = (P[k] - sim->power[k]) / h;
        const double bend = sim->npower > 1 ? (slope - (sim->power[k] - sim->power_before[k]) / h0) / (h + h0) : 0.0;
        W[k] = 0.5 * h * (P[k] + sim->power[k]) - bend * h * h * h / 6.0;
        sim->power_before[k] = sim->power[k];
        sim->power[k] = P[k];
    }
    sim->power_h = h;
    sim->npower = 2;
    return DAL_OK;
}

/* The same for any method, during the step that ends at `at`. */
static dal_status work(dal_sim *sim, double W[2], const dal_point *at)
{
    const dal_integrator *method = sim->method;
    W[0] = W[1] = 0.0;
    if (sim->sys->equations.exchange == NULL) {
        return DAL_OK;
    }
    if (at->t < method->current->t || (!method->explicit_steps && method->error_order > 2.0)) {
        return dal_sim_exchanged(sim, W, at->t);
    }
    if (!method->explicit_steps) {
        return work_of_ends(sim, W);
    }
    W[0] = method->exchanged[0];
    W[1] = method->exchanged[1];
    sim->npower = 0;
    return DAL_OK;
}

/* Scales of the balance with the energies E at the present state. */
static void note(dal_sim *sim, const double E[2])
{
    dal_balance *b = &sim->balance;
    b->energy = E[0] + E[1];
    b->kinetic = dal_larger(b->kinetic, E[0] - fmax(b->offset, 0.0));
    b->size = dal_larger(b->size, fabs(E[0]) + fabs(E[1]));
}

dal_status dal_sim_balance_step(dal_sim *sim, const dal_system *sys, const dal_point *at)
{
    dal_balance *b = &sim->balance;
    double W[2], E[2];
    if (!sim->watched) {
        return DAL_OK;
    }
    // first: nodes of work may share its place
    DAL_TRY(callback_failed(sim, dal_system_energies(sys, sim->data, E, at), at->t));
    DAL_TRY(work(sim, W, at));
    b->offset += E[0] + E[1] - b->energy - (W[1] - W[0]);
    b->residual = dal_larger(b->residual, fabs(b->offset));
    b->work += fabs(W[0]) + fabs(W[1]);
    note(sim, E);
    return DAL_OK;
}

dal_status dal_sim_balance_anew(dal_sim *sim)
{
    double E[2];
    if (!sim->watched) {
        return DAL_OK;
    }
    const dal_state s = dal_sim_shown_state(sim);
    const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
    DAL_TRY(callback_failed(sim, dal_system_energies(sim->sys, sim->data, E, &at), at.t));
    sim->npower = 0;
    note(sim, E);
    return DAL_OK;
}

dal_status dal_sim_watch(dal_sim *sim, const dal_balance *from)
{
    DAL_NEED(NULL, sim);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "the simulation has no state yet: call dal_sim_start first");
    }
    sim->balance = from ? *from : (dal_balance){0};
    sim->watched = sim->ev->watched = sim->sys->equations.energies != NULL;
    return dal_sim_balance_anew(sim);
}

dal_balance dal_sim_balance(const dal_sim *sim)
{
    return sim && sim->watched ? sim->balance : (dal_balance){.energy = (double)NAN};
}

int dal_balance_off(const dal_balance *b, double amount, double part)
{
    return b && !isnan(b->energy) && fabs(amount) > part * (b->kinetic + b->work) && fabs(amount) > 1e-9 * b->size;
}
