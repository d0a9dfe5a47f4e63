/* Numbers from files: parameters row by row, times of trajectories. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

enum { COLUMNS = 200, LINE = 100000 };

typedef struct table {
    const char *path;
    FILE *in;
    char *line;
    long number; /* of the line */
    char *cell[COLUMNS];
    int n; /* cells of the line */
} table;

static int complain(const table *t, const char *what)
{
    return cli_error("sweep", CLI_USAGE, "%s:%ld: %s", t->path, t->number, what);
}

/* Cells between commas, without the blanks and quotes around them. 0: no more lines. */
static int next_line(table *t)
{
    do {
        if (fgets(t->line, LINE, t->in) == NULL) {
            return 0;
        }
        ++t->number;
        t->line[strcspn(t->line, "\r\n")] = '\0';
    } while (t->line[strspn(t->line, " \t")] == '\0' || t->line[0] == '#');
    t->n = 0;
    for (char *c = t->line; c != NULL && t->n < COLUMNS;) {
        char *comma = strchr(c, ','), *end = comma != NULL ? comma : c + strlen(c);
        c += strspn(c, " \t\"");
        while (end > c && strchr(" \t\"", end[-1]) != NULL) {
            --end;
        }
        *end = '\0';
        t->cell[t->n++] = c;
        c = comma != NULL ? comma + 1 : NULL;
    }
    return 1;
}

/* The names are parameters "NAME=rows"; columns called member, status or message, as results have them, are left out. */
static int read_names(sweep_job *job, table *t, int used[COLUMNS])
{
    if (!next_line(t)) {
        return complain(t, "the file is empty: the first line has the names of parameters");
    }
    int n = 0;
    for (int k = 0; k < t->n; ++k) {
        char text[400];
        const char *name = t->cell[k];
        used[k] = strcmp(name, "member") != 0 && strcmp(name, "status") != 0 && strcmp(name, "message") != 0;
        if (!used[k]) {
            continue;
        }
        if (name[0] == '\0' || strlen(name) > 300 || strchr(name, '=') != NULL) {
            return complain(t, "the first line has the names of parameters");
        }
        const int length = snprintf(text, sizeof text, "%s=rows", name);
        if (job->spec.nparameters == COLUMNS) {
            return complain(t, "more than 200 parameters");
        }
        job->parameter[job->spec.nparameters] = sweep_keep(job, text, (size_t)length);
        if (job->parameter[job->spec.nparameters++] == NULL) {
            return complain(t, "too many parameters");
        }
        ++n;
    }
    job->spec.parameter = job->parameter;
    return n > 0 ? CLI_OK : complain(t, "no parameters");
}

static int read_rows(sweep_job *job, table *t)
{
    int used[COLUMNS] = {0};
    long n = 0, room = 0;
    int code = read_names(job, t, used);
    const int columns = t->n;
    while (code == CLI_OK && next_line(t)) {
        if (t->n != columns) {
            return complain(t, "this row has another number of columns than the first line");
        }
        if (n + columns > room) {
            room = 2 * (n + columns) + 1000;
            double *more = realloc(job->rows, (size_t)room * sizeof *more);
            if (more == NULL) {
                return cli_error("sweep", CLI_INTEGRATION, "out of memory");
            }
            job->rows = more;
        }
        for (int k = 0; k < columns; ++k) {
            if (used[k] && !cli_number(&job->rows[n++], t->cell[k])) {
                return complain(t, "not a number");
            }
        }
        ++job->spec.nrows;
    }
    job->spec.rows = job->rows;
    return code != CLI_OK ? code : job->spec.nrows > 0 ? CLI_OK : complain(t, "no rows");
}

int sweep_read_rows(sweep_job *job, const char *path)
{
    table t = {.path = path, .in = fopen(path, "r")};
    if (t.in == NULL) {
        return cli_error("sweep", CLI_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    t.line = cli_alloc(LINE, 1);
    const int code = read_rows(job, &t);
    free(t.line);
    fclose(t.in);
    return code;
}

/* ---- times ------------------------------------------------------------------------------------ */

static int no_times(const char *text)
{
    return cli_usage("sweep", "--times %s: FROM:TO:NUMBER, or times between commas", text);
}

static int read_range(sweep_job *job, const char *text)
{
    char piece[3][64] = {""};
    double from, to;
    int n;
    if (sscanf(text, "%60[^:]:%60[^:]:%60[^:]", piece[0], piece[1], piece[2]) != 3 || !cli_number(&from, piece[0]) ||
        !cli_number(&to, piece[1]) || !cli_integer(&n, piece[2], 2, 1000000) || !(from >= 0.0 && from < to)) {
        return no_times(text);
    }
    job->times = cli_alloc((size_t)n, sizeof *job->times);
    for (int k = 0; k < n; ++k) {
        job->times[k] = k < n - 1 ? from + (to - from) * k / (n - 1) : to;
    }
    job->spec.ntimes = n;
    return CLI_OK;
}

int sweep_read_times(sweep_job *job, const char *text)
{
    int code = CLI_OK;
    if (strchr(text, ':') != NULL) {
        code = read_range(job, text);
    } else {
        job->times = cli_alloc(strlen(text) + 1, sizeof *job->times);
        for (const char *c = text; c != NULL && code == CLI_OK;) {
            char one[64];
            const size_t n = strcspn(c, ",");
            snprintf(one, sizeof one, "%.*s", (int)(n < 63 ? n : 63), c);
            code = cli_number(&job->times[job->spec.ntimes++], one) ? CLI_OK : no_times(text);
            c = c[n] == ',' ? c + n + 1 : NULL;
        }
    }
    job->spec.times = job->times;
    return code;
}
