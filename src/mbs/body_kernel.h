/* States and lifts of rigid bodies: y = S v of (MB.2) with its derivatives V, Aq, Av (all 6 x nv, the zeros already there).
 * N: d(S^T f)/dq. */
#ifndef DAL_MBS_BODY_KERNEL_H
#define DAL_MBS_BODY_KERNEL_H

#include "lie/so3_kernel.h"
#include "mbs/pairing_kernel.h"

static inline void body_rotation(mb_state *s, const real *Om, const real *Omd)
{
    copy3(s->Om, Om);
    copy3(s->Omd, Omd);
    mat3_mul_vec(s->om, s->R, 3, Om);
    mat3_mul_vec(s->al, s->R, 3, Omd);
}

static inline void body_r3so3(mb_state *s, const real *q, const real *v, const real *vd)
{
    copy3(s->x, q);
    quat_matrix(s->R, q + 3);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    body_rotation(s, v + 3, vd + 3);
}

static inline void body_se3(mb_state *s, const real *q, const real *v, const real *vd)
{
    real w[3];
    copy3(s->x, q);
    quat_matrix(s->R, q + 3);
    body_rotation(s, v + 3, vd + 3);
    // x' = R U, x'' = R (U' + Omega x U)
    mat3_mul_vec(s->xd, s->R, 3, v);
    cross3(w, v + 3, v);
    add3(w, w, vd);
    mat3_mul_vec(s->xdd, s->R, 3, w);
}

/* V, Aq, Av */
static inline void lift_se3_rates(real *V, real *Aq, real *Av, const real R[9], const real *v, const real *vd)
{
    real X[9], w[3], minus[3];
    // d(R U) = -R U~ dtheta
    scale3(minus, REAL(-1.0), v);
    mul_tilde(X, 3, R, minus);
    add_block(V, 6, 0, 3, X);
    add_block(Av, 6, 0, 3, X);
    // d(R (U' + Omega x U))
    mul_tilde(X, 3, R, v + 3);
    add_block(Av, 6, 0, 0, X);
    cross3(w, v, v + 3);
    sub3(w, w, vd);
    mul_tilde(X, 3, R, w);
    add_block(Aq, 6, 0, 3, X);
}

static inline void lift_se3(real *S, real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    real R[9];
    quat_matrix(R, q + 3);
    add_block(S, 6, 0, 0, R);
    S[21] = S[28] = S[35] = REAL(1.0);
    lift_se3_rates(V, Aq, Av, R, v, vd);
}

/* d(R^T f) = (R^T f)~ dtheta */
static inline void curvature_se3(real *N, const real *q, const real f[6])
{
    real R[9], fb[3], X[9];
    memset(X, 0, sizeof X);
    quat_matrix(R, q + 3);
    tmul3(fb, R, f);
    add_tilde(X, REAL(1.0), fb);
    memset(N, 0, 36 * sizeof(real));
    add_block(N, 6, 0, 3, X);
}

/* 6 x nv matrix with the identity on the translations */
static inline void body_unit_translation(real *S)
{
    S[0] = S[7] = S[14] = REAL(1.0);
}

static inline void body_world_rotation(mb_state *s)
{
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

/* D += s G(p) in rows 3..5, columns 3..6; G(p) = (-e, p0 I - e~), so that G(p) w = -G(w) p */
static inline void body_add_G(real *D, real s, const real p[4])
{
    const real G[12] = {-p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0]};
    for (int j = 0; j < 4; ++j) {
        axpy3(D + 3 + (3 + j) * 6, s, G + 3 * j);
    }
}

/* D += s w p^T in the same place */
static inline void body_add_G_outer(real *D, real s, const real w[3], const real p[4])
{
    for (int j = 0; j < 4; ++j) {
        axpy3(D + 3 + (3 + j) * 6, s * p[j], w);
    }
}

/* y = s G(p) w */
static inline void body_G_times(real y[3], real s, const real p[4], const real w[4])
{
    real e[3];
    cross3(e, w + 1, p + 1);
    for (int i = 0; i < 3; ++i) {
        y[i] = s * (p[0] * w[1 + i] - w[0] * p[1 + i] + e[i]);
    }
}

static inline real body_square4(const real p[4])
{
    return p[0] * p[0] + dot3(p + 1, p + 1);
}

static inline real body_dot4(const real p[4], const real w[4])
{
    return p[0] * w[0] + dot3(p + 1, w + 1);
}

static inline void body_euler(mb_state *s, const real *q, const real *v, const real *vd)
{
    const real *p = q + 3, n2 = body_square4(p), n = real_sqrt(n2);
    const real unit[4] = {p[0] / n, p[1] / n, p[2] / n, p[3] / n};
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    quat_matrix(s->R, unit);
    // Omega = 2 G p'/|p|^2, Omega' = 2 G p''/|p|^2 - 2 (p.p')/|p|^2 Omega
    body_G_times(s->Om, 2.0 / n2, p, v + 3);
    body_G_times(s->Omd, 2.0 / n2, p, vd + 3);
    axpy3(s->Omd, -2.0 * body_dot4(p, v + 3) / n2, s->Om);
    body_world_rotation(s);
}

static inline void lift_euler_map(real *S, const real *q)
{
    const real *p = q + 3, n2 = body_square4(p);
    body_unit_translation(S);
    body_add_G(S, 2.0 / n2, p);
}

static inline void lift_euler_rates(real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    const real *p = q + 3, *w = v + 3, *a = vd + 3, n2 = body_square4(p), pw = body_dot4(p, w);
    real Om[3], Ga[3];
    body_G_times(Om, 2.0 / n2, p, w);
    body_G_times(Ga, 2.0 / n2, p, a);
    // V = -2 G(p')/|p|^2 - 2 Omega p^T/|p|^2
    body_add_G(V, -2.0 / n2, w);
    body_add_G_outer(V, -2.0 / n2, Om, p);
    // Av = -2/|p|^2 (Omega p^T + (p.p') S)
    body_add_G_outer(Av, -2.0 / n2, Om, p);
    body_add_G(Av, -4.0 * pw / (n2 * n2), p);
    // Aq = -2 G(p'')/|p|^2 - 2 (S p'') p^T/|p|^2 - 2 Omega p'^T/|p|^2 - 2 (p.p')/|p|^2 (V - 2 Omega p^T/|p|^2)
    body_add_G(Aq, -2.0 / n2, a);
    body_add_G_outer(Aq, -2.0 / n2, Ga, p);
    body_add_G_outer(Aq, -2.0 / n2, Om, w);
    body_add_G(Aq, 4.0 * pw / (n2 * n2), w);
    body_add_G_outer(Aq, 8.0 * pw / (n2 * n2), Om, p);
}

static inline void lift_euler(real *S, real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    lift_euler_map(S, q);
    lift_euler_rates(V, Aq, Av, q, v, vd);
}

/* N(f) of G(p)^T f = N(f) p = [[0, -f^T], [f, -f~]] p, by columns */
static inline void body_N(real n[16], const real y[3])
{
    const real o = REAL(0.0);
    const real N[16] = {o, y[0], y[1], y[2], -y[0], o, -y[2], y[1], -y[1], y[2], o, -y[0], -y[2], -y[1], y[0], o};
    memcpy(n, N, sizeof N);
}

/* d(2 G(p)^T f/|p|^2) = 2/|p|^2 (N(f) dp - (G^T f) 2 p.dp/|p|^2) */
static inline void curvature_euler(real *N, const real *q, const real f[6])
{
    const real *p = q + 3, n2 = body_square4(p), s = 2.0 / n2;
    real n[16], Gf[4] = {REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0)};
    body_N(n, f + 3);
    for (int k = 0; k < 16; ++k) {
        Gf[k % 4] += n[k] * p[k / 4]; // G(p)^T f = N(f) p
    }
    memset(N, 0, 49 * sizeof(real));
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            N[3 + i + (3 + j) * 7] = s * (n[i + 4 * j] - s * Gf[i] * p[j]);
        }
    }
}

/* The same as in textbooks: R(p), Omega = 2 G p', Omega' = 2 G p'' whatever the length of p (EP.4). */
static inline void body_textbook(mb_state *s, const real *q, const real *v, const real *vd)
{
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    quat_matrix(s->R, q + 3);
    body_G_times(s->Om, REAL(2.0), q + 3, v + 3);
    body_G_times(s->Omd, REAL(2.0), q + 3, vd + 3);
    body_world_rotation(s);
}

static inline void lift_textbook_map(real *S, const real *q)
{
    body_unit_translation(S);
    body_add_G(S, REAL(2.0), q + 3);
}

static inline void lift_textbook_rates(real *V, real *Aq, const real *v, const real *vd)
{
    body_add_G(V, REAL(-2.0), v + 3); // G(p) w = -G(w) p
    body_add_G(Aq, REAL(-2.0), vd + 3);
}

static inline void lift_textbook(real *S, real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    (void)Av;
    lift_textbook_map(S, q);
    lift_textbook_rates(V, Aq, v, vd);
}

static inline void curvature_textbook(real *N, const real *q, const real f[6])
{
    real n[16];
    (void)q;
    body_N(n, f + 3);
    memset(N, 0, 49 * sizeof(real));
    for (int k = 0; k < 16; ++k) {
        N[3 + k % 4 + (3 + k / 4) * 7] = 2.0 * n[k];
    }
}

/* Cosines and sines of three angles. */
typedef struct body_angles {
    real c[3], d[3];
} body_angles;

static inline body_angles body_angles_of(const real a[3])
{
    body_angles t;
    for (int m = 0; m < 3; ++m) {
        t.c[m] = real_cos(a[m]);
        t.d[m] = real_sin(a[m]);
    }
    return t;
}

/* Columns s_m of Omega = sum s_m a_m' in body axes; ds_m/da_n = s_m x s_n for n > m, else 0 (MB.12). */
static inline void body_turned_axes(real s[9], const int axis[3], const body_angles *t)
{
    memset(s, 0, 9 * sizeof(real));
    for (int m = 0; m < 3; ++m) {
        s[3 * m + axis[m]] = REAL(1.0);
        for (int n = m + 1; n < 3; ++n) {
            // turn back by a_n about axis n
            const int j = axis[n] < 2 ? axis[n] + 1 : 0, k = j < 2 ? j + 1 : 0;
            const real c = t->c[n], d = t->d[n], x = s[3 * m + j], y = s[3 * m + k];
            s[3 * m + j] = c * x + d * y;
            s[3 * m + k] = c * y - d * x;
        }
    }
}

static inline void body_angle_axes(real s[9], const int axis[3], const real a[3])
{
    const body_angles t = body_angles_of(a);
    body_turned_axes(s, axis, &t);
}

/* R = R_i(a1) R_j(a2) R_k(a3) from the columns s and n = s_1 x s_2: rows i and j of R_j R_k are s_1 and s_2, and the third
 * follows; R_i turns rows j and the third. */
static inline void body_angle_matrix(real R[9], const int axis[3], real c, real d, const real s[9], const real n[3])
{
    const int x = axis[0], y = x < 2 ? x + 1 : 0, z = y < 2 ? y + 1 : 0, forward = axis[1] == y;
    for (int k = 0; k < 3; ++k) {
        const real u = forward ? s[3 + k] : -n[k], w = forward ? n[k] : s[3 + k];
        R[x + 3 * k] = s[k];
        R[y + 3 * k] = c * u - d * w;
        R[z + 3 * k] = d * u + c * w;
    }
}

static inline void body_angle_quaternion(real p[4], const int axis[3], const real a[3])
{
    real x[4], y[4];
    p[0] = REAL(1.0);
    p[1] = p[2] = p[3] = REAL(0.0);
    for (int m = 0; m < 3; ++m) {
        const real unit[3] = {REAL(axis[m] == 0), REAL(axis[m] == 1), REAL(axis[m] == 2)};
        x[0] = real_cos(0.5 * a[m]);
        scale3(x + 1, real_sin(0.5 * a[m]), unit);
        quat_mul(y, p, x);
        memcpy(p, y, sizeof y);
    }
}

/* S: the columns s_m. */
static inline void body_cardan_axes(mb_state *s, real S[9], const int axis[3], const real *q, const real *v,
                                    const real *vd)
{
    const body_angles t = body_angles_of(q + 3);
    real n[3];
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    body_turned_axes(S, axis, &t);
    cross3(n, S, S + 3);
    body_angle_matrix(s->R, axis, t.c[0], t.d[0], S, n);
    mat3_mul_vec(s->Om, S, 3, v + 3);
    mat3_mul_vec(s->Omd, S, 3, vd + 3);
    axpy3(s->Omd, v[3] * v[4], n);
    add_cross3(s->Omd, v[3] * v[5], S, S + 6);
    add_cross3(s->Omd, v[4] * v[5], S + 3, S + 6);
    body_world_rotation(s);
}

static inline void body_cardan(mb_state *s, const int axis[3], const real *q, const real *v, const real *vd)
{
    real S[9];
    body_cardan_axes(s, S, axis, q, v, vd);
}

/* D += d(s_m x s_n)/da_k x, all k; column k of the rotation part is at D + 3 + (3 + k) 6 */
static inline void body_add_second(real *D, real x, const real *s, int m, int n)
{
    for (int k = m + 1; k < 3; ++k) {
        real u[3], *to = D + 3 + (3 + k) * 6;
        cross3(u, s + 3 * m, s + 3 * k);
        add_cross3(to, x, u, s + 3 * n);
        if (k > n) {
            cross3(u, s + 3 * n, s + 3 * k);
            add_cross3(to, x, s + 3 * m, u);
        }
    }
}

/* V, Aq, Av from the columns s. */
static inline void lift_cardan_rates(real *V, real *Aq, real *Av, const real s[9], const real *v, const real *vd)
{
    const real *w = v + 3, *a = vd + 3;
    for (int m = 0; m < 3; ++m) {
        for (int n = m + 1; n < 3; ++n) {
            real u[3];
            cross3(u, s + 3 * m, s + 3 * n);
            axpy3(V + 3 + (3 + n) * 6, w[m], u);
            axpy3(Av + 3 + (3 + m) * 6, w[n], u);
            axpy3(Av + 3 + (3 + n) * 6, w[m], u);
            axpy3(Aq + 3 + (3 + n) * 6, a[m], u);
            body_add_second(Aq, w[m] * w[n], s, m, n);
        }
    }
}

static inline void lift_cardan(real *S, real *V, real *Aq, real *Av, const int axis[3], const real *q, const real *v,
                               const real *vd)
{
    real s[9];
    body_angle_axes(s, axis, q + 3);
    body_unit_translation(S);
    add_block(S, 6, 3, 3, s);
    lift_cardan_rates(V, Aq, Av, s, v, vd);
}

static inline void curvature_cardan(real *N, const int axis[3], const real *q, const real f[6])
{
    real s[9], u[3];
    body_angle_axes(s, axis, q + 3);
    memset(N, 0, 36 * sizeof(real));
    for (int m = 0; m < 3; ++m) {
        for (int n = m + 1; n < 3; ++n) {
            cross3(u, s + 3 * m, s + 3 * n);
            N[3 + m + (3 + n) * 6] = dot3(u, f + 3);
        }
    }
}

/* At rest at the origin. */
static inline void body_at_rest(mb_state *s)
{
    memset(s, 0, sizeof *s);
    s->R[0] = s->R[4] = s->R[8] = REAL(1.0);
}

static inline void body_point(mb_state *s, const real *q, const real *v, const real *vd)
{
    body_at_rest(s);
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
}

/* Position, rotation and angular motion, the same in both descriptions. */
static inline void body_planar_pose(mb_state *s, const real *q, real omega, real alpha)
{
    const real c = real_cos(q[2]), d = real_sin(q[2]);
    body_at_rest(s);
    s->x[0] = q[0];
    s->x[1] = q[1];
    s->R[0] = s->R[4] = c;
    s->R[1] = d;
    s->R[3] = -d;
    s->Om[2] = s->om[2] = omega;
    s->Omd[2] = s->al[2] = alpha;
}

static inline void body_planar(mb_state *s, const real *q, const real *v, const real *vd)
{
    body_planar_pose(s, q, v[2], vd[2]);
    s->xd[0] = v[0];
    s->xd[1] = v[1];
    s->xdd[0] = vd[0];
    s->xdd[1] = vd[1];
}

static inline void body_se2(mb_state *s, const real *q, const real *v, const real *vd)
{
    body_planar_pose(s, q, v[2], vd[2]);
    // x'' = R (U' + phi' e_z x U)
    const real U[3] = {v[0], v[1], REAL(0.0)}, W[3] = {vd[0] - v[2] * v[1], vd[1] + v[2] * v[0], REAL(0.0)};
    mat3_mul_vec(s->xd, s->R, 3, U);
    mat3_mul_vec(s->xdd, s->R, 3, W);
}

/* From the rotation, whose first columns are the axes e_x and e_y. */
static inline void lift_se2_map(real *S, const real R[9])
{
    copy3(S, R);
    copy3(S + 6, R + 3);
    S[17] = REAL(1.0);
}

static inline void lift_se2_rates(real *V, real *Aq, real *Av, const real R[9], const real *v, const real *vd)
{
    const real *ex = R, *ey = R + 3, om = v[2];
    // turning by dphi: R e_z x U = -U_y e_x + U_x e_y
    axpy3(V + 12, -v[1], ex);
    axpy3(V + 12, v[0], ey);
    axpy3(Aq + 12, -(vd[1] + om * v[0]), ex);
    axpy3(Aq + 12, vd[0] - om * v[1], ey);
    axpy3(Av, om, ey);
    axpy3(Av + 6, -om, ex);
    copy3(Av + 12, V + 12);
}

static inline void lift_se2(real *S, real *V, real *Aq, real *Av, const real *q, const real *v, const real *vd)
{
    const real c = real_cos(q[2]), d = real_sin(q[2]), o = REAL(0.0), R[9] = {c, d, o, -d, c, o, o, o, REAL(1.0)};
    lift_se2_map(S, R);
    lift_se2_rates(V, Aq, Av, R, v, vd);
}

/* d(R^T f) = -e_z x R^T f dphi */
static inline void curvature_se2(real *N, const real *q, const real f[6])
{
    const real c = real_cos(q[2]), d = real_sin(q[2]);
    memset(N, 0, 9 * sizeof(real));
    N[6] = -d * f[0] + c * f[1];
    N[7] = -c * f[0] - d * f[1];
}

#endif
