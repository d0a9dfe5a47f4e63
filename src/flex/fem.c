/* A finite element body becomes a flexible one: checks, reduction, what is kept. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "flex/fem_impl.h"

/* The result and what it points to. */
typedef struct owned {
    dal_fem_result result;
    dal_flexible_sums sums;
    dal_pool pool;
} owned;

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_numbers(dal_ctx *ctx, const dal_fem *d)
{
    if (d->nnodes < 2 || d->node == NULL) {
        return dal_fail(ctx, DAL_EINVAL, "a finite element body needs at least two nodes with their places");
    }
    if (d->ndofs < 7 || d->nnodes > INT_MAX / 6) {
        return dal_fail(ctx, DAL_EINVAL, "%d rows are not those of a body", d->ndofs);
    }
    if (d->dof == NULL && d->ndofs != 3 * d->nnodes && d->ndofs != 6 * d->nnodes) {
        return dal_fail(ctx, DAL_EINVAL,
                        "the matrices have %d rows, which are neither three nor six for each of the %d nodes; name the "
                        "rows if some "
                        "are missing",
                        d->ndofs, d->nnodes);
    }
    for (int i = 0; i < 3 * d->nnodes; ++i) {
        if (!isfinite(d->node[i])) {
            return dal_fail(ctx, DAL_EINVAL, "node %d: its place is not a finite number", i / 3);
        }
    }
    if (d->ninterfaces < 0 || (d->ninterfaces > 0 && d->interfaces == NULL) || d->M.n < 1 || d->K.n < 1) {
        return dal_fail(ctx, DAL_EINVAL, "interfaces or matrices are missing");
    }
    const double number[] = {d->length,    d->mass,   d->stiffness_factor, d->mass_factor,
                             d->frequency, d->cutoff, d->damping};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; ++k) {
        if (!(number[k] >= 0.0 && isfinite(number[k]))) {
            return dal_fail(ctx, DAL_EINVAL, "units, factors, frequencies and damping are not negative");
        }
    }
    if (d->nmodes < 0 || d->nmodes > 1000) {
        return dal_fail(ctx, DAL_EINVAL, "%d modes: a number from 0 to 1000 is wanted", d->nmodes);
    }
    return DAL_OK;
}

/* Places in m, which row is which, and where a component of a node is. */
static dal_status number_rows(fem_body *b)
{
    const dal_fem *d = b->d;
    const int each = d->ndofs / d->nnodes;
    const double unit = d->length > 0.0 ? d->length : 1.0;
    DAL_TAKE(&b->pool, b->node, 3 * (size_t)d->nnodes);
    DAL_TAKE(&b->pool, b->dof, d->ndofs);
    DAL_TAKE(&b->pool, b->of_node, 6 * (size_t)d->nnodes);
    for (int i = 0; i < 3 * d->nnodes; ++i) {
        b->node[i] = unit * d->node[i];
    }
    memset(b->of_node, -1, 6 * (size_t)d->nnodes * sizeof(int));
    for (int i = 0; i < d->ndofs; ++i) {
        b->dof[i] = d->dof != NULL ? d->dof[i] : 6 * (i / each) + i % each;
        if (b->dof[i] < 0 || b->dof[i] >= 6 * d->nnodes) {
            return dal_fail(b->ctx, DAL_EINVAL, "row %d belongs to a node that does not exist", i + 1);
        }
        if (b->of_node[b->dof[i]] >= 0) {
            return dal_fail(b->ctx, DAL_EINVAL, "rows %d and %d are the same component of node %d",
                            b->of_node[b->dof[i]] + 1, i + 1, b->dof[i] / 6);
        }
        b->of_node[b->dof[i]] = i;
    }
    return DAL_OK;
}

/* ---- the frame -------------------------------------------------------------------------------- */

/* The sign of a shape is that with which its largest entry is positive. */
static void largest_positive(double *x, int n)
{
    int at = 0;
    for (int i = 0; i < n; ++i) {
        at = fabs(x[i]) > fabs(x[at]) * (1.0 + 1e-6) ? i : at;
    }
    const int turn = x[at] < 0.0;
    for (int i = 0; i < n && turn; ++i) {
        x[i] = -x[i];
    }
}

/* Shapes as the frame sees them that is fixed to an interface: less the rigid motion with it.            (FE.8) */
static dal_status fix_frame(fem_body *b, double *X, int n)
{
    int f = 0;
    while (f < b->d->ninterfaces && strcmp(b->d->interfaces[f].name, b->d->reference) != 0) {
        ++f;
    }
    if (f == b->d->ninterfaces) {
        return dal_fail(b->ctx, DAL_EINVAL, "reference: there is no interface '%s'", b->d->reference);
    }
    if (b->first[f + 1] - b->first[f] < 6) {
        return dal_fail(b->ctx, DAL_EINVAL,
                        "reference: interface '%s' is a node that does not turn; the frame needs one that does",
                        b->d->reference);
    }
    const double *a = b->place + 3 * (size_t)f;
    double *q;
    DAL_TAKE(&b->pool, q, b->B.n);
    for (int k = 0; k < n; ++k) {
        double *x = X + dal_entry(0, k, b->sys.n);
        fem_interface(q, b, x, 1);
        const double *u = q + b->first[f], *w = u + 3;
        // u + w x (r - a)
        const double motion[6] = {u[0] - (w[1] * a[2] - w[2] * a[1]),
                                  u[1] - (w[2] * a[0] - w[0] * a[2]),
                                  u[2] - (w[0] * a[1] - w[1] * a[0]),
                                  w[0],
                                  w[1],
                                  w[2]};
        dal_matrix_product(x, 1.0, -1.0, b->T, 0, motion, 0, b->sys.n, 1, 6);
    }
    return DAL_OK;
}

/* ---- the result ------------------------------------------------------------------------------- */

/* Nodes that are kept for pictures: those of the surface; interfaces follow. kept: -1 or their new number */
static int keep_nodes(int *kept, const dal_fem *d)
{
    int n = 0;
    for (int i = 0; i < d->nnodes; ++i) {
        kept[i] = d->ntriangles == 0 && d->ninterfaces == 0 && i < 2 ? 0 : -1;
    }
    for (int k = 0; k < 3 * d->ntriangles; ++k) {
        kept[d->triangle[k]] = 0;
    }
    for (int i = 0; i < d->nnodes; ++i) {
        kept[i] = kept[i] == 0 ? n++ : -1;
    }
    return n;
}

static dal_status put_nodes(owned *o, fem_body *b, const double *X, int n)
{
    const dal_fem *d = b->d;
    dal_modes *m = &o->result.modes;
    const size_t per = 3 * (size_t)n;
    int *kept, *triangle, *interface;
    const char **name;
    double *node, *shape, *turn, *u, *q;
    DAL_TAKE(&b->pool, kept, d->nnodes);
    const int nkept = keep_nodes(kept, d);
    m->nnodes = nkept + d->ninterfaces;
    m->nmodes = n;
    DAL_TAKE(&o->pool, node, 3 * (size_t)m->nnodes);
    DAL_TAKE(&o->pool, shape, per * (size_t)m->nnodes + 1);
    DAL_TAKE(&o->pool, turn, per * (size_t)m->nnodes + 1);
    DAL_TAKE(&o->pool, triangle, 3 * (size_t)d->ntriangles + 1);
    DAL_TAKE(&o->pool, interface, d->ninterfaces + 1);
    DAL_TAKE(&o->pool, name, d->ninterfaces + 1);
    DAL_TAKE(&b->pool, u, d->ndofs);
    DAL_TAKE(&b->pool, q, b->B.n + 1);
    for (int i = 0; i < d->nnodes; ++i) {
        if (kept[i] >= 0) {
            memcpy(node + 3 * (size_t)kept[i], b->node + 3 * (size_t)i, 3 * sizeof(double));
        }
    }
    for (int k = 0; k < n; ++k) {
        fem_expand(u, b, X + dal_entry(0, k, b->sys.n));
        for (int i = 0; i < d->ndofs; ++i) {
            const int at = kept[b->dof[i] / 6], c = b->dof[i] % 6;
            if (at >= 0) {
                (c < 3 ? shape : turn)[per * (size_t)at + 3 * (size_t)k + (size_t)(c % 3)] = u[i];
            }
        }
        fem_interface(q, b, X + dal_entry(0, k, b->sys.n), 1);
        for (int f = 0; f < d->ninterfaces; ++f) {
            const size_t at = per * (size_t)(nkept + f) + 3 * (size_t)k;
            memcpy(shape + at, q + b->first[f], 3 * sizeof(double));
            if (b->first[f + 1] - b->first[f] == 6) {
                memcpy(turn + at, q + b->first[f] + 3, 3 * sizeof(double));
            }
        }
    }
    for (int f = 0; f < d->ninterfaces; ++f) {
        memcpy(node + 3 * (size_t)(nkept + f), b->place + 3 * (size_t)f, 3 * sizeof(double));
        interface[f] = nkept + f;
        DAL_TAKE_TEXT(&o->pool, name[f], d->interfaces[f].name);
    }
    for (int k = 0; k < 3 * d->ntriangles; ++k) {
        triangle[k] = kept[d->triangle[k]];
    }
    m->node = node;
    m->shape = shape;
    m->rotation = turn;
    m->ntriangles = d->ntriangles;
    m->triangle = triangle;
    m->ninterfaces = d->ninterfaces;
    m->interfaces = interface;
    m->interface_name = name;
    return DAL_OK;
}

static dal_status put_recovery(owned *o, fem_body *b, const double *X, int n)
{
    const dal_fem *d = b->d;
    const dal_entries *S = &d->recovery;
    double *u, *to;
    DAL_TAKE(&b->pool, u, d->ndofs);
    DAL_TAKE(&o->pool, to, (size_t)d->nrecovery * (size_t)n + 1);
    for (int l = 0; l < S->n; ++l) {
        if (S->row[l] < 0 || S->row[l] >= d->nrecovery || S->col[l] < 0 || S->col[l] >= d->ndofs ||
            !isfinite(S->x[l])) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "recovery: entry (%d, %d) is not within %d x %d, or not a finite number", S->row[l] + 1,
                            S->col[l] + 1, d->nrecovery, d->ndofs);
        }
    }
    for (int k = 0; k < n; ++k) {
        fem_expand(u, b, X + dal_entry(0, k, b->sys.n));
        for (int l = 0; l < S->n; ++l) {
            to[dal_entry(S->row[l], k, d->nrecovery)] += S->x[l] * u[S->col[l]];
        }
    }
    o->result.modes.nrecovery = d->nrecovery;
    o->result.modes.recovery = to;
    return DAL_OK;
}

/* The elongation by a unit strain along each axis: energy = E V strain^2/2, mass = rho V. */
static double wave_speed(const fem_body *b, double mass, double *x, double *Kx)
{
    double most = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double xKx = 0.0;
        for (int i = 0; i < b->full.n; ++i) {
            x[i] = b->dof[i] % 6 == axis ? b->node[3 * (size_t)(b->dof[i] / 6) + (size_t)axis] : 0.0;
        }
        fem_product(Kx, &b->full, b->full.K, x, 1);
        dal_matrix_product(&xKx, 0.0, 1.0, x, 1, Kx, 0, 1, 1, b->full.n);
        most = fmax(most, sqrt(fmax(xKx, 0.0) / mass));
    }
    return most;
}

static dal_status frequencies(const double **to, dal_pool *pool, const double *square, int n)
{
    double *f;
    DAL_TAKE(pool, f, n + 1);
    for (int k = 0; k < n; ++k) {
        f[k] = sqrt(fmax(square[k], 0.0)) / (2.0 * acos(-1.0));
    }
    *to = f;
    return DAL_OK;
}

static dal_status put_report(owned *o, fem_body *b, const fem_shapes *s, int n)
{
    dal_fem_report *r = &o->result.report;
    const dal_flexible_sums *t = &o->sums;
    double *effective, *x, *y;
    DAL_TAKE(&o->pool, effective, 6 * (size_t)s->nheld + 1);
    DAL_TAKE(&b->pool, x, b->full.n);
    DAL_TAKE(&b->pool, y, b->full.n);
    if (s->nheld > 0) {
        memcpy(effective, s->effective, 6 * (size_t)s->nheld * sizeof(double));
    }
    *r =
        (dal_fem_report){.ndofs = b->d->ndofs, .nmodes = n, .nfull = s->nfull, .nheld = s->nheld, .ninterface = b->B.n};
    r->mass = t->mass;
    r->effective = effective;
    r->speed = wave_speed(b, t->mass, x, y);
    for (int k = 0; k < 3; ++k) {
        r->com[k] = t->first[k] / t->mass;
    }
    for (int k = 0; k < 6; ++k) {
        static const int p[6] = {0, 1, 2, 0, 0, 1}, q[6] = {0, 1, 2, 1, 2, 2};
        const double *c = r->com, square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        r->inertia[k] = t->inertia[k] - t->mass * ((p[k] == q[k] ? square : 0.0) - c[p[k]] * c[q[k]]);
    }
    DAL_TRY(frequencies(&r->frequency, &o->pool, s->square, n));
    DAL_TRY(frequencies(&r->full, &o->pool, s->full, s->nfull));
    return frequencies(&r->held, &o->pool, s->held, s->nheld);
}

/* Shapes below the cutoff, in the frame, and all that follows from them. */
static dal_status finish(owned *o, fem_body *b, fem_shapes *s)
{
    const double most = 2.0 * acos(-1.0) * b->d->cutoff;
    dal_modes *m = &o->result.modes;
    fem_sums to;
    double *stiffness, *damping;
    int n = s->n;
    while (n > 0 && b->d->cutoff > 0.0 && s->square[n - 1] > most * most) {
        --n;
    }
    for (int k = 0; k < n; ++k) {
        largest_positive(s->X + dal_entry(0, k, b->sys.n), b->sys.n);
    }
    DAL_TRY(b->d->reference != NULL ? fix_frame(b, s->X, n) : DAL_OK);
    DAL_TAKE(&o->pool, to.shape, 3 * (size_t)n + 1);
    DAL_TAKE(&o->pool, to.place, 9 * (size_t)n + 1);
    DAL_TAKE(&o->pool, to.product, 9 * (size_t)n * (size_t)n + 1);
    DAL_TAKE(&o->pool, to.modal_mass, (size_t)n * (size_t)n + 1);
    DAL_TAKE(&o->pool, stiffness, n + 1);
    DAL_TAKE(&o->pool, damping, n + 1);
    DAL_TRY(fem_inertia(b, &o->sums, &to, s->X, n));
    for (int k = 0; k < n; ++k) {
        stiffness[k] = s->square[k];
        damping[k] = b->d->damping;
    }
    DAL_TRY(put_nodes(o, b, s->X, n));
    DAL_TRY(b->d->nrecovery > 0 ? put_recovery(o, b, s->X, n) : DAL_OK);
    m->stiffness = stiffness;
    m->damping = damping;
    m->sums = &o->sums;
    return put_report(o, b, s, n);
}

static dal_status reduce(owned *o, fem_body *b)
{
    fem_shapes shapes = {.n = 0};
    DAL_TRY(check_numbers(b->ctx, b->d));
    DAL_TRY(number_rows(b));
    DAL_TRY(fem_read(b));
    DAL_TRY(fem_check_mass(b));
    DAL_TRY(fem_system(b));
    DAL_TRY(fem_rigid(b));
    DAL_TRY(fem_reduce(b, &shapes));
    return finish(o, b, &shapes);
}

dal_status dal_fem_reduce_(dal_fem_result **result, dal_ctx *ctx, const dal_fem *fem, size_t size)
{
    DAL_NEED(ctx, result);
    *result = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, fem);
    DAL_OWN(ctx, dal_fem, fem);
    owned *o = dal_alloc_zero(ctx, sizeof *o);
    if (!o) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a finite element body");
    }
    o->pool = (dal_pool){.ctx = ctx, .what = "a reduced body"};
    fem_body b = {.d = fem, .ctx = ctx, .pool = {.ctx = ctx, .what = "a finite element body"}};
    const dal_status st = reduce(o, &b);
    dal_linsol_destroy(b.S);
    dal_pool_release(&b.pool);
    *result = &o->result;
    if (st != DAL_OK) {
        dal_fem_destroy(*result);
        *result = NULL;
    }
    return st;
}

void dal_fem_destroy(dal_fem_result *result)
{
    if (result) {
        owned *o = (owned *)result;
        dal_ctx *ctx = o->pool.ctx;
        dal_pool_release(&o->pool);
        dal_free(ctx, o);
    }
}
