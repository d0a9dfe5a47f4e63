/* What commands.txt tells of a command. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* commands.txt and records.txt, written by tools/embed */
extern const unsigned char cli_records[];

const char *cli_section(const char *name, const char *kind)
{
    const char *title = cli_text("\n[%s.%s]\n", name, kind), *from = strstr((const char *)cli_records, title);
    if (from == NULL) {
        return NULL;
    }
    from += strlen(title);
    const char *to = strstr(from, "\n[");
    while (to[-1] == '\n') { // a blank line before the next section
        --to;
    }
    return cli_text("%.*s", (int)(to - from) + 1, from);
}

const char *cli_name_at(int k)
{
    const char *at = strstr((const char *)cli_records, "\n[common.help]");
    for (; k >= 0 && at != NULL; --k) {
        at = strstr(at + 1, ".help]\n");
    }
    if (at == NULL || (at = strstr(at + 1, ".help]\n")) == NULL) {
        return NULL;
    }
    const char *begin = at;
    while (begin[-1] != '[') {
        --begin;
    }
    return cli_text("%.*s", (int)(at - begin), begin);
}

/* What stands before the mark, which is cut off, if it is there; *text goes on after it. */
static char *part(char **text, const char *mark)
{
    char *from = *text, *to = strstr(from, mark);
    *text = to != NULL ? to + strlen(mark) : from + strlen(from);
    if (to != NULL) {
        *to = '\0';
    }
    return from;
}

/* A column of a table; blanks follow it. */
static char *cell(char **text)
{
    char *from = part(text, "  ");
    *text += strspn(*text, " ");
    return from;
}

static const cli_flag *find(const cli_description *in, const char *name)
{
    int k = 0;
    while (strcmp(in->flag[k].name, name) != 0) {
        ++k;
    }
    return &in->flag[k];
}

/* "choice csv|hdf5 needs=output" */
static void read_kind(cli_flag *f, char *text)
{
    static const char *const kinds[] = {"text",  "number", "positive", "not_negative", "whole", "choice",
                                        "words", "path",   "svg",      "html",         "set",   "assign"};
    const char *kind = part(&text, " ");
    while (strcmp(kinds[f->kind], kind) != 0) {
        ++f->kind;
    }
    while (*text != '\0') {
        if (strncmp(text, "expected=", 9) == 0) {
            f->expected = text + 9;
            return;
        }
        char *word = part(&text, " "), *value = strchr(word, '=');
        if (value == NULL) {
            f->words = word;
        } else if (word[0] == 'n') {
            f->needs = value + 1;
        } else {
            *(word[0] == 'u' ? &f->usual : &f->max) = strtod(value + 1, NULL);
        }
    }
}

/* "  -f, --format csv|hdf5  choice csv|hdf5  of the results ..." */
static void read_flag(cli_flag *f, char *line, const cli_description *common)
{
    line += 2;
    char *left = cell(&line), *kind = cell(&line);
    f->letter = left[1] != '-' ? left[1] : 0;
    f->name = part(&left, "--");
    f->name = part(&left, " ");
    if (kind[0] == '\0' && common != NULL) {
        *f = *find(common, f->name);
        return;
    }
    f->value = left[0] != '\0' ? left : NULL;
    f->text = line;
    read_kind(f, kind);
}

const cli_description *cli_describe(const char *name)
{
    cli_description *d = cli_alloc(1, sizeof *d);
    const cli_description *common = strcmp(name, "common") != 0 ? cli_describe("common") : NULL;
    char *text = cli_copy(cli_section(name, "help")), *head = part(&text, "\n");
    d->name = name;
    d->arguments = cell(&head);
    d->arguments += d->arguments[0] == '-';
    d->min = atoi(cell(&head));
    d->max = atoi(head);
    char *rest = part(&text, "\nExamples:\n"), *about = part(&rest, "\nOptions:\n");
    d->summary = part(&about, "\n");
    d->about = about;
    while (*rest != '\0') {
        read_flag(&d->flag[d->nflags++], part(&rest, "\n"), common);
    }
    d->examples = text;
    return d;
}
