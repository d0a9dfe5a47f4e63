/* From the description to a dal_system: coordinates, rows, and which blocks exist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"

/* ---- coordinates ------------------------------------------------------------------------------ */

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
    const int nbodyfactors = nfactors;
    for (int k = 0; k < m->force_names.n; ++k) {
        const mb_force_type *type = m->force[k].type;
        m->force[k].factor = type->integral || type->own ? nfactors++ : -1;
        m->force[k].pair_own = type->own ? npairs++ : -1;
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
            spec[b->factor + 1] = (dal_factor_spec){DAL_RN, b->flex->n};
        }
    }
    for (int i = nbodyfactors; i < nfactors; ++i) {
        spec[i] = (dal_factor_spec){DAL_RN, 1};
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
}

/* Where the bodies and the integrals of pids are in q and v. */
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
    return DAL_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

dal_status mb_add_constraint(dal_model *m, const mb_constraint *c)
{
    DAL_TRY(mb_grow((void **)&m->constraint, &m->constraint_capacity, m->nconstraints, sizeof(mb_constraint), m->ctx));
    m->constraint[m->nconstraints++] = *c;
    return DAL_OK;
}

static dal_status list_rows(dal_model *m)
{
    m->nconstraints = 0;
    for (int k = 0; k < m->joint_names.n; ++k) {
        m->joint[k].first = m->nconstraints;
        DAL_TRY(mb_joint_build(m, k));
        m->joint[k].count = m->nconstraints - m->joint[k].first;
    }
    for (int i = 1; i < m->body_names.n; ++i) {
        if (m->body[i].type == &mb_body_euler) {
            const mb_constraint c = {.type = &mb_constraint_norm,
                                     .joint = -1,
                                     .force = -1,
                                     .nsides = 2,
                                     .nrows = 1,
                                     .body = {0, i},
                                     .marker = {{.body = 0}, {.body = i}}};
            DAL_TRY(mb_add_constraint(m, &c));
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].type->integral) {
            const int a = m->force[k].marker[0].body, b = m->force[k].marker[1].body;
            const mb_constraint c = {.type = &mb_constraint_integral,
                                     .joint = -1,
                                     .force = k,
                                     .nsides = 2,
                                     .nrows = 1,
                                     .nonholonomic = 1,
                                     .body = {a, b}};
            DAL_TRY(mb_add_constraint(m, &c));
        }
    }
    m->nc = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        m->constraint[k].block = k;
        m->constraint[k].row0 = m->nc;
        m->nc += m->constraint[k].nrows;
    }
    return DAL_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* A pair that somebody needs, and where to note its number: first factors of two bodies and how many each has. The pairs
 * of their factors follow each other: (i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1). */
typedef struct request {
    int i, j, ni, nj, order;
    int *number;
} request;

static int compare_requests(const void *a, const void *b)
{
    const request *x = a, *y = b;
    if (x->i != y->i) {
        return x->i < y->i ? -1 : 1;
    }
    if (x->j != y->j) {
        return x->j < y->j ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

/* Bodies a and b: none for the ground; within one unit there is a pair already. */
static int ask(request *list, int n, const mb_body *a, const mb_body *b, int *number)
{
    *number = -1;
    if (a->factor < 0 || b->factor < 0 || a->factor == b->factor) {
        *number = a->factor == b->factor ? a->pair : -1;
        return n;
    }
    if (list) {
        list[n] = (request){a->factor, b->factor, a->nfactors, b->nfactors, n, number};
    }
    return n + 1;
}

/* The coordinate of a pid or a state in the guise of a body. */
static mb_body coordinate_of(const mb_force *f)
{
    return (mb_body){.factor = f->factor, .nfactors = 1, .pair = f->pair_own};
}

/* The bodies of a law, or a state, depend on those of its inputs. */
static int ask_inputs(request *list, int n, const dal_model *m, mb_force *f)
{
    const mb_body own = coordinate_of(f);
    for (int k = 0; f->input && k < 4 * f->d.ninputs; ++k) {
        mb_input *in = &f->input[k / 4];
        const int i = k / 2 % 2, j = k % 2;
        const mb_body state = in->state >= 0 ? coordinate_of(&m->force[in->state]) : own;
        const mb_body *row = f->type->own ? &own : &m->body[f->marker[i].body];
        const mb_body *column = in->state >= 0 ? &state : &m->body[in->marker[j].body];
        in->pair[i][j] = -1;
        if ((i == 0 || !f->type->own) && (j == 0 || in->state < 0)) {
            n = ask(list, n, row, column, &in->pair[i][j]);
        }
    }
    return n;
}

/* All requests for pairs of two bodies; without a list they are counted. */
static int ask_all(request *list, dal_model *m)
{
    int n = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        mb_constraint *c = &m->constraint[k];
        for (int i = 0; i < c->nsides && c->coupled; ++i) {
            for (int j = 0; j < c->nsides; ++j) {
                n = ask(list, n, &m->body[c->body[i]], &m->body[c->body[j]], &c->pair[i][j]);
            }
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        const mb_body *a = &m->body[f->marker[0].body], *b = &m->body[f->marker[1].body], integral = coordinate_of(f);
        f->pair[0] = f->pair[1] = -1;
        if (f->type->pairs) {
            n = ask(list, n, a, b, &f->pair[0]);
            n = ask(list, n, b, a, &f->pair[1]);
            n = ask(list, n, a, &integral, &f->pair_integral[0]);
            n = ask(list, n, b, &integral, &f->pair_integral[1]);
        }
        n = ask_inputs(list, n, m, f);
    }
    return n;
}

/* Number the links of a constraint, the same for sides on one body; a second factor has the next number. */
static int number_links(const dal_model *m, mb_constraint *c, int n)
{
    for (int i = 0; i < c->nsides; ++i) {
        const mb_body *b = &m->body[c->body[i]];
        c->link[i] = -1;
        for (int k = 0; k < i && c->body[i] > 0; ++k) {
            c->link[i] = m->body[c->body[k]].unit == b->unit ? c->link[k] : c->link[i];
        }
        if (c->body[i] > 0 && c->link[i] < 0) {
            c->link[i] = n;
            n += b->nfactors;
        }
    }
    c->link_integral = c->force >= 0 ? n++ : -1;
    return n;
}

static void carve_structure(dal_model *m, dal_arena *arena, int npairs, int nlinks)
{
    m->block = dal_arena_take(arena, (size_t)m->nconstraints, sizeof(dal_constraint));
    m->pair = dal_arena_take(arena, (size_t)npairs, sizeof(dal_pair));
    m->link = dal_arena_take(arena, (size_t)nlinks, sizeof(dal_link));
}

/* Pairs of ni factors from i on with nj factors from j on. */
static int add_pairs(dal_pair *pair, int n, int i, int ni, int j, int nj)
{
    for (int a = 0; a < ni; ++a) {
        for (int b = 0; b < nj; ++b) {
            pair[n++] = (dal_pair){i + a, j + b};
        }
    }
    return n;
}

static void fill_structure(dal_model *m, request *list, int nrequests)
{
    int npairs = 0, first = 0;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        npairs = b->unit == i ? add_pairs(m->pair, npairs, b->factor, b->nfactors, b->factor, b->nfactors) : npairs;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        const mb_force *f = &m->force[k];
        npairs = f->type->own ? add_pairs(m->pair, npairs, f->factor, 1, f->factor, 1) : npairs;
    }
    for (int k = 0; k < nrequests; ++k) {
        const request *r = &list[k];
        if (k == 0 || r->i != r[-1].i || r->j != r[-1].j) {
            first = npairs;
            npairs = add_pairs(m->pair, npairs, r->i, r->ni, r->j, r->nj);
        }
        *r->number = first;
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        m->block[k] = (dal_constraint){c->nrows, c->nonholonomic};
        for (int i = 0; i < c->nsides; ++i) {
            const mb_body *b = &m->body[c->body[i]];
            for (int f = 0; f < b->nfactors && c->link[i] >= 0; ++f) {
                m->link[c->link[i] + f] = (dal_link){k, b->factor + f};
            }
        }
        if (c->force >= 0) {
            m->link[c->link_integral] = (dal_link){k, m->force[c->force].factor};
        }
    }
    m->system.npairs = npairs;
}

static dal_status create_structure(dal_model *m)
{
    int nlinks = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        nlinks = number_links(m, &m->constraint[k], nlinks);
    }
    const int nrequests = ask_all(NULL, m);
    request *list = dal_alloc(m->ctx, (size_t)nrequests * sizeof *list);
    if (!list) {
        return dal_fail(m->ctx, DAL_ENOMEM, "model: no memory to compile");
    }
    (void)ask_all(list, m);
    qsort(list, (size_t)nrequests, sizeof *list, compare_requests);
    m->structure = dal_arena_new(m->ctx);
    carve_structure(m, &m->structure, m->ndiagonal + 4 * nrequests, nlinks);
    const dal_status st = dal_arena_reserve(&m->structure);
    if (st == DAL_OK) {
        carve_structure(m, &m->structure, m->ndiagonal + 4 * nrequests, nlinks);
        fill_structure(m, list, nrequests);
    }
    dal_free(m->ctx, list);
    m->system.nlinks = nlinks;
    return st;
}

/* ---- names ------------------------------------------------------------------------------------ */

/* What a row of a joint holds: "point x", "axes x.z" (of A and of B), "along y" (of A), "height" ... */
static void row_text(char *buffer, size_t size, const mb_constraint *c, int k)
{
    if (k < c->npoint) {
        snprintf(buffer, size, "point %c", 'x' + k);
        return;
    }
    if (k - c->npoint >= c->nscalar) {
        snprintf(buffer, size, "row %d", k);
    } else {
        mb_row_text(buffer, size, &c->row[k - c->npoint]);
    }
}

static void row_name(char *buffer, size_t size, int row, const void *user)
{
    const dal_model *m = user;
    char text[32];
    int lo = 0, hi = m->nconstraints; // the block that holds the row
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(m->constraint[mid].row0 <= row ? &lo : &hi) = mid;
    }
    const mb_constraint *c = &m->constraint[lo];
    if (c->force >= 0) {
        snprintf(buffer, size, "force '%s': integral", m->force_names.name[c->force]);
        return;
    }
    if (c->joint < 0) {
        snprintf(buffer, size, "body '%s': normalisation", m->body_names.name[c->body[1]]);
        return;
    }
    row_text(text, sizeof text, c, row - c->row0);
    snprintf(buffer, size, "joint '%s': %s", m->joint_names.name[c->joint], text);
}

static void velocity_name(char *buffer, size_t size, int index, const void *user)
{
    const dal_model *m = user;
    int lo = 1, hi = m->body_names.n;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(m->body[mid].v <= index ? &lo : &hi) = mid;
    }
    lo = m->body[lo].unit;
    const mb_body *b = &m->body[lo];
    const int k = index - b->v, modes = b->flex ? b->flex->n : 0;
    if (k < b->type->nv) {
        snprintf(buffer, size, "%s.%s", m->body_names.name[lo], b->type->velocity[k]);
        return;
    }
    if (k < b->type->nv + modes) {
        snprintf(buffer, size, "%s.mode %d", m->body_names.name[lo], k - b->type->nv + 1);
        return;
    }
    for (int f = 0; f < m->force_names.n; ++f) {
        if (m->force[f].v == index) {
            snprintf(buffer, size, "%s.%s", m->force_names.name[f], m->force[f].type->own ? "state" : "integral");
        }
    }
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
        memcpy(m->q0, draft->q0, (size_t)m->group->nq * sizeof(double));
        memcpy(m->v0, draft->v0, (size_t)m->nv * sizeof(double));
    }
    mb_instance_destroy(draft);
    return st;
}

static int is_state(int index, const void *user)
{
    const dal_model *m = user;
    int found = 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        found |= m->force[k].type->own && m->force[k].v == index;
    }
    return found;
}

static dal_status compile(dal_model *m)
{
    DAL_TRY(mb_find_states(m));
    DAL_TRY(place(m));
    DAL_TRY(list_rows(m));
    DAL_TRY(settle(m));
    DAL_TRY(create_structure(m));
    int lambda_in_g = 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        lambda_in_g |= m->force[k].type->lambda;
    }
    dal_system *s = &m->system;
    s->group = m->group;
    s->nconstraints = m->nconstraints;
    s->constraint = m->block;
    s->pair = m->pair;
    s->link = m->link;
    s->provides = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A;
    s->provides |= lambda_in_g ? DAL_WANT_G : 0U;
    s->lambda_in_g = lambda_in_g;
    s->residual = mb_residual;
    s->tangent = mb_tangent;
    s->energy = mb_energy;
    s->row_name = row_name;
    s->velocity_name = velocity_name;
    s->coordinates = mb_has_singular_coordinates(m) ? mb_coordinates : NULL;
    s->culprit = mb_culprit;
    mb_memory_layout(m);
    s->create = create_instance;
    s->destroy = destroy_instance;
    s->next_break = mb_next_break;
    s->numbers = mb_numbers;
    s->set_numbers = mb_set_numbers;
    s->is_state = is_state;
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
            // back to a model that can be mended
            dal_arena_release(&model->arena);
            dal_arena_release(&model->structure);
            dal_group_destroy(model->group);
            model->arena = dal_arena_new(model->ctx);
            model->group = NULL;
            model->nlifted = model->ncurved = model->nv_lifted = 0;
            return st;
        }
        model->compiled = 1;
    }
    *system = &model->system;
    return DAL_OK;
}

dal_status dal_model_joint_rows(const dal_model *model, int joint, int *first, int *n)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, first);
    DAL_NEED(model->ctx, n);
    if (!model->compiled || joint < 0 || joint >= model->joint_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: joint number %d of a compiled model asked for", joint);
    }
    const mb_joint *j = &model->joint[joint];
    *first = model->constraint[j->first].row0;
    *n = 0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        *n += model->constraint[k].nrows;
    }
    return DAL_OK;
}

/* ---- joints that are not closed ----------------------------------------------------------------- */

/* Largest |Phi| of a joint's rows, and which row. */
static double joint_gap(const mb_instance *m, int joint, int *row)
{
    const mb_joint *j = &m->joint[joint];
    double gap = 0.0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &m->constraint[k];
        for (int i = c->row0; i < c->row0 + c->nrows && !c->nonholonomic; ++i) {
            if (!(fabs(m->rows[i]) <= gap)) {
                gap = fabs(m->rows[i]);
                *row = i;
            }
        }
    }
    return gap;
}

static dal_status open_joints(mb_instance *m, double t, const double *q, double tol, int *count, char *buffer,
                              size_t size)
{
    // velocities do not matter for Phi: any array of the right size will do
    const dal_residual out = {.Phi = m->rows};
    DAL_TRY(mb_residual(&out, &(dal_point){t, q, m->of->v0, m->of->v0, m->rows}, m->of, m));
    size_t used = 0;
    *count = 0;
    for (int k = 0; k < m->njoints; ++k) {
        int row = 0;
        const double gap = joint_gap(m, k, &row);
        if (gap > tol || isnan(gap)) {
            char name[128];
            row_name(name, sizeof name, row, m->of);
            const int n = snprintf(used < size ? buffer + used : NULL, used < size ? size - used : 0, "%s%s by %.3g",
                                   *count > 0 ? ", " : "", name, gap);
            used += n > 0 ? (size_t)n : 0;
            ++*count;
        }
    }
    if (*count == 0 && size > 0) {
        buffer[0] = 0;
    }
    return DAL_OK;
}

dal_status dal_model_open_joints(const dal_model *model, dal_data *data, double t, const double *q, double tol,
                                 int *count, char *buffer, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, q);
    DAL_NEED(model->ctx, count);
    if (size > 0) {
        DAL_NEED(model->ctx, buffer);
    }
    dal_data *own;
    mb_instance *m;
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    if (st == DAL_OK) {
        st = open_joints(m, t, q, tol, count, buffer, size);
    }
    dal_data_destroy(own);
    return st;
}
