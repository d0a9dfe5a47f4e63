/* Arguments: flags are read and checked as their tables declare them; help and suggestions come from the same tables. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/html.h"
#include "cli/plot.h"

static char last_error[2000];

static const char *current; /* command */

static void message(const char *name, const char *format, va_list args) DAL_PRINTF(2, 0);
static void message(const char *name, const char *format, va_list args)
{
    fflush(stdout);
    if (name != NULL) {
        fprintf(stderr, "dalembert %s: ", name);
    }
    cli_vput(stderr, format, args);
    fputc('\n', stderr);
}

int cli_error(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vformat(last_error, sizeof last_error, format, args);
    va_end(args);
    va_start(args, format);
    message(current, format, args);
    va_end(args);
    return code;
}

const char *cli_last_error(void)
{
    return last_error;
}

int cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(current, format, args);
    va_end(args);
    fprintf(stderr, "Try 'dalembert %s --help'.\n", current);
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

int cli_range(double x[3], const char *text)
{
    char piece[64];
    for (int n = 0; n < 3; ++n) {
        const size_t length = strcspn(text, ":");
        snprintf(piece, sizeof piece, "%.*s", length < sizeof piece ? (int)length : 0, text);
        if (!cli_number(&x[n], piece)) {
            return 0;
        }
        if (text[length] == '\0') {
            return n > 0 ? n + 1 : 0;
        }
        text += length + 1;
    }
    return 0;
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

/* "NAME.A..B": the length of "NAME.", and A and B; 0: it is no such series. */
static size_t series_of(const char *item, size_t n, long *first, long *last)
{
    const char *dots = strstr(item, "..");
    if (dots == NULL || dots >= item + n || dots == item) {
        return 0;
    }
    size_t head = (size_t)(dots - item);
    while (head > 0 && isdigit((unsigned char)item[head - 1])) {
        --head;
    }
    char *end;
    *first = strtol(item + head, &end, 10);
    const int begins = end == dots && end > item + head;
    *last = strtol(dots + 2, &end, 10);
    return begins && end == item + n && end > dots + 2 && *last >= *first ? head : 0;
}

char *cli_series(const char *list)
{
    enum { DIGITS = 24, LONGEST = 100000 };
    char *text = cli_copy("");
    size_t used = 0;
    for (const char *item = list;;) {
        const size_t n = strcspn(item, ",");
        long first = 0, last = 0;
        const size_t head = series_of(item, n, &first, &last);
        last = last - first > LONGEST ? first + LONGEST : last;
        for (long k = first; k <= last; ++k) {
            char *more = realloc(text, used + n + DIGITS);
            if (more == NULL) {
                return text;
            }
            text = more;
            const int written = head > 0 ? snprintf(text + used, n + DIGITS, "%.*s%ld,", (int)head, item, k)
                                         : snprintf(text + used, n + DIGITS, "%.*s,", (int)n, item);
            used += (size_t)written;
        }
        if (item[n] == '\0') {
            text[used - 1] = '\0'; // the last comma
            return text;
        }
        item += n + 1;
    }
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
    return near != NULL ? cli_usage("unknown option '%s' (did you mean '--%s'?)", name, near)
                        : cli_usage("unknown option '%s'", name);
}

/* ---- values ----------------------------------------------------------------------------------- */

/* The index of a word in "csv|hdf5"; -1: none of them. all: "csv, tsv or hdf5", with
 * `or` before the last one; near: the one that may be meant. */
static int find_word(const char *words, const char *text, const char * or, char all[200], char near[DAL_HINT_SIZE])
{
    char copy[200], *rest = copy;
    const char *word[16];
    int n = 0, found = -1;
    size_t used = 0;
    snprintf(copy, sizeof copy, "%s", words);
    while (n < CLI_LEN(word) && (word[n] = strtok_r(rest, "|", &rest)) != NULL) {
        found = strcmp(word[n], text) == 0 ? n : found;
        ++n;
    }
    for (int k = 0; k < n; ++k) {
        used += (size_t)snprintf(all + used, 200 - used, "%s%s", k == 0 ? "" : k < n - 1 ? ", " : or, word[k]);
    }
    dal_hint(near, dal_nearest(text, word, n));
    return found;
}

/* The number that a text says, or the index of its word. */
static int read_value(const cli_flag *f, double *x, const char *text)
{
    static const char *const expected[] = {[CLI_NUMBER] = "a number",
                                           [CLI_POSITIVE] = "a positive number",
                                           [CLI_NOT_NEGATIVE] = "a number >= 0",
                                           [CLI_WHOLE] = "a positive whole number",
                                           [CLI_ASSIGN] = "a positive number"};
    char all[200], most[40] = "", one[64], near[DAL_HINT_SIZE];
    if (f->kind == CLI_WORDS) {
        int bits = 0;
        while (cli_word(&text, one, sizeof one)) {
            const int word = find_word(f->words, one, ", ", all, near);
            if (word < 0) {
                return cli_usage("--%s: no '%s'%s; there are %s", f->name, one, near, all);
            }
            bits |= 1 << word;
        }
        *x = bits;
        return CLI_OK;
    }
    const int word = f->words != NULL && f->kind != CLI_ASSIGN ? find_word(f->words, text, " or ", all, near) : -1;
    if (f->kind == CLI_CHOICE) {
        *x = word;
        return word >= 0 ? CLI_OK : cli_usage("--%s is %s, not '%s'%s", f->name, all, text, near);
    }
    *x = word >= 0 ? NAN : 0.0;
    const int good = word >= 0 || (cli_number(x, text) && (f->kind == CLI_NUMBER || *x >= 0.0) &&
                                   (*x != 0.0 || f->kind == CLI_NUMBER || f->kind == CLI_NOT_NEGATIVE) &&
                                   (f->kind != CLI_WHOLE || (*x == floor(*x) && *x <= f->max)));
    if (f->kind == CLI_WHOLE && *x > f->max) {
        snprintf(most, sizeof most, ", at most %.0f", f->max);
    }
    return good ? CLI_OK
                : cli_usage("--%s %s: %s is expected%s", f->name, text,
                            f->expected != NULL ? f->expected : expected[f->kind], most);
}

static int add_assignment(cli_args *args, const char *text)
{
    if (args->nset == CLI_SETS) {
        return cli_usage("more than %d times --set", CLI_SETS);
    }
    args->set[args->nset++] = text;
    return CLI_OK;
}

static int store(cli_args *args, const cli_command *c, int flag, const char *value)
{
    const cli_flag *f = &c->flag[flag];
    args->value[flag] = value;
    if (args->ngiven == CLI_GIVEN) {
        return cli_usage("more than %d options", CLI_GIVEN);
    }
    args->given[args->ngiven].flag = flag;
    args->given[args->ngiven++].value = value;
    if (f->kind == CLI_PATH) {
        return value[0] != '\0' && strlen(value) <= CLI_LONGEST
                   ? CLI_OK
                   : cli_usage("--%s '%.50s': a path is expected, of at most %d characters", f->name, value,
                               CLI_LONGEST);
    }
    if (f->kind == CLI_SET) {
        const char *equals = strchr(value, '=');
        return equals == NULL || equals == value ? cli_usage("--set takes key=value, not '%s'", value)
                                                 : add_assignment(args, value);
    }
    return f->kind == CLI_TEXT || f->kind == CLI_SVG || f->kind == CLI_HTML ? CLI_OK
                                                                            : read_value(f, &args->number[flag], value);
}

/* Flags without those that they need. */
static int check_needs(const cli_args *args, const cli_command *c)
{
    for (int k = 0; k < c->nflags; ++k) {
        const char *needs = c->flag[k].needs;
        const int other = args->value[k] != NULL && needs != NULL ? find_long(c, needs, strlen(needs)) : -1;
        if (other >= 0 && args->value[other] == NULL) {
            const cli_flag *f = &c->flag[other];
            char letter[16] = "";
            if (f->letter != 0) {
                snprintf(letter, sizeof letter, " or -%c", f->letter);
            }
            return cli_usage("--%s needs --%s %s%s%s%s", c->flag[k].name, f->name, f->value, letter,
                             f->letter != 0 ? " " : "", f->letter != 0 ? f->value : "");
        }
    }
    return CLI_OK;
}

/* --h and --t-end are assignments like the others; they come last, so they count, in this order. */
static int assign_short_ones(cli_args *args, const cli_command *c)
{
    int n = 0, code = CLI_OK;
    for (int k = c->nflags - 1; k >= 0 && code == CLI_OK; --k) {
        if (c->flag[k].kind == CLI_ASSIGN && args->value[k] != NULL) {
            char *text = args->assigned[n++];
            snprintf(text, sizeof args->assigned[0], "%s=%.100s", c->flag[k].words, args->value[k]);
            code = add_assignment(args, text);
        }
    }
    return code;
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
        return value == NULL ? store(args, c, flag, "") : cli_usage("--%s takes no value", c->flag[flag].name);
    }
    if (value == NULL) {
        if (*i + 1 >= argc) {
            return cli_usage("--%s needs a value: --%s %s", c->flag[flag].name, c->flag[flag].name, what);
        }
        value = argv[++*i];
    }
    return store(args, c, flag, value);
}

static const char *arguments_of(const cli_command *c)
{
    return c->arguments != NULL ? c->arguments : "MODEL";
}

int cli_parse(cli_args *args, const cli_command *c, int argc, char **argv)
{
    int only_positional = 0;
    const int min = c->arguments != NULL ? c->min : 1, max = c->arguments != NULL ? c->max : 1;
    *args = (cli_args){.command = c};
    current = c->name;
    for (int k = 0; k < c->nflags; ++k) {
        args->number[k] = c->flag[k].usual;
    }
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
        } else if (args->npositional == max) {
            return max == 0 ? cli_usage("'%s': no argument is expected", text)
                            : cli_usage("'%s' is one argument too many (usage: dalembert %s %s)", text, c->name,
                                        arguments_of(c));
        } else {
            args->positional[args->npositional++] = text;
        }
    }
    if (args->npositional < min) {
        return cli_usage("%s is missing (usage: dalembert %s %s)", arguments_of(c), c->name, arguments_of(c));
    }
    const int code = check_needs(args, c);
    return code != CLI_OK ? code : assign_short_ones(args, c);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int index_of(const cli_args *args, const char *flag)
{
    const int i = find_long(args->command, flag, strlen(flag));
    if (i < 0) {
        fprintf(stderr, "dalembert %s: there is no flag '%s'\n", args->command->name, flag);
        abort();
    }
    return i;
}

const char *cli_value(const cli_args *args, const char *flag)
{
    return args->value[index_of(args, flag)];
}

int cli_given(const cli_args *args, const char *flag)
{
    return cli_value(args, flag) != NULL;
}

double cli_real(const cli_args *args, const char *flag)
{
    return args->number[index_of(args, flag)];
}

int cli_whole(const cli_args *args, const char *flag)
{
    return (int)cli_real(args, flag);
}

const char *cli_value_at(const cli_args *args, const char *flag, int k)
{
    const int number = index_of(args, flag);
    for (int i = 0; i < args->ngiven; ++i) {
        if (args->given[i].flag == number && k-- == 0) {
            return args->given[i].value;
        }
    }
    return NULL;
}

int cli_check_files(const cli_args *args, int folders)
{
    const cli_command *c = args->command;
    int code = CLI_OK;
    for (int k = 0; k < c->nflags && code == CLI_OK; ++k) {
        const char *path = args->value[k];
        if (path == NULL || (c->flag[k].kind != CLI_SVG && c->flag[k].kind != CLI_HTML)) {
            continue;
        }
        if (folders) {
            cli_make_folder_of(path);
        }
        code = c->flag[k].kind == CLI_SVG ? plot_check(path) : html_check(path);
    }
    return code;
}

int cli_word(const char **list, char *word, size_t size)
{
    if (*list == NULL) {
        return 0;
    }
    const size_t n = strcspn(*list, ",");
    snprintf(word, size, "%.*s", (int)(n < size ? n : size - 1), *list);
    *list = (*list)[n] == ',' ? *list + n + 1 : NULL;
    return 1;
}

void cli_help(const cli_command *c)
{
    const char *arguments = arguments_of(c);
    printf("usage: dalembert %s%s%s%s\n\n%s\n", c->name, arguments[0] != '\0' ? " " : "", arguments,
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
