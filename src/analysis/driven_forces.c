/* Inverse dynamics: the forces along given coordinates that make a motion (KI.4). */
#include <math.h>
#include <stdio.h>

#include "analysis/driven_impl.h"
#include "base/message.h"
#include "base/vector.h"
#include "init/initial.h"
#include "linearize/linearization.h"
#include "linsol/eigen.h"

/* Effects of drives below this part of the largest count as none; accelerations that are off by more are an error. */
static const double no_effect = 1e-12, off = 1e-6;

typedef struct inverse {
    dal_driven *k;
    kin_part part; /* the system without drives and prescribed motions */
    dal_linearization *lin;
    const int *row;
    int n;
    double *W;       /* nv x n: gradients of the coordinates */
    double *x, *y;   /* nv x n, nc of the part x n: what a unit of each multiplier does */
    double *x0, *y0; /* without drives */
    double *A, *E, *w, *b, *mu;
    double *a, *la, *last; /* accelerations and multipliers with the drives; mu before */
} inverse;

static dal_status make(inverse *in, double *memory)
{
    const size_t nv = (size_t)in->k->nv, n = (size_t)in->n, nc = (size_t)in->part.ev->nc;
    double **matrix[] = {&in->W, &in->x, &in->y,  &in->x0, &in->y0, &in->A,   &in->E,
                         &in->w, &in->b, &in->mu, &in->a,  &in->la, &in->last};
    const size_t size[] = {nv * n, nv * n, nc * n, nv, nc, n * n, n * n, n, n, n, nv, nc, n};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; ++i) {
        *matrix[i] = memory;
        memory += size[i];
    }
    return DAL_OK;
}

/* Rows of B of the drives. */
static dal_status gradients(inverse *in)
{
    const dal_driven *k = in->k;
    const dal_point at = dal_driven_point(k);
    DAL_TRY(dal_linearize_create(&in->lin, k->ctx, k->sys, k->data, DAL_WANT_BT));
    DAL_TRY(dal_linearize_at(in->lin, &at));
    const dal_sparse *BT = dal_linearize_matrix(in->lin, DAL_WANT_BT);
    for (int j = 0; j < in->n; ++j) {
        for (int p = BT->colptr[in->row[j]]; p < BT->colptr[in->row[j] + 1]; ++p) {
            in->W[BT->row[p] + j * k->nv] += BT->x[p];
        }
    }
    return DAL_OK;
}

/* The same with forces that follow reactions as they are with a and la. */
static dal_status without_drives(inverse *in)
{
    const dal_driven *k = in->k;
    dal_saddle *s = in->part.saddle;
    const dal_point at = {k->t, k->q, k->v, in->a, in->la};
    DAL_TRY(dal_eval_acceleration(s->ev, s->x, &at));
    DAL_TRY(dal_saddle_factor(s, &at, 0));
    dal_saddle_correct(s, 0, 0);
    dal_copy(in->x0, in->a, k->nv);
    dal_copy(in->y0, in->la, in->part.ev->nc);
    dal_add(in->x0, s->x, k->nv);
    dal_add(in->y0, s->x + k->nv, in->part.ev->nc);
    return DAL_OK;
}

/* x_j for a unit of each drive: M x + B^T y = W_j, B x = 0. */
static void responses(inverse *in)
{
    const dal_driven *k = in->k;
    dal_saddle *s = in->part.saddle;
    const int nc = in->part.ev->nc;
    for (int j = 0; j < in->n; ++j) {
        dal_copy(s->x, in->W + (size_t)j * (size_t)k->nv, k->nv);
        dal_zero(s->x + k->nv, nc);
        dal_saddle_solve(s);
        dal_copy(in->x + (size_t)j * (size_t)k->nv, s->x, k->nv);
        dal_copy(in->y + (size_t)j * (size_t)nc, s->x + k->nv, nc);
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* A mu = W (x0 - v'), A = W^T x, by its eigenvectors: the shortest mu. Returns the rank. */
static dal_status shortest(inverse *in, int *rank)
{
    const dal_driven *k = in->k;
    const int n = in->n, nv = k->nv;
    dal_zero(in->E, n * n);
    dal_zero(in->mu, n);
    for (int i = 0; i < n; ++i) {
        const double *W = in->W + (size_t)i * (size_t)nv;
        in->b[i] = dot(W, in->x0, nv) - dot(W, k->vd, nv);
        in->E[i + i * n] = 1.0;
        for (int j = 0; j < n; ++j) {
            in->A[i + j * n] = dot(W, in->x + (size_t)j * (size_t)nv, nv);
        }
    }
    DAL_TRY(dal_eigen_symmetric(in->w, in->A, in->E, n, k->ctx));
    *rank = 0;
    for (int e = 0; e < n; ++e) {
        const double *u = in->A + (size_t)e * (size_t)n;
        if (in->w[e] > no_effect * in->w[n - 1]) {
            const double c = dot(u, in->b, n) / in->w[e];
            for (int i = 0; i < n; ++i) {
                in->mu[i] += c * u[i];
            }
            ++*rank;
        }
    }
    return DAL_OK;
}

/* Do these multipliers make the motion? */
static dal_status check(const inverse *in)
{
    const dal_driven *k = in->k;
    double worst = 0.0, size = 0.0;
    int at = 0;
    for (int i = 0; i < k->nv; ++i) {
        double a = in->x0[i];
        for (int j = 0; j < in->n; ++j) {
            a -= in->mu[j] * in->x[i + j * k->nv];
        }
        size = fmax(size, fmax(fabs(k->vd[i]), fabs(in->x0[i])));
        if (fabs(a - k->vd[i]) > worst) {
            worst = fabs(a - k->vd[i]);
            at = i;
        }
    }
    if (worst > off * fmax(size, 1e-9)) {
        char name[96];
        dal_eval_velocity_name(k->driven.ev, name, sizeof name, at);
        return dal_fail(
            k->ctx, DAL_ECHECK,
            "the drives cannot make this motion at t = %.9g: the acceleration of %s would be off by %.3g. There "
            "are fewer drives than freedoms, or they do not act on what moves",
            k->t, name, worst);
    }
    return DAL_OK;
}

/* Multipliers of all rows: of the drives, of the part, zero elsewhere. */
static dal_status spread(inverse *in, const int *gone)
{
    dal_driven *k = in->k;
    for (int j = 0; j < in->n; ++j) {
        for (int i = 0; i < in->part.ev->nc; ++i) {
            in->y0[i] -= in->mu[j] * in->y[i + j * in->part.ev->nc];
        }
    }
    dal_zero(k->la, k->nc);
    for (int r = 0, i = 0; r < k->nc; ++r) {
        if (!gone[r]) {
            k->la[r] = in->y0[i++];
        }
    }
    for (int j = 0; j < in->n; ++j) {
        k->la[in->row[j]] = in->mu[j];
    }
    return DAL_OK;
}

/* a = x0 - x mu, la = y0 - y mu; how much mu has changed, as a part of the largest. */
static double with_drives(inverse *in)
{
    const int nv = in->k->nv, nc = in->part.ev->nc;
    double change = 0.0;
    dal_copy(in->a, in->x0, nv);
    dal_copy(in->la, in->y0, nc);
    for (int j = 0; j < in->n; ++j) {
        dal_add_multiple(in->a, in->x + (size_t)j * (size_t)nv, -in->mu[j], nv);
        dal_add_multiple(in->la, in->y + (size_t)j * (size_t)nc, -in->mu[j], nc);
        change = fmax(change, fabs(in->mu[j] - in->last[j]));
    }
    dal_copy(in->last, in->mu, in->n);
    return change / fmax(dal_max_abs(in->mu, in->n), 1e-300);
}

/* The multipliers of the drives. Friction that follows reactions follows those with the drives: in turns. */
static dal_status find(inverse *in, int *rank)
{
    enum { TURNS = 200 };
    const dal_driven *k = in->k;
    const int follows = in->part.ev->iterates;
    double change = 1.0;
    DAL_TRY(dal_initial_acceleration(in->part.saddle, in->x0, in->y0, k->t, k->q, k->v));
    dal_copy(in->a, in->x0, k->nv);
    dal_copy(in->la, in->y0, in->part.ev->nc);
    for (int turn = 0; turn < (follows ? TURNS : 1) && change > 1e-13; ++turn) {
        DAL_TRY(follows ? without_drives(in) : DAL_OK);
        responses(in);
        DAL_TRY(shortest(in, rank));
        change = with_drives(in);
    }
    return !follows || change <= 1e-9
               ? DAL_OK
               : dal_fail(k->ctx, DAL_NOCONV,
                          "the forces of the drives at t = %.9g do not converge: friction follows "
                          "reactions too strongly",
                          k->t);
}

static dal_status solve(inverse *in, const int *gone, double *force, int *rank)
{
    int found = 0;
    DAL_TRY(gradients(in));
    DAL_TRY(find(in, &found));
    DAL_TRY(check(in));
    DAL_TRY(spread(in, gone));
    for (int j = 0; j < in->n; ++j) {
        force[j] = -in->mu[j]; // Phi = c - f(t): its force along c is -lambda
    }
    if (rank) {
        *rank = found;
    }
    return DAL_OK;
}

static dal_status forces(inverse *in, int *gone, double *force, int *rank)
{
    dal_driven *k = in->k;
    DAL_TRY(dal_kin_part_init(k, &in->part, gone));
    DAL_TRY(dal_kin_redundant(k, gone, &in->part));
    dal_kin_part_release(&in->part);
    DAL_TRY(dal_kin_part_init(k, &in->part, gone));
    const size_t nv = (size_t)k->nv, n = (size_t)in->n, nc = (size_t)in->part.ev->nc;
    double *memory =
        dal_alloc_zero(k->ctx, (2 * nv * n + nc * n + 2 * nv + 2 * nc + 2 * n * n + 4 * n + 1) * sizeof *memory);
    if (!memory) {
        return dal_fail(k->ctx, DAL_ENOMEM, "no memory for the forces of drives");
    }
    dal_status st = make(in, memory);
    st = st == DAL_OK ? solve(in, gone, force, rank) : st;
    dal_free(k->ctx, memory);
    return st;
}

dal_status dal_driven_forces(dal_driven *k, double *force, int *rank, const int *row, int n, const int *prescribed,
                             int nprescribed)
{
    DAL_NEED(NULL, k);
    DAL_NEED(k->ctx, row);
    DAL_NEED(k->ctx, force);
    if (nprescribed > 0) {
        DAL_NEED(k->ctx, prescribed);
    }
    inverse in = {.k = k, .row = row, .n = n};
    memcpy(k->scratch, k->ignored, (size_t)k->nc * sizeof *k->ignored);
    for (int i = 0; i < n + nprescribed; ++i) {
        const int r = i < n ? row[i] : prescribed[i - n];
        if (r < 0 || r >= k->nc || n < 1) {
            return dal_fail(k->ctx, DAL_EINVAL, "dal_driven_forces: there is no row %d", r);
        }
        k->scratch[r] = 1;
    }
    const dal_status st = forces(&in, k->scratch, force, rank);
    dal_linearize_destroy(in.lin);
    dal_kin_part_release(&in.part);
    return st;
}
