/* Tables of numbers in text files: two columns of a file with comma, semicolon or tab between its fields. Lines that are
 * empty or begin with # are skipped; the first one that is not may have names instead of numbers. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/io_impl.h"

enum { POINTS_MAX = 1000000, COLUMNS_MAX = 10000, QUOTE = 40 };

/* A column: its number from 0 on, or its name until the names are read. */
typedef struct column {
    char name[IO_TEXT];
    int number; /* -1: not known yet */
    double *x;
} column;

typedef struct reader {
    const io_loader *L;
    const char *path;
    const char *at, *end; /* what is left of the file */
    int line;
    char separator;
    column c[2];
    int n, capacity;
} reader;

typedef struct field {
    const char *text;
    size_t n;
} field;

/* ---- lines and fields ------------------------------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\r';
}

/* Without blanks and quotes around it. */
static field trimmed(const char *text, size_t n)
{
    while (n > 0 && is_blank(text[0])) {
        ++text;
        --n;
    }
    while (n > 0 && is_blank(text[n - 1])) {
        --n;
    }
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        ++text;
        n -= 2;
    }
    return (field){text, n};
}

/* The next line that says something; 0 at the end. */
static int next_line(reader *r, field *line)
{
    while (r->at < r->end) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        const size_t n = (size_t)((stop != NULL ? stop : r->end) - r->at);
        *line = trimmed(r->at, n);
        line->n = line->n > 0 && *line->text != '#' ? line->n : 0;
        if (line->n > 0) {
            *line = (field){r->at, n};
        }
        r->at += n + (stop != NULL);
        ++r->line;
        if (line->n > 0) {
            return 1;
        }
    }
    return 0;
}

/* Field number k of a line; 0 if there are fewer. */
static int field_of(const reader *r, const field *line, int k, field *f)
{
    const char *text = line->text;
    size_t left = line->n;
    for (;; --k) {
        const char *stop = memchr(text, r->separator, left);
        const size_t n = stop != NULL ? (size_t)(stop - text) : left;
        if (k == 0) {
            *f = trimmed(text, n);
            return 1;
        }
        if (stop == NULL) {
            return 0;
        }
        text += n + 1;
        left -= n + 1;
    }
}

/* The first of these that is in the line. */
static char separator_of(const field *line)
{
    static const char signs[] = {'\t', ';', ','};
    for (size_t k = 0; k < sizeof(signs); ++k) {
        if (memchr(line->text, signs[k], line->n) != NULL) {
            return signs[k];
        }
    }
    return ',';
}

/* ---- names of columns ------------------------------------------------------------------------- */

/* Equal to the name, or up to a unit: "force [N]". */
static int is_named(const field *f, const char *name)
{
    const size_t n = strlen(name);
    return f->n >= n && memcmp(f->text, name, n) == 0 &&
           (f->n == n || (f->n > n + 1 && memcmp(f->text + n, " [", 2) == 0));
}

static dal_status find_columns(reader *r, const field *line)
{
    for (int k = 0; k < 2; ++k) {
        field f;
        for (int i = 0; r->c[k].number < 0 && i < COLUMNS_MAX && field_of(r, line, i, &f); ++i) {
            r->c[k].number = is_named(&f, r->c[k].name) ? i : -1;
        }
        if (r->c[k].number < 0) {
            return dal_fail(r->L->ctx, DAL_EINVAL, "%s:%d: no column '%s'", r->path, r->line, r->c[k].name);
        }
    }
    return DAL_OK;
}

/* A column of the model: a name or a number from 1 on. */
static dal_status read_column(const io_loader *L, const io_node *at, const char *key, int otherwise, column *c)
{
    io_node child;
    c->number = otherwise;
    if (!dal_io_member(&child, at, key)) {
        return DAL_OK;
    }
    if (dal_json_is(child.json, DAL_JSON_TEXT)) {
        c->number = -1;
        return dal_io_text(L, c->name, &child);
    }
    int number = 0;
    DAL_TRY(dal_io_integer(L, &number, &child));
    if (number < 1 || number > COLUMNS_MAX) {
        return dal_io_fail(L, &child, "columns are numbered from 1");
    }
    c->number = number - 1;
    return DAL_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static dal_status reserve(reader *r)
{
    if (r->n < r->capacity) {
        return DAL_OK;
    }
    if (r->n >= POINTS_MAX) {
        return dal_fail(r->L->ctx, DAL_EINVAL, "%s:%d: a table has at most %d lines", r->path, r->line, POINTS_MAX);
    }
    const int capacity = r->capacity > 0 ? 2 * r->capacity : 256;
    for (int k = 0; k < 2; ++k) {
        const double *before = r->c[k].x;
        DAL_TAKE(r->L->scratch, r->c[k].x, capacity);
        if (r->n > 0) {
            memcpy(r->c[k].x, before, (size_t)r->n * sizeof *before);
        }
    }
    r->capacity = capacity;
    return DAL_OK;
}

/* Text of the file in a message, without what would command a terminal. */
static const char *quoted(char buffer[QUOTE], const field *f)
{
    size_t n = 0;
    for (; n < f->n && n + 1 < QUOTE; ++n) {
        buffer[n] = f->text[n] >= 0x20 && f->text[n] < 0x7f ? f->text[n] : '?';
    }
    buffer[n] = '\0';
    return buffer;
}

static dal_status read_line(reader *r, const field *line)
{
    dal_ctx *ctx = r->L->ctx;
    DAL_TRY(reserve(r));
    for (int k = 0; k < 2; ++k) {
        const column *c = &r->c[k];
        char quote[QUOTE];
        field f;
        if (!field_of(r, line, c->number, &f)) {
            return dal_fail(ctx, DAL_EINVAL, "%s:%d: there is no column %d", r->path, r->line, c->number + 1);
        }
        if (!dal_number_parse(&c->x[r->n], f.text, f.n)) {
            return dal_fail(ctx, DAL_EINVAL, "%s:%d: column %d: '%s' is not a number", r->path, r->line, c->number + 1,
                            quoted(quote, &f));
        }
    }
    const double *x = r->c[0].x;
    if (r->n > 0 && !(x[r->n] > x[r->n - 1])) {
        return dal_fail(ctx, DAL_EINVAL, "%s:%d: column %d must increase, but %g follows %g", r->path, r->line,
                        r->c[0].number + 1, x[r->n], x[r->n - 1]);
    }
    ++r->n;
    return DAL_OK;
}

/* Does the line begin with a number? */
static int has_numbers(const reader *r, const field *line)
{
    double x;
    field f;
    return field_of(r, line, 0, &f) && dal_number_parse(&x, f.text, f.n);
}

static dal_status read_lines(reader *r)
{
    field line;
    int more = next_line(r, &line);
    r->separator = more ? separator_of(&line) : ',';
    if (more && (r->c[0].number < 0 || r->c[1].number < 0 || !has_numbers(r, &line))) {
        DAL_TRY(find_columns(r, &line));
        more = next_line(r, &line);
    }
    for (; more; more = next_line(r, &line)) {
        DAL_TRY(read_line(r, &line));
    }
    return r->n >= 2 ? DAL_OK : dal_fail(r->L->ctx, DAL_EINVAL, "%s: a table needs at least two lines", r->path);
}

dal_status dal_io_table_file(io_loader *L, double *list[2], int *n, const io_node *at)
{
    io_node file;
    char *path, *text = NULL;
    size_t size = 0;
    reader r = {.L = L};
    DAL_TRY(read_column(L, at, "x", 0, &r.c[0]));
    DAL_TRY(read_column(L, at, "y", 1, &r.c[1]));
    DAL_TRY(dal_io_need(&file, L, at, "file"));
    DAL_TRY(dal_io_path(L, &path, &file));
    dal_status st = dal_io_read_file(L->ctx, &text, &size, path);
    if (st == DAL_OK) {
        const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        r.path = path;
        r.at = text + mark;
        r.end = text + size;
        st = read_lines(&r);
    }
    list[0] = r.c[0].x;
    list[1] = r.c[1].x;
    *n = r.n;
    dal_free(L->ctx, text);
    return st == DAL_OK ? st : dal_io_fail_at(L, &file, st);
}
