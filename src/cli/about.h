/* The state that modes, campbell and linearize work at. */
#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "cli/model.h"

/* A simulation of the model that stands at a consistent state. about: "initial" (or NULL), "static", "steady", or a time to which
 * the model is simulated first. CLI_OK, or an exit code after a message. */
int about_start(dal_sim **sim, const cli_model *m, const char *about);
/* Say that initial velocities are dropped where --about static drops some. */
void about_note(const cli_model *m, const char *about);
/* The point it stands at, with consistent velocities. */
dal_point about_point(const dal_sim *sim);

/* Say that closed contacts count as joints. */
void about_contacts(const dal_sim *sim);
/* Warn of forces that are not smooth at the point: their derivatives are means, or there are none. */
void about_kinks(cli_model *m, dal_data *data, const dal_point *at);

/* Warn of events that set inputs at sample times: the inputs are constants here. */
void about_samples(cli_model *m);

/* "forward", "backward" or "". */
const char *about_whirl(int whirl);

#endif
