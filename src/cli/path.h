/* dalembert static --path: equilibria over a parameter. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "cli/cli.h"

/* The command, as far as --path is given. */
int path_command(const cli_args *args);

#endif
