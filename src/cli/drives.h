/* Coordinates that a command prescribes or drives, by name. */
#ifndef CLI_DRIVES_H
#define CLI_DRIVES_H

#include "cli/model.h"
#include "dalembert/driven.h"

/* dal_drive_add; returns the number of the joint. */
int drives_add(cli_model *m, const char *coordinate, int function);
/* What cannot be driven is a matter of usage; what: before the message. */
void drives_try(const cli_model *m, const char *what, dal_status st);

/* "A:B:N" in terms of the variables of the model; returns N >= 2. */
int drives_range(const cli_model *m, double *from, double *to, const char *flag, const char *text);
double drives_value(const cli_model *m, const char *flag, const char *text);

/* Exit code of a motion that cannot be followed. */
int drives_code(dal_status st);

#endif
