#define _POSIX_C_SOURCE 200809L

#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t seen;
static struct timespec first;

/* Impatience counts after a second: programs like timeout(1) send the same signal twice in a row. */
static void remember(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seen == 0) {
        first = now;
        seen = number;
    } else if ((double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) > 1.0) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void signals_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        struct sigaction before;
        // nohup is respected; SIGINT is not left ignored, as shells do to what they run in the background
        if (numbers[i] != SIGHUP || (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)) {
            sigaction(numbers[i], &action, NULL);
        }
    }
    // a limit on file sizes is a full disk: write() reports it
    signal(SIGXFSZ, SIG_IGN);
}

int signals_seen(void)
{
    return (int)seen;
}
