/* The Runge-Kutta methods on models: orders on a chain and a flexible pendulum, and everything a model can have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/analysis.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

typedef struct opened {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
} opened;

static opened open_model(const char *name, const char *const *set, int n)
{
    opened o = {.ctx = check_ctx()};
    check_ok(o.ctx, dal_document_open(&o.doc, o.ctx, name, set, n));
    o.model = dal_document_model(o.doc);
    check_ok(o.ctx, dal_model_compile(o.model, &o.sys));
    check_ok(o.ctx, dal_document_assemble(o.doc, NULL, o.sys));
    return o;
}

static void close_model(opened *o)
{
    dal_document_destroy(o->doc);
    check_ctx_free(o->ctx);
}

static dal_error errors(const opened *o, const dal_samples *ref, int order, double h)
{
    dal_options opt = *dal_document_options(o->doc);
    dal_samples got;
    dal_sim *sim;
    opt.integrator = DAL_INTEGRATOR_RK;
    opt.formulation = DAL_FORMULATION_INDEX3;
    opt.order = order;
    opt.step = DAL_STEP_FIXED;
    opt.h = h;
    check_ok(o->ctx, dal_samples_init(&got, o->ctx, o->sys, ref->t, ref->n));
    check_ok(o->ctx, dal_sim_create(&sim, o->ctx, o->sys, &opt));
    check_ok(o->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(o->model), dal_model_v0(o->model)));
    check_ok(o->ctx, dal_samples_run(&got, sim, NULL));
    const dal_error e = dal_samples_error(o->sys->group, &got, ref, ref->n);
    dal_sim_destroy(sim);
    dal_samples_release(&got);
    return e;
}

/* Slopes over the first halvings of h, between T/2 and T. */
static void reaches(const char *name, const char *const *set, int n, double T, int order, double h, int levels,
                    double tol)
{
    opened o = open_model(name, set, n);
    const double t[3] = {0.5 * T, 0.75 * T, T};
    dal_samples ref;
    dal_error last = {0}, known;
    check_ok(o.ctx, dal_samples_init(&ref, o.ctx, o.sys, t, 3));
    check_ok(o.ctx, dal_reference(&ref, &known, o.ctx, o.sys, 0.0, dal_model_q0(o.model), dal_model_v0(o.model),
                                  dal_document_options(o.doc), 1e-13));
    for (int k = 0; k < levels; ++k, h *= 0.5) {
        const dal_error e = errors(&o, &ref, order, h);
        print_message("%s, order %d, h %.3g: q %.2e (%.2f) v %.2e (%.2f) lambda %.2e (%.2f); known to %.0e %.0e %.0e\n",
                      name, order, h, e.q, log2(last.q / e.q), e.v, log2(last.v / e.v), e.lambda,
                      log2(last.lambda / e.lambda), known.q, known.v, known.lambda);
        if (k > 0) {
            assert_near(log2(last.q / e.q), order, tol);
            assert_near(log2(last.v / e.v), order, tol);
            assert_near(log2(last.lambda / e.lambda), order, tol);
        }
        last = e;
    }
    dal_samples_release(&ref);
    close_model(&o);
}

static void chains_reach_orders_5_and_8(void **state)
{
    static const char *const set[] = {"N=4"};
    reaches("chain", set, 1, 0.4, 5, 4e-3, 3, 0.5);
    reaches("chain", set, 1, 0.2, 8, 1.25e-2, 2, 0.5);
}

static void a_flexible_pendulum_reaches_orders_5_and_8(void **state)
{
    reaches("flexible_pendulum", NULL, 0, 0.05, 5, 3.125e-4, 3, 0.1); // finer steps come too close to rounding
    reaches("flexible_pendulum", NULL, 0, 0.05, 8, 2e-3, 2, 0.1);
}

/* Adaptive run of order 8 against the reference: relative to the size of each quantity. */
static void agrees(opened *o, const char *what, double T)
{
    dal_options opt = *dal_document_options(o->doc);
    dal_samples ref, got;
    dal_error known;
    dal_sim *sim;
    const double t[2] = {0.0, T};
    opt.integrator = DAL_INTEGRATOR_RK;
    opt.step_rtol = 1e-9;
    check_ok(o->ctx, dal_samples_init(&ref, o->ctx, o->sys, t, 2));
    check_ok(o->ctx, dal_samples_init(&got, o->ctx, o->sys, t, 2));
    check_ok(o->ctx, dal_reference(&ref, &known, o->ctx, o->sys, 0.0, dal_model_q0(o->model), dal_model_v0(o->model),
                                   dal_document_options(o->doc), 1e-11));
    check_ok(o->ctx, dal_sim_create(&sim, o->ctx, o->sys, &opt));
    check_ok(o->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(o->model), dal_model_v0(o->model)));
    check_ok(o->ctx, dal_samples_run(&got, sim, NULL));
    const dal_error e = dal_samples_error(o->sys->group, &got, &ref, 2), size = dal_samples_size(o->sys->group, &ref);
    double Phi, vel;
    check_ok(o->ctx, dal_sim_residuals(sim, &Phi, &vel));
    print_message("%s: q %.1e v %.1e lambda %.1e (relative), Phi %.1e, vel %.1e\n", what, e.q / size.q, e.v / size.v,
                  e.lambda / fmax(size.lambda, 1e-300), Phi, vel);
    assert_true(e.q < 1e-7 * size.q && e.v < 1e-7 * size.v && e.lambda <= 1e-7 * size.lambda);
    assert_true(Phi < 1e-12 && vel < 1e-11);
    dal_sim_destroy(sim);
    dal_samples_release(&ref);
    dal_samples_release(&got);
}

/* Redundant rows, massless parts, flexible bodies, nonholonomic and driven joints. */
static void built_in_models_agree_with_their_references(void **state)
{
    static const struct {
        const char *name, *set;
        double T;
    } list[] = {
        {"bricard", NULL, 0.5},           {"rank_deficient_pendulum", NULL, 1.0}, {"planar_slider_crank", NULL, 0.3},
        {"rolling_disk", NULL, 0.3},      {"chaplygin_sleigh", NULL, 1.0},        {"n_four_bar", "N=2", 0.3},
        {"flexible_pendulum", NULL, 0.02}};
    for (size_t k = 0; k < LEN(list); ++k) {
        opened o = open_model(list[k].name, &list[k].set, list[k].set != NULL);
        agrees(&o, list[k].name, list[k].T);
        close_model(&o);
    }
}

/* A pendulum on a controlled slide, with friction that depends on the reaction of its joint. */
static void controllers_and_friction_that_depends_on_reactions_agree_with_their_reference(void **state)
{
    char text[] =
        "{'dalembert': 1, 'name': 'controlled', 'gravity': [0, -9.81],"
        " 'bodies': [{'name': 'cart', 'type': 'planar', 'mass': 2, 'inertia': 0.1},"
        "            {'name': 'bob', 'type': 'planar', 'mass': 1, 'inertia': 0.02, 'position': [0.3, -0.4]}],"
        " 'joints': [{'name': 'slide', 'type': 'planar_prismatic', 'body_b': 'cart'},"
        "            {'name': 'pin', 'type': 'planar_revolute', 'body_a': 'cart', 'body_b': 'bob', 'point': [0, 0]}],"
        " 'forces': [{'name': 'control', 'type': 'pid', 'joint': 'slide', 'stiffness': 40, 'damping': 6, 'integral': "
        "30,"
        "             'function': '0.2*sin(3*t)'},"
        "            {'name': 'rub', 'type': 'friction', 'joint': 'pin', 'mu': 0.2, 'radius': 0.05, 'slip': 2}],"
        " 'simulation': {'t_end': 1, 'h': 0.001}}";
    opened o = {.ctx = check_ctx()};
    for (char *c = text; *c != '\0'; ++c) {
        *c = (char)(*c == '\'' ? '"' : *c);
    }
    check_ok(o.ctx, dal_document_parse(&o.doc, o.ctx, text, strlen(text), "controlled", NULL, 0));
    o.model = dal_document_model(o.doc);
    check_ok(o.ctx, dal_model_compile(o.model, &o.sys));
    assert_true(o.sys->lambda_in_g);
    agrees(&o, "controlled", 1.0);
    close_model(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_reach_orders_5_and_8),
        cmocka_unit_test(a_flexible_pendulum_reaches_orders_5_and_8),
        cmocka_unit_test(built_in_models_agree_with_their_references),
        cmocka_unit_test(controllers_and_friction_that_depends_on_reactions_agree_with_their_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
