/* Tables in files: parameters row by row, measured data. */
#include <errno.h>
#include <string.h>

#include "cli/sweep.h"

enum { LINE = 100000 };

typedef struct reader {
    const char *path;
    FILE *in;
    char *line;
    long number; /* of the line */
    char *cell[SWEEP_COLUMNS];
    int n; /* cells of the line */
} reader;

static _Noreturn void complain(const reader *r, const char *what)
{
    cli_fail(CLI_USAGE, "%s:%ld: %s", r->path, r->number, what);
}

/* Cells between commas, without the blanks and quotes around them. 0: no more lines. */
static int next_line(reader *r)
{
    do {
        if (fgets(r->line, LINE, r->in) == NULL) {
            return 0;
        }
        ++r->number;
        r->line[strcspn(r->line, "\r\n")] = '\0';
    } while (r->line[strspn(r->line, " \t")] == '\0' || r->line[0] == '#');
    r->n = 0;
    for (char *c = r->line; c != NULL && r->n < SWEEP_COLUMNS;) {
        char *comma = strchr(c, ','), *end = comma != NULL ? comma : c + strlen(c);
        c += strspn(c, " \t\"");
        while (end > c && strchr(" \t\"", end[-1]) != NULL) {
            --end;
        }
        *end = '\0';
        r->cell[r->n++] = c;
        c = comma != NULL ? comma + 1 : NULL;
    }
    return 1;
}

/* Columns called member, status or message, as results have them, are left out. */
static void read_names(sweep_table *t, reader *r, int used[SWEEP_COLUMNS])
{
    if (!next_line(r)) {
        complain(r, "the file is empty: the first line has the names of parameters");
    }
    for (int k = 0; k < r->n; ++k) {
        const char *name = r->cell[k];
        used[k] = strcmp(name, "member") != 0 && strcmp(name, "status") != 0 && strcmp(name, "message") != 0;
        if (used[k] && (name[0] == '\0' || strlen(name) > 300 || strchr(name, '=') != NULL)) {
            complain(r, "the first line has the names of parameters");
        }
        if (used[k]) {
            t->name[t->n++] = cli_copy(name);
        }
    }
    if (t->n == 0) {
        complain(r, "no parameters");
    }
}

static void close_file(void *file)
{
    fclose(file);
}

FILE *sweep_open(const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        cli_fail(CLI_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    cli_own(in, close_file);
    return in;
}

void sweep_read_table(sweep_table *t, const char *path)
{
    reader r = {.path = path, .in = sweep_open(path), .line = cli_alloc(LINE, 1)};
    int used[SWEEP_COLUMNS] = {0};
    long n = 0, room = 0;
    *t = (sweep_table){0};
    read_names(t, &r, used);
    for (const int columns = r.n; next_line(&r); ++t->rows) {
        if (r.n != columns) {
            complain(&r, "this row has another number of columns than the first line");
        }
        if (n + columns > room) {
            room = 2 * (n + columns) + 1000;
            double *more = cli_alloc((size_t)room, sizeof *more);
            memcpy(more, t->x != NULL ? t->x : more, (size_t)n * sizeof *more);
            t->x = more;
        }
        for (int k = 0; k < columns; ++k) {
            if (used[k] && !cli_number(&t->x[n++], r.cell[k])) {
                complain(&r, "not a number");
            }
        }
    }
    if (t->rows == 0) {
        complain(&r, "no rows");
    }
}

void sweep_read_rows(sweep_job *job, const char *path)
{
    sweep_table t;
    sweep_read_table(&t, path);
    for (int k = 0; k < t.n; ++k) {
        sweep_add_parameter(job, t.name[k], "=rows");
    }
    job->spec.rows = job->rows = t.x;
    job->spec.nrows = t.rows;
}
