/* Motion of an interface node of a flexible body.
 *
 * A node at a has s = a + psi z + g(z, z)/2 and turns by theta = Theta z, a small angle. Its rotation in the frame is
 * E = I + 2 g (t~ + t~ t~), t = theta/2, g = 1/(1 + t.t) (Cayley), a rotation for every theta that differs from the
 * exponential by terms of third order; its angular velocity in node axes is D theta', D = g (I - t~). (FX.2) */
#ifndef DAL_MBS_FLEX_NODE_KERNEL_H
#define DAL_MBS_FLEX_NODE_KERNEL_H

#include "lie/so3_kernel.h"
#include "mbs/flex_kernel.h"

/* A node of a body with n modes: place (3), shapes and rotations (3 x n), second-order displacements (3 x n x n; NULL: none). */
typedef struct flex_node {
    int n;
    const double *a, *psi, *theta, *g;
} flex_node;

/* Numbers in memory for each mode, for the shapes of a node at a state. */
enum { FLEX_NODE_ROOM = 12 };

/* It relative to the frame of its body. psi, theta: 3 x n, derivatives of s and of theta; gd, gdd: g(z'), g(z''), NULL: no
 * stiffening; place s, ud = psi z', udd = psi z''; t, w, wd: theta/2, theta', theta''; E, D: rotation, om = D w; W, Wd: E^T Omega,
 * E^T Omega'; c: R^T (p'' - x''); R: of the frame. */
typedef struct flex_local {
    const real *psi, *theta, *gd, *gdd;
    real s[3], ud[3], udd[3], t[3], w[3], wd[3], g;
    real E[9], D[9], om[3], W[3], Wd[3], c[3], R[9];
} flex_local;

static inline void flex_turn_of(flex_local *x)
{
    const real *t = x->t;
    x->g = 1.0 / (1.0 + dot3(t, t));
    memset(x->E, 0, sizeof x->E);
    memset(x->D, 0, sizeof x->D);
    add_unit(x->E, REAL(1.0));
    add_tilde(x->E, 2.0 * x->g, t);
    add_tilde_tilde(x->E, 3, 0, 0, 2.0 * x->g, t, t);
    add_unit(x->D, x->g);
    add_tilde(x->D, -x->g, t);
}

static inline void flex_place(flex_local *x, const flex_node *f, real *room, const real *z)
{
    const int n = f->n;
    x->psi = real_numbers(room, f->psi, 3 * n);
    x->theta = real_numbers(room + 9 * n, f->theta, 3 * n);
    x->gd = x->gdd = NULL;
    for (int i = 0; i < 3; ++i) {
        x->s[i] = REAL(f->a[i]);
    }
    flex_product(x->s, x->psi, 3, z, n, 1);
    if (f->g) {
        // derivatives psi + g(z); s = a + (psi + g(z)/2) z
        real half[3];
        flex_times(room, f->g, 3 * n, z, n, 0);
        flex_product(half, room, 3, z, n, 0);
        axpy3(x->s, REAL(0.5), half);
        for (int i = 0; i < 3 * n; ++i) {
            room[i] += f->psi[i];
        }
        x->psi = room;
    }
    flex_product(x->t, x->theta, 3, z, n, 0);
    scale3(x->t, REAL(0.5), x->t);
    flex_turn_of(x);
}

/* q, v, v' of its body: the frame, then the modes. room: of FLEX_NODE_ROOM n numbers, which x refers to. */
static inline void flex_local_at(flex_local *x, const flex_node *f, real *room, const real *q, const real *v,
                                 const real *vd)
{
    const int n = f->n;
    const real *Om = v + 3;
    real u[3];
    flex_place(x, f, room, q + 7);
    quat_matrix(x->R, q + 3);
    flex_product(x->ud, x->psi, 3, v + 6, n, 0);
    flex_product(x->udd, x->psi, 3, vd + 6, n, 0);
    if (f->g) {
        // u'' = (psi + g(z)) z'' + g(z') z'
        flex_times(room + 3 * n, f->g, 3 * n, v + 6, n, 0);
        flex_times(room + 6 * n, f->g, 3 * n, vd + 6, n, 0);
        x->gd = room + 3 * n;
        x->gdd = room + 6 * n;
        flex_product(x->udd, x->gd, 3, v + 6, n, 1);
    }
    flex_product(x->w, x->theta, 3, v + 6, n, 0);
    flex_product(x->wd, x->theta, 3, vd + 6, n, 0);
    mat3_mul_vec(x->om, x->D, 3, x->w);
    tmul3(x->W, x->E, Om);
    tmul3(x->Wd, x->E, vd + 3);
    // c = Omega' x s + Omega x (Omega x s + 2 u') + u''
    cross3(u, Om, x->s);
    axpy3(u, REAL(2.0), x->ud);
    cross3(x->c, vd + 3, x->s);
    add_cross3(x->c, REAL(1.0), Om, u);
    add3(x->c, x->c, x->udd);
}

static inline void flex_node_state(mb_state *s, const flex_local *x, const real *q, const real *v, const real *vd)
{
    real u[3], y[3];
    // p = x + R s, p' = x' + R (Omega x s + u'), p'' = x'' + R c
    mat3_mul_vec(y, x->R, 3, x->s);
    add3(s->x, q, y);
    cross3(u, v + 3, x->s);
    add3(u, u, x->ud);
    mat3_mul_vec(y, x->R, 3, u);
    add3(s->xd, v, y);
    mat3_mul_vec(y, x->R, 3, x->c);
    add3(s->xdd, vd, y);
    // R E; E^T Omega + om; E^T Omega' + E^T Omega x om + D w' - g (t.w) om
    mat3_mul(s->R, 3, x->R, 3, x->E, 3);
    add3(s->Om, x->W, x->om);
    mat3_mul_vec(s->Omd, x->D, 3, x->wd);
    add3(s->Omd, s->Omd, x->Wd);
    add_cross3(s->Omd, REAL(1.0), x->W, x->om);
    axpy3(s->Omd, -x->g * dot3(x->t, x->w), x->om);
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

/* H = d(D w)/dtheta = -g om t^T + g/2 w~ with om = D w */
static inline void flex_bend(real H[9], const flex_local *x, const real om[3], const real w[3])
{
    memset(H, 0, 9 * sizeof(real));
    add_outer(H, -x->g, om, x->t);
    add_tilde(H, 0.5 * x->g, w);
}

/* Rotational 3 x 3 factors of V, Aq, Av with respect to theta and theta', (FX.3). */
static inline void flex_turn(real V[9], real Aq[9], real Av[9], const flex_local *x)
{
    const real tw = x->g * dot3(x->t, x->w);
    real H[9], Hd[9], X[9], u[3], y[3];
    flex_bend(H, x, x->om, x->w);
    tilde_mul(V, x->W, x->D);
    // Av: W~ D - g om t^T - g (t.w) D
    memcpy(Av, V, 9 * sizeof(real));
    add_outer(Av, -x->g, x->om, x->t);
    // Aq: (W'~ - om~ W~) D + W~ H + d(D w')/dtheta + om (g^2 (t.w) t - g/2 w)^T - g (t.w) H
    tilde_mul(Aq, x->Wd, x->D);
    tilde_mul(X, x->om, V);
    mat3_mul_vec(u, x->D, 3, x->wd);
    flex_bend(Hd, x, u, x->wd);
    scale3(y, x->g * tw, x->t);
    axpy3(y, -0.5 * x->g, x->w);
    add_outer(Aq, REAL(1.0), x->om, y);
    for (int k = 0; k < 9; ++k) {
        Av[k] -= tw * x->D[k];
        Aq[k] += Hd[k] - X[k] - tw * H[k];
        V[k] += H[k];
    }
    tilde_mul(X, x->W, H);
    for (int k = 0; k < 9; ++k) {
        Aq[k] += X[k];
    }
}

/* 3 rows of L (6 x nv) from row on, columns of the modes: F (3 x 3) times shapes (3 x n) */
static inline void flex_columns(real *L, int row, const real F[9], const real *shape, int n)
{
    for (int k = 0; k < n; ++k) {
        real u[3];
        mat3_mul_vec(u, F, 3, shape + 3 * (size_t)k);
        add3(L + row + 6 * (6 + k), L + row + 6 * (6 + k), u);
    }
}

/* The same of V, Aq and Av, each with its factor. */
static inline void flex_rate_columns(real *V, real *Aq, real *Av, int row, const real FV[9], const real Fq[9],
                                     const real Fv[9], const real *shape, int n)
{
    for (int k = 0; k < n; ++k) {
        const int at = row + 6 * (6 + k);
        real u[3], x[3], y[3];
        mat3_mul_vec(u, FV, 3, shape + 3 * (size_t)k);
        mat3_mul_vec(x, Fq, 3, shape + 3 * (size_t)k);
        mat3_mul_vec(y, Fv, 3, shape + 3 * (size_t)k);
        add3(V + at, V + at, u);
        add3(Aq + at, Aq + at, x);
        add3(Av + at, Av + at, y);
    }
}

/* What g adds to the rows of the position: V: R g(z'), Aq: R (2 Omega~ g(z') + g(z'')), Av: 2 R g(z') */
static inline void flex_second_order(real *V, real *Aq, real *Av, const flex_local *x, const real Om[3], int n)
{
    real X[9], R2[9];
    mul_tilde(X, 3, x->R, Om);
    for (int k = 0; k < 9; ++k) {
        X[k] *= 2.0;
        R2[k] = 2.0 * x->R[k];
    }
    flex_columns(V, 0, x->R, x->gd, n);
    flex_columns(Aq, 0, X, x->gd, n);
    flex_columns(Aq, 0, x->R, x->gdd, n);
    flex_columns(Av, 0, R2, x->gd, n);
}

/* S = [I, -R s~, R psi; 0, E^T, D Theta], 6 x (6 + n) */
static inline void flex_node_map(real *S, const flex_local *x, int n)
{
    real X[9], u[3];
    memset(S, 0, (size_t)(6 * (6 + n)) * sizeof(real));
    S[0] = S[7] = S[14] = REAL(1.0);
    scale3(u, REAL(-1.0), x->s);
    mul_tilde(S + 18, 6, x->R, u);
    transpose3(X, x->E);
    add_block(S, 6, 3, 3, X);
    flex_columns(S, 0, x->R, x->psi, n);
    flex_columns(S, 3, x->D, x->theta, n);
}

/* V, Aq, Av, 6 x (6 + n), zero before; Om, Omd: of the frame. */
static inline void flex_node_rates(real *V, real *Aq, real *Av, const flex_local *x, int n, const real *Om,
                                   const real *Omd)
{
    real X[9], Y[9], Z[9], u[3], y[3];
    // V: -R (Omega x s + u')~, R Omega~ psi; Aq: -R c~, R (Omega'~ + Omega~ Omega~) psi; Av: 2 R Omega~ psi
    cross3(u, Om, x->s);
    add3(u, u, x->ud);
    scale3(y, REAL(-1.0), u);
    mul_tilde(V + 18, 6, x->R, y);
    mul_tilde(X, 3, x->R, Om);
    scale3(y, REAL(-1.0), x->c);
    mul_tilde(Aq + 18, 6, x->R, y);
    mul_tilde(Y, 3, X, Om);
    mul_tilde(Z, 3, x->R, Omd);
    for (int k = 0; k < 9; ++k) {
        Y[k] += Z[k];
        Z[k] = 2.0 * X[k];
    }
    flex_rate_columns(V, Aq, Av, 0, X, Y, Z, x->psi, n);
    // Av with Omega: -R ((Omega x s + 2 u')~ + Omega~ s~); -om~ E^T
    add3(u, u, x->ud);
    memset(X, 0, sizeof X);
    add_tilde(X, REAL(-1.0), u);
    add_tilde_tilde(X, 3, 0, 0, REAL(-1.0), Om, x->s);
    mat3_mul(Y, 3, x->R, 3, X, 3);
    add_block(Av, 6, 0, 3, Y);
    transpose3(X, x->E);
    tilde_mul(Y, x->om, X);
    for (int k = 0; k < 9; ++k) {
        Y[k] = -Y[k];
    }
    add_block(Av, 6, 3, 3, Y);
    if (x->gd) {
        flex_second_order(V, Aq, Av, x, Om, n);
    }
    flex_turn(X, Y, Z, x);
    flex_rate_columns(V, Aq, Av, 3, X, Y, Z, x->theta, n);
}

/* N ((6 + n) x (6 + n), zero before) = d(S^T f)/dq with S^T f = (f1; s x R^T f1 + E f2; psi^T R^T f1 + Theta^T D^T f2) */
static inline void flex_node_curvature(real *N, const flex_node *f, real *room, const real *q, const real f6[6])
{
    const int n = f->n, nv = 6 + n;
    real R[9], fb[3], X[9], Y[9], Df[3], u[3];
    flex_local x;
    flex_place(&x, f, room, q + 7);
    quat_matrix(R, q + 3);
    tmul3(fb, R, f6);
    add_tilde_tilde(N, nv, 3, 3, REAL(1.0), x.s, fb);
    // theta with z: -fb~ psi - E f2~ D Theta
    scale3(u, REAL(-1.0), f6 + 3);
    mul_tilde(X, 3, x.E, u);
    mat3_mul(Y, 3, X, 3, x.D, 3);
    // z with z: Theta^T (-g (D^T f2) t^T - g/2 f2~) Theta
    tmul3(Df, x.D, f6 + 3);
    memset(X, 0, sizeof X);
    add_outer(X, -x.g, Df, x.t);
    add_tilde(X, -0.5 * x.g, f6 + 3);
    for (int k = 0; k < n; ++k) {
        const real *psi = x.psi + 3 * k, *theta = x.theta + 3 * k;
        real *column = N + (6 + k) * nv;
        mat3_mul_vec(u, Y, 3, theta);
        add3(column + 3, column + 3, u);
        add_cross3(column + 3, REAL(-1.0), fb, psi);
        // z with theta: psi^T fb~
        cross3(u, psi, fb);
        for (int j = 0; j < 3; ++j) {
            N[6 + k + (3 + j) * nv] = u[j];
        }
        mat3_mul_vec(u, X, 3, theta);
        for (int l = 0; l < n; ++l) {
            column[6 + l] = dot3(x.theta + 3 * l, u);
            if (f->g) {
                column[6 + l] += flex_dot(f->g + 3 * (l + n * k), fb);
            }
        }
    }
}

#endif
