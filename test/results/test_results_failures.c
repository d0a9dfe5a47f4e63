/* Nothing half-written under a final name: full disks, folders that cannot be written, killed programs, garbage. */
#define _XOPEN_SOURCE 700

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/tables.h"

static const dal_results_format formats[] = {DAL_RESULTS_CSV, DAL_RESULTS_HDF5};
static const char *const places[] = {"%s/run", "%s/run.h5"};

static void add_row(dal_results *r, int k, dal_status *st)
{
    double x[TABLES_WIDTH];
    tables_values(x, k);
    *st = dal_results_row(r, tables_time(k), x);
}

/* Rows of the table at the path, all of which must be right. */
static int sound_rows(dal_ctx *ctx, const char *path)
{
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, "force"));
    const int rows = data.rows;
    dal_table_release(&data);
    tables_check(ctx, path, rows);
    return rows;
}

/* The child writes and flushes until it is killed; the parent waits for some flushes. */
static void a_killed_run_is_readable_up_to_its_last_flush(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300], byte;
        int pipe_fd[2], status;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        assert_int_equal(pipe(pipe_fd), 0);
        const pid_t child = fork();
        if (child == 0) {
            dal_results *r;
            dal_status st;
            const dal_results_spec spec = tables_spec(formats[f], path);
            if (dal_results_create(&r, ctx, &spec) != DAL_OK) {
                _exit(1);
            }
            for (int k = 0; k < 1000; ++k) {
                add_row(r, k, &st);
            }
            if (st != DAL_OK || dal_results_flush(r) != DAL_OK || write(pipe_fd[1], "x", 1) != 1) {
                _exit(1);
            }
            for (int k = 1000; k < 1500; ++k) { // these have not been flushed
                add_row(r, k, &st);
            }
            for (;;) {
                pause();
            }
        }
        assert_int_equal(read(pipe_fd[0], &byte, 1), 1);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        close(pipe_fd[0]);
        close(pipe_fd[1]);
        assert_int_equal(sound_rows(ctx, path), 1000);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

/* A limit on the size of files stands for a full disk. */
static void a_full_disk_is_reported_and_leaves_whole_rows(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        int status;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const pid_t child = fork();
        if (child == 0) {
            dal_results *r;
            dal_status st = DAL_OK;
            const struct rlimit limit = {1 << 20, 1 << 20};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            const dal_results_spec spec = tables_spec(formats[f], path);
            if (dal_results_create(&r, ctx, &spec) != DAL_OK) {
                _exit(1);
            }
            int k = 0;
            for (; k < 200000 && st == DAL_OK; ++k) {
                add_row(r, k, &st);
                if (st == DAL_OK && k % 1000 == 999) {
                    st = dal_results_flush(r);
                }
            }
            const int told = st < 0 && dal_results_failed(r) && strstr(dal_ctx_message(ctx), "cannot write") != NULL &&
                             strstr(dal_ctx_message(ctx), "File too large") != NULL;
            const int not_closed = dal_results_close(r, NULL, 0) < 0;
            dal_results_destroy(r);
            exit(told && not_closed ? 42 : 2); // exit: HDF5 cleans up, which must not hang either
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 42);
        struct stat info;
        char final[400];
        snprintf(final, sizeof final, f == 0 ? "%s/force.csv" : "%s", path);
        assert_int_equal(stat(final, &info), -1);
        assert_true(sound_rows(ctx, path) >= 1000);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

/* Rows of a table. */
static int count_rows(dal_ctx *ctx, const char *path, const char *table)
{
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, table));
    const int rows = data.rows;
    dal_table_release(&data);
    return rows;
}

/* One bunch that does not fit as a whole: the rows that found room stay, as many in the narrow table as in the wide one. */
static void a_full_disk_keeps_the_rows_that_found_room(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        int status;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const pid_t child = fork();
        if (child == 0) {
            dal_results *r;
            dal_status st = DAL_OK;
            const struct rlimit limit = {2 << 20, 2 << 20};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            dal_results_spec spec = tables_spec(formats[f], path);
            spec.flush_seconds = 1e9;
            if (dal_results_create(&r, ctx, &spec) != DAL_OK) {
                _exit(1);
            }
            for (int k = 0; k < 60000; ++k) {
                add_row(r, k, &st);
            }
            const int failed = st == DAL_OK && dal_results_flush(r) < 0;
            dal_results_destroy(r);
            exit(failed ? 42 : 2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WEXITSTATUS(status), 42);
        const int rows = sound_rows(ctx, path);
        assert_true(rows > 10000 && rows < 60000);
        assert_int_equal(count_rows(ctx, path, "angle"), rows);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

static void a_second_writer_is_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        dal_results *first, *second;
        dal_status st;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const dal_results_spec spec = tables_spec(formats[f], path);
        check_ok(ctx, dal_results_create(&first, ctx, &spec));
        for (int k = 0; k < 100; ++k) {
            add_row(first, k, &st);
            check_ok(ctx, st);
        }
        check_ok(ctx, dal_results_flush(first));
        check_fails(ctx, dal_results_create(&second, ctx, &spec), DAL_EIO, "being written by another run");
        check_ok(ctx, dal_results_close(first, NULL, 0));
        dal_results_destroy(first);
        assert_int_equal(sound_rows(ctx, path), 100);
        check_ok(ctx, dal_results_create(&second, ctx, &spec)); // now it may
        dal_results_destroy(second);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

/* Whoever may write to the folder could otherwise have us write to any file of ours. */
static void links_in_the_place_of_part_files_are_not_written_through(void **state)
{
    static const char *const name[] = {"run/angle.csv.part", "run/model.json.part", "run.h5.part", "run.h5.part.new"};
    dal_ctx *ctx = check_ctx();
    char folder[256], path[400], precious[400];
    tables_folder(folder);
    snprintf(path, sizeof path, "%s/run", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(precious, sizeof precious, "%s/precious", folder);
    FILE *out = fopen(precious, "w");
    fputs("precious", out);
    fclose(out);
    for (size_t i = 0; i < LEN(name); ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        assert_int_equal(symlink(precious, path), 0);
    }
    for (int f = 0; f < 2; ++f) {
        const dal_note note = {"model.json", "text"};
        dal_results *r;
        dal_status st;
        snprintf(path, sizeof path, places[f], folder);
        dal_results_spec spec = tables_spec(formats[f], path);
        spec.nnotes = 1;
        spec.note = &note;
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        add_row(r, 0, &st);
        check_ok(ctx, st);
        check_ok(ctx, dal_results_close(r, NULL, 0));
        dal_results_destroy(r);
    }
    char text[20] = "";
    FILE *in = fopen(precious, "r");
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    assert_string_equal(text, "precious");
    tables_remove(folder);
    check_ctx_free(ctx);
}

/* A run that is to go on finds its rows, or says so. */
static void rows_that_are_missing_or_of_another_run_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        dal_results *r;
        dal_status st;
        dal_results_mark mark[2];
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        dal_results_spec spec = tables_spec(formats[f], path);
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        for (int k = 0; k < 20; ++k) {
            add_row(r, k, &st);
            check_ok(ctx, st);
            if (k == 9) {
                check_ok(ctx, dal_results_sync(r));
                assert_int_equal(dal_results_rows(r), 10);
                mark[0] = dal_results_last(r, 0);
                mark[1] = dal_results_last(r, 1);
            }
        }
        check_ok(ctx, dal_results_close(r, NULL, 0));
        dal_results_destroy(r);
        spec.append = 1;
        spec.append_mark = mark;
        spec.append_rows = 30;
        check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EIO, "does not have the 30 rows");
        spec.append_rows = 9;
        check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EIO, "those of another run");
        spec.append_rows = 10;
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        assert_int_equal(dal_results_rows(r), 10);
        for (int k = 10; k < 15; ++k) {
            add_row(r, k, &st);
            check_ok(ctx, st);
        }
        check_ok(ctx, dal_results_close(r, NULL, 0));
        dal_results_destroy(r);
        assert_int_equal(sound_rows(ctx, path), 15);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

static void places_that_cannot_be_written_are_refused_with_the_reason(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_results *r;
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[400];
        tables_folder(folder);
        snprintf(path, sizeof path, "%s/file", folder);
        const int fd = open(path, O_WRONLY | O_CREAT, 0666);
        assert_true(fd >= 0);
        close(fd);
        snprintf(path, sizeof path, "%s/file/x/results.h5", folder);
        const dal_results_spec below_a_file = tables_spec(formats[f], path);
        check_fails(ctx, dal_results_create(&r, ctx, &below_a_file), DAL_EIO, "Not a directory");
        assert_null(r);
        const dal_results_spec proc = tables_spec(formats[f], "/proc/dalembert/results.h5");
        check_fails(ctx, dal_results_create(&r, ctx, &proc), DAL_EIO, "/proc/dalembert");
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

static void bad_descriptions_are_refused(void **state)
{
    static const char *const column[] = {"x"};
    static const dal_table slash = {"a/b", 1, column, NULL}, empty = {"a", 0, NULL, NULL};
    static const dal_table twice[] = {{"a", 1, column, NULL}, {"a", 1, column, NULL}};
    dal_ctx *ctx = check_ctx();
    dal_results *r;
    dal_results_spec spec = tables_spec(DAL_RESULTS_CSV, "");
    check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EINVAL, "path");
    spec = (dal_results_spec){.path = "x", .ntables = 1, .table = &slash};
    check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EINVAL, "'a/b'");
    spec.table = &empty;
    check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EINVAL, "no column");
    spec = (dal_results_spec){.path = "x", .ntables = 2, .table = twice};
    check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EINVAL, "two tables");
    spec.ntables = 0;
    check_fails(ctx, dal_results_create(&r, ctx, &spec), DAL_EINVAL, "at least one");
    check_ctx_free(ctx);
}

static void garbage_is_not_a_table(void **state)
{
    static const char *const text[] = {
        "", "time", "time,x\n1\n", "time,x\n1,2,3\n", "time,x\n1,two\n", "\n,\n", "\x89HDF\r\n\x1a\nnonsense"};
    dal_ctx *ctx = check_ctx();
    dal_table_data data;
    char folder[256], path[300];
    tables_folder(folder);
    snprintf(path, sizeof path, "%s/x.csv", folder);
    for (size_t i = 0; i < LEN(text); ++i) {
        FILE *out = fopen(path, "w");
        fputs(text[i], out);
        fclose(out);
        assert_true(dal_table_read(&data, ctx, path, "force") < 0);
        assert_true(strlen(dal_ctx_message(ctx)) > 10);
        assert_null(data.x);
    }
    check_fails(ctx, dal_table_read(&data, ctx, "no/such/file", "x"), DAL_EIO, "No such file");
    check_fails(ctx, dal_table_read(&data, ctx, folder, "x1"), DAL_EIO, "no table 'x1'");
    tables_remove(folder);
    check_ctx_free(ctx);
}

static dal_status write_some(dal_ctx *ctx, void *user)
{
    dal_results *r;
    const dal_results_spec spec = tables_spec(DAL_RESULTS_CSV, user);
    double x[TABLES_WIDTH] = {0};
    DAL_TRY(dal_results_create(&r, ctx, &spec));
    dal_status st = dal_results_row(r, 0.0, x);
    if (st == DAL_OK) {
        st = dal_results_close(r, NULL, 0);
    }
    dal_results_destroy(r);
    return st;
}

static void running_out_of_memory_is_reported(void **state)
{
    char folder[256];
    tables_folder(folder);
    assert_true(check_every_allocation(write_some, folder) > 5);
    tables_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_is_readable_up_to_its_last_flush),
        cmocka_unit_test(a_full_disk_is_reported_and_leaves_whole_rows),
        cmocka_unit_test(a_full_disk_keeps_the_rows_that_found_room),
        cmocka_unit_test(a_second_writer_is_refused),
        cmocka_unit_test(links_in_the_place_of_part_files_are_not_written_through),
        cmocka_unit_test(rows_that_are_missing_or_of_another_run_are_refused),
        cmocka_unit_test(places_that_cannot_be_written_are_refused_with_the_reason),
        cmocka_unit_test(bad_descriptions_are_refused),
        cmocka_unit_test(garbage_is_not_a_table),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
