/* What a body without shapes looks like: links between the points where something is attached, and a solid that has its
 * inertia. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lie/mat3.h"
#include "page/page_impl.h"

enum { POINTS_MAX = 32 };

/* Thickness of a link, and the smallest thing that can be seen, as shares of the mechanism. */
static const double link_share = 0.018, small_share = 0.03;

/* ---- one shape as JSON ------------------------------------------------------------------------ */

static void put_frame(dal_text *t, const dal_shape *s)
{
    double p[4] = {s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]};
    const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double frame[7] = {s->position[0],           s->position[1],           s->position[2],
                             n > 0.0 ? p[0] / n : 1.0, n > 0.0 ? p[1] / n : 0.0, n > 0.0 ? p[2] / n : 0.0,
                             n > 0.0 ? p[3] / n : 0.0};
    dal_page_json(t, ",\"frame\":%v", frame, 7);
}

static void put_points(dal_text *t, const dal_shape *s)
{
    dal_text_put(t, ",\"points\":[");
    for (int i = 0; i < s->npoints; ++i) {
        dal_page_json(t, "%,%v", i > 0, s->points + 3 * (size_t)i, 3);
    }
    dal_text_put(t, "]");
}

void dal_page_colour(char colour[16], const dal_shape *s)
{
    const double *c = s->colour;
    snprintf(colour, 16, "#%02x%02x%02x", (unsigned)lround(255.0 * c[0]) & 255U, (unsigned)lround(255.0 * c[1]) & 255U,
             (unsigned)lround(255.0 * c[2]) & 255U);
}

void dal_page_put_shape(dal_text *t, const dal_shape *s, int mesh)
{
    static const char *const kind[] = {"box", "sphere", "ellipsoid", "cylinder", "cone", "capsule", "tube", "mesh"};
    dal_page_json(t, "{\"kind\":%s", kind[s->kind]);
    if (s->kind == DAL_SHAPE_BOX || s->kind == DAL_SHAPE_ELLIPSOID) {
        dal_page_json(t, s->kind == DAL_SHAPE_BOX ? ",\"size\":%v" : ",\"semiaxes\":%v", s->size, 3);
    } else if (s->kind == DAL_SHAPE_MESH) {
        dal_page_json(t, ",\"mesh\":%d,\"scale\":%9", mesh, s->scale > 0.0 ? s->scale : 1.0);
    } else {
        dal_page_json(t, ",\"radius\":%9,\"length\":%9", s->radius, s->length);
    }
    if (s->kind == DAL_SHAPE_TUBE) {
        put_points(t, s);
    }
    put_frame(t, s);
    if (s->coloured) {
        char colour[16];
        dal_page_colour(colour, s);
        dal_page_json(t, ",\"colour\":%s", colour);
    }
    dal_page_json(t, ",\"opacity\":%3%p}", s->opacity > 0.0 ? s->opacity : 1.0, s->spokes ? ",\"spokes\":true" : "");
}

/* A shape in a list that has `count` so far. */
static void put_next(dal_text *t, const dal_shape *s, int *count)
{
    dal_page_json(t, "%,", (*count)++ > 0);
    dal_page_put_shape(t, s, 0);
}

/* ---- where things are attached ---------------------------------------------------------------- */

typedef struct attachments {
    double x[POINTS_MAX][3];
    int n;
    double tol;
} attachments;

static void attach(attachments *a, const double x[3])
{
    for (int k = 0; k < a->n; ++k) {
        const double d[3] = {x[0] - a->x[k][0], x[1] - a->x[k][1], x[2] - a->x[k][2]};
        if (dot3(d, d) < a->tol * a->tol) {
            return;
        }
    }
    if (a->n < POINTS_MAX) {
        memcpy(a->x[a->n++], x, 3 * sizeof(double));
    }
}

static int is_any(const char *type, const char *const *words)
{
    while (*words && strcmp(type, *words) != 0) {
        ++words;
    }
    return *words != NULL;
}

/* A wheel or ball that rolls is drawn as such. */
static void put_rolling(dal_text *t, const dal_joint *j, int *count)
{
    const int disk = strcmp(j->type, "rolling_sphere") != 0;
    dal_shape s = {.kind = disk ? DAL_SHAPE_CYLINDER : DAL_SHAPE_SPHERE,
                   .radius = j->radius,
                   .length = 0.08 * j->radius,
                   .spokes = disk};
    memcpy(s.position, j->frame_b.position, sizeof s.position);
    memcpy(s.rotation, j->frame_b.rotation, sizeof s.rotation);
    put_next(t, &s, count);
}

/* One end of a joint or a force: counted, or stored where the count says. */
static void put_end(page_looks *l, int body, const double x[3], int rolling)
{
    if (l->place) {
        page_place *p = &l->place[l->first[body]];
        memcpy(p->x, x, 3 * sizeof(double));
        p->rolling = rolling;
    }
    ++l->first[body];
}

/* Both ends of all joints and forces that are somewhere. */
static void put_ends(const dal_page *page, page_looks *l)
{
    static const char *const without[] = {"motion",      "gear",          "pfaffian", "knife_edge",
                                          "orientation", "parallel_axes", NULL},
                             *const rolls[] = {"rolling_disk", "wheel", "rolling_sphere", NULL};
    for (int k = 0; k < page->njoints; ++k) {
        dal_joint j;
        if (dal_model_joint_info(page->model, &j, k) == DAL_OK &&
            (!is_any(j.type, without) || (strcmp(j.type, "motion") == 0 && j.coordinate == DAL_COORDINATE_LENGTH))) {
            put_end(l, j.body_a, j.frame_a.position, -1);
            put_end(l, j.body_b, j.frame_b.position, is_any(j.type, rolls) ? k : -1);
        }
    }
    for (int k = 0; k < page->nforces; ++k) {
        dal_force f;
        if (dal_model_force_info(page->model, &f, k) == DAL_OK && dal_page_drawn_as(&f)[0] != '\0') {
            put_end(l, f.body_a, f.frame_a.position, -1);
            put_end(l, f.body_b, f.frame_b.position, -1);
        }
    }
}

/* How far the places of a body and its centre of mass are from the first place. */
static double span_of(const dal_page *page, int body)
{
    const page_looks *l = &page->looks;
    dal_body b;
    double most = 0.0;
    const int from = l->first[body], to = l->first[body + 1];
    if (from == to || dal_model_body_info(page->model, &b, body) != DAL_OK) {
        return 0.0;
    }
    for (int k = from; k <= to; ++k) {
        const double *x = k < to ? l->place[k].x : b.com, *o = l->place[from].x;
        const double d[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
        most = fmax(most, sqrt(dot3(d, d)));
    }
    return most;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static dal_status find_part(dal_page *page)
{
    page_looks *l = &page->looks;
    double *span;
    int n = 0;
    DAL_TAKE(&page->pool, span, page->nbodies + 1);
    for (int i = 1; i <= page->nbodies; ++i) {
        span[n] = span_of(page, i);
        n += span[n] > 1e-6 * l->size;
    }
    qsort(span, (size_t)n, sizeof *span, by_size);
    l->part = n > 0 ? span[n / 2] : l->size;
    return DAL_OK;
}

dal_status dal_page_looks_init(dal_page *page)
{
    page_looks *l = &page->looks;
    const size_t nb = (size_t)page->nbodies;
    DAL_TAKE(&page->pool, l->first, nb + 2);
    put_ends(page, l); // counts
    for (int total = 0, i = 0; i <= page->nbodies + 1; ++i) {
        const int count = l->first[i];
        l->first[i] = total;
        total += count;
    }
    DAL_TAKE(&page->pool, l->place, l->first[nb + 1] + 1);
    put_ends(page, l); // stores, and moves each entry to the next
    memmove(l->first + 1, l->first, (nb + 1) * sizeof *l->first);
    l->first[0] = 0;
    return find_part(page);
}

/* Points of joints and forces on the body; rolling wheels are written at once. */
static void find_attachments(dal_text *t, const dal_page *page, int body, attachments *a, int *count)
{
    const page_looks *l = &page->looks;
    for (int k = l->first[body]; k < l->first[body + 1]; ++k) {
        dal_joint j;
        if (l->place[k].rolling >= 0 && dal_model_joint_info(page->model, &j, l->place[k].rolling) == DAL_OK) {
            put_rolling(t, &j, count);
        } else {
            attach(a, l->place[k].x);
        }
    }
}

/* ---- solids ----------------------------------------------------------------------------------- */

static void put_link(dal_text *t, const double a[3], const double b[3], double radius, int *count)
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, l = sqrt(dot3(d, d));
    dal_shape s = {.kind = DAL_SHAPE_CAPSULE, .radius = radius, .length = l};
    if (!(l > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        s.position[k] = 0.5 * (a[k] + b[k]);
    }
    // z to d
    const double w = l + d[2];
    s.rotation[0] = w > 1e-9 * l ? w : 0.0;
    s.rotation[1] = w > 1e-9 * l ? -d[1] : 1.0;
    s.rotation[2] = w > 1e-9 * l ? d[0] : 0.0;
    put_next(t, &s, count);
}

/* Eigenvalues and vectors (columns of V) of a symmetric matrix by Jacobi's rotations. */
static void principal(double A[9], double V[9])
{
    for (int k = 0; k < 9; ++k) {
        V[k] = k % 4 == 0 ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < 24; ++sweep) {
        const int p = sweep % 3 == 2 ? 1 : 0, q = sweep % 3 == 0 ? 1 : 2;
        const double a = A[p + 3 * q];
        if (a == 0.0) {
            continue;
        }
        const double angle = 0.5 * atan2(2.0 * a, A[p + 3 * p] - A[q + 3 * q]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; ++k) { // A G, V G
            const double x = A[k + 3 * p], y = A[k + 3 * q], u = V[k + 3 * p], v = V[k + 3 * q];
            A[k + 3 * p] = c * x + s * y;
            A[k + 3 * q] = -s * x + c * y;
            V[k + 3 * p] = c * u + s * v;
            V[k + 3 * q] = -s * u + c * v;
        }
        for (int k = 0; k < 3; ++k) { // G^T A
            const double x = A[p + 3 * k], y = A[q + 3 * k];
            A[p + 3 * k] = c * x + s * y;
            A[q + 3 * k] = -s * x + c * y;
        }
    }
}

static int alike(double a, double b)
{
    return fabs(a - b) <= 0.02 * (fabs(a) + fabs(b));
}

static double at_least(double x, double least)
{
    return x > least ? x : least;
}

/* A ball, a cylinder or a box with the moments J about principal axes, in order. */
static void solid_of(dal_shape *s, const double J[3], double m, double least)
{
    const int axis = alike(J[1], J[2]) ? 0 : alike(J[0], J[2]) ? 1 : alike(J[0], J[1]) ? 2 : -1;
    if (axis >= 0 && alike(J[axis], J[(axis + 1) % 3])) {
        s->kind = DAL_SHAPE_SPHERE;
        s->radius = at_least(sqrt(2.5 * J[0] / m), least);
        return;
    }
    if (axis >= 0) {
        const double across = J[(axis + 1) % 3] / m, r = sqrt(2.0 * J[axis] / m), ll = 12.0 * (across - 0.25 * r * r);
        static const double turn[3][4] = {{0.70710678118654757, 0.0, 0.70710678118654757, 0.0},
                                          {0.70710678118654757, -0.70710678118654757, 0.0, 0.0},
                                          {1.0, 0.0, 0.0, 0.0}};
        double turned[4];
        s->kind = DAL_SHAPE_CYLINDER;
        s->radius = at_least(r, 0.5 * least);
        s->length = at_least(ll > 0.0 ? sqrt(ll) : 0.0, 0.1 * s->radius);
        dal_quat_mul(turned, s->rotation, turn[axis]);
        memcpy(s->rotation, turned, sizeof turned);
        return;
    }
    s->kind = DAL_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        const double e = 6.0 * (J[(k + 1) % 3] + J[(k + 2) % 3] - J[k]) / m;
        s->size[k] = at_least(e > 0.0 ? sqrt(e) : 0.0, least);
    }
}

static void put_inertia(dal_text *t, const dal_body *b, double size, int planar, int *count)
{
    const double *I = b->inertia, least = small_share * size;
    double J[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, V[9];
    dal_shape s = {.kind = DAL_SHAPE_SPHERE, .radius = least, .rotation = {1.0, 0.0, 0.0, 0.0}};
    memcpy(s.position, b->com, sizeof s.position);
    if (planar) {
        J[0] = J[4] = 0.5 * J[8]; // a disk
    }
    if (b->mass > 0.0 && J[0] + J[4] + J[8] > 0.0) {
        principal(J, V);
        double cross[3];
        cross3(cross, V, V + 3);
        if (dot3(cross, V + 6) < 0.0) {
            for (int k = 0; k < 3; ++k) {
                V[6 + k] = -V[6 + k];
            }
        }
        dal_quat_from_matrix(s.rotation, V);
        const double moments[3] = {J[0], J[4], J[8]};
        solid_of(&s, moments, b->mass, least);
    }
    put_next(t, &s, count);
}

/* ---- all of a body ---------------------------------------------------------------------------- */

/* Is it a rod that hangs by one end? Its moment across is that of a thin rod then, (c^2)/3 for a centre of mass at c. */
static int rod_like(const dal_body *b, const double end[3], int planar)
{
    const double d[3] = {b->com[0] - end[0], b->com[1] - end[1], b->com[2] - end[2]}, cc = dot3(d, d);
    const double *I = b->inertia;
    if (!(b->mass > 0.0 && cc > 0.0)) {
        return 0;
    }
    const double along = (d[0] * (I[0] * d[0] + 2.0 * I[3] * d[1]) + d[1] * (I[1] * d[1] + 2.0 * I[5] * d[2]) +
                          d[2] * (I[2] * d[2] + 2.0 * I[4] * d[0])) /
                         cc;
    const double across = (planar ? I[2] : 0.5 * (I[0] + I[1] + I[2] - along)) / b->mass;
    return across > 0.2 * cc && across < 0.5 * cc && (planar || along < 0.3 * across * b->mass);
}

/* One place: a rod, or a stem with a solid that has the inertia. */
static void put_hanging(dal_text *t, const dal_page *page, const dal_body *b, const double end[3], int *count)
{
    const int planar = strncmp(b->type, "planar", 6) == 0;
    const double radius = fmin(link_share * page->looks.size, 0.15 * page->looks.part);
    if (rod_like(b, end, planar)) {
        const double tip[3] = {2.0 * b->com[0] - end[0], 2.0 * b->com[1] - end[1], 2.0 * b->com[2] - end[2]};
        put_link(t, end, tip, radius, count);
        return;
    }
    put_link(t, end, b->com, radius, count);
    put_inertia(t, b, page->looks.size, planar, count);
}

static void put_default(dal_text *t, const dal_page *page, int body)
{
    dal_body b;
    attachments a = {.n = 0, .tol = 1e-6 * page->looks.size};
    int count = 0;
    if (dal_model_body_info(page->model, &b, body) != DAL_OK) {
        return;
    }
    find_attachments(t, page, body, &a, &count);
    const double radius = fmin(link_share * page->looks.size, 0.15 * page->looks.part);
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 * a.n; ++i) {
        middle[i % 3] += a.x[i / 3][i % 3] / a.n;
    }
    if (a.n == 1) {
        put_hanging(t, page, &b, a.x[0], &count);
    }
    if (a.n == 2) {
        put_link(t, a.x[0], a.x[1], radius, &count);
    }
    for (int i = 0; a.n > 2 && i < a.n; ++i) {
        put_link(t, middle, a.x[i], radius, &count);
    }
    if (count == 0) {
        put_inertia(t, &b, page->looks.size, strncmp(b.type, "planar", 6) == 0, &count);
    }
}

void dal_page_shapes(dal_text *t, const dal_page *page, int body)
{
    int own = 0, drawn = 0, mesh = 0;
    dal_text_put(t, "[");
    for (int k = 0; k < dal_model_shape_count(page->model); ++k) {
        int of;
        const dal_shape *s = dal_model_shape(page->model, &of, k);
        if (of == body && !s->swept) {
            dal_page_json(t, "%,", drawn++ > 0);
            dal_page_put_shape(t, s, mesh);
        }
        own += of == body;
        mesh += s->kind == DAL_SHAPE_MESH;
    }
    const int shapes = drawn;
    dal_page_touching(t, &drawn, page, body, own > 0);
    own += drawn - shapes;
    const int node = body == 0 || dal_model_body_of(page->model, body) != body;
    if (own == 0 && !node && dal_model_flexible_nodes(page->model, body).n == 0) {
        put_default(t, page, body);
    }
    dal_text_put(t, "]");
}
