/* [HAG]: sigma-modified methods. Flexible bodies. */
#include <math.h>
#include <string.h>

#include "dalembert/io.h"
#include "reproduce/claim.h"
#include "reproduce/measure.h"

enum { NMODES = 4, NQ = 7 + NMODES, NV = 6 + NMODES, NLA = 3, KINDS = 5, SET_MAX = 6 };

/* The soft pendulum at t = 0.125. */
typedef struct beam_end {
    double q[NQ], v[NV], la[NLA];
} beam_end;

static int finish(beam_end *e, dal_ctx *ctx, const dal_document *doc)
{
    const dal_system *sys;
    dal_sim *sim = NULL;
    dal_model *m = dal_document_model(doc);
    int done = dal_model_compile(m, &sys) == DAL_OK &&
               dal_sim_create(&sim, ctx, sys, dal_document_options(doc)) == DAL_OK &&
               dal_sim_start(sim, 0.0, dal_model_q0(m), dal_model_v0(m), NULL) == DAL_OK &&
               dal_sim_run(sim, dal_document_t_end(doc), NULL) == DAL_OK;
    if (done) {
        const dal_state s = dal_sim_state(sim);
        memcpy(e->q, s.q, sizeof(e->q));
        memcpy(e->v, s.v, sizeof(e->v));
        memcpy(e->la, s.la, sizeof(e->la));
    }
    dal_sim_destroy(sim);
    return done;
}

/* 0 on failure */
static int pendulum_end(beam_end *e, dal_ctx *ctx, const char *const more[SET_MAX - 2])
{
    const char *set[SET_MAX] = {"E=3e7", "t_end=0.125"};
    dal_document *doc;
    memcpy(set + 2, more, (SET_MAX - 2) * sizeof(set[0]));
    if (dal_document_open(&doc, ctx, "flexible_pendulum", set, SET_MAX) != DAL_OK) {
        return 0;
    }
    const int done = finish(e, ctx, doc);
    dal_document_destroy(doc);
    return done;
}

/* Errors of the frame, the modes, their velocities and the multipliers, h = 6.25e-5; NAN if the run fails. */
static void pendulum_errors(double err[KINDS], dal_ctx *ctx, const beam_end *exact, const char *formulation,
                            const char *sigma)
{
    beam_end e;
    const char *const set[SET_MAX - 2] = {formulation, sigma, "rho_inf=0.8", "h=6.25e-5"};
    if (!pendulum_end(&e, ctx, set)) {
        err[0] = err[1] = err[2] = err[3] = err[4] = NAN;
        return;
    }
    err[0] = distance(e.q, exact->q, 7);
    err[1] = distance(e.q + 7, exact->q + 7, NMODES);
    err[2] = distance(e.v, exact->v, 6);
    err[3] = distance(e.v + 6, exact->v + 6, NMODES);
    err[4] = distance(e.la, exact->la, NLA);
}

/* Error of geom1 over that of the method: the ratio farthest from 1 among all kinds of variables in index 3, index 2 and
 * stabilised index 2. */
static double ratio_to_geom1(const claim *c, dal_ctx *ctx)
{
    static const char *const formulations[] = {"formulation=index3", "formulation=index2", "formulation=ggl"};
    static const char *const fine[SET_MAX - 2] = {"integrator=lobatto", "rtol=1e-13", "atol=1e-14", "h=1e-3"};
    beam_end exact;
    double worst = 1.0;
    if (!pendulum_end(&exact, ctx, fine)) {
        return NAN;
    }
    for (int i = 0; i < CLAIM_LENGTH(formulations); ++i) {
        double geom1[KINDS], method[KINDS];
        pendulum_errors(geom1, ctx, &exact, formulations[i], "sigma=0");
        pendulum_errors(method, ctx, &exact, formulations[i], c->options);
        for (int k = 0; k < KINDS; ++k) {
            const double ratio = geom1[k] / method[k];
            worst = fabs(ratio - 1.0) <= fabs(worst - 1.0) ? worst : ratio; // NaN stays
        }
    }
    return worst;
}

static const claim CLAIMS[] = {
    {.id = "flexible-sigma1",
     .source = "[HAG] flexible bodies",
     .statement =
         "Flexible pendulum, all formulations and variables: sigma = 1 is comparable with geom1 (ratio of errors, "
         "within 10 %).",
     NEAR(1.0, 0.1),
     BY(ratio_to_geom1, "sigma=1", 0)},
    {.id = "flexible-opt",
     .source = "[HAG] flexible bodies",
     .statement = "Flexible pendulum, all formulations and variables: sigma = opt is comparable with geom1 (ratio of "
                  "errors, within 10 %).",
     NEAR(1.0, 0.1),
     BY(ratio_to_geom1, "sigma=opt", 0)},
};

const claim *claims_flexible(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
