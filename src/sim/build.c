/* The machinery for a system: evaluation, solvers, method. It is built when the simulation is created and again when a
 * start finds redundant constraints that are to be left out. */
#include "base/vector.h"
#include "projection/assemble.h"
#include "projection/reduce.h"
#include "sim/left_out.h"
#include "sim/parts.h"
#include "sim/scales.h"
#include "sim/sim_impl.h"
#include "system/data.h"

static void carve(dal_sim *sim, dal_arena *arena)
{
    const dal_eval *ev = sim->ev;
    sim->q = dal_arena_reals(arena, ev->nq);
    sim->v = dal_arena_reals(arena, ev->nv);
    sim->w = dal_arena_reals(arena, ev->nv > ev->nc ? ev->nv : ev->nc);
    sim->sample_q = dal_arena_reals(arena, ev->nq);
    sim->sample_v = dal_arena_reals(arena, ev->nv);
    sim->sample_vd = dal_arena_reals(arena, ev->nv);
    sim->sample_la = dal_arena_reals(arena, dal_system_rows(sim->sys));
    sim->looks.size = sim->sys->equations.exchange ? dal_sim_step_size(sim) : 0;
    sim->looks.end = dal_arena_reals(arena, SIM_LOOK * sim->looks.size + sim->sys->nmemory);
}

static dal_status build(dal_sim *sim, const dal_system *sys)
{
    static const dal_integrator_type *const types[] = {[DAL_INTEGRATOR_GENALPHA] = &dal_genalpha_type,
                                                       [DAL_INTEGRATOR_LOBATTO] = &dal_lobatto_type,
                                                       [DAL_INTEGRATOR_RK] = &dal_rk_type,
                                                       [DAL_INTEGRATOR_AUTO] = &dal_auto_type,
                                                       [DAL_INTEGRATOR_BDF] = &dal_bdf_type,
                                                       [DAL_INTEGRATOR_RATTLIE] = &dal_rattlie_type};
    DAL_TRY(dal_eval_create(&sim->ev, sim->ctx, sys, sim->data));
    sim->ev->watched = sim->watched;
    // block elimination is for the iteration matrix alone: see dal_saddle_create
    const int kind = sim->opt.linear_solver == DAL_LINSOL_BLOCK ? DAL_LINSOL_AUTO : sim->opt.linear_solver;
    DAL_TRY(dal_saddle_create(&sim->saddle, sim->ctx, sim->ev, (dal_linsol_kind)kind));
    sim->arena = dal_arena_init(sim->ctx);
    carve(sim, &sim->arena);
    DAL_TRY(dal_arena_reserve(&sim->arena));
    carve(sim, &sim->arena);
    return types[sim->opt.integrator]->create(&sim->method, sim->ctx, sim->ev, sim->saddle, &sim->opt);
}

dal_status dal_sim_build(dal_sim *sim, const dal_system *sys)
{
    const dal_status st = build(sim, sys);
    sim->builds++;
    if (st != DAL_OK) {
        dal_sim_unbuild(sim); // half built: the next start tries again
    }
    return st;
}

void dal_sim_unbuild(dal_sim *sim)
{
    if (sim->method) {
        sim->method->type->destroy(sim->method);
    }
    dal_saddle_destroy(sim->saddle);
    dal_eval_destroy(sim->ev);
    dal_arena_release(&sim->arena);
    sim->method = NULL;
    sim->saddle = NULL;
    sim->ev = NULL;
    sim->arena = dal_arena_init(sim->ctx);
}

void dal_sim_forget_reduction(dal_sim *sim)
{
    dal_reduction_destroy(sim->reduction);
    dal_eval_destroy(sim->whole);
    dal_free(sim->ctx, sim->la);
    sim->reduction = NULL;
    sim->whole = NULL;
    sim->la = sim->rows = sim->rows2 = NULL;
}

double dal_sim_redundant_tol(const dal_sim *sim)
{
    return dal_sim_contacts_located(sim) ? 1e-7 : 0.0;
}

/* Redundancy shows where the constraints hold: q, a copy of the initial one, is moved there first. */
static dal_status find_redundant(dal_sim *sim, dal_reduction **red, double t, double *q)
{
    DAL_TRY(dal_assemble_with(sim->ctx, sim->sys, sim->data, q, NULL, t, NULL, 0, DAL_POSITION_TOLERANCE));
    DAL_TRY(dal_reduction_create_with(red, sim->ctx, sim->sys, sim->data, t, q, dal_sim_redundant_tol(sim)));
    dal_sim_contacts_shared(sim, *red, t);
    if (dal_reduction_count(*red) > 0 && !sim->contacts) { // rows of open contacts come and go
        char names[400];
        dal_reduction_names(*red, names, sizeof names);
        dal_log(sim->ctx, DAL_LOG_INFO, "%d redundant constraint rows left out: %s", dal_reduction_count(*red), names);
    }
    return DAL_OK;
}

/* Numbers that a simulation keeps of all rows: multipliers, two values, scales. */
static size_t room_for_rows(const dal_sim *sim)
{
    return 5 * (size_t)dal_system_rows(sim->sys) + (size_t)sim->sys->group->nv;
}

/* Build anew for a reduction, which then belongs to the simulation, as does `memory`: room_for_rows, then
 * anything. On failure both are freed; without memory there may be no method afterwards. */
static dal_status take_reduction(dal_sim *sim, dal_reduction *red, double *memory)
{
    const int rows = dal_system_rows(sim->sys);
    dal_eval *whole = NULL;
    dal_status st = dal_eval_create(&whole, sim->ctx, sim->sys, sim->data);
    if (st == DAL_OK) {
        dal_sim_unbuild(sim);
        sim->started = 0;
        st = dal_sim_build(sim, dal_reduction_system(red));
    }
    if (st != DAL_OK) {
        dal_eval_destroy(whole);
        dal_reduction_destroy(red);
        dal_free(sim->ctx, memory);
        return st;
    }
    dal_sim_forget_reduction(sim);
    sim->saddle->reduced = 1;
    sim->reduction = red;
    sim->whole = whole;
    sim->la = memory;
    sim->rows = memory + rows;
    sim->rows2 = sim->rows + rows;
    sim->all = (dal_scales){.ev = whole, .reach = sim->rows2 + rows, .per_reach = sim->rows2 + 2 * rows};
    sim->all.inertia = sim->all.per_reach + rows;
    return DAL_OK;
}

int dal_sim_looks_for_redundant(const dal_sim *sim)
{
    return (sim->opt.redundant != DAL_REDUNDANT_ERROR || sim->sys->life.released) && dal_system_rows(sim->sys) > 0;
}

/* Rows that no longer exist are left out whether or not redundant ones are. */
static dal_status find_released(dal_sim *sim, dal_reduction **red, double t)
{
    const int rows = dal_system_rows(sim->sys);
    int *gone = dal_alloc_zero(sim->ctx, (size_t)rows * sizeof *gone);
    if (!gone) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory to leave constraints out");
    }
    for (int r = 0; r < rows; ++r) {
        gone[r] = dal_data_released(sim->data, r, t);
    }
    const dal_status st = dal_reduction_create_rows(red, sim->ctx, sim->sys, sim->data, gone);
    dal_free(sim->ctx, gone);
    return st;
}

dal_status dal_sim_find_rows(dal_sim *sim, dal_reduction **red, double *q, double t)
{
    return sim->opt.redundant == DAL_REDUNDANT_ERROR ? find_released(sim, red, t) : find_redundant(sim, red, t, q);
}

dal_status dal_sim_leave_out_redundant(dal_sim *sim, const double **q, const double **v, double t)
{
    dal_reduction *red = NULL;
    const int nq = sim->sys->group->nq, nv = sim->sys->group->nv;
    if (!dal_sim_looks_for_redundant(sim)) {
        return DAL_OK;
    }
    double *memory = dal_alloc_zero(sim->ctx, (room_for_rows(sim) + (size_t)(2 * nq + nv)) * sizeof *memory);
    if (!memory) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory to look for redundant constraints");
    }
    double *q_given = memory + room_for_rows(sim), *v_given = q_given + nq, *q_closed = v_given + nv;
    dal_copy(q_given, *q, nq);
    dal_copy(v_given, *v, nv);
    dal_copy(q_closed, *q, nq);
    const dal_status st = dal_sim_find_rows(sim, &red, q_closed, t);
    if (st != DAL_OK) {
        dal_reduction_destroy(red);
        dal_free(sim->ctx, memory);
        return st;
    }
    DAL_TRY(take_reduction(sim, red, memory));
    sim->saddle->reduced = sim->opt.redundant != DAL_REDUNDANT_ERROR;
    *q = q_given;
    *v = v_given;
    return DAL_OK;
}

dal_status dal_sim_leave_out(dal_sim *sim, const int *gone)
{
    dal_reduction *red;
    double *memory = dal_alloc_zero(sim->ctx, room_for_rows(sim) * sizeof *memory);
    if (!memory) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory to leave redundant constraints out");
    }
    const dal_status st = dal_reduction_create_rows(&red, sim->ctx, sim->sys, sim->data, gone);
    if (st != DAL_OK) {
        dal_free(sim->ctx, memory);
        return st;
    }
    return take_reduction(sim, red, memory);
}

dal_status dal_sim_whole_multipliers(const dal_sim *sim, double *la, const dal_point *at)
{
    DAL_TRY(dal_reduction_multipliers(sim->reduction, la, at, sim->opt.redundant == DAL_REDUNDANT_LEAST_NORM));
    if (sim->opt.redundant == DAL_REDUNDANT_LEAST_NORM) {
        DAL_TRY(dal_sim_contacts_relieve(sim, la, at));
    }
    dal_sim_captured_multipliers(sim, la);
    return DAL_OK;
}

const int *dal_sim_left_out(const dal_sim *sim, int *n)
{
    *n = sim->reduction ? dal_reduction_count(sim->reduction) : 0;
    return *n > 0 ? dal_reduction_rows(sim->reduction) : NULL;
}

dal_status dal_sim_step_multipliers(const dal_sim *sim, double *la)
{
    const dal_state_buffer *s = sim->method->current;
    const dal_point at = {s->t, s->q, s->v, s->vd, s->la};
    if (!sim->reduction) {
        dal_copy(la, s->la, sim->ev->nc);
        return DAL_OK;
    }
    return dal_reduction_multipliers(sim->reduction, la, &at, 0);
}

dal_sim_scales dal_sim_scales_of(const dal_sim *sim)
{
    const dal_saddle *s = sim->saddle;
    return (dal_sim_scales){s->ev->length, s->scales.work, s->ev->unit, s->scales.inertia, s->scales.reach};
}
