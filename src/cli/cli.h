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

/* Tables of flags leave out columns at the end. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* A flag of a command. Help, completion and messages follow from it. */
typedef struct
    cli_flag {         // NOLINT(clang-analyzer-optin.performance.Padding): columns of tables, in the order of reading
    const char *name;  /* without the dashes */
    char letter;       /* short form, or 0 */
    const char *value; /* what it takes, for the help: "FILE"; NULL: nothing */
    const char *text;
    cli_kind kind;
    const char *words; /* "csv|hdf5": of a choice, or what may stand for a number; of CLI_ASSIGN the key */
    double usual;      /* number, or index of the word, if it is not given */
    double max;
    const char *needs;    /* another flag without which it means nothing, or NULL */
    const char *expected; /* what to ask for in messages; NULL: what the kind says */
} cli_flag;

enum { CLI_LONGEST = 3500 }; /* path */

/* Flags that many commands have. */
/* clang-format off */
#define CLI_FLAG_SET {"set", 's', "KEY=VALUE", "set an option or a variable of the model; may be repeated", CLI_SET}
#define CLI_FLAG_OUTSIDE {"allow-files-outside", 0, NULL, "the model may name files outside its own folder"}
#define CLI_FLAG_H(text) {"h", 0, "H", text, CLI_ASSIGN, "simulation.h"}
#define CLI_FLAG_T_END {"t-end", 't', "T", "end time in seconds", CLI_ASSIGN, "t_end"}
#define CLI_FLAG_ABOUT {"about", 0, "STATE", "initial (default), static, steady (equilibrium in axes that turn with the model), or a time: it is simulated up to it", CLI_NOT_NEGATIVE, "initial|static|steady", .expected = "initial, static, steady or a time"}
#define CLI_FLAG_JSON {"json", 0, NULL, "print one JSON document"}
/* clang-format on */

enum { CLI_PLACES = 100, CLI_FLAGS = 64, CLI_SETS = 256, CLI_GIVEN = 512, CLI_POSITIONAL = 1024 };

typedef struct cli_command cli_command;

typedef struct cli_args {
    const cli_command *command;
    const char *positional[CLI_POSITIONAL];
    int npositional;
    const char *value[CLI_FLAGS]; /* by index of the flag; "" for one without value; NULL: not given */
    double number[CLI_FLAGS];     /* what it says */
    const char *set[CLI_SETS];    /* all assignments, short ones (--h) last */
    int nset;
    char assigned[4][128]; /* the short ones */
    struct {
        int flag;
        const char *value;
    } given[CLI_GIVEN]; /* all of it, in the order of the command line; flags that may be repeated are found here */
    int ngiven;
} cli_args;

/* The build finds it in a file cmd_*.c: "const cli_command cli_NAME = {". */
struct cli_command {
    const char *name;
    int place;             /* in the list of commands, below CLI_PLACES */
    const char *arguments; /* NULL: "MODEL", one */
    int min, max;          /* number of positional arguments, if they are others */
    const char *summary;
    const char *about;    /* paragraphs of the help, or NULL */
    const char *examples; /* lines */
    const cli_flag *flag;
    int nflags;
    int (*run)(const cli_args *args);
};

extern const cli_command *const cli_commands[];
extern const int cli_ncommands;

/* Read and check argv[0 .. argc - 1], what follows the command. CLI_OK, CLI_USAGE with a message, or -1 if help was asked
 * for (and given). */
int cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);
/* What a flag says; a flag that the command does not declare is a slip of the program, and ends it. */
const char *cli_value(const cli_args *args, const char *flag); /* NULL: not given */
int cli_given(const cli_args *args, const char *flag);
double cli_real(const cli_args *args, const char *flag); /* the usual value if it is not given; NaN: a word */
int cli_whole(const cli_args *args, const char *flag);   /* a whole number, the index of a word, or bits of words */
/* All values of a flag that may be repeated: the k-th, or NULL. */
const char *cli_value_at(const cli_args *args, const char *flag, int k);
/* Pictures and pages: do the names fit, can they be written? folders: make those that lead to them. CLI_OK, or an exit code
 * after a message. */
int cli_check_files(const cli_args *args, int folders);
void cli_help(const cli_command *command);

/* The next word of a list between commas, cut to the room there is; 0: no more. */
int cli_word(const char **list, char *word, size_t size);

/* ---- messages --------------------------------------------------------------------------------- */

/* "dalembert run: ..." on stderr, with the name of the command that cli_parse has read; returns code. */
int cli_error(int code, const char *format, ...) DAL_PRINTF(2, 3);
/* The same with a pointer to the help; returns CLI_USAGE. */
int cli_usage(const char *format, ...) DAL_PRINTF(1, 2);
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
/* To the end of a text in a buffer, as far as there is room; a word of a command line, in quotes where a shell needs them. */
void cli_append(char *buffer, size_t size, const char *format, ...) DAL_PRINTF(3, 4);
void cli_append_word(char *buffer, size_t size, const char *word);

/* A finite number from the whole of the text, the same in every locale. */
int cli_number(double *x, const char *text);
int cli_integer(int *n, const char *text, int min, int max);
/* Two or three numbers between colons, "0:1:101"; how many, 0: it is something else. */
int cli_range(double x[3], const char *text);

void *cli_alloc(size_t count, size_t size); /* zeroed; ends the program when there is no memory */
/* A context of the library, to be destroyed, with the log and its user of config (may be NULL). What is done with it ends the
 * program when there is no memory, too, and so does a library of another version. */
dal_ctx *cli_context(const dal_config *config);
/* config with memory like that: for contexts that others make. */
dal_config cli_config(const dal_config *config);
char *cli_copy(const char *text);
/* A list with every "functions.u.y.0..99" in it written out: "functions.u.y.0,functions.u.y.1,..."; for free(). */
char *cli_series(const char *list);
/* Printing to memory; without memory it ends the program. Either of the two closes it. */
typedef struct cli_stream {
    FILE *file;
    char *text;
    size_t n;
} cli_stream;
void cli_stream_open(cli_stream *s);  /* which stays where it is */
char *cli_stream_text(cli_stream *s); /* what was printed, to be freed */
/* As a file that is there as a whole or not at all. CLI_OK, or CLI_IO after a message. */
int cli_stream_save(cli_stream *s, const char *path);
/* Make the folders that lead to a file, where they are missing. */
void cli_make_folder_of(const char *path);
double cli_seconds(void); /* monotonic */

#endif
