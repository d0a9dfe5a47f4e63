/* Shapes of a finite element body: static ones of its interfaces, vibrations, and what they span without rigid motions.
 *
 * One matrix is factored, S = K + s M with a small s > 0, so that a free body is no obstacle. What holds the interfaces, or takes rigid
 * motions away, are small dense corrections; what s changes in static shapes is taken out by iteration. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "flex/fem_impl.h"
#include "linsol/eigen.h"
#include "linsol/lanczos.h"

/* Of the estimated square of the lowest frequency: s. Squares below `loose` s are those of mechanisms. */
static const double shift_part = 1e-3, loose = 1e-5;
/* What is left of a shape beside rigid motions and other shapes is none below this part of it; when static shapes no longer change. */
static const double drop = 1e-8, static_tol = 1e-10;

enum { STATIC_STEPS = 20, FULL = 10, BASIS_MOST = 1200 };

/* ---- a common space --------------------------------------------------------------------------- */

/* x.M x, M x beside it. */
static double square_of(const fem_body *b, const double *x, double *Mx)
{
    double sum = 0.0;
    fem_product(Mx, &b->sys, b->sys.M, x, 1);
    dal_matrix_product(&sum, 0.0, 1.0, x, 1, Mx, 0, 1, 1, b->sys.n);
    return sum;
}

/* Columns one after the other: without rigid motions, orthogonal to those before in the inner product of M, length one, or dropped. */
static dal_status make_orthonormal(const fem_body *b, double *X, double *MX, double *c, int m, int *rank)
{
    const int n = b->sys.n;
    *rank = 0;
    for (int j = 0; j < m; ++j) {
        double *x = X + dal_entry(0, *rank, n), *Mx = MX + dal_entry(0, *rank, n);
        memmove(x, X + dal_entry(0, j, n), (size_t)n * sizeof(double));
        const double before = square_of(b, x, Mx);
        if (!(isfinite(before) && before >= 0.0)) {
            return dal_fail(b->ctx, DAL_EINVAL, "the mass matrix is not positive semidefinite");
        }
        fem_remove_rigid(b, x, 1);
        for (int pass = 0; pass < 2 && *rank > 0; ++pass) {
            dal_matrix_product(c, 0.0, 1.0, MX, 1, x, 0, *rank, 1, n);
            dal_matrix_product(x, 1.0, -1.0, X, 0, c, 0, n, 1, *rank);
        }
        const double after = square_of(b, x, Mx);
        if (!(after > drop * drop * before)) {
            continue;
        }
        for (int i = 0; i < n; ++i) {
            x[i] /= sqrt(after);
            Mx[i] /= sqrt(after);
        }
        ++*rank;
    }
    return DAL_OK;
}

/* What m columns X span, without rigid motions, as shapes with X^T M X = I and X^T K X diagonal: *rank of them, in the first columns,
 * by ascending squares of frequencies. Columns that matter most come first.                              (FE.6) */
static dal_status ritz(fem_body *b, double *X, int m, double *square, int *rank)
{
    const int n = b->sys.n;
    dal_pool work = {.ctx = b->ctx, .what = "shapes of a finite element body"};
    double *AX = dal_pool_take(&work, dal_entry(0, m, n) + 1, sizeof(double));
    double *M = dal_pool_take(&work, dal_entry(0, m, m) + 1, sizeof(double));
    double *K = dal_pool_take(&work, dal_entry(0, m, m) + 1, sizeof(double));
    dal_status st = AX && M && K ? make_orthonormal(b, X, AX, K, m, rank) : DAL_ENOMEM;
    if (st == DAL_OK && AX && M && K) {
        const int r = *rank;
        dal_matrix_product(M, 0.0, 1.0, X, 1, AX, 0, r, r, n);
        fem_product(AX, &b->sys, b->sys.K, X, r);
        dal_matrix_product(K, 0.0, 1.0, X, 1, AX, 0, r, r, n);
        st = dal_eigen_symmetric(square, K, M, r, b->ctx);
        memcpy(AX, X, dal_entry(0, r, n) * sizeof(double));
        dal_matrix_product(X, 0.0, 1.0, AX, 0, K, 0, n, r, r);
    }
    dal_pool_release(&work);
    return st;
}

/* ---- scale ------------------------------------------------------------------------------------ */

typedef struct polynomial {
    double centre[3], size;
    int axis, p, q; /* displacement along axis: x_p x_q of the coordinates, 3 stands for 1 */
} polynomial;

/* The displacement and half its curl. */
static void polynomial_field(double u[6], const double a[3], const void *user)
{
    const polynomial *f = user;
    const double x[4] = {(a[0] - f->centre[0]) / f->size, (a[1] - f->centre[1]) / f->size,
                         (a[2] - f->centre[2]) / f->size, 1.0};
    double slope[4] = {0.0};
    memset(u, 0, 6 * sizeof *u);
    u[f->axis] = x[f->p] * x[f->q];
    slope[f->p] += x[f->q] / f->size;
    slope[f->q] += x[f->p] / f->size;
    // curl of phi e_k = grad phi x e_k
    for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        u[3 + k] = 0.5 * (slope[p] * (f->axis == q) - slope[q] * (f->axis == p));
    }
}

dal_status fem_estimate(fem_body *b, double *square)
{
    enum { FIELDS = 30 };
    const int n = b->sys.n, nn = b->d->nnodes;
    double *X, w[FIELDS];
    polynomial f = {.size = 0.0};
    int m = 0, rank = 0;
    DAL_TAKE(&b->pool, X, dal_entry(0, FIELDS, n));
    for (int i = 0; i < 3 * nn; ++i) {
        f.centre[i % 3] += b->node[i] / nn;
    }
    for (int i = 0; i < 3 * nn; ++i) {
        f.size = fmax(f.size, fabs(b->node[i] - f.centre[i % 3]));
    }
    if (!(f.size > 0.0)) {
        return dal_fail(b->ctx, DAL_EINVAL, "all nodes are at the same place");
    }
    for (f.axis = 0; f.axis < 3; ++f.axis) {
        for (f.p = 0; f.p < 4; ++f.p) {
            for (f.q = f.p; f.q < 4; ++f.q) {
                fem_sample(X + dal_entry(0, m++, n), b, polynomial_field, &f);
            }
        }
    }
    DAL_TRY(ritz(b, X, m, w, &rank));
    *square = 0.0;
    for (int k = rank - 1; k >= 0; --k) { // the least that is not zero but for rounding
        *square = w[k] > 1e-9 * w[rank - 1] ? w[k] : *square;
    }
    return *square > 0.0
               ? DAL_OK
               : dal_fail(b->ctx, DAL_EINVAL,
                          "the stiffness matrix resists no strain of the body: is it zero, or are K and M exchanged?");
}

/* ---- operators -------------------------------------------------------------------------------- */

static dal_status mass(double *Y, const double *X, int ncols, void *user)
{
    const fem_body *b = user;
    fem_product(Y, &b->sys, b->sys.M, X, ncols);
    return DAL_OK;
}

static void solve(double *Y, const fem_body *b, const double *X, int ncols)
{
    memmove(Y, X, dal_entry(0, ncols, b->sys.n) * sizeof(double));
    for (int j = 0; j < ncols; ++j) {
        dal_linsol_solve(b->S, Y + dal_entry(0, j, b->sys.n));
    }
}

/* Y = S^-1 X without rigid motions */
static dal_status solve_free(double *Y, const double *X, int ncols, void *user)
{
    const fem_body *b = user;
    solve(Y, b, X, ncols);
    fem_remove_rigid(b, Y, ncols);
    return DAL_OK;
}

/* Y = S^-1 X with the interfaces held: Y - G Q B Y                                                      (FE.4) */
static dal_status solve_held(double *Y, const double *X, int ncols, void *user)
{
    const fem_body *b = user;
    const int m = b->B.n;
    double *q = dal_alloc(b->ctx, 2 * (size_t)m * sizeof *q);
    if (!q) {
        return dal_fail(b->ctx, DAL_ENOMEM, "no memory for shapes of a finite element body");
    }
    solve(Y, b, X, ncols);
    for (int j = 0; j < ncols; ++j) {
        double *y = Y + dal_entry(0, j, b->sys.n);
        for (int pass = 0; pass < 2; ++pass) {
            fem_interface(q, b, y, 1);
            dal_matrix_product(q + m, 0.0, 1.0, b->Q, 0, q, 0, m, 1, m);
            dal_matrix_product(y, 1.0, -1.0, b->G, 0, q + m, 0, b->sys.n, 1, m);
        }
    }
    dal_free(b->ctx, q);
    return DAL_OK;
}

/* B^T as columns. */
static void put_forces(double *X, const fem_body *b)
{
    memset(X, 0, dal_entry(0, b->B.n, b->sys.n) * sizeof(double));
    for (int i = 0; i < b->B.n; ++i) {
        for (int l = b->B.ptr[i]; l < b->B.ptr[i + 1]; ++l) {
            X[dal_entry(b->B.index[l], i, b->sys.n)] += b->B.x[l];
        }
    }
}

/* G = S^-1 B^T, Q = (B G)^-1 */
static dal_status hold_interfaces(fem_body *b)
{
    const int n = b->sys.n, m = b->B.n;
    double *A;
    DAL_TAKE(&b->pool, b->G, dal_entry(0, m, n) + 1);
    DAL_TAKE(&b->pool, b->Q, dal_entry(0, m, m) + 1);
    DAL_TAKE(&b->pool, A, dal_entry(0, m, m) + 1);
    put_forces(b->G, b);
    solve(b->G, b, b->G, m);
    fem_interface(A, b, b->G, m);
    for (int i = 0; i < m; ++i) {
        b->Q[dal_entry(i, i, m)] = 1.0;
    }
    return dal_matrix_solve(A, b->Q, m, m, b->ctx);
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* X := X0 + A^-1 s M X until it no longer changes: the static shapes, without what s adds.             (FE.5) */
static dal_status make_static(fem_body *b, double *X, int m, dal_lanczos_product inverse)
{
    const size_t size = dal_entry(0, m, b->sys.n);
    dal_pool work = {.ctx = b->ctx, .what = "static shapes"};
    double *X0 = dal_pool_take(&work, size + 1, sizeof(double)), *Y = dal_pool_take(&work, size + 1, sizeof(double));
    dal_status st = X0 && Y ? DAL_OK : DAL_ENOMEM;
    if (st == DAL_OK && X0 && Y) {
        memcpy(X0, X, size * sizeof(double));
        for (int step = 0; step < STATIC_STEPS && st == DAL_OK; ++step) {
            double change = 0.0, largest = 0.0;
            fem_product(Y, &b->sys, b->sys.M, X, m);
            for (size_t i = 0; i < size; ++i) {
                Y[i] *= b->shift;
            }
            st = inverse(Y, Y, m, b);
            for (size_t i = 0; i < size; ++i) {
                const double x = X0[i] + Y[i];
                change = fmax(change, fabs(x - X[i]));
                largest = fmax(largest, fabs(x));
                X[i] = x;
            }
            if (!(change > static_tol * largest)) {
                break;
            }
        }
    }
    dal_pool_release(&work);
    return st;
}

static dal_status vibrations(fem_body *b, double **square, double **X, int *found, int wanted, double frequency,
                             dal_lanczos_product inverse)
{
    const double omega = 2.0 * acos(-1.0) * frequency;
    const int most = frequency > 0.0 ? BASIS_MOST : 10 * wanted + 200;
    dal_lanczos p = {.n = b->sys.n,
                     .wanted = frequency > 0.0 ? 0 : wanted,
                     .least = frequency > 0.0 ? 1.0 / (omega * omega + b->shift) : 0.0,
                     .most = most < b->sys.n + 8 ? most : b->sys.n + 8,
                     .mass = mass,
                     .inverse = inverse,
                     .user = b};
    *found = 0;
    if (frequency <= 0.0 && wanted == 0) {
        return DAL_OK;
    }
    const dal_status st = dal_lanczos_solve(square, X, found, &b->pool, &p);
    if (st == DAL_NOCONV && frequency > 0.0) {
        return dal_fail(b->ctx, DAL_EINVAL,
                        "too many vibrations lie below %g Hz; choose a lower frequency, or a number of modes",
                        frequency);
    }
    for (int k = 0; k < *found && st == DAL_OK; ++k) {
        (*square)[k] = 1.0 / (*square)[k] - b->shift;
    }
    return st;
}

/* Effective masses of the vibrations of the held body, along the axes and about those through its centre of mass, as parts of what
 * the body has. */
static dal_status find_effective(fem_body *b, fem_shapes *s, const double *X)
{
    const int n = b->sys.n;
    double *Mx, m = 0.0, c[3], J[6];
    DAL_TAKE(&b->pool, s->effective, 6 * (size_t)s->nheld + 1);
    DAL_TAKE(&b->pool, Mx, dal_entry(0, 6, n));
    fem_product(Mx, &b->sys, b->sys.M, b->T, 6);
    double A[36];
    dal_matrix_product(A, 0.0, 1.0, b->T, 1, Mx, 0, 6, 6, n);
    m = A[0];
    // rotation about x moves the centre of mass by -z along y
    c[0] = A[1 + 6 * 5] / m;
    c[1] = A[2 + 6 * 3] / m;
    c[2] = A[0 + 6 * 4] / m;
    for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        J[k] = m;
        J[3 + k] = A[7 * (3 + k)] - m * (c[p] * c[p] + c[q] * c[q]);
    }
    for (int j = 0; j < s->nheld; ++j) {
        double L[6];
        dal_matrix_product(L, 0.0, 1.0, Mx, 1, X + dal_entry(0, j, n), 0, 6, 1, n);
        for (int k = 0; k < 3; ++k) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            const double turn = L[3 + k] - (c[p] * L[q] - c[q] * L[p]);
            s->effective[6 * (size_t)j + (size_t)k] = L[k] * L[k] / J[k];
            s->effective[6 * (size_t)j + 3 + (size_t)k] = J[3 + k] > 0.0 ? turn * turn / J[3 + k] : 0.0;
        }
    }
    return DAL_OK;
}

/* Static shapes of unit displacements of the interfaces, and vibrations with these held. */
static dal_status craig_bampton(fem_body *b, fem_shapes *s, double **X, int *m)
{
    const int n = b->sys.n;
    double *V = NULL;
    DAL_TRY(vibrations(b, &s->held, &V, &s->nheld, b->d->nmodes, b->d->frequency, solve_held));
    DAL_TRY(find_effective(b, s, V));
    *m = b->B.n + s->nheld;
    DAL_TAKE(&b->pool, *X, dal_entry(0, *m, n) + 1);
    double *statics = *X + dal_entry(0, s->nheld, n);
    if (V != NULL) {
        memcpy(*X, V, dal_entry(0, s->nheld, n) * sizeof(double));
    }
    dal_matrix_product(statics, 0.0, 1.0, b->G, 0, b->Q, 0, n, b->B.n, b->B.n);
    return make_static(b, statics, b->B.n, solve_held);
}

/* Static shapes under unit forces at the interfaces, balanced by the inertia of the body, and its free vibrations. */
static dal_status free_modes(fem_body *b, fem_shapes *s, double **X, int *m)
{
    const int n = b->sys.n;
    double *V = NULL;
    DAL_TRY(vibrations(b, &s->full, &V, &s->nfull, b->d->nmodes, b->d->frequency, solve_free));
    *m = b->B.n + s->nfull;
    DAL_TAKE(&b->pool, *X, dal_entry(0, *m, n) + 1);
    double *statics = *X + dal_entry(0, s->nfull, n);
    if (V != NULL) {
        memcpy(*X, V, dal_entry(0, s->nfull, n) * sizeof(double));
    }
    put_forces(statics, b);
    DAL_TRY(solve_free(statics, statics, b->B.n, b));
    return make_static(b, statics, b->B.n, solve_free);
}

/* No motion but the rigid ones is without strain. */
static dal_status check_squares(const fem_body *b, const double *square, int n)
{
    if (n > 0 && square[0] < -loose * b->shift) {
        return dal_fail(
            b->ctx, DAL_EINVAL,
            "the stiffness matrix is indefinite: it lets the body move with the square %g of an angular frequency",
            square[0]);
    }
    return n == 0 || square[0] > loose * b->shift ? DAL_OK
                                                  : dal_fail(b->ctx, DAL_EINVAL,
                                                             "beside its six rigid motions the body has another one "
                                                             "without strain: a part that is not connected, a "
                                                             "mechanism, or a node without stiffness");
}

dal_status fem_reduce(fem_body *b, fem_shapes *s)
{
    const int with_interfaces = b->B.n > 0;
    double estimate = 0.0;
    int m = 0;
    DAL_TRY(fem_estimate(b, &estimate));
    DAL_TRY(fem_factor(b, shift_part * estimate));
    if (b->d->method == DAL_FEM_CRAIG_BAMPTON && with_interfaces) {
        DAL_TRY(hold_interfaces(b));
        DAL_TRY(craig_bampton(b, s, &s->X, &m));
    } else {
        DAL_TRY(free_modes(b, s, &s->X, &m));
    }
    DAL_TAKE(&b->pool, s->square, m + 1);
    DAL_TRY(ritz(b, s->X, m, s->square, &s->n));
    if (b->d->method == DAL_FEM_CRAIG_BAMPTON && with_interfaces) {
        double *X;
        DAL_TRY(vibrations(b, &s->full, &X, &s->nfull, s->n < FULL ? s->n : FULL, 0.0, solve_free));
    }
    DAL_TRY(check_squares(b, s->full, s->nfull));
    return check_squares(b, s->square, s->n);
}
