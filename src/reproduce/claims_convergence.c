/* [AB07], [ABC15], [ACB15]: orders in all variables, starting errors, friction, projection at lower index, singular mass
 * matrices. */
#include <math.h>
#include <stdlib.h>

#include "reproduce/claim.h"

/* ---- [ABC15]: pendulum -------------------------------------------------------------------------- */

/* B v'' at t of the exact motion of the pendulum, differences of v' over 1e-4. */
static double pendulum_jerk(lab *L, const subject *s, double t)
{
    const double e = 1e-4, times[3] = {t, t + e, t + 2.0 * e};
    const track *r = lab_exact(L, s, times, 3);
    const double *q = at_q(r, 0), *a = at_vd(r, 0), *b = at_vd(r, 1), *c = at_vd(r, 2);
    // one-sided of second order, to stay in t >= 0
    return (q[0] * (-3.0 * a[0] + 4.0 * b[0] - c[0]) + q[1] * (-3.0 * a[1] + 4.0 * b[1] - c[1])) / (2.0 * e);
}

/* B v'' at t = 0 over -3 g x0 x0'/y0 */
static double jerk_formula(const claim *c, lab *L)
{
    const subject *s = claim_model(c, L);
    const double t = 0.0;
    const track *r = lab_exact(L, s, &t, 1);
    return pendulum_jerk(L, s, 0.0) / (-3.0 * 9.81 * at_q(r, 0)[0] * at_v(r, 0)[0] / at_q(r, 0)[1]);
}

/* B v_n over C_q h^2 B v'' at t = 0.5, h = 1e-3: +1 if the residual of the velocity constraint is +B l_q/h. */
static double residual_sign(const claim *c, lab *L)
{
    dal_ga_coef k;
    const track *r = lab_end(L, claim_model(c, L), 0.5, "%s h=1e-3", c->options);
    const double *q = at_q(r, 0), *v = at_v(r, 0);
    return claim_coefficients(&k, L, 0.9) ? (q[0] * v[0] + q[1] * v[1]) / (k.C_q * 1e-6 * pendulum_jerk(L, r->s, 0.5))
                                          : NAN;
}

/* Steps of 0.01 after which the transient of lambda stays below 1 % of its peak (arg[0] = 0), or the peak (1). The
 * transient is the difference between the runs from naive and from perturbed starting values. */
static double pendulum_transient(const claim *c, lab *L)
{
    const track *a = lab_run(L, claim_model(c, L), 2.0, "%s h=0.01 starting=naive", c->options);
    const track *b = lab_run(L, claim_model(c, L), 2.0, "%s h=0.01 starting=perturbed", c->options);
    double peak;
    const double steps = steps_until_equal(&peak, a, b, 1);
    return c->arg[0] == 0.0 ? steps + 1.0 : peak;
}

/* A pendulum whose hinge resists in proportion to the force in it, by the friction torque 0.3 N tanh(omega). */
#define RESISTANCE                                                                                \
    "{'dalembert': 1, 'gravity': [0, -9.81], 'bodies': [{'name': 'rod', 'type': 'planar', "       \
    "'mass': 1, 'inertia': 0.01, 'position': ['sin(0.2)', '-cos(0.2)'], 'rotation': 0.2, "        \
    "'angular_velocity': 1}], 'joints': [{'name': 'hinge', 'type': 'planar_revolute', 'body_b': " \
    "'rod', 'point': [0, 0]}], 'forces': [{'name': 'resistance', 'type': 'friction', "            \
    "'joint': 'hinge', 'mu': 0.3, 'radius': 1, 'slip': 1}]}"

/* Order of q, v and lambda at t = 1.2 from three runs, h = 4e-3, 2e-3, 1e-3, farthest from what is expected. */
static double friction_order(const claim *c, lab *L)
{
    const track *r[3];
    const subject *s = claim_model(c, L);
    for (int k = 0; k < 3; ++k) {
        r[k] = lab_end(L, s, 1.2, "%s h=%g atol=1e-13 rtol=1e-11", c->options, 0.004 / (1 << k));
    }
    const double orders[3] = {
        log2(distance(at_q(r[0], 0), at_q(r[1], 0), s->nq) / distance(at_q(r[1], 0), at_q(r[2], 0), s->nq)),
        log2(distance(at_v(r[0], 0), at_v(r[1], 0), s->nv) / distance(at_v(r[1], 0), at_v(r[2], 0), s->nv)),
        log2(distance(at_la(r[0], 0), at_la(r[1], 0), s->nc) / distance(at_la(r[1], 0), at_la(r[2], 0), s->nc))};
    return farther(orders[0], farther(orders[1], orders[2], c->expected), c->expected);
}

/* Heavy top, stabilised index 2, h = 2.5e-5, the reference of fig. 3: largest error of x_3 (arg[0] = 0) or lambda (1),
 * relative to the largest value of the reference */
static double reference_error(const claim *c, lab *L)
{
    const double t[] = {0.1, 0.25, 0.5, 0.75, 1.0};
    const subject *s = claim_model(c, L);
    const track *r = lab_run(L, s, 1.0, "%s h=2.5e-5", c->options), *exact = lab_exact(L, s, t, 5);
    double worst = 0.0, size = 0.0;
    for (int k = 0; k < 5; ++k) {
        const int at = (int)lround(t[k] / 2.5e-5), first = c->arg[0] == 0.0;
        const double *is = first ? at_q(r, at) + 2 : at_la(r, at), *want = first ? at_q(exact, k) + 2 : at_la(exact, k);
        worst = larger(worst, distance(is, want, first ? 1 : 3));
        size = larger(size, distance(want, NULL, first ? 1 : 3));
    }
    return worst / size;
}

/* ---- [ACB15]: projection ------------------------------------------------------------------------ */

/* C of ||lambda difference|| <= C n^2 rho^n h after the projection at t = 0.7, over 100 steps. */
static double bound_constant(lab *L, const subject *s, const char *options, double h)
{
    const track *with = lab_run(L, s, 0.7 + 101.0 * h, "%s h=%g projection=plain projection_times=0.7", options, h);
    const track *without = lab_run(L, s, 0.7 + 101.0 * h, "%s h=%g", options, h);
    const int first = (int)lround(0.7 / h);
    double C = 0.0;
    for (int n = 1; n <= 100; ++n) {
        C = larger(C, distance(at_la(with, first + n), at_la(without, first + n), 3) / (n * n * pow(0.9, n) * h));
    }
    return C;
}

/* C for h = 1e-3 over that for h = 2.5e-4. */
static double bound_ratio(const claim *c, lab *L)
{
    const subject *s = claim_model(c, L);
    return bound_constant(L, s, c->options, 1e-3) / bound_constant(L, s, c->options, 2.5e-4);
}

/* ---- [ACB15]: rank-deficient mass -------------------------------------------------------------- */

/* Example (11) with a motion: M = 0, g = 0, B (q - t^3 w) = 0, w = (1, 2), with rows of B along x and along (3, 4)/5, and one
 * for z: lambda = 0, q = t^3 w. */
#define DRIVEN_FRAME                                                                          \
    "{'dalembert': 1, 'bodies': [{'name': 'node', 'type': 'point', 'mass': 0}], 'joints': ["  \
    "{'name': 'x', 'type': 'motion', 'body_b': 'node', 'frame_a': [0, 0, 0], 'coordinate': "  \
    "'translation_x', 'function': 't^3'}, {'name': 's', 'type': 'motion', 'body_b': 'node', " \
    "'frame_a': {'rotation': {'axis': [0, 0, 1], 'angle': 'atan2(4, 3)'}}, 'coordinate': "    \
    "'translation_x', 'function': '2.2*t^3'}, {'name': 'plane', 'type': 'point_on_plane', "   \
    "'body_b': 'node'}]}"

/* arg[0] = 0: largest |lambda| and |q - t^3 w|. 1: largest difference between the errors (r, e_a) of the first coordinate and
 * T-bar^n of their initial values, (27). */
static double example_11(const claim *c, lab *L)
{
    const double h = 0.01;
    dal_ga_coef k;
    double worst = 0.0, E[2] = {0.0, 0.0};
    const track *r = lab_run(L, claim_model(c, L), 1.0, "%s h=0.01 atol=1e-15 rtol=1e-14", c->options);
    if (!claim_coefficients(&k, L, 0.9)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double t = n * h, D = k.alpha_m - k.alpha_f, *q = at_q(r, n), w[2] = {t * t * t, 2.0 * t * t * t};
        const double is[2] = {(3.0 * t * t - at_v(r, n)[0]) / h + 6.0 * k.C_q * h, 6.0 * (t + D * h) - r->a[3 * n]};
        E[0] = n == 0 ? is[0] : E[0];
        E[1] = n == 0 ? is[1] : E[1];
        worst = larger(worst, c->arg[0] == 0.0 ? larger(distance(at_la(r, n), NULL, 3), distance(q, w, 2))
                                               : distance(is, E, 2));
        // T-bar_+ E_n+1 = T-bar_0 E_n
        const double a = -(E[0] + (0.5 - k.beta) * E[1]) / k.beta;
        E[0] += (1.0 - k.gamma) * E[1] + k.gamma * a;
        E[1] = a;
    }
    return good(r, worst);
}

/* Largest coefficient of det(x T-bar_+ - T-bar_0)/beta - (x + rho)^2 over rho. */
static double rank_polynomial(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    for (int i = 0; i < 10; ++i) {
        const double rho = 0.1 * i;
        dal_ga_coef k;
        if (!claim_coefficients(&k, L, rho)) {
            return NAN;
        }
        // T-bar = [[1 - gamma/beta, 1 - gamma/(2 beta)], [-1/beta, 1 - 1/(2 beta)]]
        const double a = 1.0 - k.gamma / k.beta, b = 1.0 - k.gamma * 0.5 / k.beta, d = 1.0 - 0.5 / k.beta;
        worst = fmax(worst, fabs(a + d + 2.0 * rho));
        worst = fmax(worst, fabs(a * d + b / k.beta - rho * rho));
    }
    return worst;
}

/* x := A^-1 x for a positive definite A */
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

enum { K = 6, N = 5 }; /* velocities and rows of the massless frame */

/* M, B, g and the rest Z of the acceleration level at the start; 0 on failure */
static int frame_matrices(double *M, double *B, double *g, double *Z, lab *L, const subject *s)
{
    const double zero[K] = {0.0};
    const dal_point at = {0.0, s->q0, s->v0, zero, zero};
    const dal_residual out = {.r = g, .acc = Z};
    dal_linearization *lin = NULL;
    const int done = s->nv == K && s->nc == N &&
                     dal_linearize_create(&lin, L->ctx, s->sys, s->data, DAL_WANT_M | DAL_WANT_B) == DAL_OK &&
                     dal_linearize_at(lin, &at) == DAL_OK && dal_data_residual(s->data, &out, &at) == DAL_OK;
    if (done) {
        add_sparse(M, dal_linearize_matrix(lin, DAL_WANT_M));
        add_sparse(B, dal_linearize_matrix(lin, DAL_WANT_B));
    }
    dal_linearize_destroy(lin);
    return done;
}

/* v' and lambda of the massless frame at its start by (10) with M* = M + B^T B and g* = g + B^T Z, against those of the
 * library: the largest difference. */
static double modified_mass(const claim *c, lab *L)
{
    const track *r = lab_run(L, claim_model(c, L), 0.01, "%s h=0.01", c->options);
    double M[K * K] = {0.0}, B[N * K] = {0.0}, Z[N] = {0.0}, g[K] = {0.0}, X[K * (N + 1)], S[N * N], la[N], vd[K];
    if (!frame_matrices(M, B, g, Z, L, r->s)) {
        return NAN;
    }
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
    for (int i = 0; i < K; ++i) {
        vd[i] = -X[i + K * N];
        for (int a = 0; a < N; ++a) {
            vd[i] -= X[i + K * a] * la[a];
        }
    }
    return larger(distance(la, at_la(r, 0), N), distance(vd, at_vd(r, 0), K));
}

static const claim CLAIMS[] = {
    {"lambda-starting-errors", "[AB07] eq. (41)",
     "Pendulum from x0 = 0.2, h = 0.01, rho 0.7: starting errors of lambda are damped out rapidly, to 1 % in 30 steps.",
     AT_MOST(30), BY(pendulum_transient, "rho_inf=0.7", 0), ON("pendulum", "x0=0.2")},
    {"pendulum-jerk", "[ABC15] remark 3a", "Pendulum from x0 = 0.2: B v'' = -3 g x0 x0'/y0 (ratio).", NEAR(1.0, 1e-5),
     BY(jerk_formula, NULL, 0), ON("pendulum", "x0=0.2")},
    {"residual-sign", "[ABC15] eqs. (35), (41); [ACB15] eq. (8)",
     "Pendulum, index 3, beyond the transient: B v_n = + B l_q/h (ratio); [ACB15] (8) prints the other sign.",
     NEAR(1.0, 0.02), BY(residual_sign, "", 0), ON("pendulum", "x0=0.2")},
    {"pendulum-rest-order", "[ABC15] remark 3b",
     "Pendulum from x0 = 0, a0 = v'(0): order 2 in q, v and lambda from the first step on.", NEAR(2.0, 0.1),
     BY(order_on, "starting=naive", 0.0, 2.0, 200, KIND_ALL), ON("pendulum", "")},
    {"order-condition", "[ABC15] eq. (12)",
     "gamma = 1/2 + alpha_f - alpha_m + 0.1 violates the order condition: order 1 (pendulum).", NEAR(1.0, 0.1),
     BY(order_on, "parameters=free alpha_m=0.4 alpha_f=0.45 gamma=0.65 beta=0.4", 0.0, 2.0, 400, KIND_ALL),
     ON("pendulum", "x0=0.2")},
    {"order-condition-kept", "[ABC15] eqs. (12), (50), theorem 1",
     "The same with gamma = 1/2 + alpha_f - alpha_m: order 2.", NEAR(2.0, 0.1),
     BY(order_on, "parameters=free alpha_m=0.4 alpha_f=0.45 gamma=0.55 beta=0.4", 0.0, 2.0, 400, KIND_ALL),
     ON("pendulum", "x0=0.2")},
    {"pendulum-lower-rho", "[ABC15] ex. 1",
     "Pendulum from x0 = 0.2, h = 0.01, rho 0.6: oscillations are damped more rapidly, to 1 % in 20 steps.",
     AT_MOST(20), BY(pendulum_transient, "rho_inf=0.6", 0), ON("pendulum", "x0=0.2")},
    {"pendulum-lower-rho-seen", "[ABC15] ex. 1",
     "Pendulum from x0 = 0.2, h = 0.01, rho 0.6: but may still be observed, above 1e-2.", AT_LEAST(1e-2),
     BY(pendulum_transient, "rho_inf=0.6", 1), ON("pendulum", "x0=0.2")},
    {"pendulum-rho-09-steps", "[ABC15] ex. 1",
     "Pendulum from x0 = 0.2, h = 0.01, rho 0.9: damped out after about 100 steps, to 1 %.", NEAR(100, 20),
     BY(pendulum_transient, "rho_inf=0.9", 0), ON("pendulum", "x0=0.2")},
    {"friction-order", "[ABC15] remark 1",
     "Pendulum with a resistance in proportion to its joint force, g(lambda): order 2 in q, v and lambda.",
     NEAR(2.0, 0.1), BY(friction_order, "", 0), ON(RESISTANCE, "")},
    {"top-reference-x3", "[ABC15] sec. 5, fig. 3",
     "Heavy top, stabilised index 2, h = 2.5e-5: x_3 of the reference is right to 1e-4.", AT_MOST(1e-4),
     BY(reference_error, "formulation=ggl sigma=0", 0), ON("heavy_top", "")},
    {"top-reference-lambda", "[ABC15] sec. 5, fig. 3",
     "Heavy top, stabilised index 2, h = 2.5e-5: lambda of the reference is right to 1e-4.", AT_MOST(1e-4),
     BY(reference_error, "formulation=ggl sigma=0", 1), ON("heavy_top", "")},
    {"projection-index2", "[ACB15] sec. 3, eqs. (6), (7)",
     "Heavy top, index 2 with projection of positions and velocities after every step: order 2.", NEAR(2.0, 0.1),
     BY(order_on, "sigma=0 formulation=index2 projection=plain projection_every=1 project_position=yes", 0.0, 1.0, 1000,
        KIND_ALL),
     ON("heavy_top", "")},
    {"projection-index1", "[ACB15] sec. 3, eqs. (6), (7)",
     "Heavy top, index 1 with projection of positions and velocities after every step: order 2.", NEAR(2.0, 0.1),
     BY(order_on, "sigma=0 formulation=index1 projection=plain projection_every=1 project_position=yes", 0.0, 1.0, 4000,
        KIND_ALL),
     ON("heavy_top", "")},
    {"projection-bound", "[ACB15] sec. 3",
     "Heavy top: the error after a projection is bounded by C n^2 rho^n h with C independent of h (ratio of C).",
     NEAR(1.0, 0.25), BY(bound_ratio, "sigma=0", 0), ON("heavy_top", "")},
    {"example-11", "[ACB15] eq. (11)", "M = 0, g = 0, B regular, driven: lambda = 0 and q to rounding.", AT_MOST(1e-9),
     BY(example_11, "starting=naive", 0), ON(DRIVEN_FRAME, "")},
    {"rank-recursion", "[ACB15] eq. (27)", "The same: errors of v and a follow T-bar^n exactly.", AT_MOST(1e-8),
     BY(example_11, "starting=naive", 1), ON(DRIVEN_FRAME, "")},
    {"rank-radius", "[ACB15] eq. (27)", "T-bar has the double eigenvalue -rho: it contracts.", AT_MOST(1e-14),
     BY(rank_polynomial, NULL, 0)},
    {"rank-saddle", "[ACB15] eqs. (9), (10)",
     "Massless frame: (10) with M + B^T B and g + B^T Z gives the v' and lambda of the singular system.",
     AT_MOST(1e-12), BY(modified_mass, "starting=naive", 0), ON("rank_deficient_pendulum", "")},
};

const claim *claims_convergence(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
