/* Work and dissipation: the balance of energy of all kinds of forces, and closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "support/check.h"

static const double x_axis[3] = {1.0, 0.0, 0.0}, origin[3] = {0.0, 0.0, 0.0};

typedef struct machine {
    dal_ctx *ctx;
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    double y[32];
} machine;

static machine new_machine(void)
{
    machine M = {.ctx = check_ctx()};
    check_ok(M.ctx, dal_model_create(&M.m, M.ctx));
    return M;
}

static int add_body(machine *M, dal_body b)
{
    int k;
    check_ok(M->ctx, dal_model_add_body(M->m, &k, &b));
    return k;
}

static int add_output(machine *M, const char *quantity, const char *joint, const char *force)
{
    int k;
    char name[64];
    snprintf(name, sizeof name, "%s.%s", joint ? joint : force ? force : "model", quantity);
    const dal_output o = {.name = name, .quantity = quantity, .joint = joint, .force = force};
    check_ok(M->ctx, dal_model_add_output(M->m, &k, &o));
    return dal_model_output_info(M->m, k).first;
}

static const double *outputs(machine *M)
{
    const dal_state s = dal_sim_state(M->sim);
    check_ok(M->ctx, dal_model_outputs(M->m, dal_sim_data(M->sim), M->y, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    return M->y;
}

static void start_with(machine *M, const dal_options *opt)
{
    if (!M->sys) {
        check_ok(M->ctx, dal_model_compile(M->m, &M->sys));
    }
    check_ok(M->ctx, dal_sim_create(&M->sim, M->ctx, M->sys, opt));
    check_ok(M->ctx, dal_sim_start(M->sim, NULL, 0.0, dal_model_q0(M->m), dal_model_v0(M->m)));
}

static void start(machine *M, double h)
{
    dal_options opt = dal_options_init();
    opt.h = h;
    start_with(M, &opt);
}

static void end(machine *M)
{
    dal_sim_destroy(M->sim);
    dal_model_destroy(M->m);
    check_ctx_free(M->ctx);
}

/* Two bodies with a force of each kind, a driven joint and moving ends of springs. */
/* without: a force to leave out, or NULL */
static machine with_all_forces_but(const char *without)
{
    machine M = new_machine();
    const double wave[4] = {0.1, 0.2, 3.0, 0.4};
    int f;
    const dal_function wave_function = {.name = "wave", .type = "harmonic", .c = wave, .n = 4};
    check_ok(M.ctx, dal_model_add_function(M.m, &f, &wave_function));
    check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.5, 0.0, -9.81}));
    const int a = add_body(&M, (dal_body){.name = "a", .mass = 2.0, .inertia = {0.2, 0.3, 0.4}, .velocity = {1.0}});
    const int b = add_body(
        &M,
        (dal_body){
            .name = "b", .mass = 1.0, .inertia = {0.2, 0.1, 0.2}, .position = {0.4}, .angular_velocity = {0.2, 0.3}});
    const int c = add_body(&M, (dal_body){.name = "c", .mass = 1.5, .inertia = {0.2, 0.2, 0.2}});
    const dal_frame rail = dal_frame_on_axis(origin, x_axis, NULL), tip = {{0.1, 0.2, 0.3}, {0}};
    const dal_joint joints[] = {
        {.name = "rail", .type = "prismatic", .body_b = a, .frame_a = rail, .frame_b = rail},
        {.name = "slide", .type = "prismatic", .body_b = c},
        {.name = "drive", .type = "motion", .joint = "slide", .function = f},
    };
    const dal_force forces[] = {
        {.name = "spring",
         .type = "spring",
         .body_a = a,
         .body_b = b,
         .frame_b = tip,
         .stiffness = 50.0,
         .cubic = 20.0,
         .damping = 2.0,
         .function = f},
        {.name = "bushing",
         .type = "bushing",
         .body_a = c,
         .body_b = b,
         .frame_b = tip,
         .stiffness6 = {40.0, 30.0, 50.0, 2.0, 3.0, 4.0},
         .damping6 = {1.0, 2.0, 3.0, 0.2, 0.3, 0.4}},
        {.name = "actuator", .type = "actuator", .joint = "rail", .function = f},
        {.name = "pid",
         .type = "pid",
         .joint = "rail",
         .stiffness = 5.0,
         .damping = 1.0,
         .integral = 2.0,
         .function = f},
        {.name = "drag", .type = "drag", .body_b = b, .frame_b = tip, .damping = 0.5, .quadratic = 0.3},
        {.name = "friction", .type = "friction", .joint = "rail", .mu = 0.1, .slip = 2.0},
        {.name = "weight", .type = "force", .body_b = b, .vector = {1.0, 2.0, 3.0}, .frame_b = tip},
        {.name = "jet", .type = "force", .body_b = b, .vector = {1.0, 2.0, 0.5}, .frame_b = tip, .follower = 1},
        {.name = "shaker", .type = "force", .body_b = a, .vector = {1.0, 2.0, 0.5}, .function = f},
        {.name = "motor", .type = "torque", .body_b = b, .vector = {0.1, 0.2, 0.1}},
    };
    for (size_t k = 0; k < LEN(joints); ++k) {
        check_ok(M.ctx, dal_model_add_joint(M.m, NULL, &joints[k]));
    }
    for (size_t k = 0; k < LEN(forces); ++k) {
        if (!without || strcmp(forces[k].name, without) != 0) {
            check_ok(M.ctx, dal_model_add_force(M.m, NULL, &forces[k]));
        }
    }
    return M;
}

static machine with_all_forces(void)
{
    return with_all_forces_but(NULL);
}

/* |energy + dissipated - fed in - energy before| after 0.8 s with three step sizes. */
static void gaps(double gap[3], machine *M, dal_options *opt, const double h[3], const int edw[3])
{
    for (int k = 0; k < 3; ++k) {
        opt->h = h[k];
        start_with(M, opt);
        const double before = outputs(M)[edw[0]];
        check_ok(M->ctx, dal_sim_run(M->sim, NULL, 0.8));
        (void)outputs(M);
        gap[k] = fabs(M->y[edw[0]] + M->y[edw[1]] - M->y[edw[2]] - before);
        dal_sim_destroy(M->sim);
        M->sim = NULL;
    }
}

/* The integrals must not spoil what the method gives. Quadratic drag is not smooth where the velocity passes zero. */
static void energy_balances_to_the_order_of_the_method(void **state)
{
    machine M = with_all_forces_but("drag");
    const int edw[3] = {add_output(&M, "energy", NULL, NULL), add_output(&M, "dissipated_energy", NULL, NULL),
                        add_output(&M, "drive_work", NULL, NULL)};
    const double h[3] = {0.02, 0.01, 0.005};
    double gap[3];
    dal_options opt = dal_options_init();
    opt.step = DAL_STEP_FIXED;
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.stages = 3;
    gaps(gap, &M, &opt, h, edw);
    check_slopes(h, gap, 3, 4.0, 0.1);
    opt.stages = 6;
    gaps(gap, &M, &opt, h, edw);
    assert_true(gap[0] < 1e-8 && gap[2] < 1e-12);
    opt.integrator = DAL_INTEGRATOR_RK;
    opt.order = 8;
    gaps(gap, &M, &opt, h, edw);
    assert_true(gap[0] < 1e-8 && gap[2] < 1e-12);
    end(&M);
}

/* What integrals show between the ends of steps. */
typedef struct watched {
    machine *M;
    int edw[3];
    double before, worst;
} watched;

static dal_status watch_gap(dal_sim *sim, const dal_point *at, void *user)
{
    watched *w = user;
    DAL_TRY(dal_model_outputs(w->M->m, dal_sim_data(sim), w->M->y, at));
    const double *y = w->M->y, sum = y[w->edw[0]] + y[w->edw[1]] - y[w->edw[2]];
    w->before = at->t > 0.0 ? w->before : sum;
    w->worst = fmax(w->worst, fabs(sum - w->before));
    return DAL_OK;
}

static void integrals_hold_between_steps(void **state)
{
    machine M = with_all_forces_but("drag");
    watched w = {.M = &M,
                 .edw = {add_output(&M, "energy", NULL, NULL), add_output(&M, "dissipated_energy", NULL, NULL),
                         add_output(&M, "drive_work", NULL, NULL)}};
    dal_options opt = dal_options_init();
    opt.step = DAL_STEP_FIXED;
    opt.integrator = DAL_INTEGRATOR_RK;
    opt.h = 0.01;
    start_with(&M, &opt);
    check_ok(M.ctx, dal_sim_sample(M.sim, &(dal_sampling){.every = 1.7e-3}, watch_gap, &w));
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.8));
    // a power of 40 W over a step of 10 ms: the value at the end of the step alone would be off by tenths of a joule
    assert_true(w.worst > 0.0 && w.worst < 1e-5);
    end(&M);
}

static void energy_balances_to_second_order(void **state)
{
    machine M = with_all_forces();
    const int E = add_output(&M, "energy", NULL, NULL), D = add_output(&M, "dissipated_energy", NULL, NULL);
    const int W = add_output(&M, "drive_work", NULL, NULL);
    const double h[3] = {4e-3, 2e-3, 1e-3};
    double gap[3];
    for (int k = 0; k < 3; ++k) {
        start(&M, h[k]);
        const double before = outputs(&M)[E];
        assert_near(M.y[D], 0.0, 0.0);
        check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.8));
        (void)outputs(&M);
        gap[k] = fabs(M.y[E] + M.y[D] - M.y[W] - before);
        dal_sim_destroy(M.sim);
        M.sim = NULL;
    }
    assert_true(M.y[D] > 1.0 && fabs(M.y[W]) > 0.1);
    check_slopes(h, gap, 3, 2.0, 0.15);
    end(&M);
}

/* m x'' + d x' + k x = 0: what the damper took is what the oscillator lost. */
static void a_damper_takes_what_the_oscillator_loses(void **state)
{
    const double h[3] = {0.02, 0.01, 0.005};
    double gap[3];
    for (int k = 0; k < 3; ++k) {
        machine M = new_machine();
        const int b = add_body(&M, (dal_body){.name = "b", .type = "point", .mass = 1.0, .position = {1.0}});
        const dal_force spring = {.name = "s",
                                  .type = "spring",
                                  .body_b = b,
                                  .coordinate = DAL_COORDINATE_TRANSLATION,
                                  .stiffness = 4.0,
                                  .damping = 0.4};
        check_ok(M.ctx, dal_model_add_force(M.m, NULL, &spring));
        const int D = add_output(&M, "dissipated_energy", NULL, NULL), W = add_output(&M, "work", NULL, "s");
        const int T = add_output(&M, "kinetic_energy", NULL, NULL), V = add_output(&M, "potential_energy", NULL, NULL);
        start(&M, h[k]);
        check_ok(M.ctx, dal_sim_run(M.sim, NULL, 2.0));
        const double *y = outputs(&M);
        gap[k] = fabs(y[T] + y[V] + y[D] - 2.0);
        assert_near(y[W], y[T], 3.0 * h[k] * h[k]); // all that moves it
        assert_true(y[D] > 0.5);
        end(&M);
    }
    check_slopes(h, gap, 3, 2.0, 0.15);
}

/* A wheel driven by 3 t^2: its power grows linearly, so the rule is exact. */
static void the_work_of_a_drive_is_the_energy_it_gives(void **state)
{
    machine M = new_machine();
    const double c[3] = {0.0, 0.0, 3.0};
    int f;
    const dal_function angle = {.name = "angle", .type = "polynomial", .c = c, .n = 3};
    check_ok(M.ctx, dal_model_add_function(M.m, &f, &angle));
    const int b = add_body(&M, (dal_body){.name = "wheel", .mass = 2.0, .inertia = {0.3, 0.3, 0.5}});
    const dal_joint axle = {.name = "axle", .type = "revolute", .body_b = b};
    const dal_joint drive = {.name = "drive", .type = "motion", .joint = "axle", .function = f};
    check_ok(M.ctx, dal_model_add_joint(M.m, NULL, &axle));
    check_ok(M.ctx, dal_model_add_joint(M.m, NULL, &drive));
    const int W = add_output(&M, "work", "drive", NULL), A = add_output(&M, "work", "axle", NULL);
    const int T = add_output(&M, "kinetic_energy", NULL, NULL), all = add_output(&M, "drive_work", NULL, NULL);
    start(&M, 1e-2);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 2.0));
    const double *y = outputs(&M);
    assert_near(y[T], 0.25 * 12.0 * 12.0, 1e-6);
    assert_near(y[W], y[T], 1e-6);
    assert_near(y[all], y[W], 1e-12);
    assert_near(y[A], 0.0, 1e-12);
    end(&M);
}

/* A body with x = 1 + t / 2 until a force with a potential is switched on at t1; it is switched off again at t2. What that
 * gives to the body is V(t1) - V(t2), which the energy gains and nothing but switching feeds in. */
static void switches(dal_force force, double V1, double V2, const dal_options *opt, double tol)
{
    const double t1 = 0.25, t2 = 0.75;
    machine M = new_machine();
    const int b = add_body(
        &M, (dal_body){.name = "b", .mass = 2.0, .inertia = {1.0, 1.0, 1.0}, .position = {1.0}, .velocity = {0.5}});
    force.name = "f";
    force.body_b = b;
    force.switched = 1;
    force.from = t1;
    force.to = t2;
    check_ok(M.ctx, dal_model_add_force(M.m, NULL, &force));
    watched w = {.M = &M,
                 .edw = {add_output(&M, "energy", NULL, NULL), add_output(&M, "dissipated_energy", NULL, NULL),
                         add_output(&M, "drive_work", NULL, NULL)}};
    const int E = w.edw[0], D = w.edw[2], W = add_output(&M, "work", NULL, "f");
    start_with(&M, opt);
    check_ok(M.ctx, dal_sim_sample(M.sim, &(dal_sampling){.every = 0.0125}, watch_gap, &w)); // at t1 and t2, too
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.2));
    assert_near(outputs(&M)[D], 0.0, 0.0);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, t1));
    assert_near(outputs(&M)[D], V1, tol);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.5));
    assert_near(outputs(&M)[D], V1, tol);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 1.0));
    assert_near(outputs(&M)[D], V1 - V2, tol);
    assert_near(outputs(&M)[W], V1 - V2, tol);
    assert_near(outputs(&M)[E], 0.25 + V1 - V2, tol);
    assert_true(w.worst < tol);
    end(&M);
}

static void switching_does_the_work_that_the_potential_gains(void **state)
{
    static const struct {
        int integrator;
        double h, tol;
    } way[] = {
        {DAL_INTEGRATOR_GENALPHA, 1e-3, 1e-5}, {DAL_INTEGRATOR_LOBATTO, 0.04, 1e-8}, {DAL_INTEGRATOR_RK, 0.04, 1e-8}};
    const double x1 = 1.125, x2 = x1 + 0.25 + 0.5 * 1.5 * 0.25, end = x1 * cos(1.0) + 0.25 * sin(1.0);
    for (size_t k = 0; k < LEN(way); ++k) {
        dal_options opt = dal_options_init();
        opt.integrator = way[k].integrator;
        opt.step = DAL_STEP_FIXED;
        opt.h = way[k].h;
        switches((dal_force){.type = "force", .vector = {3.0}}, -3.0 * x1, -3.0 * x2, &opt, way[k].tol);
        switches((dal_force){.type = "spring", .stiffness = 8.0}, 4.0 * x1 * x1, 4.0 * end * end, &opt, way[k].tol);
    }
}

/* A sliding block: friction takes mu m g s. In a simulation restored from a snapshot the sums go on bit for bit. */
static void integrals_are_part_of_snapshots(void **state)
{
    machine M = new_machine();
    const int b = add_body(&M, (dal_body){.name = "block", .mass = 3.0, .inertia = {1.0, 1.0, 1.0}, .velocity = {4.0}});
    check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.0, 0.0, -9.81}));
    const dal_frame rail = dal_frame_on_axis(origin, x_axis, NULL);
    const dal_joint guide = {.name = "rail", .type = "prismatic", .body_b = b, .frame_a = rail, .frame_b = rail};
    const dal_force friction = {.name = "friction", .type = "friction", .joint = "rail", .mu = 0.2, .slip = 1e-3};
    check_ok(M.ctx, dal_model_add_joint(M.m, NULL, &guide));
    check_ok(M.ctx, dal_model_add_force(M.m, NULL, &friction));
    const int D = add_output(&M, "dissipated_energy", NULL, NULL), W = add_output(&M, "work", NULL, "friction");
    const int c = add_output(&M, "coordinate", "rail", NULL);
    assert_true(dal_model_output_info(M.m, 0).integral && !dal_model_output_info(M.m, 2).integral);
    start(&M, 1e-3);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.25));
    const size_t size = dal_sim_snapshot_size(M.sim);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    check_ok(M.ctx, dal_sim_save(M.sim, snapshot, size));
    double last[3];
    for (int part = 0; part < 2; ++part) {
        const double *y = outputs(&M);
        assert_near(y[D], 0.2 * 3.0 * 9.81 * y[c], 1e-6);
        assert_near(y[W], -y[D], 1e-12);
        check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.5));
        y = outputs(&M);
        assert_true(y[D] > 5.0);
        if (part == 1) {
            assert_memory_equal(y, last, sizeof last);
            break;
        }
        memcpy(last, y, sizeof last);
        dal_sim_destroy(M.sim);
        start(&M, 1e-3);
        check_ok(M.ctx, dal_sim_restore(M.sim, snapshot, size));
    }
    // a start begins anew
    check_ok(M.ctx, dal_sim_start(M.sim, NULL, 0.0, dal_model_q0(M.m), dal_model_v0(M.m)));
    assert_near(outputs(&M)[D], 0.0, 0.0);
    free(snapshot);
    end(&M);
}

/* What a run that is watched finds, as a part of the energy turned over. Quadratic drag is not smooth. */
static double imbalance(const char *const *option, int n, double h)
{
    machine M = with_all_forces_but("drag");
    dal_options opt = dal_options_init();
    opt.h = h;
    for (int k = 0; k < n; ++k) {
        check_ok(M.ctx, dal_options_parse(M.ctx, dal_options_table(), &opt, option[k]));
    }
    start_with(&M, &opt);
    assert_true(isnan(dal_sim_balance(M.sim).energy));
    check_ok(M.ctx, dal_sim_watch(M.sim, NULL));
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.8));
    const dal_balance b = dal_sim_balance(M.sim);
    double energy;
    check_ok(M.ctx, dal_sim_energy(M.sim, &energy));
    assert_near(b.energy, energy, 1e-12 * fabs(energy));
    assert_true(b.kinetic > 0.1 && b.work > 1.0);
    end(&M);
    return b.residual / (b.kinetic + b.work);
}

static void a_watched_run_balances_to_the_order_of_the_method(void **state)
{
    const char *const lobatto[] = {"integrator=lobatto"}, *const rk8[] = {"integrator=rk", "step=fixed"},
                      *const rk5[] = {"integrator=rk", "order=5", "step=fixed"}, *const chosen[] = {"integrator=auto"},
                      *const index3[] = {"formulation=index3"}, *const adaptive[] = {"step=adaptive"};
    const double h[3] = {0.008, 0.004, 0.002};
    double ggl[3], positions[3], five[3];
    for (int k = 0; k < 3; ++k) {
        ggl[k] = imbalance(NULL, 0, h[k]);
        positions[k] = imbalance(index3, 1, h[k]);
        five[k] = imbalance(rk5, 3, 4.0 * h[k]);
    }
    check_slopes(h, ggl, 3, 2.0, 0.2);
    check_slopes(h, positions, 3, 2.0, 0.2);
    assert_true(check_slope(five, 3) > 4.5);
    assert_true(ggl[2] < 1e-3 && five[2] < 1e-6);
    assert_true(imbalance(rk8, 2, 0.01) < 1e-9);
    assert_true(imbalance(lobatto, 1, 0.01) < 1e-7);
    assert_true(imbalance(chosen, 1, 0.001) < 1e-6);
    assert_true(imbalance(adaptive, 1, 0.001) < 1e-2);
}

static dal_status (*energies_of_model)(double E[2], const dal_point *at, const void *user, void *work);
static int looks;

static dal_status counted_energies(double E[2], const dal_point *at, const void *user, void *work)
{
    ++looks;
    return energies_of_model(E, at, user, work);
}

/* A smooth motion is looked at every few steps, one that changes fast within them after each. */
static void looks_are_as_rare_as_the_motion_allows(void **state)
{
    static const struct {
        double h;
        int least, most;
    } run[] = {{1e-5, 62, 100}, {0.02, 40, 60}};
    for (size_t k = 0; k < LEN(run); ++k) {
        const int n = k == 0 ? 1000 : 50;
        machine M = with_all_forces_but("drag");
        check_ok(M.ctx, dal_model_compile(M.m, &M.sys));
        dal_system counted = *M.sys;
        energies_of_model = counted.equations.energies;
        counted.equations.energies = counted_energies;
        M.sys = &counted;
        start(&M, run[k].h);
        looks = 0;
        check_ok(M.ctx, dal_sim_watch(M.sim, NULL));
        check_ok(M.ctx, dal_sim_run(M.sim, NULL, n * run[k].h));
        print_message("h = %g: %d looks at %d steps\n", run[k].h, looks, n);
        assert_true(looks >= run[k].least && looks <= run[k].most);
        end(&M);
    }
}

static double height(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)v, (void)user;
    return q[2];
}

static dal_status bounce(double t, double *q, double *v, void *user)
{
    (void)t, (void)q, (void)user;
    v[2] *= -0.5;
    return DAL_OK;
}

/* An impact takes energy away for a reason. */
static void changes_at_events_are_no_error(void **state)
{
    machine M = new_machine();
    check_ok(M.ctx, dal_model_set_gravity(M.m, (double[3]){0.0, 0.0, -9.81}));
    const int ball =
        add_body(&M, (dal_body){.name = "ball", .mass = 2.0, .inertia = {0.2, 0.3, 0.4}, .position = {0.0, 0.0, 1.0}});
    const dal_force drag = {.name = "drag", .type = "drag", .body_b = ball, .damping = 0.5};
    check_ok(M.ctx, dal_model_add_force(M.m, NULL, &drag));
    for (int k = 0; k < 2; ++k) {
        dal_options opt = dal_options_init();
        opt.h = k == 0 ? 1e-3 : 0.0;
        start_with(&M, &opt);
        const dal_event floor = {.value = height, .change = bounce, .direction = -1, .action = DAL_EVENT_RESTART};
        check_ok(M.ctx, dal_sim_event(M.sim, &floor));
        check_ok(M.ctx, dal_sim_watch(M.sim, NULL));
        check_ok(M.ctx, dal_sim_run(M.sim, NULL, 1.0));
        const dal_balance b = dal_sim_balance(M.sim);
        assert_true(b.kinetic > 10.0 && b.energy < 10.0);
        assert_true(b.residual < 1e-4 * b.kinetic);
        dal_sim_destroy(M.sim);
        M.sim = NULL;
    }
    end(&M);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_balances_to_second_order),
        cmocka_unit_test(energy_balances_to_the_order_of_the_method),
        cmocka_unit_test(integrals_hold_between_steps),
        cmocka_unit_test(a_damper_takes_what_the_oscillator_loses),
        cmocka_unit_test(the_work_of_a_drive_is_the_energy_it_gives),
        cmocka_unit_test(switching_does_the_work_that_the_potential_gains),
        cmocka_unit_test(integrals_are_part_of_snapshots),
        cmocka_unit_test(a_watched_run_balances_to_the_order_of_the_method),
        cmocka_unit_test(looks_are_as_rare_as_the_motion_allows),
        cmocka_unit_test(changes_at_events_are_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
