/* Beam elements while a model is evaluated: frames of the nodes to the kernels, forces and tangents back to the bodies. */
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"

/* Section frame and its motion: x + R a, p o c, x' + R (Omega x a), A^T Omega */
static void frame_of(beam_frame *f, const mb_node *n, const mb_instance *m)
{
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const mb_state *b = &m->state[n->body];
    const double *p = n->body > 0 ? m->seen_q + m->body[n->body].q + 3 : unturned;
    copy3(f->x, b->x);
    copy3(f->xd, b->xd);
    if (n->plain) {
        memcpy(f->p, p, sizeof f->p);
        copy3(f->Om, b->Om);
        return;
    }
    double s[3], w[3];
    mat3_mul_vec(s, b->R, 3, n->a);
    cross3(w, b->om, s);
    add3(f->x, f->x, s);
    add3(f->xd, f->xd, w);
    quat_mul(f->p, p, n->c);
    tmul3(f->Om, n->A, b->Om);
}

static void frames_of(beam_frame *f, const mb_span *s, const mb_instance *m)
{
    for (int i = 0; i < s->e.n; ++i) {
        frame_of(&f[i], &s->node[i], m);
    }
}

/* r6 += forces at a node, torque in section axes: A tau + a x R^T f */
static void add_force(mb_instance *m, const mb_node *n, const double r[6])
{
    double *r6 = m->body[n->body].r6, f[3], t[3];
    if (n->body == 0) {
        return;
    }
    add3(r6, r6, r);
    if (n->plain) {
        add3(r6 + 3, r6 + 3, r + 3);
        return;
    }
    tmul3(f, m->state[n->body].R, r);
    mat3_mul_vec(t, n->A, 3, r + 3);
    add_cross3(t, 1.0, n->a, f);
    add3(r6 + 3, r6 + 3, t);
}

/* X := X T, T = [I, -R a~; 0, A^T] of the column's node; X 6 x 6 */
static void times_arm(double X[36], const mb_node *n, const double R[9])
{
    double U[9], V[9], W[9], Y[9];
    for (int half = 0; half < 6; half += 3) {
        for (int k = 0; k < 9; ++k) {
            U[k] = X[half + k % 3 + 6 * (k / 3)];
            V[k] = X[half + k % 3 + 6 * (3 + k / 3)];
        }
        mat3_mul(W, 3, U, 3, R, 3);
        mul_tilde(U, 3, W, n->a);
        for (int k = 0; k < 9; ++k) {
            Y[k] = n->A[k / 3 + 3 * (k % 3)]; // A^T
        }
        mat3_mul(W, 3, V, 3, Y, 3);
        for (int k = 0; k < 9; ++k) {
            X[half + k % 3 + 6 * (3 + k / 3)] = W[k] - U[k];
        }
    }
}

static void transpose6(double X[36])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < j; ++i) {
            const double x = X[i + 6 * j];
            X[i + 6 * j] = X[j + 6 * i];
            X[j + 6 * i] = x;
        }
    }
}

/* K += C (x' of the section) d(R (Omega x a)) = -C R (Omega x a)~ dtheta */
static void arm_rate(double K[36], const double C[36], const mb_instance *m, const mb_node *j)
{
    const mb_state *b = &m->state[j->body];
    double w[3], CR[9], X[9];
    cross3(w, b->Om, j->a);
    for (int half = 0; half < 6; half += 3) {
        double U[9];
        for (int k = 0; k < 9; ++k) {
            U[k] = C[half + k % 3 + 6 * (k / 3)];
        }
        mat3_mul(CR, 3, U, 3, b->R, 3);
        mul_tilde(X, 3, CR, w);
        for (int k = 0; k < 9; ++k) {
            K[half + k % 3 + 6 * (3 + k / 3)] -= X[k];
        }
    }
}

/* X := T_i^T X T_j; where C, of the sections, is given, X has the share of what turns with the arm of j, too */
static void to_bodies(double X[36], const double *C, const mb_instance *m, const mb_node *i, const mb_node *j)
{
    if (!j->plain) {
        times_arm(X, j, m->state[j->body].R);
    }
    if (!j->plain && C) {
        arm_rate(X, C, m, j);
    }
    if (!i->plain) {
        transpose6(X);
        times_arm(X, i, m->state[i->body].R);
        transpose6(X);
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
        add_force(m, &s->node[i], r + 6 * i);
    }
}

static void block(double X[36], const double *A, int ld, int i, int j)
{
    for (int k = 0; k < 6; ++k) {
        memcpy(X + 6 * k, A + 6 * i + (size_t)(6 * j + k) * (size_t)ld, 6 * sizeof *X);
    }
}

static void span_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    (void)at;
    const mb_span *s = self;
    const int n = s->e.n, ld = 6 * n, damped = beam_damped(&s->e);
    beam_frame f[BEAM_NODES_MAX];
    double K[BEAM_SIZE_MAX * BEAM_SIZE_MAX], C[BEAM_SIZE_MAX * BEAM_SIZE_MAX], r[BEAM_SIZE_MAX] = {0.0}, K6[36], C6[36];
    int turned = 0;
    memset(f, 0, sizeof f);
    frames_of(f, s, m);
    beam_tangent(K, C, &s->e, f);
    for (int i = 0; i < n; ++i) {
        turned |= !s->node[i].plain && s->node[i].body > 0;
    }
    if (turned) {
        beam_force(r, &s->e, f);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const mb_node *a = &s->node[i], *b = &s->node[j];
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
                double fb[3]; // a x R^T f with f that stays
                tmul3(fb, m->state[a->body].R, r + 6 * i);
                add_tilde_tilde(K6, 6, 3, 3, 1.0, a->a, fb);
            }
            mb_add_pair(m, sink, a->body, b->body, s->pair[n * i + j], damped ? C6 : NULL, K6);
        }
    }
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
    double w[3];
    frame_of(f, n, m);
    scale3(w, factor * n->length, l->vector + (size_t)(3 * i));
    if (l->follower) {
        quat_rotate(F, f->p, w);
    } else {
        copy3(F, w);
    }
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
        add_force(m, &b->node[i], r);
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
            double R[9], w[3], X[9];
            quat_matrix(R, f.p);
            tmul3(w, R, F);
            mul_tilde(X, 3, R, w);
            add_block(K6, 6, 0, 3, X);
            to_bodies(K6, NULL, m, n, n);
        }
        if (!n->plain) {
            double fb[3];
            tmul3(fb, m->state[n->body].R, F);
            add_tilde_tilde(K6, 6, 3, 3, -1.0, n->a, fb);
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

void mb_beam_at(double *x, double *p, double *strain, double *forces, const mb_instance *m, int beam, double s)
{
    const mb_beam *b = &m->of->beam[beam];
    beam_frame f[BEAM_NODES_MAX];
    int k = 0; // the element before the place
    while (k < b->count - 1 && s > b->node[(k + 1) * b->order].s) {
        ++k;
    }
    const mb_span *e = &m->of->span[b->first + k];
    const double s0 = e->node[0].s, s1 = e->node[e->e.n - 1].s;
    frames_of(f, e, m);
    beam_at(x, p, strain, forces, &e->e, f, (s - s0) / (s1 - s0));
}
