/* Eigenvalues of largest magnitude by the implicitly restarted Arnoldi method (Sorensen 1992).
 *
 * A V = V H + f e_m^T: V has m orthonormal columns, H is their Hessenberg matrix, f is orthogonal to V. Eigenvalues of H approximate
 * some of A, and |f| times the last component of an eigenvector of H is the residual of one. QR steps on H with the unwanted
 * eigenvalues as shifts leave k columns, from which the others are built anew: as if the search had begun with a vector that has less of
 * the unwanted ones. */
#include "eigen/arnoldi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "eigen/general.h"
#include "linsol/subspace.h"

enum { RESTARTS = 300 };

typedef struct search {
    const dal_arnoldi *p;
    int n, m;             /* size of the matrix; columns of V at most */
    double *V, *T;        /* n x (m + 1): the last one is f/|f|; n x (m + 1), scratch */
    double *H, *Q;        /* m x m: Q has the product of the steps */
    double *G, *S;        /* m x m: a copy of H, its eigenvectors */
    double *re, *im, *c;  /* m: eigenvalues of H; coefficients */
    double f;             /* |f| */
    int *order;           /* m: eigenvalues by descending magnitude, those of a pair together */
    int kept, nconverged; /* eigenvalues wanted, without tearing a pair; those of them whose residual is at rounding */
    dal_arena arena;
} search;

static void carve(search *s)
{
    const size_t columns = (size_t)s->n * ((size_t)s->m + 1);
    double **square[] = {&s->H, &s->Q, &s->G, &s->S}, **vector[] = {&s->re, &s->im, &s->c};
    s->V = dal_arena_take(&s->arena, columns, sizeof(double));
    s->T = dal_arena_take(&s->arena, columns, sizeof(double));
    for (size_t k = 0; k < sizeof square / sizeof square[0]; ++k) {
        *square[k] = dal_arena_take(&s->arena, (size_t)s->m * (size_t)s->m, sizeof(double));
    }
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = dal_arena_reals(&s->arena, s->m);
    }
    s->order = dal_arena_ints(&s->arena, s->m);
}

static double *column(const search *s, int j)
{
    return s->V + dal_entry(0, j, s->n);
}

/* ---- columns of V ----------------------------------------------------------------------------- */

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* x without its parts along the first k columns of V, which are added to h (k, or NULL); twice, so that nothing is left of them. */
static void make_orthogonal(search *s, double *x, double *h, int k)
{
    for (int again = 0; again < 2; ++again) {
        dal_matrix_product(s->c, 0.0, 1.0, s->V, 1, x, 0, k, 1, s->n);
        dal_matrix_product(x, 1.0, -1.0, s->V, 0, s->c, 0, s->n, 1, k);
        if (h != NULL) {
            dal_add(h, s->c, k);
        }
    }
}

/* Column k := x/|x|. If nothing is left of x but rounding of `before`, the columns span an invariant space: any other direction will do. Returns
 * |x|, or 0. */
static double normalise(search *s, int k, double before)
{
    double *x = column(s, k), size = length(x, s->n);
    const int empty = !(size > DBL_EPSILON * before);
    for (int trial = 0; empty && trial < 3; ++trial) {
        for (int i = 0; i < s->n; ++i) {
            x[i] = sin((trial + 2.0 * k + 1.0) * (i + 1.0));
        }
        make_orthogonal(s, x, NULL, k);
        size = length(x, s->n);
    }
    dal_divide(x, x, size > 0.0 ? size : 1.0, s->n);
    return empty ? 0.0 : size;
}

/* From k columns to m. */
static dal_status extend(search *s, int k)
{
    for (int j = k; j < s->m; ++j) {
        double *w = column(s, j + 1), *h = s->H + dal_entry(0, j, s->m);
        DAL_TRY(s->p->product(w, column(s, j), s->p->user));
        const double before = length(w, s->n);
        if (!isfinite(before)) {
            return DAL_NOCONV;
        }
        dal_zero(h, s->m);
        make_orthogonal(s, w, h, j + 1);
        s->f = j + 1 < s->n ? normalise(s, j + 1, before) : 0.0;
        if (j + 1 < s->m) {
            h[j + 1] = s->f;
        }
    }
    return DAL_OK;
}

/* ---- eigenvalues of H ------------------------------------------------------------------------- */

static double size_of(const search *s, int j)
{
    return hypot(s->re[j], s->im[j]);
}

/* Pairs stand together in re and im, the one with positive im first. */
static void sort(search *s)
{
    for (int j = 0; j < s->m; ++j) {
        int at = j;
        for (; at > 0 && size_of(s, s->order[at - 1]) < size_of(s, j) && !(s->im[j] < 0.0); --at) {
            s->order[at] = s->order[at - 1];
        }
        if (s->im[j] < 0.0) { // behind its partner
            while (s->order[at - 1] != j - 1) {
                s->order[at] = s->order[at - 1];
                --at;
            }
        }
        s->order[at] = j;
    }
}

/* Residual of eigenvalue j in units of its magnitude; first: the column of its vector, or of the real part. */
static int converged(const search *s, int j)
{
    const int first = s->im[j] < 0.0 ? j - 1 : j, last = s->m - 1;
    const double re = s->S[dal_entry(last, first, s->m)];
    const double im = s->im[j] != 0.0 ? s->S[dal_entry(last, first + 1, s->m)] : 0.0;
    const double tol = s->p->tol > 0.0 ? s->p->tol : DBL_EPSILON;
    return s->f * hypot(re, im) <= tol * fmax(size_of(s, j), pow(DBL_EPSILON, 2.0 / 3.0));
}

/* Does a cut behind the first k of the order tear a pair? */
static int tears(const search *s, int k)
{
    return k > 0 && k < s->m && s->im[s->order[k - 1]] > 0.0;
}

static dal_status find_eigenvalues(search *s, dal_ctx *ctx)
{
    memcpy(s->G, s->H, (size_t)s->m * (size_t)s->m * sizeof(double));
    DAL_TRY(dal_eigen_general(s->re, s->im, s->S, s->G, s->m, ctx));
    sort(s);
    s->kept = s->p->wanted + tears(s, s->p->wanted);
    s->nconverged = 0;
    for (int k = 0; k < s->kept; ++k) {
        s->nconverged += converged(s, s->order[k]);
    }
    return DAL_OK;
}

/* ---- restart ---------------------------------------------------------------------------------- */

/* Rows and columns r .. r + size - 1 of H, and columns of Q, are reflected so that x (size 2 or 3) becomes a multiple of e_1. */
static void reflect(search *s, const double *x, int size, int r)
{
    const int m = s->m;
    const double max = dal_max_abs(x, size);
    double v[3] = {0.0}, sum = 0.0;
    if (!(max > 0.0) || !(dal_max_abs(x + 1, size - 1) > 0.0)) {
        return;
    }
    for (int i = 0; i < size; ++i) {
        v[i] = x[i] / max;
        sum += v[i] * v[i];
    }
    const double alpha = copysign(sqrt(sum), v[0]), tau = 1.0 / (sum + fabs(v[0] * alpha));
    v[0] += alpha;
    for (int j = 0; j < m; ++j) {
        double *h = s->H + dal_entry(r, j, m), dot = 0.0;
        for (int i = 0; i < size; ++i) {
            dot += v[i] * h[i];
        }
        for (int i = 0; i < size; ++i) {
            h[i] -= tau * dot * v[i];
        }
    }
    double *both[] = {s->H, s->Q};
    for (int b = 0; b < 2; ++b) {
        double *a = both[b] + dal_entry(0, r, m);
        for (int i = 0; i < m; ++i) {
            double dot = 0.0;
            for (int j = 0; j < size; ++j) {
                dot += v[j] * a[i + j * m];
            }
            for (int j = 0; j < size; ++j) {
                a[i + j * m] -= tau * dot * v[j];
            }
        }
    }
}

/* One implicit QR step on rows and columns first .. last of H, between which no entry below the diagonal is zero, with the shift re or with
 * the pair re +- i im. */
static void qr_step(search *s, int first, int last, double re, double im)
{
    const int m = s->m, bulge = im != 0.0 ? 3 : 2;
    const double *h = s->H + dal_entry(first, first, m);
    double x[3] = {h[0] - re, last > first ? h[1] : 0.0, 0.0};
    if (last == first || (im != 0.0 && last == first + 1)) {
        return; // a block no larger than the shifts
    }
    if (im != 0.0) {
        x[2] = h[1] * h[m + 2];
        x[1] = h[1] * (h[0] - re + h[m + 1] - re);
        x[0] = (h[0] - re) * (h[0] - re) + im * im + h[m] * h[1];
    }
    for (int r = first; r < last; ++r) {
        const int size = last - r + 1 < bulge ? last - r + 1 : bulge;
        reflect(s, x, size, r);
        for (int i = 0; i < size; ++i) {
            if (r > first && i > 0) {
                s->H[dal_entry(r + i, r - 1, m)] = 0.0;
            }
        }
        for (int i = 0; i < bulge; ++i) {
            x[i] = r + 1 + i <= last ? s->H[dal_entry(r + 1 + i, r, m)] : 0.0;
        }
    }
}

/* A step with every block of H. */
static void apply_shift(search *s, double re, double im)
{
    const int m = s->m;
    for (int first = 0, last; first < m; first = last + 1) {
        for (last = first; last + 1 < m; ++last) {
            double *below = s->H + dal_entry(last + 1, last, m);
            const double size = fabs(s->H[dal_entry(last, last, m)]) + fabs(below[m]);
            if (!(fabs(*below) > DBL_EPSILON * size)) {
                *below = 0.0;
                break;
            }
        }
        qr_step(s, first, last, re, im);
    }
}

/* Keep the space of the first k eigenvalues of the order. */
static void restart(search *s, int k)
{
    const int n = s->n, m = s->m;
    memset(s->Q, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int i = 0; i < m; ++i) {
        s->Q[dal_entry(i, i, m)] = 1.0;
    }
    for (int i = k; i < m; ++i) {
        const int j = s->order[i];
        if (!(s->im[j] < 0.0)) {
            apply_shift(s, s->re[j], s->im[j]);
        }
    }
    // f := V q_{k+1} h_{k+1,k} + f q_{m,k}
    const double beta = s->H[dal_entry(k, k - 1, m)], sigma = s->f * s->Q[dal_entry(m - 1, k - 1, m)];
    dal_matrix_product(s->T, 0.0, 1.0, s->V, 0, s->Q, 0, n, k + 1, m);
    double *f = s->T + dal_entry(0, k, n);
    for (int i = 0; i < n; ++i) {
        f[i] = beta * f[i] + sigma * column(s, m)[i];
    }
    memcpy(s->V, s->T, (size_t)n * ((size_t)k + 1) * sizeof(double));
    make_orthogonal(s, column(s, k), NULL, k);
    s->H[dal_entry(k, k - 1, m)] = normalise(s, k, fabs(beta) + fabs(sigma));
}

/* ---- search ----------------------------------------------------------------------------------- */

static dal_status iterate(search *s, dal_ctx *ctx)
{
    const int most = s->p->restarts > 0 ? s->p->restarts : RESTARTS;
    int k = 0;
    for (int count = 0;; ++count) {
        DAL_TRY(extend(s, k));
        DAL_TRY(find_eigenvalues(s, ctx));
        if (s->nconverged >= s->kept || count == most) {
            return DAL_OK;
        }
        // more columns than wanted are kept as some converge, which speeds up the others
        const int room = (s->m - s->kept) / 2;
        k = s->kept + (s->nconverged < room ? s->nconverged : room);
        k += tears(s, k);
        restart(s, k);
    }
}

/* Those that have converged, with their vectors. */
static void collect(search *s, double *re, double *im, double *V, int *found)
{
    for (int k = 0; k < s->kept; ++k) {
        const int j = s->order[k];
        if (converged(s, j)) {
            re[*found] = s->re[j];
            im[*found] = s->im[j];
            dal_matrix_product(V + dal_entry(0, *found, s->n), 0.0, 1.0, s->V, 0, s->S + dal_entry(0, j, s->m), 0, s->n,
                               1, s->m);
            ++*found;
        }
    }
}

dal_status dal_arnoldi_solve(double *re, double *im, double *V, int *found, const dal_arnoldi *p, const double *start,
                             dal_ctx *ctx)
{
    search s = {.p = p, .n = p->n, .m = p->basis < p->n ? p->basis : p->n, .arena = dal_arena_init(ctx)};
    *found = 0;
    carve(&s);
    DAL_TRY(dal_arena_reserve(&s.arena));
    carve(&s);
    dal_copy(s.V, start, p->n);
    (void)normalise(&s, 0, 0.0);
    dal_status st = iterate(&s, ctx);
    if (st == DAL_OK) {
        collect(&s, re, im, V, found);
    }
    dal_arena_release(&s.arena);
    if (st == DAL_NOCONV || (st == DAL_OK && *found == 0 && p->restarts == 0)) {
        st = dal_fail(ctx, DAL_NOCONV, "Arnoldi's method: no eigenvalue of %d wanted has converged", p->wanted);
    }
    return st;
}
