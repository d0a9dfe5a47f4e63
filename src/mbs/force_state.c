/* A state x of the user's own, x' = f(t, inputs): the pressure in a cylinder, the bristles of a friction law. It enters as
 * the velocity of a coordinate of its own with unit mass that no constraint touches,
 *     s'' = f(t, x_1, x_2, ...),   x = s',                                                                 (MB.18)
 * so every integrator treats it as it treats velocities. Its tangents are M = 1, and with the derivatives f_k
 *     C -= f_k (state),   K -= f_k g_k^T (coordinate),   K -= f_k z_k^T,  C -= f_k g_k^T (rate). */
#include <math.h>

#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"
#include "mbs/recall.h"

/* It exerts nothing on bodies. */
static void state_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_force *f = self;
    out->r[f->v] += at->vd[f->v] - mb_law_value(NULL, f, m, at);
}

static void state_exert(double *r, const mb_force *f, mb_instance *m, const dal_point *at, double F)
{
    (void)m;
    (void)at;
    r[f->v] -= F;
}

static void state_recalled(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_law_recalled(x, f, m, at, state_exert);
}

/* A reaction: columns of G. */
static void reaction_columns(const mb_input *in, const mb_instance *m, dal_sink *sink, double fk)
{
    for (int n = 0; n < in->nblocks && (sink->wants & DAL_WANT_G); ++n) {
        double G[MB_ROWS];
        (void)mb_reaction_block(G, in, n, m);
        dal_scale(G, -fk, MB_ROWS);
        sink->link_force(sink, in->link[n][0], G);
    }
}

static void input_tangent(const mb_input *in, mb_instance *m, dal_sink *sink, const dal_point *at, double fk)
{
    double g6[2][6], z6[2][6];
    const double own = -fk;
    if (in->reaction >= 0) {
        reaction_columns(in, m, sink, fk);
    }
    if (in->state >= 0 && m->force[in->state].type->keep) {
        return;
    }
    if (in->state >= 0) {
        sink->pair(sink, in->pair[0][0], NULL, &own, NULL);
        return;
    }
    mb_input_gradient(g6, z6, in, m, at);
    for (int j = 0; j < 2; ++j) {
        const int body = in->marker[j].body;
        double C6[6] = {0.0}, K6[6];
        for (int e = 0; e < 6; ++e) {
            C6[e] = in->rate ? own * g6[j][e] : 0.0;
            K6[e] = own * (in->rate ? z6[j][e] : g6[j][e]);
        }
        if (body > 0) {
            mb_push_row(m, sink, body, in->pair[0][j], C6, K6);
        }
    }
}

static void state_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    static const double one = 1.0;
    double fk[DAL_INPUTS_MAX];
    sink->pair(sink, f->pair_own, &one, NULL, NULL);
    if (!(sink->wants & (DAL_WANT_C | DAL_WANT_K | DAL_WANT_G))) {
        return;
    }
    (void)mb_law_value(fk, f, m, at);
    if (sink->wants & DAL_WANT_MEANS) {
        (void)mb_law_kink(fk, f, m, at);
    }
    for (int k = 0; k < f->d.ninputs; ++k) {
        if (fk[k] != 0.0) {
            input_tangent(&f->input[k], m, sink, at, fk[k]);
        }
    }
}

static double state_rate(const mb_force *f, mb_instance *m, const dal_point *at)
{
    return mb_law_value(NULL, f, m, at);
}

static dal_status check_state(const mb_scope *s, mb_force *f, const dal_force *d)
{
    if (!isfinite(d->initial)) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': its initial value is not finite", d->name);
    }
    return mb_check_law(s, f, d);
}

static void state_start(double *v0, const mb_force *f, mb_instance *m)
{
    (void)m;
    v0[f->v] = f->d.initial;
}

static void connect_state(mb_plan *plan, void *force)
{
    mb_force *f = force;
    for (int k = 0; k < f->d.ninputs; ++k) {
        mb_input *in = &f->input[k];
        for (int j = 0; j < (in->state < 0 ? 2 : 1); ++j) {
            mb_plan_pair(plan, &in->pair[0][j], mb_columns_of_force(f), mb_columns_of_input(plan, in, j));
        }
    }
}

dal_status mb_find_states(dal_model *m)
{
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        for (int i = 0; f->input && i < f->d.ninputs; ++i) {
            const char *name = f->input[i].state_name;
            const int number = name ? mb_names_find(&m->force_names, name) : -1;
            if (name && (number < 0 || !(m->force[number].type->state || m->force[number].type->keep))) {
                return dal_fail(m->ctx, DAL_EINVAL,
                                "force '%s': there is no state '%s'; add a force of type state or delay",
                                m->force_names.name[k], name);
            }
            f->input[i].state = number;
        }
    }
    return DAL_OK;
}

static const dal_key state_keys[] = {
    MB_KEY(NUMBER, "initial", dal_force, initial, "", "x at the start", .preset = "0"),
    MB_KEY_READ(EXPRESSION, "value", "", "its rate: expression of t, of the inputs and of variables", MB_REQUIRED),
    MB_KEY_READ(INPUTS, "inputs", "", "inputs by name", MB_OPTIONAL)};

const mb_force_type mb_force_state = {
    .name = "state",
    .about =
        MB_ABOUT("No force but a state x of its own, x' = value, as an input of laws and states.", NONE, state_keys),
    .inputs = 1,
    .recalled = state_recalled,
    .check = check_state,
    .state = 1,
    .own = 1,
    .diagonal = 1,
    .own_name = "state",
    .start = state_start,
    .value = state_rate,
    .kink = mb_law_kink,
    .angles = mb_law_angle,
    .element = {.wants = MB_WANTS_FORCE | DAL_WANT_M | DAL_WANT_G,
                .connect = connect_state,
                .residual = state_residual,
                .tangent = state_tangent}};
