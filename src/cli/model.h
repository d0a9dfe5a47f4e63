/* A model as the commands use it: loaded, compiled, with the channels of its outputs and bodies. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "cli/cli.h"
#include "dalembert/io.h"
#include "dalembert/record.h"
#include "dalembert/sim.h"

enum { MODEL_WARNINGS = 20 };

typedef struct cli_model {
    int files_outside;   /* to be set before loading */
    const char *without; /* likewise: names of joints and forces that are left out, with commas between them; or NULL */
    int may_be_open;     /* likewise: a mechanism that cannot be assembled is loaded as it stands */
    /* likewise, or NULL: add to the model before it is compiled; CLI_OK, or an exit code after a message */
    int (*prepare)(struct cli_model *m, void *user);
    void *user;
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_options opt;
    double t_end;
    const char *name;
    const char *text; /* the model file */
    dal_assembly_report assembly;
    dal_channels *channels;
    int noutputs;
    int nbodies;
    dal_body_channels *body;
    char *warning[MODEL_WARNINGS]; /* what was warned of */
    int nwarnings;
    const double *values; /* of all channels, at the last row or evaluation; NULL before */
} cli_model;

/* The model that the command line names, with its assignments. The model must be zero before, but for what is to be set before
 * loading. CLI_OK, or an exit code after a message. */
int model_open(cli_model *m, const cli_args *args);
/* Load with assignments. CLI_OK, or an exit code after a message. The model must be zero before, but
 * for files_outside. */
int model_load(cli_model *m, const char *source, const char *const *set, int nset);
/* The same from a text; name stands for it in messages. */
int model_load_text(cli_model *m, const char *text, const char *name, const char *const *set, int nset);
void model_release(cli_model *m);
/* Say it and keep it for the results. */
void model_warn(cli_model *m, const char *text);

/* The exit code of a simulation that does not start: what stands in the way is the model, unless it is an option. */
int model_start_code(dal_status st);
/* Tell why a simulation of the model does not start; the exit code. */
int model_start_failure(const cli_model *m, dal_status st);

#endif
