/* Backward differences on a group (docs/theory/bdf.md): v from the polynomial through the last positions in the chart at q_n,
 * v' from that through the last velocities. Given theta the equations are those of generalized-alpha with other
 * coefficients, so its iteration serves. */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"
#include "integrate/lift.h"
#include "integrate/output.h"

enum { BDF_MAX = 5, BDF_PAST = BDF_MAX + 1 };

/* Ratios of successive step sizes up to which methods of order k are stable whatever the steps are. (BD.6) */
static const double widest[BDF_MAX + 1] = {0.0, 4.0, 2.41, 1.53, 1.28, 1.13};

typedef struct bdf_state {
    double h; /* of the step that led here */
    double *q, *v, *theta;
} bdf_state;

struct ga_bdf {
    int order; /* of the options: with adaptive steps the largest */
    int wish;  /* what the error asks for */
    int k;     /* of the attempt */
    int known; /* states before the current one */
    int since; /* accepted steps of that order */
    int rough; /* began with vibrations that steps do not resolve: without Lobatto, for which they are none */
    int moved; /* the current q is no longer where theta led */
    double error[BDF_MAX + 2]; /* of the attempt, had it been of order k - 1, k, k + 1; else negative */
    double x[BDF_PAST + 2];    /* times in units of h: t1 = 0, t_n = -1, ... */
    int even;                  /* all steps are of the same size: x are whole numbers */
    double alpha[BDF_MAX + 1];
    int weighted;             /* alpha are those of even steps and this order; 0: they are not */
    bdf_state past[BDF_PAST]; /* the latest first */
    double *phi[BDF_PAST];    /* nv: past states as seen from the current one (BD.1) */
    int nphi;                 /* so many of them are there */
    double *rate[BDF_PAST];   /* nv: their velocities in that chart, T^-1(phi) v, for errors */
    int nrate;
    double *w, *d, *q_work; /* nv, nv, nq */
    dal_integrator *start;  /* Lobatto, for the first steps; NULL with order 1 */
    dal_output output;
    dal_arena arena;
};

/* ---- coefficients ----------------------------------------------------------------------------- */

/* Past states as seen from q_n, n of them: exp(phi_i) = exp(phi_(i-1)) exp(-theta_(i-1)), from increments, which do not wrap. */
static void look_back(dal_genalpha *ga, int n)
{
    ga_bdf *b = ga->bdf;
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s0 = ga->base.current;
    for (; b->nphi < n; ++b->nphi) {
        const int i = b->nphi;
        const double *last = i > 0 ? b->phi[i - 1] : ga->saddle->zero;
        const double *theta = i > 0 ? b->past[i - 1].theta : s0->theta;
        double *phi = b->phi[i];
        dal_bracket(G, b->w, last, theta);
        for (int k = 0; k < ga->nv; ++k) {
            phi[k] = last[k] - theta[k] - 0.5 * b->w[k];
        }
        if (b->moved || (i > 0 && !G->flat)) {
            dal_lift(G, phi, b->q_work, b->w, b->d, s0->q, b->past[i].q);
        }
    }
}

/* Weight of the value at x_i in that at t1 of the polynomial through those at x_1 ... x_n. */
static double weight_of(const double *x, int i, int n)
{
    double w = 1.0;
    for (int j = 1; j <= n; ++j) {
        w *= j == i ? 1.0 : x[j] / (x[j] - x[i]);
    }
    return w;
}

/* alpha_i: weights of h y'(t1) for y at t1, t_n, ..., t_(n+1-k). */
static void weights(ga_bdf *b, int k)
{
    const double *x = b->x;
    b->alpha[0] = 0.0;
    for (int i = 1; i <= k; ++i) {
        b->alpha[i] = weight_of(x, i, k) / x[i];
        b->alpha[0] -= 1.0 / x[i];
    }
}

/* Coefficients of generalized-alpha with which (GA.6) and (GA.8) have those of order k for steps of equal size. */
static dal_ga_coef coefficients(int order)
{
    double alpha = 0.0;
    for (int i = 1; i <= order; ++i) {
        alpha += 1.0 / i;
    }
    return (dal_ga_coef){.beta = 1.0 / (alpha * alpha), .gamma = 1.0 / alpha, .sigma = 1.0};
}

void dal_bdf_set_step(dal_genalpha *ga, double h)
{
    ga_bdf *b = ga->bdf;
    const dal_state_buffer *s0 = ga->base.current;
    const int k = b->k;
    if (!b->even || b->weighted != k) {
        weights(b, k);
        b->weighted = b->even ? k : 0;
    }
    const double a0 = b->alpha[0];
    ga->h = h;
    ga->gp = ga->kv = a0 / h;
    ga->s = ga->s_acc = ga->opt.scaling ? h * h / (a0 * a0) : 1.0;
    ga->s_vel = ga->opt.scaling ? h / a0 : 1.0;
    if (!ga->untransported) {
        look_back(ga, k - 1);
    }
    double rest = -a0; // sum of alpha_i from 1 on, then from 2 on, ...
    for (int n = 0; n < ga->nv; ++n) {
        ga->cvec[n] = 0.0;
        ga->d0[n] = b->alpha[1] / h * s0->v[n];
    }
    for (int i = 2; i <= k; ++i) {
        const double *v = b->past[i - 2].v, *increment = i > 2 ? b->past[i - 3].theta : s0->theta;
        rest -= b->alpha[i - 1];
        // (BD.1), or the sum of increments (BD.4)
        const double *y = ga->untransported ? increment : b->phi[i - 2];
        const double c = (ga->untransported ? -rest : b->alpha[i]) / a0, d = b->alpha[i] / h;
        for (int n = 0; n < ga->nv; ++n) {
            ga->cvec[n] += c * y[n];
            ga->d0[n] += d * v[n];
        }
    }
}

/* ---- step ------------------------------------------------------------------------------------- */

/* The largest order for which the states are there and the step sizes alike enough. */
static int order_of(const dal_genalpha *ga, double h)
{
    const ga_bdf *b = ga->bdf;
    const double ratio = b->known > 0 ? h / ga->base.current->h : 1.0;
    int k = b->wish < b->known + 1 ? b->wish : b->known + 1;
    // single changes of fixed steps may be larger than those of a sequence
    const double least = ga->opt.step == DAL_STEP_ADAPTIVE ? 0.0 : widest[2];
    while (k > 1 && ratio > fmax(widest[k], least)) {
        --k;
    }
    return k;
}

/* A step by Lobatto's method: k states are needed before there is a step of order k. */
static dal_status first_steps(dal_genalpha *ga, double h, double t1)
{
    dal_integrator *lobatto = ga->bdf->start;
    const dal_state_buffer *s0 = ga->base.current;
    dal_state_buffer *s1 = ga->trial;
    DAL_TRY(lobatto->type->start(lobatto, s0->t, s0->q, s0->v, h, DAL_MOMENT_START));
    const dal_newton_stats before = *lobatto->newton_stats;
    DAL_TRY(lobatto->type->attempt(lobatto, h, t1));
    lobatto->type->accept(lobatto);
    const dal_state_buffer *s = lobatto->current;
    ga->newton.stats.iterations += lobatto->newton_stats->iterations - before.iterations;
    ga->newton.stats.jacobians += lobatto->newton_stats->jacobians - before.jacobians;
    ga->newton.stats.factorisations += lobatto->newton_stats->factorisations - before.factorisations;
    ga->newton.residual = *lobatto->newton_residual;
    s1->t = t1;
    s1->h = ga->h = h;
    s1->known = 0;
    dal_copy(s1->q, s->q, ga->ev->nq);
    dal_copy(s1->v, s->v, ga->nv);
    dal_copy(s1->vd, s->vd, ga->nv);
    dal_copy(s1->la, s->la, ga->nc);
    dal_zero(ga->x, ga->n);
    dal_copy(ga->x, s->theta, ga->nv);
    dal_lift(ga->ev->G, ga->x, ga->bdf->q_work, ga->bdf->w, ga->bdf->d, s0->q, s1->q);
    ga->t1 = t1;
    ga->bdf->k = 0;
    return DAL_OK;
}

/* Is this step Lobatto's? It would keep vibrations that steps do not resolve. Fixed steps have their order after that; adaptive ones go on with order 2, of which the error is known. */
static int begins(const dal_genalpha *ga)
{
    const ga_bdf *b = ga->bdf;
    return b->start && !b->rough && b->known < (ga->opt.step == DAL_STEP_ADAPTIVE ? 2 : b->order - 1);
}

static void place_times(dal_genalpha *ga, double h)
{
    ga_bdf *b = ga->bdf;
    const double last = ga->base.current->h;
    int even = b->known > 0 && last == h;
    for (int i = 0; i < b->known - 1; ++i) {
        even &= b->past[i].h == h;
    }
    if (even && b->even) {
        return;
    }
    b->even = even;
    b->weighted = 0;
    b->x[0] = 0.0;
    b->x[1] = -1.0;
    for (int i = 0; i < BDF_PAST; ++i) {
        const double step = even || i >= b->known ? h : i > 0 ? b->past[i - 1].h : last;
        b->x[i + 2] = b->x[i + 1] - step / h;
    }
}

/* v1 continues as a polynomial of degree 4, where v' was found to be smooth; 0: too few states, or uneven ones. */
int dal_bdf_continue(const dal_genalpha *ga, double *v1)
{
    const ga_bdf *b = ga->bdf;
    if (!b->even || b->known < 4) {
        return 0;
    }
    const double *v0 = ga->base.current->v, *w0 = b->past[0].v, *w1 = b->past[1].v, *w2 = b->past[2].v,
                 *w3 = b->past[3].v;
    for (int i = 0; i < ga->nv; ++i) {
        v1[i] = 5.0 * (v0[i] - w2[i]) - 10.0 * (w0[i] - w1[i]) + w3[i];
    }
    return 1;
}

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = ga->bdf;
    const dal_state_buffer *s0 = self->current;
    if (begins(ga)) {
        const dal_status st = first_steps(ga, h, t1);
        if (st <= 0 || ga->opt.step == DAL_STEP_ADAPTIVE) {
            return st;
        } // too stiff for Lobatto's method: on with the order that the states allow
    }
    ga->v0 = s0->v;
    ga->a0 = ga->vd0 = s0->vd;
    if (ga->opt.step == DAL_STEP_ADAPTIVE) {
        dal_ga_error_tolerance(ga, h);
    }
    b->k = order_of(ga, h);
    place_times(ga, h);
    const dal_status st = dal_ga_solve_step(ga, h, t1);
    // with changing steps lambda of index 3 loses an order: (IN.4) instead
    if (st == DAL_OK && ga->opt.step == DAL_STEP_ADAPTIVE && ga->opt.formulation == DAL_FORMULATION_INDEX3 &&
        ga->nc > 0) {
        return dal_initial_acceleration(ga->saddle, ga->w, ga->trial->la, t1, ga->trial->q, ga->trial->v);
    }
    return st;
}

/* ---- error and order -------------------------------------------------------------------------- */

/* How far bodies are from the origin, in units: the last bit of a position is as much larger, and joints pass that on to all. */
static double reach(const dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    double far = 1.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        far = fmax(far, dal_max_abs(ga->trial->q + F->q, F->nq) / dal_max_abs(ga->ev->unit + F->v, F->nv));
    }
    return far;
}

/* The fastest velocity, in units: joints pass its last bit on to all. */
static double speed(const dal_genalpha *ga)
{
    double most = 0.0;
    for (int n = 0; n < ga->nv; ++n) {
        most = fmax(most, fabs(ga->trial->v[n]) / ga->ev->unit[n]);
    }
    return most;
}

/* What rounding of this size makes of l, with weights of that sum, is no error: shorter steps would only make more of it. */
static void leave_rounding_out(const dal_genalpha *ga, double *l, double weight, double size)
{
    const double rounding = DBL_EPSILON * weight * size;
    for (int n = 0; n < ga->nv; ++n) {
        l[n] = copysign(fmax(fabs(l[n]) - rounding * ga->ev->unit[n], 0.0), l[n]);
    }
}

/* The local error of a step of order k, from what the polynomial of degree k through the last k + 1 positions was off;
 * the first step of order 1 compares with h v. (BD.5) */
static void error_of_positions(dal_genalpha *ga, int k)
{
    ga_bdf *b = ga->bdf;
    const double *x = b->x, *v = ga->base.current->v;
    double *l = ga->l_q, weight = 1.0;
    dal_copy(l, ga->x, ga->nv);
    if (b->known == 0) {
        for (int n = 0; n < ga->nv; ++n) {
            l[n] = 0.5 * (l[n] - ga->h * v[n]);
        }
        leave_rounding_out(ga, l, weight, 32.0 * reach(ga));
        return;
    }
    look_back(ga, k);
    for (int i = 2; i <= k + 1; ++i) {
        const double w = weight_of(x, i, k + 1);
        weight += fabs(w);
        for (int n = 0; n < ga->nv; ++n) {
            l[n] -= w * b->phi[i - 2][n];
        }
    }
    leave_rounding_out(ga, l, weight, 32.0 * reach(ga));
    dal_scale(l, -1.0 / x[k + 1], ga->nv);
}

/* The same from velocities in the chart at q_n and their polynomial of degree k - 1. Rows of velocities keep those free of the
 * rounding of positions, which a chain of short links makes many times larger. (BD.7) */
static void error_of_velocities(dal_genalpha *ga, int k)
{
    ga_bdf *b = ga->bdf;
    const dal_group *G = ga->ev->G;
    double *l = ga->l_q, weight = 1.0;
    look_back(ga, k - 1);
    for (; b->nrate < k - 1; ++b->nrate) {
        dal_inv_tangent_apply(G, b->rate[b->nrate], b->phi[b->nrate], b->past[b->nrate].v);
    }
    dal_inv_tangent_apply(G, l, ga->x, ga->trial->v);
    for (int i = 1; i <= k; ++i) {
        const double w = weight_of(b->x, i, k), *u = i > 1 ? b->rate[i - 2] : ga->base.current->v;
        weight += fabs(w);
        for (int n = 0; n < ga->nv; ++n) {
            l[n] -= w * u[n];
        }
    }
    leave_rounding_out(ga, l, weight, 4.0 * speed(ga));
    dal_scale(l, ga->h / (k + 1), ga->nv);
}

static double error_of(dal_genalpha *ga, int k)
{
    if (ga->opt.formulation == DAL_FORMULATION_INDEX3 && ga->nh > 0) {
        error_of_positions(ga, k);
    } else {
        error_of_velocities(ga, k);
    }
    return dal_ga_measure(ga, ga->l_q, ga->h);
}

/* Errors of a step add up over a motion: a tenth of the tolerance. */
static double error(dal_integrator *self)
{
    static const double adds_up = 10.0;
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = ga->bdf;
    const int k = b->k;
    self->error_order = k > 0 ? k : 2;
    if (k == 0) {
        // what order 2 would be off, h^3 v''/6, by accelerations: positions have too few digits in a short step from rest
        const dal_state_buffer *s0 = self->current, *s1 = ga->trial;
        for (int n = 0; n < ga->nv; ++n) {
            ga->l_q[n] = ga->h * ga->h / 6.0 * (s1->vd[n] - s0->vd[n]);
        }
        return adds_up * dal_ga_measure(ga, ga->l_q, ga->h);
    }
    for (int j = k - 1; j <= k + 1; ++j) {
        const int there = j >= 1 && j <= b->order && (b->known >= j || (j == 1 && j == k));
        b->error[j] = there ? adds_up * error_of(ga, j) : -1.0;
    }
    // too few states for the order: that below it is a bound
    if (b->error[k] < 0.0) {
        return adds_up * error_of(ga, b->known > 0 ? b->known : 1);
    }
    // a bend where the order rose shows in the estimate of the new order more than in that of the old one
    const int bent = b->since <= k && k == b->wish && k > 1 && b->error[k - 1] >= 0.0;
    return bent ? fmin(b->error[k], b->error[k - 1]) : b->error[k];
}

/* The order whose steps could be longest, one more or less than it is; a change must pay. It bends the motion a little, at the
 * error of the lower order: until the polynomials have passed that, neither order nor step rise. */
static void choose_order(dal_genalpha *ga)
{
    ga_bdf *b = ga->bdf;
    const int k = b->k;
    double longest = 0.0;
    int best = k;
    b->since = k == b->wish ? b->since + 1 : 0;
    for (int j = k - 1; j <= k + 1; ++j) {
        if (b->error[j] >= 0.0 && (j == k || b->since > k)) {
            const double e = fmax(b->error[j], 1e-10), step = (j == k ? 1.0 : 0.83) * pow(e, -1.0 / j);
            best = step > longest ? j : best;
            longest = fmax(step, longest);
        }
    }
    b->since = best == k ? b->since : 0;
    ga->base.growth_limit = b->since > best || best == 1 ? widest[best] : 1.0;
    b->wish = best;
}

static void accept(dal_integrator *self)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = ga->bdf;
    const dal_state_buffer *s0 = self->current;
    const bdf_state oldest = b->past[BDF_PAST - 1];
    for (int i = BDF_PAST - 1; i > 0; --i) {
        b->past[i] = b->past[i - 1];
    }
    b->past[0] = oldest;
    b->past[0].h = s0->h;
    dal_copy(b->past[0].q, s0->q, ga->ev->nq);
    dal_copy(b->past[0].v, s0->v, ga->nv);
    dal_copy(b->past[0].theta, s0->theta, ga->nv);
    dal_copy(ga->trial->a, ga->trial->vd, ga->nv);
    if (ga->opt.step == DAL_STEP_ADAPTIVE && b->k > 0) {
        choose_order(ga);
    }
    b->known += b->known < BDF_PAST;
    b->nphi = b->nrate = b->moved = b->output.n = 0;
    dal_ga_turn(ga);
}

/* Orders above 3 ask for more than the cubic polynomials of generalized-alpha. */
static void interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_output_step(&((dal_genalpha *)self)->bdf->output, q, v, vd, la, self, t);
}

/* ---- the rest --------------------------------------------------------------------------------- */

static dal_status start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = ga->bdf;
    DAL_TRY(dal_ga_start(self, t, q, v, h, moment));
    b->known = b->since = b->nphi = b->nrate = b->moved = b->rough = b->even = 0;
    b->wish = ga->opt.step == DAL_STEP_ADAPTIVE && b->order > 2 ? 2 : b->order;
    self->growth_limit = widest[b->wish];
    return DAL_OK;
}

static dal_status ease(dal_integrator *self, const double *before)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    return dal_ga_ease_from(ga, &ga->bdf->rough, before, 1e-2); // less is too much for Lobatto
}

/* Nothing in the state depends on the size of the next step. */
static dal_status retune(dal_integrator *self, double h)
{
    (void)self, (void)h;
    return DAL_OK;
}

static dal_status project(dal_integrator *self, dal_projection mode, int position)
{
    ga_bdf *b = ((dal_genalpha *)self)->bdf;
    (void)mode; // there is nothing to compensate
    DAL_TRY(dal_ga_project(self, DAL_PROJECTION_PLAIN, position));
    b->moved |= position;
    b->output.n = 0;
    b->nphi = position ? 0 : b->nphi;
    b->nrate = 0;
    return DAL_OK;
}

static void pass(dal_integrator *self, dal_cursor *k)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = ga->bdf;
    dal_pass_range(k, &b->known, 0, BDF_PAST);
    dal_pass_range(k, &b->wish, 1, BDF_MAX);
    dal_pass_range(k, &b->since, 0, INT_MAX);
    dal_pass_flag(k, &b->moved);
    dal_pass_flag(k, &b->rough);
    dal_pass(k, &self->error_order, 1);
    dal_pass(k, &self->growth_limit, 1);
    for (int i = 0; i < BDF_PAST; ++i) {
        dal_pass(k, &b->past[i].h, 1);
        dal_pass(k, b->past[i].q, ga->ev->nq);
        dal_pass(k, b->past[i].v, ga->nv);
        dal_pass(k, b->past[i].theta, ga->nv);
    }
    dal_ga_pass(self, k);
    if (k->in) {
        b->nphi = b->nrate = b->output.n = b->even = 0;
    }
}

static void destroy(dal_integrator *self)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    ga_bdf *b = self ? ga->bdf : NULL;
    if (b) {
        if (b->start) {
            b->start->type->destroy(b->start);
        }
        dal_arena_release(&b->arena);
        dal_free(ga->ctx, b);
    }
    dal_ga_destroy(self);
}

static void carve(const dal_genalpha *ga, ga_bdf *b, dal_arena *arena)
{
    for (int i = 0; i < BDF_PAST; ++i) {
        b->past[i].q = dal_arena_reals(arena, ga->ev->nq);
        b->past[i].v = dal_arena_reals(arena, ga->nv);
        b->past[i].theta = dal_arena_reals(arena, ga->nv);
        b->phi[i] = dal_arena_reals(arena, ga->nv);
        b->rate[i] = dal_arena_reals(arena, ga->nv);
    }
    b->w = dal_arena_reals(arena, ga->nv);
    b->d = dal_arena_reals(arena, ga->nv);
    b->q_work = dal_arena_reals(arena, ga->ev->nq);
    dal_output_carve(&b->output, arena, ga->ev, ga->saddle);
}

/* Lobatto of an order above that of the method. */
static dal_status create_start(dal_genalpha *ga, const dal_options *opt)
{
    dal_options own = *opt;
    own.integrator = DAL_INTEGRATOR_LOBATTO;
    own.formulation = DAL_FORMULATION_DEFAULT;
    own.stages = opt->step == DAL_STEP_ADAPTIVE ? 3 : 2 + (opt->order + 1) / 2;
    own.lambda = DAL_LAMBDA_CONSISTENT;
    own.newton = DAL_NEWTON_AUTO;
    own.step = DAL_STEP_FIXED;
    own.linear_solver = opt->linear_solver == DAL_LINSOL_BLOCK ? DAL_LINSOL_AUTO : opt->linear_solver;
    return dal_lobatto_type.create(&ga->bdf->start, ga->ctx, ga->ev, ga->saddle, &own);
}

static dal_status set_up(dal_genalpha *ga, const dal_options *opt)
{
    ga_bdf *b = ga->bdf = dal_alloc_zero(ga->ctx, sizeof *b);
    if (!b) {
        return dal_fail(ga->ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    b->order = opt->order;
    b->wish = 1;
    b->arena = dal_arena_init(ga->ctx);
    carve(ga, b, &b->arena);
    DAL_TRY(dal_arena_reserve(&b->arena));
    carve(ga, b, &b->arena);
    ga->base.type = &dal_bdf_type;
    ga->base.error_order = opt->order;
    ga->base.growth_limit = widest[1];
    ga->untransported = opt->kinematics == DAL_KINEMATICS_PRINTED;
    ga->c = coefficients(opt->order);
    ga->noise_gain = 8.0; // (sum of |alpha_i|)^2/alpha_0^2
    return opt->order > 1 ? create_start(ga, opt) : DAL_OK;
}

static dal_status create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    if (opt->order < 1 || opt->order > BDF_MAX) {
        return dal_fail(ctx, DAL_EOPTION, "order = %d: integrator = bdf has methods of order 1 to 5", opt->order);
    }
    if (opt->formulation == DAL_FORMULATION_INDEX1) {
        return dal_fail(ctx, DAL_EOPTION, "integrator = bdf has formulation = ggl, index3 and index2, not index1");
    }
    if (opt->kinematics == DAL_KINEMATICS_PRINTED_HALF) {
        return dal_fail(ctx, DAL_EOPTION, "kinematics = printed_half belongs to integrator = genalpha");
    }
    dal_options own = *opt;
    own.kinematics = DAL_KINEMATICS_EXACT;
    own.starting = DAL_STARTING_NAIVE;
    own.parameters = DAL_PARAMETERS_CHUNG_HULBERT;
    own.sigma_rule = DAL_SIGMA_NUMBER;
    own.sigma = 1.0;
    dal_integrator *self;
    DAL_TRY(dal_ga_create(&self, ctx, ev, saddle, &own));
    const dal_status st = set_up((dal_genalpha *)self, opt);
    if (st != DAL_OK) {
        destroy(self);
        return st;
    }
    *out = self;
    return DAL_OK;
}

const dal_integrator_type dal_bdf_type = {
    .name = "bdf",
    .nodes = 5,
    .create = create,
    .destroy = destroy,
    .start = start,
    .ease = ease,
    .attempt = attempt,
    .error = error,
    .accept = accept,
    .retune = retune,
    .project = project,
    .interpolate = interpolate,
    .equation_name = dal_ga_equation_name,
    .pass = pass,
};
