/* Integrals over the mass of a finite element body, from its mass matrix (FE.7): rigid motions and the fields a_i e_j give those with
 * places, components of the shapes in different axes those with products. */
#include <math.h>
#include <string.h>

#include "flex/fem_impl.h"

/* ---- rigid ------------------------------------------------------------------------------------ */

static dal_status rigid_sums(fem_body *b, dal_flexible_sums *s)
{
    const int n = b->sys.n;
    double *MT, A[36];
    DAL_TAKE(&b->pool, MT, dal_entry(0, 6, n));
    fem_product(MT, &b->sys, b->sys.M, b->T, 6);
    dal_matrix_product(A, 0.0, 1.0, b->T, 1, MT, 0, 6, 6, n);
    for (int k = 1; k < 3; ++k) {
        if (fabs(A[7 * k] - A[0]) > 1e-6 * A[0]) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "the mass matrix has the mass %.6g along x, but %.6g along %c: the rows are not x, y, z of "
                            "each node in "
                            "turn, or some are missing",
                            A[0], A[7 * k], "xyz"[k]);
        }
    }
    s->mass = A[0];
    // a rotation about z moves the mass centre along y by x, and so on
    s->first[0] = A[dal_entry(1, 5, 6)];
    s->first[1] = A[dal_entry(2, 3, 6)];
    s->first[2] = A[dal_entry(0, 4, 6)];
    const double J[6] = {A[21], A[28], A[35], A[dal_entry(3, 4, 6)], A[dal_entry(3, 5, 6)], A[dal_entry(4, 5, 6)]};
    memcpy(s->inertia, J, sizeof J);
    return DAL_OK;
}

/* ---- with places ------------------------------------------------------------------------------ */

/* Row i of the field a_p e_q, of which half the curl is e_p x e_q/2. */
static double linear_field(const fem_body *b, int i, int p, int q)
{
    const int c = b->dof[i] % 6;
    if (c < 3) {
        return c == q ? b->node[3 * (size_t)(b->dof[i] / 6) + (size_t)p] : 0.0;
    }
    return p == q || c - 3 == p || c - 3 == q ? 0.0 : (p + 1) % 3 == q ? 0.5 : -0.5;
}

/* to[9 k + p + 3 q] = (a_p e_q).M u_k; to[.. ] of unit displacements likewise */
static dal_status place_sums(fem_body *b, const fem_sums *to, const double *U, int n)
{
    const int N = b->full.n;
    double *field, *Mf;
    DAL_TAKE(&b->pool, field, N);
    DAL_TAKE(&b->pool, Mf, N);
    for (int f = 0; f < 12; ++f) {
        const int p = f % 3, q = f / 3;
        for (int i = 0; i < N; ++i) {
            field[i] = f < 9 ? linear_field(b, i, p, q) : b->dof[i] % 6 == f - 9;
        }
        fem_product(Mf, &b->full, b->full.M, field, 1);
        for (int k = 0; k < n; ++k) {
            double *sum = f < 9 ? &to->place[9 * (size_t)k + (size_t)f] : &to->shape[3 * (size_t)k + (size_t)(f - 9)];
            dal_matrix_product(sum, 0.0, 1.0, Mf, 1, U + dal_entry(0, k, N), 0, 1, 1, N);
        }
    }
    return DAL_OK;
}

/* ---- products --------------------------------------------------------------------------------- */

/* y = M_aa u^(c): the rows of axis a, with the component c of a shape in its place. */
static void product_along(double *y, const fem_body *b, const double *u, int a, int c)
{
    const fem_pair *A = &b->full;
    for (int j = 0; j < A->n; ++j) {
        double sum = 0.0;
        for (int l = A->colptr[j]; b->dof[j] % 6 == a && l < A->colptr[j + 1]; ++l) {
            const int i = A->row[l], of = b->of_node[6 * (size_t)(b->dof[i] / 6) + (size_t)c];
            sum += b->dof[i] % 6 == a && of >= 0 ? A->M[l] * u[of] : 0.0;
        }
        y[j] = sum;
    }
}

/* F_lk[a, c] = u_l^(a).M_aa u_k^(c), and the mean of F_lk[a, c] and F_kl[c, a]: the products of two axes have the mean of both masses. */
static dal_status product_sums(fem_body *b, double *product, const double *U, int n)
{
    const int N = b->full.n;
    double *y, *F, *dots;
    DAL_TAKE(&b->pool, y, N);
    DAL_TAKE(&b->pool, dots, n + 1);
    DAL_TAKE(&b->pool, F, 9 * (size_t)n * (size_t)n + 1);
    for (int k = 0; k < n; ++k) {
        for (int e = 0; e < 9; ++e) {
            product_along(y, b, U + dal_entry(0, k, N), e % 3, e / 3);
            dal_matrix_product(dots, 0.0, 1.0, U, 1, y, 0, n, 1, N);
            for (int l = 0; l < n; ++l) {
                F[9 * dal_entry(l, k, n) + (size_t)e] = dots[l];
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
            for (size_t e = 0; e < 9; ++e) {
                product[9 * dal_entry(l, k, n) + e] =
                    0.5 * (F[9 * dal_entry(l, k, n) + e] + F[9 * dal_entry(k, l, n) + e % 3 * 3 + e / 3]);
            }
        }
    }
    return DAL_OK;
}

dal_status fem_inertia(fem_body *b, dal_flexible_sums *sums, const fem_sums *to, const double *X, int n)
{
    const int N = b->full.n;
    double *U, *MU;
    DAL_TRY(rigid_sums(b, sums));
    DAL_TAKE(&b->pool, U, dal_entry(0, n, N) + 1);
    DAL_TAKE(&b->pool, MU, dal_entry(0, n, N) + 1);
    for (int k = 0; k < n; ++k) {
        fem_expand(U + dal_entry(0, k, N), b, X + dal_entry(0, k, b->sys.n));
    }
    fem_product(MU, &b->full, b->full.M, U, n);
    dal_matrix_product(to->modal_mass, 0.0, 1.0, U, 1, MU, 0, n, n, N);
    DAL_TRY(place_sums(b, to, U, n));
    DAL_TRY(product_sums(b, to->product, U, n));
    sums->shape = to->shape;
    sums->place = to->place;
    sums->product = to->product;
    sums->modal_mass = to->modal_mass;
    return DAL_OK;
}
