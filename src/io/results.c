/* Tables, the buffer of rows, and when it goes to the disk. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "io/results_impl.h"

static double seconds_since(const struct timespec *then)
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

static dal_status check_spec(dal_ctx *ctx, const dal_results_spec *spec)
{
    if (spec->path == NULL || spec->path[0] == '\0') {
        return dal_fail(ctx, DAL_EINVAL, "results need a path");
    }
    if (spec->ntables < 1) {
        return dal_fail(ctx, DAL_EINVAL, "results need at least one table");
    }
    DAL_NEED(ctx, spec->table);
    if (spec->nnotes > 0) {
        DAL_NEED(ctx, spec->note);
    }
    for (int i = 0; i < spec->nnotes; ++i) {
        DAL_NEED(ctx, spec->note[i].name);
        DAL_NEED(ctx, spec->note[i].text);
    }
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

/* Commas, quotes and control characters would break a line of CSV; with one of the others a spreadsheet begins a formula. */
static void clean(char *text)
{
    if (text[0] != '\0' && strchr("=+-@", text[0]) != NULL) {
        text[0] = '_';
    }
    for (char *s = text; *s; ++s) {
        if (*s == ',' || *s == '"' || (unsigned char)*s < ' ') {
            *s = '_';
        }
    }
}

static dal_status copy_table(dal_results *r, results_table *to, const dal_table *from)
{
    const size_t n = (size_t)from->n;
    to->name = dal_results_copy_text(r->ctx, from->name);
    to->column = dal_alloc_zero(r->ctx, n * sizeof *to->column);
    to->unit = dal_alloc_zero(r->ctx, n * sizeof *to->unit);
    to->n = from->n;
    if (to->name == NULL || to->column == NULL || to->unit == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for table '%s'", from->name);
    }
    for (size_t j = 0; j < n; ++j) {
        const char *unit = from->unit != NULL && from->unit[j] != NULL ? from->unit[j] : "";
        to->column[j] = dal_results_copy_text(r->ctx, from->column[j]);
        to->unit[j] = dal_results_copy_text(r->ctx, unit);
        if (to->column[j] == NULL || to->unit[j] == NULL) {
            return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for table '%s'", from->name);
        }
        clean(to->column[j]);
        clean(to->unit[j]);
    }
    return DAL_OK;
}

static dal_status copy_lists(dal_results *r, const dal_results_spec *spec)
{
    const size_t n = (size_t)spec->nobsolete, marks = spec->append_mark != NULL ? (size_t)spec->ntables : 0;
    r->obsolete = n > 0 ? dal_alloc_zero(r->ctx, n * sizeof *r->obsolete) : NULL;
    r->append_mark = marks > 0 ? dal_alloc(r->ctx, marks * sizeof *r->append_mark) : NULL;
    int bad = (n > 0 && r->obsolete == NULL) || (marks > 0 && r->append_mark == NULL);
    for (size_t k = 0; k < n && !bad; ++k) {
        r->obsolete[k] = dal_results_copy_text(r->ctx, spec->obsolete[k]);
        bad = r->obsolete[k] == NULL;
        r->nobsolete = (int)k + 1;
    }
    if (bad) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %d tables", spec->ntables);
    }
    if (marks > 0) {
        memcpy(r->append_mark, spec->append_mark, marks * sizeof *r->append_mark);
    }
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
    r->path = dal_results_copy_text(r->ctx, spec->path);
    r->table = dal_alloc_zero(r->ctx, (size_t)spec->ntables * sizeof *r->table);
    if (r->path == NULL || r->table == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %d tables", spec->ntables);
    }
    // a trailing slash would make "folder/.part"
    for (size_t n = strlen(r->path); n > 1 && r->path[n - 1] == '/'; --n) {
        r->path[n - 1] = '\0';
    }
    r->ntables = spec->ntables;
    r->width = 1;
    for (int i = 0; i < spec->ntables; ++i) {
        r->table[i].first = r->width;
        r->width += spec->table[i].n;
        DAL_TRY(copy_table(r, &r->table[i], &spec->table[i]));
    }
    // about two megabytes of rows between flushes
    r->capacity = 262144 / r->width > 1 ? 262144 / r->width : 1;
    r->row = dal_alloc(r->ctx, (size_t)r->capacity * (size_t)r->width * sizeof *r->row);
    r->last = dal_alloc_zero(r->ctx, (size_t)r->width * sizeof *r->last);
    return r->row != NULL && r->last != NULL ? copy_lists(r, spec)
                                             : dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %d columns", r->width);
}

dal_status dal_results_create(dal_results **results, dal_ctx *ctx, const dal_results_spec *spec)
{
    DAL_NEED(ctx, results);
    *results = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_TRY(check_spec(ctx, spec));
    dal_results *r = dal_alloc_zero(ctx, sizeof *r);
    if (r == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for results");
    }
    r->ctx = ctx;
    r->lock = -1;
    dal_status st = copy_spec(r, spec);
    if (st == DAL_OK) {
        st = r->writer->open(r);
    }
    for (int i = 0; st == DAL_OK && i < spec->nnotes; ++i) {
        st = r->writer->note(r, &spec->note[i]);
    }
    if (st == DAL_OK) {
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

dal_status dal_results_flush(dal_results *r)
{
    DAL_NEED_AS(NULL, r, "results");
    if (r->failed) {
        return dal_fail(r->ctx, DAL_EIO, "'%s': writing had failed before", r->path);
    }
    if (r->rows > 0) {
        const dal_status st = r->writer->write(r, r->row, r->rows);
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

/* FNV-1a over the bytes of the numbers, every NaN being the same. */
dal_results_mark dal_results_mark_of(const double *row, int first, int n)
{
    dal_results_mark h = 14695981039346656037ULL;
    for (int j = -1; j < n; ++j) {
        double x = j < 0 ? row[0] : row[first + j];
        unsigned char byte[sizeof x];
        x = isnan(x) ? (double)NAN : x;
        memcpy(byte, &x, sizeof x);
        for (size_t k = 0; k < sizeof x; ++k) {
            h = (h ^ byte[k]) * 1099511628211ULL;
        }
    }
    return h;
}

dal_results_mark dal_results_last(const dal_results *r, int table)
{
    if (r == NULL || table < 0 || table >= r->ntables) {
        return 0;
    }
    return dal_results_mark_of(r->last, r->table[table].first, r->table[table].n);
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
    const double wait = r->flush_seconds > 0.0 ? r->flush_seconds : fmax(1.0, 0.01 * seconds_since(&r->created));
    if (r->failed || r->rows == r->capacity || seconds_since(&r->flushed) >= wait) {
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
    r->values = dal_alloc_zero(r->ctx, (size_t)r->width * sizeof *r->values);
    if (r->values == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %d values", r->width);
    }
    r->fill = fill;
    r->user = user;
    return dal_sim_observe(sim, observe, r);
}

dal_status dal_results_close(dal_results *r, const dal_note *note, int n)
{
    DAL_NEED_AS(NULL, r, "results");
    if (n > 0) {
        DAL_NEED(r->ctx, note);
    }
    for (int i = 0; i < n; ++i) {
        DAL_NEED(r->ctx, note[i].name);
        DAL_NEED(r->ctx, note[i].text);
    }
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
    for (int i = 0; i < r->nobsolete; ++i) {
        dal_free(r->ctx, r->obsolete[i]);
    }
    dal_free(r->ctx, r->obsolete);
    dal_free(r->ctx, r->append_mark);
    dal_free(r->ctx, r->last);
    for (int i = 0; i < r->ntables; ++i) {
        for (int j = 0; j < r->table[i].n; ++j) {
            if (r->table[i].column != NULL && r->table[i].unit != NULL) {
                dal_free(r->ctx, r->table[i].column[j]);
                dal_free(r->ctx, r->table[i].unit[j]);
            }
        }
        dal_free(r->ctx, r->table[i].name);
        dal_free(r->ctx, r->table[i].column);
        dal_free(r->ctx, r->table[i].unit);
    }
    dal_free(r->ctx, r->table);
    dal_free(r->ctx, r->path);
    dal_free(r->ctx, r->row);
    dal_free(r->ctx, r->values);
    dal_free(r->ctx, r);
}
