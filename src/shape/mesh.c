/* Meshes: joining vertices, closedness, volume integrals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lie/mat3.h"
#include "shape/shape_impl.h"

/* ---- joining vertices ------------------------------------------------------------------------- */

typedef struct place {
    double x[3];
    int number;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; ++k) {
        if (p->x[k] != q->x[k]) {
            return p->x[k] < q->x[k] ? -1 : 1;
        }
    }
    return p->number < q->number ? -1 : 1;
}

dal_status dal_mesh_join(dal_mesh *mesh, dal_ctx *ctx)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, mesh);
    dal_pool pool = {.ctx = ctx, .what = "a mesh"};
    place *list = dal_pool_take(&pool, (size_t)mesh->nvertices, sizeof *list);
    int *to = dal_pool_take(&pool, (size_t)mesh->nvertices, sizeof *to);
    if (!list || !to) {
        dal_pool_release(&pool);
        return DAL_ENOMEM;
    }
    for (int i = 0; i < mesh->nvertices; ++i) {
        for (int k = 0; k < 3; ++k) {
            list[i].x[k] = mesh->x[3 * i + k] + 0.0; // -0 becomes 0
        }
        list[i].number = i;
    }
    qsort(list, (size_t)mesh->nvertices, sizeof *list, compare_places);
    int n = 0;
    for (int i = 0; i < mesh->nvertices; ++i) {
        const double *x = list[i].x, *before = list[i > 0 ? i - 1 : 0].x;
        n += x[0] != before[0] || x[1] != before[1] || x[2] != before[2];
        to[list[i].number] = n;
        memcpy(mesh->x + 3 * (size_t)n, list[i].x, sizeof list[i].x);
    }
    mesh->nvertices = mesh->nvertices > 0 ? n + 1 : 0;
    int kept = 0;
    for (int t = 0; t < mesh->ntriangles; ++t) {
        const int a = to[mesh->index[3 * t]], b = to[mesh->index[3 * t + 1]], c = to[mesh->index[3 * t + 2]];
        if (a != b && b != c && c != a) {
            mesh->index[3 * kept] = a;
            mesh->index[3 * kept + 1] = b;
            mesh->index[3 * kept + 2] = c;
            ++kept;
        }
    }
    mesh->ntriangles = kept;
    dal_pool_release(&pool);
    return DAL_OK;
}

static dal_status need_arrays(dal_ctx *ctx, const dal_mesh *mesh)
{
    return (mesh->x || mesh->nvertices <= 0) && (mesh->index || mesh->ntriangles <= 0)
               ? DAL_OK
               : dal_fail(ctx, DAL_EINVAL, "a mesh of %d vertices and %d triangles: x or index is NULL",
                          mesh->nvertices, mesh->ntriangles);
}

dal_status dal_mesh_copy(dal_mesh **copy, dal_ctx *ctx, const dal_mesh *mesh)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, copy);
    *copy = NULL;
    DAL_NEED(ctx, mesh);
    DAL_TRY(need_arrays(ctx, mesh));
    const size_t bytes = 3 * (size_t)mesh->nvertices * sizeof(double);
    const size_t index_bytes = 3 * (size_t)mesh->ntriangles * sizeof(int);
    dal_mesh *m = *copy = dal_alloc_zero(ctx, sizeof *m);
    if (m) {
        m->x = dal_alloc(ctx, bytes);
        m->index = dal_alloc(ctx, index_bytes);
    }
    if (!m || !m->x || !m->index) {
        dal_mesh_destroy(m, ctx);
        *copy = NULL;
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a mesh of %d triangles", mesh->ntriangles);
    }
    memcpy(m->x, mesh->x, bytes);
    memcpy(m->index, mesh->index, index_bytes);
    m->nvertices = mesh->nvertices;
    m->ntriangles = mesh->ntriangles;
    return DAL_OK;
}

void dal_mesh_stretch(dal_mesh *mesh, const double factor[3])
{
    const int mirrored = factor[0] * factor[1] * factor[2] < 0.0;
    for (int i = 0; i < 3 * mesh->nvertices; ++i) {
        mesh->x[i] *= factor[i % 3];
    }
    for (int t = 0; t < mesh->ntriangles && mirrored; ++t) { // the outside stays outside
        const int second = mesh->index[3 * t + 1];
        mesh->index[3 * t + 1] = mesh->index[3 * t + 2];
        mesh->index[3 * t + 2] = second;
    }
}

void dal_mesh_destroy(dal_mesh *mesh, dal_ctx *ctx)
{
    if (mesh) {
        dal_free(ctx, mesh->x);
        dal_free(ctx, mesh->index);
        dal_free(ctx, mesh);
    }
}

/* ---- closedness ------------------------------------------------------------------------------- */

typedef struct edge {
    int low, high; /* vertices */
    int forward;   /* 1: the triangle runs from low to high, -1: from high to low */
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->forward - q->forward;
}

/* Edges that are not passed once in each direction; *first is one of them. */
static int count_open(const edge *list, int n, const edge **first)
{
    int open = 0;
    *first = NULL;
    for (int i = 0; i < n;) {
        int k = i;
        while (k < n && list[k].low == list[i].low && list[k].high == list[i].high) {
            ++k;
        }
        if (k - i != 2 || list[i].forward + list[i + 1].forward != 0) {
            *first = *first ? *first : &list[i];
            ++open;
        }
        i = k;
    }
    return open;
}

dal_status dal_mesh_closed(dal_ctx *ctx, const dal_mesh *mesh)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, mesh);
    DAL_TRY(need_arrays(ctx, mesh));
    const int n = 3 * mesh->ntriangles;
    if (n == 0) {
        return dal_fail(ctx, DAL_EINVAL, "the mesh has no triangles");
    }
    edge *list = dal_alloc(ctx, (size_t)n * sizeof *list);
    if (!list) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to look at the edges of a mesh of %d triangles", mesh->ntriangles);
    }
    for (int i = 0; i < n; ++i) {
        const int a = mesh->index[i], b = mesh->index[i % 3 == 2 ? i - 2 : i + 1];
        list[i] = (edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
    }
    qsort(list, (size_t)n, sizeof *list, compare_edges);
    const edge *first;
    const int open = count_open(list, n, &first);
    dal_status st = DAL_OK;
    if (open > 0) {
        const double *p = mesh->x + 3 * (size_t)first->low, *q = mesh->x + 3 * (size_t)first->high;
        st = dal_fail(ctx, DAL_EINVAL,
                      "the mesh is not closed: %d edges do not join two triangles of one orientation, the first from "
                      "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g). Repair the mesh, or give mass and inertia as numbers",
                      open, p[0], p[1], p[2], q[0], q[1], q[2]);
    }
    dal_free(ctx, list);
    return st;
}

/* ---- volume ----------------------------------------------------------------------------------- */

/* Sums over tetrahedra from a point in the middle to the triangles: less is cancelled than from the origin. */
void dal_mesh_moments(const dal_mesh *mesh, double *volume, double first[3], double second[9])
{
    double o[3] = {0.0, 0.0, 0.0}, V = 0.0, S[3] = {0.0, 0.0, 0.0}, Q[9] = {0.0};
    for (int i = 0; i < 3 * mesh->nvertices; ++i) {
        o[i % 3] += mesh->x[i] / mesh->nvertices;
    }
    for (int t = 0; t < mesh->ntriangles; ++t) {
        double p[3][3], n[3], sum[3];
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) {
                p[c][k] = mesh->x[3 * mesh->index[3 * t + c] + k] - o[k];
            }
        }
        cross3(n, p[1], p[2]);
        const double v = dot3(p[0], n) / 6.0;
        V += v;
        for (int k = 0; k < 3; ++k) {
            sum[k] = p[0][k] + p[1][k] + p[2][k];
            S[k] += 0.25 * v * sum[k];
        }
        for (int k = 0; k < 9; ++k) {
            const int i = k % 3, j = k / 3;
            Q[k] += v / 20.0 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + sum[i] * sum[j]);
        }
    }
    const double sign = V < 0.0 ? -1.0 : 1.0; // all triangles seen from inside: the same body
    *volume = sign * V;
    for (int k = 0; k < 9; ++k) {
        const int i = k % 3, j = k / 3;
        second[k] = sign * (Q[k] + o[i] * S[j] + S[i] * o[j] + V * o[i] * o[j]);
    }
    for (int k = 0; k < 3; ++k) {
        first[k] = sign * (S[k] + V * o[k]);
    }
}
