#include "flexible_models.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

dal_modes *beam(dal_ctx *ctx, const dal_beam *b)
{
    dal_modes *modes;
    check_ok(ctx, dal_beam_modes_create(&modes, ctx, b));
    return modes;
}

static void add(dal_ctx *ctx, dal_model *m, const dal_beam *b, dal_flexible body)
{
    dal_modes *modes = beam(ctx, b);
    body.modes = modes;
    check_ok(ctx, dal_model_add_flexible(m, NULL, &body));
    dal_beam_modes_destroy(modes);
}

static void join(dal_ctx *ctx, dal_model *m, dal_joint j)
{
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
}

/* ---- pendulum --------------------------------------------------------------------------------- */

static const double down[3] = {0.0, 0.0, -9.81}, spin[3] = {6.0, 1.0, -2.0};
/* hung at x = 1 of the beam, which is at rest there */
static const double place[3] = {-1.0, 0.0, 0.0}, speed[3] = {0.0, 2.0, 1.0};

static dal_model *pendulum(dal_ctx *ctx, double E, int nmodes, double damping)
{
    const dal_beam b = {.length = 1.0,
                        .E = E,
                        .G = E / 2.6,
                        .density = 1000.0,
                        .area = 5e-4,
                        .Iy = 2e-7,
                        .Iz = 1e-7,
                        .reference = "clamped",
                        .elements = 10,
                        .nmodes = nmodes,
                        .damping = damping};
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, down));
    dal_flexible body = {.name = "beam"};
    memcpy(body.position, place, sizeof place);
    memcpy(body.velocity, speed, sizeof speed);
    memcpy(body.angular_velocity, spin, sizeof spin);
    add(ctx, m, &b, body);
    join(ctx, m, (dal_joint){.name = "pivot", .type = "spherical", .body_b = dal_model_find_body(m, "beam/B")});
    check_ok(ctx, dal_model_add_output(
                      m, NULL,
                      &(dal_output){.name = "tip", .quantity = "position", .body = dal_model_find_body(m, "beam/A")}));
    return m;
}

dal_model *flexible_pendulum(dal_ctx *ctx, double E, int nmodes)
{
    return pendulum(ctx, E, nmodes, 0.0);
}

dal_model *damped_pendulum(dal_ctx *ctx, double damping)
{
    dal_model *m = pendulum(ctx, 1e7, 4, damping);
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "energy", .quantity = "energy"}));
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "dissipated", .quantity = "dissipated_energy"}));
    return m;
}

dal_model *rigid_pendulum(dal_ctx *ctx)
{
    dal_model *m;
    const double rho = 1000.0, across = 0.5 / 12.0;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, down));
    dal_body body = {.name = "beam",
                     .mass = 0.5,
                     .com = {0.5, 0.0, 0.0},
                     .inertia = {rho * 3e-7, across + rho * 2e-7, across + rho * 1e-7}};
    memcpy(body.position, place, sizeof place);
    memcpy(body.velocity, speed, sizeof speed);
    memcpy(body.angular_velocity, spin, sizeof spin);
    check_ok(ctx, dal_model_add_body(m, NULL, &body));
    join(ctx, m,
         (dal_joint){.name = "pivot", .type = "spherical", .body_b = 1, .frame_b = {.position = {1.0, 0.0, 0.0}}});
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "tip", .quantity = "position", .body = 1}));
    return m;
}

/* ---- slider crank ----------------------------------------------------------------------------- */

dal_model *flexible_slider_crank(dal_ctx *ctx, int nmodes)
{
    const double r = 0.15, l = 0.3, Omega = 150.0, d = 0.006, middle = 0.15, I = pi / 64.0 * d * d * d * d;
    const dal_beam b = {.length = l,
                        .E = 2e11,
                        .density = 7870.0,
                        .area = 0.25 * pi * d * d,
                        .Iy = I,
                        .Iz = I,
                        .slender = 1,
                        .reference = "pinned",
                        .kinds = DAL_BEAM_BENDING_Y,
                        .elements = 24,
                        .nmodes = nmodes,
                        .stations = &middle,
                        .nstations = 1};
    const double angle[2] = {0.0, Omega}, x[3] = {1.0, 0.0, 0.0}, O[3] = {0.0, 0.0, 0.0};
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_function(m, NULL,
                                         &(dal_function){.name = "angle", .type = "polynomial", .c = angle, .n = 2}));
    check_ok(ctx, dal_model_add_body(m, NULL,
                                     &(dal_body){.name = "crank",
                                                 .mass = 0.1,
                                                 .inertia = {1e-4, 1e-4, 1e-4},
                                                 .angular_velocity = {0.0, 0.0, Omega}}));
    check_ok(ctx, dal_model_add_body(m, NULL,
                                     &(dal_body){.name = "slider",
                                                 .mass = 0.033,
                                                 .inertia = {1e-5, 1e-5, 1e-5},
                                                 .position = {r + l, 0.0, 0.0}}));
    add(ctx, m, &b,
        (dal_flexible){.name = "rod",
                       .position = {r, 0.0, 0.0},
                       .velocity = {0.0, r * Omega, 0.0},
                       .angular_velocity = {0.0, 0.0, -r * Omega / l}});
    const int A = dal_model_find_body(m, "rod/A"), B = dal_model_find_body(m, "rod/B");
    join(ctx, m, (dal_joint){.name = "bearing", .type = "revolute", .body_b = 1});
    join(ctx, m, (dal_joint){.name = "drive", .type = "motion", .joint = "bearing", .function = 1});
    join(ctx, m,
         (dal_joint){.name = "pin", .type = "revolute", .body_a = 1, .body_b = A, .frame_a = {.position = {r}}});
    join(ctx, m,
         (dal_joint){.name = "guide",
                     .type = "prismatic",
                     .body_b = 2,
                     .frame_a = dal_frame_on_axis(O, x, NULL),
                     .frame_b = dal_frame_on_axis(O, x, NULL)});
    join(ctx, m, (dal_joint){.name = "wrist", .type = "planar_revolute", .body_a = 2, .body_b = B});
    static const char *const where[] = {"rod/A", "rod/1", "rod/B"};
    for (int k = 0; k < 3; ++k) {
        check_ok(ctx, dal_model_add_output(m, NULL,
                                           &(dal_output){.name = where[k],
                                                         .quantity = "position",
                                                         .body = dal_model_find_body(m, where[k])}));
    }
    return m;
}

/* ---- spinning beam ---------------------------------------------------------------------------- */

/* psi = 6/15 (t^2/2 + (15/2 pi)^2 (cos(2 pi t/15) - 1)), from t = 15 on 6 t - 45 */
static dal_status spin_up(double y[3], double t, void *user)
{
    const double T = 15.0, k = 2.0 * pi / T;
    (void)user;
    y[0] = t < T ? 0.4 * (0.5 * t * t + (cos(k * t) - 1.0) / (k * k)) : 6.0 * t - 45.0;
    y[1] = t < T ? 0.4 * (t - sin(k * t) / k) : 6.0;
    y[2] = t < T ? 0.4 * (1.0 - cos(k * t)) : 0.0;
    return DAL_OK;
}

dal_model *spinning_beam(dal_ctx *ctx, int nmodes, int stiffening)
{
    const dal_beam b = {.length = 10.0,
                        .E = 2.8e7,
                        .G = 1e7,
                        .density = 1.2,
                        .area = 1.0,
                        .Iy = 5e-4,
                        .Iz = 5e-4,
                        .shear_y = 1.0,
                        .kinds = DAL_BEAM_BENDING_Y | DAL_BEAM_EXTENSION,
                        .elements = 20,
                        .craig_bampton = 1,
                        .nmodes = nmodes,
                        .stiffening = stiffening};
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_function(m, NULL, &(dal_function){.name = "psi", .type = "user", .call = spin_up}));
    add(ctx, m, &b, (dal_flexible){.name = "beam"});
    join(ctx, m, (dal_joint){.name = "hub", .type = "revolute", .body_b = 1});
    join(ctx, m, (dal_joint){.name = "drive", .type = "motion", .joint = "hub", .function = 1});
    check_ok(ctx, dal_model_add_output(
                      m, NULL,
                      &(dal_output){.name = "tip", .quantity = "position", .body = dal_model_find_body(m, "beam/B")}));
    return m;
}

/* ---- running ---------------------------------------------------------------------------------- */

dal_sim *start(dal_ctx *ctx, dal_model *m, const char *const *option, int noptions, double h)
{
    const dal_system *sys;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.h = h;
    for (int k = 0; k < noptions; ++k) {
        check_ok(ctx, dal_options_parse(ctx, dal_options_table(), &opt, option[k]));
    }
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    return sim;
}

void outputs(dal_ctx *ctx, dal_model *m, const dal_sim *sim, double *values)
{
    const dal_state s = dal_sim_state(sim);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), values, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
}
