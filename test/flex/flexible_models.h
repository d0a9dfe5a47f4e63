/* Mechanisms with flexible bodies, for the tests. */
#ifndef FLEXIBLE_MODELS_H
#define FLEXIBLE_MODELS_H

#include "dalembert/flex.h"
#include "dalembert/sim.h"
#include "support/check.h"

dal_modes *beam(dal_ctx *ctx, const dal_beam *b);

/* Beam of 1 m and 0.5 kg with its frame at end A that hangs by its end B on a spherical joint, from the horizontal,
 * with weight and spin. E: 1e7 makes it soft, 1e14 rigid. nmodes 0: a flexible body without modes. */
dal_model *flexible_pendulum(dal_ctx *ctx, double E, int nmodes);
/* The soft one with four modes and a damping ratio; outputs "tip", "energy" and "dissipated_energy". */
dal_model *damped_pendulum(dal_ctx *ctx, double damping);
/* The same as a rigid body. */
dal_model *rigid_pendulum(dal_ctx *ctx);

/* Crank that turns with 150 rad/s, flexible rod attached to its end points, slider; outputs "rod/A", "rod/1" and
 * "rod/B": positions of the ends and of the middle of the rod. */
dal_model *flexible_slider_crank(dal_ctx *ctx, int nmodes);

/* Cantilever of 10 m on a hub that is spun up to 6 rad/s in 15 s; output "tip" in the axes of the hub. */
dal_model *spinning_beam(dal_ctx *ctx, int nmodes, int stiffening);

dal_sim *start(dal_ctx *ctx, dal_model *m, const char *const *option, int noptions, double h);
void outputs(dal_ctx *ctx, dal_model *m, const dal_sim *sim, double *values);

#endif
