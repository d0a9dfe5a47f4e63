#include "newton/choice.h"

/* Kept factors take one or two iterations more, at best: a Jacobian must be worth this many iterations. */
static const double least_ratio = 3.0;
/* Modified Newton must cost at most this part of full Newton to be chosen, and to stay chosen. (NW.7) */
static const double gain_to_change = 0.7, gain_to_stay = 0.85;
/* Weight of a new solve in the average. */
static const double weight = 0.125;
/* Solves before the first trial, of a trial, and between trials at most. */
enum { FIRST_WAIT = 8, TRIAL = 8, DOUBLINGS = 7 };

int dal_newton_choice_open(const dal_newton_costs *costs)
{
    return costs->jacobian >= least_ratio * (costs->residual + costs->solve);
}

static void decide(dal_newton_choice *c, int modified, double usual)
{
    c->modified = modified;
    c->usual = usual;
    c->trying = c->trial = c->waited = 0;
    c->spent = 0.0;
}

/* Back to full Newton; each failed trial doubles the wait. */
static void give_up(dal_newton_choice *c, double usual)
{
    c->failures += c->failures < DOUBLINGS;
    decide(c, 0, usual);
}

/* The trial pays for a Jacobian of its own, though it begins with the factors that are there. It ends early when it
 * can no longer win: after each solve it may be two solves behind what is required. */
static void judge_trial(dal_newton_choice *c, double cost)
{
    const double allowed = gain_to_change * c->usual;
    c->spent += cost;
    c->trial++;
    const int last = c->trial == TRIAL;
    if (c->spent > allowed * (last ? TRIAL : c->trial + 2)) {
        give_up(c, c->usual);
    } else if (last) {
        c->full = c->usual;
        c->failures = 0;
        decide(c, 1, c->spent / TRIAL);
    }
}

void dal_newton_learn(dal_newton_choice *c, const dal_newton_costs *costs, double cost, int failed)
{
    c->kept += c->modified;
    if (failed) {
        if (c->modified) {
            give_up(c, c->trying ? c->usual : c->full);
        }
        return;
    }
    if (c->trying) {
        judge_trial(c, cost);
        return;
    }
    c->usual = c->usual > 0.0 ? c->usual + weight * (cost - c->usual) : cost;
    c->waited++;
    if (c->modified && c->usual > gain_to_stay * c->full) {
        give_up(c, c->full);
    } else if (!c->modified && c->waited >= FIRST_WAIT << c->failures) {
        c->trying = c->modified = 1;
        c->spent = costs->jacobian;
    }
}
