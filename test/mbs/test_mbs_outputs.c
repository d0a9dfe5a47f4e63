/* Outputs: kinematics against differences along the motion, reactions against the equations of motion of a body. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/sim.h"
#include "mechanisms.h"
#include "random_model.h"

enum { MAX = 160 };

static int first_of(const dal_model *m, const char *name)
{
    for (int k = 0; k < dal_model_output_count(m); ++k) {
        if (strcmp(dal_model_output_info(m, k).name, name) == 0) {
            return dal_model_output_info(m, k).first;
        }
    }
    fail_msg("no output %s", name);
    return 0;
}

static void add(dal_ctx *ctx, dal_model *m, dal_output o)
{
    check_ok(ctx, dal_model_add_output(m, NULL, &o));
}

/* All outputs of body 1 at a frame. */
static void add_kinematics(dal_ctx *ctx, dal_model *m, const dal_frame *frame)
{
    static const char *const quantity[] = {"position", "quaternion",   "matrix",           "rotation_vector",
                                           "velocity", "acceleration", "angular_velocity", "angular_acceleration"};
    for (size_t k = 0; k < LEN(quantity); ++k) {
        add(ctx, m, (dal_output){.name = quantity[k], .quantity = quantity[k], .body = 1, .frame = *frame});
    }
    add(ctx, m, (dal_output){.name = "v_body", .quantity = "velocity", .body = 1, .frame = *frame, .body_axes = 1});
    add(ctx, m, (dal_output){.name = "Om", .quantity = "angular_velocity", .body = 1, .body_axes = 1});
    add(ctx, m, (dal_output){.name = "xyz", .quantity = "euler_angles", .body = 1, .frame = *frame});
    add(ctx, m, (dal_output){.name = "zxz", .quantity = "euler_angles", .body = 1, .frame = *frame, .sequence = "zxz"});
}

/* Outputs at q o exp(h v), v + h v'. */
static void outputs_along(dal_ctx *ctx, dal_model *m, const dal_system *sys, double *y, const double *vd, double h)
{
    double q[32], v[32], theta[32], la[32] = {0.0};
    for (int i = 0; i < sys->group->nv; ++i) {
        theta[i] = h * dal_model_v0(m)[i] + 0.5 * h * h * vd[i];
        v[i] = dal_model_v0(m)[i] + h * vd[i];
    }
    dal_retract(sys->group, q, dal_model_q0(m), theta);
    check_ok(ctx, dal_model_outputs(m, NULL, y, &(dal_point){0.0, q, v, vd, la}));
}

static void rotation_about(double R[9], int axis, double a)
{
    double w[3] = {0.0, 0.0, 0.0}, p[4];
    w[axis] = a;
    dal_quat_from_vector(p, w);
    dal_quat_to_matrix(R, p);
}

static void multiply(double C[9], const double A[9], const double B[9])
{
    for (int k = 0; k < 9; ++k) {
        C[k] = 0.0;
        for (int l = 0; l < 3; ++l) {
            C[k] += A[k % 3 + 3 * l] * B[l + 3 * (k / 3)];
        }
    }
}

/* R from three angles about the axes of a sequence. */
static void rotation_from(double R[9], const double a[3], const int axis[3])
{
    double X[9], Y[9], Z[9], XY[9];
    rotation_about(X, axis[0], a[0]);
    rotation_about(Y, axis[1], a[1]);
    rotation_about(Z, axis[2], a[2]);
    multiply(XY, X, Y);
    multiply(R, XY, Z);
}

/* The columns of R are the rows of y. */
static void assert_transposed(const double R[9], const double y[9], double tol)
{
    for (int k = 0; k < 9; ++k) {
        assert_near(R[k / 3 + 3 * (k % 3)], y[k], tol);
    }
}

static void kinematic_outputs_are_rates_of_each_other(void **state)
{
    static const char *const type[] = {
        "r3so3",      "se3",  "euler_parameters", "euler_parameters_textbook", "cardan", "rotation_vector", "planar",
        "planar_se2", "point"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(21);
    for (size_t k = 0; k < LEN(type); ++k) {
        dal_model *m;
        const dal_system *sys;
        const dal_body b = random_body(&rng, "b", type[k]);
        const dal_frame frame = random_frame(&rng);
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
        add_kinematics(ctx, m, &frame);
        check_ok(ctx, dal_model_compile(m, &sys));
        double y[MAX], p[MAX], n[MAX], vd[32], R[9];
        const double h = 1e-5;
        assert_true(dal_model_output_size(m) <= MAX);
        check_normals(&rng, vd, 32);
        outputs_along(ctx, m, sys, y, vd, 0.0);
        outputs_along(ctx, m, sys, p, vd, h);
        outputs_along(ctx, m, sys, n, vd, -h);
        const int x = first_of(m, "position"), v = first_of(m, "velocity"), a = first_of(m, "acceleration");
        const int w = first_of(m, "angular_velocity"), al = first_of(m, "angular_acceleration"),
                  E = first_of(m, "matrix");
        for (int i = 0; i < 3; ++i) {
            assert_near(y[v + i], (p[x + i] - n[x + i]) / (2.0 * h), 1e-8);
            assert_near(y[a + i], (p[v + i] - n[v + i]) / (2.0 * h), 1e-8);
            assert_near(y[al + i], (p[w + i] - n[w + i]) / (2.0 * h), 1e-8);
            // e_i' = omega x e_i
            const double e[3] = {y[E + i], y[E + 3 + i], y[E + 6 + i]}, *om = y + w; // matrices are given by rows
            const double rate[3] = {om[1] * e[2] - om[2] * e[1], om[2] * e[0] - om[0] * e[2],
                                    om[0] * e[1] - om[1] * e[0]};
            for (int j = 0; j < 3; ++j) {
                assert_near(rate[j], (p[E + 3 * j + i] - n[E + 3 * j + i]) / (2.0 * h), 1e-8);
            }
        }
        // the other descriptions of the rotation
        double quat[4];
        dal_quat_to_matrix(R, y + first_of(m, "quaternion"));
        assert_transposed(R, y + E, 1e-13);
        dal_quat_from_vector(quat, y + first_of(m, "rotation_vector"));
        dal_quat_to_matrix(R, quat);
        assert_transposed(R, y + E, 1e-13);
        rotation_from(R, y + first_of(m, "xyz"), (int[3]){0, 1, 2});
        assert_transposed(R, y + E, 1e-12);
        rotation_from(R, y + first_of(m, "zxz"), (int[3]){2, 0, 2});
        assert_transposed(R, y + E, 1e-7);
        if (k == 0) {
            assert_all_near(y + first_of(m, "Om"), b.angular_velocity, 3, 1e-15);
        }
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

static void add_balance(dal_ctx *ctx, dal_model *m)
{
    static const char *const of_model[] = {"momentum",       "angular_momentum", "energy",
                                           "kinetic_energy", "potential_energy", "centre_of_mass"};
    for (size_t k = 0; k < LEN(of_model); ++k) {
        add(ctx, m, (dal_output){.name = of_model[k], .quantity = of_model[k]});
    }
    add(ctx, m, (dal_output){.name = "FA", .quantity = "force", .joint = "A"});
    add(ctx, m, (dal_output){.name = "TA", .quantity = "torque", .joint = "A"});
    add(ctx, m, (dal_output){.name = "FD", .quantity = "force", .joint = "D"});
    add(ctx, m, (dal_output){.name = "TD", .quantity = "torque", .joint = "D"});
    add(ctx, m, (dal_output){.name = "xA", .quantity = "position", .body = 1, .frame = {{0.0, 0.0, -0.04}, {0}}});
    add(ctx, m, (dal_output){.name = "xD", .quantity = "position", .body = 3});
    add(ctx, m, (dal_output){.name = "PA", .quantity = "power", .joint = "A"});
    add(ctx, m, (dal_output){.name = "s", .quantity = "coordinate", .joint = "D"});
    add(ctx, m, (dal_output){.name = "sd", .quantity = "coordinate_velocity", .joint = "D"});
    add(ctx, m, (dal_output){.name = "PhiD", .quantity = "residual", .joint = "D"});
    add(ctx, m, (dal_output){.name = "velD", .quantity = "residual_velocity", .joint = "D"});
    add(ctx, m, (dal_output){.name = "accD", .quantity = "residual_acceleration", .joint = "D"});
}

/* Rates of the momenta (differences over 2 h) against weight and forces of the ground. */
static void check_balance(const dal_model *m, double y[3][MAX], double h)
{
    const int p = first_of(m, "momentum"), L = first_of(m, "angular_momentum"), FA = first_of(m, "FA");
    const int FD = first_of(m, "FD"), TA = first_of(m, "TA"), TD = first_of(m, "TD"), xA = first_of(m, "xA");
    const int xD = first_of(m, "xD");
    const double weight[3] = {0.0, 0.0, -9.81 * 2.62}, *c = y[1] + first_of(m, "centre_of_mass");
    const double *f[3] = {weight, y[1] + FA, y[1] + FD}, *x[3] = {c, y[1] + xA, y[1] + xD};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        double force = 0.0, moment = y[1][TA + i] + y[1][TD + i];
        for (int n = 0; n < 3; ++n) {
            force += f[n][i];
            moment += x[n][j] * f[n][l] - x[n][l] * f[n][j];
        }
        assert_near((y[2][p + i] - y[0][p + i]) / (2.0 * h), force, 1e-3);
        assert_near((y[2][L + i] - y[0][L + i]) / (2.0 * h), moment, 1e-4);
    }
    const double *e = y[1] + first_of(m, "energy"), *T = y[1] + first_of(m, "kinetic_energy");
    assert_near(e[0], T[0] + y[1][first_of(m, "potential_energy")], 1e-15);
    assert_near(y[2][first_of(m, "energy")], y[0][first_of(m, "energy")], 1e-6);
    assert_near(y[1][first_of(m, "PA")], 0.0, 1e-4); // ideal up to B v = 0
    assert_near(y[1][first_of(m, "s")], y[1][xD], 1e-14);
    assert_near((y[2][xD] - y[0][xD]) / (2.0 * h), y[1][first_of(m, "sd")], 1e-5);
    assert_near(check_max_abs(y[1] + first_of(m, "PhiD"), 5), 0.0, 1e-10);
    assert_near(check_max_abs(y[1] + first_of(m, "velD"), 5), 0.0, 1e-6);
}

static void reactions_balance_the_momentum(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters"};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(type); ++k) {
        dal_model *m = slider_crank_model(ctx, type[k]);
        const dal_system *sys;
        add_balance(ctx, m);
        check_ok(ctx, dal_model_compile(m, &sys));
        dal_options opt = dal_options_init();
        opt.h = 1e-4;
        dal_sim *sim;
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
        double y[3][MAX];
        check_ok(ctx, dal_sim_run(sim, NULL, 0.0998));
        for (int i = 0; i < 3; ++i) {
            check_ok(ctx, dal_sim_step(sim));
            const dal_state s = dal_sim_state(sim);
            check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y[i], &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
        }
        check_balance(m, y, opt.h);
        dal_sim_destroy(sim);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

static void outputs_say_their_units(void **state)
{
    static const struct {
        dal_output output;
        const char *unit;
    } cases[] = {
        {{.quantity = "position", .body = 1}, "m"},
        {{.quantity = "quaternion", .body = 1}, "1"},
        {{.quantity = "angular_acceleration", .body = 1}, "rad/s^2"},
        {{.quantity = "coordinate", .joint = "axle"}, "rad"},
        {{.quantity = "coordinate_velocity", .joint = "axle"}, "rad/s"},
        {{.quantity = "coordinate", .joint = "axle", .coordinate = DAL_COORDINATE_LENGTH}, "m"},
        {{.quantity = "torque", .joint = "axle"}, "N m"},
        {{.quantity = "residual", .joint = "axle"}, ""},
        {{.quantity = "force_value", .force = "twist"}, "N m"},
        {{.quantity = "force_value", .force = "pull"}, "N"},
        {{.quantity = "power", .force = "twist"}, "W"},
        {{.quantity = "work", .joint = "axle"}, "J"},
        {{.quantity = "angular_momentum"}, "kg m^2/s"},
    };
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    const dal_body b = {.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}};
    const dal_joint axle = {.name = "axle", .type = "revolute", .body_b = 1};
    const dal_force twist = {.name = "twist", .type = "spring", .joint = "axle", .stiffness = 1.0};
    const dal_force pull = {.name = "pull", .type = "spring", .body_b = 1, .stiffness = 1.0};
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_ok(ctx, dal_model_add_joint(m, NULL, &axle));
    check_ok(ctx, dal_model_add_force(m, NULL, &twist));
    check_ok(ctx, dal_model_add_force(m, NULL, &pull));
    for (size_t k = 0; k < LEN(cases); ++k) {
        char name[16];
        dal_output o = cases[k].output;
        snprintf(name, sizeof name, "o%zu", k);
        o.name = name;
        add(ctx, m, o);
        assert_string_equal(dal_model_output_info(m, (int)k).unit, cases[k].unit);
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinematic_outputs_are_rates_of_each_other),
        cmocka_unit_test(reactions_balance_the_momentum),
        cmocka_unit_test(outputs_say_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
