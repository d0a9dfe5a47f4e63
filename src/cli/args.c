/* Arguments: flags with nearest-word suggestions, help from the same tables. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char last_error[2000];

static void message(const char *command, const char *format, va_list args) DAL_PRINTF(2, 0);
static void message(const char *command, const char *format, va_list args)
{
    fflush(stdout);
    if (command != NULL) {
        fprintf(stderr, "dalembert %s: ", command);
    }
    cli_vput(stderr, format, args);
    fputc('\n', stderr);
}

int cli_error(const char *command, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vformat(last_error, sizeof last_error, format, args);
    va_end(args);
    va_start(args, format);
    message(command, format, args);
    va_end(args);
    return code;
}

const char *cli_last_error(void)
{
    return last_error;
}

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(command, format, args);
    va_end(args);
    fprintf(stderr, "Try 'dalembert %s --help'.\n", command);
    return CLI_USAGE;
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(NULL, format, args);
    va_end(args);
}

int cli_number(double *x, const char *text)
{
    // strtod also reads hexadecimal, "nan" and "inf"
    char *end;
    if (text[0] == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) {
        return 0;
    }
    *x = strtod(text, &end);
    return *end == '\0' && isfinite(*x);
}

int cli_integer(int *n, const char *text, int min, int max)
{
    char *end;
    errno = 0;
    const long x = strtol(text, &end, 10);
    *n = x >= min && x <= max ? (int)x : min;
    return text[0] != '\0' && *end == '\0' && errno == 0 && x >= min && x <= max;
}

/* Here and now, whichever thread it is: no command has a use for half of what it was to do, and files under way have not got
 * their names yet. */
static void out_of_memory(void)
{
    static const char text[] = "dalembert: out of memory\n";
    fwrite(text, 1, sizeof text - 1, stderr);
    _Exit(CLI_INTEGRATION);
}

void *cli_alloc(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        out_of_memory();
    }
    return memory;
}

static void *take(size_t bytes, void *user)
{
    (void)user;
    void *memory = malloc(bytes);
    if (memory == NULL) {
        out_of_memory();
    }
    return memory;
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

dal_config cli_config(const dal_config *config)
{
    dal_config with = config != NULL ? *config : (dal_config){0};
    with.alloc = take;
    with.release = give_back;
    return with;
}

dal_ctx *cli_context(const dal_config *config)
{
    const dal_config with = cli_config(config);
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, &with) != DAL_OK) {
        fprintf(stderr, "dalembert: the library does not fit this program\n");
        exit(CLI_MODEL);
    }
    return ctx;
}

char *cli_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = cli_alloc(size, 1);
    memcpy(copy, text, size);
    return copy;
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- parsing ---------------------------------------------------------------------------------- */

static int find_long(const cli_command *c, const char *name, size_t n)
{
    for (int i = 0; i < c->nflags; ++i) {
        if (strlen(c->flag[i].name) == n && memcmp(c->flag[i].name, name, n) == 0) {
            return i;
        }
    }
    return -1;
}

static int unknown_flag(const cli_command *c, const char *text)
{
    const char *word[CLI_FLAGS + 1] = {"help"};
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    for (int i = 0; i < c->nflags; ++i) {
        word[i + 1] = c->flag[i].name;
    }
    const char *stem = name + strspn(name, "-");
    const char *near = dal_nearest(stem, word, c->nflags + 1);
    return near != NULL ? cli_usage(c->name, "unknown option '%s' (did you mean '--%s'?)", name, near)
                        : cli_usage(c->name, "unknown option '%s'", name);
}

static int store(cli_args *args, const cli_command *c, int flag, const char *value)
{
    args->value[flag] = value;
    if (args->ngiven == CLI_GIVEN) {
        return cli_usage(c->name, "more than %d options", CLI_GIVEN);
    }
    args->given[args->ngiven].flag = flag;
    args->given[args->ngiven++].value = value;
    if (strcmp(c->flag[flag].name, "set") == 0) {
        if (args->nset == CLI_SETS) {
            return cli_usage(c->name, "more than %d times --set", CLI_SETS);
        }
        const char *equals = strchr(value, '=');
        if (equals == NULL || equals == value) {
            return cli_usage(c->name, "--set takes key=value, not '%s'", value);
        }
        args->set[args->nset++] = value;
    }
    return CLI_OK;
}

/* One flag at argv[*i]; *i moves over its value. */
static int parse_flag(cli_args *args, const cli_command *c, int argc, char **argv, int *i)
{
    const char *text = argv[*i], *value = NULL;
    int flag = -1;
    if (text[1] == '-') {
        const size_t n = strcspn(text + 2, "=");
        flag = find_long(c, text + 2, n);
        value = text[2 + n] == '=' ? text + 3 + n : NULL;
    } else {
        for (int k = 0; k < c->nflags; ++k) {
            flag = c->flag[k].letter == text[1] ? k : flag;
        }
        value = text[2] != '\0' ? text + 2 : NULL;
    }
    if (flag < 0) {
        return unknown_flag(c, text);
    }
    const char *what = c->flag[flag].value;
    if (what == NULL) {
        return value == NULL ? store(args, c, flag, "") : cli_usage(c->name, "--%s takes no value", c->flag[flag].name);
    }
    if (value == NULL) {
        if (*i + 1 >= argc) {
            return cli_usage(c->name, "--%s needs a value: --%s %s", c->flag[flag].name, c->flag[flag].name, what);
        }
        value = argv[++*i];
    }
    return store(args, c, flag, value);
}

int cli_parse(cli_args *args, const cli_command *c, int argc, char **argv)
{
    int only_positional = 0;
    *args = (cli_args){.command = c->name};
    for (int i = 0; i < argc; ++i) {
        const char *text = argv[i];
        if (!only_positional && strcmp(text, "--") == 0) {
            only_positional = 1;
        } else if (!only_positional && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            cli_help(c);
            return -1;
        } else if (!only_positional && text[0] == '-' && text[1] != '\0') {
            const int code = parse_flag(args, c, argc, argv, &i);
            if (code != CLI_OK) {
                return code;
            }
        } else if (args->npositional == c->max) {
            return c->max == 0 ? cli_usage(c->name, "'%s': no argument is expected", text)
                               : cli_usage(c->name, "'%s' is one argument too many (usage: dalembert %s %s)", text,
                                           c->name, c->arguments);
        } else {
            args->positional[args->npositional++] = text;
        }
    }
    if (args->npositional < c->min) {
        return cli_usage(c->name, "%s is missing (usage: dalembert %s %s)", c->arguments, c->name, c->arguments);
    }
    return CLI_OK;
}

const char *cli_value(const cli_args *args, const cli_command *c, const char *flag)
{
    const int i = find_long(c, flag, strlen(flag));
    return i >= 0 ? args->value[i] : NULL;
}

int cli_given(const cli_args *args, const cli_command *c, const char *flag)
{
    return cli_value(args, c, flag) != NULL;
}

const char *cli_value_at(const cli_args *args, const cli_command *c, const char *flag, int k)
{
    const int number = find_long(c, flag, strlen(flag));
    for (int i = 0; i < args->ngiven; ++i) {
        if (args->given[i].flag == number && k-- == 0) {
            return args->given[i].value;
        }
    }
    return NULL;
}

void cli_help(const cli_command *c)
{
    printf("usage: dalembert %s%s%s%s\n\n%s\n", c->name, c->arguments[0] != '\0' ? " " : "", c->arguments,
           c->nflags > 0 ? " [options]" : "", c->summary);
    if (c->about != NULL) {
        printf("\n%s\n", c->about);
    }
    printf("\nOptions:\n");
    for (int i = 0; i < c->nflags; ++i) {
        const cli_flag *f = &c->flag[i];
        char left[64], letter[8] = "";
        if (f->letter != 0) {
            snprintf(letter, sizeof letter, "-%c, ", f->letter);
        }
        snprintf(left, sizeof left, "%s--%s%s%s", letter, f->name, f->value != NULL ? " " : "",
                 f->value != NULL ? f->value : "");
        printf("  %-26s %s\n", left, f->text);
    }
    printf("  %-26s %s\n", "-h, --help", "this text");
    if (c->examples != NULL) {
        printf("\nExamples:\n%s\n", c->examples);
    }
}
