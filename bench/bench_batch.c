/* What bench/python_cost.py compares with: many simulations that are stepped in turn, one step each, as dalembert.batch does it, and steps
 * with an input that changes each time. One core, CPU time. Runs in the root of the project. */
#include "bench.h"

#include <pthread.h>

#include "dalembert/dalembert.h"

enum { MEMBERS = 1000, ROUNDS = 10, STEPS = 2000, REPEAT = 20, MOST_THREADS = 2 };

typedef struct run {
    dal_ctx *ctx;
    dal_document *doc;
    int n;
    dal_sim *sim[MEMBERS];
} run;

static void start(run *r, const char *model, const char *h, int n)
{
    const dal_system *sys = NULL;
    bench_ok(r->ctx, dal_ctx_create(&r->ctx, NULL));
    bench_ok(r->ctx, dal_document_open(&r->doc, r->ctx, model, &h, 1));
    dal_model *m = dal_document_model(r->doc);
    bench_ok(r->ctx, dal_model_compile(m, &sys));
    for (r->n = 0; r->n < n; ++r->n) {
        dal_sim **sim = &r->sim[r->n];
        bench_ok(r->ctx, dal_sim_create(sim, r->ctx, sys, dal_document_options(r->doc)));
        bench_ok(r->ctx, dal_sim_start(*sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    }
}

static void end(run *r)
{
    while (r->n > 0) {
        dal_sim_destroy(r->sim[--r->n]);
    }
    dal_document_destroy(r->doc);
    dal_ctx_destroy(r->ctx);
}

static void in_turn(const run *r)
{
    for (int k = 0; k < ROUNDS; ++k) {
        for (int i = 0; i < r->n; ++i) {
            bench_ok(r->ctx, dal_sim_step(r->sim[i]));
        }
    }
}

static void with_input(const run *r)
{
    for (int k = 0; k < STEPS; ++k) {
        bench_ok(r->ctx, dal_sim_set_input(r->sim[0], 0, k % 2 ? 10.0 : -10.0));
        bench_ok(r->ctx, dal_sim_step(r->sim[0]));
    }
}

/* Least seconds of several rounds. */
static double best(void (*work)(const run *r), const run *r)
{
    double least = 1e300;
    for (int k = 0; k < REPEAT; ++k) {
        const clock_t before = clock();
        work(r);
        const double took = (double)(clock() - before) / CLOCKS_PER_SEC;
        least = took < least ? took : least;
    }
    return least;
}

static void *thread(void *r)
{
    in_turn(r);
    return NULL;
}

/* Steps a second by the clock on the wall: each thread has a context and an equal part of the members. */
static double on_threads(int n)
{
    static run part[MOST_THREADS];
    double least = 1e300;
    for (int i = 0; i < n; ++i) {
        start(&part[i], "heavy_top", "h=1e-3", MEMBERS / n);
    }
    for (int k = 0; k < REPEAT; ++k) {
        pthread_t id[MOST_THREADS];
        const double before = bench_now();
        for (int i = 0; i < n; ++i) {
            if (pthread_create(&id[i], NULL, thread, &part[i]) != 0) {
                exit(1);
            }
        }
        for (int i = 0; i < n; ++i) {
            pthread_join(id[i], NULL);
        }
        const double took = bench_now() - before;
        least = took < least ? took : least;
    }
    for (int i = 0; i < n; ++i) {
        end(&part[i]);
    }
    return MEMBERS * ROUNDS / least;
}

int main(void)
{
    static run tops, crane;
    start(&tops, "heavy_top", "h=1e-3", MEMBERS);
    printf("\n%d heavy tops in turn, steps a second and core: %.0f\n", MEMBERS,
           MEMBERS * ROUNDS / best(in_turn, &tops));
    end(&tops);
    start(&crane, "examples/crane/crane.json", "h=1e-3", 1);
    printf("crane, a step with a new input, us: %.2f\n", 1e6 * best(with_input, &crane) / STEPS);
    end(&crane);
    for (int n = 1; n <= MOST_THREADS; ++n) {
        printf("%d heavy tops on %d thread%s, steps a second: %.0f\n", MEMBERS, n, n == 1 ? "" : "s", on_threads(n));
    }
    return 0;
}
