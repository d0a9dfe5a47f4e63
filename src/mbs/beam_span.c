/* Beam elements while a model is evaluated: frames of the nodes to the kernels, forces and tangents back to the bodies. */
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/node_kernel.h"

void mb_node_frame(beam_frame *f, const mb_node *n, const mb_instance *m)
{
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const mb_state *b = &m->state[n->body];
    const mb_body *of = &m->body[n->body];
    const double *p = n->body > 0 ? m->seen_q + of->q + 3 : unturned;
    double turned[4];
    if (n->body > 0 && of->type != &mb_body_r3so3) { // a guide in other coordinates
        dal_quat_from_matrix(turned, b->R);
        p = turned;
    }
    if (n->plain) {
        node_plain(f, b, p);
    } else {
        node_frame(f, b, p, n->a, n->A, n->c);
    }
}

static void frames_of(beam_frame *f, const mb_span *s, const mb_instance *m)
{
    for (int i = 0; i < s->e.n; ++i) {
        mb_node_frame(&f[i], &s->node[i], m);
    }
}

void mb_node_force(mb_instance *m, const mb_node *n, const double r[6])
{
    double *r6 = m->body[n->body].r6;
    if (n->body > 0 && n->plain) {
        node_add_force(r6, r);
    } else if (n->body > 0) {
        node_add_arm(r6, r, &m->state[n->body], n->a, n->A);
    }
}

/* X := T_i^T X T_j; where C, of the sections, is given, X has the share of what turns with the arm of j, too */
static void to_bodies(double X[36], const double *C, const mb_instance *m, const mb_node *i, const mb_node *j)
{
    if (!j->plain) {
        node_columns(X, &m->state[j->body], j->a, j->A);
    }
    if (!j->plain && C) {
        node_arm_rate(X, C, &m->state[j->body], j->a);
    }
    if (!i->plain) {
        node_rows(X, &m->state[i->body], i->a, i->A);
    }
}

static void span_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out, (void)at;
    const mb_span *s = self;
    beam_frame f[BEAM_NODES_MAX];
    double r[BEAM_SIZE_MAX];
    frames_of(f, s, m);
    beam_force(r, &s->e, f);
    for (int i = 0; i < s->e.n; ++i) {
        mb_node_force(m, &s->node[i], r + 6 * i);
    }
}

static void block(double X[36], const double *A, int ld, int i, int j)
{
    for (int k = 0; k < 6; ++k) {
        memcpy(X + 6 * k, A + 6 * i + (size_t)(6 * j + k) * (size_t)ld, 6 * sizeof *X);
    }
}

void mb_push_beam(mb_instance *m, dal_sink *sink, const beam_element *e, const mb_node *const *node, const int *pair,
                  double sign)
{
    const int n = e->n, ld = 6 * n, damped = beam_damped(e);
    beam_frame f[BEAM_NODES_MAX];
    double K[BEAM_SIZE_MAX * BEAM_SIZE_MAX], C[BEAM_SIZE_MAX * BEAM_SIZE_MAX], r[BEAM_SIZE_MAX] = {0.0}, K6[36], C6[36];
    int turned = 0;
    memset(f, 0, sizeof f);
    for (int i = 0; i < n; ++i) {
        mb_node_frame(&f[i], node[i], m);
        turned |= !node[i]->plain && node[i]->body > 0;
    }
    beam_tangent(K, C, e, f);
    if (turned) {
        beam_force(r, e, f);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const mb_node *a = node[i], *b = node[j];
            if (a->body == 0 || b->body == 0) {
                continue;
            }
            block(K6, K, ld, i, j);
            if (damped) {
                block(C6, C, ld, i, j);
            }
            to_bodies(K6, damped ? C6 : NULL, m, a, b);
            if (damped) {
                to_bodies(C6, NULL, m, a, b);
            }
            if (i == j && !a->plain) {
                node_arm_force(K6, 1.0, &m->state[a->body], a->a, r + 6 * i);
            }
            for (int k = 0; k < 36 && sign != 1.0; ++k) {
                K6[k] *= sign;
                C6[k] = damped ? sign * C6[k] : 0.0;
            }
            mb_add_pair(m, sink, a->body, b->body, pair[n * i + j], damped ? C6 : NULL, K6);
        }
    }
}

static void span_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    (void)at;
    const mb_span *s = self;
    const mb_node *node[BEAM_NODES_MAX] = {NULL};
    for (int i = 0; i < s->e.n; ++i) {
        node[i] = &s->node[i];
    }
    mb_push_beam(m, sink, &s->e, node, s->pair, 1.0);
}

static void span_connect(mb_plan *plan, void *self)
{
    const mb_span *s = self;
    const int n = s->e.n;
    for (int k = 0; k < n * n; ++k) {
        mb_plan_pair(plan, &s->pair[k], mb_columns_of_body(plan, s->node[k / n].body),
                     mb_columns_of_body(plan, s->node[k % n].body));
    }
}

static void span_potential(double *V, const void *self, mb_instance *m, double t)
{
    (void)t;
    const mb_span *s = self;
    beam_frame f[BEAM_NODES_MAX];
    frames_of(f, s, m);
    *V += beam_energy(&s->e, f);
}

static void span_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    (void)at;
    const mb_span *s = self;
    beam_frame f[BEAM_NODES_MAX];
    frames_of(f, s, m);
    P[0] = beam_loss(&s->e, f);
    P[1] = 0.0;
}

const mb_element_type mb_element_span = {.wants = DAL_WANT_C | DAL_WANT_K,
                                         .connect = span_connect,
                                         .residual = span_residual,
                                         .tangent = span_tangent,
                                         .potential = span_potential,
                                         .exchange = span_exchange};

/* ---- loads per length ------------------------------------------------------------------------- */

/* Factor of time. */
static double line_factor(const mb_line_load *l, mb_instance *m, double t)
{
    double y[3] = {1.0, 0.0, 0.0};
    if (l->function > 0) {
        mb_function_at(y, m, l->function, t, "beam", m->of->beam_names.name[l->beam]);
    }
    return y[0];
}

/* What acts on node i, in world axes, and its section frame */
static void line_at(double F[3], beam_frame *f, const mb_line_load *l, const mb_instance *m, int i, double factor)
{
    const mb_node *n = &m->of->beam[l->beam].node[i];
    mb_node_frame(f, n, m);
    node_load(F, f, l->vector + (size_t)(3 * i), factor * n->length, l->follower);
}

static void line_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_line_load *l = self;
    const mb_beam *b = &m->of->beam[l->beam];
    const double factor = line_factor(l, m, at->t);
    for (int i = 0; i < b->nnodes; ++i) {
        beam_frame f;
        double r[6] = {0.0};
        line_at(r, &f, l, m, i, factor);
        scale3(r, -1.0, r);
        mb_node_force(m, &b->node[i], r);
    }
}

/* A follower turns with its node: -dF = R p~ A^T dtheta; and with an arm a x R^T f */
static void line_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_line_load *l = self;
    const mb_beam *b = &m->of->beam[l->beam];
    const double factor = line_factor(l, m, at->t);
    for (int i = 0; i < b->nnodes; ++i) {
        const mb_node *n = &b->node[i];
        beam_frame f;
        double F[3], K6[36] = {0.0};
        if (n->body == 0 || (n->plain && !l->follower)) {
            continue;
        }
        line_at(F, &f, l, m, i, factor);
        if (l->follower) {
            node_load_turns(K6, &f, F);
            to_bodies(K6, NULL, m, n, n);
        }
        if (!n->plain) {
            node_arm_force(K6, -1.0, &m->state[n->body], n->a, F);
        }
        mb_add_pair(m, sink, n->body, n->body, -1, NULL, K6);
    }
}

/* A constant load in world axes has a potential. */
static void line_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_line_load *l = self;
    const mb_beam *b = &m->of->beam[l->beam];
    for (int i = 0; i < b->nnodes && !l->follower && l->function == 0; ++i) {
        beam_frame f;
        double F[3];
        (void)t;
        line_at(F, &f, l, m, i, 1.0);
        *V -= dot3(F, f.x);
    }
}

static void line_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_line_load *l = self;
    const mb_beam *b = &m->of->beam[l->beam];
    P[0] = P[1] = 0.0;
    for (int i = 0; i < b->nnodes && (l->follower || l->function > 0); ++i) {
        beam_frame f;
        double F[3];
        line_at(F, &f, l, m, i, line_factor(l, m, at->t));
        P[1] += dot3(F, f.xd);
    }
}

const mb_element_type mb_element_line = {.wants = DAL_WANT_C | DAL_WANT_K,
                                         .residual = line_residual,
                                         .tangent = line_tangent,
                                         .potential = line_potential,
                                         .exchange = line_exchange};

/* ---- at a place ------------------------------------------------------------------------------- */

void mb_beam_in(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, int element, double s,
                double t)
{
    const mb_beam *b = &m->of->beam[beam];
    const mb_span *e = &m->of->span[b->first + element];
    const double s0 = e->node[0].s, s1 = e->node[e->e.n - 1].s;
    const double xi = (s - s0) / (s1 - s0);
    beam_frame f[BEAM_NODES_MAX];
    if (b->nguides > 0 && mb_guide_at(x, p, strain, forces, m, beam, e, xi, t)) {
        return;
    }
    frames_of(f, e, m);
    beam_at(x, p, strain, forces, &e->e, f, xi);
}

void mb_beam_at(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, double s, double t)
{
    const mb_beam *b = &m->of->beam[beam];
    int k = 0; // the element before the place
    while (k < b->count - 1 && s > b->node[(k + 1) * b->order].s) {
        ++k;
    }
    mb_beam_in(x, p, strain, forces, m, beam, k, s, t);
}
