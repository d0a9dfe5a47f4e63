/* Results of an adjoint in threads: the same bits whatever their number. */
#include <string.h>

#include "dalembert/gradient.h"
#include "support/check.h"

enum { RESULTS = 7, NUMBERS = 3, TIMES = 9, RUNS = 3 };
static const char *const of[RESULTS] = {"final(top.position.x)",
                                        "final(top.position.y)",
                                        "integral(tip.force^2)",
                                        "max(top.velocity.z)",
                                        "mean(top.position.z)*final(top.velocity.x)",
                                        "rms(top.velocity.x + 2*top.position.y - tip.force.z)",
                                        "smooth_max(tip.force, 0.01)"};
static const char *const by[NUMBERS] = {"m", "J22", "Om2"};

typedef struct answer {
    double row[RUNS][RESULTS][NUMBERS], squares[RUNS][NUMBERS], newton_error[RUNS], growth[RUNS];
} answer;

/* Three runs: the numbers of the model; others; these once more with the steps held. */
static void solve(answer *a, const char *const *set, int nset, int jobs)
{
    static const double t[TIMES] = {0.01, 0.02, 0.03, 0.041, 0.05, 0.06, 0.07, 0.08, 0.09};
    static const double y[TIMES] = {0.1, 0.2, 0.1, 0.0, 0.3, 0.1, 0.2, 0.2, 0.1};
    const dal_gradient_data data = {.expression = "top.position.z", .t = t, .y = y, .n = TIMES};
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    const dal_gradient_spec spec = {.source = DAL_MODELS "/top.json",
                                    .of = of,
                                    .nof = RESULTS,
                                    .by = by,
                                    .nby = NUMBERS,
                                    .set = set,
                                    .nset = nset,
                                    .data = &data,
                                    .ndata = 1,
                                    .jobs = jobs};
    const double other[NUMBERS] = {14.0, 0.5, 140.0};
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int k = 0; k < RUNS; ++k) {
        dal_gradient_freeze(g, k == 2);
        check_ok(ctx, dal_gradient_run(g, k == 1 ? other : NULL, DAL_GRADIENT_ADJOINT));
        for (int i = 0; i < RESULTS; ++i) {
            memcpy(a->row[k][i], dal_gradient_row(g, i), sizeof a->row[k][i]);
        }
        memcpy(a->squares[k], dal_gradient_of_squares(g), sizeof a->squares[k]);
        a->newton_error[k] = dal_gradient_about(g).newton_error;
        a->growth[k] = dal_gradient_about(g).growth;
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static const char *const fixed[] = {"t_end=0.1", "h=0.001"}, *const chosen[] = {"t_end=0.1", "integrator=rk",
                                                                                    "step=adaptive"};
    for (int method = 0; method < 2; ++method) {
        answer one, more;
        solve(&one, method ? chosen : fixed, method ? 3 : 2, 1);
        assert_true(one.row[0][2][0] != 0.0 && one.squares[0][0] != 0.0);
        assert_true(one.row[0][2][0] != one.row[1][2][0]);
        for (int jobs = 2; jobs <= 5; ++jobs) {
            memset(&more, 0, sizeof more);
            solve(&more, method ? chosen : fixed, method ? 3 : 2, jobs);
            assert_memory_equal(&more, &one, sizeof one);
        }
    }
}

static void a_failure_in_a_thread_is_told(void **state)
{
    (void)state;
    static const char *const set[] = {"t_end=0.1", "h=0.001"};
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    const dal_gradient_spec spec = {.source = DAL_MODELS "/top.json",
                                    .of = of,
                                    .nof = RESULTS,
                                    .by = by,
                                    .nby = NUMBERS,
                                    .set = set,
                                    .nset = 2,
                                    .jobs = 3};
    const double bad[NUMBERS] = {-1.0, 0.5, 140.0};
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    assert_true(dal_gradient_run(g, bad, DAL_GRADIENT_ADJOINT) != DAL_OK);
    assert_non_null(strstr(dal_ctx_message(ctx), "mass"));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_change_no_bit),
                                       cmocka_unit_test(a_failure_in_a_thread_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
