/* dalembert gradient: derivatives of what a run gives. */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "dalembert/gradient.h"

CLI_OWNS(dal_gradient)

enum { MOST = 1024 };

/* A command at work. */
typedef struct job {
    const cli_args *args;
    dal_ctx *ctx;
    dal_gradient *g;
    dal_gradient_info about;
    const char *of[MOST], *by[MOST];
    int nof, nby;
} job;

static void ensure(const job *j, dal_status st, int code)
{
    cli_try(j->ctx, st, st == DAL_EOPTION ? CLI_USAGE : code);
}

/* All series of numbers written out. */
static int read_numbers(job *j)
{
    const char *given[MOST];
    int n = 0;
    for (int k = 0, count = cli_pieces(j->args, "by", given, MOST); k < count; ++k) {
        for (char *name = strtok(cli_series(given[k]), ","); name != NULL; name = strtok(NULL, ",")) {
            if (n == MOST) {
                cli_usage("--by: more than %d", MOST);
            }
            j->by[n++] = name;
        }
    }
    return n;
}

static double unit_of(double x)
{
    return x != 0.0 ? fabs(x) : 1.0;
}

/* Central differences of all results by number k. */
static void differences(const job *j, double *d, int k, double step)
{
    double *x = cli_alloc((size_t)j->nby, sizeof *x);
    for (int i = 0; i < j->nby; ++i) {
        x[i] = dal_gradient_number(j->g, i);
    }
    const double own = x[k];
    for (int side = -1; side <= 1; side += 2) {
        x[k] = own + side * step;
        ensure(j, dal_gradient_run(j->g, x, DAL_GRADIENT_VALUES), CLI_INTEGRATION);
        for (int i = 0; i < j->nof; ++i) {
            d[i] = (side < 0 ? 0.0 : d[i]) + side * dal_gradient_value(j->g, i) / (2.0 * step);
        }
    }
}

/* How far the derivatives are from extrapolated differences, relative to the largest of the result, each times its number. off: that
 * and what the differences leave open, nof x nby each. */
static void compare(const job *j, double *off, const double *row, const double *value)
{
    double *coarse = cli_alloc(2 * (size_t)j->nof, sizeof *coarse), *fine = coarse + j->nof;
    dal_gradient_freeze(j->g, 1);
    for (int k = 0; k < j->nby; ++k) {
        const double unit = unit_of(dal_gradient_number(j->g, k)), step = 1e-3 * unit;
        differences(j, coarse, k, step);
        differences(j, fine, k, 0.5 * step);
        for (int i = 0; i < j->nof; ++i) {
            double size = 1e-4 * fabs(value[i]); // differences of runs have 1e-11 of it by rounding
            for (int l = 0; l < j->nby; ++l) {
                size = fmax(size, fabs(row[i * j->nby + l]) * unit_of(dal_gradient_number(j->g, l)));
            }
            const double by = (4.0 * fine[i] - coarse[i]) / 3.0, per = size > 0.0 ? unit / size : 0.0;
            off[i * j->nby + k] = fabs(by - row[i * j->nby + k]) * per;
            off[(j->nof + i) * j->nby + k] = fabs(fine[i] - coarse[i]) * per;
        }
    }
}

static const double agreement = 1e-6;

static int agrees(double off, double open)
{
    return off <= agreement || off <= 0.1 * open;
}

/* off NULL: there was no comparison. Returns whether all agree. */
static int tell(const job *j, const double *value, const double *row, const double *off)
{
    static const char *const mode[] = {"auto", "forward", "adjoint"};
    cli_answer *a = answer_create(), *values = answer_object(a, "values", 0), *all = answer_object(a, "gradient", 0);
    int ok = 1;
    double worst = 0.0;
    cli_answer *lines = answer_list(a, ".lines", 0);
    for (int i = 0; i < j->nof; ++i) {
        cli_answer *of = answer_object(all, j->of[i], 0);
        cli_answer *line = answer_line(lines, NULL, "of %s value %g", j->of[i], value[i]);
        answer_real(values, j->of[i], value[i]);
        cli_answer *list = answer_list(line, "by", 0);
        for (int k = 0; k < j->nby; ++k) {
            const int at = i * j->nby + k;
            answer_real(of, j->by[k], row[at]);
            cli_answer *one = answer_line(list, NULL, "key %s slope %g", j->by[k], row[at]);
            if (off) {
                const int good = agrees(off[at], off[at + j->nof * j->nby]);
                answer_put(one, "off %g bad? %d", off[at], !good);
                ok &= good;
                worst = fmax(worst, off[at]);
            }
        }
    }
    answer_put(a, "mode %s steps %ld segments %d newton_error %g", mode[j->about.mode], j->about.steps,
               j->about.segments, j->about.newton_error);
    if (off) {
        answer_put(a, "disagreement %g agrees? %d .apart? %d", worst, ok, !ok);
    }
    answer_tell(a, j->args, NULL);
    return ok;
}

static int command(const cli_args *args)
{
    job *j = cli_alloc(1, sizeof *j);
    j->args = args;
    j->ctx = cli_ctx();
    j->nof = cli_pieces(args, "of", j->of, MOST);
    j->nby = read_numbers(j);
    if (j->nof == 0 || j->nby == 0) {
        cli_usage("--%s is missing", j->nof == 0 ? "of" : "by");
    }
    const dal_gradient_spec spec = {.source = args->positional[0],
                                    .set = args->set,
                                    .nset = args->nset,
                                    .files_outside = cli_given(args, "allow-files-outside"),
                                    .of = j->of,
                                    .nof = j->nof,
                                    .by = j->by,
                                    .nby = j->nby,
                                    .jobs = (int)cli_whole(args, "jobs"),
                                    .memory = (size_t)(1e6 * fmin(cli_real(args, "memory"), 1e9))};
    ensure(j, dal_gradient_create(&j->g, j->ctx, &spec), CLI_MODEL);
    CLI_OWN(dal_gradient, j->g);
    const dal_status st = dal_gradient_run(j->g, NULL, (dal_gradient_mode)cli_whole(args, "mode"));
    ensure(j, st, st == DAL_EINVAL || st == DAL_EINITIAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION);
    const size_t n = (size_t)j->nof * (size_t)j->nby;
    double *value = cli_alloc((size_t)j->nof + 3 * n, sizeof *value), *row = value + j->nof, *off = row + n;
    for (int i = 0; i < j->nof; ++i) {
        value[i] = dal_gradient_value(j->g, i);
        memcpy(row + i * j->nby, dal_gradient_row(j->g, i), (size_t)j->nby * sizeof *row);
    }
    j->about = dal_gradient_about(j->g); // before other runs
    if (cli_given(args, "check")) {
        compare(j, off, row, value);
    }
    return tell(j, value, row, cli_given(args, "check") ? off : NULL)
               ? CLI_OK
               : cli_error(CLI_CHECK, "gradients and differences disagree by more than %g", agreement);
}

const cli_command cli_gradient = {.name = "gradient", .run = command};
