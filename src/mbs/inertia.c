/* Inertia, gyroscopic terms and weight of a rigid body: blocks of 6 from the kernels. */
#include "mbs/inertia_kernel.h"
#include "mbs/mbs_impl.h"

void mb_inertia_residual(double r6[6], const mb_body *b, const mb_state *s, const double gravity[3])
{
    inertia_residual(r6, b->m, b->mc, b->J, b->centred, s, gravity);
}

/* [m I, -R mc~; mc~ R^T, J] */
void mb_inertia_mass(double M[36], const mb_body *b, const mb_state *s)
{
    memset(M, 0, 36 * sizeof(double));
    M[0] = M[7] = M[14] = b->m;
    add_block(M, 6, 3, 3, b->J);
    if (!b->centred) {
        double X[9];
        mul_tilde(X, 3, s->R, b->mc);
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                M[i + (3 + j) * 6] = -X[i + 3 * j];
                M[3 + j + i * 6] = -X[i + 3 * j];
            }
        }
    }
}

void mb_inertia_tangent(double *C, double *K, const mb_body *b, const mb_state *s, const double gravity[3])
{
    double X[9];
    if (C) {
        inertia_gyroscopic(X, b->J, s->Om);
        add_block(C, 6, 3, 3, X);
    }
    if (b->centred) {
        return;
    }
    if (C) {
        inertia_lever_rate(X, b->mc, s);
        add_block(C, 6, 0, 3, X);
    }
    if (K) {
        inertia_lever_stiffness(X, K + 21, 6, b->mc, s, gravity);
        add_block(K, 6, 0, 3, X);
    }
}
