/* Answers in words, by templates. A template is text in which
 *   {name:.3g}       is the value of a member, printed that way; {name:.3g|none} if it may be missing or no number
 *   {?name} A {:} B {/}  is A if the member is there, B (which may be missing) if not: a text that is not empty, a number that is
 *                    finite, a count or a flag that is not zero, a list with items
 *   {*name} A {/}    is A for every item of a list or member of an object; {*name,5}: at most five
 *   {&name}          is a text as it is, on pages
 *   {name:q}         is a text as tables in CSV have it: quoted, after an apostrophe where a spreadsheet would take it for a formula
 *   {>name}          is the template of that name
 *   {.}, {@} and {#} are the item itself, its name and its number, from 1 on; {?#} asks whether there is one before it.
 * "a.b" is the member b of a, "a.0" the first of its numbers. All numbers of a member are printed the same way, with the blank or
 * comma before it: {x: 12.6g|-}. {x:.3g~size} shows as 0 what is rounding of the member `size`. What an item does not have is looked
 * for in what it is part of. A tag that has a line to itself takes its line feed with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer_impl.h"
#include "svg/svg.h"

enum { TAG = 200 };

typedef struct place {
    const cli_answer *at; /* members are looked for here and above */
    int number;           /* of the item */
    int html;
} place;

/* ---- values ----------------------------------------------------------------------------------- */

static const cli_answer *number_of(const cli_answer *reals, int i)
{
    cli_answer *a = answer_create();
    a->kind = ANSWER_REAL;
    a->real = i < reals->n ? reals->x[i] : NAN;
    return a;
}

static const cli_answer *member(const cli_answer *a, const char *name)
{
    const size_t n = strcspn(name, ".");
    for (const cli_answer *m = a->first; m != NULL; m = m->next) {
        if (m->name != NULL && strncmp(m->name, name, n) == 0 && m->name[n] == '\0') {
            return name[n] != '.'            ? m
                   : m->kind == ANSWER_REALS ? number_of(m, atoi(name + n + 1))
                                             : member(m, name + n + 1);
        }
    }
    return NULL;
}

static const cli_answer *find(place p, const char *name)
{
    const cli_answer *found = strcmp(name, ".") == 0 ? p.at : NULL;
    if (strcmp(name, "@") == 0 || strcmp(name, "#") == 0) {
        cli_answer *a = answer_create();
        a->kind = name[0] == '@' ? ANSWER_TEXT : ANSWER_WHOLE;
        a->text = p.at->name;
        a->whole = p.number;
        return a;
    }
    for (const cli_answer *a = p.at; a != NULL && found == NULL; a = a->up) {
        found = member(a, name);
    }
    return found;
}

char *answer_lines(const cli_answer *a, const char *list)
{
    cli_string text = {0};
    cli_add(&text, "%s", "");
    for (const cli_answer *item = member(a, list)->first; item != NULL; item = item->next) {
        cli_add(&text, "%s%s", item->text, item->next != NULL ? "\n" : "");
    }
    return text.text;
}

static int is_there(place p, const char *name)
{
    const cli_answer *a = find(p, name);
    if (name[0] == '#') {
        return p.number > 1;
    }
    return a != NULL &&
           ((a->kind == ANSWER_TEXT && a->text[0] != '\0') || (a->kind == ANSWER_REAL && isfinite(a->real)) ||
            a->whole != 0 || a->n > 0 || a->first != NULL);
}

/* Text of a model stays text, on a terminal and on a page. */
static void put_text(cli_string *out, place p, const char *text)
{
    if (!p.html) {
        cli_add_shown(out, text);
        return;
    }
    while (*text != '\0') {
        const size_t n = svg_character(text);
        if (n == 0) {
            cli_add(out, "\xef\xbf\xbd");
        } else if (n == 1 && strchr("&<>\"", *text) != NULL) {
            cli_add(out, "&#%d;", *text);
        } else {
            cli_add_bytes(out, text, n);
        }
        text += n > 0 ? n : 1;
    }
}

static void put_quoted(cli_string *out, const char *text)
{
    cli_add(out, text[0] != '\0' && strchr("=+-@", text[0]) != NULL ? "\"'" : "\"");
    for (; *text != '\0'; ++text) {
        cli_add(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    cli_add(out, "\"");
}

/* A number as the tag says: what comes before the width, the number, 0 for rounding, or what stands for none. */
static void put_number(cli_string *out, place p, const char *spec, double x, const char *otherwise)
{
    char format[TAG] = "%";
    const size_t before = strspn(spec, " ,"), n = strcspn(spec + before, "~");
    snprintf(format + 1, sizeof format - 1, "%.*s", n > 0 ? (int)n : 1, n > 0 ? spec + before : "g");
    cli_add(out, "%.*s", (int)before, spec);
    if (spec[before + n] == '~' && fabs(x) <= 1e-12 * find(p, spec + before + n + 1)->real) {
        x = 0.0;
    }
    if (otherwise != NULL && !isfinite(x)) {
        cli_add(out, "%*s", atoi(spec + before), otherwise);
    } else {
        cli_add(out, format, x);
    }
}

/* "name:.3g|none" */
static void put_value(cli_string *out, place p, const char *tag)
{
    char name[TAG], spec[TAG], format[TAG + 4] = "%"; // "%", spec, "ld"
    const char *bar = strchr(tag, '|'), *otherwise = bar != NULL ? bar + 1 : NULL;
    const size_t n = strcspn(tag, ":|"), m = strcspn(tag, "|");
    snprintf(name, sizeof name, "%.*s", (int)n, tag);
    snprintf(spec, sizeof spec, "%.*s", n < m ? (int)(m - n - 1) : 0, tag + n + 1);
    const cli_answer *a = find(p, name);
    if (a != NULL && a->kind == ANSWER_REALS) {
        for (int i = 0; i < a->n; ++i) {
            put_number(out, p, spec, a->x[i], otherwise);
        }
    } else if (otherwise != NULL && !is_there(p, name)) {
        cli_add_shown(out, otherwise);
    } else if (a != NULL && a->kind == ANSWER_TEXT && strcmp(spec, "q") == 0) {
        put_quoted(out, a->text);
    } else if (a != NULL && a->kind == ANSWER_TEXT && spec[0] == '\0') {
        put_text(out, p, a->text);
    } else if (a != NULL && a->kind == ANSWER_TEXT) {
        snprintf(format + 1, sizeof format - 1, "%s", spec);
        cli_add_shown(out, cli_text(format, a->text));
    } else if (a != NULL && a->kind == ANSWER_REAL) {
        put_number(out, p, spec, a->real, NULL);
    } else {
        snprintf(format + 1, sizeof format - 1, "%.*sld", spec[0] != '\0' ? (int)strlen(spec) - 1 : 0, spec); // "4d"
        cli_add(out, format, a != NULL ? a->whole : 0L);
    }
}

/* ---- templates -------------------------------------------------------------------------------- */

/* The tag at t, without braces; what comes after it. */
static const char *read_tag(char tag[TAG], const char *t, int line_begins)
{
    const size_t n = strcspn(t, "}");
    snprintf(tag, TAG, "%.*s", (int)n - 1, t + 1);
    t += n + 1;
    return line_begins && strchr("?*/:>", tag[0]) != NULL && *t == '\n' ? t + 1 : t;
}

/* From t to the tag that ends this part, *end: '/', ':', or 0 at the end of the template. Returns what comes after it. */
static const char *render(cli_string *out, const char *t, place p, int shown, char *end)
{
    char tag[TAG], last;
    for (int line_begins = 1; *t != '\0';) {
        if (*t != '{') {
            line_begins = *t == '\n';
            if (shown) {
                cli_add_bytes(out, t, 1);
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
        } else if (shown && tag[0] == '>') {
            render(out, cli_section(tag + 1, p.html ? "page" : "text"), p, 1, &last);
        } else if (shown && tag[0] == '&') {
            cli_add(out, "%s", find(p, tag + 1)->text);
        } else if (shown) {
            put_value(out, p, tag);
        }
    }
    *end = '\0';
    return t;
}

void answer_add(const cli_answer *a, cli_string *out, const char *text, int html)
{
    char end;
    cli_add(out, "%s", "");
    render(out, cli_section(text, html ? "page" : "text"), (place){a, 0, html}, 1, &end);
}

void answer_save(const cli_answer *a, const char *text, const char *path)
{
    cli_save(answer_string(a, text), path);
}

int answer_save_csv(const cli_answer *a, const char *text, const char *path)
{
    const int csv = !cli_is_hdf5(path);
    if (csv) {
        cli_make_folder_of(path);
        answer_save(a, text, path);
    }
    return csv;
}

void answer_save_arrays(const char *path, const dal_array *list, int n, const dal_note *note, int nnotes)
{
    cli_make_folder_of(path);
    cli_try(cli_ctx(), dal_arrays_write(cli_ctx(), path, list, n, note, nnotes), CLI_IO);
}
