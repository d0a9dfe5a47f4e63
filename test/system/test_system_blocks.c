/* One system written twice, block by block and in plain matrices, gives the same numbers everywhere. */
#include <string.h>

#include "dalembert/sim.h"
#include "gather.h"
#include "support/check.h"
#include "support/check_system.h"
#include "two_bodies.h"

static two_bodies two;
static dal_ctx *ctx;

static int set_up(void **state)
{
    ctx = check_ctx();
    two_bodies_create(&two, ctx);
    return 0;
}

static int tear_down(void **state)
{
    two_bodies_free(&two);
    check_ctx_free(ctx);
    return 0;
}

typedef struct sample {
    double q[TWO_NQ], v[TWO_NV], vd[TWO_NV], la[TWO_NC];
    dal_point at;
} sample;

static void random_sample(sample *s, check_rng *rng)
{
    check_quaternion(rng, s->q);
    check_normals(rng, s->q + 4, 3);
    check_normals(rng, s->v, TWO_NV);
    check_normals(rng, s->vd, TWO_NV);
    check_normals(rng, s->la, TWO_NC);
    s->at = (dal_point){0.3, s->q, s->v, s->vd, s->la};
}

typedef struct values {
    double r[TWO_NV], Phi[TWO_NC], vel[TWO_NC], acc[TWO_NC];
} values;

static values residual_of(const dal_system *sys, const dal_point *at)
{
    values x = {.r = {0.0}};
    check_ok(ctx, check_residual(ctx, sys, &(dal_residual){.r = x.r, .Phi = x.Phi, .vel = x.vel, .acc = x.acc}, at));
    return x;
}

static void residuals_agree(void **state)
{
    check_rng rng = check_rng_seed(1);
    for (int k = 0; k < 50; ++k) {
        sample s;
        random_sample(&s, &rng);
        const values a = residual_of(&two.block, &s.at), b = residual_of(two.wrapped, &s.at);
        assert_all_near(b.r, a.r, TWO_NV, 1e-12);
        assert_all_near(b.Phi, a.Phi, 4, 1e-14);
        assert_all_near(b.vel, a.vel, TWO_NC, 1e-13);
        assert_all_near(b.acc, a.acc, TWO_NC, 1e-12);
    }
}

static void parts_that_are_not_wanted_are_left_alone(void **state)
{
    const dal_system *const both[] = {&two.block, two.wrapped};
    check_rng rng = check_rng_seed(2);
    sample s;
    random_sample(&s, &rng);
    for (size_t k = 0; k < LEN(both); ++k) {
        const values all = residual_of(both[k], &s.at);
        values one = {.r = {0.0}};
        check_ok(ctx, check_residual(ctx, both[k], &(dal_residual){.acc = one.acc}, &s.at));
        assert_memory_equal(one.acc, all.acc, sizeof one.acc);
        // the nonholonomic row of Phi is not touched
        one.Phi[4] = 77.0;
        check_ok(ctx, check_residual(ctx, both[k], &(dal_residual){.Phi = one.Phi}, &s.at));
        assert_true(one.Phi[4] == 77.0);
        assert_memory_equal(one.Phi, all.Phi, 4 * sizeof(double));
    }
}

static void pushed_tangents_agree(void **state)
{
    static gather a, b;
    check_rng rng = check_rng_seed(3);
    for (int k = 0; k < 20; ++k) {
        sample s;
        random_sample(&s, &rng);
        gather_tangents(&a, ctx, &two.block, &s.at);
        gather_tangents(&b, ctx, two.wrapped, &s.at);
        assert_all_near(b.M, a.M, 36, 1e-15);
        assert_all_near(b.C, a.C, 36, 1e-13);
        assert_all_near(b.K, a.K, 36, 1e-12);
        assert_all_near(b.B, a.B, 30, 1e-14);
        assert_all_near(b.Z, a.Z, 30, 1e-13);
        // the dense form leaves A to differences
        assert_all_near(b.Aq, a.Aq, 30, 1e-8);
        assert_all_near(b.Av, a.Av, 30, 1e-8);
        assert_true(check_max_abs(a.G, 30) == 0.0 && check_max_abs(b.G, 30) == 0.0);
    }
}

/* States of a run, one after the other. */
typedef struct record {
    int n;
    double q[64][TWO_NQ], v[64][TWO_NV], la[64][TWO_NC];
} record;

static dal_status note(dal_sim *sim, const dal_state *s, void *user)
{
    record *rec = user;
    memcpy(rec->q[rec->n], s->q, sizeof rec->q[0]);
    memcpy(rec->v[rec->n], s->v, sizeof rec->v[0]);
    memcpy(rec->la[rec->n++], s->la, sizeof rec->la[0]);
    return DAL_OK;
}

static void run(record *rec, const dal_system *sys, const dal_options *opt)
{
    dal_sim *sim;
    rec->n = 0;
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, opt));
    check_ok(ctx, dal_sim_observe(sim, note, rec));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, two.q0, two.v0));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.3));
    dal_sim_destroy(sim);
}

static void trajectories_agree_in_every_formulation_and_solver(void **state)
{
    static const int solver[] = {DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE};
    static record a, b;
    dal_options opt = dal_options_init();
    opt.h = 0.01;
    opt.rtol = 1e-12; // both iterate to rounding, although the dense form has its A by differences
    opt.atol = 1e-12;
    for (int formulation = DAL_FORMULATION_INDEX3; formulation <= DAL_FORMULATION_GGL; ++formulation) {
        opt.formulation = formulation;
        opt.linear_solver = DAL_LINSOL_SMALL;
        run(&a, &two.block, &opt);
        for (size_t k = 0; k < LEN(solver); ++k) {
            opt.linear_solver = solver[k];
            run(&b, two.wrapped, &opt);
            assert_int_equal(a.n, 31);
            assert_int_equal(b.n, 31);
            for (int i = 0; i < a.n; ++i) {
                assert_all_near(b.q[i], a.q[i], TWO_NQ, 1e-11);
                assert_all_near(b.v[i], a.v[i], TWO_NV, 1e-10);
                assert_all_near(b.la[i], a.la[i], TWO_NC, 1e-7);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_agree),
        cmocka_unit_test(parts_that_are_not_wanted_are_left_alone),
        cmocka_unit_test(pushed_tangents_agree),
        cmocka_unit_test(trajectories_agree_in_every_formulation_and_solver),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
