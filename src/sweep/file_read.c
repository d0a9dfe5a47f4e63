/* Results that are there already: a sweep with more samples takes them over. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_impl.h"

/* The whole of a dataset of numbers, rows x width; free it. NULL: it is not there, or of another size. */
static void *read_numbers(const dal_sweep *s, hid_t file, const char *name, hid_t type, size_t each, hsize_t rows,
                          hsize_t width)
{
    const hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    void *numbers = NULL;
    if (set >= 0) {
        hsize_t size[3] = {0, 1, 1};
        const hid_t space = H5Dget_space(set);
        const int rank = H5Sget_simple_extent_ndims(space);
        if ((rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) == rank && size[0] == rows &&
            size[1] == width) {
            numbers = dal_alloc(s->ctx, (size_t)(rows * width + 1) * each);
        }
        if (numbers != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0) {
            dal_free(s->ctx, numbers);
            numbers = NULL;
        }
        H5Sclose(space);
        H5Dclose(set);
    }
    return numbers;
}

/* n texts of equal length *room, one after the other; free them. */
static char *read_texts(const dal_sweep *s, hid_t file, const char *name, size_t *room, hssize_t *n)
{
    const hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    char *text = NULL;
    *n = 0;
    if (set >= 0) {
        const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
        *room = H5Tget_size(type);
        *n = H5Sget_simple_extent_npoints(space);
        if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && *n > 0) {
            text = dal_alloc_zero(s->ctx, *room * (size_t)*n + 1);
        }
        if (text != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
            dal_free(s->ctx, text);
            text = NULL;
        }
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
    }
    return text;
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
    double *x, *value;
    signed char *status;
    unsigned char *handed; /* NULL: no program */
    int *message;
    char *messages;
    size_t room;
    hssize_t nmessages;
    long n;
} stored;

static dal_status take(dal_sweep *s, const stored *f)
{
    for (long k = 0; k < f->n; ++k) {
        int number = -1;
        if (f->status[k] == DAL_SWEEP_MISSING || s->status[k] != DAL_SWEEP_MISSING) {
            continue;
        }
        if (f->message[k] >= 0 && f->message[k] < f->nmessages) {
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

static dal_status read_file(dal_sweep *s, hid_t file, stored *f, const char *path)
{
    size_t length = 0;
    hssize_t one = 0;
    long samples = 0;
    char *text = read_texts(s, file, "sweep", &length, &one);
    const int same = text != NULL && same_sweep(s, text, &samples);
    dal_free(s->ctx, text);
    if (!same) {
        return dal_fail(
            s->ctx, DAL_EOPTION,
            "'%s' has the results of another sweep, or of a design that depends on the number of samples: it cannot be "
            "gone on with",
            path);
    }
    f->n = samples * (s->n / s->samples);
    const hsize_t n = (hsize_t)f->n;
    f->x = read_numbers(s, file, "parameters", H5T_NATIVE_DOUBLE, sizeof(double), n, (hsize_t)s->np);
    f->value = read_numbers(s, file, "collected", H5T_NATIVE_DOUBLE, sizeof(double), n, (hsize_t)s->ncollect);
    f->status = read_numbers(s, file, "status", H5T_NATIVE_SCHAR, 1, n, 1);
    f->handed = read_numbers(s, file, "handed_over", H5T_NATIVE_UCHAR, 1, n, 1);
    f->message = read_numbers(s, file, "message", H5T_NATIVE_INT, sizeof(int), n, 1);
    f->messages = read_texts(s, file, "messages", &f->room, &f->nmessages);
    if (f->value == NULL || f->status == NULL || f->message == NULL ||
        (s->np > 0 && (f->x == NULL || !same_points(s, f->x, f->n)))) {
        return dal_fail(s->ctx, DAL_EIO, "'%s' cannot be resumed: datasets are missing, or its parameters differ",
                        path);
    }
    return take(s, f);
}

dal_status dal_sweep_file_read(dal_sweep *s, const char *path)
{
    H5E_auto2_t call;
    void *data;
    stored f = {0};
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".csv") == 0) {
        return dal_sweep_check_csv(s, path);
    }
    if (s->ncurves > 0) {
        return dal_fail(s->ctx, DAL_EOPTION,
                        "'%s' has trajectories: such a sweep cannot be resumed, start it again without --resume", path);
    }
    H5Eget_auto2(H5E_DEFAULT, &call, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dal_status st;
    if (file < 0) {
        st = dal_fail(s->ctx, DAL_EIO, "'%s' is not a results file that can be resumed", path);
    } else {
        st = read_file(s, file, &f, path);
        H5Fclose(file);
    }
    H5Eset_auto2(H5E_DEFAULT, call, data);
    void *const blocks[] = {f.x, f.value, f.status, f.handed, f.message, f.messages};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        dal_free(s->ctx, blocks[k]);
    }
    return st;
}
