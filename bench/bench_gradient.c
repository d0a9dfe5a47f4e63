/* Gradients of a chain of ten rods: what they cost beside the run, by mode, count of numbers and memory.
 *     bench_gradient                            a table, by time of computing
 *     bench_gradient FORMULATION MODE NUMBERS MEMORY   one of its runs, for bench/instructions */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dalembert/gradient.h"

enum { LINKS = 10, MOST = 1000, TEXT = 100000, STEPS = 500 };

static dal_ctx *ctx;
static char text[TEXT], name[MOST][64];
static const char *by[MOST];
static int used;

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += vsnprintf(text + used, sizeof text - (size_t)used, format, list);
    va_end(list);
}

/* Rods in line along x, joined by spherical joints, a force at the end by a table: 30 numbers of rods, the others values of the table. */
static void write_model(void)
{
    const int inputs = MOST - 3 * LINKS;
    int n = 0;
    put("{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [");
    for (int i = 0; i < LINKS; ++i) {
        put("%s{\"name\": \"b%d\", \"mass\": 1, \"inertia\": [0.001, 0.083, 0.084], \"position\": [%g, 0, 0], "
            "\"velocity\": [0, %g, "
            "0], \"angular_velocity\": [0, 0, 1]}",
            i > 0 ? ", " : "", i, i + 0.5, i + 0.5);
        snprintf(name[n++], sizeof name[0], "bodies.b%d.mass", i);
        snprintf(name[n++], sizeof name[0], "bodies.b%d.inertia.2", i);
        snprintf(name[n++], sizeof name[0], "joints.j%d.frame_b.0", i);
    }
    put("], \"joints\": [");
    for (int i = 0; i < LINKS; ++i) {
        put("%s{\"name\": \"j%d\", \"type\": \"spherical\", \"body_b\": \"b%d\", \"frame_b\": [-0.5, 0, 0], ",
            i > 0 ? ", " : "", i, i);
        if (i > 0) {
            put("\"body_a\": \"b%d\", \"frame_a\": [0.5, 0, 0]}", i - 1);
        } else {
            put("\"frame_a\": [0, 0, 0]}");
        }
    }
    put("], \"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"b%d\", \"vector\": [0, 1, 0], "
        "\"function\": \"u\"}], "
        "\"functions\": {\"u\": {\"type\": \"table\", \"interpolation\": \"linear\", \"x\": [",
        LINKS - 1);
    for (int row = 0; row < 2; ++row) {
        for (int i = 0; i < inputs; ++i) {
            put("%s%g", i > 0 ? ", " : "", row == 0 ? 2e-3 * STEPS * i / (inputs - 1) : 0.1 * (i % 7));
        }
        put(row == 0 ? "], \"y\": [" : "]}}, ");
    }
    for (int i = 0; i < inputs; ++i) {
        snprintf(name[n++], sizeof name[0], "functions.u.y.%d", i);
    }
    put("\"simulation\": {\"t_end\": %g, \"h\": 2e-3, \"integrator\": \"genalpha\"}}", 2e-3 * STEPS);
    for (int i = 0; i < MOST; ++i) {
        by[i] = name[i];
    }
}

/* Seconds of computing of this process: what other programs do does not count. */
static double computing(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of computing, the best of a few; numbers 0: the run alone. */
static double cost(const char *formulation, int numbers, dal_gradient_mode mode, size_t memory, int rounds)
{
    static const char *const of[] = {"final(b9.position.x)"};
    const dal_gradient_spec spec = {.source = "chain",
                                    .text = text,
                                    .set = &formulation,
                                    .nset = 1,
                                    .of = of,
                                    .nof = 1,
                                    .by = by,
                                    .nby = numbers > 0 ? numbers : 1,
                                    .memory = memory};
    dal_gradient *g;
    double best = 1e300;
    bench_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int k = 0; k < rounds; ++k) {
        const double start = computing();
        bench_ok(ctx, dal_gradient_run(g, NULL, mode));
        const double time = computing() - start;
        best = time < best ? time : best;
    }
    dal_gradient_destroy(g);
    return best;
}

/* One run with a gradient. */
static int count(char **arg)
{
    char formulation[64];
    snprintf(formulation, sizeof formulation, "formulation=%s", arg[0]);
    const dal_gradient_mode mode = strcmp(arg[1], "adjoint") == 0   ? DAL_GRADIENT_ADJOINT
                                   : strcmp(arg[1], "forward") == 0 ? DAL_GRADIENT_FORWARD
                                                                    : DAL_GRADIENT_VALUES;
    (void)cost(formulation, atoi(arg[2]), mode, (size_t)atol(arg[3]), 1);
    dal_ctx_destroy(ctx);
    return 0;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 7 };
    static const char *const formulation[] = {"formulation=index3", "formulation=ggl"};
    static const char *const head[] = {"numbers", "adjoint", "checkpoints", "forward", "per number"};
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    write_model();
    if (argc == 5) {
        return count(argv + 1);
    }
    for (int f = 0; f < 2; ++f) {
        const double run = cost(formulation[f], 0, DAL_GRADIENT_VALUES, 0, ROUNDS);
        printf("\nchain of ten rods, %s, %d steps: a run takes %.3g ms; with a gradient, in runs\n", formulation[f],
               (int)STEPS, 1e3 * run);
        bench_heads(head, 5);
        static const int numbers[] = {1, 10, 30, MOST};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
            const int n = numbers[k];
            bench_label(n);
            bench_cell(cost(formulation[f], n, DAL_GRADIENT_ADJOINT, 0, ROUNDS) / run);
            bench_cell(cost(formulation[f], n, DAL_GRADIENT_ADJOINT, 2000000, ROUNDS) / run);
            if (n <= 30) {
                const double forward = cost(formulation[f], n, DAL_GRADIENT_FORWARD, 0, ROUNDS) / run;
                bench_cell(forward);
                bench_cell((forward - 1.0) / n);
            }
            bench_end();
        }
    }
    dal_ctx_destroy(ctx);
    return 0;
}
