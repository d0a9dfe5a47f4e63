/* dalembert modes: what its files share. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "cli/about.h"
#include "cli/html.h"
#include "dalembert/modes.h"

typedef struct cli_modes_job {
    const cli_args *args;
    cli_model m;
    dal_sim *sim;
    dal_point at;
    dal_modal *modal;
    dal_modal_info info;
    dal_shapes *shapes;
    dal_mode_shape shape; /* of the mode under way */
    double seconds;
    int spinner; /* the body that turns fastest in the state, 0: none */
    double spin; /* its speed [rad/s] */
} cli_modes_job;

/* Is the growth of a mode more than rounding, of a Floquet exponent more than its error? */
int modes_grows(dal_mode mode);
/* The page with all shapes. */
void modes_film(cli_modes_job *j, const char *path);

#endif
