/* Products, triangular solves and LU of panels by recursion: halves down to BASE columns, products in between. */
#include "linsol/dense_kernels.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#if DAL_VECTORS && defined(__x86_64__) && !defined(_WIN32)
#include <immintrin.h>
#endif

enum { WIDTH = 4, HIGHEST = 8, BASE = 8 };

size_t dal_dense_room(int m, int k)
{
    return (size_t)((m + HIGHEST - 1) / HIGHEST * HIGHEST) * (size_t)(k > 0 ? k : 1);
}

/* ---- product ---------------------------------------------------------------------------------- */

/* C (m x n) -= A (m x k) B (k x n) tile by tile, `height` rows and WIDTH columns each. An entry of the product is
 * summed in the order of k and then subtracted, whatever the tile: all variants give the same bits. */
typedef void product(double *restrict C, size_t ldc, const double *restrict A, size_t lda, const double *restrict B,
                     size_t ldb, int m, int n, int k, double *restrict room);

/* `height` rows after `height` rows, each group by columns; the last is filled up with zeros. */
DAL_INLINE void pack(double *restrict to, const double *restrict A, size_t lda, int m, int k, int height)
{
    for (int i = 0; i < m; i += height) {
        const int rows = m - i < height ? m - i : height;
        const double *a = A + i;
        for (int l = 0; l < k; ++l, to += height, a += lda) {
            if (rows == height) {
                for (int r = 0; r < height; ++r) {
                    to[r] = a[r];
                }
            } else {
                for (int r = 0; r < height; ++r) {
                    to[r] = r < rows ? a[r] : 0.0;
                }
            }
        }
    }
}

/* C (rows x 4) -= A B with A packed (4 x k) */
static inline void tile(double *restrict C, size_t ldc, const double *restrict a, const double *restrict B, size_t ldb,
                        int k, int rows)
{
    double s0[4] = {0}, s1[4] = {0}, s2[4] = {0}, s3[4] = {0};
    const double *b0 = B, *b1 = B + ldb, *b2 = B + 2 * ldb, *b3 = B + 3 * ldb;
    for (int l = 0; l < k; ++l, a += 4) {
        const double x0 = b0[l], x1 = b1[l], x2 = b2[l], x3 = b3[l];
        for (int r = 0; r < 4; ++r) {
            s0[r] += a[r] * x0;
            s1[r] += a[r] * x1;
            s2[r] += a[r] * x2;
            s3[r] += a[r] * x3;
        }
    }
    double sum[4 * WIDTH];
    memcpy(sum, s0, sizeof s0);
    memcpy(sum + 4, s1, sizeof s1);
    memcpy(sum + 8, s2, sizeof s2);
    memcpy(sum + 12, s3, sizeof s3);
    for (int j = 0; j < WIDTH; ++j, C += ldc) {
        for (int r = 0; r < rows; ++r) {
            C[r] -= sum[r + 4 * j];
        }
    }
}

/* The same for one column. */
DAL_INLINE void tile_column(double *restrict C, const double *restrict a, const double *restrict b, int k, int rows,
                            int height)
{
    double s[HIGHEST] = {0};
    for (int l = 0; l < k; ++l, a += height) {
        for (int r = 0; r < height; ++r) {
            s[r] += a[r] * b[l];
        }
    }
    for (int r = 0; r < rows; ++r) {
        C[r] -= s[r];
    }
}

static void product_4(double *restrict C, size_t ldc, const double *restrict A, size_t lda, const double *restrict B,
                      size_t ldb, int m, int n, int k, double *restrict room)
{
    enum { HEIGHT = 4 };
    pack(room, A, lda, m, k, HEIGHT);
    int j = 0;
    for (; j + WIDTH <= n; j += WIDTH, B += WIDTH * ldb, C += WIDTH * ldc) {
        for (int i = 0; i < m; i += HEIGHT) {
            tile(C + i, ldc, room + (size_t)i * (size_t)k, B, ldb, k, m - i < HEIGHT ? m - i : HEIGHT);
        }
    }
    for (; j < n; ++j, B += ldb, C += ldc) {
        for (int i = 0; i < m; i += HEIGHT) {
            tile_column(C + i, room + (size_t)i * (size_t)k, B, k, m - i < HEIGHT ? m - i : HEIGHT, HEIGHT);
        }
    }
}

/* ---- the same with registers of four numbers, where the processor has them --------------------- */

#if DAL_VECTORS && defined(__x86_64__) && !defined(_WIN32)
/* s (8 x 4) = A B with A packed */
__attribute__((target("avx"))) static inline void sums_8(__m256d *restrict s, const double *restrict a,
                                                         const double *restrict B, size_t ldb, int k)
{
    const double *b0 = B, *b1 = B + ldb, *b2 = B + 2 * ldb, *b3 = B + 3 * ldb;
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (int l = 0; l < k; ++l, a += HIGHEST) {
        const __m256d top = _mm256_loadu_pd(a), bottom = _mm256_loadu_pd(a + 4);
        const __m256d x0 = _mm256_broadcast_sd(b0 + l), x1 = _mm256_broadcast_sd(b1 + l);
        s0 = _mm256_add_pd(s0, _mm256_mul_pd(top, x0));
        s1 = _mm256_add_pd(s1, _mm256_mul_pd(bottom, x0));
        s2 = _mm256_add_pd(s2, _mm256_mul_pd(top, x1));
        s3 = _mm256_add_pd(s3, _mm256_mul_pd(bottom, x1));
        const __m256d x2 = _mm256_broadcast_sd(b2 + l), x3 = _mm256_broadcast_sd(b3 + l);
        s4 = _mm256_add_pd(s4, _mm256_mul_pd(top, x2));
        s5 = _mm256_add_pd(s5, _mm256_mul_pd(bottom, x2));
        s6 = _mm256_add_pd(s6, _mm256_mul_pd(top, x3));
        s7 = _mm256_add_pd(s7, _mm256_mul_pd(bottom, x3));
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3, s[4] = s4, s[5] = s5, s[6] = s6, s[7] = s7;
}

__attribute__((target("avx"))) static inline void tile_8(double *restrict C, size_t ldc, const double *restrict a,
                                                         const double *restrict B, size_t ldb, int k, int rows)
{
    __m256d s[2 * WIDTH];
    sums_8(s, a, B, ldb, k);
    for (int j = 0; j < WIDTH; ++j, C += ldc) {
        if (rows == HIGHEST) {
            _mm256_storeu_pd(C, _mm256_sub_pd(_mm256_loadu_pd(C), s[2 * j]));
            _mm256_storeu_pd(C + 4, _mm256_sub_pd(_mm256_loadu_pd(C + 4), s[2 * j + 1]));
        } else {
            double sum[HIGHEST];
            _mm256_storeu_pd(sum, s[2 * j]);
            _mm256_storeu_pd(sum + 4, s[2 * j + 1]);
            for (int r = 0; r < rows; ++r) {
                C[r] -= sum[r];
            }
        }
    }
}

__attribute__((target("avx"))) static void product_8(double *restrict C, size_t ldc, const double *restrict A,
                                                     size_t lda, const double *restrict B, size_t ldb, int m, int n,
                                                     int k, double *restrict room)
{
    pack(room, A, lda, m, k, HIGHEST);
    int j = 0;
    for (; j + WIDTH <= n; j += WIDTH, B += WIDTH * ldb, C += WIDTH * ldc) {
        for (int i = 0; i < m; i += HIGHEST) {
            tile_8(C + i, ldc, room + (size_t)i * (size_t)k, B, ldb, k, m - i < HIGHEST ? m - i : HIGHEST);
        }
    }
    for (; j < n; ++j, B += ldb, C += ldc) {
        for (int i = 0; i < m; i += HIGHEST) {
            tile_column(C + i, room + (size_t)i * (size_t)k, B, k, m - i < HIGHEST ? m - i : HIGHEST, HIGHEST);
        }
    }
}

static product *best(void)
{
    return __builtin_cpu_supports("avx") ? product_8 : product_4;
}
#else
static product *best(void)
{
    return product_4;
}
#endif

void dal_dense_subtract(double *C, int ldc, const double *A, int lda, const double *B, int ldb, int m, int n, int k,
                        double *room)
{
    if (m > 0 && n > 0 && k > 0) {
        // a few rows fit the lower tile better
        product *const multiply = m <= 4 ? product_4 : best();
        multiply(C, (size_t)ldc, A, (size_t)lda, B, (size_t)ldb, m, n, k, room);
    }
}

/* ---- triangular solve ------------------------------------------------------------------------- */

void dal_dense_lower(double *B, int ldb, const double *L, int ldl, int k, int n, double *room)
{
    if (k > BASE) {
        const int half = k / 2;
        dal_dense_lower(B, ldb, L, ldl, half, n, room);
        dal_dense_subtract(B + half, ldb, L + half, ldl, B, ldb, k - half, n, half, room);
        dal_dense_lower(B + half, ldb, L + half + (size_t)half * (size_t)ldl, ldl, k - half, n, room);
        return;
    }
    for (int j = 0; j < n; ++j) {
        double *restrict b = B + (size_t)j * (size_t)ldb;
        for (int l = 0; l < k; ++l) {
            const double *restrict column = L + (size_t)l * (size_t)ldl;
            const double x = b[l];
            for (int i = l + 1; i < k; ++i) {
                b[i] -= column[i] * x;
            }
        }
    }
}

/* ---- LU --------------------------------------------------------------------------------------- */

void dal_dense_exchange(double *B, int ld, int n, const int *swap, int np)
{
    for (int j = 0; j < n; ++j) {
        double *b = B + (size_t)j * (size_t)ld;
        for (int k = 0; k < np; ++k) {
            const double x = b[k];
            b[k] = b[swap[k]];
            b[swap[k]] = x;
        }
    }
}

typedef struct pivots {
    double largest, smallest, limit;
} pivots;

/* Bring the largest entry of rows k .. rows - 1 of column k to row k. Returns 0 if it is too small. */
static int take_pivot(double *P, size_t ld, int k, int rows, int width, int *swap, pivots *seen)
{
    const double *column = P + (size_t)k * ld;
    int r = k;
    for (int i = k + 1; i < rows; ++i) {
        if (fabs(column[i]) > fabs(column[r])) {
            r = i;
        }
    }
    const double pivot = fabs(column[r]);
    seen->largest = pivot > seen->largest ? pivot : seen->largest;
    seen->smallest = pivot < seen->smallest ? pivot : seen->smallest;
    if (!(seen->largest <= seen->limit * seen->smallest) || seen->smallest == 0.0) {
        return 0;
    }
    swap[k] = r;
    for (int j = 0; r != k && j < width; ++j) {
        double *b = P + (size_t)j * ld;
        const double x = b[k];
        b[k] = b[r];
        b[r] = x;
    }
    return 1;
}

/* Columns one by one: `width` of them, m rows, pivots among the first `rows`. */
static int factor_base(double *P, size_t ld, int m, int rows, int width, int *swap, pivots *seen)
{
    for (int k = 0; k < width; ++k) {
        if (!take_pivot(P, ld, k, rows, width, swap, seen)) {
            return 0;
        }
        double *restrict l = P + (size_t)k * ld;
        const double inv = 1.0 / l[k];
        for (int i = k + 1; i < m; ++i) {
            l[i] *= inv;
        }
        for (int j = k + 1; j < width; ++j) {
            double *restrict c = P + (size_t)j * ld;
            const double u = c[k];
            for (int i = k + 1; i < m; ++i) {
                c[i] -= l[i] * u;
            }
        }
    }
    return 1;
}

static int factor(double *P, int ld, int m, int rows, int width, int *swap, pivots *seen, double *room)
{
    if (width <= BASE) {
        return factor_base(P, (size_t)ld, m, rows, width, swap, seen);
    }
    const int half = width / 2, rest = width - half;
    double *right = P + (size_t)half * (size_t)ld;
    if (!factor(P, ld, m, rows, half, swap, seen, room)) {
        return 0;
    }
    dal_dense_exchange(right, ld, rest, swap, half);
    dal_dense_lower(right, ld, P, ld, half, rest, room);
    dal_dense_subtract(right + half, ld, P + half, ld, right, ld, m - half, rest, half, room);
    if (!factor(right + half, ld, m - half, rows - half, rest, swap + half, seen, room)) {
        return 0;
    }
    dal_dense_exchange(P + half, ld, half, swap + half, rest);
    for (int k = half; k < width; ++k) {
        swap[k] += half;
    }
    return 1;
}

double dal_dense_panel(double *P, int ld, int m, int np, int *swap, double limit, double *room)
{
    pivots seen = {0.0, HUGE_VAL, limit};
    if (np == 0) {
        return 0.0;
    }
    return factor(P, ld, m, np, np, swap, &seen, room) ? seen.largest / seen.smallest : HUGE_VAL;
}
