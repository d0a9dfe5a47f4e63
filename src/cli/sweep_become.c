/* Under mpirun the tool becomes dalembert-mpi, which lies beside it. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep.h"

dal_status (*sweep_engine)(sweep_job *job);
int sweep_rank;

/* How many ranks there are, as launchers say it; 0: none did. */
static int ranks(void)
{
    static const char *const variable[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
    for (int k = 0; k < CLI_LEN(variable); ++k) {
        const char *text = getenv(variable[k]);
        int n;
        if (text != NULL && cli_integer(&n, text, 1, 100000000)) {
            return n;
        }
    }
    return 0;
}

/* The command line again, as the kernel keeps it. */
static char **arguments(char *text, size_t size)
{
    static char *word[2000];
    FILE *in = fopen("/proc/self/cmdline", "r");
    const size_t n = in != NULL ? fread(text, 1, size - 1, in) : 0;
    int count = 0;
    if (in != NULL) {
        fclose(in);
    }
    for (size_t at = 0; at < n && count < 1999; at += strlen(text + at) + 1) {
        word[count++] = text + at;
    }
    return count > 1 ? word : NULL;
}

void sweep_become_mpi(const sweep_job *job)
{
    static char path[SWEEP_PATH + 16], text[200000];
    const sweep_choice choice = sweep_read_backend(job);
    const int wanted = choice.mpi || (!choice.threads && ranks() > 1);
    if (sweep_engine != NULL || !wanted) {
        return;
    }
    const ssize_t n = readlink("/proc/self/exe", path, SWEEP_PATH - 1);
    char *slash = n > 0 ? strrchr(path, '/') : NULL;
    char **word = arguments(text, sizeof text);
    if (slash != NULL && word != NULL) {
        memcpy(slash + 1, "dalembert-mpi", sizeof "dalembert-mpi");
        execv(path, word);
    }
    cli_fail(CLI_USAGE,
             "several ranks need 'dalembert-mpi' beside this program (built where MPI is installed; on Debian: "
             "apt-get install libopenmpi-dev openmpi-bin); without, use --shard");
}
