/* Adding a flexible body: its description is checked, and the sums over its nodes are computed once and for all, (FX.4). */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "mbs/flex_impl.h"

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status refuse(dal_model *m, const char *name, const char *why)
{
    return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': %s", name, why);
}

static int given_ok(const double *x, int n)
{
    return !x || mb_norm_ok(x, n);
}

static int sums_ok(const dal_modes *s)
{
    const dal_flexible_sums *t = s->sums;
    const int n = s->nmodes;
    return !t ||
           (isfinite(t->mass) && mb_norm_ok(t->first, 3) && mb_norm_ok(t->inertia, 6) && given_ok(t->shape, 3 * n) &&
            given_ok(t->place, 9 * n) && given_ok(t->product, 9 * n * n) && given_ok(t->modal_mass, n * n));
}

static dal_status check_numbers(dal_model *m, const dal_flexible *d)
{
    const dal_modes *s = d->modes;
    const int n = s->nmodes, nn = s->nnodes;
    if (!mb_norm_ok(s->node, 3 * nn) || !given_ok(s->mass, nn) || !given_ok(s->inertia, 6 * nn) || !sums_ok(s) ||
        !given_ok(s->recovery, s->nrecovery * n) || !given_ok(s->shape, 3 * n * nn) ||
        !given_ok(s->rotation, 3 * n * nn) || !given_ok(s->foreshortening, 3 * n * n * nn) ||
        !given_ok(s->stiffness, n) || !given_ok(s->stiffness_matrix, n * n) || !given_ok(s->damping, n) ||
        !given_ok(d->modal, n) || !given_ok(d->modal_velocity, n)) {
        return refuse(m, d->name, "a number is not finite");
    }
    double mass = s->sums ? s->sums->mass : 0.0;
    for (int i = 0; i < nn && !s->sums; ++i) {
        if (s->mass[i] < 0.0) {
            return refuse(m, d->name, "a nodal mass is negative");
        }
        mass += s->mass[i];
    }
    for (int k = 0; k < n; ++k) {
        if ((s->damping && s->damping[k] < 0.0) ||
            !((s->stiffness_matrix ? s->stiffness_matrix[k + k * n] : s->stiffness[k]) >= 0.0)) {
            return refuse(m, d->name, "a modal stiffness or damping ratio is negative");
        }
    }
    for (int k = 0; k < n * n && s->stiffness_matrix; ++k) {
        const double a = s->stiffness_matrix[k], b = s->stiffness_matrix[k / n + k % n * n];
        if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b))) {
            return refuse(m, d->name, "its stiffness matrix is not symmetric");
        }
    }
    return mass > 0.0 ? DAL_OK : refuse(m, d->name, "it has no mass; give nodal masses");
}

static dal_status check_modes(dal_model *m, const dal_flexible *d)
{
    const dal_modes *s = d->modes;
    if (!s || s->nnodes < 1 || s->nmodes < 0 || !s->node || (!s->mass && !s->sums)) {
        return refuse(m, d->name, "it needs nodes with positions and masses, and a number of modes");
    }
    if (s->nmodes > 0 && (!s->shape || (!s->stiffness && !s->stiffness_matrix))) {
        return refuse(m, d->name, "modes need shape vectors and a modal stiffness");
    }
    if (s->sums &&
        (s->mass || s->inertia || s->foreshortening ||
         (s->nmodes > 0 && (!s->sums->shape || !s->sums->place || !s->sums->product || !s->sums->modal_mass)))) {
        return refuse(m, d->name, "it has either masses at nodes or sums, and all sums of its modes");
    }
    if (s->nrecovery < 0 || (s->nrecovery > 0 && !s->recovery) || s->ntriangles < 0 ||
        (s->ntriangles > 0 && !s->triangle)) {
        return refuse(m, d->name, "its triangles or rows of recovery are missing");
    }
    for (int k = 0; k < 3 * s->ntriangles; ++k) {
        if (s->triangle[k] < 0 || s->triangle[k] >= s->nnodes) {
            return refuse(m, d->name, "a triangle of its surface has a node that does not exist");
        }
    }
    if (s->ninterfaces < 0 || (s->ninterfaces > 0 && !s->interfaces)) {
        return refuse(m, d->name, "the list of interface nodes is missing");
    }
    const double n = s->nmodes, shapes = 3.0 * n * s->nnodes * (s->foreshortening ? fmax(n, 1.0) : 1.0);
    if (9.0 * n * n > INT_MAX || shapes > INT_MAX || n * s->nrecovery > INT_MAX || 3.0 * s->ntriangles > INT_MAX ||
        6.0 * s->nnodes > INT_MAX) {
        return refuse(m, d->name, "it has too many modes or nodes");
    }
    if (s->naverages < 0 || (s->naverages > 0 && !s->average)) {
        return refuse(m, d->name, "the list of means of nodes is missing");
    }
    for (int k = 0; k < s->naverages; ++k) {
        DAL_TRY(mb_check_average(m, d->name, s, k));
    }
    for (int k = 0; k < s->ninterfaces; ++k) {
        if (s->interface_name && !s->interface_name[k]) {
            return refuse(m, d->name, "an interface has no name; name all of them or none");
        }
        if (s->interfaces[k] < 0 || s->interfaces[k] - s->nnodes >= s->naverages) {
            return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': interface %d is node %d of %d", d->name, k + 1,
                            s->interfaces[k], s->nnodes);
        }
    }
    return check_numbers(m, d);
}

/* ---- sums over the nodes ---------------------------------------------------------------------- */

static void carve(mb_flex *f, dal_arena *arena, const dal_modes *d)
{
    const int n = f->n, nn = n * n, stiffening = d->foreshortening != NULL;
    double **of_modes[] = {&f->C1, &f->Hr, &f->P1, &f->D, &f->z0, &f->zd0};
    static const int size[] = {3, 3, 9, 1, 1, 1};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; ++k) {
        *of_modes[k] = dal_arena_reals(arena, size[k] * n);
    }
    f->P2 = dal_arena_reals(arena, 9 * nn);
    f->M = dal_arena_reals(arena, nn);
    f->K = dal_arena_reals(arena, nn);
    f->W = stiffening ? dal_arena_reals(arena, 9 * nn) : NULL;
    f->G = stiffening ? dal_arena_reals(arena, 3 * nn) : NULL;
    f->a = dal_arena_reals(arena, 3 * d->ninterfaces);
    f->psi = dal_arena_reals(arena, 3 * n * d->ninterfaces);
    f->theta = dal_arena_reals(arena, 3 * n * d->ninterfaces);
    f->g = stiffening ? dal_arena_reals(arena, 3 * nn * d->ninterfaces) : NULL;
    f->drawn = dal_arena_reals(arena, 3 * d->nnodes);
    f->drawn_shape = dal_arena_take(arena, 3 * (size_t)n * (size_t)d->nnodes, sizeof(double));
    f->triangle = dal_arena_ints(arena, 3 * d->ntriangles);
    f->recovery = dal_arena_reals(arena, d->nrecovery * n);
}

/* Share of a mass: (c0, P0, C1, P1, P2, M), and with g of the foreshortening (W, G). */
static void add_mass(mb_flex *f, double m, const double a[3], const double *psi, const double *g)
{
    const int n = f->n;
    axpy3(f->c0, m, a);
    add_outer(f->P0, m, a, a);
    for (int k = 0; k < n; ++k) {
        const double *pk = psi + 3 * (size_t)k;
        axpy3(f->C1 + 3 * (size_t)k, m, pk);
        add_outer(f->P1 + 9 * (size_t)k, m, a, pk);
        for (int l = 0; l < n; ++l) {
            const size_t lk = (size_t)l + (size_t)n * (size_t)k;
            const double *pl = psi + 3 * (size_t)l;
            add_outer(f->P2 + 9 * lk, m, pl, pk);
            f->M[lk] += m * dot3(pl, pk);
            if (g) {
                add_outer(f->W + 9 * lk, m, a, g + 3 * lk);
                axpy3(f->G + 3 * lk, m, g + 3 * lk);
            }
        }
    }
}

/* Share of an inertia at a node that turns by theta z: Jr, Hr and M. */
static void add_inertia(mb_flex *f, const double J[6], const double *theta)
{
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    const int n = f->n;
    for (int k = 0; k < 9; ++k) {
        f->Jr[k] += full[k];
    }
    for (int k = 0; k < n && theta; ++k) {
        double Jt[3];
        mat3_mul_vec(Jt, full, 3, theta + 3 * (size_t)k);
        add3(f->Hr + 3 * (size_t)k, f->Hr + 3 * (size_t)k, Jt);
        for (int l = 0; l < n; ++l) {
            f->M[l + n * k] += dot3(theta + 3 * (size_t)l, Jt);
        }
    }
}

/* Sums that are given. P0 is what gives the inertia by tr(P0) I - P0. */
static void take_sums(mb_flex *f, double *mass, const dal_flexible_sums *s)
{
    const size_t n = (size_t)f->n, vector = 3 * sizeof(double);
    const double *J = s->inertia, half = 0.5 * (J[0] + J[1] + J[2]);
    const double P0[9] = {half - J[0], -J[3], -J[4], -J[3], half - J[1], -J[5], -J[4], -J[5], half - J[2]};
    *mass = s->mass;
    copy3(f->c0, s->first);
    memcpy(f->P0, P0, sizeof P0);
    if (n > 0) {
        memcpy(f->C1, s->shape, n * vector);
        memcpy(f->P1, s->place, 3 * n * vector);
        memcpy(f->P2, s->product, 3 * n * n * vector);
        memcpy(f->M, s->modal_mass, n * n * sizeof(double));
    }
}

static void sum_up(mb_flex *f, double *mass, const dal_modes *d)
{
    const int n = f->n;
    if (d->sums) {
        take_sums(f, mass, d->sums);
    }
    for (int i = 0; i < d->nnodes && !d->sums; ++i) {
        const size_t modes = (size_t)(3 * n) * (size_t)i;
        if (d->mass[i] > 0.0) {
            *mass += d->mass[i];
            add_mass(f, d->mass[i], d->node + 3 * (size_t)i, n > 0 ? d->shape + modes : NULL,
                     d->foreshortening ? d->foreshortening + modes * (size_t)n : NULL);
        }
        if (d->inertia) {
            add_inertia(f, d->inertia + 6 * (size_t)i, d->rotation ? d->rotation + modes : NULL);
        }
    }
    for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
            f->K[l + n * k] = d->stiffness_matrix ? d->stiffness_matrix[l + n * k] : l == k ? d->stiffness[k] : 0.0;
        }
        // D = 2 zeta sqrt(K M)
        f->D[k] = d->damping ? 2.0 * d->damping[k] * sqrt(f->K[k + n * k] * f->M[k + n * k]) : 0.0;
    }
}

static void copy_given(mb_flex *f, const dal_flexible *b)
{
    const dal_modes *d = b->modes;
    const size_t n = (size_t)f->n;
    for (size_t k = 0; k < (size_t)d->ninterfaces; ++k) {
        const size_t from = (size_t)d->interfaces[k];
        if (d->interfaces[k] >= d->nnodes) {
            mb_flex_average(f->a + 3 * k, f->psi + 3 * n * k, f->theta + 3 * n * k, f->g ? f->g + 3 * n * n * k : NULL,
                            d, &d->average[d->interfaces[k] - d->nnodes]);
            continue;
        }
        copy3(f->a + 3 * k, d->node + 3 * from);
        if (n > 0) {
            memcpy(f->psi + 3 * n * k, d->shape + 3 * n * from, 3 * n * sizeof(double));
        }
        if (f->g) {
            memcpy(f->g + 3 * n * n * k, d->foreshortening + 3 * n * n * from, 3 * n * n * sizeof(double));
        }
        if (d->rotation) {
            memcpy(f->theta + 3 * n * k, d->rotation + 3 * n * from, 3 * n * sizeof(double));
        }
    }
    f->ntriangles = d->ntriangles;
    f->nrecovery = d->nrecovery;
    if (d->ntriangles > 0) {
        memcpy(f->triangle, d->triangle, 3 * (size_t)d->ntriangles * sizeof(int));
    }
    if (d->nrecovery > 0 && n > 0) {
        memcpy(f->recovery, d->recovery, (size_t)d->nrecovery * n * sizeof(double));
    }
    f->ndrawn = d->nnodes;
    memcpy(f->drawn, d->node, 3 * (size_t)d->nnodes * sizeof(double));
    if (n > 0) {
        memcpy(f->drawn_shape, d->shape, 3 * n * (size_t)d->nnodes * sizeof(double));
    }
    for (size_t k = 0; k < n; ++k) {
        f->z0[k] = b->modal ? b->modal[k] : 0.0;
        f->zd0[k] = b->modal_velocity ? b->modal_velocity[k] : 0.0;
    }
}

/* NULL when out of memory, with a message. */
static mb_flex *create(dal_ctx *ctx, const dal_flexible *b, double *mass)
{
    mb_flex *f = dal_alloc_zero(ctx, sizeof *f);
    if (!f) {
        (void)dal_fail(ctx, DAL_ENOMEM, "flexible body '%s': no memory", b->name);
        return NULL;
    }
    f->n = b->modes->nmodes;
    f->nnodes = b->modes->ninterfaces;
    f->arena = dal_arena_init(ctx);
    carve(f, &f->arena, b->modes);
    if (dal_arena_reserve(&f->arena) != DAL_OK) {
        dal_free(ctx, f);
        return NULL;
    }
    carve(f, &f->arena, b->modes);
    sum_up(f, mass, b->modes);
    copy_given(f, b);
    f->sums = (flex_sums){f->n, f->c0, f->P0, f->Jr, f->C1, f->Hr, f->P1, f->P2, f->W, f->G, f->M, f->K, f->D};
    return f;
}

void mb_flex_destroy(mb_flex *f, dal_ctx *ctx)
{
    if (f) {
        dal_arena_release(&f->arena);
        dal_free(ctx, f);
    }
}

/* ---- adding ----------------------------------------------------------------------------------- */

enum { NAME = 256 };

/* "body/interface" */
static dal_status node_name(char text[NAME], dal_model *m, const dal_flexible *d, int k)
{
    const char *const *name = d->modes->interface_name;
    const int size =
        name ? snprintf(text, NAME, "%s/%s", d->name, name[k]) : snprintf(text, NAME, "%s/%d", d->name, k + 1);
    return size > 0 && size < NAME ? DAL_OK : refuse(m, d->name, "names of interfaces are too long");
}

dal_body mb_node_pose(const dal_body *frame, const mb_flex *flex, double *turned, int k, const double *z)
{
    double R[9], RE[9], Rs[3];
    dal_body pose = *frame;
    const flex_node node = mb_flex_node(flex, k);
    flex_local x;
    flex_place(&x, &node, turned, z);
    dal_quat_to_matrix(R, frame->rotation);
    mat3_mul(RE, 3, R, 3, x.E, 3);
    mat3_mul_vec(Rs, R, 3, x.s);
    add3(pose.position, frame->position, Rs);
    dal_quat_from_matrix(pose.rotation, RE);
    return pose;
}

/* Interface node k as a body: its initial pose, for frames that are given in the world. */
static dal_status add_node(dal_model *m, const dal_flexible *d, const dal_body *frame, const mb_body *owner, int k,
                           double *turned)
{
    char name[NAME];
    dal_body pose = mb_node_pose(frame, owner->flex, turned, k, owner->flex->z0);
    mb_body node = *owner;
    DAL_TRY(node_name(name, m, d, k));
    node.type = &mb_body_node;
    node.nv = 6 + owner->flex->n;
    node.node = k;
    node.m = 0.0;
    pose.name = name;
    return mb_append_body(m, NULL, &node, &pose);
}

dal_status dal_model_add_flexible_(dal_model *model, int *number, const dal_flexible *body, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, body);
    DAL_OWN(model->ctx, dal_flexible, body);
    DAL_NEED(model->ctx, body->modes);
    dal_ctx *ctx = model->ctx;
    DAL_TRY(mb_names_check(model, &model->body_names, "body", body->name));
    DAL_TRY(check_modes(model, body));
    for (int k = 0; k < body->modes->ninterfaces; ++k) {
        char name[NAME];
        DAL_TRY(node_name(name, model, body, k));
        DAL_TRY(mb_names_check(model, &model->body_names, "body", name));
    }
    dal_body d = {.name = body->name};
    copy3(d.position, body->position);
    memcpy(d.rotation, body->rotation, sizeof d.rotation);
    copy3(d.velocity, body->velocity);
    copy3(d.angular_velocity, body->angular_velocity);
    d.given = body->given;
    DAL_TRY(mb_check_pose(ctx, &d, &mb_body_flexible));
    const dal_body frame = mb_pose_of(&d);
    mb_body b = {.type = &mb_body_flexible, .factor = -1, .nv = 6, .unit = model->body_names.n};
    b.nfactors = body->modes->nmodes > 0 ? 2 : 1;
    b.flex = create(ctx, body, &b.m);
    if (!b.flex) {
        return DAL_ENOMEM;
    }
    dal_status st = mb_append_body(model, number, &b, &d);
    if (st != DAL_OK) {
        mb_flex_destroy(b.flex, ctx);
        return st;
    }
    double *turned = dal_alloc(ctx, FLEX_NODE_ROOM * (size_t)body->modes->nmodes * sizeof(double));
    st = turned ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "flexible body '%s': no memory", body->name);
    for (int k = 0; k < body->modes->ninterfaces && st == DAL_OK; ++k) {
        st = add_node(model, body, &frame, &b, k, turned);
    }
    dal_free(ctx, turned);
    return st;
}

int dal_model_modes(const dal_model *model, int *q, int *v, int body)
{
    if (!model || body < 1 || body >= model->body_names.n || !model->body[body].flex) {
        return 0;
    }
    const mb_body *b = &model->body[body];
    if (q) {
        *q = b->q + 7;
    }
    if (v) {
        *v = b->v + 6;
    }
    return b->flex->n;
}
