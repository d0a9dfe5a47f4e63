/* Shapes of the families: vibrations, or vibrations with both ends held and static shapes of the ends. */
#include <stdlib.h>
#include <string.h>

#include "flex/beam_impl.h"
#include "linsol/eigen.h"

/* Everything for one family: n values of all nodes, of which `map` lists those in use: interior ones first, then the
 * ends where they count as boundary. */
typedef struct work {
    const beam_family *f;
    const beam_mesh *mesh;
    int n, ni, nb;     /* all; interior, boundary (0 without static shapes) */
    int *map;          /* ni + nb */
    double *C, *M;     /* n x n: flexibility, mass */
    double *A, *B;     /* up to n x n: eigenproblem, vectors */
    double *w;         /* n */
    double *V;         /* n x n: candidate shapes, columns */
    double *T;         /* n x n */
    double *R, *Y, *Z; /* n x 2: see project */
} work;

static void carve(work *x, dal_arena *arena)
{
    double **square[] = {&x->C, &x->M, &x->A, &x->B, &x->V, &x->T};
    for (int k = 0; k < 6; ++k) {
        *square[k] = dal_arena_reals(arena, x->n * x->n);
    }
    x->R = dal_arena_reals(arena, 2 * x->n);
    x->Y = dal_arena_reals(arena, 2 * x->n);
    x->Z = dal_arena_reals(arena, 2 * x->n);
    x->w = dal_arena_reals(arena, x->n);
    x->map = dal_arena_ints(arena, x->n);
}

/* Free values: interior ones, and with `hold` those of the end nodes apart. */
static void list_free(work *x, int hold)
{
    x->ni = x->nb = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < x->n; ++i) {
            const int end = i < x->f->nd || i >= x->n - x->f->nd;
            if (!beam_fixed(x->f, x->mesh, i) && (hold && end) == pass) {
                x->map[x->ni + x->nb] = i;
                *(pass ? &x->nb : &x->ni) += 1;
            }
        }
    }
}

/* X (m x m) = A restricted to the listed values */
static void restrict_to(double *X, const work *x, const double *A, int m)
{
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            X[i + j * m] = A[x->map[i] + x->map[j] * x->n];
        }
    }
}

/* ---- flexibility -------------------------------------------------------------------------------- */

/* The stiffness of many short elements is a small difference of large numbers: of 320 elements only four digits of the lowest
 * frequency are left. Its inverse is a sum of positive ones: with the flexibility F of an element and T(d), which moves a
 * displacement, or a load, along the beam by d,
 *     C_ii = T(l) C_i-1,i-1 T(l)^T + F,   C_ij = C_ii T((j - i) l)^T for j > i                                 (FX.13)
 * of the beam clamped at its left end. */
static void clamped_flexibility(work *x)
{
    const beam_family *f = x->f;
    const int nd = f->nd, n = x->n;
    const double l = x->mesh->l, e = l / f->stiffness;
    double D[4] = {0.0}; // C_ii: D[0], D[1] = D[2], D[3]
    memset(x->C, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 1; i <= x->mesh->ne; ++i) {
        if (nd == 1) {
            D[0] += e;
        } else {
            D[0] += 2.0 * l * D[1] + l * l * D[3] + e * l * l * (1.0 / 3.0 + f->phi / 12.0);
            D[1] += l * D[3] + 0.5 * e * l;
            D[3] += e;
            D[2] = D[1];
        }
        for (int j = i; j <= x->mesh->ne; ++j) {
            const double d = (j - i) * l;
            for (int k = 0; k < nd * nd; ++k) {
                const int r = k % nd, c = k / nd;
                const double value = D[r + 2 * c] + (c == 0 && nd == 2 ? d * D[r + 2] : 0.0);
                x->C[nd * i + r + (nd * j + c) * n] = x->C[nd * j + c + (nd * i + r) * n] = value;
            }
        }
    }
}

/* C := (I - R Y^T) C (I - Y R^T), R and Y with k columns */
static void project(work *x, int k)
{
    const int n = x->n;
    for (int side = 0; side < 2; ++side) { // rows, then columns: C is symmetric before and after, Z = C Y of both
        for (int c = 0; c < k; ++c) {
            for (int i = 0; i < n; ++i) {
                double *z = &x->Z[i + c * n];
                *z = 0.0;
                for (int j = 0; j < n; ++j) {
                    *z += (side == 0 ? x->C[j + i * n] : x->C[i + j * n]) * x->Y[j + c * n];
                }
            }
        }
        for (int i = 0; i < n * n * k; ++i) {
            const int c = i / (n * n), row = i % (n * n) / n, col = i % n;
            if (side == 0) {
                x->C[row + col * n] -= x->R[row + c * n] * x->Z[col + c * n];
            } else {
                x->C[row + col * n] -= x->Z[row + c * n] * x->R[col + c * n];
            }
        }
    }
}

/* X (n x k) := X S^-1, k <= 2, S symmetric */
static void divide(double *X, int n, int k, const double S[4])
{
    const double det = k == 1 ? S[0] : S[0] * S[3] - S[1] * S[2];
    for (int i = 0; i < n; ++i) {
        const double a = X[i], b = k == 1 ? 0.0 : X[i + n];
        X[i] = (k == 1 ? a : a * S[3] - b * S[1]) / det;
        if (k == 2) {
            X[i + n] = (b * S[0] - a * S[2]) / det;
        }
    }
}

/* R: rigid shapes, the rotation about the point a */
static void rigid_shapes(work *x, double a)
{
    const int nd = x->f->nd, n = x->n;
    memset(x->R, 0, 2 * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i += nd) {
        x->R[i] = 1.0;
        if (nd == 2) {
            x->R[i + n] = i / nd * x->mesh->l - a; // NOLINT(bugprone-integer-division): number of the node
            x->R[i + 1 + n] = 1.0;
        }
    }
}

/* Y = M R (R^T M R)^-1: displacements without rigid ones, loads without resultant. */
static void free_ends(work *x)
{
    const int n = x->n, nd = x->f->nd;
    double S[4] = {0.0};
    rigid_shapes(x, 0.5 * x->mesh->ne * x->mesh->l);
    memset(x->Y, 0, 2 * (size_t)n * sizeof(double));
    for (int c = 0; c < nd; ++c) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                x->Y[i + c * n] += x->M[i + j * n] * x->R[j + c * n];
            }
        }
        for (int r = 0; r < nd; ++r) {
            for (int i = 0; i < n; ++i) {
                S[r + nd * c] += x->R[i + r * n] * x->Y[i + c * n];
            }
        }
    }
    divide(x->Y, n, nd, S);
    project(x, nd);
}

/* Supports beyond the clamp at the left end: both ends held, pinned, none. */
static void flexibility(work *x, int hold)
{
    const int n = x->n, nd = x->f->nd, end = n - nd;
    clamped_flexibility(x);
    memset(x->Y, 0, 2 * (size_t)n * sizeof(double));
    if (hold) { // R = C_b C_bb^-1
        double S[4] = {0.0};
        for (int k = 0; k < nd * nd; ++k) {
            S[k] = x->C[end + k % nd + (end + k / nd) * n];
        }
        for (int c = 0; c < nd; ++c) {
            memcpy(x->R + (size_t)(c * n), x->C + (size_t)((end + c) * n), (size_t)n * sizeof(double));
            x->Y[end + c + c * n] = 1.0;
        }
        divide(x->R, n, nd, S);
        project(x, nd);
    } else if (x->mesh->reference == BEAM_FREE) {
        free_ends(x);
    } else if (x->mesh->reference == BEAM_PINNED && nd == 2) { // turned until the right end is at rest
        rigid_shapes(x, 0.0);
        memcpy(x->R, x->R + n, (size_t)n * sizeof(double));
        x->Y[end] = 1.0 / (x->mesh->ne * x->mesh->l);
        project(x, 1);
    }
}

/* ---- shapes --------------------------------------------------------------------------------------- */

/* Vibrations of the interior: columns of V, all nodes; x->w: squares. Rigid ones come last, with an infinite one. */
static dal_status vibrations(work *x, dal_ctx *ctx)
{
    restrict_to(x->A, x, x->C, x->ni);
    restrict_to(x->B, x, x->M, x->ni);
    DAL_TRY(dal_eigen_flexible(x->w, x->A, x->B, x->ni, ctx));
    memset(x->V, 0, (size_t)(x->n * x->n) * sizeof(double));
    for (int j = 0; j < x->ni; ++j) {
        for (int i = 0; i < x->ni; ++i) {
            x->V[x->map[i] + j * x->n] = x->A[i + j * x->ni];
        }
    }
    return DAL_OK;
}

/* The family as one element from end to end. */
static beam_family whole(const work *x)
{
    beam_family f = *x->f;
    f.phi /= (double)x->mesh->ne * x->mesh->ne;
    return f;
}

/* Which of the values of both ends is boundary value b? */
static int end_value(const work *x, int b)
{
    const int dof = x->map[x->ni + b];
    return dof < x->f->nd ? dof : x->f->nd + dof % x->f->nd;
}

/* Column `column` of V: boundary value b is one, the others zero, the interior in equilibrium (FX.10): that of one element. */
static void static_shape(work *x, int b, int column)
{
    double *v = x->V + (size_t)(column * x->n);
    const beam_family f = whole(x);
    const int nd = f.nd, k = end_value(x, b);
    for (int i = 0; i <= x->mesh->ne; ++i) {
        beam_shape s;
        beam_shape_at(&s, &f, x->mesh->ne * x->mesh->l, (double)i / x->mesh->ne);
        v[nd * i] = s.N[k];
        if (nd == 2) {
            v[nd * i + 1] = s.T[k];
        }
    }
}

/* A (m x m): stiffness of the `kept` vibrations and of the static shapes, which do not couple (FX.10) */
static void shape_stiffness(work *x, int kept, int m)
{
    const beam_family f = whole(x);
    double K[16];
    beam_stiffness(K, &f, x->mesh->ne * x->mesh->l);
    memset(x->A, 0, (size_t)(m * m) * sizeof(double));
    for (int k = 0; k < kept; ++k) {
        x->A[k + k * m] = x->w[k];
    }
    for (int b = 0; b < x->nb; ++b) {
        for (int c = 0; c < x->nb; ++c) {
            x->A[kept + b + (kept + c) * m] = K[end_value(x, b) + 2 * f.nd * end_value(x, c)];
        }
    }
}

/* C (m x m) = V^T A V, m columns; T is scratch */
static void congruence(double *C, const work *x, const double *A, int m)
{
    const int n = x->n;
    memset(x->T, 0, (size_t)(n * m) * sizeof(double));
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < n; ++i) {
                x->T[i + j * n] += A[i + k * n] * x->V[k + j * n];
            }
        }
    }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            C[i + j * m] = 0.0;
            for (int k = 0; k < n; ++k) {
                C[i + j * m] += x->V[k + i * n] * x->T[k + j * n];
            }
        }
    }
}

/* The first `kept` vibrations and the static shapes, made orthogonal: T receives the shapes, w their squares. */
static dal_status orthogonal_shapes(work *x, int kept, int *m, dal_ctx *ctx)
{
    for (int b = 0; b < x->nb; ++b) {
        static_shape(x, b, kept + b);
    }
    *m = kept + x->nb;
    shape_stiffness(x, kept, *m);
    congruence(x->B, x, x->M, *m);
    DAL_TRY(dal_eigen_symmetric(x->w, x->A, x->B, *m, ctx));
    memset(x->T, 0, (size_t)(x->n * *m) * sizeof(double));
    for (int j = 0; j < *m; ++j) {
        for (int k = 0; k < *m; ++k) {
            for (int i = 0; i < x->n; ++i) {
                x->T[i + j * x->n] += x->V[i + k * x->n] * x->A[k + j * *m];
            }
        }
    }
    return DAL_OK;
}

/* ---- choosing the lowest ---------------------------------------------------------------------- */

typedef struct candidate {
    double square;
    int family, column;
} candidate;

static int by_square(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->square != y->square) {
        return x->square < y->square ? -1 : 1;
    }
    return x->family != y->family ? x->family - y->family : x->column - y->column;
}

/* Vibrations of all families; those left over after sorting are not wanted. */
static dal_status collect(candidate *list, int *n, work *x, const dal_beam *beam, dal_ctx *ctx)
{
    *n = 0;
    for (int k = 0; k < BEAM_FAMILIES; ++k) {
        if (!x[k].f) {
            continue;
        }
        beam_mass(x[k].M, x[k].f, x[k].mesh);
        flexibility(&x[k], beam->craig_bampton);
        list_free(&x[k], beam->craig_bampton);
        DAL_TRY(vibrations(&x[k], ctx));
        const int rigid = beam->craig_bampton ? 0 : beam_rigid(x[k].f, x[k].mesh);
        for (int j = 0; j < x[k].ni - rigid; ++j) {
            list[(*n)++] = (candidate){x[k].w[j], k, j};
        }
    }
    qsort(list, (size_t)*n, sizeof *list, by_square);
    return *n >= beam->nmodes
               ? DAL_OK
               : dal_fail(ctx, DAL_EINVAL, "beam: %d modes wanted, its elements have %d; take more elements",
                          beam->nmodes, *n);
}

/* Static shapes and vibrations of each family in place of what the list has; returns the number of shapes. */
static dal_status with_statics(candidate *list, int *n, work *x, dal_ctx *ctx)
{
    int kept[BEAM_FAMILIES] = {0}, total = 0;
    for (int k = 0; k < *n; ++k) {
        kept[list[k].family]++;
    }
    for (int k = 0; k < BEAM_FAMILIES; ++k) {
        int m = 0;
        if (!x[k].f) {
            continue;
        }
        DAL_TRY(orthogonal_shapes(&x[k], kept[k], &m, ctx));
        memcpy(x[k].V, x[k].T, (size_t)(x[k].n * m) * sizeof(double));
        for (int j = beam_rigid(x[k].f, x[k].mesh); j < m; ++j) {
            list[total++] = (candidate){x[k].w[j], k, j};
        }
    }
    *n = total;
    qsort(list, (size_t)total, sizeof *list, by_square);
    return DAL_OK;
}

static void take(beam_mode *mode, const candidate *c, const work *x)
{
    mode->family = c->family;
    mode->square = c->square;
    memcpy(mode->x, x[c->family].V + (size_t)(c->column * x[c->family].n), (size_t)x[c->family].n * sizeof(double));
}

static void carve_modes(beam_mode **mode, dal_arena *arena, int n, int size)
{
    *mode = dal_arena_take(arena, (size_t)n, sizeof(beam_mode));
    double *x = dal_arena_reals(arena, n * size);
    for (int k = 0; k < n && *mode && x; ++k) {
        (*mode)[k].x = x + (size_t)(k * size);
    }
}

static dal_status solve(candidate *list, int *n, work *x, const dal_beam *beam, dal_ctx *ctx)
{
    DAL_TRY(collect(list, n, x, beam, ctx));
    *n = beam->nmodes;
    return beam->craig_bampton ? with_statics(list, n, x, ctx) : DAL_OK;
}

dal_status beam_eigenmodes(beam_mode **mode, int *n, dal_arena *arena, dal_ctx *ctx, const beam_family *f,
                           const beam_mesh *mesh, const dal_beam *beam)
{
    work x[BEAM_FAMILIES] = {{0}};
    candidate *list = NULL;
    dal_arena scratch = dal_arena_init(ctx);
    dal_status st = DAL_OK;
    for (int pass = 0; pass < 2 && st == DAL_OK; ++pass) {
        int total = 0;
        for (int k = 0; k < BEAM_FAMILIES; ++k) {
            if (beam->kinds == 0 || (beam->kinds & f[k].kind)) {
                x[k] = (work){.f = &f[k], .mesh = mesh, .n = f[k].nd * (mesh->ne + 1)};
                carve(&x[k], &scratch);
                total += x[k].n;
            }
        }
        list = dal_arena_take(&scratch, (size_t)total, sizeof *list);
        st = pass == 0 ? dal_arena_reserve(&scratch) : DAL_OK;
    }
    st = st == DAL_OK ? solve(list, n, x, beam, ctx) : st;
    if (st == DAL_OK) {
        carve_modes(mode, arena, *n, 2 * (mesh->ne + 1));
        st = dal_arena_reserve(arena);
    }
    if (st == DAL_OK) {
        carve_modes(mode, arena, *n, 2 * (mesh->ne + 1));
        for (int k = 0; k < *n; ++k) {
            take(&(*mode)[k], &list[k], x);
        }
    }
    dal_arena_release(&scratch);
    return st;
}
