/* Compare methods on the heavy top (heavy_top.h): how far off are the position and the force in the joint?
 *     example_02_options [-o FILE] [RUN ...]
 * A RUN is a list of options, "formulation=index3 starting=naive"; without any, four runs tell about starting values. Steps
 * have 1 ms unless a RUN says otherwise. Errors are differences to a run with steps of 0.05 ms. FILE receives the error of the force over time, a block per run. */
#include "heavy_top.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { N = 1000, EARLY = 50 }; // samples 1 ms apart; the first 50 ms

typedef struct samples {
    int n;
    double x[N + 1][3], la[N + 1][3];
    dal_stats stats;
    double seconds; // of processor time
} samples;

/* An observer: samples within the last step, by interpolation unless a step ends there. */
static dal_status sample(dal_sim *sim, const dal_state *s, void *user)
{
    samples *out = user;
    for (; out->n <= N && 1e-3 * out->n <= s->t + 1e-9; ++out->n) {
        double q[7];
        DAL_TRY(dal_sim_interpolate(sim, q, NULL, out->la[out->n], fmin(1e-3 * out->n, s->t)));
        memcpy(out->x[out->n], q, sizeof out->x[0]);
    }
    return DAL_OK;
}

static dal_status run(samples *out, dal_ctx *ctx, const dal_system *top, const char *list)
{
    char assignment[128];
    dal_options options = dal_options_init();
    options.h = 1e-3;
    for (int used; sscanf(list, " %127s%n", assignment, &used) == 1; list += used) {
        DAL_TRY(dal_options_parse(ctx, dal_options_table(), &options, assignment));
    }
    dal_sim *sim;
    DAL_TRY(dal_sim_create(&sim, ctx, top, &options));
    out->n = 0;
    dal_status st = dal_sim_observe(sim, sample, out);
    st = st == DAL_OK ? dal_sim_start(sim, NULL, 0.0, q0, v0) : st;
    const clock_t begin = clock();
    st = st == DAL_OK ? dal_sim_run(sim, NULL, 1e-3 * N) : st;
    out->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    out->stats = dal_sim_stats(sim);
    dal_sim_destroy(sim);
    return st;
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* A line of the table and a block of the file. Returns the largest error of the force in the first 50 ms. */
static double report(const samples *a, const samples *exact, const char *list, FILE *file)
{
    const double steps = (double)a->stats.steps;
    double early = 0.0, late = 0.0, position = 0.0;
    for (int k = 0; k <= N; ++k) {
        const double force = distance(a->la[k], exact->la[k]);
        early = k <= EARLY ? fmax(early, force) : early;
        late = k > EARLY ? fmax(late, force) : late;
        position = fmax(position, distance(a->x[k], exact->x[k]));
        if (file) {
            fprintf(file, "%d %.6g\n%s", k, force, k == N ? "\n\n" : "");
        }
    }
    printf("%-36s%12.2f%8.2f%10.2f%8.0f%8.2f%8.2f\n", list, early, late, 1e3 * position, steps,
           (double)a->stats.newton_iterations / steps, 1e6 * a->seconds / steps);
    return early;
}

/* All runs, also after one that failed. Where asked for, the first one is expected to start 10 times worse than the last. */
static dal_status compare(dal_ctx *ctx, const dal_system *top, char **list, int nruns, int expected, FILE *file)
{
    static samples exact, result; // large
    double first = 0.0, last = 0.0;
    DAL_TRY(run(&exact, ctx, top, "h=5e-5"));
    printf("%36s%20s%10s%8s%8s%8s\n", "", "error of force [N]", "of x", "", "Newton", "time");
    printf("%-36s%12s%8s%10s%8s%8s%8s\n", "options", "to 50 ms", "later", "[mm]", "steps", "/step", "[us]");
    for (int i = 0; i < nruns; ++i) {
        if (run(&result, ctx, top, list[i]) != DAL_OK) {
            printf("%-36s%s\n", list[i], dal_ctx_message(ctx));
            continue;
        }
        last = report(&result, &exact, list[i], file);
        first = i == 0 ? last : first;
    }
    return !expected || first > 10.0 * last
               ? DAL_OK
               : dal_fail(ctx, DAL_ECHECK, "expected naive starting values to be 10 times worse than perturbed ones");
}

int main(int argc, char **argv)
{
    char *starting[] = {"formulation=index3 starting=naive", "formulation=index3 starting=naive rho_inf=0.6",
                        "formulation=ggl", "formulation=index3"};
    const int output = argc > 2 && strcmp(argv[1], "-o") == 0, first = output ? 3 : 1;
    FILE *file = output ? fopen(argv[2], "w") : NULL;
    dal_ctx *ctx;
    dal_group *group;
    dal_system *top;
    if ((output && !file) || dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return perror(output ? argv[2] : argv[0]), 1;
    }
    dal_status st = heavy_top_create(&top, &group, ctx);
    if (st == DAL_OK) {
        st = argc > first ? compare(ctx, top, argv + first, argc - first, 0, file)
                          : compare(ctx, top, starting, 4, 1, file);
        dal_dense_destroy(top);
        dal_group_destroy(group);
    }
    if (st != DAL_OK) {
        fprintf(stderr, "%s\n", dal_ctx_message(ctx));
    }
    dal_ctx_destroy(ctx);
    return st == DAL_OK && (!file || fclose(file) == 0) ? 0 : 1;
}
