#include "reference.h"

#include <math.h>
#include <string.h>

enum { TERMS = 60 };

const subgroup subgroups[3] = {
    {DAL_FACTOR_SO3, 3, {3, 4, 5}},
    {DAL_FACTOR_SE3, 6, {0, 1, 2, 3, 4, 5}},
    {DAL_FACTOR_SE2, 3, {0, 1, 5}},
};

const double angles[] = {
    0.0,    1e-160,    1e-12,   1e-9,         1e-6,  1e-4,  1e-3,      0.01,      0.1,      0.3,       0.49,
    0.4999, 0.4999999, 0.5,     0.5000001,    0.501, 0.7,   0.9,       0.999,     1.0,      1.001,     1.5,
    2.0,    3.0,       3.14159, 3.1415926536, 3.2,   3.46,  3.4641016, 3.4641017, 3.47,     4.0,       4.5,
    5.0,    5.5,       6.0,     6.2,          6.28,  6.283, 6.2831,    6.28318,   6.283185, 6.2831853,
};
const int nangles = (int)LEN(angles);

/* C = A B, n x n */
static void mul(wide *C, const wide *A, const wide *B, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            wide sum = 0;
            for (int k = 0; k < n; ++k) {
                sum += A[i + k * n] * B[k + j * n];
            }
            C[i + j * n] = sum;
        }
    }
}

/* The 3x3 matrix w~ at row i, column j of an n x n matrix. */
static void put_tilde(wide *A, int n, int i, int j, const double w[3])
{
    wide *a = A + i + j * n;
    a[1] = w[2], a[2] = -(wide)w[1];
    a[n] = -(wide)w[2], a[n + 2] = w[0];
    a[2 * n] = w[1], a[2 * n + 1] = -(wide)w[0];
}

static void se3_hat(wide H[36], const double theta[6])
{
    memset(H, 0, 36 * sizeof *H);
    put_tilde(H, 6, 0, 0, theta + 3);
    put_tilde(H, 6, 3, 3, theta + 3);
    put_tilde(H, 6, 0, 3, theta);
}

void ref_exp(wide x[3], wide p[4], const double theta[6])
{
    // sum of A^i/i!, A = [[w~, u], [0, 0]]
    wide A[16] = {0}, term[16] = {0}, next[16], sum[16] = {0};
    put_tilde(A, 4, 0, 0, theta + 3);
    for (int i = 0; i < 3; ++i) {
        A[i + 12] = theta[i];
    }
    for (int i = 0; i < 4; ++i) {
        term[5 * i] = 1;
    }
    for (int k = 1; k < TERMS; ++k) {
        for (int i = 0; i < 16; ++i) {
            sum[i] += term[i];
        }
        mul(next, term, A, 4);
        for (int i = 0; i < 16; ++i) {
            term[i] = next[i] / k;
        }
    }
    memcpy(x, sum + 12, 3 * sizeof *x);

    // sum of (w/2)^i/i! in the quaternions; (w/2)^2 = -y
    const double *w = theta + 3;
    const wide y = ((wide)w[0] * w[0] + (wide)w[1] * w[1] + (wide)w[2] * w[2]) / 4;
    wide even = 1, odd = 1, c = 0, s = 0;
    for (int k = 1; k < TERMS; ++k) {
        c += even;
        s += odd;
        even *= -y / ((2 * k - 1) * (2 * k));
        odd *= -y / ((2 * k) * (2 * k + 1));
    }
    p[0] = c;
    for (int i = 0; i < 3; ++i) {
        p[i + 1] = s / 2 * w[i];
    }
}

void ref_tangent(wide T[36], const double theta[6])
{
    wide H[36], term[36] = {0}, next[36];
    se3_hat(H, theta);
    memset(T, 0, 36 * sizeof *T);
    for (int i = 0; i < 6; ++i) {
        term[7 * i] = 1;
    }
    for (int k = 2; k < TERMS; ++k) {
        for (int i = 0; i < 36; ++i) {
            T[i] += term[i];
        }
        mul(next, term, H, 6);
        for (int i = 0; i < 36; ++i) {
            term[i] = -next[i] / k;
        }
    }
}

void ref_dtangent(wide D[36], const double theta[6], const double c[6])
{
    // r_i = H^i c, R_i = dr_i/dtheta: R_i e_j = hat(e_j) r_{i-1} + H R_{i-1} e_j, both over (i+1)!, signs alternating
    wide H[36], R[36] = {0}, next[36], E[36], r[6], rn[6];
    se3_hat(H, theta);
    memset(D, 0, 36 * sizeof *D);
    for (int i = 0; i < 6; ++i) {
        r[i] = c[i];
    }
    for (int k = 2; k < TERMS; ++k) {
        mul(next, H, R, 6);
        for (int j = 0; j < 6; ++j) {
            const double e[6] = {j == 0, j == 1, j == 2, j == 3, j == 4, j == 5};
            se3_hat(E, e);
            for (int i = 0; i < 36; ++i) {
                next[6 * j + i % 6] += E[i] * r[i / 6];
            }
        }
        for (int i = 0; i < 6; ++i) {
            rn[i] = 0;
            for (int j = 0; j < 6; ++j) {
                rn[i] -= H[i + 6 * j] * r[j] / k;
            }
        }
        memcpy(r, rn, sizeof r);
        for (int i = 0; i < 36; ++i) {
            R[i] = -next[i] / k;
            D[i] += R[i];
        }
    }
}

/* sin(h)/h at y = h^2 = |w|^2/4. Near h = pi from pi - h = (pi^2 - h^2)/(pi + h), all to twice the precision. */
static wide sinc(const double w[3], wide y)
{
    const wide pi = 3.14159265358979323846264338328L;
    const wide pi2 = 9.869604401089358618540115L, pi2_low = 2.943760463438127309842e-19L;
    const wide h = sqrtl(y);
    if (y < 6) {
        return h > 0 ? sinl(h) / h : 1;
    }
    wide high = 0, low = 0;
    for (int i = 0; i < 3; ++i) {
        const wide a = (wide)w[i] * w[i], sum = high + a, b = sum - high;
        low += fmal(w[i], w[i], -a) + (high - (sum - b)) + (a - b);
        high = sum;
    }
    return sinl(((pi2 - high / 4) + (pi2_low - low / 4)) / (pi + h)) / h;
}

void ref_inv_tangent(wide Ti[36], const double theta[6])
{
    const double *w = theta + 3;
    const wide y = ((wide)w[0] * w[0] + (wide)w[1] * w[1] + (wide)w[2] * w[2]) / 4;
    const wide kappa = cosl(sqrtl(y)) / sinc(w, y), gamma = y > 0 ? (1 - kappa) / (4 * y) : 0;
    wide T[36], A[9] = {0}, Q[9], B[9], C[9];

    // A = T33^-1 = kappa I + w~/2 + gamma w w^T
    const double half[3] = {w[0] / 2, w[1] / 2, w[2] / 2};
    put_tilde(A, 3, 0, 0, half);
    for (int i = 0; i < 9; ++i) {
        A[i] += (i % 4 == 0 ? kappa : 0) + gamma * w[i % 3] * w[i / 3];
    }
    // -A Q A
    ref_tangent(T, theta);
    for (int i = 0; i < 9; ++i) {
        Q[i] = T[i % 3 + 6 * (i / 3 + 3)];
    }
    mul(B, A, Q, 3);
    mul(C, B, A, 3);
    memset(Ti, 0, 36 * sizeof *Ti);
    for (int i = 0; i < 9; ++i) {
        const int at = i % 3 + 6 * (i / 3);
        Ti[at] = Ti[at + 21] = A[i];
        Ti[at + 18] = -C[i];
    }
}

wide ref_stumpff(int k, int n, wide x)
{
    wide sum = 0, term = 1;
    for (int j = 2; j <= k; ++j) {
        term /= j;
    }
    // term = (-1)^i/(k+2i)!; the derivative (2 d/dx)^n x^i = 2^n i (i-1) .. x^(i-n)
    wide power = 1;
    for (int i = 0; i < TERMS; ++i) {
        const wide factor = n == 0 ? 1 : n == 1 ? 2 * i : 4 * i * (i - 1);
        if (i >= n) {
            sum += term * factor * power;
            power *= x;
        }
        term /= -(wide)((k + 2 * i + 1) * (k + 2 * i + 2));
    }
    return sum;
}

void subgroup_restrict(const subgroup *g, double *theta, double theta6[6])
{
    double zeroed[6] = {0};
    for (int k = 0; k < g->nv; ++k) {
        theta[k] = zeroed[g->at[k]] = theta6[g->at[k]];
    }
    memcpy(theta6, zeroed, sizeof zeroed);
}

void subgroup_theta(const subgroup *g, check_rng *rng, double theta6[6], double length, double phi)
{
    check_direction(rng, theta6, length);
    check_direction(rng, theta6 + 3, phi);
    if (g->kind == DAL_FACTOR_SE2) {
        theta6[3] = theta6[4] = 0.0;
        theta6[5] = check_uniform(rng, -1.0, 1.0) < 0.0 ? -phi : phi;
    }
}

double subgroup_error(const subgroup *g, const double *X, const wide ref[36], const wide scale[2])
{
    double worst = 0.0;
    for (int j = 0; j < g->nv; ++j) {
        for (int i = 0; i < g->nv; ++i) {
            const int mixed = g->at[i] < 3 && g->at[j] >= 3;
            const wide d = fabsl(X[i + j * g->nv] - ref[g->at[i] + 6 * g->at[j]]);
            const double ulps = (double)(d / scale[mixed] * 0x1p53L);
            worst = ulps <= worst ? worst : ulps; // so that NaN stays
        }
    }
    return worst;
}
