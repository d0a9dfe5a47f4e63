/* Frames in frames, and mass in them. */
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "import/import_impl.h"

const im_pose im_here = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

void im_unit(double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) {
        q[k] = n > 0.0 ? q[k] / n : k == 0;
    }
}

void im_compose(im_pose *c, const im_pose *a, const im_pose *b)
{
    im_pose r;
    dal_quat_rotate(r.p, a->q, b->p);
    for (int k = 0; k < 3; ++k) {
        r.p[k] += a->p[k];
    }
    dal_quat_mul(r.q, a->q, b->q);
    im_unit(r.q);
    *c = r;
}

void im_relative(im_pose *c, const im_pose *a, const im_pose *b)
{
    const double back[4] = {a->q[0], -a->q[1], -a->q[2], -a->q[3]};
    const double d[3] = {b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2]};
    im_pose r;
    dal_quat_rotate(r.p, back, d);
    dal_quat_mul(r.q, back, b->q);
    im_unit(r.q);
    *c = r;
}

void im_from_rpy(double q[4], const double rpy[3])
{
    double x[4], y[4], z[4], yx[4];
    dal_quat_from_vector(x, (const double[3]){rpy[0], 0.0, 0.0});
    dal_quat_from_vector(y, (const double[3]){0.0, rpy[1], 0.0});
    dal_quat_from_vector(z, (const double[3]){0.0, 0.0, rpy[2]});
    dal_quat_mul(yx, y, x);
    dal_quat_mul(q, z, yx);
}

void im_along(im_pose *frame, const double p[3], const double axis[3])
{
    const double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double x = axis[0] / n, y = axis[1] / n, z = axis[2] / n;
    memcpy(frame->p, p, sizeof frame->p);
    // the shortest turn from z to the axis: about (-y, x, 0); from -z half a turn about x
    if (z < -1.0 + 1e-15) {
        memcpy(frame->q, (const double[4]){0.0, 1.0, 0.0, 0.0}, sizeof frame->q);
        return;
    }
    // half angle: cos = sqrt((1+z)/2), sin = hypot(x,y)/(2 cos); near -z the length of (x, y) is the accurate one
    const double s = hypot(x, y), half = 0.5 * atan2(s, z);
    const double f = s > 0.0 ? sin(half) / s : 0.0;
    memcpy(frame->q, (const double[4]){cos(half), -y * f, x * f, 0.0}, sizeof frame->q);
}

static void full(double A[3][3], const double J[6])
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int k = 0; k < 9; ++k) {
        A[k / 3][k % 3] = J[at[k / 3][k % 3]];
    }
}

static void packed(double J[6], double A[3][3])
{
    memcpy(J, (const double[6]){A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2]}, 6 * sizeof *J);
}

void im_turn_inertia(double J[6], const double q[4])
{
    double A[3][3], B[3][3];
    full(A, J);
    for (int pass = 0; pass < 2; ++pass) { // rows, then columns
        for (int k = 0; k < 3; ++k) {
            double y[3];
            dal_quat_rotate(y, q, A[k]);
            B[0][k] = y[0];
            B[1][k] = y[1];
            B[2][k] = y[2];
        }
        memcpy(A, B, sizeof A);
    }
    packed(J, A);
}

/* J += m (|d|^2 I - d d^T) */
static void steiner(double J[6], double m, const double d[3])
{
    const double x = d[0], y = d[1], z = d[2];
    const double add[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
    for (int k = 0; k < 6; ++k) {
        J[k] += m * add[k];
    }
}

void im_add_mass(double *m, double c[3], double J[6], double more, const double at[3], const double Jc[6])
{
    const double total = *m + more;
    double centre[3], own[3], other[3];
    for (int k = 0; k < 3; ++k) {
        centre[k] = *m == 0.0 ? at[k] : more == 0.0 ? c[k] : (*m * c[k] + more * at[k]) / total;
        own[k] = c[k] - centre[k];
        other[k] = at[k] - centre[k];
    }
    steiner(J, *m, own);
    steiner(J, more, other);
    for (int k = 0; k < 6; ++k) {
        J[k] += Jc[k];
    }
    memcpy(c, centre, sizeof centre);
    *m = total;
}

void im_principal(double d[3], double q[4], const double J[6])
{
    double A[3][3], V[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    full(A, J);
    for (int sweep = 0; sweep < 50; ++sweep) { // Jacobi
        for (int k = 0; k < 3; ++k) {
            const int i = k == 2, j = k == 0 ? 1 : 2;
            if (fabs(A[i][j]) <= 1e-18 * (fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]))) {
                continue;
            }
            const double angle = 0.5 * atan2(2.0 * A[i][j], A[j][j] - A[i][i]), c = cos(angle), s = sin(angle);
            for (int r = 0; r < 3; ++r) {
                const double a = A[r][i], b = A[r][j], v = V[r][i], w = V[r][j];
                A[r][i] = c * a - s * b;
                A[r][j] = s * a + c * b;
                V[r][i] = c * v - s * w;
                V[r][j] = s * v + c * w;
            }
            for (int r = 0; r < 3; ++r) {
                const double a = A[i][r], b = A[j][r];
                A[i][r] = c * a - s * b;
                A[j][r] = s * a + c * b;
            }
        }
    }
    double R[9]; // column-major, columns are the axes
    const double det = V[0][0] * (V[1][1] * V[2][2] - V[1][2] * V[2][1]) -
                       V[0][1] * (V[1][0] * V[2][2] - V[1][2] * V[2][0]) +
                       V[0][2] * (V[1][0] * V[2][1] - V[1][1] * V[2][0]);
    for (int k = 0; k < 3; ++k) {
        d[k] = A[k][k];
        for (int r = 0; r < 3; ++r) {
            R[r + 3 * k] = k == 2 && det < 0.0 ? -V[r][k] : V[r][k];
        }
    }
    dal_quat_from_matrix(q, R);
}
