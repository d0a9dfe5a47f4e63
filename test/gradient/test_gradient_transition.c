/* The transition matrix of a run over a period: Floquet multipliers in closed form. */
#include <math.h>
#include <stdio.h>

#include "dalembert/gradient.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* A mass of 1 at x on springs; what is multiplied by x comes from `forces`. Columns and rows x, x' of the matrix of the run. */
static void transition(double P[4], const char *forces, double T, double h, const char *method)
{
    enum { NV = 3 };
    char text[3000];
    static const char *const of[] = {"final(a.position.x)"}, *const by[] = {"bodies.a.mass"};
    double Phi[4 * NV * NV];
    snprintf(text, sizeof text,
             "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1, "
             "\"position\": [0.3, 0, 0], \"velocity\": [0.1, 0, 0]}], \"forces\": [%s], "
             "\"simulation\": {\"t_end\": %.17g, \"h\": %.17g, \"step\": \"fixed\", %s}}",
             forces, T, h, method);
    dal_ctx *ctx = check_ctx();
    dal_gradient *g;
    const dal_gradient_spec spec = {.source = "hill", .text = text, .of = of, .nof = 1, .by = by, .nby = 1};
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD));
    assert_int_equal(dal_gradient_velocities(g), NV);
    check_ok(ctx, dal_gradient_transition(g, Phi));
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
            P[i + 2 * j] = Phi[i * NV + 2 * NV * j * NV];
        }
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static const char rk[] = "\"integrator\": \"rk\", \"order\": 8", alpha[] = "\"integrator\": \"genalpha\"";

/* Hill's equation with a stiffness that jumps (Meissner): a product of two rotations. */
static void multipliers_of_meissner_are_closed(void **state)
{
    (void)state;
    const double a = 1.7, b = 4.1, Ta = 1.2, Tb = 0.8, wa = sqrt(a), wb = sqrt(b);
    char forces[1000];
    double P[4];
    snprintf(forces, sizeof forces,
             "{\"name\": \"s\", \"type\": \"cartesian\", \"body_b\": \"a\", \"stiffness\": [%.17g, 0, 0], "
             "\"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], \"active\": {\"to\": %.17g}}, "
             "{\"name\": \"r\", \"type\": \"cartesian\", \"body_b\": \"a\", \"stiffness\": [%.17g, 0, 0], "
             "\"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0], \"active\": {\"from\": %.17g}}",
             a, Ta, b, Ta);
    const double trace = 2.0 * cos(wa * Ta) * cos(wb * Tb) - (wa / wb + wb / wa) * sin(wa * Ta) * sin(wb * Tb);
    transition(P, forces, Ta + Tb, 0.02, rk);
    assert_near(P[0] + P[3], trace, 1e-11);
    assert_near(P[0] * P[3] - P[1] * P[2], 1.0, 1e-12); // Liouville
    assert_near(P[0], cos(wb * Tb) * cos(wa * Ta) - wa / wb * sin(wb * Tb) * sin(wa * Ta), 1e-11);
    double error[2];
    for (int k = 0; k < 2; ++k) { // of second order
        transition(P, forces, Ta + Tb, 0.02 / (1 + k), alpha);
        error[k] = P[0] + P[3] - trace;
    }
    assert_near(error[0] / error[1], 4.0, 0.1);
}

/* x'' + 2 d x' + (p + 2 q cos 2t) x = 0 over pi. By Hill's determinant cosh(mu pi) of the undamped equation is 1 - 2 D sin^2(pi sqrt(p')/2),
 * p' = p - d^2, where D is the infinite determinant of a tridiagonal matrix with ones on its diagonal. */
static double mathieu_trace(double p, double q)
{
    enum { N = 4000 };
    // D is a continuant: D_n = D_(n-1) - g_n g_(n-1) D_(n-2), with g_n = q/(p - 4 n^2)
    double before = 1.0, now = 1.0;
    for (int n = -N + 1; n <= N; ++n) {
        const double next = now - q / (p - 4.0 * (double)n * n) * (q / (p - 4.0 * (double)(n - 1) * (n - 1))) * before;
        before = now;
        now = next;
    }
    const double s = sin(0.5 * pi * sqrt(p));
    return 2.0 * (1.0 - 2.0 * now * s * s);
}

static void multipliers_of_mathieu_are_those_of_hills_determinant(void **state)
{
    (void)state;
    const double p = 2.3, q = 0.9, d = 0.05;
    char forces[1000];
    double P[4];
    snprintf(forces, sizeof forces,
             "{\"name\": \"s\", \"type\": \"law\", \"body_b\": \"a\", \"coordinate\": \"translation_x\", \"frame_a\": "
             "[0, 0, "
             "0], \"frame_b\": [0, 0, 0], \"inputs\": {\"x\": \"a.position.x\", \"v\": \"a.velocity.x\"}, \"value\": "
             "\"-(%.17g + 2*%.17g*cos(2*t))*x - 2*%.17g*v\"}",
             p, q, d);
    transition(P, forces, pi, pi / 200.0, rk);
    // x = exp(-d t) z, z'' + (p - d^2 + 2 q cos 2t) z = 0
    const double decay = exp(-d * pi);
    assert_near(P[0] * P[3] - P[1] * P[2], decay * decay, 1e-11); // Liouville
    assert_near(P[0] + P[3], decay * mathieu_trace(p - d * d, q), 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers_of_meissner_are_closed),
                                       cmocka_unit_test(multipliers_of_mathieu_are_those_of_hills_determinant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
