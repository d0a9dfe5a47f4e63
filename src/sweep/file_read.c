/* Results that are there already: a sweep with more samples takes them over. */
#include <stdlib.h>
#include <string.h>

#include "io/hdf5.h"
#include "sweep/sweep_impl.h"

/* The whole of a dataset of numbers, rows x width, in *to; nothing if it is not there, or of another size. */
static dal_status read_numbers(dal_pool *pool, void **to, hid_t file, const char *name, hid_t type, int rank,
                               hsize_t rows, hsize_t width)
{
    const hid_t set = dal_h5_open_set(file, name);
    hsize_t size[2] = {0, 1};
    dal_status st = DAL_OK;
    if (set >= 0 && dal_h5_extent(set, size, rank) && size[0] == rows && size[1] == width) {
        *to = dal_pool_take(pool, (size_t)(rows * width + 1), H5Tget_size(type));
        st = *to != NULL ? DAL_OK : DAL_ENOMEM;
    }
    if (*to != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *to) < 0) {
        *to = NULL;
    }
    dal_h5_close(set);
    return st;
}

/* ---- is it the same sweep? -------------------------------------------------------------------- */

/* Where the number of samples stands in a description; NULL: nowhere. */
static const char *samples_in(const char *text)
{
    static const char key[] = "\"samples\": ";
    const char *at = strstr(text, key);
    return at != NULL ? at + strlen(key) : NULL;
}

/* The same description but for the number of samples, where members do not depend on that number. */
static int same_sweep(const dal_sweep *s, const char *text, long *samples)
{
    const char *a = samples_in(s->text), *b = samples_in(text);
    if (a == NULL || b == NULL || a - s->text != b - text || memcmp(s->text, text, (size_t)(a - s->text)) != 0) {
        return 0;
    }
    char *rest_a, *rest_b;
    const long now = strtol(a, &rest_a, 10);
    *samples = strtol(b, &rest_b, 10);
    const int free_of_number =
        s->design == DAL_SWEEP_RANDOM || s->design == DAL_SWEEP_SOBOL || s->design == DAL_SWEEP_SALTELLI;
    return strcmp(rest_a, rest_b) == 0 && *samples > 0 && (*samples == now || (*samples < now && free_of_number));
}

static int same_points(const dal_sweep *s, const double *x, long n)
{
    double point[SWEEP_PARAMETERS];
    for (long k = 0; k < n; ++k) {
        dal_sweep_point(s, point, k);
        if (memcmp(point, x + k * s->np, (size_t)s->np * sizeof *x) != 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- taking over ------------------------------------------------------------------------------ */

typedef struct stored {
    const double *x, *value;
    const signed char *status;
    const unsigned char *handed; /* NULL: no program */
    const int *message;
    const char *messages; /* nmessages of them, `room` characters each */
    size_t room;
    long nmessages, n;
} stored;

static dal_status take(dal_sweep *s, const stored *f)
{
    for (long k = 0; k < f->n; ++k) {
        int number = -1;
        if (f->status[k] == DAL_SWEEP_MISSING || s->status[k] != DAL_SWEEP_MISSING) {
            continue;
        }
        if (f->message[k] >= 0) {
            if (f->messages == NULL || f->message[k] >= f->nmessages) {
                return dal_fail(s->ctx, DAL_EIO, "the messages of the file cannot be read");
            }
            const char *text = f->messages + f->room * (size_t)f->message[k];
            const char *end = memchr(text, '\0', f->room);
            DAL_TRY(dal_sweep_message_add(s, &number, text, end != NULL ? (size_t)(end - text) : f->room));
        }
        memcpy(s->value + k * s->ncollect, f->value + k * s->ncollect, (size_t)s->ncollect * sizeof *s->value);
        s->status[k] = f->status[k];
        dal_sweep_note_handed(s, k, f->handed != NULL && f->handed[k] != 0);
        s->message[k] = number;
        ++s->done;
        s->failed += f->status[k] != DAL_OK;
    }
    return DAL_OK;
}

static dal_status read_datasets(dal_sweep *s, dal_pool *pool, hid_t file, stored *f)
{
    enum { SETS = 5 };
    static const char *const name[SETS] = {"parameters", "collected", "status", "handed_over", "message"};
    const hid_t type[SETS] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, H5T_NATIVE_SCHAR, H5T_NATIVE_UCHAR, H5T_NATIVE_INT};
    const hsize_t width[SETS] = {(hsize_t)s->np, (hsize_t)s->ncollect, 1, 1, 1};
    void *x[SETS] = {NULL};
    for (int k = 0; k < SETS; ++k) {
        DAL_TRY(read_numbers(pool, &x[k], file, name[k], type[k], k < 2 ? 2 : 1, (hsize_t)f->n, width[k]));
    }
    f->x = x[0];
    f->value = x[1];
    f->status = x[2];
    f->handed = x[3];
    f->message = x[4];
    return DAL_OK;
}

static dal_status read_file(dal_sweep *s, dal_pool *pool, hid_t file, const char *path)
{
    stored f = {0};
    size_t length = 0;
    long one = 0, samples = 0;
    char *text, *messages = NULL;
    DAL_TRY(dal_h5_get_texts(&text, s->ctx, &length, &one, file, H5_DATASET, "sweep"));
    const int same = text != NULL && same_sweep(s, text, &samples);
    dal_free(s->ctx, text);
    if (!same) {
        return dal_fail(
            s->ctx, DAL_EOPTION,
            "'%s' has the results of another sweep, or of a design that depends on the number of samples: it cannot be "
            "gone on with",
            path);
    }
    f.n = samples * (s->n / s->samples);
    DAL_TRY(read_datasets(s, pool, file, &f));
    if (f.value == NULL || f.status == NULL || f.message == NULL ||
        (s->np > 0 && (f.x == NULL || !same_points(s, f.x, f.n)))) {
        return dal_fail(s->ctx, DAL_EIO, "'%s' cannot be resumed: datasets are missing, or its parameters differ",
                        path);
    }
    DAL_TRY(dal_h5_get_texts(&messages, s->ctx, &f.room, &f.nmessages, file, H5_DATASET, "messages"));
    f.messages = messages;
    const dal_status st = take(s, &f);
    dal_free(s->ctx, messages);
    return st;
}

dal_status dal_sweep_file_read(dal_sweep *s, const char *path)
{
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".csv") == 0) {
        return dal_sweep_check_csv(s, path);
    }
    if (s->ncurves > 0) {
        return dal_fail(s->ctx, DAL_EOPTION,
                        "'%s' has trajectories: such a sweep cannot be resumed, start it again without --resume", path);
    }
    const h5_quiet q = dal_h5_hush();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dal_pool pool = {.ctx = s->ctx, .what = "results that are there"};
    dal_status st;
    if (file < 0) {
        st = dal_fail(s->ctx, DAL_EIO, "'%s' is not a results file that can be resumed", path);
    } else {
        st = read_file(s, &pool, file, path);
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    dal_pool_release(&pool);
    return st;
}
