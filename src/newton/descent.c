#include "newton/descent.h"

#include <math.h>

/* Would a shorter step help? */
static int avoidable(dal_status st)
{
    return st > 0 || st == DAL_ECALLBACK;
}

/* Look along the step for a smaller norm than `last`. *stuck: there is none; then the residual is that of the iterate. */
static dal_status search(const dal_descent *d, double *norm, int *good, int *stuck, double last)
{
    double scale = 1.0;
    *stuck = 0;
    for (int k = 0; k <= d->halvings; ++k, scale *= 0.5) {
        const dal_status st = d->look(d->self, norm, good, scale);
        if (st != DAL_OK && !(d->halvings > 0 && avoidable(st))) {
            return st;
        }
        if (st == DAL_OK && (d->halvings == 0 || *norm < last)) {
            return d->move(d->self);
        }
    }
    *stuck = 1;
    return d->look(d->self, norm, good, 0.0);
}

dal_status dal_descend(const dal_descent *d, int *found, int *iterations)
{
    double norm, last = INFINITY;
    int good, stuck = 0, n = 0;
    *found = 0;
    DAL_TRY(d->look(d->self, &norm, &good, 0.0));
    for (int past = 0; !stuck; ++n, past += good) {
        if (norm <= d->nothing || (good && norm > d->slow * last) || past > d->more || n == d->most) {
            break;
        }
        DAL_TRY(d->step(d->self, n == 0 || !(norm <= d->kept * last)));
        last = norm;
        DAL_TRY(search(d, &norm, &good, &stuck, last));
    }
    *found = good;
    if (iterations) {
        *iterations = n;
    }
    return DAL_OK;
}
