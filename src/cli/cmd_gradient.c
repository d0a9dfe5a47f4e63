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

/* ---- comparison with differences -------------------------------------------------------------- */

/* Differences over the first step, 0.1 % of a number, say whether derivatives are right, unless a kink lies within it. Where they do
 * not agree, shorter steps are taken, each a tenth of the one before. */
enum { LEVELS = 4 };
static const double first_step = 1e-3, shorter = 0.1, agreement = 1e-6;

/* All relative to the largest derivative of the result. */
typedef struct comparison {
    double off, open; /* distance from differences; what they leave open among themselves */
    double kink;      /* by how much slopes to both sides differ, at the step where that is least */
    double step;      /* of the number, relative; 0: no run with it was possible */
    int agrees;
} comparison;

/* Of all results by a number: over a step, over half of it, and by how much those to both sides differ there. */
enum { COARSE, FINE, SIDES, KINDS };

/* Distances are relative to the largest derivative of a result, each times its number. Differences of runs have 1e-11 of a result by
 * rounding; what is below the least size is zero but for that. */
static double size_of(const job *j, const double *row, double most, int i)
{
    double size = fmax(1e-4 * most, 1e-20);
    for (int l = 0; l < j->nby; ++l) {
        size = fmax(size, fabs(row[i * j->nby + l]) * unit_of(dal_gradient_number(j->g, l)));
    }
    return size;
}

/* Central differences of all results by number k, and those to both sides; most: the largest result there was. 0: a run failed. */
static int difference(const job *j, double *d, double *sides, double *most, const double *value, int k, double step)
{
    double *x = cli_alloc((size_t)j->nby, sizeof *x);
    for (int i = 0; i < j->nby; ++i) {
        x[i] = dal_gradient_number(j->g, i);
    }
    const double own = x[k];
    for (int side = -1; side <= 1; side += 2) {
        x[k] = own + side * step;
        if (dal_gradient_run(j->g, x, DAL_GRADIENT_VALUES) != DAL_OK) {
            return 0;
        }
        for (int i = 0; i < j->nof; ++i) {
            const double to = dal_gradient_value(j->g, i);
            d[i] = (side < 0 ? 0.0 : d[i]) + side * to / (2.0 * step);
            sides[i] = (side < 0 ? 0.0 : sides[i]) + (to - value[i]) / step;
            most[i] = fmax(most[i], fabs(to));
        }
    }
    return 1;
}

/* d: nof of each kind */
static int differences(const job *j, double *d, double *most, const double *value, int k, double step)
{
    double *sides = d + SIDES * j->nof;
    return difference(j, d + COARSE * j->nof, sides, most, value, k, step) &&
           difference(j, d + FINE * j->nof, sides, most, value, k, 0.5 * step);
}

/* All results by number k, with differences over a step, NULL: a run failed. Returns whether more are wanted. */
static int weigh(const job *j, comparison *all, const double *row, const double *most, const double *d, int k,
                 double step)
{
    const double unit = unit_of(dal_gradient_number(j->g, k));
    int more = 0;
    for (int i = 0; i < j->nof; ++i) {
        comparison *c = &all[i * j->nby + k];
        if (c->agrees || d == NULL) {
            more |= !c->agrees;
            continue;
        }
        const double coarse = d[COARSE * j->nof + i], fine = d[FINE * j->nof + i], by = (4.0 * fine - coarse) / 3.0;
        const double per = unit / size_of(j, row, most[i], i), sides = fabs(d[SIDES * j->nof + i]) * per;
        const double off = fabs(by - row[i * j->nby + k]) * per, open = fabs(fine - coarse) * per;
        const double kink = c->step > 0.0 ? fmin(c->kink, sides) : sides;
        const int agrees = off <= agreement || off <= 0.1 * open;
        if (agrees || c->step == 0.0 || open < c->open) { // the step at which differences agree best with each other
            *c = (comparison){off, open, kink, step, agrees};
        }
        c->kink = kink;
        more |= !agrees;
    }
    return more;
}

/* comparisons: nof x nby */
static comparison *compare(const job *j, const double *row, const double *value)
{
    const size_t nof = (size_t)j->nof, nby = (size_t)j->nby;
    comparison *all = cli_alloc(nof * nby, sizeof *all);
    double *most = cli_alloc(nof, sizeof *most), *first = cli_alloc(KINDS * nof * nby, sizeof *first);
    int *ran = cli_alloc(nby, sizeof *ran);
    for (int i = 0; i < j->nof; ++i) {
        most[i] = fabs(value[i]);
    }
    dal_gradient_freeze(j->g, 1);
    for (int k = 0; k < j->nby; ++k) { // all of them before any is judged: they show how large results are
        const double step = first_step * unit_of(dal_gradient_number(j->g, k));
        ran[k] = differences(j, first + KINDS * nof * (size_t)k, most, value, k, step);
    }
    for (int k = 0; k < j->nby; ++k) {
        const double unit = unit_of(dal_gradient_number(j->g, k));
        double *d = first + KINDS * nof * (size_t)k, step = first_step;
        int more = weigh(j, all, row, most, ran[k] ? d : NULL, k, step);
        for (int level = 1; level < LEVELS && more; ++level) {
            step *= shorter;
            const int good = differences(j, d, most, value, k, step * unit);
            more = weigh(j, all, row, most, good ? d : NULL, k, step);
        }
    }
    return all;
}

/* Differences that do not agree among themselves, at no step, say nothing (rounding of a result that is zero), nor do those at a kink. */
static int is_unclear(const comparison *c)
{
    return !c->agrees && (c->step == 0.0 || c->off <= 10.0 * c->open || c->off <= c->kink);
}

/* One derivative beside differences. */
static void tell_comparison(cli_answer *line, const comparison *c)
{
    const int unclear = is_unclear(c);
    if (c->step > 0.0) {
        answer_put(line, "off %g", c->off);
    }
    answer_put(line, "step %g short? %d unclear? %d bad? %d", c->step, c->step > 0.0 && c->step < first_step, unclear,
               !c->agrees && !unclear);
}

/* all NULL: there was no comparison. Returns whether all agree that can be compared. */
static int tell(const job *j, const double *value, const double *row, const comparison *all)
{
    static const char *const mode[] = {"auto", "forward", "adjoint"};
    cli_answer *a = answer_create(), *values = answer_object(a, "values", 0), *rows = answer_object(a, "gradient", 0);
    int ok = 1, unclear = 0;
    double worst = 0.0;
    cli_answer *lines = answer_list(a, ".lines", 0);
    for (int i = 0; i < j->nof; ++i) {
        cli_answer *of = answer_object(rows, j->of[i], 0);
        cli_answer *line = answer_line(lines, NULL, "of %s value %g", j->of[i], value[i]);
        answer_real(values, j->of[i], value[i]);
        cli_answer *list = answer_list(line, "by", 0);
        for (int k = 0; k < j->nby; ++k) {
            const int at = i * j->nby + k;
            answer_real(of, j->by[k], row[at]);
            cli_answer *one = answer_line(list, NULL, "key %s slope %g", j->by[k], row[at]);
            if (all) {
                tell_comparison(one, &all[at]);
                const int open = is_unclear(&all[at]);
                unclear += open;
                ok &= all[at].agrees || open;
                worst = open ? worst : fmax(worst, all[at].off);
            }
        }
    }
    answer_put(a, "mode %s steps %ld segments %d newton_error %g", mode[j->about.mode], j->about.steps,
               j->about.segments, j->about.newton_error);
    if (all) {
        answer_put(a, "disagreement %g unclear %d agrees? %d .apart? %d .open? %d", worst, unclear, ok, !ok,
                   unclear > 0);
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
    double *value = cli_alloc((size_t)j->nof + n, sizeof *value), *row = value + j->nof;
    for (int i = 0; i < j->nof; ++i) {
        value[i] = dal_gradient_value(j->g, i);
        memcpy(row + i * j->nby, dal_gradient_row(j->g, i), (size_t)j->nby * sizeof *row);
    }
    j->about = dal_gradient_about(j->g); // before other runs
    return tell(j, value, row, cli_given(args, "check") ? compare(j, row, value) : NULL)
               ? CLI_OK
               : cli_error(CLI_CHECK, "gradients and differences disagree by more than %g", agreement);
}

const cli_command cli_gradient = {.name = "gradient", .run = command};
