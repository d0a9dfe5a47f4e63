/* dalembert gradient: derivatives of what a run gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "dalembert/gradient.h"

static const cli_flag flags[] = {
    {"of", 0, "EXPR,...", "results of the run, as sweeps collect them: 'final(tip.position.x)'; may be repeated"},
    {"by", 0, "KEY,...", "variables, or numbers of elements: m,L,bodies.rod.mass,functions.u.y.0..99; may be repeated"},
    {"mode", 0, "WORD", "auto, forward (few numbers) or adjoint (few results)", CLI_CHOICE, "auto|forward|adjoint"},
    {"check", 0, NULL, "compare with differences at two steps"},
    {"memory", 0, "MB", "for the states of the run; of longer runs parts are computed twice", CLI_POSITIVE,
     .usual = 512},
    {"jobs", 'j', "N", "threads over the results of an adjoint; default: number of cores", CLI_WHOLE, .max = 1000},
    CLI_FLAG_SET,
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_T_END,
    CLI_FLAG_H("step size in seconds"),
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_gradient = {
    .name = "gradient",
    .place = 20,
    .summary = "exact derivatives of results of a run",
    .about =
        "EXPR: arithmetic with the numbers and with final(E), initial(E), integral(E), mean(E), rms(E), min(E), "
        "max(E)\n"
        "and smooth_max(E,K), where E is an expression of outputs: A.force.x, energy, t; A.force is the norm of the\n"
        "vector. Derivatives are those of the run as it is computed, at its steps, starts included. Exit codes: 0 ok,\n"
        "1 --check found that they disagree, 2 usage, 3 bad model, or one that has no gradient, 4 the run failed.",
    .examples = "  dalembert gradient heavy_top --of 'final(top.position.x)' --by m,spin\n"
                "  dalembert gradient spatial_slider_crank --of 'max(A.force),integral(energy)' --by c,speed --check",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

enum { MOST = 1024 };

/* A command at work. */
typedef struct job {
    const cli_args *args;
    dal_ctx *ctx;
    dal_gradient *g;
    dal_gradient_info about;
    const char *of[MOST], *by[MOST];
    int nof, nby;
    char *text[2 * CLI_GIVEN]; /* lists, cut into pieces */
    int ntexts;
} job;

/* The pieces of all lists of a flag; commas within parentheses and quotes do not separate. */
static int split(job *j, const char *flag, const char **to, int *n)
{
    const char *list;
    for (int k = 0; (list = cli_value_at(j->args, flag, k)) != NULL; ++k) {
        char *text = j->text[j->ntexts++] = strcmp(flag, "by") == 0 ? cli_series(list) : cli_copy(list), *begin = text;
        int depth = 0, quoted = 0, end = 0;
        for (char *c = text; !end; ++c) {
            end = *c == '\0';
            quoted ^= *c == '"';
            depth += (*c == '(') - (*c == ')');
            if (!end && (*c != ',' || depth > 0 || quoted)) {
                continue;
            }
            *c = '\0';
            begin += strspn(begin, " ");
            if (*begin == '\0') {
                return cli_usage("--%s '%s' has an empty item", flag, list);
            }
            if (*n == MOST) {
                return cli_usage("--%s: more than %d", flag, MOST);
            }
            to[(*n)++] = begin;
            begin = c + 1;
        }
    }
    return *n > 0 ? CLI_OK : cli_usage("--%s is missing", flag);
}

static int failed(const job *j, dal_status st, int code)
{
    return cli_error(st == DAL_EOPTION ? CLI_USAGE : code, "%s", dal_ctx_message(j->ctx));
}

static double unit_of(double x)
{
    return x != 0.0 ? fabs(x) : 1.0;
}

/* Central differences of all results by number k. */
static dal_status differences(const job *j, double *d, int k, double step)
{
    double *x = cli_alloc((size_t)j->nby, sizeof *x);
    dal_status st = DAL_OK;
    for (int i = 0; i < j->nby; ++i) {
        x[i] = dal_gradient_number(j->g, i);
    }
    const double own = x[k];
    for (int side = -1; side <= 1 && st == DAL_OK; side += 2) {
        x[k] = own + side * step;
        st = dal_gradient_run(j->g, x, DAL_GRADIENT_VALUES);
        for (int i = 0; i < j->nof; ++i) {
            d[i] = (side < 0 ? 0.0 : d[i]) + side * dal_gradient_value(j->g, i) / (2.0 * step);
        }
    }
    free(x);
    return st;
}

/* How far the derivatives are from extrapolated differences, relative to the largest of the result, each times its number. off: that
 * and what the differences leave open, nof x nby each. */
static dal_status compare(const job *j, double *off, const double *row, const double *value)
{
    double *coarse = cli_alloc(2 * (size_t)j->nof, sizeof *coarse), *fine = coarse + j->nof;
    dal_status st = DAL_OK;
    dal_gradient_freeze(j->g, 1);
    for (int k = 0; k < j->nby && st == DAL_OK; ++k) {
        const double unit = unit_of(dal_gradient_number(j->g, k)), step = 1e-3 * unit;
        st = differences(j, coarse, k, step);
        st = st == DAL_OK ? differences(j, fine, k, 0.5 * step) : st;
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
    free(coarse);
    return st;
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
    cli_answer *lines = answer_hidden(a, "lines");
    for (int i = 0; i < j->nof; ++i) {
        cli_answer *of = answer_object(all, j->of[i], 0), *line = answer_object(lines, NULL, 1);
        answer_real(values, j->of[i], value[i]);
        answer_put(line, "of %s value %g", j->of[i], value[i]);
        cli_answer *list = answer_list(line, "by", 0);
        for (int k = 0; k < j->nby; ++k) {
            const int at = i * j->nby + k;
            answer_real(of, j->by[k], row[at]);
            cli_answer *one = answer_object(list, NULL, 1);
            answer_put(one, "key %s slope %g", j->by[k], row[at]);
            if (off) {
                const int good = agrees(off[at], off[at + j->nof * j->nby]);
                answer_put(one, "off %g bad? %d", off[at], !good);
                ok &= good;
                worst = fmax(worst, off[at]);
            }
        }
    }
    answer_put(a, "mode %s steps %ld", mode[j->about.mode], j->about.steps);
    answer_put(a, "segments %d", j->about.segments);
    answer_real(a, "newton_error", j->about.newton_error);
    if (off) {
        answer_put(a, "disagreement %g agrees? %d .apart? %d", worst, ok, !ok);
    }
    answer_tell(a, j->args, 0);
    answer_release(a);
    return ok;
}

static int answer(job *j)
{
    const size_t n = (size_t)j->nof * (size_t)j->nby;
    dal_status st = dal_gradient_run(j->g, NULL, (dal_gradient_mode)cli_whole(j->args, "mode"));
    if (st != DAL_OK) {
        return failed(j, st,
                      st == DAL_EINVAL || st == DAL_EINITIAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION);
    }
    const int check = cli_given(j->args, "check");
    double *value = cli_alloc((size_t)j->nof + 3 * n, sizeof *value), *row = value + j->nof, *off = row + n;
    for (int i = 0; i < j->nof; ++i) {
        value[i] = dal_gradient_value(j->g, i);
        memcpy(row + i * j->nby, dal_gradient_row(j->g, i), (size_t)j->nby * sizeof *row);
    }
    int code = CLI_OK;
    j->about = dal_gradient_about(j->g); // before other runs
    if (check) {
        st = compare(j, off, row, value);
        code = st == DAL_OK ? CLI_OK : failed(j, st, CLI_INTEGRATION);
    }
    if (code == CLI_OK && !tell(j, value, row, check ? off : NULL)) {
        code = cli_error(CLI_CHECK, "gradients and differences disagree by more than %g", agreement);
    }
    free(value);
    return code;
}

static int command(const cli_args *args)
{
    job *j = cli_alloc(1, sizeof *j);
    j->args = args;
    int code = split(j, "of", j->of, &j->nof);
    code = code == CLI_OK ? split(j, "by", j->by, &j->nby) : code;
    if (code == CLI_OK) {
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
        j->ctx = cli_context(NULL);
        const dal_status st = dal_gradient_create(&j->g, j->ctx, &spec);
        code = st == DAL_OK ? answer(j) : failed(j, st, CLI_MODEL);
        dal_gradient_destroy(j->g);
        dal_ctx_destroy(j->ctx);
    }
    for (int k = 0; k < j->ntexts; ++k) {
        free(j->text[k]);
    }
    free(j);
    return code;
}
