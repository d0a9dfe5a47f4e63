/* A sweep that is killed at any operation on a file, in the midst of a write, and again and again while it goes on, ends
 * with the bytes of one that was not. */
#define _XOPEN_SOURCE 700

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool.h"

#define ARGUMENTS                                                                                             \
    "sweep heavy_top --t-end 0.02 --random spin=uniform(100,200) --vary m=list:-1,15 --samples 40 --collect " \
    "max(tip.force) -q "

static const char *const place[] = {"out.h5", "out.csv"}, *const whole[] = {"whole.h5", "whole.csv"};

static int run(const char *arguments, long at)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", at);
    setenv("DAL_KILL_AT", text, 1);
    setenv("LD_PRELOAD", DAL_FAULTS, 1);
    tool_result r = tool(arguments);
    unsetenv("LD_PRELOAD");
    const int code = r.code;
    if (code != 1 && code != 128 + SIGKILL) {
        print_error("dalembert %s, killed at %ld: exit code %d\n%s\n", arguments, at, code, r.err);
    }
    tool_free(&r);
    return code;
}

/* One member in two fails: the model is refused. The exit code of a whole sweep is 1. */
static void kills_leave_no_trace(void **state)
{
    check_rng rng = check_rng_seed(17);
    int kills = 0;
    for (int f = 0; f < 2; ++f) {
        char text[300];
        snprintf(text, sizeof text, ARGUMENTS "-j 1 -o %s", whole[f]);
        tool_expect(text, 1, NULL);
        for (int trial = 0; trial < 12; ++trial) {
            int code;
            long at;
            do {
                // one or two threads; the operations of a whole sweep are 80 members and those of the file
                at = trial < 2 ? 1 + trial : 1 + (long)check_uniform(&rng, 0.0, 60.0);
                snprintf(text, sizeof text, ARGUMENTS "-j %d --resume -o %s", 1 + trial % 2, place[f]);
                code = run(text, at);
                kills += code == 128 + SIGKILL;
                if (kills % 4 == 3 && code != 1) {
                    code = run(text, 0);
                }
                assert_true(code == 1 || code == 128 + SIGKILL);
            } while (code != 1);
            print_message("killed at %ld\n", at);
            tool_same_files(place[f], whole[f]);
            remove(place[f]);
        }
    }
    print_message("%d kills\n", kills);
    assert_true(kills >= 50);
}

/* The same where members run in a compiled program, which is in the cache. */
static void kills_of_a_compiled_sweep_leave_no_trace(void **state)
{
    check_rng rng = check_rng_seed(3);
    char folder[512], cache[600];
    int kills = 0;
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("DAL_CFLAGS", "-O1", 1);
    tool_expect(ARGUMENTS "--backend lanes -j 1 -o lanes.h5", 1, NULL);
    for (int trial = 0; trial < 6; ++trial) {
        int code;
        long at;
        do {
            char text[300];
            at = 1 + (long)check_uniform(&rng, 0.0, 60.0);
            snprintf(text, sizeof text, ARGUMENTS "--backend lanes -j %d --resume -o out.h5", 1 + trial % 2);
            code = run(text, at);
            kills += code == 128 + SIGKILL;
            if (kills % 4 == 3 && code != 1) {
                code = run(text, 0);
            }
            assert_true(code == 1 || code == 128 + SIGKILL);
        } while (code != 1);
        print_message("killed at %ld\n", at);
        tool_same_files("out.h5", "lanes.h5");
        remove("out.h5");
    }
    assert_true(kills >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kills_leave_no_trace),
                                       cmocka_unit_test(kills_of_a_compiled_sweep_leave_no_trace)};
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
