/* A new element is one table. Here: a straight bar with a consistent mass matrix, m/6 [2 1; 1 2], between the origins of two
 * frames, as a finite element has it. Everything else, bodies in other coordinates, blocks, energy, momentum, follows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/sim.h"
#include "mbs/force_impl.h"
#include "random_flexible.h"
#include "random_model.h"

static const double bar_mass = 0.7;

/* Share of the mass that couples ends i and j. */
static double share(int i, int j)
{
    return bar_mass / (i == j ? 3.0 : 6.0);
}

static void bar_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_force *f = self;
    for (int k = 0; k < 4; ++k) {
        const int i = f->marker[k / 2].body, j = f->marker[k % 2].body;
        axpy3(m->body[i].r6, share(k / 2, k % 2), m->state[j].xdd);
        axpy3(m->body[i].r6, -share(k / 2, k % 2), m->gravity);
    }
}

static void bar_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    for (int k = 0; k < 4; ++k) {
        const int i = f->marker[k / 2].body, j = f->marker[k % 2].body;
        double M6[36] = {0.0};
        M6[0] = M6[7] = M6[14] = share(k / 2, k % 2);
        if (i > 0 && j > 0) {
            mb_add_mass(m, sink, i, j, f->pair[k / 2], M6);
        }
    }
}

static void bar_kinetic(double *T, const void *self, const mb_instance *m)
{
    const mb_force *f = self;
    for (int k = 0; k < 4; ++k) {
        *T += 0.5 * share(k / 2, k % 2) * dot3(m->state[f->marker[k / 2].body].xd, m->state[f->marker[k % 2].body].xd);
    }
}

static void bar_weight(double *V, const void *self, mb_instance *m, double t)
{
    const mb_force *f = self;
    for (int i = 0; i < 2; ++i) {
        *V -= 0.5 * bar_mass * dot3(m->gravity, m->state[f->marker[i].body].x);
    }
}

static void bar_sums(mb_sums *sum, const void *self, const mb_instance *m)
{
    const mb_force *f = self;
    sum->mass += bar_mass;
    for (int i = 0; i < 2; ++i) {
        const mb_state *s = &m->state[f->marker[i].body];
        axpy3(sum->mc, 0.5 * bar_mass, s->x);
        axpy3(sum->p, 0.5 * bar_mass, s->xd);
    }
}

static const mb_force_type bar = {.name = "bar",
                                  .element = {.wants = MB_WANTS_BODY,
                                              .mass = 1,
                                              .connect = mb_connect_frames,
                                              .residual = bar_residual,
                                              .tangent = bar_tangent,
                                              .kinetic = bar_kinetic,
                                              .potential = bar_weight,
                                              .sums = bar_sums}};

/* A model adds its forces by the names of their types: take any, and replace its type. */
static void add_bar(dal_ctx *ctx, dal_model *m, int a, int b)
{
    const dal_force spring = {.name = "bar", .type = "cartesian", .body_a = a, .body_b = b, .stiffness6 = {1.0}};
    int number;
    check_ok(ctx, dal_model_add_force(m, &number, &spring));
    m->force[number].type = &bar;
}

static void mass_between_frames_of_any_kind(void **state)
{
    static const char *const types[] = {"r3so3", "se3", "euler_parameters", "cardan", "point"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(8);
    for (size_t k = 0; k < LEN(types) * LEN(types); ++k) {
        const char *a = types[k / LEN(types)], *b = types[k % LEN(types)];
        dal_model *m;
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_set_gravity(m, (double[3]){0.5, 1.0, -9.81}));
        const dal_body one = random_body(&rng, "a", a), two = random_body(&rng, "b", b);
        check_ok(ctx, dal_model_add_body(m, NULL, &one));
        check_ok(ctx, dal_model_add_body(m, NULL, &two));
        add_bar(ctx, m, 1, 2);
        check_model(ctx, m, &rng, 2, 0.2, 1e-7);
    }
    check_ctx_free(ctx);
}

static void mass_between_the_nodes_of_flexible_bodies(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(9);
    random_modes modes;
    dal_model *m;
    int first, second;
    check_ok(ctx, dal_model_create(&m, ctx));
    random_modes_fill(&modes, &rng, 0);
    add_random_flexible(ctx, m, &rng, "a", &modes.modes, &first);
    add_random_flexible(ctx, m, &rng, "b", &modes.modes, &second);
    add_bar(ctx, m, first + 1, second + 2);
    check_model(ctx, m, &rng, 2, 0.05, 1e-6);
    check_ctx_free(ctx);
}

/* Two points on a bar, thrown: the centre falls as one of all the mass, momentum and energy are what they must be. */
static void a_thrown_bar_falls(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    dal_sim *sim;
    const dal_system *sys;
    dal_options opt = dal_options_init();
    const double g[3] = {0.0, 0.0, -9.81}, masses = 0.3 + 0.5 + bar_mass;
    double y[8];
    opt.h = 1e-3;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, g));
    check_ok(ctx, dal_model_add_body(
                      m, NULL, &(dal_body){.name = "a", .type = "point", .mass = 0.3, .velocity = {1.0, 2.0, 3.0}}));
    check_ok(
        ctx,
        dal_model_add_body(
            m, NULL,
            &(dal_body){
                .name = "b", .type = "point", .mass = 0.5, .position = {1.0, 0.0, 0.0}, .velocity = {1.0, 0.0, 1.0}}));
    check_ok(ctx,
             dal_model_add_joint(m, NULL, &(dal_joint){.name = "rod", .type = "distance", .body_a = 1, .body_b = 2}));
    add_bar(ctx, m, 1, 2);
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "p", .quantity = "momentum"}));
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "c", .quantity = "centre_of_mass"}));
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "E", .quantity = "energy"}));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    double first[8];
    for (int k = 0; k < 2; ++k) {
        const dal_state s = dal_sim_state(sim);
        check_ok(ctx,
                 dal_model_outputs(m, dal_sim_data(sim), k == 0 ? first : y, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
        if (k == 0) {
            check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
        }
    }
    for (int i = 0; i < 3; ++i) {
        const double v = first[i] / masses;
        assert_near(y[i], first[i] + masses * g[i] * 0.5, 1e-9);
        assert_near(y[3 + i], first[3 + i] + v * 0.5 + 0.5 * g[i] * 0.25, 1e-6);
    }
    assert_near(y[6], first[6], 1e-5);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_between_frames_of_any_kind),
        cmocka_unit_test(mass_between_the_nodes_of_flexible_bodies),
        cmocka_unit_test(a_thrown_bar_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
