/* Modes of a chain of thousands of links against zeros of a Bessel function. */
#include <math.h>
#include <stdio.h>

#include "models/at.h"

/* The lowest frequencies of N links. */
static void frequencies(double *w, int n, const char *set)
{
    model_at m = model_open("hanging_chain", set, NULL);
    const dal_modal_options opt = {.n = n};
    dal_modal *modal;
    check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &m.at, &opt));
    assert_int_equal(dal_modal_about(modal).n, n);
    assert_int_equal(dal_modal_about(modal).sparse, 1);
    for (int k = 0; k < n; ++k) {
        w[k] = dal_modal_mode(modal, k).im;
    }
    dal_modal_destroy(modal);
    model_close(&m);
}

/* omega = j_k/2 sqrt(g/l); the error falls like 1/N^2, so that two chains give four digits more. */
static void twenty_modes_of_four_thousand_links(void **state)
{
    static const double zero[] = {2.404825557695773, 5.520078110286311, 8.653727912911012, 11.791534439014281,
                                  14.930917708487785};
    double half[20], whole[20];
    frequencies(half, 20, "N=2000");
    frequencies(whole, 20, "N=4000");
    for (size_t k = 0; k < LEN(zero); ++k) {
        const double want = 0.5 * zero[k] * sqrt(9.81);
        assert_near_rel(whole[k], want, 1e-5);
        assert_near_rel((4.0 * whole[k] - half[k]) / 3.0, want, 1e-8);
    }
}

static void dense_and_sparse_agree_on_a_hundred_links(void **state)
{
    model_at m = model_open("hanging_chain", "N=100", NULL);
    const dal_modal_options dense = {.solver = DAL_MODAL_DENSE}, sparse = {.solver = DAL_MODAL_SPARSE};
    dal_modal *a, *b;
    check_ok(m.ctx, dal_modal_create(&a, m.ctx, m.sys, NULL, &m.at, &dense));
    check_ok(m.ctx, dal_modal_create(&b, m.ctx, m.sys, NULL, &m.at, &sparse));
    for (int k = 0; k < 20; ++k) {
        assert_near_rel(dal_modal_mode(b, k).im, dal_modal_mode(a, k).im, 1e-8);
    }
    dal_modal_destroy(a);
    dal_modal_destroy(b);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_modes_of_four_thousand_links),
        cmocka_unit_test(dense_and_sparse_agree_on_a_hundred_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
