/* dalembert linearize: what its files share. */
#ifndef CLI_LINEARIZE_H
#define CLI_LINEARIZE_H

#include "cli/about.h"
#include "dalembert/linear.h"

typedef struct cli_linearize_job {
    const cli_args *args;
    cli_model m;
    dal_ports *ports;
    dal_sim *sim;
    dal_point at;
    dal_linear *linear;
    dal_linear_info info;
} cli_linearize_job;

/* In words: what the linear model is about. */
const char *linearize_about(const dal_linear_info *i);
/* The page with poles and transfer functions. */
void linearize_page(cli_linearize_job *j, const char *path);

#endif
