/* Unknowns of a finite element body: rigid interfaces become six unknowns each; all interfaces have coordinates, which follow from
 * the unknowns; rigid motions. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "flex/fem_impl.h"

/* ---- interfaces ------------------------------------------------------------------------------- */

static dal_status refuse(const fem_body *b, const dal_fem_interface *face, const char *why)
{
    return dal_fail(b->ctx, DAL_EINVAL, "interface '%s': %s", face->name, why);
}

static double weight_of(const dal_fem_interface *face, int i)
{
    return face->average && face->weight != NULL ? face->weight[i] : 1.0;
}

/* a x b added to c, times f */
static void add_cross(double c[3], double f, const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        c[k] += f * (a[p] * b[q] - a[q] * b[p]);
    }
}

/* Mean place, sum of the weights W, and J = sum w (r.r I - r r^T)/W of the arms. */
static double mean_of(double place[3], double J[9], const fem_body *b, const dal_fem_interface *face)
{
    double W = 0.0, size = 0.0;
    memset(J, 0, 9 * sizeof(double));
    place[0] = place[1] = place[2] = 0.0;
    for (int i = 0; i < face->n; ++i) {
        W += weight_of(face, i);
    }
    for (int i = 0; i < face->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            place[k] += weight_of(face, i) / W * b->node[3 * (size_t)face->node[i] + (size_t)k];
            size = fmax(size, fabs(b->node[3 * (size_t)face->node[i] + (size_t)k]));
        }
    }
    for (int k = 0; k < 3; ++k) { // a place of rounding only would be taken for a length of the model
        place[k] = fabs(place[k]) > 1e-13 * size ? place[k] : 0.0;
    }
    for (int i = 0; i < face->n; ++i) {
        const double w = weight_of(face, i) / W, *a = b->node + 3 * (size_t)face->node[i];
        const double r[3] = {a[0] - place[0], a[1] - place[1], a[2] - place[2]};
        for (int k = 0; k < 9; ++k) {
            J[k] += w * ((k % 4 == 0 ? r[0] * r[0] + r[1] * r[1] + r[2] * r[2] : 0.0) - r[k % 3] * r[k / 3]);
        }
    }
    return W;
}

/* Do the arms tell the rotation about every axis? The least eigenvalue of J is not much smaller than the others. */
static int tells_rotations(const double J[9])
{
    const double trace = J[0] + J[4] + J[8];
    const double det =
        J[0] * (J[4] * J[8] - J[5] * J[7]) - J[3] * (J[1] * J[8] - J[2] * J[7]) + J[6] * (J[1] * J[5] - J[2] * J[4]);
    return det > 1e-10 * trace * trace * trace;
}

/* Each node is there and in one interface only. seen: 1 + index of its interface, 0: none */
static dal_status check_nodes(const fem_body *b, const dal_fem_interface *face, int number, int *seen)
{
    if (face->name == NULL || face->n < 1 || face->node == NULL) {
        return dal_fail(b->ctx, DAL_EINVAL, "interface %d has no name or no nodes", number + 1);
    }
    for (int i = 0; i < face->n; ++i) {
        const int node = face->node[i];
        if (node < 0 || node >= b->d->nnodes) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "interface '%s': there is no node %d among %d (they are counted from 0)", face->name, node,
                            b->d->nnodes);
        }
        if (seen[node] != 0) {
            return dal_fail(b->ctx, DAL_EINVAL, "interface '%s': its node %d belongs to interface '%s' already",
                            face->name, node, b->d->interfaces[seen[node] - 1].name);
        }
        seen[node] = number + 1;
        if (!(weight_of(face, i) > 0.0 && isfinite(weight_of(face, i)))) {
            return refuse(b, face, "weights are positive numbers");
        }
        for (int c = 0; c < 3; ++c) {
            if (b->of_node[6 * node + c] < 0) {
                return refuse(b, face, "a node has no row for one of its three displacements");
            }
        }
    }
    return DAL_OK;
}

/* Three coordinates: a single node that does not turn. */
static int size_of(const fem_body *b, const dal_fem_interface *face)
{
    const int *of = b->of_node + 6 * (size_t)face->node[0];
    return face->n == 1 && (of[3] < 0 || of[4] < 0 || of[5] < 0) ? 3 : 6;
}

/* ---- unknowns --------------------------------------------------------------------------------- */

static void put(fem_body *b, int row, int k, int unknown, double t)
{
    b->unknown[3 * (size_t)row + (size_t)k] = unknown;
    b->t[3 * (size_t)row + (size_t)k] = t;
}

/* u = q + theta x r at the nodes of a rigid interface                                                   (FE.1) */
static void tie(fem_body *b, const dal_fem_interface *face, const double place[3], int first)
{
    for (int i = 0; i < face->n; ++i) {
        const int node = face->node[i], *of = b->of_node + 6 * (size_t)node;
        double r[3];
        for (int c = 0; c < 3; ++c) {
            r[c] = b->node[3 * (size_t)node + (size_t)c] - place[c];
        }
        for (int c = 0; c < 3; ++c) {
            const int p = (c + 1) % 3, q = (c + 2) % 3;
            put(b, of[c], 0, first + c, 1.0);
            put(b, of[c], 1, first + 3 + p, r[q]);
            put(b, of[c], 2, first + 3 + q, -r[p]);
            if (of[3 + c] >= 0) {
                put(b, of[3 + c], 0, first + 3 + c, 1.0);
            }
        }
    }
}

/* Numbers of the unknowns, what the rows are of them, and which belong together. */
static dal_status number_unknowns(fem_body *b, int *n)
{
    const dal_fem *d = b->d;
    int *seen;
    DAL_TAKE(&b->pool, seen, d->nnodes);
    DAL_TAKE(&b->pool, b->unknown, 3 * (size_t)d->ndofs);
    DAL_TAKE(&b->pool, b->t, 3 * (size_t)d->ndofs);
    DAL_TAKE(&b->pool, b->group, (size_t)d->ndofs + 6 * (size_t)d->ninterfaces + 1);
    DAL_TAKE(&b->pool, b->first, d->ninterfaces + 1);
    DAL_TAKE(&b->pool, b->place, 3 * (size_t)d->ninterfaces + 1);
    for (int f = 0; f < d->ninterfaces; ++f) {
        const dal_fem_interface *face = &d->interfaces[f];
        double J[9];
        DAL_TRY(check_nodes(b, face, f, seen));
        (void)mean_of(b->place + 3 * (size_t)f, J, b, face);
        if (face->n > 1 && !tells_rotations(J)) {
            return refuse(
                b, face,
                "its nodes lie on a line, which does not tell rotations about it; name a node beside it, or a "
                "single node");
        }
        b->first[f + 1] = b->first[f] + size_of(b, face);
    }
    memset(b->unknown, -1, 3 * (size_t)d->ndofs * sizeof(int));
    *n = 0;
    for (int i = 0; i < d->ndofs; ++i) {
        const int node = b->dof[i] / 6, f = seen[node] - 1;
        if (f < 0 || d->interfaces[f].average || d->interfaces[f].n == 1) {
            put(b, i, 0, *n, 1.0);
            b->group[(*n)++] = node;
        }
    }
    return DAL_OK;
}

/* Entries of T^T K T and T^T M T, or only how many there are. */
static size_t project_entries(const fem_body *b, int *row, int *col, double *k, double *m)
{
    const fem_pair *A = &b->full;
    size_t n = 0;
    for (int j = 0; j < A->n; ++j) {
        for (size_t e = 9 * (size_t)A->colptr[j]; e < 9 * (size_t)A->colptr[j + 1]; ++e) {
            const size_t l = e / 9, to = 3 * (size_t)A->row[l] + e % 3, from = 3 * (size_t)j + e / 3 % 3;
            const double f = b->t[to] * b->t[from];
            if (b->unknown[to] < 0 || b->unknown[from] < 0) {
                continue;
            }
            if (row && col && k && m) {
                row[n] = b->unknown[to];
                col[n] = b->unknown[from];
                k[n] = f * A->K[l];
                m[n] = f * A->M[l];
            }
            ++n;
        }
    }
    return n;
}

/* K and M of the unknowns. Without rigid interfaces they are those of the body. */
static dal_status project(fem_body *b, int n)
{
    int same = n == b->full.n;
    for (int i = 0; i < n && same; ++i) {
        same = b->unknown[3 * (size_t)i] == i;
    }
    if (same) {
        b->sys = b->full;
        return DAL_OK;
    }
    dal_pool work = {.ctx = b->ctx, .what = "the matrices of a finite element body"};
    const size_t count = project_entries(b, NULL, NULL, NULL, NULL);
    int *row = dal_pool_take(&work, count + 1, sizeof(int)), *col = dal_pool_take(&work, count + 1, sizeof(int));
    double *k = dal_pool_take(&work, count + 1, sizeof(double)), *m = dal_pool_take(&work, count + 1, sizeof(double));
    dal_status st = count < INT_MAX
                        ? DAL_OK
                        : dal_fail(b->ctx, DAL_EINVAL, "rigid interfaces connect too much: %zu entries", count);
    st = st == DAL_OK && !(row && col && k && m) ? DAL_ENOMEM : st;
    if (st == DAL_OK) {
        (void)project_entries(b, row, col, k, m);
        st = fem_compress(&b->sys, &b->pool, n, count, row, col, k, m);
    }
    dal_pool_release(&work);
    return st;
}

/* ---- coordinates of interfaces ---------------------------------------------------------------- */

static void add_coefficient(fem_rows *B, int row, int index, double x)
{
    const int at = B->ptr[row + 1]++;
    B->index[at] = index;
    B->x[at] = x;
}

/* Row of a mean: displacement c, or rotation c - 3: J^-1 sum w r x u/W.                                 (FE.2) */
static void mean_row(fem_body *b, const dal_fem_interface *face, const double place[3], const double Jinv[9], double W,
                     int c, int row)
{
    for (int i = 0; i < face->n; ++i) {
        const int node = face->node[i], *of = b->of_node + 6 * (size_t)node;
        const double w = weight_of(face, i) / W, *a = b->node + 3 * (size_t)node;
        const double r[3] = {a[0] - place[0], a[1] - place[1], a[2] - place[2]};
        for (int e = 0; e < 3; ++e) {
            double x = c == e ? w : 0.0;
            if (c > 2) {
                double unit[3] = {0.0}, arm[3] = {0.0};
                unit[e] = 1.0;
                add_cross(arm, w, r, unit);
                x = Jinv[c - 3] * arm[0] + Jinv[c - 3 + 3] * arm[1] + Jinv[c - 3 + 6] * arm[2];
            }
            if (x != 0.0) {
                add_coefficient(&b->B, row, b->unknown[3 * (size_t)of[e]], x);
            }
        }
    }
}

static dal_status make_rows(fem_body *b)
{
    const dal_fem *d = b->d;
    size_t most = 1;
    for (int f = 0; f < d->ninterfaces; ++f) {
        most += 18 * (size_t)d->interfaces[f].n;
    }
    b->B.n = b->first[d->ninterfaces];
    DAL_TAKE(&b->pool, b->B.ptr, b->B.n + 1);
    DAL_TAKE(&b->pool, b->B.index, most);
    DAL_TAKE(&b->pool, b->B.x, most);
    for (int f = 0; f < d->ninterfaces; ++f) {
        const dal_fem_interface *face = &d->interfaces[f];
        double place[3], J[9], Jinv[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        const double W = mean_of(place, J, b, face);
        if (face->n > 1 && face->average && !dal_matrix_solve_small(J, Jinv, 3, 3)) {
            return refuse(b, face, "its nodes do not tell rotations");
        }
        for (int row = b->first[f], c = 0; row < b->first[f + 1]; ++row, ++c) {
            b->B.ptr[row + 1] = b->B.ptr[row];
            if (face->n > 1 && face->average) {
                mean_row(b, face, place, Jinv, W, c, row);
            } else {
                const int of = b->of_node[6 * (size_t)face->node[0] + (size_t)c];
                // unknown of a rigid interface: displacement c, then rotations
                const int first = b->unknown[3 * (size_t)b->of_node[6 * (size_t)face->node[0]]];
                add_coefficient(&b->B, row, face->n == 1 ? b->unknown[3 * (size_t)of] : first + c, 1.0);
            }
        }
    }
    return DAL_OK;
}

dal_status fem_system(fem_body *b)
{
    const dal_fem *d = b->d;
    int n = 0;
    DAL_TRY(number_unknowns(b, &n));
    for (int f = 0; f < d->ninterfaces; ++f) {
        if (d->interfaces[f].n > 1 && !d->interfaces[f].average) {
            tie(b, &d->interfaces[f], b->place + 3 * (size_t)f, n);
            for (int k = 0; k < 6; ++k) {
                b->group[n + k] = d->interfaces[f].node[0]; // no other unknown has this node
            }
            n += 6;
        }
    }
    DAL_TRY(project(b, n));
    return make_rows(b);
}

void fem_interface(double *Y, const fem_body *b, const double *X, int ncols)
{
    for (int c = 0; c < ncols; ++c) {
        for (int i = 0; i < b->B.n; ++i) {
            double sum = 0.0;
            for (int l = b->B.ptr[i]; l < b->B.ptr[i + 1]; ++l) {
                sum += b->B.x[l] * X[dal_entry(b->B.index[l], c, b->sys.n)];
            }
            Y[dal_entry(i, c, b->B.n)] = sum;
        }
    }
}

void fem_expand(double *u, const fem_body *b, const double *x)
{
    for (size_t i = 0; i < (size_t)b->d->ndofs; ++i) {
        u[i] = 0.0;
        for (size_t k = 3 * i; k < 3 * i + 3; ++k) {
            u[i] += b->unknown[k] >= 0 ? b->t[k] * x[b->unknown[k]] : 0.0;
        }
    }
}

/* ---- rigid motions ---------------------------------------------------------------------------- */

void fem_sample(double *x, const fem_body *b, fem_field field, const void *user)
{
    const dal_fem *d = b->d;
    double u[6];
    for (int i = 0; i < d->ndofs; ++i) {
        field(u, b->node + 3 * (size_t)(b->dof[i] / 6), user);
        // rows of their own; those of rigid interfaces follow
        if (b->unknown[3 * (size_t)i + 1] < 0) {
            x[b->unknown[3 * (size_t)i]] = u[b->dof[i] % 6];
        }
    }
    for (int f = 0; f < d->ninterfaces; ++f) {
        const dal_fem_interface *face = &d->interfaces[f];
        if (face->n > 1 && !face->average) {
            field(u, b->place + 3 * (size_t)f, user);
            memcpy(x + b->unknown[3 * (size_t)b->of_node[6 * (size_t)face->node[0]]], u, sizeof u);
        }
    }
}

static void rigid_field(double u[6], const double a[3], const void *user)
{
    const int k = *(const int *)user;
    double axis[3] = {0.0};
    memset(u, 0, 6 * sizeof *u);
    u[k] = 1.0;
    if (k > 2) {
        axis[k - 3] = 1.0;
        add_cross(u, 1.0, axis, a);
    }
}

void fem_remove_rigid(const fem_body *b, double *X, int ncols)
{
    const int n = b->sys.n;
    double c[6];
    for (int j = 0; j < ncols; ++j) {
        double *x = X + dal_entry(0, j, n);
        for (int pass = 0; pass < 2; ++pass) {
            dal_matrix_product(c, 0.0, 1.0, b->MR, 1, x, 0, 6, 1, n);
            dal_matrix_product(x, 1.0, -1.0, b->R, 0, c, 0, n, 1, 6);
        }
    }
}

/* Nothing holds the body: K does not feel rigid motions. */
static dal_status check_free(fem_body *b)
{
    static const char *const motion[6] = {"displacement along x", "displacement along y", "displacement along z",
                                          "rotation about x",     "rotation about y",     "rotation about z"};
    const fem_pair *A = &b->sys;
    for (int k = 0; k < 6; ++k) {
        const double *t = b->T + dal_entry(0, k, A->n);
        double felt = 0.0, size = 0.0;
        int where = 0;
        for (int j = 0; j < A->n; ++j) {
            double sum = 0.0, parts = 0.0;
            for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
                sum += A->K[l] * t[A->row[l]];
                parts += fabs(A->K[l] * t[A->row[l]]);
            }
            where = fabs(sum) > felt ? j : where;
            felt = fmax(felt, fabs(sum));
            size = fmax(size, parts);
        }
        if (felt > 1e-6 * size) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            "the stiffness matrix resists a rigid %s of the body (%.2g of its forces, node %d): give "
                            "matrices without "
                            "supports, and nodes in the order, axes and units of the matrices",
                            motion[k], felt / size, b->group[where]);
        }
    }
    return DAL_OK;
}

dal_status fem_rigid(fem_body *b)
{
    const int n = b->sys.n;
    DAL_TAKE(&b->pool, b->T, dal_entry(0, 6, n));
    DAL_TAKE(&b->pool, b->R, dal_entry(0, 6, n));
    DAL_TAKE(&b->pool, b->MR, dal_entry(0, 6, n));
    for (int k = 0; k < 6; ++k) {
        fem_sample(b->T + dal_entry(0, k, n), b, rigid_field, &k);
    }
    DAL_TRY(check_free(b));
    memcpy(b->R, b->T, dal_entry(0, 6, n) * sizeof(double));
    for (int k = 0; k < 6; ++k) {
        double *r = b->R + dal_entry(0, k, n), *Mr = b->MR + dal_entry(0, k, n), c[6], before = 0.0, after = 0.0;
        fem_product(Mr, &b->sys, b->sys.M, r, 1);
        dal_matrix_product(&before, 0.0, 1.0, r, 1, Mr, 0, 1, 1, n);
        for (int pass = 0; pass < 2 && k > 0; ++pass) {
            dal_matrix_product(c, 0.0, 1.0, b->MR, 1, r, 0, k, 1, n);
            dal_matrix_product(r, 1.0, -1.0, b->R, 0, c, 0, n, 1, k);
        }
        fem_product(Mr, &b->sys, b->sys.M, r, 1);
        dal_matrix_product(&after, 0.0, 1.0, r, 1, Mr, 0, 1, 1, n);
        if (!(after > 1e-12 * before)) {
            return dal_fail(b->ctx, DAL_EINVAL,
                            k < 3 ? "the mass matrix has no mass for displacements along %c"
                                  : "the body has no inertia for rotations about %c through its centre of mass",
                            "xyz"[k % 3]);
        }
        for (int i = 0; i < n; ++i) {
            r[i] /= sqrt(after);
            Mr[i] /= sqrt(after);
        }
    }
    return DAL_OK;
}
