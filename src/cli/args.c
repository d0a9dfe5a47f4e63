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
    enum { LONGEST = 100000 };
    cli_string text = {0};
    int count = 0;
    for (const char *item = list; item != NULL;) {
        const size_t n = strcspn(item, ",");
        long first = 0, last = 0;
        const size_t head = series_of(item, n, &first, &last);
        last = last - first > LONGEST ? first + LONGEST : last;
        for (long k = first; k <= last; ++k) {
            cli_add(&text, "%s%.*s", count++ > 0 ? "," : "", (int)(head > 0 ? head : n), item);
            if (head > 0) {
                cli_add(&text, "%ld", k);
            }
        }
        item = item[n] == ',' ? item + n + 1 : NULL;
    }
    return text.text;
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

/* ---- values ----------------------------------------------------------------------------------- */

/* The index of a word in "csv|hdf5"; -1: none of them. all: "csv, tsv or hdf5", with
 * `or` before the last one; near: the one that may be meant. */
static int find_word(const char *words, const char *text, const char * or, char all[200], char near[DAL_HINT_SIZE])
{
    char copy[200], *rest = copy;
    const char *word[16];
    int n = 0, found = -1;
    snprintf(copy, sizeof copy, "%s", words);
    while (n < CLI_LEN(word) && (word[n] = strtok_r(rest, "|", &rest)) != NULL) {
        found = strcmp(word[n], text) == 0 ? n : found;
        ++n;
    }
    all[0] = '\0';
    for (int k = 0; k < n; ++k) {
        cli_append(all, 200, "%s%s", k == 0 ? "" : k < n - 1 ? ", " : or, word[k]);
    }
    dal_hint(near, dal_nearest(text, word, n));
    return found;
}

/* The number that a text says, or the index of its word. */
static double read_value(const cli_flag *f, const char *text)
{
    static const char *const expected[] = {[CLI_NUMBER] = "a number",
                                           [CLI_POSITIVE] = "a positive number",
                                           [CLI_NOT_NEGATIVE] = "a number >= 0",
                                           [CLI_WHOLE] = "a positive whole number",
                                           [CLI_ASSIGN] = "a positive number"};
    char all[200], one[64], near[DAL_HINT_SIZE];
    if (f->kind == CLI_WORDS) {
        int bits = 0;
        while (cli_word(&text, one, sizeof one)) {
            const int word = find_word(f->words, one, ", ", all, near);
            if (word < 0) {
                cli_usage("--%s: no '%s'%s; there are %s", f->name, one, near, all);
            }
            bits |= 1 << word;
        }
        return bits;
    }
    const int word = f->words != NULL && f->kind != CLI_ASSIGN ? find_word(f->words, text, " or ", all, near) : -1;
    if (f->kind == CLI_CHOICE && word < 0) {
        cli_usage("--%s is %s, not '%s'%s", f->name, all, text, near);
    }
    if (word >= 0) {
        return f->kind == CLI_CHOICE ? word : (double)NAN;
    }
    double x = 0.0;
    const int any = f->kind == CLI_NUMBER, whole = f->kind == CLI_WHOLE, number = cli_number(&x, text);
    if (!number || (!any && x < 0.0) || (!any && f->kind != CLI_NOT_NEGATIVE && x == 0.0) ||
        (whole && (x != floor(x) || x > f->max))) {
        cli_usage("--%s %s: %s is expected%s", f->name, text, f->expected != NULL ? f->expected : expected[f->kind],
                  whole && x > f->max ? cli_text(", at most %.0f", f->max) : "");
    }
    return x;
}

static void add_assignment(cli_args *args, const char *text)
{
    if (args->nset == CLI_SETS) {
        cli_usage("more than %d times --set", CLI_SETS);
    }
    args->set[args->nset++] = text;
}

static void store(cli_args *args, int flag, const char *value)
{
    const cli_flag *f = &args->command->flag[flag];
    args->value[flag] = value;
    if (args->ngiven == CLI_GIVEN) {
        cli_usage("more than %d options", CLI_GIVEN);
    }
    args->given[args->ngiven].flag = flag;
    args->given[args->ngiven++].value = value;
    if (f->kind == CLI_PATH) {
        if (value[0] == '\0' || strlen(value) > CLI_LONGEST) {
            cli_usage("--%s '%.50s': a path is expected, of at most %d characters", f->name, value, CLI_LONGEST);
        }
    } else if (f->kind == CLI_SET) {
        if (value[strcspn(value, "=")] == '\0' || value[0] == '=') {
            cli_usage("--set takes key=value, not '%s'", value);
        }
        add_assignment(args, value);
    } else if (f->kind != CLI_TEXT && f->kind != CLI_SVG && f->kind != CLI_HTML) {
        args->number[flag] = read_value(f, value);
    }
}

/* ---- parsing ---------------------------------------------------------------------------------- */

static int find_long(const cli_description *c, const char *name, size_t n)
{
    for (int i = 0; i < c->nflags; ++i) {
        if (strlen(c->flag[i].name) == n && memcmp(c->flag[i].name, name, n) == 0) {
            return i;
        }
    }
    return -1;
}

static _Noreturn void unknown_flag(const cli_description *c, const char *text)
{
    const char *word[CLI_FLAGS + 1] = {"help"};
    char name[128], hint[DAL_HINT_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    for (int i = 0; i < c->nflags; ++i) {
        word[i + 1] = c->flag[i].name;
    }
    const char *near = dal_nearest(name + strspn(name, "-"), word, c->nflags + 1);
    dal_hint(hint, near != NULL ? cli_text("--%s", near) : NULL);
    cli_usage("unknown option '%s'%s", name, hint);
}

/* Flags without those that they need. */
static void check_needs(const cli_args *args)
{
    const cli_description *c = args->command;
    for (int k = 0; k < c->nflags; ++k) {
        const char *needs = c->flag[k].needs;
        const int other = args->value[k] != NULL && needs != NULL ? find_long(c, needs, strlen(needs)) : -1;
        if (other >= 0 && args->value[other] == NULL) {
            const cli_flag *f = &c->flag[other];
            cli_usage("--%s needs --%s %s%s", c->flag[k].name, f->name, f->value,
                      f->letter != 0 ? cli_text(" or -%c %s", f->letter, f->value) : "");
        }
    }
}

/* --h and --t-end are assignments like the others; they come last, so they count, in this order. */
static void assign_short_ones(cli_args *args)
{
    for (int k = args->command->nflags - 1; k >= 0; --k) {
        const cli_flag *f = &args->command->flag[k];
        if (f->kind == CLI_ASSIGN && args->value[k] != NULL) {
            add_assignment(args, cli_text("%s=%.100s", f->words, args->value[k]));
        }
    }
}

/* One flag at argv[*i]; *i moves over its value. */
static void parse_flag(cli_args *args, int argc, char **argv, int *i)
{
    const cli_description *c = args->command;
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
        unknown_flag(c, text);
    }
    const char *name = c->flag[flag].name, *what = c->flag[flag].value;
    if (what == NULL && value != NULL) {
        cli_usage("--%s takes no value", name);
    }
    if (what != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            cli_usage("--%s needs a value: --%s %s", name, name, what);
        }
        value = argv[++*i];
    }
    store(args, flag, value != NULL ? value : "");
}

int cli_parse(cli_args *args, const char *command, int argc, char **argv)
{
    int only_positional = 0;
    const cli_description *c = args->command = cli_describe(command);
    for (int k = 0; k < c->nflags; ++k) {
        args->number[k] = c->flag[k].usual;
    }
    for (int i = 0; i < argc; ++i) {
        const char *text = argv[i];
        if (!only_positional && strcmp(text, "--") == 0) {
            only_positional = 1;
        } else if (!only_positional && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            cli_help(c);
            return 0;
        } else if (!only_positional && text[0] == '-' && text[1] != '\0') {
            parse_flag(args, argc, argv, &i);
        } else if (args->npositional < c->max) {
            args->positional[args->npositional++] = text;
        } else if (c->max == 0) {
            cli_usage("'%s': no argument is expected", text);
        } else {
            cli_usage("'%s' is one argument too many (usage: dalembert %s %s)", text, c->name, c->arguments);
        }
    }
    if (args->npositional < c->min) {
        cli_usage("%s is missing (usage: dalembert %s %s)", c->arguments, c->name, c->arguments);
    }
    check_needs(args);
    assign_short_ones(args);
    return 1;
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

int cli_quiet(const cli_args *args)
{
    const int flag = find_long(args->command, "quiet", 5);
    return flag >= 0 && args->value[flag] != NULL;
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

void cli_check_files(const cli_args *args, int folders)
{
    const cli_description *c = args->command;
    for (int k = 0; k < c->nflags; ++k) {
        const char *path = args->value[k];
        if (path == NULL || (c->flag[k].kind != CLI_SVG && c->flag[k].kind != CLI_HTML)) {
            continue;
        }
        if (folders) {
            cli_make_folder_of(path);
        }
        (c->flag[k].kind == CLI_SVG ? plot_check : html_check)(path);
    }
}

int cli_pieces(const cli_args *args, const char *flag, const char **to, int most)
{
    const char *list;
    int n = 0;
    for (int k = 0; (list = cli_value_at(args, flag, k)) != NULL; ++k) {
        int depth = 0, quoted = 0, end = 0;
        for (const char *c = list, *begin = list; !end; ++c) {
            end = *c == '\0';
            quoted ^= *c == '"';
            depth += (*c == '(') - (*c == ')');
            if (!end && (*c != ',' || depth > 0 || quoted)) {
                continue;
            }
            begin += strspn(begin, " ");
            size_t length = (size_t)(c - begin);
            while (length > 0 && begin[length - 1] == ' ') {
                --length;
            }
            if (length == 0) {
                cli_usage("--%s '%s': something is missing", flag, list);
            }
            if (n == most) {
                cli_usage("--%s: more than %d", flag, most);
            }
            to[n++] = cli_text("%.*s", (int)length, begin);
            begin = c + 1;
        }
    }
    return n;
}

void cli_help(const cli_description *c)
{
    printf("usage: dalembert %s%s%s%s\n\n%s\n", c->name, c->arguments[0] != '\0' ? " " : "", c->arguments,
           c->nflags > 0 ? " [options]" : "", c->summary);
    printf("%s\nOptions:\n", c->about);
    for (int i = 0; i < c->nflags; ++i) {
        const cli_flag *f = &c->flag[i];
        printf("  %-26s %s\n",
               cli_text("%s--%s%s%s", f->letter != 0 ? cli_text("-%c, ", f->letter) : "", f->name,
                        f->value != NULL ? " " : "", f->value != NULL ? f->value : ""),
               f->text);
    }
    printf("  %-26s %s\n", "-h, --help", "this text");
    if (c->examples[0] != '\0') {
        printf("\nExamples:\n%s", c->examples);
    }
}
