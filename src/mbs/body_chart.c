/* Rigid bodies in linear coordinates: Euler parameters (with a row that keeps them normalised) and three angles. */
#include <math.h>
#include <stdio.h>

#include "mbs/body_kernel.h"
#include "mbs/compile_impl.h"
#include "mbs/turn_kernel.h"

/* ---- Euler parameters p, of any length: R = R(p/|p|), Omega = S p', S = 2 G(p)/|p|^2 (MB.11) ------------ */

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

MB_STATE_OF(body_euler)

static void euler_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    memset(L->S, 0, (size_t)(6 * b->nv) * sizeof(double));
    lift_euler_map(L->S, q);
    if (all) {
        mb_lift_clear(L, b->nv);
        lift_euler_rates(L->V, L->Aq, L->Av, q, v, vd);
    }
}

/* d(2 G(p)^T f/|p|^2) = 2/|p|^2 (N(f) dp - (G^T f) 2 p.dp/|p|^2), N(f) = [[0, -f^T], [f, -f~]] */
MB_CURVATURE_OF(curvature_euler)

/* Row (p.p - 1)/2 in the coordinates of the body itself. */
static void norm_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    const mb_body *b = &m->body[c->marker[1].body];
    const double *p = at->q + b->q + 3, *w = at->v + b->v + 3, *a = at->vd + b->v + 3;
    if (out->Phi) {
        out->Phi[c->row0] = 0.5 * (body_square4(p) - 1.0);
    }
    if (out->vel) {
        out->vel[c->row0] = body_dot4(p, w);
    }
    if (out->acc) {
        out->acc[c->row0] = body_dot4(p, a) + body_square4(w);
    }
    for (int i = 0; i < 4 && out->r; ++i) {
        out->r[b->v + 3 + i] += p[i] * at->la[c->row0];
    }
}

static void norm_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
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

static void norm_acceleration(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    // p.p'' + p'.p'
    const mb_body *b = &m->body[c->marker[1].body];
    double Aq[MB_NV] = {0.0}, Av[MB_NV] = {0.0};
    for (int i = 3; i < 7; ++i) {
        Aq[i] = at->vd[b->v + i];
        Av[i] = 2.0 * at->v[b->v + i];
    }
    sink->link_acc(sink, c->link[1], Aq, Av);
}

static void norm_name(char *buffer, size_t size, const void *self, const dal_model *m, int row)
{
    (void)row;
    snprintf(buffer, size, "body '%s': normalisation", m->body_names.name[((const mb_constraint *)self)->body[1]]);
}

const mb_element_type mb_constraint_norm = {.form = MB_FORM_NORM,
                                            .residual = norm_residual,
                                            .tangent = norm_tangent,
                                            .acceleration = norm_acceleration,
                                            .row_name = norm_name};

static dal_status add_norm(dal_model *m, int body)
{
    const mb_constraint c = {.type = &mb_constraint_norm,
                             .joint = -1,
                             .force = -1,
                             .nsides = 2,
                             .nrows = 1,
                             .body = {0, body},
                             .marker = {{.body = 0}, {.body = body}}};
    return mb_add_constraint(m, &c);
}

const mb_body_type mb_body_euler = {.name = "euler_parameters",
                                    .chart = MB_CHART_EULER,
                                    .about =
                                        MB_ABOUT_RIGID("A quaternion of length one as coordinates, with a constraint."),
                                    .element = &mb_element_lifted,
                                    .kind = DAL_FACTOR_RN,
                                    .n = 7,
                                    .nq = 7,
                                    .nv = 7,
                                    .rotates = 1,
                                    .velocity = {"x", "y", "z", "p0", "p1", "p2", "p3"},
                                    .initial = euler_initial,
                                    .state = body_euler_of,
                                    .lift = euler_lift,
                                    .curvature = curvature_euler_of,
                                    .quaternion = mb_quaternion_in_q,
                                    .build = add_norm};

/* ---- Euler parameters as in textbooks: Omega = 2 G(p) p' whatever the length of p (EP.4) ------------------- */

static void textbook_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    body_textbook(s, q, v, vd);
}

static void textbook_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    memset(L->S, 0, (size_t)(6 * b->nv) * sizeof(double));
    lift_textbook_map(L->S, q);
    if (all) {
        mb_lift_clear(L, b->nv);
        lift_textbook_rates(L->V, L->Aq, v, vd);
    }
}

static void textbook_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    curvature_textbook(N, q, f);
}

const mb_body_type mb_body_textbook = {
    .name = "euler_parameters_textbook",
    .chart = MB_CHART_TEXTBOOK,
    .about = MB_ABOUT_RIGID("As `euler_parameters`, with the equations of textbooks and papers, for comparisons: with "
                            "index3 their length is held at the level of positions only, and fast spin blows up."),
    .element = &mb_element_lifted,
    .kind = DAL_FACTOR_RN,
    .n = 7,
    .nq = 7,
    .nv = 7,
    .rotates = 1,
    .velocity = {"x", "y", "z", "p0", "p1", "p2", "p3"},
    .initial = euler_initial,
    .state = textbook_state,
    .lift = textbook_lift,
    .curvature = textbook_curvature,
    .quaternion = mb_quaternion_in_q,
    .build = add_norm};

/* ---- three angles about the axes of a sequence: R = R_i(a1) R_j(a2) R_k(a3) ------------------------- */

static void cardan_quaternion(double p[4], const mb_body *b, const double *q)
{
    body_angle_quaternion(p, b->axis, q + 3);
}

static void cardan_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double R[9], s[9], Si[9];
    copy3(q, d->position);
    copy3(v, d->velocity);
    dal_quat_to_matrix(R, d->rotation);
    turn_angles(q + 3, R, b->axis);
    // a' = S^-1 Omega
    body_angle_axes(s, b->axis, q + 3);
    mat3_invert(Si, 3, s, 3);
    mat3_mul_vec(v + 3, Si, 3, d->angular_velocity);
}

static void cardan_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    double S[9];
    body_cardan_axes(s, S, b->axis, q, v, vd);
    for (int j = 0; j < 3; ++j) {
        copy3(b->lift->S + 21 + 6 * j, S + 3 * j); // the sines and cosines are those of the state
    }
}

static void cardan_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    (void)q;
    body_unit_translation(L->S);
    if (all) {
        double s[9];
        for (int j = 0; j < 3; ++j) {
            copy3(s + 3 * j, L->S + 21 + 6 * j);
        }
        mb_lift_clear(L, b->nv);
        lift_cardan_rates(L->V, L->Aq, L->Av, s, v, vd);
    }
}

static void cardan_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    curvature_cardan(N, b->axis, q, f);
}

static double cardan_regular(const mb_body *b, const double *q)
{
    // the first and the last axis are parallel where this vanishes
    return fabs(b->axis[2] == b->axis[0] ? sin(q[4]) : cos(q[4]));
}

const mb_body_type mb_body_cardan = {.name = "cardan",
                                     .chart = MB_CHART_CARDAN,
                                     .about = MB_ABOUT_RIGID("Three angles about the axes of `sequence`."),
                                     .element = &mb_element_lifted,
                                     .kind = DAL_FACTOR_RN,
                                     .n = 6,
                                     .nq = 6,
                                     .nv = 6,
                                     .rotates = 1,
                                     .velocity = {"x", "y", "z", "a1", "a2", "a3"},
                                     .initial = cardan_initial,
                                     .state = cardan_state,
                                     .lift = cardan_lift,
                                     .map = MB_MAP_ROTATION,
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
    static const double far = 0.5; // nobody asks for the text
    const dal_model *m = user;
    double worst = 1.0;
    int which = 0;
    for (int b = 1; b < m->body_names.n; ++b) {
        const mb_body *body = &m->body[b];
        const double regular = body->type->regular ? body->type->regular(body, q + body->q) : 1.0;
        which = regular < worst ? b : which;
        worst = fmin(worst, regular);
    }
    buffer[0] = '\0';
    if (worst < far && size > 1) {
        const int angles = m->body[which].type == &mb_body_cardan;
        snprintf(buffer, size, "%s '%s': its %s here. Choose another type (r3so3, se3, euler_parameters)%s",
                 angles ? "gimbal lock of body" : "a whole turn of body", m->body_names.name[which],
                 angles ? "three angles do not describe all rotations"
                        : "rotation vector does not describe all rotations",
                 angles ? " or another sequence of angles" : "");
    }
    return worst;
}
