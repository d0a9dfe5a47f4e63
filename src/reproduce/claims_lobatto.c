/* [SM21]: Lobatto IIIA-IIIB for partitioned systems of index 2, on the nonholonomic particle. */
#include <math.h>

#include "reproduce/claim.h"
#include "reproduce/comparisons.h"

/* Order at t = 2 with arg[0] stages, arg[1] and twice as many steps; arg[2]: 0 q, 1 p, 2 lambda */
static double particle_order(const claim *c, dal_ctx *ctx)
{
    double err[2];
    for (int k = 0; k < 2; ++k) {
        const particle_run r = particle_errors(ctx, (int)c->arg[0], 2.0, (int)c->arg[1] << k);
        err[k] = c->arg[2] == 0.0 ? r.q : c->arg[2] == 1.0 ? r.p : r.la;
    }
    return log2(err[0] / err[1]);
}

/* Largest |phi| for s = 2 ... 5, 200 steps of 0.05. */
static double particle_constraint(const claim *c, dal_ctx *ctx)
{
    (void)c;
    double worst = 0.0;
    for (int s = 2; s <= 5; ++s) {
        const double phi = particle_errors(ctx, s, 10.0, 200).phi;
        worst = !(phi <= worst) ? phi : worst;
    }
    return worst;
}

#define ORDER(id_, statement_, order, s, n, what)                                                    \
    {                                                                                                \
        .id = id_, .source = "[SM21] cor. 3.1, fig. 2", .statement = statement_, NEAR((order), 0.1), \
        BY(particle_order, NULL, (s), (n), (what))                                                   \
    }

static const claim CLAIMS[] = {
    ORDER("lobatto-s2-q", "Nonholonomic particle, 2 stages: order 2 in q.", 2, 2, 80, 0),
    ORDER("lobatto-s2-p", "Nonholonomic particle, 2 stages: order 2 in p.", 2, 2, 80, 1),
    ORDER("lobatto-s2-lambda", "Nonholonomic particle, 2 stages: order 2 in lambda.", 2, 2, 80, 2),
    ORDER("lobatto-s3-q", "Nonholonomic particle, 3 stages: order 4 in q.", 4, 3, 40, 0),
    ORDER("lobatto-s3-p", "Nonholonomic particle, 3 stages: order 4 in p.", 4, 3, 40, 1),
    ORDER("lobatto-s3-lambda", "Nonholonomic particle, 3 stages: order 2 in lambda.", 2, 3, 80, 2),
    ORDER("lobatto-s4-q", "Nonholonomic particle, 4 stages: order 6 in q.", 6, 4, 16, 0),
    ORDER("lobatto-s4-p", "Nonholonomic particle, 4 stages: order 6 in p.", 6, 4, 16, 1),
    ORDER("lobatto-s4-lambda", "Nonholonomic particle, 4 stages: order 4 in lambda.", 4, 4, 80, 2),
    ORDER("lobatto-s5-q", "Nonholonomic particle, 5 stages: order 8 in q.", 8, 5, 8, 0),
    ORDER("lobatto-s5-p", "Nonholonomic particle, 5 stages: order 8 in p.", 8, 5, 8, 1),
    ORDER("lobatto-s5-lambda", "Nonholonomic particle, 5 stages: order 4 in lambda.", 4, 5, 40, 2),
    {.id = "lobatto-constraint",
     .source = "[SM21] sec. 2 and 5",
     .statement = "Nonholonomic particle, 2 to 5 stages: the constraint is kept to rounding on [0, 10].",
     AT_MOST(1e-14),
     BY(particle_constraint, NULL, 0)},
};

const claim *claims_lobatto(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
