/* Dense LU of our own: right-looking, two pivots at a time, so that a column is read and written once for two
 * multiplications and additions. */
#include <float.h>
#include <math.h>

#include "linsol/linsol_impl.h"
#include "linsol/lu_impl.h"

void dal_lu_carve(dal_lu *lu, dal_arena *arena, int n)
{
    lu->n = n;
    lu->ld = n + n % 2;
    lu->lu = dal_arena_take(arena, (size_t)lu->ld * (size_t)n, sizeof(double));
    lu->inv = dal_arena_reals(arena, n);
    lu->w = dal_arena_reals(arena, lu->ld);
    lu->q = dal_arena_ints(arena, n);
    lu->c = dal_arena_take(arena, (size_t)n, sizeof *lu->c);
}

/* c[i] -= l0[i] u0 + l1[i] u1 for i = first .. last-1, an even number of rows. */
static inline void subtract_two(double *restrict c, const double *restrict l0, const double *restrict l1, double u0,
                                double u1, int first, int last)
{
    for (int i = first; i < last; i += 2) {
        c[i] -= l0[i] * u0 + l1[i] * u1;
        c[i + 1] -= l0[i + 1] * u0 + l1[i + 1] * u1;
    }
}

static inline void subtract_one(double *restrict c, const double *restrict l, double u, int first, int last)
{
    for (int i = first; i < last; i += 2) {
        c[i] -= l[i] * u;
        c[i + 1] -= l[i + 1] * u;
    }
}

/* The sum over a column has two parts, so that additions need not wait for each other and come in twos. */
double dal_lu_load(dal_lu *lu, const double *A)
{
    const int n = lu->n, ld = lu->ld;
    double max = 0.0, total = 0.0;
    lu->scaled = 0;
    for (int j = 0; j < n; ++j) {
        const double *restrict a = A + j * n;
        double *restrict c = lu->lu + j * ld;
        double even = 0.0, odd = 0.0;
        for (int i = 0; i + 1 < n; i += 2) {
            const double x = a[i], y = a[i + 1];
            c[i] = x;
            c[i + 1] = y;
            even += fabs(x);
            odd += fabs(y);
        }
        if (ld > n) {
            c[n - 1] = a[n - 1];
            c[n] = 0.0;
            even += fabs(a[n - 1]);
        }
        const double sum = even + odd;
        total += sum;
        max = sum > max ? sum : max;
    }
    return total <= DBL_MAX ? max : HUGE_VAL;
}

/* ---- pivots ----------------------------------------------------------------------------------- */

/* Among the columns k .. n-1 the one with the largest entry in row k; the first if there are several. */
static inline int largest(const dal_lu *lu, int k)
{
    int p = k;
    double max = -1.0;
    for (int j = k; j < lu->n; ++j) {
        const double a = fabs(lu->c[j][k]);
        if (a > max) {
            max = a;
            p = j;
        }
    }
    return p;
}

/* Magnitudes of the columns of A, once for each matrix that needs them; in the work vector. */
static const double *column_scales(dal_lu *lu, const double *A)
{
    const int n = lu->n;
    if (!lu->scaled) {
        for (int j = 0; j < n; ++j) {
            double max = 0.0;
            for (int i = 0; i < n; ++i) {
                max = fmax(max, fabs(A[i + j * n]));
            }
            lu->w[j] = max > 0.0 ? max : 1.0;
        }
        lu->scaled = 1;
    }
    return lu->w;
}

/* Largest magnitude that row k of A, or of what became of it, has in columns of magnitude one: s are their scales. */
static double row_scale(const dal_lu *lu, const double *A, const double *s, int k)
{
    double max = 0.0;
    for (int j = 0; j < lu->n; ++j) {
        max = fmax(max, fabs(A[k + j * lu->n]) / s[j]);
    }
    for (int m = 0; m < k; ++m) {
        max = fmax(max, fabs(lu->c[m][k]) / s[lu->q[m]]);
    }
    return max;
}

/* Is the candidate in row k, column p no larger than rounding errors in numbers of the size it grew from?  (LS.3) */
static int noise(const dal_lu *lu, const double *s, double scale, int k, int p)
{
    const double *c = lu->c[p], sp = s[lu->q[p]];
    double growth = 1.0;
    for (int m = 0; m < k; ++m) {
        growth = fmax(growth, fabs(c[m]) * s[lu->q[m]] / sp);
    }
    return fabs(c[k]) / sp <= DAL_PIVOT_NOISE * lu->n * DBL_EPSILON * scale * growth;
}

/* All candidates of row k look small: find the largest that is not noise. Those that are become zero, which changes
 * A by its rounding errors. Returns -1 if none is left. */
static int careful_pivot(dal_lu *lu, const double *A, int k)
{
    const double *s = column_scales(lu, A);
    const double scale = row_scale(lu, A, s, k);
    for (;;) {
        const int p = largest(lu, k);
        double *c = lu->c[p];
        if (!(fabs(c[k]) >= DBL_MIN)) {
            return -1;
        }
        if (!noise(lu, s, scale, k, p)) {
            return p;
        }
        c[k] = 0.0;
    }
}

/* Bring the pivot of row k, found in column p, to place k. Returns 0 if there is none. */
static inline int take_pivot(dal_lu *lu, const double *A, double suspect, int k, int p)
{
    const double a = fabs(lu->c[p][k]);
    if (!(a > suspect)) {
        p = careful_pivot(lu, A, k);
        if (p < 0) {
            return 0;
        }
    }
    const int q = lu->q[k];
    double *c = lu->c[k];
    lu->q[k] = lu->q[p];
    lu->c[k] = lu->c[p];
    lu->q[p] = q;
    lu->c[p] = c;
    lu->inv[k] = 1.0 / lu->c[k][k];
    return 1;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* Rows k and k + 1 of U for the columns behind pivot k: the first is final, the second lacks its pivot. Returns the
 * column with the largest entry in row k + 1. */
static inline int next_row(dal_lu *lu, int k)
{
    const double *l = lu->c[k];
    const double inv = lu->inv[k], l1 = l[k + 1];
    int p = k + 1;
    double max = -1.0;
    for (int j = k + 1; j < lu->n; ++j) {
        double *c = lu->c[j];
        const double u = c[k] * inv, t = c[k + 1] - l1 * u, a = fabs(t);
        c[k] = u;
        c[k + 1] = t;
        if (a > max) {
            max = a;
            p = j;
        }
    }
    return p;
}

/* Columns k and k + 1 of L, and what they leave of the columns behind. Returns the column with the largest entry in
 * row k + 2. Columns with zeros in both rows stay as they are: this is common in saddle matrices. */
static inline int update(dal_lu *lu, int k)
{
    const int n = lu->n, ld = lu->ld;
    const double *l0 = lu->c[k];
    double *l1 = lu->c[k + 1];
    subtract_one(l1, l0, l1[k], k + 2, ld);
    const double inv = lu->inv[k + 1];
    int p = k + 2;
    double max = -1.0;
    for (int j = k + 2; j < n; ++j) {
        double *c = lu->c[j];
        const double u0 = c[k], u1 = c[k + 1] * inv;
        c[k + 1] = u1;
        if (fabs(u0) + fabs(u1) > 0.0) {
            subtract_two(c, l0, l1, u0, u1, k + 2, ld);
        }
        const double a = fabs(c[k + 2]);
        if (a > max) {
            max = a;
            p = j;
        }
    }
    return p;
}

int dal_lu_factor(dal_lu *lu, const double *A, double norm1)
{
    const int n = lu->n;
    const double small = DAL_PIVOT_SUSPECT * norm1, suspect = small > DBL_MIN ? small : DBL_MIN;
    for (int j = 0; j < n; ++j) {
        lu->q[j] = j;
        lu->c[j] = lu->lu + j * lu->ld;
    }
    int p = largest(lu, 0), k = 0;
    for (; k + 1 < n; k += 2) {
        if (!take_pivot(lu, A, suspect, k, p)) {
            return k;
        }
        if (!take_pivot(lu, A, suspect, k + 1, next_row(lu, k))) {
            return k + 1;
        }
        p = update(lu, k);
    }
    return k < n && !take_pivot(lu, A, suspect, k, p) ? k : -1;
}

/* ---- solves ----------------------------------------------------------------------------------- */

void dal_lu_solve(const dal_lu *lu, double *b)
{
    const int n = lu->n, ld = lu->ld;
    double *restrict w = lu->w;
    w[ld - 1] = 0.0;
    for (int i = 0; i < n; ++i) {
        w[i] = b[i];
    }
    // w := L^-1 w
    int k = 0;
    for (; k + 1 < n; k += 2) {
        const double *l0 = lu->c[k], *l1 = lu->c[k + 1];
        const double y0 = w[k] * lu->inv[k], y1 = (w[k + 1] - l0[k + 1] * y0) * lu->inv[k + 1];
        w[k] = y0;
        w[k + 1] = y1;
        subtract_two(w, l0, l1, y0, y1, k + 2, ld);
    }
    // w := U^-1 w, from the right; an even number of rows lies above each pair
    if (k < n) {
        w[k] *= lu->inv[k];
        subtract_one(w, lu->c[k], w[k], 0, k);
    }
    for (k -= 2; k >= 0; k -= 2) {
        const double *u0 = lu->c[k], *u1 = lu->c[k + 1];
        w[k] -= u1[k] * w[k + 1];
        subtract_two(w, u0, u1, w[k], w[k + 1], 0, k);
    }
    // b := Q w
    for (int i = 0; i < n; ++i) {
        b[lu->q[i]] = w[i];
    }
}

void dal_lu_solve_transposed(const dal_lu *lu, double *b)
{
    const int n = lu->n;
    double *w = lu->w;
    // w := U^-T Q^T b
    for (int i = 0; i < n; ++i) {
        const double *u = lu->c[i];
        double sum = b[lu->q[i]];
        for (int k = 0; k < i; ++k) {
            sum -= u[k] * w[k];
        }
        w[i] = sum;
    }
    // b := L^-T w
    for (int i = n - 1; i >= 0; --i) {
        const double *l = lu->c[i];
        double sum = w[i];
        for (int k = i + 1; k < n; ++k) {
            sum -= l[k] * b[k];
        }
        b[i] = sum * lu->inv[i];
    }
}
