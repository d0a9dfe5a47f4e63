/* The model of one simulation: copies of the elements, states of the bodies, scratch. */
#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/crowd_impl.h"
#include "mbs/curve_impl.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "system/data.h"

static void *copied(dal_arena *arena, const void *from, int n, size_t size)
{
    void *to = dal_arena_take(arena, (size_t)n, size);
    if (to && from && n > 0) {
        memcpy(to, from, (size_t)n * size);
    }
    return to;
}

static void carve_elements(mb_instance *m, dal_arena *arena)
{
    const dal_model *of = m->of;
    m->body = copied(arena, of->body, m->nbodies, sizeof(mb_body));
    m->desc = copied(arena, of->body_desc, m->nbodies, sizeof(dal_body));
    m->joint = copied(arena, of->joint, m->njoints, sizeof(mb_joint));
    m->force = copied(arena, of->force, m->nforces, sizeof(mb_force));
    m->constraint = copied(arena, of->constraint, m->nconstraints, sizeof(mb_constraint));
    const int hidden = of->events ? of->events->noutputs : 0;
    m->output = copied(arena, of->output, m->noutputs + hidden, sizeof(mb_output));
    m->event = copied(arena, of->events ? of->events->item : NULL, dal_model_event_count(of), sizeof(mb_event));
    m->seen_inputs = dal_arena_reals(arena, hidden);
    m->r_impulse = dal_arena_reals(arena, of->events ? m->nv : 0);
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &of->force[k];
        const int n = f->input ? f->d.ninputs : 0;
        mb_input *input = copied(arena, f->input, n, sizeof *input);
        dal_input *given = copied(arena, f->given, n, sizeof *given);
        if (m->force && f->input) {
            m->force[k].input = input;
            m->force[k].given = given;
        }
    }
    const int nfunctions = of->function_names.n;
    int longest = 0;
    m->function = copied(arena, of->function, nfunctions > 0 ? nfunctions + 1 : 0, sizeof(mb_function));
    for (int k = 1; k <= nfunctions; ++k) {
        double *c = copied(arena, of->function[k].c, of->function[k].nc, sizeof(double));
        if (m->function) {
            m->function[k].c = c;
        }
        longest = of->function[k].n > longest ? of->function[k].n : longest;
    }
    mb_curves_carve(m, arena);
    m->table = dal_arena_reals(arena, MB_TABLE_SCRATCH * longest);
}

static void restore_bodies(mb_instance *m)
{
    memcpy(m->desc, m->of->body_desc, (size_t)m->nbodies * sizeof(dal_body));
    for (int i = 0; i < m->nbodies; ++i) {
        const mb_body *given = &m->of->body[i];
        mb_body *b = &m->body[i];
        if (given->flex && b->bent && given->unit == i) {
            const size_t size = (size_t)given->flex->n * sizeof(double);
            memcpy(b->bent->z0, given->flex->z0, size);
            memcpy(b->bent->zd0, given->flex->zd0, size);
        } else if (!given->flex) {
            mb_body_numbers(b, &m->desc[i]);
        }
    }
}

void mb_instance_restore(mb_instance *m)
{
    const dal_model *of = m->of;
    copy3(m->gravity, of->gravity);
    restore_bodies(m);
    for (int k = 0; k < m->njoints; ++k) {
        struct mb_curve *curve = m->joint[k].curve;
        m->joint[k] = of->joint[k];
        m->joint[k].curve = curve;
    }
    for (int k = 0; k < m->nforces; ++k) {
        mb_force *f = &m->force[k], made = of->force[k];
        if (made.input) {
            memcpy(f->input, made.input, (size_t)made.d.ninputs * sizeof *f->input);
            memcpy(f->given, made.given, (size_t)made.d.ninputs * sizeof *f->given);
            made.input = f->input;
            made.given = f->given;
        }
        made.curve = f->curve;
        *f = made;
    }
    for (int k = 1; k <= of->function_names.n; ++k) {
        mb_function *f = &m->function[k], made = of->function[k];
        memcpy(f->c, made.c, (size_t)made.nc * sizeof(double));
        made.c = f->c;
        *f = made;
    }
    memcpy(m->output, of->output, (size_t)m->noutputs * sizeof *m->output);
    for (int k = 0; k < dal_model_event_count(of); ++k) {
        m->event[k] = of->events->item[k];
    }
    m->changed = 0;
    m->unsettled = 1;
}

static int count_weights(const dal_model *m)
{
    int n = 0;
    for (int k = 0; k < m->nspans; ++k) {
        n += m->span[k].dM != NULL;
    }
    return n;
}

/* Is there an element with mass between frames? */
static int has_mass(const mb_instance *m)
{
    for (int k = 0; k < m->nforces; ++k) {
        if (m->of->force[k].type->element.mass) {
            return 1;
        }
    }
    return m->of->nspans > 0 && count_weights(m->of) > 0;
}

/* What the frames of bodies need while they are evaluated. */
static void carve_bodies(mb_instance *m, dal_arena *arena)
{
    const dal_model *of = m->of;
    const int n = m->nbodies, massive = has_mass(m);
    m->state = dal_arena_take(arena, (size_t)n, sizeof(mb_state));
    double *KC = dal_arena_reals(arena, 72 * n), *M = dal_arena_reals(arena, massive ? 36 * n : 0);
    mb_lift *lift = dal_arena_take(arena, (size_t)m->nlifted, sizeof(mb_lift));
    double *S = dal_arena_reals(arena, 24 * of->nv_lifted);
    mb_flex_state *bent = dal_arena_take(arena, (size_t)n, sizeof(mb_flex_state));
    for (int i = 0, k = 0; i < n; ++i) {
        const mb_body *given = &of->body[i];
        if (given->flex && given->unit == i) {
            mb_flex_state_carve(bent ? &bent[i] : NULL, arena, given->flex->n);
        }
        if (!KC) {
            continue;
        }
        mb_body *b = &m->body[i];
        b->state = &m->state[i];
        b->bent = b->flex ? &bent[b->unit] : NULL;
        if (bent && b->flex && b->unit == i) {
            memcpy(b->bent->z0, b->flex->z0, (size_t)b->flex->n * sizeof(double));
            memcpy(b->bent->zd0, b->flex->zd0, (size_t)b->flex->n * sizeof(double));
        }
        b->K = KC + (size_t)(72 * i);
        b->C = KC + (size_t)(72 * i) + 36;
        b->M = massive ? M + (size_t)(36 * i) : NULL;
        if (i > 0 && !b->type->identity) {
            const size_t size = 6 * (size_t)b->nv;
            b->lift = &lift[k++];
            *b->lift = (mb_lift){S, S + size, S + 2 * size, S + 3 * size, MB_LIFT_NONE};
            memset(S, 0, 4 * size * sizeof *S);
            S += 4 * size;
        }
    }
}

static void carve_scratch(mb_instance *m, dal_arena *arena)
{
    const int nv = m->of->most;
    mb_scratch *w = &m->scratch;
    double **wide[] = {&w->X, &w->Y, &w->W, &w->B, &w->Z};
    for (int k = 0; k < 5; ++k) {
        *wide[k] = dal_arena_reals(arena, (k < 3 ? 6 : MB_ROWS_MAX) * nv);
    }
    double **square[] = {&w->M, &w->C, &w->K, &w->N, &w->part[0], &w->part[1], &w->part[2]};
    for (int k = 0; k < 7; ++k) {
        *square[k] = dal_arena_reals(arena, nv * nv);
    }
    m->q0 = dal_arena_reals(arena, m->of->group->nq);
    m->v0 = dal_arena_reals(arena, m->nv);
    m->seen_q = dal_arena_reals(arena, m->of->group->nq);
    m->seen_v = dal_arena_reals(arena, m->nv);
    m->seen_vd = dal_arena_reals(arena, m->nv);
    m->r = dal_arena_reals(arena, m->nv);
    m->summed_la = dal_arena_reals(arena, m->nc);
    m->rows = dal_arena_reals(arena, 3 * m->nc);
    m->remembers = dal_arena_ints(arena, m->noutputs + (m->of->events ? m->of->events->noutputs : 0));
}

/* Bodies come first, then forces, states and beams, then rows: see mb_tangent. */
static void carve_list(mb_instance *m, dal_arena *arena)
{
    m->first_force = m->nbodies - 1;
    const dal_model *of = m->of;
    m->first_rows = m->first_force + m->nforces + of->nspans + of->nlines + count_weights(of);
    for (int b = 0; b < of->beam_names.n; ++b) {
        m->first_rows += of->beam[b].nguides;
    }
    m->nelements = m->first_rows + m->nconstraints;
    mb_element *list = m->element = dal_arena_take(arena, (size_t)m->nelements, sizeof *list);
    if (!list) {
        return;
    }
    for (int i = 1; i < m->nbodies; ++i) {
        *list++ = (mb_element){m->body[i].type->element, &m->body[i], NULL, -1};
    }
    for (int k = 0; k < m->nforces; ++k) {
        mb_force *f = &m->force[k];
        *list++ = (mb_element){&f->type->element, f, f->d.switched || f->switching > 0 ? f : NULL, -1};
    }
    for (int k = 0; k < of->nspans; ++k) {
        *list++ = (mb_element){&mb_element_span, &of->span[k], NULL, -1};
    }
    for (int k = 0; k < of->nspans; ++k) {
        if (of->span[k].dM) {
            *list++ = (mb_element){&mb_element_weight, &of->span[k], NULL, -1};
        }
    }
    for (int k = 0; k < of->nlines; ++k) {
        *list++ = (mb_element){&mb_element_line, &of->line[k], NULL, -1};
    }
    for (int b = 0; b < of->beam_names.n; ++b) {
        for (int k = 0; k < of->beam[b].nslides; ++k) {
            if (of->beam[b].slide[k].guide) {
                *list++ = (mb_element){&mb_element_guide, &of->beam[b].slide[k], NULL, -1};
            }
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const int j = m->constraint[k].joint,
                  opens = j >= 0 && m->joint && (m->joint[j].d.release != 0.0 || m->joint[j].switching > 0);
        *list++ = (mb_element){m->constraint[k].type, &m->constraint[k], NULL, opens ? j : -1};
    }
}

static void carve(mb_instance *m, dal_arena *arena)
{
    carve_elements(m, arena);
    carve_bodies(m, arena);
    carve_list(m, arena);
    carve_scratch(m, arena);
}

dal_status mb_instance_create(mb_instance **out, dal_ctx *ctx, double *memory, const dal_model *of)
{
    *out = NULL;
    mb_instance *m = dal_alloc_zero(ctx, sizeof *m);
    if (!m) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the model of a simulation");
    }
    m->ctx = ctx;
    m->of = of;
    m->memory = memory;
    m->nbodies = of->body_names.n;
    m->njoints = of->joint_names.n;
    m->nforces = of->force_names.n;
    m->noutputs = of->output_names.n;
    m->nconstraints = of->nconstraints;
    m->nv = of->group->nv;
    m->nc = of->nc;
    m->nlifted = of->nlifted;
    m->ncurved = of->ncurved;
    m->lifted = of->lifted;
    copy3(m->gravity, of->gravity);
    m->arena = dal_arena_init(ctx);
    carve(m, &m->arena);
    const dal_status st = dal_arena_reserve(&m->arena);
    if (st != DAL_OK) {
        dal_free(ctx, m);
        return st;
    }
    carve(m, &m->arena);
    for (int k = 0; k < m->noutputs + (of->events ? of->events->noutputs : 0); ++k) {
        const mb_output *o = &m->output[k];
        if (o->row.memory > 0 || o->turning > 0 || o->memory > 0) {
            m->remembers[m->nremembers++] = k;
        }
    }
    m->body[0].r6 = m->body[0].own6;
    add_unit(m->state[0].R, 1.0);
    *out = m;
    return DAL_OK;
}

void mb_instance_destroy(mb_instance *m)
{
    if (m) {
        mb_crowd_work_destroy(m->crowd, m->ctx);
        dal_arena_release(&m->arena);
        dal_free(m->ctx, m);
    }
}

dal_status mb_data_or_own(dal_data **own, const dal_model *m, dal_data **data)
{
    *own = NULL;
    if (!m->compiled) {
        return dal_fail(m->ctx, DAL_EINVAL, "model: this needs a compiled model; call dal_model_compile");
    }
    if (!*data) {
        DAL_TRY(dal_data_create(own, m->ctx, &m->system));
        *data = *own;
    }
    return DAL_OK;
}

dal_status mb_instance_of(mb_instance **out, const dal_model *m, dal_data *data)
{
    *out = NULL;
    if (data->sys != &m->system) {
        return dal_fail(data->ctx, DAL_EINVAL,
                        "the data given is not that of a simulation of this model; take dal_sim_data of one, or "
                        "dal_data_create");
    }
    *out = data->work;
    return DAL_OK;
}
