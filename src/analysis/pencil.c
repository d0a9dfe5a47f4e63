/* The linearised system in minimal form: kernel bases of the constraints, dense matrices. */
#include "analysis/pencil.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

/* Rows that keep less than this of their length after the others are dependent. */
static const double rank_tol = 1e-10;

int dal_is_state(const dal_system *sys, int index)
{
    return sys->names.is_state && sys->names.is_state(index, sys->user) == 1;
}

/* Those of Phi, and d_i = 0 for each state of first order. */
static int holonomic_rows(const dal_system *sys)
{
    int n = 0;
    for (int c = 0; c < sys->nconstraints; ++c) {
        n += sys->constraint[c].kind == DAL_ROWS_VELOCITY ? 0 : sys->constraint[c].nrows;
    }
    for (int i = 0; i < sys->group->nv; ++i) {
        n += dal_is_state(sys, i);
    }
    return n;
}

static void carve(dal_pencil *p, dal_arena *arena)
{
    const size_t v = (size_t)p->nv, c = (size_t)p->nc, tall = (size_t)(p->nc > p->nh ? p->nc : p->nh);
    double **square[] = {&p->M, &p->C, &p->K, &p->D, &p->H, &p->Nh, &p->N, &p->L, &p->W, &p->Mr};
    double **wide[] = {&p->P, &p->R, &p->work, &p->work2, &p->right};
    double **rows[] = {&p->B, &p->Z, &p->F};
    for (size_t i = 0; i < sizeof square / sizeof square[0]; ++i) {
        *square[i] = dal_arena_take(arena, v * v, sizeof(double));
    }
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; ++i) {
        *wide[i] = dal_arena_take(arena, v * (tall > 2 * v ? tall : 2 * v), sizeof(double));
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = dal_arena_take(arena, v * c, sizeof(double));
    }
    p->A = dal_arena_take(arena, 4 * v * v, sizeof(double));
}

dal_status dal_pencil_create(dal_pencil **out, dal_ctx *ctx, const dal_system *sys, dal_data *data)
{
    *out = NULL;
    dal_pencil *p = dal_alloc_zero(ctx, sizeof *p);
    if (!p) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to linearise");
    }
    *p = (dal_pencil){.ctx = ctx,
                      .sys = sys,
                      .nv = sys->group->nv,
                      .nc = dal_system_rows(sys),
                      .nh = holonomic_rows(sys),
                      .arena = dal_arena_init(ctx)};
    carve(p, &p->arena);
    dal_status st = dal_arena_reserve(&p->arena);
    carve(p, &p->arena);
    const unsigned all =
        DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | (sys->lambda_in_g ? DAL_WANT_G : 0U);
    st = st != DAL_OK ? st : dal_linearize_create(&p->lin, ctx, sys, data, all);
    if (st != DAL_OK) {
        dal_pencil_destroy(p);
        return st;
    }
    *out = p;
    return DAL_OK;
}

static void drop_kernels(dal_pencil *p)
{
    dal_kernel_destroy(p->holonomic);
    dal_kernel_destroy(p->rows);
    dal_kernel_destroy(p->left);
    p->holonomic = p->rows = p->left = NULL;
}

void dal_pencil_destroy(dal_pencil *p)
{
    if (p) {
        drop_kernels(p);
        dal_linearize_destroy(p->lin);
        dal_arena_release(&p->arena);
        dal_free(p->ctx, p);
    }
}

/* ---- matrices --------------------------------------------------------------------------------- */

/* X (nrows x ncols) += S */
static void expand(double *X, const dal_sparse *S)
{
    for (int j = 0; S && j < S->ncols; ++j) {
        for (int l = S->colptr[j]; l < S->colptr[j + 1]; ++l) {
            X[dal_entry(S->row[l], j, S->nrows)] += S->x[l];
        }
    }
}

static void clear(double *X, int m, int n)
{
    memset(X, 0, (size_t)m * (size_t)n * sizeof(double));
}

/* D and H = hat(v) + D, and C := C + M D */
static void set_axes(dal_pencil *p, const dal_point *at, const dal_axes_choice *axes)
{
    const dal_group *G = p->sys->group;
    double D[36], V[36];
    int turns = 0;
    clear(p->D, p->nv, p->nv);
    clear(p->H, p->nv, p->nv);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (dal_axes_flat(G, f, axes)) {
            continue;
        }
        dal_axes_rate(D, G, f, axes, at->q, at->v);
        F->type->hat(V, at->v + F->v, F->nv);
        for (int e = 0; e < F->nv * F->nv; ++e) {
            const size_t to = (size_t)(F->v + e % F->nv) + (size_t)(F->v + e / F->nv) * (size_t)p->nv;
            p->D[to] = D[e];
            p->H[to] = V[e] + D[e];
            turns |= D[e] != 0.0;
        }
    }
    if (turns) {
        dal_matrix_product(p->C, 1.0, 1.0, p->M, 0, p->D, 0, p->nv, p->nv, p->nv);
    }
}

dal_status dal_pencil_at(dal_pencil *p, const dal_point *at, const dal_axes_choice *axes)
{
    DAL_TRY(dal_linearize_at(p->lin, at));
    const struct {
        double *X;
        unsigned bit;
        int m, n;
    } list[] = {{p->M, DAL_WANT_M, p->nv, p->nv}, {p->C, DAL_WANT_C, p->nv, p->nv}, {p->K, DAL_WANT_K, p->nv, p->nv},
                {p->B, DAL_WANT_B, p->nc, p->nv}, {p->Z, DAL_WANT_Z, p->nc, p->nv}, {p->F, DAL_WANT_G, p->nv, p->nc}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        clear(list[i].X, list[i].m, list[i].n);
        expand(list[i].X, dal_linearize_matrix(p->lin, list[i].bit));
    }
    for (int c = 0; c < p->nc; ++c) {
        for (int j = 0; j < p->nv; ++j) {
            p->F[dal_entry(j, c, p->nv)] += p->B[dal_entry(c, j, p->nc)];
        }
    }
    set_axes(p, at, axes);
    return DAL_OK;
}

/* ---- bases ------------------------------------------------------------------------------------ */

/* X (nh x nv) := the holonomic rows of B, then a unit row for each state of first order: nothing depends on its coordinate */
static void take_holonomic(double *X, const dal_pencil *p)
{
    const dal_system *sys = p->sys;
    int to = 0;
    for (int c = 0, row = 0; c < sys->nconstraints; row += sys->constraint[c++].nrows) {
        for (int i = 0; i < sys->constraint[c].nrows && sys->constraint[c].kind != DAL_ROWS_VELOCITY; ++i, ++to) {
            for (int j = 0; j < p->nv; ++j) {
                X[dal_entry(to, j, p->nh)] = p->B[dal_entry(row + i, j, p->nc)];
            }
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        for (int j = 0; j < p->nv && dal_is_state(sys, i); ++j) {
            X[dal_entry(to, j, p->nh)] = i == j ? 1.0 : 0.0;
        }
        to += dal_is_state(sys, i);
    }
}

/* Left kernel: rows that F^T maps to zero. Without G it is that of B. */
static dal_status left_kernel(dal_pencil *p)
{
    if (!p->sys->lambda_in_g) {
        memcpy(p->L, p->N, (size_t)p->nv * (size_t)p->nf * sizeof(double));
        return DAL_OK;
    }
    for (int c = 0; c < p->nc; ++c) {
        for (int j = 0; j < p->nv; ++j) {
            p->work[dal_entry(c, j, p->nc)] = p->F[dal_entry(j, c, p->nv)];
        }
    }
    DAL_TRY(dal_kernel_create(&p->left, p->ctx, p->work, p->nc, p->nv, rank_tol));
    if (p->nv - dal_kernel_rank(p->left) != p->nf) {
        return dal_fail(p->ctx, DAL_SINGULAR,
                        "friction that depends on the reactions jams the system here: B^T + G has "
                        "lost rank");
    }
    memcpy(p->L, dal_kernel_basis(p->left), (size_t)p->nv * (size_t)p->nf * sizeof(double));
    return DAL_OK;
}

dal_status dal_pencil_bases(dal_pencil *p)
{
    const size_t nv = (size_t)p->nv;
    drop_kernels(p);
    take_holonomic(p->work, p);
    DAL_TRY(dal_kernel_create(&p->holonomic, p->ctx, p->work, p->nh, p->nv, rank_tol));
    DAL_TRY(dal_kernel_create(&p->rows, p->ctx, p->B, p->nc, p->nv, rank_tol));
    p->np = p->nv - dal_kernel_rank(p->holonomic);
    p->nf = p->nv - dal_kernel_rank(p->rows);
    p->n = p->np + p->nf;
    memcpy(p->Nh, dal_kernel_basis(p->holonomic), nv * (size_t)p->np * sizeof(double));
    memcpy(p->N, dal_kernel_basis(p->rows), nv * (size_t)p->nf * sizeof(double));
    // B W = -Z Nh
    dal_matrix_product(p->work, 0.0, -1.0, p->Z, 0, p->Nh, 0, p->nc, p->np, p->nv);
    dal_kernel_least(p->rows, p->W, p->work, p->np);
    return left_kernel(p);
}

static double largest(const double *X, int m, int n)
{
    double most = 0.0;
    for (size_t i = 0; i < (size_t)m * (size_t)n; ++i) {
        most = fmax(most, fabs(X[i]));
    }
    return most;
}

/* Y := T X by factors, ncols columns */
static void carry(double *Y, const double *X, int ncols, const dal_pencil *p, const dal_axes_choice *axes,
                  const double *q0, const double *q1, double dt)
{
    const dal_group *G = p->sys->group;
    double T[36];
    memcpy(Y, X, (size_t)p->nv * (size_t)ncols * sizeof(double));
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (dal_axes_flat(G, f, axes)) {
            continue;
        }
        dal_axes_carry(T, G, f, axes, q0, q1, dt);
        for (int col = 0; col < ncols; ++col) {
            const double *x = X + F->v + (size_t)col * (size_t)p->nv;
            double *y = Y + F->v + (size_t)col * (size_t)p->nv;
            for (int i = 0; i < F->nv; ++i) {
                y[i] = 0.0;
                for (int j = 0; j < F->nv; ++j) {
                    y[i] += T[i + j * F->nv] * x[j];
                }
            }
        }
    }
}

dal_status dal_pencil_carry(dal_pencil *p, double *defect, const dal_pencil *from, const dal_axes_choice *axes,
                            const double *q0, const double *q1, double dt)
{
    p->np = from->np;
    p->nf = from->nf;
    p->n = from->n;
    carry(p->Nh, from->Nh, p->np, p, axes, q0, q1, dt);
    carry(p->N, from->N, p->nf, p, axes, q0, q1, dt);
    carry(p->L, from->L, p->nf, p, axes, q0, q1, dt);
    carry(p->W, from->W, p->np, p, axes, q0, q1, dt);
    // what B N, F^T L, B W + Z Nh and Bh Nh differ from zero by
    const double size = fmax(largest(p->B, p->nc, p->nv), 1e-300);
    dal_matrix_product(p->work, 0.0, 1.0, p->B, 0, p->N, 0, p->nc, p->nf, p->nv);
    *defect = largest(p->work, p->nc, p->nf) / size;
    dal_matrix_product(p->work, 0.0, 1.0, p->F, 1, p->L, 0, p->nc, p->nf, p->nv);
    *defect = fmax(*defect, largest(p->work, p->nc, p->nf) / size);
    dal_matrix_product(p->work, 0.0, 1.0, p->B, 0, p->W, 0, p->nc, p->np, p->nv);
    dal_matrix_product(p->work, 1.0, 1.0, p->Z, 0, p->Nh, 0, p->nc, p->np, p->nv);
    *defect = fmax(*defect, largest(p->work, p->nc, p->np) / fmax(size, largest(p->Z, p->nc, p->nv)));
    take_holonomic(p->R, p);
    dal_matrix_product(p->work, 0.0, 1.0, p->R, 0, p->Nh, 0, p->nh, p->np, p->nv);
    *defect = fmax(*defect, largest(p->work, p->nh, p->np) / size);
    return DAL_OK;
}

/* ---- minimal form ----------------------------------------------------------------------------- */

/* x' = Nh^T (w - H d), np x n, and R = M W x' + (C + M D) w + K d, nv x n, of a state */
static void positions(dal_pencil *p, double *X)
{
    const int nv = p->nv, np = p->np, n = p->n;
    const size_t V = (size_t)nv, N = (size_t)n;
    memcpy(p->P, p->W, V * (size_t)np * sizeof(double));
    memcpy(p->P + V * (size_t)np, p->N, V * (size_t)p->nf * sizeof(double));
    memcpy(p->R, p->P, V * N * sizeof(double));
    dal_matrix_product(p->R, 1.0, -1.0, p->H, 0, p->Nh, 0, nv, np, nv);
    dal_matrix_product(X, 0.0, 1.0, p->Nh, 1, p->R, 0, np, n, nv);
    dal_matrix_product(p->work2, 0.0, 1.0, p->W, 0, X, 0, nv, n, np);
    dal_matrix_product(p->R, 0.0, 1.0, p->M, 0, p->work2, 0, nv, n, nv);
    dal_matrix_product(p->R, 1.0, 1.0, p->C, 0, p->P, 0, nv, n, nv);
    dal_matrix_product(p->R, 1.0, 1.0, p->K, 0, p->Nh, 0, nv, np, nv);
}

/* Entries of L^T R that are nothing but rounding become zero: a stiffness that cancels leaves no frequency behind. */
static void drop_rounding(const dal_pencil *p, double *Y)
{
    static const double rounding = 8.0 * 2.2e-16;
    for (int j = 0; j < p->n; ++j) {
        for (int i = 0; i < p->nf; ++i) {
            const double *l = p->L + dal_entry(0, i, p->nv), *r = p->R + dal_entry(0, j, p->nv);
            double sum = 0.0, *y = &Y[dal_entry(i, j, p->nf)];
            for (int k = 0; k < p->nv; ++k) {
                sum += fabs(l[k] * r[k]);
            }
            *y = fabs(*y) <= rounding * sum ? 0.0 : *y;
        }
    }
}

/* (L^T M N) y' = -L^T R                                                                                (MO.6) */
dal_status dal_pencil_reduce(dal_pencil *p)
{
    const int nv = p->nv, np = p->np, nf = p->nf, n = p->n;
    double *X = p->work, *Y = p->right;
    positions(p, X);
    dal_matrix_product(p->work2, 0.0, 1.0, p->M, 0, p->N, 0, nv, nf, nv);
    dal_matrix_product(p->Mr, 0.0, 1.0, p->L, 1, p->work2, 0, nf, nf, nv);
    memcpy(p->work2, p->Mr, (size_t)nf * (size_t)nf * sizeof(double));
    dal_matrix_product(Y, 0.0, -1.0, p->L, 1, p->R, 0, nf, n, nv);
    drop_rounding(p, Y);
    const dal_status st = dal_matrix_solve(p->work2, Y, nf, n, p->ctx);
    if (st == DAL_SINGULAR) {
        return dal_fail(p->ctx, DAL_SINGULAR,
                        "the mass matrix is singular on the motions that the constraints allow: a body without mass or "
                        "inertia is free to move");
    }
    for (int j = 0; j < n && st == DAL_OK; ++j) {
        double *a = p->A + (size_t)j * (size_t)n;
        memcpy(a, X + (size_t)j * (size_t)np, (size_t)np * sizeof(double));
        memcpy(a + np, Y + (size_t)j * (size_t)nf, (size_t)nf * sizeof(double));
    }
    return st;
}
