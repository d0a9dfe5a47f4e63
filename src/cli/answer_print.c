/* Answers in words, by templates. A template is text in which
 *   {name:.3g}       is the value of a member, printed that way; {name:.3g|none} if it may be missing or no number
 *   {?name} A {:} B {/}  is A if the member is there, B (which may be missing) if not: a text that is not empty, a number that is
 *                    finite, a count or a flag that is not zero, a list with items
 *   {*name} A {/}    is A for every item of a list or member of an object; {*name,5}: at most five
 *   {&name}          is a text as it is, on pages
 *   {name:q}         is a text as tables in CSV have it: quoted, after an apostrophe where a spreadsheet would take it for a formula
 *   {.} and {#}      are the item itself and its number, from 1 on; {?#} asks whether there is one before it.
 * "a.b" is the member b of a. What an item does not have is looked for in what it is part of. A tag that has a line to itself
 * takes its line feed with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer_impl.h"
#include "svg/svg.h"

/* records.txt, written by tools/embed */
extern const unsigned char cli_records[];

enum { TAG = 200 };

typedef struct place {
    const cli_answer *at; /* members are looked for here and above */
    int number;           /* of the item */
    int html;
} place;

/* ---- values ----------------------------------------------------------------------------------- */

static const cli_answer *member(const cli_answer *a, const char *name)
{
    const size_t n = strcspn(name, ".");
    for (const cli_answer *m = a->first; m != NULL; m = m->next) {
        if (m->name != NULL && strncmp(m->name, name, n) == 0 && m->name[n] == '\0') {
            return name[n] == '.' ? member(m, name + n + 1) : m;
        }
    }
    return NULL;
}

static const cli_answer *find(place p, const char *name)
{
    const cli_answer *found = strcmp(name, ".") == 0 ? p.at : NULL;
    for (const cli_answer *a = p.at; a != NULL && found == NULL; a = a->up) {
        found = member(a, name);
    }
    return found;
}

char *answer_lines(const cli_answer *a, const char *list)
{
    size_t n = 0;
    const cli_answer *from = member(a, list)->first;
    for (const cli_answer *item = from; item != NULL; item = item->next) {
        n += strlen(item->text) + 1;
    }
    char *text = cli_alloc(n + 1, 1), *at = text;
    for (const cli_answer *item = from; item != NULL; item = item->next) {
        at += sprintf(at, "%s%s", item->text, item->next != NULL ? "\n" : "");
    }
    return text;
}

static int is_there(place p, const char *name)
{
    const cli_answer *a = find(p, name);
    if (strcmp(name, "#") == 0) {
        return p.number > 1;
    }
    return a != NULL &&
           ((a->kind == ANSWER_TEXT && a->text[0] != '\0') || (a->kind == ANSWER_REAL && isfinite(a->real)) ||
            a->whole != 0 || a->n > 0 || a->first != NULL);
}

/* Text of a model stays text, on a terminal and on a page. */
static void put_text(FILE *out, place p, const char *text)
{
    if (!p.html) {
        cli_put(out, text);
        return;
    }
    while (*text != '\0') {
        const size_t n = svg_character(text);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
        } else if (n == 1 && strchr("&<>\"", *text) != NULL) {
            fprintf(out, "&#%d;", *text);
        } else {
            fwrite(text, 1, n, out);
        }
        text += n > 0 ? n : 1;
    }
}

static void put_quoted(FILE *out, const char *text)
{
    fputs(text[0] != '\0' && strchr("=+-@", text[0]) != NULL ? "\"'" : "\"", out);
    for (; *text != '\0'; ++text) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', out);
}

/* "name:.3g|none" */
static void put_value(FILE *out, place p, const char *tag)
{
    char name[TAG], format[TAG] = "%";
    const size_t n = strcspn(tag, ":|"), m = tag[n] == ':' ? strcspn(tag + n + 1, "|") : 0;
    snprintf(name, sizeof name, "%.*s", (int)n, tag);
    const char *spec = tag + n + (m > 0), *otherwise = strchr(tag, '|');
    const cli_answer *a = find(p, name);
    const long whole = strcmp(name, "#") == 0 ? p.number : a != NULL ? a->whole : 0;
    const int there = is_there(p, name);
    if (otherwise != NULL && !there) {
        cli_put(out, otherwise + 1);
    } else if (a != NULL && a->kind == ANSWER_TEXT && m == 1 && *spec == 'q') {
        put_quoted(out, a->text);
    } else if (a != NULL && a->kind == ANSWER_TEXT && m == 0) {
        put_text(out, p, a->text);
    } else if (a != NULL && a->kind == ANSWER_TEXT) {
        snprintf(format + 1, sizeof format - 1, "%.*s", m > 0 ? (int)m : 1, m > 0 ? spec : "s");
        cli_print_to(out, format, a->text);
    } else if (a != NULL && a->kind == ANSWER_REAL) {
        snprintf(format + 1, sizeof format - 1, "%.*s", m > 0 ? (int)m : 1, m > 0 ? spec : "g");
        fprintf(out, format, a->real);
    } else {
        snprintf(format + 1, sizeof format - 1, "%.*sld", m > 0 ? (int)m - 1 : 0, spec); // its last letter is d
        fprintf(out, format, whole);
    }
}

/* ---- templates -------------------------------------------------------------------------------- */

/* The tag at t, without braces; what comes after it. */
static const char *read_tag(char tag[TAG], const char *t, int line_begins)
{
    const size_t n = strcspn(t, "}");
    snprintf(tag, TAG, "%.*s", (int)n - 1, t + 1);
    t += n + 1;
    return line_begins && strchr("?*/:", tag[0]) != NULL && *t == '\n' ? t + 1 : t;
}

/* From t to the tag that ends this part, *end: '/', ':', or 0 at the end of the template. Returns what comes after it. */
static const char *render(FILE *out, const char *t, place p, int shown, char *end)
{
    char tag[TAG], last;
    for (int line_begins = 1; *t != '\0';) {
        if (*t != '{') {
            line_begins = *t == '\n';
            if (shown) {
                fputc(*t, out);
            }
            ++t;
            continue;
        }
        t = read_tag(tag, t, line_begins);
        line_begins = t[-1] == '\n';
        if (tag[0] == '/' || tag[0] == ':') {
            *end = tag[0];
            return t;
        }
        if (tag[0] == '?') {
            const int yes = is_there(p, tag + 1);
            t = render(out, t, p, shown && yes, &last);
            t = last == ':' ? render(out, t, p, shown && !yes, &last) : t;
        } else if (tag[0] == '*') {
            const char *comma = strchr(tag, ','), *after = NULL;
            int left = comma != NULL ? atoi(comma + 1) : -1;
            tag[strcspn(tag, ",")] = '\0';
            const cli_answer *list = shown ? find(p, tag + 1) : NULL, *item = list != NULL ? list->first : NULL;
            for (place q = {item, 1, p.html}; q.at != NULL && left-- != 0; q.at = q.at->next, ++q.number) {
                after = render(out, t, q, 1, &last);
            }
            t = after != NULL ? after : render(out, t, p, 0, &last);
        } else if (shown && tag[0] == '&') {
            fputs(find(p, tag + 1)->text, out);
        } else if (shown) {
            put_value(out, p, tag);
        }
    }
    *end = '\0';
    return t;
}

static void print(const cli_answer *a, const char *text, FILE *out, int html)
{
    char title[TAG], end;
    snprintf(title, sizeof title, "\n[%s.%s]\n", text, html ? "page" : "text");
    const char *from = strstr((const char *)cli_records, title) + strlen(title), *to = strstr(from, "\n[");
    while (to[-1] == '\n') { // a blank line before the next section
        --to;
    }
    char *template = cli_copy(from);
    template[to - from + 1] = '\0';
    render(out, template, (place){a, 0, html}, 1, &end);
    free(template);
}

void answer_print(const cli_answer *a, const char *text, FILE *out)
{
    print(a, text, out, 0);
}

void answer_page(const cli_answer *a, const char *text, FILE *out)
{
    print(a, text, out, 1);
}

int answer_save(const cli_answer *a, const char *text, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        answer_print(a, text, out);
    }
    const int bad = out == NULL || ferror(out);
    return (out != NULL && fclose(out) != 0) || bad ? cli_error(CLI_IO, "cannot write '%s'", path) : CLI_OK;
}
