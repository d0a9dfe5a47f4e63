/* Second order in all variables of a soft pendulum, modes included, and conservation in free motion. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flexible_models.h"

enum { MAX = 32, NMODES = 4 };

/* ---- order ------------------------------------------------------------------------------------ */

typedef struct end {
    double q[MAX], v[MAX], la[3];
} end;

static const double t_end = 0.125;

static void run(end *e, dal_ctx *ctx, const char *formulation, const char *sigma, double h)
{
    const char *const option[] = {formulation, sigma, "rtol=1e-12", "atol=1e-13", "rho_inf=0.8"};
    dal_model *m = flexible_pendulum(ctx, 3e7, NMODES);
    dal_sim *sim = start(ctx, m, option, (int)LEN(option), h);
    check_ok(ctx, dal_sim_run(sim, NULL, t_end));
    const dal_state s = dal_sim_state(sim);
    memcpy(e->q, s.q, (7 + NMODES) * sizeof(double));
    memcpy(e->v, s.v, (6 + NMODES) * sizeof(double));
    memcpy(e->la, s.la, sizeof e->la);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
}

static void every_variable_has_second_order(void **state)
{
    static const char *const formulation[] = {"formulation=index3", "formulation=index2", "formulation=ggl"};
    static const char *const sigma[] = {"sigma=0", "sigma=1", "sigma=opt"};
    static const char *const what[] = {"frame", "modes", "velocity", "modal velocity", "lambda"};
    dal_ctx *ctx = check_ctx();
    end ref, e;
    const char *const exact[] = {"integrator=lobatto", "rtol=1e-13", "atol=1e-14"};
    dal_model *m = flexible_pendulum(ctx, 3e7, NMODES);
    dal_sim *sim = start(ctx, m, exact, 3, 1e-3);
    check_ok(ctx, dal_sim_run(sim, NULL, t_end));
    const dal_state s = dal_sim_state(sim);
    memcpy(ref.q, s.q, (7 + NMODES) * sizeof(double));
    memcpy(ref.v, s.v, (6 + NMODES) * sizeof(double));
    memcpy(ref.la, s.la, sizeof ref.la);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    for (size_t i = 0; i < LEN(formulation) * LEN(sigma); ++i) {
        double err[5][3];
        for (int k = 0; k < 3; ++k) {
            run(&e, ctx, formulation[i / 3], sigma[i % 3], 2.5e-4 / (1 << k));
            err[0][k] = check_max_abs_diff(e.q, ref.q, 7);
            err[1][k] = check_max_abs_diff(e.q + 7, ref.q + 7, NMODES);
            err[2][k] = check_max_abs_diff(e.v, ref.v, 6);
            err[3][k] = check_max_abs_diff(e.v + 6, ref.v + 6, NMODES);
            err[4][k] = check_max_abs_diff(e.la, ref.la, 3);
        }
        print_message("%-20s %-10s", formulation[i / 3], sigma[i % 3]);
        for (int k = 0; k < 5; ++k) {
            print_message(" %s %.3e (%.2f)", what[k], err[k][2], check_slope(err[k], 3));
            assert_near(check_slope(err[k], 3), 2.0, 0.15);
        }
        print_message("\n");
    }
    check_ctx_free(ctx);
}

/* ---- free motion ------------------------------------------------------------------------------ */

/* Largest change of energy, momentum and angular momentum of a free bent and spinning beam. */
static void drift(double worst[3], dal_ctx *ctx, const char *const *option, int noptions, double h)
{
    static const double z[6] = {0.01, -0.006, 0.004, 0.002, 0.0, 0.001}, zd[6] = {0.2, 0.0, -0.4, 0.0, 0.2, 0.0};
    static const char *const quantity[] = {"energy", "momentum", "angular_momentum"};
    const dal_beam b = {.length = 1.0,
                        .E = 1e8,
                        .G = 4e7,
                        .density = 1000.0,
                        .area = 5e-4,
                        .Iy = 2e-7,
                        .Iz = 1e-7,
                        .reference = "free",
                        .elements = 10,
                        .nmodes = 6,
                        .stiffening = 1};
    dal_modes *modes = beam(ctx, &b);
    dal_model *m;
    double y0[7], y[7];
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_flexible(m, NULL,
                                         &(dal_flexible){.name = "beam",
                                                         .modes = modes,
                                                         .modal = z,
                                                         .modal_velocity = zd,
                                                         .velocity = {1.0, 2.0, -1.0},
                                                         .angular_velocity = {4.0, 2.0, 3.0}}));
    dal_beam_modes_destroy(modes);
    for (int k = 0; k < 3; ++k) {
        check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = quantity[k], .quantity = quantity[k]}));
    }
    dal_sim *sim = start(ctx, m, option, noptions, h);
    outputs(ctx, m, sim, y0);
    worst[0] = worst[1] = worst[2] = 0.0;
    for (int k = 0; k < 20; ++k) {
        check_ok(ctx, dal_sim_run(sim, NULL, 0.05 * (k + 1)));
        outputs(ctx, m, sim, y);
        worst[0] = fmax(worst[0], fabs(y[0] / y0[0] - 1.0));
        worst[1] = fmax(worst[1], check_max_abs_diff(y + 1, y0 + 1, 3) / check_max_abs(y0 + 1, 3));
        worst[2] = fmax(worst[2], check_max_abs_diff(y + 4, y0 + 4, 3) / check_max_abs(y0 + 4, 3));
    }
    dal_sim_destroy(sim);
    dal_model_destroy(m);
}

static void a_free_beam_keeps_energy_and_momentum(void **state)
{
    static const char *const ga[] = {"rho_inf=1", "rtol=1e-11", "atol=1e-12"};
    static const char *const lobatto[] = {"integrator=lobatto", "rtol=1e-12", "atol=1e-13"};
    dal_ctx *ctx = check_ctx();
    static const char *const what[] = {"energy", "momentum", "angular momentum"};
    double coarse[3], fine[3], best[3];
    drift(coarse, ctx, ga, 3, 5e-4);
    drift(fine, ctx, ga, 3, 2.5e-4);
    drift(best, ctx, lobatto, 3, 5e-4);
    for (int k = 0; k < 3; ++k) {
        print_message("%s: h = 5e-4 %.1e, h = 2.5e-4 %.1e, Lobatto %.1e\n", what[k], coarse[k], fine[k], best[k]);
        assert_near(best[k], 0.0, 1e-8);
        assert_near(fine[k], 0.0, 1e-3);
        assert_true(coarse[k] < 1e-10 || fabs(log2(coarse[k] / fine[k]) - 2.0) < 0.3);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variable_has_second_order),
        cmocka_unit_test(a_free_beam_keeps_energy_and_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
