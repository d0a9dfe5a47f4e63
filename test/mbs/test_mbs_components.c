/* Single components of outputs, reactions of pfaffian rows, contact points. */
#include <math.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "support/check.h"

enum { VALUES = 64 };

static const dal_frame own = {.rotation = {1.0, 0.0, 0.0, 0.0}};

static int add(dal_model *m, dal_ctx *ctx, dal_output o)
{
    int number;
    o.frame = own;
    check_ok(ctx, dal_model_add_output(m, &number, &o));
    return dal_model_output_info(m, number).first;
}

/* Outputs at the initial values, with multipliers la. */
static void evaluate(double values[VALUES], dal_model *m, dal_ctx *ctx, const double *la)
{
    const dal_system *sys;
    double vd[16] = {0.0};
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_true(dal_model_output_size(m) <= VALUES);
    check_ok(ctx, dal_model_outputs(m, NULL, values, &(dal_point){0.5, dal_model_q0(m), dal_model_v0(m), vd, la}));
}

/* Named by the axes they are about, in the order of the sequence. */
static void euler_angles_are_named_by_their_axes(void **state)
{
    static const struct {
        const char *sequence, *name[3];
    } cases[] = {{NULL, {"x", "y", "z"}}, {"zyx", {"z", "y", "x"}}, {"zxz", {"z1", "x", "z2"}}};
    // a turn by 0.3 about z
    const dal_body b = {
        .name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, .rotation = {cos(0.15), 0, 0, sin(0.15)}};
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    double y[VALUES];
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    for (int k = 0; k < 3; ++k) {
        char name[2] = {(char)('a' + k), '\0'}, component[8];
        add(m, ctx, (dal_output){.name = name, .quantity = "euler_angles", .body = 1, .sequence = cases[k].sequence});
        for (int i = 0; i < 3; ++i) {
            dal_model_output_component(m, component, sizeof component, k, i);
            assert_string_equal(component, cases[k].name[i]);
        }
    }
    const int z = add(
        m, ctx, (dal_output){.name = "z", .quantity = "euler_angles", .body = 1, .sequence = "zyx", .component = "z"});
    evaluate(y, m, ctx, NULL);
    assert_near(y[z], 0.3, 1e-15);
    dal_model_destroy(m);
    dal_ctx_destroy(ctx);
}

static void components_are_the_numbers_of_the_whole(void **state)
{
    static const struct {
        const char *quantity, *component;
        int k;
    } cases[] = {{"position", "x", 0},         {"velocity", "z", 2}, {"quaternion", "w", 0},
                 {"quaternion", "z", 3},       {"matrix", "12", 1},  {"matrix", "31", 6},
                 {"angular_velocity", "y", 1}, {"momentum", "z", 2}, {"matrix", "33", 8}};
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    dal_body b = {.name = "b",
                  .mass = 2.0,
                  .inertia = {1.0, 1.0, 1.5, 0.0, 0.0, 0.0},
                  .position = {1.0, 2.0, 3.0},
                  .rotation = {0.5, 0.5, -0.5, 0.5},
                  .velocity = {4.0, 5.0, 6.0},
                  .angular_velocity = {7.0, 8.0, 9.0}};
    int whole[LEN(cases)], one[LEN(cases)];
    double y[2 * VALUES];
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    for (size_t k = 0; k < LEN(cases); ++k) {
        char name[2] = {(char)('a' + k), '\0'}, other[2] = {(char)('A' + k), '\0'}, component[8];
        const int body = strcmp(cases[k].quantity, "momentum") != 0;
        whole[k] = add(m, ctx, (dal_output){.name = name, .quantity = cases[k].quantity, .body = body});
        one[k] = add(
            m, ctx,
            (dal_output){.name = other, .quantity = cases[k].quantity, .body = body, .component = cases[k].component});
        dal_model_output_component(m, component, sizeof component, 2 * (int)k, cases[k].k);
        assert_string_equal(component, cases[k].component);
        dal_model_output_component(m, component, sizeof component, 2 * (int)k + 1, 0);
        assert_string_equal(component, "");
    }
    const dal_output bad = {.name = "q", .quantity = "position", .body = 1, .frame = own, .component = "w"},
                     none = {.name = "q", .quantity = "energy", .component = "x"};
    check_fails(ctx, dal_model_add_output(m, NULL, &bad), DAL_EINVAL, "position has no component 'w'; it has x to z");
    check_fails(ctx, dal_model_add_output(m, NULL, &none), DAL_EINVAL, "energy has no components");
    evaluate(y, m, ctx, NULL);
    for (size_t k = 0; k < LEN(cases); ++k) {
        assert_near(y[one[k]], y[whole[k] + cases[k].k], 0.0);
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* x_1' - 2 x_2' + 3 Omega_2z = 0, and y_2' = t */
static dal_status rows(double *A, double *b, double t, const double *x, const double *R, const dal_functions *functions,
                       void *user)
{
    (void)functions;
    A[0 + 2 * 0] = 1.0;
    A[0 + 2 * 6] = -2.0;
    A[0 + 2 * 11] = 3.0;
    A[1 + 2 * 7] = 1.0;
    b[1] = -t;
    return DAL_OK;
}

static void pfaffian_rows_have_reactions(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    const int bodies[2] = {1, 2};
    // body 2 is turned by a quarter about x: its z axis is -y of the world
    const double s = sqrt(0.5), la[2] = {10.0, 4.0};
    const dal_body body[2] = {{.name = "a", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}},
                              {.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}, .rotation = {s, s, 0.0, 0.0}}};
    const dal_joint joint = {.name = "j", .type = "pfaffian", .rows = rows, .bodies = bodies, .nbodies = 2, .nrows = 2};
    double y[VALUES];
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &body[0]));
    check_ok(ctx, dal_model_add_body(m, NULL, &body[1]));
    check_ok(ctx, dal_model_add_joint(m, NULL, &joint));
    const int last = add(m, ctx, (dal_output){.name = "f", .quantity = "force", .joint = "j"}),
              torque = add(m, ctx, (dal_output){.name = "t", .quantity = "torque", .joint = "j"}),
              turned = add(m, ctx, (dal_output){.name = "tb", .quantity = "torque", .joint = "j", .body_axes = 1}),
              first = add(m, ctx, (dal_output){.name = "fa", .quantity = "force", .joint = "j", .body = 1}),
              both = add(m, ctx, (dal_output){.name = "la", .quantity = "multipliers", .joint = "j"}),
              second =
                  add(m, ctx, (dal_output){.name = "l2", .quantity = "multipliers", .joint = "j", .component = "2"});
    const dal_output ground = {.name = "g", .quantity = "force", .joint = "j", .body = 7};
    check_fails(ctx, dal_model_add_output(m, NULL, &ground), DAL_EINVAL, "does not act on body number 7");
    evaluate(y, m, ctx, la);
    assert_all_near(y + last, ((double[3]){20.0, -4.0, 0.0}), 3, 1e-15);
    assert_all_near(y + torque, ((double[3]){0.0, 30.0, 0.0}), 3, 1e-13);
    assert_all_near(y + turned, ((double[3]){0.0, 0.0, -30.0}), 3, 1e-13);
    assert_all_near(y + first, ((double[3]){-10.0, 0.0, 0.0}), 3, 1e-15);
    assert_all_near(y + both, la, 2, 0.0);
    assert_near(y[second], 4.0, 0.0);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* A disk leaning by 0.3 about x, its axis in the plane x = 0 before, and a sphere; the plane is that of the world. */
static void rolling_bodies_touch_their_plane(void **state)
{
    const double lean = 0.3, r = 0.5;
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    double y[VALUES];
    // the axis z_B is (0, -cos lean, sin lean)
    const double half = 0.5 * (acos(0.0) - lean);
    const dal_body disk = {.name = "disk",
                           .mass = 1.0,
                           .inertia = {1.0, 1.0, 1.0},
                           .position = {2.0, 1.0, r * cos(lean)},
                           .rotation = {cos(half), sin(half), 0.0, 0.0}},
                   ball = {.name = "ball", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}, .position = {-1.0, 3.0, r}};
    const dal_joint joint[] = {{.name = "d", .type = "rolling_disk", .body_b = 1, .radius = r},
                               {.name = "s", .type = "rolling_sphere", .body_b = 2, .radius = r},
                               {.name = "p", .type = "spherical", .body_b = 2}};
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &disk));
    check_ok(ctx, dal_model_add_body(m, NULL, &ball));
    check_ok(ctx, dal_model_add_joint(m, NULL, &joint[0]));
    check_ok(ctx, dal_model_add_joint(m, NULL, &joint[1]));
    check_ok(ctx, dal_model_add_joint(m, NULL, &joint[2]));
    const int d = add(m, ctx, (dal_output){.name = "d", .quantity = "contact_point", .joint = "d"}),
              s = add(m, ctx, (dal_output){.name = "s", .quantity = "contact_point", .joint = "s"});
    const dal_output none = {.name = "p", .quantity = "contact_point", .joint = "p"},
                     body = {.name = "b", .quantity = "force", .joint = "p", .body = 1};
    check_fails(ctx, dal_model_add_output(m, NULL, &none), DAL_EINVAL, "is of type spherical and has no contact point");
    check_fails(ctx, dal_model_add_output(m, NULL, &body), DAL_EINVAL, "those on its body B");
    double most[9] = {0.0};
    evaluate(y, m, ctx, most);
    assert_all_near(y + d, ((double[3]){2.0, 1.0 - r * sin(lean), 0.0}), 3, 1e-14);
    assert_all_near(y + s, ((double[3]){-1.0, 3.0, 0.0}), 3, 1e-14);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_angles_are_named_by_their_axes),
        cmocka_unit_test(components_are_the_numbers_of_the_whole),
        cmocka_unit_test(pfaffian_rows_have_reactions),
        cmocka_unit_test(rolling_bodies_touch_their_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
