/* Fronts on nets and plates, the order behind them, and the dense kernels they are made of. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/linsol.h"
#include "linsol/dense_kernels.h"
#include "linsol/frontal_impl.h"
#include "support/check.h"

/* N x N bodies with `size` velocities each; neighbours are joined by rods of one row, or by springs if rods is 0. */
typedef struct net {
    int n, size, rods;
} net;

static int unknowns(const net *w)
{
    return w->n * w->n * w->size + (w->rods ? 2 * w->n * (w->n - 1) : 0);
}

/* Neighbour of body i (0: in the next row, 1: in the next column), or -1. */
static int neighbour(const net *w, int i, int direction)
{
    if (direction == 0) {
        return i + w->n < w->n * w->n ? i + w->n : -1;
    }
    return i % w->n + 1 < w->n ? i + 1 : -1;
}

/* Slots: the body, then for each neighbour the springs both ways, the second body's part, and B, B^T of a rod. */
static dal_pattern *make_pattern(dal_ctx *ctx, const net *w)
{
    const int nbodies = w->n * w->n, m = w->size;
    int row = nbodies * m;
    dal_pattern *p;
    check_ok(ctx, dal_pattern_create(&p, ctx, unknowns(w)));
    for (int i = 0; i < nbodies; ++i) {
        check_ok(ctx, dal_pattern_node(p, m * i, m, i, 0));
        check_ok(ctx, dal_pattern_block(p, m * i, m * i, m, m));
        for (int d = 0; d < 2; ++d) {
            const int j = neighbour(w, i, d);
            if (j < 0) {
                continue;
            }
            check_ok(ctx, dal_pattern_block(p, m * i, m * j, m, m));
            check_ok(ctx, dal_pattern_block(p, m * j, m * i, m, m));
            for (int side = 0; w->rods && side < 2; ++side) {
                const int body = side ? j : i;
                check_ok(ctx, dal_pattern_block(p, row, m * body, 1, m));
                check_ok(ctx, dal_pattern_block(p, m * body, row, m, 1));
            }
            if (w->rods) {
                check_ok(ctx, dal_pattern_node(p, row, 1, row, 1));
                ++row;
            }
        }
    }
    return p;
}

static void add_random(dal_matrix *A, int slot, int ni, int nj, double scale, check_rng *rng)
{
    double X[36];
    for (int k = 0; k < ni * nj; ++k) {
        X[k] = scale * check_normal(rng);
    }
    dal_matrix_add(A, slot, X, ni, ni, nj);
}

/* Bodies: mass matrices near the unit matrix; springs small beside them; gradients of rods of length one, B^T transposed. */
static void fill(dal_matrix *A, const net *w, unsigned long seed)
{
    check_rng rng = check_rng_seed(seed);
    const int m = w->size;
    const double one = 1.0;
    int slot = 0;
    dal_matrix_zero(A);
    for (int i = 0; i < w->n * w->n; ++i) {
        for (int k = 0; k < m; ++k) {
            A->x[A->slot[slot][k] + k] += one;
        }
        add_random(A, slot++, m, m, 0.02, &rng);
        for (int d = 0; d < 2; ++d) {
            if (neighbour(w, i, d) < 0) {
                continue;
            }
            add_random(A, slot++, m, m, 0.02, &rng);
            add_random(A, slot++, m, m, 0.02, &rng);
            for (int side = 0; w->rods && side < 2; ++side, slot += 2) {
                double b[6];
                check_normals(&rng, b, m);
                dal_matrix_add(A, slot, b, 1, 1, m);
                dal_matrix_add(A, slot + 1, b, m, m, 1);
            }
        }
    }
}

static dal_linsol *make(dal_ctx *ctx, const net *w, dal_linsol_kind kind)
{
    dal_linsol *ls;
    dal_pattern *p = make_pattern(ctx, w);
    check_ok(ctx, dal_linsol_create(&ls, ctx, p, kind));
    dal_pattern_destroy(p);
    return ls;
}

static const net nets[] = {{7, 3, 1}, {12, 3, 1}, {9, 6, 0}, {5, 6, 1}};

static void nets_and_plates_are_solved_as_by_sparse(void **state)
{
    dal_ctx *ctx = check_ctx();
    (void)state;
    for (size_t k = 0; k < sizeof nets / sizeof nets[0]; ++k) {
        const int n = unknowns(&nets[k]);
        double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
        dal_linsol *own = make(ctx, &nets[k], DAL_LINSOL_FRONTAL), *sparse = make(ctx, &nets[k], DAL_LINSOL_SPARSE);
        for (unsigned long seed = 1; seed <= 3; ++seed) {
            check_rng rng = check_rng_seed(10 + seed);
            fill(dal_linsol_matrix(own), &nets[k], seed);
            fill(dal_linsol_matrix(sparse), &nets[k], seed);
            check_ok(ctx, dal_linsol_factor(own));
            check_ok(ctx, dal_linsol_factor(sparse));
            check_normals(&rng, x, n);
            memcpy(y, x, (size_t)n * sizeof *y);
            dal_linsol_solve(own, x);
            dal_linsol_solve(sparse, y);
            const double rcond = dal_linsol_rcond(sparse);
            assert_all_near(x, y, n, 5.0 * n * DBL_EPSILON / rcond * check_max_abs(y, n));
            assert_near_rel(dal_linsol_rcond(own), rcond, 1e-3); // uses the transposed solve
        }
        assert_int_equal(dal_linsol_fallbacks(own), 0);
        dal_linsol_destroy(own);
        dal_linsol_destroy(sparse);
        free(x);
        free(y);
    }
    check_ctx_free(ctx);
}

static void refined_solutions_are_at_rounding(void **state)
{
    dal_ctx *ctx = check_ctx();
    const net w = {10, 3, 1};
    const int n = unknowns(&w);
    double *e = malloc((size_t)n * sizeof *e), *b = malloc((size_t)n * sizeof *b), *r = malloc((size_t)n * sizeof *r);
    dal_linsol *ls = make(ctx, &w, DAL_LINSOL_FRONTAL);
    check_rng rng = check_rng_seed(5);
    (void)state;
    fill(dal_linsol_matrix(ls), &w, 1);
    // bodies of very different mass cost digits without exchanges between nodes
    dal_matrix *A = dal_linsol_matrix(ls);
    for (int i = 0; i < 300; i += 7) {
        for (int k = A->colptr[i]; k < A->colptr[i + 1]; ++k) {
            A->x[k] *= A->row[k] == i ? 1e-6 : 1.0;
        }
    }
    check_ok(ctx, dal_linsol_factor(ls));
    check_normals(&rng, e, n);
    dal_matrix_mul(A, b, e);
    dal_linsol_solve_refined(ls, b);
    dal_matrix_mul(A, r, b);
    dal_matrix_mul(A, b, e);
    assert_all_near(r, b, n, 40.0 * DBL_EPSILON * check_max_abs(b, n));
    assert_int_equal(dal_linsol_fallbacks(ls), 0);
    dal_linsol_destroy(ls);
    free(e);
    free(b);
    free(r);
    check_ctx_free(ctx);
}

static void automatic_choice_is_frontal_for_nets_and_large_plates(void **state)
{
    dal_ctx *ctx = check_ctx();
    const net net20 = {20, 3, 1}, plate60 = {60, 6, 0};
    (void)state;
    const net *all[] = {&net20, &plate60};
    for (int k = 0; k < 2; ++k) {
        dal_linsol *ls = make(ctx, all[k], DAL_LINSOL_AUTO);
        assert_string_equal(dal_linsol_name(ls), "frontal");
        assert_non_null(strstr(dal_linsol_choice(ls), "block"));
        assert_non_null(strstr(dal_linsol_choice(ls), "sparse"));
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

/* Factors of an N x N net have about N^2 log N entries and cost about N^3 operations; an order that is good on small
 * nets only would show. */
static void fill_of_nets_grows_little_faster_than_they_do(void **state)
{
    dal_ctx *ctx = check_ctx();
    double entries[2], operations[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const net w = {20 << k, 3, 1};
        dal_pattern *p = make_pattern(ctx, &w);
        block_order order;
        front_tree tree;
        check_ok(ctx, dal_block_order_init(&order, ctx, p));
        check_ok(ctx, dal_front_tree_init(&tree, ctx, &order));
        entries[k] = tree.entries;
        operations[k] = tree.operations;
        dal_front_tree_release(&tree);
        dal_block_order_release(&order);
        dal_pattern_destroy(p);
    }
    assert_true(entries[1] < 6.5 * entries[0] && entries[1] < 1.6e6);
    assert_true(operations[1] < 12.5 * operations[0]);
    check_ctx_free(ctx);
}

/* `sparse`, should it have to take over: an order for pivots on the diagonal gave 540,000 entries. */
static void sparse_orders_the_columns_of_saddle_matrices(void **state)
{
    dal_ctx *ctx = check_ctx();
    const net w = {20, 3, 1};
    dal_linsol *ls = make(ctx, &w, DAL_LINSOL_SPARSE);
    (void)state;
    fill(dal_linsol_matrix(ls), &w, 1);
    check_ok(ctx, dal_linsol_factor(ls));
    assert_true(dal_sparse_entries(ls) < 250000);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

/* Every joint comes after all its bodies. (LS.7) */
static void the_order_lets_rods_wait_for_their_points(void **state)
{
    dal_ctx *ctx = check_ctx();
    const net w = {9, 3, 1};
    dal_pattern *p = make_pattern(ctx, &w);
    block_order order;
    int place[1000];
    (void)state;
    check_ok(ctx, dal_block_order_init(&order, ctx, p));
    for (int i = 0; i < unknowns(&w); ++i) {
        place[order.index[i]] = i;
    }
    int row = 3 * 81;
    for (int i = 0; i < 81; ++i) {
        for (int d = 0; d < 2; ++d) {
            const int j = neighbour(&w, i, d);
            if (j >= 0) {
                assert_true(place[row] > place[3 * i] && place[row] > place[3 * j]);
                ++row;
            }
        }
    }
    dal_block_order_release(&order);
    dal_pattern_destroy(p);
    check_ctx_free(ctx);
}

/* A body whose mass is singular without the row that fixes the length of its Euler parameters. */
static void a_body_takes_its_own_row_along(void **state)
{
    dal_ctx *ctx = check_ctx();
    enum { BODIES = 6, N = 8 * BODIES };
    dal_pattern *p;
    dal_linsol *ls;
    (void)state;
    check_ok(ctx, dal_pattern_create(&p, ctx, N));
    for (int i = 0; i < BODIES; ++i) {
        check_ok(ctx, dal_pattern_node(p, 7 * i, 7, i, 0));
        check_ok(ctx, dal_pattern_node(p, 7 * BODIES + i, 1, BODIES + i, 1));
        check_ok(ctx, dal_pattern_block(p, 7 * i, 7 * i, 7, 7));
        check_ok(ctx, dal_pattern_block(p, 7 * i, 7 * BODIES + i, 7, 1));
        check_ok(ctx, dal_pattern_block(p, 7 * BODIES + i, 7 * i, 1, 7));
        if (i > 0) {
            check_ok(ctx, dal_pattern_block(p, 7 * i, 7 * (i - 1), 7, 7));
        }
    }
    for (int kind = 0; kind < 2; ++kind) {
        double x[N], y[N];
        check_ok(ctx, dal_linsol_create(&ls, ctx, p, kind ? DAL_LINSOL_FRONTAL : DAL_LINSOL_BLOCK));
        dal_matrix *A = dal_linsol_matrix(ls);
        dal_matrix_zero(A);
        for (int i = 0, slot = 0; i < BODIES; ++i) {
            double M[49] = {0}, b[7] = {0};
            for (int k = 0; k < 6; ++k) {
                M[8 * k] = 1.0 + k; // the seventh has none
            }
            b[6] = 1.0;
            dal_matrix_add(A, slot++, M, 7, 7, 7);
            dal_matrix_add(A, slot++, b, 7, 7, 1);
            dal_matrix_add(A, slot++, b, 1, 1, 7);
            slot += i > 0;
        }
        check_ok(ctx, dal_linsol_factor(ls));
        for (int i = 0; i < N; ++i) {
            x[i] = cos(i);
        }
        dal_matrix_mul(A, y, x);
        dal_linsol_solve(ls, y);
        assert_all_near(y, x, N, 1e-14);
        assert_int_equal(dal_linsol_fallbacks(ls), 0);
        dal_linsol_destroy(ls);
    }
    dal_pattern_destroy(p);
    check_ctx_free(ctx);
}

static void a_damaged_exchange_of_rows_is_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    const net w = {6, 3, 1};
    dal_linsol *ls = make(ctx, &w, DAL_LINSOL_FRONTAL);
    (void)state;
    fill(dal_linsol_matrix(ls), &w, 1);
    check_ok(ctx, dal_linsol_factor(ls));
    const size_t size = dal_linsol_snapshot_size(ls);
    double *snapshot = malloc(size * sizeof *snapshot);
    dal_linsol_save(ls, snapshot);
    check_ok(ctx, dal_linsol_restore(ls, snapshot));
    const frontal_solver *s = (const frontal_solver *)ls;
    const size_t swap = size - (size_t)ls->A.n - (size_t)s->nx; // they come before the factors
    snapshot[swap + 3] = s->front[0].np + 1e6;
    check_fails(ctx, dal_linsol_restore(ls, snapshot), DAL_ESNAPSHOT, "frontal: the snapshot is damaged");
    free(snapshot);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

/* ---- kernels ---------------------------------------------------------------------------------- */

/* All variants of the product add in the order of the plain loop: the same bits on every processor. */
static void products_have_the_bits_of_a_plain_loop(void **state)
{
    enum { MAX = 37, LD = 41 };
    static double A[LD * MAX], B[LD * MAX], C[LD * MAX], D[LD * MAX];
    double room[48 * MAX];
    check_rng rng = check_rng_seed(8);
    (void)state;
    for (int trial = 0; trial < 200; ++trial) {
        const int m = 1 + trial % MAX, n = 1 + trial * 7 % MAX, k = 1 + trial * 11 % MAX;
        check_normals(&rng, A, LD * MAX);
        check_normals(&rng, B, LD * MAX);
        check_normals(&rng, C, LD * MAX);
        memcpy(D, C, sizeof C);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                double sum = 0.0;
                for (int l = 0; l < k; ++l) {
                    sum += A[i + l * LD] * B[l + j * LD];
                }
                D[i + j * LD] -= sum;
            }
        }
        assert_true(dal_dense_room(m, k) <= sizeof room / sizeof room[0]);
        dal_dense_subtract(C, LD, A, LD, B, LD, m, n, k, room);
        assert_memory_equal(C, D, sizeof C);
    }
}

/* A panel of more rows than columns: P A = L U with exchanges among the first rows only. */
static void panels_are_products_of_their_factors(void **state)
{
    enum { ROWS = 60, MAX = 40 };
    static double A[ROWS * MAX], P[ROWS * MAX];
    double room[64 * MAX];
    int swap[MAX];
    check_rng rng = check_rng_seed(9);
    (void)state;
    for (int np = 1; np <= MAX; ++np) {
        check_normals(&rng, A, ROWS * np);
        memcpy(P, A, sizeof P);
        assert_true(dal_dense_panel(P, ROWS, ROWS, np, swap, 1e13, room) < 1e6);
        dal_dense_exchange(A, ROWS, np, swap, np);
        for (int j = 0; j < np; ++j) {
            for (int i = 0; i < ROWS; ++i) {
                double sum = i <= j ? P[i + j * ROWS] : 0.0;
                for (int l = 0; l < np && l <= j && l < i; ++l) {
                    sum += P[i + l * ROWS] * P[l + j * ROWS];
                }
                assert_near(sum, A[i + j * ROWS], 1e-12 * (1.0 + fabs(P[i + (i <= j ? j : 0) * ROWS])) * 100.0);
            }
        }
    }
    memset(P, 0, sizeof P);
    assert_true(isinf(dal_dense_panel(P, ROWS, ROWS, 3, swap, 1e13, room)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets_and_plates_are_solved_as_by_sparse),
        cmocka_unit_test(refined_solutions_are_at_rounding),
        cmocka_unit_test(automatic_choice_is_frontal_for_nets_and_large_plates),
        cmocka_unit_test(fill_of_nets_grows_little_faster_than_they_do),
        cmocka_unit_test(sparse_orders_the_columns_of_saddle_matrices),
        cmocka_unit_test(the_order_lets_rods_wait_for_their_points),
        cmocka_unit_test(a_body_takes_its_own_row_along),
        cmocka_unit_test(a_damaged_exchange_of_rows_is_refused),
        cmocka_unit_test(products_have_the_bits_of_a_plain_loop),
        cmocka_unit_test(panels_are_products_of_their_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
