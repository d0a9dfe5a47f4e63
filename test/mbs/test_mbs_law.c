/* Forces whose value is a function of inputs: tangents against differences, and the forces they stand for. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "random_model.h"

/* Of all six inputs and time, with no derivative zero. */
static dal_status mixed(double *F, double *g, double t, const double *x, void *user)
{
    const double c = *(const double *)user;
    if (g) {
        g[0] = c * cos(x[0]) + x[1] * x[1];
        g[1] = 2.0 * x[0] * x[1];
        g[2] = -fabs(x[2]) * 2.0;
        g[3] = 0.3 * x[4];
        g[4] = 0.3 * x[3];
        g[5] = 1.0 / (1.0 + x[5] * x[5]);
    }
    *F = c * sin(x[0]) + x[0] * x[1] * x[1] - x[2] * fabs(x[2]) + 0.3 * x[3] * x[4] + atan(x[5]) + t;
    return DAL_OK;
}

/* Three bodies, a hinge between the first two, and a law between any two of them or along the hinge whose inputs come
 * from all three. */
static double check_law(dal_ctx *ctx, check_rng *rng, const char *const type[3], int body_a, int body_b,
                        const char *joint)
{
    static const char *const name[] = {"a", "b", "c"};
    double c = 0.7;
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    for (int k = 0; k < 3; ++k) {
        const dal_body b = random_body(rng, name[k], type[k]);
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
    }
    const dal_joint hinge = {.name = "hinge",
                             .type = "revolute",
                             .body_a = 1,
                             .body_b = 2,
                             .frame_a = random_frame(rng),
                             .frame_b = random_frame(rng)};
    check_ok(ctx, dal_model_add_joint(m, NULL, &hinge));
    const int turns = strcmp(type[2], "point") == 0 ? 1 : 3; // a point does not
    const dal_input inputs[] = {
        {.joint = "hinge"},
        {.joint = "hinge", .rate = 1},
        {.body_a = 1, .body_b = 3, .coordinate = DAL_COORDINATE_LENGTH, .frame_b = frame_on(rng, type[2]), .rate = 1},
        {.body_b = 3, .frame_b = frame_on(rng, type[2]), .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1},
        {.body_a = turns, .body_b = 2, .frame_a = random_frame(rng), .spin = 1, .axis = 2},
        {.body_a = 2, .body_b = turns, .coordinate = DAL_COORDINATE_ROTATION, .axis = 1},
    };
    const dal_force law = {.name = "law",
                           .type = "law",
                           .joint = joint,
                           .body_a = body_a,
                           .body_b = body_b,
                           .frame_a = frame_on(rng, body_a > 0 ? type[body_a - 1] : NULL),
                           .frame_b = frame_on(rng, body_b > 0 ? type[body_b - 1] : NULL),
                           .coordinate = joint ? DAL_COORDINATE_DEFAULT : DAL_COORDINATE_LENGTH,
                           .law = mixed,
                           .user = &c,
                           .inputs = inputs,
                           .ninputs = (int)LEN(inputs)};
    check_ok(ctx, dal_model_add_force(m, NULL, &law));
    return check_model(ctx, m, rng, 3, 0.1, 1e-7);
}

static void tangents_of_laws_are_derivatives(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters", "cardan", "planar", "point", "planar_se2"};
    static const int between[3][2] = {{1, 2}, {0, 1}, {3, 2}};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    double worst = 0.0;
    for (size_t t = 0; t < LEN(type); ++t) {
        const char *const types[3] = {t < 4 ? type[t] : "r3so3", t < 4 ? type[(t + 1) % 4] : "r3so3", type[t]};
        for (size_t k = 0; k < LEN(between); ++k) {
            worst = fmax(worst, check_law(ctx, &rng, types, between[k][0], between[k][1], NULL));
        }
        worst = fmax(worst, check_law(ctx, &rng, types, 0, 0, "hinge"));
    }
    print_message("worst %.1e\n", worst);
    check_ctx_free(ctx);
}

/* k x + d x' as a law is a spring. */
static dal_status spring(double *F, double *g, double t, const double *x, void *user)
{
    if (g) {
        g[0] = -30.0;
        g[1] = -0.5;
    }
    *F = -30.0 * (x[0] - 0.8) - 0.5 * x[1];
    return DAL_OK;
}

static void run(double q[7], dal_ctx *ctx, const dal_force *force)
{
    static const dal_body body = {.name = "a",
                                  .mass = 2.0,
                                  .inertia = {0.1, 0.2, 0.25, 0.0, 0.0, 0.0},
                                  .position = {1.0, 0.2, 0.1},
                                  .angular_velocity = {0.3, -1.0, 2.0}};
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.h = 2e-3;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &body));
    check_ok(ctx, dal_model_add_force(m, NULL, force));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    memcpy(q, dal_sim_state(sim).q, 7 * sizeof(double));
    dal_sim_destroy(sim);
    dal_model_destroy(m);
}

static void a_linear_law_is_a_spring(void **state)
{
    const dal_frame end = {.position = {0.1, 0.05, 0.2}};
    const dal_input inputs[2] = {{.body_b = 1, .frame_b = end, .coordinate = DAL_COORDINATE_LENGTH},
                                 {.body_b = 1, .frame_b = end, .coordinate = DAL_COORDINATE_LENGTH, .rate = 1}};
    dal_force f = {.name = "f",
                   .type = "spring",
                   .body_b = 1,
                   .frame_b = end,
                   .coordinate = DAL_COORDINATE_LENGTH,
                   .stiffness = 30.0,
                   .damping = 0.5,
                   .reference = 0.8};
    dal_ctx *ctx = check_ctx();
    double q[2][7];
    run(q[0], ctx, &f);
    f.type = "law";
    f.law = spring;
    f.inputs = inputs;
    f.ninputs = 2;
    run(q[1], ctx, &f);
    assert_all_near(q[1], q[0], 7, 1e-12);
    check_ctx_free(ctx);
}

static void incomplete_laws_are_refused(void **state)
{
    static const dal_body body = {.name = "a", .type = "point", .mass = 2.0};
    static const dal_input none = {.body_b = 1}, same = {.body_b = 0, .coordinate = DAL_COORDINATE_LENGTH};
    dal_force f = {.name = "f", .type = "law", .body_b = 1, .coordinate = DAL_COORDINATE_LENGTH};
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &body));
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "a law needs a callback");
    f.law = spring;
    f.ninputs = DAL_INPUTS_MAX + 1;
    f.inputs = &none;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "0 to 16 inputs");
    f.ninputs = 1;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "say which coordinate input 1 is");
    f.inputs = &same;
    check_fails(ctx, dal_model_add_force(m, NULL, &f), DAL_EINVAL, "force 'f'");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_laws_are_derivatives),
        cmocka_unit_test(a_linear_law_is_a_spring),
        cmocka_unit_test(incomplete_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
