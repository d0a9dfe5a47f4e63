/* Contact groups. Boxes around shapes are swept along one axis (sweep and prune); what overlaps is looked at by touch.c. */
#include "mbs/crowd_impl.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/vector.h"
#include "mbs/contact_impl.h"

/* ---- description ------------------------------------------------------------------------------ */

static dal_status check_material(const dal_model *m, const dal_contact_group *g, double e, double mu)
{
    if (!(e >= 0.0 && e <= 1.0)) {
        return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': restitution = %g; it is from 0 to 1", g->name, e);
    }
    return mu >= 0.0 && isfinite(mu)
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': mu = %g; friction is not negative", g->name, mu);
}

static dal_status check_group(const dal_model *m, const dal_contact_group *g)
{
    for (int k = 0; k < g->npairs; ++k) {
        DAL_TRY(check_material(m, g, g->pairs[k].restitution, g->pairs[k].mu));
        for (int i = 0; i < g->pairs[k].na + g->pairs[k].nb; ++i) {
            const int body = i < g->pairs[k].na ? g->pairs[k].a[i] : g->pairs[k].b[i - g->pairs[k].na];
            if (body < 0 || body >= m->body_names.n) {
                return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s', pair %d: there is no body %d", g->name, k + 1,
                                body);
            }
        }
    }
    for (int k = 0; k < g->nbodies; ++k) {
        if (g->bodies[k] < 0 || g->bodies[k] >= m->body_names.n) {
            return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': there is no body %d", g->name, g->bodies[k]);
        }
    }
    for (int k = 0; k < g->nplanes; ++k) {
        DAL_TRY(mb_check_frame(m->ctx, "contacts", g->name, &g->planes[k]));
    }
    return check_material(m, g, g->restitution, g->mu);
}

/* Bodies may still be added: the flags are for those that are there, others are in no pair. */
static dal_status take_pairs(dal_model *model, mb_crowd *c, const dal_contact_group *group)
{
    c->npairs = group->npairs;
    c->nflags = model->body_names.n;
    DAL_TAKE(&model->pool, c->pair, group->npairs + 1);
    for (int k = 0; k < group->npairs; ++k) {
        const dal_contact_pair *p = &group->pairs[k];
        c->pair[k] = (mb_material_pair){.e = p->restitution, .mu = p->mu};
        DAL_TAKE(&model->pool, c->pair[k].side, c->nflags + 1);
        memset(c->pair[k].side, 0, (size_t)c->nflags);
        for (int i = 0; i < p->na; ++i) {
            c->pair[k].side[p->a[i]] |= 1U;
        }
        for (int i = 0; i < p->nb; ++i) {
            c->pair[k].side[p->b[i]] |= 2U;
        }
    }
    return DAL_OK;
}

/* The law between two bodies. */
static void material(double *e, double *mu, const mb_crowd *c, int a, int b)
{
    *e = c->e;
    *mu = c->mu;
    for (int k = 0; k < c->npairs; ++k) {
        const unsigned x = a < c->nflags ? c->pair[k].side[a] : 0U, y = b < c->nflags ? c->pair[k].side[b] : 0U;
        if (((x & 1U) && (y & 2U)) || ((x & 2U) && (y & 1U))) {
            *e = c->pair[k].e;
            *mu = c->pair[k].mu;
        }
    }
}

dal_status dal_model_add_contacts_(dal_model *model, const dal_contact_group *group, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, group);
    DAL_OWN(model->ctx, dal_contact_group, group);
    DAL_NEED(model->ctx, group->name);
    if (model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, "contacts '%s': the model is compiled already", group->name);
    }
    DAL_TRY(check_group(model, group));
    DAL_GROW(model->ctx, model->crowd, model->crowd_capacity, model->ncrowds + 1);
    mb_crowd *c = &model->crowd[model->ncrowds];
    *c = (mb_crowd){.e = group->restitution,
                    .mu = group->mu,
                    .apart = group->apart,
                    .nplanes = group->nplanes,
                    .nbodies = group->bodies ? group->nbodies : -1};
    DAL_TAKE_TEXT(&model->pool, c->name, group->name);
    DAL_TAKE(&model->pool, c->bodies, group->nbodies + 1);
    for (int k = 0; group->bodies && k < group->nbodies; ++k) {
        c->bodies[k] = group->bodies[k];
    }
    DAL_TRY(take_pairs(model, c, group));
    DAL_TAKE(&model->pool, c->member, group->nplanes + 1);
    for (int k = 0; k < group->nplanes; ++k) {
        const mb_marker at = mb_marker_of(DAL_GROUND, &group->planes[k]);
        c->member[k] = (mb_member){.body = DAL_GROUND, .placed = {.kind = MB_PLANE}, .reach = INFINITY};
        copy3(c->member[k].placed.x, at.a);
        memcpy(c->member[k].placed.R, at.A, sizeof at.A);
    }
    model->ncrowds++;
    return DAL_OK;
}

int dal_model_contacts_count(const dal_model *model)
{
    return model ? model->ncrowds : 0;
}

void mb_crowds_release(dal_model *m)
{
    dal_free(m->ctx, m->crowd);
}

/* ---- compilation ------------------------------------------------------------------------------ */

static dal_status take_shape(dal_model *m, mb_member *to, const mb_crowd *c, int number)
{
    const mb_shape *from = &m->shape[number];
    const dal_shape *s = &from->shape;
    const dal_frame frame = {{s->position[0], s->position[1], s->position[2]},
                             {s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]}};
    const mb_marker at = mb_marker_of(from->body, &frame);
    *to = (mb_member){.body = from->body, .placed = {.radius = s->radius, .axis = 0.5 * s->length}};
    mb_placed *P = &to->placed;
    if (s->swept) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "contacts '%s': '%s' is a node of a beam, which is too stiff for impulses at the ends of steps; "
            "give nodes forces or joints of type contact",
            c->name, m->body_names.name[from->body]);
    }
    copy3(P->x, at.a);
    memcpy(P->R, at.A, sizeof at.A);
    scale3(P->half, 0.5, s->size);
    switch (s->kind) {
    case DAL_SHAPE_SPHERE:
        P->kind = MB_SPHERE;
        to->reach = P->radius;
        break;
    case DAL_SHAPE_CAPSULE:
        P->kind = MB_CAPSULE;
        to->reach = P->radius + P->axis;
        break;
    case DAL_SHAPE_BOX:
        P->kind = MB_BOX;
        to->reach = sqrt(dot3(P->half, P->half));
        break;
    case DAL_SHAPE_CYLINDER:
        P->kind = MB_CYLINDER;
        to->reach = hypot(P->radius, P->axis);
        break;
    default:
        return dal_fail(m->ctx, DAL_EINVAL,
                        "contacts '%s': shape %d of body '%s' is neither sphere, capsule, box nor cylinder", c->name,
                        number, m->body_names.name[from->body]);
    }
    return DAL_OK;
}

static int takes_part(const mb_crowd *c, int body)
{
    int some = c->nbodies < 0;
    for (int k = 0; k < c->nbodies; ++k) {
        some |= c->bodies[k] == body;
    }
    return some;
}

static dal_status check_body(const dal_model *m, const mb_crowd *c, int body)
{
    const mb_body *b = &m->body[body];
    return body == DAL_GROUND || (b->flex == NULL && b->nv <= DAL_TOUCH_VELOCITIES)
               ? DAL_OK
               : dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': body '%s' is flexible; rigid bodies touch", c->name,
                          m->body_names.name[body]);
}

/* Every kind against every other that may meet it. */
static dal_status check_pairs(const dal_model *m, const mb_crowd *c)
{
    int seen[MB_SHAPE_KINDS] = {0};
    for (int k = 0; k < c->nmembers; ++k) {
        seen[c->member[k].placed.kind]++;
    }
    for (int k = 0; k < MB_SHAPE_KINDS * MB_SHAPE_KINDS; ++k) {
        const int a = k / MB_SHAPE_KINDS, b = k % MB_SHAPE_KINDS, meet = a == MB_PLANE ? b != MB_PLANE : !c->apart;
        if (a <= b && meet && seen[a] > (a == b) && seen[b] > 0 && !mb_touches[a][b]) {
            return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': %s against %s is not there; take spheres or capsules",
                            c->name, mb_shape_names[a], mb_shape_names[b]);
        }
    }
    return DAL_OK;
}

static dal_status gather(dal_model *m, mb_crowd *c)
{
    const mb_member *planes = c->member;
    mb_member *all;
    DAL_TAKE(&m->pool, all, c->nplanes + m->nshapes + 1);
    memcpy(all, planes, (size_t)c->nplanes * sizeof *all);
    c->member = all;
    c->nmembers = c->nplanes;
    for (int k = 0; k < m->nshapes; ++k) {
        if (takes_part(c, m->shape[k].body)) {
            DAL_TRY(check_body(m, c, m->shape[k].body));
            DAL_TRY(take_shape(m, &c->member[c->nmembers++], c, k));
        }
    }
    if (c->nmembers == c->nplanes) {
        return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': none of the bodies has a shape", c->name);
    }
    return check_pairs(m, c);
}

static dal_status touches(const dal_touch **list, int *n, const dal_point *at, double margin, double h,
                          const void *user, void *work);

dal_status mb_crowds_compile(dal_model *m)
{
    int pairs = 0, members = 0;
    for (int k = 0; k < m->ncrowds; ++k) {
        mb_crowd *c = &m->crowd[k];
        DAL_TRY(gather(m, c));
        members += c->nmembers;
        if (c->nmembers > 30000 || pairs > INT_MAX / 2) {
            return dal_fail(m->ctx, DAL_EINVAL, "contacts '%s': more than 30000 shapes", c->name);
        }
        c->first_pair = pairs;
        pairs += c->nmembers * c->nmembers;
    }
    if (m->ncrowds > 0) {
        m->system.contacts.touches = touches;
        m->system.contacts.npool = 8 * members + 64;
    }
    return DAL_OK;
}

void mb_crowd_name(char *buffer, size_t size, int pair, const dal_model *m)
{
    const mb_crowd *c = m->crowd;
    for (int k = 1; k < m->ncrowds && pair >= m->crowd[k].first_pair; ++k) {
        c = &m->crowd[k];
    }
    const int at = pair - c->first_pair, i = at / c->nmembers, j = at % c->nmembers;
    const char *a = i < c->nplanes ? "plane" : m->body_names.name[c->member[i].body];
    snprintf(buffer, size, "%s %s, %s", c->name, a, m->body_names.name[c->member[j].body]);
}

/* ---- who is close ----------------------------------------------------------------------------- */

/* A member in its place. */
typedef struct place {
    int member;
    double low, high; /* along the axis of the sweep */
    double way;       /* that its points may go */
    mb_placed at;
} place;

struct mb_crowd_work {
    place *place;
    int room;
    dal_touch *list;
    int n, list_room;
};

void mb_crowd_work_destroy(mb_crowd_work *w, dal_ctx *ctx)
{
    if (w) {
        dal_free(ctx, w->place);
        dal_free(ctx, w->list);
        dal_free(ctx, w);
    }
}

static void put(mb_placed *to, const mb_placed *local, const mb_state *s)
{
    double y[3];
    *to = *local;
    mat3_mul_vec(y, s->R, 3, local->x);
    add3(to->x, s->x, y);
    for (int i = 0; i < 3; ++i) {
        mat3_mul_vec(to->R + 3 * i, s->R, 3, local->R + 3 * i);
    }
}

/* Half the extent along a direction. */
static double extent(const mb_placed *S, double reach, const double k[3])
{
    switch (S->kind) {
    case MB_BOX: {
        double sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            sum += S->half[i] * fabs(dot3(S->R + 3 * i, k));
        }
        return sum;
    }
    case MB_CAPSULE:
        return S->radius + S->axis * fabs(dot3(S->R + 6, k));
    default:
        return reach;
    }
}

/* Rows of a side: rate of the point p along the three axes. sign: -1 of A. */
static void rows_of(dal_touch *t, int side, const mb_instance *m, int body, const double p[3])
{
    const mb_body *b = &m->body[body];
    const double sign = side == 0 ? -1.0 : 1.0;
    t->n[side] = body == DAL_GROUND ? 0 : b->nv;
    t->v[side] = body == DAL_GROUND ? 0 : b->v;
    double arm[3];
    sub3(arm, p, b->state->x);
    for (int k = 0; k < 3 && t->n[side] > 0; ++k) {
        double g[6], w[3];
        scale3(g, sign, t->axis[k]);
        cross3(w, arm, g);
        tmul3(g + 3, b->state->R, w);
        for (int j = 0; j < t->n[side]; ++j) {
            double sum = 0.0;
            for (int i = 0; !b->type->identity && i < 6; ++i) {
                sum += g[i] * b->lift->S[i + 6 * j];
            }
            t->row[side][k][j] = b->type->identity ? g[j] : sum;
        }
    }
}

static void tangents(double axis[3][3])
{
    const double *n = axis[0];
    int least = 0;
    double e[3] = {0.0, 0.0, 0.0};
    for (int i = 1; i < 3; ++i) {
        least = fabs(n[i]) < fabs(n[least]) ? i : least;
    }
    e[least] = 1.0;
    cross3(axis[1], n, e);
    scale3(axis[1], 1.0 / sqrt(dot3(axis[1], axis[1])), axis[1]);
    cross3(axis[2], n, axis[1]);
}

static int jointed(const mb_instance *m, int a, int b)
{
    int some = a == b;
    for (int k = 0; k < m->njoints && a != DAL_GROUND && b != DAL_GROUND && !some; ++k) {
        const mb_marker *at = m->joint[k].marker;
        some = !m->joint[k].type->unilateral &&
               ((at[0].body == a && at[1].body == b) || (at[0].body == b && at[1].body == a));
    }
    return some;
}

/* The touches of two members to the list. */
static dal_status meet(mb_instance *m, const mb_crowd *c, const place *x, const place *y, double least)
{
    const double margin = least + x->way + y->way;
    mb_crowd_work *w = m->crowd;
    const int first = x->at.kind < y->at.kind || (x->at.kind == y->at.kind && x->member < y->member);
    const place *A = first ? x : y, *B = first ? y : x;
    mb_touch at[MB_TOUCHES];
    mb_touch_finder *find = mb_touches[A->at.kind][B->at.kind];
    const int n = find ? find(at, &A->at, &B->at, margin) : 0;
    if (n == 0 || jointed(m, c->member[A->member].body, c->member[B->member].body)) {
        return DAL_OK;
    }
    DAL_GROW(m->ctx, w->list, w->list_room, w->n + n);
    const int i = x->member < y->member ? x->member : y->member, j = x->member < y->member ? y->member : x->member;
    double e, mu;
    material(&e, &mu, c, c->member[A->member].body, c->member[B->member].body);
    for (int k = 0; k < n; ++k) {
        dal_touch *t = &w->list[w->n++];
        *t = (dal_touch){
            .pair = c->first_pair + i * c->nmembers + j, .point = at[k].id, .gap = at[k].gap, .e = e, .mu = mu};
        copy3(t->axis[0], at[k].n);
        copy3(t->x, at[k].a);
        tangents(t->axis);
        rows_of(t, 0, m, c->member[A->member].body, at[k].a);
        rows_of(t, 1, m, c->member[B->member].body, at[k].b);
    }
    return DAL_OK;
}

static int by_low(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low ? 1 : x->member - y->member;
}

static int by_pair(const void *a, const void *b)
{
    const dal_touch *x = a, *y = b;
    return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : x->point - y->point;
}

static int apart(const place *x, const place *y, const mb_crowd *c, double margin)
{
    double d[3];
    sub3(d, x->at.x, y->at.x);
    const double reach = c->member[x->member].reach + c->member[y->member].reach + x->way + y->way + margin;
    return dot3(d, d) > reach * reach;
}

/* The axis along which places are spread most. */
static int widest(const place *p, int n)
{
    double spread[3];
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; ++k) {
            low = fmin(low, p[k].at.x[i]);
            high = fmax(high, p[k].at.x[i]);
        }
        spread[i] = high - low;
    }
    return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

/* Speed of its points, at most; that of a ball is that of its centre. */
static double fastest_point(const mb_member *m, const mb_state *s)
{
    const double arm = m->placed.kind == MB_PLANE    ? 0.0
                       : m->placed.kind == MB_SPHERE ? sqrt(dot3(m->placed.x, m->placed.x))
                                                     : sqrt(dot3(m->placed.x, m->placed.x)) + m->reach;
    return sqrt(dot3(s->xd, s->xd)) + arm * sqrt(dot3(s->om, s->om));
}

static int near_plane(const mb_crowd *c, const place *plane, const place *body, double margin)
{
    double d[3];
    sub3(d, body->at.x, plane->at.x);
    return dot3(d, plane->at.R + 6) - c->member[body->member].reach < margin + body->way;
}

static dal_status look_at_planes(mb_instance *m, const mb_crowd *c, double margin, const place *p, int n)
{
    const place *body = p + c->nplanes;
    dal_status st = DAL_OK;
    for (int i = 0; i < c->nplanes && st == DAL_OK; ++i) {
        for (int k = 0; k < n && st == DAL_OK; ++k) {
            st = near_plane(c, &p[i], &body[k], margin) ? meet(m, c, &p[i], &body[k], margin) : DAL_OK;
        }
    }
    return st;
}

static int may_meet(const mb_crowd *c, const place *x, const place *y, double margin)
{
    const int still = c->member[x->member].body == DAL_GROUND || c->member[y->member].body == DAL_GROUND;
    return (still || !c->apart) && !apart(x, y, c, margin);
}

/* Sweep and prune. */
static dal_status look_at_pairs(mb_instance *m, const mb_crowd *c, double margin, place *body, int n)
{
    double axis[3] = {0.0, 0.0, 0.0};
    const int along = widest(body, n);
    dal_status st = DAL_OK;
    axis[along] = 1.0;
    for (int k = 0; k < n; ++k) {
        const double half = extent(&body[k].at, c->member[body[k].member].reach, axis) + body[k].way + 0.5 * margin;
        body[k].low = body[k].at.x[along] - half;
        body[k].high = body[k].at.x[along] + half;
    }
    qsort(body, (size_t)n, sizeof *body, by_low);
    for (int k = 0; k < n; ++k) {
        for (int l = k + 1; l < n && body[l].low < body[k].high && st == DAL_OK; ++l) {
            st = may_meet(c, &body[k], &body[l], margin) ? meet(m, c, &body[k], &body[l], margin) : DAL_OK;
        }
    }
    return st;
}

static dal_status look(mb_instance *m, const mb_crowd *c, double margin, double h)
{
    mb_crowd_work *w = m->crowd;
    DAL_GROW(m->ctx, w->place, w->room, c->nmembers);
    place *p = w->place;
    const int n = c->nmembers - c->nplanes;
    for (int k = 0; k < c->nmembers; ++k) {
        p[k].member = k;
        put(&p[k].at, &c->member[k].placed, &m->state[c->member[k].body]);
        p[k].way = h * fastest_point(&c->member[k], &m->state[c->member[k].body]);
    }
    DAL_TRY(look_at_planes(m, c, margin, p, n));
    return look_at_pairs(m, c, margin, p + c->nplanes, n);
}

static dal_status touches(const dal_touch **list, int *n, const dal_point *at, double margin, double h,
                          const void *user, void *work)
{
    const dal_model *of = user;
    mb_instance *m = work;
    DAL_TRY(mb_settled(m));
    if (!m->crowd && !(m->crowd = dal_alloc_zero(m->ctx, sizeof *m->crowd))) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for contacts");
    }
    mb_states(m, at);
    mb_lift_all(m, at);
    m->crowd->n = 0;
    for (int k = 0; k < of->ncrowds; ++k) {
        DAL_TRY(look(m, &of->crowd[k], margin, h));
    }
    if (m->crowd->n > 0) {
        qsort(m->crowd->list, (size_t)m->crowd->n, sizeof *m->crowd->list, by_pair);
    }
    *list = m->crowd->list;
    *n = m->crowd->n;
    return DAL_OK;
}
