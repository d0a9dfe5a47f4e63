/* dalembert linearize: what its files share. */
#ifndef CLI_LINEARIZE_H
#define CLI_LINEARIZE_H

#include "cli/about.h"
#include "dalembert/linear.h"

typedef struct cli_linearize_job {
    cli_model m;
    dal_ports *ports;
    const char *inputs, *outputs; /* lists of names */
    dal_sim *sim;
    dal_point at;
    dal_linear *linear;
    dal_linear_info info;
} cli_linearize_job;

/* In words: what the linear model is about. */
const char *linearize_about(const dal_linear_info *i);
const char *linearize_axes(const dal_linear_info *i);
/* The page with poles and transfer functions. CLI_OK, or an exit code after a message. */
int linearize_page(cli_linearize_job *j, const char *path);

#endif
