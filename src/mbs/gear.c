/* A linear relation between coordinates: ratio_1 c_1 + ratio_2 c_2 + ... - constant = 0. Angles are known up to full
 * turns, so Phi is known up to a period: the greatest common divisor of the periods of its terms. */
#include <math.h>

#include "mbs/mbs_impl.h"
#include "mbs/number_kernel.h"

/* Numbers of the row at a point, by term. */
typedef struct gear_state {
    mb_pairing P[MB_TERMS];
    double g[MB_TERMS][12];
} gear_state;

static void gear_at(gear_state *s, const mb_gear *G, const mb_state *state, int level)
{
    for (int k = 0; k < G->nterms; ++k) {
        mb_pairing_at(&s->P[k], state, G->marker[k], level, MB_AXES_A | MB_AXES_B);
        G->row[k].type->gradient(s->g[k], &G->row[k], &s->P[k]);
        for (int i = 0; i < 12; ++i) {
            s->g[k][i] *= G->ratio[k];
        }
    }
}

static double gear_phi(const mb_gear *G, const gear_state *s)
{
    double phi = -G->constant;
    for (int k = 0; k < G->nterms; ++k) {
        phi += G->ratio[k] * G->row[k].type->phi(&G->row[k], &s->P[k]);
    }
    return G->period > 0.0 ? remainder(phi, G->period) : phi;
}

static void gear_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    const mb_gear *G = &m->joint[c->joint].gear;
    gear_state s;
    double vel = 0.0, acc = 0.0;
    gear_at(&s, G, m->state, out->acc ? 2 : out->vel ? 1 : 0);
    for (int k = 0; k < G->nterms; ++k) {
        double V[12], W[12], z[12];
        if (out->vel || out->acc) {
            mb_pairing_velocity(V, &s.P[k]);
            for (int i = 0; i < 12; ++i) {
                vel += s.g[k][i] * V[i];
            }
        }
        if (out->acc) {
            mb_pairing_acceleration(W, &s.P[k]);
            mb_row_contract(z, &G->row[k], &s.P[k]);
            for (int i = 0; i < 12; ++i) {
                acc += s.g[k][i] * W[i] + G->ratio[k] * z[i] * V[i];
            }
        }
        for (int i = 0; i < 2 && out->r; ++i) {
            double f[6];
            scale3(f, at->la[c->row0], s.g[k] + 6 * i);
            scale3(f + 3, at->la[c->row0], s.g[k] + 6 * i + 3);
            mb_add_wrench(m->body[G->marker[k][i].body].r6, &s.P[k].side[i], f, f + 3);
        }
    }
    if (out->Phi && !c->nonholonomic) {
        out->Phi[c->row0] = gear_phi(G, &s);
    }
    if (out->vel) {
        out->vel[c->row0] = vel;
    }
    if (out->acc) {
        out->acc[c->row0] = acc;
    }
}

/* Which side of the constraint is side i of term k. */
static int side_of(const mb_gear *G, int k, int i)
{
    const int joint = k - G->n;
    return joint < 0 ? 2 * k + i : 2 * joint + (i == 0 ? G->carrier[joint] : 1 - G->carrier[joint]);
}

static void gear_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    const mb_gear *G = &m->joint[c->joint].gear;
    gear_state s;
    gear_at(&s, G, m->state, 1);
    for (int k = 0; k < G->nterms; ++k) {
        const double weight = G->ratio[k] * at->la[c->row0];
        double z[12], B[6], Z[6];
        mb_hessian H = {0};
        mb_row_contract(z, &G->row[k], &s.P[k]);
        G->row[k].type->hessian(&H, weight, &G->row[k], &s.P[k]);
        for (int i = 0; i < 2; ++i) {
            const int at_i = side_of(G, k, i), body = c->body[at_i], *pair = c->pair[at_i];
            const mb_side *S = &s.P[k].side[i];
            double f[6], K6[2][36] = {{0.0}, {0.0}};
            if (body == 0) {
                continue;
            }
            scale3(z + 6 * i, G->ratio[k], z + 6 * i);
            scale3(z + 6 * i + 3, G->ratio[k], z + 6 * i + 3);
            mb_gradient_to_body(B, S, s.g[k] + 6 * i);
            mb_rate_to_body(Z, S, z + 6 * i, s.g[k] + 6 * i);
            mb_push_link(m, sink, body, c->link[at_i], B, Z, 1);
            scale3(f, at->la[c->row0], s.g[k] + 6 * i);
            scale3(f + 3, at->la[c->row0], s.g[k] + 6 * i + 3);
            mb_arm_terms(K6[i], S, f, f + 3);
            for (int j = 0; j < 2 && (sink->wants & DAL_WANT_K); ++j) {
                const int at_j = side_of(G, k, j);
                if (c->body[at_j] != 0) {
                    mb_hessian_to_body(K6[j], &H, &s.P[k], i, j, 0);
                    mb_add_pair(m, sink, body, c->body[at_j], pair[at_j], NULL, K6[j]);
                }
            }
        }
    }
}

const mb_element_type mb_constraint_gear = {.form = MB_FORM_GEAR,
                                            .connect = mb_connect_rows,
                                            .residual = gear_residual,
                                            .tangent = gear_tangent,
                                            .acceleration = mb_row_accelerations,
                                            .row_name = mb_joint_row_name};

/* ---- description ------------------------------------------------------------------------------ */

/* Does a joint hold the axis about which its rotation `axis` turns? */
static int is_bearing(const mb_joint *j, int axis)
{
    const unsigned free = (unsigned)DAL_LOCK_X << axis | (unsigned)DAL_LOCK_RX << axis, all = 2U * DAL_LOCK_RZ - 1U;
    return j->d.release == 0.0 && (j->type->bearing ? axis == 2 : (j->d.locked | free) == all);
}

/* Two wheels that a third body carries in bearings: the body is found, and where the terms of the teeth act. */
static void find_teeth(const mb_scope *s, mb_joint *j)
{
    mb_gear *G = &j->gear;
    int found = 0;
    for (int k = 0; k < 2; ++k) {
        if (!G->row[k].type->angle || !is_bearing(&s->joint[j->refers[k]], G->row[k].i)) {
            return;
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (G->marker[0][k / 2].body == G->marker[1][k % 2].body) {
            G->carrier[0] = k / 2;
            G->carrier[1] = k % 2;
            ++found;
        }
    }
    G->nterms = found == 1 ? 4 : G->nterms;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 2; ++i) {
            G->marker[2 + k][i] = G->marker[k][i == 0 ? G->carrier[k] : 1 - G->carrier[k]];
        }
        G->row[2 + k] = mb_coordinate_row(DAL_COORDINATE_TRANSLATION, 0);
    }
}

dal_status mb_gear_check(const mb_scope *s, mb_joint *j, const dal_joint *d)
{
    const char *joint[3] = {d->joint_1, d->joint_2, d->joint_3};
    const dal_coordinate coordinate[3] = {d->coordinate_1, d->coordinate_2, d->coordinate_3};
    const int axis[3] = {d->axis_1, d->axis_2, d->axis_3};
    const double ratio[3] = {d->ratio[0], d->ratio[1], d->ratio_3};
    mb_gear *G = &j->gear;
    const int n = d->joint_3 ? 3 : 2;
    G->n = G->nterms = n;
    for (int k = 0; k < n; ++k) {
        dal_coordinate c = coordinate[k];
        int a = axis[k];
        DAL_TRY(mb_joint_reference(s, &c, &a, G->marker[k], &j->refers[k], "joint", d->name, joint[k]));
        G->row[k] = mb_coordinate_row(c, a);
        if (!(ratio[k] != 0.0) || !isfinite(ratio[k])) {
            return dal_fail(s->ctx, DAL_EINVAL,
                            "joint '%s': %s = %g, the factor of joint '%s', must be finite and not zero", d->name,
                            k == 0   ? "ratio[0]"
                            : k == 1 ? "ratio[1]"
                                     : "ratio_3",
                            ratio[k], joint[k]);
        }
        G->ratio[k] = ratio[k];
        for (int i = 0; i < k; ++i) {
            if (j->refers[i] == j->refers[k] && G->row[i].type == G->row[k].type && G->row[i].i == G->row[k].i) {
                return dal_fail(s->ctx, DAL_EINVAL, "joint '%s': joint_%d and joint_%d are the same coordinate of '%s'",
                                d->name, i + 1, k + 1, joint[k]);
            }
        }
    }
    if (!d->joint_3 && d->ratio_3 != 0.0) {
        return dal_fail(s->ctx, DAL_EINVAL, "joint '%s': ratio_3 is the factor of joint_3, which is missing", d->name);
    }
    if (G->n == 2 && !d->torques_only) {
        find_teeth(s, j);
    }
    return DAL_OK;
}

/* The greatest common measure of two periods, 0: none of them; negative: there is none with a factor up to 1000. */
static double common(double p1, double p2)
{
    if (p1 == 0.0 || p2 == 0.0) {
        return p1 + p2;
    }
    for (int n = 1; n <= 1000; ++n) {
        const double r = n * p2 / p1;
        if (round(r) >= 1.0 && fabs(r - round(r)) <= 1e-10 * r) {
            return p1 / n;
        }
    }
    return -1.0;
}

/* Period of Phi; 0 for none, negative if the angles have no common period. */
static double period_of(const mb_gear *G)
{
    double period = 0.0;
    for (int k = 0; k < G->n && period >= 0.0; ++k) {
        period = common(period, fabs(G->ratio[k]) * G->row[k].period);
    }
    return period;
}

/* Without a common period the relation holds between velocities only. */
dal_status mb_gear_build(dal_model *m, int joint)
{
    const mb_gear *G = &m->joint[joint].gear;
    mb_constraint c = {.type = &mb_constraint_gear,
                       .joint = joint,
                       .force = -1,
                       .nsides = 2 * G->n,
                       .nrows = 1,
                       .coupled = 1,
                       .nonholonomic = period_of(G) < 0.0};
    for (int k = 0; k < 2 * G->n; ++k) {
        c.body[k] = G->marker[k / 2][k % 2].body;
    }
    return mb_add_constraint(m, &c);
}

/* Wheels with parallel axes a touch at the pitch point, on the line u between their axes; the carrier knows both. With
 * radii rho_1, rho_2 from the axes to it, signed along u, rho_1 = kappa ratio_1, rho_2 = -kappa ratio_2 as seen from the
 * carrier, and rho_1 - rho_2 is the distance of the axes: that is kappa. The tooth force is lambda/kappa along n = a x u.
 * There is none where axes are not parallel or the pitch point is far away, as of a belt that does not change the speed. */
int mb_gear_teeth(const mb_gear *G, double x[11], int sign[2])
{
    const mb_marker *at[2] = {&G->marker[0][G->carrier[0]], &G->marker[1][G->carrier[1]]};
    const double *a = at[0]->A + 3 * G->row[0].i, *b = at[1]->A + 3 * G->row[1].i;
    const double size = fmax(sqrt(dot3(at[0]->a, at[0]->a)), sqrt(dot3(at[1]->a, at[1]->a)));
    double u[3], across[3];
    for (int k = 0; k < 2; ++k) {
        sign[k] = (G->carrier[k] == 0 ? 1 : -1) * (k == 1 && dot3(a, b) < 0.0 ? -1 : 1);
        copy3(x + 3 * k, at[k]->a);
        x[9 + k] = G->ratio[k];
    }
    copy3(x + 6, a);
    cross3(across, a, b);
    sub3(u, at[1]->a, at[0]->a);
    axpy3(u, -dot3(u, a), a);
    return G->nterms > G->n && dot3(across, across) < 1e-12 && sqrt(dot3(u, u)) > 1e-9 * size &&
           fabs(sign[0] * x[9] + sign[1] * x[10]) > 1e-9 * (fabs(x[9]) + fabs(x[10]));
}

static void place_teeth(mb_gear *G)
{
    double x[11], y[11];
    int sign[2];
    const int teeth = mb_gear_teeth(G, x, sign);
    if (teeth) {
        number_teeth(y, x, sign[0], sign[1]);
    }
    for (int k = 0; k < 2; ++k) {
        mb_marker *carrier = &G->marker[2 + k][0];
        *carrier = G->marker[k][G->carrier[k]];
        G->marker[2 + k][1] = G->marker[k][1 - G->carrier[k]];
        if (teeth) {
            memcpy(carrier->A, y + 2, sizeof carrier->A);
        }
        G->ratio[2 + k] = teeth ? y[k] : 0.0;
    }
}

dal_status mb_gear_numbers(mb_instance *m, int joint)
{
    mb_gear *G = &m->joint[joint].gear;
    gear_state s;
    const double period = period_of(G);
    if ((period < 0.0) != m->constraint[m->joint[joint].first].nonholonomic) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "joint '%s': with the ratios %g and %g its angles have %s common period, so that it relates "
                        "%s: another structure than that of the compiled model; compile anew",
                        m->of->joint_names.name[joint], G->ratio[0], G->ratio[1], period < 0.0 ? "no" : "a",
                        period < 0.0 ? "velocities" : "positions");
    }
    if (G->nterms > G->n) {
        place_teeth(G);
    }
    gear_at(&s, G, m->state, 0);
    G->period = period;
    G->constant = 0.0;
    G->constant = gear_phi(G, &s);
    return DAL_OK;
}
