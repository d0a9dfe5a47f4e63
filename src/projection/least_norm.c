/* Multipliers of least norm for a system with redundant rows (RD.2).
 *
 * Each row left out is a combination of the rows kept: b_d = C^T B. The columns of N = [C; -I] (one per row left out)
 * span the multipliers that give no force, B^T N = 0; the part of lambda along them is removed. C is the least squares
 * solution from  [[I, U B^T], [B U, 0]] [x; c] = [U b_d; 0], U the displacements that count as large. Forces and torques are
 * compared as if the forces acted at the length of the system. */
#include "base/message.h"
#include "base/vector.h"
#include "linearize/layout.h"
#include "projection/reduce_impl.h"
#include "projection/span_kernel.h"

/* The saddle matrix of the kept rows: slots 0 .. nv-1 are the diagonal, then two for each entry of B. */
static dal_status announce(dal_pattern *pattern, const void *self)
{
    const dal_reduction *red = self;
    const int nv = red->ev->nv;
    DAL_TRY(dal_layout_diagonal(pattern, 0, nv));
    for (int i = 0; i < nv; ++i) {
        DAL_TRY(dal_pattern_node(pattern, i, 1, i, 0));
    }
    for (int k = 0; k < red->nc; ++k) {
        const int row = red->kept[k];
        DAL_TRY(dal_pattern_node(pattern, nv + k, 1, nv + k, 1));
        for (int e = red->B->colptr[row]; e < red->B->colptr[row + 1]; ++e) {
            DAL_TRY(dal_pattern_block(pattern, nv + k, red->B->row[e], 1, 1));
            DAL_TRY(dal_pattern_block(pattern, red->B->row[e], nv + k, 1, 1));
        }
    }
    return DAL_OK;
}

dal_status dal_reduction_solver(dal_reduction *red)
{
    const int nv = red->ev->nv, nc = red->ev->nc, nd = red->ndropped;
    DAL_TRY(dal_layout_solver(&red->ls, red->ctx, nv + red->nc, DAL_LINSOL_AUTO, announce, red));
    const size_t count =
        (size_t)nc * (size_t)nd + (size_t)nv + (size_t)red->nc + (size_t)nd * (size_t)nd + (size_t)nd + (size_t)nc;
    red->N = dal_alloc_zero(red->ctx, count * sizeof(double));
    if (!red->N) {
        return dal_fail(red->ctx, DAL_ENOMEM, "no memory for the multipliers of redundant constraints");
    }
    red->rhs = red->N + (size_t)nc * (size_t)nd;
    red->gram = red->rhs + nv + red->nc;
    red->coef = red->gram + (size_t)nd * (size_t)nd;
    red->square = red->coef + nd;
    return DAL_OK;
}

static void assemble(dal_reduction *red)
{
    const double one = 1.0;
    dal_matrix *A = dal_linsol_matrix(red->ls);
    dal_matrix_zero(A);
    int slot = 0;
    for (; slot < red->ev->nv; ++slot) {
        dal_matrix_add(A, slot, &one, 1, 1, 1);
    }
    for (int k = 0; k < red->nc; ++k) {
        for (int e = red->B->colptr[red->kept[k]]; e < red->B->colptr[red->kept[k] + 1]; ++e, slot += 2) {
            const double x = red->B->x[e] * red->ev->unit[red->B->row[e]];
            dal_matrix_add(A, slot, &x, 1, 1, 1);
            dal_matrix_add(A, slot + 1, &x, 1, 1, 1);
        }
    }
}

/* The reach of a row: its largest entry for displacements that count as large (SX.1). */
static double reach(const dal_reduction *red, int row)
{
    double most = 0.0;
    for (int e = red->B->colptr[row]; e < red->B->colptr[row + 1]; ++e) {
        most = fmax(most, fabs(red->B->x[e]) * red->ev->unit[red->B->row[e]]);
    }
    return most;
}

/* What multipliers of a row are to be multiplied by to be compared: a row that holds a place has forces, others torques. */
static double lever(const dal_reduction *red, int row)
{
    const double length = red->ev->length;
    for (int e = red->B->colptr[row]; e < red->B->colptr[row + 1]; ++e) {
        if (red->B->x[e] != 0.0 && red->ev->unit[red->B->row[e]] == length) {
            return length;
        }
    }
    return 1.0;
}

/* Column `column` of N: of row number d of those left out. */
static void combination(dal_reduction *red, int column, int d)
{
    const int nv = red->ev->nv, row = red->dropped[d];
    double *n = red->N + (size_t)column * (size_t)red->ev->nc;
    dal_zero(red->rhs, nv + red->nc);
    for (int e = red->B->colptr[row]; e < red->B->colptr[row + 1]; ++e) {
        red->rhs[red->B->row[e]] += red->B->x[e] * red->ev->unit[red->B->row[e]];
    }
    dal_linsol_solve_refined(red->ls, red->rhs);
    dal_zero(n, red->ev->nc);
    for (int k = 0; k < red->nc; ++k) {
        n[red->kept[k]] = red->rhs[nv + k];
    }
    n[row] = -1.0;
}

/* The factors that give the combinations, B being known. */
static dal_status prepare(dal_reduction *red, const dal_point *at)
{
    assemble(red);
    const dal_status st = dal_linsol_factor(red->ls);
    const int row = dal_linsol_singular_row(red->ls) - red->ev->nv;
    if (st == DAL_SINGULAR && row >= 0) {
        char name[96];
        dal_eval_row_name(red->ev, name, sizeof name, red->kept[row]);
        return dal_fail(
            red->ctx, st,
            "%s depends on the other constraints at t = %.9g, though it did not at the start: the mechanism "
            "locks or branches there",
            name, at->t);
    }
    return st;
}

/* Which kept row of velocities takes part most in column n of N, that of row d, if it does so noticeably; -1: none. */
static int velocity_partner(const dal_reduction *red, const double *n, const char *velocity, int d)
{
    int partner = -1;
    double most = 1e-3 * reach(red, d);
    for (int k = 0; k < red->nc; ++k) {
        const int r = red->kept[k];
        const double part = velocity[r] && n[r] != 0.0 ? fabs(n[r]) * reach(red, r) : 0.0;
        if (part > most) {
            most = part;
            partner = r;
        }
    }
    return partner;
}

dal_status dal_reduction_exchange(dal_reduction *red, int *changed, const dal_point *at, const char *velocity)
{
    const int nc = red->ev->nc, nd = red->ndropped;
    *changed = 0;
    DAL_TRY(prepare(red, at));
    for (int d = 0; d < nd; ++d) {
        combination(red, d, d);
    }
    for (int d = 0; d < nd; ++d) { // an elimination in N, whose pivots are the rows left out
        double *n = red->N + (size_t)d * (size_t)nc;
        const int row = red->dropped[d], r = velocity[row] ? -1 : velocity_partner(red, n, velocity, row);
        for (int j = 0; r >= 0 && j < nd; ++j) {
            double *other = red->N + (size_t)j * (size_t)nc;
            if (j != d) {
                dal_add_multiple(other, n, -other[r] / n[r], nc);
            }
        }
        if (r >= 0) {
            red->dropped[d] = r;
            *changed = 1;
        }
    }
    return DAL_OK;
}

/* The combination of the rows kept that a row left out is, at a point; it stays until the next call. */
static dal_status combine(dal_reduction *red, const double **coefficient, const dal_point *at, int row)
{
    int d = 0;
    while (d < red->ndropped && red->dropped[d] != row) {
        ++d;
    }
    if (d == red->ndropped) {
        return dal_fail(red->ctx, DAL_EINVAL, "row %d is not one of those left out", row);
    }
    DAL_TRY(dal_linearize_at(red->lin, at));
    DAL_TRY(prepare(red, at));
    combination(red, 0, d);
    red->shared = 0;
    *coefficient = red->N;
    return DAL_OK;
}

dal_status dal_reduction_partners(dal_reduction *red, char *buffer, size_t size, const dal_point *at, int row)
{
    DAL_NEED_AS(NULL, red, "reduction");
    DAL_NEED(red->ctx, buffer);
    DAL_NEED_POINT(red->ctx, at, red->full);
    const double *c = NULL;
    DAL_TRY(combine(red, &c, at, row));
    int *partner = dal_alloc(red->ctx, (size_t)red->ev->nc * sizeof *partner), n = 0;
    if (!partner) {
        return dal_fail(red->ctx, DAL_ENOMEM, "no memory to name constraints");
    }
    for (int r = 0; r < red->ev->nc && c; ++r) {
        // coefficients for rows of equal reach would be 1 or so
        if (r != row && fabs(c[r]) * reach(red, r) > 1e-6 * reach(red, row)) {
            partner[n++] = r;
        }
    }
    dal_eval_row_names(red->ev, buffer, size, partner, n);
    dal_free(red->ctx, partner);
    return DAL_OK;
}

dal_status dal_reduction_amplification(dal_reduction *red, double *sum, const dal_point *at, int row)
{
    const double *c = NULL;
    DAL_TRY(combine(red, &c, at, row));
    *sum = 0.0;
    for (int r = 0; r < red->ev->nc && c; ++r) {
        *sum += r == row ? 0.0 : fabs(c[r]) * reach(red, r) / reach(red, row);
    }
    return DAL_OK;
}

dal_status dal_reduction_multipliers(dal_reduction *red, double *la, const dal_point *at, int least_norm)
{
    DAL_NEED_AS(NULL, red, "reduction");
    DAL_NEED(red->ctx, la);
    DAL_NEED_POINT(red->ctx, at, &red->sys);
    dal_zero(la, red->ev->nc);
    for (int i = 0; i < red->nc; ++i) {
        la[red->kept[i]] = at->la[i];
    }
    for (int d = 0; d < red->ndropped; ++d) {
        la[red->dropped[d]] = red->mask.fixed[dal_mask_row(red->full, red->dropped[d])];
    }
    if (!least_norm || red->ndropped == 0) {
        return DAL_OK;
    }
    const dal_point whole = {at->t, at->q, at->v, at->vd, la};
    int shared = 0;
    red->shared = 0;
    DAL_TRY(dal_linearize_at(red->lin, &whole));
    for (int d = 0; d < red->ndropped; ++d) {
        if (reach(red, red->dropped[d]) > 0.0) { // rows that do not hold, as those of open contacts, are zero
            DAL_TRY(shared == 0 ? prepare(red, &whole) : DAL_OK);
            combination(red, shared++, d);
        }
    }
    for (int r = 0; r < red->ev->nc && shared > 0; ++r) {
        red->square[r] = lever(red, r) * lever(red, r);
    }
    remove_span(la, red->N, red->square, red->gram, red->coef, red->ev->nc, shared);
    red->shared = shared;
    return DAL_OK;
}

int dal_reduction_relieve(const dal_reduction *red, double *la, int row, int n, const double *e, double value)
{
    const int nc = red->ev->nc, nd = red->shared;
    const double *N = red->N, *S = red->gram;
    double *c = red->coef, part = 0.0, change = value; // c = (N^T W^2 N)^-1 N^T e, by the factor that is there
    for (int i = 0; i < n; ++i) {
        change -= e[i] * la[row + i];
    }
    for (int j = 0; j < nd; ++j) {
        c[j] = 0.0;
        for (int i = 0; i < n; ++i) {
            c[j] += e[i] * N[row + i + (ptrdiff_t)nc * j];
        }
        for (int k = 0; k < j; ++k) {
            c[j] -= S[j + k * nd] * c[k];
        }
        c[j] /= S[j + j * nd];
        part += c[j] * c[j];
    }
    if (!(part > 1e-6)) {
        return 0;
    }
    for (int j = nd - 1; j >= 0; --j) {
        for (int k = j + 1; k < nd; ++k) {
            c[j] -= S[k + j * nd] * c[k];
        }
        c[j] /= S[j + j * nd];
        dal_add_multiple(la, N + (ptrdiff_t)nc * j, c[j] * change / part, nc);
    }
    if (n == 1) {
        la[row] = value / e[0]; // not a rounding beside it
    }
    return 1;
}
