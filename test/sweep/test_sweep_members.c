/* Members of a generated program that are stepped from outside. */
#include <math.h>
#include <string.h>

#include "dalembert/dalembert.h"
#include "sweep/backend.h"

/* A crane whose drive is an input; as a program, and as simulations of the library. */
typedef struct crane {
    dal_ctx *ctx;
    dal_document *doc;
    dal_binding *binding;
    const dal_system *sys;
    dal_sim *sim;
    dal_members *members;
} crane;

static const char text[] =
    "{\"dalembert\": 1, \"name\": \"crane\", \"gravity\": [0, 0, -9.81], \"inputs\": {\"u\": 0},"
    "\"bodies\": [{\"name\": \"cart\", \"mass\": 2, \"inertia\": 1},"
    "{\"name\": \"bob\", \"mass\": 0.5, \"inertia\": 0.01, \"position\": [0.3, 0, -0.4]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"pin\", \"type\": \"revolute\", \"body_a\": \"cart\", \"body_b\": \"bob\", \"point\": [0, 0, 0], "
    "\"axis\": [0, 1, 0]}],"
    "\"forces\": [{\"name\": \"drive\", \"type\": \"law\", \"joint\": \"rail\", \"value\": \"u\"}],"
    "\"outputs\": [\"bob.position\", \"energy\", \"drive.work\"], \"simulation\": {\"h\": 1e-3, \"newton\": \"full\"}}";
static const char *const inputs[] = {"u"}, *const outputs[] = {"energy"};

static dal_status open_crane(crane *c, dal_ctx *ctx, const char *output)
{
    const double zero = 0.0;
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    DAL_TRY(dal_document_open_with(&c->doc, ctx, "crane", &(dal_load_options){.text = text}));
    DAL_TRY(dal_model_compile(dal_document_model(c->doc), &c->sys));
    DAL_TRY(dal_binding_create(&c->binding, ctx, c->doc, inputs, 1));
    DAL_TRY(dal_sim_create(&c->sim, ctx, c->sys, dal_document_options(c->doc)));
    return dal_members_create(&c->members, ctx,
                              &(dal_members_spec){.document = c->doc,
                                                  .binding = c->binding,
                                                  .parameters = inputs,
                                                  .nparameters = 1,
                                                  .values = &zero,
                                                  .outputs = &output,
                                                  .noutputs = 1,
                                                  .change = 1,
                                                  .backend = DAL_SWEEP_LANES});
}

static void close_crane(crane *c)
{
    dal_members_destroy(c->members);
    dal_sim_destroy(c->sim);
    dal_binding_destroy(c->binding);
    dal_document_destroy(c->doc);
}

static void put(const crane *c, dal_members_block *b, int i, double u)
{
    check_ok(c->ctx, dal_binding_start(c->binding, c->sim, NULL, &u));
    check_ok(c->ctx, dal_members_put(b, i, c->sim));
}

static void change(const crane *c, dal_members_block *b, int i, double u)
{
    const dal_members_view view = dal_members_look(b);
    memset(view.which, 0, (size_t)view.n * sizeof *view.which);
    view.which[i] = 1;
    view.p[i] = u;
    check_ok(c->ctx, dal_members_change(b));
}

/* Member i is bit for bit the first of another block. */
static void is_first_of(const crane *c, const dal_members_block *b, int i, const dal_members_block *other)
{
    const dal_members_view all = dal_members_look(b), one = dal_members_look(other);
    for (int k = 0; k < dal_program_size(dal_members_program(c->members)); ++k) {
        assert_true(all.x[k * all.n + i] == one.x[k * one.n]);
    }
    assert_true(all.y[i] == one.y[0] && !all.failed[i] && !one.failed[0]);
}

static void members_started_or_changed_at_different_times_do_not_disturb_each_other(void **state)
{
    crane c;
    dal_members_block *all, *one;
    dal_ctx *ctx = check_ctx();
    check_ok(ctx, open_crane(&c, ctx, outputs[0]));
    const int n = dal_members_width(c.members);
    assert_true(n == 4 || n == 8);
    for (int i = 0; i < n; ++i) { // it comes into the block after i steps, and is changed after 5
        check_ok(ctx, dal_members_block_create(&all, ctx, c.members, n));
        check_ok(ctx, dal_members_block_create(&one, ctx, c.members, 1));
        for (int k = 0; k < n; ++k) {
            put(&c, all, k, 1.0 + k);
        }
        if (i > 0) {
            check_ok(ctx, dal_members_step(all, i));
        }
        put(&c, all, i, 3.0);
        put(&c, one, 0, 3.0);
        for (int half = 0; half < 2; ++half) {
            check_ok(ctx, dal_members_step(all, 5));
            check_ok(ctx, dal_members_step(one, 5));
            is_first_of(&c, all, i, one);
            change(&c, all, i, -2.0);
            change(&c, one, 0, -2.0);
        }
        dal_members_block_destroy(all);
        dal_members_block_destroy(one);
    }
    close_crane(&c);
    check_ctx_free(ctx);
}

static void a_changed_input_is_a_jump_as_in_the_library(void **state)
{
    crane c;
    dal_members_block *b;
    dal_sim *sim;
    dal_ctx *ctx = check_ctx();
    check_ok(ctx, open_crane(&c, ctx, outputs[0]));
    check_ok(ctx, dal_members_block_create(&b, ctx, c.members, 3));
    check_ok(ctx, dal_sim_create(&sim, ctx, c.sys, dal_document_options(c.doc)));
    for (int i = 0; i < 3; ++i) {
        put(&c, b, i, 0.0);
    }
    const double zero = 0.0;
    check_ok(ctx, dal_binding_start(c.binding, sim, NULL, &zero));
    const dal_member_layout at = dal_program_layout(dal_members_program(c.members));
    for (int k = 0; k < 30; ++k) {
        const double u = 5.0 * sin(k);
        change(&c, b, 1, u);
        check_ok(ctx, dal_binding_change(c.binding, sim, &u));
        check_ok(ctx, dal_members_step(b, 2));
        check_ok(ctx, dal_sim_step(sim));
        check_ok(ctx, dal_sim_step(sim));
        const dal_members_view view = dal_members_look(b);
        const dal_state s = dal_sim_state(sim);
        for (int j = 0; j < at.nq; ++j) {
            assert_near(view.x[(at.q + j) * 3 + 1], s.q[j], 1e-14);
        }
        for (int j = 0; j < at.nv; ++j) {
            assert_near(view.x[(at.v + j) * 3 + 1], s.v[j], 1e-13);
            assert_near(view.x[(at.vd + j) * 3 + 1], s.vd[j], 1e-9);
        }
        assert_true(view.x[at.t * 3 + 1] == s.t);
    }
    dal_sim_destroy(sim);
    dal_members_block_destroy(b);
    close_crane(&c);
    check_ctx_free(ctx);
}

static void what_members_cannot_be_is_refused(void **state)
{
    crane c;
    dal_members_block *b;
    dal_ctx *ctx = check_ctx();
    assert_int_equal(open_crane(&c, ctx, "pin.force"), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), "'pin.force' is not for generated programs"));
    close_crane(&c);
    check_ok(ctx, open_crane(&c, ctx, outputs[0]));
    assert_int_equal(dal_members_block_create(&b, ctx, c.members, 0), DAL_EINVAL);
    check_ok(ctx, dal_members_block_create(&b, ctx, c.members, 2));
    assert_int_equal(dal_members_put(b, 2, c.sim), DAL_EINVAL);
    put(&c, b, 1, 1.0);
    check_ok(ctx, dal_members_step(b, 3)); // where nothing was put nothing moves
    assert_true(dal_members_look(b).failed[0] && !dal_members_look(b).failed[1]);
    dal_members_block_destroy(b);
    dal_members *none;
    const dal_members_spec spec = {.document = c.doc, .binding = c.binding, .backend = DAL_SWEEP_INTERPRETED};
    assert_int_equal(dal_members_create(&none, ctx, &spec), DAL_EINVAL);
    assert_null(none);
    close_crane(&c);
    check_ctx_free(ctx);
}

static dal_status make_block(dal_ctx *ctx, void *user)
{
    crane c;
    dal_members_block *b = NULL;
    (void)user;
    dal_status st = open_crane(&c, ctx, outputs[0]);
    st = st == DAL_OK ? dal_members_block_create(&b, ctx, c.members, 3) : st;
    dal_members_block_destroy(b);
    close_crane(&c);
    return st;
}

static void without_memory_nothing_is_lost(void **state)
{
    assert_true(check_every_allocation(make_block, NULL) > 10);
}

int main(void)
{
    backend_cache("-O1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_started_or_changed_at_different_times_do_not_disturb_each_other),
        cmocka_unit_test(a_changed_input_is_a_jump_as_in_the_library),
        cmocka_unit_test(what_members_cannot_be_is_refused),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    return failed;
}
