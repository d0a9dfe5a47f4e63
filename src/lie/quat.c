/* Unit quaternions, scalar first, as rotations from body to world (docs/theory/lie.md, section 5). */
#include <math.h>

#include "lie/so3_impl.h"

void dal_quat_to_matrix(double R[9], const double p[4])
{
    quat_matrix(R, p);
}

/* Largest |a_i|. NaN is passed over: it turns up in the result anyway. */
static double max_abs(const double *a, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        max = fmax(max, fabs(a[i]));
    }
    return max;
}

/* N := N^2 / trace(N^2), 4x4 symmetric. */
static void square(double N[4][4])
{
    double S[4][4], trace = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            S[i][j] = N[i][0] * N[0][j] + N[i][1] * N[1][j] + N[i][2] * N[2][j] + N[i][3] * N[3][j];
        }
        trace += S[i][i];
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            N[i][j] = S[i][j] / trace;
        }
    }
}

/* The quaternion nearest to R maximises p^T K p, K the 4x4 matrix of (LG.20). N = K + mu I, mu = |R|_F/sqrt(3),
 * is 4 p p^T for a rotation; otherwise squaring it makes the largest eigenvalue prevail. */
void dal_quat_from_matrix(double p[4], const double R[9])
{
    enum { SQUARINGS = 40 }; /* separates eigenvalues that agree to 10 digits */
    double A[9], norm2 = 0.0;
    const double scale = max_abs(R, 9) > 0.0 ? max_abs(R, 9) : 1.0;
    for (int i = 0; i < 9; ++i) {
        A[i] = R[i] / scale;
        norm2 += A[i] * A[i];
    }
    const double mu = sqrt(norm2 / 3.0);
    const double n01 = A[5] - A[7], n02 = A[6] - A[2], n03 = A[1] - A[3];
    const double n12 = A[3] + A[1], n13 = A[6] + A[2], n23 = A[7] + A[5];
    double N[4][4] = {{mu + A[0] + A[4] + A[8], n01, n02, n03},
                      {n01, mu + A[0] - A[4] - A[8], n12, n13},
                      {n02, n12, mu - A[0] + A[4] - A[8], n23},
                      {n03, n13, n23, mu - A[0] - A[4] + A[8]}};

    // rank one when the largest column alone explains its diagonal: |N_k|^2 = N_kk trace(N)
    int k = 0;
    for (int step = 0; step <= SQUARINGS; ++step) {
        for (int i = k = 0; i < 4; ++i) {
            k = N[i][i] > N[k][k] ? i : k;
        }
        const double trace = N[0][0] + N[1][1] + N[2][2] + N[3][3];
        const double column2 = N[k][0] * N[k][0] + N[k][1] * N[k][1] + N[k][2] * N[k][2] + N[k][3] * N[k][3];
        if (fabs(column2 - N[k][k] * trace) <= 1e-15 * column2) {
            break;
        }
        square(N);
    }
    const double sign = N[k][0] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) {
        p[i] = sign * N[k][i];
    }
    dal_quat_normalise(p);
}

void dal_quat_from_vector(double p[4], const double w[3])
{
    double coef[DAL_NCOEF];
    dal_angle_first(coef, w);
    p[0] = coef[COEF_COS];
    p[1] = coef[COEF_SIN] * w[0];
    p[2] = coef[COEF_SIN] * w[1];
    p[3] = coef[COEF_SIN] * w[2];
}

/* w = 2 atan2(|v|, |p_0|) sign(p_0) v/|v|, p = (p_0, v): accurate for tiny angles and near pi alike. (LG.18) */
void dal_quat_to_vector(double w[3], const double p[4])
{
    const double n = sqrt(dot3(p + 1, p + 1)), p0 = fabs(p[0]);
    // |v| may underflow: 2 atan2(n, p_0)/n -> 2/p_0
    const double f = n > 1e-150 ? 2.0 * atan2(n, p0) / n : 2.0 / p0;
    const double s = p[0] < 0.0 ? -f : f;
    w[0] = s * p[1];
    w[1] = s * p[2];
    w[2] = s * p[3];
}

void dal_quat_mul(double c[4], const double a[4], const double b[4])
{
    quat_mul(c, a, b);
}

void dal_quat_rotate(double y[3], const double p[4], const double x[3])
{
    quat_rotate(y, p, x);
}

double dal_quat_angle(const double pa[4], const double pb[4])
{
    double p[4];
    quat_between(p, pa, pb);
    return 2.0 * atan2(sqrt(dot3(p + 1, p + 1)), fabs(p[0]));
}

double dal_quat_defect(const double p[4])
{
    return fabs(sqrt(p[0] * p[0] + dot3(p + 1, p + 1)) - 1.0);
}

void dal_quat_normalise(double p[4])
{
    const double scale = max_abs(p, 4);
    if (scale == 0.0) { // all elements are equally near: take the identity
        p[0] = 1.0;
        return;
    }
    for (int i = 0; i < 4; ++i) {
        p[i] /= scale;
    }
    const double norm = sqrt(p[0] * p[0] + dot3(p + 1, p + 1));
    for (int i = 0; i < 4; ++i) {
        p[i] /= norm;
    }
}
