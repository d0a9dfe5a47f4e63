/* The iteration for large systems: one factored saddle matrix of the size of a single stage, taken in the middle of the
 * step, for all stages (LB.13). With C = K = Z = 0 and M, B frozen the stage equations decouple: let
 * At = (a_ij), i, j >= 2, and kappa_i = sum_k (At^-1)_ik a_k1; then alpha_i = y_i - kappa_i alpha_1 and
 *
 *     M alpha_1 = R_1,     [ M  B^T ] [ y_i  ]   [ R_i + kappa_i R_1      ]
 *                          [ B   0  ] [ mu_i ] = [ sum_k (At^-1)_ik S_k   ],   i >= 2
 *
 * for residuals R_i of (CS.2) and S_i of the velocity level. It converges when bodies turn little and forces change
 * little within a step; if it does not, the coupled matrix takes over for a while. A step of the spatial slider crank takes a
 * fifth of the instructions with 3 stages, a seventh with 4 (bench/table). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"

/* Unknowns from which on this is tried first: below, factoring the coupled matrix costs less than the iterations. */
enum { WORTH_IT = 64, PAUSE = 8 };
/* Iterations that the symmetric method, which solves to rounding, takes before the coupled matrix is cheaper. */
enum { PATIENT = 12 };

/* A rate promised by an earlier step is taken this much worse, and measured again after so many steps; none is taken for
 * better than the last. (LB.15) */
static const double caution = 10.0, fastest = 1e-4;
enum { MEMORY = 8 };

/* X := A^-1 X by Gauss-Jordan with row exchange, all n x n; A is destroyed. */
void dal_lb_solve(double *X, double *A, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(A[i + k * n]) > fabs(A[p + k * n]) ? i : p;
        }
        const double d = 1.0 / A[p + k * n];
        for (int j = 0; j < n; ++j) {
            const double a = A[p + j * n], x = X[p + j * n];
            A[p + j * n] = A[k + j * n];
            X[p + j * n] = X[k + j * n];
            A[k + j * n] = a * d;
            X[k + j * n] = x * d;
        }
        for (int i = 0; i < n; ++i) {
            const double f = i == k ? 0.0 : A[i + k * n];
            for (int j = 0; j < n && f != 0.0; ++j) {
                A[i + j * n] -= f * A[k + j * n];
                X[i + j * n] -= f * X[k + j * n];
            }
        }
    }
}

/* X := A^-1, likewise. */
static void invert(double *X, double *A, int n)
{
    for (int i = 0; i < n * n; ++i) {
        X[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    dal_lb_solve(X, A, n);
}

/* The symmetric method with holonomic rows alone. */
static int all_held(const dal_lobatto *lb)
{
    return lb->mid && lb->nc > 0 && lb->ev->nh == lb->nc;
}

/* Largest sum of absolute values in a row, n x n. */
static double row_norm(const double *A, int n)
{
    double norm = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += fabs(A[i + j * n]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

void dal_lb_saddle_coefficients(dal_lobatto *lb)
{
    const int s = lb->s, m = s - 1;
    double At[LB_MAX * LB_MAX];
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            At[i + j * m] = lb->E[0][i + 1 + j * s];
        }
    }
    invert(lb->Ainv, At, m);
    lb->gain = lb->mid && lb->ev->nh > 0 ? row_norm(lb->Ainv, m) : 0.0;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            At[i + j * m] = all_held(lb) ? lb->E[0][i + 1 + j * s] : lb->A[i + 1 + (j + 1) * s];
        }
    }
    invert(lb->Ainv, At, m);
    for (int i = 0; i < m; ++i) {
        lb->kappa[i] = 0.0;
        for (int k = 0; k < m; ++k) {
            lb->kappa[i] += lb->Ainv[i + k * m] * lb->A[k + 1];
        }
    }
}

/* Iterations up to which the matrix of the end of the last step is good enough for this one. */
enum { FEW = 3 };

/* M alone for the first stage, unless it is singular: its blocks are those of the saddle matrix. */
static dal_status factor_mass(dal_lobatto *lb)
{
    const dal_eval *ev = lb->ev;
    const dal_matrix *from = lb->saddle->matrix.A;
    dal_matrix *to = lb->mass.A;
    if (lb->singular_mass || all_held(lb)) {
        return DAL_OK;
    }
    int changed = !dal_linsol_factored(lb->mass.ls);
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(ev, p);
        for (int j = 0; j < b.nj; ++j) {
            double *x = to->x + to->slot[p][j];
            const double *y = from->x + from->slot[p][j];
            changed |= memcmp(x, y, (size_t)b.ni * sizeof(double)) != 0;
            dal_copy(x, y, b.ni);
        }
    }
    return changed ? dal_linsol_factor(lb->mass.ls) : DAL_OK;
}

/* Factor in the middle of the step as v_n and v'_n predict it: there M and B differ half as much from those of the stages
 * as at either end. */
static dal_status factor_middle(dal_lobatto *lb)
{
    const dal_state_buffer *s0 = lb->from;
    dal_saddle *saddle = lb->saddle;
    double *q = saddle->q1, *v = saddle->v1;
    for (int k = 0; k < lb->nv; ++k) {
        lb->w[k] = lb->h * (0.5 * s0->v[k] + 0.125 * lb->h * s0->vd[k]);
        v[k] = s0->v[k] + 0.5 * lb->h * s0->vd[k];
    }
    dal_retract(lb->ev->G, q, s0->q, lb->w);
    return dal_saddle_factor(saddle, &(dal_point){s0->t + 0.5 * lb->h, q, v, s0->vd, s0->la}, 1);
}

/* The factors of the end of the last step; if someone has used the saddle matrix for something else, once more. */
static dal_status factor_kept(dal_lobatto *lb)
{
    dal_saddle *s = lb->saddle;
    if (lb->factor_count != s->count) {
        const dal_point at = {lb->factor_t, lb->factor_q, s->zero, s->zero, s->zero};
        DAL_TRY(dal_saddle_factor(s, &at, 0));
        lb->factor_count = s->count;
    }
    return DAL_OK;
}

static dal_status factor(dal_lobatto *lb)
{
    const int kept = lb->factored == lb->from && lb->last_count > 0 && lb->last_count <= FEW;
    lb->newton.stats.jacobians++;
    lb->newton.stats.factorisations++;
    DAL_TRY(kept ? factor_kept(lb) : factor_middle(lb));
    return factor_mass(lb);
}

/* y := y - a x */
static void subtract(double *restrict y, double a, const double *restrict x, int n)
{
    for (int k = 0; k < n; ++k) {
        y[k] -= a * x[k];
    }
}

/* The same for the symmetric method: with W = (A Ahat), rows 2 .. s, columns 1 .. s-1,
 *
 *     [ M  B^T ] [ alpha_i ]   [ R_i           ]                                         [ R_s                                 ]
 *     [ B   0  ] [ mu_i    ] = [ (W^-1 S)_i    ],   i < s, S_i = Phi_(i+1)/h; stage s:   [ (vel - sum_j b_j (W^-1 S)_j)/b_s    ]
 */
static void apply_held(dal_lobatto *lb, double *dx, const double *r)
{
    const int s = lb->s, m = s - 1, nv = lb->nv, nc = lb->nc, n = nv + nc;
    const double *R = r + nc, *S = r + nv * s;
    double *last = lb->sides + m * n + nv;
    for (int k = 0; k < nc; ++k) {
        last[k] = -r[k];
    }
    for (int i = 0; i < s; ++i) {
        double *x = lb->sides + i * n;
        for (int k = 0; k < nv; ++k) {
            x[k] = -R[i * nv + k];
        }
        if (i < m) {
            dal_zero(x + nv, nc);
            for (int j = 0; j < m; ++j) {
                subtract(x + nv, lb->Ainv[i + j * m], S + nc * (j + 1), nc);
            }
            subtract(last, lb->b[i], x + nv, nc);
        }
    }
    for (int k = 0; k < nc; ++k) {
        last[k] /= lb->b[m];
    }
    dal_saddle_solve_many(lb->saddle, lb->sides, s);
    for (int i = 0; i < s; ++i) {
        dal_copy(dx + nc + i * nv, lb->sides + i * n, nv);
        dal_copy(i == 0 ? dx : dx + nv * s + nc * i, lb->sides + i * n + nv, nc);
    }
}

/* dx := - P^-1 r, P the matrix above */
static void apply(dal_lobatto *lb, double *dx, const double *r)
{
    const int s = lb->s, m = s - 1, nv = lb->nv, nc = lb->nc;
    const double *R = r + nc, *S = r + nv * s;
    double *x = lb->saddle->x, *first = dx + nc;
    for (int k = 0; k < nv; ++k) {
        x[k] = first[k] = -R[k];
    }
    if (lb->singular_mass) {
        for (int k = 0; k < nc; ++k) {
            x[nv + k] = -r[k];
        }
        dal_saddle_solve_roughly(lb->saddle);
        memcpy(first, x, (size_t)nv * sizeof(double));
        memcpy(dx, x + nv, (size_t)nc * sizeof(double));
    } else {
        dal_linsol_solve(lb->mass.ls, first);
        memset(dx, 0, (size_t)nc * sizeof(double));
    }
    for (int i = 1; i < s; ++i) {
        const double kappa = lb->kappa[i - 1];
        x = lb->sides + (i - 1) * (nv + nc);
        for (int k = 0; k < nv; ++k) {
            x[k] = -R[i * nv + k] - kappa * R[k];
        }
        dal_zero(x + nv, nc);
        for (int j = 1; j < s; ++j) {
            subtract(x + nv, lb->Ainv[i - 1 + (j - 1) * m], S + nc * j, nc);
        }
    }
    dal_saddle_solve_many(lb->saddle, lb->sides, m);
    for (int i = 1; i < s; ++i) {
        const double kappa = lb->kappa[i - 1];
        x = lb->sides + (i - 1) * (nv + nc);
        double *alpha = dx + nc + i * nv, *mu = dx + nv * s + nc * i;
        dal_copy(alpha, x, nv);
        subtract(alpha, kappa, first, nv);
        dal_copy(mu, x + nv, nc);
        subtract(mu, kappa, dx, nc);
    }
}

/* What is left of the increments at this rate: 0 too much, 1 within the tolerance, 2 far below it. Like Newton's method
 * with kept factors (NW.2) the iteration goes on to the latter if it can: what it leaves has the same sign in every step,
 * and the tolerance of the multipliers is a hundred times as large. */
static int remainder_is_small(double size, double rate)
{
    const double left = size * rate;
    return size == 0.0 || (rate < 1.0 && left <= 0.01 * (1.0 - rate)) ? 2 : rate < 1.0 && left <= 1.0 - rate;
}

/* The rate that the first iteration of an earlier step promises for this one, 1 if there is no promise. (LB.15) */
static double promised_rate(const dal_lobatto *lb)
{
    const int believed = lb->settled && lb->contraction > 0.0 && lb->unseen < MEMORY;
    return believed && lb->opt.predictor == DAL_PREDICTOR_EXTRAPOLATE ? fmin(caution * lb->contraction, 1.0) : 1.0;
}

/* The rate of a first iteration, for later steps. Increments below the tolerance consist of rounding in part: they
 * confirm a rate, no more. */
static void remember(dal_lobatto *lb, double first, double second)
{
    if (first >= 1.0) {
        lb->contraction = fmax(second / first, fastest);
    }
    if (first >= 1.0 || second <= 0.1) {
        lb->unseen = 0;
    }
}

static dal_status arrive(dal_lobatto *lb, int iterations, double rate)
{
    lb->newton.residual = rate * dal_max_product(lb->r, lb->weight, lb->n);
    lb->last_count = iterations;
    lb->unseen += iterations == 1;
    lb->problem.finish(lb);
    return lb->newton.residual <= lb->opt.atol ? DAL_OK : DAL_RETRY;
}

/* Iterate from the predicted values. DAL_RETRY when it converges too slowly. */
static dal_status iterate(dal_lobatto *lb)
{
    const dal_newton_problem *p = &lb->problem;
    const int most = lb->mid && lb->opt.max_iterations > PATIENT ? PATIENT : lb->opt.max_iterations;
    double last = 0.0, before = 1.0;
    int within = 0;
    DAL_TRY(factor(lb));
    for (int it = 0; it < most; ++it) {
        DAL_TRY(p->residual(lb, lb->r));
        if (all_held(lb)) {
            apply_held(lb, lb->dx, lb->r);
        } else {
            apply(lb, lb->dx, lb->r);
        }
        p->update(lb, lb->dx, 1.0);
        lb->newton.stats.iterations++;
        const double size = p->size(lb, lb->dx), rate = it > 0 ? size / last : promised_rate(lb);
        // the tolerance of the symmetric method is rounding: an increment within it is the last
        const int rounding = lb->mid && size <= (it > 0 ? lb->newton.opt.rounding : 0.01);
        const int small = rounding ? 2 : remainder_is_small(size, rate);
        if (it == 1) {
            remember(lb, last, size);
        }
        // at the level of rounding increments no longer decrease
        if (small == 2 || (it > 0 && small == 1 && (rate > 0.3 || it == most - 1)) || (within && rate > 0.3)) {
            return arrive(lb, it + 1, rate);
        }
        // what is left after all iterations at the rate of the last two; the first rates say little
        if (rate > 2.0 || (it > 3 && !(size * pow(rate * before, 0.5 * (most - it)) <= 1.0))) {
            break;
        }
        before = rate;
        last = size;
        within = it > 0 && small;
    }
    return DAL_RETRY;
}

int dal_lb_saddle_iteration(dal_lobatto *lb)
{
    if (lb->n < WORTH_IT || lb->ev->nlaws > 0 || (lb->mid && lb->ev->nh > 0 && lb->ev->nh < lb->nc)) {
        return 0;
    }
    if (lb->pause > 0) {
        lb->pause--;
        return 0;
    }
    if (iterate(lb) != DAL_OK) {
        lb->pause = PAUSE;
        lb->last_count = 0;
        lb->contraction = 0.0;
        return 0;
    }
    return 1;
}
