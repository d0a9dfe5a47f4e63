/* dalembert reproduce: the published claims, measured again. */
#include "reproduce/reproduce.h"

#include "cli/cli.h"

static int reproduce(const cli_args *args)
{
    reproduce_options opt = {.id = args->positional,
                             .n = args->npositional,
                             .list = cli_given(args, "list"),
                             .json = cli_given(args, "json"),
                             .plot = cli_value(args, "plot"),
                             .jobs = cli_whole(args, "jobs")};
    return reproduce_main(&opt, stdout, stderr);
}

const cli_command cli_reproduce = {.name = "reproduce", .run = reproduce};
