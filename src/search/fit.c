/* Parameters from measured data: least squares by the method of Levenberg and Marquardt, with bounds. Each curve counts relative
 * to its deviation. Derivatives are exact where the run has them (dalembert/gradient.h), else differences. */
#include <math.h>
#include <string.h>

#include "search/search_impl.h"

enum { ITERATIONS = 100, TRIALS = 30 };

typedef struct fit {
    sweep_search search;
    int m;          /* measured values */
    double *scale;  /* of each curve */
    double *weight; /* m: 1/scale */
    dal_gradient_data *data;
    double *r, *trial, *J; /* m; m; m x n */
    double *JtJ, *L;       /* n x n: J^T J, and room for factors */
    double g[SEARCH_MOST];
    double sum; /* of squares */
} fit;

/* Weighted differences from the measured values, and the sum of their squares; NaN if the model cannot be run there. */
static double residuals(fit *f, const double *z, double *r)
{
    const int times = f->search.sweep->ntimes;
    double sum = 0.0;
    if (!dal_sweep_search_run(&f->search, NULL, r, z)) {
        return NAN;
    }
    for (int i = 0; i < f->m; ++i) {
        r[i] = (r[i] - f->search.spec->measured[i]) / f->scale[i / times];
        sum += r[i] * r[i];
    }
    return sum;
}

/* J by exact derivatives. */
static int differentiate(fit *f)
{
    const int n = f->search.n, m = f->m;
    if (!dal_sweep_search_slopes(&f->search, DAL_GRADIENT_FORWARD, f->search.z)) {
        return 0;
    }
    for (int i = 0; i < m; ++i) {
        const double *row = dal_gradient_row(f->search.gradient, f->search.sweep->ncollect + i);
        for (int k = 0; k < n; ++k) {
            f->J[k * m + i] = row[k] * (f->search.hi[k] - f->search.lo[k]);
        }
    }
    return 1;
}

/* J by central differences, one-sided at bounds. */
static int difference(fit *f)
{
    const int n = f->search.n, m = f->m;
    const double step = 1e-5;
    for (int k = 0; k < n; ++k) {
        double z[SEARCH_MOST], *column = f->J + (size_t)k * (size_t)m;
        memcpy(z, f->search.z, sizeof z);
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
    return 1;
}

/* J, g = J^T r, J^T J. */
static int linearise(fit *f)
{
    const int n = f->search.n, m = f->m;
    if (!(f->search.gradient ? differentiate(f) : difference(f))) {
        return 0;
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
        f->search.found->undetermined[k] = f->JtJ[k * n + k] <= 1e-18 * m;
    }
    return 1;
}

/* Solve A x = b for the parameters that are not pinned, where those that are have their x; A = J^T J, its diagonal times 1 + mu.
 * By Cholesky's factors; 0: A is not positive. */
static int solve(const fit *f, double mu, const int *pinned, const double *b, double *x)
{
    const int n = f->search.n < SEARCH_MOST ? f->search.n : SEARCH_MOST;
    double *L = f->L; // its lower half
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            const double diagonal = f->JtJ[j * n + j] * (1.0 + mu) + 1e-300;
            double sum = pinned[i] || pinned[j] ? (double)(i == j) : i == j ? diagonal : f->JtJ[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= L[i * n + k] * L[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return 0;
            }
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    }
    double y[SEARCH_MOST] = {0.0};
    for (int i = 0; i < n; ++i) {
        y[i] = pinned[i] ? x[i] : b[i];
        for (int l = 0; l < n; ++l) {
            y[i] -= !pinned[i] && pinned[l] ? f->JtJ[i * n + l] * x[l] : 0.0;
        }
        for (int k = 0; k < i; ++k) {
            y[i] -= L[i * n + k] * y[k];
        }
        y[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = y[i];
        for (int k = i + 1; k < n; ++k) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    return 1;
}

/* Parameters that are held: at a bound that the sum of squares pushes them against, or without influence. Returns how many are
 * not. */
static int find_held(const fit *f, int *held)
{
    int nfree = 0;
    for (int k = 0; k < f->search.n; ++k) {
        const double z = f->search.z[k], g = f->g[k];
        held[k] = f->search.found->undetermined[k] || (z <= 0.0 && g > 0.0) || (z >= 1.0 && g < 0.0);
        nfree += !held[k];
    }
    return nfree;
}

/* The step d with damping mu that stays between the bounds: what would leave them stops there, and the others are solved
 * for again. */
static int bounded_step(const fit *f, double mu, double *d)
{
    const int n = f->search.n;
    const double *z = f->search.z;
    int pinned[SEARCH_MOST], more = 1;
    double b[SEARCH_MOST];
    find_held(f, pinned);
    for (int k = 0; k < n; ++k) {
        b[k] = -f->g[k];
        d[k] = 0.0;
    }
    while (more) {
        if (!solve(f, mu, pinned, b, d)) {
            return 0;
        }
        more = 0;
        for (int k = 0; k < n; ++k) {
            if (!pinned[k] && (z[k] + d[k] < 0.0 || z[k] + d[k] > 1.0)) {
                d[k] = (d[k] < 0.0 ? 0.0 : 1.0) - z[k];
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
    for (int trial = 0; trial < TRIALS; ++trial, *mu *= 4.0) {
        double d[SEARCH_MOST], z[SEARCH_MOST];
        if (!bounded_step(f, *mu, d)) {
            continue;
        }
        *moved = 0.0;
        for (int k = 0; k < n; ++k) {
            z[k] = fmin(1.0, fmax(0.0, f->search.z[k] + d[k]));
            *moved = fmax(*moved, fabs(z[k] - f->search.z[k]));
        }
        const double sum = residuals(f, z, f->trial);
        if (sum < f->sum) {
            memcpy(f->search.z, z, (size_t)n * sizeof *z);
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

static dal_status search(fit *f)
{
    dal_sweep_found *found = f->search.found;
    dal_ctx *ctx = f->search.sweep->ctx;
    double mu = 1e-3, moved = 1.0;
    f->sum = residuals(f, f->search.z, f->r);
    if (!isfinite(f->sum)) {
        const char *why = dal_ctx_message(ctx);
        return dal_fail(ctx, DAL_NOCONV, "the model cannot be run where the search starts: %s",
                        why[0] != '\0' ? why : "results are not finite");
    }
    while (!found->converged && found->iterations < ITERATIONS && found->evaluations < f->search.spec->evaluations) {
        ++found->iterations;
        const double before = f->sum;
        if (!linearise(f)) {
            break;
        }
        const int failed = found->failed, smaller = descend(f, &mu, &moved);
        if (!smaller && found->failed > failed) {
            break; // the model cannot be run where the steps lead
        }
        found->converged = !smaller || moved <= 1e-3 * f->search.spec->tolerance || before - f->sum < 1e-14 * before;
    }
    return DAL_OK;
}

/* Standard errors from the curvature at the solution, of the parameters that are not held. */
static void estimate_errors(fit *f)
{
    int held[SEARCH_MOST], nfree = 0;
    const int known = linearise(f);
    (void)find_held(f, held);
    if (known) {
        dal_fit_combinations(&f->search, f->L, held, f->JtJ);
    }
    for (int k = 0; k < f->search.n; ++k) {
        nfree += !held[k];
    }
    const double variance = f->m > nfree ? f->sum / (f->m - nfree) : NAN;
    for (int k = 0; k < f->search.n; ++k) {
        double e[SEARCH_MOST] = {0.0}, x[SEARCH_MOST] = {0.0};
        e[k] = 1.0;
        const int free = !held[k] && f->search.found->tied[k] == 0;
        f->search.found->error[k] = known && free && solve(f, 0.0, held, e, x)
                                        ? sqrt(variance * x[k]) * (f->search.hi[k] - f->search.lo[k])
                                        : NAN;
    }
}

static void set_scales(fit *f)
{
    const int times = f->search.sweep->ntimes;
    for (int k = 0; k < f->search.sweep->ncurves; ++k) {
        const double *y = f->search.spec->measured + (size_t)k * (size_t)times;
        double mean = 0.0, square = 0.0;
        for (int i = 0; i < times; ++i) {
            mean += y[i] / times;
        }
        for (int i = 0; i < times; ++i) {
            square += pow(y[i] - mean, 2) / times;
        }
        f->scale[k] = square > 0.0 ? sqrt(square) : 1.0;
    }
}

static void carve(fit *f, dal_arena *a)
{
    const size_t m = (size_t)f->m;
    f->scale = dal_arena_take(a, (size_t)f->search.sweep->ncurves, sizeof(double));
    f->weight = dal_arena_take(a, m, sizeof(double));
    f->data = dal_arena_take(a, (size_t)f->search.sweep->ncurves, sizeof *f->data);
    f->r = dal_arena_take(a, m, sizeof(double));
    f->trial = dal_arena_take(a, m, sizeof(double));
    f->J = dal_arena_take(a, m * (size_t)f->search.n, sizeof(double));
    f->JtJ = dal_arena_take(a, (size_t)f->search.n * (size_t)f->search.n, sizeof(double));
    f->L = dal_arena_take(a, (size_t)f->search.n * (size_t)f->search.n, sizeof(double));
}

/* Derivatives of the measured curves, each relative to its scale. */
static dal_status find_gradient(fit *f)
{
    const dal_sweep *sweep = f->search.sweep;
    for (int i = 0; i < f->m; ++i) {
        f->weight[i] = 1.0 / f->scale[i / sweep->ntimes];
    }
    for (int k = 0; k < sweep->ncurves; ++k) {
        const size_t first = (size_t)k * (size_t)sweep->ntimes;
        f->data[k] = (dal_gradient_data){.expression = sweep->curve[k],
                                         .t = sweep->times,
                                         .y = f->search.spec->measured + first,
                                         .weight = f->weight + first,
                                         .n = sweep->ntimes};
    }
    return dal_sweep_search_differentiate(&f->search, f->data, sweep->ncurves);
}

dal_status dal_sweep_fit_(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *spec, size_t size)
{
    fit f;
    DAL_NEED_AS(NULL, sweep, "sweep");
    DAL_OWN(sweep->ctx, dal_sweep_search, spec);
    DAL_TRY(dal_sweep_search_init(&f.search, sweep, found, spec));
    DAL_NEED_AS(sweep->ctx, spec->measured, "spec.measured");
    f.m = found->values = sweep->ncurves * sweep->ntimes;
    dal_arena a = dal_arena_init(sweep->ctx);
    carve(&f, &a);
    DAL_TRY(dal_arena_reserve(&a));
    carve(&f, &a);
    set_scales(&f);
    dal_status st = find_gradient(&f);
    st = st == DAL_OK ? search(&f) : st;
    if (st == DAL_OK) {
        estimate_errors(&f);
        found->rms = sqrt(f.sum / f.m);
    }
    dal_sweep_search_end(&f.search, 0.0);
    dal_arena_release(&a);
    return st;
}
