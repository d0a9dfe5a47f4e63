/* A model as the commands use it: loaded, compiled, with the states of its bodies as additional outputs. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "cli/cli.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"

/* Where the numbers of a body are in the values of the model's outputs; -1: it has none. */
typedef struct cli_body {
    const char *name;
    int x, quat, v, omega;
} cli_body;

typedef struct cli_model {
    int files_outside; /* to be set before loading */
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_options opt;
    double t_end;
    const char *name;
    const char *text; /* the model file */
    dal_assembly_report assembly;
    int noutputs;
    int nbodies;
    cli_body *body;
    int nvalues;
    double *values; /* of all outputs */
} cli_model;

/* Load with assignments. CLI_OK, or an exit code after a message. The model must be zero before, but
 * for files_outside. */
int model_load(cli_model *m, const char *command, const char *source, const char *const *set, int nset);
void model_release(cli_model *m);

/* Evaluate all outputs at a state. */
dal_status model_evaluate(cli_model *m, const dal_state *s);
/* Integrals among the outputs: from m->values at the start of a run, on to the state after every step. */
dal_status model_integrate_from(cli_model *m, const dal_state *s);
dal_status model_integrate(cli_model *m, const dal_state *s);
/* Name of component k of n of an output: "A.force.x". */
void model_component(char *buffer, size_t size, const char *output, int k, int n);

/* Tell why a simulation of the model does not start; the exit code. */
int model_start_failure(const cli_model *m, const char *command, dal_status st);

#endif
