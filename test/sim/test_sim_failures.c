/* A step that fails leaves the last good state and a message with step, time, cause and remedy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "faulty.h"
#include "support/check.h"

static dal_ctx *ctx;
static faulty f;

static int set_up(void **state)
{
    ctx = check_ctx();
    faulty_create(&f, ctx);
    return 0;
}

static int tear_down(void **state)
{
    faulty_free(&f);
    check_ctx_free(ctx);
    return 0;
}

static dal_sim *start(const char *options)
{
    const dal_options opt = runs_options(ctx, options);
    dal_sim *sim;
    f.which = FAULTY_NONE;
    f.status = DAL_OK;
    f.reason = NULL;
    check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
    return sim;
}

/* Five good steps of 0.01, then the callback fails. */
static void set_fault(faulty_callback which, dal_status status, const char *reason)
{
    f.which = which;
    f.from = 0.055;
    f.status = status;
    f.reason = reason;
}

typedef struct copy {
    double t, q[2], v[2], vd[2], a[2], la[1];
} copy;

static copy state_of(const dal_sim *sim)
{
    const dal_state s = dal_sim_state(sim);
    copy c = {.t = s.t, .la = {s.la[0]}};
    memcpy(c.q, s.q, sizeof c.q);
    memcpy(c.v, s.v, sizeof c.v);
    memcpy(c.vd, s.vd, sizeof c.vd);
    memcpy(c.a, s.a, sizeof c.a);
    return c;
}

static void values_that_are_not_finite_are_named_with_callback_and_time(void **state)
{
    static const struct {
        const char *options, *asked; // which of M g Phi B b Z acc C K a step asks for
    } list[] = {{"h=0.01", "111100011"},
                {"h=0.01 line_search=no", "111100011"},
                {"h=0.01 newton=modified", "111100000"},
                {"h=0.01 formulation=index2", "110111011"},
                {"h=0.01 formulation=ggl", "111111011"},
                {"h=0.01 formulation=index1", "110100111"},
                {"h=0.01 step=adaptive h_max=0.01 step_rtol=1", "111100011"}};
    for (size_t k = 0; k < LEN(list); ++k) {
        for (faulty_callback which = FAULTY_M; which < FAULTY_NONE; ++which) {
            dal_sim *sim = start(list[k].options);
            char cause[64];
            snprintf(cause, sizeof cause, "callback %s returned", faulty_name(which));
            check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
            const copy before = state_of(sim);
            set_fault(which, DAL_OK, NULL);
            const dal_status st = dal_sim_step(sim);
            if (list[k].asked[which] == '0') {
                check_ok(ctx, st);
            } else {
                check_fails(ctx, st, DAL_ECALLBACK, "step 6 from t = 0.05 with h = 1.000e-02 failed");
                check_fails(ctx, st, DAL_ECALLBACK, "a smaller step will not help");
                check_fails(ctx, st, DAL_ECALLBACK, cause);
                check_fails(ctx, st, DAL_ECALLBACK, "at t = 0.06");
                const copy after = state_of(sim);
                assert_memory_equal(&before, &after, sizeof before);
            }
            dal_sim_destroy(sim);
        }
    }
}

static void a_callback_that_asks_for_a_smaller_step_is_named_with_the_remedy(void **state)
{
    for (int explained = 0; explained < 2; ++explained) {
        dal_sim *sim = start("h=0.01");
        check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
        // an earlier failure must not shine through
        assert_int_equal(dal_fail(ctx, DAL_RETRY, "something else long ago"), DAL_RETRY);
        set_fault(FAULTY_G, DAL_RETRY, explained ? "the spring is torn" : NULL);
        check_fails(ctx, dal_sim_step(sim), DAL_RETRY, "step 6 from t = 0.05 with h = 1.000e-02 failed");
        check_fails(ctx, dal_ctx_status(ctx), DAL_RETRY, "use a smaller h, or step = adaptive");
        check_fails(ctx, dal_ctx_status(ctx), DAL_RETRY, "callback g");
        check_fails(ctx, dal_ctx_status(ctx), DAL_RETRY, explained ? "the spring is torn" : "t = 0.06");
        assert_null(strstr(dal_ctx_message(ctx), "long ago"));
        dal_sim_destroy(sim);
    }
}

static void a_callback_that_fails_is_named_with_its_own_message_or_its_status(void **state)
{
    for (int explained = 0; explained < 2; ++explained) {
        dal_sim *sim = start("h=0.01");
        assert_int_equal(dal_fail(ctx, DAL_EINVAL, "something else long ago"), DAL_EINVAL);
        set_fault(FAULTY_K, DAL_EINVAL, explained ? "no such material" : NULL);
        check_fails(ctx, dal_sim_run(sim, NULL, 0.1), DAL_EINVAL, "step 6 from t = 0.05");
        check_fails(ctx, dal_ctx_status(ctx), DAL_EINVAL, "a smaller step will not help");
        check_fails(ctx, dal_ctx_status(ctx), DAL_EINVAL, "callback K");
        check_fails(ctx, dal_ctx_status(ctx), DAL_EINVAL, explained ? "no such material" : "(invalid argument)");
        assert_null(strstr(dal_ctx_message(ctx), "long ago"));
        dal_sim_destroy(sim);
    }
}

static void the_run_goes_on_as_if_nothing_had_happened_when_the_cause_is_gone(void **state)
{
    static const char *const options[] = {"h=0.01", "h=0.01 formulation=ggl", "h=0.01 formulation=index1"};
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = start(options[k]), *undisturbed = start(options[k]);
        check_ok(ctx, dal_sim_run(undisturbed, NULL, 0.1));
        const copy want = state_of(undisturbed);
        set_fault(FAULTY_G, DAL_OK, NULL);
        assert_int_equal(dal_sim_run(sim, NULL, 0.1), DAL_ECALLBACK);
        assert_int_equal(dal_sim_step(sim), DAL_ECALLBACK);
        assert_int_equal(dal_sim_stats(sim).steps, 5);
        f.which = FAULTY_NONE;
        check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
        const copy got = state_of(sim);
        assert_memory_equal(&got, &want, sizeof got);
        dal_sim_destroy(sim);
        dal_sim_destroy(undisturbed);
    }
}

static void newton_that_does_not_converge_says_how_far_it_came(void **state)
{
    dal_sim *sim = start("h=0.2 max_iterations=1 rtol=1e-14 atol=1e-14");
    check_fails(ctx, dal_sim_step(sim), DAL_NOCONV, "step 1 from t = 0 with h = 2.000e-01 failed");
    check_fails(ctx, dal_ctx_status(ctx), DAL_NOCONV, "use a smaller h, or step = adaptive");
    check_fails(ctx, dal_ctx_status(ctx), DAL_NOCONV, "did not converge in 1 iterations");
    assert_true(dal_sim_state(sim).t == 0.0);
    dal_sim_destroy(sim);
}

static void a_start_that_fails_names_the_callback(void **state)
{
    static const faulty_callback list[] = {FAULTY_M, FAULTY_G, FAULTY_PHI, FAULTY_B, FAULTY_PHI_T, FAULTY_ACC};
    for (size_t k = 0; k < LEN(list); ++k) {
        char cause[64];
        dal_sim *sim = start("");
        snprintf(cause, sizeof cause, "callback %s returned", faulty_name(list[k]));
        set_fault(list[k], DAL_OK, NULL);
        check_fails(ctx, dal_sim_start(sim, NULL, 1.0, f.p.q0, f.p.v0), DAL_ECALLBACK, cause);
        check_fails(ctx, dal_ctx_status(ctx), DAL_ECALLBACK, "start at t = 1");
        dal_sim_destroy(sim);
    }
}

static void a_projection_that_fails_keeps_the_state(void **state)
{
    dal_sim *sim = start("h=0.01");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.06));
    const copy before = state_of(sim);
    set_fault(FAULTY_PHI_T, DAL_OK, NULL);
    check_fails(ctx, dal_sim_project(sim, DAL_PROJECTION_COMPENSATED), DAL_ECALLBACK, "callback b");
    const copy after = state_of(sim);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(dal_sim_stats(sim).projections, 0);
    dal_sim_destroy(sim);
}

/* A block system: the quantity, the row by its name and the time. */
static dal_status block_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    const char bad = *(const char *)user;
    const double x = at->t > 0.5 ? NAN : 0.0;
    if (out->r) {
        out->r[0] = at->vd[0] + at->la[0] + (bad == 'r' ? x : 0.0);
        out->r[1] = at->vd[1] + at->la[1];
    }
    if (out->Phi) {
        out->Phi[0] = at->q[0] + (bad == 'P' ? x : 0.0);
    }
    if (out->vel) {
        out->vel[0] = at->v[0];
        out->vel[1] = at->v[1] + (bad == 'v' ? x : 0.0);
    }
    if (out->acc) {
        out->acc[0] = at->vd[0];
        out->acc[1] = at->vd[1] + (bad == 'a' ? x : 0.0);
    }
    return DAL_OK;
}

static dal_status block_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    static const double unit[4] = {1.0, 0.0, 0.0, 1.0}, first[2] = {1.0, 0.0}, second[2] = {0.0, 1.0};
    sink->pair(sink, 0, unit, NULL, NULL);
    sink->link(sink, 0, first, NULL);
    sink->link(sink, 1, second, NULL);
    return DAL_OK;
}

static void name_row(char *buffer, size_t size, int row, const void *user)
{
    snprintf(buffer, size, row == 0 ? "hinge" : "wheel");
}

static void block_systems_are_named_by_quantity_and_row(void **state)
{
    static const struct {
        char bad;
        const char *options, *cause;
    } list[] = {{'r', "h=0.1", "nan for M v' + g + B^T lambda, entry 0 (v[0]), at t = 0.6"},
                {'P', "h=0.1", "nan for Phi, entry 0 (hinge), at t = 0.6"},
                {'v', "h=0.1", "nan for B v + Phi_t, entry 1 (wheel), at t = 0.6"},
                {'a', "h=0.1 formulation=index1", "constraint, entry 1 (wheel), at t = 0.6"}};
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    const dal_constraint constraint[] = {{1, DAL_ROWS_POSITION}, {1, DAL_ROWS_VELOCITY}};
    const dal_pair pair = {0, 0, 0};
    const dal_link link[] = {{0, 0}, {1, 0}};
    const double zero[2] = {0.0};
    char bad;
    dal_group *group;
    check_ok(ctx, dal_group_create(&group, ctx, &spec, 1));
    const dal_system sys = {.group = group,
                            .nconstraints = 2,
                            .constraint = constraint,
                            .npairs = 1,
                            .pair = &pair,
                            .nlinks = 2,
                            .link = link,
                            .provides = DAL_WANT_M | DAL_WANT_B | DAL_WANT_C | DAL_WANT_K | DAL_WANT_Z | DAL_WANT_A,
                            .equations = {.residual = block_residual, .tangent = block_tangent},
                            .names = {.row = name_row},
                            .user = &bad};
    for (size_t k = 0; k < LEN(list); ++k) {
        const dal_options opt = runs_options(ctx, list[k].options);
        dal_sim *sim;
        bad = list[k].bad;
        check_ok(ctx, dal_sim_create(&sim, ctx, &sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, zero, zero));
        check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ECALLBACK, list[k].cause);
        assert_near(dal_sim_state(sim).t, 0.5, 1e-15);
        dal_sim_destroy(sim);
    }
    dal_group_destroy(group);
}

/* A constraint whose gradient vanishes after so many calls, wherever in a step that is. */
typedef struct vanishing {
    long calls, last;
} vanishing;

static dal_status plane_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status plane_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 0.0;
    g[1] = 9.81;
    return DAL_OK;
}

static dal_status plane_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status vanishing_B(double *B, double t, const double *q, void *user)
{
    vanishing *self = user;
    const double scale = self->calls++ < self->last ? 1.0 : 0.0;
    B[0] = scale * q[0];
    B[1] = scale * q[1];
    return DAL_OK;
}

static void an_unknown_equation_is_not_given_a_number(void **state)
{
    static const char *const options[] = {
        "h=0.01",        "h=0.01 formulation=ggl",    "h=0.01 projection=plain projection_every=1",
        "step=adaptive", "integrator=lobatto h=0.01", "integrator=lobatto h=0.01 linear_solver=sparse"};
    const double q0[2] = {1.0, 0.0};
    dal_group *group;
    dal_system *sys;
    vanishing vanish = {0};
    check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1));
    const dal_dense d = {
        .group = group, .nc = 1, .user = &vanish, .M = plane_M, .g = plane_g, .Phi = plane_Phi, .B = vanishing_B};
    for (size_t k = 0; k < LEN(options); ++k) {
        const dal_options opt = runs_options(ctx, options[k]);
        for (int calls = 0; calls < 40; ++calls) {
            dal_sim *sim;
            vanish = (vanishing){.last = 1000000};
            check_ok(ctx, dal_dense_create(&sys, ctx, &d));
            check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
            check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q0, NULL));
            vanish.last = vanish.calls + calls;
            dal_status st = dal_sim_run(sim, NULL, 0.0234);
            st = st == DAL_OK ? dal_sim_run(sim, NULL, 0.03) : st;
            assert_true(st == DAL_OK || !strstr(dal_ctx_message(ctx), "equation -1"));
            assert_true(st == DAL_OK || !strstr(dal_ctx_message(ctx), "row -1"));
            dal_sim_destroy(sim);
            dal_dense_destroy(sys);
        }
    }
    dal_group_destroy(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_are_not_finite_are_named_with_callback_and_time),
        cmocka_unit_test(a_callback_that_asks_for_a_smaller_step_is_named_with_the_remedy),
        cmocka_unit_test(a_callback_that_fails_is_named_with_its_own_message_or_its_status),
        cmocka_unit_test(the_run_goes_on_as_if_nothing_had_happened_when_the_cause_is_gone),
        cmocka_unit_test(newton_that_does_not_converge_says_how_far_it_came),
        cmocka_unit_test(a_start_that_fails_names_the_callback),
        cmocka_unit_test(a_projection_that_fails_keeps_the_state),
        cmocka_unit_test(block_systems_are_named_by_quantity_and_row),
        cmocka_unit_test(an_unknown_equation_is_not_given_a_number),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
