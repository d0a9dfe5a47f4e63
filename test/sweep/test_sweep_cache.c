/* The cache of compiled programs stays below its limit: what was used last longest ago goes first. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "sweep/sweep_impl.h"

enum { SIZE = 1000 };

static void path_of(char path[128], const char *folder, const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

/* The name of program k. */
static void name_of(char name[64], int k)
{
    snprintf(name, 64, "%032x.so", (unsigned)k);
}

/* A file of SIZE bytes, used last at this second. */
static void write_file(const char *folder, const char *name, int second)
{
    char path[128];
    static const char bytes[SIZE];
    const struct timespec times[2] = {{.tv_sec = 1000 + second}, {.tv_sec = 1000 + second}};
    path_of(path, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static int is_there(const char *folder, const char *name)
{
    char path[128];
    path_of(path, folder, name);
    return access(path, F_OK) == 0;
}

static int program_is_there(const char *folder, int k)
{
    char name[64];
    name_of(name, k);
    return is_there(folder, name);
}

/* Programs 0 to n - 1, program k used k-th. */
static void fill(char folder[32], int n)
{
    char name[64];
    snprintf(folder, 32, "/tmp/dalembert-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < n; ++k) {
        name_of(name, k);
        write_file(folder, name, k);
    }
}

static void empty(const char *folder)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void the_oldest_go_until_the_rest_fits(void **state)
{
    char folder[32];
    fill(folder, 6);
    dal_sweep_cache_trim(folder, "none", 6.0 * SIZE);
    assert_true(program_is_there(folder, 0));
    dal_sweep_cache_trim(folder, "none", 4.5 * SIZE);
    for (int k = 0; k < 6; ++k) {
        assert_int_equal(program_is_there(folder, k), k >= 2);
    }
    empty(folder);
}

static void what_was_loaded_again_counts_as_new(void **state)
{
    char folder[32], name[64], path[128], bad[SWEEP_CACHE_PATH];
    int foreign;
    fill(folder, 3);
    name_of(name, 0);
    path_of(path, folder, name);
    const int made = open(path, O_RDWR), at = dal_sweep_cache_open(folder, bad);
    assert_true(made >= 0 && at >= 0 && dal_sweep_cache_seal(made));
    const int found = dal_sweep_cache_find(at, &foreign, name);
    assert_true(found >= 0 && !foreign);
    close(made);
    close(found);
    close(at);
    dal_sweep_cache_trim(folder, "none", 1.5 * SIZE);
    assert_int_equal(program_is_there(folder, 0), 1);
    assert_int_equal(program_is_there(folder, 1), 0);
    assert_int_equal(program_is_there(folder, 2), 0);
    empty(folder);
}

/* A sealed program of SIZE random bytes in a new folder; the folder's descriptor. */
static int sealed(char folder[32], char path[128], const char *name)
{
    char bad[SWEEP_CACHE_PATH];
    check_rng rng = check_rng_seed(7);
    fill(folder, 0);
    path_of(path, folder, name);
    FILE *file = fopen(path, "w+");
    assert_non_null(file);
    for (int k = 0; k < SIZE; ++k) {
        fputc((int)check_uniform(&rng, 0.0, 256.0), file);
    }
    assert_int_equal(fflush(file), 0);
    assert_true(dal_sweep_cache_seal(fileno(file)));
    fclose(file);
    const int at = dal_sweep_cache_open(folder, bad);
    assert_true(at >= 0);
    return at;
}

static int finds(int folder, const char *name, int *foreign)
{
    const int fd = dal_sweep_cache_find(folder, foreign, name);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* Cut off at 16 places, one bit changed at 16, bytes added: none is taken for a program, nor for one of somebody else. */
static void damaged_programs_are_not_found(void **state)
{
    static const char name[] = "p.so";
    char folder[32], path[128], copy[2 * SIZE];
    int foreign;
    const int at = sealed(folder, path, name);
    FILE *file = fopen(path, "r+");
    const long size = (long)fread(copy, 1, sizeof copy, file);
    assert_true(size > SIZE);
    for (int k = 0; k < 33; ++k) {
        const long place = k < 16 ? k * size / 16 : (k - 16) * (size - 1) / 15;
        assert_true(finds(at, name, &foreign));
        if (k < 16) {
            assert_int_equal(truncate(path, place), 0);
        } else if (k < 32) {
            fseek(file, place, SEEK_SET);
            fputc(copy[place] ^ (1 << k % 8), file);
        } else {
            fseek(file, size, SEEK_SET);
            fputc(0, file);
        }
        fflush(file);
        assert_false(finds(at, name, &foreign));
        assert_false(foreign);
        assert_int_equal(truncate(path, size), 0);
        fseek(file, 0, SEEK_SET);
        assert_int_equal(fwrite(copy, 1, (size_t)size, file), size);
        fflush(file);
    }
    fclose(file);
    close(at);
    empty(folder);
}

static void what_others_could_have_put_there_is_foreign(void **state)
{
    static const char name[] = "p.so";
    char folder[32], path[128], other[128], bad[SWEEP_CACHE_PATH];
    int foreign;
    const int at = sealed(folder, path, name);
    assert_false(finds(at, "none.so", &foreign));
    assert_false(foreign);
    path_of(other, folder, "link.so");
    assert_int_equal(symlink(path, other), 0);
    assert_false(finds(at, "link.so", &foreign));
    assert_true(foreign);
    path_of(other, folder, "pipe.so");
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_false(finds(at, "pipe.so", &foreign));
    assert_true(foreign);
    assert_int_equal(chmod(path, 0620), 0);
    assert_false(finds(at, name, &foreign));
    assert_true(foreign);
    close(at);
    assert_int_equal(chmod(folder, 0770), 0);
    assert_int_equal(dal_sweep_cache_open(folder, bad), -1);
    assert_string_equal(bad, folder);
    assert_int_equal(dal_sweep_cache_open("/tmp", bad), -1); // sticky, but not the user's alone
    assert_string_equal(bad, "/tmp");
    empty(folder);
}

static void the_program_at_hand_and_other_files_stay(void **state)
{
    char folder[32], name[64], path[128];
    fill(folder, 3);
    write_file(folder, "lock", 0);
    write_file(folder, "notes.so", 0);
    write_file(folder, "0123456789abcdef0123456789abcdef.77.so", 0); // another process compiles it
    name_of(name, 1);
    path_of(path, folder, name);
    dal_sweep_cache_trim(folder, path, 0.0);
    assert_int_equal(program_is_there(folder, 0), 0);
    assert_int_equal(program_is_there(folder, 1), 1);
    assert_int_equal(program_is_there(folder, 2), 0);
    assert_true(is_there(folder, "lock") && is_there(folder, "notes.so"));
    assert_true(is_there(folder, "0123456789abcdef0123456789abcdef.77.so"));
    empty(folder);
}

/* Two processes that trim at once, without the lock that they have otherwise. */
static void processes_that_trim_at_once_do_no_harm(void **state)
{
    char folder[32];
    fill(folder, 40);
    const pid_t child = fork();
    if (child == 0) {
        dal_sweep_cache_trim(folder, "none", 10.0 * SIZE);
        _exit(0);
    }
    dal_sweep_cache_trim(folder, "none", 10.0 * SIZE);
    int status = -1, left = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int k = 0; k < 40; ++k) {
        left += program_is_there(folder, k);
    }
    assert_true(left <= 10 && program_is_there(folder, 39));
    empty(folder);
}

static void the_limit_is_a_number_of_megabytes(void **state)
{
    dal_ctx *ctx = check_ctx();
    double bytes;
    unsetenv("DAL_CACHE_MB");
    assert_int_equal(dal_sweep_cache_limit(ctx, &bytes), DAL_OK);
    assert_true(bytes == 256e6);
    setenv("DAL_CACHE_MB", "1.5", 1);
    assert_int_equal(dal_sweep_cache_limit(ctx, &bytes), DAL_OK);
    assert_true(bytes == 1.5e6);
    setenv("DAL_CACHE_MB", "much", 1);
    assert_int_equal(dal_sweep_cache_limit(ctx, &bytes), DAL_EOPTION);
    assert_non_null(strstr(dal_ctx_message(ctx), "DAL_CACHE_MB is 'much'"));
    unsetenv("DAL_CACHE_MB");
    dal_ctx_clear(ctx);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_go_until_the_rest_fits),
        cmocka_unit_test(what_was_loaded_again_counts_as_new),
        cmocka_unit_test(damaged_programs_are_not_found),
        cmocka_unit_test(what_others_could_have_put_there_is_foreign),
        cmocka_unit_test(the_program_at_hand_and_other_files_stay),
        cmocka_unit_test(processes_that_trim_at_once_do_no_harm),
        cmocka_unit_test(the_limit_is_a_number_of_megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
