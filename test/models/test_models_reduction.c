/* The system of a reduction stands for the whole one in everything a simulation asks: checked on every built-in model. */
#include <stddef.h>
#include <string.h>

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
        if (dal_system_rows(f.sys) > 0) {
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

/* Callbacks of the whole system would take the reduction for the data of the model: none may be passed on as it is. Words of
 * the description from the first callback on, but for the number of memories, are callbacks and their `user`. */
static void a_reduced_system_has_callbacks_of_its_own(void **state)
{
    fixture f;
    open_model(&f, "heavy_top");
    const char *a = (const char *)f.sys, *b = (const char *)dal_reduction_system(f.red);
    for (size_t at = offsetof(dal_system, residual); at + sizeof(void *) <= sizeof(dal_system); at += sizeof(void *)) {
        const void *whole, *reduced;
        memcpy(&whole, a + at, sizeof whole);
        memcpy(&reduced, b + at, sizeof reduced);
        assert_true(at == offsetof(dal_system, nmemory) || whole == NULL || whole != reduced);
        assert_true(whole == NULL || reduced != NULL);
    }
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduced_system_moves_as_the_whole_one_does),
        cmocka_unit_test(a_reduced_system_has_callbacks_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
