/* What the benchmarks share: a clock, a stopwatch that repeats until the time is worth reading, and rows of tables.
 *
 *     double ns = 1e9 * bench_seconds(work, &data);     seconds per call of work(&data)
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dalembert/base.h"

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds per call of work(data): the best of five rounds of at least 10 ms, so at least 50 ms in all. */
static inline double bench_seconds(void (*work)(void *data), void *data)
{
    enum { ROUNDS = 5 };
    const double round = 0.01;
    double best = 1e300;
    long calls = 1;
    for (int k = 0; k < ROUNDS;) {
        const double start = bench_now();
        for (long i = 0; i < calls; ++i) {
            work(data);
        }
        const double time = bench_now() - start;
        if (time < round) { // too short to count: more calls
            calls = time > 0.1 * round ? (long)(1.2 * (double)calls * round / time) + 1 : 10 * calls;
            continue;
        }
        best = time / (double)calls < best ? time / (double)calls : best;
        ++k;
    }
    return best;
}

/* Benchmarks do not go on after a failure. */
static inline void bench_ok(const dal_ctx *ctx, dal_status st)
{
    if (st != DAL_OK) {
        fprintf(stderr, "%s: %s\n", dal_status_name(st), dal_ctx_message(ctx));
        exit(EXIT_FAILURE);
    }
}

/* A title, a row of headings, a cell. */
static inline void bench_title(const char *title)
{
    printf("\n%s\n", title);
}

static inline void bench_heads(const char *const *head, int n)
{
    for (int i = 0; i < n; ++i) {
        printf("%*s", i == 0 ? 8 : 14, head[i]);
    }
    printf("\n");
}

static inline void bench_label(int label)
{
    printf("%8d", label);
}

static inline void bench_cell(double value)
{
    printf("%14.4g", value);
    fflush(stdout);
}

static inline void bench_end(void)
{
    printf("\n");
}

#endif
