/* Flexible bodies with random nodes, masses and shapes, for the checks of tangents. */
#ifndef RANDOM_FLEXIBLE_H
#define RANDOM_FLEXIBLE_H

#include "dalembert/mbs.h"
#include "support/check.h"

enum { FLEX_NODES = 6, FLEX_MODES = 3, FLEX_INTERFACES = 2 };

/* The arrays behind a dal_modes; keep it while `modes` is used. */
typedef struct random_modes {
    dal_modes modes;
    double node[3 * FLEX_NODES], mass[FLEX_NODES], inertia[6 * FLEX_NODES];
    double shape[3 * FLEX_MODES * FLEX_NODES], rotation[3 * FLEX_MODES * FLEX_NODES];
    double second[3 * FLEX_MODES * FLEX_MODES * FLEX_NODES];
    double stiffness[FLEX_MODES * FLEX_MODES], damping[FLEX_MODES];
    int interfaces[FLEX_INTERFACES];
} random_modes;

void random_modes_fill(random_modes *s, check_rng *rng, int stiffening);
/* Body with frame and FLEX_INTERFACES nodes, numbers *number and following. */
void add_random_flexible(dal_ctx *ctx, dal_model *m, check_rng *rng, const char *name, const dal_modes *modes,
                         int *number);

#endif
