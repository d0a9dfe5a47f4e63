#include "linsol/blas_serial.h"

#include <stdatomic.h>

/* Of OpenBLAS; its header is not installed everywhere. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int n);

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int users;   // calls that are under way
static int threads; // setting to return to after the last of them

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
}

static void leave(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void dal_blas_serial_begin(void)
{
    enter();
    if (users++ == 0) {
        threads = openblas_get_num_threads();
        if (threads != 1) {
            openblas_set_num_threads(1);
        }
    }
    leave();
}

void dal_blas_serial_end(void)
{
    enter();
    if (--users == 0 && threads != 1) {
        openblas_set_num_threads(threads);
    }
    leave();
}
