/* Is an equilibrium stable? The stiffness K, constraint forces included, on the motions that the constraints allow
 * (ST.4): all eigenvalues for small systems, those at both ends by Lanczos' method for large ones. */
#include <string.h>

#include "base/vector.h"
#include "linearize/linearization.h"
#include "linsol/eigen.h"
#include "static/static_impl.h"

enum { LANCZOS_STEPS = 80 };

/* Stiffness below this part of the largest counts as none; likewise asymmetry. */
static const double no_stiffness = 1e-9, no_asymmetry = 1e-8;
/* The same where every direction is measured by the diagonal of K: rounding. */
static const double no_part = 1e-16;

/* y = K x, or K^T x */
static void mul(double *y, const dal_sparse *K, const double *x, int transposed)
{
    if (!transposed) {
        dal_zero(y, K->nrows);
    }
    for (int j = 0; j < K->ncols; ++j) {
        double sum = 0.0;
        for (int p = K->colptr[j]; p < K->colptr[j + 1]; ++p) {
            if (transposed) {
                sum += K->x[p] * x[K->row[p]];
            } else {
                y[K->row[p]] += K->x[p] * x[j];
            }
        }
        if (transposed) {
            y[j] = sum;
        }
    }
}

/* x: nv. Its part along ker B, without states. */
static void project(statics *s, double *x)
{
    dal_zero(s->x + s->nv, s->nc);
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] = s->state[i] ? 0.0 : x[i];
    }
    dal_linsol_solve_refined(s->rows->ls, s->x);
    for (int i = 0; i < s->nv; ++i) {
        x[i] = s->state[i] ? 0.0 : s->x[i];
    }
}

/* y = P (K + K^T)/2 x for x in ker B */
static void stiffness(statics *s, double *y, const double *x, double *scratch)
{
    const dal_sparse *K = dal_linearize_matrix(s->lin, DAL_WANT_K);
    mul(y, K, x, 0);
    mul(scratch, K, x, 1);
    for (int i = 0; i < s->nv; ++i) {
        y[i] = 0.5 * (y[i] + scratch[i]);
    }
    project(s, y);
}

/* ---- reporting -------------------------------------------------------------------------------- */

/* value: that of d for |d| = 1; sign: by which it is judged, against `none` */
static void note(const statics *s, dal_static_report *report, double value, double sign, double none, const double *d)
{
    dal_static_direction *at = &report->lowest;
    if (sign > none) {
        if (report->lowest.stiffness <= value) {
            return;
        }
    } else {
        const int negative = sign < -none;
        const int k = negative ? report->nnegative++ : report->nindifferent++;
        if (k >= DAL_STATIC_DIRECTIONS) {
            return;
        }
        at = negative ? &report->negative[k] : &report->indifferent[k];
    }
    at->stiffness = value;
    dal_eval_direction_name(s->ev, at->name, sizeof at->name, d);
}

static double nothing(const statics *s)
{
    return s->kmax > 0.0 ? no_stiffness * s->kmax : 1e-12;
}

/* ---- small systems ---------------------------------------------------------------------------- */

/* The eigenvectors of P K P + c (I - P), where c sorts what the constraints forbid behind the rest. */
static dal_status judge_all(statics *s, dal_static_report *report, double *A, double *E, double *w)
{
    const int n = s->nv;
    const double c = s->kmax > 0.0 ? 4.0 * n * s->kmax : 1.0;
    for (int j = 0; j < n; ++j) {
        double *p = w, *scratch = w + n, *column = A + (size_t)j * (size_t)n;
        dal_zero(p, n);
        p[j] = 1.0;
        project(s, p);
        stiffness(s, column, p, scratch);
        for (int i = 0; i < n; ++i) {
            column[i] += c * ((i == j) - p[i]);
        }
        E[(size_t)j * (size_t)n + (size_t)j] = 1.0;
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < j; ++i) {
            double *a = &A[i + j * n], *b = &A[j + i * n];
            *a = *b = 0.5 * (*a + *b);
        }
    }
    DAL_TRY(dal_eigen_symmetric(w, A, E, n, s->ctx));
    for (int k = 0; k < n && w[k] < 0.5 * c; ++k) {
        note(s, report, w[k], w[k], nothing(s), A + (size_t)k * (size_t)n);
    }
    return DAL_OK;
}

/* ---- large systems ---------------------------------------------------------------------------- */

typedef struct lanczos {
    double *V;           /* nv x (m + 1) */
    double *T, *E, *w;   /* m x m, m x m, m */
    double *y, *scratch; /* nv */
    int inverse;         /* of the stiffness */
    double *weight;      /* nv: metric, of the inverse; NULL: unity */
} lanczos;

static void apply(statics *s, lanczos *l, const double *v)
{
    if (l->inverse) {
        for (int i = 0; i < s->nv; ++i) {
            s->x[i] = l->weight ? l->weight[i] * v[i] : v[i];
        }
        dal_zero(s->x + s->nv, s->nc);
        dal_linsol_solve_refined(s->matrix.ls, s->x);
        dal_copy(l->y, s->x, s->nv);
    } else {
        stiffness(s, l->y, v, l->scratch);
    }
}

static double dot(const lanczos *l, const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += l->weight ? l->weight[i] * a[i] * b[i] : a[i] * b[i];
    }
    return sum;
}

/* Take from y its parts along the first n vectors, twice; what is left is normed into vector n. Returns its length. The
 * polynomials of Lanczos' method are huge outside the spectrum: what rounding adds outside ker B would soon outgrow all
 * else. */
static double extend(statics *s, lanczos *l, int n)
{
    for (int pass = 0; pass < 2; ++pass) {
        project(s, l->y);
        for (int k = 0; k < n; ++k) {
            const double *v = l->V + (size_t)k * (size_t)s->nv, a = dot(l, v, l->y, s->nv);
            for (int i = 0; i < s->nv; ++i) {
                l->y[i] -= a * v[i];
            }
        }
    }
    const double length = sqrt(dot(l, l->y, l->y, s->nv));
    for (int i = 0; i < s->nv && length > 0.0; ++i) {
        l->V[(size_t)n * (size_t)s->nv + (size_t)i] = l->y[i] / length;
    }
    return length;
}

/* Ritz values into w, vectors of T into T; how many there are. start: the first vector, in ker B. */
static dal_status lanczos_run(statics *s, lanczos *l, const double *start, int *m)
{
    double beta = 0.0;
    dal_zero(l->T, LANCZOS_STEPS * LANCZOS_STEPS);
    dal_zero(l->E, LANCZOS_STEPS * LANCZOS_STEPS);
    dal_copy(l->y, start, s->nv);
    *m = 0;
    if (extend(s, l, 0) == 0.0) {
        return DAL_OK;
    }
    double diagonal[LANCZOS_STEPS], beside[LANCZOS_STEPS];
    for (int k = 0; k < LANCZOS_STEPS; ++k) {
        const double *v = l->V + (size_t)k * (size_t)s->nv;
        apply(s, l, v);
        diagonal[k] = dot(l, v, l->y, s->nv);
        const double size = sqrt(dot(l, l->y, l->y, s->nv));
        beta = extend(s, l, k + 1);
        beside[k] = beta;
        *m = k + 1;
        if (!(beta > 1e-12 * size)) {
            break;
        }
    }
    for (int k = 0; k < *m; ++k) {
        l->T[k + k * *m] = diagonal[k];
        l->E[k + k * *m] = 1.0;
        if (k > 0) {
            l->T[k - 1 + k * *m] = l->T[k + (k - 1) * *m] = beside[k - 1];
        }
    }
    DAL_TRY(dal_eigen_symmetric(l->w, l->T, l->E, *m, s->ctx));
    // the last entry of a vector times beta is the error of its value: kept in E
    for (int k = 0; k < *m; ++k) {
        l->E[k] = fabs(l->T[*m - 1 + k * *m]) * beta;
    }
    return DAL_OK;
}

static void ritz_vector(const statics *s, lanczos *l, int m, int k)
{
    dal_zero(l->y, s->nv);
    for (int j = 0; j < m; ++j) {
        const double *v = l->V + (size_t)j * (size_t)s->nv, a = l->T[j + k * m];
        for (int i = 0; i < s->nv; ++i) {
            l->y[i] += a * v[i];
        }
    }
}

/* Close to a limit the inverse is so large that its rounding makes directions of its own, which converge like the others. Those in
 * l->y whose stiffness is not `value` in the metric are such, as far as rounding of the stiffness allows to tell. */
static int is_rounding(statics *s, lanczos *l, double value)
{
    double *Ky = l->V + (size_t)LANCZOS_STEPS * (size_t)s->nv, work = 0.0;
    if (fabs(value) < 1e-9) {
        return 0;
    }
    stiffness(s, Ky, l->y, l->scratch);
    for (int i = 0; i < s->nv; ++i) {
        work += l->y[i] * Ky[i];
    }
    return !(fabs(work / (value * dot(l, l->y, l->y, s->nv)) - 1.0) < 0.1);
}

/* Directions with 1/value of the inverse, those that have converged and are no rounding. */
static void note_inverse(statics *s, lanczos *l, int m, dal_static_report *report)
{
    const double most = m > 0 ? fmax(fabs(l->w[0]), fabs(l->w[m - 1])) : 0.0;
    for (int k = 0; k < m; ++k) {
        if (fabs(l->w[k]) > (l->weight ? 1e-11 * most : 0.0) && l->E[k] <= 1e-6 * fabs(l->w[k])) {
            ritz_vector(s, l, m, k);
            const double value = 1.0 / l->w[k];
            double size = 0.0;
            if (l->weight && report->symmetric && is_rounding(s, l, value)) {
                continue;
            }
            for (int i = 0; i < s->nv; ++i) {
                size += l->y[i] * l->y[i];
            }
            note(s, report, l->weight ? value / size : value, value, l->weight ? no_part : nothing(s), l->y);
        }
    }
}

/* Of the stiffness itself only the negative ones count, if none was found so far: those close to zero are. */
static void note_negative(const statics *s, lanczos *l, int m, dal_static_report *report)
{
    for (int k = 0; k < m && report->nnegative == 0; ++k) {
        if (l->w[k] < -no_stiffness * s->kmax && l->E[k] <= 0.1 * fabs(l->w[k])) {
            ritz_vector(s, l, m, k);
            note(s, report, l->w[k], l->w[k], nothing(s), l->y);
        }
    }
}

/* A vector that looks random, the same in every run. */
static void any_vector(double *x, int n)
{
    unsigned long long state = 88172645463325252ULL;
    for (int i = 0; i < n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
}

/* Of slender bodies: stretching and bending differ so much that bending would count as nothing. Directions are measured by the
 * diagonal of K, and those that are soft in that sense are found by the inverse. DAL_SINGULAR: some have no stiffness at all. */
static dal_status judge_slender(statics *s, dal_static_report *report, lanczos *l)
{
    const dal_sparse *K = dal_linearize_matrix(s->lin, DAL_WANT_K);
    const static_sharpness sharp = s->sharp;
    const double kmax = s->kmax;
    int m;
    any_vector(s->d, s->nv);
    project(s, s->d);
    for (int j = 0; j < s->nv; ++j) {
        l->weight[j] = 1e-12 * kmax;
        for (int p = K->colptr[j]; p < K->colptr[j + 1]; ++p) {
            l->weight[j] += K->row[p] == j ? fabs(K->x[p]) : 0.0;
        }
    }
    l->inverse = 1;
    s->sharp = STATIC_EXACT;
    const dal_status st = dal_statics_factor(s, 0.0);
    s->sharp = sharp;
    s->kmax = kmax;
    DAL_TRY(st);
    DAL_TRY(lanczos_run(s, l, s->d, &m));
    note_inverse(s, l, m, report);
    return DAL_OK;
}

static dal_status judge_ends(statics *s, dal_static_report *report, lanczos *l)
{
    int m;
    any_vector(s->d, s->nv);
    project(s, s->d);
    DAL_TRY(lanczos_run(s, l, s->d, &m));
    const double kmax = s->kmax;
    lanczos own = *l;
    own.inverse = 1;
    dal_static_report ends = *report;
    note_negative(s, l, m, &ends);
    const dal_status st = dal_statics_factor(s, 0.1 * no_stiffness * kmax);
    s->kmax = kmax;
    if (st == DAL_OK) {
        DAL_TRY(lanczos_run(s, &own, s->d, &m));
        note_inverse(s, &own, m, report);
    } else if (st != DAL_SINGULAR) {
        return st;
    }
    if (report->nnegative == 0 && ends.nnegative > 0) {
        report->nnegative = ends.nnegative;
        memcpy(report->negative, ends.negative, sizeof report->negative);
    }
    return DAL_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

static int is_symmetric(statics *s, double *y, double *z)
{
    const dal_sparse *K = dal_linearize_matrix(s->lin, DAL_WANT_K);
    double off = 0.0, size = 0.0;
    any_vector(s->d, s->nv);
    project(s, s->d);
    mul(y, K, s->d, 0);
    project(s, y);
    mul(z, K, s->d, 1);
    project(s, z);
    for (int i = 0; i < s->nv; ++i) {
        off = fmax(off, fabs(y[i] - z[i]));
        size = fmax(size, fabs(y[i]));
    }
    return off <= no_asymmetry * fmax(size, s->kmax);
}

static dal_status judge_with(statics *s, dal_static_report *report, double *memory)
{
    const size_t n = (size_t)s->nv, m = LANCZOS_STEPS;
    report->symmetric = is_symmetric(s, memory, memory + n);
    lanczos l = {.V = memory, .y = memory + n * (m + 1)};
    l.scratch = l.y + n;
    l.T = l.scratch + n;
    l.E = l.T + m * m;
    l.w = l.E + m * m;
    if (s->sys->slender) {
        l.weight = l.w + m;
        const dal_status st = judge_slender(s, report, &l);
        if (st != DAL_SINGULAR) {
            return st;
        }
        l.weight = NULL;
        l.inverse = 0;
    }
    report->complete = s->nv <= STATIC_DENSE;
    if (report->complete) {
        dal_zero(memory, 2 * s->nv * s->nv + 2 * s->nv);
        return judge_all(s, report, memory, memory + n * n, memory + 2 * n * n);
    }
    return judge_ends(s, report, &l);
}

dal_status dal_statics_judge(statics *s, dal_static_report *report)
{
    const size_t n = (size_t)s->nv, m = LANCZOS_STEPS;
    const dal_point at = dal_statics_point(s, s->la);
    if (!s->lin) {
        DAL_TRY(dal_linearize_create_with(&s->lin, s->ctx, s->ev, DAL_WANT_K));
    }
    DAL_TRY(dal_linearize_at(s->lin, &at));
    const dal_sparse *K = dal_linearize_matrix(s->lin, DAL_WANT_K);
    s->kmax = dal_max_abs(K->x, K->colptr[K->ncols]);
    DAL_TRY(dal_statics_factor_rows(s));
    report->complete = report->nnegative = report->nindifferent = 0;
    report->lowest = (dal_static_direction){.stiffness = NAN};
    const size_t all = 2 * n * n + 2 * n, ends = n * (m + 4) + 2 * m * m + m,
                 size = s->nv <= STATIC_DENSE && all > ends ? all : ends;
    double *memory = dal_alloc_zero(s->ctx, size * sizeof *memory);
    if (!memory) {
        return dal_fail(s->ctx, DAL_ENOMEM, "no memory to judge the stability of an equilibrium");
    }
    const dal_status st = judge_with(s, report, memory);
    dal_free(s->ctx, memory);
    report->stable = report->nnegative == 0;
    report->held = s->nstates;
    return st;
}
