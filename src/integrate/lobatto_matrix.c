/* The iteration matrix of the stage equations: pattern, and assembly from the tangents at each stage. With the scaled
 * unknowns alpha_j, mu_i and H_ij = dq_i/dalpha_j (LB.7), blocks of stage i:
 *
 *     d(h r_i)/dalpha_j = [i = j] M + h ahat_ij C + h K H_ij,     d(h r_i)/dmu_i = B^T + G
 *     d(vel_i)/dalpha_j = a_ij B + Z H_ij                         i >= 2
 *     d(h acc_1)/dalpha_j = [j = 1] B + h ahat_1j Av              singular M (LB.5), otherwise omega = 0
 *     d(law_i)/dalpha_j = ahat_ij Lv + Lq H_ij,                   d(law_i)/dmu_i = F/h     in place of vel_i; h law_1 of acc_1, omega
 *     d(Phi_i/h)/dalpha_j = B H_ij/h, and in the place of omega d(vel_s)/dalpha_j    holonomic rows of the symmetric method (LJ.3)
 *
 * The last column of ahat is zero, hence that of H. */
#include <string.h>

#include "integrate/lobatto_impl.h"

/* ---- pattern ---------------------------------------------------------------------------------- */

static int row_stage(const dal_lobatto *lb, int i)
{
    return lb->nc + i * lb->nv;
}

/* multipliers: omega for i = 0, then mu_i */
static int row_constraint(const dal_lobatto *lb, int i)
{
    return i == 0 ? 0 : lb->nv * lb->s + lb->nc * i;
}

static int slots_per_pair(const dal_lobatto *lb)
{
    return lb->s * (lb->s - 1) + 1;
}

/* Columns of alpha_j in the rows of omega: all but the last, which velocities at the end of the symmetric method need, too. */
static int late_columns(const dal_lobatto *lb)
{
    return lb->mid ? lb->s : lb->s - 1;
}

static int slots_per_link(const dal_lobatto *lb)
{
    return lb->s * (lb->s - 1) + late_columns(lb) + lb->s;
}

/* (rows of stage i, alpha_j): j < s - 1, or i = j = s - 1 */
static int slot_pair(const dal_lobatto *lb, int pair, int i, int j)
{
    const int s = lb->s;
    return pair * slots_per_pair(lb) + (j == s - 1 ? s * (s - 1) : i * (s - 1) + j);
}

static int first_link(const dal_lobatto *lb, int link)
{
    return lb->ev->sys->npairs * slots_per_pair(lb) + link * slots_per_link(lb);
}

/* (velocity rows of stage i >= 1, alpha_j) */
static int slot_velocity(const dal_lobatto *lb, int link, int i, int j)
{
    return first_link(lb, link) + (i - 1) * lb->s + j;
}

/* (acceleration rows of the first stage, or velocity rows of the last, alpha_j), j < late_columns */
static int slot_acceleration(const dal_lobatto *lb, int link, int j)
{
    return first_link(lb, link) + lb->s * (lb->s - 1) + j;
}

/* (rows of stage i, its multipliers) */
static int slot_force(const dal_lobatto *lb, int link, int i)
{
    return first_link(lb, link) + lb->s * (lb->s - 1) + late_columns(lb) + i;
}

static int slot_diagonal(const dal_lobatto *lb, int row)
{
    return first_link(lb, lb->ev->sys->nlinks) + row;
}

/* (laws of stage i, its multipliers) */
static int slot_couple(const dal_lobatto *lb, int couple, int i)
{
    return slot_diagonal(lb, lb->nc) + i * lb->ev->sys->ncouples + couple;
}

static dal_status announce_pair(const dal_lobatto *lb, dal_pattern *pattern, int pair)
{
    const dal_block_at b = dal_pair_at(lb->ev, pair);
    const int s = lb->s;
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s - 1; ++j) {
            DAL_TRY(dal_pattern_block(pattern, row_stage(lb, i) + b.i, row_stage(lb, j) + b.j, b.ni, b.nj));
        }
    }
    return dal_pattern_block(pattern, row_stage(lb, s - 1) + b.i, row_stage(lb, s - 1) + b.j, b.ni, b.nj);
}

static dal_status announce_link(const dal_lobatto *lb, dal_pattern *pattern, int link)
{
    const dal_block_at b = dal_link_at(lb->ev, link);
    const int s = lb->s;
    for (int i = 1; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
            DAL_TRY(dal_pattern_block(pattern, row_constraint(lb, i) + b.i, row_stage(lb, j) + b.j, b.ni, b.nj));
        }
    }
    for (int j = 0; j < late_columns(lb); ++j) {
        DAL_TRY(dal_pattern_block(pattern, row_constraint(lb, 0) + b.i, row_stage(lb, j) + b.j, b.ni, b.nj));
    }
    for (int i = 0; i < s; ++i) {
        DAL_TRY(dal_pattern_block(pattern, row_stage(lb, i) + b.j, row_constraint(lb, i) + b.i, b.nj, b.ni));
    }
    return DAL_OK;
}

void dal_lb_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation)
{
    const dal_lobatto *lb = (const dal_lobatto *)self;
    const int dynamic = equation - lb->nc, late = dynamic - lb->nv * lb->s;
    if (dynamic >= 0 && late < 0) {
        dal_eval_velocity_name(lb->ev, buffer, size, dynamic % lb->nv);
    } else {
        dal_eval_row_name(lb->ev, buffer, size, late < 0 ? equation : late % lb->nc);
    }
}

/* Nodes: the accelerations of a factor and the multipliers of a constraint, of all stages together. With C = K = Z = 0
 * the block of a factor is I x M, and what its elimination leaves of that of a constraint is -A x B M^-1 B^T. */
dal_status dal_lb_announce(dal_pattern *pattern, const void *self)
{
    const dal_lobatto *lb = self;
    for (int i = 0; i < lb->s; ++i) {
        DAL_TRY(dal_layout_nodes(pattern, lb->ev, row_stage(lb, i), row_constraint(lb, i)));
    }
    for (int p = 0; p < lb->ev->sys->npairs; ++p) {
        DAL_TRY(announce_pair(lb, pattern, p));
    }
    for (int l = 0; l < lb->ev->sys->nlinks; ++l) {
        DAL_TRY(announce_link(lb, pattern, l));
    }
    DAL_TRY(dal_layout_diagonal(pattern, row_constraint(lb, 0), lb->nc));
    for (int i = 0; i < lb->s; ++i) {
        DAL_TRY(dal_layout_couples(pattern, lb->ev, row_constraint(lb, i)));
    }
    return DAL_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* A[slot] += e_0 X_0 + e_1 X_1 + ..., the products X_p = X (-h hat)^p following each other in memory; n: 1 or LB_POWERS */
_Static_assert(LB_POWERS == 4, "four terms are written out");

static void scatter_sum(dal_lobatto *lb, int slot, const double *X, const double *e, int n, int ni, int nj)
{
    const int *column = lb->matrix->slot[slot];
    for (int j = 0; j < nj; ++j, X += ni) {
        double *restrict x = lb->matrix->x + column[j];
        const double *restrict X1 = X + lb->block, *restrict X2 = X1 + lb->block, *restrict X3 = X2 + lb->block;
        if (n == 1) {
            for (int i = 0; i < ni; ++i) {
                x[i] += e[0] * X[i];
            }
        } else {
            for (int i = 0; i < ni; ++i) {
                x[i] += e[0] * X[i] + e[1] * X1[i] + e[2] * X2[i] + e[3] * X3[i];
            }
        }
    }
}

/* Products of X (m rows) with the powers of factor f; returns how many there are. */
static int products(const dal_lobatto *lb, double *Y, const double *X, int m, int f)
{
    const dal_factor *F = &lb->ev->G->factor[f];
    memcpy(Y, X, (size_t)(m * F->nv) * sizeof(double));
    for (int p = 1; lb->power[f] && p < LB_POWERS; ++p) {
        F->type->mul(Y + p * lb->block, X, m, lb->power[f] + (p - 1) * F->nv * F->nv, F->nv);
    }
    return lb->power[f] ? LB_POWERS : 1;
}

/* A[slot(j)] += scale X sum_p (-h hat)^p E_p,ij for the stages j < s - 1 */
static void scatter_series(dal_lobatto *lb, int first, const double *X, int f, int m, double scale,
                           double E[LB_POWERS][LB_MAX * LB_MAX])
{
    const int i = lb->stage, s = lb->s, n = products(lb, lb->product, X, m, f);
    for (int j = 0; j < s - 1; ++j) {
        double e[LB_POWERS];
        for (int p = 0; p < n; ++p) {
            e[p] = scale * E[p][i + j * s];
        }
        scatter_sum(lb, first + j, lb->product, e, n, m, lb->ev->G->factor[f].nv);
    }
}

/* A[slot(j)] += scale X H_ij for the stages j < s - 1 */
static void scatter_positions(dal_lobatto *lb, int first, const double *X, int f, int m, double scale)
{
    scatter_series(lb, first, X, f, m, scale * lb->h, lb->E);
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_pair p = lb->ev->sys->pair[pair];
    const int i = lb->stage, s = lb->s, ni = lb->ev->G->factor[p.i].nv, nj = lb->ev->G->factor[p.j].nv;
    if (M) {
        dal_scatter(lb->matrix, slot_pair(lb, pair, i, i), M, ni, ni, nj, 1.0);
    }
    for (int j = 0; C && j < s - 1; ++j) {
        dal_scatter(lb->matrix, slot_pair(lb, pair, i, j), C, ni, ni, nj, lb->h * lb->Ahat[i + j * s]);
    }
    if (K && i > 0) {
        scatter_positions(lb, slot_pair(lb, pair, i, 0), K, p.j, ni, lb->h);
    }
}

/* Holonomic rows of the symmetric method. */
static void push_held(dal_lobatto *lb, int link, const double *B, const double *Z)
{
    const dal_link l = lb->ev->sys->link[link];
    const int i = lb->stage, s = lb->s, nr = lb->ev->sys->constraint[l.c].nrows, nj = lb->ev->G->factor[l.j].nv;
    if (B) {
        dal_scatter_transposed(lb->matrix, slot_force(lb, link, i), B, nr, nr, nj);
    }
    if (B && i > 0) {
        scatter_positions(lb, slot_velocity(lb, link, i, 0), B, l.j, nr, 1.0 / lb->h);
    }
    if (B && i == s - 1 && lb->variational) {
        scatter_series(lb, slot_acceleration(lb, link, 0), B, l.j, nr, 1.0, lb->end);
    }
    for (int j = lb->variational ? s - 1 : 0; B && i == s - 1 && j < s; ++j) {
        dal_scatter(lb->matrix, slot_acceleration(lb, link, j), B, nr, nr, nj, lb->A[i + j * s]);
    }
    if (Z && i == s - 1) {
        scatter_positions(lb, slot_acceleration(lb, link, 0), Z, l.j, nr, 1.0);
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_link l = lb->ev->sys->link[link];
    const int i = lb->stage, s = lb->s, nr = lb->ev->sys->constraint[l.c].nrows, nj = lb->ev->G->factor[l.j].nv;
    const int law = lb->ev->nlaws > 0 && dal_link_of_law(lb->ev, link);
    if (dal_lb_held(lb, l.c)) {
        push_held(lb, link, B, Z);
        return;
    }
    if (B && (i > 0 || lb->singular_mass || law)) {
        dal_scatter_transposed(lb->matrix, slot_force(lb, link, i), B, nr, nr, nj);
    }
    if (law) {
        return;
    }
    if (B && i == 0 && lb->singular_mass) {
        dal_scatter(lb->matrix, slot_acceleration(lb, link, 0), B, nr, nr, nj, 1.0);
    }
    for (int j = 0; B && i > 0 && j < s; ++j) {
        dal_scatter(lb->matrix, slot_velocity(lb, link, i, j), B, nr, nr, nj, lb->A[i + j * s]);
    }
    if (Z && i > 0) {
        scatter_positions(lb, slot_velocity(lb, link, i, 0), Z, l.j, nr, 1.0);
    }
}

static void push_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_link l = lb->ev->sys->link[link];
    const int s = lb->s, nr = lb->ev->sys->constraint[l.c].nrows, nj = lb->ev->G->factor[l.j].nv;
    (void)Aq; // the first stage does not move
    for (int j = 0; Av && !dal_lb_held(lb, l.c) && j < s - 1; ++j) {
        dal_scatter(lb->matrix, slot_acceleration(lb, link, j), Av, nr, nr, nj, lb->h * lb->Ahat[j * s]);
    }
}

static void push_force(dal_sink *sink, int link, const double *G)
{
    dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_block_at at = dal_link_at(lb->ev, link);
    if (lb->stage > 0 || lb->singular_mass || dal_lb_held(lb, lb->ev->sys->link[link].c)) {
        dal_scatter(lb->matrix, slot_force(lb, link, lb->stage), G, at.nj, at.nj, at.ni, 1.0);
    }
}

static void push_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_block_at at = dal_link_at(lb->ev, link);
    const int i = lb->stage, s = lb->s;
    for (int j = 0; Lv && j < s - 1; ++j) {
        const int slot = i > 0 ? slot_velocity(lb, link, i, j) : slot_acceleration(lb, link, j);
        dal_scatter(lb->matrix, slot, Lv, at.ni, at.ni, at.nj, (i > 0 ? 1.0 : lb->h) * lb->Ahat[i + j * s]);
    }
    if (Lq && i > 0) {
        scatter_positions(lb, slot_velocity(lb, link, i, 0), Lq, lb->ev->sys->link[link].j, at.ni, 1.0);
    }
}

static void push_couple(dal_sink *sink, int couple, const double *F)
{
    const dal_lobatto *lb = (dal_lobatto *)((char *)sink - offsetof(dal_lobatto, sink));
    const dal_block_at at = dal_couple_at(lb->ev, couple);
    if (F) {
        dal_scatter(lb->matrix, slot_couple(lb, couple, lb->stage), F, at.ni, at.ni, at.nj,
                    lb->stage > 0 ? 1.0 / lb->h : 1.0);
    }
}

/* ---- assembly --------------------------------------------------------------------------------- */

/* (-h hat(w))^p with the mean velocity w of the step, for every factor that is not flat */
static void powers(dal_lobatto *lb)
{
    const dal_group *G = lb->ev->G;
    memset(lb->w, 0, (size_t)lb->nv * sizeof(double));
    for (int i = 0; i < lb->s; ++i) {
        for (int k = 0; k < lb->nv; ++k) {
            lb->w[k] -= lb->h * lb->b[i] * lb->V[k + i * lb->nv];
        }
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        double *P = lb->power[f];
        if (P) {
            const int size = F->nv * F->nv;
            F->type->hat(P, lb->w + F->v, F->nv);
            for (int p = 2; p < LB_POWERS; ++p) {
                F->type->mul(P + (p - 1) * size, P + (p - 2) * size, F->nv, P, F->nv);
            }
        }
    }
}

dal_status dal_lb_jacobian(void *self, dal_matrix *A)
{
    dal_lobatto *lb = self;
    const unsigned force = lb->ev->sys->lambda_in_g ? DAL_WANT_G : 0U;
    lb->matrix = A;
    lb->sink = (dal_sink){0, push_pair, push_link, push_acc, push_force, push_law, push_couple};
    dal_matrix_zero(A);
    powers(lb);
    for (int i = 0; i < lb->s; ++i) {
        // Z is taken at V_i, not at L_i: they differ by O(h^(s-1))
        const dal_point at = {dal_lb_stage_time(lb, i), lb->q + i * lb->nq, lb->V + i * lb->nv, lb->Acc + i * lb->nv,
                              lb->la + i * lb->nc};
        lb->stage = i;
        lb->sink.wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_B | force;
        if (i > 0) {
            const int velocities = lb->nc > 0 && (!lb->mid || lb->ev->nh < lb->nc || i == lb->s - 1);
            lb->sink.wants |= DAL_WANT_K | (velocities ? (unsigned)DAL_WANT_Z : 0U);
        } else if (lb->singular_mass && lb->nc > 0) {
            lb->sink.wants |= DAL_WANT_A;
        }
        lb->sink.wants |= lb->ev->nlaws > 0 ? (unsigned)DAL_WANT_L : 0U;
        DAL_TRY(dal_eval_tangent(lb->ev, &lb->sink, &at));
    }
    for (int c = 0; c < lb->ev->sys->nconstraints && !lb->singular_mass; ++c) {
        const int set = !dal_lb_held(lb, c) && lb->ev->sys->constraint[c].kind != DAL_ROWS_LAW;
        for (int r = lb->ev->row0[c]; set && r < lb->ev->row0[c + 1]; ++r) {
            A->x[A->slot[slot_diagonal(lb, r)][0]] += 1.0;
        }
    }
    return DAL_OK;
}
