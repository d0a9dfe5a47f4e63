/* Tables, the buffer of rows, and when it goes to the disk. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "io/results_impl.h"

double dal_results_seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static int good_name(const char *name)
{
    if (name == NULL || name[0] == '\0' || name[0] == '.' || strlen(name) > 200) {
        return 0;
    }
    for (const char *s = name; *s; ++s) {
        if (!isalnum((unsigned char)*s) && strchr("._-", *s) == NULL) {
            return 0;
        }
    }
    return 1;
}

static dal_status check_notes(dal_ctx *ctx, const dal_note *note, int n)
{
    for (int i = 0; i < n; ++i) {
        DAL_NEED(ctx, note);
        DAL_NEED(ctx, note[i].name);
        DAL_NEED(ctx, note[i].text);
    }
    return DAL_OK;
}

static dal_status check_spec(dal_ctx *ctx, const dal_results_spec *spec)
{
    if (spec->path == NULL || spec->path[0] == '\0') {
        return dal_fail(ctx, DAL_EINVAL, "results need a path");
    }
    if (spec->ntables < 1) {
        return dal_fail(ctx, DAL_EINVAL, "results need at least one table");
    }
    DAL_NEED(ctx, spec->table);
    DAL_TRY(check_notes(ctx, spec->note, spec->nnotes));
    DAL_NEED_TEXTS(ctx, spec->obsolete, spec->nobsolete);
    for (int i = 0; i < spec->ntables; ++i) {
        const dal_table *t = &spec->table[i];
        if (!good_name(t->name)) {
            return dal_fail(ctx, DAL_EINVAL, "table %d: '%s' is not a valid name for a table (letters, digits, . _ -)",
                            i, t->name != NULL ? t->name : "");
        }
        if (t->n < 1 || t->column == NULL) {
            return dal_fail(ctx, DAL_EINVAL, "table '%s' has no column", t->name);
        }
        DAL_NEED_TEXTS(ctx, t->column, t->n);
        DAL_NEED_TEXTS(ctx, t->unit, t->unit ? t->n : 0);
        for (int k = 0; k < i; ++k) {
            if (strcmp(spec->table[k].name, t->name) == 0) {
                return dal_fail(ctx, DAL_EINVAL, "two tables are called '%s'", t->name);
            }
        }
    }
    if (spec->format == DAL_RESULTS_CSV_FILE && spec->ntables != 1) {
        return dal_fail(ctx, DAL_EINVAL, "'%s': one CSV file holds one table, not %d", spec->path, spec->ntables);
    }
    return DAL_OK;
}

/* A copy without what would break a line of CSV, commas, quotes and control characters; with one of the others a
 * spreadsheet begins a formula. */
static dal_status copy_clean(dal_results *r, char **to, const char *text)
{
    DAL_TAKE_TEXT(&r->pool, *to, text);
    if ((*to)[0] != '\0' && strchr("=+-@", (*to)[0]) != NULL) {
        (*to)[0] = '_';
    }
    for (char *s = *to; *s; ++s) {
        if (*s == ',' || *s == '"' || (unsigned char)*s < ' ') {
            *s = '_';
        }
    }
    return DAL_OK;
}

static dal_status copy_table(dal_results *r, results_table *to, const dal_table *from)
{
    to->first = r->width;
    r->width += from->n;
    DAL_TAKE_TEXT(&r->pool, to->name, from->name);
    DAL_TAKE(&r->pool, to->column, from->n);
    DAL_TAKE(&r->pool, to->unit, from->n);
    for (int j = 0; j < from->n; ++j) {
        DAL_TRY(copy_clean(r, &to->column[j], from->column[j]));
        DAL_TRY(copy_clean(r, &to->unit[j], from->unit != NULL && from->unit[j] != NULL ? from->unit[j] : ""));
    }
    to->n = from->n;
    return DAL_OK;
}

static dal_status copy_spec(dal_results *r, const dal_results_spec *spec)
{
    r->writer = spec->format == DAL_RESULTS_HDF5 ? &dal_results_hdf5 : &dal_results_csv;
    r->single = spec->format == DAL_RESULTS_CSV_FILE;
    r->append = spec->append;
    r->append_after = spec->append_after;
    r->append_rows = spec->append_rows;
    r->flush_seconds = spec->flush_seconds;
    DAL_TAKE_TEXT(&r->pool, r->path, spec->path);
    // a trailing slash would make "folder/.part"
    for (size_t n = strlen(r->path); n > 1 && r->path[n - 1] == '/'; --n) {
        r->path[n - 1] = '\0';
    }
    r->width = 1;
    DAL_TAKE(&r->pool, r->table, spec->ntables);
    for (; r->ntables < spec->ntables; ++r->ntables) {
        DAL_TRY(copy_table(r, &r->table[r->ntables], &spec->table[r->ntables]));
    }
    DAL_TAKE(&r->pool, r->obsolete, spec->nobsolete);
    for (; r->nobsolete < spec->nobsolete; ++r->nobsolete) {
        DAL_TAKE_TEXT(&r->pool, r->obsolete[r->nobsolete], spec->obsolete[r->nobsolete]);
    }
    if (spec->append_mark != NULL) {
        DAL_TAKE(&r->pool, r->append_mark, spec->ntables);
        memcpy(r->append_mark, spec->append_mark, (size_t)spec->ntables * sizeof *r->append_mark);
    }
    // about two megabytes of rows between flushes
    r->capacity = 262144 / r->width > 1 ? 262144 / r->width : 1;
    DAL_TAKE(&r->pool, r->row, (size_t)r->capacity * (size_t)r->width);
    DAL_TAKE(&r->pool, r->last, r->width);
    return DAL_OK;
}

dal_status dal_results_create_(dal_results **results, dal_ctx *ctx, const dal_results_spec *spec, size_t size)
{
    DAL_NEED(ctx, results);
    *results = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_results_spec, spec);
    DAL_TRY(check_spec(ctx, spec));
    dal_pool pool = {.ctx = ctx, .what = "results"};
    dal_results *r;
    DAL_TAKE(&pool, r, 1);
    r->pool = pool;
    r->ctx = ctx;
    r->lock = -1;
    dal_status st = copy_spec(r, spec);
    if (st == DAL_OK) {
        st = r->writer->open(r);
    }
    for (int i = 0; st == DAL_OK && i < spec->nnotes; ++i) {
        st = r->writer->note(r, &spec->note[i]);
    }
    if (st == DAL_OK && r->writer->ready != NULL) {
        st = r->writer->ready(r);
    }
    if (st != DAL_OK) {
        dal_results_destroy(r);
        return st;
    }
    clock_gettime(CLOCK_MONOTONIC, &r->created);
    r->flushed = r->created;
    *results = r;
    return DAL_OK;
}

/* The rows that find room: all of them, or by halves. */
static dal_status write_rows(dal_results *r)
{
    const double *row = r->row;
    dal_status st = DAL_OK;
    for (int n = r->rows, rows = n; n > 0;) {
        const dal_status now = r->writer->write(r, row, n);
        if (now == DAL_OK) {
            row += (size_t)n * (size_t)r->width;
            rows -= n;
        } else if (now == DAL_RETRY) {
            st = DAL_EIO;
        } else {
            return now;
        }
        n = st != DAL_OK ? n / 2 : n;
        n = n < rows ? n : rows;
    }
    return st;
}

dal_status dal_results_flush(dal_results *r)
{
    DAL_NEED_AS(NULL, r, "results");
    if (r->failed) {
        return dal_fail(r->ctx, DAL_EIO, "'%s': writing had failed before", r->path);
    }
    if (r->rows > 0) {
        const dal_status st = write_rows(r);
        if (st != DAL_OK) {
            r->failed = 1;
            return st;
        }
        r->rows = 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &r->flushed);
    return DAL_OK;
}

dal_status dal_results_sync(dal_results *r)
{
    DAL_NEED_AS(NULL, r, "results");
    DAL_TRY(dal_results_flush(r));
    return r->writer->sync(r);
}

long dal_results_rows(const dal_results *r)
{
    return r != NULL ? r->total : 0;
}

dal_results_mark dal_results_hash(dal_results_mark h, const void *bytes, size_t n)
{
    const unsigned char *s = bytes;
    for (size_t i = 0; i < n; ++i) {
        h = (h ^ s[i]) * 1099511628211ULL;
    }
    return h;
}

/* Of the time and the numbers of a table in the last row, every NaN being the same. */
static dal_results_mark mark_of(const dal_results *r, const results_table *t)
{
    dal_results_mark h = DAL_RESULTS_HASH;
    for (int j = -1; j < t->n; ++j) {
        double x = r->last[j < 0 ? 0 : t->first + j];
        x = isnan(x) ? (double)NAN : x;
        h = dal_results_hash(h, &x, sizeof x);
    }
    return h;
}

int dal_results_marked(const dal_results *r, int k)
{
    return r->append_mark == NULL || r->append_mark[k] == mark_of(r, &r->table[k]);
}

dal_status dal_results_other_rows(dal_results *r, const results_table *t)
{
    return dal_fail(
        r->ctx, DAL_EIO,
        "the table '%s' in '%s' does not have the %ld rows that were written before the run is to go on: they "
        "are missing, or those of another run",
        t->name, r->path, r->append_rows);
}

dal_results_mark dal_results_last(const dal_results *r, int table)
{
    return r == NULL || table < 0 || table >= r->ntables ? 0 : mark_of(r, &r->table[table]);
}

dal_status dal_results_row(dal_results *r, double t, const double *values)
{
    DAL_NEED_AS(NULL, r, "results");
    DAL_NEED(r->ctx, values);
    if (r->closed) {
        return dal_fail(r->ctx, DAL_EINVAL, "'%s' is closed", r->path);
    }
    double *x = r->row + (size_t)r->rows * (size_t)r->width;
    x[0] = t;
    memcpy(x + 1, values, (size_t)(r->width - 1) * sizeof *x);
    memcpy(r->last, x, (size_t)r->width * sizeof *x);
    r->rows++;
    r->total++;
    // every second at first, in long runs rarely enough that it costs nothing
    const double wait =
        r->flush_seconds > 0.0 ? r->flush_seconds : fmax(1.0, 0.01 * dal_results_seconds_since(&r->created));
    if (r->failed || r->rows == r->capacity || dal_results_seconds_since(&r->flushed) >= wait) {
        const dal_status st = dal_results_flush(r);
        if (st != DAL_OK) {
            r->rows = 0; // the buffer must not run over if the caller goes on
        }
        return st;
    }
    return DAL_OK;
}

static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    dal_results *r = user;
    if (r->fill != NULL) {
        DAL_TRY(r->fill(r->values, sim, s, r->user));
    } else {
        memcpy(r->values, s->q, (size_t)r->nq * sizeof *r->values);
        memcpy(r->values + r->nq, s->v, (size_t)r->nv * sizeof *r->values);
        if (r->nc > 0) {
            memcpy(r->values + r->nq + r->nv, s->la, (size_t)r->nc * sizeof *r->values);
        }
    }
    return dal_results_row(r, s->t, r->values);
}

dal_status dal_results_observe(dal_results *r, dal_sim *sim, const dal_system *sys, dal_results_fill fill, void *user)
{
    DAL_NEED_AS(NULL, r, "results");
    DAL_NEED(r->ctx, sim);
    DAL_NEED(r->ctx, sys);
    r->nq = sys->group->nq;
    r->nv = sys->group->nv;
    r->nc = dal_system_rows(sys);
    if (fill == NULL && r->nq + r->nv + r->nc != r->width - 1) {
        return dal_fail(r->ctx, DAL_EINVAL, "q, v and lambda are %d numbers, the tables have %d columns",
                        r->nq + r->nv + r->nc, r->width - 1);
    }
    if (r->values != NULL) {
        return dal_fail(r->ctx, DAL_EINVAL, "'%s' already observes a simulation", r->path);
    }
    DAL_TAKE(&r->pool, r->values, r->width);
    r->fill = fill;
    r->user = user;
    return dal_sim_observe(sim, observe, r);
}

dal_status dal_results_close(dal_results *r, const dal_note *note, int n)
{
    DAL_NEED_AS(NULL, r, "results");
    DAL_TRY(check_notes(r->ctx, note, n));
    if (r->closed) {
        return DAL_OK;
    }
    DAL_TRY(dal_results_flush(r));
    const dal_status st = r->writer->close(r, note, n);
    r->failed = st != DAL_OK;
    r->closed = st == DAL_OK;
    return st;
}

int dal_results_failed(const dal_results *r)
{
    return r != NULL && r->failed;
}

void dal_results_destroy(dal_results *r)
{
    if (r == NULL) {
        return;
    }
    if (!r->closed && !r->failed && r->file != NULL && r->rows > 0 && dal_results_flush(r) != DAL_OK) {
        r->failed = 1;
    }
    if (r->file != NULL) {
        r->writer->release(r);
    }
    dal_results_unlock(r);
    dal_pool pool = r->pool; // it is in it
    dal_pool_release(&pool);
}
