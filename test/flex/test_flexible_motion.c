/* Mechanisms with flexible bodies against reference motions, the rigid limit, conservation in free motion. */
#include <math.h>
#include <string.h>

#include "flexible_models.h"
#include "linsol/eigen.h"
#include "support/check_system.h"

static const double pi = 3.14159265358979323846;

/* ---- rigid limit ------------------------------------------------------------------------------ */

/* Tip after 0.5 s with 2500 steps. */
static void tip_of(double tip[3], dal_ctx *ctx, dal_model *m)
{
    const char *const option[] = {"formulation=index3"}; // the metric of ggl knows the size of a body (SX.4)
    dal_sim *sim = start(ctx, m, option, 1, 2e-4);
    check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
    outputs(ctx, m, sim, tip);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
}

static void a_stiff_pendulum_moves_like_a_rigid_one(void **state)
{
    dal_ctx *ctx = check_ctx();
    double rigid[3], none[3], soft[3], stiff[3];
    tip_of(rigid, ctx, rigid_pendulum(ctx));
    tip_of(none, ctx, flexible_pendulum(ctx, 1e7, 0));
    tip_of(soft, ctx, flexible_pendulum(ctx, 1e9, 4));
    tip_of(stiff, ctx, flexible_pendulum(ctx, 1e11, 4));
    const double e_none = check_max_abs_diff(none, rigid, 3), e_soft = check_max_abs_diff(soft, rigid, 3);
    const double e_stiff = check_max_abs_diff(stiff, rigid, 3);
    print_message("distance of the tip from the rigid one: no modes %.1e, E = 1e9 %.1e, 1e11 %.1e\n", e_none, e_soft,
                  e_stiff);
    assert_near(e_none, 0.0, 1e-10);
    assert_near(e_stiff, 0.0, 1e-6);
    assert_near(e_stiff / e_soft, 0.01, 0.01); // as 1/E
    check_ctx_free(ctx);
}

/* ---- slider crank ----------------------------------------------------------------------------- */

/* Deflection of the middle of the rod at t = 2 pi k/(16 150), k = 1 .. 32: linear floating frame, sine shapes, DOP853 at
 * 1e-13, more than ten digits of that model. Every fourth row. */
static const struct {
    int k;
    double bend[3]; /* 1, 2, 3 shapes */
} crank_table[] = {
    {4, {5.574881710717e-04, 5.574881710718e-04, 5.502909861515e-04}},
    {8, {1.374311462289e-03, 1.374311462289e-03, 1.373902946889e-03}},
    {12, {-2.545284182914e-03, -2.545284182914e-03, -2.537330917156e-03}},
    {16, {1.387721249472e-04, 1.387721249477e-04, 1.381897296469e-04}},
    {20, {2.344564998087e-03, 2.344564998086e-03, 2.337689630313e-03}},
    {24, {-1.360298843511e-03, -1.360298843510e-03, -1.360720613298e-03}},
    {28, {-3.770367558964e-04, -3.770367558959e-04, -3.693807760472e-04}},
    {32, {-2.761293146437e-04, -2.761293146446e-04, -2.761482106107e-04}},
};

/* Distance of the middle from the chord. */
static double bend_of(const double y[9])
{
    const double c[2] = {y[6] - y[0], y[7] - y[1]}, d[2] = {y[3] - y[0], y[4] - y[1]};
    return (c[0] * d[1] - c[1] * d[0]) / sqrt(c[0] * c[0] + c[1] * c[1]);
}

static double crank_error(dal_ctx *ctx, int nmodes, int steps)
{
    dal_model *m = flexible_slider_crank(ctx, nmodes);
    const double dt = 2.0 * pi / (16.0 * 150.0);
    dal_sim *sim = start(ctx, m, NULL, 0, dt / steps);
    double y[9], worst = 0.0;
    for (size_t i = 0; i < LEN(crank_table); ++i) {
        check_ok(ctx, dal_sim_run(sim, NULL, crank_table[i].k * dt));
        outputs(ctx, m, sim, y);
        worst = fmax(worst, fabs(bend_of(y) - crank_table[i].bend[nmodes - 1]));
    }
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    return worst;
}

static void slider_crank_bends_like_the_reference(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int n = 1; n <= 3; ++n) {
        const double coarse = crank_error(ctx, n, 50), fine = crank_error(ctx, n, 100);
        print_message("%d shapes: error %.2e, half the step %.2e, of 7e-3\n", n, coarse, fine);
        assert_near(fine, 0.0, 2e-5);
        if (n < 3) { // the third shape swings 100 times, its phase is not in the range of small errors yet
            assert_near(log2(coarse / fine), 2.0, 0.1);
        }
    }
    check_ctx_free(ctx);
}

/* ---- spin-up ---------------------------------------------------------------------------------- */

/* Tip in the axes of the hub: geometrically exact beam, spectral elements, six digits. */
static const struct {
    double t, u1, u2;
} spin_table[] = {
    {1, -2.436340106e-05, -0.02054353218}, {2, -0.0006059014881, -0.1023806317}, {3, -0.002728288523, -0.2172673574},
    {4, -0.006766006865, -0.3422786498},   {5, -0.01265463632, -0.4684761829},   {6, -0.0169712497, -0.5435964012},
    {7, -0.01861825532, -0.5713117983},    {8, -0.0166299186, -0.5428415044},    {9, -0.01174530277, -0.4602710615},
    {10, -0.007072334562, -0.3628144521},  {11, -0.003298304932, -0.2573510024}, {12, -0.0008039872297, -0.1509006924},
    {13, 0.0002333591985, -0.06921547346}, {14, 0.000490060497, -0.02029133547}, {15, 0.0005139897053, 0.001303621184},
    {16, 0.0005139214741, 0.00307973328},
};

static void tip_in_hub_axes(double u[2], dal_ctx *ctx, dal_model *m, const dal_sim *sim)
{
    double y[3], c[3];
    outputs(ctx, m, sim, y);
    const double t = dal_sim_state(sim).t, k = 2.0 * pi / 15.0;
    c[0] = t < 15.0 ? 0.4 * (0.5 * t * t + (cos(k * t) - 1.0) / (k * k)) : 6.0 * t - 45.0;
    u[0] = y[0] * cos(c[0]) + y[1] * sin(c[0]) - 10.0;
    u[1] = -y[0] * sin(c[0]) + y[1] * cos(c[0]);
}

static void spinning_beam_lags_like_the_geometrically_exact_one(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = spinning_beam(ctx, 2, 1);
    dal_sim *sim = start(ctx, m, NULL, 0, 5e-3);
    double worst1 = 0.0, worst2 = 0.0, u[2];
    for (size_t i = 0; i < LEN(spin_table); ++i) {
        check_ok(ctx, dal_sim_run(sim, NULL, spin_table[i].t));
        tip_in_hub_axes(u, ctx, m, sim);
        worst1 = fmax(worst1, fabs(u[0] - spin_table[i].u1));
        worst2 = fmax(worst2, fabs(u[1] - spin_table[i].u2));
    }
    print_message("tip: along the axis %.1e of 0.0186, across %.1e of 0.574\n", worst1, worst2);
    assert_near(worst1, 0.0, 5e-5);
    assert_near(worst2, 0.0, 1e-3);
    // steady: tan(k L)/k - L, k^2 = rho A omega^2/(E A)
    assert_near(u[0], 5.143e-4, 2e-6);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* Above its first frequency of 3.8 rad/s a linear beam without the quadratic field is unstable. */
static void without_stiffening_the_spinning_beam_runs_away(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = spinning_beam(ctx, 2, 0);
    dal_sim *sim = start(ctx, m, NULL, 0, 5e-3);
    double u[2];
    check_ok(ctx, dal_sim_run(sim, NULL, 11.0));
    tip_in_hub_axes(u, ctx, m, sim);
    print_message("without stiffening, t = 11: u2 = %g\n", u[1]);
    assert_true(u[1] < -1.5);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* ---- buckling --------------------------------------------------------------------------------- */

enum { COLUMN = 4 };

/* Lowest eigenvalue of the modal stiffness of a clamped column under the axial load F at its end. */
static double lowest_stiffness(dal_ctx *ctx, const dal_beam *b, double F)
{
    const double eps = 1e-6;
    dal_modes *modes = beam(ctx, b);
    dal_model *m;
    const dal_system *sys;
    double q[7 + COLUMN], zero[6 + COLUMN] = {0.0}, r[2][6 + COLUMN], K[COLUMN * COLUMN], M[COLUMN * COLUMN] = {0.0};
    double w[COLUMN];
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_flexible(m, NULL, &(dal_flexible){.name = "column", .modes = modes}));
    dal_beam_modes_destroy(modes);
    check_ok(ctx, dal_model_add_force(m, NULL,
                                      &(dal_force){.name = "load",
                                                   .type = "force",
                                                   .body_b = dal_model_find_body(m, "column/B"),
                                                   .vector = {-F, 0.0, 0.0}}));
    check_ok(ctx, dal_model_compile(m, &sys));
    for (int k = 0; k < COLUMN; ++k) {
        for (int side = 0; side < 2; ++side) {
            memcpy(q, dal_model_q0(m), sizeof q);
            q[7 + k] += side ? eps : -eps;
            check_ok(ctx,
                     check_residual(ctx, sys, &(dal_residual){.r = r[side]}, &(dal_point){0.0, q, zero, zero, NULL}));
        }
        for (int i = 0; i < COLUMN; ++i) {
            K[i + k * COLUMN] = (r[1][6 + i] - r[0][6 + i]) / (2.0 * eps);
        }
        M[k + k * COLUMN] = 1.0;
    }
    check_ok(ctx, dal_eigen_symmetric(w, K, M, COLUMN, ctx));
    dal_model_destroy(m);
    return w[0];
}

static void a_column_buckles_under_the_load_of_euler(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_beam b = {.length = 2.0,
                        .E = 1e9,
                        .density = 1000.0,
                        .area = 5e-4,
                        .Iy = 1e-7,
                        .Iz = 1e-7,
                        .kinds = DAL_BEAM_BENDING_Y,
                        .nmodes = COLUMN,
                        .stiffening = 1};
    const double critical = pi * pi * b.E * b.Iz / (4.0 * b.length * b.length);
    assert_true(lowest_stiffness(ctx, &b, 0.999 * critical) > 0.0);
    assert_true(lowest_stiffness(ctx, &b, 1.001 * critical) < 0.0);
    check_ctx_free(ctx);
}

/* ---- damping ---------------------------------------------------------------------------------- */

/* Energy and what the modal damping has taken out stay together what they were, to second order. */
static void damping_accounts_for_the_lost_energy(void **state)
{
    double gap[3], h[3], lost = 0.0;
    (void)state;
    for (int k = 0; k < 3; ++k) {
        dal_ctx *ctx = check_ctx();
        dal_model *m = damped_pendulum(ctx, 0.05);
        double first[5], last[5];
        h[k] = 4e-4 / (1 << k);
        dal_sim *sim = start(ctx, m, NULL, 0, h[k]);
        outputs(ctx, m, sim, first);
        check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
        outputs(ctx, m, sim, last);
        gap[k] = fabs(last[3] + last[4] - first[3]);
        lost = last[4];
        dal_sim_destroy(sim);
        dal_model_destroy(m);
        check_ctx_free(ctx);
    }
    assert_true(lost > 1e-3);
    assert_true(gap[2] < 1e-2 * lost);
    check_slopes(h, gap, 3, 2.0, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_pendulum_moves_like_a_rigid_one),
        cmocka_unit_test(slider_crank_bends_like_the_reference),
        cmocka_unit_test(spinning_beam_lags_like_the_geometrically_exact_one),
        cmocka_unit_test(without_stiffening_the_spinning_beam_runs_away),
        cmocka_unit_test(a_column_buckles_under_the_load_of_euler),
        cmocka_unit_test(damping_accounts_for_the_lost_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
