/* The state that modes, campbell and linearize work at. */
#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "cli/model.h"

/* A simulation of the model that stands at a consistent state. about: "initial" (or NULL), "static", or a time to which
 * the model is simulated first. CLI_OK, or an exit code after a message. */
int about_start(dal_sim **sim, const cli_model *m, const char *command, const char *about);
/* Say that initial velocities are dropped where --about static drops some. */
void about_note(const cli_model *m, const char *about);
/* The point it stands at, with consistent velocities. */
dal_point about_point(const dal_sim *sim);

/* The period of the motion from a point on; within t_end of the model. CLI_OK, or an exit code after a message. */
int about_period(double *T, const cli_model *m, const char *command, const dal_point *at);

#endif
