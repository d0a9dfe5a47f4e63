/* Joints that are released at a time: what they held flies on, their reactions are zero, and which of the other rows depend on
 * each other is decided again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

static check_model start(const char *text, const char *option)
{
    return check_model_start(text, &option, 1);
}

/* A body on an arm of length 1 turns at w = 3 rad/s without gravity; released at 0.5 it flies along the tangent. */
static const char sling[] =
    "{\"dalembert\": 1, \"name\": \"sling\", \"bodies\": [{\"name\": \"stone\", \"mass\": 2, \"inertia\": [0.1, 0.1, "
    "0.1], "
    "\"position\": [1, 0, 0], \"velocity\": [0, 3, 0], \"angular_velocity\": [0, 0, 3]}],"
    "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"body_b\": \"stone\", \"point\": [0, 0, 0], \"axis\": "
    "[0, 0, 1], \"release\": 0.5}],"
    "\"outputs\": [\"stone.position\", \"pin.force\", \"stone.angular_velocity\"], "
    "\"simulation\": {\"t_end\": 2, \"h\": 0.0123}}";

static void what_is_released_flies_along_the_tangent(void **state)
{
    static const char *const option[] = {
        "rtol=1e-10",    "formulation=ggl",      "redundant=drop",  "integrator=lobatto", "integrator=rk",
        "step=adaptive", "redundant=least_norm", "integrator=auto", "integrator=bdf",     "integrator=rattlie"};
    for (size_t k = 0; k < LEN(option); ++k) {
        check_model r = start(sling, option[k]);
        check_model_run(&r, 0.4999);
        assert_near(hypot(r.y[3], r.y[4]), 18.0, 1e-2); // m w^2 r
        check_model_run(&r, 2.0);
        const double x = cos(1.5) - 3.0 * sin(1.5) * 1.5, y = sin(1.5) + 3.0 * cos(1.5) * 1.5;
        assert_near(r.y[0], x, 3e-3);
        assert_near(r.y[1], y, 3e-3);
        assert_near(check_max_abs(r.y + 3, 3), 0.0, 0.0);
        assert_near(r.y[8], 3.0, 1e-3);
        const dal_state now = dal_sim_state(r.sim);
        assert_near(check_max_abs(now.la, 5), 0.0, 0.0);
        assert_near(hypot(now.v[0], now.v[1]), 3.0, 1e-3);
        check_model_free(&r);
    }
}

/* The same to the order of the method: Lobatto's leaves nothing of the error but rounding. */
static void the_flight_is_as_exact_as_the_method(void **state)
{
    check_model r = start(sling, "integrator=lobatto");
    check_model_run(&r, 2.0);
    assert_near(r.y[0], cos(1.5) - 3.0 * sin(1.5) * 1.5, 1e-8);
    assert_near(r.y[1], sin(1.5) + 3.0 * cos(1.5) * 1.5, 1e-8);
    check_model_free(&r);
}

/* Two brackets hold a lamp, one would do: six rows are left out. When a bracket goes, whichever it is, the other one carries. */
#define LAMP(first, redundant)                                                                                        \
    "{\"dalembert\": 1, \"name\": \"lamp\", \"gravity\": [0, 0, -10], \"variables\": {\"first\": " first              \
    ", \"second\": 9}, "                                                                                              \
    "\"bodies\": [{\"name\": \"lamp\", \"mass\": 3, \"inertia\": [0.1, 0.1, 0.1]}],"                                  \
    "\"joints\": [{\"name\": \"one\", \"type\": \"fixed\", \"body_b\": \"lamp\", \"point\": [0, 0, 0], \"release\": " \
    "\"first\"},"                                                                                                     \
    "{\"name\": \"two\", \"type\": \"fixed\", \"body_b\": \"lamp\", \"point\": [0, 0, 0], \"release\": \"second\"}]," \
    "\"outputs\": [\"lamp.position\", \"one.force\", \"two.force\"], "                                                \
    "\"simulation\": {\"t_end\": 1, \"h\": 0.01, \"redundant\": \"" redundant "\"}}"

static const char lamp[] = LAMP("9", "drop"), shared_lamp[] = LAMP("0.5055", "least_norm");

static void which_rows_are_left_out_is_decided_again(void **state)
{
    static const char *const option[] = {"first=0.5", "second=0.5"};
    for (int k = 0; k < 2; ++k) {
        check_model r = start(lamp, option[k]);
        check_model_run(&r, 0.4);
        assert_near(r.y[5] + r.y[8], 30.0, 1e-10);
        check_model_run(&r, 1.0);
        assert_near(r.y[2], 0.0, 1e-12);
        assert_near(r.y[k == 0 ? 5 : 8], 0.0, 0.0);
        assert_near(r.y[k == 0 ? 8 : 5], 30.0, 1e-10);
        check_model_free(&r);
    }
}

typedef struct sampled {
    check_model *r;
    int n, before;
} sampled;

/* Both brackets carry half of the 30 N, until one is open. */
static dal_status brackets_share_the_load(dal_sim *sim, const dal_point *at, void *user)
{
    sampled *s = user;
    double y[9];
    check_ok(s->r->ctx, dal_model_outputs(s->r->model, dal_sim_data(sim), y, at));
    const int closed = at->t < 0.5055;
    assert_near(y[5], closed ? 15.0 : 0.0, 1e-9);
    assert_near(y[8], closed ? 15.0 : 30.0, 1e-9);
    s->before += closed;
    s->n++;
    return DAL_OK;
}

/* Samples within the step that ends at the release, from 0.5 to 0.5055, still see the joint closed. */
static void samples_of_the_step_before_see_the_joint_closed(void **state)
{
    static const char *const option[] = {"\"rtol\": 1e-10", "\"integrator\": \"lobatto\"", "\"integrator\": \"rk\"",
                                         "\"formulation\": \"ggl\"", "\"step\": \"adaptive\""};
    for (size_t k = 0; k < LEN(option); ++k) {
        char text[2000];
        snprintf(text, sizeof text, "%.*s, %s}}", (int)strlen(shared_lamp) - 2, shared_lamp, option[k]);
        check_model r = start(text, NULL);
        sampled s = {.r = &r};
        check_ok(r.ctx, dal_sim_sample(r.sim, &(dal_sampling){.every = 0.001}, brackets_share_the_load, &s));
        check_model_run(&r, 0.6);
        assert_int_equal(s.n, 601);
        assert_int_equal(s.before, 506);
        check_model_free(&r);
    }
}

/* Two bodies let go one after the other: b of the wall at 0.0511, c of b so little later that no step fits between. */
static const char twice[] =
    "{\"dalembert\": 1, \"name\": \"twice\", \"gravity\": [0, 0, -9.81], \"variables\": {\"gap\": 0}, \"bodies\": "
    "[{\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 0]}, "
    "{\"name\": \"c\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2, 0, 0]}], \"joints\": "
    "[{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"b\", \"point\": [0, 0, 0], \"axis\": [0, 1, 0], "
    "\"release\": 0.0511}, {\"name\": \"B\", \"type\": \"spherical\", \"body_a\": \"b\", \"body_b\": \"c\", "
    "\"point\": [1.5, 0, 0], \"release\": \"0.0511 + gap\"}], \"outputs\": [\"b.velocity\", \"c.velocity\", "
    "\"b.angular_velocity\", \"c.angular_velocity\"], \"simulation\": {\"t_end\": 0.1, \"h\": 0.002}}";

static void releases_almost_at_the_same_time_are_one(void **state)
{
    static const char *const gap[] = {"gap=1e-16", "gap=1e-13", "gap=1e-12", "gap=1e-10", "gap=-1e-13", "gap=-1e-10"};
    static const char *const step[] = {"fixed", "adaptive"};
    for (size_t i = 0; i < LEN(step); ++i) {
        char text[2000];
        snprintf(text, sizeof text, "%.*s, \"step\": \"%s\"}}", (int)strlen(twice) - 2, twice, step[i]);
        check_model same = start(text, NULL);
        check_model_run(&same, 0.1);
        for (size_t k = 0; k < LEN(gap); ++k) {
            check_model r = start(text, gap[k]);
            check_model_run(&r, 0.1);
            assert_near(check_max_abs_diff(r.y, same.y, 12), 0.0, 1e-8);
            check_model_free(&r);
        }
        check_model_free(&same);
    }
}

/* A run that ends at the first of the two goes on from there. */
static void a_run_may_end_at_the_first_of_two_releases(void **state)
{
    check_model same = start(twice, "gap=0"), r = start(twice, "gap=1e-10");
    check_model_run(&same, 0.1);
    check_model_run(&r, 0.0511);
    check_model_run(&r, 0.1);
    assert_near(check_max_abs_diff(r.y, same.y, 12), 0.0, 2e-5);
    check_model_free(&r);
    check_model_free(&same);
}

static void a_snapshot_knows_what_has_been_released(void **state)
{
    static const double when[] = {0.3, 0.8};
    for (int k = 0; k < 2; ++k) {
        check_model r = start(sling, NULL), other = start(sling, NULL);
        check_model_run(&r, when[k]);
        const size_t size = dal_sim_snapshot_size(r.sim);
        void *bytes = malloc(size);
        check_ok(r.ctx, dal_sim_save(r.sim, bytes, size));
        check_ok(other.ctx, dal_sim_restore(other.sim, bytes, size));
        free(bytes);
        check_model_run(&r, 2.0);
        check_model_run(&other, 2.0);
        assert_memory_equal(r.y, other.y, 9 * sizeof(double));
        check_model_free(&r);
        check_model_free(&other);
    }
}

/* A second start of the same simulation begins with the joint closed. */
static void a_new_start_closes_the_joint_again(void **state)
{
    check_model r = start(sling, NULL);
    double first[9];
    check_model_run(&r, 2.0);
    memcpy(first, r.y, sizeof first);
    check_ok(r.ctx, dal_sim_reset(r.sim, NULL));
    check_model_run(&r, 0.4);
    assert_near(hypot(r.y[0], r.y[1]), 1.0, 1e-12);
    check_model_run(&r, 2.0);
    assert_near(check_max_abs_diff(first, r.y, 9), 0.0, 1e-2); // a step ended at 0.4
    check_model_free(&r);
}

/* A rod without inertia about its axis cannot be let go: the message says so, and where. */
static void a_body_that_cannot_be_free_ends_the_run_there(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"name\": \"rod\", \"bodies\": [{\"name\": \"rod\", \"mass\": 1, \"inertia\": {\"rod\": 1, "
        "\"axis\": \"x\"}, \"position\": [1, 0, 0], \"velocity\": [0, 1, 0], \"angular_velocity\": [0, 0, 1]}], "
        "\"joints\": "
        "[{\"name\": \"pin\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], "
        "\"release\": 0.25}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}";
    check_model r = start(text, NULL);
    check_fails(r.ctx, dal_sim_run(r.sim, NULL, 1.0), DAL_EREDUNDANT, "where joints are released, at t = 0.25");
    assert_near(dal_sim_state(r.sim).t, 0.25, 0.0);
    assert_near(dal_sim_state(r.sim).q[0], cos(0.25), 1e-5);
    check_fails(r.ctx, dal_sim_step(r.sim), DAL_EINVAL, "call dal_sim_start first");
    check_ok(r.ctx, dal_sim_start(r.sim, NULL, 0.0, dal_model_q0(r.model), dal_model_v0(r.model)));
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_cannot_be_free_ends_the_run_there),
        cmocka_unit_test(what_is_released_flies_along_the_tangent),
        cmocka_unit_test(the_flight_is_as_exact_as_the_method),
        cmocka_unit_test(which_rows_are_left_out_is_decided_again),
        cmocka_unit_test(samples_of_the_step_before_see_the_joint_closed),
        cmocka_unit_test(releases_almost_at_the_same_time_are_one),
        cmocka_unit_test(a_run_may_end_at_the_first_of_two_releases),
        cmocka_unit_test(a_snapshot_knows_what_has_been_released),
        cmocka_unit_test(a_new_start_closes_the_joint_again),
    };
    return cmocka_run_group_tests_name("sim_release", tests, NULL, NULL);
}
