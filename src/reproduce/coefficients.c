/* What the papers derive about the methods on paper: multistep form, recursions of errors, conditions on coefficients. Measured
 * on the coefficients of the library. */
#include <math.h>
#include <string.h>

#include "reproduce/measures.h"

int ga_coefficients(dal_ga_coef *k, lab *L, const words *w)
{
    dal_options opt;
    return lab_options(L, &opt, w) == DAL_OK && dal_ga_coefficients(L->ctx, k, &opt) == DAL_OK;
}

static int recursion_of(double T[9], dal_ga_coef *k, lab *L, const words *w, dal_formulation formulation)
{
    int n;
    return ga_coefficients(k, L, w) && dal_error_recursion(L->ctx, T, &n, k, formulation) == DAL_OK;
}

int ga_recursion(double T[9], dal_ga_coef *k, lab *L, const words *w)
{
    return recursion_of(T, k, L, w, DAL_FORMULATION_INDEX3);
}

void apply3(double y[3], const double T[9], const double x[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = T[i] * x[0] + T[i + 3] * x[1] + T[i + 6] * x[2];
    }
}

double eliminate(double *A, double *x, int n, int columns)
{
    double det = 1.0;
    for (int j = 0; j < n; ++j) {
        int pivot = j;
        for (int i = j + 1; i < n; ++i) {
            pivot = fabs(A[i + n * j]) > fabs(A[pivot + n * j]) ? i : pivot;
        }
        for (int k = 0; pivot != j && k < n + columns; ++k) {
            double *a = (k < n ? A + n * k : x + n * (k - n)) + j, *b = a - j + pivot, t = *a;
            *a = *b, *b = t;
        }
        det *= pivot != j ? -A[j + n * j] : A[j + n * j];
        for (int i = j + 1; i < n && A[j + n * j] != 0.0; ++i) {
            const double f = A[i + n * j] / A[j + n * j];
            for (int k = j; k < n + columns; ++k) {
                double *row = k < n ? A + n * k : x + n * (k - n);
                row[i] -= f * row[j];
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
    return det;
}

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
    double x = 0.0, y = 0.0, z = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int at = n + k - 1;
        const double q = at_q(r, at)[i], v = at_v(r, at)[i], g = at_vd(r, at)[i];
        x += s->a[k] * q / (h * h) - s->b[k] * g + (k < 2 ? s->u[k] * v / h : 0.0);
        y += s->a[k] * v / h - s->c[k] * g;
        z += s->a[k] * (q - at_q(r, at - 1)[i]) / (h * h);
    }
    for (int k = 0; k < 4; ++k) {
        z -= s->d[k] * at_vd(r, n + k - 2)[i];
    }
    return fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

/* of: consistency, the worst residual of the conditions of [AB07] sec. 3.1; zero, the modulus of the second root of (21), the first
 * is 1; run, how well a run in a flat space satisfies the
 * multistep formulas, relative to v' */
double measure_multistep(lab *L, const words *w)
{
    dal_ga_coef k;
    if (!ga_coefficients(&k, L, w)) {
        return NAN;
    }
    const multistep s = multistep_of(&k);
    if (words_is(w, "of:", "zero")) {
        return fabs(s.a[0] / s.a[2]);
    }
    if (words_is(w, "of:", "consistency")) {
        // j = 0: sum a; j = 1: sum a ((k-1)^2 - (k-2)^2)/2 = sum b'; j = 2: the same with cubes and first moments
        const double sum = s.a[0] + s.a[1] + s.a[2];
        const double first = (-3.0 * s.a[0] - s.a[1] + s.a[2]) / 2.0 - (s.d[0] + s.d[1] + s.d[2] + s.d[3]);
        const double second = (7.0 * s.a[0] + s.a[1] + s.a[2]) / 6.0 - (-2.0 * s.d[0] - s.d[1] + s.d[3]);
        return fmax(fabs(sum), fmax(fabs(first), fabs(second)));
    }
    const track *r = lab_run(L, w);
    double worst = 0.0, size = 0.0;
    for (int n = 2; n + 1 < r->n; ++n) {
        for (int i = 0; i < r->s->nv; ++i) {
            worst = larger(worst, multistep_residual(r, &s, words_number(w, "h=", NAN), n, i));
            size = fmax(size, fabs(at_vd(r, n)[i]));
        }
    }
    return good(r, worst / size);
}

/* ---- recursions ------------------------------------------------------------------------------- */

/* det(x I - T), n = 2 or 3 */
static double characteristic(const double *T, int n, double x)
{
    double A[9];
    for (int i = 0; i < n * n; ++i) {
        A[i] = (i % (n + 1) == 0 ? x : 0.0) - T[i];
    }
    return eliminate(A, NULL, n, 0);
}

/* det(x I - T) at nine x against sigma(x) of [AB07] (22), "multistep", divided by b'_3; (x + rho)^3, the "triple" eigenvalue;
 * the three eigenvalues of the stabilised index 2 formulation ([ABC15] theorem 2: a block of its own for the first) */
static double polynomial(const char *of, const double *T, const dal_ga_coef *k, double rho)
{
    const multistep s = multistep_of(k);
    const int ggl = strcmp(of, "ggl_eigenvalues") == 0;
    double worst = 0.0;
    for (int m = -4; m <= 4; ++m) {
        const double x = 0.25 * m;
        const double other = ggl ? x + k->alpha_m / (1.0 - k->alpha_m) : 1.0; // of accelerations along the constraints
        const double third = x + (2.0 * rho - 1.0) / (2.0 - rho);
        const double want = ggl                         ? third * (x + (3.0 * rho - 1.0) / (3.0 - rho)) * (x + rho)
                            : strcmp(of, "triple") == 0 ? pow(x + rho, 3)
                                                        : (s.d[0] + x * (s.d[1] + x * (s.d[2] + x * s.d[3]))) / s.d[3];
        worst = fmax(worst, fabs(other * characteristic(T, ggl ? 2 : 3, x) - want));
    }
    return worst;
}

/* [ABC15] sec. 4.1: J = X^-1 T X. Largest entry of T X - X J. divisor: in the middle of the first row of X */
static double jordan_form(const double *T, double mu, double divisor)
{
    const double X[3][3] = {{0.0, 1.0 - mu * mu, 0.0},
                            {0.5 * (1.0 + mu) / divisor, -(2.0 + mu), 1.0},
                            {-1.0 / ((1.0 - mu) * (1.0 - mu)), 0.0, 0.0}};
    double worst = 0.0, y[3];
    for (int j = 0; j < 3; ++j) {
        apply3(y, T, X[j]);
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, fabs(y[i] - mu * X[j][i] - (j > 0 ? X[j - 1][i] : 0.0)));
        }
    }
    return worst;
}

/* c_inf = max_n n (n - 1) rho^(n-2)/2: the corner of J^n, from T^n applied to the third column of X, whose second row is
 * (1 - mu^2) corner - (2 + mu) n mu^(n-1). */
static double jordan_bound(const double *T, double mu)
{
    double x[3] = {-1.0 / ((1.0 - mu) * (1.0 - mu)), 0.0, 0.0}, y[3], edge = 0.0, power = 1.0, most = 0.0;
    for (int n = 1; n < 3000; ++n) {
        apply3(y, T, x);
        memcpy(x, y, sizeof x);
        edge = mu * edge + power;
        power *= mu;
        most = fmax(most, fabs((x[1] + (2.0 + mu) * edge) / (1.0 - mu * mu)));
    }
    return most;
}

/* Largest entry of a column in the second row (that of e_lambda) of T^n, n >= 2; *at: its n */
static double row_entry(int *at, const double *T, int column)
{
    double x[3] = {0.0}, y[3], most = 0.0;
    x[column] = 1.0;
    for (int n = 1; n < 1000; ++n) {
        apply3(y, T, x);
        memcpy(x, y, sizeof x);
        if (n >= 2 && fabs(x[1]) > most) {
            most = fabs(x[1]);
            *at = n;
        }
    }
    return most;
}

/* Largest coefficient of det(x T-bar_+ - T-bar_0)/beta - (x + rho)^2, T-bar of [ACB15] (27) =
 * [[1 - gamma/beta, 1 - gamma/(2 beta)], [-1/beta, 1 - 1/(2 beta)]] */
static double rank_polynomial(const dal_ga_coef *k, double rho)
{
    const double a = 1.0 - k->gamma / k->beta, b = 1.0 - k->gamma * 0.5 / k->beta, d = 1.0 - 0.5 / k->beta;
    return fmax(fabs(a + d + 2.0 * rho), fabs(a * d + b / k->beta - rho * rho));
}

/* The recursion T of the errors for one rho; of: norm, max ||T^n||_2, or norm_step, its n; row1, row2, row3 and row1_step;
 * rule and rule_error, how far off it is; jordan_printed, jordan_form with 1 - mu^2; the rest as above; ggl_norm: that of the stabilised index 2 formulation */
double measure_recursion(lab *L, const words *w)
{
    const char *of = words_text(w, "of:");
    const double rho = words_number(w, "rho_inf=", NAN);
    const int ggl = strncmp(of, "ggl", 3) == 0, step = strstr(of, "_step") != NULL;
    double T[9] = {0.0}, x;
    dal_ga_coef k;
    int at = 0;
    const double rule = 0.9 / (1.0 - pow(rho, 0.25)); // approximates max ||T^n||
    if (strcmp(of, "rule") == 0) {
        return rule;
    }
    if (!recursion_of(T, &k, L, w, ggl ? DAL_FORMULATION_GGL : DAL_FORMULATION_INDEX3)) {
        return NAN;
    }
    if (strcmp(of, "rule_error") == 0) {
        x = fabs(rule / dal_error_amplification(&at, T, 3, 3000) - 1.0);
    } else if (strstr(of, "norm") != NULL) {
        x = dal_error_amplification(&at, T, ggl ? 2 : 3, 3000);
    } else if (strncmp(of, "row", 3) == 0) {
        x = row_entry(&at, T, of[3] - '1');
    } else if (strncmp(of, "jordan", 6) == 0) {
        x = strcmp(of, "jordan_bound") == 0
                ? jordan_bound(T, -rho)
                : jordan_form(T, -rho, strcmp(of, "jordan_form") == 0 ? 1.0 + rho : 1.0 - rho * rho);
    } else {
        x = strcmp(of, "rank") == 0 ? rank_polynomial(&k, rho) : polynomial(of, T, &k, rho);
    }
    return step ? at : x;
}

/* Spectral radius from ||T^n||, n = 2^16, by squaring; the factor n^2 of a Jordan block is worth 0.03 % then. */
static double radius(const double T[9])
{
    double X[9], Y[9], scale = 0.0;
    memcpy(X, T, sizeof X);
    for (int k = 0; k < 16; ++k) {
        double size = 0.0;
        for (int j = 0; j < 3; ++j) {
            apply3(Y + 3 * j, X, X + 3 * j);
        }
        for (int i = 0; i < 9; ++i) {
            size = fmax(size, fabs(Y[i]));
        }
        scale = 2.0 * scale + log(size);
        for (int i = 0; i < 9; ++i) {
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
double measure_stable_parameters(lab *L, const words *w)
{
    (void)w;
    double worst = 0.0;
    int accepted = 0;
    for (int i = 0; i < 13 * 21 * 7; ++i) {
        const int at_f = i % 13, at_m = i / 13 % 21, at_extra = i / (13 * 21);
        const double f = -0.8 + 0.1 * at_f, m = -1.47 + 0.1 * at_m, extra = -0.08 + 0.1 * at_extra;
        dal_options opt = dal_options_init();
        dal_ga_coef k;
        double T[9];
        int size;
        opt.parameters = DAL_PARAMETERS_FREE;
        opt.alpha_f = f, opt.alpha_m = m;
        opt.gamma = 0.5 + f - m;
        opt.beta = 0.25 + 0.5 * (f - m) + extra;
        if (dal_ga_coefficients(L->ctx, &k, &opt) == DAL_OK &&
            dal_error_recursion(L->ctx, T, &size, &k, DAL_FORMULATION_INDEX3) == DAL_OK) {
            worst = fmax(worst, radius(T));
            accepted++;
        }
    }
    dal_ctx_clear(L->ctx);
    return accepted > 100 ? worst : NAN;
}

/* ---- conditions on sigma and P ---------------------------------------------------------------- */

/* of: reduction, largest |1/3 - beta/gamma| for rho = 0.01 ... 1, times 3; formula, largest difference to (42) of [HAG] */
double measure_lie_coefficient(lab *L, const words *w)
{
    double worst = 0.0;
    for (int i = 1; i <= 100; ++i) {
        dal_options opt = dal_options_init();
        dal_ga_coef k;
        const double rho = opt.rho_inf = 0.01 * i;
        if (dal_ga_coefficients(L->ctx, &k, &opt) != DAL_OK) {
            return NAN;
        }
        const double is = 4.0 * k.C_h, want = (1.0 - 2.0 / ((1.0 + rho) * (1.0 - rho / 3.0))) / 3.0;
        worst = fmax(worst, words_is(w, "of:", "reduction") ? 3.0 * fabs(is) : fabs(is - want));
    }
    return worst;
}

/* Largest difference between the inverse of P = sigma I + (1 - sigma) T and (65) of [HAG], for theta of this length. */
double measure_inverse_P(lab *L, const words *w)
{
    (void)L;
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const double sigma = words_number(w, "sigma:", NAN), s = 1.0 - sigma, length = words_number(w, "length:", NAN);
    const double th[3] = {0.48 * length, -0.6 * length, 0.64 * length};
    const double hat[9] = {0.0, th[2], -th[1], -th[2], 0.0, th[0], th[1], -th[0], 0.0};
    double coef[32] = {0.0}, T[9], P[9], inverse[9], square[9], worst = 0.0;
    so3->prepare(coef, th, 3);
    so3->tangent(T, th, coef, 3);
    for (int i = 0; i < 9; ++i) {
        P[i] = s * T[i] + (i % 4 == 0 ? sigma : 0.0);
    }
    so3->invert(inverse, P, 3);
    for (int j = 0; j < 3; ++j) {
        apply3(square + 3 * j, hat, hat + 3 * j);
    }
    for (int i = 0; i < 9; ++i) {
        const double closed = (i % 4 == 0 ? 1.0 : 0.0) + 0.5 * s * (hat[i] - (2.0 - 3.0 * s) / 6.0 * square[i]);
        worst = fmax(worst, fabs(inverse[i] - closed));
    }
    return worst;
}
