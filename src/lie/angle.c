/* The functions of the rotation angle: the one place that owns small angles, cancellation and the
 * singularity of T^-1 at 2 pi (docs/theory/lie.md, section 3).
 *
 * Everything is written in the Stumpff functions of the half angle, s_k = c_k(y), y = phi^2/4: two short series
 * give them all, and the doubling formulas (LG.10) do not cancel. */
#include <math.h>

#include "lie/angle_kernel.h"
#include "lie/lie_impl.h"

/* pi - h for h^2 = |w|^2/4, with full relative accuracy, near the zero of sin(h) too:
 *     pi - h = (pi^2 - h^2)/(pi + h)                                                                 (LG.11)
 * where pi^2 and |w|^2 are taken to twice the working precision. */
static double pi_minus(double h, const double w[3])
{
    static const double pi = 3.141592653589793, pi2 = 9.869604401089358, pi2_low = 6.265295508739711e-16;

    // |w|^2 = abc + low: the error of each product from fma, that of each sum by Knuth's two-sum
    const double a = w[0] * w[0], b = w[1] * w[1], c = w[2] * w[2];
    const double ab = a + b, abc = ab + c;
    const double b1 = ab - a, c1 = abc - ab;
    double low = fma(w[0], w[0], -a) + fma(w[1], w[1], -b) + fma(w[2], w[2], -c);
    low += (a - (ab - b1)) + (b - b1) + (ab - (abc - c1)) + (c - c1);
    return ((pi2 - 0.25 * abc) + (pi2_low - 0.25 * low)) / (pi + h);
}

/* s_0 .. s_7 of y = |w|^2/4 > 3, upwards: s_{k+2} = (1/k! - s_k)/y. (LG.4) */
static void closed_forms(double s[8], const double w[3], double y)
{
    const double h = sqrt(y), d = pi_minus(h, w), r = 1.0 / y;
    s[0] = -cos(d);
    s[1] = sin(d) / h;
    s[2] = (1.0 - s[0]) * r;
    s[3] = (1.0 - s[1]) * r;
    s[4] = (1.0 / 2.0 - s[2]) * r;
    s[5] = (1.0 / 6.0 - s[3]) * r;
    s[6] = (1.0 / 24.0 - s[4]) * r;
    s[7] = (1.0 / 120.0 - s[5]) * r;
}

/* First derivatives from the half angle; s receives s_0 .. s_7. Returns m = (s_2 - s_3)/4. */
static inline double first(double *coef, double s[8], const double w[3])
{
    const double x = dot3(w, w), y = 0.25 * x;
    if (!(y > Y_SERIES)) {
        return angle_first(coef, s, w);
    }
    // doubling (LG.10), then y m = (s_1 - s_0)/4 and phi^2 d3 = c2 - 3 c3
    closed_forms(s, w, y);
    const double m = (s[1] - s[0]) / x, c2 = 0.5 * s[1] * s[1], c3 = (1.0 - s[0] * s[1]) / x;
    angle_fill(coef, x, s, m, c2, c3, (c2 - 3.0 * c3) / x);
    return m;
}

void dal_angle_first(double coef[DAL_NCOEF], const double w[3])
{
    double s[8];
    (void)first(coef, s, w);
}

void dal_angle_second(double coef[DAL_NCOEF], const double w[3])
{
    double s[8];
    const double m = first(coef, s, w), x = coef[COEF_X];
    angle_second(coef, s, m);
    // phi^2 e3 = d2 - 5 d3, or by series
    coef[COEF_E3] = x > 4.0 * Y_SERIES ? (coef[COEF_D2] - 5.0 * coef[COEF_D3]) / x : angle_e3(s);
}
