/* The functions of the rotation angle: the one place that owns small angles, cancellation and the
 * singularity of T^-1 at 2 pi (docs/theory/lie.md, section 3).
 *
 * Everything is written in the Stumpff functions of the half angle, s_k = c_k(y), y = phi^2/4: two short series
 * give them all, and the doubling formulas (LG.10) do not cancel. */
#include <math.h>

#include "lie/lie_impl.h"
#include "lie/mat3.h"

/* Ranges of y = phi^2/4. */
#define Y_SHORT 0.0625 /* phi = 0.5: above, the series needs its long form */
#define Y_SERIES 3.0   /* phi = 3.46: above, closed forms */

enum { SHORT_DEGREE = 4, LONG_DEGREE = 8 }; /* of s_6 and s_7 in y */

/* 1/(6+2i)! and 1/(7+2i)!. */
static const double inv_factorial[LONG_DEGREE + 1][2] = {
    {1.0 / 720.0, 1.0 / 5040.0},
    {1.0 / 40320.0, 1.0 / 362880.0},
    {1.0 / 3628800.0, 1.0 / 39916800.0},
    {1.0 / 479001600.0, 1.0 / 6227020800.0},
    {1.0 / 87178291200.0, 1.0 / 1307674368000.0},
    {1.0 / 20922789888000.0, 1.0 / 355687428096000.0},
    {1.0 / 6402373705728000.0, 1.0 / 121645100408832000.0},
    {1.0 / 2432902008176640000.0, 1.0 / 51090942171709440000.0},
    {1.0 / 1124000727777607680000.0, 1.0 / 25852016738884976640000.0},
};

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

/* s_0 .. s_7 of y <= 3: s_6 and s_7 by Horner's rule, then downwards: s_k = 1/k! - y s_{k+2}. (LG.4) */
static inline void series(double s[8], double y)
{
    double s6 = 0.0, s7 = 0.0;
    if (y > Y_SHORT) {
        for (int i = LONG_DEGREE; i > SHORT_DEGREE; --i) {
            s6 = inv_factorial[i][0] - y * s6;
            s7 = inv_factorial[i][1] - y * s7;
        }
    }
    for (int i = SHORT_DEGREE; i >= 0; --i) {
        s6 = inv_factorial[i][0] - y * s6;
        s7 = inv_factorial[i][1] - y * s7;
    }
    s[6] = s6, s[7] = s7;
    s[4] = 1.0 / 24.0 - y * s[6], s[5] = 1.0 / 120.0 - y * s[7];
    s[2] = 1.0 / 2.0 - y * s[4], s[3] = 1.0 / 6.0 - y * s[5];
    s[0] = 1.0 - y * s[2], s[1] = 1.0 - y * s[3];
}

/* First derivatives from the half angle; s receives s_0 .. s_7. Returns m = (s_2 - s_3)/4. */
static inline double first(double *coef, double s[8], const double w[3])
{
    const double x = dot3(w, w), y = 0.25 * x;
    double m, c2, c3, d3;
    if (y > Y_SERIES) {
        // doubling (LG.10), then y m = (s_1 - s_0)/4 and phi^2 d3 = c2 - 3 c3
        closed_forms(s, w, y);
        m = (s[1] - s[0]) / x;
        c2 = 0.5 * s[1] * s[1];
        c3 = (1.0 - s[0] * s[1]) / x;
        d3 = (c2 - 3.0 * c3) / x;
    } else {
        // doubling (LG.10), 16 d3 = 3 (s_4 + s_5 + s_2 s_3) - 2 s_3 (1 + s_1)
        series(s, y);
        m = 0.25 * (s[2] - s[3]);
        c2 = 0.5 * s[1] * s[1];
        c3 = 0.25 * (s[2] * s[1] + s[3]);
        d3 = 0.1875 * (s[4] + s[5] + s[2] * s[3]) - 0.125 * s[3] * (1.0 + s[1]);
    }
    coef[COEF_X] = x;
    coef[COEF_COS] = s[0];
    coef[COEF_SIN] = 0.5 * s[1];
    coef[COEF_C1] = s[0] * s[1];
    coef[COEF_C2] = c2;
    coef[COEF_C3] = c3;

    // d2 = -s_1 m, gamma = m/s_1, kappa = s_0/s_1
    const double r = 1.0 / s[1];
    coef[COEF_D2] = -s[1] * m;
    coef[COEF_D3] = d3;
    coef[COEF_KAPPA] = s[0] * r;
    coef[COEF_GAMMA] = m * r;
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
    const double m = first(coef, s, w), gamma = coef[COEF_GAMMA], x = coef[COEF_X];

    // m' = dm/dy; 2 dgamma/dx = m'/(2 s_1) + gamma^2; e2 = m^2 - s_1 m'/2                            (LG.12)
    const double md = 0.125 * (3.0 * (s[4] - s[5]) - s[3]);
    coef[COEF_DGAMMA] = 0.5 * md / s[1] + gamma * gamma;
    coef[COEF_E2] = m * m - 0.5 * s[1] * md;

    // phi^2 e3 = d2 - 5 d3, or from 2 ds_k/dy = t_k = k s_{k+2} - s_{k+1}
    if (x > 4.0 * Y_SERIES) {
        coef[COEF_E3] = (coef[COEF_D2] - 5.0 * coef[COEF_D3]) / x;
    } else {
        const double t2 = 2.0 * s[4] - s[3], t3 = 3.0 * s[5] - s[4];
        const double t4 = 4.0 * s[6] - s[5], t5 = 5.0 * s[7] - s[6];
        coef[COEF_E3] = 0.0625 * (s[3] * s[3] - t3 * s[1] + 0.75 * (t4 + t5 + t2 * s[3] + s[2] * t3));
    }
}
