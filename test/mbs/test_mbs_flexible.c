/* Flexible bodies: tangents of their inertia and of everything attached to their frames and interface nodes against
 * differences; what they are checked for; the sums over nodes against the nodes themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random_flexible.h"
#include "random_model.h"
#include "support/check_system.h"

static const double gravity[3] = {1.0, -2.0, -9.81};

/* Bodies: 1 flexible a (nodes 2, 3), 4 flexible b (nodes 5, 6), 7 rigid in other coordinates. */
static dal_model *new_model(dal_ctx *ctx, check_rng *rng, int stiffening)
{
    static random_modes s[2];
    dal_model *m;
    int number;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, gravity));
    const double c[4] = {0.1, 0.2, 1.5, 0.3};
    check_ok(ctx, dal_model_add_function(m, NULL, &(dal_function){.name = "f", .type = "harmonic", .c = c, .n = 4}));
    for (int k = 0; k < 2; ++k) {
        random_modes_fill(&s[k], rng, stiffening);
        add_random_flexible(ctx, m, rng, k == 0 ? "a" : "b", &s[k].modes, &number);
        assert_int_equal(number, 1 + 3 * k);
    }
    const dal_body rigid = random_body(rng, "rigid", "cardan");
    check_ok(ctx, dal_model_add_body(m, NULL, &rigid));
    return m;
}

static void inertia_has_the_right_tangents(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int stiffening = 0; stiffening < 2; ++stiffening) {
        check_rng rng = check_rng_seed(5);
        dal_model *m = new_model(ctx, &rng, stiffening);
        print_message("inertia, stiffening %d: %.1e\n", stiffening, check_model(ctx, m, &rng, 4, 0.3, 1e-7));
    }
    check_ctx_free(ctx);
}

/* node-node of two bodies, node-rigid, ground-node, two nodes of one body, a body's frame and its node, frames */
static const int between[][2] = {{2, 5}, {6, 7}, {7, 3}, {0, 3}, {2, 0}, {2, 3},
                                 {1, 3}, {3, 1}, {1, 6}, {5, 1}, {1, 4}};

static void joints_on_interface_nodes_have_the_right_tangents(void **state)
{
    static const dal_joint joints[] = {
        {.type = "spherical"},
        {.type = "revolute"},
        {.type = "prismatic"},
        {.type = "fixed"},
        {.type = "screw", .pitch = 40.0},
        {.type = "distance", .length = 1.3},
        {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_ROTATION, .axis = 0},
        {.type = "rolling_disk", .radius = 0.4},
        {.type = "knife_edge"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(joints); ++k) {
        double worst = 0.0;
        check_rng rng = check_rng_seed(11 + (unsigned long)k);
        for (size_t i = 0; i < LEN(between); ++i) {
            dal_model *m = new_model(ctx, &rng, (int)(i % 2));
            dal_joint j = joints[k];
            j.name = "j";
            j.body_a = between[i][0];
            j.body_b = between[i][1];
            j.frame_a = random_frame(&rng);
            j.frame_b = random_frame(&rng);
            check_ok(ctx, dal_model_add_joint(m, NULL, &j));
            worst = fmax(worst, check_model(ctx, m, &rng, 1, 0.2, 1e-6));
        }
        print_message("%-16s %.1e\n", joints[k].type, worst);
    }
    check_ctx_free(ctx);
}

/* Index 1 needs the derivatives of the acceleration level, which check_model compares for tight tolerances only. */
static void acceleration_level_has_the_right_tangents(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    for (size_t i = 0; i < LEN(between); ++i) {
        dal_model *m = new_model(ctx, &rng, (int)(i % 2));
        check_ok(ctx, dal_model_add_joint(m, NULL,
                                          &(dal_joint){.name = "j",
                                                       .type = "revolute",
                                                       .body_a = between[i][0],
                                                       .body_b = between[i][1],
                                                       .frame_a = random_frame(&rng),
                                                       .frame_b = random_frame(&rng)}));
        (void)check_model(ctx, m, &rng, 1, 0.2, 9e-7);
    }
    check_ctx_free(ctx);
}

static void forces_on_interface_nodes_have_the_right_tangents(void **state)
{
    static const dal_force forces[] = {
        {.type = "force", .vector = {1.0, 2.0, 3.0}},
        {.type = "torque", .vector = {1.0, 2.0, 3.0}, .follower = 1},
        {.type = "spring", .stiffness = 5.0, .damping = 0.7, .cubic = 0.3},
        {.type = "bushing", .stiffness6 = {1, 2, 3, 4, 5, 6}, .damping6 = {.1, .2, .3, .4, .5, .6}},
        {.type = "pid",
         .coordinate = DAL_COORDINATE_ROTATION,
         .axis = 1,
         .function = 1,
         .stiffness = 2.0,
         .damping = 0.3,
         .integral = 1.5},
        {.type = "drag", .damping = 0.4, .quadratic = 0.2},
        {.type = "friction", .joint = "j", .mu = 0.3, .slip = 0.5},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(forces); ++k) {
        double worst = 0.0;
        check_rng rng = check_rng_seed(17 + (unsigned long)k);
        for (size_t i = 0; i < LEN(between); ++i) {
            dal_model *m = new_model(ctx, &rng, (int)(i % 2));
            const int one_sided = strcmp(forces[k].type, "force") == 0 || strcmp(forces[k].type, "torque") == 0 ||
                                  strcmp(forces[k].type, "drag") == 0;
            dal_force f = forces[k];
            f.name = "f";
            f.body_a = one_sided ? 0 : between[i][0];
            f.body_b = one_sided && between[i][1] == 0 ? between[i][0] : between[i][1];
            f.frame_a = random_frame(&rng);
            f.frame_b = random_frame(&rng);
            if (f.joint) {
                check_ok(ctx, dal_model_add_joint(m, NULL,
                                                  &(dal_joint){.name = "j",
                                                               .type = "revolute",
                                                               .body_a = between[i][0],
                                                               .body_b = between[i][1],
                                                               .frame_a = f.frame_a,
                                                               .frame_b = f.frame_b}));
            }
            check_ok(ctx, dal_model_add_force(m, NULL, &f));
            worst = fmax(worst, check_model(ctx, m, &rng, 1, 0.2, 2e-6));
        }
        print_message("%-16s %.1e\n", forces[k].type, worst);
    }
    check_ctx_free(ctx);
}

/* ---- equations against energy and momentum -------------------------------------------------------- */

enum { MAX = 64 };

typedef struct motion {
    const dal_system *sys;
    dal_model *model;
    double q[MAX], v[MAX], vd[MAX];
} motion;

/* Outputs at (q o exp(h v + h^2/2 v'), v + h v'). */
static void outputs_along(double *y, dal_ctx *ctx, const motion *x, double h)
{
    double d[MAX], q[MAX], v[MAX];
    const int nv = x->sys->group->nv;
    for (int i = 0; i < nv; ++i) {
        d[i] = h * x->v[i] + 0.5 * h * h * x->vd[i];
        v[i] = x->v[i] + h * x->vd[i];
    }
    dal_retract(x->sys->group, q, x->q, d);
    check_ok(ctx, dal_model_outputs(x->model, NULL, y, &(dal_point){0.0, q, v, x->vd, NULL}));
}

/* A free body a and its equations of motion r at a random state: dE/dt = v.r, dp/dt = r_x, dL/dt = x x r_x + R r_th. */
static void equations_agree_with_energy_and_momentum(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int stiffening = 0; stiffening < 2; ++stiffening) {
        check_rng rng = check_rng_seed(23);
        random_modes s;
        motion x;
        double r[MAX], plus[7], minus[7], R[9];
        random_modes_fill(&s, &rng, stiffening);
        s.modes.damping = NULL;
        for (int weight = 0; weight < 2; ++weight) {
            check_ok(ctx, dal_model_create(&x.model, ctx));
            check_ok(ctx, dal_model_set_gravity(x.model, weight ? gravity : (double[3]){0.0, 0.0, 0.0}));
            add_random_flexible(ctx, x.model, &rng, "a", &s.modes, NULL);
            static const char *const quantity[] = {"energy", "momentum", "angular_momentum"};
            for (int k = 0; k < 3; ++k) {
                check_ok(ctx, dal_model_add_output(x.model, NULL,
                                                   &(dal_output){.name = quantity[k], .quantity = quantity[k]}));
            }
            check_ok(ctx, dal_model_compile(x.model, &x.sys));
            const int nv = x.sys->group->nv;
            memcpy(x.q, dal_model_q0(x.model), (size_t)x.sys->group->nq * sizeof(double));
            memcpy(x.v, dal_model_v0(x.model), (size_t)nv * sizeof(double));
            check_normals(&rng, x.vd, nv);
            check_ok(ctx, check_residual(ctx, x.sys, &(dal_residual){.r = r}, &(dal_point){0.0, x.q, x.v, x.vd, NULL}));
            outputs_along(plus, ctx, &x, 1e-5);
            outputs_along(minus, ctx, &x, -1e-5);
            double power = 0.0, rate[7], Rr[3];
            for (int k = 0; k < 7; ++k) {
                rate[k] = (plus[k] - minus[k]) / 2e-5;
            }
            for (int k = 0; k < nv; ++k) {
                power += x.v[k] * r[k];
            }
            assert_near(rate[0], power, 1e-7);
            if (!weight) {
                dal_quat_to_matrix(R, x.q + 3);
                for (int i = 0; i < 3; ++i) {
                    const int j = (i + 1) % 3, k = (i + 2) % 3;
                    Rr[i] = R[i] * r[3] + R[3 + i] * r[4] + R[6 + i] * r[5];
                    assert_near(rate[1 + i], r[i], 1e-7);
                    assert_near(rate[4 + i], x.q[j] * r[k] - x.q[k] * r[j] + Rr[i], 1e-7);
                }
            }
            dal_model_destroy(x.model);
        }
    }
    check_ctx_free(ctx);
}

/* Node by node: T = sum m p'^2/2 + w.J w/2, with p' = x' + R (Omega x s + psi z') and w = Omega + theta z'. */
static double kinetic_of_nodes(const random_modes *s, const double *q, const double *v)
{
    double T = 0.0, R[9];
    dal_quat_to_matrix(R, q + 3);
    for (int i = 0; i < FLEX_NODES; ++i) {
        double x[3], u[3], w[3];
        for (int j = 0; j < 3; ++j) {
            x[j] = s->node[3 * i + j];
            u[j] = 0.0;
            w[j] = v[3 + j];
            for (int k = 0; k < FLEX_MODES; ++k) {
                const int at = j + 3 * (k + FLEX_MODES * i);
                x[j] += s->shape[at] * q[7 + k];
                u[j] += s->shape[at] * v[6 + k];
                w[j] += s->rotation[at] * v[6 + k];
            }
        }
        const double *J = s->inertia + 6 * i, *Om = v + 3;
        const double c[3] = {u[0] + Om[1] * x[2] - Om[2] * x[1], u[1] + Om[2] * x[0] - Om[0] * x[2],
                             u[2] + Om[0] * x[1] - Om[1] * x[0]};
        for (int j = 0; j < 3; ++j) {
            const double p = v[j] + R[j] * c[0] + R[3 + j] * c[1] + R[6 + j] * c[2];
            T += 0.5 * s->mass[i] * p * p + 0.5 * J[j] * w[j] * w[j];
        }
        T += J[3] * w[0] * w[1] + J[4] * w[0] * w[2] + J[5] * w[1] * w[2];
    }
    return T;
}

static void invariants_give_the_kinetic_energy_of_the_nodes(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(29);
    random_modes s;
    dal_model *m;
    const dal_system *sys;
    double T[1 + 2 * FLEX_MODES];
    random_modes_fill(&s, &rng, 0);
    check_ok(ctx, dal_model_create(&m, ctx));
    add_random_flexible(ctx, m, &rng, "a", &s.modes, NULL);
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "T", .quantity = "kinetic_energy"}));
    check_ok(ctx,
             dal_model_add_output(m, NULL, &(dal_output){.name = "z", .quantity = "modal_coordinates", .body = 1}));
    check_ok(ctx,
             dal_model_add_output(m, NULL, &(dal_output){.name = "zd", .quantity = "modal_velocities", .body = 2}));
    check_ok(ctx, dal_model_compile(m, &sys));
    const double *q = dal_model_q0(m), *v = dal_model_v0(m);
    char name[32];
    sys->names.velocity(name, sizeof name, 7, sys->user);
    assert_string_equal(name, "a.mode 2");
    sys->names.velocity(name, sizeof name, 4, sys->user);
    assert_string_equal(name, "a.Om_y");
    assert_int_equal(dal_model_report(m).bodies, 1);
    assert_int_equal(dal_model_report(m).velocities, 6 + FLEX_MODES);
    assert_int_equal(dal_model_output_size(m), LEN(T));
    check_ok(ctx, dal_model_outputs(m, NULL, T, &(dal_point){0.0, q, v, v, NULL}));
    assert_near_rel(T[0], kinetic_of_nodes(&s, q, v), 1e-13);
    assert_all_near(T + 1, q + 7, FLEX_MODES, 0.0);
    assert_all_near(T + 1 + FLEX_MODES, v + 6, FLEX_MODES, 0.0);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* ---- without modes, and what is refused ------------------------------------------------------------ */

/* Two masses and a third to make the inertia regular; the same as dal_body. */
static void without_modes_it_is_the_rigid_body(void **state)
{
    static const double node[9] = {1.0, 0.0, 0.0, -1.0, 0.5, 0.0, 0.0, 0.0, 2.0}, mass[3] = {1.0, 2.0, 0.5};
    static const double inertia[18] = {.1, .2, .3, .01, .02, .03, .1, .2, .3, .01, .02, .03, .1, .2, .3, .01, .02, .03};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(31);
    const dal_modes modes = {.nnodes = 3, .node = node, .mass = mass, .inertia = inertia};
    dal_body rigid = {.name = "b", .mass = 3.5};
    dal_flexible flexible = {.name = "b", .modes = &modes};
    double J[9] = {.3, .03, .06, .03, .6, .09, .06, .09, .9}, r[2][6];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            rigid.com[j] += mass[i] * node[3 * i + j] / 3.5;
        }
    }
    for (int i = 0; i < 3; ++i) {
        const double a[3] = {node[3 * i] - rigid.com[0], node[3 * i + 1] - rigid.com[1],
                             node[3 * i + 2] - rigid.com[2]};
        for (int k = 0; k < 9; ++k) {
            J[k] += mass[i] * ((k % 4 == 0 ? a[0] * a[0] + a[1] * a[1] + a[2] * a[2] : 0.0) - a[k % 3] * a[k / 3]);
        }
    }
    memcpy(rigid.inertia, (double[6]){J[0], J[4], J[8], J[1], J[2], J[5]}, sizeof rigid.inertia);
    for (int k = 0; k < 2; ++k) {
        dal_model *m;
        const dal_system *sys;
        check_rng same = rng;
        double q[7], v[6], vd[6];
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_set_gravity(m, gravity));
        check_ok(ctx, k == 0 ? dal_model_add_body(m, NULL, &rigid) : dal_model_add_flexible(m, NULL, &flexible));
        check_ok(ctx, dal_model_compile(m, &sys));
        assert_int_equal(sys->group->nv, 6);
        check_normals(&same, q, 3);
        check_quaternion(&same, q + 3);
        check_normals(&same, v, 6);
        check_normals(&same, vd, 6);
        check_ok(ctx, check_residual(ctx, sys, &(dal_residual){.r = r[k]}, &(dal_point){0.0, q, v, vd, NULL}));
        dal_model_destroy(m);
    }
    assert_all_near(r[1], r[0], 6, 1e-12);
    check_ctx_free(ctx);
}

static void wrong_descriptions_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(37);
    random_modes s;
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    random_modes_fill(&s, &rng, 0);
    dal_flexible b = {.name = "b", .modes = &s.modes};
    const double nan3[FLEX_MODES] = {0.0, NAN, 0.0};
    b.modal = nan3;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "not finite");
    b.modal = NULL;
    s.interfaces[1] = FLEX_NODES;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "interface 2 is node 6 of 6");
    s.interfaces[1] = 4;
    s.mass[0] = -1.0;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "negative");
    s.mass[0] = 1.0;
    s.modes.shape = NULL;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "shape vectors");
    s.modes.shape = s.shape;
    s.stiffness[1] += 0.5;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "not symmetric");
    s.stiffness[1] -= 0.5;
    s.modes.interface_name = (const char *const[]){"tip", NULL};
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "has no name");
    s.modes.nnodes = 2000000000;
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "too many");
    s.modes.nnodes = FLEX_NODES;
    s.modes.ninterfaces = 1;
    check_ok(ctx, dal_model_add_flexible(m, NULL, &b));
    check_fails(ctx, dal_model_add_flexible(m, NULL, &b), DAL_EINVAL, "already");
    assert_int_equal(dal_model_find_body(m, "b/tip"), 2);
    assert_int_equal(dal_model_modes(m, NULL, NULL, 1), FLEX_MODES);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static dal_status build(dal_ctx *ctx, void *modes)
{
    dal_model *m;
    const dal_system *sys;
    DAL_TRY(dal_model_create(&m, ctx));
    dal_status st = dal_model_add_flexible(m, NULL, &(dal_flexible){.name = "b", .modes = modes});
    st = st == DAL_OK ? dal_model_compile(m, &sys) : st;
    dal_model_destroy(m);
    return st;
}

static void running_out_of_memory_is_reported(void **state)
{
    check_rng rng = check_rng_seed(41);
    random_modes s;
    random_modes_fill(&s, &rng, 1);
    assert_true(check_every_allocation(build, &s.modes) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_has_the_right_tangents),
        cmocka_unit_test(joints_on_interface_nodes_have_the_right_tangents),
        cmocka_unit_test(acceleration_level_has_the_right_tangents),
        cmocka_unit_test(forces_on_interface_nodes_have_the_right_tangents),
        cmocka_unit_test(equations_agree_with_energy_and_momentum),
        cmocka_unit_test(invariants_give_the_kinetic_energy_of_the_nodes),
        cmocka_unit_test(without_modes_it_is_the_rigid_body),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
