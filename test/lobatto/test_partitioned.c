/* The plain form on the nonholonomic particle in a harmonic potential: H = (p.p + x^2 + y^2)/2, phi = pz - y px. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/partitioned.h"
#include "support/check.h"

static dal_status particle_f(double *f, const double *q, const double *p, void *user)
{
    memcpy(f, p, 3 * sizeof(double));
    return DAL_OK;
}

static dal_status particle_g(double *g, const double *q, const double *p, const double *la, void *user)
{
    g[0] = -q[0] - la[0] * q[1];
    g[1] = -q[1];
    g[2] = la[0];
    return DAL_OK;
}

static dal_status particle_phi(double *phi, const double *q, const double *p, void *user)
{
    phi[0] = p[2] - q[1] * p[0];
    return DAL_OK;
}

static dal_status particle_df(double *fq, double *fp, const double *q, const double *p, void *user)
{
    memset(fq, 0, 9 * sizeof(double));
    memset(fp, 0, 9 * sizeof(double));
    fp[0] = fp[4] = fp[8] = 1.0;
    return DAL_OK;
}

static dal_status particle_dg(double *gq, double *gp, double *gl, const double *q, const double *p, const double *la,
                              void *user)
{
    memset(gq, 0, 9 * sizeof(double));
    memset(gp, 0, 9 * sizeof(double));
    gq[0] = -1.0;
    gq[3] = -la[0];
    gq[4] = -1.0;
    gl[0] = -q[1];
    gl[1] = 0.0;
    gl[2] = 1.0;
    return DAL_OK;
}

static dal_status particle_dphi(double *phiq, double *phip, const double *q, const double *p, void *user)
{
    phiq[0] = phiq[2] = 0.0;
    phiq[1] = -p[0];
    phip[0] = -q[1];
    phip[1] = 0.0;
    phip[2] = 1.0;
    return DAL_OK;
}

static dal_partitioned particle(int derivatives)
{
    dal_partitioned sys = {.nq = 3, .np = 3, .nl = 1, .f = particle_f, .g = particle_g, .phi = particle_phi};
    if (derivatives) {
        sys.df = particle_df;
        sys.dg = particle_dg;
        sys.dphi = particle_dphi;
    }
    return sys;
}

static const double q0[3] = {1.0, 0.0, 0.0}, p0[3] = {0.0, 1.0, 0.0};
/* t = 1, to 16 digits */
static const double q1[3] = {0.6244307619653204, 0.8414709848078966, -0.21556528623656895};
static const double p1[3] = {-0.5976436948708833, 0.5403023058681398, -0.5028998284872328};
static const double la1 = -0.4966698887563403;

typedef struct result {
    double q, p, la, phi; /* errors at t = 1, largest |phi| */
} result;

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static result run(const dal_partitioned *sys, int s, int n, const double *la0)
{
    dal_ctx *ctx = check_ctx();
    dal_partitioned_solver *solver;
    result r = {0};
    check_ok(ctx, dal_partitioned_create(&solver, ctx, sys, s));
    check_ok(ctx, dal_partitioned_start(solver, 0.0, q0, p0, la0));
    for (int i = 0; i < n; ++i) {
        check_ok(ctx, dal_partitioned_step(solver, 1.0 / n));
        const dal_partitioned_state st = dal_partitioned_get(solver);
        r.phi = fmax(r.phi, fabs(st.p[2] - st.q[1] * st.p[0]));
    }
    const dal_partitioned_state st = dal_partitioned_get(solver);
    r.q = distance(st.q, q1);
    r.p = distance(st.p, p1);
    r.la = fabs(st.la[0] - la1);
    dal_partitioned_destroy(solver);
    check_ctx_free(ctx);
    return r;
}

/* h = .2, .1, .05, .025, .0125; what is below 1e-12 is rounding in part */
static const struct {
    int s;
    double q[5], p[5], la[5];
} published[] = {
    {2,
     {6.920e-03, 1.718e-03, 4.287e-04, 1.071e-04, 2.678e-05},
     {6.803e-03, 1.690e-03, 4.217e-04, 1.054e-04, 2.634e-05},
     {6.153e-04, 1.711e-04, 4.428e-05, 1.116e-05, 2.796e-06}},
    {3,
     {9.035e-06, 5.579e-07, 3.477e-08, 2.171e-09, 1.357e-10},
     {3.767e-06, 2.277e-07, 1.411e-08, 8.804e-10, 5.500e-11},
     {1.485e-03, 3.710e-04, 9.275e-05, 2.319e-05, 5.797e-06}},
    {4,
     {4.158e-08, 6.362e-10, 9.889e-12, 1.533e-13, 1.6e-15},
     {1.447e-08, 2.190e-10, 3.396e-12, 5.218e-14, 1.0e-15},
     {6.572e-06, 6.436e-07, 3.991e-08, 2.489e-09, 1.552e-10}},
    {5,
     {1.048e-10, 4.073e-13, 3.1e-15, 1.8e-15, 1.8e-15},
     {5.468e-12, 2.9e-14, 2.1e-15, 2.1e-15, 1.9e-15},
     {1.186e-07, 6.195e-09, 3.672e-10, 2.271e-11, 1.141e-12}},
};

/* What rounding may leave of phi = pz - y px. Newton's method stops at increments of 1e-15 + 2e-15 |p| in q and p, and
 * phi = 0 has to hold for their sums up to 1 + |px| + |y| times that; L_s is a sum of s + 1 terms, which leaves
 * (s + 1) eps/2 of the terms pz and y px. With H = 1: |p| <= sqrt 2, |px| + |y| <= 2, |y px| <= 1. It does not grow with
 * the number of steps. */
static double rounding_of_phi(int s)
{
    return 3.0 * (1e-15 + 2e-15 * sqrt(2.0)) + (s + 1) * 0.5 * DBL_EPSILON * (sqrt(2.0) + 1.0);
}

static void errors_are_those_of_the_independent_implementation(void **state)
{
    const dal_partitioned sys = particle(1);
    for (size_t k = 0; k < LEN(published); ++k) {
        for (int i = 0; i < 5; ++i) {
            const result r = run(&sys, published[k].s, 5 << i, NULL);
            print_message("s %d  h %-7g q %.3e  p %.3e  lambda %.3e  phi %.1e\n", published[k].s, 0.2 / (1 << i), r.q,
                          r.p, r.la, r.phi);
            assert_near(r.q, published[k].q[i], 0.02 * published[k].q[i] + 1e-14);
            assert_near(r.p, published[k].p[i], 0.02 * published[k].p[i] + 1e-14);
            assert_near(r.la, published[k].la[i], 0.02 * published[k].la[i] + 2e-12);
            assert_true(r.phi <= rounding_of_phi(published[k].s));
        }
    }
}

static void differences_serve_as_well_as_derivatives(void **state)
{
    const dal_partitioned given = particle(1), differenced = particle(0);
    for (int s = 2; s <= 5; ++s) {
        const result a = run(&given, s, 10, NULL), b = run(&differenced, s, 10, NULL);
        assert_near(a.q, b.q, 1e-14);
        assert_near(a.p, b.p, 1e-14);
    }
}

/* |R(infinity)| = 1: an error of lambda_0 never dies out and costs order: 2, 2, 4, 4 in q and p are left. */
static void an_inconsistent_multiplier_costs_order(void **state)
{
    const dal_partitioned sys = particle(1);
    const int left[] = {2, 2, 4, 4};
    for (int s = 2; s <= 5; ++s) {
        const double la0 = 0.1; // consistent: 0
        const result a = run(&sys, s, 20, &la0), b = run(&sys, s, 40, &la0);
        print_message("s %d  q %.2e -> %.2e (%.2f)  p (%.2f)  lambda %.3f\n", s, a.q, b.q, log2(a.q / b.q),
                      log2(a.p / b.p), b.la);
        assert_near(log2(a.q / b.q), left[s - 2], 0.05);
        assert_near(log2(a.p / b.p), left[s - 2], 0.05);
        assert_near(b.la, 0.0765, 1e-3);
    }
}

static void many_stages_reach_rounding_with_two_steps(void **state)
{
    const dal_partitioned sys = particle(1);
    const int stages[] = {8, 10, 12, 16};
    for (size_t k = 0; k < LEN(stages); ++k) {
        const result r = run(&sys, stages[k], 2, NULL);
        print_message("s %d  h 0.5  q %.2e  p %.2e  lambda %.2e\n", stages[k], r.q, r.p, r.la);
        assert_true(stages[k] == 8 ? r.q < 1e-12 : r.q < 2e-14 && r.p < 2e-14);
    }
}

static void the_constraint_stays_at_rounding_over_100000_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_partitioned sys = particle(1);
    dal_partitioned_solver *solver;
    double phi = 0.0, energy = 0.0;
    check_ok(ctx, dal_partitioned_create(&solver, ctx, &sys, 3));
    check_ok(ctx, dal_partitioned_start(solver, 0.0, q0, p0, NULL));
    for (int i = 0; i < 100000; ++i) {
        check_ok(ctx, dal_partitioned_step(solver, 0.05));
        const dal_partitioned_state st = dal_partitioned_get(solver);
        const double *q = st.q, *p = st.p;
        phi = fmax(phi, fabs(p[2] - q[1] * p[0]));
        energy = fmax(energy, fabs(0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + q[0] * q[0] + q[1] * q[1]) - 1.0));
    }
    print_message("1e5 steps, t = 5000: |phi| <= %.2e, |H - 1| <= %.2e\n", phi, energy);
    assert_true(phi <= rounding_of_phi(3));
    dal_partitioned_destroy(solver);
    check_ctx_free(ctx);
}

/* ---- bad input -------------------------------------------------------------------------------- */

/* phi(q) = q.q - 1 without p: index 3 */
static dal_status sphere_phi(double *phi, const double *q, const double *p, void *user)
{
    phi[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0;
    return DAL_OK;
}

static dal_status bad_g(double *g, const double *q, const double *p, const double *la, void *user)
{
    g[0] = g[1] = g[2] = NAN;
    return DAL_OK;
}

static void misuse_is_explained(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_partitioned sys = particle(0);
    dal_partitioned_solver *solver;
    check_fails(ctx, dal_partitioned_create(&solver, ctx, &sys, 1), DAL_EINVAL, "2 to 16");
    assert_null(solver);
    sys.phi = NULL;
    check_fails(ctx, dal_partitioned_create(&solver, ctx, &sys, 3), DAL_EINVAL, "callback phi is missing");
    sys.nl = 4;
    check_fails(ctx, dal_partitioned_create(&solver, ctx, &sys, 3), DAL_EINVAL, "nl = 4");

    sys = particle(0);
    sys.phi = sphere_phi;
    check_ok(ctx, dal_partitioned_create(&solver, ctx, &sys, 3));
    check_fails(ctx, dal_partitioned_step(solver, 0.1), DAL_EINVAL, "dal_partitioned_start");
    check_fails(ctx, dal_partitioned_start(solver, 0.0, q0, p0, NULL), DAL_EREDUNDANT, "index 3");
    dal_partitioned_destroy(solver);

    sys = particle(0);
    check_ok(ctx, dal_partitioned_create(&solver, ctx, &sys, 3));
    const double p_off[3] = {0.0, 1.0, 0.5};
    check_fails(ctx, dal_partitioned_start(solver, 0.0, q0, p_off, NULL), DAL_EINITIAL, "phi(q, p)");
    check_ok(ctx, dal_partitioned_start(solver, 0.0, q0, p0, NULL));
    check_fails(ctx, dal_partitioned_step(solver, -1.0), DAL_EINVAL, "h = -1");
    dal_partitioned_destroy(solver);

    sys.g = bad_g;
    check_ok(ctx, dal_partitioned_create(&solver, ctx, &sys, 3));
    check_fails(ctx, dal_partitioned_start(solver, 0.0, q0, p0, NULL), DAL_ECALLBACK, "callback g returned");
    dal_partitioned_destroy(solver);
    check_ctx_free(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static dal_status scenario(dal_ctx *ctx, void *user)
{
    const dal_partitioned sys = particle(0);
    dal_partitioned_solver *solver;
    DAL_TRY(dal_partitioned_create(&solver, ctx, &sys, 4));
    const long before = user ? ((check_alloc *)user)->total : 0;
    dal_status st = dal_partitioned_start(solver, 0.0, q0, p0, NULL);
    for (int i = 0; i < 5 && st == DAL_OK; ++i) {
        st = dal_partitioned_step(solver, 0.1 * (i + 1));
    }
    assert_true(!user || ((check_alloc *)user)->total == before);
    dal_partitioned_destroy(solver);
    return st;
}

static void memory_is_taken_at_creation_only_and_given_back(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    check_ok(ctx, scenario(ctx, &alloc));
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
    assert_true(check_every_allocation(scenario, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_independent_implementation),
        cmocka_unit_test(differences_serve_as_well_as_derivatives),
        cmocka_unit_test(an_inconsistent_multiplier_costs_order),
        cmocka_unit_test(many_stages_reach_rounding_with_two_steps),
        cmocka_unit_test(the_constraint_stays_at_rounding_over_100000_steps),
        cmocka_unit_test(misuse_is_explained),
        cmocka_unit_test(memory_is_taken_at_creation_only_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
