/* Journals and files of results. */
#define _DEFAULT_SOURCE

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/sweep.h"
#include "support/check.h"

static char folder[] = "/tmp/test_sweep_files_XXXXXX";

static const char *in(const char *name)
{
    static char path[4][200];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

static const char *const parameter[] = {"spin=uniform(100,200)", "m=normal(15,5)"};
static const char *const what[] = {"max(tip.force)", "final(top.position.z)"};
static const char *const curve[] = {"top.position.z", "tip.force"};
static const double times[] = {0.0, 0.01, 0.02};

static dal_sweep_spec spec_of(long n)
{
    return (dal_sweep_spec){.source = "heavy_top",
                            .set = (const char *const[]){"t_end=0.02"},
                            .nset = 1,
                            .parameter = parameter,
                            .nparameters = 2,
                            .samples = n,
                            .seed = 5,
                            .collect = what,
                            .ncollect = 2};
}

static dal_sweep *make(dal_ctx *ctx, long n, int curves)
{
    static const char *const set[] = {"t_end=0.02"};
    dal_sweep_spec spec = spec_of(n);
    spec.set = set;
    if (curves) {
        spec.trajectory = curve;
        spec.ntrajectories = 2;
        spec.times = times;
        spec.ntimes = 3;
    }
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    return s;
}

static char *bytes_of(const char *path, long *n)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *n = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)*n + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*n, file), *n);
    fclose(file);
    return bytes;
}

static void same_bytes(const char *a, const char *b)
{
    long m, n;
    char *x = bytes_of(a, &m), *y = bytes_of(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, (size_t)n);
    free(x);
    free(y);
}

static void run_to(dal_ctx *ctx, const char *path, const char *journal, int jobs, int curves)
{
    dal_sweep *s = make(ctx, 40, curves);
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = jobs, .journal = journal, .resume = 1}));
    check_ok(ctx, dal_sweep_save(s, path, 0));
    dal_sweep_destroy(s);
}

static void threads_do_not_show_in_the_bytes(void **state)
{
    dal_ctx *ctx = check_ctx();
    run_to(ctx, in("one.h5"), in("j"), 1, 1);
    run_to(ctx, in("three.h5"), in("j"), 3, 1);
    same_bytes(in("one.h5"), in("three.h5"));
    run_to(ctx, in("one.csv"), NULL, 1, 0);
    run_to(ctx, in("three.csv"), NULL, 3, 0);
    same_bytes(in("one.csv"), in("three.csv"));
    FILE *journal = fopen(in("j"), "rb");
    assert_null(journal); // it has served
    check_ctx_free(ctx);
}

/* Numbers of members, parameters, columns; extendible; the state as the simulation has it. */
static void an_hdf5_file_has_what_was_promised(void **state)
{
    dal_ctx *ctx = check_ctx();
    double x[2], y[2], curves[6];
    run_to(ctx, in("file.h5"), in("j"), 2, 1);
    dal_sweep *s = make(ctx, 40, 1);
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = in("j")}));
    const hid_t file = H5Fopen(in("file.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    static const char *const set[] = {"parameters", "collected", "trajectories"};
    double *const to[] = {x, y, curves};
    const hsize_t from[3] = {17, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const hid_t d = H5Dopen2(file, set[i], H5P_DEFAULT), space = H5Dget_space(d);
        hsize_t size[3] = {0}, most[3] = {0};
        const int rank = H5Sget_simple_extent_dims(space, size, most);
        assert_int_equal(rank, i < 2 ? 2 : 3);
        assert_int_equal(size[0], 40);
        assert_true(most[0] == H5S_UNLIMITED);
        const hsize_t count[3] = {1, size[1], size[2]};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL);
        const hid_t memory = H5Screate_simple(rank, count, NULL);
        assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, to[i]) >= 0);
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(d);
    }
    H5Fclose(file);
    double point[2];
    dal_sweep_point(s, point, 17);
    assert_memory_equal(x, point, sizeof x);
    assert_memory_equal(y, dal_sweep_result(s, 17).value, sizeof y);
    assert_near(curves[0], 0.0, 1e-12);             // it starts in the plane
    assert_near_rel(curves[2], y[1], 1e-12);        // at the end
    assert_true(curves[5] <= y[0] * (1.0 + 1e-12)); // below the maximum
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Parts done here and there, in any number, are one sweep. */
static void shards_merge_to_the_bytes_of_one_run(void **state)
{
    static const char *const name[] = {"s1", "s2", "s3"};
    dal_ctx *ctx = check_ctx();
    char path[3][200];
    const char *list[3];
    for (int k = 0; k < 3; ++k) {
        dal_sweep *s = make(ctx, 40, 1);
        snprintf(path[k], sizeof path[k], "%s", in(name[k]));
        list[k] = path[k];
        check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = path[k], .shard = k + 1, .nshards = 3}));
        dal_sweep_destroy(s);
    }
    dal_sweep *merged = NULL;
    check_ok(ctx, dal_sweep_open(&merged, ctx, list, 2));
    check_fails(ctx, dal_sweep_save(merged, in("merged.h5"), 0), DAL_EINVAL, "13 of 40 members are missing");
    dal_sweep_destroy(merged);
    check_ok(ctx, dal_sweep_open(&merged, ctx, list, 3));
    check_ok(ctx, dal_sweep_save(merged, in("merged.h5"), 0));
    dal_sweep_destroy(merged);
    run_to(ctx, in("whole.h5"), in("j"), 2, 1);
    same_bytes(in("merged.h5"), in("whole.h5"));
    check_ctx_free(ctx);
}

/* Cut off anywhere, or with any byte of the tail changed, the journal gives what is sound, and the rest is done anew. */
static void a_torn_journal_goes_on_to_the_same_bytes(void **state)
{
    dal_ctx *ctx = check_ctx();
    run_to(ctx, in("right.h5"), in("j"), 1, 0);
    dal_sweep *s = make(ctx, 40, 0);
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = in("full")}));
    dal_sweep_destroy(s);
    long n;
    char *bytes = bytes_of(in("full"), &n);
    check_rng rng = check_rng_seed(1);
    for (int i = 0; i < 25; ++i) {
        const long cut = i == 0 ? 0 : i == 1 ? 20 : (long)check_uniform(&rng, 0.0, (double)n);
        const long flip = i % 3 == 2 ? cut - 1 - (long)check_uniform(&rng, 0.0, 100.0) : -1;
        const char kept = flip > 3000 ? bytes[flip] : 0;
        if (flip > 3000) {
            bytes[flip] = (char)(kept ^ 4);
        }
        FILE *out = fopen(in("j"), "wb");
        fwrite(bytes, 1, (size_t)cut, out);
        fclose(out);
        if (flip > 3000) {
            bytes[flip] = kept;
        }
        run_to(ctx, in("again.h5"), in("j"), 2, 0);
        same_bytes(in("again.h5"), in("right.h5"));
    }
    free(bytes);
    check_ctx_free(ctx);
}

static void a_journal_of_another_sweep_is_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, 40, 0);
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = in("other")}));
    dal_sweep_destroy(s);
    s = make(ctx, 40, 0);
    check_fails(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = in("other")}), DAL_EIO, "--resume");
    dal_sweep_destroy(s);
    s = make(ctx, 41, 0);
    check_fails(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.journal = in("other"), .resume = 1}), DAL_EOPTION,
                "another sweep");
    dal_sweep_destroy(s);
    FILE *out = fopen(in("junk"), "wb");
    fputs("not a journal at all, but long enough to look like one at first sight", out);
    fclose(out);
    const char *list[1] = {in("junk")};
    check_fails(ctx, dal_sweep_open(&s, ctx, list, 1), DAL_EIO, "not the journal of a sweep");
    check_ctx_free(ctx);
}

static dal_status stop_soon(const dal_sweep_progress *p, void *user)
{
    (void)p, (void)user;
    return DAL_RETRY;
}

static void a_run_that_is_stopped_keeps_what_is_done(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, 100000, 0);
    const dal_status st = dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 2, .progress = stop_soon});
    assert_int_equal(st, DAL_RETRY);
    assert_true(dal_sweep_count(s, 0) > 0 && dal_sweep_count(s, 0) < 100000);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

static int enter(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int leave(void **state)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show_in_the_bytes),
        cmocka_unit_test(an_hdf5_file_has_what_was_promised),
        cmocka_unit_test(shards_merge_to_the_bytes_of_one_run),
        cmocka_unit_test(a_torn_journal_goes_on_to_the_same_bytes),
        cmocka_unit_test(a_journal_of_another_sweep_is_refused),
        cmocka_unit_test(a_run_that_is_stopped_keeps_what_is_done),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
