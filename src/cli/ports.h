/* Inputs and outputs of a linear model by name. */
#ifndef CLI_PORTS_H
#define CLI_PORTS_H

#include "cli/model.h"

/* An input is the value of a function: that of a prescribed motion, or a constant that an actuator or a load beside the force
 * of that name has. */
typedef struct cli_port {
    char *name;
    int number;      /* of the function */
    double *values;  /* its numbers as they are */
    double *numbers; /* and changed */
    int moved;       /* how many of them the input is added to */
    const char *unit;
} cli_port;

typedef struct cli_ports {
    const char *inputs, *outputs; /* lists of names, separated by commas; NULL: none */
    cli_port *input;
    int ninputs;
    int *output; /* numbers of outputs of the model */
    int noutputs, nvalues;
    dal_data *data;
    const dal_model *model;
    double *all; /* values of all outputs of the model */
} cli_ports;

/* Prepare the model: to be called before it is compiled (cli_model.prepare, user = the ports). */
int ports_prepare(cli_model *m, const char *command, void *user);
/* data: of the simulation. */
int ports_bind(cli_ports *p, const cli_model *m, dal_data *data, const char *command);
void ports_release(cli_ports *p);
/* For dal_linear_spec; user = the ports. */
dal_status ports_set(int k, double offset, void *user);
dal_status ports_read(double *y, const dal_point *at, void *user);
/* Name of value k of the outputs: "slider.position.x". */
void ports_output_name(char *buffer, size_t size, const cli_ports *p, int k);
const char *ports_output_unit(const cli_ports *p, int k);

#endif
