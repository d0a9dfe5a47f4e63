/* dal_system_check passes what is right and names what is wrong. */
#include <stdio.h>
#include <string.h>

#include "problems/problems.h"
#include "support/check.h"
#include "two_bodies.h"

/* A random state: any q of the group, near the initial one for the charts with singularities. */
static void random_point(const problem *p, double *q, double *v, double *vd, double *la, check_rng *rng)
{
    double theta[PROBLEM_MAX];
    for (int i = 0; i < p->nv; ++i) {
        theta[i] = 0.2 * check_normal(rng);
    }
    dal_retract(p->group, q, p->q0, theta);
    check_normals(rng, v, p->nv);
    check_normals(rng, vd, p->nv);
    check_normals(rng, la, p->nc);
}

static void every_problem_passes_at_random_states(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(1);
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
        check_ok(ctx, problem_nth(&p, ctx, k));
        for (int i = 0; i < 3; ++i) {
            dal_tangent_report report;
            random_point(&p, q, v, vd, la, &rng);
            const dal_status st = dal_system_check(ctx, p.sys, &report, &(dal_point){0.3, q, v, vd, la}, 1e-6);
            if (st != DAL_OK) {
                print_error("%s: %s\n", p.name, dal_ctx_message(ctx));
            }
            assert_int_equal(st, DAL_OK);
        }
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* ---- deliberate mistakes ---------------------------------------------------------------------- */

typedef struct expectation {
    two_mistake mistake;
    const char *what, *row, *column;
} expectation;

static void check_at_random(dal_ctx *ctx, const dal_system *sys, dal_status want, dal_tangent_report *report)
{
    check_rng rng = check_rng_seed(7);
    double q[TWO_NQ], v[TWO_NV], vd[TWO_NV], la[TWO_NC];
    check_quaternion(&rng, q);
    check_normals(&rng, q + 4, 3);
    check_normals(&rng, v, TWO_NV);
    check_normals(&rng, vd, TWO_NV);
    check_normals(&rng, la, TWO_NC);
    const dal_status st = dal_system_check(ctx, sys, report, &(dal_point){0.0, q, v, vd, la}, 1e-6);
    if (st != want) {
        print_error("%s\n", dal_ctx_message(ctx));
    }
    assert_int_equal(st, want);
}

static void a_wrong_entry_is_named_with_row_and_column(void **state)
{
    static const expectation list[] = {
        {TWO_WRONG_M, "M", "body z", "body y"},
        {TWO_WRONG_C, "C", "body x", "particle y"},
        {TWO_WRONG_K, "K", "particle x", "body z"},
        {TWO_WRONG_B, "B", "axis", "body z"},
        {TWO_WRONG_Z, "Z", "rolling", "particle z"},
        {TWO_WRONG_AQ, "A (from q)", "joint y", "body y"},
        {TWO_WRONG_AV, "A (from v)", "rolling", "body x"},
        {TWO_WRONG_VEL, "B v + Phi_t", "joint y", "t"},
        {TWO_WRONG_ACC, "acceleration level", "axis", "t"},
    };
    dal_ctx *ctx = check_ctx();
    two_bodies two;
    dal_tangent_report report;
    two_bodies_create(&two, ctx);
    check_at_random(ctx, &two.block, DAL_OK, &report);
    assert_true(report.error < 1e-8);
    for (size_t k = 0; k < LEN(list); ++k) {
        char entry[160];
        two.mistake = list[k].mistake;
        check_at_random(ctx, &two.block, DAL_ECHECK, &report);
        assert_non_null(strstr(report.what, list[k].what));
        assert_string_equal(report.row, list[k].row);
        assert_string_equal(report.column, list[k].column);
        snprintf(entry, sizeof entry, "entry (%s, %s)", list[k].row, list[k].column);
        assert_non_null(strstr(dal_ctx_message(ctx), entry));
    }
    two_bodies_free(&two);
    check_ctx_free(ctx);
}

static void undeclared_pairs_and_links_are_found(void **state)
{
    dal_ctx *ctx = check_ctx();
    two_bodies two;
    dal_tangent_report report;
    two_bodies_create(&two, ctx);
    for (int k = 0; k < 4; ++k) {
        dal_system *sys;
        check_ok(ctx, dal_dense_create(&sys, ctx, &two.dense));
        // the last one or two of a list go: then nothing is pushed for them
        if (k < 2) {
            sys->npairs -= k + 1;
        } else {
            sys->nlinks -= k - 1;
        }
        check_at_random(ctx, sys, DAL_ECHECK, &report);
        assert_true(report.given == 0.0);
        dal_dense_destroy(sys);
    }
    two_bodies_free(&two);
    check_ctx_free(ctx);
}

/* ---- friction --------------------------------------------------------------------------------- */

/* R^1 x R^1, Phi = q_1, g_0 = mu la^2: dg/dla in entry (0, 0), wrong by `error`. */
typedef struct friction {
    double error;
} friction;

static dal_status unit_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status friction_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 0.3 * la[0] * la[0] * v[0];
    g[1] = 0.0;
    return DAL_OK;
}

static dal_status friction_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = q[1];
    return DAL_OK;
}

static dal_status friction_B(double *B, double t, const double *q, void *user)
{
    B[0] = 0.0;
    B[1] = 1.0;
    return DAL_OK;
}

static dal_status friction_G(double *G, double t, const double *q, const double *v, const double *la, void *user)
{
    const friction *f = user;
    G[0] = 0.6 * la[0] * v[0] + f->error;
    G[1] = 0.0;
    return DAL_OK;
}

static void a_wrong_dependence_on_lambda_is_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec[] = {{DAL_FACTOR_RN, 1}, {DAL_FACTOR_RN, 1}};
    friction f = {0.0};
    dal_group *group;
    dal_system *sys;
    dal_tangent_report report;
    check_ok(ctx, dal_group_create(&group, ctx, spec, 2));
    dal_dense d = {.group = group,
                   .nc = 1,
                   .lambda_in_g = 1,
                   .user = &f,
                   .M = unit_M,
                   .g = friction_g,
                   .Phi = friction_Phi,
                   .B = friction_B,
                   .G = friction_G};
    const double q[2] = {0.2, 0.1}, v[2] = {1.3, 0.4}, la[1] = {2.0};
    const dal_point at = {0.0, q, v, v, la};
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    check_ok(ctx, dal_system_check(ctx, sys, &report, &at, 1e-7));
    f.error = 0.01;
    check_fails(ctx, dal_system_check(ctx, sys, NULL, &at, 1e-7), DAL_ECHECK, "B^T + G, entry (v[0], row 0)");
    dal_dense_destroy(sys);
    // a dependence on lambda that was not announced
    d.lambda_in_g = 0;
    d.G = NULL;
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    check_fails(ctx, dal_system_check(ctx, sys, NULL, &at, 1e-7), DAL_ECHECK, "entry (v[0], row 0)");
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

/* ---- mass matrices ---------------------------------------------------------------------------- */

enum { MASS_N = 3 };

static dal_status given_M(double *M, double t, const double *q, void *user)
{
    memcpy(M, user, MASS_N * MASS_N * sizeof *M);
    return DAL_OK;
}

static dal_status no_force(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    memset(g, 0, MASS_N * sizeof *g);
    return DAL_OK;
}

typedef struct mass_case {
    const char *said; /* NULL: it is a mass matrix */
    double M[MASS_N * MASS_N];
} mass_case;

/* Each by columns, once as it is and once with units in which the numbers are far apart. */
static void a_mass_matrix_is_symmetric_and_positive_semidefinite(void **state)
{
    mass_case cases[] = {
        {NULL, {1, 0, 0, 0, 2, 0, 0, 0, 3}},
        {NULL, {2, 1, 1, 1, 2, 1, 1, 1, 2}},
        {NULL, {1, 1, 0, 1, 1, 0, 0, 0, 1}}, // semidefinite
        {NULL, {0, 0, 0, 0, 1, 0, 0, 0, 0}}, // massless
        {"not positive semidefinite: there is motion of v[0]", {-1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {"not positive semidefinite: there is motion of v[2]", {1, 0, 0, 0, 1, 0, 0, 0, -1}},
        {"not positive semidefinite", {1, 2, 0, 2, 1, 0, 0, 0, 1}},
        {"not positive semidefinite", {0, 1, 0, 1, 1, 0, 0, 0, 1}},
        {"not positive semidefinite", {1, 1, 0, 1, 1, 1, 0, 1, 1}}, // a semidefinite part, and mass across it
        {"not symmetric: entry (v[1], v[0]) is 0.5, entry (v[0], v[1]) is 0", {1, 0.5, 0, 0, 1, 0, 0, 0, 1}},
        {"not symmetric: entry (v[2], v[0])", {1, 0, 0.1, 0, 1, 0, 0.2, 0, 1}},
    };
    static const double unit[MASS_N] = {1e-4, 1.0, 1e3};
    const double x[MASS_N] = {0.1, 0.2, 0.3};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; ++k) {
        mass_case c = cases[k / 2];
        for (int i = 0; k % 2 == 1 && i < MASS_N * MASS_N; ++i) {
            c.M[i] *= unit[i % MASS_N] * unit[i / MASS_N];
        }
        dal_group *group;
        dal_system *sys;
        check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, MASS_N}, 1));
        check_ok(ctx,
                 dal_dense_create(&sys, ctx, &(dal_dense){.group = group, .M = given_M, .g = no_force, .user = c.M}));
        const dal_status st = dal_system_check(ctx, sys, NULL, &(dal_point){0.0, x, x, x, NULL}, 1e-6);
        if (c.said && k % 2 == 0) {
            check_fails(ctx, st, DAL_ECHECK, c.said);
        } else if (c.said) {
            check_fails(ctx, st, DAL_ECHECK, "M is not");
        } else {
            check_ok(ctx, st);
        }
        dal_dense_destroy(sys);
        dal_group_destroy(group);
    }
    check_ctx_free(ctx);
}

static dal_status check_once(dal_ctx *ctx, void *user)
{
    static const double zero[TWO_NV];
    two_bodies *two = user;
    return dal_system_check(ctx, &two->block, NULL, &(dal_point){0.0, two->q0, two->v0, zero, zero}, 1e-6);
}

static void running_out_of_memory_is_reported(void **state)
{
    dal_ctx *ctx = check_ctx();
    two_bodies two;
    two_bodies_create(&two, ctx);
    assert_true(check_every_allocation(check_once, &two) >= 3);
    two_bodies_free(&two);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_passes_at_random_states),
        cmocka_unit_test(a_wrong_entry_is_named_with_row_and_column),
        cmocka_unit_test(undeclared_pairs_and_links_are_found),
        cmocka_unit_test(a_wrong_dependence_on_lambda_is_named),
        cmocka_unit_test(a_mass_matrix_is_symmetric_and_positive_semidefinite),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
