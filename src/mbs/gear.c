/* A linear relation between two coordinates: ratio_1 c_1 + ratio_2 c_2 - constant = 0. Angles are known up to full
 * turns, so Phi is known up to a period: the greatest common divisor of the periods of both terms. */
#include <math.h>

#include "mbs/mbs_impl.h"

/* Numbers of the row at a point, by term. */
typedef struct gear_state {
    mb_pairing P[2];
    double g[2][12];
} gear_state;

static void gear_at(gear_state *s, const mb_gear *G, const mb_state *state, int level)
{
    for (int k = 0; k < 2; ++k) {
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
    for (int k = 0; k < 2; ++k) {
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
    for (int k = 0; k < 2; ++k) {
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

static void gear_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    const mb_gear *G = &m->joint[c->joint].gear;
    gear_state s;
    gear_at(&s, G, m->state, 1);
    for (int k = 0; k < 2; ++k) {
        const double weight = G->ratio[k] * at->la[c->row0];
        double z[12], B[6], Z[6];
        mb_hessian H = {0};
        mb_row_contract(z, &G->row[k], &s.P[k]);
        G->row[k].type->hessian(&H, weight, &G->row[k], &s.P[k]);
        for (int i = 0; i < 2; ++i) {
            const int body = c->body[2 * k + i], *pair = c->pair[2 * k + i];
            const mb_side *S = &s.P[k].side[i];
            double f[6], K6[2][36] = {{0.0}, {0.0}};
            if (body == 0) {
                continue;
            }
            scale3(z + 6 * i, G->ratio[k], z + 6 * i);
            scale3(z + 6 * i + 3, G->ratio[k], z + 6 * i + 3);
            mb_gradient_to_body(B, S, s.g[k] + 6 * i);
            mb_rate_to_body(Z, S, z + 6 * i, s.g[k] + 6 * i);
            mb_push_link(m, sink, body, c->link[2 * k + i], B, Z, 1);
            scale3(f, at->la[c->row0], s.g[k] + 6 * i);
            scale3(f + 3, at->la[c->row0], s.g[k] + 6 * i + 3);
            mb_arm_terms(K6[i], S, f, f + 3);
            for (int j = 0; j < 2 && (sink->wants & DAL_WANT_K); ++j) {
                if (c->body[2 * k + j] != 0) {
                    mb_hessian_to_body(K6[j], &H, &s.P[k], i, j, 0);
                    mb_add_pair(m, sink, body, c->body[2 * k + j], pair[2 * k + j], NULL, K6[j]);
                }
            }
        }
    }
}

const mb_element_type mb_constraint_gear = {.form = MB_FORM_GEAR,
                                            .connect = mb_connect_rows,
                                            .residual = gear_residual,
                                            .tangent = gear_tangent,
                                            .acceleration = mb_acceleration_by_differences,
                                            .row_name = mb_joint_row_name};

/* Period of Phi; 0 for none, negative if the angles have no common period with a factor up to 1000. */
static double period_of(const mb_gear *G)
{
    const double p1 = fabs(G->ratio[0]) * G->row[0].period, p2 = fabs(G->ratio[1]) * G->row[1].period;
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

/* Without a common period the relation holds between velocities only. */
dal_status mb_gear_build(dal_model *m, int joint)
{
    const mb_gear *G = &m->joint[joint].gear;
    mb_constraint c = {.type = &mb_constraint_gear,
                       .joint = joint,
                       .force = -1,
                       .nsides = 4,
                       .nrows = 1,
                       .coupled = 1,
                       .nonholonomic = period_of(G) < 0.0};
    for (int k = 0; k < 4; ++k) {
        c.body[k] = G->marker[k / 2][k % 2].body;
    }
    return mb_add_constraint(m, &c);
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
    gear_at(&s, G, m->state, 0);
    G->period = period;
    G->constant = 0.0;
    G->constant = gear_phi(G, &s);
    return DAL_OK;
}
