/* Coefficients of the generalized-alpha family, their stability, and the error recursion. */
#include <math.h>

#include "base/message.h"
#include "integrate/options.h"
#include "linsol/subspace.h"

static dal_ga_coef from_options(const dal_options *opt)
{
    const double rho = opt->rho_inf, alpha = opt->alpha;
    dal_ga_coef c = {0};
    switch (opt->parameters) {
    case DAL_PARAMETERS_CHUNG_HULBERT:
        c.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        c.alpha_f = rho / (rho + 1.0);
        c.gamma = 0.5 + c.alpha_f - c.alpha_m;
        c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
        break;
    case DAL_PARAMETERS_HHT:
        c.alpha_f = alpha;
        c.gamma = 0.5 + alpha;
        c.beta = 0.25 * (1.0 + alpha) * (1.0 + alpha);
        break;
    case DAL_PARAMETERS_NEWMARK:
        c.beta = opt->beta;
        c.gamma = opt->gamma;
        break;
    default:
        c.alpha_m = opt->alpha_m;
        c.alpha_f = opt->alpha_f;
        c.beta = opt->beta;
        c.gamma = opt->gamma;
        break;
    }
    return c;
}

static dal_status check_newmark(dal_ctx *ctx, const dal_ga_coef *c)
{
    if (c->gamma < 0.5 || 2.0 * c->beta < c->gamma) {
        return dal_fail(ctx, DAL_EOPTION,
                        "newmark with beta = %g, gamma = %g is not unconditionally stable: choose 2 beta >= gamma >= "
                        "1/2, or set allow_unstable",
                        c->beta, c->gamma);
    }
    if (c->gamma > 0.5) {
        dal_log(ctx, DAL_LOG_WARNING, "newmark with gamma = %g > 1/2 is only first-order accurate", c->gamma);
    }
    return DAL_OK;
}

static dal_status check_free(dal_ctx *ctx, const dal_ga_coef *c)
{
    if (!(c->alpha_m < c->alpha_f && c->alpha_f < 0.5)) {
        return dal_fail(ctx, DAL_EOPTION,
                        "alpha_m = %g, alpha_f = %g: stability needs alpha_m < alpha_f < 1/2. Choose others, or set "
                        "allow_unstable",
                        c->alpha_m, c->alpha_f);
    }
    if (!(c->beta > 0.25 + 0.5 * (c->alpha_f - c->alpha_m))) {
        return dal_fail(ctx, DAL_EOPTION,
                        "beta = %g: stability needs beta > 1/4 + (alpha_f - alpha_m)/2 = %g. Choose a larger one, or "
                        "set allow_unstable",
                        c->beta, 0.25 + 0.5 * (c->alpha_f - c->alpha_m));
    }
    if (fabs(c->gamma - (0.5 + c->alpha_f - c->alpha_m)) > 1e-12) {
        dal_log(ctx, DAL_LOG_WARNING, "gamma = %g differs from 1/2 + alpha_f - alpha_m = %g: first order only",
                c->gamma, 0.5 + c->alpha_f - c->alpha_m);
    }
    return DAL_OK;
}

dal_status dal_ga_coefficients(dal_ctx *ctx, dal_ga_coef *coef, const dal_options *options)
{
    dal_options all, *opt = &all;
    DAL_NEED(ctx, options);
    DAL_NEED(ctx, coef);
    DAL_TRY(dal_options_take(opt, ctx, options));
    dal_ga_coef c = from_options(opt);
    if (!opt->allow_unstable && opt->parameters == DAL_PARAMETERS_NEWMARK) {
        DAL_TRY(check_newmark(ctx, &c));
    }
    if (!opt->allow_unstable && opt->parameters == DAL_PARAMETERS_FREE) {
        DAL_TRY(check_free(ctx, &c));
    }
    if (c.beta <= 0.0 || c.gamma <= 0.0 || c.alpha_m >= 1.0 || c.alpha_f >= 1.0) {
        return dal_fail(ctx, DAL_EOPTION,
                        "the method needs beta > 0, gamma > 0, alpha_m < 1 and alpha_f < 1 (they are %g, %g, %g, %g)",
                        c.beta, c.gamma, c.alpha_m, c.alpha_f);
    }
    c.C_q = (1.0 - 6.0 * c.beta - 3.0 * (c.alpha_m - c.alpha_f)) / 6.0;
    c.sigma = opt->sigma_rule == DAL_SIGMA_OPT    ? c.gamma / (3.0 * c.beta)
              : opt->sigma_rule == DAL_SIGMA_SPIN ? c.gamma / c.beta * (1.0 / 3.0 - 4.0 * c.C_q)
                                                  : opt->sigma;
    c.C_h = 0.25 * (1.0 / 3.0 - c.sigma * c.beta / c.gamma);
    *coef = c;
    return DAL_OK;
}

/* ---- error recursion (ER.1) ------------------------------------------------------------------- */

dal_status dal_error_recursion(dal_ctx *ctx, double T[9], int *n, const dal_ga_coef *c, dal_formulation formulation)
{
    DAL_NEED_AS(ctx, c, "coef");
    DAL_NEED(ctx, T);
    DAL_NEED(ctx, n);
    const double am = c->alpha_m, af = c->alpha_f, b = c->beta, g = c->gamma;
    double plus3[9] = {0, 1, 0, 0, 0, 1 - af, -b, -g, 1 - am}, zero3[9] = {1, 1, 0, 0, 0, -af, 0.5 - b, 1 - g, -am};
    double plus2[4] = {0, 1 - af, -g, 1 - am}, zero2[4] = {0, -af, 1 - g, -am};
    if (formulation != DAL_FORMULATION_INDEX3 && formulation != DAL_FORMULATION_GGL) {
        return dal_fail(ctx, DAL_EINVAL, "the error recursion is defined for index3 and ggl");
    }
    const int size = formulation == DAL_FORMULATION_INDEX3 ? 3 : 2;
    double *A = size == 3 ? plus3 : plus2, *X = size == 3 ? zero3 : zero2;
    if (!dal_matrix_solve_small(A, X, size, size)) {
        return dal_fail(ctx, DAL_EINVAL, "the error recursion is singular for these coefficients");
    }
    *n = size;
    for (int i = 0; i < size * size; ++i) {
        T[i] = X[i];
    }
    return DAL_OK;
}

/* Spectral norm of an n x n matrix, n <= 3: the root of the largest eigenvalue of A^T A by power iteration
 * would converge slowly for nearly equal values, so the characteristic polynomial is used instead. */
static double spectral_norm(const double *A, int n)
{
    double S[9] = {0};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                S[i + 3 * j] += A[k + n * i] * A[k + n * j];
            }
        }
    }
    // largest root of the characteristic polynomial of S (symmetric, nonnegative): Newton from above
    const double c2 = S[0] + S[4] + S[8];
    const double c1 = S[0] * S[4] - S[1] * S[3] + S[0] * S[8] - S[2] * S[6] + S[4] * S[8] - S[5] * S[7];
    const double c0 =
        S[0] * (S[4] * S[8] - S[5] * S[7]) - S[3] * (S[1] * S[8] - S[2] * S[7]) + S[6] * (S[1] * S[5] - S[2] * S[4]);
    double x = c2;
    for (int it = 0; it < 200; ++it) {
        const double p = ((x - c2) * x + c1) * x - c0, d = (3.0 * x - 2.0 * c2) * x + c1;
        if (d <= 0.0 || p <= 0.0) {
            break;
        }
        const double next = x - p / d;
        if (next >= x) {
            break;
        }
        x = next;
    }
    return sqrt(fmax(x, 0.0));
}

double dal_error_amplification(int *attained_at, const double T[9], int n, int nmax)
{
    double P[9] = {0}, best = 0.0;
    for (int i = 0; i < n; ++i) {
        P[i + n * i] = 1.0;
    }
    for (int k = 0; k <= nmax; ++k) {
        const double norm = spectral_norm(P, n);
        if (norm > best) {
            best = norm;
            if (attained_at) {
                *attained_at = k;
            }
        }
        double Q[9] = {0};
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int l = 0; l < n; ++l) {
                    Q[i + n * j] += T[i + n * l] * P[l + n * j];
                }
            }
        }
        for (int i = 0; i < n * n; ++i) {
            P[i] = Q[i];
        }
    }
    return best;
}
