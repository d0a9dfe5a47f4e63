/* Tangents of the forces of wheels and teeth: their kernels over complex numbers, a tiny step in each coordinate and velocity of the two frames. */
#include "lie/real_complex.h"
// the kernels take the scalar above
#include "mbs/wrench_kernel.h"

#include "mbs/wrench.h"

static void to_real(real *y, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        y[k] = x[k];
    }
}

/* Component k of the place or the velocity, three along the world, three about the axes of the frame. */
static void step(mb_state *s, int rate, int k)
{
    const real by = I * REAL_STEP;
    if (k < 3) {
        *(rate ? &s->xd[k] : &s->x[k]) += by;
    } else if (rate) {
        s->Om[k - 3] += by;
    } else {
        real *a = s->R + 3 * ((k + 1) % 3), *b = s->R + 3 * ((k + 2) % 3);
        for (int i = 0; i < 3; ++i) {
            const real y = a[i];
            a[i] += by * b[i];
            b[i] -= by * y;
        }
    }
}

void mb_wrench_tangent(double K[2][2][36], double C[2][2][36], wrench_kind kind, const mb_wrench_frame frame[2],
                       const wrench_numbers *n)
{
    mb_state at[2];
    real a[2][3], A[2][9];
    memset(at, 0, sizeof at);
    for (int i = 0; i < 2; ++i) {
        to_real(at[i].x, frame[i].x, 3);
        to_real(at[i].R, frame[i].R, 9);
        to_real(at[i].xd, frame[i].xd, 3);
        to_real(at[i].Om, frame[i].Om, 3);
        to_real(a[i], frame[i].a, 3);
        to_real(A[i], frame[i].A, 9);
    }
    for (int column = 0; column < 24; ++column) {
        const int j = column / 12, rate = column / 6 % 2, k = column % 6;
        mb_state moved[2] = {at[0], at[1]};
        mb_pairing P;
        real y[WRENCH_SIZE];
        step(&moved[j], rate, k);
        for (int i = 0; i < 2; ++i) {
            mat3_mul_vec(moved[i].om, moved[i].R, 3, moved[i].Om);
            mb_side_at(&P.side[i], &moved[i], a[i], A[i], 1, 1);
        }
        sub3(P.d, P.side[1].p, P.side[0].p);
        wrench_at(y, kind, &P, n);
        for (int i = 0; i < 12; ++i) {
            (rate ? C : K)[i / 6][j][i % 6 + 6 * k] = cimag(y[i]) / REAL_STEP;
        }
    }
}
