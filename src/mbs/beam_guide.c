/* A guide through which a beam of two-node elements is fed (BM.33): the section that is at its mouth has the frame of the guide. The
 * element that it is in is taken apart there, into one from its first node to the mouth and one from the mouth to its second node,
 * so that both sides bend as they like; their lengths follow the feed. */
#include <math.h>

#include "mbs/beam_impl.h"

/* A node at the mouth is held by an element of this part of the length, that is, rigidly and without damping. */
static const double shortest = 1e-4;

enum { WHOLE, BEFORE, BEHIND, PARTS, MOST = PARTS + 2 };

/* The element at the mouth and its two parts: elements, their nodes, and the pairs of these. Where a damped beam moves on, a part gets
 * longer at the rate growth (of its length), and its strain d/L - f0 changes by -growth d/L, too: the damping of that is the force
 * of an element beside it with the stiffness -growth D and no reference. */
typedef struct parts {
    int n;
    double weight, rate; /* of this way to take the beam apart, and the rate of that */
    beam_element e[MOST];
    beam_point point[MOST - 1];
    beam_section held[2], beside[2];
    int beside_of[PARTS];
    const mb_node *node[MOST][2];
    int pair[MOST][4];
} parts;

static void part_of(parts *p, int k, const mb_span *of, double part)
{
    beam_point *point = &p->point[k - 1];
    const double whole = of->e.point->weight, length = whole * fmax(part, shortest);
    *point = *of->e.point;
    point->weight = point->slope = length;
    for (int i = 0; i < 6; ++i) {
        point->f0[i] *= part * whole / length;
    }
    p->e[k] = (beam_element){2, NULL, point};
    if (part < shortest && point->section->damped) {
        beam_section *held = &p->held[k - 1];
        *held = (beam_section){0};
        memcpy(held->K, point->section->K, sizeof held->K);
        point->section = held;
    }
}

/* speed: of the feed, as it makes part k longer */
static void add_growth(parts *p, int k, double speed)
{
    const beam_point *of = p->e[k].point;
    const double rate = speed / of->weight;
    beam_point *point = &p->point[p->n - 1];
    beam_section *section = &p->beside[k - 1];
    if (rate == 0.0 || !of->section->damped) {
        return;
    }
    p->beside_of[k] = p->n;
    *section = (beam_section){0};
    for (int i = 0; i < 36; ++i) {
        section->K[i] = -rate * of->section->D[i];
    }
    *point = (beam_point){.section = section, .weight = of->weight, .slope = of->slope};
    p->e[p->n] = (beam_element){2, NULL, point};
    memcpy(p->node[p->n], p->node[k], sizeof p->node[k]);
    memcpy(p->pair[p->n], p->pair[k], sizeof p->pair[k]);
    ++p->n;
}

/* xi: where in the span the mouth is, and the rate of that */
static void parts_at(parts *p, const mb_slide *s, const mb_instance *m, const mb_span *span, const double xi[2])
{
    const int first = (int)(span->node - m->of->beam[s->beam].node);
    const mb_node *A = span->node, *B = span->node + 1;
    p->n = PARTS;
    memset(p->beside_of, 0, sizeof p->beside_of);
    p->e[WHOLE] = span->e;
    part_of(p, BEFORE, span, xi[0]);
    part_of(p, BEHIND, span, 1.0 - xi[0]);
    const mb_node *const nodes[PARTS][2] = {{A, B}, {A, &s->hold}, {&s->hold, B}};
    memcpy(p->node, nodes, sizeof nodes);
    const int pairs[PARTS][4] = {{-1, span->pair[1], span->pair[2], -1},
                                 {-1, s->in[first], s->out[first], -1},
                                 {-1, s->out[first + 1], s->in[first + 1], -1}};
    memcpy(p->pair, pairs, sizeof pairs);
    add_growth(p, BEFORE, xi[1] * span->e.point->weight);
    add_growth(p, BEHIND, -xi[1] * span->e.point->weight);
}

/* The span at the mouth, where in it, and two rates of that. */
static const mb_span *mouth(double xi[3], const mb_slide *s, mb_instance *m, double t)
{
    const mb_beam *b = &m->of->beam[s->beam];
    return &m->of->span[b->first + mb_slide_fed(xi, s, m, t)];
}

/* Two mouths in an element would take it apart twice. */
static void check_alone(const mb_slide *s, mb_instance *m, const mb_span *span, double t)
{
    const mb_beam *b = &m->of->beam[s->beam];
    double y[3];
    for (int k = 0; k < b->nslides; ++k) {
        const mb_slide *other = &b->slide[k];
        if (other != s && other->guide && span == mouth(y, other, m, t)) {
            MB_FAIL(m, DAL_EINVAL, "beam '%s': two guides are in one element at t = %.9g; use more elements",
                    m->of->beam_names.name[s->beam], t);
        }
    }
}

/* What is apart at time t: the element at the mouth; and, while a node passes, the one on its other side, too, whose weight grows or falls
 * smoothly. Otherwise the element that holds the node would take over its load at once, which gives with it, and would ring. (BM.35) */
static int sides_at(parts side[2], const mb_slide *s, mb_instance *m, double t)
{
    const mb_beam *b = &m->of->beam[s->beam];
    double xi[3];
    const mb_span *span = mouth(xi, s, m, t);
    const int up = xi[0] > 0.5, i = (int)(span - m->of->span) - b->first + (up ? 1 : -1);
    const double z = (up ? 1.0 - xi[0] : xi[0]) / shortest;
    check_alone(s, m, span, t);
    parts_at(&side[0], s, m, span, xi);
    side[0].weight = 1.0;
    side[0].rate = 0.0;
    if (z >= 1.0 || i < 0 || i >= b->count) {
        return 1;
    }
    const mb_span *next = &m->of->span[b->first + i];
    const double part = span->e.point->weight / next->e.point->weight, rate = (up ? -1.0 : 1.0) * xi[1] / shortest;
    const double there[2] = {up ? (xi[0] - 1.0) * part : 1.0 + xi[0] * part, xi[1] * part};
    check_alone(s, m, next, t);
    parts_at(&side[1], s, m, next, there);
    side[0].weight = 0.5 + z * (15.0 - z * z * (10.0 - 3.0 * z * z)) / 16.0;
    side[0].rate = 15.0 / 16.0 * (1.0 - z * z) * (1.0 - z * z) * rate;
    side[1].weight = 1.0 - side[0].weight;
    side[1].rate = -side[0].rate;
    return 2;
}

/* Its own element does not count any more, its parts do. */
static double sign_of(int k)
{
    return k == WHOLE ? -1.0 : 1.0;
}

static void frames_of(beam_frame f[2], const mb_node *const node[2], const mb_instance *m)
{
    mb_node_frame(&f[0], node[0], m);
    mb_node_frame(&f[1], node[1], m);
}

static void residual_of(double r[12], const parts *p, int k, const mb_instance *m)
{
    beam_frame f[2];
    frames_of(f, p->node[k], m);
    beam_force(r, &p->e[k], f);
}

static void guide_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    double r[12];
    parts side[2];
    const int n = sides_at(side, self, m, at->t);
    for (const parts *p = side; p < side + n; ++p) {
        for (int k = 0; k < p->n; ++k) {
            residual_of(r, p, k, m);
            for (int i = 0; i < 12; ++i) {
                r[i] *= p->weight * sign_of(k);
            }
            mb_node_force(m, p->node[k][0], r);
            mb_node_force(m, p->node[k][1], r + 6);
        }
    }
}

static void guide_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    parts side[2];
    const int n = sides_at(side, self, m, at->t);
    for (const parts *p = side; p < side + n; ++p) {
        for (int k = 0; k < p->n; ++k) {
            mb_push_beam(m, sink, &p->e[k], p->node[k], p->pair[k], p->weight * sign_of(k));
        }
    }
}

static double potential_of(const parts *p, const mb_instance *m)
{
    double V = 0.0;
    for (int k = 0; k < PARTS; ++k) {
        beam_frame f[2];
        frames_of(f, p->node[k], m);
        V += sign_of(k) * beam_energy(&p->e[k], f);
    }
    return V;
}

static void guide_potential(double *V, const void *self, mb_instance *m, double t)
{
    parts side[2];
    const int n = sides_at(side, self, m, t);
    for (const parts *p = side; p < side + n; ++p) {
        *V += p->weight * potential_of(p, m);
    }
}

/* What damping takes in part k, and what the feed does to it. In the mouth the material moves against the guide by the speed of the feed
 * times the strain that it has there (its rate has that, too), a part of full stiffness gets longer and stores what is in it. */
static void part_exchange(double P[2], const parts *p, int k, double speed, const mb_instance *m)
{
    const beam_element *e = &p->e[k];
    const int end = k == BEFORE ? 1 : 0, held = e->point->weight <= shortest * p->e[WHOLE].point->weight;
    beam_frame f[2];
    double r[12], beside[12] = {0.0}, strain[6], move[6], own[3], R[9], fed;
    frames_of(f, p->node[k], m);
    residual_of(r, p, k, m);
    if (p->beside_of[k] > 0) {
        residual_of(beside, p, p->beside_of[k], m);
    }
    beam_at(NULL, NULL, strain, NULL, e, f, 0.5);
    for (int i = 0; i < 6; ++i) {
        move[i] = -speed * (held ? p->e[WHOLE].point->f0[i] : strain[i] + e->point->f0[i]);
        r[6 * end + i] += beside[6 * end + i];
    }
    dal_quat_to_matrix(R, f[end].p);
    tmul3(own, R, r + (size_t)(6 * end));
    fed = dot3(own, move) + dot3(r + 6 * end + 3, move + 3);
    if (!held) {
        fed += (k == BEFORE ? speed : -speed) * beam_energy(e, f) / e->point->weight;
    }
    mat3_mul_vec(own, R, 3, move);
    add3(f[end].xd, f[end].xd, own);
    add3(f[end].Om, f[end].Om, move + 3);
    P[0] += p->weight * beam_loss(e, f);
    P[1] += p->weight * fed;
}

static void guide_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    double xi[3];
    parts side[2];
    const double speed = mouth(xi, self, m, at->t)->e.point->weight * xi[1];
    const int n = sides_at(side, self, m, at->t);
    P[0] = P[1] = 0.0;
    for (const parts *p = side; p < side + n; ++p) {
        beam_frame f[2];
        frames_of(f, p->node[WHOLE], m);
        P[0] -= p->weight * beam_loss(&p->e[WHOLE], f);
        P[1] += p->rate * potential_of(p, m);
        for (int k = BEFORE; k <= BEHIND; ++k) {
            part_exchange(P, p, k, speed, m);
        }
    }
}

int mb_guide_at(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, const mb_span *span,
                double xi, double t)
{
    const mb_beam *b = &m->of->beam[beam];
    for (int k = 0; k < b->nslides; ++k) {
        double at[3], more[6];
        parts all;
        beam_frame f[2];
        if (!b->slide[k].guide || mouth(at, &b->slide[k], m, t) != span) {
            continue;
        }
        parts_at(&all, &b->slide[k], m, span, at);
        const int part = xi < at[0] ? BEFORE : BEHIND;
        const double own = part == BEFORE ? xi / at[0] : (xi - at[0]) / fmax(1.0 - at[0], 1e-300);
        frames_of(f, all.node[part], m);
        beam_at(x, p, strain, forces, &all.e[part], f, own);
        if (forces && all.beside_of[part] > 0) {
            beam_at(NULL, NULL, NULL, more, &all.e[all.beside_of[part]], f, own);
            for (int i = 0; i < 6; ++i) {
                forces[i] += more[i];
            }
        }
        return 1;
    }
    return 0;
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
