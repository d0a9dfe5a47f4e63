/* dalembert-mpi: 'dalembert sweep' with an engine over MPI. A program of its own, so that the others do not wait for MPI to
 * load; 'mpirun dalembert sweep ...' finds it beside the tool. */
#include <locale.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

extern const cli_command cli_sweep;

int main(int argc, char **argv)
{
    int provided, rank = 0, code;
    setlocale(LC_ALL, "C");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int first = argc > 1 && strcmp(argv[1], "sweep") == 0 ? 2 : 1;
    if (provided < MPI_THREAD_FUNNELED) {
        code = cli_error(CLI_INTEGRATION, "this MPI allows no threads");
    } else {
        sweep_engine = sweep_mpi_run;
        sweep_rank = rank;
        code = cli_call(&cli_sweep, argc - first, argv + first);
    }
    fflush(stdout);
    if (code > CLI_OK && !sweep_begun) { // the others may be waiting
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    // the exit code is that of rank 0, which has told why
    MPI_Finalize();
    return rank == 0 ? code : CLI_OK;
}
