/* States and errors of the library's methods at the end of a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "figures.h"
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

dal_status figure_problem(problem *p, dal_ctx *ctx, const char *name)
{
    return strcmp(name, "top") == 0          ? problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3)
           : strcmp(name, "topse3") == 0     ? problem_heavy_top(p, ctx, HEAVY_TOP_SE3)
           : strcmp(name, "disk") == 0       ? problem_rolling_disk(p, ctx, 1)
           : strcmp(name, "rotor") == 0      ? problem_rotor(p, ctx, 0)
           : strcmp(name, "top_damped") == 0 ? make_damped(p, ctx)
                                             : make_rod(p, ctx);
}

/* ---- runs -------------------------------------------------------------------------------------- */

typedef struct end {
    double q[8], v[8], la[8];
} end;

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

/* Steps w_i = 1 + a sin(2 pi i/20), the first ones equal, scaled to end at t. */
static run run_wave(const problem *p, const json_t *entry, double T, const char *set)
{
    enum { MOST = 400 };
    static double t[MOST], h[MOST];
    const int n = (int)figure_number(entry, "n");
    const int k = (int)figure_number(entry, "order");
    const double a = figure_number(entry, "amplitude");
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

static end end_of(const problem *p, const run *r)
{
    end e = {{0}, {0}, {0}};
    memcpy(e.q, r->q + (r->n - 1) * p->nq, (size_t)p->nq * sizeof(double));
    memcpy(e.v, r->v + (r->n - 1) * p->nv, (size_t)p->nv * sizeof(double));
    memcpy(e.la, r->la + (r->n - 1) * p->nc, (size_t)p->nc * sizeof(double));
    turn_reaction(p, &e);
    return e;
}

/* Half of v M v and the weight, by its height. */
static double energy_of(const problem *p, const end *e)
{
    double M[64], sum = 0.0;
    check_ok(p->ctx, p->dense.M(M, 0.0, e->q, p->dense.user));
    for (int i = 0; i < p->nv; ++i) {
        for (int j = 0; j < p->nv; ++j) {
            sum += 0.5 * e->v[i] * M[i + p->nv * j] * e->v[j];
        }
    }
    const double weight = strncmp(p->name, "high", 4) == 0 || strstr(p->name, "rotor") ? 0.0 : 9.81 * M[0];
    return sum + weight * e->q[p->nq == 2 ? 1 : 2];
}

static run run_entry(const problem *p, const json_t *entry)
{
    char options[256];
    const char *set = figure_text(entry, "set");
    const int steps = json_object_get(entry, "n") != NULL;
    const double t = figure_number(entry, "t");
    snprintf(options, sizeof options, "%s%s h=%.17g", strstr(set, "formulation") ? "" : "formulation=default ", set,
             steps ? 1e-3 : figure_number(entry, "h"));
    run r = steps ? run_wave(p, entry, t, options) : run_problem(p, t, options);
    check_ok(p->ctx, r.status);
    return r;
}

void figure_state(dal_ctx *ctx, const json_t *entry)
{
    problem p;
    end e = {{0}, {0}, {0}};
    double size = 0.0, speed = 1.0;
    check_ok(ctx, figure_problem(&p, ctx, figure_text(entry, "case")));
    run r = run_entry(&p, entry);
    const end is = end_of(&p, &r);
    for (int i = 0; i < p.nq; ++i) {
        e.q[i] = figure_item(entry, "q", i);
    }
    for (int i = 0; i < p.nv; ++i) {
        e.v[i] = figure_item(entry, "v", i);
        speed = fmax(speed, 1e-3 * fabs(e.v[i])); // of the rotor 2e4
    }
    for (int i = 0; i < p.nc; ++i) {
        e.la[i] = figure_item(entry, "la", i);
        size = fmax(size, fabs(e.la[i]));
    }
    figure_compare(entry, "q off", distance(is.q, e.q, p.nq, p.nq == 7), 0.0, figure_tolerance(entry, "q"));
    figure_compare(entry, "v off", distance(is.v, e.v, p.nv, 0), 0.0, figure_tolerance(entry, "v") * speed);
    figure_compare(entry, "la off", distance(is.la, e.la, p.nc, 0), 0.0, figure_tolerance(entry, "la") * size);
    if (json_object_get(entry, "energy")) {
        figure_expect(entry, "energy", energy_of(&p, &is),
                      figure_tolerance(entry, "energy") * fmax(1.0, fabs(figure_number(entry, "energy"))));
    }
    run_free(&r);
    problem_free(&p);
}

/* Rounding stays rounding; what is more has the order of magnitude. */
static void compare_magnitude(const json_t *entry, const char *name, double is)
{
    const double should = figure_number(entry, name), factor = figure_tolerance(entry, "factor");
    if (!isnan(should)) {
        print_message("%s: %s %.2e, here %.2e\n", figure_text(entry, "id"), name, should, is);
        figure_true(entry, name, should < 1e-11 ? is < 1e-10 : is < factor * should && is > should / factor);
    }
}

void figure_consistent(double *la, const problem *p, const double *q, const double *v)
{
    enum { MOST = 16 };
    double A[MOST * MOST] = {0.0}, x[MOST], M[64], B[64], g[8], w[8];
    const double nothing[8] = {0.0};
    const int nv = p->nv, nc = p->nc, n = nv + nc;
    check_ok(p->ctx, p->dense.M(M, 0.0, q, p->dense.user));
    check_ok(p->ctx, p->dense.B(B, 0.0, q, p->dense.user));
    check_ok(p->ctx, p->dense.g(g, 0.0, q, v, nothing, p->dense.user));
    check_ok(p->ctx, p->dense.acc(w, 0.0, q, v, p->dense.user));
    for (int j = 0; j < nv; ++j) {
        for (int i = 0; i < nv; ++i) {
            A[i + n * j] = M[i + nv * j];
        }
        for (int i = 0; i < nc; ++i) {
            A[nv + i + n * j] = A[j + n * (nv + i)] = B[i + nc * j];
        }
        x[j] = -g[j];
    }
    for (int i = 0; i < nc; ++i) {
        x[nv + i] = -w[i];
    }
    figure_solve(x, A, n);
    memcpy(la, x + nv, (size_t)nc * sizeof *x);
}

void figure_errors(dal_ctx *ctx, const json_t *entry)
{
    problem p;
    check_ok(ctx, figure_problem(&p, ctx, figure_text(entry, "case")));
    run r = run_entry(&p, entry);
    const json_t *errors = json_object_get(entry, "errors");
    const double part = figure_tolerance(entry, "errors"), t = figure_number(entry, "t");
    end is = end_of(&p, &r), e = exact_end(&p, t);
    turn_reaction(&p, &e);
    const double q = figure_number(errors, "q"), v = figure_number(errors, "v"), la = figure_number(errors, "la"),
                 other = figure_number(errors, "la_consistent");
    figure_compare(entry, "q", distance(is.q, e.q, p.nq, p.nq == 7), q, part * q);
    figure_compare(entry, "v", distance(is.v, e.v, p.nv, 0), v, part * v);
    figure_compare(entry, "la", distance(is.la, e.la, p.nc, 0), la, part * la + 1e-9);
    if (!isnan(other)) {
        figure_consistent(is.la, &p, is.q, is.v);
        figure_compare(entry, "la_consistent", distance(is.la, e.la, p.nc, 0), other, part * other);
    }
    double Phi[8] = {0.0}, B[64] = {0.0}, Bv[8] = {0.0};
    check_ok(ctx, p.dense.Phi(Phi, t, is.q, p.dense.user));
    check_ok(ctx, p.dense.B(B, t, is.q, p.dense.user));
    for (int i = 0; i < p.nc; ++i) {
        for (int j = 0; j < p.nv; ++j) {
            Bv[i] += B[i + p.nc * j] * is.v[j];
        }
    }
    compare_magnitude(entry, "Phi", dal_max_abs(Phi, p.nc - p.dense.nn));
    compare_magnitude(entry, "Bv", dal_max_abs(Bv, p.nc));
    run_free(&r);
    problem_free(&p);
}

/* Backward differences at index 3 begin with errors of lambda that are gone after k + 1 steps; the first two steps are the start. */
void figure_transient(dal_ctx *ctx, const json_t *entry)
{
    enum { STEPS = 12 };
    problem p;
    char options[96];
    double t[STEPS], la[3 * STEPS];
    const double h = figure_number(entry, "h");
    check_ok(ctx, figure_problem(&p, ctx, figure_text(entry, "case")));
    snprintf(options, sizeof options, "%s h=%g", figure_text(entry, "set"), h);
    run r = run_good(&p, STEPS * h, options);
    for (int i = 0; i < STEPS; ++i) {
        t[i] = (i + 1) * h;
    }
    problem_exact(&p, NULL, NULL, NULL, la, t, STEPS);
    for (int i = 2; i < STEPS; ++i) {
        const double should = figure_item(entry, "la_errors", i);
        figure_compare(entry, "la", distance(r.la + 3 * (i + 1), la + 3 * i, 3, 0), should,
                       figure_tolerance(entry, "errors") * should);
    }
    run_free(&r);
    problem_free(&p);
}
