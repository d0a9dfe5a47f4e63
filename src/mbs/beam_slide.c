/* What slides along a beam. A point of a body is held on the axis by rows: two across it at the place that is nearest, of a bead or
 * a trolley, or all three at the place that is fed to it (BM.31). Between neighbouring nodes the axis is the cubic through their
 * places and section directions, so that its direction does not jump where the point passes from node to node. */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/pose.h"

enum { STEPS = 30, SIDES = 3, ROWS = 3 };

/* A frame of the rows: node A, node B, the body. Rows see its point p and, of nodes, the direction e of the axis. */
typedef struct side {
    int body;
    const double *a, *e0; /* in the frame of the body */
    double p[3], pd[3], pdd[3], e[3], ed[3], edd[3];
    double wp, we; /* weights of p and e in the gap */
} side;

/* Rows at a point. Derivatives with respect to xi, the part of the interval between A and B. */
typedef struct hold {
    const mb_slide *s;
    int interval, fed;
    double length; /* of the interval, without load */
    double xi, xid, xidd;
    side side[SIDES];
    double gap[3], T[3], N[3]; /* p - X, X', X'' */
    double n[ROWS][3];         /* directions of the rows, and their rates */
    double nd[ROWS][3];
    int nrows;
} hold;

static void side_at(side *s, const mb_instance *m, int body, const double *a, const double *e0)
{
    const mb_state *b = &m->state[body];
    double arm[3], wa[3];
    *s = (side){.body = body, .a = a, .e0 = e0};
    mat3_mul_vec(arm, b->R, 3, a);
    add3(s->p, b->x, arm);
    cross3(wa, b->om, arm);
    add3(s->pd, b->xd, wa);
    cross3(s->pdd, b->al, arm);
    add_cross3(s->pdd, 1.0, b->om, wa);
    add3(s->pdd, s->pdd, b->xdd);
    if (e0) {
        mat3_mul_vec(s->e, b->R, 3, e0);
        cross3(s->ed, b->om, s->e);
        cross3(s->edd, b->al, s->e);
        add_cross3(s->edd, 1.0, b->om, s->ed);
    }
}

/* Weights of (p_A, p_B, e_A, e_B) in derivative k of the axis. */
static void weights(double w[4], double x, double length, int k)
{
    const double h[3][4] = {
        {1.0 + x * x * (2.0 * x - 3.0), x * x * (3.0 - 2.0 * x), x * (1.0 + x * (x - 2.0)), x * x * (x - 1.0)},
        {6.0 * x * (x - 1.0), 6.0 * x * (1.0 - x), 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0)},
        {12.0 * x - 6.0, 6.0 - 12.0 * x, 6.0 * x - 4.0, 6.0 * x - 2.0}};
    for (int i = 0; i < 4; ++i) {
        w[i] = h[k][i] * (i < 2 ? 1.0 : length);
    }
}

/* Derivative k of the axis; rate: 0 of the axis itself, 1, 2: of how it moves at this xi */
static void axis_at(double y[3], const hold *h, int k, int rate)
{
    double w[4];
    weights(w, h->xi, h->length, k);
    for (int i = 0; i < 3; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < 2; ++j) {
            const side *s = &h->side[j];
            const double *p[3] = {s->p, s->pd, s->pdd}, *e[3] = {s->e, s->ed, s->edd};
            y[i] += w[j] * p[rate][i] + w[2 + j] * e[rate][i];
        }
    }
}

static void take_interval(hold *h, const mb_instance *m, const mb_beam *b, int interval)
{
    h->interval = interval;
    h->length = b->length * (b->node[interval + 1].s - b->node[interval].s);
    for (int i = 0; i < 2; ++i) {
        const mb_node *n = &b->node[interval + i];
        side_at(&h->side[i], m, n->body, n->a, n->A);
    }
}

/* ---- where ------------------------------------------------------------------------------------ */

/* The interval whose chord is nearest to the point. */
static int nearest(const mb_instance *m, const mb_beam *b, const double x[3])
{
    double least = INFINITY, p[2][3];
    int best = 0;
    for (int i = 0; i < b->nnodes; ++i) {
        const mb_state *of = &m->state[b->node[i].body];
        double *now = p[i % 2], *last = p[1 - i % 2], chord[3], way[3];
        mat3_mul_vec(now, of->R, 3, b->node[i].a);
        add3(now, now, of->x);
        if (i == 0) {
            continue;
        }
        sub3(chord, now, last);
        sub3(way, x, last);
        axpy3(way, -fmax(0.0, fmin(1.0, dot3(chord, way) / dot3(chord, chord))), chord);
        if (dot3(way, way) < least) {
            least = dot3(way, way);
            best = i - 1;
        }
    }
    return best;
}

/* The place at which the gap is across the axis: X'.(p - X) = 0 */
static void find_place(hold *h)
{
    for (int i = 0; i < STEPS; ++i) {
        double X[3], T[3], N[3], gap[3];
        axis_at(X, h, 0, 0);
        axis_at(T, h, 1, 0);
        axis_at(N, h, 2, 0);
        sub3(gap, h->side[2].p, X);
        const double TT = dot3(T, T), slope = fmax(TT - dot3(N, gap), 0.3 * TT), step = dot3(T, gap) / slope;
        h->xi += fmax(-0.5, fmin(0.5, step));
        if (fabs(step) < 1e-15) {
            break;
        }
    }
}

static void slide_to(hold *h, mb_instance *m, const mb_beam *b)
{
    int k = nearest(m, b, h->side[2].p), back = -1;
    h->xi = 0.5;
    for (;;) { // on to the next interval, where it leaves this one
        take_interval(h, m, b, k);
        find_place(h);
        const int next = h->xi < 0.0 ? k - 1 : h->xi > 1.0 ? k + 1 : k;
        if (next == k || next == back || next < 0 || next >= b->nnodes - 1) {
            break;
        }
        h->xi = next < k ? 1.0 : 0.0;
        back = k;
        k = next;
    }
    if (h->xi < -1.0 || h->xi > 2.0) {
        MB_FAIL(m, DAL_RETRY,
                "body '%s' slides off the end of beam '%s'; a longer beam, a stop or an earlier end helps",
                m->of->body_names.name[h->s->body], m->of->beam_names.name[h->s->beam]);
    }
}

int mb_slide_fed(double xi[3], const mb_slide *s, mb_instance *m, double t)
{
    const mb_beam *b = &m->of->beam[s->beam];
    double y[3] = {0.0};
    mb_function_at(y, m, s->function, t, "beam", m->of->beam_names.name[s->beam]);
    const int ends = !(y[0] >= 0.0 && y[0] <= b->length);
    const double place = fmax(0.0, fmin(1.0, y[0] / b->length));
    int lo = 0, hi = b->nnodes - 1;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(place >= b->node[mid].s ? &lo : &hi) = mid;
    }
    const double s0 = b->node[lo].s, part = b->node[lo + 1].s - s0;
    xi[0] = (place - s0) / part;
    for (int k = 1; k < 3; ++k) {
        xi[k] = ends ? 0.0 : y[k] / (b->length * part);
    }
    return lo;
}

/* a := a - (a.T/T.T) T, and its rate from those of a and T */
static void across(double a[3], double ad[3], const double T[3], const double Td[3])
{
    const double TT = dot3(T, T), c = dot3(a, T) / TT;
    const double cd = (dot3(ad, T) + dot3(a, Td) - 2.0 * c * dot3(T, Td)) / TT;
    axpy3(a, -c, T);
    axpy3(ad, -cd, T);
    axpy3(ad, -c, Td);
}

/* y := y/|y|, and its rate */
static void normalise(double y[3], double yd[3])
{
    const double size = sqrt(dot3(y, y));
    scale3(y, 1.0 / size, y);
    scale3(yd, 1.0 / size, yd);
    axpy3(yd, -dot3(y, yd), y);
}

/* Two directions across the axis that turn with the sections, n1 and T x n1, and their rates; of what is fed the axes of the world. */
static void directions(hold *h, const mb_beam *b, const mb_instance *m)
{
    static const double world[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    h->nrows = h->fed ? 3 : 2;
    if (h->fed) {
        memcpy(h->n, world, sizeof world);
        return;
    }
    double Td[3], *n = h->n[0], *nd = h->nd[0];
    axis_at(Td, h, 1, 1);
    axpy3(Td, h->xid, h->N);
    for (int i = 0; i < 2; ++i) {
        const mb_node *node = &b->node[h->interval + i];
        const double part = i == 0 ? 1.0 - h->xi : h->xi, rate = i == 0 ? -h->xid : h->xid;
        double e[3], ed[3];
        mat3_mul_vec(e, m->state[node->body].R, 3, node->A + 3);
        cross3(ed, m->state[node->body].om, e);
        axpy3(n, part, e);
        axpy3(nd, part, ed);
        axpy3(nd, rate, e);
    }
    across(n, nd, h->T, Td);
    normalise(n, nd);
    cross3(h->n[1], h->T, n);
    cross3(h->nd[1], Td, n);
    add_cross3(h->nd[1], 1.0, h->T, nd);
    normalise(h->n[1], h->nd[1]);
}

/* interval: where it is, for derivatives, which must not mix those on both sides of a node; -1: to be found */
static void hold_at(hold *h, const mb_slide *s, mb_instance *m, double t, int interval)
{
    const mb_beam *b = &m->of->beam[s->beam];
    double X[3], Xd[3], way[3], w[4];
    *h = (hold){.s = s, .fed = s->function > 0};
    side_at(&h->side[2], m, s->body, s->hold.a, NULL);
    if (h->fed) {
        double xi[3];
        take_interval(h, m, b, mb_slide_fed(xi, s, m, t));
        h->xi = xi[0];
        h->xid = xi[1];
        h->xidd = xi[2];
    } else if (interval >= 0) {
        h->xi = 0.5;
        take_interval(h, m, b, interval);
        find_place(h);
    } else {
        slide_to(h, m, b);
    }
    axis_at(X, h, 0, 0);
    axis_at(h->T, h, 1, 0);
    axis_at(h->N, h, 2, 0);
    sub3(h->gap, h->side[2].p, X);
    if (!h->fed) { // the point runs along the axis: p' = X_t + T xi'
        axis_at(Xd, h, 0, 1);
        sub3(way, h->side[2].pd, Xd);
        h->xid = dot3(h->T, way) / dot3(h->T, h->T);
    }
    weights(w, h->xi, h->length, 0);
    for (int i = 0; i < 2; ++i) {
        h->side[i].wp = -w[i];
        h->side[i].we = -w[2 + i];
    }
    h->side[2].wp = 1.0;
    directions(h, b, m);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Rates of the rows and their derivatives. Those of a bead are normal to T: its xi' comes in with the axis that it leaves behind. */
static void rates(double vel[ROWS], double acc[ROWS], const hold *h)
{
    double u[3], a[3], Xd[3], Xdd[3], Td[3];
    axis_at(Xd, h, 0, 1);
    axis_at(Xdd, h, 0, 2);
    axis_at(Td, h, 1, 1);
    const double twice = h->fed ? 2.0 : 1.0, fed = h->fed ? 1.0 : 0.0;
    for (int i = 0; i < 3; ++i) {
        u[i] = h->side[2].pd[i] - Xd[i] - fed * h->T[i] * h->xid;
        a[i] =
            h->side[2].pdd[i] - Xdd[i] - twice * Td[i] * h->xid - fed * (h->N[i] * h->xid * h->xid + h->T[i] * h->xidd);
    }
    for (int k = 0; k < h->nrows; ++k) {
        vel[k] = dot3(h->n[k], u);
        acc[k] = dot3(h->n[k], a) + dot3(h->nd[k], u);
    }
}

/* What a force f along the gap does to the frame of a side. */
static void side_force(double r6[6], const side *s, const mb_instance *m, const double f[3])
{
    double own[3], turn[3];
    scale3(r6, s->wp, f);
    tmul3(own, m->state[s->body].R, f);
    cross3(r6 + 3, s->a, own);
    scale3(r6 + 3, s->wp, r6 + 3);
    if (s->e0) {
        cross3(turn, s->e0, own);
        axpy3(r6 + 3, s->we, turn);
    }
}

static void force_of(double f[3], const hold *h, const double *la)
{
    f[0] = f[1] = f[2] = 0.0;
    for (int k = 0; k < h->nrows; ++k) {
        axpy3(f, la[k], h->n[k]);
    }
}

static void slide_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    double vel[3], acc[3], f[3], r6[6];
    hold h;
    hold_at(&h, c->slide, m, at->t, -1);
    rates(vel, acc, &h);
    for (int i = 0; i < h.nrows && out->Phi; ++i) {
        out->Phi[c->row0 + i] = dot3(h.n[i], h.gap);
    }
    for (int i = 0; i < h.nrows && out->vel; ++i) {
        out->vel[c->row0 + i] = vel[i];
    }
    for (int i = 0; i < h.nrows && out->acc; ++i) {
        out->acc[c->row0 + i] = acc[i];
    }
    if (out->r) {
        force_of(f, &h, at->la + c->row0);
        for (int i = 0; i < SIDES; ++i) {
            mb_body *b = &m->body[h.side[i].body];
            if (b->factor >= 0) {
                side_force(r6, &h.side[i], m, f);
                for (int k = 0; k < 6; ++k) {
                    b->r6[k] += r6[k];
                }
            }
        }
    }
}

/* What depends on the motion of one body: forces on all sides, rates of the rows, their second derivatives. */
typedef struct values {
    double f[SIDES][6], vel[ROWS], acc[ROWS];
} values;

static void values_at(values *y, const mb_constraint *c, mb_instance *m, const dal_point *at, int interval)
{
    hold h;
    double f[3];
    hold_at(&h, c->slide, m, at->t, interval);
    rates(y->vel, y->acc, &h);
    force_of(f, &h, at->la + c->row0);
    for (int i = 0; i < SIDES; ++i) {
        side_force(y->f[i], &h.side[i], m, f);
    }
}

/* Derivatives of all that with respect to component k of the motion of side j, by differences: it is smooth. */
static void derivative(values *y, const mb_constraint *c, mb_instance *m, const hold *h, int j, int what, int k,
                       const dal_point *at)
{
    const int body = h->side[j].body;
    const mb_state kept = m->state[body];
    const double by = MB_DIFFERENCE;
    values other = {0};
    mb_perturb(&m->state[body], what, k, by);
    values_at(y, c, m, at, h->interval);
    m->state[body] = kept;
    mb_perturb(&m->state[body], what, k, -by);
    values_at(&other, c, m, at, h->interval);
    m->state[body] = kept;
    double *a = (double *)y;
    const double *b = (const double *)&other;
    for (size_t i = 0; i < sizeof other / sizeof(double); ++i) {
        a[i] = (a[i] - b[i]) / (2.0 * by);
    }
}

/* Number of the link of a side; of the pair of two. */
static int link_of(const mb_constraint *c, const hold *h, int i)
{
    return i < 2 ? c->slide->link[h->interval + i] : c->link[0];
}

static int pair_of(const mb_constraint *c, const mb_instance *m, const hold *h, int i, int j)
{
    const mb_slide *s = c->slide;
    const mb_beam *b = &m->of->beam[s->beam];
    const mb_span *span = &m->of->span[b->first + h->interval / b->order];
    const int n = span->e.n, first = h->interval % b->order;
    return i < 2 && j < 2 ? span->pair[n * (first + i) + first + j]
           : i < 2        ? s->in[h->interval + i]
           : j < 2        ? s->out[h->interval + j]
                          : -1;
}

static void slide_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    hold h;
    hold_at(&h, c->slide, m, at->t, -1);
    for (int j = 0; j < SIDES; ++j) {
        const int body = h.side[j].body;
        double B[6 * ROWS], Z[6 * ROWS], K[SIDES][36];
        if (m->body[body].factor < 0) {
            continue;
        }
        for (int k = 0; k < h.nrows; ++k) {
            double r6[6];
            side_force(r6, &h.side[j], m, h.n[k]);
            for (int i = 0; i < 6; ++i) {
                B[k + i * h.nrows] = r6[i];
            }
        }
        for (int k = 0; k < 6; ++k) {
            values d = {0};
            derivative(&d, c, m, &h, j, MB_BY_POSITION, k, at);
            memcpy(Z + k * h.nrows, d.vel, (size_t)h.nrows * sizeof *Z);
            for (int i = 0; i < SIDES; ++i) {
                memcpy(K[i] + 6 * k, d.f[i], 6 * sizeof(double));
            }
        }
        mb_push_link(m, sink, body, link_of(c, &h, j), B, Z, h.nrows);
        for (int i = 0; i < SIDES && (sink->wants & DAL_WANT_K); ++i) {
            if (m->body[h.side[i].body].factor >= 0) {
                mb_add_pair(m, sink, h.side[i].body, body, pair_of(c, m, &h, i, j), NULL, K[i]);
            }
        }
    }
}

static void slide_acceleration(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    hold h;
    hold_at(&h, c->slide, m, at->t, -1);
    for (int j = 0; j < SIDES; ++j) {
        const int body = h.side[j].body;
        double A[3][6 * ROWS];
        if (m->body[body].factor < 0) {
            continue;
        }
        for (int k = 0; k < 18; ++k) {
            values d = {0};
            derivative(&d, c, m, &h, j, k / 6, k % 6, at);
            memcpy(A[k / 6] + (size_t)(k % 6 * h.nrows), d.acc, (size_t)h.nrows * sizeof(double));
        }
        mb_push_link_acc(m, sink, body, link_of(c, &h, j), A[0], A[1], A[2], h.nrows);
    }
}

static void slide_connect(mb_plan *plan, void *self)
{
    const mb_constraint *c = self;
    mb_slide_connect(plan, c->slide);
}

/* What feeds it pulls along the axis: the force of the rows on the beam times the speed of the place. */
static void slide_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_constraint *c = self;
    hold h;
    double f[3];
    hold_at(&h, c->slide, m, at->t, -1);
    force_of(f, &h, at->la + c->row0);
    P[0] = 0.0;
    P[1] = h.fed ? -h.xid * dot3(f, h.T) : 0.0;
}

static void slide_name(char *buffer, size_t size, const void *self, const dal_model *m, int row)
{
    const mb_slide *s = ((const mb_constraint *)self)->slide;
    snprintf(buffer, size, "slide of '%s' along '%s': %s %c", m->body_names.name[s->body], m->beam_names.name[s->beam],
             s->function > 0 ? "point" : "across", (s->function > 0 ? 'x' : 'y') + row);
}

const mb_element_type mb_constraint_slide = {.connect = slide_connect,
                                             .residual = slide_residual,
                                             .tangent = slide_tangent,
                                             .acceleration = slide_acceleration,
                                             .exchange = slide_exchange,
                                             .row_name = slide_name};

/* ---- adding ----------------------------------------------------------------------------------- */

void mb_slide_connect(mb_plan *plan, const mb_slide *s)
{
    const mb_beam *b = &mb_plan_model(plan)->beam[s->beam];
    for (int i = 0; i < b->nnodes; ++i) {
        const mb_columns node = mb_columns_of_body(plan, b->node[i].body), own = mb_columns_of_body(plan, s->body);
        mb_plan_pair(plan, &s->in[i], node, own);
        mb_plan_pair(plan, &s->out[i], own, node);
    }
}

static dal_status build_rows(dal_model *m, const mb_slide *s)
{
    const mb_constraint c = {.type = &mb_constraint_slide,
                             .joint = -1,
                             .force = -1,
                             .nsides = 1,
                             .nrows = s->function > 0 ? 3 : 2,
                             .body = {s->body},
                             .slide = s};
    return s->guide ? DAL_OK : mb_add_constraint(m, &c);
}

dal_status mb_slides_build(dal_model *m)
{
    for (int b = 0; b < m->beam_names.n; ++b) {
        for (int k = 0; k < m->beam[b].nslides; ++k) {
            DAL_TRY(build_rows(m, &m->beam[b].slide[k]));
        }
    }
    return DAL_OK;
}

/* Is the description sound? */
static dal_status check(const dal_model *m, const mb_beam *b, const dal_exact_beam *beam, int k)
{
    const dal_beam_slide *d = &beam->slide[k];
    if (d->body < 0 || d->body >= m->body_names.n || !mb_function_known(m, d->function) || !mb_norm_ok(d->point, 3)) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "beam '%s': slide %d needs a body, a point, and a function that there is, or none", beam->name,
                        k + 1);
    }
    for (int i = 0; i < b->nnodes; ++i) {
        if (b->node[i].body == d->body && d->body > 0) {
            return dal_fail(m->ctx, DAL_EINVAL, "beam '%s': slide %d: '%s' is a node of the beam itself", beam->name,
                            k + 1, m->body_names.name[d->body]);
        }
    }
    if (d->guide && (d->function == DAL_NO_FUNCTION || b->order != 1 || beam->fourth_order || beam->consistent)) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "beam '%s': slide %d: a guide needs a feed and a beam of order 1 without fourth_order and "
                        "consistent, of whose elements it takes the one that it is in apart; two slides at a distance "
                        "in one body hold the direction without feed",
                        beam->name, k + 1);
    }
    return DAL_OK;
}

dal_status mb_beam_add_slides(dal_model *m, mb_beam *b, int number, const dal_exact_beam *beam, const double *poses)
{
    DAL_TAKE(&m->pool, b->slide, beam->nslides);
    for (int i = 0; i < beam->nslides; ++i) {
        const dal_beam_slide *d = &beam->slide[i];
        mb_slide *s = &b->slide[i];
        double of[7], x[3], frame[7], least = INFINITY;
        DAL_TRY(check(m, b, beam, i));
        *s = (mb_slide){.beam = number, .body = d->body, .function = d->function, .guide = d->guide};
        DAL_TAKE(&m->pool, s->in, b->nnodes);
        DAL_TAKE(&m->pool, s->out, b->nnodes);
        DAL_TAKE(&m->pool, s->link, b->nnodes);
        DAL_TRY(mb_model_pose(m, of, d->body));
        dal_quat_rotate(x, of + 3, d->point);
        add3(x, x, of);
        for (int j = 0; j < b->nnodes; ++j) { // axes of the section that is nearest at the start
            const double *pose = poses + (size_t)(7 * j);
            double way[3];
            sub3(way, pose, x);
            if (dot3(way, way) < least) {
                least = dot3(way, way);
                mb_frame_in(frame, of, pose);
            }
        }
        s->hold = (mb_node){.body = d->body};
        copy3(s->hold.a, d->point);
        memcpy(s->hold.c, frame + 3, sizeof s->hold.c);
        dal_quat_to_matrix(s->hold.A, s->hold.c);
        b->nslides = i + 1;
        b->nguides += d->guide;
    }
    return DAL_OK;
}
