/* Closed loops with singular positions or redundant conditions, and laws that need no table. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "models/compare.h"
#include "support/check.h"
#include "support/check_model.h"

static void four_bars_pass_their_singular_positions(void **state)
{
    compare_case c = {.model = "n_four_bar",
                      .set = {"N=2"},
                      .file = "iftomm_A02_n_four_bar",
                      .columns = "reference/N=2/columns",
                      .rows = "reference/N=2/rows",
                      .motion = "B0:B0x,B0y,! B0.velocity:B0vx,B0vy,!",
                      .h = 0.005,
                      .t_end = 4.0,
                      .scale_motion = 1.0,
                      .scale_forces = 1.0,
                      .tol_motion = 1e-3,
                      .tol_forces = 1.0,
                      .energy = 0.005};
    compare_check(&c);
    c.set[0] = "N=5";
    c.columns = "reference/N=5/columns";
    c.rows = "reference/N=5/rows";
    compare_check(&c);
    // reactions of the first bar, up to the first singular position
    c.set[0] = "N=2";
    c.columns = "reference/N=2/reactions/columns";
    c.rows = "reference/N=2/reactions/rows";
    c.motion = "A0.force:A0x,A0y,! B0.force:B0x,B0y,!";
    c.t_end = 0.6;
    c.scale_motion = 20.0;
    compare_check(&c);
}

static void bricard_moves_in_spite_of_its_redundant_row(void **state)
{
    compare_check(&(compare_case){.model = "bricard",
                                  .file = "iftomm_A04_bricard",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "P3:P3x,P3y,P3z P3.velocity:vP3x,vP3y,vP3z",
                                  .h = 0.01,
                                  .t_end = 3.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 1.0,
                                  .tol_motion = 1e-4,
                                  .tol_forces = 1.0,
                                  .energy = 1e-4});
}

/* At t = 1.248 the rows kept since the start depend on each other, all rows do not: others are left out from there on. */
static void bricard_changes_the_row_it_does_without(void **state)
{
    static const char *const tolerances[] = {"step_rtol=1e-5", "step_rtol=1e-6", "step_rtol=1e-7"};
    for (size_t k = 0; k < LEN(tolerances); ++k) {
        const char *const set[] = {"integrator=auto", tolerances[k]};
        check_model m = check_model_start("bricard", set, 2);
        double before, after, position;
        check_ok(m.ctx, dal_sim_energy(m.sim, &before));
        check_model_run(&m, 3.0);
        check_ok(m.ctx, dal_sim_energy(m.sim, &after));
        check_ok(m.ctx, dal_sim_residuals(m.sim, &position, NULL)); // of all rows
        assert_near(after, before, 1e-4);
        assert_near(position, 0.0, 1e-9);
        assert_true(dal_sim_stats(m.sim).steps < 400);
        check_model_free(&m);
    }
}

/* Run a model to t and give its outputs there. */
static void outputs_of(const char *model, const char *const *set, int nset, double t, double *y)
{
    check_model m = check_model_start(model, set, nset);
    check_model_run(&m, t);
    memcpy(y, m.y, (size_t)dal_model_output_size(m.model) * sizeof *y);
    check_model_free(&m);
}

/* y = (a, b, a', b') of two equal rods of length and mass 1: M (a'', b'') = f from Lagrange's equations. */
static void double_pendulum_rates(double f[4], const double y[4])
{
    const double g = 9.81, c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    const double m11 = 4.0 / 3.0, m12 = 0.5 * c, m22 = 1.0 / 3.0;
    const double f1 = -0.5 * s * y[3] * y[3] - 1.5 * g * sin(y[0]), f2 = 0.5 * s * y[2] * y[2] - 0.5 * g * sin(y[1]);
    const double det = m11 * m22 - m12 * m12;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (m22 * f1 - m12 * f2) / det;
    f[3] = (m11 * f2 - m12 * f1) / det;
}

/* Classical Runge-Kutta method with n steps. */
static void double_pendulum_exact(double y[4], double t, int n)
{
    const double h = t / n;
    for (int step = 0; step < n; ++step) {
        double k[4][4], z[4];
        double_pendulum_rates(k[0], y);
        for (int stage = 1; stage < 4; ++stage) {
            for (int i = 0; i < 4; ++i) {
                z[i] = y[i] + (stage == 3 ? h : 0.5 * h) * k[stage - 1][i];
            }
            double_pendulum_rates(k[stage], z);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
}

static void double_pendulum_obeys_lagrange(void **state)
{
    static const char *const steps[] = {"h=0.004", "h=0.002", "h=0.001"};
    static const double h[] = {0.004, 0.002, 0.001};
    double exact[4] = {0.5 * acos(-1.0), 0.5 * acos(-1.0), 0.0, 0.0}, err[3];
    double_pendulum_exact(exact, 1.0, 20000);
    const double x = sin(exact[0]) + sin(exact[1]), y = -cos(exact[0]) - cos(exact[1]);
    for (int k = 0; k < 3; ++k) {
        double out[11]; // support.coordinate, two forces, energy, tip
        outputs_of("double_pendulum", &steps[k], 1, 1.0, out);
        err[k] = hypot(out[8] - x, out[9] - y);
        assert_near(out[7], 0.0, 1e-3);
    }
    print_message("double_pendulum: %.2e %.2e %.2e\n", err[0], err[1], err[2]);
    check_slopes(h, err, 3, 2.0, 0.1);
    assert_near(err[2], 0.0, 1e-4);
}

/* A free pair of bodies with a joint and a spring. */
static void momentum_of_a_free_model_is_kept_to_rounding(void **state)
{
    static const char model[] =
        "{\"dalembert\": 1, \"bodies\": ["
        "{\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 2, 2.5], \"velocity\": [1, 2, 3], \"angular_velocity\": [1, "
        "0, 0]},"
        "{\"name\": \"b\", \"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0], \"velocity\": [1, 2, 3]}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"spherical\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": "
        "[0.5, 0.2, 0]}],"
        "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_a\": \"a\", \"body_b\": \"b\", \"frame_a\": [0, "
        "1, 0],"
        "\"frame_b\": [0, 0, 1], \"stiffness\": 100, \"damping\": 1}],"
        "\"outputs\": [\"momentum\"]}";
    double p0[3], p1[3];
    outputs_of(model, NULL, 0, 0.0, p0);
    outputs_of(model, NULL, 0, 1.0, p1);
    assert_all_near(p1, p0, 3, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bars_pass_their_singular_positions),
        cmocka_unit_test(bricard_moves_in_spite_of_its_redundant_row),
        cmocka_unit_test(bricard_changes_the_row_it_does_without),
        cmocka_unit_test(double_pendulum_obeys_lagrange),
        cmocka_unit_test(momentum_of_a_free_model_is_kept_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
