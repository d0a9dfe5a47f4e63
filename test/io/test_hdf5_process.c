/* What HDF5 keeps for the whole process belongs to the program: its handler of errors, its stack of errors, what is open. Files that are written and read by
 * the library, with success or without, leave all of it as it was, and nothing is printed. */
#define _XOPEN_SOURCE 700

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/dalembert.h"
#include "support/check.h"

/* The program: a handler that counts, a file with a group, a mistake of its own that it has not looked at yet. */
typedef struct program {
    hid_t file, group;
    int called;
    ssize_t mistakes;
} program;

static herr_t count_calls(hid_t stack, void *user)
{
    (void)stack;
    ((program *)user)->called++;
    return 0;
}

static void start(program *p)
{
    *p = (program){.file = H5Fcreate("program.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    p->group = H5Gcreate2(p->file, "own", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(p->file >= 0 && p->group >= 0);
    assert_true(H5Eset_auto2(H5E_DEFAULT, count_calls, p) >= 0);
    assert_true(H5Gopen2(p->file, "not there", H5P_DEFAULT) < 0);
    assert_int_equal(p->called, 1);
    p->mistakes = H5Eget_num(H5E_DEFAULT);
    assert_true(p->mistakes > 0);
}

static void assert_own_errors(const program *p)
{
    H5E_auto2_t call = NULL;
    void *user = NULL;
    const hid_t stack = H5Eget_current_stack(); // what looks at the handler clears it
    assert_int_equal(H5Eget_num(stack), p->mistakes);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &call, &user) >= 0);
    assert_true(call == count_calls && user == p);
    assert_true(H5Eset_current_stack(stack) >= 0);
    assert_int_equal(p->called, 1);
}

enum { KINDS = 5 };

/* How many of each kind are open in all files; looking at them clears the stack of errors. */
static void count_ids(ssize_t n[KINDS])
{
    static const unsigned kind[KINDS] = {H5F_OBJ_FILE, H5F_OBJ_GROUP, H5F_OBJ_DATASET, H5F_OBJ_DATATYPE, H5F_OBJ_ATTR};
    for (int k = 0; k < KINDS; ++k) {
        n[k] = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, kind[k]);
        assert_true(n[k] >= 0);
    }
}

static void end(program *p)
{
    assert_true(H5Gclose(p->group) >= 0 && H5Fclose(p->file) >= 0);
    assert_true(H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)H5Eprint2, stderr) >= 0);
    remove("program.h5");
}

/* ---- what the library does with files ------------------------------------------------------------- */

static const char *const column[] = {"x", "y"};
static const dal_table force = {"force", 2, column, NULL};

static dal_results_spec spec_of(const char *path)
{
    return (dal_results_spec){.format = DAL_RESULTS_HDF5, .path = path, .ntables = 1, .table = &force};
}

static void write_and_read_results(dal_ctx *ctx, const program *p)
{
    const dal_results_spec spec = spec_of("results.h5");
    dal_results *r;
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    assert_own_errors(p);
    for (int k = 0; k < 100; ++k) {
        check_ok(ctx, dal_results_row(r, 0.1 * k, (double[]){k, -k}));
        assert_own_errors(p);
    }
    check_ok(ctx, dal_results_flush(r));
    assert_own_errors(p);
    check_ok(ctx, dal_results_close(r, NULL, 0));
    dal_results_destroy(r);
    assert_own_errors(p);
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, "results.h5", "force"));
    dal_table_release(&data);
}

static void fail_to_read_and_write(dal_ctx *ctx, const program *p)
{
    dal_table_data data;
    dal_results *r;
    check_fails(ctx, dal_table_read(&data, ctx, "results.h5", "no such table"), DAL_EIO, "no such table");
    assert_own_errors(p);
    check_fails(ctx, dal_table_read(&data, ctx, "none.h5", "x"), DAL_EIO, "none.h5");
    assert_int_equal(truncate("results.h5", 700), 0);
    assert_int_equal(dal_table_read(&data, ctx, "results.h5", "force"), DAL_EIO);
    assert_own_errors(p);
    const dal_results_spec spec = spec_of("/dev/null/results.h5");
    assert_int_equal(dal_results_create(&r, ctx, &spec), DAL_EIO);
    check_fails(ctx, dal_arrays_write(ctx, "/dev/null/a.h5", NULL, 0, NULL, 0), DAL_EIO, "/dev/null/a.h5");
}

static void write_matrices(dal_ctx *ctx, const program *p)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    const dal_array list[] = {{.name = "A", .rows = 2, .cols = 3, .x = x}};
    const dal_note note[] = {{"inputs", "drive"}};
    (void)p;
    check_ok(ctx, dal_arrays_write(ctx, "arrays.h5", list, 1, note, 1));
    remove("arrays.h5");
}

static void sweep_to_a_file_and_go_on(dal_ctx *ctx, const program *p)
{
    static const char *const set[] = {"t_end=0.02"}, *const collect[] = {"final(energy)"},
                             *const vary[] = {"spin=150,160"};
    const dal_sweep_spec spec = {.source = "heavy_top",
                                 .set = set,
                                 .nset = 1,
                                 .parameter = vary,
                                 .nparameters = 1,
                                 .collect = collect,
                                 .ncollect = 1};
    dal_sweep *s;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 2}));
    check_ok(ctx, dal_sweep_save(s, "sweep.h5", 0));
    dal_sweep_destroy(s);
    assert_own_errors(p);
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = 1, .finished = "sweep.h5"}));
    dal_sweep_destroy(s);
    remove("sweep.h5");
}

static void all_is_left_as_it_was(void **state)
{
    static void (*const work[])(dal_ctx *, const program *) = {write_and_read_results, fail_to_read_and_write,
                                                               write_matrices, sweep_to_a_file_and_go_on};
    for (size_t k = 0; k < LEN(work); ++k) {
        dal_ctx *ctx = check_ctx();
        program p;
        ssize_t before[KINDS], after[KINDS];
        start(&p);
        count_ids(before);
        assert_true(H5Gopen2(p.file, "not there", H5P_DEFAULT) < 0);
        p.called = 1;
        work[k](ctx, &p);
        assert_own_errors(&p);
        check_ctx_free(ctx);
        count_ids(after);
        for (int i = 0; i < KINDS; ++i) {
            assert_int_equal(after[i], before[i]);
        }
        assert_true(H5Fflush(p.file, H5F_SCOPE_GLOBAL) >= 0); // its file is as good as before
        end(&p);
    }
    remove("results.h5");
}

/* HDF5 prints errors unless told otherwise; what the library meets is in messages, not there. */
static void nothing_is_printed(void **state)
{
    dal_ctx *ctx = check_ctx();
    program p = {0};
    assert_true(H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)H5Eprint2, stderr) >= 0);
    fflush(stderr);
    FILE *kept = tmpfile();
    const int there = dup(2);
    assert_true(kept != NULL && there >= 0 && dup2(fileno(kept), 2) == 2);
    dal_table_data data;
    const dal_results_spec spec = spec_of("/dev/null/results.h5");
    dal_results *r;
    const dal_status none = dal_table_read(&data, ctx, "none.h5", "x"), away = dal_results_create(&r, ctx, &spec);
    write_matrices(ctx, &p);
    fflush(stderr);
    assert_int_equal(dup2(there, 2), 2);
    close(there);
    assert_true(none == DAL_EIO && away == DAL_EIO);
    assert_int_equal(fseek(kept, 0, SEEK_END), 0);
    assert_int_equal(ftell(kept), 0);
    fclose(kept);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_left_as_it_was),
        cmocka_unit_test(nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
