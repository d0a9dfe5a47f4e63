/* Mass of an element with n nodes beyond that of its nodes, dM (6 n x 6 n, section axes); a: motion of the nodes. (BM.30), (BM.32) */
#ifndef DAL_MBS_WEIGHT_KERNEL_H
#define DAL_MBS_WEIGHT_KERNEL_H

#include "beam/beam_kernel.h"
#include "mbs/pairing_kernel.h"
#include "mbs/vec.h"

/* r = dM a - blkdiag(hat(v))^T dM v, forces in world axes; returns the kinetic energy */
static inline real weight_force(real *r, const double *dM, const mb_state *a, int n)
{
    const int size = 6 * n;
    real v[BEAM_SIZE_MAX], acc[BEAM_SIZE_MAX], p[BEAM_SIZE_MAX], q[BEAM_SIZE_MAX], T = REAL(0.0);
    for (int i = 0; i < n; ++i) {
        real *u = v + 6 * i, c[3];
        tmul3(u, a[i].R, a[i].xd);
        copy3(u + 3, a[i].Om);
        tmul3(acc + 6 * i, a[i].R, a[i].xdd);
        cross3(c, a[i].Om, u);
        sub3(acc + 6 * i, acc + 6 * i, c);
        copy3(acc + 6 * i + 3, a[i].Omd);
    }
    for (int i = 0; i < size; ++i) {
        p[i] = q[i] = REAL(0.0);
        for (int j = 0; j < size; ++j) {
            p[i] += dM[i + size * j] * v[j];
            q[i] += dM[i + size * j] * acc[j];
        }
        T += 0.5 * p[i] * v[i];
    }
    for (int i = 0; i < n; ++i) {
        real *f = q + 6 * i, c[3];
        const real *u = v + 6 * i, *w = u + 3, *P = p + 6 * i;
        cross3(c, w, P);
        add3(f, f, c);
        cross3(c, u, P);
        add3(f + 3, f + 3, c);
        cross3(c, w, P + 3);
        add3(f + 3, f + 3, c);
        mat3_mul_vec(r + 6 * i, a[i].R, 3, f);
        copy3(r + 6 * i + 3, f + 3);
    }
    return T;
}

/* S_i dM_ij S_j^T, S = diag(R, I) */
static inline void weight_block(real M6[36], const double *dM, const mb_state *a, int n, int i, int j)
{
    for (int k = 0; k < 36; ++k) {
        const int row = k % 6, column = k / 6;
        real sum = REAL(0.0);
        for (int l = 0; l < 9; ++l) {
            const int r = row < 3 ? l % 3 : row, c = column < 3 ? l / 3 : column;
            if ((row >= 3 && l % 3 > 0) || (column >= 3 && l / 3 > 0)) {
                continue;
            }
            sum += (row < 3 ? a[i].R[row + 3 * r] : REAL(1.0)) * dM[6 * i + r + 6 * n * (6 * j + c)] *
                   (column < 3 ? a[j].R[column + 3 * c] : REAL(1.0));
        }
        M6[k] = sum;
    }
}

/* Columns of node j (6 n x 6), by differences: of its velocities, and of its rotation. a: as it was afterwards */
static inline void weight_columns(real *C, real *K, const double *dM, mb_state *a, int n, int j)
{
    const double by = 1e-5;
    const int size = 6 * n;
    const mb_state kept = a[j];
    memset(K, 0, (size_t)(6 * size) * sizeof *K);
    for (int k = 0; k < 9; ++k) {
        real r[2][BEAM_SIZE_MAX];
        for (int side = 0; side < 2; ++side) {
            mb_perturb(&a[j], k < 6, k < 6 ? k : k - 3, side ? by : -by);
            (void)weight_force(r[side], dM, a, n);
            a[j] = kept;
        }
        real *to = k < 6 ? C + size * k : K + size * (k - 3);
        for (int i = 0; i < size; ++i) {
            to[i] = (r[1][i] - r[0][i]) / (2.0 * by);
        }
    }
}

#endif
