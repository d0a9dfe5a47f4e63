/* exp, T, T^-1 and d(T c)/dtheta against the long double series, at angles from 0 to 2 pi - 7e-9 in random
 * directions. Errors are in units of 2^-53; the measured worst ones are 5.6, 4.1, 7.5 and 3.1. */
#include <math.h>

#include "lie/lie_impl.h"
#include "reference.h"

enum { SAMPLES = 8 };

typedef struct sample {
    const subgroup *g;
    const dal_factor_type *type;
    double theta6[6], theta[6], coef[DAL_NCOEF];
    double phi;
} sample;

/* Run `check` for all groups, angles and directions; |u| = 1. */
static void for_samples(unsigned long seed, void (*check)(const sample *s, check_rng *rng))
{
    check_rng rng = check_rng_seed(seed);
    for (size_t k = 0; k < LEN(subgroups); ++k) {
        sample s = {.g = &subgroups[k], .type = dal_factor_type_of(subgroups[k].kind)};
        for (int i = 0; i < nangles * SAMPLES; ++i) {
            s.phi = angles[i / SAMPLES];
            subgroup_theta(s.g, &rng, s.theta6, 1.0, s.phi);
            subgroup_restrict(s.g, s.theta, s.theta6);
            s.type->prepare(s.coef, s.theta, s.g->nv);
            check(&s, &rng);
        }
    }
}

static void check_exp(const sample *s, check_rng *rng)
{
    (void)rng;
    double q0[7], q1[7];
    wide x[3], p[4];
    s->type->identity(q0, s->g->nv);
    s->type->retract(q1, q0, s->theta, s->coef, s->g->nv);
    ref_exp(x, p, s->theta6);
    const int nx = s->g->kind == DAL_FACTOR_SO3 ? 0 : s->g->kind == DAL_FACTOR_SE2 ? 2 : 3;
    for (int i = 0; i < nx; ++i) {
        assert_near((double)(q1[i] - x[i]), 0.0, 8 * 0x1p-53);
    }
    for (int i = 0; i < 4 && s->g->kind != DAL_FACTOR_SE2; ++i) {
        assert_near((double)(q1[nx + i] - p[i]), 0.0, 6 * 0x1p-53);
    }
    if (s->g->kind == DAL_FACTOR_SE2) {
        assert_near(q1[2], s->theta[2], 0.0);
    }
}

static void exp_is_the_exponential_series_to_rounding(void **state)
{
    (void)state;
    for_samples(1, check_exp);
}

/* T has norm >= 1 (T theta = theta), its mixed block is of size |u| = 1. */
static void check_tangent(const sample *s, check_rng *rng)
{
    (void)rng;
    static const wide scale[2] = {1, 1};
    double T[36];
    wide ref[36];
    s->type->tangent(T, s->theta, s->coef, s->g->nv);
    ref_tangent(ref, s->theta6);
    assert_near(subgroup_error(s->g, T, ref, scale), 0.0, 6.0);
}

static void tangent_is_its_series_to_rounding(void **state)
{
    (void)state;
    for_samples(2, check_tangent);
}

/* Relative to the norm N of the rotation block, which grows like 1/(2 pi - phi). The mixed block is
 * -T33^-1 Q T33^-1 and grows like N^2 |u| (w.u)/(|w||u|): for u across w it is small by cancellation in w.u,
 * hence the error is measured by N^2 |u|. No factor 1/(2 pi - phi) is allowed for, although rounding w alone
 * changes T^-1 by so much: theta as given is exact. */
static void check_inv_tangent(const sample *s, check_rng *rng)
{
    (void)rng;
    double Ti[36];
    wide ref[36], norm = 0;
    s->type->inv_tangent(Ti, s->theta, s->coef, s->g->nv);
    ref_inv_tangent(ref, s->theta6);
    for (int i = 0; i < 9; ++i) {
        norm = fmaxl(norm, fabsl(ref[21 + i % 3 + 6 * (i / 3)]));
    }
    const wide scale[2] = {norm, norm * norm};
    assert_near(subgroup_error(s->g, Ti, ref, scale), 0.0, 10.0);
}

static void inv_tangent_is_exact_to_rounding_up_to_a_full_turn(void **state)
{
    (void)state;
    for_samples(3, check_inv_tangent);
}

/* Relative to |c|, and for the mixed block to |c_u| + |c_w||u|. Every other c is almost parallel to theta. */
static void check_dtangent(const sample *s, check_rng *rng)
{
    double D[36], c6[6], c[6];
    wide ref[36];
    check_normals(rng, c6, 6);
    if (check_uniform(rng, 0.0, 1.0) < 0.5) {
        for (int i = 3; i < 6; ++i) {
            c6[i] = s->theta6[i] * (1.0 + 1e-3 * c6[i]);
        }
    }
    subgroup_restrict(s->g, c, c6);
    s->type->dtangent(D, s->theta, c, s->coef, s->g->nv);
    ref_dtangent(ref, s->theta6, c6);
    const double nu = hypot(hypot(c6[0], c6[1]), c6[2]), nw = hypot(hypot(c6[3], c6[4]), c6[5]);
    const wide scale[2] = {nw + 1e-300, nu + nw + 1e-300};
    assert_near(subgroup_error(s->g, D, ref, scale), 0.0, 6.0);
}

static void dtangent_is_the_derivative_of_the_series_to_rounding(void **state)
{
    (void)state;
    for_samples(4, check_dtangent);
}

/* Error in units of 2^-53, relative to the value or, where the function passes through zero, to `least`. */
static void check_coef(double got, wide want, wide least, double ulps)
{
    const wide scale = fmaxl(fabsl(want), least);
    assert_near((double)((got - want) / scale * 0x1p53L), 0.0, ulps);
}

/* Each angle function by itself: in T and its relatives an error of the higher ones would drown for small phi. */
static void angle_functions_are_their_series(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(6);
    for (int i = 0; i < 50 * nangles; ++i) {
        // every angle of the list, and then anything in between
        const double phi = i < nangles ? angles[i] : check_uniform(&rng, 0.0, i % 2 == 0 ? 0.6 : 6.2);
        double w[3], a[DAL_NCOEF];
        check_direction(&rng, w, phi);
        dal_angle_second(a, w);
        const wide x = (wide)w[0] * w[0] + (wide)w[1] * w[1] + (wide)w[2] * w[2];
        const wide c2 = ref_stumpff(2, 0, x), d2 = ref_stumpff(2, 1, x), e2 = ref_stumpff(2, 2, x);
        assert_near((double)(a[COEF_X] - x), 0.0, 4 * 0x1p-53 * a[COEF_X] + 1e-300);
        check_coef(a[COEF_COS], ref_stumpff(0, 0, x / 4), 1, 6.0);
        check_coef(a[COEF_SIN], ref_stumpff(1, 0, x / 4) / 2, 0.1L, 6.0);
        check_coef(a[COEF_C1], ref_stumpff(1, 0, x), 1, 6.0);
        check_coef(a[COEF_C2], c2, 0.01L, 12.0);
        check_coef(a[COEF_C3], ref_stumpff(3, 0, x), 0, 6.0);
        check_coef(a[COEF_D2], d2, 0.001L, 16.0);
        check_coef(a[COEF_D3], ref_stumpff(3, 1, x), 0, 20.0);
        check_coef(a[COEF_E2], e2, 0, 24.0);
        check_coef(a[COEF_E3], ref_stumpff(3, 2, x), 0, phi < 1.0 ? 24.0 : 80.0);
        if (phi < 6.0) { // beyond, the series of c2 cancels
            check_coef(a[COEF_KAPPA], ref_stumpff(0, 0, x / 4) / ref_stumpff(1, 0, x / 4), 1, 12.0);
            check_coef(a[COEF_GAMMA], -d2 / (2 * c2), 0, 16.0);
            check_coef(a[COEF_DGAMMA], d2 * d2 / (2 * c2 * c2) - e2 / (2 * c2), 0, phi < 1.0 ? 24.0 : 80.0);
        }
    }
}

/* The kernels take any angle: beyond a full turn T, T^-1 T and exp still hold together. */
static void angles_beyond_a_full_turn_are_no_special_case(void **state)
{
    (void)state;
    static const double beyond[] = {6.4, 6.5, 9.0, 15.0, 20.0};
    static const wide scale[2] = {1, 1};
    const dal_factor_type *type = dal_factor_type_of(DAL_FACTOR_SE3);
    check_rng rng = check_rng_seed(5);
    for (size_t k = 0; k < LEN(beyond); ++k) {
        double theta[6], coef[DAL_NCOEF], T[36], Ti[36], I[36];
        wide ref[36];
        subgroup_theta(&subgroups[1], &rng, theta, 1.0, beyond[k]);
        type->prepare(coef, theta, 6);
        type->tangent(T, theta, coef, 6);
        type->inv_tangent(Ti, theta, coef, 6);
        type->mul(I, Ti, 6, T, 6);
        for (int i = 0; i < 36; ++i) {
            assert_near(I[i], i % 7 == 0 ? 1.0 : 0.0, 1e-12);
        }
        if (beyond[k] < 10.0) { // further out the series itself cancels
            ref_tangent(ref, theta);
            assert_near(subgroup_error(&subgroups[1], T, ref, scale), 0.0, 12.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_the_exponential_series_to_rounding),
        cmocka_unit_test(tangent_is_its_series_to_rounding),
        cmocka_unit_test(inv_tangent_is_exact_to_rounding_up_to_a_full_turn),
        cmocka_unit_test(dtangent_is_the_derivative_of_the_series_to_rounding),
        cmocka_unit_test(angle_functions_are_their_series),
        cmocka_unit_test(angles_beyond_a_full_turn_are_no_special_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
