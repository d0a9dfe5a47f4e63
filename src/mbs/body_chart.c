/* Rigid bodies in linear coordinates: Euler parameters (with a row that keeps them normalised) and three angles. */
#include <math.h>
#include <stdio.h>

#include "mbs/compile_impl.h"

/* 6 x nv matrix with the identity on the translations */
static void unit_translation(double *S)
{
    S[0] = S[7] = S[14] = 1.0;
}

static void world_rotation(mb_state *s)
{
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

/* ---- Euler parameters p, of any length: R = R(p/|p|), Omega = S p', S = 2 G(p)/|p|^2 (MB.11) ------------ */

/* D += s G(p) in rows 3..5, columns 3..6; G(p) = (-e, p0 I - e~), so that G(p) w = -G(w) p */
static void add_G(double *D, double s, const double p[4])
{
    const double G[12] = {-p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0]};
    for (int j = 0; j < 4; ++j) {
        axpy3(D + 3 + (3 + j) * 6, s, G + 3 * j);
    }
}

/* D += s w p^T in the same place */
static void add_G_outer(double *D, double s, const double w[3], const double p[4])
{
    for (int j = 0; j < 4; ++j) {
        axpy3(D + 3 + (3 + j) * 6, s * p[j], w);
    }
}

/* y = s G(p) w */
static void G_times(double y[3], double s, const double p[4], const double w[4])
{
    double e[3];
    cross3(e, w + 1, p + 1);
    for (int i = 0; i < 3; ++i) {
        y[i] = s * (p[0] * w[1 + i] - w[0] * p[1 + i] + e[i]);
    }
}

static double square4(const double p[4])
{
    return p[0] * p[0] + dot3(p + 1, p + 1);
}

static double dot4(const double p[4], const double w[4])
{
    return p[0] * w[0] + dot3(p + 1, w + 1);
}

static void euler_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    (void)b;
    const double rate[4] = {0.0, 0.5 * d->angular_velocity[0], 0.5 * d->angular_velocity[1],
                            0.5 * d->angular_velocity[2]};
    copy3(q, d->position);
    memcpy(q + 3, d->rotation, 4 * sizeof(double));
    copy3(v, d->velocity);
    dal_quat_mul(v + 3, d->rotation, rate);
}

static void euler_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    const double *p = q + 3, n2 = square4(p), n = sqrt(n2);
    const double unit[4] = {p[0] / n, p[1] / n, p[2] / n, p[3] / n};
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    dal_quat_to_matrix(s->R, unit);
    // Omega = 2 G p'/|p|^2, Omega' = 2 G p''/|p|^2 - 2 (p.p')/|p|^2 Omega
    G_times(s->Om, 2.0 / n2, p, v + 3);
    G_times(s->Omd, 2.0 / n2, p, vd + 3);
    axpy3(s->Omd, -2.0 * dot4(p, v + 3) / n2, s->Om);
    world_rotation(s);
}

static void euler_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    const double *p = q + 3, *w = v + 3, *a = vd + 3, n2 = square4(p), pw = dot4(p, w);
    double Om[3], Ga[3];
    G_times(Om, 2.0 / n2, p, w);
    G_times(Ga, 2.0 / n2, p, a);
    mb_lift_clear(L, b->nv);
    unit_translation(L->S);
    add_G(L->S, 2.0 / n2, p);
    // V = -2 G(p')/|p|^2 - 2 Omega p^T/|p|^2
    add_G(L->V, -2.0 / n2, w);
    add_G_outer(L->V, -2.0 / n2, Om, p);
    // Av = -2/|p|^2 (Omega p^T + (p.p') S)
    add_G_outer(L->Av, -2.0 / n2, Om, p);
    add_G(L->Av, -4.0 * pw / (n2 * n2), p);
    // Aq = -2 G(p'')/|p|^2 - 2 (S p'') p^T/|p|^2 - 2 Omega p'^T/|p|^2 - 2 (p.p')/|p|^2 (V - 2 Omega p^T/|p|^2)
    add_G(L->Aq, -2.0 / n2, a);
    add_G_outer(L->Aq, -2.0 / n2, Ga, p);
    add_G_outer(L->Aq, -2.0 / n2, Om, w);
    add_G(L->Aq, 4.0 * pw / (n2 * n2), w);
    add_G_outer(L->Aq, 8.0 * pw / (n2 * n2), Om, p);
}

/* d(2 G(p)^T f/|p|^2) = 2/|p|^2 (N(f) dp - (G^T f) 2 p.dp/|p|^2), N(f) = [[0, -f^T], [f, -f~]] */
static void euler_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    const double *p = q + 3, *y = f + 3, n2 = square4(p), s = 2.0 / n2;
    const double n[16] = {0.0,   y[0], y[1], y[2],  -y[0], 0.0,   -y[2], y[1],
                          -y[1], y[2], 0.0,  -y[0], -y[2], -y[1], y[0],  0.0}; // columns
    double Gf[4] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 16; ++k) {
        Gf[k % 4] += n[k] * p[k / 4]; // G(p)^T f = N(f) p
    }
    memset(N, 0, 49 * sizeof(double));
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            N[3 + i + (3 + j) * 7] = s * (n[i + 4 * j] - s * Gf[i] * p[j]);
        }
    }
}

const mb_body_type mb_body_euler = {.name = "euler_parameters",
                                    .kind = DAL_RN,
                                    .n = 7,
                                    .nq = 7,
                                    .nv = 7,
                                    .rotates = 1,
                                    .velocity = {"x", "y", "z", "p0", "p1", "p2", "p3"},
                                    .initial = euler_initial,
                                    .state = euler_state,
                                    .lift = euler_lift,
                                    .curvature = euler_curvature,
                                    .quaternion = mb_quaternion_in_q};

/* Row (p.p - 1)/2 in the coordinates of the body itself. */
static void norm_residual(const mb_constraint *c, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_body *b = &m->body[c->marker[1].body];
    const double *p = at->q + b->q + 3, *w = at->v + b->v + 3, *a = at->vd + b->v + 3;
    if (out->Phi) {
        out->Phi[c->row0] = 0.5 * (square4(p) - 1.0);
    }
    if (out->vel) {
        out->vel[c->row0] = dot4(p, w);
    }
    if (out->acc) {
        out->acc[c->row0] = dot4(p, a) + square4(w);
    }
    for (int i = 0; i < 4 && out->r; ++i) {
        out->r[b->v + 3 + i] += p[i] * at->la[c->row0];
    }
}

static void norm_tangent(const mb_constraint *c, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = &m->body[c->marker[1].body];
    double B[MB_NV] = {0.0}, Z[MB_NV] = {0.0}, K[MB_NV * MB_NV] = {0.0};
    for (int i = 3; i < 7; ++i) {
        B[i] = at->q[b->q + i];
        Z[i] = at->v[b->v + i];
        K[8 * i] = at->la[c->row0];
    }
    sink->link(sink, c->link[1], B, Z);
    if (sink->wants & DAL_WANT_K) {
        sink->pair(sink, b->pair, NULL, NULL, K);
    }
}

static void norm_acceleration(const mb_constraint *c, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    // p.p'' + p'.p'
    const mb_body *b = &m->body[c->marker[1].body];
    double Aq[MB_NV] = {0.0}, Av[MB_NV] = {0.0};
    for (int i = 3; i < 7; ++i) {
        Aq[i] = at->vd[b->v + i];
        Av[i] = 2.0 * at->v[b->v + i];
    }
    sink->link_acc(sink, c->link[1], Aq, Av);
}

const mb_constraint_type mb_constraint_norm = {norm_residual, norm_tangent, norm_acceleration};

/* ---- three angles about the axes of a sequence: R = R_i(a1) R_j(a2) R_k(a3) ------------------------- */

/* Columns s_m of Omega = sum s_m a_m' in body axes; ds_m/da_n = s_m x s_n for n > m, else 0 (MB.12). */
static void angle_axes(double s[9], const int axis[3], const double a[3])
{
    memset(s, 0, 9 * sizeof(double));
    for (int m = 0; m < 3; ++m) {
        s[3 * m + axis[m]] = 1.0;
        for (int n = m + 1; n < 3; ++n) {
            // turn back by a_n about axis n
            const int j = (axis[n] + 1) % 3, k = (axis[n] + 2) % 3;
            const double c = cos(a[n]), d = sin(a[n]), x = s[3 * m + j], y = s[3 * m + k];
            s[3 * m + j] = c * x + d * y;
            s[3 * m + k] = c * y - d * x;
        }
    }
}

static void angle_quaternion(double p[4], const int axis[3], const double a[3])
{
    double x[4], y[4];
    p[0] = 1.0;
    p[1] = p[2] = p[3] = 0.0;
    for (int m = 0; m < 3; ++m) {
        const double unit[4] = {0.0, axis[m] == 0, axis[m] == 1, axis[m] == 2}, d = sin(0.5 * a[m]);
        x[0] = cos(0.5 * a[m]);
        scale3(x + 1, d, unit + 1);
        dal_quat_mul(y, p, x);
        memcpy(p, y, sizeof y);
    }
}

static void angle_rotation(double R[9], const int axis[3], const double a[3])
{
    double p[4];
    angle_quaternion(p, axis, a);
    dal_quat_to_matrix(R, p);
}

static void cardan_quaternion(double p[4], const mb_body *b, const double *q)
{
    angle_quaternion(p, b->axis, q + 3);
}

/* Angles from R for a sequence of three different axes (Cardan) or with the first axis repeated (Euler). */
void mb_angles_from_matrix(double a[3], const double R[9], const int axis[3])
{
    const int i = axis[0], j = axis[1], sign = (j - i + 3) % 3 == 1 ? 1 : -1, k = 3 - i - j;
    const double e = sign;
    // R[r + 3 c] is row r, column c
    if (axis[2] != i) {
        a[1] = asin(fmax(-1.0, fmin(1.0, e * R[i + 3 * k])));
        a[0] = atan2(-e * R[j + 3 * k], R[k + 3 * k]);
        a[2] = atan2(-e * R[i + 3 * j], R[i + 3 * i]);
    } else {
        a[1] = acos(fmax(-1.0, fmin(1.0, R[i + 3 * i])));
        a[0] = atan2(R[j + 3 * i], -e * R[k + 3 * i]);
        a[2] = atan2(R[i + 3 * j], e * R[i + 3 * k]);
    }
}

static void cardan_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double R[9], s[9], Si[9];
    copy3(q, d->position);
    copy3(v, d->velocity);
    dal_quat_to_matrix(R, d->rotation);
    mb_angles_from_matrix(q + 3, R, b->axis);
    // a' = S^-1 Omega
    angle_axes(s, b->axis, q + 3);
    mat3_invert(Si, 3, s, 3);
    mat3_mul_vec(v + 3, Si, 3, d->angular_velocity);
}

static void cardan_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    double S[9];
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    angle_rotation(s->R, b->axis, q + 3);
    angle_axes(S, b->axis, q + 3);
    mat3_mul_vec(s->Om, S, 3, v + 3);
    mat3_mul_vec(s->Omd, S, 3, vd + 3);
    for (int m = 0; m < 3; ++m) {
        for (int n = m + 1; n < 3; ++n) {
            add_cross3(s->Omd, v[3 + m] * v[3 + n], S + 3 * m, S + 3 * n);
        }
    }
    world_rotation(s);
}

/* D += d(s_m x s_n)/da_k x, all k; column k of the rotation part is at D + 3 + (3 + k) 6 */
static void add_second(double *D, double x, const double *s, int m, int n)
{
    for (int k = m + 1; k < 3; ++k) {
        double u[3], *to = D + 3 + (3 + k) * 6;
        cross3(u, s + 3 * m, s + 3 * k);
        add_cross3(to, x, u, s + 3 * n);
        if (k > n) {
            cross3(u, s + 3 * n, s + 3 * k);
            add_cross3(to, x, s + 3 * m, u);
        }
    }
}

static void cardan_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    double s[9];
    const double *w = v + 3, *a = vd + 3;
    angle_axes(s, b->axis, q + 3);
    mb_lift_clear(L, b->nv);
    unit_translation(L->S);
    add_block(L->S, 6, 3, 3, s);
    for (int m = 0; m < 3; ++m) {
        for (int n = m + 1; n < 3; ++n) {
            double u[3];
            cross3(u, s + 3 * m, s + 3 * n);
            axpy3(L->V + 3 + (3 + n) * 6, w[m], u);
            axpy3(L->Av + 3 + (3 + m) * 6, w[n], u);
            axpy3(L->Av + 3 + (3 + n) * 6, w[m], u);
            axpy3(L->Aq + 3 + (3 + n) * 6, a[m], u);
            add_second(L->Aq, w[m] * w[n], s, m, n);
        }
    }
}

static void cardan_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    double s[9], u[3];
    angle_axes(s, b->axis, q + 3);
    memset(N, 0, 36 * sizeof(double));
    for (int m = 0; m < 3; ++m) {
        for (int n = m + 1; n < 3; ++n) {
            cross3(u, s + 3 * m, s + 3 * n);
            N[3 + m + (3 + n) * 6] = dot3(u, f + 3);
        }
    }
}

static double cardan_regular(const mb_body *b, const double *q)
{
    // the first and the last axis are parallel where this vanishes
    return fabs(b->axis[2] == b->axis[0] ? sin(q[4]) : cos(q[4]));
}

const mb_body_type mb_body_cardan = {.name = "cardan",
                                     .kind = DAL_RN,
                                     .n = 6,
                                     .nq = 6,
                                     .nv = 6,
                                     .rotates = 1,
                                     .velocity = {"x", "y", "z", "a1", "a2", "a3"},
                                     .initial = cardan_initial,
                                     .state = cardan_state,
                                     .lift = cardan_lift,
                                     .curvature = cardan_curvature,
                                     .regular = cardan_regular,
                                     .quaternion = cardan_quaternion};

/* ---- gimbal lock ------------------------------------------------------------------------------ */

int mb_has_singular_coordinates(const dal_model *m)
{
    int b = 1;
    while (b < m->body_names.n && !m->body[b].type->regular) {
        ++b;
    }
    return b < m->body_names.n;
}

/* The worst of all bodies. */
double mb_coordinates(char *buffer, size_t size, const double *q, const void *user)
{
    const dal_model *m = user;
    double worst = 1.0;
    for (int b = 1; b < m->body_names.n; ++b) {
        const mb_body *body = &m->body[b];
        const double regular = body->type->regular ? body->type->regular(body, q + body->q) : 1.0;
        if (regular < worst) {
            worst = regular;
            snprintf(
                buffer, size,
                "gimbal lock of body '%s': its three angles do not describe all rotations here. Choose another type "
                "(r3so3, se3, euler_parameters) or another sequence of angles",
                m->body_names.name[b]);
        }
    }
    return worst;
}
