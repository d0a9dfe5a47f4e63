/* Out of memory at any allocation, of whichever library: the tool says so, or does without; it never crashes, and nothing
 * half-written gets a name. */
#define _XOPEN_SOURCE 700

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool.h"
#include "dalembert/results.h"

/* Run with one allocation failing (0: none). */
static tool_result run(const char *arguments, long at)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", at);
    setenv("DAL_NO_MEMORY", text, 1);
    setenv("LD_PRELOAD", DAL_FAULTS, 1);
    tool_result r = tool(arguments);
    unsetenv("LD_PRELOAD");
    return r;
}

static long count_allocations(const char *arguments)
{
    long operations = 0, allocations = 0;
    setenv("DAL_COUNT", "count", 1);
    tool_result r = run(arguments, 0);
    unsetenv("DAL_COUNT");
    assert_int_equal(r.code, 0);
    tool_free(&r);
    char *text = tool_read("count");
    assert_int_equal(sscanf(text, "%ld %ld", &operations, &allocations), 2);
    free(text);
    return allocations;
}

/* What a command leaves: what it prints, and a file if it writes one. NULL: nothing that is the same every time. */
typedef struct answer {
    char *out, *file;
} answer;

static answer answer_of(const char *arguments, const char *file)
{
    tool_result r = run(arguments, 0);
    assert_int_equal(r.code, 0);
    const answer a = {.out = strdup(r.out), .file = file != NULL ? tool_read(file) : NULL};
    tool_free(&r);
    return a;
}

static void forget(answer *a)
{
    free(a->out);
    free(a->file);
}

static int differs(const answer *right, const char *out, const char *file)
{
    int other = right->out != NULL && strcmp(right->out, out) != 0;
    if (file != NULL) {
        char *text = tool_read(file);
        other |= strcmp(right->file, text) != 0;
        free(text);
    }
    return other;
}

/* A file of that name that is not the right one. */
static int half_written(const answer *right, const char *file)
{
    char *text = file != NULL && access(file, F_OK) == 0 ? tool_read(file) : NULL;
    const int half = text != NULL && strcmp(right->file, text) != 0;
    free(text);
    return half;
}

/* Every stride-th allocation; `clean` is what has to go before each run. A command that says that all is well has given the
 * answer it gives otherwise, in `file` too if it writes one; else it has a message, and no file of that name but the whole one,
 * if it was the summary that failed. */
static void survives(const char *arguments, const char *clean, const char *file, int stride)
{
    const long n = count_allocations(arguments);
    int told = 0;
    assert_true(n > 5);
    assert_int_equal(system(clean), 0);
    answer right = answer_of(arguments, file);
    assert_int_equal(system(clean), 0);
    answer again = answer_of(arguments, file);
    if (strcmp(right.out, again.out) != 0) { // it has times in it
        free(right.out);
        right.out = NULL;
    }
    forget(&again);
    for (long at = 1; at <= n; at += stride) {
        assert_int_equal(system(clean), 0);
        tool_result r = run(arguments, at);
        const int silent = r.code != 0 && r.err[0] == '\0';
        if (r.code > 5 || silent || (r.code == 0 && differs(&right, r.out, file)) ||
            (r.code != 0 && half_written(&right, file))) {
            print_error("dalembert %s, allocation %ld fails: exit code %d\n%s\n", arguments, at, r.code, r.err);
            fail();
        }
        told += r.code != 0;
        tool_free(&r);
    }
    forget(&right);
    print_message("%s: %ld allocations, %d of %ld failures end it\n", arguments, n, told, (n + stride - 1) / stride);
}

static void a_run_survives_every_failing_allocation(void **state)
{
    survives("run pendulum -q --t-end 0.02", "true", NULL, 1);
    survives("run spatial_slider_crank --json --t-end 0.002 -o out --checkpoint run.cp", "rm -rf out run.cp*",
             "out/outputs.csv", 3);
}

static void other_commands_do(void **state)
{
    static const char *const commands[] = {
        "check pendulum",
        "study pendulum --h 0.01,0.005 --t-end 0.1 -j 1",
        "static pendulum",
        "modes pendulum",
        "linearize rotor",
        "kinematics slider_crank --drive A=0:1:3",
        "inverse slider_crank --motion A=t^2 --times 0:1:3",
        "campbell rotor --set spin=0:10:3",
    };
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; ++k) {
        survives(commands[k], "true", NULL, 5);
    }
    survives("generate pendulum --parameters g -o p.c", "rm -f p.c", "p.c", 3);
    survives("sweep pendulum --vary g=9:10:3 --set h=0.01 --t-end 0.02 --collect final(energy) -o x.csv -q -j 1",
             "rm -f x.csv*", "x.csv", 3);
    survives("view pendulum -o p.html", "rm -f p.html", "p.html", 5);
}

/* From where the program just starts to where the run ends well, in small steps. */
static void a_lack_of_memory_is_seen_before_hdf5_meets_it(void **state)
{
    static const char arguments[] = "run pendulum -q --t-end 0.02 -o out.h5";
    const long step = 512 * 1024;
    long low = 16 << 20, least = 1L << 30; // libraries need so much before main
    int told = 0, good = 0;
    while (least - low > step) {
        const long limit = (low + least) / 2;
        tool_result r = tool_cramped("run pendulum -q --t-end 0.02", limit);
        *(r.code == 0 ? &least : &low) = limit;
        tool_free(&r);
    }
    for (long limit = least; good < 5 && limit < least + 4000 * step; limit += step) {
        assert_int_equal(system("rm -rf out.h5*"), 0);
        tool_result r = tool_cramped(arguments, limit);
        if (r.code > 5 || (r.code != 0 && r.err[0] == '\0')) {
            print_error("dalembert %s within %ld bytes: exit code %d\n%s\n", arguments, limit, r.code, r.err);
            fail();
        }
        told += r.code != 0;
        good += r.code == 0;
        tool_free(&r);
    }
    print_message("%s: refused within %d limits\n", arguments, told);
    assert_int_equal(good, 5);
}

static void what_is_ours_around_hdf5_does(void **state)
{
    survives("run pendulum -q --t-end 0.02 -o out.h5", "rm -rf out.h5*", NULL, 1);
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // its threads would take memory, and wait for it
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_survives_every_failing_allocation),
        cmocka_unit_test(other_commands_do),
        cmocka_unit_test(what_is_ours_around_hdf5_does),
        cmocka_unit_test(a_lack_of_memory_is_seen_before_hdf5_meets_it),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
