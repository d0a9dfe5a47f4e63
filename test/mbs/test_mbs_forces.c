/* Every force and every function: derivatives against differences; potentials against the work of the force. */
#include <math.h>
#include <string.h>

#include "random_model.h"
#include "support/check_system.h"

enum { NSTATES = 3 };

static const double harmonic[4] = {0.4, 0.3, 2.0, 0.5};
static const double knots[5] = {-3.0, -1.0, 0.5, 1.0, 4.0}, values[5] = {-2.0, -0.4, 0.1, 0.6, 3.0};

static int is_point(const char *type)
{
    return type && strcmp(type, "point") == 0;
}

/* Two bodies in these descriptions, a joint between them and one from the ground to the second, two functions: 1 of time,
 * 2 a table. */
static dal_model *two_bodies(dal_ctx *ctx, check_rng *rng, const char *type_a, const char *type_b)
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    set_gravity(ctx, m, type_a, type_b);
    const dal_function f = {.name = "wave", .type = "harmonic", .c = harmonic, .n = 4};
    const dal_function g = {.name = "table", .type = "table", .x = knots, .y = values, .n = 5};
    check_ok(ctx, dal_model_add_function(m, NULL, &f));
    check_ok(ctx, dal_model_add_function(m, NULL, &g));
    const dal_body a = random_body(rng, "a", type_a), b = random_body(rng, "b", type_b);
    check_ok(ctx, dal_model_add_body(m, NULL, &a));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    const dal_joint hinge = {.name = "hinge",
                             .type = is_point(type_a) || is_point(type_b) ? "distance" : "revolute",
                             .body_a = 2,
                             .body_b = 1,
                             .frame_a = frame_on(rng, type_b),
                             .frame_b = frame_on(rng, type_a)};
    check_ok(ctx, dal_model_add_joint(m, NULL, &hinge));
    const dal_joint slide = {.name = "slide",
                             .type = is_point(type_b) ? "point_on_line" : "cylindrical",
                             .body_b = 2,
                             .frame_b = frame_on(rng, type_b)};
    check_ok(ctx, dal_model_add_joint(m, NULL, &slide));
    return m;
}

static const dal_force forces[] = {
    {.type = "force", .vector = {1.0, 2.0, 3.0}},
    {.type = "force", .vector = {1.0, 2.0, 3.0}, .follower = 1, .function = 1},
    {.type = "torque", .vector = {1.0, 2.0, 3.0}, .function = 1},
    {.type = "torque", .vector = {1.0, 2.0, 3.0}, .follower = 1},
    {.type = "force", .vector = {1.0, 2.0}, .function = 1},
    {.type = "torque", .vector = {0.0, 0.0, 3.0}},
    {.type = "spring", .stiffness = 3.0, .damping = 0.4, .reference = 0.7},
    {.type = "spring", .cubic = 2.0, .characteristic = 2, .damping = 0.3, .function = 1},
    {.type = "spring", .stiffness = 3.0, .damping = 0.4, .coordinate = DAL_COORDINATE_ROTATION, .axis = 2},
    {.type = "spring", .stiffness = 3.0, .damping = 0.4, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1},
    {.type = "bushing", .stiffness6 = {1.0, 2.0, 3.0, 0.4, 0.5, 0.6}, .damping6 = {0.1, 0.2, 0.3, 0.04, 0.05, 0.06}},
    {.type = "cartesian", .stiffness6 = {1.0, 2.0, 3.0}, .damping6 = {0.1, 0.2, 0.3}, .vector = {0.2, 0.3, 0.4}},
    {.type = "actuator", .function = 1, .coordinate = DAL_COORDINATE_ROTATION, .axis = 1},
    {.type = "actuator", .function = 1, .joint = "hinge"},
    {.type = "pd", .function = 1, .stiffness = 2.0, .damping = 0.5, .joint = "hinge"},
    {.type = "pid", .function = 1, .stiffness = 2.0, .damping = 0.5, .integral = 0.7, .joint = "hinge"},
    {.type = "pid", .function = 1, .integral = 0.7, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 2},
    {.type = "armature", .inertia = 0.7, .joint = "hinge"},
    {.type = "armature", .inertia = 0.7, .coordinate = DAL_COORDINATE_LENGTH},
    {.type = "drag", .damping = 0.3, .quadratic = 0.2},
    {.type = "friction", .mu = 0.3, .radius = 0.1, .slip = 0.5, .joint = "hinge"},
    {.type = "friction", .mu = 0.3, .slip = 0.5, .joint = "slide"},
    {.type = "contact", .stiffness = 3.0, .restitution = 0.7, .radius = 3.0, .mu = 0.3, .slip = 0.5},
    {.type = "contact",
     .stiffness = 3.0,
     .restitution = 0.7,
     .radius = 3.0,
     .mu = 0.3,
     .bristle = 0.1,
     .bristle_damping = 0.01},
    {.type = "contact",
     .stiffness = 3.0,
     .restitution = 0.7,
     .radius = 3.0,
     .mu = 0.3,
     .bristle = 5.0,
     .bristle_damping = 9.0},
    {.type = "contact",
     .stiffness = 3.0,
     .restitution = 0.7,
     .exponent = 1.0,
     .radius = 2.0,
     .shape_a = 1,
     .radius_a = 2.0,
     .mu = 0.3,
     .slip = 0.5},
    {.type = "contact",
     .stiffness = 3.0,
     .shape = 2,
     .radius = 2.0,
     .length = 0.5,
     .shape_a = 3,
     .size_a = {1.0, 2.0, 3.0}},
    {.type = "contact",
     .stiffness = 3.0,
     .restitution = 0.5,
     .shape = 4,
     .radius = 2.0,
     .length = 2.0,
     .mu = 0.3,
     .slip = 0.5},
};

static void check_force(dal_ctx *ctx, const dal_force *like, const char *type_a, const char *type_b, double spread)
{
    static const int between[3][2] = {{1, 2}, {0, 1}, {2, 0}};
    check_rng rng = check_rng_seed(3);
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        const char *const types[3] = {NULL, type_a, type_b};
        dal_force f = *like;
        dal_model *m = two_bodies(ctx, &rng, type_a, type_b);
        f.name = "f";
        f.body_a = between[k][0];
        f.body_b = between[k][1];
        f.frame_a = frame_on(&rng, types[f.body_a]);
        f.frame_b = frame_on(&rng, types[f.body_b]);
        if (f.body_b == 0 && strcmp(f.type, "cartesian") != 0 &&
            (f.vector[0] != 0.0 || f.vector[2] != 0.0 || f.quadratic != 0.0)) {
            dal_model_destroy(m); // loads need a body
            continue;
        }
        check_ok(ctx, dal_model_add_force(m, NULL, &f));
        if (is_refused(ctx, m)) {
            dal_model_destroy(m);
            continue;
        }
        worst = fmax(worst, check_model(ctx, m, &rng, NSTATES, spread, 1e-7));
    }
    print_message("%-10s %-18s %-18s %.1e\n", like->type, type_a ? type_a : "r3so3", type_b ? type_b : "r3so3", worst);
}

static void tangents_of_forces_are_derivatives(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters", "cardan", "planar", "point"};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(forces); ++k) {
        check_force(ctx, &forces[k], NULL, NULL, 0.2);
        for (size_t t = 0; t < LEN(type); ++t) {
            check_force(ctx, &forces[k], type[t], type[(t + 1) % LEN(type)], 0.05);
        }
    }
    check_ctx_free(ctx);
}

/* Of every type there is, with numbers for all its keys; those that numbers do not fill have tests of their own. */
static void tangents_of_every_type_are_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(22);
    int checked = 0;
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        dal_force f = {.type = type.name, .joint = type.place == DAL_PLACE_JOINT ? "hinge" : NULL};
        if (strcmp(type.section, "forces") == 0 && random_numbers(&rng, &type, &f)) {
            f.restitution = 0.6;
            f.exponent = 1.3;
            f.teeth = 7.0;
            f.backlash = 0.01;
            f.angle = 0.3;
            check_force(ctx, &f, NULL, NULL, 0.2);
            check_force(ctx, &f, "cardan", "se3", 0.05);
            ++checked;
        } else if (strcmp(type.section, "forces") == 0) {
            assert_true(strcmp(type.name, "law") == 0 || strcmp(type.name, "state") == 0 ||
                        strcmp(type.name, "delay") == 0);
        }
    }
    assert_true(checked >= 10);
    check_ctx_free(ctx);
}

/* dE/dt = 0 for conservative forces: along (q o exp(h v), v + h v') with v' from r = 0 this is v . r = 0, where the
 * kinetic part is exact; so compare the rate of the energy with v . r for any v'. */
static void energy_changes_by_the_work_of_the_equations_of_motion(void **state)
{
    static const dal_force conservative[] = {
        {.type = "armature", .inertia = 0.7, .coordinate = DAL_COORDINATE_ROTATION, .axis = 2},
        {.type = "armature", .inertia = 0.7, .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1},
        {.type = "spring", .stiffness = 3.0, .reference = 0.7},
        {.type = "spring", .cubic = 2.0, .characteristic = 2, .reference = 0.3},
        {.type = "spring", .stiffness = 3.0, .coordinate = DAL_COORDINATE_ROTATION, .axis = 2},
        {.type = "bushing", .stiffness6 = {1.0, 2.0, 3.0, 0.4, 0.5, 0.6}},
        {.type = "cartesian", .stiffness6 = {1.0, 2.0, 3.0}, .vector = {0.2, 0.3, 0.4}},
        {.type = "force", .vector = {1.0, -2.0, 3.0}},
        {.type = "contact", .stiffness = 3.0, .radius = 2.0, .shape_a = 3, .size_a = {2.0, 3.0, 4.0}},
    };
    static const char *const type[] = {"r3so3", "se3", "euler_parameters", "cardan", "planar_se2", "point"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(9);
    for (size_t k = 0; k < LEN(conservative) * LEN(type); ++k) {
        dal_model *m;
        const dal_system *sys;
        dal_force f = conservative[k % LEN(conservative)];
        f.name = "f";
        f.body_a = 1;
        f.body_b = 2;
        f.frame_a = frame_on(&rng, type[k / LEN(conservative)]);
        f.frame_b = random_frame(&rng);
        const double x[5] = {-9.0, -1.0, 0.5, 1.0, 9.0};
        const dal_function g = {.name = "table", .type = "table", .x = x, .y = values, .n = 5};
        const dal_function c = {.name = "c", .type = "constant", .c = harmonic, .n = 1};
        const dal_body a = random_body(&rng, "a", type[k / LEN(conservative)]), b = random_body(&rng, "b", NULL);
        check_ok(ctx, dal_model_create(&m, ctx));
        set_gravity(ctx, m, type[k / LEN(conservative)], NULL);
        check_ok(ctx, dal_model_add_function(m, NULL, &c));
        check_ok(ctx, dal_model_add_function(m, NULL, &g));
        check_ok(ctx, dal_model_add_body(m, NULL, &a));
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
        check_ok(ctx, dal_model_add_force(m, NULL, &f));
        if (is_refused(ctx, m)) {
            dal_model_destroy(m);
            continue;
        }
        check_ok(ctx, dal_model_compile(m, &sys));
        double r[16], vd[16], v1[16], q1[16], theta[16], rate = 0.0, power = 0.0, la[4] = {0.0};
        const double *q = dal_model_q0(m), *v = dal_model_v0(m), h = 1e-5;
        check_normals(&rng, vd, 16);
        check_ok(ctx, check_residual(ctx, sys, &(dal_residual){.r = r}, &(dal_point){0.0, q, v, vd, la}));
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < sys->group->nv; ++i) {
                theta[i] = side * h * v[i];
                v1[i] = v[i] + side * h * vd[i];
            }
            dal_retract(sys->group, q1, q, theta);
            rate += side * check_energy(ctx, sys, &(dal_point){0.0, q1, v1, vd, la}) / (2.0 * h);
        }
        for (int i = 0; i < sys->group->nv; ++i) {
            power += v[i] * r[i];
        }
        assert_near_rel(rate, power, 1e-6);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

/* ---- functions -------------------------------------------------------------------------------- */

static dal_status square(double y[3], double x, void *user)
{
    const double s = *(const double *)user;
    y[0] = s * x * x;
    y[1] = 2.0 * s * x;
    y[2] = 2.0 * s;
    return DAL_OK;
}

static void functions_have_the_derivatives_they_say(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    double scale = 1.5;
    static const double poly[4] = {1.0, -2.0, 0.5, 0.25}, step[4] = {1.0, 3.0, -0.5, 2.0};
    static const int operands[3] = {2, 3, 1};
    const dal_function f[] = {
        {.name = "constant", .type = "constant", .c = poly, .n = 1},
        {.name = "harmonic", .type = "harmonic", .c = harmonic, .n = 4},
        {.name = "polynomial", .type = "polynomial", .c = poly, .n = 4},
        {.name = "step", .type = "step", .c = step, .n = 4},
        {.name = "ramp", .type = "ramp", .c = step, .n = 4},
        {.name = "table", .type = "table", .x = knots, .y = values, .n = 5},
        {.name = "sum", .type = "sum", .f = operands, .nf = 3},
        {.name = "product", .type = "product", .f = operands, .nf = 3},
        {.name = "user", .type = "user", .call = square, .user = &scale},
    };
    check_ok(ctx, dal_model_create(&m, ctx));
    for (size_t k = 0; k < LEN(f); ++k) {
        int number;
        check_ok(ctx, dal_model_add_function(m, &number, &f[k]));
        assert_int_equal(number, (int)k + 1);
        assert_int_equal(dal_model_find_function(m, f[k].name), number);
        for (int i = 0; i < 25; ++i) {
            const double h = 1e-5, x = -4.13 + 0.37 * i;
            double y[3], p[3], n[3];
            dal_model_function_value(m, y, number, x);
            dal_model_function_value(m, p, number, x + h);
            dal_model_function_value(m, n, number, x - h);
            assert_near(y[1], (p[0] - n[0]) / (2.0 * h), 1e-7);
            assert_near(y[2], (p[1] - n[1]) / (2.0 * h), 1e-7);
        }
    }
    double y[3];
    for (int i = 0; i < 5; ++i) {
        dal_model_function_value(m, y, 6, knots[i]);
        assert_near(y[0], values[i], 1e-14);
    }
    dal_model_function_value(m, y, 4, -0.5);
    assert_near(y[0], 1.0, 0.0);
    dal_model_function_value(m, y, 4, 2.0);
    assert_near(y[0], 3.0, 0.0);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_forces_are_derivatives),
        cmocka_unit_test(tangents_of_every_type_are_derivatives),
        cmocka_unit_test(energy_changes_by_the_work_of_the_equations_of_motion),
        cmocka_unit_test(functions_have_the_derivatives_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
