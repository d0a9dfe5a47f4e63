/* dalembert: simulate constrained mechanical systems from the command line. */
#include "cli/cli.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < cli_ncommands; ++i) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

static void overview(FILE *out)
{
    fprintf(out, "usage: dalembert COMMAND [arguments]\n\n"
                 "Simulates constrained mechanical systems with large rotations.\n\nCommands:\n");
    const char *name;
    for (int k = 0; (name = cli_name_at(k)) != NULL; ++k) {
        fprintf(out, "  %-10s %s\n", name, cli_describe(name)->summary);
    }
    fprintf(out, "\n'dalembert COMMAND --help' says more. 'dalembert --version' prints the version.\n"
                 "MODEL is a file or the name of a built-in model ('dalembert models' lists them).\n\n"
                 "A first run:\n  dalembert run heavy_top -o results --plot results/top.svg\n");
}

static int unknown_command(const char *text)
{
    const char *word[100];
    for (int i = 0; i < cli_ncommands; ++i) {
        word[i] = cli_commands[i]->name;
    }
    const char *near = dal_nearest(text, word, cli_ncommands);
    char hint[DAL_HINT_SIZE];
    cli_say("dalembert: unknown command '%s'%s", text, dal_hint(hint, near));
    fprintf(stderr, "Try 'dalembert --help'.\n");
    return CLI_USAGE;
}

static void version(int json)
{
    printf(json ? "{\"name\": \"dalembert\", \"version\": \"%s\"}\n" : "dalembert %s\n", dal_version_string());
}

static int is_word(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        overview(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (is_word(word, "--version", "-V")) {
        version(argc > 2 && strcmp(argv[2], "--json") == 0);
        return CLI_OK;
    }
    if (is_word(word, "--help", "-h") || strcmp(word, "help") == 0) {
        const cli_command *about = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && about == NULL) {
            return unknown_command(argv[2]);
        }
        if (about != NULL) {
            cli_help(cli_describe(about->name));
        } else {
            overview(stdout);
        }
        return CLI_OK;
    }
    const cli_command *command = find_command(word);
    if (command == NULL) {
        return unknown_command(word);
    }
    return cli_call(command, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "C"); // numbers with points, whatever the user's language
    const int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "dalembert: cannot write to stdout\n");
        return code == CLI_OK ? CLI_IO : code;
    }
    return code;
}
