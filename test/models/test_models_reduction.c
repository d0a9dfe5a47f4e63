/* The system of a reduction stands for the whole one in everything a simulation asks: checked on every built-in model. */
#include "dalembert/dalembert.h"
#include "support/check.h"

typedef struct fixture {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_reduction *red;
} fixture;

static void open_model(fixture *f, const char *name)
{
    f->ctx = check_ctx();
    check_ok(f->ctx, dal_document_open(&f->doc, f->ctx, name, NULL, 0));
    f->model = dal_document_model(f->doc);
    check_ok(f->ctx, dal_model_compile(f->model, &f->sys));
    check_ok(f->ctx, dal_document_assemble(f->doc, NULL, f->sys));
    check_ok(f->ctx, dal_reduction_create(&f->red, f->ctx, f->sys, 0.0, dal_model_q0(f->model), 0.0));
}

static void close_model(fixture *f)
{
    dal_reduction_destroy(f->red);
    dal_document_destroy(f->doc);
    check_ctx_free(f->ctx);
}

static dal_sim *ten_steps(fixture *f, const dal_system *sys, dal_redundant redundant)
{
    dal_options opt = *dal_document_options(f->doc);
    dal_sim *sim;
    opt.redundant = (int)redundant;
    check_ok(f->ctx, dal_sim_create(&sim, f->ctx, sys, &opt));
    check_ok(f->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(f->model), dal_model_v0(f->model)));
    for (int i = 0; i < 10; ++i) {
        check_ok(f->ctx, dal_sim_step(sim));
    }
    return sim;
}

/* Leaving rows out by hand is what the option does. */
static void a_reduced_system_moves_as_the_whole_one_does(void **state)
{
    for (int k = 0; k < dal_builtin_count(); ++k) {
        fixture f;
        open_model(&f, dal_builtin_model(k).name);
        if (dal_system_rows(f.sys) > 0 && f.sys->contacts.n == 0) {
            dal_sim *whole = ten_steps(&f, f.sys, DAL_REDUNDANT_DROP);
            dal_sim *reduced = ten_steps(&f, dal_reduction_system(f.red), DAL_REDUNDANT_ERROR);
            const dal_state a = dal_sim_state(whole), b = dal_sim_state(reduced);
            assert_near(a.t, b.t, 0.0);
            for (int i = 0; i < f.sys->group->nq; ++i) {
                assert_near(b.q[i], a.q[i], 1e-12);
            }
            for (int i = 0; i < f.sys->group->nv; ++i) {
                assert_near(b.v[i], a.v[i], 1e-9);
            }
            dal_sim_destroy(whole);
            dal_sim_destroy(reduced);
        }
        close_model(&f);
    }
}

/* Callbacks of the whole system see all its rows and its own data: the reduced one has them, and its calls bridge the difference.
 * The energy, which all of them pass through, is that of the whole system. */
static void a_reduced_system_answers_as_the_whole_one(void **state)
{
    fixture f;
    open_model(&f, "n_four_bar");
    const dal_system *reduced = dal_reduction_system(f.red);
    assert_memory_equal(&reduced->equations, &f.sys->equations, sizeof f.sys->equations);
    assert_memory_equal(&reduced->life, &f.sys->life, sizeof f.sys->life);
    assert_memory_equal(&reduced->names, &f.sys->names, sizeof f.sys->names);
    assert_ptr_equal(reduced->user, f.sys->user);
    dal_sim *whole = ten_steps(&f, f.sys, DAL_REDUNDANT_DROP), *sim = ten_steps(&f, reduced, DAL_REDUNDANT_ERROR);
    double a, b;
    check_ok(f.ctx, dal_sim_energy(whole, &a));
    check_ok(f.ctx, dal_sim_energy(sim, &b));
    assert_near(b, a, 1e-9);
    dal_sim_destroy(whole);
    dal_sim_destroy(sim);
    close_model(&f);
}

/* Of a system that is reduced itself, other rows can be left out: with each row of another, the rows that were needed. */
static void a_reduced_system_can_be_reduced_again(void **state)
{
    fixture f;
    dal_reduction *again;
    open_model(&f, "n_four_bar");
    const dal_system *reduced = dal_reduction_system(f.red);
    check_ok(f.ctx, dal_reduction_create(&again, f.ctx, reduced, 0.0, dal_model_q0(f.model), 0.0));
    assert_int_equal(dal_reduction_count(again), 0);
    dal_sim *once = ten_steps(&f, reduced, DAL_REDUNDANT_ERROR);
    dal_sim *twice = ten_steps(&f, dal_reduction_system(again), DAL_REDUNDANT_DROP);
    const dal_state a = dal_sim_state(once), b = dal_sim_state(twice);
    for (int i = 0; i < f.sys->group->nq; ++i) {
        assert_near(b.q[i], a.q[i], 1e-12);
    }
    dal_sim_destroy(once);
    dal_sim_destroy(twice);
    dal_reduction_destroy(again);
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduced_system_moves_as_the_whole_one_does),
        cmocka_unit_test(a_reduced_system_answers_as_the_whole_one),
        cmocka_unit_test(a_reduced_system_can_be_reduced_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
