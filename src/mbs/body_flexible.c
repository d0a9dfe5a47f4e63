/* Motion of the frames of a flexible body: its own frame moves like a rigid body, an interface node with the modes as well.
 *
 * A node at a has s = a + psi z + g(z, z)/2 and turns by theta = Theta z, a small angle. Its rotation in the frame is
 * E = I + 2 g (t~ + t~ t~), t = theta/2, g = 1/(1 + t.t) (Cayley), a rotation for every theta that differs from the
 * exponential by terms of third order; its angular velocity in node axes is D theta', D = g (I - t~). (FX.2) */
#include "mbs/flex_impl.h"

static void flexible_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    const size_t n = (size_t)b->flex->n * sizeof(double);
    mb_body_r3so3.initial(q, v, b, d);
    memcpy(q + 7, b->bent->z0, n);
    memcpy(v + 6, b->bent->zd0, n);
}

static void flexible_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    mb_body_r3so3.state(s, b, q, v, vd);
}

static void flexible_update(mb_body *b, const double *q, const double *v)
{
    mb_flex_update(b, q + 7, v + 6);
}

const mb_body_type mb_body_flexible = {
    .name = "flexible",
    .about = {.text = "A flexible body: a frame and modal coordinates. Its interface nodes are bodies for joints, "
                      "forces and outputs: "
                      "those of a beam `rod` are `rod/A` (at x = 0), `rod/B` (at its other end) and its stations.",
              .keys = mb_flexible_keys,
              .nkeys = MB_NFLEXIBLE_KEYS,
              .one_of = "beam|modes|modes_file|flexible"},
    .element = &mb_element_flexible,
    .update = flexible_update,
    .kind = DAL_FACTOR_R3SO3,
    .nq = 7,
    .nv = 6,
    .identity = 1,
    .constant = 1,
    .rotates = 1,
    .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
    .initial = flexible_initial,
    .state = flexible_state,
    .quaternion = mb_quaternion_in_q};

/* ---- interface nodes -------------------------------------------------------------------------- */

/* A node relative to the frame of its body. */
typedef struct local {
    const double *psi, *theta;   /* 3 x n: derivatives of s and of theta */
    const double *gd, *gdd;      /* 3 x n: g(z'), g(z''); NULL: no stiffening */
    double s[3], ud[3], udd[3];  /* place; psi z', psi z'' */
    double t[3], w[3], wd[3], g; /* theta/2, theta', theta'' */
    double E[9], D[9], om[3];    /* rotation; om = D w */
    double W[3], Wd[3];          /* E^T Omega, E^T Omega' */
    double c[3];                 /* R^T (p'' - x'') */
    double R[9];                 /* of the frame */
} local;

static void rotation_of(local *x)
{
    const double *t = x->t;
    x->g = 1.0 / (1.0 + dot3(t, t));
    memset(x->E, 0, sizeof x->E);
    memset(x->D, 0, sizeof x->D);
    add_unit(x->E, 1.0);
    add_tilde(x->E, 2.0 * x->g, t);
    add_tilde_tilde(x->E, 3, 0, 0, 2.0 * x->g, t, t);
    add_unit(x->D, x->g);
    add_tilde(x->D, -x->g, t);
}

static void place_of(local *x, const mb_flex *f, double *turned, int node, const double *z)
{
    const size_t n = (size_t)f->n, first = 3 * n * (size_t)node;
    x->psi = f->psi + first;
    x->theta = f->theta + first;
    x->gd = x->gdd = NULL;
    copy3(x->s, f->a + 3 * (size_t)node);
    mb_gemv(x->s, x->psi, 3, z, f->n, 1);
    if (f->g) {
        // derivatives psi + g(z); s = a + (psi + g(z)/2) z
        double half[3];
        mb_gemv(turned, f->g + first * n, 3 * f->n, z, f->n, 0);
        mb_gemv(half, turned, 3, z, f->n, 0);
        axpy3(x->s, 0.5, half);
        for (size_t i = 0; i < 3 * n; ++i) {
            turned[i] += x->psi[i];
        }
        x->psi = turned;
    }
    mb_gemv(x->t, x->theta, 3, z, f->n, 0);
    scale3(x->t, 0.5, x->t);
    rotation_of(x);
}

void mb_flex_node(double s[3], double E[9], const mb_flex *f, double *turned, int node, const double *z)
{
    local x;
    place_of(&x, f, turned, node, z);
    copy3(s, x.s);
    memcpy(E, x.E, sizeof x.E);
}

static void local_at(local *x, const mb_body *b, const double *q, const double *v, const double *vd)
{
    const mb_flex *f = b->flex;
    const double *Om = v + 3;
    double u[3], *turned = b->bent->turned;
    place_of(x, f, turned, b->node, q + 7);
    dal_quat_to_matrix(x->R, q + 3);
    mb_gemv(x->ud, x->psi, 3, v + 6, f->n, 0);
    mb_gemv(x->udd, x->psi, 3, vd + 6, f->n, 0);
    if (f->g) {
        // u'' = (psi + g(z)) z'' + g(z') z'
        const size_t n3 = 3 * (size_t)f->n;
        const double *g = f->g + n3 * (size_t)f->n * (size_t)b->node;
        mb_gemv(turned + n3, g, 3 * f->n, v + 6, f->n, 0);
        mb_gemv(turned + 2 * n3, g, 3 * f->n, vd + 6, f->n, 0);
        x->gd = turned + n3;
        x->gdd = turned + 2 * n3;
        mb_gemv(x->udd, x->gd, 3, v + 6, f->n, 1);
    }
    mb_gemv(x->w, x->theta, 3, v + 6, f->n, 0);
    mb_gemv(x->wd, x->theta, 3, vd + 6, f->n, 0);
    mat3_mul_vec(x->om, x->D, 3, x->w);
    tmul3(x->W, x->E, Om);
    tmul3(x->Wd, x->E, vd + 3);
    // c = Omega' x s + Omega x (Omega x s + 2 u') + u''
    cross3(u, Om, x->s);
    axpy3(u, 2.0, x->ud);
    cross3(x->c, vd + 3, x->s);
    add_cross3(x->c, 1.0, Om, u);
    add3(x->c, x->c, x->udd);
}

static void node_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    local x;
    double u[3], y[3];
    local_at(&x, b, q, v, vd);
    // p = x + R s, p' = x' + R (Omega x s + u'), p'' = x'' + R c
    mat3_mul_vec(y, x.R, 3, x.s);
    add3(s->x, q, y);
    cross3(u, v + 3, x.s);
    add3(u, u, x.ud);
    mat3_mul_vec(y, x.R, 3, u);
    add3(s->xd, v, y);
    mat3_mul_vec(y, x.R, 3, x.c);
    add3(s->xdd, vd, y);
    // R E; E^T Omega + om; E^T Omega' + E^T Omega x om + D w' - g (t.w) om
    mat3_mul(s->R, 3, x.R, 3, x.E, 3);
    add3(s->Om, x.W, x.om);
    mat3_mul_vec(s->Omd, x.D, 3, x.wd);
    add3(s->Omd, s->Omd, x.Wd);
    add_cross3(s->Omd, 1.0, x.W, x.om);
    axpy3(s->Omd, -x.g * dot3(x.t, x.w), x.om);
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

/* H = d(D w)/dtheta = -g om t^T + g/2 w~ with om = D w */
static void bend(double H[9], const local *x, const double om[3], const double w[3])
{
    memset(H, 0, 9 * sizeof(double));
    add_outer(H, -x->g, om, x->t);
    add_tilde(H, 0.5 * x->g, w);
}

/* Rotational 3 x 3 factors of V, Aq, Av with respect to theta and theta', (FX.3). */
static void turn(double V[9], double Aq[9], double Av[9], const local *x)
{
    const double tw = x->g * dot3(x->t, x->w);
    double H[9], Hd[9], X[9], u[3], y[3];
    bend(H, x, x->om, x->w);
    tilde_mul(V, x->W, x->D);
    // Av: W~ D - g om t^T - g (t.w) D
    memcpy(Av, V, 9 * sizeof(double));
    add_outer(Av, -x->g, x->om, x->t);
    // Aq: (W'~ - om~ W~) D + W~ H + d(D w')/dtheta + om (g^2 (t.w) t - g/2 w)^T - g (t.w) H
    tilde_mul(Aq, x->Wd, x->D);
    tilde_mul(X, x->om, V);
    mat3_mul_vec(u, x->D, 3, x->wd);
    bend(Hd, x, u, x->wd);
    scale3(y, x->g * tw, x->t);
    axpy3(y, -0.5 * x->g, x->w);
    add_outer(Aq, 1.0, x->om, y);
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
static void modal_columns(double *L, int row, const double F[9], const double *shape, int n)
{
    for (int k = 0; k < n; ++k) {
        double u[3];
        mat3_mul_vec(u, F, 3, shape + 3 * (size_t)k);
        add3(L + row + 6 * (6 + k), L + row + 6 * (6 + k), u);
    }
}

/* What g adds to the rows of the position: V: R g(z'), Aq: R (2 Omega~ g(z') + g(z'')), Av: 2 R g(z') */
static void second_order_columns(mb_lift *L, const local *x, const double Om[3], int n)
{
    double X[9], R2[9];
    mul_tilde(X, 3, x->R, Om);
    for (int k = 0; k < 9; ++k) {
        X[k] *= 2.0;
        R2[k] = 2.0 * x->R[k];
    }
    modal_columns(L->V, 0, x->R, x->gd, n);
    modal_columns(L->Aq, 0, X, x->gd, n);
    modal_columns(L->Aq, 0, x->R, x->gdd, n);
    modal_columns(L->Av, 0, R2, x->gd, n);
}

/* S = [I, -R s~, R psi; 0, E^T, D Theta] */
static void node_map(double *S, const local *x, int nv)
{
    double X[9], u[3];
    memset(S, 0, (size_t)(6 * nv) * sizeof(double));
    S[0] = S[7] = S[14] = 1.0;
    scale3(u, -1.0, x->s);
    mul_tilde(S + 18, 6, x->R, u);
    transpose3(X, x->E);
    add_block(S, 6, 3, 3, X);
    modal_columns(S, 0, x->R, x->psi, nv - 6);
    modal_columns(S, 3, x->D, x->theta, nv - 6);
}

static void node_rates(mb_lift *L, const local *x, int n, const double *Om, const double *Omd)
{
    double X[9], Y[9], Z[9], u[3], y[3];
    // V: -R (Omega x s + u')~, R Omega~ psi; Aq: -R c~, R (Omega'~ + Omega~ Omega~) psi; Av: 2 R Omega~ psi
    cross3(u, Om, x->s);
    add3(u, u, x->ud);
    scale3(y, -1.0, u);
    mul_tilde(L->V + 18, 6, x->R, y);
    mul_tilde(X, 3, x->R, Om);
    modal_columns(L->V, 0, X, x->psi, n);
    scale3(y, -1.0, x->c);
    mul_tilde(L->Aq + 18, 6, x->R, y);
    mul_tilde(Y, 3, X, Om);
    mul_tilde(Z, 3, x->R, Omd);
    for (int k = 0; k < 9; ++k) {
        Y[k] += Z[k];
        X[k] *= 2.0;
    }
    modal_columns(L->Aq, 0, Y, x->psi, n);
    modal_columns(L->Av, 0, X, x->psi, n);
    // Av with Omega: -R ((Omega x s + 2 u')~ + Omega~ s~); -om~ E^T
    add3(u, u, x->ud);
    memset(X, 0, sizeof X);
    add_tilde(X, -1.0, u);
    add_tilde_tilde(X, 3, 0, 0, -1.0, Om, x->s);
    mat3_mul(Y, 3, x->R, 3, X, 3);
    add_block(L->Av, 6, 0, 3, Y);
    transpose3(X, x->E);
    tilde_mul(Y, x->om, X);
    for (int k = 0; k < 9; ++k) {
        Y[k] = -Y[k];
    }
    add_block(L->Av, 6, 3, 3, Y);
    if (x->gd) {
        second_order_columns(L, x, Om, n);
    }
    turn(X, Y, Z, x);
    modal_columns(L->V, 3, X, x->theta, n);
    modal_columns(L->Aq, 3, Y, x->theta, n);
    modal_columns(L->Av, 3, Z, x->theta, n);
}

static void node_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    local x;
    local_at(&x, b, q, v, vd);
    node_map(L->S, &x, b->nv);
    if (all) {
        mb_lift_clear(L, b->nv);
        node_rates(L, &x, b->flex->n, v + 3, vd + 3);
    }
}

/* d(S^T f)/dq with S^T f = (f1; s x R^T f1 + E f2; psi^T R^T f1 + Theta^T D^T f2) */
static void node_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    const mb_flex *flex = b->flex;
    const int n = flex->n, nv = 6 + n;
    double R[9], fb[3], X[9] = {0.0}, Y[9], Df[3], u[3];
    local x;
    place_of(&x, flex, b->bent->turned, b->node, q + 7);
    dal_quat_to_matrix(R, q + 3);
    tmul3(fb, R, f);
    add_tilde_tilde(N, nv, 3, 3, 1.0, x.s, fb);
    // theta with z: -fb~ psi - E f2~ D Theta
    scale3(u, -1.0, f + 3);
    mul_tilde(X, 3, x.E, u);
    mat3_mul(Y, 3, X, 3, x.D, 3);
    // z with z: Theta^T (-g (D^T f2) t^T - g/2 f2~) Theta
    tmul3(Df, x.D, f + 3);
    memset(X, 0, sizeof X);
    add_outer(X, -x.g, Df, x.t);
    add_tilde(X, -0.5 * x.g, f + 3);
    for (int k = 0; k < n; ++k) {
        const double *psi = x.psi + 3 * (size_t)k, *theta = x.theta + 3 * (size_t)k;
        double *column = N + (size_t)((6 + k) * nv);
        mat3_mul_vec(u, Y, 3, theta);
        add3(column + 3, column + 3, u);
        add_cross3(column + 3, -1.0, fb, psi);
        // z with theta: psi^T fb~
        cross3(u, psi, fb);
        for (int j = 0; j < 3; ++j) {
            N[6 + k + (3 + j) * nv] = u[j];
        }
        mat3_mul_vec(u, X, 3, theta);
        for (int l = 0; l < n; ++l) {
            column[6 + l] = dot3(x.theta + 3 * (size_t)l, u);
            if (flex->g) {
                column[6 + l] += dot3(flex->g + 3 * (size_t)(l + n * (k + n * b->node)), fb);
            }
        }
    }
}

const mb_body_type mb_body_node = {.name = "node",
                                   .element = &mb_element_node,
                                   .kind = DAL_FACTOR_R3SO3,
                                   .nq = 7,
                                   .nv = 6,
                                   .rotates = 1,
                                   .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
                                   .state = node_state,
                                   .lift = node_lift,
                                   .curvature = node_curvature,
                                   .quaternion = mb_quaternion_in_q};
