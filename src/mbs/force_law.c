/* A force along a coordinate whose value F is any function of time and of inputs x_k, each a coordinate, the rate of one,
 * or an angular velocity of frames anywhere in the model. With the gradient g of the own coordinate, g_k of input k and
 * the derivatives F_k, the residual is -F g and its tangents are, beside the geometric part of every force along a
 * coordinate,
 *     K -= g F_k g_k^T (coordinate),    K -= g F_k z_k^T,  C -= g F_k g_k^T (rate),   z_k = d(g_k . v)/dq.      (MB.15) */
#include <math.h>

#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"
#include "mbs/force_kernel.h"
#include "mbs/recall.h"

/* ---- value and tangent ------------------------------------------------------------------------ */

/* Input k; the turns of angles are counted. */
int mb_law_angle(mb_turning *a, const mb_force *f, int k)
{
    if (k < f->d.ninputs) {
        const mb_input *in = &f->input[k];
        *a = (mb_turning){in->marker, in->row, !in->rate && in->row.type && in->row.type->angle};
        a->row.memory = f->memory > 0 ? f->memory + 2 * k : 0;
    }
    return k < f->d.ninputs;
}

/* Inputs and, behind them, parameters of a law. */
static void law_inputs(double x[DAL_INPUTS_MAX + DAL_PARAMETERS_MAX], const mb_force *f, mb_instance *m,
                       const dal_point *at)
{
    for (int k = 0; k < f->d.ninputs; ++k) {
        mb_along a;
        mb_turning input;
        if (f->input[k].reaction >= 0) {
            x[k] = mb_reaction(&f->input[k], m, at);
            continue;
        }
        if (f->input[k].state >= 0) {
            const mb_force *read = &m->force[f->input[k].state];
            x[k] = read->type->keep ? mb_delayed(read, m, at) : at->v[read->v];
            continue;
        }
        (void)mb_law_angle(&input, f, k);
        mb_along_at(&a, m, input.marker, &input.row, at->t);
        x[k] = f->input[k].rate ? a.cd : a.c;
    }
    memcpy(x + f->d.ninputs, f->d.parameter, (size_t)f->d.nparameters * sizeof(double));
}

static dal_status call_law(double *F, double *g, const dal_force *d, double t, const double *x,
                           const dal_functions *functions)
{
    return d->calling_law ? d->calling_law(F, g, t, x, functions, d->user) : d->law(F, g, t, x, d->user);
}

double mb_law_value(double *Fk, const mb_force *f, mb_instance *m, const dal_point *at)
{
    double x[DAL_INPUTS_MAX + DAL_PARAMETERS_MAX], F = 0.0;
    law_inputs(x, f, m, at);
    const dal_functions functions = mb_functions(m);
    const dal_status st = call_law(&F, Fk, &f->d, at->t, x, &functions);
    const char *name = m->of->force_names.name[f - m->force];
    if (st != DAL_OK) {
        MB_FAIL(m, st, "the law of force '%s' failed at t = %.9g (%s)", name, at->t, dal_status_text(st));
    } else if (!isfinite(F) && mb_norm_ok(x, f->d.ninputs)) {
        MB_FAIL(m, DAL_RETRY, "the value of force '%s' is %g at t = %.9g", name, isnan(F) ? fabs(F) : F, at->t);
    }
    return F;
}

/* A law along input k. */
typedef struct law_line {
    const dal_force *d;
    dal_functions functions;
    double t, x[DAL_INPUTS_MAX + DAL_PARAMETERS_MAX];
    int k;
} law_line;

static int law_at(double *F, double *g, double x, const void *user)
{
    law_line at = *(const law_line *)user;
    double Fk[DAL_INPUTS_MAX];
    at.x[at.k] = x;
    const dal_status st = call_law(F, Fk, at.d, at.t, at.x, &at.functions);
    *g = Fk[at.k];
    return st == DAL_OK && isfinite(*F) && isfinite(*g);
}

dal_kink mb_law_kink(double *Fk, const mb_force *f, mb_instance *m, const dal_point *at)
{
    dal_kink worst = DAL_KINK_NONE;
    law_line line = {.d = &f->d, .functions = mb_functions(m), .t = at->t};
    law_inputs(line.x, f, m, at);
    for (; line.k < f->d.ninputs; ++line.k) {
        const dal_kink kink = mb_kink_at(&Fk[line.k], law_at, &line, line.x[line.k]);
        worst = kink > worst ? kink : worst;
    }
    return worst;
}

static void law_exert(double *r, const mb_force *f, mb_instance *m, const dal_point *at, double F)
{
    mb_along a;
    (void)r;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_along_force(m, f->marker, &a, -F);
}

static void law_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    law_exert(NULL, self, m, at, mb_law_value(NULL, self, m, at));
}

void mb_law_recalled(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at,
                     void (*exert)(double *r, const mb_force *f, mb_instance *m, const dal_point *at, double F))
{
    double Fk[DAL_INPUTS_MAX], weight[MB_DELAY_POINTS];
    int slot[MB_DELAY_POINTS], known = 0;
    for (int k = 0; k < f->d.ninputs; ++k) {
        const mb_force *read = f->input[k].state >= 0 ? &m->force[f->input[k].state] : NULL;
        const int n = read && read->type->keep ? mb_delayed_from(slot, weight, read, m, at->t) : 0;
        if (n > 0) {
            if (!known) {
                (void)mb_law_value(Fk, f, m, at);
                known = 1;
            }
            exert(mb_recall_begin(x), f, m, at, Fk[k]);
            mb_recall_end(x);
        }
        for (int i = 0; i < n; ++i) {
            mb_recall_take(x, slot[i], weight[i]);
        }
    }
}

static void law_recalled(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_law_recalled(x, f, m, at, law_exert);
}

void mb_input_gradient(double g6[2][6], double z6[2][6], const mb_input *in, const mb_instance *m, const dal_point *at)
{
    mb_along a;
    double z[12];
    if (in->reaction >= 0) {
        mb_reaction_gradient(g6, in, m, at);
        return;
    }
    mb_along_at(&a, m, in->marker, &in->row, 0.0); // its value does not matter here
    mb_row_contract(z, &in->row, &a.P);
    for (int j = 0; j < 2; ++j) {
        mb_gradient_to_body(g6[j], &a.P.side[j], a.g + 6 * j);
        mb_rate_to_body(z6[j], &a.P.side[j], z + 6 * j, a.g + 6 * j);
    }
}

/* A reaction as input: d r/d lambda = -F_k g dx_k/d lambda, (MB.15), (MB.23). */
static void reaction_columns(const mb_force *f, const mb_input *in, const mb_instance *m, dal_sink *sink,
                             double own[2][6], double Fk)
{
    for (int n = 0; n < in->nblocks && (sink->wants & DAL_WANT_G); ++n) {
        double w[MB_ROWS];
        const mb_constraint *c = mb_reaction_block(w, in, n, m);
        for (int i = 0; i < 2; ++i) {
            double G[6 * MB_ROWS];
            for (int r = 0; r < c->nrows; ++r) {
                scale3(G + 6 * r, -Fk * w[r], own[i]);
                scale3(G + 6 * r + 3, -Fk * w[r], own[i] + 3);
            }
            if (f->marker[i].body > 0) {
                mb_push_force(m, sink, f->marker[i].body, in->link[n][i], G, c->nrows);
            }
        }
    }
}

/* A state as input: columns of C. */
static void state_columns(const mb_force *f, const mb_input *in, const mb_instance *m, dal_sink *sink, double own[2][6],
                          double Fk)
{
    for (int i = 0; i < 2; ++i) {
        double C6[6];
        if (f->marker[i].body > 0) {
            scale3(C6, -Fk, own[i]);
            scale3(C6 + 3, -Fk, own[i] + 3);
            mb_push_column(m, sink, f->marker[i].body, in->pair[i][0], C6, NULL);
        }
    }
}

/* What input k adds: rows of the bodies of the force (own: its gradient), columns of those of the input. */
static void input_tangent(const mb_force *f, int k, mb_instance *m, dal_sink *sink, const dal_point *at,
                          double own[2][6], double Fk)
{
    const mb_input *in = &f->input[k];
    double g6[2][6], z6[2][6];
    if (in->reaction >= 0) {
        reaction_columns(f, in, m, sink, own, Fk);
    }
    if (in->state >= 0 && m->force[in->state].type->keep) {
        return;
    }
    if (in->state >= 0) {
        state_columns(f, in, m, sink, own, Fk);
        return;
    }
    mb_input_gradient(g6, z6, in, m, at);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const int row = f->marker[i].body, column = in->marker[j].body;
            double K6[36] = {0.0}, C6[36] = {0.0};
            if (row == 0 || column == 0) {
                continue;
            }
            force_of_input(C6, Fk, own[i], g6[j]);
            force_of_input(K6, Fk, own[i], in->rate ? z6[j] : g6[j]);
            mb_add_pair(m, sink, row, column, in->pair[i][j], in->rate ? C6 : NULL, K6);
        }
    }
}

static void law_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    mb_along a;
    double Fk[DAL_INPUTS_MAX], own[2][6];
    if (!(sink->wants & MB_WANTS_FORCE) && !mb_reads_reactions(f)) {
        return;
    }
    const double F = mb_law_value(Fk, f, m, at);
    if (sink->wants & DAL_WANT_MEANS) {
        (void)mb_law_kink(Fk, f, m, at);
    }
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_along_tangent(m, sink, f->marker, &f->row, f->pair, &a, (mb_law){.Q = -F});
    for (int i = 0; i < 2; ++i) {
        mb_gradient_to_body(own[i], &a.P.side[i], a.g + 6 * i);
    }
    for (int k = 0; k < f->d.ninputs; ++k) {
        if (Fk[k] != 0.0) {
            input_tangent(f, k, m, sink, at, own, Fk[k]);
        }
    }
}

static double law_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    return mb_law_value(NULL, f, m, at);
}

/* ---- building --------------------------------------------------------------------------------- */

static dal_status read_input(const mb_scope *s, const dal_force *d, int k, mb_input *in)
{
    const dal_input *x = &d->inputs[k];
    dal_coordinate coordinate = x->coordinate;
    int axis = x->axis;
    *in = (mb_input){.state = -1, .joint = -1, .reaction = -1, .component = -1};
    if (x->reaction) {
        in->reaction = mb_names_find(&s->of->joint_names, x->reaction);
        in->component = axis < 0 ? -1 : axis % 3 + (coordinate == DAL_COORDINATE_ROTATION ? 3 : 0);
        if (in->reaction < 0) {
            return dal_fail_in(s->ctx, mb_names_missing(&s->of->joint_names, s->ctx, "joint", x->reaction),
                               "force '%s'", d->name);
        }
        return DAL_OK;
    }
    if (x->state) {
        in->state_name = x->state;
        return DAL_OK;
    }
    DAL_TRY(mb_check_frame(s->ctx, "force", d->name, &x->frame_a));
    DAL_TRY(mb_check_frame(s->ctx, "force", d->name, &x->frame_b));
    in->marker[0] = mb_marker_of(x->body_a, &x->frame_a);
    in->marker[1] = mb_marker_of(x->body_b, &x->frame_b);
    if (x->joint) {
        DAL_TRY(mb_joint_reference(s, &coordinate, &axis, in->marker, &in->joint, "force", d->name, x->joint));
    }
    if (axis < 0 || axis > 2 || (!x->spin && coordinate == DAL_COORDINATE_DEFAULT)) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "force '%s': say which coordinate input %d is (length, translation or rotation; axis 0, 1 or "
                        "2), or refer to a joint",
                        d->name, k + 1);
    }
    in->rate = x->rate || x->spin;
    in->row = x->spin ? (mb_row){.type = &mb_row_spin, .i = axis} : mb_coordinate_row(coordinate, axis);
    return mb_check_bodies(s, "force", d->name, in->marker[0].body, in->marker[1].body);
}

dal_status mb_check_law(const mb_scope *s, mb_force *f, const dal_force *d)
{
    if ((!d->law && !d->calling_law) || d->ninputs < 0 || d->ninputs > DAL_INPUTS_MAX ||
        (d->ninputs > 0 && !d->inputs)) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': a law needs a callback and 0 to %d inputs", d->name,
                        DAL_INPUTS_MAX);
    }
    for (int k = 0; k < d->ninputs; ++k) {
        DAL_TRY(read_input(s, d, k, &f->input[k]));
    }
    return DAL_OK;
}

mb_columns mb_columns_of_input(const mb_plan *plan, const mb_input *in, int j)
{
    return in->state >= 0 ? mb_columns_of_force(&mb_plan_model(plan)->force[in->state])
                          : mb_columns_of_body(plan, in->marker[j].body);
}

/* The frames of a law depend on what its inputs measure. */
static void connect_law(mb_plan *plan, void *force)
{
    mb_force *f = force;
    mb_connect_frames(plan, force);
    for (int k = 0; k < 4 * f->d.ninputs; ++k) {
        mb_input *in = &f->input[k / 4];
        const int i = k / 2 % 2, j = k % 2;
        in->pair[i][j] = -1;
        if (j == 0 || in->state < 0) {
            mb_plan_pair(plan, &in->pair[i][j], mb_columns_of_body(plan, f->marker[i].body),
                         mb_columns_of_input(plan, in, j));
        }
    }
}

static const dal_key law_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY_READ(EXPRESSION, "value", "N or N m", "expression of t, of the inputs and of variables", MB_REQUIRED),
    MB_KEY_READ(INPUTS, "inputs", "", "inputs by name", MB_OPTIONAL)};

const mb_force_type mb_force_law = {
    .name = "law",
    .about = MB_ABOUT("An expression of time and of inputs, along a coordinate (positive: increases it).",
                      BODIES_OR_JOINT, law_keys),
    .inputs = 1,
    .recalled = law_recalled,
    .coordinates = 1,
    .check = mb_check_law,
    .value = law_value,
    .kink = mb_law_kink,
    .angles = mb_law_angle,
    .element = {.wants = MB_WANTS_FORCE | DAL_WANT_G,
                .connect = connect_law,
                .residual = law_residual,
                .tangent = law_tangent,
                .exchange = mb_exchange_feed}};
