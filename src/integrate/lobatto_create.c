/* Creation of the Lobatto integrator: one arena, one linear solver for the stages, one for M alone; start; snapshot. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_table.h"
#include "linsol/balance.h"
#include "linsol/pass.h"

static void carve_state(dal_lobatto *lb, dal_arena *arena, dal_state_buffer *s)
{
    s->q = dal_arena_reals(arena, lb->nq);
    s->v = dal_arena_reals(arena, lb->nv);
    s->vd = dal_arena_reals(arena, lb->nv);
    s->a = s->vd; // the methods have no acceleration of their own
    s->la = dal_arena_reals(arena, lb->nc);
    s->eta = dal_arena_reals(arena, lb->ev->nh);
    s->theta = dal_arena_reals(arena, lb->nv);
}

static void carve_assembly(dal_lobatto *lb, dal_arena *arena)
{
    const dal_group *G = lb->ev->G;
    int n = G->max_nv;
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        n = lb->ev->sys->constraint[c].nrows > n ? lb->ev->sys->constraint[c].nrows : n;
    }
    lb->block = n * n;
    lb->product = dal_arena_reals(arena, LB_POWERS * lb->block);
    lb->power = dal_arena_take(arena, (size_t)G->nfactors, sizeof *lb->power);
    for (int f = 0; f < G->nfactors; ++f) {
        const int nv = G->factor[f].nv;
        double *P = G->factor[f].type->flat ? NULL : dal_arena_reals(arena, (LB_POWERS - 1) * nv * nv);
        if (lb->power) {
            lb->power[f] = P;
        }
    }
}

static void carve(dal_lobatto *lb, dal_arena *arena)
{
    const int s = lb->s, nv = lb->nv, nc = lb->nc;
    for (size_t i = 0; i < sizeof lb->buffer / sizeof lb->buffer[0]; ++i) {
        carve_state(lb, arena, &lb->buffer[i]);
    }
    double **stages[] = {&lb->V, &lb->L, &lb->Acc, &lb->theta, &lb->f, &lb->delta, &lb->poly.A};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
        *stages[i] = dal_arena_reals(arena, nv * s);
    }
    double **velocities[] = {&lb->v_work, &lb->w, &lb->vmax};
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; ++i) {
        *velocities[i] = dal_arena_reals(arena, nv);
    }
    lb->x = dal_arena_reals(arena, lb->n);
    lb->weight = dal_arena_reals(arena, lb->n);
    lb->balance = dal_arena_reals(arena, lb->n);
    lb->r = dal_arena_reals(arena, lb->n);
    lb->dx = dal_arena_reals(arena, lb->n);
    lb->sides = dal_arena_reals(arena, lb->n - (lb->mid ? 0 : nv + nc));
    lb->q = dal_arena_reals(arena, lb->nq * s);
    lb->la = dal_arena_reals(arena, nc * s);
    lb->poly.la = dal_arena_reals(arena, nc * s);
    lb->q_work = dal_arena_reals(arena, lb->nq);
    lb->factor_q = dal_arena_reals(arena, lb->nq);
    lb->middle_q = dal_arena_reals(arena, lb->nq);
    lb->vel = dal_arena_reals(arena, nc);
    if (lb->variational) {
        lb->turned = dal_arena_reals(arena, nv * s);
        lb->own = dal_arena_take(arena, (size_t)lb->ev->G->nfactors, sizeof *lb->own);
    }
    lb->past.n = lb->n - nc + nv * (s - dal_lb_bent(lb));
    lb->past.base = dal_arena_reals(arena, lb->past.n);
    for (int k = 0; k < LB_DIFFERENCES; ++k) {
        lb->past.d[k] = dal_arena_reals(arena, lb->past.n);
    }
    lb->carried = dal_arena_reals(arena, nc * (int)(sizeof lb->buffer / sizeof lb->buffer[0]));
    dal_output_carve(&lb->output, arena, lb->ev, lb->saddle);
    carve_assembly(lb, arena);
}

static dal_status make_solvers(dal_lobatto *lb)
{
    const dal_linsol_kind kind = (dal_linsol_kind)lb->opt.linear_solver;
    DAL_TRY(dal_layout_solver(&lb->base.matrix, lb->ctx, lb->n, kind, dal_lb_announce, lb));
    return dal_bordered_init(&lb->mass, lb->ctx, lb->ev, DAL_BORDERED_PAIRS, kind);
}

/* C = A B, all s x s */
static void multiply(double *C, const double *A, const double *B, int s)
{
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
            C[i + j * s] = 0.0;
            for (int k = 0; k < s; ++k) {
                C[i + j * s] += A[i + k * s] * B[k + j * s];
            }
        }
    }
}

/* theta from rates in the chart of the middle: a_ij - abar_j; abar_j, the integral of l_j to 1/2, by the quadrature of the method */
static void middle_chart(dal_lobatto *lb)
{
    const int s = lb->s;
    for (int j = 0; j < s; ++j) {
        double abar = 0.0;
        for (int k = 0; k < s; ++k) {
            double l[LB_MAX];
            dal_lagrange(l, lb->c, lb->bary, s, 0.5 * lb->c[k]);
            abar += 0.5 * lb->b[k] * l[j];
        }
        for (int i = 0; i < s; ++i) {
            lb->chart[i + j * s] -= abar;
        }
    }
}

/* dtheta = h sum_p X^p C_p dV, X = -h hat(w), of (LJ.1) for a constant velocity w, tau_i = c_i - 1/2. (LJ.8) */
static void chart_variations(double C[LB_POWERS][LB_MAX * LB_MAX], dal_lobatto *lb)
{
    static const double own[LB_POWERS] = {1.0, -0.5, 1.0 / 12.0, 0.0}; // T^-1(theta) dV
    const int s = lb->s;
    for (int p = 0; p < LB_POWERS; ++p) {
        double right[LB_MAX * LB_MAX];
        for (int i = 0; i < s; ++i) {
            const double tau = lb->c[i] - 0.5;
            for (int j = 0; j < s; ++j) {
                const int at = i + j * s;
                right[at] = (i == j ? own[p] * pow(tau, p) : 0.0) + (p > 0 ? 0.5 * C[p - 1][at] : 0.0) -
                            (p > 1 ? tau / 12.0 * C[p - 2][at] : 0.0);
            }
        }
        multiply(C[p], lb->chart, right, s);
        // theta is linear in the rates, which increments alpha_j = T^-1(theta_j) d_j change
        if (lb->variational) {
            multiply(C[p], lb->chart, lb->Ahat, s);
            for (int k = 0; k < s * s; ++k) {
                C[p][k] *= own[p] * pow(lb->c[k / s] - 0.5, p);
                lb->end[p][k] = lb->A[k] * own[p] * pow(lb->c[k / s] - 0.5, p);
            }
        }
    }
}

/* d_i = T(theta_i) dtheta_i - exp(-hat(theta_i)) T(-theta_1) dtheta_1 as h sum_p X^p D_p dV (LJ.8) */
static void middle_variations(double D[LB_POWERS][LB_MAX * LB_MAX], dal_lobatto *lb)
{
    static const double over[LB_POWERS + 1] = {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0}; // 1/k!
    const int s = lb->s;
    double C[LB_POWERS][LB_MAX * LB_MAX];
    chart_variations(C, lb);
    memset(D, 0, sizeof C);
    for (int i = 0; i < s; ++i) {
        const double tau = lb->c[i] - 0.5, first = 0.5 - lb->c[0];
        double T[LB_POWERS], base[LB_POWERS]; // both factors as series in X
        for (int k = 0; k < LB_POWERS; ++k) {
            T[k] = over[k + 1] * pow(tau, k);
            base[k] = 0.0;
            for (int l = 0; l <= k; ++l) {
                base[k] += over[l] * pow(tau, l) * over[k - l + 1] * pow(first, k - l);
            }
        }
        for (int p = 0; p < LB_POWERS; ++p) {
            for (int k = 0; k <= p; ++k) {
                for (int j = 0; j < s; ++j) {
                    D[p][i + j * s] += T[k] * C[p - k][i + j * s] - base[k] * C[p - k][j * s];
                }
            }
        }
    }
}

/* Of (LB.7): E_p = A^(p+1) Ahat, or D_p Ahat; and the weights of interpolation */
static void derived_coefficients(dal_lobatto *lb)
{
    const int s = lb->s;
    dal_barycentric(lb->bary, lb->c, s);
    for (int i = 0; i < s; ++i) {
        dal_lagrange(lb->ahead[i], lb->c, lb->bary, s, 1.0 + lb->c[i]);
    }
    memcpy(lb->chart, lb->A, sizeof lb->chart);
    if (lb->mid) {
        double D[LB_POWERS][LB_MAX * LB_MAX];
        middle_chart(lb);
        middle_variations(D, lb);
        for (int p = 0; p < LB_POWERS; ++p) {
            if (lb->variational) {
                memcpy(lb->E[p], D[p], sizeof D[p]);
            } else {
                multiply(lb->E[p], D[p], lb->Ahat, s);
            }
        }
        dal_lb_variational_coefficients(lb);
    } else {
        for (int p = 0; p < LB_POWERS; ++p) {
            multiply(lb->E[p], lb->A, p == 0 ? lb->Ahat : lb->E[p - 1], s);
        }
    }
    dal_lb_saddle_coefficients(lb);
}

static dal_status set_up(dal_lobatto *lb)
{
    if (lb->opt.formulation != DAL_FORMULATION_DEFAULT && lb->opt.formulation != DAL_FORMULATION_INDEX3) {
        return dal_fail(lb->ctx, DAL_EOPTION,
                        "formulation belongs to integrator = genalpha. integrator = lobatto keeps both Phi = 0 and "
                        "B v + Phi_t = 0 in every step: leave formulation at its default, or choose genalpha");
    }
    if (lb->mid && lb->ev->nlaws > 0) {
        return dal_fail(lb->ctx, DAL_EOPTION,
                        "lambda = symmetric takes no laws for multipliers (DAL_ROWS_LAW): use lambda = consistent");
    }
    for (int c = 0; lb->variational && c < lb->ev->sys->nconstraints; ++c) {
        if (!dal_holds_positions(&lb->ev->sys->constraint[c])) {
            char name[80];
            dal_eval_row_name(lb->ev, name, sizeof name, lb->ev->row0[c]);
            return dal_fail(lb->ctx, DAL_EOPTION,
                            "lambda = variational takes no nonholonomic rows, and %s is one: use lambda = symmetric",
                            name);
        }
    }
    DAL_TRY(dal_lobatto_coefficients(lb->ctx, lb->c, lb->b, lb->A, lb->Ahat, lb->s));
    derived_coefficients(lb);
    lb->arena = dal_arena_init(lb->ctx);
    carve(lb, &lb->arena);
    DAL_TRY(dal_arena_reserve(&lb->arena));
    carve(lb, &lb->arena);
    for (int p = 0; p < lb->ev->sys->npairs && lb->variational; ++p) {
        const dal_pair at = lb->ev->sys->pair[p];
        if (at.i == at.j) {
            lb->own[at.i] = p;
        }
    }
    DAL_TRY(make_solvers(lb));
    // the less exact the matrix, the more of what is left has the same sign in every step
    const double part = lb->variational ? 1e-4 : lb->opt.newton == DAL_NEWTON_MODIFIED ? 0.01 : lb->mid ? 0.1 : 1.0;
    const dal_newton_options newton = {
        .residual_tol = lb->opt.atol,
        .weight = lb->weight,
        .part = part,
        .rounding = lb->variational ? 0.3 : (double)lb->mid,
        .by_increments = lb->variational,
        .max_iterations = lb->opt.max_iterations,
        .modified = 1, // within a step at least
        .line_search = lb->opt.line_search,
    };
    return dal_newton_init(&lb->newton, lb->ctx, lb->base.matrix, &newton);
}

dal_status dal_lb_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    dal_lobatto *lb = dal_alloc_zero(ctx, sizeof *lb);
    if (!lb) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    lb->base.type = &dal_lobatto_type;
    lb->ctx = ctx;
    lb->ev = ev;
    lb->saddle = saddle;
    lb->opt = *opt;
    lb->s = opt->stages;
    lb->variational = opt->lambda == DAL_LAMBDA_VARIATIONAL;
    lb->mid = lb->variational || opt->lambda == DAL_LAMBDA_SYMMETRIC;
    lb->nq = ev->nq;
    lb->nv = ev->nv;
    lb->nc = ev->nc;
    lb->n = (ev->nv + ev->nc) * lb->s;
    const dal_status st = set_up(lb);
    if (st != DAL_OK) {
        dal_lb_destroy(&lb->base);
        return st;
    }
    lb->base.current = &lb->buffer[0];
    lb->base.previous = &lb->buffer[1];
    lb->trial = &lb->buffer[2];
    lb->middle = &lb->buffer[3];
    lb->third = &lb->buffer[4];
    lb->base.mass = lb->mass.ls;
    lb->base.newton_stats = &lb->newton.stats;
    lb->base.newton_residual = &lb->newton.residual;
    lb->base.error_order = 2.0 * lb->s - 2.0;
    lb->problem = dal_lb_problem(lb);
    *out = &lb->base;
    return DAL_OK;
}

void dal_lb_destroy(dal_integrator *self)
{
    if (self) {
        dal_lobatto *lb = (dal_lobatto *)self;
        dal_newton_release(&lb->newton);
        dal_linsol_destroy(lb->base.matrix);
        dal_bordered_release(&lb->mass);
        dal_arena_release(&lb->arena);
        dal_free(lb->ctx, lb);
    }
}

/* ---- start ------------------------------------------------------------------------------------ */

/* M with displacements in their units and the mass of each body as one: its condition does not depend on either. */
static void scale_mass(dal_lobatto *lb)
{
    const dal_eval *ev = lb->ev;
    const dal_matrix *A = lb->mass.A;
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(ev, p);
        for (int k = 0; k < b.ni * b.nj; ++k) {
            const int i = b.i + k % b.ni, j = b.j + k / b.ni;
            const double square =
                ev->unit[i] * ev->unit[j] / (lb->saddle->scales.inertia[i] * lb->saddle->scales.inertia[j]);
            A->x[A->slot[p][k / b.ni] + k % b.ni] *= sqrt(square);
        }
    }
}

/* The factors are those of the scaled matrix: what solves with M renews them. */
dal_status dal_lb_examine_mass(dal_lobatto *lb, int *singular, const dal_state_buffer *s)
{
    DAL_TRY(dal_bordered_fill(&lb->mass, &(dal_point){s->t, s->q, s->v, s->vd, s->la}, 0));
    scale_mass(lb);
    const dal_status st = dal_linsol_factor(lb->mass.ls);
    *singular = st == DAL_SINGULAR || (st == DAL_OK && dal_linsol_rcond(lb->mass.ls) < 1e-14);
    return st == DAL_SINGULAR ? DAL_OK : st;
}

/* Rows: omega (multipliers) or accelerations times h at the first stage, h (CS.2) at all, velocities at the others: changes of
 * velocity in their units, per second. (SX.3) */
static void set_weights(dal_lobatto *lb)
{
    const dal_saddle *sd = lb->saddle;
    const int nv = lb->nv, nc = lb->nc, s = lb->s;
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        const int level = lb->singular_mass || dal_lb_held(lb, c);
        for (int i = lb->ev->row0[c]; i < lb->ev->row0[c + 1]; ++i) {
            lb->weight[i] = level ? sd->scales.per_reach[i] : sd->scales.reach[i] / sd->scales.work;
            for (int k = 1; k < s; ++k) {
                lb->weight[nv * s + nc * k + i] = sd->scales.per_reach[i];
            }
        }
    }
    for (int i = 0; i < nv * s; ++i) {
        lb->weight[nc + i] = 2.0 / sd->scales.inertia[i % nv];
        lb->balance[nc + i] = sd->balance[i % nv];
    }
    for (int k = 0; k < s; ++k) {
        dal_copy(lb->balance + (k == 0 ? 0 : nv * s + nc * k), sd->balance + nv, nc);
    }
    dal_linsol_balance(lb->base.matrix, dal_scales_uneven(&sd->scales) ? lb->balance : NULL);
}

dal_status dal_lb_start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    dal_state_buffer *s = lb->trial; // current stays as it is if this fails
    s->t = t;
    s->h = h;
    memcpy(s->q, q, (size_t)lb->nq * sizeof(double));
    memcpy(s->v, v, (size_t)lb->nv * sizeof(double));
    DAL_TRY(dal_initial_acceleration(lb->saddle, s->vd, s->la, t, s->q, s->v));
    memcpy(dal_lb_carried(lb, s), s->la, (size_t)lb->nc * sizeof(double));
    int singular;
    DAL_TRY(dal_lb_examine_mass(lb, &singular, s));
    lb->singular_mass = singular && !(lb->mid && lb->ev->nh == lb->nc); // else all multipliers are free
    if (lb->variational) {
        DAL_TRY(dal_lb_variational_start(lb, s));
    }
    set_weights(lb);
    lb->trial = self->current;
    self->current = s;
    lb->history = 0; // the dense output of the last step stays until the next one
    lb->poly.h = 0.0;
    lb->past.depth = lb->past.use = 0;
    lb->pause = 0;
    lb->contraction = 0.0;
    lb->unseen = lb->last_count = 0;
    lb->factored = NULL;
    if (moment != DAL_MOMENT_STEP) {
        memset(lb->vmax, 0, (size_t)lb->nv * sizeof(double));
        self->missed = 0.0;
    }
    dal_note_largest(lb->ev->sys, lb->vmax, v);
    dal_newton_invalidate(&lb->newton);
    return DAL_OK;
}

/* ---- snapshot --------------------------------------------------------------------------------- */

static void pass_state(dal_cursor *k, dal_lobatto *lb, dal_state_buffer *s)
{
    dal_state_pass(s, k, lb->ev);
    dal_pass(k, dal_lb_carried(lb, s), lb->nc);
}

/* Where the saddle matrix was evaluated that the next step uses; its factors are computed again. */
static void pass_factored(dal_cursor *k, dal_lobatto *lb)
{
    int factored = lb->factored == lb->base.current;
    dal_pass_flag(k, &factored);
    dal_pass(k, &lb->factor_t, 1);
    dal_pass(k, lb->factor_q, lb->nq);
    if (k->in) {
        lb->factored = factored ? lb->base.current : NULL;
        lb->factor_count = -1;
    }
}

void dal_lb_pass(dal_integrator *self, dal_cursor *k)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    pass_state(k, lb, lb->base.current);
    pass_state(k, lb, lb->base.previous);
    pass_state(k, lb, lb->third);
    dal_pass(k, &lb->poly.t, 1);
    dal_pass(k, &lb->poly.h, 1);
    dal_pass(k, lb->poly.A, lb->nv * lb->s);
    dal_pass(k, lb->poly.la, lb->nc * lb->s);
    for (int i = 0; i < LB_DIFFERENCES; ++i) {
        dal_pass(k, lb->past.d[i], lb->past.n);
    }
    dal_pass_range(k, &lb->past.depth, 0, LB_DIFFERENCES);
    dal_pass_range(k, &lb->past.use, 0, LB_DIFFERENCES - 1);
    dal_pass(k, lb->vmax, lb->nv);
    dal_pass(k, &lb->h_matrix, 1);
    dal_pass_flag(k, &lb->have_third);
    dal_pass_flag(k, &lb->history);
    dal_pass_flag(k, &lb->singular_mass);
    dal_pass_range(k, &lb->pause, 0, INT_MAX);
    dal_pass(k, &lb->contraction, 1);
    dal_pass_range(k, &lb->unseen, 0, INT_MAX);
    dal_pass_range(k, &lb->last_count, 0, INT_MAX);
    pass_factored(k, lb);
    if (lb->variational) { // M is that of the start: constant, but for rounding
        lb->mass.A = dal_linsol_matrix(lb->mass.ls);
        dal_pass(k, lb->mass.A->x, lb->mass.A->nnz);
    }
    if (k->in) {
        lb->output.n = 0;
        self->end = self->current;
        set_weights(lb);
    }
    dal_newton_pass(&lb->newton, k);
    dal_linsol_pass(lb->mass.ls, k);
}
