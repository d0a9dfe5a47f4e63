/* Two frames and how rows between them act on their bodies. */
#include "mbs/mbs_impl.h"

static inline void side_at(mb_side *S, const mb_state *b, const mb_marker *m, int level, int axes)
{
    S->b = b;
    S->a = m->a;
    mat3_mul_vec(S->s, b->R, 3, m->a);
    add3(S->p, b->x, S->s);
    if (level > 0) {
        // p' = x' + omega x s
        cross3(S->ws, b->om, S->s);
        add3(S->pd, b->xd, S->ws);
    }
    if (level > 1) {
        // p'' = x'' + alpha x s + omega x (omega x s)
        cross3(S->pdd, b->al, S->s);
        add_cross3(S->pdd, 1.0, b->om, S->ws);
        add3(S->pdd, S->pdd, b->xdd);
    }
    if (axes) {
        mat3_mul(S->E, 3, b->R, 3, m->A, 3);
    }
}

void mb_pairing_at(mb_pairing *P, const mb_state *state, const mb_marker marker[2], int level, unsigned axes)
{
    side_at(&P->side[0], &state[marker[0].body], &marker[0], level, (axes & MB_AXES_A) != 0);
    side_at(&P->side[1], &state[marker[1].body], &marker[1], level, (axes & MB_AXES_B) != 0);
    sub3(P->d, P->side[1].p, P->side[0].p);
}

void mb_pairing_velocity(double V[12], const mb_pairing *P)
{
    for (int k = 0; k < 2; ++k) {
        copy3(V + 6 * k, P->side[k].pd);
        copy3(V + 6 * k + 3, P->side[k].b->om);
    }
}

void mb_pairing_acceleration(double W[12], const mb_pairing *P)
{
    for (int k = 0; k < 2; ++k) {
        copy3(W + 6 * k, P->side[k].pdd);
        copy3(W + 6 * k + 3, P->side[k].b->al);
    }
}

/* (MB.6) */
void mb_gradient_to_body(double g6[6], const mb_side *S, const double g[6])
{
    double w[3];
    cross3(w, S->s, g);
    add3(w, w, g + 3);
    copy3(g6, g);
    tmul3(g6 + 3, S->b->R, w);
}

/* (MB.7): besides the change z of the gradient, p' and omega turn with the body */
void mb_rate_to_body(double z6[6], const mb_side *S, const double z[6], const double g[6])
{
    double w[3];
    cross3(w, S->s, z);
    add3(w, w, z + 3);
    add_cross3(w, 1.0, S->b->om, g + 3);
    add_cross3(w, 1.0, S->ws, g);
    copy3(z6, z);
    tmul3(z6 + 3, S->b->R, w);
}

void mb_hessian_to_body(double K[36], const mb_hessian *H, const mb_pairing *P, int i, int j, int rotational)
{
    const mb_side *Si = &P->side[i], *Sj = &P->side[j];
    double X[9], Y[9], W[9];
    if (rotational) {
        // R_i^T H_ww R_j
        mat3_mul(X, 3, H->H[i][1][j][1], 3, Sj->b->R, 3);
        tmul33(Y, Si->b->R, X);
        add_block(K, 6, 3, 3, Y);
        return;
    }
    const double *Huu = H->H[i][0][j][0], *Huw = H->H[i][0][j][1], *Hwu = H->H[i][1][j][0], *Hww = H->H[i][1][j][1];
    add_block(K, 6, 0, 0, Huu);
    // (-H_uu s_j~ + H_uw) R_j
    mul_tilde(X, 3, Huu, Sj->s);
    for (int k = 0; k < 9; ++k) {
        X[k] = Huw[k] - X[k];
    }
    mat3_mul(Y, 3, X, 3, Sj->b->R, 3);
    add_block(K, 6, 0, 3, Y);
    // W = s_i~ H_uu + H_wu; R_i^T W
    tilde_mul(W, Si->s, Huu);
    for (int k = 0; k < 9; ++k) {
        W[k] += Hwu[k];
    }
    tmul33(Y, Si->b->R, W);
    add_block(K, 6, 3, 0, Y);
    // R_i^T (-W s_j~ + s_i~ H_uw + H_ww) R_j
    double U[9];
    mul_tilde(X, 3, W, Sj->s);
    tilde_mul(U, Si->s, Huw);
    for (int k = 0; k < 9; ++k) {
        X[k] = U[k] + Hww[k] - X[k];
    }
    mat3_mul(U, 3, X, 3, Sj->b->R, 3);
    tmul33(Y, Si->b->R, U);
    add_block(K, 6, 3, 3, Y);
}

/* d(R^T (tau + s x f)) for (f, tau) that stay: (tau~ + a~ f~) dtheta in body axes  (MB.8) */
void mb_arm_terms(double K[36], const mb_side *S, const double f[3], const double tau[3])
{
    double fb[3];
    tmul3(fb, S->b->R, f);
    add_tilde_tilde(K, 6, 3, 3, 1.0, S->a, fb);
    if (tau) {
        double T[9] = {0.0}, tb[3];
        tmul3(tb, S->b->R, tau);
        add_tilde(T, 1.0, tb);
        add_block(K, 6, 3, 3, T);
    }
}

void mb_add_wrench(double r6[6], const mb_side *S, const double f[3], const double tau[3])
{
    double w[3];
    cross3(w, S->s, f);
    add3(w, w, tau);
    add3(r6, r6, f);
    add_tmul3(r6 + 3, S->b->R, w);
}
