/* Integrals over time: a Gauss rule on the dense output of each step, so that they are as accurate as the motion. */
#include "base/message.h"
#include "sim/sim_impl.h"

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

dal_status dal_sim_integrate(dal_sim *sim, double t1)
{
    const gauss_rule *rule = sim->method->type->nodes == two.n ? &two : &five;
    const double t0 = sim->method->previous->t, half = 0.5 * (t1 - t0);
    if (!sim->sys->integrate) {
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
