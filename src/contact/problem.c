#include "contact/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "dalembert/linsol.h"

static const double tolerance = 1e-13, proximal = 1e-6;
enum { ITERATIONS = 40 };

typedef struct solver {
    dal_contact_problem *P;
    int n;
    double *r_n, *r_t; /* m: prox parameters for kappa = 1, (CT.10) */
    double kappa, scale;
    double *F, *p, *start; /* N: residual, iterate, where attempts begin */
    int *state;
    dal_linsol *ls;
    double *J; /* N x N */
} solver;

static double w_of(const solver *s, const double *p, int i)
{
    double w = s->P->d[i];
    for (int j = 0; j < s->n; ++j) {
        w += s->P->D[i + j * s->n] * p[j];
    }
    return w;
}

/* Row i of J = r D_i, scaled. */
static void row_of_D(const solver *s, int i, double r)
{
    for (int j = 0; j < s->n; ++j) {
        s->J[i + j * s->n] = r * s->P->D[i + j * s->n];
    }
}

/* Rows t, t + 1 .. of a contact that slides: p_t - rho e, e = z/|z|. closed: where p_n is, -1: rho does not depend on it. */
static void sliding_rows(const solver *s, int t, int k, int closed, double mu, double rho, const double z[3], double r)
{
    const double size = sqrt(dal_dot(z, z, 3)), part = rho / size;
    const double e[3] = {z[0] / size, z[1] / size, z[2] / size};
    for (int a = 0; a < k && a < 3; ++a) {
        s->F[t + a] = s->p[t + a] - rho * e[a];
        for (int b = 0; b < k && b < 3; ++b) {
            const double Q = part * ((a == b) - e[a] * e[b]);
            for (int j = 0; j < s->n; ++j) {
                s->J[t + a + j * s->n] += Q * r * s->P->D[t + b + j * s->n];
            }
            s->J[t + a + (t + b) * s->n] += (a == b) - Q;
        }
        if (closed >= 0) {
            s->J[t + a + closed * s->n] -= mu * e[a];
        }
    }
}

/* (CT.9): residual and its derivative for one contact. */
static void contact_rows(const solver *s, int c)
{
    const dal_contact_problem *P = s->P;
    const int a = P->first[c], normal = P->normal[c], t = a + normal, k = P->first[c + 1] - t;
    const double r_n = s->kappa * s->r_n[c], r_t = s->kappa * s->r_t[c];
    int open = 0;
    if (normal) {
        const double w = w_of(s, s->p, a);
        open = s->p[a] - r_n * w <= 0.0;
        s->F[a] = open ? s->p[a] : r_n * w;
        if (open) {
            s->J[a + a * s->n] = 1.0;
        } else {
            row_of_D(s, a, r_n);
        }
    }
    const double rho = normal ? P->mu[c] * fmax(s->p[a], 0.0) : P->mu[c];
    double z[3] = {0.0, 0.0, 0.0}, w[3];
    for (int i = 0; i < k; ++i) {
        w[i] = w_of(s, s->p, t + i);
        z[i] = s->p[t + i] - r_t * w[i];
    }
    const int sticks = k > 0 && !open && dal_dot(z, z, 3) <= rho * rho;
    s->state[c] = open ? DAL_CONTACT_OPEN : sticks ? DAL_CONTACT_STICKS : DAL_CONTACT_SLIDES;
    for (int i = 0; i < k && (open || sticks); ++i) {
        s->F[t + i] = open ? s->p[t + i] : r_t * w[i];
        if (open) {
            s->J[t + i + (t + i) * s->n] = 1.0;
        } else {
            row_of_D(s, t + i, r_t);
        }
    }
    if (k > 0 && s->state[c] == DAL_CONTACT_SLIDES) {
        sliding_rows(s, t, k, normal && s->p[a] > 0.0 ? a : -1, P->mu[c], rho, z, r_t);
    }
}

/* Residual relative to the size of forces. */
static double evaluate(const solver *s)
{
    memset(s->J, 0, (size_t)s->n * (size_t)s->n * sizeof(double));
    for (int c = 0; c < s->P->m; ++c) {
        contact_rows(s, c);
    }
    return dal_max_abs(s->F, s->n) / (s->scale + dal_max_abs(s->p, s->n));
}

static void keep_if_better(const solver *s, double residual)
{
    dal_contact_problem *P = s->P;
    if (residual < P->residual) {
        P->residual = residual;
        dal_copy(P->p, s->p, s->n);
        memcpy(P->state, s->state, (size_t)P->m * sizeof(int));
    }
}

/* Newton's method with the proximal term (CT.11) from s->p. 1: solved. */
static int newton(const solver *s)
{
    for (int it = 0; it < ITERATIONS; ++it) {
        const double residual = evaluate(s);
        s->P->iterations++;
        keep_if_better(s, residual);
        if (residual <= tolerance) {
            return 1;
        }
        for (int i = 0; i < s->n; ++i) {
            s->J[i + i * s->n] += proximal * (1.0 + fabs(s->J[i + i * s->n]));
        }
        if (dal_linsol_factor(s->ls) != DAL_OK) {
            return 0;
        }
        dal_linsol_solve(s->ls, s->F);
        for (int i = 0; i < s->n; ++i) {
            s->p[i] -= s->F[i];
        }
        if (!(dal_max_abs(s->p, s->n) <= 1e12 * s->scale)) {
            return 0;
        }
    }
    return 0;
}

/* Projected Gauss-Seidel with kappa = 1. */
static void sweep(const solver *s, int sweeps)
{
    const dal_contact_problem *P = s->P;
    static const double relaxation = 0.9;
    for (int it = 0; it < sweeps; ++it) {
        for (int c = 0; c < P->m; ++c) {
            const int a = P->first[c], t = a + P->normal[c], k = P->first[c + 1] - t;
            if (P->normal[c]) {
                s->p[a] = fmax(0.0, s->p[a] - relaxation * s->r_n[c] * w_of(s, s->p, a));
            }
            const double rho = P->normal[c] ? P->mu[c] * s->p[a] : P->mu[c];
            double z[3] = {0.0, 0.0, 0.0};
            for (int i = 0; i < k; ++i) {
                z[i] = s->p[t + i] - relaxation * s->r_t[c] * w_of(s, s->p, t + i);
            }
            const double size = sqrt(dal_dot(z, z, 3));
            for (int i = 0; i < k; ++i) {
                s->p[t + i] = size <= rho ? z[i] : rho * z[i] / size;
            }
        }
    }
}

static void find_scales(solver *s)
{
    const dal_contact_problem *P = s->P;
    double top = DBL_MIN;
    for (int i = 0; i < s->n; ++i) {
        top = fmax(top, fabs(P->D[i + i * s->n]));
    }
    double largest = 0.0;
    for (int c = 0; c < P->m; ++c) {
        const int a = P->first[c], t = a + P->normal[c];
        double diagonal = 1e-12 * top;
        s->r_n[c] = P->normal[c] ? 1.0 / fmax(fabs(P->D[a + a * s->n]), diagonal) : 0.0;
        for (int i = t; i < P->first[c + 1]; ++i) {
            diagonal = fmax(diagonal, fabs(P->D[i + i * s->n]));
        }
        s->r_t[c] = P->first[c + 1] > t ? 1.0 / diagonal : 0.0;
        largest = fmax(largest, fmax(s->r_n[c], s->r_t[c]));
    }
    s->scale = fmax(dal_max_abs(P->d, s->n) * largest, DBL_MIN);
}

static void attempts(solver *s)
{
    static const struct {
        double kappa;
        int sweeps;
    } ladder[] = {{3.0, 0}, {10.0, 0}, {1.0, 0}, {0.3, 0}, {3.0, 300}, {3.0, 5000}};
    dal_contact_problem *P = s->P;
    for (size_t k = 0; k < sizeof ladder / sizeof *ladder && (P->most == 0 || P->attempts < P->most); ++k) {
        P->attempts++;
        s->kappa = ladder[k].kappa;
        dal_copy(s->p, s->start, s->n);
        sweep(s, ladder[k].sweeps);
        if (newton(s)) {
            return;
        }
    }
}

dal_status dal_contact_solve(dal_contact_problem *P, dal_ctx *ctx)
{
    const int n = P->first[P->m];
    solver s = {.P = P, .n = n};
    dal_pattern *pattern = NULL;
    P->residual = n > 0 ? INFINITY : 0.0;
    P->iterations = P->attempts = 0;
    if (n <= 0) {
        return DAL_OK;
    }
    double *room = dal_alloc(ctx, ((size_t)(2 * P->m) + 3 * (size_t)n) * sizeof(double) + (size_t)P->m * sizeof(int));
    if (!room) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the contact problem");
    }
    dal_status st = dal_pattern_create(&pattern, ctx, n);
    st = st == DAL_OK ? dal_pattern_block(pattern, 0, 0, n, n) : st;
    st = st == DAL_OK ? dal_linsol_create(&s.ls, ctx, pattern, n < 60 ? DAL_LINSOL_SMALL : DAL_LINSOL_DENSE) : st;
    if (st == DAL_OK) {
        s.r_n = room;
        s.r_t = s.r_n + P->m;
        s.F = s.r_t + P->m;
        s.p = s.F + n;
        s.start = s.p + n;
        s.state = (int *)(s.start + n);
        s.J = dal_linsol_matrix(s.ls)->x;
        dal_copy(s.start, P->p, n);
        find_scales(&s);
        attempts(&s);
        // the proximal term leaves a trace of what opens
        for (int c = 0; c < P->m && P->residual <= tolerance; ++c) {
            for (int i = P->first[c]; i < P->first[c + 1] && P->state[c] == DAL_CONTACT_OPEN; ++i) {
                P->p[i] = 0.0;
            }
        }
        for (int i = 0; i < n; ++i) {
            P->w[i] = w_of(&s, P->p, i);
        }
    }
    dal_linsol_destroy(s.ls);
    dal_pattern_destroy(pattern);
    dal_free(ctx, room);
    return st;
}

/* ---- redundant contacts ----------------------------------------------------------------------- */

/* Does a row of A (n x n), which is lost, depend on those before? */
static int is_singular(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        const double whole = A[j + n * j];
        for (int k = 0; k < j; ++k) {
            for (int i = j; i < n; ++i) {
                A[i + n * j] -= A[i + n * k] * A[j + n * k];
            }
        }
        if (!(A[j + n * j] > 1e-9 * whole)) {
            return 1;
        }
        const double pivot = sqrt(A[j + n * j]);
        for (int i = j; i < n; ++i) {
            A[i + n * j] /= pivot;
        }
    }
    return 0;
}

/* (CT.31) from zero into near->p, which has room; *off: by how much the last one moved, of the largest. */
static dal_status proximal_points(dal_contact_problem *near, const dal_contact_problem *P, dal_ctx *ctx, double *off)
{
    static const double weight = 1e-2;
    const int n = P->first[P->m];
    double *D = near->p + 4 * (size_t)n, *d = near->p + 2 * (size_t)n, *before = near->p + 3 * (size_t)n, top = 0.0;
    for (int i = 0; i < n; ++i) {
        top = fmax(top, P->D[i + i * n]);
    }
    dal_copy(D, P->D, n * n);
    for (int i = 0; i < n; ++i) {
        D[i + i * n] += weight * top;
    }
    *off = 1.0;
    for (int it = 0; it < 30 && *off > 1e-13; ++it) {
        double moved = 0.0;
        dal_copy(before, near->p, n);
        for (int i = 0; i < n; ++i) {
            d[i] = P->d[i] - weight * top * before[i];
        }
        DAL_TRY(dal_contact_solve(near, ctx));
        for (int i = 0; i < n; ++i) {
            moved = fmax(moved, fabs(near->p[i] - before[i]));
        }
        *off = moved / fmax(dal_max_abs(near->p, n), DBL_MIN);
    }
    return DAL_OK;
}

dal_status dal_contact_solve_shared(dal_contact_problem *P, dal_ctx *ctx)
{
    const int n = P->first[P->m];
    dal_zero(P->p, n);
    DAL_TRY(dal_contact_solve(P, ctx));
    double *room = P->m > 1 ? dal_alloc(ctx, ((size_t)n * (size_t)(n + 4)) * sizeof(double)) : NULL;
    if (!room || P->residual > 1e-8) {
        dal_free(ctx, room);
        return P->m > 1 && !room ? dal_fail(ctx, DAL_ENOMEM, "no memory for the contact problem") : DAL_OK;
    }
    dal_contact_problem near = *P, first = *P;
    dal_status st = DAL_OK;
    double off = 1.0;
    near.p = room;
    near.w = room + n;
    near.d = room + 2 * (size_t)n;
    near.D = room + 4 * (size_t)n;
    dal_copy(room + 4 * (size_t)n, P->D, n * n);
    if (is_singular(room + 4 * (size_t)n, n)) {
        dal_zero(room, n);
        st = proximal_points(&near, P, ctx, &off);
    }
    if (st == DAL_OK && off < 1e-6) {
        dal_copy(room + n, P->p, n); // in case it gets worse
        dal_copy(P->p, room, n);
        st = dal_contact_solve(P, ctx);
        if (st == DAL_OK && P->residual > fmax(first.residual, 1e-8)) {
            dal_copy(P->p, room + n, n);
            st = dal_contact_solve(P, ctx);
        }
        P->attempts = first.attempts;
    }
    dal_free(ctx, room);
    return st;
}
