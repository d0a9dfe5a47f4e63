/* Models with random bodies and states, for the checks of tangents. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "dalembert/elements.h"
#include "support/check.h"

/* A body with random inertia, centre of mass, pose and velocity. The name must outlive the call only. */
dal_body random_body(check_rng *rng, const char *name, const char *type);
dal_frame random_frame(check_rng *rng);
/* A number for every key of a type that takes one, into its description: 0.5 to 1.5; function 1, the coordinate "rotation_z",
 * all words of a list. 0: the type has keys that numbers do not fill (expressions, rows, names of joints). */
int random_numbers(check_rng *rng, const dal_element_type *type, void *description);
/* A frame on a body of this type: at its origin on a point, which has no lever arm. */
dal_frame frame_on(check_rng *rng, const char *type);
/* In all directions, or in the plane where one of the bodies is planar. */
void set_gravity(dal_ctx *ctx, dal_model *m, const char *type_a, const char *type_b);
/* Does compiling say that a point or a planar body cannot take what is attached? */
int is_refused(dal_ctx *ctx, dal_model *m);

/* Compile, then compare all tangents with differences at `nstates` random states near the initial one (a random
 * retraction of size `spread`). Destroys the model. Returns the worst error; fails the test beyond tol. */
double check_model(dal_ctx *ctx, dal_model *model, check_rng *rng, int nstates, double spread, double tol);

#endif
