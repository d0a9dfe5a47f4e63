/* Symmetric eigenproblems A x = w B x of our own: with B = L D L^T (L unit lower triangular) the symmetric matrix
 * C = D^-1/2 L^-1 A L^-T D^-1/2 has the same eigenvalues; it is brought to tridiagonal form by reflections and that to diagonal form by
 * the implicit QL iteration (Bowdler, Martin, Reinsch, Wilkinson 1968). x = L^-T D^-1/2 z. */
#include "linsol/eigen.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "linsol/dense_kernels.h"
#include "linsol/subspace.h"

typedef struct problem {
    int n;
    double *A, *L; /* C, then vectors; L below the diagonal of B */
    double *s;     /* n: D^-1/2 */
    double *d, *e; /* n: the diagonal, and e[i] beside it in row i, column i - 1 */
    double *p;     /* n: work */
    double *tau;   /* n: of the reflections */
    double *room;
    dal_arena arena;
} problem;

static void carve(problem *t)
{
    double **vector[] = {&t->s, &t->e, &t->p, &t->tau};
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = dal_arena_reals(&t->arena, t->n);
    }
    t->room = dal_arena_take(&t->arena, dal_dense_room(t->n, t->n), sizeof(double));
}

static double *column(const problem *t, double *M, int j)
{
    return M + dal_entry(0, j, t->n);
}

/* ---- to a symmetric matrix -------------------------------------------------------------------- */

/* Of A the upper triangle counts. */
static void fill_lower(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j + 1; i < n; ++i) {
            A[dal_entry(i, j, n)] = A[dal_entry(j, i, n)];
        }
    }
}

/* B = L D L^T from its upper triangle, in place; -1, or the row where B is not positive definite. */
static int cholesky(problem *t)
{
    const int n = t->n;
    fill_lower(t->L, n);
    for (int k = 0; k < n; ++k) {
        double *l = column(t, t->L, k);
        const double pivot = l[k];
        if (!(pivot > 0.0 && pivot <= DBL_MAX)) {
            return k;
        }
        t->s[k] = 1.0 / sqrt(pivot);
        for (int j = k + 1; j < n; ++j) {
            dal_add_multiple(column(t, t->L, j) + j, l + j, -l[j] / pivot, n - j);
        }
        dal_divide(l + k + 1, l + k + 1, pivot, n - k - 1);
    }
    return -1;
}

static void transpose(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j + 1; i < n; ++i) {
            const double x = A[dal_entry(i, j, n)];
            A[dal_entry(i, j, n)] = A[dal_entry(j, i, n)];
            A[dal_entry(j, i, n)] = x;
        }
    }
}

static void reduce(problem *t)
{
    const int n = t->n;
    fill_lower(t->A, n);
    dal_dense_lower(t->A, n, t->L, n, n, n, t->room);
    transpose(t->A, n);
    dal_dense_lower(t->A, n, t->L, n, n, n, t->room);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            t->A[dal_entry(i, j, n)] *= t->s[i] * t->s[j];
        }
    }
}

/* For A^-1 instead of A: D^1/2 L^T A^-1 L D^1/2 has the reciprocal eigenvalues and the same vectors. */
static void reduce_flexible(problem *t)
{
    const int n = t->n;
    fill_lower(t->A, n);
    for (int side = 0; side < 2; ++side) {
        for (int j = 0; j < n; ++j) {
            for (int k = j + 1; k < n; ++k) {
                dal_add_multiple(column(t, t->A, j), column(t, t->A, k), t->L[dal_entry(k, j, n)], n);
            }
        }
        transpose(t->A, n);
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            t->A[dal_entry(i, j, n)] /= t->s[i] * t->s[j];
        }
    }
}

/* ---- to a tridiagonal matrix ------------------------------------------------------------------ */

/* p := tau C v with the lower triangle of C from row and column `first` on. */
static void symmetric_product(problem *t, const double *v, double tau, int first)
{
    const int n = t->n;
    dal_zero(t->p + first, n - first);
    for (int j = first; j < n; ++j) {
        const double *restrict c = column(t, t->A, j);
        double *restrict p = t->p, sum = c[j] * v[j];
        const double x = v[j];
        for (int i = j + 1; i < n; ++i) {
            p[i] += c[i] * x;
            sum += c[i] * v[i];
        }
        p[j] += sum;
    }
    dal_scale(t->p + first, tau, n - first);
}

/* C := (1 - tau v v^T) C (1 - tau v v^T) in the same part, with p from above. */
static void update(problem *t, const double *v, double tau, int first)
{
    const int n = t->n;
    double vp = 0.0;
    for (int i = first; i < n; ++i) {
        vp += v[i] * t->p[i];
    }
    dal_add_multiple(t->p + first, v + first, -0.5 * tau * vp, n - first);
    for (int j = first; j < n; ++j) {
        double *restrict c = column(t, t->A, j);
        const double *restrict p = t->p, vj = v[j], pj = p[j];
        for (int i = j; i < n; ++i) {
            c[i] -= v[i] * pj + p[i] * vj;
        }
    }
}

/* The reflection that maps x (n) to (+-length, 0, ...): x becomes v with v[0] = 1, *image its image. Returns tau, 0 for none. */
static double reflection(double *x, int n, double *image)
{
    const double max = dal_max_abs(x, n);
    double sum = 0.0;
    *image = x[0];
    if (n < 2 || !(dal_max_abs(x + 1, n - 1) > 0.0)) {
        return 0.0;
    }
    for (int i = 0; i < n; ++i) {
        sum += (x[i] / max) * (x[i] / max);
    }
    *image = x[0] > 0.0 ? -max * sqrt(sum) : max * sqrt(sum);
    const double first = x[0] - *image;
    dal_divide(x + 1, x + 1, first, n - 1);
    x[0] = 1.0;
    return -first / *image;
}

static void tridiagonalise(problem *t)
{
    const int n = t->n;
    t->e[0] = 0.0;
    for (int k = 0; k + 1 < n; ++k) {
        double *v = column(t, t->A, k), image;
        t->d[k] = v[k];
        t->tau[k] = reflection(v + k + 1, n - k - 1, &image);
        t->e[k + 1] = image;
        if (t->tau[k] != 0.0) {
            symmetric_product(t, v, t->tau[k], k + 1);
            update(t, v, t->tau[k], k + 1);
        }
    }
    t->d[n - 1] = t->A[dal_entry(n - 1, n - 1, n)];
}

/* A := the product of the reflections. Column k has the vector of the one that begins in row k + 1. */
static void accumulate(problem *t)
{
    const int n = t->n;
    for (int k = n - 1; k >= 0; --k) { // columns move to the right by one
        double *q = column(t, t->A, k);
        const double *v = k > 0 ? column(t, t->A, k - 1) : NULL;
        const double tau = k > 0 ? t->tau[k - 1] : 0.0;
        if (tau != 0.0) {
            dal_copy(t->p, v, n);
        }
        dal_zero(q, n);
        q[k] = 1.0;
        for (int j = k; j < n && tau != 0.0; ++j) {
            double *x = column(t, t->A, j), sum = 0.0;
            for (int i = k; i < n; ++i) {
                sum += t->p[i] * x[i];
            }
            dal_add_multiple(x + k, t->p + k, -tau * sum, n - k);
        }
    }
}

/* ---- to a diagonal matrix --------------------------------------------------------------------- */

static void turn(double *restrict a, double *restrict b, double c, double s, int n)
{
    for (int i = 0; i < n; ++i) {
        const double x = b[i];
        b[i] = s * a[i] + c * x;
        a[i] = c * a[i] - s * x;
    }
}

/* One implicit QL step on the rows l .. m, shifted towards the eigenvalue at l. */
static void ql_step(problem *t, int l, int m)
{
    double *d = t->d, *e = t->e;
    double g = (d[l + 1] - d[l]) / (2.0 * e[l + 1]), r = hypot(g, 1.0), s = 1.0, c = 1.0, p = 0.0;
    g = d[m] - d[l] + e[l + 1] / (g + copysign(r, g));
    for (int i = m - 1; i >= l; --i) {
        const double f = s * e[i + 1], b = c * e[i + 1];
        r = hypot(f, g);
        if (i + 2 <= m) {
            e[i + 2] = r;
        }
        if (r == 0.0) { // the matrix splits there
            d[i + 1] -= p;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        turn(column(t, t->A, i), column(t, t->A, i + 1), c, s, t->n);
    }
    d[l] -= p;
    e[l + 1] = g;
}

static int diagonalise(problem *t)
{
    enum { MOST = 60 };
    const double whole = dal_max_abs(t->d, t->n) + dal_max_abs(t->e, t->n);
    for (int l = 0; l < t->n; ++l) {
        for (int step = 0;; ++step) {
            // where two of them are rounding of the whole matrix, what is between them never gets small beside these
            const double least = step < MOST / 2 ? 0.0 : whole;
            int m = l;
            while (m + 1 < t->n && fabs(t->e[m + 1]) > DBL_EPSILON * (fabs(t->d[m]) + fabs(t->d[m + 1]) + least)) {
                ++m;
            }
            if (m == l) {
                break;
            }
            if (step == MOST) {
                return 0;
            }
            ql_step(t, l, m);
        }
    }
    return 1;
}

/* ---- result ----------------------------------------------------------------------------------- */

static void sort(problem *t)
{
    for (int i = 0; i < t->n; ++i) {
        int least = i;
        for (int j = i + 1; j < t->n; ++j) {
            least = t->d[j] < t->d[least] ? j : least;
        }
        if (least != i) {
            const double x = t->d[i];
            t->d[i] = t->d[least];
            t->d[least] = x;
            dal_copy(t->p, column(t, t->A, i), t->n);
            dal_copy(column(t, t->A, i), column(t, t->A, least), t->n);
            dal_copy(column(t, t->A, least), t->p, t->n);
        }
    }
}

/* x = L^-T D^-1/2 z; its sign is free: the largest entry is made positive. */
static void transform_back(problem *t)
{
    for (int j = 0; j < t->n; ++j) {
        double *x = column(t, t->A, j), largest = 0.0;
        for (int i = t->n - 1; i >= 0; --i) {
            const double *l = column(t, t->L, i);
            double sum = x[i] * t->s[i];
            for (int k = i + 1; k < t->n; ++k) {
                sum -= l[k] * x[k];
            }
            x[i] = sum;
        }
        for (int i = 0; i < t->n; ++i) {
            // of two entries that differ by rounding only, the first decides
            largest = fabs(x[i]) > (1.0 + 1e-6) * fabs(largest) ? x[i] : largest;
        }
        if (largest < 0.0) {
            dal_negative(x, x, t->n);
        }
    }
}

static dal_status solve(problem *t, int flexible, dal_ctx *ctx)
{
    const int row = cholesky(t);
    if (row >= 0) {
        return dal_fail(ctx, DAL_EINVAL, "eigenproblem: the second matrix is not positive definite (row %d)", row + 1);
    }
    (flexible ? reduce_flexible : reduce)(t);
    if (dal_not_finite(t->A, t->n * t->n) != 0.0) {
        return dal_fail(ctx, DAL_EINVAL, "eigenproblem: a matrix of size %d has entries that are not finite", t->n);
    }
    tridiagonalise(t);
    accumulate(t);
    if (!diagonalise(t)) {
        return dal_fail(ctx, DAL_EINVAL, "eigenproblem of size %d: no convergence", t->n);
    }
    for (int i = 0; i < t->n && flexible; ++i) {
        t->d[i] = t->d[i] > 0.0 ? 1.0 / t->d[i] : (double)INFINITY;
    }
    sort(t);
    transform_back(t);
    return DAL_OK;
}

static dal_status run(double *w, double *A, double *B, int n, int flexible, dal_ctx *ctx)
{
    problem t = {.n = n, .A = A, .L = B, .d = w, .arena = dal_arena_init(ctx)};
    if (n == 0) {
        return DAL_OK;
    }
    carve(&t);
    DAL_TRY(dal_arena_reserve(&t.arena));
    carve(&t);
    const dal_status st = solve(&t, flexible, ctx);
    dal_arena_release(&t.arena);
    return st;
}

dal_status dal_eigen_symmetric(double *w, double *A, double *B, int n, dal_ctx *ctx)
{
    return run(w, A, B, n, 0, ctx);
}

dal_status dal_eigen_flexible(double *w, double *C, double *B, int n, dal_ctx *ctx)
{
    return run(w, C, B, n, 1, ctx);
}
