/* The command-line tool: what its files share. Results go to stdout, everything said to the user to stderr. A function that cannot do
 * what it is for ends the command with a message and an exit code. */
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

/* How the value of a flag is read. */
typedef enum cli_kind {
    CLI_TEXT,         /* as it is; a flag without a value, too */
    CLI_NUMBER,       /* a finite number */
    CLI_POSITIVE,     /* > 0 */
    CLI_NOT_NEGATIVE, /* >= 0 */
    CLI_WHOLE,        /* 1 .. max */
    CLI_CHOICE,       /* one of the words */
    CLI_WORDS,        /* some of them, between commas: bit k is word k */
    CLI_PATH,         /* of results: not empty, and not too long for endings to be added */
    CLI_SVG,          /* a picture, a page: files to be written, see cli_check_files */
    CLI_HTML,
    CLI_SET,   /* KEY=VALUE, an assignment to an option or a variable of the model; may be repeated */
    CLI_ASSIGN /* > 0: short for the assignment to words */
} cli_kind;

/* A flag of a command. Help, completion and messages follow from it. */
typedef struct cli_flag {
    const char *name;  /* without the dashes */
    const char *value; /* what it takes, for the help: "FILE"; NULL: nothing */
    const char *text;
    const char *words;    /* "csv|hdf5": of a choice, or what may stand for a number; of CLI_ASSIGN the key */
    const char *needs;    /* another flag without which it means nothing, or NULL */
    const char *expected; /* what to ask for in messages; NULL: what the kind says */
    double usual;         /* number, or index of the word, if it is not given */
    double max;
    cli_kind kind;
    char letter; /* short form, or 0 */
} cli_flag;

enum { CLI_LONGEST = 3500 }; /* path */

enum { CLI_FLAGS = 64, CLI_SETS = 256, CLI_GIVEN = 512, CLI_POSITIONAL = 1024 };

/* What commands.txt tells of a command. */
typedef struct cli_description {
    const char *name, *arguments, *summary;
    const char *about, *examples; /* lines; "": none */
    int min, max;                 /* number of arguments */
    cli_flag flag[CLI_FLAGS];
    int nflags;
} cli_description;

typedef struct cli_args {
    const cli_description *command;
    const char *positional[CLI_POSITIONAL];
    int npositional;
    const char *value[CLI_FLAGS]; /* by index of the flag; "" for one without value; NULL: not given */
    double number[CLI_FLAGS];     /* what it says */
    const char *set[CLI_SETS];    /* all assignments, short ones (--h) last */
    int nset;
    struct {
        int flag;
        const char *value;
    } given[CLI_GIVEN]; /* all of it, in the order of the command line; flags that may be repeated are found here */
    int ngiven;
} cli_args;

/* The build finds it in a file cmd_*.c: "const cli_command cli_NAME = {". */
typedef struct cli_command {
    const char *name;
    int (*run)(const cli_args *args); /* the exit code; a failure ends it by cli_fail */
    int tells_failure;                /* with --json, that there is no answer is a document, too */
} cli_command;

extern const cli_command *const cli_commands[];
extern const int cli_ncommands;

const cli_description *cli_describe(const char *name);
const char *cli_name_at(int k); /* of the k-th command in the order of the help; NULL: there is none */
/* The section [NAME.KIND] of commands.txt or records.txt; NULL: there is none. */
const char *cli_section(const char *name, const char *kind);
void cli_help(const cli_description *command);

/* Read and check argv[0 .. argc - 1], what follows the command; 0: help was asked for (and given). args is zero before. */
int cli_parse(cli_args *args, const char *command, int argc, char **argv);
/* Run a command with argv[0 .. argc - 1], what follows it; the exit code. */
int cli_call(const cli_command *command, int argc, char **argv);
/* The name of its model, once it is known; "": not yet. */
const char *cli_subject(void);
void cli_set_subject(const char *model);
/* What a flag says; a flag that the command does not declare is a slip of the program, and ends it. */
const char *cli_value(const cli_args *args, const char *flag); /* NULL: not given */
int cli_given(const cli_args *args, const char *flag);
int cli_quiet(const cli_args *args);                     /* --quiet is given, where there is such a flag */
double cli_real(const cli_args *args, const char *flag); /* the usual value if it is not given; NaN: a word */
int cli_whole(const cli_args *args, const char *flag);   /* a whole number, the index of a word, or bits of words */
/* All values of a flag that may be repeated: the k-th, or NULL. */
const char *cli_value_at(const cli_args *args, const char *flag, int k);
/* Pictures and pages: do the names fit, can they be written? folders: make those that lead to them. */
void cli_check_files(const cli_args *args, int folders);

/* The next word of a list between commas, cut to the room there is; 0: no more. */
int cli_word(const char **list, char *word, size_t size);

/* The pieces of all lists of a flag, between commas that are not in parentheses and quotes; how many. */
int cli_pieces(const cli_args *args, const char *flag, const char **to, int most);

/* ---- the end of a command --------------------------------------------------------------------- */

/* "dalembert run: ..." on stderr, with the name of the command that cli_call has read; returns code. */
int cli_error(int code, const char *format, ...) DAL_PRINTF(2, 3);
/* The same, and the command ends. */
_Noreturn void cli_fail(int code, const char *format, ...) DAL_PRINTF(2, 3);
/* The same with a pointer to the help and CLI_USAGE. */
_Noreturn void cli_usage(const char *format, ...) DAL_PRINTF(1, 2);
/* The same with the message of the context, unless the status is DAL_OK. */
void cli_try(const dal_ctx *ctx, dal_status st, int code);
/* The command ends; why was told before. */
_Noreturn void cli_end(int code);
/* The message of the last error, without the name of the command; "": none yet. */
const char *cli_last_error(void);

/* Run f(user); the exit code with which it ended, CLI_OK if it came back. What it owned is released; keep: if it failed, else it belongs
 * to the caller. Callbacks of the library do so what may fail: nothing may jump over the library. */
int cli_guard(void (*f)(void *user), void *user, int keep);
/* Released when the function of the innermost cli_guard ends, one way or the other, the last one first. Main thread only. */
void cli_own(void *object, void (*release)(void *object));
/* Memory that is owned, zeroed; ends the program when there is none. */
void *cli_alloc(size_t count, size_t size);
char *cli_copy(const char *text);
/* Objects of the library: CLI_OWNS(dal_sim) once in a file, then CLI_CREATE(dal_sim, sim, CLI_MODEL, ctx, ...) makes one, or ends the
 * command with that code, and CLI_OWN(dal_sim, sim) takes one over. */
#define CLI_OWNS(type)                 \
    static void drop_##type(void *one) \
    {                                  \
        type##_destroy(one);           \
    }
#define CLI_OWN(type, one) cli_own(one, drop_##type)
#define CLI_CREATE(type, one, code, ctx, ...) \
    (cli_try(ctx, type##_create(&(one), ctx, __VA_ARGS__), code), CLI_OWN(type, one))

/* The context of the command. What is done with it ends the program when there is no memory, and so does a library of another
 * version. */
dal_ctx *cli_ctx(void);
/* One more, with the log and its user of config. */
dal_ctx *cli_context(const dal_config *config);
/* config with memory like that: for contexts that others make. */
dal_config cli_config(const dal_config *config);

/* ---- text ------------------------------------------------------------------------------------- */

void cli_say(const char *format, ...) DAL_PRINTF(1, 2);
/* To stdout. These, and only these, print text of models, files and the command line: control characters and what is no
 * UTF-8 become \xNN. */
void cli_print(const char *format, ...) DAL_PRINTF(1, 2);
void cli_vput(FILE *out, const char *format, va_list args) DAL_PRINTF(2, 0);
void cli_vformat(char *buffer, size_t size, const char *format, va_list args) DAL_PRINTF(3, 0); /* as it is */
/* To the end of a text in a buffer, as far as there is room. */
void cli_append(char *buffer, size_t size, const char *format, ...) DAL_PRINTF(3, 4);
/* A text that is owned. */
char *cli_text(const char *format, ...) DAL_PRINTF(1, 2);
int cli_ends_with(const char *text, const char *end); /* and is longer than that */
int cli_is_hdf5(const char *path);                    /* by its name */

/* A finite number from the whole of the text, the same in every locale. */
int cli_number(double *x, const char *text);
int cli_integer(int *n, const char *text, int min, int max);
/* Two or three numbers between colons, "0:1:101"; how many, 0: it is something else. */
int cli_range(double x[3], const char *text);
/* A list with every "functions.u.y.0..99" in it written out: "functions.u.y.0,functions.u.y.1,...". */
char *cli_series(const char *list);

/* A text that grows; {0} at first. What is added is as it is, or shown as cli_print shows it; or a word of a command line after a blank,
 * in quotes where a shell needs them. */
typedef struct cli_string {
    char *text; /* owned; NULL: nothing was added */
    size_t n, room;
} cli_string;
void cli_add(cli_string *s, const char *format, ...) DAL_PRINTF(2, 3);
void cli_add_bytes(cli_string *s, const char *bytes, size_t n);
void cli_add_shown(cli_string *s, const char *text);
void cli_add_word(cli_string *s, const char *word);
/* A text as a file that is there as a whole or not at all. */
void cli_save(const char *text, const char *path);
/* Make the folders that lead to a file, where they are missing. */
void cli_make_folder_of(const char *path);
double cli_seconds(void); /* monotonic */

#endif
