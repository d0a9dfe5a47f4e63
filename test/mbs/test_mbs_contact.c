/* Contacts while they slide and stick: B, Z, K, C, friction and its dependence on the reaction, against differences at random
 * states. */
#include <math.h>
#include <string.h>

#include "random_model.h"

static dal_status (*create)(void **work, dal_ctx *ctx, double *memory, const void *user);
static const dal_system *system_of;
static double mode_now;

/* A simulation whose contacts are all in one mode. */
static dal_status create_closed(void **work, dal_ctx *ctx, double *memory, const void *user)
{
    for (int k = 0; k < system_of->contacts.n; ++k) {
        double *m = memory + system_of->contacts.memory + (ptrdiff_t)DAL_CONTACT_MEMORY * k;
        m[DAL_CONTACT_MODE] = mode_now;
        m[DAL_CONTACT_DIRECTION] = 0.6;
        m[DAL_CONTACT_DIRECTION + 1] = 0.8;
        m[DAL_CONTACT_SPEED] = m[DAL_CONTACT_PACE] = 1e-3;
    }
    return create(work, ctx, memory, user);
}

static double check_closed(dal_ctx *ctx, const dal_joint *like, const char *type, check_rng *rng)
{
    enum { MAX = 100 };
    double q[MAX], v[MAX], vd[MAX], la[MAX], theta[MAX], worst = 0.0;
    const dal_system *sys;
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    const dal_body a = random_body(rng, "a", "r3so3"), b = random_body(rng, "b", type);
    check_ok(ctx, dal_model_add_body(m, NULL, &a));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    dal_joint j = *like;
    j.name = "j";
    j.body_a = 1;
    j.body_b = 2;
    j.frame_a = random_frame(rng);
    j.frame_b = random_frame(rng);
    if (j.curve_x) {
        const double c[2][4] = {{0.1, 0.7, 1.0, 1.5707963267948966}, {0.0, 0.5, 1.0, 0.0}};
        for (int i = 0; i < 2; ++i) {
            const dal_function f = {.name = i == 0 ? "x" : "y", .type = "harmonic", .c = c[i], .n = 4};
            check_ok(ctx, dal_model_add_function(m, i == 0 ? &j.curve_x : &j.curve_y, &f));
        }
    }
    if (j.joint) { // whose reaction it follows
        const dal_joint hinge = {.type = strcmp(j.joint, "ball") == 0 ? "spherical" : "revolute",
                                 .name = j.joint,
                                 .body_a = 1,
                                 .body_b = 2,
                                 .frame_a = j.frame_a,
                                 .frame_b = j.frame_b};
        check_ok(ctx, dal_model_add_joint(m, NULL, &hinge));
    }
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
    check_ok(ctx, dal_model_compile(m, &sys));
    dal_system closed = *sys;
    system_of = sys;
    create = sys->life.create;
    closed.life.create = create_closed;
    for (int k = 0; k < 3; ++k) {
        dal_tangent_report report;
        check_normals(rng, theta, sys->group->nv);
        dal_retract(sys->group, q, dal_model_q0(m), theta);
        check_normals(rng, v, sys->group->nv);
        check_normals(rng, vd, sys->group->nv);
        check_normals(rng, la, dal_system_rows(sys));
        check_ok(ctx, dal_system_check(ctx, &closed, &report, &(dal_point){0.3, q, v, vd, la}, 2e-6));
        worst = fmax(worst, report.error);
    }
    dal_model_destroy(m);
    return worst;
}

/* One of each kind and pair of shapes. */
static const dal_joint closed_joints[] = {
    {.type = "contact", .mu = 0.3},
    {.type = "contact", .radius = 0.4, .mu = 0.3},
    {.type = "contact", .shape = 1, .radius = 0.4, .mu = 0.3},
    {.type = "contact", .shape = 2, .radius = 0.2, .length = 0.5, .mu = 0.3},
    {.type = "contact", .shape = 3, .size = {0.3, 0.4, 0.5}, .mu = 0.3},
    {.type = "contact", .radius = 0.4},
    {.type = "sphere_contact", .radius = 0.4, .radius_a = 0.7, .mu = 0.3},
    {.type = "sphere_contact", .radius = 0.4, .radius_a = 0.7, .hollow = 1, .mu = 0.3},
    {.type = "contact", .shape = 4, .radius = 0.2, .length = 0.5, .mu = 0.3},
    {.type = "contact", .shape = 0, .radius = 0.2, .shape_a = 1, .radius_a = 2.0, .mu = 0.3},
    {.type = "contact", .shape = 2, .radius = 0.2, .length = 0.5, .shape_a = 1, .radius_a = 2.0, .mu = 0.3},
    {.type = "contact", .shape = 3, .size = {0.5, 0.6, 0.7}, .shape_a = 1, .radius_a = 2.0, .mu = 0.3},
    {.type = "contact", .shape = 4, .radius = 0.2, .length = 0.5, .shape_a = 1, .radius_a = 2.0, .mu = 0.3},
    {.type = "contact", .shape = 0, .radius = 2.0, .shape_a = 4, .radius_a = 0.2, .length_a = 0.5, .mu = 0.3},
    {.type = "contact", .shape = 0, .radius = 2.0, .shape_a = 3, .size_a = {0.5, 0.6, 0.7}, .mu = 0.3},
    {.type = "contact",
     .shape = 2,
     .radius = 0.2,
     .length = 1.5,
     .shape_a = 2,
     .radius_a = 0.3,
     .length_a = 2.0,
     .mu = 0.3},
    {.type = "contact", .shape = 2, .radius = 0.2, .length = 1.5, .shape_a = 3, .size_a = {1.5, 1.6, 1.7}, .mu = 0.3},
    {.type = "contact", .shape = 3, .size = {1.5, 1.6, 1.7}, .shape_a = 2, .radius_a = 0.3, .length_a = 2.0},
    {.type = "contact", .shape = 3, .size = {1.5, 1.6, 1.7}, .shape_a = 3, .size_a = {1.8, 1.6, 1.7}, .mu = 0.3},
    {.type = "contact", .shape = 6, .curve_x = 1, .curve_range = {0.0, 6.283185307179586}, .mu = 0.3},
    {.type = "contact",
     .shape = 6,
     .curve_x = 1,
     .curve_range = {0.0, 6.283185307179586},
     .shape_a = 1,
     .radius_a = 0.2,
     .mu = 0.3},
    {.type = "rope", .length = 1.3},
    {.type = "limit", .coordinate = DAL_COORDINATE_LENGTH, .limits = {0.5, 1.5}},
    {.type = "limit", .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 1, .limits = {-1.0, 1.5}},
    {.type = "limit", .coordinate = DAL_COORDINATE_ROTATION, .axis = 2, .limits = {-1.0, 1.5}},
    {.type = "clutch", .coordinate = DAL_COORDINATE_ROTATION, .axis = 2},
    {.type = "clutch", .coordinate = DAL_COORDINATE_LENGTH},
    {.type = "brake", .coordinate = DAL_COORDINATE_TRANSLATION, .axis = 0, .limit = 2.0},
    {.type = "ratchet", .coordinate = DAL_COORDINATE_ROTATION, .axis = 2, .pitch = 0.4},
    {.type = "brake", .joint = "hinge", .limit = 0.2, .mu = 0.4, .radius = 0.3},
    {.type = "brake", .joint = "ball", .limit = 0.2, .mu = 0.4, .radius = 0.3},
};

static void tangents_of_closed_contacts_are_derivatives(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(31);
    for (size_t k = 0; k < 3 * LEN(closed_joints); ++k) {
        for (int mode = DAL_CONTACT_SLIDING; mode <= DAL_CONTACT_STICKING; ++mode) {
            mode_now = mode;
            const double worst = check_closed(ctx, &closed_joints[k / 3], type[k % 3], &rng);
            print_message("%-15s %-18s %d %.1e\n", closed_joints[k / 3].type, type[k % 3], mode, worst);
        }
    }
    check_ctx_free(ctx);
}

/* What cannot be is refused, and the message names it. */
static void bad_contacts_are_refused(void **state)
{
    static const struct {
        dal_joint joint;
        const char *what;
    } list[] = {
        {{.type = "contact", .restitution = 1.5}, "restitution"},
        {{.type = "contact", .mu = -0.1}, "mu"},
        {{.type = "contact", .mu = 0.5, .mu_s = 0.4}, "mu_s"},
        {{.type = "contact", .shape = 1}, "radius"},
        {{.type = "contact", .shape = 3}, "size"},
        {{.type = "contact", .shape = 4, .radius = 1.0}, "length"},
        {{.type = "contact", .shape_a = 3, .size_a = {1.0, 0.0, 1.0}}, "size_a"},
        {{.type = "contact", .shape_a = 1, .radius_a = -1.0}, "radius_a"},
        {{.type = "contact", .shape = 4, .radius = 1.0, .length = 1.0, .shape_a = 3, .size_a = {1.0, 1.0, 1.0}}, "box"},
        {{.type = "contact", .shape = 5, .shape_a = 1, .radius_a = 1.0}, "mesh"},
        {{.type = "contact", .shape = 6}, "curve_x"},
        {{.type = "sphere_contact", .radius = 1.0, .radius_a = 0.5, .hollow = 1}, "radius_a"},
        {{.type = "limit", .coordinate = DAL_COORDINATE_LENGTH, .limits = {2.0, 1.0}}, "limits"},
        {{.type = "limit", .limits = {0.0, 1.0}}, "coordinate"},
        {{.type = "brake", .coordinate = DAL_COORDINATE_LENGTH}, "limit"},
        {{.type = "ratchet", .coordinate = DAL_COORDINATE_ROTATION, .axis = 2}, "pitch"},
        {{.type = "brake", .coordinate = DAL_COORDINATE_LENGTH, .limit = 1.0, .mu = 0.2}, "joint"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_model *m;
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, NULL, &(dal_body){.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
        dal_joint j = list[k].joint;
        j.name = "bad";
        j.body_b = 1;
        assert_int_equal(dal_model_add_joint(m, NULL, &j), DAL_EINVAL);
        assert_non_null(strstr(dal_ctx_message(ctx), list[k].what));
        assert_non_null(strstr(dal_ctx_message(ctx), "'bad'"));
        dal_ctx_clear(ctx);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

/* A spiky mesh above a plane, each of its vertices the lowest in turn. */
static void the_lowest_vertex_of_a_mesh_counts(void **state)
{
    enum { N = 40 };
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(7);
    double x[3 * N], q[16], v[16] = {0.0}, y[8];
    int index[3] = {0, 1, 2};
    check_normals(&rng, x, 3 * N);
    dal_mesh mesh = {.nvertices = N, .ntriangles = 1, .x = x, .index = index};
    const dal_shape shape = {.kind = DAL_SHAPE_MESH, .mesh = &mesh};
    for (int k = 0; k < N; ++k) {
        const dal_system *sys;
        dal_model *m;
        dal_data *data;
        x[3 * k + 2] -= 10.0;
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, NULL, &(dal_body){.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
        check_ok(ctx, dal_model_add_shape(m, 1, &shape));
        check_ok(ctx,
                 dal_model_add_joint(m, NULL, &(dal_joint){.name = "c", .type = "contact", .body_b = 1, .shape = 5}));
        check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "gap", .quantity = "gap", .joint = "c"}));
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_data_create(&data, ctx, sys));
        memcpy(q, dal_model_q0(m), (size_t)sys->group->nq * sizeof *q);
        const double zero[8] = {0.0};
        check_ok(ctx, dal_model_outputs(m, data, y, &(dal_point){0.0, q, v, v, zero}));
        assert_near(fmin(fmin(y[0], y[1]), fmin(y[2], y[3])), x[3 * k + 2], 1e-15);
        dal_data_destroy(data);
        dal_model_destroy(m);
        x[3 * k + 2] += 10.0;
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_closed_contacts_are_derivatives),
        cmocka_unit_test(bad_contacts_are_refused),
        cmocka_unit_test(the_lowest_vertex_of_a_mesh_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
