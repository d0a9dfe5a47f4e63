/* The state that modes, campbell and linearize work at. */
#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "cli/model.h"

/* A simulation of the model, owned, that stands at the consistent state that --about names, and the point, with consistent velocities.
 * told: what a reader of the numbers should know is not said again. */
dal_sim *about_start(cli_model *m, dal_point *at, const cli_args *args, int told);
/* Warn of forces that are not smooth at the point: their derivatives are means, or there are none. */
void about_kinks(cli_model *m, dal_data *data, const dal_point *at);

/* "forward", "backward" or "". */
const char *about_whirl(int whirl);
/* Why coefficients may be frozen although an equilibrium was asked for, or what to ask for. */
const char *about_remedy(const cli_args *args);

extern const char *const about_axes[], *const about_steady[]; /* words of dal_axes and dal_steadiness */

#endif
