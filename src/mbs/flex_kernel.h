/* Inertia of a flexible body, (FX.4)-(FX.9).
 *
 * A mass point at a in the body frame is at s = a + psi z + g(z, z)/2 when the body is deformed, with modal coordinates z;
 * d_k s = psi_k + g_k(z) is the derivative with respect to z_k. Its velocity is R (R^T x' + Omega x s + s'), with s' = sum
 * d_k s z_k'. Put into the virtual work sum m dp.(p'' - gravity), this gives sums over the nodes that depend on z linearly
 * or quadratically. flex_sums has the sums that do not depend on z, taken once when the body is added; flex_update finds
 * those at the present z and z' (flex_state), so that a step costs 9 n^2 multiplications for n modes, however many nodes
 * there are.
 *
 * The body in its present shape is a rigid body with the first moment mc and the inertia J of that shape, which
 * inertia_kernel.h handles. The rest is here: Coriolis terms 2 Omega x s', the acceleration s'' of the shape itself, and one
 * equation for each mode. */
#ifndef DAL_MBS_FLEX_KERNEL_H
#define DAL_MBS_FLEX_KERNEL_H

#include "mbs/inertia_kernel.h"

/* n modes. 3 x 3 sums over the nodes are column-major; "per mode" arrays hold one after the other. (FX.4)
 * c0 (3): sum m a, P0 (9): sum m a a^T, Jr (9): sum of nodal inertias; per mode C1: sum m psi (3), Hr: sum J theta (3), P1: sum m
 * a psi^T (9); P2: sum m psi_l psi_k^T (9) at 9 (l + n k); W: sum m a g_lk^T (9) and G: sum m g_lk (3), likewise, NULL: no
 * stiffening; M, K: n x n, modal mass and stiffness; D: n, modal damping. */
typedef struct flex_sums {
    int n;
    const double *c0, *P0, *Jr, *C1, *Hr, *P1, *P2, *W, *G, *M, *K, *D;
} flex_sums;

/* At a state, (FX.5). z, z'; per mode C: sum m d_k s (3), Q: sum m s (d_k s)^T, Y: sum m u' psi_k^T, U: sum z'_l W_lk (9 each);
 * Qv: sum m s s'^T; p, L: sum m s', sum m s x s' + J theta', the momentum in the frame; e, w: sum m g(z', z'), sum m a x g(z', z'). */
typedef struct flex_state {
    const real *z, *zd;
    real *C, *Q, *Y, *U;
    real Qv[9], p[3], L[3], e[3], w[3];
} flex_state;

/* Numbers in memory for the sums per mode of a state. */
enum { FLEX_ROOM = 30 };

static inline void flex_open(flex_state *x, real *room, int n, const real *z, const real *zd)
{
    x->z = z;
    x->zd = zd;
    x->C = room;
    x->Q = x->C + 3 * n;
    x->Y = x->Q + 9 * n;
    x->U = x->Y + 9 * n;
}

/* y (m) = A (m x n) x, or +=; the entries of A are numbers of the model */
static inline void flex_times(real *y, const double *A, int m, const real *x, int n, int add)
{
    for (int i = 0; i < m && !add; ++i) {
        y[i] = REAL(0.0);
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i + j * m] * x[j];
        }
    }
}

/* The same with a matrix of the state. */
static inline void flex_product(real *y, const real *A, int m, const real *x, int n, int add)
{
    for (int i = 0; i < m && !add; ++i) {
        y[i] = REAL(0.0);
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i + j * m] * x[j];
        }
    }
}

/* y += s A, n numbers of the model, or of the state */
static inline void flex_axpy(real *y, real s, const double *A, int n)
{
    for (int k = 0; k < n; ++k) {
        y[k] += s * A[k];
    }
}

static inline void flex_add9(real A[9], real s, const real B[9])
{
    for (int k = 0; k < 9; ++k) {
        A[k] += s * B[k];
    }
}

/* c += s sum a x b, given X = sum a b^T */
static inline void flex_add_axial(real c[3], real s, const real X[9])
{
    c[0] += s * (X[7] - X[5]);
    c[1] += s * (X[2] - X[6]);
    c[2] += s * (X[3] - X[1]);
}

static inline real flex_trace(const real X[9])
{
    return X[0] + X[4] + X[8];
}

/* sum of A_ij B_ij, both of the state, or B numbers of the model */
static inline real flex_inner(const real A[9], const real B[9])
{
    real sum = REAL(0.0);
    for (int k = 0; k < 9; ++k) {
        sum += A[k] * B[k];
    }
    return sum;
}

static inline real flex_inner_numbers(const real A[9], const double B[9])
{
    real sum = REAL(0.0);
    for (int k = 0; k < 9; ++k) {
        sum += A[k] * B[k];
    }
    return sum;
}

static inline real flex_dot(const double a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* y += s sum a x (w x b) = s (tr(X) I - X^T) w, given X = sum a b^T */
static inline void flex_add_coriolis(real y[3], real s, const real X[9], const real w[3])
{
    axpy3(y, s * flex_trace(X), w);
    y[0] -= s * dot3(X, w);
    y[1] -= s * dot3(X + 3, w);
    y[2] -= s * dot3(X + 6, w);
}

/* First moment mc, and J = tr(P) I - P + Jr with P = sum m s s^T = P0 + sym sum z_k (P1_k^T + Q_k), (FX.5). */
static inline void flex_inertia(real mc[3], real J[9], const flex_sums *f, const flex_state *x)
{
    real P[9];
    memset(P, 0, sizeof P);
    for (int i = 0; i < 3; ++i) {
        mc[i] = REAL(f->c0[i]);
    }
    for (int k = 0; k < f->n; ++k) {
        // mc = c0 + sum z_k (C1_k + C_k)/2, as C_k has the derivative of the quadratic part
        flex_axpy(mc, 0.5 * x->z[k], f->C1 + 3 * k, 3);
        axpy3(mc, 0.5 * x->z[k], x->C + 3 * k);
        flex_axpy(P, x->z[k], f->P1 + 9 * k, 9);
        flex_add9(P, x->z[k], x->Q + 9 * k);
    }
    // P1 and its transpose are the same after symmetrising
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            J[i + 3 * j] = f->Jr[i + 3 * j] - f->P0[i + 3 * j] - 0.5 * (P[i + 3 * j] + P[j + 3 * i]);
        }
    }
    add_unit(J, f->P0[0] + f->P0[4] + f->P0[8] + flex_trace(P));
}

/* C_k = sum m d_k s, Q_k = sum m s (d_k s)^T, Y_k = sum m (psi z') psi_k^T, and with stiffening U_k = sum z_l' W_lk; then
 * Qv = sum z_k' Q_k, the momentum p = sum C_k z_k' and angular momentum L in the frame, e and w from g(z', z'). */
static inline void flex_update(flex_state *x, const flex_sums *f)
{
    const int n = f->n;
    const real *z = x->z, *zd = x->zd;
    real_copy(x->C, f->C1, 3 * n);
    real_copy(x->Q, f->P1, 9 * n);
    memset(x->Qv, 0, sizeof x->Qv);
    for (int i = 0; i < 3; ++i) {
        x->p[i] = x->L[i] = x->e[i] = x->w[i] = REAL(0.0);
    }
    for (int k = 0; k < n; ++k) {
        const int at = n * k;
        real *Q = x->Q + 9 * k;
        flex_times(Q, f->P2 + 9 * at, 9, z, n, 1);
        flex_times(x->Y + 9 * k, f->P2 + 9 * at, 9, zd, n, 0);
        if (f->W) {
            real g[3];
            flex_times(Q, f->W + 9 * at, 9, z, n, 1);
            flex_times(x->U + 9 * k, f->W + 9 * at, 9, zd, n, 0);
            flex_times(x->C + 3 * k, f->G + 3 * at, 3, z, n, 1);
            flex_times(g, f->G + 3 * at, 3, zd, n, 0);
            axpy3(x->e, zd[k], g);
            flex_add_axial(x->w, zd[k], x->U + 9 * k);
        }
        flex_add9(x->Qv, zd[k], Q);
        axpy3(x->p, zd[k], x->C + 3 * k);
        flex_axpy(x->L, zd[k], f->Hr + 3 * k, 3);
    }
    flex_add_axial(x->L, REAL(1.0), x->Qv);
}

/* The equations for the frame are in world axes (force) and body axes (torque), like those of a rigid body; rotations of the
 * frame change R by R theta~. Sums over nodes of products of two vectors are kept as 3 x 3 matrices X = sum m a b^T: a cross
 * product a x b is the axial vector of X, a dot product a.(A b) is tr(A X). */

/* What residual and tangent share: A = Omega'~ + Omega~ Omega~, so that A s is the acceleration of a point that rests in the
 * frame; b = R^T (x'' - gravity); Hr z'; and e = 2 Omega x p + C z'' + g(z', z'), the rest of the force in body axes. */
typedef struct flex_terms {
    real A[9], b[3], Hz[3], e[3];
} flex_terms;

static inline void flex_terms_at(flex_terms *T, const flex_sums *f, const flex_state *x, const mb_state *s,
                                 const real gravity[3], const real *zdd)
{
    real y[3];
    memset(T->A, 0, sizeof T->A);
    add_tilde(T->A, REAL(1.0), s->Omd);
    add_tilde_tilde(T->A, 3, 0, 0, REAL(1.0), s->Om, s->Om);
    sub3(y, s->xdd, gravity);
    tmul3(T->b, s->R, y);
    flex_times(T->Hz, f->Hr, 3, x->zd, f->n, 0);
    copy3(T->e, x->e);
    add_cross3(T->e, REAL(2.0), s->Om, x->p);
    flex_product(T->e, x->C, 3, zdd, f->n, 1);
}

/* r (6 + n) += (FX.6) and (FX.7), the rows of the frame, beyond those of a rigid body, and (FX.8), the rows of the modes. */
static inline void flex_residual(real *r, const flex_sums *f, const flex_state *x, const mb_state *s,
                                 const real gravity[3], const real *zdd)
{
    const int n = f->n;
    real At[9], Re[3];
    flex_terms T;
    flex_terms_at(&T, f, x, s, gravity, zdd);
    transpose3(At, T.A);
    // frame: R e; 2 (tr Qv I - Qv^T) Omega + Omega x Hr z' + sum a x g(z', z') + h z''
    mat3_mul_vec(Re, s->R, 3, T.e);
    add3(r, r, Re);
    flex_add_coriolis(r + 3, REAL(2.0), x->Qv, s->Om);
    add_cross3(r + 3, REAL(1.0), s->Om, T.Hz);
    add3(r + 3, r + 3, x->w);
    for (int k = 0; k < n; ++k) {
        const real *Q = x->Q + 9 * k, *C = x->C + 3 * k;
        real room[3], h[3], y[3], sum;
        const real *Hr = real_numbers(room, f->Hr + 3 * k, 3);
        copy3(h, Hr);
        y[0] = y[1] = y[2] = REAL(0.0);
        flex_add_axial(h, REAL(1.0), Q);
        axpy3(r + 3, zdd[k], h);
        // tr(A Q_k) is the sum of the entries of A^T times those of Q_k
        // mode: C_k.b + tr(A Q_k) + 2 Omega.(sum u' x psi_k) + Hr_k.Omega' + (M z'' + K z)_k + D_k z_k'
        flex_add_axial(y, REAL(2.0), x->Y + 9 * k);
        sum = dot3(C, T.b) + flex_inner(At, Q) + dot3(s->Om, y) + dot3(Hr, s->Omd) + f->D[k] * x->zd[k];
        for (int l = 0; l < n; ++l) {
            sum += f->M[l + n * k] * zdd[l] + f->K[l + n * k] * x->z[l];
        }
        r[6 + k] += sum;
    }
}

/* Column of mode l in the rows of the frame: derivatives of (FX.6) and (FX.7) with respect to z_l'', z_l' and z_l. M, C, K: that
 * column, 6 + n rows, zero. */
static inline void flex_frame_column(real *M, real *Cc, real *K, const flex_sums *f, const flex_state *x,
                                     const mb_state *s, const flex_terms *T, const real *zdd, int l)
{
    const int n = f->n, at = n * l;
    const real *Q = x->Q + 9 * l, *Y = x->Y + 9 * l, *C = x->C + 3 * l, *U = x->U + 9 * l;
    real u[3], X[9], S[9], SA[9], At[9], room[3];
    const real *Hr = real_numbers(room, f->Hr + 3 * l, 3);
    // M: R C_l; sum s x d_l s + Hr_l
    mat3_mul_vec(M, s->R, 3, C);
    add3(M + 3, M + 3, Hr);
    flex_add_axial(M + 3, REAL(1.0), Q);
    // C: 2 R (Omega x C_l + g(z', l)); 2 (tr Q_l I - Q_l^T) Omega + Omega x Hr_l + 2 sum a x g(z', l)
    cross3(u, s->Om, C);
    if (f->W) {
        flex_times(u, f->G + 3 * at, 3, x->zd, n, 1);
        flex_add_axial(Cc + 3, REAL(2.0), U);
    }
    mat3_mul_vec(Cc, s->R, 3, u);
    scale3(Cc, REAL(2.0), Cc);
    flex_add_coriolis(Cc + 3, REAL(2.0), Q, s->Om);
    add_cross3(Cc + 3, REAL(1.0), s->Om, Hr);
    // K: R (A C_l + 2 Omega x g(z', l) + g(z'', l))
    mat3_mul_vec(u, T->A, 3, C);
    flex_times(X, f->P2 + 9 * at, 9, zdd, n, 0);
    flex_add_axial(K + 3, REAL(-1.0), X); // sum psi_l x u''
    if (f->W) {
        real g[3];
        flex_times(g, f->G + 3 * at, 3, x->zd, n, 0);
        add_cross3(u, REAL(2.0), s->Om, g);
        flex_times(u, f->G + 3 * at, 3, zdd, n, 1);
        flex_times(X, f->W + 9 * at, 9, zdd, n, 0);
        flex_add_axial(K + 3, REAL(1.0), X);
        flex_add_coriolis(K + 3, REAL(2.0), U, s->Om);
    }
    mat3_mul_vec(K, s->R, 3, u);
    // C_l x b + axial((Q_l + Q_l^T) A^T) + 2 sum psi_l x (Omega x u')
    add_cross3(K + 3, REAL(1.0), C, T->b);
    transpose3(S, Q);
    flex_add9(S, REAL(1.0), Q);
    transpose3(At, T->A);
    mat3_mul(SA, 3, S, 3, At, 3);
    flex_add_axial(K + 3, REAL(1.0), SA);
    transpose3(X, Y);
    flex_add_coriolis(K + 3, REAL(2.0), X, s->Om);
}

/* Row of mode k: derivatives of (FX.8). The mass matrix is symmetric. */
static inline void flex_mode_row(real *M, real *Cc, real *K, const flex_sums *f, const flex_state *x, const mb_state *s,
                                 const flex_terms *T, const real At[9], int k)
{
    const int n = f->n, ld = 6 + n;
    const real *Q = x->Q + 9 * k, *C = x->C + 3 * k;
    real y[3], u[3];
    // with Omega: (Q + Q^T) Omega - 2 tr(Q) Omega + 2 sum u' x psi_k; with theta: C_k x b
    memset(y, 0, sizeof y);
    flex_add_coriolis(y, REAL(-1.0), Q, s->Om);
    mat3_mul_vec(u, Q, 3, s->Om);
    add3(y, y, u);
    axpy3(y, -flex_trace(Q), s->Om);
    flex_add_axial(y, REAL(2.0), x->Y + 9 * k);
    cross3(u, C, T->b);
    for (int j = 0; j < 3; ++j) {
        Cc[6 + k + (3 + j) * ld] = y[j];
        K[6 + k + (3 + j) * ld] = u[j];
    }
    for (int j = 0; j < 6; ++j) {
        M[6 + k + j * ld] = M[j + (6 + k) * ld];
    }
    // modes: M; 2 Omega.(psi_l x psi_k); K + tr(A (P2 + W)_lk) + g_lk.b
    for (int l = 0; l < n; ++l) {
        const int at = l + n * k, to = 6 + k + (6 + l) * ld;
        const double *P = f->P2 + 9 * at;
        const double w[3] = {2.0 * (P[7] - P[5]), 2.0 * (P[2] - P[6]), 2.0 * (P[3] - P[1])};
        M[to] = REAL(f->M[at]);
        Cc[to] = flex_dot(w, s->Om) + (k == l ? f->D[k] : 0.0);
        K[to] = f->K[at] + flex_inner_numbers(At, P);
        if (f->W) {
            K[to] += flex_inner_numbers(At, f->W + 9 * at) + flex_dot(f->G + 3 * at, T->b);
        }
    }
}

/* A (nv x nv) += 6 x 6 block of the frame */
static inline void flex_add_frame(real *A, int nv, const real A6[36])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            A[i + j * nv] += A6[i + 6 * j];
        }
    }
}

/* All of M, C and K, (6 + n) x (6 + n), written, but for what a rigid body has: the frame with itself here, then columns and rows of
 * the modes. */
static inline void flex_tangent(real *M, real *C, real *K, const flex_sums *f, const flex_state *x, const mb_state *s,
                                const real gravity[3], const real *zdd)
{
    const int ld = 6 + f->n;
    const size_t size = (size_t)(ld * ld) * sizeof(real);
    real At[9], X[9], Y[9], u[3];
    flex_terms T;
    memset(M, 0, size);
    memset(C, 0, size);
    memset(K, 0, size);
    flex_terms_at(&T, f, x, s, gravity, zdd);
    transpose3(At, T.A);
    // frame with frame: -2 R p~, 2 (tr Qv I - Qv^T) - (Hr z')~; -R e~
    scale3(u, REAL(-2.0), x->p);
    mul_tilde(Y, 3, s->R, u);
    add_block(C, ld, 0, 3, Y);
    transpose3(X, x->Qv);
    for (int k = 0; k < 9; ++k) {
        X[k] *= -2.0;
    }
    add_unit(X, 2.0 * flex_trace(x->Qv));
    add_tilde(X, REAL(-1.0), T.Hz);
    add_block(C, ld, 3, 3, X);
    scale3(u, REAL(-1.0), T.e);
    mul_tilde(Y, 3, s->R, u);
    add_block(K, ld, 0, 3, Y);
    for (int l = 0; l < f->n; ++l) {
        const int column = (6 + l) * ld;
        flex_frame_column(M + column, C + column, K + column, f, x, s, &T, zdd, l);
    }
    for (int k = 0; k < f->n; ++k) {
        flex_mode_row(M, C, K, f, x, s, &T, At, k);
    }
}

/* What the deformation adds to the kinetic energy of the rigid body: x'.R p + Omega.L + z'.M z'/2. */
static inline real flex_kinetic(const flex_sums *f, const flex_state *x, const mb_state *s)
{
    real Rp[3];
    mat3_mul_vec(Rp, s->R, 3, x->p);
    real T = dot3(s->xd, Rp) + dot3(s->Om, x->L);
    for (int k = 0; k < f->n; ++k) {
        for (int l = 0; l < f->n; ++l) {
            T += 0.5 * x->zd[k] * f->M[l + f->n * k] * x->zd[l];
        }
    }
    return T;
}

/* z.K z/2 */
static inline real flex_strain(const flex_sums *f, const flex_state *x)
{
    real V = REAL(0.0);
    for (int k = 0; k < f->n; ++k) {
        for (int l = 0; l < f->n; ++l) {
            V += 0.5 * x->z[k] * f->K[l + f->n * k] * x->z[l];
        }
    }
    return V;
}

/* What the modal damping takes out. */
static inline real flex_damping(const flex_sums *f, const real *zd)
{
    real P = REAL(0.0);
    for (int k = 0; k < f->n; ++k) {
        P += f->D[k] * zd[k] * zd[k];
    }
    return P;
}

#endif
