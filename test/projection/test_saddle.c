/* The saddle system: right for singular M, and when it is singular itself the message says why. */
#include <math.h>
#include <string.h>

#include "dalembert/assemble.h"
#include "dalembert/sim.h"
#include "problems/problems.h"
#include "projection/projection.h"
#include "support/check.h"

enum { NV = 4 };

/* R^4, M = diag(mass), linear constraints rows . q = shift. */
typedef struct linear {
    double mass[NV], coupled; /* M_12 */
    int nrows;
    double row[3][NV], shift[3];
    int circle; /* row 0 is (x^2 + y^2 - 1)/2 instead */
} linear;

static dal_status linear_M(double *M, double t, const double *q, void *user)
{
    const linear *p = user;
    memset(M, 0, NV * NV * sizeof(double));
    for (int i = 0; i < NV; ++i) {
        M[i + NV * i] = p->mass[i];
    }
    M[1 + NV * 2] = M[2 + NV * 1] = p->coupled;
    return DAL_OK;
}

static dal_status linear_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    for (int i = 0; i < NV; ++i) {
        g[i] = 1.0;
    }
    return DAL_OK;
}

static dal_status linear_Phi(double *Phi, double t, const double *q, void *user)
{
    const linear *p = user;
    for (int r = 0; r < p->nrows; ++r) {
        Phi[r] = -p->shift[r];
        for (int i = 0; i < NV; ++i) {
            Phi[r] += p->row[r][i] * q[i];
        }
    }
    if (p->circle) {
        Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    }
    return DAL_OK;
}

static dal_status linear_B(double *B, double t, const double *q, void *user)
{
    const linear *p = user;
    for (int r = 0; r < p->nrows; ++r) {
        for (int i = 0; i < NV; ++i) {
            B[r + p->nrows * i] = p->row[r][i];
        }
    }
    for (int i = 0; p->circle && i < NV; ++i) {
        B[p->nrows * i] = i < 2 ? q[i] : 0.0;
    }
    return DAL_OK;
}

typedef struct fixture {
    dal_ctx *ctx;
    dal_group *group;
    dal_system *sys;
    dal_eval *ev;
    dal_saddle *s;
} fixture;

static dal_status open_fixture(fixture *f, dal_ctx *ctx, linear *p, int nh, dal_linsol_kind kind)
{
    const dal_factor_spec spec[] = {{DAL_FACTOR_RN, 1}, {DAL_FACTOR_RN, 2}, {DAL_FACTOR_RN, 1}};
    *f = (fixture){.ctx = ctx};
    DAL_TRY(dal_group_create(&f->group, ctx, spec, 3));
    const dal_dense d = {.group = f->group,
                         .nc = nh,
                         .nn = p->nrows - nh,
                         .user = p,
                         .M = linear_M,
                         .g = linear_g,
                         .Phi = linear_Phi,
                         .B = linear_B};
    DAL_TRY(dal_dense_create(&f->sys, ctx, &d));
    DAL_TRY(dal_eval_create(&f->ev, ctx, f->sys, NULL));
    return dal_saddle_create(&f->s, ctx, f->ev, kind);
}

static void close_fixture(fixture *f)
{
    dal_saddle_destroy(f->s);
    dal_eval_destroy(f->ev);
    if (f->sys) {
        dal_dense_destroy(f->sys);
    }
    if (f->group) {
        dal_group_destroy(f->group);
    }
}

static const double origin[NV];

static dal_status factor(fixture *f, const double *q)
{
    return dal_saddle_factor(f->s, &(dal_point){0.0, q, origin, origin, origin}, 0);
}

static const dal_linsol_kind kinds[] = {DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE};

/* M = diag(2, 0, 3, 0): the rows hold the two massless coordinates. */
static void a_singular_mass_matrix_is_no_obstacle(void **state)
{
    linear p = {.mass = {2.0, 0.0, 3.0, 0.0}, .nrows = 2, .row = {{1.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 2.0, 1.0}}};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_ctx *ctx = check_ctx();
        fixture f;
        check_ok(ctx, open_fixture(&f, ctx, &p, 2, kinds[k]));
        check_ok(ctx, factor(&f, origin));
        const double b[NV + 2] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
        memcpy(f.s->x, b, sizeof b);
        dal_saddle_solve(f.s);
        const double *x = f.s->x, *y = f.s->x + NV;
        assert_near(2.0 * x[0] + y[0], 1.0, 1e-14);
        assert_near(y[0], 2.0, 1e-14);
        assert_near(3.0 * x[2] + 2.0 * y[1], 3.0, 1e-14);
        assert_near(y[1], 4.0, 1e-14);
        assert_near(x[0] + x[1], 5.0, 1e-14);
        assert_near(2.0 * x[2] + x[3], 6.0, 1e-14);
        close_fixture(&f);
        check_ctx_free(ctx);
    }
}

static void redundant_rows_are_named(void **state)
{
    // row 2 = row 0 + 2 row 1
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0},
                .nrows = 3,
                .row = {{1.0, 0.0, 1.0, 0.0}, {0.0, 1.0, 0.0, 0.5}, {1.0, 2.0, 1.0, 1.0}}};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_ctx *ctx = check_ctx();
        fixture f;
        check_ok(ctx, open_fixture(&f, ctx, &p, 2, kinds[k]));
        check_fails(ctx, factor(&f, origin), DAL_EREDUNDANT, "1 of 3 constraint rows depend on the others");
        check_fails(ctx, factor(&f, origin), DAL_EREDUNDANT, "(B has rank 2): row ");
        close_fixture(&f);
        check_ctx_free(ctx);
    }
}

static void a_duplicate_row_is_named(void **state)
{
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0},
                .nrows = 3,
                .row = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, -3.0, 0.0, 0.0}}};
    dal_ctx *ctx = check_ctx();
    fixture f;
    check_ok(ctx, open_fixture(&f, ctx, &p, 3, DAL_LINSOL_AUTO));
    const dal_status st = factor(&f, origin);
    assert_int_equal(st, DAL_EREDUNDANT);
    // one of the two that are parallel, never row 0
    const char *message = dal_ctx_message(ctx);
    assert_true(strstr(message, ": row 1.") || strstr(message, ": row 2."));
    assert_null(strstr(message, "row 0"));
    close_fixture(&f);
    check_ctx_free(ctx);
}

static void a_simulation_with_redundant_rows_does_not_start(void **state)
{
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0}, .nrows = 2, .row = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    dal_ctx *ctx = check_ctx();
    fixture f;
    dal_sim *sim;
    check_ok(ctx, open_fixture(&f, ctx, &p, 2, DAL_LINSOL_AUTO));
    check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, NULL));
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, origin, origin), DAL_EREDUNDANT, "start at t = 0");
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, origin, origin), DAL_EREDUNDANT, "Remove them");
    dal_sim_destroy(sim);
    close_fixture(&f);
    check_ctx_free(ctx);
}

/* x = 0 and x = 1 */
static void parallel_rows_that_contradict_each_other_cannot_be_satisfied(void **state)
{
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0},
                .nrows = 2,
                .row = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                .shift = {0.0, 1.0}};
    dal_ctx *ctx = check_ctx();
    fixture f;
    double q[NV] = {0};
    check_ok(ctx, open_fixture(&f, ctx, &p, 2, DAL_LINSOL_AUTO));
    check_fails(ctx, dal_project_position(f.s, q, NULL, 0.0, 1e-10), DAL_EREDUNDANT, "cannot be satisfied");
    check_fails(ctx, dal_ctx_status(ctx), DAL_EREDUNDANT, "largest residual 1.000e+00");
    check_fails(ctx, dal_ctx_status(ctx), DAL_EREDUNDANT, "1 of 2 constraint rows depend");
    close_fixture(&f);
    check_ctx_free(ctx);
}

/* v0 + v1 = v2 with v2 given: the lighter one takes more, whatever the unit of mass; a zero that is given stays. */
static void velocities_are_completed_by_the_least_energy(void **state)
{
    static const int given[2][NV] = {{0, 0, 1, 0}, {1, 0, 1, 0}};
    static const double want[2][NV] = {{2.4, 0.6, 3.0, 0.0}, {0.0, 3.0, 3.0, 0.0}}, unit[] = {1.0, 1e-9, 1e9};
    dal_ctx *ctx = check_ctx();
    const double q[NV] = {0.0};
    for (int k = 0; k < 6; ++k) {
        const double m = unit[k / 2];
        linear p = {.mass = {m, 4.0 * m, m, m}, .nrows = 1, .row = {{1.0, 1.0, -1.0, 0.0}}};
        double v[NV] = {0.0, 0.0, 3.0, 0.0};
        int kept;
        fixture f;
        check_ok(ctx, open_fixture(&f, ctx, &p, 1, DAL_LINSOL_AUTO));
        check_ok(ctx, dal_complete_velocities(ctx, f.sys, v, &kept, 0.0, q, given[k % 2]));
        assert_int_equal(kept, 1 + k % 2);
        assert_all_near(v, want[k % 2], NV, 1e-8);
        close_fixture(&f);
    }
    check_ctx_free(ctx);
}

/* v1 = -v0 (twice: a redundant row) and v2 = v1; v3 is free. Masses play no part. */
static void given_velocities_stay_and_the_others_follow(void **state)
{
    linear p = {.mass = {1.0, 1e6, 1.0, 1.0},
                .nrows = 3,
                .row = {{1.0, 1.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}, {0.0, 1.0, -1.0, 0.0}}};
    static const struct {
        double v[NV], want[NV];
        int kept;
    } cases[] = {{{2.0, 0.0, 0.0, 0.0}, {2.0, -2.0, -2.0, 0.0}, 1},
                 {{0.0, 0.0, 3.0, 5.0}, {-3.0, 3.0, 3.0, 5.0}, 2},
                 {{2.0, 1.0, 0.0, 0.0}, {2.0, 1.0, 0.0, 0.0}, 0},     // contradicts row 0
                 {{1.0, -1.0, -1.0, 0.0}, {1.0, -1.0, -1.0, 0.0}, 0}, // holds already
                 {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, 0}};
    dal_ctx *ctx = check_ctx();
    fixture f;
    const double q[NV] = {0.0};
    check_ok(ctx, open_fixture(&f, ctx, &p, 3, DAL_LINSOL_AUTO));
    for (size_t k = 0; k < LEN(cases); ++k) {
        double v[NV];
        int kept = -1;
        memcpy(v, cases[k].v, sizeof v);
        check_ok(ctx, dal_complete_velocities(ctx, f.sys, v, &kept, 0.0, q, NULL));
        assert_int_equal(kept, cases[k].kept);
        assert_all_near(v, cases[k].want, NV, 1e-11);
    }
    close_fixture(&f);
    check_ctx_free(ctx);
}

/* The unit circle and x = 2: B has full rank almost everywhere, but there is no solution. */
static void curved_constraints_without_a_common_point_cannot_be_satisfied(void **state)
{
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0},
                .nrows = 2,
                .row = {{0.0}, {1.0, 0.0, 0.0, 0.0}},
                .shift = {0.0, 2.0},
                .circle = 1};
    dal_ctx *ctx = check_ctx();
    fixture f;
    double q[NV] = {0.6, 0.8};
    check_ok(ctx, open_fixture(&f, ctx, &p, 2, DAL_LINSOL_AUTO));
    check_fails(ctx, dal_project_position(f.s, q, NULL, 0.25, 1e-10), DAL_NOCONV, "cannot be satisfied at t = 0.25");
    check_fails(ctx, dal_ctx_status(ctx), DAL_NOCONV, "in row 0");
    close_fixture(&f);
    check_ctx_free(ctx);
}

static void a_velocity_without_mass_or_constraint_is_named(void **state)
{
    linear p = {.mass = {1.0, 1.0, 0.0, 1.0}, .nrows = 1, .row = {{1.0, 0.0, 0.0, 0.0}}};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_ctx *ctx = check_ctx();
        fixture f;
        check_ok(ctx, open_fixture(&f, ctx, &p, 1, kinds[k]));
        check_fails(ctx, factor(&f, origin), DAL_EREDUNDANT, "(near v[2])");
        check_fails(ctx, factor(&f, origin), DAL_EREDUNDANT, "give it mass or inertia, or constrain it");
        // mass makes it regular again
        p.mass[2] = 1e-3;
        double elsewhere[NV] = {1.0}; // the matrices at a point are kept: ask at another one
        check_ok(ctx, factor(&f, elsewhere));
        p.mass[2] = 0.0;
        close_fixture(&f);
        check_ctx_free(ctx);
    }
}

static void a_motion_whose_inertia_is_rounding_is_named(void **state)
{
    static const double left[] = {3e-14, 1e-12};
    const dal_point at = {0.0, origin, origin, origin, origin};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        for (int j = 0; j < 2; ++j) {
            // (0, 1, -1, 0) moves what is left
            linear p = {.mass = {1e-13, 1.0, 1.0 + left[j], 1.0}, .coupled = 1.0};
            dal_ctx *ctx = check_ctx();
            fixture f;
            check_ok(ctx, open_fixture(&f, ctx, &p, 0, kinds[k]));
            check_ok(ctx, dal_saddle_measure(f.s, &at));
            check_ok(ctx, factor(&f, origin));
            const dal_status st = dal_saddle_inertia(f.s, &at);
            if (j == 0) {
                check_fails(ctx, st, DAL_EREDUNDANT, "v[1], v[2] (-1)");
            } else {
                check_ok(ctx, st);
            }
            close_fixture(&f);
            check_ctx_free(ctx);
        }
    }
}

static dal_status redundant(dal_ctx *ctx, void *user)
{
    fixture f;
    dal_status st = open_fixture(&f, ctx, user, 2, DAL_LINSOL_AUTO);
    if (st == DAL_OK) {
        st = factor(&f, origin);
    }
    close_fixture(&f);
    return st == DAL_EREDUNDANT ? DAL_OK : st;
}

static void running_out_of_memory_is_reported_also_while_looking_for_the_cause(void **state)
{
    linear p = {.mass = {1.0, 1.0, 1.0, 1.0}, .nrows = 2, .row = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    assert_true(check_every_allocation(redundant, &p) > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_singular_mass_matrix_is_no_obstacle),
        cmocka_unit_test(redundant_rows_are_named),
        cmocka_unit_test(a_duplicate_row_is_named),
        cmocka_unit_test(a_simulation_with_redundant_rows_does_not_start),
        cmocka_unit_test(parallel_rows_that_contradict_each_other_cannot_be_satisfied),
        cmocka_unit_test(velocities_are_completed_by_the_least_energy),
        cmocka_unit_test(given_velocities_stay_and_the_others_follow),
        cmocka_unit_test(curved_constraints_without_a_common_point_cannot_be_satisfied),
        cmocka_unit_test(a_velocity_without_mass_or_constraint_is_named),
        cmocka_unit_test(a_motion_whose_inertia_is_rounding_is_named),
        cmocka_unit_test(running_out_of_memory_is_reported_also_while_looking_for_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
