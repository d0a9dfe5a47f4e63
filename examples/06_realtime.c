/* Real time: how long do steps of a generated program take, the worst one above all? An argument gives their number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "top.c" // NOLINT(bugprone-suspicious-include)

static double microseconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    long slow = 0;
    double worst = 0.0, sum = 0.0;
    heavy_top_state s;
    heavy_top_init(&s);
    for (long k = 0; k < n; ++k) {
        const double before = microseconds();
        if (heavy_top_step(&s) != HEAVY_TOP_OK) {
            fprintf(stderr, "the step from t = %g failed\n", s.t);
            return 1;
        }
        const double took = microseconds() - before;
        worst = took > worst ? took : worst;
        slow += took > 10.0;
        sum += took;
    }
    printf("%ld steps of 1 ms: %.2f us each (the clock included), worst %.1f us, above 10 us: %ld\n", n,
           sum / (double)n, worst, slow);
    return 0;
}
