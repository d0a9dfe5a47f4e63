/* dalembert modes: what its files share. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "cli/about.h"
#include "cli/html.h"
#include "dalembert/modes.h"

typedef struct cli_modes_job {
    cli_model m;
    dal_sim *sim;
    dal_point at;
    dal_modal *modal;
    dal_modal_info info;
    dal_shapes *shapes;
    dal_mode_shape shape; /* of the mode under way */
    double seconds;
    int spinner;      /* the body that turns fastest in the state, 0: none */
    double spin;      /* its speed [rad/s] */
    int about_static; /* the state is that of --about static */
} cli_modes_job;

/* The page with all shapes. CLI_OK, or CLI_IO after a message. */
int modes_film(cli_modes_job *j, const char *path);

#endif
