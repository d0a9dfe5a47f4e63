/* Lack of memory at any point of a search or of a driven motion is told, and nothing leaks. */
#include "dalembert/driven.h"
#include "static_models.h"

static dal_status search(dal_ctx *ctx, void *user)
{
    const rest_model *m = user;
    double q[64];
    memcpy(q, dal_model_q0(m->model), (size_t)m->sys->group->nq * sizeof *q);
    return dal_static_solve(ctx, m->sys, NULL, q, NULL, NULL, NULL, 0.0, NULL);
}

static dal_status follow(dal_ctx *ctx, void *user)
{
    const rest_model *m = user;
    int row, n;
    double force;
    dal_driven *k;
    DAL_TRY(dal_model_joint_rows(m->model, &row, &n, dal_model_find_joint(m->model, "drive")));
    const dal_driven_spec spec = {.q = dal_model_q0(m->model), .drive = 1 + row};
    DAL_TRY(dal_driven_create(&k, ctx, m->sys, NULL, &spec));
    dal_status st = dal_driven_to(k, 0.1);
    st = st == DAL_OK ? dal_driven_forces(k, &force, NULL, &row, 1, &row, 1) : st;
    dal_driven_destroy(k);
    return st;
}

static void search_survives_every_allocation_that_fails(void **state)
{
    rest_model m = rest_builtin("double_pendulum", NULL, 0);
    assert_true(check_every_allocation(search, &m) > 5);
    rest_free(&m);
}

static void driven_motion_survives_every_allocation_that_fails(void **state)
{
    rest_model m = {.ctx = check_ctx()};
    int function, number;
    check_ok(m.ctx, dal_document_open(&m.doc, m.ctx, "slider_crank", NULL, 0));
    check_ok(m.ctx, dal_document_add_function(m.doc, &function, "f", "t"));
    const dal_joint motion = {.name = "drive", .type = "motion", .joint = "A", .function = function};
    check_ok(m.ctx, dal_model_add_joint(dal_document_model(m.doc), &number, &motion));
    rest_compile(&m);
    assert_true(check_every_allocation(follow, &m) > 5);
    rest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_survives_every_allocation_that_fails),
        cmocka_unit_test(driven_motion_survives_every_allocation_that_fails),
    };
    return cmocka_run_group_tests_name("static_memory", tests, NULL, NULL);
}
