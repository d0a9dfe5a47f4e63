#include "sweep/random.h"

#include <math.h>

/* ---- bits ------------------------------------------------------------------------------------- */

sweep_word4 dal_sweep_philox(sweep_word4 c, uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)0xD2511F53u * c.w[0], b = (uint64_t)0xCD9E8D57u * c.w[2];
        c = (sweep_word4){
            {(uint32_t)(b >> 32) ^ c.w[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.w[3] ^ k1, (uint32_t)a}};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

uint64_t dal_sweep_bits(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension)
{
    const sweep_word4 counter = {{(uint32_t)index, (uint32_t)(index >> 32), dimension, stream}};
    const sweep_word4 r = dal_sweep_philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
    return (uint64_t)r.w[0] << 32 | r.w[1];
}

double dal_sweep_uniform(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension)
{
    return ((double)(dal_sweep_bits(seed, stream, index, dimension) >> 12) + 0.5) * 0x1p-52;
}

uint64_t dal_sweep_permuted(uint64_t seed, uint64_t index, uint64_t n, uint32_t dimension)
{
    unsigned half = 1;
    while (half < 32 && (uint64_t)1 << (2 * half) < n) {
        ++half;
    }
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = index >> half, right = index & mask;
        for (uint64_t round = 0; round < 6; ++round) {
            const uint64_t next = left ^ (dal_sweep_bits(seed, STREAM_STRATA, right | round << 32, dimension) & mask);
            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= n);
    return index;
}

/* ---- functions -------------------------------------------------------------------------------- */

/* log x = k log 2 + log(1 + f), the latter by a polynomial in s = f/(2 + f): the coefficients of fdlibm. */
double dal_sweep_log(double x)
{
    static const double c[7] = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                1.479819860511658591e-01};
    static const double high = 6.93147180369123816490e-01, low = 1.90821492927058770002e-10;
    int k;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --k;
    }
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    const double r = w * (c[1] + w * (c[3] + w * c[5])) + z * (c[0] + w * (c[2] + w * (c[4] + w * c[6])));
    return k * high - ((half - (s * (half + r) + k * low)) - f);
}

/* exp x = 2^k exp r, |r| <= log(2)/2, by a rational approximation: the coefficients of fdlibm. */
double dal_sweep_exp(double x)
{
    static const double p[5] = {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                                -1.65339022054652515390e-06, 4.13813679705723846039e-08};
    static const double high = 6.93147180369123816490e-01, low = 1.90821492927058770002e-10;
    if (!(fabs(x) < 700.0)) {
        return x > 0.0 ? INFINITY : 0.0;
    }
    const double k = floor(x * 1.44269504088896338700 + 0.5), hi = x - k * high, lo = k * low, r = hi - lo, t = r * r;
    const double c = r - t * (p[0] + t * (p[1] + t * (p[2] + t * (p[3] + t * p[4]))));
    return ldexp(1.0 - ((lo - (r * c) / (2.0 - c)) - hi), (int)k);
}

static double ratio(const double p[8], const double q[8], double x)
{
    double a = p[7], b = q[7];
    for (int i = 6; i >= 0; --i) {
        a = a * x + p[i];
        b = b * x + q[i];
    }
    return a / b;
}

double dal_sweep_normal_quantile(double u)
{
    static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e1,
                                6.8718700749205790830e2,
                                5.3941960214247511077e3,
                                2.1213794301586595867e4,
                                3.9307895800092710610e4,
                                2.8729085735721942674e4,
                                5.2264952788528545610e3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    const double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        return q * ratio(a, b, 0.180625 - q * q);
    }
    const double r = sqrt(-dal_sweep_log(q < 0.0 ? u : 1.0 - u));
    const double z = r <= 5.0 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5.0);
    return q < 0.0 ? -z : z;
}

double dal_sweep_normal_below(double z)
{
    double lo = 0.0, hi = 1.0;
    if (z > 8.0 || z < -37.0) {
        return z > 0.0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (lo + hi);
        if (!(middle > lo && middle < hi)) {
            break;
        }
        if (dal_sweep_normal_quantile(middle) < z) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return 0.5 * (lo + hi);
}
