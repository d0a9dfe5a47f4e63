/* The tables of the Runge-Kutta methods: order conditions of all rooted trees. */
#include <math.h>

#include "integrate/rk_table.h"
#include "support/check.h"

enum { TREES_MAX = 256, ORDER_MAX = 9, STAGES = DAL_RK_STAGES_MAX };

/* A rooted tree by what it means for a table: its order, its density gamma, and the product over its branches at each
 * stage, so that the condition is sum_i b_i phi_i = 1/gamma. */
typedef struct tree {
    int order;
    long double gamma, phi[STAGES];
} tree;

typedef struct forest {
    const dal_rk_table *T;
    int stages; /* counted */
    int n;
    tree tree[TREES_MAX];
} forest;

/* sum_j a_ij phi_j */
static long double row_sum(const dal_rk_row *row, const long double *phi)
{
    long double sum = 0.0L;
    for (int t = 0; t < row->n; ++t) {
        sum += (long double)row->term[t].a * phi[row->term[t].j];
    }
    return sum;
}

/* All trees of `order` whose branches are trees from number `first` on, added to those of `root` so far. */
static void grow(forest *f, const tree *root, int first, int missing, int order)
{
    if (missing == 0) {
        assert_true(f->n < TREES_MAX);
        f->tree[f->n] = *root;
        f->tree[f->n].order = order;
        f->tree[f->n].gamma = root->gamma * order;
        f->n++;
        return;
    }
    const int known = f->n;
    for (int b = first; b < known && f->tree[b].order <= missing; ++b) {
        tree next = *root;
        next.gamma *= f->tree[b].gamma;
        for (int i = 0; i < f->stages; ++i) {
            next.phi[i] *= row_sum(&f->T->row[i], f->tree[b].phi);
        }
        grow(f, &next, b, missing - f->tree[b].order, order);
    }
}

static void plant(forest *f, const dal_rk_table *T, int max_order)
{
    f->T = T;
    f->stages = T->stages + 1 + T->extra;
    f->n = 0;
    for (int order = 1; order <= max_order; ++order) {
        tree root = {.gamma = 1.0L};
        for (int i = 0; i < f->stages; ++i) {
            root.phi[i] = 1.0L;
        }
        grow(f, &root, 0, order - 1, order);
    }
}

static const int orders[] = {5, 8};
static forest all;

static void the_trees_are_those_of_the_theory(void **state)
{
    const int count[] = {1, 1, 2, 4, 9, 20, 48, 115};
    plant(&all, dal_rk_table_of(5), 8);
    for (int order = 1, k = 0; order <= 8; ++order) {
        int n = 0;
        for (; k < all.n && all.tree[k].order == order; ++k) {
            ++n;
        }
        assert_int_equal(n, count[order - 1]);
    }
}

static void nodes_are_the_sums_of_their_rows(void **state)
{
    for (size_t m = 0; m < LEN(orders); ++m) {
        const dal_rk_table *T = dal_rk_table_of(orders[m]);
        const long double one[STAGES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        for (int i = 0; i < T->stages + 1 + T->extra; ++i) {
            assert_near((double)row_sum(&T->row[i], one), T->row[i].c, 2e-15);
        }
        assert_true(T->row[T->stages - 1].c == 1.0 && T->row[T->stages].c == 1.0);
    }
}

/* Largest defect of the conditions of one order: sum w_i phi_i against want = scale^order/gamma. */
static double defect(const forest *f, const dal_rk_row *w, int order, double scale)
{
    double worst = 0.0;
    for (int k = 0; k < f->n; ++k) {
        if (f->tree[k].order == order) {
            const long double want = powl(scale, order) / f->tree[k].gamma;
            worst = fmax(worst, fabs((double)(row_sum(w, f->tree[k].phi) - want)));
        }
    }
    return worst;
}

static void all_order_conditions_hold_and_those_of_the_next_order_do_not(void **state)
{
    for (size_t m = 0; m < LEN(orders); ++m) {
        const dal_rk_table *T = dal_rk_table_of(orders[m]);
        plant(&all, T, T->order);
        for (int p = 1; p <= T->order; ++p) {
            const double d = defect(&all, &T->row[T->stages], p, 1.0);
            print_message("%s: order %d: %.1e\n", T->name, p, d);
            assert_true(d < 2e-15);
        }
    }
    plant(&all, dal_rk_table_of(5), 6);
    assert_true(defect(&all, &all.T->row[all.T->stages], 6, 1.0) > 1e-4);
}

/* Error estimates vanish up to their order and no further: 4; 5 and 3. */
static void error_estimates_have_their_orders(void **state)
{
    const int order[2][2] = {{4, 0}, {5, 3}};
    for (size_t m = 0; m < LEN(orders); ++m) {
        const dal_rk_table *T = dal_rk_table_of(orders[m]);
        plant(&all, T, 6);
        for (int e = 0; e < T->nerrors; ++e) {
            for (int p = 1; p <= order[m][e]; ++p) {
                assert_true(defect(&all, &T->error[e], p, 0.0) < 1e-15);
            }
            assert_true(defect(&all, &T->error[e], order[m][e] + 1, 0.0) > 1e-5);
        }
    }
}

/* Weights of the dense output at u, all stages. */
static void dense_weights(const dal_rk_table *T, dal_rk_term *w, double u)
{
    const int n = T->stages + 1 + T->extra, s = T->stages;
    long double b[STAGES] = {0};
    for (int t = 0; t < T->row[s].n; ++t) {
        b[T->row[s].term[t].j] = (long double)T->row[s].term[t].a;
    }
    for (int j = 0; j < n; ++j) {
        long double c[3 + 4] = {b[j], (j == 0) - b[j], 0.0L}, sum = 0.0L;
        c[2] = b[j] - (j == s) - c[1];
        for (int i = 0; i < T->ndense; ++i) {
            for (int t = 0; t < T->dense[i].n; ++t) {
                c[3 + i] += T->dense[i].term[t].j == j ? (long double)T->dense[i].term[t].a : 0.0L;
            }
        }
        for (int i = 2 + T->ndense; i >= 0; --i) {
            sum = (i % 2 ? 1.0L - (long double)u : (long double)u) * (c[i] + sum);
        }
        w[j] = (dal_rk_term){j, (double)sum};
    }
}

static void dense_output_has_orders_4_and_7(void **state)
{
    const int order[] = {4, 7};
    for (size_t m = 0; m < LEN(orders); ++m) {
        const dal_rk_table *T = dal_rk_table_of(orders[m]);
        double next = 0.0;
        plant(&all, T, 8);
        for (double u = 0.125; u < 1.0; u += 0.125) {
            dal_rk_term w[STAGES];
            dense_weights(T, w, u);
            const dal_rk_row row = {0.0, T->stages + 1 + T->extra, w};
            for (int p = 1; p <= order[m]; ++p) {
                assert_true(defect(&all, &row, p, u) < 2e-14);
            }
            next = fmax(next, defect(&all, &row, order[m] + 1, u));
        }
        assert_true(next > 1e-8);
    }
}

static void there_are_no_other_orders(void **state)
{
    char text[32];
    assert_null(dal_rk_table_of(6));
    dal_rk_orders(text, sizeof text);
    assert_string_equal(text, "5, 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trees_are_those_of_the_theory),
        cmocka_unit_test(nodes_are_the_sums_of_their_rows),
        cmocka_unit_test(all_order_conditions_hold_and_those_of_the_next_order_do_not),
        cmocka_unit_test(error_estimates_have_their_orders),
        cmocka_unit_test(dense_output_has_orders_4_and_7),
        cmocka_unit_test(there_are_no_other_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
