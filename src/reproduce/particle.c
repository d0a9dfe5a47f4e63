/* The scheme (2.6) of [SM21] as published, on its example: q' = p, p' = g = -dV/dq - phi_p^T lambda, phi = p_z - y p_x, V =
 * (x^2 + y^2)/2. Written for this system alone, by iteration on the stages: it shares no line with the integrator. (LB.11) */
#include <math.h>
#include <string.h>

#include "reproduce/measures.h"
#include "reproduce/particle.h"

enum { MAX = DAL_STAGES_MAX };

/* W = h g at a stage */
static void kick(double W[3], const double *q, double la, double h)
{
    W[0] = h * (-q[0] + la * q[1]);
    W[1] = h * -q[1];
    W[2] = h * -la;
}

double particle_phi(const double y[7])
{
    return y[5] - y[1] * y[3];
}

double particle_multiplier(const double y[7])
{
    return (y[0] * y[1] - y[3] * y[4]) / (1.0 + y[1] * y[1]);
}

/* Y_i = y + scale sum_j C_ij X_j for all stages i; X, Y: stage by stage */
static void sums(double (*Y)[3], const double *y, const double *C, double (*X)[3], int s, double scale)
{
    for (int i = 0; i < s; ++i) {
        for (int k = 0; k < 3; ++k) {
            double sum = 0.0;
            for (int j = 0; j < s; ++j) {
                sum += C[i + j * s] * X[j][k];
            }
            Y[i][k] = y[k] + scale * sum;
        }
    }
}

static void stage_sums(particle_stages *z, const particle_method *m, const double y[7], double h)
{
    sums(z->P, y + 3, m->Ahat, z->W, m->s, 1.0);
    sums(z->Q, y, m->A, z->P, m->s, h);
    sums(z->L, y + 3, m->A, z->W, m->s, 1.0);
}

/* One sweep over the stages: P, Q and L from W and Lambda, then W and Lambda, whose corrections solve h a_ij phi_p g_lambda
 * dLambda_j = -(phi_i + theta) with phi_p g_lambda of the start. Returns the largest change of h Lambda and W. */
static double sweep(particle_stages *z, const particle_method *m, const double y[7], double h, double theta)
{
    const int s = m->s;
    double dla[MAX] = {0.0}, a[MAX * MAX], W[3], change = 0.0;
    stage_sums(z, m, y, h);
    for (int i = 1; i < s; ++i) {
        dla[i - 1] = (z->L[i][2] - z->Q[i][1] * z->L[i][0] + theta) / (h * (1.0 + y[1] * y[1]));
    }
    for (int i = 0; i < (s - 1) * (s - 1); ++i) {
        a[i] = m->A[1 + i % (s - 1) + s * (1 + i / (s - 1))];
    }
    (void)eliminate(a, dla, s - 1, 1);
    for (int i = 0; i < s; ++i) {
        z->la[i] += i > 0 ? dla[i - 1] : 0.0;
        change = fmax(change, i > 0 ? h * fabs(dla[i - 1]) : 0.0);
        kick(W, z->Q[i], z->la[i], h);
        for (int k = 0; k < 3; ++k) {
            change = fmax(change, fabs(W[k] - z->W[i][k]));
            z->W[i][k] = W[k];
        }
    }
    return change;
}

dal_status particle_method_init(particle_method *m, dal_ctx *ctx, int stages)
{
    double c[MAX], b[MAX];
    m->s = stages;
    return dal_lobatto_coefficients(ctx, c, b, m->A, m->Ahat, stages);
}

static dal_status solve_stages(particle_stages *z, const particle_method *m, const double y[7], double h, double theta)
{
    enum { SWEEPS = 500 };
    double last = INFINITY;
    *z = (particle_stages){.la = {0.0}};
    for (int i = 0; i < m->s; ++i) {
        z->la[i] = y[6];
        kick(z->W[i], y, y[6], h);
    }
    for (int it = 0; it < SWEEPS; ++it) {
        const double change = sweep(z, m, y, h, theta);
        // down to rounding, where changes no longer become smaller
        if (change == 0.0 || (change <= 1e-13 && change >= 0.5 * last)) {
            stage_sums(z, m, y, h);
            return DAL_OK;
        }
        last = change;
    }
    return DAL_NOCONV;
}

dal_status particle_step(double y[7], const particle_method *m, double h)
{
    particle_stages z;
    DAL_TRY(solve_stages(&z, m, y, h, 0.0));
    memcpy(y, z.Q[m->s - 1], 3 * sizeof *y);
    memcpy(y + 3, z.L[m->s - 1], 3 * sizeof *y);
    y[6] = z.la[m->s - 1];
    return DAL_OK;
}

/* ---- errors ----------------------------------------------------------------------------------- */

static const particle_run failed = {NAN, NAN, NAN, NAN};

/* y at n times t; 0 on failure */
static int exact_states(double (*y)[7], lab *L, const double *t, int n)
{
    const words model = words_of("model:nonholonomic_particle");
    const track *exact = lab_exact(L, lab_subject(L, &model), t, n);
    for (int i = 0; i < n; ++i) {
        memcpy(y[i], at_q(exact, i), 3 * sizeof *y[i]);
        memcpy(y[i] + 3, at_v(exact, i), 3 * sizeof *y[i]);
        y[i][6] = *at_la(exact, i);
    }
    return exact->status == DAL_OK;
}

particle_run particle_errors(lab *L, int stages, double T, int n)
{
    const double t[2] = {0.0, T};
    double y[2][7], phi = 0.0;
    particle_method m;
    if (particle_method_init(&m, L->ctx, stages) != DAL_OK || !exact_states(y, L, t, 2)) {
        return failed;
    }
    y[0][6] = particle_multiplier(y[0]);
    for (int k = 0; k < n; ++k) {
        if (particle_step(y[0], &m, T / n) != DAL_OK) {
            return failed;
        }
        phi = fmax(phi, fabs(particle_phi(y[0])));
    }
    return (particle_run){distance(y[0], y[1], 3), distance(y[0] + 3, y[1] + 3, 3), fabs(y[0][6] - y[1][6]), phi};
}

particle_run particle_local(lab *L, int stages, double h, double dla)
{
    const double t[2] = {0.3, 0.3 + h};
    double y[2][7], start[7];
    particle_method m;
    if (particle_method_init(&m, L->ctx, stages) != DAL_OK || !exact_states(y, L, t, 2)) {
        return failed;
    }
    memcpy(start, y[0], sizeof start);
    start[6] += dla;
    // with dla the step without it is what it is compared with
    if (particle_step(start, &m, h) != DAL_OK || (dla != 0.0 && particle_step(y[0], &m, h) != DAL_OK)) {
        return failed;
    }
    const double *want = dla != 0.0 ? y[0] : y[1];
    return (particle_run){distance(start, want, 3), distance(start + 3, want + 3, 3), start[6] - want[6], NAN};
}

/* ---- measurements ----------------------------------------------------------------------------- */

/* of: q, p, la, errors at T; phi, the largest residual of the constraint on the way */
double measure_particle(lab *L, const words *w)
{
    const double T = words_number(w, "T:", NAN);
    const particle_run r =
        particle_errors(L, (int)words_number(w, "stages:", 2.0), T, (int)lround(T / words_number(w, "h=", NAN)));
    return words_is(w, "of:", "q") ? r.q : words_is(w, "of:", "p") ? r.p : words_is(w, "of:", "phi") ? r.phi : r.la;
}

/* Local errors, or with "perturbed:" what an error of lambda_0 adds to them; of: q, p, la, or factor, what a step makes of it */
double measure_particle_step(lab *L, const words *w)
{
    const double dla = words_number(w, "perturbed:", 0.0);
    const particle_run r = particle_local(L, (int)words_number(w, "stages:", 2.0), words_number(w, "h=", NAN), dla);
    return words_is(w, "of:", "q")    ? r.q
           : words_is(w, "of:", "p")  ? r.p
           : words_is(w, "of:", "la") ? fabs(r.la)
                                      : r.la / dla;
}

/* What a step from y0 + dy makes of p, less what the projectors of [SM21] theorem 3.3 make of dy: Pi_Q dq + Pi_P dp */
static double beyond_projectors(const double y0[7], const double dy[7], const double dp1[3])
{
    const double y = y0[1], along = (dy[5] - y * dy[3] - y0[3] * dy[1]) / (1.0 + y * y);
    const double left[3] = {dp1[0] - dy[3] - y * along, dp1[1] - dy[4], dp1[2] - dy[5] + along};
    return distance(left, NULL, 3);
}

/* Stages from the exact start. of: Q, P, la (beyond the first): their largest errors. push: what a change of 1e-6 of "lambda",
 * "theta" (all constraint rows), "q" or "p" of the start makes of them, or of:projector of p1, relative to it. */
double measure_particle_stages(lab *L, const words *w)
{
    static const double directions[7] = {0.5, 0.7, -0.3, 0.4, -0.6, 0.8, 1.0}, e = 1e-6;
    const char *push = words_text(w, "push:");
    const double h = words_number(w, "h=", NAN);
    const int s = (int)words_number(w, "stages:", 2.0), first = strcmp(push, "q") == 0   ? 0
                                                                : strcmp(push, "p") == 0 ? 3
                                                                                         : 6;
    const int last = push[0] == '\0' || strcmp(push, "theta") == 0 ? first - 1 : first == 6 ? 6 : first + 2;
    double c[MAX], b[MAX], t[MAX] = {0.3}, y[MAX][7] = {{0.0}}, start[7] = {0.0}, dy[7] = {0.0}, dp[3], worst = 0.0;
    particle_stages z, other;
    particle_method m;
    if (particle_method_init(&m, L->ctx, s) != DAL_OK ||
        dal_lobatto_coefficients(L->ctx, c, b, m.A, m.Ahat, s) != DAL_OK) {
        return NAN;
    }
    for (int i = 1; i < s; ++i) {
        t[i] = t[0] + c[i] * h;
    }
    if (!exact_states(y, L, t, s)) {
        return NAN;
    }
    memcpy(start, y[0], sizeof start);
    for (int i = first; i <= last; ++i) {
        start[i] += dy[i] = e * directions[i];
    }
    if (solve_stages(&z, &m, start, h, strcmp(push, "theta") == 0 ? e : 0.0) != DAL_OK ||
        solve_stages(&other, &m, y[0], h, 0.0) != DAL_OK) {
        return NAN;
    }
    for (int k = 0; k < 3; ++k) {
        dp[k] = z.L[s - 1][k] - other.L[s - 1][k];
    }
    for (int i = 1; i < s; ++i) {
        const double *q = push[0] != '\0' ? other.Q[i] : y[i], *p = push[0] != '\0' ? other.P[i] : y[i] + 3;
        const double la = push[0] != '\0' ? other.la[i] : y[i][6];
        worst = fmax(worst, words_is(w, "of:", "Q")   ? distance(z.Q[i], q, 3)
                            : words_is(w, "of:", "P") ? distance(z.P[i], p, 3)
                                                      : fabs(z.la[i] - la));
    }
    worst = words_is(w, "of:", "projector") ? beyond_projectors(y[0], dy, dp) : worst;
    return push[0] != '\0' ? worst / e : worst;
}

/* Largest |b^T M_1 ... M_k x| over products of k factors C, A, Ahat (lemma 3.2 of [SM21]); row: b^T M_1 ..., s numbers */
static double symbol_products(const double *row, int k, const double *c, const double *A, const double *Ahat,
                              const double *x, int s)
{
    double worst = 0.0, next[MAX];
    for (int i = 0; k == 0 && i < s; ++i) {
        worst += row[i] * x[i];
    }
    for (int which = 0; k > 0 && which < 3; ++which) {
        for (int j = 0; j < s; ++j) {
            next[j] = which == 0 ? row[j] * c[j] : 0.0;
            for (int i = 0; which > 0 && i < s; ++i) {
                next[j] += row[i] * (which == 1 ? A : Ahat)[i + s * j];
            }
        }
        worst = fmax(worst, symbol_products(next, k - 1, c, A, Ahat, x, s));
    }
    return fabs(worst);
}

/* Both combinations of lemma 3.2 for k <= s - 3: x = Ahat_1 - Ahat u and C u with u = A^- A_1 */
static double symbol_combinations(const double *c, const double *b, const double *A, const double *Ahat,
                                  const double *u, int s)
{
    double x[2][MAX], worst = 0.0;
    for (int i = 0; i < s; ++i) {
        x[0][i] = Ahat[i];
        for (int j = 0; j < s; ++j) {
            x[0][i] -= Ahat[i + s * j] * u[j];
        }
        x[1][i] = c[i] * u[i];
    }
    for (int k = 0; k <= s - 3; ++k) {
        worst =
            fmax(worst, fmax(symbol_products(b, k, c, A, Ahat, x[0], s), symbol_products(b, k, c, A, Ahat, x[1], s)));
    }
    return worst;
}

/* Pairs of simplifying assumptions of [SM21] sec. 2: A Ahat c^(k-2) = Ahat A c^(k-2) = c^k/(k (k - 1)) and the adjoint ones,
 * for k <= top: the largest residual */
static double pair_residual(const double *c, const double *b, const double *F, const double *G, int s, int top,
                            int adjoint)
{
    double worst = 0.0;
    for (int k = 2; k <= top; ++k) {
        for (int i = 0; i < s; ++i) {
            double sum = 0.0;
            for (int j = 0; j < s * s; ++j) {
                const int m = j / s, l = j % s;
                sum += adjoint ? b[l] * pow(c[l], k - 2) * F[l + s * m] * G[m + s * i]
                               : F[i + s * m] * G[m + s * l] * pow(c[l], k - 2);
            }
            const double want =
                adjoint ? b[i] / (k * (k - 1)) * (pow(c[i], k) - (k * c[i] - (k - 1))) : pow(c[i], k) / (k * (k - 1));
            worst = fmax(worst, fabs(sum - want));
        }
    }
    return worst;
}

/* Coefficients of Lobatto IIIA-IIIB. of: pairs, C-Chat(s), D-Dhat(s), Chat-C(s-2), Dhat-D(s-2); infinity, R(inf) of IIIA times
 * (-1)^(s-1), where A~ L = -A_1 l0 and the last of L is what a step makes of an error of lambda_0; determinant of the same part
 * of Ahat, which [SM21] (2.2) would have to invert; symbols, lemma 3.2 */
double measure_lobatto(lab *L, const words *w)
{
    const int s = (int)words_number(w, "stages:", 2.0), n = s - 1, symbols = words_is(w, "of:", "symbols");
    const int infinity = symbols || words_is(w, "of:", "infinity");
    double c[MAX], b[MAX], A[MAX * MAX], Ahat[MAX * MAX], part[MAX * MAX], u[MAX] = {0.0}, *column = u + 1, worst = 0.0;
    if (dal_lobatto_coefficients(L->ctx, c, b, A, Ahat, s) != DAL_OK) {
        return NAN;
    }
    if (words_is(w, "of:", "pairs")) {
        for (int adjoint = 0; adjoint < 2; ++adjoint) {
            worst = fmax(worst, pair_residual(c, b, A, Ahat, s, s, adjoint));
            worst = fmax(worst, pair_residual(c, b, Ahat, A, s, s - 2, adjoint));
        }
        return worst;
    }
    for (int i = 0; i < n * n; ++i) {
        part[i] = (infinity ? A : Ahat)[1 + i % n + s * (1 + i / n)];
        column[i % n] = (infinity ? A : Ahat)[1 + i % n];
    }
    const double det = eliminate(part, column, n, 1);
    if (symbols) {
        return symbol_combinations(c, b, A, Ahat, u, s);
    }
    return infinity ? -column[n - 1] * (s % 2 == 1 ? 1.0 : -1.0) : fabs(det);
}
