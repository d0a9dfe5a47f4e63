/* Andrews' mechanism over the whole motion of the benchmark, 0.03 s: its drive torque from the motion, and the motion from that
 * torque. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/driven.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

enum { N = 1000, NV = 21, NC = 20 };
static const double t_end = 0.03, torque = 0.023;

/* A motion at N + 1 times: the angle of body 1 with two derivatives, everything else for comparison. */
typedef struct path {
    double x[N + 1][3], q[N + 1][NV], la[N + 1][NC];
    double force[N + 1]; /* the torque found from it */
} path;

static double time_of(int k)
{
    return t_end * k / N;
}

typedef struct squeezer {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
} squeezer;

static squeezer open_squeezer(const char *set)
{
    squeezer s = {.ctx = check_ctx()};
    check_ok(s.ctx, dal_document_open(&s.doc, s.ctx, "andrews_squeezer", &set, 1));
    s.model = dal_document_model(s.doc);
    return s;
}

static void close_squeezer(squeezer *s)
{
    dal_document_destroy(s->doc);
    check_ctx_free(s->ctx);
}

/* The compiled model forwards by Lobatto's method. */
static void run_forward(squeezer *s, path *p)
{
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.stages = 4;
    opt.h = t_end / N;
    check_ok(s->ctx, dal_model_compile(s->model, &s->sys));
    assert_int_equal(s->sys->group->nv, NV);
    check_ok(s->ctx, dal_sim_create(&sim, s->ctx, s->sys, &opt));
    check_ok(s->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(s->model), dal_model_v0(s->model)));
    for (int k = 0; k <= N; ++k) {
        check_ok(s->ctx, dal_sim_run(sim, NULL, time_of(k)));
        const dal_state now = dal_sim_state(sim);
        p->x[k][0] = now.q[2] - dal_model_q0(s->model)[2];
        p->x[k][1] = now.v[2];
        p->x[k][2] = now.vd[2];
        memcpy(p->q[k], now.q, sizeof p->q[k]);
        memcpy(p->la[k], now.la, sizeof p->la[k]);
    }
    dal_sim_destroy(sim);
}

static int interval_of(double t)
{
    const int k = (int)floor(t / t_end * N);
    return k < 0 ? 0 : k > N - 1 ? N - 1 : k;
}

/* The angle: what is known at the nearest time, to second order. At these times it is exact. */
static dal_status angle(double y[3], double t, void *user)
{
    const path *p = user;
    const int i = interval_of(t), k = t - time_of(i) < time_of(i + 1) - t ? i : i + 1;
    const double dt = t - time_of(k), *x = p->x[k];
    y[0] = x[0] + dt * (x[1] + 0.5 * dt * x[2]);
    y[1] = x[1] + dt * x[2];
    y[2] = x[2];
    return DAL_OK;
}

/* The torque between its values. */
static dal_status drive_torque(double y[3], double t, void *user)
{
    const path *p = user;
    const int k = interval_of(t);
    const double slope = (p->force[k + 1] - p->force[k]) * N / t_end;
    y[0] = p->force[k] + slope * (t - time_of(k));
    y[1] = slope;
    y[2] = 0.0;
    return DAL_OK;
}

static int add_function(squeezer *s, const char *name, path *p, dal_status (*call)(double[3], double, void *))
{
    int number;
    const dal_function f = {.name = name, .type = "user", .call = call, .user = p};
    check_ok(s->ctx, dal_model_add_function(s->model, &number, &f));
    return number;
}

/* The model with a motor of 0.01: what has to drive it along the path? Largest deviations of torque and reactions. */
static void find_torque(path *p, double *off, double *reactions)
{
    squeezer s = open_squeezer("mom=0.01");
    int number, row, n, rank;
    const dal_joint motion = {
        .name = "drive", .type = "motion", .joint = "O", .function = add_function(&s, "angle", p, angle)};
    dal_data *data;
    dal_driven *k;
    check_ok(s.ctx, dal_model_add_joint(s.model, &number, &motion));
    check_ok(s.ctx, dal_model_compile(s.model, &s.sys));
    check_ok(s.ctx, dal_data_create(&data, s.ctx, s.sys));
    check_ok(s.ctx, dal_model_joint_rows(s.model, &row, &n, number));
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(s.model), .drive = 1 + row};
    check_ok(s.ctx, dal_driven_create(&k, s.ctx, s.sys, data, &spec));
    *off = *reactions = 0.0;
    for (int i = 0; i <= N; ++i) {
        check_ok(s.ctx, dal_driven_to(k, time_of(i)));
        check_ok(s.ctx, dal_driven_forces(k, &p->force[i], &rank, &row, 1, &row, 1));
        const dal_point at = dal_driven_point(k);
        *off = fmax(*off, fabs(p->force[i] - torque));
        *reactions = fmax(*reactions, check_max_abs_diff(at.la, p->la[i], NC) / (1.0 + check_max_abs(p->la[i], NC)));
    }
    dal_driven_destroy(k);
    dal_data_destroy(data);
    close_squeezer(&s);
}

static void the_torque_follows_from_the_whole_motion_and_the_motion_from_the_torque(void **state)
{
    path *p = calloc(1, sizeof *p), *again = calloc(1, sizeof *again);
    double off, reactions, moved = 0.0;
    squeezer s = open_squeezer("mom=0.033");
    run_forward(&s, p);
    close_squeezer(&s);
    assert_near(p->q[N][2], 15.81077119629904, 1e-8); // the reference solution of the test set
    find_torque(p, &off, &reactions);
    assert_near(off, 0.0, 1e-12);
    assert_near(reactions, 0.0, 1e-11);

    s = open_squeezer("mom=0.01");
    int number;
    const dal_force motor = {
        .name = "found", .type = "actuator", .joint = "O", .function = add_function(&s, "torque", p, drive_torque)};
    check_ok(s.ctx, dal_model_add_force(s.model, &number, &motor));
    run_forward(&s, again);
    close_squeezer(&s);
    for (int k = 0; k <= N; ++k) {
        moved = fmax(moved, check_max_abs_diff(p->q[k], again->q[k], NV));
    }
    assert_near(moved, 0.0, 1e-10);
    free(p);
    free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_torque_follows_from_the_whole_motion_and_the_motion_from_the_torque),
    };
    return cmocka_run_group_tests_name("driven_andrews", tests, NULL, NULL);
}
