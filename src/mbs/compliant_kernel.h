/* The compliant law of contacts (CT.16): F = k delta^n max(0, 1 + D delta'/v) with delta = max(0, -gap). */
#ifndef DAL_MBS_COMPLIANT_KERNEL_H
#define DAL_MBS_COMPLIANT_KERNEL_H

#include <math.h>

/* The damping D with which every impact, whatever n, k and the masses, has the restitution e:
 * (1 + e) D = log((1 + D)/(1 - e D)), 0 < D < 1/e. */
static inline double compliant_damping(double e)
{
    double lo = 0.5 * (1.0 - e) / e, hi = 1.0 / e;
    if (e > 0.9999) {
        return 1.5 * (1.0 - e); // the difference of both sides is lost in rounding
    }
    for (int k = 0; k < 200 && hi - lo > 0.0; ++k) {
        const double D = 0.5 * (lo + hi);
        if (D <= lo || D >= hi) {
            break;
        }
        *((1.0 + e) * D > log1p(D) - log1p(-e * D) ? &lo : &hi) = D;
    }
    return 0.5 * (lo + hi);
}

typedef struct compliant_force {
    double F, elastic; /* all, and what has a potential */
    double Fc, Fd;     /* derivatives with respect to the gap and to its rate */
    double V;          /* the potential */
} compliant_force;

/* rate: of the gap; D_v = D/v */
static inline compliant_force compliant_at(double k, double n, double D_v, double gap, double rate)
{
    compliant_force f = {0};
    if (gap < 0.0) {
        const double damped = 1.0 - D_v * rate, acts = damped > 0.0 ? 1.0 : 0.0;
        f.elastic = k * pow(-gap, n);
        f.F = f.elastic * damped * acts;
        f.Fc = -n * f.F / -gap;
        f.Fd = -f.elastic * D_v * acts;
        f.V = f.elastic * -gap / (n + 1.0);
    }
    return f;
}

#endif
