/* Creation of the explicit Runge-Kutta integrator: one arena; it solves with the saddle matrix that is there. Start;
 * snapshot. */
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"

static void carve_state(dal_rk *rk, dal_arena *arena, dal_state_buffer *s)
{
    s->q = dal_arena_reals(arena, rk->nq);
    s->v = dal_arena_reals(arena, rk->nv);
    s->vd = dal_arena_reals(arena, rk->nv);
    s->a = s->vd; // the methods have no acceleration of their own
    s->la = dal_arena_reals(arena, rk->nc);
    s->eta = dal_arena_reals(arena, rk->ev->nh);
    s->theta = dal_arena_reals(arena, rk->nv);
}

static int slopes(const dal_rk *rk)
{
    return (rk->table->stages + 1 + rk->table->extra) * 2 * rk->nv;
}

static void carve(dal_rk *rk, dal_arena *arena)
{
    for (size_t i = 0; i < sizeof rk->buffer / sizeof rk->buffer[0]; ++i) {
        carve_state(rk, arena, &rk->buffer[i]);
    }
    rk->slope = dal_arena_reals(arena, slopes(rk));
    rk->kept = dal_arena_reals(arena, slopes(rk));
    double **doubled[] = {&rk->y0, &rk->y, &rk->y_last, &rk->e[0], &rk->e[1]};
    for (size_t i = 0; i < sizeof doubled / sizeof doubled[0]; ++i) {
        *doubled[i] = dal_arena_reals(arena, 2 * rk->nv);
    }
    rk->q_stage = dal_arena_reals(arena, rk->nq);
    rk->la_stage = dal_arena_reals(arena, rk->nc);
    rk->vmax = dal_arena_reals(arena, rk->nv);
    rk->amax = dal_arena_reals(arena, rk->nv);
    rk->dense = dal_arena_reals(arena, (3 + rk->table->ndense) * 2 * rk->nv);
}

static dal_status set_up(dal_rk *rk)
{
    char orders[64];
    rk->table = dal_rk_table_of(rk->opt.order);
    if (!rk->table) {
        dal_rk_orders(orders, sizeof orders);
        return dal_fail(rk->ctx, DAL_EOPTION, "order = %d: integrator = rk has methods of order %s", rk->opt.order,
                        orders);
    }
    if (rk->opt.formulation != DAL_FORMULATION_DEFAULT && rk->opt.formulation != DAL_FORMULATION_INDEX3) {
        return dal_fail(rk->ctx, DAL_EOPTION,
                        "formulation belongs to integrator = genalpha. integrator = rk keeps both Phi = 0 and B v + "
                        "Phi_t = 0 in every step: leave formulation at its default, or choose genalpha");
    }
    rk->arena = dal_arena_init(rk->ctx);
    carve(rk, &rk->arena);
    DAL_TRY(dal_arena_reserve(&rk->arena));
    carve(rk, &rk->arena);
    return DAL_OK;
}

dal_status dal_rk_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    dal_rk *rk = dal_alloc_zero(ctx, sizeof *rk);
    if (!rk) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    rk->base.type = &dal_rk_type;
    rk->ctx = ctx;
    rk->ev = ev;
    rk->saddle = saddle;
    rk->opt = *opt;
    rk->nq = ev->nq;
    rk->nv = ev->nv;
    rk->nc = ev->nc;
    const dal_status st = set_up(rk);
    if (st != DAL_OK) {
        dal_rk_destroy(&rk->base);
        return st;
    }
    rk->base.current = &rk->buffer[0];
    rk->base.previous = &rk->buffer[1];
    rk->trial = &rk->buffer[2];
    rk->base.matrix = saddle->ls;
    rk->base.newton_stats = &rk->stats;
    rk->base.newton_residual = &rk->residual;
    rk->base.error_order = rk->table->order;
    rk->base.explicit_steps = 1;
    *out = &rk->base;
    return DAL_OK;
}

void dal_rk_destroy(dal_integrator *self)
{
    if (self) {
        dal_rk *rk = (dal_rk *)self;
        dal_arena_release(&rk->arena);
        dal_free(rk->ctx, rk);
    }
}

dal_status dal_rk_start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_rk *rk = (dal_rk *)self;
    dal_state_buffer *s = rk->trial; // current stays as it is if this fails
    s->t = t;
    s->h = h;
    dal_copy(s->q, q, rk->nq);
    dal_copy(s->v, v, rk->nv);
    DAL_TRY(dal_initial_acceleration(rk->saddle, s->vd, s->la, t, s->q, s->v));
    rk->trial = self->current; // the dense output of the last step stays until the next one
    self->current = s;
    if (moment != DAL_MOMENT_STEP) {
        dal_zero(rk->vmax, rk->nv);
        dal_zero(rk->amax, rk->nv);
        rk->unstable = rk->harmless = 0;
        rk->rate = rk->seen = self->stability_rate = self->missed = 0.0;
    }
    dal_rk_note_speeds(rk);
    return DAL_OK;
}

/* ---- snapshot --------------------------------------------------------------------------------- */

void dal_rk_pass(dal_integrator *self, dal_cursor *k)
{
    dal_rk *rk = (dal_rk *)self;
    dal_state_pass(self->current, k, rk->ev);
    dal_state_pass(self->previous, k, rk->ev);
    dal_pass(k, rk->kept, slopes(rk));
    dal_pass(k, rk->dense, (3 + rk->table->ndense) * 2 * rk->nv);
    dal_pass_flag(k, &rk->have_dense);
    dal_pass(k, rk->vmax, rk->nv);
    dal_pass(k, rk->amax, rk->nv);
    dal_pass(k, &rk->rate, 1);
    dal_pass(k, &rk->seen, 1);
    dal_pass(k, &self->stability_rate, 1);
    dal_pass_range(k, &rk->unstable, 0, INT_MAX);
    dal_pass_range(k, &rk->harmless, 0, INT_MAX);
    dal_pass_count(k, &rk->stats.jacobians);
    dal_pass_count(k, &rk->stats.factorisations);
    if (k->in) {
        self->end = self->current;
    }
}
