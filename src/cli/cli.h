/* The command-line tool: what its files share. Results go to stdout, everything said to the user to stderr. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "dalembert/base.h"

/* Exit codes; scripts rely on them. A run stopped by a signal ends with 128 + its number, as shells count. */
enum { CLI_OK = 0, CLI_CHECK = 1, CLI_USAGE = 2, CLI_MODEL = 3, CLI_INTEGRATION = 4, CLI_IO = 5, CLI_SIGNAL = 128 };

#define CLI_LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- arguments -------------------------------------------------------------------------------- */

/* A flag of a command. value NULL: it takes none. */
typedef struct cli_flag {
    const char *name;  /* without the dashes */
    char letter;       /* short form, or 0 */
    const char *value; /* what it takes, for the help: "FILE" */
    const char *text;
} cli_flag;

enum { CLI_FLAGS = 64, CLI_SETS = 256, CLI_GIVEN = 512, CLI_POSITIONAL = 1024 };

typedef struct cli_args {
    const char *command;
    const char *positional[CLI_POSITIONAL];
    int npositional;
    const char *value[CLI_FLAGS]; /* by number of the flag; "" for one without value; NULL: not given */
    const char *set[CLI_SETS];    /* all values of the flag "set", which may be repeated */
    int nset;
    struct {
        int flag;
        const char *value;
    } given[CLI_GIVEN]; /* all of it, in the order of the command line; flags that may be repeated are found here */
    int ngiven;
} cli_args;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* "MODEL" */
    int min, max;          /* number of positional arguments */
    const char *summary;
    const char *about;    /* paragraphs of the help, or NULL */
    const char *examples; /* lines */
    const cli_flag *flag;
    int nflags;
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command cli_view, cli_report, cli_run, cli_study, cli_check, cli_modes, cli_models, cli_methods,
    cli_schema, cli_reproduce;
extern const cli_command cli_sweep;
extern const cli_command cli_static, cli_kinematics, cli_inverse;
extern const cli_command cli_campbell_command, cli_linearize;

extern const cli_command cli_generate; /* cmd_generate.c */

/* Read argv[0 .. argc - 1], what follows the command. CLI_OK, CLI_USAGE with a message, or -1 if help was asked for
 * (and given). */
int cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);
/* Value of a flag, NULL if it was not given. */
const char *cli_value(const cli_args *args, const cli_command *command, const char *flag);
int cli_given(const cli_args *args, const cli_command *command, const char *flag);
/* All values of a flag that may be repeated: the k-th, or NULL. */
const char *cli_value_at(const cli_args *args, const cli_command *command, const char *flag, int k);
void cli_help(const cli_command *command);

/* ---- messages --------------------------------------------------------------------------------- */

/* "dalembert run: ..." on stderr; returns code. */
int cli_error(const char *command, int code, const char *format, ...) DAL_PRINTF(3, 4);
/* The same with a pointer to the help. */
int cli_usage(const char *command, const char *format, ...) DAL_PRINTF(2, 3);
/* The message of the last cli_error, without the name of the command; "": none yet. */
const char *cli_last_error(void);
void cli_say(const char *format, ...) DAL_PRINTF(1, 2);
/* To stdout. These, and only these, print text of models, files and the command line: control characters and what is no
 * UTF-8 become \xNN. */
void cli_print(const char *format, ...) DAL_PRINTF(1, 2);
void cli_print_to(FILE *out, const char *format, ...) DAL_PRINTF(2, 3);
void cli_vput(FILE *out, const char *format, va_list args) DAL_PRINTF(2, 0);
void cli_vformat(char *buffer, size_t size, const char *format, va_list args) DAL_PRINTF(3, 0); /* as it is */
void cli_put(FILE *out, const char *text);

/* A finite number from the whole of the text, the same in every locale. */
int cli_number(double *x, const char *text);
int cli_integer(int *n, const char *text, int min, int max);

void *cli_alloc(size_t count, size_t size); /* zeroed; ends the program when there is no memory */
/* A context of the library, to be destroyed, with the log and its user of config (may be NULL). What is done with it ends the
 * program when there is no memory, too, and so does a library of another version. */
dal_ctx *cli_context(const dal_config *config);
/* config with memory like that: for contexts that others make. */
dal_config cli_config(const dal_config *config);
char *cli_copy(const char *text);
/* Make the folders that lead to a file, where they are missing. */
void cli_make_folder_of(const char *path);
double cli_seconds(void); /* monotonic */

#endif
