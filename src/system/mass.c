/* Is a mass matrix symmetric and positive semidefinite? Symmetry entry against entry; definiteness by Cholesky's
 * factorisation of the matrix with unit diagonal, D^-1/2 M D^-1/2, within the envelope of its rows: bodies that do not
 * share mass cost nothing. */
#include <math.h>

#include "system/eval_impl.h"

/* Pivots of the scaled matrix below this are zero: rounding leaves some n eps of a matrix that is only semidefinite. */
static const double zero_pivot = 1e-10;

typedef struct envelope {
    int n, *first, *start; /* row i holds columns first[i] .. i, from lower + start[i] on */
    double *lower, *upper; /* M_ij and M_ji, j <= i */
} envelope;

static void widen(envelope *e, int i, int j)
{
    const int row = i > j ? i : j, column = i > j ? j : i;
    e->first[row] = column < e->first[row] ? column : e->first[row];
}

static void put(envelope *e, int i, int j, double x)
{
    if (i >= j) {
        e->lower[e->start[i] + j - e->first[i]] += x;
    }
    if (i <= j) {
        e->upper[e->start[j] + i - e->first[j]] += x;
    }
}

/* Every entry of M that is not zero: its place is noted, or its value taken. */
static void walk(envelope *e, const dal_eval *ev, const int *pair0, const double *M, int values)
{
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_factor *fi = &ev->G->factor[ev->sys->pair[p].i], *fj = &ev->G->factor[ev->sys->pair[p].j];
        for (int k = pair0[p]; k < pair0[p + 1]; ++k) {
            const int i = fi->v + (k - pair0[p]) % fi->nv, j = fj->v + (k - pair0[p]) / fi->nv;
            if (M[k] != 0.0 && values) {
                put(e, i, j, M[k]);
            } else if (M[k] != 0.0) {
                widen(e, i, j);
            }
        }
    }
}

static void note(dal_mass_fault *worst, int row, int column, double given, double other, double error)
{
    if (!(error <= worst->error)) {
        *worst = (dal_mass_fault){row, column, given, other, error};
    }
}

/* The largest |M_ij - M_ji| in units of the mass that belongs to i and j. */
static void find_asymmetry(const envelope *e, dal_mass_fault *worst)
{
    for (int i = 0; i < e->n; ++i) {
        for (int j = e->first[i]; j < i; ++j) {
            const double a = e->lower[e->start[i] + j - e->first[i]], b = e->upper[e->start[i] + j - e->first[i]];
            const double diagonal =
                sqrt(fabs(e->lower[e->start[i + 1] - 1])) * sqrt(fabs(e->lower[e->start[j + 1] - 1]));
            if (a != b) {
                note(worst, i, j, a, b, fabs(a - b) / fmax(diagonal, fmax(fabs(a), fabs(b))));
            }
        }
    }
}

/* The first pivot that is negative, or zero although its row is not; M becomes its factor. */
static void find_negative(const envelope *e, double *d, dal_mass_fault *fault)
{
    for (int i = 0; i < e->n; ++i) {
        double *row = e->lower + e->start[i] - e->first[i];
        const double m = row[i];
        if (!(m >= 0.0)) {
            note(fault, i, i, m, 0.0, INFINITY);
            return;
        }
        d[i] = sqrt(m);
        double pivot = m > 0.0 ? 1.0 : 0.0;
        for (int j = e->first[i]; j < i; ++j) {
            const double *other = e->lower + e->start[j] - e->first[j];
            double s = d[i] > 0.0 && d[j] > 0.0 ? row[j] / d[i] / d[j] : row[j] != 0.0 ? INFINITY : 0.0;
            for (int k = e->first[i] > e->first[j] ? e->first[i] : e->first[j]; k < j; ++k) {
                s -= row[k] * other[k];
            }
            if (other[j] == 0.0 && !(fabs(s) <= sqrt(zero_pivot))) {
                note(fault, i, j, m, 0.0, INFINITY);
                return;
            }
            row[j] = other[j] > 0.0 ? s / other[j] : 0.0;
            pivot -= row[j] * row[j];
        }
        if (!(pivot >= -zero_pivot)) {
            note(fault, i, i, m, 0.0, -pivot);
            return;
        }
        row[i] = pivot > zero_pivot ? sqrt(pivot) : 0.0;
    }
}

dal_status dal_mass_check(dal_ctx *ctx, dal_mass_fault *asymmetry, dal_mass_fault *negative, const dal_eval *ev,
                          const int *pair0, const double *M)
{
    envelope e = {.n = ev->nv};
    dal_arena index = dal_arena_init(ctx), values = dal_arena_init(ctx);
    *asymmetry = *negative = (dal_mass_fault){.row = -1};
    double *d = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        e.first = dal_arena_ints(&index, e.n);
        e.start = dal_arena_ints(&index, e.n + 1);
        d = dal_arena_reals(&index, e.n);
        if (pass == 0) {
            DAL_TRY(dal_arena_reserve(&index));
        }
    }
    for (int i = 0; i < e.n; ++i) {
        e.first[i] = i;
    }
    walk(&e, ev, pair0, M, 0);
    for (int i = 0; i < e.n; ++i) {
        e.start[i + 1] = e.start[i] + i - e.first[i] + 1;
    }
    dal_status st = DAL_OK;
    for (int pass = 0; pass < 2 && st == DAL_OK; ++pass) {
        e.lower = dal_arena_reals(&values, e.start[e.n]);
        e.upper = dal_arena_reals(&values, e.start[e.n]);
        st = pass == 0 ? dal_arena_reserve(&values) : DAL_OK;
    }
    if (st == DAL_OK) {
        walk(&e, ev, pair0, M, 1);
        find_asymmetry(&e, asymmetry);
        find_negative(&e, d, negative);
    }
    dal_arena_release(&values);
    dal_arena_release(&index);
    return st;
}
