/* Shapes of flexible bodies from an HDF5 file: its datasets have the names and the layout of the lists in JSON, so they
 * are turned into those and read like them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5.h"
#include "io/io_impl.h"

enum { MAX_RANK = 4, EMPTY_LISTS = 65536 };

static const char *const names[] = {"nodes",      "masses",    "inertias", "shapes",     "rotations",  "foreshortening",
                                    "stiffness",  "damping",   "rigid",    "shape_sums", "place_sums", "product_sums",
                                    "modal_mass", "triangles", "recovery", "interfaces"};

enum { DATASETS = sizeof names / sizeof names[0] };

/* A dataset as it is in the file; rank 0: there is none. */
typedef struct dataset {
    int rank;
    hsize_t size[MAX_RANK];
    size_t count; /* numbers */
    double *x;
} dataset;

/* ---- reading ---------------------------------------------------------------------------------- */

static dal_status read_numbers(dal_pool *pool, hid_t set, const char *path, const char *name, dataset *d)
{
    dal_ctx *ctx = pool->ctx;
    DAL_TAKE(pool, d->x, d->count);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, d->x) < 0) {
        return dal_fail(ctx, DAL_EIO, "%s: '%s' cannot be read", path, name);
    }
    for (size_t i = 0; i < d->count; ++i) {
        if (!isfinite(d->x[i])) {
            return dal_fail(ctx, DAL_EINVAL, "%s: '%s' holds a value that is not finite (number %zu)", path, name,
                            i + 1);
        }
    }
    return DAL_OK;
}

static dal_status read_dataset(dal_pool *pool, hid_t file, const char *path, const char *name, dataset *d)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
        return DAL_OK;
    }
    const hid_t set = dal_h5_open_set(file, name), space = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    int good = rank >= 1 && rank <= MAX_RANK && H5Sget_simple_extent_dims(space, d->size, NULL) == rank;
    // an array of 2^34 x 0 has no numbers, but as many lists
    double count = 1.0, lists = 1.0;
    for (int k = 0; good && k < rank; ++k) {
        lists = count;
        count *= (double)d->size[k];
        good = count <= IO_BYTES_MAX / 8.0 && (count > 0.0 || lists <= EMPTY_LISTS);
    }
    d->rank = good ? rank : 0;
    d->count = good ? (size_t)count : 0;
    const dal_status st =
        good ? read_numbers(pool, set, path, name, d)
             : dal_fail(pool->ctx, DAL_EINVAL,
                        "%s: '%s' is not an array of up to %d numbers with 1 to %d indices in this file", path, name,
                        IO_BYTES_MAX / 8, MAX_RANK);
    dal_h5_close(space);
    dal_h5_close(set);
    return st;
}

/* ---- as JSON ---------------------------------------------------------------------------------- */

/* Room for values, and for the lists of their places. */
typedef struct tree {
    dal_json *node;
    const dal_json **slot;
} tree;

/* How many values a dataset becomes: its numbers, and the lists on every level. */
static size_t values_of(const dataset *d)
{
    size_t n = 1, level = 1;
    for (int k = 0; k < d->rank; ++k) {
        level *= (size_t)d->size[k];
        n += level;
    }
    return n;
}

/* A list from *x on, in node, and what is within it; both move on. */
static void nest(tree *t, dal_json *node, const hsize_t *size, int rank, const double **x)
{
    const size_t n = (size_t)size[0];
    dal_json *item = t->node;
    const dal_json **slot = t->slot;
    *node = (dal_json){.kind = DAL_JSON_LIST, .n = n, .key = node->key, .of = {.item = slot}};
    t->node += n;
    t->slot += n;
    for (size_t k = 0; k < n; ++k) {
        item[k] = (dal_json){.kind = DAL_JSON_NUMBER};
        slot[k] = &item[k];
        if (rank > 1) {
            nest(t, &item[k], size + 1, rank - 1, x);
        } else {
            item[k].of.number = *(*x)++;
        }
    }
}

/* The list of interfaces becomes an object with their names, one in each line of `names`. */
static void name_interfaces(dal_json *list, char *line)
{
    list->kind = DAL_JSON_OBJECT;
    for (size_t k = 0; k < list->n; ++k) {
        char *end = strchr(line, '\n');
        ((dal_json *)list->of.item[k])->key = line;
        if (end != NULL) {
            *end = '\0';
            line = end + 1;
        } else {
            line += strlen(line);
        }
    }
}

/* An object with a list for each dataset there is. interfaces: their names, or NULL */
static dal_status object_of(const dal_json **object, dal_ctx *ctx, const dataset d[DATASETS], const char *interfaces)
{
    const size_t text = interfaces != NULL ? strlen(interfaces) + 1 : 0;
    size_t n = 1 + DATASETS, m = 0;
    for (int k = 0; k < DATASETS; ++k) {
        n += values_of(&d[k]);
    }
    dal_json *root = dal_alloc(ctx, n * (sizeof *root + sizeof(dal_json *)) + text);
    *object = root;
    if (root == NULL) {
        return dal_io_no_memory(ctx);
    }
    tree t = {root + 1 + DATASETS, (const dal_json **)(root + n)};
    const dal_json **slot = t.slot;
    t.slot += DATASETS;
    for (int k = 0; k < DATASETS; ++k) {
        if (d[k].rank > 0) {
            const double *x = d[k].x;
            root[1 + m].key = names[k];
            nest(&t, &root[1 + m], d[k].size, d[k].rank, &x);
            slot[m] = &root[1 + m];
            if (k == DATASETS - 1 && text > 0 && d[k].rank == 1) {
                name_interfaces(&root[1 + m],
                                memcpy((char *)root + n * (sizeof *root + sizeof(dal_json *)), interfaces, text));
            }
            ++m;
        }
    }
    *root = (dal_json){.kind = DAL_JSON_OBJECT, .n = m, .of = {.item = slot}};
    return DAL_OK;
}

dal_status dal_io_modes_hdf5(dal_ctx *ctx, const dal_json **json, const char *path)
{
    dataset d[DATASETS] = {{0}};
    dal_pool pool = {.ctx = ctx, .what = "the shapes of a flexible body"};
    *json = NULL;
    DAL_TRY(dal_h5_memory(ctx, IO_BYTES_MAX));
    const h5_quiet q = dal_h5_hush();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dal_status st = file >= 0 ? DAL_OK : dal_fail(ctx, DAL_EIO, "cannot read '%s' as an HDF5 file", path);
    for (int k = 0; k < DATASETS && st == DAL_OK; ++k) {
        st = read_dataset(&pool, file, path, names[k], &d[k]);
    }
    char *interfaces = NULL;
    size_t room;
    long texts;
    if (st == DAL_OK) {
        st = dal_h5_get_texts(&interfaces, ctx, &room, &texts, file, H5_DATASET, "interface_names");
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    st = st == DAL_OK ? object_of(json, ctx, d, interfaces) : st;
    dal_free(ctx, interfaces);
    dal_pool_release(&pool);
    return st;
}
