/* A folder of CSV files. Line 1 names the columns with their units: "time [s],x [m]"; numbers have 17 digits, so that
 * they read back exactly. Rows are written as whole lines with one call of write(). */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "io/results_impl.h"

enum { CELL = 26 }; /* longest number with 17 digits: -1.2345678901234567e-300 and a comma */

typedef struct csv_files {
    int *fd;     /* one per table */
    char *text;  /* rows as text */
    size_t size; /* of text */
} csv_files;

static dal_status part_name(dal_results *r, char out[RESULTS_PATH], const results_table *t)
{
    return dal_results_join(r->ctx, out, r->path, t->name, ".csv.part");
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

/* Length of the part of an earlier table to be kept: the header and all whole lines with time <= append_after. */
static long kept_length(FILE *in, double append_after)
{
    char start[64]; // beginning of a line: its time
    size_t n = 0;
    long length = 0, position = 0;
    int lines = 0, c;
    while ((c = getc(in)) != EOF) {
        ++position;
        if (c != '\n') {
            if (n < sizeof start) {
                start[n++] = (char)c;
            }
            continue;
        }
        double t = 0.0;
        const char *comma = memchr(start, ',', n);
        const size_t digits = comma != NULL ? (size_t)(comma - start) : n;
        if (lines > 0 && (!dal_number_parse(&t, start, digits) || t > append_after)) {
            break;
        }
        length = position;
        n = 0;
        ++lines;
    }
    return length;
}

static dal_status copy_bytes(dal_results *r, int fd, FILE *in, long length, const char *path)
{
    char block[8192];
    rewind(in);
    while (length > 0) {
        const size_t want = length < (long)sizeof block ? (size_t)length : sizeof block;
        const size_t got = fread(block, 1, want, in);
        if (got == 0) {
            return dal_fail(r->ctx, DAL_EIO, "cannot read the rows to be kept in '%s'", path);
        }
        if (dal_results_write_all(fd, block, got) != 0) {
            return dal_results_fail(r->ctx, "write", path);
        }
        length -= (long)got;
    }
    return DAL_OK;
}

/* Go on with table t of an earlier run: complete, or left as .part. *fd is -1 if there is none. */
static dal_status reopen_table(dal_results *r, const results_table *t, const char *part, int *fd)
{
    char old[RESULTS_PATH];
    DAL_TRY(dal_results_join(r->ctx, old, r->path, t->name, ".csv"));
    const int from_part = dal_results_exists(part);
    FILE *in = fopen(from_part ? part : old, "r");
    *fd = -1;
    if (in == NULL) {
        return DAL_OK;
    }
    const long length = kept_length(in, r->append_after);
    dal_status st = DAL_OK;
    *fd = open(part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*fd < 0 || (from_part && ftruncate(*fd, length) != 0)) {
        st = dal_results_fail(r->ctx, "write", part);
    } else if (!from_part) {
        st = copy_bytes(r, *fd, in, length, part);
    }
    fclose(in);
    return st;
}

static dal_status open_table(dal_results *r, int k)
{
    csv_files *f = r->file;
    const results_table *t = &r->table[k];
    char path[RESULTS_PATH];
    DAL_TRY(part_name(r, path, t));
    if (r->append) {
        DAL_TRY(reopen_table(r, t, path, &f->fd[k]));
        if (f->fd[k] >= 0) {
            return DAL_OK;
        }
    }
    f->fd[k] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (f->fd[k] < 0) {
        return dal_results_fail(r->ctx, "create", path);
    }
    return write_header(r, f->fd[k], t, path);
}

static dal_status csv_open(dal_results *r)
{
    DAL_TRY(dal_results_make_folder(r->ctx, r->path));
    csv_files *f = dal_alloc_zero(r->ctx, sizeof *f);
    if (f == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for '%s'", r->path);
    }
    r->file = f;
    int widest = 0;
    for (int k = 0; k < r->ntables; ++k) {
        widest = r->table[k].n > widest ? r->table[k].n : widest;
    }
    f->size = (size_t)r->capacity * (size_t)(widest + 1) * CELL;
    f->text = dal_alloc(r->ctx, f->size);
    f->fd = dal_alloc(r->ctx, (size_t)r->ntables * sizeof *f->fd);
    if (f->text == NULL || f->fd == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for '%s'", r->path);
    }
    for (int k = 0; k < r->ntables; ++k) {
        f->fd[k] = -1;
    }
    for (int k = 0; k < r->ntables; ++k) {
        DAL_TRY(open_table(r, k));
    }
    return DAL_OK;
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

static dal_status csv_write(dal_results *r, const double *row, int rows)
{
    csv_files *f = r->file;
    for (int k = 0; k < r->ntables; ++k) {
        const results_table *t = &r->table[k];
        size_t n = 0;
        for (int i = 0; i < rows; ++i) {
            const double *x = row + (size_t)i * (size_t)r->width;
            n += put_number(f->text + n, x[0], ',');
            for (int j = 0; j < t->n; ++j) {
                n += put_number(f->text + n, x[t->first + j], j + 1 < t->n ? ',' : '\n');
            }
        }
        if (dal_results_write_all(f->fd[k], f->text, n) != 0) {
            char path[RESULTS_PATH];
            const int reason = errno;
            DAL_TRY(part_name(r, path, t));
            errno = reason;
            return dal_results_fail(r->ctx, "write", path);
        }
    }
    return DAL_OK;
}

/* Written aside and renamed: a reader sees the old text or the new one. */
static dal_status csv_note(dal_results *r, const dal_note *note)
{
    char path[RESULTS_PATH], part[RESULTS_PATH];
    const char *ending = strchr(note->name, '.') != NULL ? "" : ".txt";
    DAL_TRY(dal_results_join(r->ctx, path, r->path, note->name, ending));
    DAL_TRY(dal_results_join(r->ctx, part, r->path, note->name, ".part"));
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "create", part);
    }
    const int bad = dal_results_write_all(fd, note->text, strlen(note->text));
    if (close(fd) != 0 || bad) {
        const dal_status st = dal_results_fail(r->ctx, "write", part);
        unlink(part);
        return st;
    }
    return dal_results_rename(r->ctx, part, path);
}

static dal_status csv_close(dal_results *r)
{
    csv_files *f = r->file;
    // first all data, then all names: either every table is complete or none has its name
    for (int k = 0; k < r->ntables; ++k) {
        if (fsync(f->fd[k]) != 0 && errno != EINVAL && errno != EROFS) {
            return dal_results_fail(r->ctx, "write", r->path);
        }
    }
    for (int k = 0; k < r->ntables; ++k) {
        char part[RESULTS_PATH], path[RESULTS_PATH];
        DAL_TRY(part_name(r, part, &r->table[k]));
        DAL_TRY(dal_results_join(r->ctx, path, r->path, r->table[k].name, ".csv"));
        DAL_TRY(dal_results_rename(r->ctx, part, path));
    }
    return DAL_OK;
}

static void csv_release(dal_results *r)
{
    csv_files *f = r->file;
    for (int k = 0; f->fd != NULL && k < r->ntables; ++k) {
        if (f->fd[k] >= 0) {
            close(f->fd[k]);
        }
    }
    dal_free(r->ctx, f->fd);
    dal_free(r->ctx, f->text);
    dal_free(r->ctx, f);
}

const results_writer dal_results_csv = {
    .open = csv_open, .write = csv_write, .note = csv_note, .close = csv_close, .release = csv_release};
