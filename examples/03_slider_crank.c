/* A spatial slider crank from bodies and joints: the crank turns about x at A, a ball joint B carries the rod, a
 * universal joint C the slider, which slides along x. Prints the slider and the force in the ball joint. */
#include <dalembert/dalembert.h>
#include <math.h>
#include <stdio.h>

static const double A[3] = {0.0, 0.1, 0.12}, B[3] = {0.0, 0.1, 0.2}, C[3] = {0.2, 0.0, 0.0};
static const double x[3] = {1.0, 0.0, 0.0};
/* Position of the slider at t = 1, from a solution in one coordinate. */
static const double exact = 0.21172166139344376, known_error = 1e-5;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A joint given by a point and an axis in the world, at the initial positions. */
static dal_status add_joint(dal_model *m, const char *name, const char *type, int a, int b, const double *at,
                            const double *axis, const double *hint)
{
    const dal_frame world = dal_frame_on_axis(at, axis, hint);
    dal_joint joint = {.name = name, .type = type, .body_a = a, .body_b = b};
    DAL_TRY(dal_model_frame_at(m, &joint.frame_a, a, &world));
    DAL_TRY(dal_model_frame_at(m, &joint.frame_b, b, &world));
    return dal_model_add_joint(m, NULL, &joint);
}

static dal_status build(dal_model *m)
{
    // the rod's x axis points from B to C; its y axis is normal to x and to the rod
    const double ux[3] = {2.0 / 3.0, -1.0 / 3.0, -2.0 / 3.0}, uy[3] = {0.0, 2.0 / sqrt(5.0), -1.0 / sqrt(5.0)};
    const double uz[3] = {ux[1] * uy[2] - ux[2] * uy[1], ux[2] * uy[0] - ux[0] * uy[2], ux[0] * uy[1] - ux[1] * uy[0]};
    const double R[9] = {ux[0], ux[1], ux[2], uy[0], uy[1], uy[2], uz[0], uz[1], uz[2]};
    const double cross[3] = {0.0, -uy[2], uy[1]}; // of the universal joint: normal to x and uy
    const double w[3] = {1.92, -0.96, 0.48};      // angular velocity of the rod, world axes
    const dal_body crank = {.name = "crank",
                            .mass = 0.12,
                            .inertia = {1e-4, 1e-4, 1e-5},
                            .position = {0.0, 0.1, 0.16},
                            .velocity = {0.0, -0.24, 0.0},
                            .angular_velocity = {6.0, 0.0, 0.0}};
    dal_body rod = {.name = "rod",
                    .mass = 0.5,
                    .inertia = {4e-4, 4e-3, 4e-3},
                    .position = {0.1, 0.05, 0.1},
                    .velocity = {0.12, -0.24, 0.0},
                    .angular_velocity = {dot(ux, w), dot(uy, w), dot(uz, w)}};
    const dal_body slider = {.name = "slider",
                             .mass = 2.0,
                             .inertia = {1e-4, 1e-4, 1e-4},
                             .position = {0.2, 0.0, 0.0},
                             .velocity = {0.24, 0.0, 0.0}};
    dal_quat_from_matrix(rod.rotation, R);
    int c, r, s;
    DAL_TRY(dal_model_set_gravity(m, (double[3]){0.0, 0.0, -9.81}));
    DAL_TRY(dal_model_add_body(m, &c, &crank));
    DAL_TRY(dal_model_add_body(m, &r, &rod));
    DAL_TRY(dal_model_add_body(m, &s, &slider));
    DAL_TRY(add_joint(m, "A", "revolute", DAL_GROUND, c, A, x, NULL));
    DAL_TRY(add_joint(m, "B", "spherical", c, r, B, x, NULL));
    DAL_TRY(add_joint(m, "C", "universal", s, r, C, cross, x)); // x of the slider stays normal to y of the rod
    DAL_TRY(add_joint(m, "D", "prismatic", DAL_GROUND, s, C, x, NULL));
    DAL_TRY(dal_model_add_output(m, NULL, &(dal_output){.name = "slider", .quantity = "position", .body = s}));
    return dal_model_add_output(m, NULL, &(dal_output){.name = "ball joint", .quantity = "force", .joint = "B"});
}

static dal_status simulate(dal_ctx *ctx)
{
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    double value[6] = {0.0};
    dal_options options = dal_options_init();
    options.h = 5e-4;
    DAL_TRY(dal_model_create(&m, ctx));
    DAL_TRY(build(m));
    DAL_TRY(dal_model_compile(m, &sys));
    DAL_TRY(dal_sim_create(&sim, ctx, sys, &options));
    DAL_TRY(dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    printf("Spatial slider crank\n\n  t [s]  slider [m]   force of the ball joint on the rod [N]\n");
    for (int k = 0; k <= 10; ++k) {
        DAL_TRY(dal_sim_run(sim, NULL, 0.1 * k));
        const dal_state st = dal_sim_state(sim);
        DAL_TRY(dal_model_outputs(m, dal_sim_data(sim), value, &(dal_point){st.t, st.q, st.v, st.vd, st.la}));
        printf("%7.1f %11.6f %12.3f %9.3f %9.3f\n", st.t, value[0], value[3], value[4], value[5]);
    }
    printf("\nThe slider is off the exact position by %.1e m.\n", fabs(value[0] - exact));
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    return fabs(value[0] - exact) < known_error ? DAL_OK
                                                : dal_fail(ctx, DAL_ECHECK, "expected less than %g", known_error);
}

int main(void)
{
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return 1;
    }
    const dal_status st = simulate(ctx);
    fprintf(stderr, "%s%s", dal_ctx_message(ctx), st == DAL_OK ? "" : "\n");
    dal_ctx_destroy(ctx);
    return st == DAL_OK ? 0 : 1;
}
