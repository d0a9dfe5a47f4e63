/* Evaluation of a joint: up to three rows p_B - p_A in world axes, then scalar rows. */
#include "base/vector.h"
#include "mbs/contact_impl.h"

/* ---- residual --------------------------------------------------------------------------------- */

static double add_dot(double sum, const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* Velocity level of the scalar row with gradient g: g . V - f'. Where a row depends on rotations only, the rest of its
 * gradient is zero. */
static double row_velocity(const mb_row *r, const mb_pairing *P, const double g[12], const double f[3])
{
    double sum = -f[1];
    for (int i = 0; i < 2; ++i) {
        sum = r->type->rotational ? sum : add_dot(sum, g + 6 * i, P->side[i].pd);
        sum = add_dot(sum, g + 6 * i + 3, P->side[i].b->om);
    }
    return sum;
}

/* Acceleration level: g . p'' + V^T H V - f''. */
static double row_acceleration(const mb_row *r, const mb_pairing *P, const double g[12], const double f[3])
{
    double V[12], W[12], z[12], sum = -f[2];
    mb_pairing_velocity(V, P);
    mb_pairing_acceleration(W, P);
    mb_row_contract(z, r, P);
    for (int k = 0; k < 12; ++k) {
        sum += g[k] * W[k] + z[k] * V[k];
    }
    return sum;
}

static void point_rows(const mb_constraint *c, const mb_pairing *P, const dal_residual *out)
{
    for (int i = 0; i < c->npoint; ++i) {
        const int row = c->row0 + i;
        if (out->Phi) {
            out->Phi[row] = P->d[i];
        }
        if (out->vel) {
            out->vel[row] = P->side[1].pd[i] - P->side[0].pd[i];
        }
        if (out->acc) {
            out->acc[row] = P->side[1].pdd[i] - P->side[0].pdd[i];
        }
    }
}

static int level_of(const dal_residual *out)
{
    return out->acc ? 2 : out->vel ? 1 : 0;
}

/* What a row follows: f(t) and its derivatives, zero if there is no function. */
static void row_function(double f[3], const mb_constraint *c, const mb_row *r, mb_instance *m, double t)
{
    if (r->f > 0) {
        mb_motion_at(f, m, r->f, t, m->of->joint_names.name[c->joint]);
    } else {
        f[0] = f[1] = f[2] = 0.0;
    }
}

/* sum += la g */
static void add_row(double sum[12], double la, const double g[12], int rotational)
{
    if (!rotational) {
        for (int k = 0; k < 12; ++k) {
            sum[k] += la * g[k];
        }
        return;
    }
    axpy3(sum + 3, la, g + 3);
    axpy3(sum + 9, la, g + 9);
}

static void joint_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    mb_pairing P;
    mb_pairing_at(&P, m->state, c->marker, level_of(out), c->axes);
    point_rows(c, &P, out);
    double g[12], sum[12] = {0.0};
    for (int i = 0; i < c->npoint && out->r; ++i) {
        sum[i] = -at->la[c->row0 + i];
        sum[6 + i] = at->la[c->row0 + i];
    }
    for (int k = 0; k < c->nscalar; ++k) {
        const mb_row *r = &c->row[k];
        const int row = c->row0 + c->npoint + k;
        double f[3];
        row_function(f, c, r, m, at->t);
        r->type->gradient(g, r, &P);
        if (out->Phi && r->type->phi) {
            out->Phi[row] = mb_row_phi(r, &P, f);
        }
        if (out->vel) {
            out->vel[row] = row_velocity(r, &P, g, f);
        }
        if (out->acc) {
            out->acc[row] = row_acceleration(r, &P, g, f);
        }
        if (out->r) {
            add_row(sum, at->la[row], g, r->type->rotational);
        }
    }
    for (int i = 0; i < 2 && out->r; ++i) {
        if (c->marker[i].body > 0) { // the ground takes any force
            mb_add_wrench(m->body[c->marker[i].body].r6, &P.side[i], sum + 6 * i, sum + 6 * i + 3);
        }
    }
}

/* ---- tangent ---------------------------------------------------------------------------------- */

/* Rows p_B - p_A of one side: B = sign (I, -R a~), Z = sign (0, -R (Omega x a)~); ld rows. Other rows are cleared in the
 * first three columns and left as they are in the others. */
static void point_link(double *B, double *Z, int ld, int npoint, double sign, const mb_side *S)
{
    double D[9], w[3];
    dal_zero(B, 3 * ld);
    mul_tilde(D, 3, S->b->R, S->a);
    for (int i = 0; i < npoint; ++i) {
        B[i + i * ld] = sign;
        for (int j = 0; j < 3; ++j) {
            B[i + (3 + j) * ld] = -sign * D[i + 3 * j];
        }
    }
    if (Z) {
        dal_zero(Z, 3 * ld);
        cross3(w, S->b->Om, S->a);
        mul_tilde(D, 3, S->b->R, w);
        for (int i = 0; i < npoint; ++i) {
            for (int j = 0; j < 3; ++j) {
                Z[i + (3 + j) * ld] = -sign * D[i + 3 * j];
            }
        }
    }
}

/* Row `row` of B and Z (ld rows) of one side from the scalar row's gradient and its rate. */
static void scalar_link(double *B, double *Z, int ld, int row, const mb_side *S, const double g[6], const double *z)
{
    double x[6];
    mb_gradient_to_body(x, S, g);
    for (int j = 0; j < 6; ++j) {
        B[row + j * ld] = x[j];
    }
    if (Z) {
        mb_rate_to_body(x, S, z, g);
        for (int j = 0; j < 6; ++j) {
            Z[row + j * ld] = x[j];
        }
    }
}

/* d(B^T lambda)/dq of the scalar rows and of the forces `sum` that all rows exert. */
void mb_push_stiffness(const mb_constraint *c, mb_instance *m, dal_sink *sink, const mb_pairing *P, const mb_hessian *H,
                       const double sum[12])
{
    for (int i = 0; i < 2; ++i) {
        mb_body *b = &m->body[c->marker[i].body];
        if (c->link[i] < 0) {
            continue;
        }
        mb_arm_terms(b->K, &P->side[i], sum + 6 * i, c->nscalar > 0 ? sum + 6 * i + 3 : NULL);
        if (c->nscalar > 0) {
            mb_hessian_to_body(b->K, H, P, i, i, c->rotational);
        }
        if (c->nscalar > 0 && c->pair[i][1 - i] >= 0) {
            double K6[36] = {0.0};
            mb_hessian_to_body(K6, H, P, i, 1 - i, c->rotational);
            mb_add_pair(m, sink, c->marker[i].body, c->marker[1 - i].body, c->pair[i][1 - i], NULL, K6);
        }
    }
}

/* Only the blocks that are used. */
static void clear_hessian(mb_hessian *H, int rotational)
{
    if (!rotational) {
        dal_zero(H->H[0][0][0][0], (int)(sizeof *H / sizeof(double)));
        return;
    }
    for (int k = 0; k < 4; ++k) {
        memset(H->H[k / 2][1][k % 2][1], 0, 9 * sizeof(double));
    }
}

static void joint_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    const int want_K = (sink->wants & DAL_WANT_K) != 0, want_Z = (sink->wants & DAL_WANT_Z) != 0;
    double B[2][36], Z[2][36], g[12], z[12], sum[12] = {0.0};
    mb_hessian H;
    mb_pairing P;
    mb_pairing_at(&P, m->state, c->marker, want_Z, c->axes);
    if (want_K && c->nscalar > 0) {
        clear_hessian(&H, c->rotational);
    }
    for (int i = 0; i < c->npoint; ++i) {
        sum[i] = -at->la[c->row0 + i];
        sum[6 + i] = at->la[c->row0 + i];
    }
    for (int i = 0; i < 2; ++i) {
        if (c->link[i] >= 0) {
            point_link(B[i], want_Z ? Z[i] : NULL, c->nrows, c->npoint, i == 0 ? -1.0 : 1.0, &P.side[i]);
        }
    }
    for (int k = 0; k < c->nscalar; ++k) {
        const mb_row *r = &c->row[k];
        const double la = at->la[c->row0 + c->npoint + k];
        r->type->gradient(g, r, &P);
        if (want_Z) {
            mb_row_contract(z, r, &P);
        }
        for (int i = 0; i < 2; ++i) {
            if (c->link[i] >= 0) {
                scalar_link(B[i], want_Z ? Z[i] : NULL, c->nrows, c->npoint + k, &P.side[i], g + 6 * i, z + 6 * i);
            }
        }
        add_row(sum, la, g, r->type->rotational);
        if (want_K) {
            r->type->hessian(&H, la, r, &P);
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (c->link[i] >= 0) {
            mb_push_link(m, sink, c->marker[i].body, c->link[i], B[i], want_Z ? Z[i] : NULL, c->nrows);
        }
    }
    if (want_K) {
        mb_push_stiffness(c, m, sink, &P, &H, sum);
    }
}

/* A motion that is prescribed does work. */
static void joint_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_constraint *c = self;
    int driven = 0;
    for (int k = 0; k < c->nscalar; ++k) {
        driven |= c->row[k].f > 0;
    }
    P[0] = P[1] = 0.0;
    if (driven) {
        P[1] = mb_rows_power(c, m, at);
    }
}

const mb_element_type mb_constraint_joint = {.form = MB_FORM_MARKERS,
                                             .connect = mb_connect_rows,
                                             .residual = joint_residual,
                                             .tangent = joint_tangent,
                                             .acceleration = mb_row_accelerations,
                                             .exchange = joint_exchange,
                                             .row_name = mb_joint_row_name};

/* ---- spherical joints alone: the joint of long chains -------------------------------------------- */

/* p = x + R a of a frame or its first or second time derivative; the ground is at rest. */
static inline void arm_at(double p[3], int derivative, const mb_marker *m, const mb_state *b)
{
    double s[3], ws[3];
    mat3_mul_vec(s, b->R, 3, m->a);
    if (derivative == 0) {
        add3(p, b->x, s);
        return;
    }
    cross3(ws, b->om, s);
    if (derivative == 1) {
        add3(p, b->xd, ws);
        return;
    }
    cross3(p, b->al, s);
    add_cross3(p, 1.0, b->om, ws);
    add3(p, p, b->xdd);
}

/* The place of B less that of A, or a derivative of it. */
static inline void point_difference(double d[3], int derivative, const mb_constraint *c, const mb_state *state)
{
    double a[3], b[3];
    arm_at(b, derivative, &c->marker[1], &state[c->marker[1].body]);
    if (c->marker[0].body != 0) {
        arm_at(a, derivative, &c->marker[0], &state[c->marker[0].body]);
        sub3(d, b, a);
    } else if (derivative == 0) {
        sub3(d, b, c->marker[0].a);
    } else {
        copy3(d, b);
    }
}

static void spherical_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    const double *la = at->la + c->row0;
    if (out->Phi) {
        point_difference(out->Phi + c->row0, 0, c, m->state);
    }
    if (out->vel) {
        point_difference(out->vel + c->row0, 1, c, m->state);
    }
    if (out->acc) {
        point_difference(out->acc + c->row0, 2, c, m->state);
    }
    if (!out->r || (la[0] == 0.0 && la[1] == 0.0 && la[2] == 0.0)) {
        return;
    }
    // (f, a x R^T f) with f = lambda on B, -lambda on A
    for (int i = c->marker[0].body == 0; i < 2 - (c->marker[1].body == 0); ++i) {
        double *r6 = m->body[c->marker[i].body].r6, fb[3], sign = i == 0 ? -1.0 : 1.0;
        tmul3(fb, m->state[c->marker[i].body].R, la);
        axpy3(r6, sign, la);
        add_cross3(r6 + 3, sign, c->marker[i].a, fb);
    }
}

static void spherical_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    if (sink->wants & DAL_WANT_Z) {
        joint_tangent(c, m, sink, at);
        return;
    }
    for (int i = 0; i < 2; ++i) {
        if (c->link[i] < 0) {
            continue;
        }
        mb_body *b = &m->body[c->marker[i].body];
        const double *R = m->state[c->marker[i].body].R, *a = c->marker[i].a, sign = i == 0 ? -1.0 : 1.0;
        const double places[9] = {sign, 0.0, 0.0, 0.0, sign, 0.0, 0.0, 0.0, sign};
        double B[18], fb[3];
        memcpy(B, places, sizeof places);
        mul_tilde(B + 9, 3, R, a);
        for (int k = 9; k < 18; ++k) {
            B[k] *= -sign;
        }
        mb_push_link(m, sink, c->marker[i].body, c->link[i], B, NULL, 3);
        if (sink->wants & DAL_WANT_K) {
            tmul3(fb, R, at->la + c->row0);
            add_tilde_tilde(b->K, 6, 3, 3, sign, a, fb);
        }
    }
}

const mb_element_type mb_constraint_spherical = {.form = MB_FORM_MARKERS,
                                                 .connect = mb_connect_rows,
                                                 .residual = spherical_residual,
                                                 .tangent = spherical_tangent,
                                                 .acceleration = mb_row_accelerations,
                                                 .row_name = mb_joint_row_name};
