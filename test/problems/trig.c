#include "problems/trig.h"

#include <assert.h>
#include <math.h>

static void add_term(trig_rows *R, trig_term term)
{
    assert(R->nterms < TRIG_TERMS && term.row < TRIG_ROWS && term.row < R->nrows);
    R->term[R->nterms++] = term;
}

void trig_linear(trig_rows *R, int row, int k, double lin)
{
    add_term(R, (trig_term){.row = row, .k = k, .k2 = -1, .lin = lin});
}

void trig_vector(trig_rows *R, int row, double sign, int k, int k2, double a, double b)
{
    add_term(R, (trig_term){.row = row, .k = k, .k2 = k2, .C = sign * a, .S = -sign * b});
    add_term(R, (trig_term){.row = row + 1, .k = k, .k2 = k2, .C = sign * b, .S = sign * a});
}

void trig_point(trig_rows *R, int row, double sign, int i, double a, double b)
{
    trig_linear(R, row, i, sign);
    trig_linear(R, row + 1, i + 1, sign);
    trig_vector(R, row, sign, i + 2, -1, a, b);
}

static double angle(const trig_term *T, const double *q)
{
    return T->k2 < 0 ? q[T->k] : q[T->k] + q[T->k2];
}

/* Second derivative of the term with respect to its angle. */
static double curvature(const trig_term *T, const double *q)
{
    return -T->C * cos(angle(T, q)) - T->S * sin(angle(T, q));
}

void trig_Phi(const trig_rows *R, double *Phi, const double *q)
{
    for (int r = 0; r < R->nrows; ++r) {
        Phi[r] = R->c[r];
    }
    for (int i = 0; i < R->nterms; ++i) {
        const trig_term *T = &R->term[i];
        Phi[T->row] += T->lin * q[T->k] - curvature(T, q);
    }
}

void trig_B(const trig_rows *R, double *B, const double *q)
{
    for (int i = 0; i < R->nrows * R->nv; ++i) {
        B[i] = 0.0;
    }
    for (int i = 0; i < R->nterms; ++i) {
        const trig_term *T = &R->term[i];
        const double d = T->S * cos(angle(T, q)) - T->C * sin(angle(T, q));
        B[T->row + T->k * R->nrows] += T->lin + d;
        if (T->k2 >= 0) {
            B[T->row + T->k2 * R->nrows] += d;
        }
    }
}

void trig_Z(const trig_rows *R, double *Z, const double *q, const double *v)
{
    for (int i = 0; i < R->nrows * R->nv; ++i) {
        Z[i] = 0.0;
    }
    for (int i = 0; i < R->nterms; ++i) {
        const trig_term *T = &R->term[i];
        const double dd = curvature(T, q) * angle(T, v);
        Z[T->row + T->k * R->nrows] += dd;
        if (T->k2 >= 0) {
            Z[T->row + T->k2 * R->nrows] += dd;
        }
    }
}

void trig_acc(const trig_rows *R, double *w, const double *q, const double *v)
{
    for (int r = 0; r < R->nrows; ++r) {
        w[r] = 0.0;
    }
    for (int i = 0; i < R->nterms; ++i) {
        const trig_term *T = &R->term[i];
        w[T->row] += curvature(T, q) * angle(T, v) * angle(T, v);
    }
}

void trig_add_K(const trig_rows *R, double *K, const double *q, const double *la)
{
    for (int i = 0; i < R->nterms; ++i) {
        const trig_term *T = &R->term[i];
        const double dd = la[T->row] * curvature(T, q);
        K[T->k + T->k * R->nv] += dd;
        if (T->k2 >= 0) {
            K[T->k + T->k2 * R->nv] += dd;
            K[T->k2 + T->k * R->nv] += dd;
            K[T->k2 + T->k2 * R->nv] += dd;
        }
    }
}
