/* A guide through which a beam of two-node elements is fed (BM.33): the section that is at its mouth has the frame of the guide. The
 * element that it is in is taken apart there, into one from its first node to the mouth and one from the mouth to its second node,
 * so that both sides bend as they like; their lengths follow the feed. */
#include <math.h>

#include "mbs/beam_impl.h"

static const double difference = 1e-6;
/* A node at the mouth is held by an element of this part of the length, that is, rigidly. */
static const double shortest = 1e-4;

/* The element at the mouth and its two parts: elements, their nodes, and the pairs of these. */
typedef struct parts {
    beam_element e[3];
    beam_point point[2];
    const mb_node *node[3][2];
    int pair[3][4];
} parts;

static void part_of(beam_element *e, beam_point *point, const mb_span *of, double part)
{
    const double whole = of->e.point->weight, length = whole * fmax(part, shortest);
    *point = *of->e.point;
    point->weight = point->slope = length;
    for (int i = 0; i < 6; ++i) {
        point->f0[i] *= part * whole / length;
    }
    *e = (beam_element){2, NULL, point};
}

static void parts_at(parts *p, const mb_slide *s, const mb_instance *m, const mb_span *span, double xi)
{
    const int first = (int)(span->node - m->of->beam[s->beam].node);
    const mb_node *A = span->node, *B = span->node + 1;
    p->e[0] = span->e;
    part_of(&p->e[1], &p->point[0], span, xi);
    part_of(&p->e[2], &p->point[1], span, 1.0 - xi);
    const mb_node *const nodes[3][2] = {{A, B}, {A, &s->hold}, {&s->hold, B}};
    memcpy(p->node, nodes, sizeof nodes);
    const int pairs[3][4] = {{-1, span->pair[1], span->pair[2], -1},
                             {-1, s->in[first], s->out[first], -1},
                             {-1, s->out[first + 1], s->in[first + 1], -1}};
    memcpy(p->pair, pairs, sizeof pairs);
}

/* The span at the mouth and where in it; speed, may be NULL. */
static const mb_span *mouth(double *xi, double *speed, const mb_slide *s, mb_instance *m, double t)
{
    const mb_beam *b = &m->of->beam[s->beam];
    double y[3];
    const mb_span *span = &m->of->span[b->first + mb_slide_fed(y, s, m, t)];
    *xi = y[0];
    if (speed) {
        *speed = y[1];
    }
    for (int k = 0; k < b->nslides; ++k) { // two mouths in an element would take it apart twice
        const mb_slide *other = &b->slide[k];
        if (other != s && other->guide && span == &m->of->span[b->first + mb_slide_fed(y, other, m, t)]) {
            MB_FAIL(m, DAL_EINVAL, "beam '%s': two guides are in one element at t = %.9g; use more elements",
                    m->of->beam_names.name[s->beam], t);
        }
    }
    return span;
}

/* Its own element does not count any more, its parts do. */
static double sign_of(int k)
{
    return k == 0 ? -1.0 : 1.0;
}

static void frames_of(beam_frame f[2], const mb_node *const node[2], const mb_instance *m)
{
    mb_node_frame(&f[0], node[0], m);
    mb_node_frame(&f[1], node[1], m);
}

static double energy(const mb_slide *s, const mb_span *span, const mb_instance *m, double xi)
{
    parts p;
    double V = 0.0;
    parts_at(&p, s, m, span, xi);
    for (int k = 0; k < 3; ++k) {
        beam_frame f[2];
        frames_of(f, p.node[k], m);
        V += sign_of(k) * beam_energy(&p.e[k], f);
    }
    return V;
}

static void guide_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    double xi;
    parts p;
    const mb_span *span = mouth(&xi, NULL, self, m, at->t);
    parts_at(&p, self, m, span, xi);
    for (int k = 0; k < 3; ++k) {
        beam_frame f[2];
        double r[12];
        frames_of(f, p.node[k], m);
        beam_force(r, &p.e[k], f);
        for (int i = 0; i < 12; ++i) {
            r[i] *= sign_of(k);
        }
        mb_node_force(m, p.node[k][0], r);
        mb_node_force(m, p.node[k][1], r + 6);
    }
}

static void guide_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    double xi;
    parts p;
    const mb_span *span = mouth(&xi, NULL, self, m, at->t);
    parts_at(&p, self, m, span, xi);
    for (int k = 0; k < 3; ++k) {
        mb_push_beam(m, sink, &p.e[k], p.node[k], p.pair[k], sign_of(k));
    }
}

static void guide_potential(double *V, const void *self, mb_instance *m, double t)
{
    double xi;
    const mb_span *span = mouth(&xi, NULL, self, m, t);
    *V += energy(self, span, m, xi);
}

/* What is fed in works against the forces along the axis. */
static void guide_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    double xi, speed;
    parts p;
    const mb_span *span = mouth(&xi, &speed, self, m, at->t);
    const double inside = fmax(difference, fmin(1.0 - difference, xi));
    parts_at(&p, self, m, span, xi);
    P[0] = P[1] = 0.0;
    for (int k = 0; k < 3; ++k) {
        beam_frame f[2];
        frames_of(f, p.node[k], m);
        P[0] += sign_of(k) * beam_loss(&p.e[k], f);
    }
    if (speed != 0.0) {
        const double less = energy(self, span, m, inside - 0.5 * difference);
        P[1] = speed * (energy(self, span, m, inside + 0.5 * difference) - less) / difference;
    }
}

static void guide_connect(mb_plan *plan, void *self)
{
    mb_slide_connect(plan, self);
}

const mb_element_type mb_element_guide = {.wants = DAL_WANT_C | DAL_WANT_K,
                                          .connect = guide_connect,
                                          .residual = guide_residual,
                                          .tangent = guide_tangent,
                                          .potential = guide_potential,
                                          .exchange = guide_exchange};
