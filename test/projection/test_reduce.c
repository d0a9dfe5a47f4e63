/* Redundant rows: found, named, left out, and the multipliers of the whole system. */
#include "dalembert/reduce.h"
#include "dalembert/sim.h"
#include "support/check.h"

/* A pendulum whose circle is demanded twice, the second time three times as loud, and in between a row for z. */
static dal_status M(double *m, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    for (int i = 0; i < 9; ++i) {
        m[i] = i % 4 == 0 ? 1.0 : 0.0;
    }
    return DAL_OK;
}

static dal_status g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    f[0] = f[2] = 0.0;
    f[1] = 9.81;
    return DAL_OK;
}

static dal_status Phi(double *phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    phi[1] = q[2];
    phi[2] = 3.0 * phi[0];
    return DAL_OK;
}

static dal_status B(double *b, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const double rows[9] = {q[0], 0.0, 3.0 * q[0], q[1], 0.0, 3.0 * q[1], 0.0, 1.0, 0.0};
    for (int i = 0; i < 9; ++i) {
        b[i] = rows[i];
    }
    return DAL_OK;
}

typedef struct fixture {
    dal_ctx *ctx;
    dal_group *group;
    dal_system *sys;
    dal_reduction *red;
} fixture;

static const double q0[3] = {0.6, -0.8, 0.0}, v0[3] = {0.8, 0.6, 0.0};

static void set_up(fixture *f)
{
    f->ctx = check_ctx();
    check_ok(f->ctx, dal_group_create(&f->group, f->ctx, &(dal_factor_spec){DAL_FACTOR_RN, 3}, 1));
    const dal_dense dense = {.group = f->group, .nc = 3, .M = M, .g = g, .Phi = Phi, .B = B};
    check_ok(f->ctx, dal_dense_create(&f->sys, f->ctx, &dense));
    check_ok(f->ctx, dal_reduction_create(&f->red, f->ctx, f->sys, 0.0, q0, 0.0));
}

static void tear_down(fixture *f)
{
    dal_reduction_destroy(f->red);
    dal_dense_destroy(f->sys);
    dal_group_destroy(f->group);
    check_ctx_free(f->ctx);
}

static void the_dependent_row_is_left_out_and_named(void **state)
{
    fixture f;
    char names[200];
    (void)state;
    set_up(&f);
    assert_int_equal(dal_reduction_count(f.red), 1);
    const int gone = dal_reduction_rows(f.red)[0];
    assert_true(gone == 0 || gone == 2);
    assert_int_equal(dal_system_rows(dal_reduction_system(f.red)), 2);
    dal_reduction_names(f.red, names, sizeof names);
    assert_string_equal(names, gone == 0 ? "row 0" : "row 2");
    tear_down(&f);
}

static void a_row_left_out_knows_the_rows_it_depends_on(void **state)
{
    fixture f;
    char names[200];
    const double zero[3] = {0.0};
    const dal_point at = {0.0, q0, v0, zero, zero};
    (void)state;
    set_up(&f);
    const int gone = dal_reduction_rows(f.red)[0];
    check_ok(f.ctx, dal_reduction_partners(f.red, names, sizeof names, &at, gone));
    assert_string_equal(names, gone == 0 ? "row 2" : "row 0");
    check_fails(f.ctx, dal_reduction_partners(f.red, names, sizeof names, &at, 1), DAL_EINVAL, "row 1");
    tear_down(&f);
}

static void the_reduced_system_passes_the_tangent_check(void **state)
{
    fixture f;
    (void)state;
    set_up(&f);
    const double q[3] = {0.5, -0.7, 0.1}, v[3] = {0.3, 0.2, 0.4}, vd[3] = {1.0, -2.0, 0.5}, la[2] = {3.0, -1.0};
    const dal_point at = {0.0, q, v, vd, la};
    check_ok(f.ctx, dal_system_check(f.ctx, dal_reduction_system(f.red), NULL, &at, 1e-6));
    tear_down(&f);
}

static void the_whole_system_is_refused_with_the_remedy(void **state)
{
    fixture f;
    dal_sim *sim;
    (void)state;
    set_up(&f);
    check_ok(f.ctx, dal_sim_create(&sim, f.ctx, f.sys, NULL));
    check_fails(f.ctx, dal_sim_start(sim, NULL, 0.0, q0, v0), DAL_EREDUNDANT, "redundant = drop");
    dal_sim_destroy(sim);
    tear_down(&f);
}

/* The tension l of the pendulum is shared: l_1 + 3 l_3 = l, shortest for l_1 : l_3 = 1 : 3. */
static void least_norm_multipliers_share_the_force(void **state)
{
    fixture f;
    dal_sim *sim;
    (void)state;
    set_up(&f);
    check_ok(f.ctx, dal_sim_create(&sim, f.ctx, dal_reduction_system(f.red), NULL));
    check_ok(f.ctx, dal_sim_start(sim, NULL, 0.0, q0, v0));
    check_ok(f.ctx, dal_sim_run(sim, NULL, 0.5));
    const dal_state s = dal_sim_state(sim);
    const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
    double dropped[3], least[3];
    check_ok(f.ctx, dal_reduction_multipliers(f.red, dropped, &at, 0));
    check_ok(f.ctx, dal_reduction_multipliers(f.red, least, &at, 1));
    // energy gives the tension exactly: l = |v|^2 - g y on the unit circle
    const double tension = s.v[0] * s.v[0] + s.v[1] * s.v[1] - 9.81 * s.q[1];
    assert_near(dropped[0] + 3.0 * dropped[2], tension, 1e-4);
    assert_near(dropped[0] * dropped[2], 0.0, 0.0);
    assert_near(least[0], (dropped[0] + 3.0 * dropped[2]) / 10.0, 1e-12);
    assert_near(least[2], 3.0 * least[0], 1e-12);
    assert_near(least[1], dropped[1], 1e-12);
    dal_sim_destroy(sim);
    tear_down(&f);
}

/* ---- several rows left out -------------------------------------------------------------------- */

enum { MANY = 7, WIDE = 8 };

/* Rows 3 to 6 are combinations of rows 0 to 2; each relation is one that multipliers of least norm are normal to. */
static const double many_row[3][WIDE] = {{1.0, 0.5, 0.0, -1.0}, {0.0, 2.0, 1.0, 0.3}, {-0.7, 0.0, 1.5, 1.0}};
static const double relation[4][MANY] = {{1.0, 2.0, 0.0, -1.0},
                                         {0.0, 1.0, -1.0, 0.0, -1.0},
                                         {2.0, 1.0, 3.0, 0.0, 0.0, -1.0},
                                         {-0.5, 1.5, 0.25, 0.0, 0.0, 0.0, -1.0}};

static double many_entry(int row, int column)
{
    double x = row < 3 ? many_row[row][column] : 0.0;
    for (int k = 0; k < 3 && row >= 3; ++k) {
        x += relation[row - 3][k] * many_row[k][column];
    }
    return x;
}

static dal_status many_M(double *m, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    for (int i = 0; i < WIDE * WIDE; ++i) {
        m[i] = i % (WIDE + 1) == 0 ? 1.0 + i : 0.0;
    }
    return DAL_OK;
}

static dal_status many_g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    for (int i = 0; i < WIDE; ++i) {
        f[i] = 1.0;
    }
    return DAL_OK;
}

static dal_status many_Phi(double *phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    for (int r = 0; r < MANY; ++r) {
        phi[r] = 0.0;
        for (int i = 0; i < WIDE; ++i) {
            phi[r] += many_entry(r, i) * q[i];
        }
    }
    return DAL_OK;
}

static dal_status many_B(double *b, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    for (int i = 0; i < WIDE * MANY; ++i) {
        b[i] = many_entry(i % MANY, i / MANY);
    }
    return DAL_OK;
}

/* The force is the same, and the multipliers have no part along any of the four relations. */
static void least_norm_holds_with_several_rows_left_out(void **state)
{
    const double q[WIDE] = {0.0}, given[3] = {1.3, -0.4, 2.1};
    double kept[MANY], least[MANY];
    dal_ctx *ctx = check_ctx();
    dal_group *group;
    dal_system *sys;
    dal_reduction *red;
    (void)state;
    check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, WIDE}, 1));
    const dal_dense dense = {.group = group, .nc = MANY, .M = many_M, .g = many_g, .Phi = many_Phi, .B = many_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    check_ok(ctx, dal_reduction_create(&red, ctx, sys, 0.0, q, 0.0));
    assert_int_equal(dal_reduction_count(red), 4);
    const dal_point at = {0.0, q, q, q, given};
    check_ok(ctx, dal_reduction_multipliers(red, kept, &at, 0));
    check_ok(ctx, dal_reduction_multipliers(red, least, &at, 1));
    for (int i = 0; i < 4; ++i) {
        double force = 0.0, part = 0.0;
        for (int r = 0; r < MANY; ++r) {
            force += many_entry(r, i) * (least[r] - kept[r]);
            part += relation[i][r] * least[r];
        }
        assert_near(force, 0.0, 1e-13);
        assert_near(part, 0.0, 1e-13);
    }
    dal_reduction_destroy(red);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

static void a_regular_system_keeps_all_its_rows(void **state)
{
    fixture f;
    dal_reduction *red;
    (void)state;
    set_up(&f);
    check_ok(f.ctx, dal_reduction_create(&red, f.ctx, dal_reduction_system(f.red), 0.0, q0, 0.0));
    assert_int_equal(dal_reduction_count(red), 0);
    double la[2];
    const double given[2] = {1.0, 2.0}, zero[3] = {0.0};
    check_ok(f.ctx, dal_reduction_multipliers(red, la, &(dal_point){0.0, q0, zero, zero, given}, 1));
    assert_near(la[0], 1.0, 0.0);
    assert_near(la[1], 2.0, 0.0);
    dal_reduction_destroy(red);
    tear_down(&f);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    dal_reduction *red;
    char names[200];
    const double zero[3] = {0.0};
    DAL_TRY(dal_reduction_create(&red, ctx, user, 0.0, q0, 0.0));
    const dal_status st = dal_reduction_partners(red, names, sizeof names, &(dal_point){0.0, q0, v0, zero, zero},
                                                 dal_reduction_rows(red)[0]);
    dal_reduction_destroy(red);
    return st;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    fixture f;
    (void)state;
    set_up(&f);
    check_every_allocation(scenario, f.sys);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dependent_row_is_left_out_and_named),
        cmocka_unit_test(a_row_left_out_knows_the_rows_it_depends_on),
        cmocka_unit_test(the_reduced_system_passes_the_tangent_check),
        cmocka_unit_test(the_whole_system_is_refused_with_the_remedy),
        cmocka_unit_test(least_norm_multipliers_share_the_force),
        cmocka_unit_test(least_norm_holds_with_several_rows_left_out),
        cmocka_unit_test(a_regular_system_keeps_all_its_rows),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
