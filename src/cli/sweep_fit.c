/* Parameters from measured data: least squares by the method of Levenberg and Marquardt, with bounds. The table has the time
 * in its first column; the names of the others are expressions of outputs. Each column counts relative to its deviation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/sweep_search.h"

enum { ITERATIONS = 100, COMMAND = 8000 };

typedef struct fit {
    sweep_search search;
    int m, columns, times;
    double *measured, *scale; /* columns x times; columns */
    double *r, *trial, *J;    /* m; m; m x n */
    double JtJ[SEARCH_PARAMETERS * SEARCH_PARAMETERS], g[SEARCH_PARAMETERS];
    double z[SEARCH_PARAMETERS], error[SEARCH_PARAMETERS];
    int idle[SEARCH_PARAMETERS]; /* without influence on the results */
    double sum;                  /* of squares */
    int iterations, converged;
} fit;

/* Weighted differences from the measured values; not a number if the model cannot be run there. */
static double residuals(fit *f, const double *z, double *r)
{
    double x[SEARCH_PARAMETERS], sum = 0.0;
    search_point(&f->search, x, z);
    ++f->search.evaluations;
    if (dal_sweep_evaluate(f->search.job->sweep, NULL, r, x) != DAL_OK) {
        ++f->search.failed;
        return NAN;
    }
    for (int i = 0; i < f->m; ++i) {
        r[i] = (r[i] - f->measured[i]) / f->scale[i / f->times];
        sum += r[i] * r[i];
    }
    return sum;
}

/* J by central differences, one-sided at bounds; g = J^T r, J^T J. */
static int linearise(fit *f)
{
    const int n = f->search.n, m = f->m;
    const double step = 1e-5;
    for (int k = 0; k < n; ++k) {
        double z[SEARCH_PARAMETERS], *column = f->J + (size_t)k * (size_t)m;
        memcpy(z, f->z, sizeof z);
        const double hi = fmin(1.0, z[k] + step), lo = fmax(0.0, z[k] - step);
        z[k] = hi;
        const double a = residuals(f, z, column);
        z[k] = lo;
        const double b = residuals(f, z, f->trial);
        if (!isfinite(a) || !isfinite(b)) {
            return 0;
        }
        for (int i = 0; i < m; ++i) {
            column[i] = (column[i] - f->trial[i]) / (hi - lo);
        }
    }
    for (int k = 0; k < n; ++k) {
        f->g[k] = 0.0;
        for (int i = 0; i < m; ++i) {
            f->g[k] += f->J[k * m + i] * f->r[i];
        }
        for (int l = 0; l <= k; ++l) {
            double sum = 0.0;
            for (int i = 0; i < m; ++i) {
                sum += f->J[k * m + i] * f->J[l * m + i];
            }
            f->JtJ[k * n + l] = f->JtJ[l * n + k] = sum;
        }
        // from one bound to the other, no change of the results that the deviation of the data would show
        f->idle[k] = f->JtJ[k * n + k] <= 1e-18 * m;
    }
    return 1;
}

/* Solve A x = b by Cholesky's factors, A (n x n) overwritten. 0: not positive. */
static int solve(double *A, double *x, const double *b, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= A[i * n + k] * A[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return 0;
            }
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] = b[i];
        for (int k = 0; k < i; ++k) {
            x[i] -= A[i * n + k] * x[k];
        }
        x[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= A[k * n + i] * x[k];
        }
        x[i] /= A[i * n + i];
    }
    return 1;
}

/* Is a parameter held: at a bound that the sum of squares pushes it against, or without influence? */
static int held(const fit *f, int k)
{
    return f->idle[k] || (f->z[k] <= 0.0 && f->g[k] > 0.0) || (f->z[k] >= 1.0 && f->g[k] < 0.0);
}

/* Solve A d = -g for the parameters that are not pinned; the d of those that are is given. */
static int solve_free(const fit *f, const double *diagonal, const int *pinned, double *d)
{
    const int n = f->search.n;
    double A[SEARCH_PARAMETERS * SEARCH_PARAMETERS] = {0.0}, b[SEARCH_PARAMETERS] = {0.0};
    for (int k = 0; k < n; ++k) {
        b[k] = pinned[k] ? d[k] : -f->g[k];
        for (int l = 0; l < n; ++l) {
            A[k * n + l] = pinned[k] || pinned[l] ? (double)(k == l) : k == l ? diagonal[k] : f->JtJ[k * n + l];
            b[k] -= !pinned[k] && pinned[l] ? f->JtJ[k * n + l] * d[l] : 0.0;
        }
    }
    return solve(A, d, b, n);
}

/* The step d with damping mu that stays between the bounds: what would leave them stops there, and the others are solved
 * for again. */
static int bounded_step(const fit *f, double mu, double *d)
{
    const int n = f->search.n;
    int pinned[SEARCH_PARAMETERS], more = 1;
    double diagonal[SEARCH_PARAMETERS];
    for (int k = 0; k < n; ++k) {
        pinned[k] = held(f, k);
        diagonal[k] = f->JtJ[k * n + k] * (1.0 + mu) + 1e-300;
        d[k] = 0.0;
    }
    while (more) {
        if (!solve_free(f, diagonal, pinned, d)) {
            return 0;
        }
        more = 0;
        for (int k = 0; k < n; ++k) {
            if (!pinned[k] && (f->z[k] + d[k] < 0.0 || f->z[k] + d[k] > 1.0)) {
                d[k] = (d[k] < 0.0 ? 0.0 : 1.0) - f->z[k];
                pinned[k] = more = 1;
            }
        }
    }
    return 1;
}

/* A step with damping mu that makes the sum smaller, or none. *moved: how far, at most 1. */
static int descend(fit *f, double *mu, double *moved)
{
    const int n = f->search.n;
    for (int trial = 0; trial < 30; ++trial, *mu *= 4.0) {
        double d[SEARCH_PARAMETERS], z[SEARCH_PARAMETERS];
        if (!bounded_step(f, *mu, d)) {
            continue;
        }
        *moved = 0.0;
        for (int k = 0; k < n; ++k) {
            z[k] = fmin(1.0, fmax(0.0, f->z[k] + d[k]));
            *moved = fmax(*moved, fabs(z[k] - f->z[k]));
        }
        const double sum = residuals(f, z, f->trial);
        if (sum < f->sum) {
            memcpy(f->z, z, (size_t)n * sizeof *z);
            memcpy(f->r, f->trial, (size_t)f->m * sizeof *f->r);
            f->sum = sum;
            *mu *= 0.1;
            return 1;
        }
        if (*moved < 1e-14) {
            break;
        }
    }
    return 0;
}

static int search(fit *f)
{
    double mu = 1e-3, moved = 1.0;
    f->sum = residuals(f, f->z, f->r);
    if (!isfinite(f->sum)) {
        const char *why = dal_ctx_message(f->search.job->ctx);
        return cli_error("sweep", CLI_INTEGRATION, "the model cannot be run where the search starts: %s",
                         why[0] != '\0' ? why : "results are not finite");
    }
    while (!f->converged && f->iterations < ITERATIONS && f->search.evaluations < f->search.most) {
        ++f->iterations;
        const double before = f->sum;
        if (!linearise(f)) {
            break;
        }
        const int failed = f->search.failed, smaller = descend(f, &mu, &moved);
        if (!smaller && f->search.failed > failed) {
            break; // the model cannot be run where the steps lead
        }
        f->converged = !smaller || moved <= 1e-3 * f->search.tolerance || before - f->sum < 1e-14 * before;
    }
    return CLI_OK;
}

/* Standard errors from the curvature at the solution, of the parameters that are not held; nan for the others. */
static void estimate_errors(fit *f)
{
    const int n = f->search.n, known = linearise(f);
    int pinned[SEARCH_PARAMETERS], nfree = 0;
    for (int k = 0; k < n; ++k) {
        pinned[k] = held(f, k);
        nfree += !pinned[k];
    }
    const double variance = f->m > nfree ? f->sum / (f->m - nfree) : NAN;
    for (int k = 0; k < n; ++k) {
        double A[SEARCH_PARAMETERS * SEARCH_PARAMETERS] = {0.0}, e[SEARCH_PARAMETERS] = {0.0}, x[SEARCH_PARAMETERS];
        for (int i = 0; i < n * n; ++i) {
            A[i] = pinned[i / n] || pinned[i % n] ? (double)(i / n == i % n) : f->JtJ[i];
        }
        e[k] = 1.0;
        f->error[k] = known && !pinned[k] && solve(A, x, e, n)
                          ? sqrt(variance * x[k]) * (f->search.hi[k] - f->search.lo[k])
                          : NAN;
    }
}

/* ---- data ------------------------------------------------------------------------------------- */

/* Columns of the table: time and measured values. */
static int read_data(fit *f, const char *path)
{
    sweep_job *job = f->search.job;
    sweep_job table = {.args = job->args};
    const int code = sweep_read_rows(&table, path);
    const int columns = table.spec.nparameters - 1;
    f->columns = columns;
    f->times = (int)table.spec.nrows;
    f->m = columns * f->times;
    if (code == CLI_OK && columns > 0) {
        f->measured = cli_alloc((size_t)f->m, sizeof(double));
        f->scale = cli_alloc((size_t)columns, sizeof(double));
        job->times = cli_alloc((size_t)f->times, sizeof(double));
        for (int i = 0; i < f->times; ++i) {
            const double *row = table.rows + (size_t)i * (size_t)(columns + 1);
            job->times[i] = row[0];
            for (int k = 0; k < columns; ++k) {
                f->measured[k * f->times + i] = row[k + 1];
            }
        }
    }
    for (int k = 0; k < columns && code == CLI_OK; ++k) {
        const char *name = table.spec.parameter[k + 1];
        job->trajectory[k] = sweep_keep(job, name, strlen(name) - strlen("=rows"));
    }
    for (int k = 0; k < table.ncopies; ++k) {
        free(table.copy[k]);
    }
    free(table.rows);
    job->spec.trajectory = job->trajectory;
    job->spec.ntrajectories = columns;
    job->spec.times = job->times;
    job->spec.ntimes = f->times;
    return code != CLI_OK || columns > 0
               ? code
               : cli_usage("sweep", "--fit %s: a column of times and at least one of values", path);
}

static void set_scales(fit *f)
{
    for (int k = 0; k < f->columns; ++k) {
        double mean = 0.0, square = 0.0;
        for (int i = 0; i < f->times; ++i) {
            mean += f->measured[k * f->times + i] / f->times;
        }
        for (int i = 0; i < f->times; ++i) {
            square += pow(f->measured[k * f->times + i] - mean, 2) / f->times;
        }
        f->scale[k] = square > 0.0 ? sqrt(square) : 1.0;
    }
}

/* ---- the result ------------------------------------------------------------------------------- */

static int at_bound(const fit *f, int k)
{
    return f->z[k] <= 0.0 || f->z[k] >= 1.0;
}

static void print_text(const fit *f, const double *x, const char *command)
{
    const sweep_search *s = &f->search;
    for (int k = 0; k < s->n; ++k) {
        cli_print("%-20s %.9g", s->name[k], x[k]);
        if (isfinite(f->error[k])) {
            printf(" +- %.2g", f->error[k]);
        }
        printf("%s\n", f->idle[k]               ? "   (undetermined: it has no influence on the data)"
                       : at_bound(f, k)         ? "   (at its bound)"
                       : !isfinite(f->error[k]) ? "   (its error is undetermined)"
                                                : "");
    }
    printf("rms of the residuals %.4g of the deviations of the data; %d values, %d iterations, %ld runs",
           sqrt(f->sum / f->m), f->m, f->iterations, s->evaluations);
    printf(s->failed > 0 ? ", %d failed\n" : "\n", s->failed);
    cli_print("  %s\n", command);
}

static void print_json(const fit *f, const double *x, const char *command)
{
    const sweep_search *s = &f->search;
    cli_json j = cli_json_to(stdout);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", dal_sweep_model_name(s->job->sweep));
    cli_json_open(&j, "parameters", '[', 0);
    for (int k = 0; k < s->n; ++k) {
        cli_json_open(&j, NULL, '{', 1);
        cli_json_text(&j, "name", s->name[k]);
        cli_json_real(&j, "value", x[k]);
        cli_json_real(&j, "error", f->error[k]);
        cli_json_flag(&j, "at_bound", at_bound(f, k));
        cli_json_flag(&j, "undetermined", f->idle[k]);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_flag(&j, "converged", f->converged);
    cli_json_real(&j, "rms", sqrt(f->sum / f->m));
    cli_json_whole(&j, "values", f->m);
    cli_json_whole(&j, "iterations", f->iterations);
    cli_json_whole(&j, "evaluations", s->evaluations);
    cli_json_whole(&j, "failed", s->failed);
    cli_json_text(&j, "command", command);
    cli_json_close(&j, '}');
    cli_json_end(&j);
}

static int perform(fit *f)
{
    sweep_job *job = f->search.job;
    double x[SEARCH_PARAMETERS];
    char command[COMMAND];
    const int n = f->search.n;
    const dal_status st = dal_sweep_create(&job->sweep, job->ctx, &job->spec);
    if (st != DAL_OK) {
        return sweep_fail(job, st);
    }
    set_scales(f);
    f->r = cli_alloc((size_t)f->m, sizeof(double));
    f->trial = cli_alloc((size_t)f->m, sizeof(double));
    f->J = cli_alloc((size_t)f->m * (size_t)n, sizeof(double));
    for (int k = 0; k < n; ++k) {
        f->z[k] = (f->search.start[k] - f->search.lo[k]) / (f->search.hi[k] - f->search.lo[k]);
    }
    const int code = search(f);
    if (code != CLI_OK) {
        return code;
    }
    estimate_errors(f);
    search_point(&f->search, x, f->z);
    search_command(&f->search, command, sizeof command, x);
    if (job->json) {
        print_json(f, x, command);
    } else {
        print_text(f, x, command);
    }
    return f->converged ? CLI_OK : search_unconverged(&f->search);
}

int sweep_fit(sweep_job *job)
{
    fit *f = cli_alloc(1, sizeof *f);
    int code = search_read(&f->search, job);
    code = code != CLI_OK ? code : read_data(f, sweep_flag(job, "fit"));
    code = code != CLI_OK ? code : perform(f);
    free(f->measured);
    free(f->scale);
    free(f->r);
    free(f->trial);
    free(f->J);
    free(f);
    return code;
}
