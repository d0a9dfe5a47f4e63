/* Members of sweeps by compiled programs against those of the library, where they could differ without a message. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool.h"

enum { MEMBERS = 3 };

static const char screw[] =
    "{\"dalembert\": 1, \"name\": \"nut\", \"variables\": {\"pitch\": 0.3},\n"
    " \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"angular_velocity\": [0, 0, 12]}],\n"
    " \"joints\": [{\"name\": \"s\", \"type\": \"screw\", \"body_b\": \"b\", \"point\": [0, 0, 0], \"axis\": [0, 0, "
    "1], "
    "\"pitch\": \"pitch\"}],\n"
    " \"simulation\": {\"t_end\": 1, \"h\": 0.01}}\n";

static const char many[] =
    "{\"dalembert\": 1, \"name\": \"many\", \"variables\": {\"m\": 1}, \"gravity\": [0, 0, -9.81],\n"
    " \"bodies\": [{\"repeat\": \"i\", \"to\": 25, \"items\": [{\"name\": \"b{i}\", \"mass\": \"m\", \"inertia\": "
    "[0.1, 0.1, "
    "0.1], \"position\": [\"i\", 0, 0]}]}],\n"
    " \"joints\": [{\"repeat\": \"i\", \"to\": 25, \"items\": [{\"name\": \"j{i}\", \"type\": \"revolute\", "
    "\"body_b\": "
    "\"b{i}\", \"point\": [\"i - 0.5\", 0, 0], \"axis\": [0, 1, 0]}]}],\n"
    " \"simulation\": {\"t_end\": 0.02, \"h\": 0.01}}\n";

/* Compiling takes longer than running. */
static void compile_fast(void)
{
    char path[512], name[600];
    tool_write("cc.sh", "#!/bin/sh\nexec cc \"$@\" -O0\n");
    assert_int_equal(chmod("cc.sh", 0700), 0);
    assert_non_null(getcwd(path, sizeof path));
    snprintf(name, sizeof name, "%s/cc.sh", path);
    setenv("DAL_CC", name, 1);
    snprintf(name, sizeof name, "%s/cache", path);
    setenv("XDG_CACHE_HOME", name, 1);
}

static void collect(double y[MEMBERS], const char *sweep, const char *backend)
{
    char command[512];
    snprintf(command, sizeof command, "%s --backend %s -q -j 1 -o out.csv", sweep, backend);
    remove("out.csv");
    tool_expect(command, 0, NULL);
    char *text = tool_read("out.csv"), *line = text;
    assert_non_null(text);
    for (int k = 0; k < MEMBERS; ++k) {
        line = strchr(line, '\n');
        assert_non_null(line);
        line = strchr(strchr(line, ',') + 1, ',');
        y[k] = strtod(line + 1, NULL);
    }
    free(text);
}

static void compare(const char *sweep)
{
    double x[MEMBERS], y[MEMBERS];
    collect(x, sweep, "interpreted");
    collect(y, sweep, "lanes");
    for (int k = 0; k < MEMBERS; ++k) {
        assert_true(fabs(x[k]) > 0.0);
        assert_true(fabs(x[k] - y[k]) <= 1e-10 * fabs(x[k]));
    }
}

/* After half a turn what a screw closes modulo is its own pitch. Way: pitch times 12 / (2 pi) s. */
static void a_screw_turns_on_with_the_pitch_of_its_member(void **state)
{
    const double pitch[MEMBERS] = {0.2, 0.3, 0.4};
    double z[MEMBERS];
    compile_fast();
    tool_write("screw.json", screw);
    compare("sweep screw.json --vary pitch=0.2:0.4:3 --collect final(b.position.z)");
    collect(z, "sweep screw.json --vary pitch=0.2:0.4:3 --collect final(b.position.z)", "lanes");
    for (int k = 0; k < MEMBERS; ++k) {
        assert_true(fabs(z[k] - pitch[k] * 12.0 / 6.283185307179586) < 1e-9);
    }
}

/* 25 bodies: their start needs no dense matrix, so the program makes it. */
static void a_model_of_many_bodies_starts_in_the_program(void **state)
{
    compile_fast();
    tool_write("many.json", many);
    tool_expect("generate many.json --parameters m -o many.c", 0, NULL);
    char *text = tool_read("many.c");
    assert_non_null(text);
    assert_non_null(strstr(text, "many_start("));
    assert_null(strstr(text, "Without many_start"));
    free(text);
    compare("sweep many.json --vary m=1:2:3 --collect final(b25.position.z)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_screw_turns_on_with_the_pitch_of_its_member),
        cmocka_unit_test(a_model_of_many_bodies_starts_in_the_program),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
