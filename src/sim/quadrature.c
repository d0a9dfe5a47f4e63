/* Integrals over time: a Gauss rule on the dense output of each step, so that they are as accurate as the motion. */
#include "base/message.h"
#include "sim/sim_impl.h"
#include "system/data.h"

/* Nodes in [-1, 1] from the middle outwards and their weights, which add up to 2. */
typedef struct gauss_rule {
    int n;
    double x[5], w[5];
} gauss_rule;

static const gauss_rule two = {2, {-0.57735026918962576, 0.57735026918962576}, {1.0, 1.0}};
static const gauss_rule five = {
    5,
    {-0.90617984593866399, -0.53846931010568309, 0.0, 0.53846931010568309, 0.90617984593866399},
    {0.23692688505618909, 0.47862867049936647, 0.56888888888888889, 0.47862867049936647, 0.23692688505618909}};

static const gauss_rule *rule_of(const dal_sim *sim)
{
    return sim->method->type->nodes == two.n ? &two : &five;
}

dal_status dal_sim_exchanged(dal_sim *sim, double W[2], double t1)
{
    const gauss_rule *rule = rule_of(sim);
    const double t0 = sim->method->previous->t, half = 0.5 * (t1 - t0);
    W[0] = W[1] = 0.0;
    for (int i = 0; i < rule->n; ++i) {
        dal_point at;
        double P[2];
        DAL_TRY(dal_sim_state_at(sim, &at, t0 + half * (1.0 + rule->x[i])));
        const dal_status st = dal_system_exchange(sim->sys, sim->data, P, &at);
        if (st != DAL_OK) {
            return dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "energy balance, at t = %.9g", at.t);
        }
        W[0] += half * rule->w[i] * P[0];
        W[1] += half * rule->w[i] * P[1];
    }
    return DAL_OK;
}

dal_status dal_sim_integrate(dal_sim *sim, double t1)
{
    const gauss_rule *rule = rule_of(sim);
    const double t0 = sim->method->previous->t, half = 0.5 * (t1 - t0);
    if (!sim->sys->life.integrate) {
        return DAL_OK;
    }
    for (int i = 0; i < rule->n; ++i) {
        dal_point at;
        DAL_TRY(dal_sim_state_at(sim, &at, t0 + half * (1.0 + rule->x[i])));
        const dal_status st = dal_data_integrate(sim->data, &at, half * rule->w[i]);
        if (st != DAL_OK) {
            return dal_fail_in(sim->ctx, st < 0 ? st : DAL_ECALLBACK, "integrals over time, at t = %.9g", at.t);
        }
    }
    return DAL_OK;
}
