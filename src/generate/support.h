/* What generated programs use beside the kernels of the library. */
#ifndef DAL_GENERATE_SUPPORT_H
#define DAL_GENERATE_SUPPORT_H

#include "mbs/node_kernel.h"
#include "mbs/row_kernel.h"
#include "projection/span_kernel.h"

/* Functions of the angle of a step, but those of T^-1; beyond 3.46 rad the step fails. */
static inline void angle_to_first(real *coef, const real w[3])
{
    const real x = dot3(w, w);
    real s[8];
    angle_series(s, 0.25 * x);
    coef[COEF_X] = x;
    coef[COEF_COS] = s[0];
    coef[COEF_SIN] = 0.5 * s[1];
    coef[COEF_C1] = s[0] * s[1];
    coef[COEF_C2] = 0.5 * s[1] * s[1];
    coef[COEF_C3] = 0.25 * (s[2] * s[1] + s[3]);
    coef[COEF_D2] = 0.25 * s[1] * (s[3] - s[2]);
    coef[COEF_D3] = 0.1875 * (s[4] + s[5] + s[2] * s[3]) - 0.125 * s[3] * (1.0 + s[1]);
    coef[COEF_X] = real_select(real_less(coef[COEF_X], REAL(12.0)), coef[COEF_X], REAL(NAN));
}

/* y = T c = c1 c - c2 w x c + c3 (w.c) w (LG.8) */
static inline void so3_step_apply(real y[3], const real c[3], const real w[3], const real *coef)
{
    const real c1 = coef[COEF_C1], c2 = coef[COEF_C2], along = coef[COEF_C3] * dot3(w, c);
    real wc[3];
    cross3(wc, w, c);
    for (int i = 0; i < 3; ++i) {
        y[i] = c1 * c[i] - c2 * wc[i] + along * w[i];
    }
}

/* T^-1 from them: kappa = s_0/s_1, gamma = m/s_1 with s_1 = 2 sin(phi/2)/phi, m = -d2/s_1 (LG.8) */
static inline void so3_step_inverse(real *Ti, int ld, const real w[3], const real *coef)
{
    const real r = 0.5 / coef[COEF_SIN];
    mat3_axial(Ti, ld, r * coef[COEF_COS], REAL(0.5), -coef[COEF_D2] * r * r, w);
}

static inline void angle_to_second(real *coef, const real w[3])
{
    real s[8];
    const real m = angle_first(coef, s, w);
    angle_second(coef, s, m);
    coef[COEF_E3] = angle_e3(s);
    coef[COEF_X] = real_select(real_less(coef[COEF_X], REAL(12.0)), coef[COEF_X], REAL(NAN));
}

static inline void angle_about_z(real *coef, real angle)
{
    const real w[3] = {REAL(0.0), REAL(0.0), angle};
    angle_to_first(coef, w);
}

/* Is number i of n results the literal c that it is near the parameters of the model? */
static inline real_mask start_holds(const real *x, int n, int i, real c)
{
    real size = REAL(0.0);
    for (int k = 0; k < n; ++k) {
        size = real_max(size, real_abs(x[k]));
    }
    return real_at_most(real_abs(x[i] - c), 1e-12 * size);
}

/* c += Q^T x and x -= Q Q^T x: n columns of Q, number j at B + order[j] m */
static inline void least_norm_project(real *c, real *x, const real *B, const int *order, int m, int n)
{
    for (int j = 0; j < n; ++j) {
        const real *q = B + order[j] * m;
        real y = REAL(0.0);
        for (int i = 0; i < m; ++i) {
            y += q[i] * x[i];
        }
        for (int i = 0; i < m; ++i) {
            x[i] -= y * q[i];
        }
        c[j] += y;
    }
}

/* Of nc rows of B, nv numbers each, the last nd of the order depend on the others: their coefficients, columns k of R (nc numbers each) with the -1
 * that stands at the row itself. The others become an orthogonal basis, by Gram and Schmidt, twice: normal equations would lose half
 * of the digits. square: of the levers, by which multipliers of rows that hold a place are compared with torques. */
static inline void least_norm_columns(real *R, real *square, real *B, const int *order, const double *unit,
                                      double length, int nv, int nc, int nd)
{
    const int nk = nc - nd;
    for (int k = 0; k < nc; ++k) {
        real *x = B + order[k] * nv, *y = R + k * nc, far = REAL(0.0), size = REAL(0.0);
        const int n = k < nk ? k : nk;
        for (int i = 0; i < nv; ++i) {
            far = real_max(far, unit[i] == length ? real_abs(x[i]) : REAL(0.0));
            x[i] *= unit[i];
        }
        square[k] = real_select(real_less(REAL(0.0), far), REAL(length * length), REAL(1.0));
        for (int j = 0; j < nc; ++j) {
            y[j] = REAL(0.0);
        }
        least_norm_project(y, x, B, order, nv, n);
        least_norm_project(y, x, B, order, nv, n);
        for (int i = 0; i < nv && k < nk; ++i) {
            size += x[i] * x[i];
        }
        size = real_sqrt(size);
        for (int i = 0; i < nv && k < nk; ++i) {
            x[i] /= size;
        }
        for (int j = nk - 1; j >= 0 && k >= nk; --j) {
            for (int i = j + 1; i < nk; ++i) {
                y[j] -= R[i * nc + j] * y[i];
            }
            y[j] /= R[j * nc + j];
        }
        y[k] = k < nk ? size : REAL(-1.0);
    }
}

/* la -= N (N^T W^2 N)^-1 N^T W^2 la (RD.2). R: nc nc, S: 2 nc + nd (nd + 1) numbers; rows of B are used up. */
static inline void least_norm(real *la, real *B, real *R, real *S, const int *order, const double *unit, double length,
                              int nv, int nc, int nd)
{
    real *square = S + nd * nd, *c = square + nc, *ordered = c + nd;
    least_norm_columns(R, square, B, order, unit, length, nv, nc, nd);
    for (int r = 0; r < nc; ++r) {
        ordered[r] = la[order[r]];
    }
    remove_span(ordered, R + (nc - nd) * nc, square, S, c, nc, nd);
    for (int r = 0; r < nc; ++r) {
        la[order[r]] = ordered[r];
    }
}

/* A block of 3 x 3 */
static inline void clear_block(real *A, int ld)
{
    for (int j = 0; j < 3; ++j) {
        A[j * ld] = A[j * ld + 1] = A[j * ld + 2] = REAL(0.0);
    }
}

/* M, C, K (nv x nv) += those of a frame with the lift L = S, V, Aq, Av (6 x nv each): S^T M6 S, S^T (C6 S + M6 Av), S^T (K6 S + C6 V
 * + M6 Aq); M6 NULL: none (MB.3) */
static inline void flex_add_lifted(real *M, real *C, real *K, int nv, const real *L, const real *M6, const real *C6,
                                   const real *K6)
{
    for (int j = 0; j < nv; ++j) {
        const real *S = L + 6 * j, *V = S + 6 * nv, *Aq = V + 6 * nv, *Av = Aq + 6 * nv;
        real m[6], c[6], k[6];
        for (int i = 0; i < 6; ++i) {
            m[i] = c[i] = k[i] = REAL(0.0);
        }
        for (int l = 0; l < 6; ++l) {
            for (int i = 0; i < 6; ++i) {
                c[i] += C6[i + 6 * l] * S[l];
                k[i] += K6[i + 6 * l] * S[l] + C6[i + 6 * l] * V[l];
            }
            for (int i = 0; i < 6 && M6; ++i) {
                m[i] += M6[i + 6 * l] * S[l];
                c[i] += M6[i + 6 * l] * Av[l];
                k[i] += M6[i + 6 * l] * Aq[l];
            }
        }
        for (int i = 0; i < nv; ++i) {
            const real *T = L + 6 * i;
            if (M6) {
                M[i + nv * j] += dot3(T, m) + dot3(T + 3, m + 3);
            }
            C[i + nv * j] += dot3(T, c) + dot3(T + 3, c + 3);
            K[i + nv * j] += dot3(T, k) + dot3(T + 3, k + 3);
        }
    }
}

/* K += W N, of a body whose columns 3 to 5 turn by N (3 x 3), the others stay */
static inline void flex_turn_columns(real *K, const real *W, int nv, const real N[9])
{
    for (int i = 0; i < nv; ++i) {
        for (int j = 0; j < nv; ++j) {
            const real *n = N + 3 * (j - 3);
            K[i + nv * j] +=
                j < 3 || j > 5 ? W[i + nv * j] : W[i + 3 * nv] * n[0] + W[i + 4 * nv] * n[1] + W[i + 5 * nv] * n[2];
        }
    }
}

/* Y (nv x nr) = W P^-1 B0^T, W nv x nv, B0 nr x m: P^-1 (3 x 3; NULL: it is I) turns entries 3 to 5 */
static inline void flex_eta(real *Y, const real *W, int nv, const real *B0, int nr, int m, const real *P)
{
    memset(Y, 0, (size_t)(nv * nr) * sizeof(real));
    for (int r = 0; r < nr; ++r) {
        for (int j = 0; j < m; ++j) {
            real b = B0[r + nr * j];
            if (P && j >= 3 && j < 6) {
                b = P[j - 3] * B0[r + 3 * nr] + P[j] * B0[r + 4 * nr] + P[j + 3] * B0[r + 5 * nr];
            }
            for (int i = 0; i < nv; ++i) {
                Y[i + nv * r] += W[i + nv * j] * b;
            }
        }
    }
}

/* A frame that the program changes itself: what it begins with. */
static inline void number_kept(real y[12], const real x[12], int number)
{
    (void)number;
    memcpy(y, x, 12 * sizeof(real));
}

/* A frame on the ground. */
static inline void mb_side_fixed(mb_side *S, const mb_state *ground, const real *a, const real *A)
{
    S->b = ground;
    S->a = a;
    copy3(S->s, a);
    copy3(S->p, a);
    memset(S->ws, 0, sizeof S->ws);
    memset(S->pd, 0, sizeof S->pd);
    memset(S->pdd, 0, sizeof S->pdd);
    if (A) {
        memcpy(S->E, A, sizeof S->E);
    }
}

/* g . p'' + V^T H V, z = V^T H */
static inline real row_acceleration(const real g[12], const real z[12], const mb_pairing *P)
{
    real V[12], W[12], sum = REAL(0.0);
    mb_pairing_velocity(V, P);
    mb_pairing_acceleration(W, P);
    for (int k = 0; k < 12; ++k) {
        sum += g[k] * W[k] + z[k] * V[k];
    }
    return sum;
}

/* A table of n points: x, y, second derivatives one after the other. Cubic between them, straight lines outside. */
static inline void function_table(real y[3], const double *c, int n, int is_periodic, real x)
{
    const double *X = c, *Y = X + n, *M = Y + n;
    if (is_periodic) {
        const double period = X[n - 1] - X[0];
        const real turns = (x - X[0]) / period, near = real_rint(turns);
        x -= (near - real_select(real_less(turns, near), REAL(1.0), REAL(0.0))) * period;
    }
    real x0 = REAL(X[0]), x1 = REAL(X[1]), y0 = REAL(Y[0]), y1 = REAL(Y[1]), m0 = REAL(M[0]), m1 = REAL(M[1]);
    for (int i = 1; i < n - 1; ++i) {
        const real_mask before = real_less(x, REAL(X[i]));
        x0 = real_select(before, x0, REAL(X[i])), x1 = real_select(before, x1, REAL(X[i + 1]));
        y0 = real_select(before, y0, REAL(Y[i])), y1 = real_select(before, y1, REAL(Y[i + 1]));
        m0 = real_select(before, m0, REAL(M[i])), m1 = real_select(before, m1, REAL(M[i + 1]));
    }
    const real L = x1 - x0, at = real_min(real_max(x, REAL(X[0])), REAL(X[n - 1])), a = (x1 - at) / L, b = 1.0 - a;
    const real outside = x - at, off = real_max(outside, -outside);
    y[0] = a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * L * L / 6.0;
    y[1] = (y1 - y0) / L + ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0) * L / 6.0;
    y[2] = real_select(real_less(REAL(0.0), off), REAL(0.0), a * m0 + b * m1);
    y[0] += y[1] * outside;
}

/* Elements of beams side by side: number k of element e at x[PACK_ROOM k + e], x + e for those from e on. */
enum { PACK_ROOM = 8 };

static inline void pack_load(real *y, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        memcpy(&y[k], x + PACK_ROOM * k, sizeof y[k]);
    }
}

static inline void pack_store(double *x, const real *y, int n)
{
    for (int k = 0; k < n; ++k) {
        memcpy(x + PACK_ROOM * k, &y[k], sizeof y[k]);
    }
}

/* The numbers of a frame, thirteen of them */
static inline void pack_load_frame(beam_frame *f, const double *x)
{
    pack_load(f->x, x, 3);
    pack_load(f->p, x + 3 * PACK_ROOM, 4);
    pack_load(f->xd, x + 7 * PACK_ROOM, 3);
    pack_load(f->Om, x + 10 * PACK_ROOM, 3);
}

static inline void pack_store_frame(double *x, const beam_frame *f)
{
    pack_store(x, f->x, 3);
    pack_store(x + 3 * PACK_ROOM, f->p, 4);
    pack_store(x + 7 * PACK_ROOM, f->xd, 3);
    pack_store(x + 10 * PACK_ROOM, f->Om, 3);
}

/* n numbers of each element: those from `from` to `to` are the ones of the last before */
static inline void pack_fill(double *x, int n, int from, int to)
{
    for (int k = 0; k < n; ++k) {
        for (int e = from; e < to; ++e) {
            x[PACK_ROOM * k + e] = x[PACK_ROOM * k + from - 1];
        }
    }
}

/* n numbers of one element */
static inline void pack_take(double *y, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        y[k] = x[PACK_ROOM * k];
    }
}

#endif
