/* Mechanisms with massless bodies: the saddle point system with M* = M + B^T B, and the decomposition of lemma 1 of [ACB15]. */
#include <math.h>
#include <string.h>

#include "reproduce/measures.h"

enum { K = 6, N = 5 }; /* velocities and rows of the mechanisms */

/* M, B, g and the rest Z of the acceleration level at a state; 0 on failure */
static int matrices(double *M, double *B, double *g, double *Z, lab *L, const subject *s, const double *q,
                    const double *v)
{
    const double zero[K] = {0.0};
    const dal_point at = {0.0, q, v, zero, zero};
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

/* v' and lambda of the massless frame at its start by (10) of [ACB15] with M* = M + B^T B and g* = g + B^T Z, against those of
 * the library: the largest difference. */
double measure_modified_mass(lab *L, const words *w)
{
    const track *r = lab_run(L, w);
    double M[K * K] = {0.0}, B[N * K] = {0.0}, Z[N] = {0.0}, g[K] = {0.0}, X[K * (N + 1)], S[N * N], la[N], vd[K];
    if (!matrices(M, B, g, Z, L, r->s, r->s->q0, r->s->v0)) {
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
    (void)eliminate(M, X, K, N + 1);
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
    (void)eliminate(S, la, N, 1);
    for (int i = 0; i < K; ++i) {
        vd[i] = -X[i + K * N];
        for (int a = 0; a < N; ++a) {
            vd[i] -= X[i + K * a] * la[a];
        }
    }
    return larger(distance(la, at_la(r, 0), N), distance(vd, at_vd(r, 0), K));
}

/* ---- lemma 1 ---------------------------------------------------------------------------------- */

/* (13): M = U diag(0, Lambda) U^T, B = Q [0, Bbar; I, 0] U^T, with `null` rows and columns of I. */
typedef struct split {
    int null, rest; /* k - r, m - (k - r) */
    double U[K * K], Q[N * N], Lambda[K], Bbar[N * K];
    double M[K * K], B[N * K], g[K], Z[N]; /* at the state */
} split;

/* Column `to` of Q: the unit vector that has most beyond the columns e, `n` of them and orthonormal, made orthonormal to them. */
static void complete(double *to, const double *e, int n)
{
    double best = 0.0;
    for (int unit = 0; unit < N; ++unit) {
        double x[N] = {0.0};
        x[unit] = 1.0;
        for (int j = 0; j < n; ++j) {
            const double along = e[unit + N * j];
            for (int i = 0; i < N; ++i) {
                x[i] -= along * e[i + N * j];
            }
        }
        const double left = distance(x, NULL, N);
        for (int i = 0; i < N && left > best; ++i) {
            to[i] = x[i] / left;
        }
        best = fmax(best, left);
    }
}

/* Q: its last columns are B U0, the first ones orthogonal to them. order: the coordinates without mass first */
static void choose_Q(split *p, const int order[K])
{
    double e[N * N];
    for (int j = 0; j < p->null; ++j) {
        double *x = e + N * j;
        memcpy(p->Q + N * (p->rest + j), p->B + N * order[j], N * sizeof *x);
        memcpy(x, p->B + N * order[j], N * sizeof *x);
        for (int l = 0; l < 2 * j; ++l) { // twice, for rounding
            const double *y = e + N * (l % j);
            double along = 0.0;
            for (int i = 0; i < N; ++i) {
                along += x[i] * y[i];
            }
            for (int i = 0; i < N; ++i) {
                x[i] -= along * y[i];
            }
        }
        const double size = distance(x, NULL, N);
        for (int i = 0; i < N; ++i) {
            x[i] /= size;
        }
    }
    for (int j = 0; j < p->rest; ++j) {
        complete(e + N * (p->null + j), e, p->null + j);
        memcpy(p->Q + N * j, e + N * (p->null + j), N * sizeof *e);
    }
}

/* The proof of lemma 1 for a diagonal M: its eigenvectors are the coordinates. 0 on failure */
static int decompose(split *p, lab *L, const subject *s, const double *q, const double *v)
{
    int order[K], n = 0;
    memset(p, 0, sizeof *p);
    if (!matrices(p->M, p->B, p->g, p->Z, L, s, q, v)) {
        return 0;
    }
    for (int massive = 0; massive < 2; ++massive) {
        p->null = massive ? n : 0;
        for (int i = 0; i < K; ++i) {
            if ((p->M[i + K * i] > 0.0) == massive) {
                order[n++] = i;
            }
        }
    }
    p->rest = N - p->null;
    choose_Q(p, order);
    // (Bbar; Bbarbar) = Q^-1 B U1, U = (U0, U1) [I, 0; Bbarbar^T, I]
    double Q[N * N], X[N * K];
    const int r = K - p->null;
    memcpy(Q, p->Q, sizeof Q);
    for (int j = 0; j < r; ++j) {
        memcpy(X + N * j, p->B + N * order[p->null + j], N * sizeof *X);
    }
    (void)eliminate(Q, X, N, r);
    for (int j = 0; j < K; ++j) {
        p->U[order[j] + K * j] = 1.0;
    }
    for (int j = 0; j < r; ++j) {
        p->Lambda[j] = p->M[order[p->null + j] * (K + 1)];
        memcpy(p->Bbar + p->rest * j, X + N * j, (size_t)p->rest * sizeof *X);
        for (int i = 0; i < p->null; ++i) {
            p->U[order[p->null + j] + K * i] = X[p->rest + i + N * j];
        }
    }
    return 1;
}

/* (13) multiplied out, less M and B: the largest entry */
static double lemma_residual(const split *p)
{
    double worst = 0.0;
    for (int i = 0; i < K; ++i) {
        for (int j = 0; j < K; ++j) {
            double x = -p->M[i + K * j];
            for (int l = p->null; l < K; ++l) {
                x += p->U[i + K * l] * p->Lambda[l - p->null] * p->U[j + K * l];
            }
            worst = larger(worst, fabs(x));
        }
        for (int a = 0; a < N; ++a) {
            double x = -p->B[a + N * i];
            for (int l = 0; l < K; ++l) {
                for (int b = 0; b < p->rest && l >= p->null; ++b) {
                    x += p->Q[a + N * b] * p->Bbar[b + p->rest * (l - p->null)] * p->U[i + K * l];
                }
                x += l < p->null ? p->Q[a + N * (p->rest + l)] * p->U[i + K * l] : 0.0;
            }
            worst = larger(worst, fabs(x));
        }
    }
    return worst;
}

/* x := A^-1 x, or A^-T x; A stays */
static void solve(const double *A, double *x, int n, int transposed)
{
    double C[K * K];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            C[i + n * j] = transposed ? A[j + n * i] : A[i + n * j];
        }
    }
    (void)eliminate(C, x, n, 1);
}

/* v' and lambda by (16), (17) and the acceleration level, each part by itself: lambda-barbar = -g-barbar; v-barbar from the last rows;
 * v-bar and lambda-bar from the saddle point system of full rank with Lambda and Bbar. Largest difference to those of the library */
static double split_start(const split *p, const track *run)
{
    const int null = p->null, rest = p->rest, r = K - null, n = r + rest;
    double g[K], w[N], A[(K + N) * (K + N)] = {0.0}, x[K + N], vd[K], la[N];
    memcpy(g, p->g, sizeof g);
    for (int a = 0; a < N; ++a) {
        w[a] = -p->Z[a];
    }
    solve(p->U, g, K, 0);
    solve(p->Q, w, N, 0);
    for (int i = 0; i < r; ++i) {
        A[i + n * i] = p->Lambda[i];
        x[i] = -g[null + i];
        for (int b = 0; b < rest; ++b) {
            A[r + b + n * i] = A[i + n * (r + b)] = p->Bbar[b + rest * i];
        }
    }
    memcpy(x + r, w, (size_t)rest * sizeof *x);
    (void)eliminate(A, x, n, 1);
    for (int i = 0; i < null; ++i) {
        vd[i] = w[rest + i];
        la[rest + i] = -g[i];
    }
    memcpy(vd + null, x, (size_t)r * sizeof *x);
    memcpy(la, x + r, (size_t)rest * sizeof *x);
    solve(p->U, vd, K, 1);
    solve(p->Q, la, N, 1);
    return larger(distance(la, at_la(run, 0), N), distance(vd, at_vd(run, 0), K));
}

/* y: the part of Q^T x that (16) calls lambda-bar, or with `null` lambda-barbar; returns its length */
static int part_of(double y[N], const split *p, const double *x, int null)
{
    const int first = null ? p->rest : 0, n = null ? p->null : p->rest;
    for (int j = 0; j < n; ++j) {
        y[j] = 0.0;
        for (int a = 0; a < N; ++a) {
            y[j] += p->Q[a + N * (first + j)] * x[a];
        }
    }
    return n;
}

/* Mechanisms with massless bodies. of: lemma, what (13) leaves; start, (17) against the library; algebraic, the largest
 * |lambda-barbar + g-barbar(q, v)| of a run; null and rest, its largest error of lambda-barbar and lambda-bar (18) */
double measure_split(lab *L, const words *w)
{
    const track *r = lab_run(L, w), *exact = lab_reference(L, w, r);
    const int algebraic = words_is(w, "of:", "algebraic"), null = !words_is(w, "of:", "rest");
    double worst = 0.0;
    split p;
    if (words_is(w, "of:", "lemma") || words_is(w, "of:", "start")) {
        return !decompose(&p, L, r->s, r->s->q0, r->s->v0) ? NAN
               : words_is(w, "of:", "lemma")               ? lemma_residual(&p)
                                                           : split_start(&p, r);
    }
    for (int n = 1; n < r->n; ++n) {
        const track *at = algebraic ? r : exact;
        double difference[N], x[N], g[K];
        if (!decompose(&p, L, r->s, at_q(at, n), at_v(at, n))) {
            return NAN;
        }
        for (int a = 0; a < N; ++a) {
            difference[a] = at_la(r, n)[a] - (algebraic ? 0.0 : at_la(exact, n)[a]);
        }
        const int length = part_of(x, &p, difference, null);
        memcpy(g, p.g, sizeof g);
        solve(p.U, g, K, 0);
        for (int i = 0; i < length && algebraic; ++i) {
            x[i] += g[i];
        }
        worst = larger(worst, distance(x, NULL, length));
    }
    return good(r, worst);
}
