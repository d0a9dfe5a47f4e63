/* Block Lanczos. With the basis V (V^T M V = I) the projection T = V^T M A V is computed column by column, as the coefficients
 * of the orthogonalisation of A V; what is left of the last block, W = Q R, gives the residuals of eigenpairs (theta, V s) of T:
 * |R s_last|. The basis grows until those wanted have converged: there are no restarts. */
#include "linsol/lanczos.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linsol/eigen.h"
#include "linsol/subspace.h"

enum { BLOCK = 4 };
/* Residuals relative to the eigenvalue: eigenvalues have twice these digits. A new direction shorter than `drop` of what it came
 * from is none. T is looked at when it has grown by a seventh. */
static const double residual_tol = 1e-9, drop = 1e-8, growth = 1.15;

/* Up to BLOCK vectors of the basis and M times them. */
typedef struct block {
    int n;
    double *V, *MV;
} block;

typedef struct search {
    const dal_lanczos *p;
    dal_ctx *ctx;
    dal_pool pool;
    block *list;
    int nblocks, m;
    double *T, *S, *unit, *theta; /* most x most three times, most; T by columns of length `most` */
    double R[BLOCK * BLOCK];      /* W = Q R, of the block that comes next */
    double before[BLOCK];         /* lengths of A V before they were made orthogonal */
} search;

/* A value in (-1, 1) that looks random, the same in every run. */
static double noise(int k)
{
    const double x = 43758.5453 * sin(12.9898 * (k + 1));
    return 2.0 * (x - floor(x)) - 1.0;
}

static double dot(const double *a, const double *b, int n)
{
    double s[4] = {0.0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            s[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; ++i) {
        s[0] += a[i] * b[i];
    }
    return s[0] + s[1] + (s[2] + s[3]);
}

static void subtract(double *y, double f, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        y[i] -= f * x[i];
    }
}

/* W -= V V^T M W with all blocks but the last of the list, which W is; coefficients are added to T if it is wanted. */
static void make_orthogonal(search *s, const block *w, int first_column, int keep)
{
    const int n = s->p->n;
    int row = 0;
    for (int k = 0; k < s->nblocks; ++k) {
        const block *b = &s->list[k];
        double c[BLOCK][BLOCK] = {{0.0}};
        for (int j = 0; j < w->n; ++j) {
            for (int i = 0; i < b->n; ++i) {
                c[i][j] = dot(b->MV + dal_entry(0, i, n), w->V + dal_entry(0, j, n), n);
            }
        }
        for (int j = 0; j < w->n; ++j) {
            for (int i = 0; i < b->n; ++i) {
                subtract(w->V + dal_entry(0, j, n), c[i][j], b->V + dal_entry(0, i, n), n);
                if (keep) {
                    s->T[dal_entry(row + i, first_column + j, s->p->most)] += c[i][j];
                }
            }
        }
        row += b->n;
    }
}

/* x.M x of column j, M x beside it. */
static dal_status square(search *s, const block *w, int j, double *xMx)
{
    double *x = w->V + dal_entry(0, j, s->p->n), *Mx = w->MV + dal_entry(0, j, s->p->n);
    DAL_TRY(s->p->mass(Mx, x, 1, s->p->user));
    *xMx = dot(x, Mx, s->p->n);
    const double size = dal_max_abs(x, s->p->n) * dal_max_abs(Mx, s->p->n);
    if (!(*xMx >= -1e-9 * size * s->p->n)) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "the mass matrix is not positive semidefinite: x.M x = %g for a vector of length %g", *xMx,
                        dal_max_abs(x, s->p->n));
    }
    *xMx = fmax(*xMx, 0.0);
    return DAL_OK;
}

/* Columns of W one after the other: orthogonal to those before, length one, or dropped. W = Q R. */
static dal_status normalise(search *s, block *w)
{
    const int n = s->p->n, given = w->n;
    memset(s->R, 0, sizeof s->R);
    w->n = 0;
    for (int j = 0; j < given; ++j) {
        double *x = w->V + dal_entry(0, w->n, n), xMx;
        if (j != w->n) {
            memcpy(x, w->V + dal_entry(0, j, n), (size_t)n * sizeof(double));
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < w->n; ++i) {
                const double c = dot(w->MV + dal_entry(0, i, n), x, n);
                subtract(x, c, w->V + dal_entry(0, i, n), n);
                s->R[i + BLOCK * j] += c;
            }
        }
        DAL_TRY(square(s, w, w->n, &xMx));
        const double length = sqrt(xMx);
        if (!(length > drop * s->before[j])) {
            continue;
        }
        s->R[w->n + BLOCK * j] = length;
        for (int i = 0; i < n; ++i) {
            x[i] /= length;
            w->MV[dal_entry(i, w->n, n)] /= length;
        }
        ++w->n;
    }
    return DAL_OK;
}

static dal_status add_block(search *s, block *w, int ncols)
{
    *w = (block){.n = ncols};
    DAL_TAKE(&s->pool, w->V, dal_entry(0, BLOCK, s->p->n));
    DAL_TAKE(&s->pool, w->MV, dal_entry(0, BLOCK, s->p->n));
    return DAL_OK;
}

/* Lengths of the columns of W in the norm of M. */
static dal_status measure(search *s, const block *w)
{
    for (int j = 0; j < w->n; ++j) {
        double xMx;
        DAL_TRY(square(s, w, j, &xMx));
        s->before[j] = sqrt(xMx);
    }
    return DAL_OK;
}

/* The first block: A times noise. */
static dal_status begin(search *s)
{
    block *w = &s->list[0];
    DAL_TRY(add_block(s, w, BLOCK));
    for (int k = 0; k < s->p->n * BLOCK; ++k) {
        w->V[k] = noise(k);
    }
    DAL_TRY(s->p->mass(w->MV, w->V, BLOCK, s->p->user));
    DAL_TRY(s->p->inverse(w->V, w->MV, BLOCK, s->p->user));
    DAL_TRY(measure(s, w));
    return normalise(s, w);
}

/* The block behind the last: A times it, made orthogonal to all. */
static dal_status extend(search *s)
{
    const block *last = &s->list[s->nblocks];
    block *w = &s->list[s->nblocks + 1];
    const int first = s->m;
    DAL_TRY(add_block(s, w, last->n));
    DAL_TRY(s->p->inverse(w->V, last->MV, last->n, s->p->user));
    DAL_TRY(measure(s, w));
    s->m += last->n;
    ++s->nblocks;
    make_orthogonal(s, w, first, 1);
    make_orthogonal(s, w, first, 1);
    return normalise(s, w);
}

/* Eigenvalues of T, descending order in the columns m - 1, m - 2, ...; how many of the first have converged. */
static dal_status look(search *s, int *converged, int *enough)
{
    const int m = s->m, most = s->p->most, last = s->list[s->nblocks - 1].n;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            s->S[dal_entry(i, j, m)] = s->T[i <= j ? dal_entry(i, j, most) : dal_entry(j, i, most)];
            s->unit[dal_entry(i, j, m)] = i == j;
        }
    }
    DAL_TRY(dal_eigen_symmetric(s->theta, s->S, s->unit, m, s->ctx));
    *enough = 0;
    for (*converged = 0; *converged < m && !*enough; ++*converged) {
        const int j = m - 1 - *converged;
        double r[BLOCK] = {0.0}, sum = 0.0;
        for (int k = 0; k < last; ++k) {
            for (int i = 0; i < BLOCK; ++i) {
                r[i] += s->R[i + BLOCK * k] * s->S[dal_entry(m - last + k, j, m)];
            }
        }
        for (int i = 0; i < BLOCK; ++i) {
            sum += r[i] * r[i];
        }
        if (!(sqrt(sum) <= residual_tol * fabs(s->theta[j]))) {
            return DAL_OK;
        }
        *enough = (s->p->wanted > 0 && *converged + 1 >= s->p->wanted) || s->theta[j] < s->p->least;
    }
    return DAL_OK;
}

static dal_status collect(search *s, double **theta, double **X, int *found, dal_pool *pool, int converged)
{
    const int n = s->p->n, m = s->m;
    while (converged > 0 && s->theta[m - converged] < s->p->least) {
        --converged;
    }
    *found = s->p->wanted > 0 && converged > s->p->wanted ? s->p->wanted : converged;
    DAL_TAKE(pool, *theta, *found + 1);
    DAL_TAKE(pool, *X, dal_entry(0, *found + 1, n));
    for (int k = 0, row = 0; k < s->nblocks; row += s->list[k++].n) {
        for (int c = 0; c < *found; ++c) {
            (*theta)[c] = s->theta[m - 1 - c];
            for (int i = 0; i < s->list[k].n; ++i) {
                subtract(*X + dal_entry(0, c, n), -s->S[dal_entry(row + i, m - 1 - c, m)],
                         s->list[k].V + dal_entry(0, i, n), n);
            }
        }
    }
    return DAL_OK;
}

static dal_status iterate(search *s, double **theta, double **X, int *found, dal_pool *pool)
{
    const int most = s->p->most;
    int next = s->p->wanted < most / 2 ? s->p->wanted : most / 2, converged = 0, enough = 0;
    DAL_TAKE(&s->pool, s->list, most + 2);
    DAL_TAKE(&s->pool, s->T, dal_entry(0, most, most));
    DAL_TAKE(&s->pool, s->S, dal_entry(0, most, most));
    DAL_TAKE(&s->pool, s->unit, dal_entry(0, most, most));
    DAL_TAKE(&s->pool, s->theta, most);
    DAL_TRY(begin(s));
    while (!enough && s->list[s->nblocks].n > 0) {
        if (s->m + s->list[s->nblocks].n > most) {
            return dal_fail(s->ctx, DAL_NOCONV, "Lanczos: %d of %d eigenvalues have converged with %d vectors",
                            converged, s->p->wanted, s->m);
        }
        DAL_TRY(extend(s));
        const int complete = s->list[s->nblocks].n == 0;
        if (s->m >= next || complete) {
            next = (int)(growth * s->m) + BLOCK;
            DAL_TRY(look(s, &converged, &enough));
            converged = complete ? s->m : converged;
        }
    }
    return collect(s, theta, X, found, pool, converged);
}

dal_status dal_lanczos_solve(double **theta, double **X, int *found, dal_pool *pool, const dal_lanczos *problem)
{
    search s = {.p = problem, .ctx = pool->ctx, .pool = {.ctx = pool->ctx, .what = "eigenvalues"}};
    *found = 0;
    const dal_status st = iterate(&s, theta, X, found, pool);
    dal_pool_release(&s.pool);
    return st;
}
