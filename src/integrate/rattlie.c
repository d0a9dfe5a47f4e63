/* RATTLie: a variational method of order 2, both constraint levels to rounding, and its symmetric compositions of order 4, 6
 * and 8 (docs/theory/rattlie.md). A step is two small solves; nothing of lambda is carried over a step but that of
 * nonholonomic rows. */
#include "integrate/rattlie_impl.h"

#include <float.h>
#include <limits.h>

#include "base/vector.h"
#include "linsol/balance.h"
#include "linsol/pass.h"

/* ---- coefficients ----------------------------------------------------------------------------- */

/* The first half and the middle of the substeps of (RT.7): Suzuki's of order 4, Kahan and Li's of order 6 and 8. */
static const double order4[] = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857};
static const double order6[] = {0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                                0.082213596293550800230, 0.79854399093482996340};
static const double order8[] = {0.13020248308889008088, 0.56116298177510838456,  -0.38947496264484728641,
                                0.15884190655515560090, -0.39590389413323757734, 0.18453964097831570709,
                                0.25837438768632204729, 0.29501172360931029887,  -0.60550853383003451170};

int dal_rattlie_substeps(double gamma[DAL_RATTLIE_SUBSTEPS], int order)
{
    static const double order2[] = {1.0};
    const double *half = order == 2 ? order2 : order == 4 ? order4 : order == 6 ? order6 : order8;
    const int n = order == 2 ? 1 : order == 4 ? 3 : order == 6 ? 5 : order == 8 ? 9 : 0;
    for (int i = 0; i < 2 * n - 1; ++i) {
        gamma[i] = half[i < n ? i : 2 * n - 2 - i];
    }
    return n > 0 ? 2 * n - 1 : 0;
}

static dal_status compose(dal_rattlie *rt)
{
    rt->nsub = dal_rattlie_substeps(rt->gamma, rt->opt.order);
    return rt->nsub > 0 ? DAL_OK
                        : dal_fail(rt->ctx, DAL_EOPTION, "order = %d: integrator = rattlie has order 2, 4, 6 and 8",
                                   rt->opt.order);
}

/* ---- creation --------------------------------------------------------------------------------- */

static void carve_states(dal_rattlie *rt, dal_arena *arena)
{
    for (int i = 0; i < RT_STATES; ++i) {
        dal_state_buffer *s = &rt->buffer[i];
        rt_state *e = &rt->extra[i];
        double **velocities[] = {&s->v, &s->vd, &s->theta, &e->R, &e->Mv};
        for (size_t k = 0; k < sizeof velocities / sizeof velocities[0]; ++k) {
            *velocities[k] = dal_arena_reals(arena, rt->nv);
        }
        s->a = s->vd; // the method has no acceleration of its own
        s->q = dal_arena_reals(arena, rt->nq);
        s->la = dal_arena_reals(arena, rt->nc);
        s->eta = dal_arena_reals(arena, rt->ev->nh);
        e->la = dal_arena_reals(arena, rt->nc);
    }
}

/* Blocks of M and B, and matrices of the factors that are not flat. */
static void carve_blocks(dal_rattlie *rt, dal_arena *arena)
{
    const dal_system *sys = rt->ev->sys;
    const dal_group *G = rt->ev->G;
    int most = G->max_nv, nM = 0, nB = 0;
    rt->M0 = dal_arena_ints(arena, sys->npairs + 1);
    rt->B0 = dal_arena_ints(arena, sys->nlinks + 1);
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(rt->ev, p);
        nM += b.ni * b.nj;
        if (rt->M0) {
            rt->M0[p + 1] = nM;
        }
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        const dal_block_at b = dal_link_at(rt->ev, l);
        nB += b.ni * b.nj;
        most = b.ni > most ? b.ni : most;
        if (rt->B0) {
            rt->B0[l + 1] = nB;
        }
    }
    double **blocks[] = {&rt->M, &rt->M1, &rt->N[0], &rt->N[1], &rt->N[2], &rt->K0};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        *blocks[k] = dal_arena_reals(arena, nM);
    }
    rt->mirror = dal_arena_ints(arena, sys->npairs);
    rt->B = dal_arena_reals(arena, nB);
    rt->block = dal_arena_reals(arena, most * most);
    rt->factor = dal_arena_take(arena, (size_t)G->nfactors, sizeof *rt->factor);
    for (int f = 0; f < G->nfactors; ++f) {
        const int size = G->factor[f].nv * G->factor[f].nv;
        rt_factor k = {0};
        if (!G->factor[f].type->flat) {
            k.T = dal_arena_reals(arena, size);
            k.Q = dal_arena_reals(arena, size);
            k.D = dal_arena_reals(arena, size);
            k.work = dal_arena_reals(arena, size);
        }
        if (rt->factor) {
            rt->factor[f] = k;
        }
    }
}

static void carve(dal_rattlie *rt, dal_arena *arena)
{
    carve_states(rt, arena);
    carve_blocks(rt, arena);
    double **velocities[] = {&rt->y, &rt->c, &rt->z, &rt->w, &rt->w2, &rt->p1, &rt->vmax, &rt->l_q, &rt->vdd};
    for (size_t k = 0; k < sizeof velocities / sizeof velocities[0]; ++k) {
        *velocities[k] = dal_arena_reals(arena, rt->nv);
    }
    double **all[] = {&rt->x, &rt->r, &rt->g, &rt->weight, &rt->balance};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        *all[k] = dal_arena_reals(arena, rt->n);
    }
    rt->missed = dal_arena_reals(arena, rt->nsub * rt->n);
    rt->differences = dal_arena_reals(arena, rt->nsub * RT_DIFFERENCES * rt->n);
    rt->la = dal_arena_reals(arena, rt->nc);
    rt->q1 = dal_arena_reals(arena, rt->nq);
    rt->qm = dal_arena_reals(arena, rt->nq);
    dal_output_carve(&rt->output, arena, rt->ev, rt->saddle);
}

static dal_status set_up(dal_rattlie *rt)
{
    const dal_linsol_kind kind = (dal_linsol_kind)rt->opt.linear_solver;
    if (rt->opt.formulation != DAL_FORMULATION_DEFAULT && rt->opt.formulation != DAL_FORMULATION_INDEX3) {
        return dal_fail(rt->ctx, DAL_EOPTION,
                        "formulation belongs to integrator = genalpha and bdf. integrator = rattlie keeps both Phi = 0 "
                        "and B v + Phi_t = 0 in every step: leave formulation at its default");
    }
    if (rt->ev->nlaws > 0) {
        return dal_fail(rt->ctx, DAL_EOPTION,
                        "integrator = rattlie takes no laws for multipliers (DAL_ROWS_LAW): use "
                        "integrator = genalpha, lobatto or rk");
    }
    DAL_TRY(compose(rt));
    if (rt->nsub > 1 && rt->opt.step == DAL_STEP_ADAPTIVE) {
        return dal_fail(
            rt->ctx, DAL_EOPTION,
            "order = %d of integrator = rattlie needs fixed steps, which symmetry lives on: use order = 2, or "
            "integrator = lobatto or rk for a tolerance",
            rt->opt.order);
    }
    rt->arena = dal_arena_init(rt->ctx);
    carve(rt, &rt->arena);
    DAL_TRY(dal_arena_reserve(&rt->arena));
    carve(rt, &rt->arena);
    DAL_TRY(dal_layout_solver(&rt->base.matrix, rt->ctx, rt->n, kind, dal_rt_announce, rt));
    DAL_TRY(dal_bordered_init(
        &rt->second, rt->ctx, rt->ev,
        DAL_BORDERED_PAIRS | DAL_BORDERED_STEADY | (rt->nc > 0 ? (unsigned)DAL_BORDERED_LINKS : 0U), kind));
    const dal_newton_options newton = {
        .residual_tol = rt->opt.atol,
        .weight = rt->weight,
        .part = 1.0,
        .max_iterations = rt->opt.max_iterations,
        .in_place = 1,
        .line_search = rt->opt.line_search,
        .trust = 1,
        .left = 1.0, // the tolerance is near rounding
    };
    return dal_newton_init(&rt->newton, rt->ctx, rt->base.matrix, &newton);
}

static void destroy(dal_integrator *self)
{
    if (self) {
        dal_rattlie *rt = (dal_rattlie *)self;
        dal_newton_release(&rt->newton);
        dal_linsol_destroy(rt->base.matrix);
        dal_bordered_release(&rt->second);
        dal_arena_release(&rt->arena);
        dal_free(rt->ctx, rt);
    }
}

static dal_status create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    dal_rattlie *rt = dal_alloc_zero(ctx, sizeof *rt);
    if (!rt) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    rt->base.type = &dal_rattlie_type;
    rt->ctx = ctx;
    rt->ev = ev;
    rt->saddle = saddle;
    rt->opt = *opt;
    rt->nq = ev->nq;
    rt->nv = ev->nv;
    rt->nc = ev->nc;
    rt->n = ev->nv + ev->nc;
    const dal_status st = set_up(rt);
    if (st != DAL_OK) {
        destroy(&rt->base);
        return st;
    }
    rt->base.current = &rt->buffer[0];
    rt->base.previous = &rt->buffer[1];
    rt->trial = &rt->buffer[2];
    rt->base.newton_stats = &rt->newton.stats;
    rt->base.newton_residual = &rt->newton.residual;
    rt->base.error_order = 2.0;
    rt->problem = dal_rt_problem(rt);
    *out = &rt->base;
    return DAL_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

static void set_scales(dal_rattlie *rt)
{
    const dal_saddle *sd = rt->saddle;
    for (int i = 0; i < rt->nv; ++i) {
        rt->weight[i] = 1.0 / sd->scales.inertia[i];
    }
    dal_copy(rt->weight + rt->nv, sd->scales.per_reach, rt->nc);
    dal_copy(rt->balance, sd->balance, rt->n);
    const double *balance = dal_scales_uneven(&sd->scales) ? rt->balance : NULL;
    dal_linsol_balance(rt->base.matrix, balance);
    dal_linsol_balance(rt->second.ls, balance);
}

static dal_status start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    dal_state_buffer *s = rt->trial; // current stays as it is if this fails
    rt_state *e = dal_rt_extra(rt, s);
    s->t = t;
    s->h = h;
    dal_copy(s->q, q, rt->nq);
    dal_copy(s->v, v, rt->nv);
    dal_zero(s->theta, rt->nv);
    DAL_TRY(dal_initial_acceleration(rt->saddle, s->vd, s->la, t, s->q, s->v));
    set_scales(rt);
    dal_copy(e->la, s->la, rt->nc);
    DAL_TRY(dal_rt_capture(rt, s));
    rt->h = h;
    DAL_TRY(dal_rt_probe_mass(rt, s));
    DAL_TRY(dal_rt_settle(rt, s));
    DAL_TRY(dal_rt_choose_rows(rt, s, h));
    rt->trial = self->current;
    self->current = s;
    if (moment != DAL_MOMENT_STEP) {
        dal_zero(rt->vmax, rt->nv);
        self->missed = 0.0;
    }
    rt->known = rt->degree = 0;
    rt->h_learnt = 0.0;
    dal_zero(rt->differences, rt->nsub * RT_DIFFERENCES * rt->n);
    dal_note_largest(rt->ev->sys, rt->vmax, v);
    dal_newton_invalidate(&rt->newton);
    return dal_rt_watch_stiffness(rt, h);
}

/* ---- step ------------------------------------------------------------------------------------- */

static dal_status substep(dal_rattlie *rt, const dal_state_buffer *from, dal_state_buffer *to, double h, double t1)
{
    rt->from = from;
    rt->h = h;
    rt->t1 = t1;
    to->t = t1;
    if (rt->captured != from) {
        DAL_TRY(dal_rt_look_back(rt, from));
    }
    DAL_TRY(dal_rt_first(rt));
    dal_rt_move(rt, to->q, from->q, rt->x);
    dal_rt_note_missed(rt);
    dal_copy(to->theta, rt->x, rt->nv);
    return dal_rt_second(rt, to);
}

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    const dal_state_buffer *from = self->current;
    dal_state_buffer *work[2] = {NULL, NULL};
    for (int i = 0, n = 0; i < RT_STATES; ++i) {
        dal_state_buffer *b = &rt->buffer[i];
        if (n < 2 && b != self->current && b != self->previous && b != rt->trial) {
            work[n++] = b;
        }
    }
    double t = from->t;
    const long before = rt->newton.stats.iterations;
    rt->h_step = h;
    for (int i = 0; i < rt->nsub; ++i) {
        const int last = i == rt->nsub - 1;
        dal_state_buffer *to = last ? rt->trial : work[i % 2];
        t = last ? t1 : t + rt->gamma[i] * h;
        rt->substep = i;
        const dal_status st = substep(rt, from, to, rt->gamma[i] * h, t);
        if (st != DAL_OK) {
            dal_rt_explain_failure(rt, st, h);
            return st;
        }
        from = to;
    }
    rt->toilsome = rt->newton.stats.iterations - before > rt->nsub;
    rt->trial->h = h;
    if (rt->nsub > 1) {
        // the way of the whole step, near enough to tell its branch
        for (int i = 0; i < rt->nv; ++i) {
            rt->trial->theta[i] = 0.5 * h * (self->current->v[i] + rt->trial->v[i]);
        }
    }
    return DAL_OK;
}

/* h^3 (v''/12 + hat(v) v'/24) over h, ten times because it adds up, like (SC.1). */
static double error(dal_integrator *self)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    const dal_group *G = rt->ev->G;
    const dal_state_buffer *s0 = self->current, *s1 = rt->trial;
    const double h = s1->h, least = dal_least_error(rt->vmax, rt->nv);
    double worst = 0.0;
    for (int i = 0; i < rt->nv; ++i) {
        rt->vdd[i] = (s1->vd[i] - s0->vd[i]) / h;
    }
    dal_local_error(G, rt->l_q, h, 1.0 / 12.0, 1.0 / 24.0, s1->v, s1->vd, rt->vdd);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i, n = dal_vector_length(F, i);
            const double speed = fmax(rt->vmax[k], dal_vector_norm(s1->v + k, n));
            const double tol = fmax(rt->opt.step_atol + rt->opt.step_rtol * speed, least);
            worst = dal_larger(worst, 10.0 * dal_vector_norm(rt->l_q + k, n) / (h * tol));
        }
    }
    return worst;
}

static void accept(dal_integrator *self)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    dal_state_buffer *free = self->previous;
    self->previous = self->current;
    self->current = rt->trial;
    self->end = rt->trial;
    rt->trial = free;
    rt->output.n = 0;
    dal_rt_learn(rt);
    dal_note_largest(rt->ev->sys, rt->vmax, self->current->v);
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* Nothing in the state depends on the step size. */
static dal_status retune(dal_integrator *self, double h)
{
    (void)self, (void)h;
    return DAL_OK;
}

static dal_status project(dal_integrator *self, dal_projection mode, int position)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    dal_state_buffer *s = self->current, *to = rt->trial; // all or nothing
    (void)mode, (void)position;
    to->t = s->t;
    to->h = s->h;
    dal_copy(to->q, s->q, rt->nq);
    dal_copy(to->v, s->v, rt->nv);
    dal_copy(to->theta, s->theta, rt->nv);
    rt->captured = NULL;
    if (rt->ev->nh > 0) {
        DAL_TRY(dal_project_position(rt->saddle, to->q, NULL, s->t, DAL_POSITION_TOLERANCE));
    }
    DAL_TRY(dal_project_velocity(rt->saddle, to->v, NULL, s->t, to->q, NULL));
    DAL_TRY(dal_initial_acceleration(rt->saddle, to->vd, to->la, s->t, to->q, to->v));
    rt_state *e = dal_rt_extra(rt, to);
    dal_copy(e->la, dal_rt_extra(rt, s)->la, rt->nc);
    rt->h = s->h;
    DAL_TRY(dal_rt_capture(rt, to));
    DAL_TRY(dal_rt_settle(rt, to));
    self->current = to;
    rt->trial = s;
    self->end = self->end == s ? to : self->end;
    rt->output.n = 0;
    return DAL_OK;
}

static void interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    dal_output_step(&rt->output, q, v, vd, la, self, t);
}

static void pass_state(dal_cursor *k, dal_rattlie *rt, dal_state_buffer *s)
{
    rt_state *e = dal_rt_extra(rt, s);
    dal_state_pass(s, k, rt->ev);
    dal_pass(k, e->R, rt->nv);
    dal_pass(k, e->Mv, rt->nv);
    dal_pass(k, e->la, rt->nc);
}

static void pass(dal_integrator *self, dal_cursor *k)
{
    dal_rattlie *rt = (dal_rattlie *)self;
    pass_state(k, rt, self->current);
    pass_state(k, rt, self->previous);
    dal_pass(k, rt->vmax, rt->nv);
    dal_pass_flag(k, &rt->midway);
    dal_pass_flag(k, &rt->damped);
    dal_pass_flag(k, &rt->varies);
    dal_pass(k, rt->differences, rt->nsub * RT_DIFFERENCES * rt->n);
    dal_pass(k, &rt->h_learnt, 1);
    dal_pass_range(k, &rt->known, 0, RT_DIFFERENCES);
    dal_pass_range(k, &rt->degree, -1, RT_DIFFERENCES - 1);
    if (k->in) {
        self->end = self->current;
        rt->captured = NULL;
        rt->output.n = 0;
        set_scales(rt);
    }
    dal_newton_pass(&rt->newton, k);
    dal_linsol_pass(rt->second.ls, k);
}

const dal_integrator_type dal_rattlie_type = {
    .name = "rattlie",
    .nodes = 5,
    .create = create,
    .destroy = destroy,
    .start = start,
    .attempt = attempt,
    .error = error,
    .accept = accept,
    .retune = retune,
    .project = project,
    .interpolate = interpolate,
    .equation_name = dal_rt_equation_name,
    .pass = pass,
};
