/* HDF5 files that lie about their sizes, or are damaged, are refused: no crash, no waiting, no memory beyond reason. */
#define _XOPEN_SOURCE 700

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dalembert/io.h"
#include "dalembert/results.h"
#include "support/check.h"

#define HUGE_SIZE (1ULL << 34)

/* A dataset that stores nothing, whatever its size. */
static void announce(hid_t file, const char *name, int rank, const hsize_t *size)
{
    hsize_t chunk[32];
    for (int k = 0; k < rank; ++k) {
        chunk[k] = 1;
    }
    const hid_t space = H5Screate_simple(rank, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
}

static void results_of_impossible_sizes_are_refused(void **state)
{
    static const struct {
        int ntime, ntable;
        hsize_t time[24], table[3];
    } bad[] = {
        {24, 2, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {2, 2}},
        {1, 2, {1ULL << 61}, {1ULL << 61, 1}}, // bytes wrap to 0
        {1, 2, {4}, {1ULL << 32, 1ULL << 29}}, // likewise
        {1, 2, {HUGE_SIZE}, {HUGE_SIZE, 4}},   // nothing of it is stored
        {1, 3, {2}, {2, 2, 2}},
        {1, 2, {2}, {2, 0}},
    };
    dal_ctx *ctx = check_ctx();
    static const char path[] = "impossible.h5";
    for (size_t i = 0; i < LEN(bad); ++i) {
        dal_table_data data;
        const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        announce(file, "time", bad[i].ntime, bad[i].time);
        announce(file, "x", bad[i].ntable, bad[i].table);
        H5Fclose(file);
        check_fails(ctx, dal_table_read(&data, ctx, path, "x"), DAL_EIO, "not a table of results");
        // going on with it must not believe it either
        static const char *const column[] = {"a", "b", "c", "d"};
        const dal_table table = {"x", 4, column, NULL};
        const dal_results_spec spec = {
            .format = DAL_RESULTS_HDF5, .path = path, .ntables = 1, .table = &table, .append = 1, .append_after = 1.0};
        dal_results *r;
        assert_int_equal(dal_results_create(&r, ctx, &spec), DAL_EIO);
        assert_null(r);
        remove("impossible.h5.part");
    }
    remove(path);
    check_ctx_free(ctx);
}

/* Numbers that another file keeps are not ours to read. */
static void links_to_other_files_are_not_followed(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_table_data data;
    const hsize_t size[2] = {2, 2};
    hid_t file = H5Fcreate("target.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    announce(file, "time", 1, size);
    announce(file, "x", 2, size);
    H5Fclose(file);
    check_ok(ctx, dal_table_read(&data, ctx, "target.h5", "x"));
    dal_table_release(&data);
    file = H5Fcreate("link.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Lcreate_external("target.h5", "time", file, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("target.h5", "x", file, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    check_fails(ctx, dal_table_read(&data, ctx, "link.h5", "x"), DAL_EIO, "no table 'x'");
    remove("target.h5");
    remove("link.h5");
    check_ctx_free(ctx);
}

static void write_results(dal_ctx *ctx, const char *path)
{
    static const char *const column[] = {"a", "b"};
    const dal_table table = {"x", 2, column, NULL};
    const dal_results_spec spec = {.format = DAL_RESULTS_HDF5, .path = path, .ntables = 1, .table = &table};
    dal_results *r;
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    for (int k = 0; k < 10; ++k) {
        const double x[2] = {k, -k};
        check_ok(ctx, dal_results_row(r, 0.1 * k, x));
    }
    check_ok(ctx, dal_results_close(r, NULL, 0));
    dal_results_destroy(r);
}

/* HDF5 waits by nanosleep, which this is for the linker; here it only counts. */
static double waited; // seconds
__attribute__((visibility("default"))) int note_wait(const struct timespec *time,
                                                     struct timespec *left) __asm__("nanosleep");
int note_wait(const struct timespec *time, struct timespec *left)
{
    (void)left;
    waited += (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
    return 0;
}

/* The superblock has a checksum; readers of files that are being written try again and again. */
static void a_damaged_superblock_is_refused_at_once(void **state)
{
    dal_ctx *ctx = check_ctx();
    static const char path[] = "damaged.h5";
    write_results(ctx, path);
    double ever = 0.0;
    for (long at = 8; at < 48; ++at) {
        FILE *f = fopen(path, "r+b");
        assert_non_null(f);
        assert_int_equal(fseek(f, at, SEEK_SET), 0);
        const int byte = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(byte ^ 0x10, f);
        fclose(f);
        dal_table_data data;
        waited = 0.0;
        if (dal_table_read(&data, ctx, path, "x") == DAL_OK) {
            dal_table_release(&data);
        }
        assert_true(waited < 0.01);
        ever += waited;
        f = fopen(path, "r+b");
        fseek(f, at, SEEK_SET);
        fputc(byte, f);
        fclose(f);
    }
    assert_true(ever > 0.0); // the waits of HDF5 are those that were counted
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, "x"));
    assert_int_equal(data.rows, 10);
    dal_table_release(&data);
    remove(path);
    check_ctx_free(ctx);
}

static void shapes_without_numbers_take_no_memory(void **state)
{
    static const hsize_t size[][2] = {{HUGE_SIZE, 0}, {HUGE_SIZE, HUGE_SIZE}, {1ULL << 33, (1ULL << 31) + 1}};
    static const char model[] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"f\", \"type\": \"flexible\", "
                                "\"modes_file\": \"shapes.h5\"}]}";
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(size); ++i) {
        dal_document *doc;
        const hid_t file = H5Fcreate("shapes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        announce(file, "nodes", 2, size[i]);
        H5Fclose(file);
        check_fails(ctx, dal_document_parse(&doc, ctx, model, strlen(model), "model", NULL, 0), DAL_EINVAL,
                    "'nodes' is not an array");
    }
    remove("shapes.h5");
    check_ctx_free(ctx);
}

static void shapes_that_are_not_finite_are_named(void **state)
{
    static const char model[] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"f\", \"type\": \"flexible\", "
                                "\"modes_file\": \"nan.h5\"}]}";
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const double x[2] = {1.0, NAN};
    const hsize_t n = 2;
    const hid_t file = H5Fcreate("nan.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t set = H5Dcreate2(file, "masses", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    check_fails(ctx, dal_document_parse(&doc, ctx, model, strlen(model), "model", NULL, 0), DAL_EINVAL,
                "'masses' holds a value that is not finite");
    remove("nan.h5");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_impossible_sizes_are_refused),
        cmocka_unit_test(links_to_other_files_are_not_followed),
        cmocka_unit_test(a_damaged_superblock_is_refused_at_once),
        cmocka_unit_test(shapes_without_numbers_take_no_memory),
        cmocka_unit_test(shapes_that_are_not_finite_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
