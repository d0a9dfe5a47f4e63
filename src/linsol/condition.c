/* Condition estimate by solves with A and A^T (Hager 1984, Higham 1988); the same for every backend. */
#include <float.h>
#include <math.h>

#include "linsol/linsol_impl.h"

static double norm1(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += fabs(x[i]);
    }
    return sum;
}

static int largest(const double *x, int n)
{
    int p = 0;
    for (int i = 1; i < n; ++i) {
        if (fabs(x[i]) > fabs(x[p])) {
            p = i;
        }
    }
    return p;
}

/* s := sign(x); returns whether s changed. */
static int take_signs(double *s, const double *x, int n)
{
    int changed = 0;
    for (int i = 0; i < n; ++i) {
        const double sign = x[i] < 0.0 ? -1.0 : 1.0;
        changed |= sign != s[i];
        s[i] = sign;
    }
    return changed;
}

/* ||A^-1 x||_1 is convex: climb over the corners e_j of the unit ball. The gradient at x is A^-T sign(A^-1 x); its
 * largest component names the next corner. A last, alternating vector guards against bad luck. */
double dal_inverse_norm1(const dal_linsol *ls)
{
    enum { CLIMBS = 5 };
    const int n = ls->A.n;
    double *x = ls->probe, *s = ls->sign;

    // start: the centre of the face, x = (1, ..., 1)/n
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 / n;
        s[i] = 0.0;
    }
    dal_linsol_back_solve(ls, x, 0);
    double est = norm1(x, n);
    int corner = -1;
    for (int climb = 0; climb < CLIMBS && take_signs(s, x, n); ++climb) {
        for (int i = 0; i < n; ++i) {
            x[i] = s[i];
        }
        dal_linsol_back_solve(ls, x, 1);
        const int next = largest(x, n);
        if (next == corner) {
            break;
        }
        corner = next;
        for (int i = 0; i < n; ++i) {
            x[i] = i == corner ? 1.0 : 0.0;
        }
        dal_linsol_back_solve(ls, x, 0);
        const double higher = norm1(x, n);
        if (!(higher > est)) {
            break;
        }
        est = higher;
    }

    // x_i = (-1)^i (1 + i/(n-1)), whose 1-norm is 3n/2
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (n > 1 ? 1.0 + (double)i / (n - 1) : 1.5);
    }
    dal_linsol_back_solve(ls, x, 0);
    const double other = norm1(x, n) / (1.5 * n);
    return other > est ? other : est;
}
