/* dalembert reproduce: the published claims, measured again. */
#include "reproduce/reproduce.h"

#include "cli/cli.h"

static int reproduce(const cli_args *args);

static const cli_flag flags[] = {
    {"list", 0, NULL, "say what the claims are, without measuring"},
    CLI_FLAG_JSON,
    {"plot", 0, "DIR", "also draw the figures of docs/papers into this folder"},
    {"jobs", 'j', "N", "worker processes (default 2)", CLI_WHOLE, .max = 64},
};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .place = 16,
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
    reproduce_options opt = {.id = args->positional,
                             .n = args->npositional,
                             .list = cli_given(args, "list"),
                             .json = cli_given(args, "json"),
                             .plot = cli_value(args, "plot"),
                             .jobs = cli_whole(args, "jobs")};
    return reproduce_main(&opt, stdout, stderr);
}
