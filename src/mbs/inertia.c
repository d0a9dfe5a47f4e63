/* Inertia, gyroscopic terms and weight of a rigid body in its frame: reference point anywhere, (MB.4). */
#include "mbs/mbs_impl.h"

/* w = Omega' x mc + Omega x (Omega x mc) */
static void lever_acceleration(double w[3], const mb_body *b, const mb_state *s)
{
    double u[3];
    cross3(u, s->Om, b->mc);
    cross3(w, s->Omd, b->mc);
    add_cross3(w, 1.0, s->Om, u);
}

void mb_inertia_residual(double r6[6], const mb_body *b, const mb_state *s, const double gravity[3])
{
    double y[3], L[3], N[3];
    sub3(y, s->xdd, gravity);
    mat3_mul_vec(L, b->J, 3, s->Om);
    mat3_mul_vec(N, b->J, 3, s->Omd);
    axpy3(r6, b->m, y);
    add3(r6 + 3, r6 + 3, N);
    add_cross3(r6 + 3, 1.0, s->Om, L);
    if (!b->centred) {
        double w[3], Rw[3], yb[3];
        lever_acceleration(w, b, s);
        mat3_mul_vec(Rw, s->R, 3, w);
        add3(r6, r6, Rw);
        tmul3(yb, s->R, y);
        add_cross3(r6 + 3, 1.0, b->mc, yb);
    }
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
    double X[9], Y[9], L[3], u[3];
    if (C) {
        // Omega~ J - (J Omega)~
        mat3_mul_vec(L, b->J, 3, s->Om);
        tilde_mul(X, s->Om, b->J);
        add_tilde(X, -1.0, L);
        add_block(C, 6, 3, 3, X);
    }
    if (b->centred) {
        return;
    }
    if (C) {
        // -R ((Omega x mc)~ + Omega~ mc~)
        memset(X, 0, sizeof X);
        cross3(u, s->Om, b->mc);
        add_tilde(X, -1.0, u);
        add_tilde_tilde(X, 3, 0, 0, -1.0, s->Om, b->mc);
        mat3_mul(Y, 3, s->R, 3, X, 3);
        add_block(C, 6, 0, 3, Y);
    }
    if (K) {
        // -R w~, mc~ (R^T (x'' - gravity))~
        double w[3], y[3], yb[3];
        lever_acceleration(w, b, s);
        scale3(w, -1.0, w);
        mul_tilde(X, 3, s->R, w);
        add_block(K, 6, 0, 3, X);
        sub3(y, s->xdd, gravity);
        tmul3(yb, s->R, y);
        add_tilde_tilde(K, 6, 3, 3, 1.0, b->mc, yb);
    }
}
