/* Finite element bodies that are refused, and why. */
#include <math.h>
#include <string.h>

#include "fem_bars.h"

static void refused(bar *b, const char *why)
{
    dal_ctx *ctx = check_ctx();
    dal_fem_result *r;
    check_fails(ctx, dal_fem_reduce(&r, ctx, &b->fem), DAL_EINVAL, why);
    assert_null(r);
    check_ctx_free(ctx);
}

static void matrices_that_are_none_of_a_free_body_are_refused(void **state)
{
    static const int n[3] = {3, 1, 1};
    static const double s[3] = {1.0, 0.1, 0.1};
    static bar b;
    make_bar(&b, n, s, 0);
    b.fem.nmodes = 2;
    double *K = b.mesh.K, *M;
    const int last = b.mesh.n - 1;
    int off = 0; // an entry that one element alone has, beside the diagonal
    while (b.mesh.row[off] == b.mesh.col[off] || K[off] == 0.0 || b.mesh.row[off] % 3 != b.mesh.col[off] % 3) {
        ++off;
    }
    K[off] *= 1.5;
    refused(&b, "the stiffness matrix is not symmetric");
    K[off] /= 1.5;
    K[last] = NAN;
    refused(&b, "the stiffness matrix: entry");
    K[last] = 0.0;
    fem_mesh_release(&b.mesh);
    make_bar(&b, n, s, 0);
    b.fem.nmodes = 2;
    K = b.mesh.K;
    M = b.mesh.M;
    for (int k = 0; k < b.mesh.n; ++k) {
        M[k] *= b.mesh.row[k] == b.mesh.col[k] ? 0.3 : 1.0;
    }
    refused(&b, "the mass matrix is indefinite");
    for (int k = 0; k < b.mesh.n; ++k) {
        M[k] /= b.mesh.row[k] == b.mesh.col[k] ? 0.3 : 1.0;
    }
    for (int k = 0; k < b.mesh.n; ++k) {
        K[k] = -K[k];
    }
    refused(&b, "the stiffness matrix is not positive semidefinite");
    for (int k = 0; k < b.mesh.n; ++k) {
        K[k] = 0.0;
    }
    refused(&b, "resists no strain");
    fem_mesh_release(&b.mesh);
    make_bar(&b, n, s, 0);
    b.fem.nnodes -= 1;
    refused(&b, "neither three nor six for each of the 15 nodes");
    b.fem.nnodes += 1;
    b.mesh.node[4] = INFINITY;
    refused(&b, "node 1: its place is not a finite number");
    fem_mesh_release(&b.mesh);
    make_bar(&b, n, s, 0);
    b.mesh.K[0] *= 1.1; // a spring to the ground
    refused(&b, "resists a rigid displacement along x");
    fem_mesh_release(&b.mesh);
}

static void interfaces_that_are_none_are_refused(void **state)
{
    static const int n[3] = {3, 1, 1};
    static const double s[3] = {1.0, 0.1, 0.1};
    static bar b;
    make_bar(&b, n, s, 0);
    b.face[0].n = 2;
    refused(&b, "interface 'A': its nodes lie on a line");
    b.face[0].n = 4;
    b.list[1][0] = b.list[0][0];
    refused(&b, "interface 'B': its node 0 belongs to interface 'A' already");
    b.list[1][0] = 99;
    refused(&b, "interface 'B': there is no node 99");
    b.face[1].n = 1;
    b.list[1][0] = 3;
    b.fem.reference = "B";
    refused(&b, "is a node that does not turn");
    b.fem.reference = "C";
    refused(&b, "there is no interface 'C'");
    fem_mesh_release(&b.mesh);
}

/* Two bars that nothing connects. */
static void a_body_in_pieces_is_refused(void **state)
{
    static bar b;
    double node[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const int edge[4] = {0, 1, 2, 3};
    fem_mesh_frame(&b.mesh, node, 4, edge, 2, 0.02, &fem_steel);
    b.fem = fem_mesh_describe(&b.mesh);
    b.fem.nmodes = 3;
    refused(&b, "another one without strain");
    fem_mesh_release(&b.mesh);
}

static dal_status reduce_once(dal_ctx *ctx, void *user)
{
    dal_fem_result *r;
    const dal_status st = dal_fem_reduce(&r, ctx, user);
    dal_fem_destroy(r);
    return st;
}

static void no_memory_is_an_error_and_nothing_else(void **state)
{
    static bar b;
    make_beam(&b, 3, 1.0, 0.02);
    b.fem.nmodes = 1;
    assert_true(check_every_allocation(reduce_once, &b.fem) > 20);
    fem_mesh_release(&b.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_that_are_none_of_a_free_body_are_refused),
        cmocka_unit_test(interfaces_that_are_none_are_refused),
        cmocka_unit_test(a_body_in_pieces_is_refused),
        cmocka_unit_test(no_memory_is_an_error_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
