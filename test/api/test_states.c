/* Numbers that are no state, NaN or a quaternion of another length, are refused by every function that begins from one. */
#include <math.h>
#include <string.h>

#include "dalembert/dalembert.h"
#include "support/check.h"

enum { MAX = 64 };

typedef struct fixture {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    double q[MAX], v[MAX], zero[MAX];
} fixture;

static dal_status initial(fixture *f)
{
    return dal_model_set_initial(f->model, f->q, f->v);
}

static dal_status start(fixture *f)
{
    dal_sim *sim;
    check_ok(f->ctx, dal_sim_create(&sim, f->ctx, f->sys, NULL));
    const dal_status st = dal_sim_start(sim, NULL, 0.0, f->q, f->v);
    dal_sim_destroy(sim);
    return st;
}

static dal_status check(fixture *f)
{
    return dal_system_check(f->ctx, f->sys, NULL, &(dal_point){0.0, f->q, f->v, f->zero, f->zero}, 1e-3);
}

static dal_status modes(fixture *f)
{
    dal_modal *modal;
    const dal_status st =
        dal_modal_create(&modal, f->ctx, f->sys, NULL, &(dal_point){0.0, f->q, f->v, f->zero, f->zero}, NULL);
    dal_modal_destroy(modal);
    return st;
}

static dal_status linear(fixture *f)
{
    dal_linear *made;
    const dal_status st = dal_linear_create(&made, f->ctx, f->sys, NULL,
                                            &(dal_point){0.0, f->q, f->v, f->zero, f->zero}, &(dal_linear_spec){0});
    dal_linear_destroy(made);
    return st;
}

static dal_status assemble(fixture *f)
{
    return dal_assemble(f->ctx, f->sys, f->q, NULL, 0.0, NULL, 0, 1e-9);
}

static dal_status complete(fixture *f)
{
    return dal_complete_velocities(f->ctx, f->sys, f->v, NULL, 0.0, f->q, NULL);
}

static dal_status rest(fixture *f)
{
    return dal_static_solve(f->ctx, f->sys, NULL, f->q, NULL, NULL, NULL, 0.0, NULL);
}

static dal_status reduce(fixture *f)
{
    dal_reduction *red;
    const dal_status st = dal_reduction_create(&red, f->ctx, f->sys, 0.0, f->q, 0.0);
    dal_reduction_destroy(red);
    return st;
}

static void what_is_no_state_is_refused(void **state)
{
    static const struct {
        dal_status (*call)(fixture *f);
        int velocities; /* it reads them */
    } functions[] = {{initial, 1},  {start, 1},    {check, 1}, {modes, 1}, {linear, 1},
                     {assemble, 0}, {complete, 0}, {rest, 0},  {reduce, 0}};
    enum { FINE, NAN_PLACE, NAN_TURN, ZERO_TURN, LONG_TURN, NAN_SPEED, SPOILS };
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, dal_document_open(&f.doc, f.ctx, "spatial_slider_crank", NULL, 0));
    f.model = dal_document_model(f.doc);
    check_ok(f.ctx, dal_model_compile(f.model, &f.sys));
    const int nq = f.sys->group->nq, nv = f.sys->group->nv;
    assert_true(nq <= MAX && nv <= MAX && dal_system_rows(f.sys) <= MAX);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; ++k) {
        for (int how = FINE; how < SPOILS; ++how) {
            memcpy(f.q, dal_model_q0(f.model), (size_t)nq * sizeof *f.q);
            memcpy(f.v, dal_model_v0(f.model), (size_t)nv * sizeof *f.v);
            f.q[0] = how == NAN_PLACE ? (double)NAN : f.q[0];
            f.q[3] = how == NAN_TURN ? (double)NAN : f.q[3];
            f.v[0] = how == NAN_SPEED ? (double)NAN : f.v[0];
            for (int i = 3; i < 7; ++i) {
                f.q[i] *= how == ZERO_TURN ? 0.0 : how == LONG_TURN ? 2.0 : 1.0;
            }
            const dal_status st = functions[k].call(&f);
            if (how == FINE) {
                check_ok(f.ctx, st);
            } else if (how != NAN_SPEED || functions[k].velocities) {
                assert_true(st == DAL_EINVAL || st == DAL_EINITIAL);
            }
        }
    }
    dal_document_destroy(f.doc);
    dal_ctx_clear(f.ctx);
    check_ctx_free(f.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_no_state_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
