/* Gragg-Bulirsch-Stoer extrapolation in long double, for reference solutions. */
#ifndef PROBLEMS_GBS_H
#define PROBLEMS_GBS_H

enum { GBS_MAX = 64 }; /* largest dimension */

typedef void gbs_rhs(long double *f, long double t, const long double *y, const void *user);

/* y' = f(t, y): advance y (n numbers) from t0 to t1 in equal steps no longer than h. Each step extrapolates the
 * explicit midpoint rule, up to order 18, until two neighbours in the last row of the table differ by less than
 * tol (|y| + |step f|). There is no step size control: h must suit the problem. */
void gbs_advance(long double *y, int n, long double t0, long double t1, long double h, long double tol, gbs_rhs *f,
                 const void *user);

#endif
