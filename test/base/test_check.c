/* The tools of the tests themselves. */
#include <math.h>

#include "base/memory.h"
#include "support/check.h"

static void random_numbers_have_their_moments(void **state)
{
    enum { N = 20000 };
    check_rng rng = check_rng_seed(7);
    double mean_u = 0.0, mean_n = 0.0, square_n = 0.0;
    for (int i = 0; i < N; ++i) {
        const double u = check_uniform(&rng, -1.0, 3.0), n = check_normal(&rng);
        assert_true(u >= -1.0 && u < 3.0);
        mean_u += u / N;
        mean_n += n / N;
        square_n += n * n / N;
    }
    assert_near(mean_u, 1.0, 0.03);
    assert_near(mean_n, 0.0, 0.03);
    assert_near(square_n, 1.0, 0.05);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    check_rng a = check_rng_seed(1), b = check_rng_seed(1), c = check_rng_seed(2);
    const double x = check_normal(&a);
    assert_true(x == check_normal(&b));
    assert_true(x != check_normal(&c));
}

static void directions_and_quaternions_have_their_length(void **state)
{
    check_rng rng = check_rng_seed(3);
    for (int k = 0; k < 100; ++k) {
        double w[3], p[4];
        check_direction(&rng, w, 2.5);
        check_quaternion(&rng, p);
        assert_near(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), 2.5, 1e-14);
        assert_near(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1.0, 1e-14);
    }
}

static void slopes_are_the_powers(void **state)
{
    const double h[] = {1e-1, 5e-2, 1e-2}, err[] = {3e-2, 7.5e-3, 3e-4}, halved[] = {8.0, 1.0, 0.125};
    check_slopes(h, err, 3, 2.0, 1e-12);
    assert_near(check_slope(halved, 3), 3.0, 1e-15);
}

static void maxima_keep_a_nan(void **state)
{
    const double x[] = {1.0, NAN, -3.0}, y[] = {1.0, 2.0, -3.5};
    assert_true(isnan(check_max_abs(x, 3)));
    assert_true(isnan(check_max_abs_diff(x, y, 3)));
    assert_near(check_max_abs(y, 3), 3.5, 0.0);
    assert_near(check_max_abs_diff(x + 2, y + 2, 1), 0.5, 0.0);
}

typedef struct blocks {
    int n;
} blocks;

/* n blocks, all given back when one of them fails. */
static dal_status take_blocks(dal_ctx *ctx, void *user)
{
    const blocks *t = user;
    void *block[8] = {0};
    dal_status st = DAL_OK;
    for (int i = 0; i < t->n && st == DAL_OK; ++i) {
        block[i] = dal_alloc(ctx, 10);
        st = block[i] != NULL ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "block %d", i);
    }
    for (int i = 0; i < t->n; ++i) {
        dal_free(ctx, block[i]);
    }
    return st;
}

static void every_allocation_fails_once(void **state)
{
    for (int n = 0; n < 8; ++n) {
        assert_int_equal(check_every_allocation(take_blocks, &(blocks){n}), n);
    }
}

static void the_allocator_counts(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    const size_t own = alloc.bytes;
    void *a = dal_alloc(ctx, 100), *b = dal_alloc(ctx, 28);
    assert_int_equal(alloc.live, 3);
    assert_int_equal(alloc.bytes, own + 128);
    dal_free(ctx, a);
    assert_int_equal(alloc.live, 2);
    assert_int_equal(alloc.total, 3);
    assert_int_equal(alloc.bytes, own + 28);
    alloc.fail_in = 2;
    a = dal_alloc(ctx, 1);
    assert_non_null(a);
    assert_null(dal_alloc(ctx, 1));
    dal_free(ctx, a);
    dal_free(ctx, b);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
    assert_int_equal(alloc.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_have_their_moments),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(directions_and_quaternions_have_their_length),
        cmocka_unit_test(slopes_are_the_powers),
        cmocka_unit_test(maxima_keep_a_nan),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(the_allocator_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
