/* The benchmark systems are what they claim: tangents against differences, consistent initial values, and the
 * accelerations and multipliers of the tables. */
#include <math.h>
#include <string.h>

#include "problems/kkt.h"
#include "problems/problems.h"
#include "problems/table.h"
#include "support/check.h"

enum { N = PROBLEM_MAX, STATES = 4 };

typedef struct state {
    double t, q[N], v[N], vd[N], la[N];
} state;

/* Quantities that are differentiated. */
typedef enum what { PHI, VEL, RESIDUAL, FORCE } what;

static dal_ctx *ctx;

static int set_up(void **unused)
{
    (void)unused;
    ctx = check_ctx();
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    check_ctx_free(ctx);
    return 0;
}

/* A state near the initial one, off the manifold. Velocities have the size of the initial ones. */
static state random_state(const problem *p, check_rng *rng)
{
    state s = {.t = check_uniform(rng, 0.1, 0.9)};
    double d[N], speed = 1.0;
    for (int i = 0; i < p->nv; ++i) {
        d[i] = check_uniform(rng, -0.3, 0.3) * (strcmp(p->name, "andrews") == 0 && (i > 20 || i % 3 < 2) ? 0.05 : 1.0);
        speed = fmax(speed, fabs(p->v0[i]));
    }
    dal_retract(p->group, s.q, p->q0, d);
    for (int i = 0; i < p->nv; ++i) {
        s.v[i] = p->v0[i] + 0.2 * speed * check_normal(rng);
        s.vd[i] = speed * check_normal(rng);
    }
    for (int i = 0; i < p->nc; ++i) {
        s.la[i] = 3.0 * check_normal(rng);
    }
    return s;
}

/* One of the quantities; returns its size. */
static int evaluate(double *out, what w, const problem *p, const state *s)
{
    const dal_dense *d = &p->dense;
    double M[N * N], B[N * N];
    const int nv = p->nv, nc = p->nc;
    if (w == PHI) {
        check_ok(ctx, d->Phi(out, s->t, s->q, d->user));
        return d->nc;
    }
    if (nc > 0) {
        check_ok(ctx, d->B(B, s->t, s->q, d->user));
    }
    if (w == VEL) {
        memset(out, 0, sizeof(double) * (size_t)nc);
        if (d->b != NULL) {
            check_ok(ctx, d->b(out, s->t, s->q, d->user));
        }
        for (int i = 0; i < nc * nv; ++i) {
            out[i % nc] += B[i] * s->v[i / nc];
        }
        return nc;
    }
    check_ok(ctx, d->g(out, s->t, s->q, s->v, s->la, d->user));
    if (w == RESIDUAL) {
        check_ok(ctx, d->M(M, s->t, s->q, d->user));
        for (int i = 0; i < nv * nv; ++i) {
            out[i % nv] += M[i] * s->vd[i / nv];
        }
        for (int i = 0; i < nc * nv; ++i) {
            out[i / nc] += B[i] * s->la[i % nc];
        }
    }
    return nv;
}

/* Fourth-order difference of a quantity: along dq (and dt) in the configuration, along dv in the velocity. */
static int difference(double *out, what w, const problem *p, const state *s, double dt, const double *dq,
                      const double *dv)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    double size = 1e-12, f[N], step[N];
    for (int i = 0; i < p->nv; ++i) {
        size = fmax(size, fmax(fabs(dq[i]), fabs(dv[i])));
    }
    const double h = 2e-4 / size;
    int n = 0;
    memset(out, 0, sizeof(double) * N);
    for (int k = 0; k < 4; ++k) {
        state x = *s;
        x.t += at[k] * h * dt;
        for (int i = 0; i < p->nv; ++i) {
            step[i] = at[k] * h * dq[i];
            x.v[i] += at[k] * h * dv[i];
        }
        dal_retract(p->group, x.q, s->q, step);
        n = evaluate(f, w, p, &x);
        for (int i = 0; i < n; ++i) {
            out[i] += weight[k] * f[i] / (12.0 * h);
        }
    }
    return n;
}

/* Column j of a matrix (rows x nv) against the difference of the quantity along unit vector j. */
static void check_matrix(const char *name, const problem *p, const double *A, int rows, what w, const state *s,
                         int velocity)
{
    const double zero[N] = {0.0};
    double scale = 1.0, f[N];
    for (int i = 0; i < rows * p->nv; ++i) {
        scale = fmax(scale, fabs(A[i]));
    }
    (void)evaluate(f, w, p, s);
    for (int i = 0; i < rows; ++i) {
        scale = fmax(scale, 1e-3 * fabs(f[i])); // cancellation in the difference
    }
    for (int j = 0; j < p->nv; ++j) {
        double e[N] = {0.0}, d[N];
        e[j] = 1.0;
        (void)difference(d, w, p, s, 0.0, velocity ? zero : e, velocity ? e : zero);
        for (int i = 0; i < rows; ++i) {
            if (!(fabs(A[i + j * rows] - d[i]) <= 1e-8 * scale)) {
                print_error("%s: %s(%d, %d)\n", p->name, name, i, j);
            }
            assert_near(A[i + j * rows] / scale, d[i] / scale, 1e-8);
        }
    }
}

static void for_every_state(void (*claim)(const problem *p, const state *s))
{
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        check_rng rng = check_rng_seed((unsigned long)k + 1);
        check_ok(ctx, problem_nth(&p, ctx, k));
        for (int n = 0; n < STATES; ++n) {
            const state s = random_state(&p, &rng);
            claim(&p, &s);
        }
        problem_free(&p);
    }
}

static void claim_B(const problem *p, const state *s)
{
    double B[N * N], H[N * N];
    if (p->dense.nc > 0) {
        check_ok(ctx, p->dense.B(B, s->t, s->q, p->dense.user));
        for (int i = 0; i < p->dense.nc * p->nv; ++i) {
            H[i] = B[i % p->dense.nc + i / p->dense.nc * p->nc]; // the holonomic rows
        }
        check_matrix("B", p, H, p->dense.nc, PHI, s, 0);
    }
}

static void B_is_the_derivative_of_Phi(void **unused)
{
    (void)unused;
    for_every_state(claim_B);
}

static void claim_Z(const problem *p, const state *s)
{
    double Z[N * N];
    if (p->nc > 0) {
        check_ok(ctx, p->dense.Z(Z, s->t, s->q, s->v, p->dense.user));
        check_matrix("Z", p, Z, p->nc, VEL, s, 0);
    }
}

static void Z_is_the_derivative_of_the_constraint_velocity(void **unused)
{
    (void)unused;
    for_every_state(claim_Z);
}

static void claim_acc(const problem *p, const state *s)
{
    const double zero[N] = {0.0};
    double w[N], d[N];
    if (p->nc > 0) {
        check_ok(ctx, p->dense.acc(w, s->t, s->q, s->v, p->dense.user));
        (void)difference(d, VEL, p, s, 1.0, s->v, zero);
        const double scale = 1.0 + check_max_abs(w, p->nc);
        for (int i = 0; i < p->nc; ++i) {
            assert_near(w[i] / scale, d[i] / scale, 1e-8);
        }
    }
}

static void acc_is_the_rate_of_the_constraint_velocity(void **unused)
{
    (void)unused;
    for_every_state(claim_acc);
}

static void claim_C(const problem *p, const state *s)
{
    double C[N * N];
    check_ok(ctx, p->dense.C(C, s->t, s->q, s->v, s->la, p->dense.user));
    check_matrix("C", p, C, p->nv, FORCE, s, 1);
}

static void C_is_the_derivative_of_g(void **unused)
{
    (void)unused;
    for_every_state(claim_C);
}

static void claim_K(const problem *p, const state *s)
{
    double K[N * N];
    check_ok(ctx, p->dense.K(K, s->t, s->q, s->v, s->vd, s->la, p->dense.user));
    check_matrix("K", p, K, p->nv, RESIDUAL, s, 0);
}

static void K_is_the_derivative_of_the_residual(void **unused)
{
    (void)unused;
    for_every_state(claim_K);
}

static void claim_check(const problem *p, const state *s)
{
    const dal_point at = {.t = s->t, .q = s->q, .v = s->v, .vd = s->vd, .la = s->la};
    dal_tangent_report report;
    check_ok(ctx, dal_system_check(ctx, p->sys, &report, &at, 1e-4));
}

static void wrapped_systems_pass_the_tangent_check(void **unused)
{
    (void)unused;
    for_every_state(claim_check);
}

static void claim_M(const problem *p, const state *s)
{
    double M[N * N];
    check_ok(ctx, p->dense.M(M, s->t, s->q, p->dense.user));
    for (int j = 0; j < p->nv; ++j) {
        for (int i = 0; i < j; ++i) {
            assert_near(M[i + j * p->nv], M[j + i * p->nv], 1e-15);
        }
    }
}

static void M_is_symmetric(void **unused)
{
    (void)unused;
    for_every_state(claim_M);
}

/* Along q' = v with constant v the energy changes by v . g: g holds all of dV/dq and of the inertia forces. */
static void claim_energy(const problem *p, const state *s)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    double g[N], q[N], step[N], rate = 0.0, power = 0.0, scale = 1.0;
    if (p->dense.energy == NULL) {
        return;
    }
    (void)evaluate(g, FORCE, p, s);
    for (int i = 0; i < p->nv; ++i) {
        power += g[i] * s->v[i];
        scale += fabs(g[i] * s->v[i]);
    }
    const double h = 1e-3 / fmax(1.0, check_max_abs(s->v, p->nv));
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < p->nv; ++i) {
            step[i] = at[k] * h * s->v[i];
        }
        dal_retract(p->group, q, s->q, step);
        rate += weight[k] * p->dense.energy(s->t, q, s->v, p->dense.user) / (12.0 * h);
    }
    assert_near((rate - power) / scale, 0.0, 1e-7);
}

static void g_does_the_work_that_changes_the_energy(void **unused)
{
    (void)unused;
    for_every_state(claim_energy);
}

static void initial_values_are_consistent(void **unused)
{
    (void)unused;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double f[N];
        check_ok(ctx, problem_nth(&p, ctx, k));
        state s = {.t = 0.0};
        memcpy(s.q, p.q0, sizeof s.q);
        memcpy(s.v, p.v0, sizeof s.v);
        if (p.dense.nc > 0) {
            assert_near(check_max_abs(f, evaluate(f, PHI, &p, &s)), 0.0, 2e-15);
        }
        if (p.nc > 0) {
            assert_near(check_max_abs(f, evaluate(f, VEL, &p, &s)), 0.0, 2e-14);
        }
        assert_near(dal_defect(p.group, p.q0), 0.0, 1e-15);
        problem_free(&p);
    }
}

/* The linear system at the states of the exact motion gives its accelerations and multipliers: two derivations. */
static void exact_motions_satisfy_the_equations(void **unused)
{
    (void)unused;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        state s;
        double vd[N], la[N], f[N];
        check_ok(ctx, problem_nth(&p, ctx, k));
        const double t[2] = {0.0, 0.05 * p.t_end};
        for (int n = 0; n < 2; ++n) {
            s.t = t[n];
            problem_exact(&p, s.q, s.v, s.vd, s.la, &t[n], 1);
            assert_true(kkt_accelerations(&p.dense, p.nv, vd, la, s.t, s.q, s.v));
            const double a = 1.0 + check_max_abs(vd, p.nv), l = 1.0 + (p.nc > 0 ? check_max_abs(la, p.nc) : 0.0);
            for (int i = 0; i < p.nv; ++i) {
                assert_near(s.vd[i] / a, vd[i] / a, 1e-11);
            }
            for (int i = 0; i < p.nc; ++i) {
                assert_near(s.la[i] / l, la[i] / l, 1e-11);
            }
            if (p.dense.nc > 0) {
                assert_near(check_max_abs(f, evaluate(f, PHI, &p, &s)), 0.0, 1e-13);
            }
        }
        problem_free(&p);
    }
}

/* At t = 0 the linear system gives what the tables say. */
static void initial_accelerations_and_multipliers_are_those_of_the_tables(void **unused)
{
    (void)unused;
    int compared = 0;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        reference r;
        double vd[N], la[N];
        check_ok(ctx, problem_nth(&p, ctx, k));
        if (p.table.file != NULL) {
            check_ok(ctx, reference_load(&r, &p));
            assert_true(kkt_accelerations(&p.dense, p.nv, vd, la, 0.0, p.q0, p.v0));
            const double a = 1.0 + check_max_abs(vd, p.nv), l = 1.0 + (p.nc > 0 ? check_max_abs(la, p.nc) : 0.0);
            for (int i = 0; i < p.nv + p.nc; ++i) {
                const double want = i < p.nv ? r.vd[i] : r.la[i - p.nv];
                if (!isnan(want)) {
                    const double got = i < p.nv ? vd[i] : la[i - p.nv], scale = i < p.nv ? a : l;
                    assert_near(got / scale, want / scale, 2e-13);
                    ++compared;
                }
            }
            reference_free(&r);
        }
        problem_free(&p);
    }
    assert_true(compared > 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(B_is_the_derivative_of_Phi),
        cmocka_unit_test(Z_is_the_derivative_of_the_constraint_velocity),
        cmocka_unit_test(acc_is_the_rate_of_the_constraint_velocity),
        cmocka_unit_test(C_is_the_derivative_of_g),
        cmocka_unit_test(K_is_the_derivative_of_the_residual),
        cmocka_unit_test(wrapped_systems_pass_the_tangent_check),
        cmocka_unit_test(M_is_symmetric),
        cmocka_unit_test(g_does_the_work_that_changes_the_energy),
        cmocka_unit_test(initial_values_are_consistent),
        cmocka_unit_test(exact_motions_satisfy_the_equations),
        cmocka_unit_test(initial_accelerations_and_multipliers_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
