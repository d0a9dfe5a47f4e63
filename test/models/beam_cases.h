/* Reference cases of beams: models as text, and their equilibria. */
#ifndef TEST_BEAM_CASES_H
#define TEST_BEAM_CASES_H

#include "support/check.h"
#include "support/check_model.h"

/* A cantilever "b", clamped at the origin, of `elements` elements of order `order`, with more keys (curve, section, loads), a force
 * and a torque that follows at its end. y: its outputs at the equilibrium, position, quaternion, section force and moment at 0. */
typedef struct beam_case {
    int elements, order;
    const char *keys;
    double force[3], torque[3];
} beam_case;
void beam_equilibrium(double y[13], const beam_case *c);
/* Outputs of a model (text or name) in equilibrium. */
void model_equilibrium(double *y, const char *source, const char *const *set, int nset);

#endif
