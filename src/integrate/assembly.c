/* The iteration matrix: pattern, and assembly from the tangents that the system pushes. With the scales of
 * (GA.9), unknowns (theta, mu, nu) and W = cM M + cC C:
 *
 *     [ s (W N + K T)   B^T + G    s W E      ]   (CS.2) times s
 *     [ B T             0          0          ]   position rows, or in their place:
 *     [ cB B N + cZ Z T 0          cB B E     ]   velocity rows (index2, nonholonomic, rows with eta)
 *     [ cA B N + ...    0          0          ]   acceleration rows (index1)                        (GA.10)
 *     [ gp Lv N + Lq T  F/s        gp Lv E    ]   laws (CS.9)
 *
 * N, T, E = P^-1 B0^T act factor by factor. */
#include <string.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"
#include "linearize/layout.h"
#include "system/sink.h"

/* ---- structure -------------------------------------------------------------------------------- */

int dal_ga_count_eta_links(const dal_genalpha *ga)
{
    const dal_system *sys = ga->ev->sys;
    int n = 0;
    for (int l = 0; l < sys->nlinks; ++l) {
        n += dal_ga_both_levels(ga->opt.formulation, &sys->constraint[sys->link[l].c]);
    }
    return n;
}

/* Which blocks have eta, and the eta links sorted by factor. B0 and E of the links were carved as one array each;
 * eta_link[0] holds their starts. */
void dal_ga_structure(dal_genalpha *ga)
{
    const dal_system *sys = ga->ev->sys;
    const dal_group *G = ga->ev->G;
    for (int c = 0, first = 0; c < sys->nconstraints; ++c) {
        const int both = dal_ga_both_levels(ga->opt.formulation, &sys->constraint[c]);
        ga->eta0[c] = both ? first : -1;
        first += both ? sys->constraint[c].nrows : 0;
    }
    if (ga->ne == 0) {
        return;
    }
    double *B0 = ga->eta_link[0].B0, *E = ga->eta_link[0].E;
    int n = 0;
    for (int f = 0; f < G->nfactors; ++f) {
        ga->eta_link0[f] = n;
        for (int l = 0; l < sys->nlinks; ++l) {
            const int c = sys->link[l].c;
            if (sys->link[l].j == f && ga->eta0[c] >= 0) {
                ga->eta_link[n++] = (ga_eta_link){l, c, B0, E};
                B0 += sys->constraint[c].nrows * G->factor[f].nv;
                E += sys->constraint[c].nrows * G->factor[f].nv;
            }
        }
    }
    ga->eta_link0[G->nfactors] = n;
}

void dal_ga_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation)
{
    const dal_genalpha *ga = (const dal_genalpha *)self;
    const dal_system *sys = ga->ev->sys;
    int row = equation - ga->nv;
    if (row < 0) {
        dal_eval_velocity_name(ga->ev, buffer, size, equation);
        return;
    }
    // the second set has the rows with eta only
    for (int c = 0; row >= ga->nc && c < sys->nconstraints; ++c) {
        const int k = row - ga->nc - ga->eta0[c];
        if (ga->eta0[c] >= 0 && k >= 0 && k < sys->constraint[c].nrows) {
            row = ga->ev->row0[c] + k;
        }
    }
    dal_eval_row_name(ga->ev, buffer, size, row);
}

/* First row of the velocity-level equations of a block, -1: it has none. */
static int velocity_row(const dal_genalpha *ga, int c)
{
    const int positions =
        dal_holds_positions(&ga->ev->sys->constraint[c]) && ga->opt.formulation != DAL_FORMULATION_INDEX2;
    return ga->eta0[c] >= 0 ? ga->nv + ga->nc + ga->eta0[c] : positions ? -1 : ga->nv + ga->ev->row0[c];
}

static int slot_link(const dal_genalpha *ga, int link)
{
    return ga->ev->sys->npairs + 2 * link;
}

static int slot_couple(const dal_genalpha *ga, int couple)
{
    return slot_link(ga, ga->ev->sys->nlinks) + couple;
}

/* The blocks of eta, after all others. */
static dal_status announce_eta(const dal_genalpha *ga, dal_pattern *pattern)
{
    const dal_system *sys = ga->ev->sys;
    int slot = slot_couple(ga, sys->ncouples);
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at at = dal_pair_at(ga->ev, p);
        // eta enters through velocities: pairs that have K alone know nothing of it
        ga->slot_pair_eta[p] = sys->pair[p].positions ? -1 : slot;
        if (sys->pair[p].positions) {
            continue;
        }
        for (int k = ga->eta_link0[sys->pair[p].j]; k < ga->eta_link0[sys->pair[p].j + 1]; ++k, ++slot) {
            const int c = ga->eta_link[k].c;
            DAL_TRY(dal_pattern_block(pattern, at.i, ga->nv + ga->nc + ga->eta0[c], at.ni, sys->constraint[c].nrows));
        }
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        const int c = sys->link[l].c, j = sys->link[l].j, nr = sys->constraint[c].nrows;
        ga->slot_link_vel[l] = -1;
        if (ga->eta0[c] >= 0) {
            ga->slot_link_vel[l] = slot++;
            DAL_TRY(
                dal_pattern_block(pattern, velocity_row(ga, c), ga->ev->G->factor[j].v, nr, ga->ev->G->factor[j].nv));
        }
        ga->slot_link_eta[l] = slot;
        for (int k = ga->eta_link0[j]; velocity_row(ga, c) >= 0 && k < ga->eta_link0[j + 1]; ++k, ++slot) {
            const int e = ga->eta_link[k].c;
            DAL_TRY(dal_pattern_block(pattern, velocity_row(ga, c), ga->nv + ga->nc + ga->eta0[e], nr,
                                      sys->constraint[e].nrows));
        }
    }
    return DAL_OK;
}

/* Nodes for block elimination: the factors, and the blocks of constraints with their mu and nu. */
static dal_status announce_nodes(const dal_genalpha *ga, dal_pattern *pattern)
{
    const dal_system *sys = ga->ev->sys;
    DAL_TRY(dal_layout_nodes(pattern, ga->ev, 0, ga->nv));
    for (int c = 0; c < sys->nconstraints; ++c) {
        if (ga->eta0[c] >= 0) {
            DAL_TRY(dal_pattern_node(pattern, ga->nv + ga->nc + ga->eta0[c], sys->constraint[c].nrows,
                                     ga->ev->G->nfactors + c, 1));
        }
    }
    return DAL_OK;
}

dal_status dal_ga_announce(dal_pattern *pattern, const void *self)
{
    const dal_genalpha *ga = self;
    DAL_TRY(dal_layout_pairs(pattern, ga->ev, 0, 0));
    DAL_TRY(dal_layout_links(pattern, ga->ev, ga->nv, 0));
    DAL_TRY(dal_layout_couples(pattern, ga->ev, ga->nv));
    DAL_TRY(announce_nodes(ga, pattern));
    return ga->ne > 0 ? announce_eta(ga, pattern) : DAL_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Y = A X for factor f, X NULL for the identity. */
static void times(const dal_genalpha *ga, double *Y, const double *A, int m, const double *X, int f)
{
    const dal_factor *F = &ga->ev->G->factor[f];
    if (X) {
        F->type->mul(Y, A, m, X, F->nv);
    } else {
        memcpy(Y, A, (size_t)(m * F->nv) * sizeof(double));
    }
}

/* x += X e, X ni x nj */
DAL_INLINE void add_product(double *restrict x, const double *restrict X, int ni, int nj, const double *restrict e)
{
    for (int j = 0; j < nj; ++j) {
        for (int i = 0; i < ni; ++i) {
            x[i] += X[i + j * ni] * e[j];
        }
    }
}

/* A[slot] += scale X E, X ni x nj, E nj x nr; bodies have six columns, joints three or five rows most of the time */
static void scatter_product(dal_genalpha *ga, int slot, const double *X, int ni, int nj, const double *E, int nr,
                            double scale)
{
    const int *column = ga->A->slot[slot];
    double *e = ga->column;
    for (int r = 0; r < nr; ++r, E += nj) {
        double *x = ga->A->x + column[r];
        for (int j = 0; j < nj; ++j) {
            e[j] = scale * E[j];
        }
        if (nj == 6 && ni == 6) {
            add_product(x, X, 6, 6, e);
        } else if (nj == 6 && ni == 5) {
            add_product(x, X, 5, 6, e);
        } else if (nj == 6 && ni == 3) {
            add_product(x, X, 3, 6, e);
        } else {
            add_product(x, X, ni, nj, e);
        }
    }
}

/* W = a A + b B, either may be NULL for zero */
DAL_INLINE void combine(double *restrict W, double a, const double *restrict A, double b, const double *restrict B,
                        int n)
{
    if (A && B) {
        int i = 0;
        for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
            *(dal_two *)(W + i) = *(const dal_two *)(A + i) * a + *(const dal_two *)(B + i) * b;
        }
        if (i < n) {
            W[i] = a * A[i] + b * B[i];
        }
    } else {
        const double c = A ? a : b, *X = A ? A : B;
        for (int i = 0; i < n; ++i) {
            W[i] = c * X[i];
        }
    }
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    const dal_pair p = ga->ev->sys->pair[pair];
    const dal_factor *Fj = &ga->ev->G->factor[p.j];
    const int ni = ga->ev->G->factor[p.i].nv, nj = Fj->nv;
    const ga_factor *k = &ga->factor[p.j];
    const double cM = ga->kv * ga->gp, cC = ga->gp;
    double *W = ga->block, *Y = ga->block2;
    if (!M && !C) {
        if (K) {
            times(ga, Y, K, ni, k->dq, p.j);
            dal_scatter(ga->A, pair, Y, ni, ni, nj, ga->s);
        }
        return;
    }
    // Y = W N + K T
    if (ni * nj == 36) {
        combine(W, cM, M, cC, C, 36);
    } else {
        combine(W, cM, M, cC, C, ni * nj);
    }
    times(ga, Y, W, ni, k->dv, p.j);
    if (K && k->dq) {
        Fj->type->addmul(Y, K, ni, k->dq, nj);
    } else if (K) {
        for (int i = 0; i < ni * nj; ++i) {
            Y[i] += K[i];
        }
    }
    dal_scatter(ga->A, pair, Y, ni, ni, nj, ga->s);
    if (ga->ne > 0 && ga->slot_pair_eta[pair] >= 0) {
        int slot = ga->slot_pair_eta[pair];
        for (int e = ga->eta_link0[p.j]; e < ga->eta_link0[p.j + 1]; ++e, ++slot) {
            const ga_eta_link *el = &ga->eta_link[e];
            scatter_product(ga, slot, W, ni, nj, el->E, ga->ev->sys->constraint[el->c].nrows, ga->s);
        }
    }
}

/* Velocity-level rows: scale (gp B N + Z T), and scale gp B E in the columns of eta. */
static void push_velocity_rows(dal_genalpha *ga, int link, int slot, const double *B, const double *Z, double scale)
{
    const dal_link l = ga->ev->sys->link[link];
    const int nr = ga->ev->sys->constraint[l.c].nrows, nj = ga->ev->G->factor[l.j].nv;
    const double cB = scale * ga->gp, cZ = scale;
    if (B) {
        times(ga, ga->block2, B, nr, ga->factor[l.j].dv, l.j);
        dal_scatter(ga->A, slot, ga->block2, nr, nr, nj, cB);
    }
    if (Z) {
        times(ga, ga->block2, Z, nr, ga->factor[l.j].dq, l.j);
        dal_scatter(ga->A, slot, ga->block2, nr, nr, nj, cZ);
    }
    if (B && ga->ne > 0) {
        int eta_slot = ga->slot_link_eta[link];
        for (int e = ga->eta_link0[l.j]; e < ga->eta_link0[l.j + 1]; ++e, ++eta_slot) {
            const ga_eta_link *el = &ga->eta_link[e];
            scatter_product(ga, eta_slot, B, nr, nj, el->E, ga->ev->sys->constraint[el->c].nrows, cB);
        }
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    const dal_link l = ga->ev->sys->link[link];
    const int nr = ga->ev->sys->constraint[l.c].nrows, nj = ga->ev->G->factor[l.j].nv, slot = slot_link(ga, link);
    const int holonomic = dal_holds_positions(&ga->ev->sys->constraint[l.c]), formulation = ga->opt.formulation;
    if (B) {
        // B^T in the columns of mu
        dal_scatter_transposed(ga->A, slot + 1, B, nr, nr, nj);
    }
    if (ga->ev->nlaws > 0 && dal_link_of_law(ga->ev, link)) {
        return;
    }
    if (formulation == DAL_FORMULATION_INDEX1) {
        if (B) {
            times(ga, ga->block2, B, nr, ga->factor[l.j].dv, l.j);
            dal_scatter(ga->A, slot, ga->block2, nr, nr, nj, ga->s_acc * ga->kv * ga->gp);
        }
    } else if (holonomic && formulation != DAL_FORMULATION_INDEX2) {
        if (B) {
            times(ga, ga->block2, B, nr, ga->factor[l.j].dq, l.j);
            dal_scatter(ga->A, slot, ga->block2, nr, nr, nj, 1.0);
        }
        if (ga->eta0[l.c] >= 0) {
            push_velocity_rows(ga, link, ga->slot_link_vel[link], B, Z, ga->s_vel);
        }
    } else {
        push_velocity_rows(ga, link, slot, B, Z, ga->s_vel);
    }
}

static void push_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    const dal_link l = ga->ev->sys->link[link];
    const int nr = ga->ev->sys->constraint[l.c].nrows, nj = ga->ev->G->factor[l.j].nv;
    if (Aq) {
        times(ga, ga->block2, Aq, nr, ga->factor[l.j].dq, l.j);
        dal_scatter(ga->A, slot_link(ga, link), ga->block2, nr, nr, nj, ga->s_acc);
    }
    if (Av) {
        times(ga, ga->block2, Av, nr, ga->factor[l.j].dv, l.j);
        dal_scatter(ga->A, slot_link(ga, link), ga->block2, nr, nr, nj, ga->s_acc * ga->gp);
    }
}

static void push_force(dal_sink *sink, int link, const double *Gl)
{
    dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    const dal_block_at at = dal_link_at(ga->ev, link);
    dal_scatter(ga->A, slot_link(ga, link) + 1, Gl, at.nj, at.nj, at.ni, 1.0);
}

static void push_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    push_velocity_rows(ga, link, slot_link(ga, link), Lv, Lq, 1.0);
}

static void push_couple(dal_sink *sink, int couple, const double *F)
{
    const dal_genalpha *ga = (dal_genalpha *)((char *)sink - offsetof(dal_genalpha, sink));
    const dal_block_at at = dal_couple_at(ga->ev, couple);
    if (F) {
        dal_scatter(ga->A, slot_couple(ga, couple), F, at.ni, at.ni, at.nj, 1.0 / ga->s);
    }
}

/* ---- B at the start of the step, for eta ------------------------------------------------------ */

typedef struct keep_sink {
    dal_sink base;
    dal_genalpha *ga;
} keep_sink;

static void keep_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_genalpha *ga = ((keep_sink *)sink)->ga;
    const dal_link l = ga->ev->sys->link[link];
    (void)Z;
    for (int e = ga->eta_link0[l.j]; B && e < ga->eta_link0[l.j + 1]; ++e) {
        if (ga->eta_link[e].link == link) {
            const int nr = ga->ev->sys->constraint[l.c].nrows, size = nr * ga->ev->G->factor[l.j].nv;
            const double *lift = ga->lift + ga->ev->G->factor[l.j].v;
            for (int i = 0; i < size; ++i) {
                ga->eta_link[e].B0[i] += B[i] * lift[i / nr];
            }
        }
    }
}

/* A sink for B0, which is cleared. */
static keep_sink keep_B0(dal_genalpha *ga)
{
    const int last = ga->eta_link0[ga->ev->G->nfactors] - 1;
    const ga_eta_link *el = &ga->eta_link[last];
    const double *end =
        el->B0 + ga->ev->sys->constraint[el->c].nrows * ga->ev->G->factor[ga->ev->sys->link[el->link].j].nv;
    memset(ga->eta_link[0].B0, 0, (size_t)(end - ga->eta_link[0].B0) * sizeof(double));
    keep_sink keep = {.base = dal_sink_ignoring(DAL_WANT_B), .ga = ga};
    keep.base.link = keep_link;
    return keep;
}

dal_status dal_ga_keep_B0_with(dal_genalpha *ga, dal_blocks *tangents, const dal_point *at)
{
    keep_sink keep = keep_B0(ga);
    keep.base.wants |= DAL_WANT_K | DAL_WANT_BARE;
    return dal_blocks_with(tangents, &keep.base, at);
}

dal_status dal_ga_keep_B0(dal_genalpha *ga)
{
    if (ga->ne == 0) {
        return DAL_OK;
    }
    keep_sink keep = keep_B0(ga);
    const dal_state_buffer *s0 = ga->base.current;
    return dal_eval_tangent(ga->ev, &keep.base, &(dal_point){s0->t, s0->q, ga->v0, s0->vd, s0->la});
}

/* E = P^-1 B0^T for one link of a factor with nj velocities */
static void eta_block(const ga_eta_link *el, int nr, int nj, const double *Pi)
{
    for (int r = 0; r < nr; ++r) {
        for (int i = 0; i < nj; ++i) {
            double sum = Pi ? 0.0 : el->B0[r + i * nr];
            for (int j = 0; Pi && j < nj; ++j) {
                sum += Pi[i + j * nj] * el->B0[r + j * nr];
            }
            el->E[i + r * nj] = sum;
        }
    }
}

static void eta_columns(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        for (int e = ga->eta_link0[f]; e < ga->eta_link0[f + 1]; ++e) {
            const ga_eta_link *el = &ga->eta_link[e];
            eta_block(el, ga->ev->sys->constraint[el->c].nrows, G->factor[f].nv, ga->factor[f].dv_eta);
        }
    }
}

/* ---- assembly --------------------------------------------------------------------------------- */

unsigned dal_ga_wants(const dal_genalpha *ga)
{
    unsigned wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B;
    const int velocity_rows = ga->nh < ga->nc || ga->opt.formulation == DAL_FORMULATION_INDEX2 || ga->ne > 0;
    wants |= velocity_rows && ga->opt.formulation != DAL_FORMULATION_INDEX1 ? (unsigned)DAL_WANT_Z : 0U;
    wants |= ga->opt.formulation == DAL_FORMULATION_INDEX1 && ga->nc > 0 ? (unsigned)DAL_WANT_A : 0U;
    wants |= ga->ev->sys->lambda_in_g ? (unsigned)DAL_WANT_G : 0U;
    wants |= ga->ev->nlaws > 0 ? (unsigned)DAL_WANT_L : 0U;
    return wants;
}

/* What the assembly multiplies by, for the iterate; A is empty then. */
static void begin(dal_genalpha *ga, dal_matrix *A)
{
    ga->A = A;
    ga->h_jacobian = ga->h;
    ga->sink = (dal_sink){dal_ga_wants(ga), push_pair, push_link, push_acc, push_force, push_law, push_couple};
    if (ga->opt.kinematics != DAL_KINEMATICS_EXACT) {
        dal_ga_printed_tangents(ga);
    } else if (ga->opt.jacobian != DAL_JACOBIAN_SIMPLIFIED) {
        dal_ga_tangents(ga);
    }
    if (ga->ne > 0) {
        eta_columns(ga);
    }
    dal_matrix_zero(A);
}

dal_status dal_ga_jacobian(void *self, dal_matrix *A)
{
    dal_genalpha *ga = self;
    const dal_state_buffer *s1 = ga->trial;
    begin(ga, A);
    // without v' and lambda K lacks the changes of M v' and B^T lambda (NW.9)
    const int forces = ga->opt.tangent == DAL_TANGENT_FORCES;
    const double *zero = ga->saddle->zero;
    return dal_eval_tangent(ga->ev, &ga->sink,
                            &(dal_point){ga->t1, s1->q, s1->v, forces ? zero : s1->vd, forces ? zero : s1->la});
}

dal_status dal_ga_jacobian_keeping(dal_genalpha *ga, dal_matrix *A, dal_blocks *tangents)
{
    const dal_state_buffer *s1 = ga->trial;
    begin(ga, A);
    return dal_blocks_with(tangents, &ga->sink, &(dal_point){ga->t1, s1->q, s1->v, s1->vd, s1->la});
}
