#include "linsol/systems.h"

#include <math.h>
#include <string.h>

const dal_linsol_kind all_kinds[3] = {DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE};

static void *array(size_t count, size_t size)
{
    void *a = calloc(count + 1, size);
    assert_non_null(a);
    return a;
}

static double *reals(int n)
{
    return array((size_t)n, sizeof(double));
}

/* ---- matrices --------------------------------------------------------------------------------- */

void random_matrix(check_rng *rng, double *A, int n)
{
    check_normals(rng, A, n * n);
}

/* A := H A or A H with a random reflection H = I - 2 v v^T / v.v; ci, cj: strides along and across columns. */
static void reflect(check_rng *rng, double *A, int n, int ci, int cj)
{
    double *v = reals(n), vv = 0.0;
    check_normals(rng, v, n);
    for (int i = 0; i < n; ++i) {
        vv += v[i] * v[i];
    }
    for (int j = 0; j < n; ++j) {
        double va = 0.0;
        for (int i = 0; i < n; ++i) {
            va += v[i] * A[i * ci + j * cj];
        }
        for (int i = 0; i < n; ++i) {
            A[i * ci + j * cj] -= 2.0 * v[i] * va / vv;
        }
    }
    free(v);
}

void conditioned_matrix(check_rng *rng, double *A, int n, double cond)
{
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n; ++i) {
        A[i + i * n] = n > 1 ? pow(cond, -(double)i / (n - 1)) : 1.0;
    }
    for (int k = 0; k < 4; ++k) {
        reflect(rng, A, n, 1, n);
        reflect(rng, A, n, n, 1);
    }
}

void saddle_matrix(check_rng *rng, double *A, int nv, int nc)
{
    const int n = nv + nc, rank = nv - nc + 1 > 1 ? nv - nc + 1 : 1;
    double *F = reals(nv * rank);
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    check_normals(rng, F, nv * rank);
    for (int j = 0; j < nv; ++j) {
        for (int i = 0; i < nv; ++i) {
            for (int k = 0; k < rank; ++k) {
                A[i + j * n] += F[i + k * nv] * F[j + k * nv];
            }
        }
        for (int i = nv; i < n; ++i) {
            A[i + j * n] = A[j + i * n] = check_normal(rng);
        }
    }
    free(F);
}

double norm1(const double *A, int n)
{
    double max = 0.0;
    for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            sum += fabs(A[i + j * n]);
        }
        max = fmax(max, sum);
    }
    return max;
}

/* ---- inverse ---------------------------------------------------------------------------------- */

static void swap(long double *a, long double *b)
{
    const long double t = *a;
    *a = *b;
    *b = t;
}

/* Gauss-Jordan on W = [A, I] (n x 2n), pivot k brought to (k, k); column order kept in q. */
static void eliminate(long double *W, int *q, int n, int k)
{
    int r = k, c = k;
    for (int j = k; j < n; ++j) {
        for (int i = k; i < n; ++i) {
            if (fabsl(W[i + j * n]) > fabsl(W[r + c * n])) {
                r = i;
                c = j;
            }
        }
    }
    for (int j = 0; j < 2 * n; ++j) {
        swap(&W[k + j * n], &W[r + j * n]);
    }
    for (int i = 0; i < n; ++i) {
        swap(&W[i + k * n], &W[i + c * n]);
    }
    const int t = q[k];
    q[k] = q[c];
    q[c] = t;
    const long double pivot = W[k + k * n];
    for (int j = 0; j < 2 * n; ++j) {
        W[k + j * n] /= pivot;
    }
    for (int i = 0; i < n; ++i) {
        const long double f = W[i + k * n];
        for (int j = 0; i != k && j < 2 * n; ++j) {
            W[i + j * n] -= f * W[k + j * n];
        }
    }
}

void inverse(double *Ainv, const double *A, int n)
{
    long double *W = array(2 * (size_t)n * (size_t)n, sizeof *W);
    int *q = array((size_t)n, sizeof *q);
    for (int j = 0; j < n; ++j) {
        q[j] = j;
        W[j + (n + j) * n] = 1.0L;
        for (int i = 0; i < n; ++i) {
            W[i + j * n] = A[i + j * n];
        }
    }
    for (int k = 0; k < n; ++k) {
        eliminate(W, q, n, k);
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            Ainv[q[i] + j * n] = (double)W[i + (n + j) * n];
        }
    }
    free(W);
    free(q);
}

/* ---- solvers ---------------------------------------------------------------------------------- */

dal_linsol *full_solver(dal_ctx *ctx, int n, dal_linsol_kind kind)
{
    dal_pattern *pattern = NULL;
    dal_linsol *ls = NULL;
    check_ok(ctx, dal_pattern_create(&pattern, ctx, n));
    check_ok(ctx, dal_pattern_block(pattern, 0, 0, n, n));
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, kind));
    dal_pattern_destroy(pattern);
    return ls;
}

void set_full(dal_linsol *ls, const double *A)
{
    dal_matrix *m = dal_linsol_matrix(ls);
    dal_matrix_zero(m);
    dal_matrix_add(m, 0, A, m->n, m->n, m->n);
}

dal_linsol *chain_solver(dal_ctx *ctx, int bodies, dal_linsol_kind kind)
{
    dal_pattern *pattern = NULL;
    dal_linsol *ls = NULL;
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 9 * bodies));
    for (int i = 0; i < bodies; ++i) {
        check_ok(ctx, dal_pattern_block(pattern, 6 * i, 6 * i, 6, 6));
        for (int b = i > 0 ? i - 1 : 0; b <= i; ++b) {
            check_ok(ctx, dal_pattern_block(pattern, 6 * bodies + 3 * i, 6 * b, 3, 6));
            check_ok(ctx, dal_pattern_block(pattern, 6 * b, 6 * bodies + 3 * i, 6, 3));
        }
    }
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, kind));
    dal_pattern_destroy(pattern);
    return ls;
}

void set_chain(dal_linsol *ls, check_rng *rng, int bodies, double light)
{
    dal_matrix *A = dal_linsol_matrix(ls);
    double M[36], B[18], Bt[18];
    int slot = 0;
    dal_matrix_zero(A);
    for (int i = 0; i < bodies; ++i) {
        const double mass = exp(check_uniform(rng, log(light), 0.0));
        for (int k = 0; k < 36; ++k) {
            M[k] = mass * (k % 7 == 0 ? 1.0 : 0.1 * check_normal(rng));
        }
        dal_matrix_add(A, slot++, M, 6, 6, 6);
        for (int b = i > 0 ? i - 1 : 0; b <= i; ++b) {
            for (int k = 0; k < 18; ++k) {
                B[k] = k < 9 ? (k % 4 == 0 ? (b == i ? 1.0 : -1.0) : 0.0) : check_normal(rng);
                Bt[k / 3 + k % 3 * 6] = B[k];
            }
            dal_matrix_add(A, slot++, B, 3, 3, 6);
            dal_matrix_add(A, slot++, Bt, 6, 6, 3);
        }
    }
}

double backward_error(dal_linsol *ls, check_rng *rng)
{
    const dal_matrix *A = dal_linsol_matrix(ls);
    const int n = A->n;
    double *x = reals(n), *b = reals(n), *r = reals(n), *size = reals(n), worst = 0.0;
    check_normals(rng, x, n);
    dal_matrix_mul(A, b, x);
    memcpy(x, b, (size_t)n * sizeof *x);
    dal_linsol_solve(ls, x);
    dal_matrix_mul(A, r, x);
    for (int j = 0; j < n; ++j) {
        const int start = A->dense ? j * n : A->colptr[j], end = A->dense ? start + n : A->colptr[j + 1];
        for (int k = start; k < end; ++k) {
            size[A->dense ? k - start : A->row[k]] += fabs(A->x[k] * x[j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        const double error = fabs(b[i] - r[i]) / (size[i] + fabs(b[i]));
        worst = error <= worst ? worst : error; // NaN is the worst
    }
    free(x);
    free(b);
    free(r);
    free(size);
    return worst;
}
