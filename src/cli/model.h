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
    void (*prepare)(struct cli_model *m, void *user); /* likewise, or NULL: add to the model before it is compiled */
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
 * loading. */
void model_open(cli_model *m, const cli_args *args);
/* Load with assignments. */
void model_load(cli_model *m, const char *source, const char *const *set, int nset);
/* The same from a text; name stands for it in messages. */
void model_load_text(cli_model *m, const char *text, const char *name, const char *const *set, int nset);
/* Say it and keep it for the results. */
void model_warn(cli_model *m, const char *text);
/* The model that is built in under this name; NULL: none, and a hint at the one that may be meant. */
const dal_builtin *model_builtin(const char *name, char hint[DAL_HINT_SIZE]);

/* A simulation from the initial values on; owned. report: may be NULL. */
dal_status model_start(const cli_model *m, dal_sim **sim, dal_initial_report *report,
                       const dal_options *opt) DAL_NODISCARD;
/* The exit code of a simulation that does not start: what stands in the way is the model, unless it is an option. */
int model_start_code(dal_status st);
/* Unless it is DAL_OK: tell why a simulation of the model does not start. */
void model_try_start(const cli_model *m, dal_status st);
/* A copy of the initial positions. */
double *model_q0(const cli_model *m);

#endif
