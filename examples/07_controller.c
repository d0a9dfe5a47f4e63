/* A sampled controller in the loop: a crane moves its load by 5 m, told what to do 1000 times a second. How long does a period take, the
 * worst one above all, and does anything allocate? The run is repeated, bit by bit the same: the shortest time that a period took in all of
 * them is what the program needs, what is beyond comes from the machine (interrupts, other programs). An argument gives the path
 * of the model, a second one how often. */
#include <dalembert/dalembert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PERIODS = 20000, SIGNALS = 4, RUNS = 10 };

static void *count_alloc(size_t bytes, void *user)
{
    ++*(long *)user;
    return malloc(bytes);
}

static void count_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

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

/* State feedback: place and speed of the trolley, angle and rate of the load. The drive has its limits. */
static double controller(const double y[SIGNALS])
{
    static const double gain[SIGNALS] = {707.0, 1479.0, 1099.0, -1934.0}, wanted[SIGNALS] = {5.0, 0.0, 0.0, 0.0};
    double u = 0.0;
    for (int k = 0; k < SIGNALS; ++k) {
        u -= gain[k] * (y[k] - wanted[k]);
    }
    return fmin(fmax(u, -2000.0), 2000.0);
}

/* One period: measure, decide, tell, step. */
static dal_status period(dal_sim *sim, const dal_model *model, double y[SIGNALS])
{
    const dal_state s = dal_sim_state(sim);
    const dal_point now = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    DAL_TRY(dal_model_outputs(model, dal_sim_data(sim), y, &now));
    DAL_TRY(dal_sim_set_input(sim, 0, controller(y)));
    return dal_sim_step(sim);
}

static dal_status start(dal_sim **sim, dal_document **doc, dal_ctx *ctx, const char *path)
{
    const dal_system *sys;
    DAL_TRY(dal_document_open(doc, ctx, path, NULL, 0));
    dal_model *model = dal_document_model(*doc);
    DAL_TRY(dal_model_compile(model, &sys));
    DAL_TRY(dal_sim_create(sim, ctx, sys, dal_document_options(*doc)));
    return dal_sim_start(*sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model));
}

/* All periods from the start; least[k] becomes the time of period k where it is shorter. */
static dal_status run(dal_sim *sim, const dal_model *model, double took[PERIODS], double least[PERIODS], int first)
{
    double y[SIGNALS] = {0.0};
    dal_status st = dal_sim_reset(sim, NULL);
    const time_t since = time(NULL);
    for (int k = 0; k < PERIODS && st == DAL_OK; ++k) {
        const double begin = microseconds(since);
        st = period(sim, model, y);
        took[k] = microseconds(since) - begin;
        least[k] = first ? took[k] : fmin(least[k], took[k]);
        if (first && k % 4000 == 0) {
            printf("t = %4.1f s   trolley %7.4f m   load %8.4f degrees\n", 1e-3 * k, y[0], y[2] * 57.29577951308232);
        }
    }
    const int there = fabs(y[0] - 5.0) < 1e-3 && fabs(y[2]) < 1e-4;
    return st == DAL_OK && !there ? DAL_ECHECK : st;
}

static void tell(const char *of, double took[PERIODS])
{
    qsort(took, PERIODS, sizeof took[0], by_size);
    const double median = took[PERIODS / 2], worst = took[PERIODS - 1];
    printf("%s: half of the periods within %.2f us, 99.9 %% within %.2f us, the worst %.1f us, %.2f times the median\n",
           of, median, took[PERIODS / 1000 * 999], worst, worst / median);
}

int main(int argc, char **argv)
{
    static double took[PERIODS], least[PERIODS];
    long allocations = 0;
    dal_ctx *ctx = NULL;
    dal_document *doc = NULL;
    dal_sim *sim = NULL;
    const dal_config config = {.alloc = count_alloc, .release = count_release, .user = &allocations};
    const int runs = argc > 2 ? atoi(argv[2]) : RUNS;
    dal_status st = dal_ctx_create(&ctx, &config);
    st = st == DAL_OK ? start(&sim, &doc, ctx, argc > 1 ? argv[1] : "examples/crane/crane.json") : st;
    const long before = allocations;
    memset(took, 0, sizeof took); // no page faults while the clock runs
    memset(least, 0, sizeof least);
    for (int i = 0; i < runs && st == DAL_OK; ++i) {
        st = run(sim, dal_document_model(doc), took, least, i == 0);
    }
    const int good = st == DAL_OK && allocations == before;
    if (st == DAL_OK) {
        tell("one run, with what else the machine did", took);
        printf("%d runs, each period at its shortest; ", runs);
        tell("what the program needs", least);
        printf("%d periods of 1 ms, %ld allocations\n", PERIODS * runs, allocations - before);
    } else {
        fprintf(stderr, "%s\n", st == DAL_ECHECK ? "the load did not arrive" : dal_ctx_message(ctx));
    }
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    return good ? 0 : 1;
}
