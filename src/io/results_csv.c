/* A folder of CSV files. Line 1 names the columns with their units: "time [s],x [m]"; numbers have 17 digits, so that
 * they read back exactly. Rows are written as whole lines with one call of write(). */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "io/results_impl.h"

enum { CELL = 26 }; /* longest number with 17 digits: -1.2345678901234567e-300 and a comma */

typedef struct csv_note_name {
    char part[RESULTS_PATH], path[RESULTS_PATH];
    struct csv_note_name *next;
} csv_note_name;

typedef struct csv_files {
    int *fd;             /* one per table */
    off_t *end;          /* of the rows written */
    char *text;          /* rows as text */
    size_t size;         /* of text */
    csv_note_name *note; /* written, without their names yet */
} csv_files;

/* The file of a table, complete or not yet. */
static dal_status table_name(dal_results *r, char out[RESULTS_PATH], const results_table *t, int part)
{
    if (!r->single) {
        return dal_results_join(r->ctx, out, r->path, t->name, part ? ".csv.part" : ".csv");
    }
    return snprintf(out, RESULTS_PATH, "%s%s", r->path, part ? ".part" : "") < RESULTS_PATH
               ? DAL_OK
               : dal_fail(r->ctx, DAL_EIO, "the name of the file '%.100s...' is too long", r->path);
}

static dal_status write_header(dal_results *r, int fd, const results_table *t, const char *path)
{
    size_t n = 16;
    for (int j = 0; j < t->n; ++j) {
        n += strlen(t->column[j]) + strlen(t->unit[j]) + 8;
    }
    char *line = dal_alloc(r->ctx, n);
    if (line == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for the header of '%s'", path);
    }
    size_t k = (size_t)snprintf(line, n, "time [s]");
    for (int j = 0; j < t->n; ++j) {
        const char *format = t->unit[j][0] != '\0' ? ",%s [%s]" : ",%s";
        k += (size_t)snprintf(line + k, n - k, format, t->column[j], t->unit[j]);
    }
    line[k++] = '\n';
    const int bad = dal_results_write_all(fd, line, k);
    dal_free(r->ctx, line);
    return bad ? dal_results_fail(r->ctx, "write", path) : DAL_OK;
}

/* ---- going on --------------------------------------------------------------------------------- */

/* What is kept of an earlier table. */
typedef struct kept_part {
    long rows, length, last; /* rows; bytes, the header included; where the last row begins */
} kept_part;

/* The header and whole lines: append_rows of them, or all with time <= append_after. */
static kept_part find_kept(const dal_results *r, FILE *in)
{
    char start[64]; // beginning of a line: its time
    size_t n = 0;
    kept_part kept = {.rows = -1};
    for (int c; (c = getc(in)) != EOF;) {
        if (c != '\n') {
            if (n < sizeof start) {
                start[n++] = (char)c;
            }
            continue;
        }
        double t = 0.0;
        const char *comma = memchr(start, ',', n);
        const size_t digits = comma != NULL ? (size_t)(comma - start) : n;
        const int header = kept.rows < 0;
        if (!header && (!dal_number_parse(&t, start, digits) || (r->append_rows <= 0 && t > r->append_after))) {
            break;
        }
        kept.last = kept.length;
        kept.length = ftell(in);
        kept.rows++;
        n = 0;
        if (kept.rows == r->append_rows && r->append_rows > 0) {
            break;
        }
    }
    return kept;
}

/* The numbers of the last row of table t to r->last; 0 if they are not as many numbers as it has columns. */
static int read_last(dal_results *r, const results_table *t, FILE *in, const kept_part *kept)
{
    csv_files *f = r->file;
    const size_t n = (size_t)(kept->length - kept->last);
    if (kept->rows <= 0 || n > f->size || fseek(in, kept->last, SEEK_SET) != 0 || fread(f->text, 1, n, in) != n) {
        return kept->rows == 0;
    }
    const char *s = f->text, *end = f->text + n - 1; // without the line feed
    for (int j = 0; j <= t->n; ++j) {
        const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma != NULL ? comma : end;
        if ((comma != NULL) != (j < t->n) ||
            !dal_results_cell(&r->last[j > 0 ? t->first + j - 1 : 0], s, (size_t)(stop - s))) {
            return 0;
        }
        s = comma != NULL ? comma + 1 : end;
    }
    return 1;
}

/* Does the file hold the rows to go on from? */
static int suits(dal_results *r, int k, FILE *in, kept_part *kept)
{
    *kept = find_kept(r, in);
    return kept->rows >= 0 && read_last(r, &r->table[k], in, kept) &&
           (r->append_rows <= 0 || kept->rows == r->append_rows) && dal_results_marked(r, k);
}

/* The complete table becomes a .part file. It is copied aside first: one that is there is whole. */
static dal_status copy_to_part(dal_results *r, const char *from, const char *part)
{
    char aside[RESULTS_PATH + 8];
    snprintf(aside, sizeof aside, "%s.new", part);
    if (dal_results_copy_file(from, aside) != 0) {
        return dal_results_fail(r->ctx, "write", aside);
    }
    return dal_results_rename(r->ctx, aside, part);
}

/* Go on with table k of an earlier run, complete or left as .part. *found: there is one. */
static dal_status reopen_table(dal_results *r, int k, const char *part, int *found)
{
    csv_files *f = r->file;
    char path[2][RESULTS_PATH];
    kept_part kept;
    memcpy(path[0], part, strlen(part) + 1);
    DAL_TRY(table_name(r, path[1], &r->table[k], 0));
    int use = -1;
    *found = 0;
    for (int i = 0; i < 2 && use < 0; ++i) {
        FILE *in = fopen(path[i], "r");
        *found |= in != NULL;
        use = in != NULL && suits(r, k, in, &kept) ? i : -1;
        if (in != NULL) {
            fclose(in);
        }
    }
    if (!*found) {
        return DAL_OK;
    }
    if (use < 0) {
        const results_table *t = &r->table[k];
        return r->append_rows > 0
                   ? dal_results_other_rows(r, t)
                   : dal_fail(r->ctx, DAL_EIO, "the table '%s' in '%s' cannot be continued", t->name, r->path);
    }
    if (use == 1) {
        DAL_TRY(copy_to_part(r, path[1], part));
    }
    f->fd[k] = dal_results_open_file(part);
    if (f->fd[k] < 0 || ftruncate(f->fd[k], kept.length) != 0) {
        return dal_results_fail(r->ctx, "write", part);
    }
    f->end[k] = kept.length;
    r->total = kept.rows;
    return DAL_OK;
}

/* ---- open ------------------------------------------------------------------------------------- */

static dal_status new_table(dal_results *r, int k, const char *part)
{
    csv_files *f = r->file;
    f->fd[k] = dal_results_new_file(part);
    if (f->fd[k] < 0) {
        return dal_results_fail(r->ctx, "create", part);
    }
    DAL_TRY(write_header(r, f->fd[k], &r->table[k], part));
    f->end[k] = lseek(f->fd[k], 0, SEEK_END);
    return DAL_OK;
}

/* Either all tables are there to be continued, or none. */
static dal_status open_tables(dal_results *r)
{
    char part[RESULTS_PATH];
    int found = 0, any = 0;
    for (int k = 0; r->append && k < r->ntables; ++k) {
        DAL_TRY(table_name(r, part, &r->table[k], 1));
        DAL_TRY(reopen_table(r, k, part, &found));
        if (k > 0 && found != any) {
            return dal_fail(r->ctx, DAL_EIO, "'%s' has no table '%s' to continue: write the same tables as before",
                            r->path, r->table[found ? 0 : k].name);
        }
        any = found;
    }
    for (int k = 0; !any && k < r->ntables; ++k) {
        DAL_TRY(table_name(r, part, &r->table[k], 1));
        DAL_TRY(new_table(r, k, part));
    }
    return DAL_OK;
}

static dal_status csv_open(dal_results *r)
{
    if (r->single) {
        DAL_TRY(dal_results_make_folder_of(r->ctx, r->path));
        DAL_TRY(dal_results_lock_beside(r));
    } else {
        DAL_TRY(dal_results_make_folder(r->ctx, r->path));
        DAL_TRY(dal_results_lock_folder(r));
    }
    csv_files *f;
    int widest = 0;
    DAL_TAKE(&r->pool, f, 1);
    DAL_TAKE(&r->pool, f->fd, r->ntables);
    DAL_TAKE(&r->pool, f->end, r->ntables);
    for (int k = 0; k < r->ntables; ++k) {
        widest = r->table[k].n > widest ? r->table[k].n : widest;
        f->fd[k] = -1;
    }
    r->file = f;
    f->size = (size_t)r->capacity * (size_t)(widest + 1) * CELL;
    DAL_TAKE(&r->pool, f->text, f->size);
    return open_tables(r);
}

/* A number and what follows it; the decimal point is a point in every locale. */
static size_t put_number(char *text, double x, char after)
{
    size_t n = (size_t)snprintf(text, CELL, "%.17g", isnan(x) ? NAN : x); // "-nan" helps nobody
    char *comma = memchr(text, ',', n);
    if (comma != NULL) {
        *comma = '.';
    }
    text[n++] = after;
    return n;
}

/* Rows of table t as text; its length. */
static size_t put_rows(dal_results *r, const results_table *t, const double *row, int rows)
{
    csv_files *f = r->file;
    size_t n = 0;
    for (int i = 0; i < rows; ++i) {
        const double *x = row + (size_t)i * (size_t)r->width;
        n += put_number(f->text + n, x[0], ',');
        for (int j = 0; j < t->n; ++j) {
            n += put_number(f->text + n, x[t->first + j], j + 1 < t->n ? ',' : '\n');
        }
    }
    return n;
}

/* Rows to every table or, where one finds no room, to none. The tables share the disk, so the first one must not take the
 * room of the others. */
static dal_status csv_write(dal_results *r, const double *row, int rows)
{
    csv_files *f = r->file;
    int reason = 0, table = 0;
    for (int k = 0; k < r->ntables && reason == 0; ++k) {
        const size_t n = put_rows(r, &r->table[k], row, rows);
        table = k;
        reason = dal_results_write_all(f->fd[k], f->text, n) != 0 ? errno : 0;
    }
    for (int k = 0; k < r->ntables; ++k) {
        if (reason == 0) {
            f->end[k] = lseek(f->fd[k], 0, SEEK_END);
        } else if (ftruncate(f->fd[k], f->end[k]) != 0) {
            reason = errno;
        }
    }
    if (reason == 0) {
        return DAL_OK;
    }
    char path[RESULTS_PATH];
    DAL_TRY(table_name(r, path, &r->table[table], 1));
    dal_fail(r->ctx, DAL_EIO, "cannot write '%s': %s", path, strerror(reason));
    return DAL_RETRY;
}

static dal_status csv_sync(dal_results *r)
{
    const csv_files *f = r->file;
    for (int k = 0; k < r->ntables; ++k) {
        if (fsync(f->fd[k]) != 0 && errno != EINVAL && errno != EROFS) {
            return dal_results_fail(r->ctx, "write", r->path);
        }
    }
    return DAL_OK;
}

/* Notes, too, get their names at the end: until then those in the folder belong to the tables there. */
static dal_status csv_note(dal_results *r, const dal_note *note)
{
    csv_files *f = r->file;
    if (r->single) {
        return DAL_OK;
    }
    csv_note_name *name;
    DAL_TAKE(&r->pool, name, 1);
    name->next = f->note;
    f->note = name;
    const char *ending = strchr(note->name, '.') != NULL ? "" : ".txt";
    DAL_TRY(dal_results_join(r->ctx, name->path, r->path, note->name, ending));
    DAL_TRY(dal_results_join(r->ctx, name->part, r->path, note->name, ".part"));
    const int fd = dal_results_new_file(name->part);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "create", name->part);
    }
    const int bad = dal_results_write_all(fd, note->text, strlen(note->text));
    if (close(fd) != 0 || bad) {
        const dal_status st = dal_results_fail(r->ctx, "write", name->part);
        unlink(name->part);
        return st;
    }
    return DAL_OK;
}

/* Tables of an earlier run that this one does not write. */
static dal_status remove_obsolete(dal_results *r)
{
    static const char *const ending[] = {".csv", ".csv.part"};
    for (int i = 0; i < r->nobsolete && !r->single; ++i) {
        int written = 0;
        for (int k = 0; k < r->ntables; ++k) {
            written |= strcmp(r->obsolete[i], r->table[k].name) == 0;
        }
        for (int e = 0; e < 2 && !written; ++e) {
            char path[RESULTS_PATH];
            DAL_TRY(dal_results_join(r->ctx, path, r->path, r->obsolete[i], ending[e]));
            if (unlink(path) != 0 && errno != ENOENT) {
                return dal_results_fail(r->ctx, "remove the table of an earlier run", path);
            }
        }
    }
    return DAL_OK;
}

static dal_status csv_close(dal_results *r, const dal_note *note, int n)
{
    const csv_files *f = r->file;
    for (int i = 0; i < n; ++i) {
        DAL_TRY(csv_note(r, &note[i]));
    }
    // first all data, then all names: either every table is complete or none has its name
    DAL_TRY(csv_sync(r));
    DAL_TRY(remove_obsolete(r));
    for (const csv_note_name *name = f->note; name != NULL; name = name->next) {
        DAL_TRY(dal_results_rename(r->ctx, name->part, name->path));
    }
    for (int k = 0; k < r->ntables; ++k) {
        char part[RESULTS_PATH], path[RESULTS_PATH];
        DAL_TRY(table_name(r, part, &r->table[k], 1));
        DAL_TRY(table_name(r, path, &r->table[k], 0));
        DAL_TRY(dal_results_rename(r->ctx, part, path));
    }
    return DAL_OK;
}

static void csv_release(dal_results *r)
{
    csv_files *f = r->file;
    for (int k = 0; k < r->ntables; ++k) {
        if (f->fd[k] >= 0) {
            close(f->fd[k]);
        }
    }
}

const results_writer dal_results_csv = {.open = csv_open,
                                        .note = csv_note,
                                        .write = csv_write,
                                        .sync = csv_sync,
                                        .close = csv_close,
                                        .release = csv_release};
