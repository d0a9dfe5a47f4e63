#include "fem_bars.h"

#include <string.h>

const fem_material fem_steel = {2.1e11, 0.3, 7850.0};

void hold_ends(bar *b, int first, int last)
{
    b->fem = fem_mesh_describe(&b->mesh);
    b->list[0][0] = first;
    b->list[1][0] = last;
    for (int k = 0; k < 2; ++k) {
        b->face[k] = (dal_fem_interface){.name = k == 0 ? "A" : "B", .node = b->list[k], .n = 1};
    }
    b->fem.ninterfaces = 2;
    b->fem.interfaces = b->face;
}

void make_bar(bar *b, const int n[3], const double size[3], int average)
{
    fem_mesh_box(&b->mesh, n, size, &fem_steel, NULL);
    b->fem = fem_mesh_describe(&b->mesh);
    b->fem.ntriangles = 0;
    for (int k = 0; k < 2; ++k) {
        b->face[k] = (dal_fem_interface){.name = k == 0 ? "A" : "B", .node = b->list[k], .average = average};
        b->face[k].n = fem_mesh_face(&b->mesh, b->list[k], k * size[0]);
    }
    b->fem.ninterfaces = 2;
    b->fem.interfaces = b->face;
}

dal_fem_result *reduce(dal_ctx *ctx, const dal_fem *fem)
{
    dal_fem_result *r;
    check_ok(ctx, dal_fem_reduce(&r, ctx, fem));
    return r;
}

/* A straight frame of n beams along x, its end nodes as interfaces. */
void make_beam(bar *b, int n, double length, double diameter)
{
    static double node[3 * 101];
    static int edge[2 * 100];
    memset(node, 0, sizeof node);
    for (int i = 0; i <= n; ++i) {
        node[3 * i] = length * i / n;
    }
    for (int i = 0; i < n; ++i) {
        edge[2 * i] = i;
        edge[2 * i + 1] = i + 1;
    }
    fem_mesh_frame(&b->mesh, node, n + 1, edge, n, diameter, &fem_steel);
    hold_ends(b, 0, n);
}
