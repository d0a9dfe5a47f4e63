/* Generated programs: time of a step against the library's, one by one and in eight lanes, and what compiling takes. All of
 * it is CPU time, the best of several rounds in one run. With an argument: of that model only. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "dalembert/generate.h"
#include "dalembert/sim.h"

#define FLAGS "-std=c17 -O3 -march=native -fno-math-errno"
#define EXACT " -ffp-contract=off"  // the bits of the library
#define FUSED " -ffp-contract=fast" // multiplications and additions in one, where the machine has them

enum { ROUNDS = 7 };

static dal_ctx *ctx;

/* The program measures itself: seconds of a step. */
static const char driver[] =
    "\n#include <stdio.h>\n#include <time.h>\n"
    "int main(void)\n{\n    double best = 1e300;\n    static gm_state s;\n"
    "    for (int r = 0; r < 7; ++r) {\n        long n = 0;\n        gm_init(&s);\n        const clock_t begin = "
    "clock();\n"
    "        while (n < STEPS && gm_step(&s) == GM_OK) {\n            ++n;\n        }\n"
    "        const double time = (double)(clock() - begin) / CLOCKS_PER_SEC / (double)n;\n"
    "        best = time < best ? time : best;\n    }\n    printf(\"%.17g\\n\", best);\n    return 0;\n}\n";

typedef struct sample {
    const char *model;
    const char *set[2];
    int nset, steps;
} sample;

static double library(const sample *p)
{
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    double best = INFINITY;
    bench_ok(ctx, dal_document_open(&doc, ctx, p->model, p->set, p->nset));
    dal_model *m = dal_document_model(doc);
    bench_ok(ctx, dal_model_compile(m, &sys));
    bench_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    bench_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    const double h = dal_document_options(doc)->h;
    for (int k = 0; k < ROUNDS; ++k) {
        bench_ok(ctx, dal_sim_reset(sim, NULL));
        const clock_t begin = clock();
        bench_ok(ctx, dal_sim_run(sim, NULL, h * p->steps));
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / p->steps);
    }
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    return best;
}

static double children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
}

/* Seconds of a step of the program, and of compiling it; lanes 0: scalar. flags: beside FLAGS */
static double generated(const sample *p, int lanes, const char *flags, double *compile)
{
    const dal_generate_options how = {
        .name = "gm", .scalar = lanes > 0 ? DAL_GENERATE_LANES : DAL_GENERATE_DOUBLE, .lanes = lanes};
    static const char source[] = "bench_generated.tmp.c", program[] = "./bench_generated.tmp";
    char command[512], line[64] = "";
    char *text;
    bench_ok(ctx, dal_generate(&text, ctx, p->model, p->set, p->nset, &how));
    FILE *file = fopen(source, "w");
    if (!file || fputs(text, file) < 0 || fputs(driver, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", source);
        exit(EXIT_FAILURE);
    }
    dal_generate_free(ctx, text);
    const double begin = children();
    snprintf(command, sizeof command, "cc " FLAGS "%s -DSTEPS=%d -o %s %s -lm", flags, p->steps, program, source);
    const int failed = system(command);
    *compile = children() - begin;
    FILE *output = failed ? NULL : popen(program, "r");
    const int got = output && fgets(line, sizeof line, output) != NULL;
    if (!got || pclose(output) != 0) {
        fprintf(stderr, "%s: %s\n", command, failed ? "does not compile" : "does not run");
        exit(EXIT_FAILURE);
    }
    unlink(source);
    unlink(program);
    return strtod(line, NULL);
}

int main(int argc, char **argv)
{
    static const sample samples[] = {
        {"heavy_top", {NULL}, 0, 50000},
        {"spatial_slider_crank", {NULL}, 0, 10000},
        {"andrews_squeezer", {NULL}, 0, 1000},
        {"chain", {"N=10", "omega=2"}, 2, 2000},
        {"flexible_pendulum", {NULL}, 0, 1000},
        {"flexible_slider_crank", {NULL}, 0, 1600},
        {"spinning_beam", {NULL}, 0, 3000},
        {"right_angle_cantilever", {"elements=10", "degree=1"}, 2, 300}, // two legs: 20 elements
    };
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    bench_title("Generated programs, one core: us of a step (cc " FLAGS EXACT "; fused: " FUSED ")");
    printf("%-22s %9s %9s %7s %9s %7s %9s %14s %12s\n", "model", "library", "program", "ratio", "fused", "ratio",
           "8 lanes", "per member", "cc s");
    for (size_t k = 0; k < sizeof samples / sizeof samples[0]; ++k) {
        if (argc > 1 && strcmp(argv[1], samples[k].model) != 0) {
            continue;
        }
        double compile[3];
        const double lib = library(&samples[k]), one = generated(&samples[k], 0, EXACT, &compile[0]),
                     fused = generated(&samples[k], 0, FUSED, &compile[2]),
                     eight = generated(&samples[k], 8, EXACT, &compile[1]);
        printf("%-22s %9.3f %9.3f %7.2f %9.3f %7.2f %9.3f %8.1f times %5.1f, %4.1f\n", samples[k].model, 1e6 * lib,
               1e6 * one, one / lib, 1e6 * fused, fused / lib, 1e6 * eight, 8.0 * one / eight, compile[0], compile[1]);
    }
    dal_ctx_destroy(ctx);
    return 0;
}
