/* Adding a geometrically exact beam: its reference gives places and rotations of nodes, which become bodies with the mass of
 * their share of the length; elements join them. An end may be a frame of the ground or of a node of another beam; to other bodies
 * it is fixed by a joint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/pose.h"
#include "system/data.h"

/* While a beam is made: its description, its mesh, room that is given back. */
typedef struct maker {
    dal_model *m;
    const dal_exact_beam *d;
    int order, nelements, nnodes;
    double *s, *pose;
    dal_pool scratch;
    mb_beam *beam;
} maker;

/* ---- mesh ------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static const double same_place = 1e-9;

/* Is this place a node of n equal elements from a to b? */
static int is_node(const beam_table *t, int order, double a, double b, int n, double s)
{
    for (int k = 0; k < n * order; ++k) {
        const double xi = order > 1 ? 0.5 * (1.0 + t->node[k % order]) : 0.0;
        const int element = k / order;
        if (fabs(a + (b - a) * (element + xi) / n - s) < same_place) {
            return 1;
        }
    }
    return 0;
}

/* Parts of the beam between places that must be ends of elements, and how many elements they have: as many as their share of the
 * length, one at least. */
typedef struct parts {
    double *end;
    int *count, n, total;
} parts;

/* Places that are nodes of the even mesh anyhow are no ends, unless all are. */
static dal_status divide(maker *k, parts *p, const beam_table *t, int all)
{
    const int wanted = k->nelements;
    int n = 0;
    DAL_TAKE(&k->scratch, p->end, k->d->nplaces + 2);
    DAL_TAKE(&k->scratch, p->count, k->d->nplaces + 2);
    for (int i = 0; i < k->d->nplaces; ++i) {
        const double s = k->d->places[i];
        if (!(s >= 0.0 && s <= 1.0)) {
            return dal_fail(k->m->ctx, DAL_EINVAL,
                            "beam '%s': place %g is not between 0 and 1, the parts of its length", k->d->name, s);
        }
        if (s > same_place && s < 1.0 - same_place && (all || !is_node(t, k->order, 0.0, 1.0, wanted, s))) {
            p->end[n++] = s;
        }
    }
    qsort(p->end, (size_t)n, sizeof *p->end, ascending);
    p->n = p->total = 0;
    double from = 0.0;
    for (int i = 0; i <= n; ++i) {
        const double to = i < n ? p->end[i] : 1.0;
        if (to - from < same_place) {
            continue;
        }
        p->count[p->n] = (int)fmax(1.0, rint(wanted * (to - from)));
        p->total += p->count[p->n];
        p->end[p->n++] = to;
        from = to;
    }
    return DAL_OK;
}

/* Is every place a node? Ends that others ask for move the nodes of the even mesh. */
static int has_places(const maker *k, const parts *p, const beam_table *t)
{
    int good = 1;
    for (int i = 0; i < k->d->nplaces; ++i) {
        const double s = k->d->places[i];
        double from = 0.0;
        int found = s > 1.0 - same_place;
        for (int j = 0; j < p->n; from = p->end[j++]) {
            found |= is_node(t, k->order, from, p->end[j], p->count[j], s);
        }
        good &= found;
    }
    return good;
}

static dal_status make_mesh(maker *k, const beam_table *t)
{
    parts p = {0};
    DAL_TRY(divide(k, &p, t, 0));
    DAL_TRY(has_places(k, &p, t) ? DAL_OK : divide(k, &p, t, 1));
    const double *cut = p.end;
    const int *count = p.count, total = p.total;
    double from = 0.0;
    k->nelements = total;
    k->nnodes = total * k->order + 1;
    DAL_TAKE(&k->scratch, k->s, k->nnodes);
    DAL_TAKE(&k->scratch, k->pose, 7 * k->nnodes);
    for (int i = 0, at = 0; i < p.n; ++i) {
        for (int j = 0; j < count[i] * k->order; ++j, ++at) {
            const double xi = k->order > 1 ? 0.5 * (1.0 + t->node[j % k->order]) : 0.0;
            const int element = j / k->order;
            k->s[at] = from + (cut[i] - from) * (element + xi) / count[i];
        }
        from = cut[i];
    }
    k->s[k->nnodes - 1] = 1.0;
    return DAL_OK;
}

/* ---- sections --------------------------------------------------------------------------------- */

/* Sections are given at equal distances and linear between. */
static void section_at(dal_section *to, const dal_exact_beam *d, double s)
{
    const int last = d->nsections - 1, i = last > 0 ? (int)fmin(last - 1.0, floor(s * last)) : 0;
    const double b = last > 0 ? s * last - i : 0.0;
    const double *x = (const double *)&d->section[i], *y = (const double *)&d->section[last > 0 ? i + 1 : 0];
    double *z = (double *)to;
    for (size_t k = 0; k < sizeof *to / sizeof(double); ++k) {
        z[k] = (1.0 - b) * x[k] + b * y[k];
    }
}

/* Symmetric and, by its pivots, positive definite */
static int is_stiffness(const double K[36])
{
    double A[36];
    memcpy(A, K, sizeof A);
    for (int k = 0; k < 6; ++k) {
        for (int i = k + 1; i < 6; ++i) {
            if (!(fabs(K[i + 6 * k] - K[k + 6 * i]) <= 1e-9 * sqrt(fabs(K[7 * i] * K[7 * k])))) {
                return 0;
            }
            for (int j = k + 1; j < 6; ++j) {
                A[i + 6 * j] -= A[i + 6 * k] * A[k + 6 * j] / A[7 * k];
            }
        }
        if (!(A[7 * k] > 0.0) || !isfinite(A[7 * k])) {
            return 0;
        }
    }
    return 1;
}

/* [m I, -mc~; mc~, J] */
static int is_mass(const double M[36])
{
    const double m = M[0], c[3] = {M[5 + 6], M[3 + 12], M[4]};
    double want[36] = {0.0};
    want[0] = want[7] = want[14] = m;
    const double tilde[9] = {0.0, c[2], -c[1], -c[2], 0.0, c[0], c[1], -c[0], 0.0};
    add_block(want, 6, 3, 0, tilde);
    for (int k = 0; k < 9; ++k) {
        want[k / 3 + 6 * (3 + k % 3)] = tilde[k];
        want[3 + k % 3 + 6 * (3 + k / 3)] = 0.5 * (M[3 + k % 3 + 6 * (3 + k / 3)] + M[3 + k / 3 + 6 * (3 + k % 3)]);
    }
    double off = 0.0, size = 0.0;
    for (int k = 0; k < 36; ++k) {
        off = fmax(off, fabs(M[k] - want[k]));
        size += fabs(M[k]);
    }
    return mb_norm_ok(M, 36) && m >= 0.0 && off <= 1e-9 * size;
}

static dal_status check_sections(const maker *k)
{
    for (int i = 0; i < k->d->nsections; ++i) {
        if (!is_stiffness(k->d->section[i].stiffness)) {
            return dal_fail(k->m->ctx, DAL_EINVAL,
                            "beam '%s': its section stiffness must be finite, symmetric and positive definite; give "
                            "EA, GA, GJ and EI (or a profile and a material) that are positive",
                            k->d->name);
        }
        if (!is_mass(k->d->section[i].mass) || !mb_norm_ok(k->d->section[i].damping, 36)) {
            return dal_fail(
                k->m->ctx, DAL_EINVAL,
                "beam '%s': its section mass must be [m I, -mc~; mc~, J] with m >= 0, and its damping finite",
                k->d->name);
        }
    }
    return DAL_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* Mass, first moment and inertia of a share of the length, at the frame of a body: += to its description. */
static void add_share(dal_body *d, const mb_node *n, const double M[36], double length)
{
    const double m = length * M[0], c[3] = {M[5 + 6], M[3 + 12], M[4]}, old = d->mass;
    double J[9], X[9], own[3], mc[3], first[3];
    // inertia of the section about its origin, turned; then about the frame of the body
    for (int k = 0; k < 9; ++k) {
        X[k] = length * M[3 + k % 3 + 6 * (3 + k / 3)];
    }
    double AX[9], AT[9];
    transpose3(AT, n->A);
    mat3_mul(AX, 3, n->A, 3, X, 3);
    mat3_mul(J, 3, AX, 3, AT, 3);
    scale3(own, length, c);
    mat3_mul_vec(mc, n->A, 3, own);
    // J_0 = J + 2 a.mc I - a mc^T - mc a^T + m (a.a I - a a^T)
    add_unit(J, 2.0 * dot3(n->a, mc) + m * dot3(n->a, n->a));
    add_outer(J, -1.0, n->a, mc);
    add_outer(J, -1.0, mc, n->a);
    add_outer(J, -m, n->a, n->a);
    axpy3(mc, m, n->a);
    const double *I = d->inertia, full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    for (int k = 0; k < 9; ++k) {
        J[k] += full[k];
    }
    add_unit(J, old * dot3(d->com, d->com));
    add_outer(J, -old, d->com, d->com);
    scale3(first, old, d->com);
    add3(first, first, mc);
    d->mass = old + m;
    scale3(d->com, d->mass > 0.0 ? 1.0 / d->mass : 0.0, first);
    add_unit(J, -d->mass * dot3(d->com, d->com));
    add_outer(J, d->mass, d->com, d->com);
    const double sym[6] = {J[0], J[4], J[8], J[3], J[6], J[7]};
    memcpy(d->inertia, sym, sizeof sym);
}

static int is_beam_node(const dal_model *m, int body)
{
    for (int b = 0; b < m->beam_names.n; ++b) {
        for (int i = 0; i < m->beam[b].nnodes; ++i) {
            if (m->beam[b].node[i].body == body && m->beam[b].node[i].plain) {
                return 1;
            }
        }
    }
    return 0;
}

/* The frame of a node in a body. */
static void put_node(mb_node *n, int body, const double pose_of_body[7], const double world[7])
{
    double frame[7];
    mb_frame_in(frame, pose_of_body, world);
    n->body = body;
    n->plain = 0;
    copy3(n->a, frame);
    memcpy(n->c, frame + 3, sizeof n->c);
    dal_quat_to_matrix(n->A, n->c);
}

static void node_name(char *buffer, size_t size, const maker *k, double s)
{
    snprintf(buffer, size, k->nnodes < 10000 ? "%s@%.6g" : "%s@%.10g", k->d->name, s);
}

/* A body of its own at its pose, moving as the whole beam does. */
static dal_status new_node(maker *k, mb_node *n, const double pose[7])
{
    char name[256];
    const dal_exact_beam *d = k->d;
    double arm[3], w[3];
    node_name(name, sizeof name, k, n->s);
    dal_body b = {.name = name, .given = d->given};
    *n = (mb_node){.plain = 1, .A = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, .c = {1.0}, .s = n->s};
    copy3(b.position, pose);
    memcpy(b.rotation, pose + 3, sizeof b.rotation);
    sub3(arm, pose, k->pose);
    cross3(w, d->angular_velocity, arm);
    add3(b.velocity, d->velocity, w);
    double R[9];
    dal_quat_to_matrix(R, pose + 3);
    tmul3(b.angular_velocity, R, d->angular_velocity);
    return dal_model_add_body(k->m, &n->body, &b);
}

/* z along the axis */
static void hinge_axes(double p[4], const double axis[3])
{
    const double n = sqrt(dot3(axis, axis)), u[3] = {axis[0] / n, axis[1] / n, axis[2] / n};
    const double half[4] = {1.0 + u[2], -u[1], u[0], 0.0}, size = sqrt(2.0 * (1.0 + u[2]));
    for (int i = 0; i < 4; ++i) {
        p[i] = u[2] > -0.999999 ? half[i] / size : (i == 1);
    }
}

/* An end of the beam at a body: rigid, a frame of the ground or of a node of another beam; else a node of its own and a joint. */
static dal_status join_end(maker *k, int end)
{
    const int i = end == 0 ? 0 : k->nnodes - 1, body = k->d->body[end];
    mb_node *n = &k->beam->node[i];
    const double *pose = k->pose + (size_t)(7 * i);
    double of[7];
    DAL_TRY(mb_model_pose(k->m, of, body));
    const dal_beam_join how = k->d->joined[end];
    if (how == DAL_BEAM_RIGID && (body == 0 || (is_beam_node(k->m, body) && !k->d->consistent))) {
        put_node(n, body, of, pose);
        return DAL_OK;
    }
    static const char *const type[] = {"", "fixed", "revolute", "spherical"};
    char name[256];
    DAL_TRY(new_node(k, n, pose));
    dal_joint j = {.name = name, .type = type[how], .body_a = body, .body_b = n->body};
    node_name(name, sizeof name, k, n->s);
    dal_frame at = {{pose[0], pose[1], pose[2]}, {pose[3], pose[4], pose[5], pose[6]}};
    if (how == DAL_BEAM_HINGED) {
        hinge_axes(at.rotation, k->d->axis[end]);
    }
    mb_frame_at(&j.frame_a, of, &at);
    mb_frame_at(&j.frame_b, pose, &at);
    return dal_model_add_joint(k->m, NULL, &j);
}

static dal_status make_nodes(maker *k)
{
    DAL_TAKE(&k->m->pool, k->beam->node, k->nnodes);
    for (int i = 0; i < k->nnodes; ++i) {
        const int end = i == 0 ? 0 : i == k->nnodes - 1 ? 1 : -1;
        k->beam->node[i].s = k->s[i];
        if (end >= 0 && k->d->joined[end]) {
            DAL_TRY(join_end(k, end));
        } else {
            DAL_TRY(new_node(k, &k->beam->node[i], k->pose + (size_t)(7 * i)));
        }
        k->beam->node[i].s = k->s[i];
    }
    return DAL_OK;
}

/* Every node has the mass of its share. */
static void weigh(const maker *k)
{
    for (int i = 0; i < k->nnodes; ++i) {
        const mb_node *n = &k->beam->node[i];
        dal_section section;
        section_at(&section, k->d, n->s);
        if (n->body > 0) {
            add_share(&k->m->body_desc[n->body], n, section.mass, n->length);
            mb_body_numbers(&k->m->body[n->body], &k->m->body_desc[n->body]);
        }
    }
}

/* ---- elements --------------------------------------------------------------------------------- */

static void reference_frames(beam_frame *f, const maker *k, int element)
{
    for (int i = 0; i <= k->order; ++i) {
        const double *pose = k->pose + (size_t)(7 * (element * k->order + i));
        f[i] = (beam_frame){.x = {pose[0], pose[1], pose[2]}};
        memcpy(f[i].p, pose + 3, sizeof f[i].p);
    }
}

/* Sections at the points of an element; one for all where they do not vary. */
static dal_status make_sections(maker *k, mb_span *e, const beam_section *common, int element)
{
    const int npoints = k->order > 1 ? k->order : 1;
    const double s0 = k->s[element * k->order], s1 = k->s[(element + 1) * k->order];
    beam_section *own = NULL;
    DAL_TAKE(&k->m->pool, e->e.point, npoints);
    if (k->d->nsections > 1) {
        DAL_TAKE(&k->m->pool, own, npoints);
    }
    for (int i = 0; i < npoints; ++i) {
        const double xi = k->order > 1 ? 0.5 * (1.0 + k->beam->table->point[i]) : 0.5;
        if (own) {
            dal_section section;
            section_at(&section, k->d, s0 + xi * (s1 - s0));
            memcpy(own[i].K, section.stiffness, sizeof own[i].K);
            memcpy(own[i].D, section.damping, sizeof own[i].D);
            own[i].damped = common->damped;
        }
        e->e.point[i].section = own ? &own[i] : common;
    }
    return DAL_OK;
}

/* Consistent mass of element i. */
static dal_status make_mass(maker *k, mb_span *e, const beam_frame *f, const double *share, int i)
{
    const int first = i * k->order, size = 6 * e->e.n;
    double place[MB_MASS_POINTS], weight[MB_MASS_POINTS], *section, *own;
    const int points = mb_beam_mass_points(place, weight, k->order);
    DAL_TAKE(&k->m->pool, e->dM, size * size);
    DAL_TAKE(&k->scratch, section, 36 * points);
    DAL_TAKE(&k->scratch, own, 36 * e->e.n);
    for (int g = 0; g < points + e->e.n; ++g) {
        dal_section at;
        const double s0 = k->s[first], s1 = k->s[first + k->order];
        section_at(&at, k->d, g < points ? s0 + place[g] * (s1 - s0) : k->s[first + g - points]);
        memcpy(g < points ? section + (size_t)(36 * g) : own + (size_t)(36 * (g - points)), at.mass, sizeof at.mass);
    }
    mb_beam_mass(e->dM, &e->e, f, section, own, share);
    return DAL_OK;
}

static dal_status make_elements(maker *k)
{
    dal_model *m = k->m;
    mb_beam *beam = k->beam;
    beam_section *common;
    DAL_TAKE(&m->pool, common, 1);
    memcpy(common->K, k->d->section->stiffness, sizeof common->K);
    memcpy(common->D, k->d->section->damping, sizeof common->D);
    for (int i = 0; i < 36 * k->d->nsections; ++i) {
        common->damped |= k->d->section[i / 36].damping[i % 36] != 0.0;
    }
    beam->first = m->nspans;
    beam->count = k->nelements;
    DAL_GROW(m->ctx, m->span, m->span_capacity, m->nspans + k->nelements);
    for (int i = 0; i < k->nelements; ++i) {
        mb_span *e = &m->span[m->nspans];
        beam_frame f[BEAM_NODES_MAX];
        double share[BEAM_NODES_MAX], *F = NULL, *start = NULL;
        *e = (mb_span){.e = {k->order + 1, k->order > 1 ? beam->table : NULL, NULL}, .node = &beam->node[i * k->order]};
        DAL_TAKE(&m->pool, e->pair, e->e.n * e->e.n);
        DAL_TRY(make_sections(k, e, common, i));
        if (k->d->fourth_order && k->order == 1) {
            DAL_TAKE(&m->pool, F, 36);
            DAL_TAKE(&m->pool, start, 36);
        }
        reference_frames(f, k, i);
        const int sound = beam_reference(&e->e, F, start, f);
        const double whole = beam->length * (k->s[(i + 1) * k->order] - k->s[i * k->order]);
        double sum = 0.0;
        beam_node_lengths(share, &e->e, f);
        for (int j = 0; j < e->e.n; ++j) {
            beam->node[i * k->order + j].length += share[j];
            sum += share[j];
        }
        DAL_TRY(k->d->consistent ? make_mass(k, e, f, share, i) : DAL_OK);
        if (!sound || !(fabs(sum - whole) <= 0.1 * whole) || fabs(k->d->curve->twist) > 3.0 * k->nelements) {
            return dal_fail(
                m->ctx, DAL_EINVAL,
                "beam '%s': element %d of %d is too coarse for the curve, it has %.3g of its length; use more elements",
                k->d->name, i + 1, k->nelements, sum / whole);
        }
        ++m->nspans;
    }
    return DAL_OK;
}

/* ---- loads ------------------------------------------------------------------------------------ */

static dal_status add_loads(maker *k, int number)
{
    dal_model *m = k->m;
    for (int i = 0; i < k->d->nloads; ++i) {
        const dal_beam_load *d = &k->d->load[i];
        mb_line_load l = {number, d->follower, d->function, NULL};
        if (d->n < 1 || !mb_norm_ok(d->vector, 3 * d->n) || !mb_function_known(m, d->function)) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "beam '%s': load %d needs finite vectors and a function that there is, or none", k->d->name,
                            i + 1);
        }
        DAL_TAKE(&m->pool, l.vector, 3 * k->nnodes);
        for (int j = 0; j < k->nnodes; ++j) {
            const int last = d->n - 1, at = last > 0 ? (int)fmin(last - 1.0, floor(k->s[j] * last)) : 0;
            const double b = last > 0 ? k->s[j] * last - at : 0.0;
            for (int c = 0; c < 3; ++c) {
                l.vector[3 * j + c] =
                    (1.0 - b) * d->vector[3 * at + c] + (b > 0.0 ? b * d->vector[3 * at + 3 + c] : 0.0);
            }
        }
        DAL_GROW(m->ctx, m->line, m->line_capacity, m->nlines + 1);
        m->line[m->nlines++] = l;
    }
    return DAL_OK;
}

/* ---- looks ------------------------------------------------------------------------------------ */

static dal_status keep_outline(maker *k)
{
    const int n = 2 * k->d->noutline * k->d->nsections;
    if (!k->d->outline) {
        return DAL_OK;
    }
    if (k->d->noutline < 3 || !mb_norm_ok(k->d->outline, n)) {
        return dal_fail(k->m->ctx, DAL_EINVAL, "beam '%s': an outline has three corners at least, which are finite",
                        k->d->name);
    }
    DAL_TAKE(&k->m->pool, k->beam->outline, n);
    memcpy(k->beam->outline, k->d->outline, (size_t)n * sizeof *k->beam->outline);
    k->beam->noutline = k->d->noutline;
    k->beam->noutlines = k->d->nsections;
    return DAL_OK;
}

/* ---- adding ----------------------------------------------------------------------------------- */

static dal_status check_description(dal_model *m, const dal_exact_beam *d)
{
    dal_ctx *ctx = m->ctx;
    if (d->order < 0 || d->order > BEAM_ORDER_MAX || d->elements < 0) {
        return dal_fail(ctx, DAL_EINVAL,
                        "beam '%s': order %d and %d elements; the order is 1 to %d, there is one element at least",
                        d->name, d->order, d->elements, BEAM_ORDER_MAX);
    }
    if (d->fourth_order && d->order != 1) {
        return dal_fail(
            ctx, DAL_EINVAL,
            "beam '%s': the section law of order four is one of elements with two nodes (order 1); elements of "
            "order 2 have that order without it",
            d->name);
    }
    if (!d->curve || !d->section || d->nsections < 1) {
        return dal_fail(ctx, DAL_EINVAL, "beam '%s': it needs a curve and a section", d->name);
    }
    for (int i = 0; i < 2; ++i) {
        if (d->joined[i] < DAL_BEAM_FREE || d->joined[i] > DAL_BEAM_BALL ||
            (d->joined[i] == DAL_BEAM_HINGED && !(mb_norm_ok(d->axis[i], 3) && dot3(d->axis[i], d->axis[i]) > 0.0))) {
            return dal_fail(ctx, DAL_EINVAL, "beam '%s': its %s is free, rigid, hinged about an axis, or a ball",
                            d->name, i == 0 ? "start" : "end");
        }
        if (d->joined[i] && (d->body[i] < 0 || d->body[i] >= m->body_names.n)) {
            return dal_fail(ctx, DAL_EINVAL, "beam '%s': there is no body number %d to join its %s to", d->name,
                            d->body[i], i == 0 ? "start" : "end");
        }
    }
    if (!mb_norm_ok(d->velocity, 3) || !mb_norm_ok(d->angular_velocity, 3)) {
        return dal_fail(ctx, DAL_EINVAL, "beam '%s': initial velocities must be finite", d->name);
    }
    return DAL_OK;
}

static dal_status make_beam(maker *k, int number)
{
    DAL_TAKE(&k->m->pool, k->beam->table, 1);
    if (k->order > 1) {
        beam_table_make(k->beam->table, k->order);
    }
    DAL_TRY(make_mesh(k, k->beam->table));
    const dal_status st = dal_curve_frames(k->m->ctx, &k->beam->length, k->pose, k->d->curve, k->s, k->nnodes);
    if (st != DAL_OK) {
        return dal_fail_in(k->m->ctx, st, "beam '%s'", k->d->name);
    }
    k->beam->order = k->order;
    k->beam->nnodes = k->nnodes;
    DAL_TRY(check_sections(k));
    DAL_TRY(make_nodes(k));
    DAL_TRY(make_elements(k));
    weigh(k);
    DAL_TRY(add_loads(k, number));
    DAL_TRY(keep_outline(k));
    return mb_beam_add_slides(k->m, k->beam, number, k->d, k->pose);
}

dal_status dal_model_add_beam_(dal_model *model, int *number, const dal_exact_beam *beam, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, beam);
    DAL_OWN(model->ctx, dal_exact_beam, beam);
    DAL_TRY(mb_names_check(model, &model->beam_names, "beam", beam->name));
    DAL_TRY(check_description(model, beam));
    const int n = model->beam_names.n;
    mb_beam made = {0};
    maker k = {.m = model,
               .d = beam,
               .order = beam->order > 0 ? beam->order : 4,
               .nelements = beam->elements > 0 ? beam->elements : 8,
               .scratch = {.ctx = model->ctx, .what = "a beam"},
               .beam = &made};
    const dal_status st = make_beam(&k, n);
    dal_pool_release(&k.scratch);
    DAL_TRY(st);
    DAL_GROW(model->ctx, model->beam, model->beam_capacity, n + 1);
    DAL_TRY(mb_names_add(&model->beam_names, &model->pool, beam->name));
    model->beam[n] = made;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}
