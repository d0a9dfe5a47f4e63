#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

static const double down[3] = {0.0, 0.0, -9.81};

static dal_model *model_with_gravity(dal_ctx *ctx, const double gravity[3])
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, gravity));
    return m;
}

static void add_body(dal_ctx *ctx, dal_model *m, dal_body b, const char *type)
{
    b.type = type;
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
}

static void add_joint(dal_ctx *ctx, dal_model *m, dal_joint j)
{
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
}

dal_body body_like(const problem *p, int number, const char *name, double mass, const double J[3])
{
    dal_body b = {.name = name, .mass = mass};
    const double *q = p->q0 + 7 * number, *v = p->v0 + 6 * number;
    for (int i = 0; i < 3; ++i) {
        b.inertia[i] = J[i];
        b.position[i] = q[i];
        b.velocity[i] = v[i];
        b.angular_velocity[i] = v[3 + i];
    }
    memcpy(b.rotation, q + 3, sizeof b.rotation);
    return b;
}

/* ---- tops ------------------------------------------------------------------------------------- */

static const double top_J[3] = {0.234375, 0.46875, 0.234375};

static dal_body top_body(dal_ctx *ctx)
{
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_body b = body_like(&p, 0, "top", 15.0, top_J);
    problem_free(&p);
    b.sequence = "xzy";
    return b;
}

dal_model *heavy_top_model(dal_ctx *ctx, const char *type)
{
    dal_model *m = model_with_gravity(ctx, down);
    add_body(ctx, m, top_body(ctx), type);
    // -x + R X: the ground seen from the top
    add_joint(ctx, m, (dal_joint){.name = "tip", .type = "spherical", .body_a = 1, .frame_a = {{0.0, -1.0, 0.0}, {0}}});
    return m;
}

dal_model *heavy_top_about_tip(dal_ctx *ctx, const char *type)
{
    dal_model *m = model_with_gravity(ctx, down);
    dal_body b = top_body(ctx);
    memset(b.position, 0, sizeof b.position);
    memset(b.velocity, 0, sizeof b.velocity);
    b.com[1] = 1.0;
    add_body(ctx, m, b, type);
    add_joint(ctx, m, (dal_joint){.name = "tip", .type = "spherical", .body_a = 1});
    return m;
}

/* ---- spatial slider crank ------------------------------------------------------------------------ */

dal_model *slider_crank_model(dal_ctx *ctx, const char *type)
{
    static const double J[3][3] = {{1e-4, 1e-4, 1e-5}, {4e-4, 4e-3, 4e-3}, {1e-4, 1e-4, 1e-4}};
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0}, O[3] = {0.0, 0.0, 0.0};
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 0));
    dal_model *m = model_with_gravity(ctx, down);
    add_body(ctx, m, body_like(&p, 0, "crank", 0.12, J[0]), type);
    add_body(ctx, m, body_like(&p, 1, "rod", 0.5, J[1]), type);
    add_body(ctx, m, body_like(&p, 2, "slider", 2.0, J[2]), type);
    problem_free(&p);
    const double A[3] = {0.0, 0.1, 0.12}, crank_A[3] = {0.0, 0.0, -0.04}, crank_B[3] = {0.0, 0.0, 0.04};
    const double rod_B[3] = {-0.15, 0.0, 0.0}, rod_C[3] = {0.15, 0.0, 0.0};
    // A turns about x; B is a ball; C is a cardan joint with axes x of the slider and y of the rod; D slides along x
    add_joint(ctx, m,
              (dal_joint){.name = "A",
                          .type = "revolute",
                          .body_b = 1,
                          .frame_a = dal_frame_on_axis(A, x, y),
                          .frame_b = dal_frame_on_axis(crank_A, x, y)});
    add_joint(ctx, m,
              (dal_joint){.name = "B",
                          .type = "spherical",
                          .body_a = 1,
                          .body_b = 2,
                          .frame_a = dal_frame_on_axis(crank_B, z, x),
                          .frame_b = dal_frame_on_axis(rod_B, z, x)});
    add_joint(
        ctx, m,
        (dal_joint){
            .name = "C", .type = "universal", .body_a = 3, .body_b = 2, .frame_b = dal_frame_on_axis(rod_C, z, x)});
    add_joint(ctx, m,
              (dal_joint){.name = "D",
                          .type = "prismatic",
                          .body_b = 3,
                          .frame_a = dal_frame_on_axis(O, x, y),
                          .frame_b = dal_frame_on_axis(O, x, y)});
    return m;
}

/* ---- planar mechanisms ------------------------------------------------------------------------- */

static dal_body planar_like(const double *q, const double *v, const char *name, double mass, double J)
{
    return (dal_body){.name = name,
                      .mass = mass,
                      .inertia = {0.0, 0.0, J},
                      .position = {q[0], q[1]},
                      .rotation = {cos(0.5 * q[2]), 0.0, 0.0, sin(0.5 * q[2])},
                      .velocity = {v[0], v[1]},
                      .angular_velocity = {0.0, 0.0, v[2]}};
}

dal_model *planar_crank_model(dal_ctx *ctx)
{
    static const double x[3] = {1.0, 0.0, 0.0}, O[3] = {0.0, 0.0, 0.0};
    problem p;
    check_ok(ctx, problem_slider_crank(&p, ctx));
    dal_model *m = model_with_gravity(ctx, O);
    const double *q = p.q0, *v = p.v0;
    add_body(ctx, m, planar_like(q, v, "crank", 0.36, 0.0027), "planar");
    add_body(ctx, m, planar_like(q + 3, v + 3, "rod", 0.15, 0.0045), "planar");
    add_body(ctx, m, (dal_body){.name = "slider", .mass = 0.1, .position = {q[6]}, .velocity = {v[6]}}, "point");
    add_body(ctx, m, (dal_body){.name = "mass", .mass = 0.7, .position = {q[7]}, .velocity = {v[7]}}, "point");
    problem_free(&p);
    const dal_frame line = dal_frame_on_axis(O, x, NULL);
    add_joint(ctx, m,
              (dal_joint){.name = "O", .type = "planar_revolute", .body_b = 1, .frame_b = {{-0.15, 0.0, 0.0}, {0}}});
    add_joint(ctx, m,
              (dal_joint){.name = "B",
                          .type = "planar_revolute",
                          .body_a = 1,
                          .body_b = 2,
                          .frame_a = {{0.15, 0.0, 0.0}, {0}},
                          .frame_b = {{-0.3, 0.0, 0.0}, {0}}});
    add_joint(ctx, m,
              (dal_joint){
                  .name = "C", .type = "planar_revolute", .body_a = 2, .body_b = 3, .frame_a = {{0.3, 0.0, 0.0}, {0}}});
    add_joint(ctx, m, (dal_joint){.name = "guide", .type = "point_on_line", .body_b = 3, .frame_a = line});
    add_joint(ctx, m, (dal_joint){.name = "rail", .type = "point_on_line", .body_b = 4, .frame_a = line});
    const dal_force spring = {
        .name = "spring", .type = "spring", .body_a = 3, .body_b = 4, .stiffness = 1000.0, .reference = 0.2};
    const dal_force torque = {.name = "torque", .type = "torque", .body_b = 1, .vector = {0.0, 0.0, 1.0}};
    check_ok(ctx, dal_model_add_force(m, NULL, &spring));
    check_ok(ctx, dal_model_add_force(m, NULL, &torque));
    return m;
}

/* ---- nonholonomic ----------------------------------------------------------------------------- */

dal_model *rolling_disk_model(dal_ctx *ctx, const char *type)
{
    static const double J[3] = {3.75, 3.75, 7.5};
    problem p;
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    dal_model *m = model_with_gravity(ctx, down);
    add_body(ctx, m, body_like(&p, 0, "disk", 15.0, J), type);
    problem_free(&p);
    add_joint(ctx, m, (dal_joint){.name = "contact", .type = "rolling_disk", .body_b = 1, .radius = 1.0});
    return m;
}

dal_model *knife_edge_model(dal_ctx *ctx)
{
    problem p;
    check_ok(ctx, problem_knife_edge(&p, ctx));
    // the incline: weight along x
    dal_model *m = model_with_gravity(ctx, (double[3]){9.81 * sin(0.5235987755982989), 0.0, 0.0});
    add_body(ctx, m, planar_like(p.q0, p.v0, "skate", 1.0, 0.1), "planar");
    problem_free(&p);
    // x' sin - y' cos = 0: minus the y axis of the body
    const dal_frame back = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    add_joint(ctx, m, (dal_joint){.name = "edge", .type = "knife_edge", .body_b = 1, .frame_b = back});
    return m;
}

dal_model *sleigh_model(dal_ctx *ctx, const char *type)
{
    problem p;
    check_ok(ctx, problem_chaplygin_sleigh(&p, ctx));
    dal_model *m = model_with_gravity(ctx, (double[3]){0.0, 0.0, 0.0});
    add_body(ctx, m, planar_like(p.q0, p.v0, "sleigh", 2.0, 0.54), type);
    problem_free(&p);
    add_joint(ctx, m,
              (dal_joint){.name = "blade", .type = "knife_edge", .body_b = 1, .frame_b = {{-0.3, 0.0, 0.0}, {0}}});
    return m;
}

/* ---- chain ------------------------------------------------------------------------------------ */

dal_model *chain_model(dal_ctx *ctx, int n, const char *joint)
{
    const double L = 0.1, mass = 0.1, w = 0.02, across = mass * (L * L + w * w) / 12.0;
    dal_model *m = model_with_gravity(ctx, down);
    for (int i = 1; i <= n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        add_body(ctx, m,
                 (dal_body){.name = name,
                            .mass = mass,
                            .inertia = {mass * w * w / 6.0, across, across},
                            .position = {(i - 0.5) * L}},
                 NULL);
        snprintf(name, sizeof name, "joint%d", i);
        const double a[3] = {i > 1 ? 0.5 * L : 0.0, 0.0, 0.0}, b[3] = {-0.5 * L, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
        add_joint(ctx, m,
                  (dal_joint){.name = name,
                              .type = joint,
                              .body_a = i - 1,
                              .body_b = i,
                              .frame_a = dal_frame_on_axis(a, y, NULL),
                              .frame_b = dal_frame_on_axis(b, y, NULL)});
    }
    return m;
}
