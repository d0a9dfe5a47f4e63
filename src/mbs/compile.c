/* From the description to a dal_system, in this order: bodies and states get their factors of the group, and so their places
 * in q and v; joints, bodies and forces list their rows; the numbers that follow from several elements are found with the
 * bodies at their initial places (settle.c); elements say which blocks they have (structure.c). */
#include <math.h>

#include "base/message.h"
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"

/* ---- coordinates ------------------------------------------------------------------------------ */

/* Factors of the group: one for each rigid body, two for a flexible one (frame, modes), then one for each force that has
 * coordinates of its own. Interface nodes are bodies, too, but share the factors of the flexible body they belong to (unit).
 * Blocks of M, C, K are numbered as pairs of factors: here those within one body or force; those between two follow when
 * elements ask for them (structure.c). */
static dal_status create_group(dal_model *m)
{
    const int n = m->body_names.n - 1;
    if (n < 1) {
        return dal_fail(m->ctx, DAL_EINVAL, "model: there is no body; add one");
    }
    int nfactors = 0, npairs = 0;
    for (int i = 1; i <= n; ++i) {
        mb_body *b = &m->body[i];
        const mb_body *owner = &m->body[b->unit];
        b->factor = b->unit == i ? nfactors : owner->factor;
        b->pair = b->unit == i ? npairs : owner->pair;
        nfactors += b->unit == i ? b->nfactors : 0;
        npairs += b->unit == i ? b->nfactors * b->nfactors : 0;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        f->factor = f->own > 0 ? nfactors++ : -1;
        f->pair_own = f->own > 0 && f->type->diagonal ? npairs++ : -1;
    }
    m->ndiagonal = npairs;
    dal_factor_spec *spec = dal_alloc_zero(m->ctx, (size_t)nfactors * sizeof *spec);
    if (!spec) {
        return dal_fail(m->ctx, DAL_ENOMEM, "model: no memory to compile");
    }
    for (int i = 1; i <= n; ++i) {
        const mb_body *b = &m->body[i];
        spec[b->factor] = (dal_factor_spec){m->body[b->unit].type->kind, m->body[b->unit].type->n};
        if (b->nfactors > 1) {
            spec[b->factor + 1] = (dal_factor_spec){DAL_FACTOR_RN, b->flex->n};
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].factor >= 0) {
            spec[m->force[k].factor] = (dal_factor_spec){DAL_FACTOR_RN, m->force[k].own};
        }
    }
    const dal_status st = dal_group_create(&m->group, m->ctx, spec, nfactors);
    dal_free(m->ctx, spec);
    return st;
}

static void carve(dal_model *m, dal_arena *arena)
{
    m->q0 = dal_arena_reals(arena, m->group->nq);
    m->v0 = dal_arena_reals(arena, m->group->nv);
    m->lifted = dal_arena_ints(arena, m->nlifted);
    m->shares = dal_arena_ints(arena, m->beam_names.n > 0 ? m->group->nfactors : 0);
}

/* Where bodies, and forces with coordinates of their own, are in q and v. Counted on the way: bodies whose velocities are not
 * those of their frame, v_frame = S(q) v (lifted), and of these the ones whose S depends on q (curved); the most velocities
 * of one body. */
static dal_status place(dal_model *m)
{
    DAL_TRY(create_group(m));
    m->nv = m->group->nv;
    m->most = MB_NV;
    for (int i = 1; i < m->body_names.n; ++i) {
        mb_body *b = &m->body[i];
        const dal_factor *f = &m->group->factor[b->factor];
        b->q = f->q;
        b->v = f->v;
        m->nlifted += !b->type->identity;
        m->nv_lifted += b->type->identity ? 0 : b->nv;
        m->ncurved += !b->type->constant;
        m->most = b->flex && 6 + b->flex->n > m->most ? 6 + b->flex->n : m->most;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        f->q = f->factor < 0 ? -1 : m->group->factor[f->factor].q;
        f->v = f->factor < 0 ? -1 : m->group->factor[f->factor].v;
    }
    carve(m, &m->arena);
    DAL_TRY(dal_arena_reserve(&m->arena));
    carve(m, &m->arena);
    for (int i = 1, k = 0; i < m->body_names.n; ++i) {
        if (!m->body[i].type->identity) {
            m->lifted[k++] = i;
        }
    }
    for (int b = 0; b < m->beam_names.n; ++b) {
        for (int i = 0; i < m->beam[b].nnodes; ++i) {
            const mb_node *n = &m->beam[b].node[i];
            if (n->body > 0 && n->plain) {
                m->shares[m->body[n->body].factor] = b + 1;
            }
        }
    }
    return DAL_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

dal_status mb_add_constraint(dal_model *m, const mb_constraint *c)
{
    DAL_GROW(m->ctx, m->constraint, m->constraint_capacity, m->nconstraints + 1);
    m->constraint[m->nconstraints++] = *c;
    return DAL_OK;
}

/* Blocks of rows: those of joints, then of bodies (the norm of Euler parameters), then of forces (integrals of pids) and slides. row0 is
 * where a block begins in Phi. */
static dal_status list_rows(dal_model *m)
{
    m->nconstraints = m->ncontacts = 0;
    for (int k = 0; k < m->joint_names.n; ++k) {
        m->joint[k].first = m->nconstraints;
        DAL_TRY(mb_joint_build(m, k));
        m->joint[k].count = m->nconstraints - m->joint[k].first;
    }
    for (int i = 1; i < m->body_names.n; ++i) {
        if (m->body[i].type->build) {
            DAL_TRY(m->body[i].type->build(m, i));
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].type->build) {
            DAL_TRY(m->force[k].type->build(m, k));
        }
    }
    DAL_TRY(mb_slides_build(m));
    m->nc = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].block = k;
        m->constraint[k].row0 = m->nc;
        m->nc += m->constraint[k].nrows;
    }
    return DAL_OK;
}

/* ---- all together ----------------------------------------------------------------------------- */

static dal_status create_instance(void **work, dal_ctx *ctx, double *memory, const void *user)
{
    mb_instance *m;
    DAL_TRY(mb_instance_create(&m, ctx, memory, user));
    *work = m;
    return DAL_OK;
}

static void destroy_instance(void *work, const void *user)
{
    (void)user;
    mb_instance_destroy(work);
}

/* The numbers that follow from several elements, as a simulation has them at the start, become those of the model. */
static dal_status settle(dal_model *m)
{
    mb_instance *draft;
    DAL_TRY(mb_instance_create(&draft, m->ctx, NULL, m));
    const dal_status st = mb_settle(draft);
    if (st == DAL_OK) {
        for (int k = 0; k < m->joint_names.n; ++k) {
            m->joint[k].gear = draft->joint[k].gear;
            mb_joint_warn(draft, k);
        }
        for (int k = 0; k < m->nconstraints; ++k) {
            m->constraint[k] = draft->constraint[k];
        }
        for (int k = 0; k < m->force_names.n; ++k) {
            m->force[k].row.c = draft->force[k].row.c; // constants that come from initial places
            m->force[k].row.c2 = draft->force[k].row.c2;
        }
        memcpy(m->q0, draft->q0, (size_t)m->group->nq * sizeof(double));
        memcpy(m->v0, draft->v0, (size_t)m->nv * sizeof(double));
    }
    mb_instance_destroy(draft);
    return st;
}

/* For analyses: a velocity that is a force's own state, or the rate of its integral; */
static int is_state(int index, const void *user)
{
    const dal_model *m = user;
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].own > 0 && m->force[k].v == index) {
            return m->force[k].type->diagonal ? 1 : 2;
        }
    }
    return 0;
}

static dal_status set_inputs(dal_data *data, const double *u, const void *user)
{
    const dal_model *m = user;
    return m->set_inputs(data, u, m->inputs_user);
}

/* and a factor that is the place of a point. */
static int is_place(int factor, const void *user)
{
    const dal_model *m = user;
    int found = 0;
    for (int b = 1; b < m->body_names.n; ++b) {
        found |= !m->body[b].type->rotates && m->body[b].factor == factor;
    }
    return found;
}

/* The steps at the top of this file, then the callbacks. Nothing here depends on a simulation: what changes in a run is in the
 * instance that `create` makes. */
/* Can an element take energy away or feed it in? Joints do where they are driven. */
static int exchanges(const dal_model *m)
{
    int some = m->beam_names.n > 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        some |= m->force[k].type->element.exchange != NULL;
    }
    for (int i = 1; i < m->body_names.n; ++i) {
        some |= m->body[i].type->element->exchange != NULL;
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        some |= c->type->exchange != NULL && c->type != &mb_constraint_joint;
        for (int r = 0; c->type == &mb_constraint_joint && r < c->nscalar; ++r) {
            some |= c->row[r].f > 0;
        }
    }
    return some;
}

static dal_status compile(dal_model *m)
{
    DAL_TRY(mb_find_states(m));
    DAL_TRY(place(m));
    DAL_TRY(list_rows(m));
    DAL_TRY(mb_find_reactions(m));
    DAL_TRY(settle(m));
    DAL_TRY(mb_create_structure(m));
    int lambda_in_g = 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        lambda_in_g |= mb_reads_reactions(&m->force[k]);
    }
    dal_system *s = &m->system;
    s->group = m->group;
    s->nconstraints = m->nconstraints;
    s->constraint = m->block;
    s->pair = m->pair;
    s->link = m->link;
    s->provides = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A;
    int friction = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        friction |= c->type == &mb_constraint_sliding;
        lambda_in_g |= c->type == &mb_constraint_sliding && m->joint[c->joint].d.mu > 0.0; // else its limit is a number
    }
    s->provides |= lambda_in_g ? DAL_WANT_G : 0U; // d g/d lambda: friction depends on reactions
    s->lambda_in_g = lambda_in_g;
    s->vel_apart = !friction; // rows exert forces that depend on velocities
    s->slender = m->beam_names.n > 0;
    s->shares = m->beam_names.n > 0 ? m->shares : NULL;
    s->equations =
        (dal_equations){mb_residual, mb_tangent, mb_energy, mb_energies, exchanges(m) ? mb_exchange : NULL, mb_units};
    s->ninputs = m->ninputs;
    s->input = m->input;
    s->life = (dal_life){.create = create_instance,
                         .destroy = destroy_instance,
                         .forget = mb_forget,
                         .next_break = mb_next_break,
                         .next_kink = mb_next_kink,
                         .next_jump = mb_next_jump,
                         .numbers = mb_numbers,
                         .set_numbers = mb_set_numbers,
                         .set_inputs = m->ninputs > 0 ? set_inputs : NULL};
    s->names = (dal_names){.row = mb_row_name,
                           .velocity = mb_velocity_name,
                           .coordinates = mb_has_singular_coordinates(m) ? mb_coordinates : NULL,
                           .culprit = mb_culprit,
                           .is_state = is_state,
                           .is_place = is_place};
    DAL_TRY(mb_contacts_compile(m));
    DAL_TRY(mb_events_compile(m));
    mb_memory_layout(m);
    s->user = m;
    return dal_system_validate(m->ctx, s);
}

dal_status dal_model_compile(dal_model *model, const dal_system **system)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, system);
    *system = NULL;
    if (!model->compiled) {
        const dal_status st = compile(model);
        if (st != DAL_OK) {
            // as before, so that the model can be corrected and compiled again
            dal_arena_release(&model->arena);
            dal_arena_release(&model->structure);
            dal_group_destroy(model->group);
            model->arena = dal_arena_init(model->ctx);
            model->group = NULL;
            model->nlifted = model->ncurved = model->nv_lifted = 0;
            return st;
        }
        model->compiled = 1;
    }
    *system = &model->system;
    return DAL_OK;
}

dal_status dal_model_joint_rows(const dal_model *model, int *first, int *n, int joint)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, first);
    DAL_NEED(model->ctx, n);
    if (!model->compiled || joint < 0 || joint >= model->joint_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: joint number %d does not exist, or the model is not compiled",
                        joint);
    }
    const mb_joint *j = &model->joint[joint];
    *first = model->constraint[j->first].row0;
    *n = 0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        *n += model->constraint[k].nrows;
    }
    return DAL_OK;
}
