/* The balance of energy of a run (MB.20): what changes energy - work fed in + work dissipated is the error of the method. */
#include <math.h>

#include "base/message.h"
#include "base/vector.h"
#include "sim/look.h"
#include "sim/sim_impl.h"
#include "system/data.h"

static dal_status callback_failed(dal_sim *sim, dal_status st, double t)
{
    return st == DAL_OK ? DAL_OK : dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "energy balance at t = %.9g", t);
}

static dal_status powers(dal_sim *sim, double P[2], const dal_point *at)
{
    return callback_failed(sim, dal_system_exchange(sim->ev->sys, sim->data, P, at), at->t);
}

static dal_point point_of(const dal_state_buffer *s)
{
    return (dal_point){s->t, s->q, s->v, s->vd, s->la};
}

/* ---- steps that have been kept ---------------------------------------------------------------- */

static void keep(dal_sim *sim, const dal_state_buffer *s)
{
    const dal_eval *ev = sim->ev;
    double *to = sim->looks.end + sim->looks.size * sim->looks.steps;
    *to++ = s->t;
    dal_copy(to, s->q, ev->nq);
    dal_copy(to += ev->nq, s->v, ev->nv);
    dal_copy(to += ev->nv, s->vd, ev->nv);
    dal_copy(to += ev->nv, s->la, ev->nc);
    dal_copy(to + ev->nc, sim->data->memory, sim->sys->nmemory);
}

static dal_point kept(const dal_sim *sim, int i)
{
    const double *x = sim->looks.end + sim->looks.size * i, *v = x + 1 + sim->ev->nq;
    return (dal_point){x[0], x + 1, v, v + sim->ev->nv, v + 2 * sim->ev->nv};
}

/* Powers at the end of a step, with what the system remembered then. */
static dal_status kept_powers(dal_sim *sim, double P[2], int i)
{
    const int n = sim->sys->nmemory;
    const dal_point at = kept(sim, i);
    double *present = sim->looks.end + SIM_LOOK * sim->looks.size;
    dal_copy(present, sim->data->memory, n);
    dal_copy(sim->data->memory, at.la + sim->ev->nc, n);
    const dal_status st = powers(sim, P, &at);
    dal_copy(sim->data->memory, present, n);
    return st;
}

int dal_sim_step_size(const dal_sim *sim)
{
    return 1 + sim->ev->nq + 2 * sim->ev->nv + sim->ev->nc + sim->sys->nmemory;
}

/* ---- work ------------------------------------------------------------------------------------- */

/* Adds the energy dissipated and fed in until t, where the powers are P: the cubic through the last four powers, after a restart
 * what those known allow. Returns how much its last term is. */
static double extend(sim_powers *known, double W[2], double t, const double P[2])
{
    const double h = t - known->t, h1 = known->h[0], h2 = known->h[1];
    double doubt = 0.0;
    for (int k = 0; k < 2; ++k) {
        const double slope = (P[k] - known->P[k]) / h;
        const double bend = known->n > 1 ? (slope - known->slope[k]) / (h + h1) : 0.0;
        const double twist = known->n > 2 ? (bend - known->bend[k]) / (h + h1 + h2) : 0.0;
        const double second = -bend * h * h * h / 6.0, third = -twist * h * h * h * (h / 12.0 + h1 / 6.0);
        W[k] += 0.5 * h * (P[k] + known->P[k]) + second + third;
        doubt += fabs(known->n > 2 ? third : known->n > 1 ? second : 0.5 * h * h * slope);
        known->P[k] = P[k];
        known->slope[k] = slope;
        known->bend[k] = bend;
    }
    known->t = t;
    known->h[0] = h;
    known->h[1] = h1;
    known->n = known->n < 3 ? known->n + 1 : 3;
    return doubt;
}

/* Work of the steps since the last look, by the powers at its ends; gained: energy. Where that is in doubt, or does not explain
 * what the energy did as usual, by the powers at the ends of all steps. */
static dal_status work_of_steps(dal_sim *sim, double W[2], double gained)
{
    sim_looks *looks = &sim->looks;
    const int n = looks->steps;
    const double least = (sim->method->type->exchange ? 1e-8 : 1e-5) * (sim->balance.kinetic + sim->balance.work);
    double P[2];
    const double t = kept(sim, n - 1).t;
    if (looks->powers.n == 0) {
        const dal_point from = point_of(sim->method->previous);
        looks->powers = (sim_powers){.n = 1, .t = from.t};
        DAL_TRY(powers(sim, looks->powers.P, &from));
    }
    sim_powers coarse = looks->powers;
    DAL_TRY(kept_powers(sim, P, n - 1));
    const double doubt = extend(&coarse, W, t, P), off = fabs(gained - (W[1] - W[0]));
    const int sure = doubt <= least && off <= fmax(8.0 * n * looks->usual, least);
    // the doubt grows with the fourth power of the time between looks
    looks->every = doubt <= least && !sure ? 1 : (int)fmin(2.0 * n, 0.8 * n * sqrt(sqrt(least / doubt)));
    if (sure || n == 1) {
        looks->powers = coarse;
        const int better = doubt > least && sim->method->type->exchange && t == sim->method->current->t;
        return better ? callback_failed(sim, sim->method->type->exchange(sim->method, W), t) : DAL_OK;
    }
    W[0] = W[1] = 0.0;
    for (int i = 0; i < n; ++i) {
        double part_of[2] = {0.0, 0.0};
        DAL_TRY(kept_powers(sim, P, i));
        (void)extend(&looks->powers, part_of, kept(sim, i).t, P);
        for (int k = 0; k < 2; ++k) {
            const double sum = W[k] + part_of[k];
            sim->balance.work += fabs(part_of[k]) + fabs(W[k]) - fabs(sum); // what the sum forgets
            W[k] = sum;
        }
    }
    return DAL_OK;
}

/* Scales of the balance with the energies E at the present state. */
static void note(dal_sim *sim, const double E[2])
{
    dal_balance *b = &sim->balance;
    b->energy = E[0] + E[1];
    sim->looks.kinetic = E[0];
    b->kinetic = dal_larger(b->kinetic, E[0] - fmax(b->offset, 0.0));
    b->size = dal_larger(b->size, fabs(E[0]) + fabs(E[1]));
}

/* The balance with the energies E at the end of steps in which W was dissipated and fed in. Looks are so close that energies change
 * by a tenth at most of what is turned over. */
static void book(dal_sim *sim, const double W[2], const double E[2])
{
    dal_balance *b = &sim->balance;
    sim_looks *looks = &sim->looks;
    const int n = looks->steps > 0 ? looks->steps : 1;
    const double change = fabs(E[0] - looks->kinetic) + fabs(W[0]) + fabs(W[1]);
    const double bound = n * 0.1 * (b->kinetic + b->work) / change;
    looks->every = (int)fmin(fmin(looks->every, SIM_LOOK), bound);
    const double off = E[0] + E[1] - b->energy - (W[1] - W[0]);
    b->offset += off;
    b->residual = dal_larger(b->residual, fabs(b->offset));
    b->work += fabs(W[0]) + fabs(W[1]);
    looks->usual = fmax(fabs(off) / n, 0.9 * looks->usual);
    looks->W[0] = looks->W[1] = 0.0;
    looks->steps = 0;
    note(sim, E);
}

/* Is the work found from powers at the ends of steps? They are kept if so. */
static int by_ends(const dal_sim *sim)
{
    return sim->sys->equations.exchange != NULL && (!sim->method->explicit_steps || sim->looks.ends);
}

static void stages_again(dal_sim *sim)
{
    sim->looks.ends = 0;
    sim->looks.powers.n = 0;
    sim->ev->watched = sim->watched;
}

/* Sums at the stages of an explicit method cost as much as the stages of a small system: where the steps are fixed and the powers
 * at their ends explain the same work, these suffice, until they no longer do. */
static dal_status leave_stages(dal_sim *sim, const dal_point *at)
{
    sim_looks *looks = &sim->looks;
    const double least = 1e-6 * (sim->balance.kinetic + sim->balance.work);
    double P[2], W[2] = {0.0, 0.0};
    if (sim->sys->equations.exchange == NULL || sim->opt.step == DAL_STEP_ADAPTIVE) {
        looks->powers.n = 0; // those of implicit steps before are too old
        return DAL_OK;
    }
    DAL_TRY(powers(sim, P, at));
    const int known = looks->powers.n;
    if (known == 0) {
        looks->powers = (sim_powers){.n = 1, .t = at->t, .P = {P[0], P[1]}};
        return DAL_OK;
    }
    const double doubt = extend(&looks->powers, W, at->t, P);
    looks->ends = known == 3 && doubt <= least && fabs(W[0] - looks->W[0]) + fabs(W[1] - looks->W[1]) <= least;
    sim->ev->watched = !looks->ends;
    return DAL_OK;
}

static dal_status look(dal_sim *sim, const dal_state_buffer *s)
{
    const dal_point at = point_of(s);
    double E[2];
    if (sim->looks.steps == 0) {
        return DAL_OK;
    }
    DAL_TRY(callback_failed(sim, dal_system_energies(sim->ev->sys, sim->data, E, &at), at.t));
    sim->looks.every = 2 * sim->looks.steps;
    if (by_ends(sim)) {
        DAL_TRY(work_of_steps(sim, sim->looks.W, E[0] + E[1] - sim->balance.energy));
        if (sim->method->explicit_steps && sim->looks.every <= 1) {
            stages_again(sim);
        }
    } else {
        DAL_TRY(leave_stages(sim, &at));
    }
    book(sim, sim->looks.W, E);
    return DAL_OK;
}

dal_status dal_sim_balance_step(dal_sim *sim, int now)
{
    const dal_state_buffer *s = sim->method->current;
    if (!sim->watched) {
        return DAL_OK;
    }
    if (by_ends(sim)) {
        keep(sim, s);
    } else if (sim->method->explicit_steps) {
        sim->looks.W[0] += sim->method->exchanged[0];
        sim->looks.W[1] += sim->method->exchanged[1];
    }
    sim->looks.steps++;
    return now || sim->looks.steps >= sim->looks.every ? look(sim, s) : DAL_OK;
}

dal_status dal_sim_balance_event(dal_sim *sim, double t)
{
    double W[2] = {0.0, 0.0}, E[2];
    dal_point at;
    if (!sim->watched) {
        return DAL_OK;
    }
    if (t >= sim->method->current->t) {
        return dal_sim_balance_step(sim, 1);
    }
    DAL_TRY(look(sim, sim->method->previous));
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    // first: nodes of work share its place
    DAL_TRY(callback_failed(sim, dal_system_energies(sim->sys, sim->data, E, &at), t));
    DAL_TRY(sim->sys->equations.exchange != NULL ? dal_sim_exchanged(sim, W, t) : DAL_OK);
    book(sim, W, E);
    return DAL_OK;
}

dal_status dal_sim_look(dal_sim *sim)
{
    return sim->watched && sim->started ? look(sim, sim->method->current) : DAL_OK;
}

int dal_sim_looked(const dal_sim *sim)
{
    return sim->looks.steps == 0;
}

void dal_sim_look_closely(dal_sim *sim)
{
    sim->looks.every = 1;
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
    stages_again(sim);
    sim->looks.steps = 0;
    sim->looks.every = 1;
    sim->looks.W[0] = sim->looks.W[1] = 0.0;
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
