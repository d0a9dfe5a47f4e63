/* dalembert reproduce: the published claims, measured again. */
#include "reproduce/reproduce.h"

#include "cli/cli.h"

static int reproduce(const cli_args *args);

static const cli_flag flags[] = {
    {"list", 0, NULL, "say what the claims are, without measuring"},
    {"json", 0, NULL, "print one JSON document"},
    {"plot", 0, "DIR", "also draw the figures of docs/papers into this folder"},
    {"jobs", 'j', "N", "worker processes (default 2)"},
};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .arguments = "[ID ...]",
    .min = 0,
    .max = CLI_POSITIONAL,
    .summary = "measure the published claims again",
    .about = "Runs the numerical claims of the papers behind the methods and compares what they print with what is\n"
             "measured: passed, failed, or differs where a claim is known not to hold as printed and the reason is\n"
             "explained. With IDs only those, with source, statement and explanation. Exit status 1 if one failed.",
    .examples = "  dalembert reproduce\n  dalembert reproduce pendulum-naive-h02 rotor-gain-sigma1\n"
                "  dalembert reproduce --json --plot figures > claims.json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = reproduce,
};

static int reproduce(const cli_args *args)
{
    const char *jobs = cli_value(args, &cli_reproduce, "jobs");
    reproduce_options opt = {.id = args->positional,
                             .n = args->npositional,
                             .list = cli_given(args, &cli_reproduce, "list"),
                             .json = cli_given(args, &cli_reproduce, "json"),
                             .plot = cli_value(args, &cli_reproduce, "plot")};
    if (jobs != NULL && !cli_integer(&opt.jobs, jobs, 1, 64)) {
        return cli_usage("reproduce", "--jobs takes a number from 1 to 64, not '%s'", jobs);
    }
    return reproduce_main(&opt, stdout, stderr);
}
