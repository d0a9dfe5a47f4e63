/* Joints that are released at a time: what they held flies on, their reactions are zero, and which of the other rows depend on
 * each other is decided again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

typedef struct run {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    double y[32];
} run;

static run start(const char *text, const char *option)
{
    run r = {.ctx = check_ctx()};
    check_ok(r.ctx, dal_document_parse(&r.doc, r.ctx, text, strlen(text), "test", &option, option != NULL));
    r.model = dal_document_model(r.doc);
    check_ok(r.ctx, dal_model_compile(r.model, &r.sys));
    check_ok(r.ctx, dal_sim_create(&r.sim, r.ctx, r.sys, dal_document_options(r.doc)));
    check_ok(r.ctx, dal_sim_start(r.sim, 0.0, dal_model_q0(r.model), dal_model_v0(r.model), NULL));
    return r;
}

static void run_to(run *r, double t)
{
    check_ok(r->ctx, dal_sim_run(r->sim, t, NULL));
    const dal_point at = dal_sim_point(r->sim);
    check_ok(r->ctx, dal_model_outputs(r->model, dal_sim_data(r->sim), &at, r->y));
}

static void end(run *r)
{
    dal_sim_destroy(r->sim);
    dal_document_destroy(r->doc);
    check_ctx_free(r->ctx);
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
    static const char *const option[] = {"rtol=1e-10",          "formulation=ggl", "redundant=drop",
                                         "integrator=lobatto",  "integrator=rk",   "step=adaptive",
                                         "redundant=least_norm"};
    for (size_t k = 0; k < LEN(option); ++k) {
        run r = start(sling, option[k]);
        run_to(&r, 0.4999);
        assert_near(hypot(r.y[3], r.y[4]), 18.0, 1e-2); // m w^2 r
        run_to(&r, 2.0);
        const double x = cos(1.5) - 3.0 * sin(1.5) * 1.5, y = sin(1.5) + 3.0 * cos(1.5) * 1.5;
        assert_near(r.y[0], x, 3e-3);
        assert_near(r.y[1], y, 3e-3);
        assert_near(check_max_abs(r.y + 3, 3), 0.0, 0.0);
        assert_near(r.y[8], 3.0, 1e-3);
        const dal_state now = dal_sim_state(r.sim);
        assert_near(check_max_abs(now.la, 5), 0.0, 0.0);
        assert_near(hypot(now.v[0], now.v[1]), 3.0, 1e-3);
        end(&r);
    }
}

/* The same to the order of the method: Lobatto's leaves nothing of the error but rounding. */
static void the_flight_is_as_exact_as_the_method(void **state)
{
    run r = start(sling, "integrator=lobatto");
    run_to(&r, 2.0);
    assert_near(r.y[0], cos(1.5) - 3.0 * sin(1.5) * 1.5, 1e-8);
    assert_near(r.y[1], sin(1.5) + 3.0 * cos(1.5) * 1.5, 1e-8);
    end(&r);
}

/* Two brackets hold a lamp, one would do: six rows are left out. When a bracket goes, whichever it is, the other one carries. */
static const char lamp[] =
    "{\"dalembert\": 1, \"name\": \"lamp\", \"gravity\": [0, 0, -10], \"variables\": {\"first\": 9, \"second\": 9}, "
    "\"bodies\": [{\"name\": \"lamp\", \"mass\": 3, \"inertia\": [0.1, 0.1, 0.1]}],"
    "\"joints\": [{\"name\": \"one\", \"type\": \"fixed\", \"body_b\": \"lamp\", \"point\": [0, 0, 0], \"release\": "
    "\"first\"},"
    "{\"name\": \"two\", \"type\": \"fixed\", \"body_b\": \"lamp\", \"point\": [0, 0, 0], \"release\": \"second\"}],"
    "\"outputs\": [\"lamp.position\", \"one.force\", \"two.force\"], "
    "\"simulation\": {\"t_end\": 1, \"h\": 0.01, \"redundant\": \"drop\"}}";

static void which_rows_are_left_out_is_decided_again(void **state)
{
    static const char *const option[] = {"first=0.5", "second=0.5"};
    for (int k = 0; k < 2; ++k) {
        run r = start(lamp, option[k]);
        run_to(&r, 0.4);
        assert_near(r.y[5] + r.y[8], 30.0, 1e-10);
        run_to(&r, 1.0);
        assert_near(r.y[2], 0.0, 1e-12);
        assert_near(r.y[k == 0 ? 5 : 8], 0.0, 0.0);
        assert_near(r.y[k == 0 ? 8 : 5], 30.0, 1e-10);
        end(&r);
    }
}

static void a_snapshot_knows_what_has_been_released(void **state)
{
    static const double when[] = {0.3, 0.8};
    for (int k = 0; k < 2; ++k) {
        run r = start(sling, NULL), other = start(sling, NULL);
        run_to(&r, when[k]);
        const size_t size = dal_sim_snapshot_size(r.sim);
        void *bytes = malloc(size);
        check_ok(r.ctx, dal_sim_save(r.sim, bytes, size));
        check_ok(other.ctx, dal_sim_restore(other.sim, bytes, size));
        free(bytes);
        run_to(&r, 2.0);
        run_to(&other, 2.0);
        assert_memory_equal(r.y, other.y, 9 * sizeof(double));
        end(&r);
        end(&other);
    }
}

/* A second start of the same simulation begins with the joint closed. */
static void a_new_start_closes_the_joint_again(void **state)
{
    run r = start(sling, NULL);
    double first[9];
    run_to(&r, 2.0);
    memcpy(first, r.y, sizeof first);
    check_ok(r.ctx, dal_sim_reset(r.sim, NULL));
    run_to(&r, 0.4);
    assert_near(hypot(r.y[0], r.y[1]), 1.0, 1e-12);
    run_to(&r, 2.0);
    assert_near(check_max_abs_diff(first, r.y, 9), 0.0, 1e-2); // a step ended at 0.4
    end(&r);
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
    run r = start(text, NULL);
    check_fails(r.ctx, dal_sim_run(r.sim, 1.0, NULL), DAL_EREDUNDANT, "where joints are released, at t = 0.25");
    assert_near(dal_sim_state(r.sim).t, 0.25, 0.0);
    assert_near(dal_sim_state(r.sim).q[0], cos(0.25), 1e-5);
    check_fails(r.ctx, dal_sim_step(r.sim), DAL_EINVAL, "call dal_sim_start first");
    check_ok(r.ctx, dal_sim_start(r.sim, 0.0, dal_model_q0(r.model), dal_model_v0(r.model), NULL));
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_cannot_be_free_ends_the_run_there),
        cmocka_unit_test(what_is_released_flies_along_the_tangent),
        cmocka_unit_test(the_flight_is_as_exact_as_the_method),
        cmocka_unit_test(which_rows_are_left_out_is_decided_again),
        cmocka_unit_test(a_snapshot_knows_what_has_been_released),
        cmocka_unit_test(a_new_start_closes_the_joint_again),
    };
    return cmocka_run_group_tests_name("sim_release", tests, NULL, NULL);
}
