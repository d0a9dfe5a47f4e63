/* Sweeps: what a member costs beyond its time steps, how threads scale, what compiled programs gain, and what a million heavy
 * tops would take. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "dalembert/sim.h"
#include "dalembert/sweep.h"

static dal_ctx *ctx;
static dal_sweep_backend backend;

/* Seconds of computing of this process: what other programs do does not count. */
static double computing(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

typedef struct cost {
    double wall, cpu;
    double bytes; /* of the file */
    double compiling;
} cost;

/* Run members of a model with a journal and save them. */
static cost run(const char *model, const char *const *set, int nset, const char *parameter, const char *collect, long n,
                int jobs)
{
    const dal_sweep_spec spec = {.source = model,
                                 .set = set,
                                 .nset = nset,
                                 .parameter = &parameter,
                                 .nparameters = 1,
                                 .samples = n,
                                 .collect = &collect,
                                 .ncollect = 1,
                                 .backend = backend};
    static const char path[] = "bench_sweep.h5", journal[] = "bench_sweep.h5.journal";
    dal_sweep *s;
    struct stat info;
    unlink(journal);
    bench_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    const double wall = bench_now(), cpu = computing();
    bench_ok(ctx, dal_sweep_run(s, &(dal_sweep_run_options){.jobs = jobs, .journal = journal}));
    const cost c = {.wall = bench_now() - wall, .cpu = computing() - cpu};
    bench_ok(ctx, dal_sweep_save(s, path, 0));
    const double bytes = stat(path, &info) == 0 ? (double)info.st_size : NAN;
    if (dal_sweep_count(s, 1) > 0) {
        fprintf(stderr, "members failed\n");
        exit(EXIT_FAILURE);
    }
    const double compiling = dal_sweep_compile_seconds(s);
    dal_sweep_destroy(s);
    unlink(path);
    return (cost){c.wall, c.cpu, bytes, compiling};
}

/* Seconds of a member with so many steps: the best of some rounds. */
static double member(const char *model, int steps, const char *parameter, const char *collect, long n)
{
    char end[64];
    const char *set[1] = {end};
    double best = INFINITY;
    snprintf(end, sizeof end, "t_end=%g", 1e-3 * steps);
    for (int k = 0; k < 5; ++k) {
        best = fmin(best, run(model, set, 1, parameter, collect, n, 1).cpu / (double)n);
    }
    return best;
}

/* Seconds of the same run without a sweep: a start (consistent values, accelerations, multipliers, starting values) and so
 * many steps of a simulation that is there. */
static double plain(const char *model, int steps)
{
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    double best = INFINITY;
    bench_ok(ctx, dal_document_open(&doc, ctx, model, NULL, 0));
    dal_model *m = dal_document_model(doc);
    bench_ok(ctx, dal_model_compile(m, &sys));
    bench_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    bench_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    for (int k = 0; k < 5; ++k) {
        const double begin = computing();
        for (int i = 0; i < 2000; ++i) {
            bench_ok(ctx, dal_sim_reset(sim, NULL));
            if (steps > 0) {
                bench_ok(ctx, dal_sim_run(sim, NULL, 1e-3 * steps));
            }
        }
        best = fmin(best, (computing() - begin) / 2000.0);
    }
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    return best;
}

/* What a member takes beyond the same run without a sweep. */
static void overhead(const char *model, const char *parameter, const char *collect)
{
    const double start = plain(model, 0), run10 = plain(model, 10), run50 = plain(model, 50);
    const double all = member(model, 10, parameter, collect, 4000);
    printf("%-12s %-24s %-22s %10.2f %12.1f %12.1f\n", model, parameter, collect, 1e6 * (run50 - run10) / 40.0,
           1e6 * start, 1e6 * (all - run10));
}

static void threads(void)
{
    static const char parameter[] = "spin=uniform(100,200)", collect[] = "final(top.position.z)";
    printf("\nThreads: 2000 heavy tops of 1000 steps\n%8s %10s %12s %14s %20s\n", "threads", "wall s", "computing s",
           "us per member", "efficiency (cpu)");
    double one = 0.0;
    for (int jobs = 1; jobs <= 2; ++jobs) {
        cost best = {.wall = INFINITY, .cpu = INFINITY};
        for (int k = 0; k < 3; ++k) {
            const cost c = run("heavy_top", NULL, 0, parameter, collect, 2000, jobs);
            best = c.cpu < best.cpu ? c : best;
        }
        one = jobs == 1 ? best.cpu : one;
        printf("%8d %10.3f %12.3f %14.1f %19.1f%%\n", jobs, best.wall, best.cpu, 1e6 * best.cpu / 2000.0,
               100.0 * one / best.cpu);
    }
}

/* Members of 1000 steps, one thread, by the library and in lanes; from how many of them compiling pays. */
static void lanes(const char *model, const char *parameter, const char *collect, long n)
{
    static const char *const set[] = {"t_end=1"};
    double best[2] = {INFINITY, INFINITY}, compiling = 0.0;
    for (int k = 0; k < 6; ++k) {
        backend = k % 2 == 0 ? DAL_SWEEP_INTERPRETED : DAL_SWEEP_LANES;
        const cost c = run(model, set, 1, parameter, collect, n, 1);
        best[k % 2] = fmin(best[k % 2], c.cpu / (double)n);
        compiling = fmax(compiling, c.compiling);
    }
    backend = DAL_SWEEP_INTERPRETED;
    printf("%-22s %-22s %12.0f %12.0f %8.1f %10.2f %10.0f\n", model, collect, 1.0 / best[0], 1.0 / best[1],
           best[0] / best[1], compiling, ceil(compiling / (best[0] - best[1])));
}

static void programs(void)
{
    char cache[] = "/tmp/bench_sweep_XXXXXX";
    if (mkdtemp(cache) != NULL) {
        setenv("XDG_CACHE_HOME", cache, 1); // cold
    }
    printf("\nCompiled programs: members a second of computing, 1000 steps, 1 thread\n%-22s %-22s %12s %12s %8s %10s "
           "%10s\n",
           "model", "collected", "interpreted", "lanes", "ratio", "compile s", "pays from");
    lanes("heavy_top", "m=uniform(14,16)", "final(top.position.z)", 2000);
    lanes("heavy_top", "m=uniform(14,16)", "max(tip.force)", 2000);
    lanes("spatial_slider_crank", "c=uniform(0.03,0.05)", "final(slider.position.x)", 400);
    lanes("spatial_slider_crank", "c=uniform(0.03,0.05)", "max(A.force)", 400);
    lanes("chain", "m=uniform(0.09,0.11)", "final(energy)", 200);
}

static void million(void)
{
    static const char parameter[] = "spin=uniform(100,200)", collect[] = "final(top.position.z)";
    struct rusage u;
    const cost c = run("heavy_top", NULL, 0, parameter, collect, 10000, 0);
    getrusage(RUSAGE_SELF, &u);
    printf("\n10^4 heavy tops over 1 s, h = 1e-3: %.2f s, %.2f s of computing, file %.0f kB, memory %.0f MB\n", c.wall,
           c.cpu, 1e-3 * c.bytes, 1e-3 * (double)u.ru_maxrss);
    printf("a million of them: %.0f s of computing, file about %.0f MB\n", 100.0 * c.cpu, 1e-4 * c.bytes);
}

int main(void)
{
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    bench_title("A member beyond its start and its steps, with journal (1 thread)");
    printf("%-12s %-24s %-22s %10s %12s %12s\n", "model", "parameter", "collected", "us/step", "us/start", "us/member");
    overhead("chain", "omega=uniform(0,1)", "final(energy)");
    overhead("chain", "m=uniform(0.09,0.11)", "final(energy)");
    overhead("chain", "L=uniform(0.09,0.11)", "max(joint1.force)");
    overhead("heavy_top", "spin=uniform(100,200)", "final(energy)");
    threads();
    programs();
    million();
    dal_ctx_destroy(ctx);
    return 0;
}
