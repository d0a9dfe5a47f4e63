/* Any bytes as results: nothing may crash or leak, and what is read is a whole table. The first byte chooses:
 *     0 .. 127    the rest is a CSV file
 *     128 ..      the rest is a recipe for an HDF5 file: datasets and attributes of the names that results have, of any
 *                 type, rank, size and content. (Bytes of HDF5 files would try the library that reads them, not us.)
 * Built by clang with -fsanitize=fuzzer (-DDAL_FUZZ=ON), or with replay.c to run files through it. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/results.h"

enum { NUMBERS = 4096, WORDS = 16 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char path[] = "fuzz_results.tmp", outside[] = "fuzz_results.outside";

/* ---- recipes ---------------------------------------------------------------------------------- */

typedef struct recipe {
    const uint8_t *data;
    size_t size;
} recipe;

static unsigned take(recipe *r)
{
    if (r->size == 0) {
        return 0;
    }
    r->size--;
    return *r->data++;
}

/* A type, and whether its values are texts that the file keeps elsewhere. */
static hid_t take_type(recipe *r, int *variable)
{
    *variable = 0;
    switch (take(r) % 12) {
    case 5:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    case 6:
        return H5Tcopy(H5T_NATIVE_INT);
    case 7:
        return H5Tcopy(H5T_STD_U8BE);
    case 8: {
        const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE);
        return type;
    }
    case 9: {
        const hid_t type = H5Tcopy(H5T_C_S1);
        *variable = 1;
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    }
    case 10:
    case 11: {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, 1 + take(r) * (1 + take(r) % 2));
        return type;
    }
    default:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    }
}

static hid_t take_space(recipe *r, int *rank, hsize_t size[4])
{
    static const hsize_t sizes[] = {3, 2, 1, 0, 5, 17, 40, 3};
    *rank = (int)(take(r) % 4);
    hsize_t count = 1;
    for (int k = 0; k < *rank; ++k) {
        size[k] = sizes[take(r) % 8];
        count *= size[k] > 0 ? size[k] : 1;
        size[k] = count > NUMBERS / 8 ? 1 : size[k];
    }
    const unsigned kind = take(r) % 8;
    return kind == 7 ? H5Screate(H5S_NULL) : *rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(*rank, size, NULL);
}

/* What is written: bytes of the recipe over and over. */
static void fill(recipe *r, void *buffer, size_t n, int increasing)
{
    double *x = buffer;
    uint8_t *byte = buffer;
    for (size_t i = 0; i < n / sizeof(double) && increasing; ++i) {
        x[i] = (double)i;
    }
    for (size_t i = 0; i < n && !increasing; ++i) {
        byte[i] = r->size > 0 ? r->data[i % r->size] : (uint8_t)i;
    }
}

static hid_t take_layout(recipe *r, int rank, const hsize_t *size)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[4];
    const unsigned kind = take(r) % 6;
    for (int k = 0; k < rank; ++k) {
        chunk[k] = size[k] > 0 ? size[k] : 1;
    }
    if (rank > 0 && kind > 2) {
        H5Pset_chunk(how, rank, chunk);
        if (kind == 4) {
            H5Pset_deflate(how, 6);
        }
    } else if (kind == 2) {
        H5Pset_external(how, outside, 0, H5F_UNLIMITED);
    }
    return how;
}

/* A dataset of a file, or an attribute of something. */
static void make(recipe *r, hid_t at, const char *name, int attribute)
{
    static double buffer[WORDS];
    static const char *text[NUMBERS];
    hsize_t size[4] = {1, 1, 1, 1};
    int rank, variable;
    const unsigned content = take(r);
    const hid_t type = take_type(r, &variable), space = take_space(r, &rank, size), how = take_layout(r, rank, size);
    const hid_t made = attribute ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                                 : H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const int fits = count >= 0 && (size_t)count * H5Tget_size(type) <= sizeof buffer && count <= NUMBERS;
    for (int i = 0; i < NUMBERS; ++i) {
        text[i] = "text";
    }
    fill(r, buffer, sizeof buffer, content % 2 == 0);
    if (made >= 0 && fits && content % 16 != 15) {
        const void *from = variable ? (const void *)text : (const void *)buffer;
        (void)(attribute ? H5Awrite(made, type, from) : H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from));
    }
    if (made >= 0 && !attribute && content % 4 < 2) {
        make(r, made, content % 4 == 0 ? "columns" : "units", 1);
    }
    (void)(made >= 0 ? (attribute ? H5Aclose(made) : H5Dclose(made)) : 0);
    H5Pclose(how);
    H5Sclose(space);
    H5Tclose(type);
}

static void write_hdf5(recipe *r)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) {
        abort();
    }
    make(r, file, "time", 0);
    const unsigned kind = take(r) % 8;
    if (kind == 6) {
        H5Lcreate_external("fuzz_results.none", "/outputs", file, "outputs", H5P_DEFAULT, H5P_DEFAULT);
    } else if (kind == 7) {
        H5Lcreate_soft("/time", file, "outputs", H5P_DEFAULT, H5P_DEFAULT);
    } else {
        make(r, file, "outputs", 0);
    }
    make(r, file, "model", (int)(take(r) % 2));
    H5Fclose(file);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void demand(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void read_table(dal_ctx *ctx, const char *name)
{
    dal_table_data table;
    double sum = 0.0;
    dal_ctx_clear(ctx);
    if (dal_table_read(&table, ctx, path, name) != DAL_OK) {
        demand(dal_ctx_message(ctx)[0] != '\0', "a failure without a message");
        demand(table.x == NULL && table.column == NULL, "a failure that leaves something behind");
        return;
    }
    demand(table.rows >= 0 && table.n >= 1 && table.x != NULL, "an empty table");
    for (int j = 0; j < table.n; ++j) {
        demand(strlen(table.column[j]) < 1 << 20, "a column without a name");
        for (int i = 0; i < table.rows; ++i) {
            sum += table.x[(size_t)i + (size_t)j * (size_t)table.rows];
        }
    }
    volatile double seen = sum; // every number has been read
    (void)seen;
    dal_table_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_ctx *ctx;
    char *note;
    if (size < 1 || dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return 0;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    recipe r = {data + 1, size - 1};
    if (data[0] < 128) {
        FILE *file = fopen(path, "wb");
        demand(file != NULL && fwrite(r.data, 1, r.size, file) == r.size && fclose(file) == 0, "cannot write");
    } else {
        write_hdf5(&r);
    }
    read_table(ctx, "outputs");
    read_table(ctx, "time");
    read_table(ctx, "none");
    if (dal_results_note(&note, ctx, path, "model.json") == DAL_OK) {
        demand(strlen(note) < SIZE_MAX, "a note without end");
        dal_results_note_free(ctx, note);
    }
    remove(path);
    remove(outside);
    dal_ctx_destroy(ctx);
    return 0;
}
