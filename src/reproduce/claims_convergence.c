/* [AB07], [ABC15], [ACB15]: orders in all variables, starting errors, friction, projection at lower index, singular mass
 * matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/claim.h"
#include "reproduce/measure.h"

/* ---- [ABC15]: pendulum -------------------------------------------------------------------------- */

static const double G0 = 9.81;

/* B v'' at t of the exact motion of the pendulum, differences of v' over 1e-4. */
static double pendulum_jerk(const problem *p, double t)
{
    const double e = 1e-4, times[3] = {t, t + e, t + 2.0 * e};
    double q[6], vd[6];
    problem_exact(p, q, NULL, vd, NULL, times, 3);
    // one-sided of second order, to stay in t >= 0
    return (q[0] * (-3.0 * vd[0] + 4.0 * vd[2] - vd[4]) + q[1] * (-3.0 * vd[1] + 4.0 * vd[3] - vd[5])) / (2.0 * e);
}

/* B v'' at t = 0 over -3 g x0 x0'/y0 */
static double jerk_formula(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_pendulum(&p, ctx, c->arg[0]) != DAL_OK) {
        return NAN;
    }
    const double ratio = pendulum_jerk(&p, 0.0) / (-3.0 * G0 * p.q0[0] * p.v0[0] / p.q0[1]);
    problem_free(&p);
    return ratio;
}

/* B v_n over C_q h^2 B v'' at t = 0.5, h = 1e-3: +1 if the residual of the velocity constraint is +B l_q/h. */
static double residual_sign(const claim *c, dal_ctx *ctx)
{
    problem p;
    dal_options opt = dal_options_init();
    dal_ga_coef k;
    if (problem_pendulum(&p, ctx, 0.2) != DAL_OK) {
        return NAN;
    }
    track r = track_run(&p, 0.5, "%s h=1e-3", c->options);
    double ratio = NAN;
    if (r.status == DAL_OK && dal_ga_coefficients(ctx, &opt, &k) == DAL_OK) {
        const double *q = track_column(r.q, 2, r.n - 1), *v = track_column(r.v, 2, r.n - 1);
        ratio = (q[0] * v[0] + q[1] * v[1]) / (k.C_q * 1e-6 * pendulum_jerk(&p, 0.5));
    }
    track_free(&r);
    problem_free(&p);
    return ratio;
}

/* Order in q, v and lambda on [0, 2] from x0 = arg[0] with n = arg[1] steps, farthest from what is expected. */
static double pendulum_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_pendulum(&p, ctx, c->arg[0]) != DAL_OK) {
        return NAN;
    }
    const orders o = observed_orders(&p, 0.0, 2.0, (int)c->arg[1], 0, c->options);
    problem_free(&p);
    return worst_order(&o, KIND_ALL, c->expected);
}

/* Steps of 0.01 after which the transient of lambda stays below 1 % of its peak (arg[0] = 0), or the peak (1). The
 * transient is the difference between the runs from naive and from perturbed starting values. */
static double pendulum_transient(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_pendulum(&p, ctx, 0.2) != DAL_OK) {
        return NAN;
    }
    track a = track_run(&p, 2.0, "%s h=0.01 starting=naive", c->options);
    track b = track_run(&p, 2.0, "%s h=0.01 starting=perturbed", c->options);
    double peak = 0.0;
    int last = 0;
    const int good = a.status == DAL_OK && b.status == DAL_OK;
    for (int pass = 0; good && pass < 2; ++pass) {
        for (int k = 1; k < a.n; ++k) {
            const double d = fabs(a.la[k] - b.la[k]);
            peak = pass == 0 ? fmax(peak, d) : peak;
            last = pass == 1 && d > 0.01 * peak ? k : last;
        }
    }
    track_free(&a);
    track_free(&b);
    problem_free(&p);
    return !good ? NAN : c->arg[0] == 0.0 ? last : peak;
}

/* The pendulum with a resistance in proportion to the force of its joint: g = (0, 9.81) + 0.3 lambda v. */
static dal_status friction_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)user;
    g[0] = 0.3 * la[0] * v[0];
    g[1] = G0 + 0.3 * la[0] * v[1];
    return DAL_OK;
}

/* Order of q, v and lambda at t = 1.2 from three runs, h = 4e-3, 2e-3, 1e-3, farthest from what is expected. */
static double friction_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_pendulum(&p, ctx, 0.2) != DAL_OK) {
        return NAN;
    }
    double end[3][5] = {{0.0}}, worst = c->expected;
    dal_dense_destroy(p.sys);
    p.sys = NULL;
    p.dense = (dal_dense){.group = p.group,
                          .nc = 1,
                          .M = p.dense.M,
                          .g = friction_g,
                          .Phi = p.dense.Phi,
                          .B = p.dense.B,
                          .Z = p.dense.Z,
                          .acc = p.dense.acc,
                          .user = p.dense.user,
                          .lambda_in_g = 1};
    const int made = dal_dense_create(&p.sys, ctx, &p.dense) == DAL_OK;
    for (int k = 0; k < 3; ++k) {
        track r = {.status = DAL_ENOMEM};
        if (made) {
            r = track_run(&p, 1.2, "%s h=%g atol=1e-13 rtol=1e-11", c->options, 0.004 / (1 << k));
        }
        for (int i = 0; i < 2; ++i) {
            end[k][i] = r.status == DAL_OK ? r.q[2 * (r.n - 1) + i] : NAN;
            end[k][2 + i] = r.status == DAL_OK ? r.v[2 * (r.n - 1) + i] : NAN;
        }
        end[k][4] = r.status == DAL_OK ? r.la[r.n - 1] : NAN;
        track_free(&r);
    }
    static const int first[] = {0, 2, 4}, count[] = {2, 2, 1};
    for (int i = 0; i < 3; ++i) {
        const double order = log2(distance(end[0] + first[i], end[1] + first[i], count[i]) /
                                  distance(end[1] + first[i], end[2] + first[i], count[i]));
        worst = !(fabs(order - c->expected) <= fabs(worst - c->expected)) ? order : worst;
    }
    problem_free(&p);
    return worst;
}

/* Heavy top, stabilised index 2, h = 2.5e-5, the reference of fig. 3: largest error of x_3 (arg[0] = 0) or lambda (1),
 * relative to the largest value of the reference */
static double reference_error(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return NAN;
    }
    track r = track_run(&p, 1.0, "%s h=2.5e-5", c->options);
    const double t[] = {0.1, 0.25, 0.5, 0.75, 1.0};
    double q[35], la[15], worst = r.status == DAL_OK ? 0.0 : NAN, size = 0.0;
    problem_exact(&p, q, NULL, NULL, la, t, 5);
    for (int k = 0; k < 5 && r.status == DAL_OK; ++k) {
        const int at = (int)lround(t[k] / 2.5e-5);
        const double zero[3] = {0.0, 0.0, 0.0}, *is = track_column(r.la, 3, at), *want = la + 3 * (size_t)k;
        worst =
            fmax(worst, c->arg[0] == 0.0 ? fabs(track_column(r.q, 7, at)[2] - q[2 + 7 * k]) : distance(is, want, 3));
        size = fmax(size, c->arg[0] == 0.0 ? fabs(q[2 + 7 * k]) : distance(want, zero, 3));
    }
    track_free(&r);
    problem_free(&p);
    return worst / size;
}

/* ---- [ACB15]: projection ------------------------------------------------------------------------ */

/* Heavy top, [0, 1], arg[0] and twice as many steps: order in q, v and lambda farthest from what is expected. */
static double top_order(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return NAN;
    }
    const orders o = observed_orders(&p, 0.0, 1.0, (int)c->arg[0], 0, c->options);
    problem_free(&p);
    return worst_order(&o, KIND_ALL, c->expected);
}

/* C of ||lambda difference|| <= C n^2 rho^n h after the projection at t = 0.7, over 100 steps. */
static double bound_constant(const problem *p, const char *options, double h)
{
    track with = track_run(p, 0.7 + 101.0 * h, "%s h=%g projection=plain projection_times=0.7", options, h);
    track without = track_run(p, 0.7 + 101.0 * h, "%s h=%g", options, h);
    const int first = (int)lround(0.7 / h);
    double C = with.status == DAL_OK && without.status == DAL_OK ? 0.0 : NAN;
    for (int n = 1; n <= 100 && first + n < with.n && first + n < without.n; ++n) {
        const double d = distance(track_column(with.la, 3, first + n), track_column(without.la, 3, first + n), 3);
        C = fmax(C, d / (n * n * pow(0.9, n) * h));
    }
    track_free(&with);
    track_free(&without);
    return C;
}

/* C for h = 1e-3 over that for h = 2.5e-4. */
static double bound_ratio(const claim *c, dal_ctx *ctx)
{
    problem p;
    if (problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return NAN;
    }
    const double ratio = bound_constant(&p, c->options, 1e-3) / bound_constant(&p, c->options, 2.5e-4);
    problem_free(&p);
    return ratio;
}

/* ---- [ACB15]: rank-deficient mass -------------------------------------------------------------- */

/* Example (11) with a motion: M = 0, g = 0, B (q - t^3 w) = 0, w = (1, 2), B regular: lambda = 0, q = t^3 w. */
static dal_status none_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    memset(M, 0, 4 * sizeof *M);
    return DAL_OK;
}

static dal_status none_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    g[0] = g[1] = 0.0;
    return DAL_OK;
}

static dal_status regular_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    B[0] = 2.0, B[1] = -1.0, B[2] = 0.5, B[3] = 3.0;
    return DAL_OK;
}

/* B x */
static void regular_times(double y[2], double x0, double x1)
{
    y[0] = 2.0 * x0 + 0.5 * x1;
    y[1] = -x0 + 3.0 * x1;
}

static dal_status regular_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)user;
    regular_times(Phi, q[0] - t * t * t, q[1] - 2.0 * t * t * t);
    return DAL_OK;
}

static dal_status regular_Phi_t(double *Phi_t, double t, const double *q, void *user)
{
    (void)q, (void)user;
    regular_times(Phi_t, -3.0 * t * t, -6.0 * t * t);
    return DAL_OK;
}

static dal_status regular_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)q, (void)v, (void)user;
    regular_times(w, -6.0 * t, -12.0 * t);
    return DAL_OK;
}

/* arg[0] = 0: largest |lambda| and |q - t^3 w|. 1: largest difference between the errors (r, e_a) of the first coordinate and
 * T-bar^n of their initial values, (27). */
static double example_11(const claim *c, dal_ctx *ctx)
{
    const double h = 0.01;
    problem p = {.ctx = ctx, .nq = 2, .nv = 2, .nc = 2};
    dal_options opt = dal_options_init();
    dal_ga_coef k;
    if (dal_group_create(&p.group, ctx, &(dal_factor_spec){DAL_RN, 2}, 1) != DAL_OK ||
        dal_ga_coefficients(ctx, &opt, &k) != DAL_OK) {
        return NAN;
    }
    p.dense = (dal_dense){.group = p.group,
                          .nc = 2,
                          .M = none_M,
                          .g = none_g,
                          .Phi = regular_Phi,
                          .B = regular_B,
                          .b = regular_Phi_t,
                          .time_dependent = 1,
                          .acc = regular_acc};
    double worst = NAN, E[2] = {0.0, 0.0};
    if (dal_dense_create(&p.sys, ctx, &p.dense) == DAL_OK) {
        track r = track_run(&p, 1.0, "%s h=0.01 atol=1e-15 rtol=1e-14", c->options);
        worst = r.status == DAL_OK ? 0.0 : NAN;
        for (int n = 0; n < r.n; ++n) {
            const double t = n * h, D = k.alpha_m - k.alpha_f, *q = r.q + 2 * (size_t)n, *la = r.la + 2 * (size_t)n;
            const double is[2] = {(3.0 * t * t - r.v[2 * n]) / h + 6.0 * k.C_q * h, 6.0 * (t + D * h) - r.a[2 * n]};
            E[0] = n == 0 ? is[0] : E[0];
            E[1] = n == 0 ? is[1] : E[1];
            worst = c->arg[0] == 0.0 ? fmax(worst, fmax(fmax(fabs(la[0]), fabs(la[1])), fabs(q[0] - t * t * t)))
                                     : fmax(worst, fmax(fabs(is[0] - E[0]), fabs(is[1] - E[1])));
            // T-bar_+ E_n+1 = T-bar_0 E_n
            const double a = -(E[0] + (0.5 - k.beta) * E[1]) / k.beta;
            E[0] += (1.0 - k.gamma) * E[1] + k.gamma * a;
            E[1] = a;
        }
        track_free(&r);
    }
    problem_free(&p);
    return worst;
}

/* Largest coefficient of det(x T-bar_+ - T-bar_0)/beta - (x + rho)^2 over rho. */
static double rank_polynomial(const claim *c, dal_ctx *ctx)
{
    (void)c;
    double worst = 0.0;
    for (int i = 0; i < 10; ++i) {
        dal_options opt = dal_options_init();
        dal_ga_coef k;
        opt.rho_inf = 0.1 * i;
        if (dal_ga_coefficients(ctx, &opt, &k) != DAL_OK) {
            return NAN;
        }
        // T-bar = [[1 - gamma/beta, 1 - gamma/(2 beta)], [-1/beta, 1 - 1/(2 beta)]]
        const double a = 1.0 - k.gamma / k.beta, b = 1.0 - k.gamma * 0.5 / k.beta, d = 1.0 - 0.5 / k.beta;
        worst = fmax(worst, fabs(a + d + 2.0 * opt.rho_inf));
        worst = fmax(worst, fabs(a * d + b / k.beta - opt.rho_inf * opt.rho_inf));
    }
    return worst;
}

/* v' and lambda of the massless frame at its start by (10) with M* = M + B^T B and g* = g + B^T Z, against those of the
 * library: the largest difference. x := A^-1 x for a positive definite A. */
static void solve_definite(double *A, double *x, int n, int columns)
{
    for (int j = 0; j < n; ++j) {
        for (int i = j + 1; i < n; ++i) {
            const double f = A[i + n * j] / A[j + n * j];
            for (int k = j; k < n; ++k) {
                A[i + n * k] -= f * A[j + n * k];
            }
            for (int k = 0; k < columns; ++k) {
                x[i + n * k] -= f * x[j + n * k];
            }
        }
    }
    for (int k = 0; k < columns; ++k) {
        for (int j = n - 1; j >= 0; --j) {
            x[j + n * k] /= A[j + n * j];
            for (int i = 0; i < j; ++i) {
                x[i + n * k] -= A[i + n * j] * x[j + n * k];
            }
        }
    }
}

static double modified_mass(const claim *c, dal_ctx *ctx)
{
    enum { K = 5, N = 4 };
    problem p;
    if (problem_massless_frame(&p, ctx) != DAL_OK) {
        return NAN;
    }
    track r = track_run(&p, 0.01, "%s h=0.01", c->options);
    double M[K * K], B[N * K], Z[N], g[K], X[K * (N + 1)], S[N * N], la[N], worst = NAN;
    const double zero[PROBLEM_MAX] = {0.0};
    if (r.status == DAL_OK && p.dense.M(M, 0.0, p.q0, p.dense.user) == DAL_OK &&
        p.dense.B(B, 0.0, p.q0, p.dense.user) == DAL_OK && p.dense.acc(Z, 0.0, p.q0, p.v0, p.dense.user) == DAL_OK &&
        p.dense.g(g, 0.0, p.q0, p.v0, zero, p.dense.user) == DAL_OK) {
        // X = M*^-1 (B^T, g*)
        for (int i = 0; i < K; ++i) {
            X[i + K * N] = g[i];
            for (int a = 0; a < N; ++a) {
                X[i + K * a] = B[a + N * i];
                X[i + K * N] += B[a + N * i] * Z[a];
                for (int j = 0; j < K; ++j) {
                    M[i + K * j] += B[a + N * i] * B[a + N * j];
                }
            }
        }
        solve_definite(M, X, K, N + 1);
        // (B M*^-1 B^T) lambda = Z - B M*^-1 g*
        for (int a = 0; a < N; ++a) {
            la[a] = Z[a];
            for (int i = 0; i < K; ++i) {
                la[a] -= B[a + N * i] * X[i + K * N];
            }
            for (int b = 0; b < N; ++b) {
                S[a + N * b] = 0.0;
                for (int i = 0; i < K; ++i) {
                    S[a + N * b] += B[a + N * i] * X[i + K * b];
                }
            }
        }
        solve_definite(S, la, N, 1);
        worst = distance(la, r.la, N);
        for (int i = 0; i < K; ++i) {
            double vd = -X[i + K * N];
            for (int a = 0; a < N; ++a) {
                vd -= X[i + K * a] * la[a];
            }
            worst = fmax(worst, fabs(vd - r.vd[i]));
        }
    }
    track_free(&r);
    problem_free(&p);
    return worst;
}

static const claim CLAIMS[] = {
    {.id = "lambda-starting-errors",
     .source = "[AB07] eq. (41)",
     .statement =
         "Pendulum from x0 = 0.2, h = 0.01, rho 0.7: starting errors of lambda are damped out rapidly, to 1 % in "
         "30 steps.",
     AT_MOST(30),
     BY(pendulum_transient, "rho_inf=0.7", 0)},
    {.id = "pendulum-jerk",
     .source = "[ABC15] remark 3a",
     .statement = "Pendulum from x0 = 0.2: B v'' = -3 g x0 x0'/y0 (ratio).",
     NEAR(1.0, 1e-5),
     BY(jerk_formula, NULL, 0.2)},
    {.id = "residual-sign",
     .source = "[ABC15] eqs. (35), (41); [ACB15] eq. (8)",
     .statement =
         "Pendulum, index 3, beyond the transient: B v_n = + B l_q/h (ratio); [ACB15] (8) prints the other sign.",
     NEAR(1.0, 0.02),
     BY(residual_sign, "", 0)},
    {.id = "pendulum-rest-order",
     .source = "[ABC15] remark 3b",
     .statement = "Pendulum from x0 = 0, a0 = v'(0): order 2 in q, v and lambda from the first step on.",
     NEAR(2.0, 0.1),
     BY(pendulum_order, "starting=naive", 0.0, 200)},
    {.id = "order-condition",
     .source = "[ABC15] eq. (12)",
     .statement = "gamma = 1/2 + alpha_f - alpha_m + 0.1 violates the order condition: order 1 (pendulum).",
     NEAR(1.0, 0.1),
     BY(pendulum_order, "parameters=free alpha_m=0.4 alpha_f=0.45 gamma=0.65 beta=0.4", 0.2, 400)},
    {.id = "order-condition-kept",
     .source = "[ABC15] eqs. (12), (50), theorem 1",
     .statement = "The same with gamma = 1/2 + alpha_f - alpha_m: order 2.",
     NEAR(2.0, 0.1),
     BY(pendulum_order, "parameters=free alpha_m=0.4 alpha_f=0.45 gamma=0.55 beta=0.4", 0.2, 400)},
    {.id = "pendulum-lower-rho",
     .source = "[ABC15] ex. 1",
     .statement =
         "Pendulum from x0 = 0.2, h = 0.01, rho 0.6: oscillations are damped more rapidly, to 1 % in 20 steps.",
     AT_MOST(20),
     BY(pendulum_transient, "rho_inf=0.6", 0)},
    {.id = "pendulum-lower-rho-seen",
     .source = "[ABC15] ex. 1",
     .statement = "Pendulum from x0 = 0.2, h = 0.01, rho 0.6: but may still be observed, above 1e-2.",
     AT_LEAST(1e-2),
     BY(pendulum_transient, "rho_inf=0.6", 1)},
    {.id = "pendulum-rho-09-steps",
     .source = "[ABC15] ex. 1",
     .statement = "Pendulum from x0 = 0.2, h = 0.01, rho 0.9: damped out after about 100 steps, to 1 %.",
     NEAR(100, 20),
     BY(pendulum_transient, "rho_inf=0.9", 0)},
    {.id = "friction-order",
     .source = "[ABC15] remark 1",
     .statement = "Pendulum with a resistance in proportion to its joint force, g(lambda): order 2 in q, v and lambda.",
     NEAR(2.0, 0.1),
     BY(friction_order, "", 0)},
    {.id = "top-reference-x3",
     .source = "[ABC15] sec. 5, fig. 3",
     .statement = "Heavy top, stabilised index 2, h = 2.5e-5: x_3 of the reference is right to 1e-4.",
     AT_MOST(1e-4),
     BY(reference_error, "formulation=ggl sigma=0", 0)},
    {.id = "top-reference-lambda",
     .source = "[ABC15] sec. 5, fig. 3",
     .statement = "Heavy top, stabilised index 2, h = 2.5e-5: lambda of the reference is right to 1e-4.",
     AT_MOST(1e-4),
     BY(reference_error, "formulation=ggl sigma=0", 1)},
    {.id = "projection-index2",
     .source = "[ACB15] sec. 3, eqs. (6), (7)",
     .statement = "Heavy top, index 2 with projection of positions and velocities after every step: order 2.",
     NEAR(2.0, 0.1),
     BY(top_order, "sigma=0 formulation=index2 projection=plain projection_every=1 project_position=yes", 1000)},
    {.id = "projection-index1",
     .source = "[ACB15] sec. 3, eqs. (6), (7)",
     .statement = "Heavy top, index 1 with projection of positions and velocities after every step: order 2.",
     NEAR(2.0, 0.1),
     BY(top_order, "sigma=0 formulation=index1 projection=plain projection_every=1 project_position=yes", 4000)},
    {.id = "projection-bound",
     .source = "[ACB15] sec. 3",
     .statement =
         "Heavy top: the error after a projection is bounded by C n^2 rho^n h with C independent of h (ratio of C).",
     NEAR(1.0, 0.25),
     BY(bound_ratio, "sigma=0", 0)},
    {.id = "example-11",
     .source = "[ACB15] eq. (11)",
     .statement = "M = 0, g = 0, B regular, driven: lambda = 0 and q to rounding.",
     AT_MOST(1e-9),
     BY(example_11, "starting=naive", 0)},
    {.id = "rank-recursion",
     .source = "[ACB15] eq. (27)",
     .statement = "The same: errors of v and a follow T-bar^n exactly.",
     AT_MOST(1e-8),
     BY(example_11, "starting=naive", 1)},
    {.id = "rank-radius",
     .source = "[ACB15] eq. (27)",
     .statement = "T-bar has the double eigenvalue -rho: it contracts.",
     AT_MOST(1e-14),
     BY(rank_polynomial, NULL, 0)},
    {.id = "rank-saddle",
     .source = "[ACB15] eqs. (9), (10)",
     .statement = "Massless frame: (10) with M + B^T B and g + B^T Z gives the v' and lambda of the singular system.",
     AT_MOST(1e-12),
     BY(modified_mass, "starting=naive", 0)},
};

const claim *claims_convergence(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
