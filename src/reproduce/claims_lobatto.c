/* [SM21]: Lobatto IIIA-IIIB for partitioned systems of index 2, on the nonholonomic particle. */
#include <math.h>

#include "reproduce/claim.h"
#include "reproduce/comparisons.h"

/* Order at t = 2 with arg[0] stages, arg[1] and twice as many steps; arg[2]: 0 q, 1 p, 2 lambda */
static double particle_order(const claim *c, lab *L)
{
    double err[2];
    for (int k = 0; k < 2; ++k) {
        const particle_run r = particle_errors(L, (int)c->arg[0], 2.0, (int)c->arg[1] << k);
        err[k] = c->arg[2] == 0.0 ? r.q : c->arg[2] == 1.0 ? r.p : r.la;
    }
    return log2(err[0] / err[1]);
}

/* Largest |phi| for s = 2 ... 5, 200 steps of 0.05. */
static double particle_constraint(const claim *c, lab *L)
{
    (void)c;
    double worst = 0.0;
    for (int s = 2; s <= 5; ++s) {
        const double phi = particle_errors(L, s, 10.0, 200).phi;
        worst = !(phi <= worst) ? phi : worst;
    }
    return worst;
}

/* Exponent of h in the local errors (arg[2] = 0) or in what an error of lambda_0 adds to them (1), with arg[0] stages:
 * arg[1] 0 q, 1 p, 2 lambda */
static double local_order(const claim *c, lab *L)
{
    double err[2];
    const double h = c->arg[0] < 4.0 ? 0.02 : c->arg[0] < 5.0 ? 0.05 : 0.1;
    for (int k = 0; k < 2; ++k) {
        const particle_run r = particle_local(L, (int)c->arg[0], h / (1 << k), c->arg[2] == 0.0 ? 0.0 : 1e-3);
        err[k] = c->arg[1] == 0.0 ? r.q : c->arg[1] == 1.0 ? r.p : fabs(r.la);
    }
    return log2(err[0] / err[1]);
}

/* What one step makes of an error of lambda_0, for h = 1e-3. */
static double lambda_factor(const claim *c, lab *L)
{
    return particle_local(L, (int)c->arg[0], 1e-3, 1e-3).la / 1e-3;
}

/* ---- coefficients ----------------------------------------------------------------------------- */

enum { S = DAL_STAGES_MAX };

/* x := A^-1 x by elimination with pivots, n x n; returns det A. A is destroyed. */
static double solve(double *A, double *x, int n)
{
    double det = 1.0;
    for (int j = 0; j < n; ++j) {
        int pivot = j;
        for (int i = j + 1; i < n; ++i) {
            pivot = fabs(A[i + n * j]) > fabs(A[pivot + n * j]) ? i : pivot;
        }
        for (int k = 0; pivot != j && k <= n; ++k) {
            double *a = k < n ? &A[j + n * k] : &x[j], *b = k < n ? &A[pivot + n * k] : &x[pivot], t = *a;
            *a = *b, *b = t;
        }
        det *= pivot != j ? -A[j + n * j] : A[j + n * j];
        for (int i = j + 1; i < n && A[j + n * j] != 0.0; ++i) {
            const double f = A[i + n * j] / A[j + n * j];
            for (int k = j; k < n; ++k) {
                A[i + n * k] -= f * A[j + n * k];
            }
            x[i] -= f * x[j];
        }
    }
    for (int j = n - 1; j >= 0; --j) {
        x[j] /= A[j + n * j];
        for (int i = 0; i < j; ++i) {
            x[i] -= A[i + n * j] * x[j];
        }
    }
    return det;
}

/* The part of A (or Ahat) without its first row and column, and its first column below. */
static void without_first(double *sub, double *column, const double *A, int s)
{
    for (int j = 1; j < s; ++j) {
        column[j - 1] = A[j];
        for (int i = 1; i < s; ++i) {
            sub[i - 1 + (s - 1) * (j - 1)] = A[i + s * j];
        }
    }
}

/* R(inf) of Lobatto IIIA: what one step makes of an error of lambda_0. A~ L = -A_1 l0, the last of L; (-1)^(s-1) times it,
 * the value farthest from 1 for s = 2 ... 8. arg[0] = 1: largest |det| of the same part of Ahat, which [SM21] (2.2) would
 * have to invert. */
static double at_infinity(const claim *c, lab *L)
{
    double worst = c->arg[0] == 0.0 ? 1.0 : 0.0;
    for (int s = 2; s <= 8; ++s) {
        double x[S], b[S], A[S * S], Ahat[S * S], sub[S * S], column[S];
        if (dal_lobatto_coefficients(L->ctx, x, b, A, Ahat, s) != DAL_OK) {
            return NAN;
        }
        without_first(sub, column, c->arg[0] == 0.0 ? A : Ahat, s);
        const double det = solve(sub, column, s - 1);
        const double R = -column[s - 2] * (s % 2 == 1 ? 1.0 : -1.0);
        if (c->arg[0] == 0.0) {
            worst = fabs(R - 1.0) > fabs(worst - 1.0) ? R : worst;
        } else {
            worst = fmax(worst, fabs(det));
        }
    }
    return worst;
}

/* Pairs of simplifying assumptions of [SM21] sec. 2: A Ahat c^(k-2) = Ahat A c^(k-2) = c^k/(k (k - 1)) and the adjoint ones.
 * Largest residual for s = 2 ... 8, C-Chat and D-Dhat for k <= s, the others for k <= s - 2. */
static double pair_residual(const double *c, const double *b, const double *F, const double *G, int s, int top,
                            int adjoint)
{
    double worst = 0.0;
    for (int k = 2; k <= top; ++k) {
        for (int i = 0; i < s; ++i) {
            double sum = 0.0;
            for (int j = 0; j < s; ++j) {
                for (int l = 0; l < s; ++l) {
                    sum += adjoint ? b[l] * pow(c[l], k - 2) * F[l + s * j] * G[j + s * i]
                                   : F[i + s * j] * G[j + s * l] * pow(c[l], k - 2);
                }
            }
            const double want =
                adjoint ? b[i] / (k * (k - 1)) * (pow(c[i], k) - (k * c[i] - (k - 1))) : pow(c[i], k) / (k * (k - 1));
            worst = fmax(worst, fabs(sum - want));
        }
    }
    return worst;
}

static double pairs(const claim *claim_, lab *L)
{
    (void)claim_;
    double worst = 0.0;
    for (int s = 2; s <= 8; ++s) {
        double c[S], b[S], A[S * S], Ahat[S * S];
        if (dal_lobatto_coefficients(L->ctx, c, b, A, Ahat, s) != DAL_OK) {
            return NAN;
        }
        for (int adjoint = 0; adjoint < 2; ++adjoint) {
            worst = fmax(worst, pair_residual(c, b, A, Ahat, s, s, adjoint));
            worst = fmax(worst, pair_residual(c, b, Ahat, A, s, s - 2, adjoint));
        }
    }
    return worst;
}

#define ORDER(id_, statement_, order, s, n, what)                                                    \
    {                                                                                                \
        .id = id_, .source = "[SM21] cor. 3.1, fig. 2", .statement = statement_, NEAR((order), 0.1), \
        BY(particle_order, NULL, (s), (n), (what))                                                   \
    }

static const claim CLAIMS[] = {
    ORDER("lobatto-s2-q", "Nonholonomic particle, 2 stages: order 2 in q.", 2, 2, 80, 0),
    ORDER("lobatto-s2-p", "Nonholonomic particle, 2 stages: order 2 in p.", 2, 2, 80, 1),
    ORDER("lobatto-s2-lambda", "Nonholonomic particle, 2 stages: order 2 in lambda.", 2, 2, 80, 2),
    ORDER("lobatto-s3-q", "Nonholonomic particle, 3 stages: order 4 in q.", 4, 3, 40, 0),
    ORDER("lobatto-s3-p", "Nonholonomic particle, 3 stages: order 4 in p.", 4, 3, 40, 1),
    ORDER("lobatto-s3-lambda", "Nonholonomic particle, 3 stages: order 2 in lambda.", 2, 3, 80, 2),
    ORDER("lobatto-s4-q", "Nonholonomic particle, 4 stages: order 6 in q.", 6, 4, 16, 0),
    ORDER("lobatto-s4-p", "Nonholonomic particle, 4 stages: order 6 in p.", 6, 4, 16, 1),
    ORDER("lobatto-s4-lambda", "Nonholonomic particle, 4 stages: order 4 in lambda.", 4, 4, 80, 2),
    ORDER("lobatto-s5-q", "Nonholonomic particle, 5 stages: order 8 in q.", 8, 5, 8, 0),
    ORDER("lobatto-s5-p", "Nonholonomic particle, 5 stages: order 8 in p.", 8, 5, 8, 1),
    ORDER("lobatto-s5-lambda", "Nonholonomic particle, 5 stages: order 4 in lambda.", 4, 5, 40, 2),
    {"lobatto-local-s2-q", "[SM21] theorem 3.4", "Nonholonomic particle, 2 stages: local error of q of order 3.",
     NEAR(3, 0.2), BY(local_order, NULL, 2, 0, 0)},
    {"lobatto-local-s2-p", "[SM21] theorem 3.4", "Nonholonomic particle, 2 stages: local error of p of order 3.",
     NEAR(3, 0.2), BY(local_order, NULL, 2, 1, 0)},
    {"lobatto-local-s2-lambda", "[SM21] theorem 3.4",
     "Nonholonomic particle, 2 stages: local error of lambda of order 2.", NEAR(2, 0.2),
     BY(local_order, NULL, 2, 2, 0)},
    {"lobatto-lambda0-s2", "[SM21] theorem 3.3",
     "Nonholonomic particle, 2 stages: an error of lambda_0 enters p with h^2.", NEAR(2, 0.2),
     BY(local_order, NULL, 2, 1, 1)},
    {"lobatto-lambda0-s2-q", "[SM21] theorem 3.3",
     "Nonholonomic particle, 2 stages: an error of lambda_0 enters q with h^2.", NEAR(2, 0.2),
     BY(local_order, NULL, 2, 0, 1)},
    {"lobatto-factor-s2", "[SM21] eq. (3.8)",
     "Nonholonomic particle, 2 stages: one step multiplies an error of lambda_0 by R(inf) = -1.", NEAR(-1.0, 0.01),
     BY(lambda_factor, NULL, 2)},
    {"lobatto-local-s3-q", "[SM21] theorem 3.4", "Nonholonomic particle, 3 stages: local error of q of order 5.",
     NEAR(5, 0.2), BY(local_order, NULL, 3, 0, 0)},
    {"lobatto-local-s3-p", "[SM21] theorem 3.4", "Nonholonomic particle, 3 stages: local error of p of order 5.",
     NEAR(5, 0.2), BY(local_order, NULL, 3, 1, 0)},
    {"lobatto-local-s3-lambda", "[SM21] theorem 3.4",
     "Nonholonomic particle, 3 stages: local error of lambda of order 3.", NEAR(3, 0.2),
     BY(local_order, NULL, 3, 2, 0)},
    {"lobatto-lambda0-s3", "[SM21] theorem 3.3",
     "Nonholonomic particle, 3 stages: an error of lambda_0 enters p with h^3.", NEAR(3, 0.2),
     BY(local_order, NULL, 3, 1, 1)},
    {"lobatto-lambda0-s3-q", "[SM21] theorem 3.3",
     "Nonholonomic particle, 3 stages: an error of lambda_0 enters q with h^3.", NEAR(3, 0.2),
     BY(local_order, NULL, 3, 0, 1)},
    {"lobatto-factor-s3", "[SM21] eq. (3.8)",
     "Nonholonomic particle, 3 stages: one step multiplies an error of lambda_0 by R(inf) = 1.", NEAR(1.0, 0.01),
     BY(lambda_factor, NULL, 3)},
    {"lobatto-local-s4-q", "[SM21] theorem 3.4", "Nonholonomic particle, 4 stages: local error of q of order 7.",
     NEAR(7, 0.2), BY(local_order, NULL, 4, 0, 0)},
    {"lobatto-local-s4-p", "[SM21] theorem 3.4", "Nonholonomic particle, 4 stages: local error of p of order 7.",
     NEAR(7, 0.3), BY(local_order, NULL, 4, 1, 0)},
    {"lobatto-local-s4-lambda", "[SM21] theorem 3.4",
     "Nonholonomic particle, 4 stages: local error of lambda of order 4.", NEAR(4, 0.2),
     BY(local_order, NULL, 4, 2, 0)},
    {"lobatto-lambda0-s4", "[SM21] theorem 3.3",
     "Nonholonomic particle, 4 stages: an error of lambda_0 enters p with h^4.", NEAR(4, 0.2),
     BY(local_order, NULL, 4, 1, 1)},
    {"lobatto-lambda0-s4-q", "[SM21] theorem 3.3",
     "Nonholonomic particle, 4 stages: an error of lambda_0 enters q with h^4.", NEAR(4, 0.2),
     BY(local_order, NULL, 4, 0, 1)},
    {"lobatto-factor-s4", "[SM21] eq. (3.8)",
     "Nonholonomic particle, 4 stages: one step multiplies an error of lambda_0 by R(inf) = -1.", NEAR(-1.0, 0.01),
     BY(lambda_factor, NULL, 4)},
    {"lobatto-local-s5-q", "[SM21] theorem 3.4", "Nonholonomic particle, 5 stages: local error of q of order 9.",
     NEAR(9, 0.2), BY(local_order, NULL, 5, 0, 0)},
    {"lobatto-local-s5-lambda", "[SM21] theorem 3.4",
     "Nonholonomic particle, 5 stages: local error of lambda of order 5.", NEAR(5, 0.3),
     BY(local_order, NULL, 5, 2, 0)},
    {"lobatto-lambda0-s5", "[SM21] theorem 3.3",
     "Nonholonomic particle, 5 stages: an error of lambda_0 enters p with h^5.", NEAR(5, 0.2),
     BY(local_order, NULL, 5, 1, 1)},
    {"lobatto-lambda0-s5-q", "[SM21] theorem 3.3",
     "Nonholonomic particle, 5 stages: an error of lambda_0 enters q with h^5.", NEAR(5, 0.2),
     BY(local_order, NULL, 5, 0, 1)},
    {"lobatto-factor-s5", "[SM21] eq. (3.8)",
     "Nonholonomic particle, 5 stages: one step multiplies an error of lambda_0 by R(inf) = 1.", NEAR(1.0, 0.01),
     BY(lambda_factor, NULL, 5)},
    {"lobatto-infinity", "[SM21] cor. 3.1, eq. (3.8)",
     "Lobatto IIIA with 2 to 8 stages: R(inf) = (-1)^(s-1) (the sign taken out).", NEAR(1.0, 1e-12),
     BY(at_infinity, NULL, 0)},
    {"lobatto-naive", "[SM21] eq. (2.2), sec. 2",
     "The naive scheme would have to invert the part of Ahat without its first stage: it is singular.", AT_MOST(1e-16),
     BY(at_infinity, NULL, 1)},
    {"lobatto-pairs", "[SM21] sec. 2",
     "Lobatto IIIA-IIIB, 2 to 8 stages: C-Chat(s), D-Dhat(s), Chat-C(s-2), Dhat-D(s-2).", AT_MOST(1e-14),
     BY(pairs, NULL, 0)},
    {"lobatto-constraint", "[SM21] sec. 2 and 5",
     "Nonholonomic particle, 2 to 5 stages: the constraint is kept to rounding on [0, 10].", AT_MOST(1e-14),
     BY(particle_constraint, NULL, 0)},
};

const claim *claims_lobatto(int *n)
{
    *n = CLAIM_LENGTH(CLAIMS);
    return CLAIMS;
}
