/* Figures of an independent program: states and errors of methods on the heavy top (in two charts), a pendulum, the rolling
 * disk and the rotor (test/data/integrators.json). */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/run.h"
#include "problems/problems.h"
#include "support/check.h"

/* ---- cases ------------------------------------------------------------------------------------ */

/* R^2, a point on a rod of 0.5 m: (x.x - L^2)/(2 L) = 0. */
static const double length = 0.5;

static dal_status rod_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status rod_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    g[0] = 0.0;
    g[1] = 9.81;
    return DAL_OK;
}

static dal_status rod_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    Phi[0] = (q[0] * q[0] + q[1] * q[1] - length * length) / (2.0 * length);
    return DAL_OK;
}

static dal_status rod_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    B[0] = q[0] / length;
    B[1] = q[1] / length;
    return DAL_OK;
}

static dal_status rod_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    w[0] = (v[0] * v[0] + v[1] * v[1]) / length;
    return DAL_OK;
}

static dal_status make_rod(problem *p, dal_ctx *ctx)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    *p = (problem){.name = "pendulum", .ctx = ctx, .nq = 2, .nv = 2, .nc = 1, .q0 = {length, 0.0}};
    DAL_TRY(dal_group_create(&p->group, ctx, &spec, 1));
    p->dense =
        (dal_dense){.group = p->group, .nc = 1, .M = rod_M, .g = rod_g, .Phi = rod_Phi, .B = rod_B, .acc = rod_acc};
    return dal_dense_create(&p->sys, ctx, &p->dense);
}

/* The top with a torque -0.5 Omega. */
static dal_status (*top_g)(double *, double, const double *, const double *, const double *, void *);
static dal_status (*top_C)(double *, double, const double *, const double *, const double *, void *);

static dal_status damped_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    DAL_TRY(top_g(g, t, q, v, la, user));
    for (int i = 3; i < 6; ++i) {
        g[i] += 0.5 * v[i];
    }
    return DAL_OK;
}

static dal_status damped_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    DAL_TRY(top_C(C, t, q, v, la, user));
    for (int i = 3; i < 6; ++i) {
        C[7 * i] += 0.5;
    }
    return DAL_OK;
}

static dal_status make_damped(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3));
    top_g = p->dense.g;
    top_C = p->dense.C;
    dal_dense_destroy(p->sys);
    p->dense.g = damped_g;
    p->dense.C = damped_C;
    return dal_dense_create(&p->sys, ctx, &p->dense);
}

static dal_status make_case(problem *p, dal_ctx *ctx, const char *name)
{
    return strcmp(name, "top") == 0          ? problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3)
           : strcmp(name, "topse3") == 0     ? problem_heavy_top(p, ctx, HEAVY_TOP_SE3)
           : strcmp(name, "disk") == 0       ? problem_rolling_disk(p, ctx, 1)
           : strcmp(name, "rotor") == 0      ? problem_rotor(p, ctx, 0)
           : strcmp(name, "top_damped") == 0 ? make_damped(p, ctx)
                                             : make_rod(p, ctx);
}

/* ---- comparison ------------------------------------------------------------------------------- */

typedef struct end {
    double q[8], v[8], la[8];
} end;

static double at(const json_t *array, int i)
{
    return json_number_value(json_array_get(array, (size_t)i));
}

/* Euclidean distance; quaternions, the last four of seven, up to their sign. */
static double distance(const double *a, const double *b, int n, int quaternion)
{
    double sum = 0.0, dot = 1.0;
    if (quaternion) {
        dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
    }
    for (int i = 0; i < n; ++i) {
        const double sign = quaternion && i >= 3 && dot < 0.0 ? -1.0 : 1.0;
        sum += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    }
    return sqrt(sum);
}

/* The figures of the top in SE(3) have its reaction in body axes, not in those of the world. */
static void turn_reaction(const problem *p, end *e)
{
    double R[9], la[3] = {e->la[0], e->la[1], e->la[2]};
    if (p->group->factor[0].type->kind == DAL_FACTOR_SE3) {
        dal_quat_to_matrix(R, e->q + 3);
        for (int i = 0; i < 3; ++i) {
            e->la[i] = R[3 * i] * la[0] + R[3 * i + 1] * la[1] + R[3 * i + 2] * la[2];
        }
    }
}

/* The motion at t by a method of high order: figures of errors are relative to it. */
static end exact_end(const problem *p, double t)
{
    end e;
    if (strcmp(p->name, "pendulum") != 0) {
        problem_exact(p, e.q, e.v, NULL, e.la, &t, 1);
        return e;
    }
    run r = run_good(p, t, "integrator=rk order=8 step=fixed formulation=default h=0.001");
    memcpy(e.q, r.q + (r.n - 1) * p->nq, (size_t)p->nq * sizeof(double));
    memcpy(e.v, r.v + (r.n - 1) * p->nv, (size_t)p->nv * sizeof(double));
    memcpy(e.la, r.la + (r.n - 1) * p->nc, (size_t)p->nc * sizeof(double));
    run_free(&r);
    return e;
}

static void compare_errors(const json_t *entry, const problem *p, const end *is)
{
    const json_t *errors = json_object_get(entry, "errors");
    end e = exact_end(p, json_number_value(json_object_get(entry, "t")));
    turn_reaction(p, &e);
    const double within = json_number_value(json_object_get(entry, "within"));
    const double q = distance(is->q, e.q, p->nq, p->nq == 7), v = distance(is->v, e.v, p->nv, 0),
                 la = distance(is->la, e.la, p->nc, 0);
    print_message("    q %.4e v %.4e la %.4e\n", q, v, la);
    const double qe = json_number_value(json_object_get(errors, "q")),
                 ve = json_number_value(json_object_get(errors, "v")),
                 le = json_number_value(json_object_get(errors, "la"));
    assert_near(q, qe, within * qe);
    assert_near(v, ve, within * ve);
    assert_near(la, le, within * le + 1e-9);
}

static void compare_state(const json_t *entry, const problem *p, const end *is)
{
    end e = {{0}, {0}, {0}};
    const json_t *q = json_object_get(entry, "q"), *v = json_object_get(entry, "v"), *la = json_object_get(entry, "la");
    double size = 0.0, speed = 1.0;
    for (int i = 0; i < p->nq; ++i) {
        e.q[i] = at(q, i);
    }
    for (int i = 0; i < p->nv; ++i) {
        e.v[i] = at(v, i);
        speed = fmax(speed, 1e-3 * fabs(e.v[i]));
    }
    for (int i = 0; i < p->nc; ++i) {
        e.la[i] = at(la, i);
        size = fmax(size, fabs(e.la[i]));
    }
    assert_near(distance(is->q, e.q, p->nq, p->nq == 7), 0.0, 1e-9);
    assert_near(distance(is->v, e.v, p->nv, 0), 0.0, speed * 1e-9);
    assert_near(distance(is->la, e.la, p->nc, 0), 0.0, 1e-8 * size);
}

/* Steps w_i = 1 + a sin(2 pi i/20), the first ones equal, scaled to end at t. */
static run run_wave(const problem *p, const json_t *entry, double T, const char *set)
{
    enum { MOST = 400 };
    static double t[MOST], h[MOST];
    const int n = (int)json_integer_value(json_object_get(entry, "n"));
    const int k = (int)json_integer_value(json_object_get(entry, "order"));
    const double a = json_number_value(json_object_get(entry, "amplitude"));
    double sum = 0.0, now = 0.0;
    for (int i = 0; i < n; ++i) {
        h[i] = 1.0 + a * sin(2.0 * 3.14159265358979323846 * (i < k ? 0 : i) / 20.0);
        sum += h[i];
    }
    for (int i = 0; i < n; ++i) {
        h[i] *= T / sum;
        now = i == n - 1 ? T : now + h[i];
        t[i] = now;
    }
    return run_steps(p, t, h, n, set);
}

static void check_entry(dal_ctx *ctx, const json_t *entry)
{
    const char *set = json_string_value(json_object_get(entry, "set"));
    const char *name = json_string_value(json_object_get(entry, "case"));
    const double t = json_number_value(json_object_get(entry, "t")), h = json_number_value(json_object_get(entry, "h"));
    const int steps = json_object_get(entry, "n") != NULL;
    problem p;
    char options[256];
    check_ok(ctx, make_case(&p, ctx, name));
    snprintf(options, sizeof options, "%s%s h=%.17g", strstr(set, "formulation") ? "" : "formulation=default ", set,
             steps ? 1e-3 : h);
    print_message("%s, %s\n", name, options);
    run r = steps ? run_wave(&p, entry, t, options) : run_problem(&p, t, options);
    check_ok(ctx, r.status);
    end is;
    memcpy(is.q, r.q + (r.n - 1) * p.nq, (size_t)p.nq * sizeof(double));
    memcpy(is.v, r.v + (r.n - 1) * p.nv, (size_t)p.nv * sizeof(double));
    memcpy(is.la, r.la + (r.n - 1) * p.nc, (size_t)p.nc * sizeof(double));
    turn_reaction(&p, &is);
    if (json_object_get(entry, "errors")) {
        compare_errors(entry, &p, &is);
    } else {
        compare_state(entry, &p, &is);
    }
    run_free(&r);
    problem_free(&p);
}

static void check_method(const char *method)
{
    dal_ctx *ctx = check_ctx();
    json_t *file = json_load_file(PROBLEM_DATA_DIR "/integrators.json", 0, NULL);
    const json_t *entries = json_object_get(file, "entries");
    int seen = 0;
    for (size_t i = 0; i < json_array_size(entries); ++i) {
        const json_t *entry = json_array_get(entries, i);
        if (strcmp(json_string_value(json_object_get(entry, "method")), method) == 0) {
            check_entry(ctx, entry);
            seen++;
        }
    }
    assert_true(seen > 0);
    json_decref(file);
    check_ctx_free(ctx);
}

static void backward_differences_have_the_errors_of_another_program(void **state)
{
    check_method("bdf");
}

static void backward_differences_keep_their_order_with_changing_steps(void **state)
{
    check_method("bdf_steps");
}

static void symmetric_lobatto_has_the_states_of_another_program(void **state)
{
    check_method("symmetric");
}

static void rattlie_has_the_states_of_another_program(void **state)
{
    check_method("rattlie");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backward_differences_have_the_errors_of_another_program),
        cmocka_unit_test(backward_differences_keep_their_order_with_changing_steps),
        cmocka_unit_test(symmetric_lobatto_has_the_states_of_another_program),
        cmocka_unit_test(rattlie_has_the_states_of_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
