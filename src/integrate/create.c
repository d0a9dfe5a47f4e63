/* Creation of the generalized-alpha integrator: one arena, one linear solver. */
#include "integrate/genalpha_impl.h"
#include "linearize/layout.h"
#include "linsol/cost.h"

static void carve_state(dal_genalpha *ga, dal_arena *arena, dal_state_buffer *s)
{
    s->q = dal_arena_reals(arena, ga->ev->nq);
    s->v = dal_arena_reals(arena, ga->nv);
    s->vd = dal_arena_reals(arena, ga->nv);
    s->a = dal_arena_reals(arena, ga->nv);
    s->la = dal_arena_reals(arena, ga->nc);
    s->eta = dal_arena_reals(arena, ga->nh);
    s->theta = dal_arena_reals(arena, ga->nv);
    s->vc = dal_arena_reals(arena, ga->nv);
    s->vdc = dal_arena_reals(arena, ga->nv);
    s->jerk = dal_arena_reals(arena, ga->nv);
}

/* Matrices of the factors that are not flat, and what the assembly multiplies by. */
static void carve_factors(dal_genalpha *ga, dal_arena *arena)
{
    const dal_group *G = ga->ev->G;
    const int printed = ga->opt.kinematics != DAL_KINEMATICS_EXACT;
    const int simplified = ga->opt.jacobian == DAL_JACOBIAN_SIMPLIFIED;
    ga_factor *factor = dal_arena_take(arena, (size_t)G->nfactors, sizeof *factor);
    for (int f = 0; f < G->nfactors; ++f) {
        if (G->factor[f].type->flat) {
            continue;
        }
        const int size = G->factor[f].nv * G->factor[f].nv;
        ga_factor k = {.T = dal_arena_reals(arena, size)};
        k.Pi = ga->c.sigma == 1.0 ? NULL : dal_arena_reals(arena, size);
        k.N = dal_arena_reals(arena, size);
        k.work[0] = dal_arena_reals(arena, size);
        k.work[1] = dal_arena_reals(arena, size);
        // unknowns = velocity: P in place of T, and I in place of P^-1 (NW.12)
        const int velocity = ga->opt.unknowns == DAL_UNKNOWNS_VELOCITY;
        k.dq = simplified ? NULL : velocity && k.Pi ? k.N : printed ? NULL : k.T;
        k.dv = simplified || velocity ? NULL : printed ? k.Pi : k.N;
        k.dv_eta = simplified ? NULL : k.Pi;
        if (factor) {
            factor[f] = k;
        }
    }
    ga->factor = factor;
}

static int max_block(const dal_genalpha *ga)
{
    int n = ga->ev->G->max_nv;
    for (int c = 0; c < ga->ev->sys->nconstraints; ++c) {
        n = ga->ev->sys->constraint[c].nrows > n ? ga->ev->sys->constraint[c].nrows : n;
    }
    return n;
}

static void carve_eta(dal_genalpha *ga, dal_arena *arena)
{
    const dal_system *sys = ga->ev->sys;
    const int nlinks = dal_ga_count_eta_links(ga);
    int size = 0;
    for (int l = 0; l < sys->nlinks; ++l) {
        size += sys->constraint[sys->link[l].c].nrows * ga->ev->G->factor[sys->link[l].j].nv;
    }
    ga->eta_link0 = dal_arena_ints(arena, ga->ev->G->nfactors + 1);
    ga->eta_link = dal_arena_take(arena, (size_t)nlinks + 1, sizeof(ga_eta_link));
    double *B0 = dal_arena_reals(arena, size), *E = dal_arena_reals(arena, size);
    if (ga->eta_link) {
        ga->eta_link[0] = (ga_eta_link){.B0 = B0, .E = E};
    }
    ga->slot_pair_eta = dal_arena_ints(arena, sys->npairs);
    ga->slot_link_eta = dal_arena_ints(arena, sys->nlinks);
    ga->slot_link_vel = dal_arena_ints(arena, sys->nlinks);
}

static void carve(dal_genalpha *ga, dal_arena *arena)
{
    const int nv = ga->nv, nc = ga->nc, block = max_block(ga);
    for (int i = 0; i < 4; ++i) {
        carve_state(ga, arena, &ga->buffer[i]);
    }
    double **velocities[] = {&ga->v_tuned, &ga->a_tuned, &ga->vd_tuned, &ga->cvec, &ga->d0,  &ga->w,
                             &ga->vmax,    &ga->tol,     &ga->l_q,      &ga->vdd,  &ga->lift};
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; ++i) {
        *velocities[i] = dal_arena_reals(arena, nv);
    }
    ga->x = dal_arena_reals(arena, ga->n);
    ga->weight = dal_arena_reals(arena, ga->n);
    ga->balance = dal_arena_reals(arena, ga->n);
    ga->q_work = dal_arena_reals(arena, ga->ev->nq);
    ga->Phi = dal_arena_reals(arena, nc);
    ga->vel = dal_arena_reals(arena, nc);
    ga->la_tuned = dal_arena_reals(arena, nc);
    ga->block = dal_arena_reals(arena, block * block);
    ga->block2 = dal_arena_reals(arena, block * block);
    ga->column = dal_arena_reals(arena, block);
    ga->eta0 = dal_arena_ints(arena, ga->ev->sys->nconstraints);
    carve_factors(ga, arena);
    if (ga->ne > 0) {
        carve_eta(ga, arena);
    }
}

/* Costs in operations of a dense LU, from the structure alone (NW.7). The residual has so many for each equation and each
 * entry of blocks between two bodies, as measured; tangents are taken to cost twice as much, which is the least that was
 * seen. */
static dal_newton_costs expected_costs(const dal_genalpha *ga)
{
    static const double per_equation = 80.0, per_entry = 12.0, tangents = 2.0;
    const dal_system *sys = ga->ev->sys;
    double between = 0.0, factor, solve;
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_pair pair = sys->pair[p];
        between += pair.i != pair.j ? ga->ev->G->factor[pair.i].nv * ga->ev->G->factor[pair.j].nv : 0;
    }
    dal_linsol_cost(ga->base.matrix, &factor, &solve);
    const double residual = per_equation * ga->n + per_entry * between;
    return (dal_newton_costs){residual, solve, tangents * residual + factor};
}

static dal_status set_up(dal_genalpha *ga)
{
    // (NW.12) is of the published algorithms without eta; elsewhere Newton's method has the unknowns and tangents it always has
    const int exact = ga->opt.kinematics == DAL_KINEMATICS_EXACT;
    ga->opt.unknowns = exact || ga->ne > 0 ? DAL_UNKNOWNS_POSITION : ga->opt.unknowns;
    ga->opt.jacobian = exact && ga->opt.jacobian == DAL_JACOBIAN_SERIES ? DAL_JACOBIAN_PAPER : ga->opt.jacobian;
    DAL_TRY(dal_ga_coefficients(ga->ctx, &ga->c, &ga->opt));
    // to leading order the published algorithms have the local error of another sigma (GA.12)
    const dal_ga_coef c = ga->c;
    const double kappa = (1.0 - c.alpha_f) / (1.0 - c.alpha_m);
    const int printed = ga->opt.kinematics != DAL_KINEMATICS_EXACT;
    const double f = dal_ga_predictor_factor(ga);
    const double sigma_eff = 4.0 * c.sigma * (f * (0.5 - (c.gamma - c.beta) * kappa) + 0.5 * c.gamma * kappa);
    ga->C_h = 0.25 * (1.0 / 3.0 - (printed ? sigma_eff : c.sigma) * c.beta / c.gamma);
    double T[9];
    int n;
    DAL_TRY(dal_error_recursion(ga->ctx, T, &n, &ga->c, DAL_FORMULATION_INDEX3));
    ga->noise_gain = dal_error_amplification(NULL, T, n, 300);
    ga->arena = dal_arena_init(ga->ctx);
    carve(ga, &ga->arena);
    DAL_TRY(dal_arena_reserve(&ga->arena));
    carve(ga, &ga->arena);
    dal_ga_structure(ga);
    DAL_TRY(dal_layout_solver(&ga->base.matrix, ga->ctx, ga->n, (dal_linsol_kind)ga->opt.linear_solver, dal_ga_announce,
                              ga));
    dal_newton_options newton = {
        .residual_tol = ga->opt.atol,
        .stiff = ga->ev->sys->slender,
        .weight = ga->weight,
        .reduction = ga->opt.stop == DAL_STOP_RESIDUAL ? ga->opt.rtol : 0.0,
        .nfirst = ga->nv,
        .strict = DAL_FORCE_WEIGHT,
        // what kept factors leave has the same sign in every step and adds up; published counts did not care
        .part = ga->opt.newton == DAL_NEWTON_MODIFIED && ga->opt.predictor != DAL_PREDICTOR_ZERO ? 0.004 : 1.0,
        .max_iterations = ga->opt.max_iterations,
        .in_place = 1,
        .polish = ga->opt.integrator == DAL_INTEGRATOR_GENALPHA, // backward differences live with rounding
        .modified = ga->opt.newton == DAL_NEWTON_MODIFIED,
        .line_search = ga->opt.line_search && !printed && ga->opt.stop != DAL_STOP_RESIDUAL,
        // published settings keep the published number of iterations
        .trust = !printed && ga->opt.jacobian == DAL_JACOBIAN_EXACT && ga->opt.predictor == DAL_PREDICTOR_EXTRAPOLATE,
    };
    newton.costs = expected_costs(ga);
    ga->base.jacobian_cost = newton.costs.jacobian / (newton.costs.residual + newton.costs.solve);
    newton.choose = ga->opt.newton == DAL_NEWTON_AUTO && newton.trust && dal_newton_choice_open(&newton.costs);
    return dal_newton_init(&ga->newton, ga->ctx, ga->base.matrix, &newton);
}

dal_status dal_ga_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    dal_genalpha *ga = dal_alloc_zero(ctx, sizeof *ga);
    if (!ga) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    ga->base.type = &dal_genalpha_type;
    ga->ctx = ctx;
    ga->ev = ev;
    ga->saddle = saddle;
    ga->opt = *opt;
    ga->nv = ev->nv;
    ga->nc = ev->nc;
    ga->nh = ev->nh;
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        ga->ne += dal_ga_both_levels(opt->formulation, &ev->sys->constraint[c]) ? ev->sys->constraint[c].nrows : 0;
    }
    ga->n = ev->nv + ev->nc + ga->ne;
    const dal_status st = set_up(ga);
    if (st != DAL_OK) {
        dal_ga_destroy(&ga->base);
        return st;
    }
    ga->base.current = &ga->buffer[0];
    ga->base.previous = &ga->buffer[1];
    ga->trial = &ga->buffer[2];
    ga->past = &ga->buffer[3];
    ga->base.newton_stats = &ga->newton.stats;
    ga->base.error_order = 2.0;
    ga->base.newton_residual = &ga->newton.residual;
    dal_ga_problem(ga);
    *out = &ga->base;
    return DAL_OK;
}

void dal_ga_destroy(dal_integrator *self)
{
    if (self) {
        dal_genalpha *ga = (dal_genalpha *)self;
        dal_newton_release(&ga->newton);
        dal_linsol_destroy(ga->base.matrix);
        dal_arena_release(&ga->arena);
        dal_free(ga->ctx, ga);
    }
}
