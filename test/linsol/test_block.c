/* Elimination of bodies and joints, as blocks and in fronts, against `sparse`: same solutions, and a way out where it cannot
 * work. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linsol/block_impl.h"
#include "linsol/in_place.h"
#include "linsol/many.h"
#include "linsol/steady.h"
#include "support/check.h"

/* A mechanism as a graph: joints between bodies a and b (-1: ground). */
typedef struct mechanism {
    int nbodies, njoints;
    const int (*joint)[2];
    int rows;     /* of a joint */
    int massless; /* every nth body has no mass; 0: none of them */
} mechanism;

typedef struct system {
    dal_ctx *ctx;
    dal_linsol *ls;
    int n;
} system_;

static int size_of(const mechanism *m)
{
    return 6 * m->nbodies + m->rows * m->njoints;
}

static dal_pattern *make_pattern(dal_ctx *ctx, const mechanism *m)
{
    dal_pattern *p;
    const int nv = 6 * m->nbodies;
    check_ok(ctx, dal_pattern_create(&p, ctx, size_of(m)));
    for (int i = 0; i < m->nbodies; ++i) {
        check_ok(ctx, dal_pattern_block(p, 6 * i, 6 * i, 6, 6));
        check_ok(ctx, dal_pattern_node(p, 6 * i, 6, i, 0));
    }
    for (int j = 0; j < m->njoints; ++j) {
        const int row = nv + m->rows * j;
        check_ok(ctx, dal_pattern_node(p, row, m->rows, m->nbodies + j, 1));
        for (int side = 0; side < 2; ++side) {
            if (m->joint[j][side] >= 0) {
                check_ok(ctx, dal_pattern_block(p, row, 6 * m->joint[j][side], m->rows, 6));
                check_ok(ctx, dal_pattern_block(p, 6 * m->joint[j][side], row, 6, m->rows));
            }
        }
    }
    return p;
}

/* Diagonal over four decades, the rest small beside it: nearly symmetric and positive definite. */
static void random_inertia(check_rng *rng, double M[36])
{
    double d[6];
    for (int k = 0; k < 6; ++k) {
        d[k] = pow(10.0, check_uniform(rng, -2.0, 2.0));
    }
    for (int k = 0; k < 36; ++k) {
        M[k] = k % 7 == 0 ? d[k / 6] : 0.05 * sqrt(d[k % 6] * d[k / 6]) * check_normal(rng);
    }
}

/* B and its transpose at one side of a joint. */
static void add_side(dal_matrix *A, int slot, int rows, check_rng *rng)
{
    double B[36], Bt[36];
    for (int k = 0; k < 6; ++k) {
        for (int r = 0; r < rows; ++r) {
            B[r + k * rows] = Bt[k + 6 * r] = check_normal(rng);
        }
    }
    dal_matrix_add(A, slot, B, rows, rows, 6);
    dal_matrix_add(A, slot + 1, Bt, 6, 6, rows);
}

/* Random inertia and random B: the same numbers for every solver. */
static void fill(dal_matrix *A, const mechanism *m, unsigned long seed)
{
    check_rng rng = check_rng_seed(seed);
    int slot = 0;
    dal_matrix_zero(A);
    for (int i = 0; i < m->nbodies; ++i, ++slot) {
        double M[36];
        random_inertia(&rng, M);
        if (m->massless == 0 || i % m->massless != 0) {
            dal_matrix_add(A, slot, M, 6, 6, 6);
        }
    }
    for (int j = 0; j < m->njoints; ++j) {
        for (int side = 0; side < 2; ++side) {
            if (m->joint[j][side] >= 0) {
                add_side(A, slot, m->rows, &rng);
                slot += 2;
            }
        }
    }
}

static void set_up(system_ *s, const mechanism *m, dal_linsol_kind kind)
{
    s->ctx = check_ctx();
    dal_pattern *p = make_pattern(s->ctx, m);
    check_ok(s->ctx, dal_linsol_create(&s->ls, s->ctx, p, kind));
    dal_pattern_destroy(p);
    s->n = size_of(m);
}

static void tear_down(system_ *s)
{
    dal_linsol_destroy(s->ls);
    check_ctx_free(s->ctx);
}

/* Largest relative error of the solution of A x = A e for a random e. */
static double solution_error(system_ *s, unsigned long seed)
{
    check_rng rng = check_rng_seed(seed);
    double *e = malloc((size_t)s->n * sizeof *e), *b = malloc((size_t)s->n * sizeof *b), error = 0.0;
    for (int i = 0; i < s->n; ++i) {
        e[i] = check_normal(&rng);
    }
    dal_matrix_mul(dal_linsol_matrix(s->ls), b, e);
    dal_linsol_solve(s->ls, b);
    for (int i = 0; i < s->n; ++i) {
        error = fmax(error, fabs(b[i] - e[i]));
    }
    free(e);
    free(b);
    return error;
}

enum { LINKS = 40 };
static int chain_joint[LINKS][2], tree_joint[LINKS][2], loop_joint[LINKS + 1][2], star_joint[12][2];

static void make_graphs(void)
{
    for (int j = 0; j < LINKS; ++j) {
        chain_joint[j][0] = j - 1, chain_joint[j][1] = j;
        tree_joint[j][0] = j == 0 ? -1 : (j - 1) / 2, tree_joint[j][1] = j;
        loop_joint[j][0] = j - 1, loop_joint[j][1] = j;
    }
    loop_joint[LINKS][0] = LINKS - 1, loop_joint[LINKS][1] = -1;
    for (int j = 0; j < 12; ++j) {
        star_joint[j][0] = j == 0 ? -1 : 0, star_joint[j][1] = j;
    }
}

static mechanism graph(int k)
{
    const mechanism all[] = {
        {LINKS, LINKS, (const int(*)[2])chain_joint, 3, 0}, {LINKS, LINKS, (const int(*)[2])tree_joint, 3, 0},
        {LINKS, LINKS, (const int(*)[2])chain_joint, 5, 0}, {LINKS, LINKS + 1, (const int(*)[2])loop_joint, 3, 0},
        {12, 12, (const int(*)[2])star_joint, 3, 0},        {LINKS, LINKS, (const int(*)[2])tree_joint, 1, 0}};
    return all[k];
}

enum { GRAPHS = 6 };
static const dal_linsol_kind kinds[2] = {DAL_LINSOL_BLOCK, DAL_LINSOL_FRONTAL};

static void chains_trees_loops_and_stars_are_solved_as_by_sparse(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * GRAPHS; ++k) {
        const mechanism m = graph(k % GRAPHS);
        system_ block, sparse;
        set_up(&block, &m, kinds[k / GRAPHS]);
        set_up(&sparse, &m, DAL_LINSOL_SPARSE);
        for (unsigned long seed = 1; seed <= 20; ++seed) {
            fill(dal_linsol_matrix(block.ls), &m, seed);
            fill(dal_linsol_matrix(sparse.ls), &m, seed);
            check_ok(block.ctx, dal_linsol_factor(block.ls));
            check_ok(sparse.ctx, dal_linsol_factor(sparse.ls));
            // a backward stable solver is within n eps cond; without exchanges between nodes up to 1.4 of that was seen
            assert_near(solution_error(&block, seed), 0.0, 5.0 * block.n * DBL_EPSILON / dal_linsol_rcond(sparse.ls));
            assert_near_rel(dal_linsol_rcond(block.ls), dal_linsol_rcond(sparse.ls), 1e-3);
        }
        assert_int_equal(dal_linsol_fallbacks(block.ls), 0); // it was not `sparse` that did the work
        tear_down(&block);
        tear_down(&sparse);
    }
}

/* A^T x = A^T e; in the last two cases bodies without mass hand over to `sparse`. */
static void transposed_solves_use_the_transpose(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * GRAPHS + 2; ++k) {
        const int massless = k >= 2 * GRAPHS;
        mechanism m = graph(massless ? 2 : k / 2);
        system_ s;
        m.massless = massless ? 4 : 0;
        set_up(&s, &m, kinds[k % 2]);
        double *e = malloc((size_t)s.n * sizeof *e), *b = calloc((size_t)s.n, sizeof *b);
        check_rng rng = check_rng_seed(40);
        const dal_matrix *A = dal_linsol_matrix(s.ls);
        fill(dal_linsol_matrix(s.ls), &m, 1);
        check_ok(s.ctx, dal_linsol_factor(s.ls));
        assert_int_equal(dal_linsol_fallbacks(s.ls), massless);
        check_normals(&rng, e, s.n);
        for (int j = 0; j < s.n; ++j) {
            for (int i = A->colptr[j]; i < A->colptr[j + 1]; ++i) {
                b[j] += A->x[i] * e[A->row[i]];
            }
        }
        dal_linsol_solve_transposed(s.ls, b);
        assert_all_near(b, e, s.n, s.n * DBL_EPSILON / dal_linsol_rcond(s.ls));
        free(e);
        free(b);
        tear_down(&s);
    }
}

static void automatic_choice_is_block_for_mechanisms_and_small_for_full_matrices(void **state)
{
    const mechanism chain = graph(0);
    mechanism one = chain;
    dal_pattern *full;
    system_ s;
    (void)state;
    one.nbodies = one.njoints = 1;
    set_up(&s, &chain, DAL_LINSOL_AUTO);
    assert_string_equal(dal_linsol_name(s.ls), "block");
    assert_non_null(strstr(dal_linsol_choice(s.ls), "frontal"));
    tear_down(&s);
    set_up(&s, &one, DAL_LINSOL_AUTO);
    assert_string_equal(dal_linsol_name(s.ls), "block");
    tear_down(&s);
    s.ctx = check_ctx();
    check_ok(s.ctx, dal_pattern_create(&full, s.ctx, 9));
    check_ok(s.ctx, dal_pattern_block(full, 0, 0, 9, 9));
    check_ok(s.ctx, dal_pattern_node(full, 0, 9, 0, 0));
    check_ok(s.ctx, dal_linsol_create(&s.ls, s.ctx, full, DAL_LINSOL_AUTO));
    assert_string_equal(dal_linsol_name(s.ls), "small");
    dal_pattern_destroy(full);
    tear_down(&s);
}

/* Bodies without mass have no pivot block of their own: `sparse` takes over, and stays. */
static void bodies_without_mass_are_left_to_sparse(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mechanism m = graph(0);
        system_ s;
        m.rows = 5;
        m.massless = 4;
        set_up(&s, &m, kinds[k]);
        for (unsigned long seed = 1; seed <= 3; ++seed) {
            fill(dal_linsol_matrix(s.ls), &m, seed);
            check_ok(s.ctx, dal_linsol_factor(s.ls));
            assert_int_equal(dal_linsol_fallbacks(s.ls), seed);
            assert_near(solution_error(&s, seed), 0.0, s.n * DBL_EPSILON / dal_linsol_rcond(s.ls));
        }
        tear_down(&s);
    }
}

/* One matrix with pivots that are not good enough, as of a step that is much too long: `sparse` helps out for eight factorisations,
 * then for none; twice as long after a second failure in a row. A copy restored at any time does the same. */
static void sparse_leaves_again_when_it_is_not_needed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mechanism m = graph(0);
        system_ s, copy;
        m.rows = 5;
        set_up(&s, &m, kinds[k]);
        set_up(&copy, &m, kinds[k]);
        const size_t size = dal_linsol_snapshot_size(s.ls);
        double *snapshot = malloc(size * sizeof *snapshot);
        static const struct {
            int first, last, fallbacks;
        } massless[2] = {{5, 5, 9}, {30, 45, 9 + 9 + 17}};
        for (int i = 0, phase = 0; i < 80; ++i) {
            m.massless = i >= massless[phase].first && i <= massless[phase].last ? 4 : 0;
            fill(dal_linsol_matrix(s.ls), &m, (unsigned long)i);
            check_ok(s.ctx, dal_linsol_factor(s.ls));
            assert_near(solution_error(&s, (unsigned long)i), 0.0, 1e3 * s.n * DBL_EPSILON / dal_linsol_rcond(s.ls));
            dal_linsol_save(s.ls, snapshot);
            check_ok(copy.ctx, dal_linsol_restore(copy.ls, snapshot));
            assert_int_equal(dal_linsol_fallbacks(copy.ls), dal_linsol_fallbacks(s.ls));
            if (i == 29 || i == 79) {
                assert_int_equal(dal_linsol_fallbacks(s.ls), massless[phase++].fallbacks);
            }
        }
        free(snapshot);
        tear_down(&s);
        tear_down(&copy);
    }
}

static void a_singular_matrix_is_reported_with_its_equation(void **state)
{
    const mechanism m = graph(0);
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        system_ s;
        set_up(&s, &m, kinds[kind]);
        fill(dal_linsol_matrix(s.ls), &m, 1);
        dal_matrix *A = dal_linsol_matrix(s.ls);
        const int row = 6 * LINKS + 3 * 7 + 1; // a row of a joint becomes zero
        for (int k = 0; k < A->nnz; ++k) {
            A->x[k] = A->row[k] == row ? 0.0 : A->x[k];
        }
        assert_int_equal(dal_linsol_factor(s.ls), DAL_SINGULAR);
        assert_int_equal(dal_linsol_singular_row(s.ls), row);
        tear_down(&s);
    }
}

/* Save after some factorisations, restore elsewhere: the same bits, with and without `sparse` behind it. */
static void a_restored_solver_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const int massless = k % 2;
        mechanism m = graph(massless ? 2 : 1);
        m.massless = massless ? 4 : 0;
        system_ a, b;
        set_up(&a, &m, kinds[k / 2]);
        set_up(&b, &m, kinds[k / 2]);
        for (unsigned long seed = 1; seed <= 3; ++seed) {
            fill(dal_linsol_matrix(a.ls), &m, seed);
            check_ok(a.ctx, dal_linsol_factor(a.ls));
        }
        const size_t size = dal_linsol_snapshot_size(a.ls);
        assert_int_equal(size, dal_linsol_snapshot_size(b.ls));
        double *snapshot = malloc(size * sizeof *snapshot), x[800], y[800];
        dal_linsol_save(a.ls, snapshot);
        check_ok(b.ctx, dal_linsol_restore(b.ls, snapshot));
        for (int i = 0; i < a.n; ++i) {
            x[i] = y[i] = sin(i);
        }
        dal_linsol_solve(a.ls, x);
        dal_linsol_solve(b.ls, y);
        assert_memory_equal(x, y, (size_t)a.n * sizeof *x);
        assert_int_equal(dal_linsol_fallbacks(b.ls), dal_linsol_fallbacks(a.ls));
        free(snapshot);
        tear_down(&a);
        tear_down(&b);
    }
}

/* What a processor without wide registers would compute. */
static void registers_of_two_and_of_four_numbers_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < GRAPHS; ++k) {
        const mechanism m = graph(k);
        system_ s[2];
        double x[2][800];
        for (int i = 0; i < 2; ++i) {
            set_up(&s[i], &m, DAL_LINSOL_BLOCK);
            if (i == 1) {
                dal_block_narrow(s[i].ls);
            }
            fill(dal_linsol_matrix(s[i].ls), &m, 7);
            check_ok(s[i].ctx, dal_linsol_factor(s[i].ls));
            for (int j = 0; j < s[i].n; ++j) {
                x[i][j] = cos(j);
            }
            dal_linsol_solve(s[i].ls, x[i]);
        }
        assert_memory_equal(x[0], x[1], (size_t)s[0].n * sizeof(double));
        tear_down(&s[0]);
        tear_down(&s[1]);
    }
}

/* Bodies by one seed, joints by another. */
static void fill_parts(dal_matrix *A, const mechanism *m, unsigned long bodies, unsigned long joints)
{
    check_rng rng = check_rng_seed(bodies);
    int slot = 0;
    dal_matrix_zero(A);
    for (; slot < m->nbodies; ++slot) {
        double M[36];
        random_inertia(&rng, M);
        dal_matrix_add(A, slot, M, 6, 6, 6);
    }
    rng = check_rng_seed(joints);
    for (int j = 0; j < m->njoints; ++j) {
        for (int side = 0; side < 2; ++side) {
            if (m->joint[j][side] >= 0) {
                add_side(A, slot, m->rows, &rng);
                slot += 2;
            }
        }
    }
}

/* Factors of a matrix with bodies and joints by these seeds, x := A^-1 cos. */
static void solve_parts(double *x, system_ *s, const mechanism *m, unsigned long bodies, unsigned long joints)
{
    dal_matrix *A = dal_linsol_in_place(s->ls);
    fill_parts(A ? A : dal_linsol_matrix(s->ls), m, bodies, joints);
    if (A == NULL || !dal_linsol_factor_in_place(s->ls)) {
        fill_parts(dal_linsol_matrix(s->ls), m, bodies, joints);
        check_ok(s->ctx, dal_linsol_factor(s->ls));
    }
    for (int i = 0; i < s->n; ++i) {
        x[i] = cos(i);
    }
    dal_linsol_solve(s->ls, x);
}

/* Bodies as the time before, others, and the first again: with inverses that were kept, also after more changes than a node is
 * compared for, and in a solver whose factors come from a snapshot. */
static void kept_inverses_of_bodies_give_the_same_bits(void **state)
{
    static const int bodies[] = {1, 1, 1, 2, 2, 1, 1, 3, 4, 5, 6, 7, 7, 7};
    (void)state;
    for (int k = 0; k < GRAPHS; ++k) {
        const mechanism m = graph(k);
        static double x[2][800];
        system_ s[2];
        for (int i = 0; i < 2; ++i) {
            s[i] = (system_){.ctx = check_ctx(), .n = size_of(&m)};
            dal_pattern *p = make_pattern(s[i].ctx, &m);
            if (i == 1) {
                dal_pattern_steady(p);
            }
            check_ok(s[i].ctx, dal_linsol_create(&s[i].ls, s[i].ctx, p, DAL_LINSOL_BLOCK));
            dal_pattern_destroy(p);
        }
        for (int j = 0; j < (int)(sizeof bodies / sizeof bodies[0]); ++j) {
            for (int i = 0; i < 2; ++i) {
                solve_parts(x[i], &s[i], &m, (unsigned long)bodies[j], 100UL + (unsigned long)j);
            }
            assert_memory_equal(x[0], x[1], (size_t)s[0].n * sizeof(double));
            const int patience = ((const block_solver *)s[1].ls)->patience[0];
            assert_true(j < 1 || j > 2 || patience == DAL_PATIENCE); // taken again
            assert_true(j < 10 || patience == 0);                    // not compared any more
            if (j == 4) {
                double *snapshot = malloc(dal_linsol_snapshot_size(s[0].ls) * sizeof *snapshot);
                dal_linsol_save(s[0].ls, snapshot);
                check_ok(s[1].ctx, dal_linsol_restore(s[1].ls, snapshot));
                free(snapshot);
            }
        }
        tear_down(&s[0]);
        tear_down(&s[1]);
    }
}

static void compare_solves(const system_ *s, int count)
{
    enum { MOST = 9 };
    static double x[MOST * 800], y[800];
    for (int i = 0; i < s->n * count; ++i) {
        x[i] = cos(i);
    }
    dal_linsol_solve_many(s->ls, x, count);
    for (int c = 0; c < count; ++c) {
        for (int i = 0; i < s->n; ++i) {
            y[i] = cos(i + c * s->n);
        }
        dal_linsol_solve(s->ls, y);
        assert_memory_equal(x + c * s->n, y, (size_t)s->n * sizeof *y);
    }
}

/* One to nine right-hand sides, with `sparse` behind it and without. */
static void many_right_hand_sides_get_the_bits_of_one(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * GRAPHS; ++k) {
        mechanism m = graph(k % 2 ? 2 : k / 4);
        system_ s;
        m.massless = k % 2 ? 4 : 0;
        set_up(&s, &m, kinds[k / 2 % 2]);
        fill(dal_linsol_matrix(s.ls), &m, 7);
        check_ok(s.ctx, dal_linsol_factor(s.ls));
        for (int count = 1; count <= 9; ++count) {
            compare_solves(&s, count);
        }
        if (k / 2 % 2 == 0) {
            dal_block_narrow(s.ls);
            compare_solves(&s, 3);
        }
        tear_down(&s);
    }
}

static void nodes_must_cover_all_unknowns_and_be_small(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_pattern *p;
    dal_linsol *ls;
    (void)state;
    check_ok(ctx, dal_pattern_create(&p, ctx, 40));
    check_ok(ctx, dal_pattern_block(p, 0, 0, 40, 40));
    check_fails(ctx, dal_linsol_create(&ls, ctx, p, DAL_LINSOL_BLOCK), DAL_EINVAL, "nodes");
    check_fails(ctx, dal_pattern_node(p, 30, 20, 0, 0), DAL_EINVAL, "30 .. 49");
    check_fails(ctx, dal_pattern_node(p, 0, 1, 40, 0), DAL_EINVAL, "node 40");
    check_fails(ctx, dal_pattern_node(p, 0, 1, 0, 2), DAL_EINVAL, "level 2");
    check_ok(ctx, dal_pattern_node(p, 0, 20, 0, 0));
    check_fails(ctx, dal_linsol_create(&ls, ctx, p, DAL_LINSOL_BLOCK), DAL_EINVAL, "unknown 20");
    check_ok(ctx, dal_pattern_node(p, 20, 20, 1, 0));
    check_fails(ctx, dal_linsol_create(&ls, ctx, p, DAL_LINSOL_BLOCK), DAL_EINVAL, "at most 16");
    dal_pattern_destroy(p);
    check_ctx_free(ctx);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    dal_pattern *p;
    dal_linsol *ls = NULL;
    const dal_linsol_kind *kind = user;
    DAL_TRY(dal_pattern_create(&p, ctx, 12));
    dal_status st = dal_pattern_block(p, 0, 0, 12, 12);
    if (st == DAL_OK) {
        st = dal_pattern_node(p, 0, 6, 0, 0);
    }
    if (st == DAL_OK) {
        st = dal_pattern_node(p, 6, 6, 1, 0);
    }
    if (st == DAL_OK) {
        st = dal_linsol_create(&ls, ctx, p, *kind);
    }
    dal_linsol_destroy(ls);
    dal_pattern_destroy(p);
    return st;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    dal_linsol_kind all[] = {DAL_LINSOL_BLOCK, DAL_LINSOL_FRONTAL};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        check_every_allocation(scenario, &all[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_trees_loops_and_stars_are_solved_as_by_sparse),
        cmocka_unit_test(transposed_solves_use_the_transpose),
        cmocka_unit_test(automatic_choice_is_block_for_mechanisms_and_small_for_full_matrices),
        cmocka_unit_test(bodies_without_mass_are_left_to_sparse),
        cmocka_unit_test(sparse_leaves_again_when_it_is_not_needed),
        cmocka_unit_test(a_singular_matrix_is_reported_with_its_equation),
        cmocka_unit_test(a_restored_solver_gives_the_same_bits),
        cmocka_unit_test(registers_of_two_and_of_four_numbers_give_the_same_bits),
        cmocka_unit_test(kept_inverses_of_bodies_give_the_same_bits),
        cmocka_unit_test(many_right_hand_sides_get_the_bits_of_one),
        cmocka_unit_test(nodes_must_cover_all_unknowns_and_be_small),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    make_graphs();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
