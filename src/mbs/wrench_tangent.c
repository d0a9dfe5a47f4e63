/* Tangents of the forces of wheels and teeth: their kernels over complex numbers, a tiny step in each coordinate and velocity of the two frames,
 * and in the state. */
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

/* Imaginary parts of the results at moved frames and the state. */
static void evaluate(double y[WRENCH_SIZE], wrench_kind kind, mb_state moved[2], real a[2][3], real A[2][9],
                     const wrench_numbers *n, real state)
{
    mb_pairing P;
    real z[WRENCH_SIZE];
    for (int i = 0; i < 2; ++i) {
        mat3_mul_vec(moved[i].om, moved[i].R, 3, moved[i].Om);
        mb_side_at(&P.side[i], &moved[i], a[i], A[i], 1, 1);
    }
    sub3(P.d, P.side[1].p, P.side[0].p);
    wrench_at(z, kind, &P, n, state);
    for (int i = 0; i < WRENCH_SIZE; ++i) {
        y[i] = cimag(z[i]) / REAL_STEP;
    }
}

void mb_wrench_tangent(mb_wrench_slopes *s, wrench_kind kind, const mb_wrench_frame frame[2], const wrench_numbers *n,
                       double state)
{
    mb_state at[2];
    real a[2][3], A[2][9];
    double y[WRENCH_SIZE];
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
        step(&moved[j], rate, k);
        evaluate(y, kind, moved, a, A, n, state);
        for (int i = 0; i < 12; ++i) {
            (rate ? s->C : s->K)[i / 6][j][i % 6 + 6 * k] = y[i];
        }
        (rate ? s->rate_C : s->rate_K)[j][k] = y[WRENCH_RATE];
    }
    evaluate(y, kind, at, a, A, n, state + I * REAL_STEP);
    memcpy(s->by_state, y, sizeof s->by_state);
    s->rate_by_state = y[WRENCH_RATE];
}
