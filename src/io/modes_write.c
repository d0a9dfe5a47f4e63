/* A reduced body as an HDF5 file that `modes_file` reads, with what the reduction has found. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/text.h"
#include "dalembert/results.h"

enum { ARRAYS_MAX = 24 };

typedef struct writer {
    dal_array list[ARRAYS_MAX];
    int n;
} writer;

/* Nothing where there are no numbers. */
static void put(writer *w, const char *name, const double *x, int a, int b, int c)
{
    if (x != NULL && a > 0 && b != 0 && c != 0) {
        w->list[w->n++] = (dal_array){.name = name, .x = x, .size = {a, b < 0 ? 0 : b, c < 0 ? 0 : c}};
    }
}

static void put_modes(writer *w, const dal_modes *m, const double rigid[10], const double *interfaces,
                      const double *triangles)
{
    const int n = m->nmodes;
    put(w, "nodes", m->node, m->nnodes, 3, -1);
    put(w, "shapes", m->shape, m->nnodes, n, 3);
    put(w, "rotations", m->rotation, m->nnodes, n, 3);
    put(w, "stiffness", m->stiffness, n, -1, -1);
    put(w, "damping", m->damping, n, -1, -1);
    put(w, "interfaces", interfaces, m->ninterfaces, -1, -1);
    put(w, "rigid", rigid, 10, -1, -1);
    put(w, "shape_sums", m->sums->shape, n, 3, -1);
    put(w, "place_sums", m->sums->place, n, 9, -1);
    put(w, "product_sums", m->sums->product, n, n, 9);
    put(w, "modal_mass", m->sums->modal_mass, n, n, -1);
    put(w, "triangles", triangles, m->ntriangles, 3, -1);
    put(w, "recovery", m->recovery, n, m->nrecovery, -1);
}

static double *as_reals(dal_pool *pool, const int *x, int n)
{
    double *y = dal_pool_take(pool, (size_t)n + 1, sizeof *y);
    for (int i = 0; i < n && y != NULL; ++i) {
        y[i] = x[i];
    }
    return y;
}

static dal_status names_of(char **text, dal_pool *pool, const dal_modes *m)
{
    size_t size = 1;
    for (int k = 0; k < m->ninterfaces; ++k) {
        size += strlen(m->interface_name[k]) + 1;
    }
    DAL_TAKE(pool, *text, size);
    for (int k = 0, at = 0; k < m->ninterfaces; ++k) {
        at += snprintf(*text + at, size - (size_t)at, "%s%s", k > 0 ? "\n" : "", m->interface_name[k]);
    }
    return DAL_OK;
}

static dal_status write(dal_pool *pool, const char *path, const dal_fem_result *result)
{
    const dal_modes *m = &result->modes;
    const dal_fem_report *r = &result->report;
    const dal_flexible_sums *s = m->sums;
    const double rigid[10] = {s->mass,       s->first[0],   s->first[1],   s->first[2],   s->inertia[0],
                              s->inertia[1], s->inertia[2], s->inertia[3], s->inertia[4], s->inertia[5]};
    const double *interfaces = as_reals(pool, m->interfaces, m->ninterfaces);
    const double *triangles = as_reals(pool, m->triangle, 3 * m->ntriangles);
    writer w = {.n = 0};
    char *names;
    if (interfaces == NULL || triangles == NULL) {
        return DAL_ENOMEM;
    }
    DAL_TRY(names_of(&names, pool, m));
    put_modes(&w, m, rigid, interfaces, triangles);
    put(&w, "frequencies", r->frequency, r->nmodes, -1, -1);
    put(&w, "frequencies_full", r->full, r->nfull, -1, -1);
    put(&w, "frequencies_held", r->held, r->nheld, -1, -1);
    put(&w, "effective_masses", r->effective, r->nheld, 6, -1);
    const dal_note note[] = {{.name = "interface_names", .text = names}};
    return dal_arrays_write(pool->ctx, path, w.list, w.n, note, m->ninterfaces > 0);
}

dal_status dal_fem_write(dal_ctx *ctx, const char *path, const dal_fem_result *result)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    DAL_NEED(ctx, result);
    dal_pool pool = {.ctx = ctx, .what = "a reduced body"};
    const dal_status st = write(&pool, path, result);
    dal_pool_release(&pool);
    return st;
}
