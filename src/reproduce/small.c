/* Systems that are small enough to be followed by hand: errors against their recursions, singular mass matrices. */
#include <math.h>
#include <string.h>

#include "reproduce/measures.h"

/* x := T x */
static void advance(double x[3], const double T[9])
{
    double y[3];
    apply3(y, T, x);
    memcpy(x, y, sizeof y);
}

/* The errors of q = t^3 w along the first coordinate at step n, exact minus computed: r = (h e_v + l_q)/h^2 with l_q = 6 C_q
 * h^3, e_lambda, e_a with a = v'(t + D h) */
static void cubic_errors(double e[3], const track *r, int n, const dal_ga_coef *k, double h)
{
    const double t = n * h, D = k->alpha_m - k->alpha_f;
    e[0] = (3.0 * t * t - at_v(r, n)[0]) / h + 6.0 * k->C_q * h;
    e[1] = -6.0 * t - at_la(r, n)[0];
    e[2] = 6.0 * (t + D * h) - r->a[n * r->s->nv];
}

/* A unit mass that follows q = t^3: largest |E_n - T^n E_0|. */
double measure_followed(lab *L, const words *w)
{
    double T[9], E[3] = {0.0}, is[3], worst = 0.0;
    dal_ga_coef k;
    const track *r = lab_run(L, w);
    if (!ga_recursion(T, &k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        cubic_errors(is, r, n, &k, words_number(w, "h=", NAN));
        if (n == 0) {
            memcpy(E, is, sizeof E);
        }
        for (int i = 0; i < 3; ++i) {
            worst = larger(worst, fabs(is[i] - E[i]));
        }
        advance(E, T);
    }
    return good(r, worst);
}

/* Example (11) of [ACB15] with a motion: M = 0, g = 0, B (q - t^3 w) = 0, w = (1, 2): lambda = 0, q = t^3 w. of: exact, largest
 * |lambda| and |q - t^3 w|; recursion, largest difference between the errors (r, e_a) of the first coordinate and T-bar^n of
 * their initial values, (27) */
double measure_driven_frame(lab *L, const words *w)
{
    const double h = words_number(w, "h=", NAN);
    const int exact = words_is(w, "of:", "exact");
    dal_ga_coef k;
    double worst = 0.0, E[2] = {0.0, 0.0}, e[3];
    const track *r = lab_run(L, w);
    if (!ga_coefficients(&k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double t = n * h, *q = at_q(r, n), motion[2] = {t * t * t, 2.0 * t * t * t};
        cubic_errors(e, r, n, &k, h);
        const double is[2] = {e[0], e[2]};
        if (n == 0) {
            memcpy(E, is, sizeof E);
        }
        worst =
            larger(worst, exact ? larger(distance(at_la(r, n), NULL, 3), distance(q, motion, 2)) : distance(is, E, 2));
        // T-bar_+ E_n+1 = T-bar_0 E_n
        const double a = -(E[0] + (0.5 - k.beta) * E[1]) / k.beta;
        E[0] += (1.0 - k.gamma) * E[1] + k.gamma * a;
        E[1] = a;
    }
    return good(r, worst);
}

/* q'' + omega^2 q = 0, z = h omega: max |E_n|/|E_0| of E = (h v, z^2 q, h^2 a). of:limit: of T^n E_0 with T of the recursion
 * for constraints, the limit of large z, relative to it */
double measure_overshoot(lab *L, const words *w)
{
    const double h = words_number(w, "h=", NAN), z = words_number(w, "z:", NAN);
    double T[9], E[3] = {0.0}, grown = 0.0, start = 0.0, limit = 0.0;
    dal_ga_coef k;
    const track *r = lab_run(L, w);
    if (!ga_recursion(T, &k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double is[3] = {h * at_v(r, n)[0], z * z * at_q(r, n)[0], h * h * r->a[3 * n]},
                     size = distance(is, NULL, 3);
        if (n == 0) {
            memcpy(E, is, sizeof E);
            start = size;
        }
        grown = larger(grown, size);
        limit = fmax(limit, distance(E, NULL, 3));
        advance(E, T);
    }
    return good(r, words_is(w, "of:", "limit") ? limit / grown : grown / start);
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

/* v' and lambda of the massless frame at its start by (10) of [ACB15] with M* = M + B^T B and g* = g + B^T Z, against those of
 * the library: the largest difference. */
double measure_modified_mass(lab *L, const words *w)
{
    const track *r = lab_run(L, w);
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
