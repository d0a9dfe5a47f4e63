/* Bodies in other coordinates: what is kept of S between evaluations, and the rotation of three angles. */
#include <math.h>
#include <string.h>

#include "mbs/body_kernel.h"
#include "random_model.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { MOST = 512 };

/* Blocks of M and B in the order in which they come. */
typedef struct record {
    dal_sink sink;
    const dal_system *sys;
    int nM, nB;
    double M[MOST], B[MOST];
} record;

static void keep_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    record *r = (record *)sink;
    const dal_pair p = r->sys->pair[pair];
    const int n = r->sys->group->factor[p.i].nv * r->sys->group->factor[p.j].nv;
    (void)C, (void)K;
    for (int i = 0; M && i < n && r->nM < MOST; ++i) {
        r->M[r->nM++] = M[i];
    }
}

static void keep_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    record *r = (record *)sink;
    const dal_link l = r->sys->link[link];
    const int n = r->sys->constraint[l.c].nrows * r->sys->group->factor[l.j].nv;
    (void)Z;
    for (int i = 0; B && i < n && r->nB < MOST; ++i) {
        r->B[r->nB++] = B[i];
    }
}

static void no_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    (void)sink, (void)link, (void)Aq, (void)Av;
}

static void no_force(dal_sink *sink, int link, const double *G)
{
    (void)sink, (void)link, (void)G;
}

static void tangent_of(record *r, dal_ctx *ctx, dal_data *data, unsigned wants, const dal_point *at)
{
    *r = (record){
        .sink = {.wants = wants, .pair = keep_pair, .link = keep_link, .link_acc = no_acc, .link_force = no_force},
        .sys = dal_data_system(data)};
    check_ok(ctx, dal_data_tangent(data, &r->sink, at));
}

/* A body of a type, off its centre of mass, on a joint. */
static const dal_system *hang(dal_ctx *ctx, dal_model **m, check_rng *rng, const char *type)
{
    const dal_system *sys;
    const int planar = strncmp(type, "planar", 6) == 0;
    const dal_body b = random_body(rng, "b", type);
    check_ok(ctx, dal_model_create(m, ctx));
    check_ok(ctx, dal_model_add_body(*m, NULL, &b));
    const dal_joint j = {.name = "j",
                         .type = planar                       ? "planar_revolute"
                                 : strcmp(type, "point") == 0 ? "point_on_plane"
                                                              : "spherical",
                         .body_b = 1,
                         .frame_b = planar ? (dal_frame){.position = {0.3, -0.2, 0.0}} : frame_on(rng, type)};
    check_ok(ctx, dal_model_add_joint(*m, NULL, &j));
    check_ok(ctx, dal_model_compile(*m, &sys));
    return sys;
}

static const unsigned all = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A;

/* M and B alone, or with the derivatives of S, or after a residual: the same bits, wherever the body was before. */
static void mass_and_rows_do_not_depend_on_what_is_asked_with_them(void **state)
{
    static const char *const type[] = {
        "r3so3",      "se3",  "euler_parameters", "euler_parameters_textbook", "cardan", "rotation_vector", "planar",
        "planar_se2", "point"};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    for (size_t k = 0; k < LEN(type); ++k) {
        dal_model *m;
        dal_data *data, *fresh;
        record alone, whole, again;
        double q[2][8], v[8], vd[8], theta[8], la[4] = {0.3, -0.1, 0.7, 0.2}, r[8];
        const dal_system *sys = hang(ctx, &m, &rng, type[k]);
        check_ok(ctx, dal_data_create(&data, ctx, sys));
        memcpy(q[0], dal_model_q0(m), (size_t)sys->group->nq * sizeof(double));
        check_normals(&rng, v, 8);
        check_normals(&rng, vd, 8);
        check_normals(&rng, theta, 8);
        dal_retract(sys->group, q[1], q[0], theta);
        for (int i = 0; i < 2; ++i) {
            const dal_point at = {0.0, q[i], v, vd, la}, before = {0.0, q[1 - i], vd, v, la};
            tangent_of(&whole, ctx, data, all, &before);
            tangent_of(&alone, ctx, data, DAL_WANT_M | DAL_WANT_B, &at);
            tangent_of(&whole, ctx, data, all, &at);
            check_ok(ctx, dal_data_residual(data, &(dal_residual){.r = r}, &before));
            check_ok(ctx, dal_data_residual(data, &(dal_residual){.r = r}, &at));
            tangent_of(&again, ctx, data, DAL_WANT_M | DAL_WANT_B, &at);
            assert_true(alone.nM > 0 && alone.nB > 0);
            assert_int_equal(alone.nM, again.nM);
            assert_memory_equal(alone.M, again.M, (size_t)alone.nM * sizeof(double));
            assert_memory_equal(alone.B, again.B, (size_t)alone.nB * sizeof(double));
            assert_memory_equal(alone.M, whole.M, (size_t)alone.nM * sizeof(double));
            assert_memory_equal(alone.B, whole.B, (size_t)alone.nB * sizeof(double));
            check_ok(ctx, dal_data_create(&fresh, ctx, sys));
            tangent_of(&again, ctx, fresh, all, &at);
            assert_memory_equal(alone.M, again.M, (size_t)alone.nM * sizeof(double));
            assert_memory_equal(alone.B, again.B, (size_t)alone.nB * sizeof(double));
            dal_data_destroy(fresh);
        }
        // all tangents against differences, the mass matrix against the energy
        dal_tangent_report report;
        check_ok(ctx, dal_system_check(ctx, sys, &report, &(dal_point){0.0, q[0], v, vd, la}, 1e-6));
        dal_data_destroy(data);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

/* Three different axes, or the first one again. */
static void the_matrix_of_three_angles_is_that_of_their_quaternion(void **state)
{
    check_rng rng = check_rng_seed(8);
    for (int k = 0; k < 27; ++k) {
        const int axis[3] = {k / 9, k / 3 % 3, k % 3};
        if (axis[0] == axis[1] || axis[1] == axis[2]) {
            continue;
        }
        mb_state s;
        double q[6], v[6], vd[6], S[9], p[4], want[9], e[3] = {0.0};
        check_normals(&rng, q, 6);
        check_normals(&rng, v, 6);
        check_normals(&rng, vd, 6);
        body_cardan_axes(&s, S, axis, q, v, vd);
        body_angle_quaternion(p, axis, q + 3);
        quat_matrix(want, p);
        for (int i = 0; i < 9; ++i) {
            assert_near(s.R[i], want[i], 2e-15);
        }
        // the first axis is fixed in the world, the last one in the body
        e[axis[0]] = 1.0;
        tmul3(want, s.R, e);
        for (int i = 0; i < 3; ++i) {
            assert_near(S[i], want[i], 2e-15);
            assert_near(S[6 + i], i == axis[2] ? 1.0 : 0.0, 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_rows_do_not_depend_on_what_is_asked_with_them),
        cmocka_unit_test(the_matrix_of_three_angles_is_that_of_their_quaternion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
