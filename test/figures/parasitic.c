/* RATTLie with nonholonomic rows in its plainest form: a starting error of their multipliers, which the library does not let one make. */
#include <math.h>
#include <string.h>

#include "figures.h"
#include "forms.h"
#include "support/check.h"

enum { NV = 6, NQ = 7, NC = 3 }; /* one holonomic row, two others */

typedef struct disk {
    problem p;
    double h, q[NQ], v[NV], la[2];
    double q1[NQ], y[NV]; /* T^-T(theta) M theta/h */
} disk;

static void product(double *y, const double *A, const double *x, int rows, int columns)
{
    for (int i = 0; i < rows; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < columns; ++j) {
            y[i] += A[i + rows * j] * x[j];
        }
    }
}

/* y += A^T x */
static void add_transposed(double *y, const double *A, const double *x, int rows, int columns)
{
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
            y[j] += A[i + rows * j] * x[i];
        }
    }
}

/* f = g + hat(v)^T M v, B^T lambda added; y = M v */
static void terms(double *f, double *y, const disk *d, const double *q, const double *v, const double *la)
{
    double M[NV * NV], B[NC * NV], H[NV * NV];
    const double none[NC] = {0.0};
    check_ok(d->p.ctx, d->p.dense.M(M, 0.0, q, d->p.dense.user));
    check_ok(d->p.ctx, d->p.dense.B(B, 0.0, q, d->p.dense.user));
    check_ok(d->p.ctx, d->p.dense.g(f, 0.0, q, v, none, d->p.dense.user));
    product(y, M, v, NV, NV);
    dal_hat(d->p.group, H, v);
    add_transposed(f, H, y, NV, NV);
    add_transposed(f, B, la, NC, NV);
}

static void first_half(double *F, const double *z, void *user)
{
    disk *d = user;
    double f[NV], y[NV], w[NV], back[NV], T[NV * NV];
    const double la[NC] = {z[NV] / (0.5 * d->h * d->h), d->la[0], d->la[1]};
    terms(w, y, d, d->q, z, la); // y = M theta
    for (int i = 0; i < NV; ++i) {
        back[i] = -z[i];
        F[i] = 0.0;
    }
    dal_inv_tangent(d->p.group, T, back);
    add_transposed(F, T, y, NV, NV);
    terms(f, y, d, d->q, d->v, la);
    for (int i = 0; i < NV; ++i) {
        F[i] += 0.5 * d->h * d->h * f[i] - d->h * y[i];
    }
    dal_retract(d->p.group, d->q1, d->q, z);
    check_ok(d->p.ctx, d->p.dense.Phi(F + NV, 0.0, d->q1, d->p.dense.user));
}

static void second_half(double *F, const double *z, void *user)
{
    disk *d = user;
    double f[NV], y[NV], B[NC * NV], la[NC];
    for (int i = 0; i < NC; ++i) {
        la[i] = z[NV + i] / (0.5 * d->h);
    }
    terms(f, y, d, d->q1, z, la);
    for (int i = 0; i < NV; ++i) {
        F[i] = y[i] + 0.5 * d->h * f[i] - d->y[i];
    }
    check_ok(d->p.ctx, d->p.dense.B(B, 0.0, d->q1, d->p.dense.user));
    product(F + NV, B, z, NC, NV);
}

static void step(disk *d)
{
    double z[NV + NC] = {0.0}, f[NV], y[NV], T[NV * NV];
    const double none[NC] = {0.0};
    for (int i = 0; i < NV; ++i) {
        z[i] = d->h * d->v[i];
    }
    form_iterate(z, NV + 1, first_half, d);
    dal_retract(d->p.group, d->q1, d->q, z);
    terms(f, y, d, d->q1, z, none);
    dal_inv_tangent(d->p.group, T, z);
    memset(d->y, 0, sizeof d->y);
    add_transposed(d->y, T, y, NV, NV);
    for (int i = 0; i < NV; ++i) {
        d->y[i] /= d->h;
        z[i] = d->v[i];
    }
    z[NV] = 0.0;
    form_iterate(z, NV + NC, second_half, d);
    memcpy(d->q, d->q1, sizeof d->q);
    dal_normalise(d->p.group, d->q);
    memcpy(d->v, z, sizeof d->v);
    for (int i = 0; i < 2; ++i) {
        d->la[i] = z[NV + 1 + i] / (0.5 * d->h);
    }
}

/* What the carried multipliers are off those of (IN.4) after some steps, from the right ones and from such that are off by 1. */
void figure_parasitic(dal_ctx *ctx, const json_t *entry)
{
    for (int off = 0; off < 2; ++off) {
        disk d = {.h = figure_number(entry, "h")};
        const char *name = off ? "off_by_1" : "exact";
        double la[NC];
        check_ok(ctx, figure_problem(&d.p, ctx, figure_text(entry, "case")));
        memcpy(d.q, d.p.q0, sizeof d.q);
        memcpy(d.v, d.p.v0, sizeof d.v);
        figure_consistent(la, &d.p, d.q, d.v);
        d.la[0] = la[1] + off;
        d.la[1] = la[2] + off;
        for (int n = 1, k = 0; k < 4; ++n) {
            step(&d);
            if (n == (int)figure_item(entry, "steps", k)) {
                figure_consistent(la, &d.p, d.q, d.v);
                const double should = figure_item(entry, name, k);
                figure_compare(entry, name, hypot(d.la[0] - la[1], d.la[1] - la[2]), should,
                               figure_tolerance(entry, "size") * should);
                k++;
            }
        }
        problem_free(&d.p);
    }
}
