/* Models with random bodies and states, for the checks of tangents. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "dalembert/mbs.h"
#include "support/check.h"

/* A body with random inertia, centre of mass, pose and velocity. The name must outlive the call only. */
dal_body random_body(check_rng *rng, const char *name, const char *type);
dal_frame random_frame(check_rng *rng);

/* Compile, then compare all tangents with differences at `nstates` random states near the initial one (a random
 * retraction of size `spread`). Destroys the model. Returns the worst error; fails the test beyond tol. */
double check_model(dal_ctx *ctx, dal_model *model, check_rng *rng, int nstates, double spread, double tol);

#endif
