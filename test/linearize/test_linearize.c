/* Linearisations of random models: every matrix against differences of the residual, names, combinations and solves with
 * them, and no allocation in an evaluation. */
#include <math.h>
#include <string.h>

#include "dalembert/linearize.h"
#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "support/check.h"

enum { MAX = 64, ALL = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_G | DAL_WANT_BT };

/* A model, its system and a random state near the initial one. */
typedef struct trial {
    dal_model *model;
    const dal_system *sys;
    int nv, nc;
    double q[2 * MAX], v[MAX], vd[MAX], la[MAX];
    dal_point at;
} trial;

static dal_body random_body(check_rng *rng, const char *name, const char *type)
{
    dal_body b = {.name = name, .type = type, .mass = check_uniform(rng, 0.5, 2.0)};
    for (int i = 0; i < 3; ++i) {
        b.inertia[i] = check_uniform(rng, 1.0, 2.0);
        b.com[i] = check_uniform(rng, -0.3, 0.3);
        b.position[i] = check_normal(rng);
    }
    check_quaternion(rng, b.rotation);
    return b;
}

/* Four bodies in a row with joints of different kinds, a loop closed by a distance, a spring, a wheel, friction. */
static void make_model(dal_model *m, dal_ctx *ctx, check_rng *rng)
{
    static const char *const name[4] = {"a", "b", "c", "d"}, *const type[4] = {"r3so3", "se3", "r3so3", "point"};
    static const double gravity[3] = {1.0, -2.0, -9.81};
    dal_joint joints[] = {{.name = "pin", .type = "revolute"},
                          {.name = "ball", .type = "spherical", .body_a = 1, .body_b = 2},
                          {.name = "rail", .type = "prismatic", .body_a = 2, .body_b = 3},
                          {.name = "rod", .type = "distance", .length = 1.3, .body_a = 3, .body_b = 4},
                          {.name = "edge", .type = "knife_edge", .body_b = 2}};
    joints[0].body_b = 1;
    check_ok(ctx, dal_model_set_gravity(m, gravity));
    for (int i = 0; i < 4; ++i) {
        dal_body b = random_body(rng, name[i], type[i]);
        if (i == 3) {
            memset(b.inertia, 0, sizeof b.inertia);
            memset(b.com, 0, sizeof b.com);
        }
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
    }
    for (size_t k = 0; k < LEN(joints); ++k) {
        check_normals(rng, joints[k].frame_a.position, 3);
        check_normals(rng, joints[k].frame_b.position, 3);
        check_quaternion(rng, joints[k].frame_a.rotation);
        check_quaternion(rng, joints[k].frame_b.rotation);
        if (k == 3) {
            memset(joints[k].frame_b.position, 0, sizeof joints[k].frame_b.position);
        }
        check_ok(ctx, dal_model_add_joint(m, NULL, &joints[k]));
    }
    const dal_force forces[] = {{.name = "spring",
                                 .type = "spring",
                                 .body_a = 1,
                                 .body_b = 4,
                                 .stiffness = 20.0,
                                 .damping = 0.7,
                                 .reference = 0.4},
                                {.name = "friction", .type = "friction", .joint = "rail", .mu = 0.3, .slip = 0.5}};
    for (size_t k = 0; k < LEN(forces); ++k) {
        check_ok(ctx, dal_model_add_force(m, NULL, &forces[k]));
    }
}

static void set_up(trial *T, dal_ctx *ctx, unsigned long seed)
{
    check_rng rng = check_rng_seed(seed);
    double theta[MAX];
    check_ok(ctx, dal_model_create(&T->model, ctx));
    make_model(T->model, ctx, &rng);
    check_ok(ctx, dal_model_compile(T->model, &T->sys));
    T->nv = T->sys->group->nv;
    T->nc = dal_system_rows(T->sys);
    assert_true(T->nv <= MAX && T->nc <= MAX);
    check_normals(&rng, theta, T->nv);
    dal_retract(T->sys->group, T->q, dal_model_q0(T->model), theta);
    check_normals(&rng, T->v, T->nv);
    check_normals(&rng, T->vd, T->nv);
    check_normals(&rng, T->la, T->nc);
    T->at = (dal_point){0.3, T->q, T->v, T->vd, T->la};
}

static void to_dense(double *D, const dal_sparse *A)
{
    memset(D, 0, (size_t)(A->nrows * A->ncols) * sizeof *D);
    for (int j = 0; j < A->ncols; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            assert_true(A->row[k] >= 0 && A->row[k] < A->nrows);
            assert_true(k == A->colptr[j] || A->row[k] > A->row[k - 1]);
            D[A->row[k] + j * A->nrows] += A->x[k];
        }
    }
}

/* D: central differences of r (or vel) with respect to what, 'q', 'v', 'd' (v') or 'l' (lambda). */
static void differences(double *D, dal_ctx *ctx, const trial *T, int rows, char what)
{
    const double h = 1e-6;
    const int n = what == 'l' ? T->nc : T->nv, m = rows ? T->nc : T->nv;
    dal_data *data;
    check_ok(ctx, dal_data_create(&data, ctx, T->sys));
    for (int j = 0; j < n; ++j) {
        double f[2][MAX];
        for (int side = 0; side < 2; ++side) {
            trial s = *T;
            double theta[MAX] = {0.0};
            const double step = side ? h : -h;
            theta[j] = step;
            if (what == 'q') {
                dal_retract(T->sys->group, s.q, T->q, theta);
            } else {
                (what == 'v' ? s.v : what == 'd' ? s.vd : s.la)[j] += step;
            }
            const dal_point at = {T->at.t, s.q, s.v, s.vd, s.la};
            const dal_residual out = {.r = rows ? NULL : f[side], .vel = rows ? f[side] : NULL};
            check_ok(ctx, dal_data_residual(data, &out, &at));
        }
        for (int i = 0; i < m; ++i) {
            D[i + j * m] = (f[1][i] - f[0][i]) / (2.0 * h);
        }
    }
    dal_data_destroy(data);
}

static void matrices_are_derivatives_of_the_residual(void **state)
{
    static const struct {
        unsigned matrix;
        int rows;
        char what;
    } all[] = {{DAL_WANT_M, 0, 'd'}, {DAL_WANT_C, 0, 'v'}, {DAL_WANT_K, 0, 'q'},
               {DAL_WANT_B, 1, 'v'}, {DAL_WANT_Z, 1, 'q'}, {DAL_WANT_G, 0, 'l'}};
    static double given[MAX * MAX], want[MAX * MAX], BT[MAX * MAX];
    dal_ctx *ctx = check_ctx();
    for (unsigned long seed = 1; seed <= 5; ++seed) {
        trial T;
        dal_linearization *lin;
        set_up(&T, ctx, seed);
        check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, ALL));
        check_ok(ctx, dal_linearize_at(lin, &T.at));
        to_dense(BT, dal_linearize_matrix(lin, DAL_WANT_BT));
        for (size_t k = 0; k < LEN(all); ++k) {
            const dal_sparse *A = dal_linearize_matrix(lin, all[k].matrix);
            assert_int_equal(A->nrows, all[k].rows ? T.nc : T.nv);
            assert_int_equal(A->ncols, all[k].what == 'l' ? T.nc : T.nv);
            to_dense(given, A);
            differences(want, ctx, &T, all[k].rows, all[k].what);
            const int n = A->nrows * A->ncols;
            for (int i = 0; i < n; ++i) {
                given[i] += all[k].what == 'l' ? BT[i] : 0.0; // dr/dlambda = B^T + G
            }
            assert_all_near(given, want, n, 1e-7 * (1.0 + check_max_abs(want, n)));
            for (int i = 0; i < n && all[k].matrix == DAL_WANT_B; ++i) {
                assert_true(given[i] == BT[i / T.nc + i % T.nc * T.nv]);
            }
        }
        dal_linearize_destroy(lin);
        dal_model_destroy(T.model);
    }
    check_ctx_free(ctx);
}

static void only_what_was_asked_for_is_there(void **state)
{
    dal_ctx *ctx = check_ctx();
    trial T;
    dal_linearization *lin, *all;
    set_up(&T, ctx, 7);
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, DAL_WANT_K | DAL_WANT_BT));
    check_ok(ctx, dal_linearize_create(&all, ctx, T.sys, NULL, ALL));
    // twice: nothing is left of the point before
    check_ok(ctx, dal_linearize_at(lin, &(dal_point){0.0, T.q, T.vd, T.v, T.la}));
    check_ok(ctx, dal_linearize_at(lin, &T.at));
    check_ok(ctx, dal_linearize_at(all, &T.at));
    assert_null(dal_linearize_matrix(lin, DAL_WANT_M));
    assert_null(dal_linearize_matrix(lin, DAL_WANT_B));
    assert_null(dal_linearize_matrix(lin, DAL_WANT_K | DAL_WANT_BT));
    static const unsigned both[] = {DAL_WANT_K, DAL_WANT_BT};
    for (size_t k = 0; k < LEN(both); ++k) {
        const dal_sparse *A = dal_linearize_matrix(lin, both[k]), *B = dal_linearize_matrix(all, both[k]);
        assert_int_equal(A->colptr[A->ncols], B->colptr[B->ncols]);
        assert_memory_equal(A->x, B->x, (size_t)A->colptr[A->ncols] * sizeof *A->x);
    }
    dal_linearize_destroy(lin);
    check_fails(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, DAL_WANT_M | DAL_WANT_A), DAL_EINVAL, "bit 32");
    assert_null(lin);
    dal_data *data;
    dal_system other = *T.sys;
    check_ok(ctx, dal_data_create(&data, ctx, &other));
    check_fails(ctx, dal_linearize_create(&lin, ctx, T.sys, data, ALL), DAL_EINVAL, "another system");
    dal_data_destroy(data);
    dal_linearize_destroy(all);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

static void rows_and_columns_have_the_names_of_the_system(void **state)
{
    dal_ctx *ctx = check_ctx();
    trial T;
    dal_linearization *lin;
    char got[96], velocity[96], row[96];
    set_up(&T, ctx, 8);
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, ALL));
    T.sys->names.velocity(velocity, sizeof velocity, 7, T.sys->user);
    T.sys->names.row(row, sizeof row, 7, T.sys->user);
    assert_string_not_equal(velocity, row);
    static const unsigned velocity_rows[] = {DAL_WANT_M, DAL_WANT_C, DAL_WANT_K, DAL_WANT_G, DAL_WANT_BT};
    static const unsigned velocity_columns[] = {DAL_WANT_M, DAL_WANT_C, DAL_WANT_K, DAL_WANT_B, DAL_WANT_Z};
    for (size_t k = 0; k < LEN(velocity_rows); ++k) {
        dal_linearize_row_name(lin, got, sizeof got, velocity_rows[k], 7);
        assert_string_equal(got, velocity);
        dal_linearize_column_name(lin, got, sizeof got, velocity_columns[k], 7);
        assert_string_equal(got, velocity);
    }
    for (int k = 0; k < 2; ++k) {
        dal_linearize_row_name(lin, got, sizeof got, k ? DAL_WANT_B : DAL_WANT_Z, 7);
        assert_string_equal(got, row);
        dal_linearize_column_name(lin, got, sizeof got, k ? DAL_WANT_G : DAL_WANT_BT, 7);
        assert_string_equal(got, row);
    }
    dal_linearize_row_name(lin, got, sizeof got, DAL_WANT_B, T.nc);
    assert_string_equal(got, "");
    dal_linearize_row_name(lin, got, sizeof got, DAL_WANT_A, 0);
    assert_string_equal(got, "");
    dal_linearize_column_name(lin, got, sizeof got, DAL_WANT_B, -1);
    assert_string_equal(got, "");
    dal_linearize_destroy(lin);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

/* (CS.8) as a dense matrix, from the matrices one by one. */
static void bordered(double *D, const dal_linearization *lin, double m, double c, double k)
{
    static double part[MAX * MAX];
    static const unsigned pairs[] = {DAL_WANT_M, DAL_WANT_C, DAL_WANT_K};
    const double scale[] = {m, c, k};
    const dal_sparse *B = dal_linearize_matrix(lin, DAL_WANT_B), *G = dal_linearize_matrix(lin, DAL_WANT_G);
    const int nv = B->ncols, nc = B->nrows, n = nv + nc;
    memset(D, 0, (size_t)(n * n) * sizeof *D);
    for (int p = 0; p < 3; ++p) {
        to_dense(part, dal_linearize_matrix(lin, pairs[p]));
        for (int i = 0; i < nv * nv; ++i) {
            D[i % nv + i / nv * n] += scale[p] * part[i];
        }
    }
    to_dense(part, B);
    for (int i = 0; i < nc * nv; ++i) {
        D[nv + i % nc + i / nc * n] = part[i];
        D[i / nc + (nv + i % nc) * n] = part[i];
    }
    to_dense(part, G);
    for (int i = 0; i < nv * nc; ++i) {
        D[i % nv + (nv + i / nv) * n] += part[i];
    }
}

/* y = D x or D^T x */
static void times(double *y, const double *D, const double *x, int n, int transposed)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            y[i] += (transposed ? D[j + i * n] : D[i + j * n]) * x[j];
        }
    }
}

static void combinations_are_solved_and_so_are_their_transposes(void **state)
{
    static const dal_linsol_kind kinds[] = {DAL_LINSOL_AUTO,  DAL_LINSOL_SMALL,   DAL_LINSOL_SPARSE,
                                            DAL_LINSOL_BLOCK, DAL_LINSOL_FRONTAL, DAL_LINSOL_DENSE};
    static double D[4 * MAX * MAX];
    dal_ctx *ctx = check_ctx();
    trial T;
    dal_linearization *lin;
    set_up(&T, ctx, 9);
    const int n = T.nv + T.nc;
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, ALL));
    check_ok(ctx, dal_linearize_at(lin, &T.at));
    bordered(D, lin, 2.0, -0.3, 0.05);
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_linsol *ls;
        double x[2 * MAX], b[2 * MAX];
        check_rng rng = check_rng_seed(k);
        check_ok(ctx, dal_linearize_solver(&ls, lin, kinds[k]));
        check_ok(ctx, dal_linearize_combine(ls, lin, 1.0, 1.0, 1.0));
        check_ok(ctx, dal_linearize_combine(ls, lin, 2.0, -0.3, 0.05));
        check_ok(ctx, dal_linsol_factor(ls));
        const double tol = 1e-15 * n / dal_linsol_rcond(ls);
        for (int transposed = 0; transposed < 2; ++transposed) {
            check_normals(&rng, x, n);
            times(b, D, x, n, transposed);
            (transposed ? dal_linsol_solve_transposed : dal_linsol_solve_refined)(ls, b);
            assert_all_near(b, x, n, tol);
        }
        dal_linsol_destroy(ls);
    }
    dal_linearize_destroy(lin);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

static void a_combination_needs_its_matrices_and_its_solver(void **state)
{
    dal_ctx *ctx = check_ctx();
    trial T;
    dal_linearization *lin;
    dal_linsol *ls, *other;
    dal_pattern *pattern;
    set_up(&T, ctx, 10);
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, DAL_WANT_M | DAL_WANT_B));
    check_ok(ctx, dal_linearize_at(lin, &T.at));
    check_ok(ctx, dal_linearize_solver(&ls, lin, DAL_LINSOL_AUTO));
    check_ok(ctx, dal_linearize_combine(ls, lin, 1.0, 0.0, 0.0));
    check_fails(ctx, dal_linearize_combine(ls, lin, 1.0, 0.1, 0.0), DAL_EINVAL, "C is used");
    check_fails(ctx, dal_linearize_combine(ls, lin, 0.0, 0.0, 1.0), DAL_EINVAL, "K is used");
    check_ok(ctx, dal_pattern_create(&pattern, ctx, T.nv + T.nc));
    check_ok(ctx, dal_pattern_block(pattern, 0, 0, T.nv + T.nc, T.nv + T.nc));
    check_ok(ctx, dal_linsol_create(&other, ctx, pattern, DAL_LINSOL_AUTO));
    check_fails(ctx, dal_linearize_combine(other, lin, 1.0, 0.0, 0.0), DAL_EINVAL, "dal_linearize_solver");
    dal_linearize_destroy(lin);
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, DAL_WANT_M));
    check_fails(ctx, dal_linearize_combine(ls, lin, 1.0, 0.0, 0.0), DAL_EINVAL, "B is used");
    dal_linsol_destroy(other);
    dal_linsol_destroy(ls);
    dal_pattern_destroy(pattern);
    dal_linearize_destroy(lin);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

/* ---- a dense system: tangents by differences, no constraints ---------------------------------- */

static dal_status unit_mass(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

/* r = v' + (3 v_2, q_1 q_2) */
static dal_status force(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    g[0] = 3.0 * v[1];
    g[1] = q[0] * q[1];
    return DAL_OK;
}

static void a_system_without_tangents_and_constraints_is_linearised_too(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    const double q[2] = {2.0, -5.0}, zero[2] = {0.0, 0.0};
    dal_group *group;
    dal_system *sys;
    dal_linearization *lin;
    dal_linsol *ls;
    double D[4], b[2] = {1.0, 0.0};
    check_ok(ctx, dal_group_create(&group, ctx, &spec, 1));
    check_ok(ctx, dal_dense_create(&sys, ctx, &(dal_dense){.group = group, .M = unit_mass, .g = force}));
    check_ok(ctx, dal_linearize_create(&lin, ctx, sys, NULL, ALL));
    check_ok(ctx, dal_linearize_at(lin, &(dal_point){0.0, q, zero, zero, zero}));
    to_dense(D, dal_linearize_matrix(lin, DAL_WANT_C));
    assert_all_near(D, ((double[]){0.0, 0.0, 3.0, 0.0}), 4, 1e-8);
    to_dense(D, dal_linearize_matrix(lin, DAL_WANT_K));
    assert_all_near(D, ((double[]){0.0, -5.0, 0.0, 2.0}), 4, 1e-8);
    assert_int_equal(dal_linearize_matrix(lin, DAL_WANT_B)->nrows, 0);
    assert_int_equal(dal_linearize_matrix(lin, DAL_WANT_G)->ncols, 0);
    // (M + C)^T x = b: x = (1, -3)
    check_ok(ctx, dal_linearize_solver(&ls, lin, DAL_LINSOL_AUTO));
    check_ok(ctx, dal_linearize_combine(ls, lin, 1.0, 1.0, 0.0));
    check_ok(ctx, dal_linsol_factor(ls));
    dal_linsol_solve_transposed(ls, b);
    assert_all_near(b, ((double[]){1.0, -3.0}), 2, 1e-8);
    dal_linsol_destroy(ls);
    dal_linearize_destroy(lin);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

/* A pendulum that hangs by two hinges in one place; the simulation leaves five rows out, the system has all. */
static void a_simulation_is_linearised_at_its_state(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    dal_linearization *lin;
    static double given[MAX * MAX], want[MAX * MAX];
    check_ok(ctx, dal_model_create(&model, ctx));
    check_ok(ctx, dal_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    check_ok(ctx,
             dal_model_add_body(model, NULL,
                                &(dal_body){.name = "a", .mass = 1.0, .inertia = {0.1, 0.1, 0.1}, .position = {1.0}}));
    const dal_joint pin = {.name = "pin", .type = "revolute", .body_b = 1, .frame_b.position = {-1.0}};
    dal_joint again = pin;
    again.name = "again";
    check_ok(ctx, dal_model_add_joint(model, NULL, &pin));
    check_ok(ctx, dal_model_add_joint(model, NULL, &again));
    check_ok(ctx, dal_model_compile(model, &sys));
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    opt.redundant = DAL_REDUNDANT_LEAST_NORM;
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model)));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    check_ok(ctx, dal_linearize_create(&lin, ctx, dal_sim_system(sim), dal_sim_data(sim), ALL));
    const dal_point at = dal_sim_point(sim);
    check_ok(ctx, dal_linearize_at(lin, &at));
    trial T = {.sys = sys, .nv = sys->group->nv, .nc = dal_system_rows(sys)};
    assert_int_equal(T.nc, 10);
    memcpy(T.q, at.q, (size_t)sys->group->nq * sizeof *T.q);
    memcpy(T.v, at.v, (size_t)T.nv * sizeof *T.v);
    memcpy(T.vd, at.vd, (size_t)T.nv * sizeof *T.vd);
    memcpy(T.la, at.la, (size_t)T.nc * sizeof *T.la);
    T.at.t = at.t;
    to_dense(given, dal_linearize_matrix(lin, DAL_WANT_K));
    differences(want, ctx, &T, 0, 'q');
    assert_all_near(given, want, T.nv * T.nv, 1e-7 * (1.0 + check_max_abs(want, T.nv * T.nv)));
    dal_linearize_destroy(lin);
    dal_sim_destroy(sim);
    dal_model_destroy(model);
    check_ctx_free(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void evaluating_and_combining_allocate_nothing(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    trial T;
    dal_linearization *lin;
    dal_linsol *ls;
    set_up(&T, ctx, 11);
    check_ok(ctx, dal_linearize_create(&lin, ctx, T.sys, NULL, ALL));
    check_ok(ctx, dal_linearize_solver(&ls, lin, DAL_LINSOL_BLOCK));
    const long before = alloc.total;
    for (int k = 0; k < 3; ++k) {
        check_ok(ctx, dal_linearize_at(lin, &T.at));
        check_ok(ctx, dal_linearize_combine(ls, lin, 1.0, 0.1, 0.01));
    }
    assert_int_equal(alloc.total, before);
    dal_linsol_destroy(ls);
    dal_linearize_destroy(lin);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

static dal_status linearise(dal_ctx *ctx, void *user)
{
    dal_linearization *lin = NULL;
    dal_linsol *ls = NULL;
    dal_status st = dal_linearize_create(&lin, ctx, user, NULL, ALL);
    if (st == DAL_OK) {
        st = dal_linearize_solver(&ls, lin, DAL_LINSOL_BLOCK);
    }
    dal_linsol_destroy(ls);
    dal_linearize_destroy(lin);
    return st;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    dal_ctx *ctx = check_ctx();
    trial T;
    set_up(&T, ctx, 12);
    dal_system sys = *T.sys;
    assert_true(check_every_allocation(linearise, &sys) >= 5);
    dal_model_destroy(T.model);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_derivatives_of_the_residual),
        cmocka_unit_test(only_what_was_asked_for_is_there),
        cmocka_unit_test(rows_and_columns_have_the_names_of_the_system),
        cmocka_unit_test(combinations_are_solved_and_so_are_their_transposes),
        cmocka_unit_test(a_combination_needs_its_matrices_and_its_solver),
        cmocka_unit_test(a_system_without_tangents_and_constraints_is_linearised_too),
        cmocka_unit_test(a_simulation_is_linearised_at_its_state),
        cmocka_unit_test(evaluating_and_combining_allocate_nothing),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
