/* Coordinates that a command prescribes or drives: joints of type motion that are added to a model. */
#ifndef CLI_DRIVES_H
#define CLI_DRIVES_H

#include "cli/model.h"

/* Add the motion `name` of a coordinate to the model: JOINT, JOINT.rotation, JOINT.translation (with _x, _y, _z where the
 * joint has several), BODY.x, .y, .z, BODY.angle (about the z axis of the world), or BODY.yaw, .pitch, .roll (about z of the world, then y,
 * then x of the body). function: its number. Returns the number of the joint that was added. */
int drives_add(cli_model *m, const char *coordinate, int function);
/* What such a joint is called. */
char *drives_name(const char *coordinate);
/* A function more; its number. */
int drives_function(cli_model *m, const dal_function *f);
/* Its row in the compiled system. */
int drives_row(const cli_model *m, int joint);
/* Unit of the force along a coordinate, "N" or "N m"; the model has the outputs of drives_outputs. */
const char *drives_unit(const cli_model *m, const char *coordinate);

/* Outputs for the coordinates and rates of all joints that have one, and for the accelerations of the bodies. */
void drives_outputs(cli_model *m);
/* Where an output is in the values of the model; -1: there is none. */
int drives_output(const cli_model *m, const char *name, const char *quantity);

/* "A:B:N" in terms of the variables of the model; returns N >= 2. */
int drives_range(const cli_model *m, double *from, double *to, const char *flag, const char *text);
double drives_value(const cli_model *m, const char *flag, const char *text);

/* Exit code of a motion that cannot be followed. */
int drives_code(dal_status st);

#endif
