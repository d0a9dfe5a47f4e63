/* The beam generator: frequencies and shapes of beams against closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/flex.h"
#include "linsol/eigen.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* A steel bar of 1 m, section 20 mm x 10 mm. */
static const dal_beam bar = {.length = 1.0,
                             .E = 2.1e11,
                             .G = 8e10,
                             .density = 7800.0,
                             .area = 2e-4,
                             .Iy = 1.0 / 12.0 * 0.01 * 8e-6,
                             .Iz = 1.0 / 12.0 * 0.02 * 1e-6,
                             .slender = 1,
                             .kinds = DAL_BEAM_BENDING_Y,
                             .elements = 20,
                             .nmodes = 3};

static double unit(const dal_beam *b)
{
    return sqrt(b->E * b->Iz / (b->density * b->area)) / (b->length * b->length);
}

static void eigenvalues_of_a_small_problem(void **state)
{
    dal_ctx *ctx = check_ctx();
    double A[4] = {2.0, 1.0, 1.0, 2.0}, B[4] = {2.0, 0.0, 0.0, 2.0}, w[2], wrong[4] = {1.0, 2.0, 2.0, 1.0};
    check_ok(ctx, dal_eigen_symmetric(w, A, B, 2, ctx));
    assert_near(w[0], 0.5, 1e-14);
    assert_near(w[1], 1.5, 1e-14);
    assert_near(A[0], 0.5, 1e-14); // x.B x = 1
    assert_near(A[1], -0.5, 1e-14);
    check_fails(ctx, dal_eigen_symmetric(w, A, wrong, 2, ctx), DAL_EINVAL, "not positive definite");
    check_ctx_free(ctx);
}

/* omega = (beta L)^2 sqrt(EI/(rho A L^4)) for Euler-Bernoulli beams without rotary inertia */
static void natural_frequencies_are_those_of_the_closed_forms(void **state)
{
    static const struct {
        const char *reference;
        double beta[3];
    } known[] = {{"free", {4.730040744862704, 7.853204624095838, 10.995607838001671}},
                 {"pinned", {3.141592653589793, 6.283185307179586, 9.42477796076938}},
                 {"clamped", {1.875104068711961, 4.694091132974175, 7.854757438237613}}};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(known); ++i) {
        dal_beam b = bar;
        dal_modes *m;
        b.reference = known[i].reference;
        check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
        for (int k = 0; k < 3; ++k) {
            const double omega = known[i].beta[k] * known[i].beta[k] * unit(&b);
            print_message("%-8s mode %d: %10.3f rad/s, relative error %.1e\n", b.reference, k + 1,
                          sqrt(m->stiffness[k]), sqrt(m->stiffness[k]) / omega - 1.0);
            assert_near_rel(sqrt(m->stiffness[k]), omega, 1e-4);
        }
        dal_beam_modes_destroy(m);
    }
    check_ctx_free(ctx);
}

/* Extension and torsion: (2 k - 1) pi/2 c/L (clamped), k pi c/L (free). */
static void rods_and_shafts_have_their_frequencies(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < 4; ++i) {
        dal_beam b = bar;
        dal_modes *m;
        b.kinds = i % 2 ? DAL_BEAM_TORSION : DAL_BEAM_EXTENSION;
        b.reference = i / 2 ? "free" : "clamped";
        b.elements = 80;
        const double c = sqrt((i % 2 ? b.G : b.E) / b.density);
        check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
        for (int k = 1; k <= 3; ++k) {
            const double omega = (i / 2 ? k : k - 0.5) * pi * c / b.length;
            assert_near_rel(sqrt(m->stiffness[k - 1]), omega, 1e-3);
        }
        dal_beam_modes_destroy(m);
    }
    check_ctx_free(ctx);
}

/* Timoshenko, pinned: with r^2 = I/A, b = n pi/L, the lower root of
 * (rho^2 I/(k G)) w^4 - (rho A + rho I b^2 (1 + E/(k G))) w^2 + E I b^4 = 0. */
static void shear_and_rotary_inertia_lower_the_frequencies(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_beam b = bar;
    dal_modes *m;
    b.length = 0.1;
    b.Iz = b.Iy;
    b.slender = 0;
    b.shear_y = 5.0 / 6.0;
    b.reference = "pinned";
    b.elements = 80;
    check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
    for (int k = 1; k <= 3; ++k) {
        const double beta = k * pi / b.length, kG = b.shear_y * b.G, rho = b.density;
        const double A = rho * rho * b.Iz / kG, B = rho * b.area + rho * b.Iz * beta * beta * (1.0 + b.E / kG);
        const double C = b.E * b.Iz * pow(beta, 4.0), square = (B - sqrt(B * B - 4.0 * A * C)) / (2.0 * A);
        const double slender = beta * beta * sqrt(b.E * b.Iz / (rho * b.area));
        print_message("Timoshenko mode %d: %.4f of Euler-Bernoulli, error %.1e\n", k, sqrt(square) / slender,
                      sqrt(m->stiffness[k - 1] / square) - 1.0);
        assert_near_rel(sqrt(m->stiffness[k - 1]), sqrt(square), 1e-3);
    }
    dal_beam_modes_destroy(m);
    check_ctx_free(ctx);
}

/* Modal mass by the nodes, mass and centre of the whole. */
static void shapes_have_unit_modal_mass(void **state)
{
    static const char *const reference[] = {"clamped", "pinned", "free"};
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < 6; ++i) {
        dal_beam b = bar;
        dal_modes *m;
        b.kinds = 0;
        b.slender = 0;
        b.reference = reference[i % 3];
        b.craig_bampton = i / 3;
        b.nmodes = 8;
        check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
        const int n = m->nmodes, ends = 6; // static shapes less rigid ones
        assert_int_equal(n, 8 + (b.craig_bampton ? ends : 0));
        double mass = 0.0, first = 0.0;
        for (int k = 0; k < n * n; ++k) {
            double sum = 0.0;
            for (int j = 0; j < m->nnodes; ++j) {
                for (int x = 0; x < 3; ++x) {
                    const int p = x + 3 * (k % n + n * j), q = x + 3 * (k / n + n * j);
                    sum += m->mass[j] * m->shape[p] * m->shape[q];
                    sum += m->inertia[6 * j + x] * m->rotation[p] * m->rotation[q];
                }
            }
            assert_near(sum, k % n == k / n ? 1.0 : 0.0, 1e-7);
        }
        for (int j = 0; j < m->nnodes; ++j) {
            mass += m->mass[j];
            first += m->mass[j] * m->node[3 * j];
        }
        assert_near_rel(mass, b.density * b.area * b.length, 1e-13);
        assert_near_rel(first, 0.5 * mass * b.length, 1e-13);
        dal_beam_modes_destroy(m);
    }
    check_ctx_free(ctx);
}

/* Flexibility at B: a unit force or moment, through all modes, moves B as in the tables of statics. */
static void craig_bampton_bends_exactly_under_loads_at_the_end(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_beam b = bar;
    dal_modes *m;
    b.kinds = 0;
    b.craig_bampton = 1;
    b.nmodes = 2;
    check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
    const size_t B = 3 * (size_t)m->nmodes * (size_t)m->interfaces[1];
    const double EI[3] = {0.0, b.E * b.Iz, b.E * b.Iy}, L = b.length;
    for (int x = 0; x < 3; ++x) {
        double u = 0.0, turn = 0.0;
        for (int k = 0; k < m->nmodes; ++k) {
            const double s = m->shape[B + (size_t)(x + 3 * k)], t = m->rotation[B + (size_t)(x + 3 * k)];
            u += s * s / m->stiffness[k];
            turn += t * t / m->stiffness[k];
        }
        assert_near_rel(u, x == 0 ? L / (b.E * b.area) : L * L * L / (3.0 * EI[x]), 1e-6);
        assert_near_rel(turn, x == 0 ? L / (b.G * (b.Iy + b.Iz)) : L / EI[3 - x], 1e-6);
    }
    dal_beam_modes_destroy(m);
    check_ctx_free(ctx);
}

/* The first pinned shape is c sin(pi x/L): its foreshortening at B is -c^2 pi^2/(2 L). */
static void foreshortening_of_a_sine(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_beam b = bar;
    dal_modes *m;
    const double half = 0.5;
    b.reference = "pinned";
    b.nmodes = 2;
    b.stiffening = 1;
    b.stations = &half;
    b.nstations = 1;
    check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
    const int B = m->interfaces[1], mid = m->interfaces[2];
    const double c = m->shape[1 + 6 * mid], expected = -0.5 * c * c * pi * pi / b.length;
    assert_near_rel(c, sqrt(2.0 / (b.density * b.area * b.length)), 1e-6);
    assert_near_rel(m->foreshortening[12 * B], expected, 1e-5);
    assert_near(m->foreshortening[12 * B + 3] / expected, 0.0, 1e-5);
    assert_near_rel(m->foreshortening[12 * mid], 0.5 * expected, 1e-5);
    assert_string_equal(m->interface_name[2], "1");
    dal_beam_modes_destroy(m);
    check_ctx_free(ctx);
}

static void wrong_beams_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_modes *m;
    dal_beam b = bar;
    b.E = NAN;
    check_fails(ctx, dal_beam_modes_create(&m, ctx, &b), DAL_EINVAL, "positive");
    b = bar;
    b.reference = "glued";
    check_fails(ctx, dal_beam_modes_create(&m, ctx, &b), DAL_EINVAL, "none of clamped, pinned, free");
    b = bar;
    b.elements = 1;
    check_fails(ctx, dal_beam_modes_create(&m, ctx, &b), DAL_EINVAL, "take more elements");
    b = bar;
    b.stations = &bar.E;
    b.nstations = 1;
    check_fails(ctx, dal_beam_modes_create(&m, ctx, &b), DAL_EINVAL, "station 1");
    assert_null(m);
    check_ctx_free(ctx);
}

static dal_status make_and_forget(dal_ctx *ctx, void *user)
{
    dal_modes *m;
    DAL_TRY(dal_beam_modes_create(&m, ctx, user));
    dal_beam_modes_destroy(m);
    return DAL_OK;
}

static void running_out_of_memory_is_reported(void **state)
{
    dal_beam b = bar;
    b.stiffening = 1;
    b.craig_bampton = 1;
    assert_true(check_every_allocation(make_and_forget, &b) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_a_small_problem),
        cmocka_unit_test(natural_frequencies_are_those_of_the_closed_forms),
        cmocka_unit_test(rods_and_shafts_have_their_frequencies),
        cmocka_unit_test(shear_and_rotary_inertia_lower_the_frequencies),
        cmocka_unit_test(shapes_have_unit_modal_mass),
        cmocka_unit_test(craig_bampton_bends_exactly_under_loads_at_the_end),
        cmocka_unit_test(foreshortening_of_a_sine),
        cmocka_unit_test(wrong_beams_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
