/* Sweeps over the ranks of MPI: the bytes of one process, also after a rank was killed. */
#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/tool.h"

#define ARGUMENTS                                                                                             \
    "sweep heavy_top --t-end 0.05 --random spin=uniform(100,200) --vary m=list:-1,15 --samples %d --collect " \
    "max(tip.force) -q "

static const char *tool_path(void)
{
    const char *path = getenv("DAL_TOOL");
    return path != NULL ? path : DAL_TOOL;
}

static int mpirun(int ranks, int samples, const char *rest)
{
    char command[2000];
    tool_write("rank.sh", "echo $$ >pid.$OMPI_COMM_WORLD_RANK\nexec \"$@\"\n");
    snprintf(command, sizeof command,
             "timeout 500 mpirun --oversubscribe -n %d sh rank.sh '%s' " ARGUMENTS "%s >mpi.txt 2>&1", ranks,
             tool_path(), samples, rest);
    char quoted[2500];
    size_t n = 0;
    for (const char *c = command; *c != '\0'; ++c) { // the shell shall not see parentheses
        if (*c == '(' || *c == ')') {
            quoted[n++] = '\\';
        }
        quoted[n++] = *c;
    }
    quoted[n] = '\0';
    const int status = system(quoted);
    return status >= 0 ? status >> 8 & 255 : -1;
}

static void ranks_do_not_show_in_the_bytes(void **state)
{
    char text[400];
    snprintf(text, sizeof text, ARGUMENTS "-j 1 -o one.h5", 60);
    tool_expect(text, 1, NULL);
    static const struct {
        int ranks;
        const char *rest;
    } trial[] = {{1, "--backend mpi -o m.h5"}, {2, "-o m.h5"}, {4, "-o m.h5"}, {2, "-j 2 -o m.h5"}};
    for (size_t k = 0; k < LEN(trial); ++k) {
        assert_int_equal(mpirun(trial[k].ranks, 60, trial[k].rest), 1); // half of the members fail
        tool_same_files("one.h5", "m.h5");
        remove("m.h5");
    }
}

/* The same with members in a compiled program. */
static void ranks_do_not_show_in_the_bytes_of_a_compiled_sweep(void **state)
{
    char text[400], folder[512], cache[600];
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("DAL_CFLAGS", "-O1", 1);
    snprintf(text, sizeof text, ARGUMENTS "--backend lanes -j 1 -o lanes.h5", 60);
    tool_expect(text, 1, NULL);
    static const int ranks[] = {1, 2, 4};
    for (size_t k = 0; k < LEN(ranks); ++k) {
        assert_int_equal(mpirun(ranks[k], 60, "--backend mpi,lanes -o m.h5"), 1);
        tool_same_files("lanes.h5", "m.h5");
        remove("m.h5");
    }
}

/* Rank 1 has told its number; it is killed when the journal has some members. */
static void kill_a_rank(void)
{
    for (int k = 0; k < 60000; ++k) { // minutes, on a machine that is busy
        struct stat info;
        if (stat("killed.h5.journal", &info) == 0 && info.st_size > 6000 && tool_exists("pid.1")) {
            break;
        }
        usleep(5000);
    }
    char *text = tool_read("pid.1");
    const int number = text != NULL ? (int)strtol(text, NULL, 10) : 0;
    assert_true(number > 1);
    assert_int_equal(kill(number, SIGKILL), 0);
    free(text);
}

static void nothing_is_lost_when_a_rank_dies(void **state)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(mpirun(3, 3000, "-o killed.h5"));
    }
    kill_a_rank();
    int status;
    waitpid(child, &status, 0);
    assert_true(tool_exists("killed.h5.journal"));
    assert_false(tool_exists("killed.h5"));
    struct stat info;
    assert_int_equal(stat("killed.h5.journal", &info), 0);
    assert_true(info.st_size > 6000);
    assert_int_equal(mpirun(2, 3000, "-o killed.h5 --resume"), 1);
    char text[400];
    snprintf(text, sizeof text, ARGUMENTS "-o whole.h5", 3000);
    tool_expect(text, 1, NULL);
    tool_same_files("killed.h5", "whole.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_do_not_show_in_the_bytes),
        cmocka_unit_test(ranks_do_not_show_in_the_bytes_of_a_compiled_sweep),
        cmocka_unit_test(nothing_is_lost_when_a_rank_dies),
    };
    // tests may run as root in a container with fewer cores than ranks
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
