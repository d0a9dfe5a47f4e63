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
    int n, ni, nb; /* all; interior, boundary (0 without static shapes) */
    int *map;      /* ni + nb */
    double *K, *M; /* n x n */
    double *A, *B; /* up to n x n: eigenproblem, vectors */
    double *w;     /* n */
    double *V;     /* n x n: candidate shapes, columns */
    double *T;     /* n x n */
} work;

static void carve(work *x, dal_arena *arena)
{
    double **square[] = {&x->K, &x->M, &x->A, &x->B, &x->V, &x->T};
    for (int k = 0; k < 6; ++k) {
        *square[k] = dal_arena_reals(arena, x->n * x->n);
    }
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

/* Vibrations of the interior: columns of V, all nodes; x->A keeps the vectors, x->w the squares. */
static dal_status vibrations(work *x, dal_ctx *ctx)
{
    restrict_to(x->A, x, x->K, x->ni);
    restrict_to(x->B, x, x->M, x->ni);
    DAL_TRY(dal_eigen_symmetric(x->w, x->A, x->B, x->ni, ctx));
    memset(x->V, 0, (size_t)(x->n * x->n) * sizeof(double));
    for (int j = 0; j < x->ni; ++j) {
        for (int i = 0; i < x->ni; ++i) {
            x->V[x->map[i] + j * x->n] = x->A[i + j * x->ni];
        }
    }
    return DAL_OK;
}

/* Column `column` of V: boundary value b is one, the others zero, the interior in equilibrium (FX.10): with the
 * vibrations X, K_ii^-1 = X diag(1/w) X^T. */
static void static_shape(work *x, int b, int column)
{
    double *v = x->V + (size_t)(column * x->n);
    const int dof = x->map[x->ni + b];
    memset(v, 0, (size_t)x->n * sizeof(double));
    v[dof] = 1.0;
    for (int k = 0; k < x->ni; ++k) {
        double load = 0.0;
        for (int i = 0; i < x->ni; ++i) {
            load += x->A[i + k * x->ni] * x->K[x->map[i] + dof * x->n];
        }
        for (int i = 0; i < x->ni; ++i) {
            v[x->map[i]] -= x->A[i + k * x->ni] * load / x->w[k];
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
    congruence(x->A, x, x->K, *m);
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
        beam_assemble(x[k].K, x[k].M, x[k].f, x[k].mesh);
        list_free(&x[k], beam->craig_bampton);
        DAL_TRY(vibrations(&x[k], ctx));
        const int rigid = beam->craig_bampton ? 0 : beam_rigid(x[k].f, x[k].mesh);
        for (int j = rigid; j < x[k].ni; ++j) {
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
