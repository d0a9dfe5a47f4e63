/* [HAG]: sigma-modified methods. Flexible bodies. */
#include <math.h>

#include "reproduce/claim.h"

enum { NMODES = 4, KINDS = 5 };

/* Errors of the frame, the modes, their velocities and the multipliers of the soft pendulum at t = 0.125, h = 6.25e-5. */
static void pendulum_errors(double err[KINDS], lab *L, const track *exact, const char *formulation, const char *sigma)
{
    const track *r = lab_end(L, exact->s, 0.125, "formulation=%s %s rho_inf=0.8 h=6.25e-5", formulation, sigma);
    err[0] = distance(at_q(r, 0), at_q(exact, 0), 7);
    err[1] = distance(at_q(r, 0) + 7, at_q(exact, 0) + 7, NMODES);
    err[2] = distance(at_v(r, 0), at_v(exact, 0), 6);
    err[3] = distance(at_v(r, 0) + 6, at_v(exact, 0) + 6, NMODES);
    err[4] = distance(at_la(r, 0), at_la(exact, 0), exact->s->nc);
}

/* Error of geom1 over that of the method: the ratio farthest from 1 among all kinds of variables in index 3, index 2 and
 * stabilised index 2. */
static double ratio_to_geom1(const claim *c, lab *L)
{
    static const char *const formulations[] = {"index3", "index2", "ggl"};
    const track *exact = lab_end(L, claim_model(c, L), 0.125, "integrator=lobatto rtol=1e-13 atol=1e-14 h=1e-3");
    double worst = 1.0;
    for (int i = 0; i < CLAIM_LENGTH(formulations); ++i) {
        double geom1[KINDS], method[KINDS];
        pendulum_errors(geom1, L, exact, formulations[i], "sigma=0");
        pendulum_errors(method, L, exact, formulations[i], c->options);
        for (int k = 0; k < KINDS; ++k) {
            worst = farther(worst, geom1[k] / method[k], 1.0);
        }
    }
    return worst;
}

static const claim CLAIMS[] = {
    {"flexible-sigma1", "[HAG] flexible bodies",
     "Flexible pendulum, all formulations and variables: sigma = 1 is comparable with geom1 (ratio of errors, within "
     "10 %).",
     NEAR(1.0, 0.1), BY(ratio_to_geom1, "sigma=1", 0), ON("flexible_pendulum", "E=3e7")},
    {"flexible-opt", "[HAG] flexible bodies",
     "Flexible pendulum, all formulations and variables: sigma = opt is comparable with geom1 (ratio of errors, within "
     "10 %).",
     NEAR(1.0, 0.1), BY(ratio_to_geom1, "sigma=opt", 0), ON("flexible_pendulum", "E=3e7")},
};

const claim *claims_flexible(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
