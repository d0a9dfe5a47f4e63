/* What the papers derive about the methods on paper: multistep form, polynomials, recursions, conditions on
 * coefficients. Measured on the coefficients of the library and on its runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/claim.h"

static const double RHO[] = {0.0, 0.3, 0.6, 0.7, 0.8, 0.9, 0.99};

/* ---- the equivalent multistep method ---------------------------------------------------------- */

/* a_k, u_k, b_k, c_k, b'_k of [AB07] (14)-(19) */
typedef struct multistep {
    double a[3], u[2], b[3], c[3], d[4];
} multistep;

static multistep multistep_of(const dal_ga_coef *k)
{
    const double m = k->alpha_m, f = k->alpha_f, beta = k->beta, gamma = k->gamma;
    return (multistep){.a = {-m, -1.0 + 2.0 * m, 1.0 - m},
                       .u = {-m, -1.0 + m},
                       .b = {f * (0.5 - beta), (1.0 - f) * (0.5 - beta) + f * beta, (1.0 - f) * beta},
                       .c = {f * (1.0 - gamma), (1.0 - f) * (1.0 - gamma) + f * gamma, (1.0 - f) * gamma},
                       .d = {f * (0.5 + beta - gamma),
                             (1.0 - f) * (0.5 + beta - gamma) + f * (0.5 - 2.0 * beta + gamma),
                             (1.0 - f) * (0.5 - 2.0 * beta + gamma) + f * beta, (1.0 - f) * beta}};
}

/* Residuals of (14), (15) and (18) for coordinate i around step n, divided by the power of h that makes them O(1). */
static double multistep_residual(const track *r, const multistep *s, double h, int n, int i)
{
    const int nv = r->s->nv;
    const double *q = r->q + i, *v = r->v + i, *g = r->vd + i;
    double x = 0.0, y = 0.0, z = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int at = (n + k - 1) * nv;
        x += s->a[k] * q[at] / (h * h) - s->b[k] * g[at] + (k < 2 ? s->u[k] * v[at] / h : 0.0);
        y += s->a[k] * v[at] / h - s->c[k] * g[at];
        z += s->a[k] * (q[at] - q[at - nv]) / (h * h);
    }
    for (int k = 0; k < 4; ++k) {
        z -= s->d[k] * g[(n + k - 2) * nv];
    }
    return fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

/* 200 steps of 5e-3: how well the run satisfies the multistep formulas, relative to v'. */
static double multistep_form(const claim *c, lab *L)
{
    dal_ga_coef k = {0};
    const track *r = lab_run(L, claim_model(c, L), 1.0, "%s rho_inf=%g h=5e-3", c->options, c->arg[0]);
    double worst = claim_coefficients(&k, L, c->arg[0]) ? 0.0 : NAN, size = 0.0;
    const multistep s = multistep_of(&k);
    for (int n = 2; n + 1 < r->n; ++n) {
        for (int i = 0; i < r->s->nv; ++i) {
            worst = larger(worst, multistep_residual(r, &s, 5e-3, n, i));
            size = fmax(size, fabs(r->vd[n * r->s->nv + i]));
        }
    }
    return good(r, worst / size);
}

/* The new consistency conditions of [AB07] sec. 3.1, worst residual over rho. */
static double consistency(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    for (size_t i = 0; i < sizeof RHO / sizeof RHO[0]; ++i) {
        dal_ga_coef k;
        if (!claim_coefficients(&k, L, RHO[i])) {
            return NAN;
        }
        const multistep s = multistep_of(&k);
        // j = 0: sum a; j = 1: sum a ((k-1)^2 - (k-2)^2)/2 = sum b'; j = 2: the same with cubes and first moments
        const double sum = s.a[0] + s.a[1] + s.a[2];
        const double first = (-3.0 * s.a[0] - s.a[1] + s.a[2]) / 2.0 - (s.d[0] + s.d[1] + s.d[2] + s.d[3]);
        const double second = (7.0 * s.a[0] + s.a[1] + s.a[2]) / 6.0 - (-2.0 * s.d[0] - s.d[1] + s.d[3]);
        worst = fmax(worst, fmax(fabs(sum), fmax(fabs(first), fabs(second))));
    }
    return worst;
}

/* ---- recursions ------------------------------------------------------------------------------- */

/* det(x I - T), n = 2 or 3 */
static double characteristic(const double *T, int n, double x)
{
    double A[9];
    for (int i = 0; i < n * n; ++i) {
        A[i] = (i % (n + 1) == 0 ? x : 0.0) - T[i];
    }
    return n == 2 ? A[0] * A[3] - A[1] * A[2]
                  : A[0] * (A[4] * A[8] - A[5] * A[7]) - A[3] * (A[1] * A[8] - A[2] * A[7]) +
                        A[6] * (A[1] * A[5] - A[2] * A[4]);
}

/* arg[0] = 0: b'_3 det(x I - T) against sigma(x) of [AB07] (22); 1: det against (x + rho)^3, the triple eigenvalue;
 * 2: that of the stabilised index 2 formulation against its two eigenvalues. Largest difference over x and rho. */
static double polynomial(const claim *c, lab *L)
{
    double worst = 0.0;
    for (size_t i = 0; i < sizeof RHO / sizeof RHO[0]; ++i) {
        const double rho = RHO[i];
        double T[9];
        dal_ga_coef k;
        if (!claim_recursion(T, &k, L, rho, c->arg[0] == 2.0 ? DAL_FORMULATION_GGL : DAL_FORMULATION_INDEX3)) {
            return NAN;
        }
        const multistep s = multistep_of(&k);
        for (int m = -4; m <= 4; ++m) {
            const double x = 0.25 * m, det = characteristic(T, c->arg[0] == 2.0 ? 2 : 3, x);
            const double want = c->arg[0] == 0.0   ? (s.d[0] + x * (s.d[1] + x * (s.d[2] + x * s.d[3]))) / s.d[3]
                                : c->arg[0] == 1.0 ? pow(x + rho, 3)
                                                   : (x + (3.0 * rho - 1.0) / (3.0 - rho)) * (x + rho);
            worst = fmax(worst, fabs(det - want));
        }
    }
    return worst;
}

/* Spectral radius from ||T^n||, n = 2^16, by squaring; the factor n^2 of a Jordan block is worth 0.03 % then. */
static double radius(const double *T, int n)
{
    double X[9], Y[9], scale = 0.0;
    memcpy(X, T, sizeof X);
    for (int k = 0; k < 16; ++k) {
        double size = 0.0;
        matrix_product(Y, X, X, n);
        for (int i = 0; i < n * n; ++i) {
            size = fmax(size, fabs(Y[i]));
        }
        scale = 2.0 * scale + log(size);
        for (int i = 0; i < n * n; ++i) {
            X[i] = size > 0.0 ? Y[i] / size : 0.0;
        }
        if (!(size > 0.0)) {
            return 0.0;
        }
    }
    return exp(scale / 65536.0);
}

/* Parameters on a grid that satisfy (20) and (23) of [AB07], as the library accepts them: the largest spectral radius of
 * the recursion. */
static double stable_parameters(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    int accepted = 0;
    for (double f = -0.8; f < 0.45; f += 0.1) {
        for (double m = -1.47; m < 0.6; m += 0.1) {
            for (double extra = -0.08; extra < 0.6; extra += 0.1) {
                dal_options opt = dal_options_init();
                dal_ga_coef k;
                double T[9];
                int size;
                opt.parameters = DAL_PARAMETERS_FREE;
                opt.alpha_f = f, opt.alpha_m = m;
                opt.gamma = 0.5 + f - m;
                opt.beta = 0.25 + 0.5 * (f - m) + extra;
                if (dal_ga_coefficients(L->ctx, &k, &opt) != DAL_OK ||
                    dal_error_recursion(L->ctx, T, &size, &k, DAL_FORMULATION_INDEX3) != DAL_OK) {
                    continue;
                }
                worst = fmax(worst, radius(T, 3));
                accepted++;
            }
        }
    }
    dal_ctx_clear(L->ctx);
    return accepted > 100 ? worst : NAN;
}

/* [ABC15] sec. 4.1: J = X^-1 T X with the printed X. Largest entry of T X - X J over rho, relative to X. */
static double jordan_form(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    for (size_t i = 1; i < sizeof RHO / sizeof RHO[0]; ++i) {
        const double mu = -RHO[i];
        const double X[9] = {0.0,
                             1.0 - mu * mu,
                             0.0,
                             0.5 * (1.0 + mu) / (1.0 - mu),
                             -(2.0 + mu),
                             1.0,
                             -1.0 / ((1.0 - mu) * (1.0 - mu)),
                             0.0,
                             0.0};
        const double J[9] = {mu, 0.0, 0.0, 1.0, mu, 0.0, 0.0, 1.0, mu};
        double T[9], TX[9], XJ[9];
        dal_ga_coef k;
        if (!claim_recursion(T, &k, L, RHO[i], DAL_FORMULATION_INDEX3)) {
            return NAN;
        }
        matrix_product(TX, T, X, 3);
        matrix_product(XJ, X, J, 3);
        for (int j = 0; j < 9; ++j) {
            worst = fmax(worst, fabs(TX[j] - XJ[j]));
        }
    }
    return worst;
}

/* c_inf = max_n n (n - 1) rho^(n-2)/2 through the library: the corner of the powers of X^-1 T X, rho = arg[0]. With X of the
 * Jordan form the corner is that of J^n; here from T^n applied to the third column of X. */
static double jordan_bound(const claim *c, lab *L)
{
    double T[9], largest = 0.0;
    dal_ga_coef k;
    const double mu = -c->arg[0];
    if (!claim_recursion(T, &k, L, c->arg[0], DAL_FORMULATION_INDEX3)) {
        return NAN;
    }
    // x = X e_3, T^n x = X J^n e_3, whose second row is (1 - mu^2) corner - (2 + mu) n mu^(n-1)
    double x[3] = {-1.0 / ((1.0 - mu) * (1.0 - mu)), 0.0, 0.0}, y[3], edge = 0.0, power = 1.0;
    for (int n = 1; n < 3000; ++n) {
        for (int i = 0; i < 3; ++i) {
            y[i] = T[i] * x[0] + T[i + 3] * x[1] + T[i + 6] * x[2];
        }
        memcpy(x, y, sizeof x);
        edge = mu * edge + power;
        power *= mu;
        largest = fmax(largest, fabs((x[1] + (2.0 + mu) * edge) / (1.0 - mu * mu)));
    }
    return largest;
}

/* Stabilised index 2: largest norm of T^n, n >= 1, over rho. */
static double stabilised_growth(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    for (size_t i = 0; i < sizeof RHO / sizeof RHO[0]; ++i) {
        double T[9] = {0.0};
        dal_ga_coef k;
        int at;
        if (!claim_recursion(T, &k, L, RHO[i], DAL_FORMULATION_GGL)) {
            return NAN;
        }
        worst = fmax(worst, dal_error_amplification(&at, T, 2, 3000));
    }
    return worst;
}

/* 31.91/0.31: largest entries of the second row of T^n for r_0 over that for e_a, rho 0.9 */
static double row_ratio(const claim *c, lab *L)
{
    double T[9], X[9], Y[9], first = 0.0, third = 0.0;
    dal_ga_coef k;
    if (!claim_recursion(T, &k, L, c->arg[0], DAL_FORMULATION_INDEX3)) {
        return NAN;
    }
    memcpy(X, T, sizeof X);
    for (int n = 2; n < 1000; ++n) {
        matrix_product(Y, T, X, 3);
        memcpy(X, Y, sizeof X);
        first = fmax(first, fabs(X[1]));
        third = fmax(third, fabs(X[7]));
    }
    return first / third;
}

/* ---- overshoot -------------------------------------------------------------------------------- */

#define OSCILLATOR                                                                               \
    "{'dalembert': 1, 'variables': {'k': 1, 'x': 0, 'u': 0}, 'bodies': [{'name': 'mass', "       \
    "'type': 'point', 'mass': 1, 'position': ['x', 0, 0], 'velocity': ['u', 0, 0]}], 'forces': " \
    "[{'name': 'spring', 'type': 'cartesian', 'body_b': 'mass', 'frame_a': [0, 0, 0], "          \
    "'stiffness': ['k', 0, 0]}]}"

/* q'' + omega^2 q = 0, z = h omega = arg[0], from q = 1 or q' = 1 as set: max |E_n|/|E_0| of E = (h v, z^2 q, h^2 a).
 * arg[1] = 1: of T^n E_0 with T of the recursion for constraints, the limit of large z, relative to it */
static double overshoot(const claim *c, lab *L)
{
    const double h = 1e-2, z = c->arg[0];
    double T[9], E[3] = {0.0}, grown = 0.0, start = 0.0, limit = 0.0;
    dal_ga_coef k;
    char set[64];
    (void)snprintf(set, sizeof set, "%s k=%.17g", c->set, z * z / (h * h));
    const track *r = lab_run(L, lab_model(L, c->model, set), 1.0, "%s rho_inf=0.9 h=1e-2", c->options);
    if (!claim_recursion(T, &k, L, 0.9, DAL_FORMULATION_INDEX3)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double is[3] = {h * at_v(r, n)[0], z * z * at_q(r, n)[0], h * h * r->a[3 * n]};
        if (n == 0) {
            memcpy(E, is, sizeof E);
        }
        start = n == 0 ? distance(is, NULL, 3) : start;
        grown = larger(grown, distance(is, NULL, 3));
        limit = fmax(limit, distance(E, NULL, 3));
        const double next[3] = {T[0] * E[0] + T[3] * E[1] + T[6] * E[2], T[1] * E[0] + T[4] * E[1] + T[7] * E[2],
                                T[2] * E[0] + T[5] * E[1] + T[8] * E[2]};
        memcpy(E, next, sizeof E);
    }
    return good(r, c->arg[1] == 0.0 ? grown / start : limit / grown);
}

/* ---- conditions on sigma and P ---------------------------------------------------------------- */

/* Largest |1/3 - beta/gamma| for rho = 0.01 ... 1, times 3; arg[0] = 1: largest difference to (42) of [HAG]. */
static double sigma1_reduces(const claim *c, lab *L)
{
    double worst = 0.0;
    for (int i = 1; i <= 100; ++i) {
        const double rho = 0.01 * i;
        dal_ga_coef k;
        if (!claim_coefficients(&k, L, rho)) {
            return NAN;
        }
        const double is = 4.0 * k.C_h, want = (1.0 - 2.0 / ((1.0 + rho) * (1.0 - rho / 3.0))) / 3.0;
        worst = fmax(worst, c->arg[0] == 0.0 ? 3.0 * fabs(is) : fabs(is - want));
    }
    return worst;
}

/* Difference between the inverse of P = sigma I + (1 - sigma) T and (65) of [HAG], for theta of this length. */
static double inverse_error(double sigma, double length)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const double s = 1.0 - sigma, th[3] = {0.48 * length, -0.6 * length, 0.64 * length};
    const double hat[9] = {0.0, th[2], -th[1], -th[2], 0.0, th[0], th[1], -th[0], 0.0};
    double coef[32] = {0.0}, T[9], P[9], inverse[9], square[9], worst = 0.0;
    so3->prepare(coef, th, 3);
    so3->tangent(T, th, coef, 3);
    for (int i = 0; i < 9; ++i) {
        P[i] = s * T[i] + (i % 4 == 0 ? sigma : 0.0);
    }
    so3->invert(inverse, P, 3);
    matrix_product(square, hat, hat, 3);
    for (int i = 0; i < 9; ++i) {
        const double closed = (i % 4 == 0 ? 1.0 : 0.0) + 0.5 * s * (hat[i] - (2.0 - 3.0 * s) / 6.0 * square[i]);
        worst = fmax(worst, fabs(inverse[i] - closed));
    }
    return worst;
}

/* Exponent of |theta| in that difference, sigma = arg[0]. */
static double inverse_order(const claim *c, lab *L)
{
    (void)L;
    return log2(inverse_error(c->arg[0], 0.02) / inverse_error(c->arg[0], 0.01));
}

static const claim CLAIMS[] = {
    {"multistep-form", "[AB07] eqs. (14)-(19)",
     "Planar slider crank, rho 0.7: the steps satisfy the two-step formulas (14), (15) and (18).", AT_MOST(1e-9),
     BY(multistep_form, "starting=naive rtol=1e-12 atol=1e-14", 0.7), ON("planar_slider_crank", "")},
    {"multistep-consistency", "[AB07] sec. 3.1", "The consistency conditions of the multistep form hold for every rho.",
     AT_MOST(1e-14), BY(consistency, NULL, 0)},
    {"multistep-polynomial", "[AB07] eq. (22), lemma 1; [ABC15] lemma 8",
     "sigma of the multistep form is the characteristic polynomial of the error recursion.", AT_MOST(1e-13),
     BY(polynomial, NULL, 0)},
    {"stability-conditions", "[AB07] eqs. (20), (23), lemma 1",
     "Parameters with (20) and (23) are strictly stable at infinity: the recursion contracts.", AT_MOST(1.0),
     BY(stable_parameters, NULL, 0)},
    {"recursion-triple", "[ABC15] sec. 4.1; [ACB15] eq. (8)",
     "Parameters of Chung and Hulbert: -rho is the triple eigenvalue of T, the spectral radius is rho.", AT_MOST(1e-13),
     BY(polynomial, NULL, 1)},
    {"recursion-jordan-form", "[ABC15] sec. 4.1", "T X = X J with the printed X: a single Jordan block.",
     AT_MOST(1e-13), BY(jordan_form, NULL, 0)},
    {"recursion-jordan-06", "[ABC15] sec. 4.1", "The powers of the Jordan block of T reach c_inf = 2.2 for rho 0.6.",
     NEAR(2.2, 0.05), BY(jordan_bound, NULL, 0.6)},
    {"recursion-jordan-09", "[ABC15] sec. 4.1", "The powers of the Jordan block of T reach c_inf = 28.5 for rho 0.9.",
     NEAR(28.5, 0.05), BY(jordan_bound, NULL, 0.9)},
    {"recursion-jordan-099", "[ABC15] sec. 4.1",
     "The powers of the Jordan block of T reach c_inf = 2.7e3 for rho 0.99.", NEAR(2.7e3, 50),
     BY(jordan_bound, NULL, 0.99)},
    {"recursion-row-ratio", "[ABC15] sec. 4.2",
     "rho 0.9: perturbed v0 is worth more than 100 times as much as a better a0.", AT_LEAST(100),
     BY(row_ratio, NULL, 0.9)},
    {"overshoot-displacement", "[ABC15] sec. 4.1",
     "q'' + omega^2 q = 0, h omega = 1e3, rho 0.9, from q = 1 at rest: (h v, z^2 q, h^2 a) becomes much larger than "
     "its initial value, at least twice.",
     AT_LEAST(2.0), BY(overshoot, "starting=naive", 1e3, 0), ON(OSCILLATOR, "x=1"),
     DIFFERS(
         1.0, 1e-6,
         "With the parameters of Chung and Hulbert the columns of T^n for displacements and accelerations stay below "
         "1: it is an initial velocity that overshoots. The sentence recalls Newmark's method.")},
    {"overshoot-velocity", "[ABC15] sec. 4.1",
     "The same with an initial velocity: it becomes more than 30 times as large as its initial value.", AT_LEAST(30.0),
     BY(overshoot, "starting=naive", 1e3, 0), ON(OSCILLATOR, "u=1")},
    {"overshoot-limit", "[ABC15] sec. 4.1",
     "The recursion T(z) of that oscillator tends to T of the constrained case: the same overshoot.", NEAR(1.0, 0.01),
     BY(overshoot, "starting=naive", 1e3, 1), ON(OSCILLATOR, "u=1")},
    {"ggl-eigenvalues", "[ABC15] remark 4c",
     "Stabilised index 2: the recursion has the eigenvalues -(3 rho - 1)/(3 - rho) and -rho.", AT_MOST(1e-14),
     BY(polynomial, NULL, 2)},
    {"ggl-no-growth", "[ABC15] remark 4c", "Stabilised index 2: initial errors are not amplified, max ||T^n|| is 1.",
     NEAR(1.0, 0.2), BY(stabilised_growth, NULL, 0)},
    {"lte-formula", "[HAG] eq. (42)", "sigma = 1: 1/3 - beta/gamma = (1 - 2/((1 + rho)(1 - rho/3)))/3 for every rho.",
     AT_MOST(1e-14), BY(sigma1_reduces, NULL, 1)},
    {"lte-reduced", "[HAG] after eq. (42)",
     "sigma = 1 reduces the Lie group term for rho in (0, 1]: |1/3 - beta/gamma| < 1/3.", AT_MOST(0.99),
     BY(sigma1_reduces, NULL, 0)},
    {"inverse-P", "[HAG] eq. (65)",
     "sigma = 0.4: the expansion of P^-1 differs from the exact inverse by O(|theta|^3).", NEAR(3.0, 0.05),
     BY(inverse_order, NULL, 0.4)},
};

const claim *claims_analysis(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
