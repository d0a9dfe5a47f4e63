/* States of the user's own and forces that are switched: tangents against differences, motions against closed forms and
 * integrations by hand. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "random_model.h"

/* ---- tangents --------------------------------------------------------------------------------- */

/* Of a coordinate, a rate, itself and another state. */
static dal_status rate(double *F, double *g, double t, const double *x, void *user)
{
    const double c = *(const double *)user;
    if (g) {
        g[0] = c * cos(x[0]);
        g[1] = x[2];
        g[2] = x[1] - 2.0 * x[2];
        g[3] = 0.3;
    }
    *F = c * sin(x[0]) + x[1] * x[2] - x[2] * x[2] + 0.3 * x[3] + t;
    return DAL_OK;
}

/* Two states that depend on two bodies, themselves and each other, and a law that depends on both. */
static double check_states(dal_ctx *ctx, check_rng *rng, const char *type_a, const char *type_b)
{
    double c = 0.7;
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    set_gravity(ctx, m, type_a, type_b);
    const dal_body a = random_body(rng, "a", type_a), b = random_body(rng, "b", type_b);
    check_ok(ctx, dal_model_add_body(m, NULL, &a));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    const dal_frame fa = frame_on(rng, type_a), fb = frame_on(rng, type_b);
    const dal_input inputs[] = {
        {.body_a = 1, .body_b = 2, .frame_a = fa, .frame_b = fb, .coordinate = DAL_COORDINATE_LENGTH},
        {.body_b = 2, .frame_b = fb, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1, .rate = 1},
        {.state = "x"},
        {.state = "y"},
    };
    const dal_input swapped[] = {inputs[0], inputs[1], inputs[3], inputs[2]};
    dal_force f = {
        .name = "x", .type = "state", .law = rate, .user = &c, .inputs = inputs, .ninputs = 4, .initial = 1.0};
    check_ok(ctx, dal_model_add_force(m, NULL, &f));
    f.type = "law";
    f.name = "f";
    f.body_a = 1;
    f.body_b = 2;
    f.frame_a = fa;
    f.frame_b = fb;
    f.coordinate = DAL_COORDINATE_LENGTH;
    check_ok(ctx, dal_model_add_force(m, NULL, &f));
    f = (dal_force){.name = "y", .type = "state", .law = rate, .user = &c, .inputs = swapped, .ninputs = 4};
    check_ok(ctx, dal_model_add_force(m, NULL, &f));
    return check_model(ctx, m, rng, 3, 0.1, 1e-7);
}

static void tangents_of_states_are_derivatives(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters", "cardan", "planar", "point", "planar_se2"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(8);
    for (size_t t = 0; t < LEN(type); ++t) {
        print_message("%-18s %.1e\n", type[t], check_states(ctx, &rng, type[t], type[(t + 1) % LEN(type)]));
    }
    check_ctx_free(ctx);
}

/* ---- runs ------------------------------------------------------------------------------------- */

typedef struct bench {
    dal_ctx *ctx;
    dal_model *m;
    dal_sim *sim;
} bench;

static bench new_bench(double mass, double v)
{
    bench b = {.ctx = check_ctx()};
    check_ok(b.ctx, dal_model_create(&b.m, b.ctx));
    check_ok(b.ctx,
             dal_model_add_body(b.m, NULL, &(dal_body){.name = "m", .type = "point", .mass = mass, .velocity = {v}}));
    return b;
}

static void add_force(bench *b, dal_force f)
{
    check_ok(b->ctx, dal_model_add_force(b->m, NULL, &f));
}

static dal_state run(bench *b, dal_options opt, double t_end)
{
    const dal_system *sys;
    check_ok(b->ctx, dal_model_compile(b->m, &sys));
    check_ok(b->ctx, dal_sim_create(&b->sim, b->ctx, sys, &opt));
    check_ok(b->ctx, dal_sim_start(b->sim, NULL, 0.0, dal_model_q0(b->m), dal_model_v0(b->m)));
    check_ok(b->ctx, dal_sim_run(b->sim, NULL, t_end));
    return dal_sim_state(b->sim);
}

static void end_bench(bench *b)
{
    dal_sim_destroy(b->sim);
    dal_model_destroy(b->m);
    check_ctx_free(b->ctx);
}

/* x' = -3 x + sin t */
static dal_status relax(double *F, double *g, double t, const double *x, void *user)
{
    if (g) {
        g[0] = -3.0;
    }
    *F = -3.0 * x[0] + sin(t);
    return DAL_OK;
}

static void a_state_follows_its_equation_with_the_order_of_the_method(void **state)
{
    static const dal_input own = {.state = "x"};
    double error[2];
    // x = (3 sin t - cos t)/10 + (x_0 + 1/10) e^(-3 t)
    const double exact = (3.0 * sin(1.0) - cos(1.0)) / 10.0 + 2.1 * exp(-3.0);
    for (int k = 0; k < 3; ++k) {
        bench b = new_bench(1.0, 0.0);
        dal_options opt = dal_options_init();
        opt.h = k == 1 ? 5e-3 : 1e-2;
        opt.integrator = k == 2 ? DAL_INTEGRATOR_LOBATTO : opt.integrator;
        add_force(
            &b, (dal_force){.name = "x", .type = "state", .law = relax, .inputs = &own, .ninputs = 1, .initial = 2.0});
        const double x = run(&b, opt, 1.0).v[3];
        if (k < 2) {
            error[k] = fabs(x - exact);
        } else {
            assert_near(x, exact, 1e-8);
        }
        end_bench(&b);
    }
    print_message("errors %.2e %.2e\n", error[0], error[1]);
    assert_true(error[0] < 1e-4);
    assert_near(error[0] / error[1], 4.0, 0.3);
}

/* LuGre: z' = v - sigma_0 |v| z/g(v), F = -(sigma_0 z + sigma_1 z' + sigma_2 v), g = F_C + (F_S - F_C) exp(-(v/v_s)^2) */
enum { FC, FS, VS, S0, S1, S2, NLUGRE };
static const double lugre[NLUGRE] = {1.0, 1.5, 0.1, 300.0, 5.0, 0.4};

static double bristles(double *dv, double *dz, double v, double z)
{
    const double e = exp(-v * v / (lugre[VS] * lugre[VS])), g = lugre[FC] + (lugre[FS] - lugre[FC]) * e;
    const double ge = -2.0 * v / (lugre[VS] * lugre[VS]) * (lugre[FS] - lugre[FC]) * e, s = v < 0.0 ? -1.0 : 1.0;
    *dv = 1.0 - lugre[S0] * z * (s / g - fabs(v) * ge / (g * g));
    *dz = -lugre[S0] * fabs(v) / g;
    return v - lugre[S0] * fabs(v) * z / g;
}

static dal_status lugre_rate(double *F, double *g, double t, const double *x, void *user)
{
    double dv, dz;
    *F = bristles(&dv, &dz, x[0], x[1]);
    if (g) {
        g[0] = dv;
        g[1] = dz;
    }
    return DAL_OK;
}

static dal_status lugre_force(double *F, double *g, double t, const double *x, void *user)
{
    double dv, dz;
    *F = -(lugre[S0] * x[1] + lugre[S1] * bristles(&dv, &dz, x[0], x[1]) + lugre[S2] * x[0]) + 2.0 * sin(2.0 * t);
    if (g) {
        g[0] = -lugre[S1] * dv - lugre[S2];
        g[1] = -lugre[S0] - lugre[S1] * dz;
    }
    return DAL_OK;
}

/* The same as two equations of first order by the rule of Runge and Kutta with tiny steps. */
static void lugre_by_hand(double y[2], double t_end)
{
    const int n = 20000;
    const double h = t_end / n;
    y[0] = 0.3;
    y[1] = 0.0;
    for (int i = 0; i < n; ++i) {
        static const double c[4] = {0.0, 0.5, 0.5, 1.0}, w[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
        double k[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
        for (int s = 0; s < 4; ++s) {
            const double x[2] = {y[0] + c[s] * h * k[0], y[1] + c[s] * h * k[1]};
            double F;
            (void)lugre_force(&F, NULL, (i + c[s]) * h, x, NULL);
            k[0] = F;
            (void)lugre_rate(&k[1], NULL, 0.0, x, NULL);
            sum[0] += w[s] * k[0];
            sum[1] += w[s] * k[1];
        }
        y[0] += h * sum[0];
        y[1] += h * sum[1];
    }
}

static void bristles_of_a_friction_law_agree_with_an_integration_by_hand(void **state)
{
    const dal_input inputs[2] = {{.body_b = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .rate = 1}, {.state = "z"}};
    bench b = new_bench(1.0, 0.3);
    dal_options opt = dal_options_init();
    double y[2];
    opt.h = 2e-4;
    add_force(&b, (dal_force){.name = "z", .type = "state", .law = lugre_rate, .inputs = inputs, .ninputs = 2});
    add_force(&b, (dal_force){.name = "f",
                              .type = "law",
                              .body_b = 1,
                              .coordinate = DAL_COORDINATE_TRANSLATION,
                              .law = lugre_force,
                              .inputs = inputs,
                              .ninputs = 2});
    const dal_state s = run(&b, opt, 2.0);
    lugre_by_hand(y, 2.0);
    print_message("v %.3e, z %.3e\n", s.v[0] - y[0], s.v[3] - y[1]);
    assert_near(s.v[0], y[0], 2e-5);
    assert_near(s.v[3], y[1], 1e-6);
    end_bench(&b);
}

/* ---- a cylinder: p' = K (Q - A x')/V, m x'' = A p --------------------------------------------- */

static const double area = 1e-3, bulk = 2e5, volume = 2e-4, flow = 1e-4;

static dal_status pressure_rate(double *F, double *g, double t, const double *x, void *user)
{
    if (g) {
        g[0] = -bulk * area / volume;
    }
    *F = bulk / volume * (flow - area * x[0]);
    return DAL_OK;
}

static dal_status piston_force(double *F, double *g, double t, const double *x, void *user)
{
    if (g) {
        g[0] = area;
    }
    *F = area * x[0];
    return DAL_OK;
}

/* x' = Q/A (1 - cos w t), p = m Q/A^2 w sin w t, w^2 = K A^2/(V m) */
static void a_hydraulic_cylinder_swings_at_the_speed_of_its_flow(void **state)
{
    const double mass = 10.0, w = sqrt(bulk * area * area / (volume * mass)), t = 0.7;
    const dal_input speed = {.body_b = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .rate = 1}, p = {.state = "p"};
    bench b = new_bench(mass, 0.0);
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.h = 0.01;
    add_force(&b, (dal_force){.name = "p", .type = "state", .law = pressure_rate, .inputs = &speed, .ninputs = 1});
    add_force(&b, (dal_force){.name = "piston",
                              .type = "law",
                              .body_b = 1,
                              .coordinate = DAL_COORDINATE_TRANSLATION,
                              .law = piston_force,
                              .inputs = &p,
                              .ninputs = 1});
    const dal_output out = {.name = "pressure", .quantity = "state", .force = "p"};
    check_ok(b.ctx, dal_model_add_output(b.m, NULL, &out));
    const dal_state s = run(&b, opt, t);
    double value;
    const dal_point at = dal_sim_point(b.sim);
    check_ok(b.ctx, dal_model_outputs(b.m, dal_sim_data(b.sim), &value, &at));
    assert_near_rel(s.v[0], flow / area * (1.0 - cos(w * t)), 1e-5);
    assert_near_rel(value, mass * flow / (area * area) * w * sin(w * t), 1e-5);
    end_bench(&b);
}

static dal_status refuse(double *F, double *g, double t, const double *x, void *user)
{
    *F = 0.0;
    return t > 0.1 ? DAL_EINVAL : DAL_OK;
}

static dal_status nothing(double *F, double *g, double t, const double *x, void *user)
{
    *F = t > 0.1 ? NAN : 0.0;
    return DAL_OK;
}

static void a_law_that_fails_is_named(void **state)
{
    static const dal_law law[] = {refuse, nothing};
    for (size_t k = 0; k < LEN(law); ++k) {
        bench b = new_bench(1.0, 0.0);
        const dal_system *sys;
        const dal_options opt = dal_options_init();
        add_force(&b, (dal_force){.name = "odd", .type = "state", .law = law[k]});
        check_ok(b.ctx, dal_model_compile(b.m, &sys));
        check_ok(b.ctx, dal_sim_create(&b.sim, b.ctx, sys, &opt));
        check_ok(b.ctx, dal_sim_start(b.sim, NULL, 0.0, dal_model_q0(b.m), dal_model_v0(b.m)));
        const dal_status st = dal_sim_run(b.sim, NULL, 1.0);
        assert_int_not_equal(st, DAL_OK);
        assert_non_null(strstr(dal_ctx_message(b.ctx), "force 'odd'"));
        end_bench(&b);
    }
}

static void states_that_are_missing_or_switched_are_refused(void **state)
{
    static const dal_input none = {.state = "no"};
    const dal_system *sys;
    bench b = new_bench(1.0, 0.0);
    dal_force f = {.name = "x", .type = "state", .law = relax, .inputs = &none, .ninputs = 1, .switched = 1, .to = 1.0};
    check_fails(b.ctx, dal_model_add_force(b.m, NULL, &f), DAL_EINVAL, "a state is not switched");
    f.switched = 0;
    add_force(&b, f);
    check_fails(b.ctx, dal_model_compile(b.m, &sys), DAL_EINVAL, "there is no state 'no'");
    end_bench(&b);
}

/* ---- switching -------------------------------------------------------------------------------- */

/* A force of 6 N on 2 kg from 0.1234 to 0.5678 s, which no step of a fixed size meets. */
static void a_force_is_switched_at_its_times_exactly(void **state)
{
    const double from = 0.1234, to = 0.5678, a = 3.0, span = to - from;
    for (int k = 0; k < 4; ++k) {
        bench b = new_bench(2.0, 0.5);
        dal_options opt = dal_options_init();
        opt.h = 0.01;
        opt.integrator = k == 1 ? DAL_INTEGRATOR_LOBATTO : opt.integrator;
        opt.step = k == 2 ? DAL_STEP_ADAPTIVE : k == 3 ? DAL_STEP_FIXED_OR_CUT : opt.step;
        add_force(
            &b,
            (dal_force){
                .name = "push", .type = "force", .body_b = 1, .vector = {6.0}, .switched = 1, .from = from, .to = to});
        const dal_state s = run(&b, opt, 1.0);
        print_message("%d: v %.1e, x %.1e\n", k, s.v[0] - 0.5 - a * span,
                      s.q[0] - 0.5 - 0.5 * a * span * span - a * span * (1.0 - to));
        assert_near(s.v[0], 0.5 + a * span, 1e-10);
        assert_near(s.q[0], 0.5 + 0.5 * a * span * span + a * span * (1.0 - to), 1e-10);
        end_bench(&b);
    }
}

/* A spring that is let go at a time no longer counts in the energy, and its power is zero. */
static void what_is_off_has_no_value_and_no_energy(void **state)
{
    bench b = new_bench(1.0, 2.0);
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    add_force(&b, (dal_force){.name = "k",
                              .type = "cartesian",
                              .body_b = 1,
                              .stiffness6 = {4.0, 4.0, 4.0},
                              .switched = 1,
                              .from = -INFINITY,
                              .to = 0.5});
    check_ok(b.ctx, dal_model_add_output(b.m, NULL, &(dal_output){.name = "E", .quantity = "potential_energy"}));
    check_ok(b.ctx, dal_model_add_output(b.m, NULL, &(dal_output){.name = "P", .quantity = "power", .force = "k"}));
    const dal_state s = run(&b, opt, 1.0);
    const dal_point at = dal_sim_point(b.sim);
    double y[2];
    check_ok(b.ctx, dal_model_outputs(b.m, dal_sim_data(b.sim), y, &at));
    assert_near(y[0], 0.0, 0.0);
    assert_near(y[1], 0.0, 0.0);
    // x = sin 2t up to t = 1/2, then straight on
    assert_near(s.v[0], 2.0 * cos(1.0), 1e-5);
    assert_near(s.q[0], sin(1.0) + 0.5 * 2.0 * cos(1.0), 1e-5);
    end_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_states_are_derivatives),
        cmocka_unit_test(a_state_follows_its_equation_with_the_order_of_the_method),
        cmocka_unit_test(bristles_of_a_friction_law_agree_with_an_integration_by_hand),
        cmocka_unit_test(a_hydraulic_cylinder_swings_at_the_speed_of_its_flow),
        cmocka_unit_test(a_law_that_fails_is_named),
        cmocka_unit_test(states_that_are_missing_or_switched_are_refused),
        cmocka_unit_test(a_force_is_switched_at_its_times_exactly),
        cmocka_unit_test(what_is_off_has_no_value_and_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
