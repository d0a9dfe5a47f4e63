/* The descriptor form of a linear model: sparse, with the constraints.                                  (MO.10) */
#include <string.h>

#include "analysis/linear_impl.h"
#include "base/vector.h"

/* Room for more entries; a failure is kept for the end. */
static int grow(dal_linear *m, dal_growing *g)
{
    const int larger = g->capacity ? 2 * g->capacity : 256;
    int *rows = dal_alloc(m->ctx, 2 * (size_t)larger * sizeof *rows);
    double *values = dal_alloc(m->ctx, (size_t)larger * sizeof *values);
    if (!rows || !values) {
        dal_free(m->ctx, rows);
        dal_free(m->ctx, values);
        m->filled = dal_fail(m->ctx, DAL_ENOMEM, "no memory to linearise");
        return 0;
    }
    if (g->n > 0) {
        memcpy(rows, g->row, (size_t)g->n * sizeof *rows);
        memcpy(rows + larger, g->col, (size_t)g->n * sizeof *rows);
        memcpy(values, g->x, (size_t)g->n * sizeof *values);
    }
    dal_free(m->ctx, g->row);
    dal_free(m->ctx, g->x);
    *g = (dal_growing){rows, rows + larger, values, g->n, larger};
    return 1;
}

static void add(dal_linear *m, int form, int row, int col, double x)
{
    dal_growing *g = &m->form[form];
    if (x == 0.0 || m->filled != DAL_OK || (g->n == g->capacity && !grow(m, g))) {
        return;
    }
    g->row[g->n] = row;
    g->col[g->n] = col;
    g->x[g->n++] = x;
}

void dal_linear_release_descriptor(dal_linear *m)
{
    for (int k = 0; k < DAL_LINEAR_FORMS; ++k) {
        dal_free(m->ctx, m->form[k].row);
        dal_free(m->ctx, m->form[k].x);
    }
}

/* Rows that do not depend on others. */
static dal_status find_rows(dal_linear *m, const dal_linearization *lin)
{
    const dal_sparse *BT = dal_linearize_matrix(lin, DAL_WANT_BT);
    int rank = 0, dependent = 0;
    int *out = dal_alloc(m->ctx, ((size_t)m->nc + 1) * sizeof *out);
    if (!out) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory to linearise");
    }
    dal_status st = DAL_OK;
    if (m->nc > 0) {
        st = dal_rank_rows(m->ctx, &rank, out, m->nc, m->info.nv, BT->colptr, BT->row, BT->x, 0.0);
    }
    for (int c = 0, to = 0; c < m->nc && st == DAL_OK; ++c) {
        const int left_out = dependent < m->nc - rank && out[dependent] == c;
        dependent += left_out;
        m->place[c] = left_out ? -1 : to;
        if (!left_out) {
            m->row[to++] = c;
        }
    }
    dal_free(m->ctx, out);
    m->info.rows = rank;
    m->info.redundant = m->nc - rank;
    m->info.row = m->row;
    return st;
}

/* d' = w - H d; 0 = d of a state of first order */
static void kinematics(dal_linear *m, const dal_point *at, const dal_axes_choice *axes)
{
    const dal_group *G = m->sys->group;
    const int nv = m->info.nv;
    double D[36], V[36];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int flat = dal_axes_flat(G, f, axes), n = F->nv;
        if (!flat) {
            dal_axes_rate(D, G, f, axes, at->q, at->v);
            F->type->hat(V, at->v + F->v, n);
        }
        for (int j = 0; j < n; ++j) {
            const int state = dal_is_state(m->sys, F->v + j);
            add(m, 0, F->v + j, F->v + j, state ? 0.0 : 1.0);
            add(m, 1, F->v + j, (state ? 0 : nv) + F->v + j, 1.0);
            for (int i = 0; i < n && !flat; ++i) {
                add(m, 1, F->v + i, F->v + j, -V[i + j * n] - D[i + j * n]);
            }
        }
    }
}

/* M w' = -K d - r_u u, the rest comes from the others */
static void forces(dal_linear *m, const dal_linearization *lin)
{
    const int nv = m->info.nv;
    const dal_sparse *M = dal_linearize_matrix(lin, DAL_WANT_M), *K = dal_linearize_matrix(lin, DAL_WANT_K);
    for (int j = 0; j < nv; ++j) {
        for (int l = M->colptr[j]; l < M->colptr[j + 1]; ++l) {
            add(m, 0, nv + M->row[l], nv + j, M->x[l]);
        }
        for (int l = K->colptr[j]; l < K->colptr[j + 1]; ++l) {
            add(m, 1, nv + K->row[l], j, -K->x[l]);
        }
    }
    for (int k = 0; k < m->info.ninputs; ++k) {
        for (int i = 0; i < nv; ++i) {
            add(m, 2, nv + i, k, -m->ru[dal_entry(i, k, nv)]);
        }
    }
}

/* -(C + M D) w: a column of M D is M times that of D, which stays within a factor. work: nv zeros */
static void damping(dal_linear *m, const dal_linearization *lin, const dal_point *at, const dal_axes_choice *axes)
{
    const dal_group *G = m->sys->group;
    const dal_sparse *M = dal_linearize_matrix(lin, DAL_WANT_M), *C = dal_linearize_matrix(lin, DAL_WANT_C);
    double D[36], *column = m->v; // scratch
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int flat = dal_axes_flat(G, f, axes);
        if (!flat) {
            dal_axes_rate(D, G, f, axes, at->q, at->v);
        }
        for (int j = 0; j < F->nv; ++j) {
            dal_zero(column, m->info.nv);
            for (int l = C->colptr[F->v + j]; l < C->colptr[F->v + j + 1]; ++l) {
                column[C->row[l]] += C->x[l];
            }
            for (int i = 0; i < F->nv && !flat; ++i) {
                for (int l = M->colptr[F->v + i]; l < M->colptr[F->v + i + 1]; ++l) {
                    column[M->row[l]] += M->x[l] * D[i + j * F->nv];
                }
            }
            for (int i = 0; i < m->info.nv; ++i) {
                add(m, 1, m->info.nv + i, m->info.nv + F->v + j, -column[i]);
            }
        }
    }
}

/* -F l; holonomic rows 0 = B d + Phi_u u, others 0 = B w + Z d + vel_u u */
static void constraints(dal_linear *m, const dal_linearization *lin)
{
    const dal_sparse *B = dal_linearize_matrix(lin, DAL_WANT_B), *Z = dal_linearize_matrix(lin, DAL_WANT_Z);
    const dal_sparse *Gm = dal_linearize_matrix(lin, DAL_WANT_G);
    const int nv = m->info.nv, first = 2 * nv;
    for (int c = 0, row = 0; c < m->sys->nconstraints; ++c) { // flags of rows, kept in the scratch la
        for (int i = 0; i < m->sys->constraint[c].nrows; ++i) {
            m->la[row++] = m->sys->constraint[c].kind == DAL_ROWS_VELOCITY ? 1.0 : 0.0;
        }
    }
    for (int j = 0; j < nv; ++j) {
        for (int l = B->colptr[j]; l < B->colptr[j + 1]; ++l) {
            const int c = B->row[l], to = m->place[c];
            if (to >= 0) {
                add(m, 1, first + to, (m->la[c] != 0.0 ? nv : 0) + j, B->x[l]);
                add(m, 1, nv + j, first + to, Gm ? 0.0 : -B->x[l]);
            }
        }
        for (int l = Z->colptr[j]; l < Z->colptr[j + 1]; ++l) {
            const int c = Z->row[l], to = m->place[c];
            if (to >= 0 && m->la[c] != 0.0) {
                add(m, 1, first + to, j, Z->x[l]);
            }
        }
    }
    for (int c = 0; c < m->nc; ++c) {
        const int to = m->place[c];
        for (int k = 0; k < m->info.ninputs && to >= 0; ++k) {
            const double *u = m->la[c] != 0.0 ? m->velu : m->Phiu;
            add(m, 2, first + to, k, u[dal_entry(c, k, m->nc)]);
        }
    }
}

/* Where forces depend on the reactions: -(B^T + G) l, columns put together. */
static void reactions(dal_linear *m, const dal_linearization *lin)
{
    const dal_sparse *BT = dal_linearize_matrix(lin, DAL_WANT_BT), *Gm = dal_linearize_matrix(lin, DAL_WANT_G);
    for (int c = 0; Gm && c < m->nc; ++c) {
        const int to = m->place[c];
        dal_zero(m->v, m->info.nv);
        for (int l = BT->colptr[c]; l < BT->colptr[c + 1]; ++l) {
            m->v[BT->row[l]] += BT->x[l];
        }
        for (int l = Gm->colptr[c]; l < Gm->colptr[c + 1]; ++l) {
            m->v[Gm->row[l]] += Gm->x[l];
        }
        for (int i = 0; i < m->info.nv && to >= 0; ++i) {
            add(m, 1, m->info.nv + i, 2 * m->info.nv + to, -m->v[i]);
        }
    }
}

/* y = Y0 d + (Y1 + Y2 D) w + Y2 w' + Yl l + Yu u */
static void outputs(dal_linear *m, const dal_point *at, const dal_axes_choice *axes)
{
    const dal_group *G = m->sys->group;
    const int nv = m->info.nv, no = m->info.noutputs;
    double D[36];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int flat = dal_axes_flat(G, f, axes);
        if (!flat) {
            dal_axes_rate(D, G, f, axes, at->q, at->v);
        }
        for (int e = 0; e < no * F->nv; ++e) {
            const int o = e % no, j = e / no;
            double w = m->Y[1][dal_entry(o, F->v + j, no)];
            for (int i = 0; i < F->nv && !flat; ++i) {
                w += m->Y[2][dal_entry(o, F->v + i, no)] * D[i + j * F->nv];
            }
            add(m, 3, o, F->v + j, m->Y[0][dal_entry(o, F->v + j, no)]);
            add(m, 3, o, nv + F->v + j, w);
            add(m, 4, o, nv + F->v + j, m->Y[2][dal_entry(o, F->v + j, no)]);
        }
    }
    for (int e = 0; e < no * m->nc; ++e) {
        if (m->place[e / no] >= 0) {
            add(m, 3, e % no, 2 * nv + m->place[e / no], m->Yl[e]);
        }
    }
    for (int e = 0; e < no * m->info.ninputs; ++e) {
        add(m, 5, e % no, e / no, m->Yu[e]);
    }
}

static dal_status fill(dal_linear *m, dal_linearization *lin, const dal_point *at, const dal_axes_choice *axes)
{
    DAL_TRY(dal_linearize_at(lin, at));
    DAL_TRY(find_rows(m, lin));
    kinematics(m, at, axes);
    forces(m, lin);
    damping(m, lin, at, axes);
    constraints(m, lin);
    reactions(m, lin);
    outputs(m, at, axes);
    return m->filled;
}

dal_status dal_linear_descriptor(dal_linear *m, const dal_point *at, const dal_axes_choice *axes)
{
    const unsigned all = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | (unsigned)DAL_WANT_BT |
                         (m->sys->lambda_in_g ? DAL_WANT_G : 0U);
    dal_linearization *lin;
    DAL_TRY(dal_linearize_create(&lin, m->ctx, m->sys, m->data, all));
    const dal_status st = fill(m, lin, at, axes);
    dal_linearize_destroy(lin);
    const int n = 2 * m->info.nv + m->info.rows, ni = m->info.ninputs, no = m->info.noutputs;
    const int size[DAL_LINEAR_FORMS][2] = {{n, n}, {n, n}, {n, ni}, {no, n}, {no, n}, {no, ni}};
    dal_triplets *to[DAL_LINEAR_FORMS] = {&m->info.E, &m->info.Ad, &m->info.Bd, &m->info.Cd, &m->info.C1, &m->info.Dd};
    for (int k = 0; k < DAL_LINEAR_FORMS; ++k) {
        const dal_growing *g = &m->form[k];
        *to[k] = (dal_triplets){size[k][0], size[k][1], g->n, g->row, g->col, g->x};
    }
    return st;
}
