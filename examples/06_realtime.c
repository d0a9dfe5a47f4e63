/* Real time: how long do steps of a generated program take, the worst one above all? An argument gives their number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "top.c" // NOLINT(bugprone-suspicious-include)

/* Since a second that is not long ago: all digits of the clock count. */
static double microseconds(time_t since)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e6 * (double)(t.tv_sec - since) + 1e-3 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    double *took = n > 0 ? malloc((size_t)n * sizeof *took) : NULL;
    heavy_top_state s;
    if (!took) {
        fprintf(stderr, "usage: example_06_realtime [number of steps]\n");
        return 2;
    }
    memset(took, 0, (size_t)n * sizeof *took); // no page faults while the clock runs
    const time_t start = time(NULL);
    heavy_top_init(&s);
    for (long k = 0; k < n; ++k) {
        const double before = microseconds(start);
        if (heavy_top_step(&s) != HEAVY_TOP_OK) {
            fprintf(stderr, "the step from t = %g failed\n", s.t);
            free(took);
            return 1;
        }
        took[k] = microseconds(start) - before;
    }
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("%ld steps of 1 ms, the clock included: half of them within %.2f us, 99.99 %% within %.2f us, the worst "
           "%.1f us\n",
           n, took[n / 2], took[(long)(0.9999 * (double)(n - 1))], took[n - 1]);
    free(took);
    return 0;
}
