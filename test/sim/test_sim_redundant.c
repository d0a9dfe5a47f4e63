/* A planar four-bar linkage in space: revolute joints give 20 rows for 18 velocities, three of them redundant, and one
 * degree of freedom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dalembert/assemble.h"
#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "sim/snapshot.h"
#include "support/check.h"

typedef struct linkage {
    dal_ctx *ctx;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
} linkage;

/* A bar of length 1 and mass 1 between two points of the x-z plane, moved by `off`. */
static int add_bar(linkage *l, const char *name, const double a[2], const double b[2], double off)
{
    int body;
    const double angle = atan2(b[1] - a[1], b[0] - a[0]);
    const dal_body bar = {.name = name,
                          .mass = 1.0,
                          .inertia = {1e-3, 1.0 / 12.0, 1.0 / 12.0},
                          .position = {0.5 * (a[0] + b[0]) + off, 0.3 * off, 0.5 * (a[1] + b[1]) - off},
                          .rotation = {cos(0.5 * angle), 0.0, -sin(0.5 * angle), 0.0}};
    check_ok(l->ctx, dal_model_add_body(l->model, &body, &bar));
    return body;
}

/* Hinge about y between x_a of one bar and x_b of another. */
static void add_hinge(linkage *l, const char *name, int a, const double at_a[3], int b, const double at_b[3])
{
    const double y[3] = {0.0, 1.0, 0.0};
    const dal_joint hinge = {.name = name,
                             .type = "revolute",
                             .body_a = a,
                             .body_b = b,
                             .frame_a = dal_frame_on_axis(at_a, y, NULL),
                             .frame_b = dal_frame_on_axis(at_b, y, NULL)};
    check_ok(l->ctx, dal_model_add_joint(l->model, NULL, &hinge));
}

/* A square of side 1: crank up, coupler across, rocker down; a sideways velocity of the crank starts it. */
static void make_linkage_in(linkage *l, dal_ctx *ctx, double off)
{
    static const double A[2] = {0.0, 0.0}, B[2] = {0.0, 1.0}, C[2] = {1.0, 1.0}, D[2] = {1.0, 0.0};
    const double left[3] = {-0.5, 0.0, 0.0}, right[3] = {0.5, 0.0, 0.0}, far[3] = {1.0, 0.0, 0.0}, origin[3] = {0.0};
    l->ctx = ctx;
    check_ok(l->ctx, dal_model_create(&l->model, l->ctx));
    check_ok(l->ctx, dal_model_set_gravity(l->model, (double[3]){0.0, 0.0, -9.81}));
    const int crank = add_bar(l, "crank", A, B, 0.0), coupler = add_bar(l, "coupler", B, C, off),
              rocker = add_bar(l, "rocker", D, C, -off);
    add_hinge(l, "A", DAL_GROUND, origin, crank, left);
    add_hinge(l, "B", crank, right, coupler, left);
    add_hinge(l, "C", coupler, right, rocker, right);
    add_hinge(l, "D", DAL_GROUND, far, rocker, left);
    for (int j = 0; j < 4; ++j) {
        static const char *const joint[] = {"A", "B", "C", "D"};
        char name[16];
        snprintf(name, sizeof name, "force %s", joint[j]);
        check_ok(l->ctx, dal_model_add_output(l->model, NULL,
                                              &(dal_output){.name = name, .quantity = "force", .joint = joint[j]}));
    }
    check_ok(l->ctx, dal_model_compile(l->model, &l->sys));
    l->sim = NULL;
}

static void make_linkage(linkage *l, double off)
{
    make_linkage_in(l, check_ctx(), off);
}

static void free_linkage(linkage *l)
{
    dal_sim_destroy(l->sim);
    dal_model_destroy(l->model);
    check_ctx_free(l->ctx);
}

static void create(linkage *l, const char *redundant, const char *option)
{
    dal_options opt = dal_options_init();
    opt.h = 2e-3;
    check_ok(l->ctx, dal_options_set(l->ctx, dal_options_table(), &opt, "redundant", redundant));
    check_ok(l->ctx, dal_options_parse(l->ctx, dal_options_table(), &opt, option));
    dal_sim_destroy(l->sim);
    check_ok(l->ctx, dal_sim_create(&l->sim, l->ctx, l->sys, &opt));
}

static dal_status start(linkage *l, const char *redundant)
{
    create(l, redundant, "integrator=genalpha");
    return dal_sim_start(l->sim, NULL, 0.0, dal_model_q0(l->model), dal_model_v0(l->model));
}

static void by_default_the_rows_are_named_with_the_remedy(void **state)
{
    linkage l;
    (void)state;
    make_linkage(&l, 0.0);
    check_fails(l.ctx, start(&l, "error"), DAL_EREDUNDANT, "3 of 20 constraint rows");
    check_fails(l.ctx, start(&l, "error"), DAL_EREDUNDANT, "redundant = drop");
    check_fails(l.ctx, start(&l, "error"), DAL_EREDUNDANT, "joint '");
    free_linkage(&l);
}

/* Pushed over from the top, the parallelogram falls; its energy stays what it was. */
static void both_policies_give_the_same_motion_and_the_same_forces(void **state)
{
    linkage l[2];
    double force[2][18], energy[2][2];
    static const char *const policy[2] = {"drop", "least_norm"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        make_linkage(&l[k], 0.0);
        check_ok(l[k].ctx, start(&l[k], policy[k]));
        // a push at the top: 1 rad/s of crank and rocker
        double v[18] = {0.5, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 1, 0};
        check_ok(l[k].ctx, dal_sim_start(l[k].sim, NULL, 0.0, dal_sim_state(l[k].sim).q, v));
        check_ok(l[k].ctx, dal_sim_energy(l[k].sim, &energy[k][0]));
        check_ok(l[k].ctx, dal_sim_run(l[k].sim, NULL, 0.5));
        check_ok(l[k].ctx, dal_sim_energy(l[k].sim, &energy[k][1]));
        check_ok(l[k].ctx, dal_sim_reaction(l[k].sim, force[k]));
        assert_near(energy[k][1], energy[k][0], 2e-4);
    }
    const dal_state a = dal_sim_state(l[0].sim), b = dal_sim_state(l[1].sim);
    assert_all_near(a.q, b.q, 21, 0.0);
    assert_all_near(force[0], force[1], 18, 0.0);
    double drop = 0.0, least = 0.0;
    for (int i = 0; i < 20; ++i) {
        drop += a.la[i] * a.la[i];
        least += b.la[i] * b.la[i];
    }
    assert_true(least <= drop);
    assert_true(least > 1.0);
    // the crank has turned by more than half a radian: 1/2 I w^2 grows from the fall
    assert_true(fabs(a.q[0]) > 0.2);
    for (int k = 0; k < 2; ++k) {
        free_linkage(&l[k]);
    }
}

/* In the plane of symmetry least-norm reactions have no part across it. */
static void least_norm_reactions_do_not_push_across_the_plane(void **state)
{
    linkage l;
    (void)state;
    make_linkage(&l, 0.0);
    check_ok(l.ctx, start(&l, "least_norm"));
    check_ok(l.ctx, dal_sim_run(l.sim, NULL, 0.1));
    double values[12];
    const dal_state s = dal_sim_state(l.sim);
    check_ok(l.ctx, dal_model_outputs(l.model, dal_sim_data(l.sim), values, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    double sum = 0.0;
    for (int j = 0; j < 4; ++j) {
        assert_near(values[3 * j + 1], 0.0, 1e-7);
        sum += (j == 0 || j == 3) ? values[3 * j + 2] : 0.0;
    }
    // near the top and at rest the ground carries the weight of three bars
    assert_near(sum, 3.0 * 9.81, 0.1);
    free_linkage(&l);
}

static void a_rough_guess_is_closed_with_the_crank_held(void **state)
{
    linkage l;
    dal_assembly_report rep;
    double q[21];
    const int crank = 0;
    (void)state;
    make_linkage(&l, 0.15);
    for (int i = 0; i < 21; ++i) {
        q[i] = dal_model_q0(l.model)[i];
    }
    check_ok(l.ctx, dal_assemble(l.ctx, l.sys, q, &rep, 0.0, &crank, 1, 1e-12));
    assert_true(rep.before > 0.1);
    assert_true(rep.after <= 1e-12);
    assert_true(rep.moved > 0.1);
    assert_all_near(q, dal_model_q0(l.model), 7, 0.0);
    // the square again
    assert_near(q[7], 0.5, 1e-10);
    assert_near(q[9], 1.0, 1e-10);
    free_linkage(&l);
}

static void a_linkage_that_cannot_close_says_which_joints_stay_open(void **state)
{
    linkage l;
    double q[21];
    const int held[3] = {0, 1, 2};
    (void)state;
    make_linkage(&l, 0.15);
    for (int i = 0; i < 21; ++i) {
        q[i] = dal_model_q0(l.model)[i];
    }
    check_fails(l.ctx, dal_assemble(l.ctx, l.sys, q, NULL, 0.0, held, 3, 1e-9), DAL_NOCONV, "joint '");
    check_fails(l.ctx, dal_assemble(l.ctx, l.sys, q, NULL, 0.0, (const int[]){7}, 1, 1e-9), DAL_EINVAL, "factor 7");
    free_linkage(&l);
}

static void a_rough_guess_is_closed_at_the_start_of_a_run(void **state)
{
    linkage l;
    double position, velocity;
    (void)state;
    make_linkage(&l, 0.02);
    check_ok(l.ctx, start(&l, "drop"));
    check_ok(l.ctx, dal_sim_residuals(l.sim, &position, &velocity));
    assert_near(position, 0.0, 1e-12);
    free_linkage(&l);
}

/* Out of memory while the system is built without its redundant rows: what is left can be asked, and started again. */
static void a_start_out_of_memory_leaves_a_simulation_that_can_be_asked(void **state)
{
    check_alloc alloc = {0};
    linkage l;
    (void)state;
    make_linkage_in(&l, check_ctx_with(&alloc), 0.0);
    check_ok(l.ctx, start(&l, "drop"));
    const double *q0 = dal_model_q0(l.model), *v0 = dal_model_v0(l.model);
    int failures = 0;
    for (long k = 1;; ++k) {
        alloc.fail_in = k;
        const dal_status st = dal_sim_start(l.sim, NULL, 0.0, q0, v0);
        alloc.fail_in = 0;
        if (st == DAL_OK) {
            break;
        }
        assert_int_equal(st, DAL_ENOMEM);
        ++failures;
        assert_true(dal_sim_stats(l.sim).steps >= 0);
        const double condition = dal_sim_condition(l.sim);
        assert_true(isnan(condition) || condition >= 1.0);
        assert_non_null(dal_sim_options(l.sim));
        char buffer[8];
        if (dal_sim_snapshot_size(l.sim) == 0) {
            assert_int_equal(dal_sim_save(l.sim, buffer, sizeof buffer), DAL_EINVAL);
            assert_null(dal_sim_point(l.sim).q);
            assert_int_equal(dal_sim_step(l.sim), DAL_EINVAL);
        }
        assert_int_equal(dal_sim_event_index(l.sim), -1);
    }
    assert_true(failures > 10);
    check_ok(l.ctx, dal_sim_step(l.sim));
    free_linkage(&l);
    assert_int_equal(alloc.live, 0);
}

/* The multipliers of all rows come back with the state. */
static void snapshots_bring_back_the_multipliers_of_all_rows(void **state)
{
    linkage l[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        make_linkage(&l[k], 0.0);
        check_ok(l[k].ctx, start(&l[k], "least_norm"));
    }
    for (int i = 0; i < 20; ++i) {
        check_ok(l[0].ctx, dal_sim_step(l[0].sim));
    }
    const size_t size = dal_sim_snapshot_size(l[0].sim);
    void *buffer = malloc(size);
    check_ok(l[0].ctx, dal_sim_save(l[0].sim, buffer, size));
    check_ok(l[1].ctx, dal_sim_restore(l[1].sim, buffer, size));
    assert_memory_equal(dal_sim_state(l[0].sim).la, dal_sim_state(l[1].sim).la, 20 * sizeof(double));
    check_ok(l[0].ctx, dal_sim_step(l[0].sim));
    check_ok(l[1].ctx, dal_sim_step(l[1].sim));
    assert_memory_equal(dal_sim_state(l[0].sim).la, dal_sim_state(l[1].sim).la, 20 * sizeof(double));
    free(buffer);
    for (int k = 0; k < 2; ++k) {
        free_linkage(&l[k]);
    }
}

/* To the bit: q, v and the multipliers of all rows. */
static void assert_same_state(const linkage *a, const linkage *b)
{
    const dal_state x = dal_sim_state(a->sim), y = dal_sim_state(b->sim);
    assert_true(x.t == y.t);
    assert_memory_equal(x.q, y.q, 21 * sizeof(double));
    assert_memory_equal(x.v, y.v, 18 * sizeof(double));
    assert_memory_equal(x.la, y.la, 20 * sizeof(double));
}

static void go_on_together(linkage *a, linkage *b, int steps)
{
    for (int i = 0; i < steps; ++i) {
        check_ok(a->ctx, dal_sim_step(a->sim));
        check_ok(b->ctx, dal_sim_step(b->sim));
        assert_same_state(a, b);
    }
}

/* Which rows are left out comes with the snapshot: no start is needed to find them. */
static void a_simulation_that_was_never_started_goes_on_from_a_snapshot(void **state)
{
    static const char *const how[][2] = {{"drop", "integrator=genalpha"},
                                         {"least_norm", "integrator=genalpha"},
                                         {"least_norm", "linear_solver=sparse"},
                                         {"least_norm", "integrator=lobatto"},
                                         {"drop", "newton=modified"}};
    (void)state;
    for (size_t k = 0; k < LEN(how); ++k) {
        linkage a, b;
        make_linkage(&a, 0.0);
        make_linkage(&b, 0.0);
        create(&a, how[k][0], how[k][1]);
        create(&b, how[k][0], how[k][1]);
        check_ok(a.ctx, dal_sim_start(a.sim, NULL, 0.0, dal_model_q0(a.model), dal_model_v0(a.model)));
        for (int i = 0; i < 20; ++i) {
            check_ok(a.ctx, dal_sim_step(a.sim));
        }
        const size_t size = dal_sim_snapshot_size(a.sim);
        void *buffer = malloc(size), *again = malloc(size);
        check_ok(a.ctx, dal_sim_save(a.sim, buffer, size));
        check_ok(b.ctx, dal_sim_restore(b.sim, buffer, size));
        assert_true(dal_sim_snapshot_size(b.sim) == size);
        check_ok(b.ctx, dal_sim_save(b.sim, again, size));
        assert_memory_equal(buffer, again, size);
        assert_same_state(&a, &b);
        go_on_together(&a, &b, 20);
        free(buffer);
        free(again);
        free_linkage(&a);
        free_linkage(&b);
    }
}

/* Two rows in the plane, x = 0 and x + a(t) y = 0, where a is 0 before t = 1/2 and 1 later: a start at t = 0 leaves one
 * row out, a start at t = 1 none. */
static dal_status switched_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)user;
    Phi[0] = q[0];
    Phi[1] = q[0] + (t > 0.5 ? q[1] : 0.0);
    return DAL_OK;
}

static dal_status switched_B(double *B, double t, const double *q, void *user)
{
    (void)q, (void)user;
    B[0] = B[1] = 1.0;
    B[2] = 0.0;
    B[3] = t > 0.5 ? 1.0 : 0.0;
    return DAL_OK;
}

typedef struct switched {
    dal_group *plane;
    dal_system *sys;
    dal_sim *sim[2]; /* started at t = 0 and t = 1 */
} switched;

static dal_status unit_M(double *m, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    m[0] = m[3] = 1.0;
    m[1] = m[2] = 0.0;
    return DAL_OK;
}

static dal_status no_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    g[0] = g[1] = 0.0;
    return DAL_OK;
}

static void make_switched(switched *s, dal_ctx *ctx)
{
    dal_options opt = dal_options_init();
    const double q[2] = {0.0, 0.0}, v[2] = {0.0, 1.0};
    opt.h = 1.0 / 64.0;
    opt.redundant = DAL_REDUNDANT_LEAST_NORM;
    check_ok(ctx, dal_group_create(&s->plane, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1));
    const dal_dense dense = {.group = s->plane, .nc = 2, .M = unit_M, .g = no_g, .Phi = switched_Phi, .B = switched_B};
    check_ok(ctx, dal_dense_create(&s->sys, ctx, &dense));
    for (int k = 0; k < 2; ++k) {
        check_ok(ctx, dal_sim_create(&s->sim[k], ctx, s->sys, &opt));
        check_ok(ctx, dal_sim_start(s->sim[k], NULL, k, q, k == 0 ? v : NULL));
        check_ok(ctx, dal_sim_step(s->sim[k]));
    }
}

static void free_switched(switched *s)
{
    dal_sim_destroy(s->sim[0]);
    dal_sim_destroy(s->sim[1]);
    dal_dense_destroy(s->sys);
    dal_group_destroy(s->plane);
}

/* A simulation that leaves out other rows, or none, is built anew; one that cannot be stays as it was. */
static void snapshots_bring_their_rows_along(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    switched s;
    (void)state;
    make_switched(&s, ctx);
    const size_t size = dal_sim_snapshot_size(s.sim[0]), own = dal_sim_snapshot_size(s.sim[1]);
    assert_true(size != own);
    double *buffer = malloc(size), *before = malloc(own), *after = malloc(own);
    check_ok(ctx, dal_sim_save(s.sim[0], buffer, size));
    check_ok(ctx, dal_sim_save(s.sim[1], before, own));
    int refused = 0, failures = 0;
    for (size_t i = 6; i < size / sizeof *buffer; ++i) { // behind the head
        const double kept = buffer[i];
        buffer[i] = NAN;
        dal_snapshot_seal(buffer, size);
        const dal_status st = dal_sim_restore(s.sim[1], buffer, size);
        buffer[i] = kept;
        dal_snapshot_seal(buffer, size);
        if (st == DAL_OK) { // a number that may be anything
            check_ok(ctx, dal_sim_restore(s.sim[1], before, own));
        }
        refused += st == DAL_ESNAPSHOT;
        assert_true(dal_sim_snapshot_size(s.sim[1]) == own);
        check_ok(ctx, dal_sim_save(s.sim[1], after, own));
        assert_memory_equal(before, after, own);
    }
    assert_true(refused > 50);
    for (long k = 1;; ++k, ++failures) {
        alloc.fail_in = k;
        const dal_status st = dal_sim_restore(s.sim[1], buffer, size);
        alloc.fail_in = 0;
        if (st == DAL_OK) {
            break;
        }
        assert_int_equal(st, DAL_ENOMEM);
        check_ok(ctx, dal_sim_save(s.sim[1], after, own));
        assert_memory_equal(before, after, own);
    }
    assert_true(failures > 10);
    check_ok(ctx, dal_sim_step(s.sim[0]));
    check_ok(ctx, dal_sim_step(s.sim[1]));
    assert_memory_equal(dal_sim_state(s.sim[0]).q, dal_sim_state(s.sim[1]).q, 2 * sizeof(double));
    assert_true(dal_sim_state(s.sim[1]).q[1] > 0.03);
    free(buffer);
    free(before);
    free(after);
    free_switched(&s);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

/* ---- singular configurations ------------------------------------------------------------------- */

/* y (x - 1) = 0: two branches that cross at (1, 0), where B vanishes. */
static dal_status crossing_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    Phi[0] = q[1] * (q[0] - 1.0);
    return DAL_OK;
}

static dal_status crossing_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    B[0] = q[1];
    B[1] = q[0] - 1.0;
    return DAL_OK;
}

static void a_singular_configuration_is_reported_with_time_and_constraint(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_group *plane;
    dal_system *sys;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    const double q[2] = {0.0, 0.0}, v[2] = {1.0, 0.0};
    (void)state;
    check_ok(ctx, dal_group_create(&plane, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1));
    const dal_dense dense = {.group = plane, .nc = 1, .M = unit_M, .g = no_g, .Phi = crossing_Phi, .B = crossing_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    opt.h = 0.125; // the eighth step ends at the crossing, to the bit
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    const dal_status st = dal_sim_run(sim, NULL, 2.0);
    check_fails(ctx, st, DAL_SINGULAR, "t = 0.875");
    check_fails(ctx, st, DAL_SINGULAR, "singular configuration, seen at row 0");
    assert_near(dal_sim_state(sim).q[0], 0.875, 1e-12);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(plane);
    check_ctx_free(ctx);
}

/* Every allocation of a start with a reduction fails in turn. */
static dal_status scenario(dal_ctx *ctx, void *user)
{
    const linkage *l = user;
    dal_options opt = dal_options_init();
    dal_sim *sim;
    opt.redundant = DAL_REDUNDANT_LEAST_NORM;
    DAL_TRY(dal_sim_create(&sim, ctx, l->sys, &opt));
    dal_status st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(l->model), dal_model_v0(l->model));
    if (st == DAL_OK) {
        st = dal_sim_run(sim, NULL, 0.01);
    }
    dal_sim_destroy(sim);
    return st;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    linkage l;
    (void)state;
    make_linkage(&l, 0.0);
    check_every_allocation(scenario, &l);
    free_linkage(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_the_rows_are_named_with_the_remedy),
        cmocka_unit_test(both_policies_give_the_same_motion_and_the_same_forces),
        cmocka_unit_test(least_norm_reactions_do_not_push_across_the_plane),
        cmocka_unit_test(a_rough_guess_is_closed_with_the_crank_held),
        cmocka_unit_test(a_linkage_that_cannot_close_says_which_joints_stay_open),
        cmocka_unit_test(a_rough_guess_is_closed_at_the_start_of_a_run),
        cmocka_unit_test(a_start_out_of_memory_leaves_a_simulation_that_can_be_asked),
        cmocka_unit_test(snapshots_bring_back_the_multipliers_of_all_rows),
        cmocka_unit_test(a_simulation_that_was_never_started_goes_on_from_a_snapshot),
        cmocka_unit_test(snapshots_bring_their_rows_along),
        cmocka_unit_test(a_singular_configuration_is_reported_with_time_and_constraint),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
