/* Matrices of finite element bodies: from entries to compressed columns, products, factors. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "flex/fem_impl.h"

/* ---- compressed columns ----------------------------------------------------------------------- */

/* Where the entries of each of n rows (or columns) begin, once they are sorted by them. */
static void count_places(int *ptr, int n, const int *of, size_t count)
{
    memset(ptr, 0, ((size_t)n + 1) * sizeof *ptr);
    for (size_t k = 0; k < count; ++k) {
        ++ptr[of[k] + 1];
    }
    for (int i = 0; i < n; ++i) {
        ptr[i + 1] += ptr[i];
    }
}

/* Order of the entries by columns, and by rows within these: by rows first, then by columns, each keeping the order before. */
static void sort_entries(int *order, int *by_row, int *ptr, int n, size_t count, const int *row, const int *col)
{
    count_places(ptr, n, row, count);
    for (size_t k = 0; k < count; ++k) {
        by_row[ptr[row[k]]++] = (int)k;
    }
    count_places(ptr, n, col, count);
    for (size_t k = 0; k < count; ++k) {
        order[ptr[col[by_row[k]]]++] = by_row[k];
    }
}

dal_status fem_compress(fem_pair *pair, dal_pool *pool, int n, size_t count, const int *row, const int *col,
                        const double *k, const double *m)
{
    dal_pool work = {.ctx = pool->ctx, .what = "the matrices of a finite element body"};
    int *order = dal_pool_take(&work, count + 1, sizeof(int)), *by_row = dal_pool_take(&work, count + 1, sizeof(int));
    pair->n = n;
    pair->colptr = dal_pool_take(pool, (size_t)n + 1, sizeof(int));
    pair->row = dal_pool_take(pool, count + 1, sizeof(int));
    pair->K = dal_pool_take(pool, count + 1, sizeof(double));
    pair->M = dal_pool_take(pool, count + 1, sizeof(double));
    if (!order || !by_row || !pair->colptr || !pair->row || !pair->K || !pair->M) {
        dal_pool_release(&work);
        return DAL_ENOMEM;
    }
    sort_entries(order, by_row, pair->colptr, n, count, row, col);
    int last = -1, nnz = 0, column = 0;
    pair->colptr[0] = 0;
    for (size_t l = 0; l < count; ++l) {
        const int e = order[l];
        while (column < col[e]) {
            pair->colptr[++column] = nnz;
            last = -1;
        }
        if (row[e] != last) {
            last = row[e];
            pair->row[nnz++] = last;
        }
        pair->K[nnz - 1] += k[e];
        pair->M[nnz - 1] += m[e];
    }
    while (column < n) {
        pair->colptr[++column] = nnz;
    }
    dal_pool_release(&work);
    return DAL_OK;
}

void fem_product(double *Y, const fem_pair *A, const double *x, const double *X, int ncols)
{
    for (int c = 0; c < ncols; ++c) {
        const double *in = X + dal_entry(0, c, A->n);
        double *out = Y + dal_entry(0, c, A->n);
        for (int j = 0; j < A->n; ++j) {
            double sum = 0.0;
            for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
                sum += x[l] * in[A->row[l]]; // symmetric: column j is row j
            }
            out[j] = sum;
        }
    }
}

/* ---- as given --------------------------------------------------------------------------------- */

/* Which triangles have entries: 1 lower, 2 upper. */
static dal_status find_triangles(fem_body *b, const dal_entries *A, const char *name, int *triangles)
{
    *triangles = 0;
    for (int k = 0; k < A->n; ++k) {
        const int i = A->row[k], j = A->col[k], n = b->d->ndofs;
        if (i < 0 || j < 0 || i >= n || j >= n) {
            return dal_fail(b->ctx, DAL_EINVAL, "%s has an entry (%d, %d), but %d rows and columns", name, i + 1, j + 1,
                            n);
        }
        if (!isfinite(A->x[k])) {
            return dal_fail(b->ctx, DAL_EINVAL, "%s: entry (%d, %d) is not a finite number", name, i + 1, j + 1);
        }
        *triangles |= A->x[k] == 0.0 || i == j ? 0 : i > j ? 1 : 2;
    }
    return DAL_OK;
}

/* Unit of entry (i, j): moments and rotations have one more length each. */
static double unit_of(const fem_body *b, int i, int j)
{
    const double length = b->d->length > 0.0 ? b->d->length : 1.0, mass = b->d->mass > 0.0 ? b->d->mass : 1.0;
    return mass * (b->dof[i] % 6 > 2 ? length : 1.0) * (b->dof[j] % 6 > 2 ? length : 1.0);
}

/* Entries of one matrix behind `count` others. */
static size_t add_entries(const fem_body *b, const dal_entries *A, double factor, int both, size_t count, int *row,
                          int *col, double *x)
{
    const double f = factor > 0.0 ? factor : 1.0;
    for (int k = 0; k < A->n; ++k) {
        for (int side = 0; side < (both || A->row[k] == A->col[k] ? 1 : 2); ++side) {
            row[count] = side == 0 ? A->row[k] : A->col[k];
            col[count] = side == 0 ? A->col[k] : A->row[k];
            x[count++] = f * A->x[k] * unit_of(b, A->row[k], A->col[k]);
        }
    }
    return count;
}

static double largest(const double *x, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        max = fmax(max, fabs(x[i]));
    }
    return max;
}

/* Entry (i, j) of column j, or NULL. */
static double *find_entry(const fem_pair *A, double *x, int i, int j)
{
    int low = A->colptr[j], high = A->colptr[j + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (A->row[middle] == i) {
            return &x[middle];
        }
        *(A->row[middle] < i ? &low : &high) = A->row[middle] < i ? middle + 1 : middle;
    }
    return NULL;
}

/* Both triangles are the same but for rounding of the file, and made so. */
static dal_status make_symmetric(fem_body *b, double *x, const char *name)
{
    const fem_pair *A = &b->full;
    const double tiny = 1e-9 * largest(x, A->colptr[A->n]);
    for (int j = 0; j < A->n; ++j) {
        for (int l = A->colptr[j]; l < A->colptr[j + 1] && A->row[l] < j; ++l) {
            const int i = A->row[l];
            double *other = find_entry(A, x, j, i), zero = 0.0;
            double *mirror = other != NULL ? other : &zero;
            if (fabs(x[l] - *mirror) > 1e-5 * (fabs(x[l]) + fabs(*mirror)) + tiny) {
                return dal_fail(b->ctx, DAL_EINVAL,
                                "%s is not symmetric: entry (%d, %d) is %.6g, entry (%d, %d) is %.6g", name, i + 1,
                                j + 1, x[l], j + 1, i + 1, *mirror);
            }
            x[l] = *mirror = 0.5 * (x[l] + *mirror);
        }
    }
    return DAL_OK;
}

/* No diagonal entry is negative, and none is zero beside entries that are not. */
static dal_status check_diagonal(fem_body *b, double *x, const char *name)
{
    const fem_pair *A = &b->full;
    for (int j = 0; j < A->n; ++j) {
        const double *entry = find_entry(A, x, j, j), d = entry != NULL ? *entry : 0.0;
        const double beside = largest(x + A->colptr[j], A->colptr[j + 1] - A->colptr[j]);
        if (d < 0.0 || (d == 0.0 && beside > 0.0)) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "%s is not positive semidefinite: its diagonal entry in row %d is %.6g%s", name, j + 1, d,
                            d < 0.0 ? "" : " beside others that are not zero");
        }
    }
    return DAL_OK;
}

dal_status fem_read(fem_body *b)
{
    const dal_entries *K = &b->d->K, *M = &b->d->M;
    int in_K, in_M;
    DAL_TRY(find_triangles(b, K, "the stiffness matrix", &in_K));
    DAL_TRY(find_triangles(b, M, "the mass matrix", &in_M));
    const size_t most = 2 * ((size_t)K->n + (size_t)M->n);
    if (most > INT_MAX) {
        return dal_fail(b->ctx, DAL_EINVAL, "%zu entries are too many; give one triangle of the matrices", most / 2);
    }
    dal_pool work = {.ctx = b->ctx, .what = "the matrices of a finite element body"};
    int *row = dal_pool_take(&work, most + 1, sizeof(int)), *col = dal_pool_take(&work, most + 1, sizeof(int));
    double *k = dal_pool_take(&work, most + 1, sizeof(double)), *m = dal_pool_take(&work, most + 1, sizeof(double));
    dal_status st = row && col && k && m ? DAL_OK : DAL_ENOMEM;
    if (st == DAL_OK) {
        size_t count = add_entries(b, K, b->d->stiffness_factor, in_K == 3, 0, row, col, k);
        count = add_entries(b, M, b->d->mass_factor, in_M == 3, count, row, col, m);
        st = fem_compress(&b->full, &b->pool, b->d->ndofs, count, row, col, k, m);
    }
    dal_pool_release(&work);
    DAL_TRY(st);
    DAL_TRY(make_symmetric(b, b->full.K, "the stiffness matrix"));
    DAL_TRY(make_symmetric(b, b->full.M, "the mass matrix"));
    DAL_TRY(check_diagonal(b, b->full.K, "the stiffness matrix"));
    return check_diagonal(b, b->full.M, "the mass matrix");
}

/* The least eigenvalue of D^-1/2 M D^-1/2, by power iteration with what is left to a bound of the largest: a negative one shows. */
dal_status fem_check_mass(fem_body *b)
{
    enum { STEPS = 60 };
    const fem_pair *A = &b->full;
    double *x, *y, *scale, bound = 0.0, least = 0.0;
    DAL_TAKE(&b->pool, x, A->n);
    DAL_TAKE(&b->pool, y, A->n);
    DAL_TAKE(&b->pool, scale, A->n);
    double *M = A->M;
    if (M == NULL) {
        return DAL_ENOMEM;
    }
    for (int j = 0; j < A->n; ++j) {
        const double *d = find_entry(A, M, j, j);
        scale[j] = d != NULL && *d > 0.0 ? 1.0 / sqrt(*d) : 0.0;
        x[j] = j % 7 < 3 ? 1.0 : -1.0 + 0.1 * (j % 5);
    }
    for (int j = 0; j < A->n; ++j) {
        double sum = 0.0;
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            sum += fabs(M[l]) * scale[j] * scale[A->row[l]];
        }
        bound = fmax(bound, sum);
    }
    for (int step = 0; step < STEPS; ++step) {
        double xx = 0.0, xy = 0.0;
        for (int j = 0; j < A->n; ++j) {
            y[j] = 0.0;
            for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
                y[j] += M[l] * scale[j] * scale[A->row[l]] * x[A->row[l]];
            }
            xx += x[j] * x[j];
            xy += x[j] * y[j];
        }
        least = xx > 0.0 ? xy / xx : 0.0;
        for (int j = 0; j < A->n; ++j) {
            x[j] = scale[j] > 0.0 ? (bound * x[j] - y[j]) / (bound * sqrt(xx / A->n)) : 0.0;
        }
    }
    return least > -1e-8 * bound
               ? DAL_OK
               : dal_fail(
                     b->ctx, DAL_EINVAL,
                     "the mass matrix is indefinite: scaled to a diagonal of ones it has an eigenvalue of at most %.3g",
                     least);
}

/* ---- factors ---------------------------------------------------------------------------------- */

static int same_column(const fem_pair *A, int i, int j)
{
    const int n = A->colptr[i + 1] - A->colptr[i];
    return n == A->colptr[j + 1] - A->colptr[j] &&
           memcmp(A->row + A->colptr[i], A->row + A->colptr[j], (size_t)n * sizeof(int)) == 0;
}

/* Runs of rows of columns j .. j + nj - 1, which are alike. */
static dal_status announce(dal_pattern *pattern, const fem_pair *A, int j, int nj)
{
    for (int l = A->colptr[j], next; l < A->colptr[j + 1]; l = next) {
        for (next = l + 1; next < A->colptr[j + 1] && A->row[next] == A->row[next - 1] + 1;) {
            ++next;
        }
        DAL_TRY(dal_pattern_block(pattern, A->row[l], j, next - l, nj));
    }
    return DAL_OK;
}

static dal_status make_pattern(fem_body *b, dal_pattern *pattern)
{
    const fem_pair *A = &b->sys;
    for (int j = 0, nj; j < A->n; j += nj) {
        for (nj = 1; j + nj < A->n && b->group[j + nj] == b->group[j] && same_column(A, j, j + nj);) {
            ++nj;
        }
        DAL_TRY(announce(pattern, A, j, nj));
        DAL_TRY(dal_pattern_node(pattern, j, nj, b->group[j], 0));
    }
    return DAL_OK;
}

static void fill(dal_matrix *to, const fem_pair *A, double shift)
{
    dal_matrix_zero(to);
    for (int j = 0; j < A->n; ++j) {
        int at = to->dense ? 0 : to->colptr[j];
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            while (!to->dense && to->row[at] != A->row[l]) {
                ++at;
            }
            to->x[to->dense ? dal_entry(A->row[l], j, A->n) : (size_t)at] = A->K[l] + shift * A->M[l];
        }
    }
}

dal_status fem_factor(fem_body *b, double shift)
{
    dal_pattern *pattern = NULL;
    dal_status st = dal_pattern_create(&pattern, b->ctx, b->sys.n);
    st = st == DAL_OK ? make_pattern(b, pattern) : st;
    st = st == DAL_OK ? dal_linsol_create(&b->S, b->ctx, pattern, DAL_LINSOL_FRONTAL) : st;
    dal_pattern_destroy(pattern);
    DAL_TRY(st);
    b->shift = shift;
    fill(dal_linsol_matrix(b->S), &b->sys, shift);
    st = dal_linsol_factor(b->S);
    return st != DAL_SINGULAR ? st
                              : dal_fail(b->ctx, DAL_EINVAL,
                                         "row %d of the matrices has neither stiffness nor mass, or depends on others",
                                         dal_linsol_singular_row(b->S) + 1);
}
