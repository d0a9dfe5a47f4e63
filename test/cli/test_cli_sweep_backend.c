/* 'dalembert sweep --backend': the cache of compiled programs, and what is said where there is no compiler. */
#define _DEFAULT_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/tool.h"

#define TOPS "sweep heavy_top --t-end 0.02 --random spin=uniform(100,200) --samples 20 --collect max(tip.force) "

/* A compiler that writes a line for each program. */
static void count_compiles(void)
{
    char path[512], cc[600];
    tool_write("cc.sh", "#!/bin/sh\necho compiled >>\"$COUNT\"\nexec cc -O0 \"$@\" -O0\n");
    assert_int_equal(chmod("cc.sh", 0700), 0);
    assert_non_null(getcwd(path, sizeof path));
    snprintf(cc, sizeof cc, "%s/cc.sh", path);
    setenv("DAL_CC", cc, 1);
    snprintf(cc, sizeof cc, "%s/count", path);
    setenv("COUNT", cc, 1);
    snprintf(cc, sizeof cc, "%s/cache", path);
    setenv("XDG_CACHE_HOME", cc, 1);
    remove("count");
}

static long compiles(void)
{
    char *text = tool_read("count");
    const long n = text != NULL ? (long)strlen(text) / 9 : 0;
    free(text);
    return n;
}

static void same_text(const char *a, const char *b)
{
    char *x = tool_read(a), *y = tool_read(b);
    assert_non_null(x);
    assert_non_null(y);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void a_program_is_compiled_once(void **state)
{
    struct stat s;
    count_compiles();
    json_t *j = tool_json(TOPS "--backend lanes -o a.csv --json -j 1", 0);
    assert_string_equal(json_string_value(json_object_get(j, "backend")), "lanes");
    assert_int_equal(tool_number(j, "handed_over"), 0);
    assert_true(tool_number(j, "compile_seconds") > 0.0);
    json_decref(j);
    assert_int_equal(compiles(), 1);
    assert_int_equal(stat("cache/dalembert", &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    // other samples, another number of threads: the same program, and the same bytes
    tool_expect(TOPS "--backend lanes -q -j 2 -o b.csv", 0, NULL);
    tool_expect(TOPS "--backend lanes --seed 9 -q -o c.csv", 0, NULL);
    assert_int_equal(compiles(), 1);
    same_text("a.csv", "b.csv");
}

static void runs_at_the_same_time_compile_once(void **state)
{
    pid_t child[3];
    count_compiles();
    char path[512], cache[600];
    assert_non_null(getcwd(path, sizeof path));
    snprintf(cache, sizeof cache, "%s/shared", path);
    setenv("XDG_CACHE_HOME", cache, 1);
    for (int k = 0; k < 3; ++k) {
        child[k] = fork();
        if (child[k] == 0) {
            char text[300];
            snprintf(text, sizeof text, TOPS "--backend lanes -q -j 1 -o same%d.csv", k);
            tool_result r = tool(text);
            _exit(r.code);
        }
    }
    for (int k = 0; k < 3; ++k) {
        int status = 1;
        waitpid(child[k], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(compiles(), 1);
    same_text("same0.csv", "same1.csv");
    same_text("same0.csv", "same2.csv");
}

static void a_compiler_that_is_not_there_or_fails_is_named(void **state)
{
    count_compiles();
    setenv("DAL_CC", "/nowhere/cc", 1);
    tool_expect(TOPS "--backend lanes", 2, "there is no compiler '/nowhere/cc' (DAL_CC can name another one)");
    tool_write("bad.sh", "#!/bin/sh\necho 'no licence today' >&2\nexit 1\n");
    assert_int_equal(chmod("bad.sh", 0700), 0);
    setenv("DAL_CC", "./bad.sh", 1);
    tool_expect(TOPS "--backend lanes", 2, "no licence today");
    setenv("DAL_NVCC", "/nowhere/nvcc", 1);
    tool_expect(TOPS "--backend cuda", 2, "needs the CUDA toolkit");
}

/* Success without a file, with one that is no library, a folder for a compiler, too many options: the cause, and code 2. */
static void a_compiler_that_makes_nothing_is_told(void **state)
{
    char many[300] = "";
    count_compiles();
    setenv("DAL_CC", "true", 1);
    tool_expect(TOPS "--backend lanes", 2, "made no file");
    setenv("DAL_CC", "false", 1);
    tool_expect(TOPS "--backend lanes", 2, "exit status 1");
    setenv("DAL_CC", "/tmp", 1);
    tool_expect(TOPS "--backend lanes", 2, "there is no compiler '/tmp'");
    tool_write("none", "");
    assert_int_equal(chmod("none", 0700), 0);
    setenv("DAL_CC", "./none", 1);
    tool_expect(TOPS "--backend lanes", 2, "it cannot be started: Exec format error");
    unsetenv("DAL_CC");
    setenv("DAL_CFLAGS", "-O0\t-c\n", 1);
    tool_expect(TOPS "--backend lanes", 2, "cannot be loaded (see DAL_CC and DAL_CFLAGS");
    for (int k = 0; k < 70; ++k) {
        snprintf(many + 3 * (size_t)k, 4, "-g ");
    }
    setenv("DAL_CFLAGS", many, 1);
    tool_expect(TOPS "--backend lanes", 2, "more than 64 words");
    unsetenv("DAL_CFLAGS");
}

/* The folder of the cache and those above it are made; a damaged file in it is compiled anew, what a killed process left goes. */
static void a_cache_mends_itself(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    char path[512], text[700];
    count_compiles();
    assert_non_null(getcwd(path, sizeof path));
    snprintf(text, sizeof text, "%s/some/where/deep", path);
    setenv("XDG_CACHE_HOME", text, 1);
    tool_expect(TOPS "--backend lanes -q -o d0.csv", 0, NULL);
    assert_int_equal(compiles(), 1);
    assert_int_equal(system("for f in some/where/deep/dalembert/*.so; do rm $f; : >$f; chmod 600 $f; done"), 0);
    snprintf(text, sizeof text, "some/where/deep/dalembert/%032d.12.c", 0);
    tool_write(text, "");
    assert_int_equal(utimensat(AT_FDCWD, text, old, 0), 0);
    tool_expect(TOPS "--backend lanes -q -o d1.csv", 0, NULL);
    assert_int_equal(compiles(), 2);
    assert_int_equal(access(text, F_OK), -1);
    same_text("d0.csv", "d1.csv");
    // one byte in the midst of the code; whatever the user's mask, what is made anew can be loaded again
    assert_int_equal(system("for f in some/where/deep/dalembert/*.so; do n=$(($(wc -c <$f) / 2)); "
                            "printf '\\377' | dd of=$f bs=1 seek=$n conv=notrunc 2>dd.log; done"),
                     0);
    const mode_t mask = umask(0);
    for (int k = 0; k < 2; ++k) {
        tool_expect(TOPS "--backend lanes -q -o d2.csv", 0, NULL);
        assert_int_equal(compiles(), 3);
        same_text("d0.csv", "d2.csv");
    }
    umask(mask);
}

static void a_cache_that_others_could_write_to_is_refused(void **state)
{
    count_compiles();
    assert_int_equal(mkdir("open", 0700), 0);
    assert_int_equal(mkdir("open/dalembert", 0700), 0);
    assert_int_equal(chmod("open/dalembert", 0777), 0);
    char path[512], cache[600];
    assert_non_null(getcwd(path, sizeof path));
    snprintf(cache, sizeof cache, "%s/open", path);
    setenv("XDG_CACHE_HOME", cache, 1);
    tool_expect(TOPS "--backend lanes", 5, "others can write there");
    // so is one that others could replace: folders above it count
    assert_int_equal(chmod("open/dalembert", 0700), 0);
    assert_int_equal(chmod("open", 0777), 0);
    tool_expect(TOPS "--backend lanes", 5, "open' is open to them or belongs to another user");
    assert_int_equal(chmod("open", 0700), 0);
    if (getuid() == 0) { // others cannot give folders away
        assert_int_equal(chown("open", 12345, 12345), 0);
        tool_expect(TOPS "--backend lanes", 5, "open' is open to them or belongs to another user");
        assert_int_equal(chown("open", 0, 0), 0);
    }
    assert_int_equal(symlink("open", "link"), 0); // a link of ours is as good as the folder
    snprintf(cache, sizeof cache, "%s/link", path);
    setenv("XDG_CACHE_HOME", cache, 1);
    tool_expect(TOPS "--backend lanes -q", 0, NULL);
    // a program is a file, not a link to one
    assert_int_equal(system("cd open/dalembert && for f in *.so; do mv $f ../moved && ln -s ../moved $f; done"), 0);
    tool_expect(TOPS "--backend lanes", 5, "a file in it is not yours alone");
    tool_write("file", "");
    snprintf(cache, sizeof cache, "%s/file", path);
    setenv("XDG_CACHE_HOME", cache, 1);
    tool_expect(TOPS "--backend lanes", 5, "set XDG_CACHE_HOME to a folder of yours");
}

/* Numbers of elements: the command for a member is a sweep, with the backend and the one quantity in question. */
static void commands_for_members_keep_the_backend(void **state)
{
    count_compiles();
    json_t *j = tool_json("sweep heavy_top --t-end 0.02 --vary bodies.top.mass=list:14,15 --collect max(energy) "
                          "--collect final(energy) --backend lanes --json",
                          0);
    const json_t *one = json_array_get(json_object_get(j, "collected"), 1);
    const char *command = json_string_value(json_object_get(one, "max_command"));
    assert_non_null(command);
    assert_non_null(strstr(command, " --backend lanes --collect 'final(energy)'"));
    assert_null(strstr(command, "max(energy)"));
    char again[1000];
    snprintf(again, sizeof again, "%s --json", command + strlen("dalembert "));
    for (char *p; (p = strchr(again, '\'')) != NULL;) {
        memmove(p, p + 1, strlen(p));
    }
    json_t *alone = tool_json(again, 0);
    const json_t *same = json_array_get(json_object_get(alone, "collected"), 0);
    assert_true(json_real_value(json_object_get(same, "max")) == json_real_value(json_object_get(one, "max")));
    json_decref(alone);
    json_decref(j);
}

static void auto_says_why_it_is_the_library(void **state)
{
    count_compiles();
    json_t *j = tool_json(TOPS "--backend auto --json", 0);
    assert_string_equal(json_string_value(json_object_get(j, "backend")), "interpreted");
    assert_non_null(strstr(json_string_value(json_object_get(j, "backend_note")), "too few to be worth compiling"));
    json_decref(j);
    setenv("DAL_CC", "/nowhere/cc", 1);
    tool_write("short.json", "{\"dalembert\": 1, \"variables\": {\"m\": 1}, \"bodies\": [{\"name\": \"b\", \"type\": "
                             "\"point\", \"mass\": \"m\"}], \"forces\": [{\"name\": \"f\", \"type\": \"force\", "
                             "\"body\": \"b\", \"vector\": [1, 0, 0], \"function\": \"sqrt(1e-9 - t)\"}]}");
    tool_result r = tool("sweep short.json --t-end 0.001 --random m=uniform(1,2) --samples 4 --set h=1e-10 "
                         "--collect final(t) --backend auto");
    assert_int_equal(r.code, 1); // the force ends all members
    assert_non_null(strstr(r.out, "backend interpreted: there is no compiler '/nowhere/cc'"));
    tool_free(&r);
    assert_int_equal(compiles(), 0);
}

static void what_the_program_does_not_have_is_refused(void **state)
{
    count_compiles();
    tool_expect(TOPS "--backend lanes --set step=adaptive", 3, "a tolerance controls the steps");
    tool_expect(TOPS "--backend lanes --set integrator=lobatto", 3, "this integrator");
    tool_expect("sweep bouncing_ball --backend lanes --t-end 0.01 --vary gravity.2=list:-9,-10 --collect final(energy)",
                3, "is of type contact");
    tool_expect(TOPS "--backend laens", 2, "--backend is interpreted, lanes, cuda or auto");
    tool_expect(TOPS "--backend lanes,cuda", 2, "--backend is interpreted");
    tool_expect("sweep heavy_top --optimize min(final(energy)) --bound spin=100:200 --backend lanes", 2,
                "one member after the other");
    assert_int_equal(compiles(), 0);
}

/* A journal knows its backend; going on with another one would mix results. */
static void a_sweep_goes_on_with_its_own_backend_only(void **state)
{
    count_compiles();
    tool_expect(TOPS "--backend lanes -q -o parts.csv --shard 1/2", 0, NULL);
    tool_expect(TOPS "-q -o parts.csv --shard 1/2 --resume", 2, NULL);
    tool_expect(TOPS "--backend lanes -q -o parts.csv --shard 2/2", 0, NULL);
    tool_expect("sweep --merge -q -o parts.csv", 0, NULL);
    tool_expect(TOPS "--backend lanes -q -o whole.csv", 0, NULL);
    same_text("parts.csv", "whole.csv");
    // nothing is left to do, and the file is known as one of this sweep
    tool_expect(TOPS "--backend lanes -q -o whole.csv --resume", 0, NULL);
    tool_expect(TOPS "-q -o whole.csv --resume", 2, "results of another sweep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_compiled_once),
        cmocka_unit_test(runs_at_the_same_time_compile_once),
        cmocka_unit_test(a_compiler_that_is_not_there_or_fails_is_named),
        cmocka_unit_test(a_compiler_that_makes_nothing_is_told),
        cmocka_unit_test(a_cache_mends_itself),
        cmocka_unit_test(commands_for_members_keep_the_backend),
        cmocka_unit_test(a_cache_that_others_could_write_to_is_refused),
        cmocka_unit_test(auto_says_why_it_is_the_library),
        cmocka_unit_test(what_the_program_does_not_have_is_refused),
        cmocka_unit_test(a_sweep_goes_on_with_its_own_backend_only),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
