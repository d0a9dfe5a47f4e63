/* Built-in models with flexible bodies against the same mechanisms built by calls. */
#include <math.h>

#include "dalembert/io.h"
#include "flex/flexible_models.h"

enum { VALUES = 64 };

/* Run both to the times; the first n outputs agree. Frees what was built by calls. */
static void compare(dal_ctx *ctx, const char *name, dal_model *called, int n, double h, const double *times, int ntimes)
{
    dal_document *doc;
    check_ok(ctx, dal_document_open(&doc, ctx, name, NULL, 0));
    dal_model *read = dal_document_model(doc);
    dal_sim *a = start(ctx, read, NULL, 0, h), *b = start(ctx, called, NULL, 0, h);
    double y[VALUES], z[VALUES], worst = 0.0;
    assert_true(dal_model_output_size(read) <= VALUES && dal_model_output_size(called) == n);
    for (int k = 0; k < ntimes; ++k) {
        check_ok(ctx, dal_sim_run(a, NULL, times[k]));
        check_ok(ctx, dal_sim_run(b, NULL, times[k]));
        outputs(ctx, read, a, y);
        outputs(ctx, called, b, z);
        const double e = check_max_abs_diff(y, z, n);
        worst = e <= worst ? worst : e;
    }
    print_message("%s: differs by %.1e\n", name, worst);
    assert_near(worst, 0.0, 1e-9);
    dal_sim_destroy(a);
    dal_sim_destroy(b);
    dal_document_destroy(doc);
    dal_model_destroy(called);
}

static void pendulum_of_the_file_is_that_of_the_calls(void **state)
{
    static const double times[] = {0.01, 0.1, 0.3};
    dal_ctx *ctx = check_ctx();
    compare(ctx, "flexible_pendulum", flexible_pendulum(ctx, 1e8, 4), 3, 5e-4, times, LEN(times));
    check_ctx_free(ctx);
}

static void slider_crank_of_the_file_is_that_of_the_calls(void **state)
{
    static const double times[] = {0.005, 0.02, 0.04};
    dal_ctx *ctx = check_ctx();
    compare(ctx, "flexible_slider_crank", flexible_slider_crank(ctx, 2), 9, 5e-5, times, LEN(times));
    check_ctx_free(ctx);
}

static void spinning_beam_of_the_file_is_that_of_the_calls(void **state)
{
    static const double times[] = {1.0, 5.0, 7.0};
    dal_ctx *ctx = check_ctx();
    compare(ctx, "spinning_beam", spinning_beam(ctx, 2, 1), 3, 1e-2, times, LEN(times));
    check_ctx_free(ctx);
}

/* The options of the files are fine enough: the tip lags like that of a geometrically exact beam (u = -0.4685 across at
 * t = 5), and the energy of the pendulum stays. */
static void built_in_options_are_fine_enough(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    double y[VALUES];
    check_ok(ctx, dal_document_open(&doc, ctx, "spinning_beam", NULL, 0));
    dal_sim *sim = start(ctx, dal_document_model(doc), NULL, 0, dal_document_options(doc)->h);
    check_ok(ctx, dal_sim_run(sim, NULL, 5.0));
    outputs(ctx, dal_document_model(doc), sim, y);
    const double u2 = -y[0] * sin(y[3]) + y[1] * cos(y[3]);
    assert_near(u2, -0.4684761829, 1e-3);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);

    check_ok(ctx, dal_document_open(&doc, ctx, "flexible_pendulum", NULL, 0));
    dal_model *m = dal_document_model(doc);
    const int energy = dal_model_output_size(m) - 1;
    sim = start(ctx, m, NULL, 0, dal_document_options(doc)->h);
    outputs(ctx, m, sim, y);
    const double E = y[energy];
    check_ok(ctx, dal_sim_run(sim, NULL, dal_document_t_end(doc)));
    outputs(ctx, m, sim, y);
    print_message("spinning beam: u2 %.5f; pendulum: energy %.6f, change %.1e\n", u2, E, y[energy] - E);
    assert_near(y[energy], E, 1e-3);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_of_the_file_is_that_of_the_calls),
        cmocka_unit_test(slider_crank_of_the_file_is_that_of_the_calls),
        cmocka_unit_test(spinning_beam_of_the_file_is_that_of_the_calls),
        cmocka_unit_test(built_in_options_are_fine_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
