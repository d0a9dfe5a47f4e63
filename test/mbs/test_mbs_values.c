/* Values of outputs for every type of body: against what its pose and velocity say, written down here with matrices. */
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "dalembert/mbs.h"
#include "support/check.h"

static const double gravity[2][3] = {{1.0, -9.0, 3.0}, {1.0, -9.0, 0.0}};

/* R of a rotation by `angle` about the unit axis e, column-major: Rodrigues. */
static void rodrigues(double R[9], const double e[3], double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double E[9] = {0.0, e[2], -e[1], -e[2], 0.0, e[0], e[1], -e[0], 0.0};
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            R[i + 3 * j] = (i == j ? c : 0.0) + (1.0 - c) * e[i] * e[j] + s * E[i + 3 * j];
        }
    }
}

/* y = x + R a, or x + R^T a */
static void plus(double y[3], const double *x, const double R[9], const double a[3], int transposed)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = x ? x[i] : 0.0;
        for (int j = 0; j < 3; ++j) {
            y[i] += (transposed ? R[j + 3 * i] : R[i + 3 * j]) * a[j];
        }
    }
}

static void cross(double c[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* The Hamilton product. */
static void product(double c[4], const double a[4], const double b[4])
{
    double v[3];
    cross(v, a + 1, b + 1);
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    for (int i = 0; i < 3; ++i) {
        c[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + v[i];
    }
}

/* Of the angles of a cardan body. */
static void half_angles(double p[4], const char *sequence, const double *a)
{
    double x[4] = {1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        double q[4] = {cos(0.5 * a[k]), 0.0, 0.0, 0.0};
        q[1 + sequence[k] - 'x'] = sin(0.5 * a[k]);
        product(p, x, q);
        memcpy(x, p, sizeof x);
    }
}

typedef struct kind {
    const char *type, *sequence;
    int planar, point;
} kind;

enum {
    POSITION,
    VELOCITY,
    VELOCITY_BODY,
    SPIN,
    SPIN_BODY,
    MATRIX,
    QUATERNION,
    KINETIC,
    POTENTIAL,
    ENERGY,
    MOMENTUM,
    ANGULAR,
    CENTRE,
    NOUTPUTS
};

static dal_model *model_of(dal_ctx *ctx, const dal_body *b, const dal_frame *frame, const double g[3],
                           int first[NOUTPUTS], const dal_system **sys)
{
    static const char *const quantity[NOUTPUTS] = {"position",         "velocity", "velocity",   "angular_velocity",
                                                   "angular_velocity", "matrix",   "quaternion", "kinetic_energy",
                                                   "potential_energy", "energy",   "momentum",   "angular_momentum",
                                                   "centre_of_mass"};
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, g));
    check_ok(ctx, dal_model_add_body(m, NULL, b));
    for (int k = 0; k < NOUTPUTS; ++k) {
        char name[8] = {'o', (char)('a' + k), '\0'};
        int number;
        const dal_output o = {.name = name,
                              .quantity = quantity[k],
                              .body = k < KINETIC,
                              .frame = k < KINETIC ? *frame : (dal_frame){{0.0}, {0.0}},
                              .body_axes = k == VELOCITY_BODY || k == SPIN_BODY};
        check_ok(ctx, dal_model_add_output(m, &number, &o));
    }
    check_ok(ctx, dal_model_compile(m, sys));
    for (int k = 0; k < NOUTPUTS; ++k) {
        first[k] = dal_model_output_info(m, k).first;
    }
    return m;
}

/* A frame on a body, turned about this axis by this angle. */
static const double frame_axes[2][3] = {{0.6, 0.0, 0.8}, {0.0, 0.0, 1.0}}, frame_angle = 0.5;

/* A body turned about e by `angle` and a frame on it. */
static void place(dal_body *b, dal_frame *frame, const kind *t, const double e[3], double angle)
{
    const double h = 0.5 * angle;
    *frame = (dal_frame){.position = {t->point ? 0.0 : 0.3, t->point ? 0.0 : -0.2, t->planar || t->point ? 0.0 : 0.4},
                         .rotation = {cos(0.5 * frame_angle), 0.0, 0.0, 0.0}};
    *b = (dal_body){.name = "b",
                    .type = t->type,
                    .sequence = t->sequence,
                    .mass = 2.5,
                    .inertia = {1.1, 1.3, 1.7, 0.1, -0.2, 0.15},
                    .com = {0.2, 0.5, t->planar ? 0.0 : -0.3},
                    .position = {1.0, -2.0, t->planar ? 0.0 : 0.7},
                    .rotation = {cos(h), sin(h) * e[0], sin(h) * e[1], sin(h) * e[2]},
                    .velocity = {0.4, 1.5, t->planar ? 0.0 : -0.6},
                    .angular_velocity = {t->planar ? 0.0 : 0.7, t->planar ? 0.0 : -1.1, 1.3}};
    for (int i = 0; i < 3; ++i) {
        frame->rotation[1 + i] = sin(0.5 * frame_angle) * frame_axes[t->planar][i];
        if (t->planar && i < 2) {
            b->inertia[i] = b->inertia[4 + i] = 0.0;
        }
    }
    if (t->planar) {
        b->inertia[3] = 0.0;
    }
    if (t->point) {
        memset(b->inertia, 0, sizeof b->inertia);
        memset(b->com, 0, sizeof b->com);
        memset(b->angular_velocity, 0, sizeof b->angular_velocity);
        memcpy(b->rotation, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof b->rotation);
        memset(frame, 0, sizeof *frame);
    }
}

/* Sums over the model: energies, momenta, centre of mass. R: rotation of the body. */
static void check_sums(const double *y, const int *at, const dal_body *b, const double R[9], const double *g)
{
    const double *w = b->angular_velocity;
    double wc[3], c[3], vc[3], p[3], L[3], JOm[3], l[3];
    cross(wc, w, b->com);
    plus(c, b->position, R, b->com, 0);
    plus(vc, b->velocity, R, wc, 0);
    const double J[9] = {b->inertia[0], b->inertia[3], b->inertia[4], b->inertia[3], b->inertia[1],
                         b->inertia[5], b->inertia[4], b->inertia[5], b->inertia[2]};
    plus(JOm, NULL, J, w, 0);
    double T = 0.0, V = 0.0;
    for (int i = 0; i < 3; ++i) {
        p[i] = b->mass * vc[i];
        T += 0.5 * (b->mass * vc[i] * vc[i] + w[i] * JOm[i]);
        V -= b->mass * g[i] * c[i];
    }
    cross(l, c, p);
    plus(L, l, R, JOm, 0);
    assert_near(y[at[KINETIC]], T, 1e-13);
    assert_near(y[at[POTENTIAL]], V, 1e-13);
    assert_near(y[at[ENERGY]], T + V, 1e-13);
    assert_all_near(y + at[MOMENTUM], p, 3, 1e-13);
    assert_all_near(y + at[ANGULAR], L, 3, 1e-13);
    assert_all_near(y + at[CENTRE], c, 3, 1e-14);
}

/* All outputs of one body, turned about e by `angle`. */
static void check_values(const kind *t, const double e[3], double angle)
{
    dal_ctx *ctx = check_ctx();
    dal_frame frame;
    dal_body b;
    place(&b, &frame, t, e, angle);
    int at[NOUTPUTS];
    const dal_system *sys;
    const double *g = gravity[t->planar], *w = b.angular_velocity;
    dal_model *m = model_of(ctx, &b, &frame, g, at, &sys);
    const double *q = dal_model_q0(m), *v = dal_model_v0(m);
    double y[64], zero[16] = {0.0}, R[9], F[9], RF[9], wf[3], x[3], vp[3], om[3], body[3];
    check_ok(ctx, dal_model_outputs(m, NULL, y, &(dal_point){0.0, q, v, zero, zero}));
    rodrigues(R, e, t->point ? 0.0 : angle);
    rodrigues(F, frame_axes[t->planar], t->point ? 0.0 : frame_angle);
    // the point of the frame
    cross(wf, w, frame.position);
    plus(x, b.position, R, frame.position, 0);
    plus(vp, b.velocity, R, wf, 0);
    plus(om, NULL, R, w, 0);
    plus(body, NULL, R, vp, 1);
    for (int j = 0; j < 3; ++j) {
        plus(RF + 3 * j, NULL, R, F + 3 * j, 0);
    }
    assert_all_near(y + at[POSITION], x, 3, 1e-14);
    assert_all_near(y + at[VELOCITY], vp, 3, 1e-14);
    assert_all_near(y + at[VELOCITY_BODY], body, 3, 1e-14);
    assert_all_near(y + at[SPIN], om, 3, 1e-14);
    assert_all_near(y + at[SPIN_BODY], w, 3, 1e-14);
    for (int k = 0; k < 9; ++k) { // row after row
        assert_near(y[at[MATRIX] + k], RF[k / 3 + 3 * (k % 3)], 1e-14);
    }
    check_sums(y, at, &b, R, g);
    // of the two quaternions the one of the coordinates: of three angles, of the angle in the plane over two turns, of q
    double own[4] = {b.rotation[0], b.rotation[1], b.rotation[2], b.rotation[3]}, want[4];
    if (t->sequence) {
        half_angles(own, t->sequence, q + 3);
    }
    product(want, own, t->point ? (double[4]){1.0, 0.0, 0.0, 0.0} : frame.rotation);
    assert_all_near(y + at[QUATERNION], want, 4, 1e-14);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void outputs_of_every_type_of_body_are_those_of_its_pose(void **state)
{
    static const kind kinds[] = {{"r3so3", NULL, 0, 0},   {"se3", NULL, 0, 0},        {"euler_parameters", NULL, 0, 0},
                                 {"cardan", "xyz", 0, 0}, {"cardan", "zxz", 0, 0},    {"cardan", "yzx", 0, 0},
                                 {"planar", NULL, 1, 0},  {"planar_se2", NULL, 1, 0}, {"point", NULL, 0, 1}};
    // each component of the quaternion is the largest once; beyond half a turn its scalar part is negative
    static const double axis[][3] = {{0.8, 0.48, 0.36}, {0.48, 0.8, -0.36}, {0.36, 0.48, 0.8}};
    static const double angle[] = {0.4, 2.9, 3.5, 5.5, -0.3, -4.0};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        for (size_t i = 0; i < LEN(axis) * LEN(angle); ++i) {
            const double z[3] = {0.0, 0.0, 1.0};
            check_values(&kinds[k], kinds[k].planar ? z : axis[i / LEN(angle)], angle[i % LEN(angle)]);
        }
    }
}

/* The angle of a planar body counts turns; its quaternion goes on without a jump: (cos phi/2, 0, 0, sin phi/2). */
static void quaternions_of_planar_bodies_do_not_jump(void **state)
{
    static const char *const type[] = {"planar", "planar_se2"};
    const dal_frame none = {{0.0}, {0.0}};
    for (size_t k = 0; k < LEN(type); ++k) {
        dal_ctx *ctx = check_ctx();
        const dal_body b = {.name = "b", .type = type[k], .mass = 1.0, .inertia = {0.0, 0.0, 1.0}};
        int at[NOUTPUTS];
        const dal_system *sys;
        dal_model *m = model_of(ctx, &b, &none, gravity[1], at, &sys);
        for (double phi = -20.0; phi < 20.0; phi += 0.37) {
            const double q[3] = {0.1, 0.2, phi}, zero[6] = {0.0}, want[4] = {cos(0.5 * phi), 0.0, 0.0, sin(0.5 * phi)};
            double y[64];
            check_ok(ctx, dal_model_outputs(m, NULL, y, &(dal_point){0.0, q, zero, zero, zero}));
            assert_all_near(y + at[QUATERNION], want, 4, 1e-14);
        }
        dal_model_destroy(m);
        check_ctx_free(ctx);
    }
}

static const struct {
    dal_coordinate coordinate;
    int axis;
} which[] = {{DAL_COORDINATE_ROTATION, 0},    {DAL_COORDINATE_ROTATION, 1},    {DAL_COORDINATE_ROTATION, 2},
             {DAL_COORDINATE_TRANSLATION, 0}, {DAL_COORDINATE_TRANSLATION, 1}, {DAL_COORDINATE_TRANSLATION, 2},
             {DAL_COORDINATE_LENGTH, 0}};

/* Two bodies that move at will and what their joint tells of these coordinates. */
static dal_model *joined(dal_ctx *ctx)
{
    dal_model *m;
    const dal_body a = {.name = "a",
                        .mass = 1.0,
                        .inertia = {1.0, 1.0, 1.0},
                        .velocity = {0.3, 0.4, -0.2},
                        .angular_velocity = {0.5, -0.4, 0.9}};
    const dal_body b = {.name = "b",
                        .type = "se3",
                        .mass = 1.0,
                        .inertia = {1.0, 1.0, 1.0},
                        .position = {0.5, -0.4, 0.8},
                        .rotation = {0.8, 0.36, -0.48, 0.0},
                        .velocity = {-0.6, 0.2, 0.7},
                        .angular_velocity = {-0.3, 0.8, 0.6}};
    const dal_joint j = {.name = "j",
                         .type = "generic",
                         .body_a = 1,
                         .body_b = 2,
                         .locked = DAL_LOCK_X,
                         .frame_a = {{0.1, 0.2, 0.3}, {0.8, 0.0, 0.6, 0.0}},
                         .frame_b = {{-0.2, 0.1, 0.4}, {0.6, 0.0, 0.0, 0.8}}};
    static const char *const quantity[] = {"coordinate", "coordinate_velocity", "coordinate_acceleration"};
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &a));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_ok(ctx, dal_model_add_joint(m, NULL, &j));
    for (size_t k = 0; k < 3 * LEN(which); ++k) {
        char name[8] = {'o', (char)('a' + k), '\0'};
        int number;
        const dal_output o = {.name = name,
                              .quantity = quantity[k % 3],
                              .joint = "j",
                              .coordinate = which[k / 3].coordinate,
                              .axis = which[k / 3].axis};
        check_ok(ctx, dal_model_add_output(m, &number, &o));
    }
    return m;
}

/* Rates and second rates of coordinates of joints against differences, with accelerations. */
static void coordinates_of_joints_and_their_rates_are_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m = joined(ctx);
    const dal_system *sys;
    check_ok(ctx, dal_model_compile(m, &sys));
    const double h = 1e-5, vd[12] = {0.3, -0.7, 0.2, 1.1, -0.4, 0.6, -0.9, 0.5, 0.8, -0.3, 0.7, 0.1};
    double y[3][64];
    for (int n = 0; n < 3; ++n) { // before, now, afterwards
        double q[16], v[12], theta[12], la[8] = {0.0};
        for (int i = 0; i < 12; ++i) {
            const double t = (n - 1) * h;
            theta[i] = t * dal_model_v0(m)[i] + 0.5 * t * t * vd[i];
            v[i] = dal_model_v0(m)[i] + t * vd[i];
        }
        dal_retract(sys->group, q, dal_model_q0(m), theta);
        check_ok(ctx, dal_model_outputs(m, NULL, y[n], &(dal_point){0.0, q, v, vd, la}));
    }
    for (size_t k = 0; k < LEN(which); ++k) {
        const size_t at = 3 * k;
        assert_near(y[1][at + 1], (y[2][at] - y[0][at]) / (2.0 * h), 1e-8);
        assert_near(y[1][at + 2], (y[2][at + 1] - y[0][at + 1]) / (2.0 * h), 1e-8);
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* Below the centre of a sphere; at the lowest point of the rim of a disk with axis n. */
static void contact_points_are_where_wheels_touch(void **state)
{
    const double e[3] = {0.6, 0.8, 0.0}, angle = 1.1, r = 0.3;
    double R[9];
    rodrigues(R, e, angle);
    const double *n = R + 6, c = n[2], rim = sqrt(1.0 - c * c);
    const double want[2][3] = {{1.0, 2.0, 0.3 - r},
                               {1.0 + r * c * n[0] / rim, 2.0 + r * c * n[1] / rim, 0.3 - r * (1.0 - c * c) / rim}};
    for (int disk = 0; disk < 2; ++disk) {
        dal_ctx *ctx = check_ctx();
        dal_model *m;
        const dal_system *sys;
        const dal_body b = {.name = "b",
                            .mass = 1.0,
                            .inertia = {1.0, 1.0, 1.0},
                            .position = {1.0, 2.0, 0.3},
                            .rotation = {cos(0.55), 0.6 * sin(0.55), 0.8 * sin(0.55), 0.0}};
        const dal_joint j = {.name = "j", .type = disk ? "rolling_disk" : "rolling_sphere", .body_b = 1, .radius = r};
        const dal_output o = {.name = "o", .quantity = "contact_point", .joint = "j"};
        double y[3], zero[8] = {0.0};
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
        check_ok(ctx, dal_model_add_joint(m, NULL, &j));
        check_ok(ctx, dal_model_add_output(m, NULL, &o));
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_model_outputs(m, NULL, y, &(dal_point){0.0, dal_model_q0(m), zero, zero, zero}));
        assert_all_near(y, want[disk], 3, 1e-14);
        dal_model_destroy(m);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_of_every_type_of_body_are_those_of_its_pose),
        cmocka_unit_test(quaternions_of_planar_bodies_do_not_jump),
        cmocka_unit_test(coordinates_of_joints_and_their_rates_are_derivatives),
        cmocka_unit_test(contact_points_are_where_wheels_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
