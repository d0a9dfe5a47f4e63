/* From the description to a dal_system: coordinates, rows, and which blocks exist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mbs/compile_impl.h"

/* ---- coordinates ------------------------------------------------------------------------------ */

static dal_status create_group(dal_model *m)
{
    const int n = m->body_names.n - 1;
    if (n < 1) {
        return dal_fail(m->ctx, DAL_EINVAL, "model: there is no body; add one");
    }
    int nfactors = n;
    for (int k = 0; k < m->force_names.n; ++k) {
        m->force[k].factor = m->force[k].type->integral ? nfactors++ : -1;
    }
    dal_factor_spec *spec = dal_alloc_zero(m->ctx, (size_t)nfactors * sizeof *spec);
    if (!spec) {
        return dal_fail(m->ctx, DAL_ENOMEM, "model: no memory to compile");
    }
    for (int i = 0; i < n; ++i) {
        spec[i] = (dal_factor_spec){m->body[i + 1].type->kind, m->body[i + 1].type->n};
    }
    for (int i = n; i < nfactors; ++i) {
        spec[i] = (dal_factor_spec){DAL_RN, 1};
    }
    const dal_status st = dal_group_create(&m->group, m->ctx, spec, nfactors);
    dal_free(m->ctx, spec);
    return st;
}

static void carve_bodies(dal_model *m, dal_arena *arena)
{
    const int n = m->body_names.n;
    m->state = dal_arena_take(arena, (size_t)n, sizeof(mb_state));
    m->q0 = dal_arena_reals(arena, m->group->nq);
    m->v0 = dal_arena_reals(arena, m->group->nv);
    m->r = dal_arena_reals(arena, m->group->nv);
    m->lifted = dal_arena_ints(arena, m->nlifted);
    double *KC = dal_arena_reals(arena, 72 * n);
    mb_lift *lift = dal_arena_take(arena, (size_t)m->nlifted, sizeof(mb_lift));
    for (int i = 0, k = 0; i < n && KC; ++i) {
        m->body[i].K = KC + (size_t)(72 * i);
        m->body[i].C = KC + (size_t)(72 * i) + 36;
        if (i > 0 && !m->body[i].type->identity) {
            m->lifted[k] = i;
            m->body[i].lift = &lift[k++];
        }
    }
}

static dal_status place_bodies(dal_model *m)
{
    DAL_TRY(create_group(m));
    for (int i = 1; i < m->body_names.n; ++i) {
        const dal_factor *f = &m->group->factor[i - 1];
        mb_body *b = &m->body[i];
        b->factor = i - 1;
        b->q = f->q;
        b->v = f->v;
        m->nlifted += !b->type->identity;
        m->ncurved += !b->type->constant;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        f->q = f->factor < 0 ? -1 : m->group->factor[f->factor].q;
        f->v = f->factor < 0 ? -1 : m->group->factor[f->factor].v;
    }
    carve_bodies(m, &m->arena);
    DAL_TRY(dal_arena_reserve(&m->arena));
    carve_bodies(m, &m->arena);
    m->nv = m->group->nv;
    m->body[0].r6 = m->body[0].own6;
    add_unit(m->state[0].R, 1.0);
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        b->type->initial(m->q0 + b->q, m->v0 + b->v, b, &m->body_desc[i]);
        double largest = 0.0;
        for (int k = 0; k < b->type->nv; ++k) {
            largest = fmax(largest, fabs(m->v0[b->v + k]));
        }
        if (!(largest < 1e12) || !mb_norm_ok(m->v0 + b->v, b->type->nv)) {
            return dal_fail(m->ctx, DAL_EINVAL,
                            "body '%s': its coordinates are singular at the initial rotation; "
                            "choose another sequence of angles or another type",
                            m->body_names.name[i]);
        }
    }
    mb_states(m, &(dal_point){0.0, m->q0, m->v0, m->r, NULL});
    mb_pid_start(m);
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
        if (m->force[k].factor >= 0) {
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

/* A pair that somebody needs, and where to note its number. */
typedef struct request {
    int i, j, order;
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

/* Factors a and b; -1 is the ground. */
static int ask(request *list, int n, int a, int b, int *number)
{
    *number = -1;
    if (a >= 0 && b >= 0 && a != b) {
        if (list) {
            list[n] = (request){a, b, n, number};
        }
        return n + 1;
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
                n = ask(list, n, m->body[c->body[i]].factor, m->body[c->body[j]].factor, &c->pair[i][j]);
            }
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        const int a = m->body[f->marker[0].body].factor, b = m->body[f->marker[1].body].factor;
        f->pair[0] = f->pair[1] = -1;
        if (f->type->pairs) {
            n = ask(list, n, a, b, &f->pair[0]);
            n = ask(list, n, b, a, &f->pair[1]);
            n = ask(list, n, a, f->factor, &f->pair_integral[0]);
            n = ask(list, n, b, f->factor, &f->pair_integral[1]);
        }
    }
    return n;
}

/* Number the links of a constraint, the same for sides on one body. */
static int number_links(mb_constraint *c, int n)
{
    for (int i = 0; i < c->nsides; ++i) {
        c->link[i] = -1;
        for (int k = 0; k < i && c->body[i] > 0; ++k) {
            c->link[i] = c->body[k] == c->body[i] ? c->link[k] : c->link[i];
        }
        if (c->body[i] > 0 && c->link[i] < 0) {
            c->link[i] = n++;
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
    m->rows = dal_arena_reals(arena, 3 * m->nc);
}

static void fill_structure(dal_model *m, request *list, int nrequests)
{
    const int nbodies = m->body_names.n - 1;
    int npairs = 0;
    for (int i = 0; i < nbodies; ++i) {
        m->body[i + 1].pair = npairs;
        m->pair[npairs++] = (dal_pair){i, i};
    }
    for (int k = 0; k < nrequests; ++k) {
        if (k == 0 || list[k].i != list[k - 1].i || list[k].j != list[k - 1].j) {
            m->pair[npairs++] = (dal_pair){list[k].i, list[k].j};
        }
        *list[k].number = npairs - 1;
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        m->block[k] = (dal_constraint){c->nrows, c->nonholonomic};
        for (int i = 0; i < c->nsides; ++i) {
            if (c->link[i] >= 0) {
                m->link[c->link[i]] = (dal_link){k, m->body[c->body[i]].factor};
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
        nlinks = number_links(&m->constraint[k], nlinks);
    }
    const int nrequests = ask_all(NULL, m);
    request *list = dal_alloc(m->ctx, (size_t)nrequests * sizeof *list);
    if (!list) {
        return dal_fail(m->ctx, DAL_ENOMEM, "model: no memory to compile");
    }
    (void)ask_all(list, m);
    qsort(list, (size_t)nrequests, sizeof *list, compare_requests);
    m->structure = dal_arena_new(m->ctx);
    carve_structure(m, &m->structure, m->body_names.n - 1 + nrequests, nlinks);
    const dal_status st = dal_arena_reserve(&m->structure);
    if (st == DAL_OK) {
        carve_structure(m, &m->structure, m->body_names.n - 1 + nrequests, nlinks);
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
    const mb_row *r = &c->row[k - c->npoint < MB_ROWS ? k - c->npoint : 0];
    if (k - c->npoint >= c->nscalar) {
        snprintf(buffer, size, "row %d", k);
    } else if (r->type == &mb_row_dot) {
        snprintf(buffer, size, "axes %c.%c", 'x' + r->i, 'x' + r->j);
    } else if (r->type == &mb_row_axis || r->type == &mb_row_angle || r->type->nonholonomic) {
        snprintf(buffer, size, "%s %c", r->type->name, 'x' + (r->type == &mb_row_edge ? r->j : r->i));
    } else {
        snprintf(buffer, size, "%s", r->type->name);
    }
}

static void row_name(char *buffer, size_t size, int row, void *user)
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

static void velocity_name(char *buffer, size_t size, int index, void *user)
{
    const dal_model *m = user;
    int lo = 1, hi = m->body_names.n;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(m->body[mid].v <= index ? &lo : &hi) = mid;
    }
    const int k = index - m->body[lo].v;
    if (k < m->body[lo].type->nv) {
        snprintf(buffer, size, "%s.%s", m->body_names.name[lo], m->body[lo].type->velocity[k]);
        return;
    }
    for (int f = 0; f < m->force_names.n; ++f) {
        if (m->force[f].v == index) {
            snprintf(buffer, size, "%s.integral", m->force_names.name[f]);
        }
    }
}

/* ---- all together ----------------------------------------------------------------------------- */

static dal_status compile(dal_model *m)
{
    DAL_TRY(place_bodies(m));
    DAL_TRY(list_rows(m));
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
    s->user = m;
    return dal_system_validate(m->ctx, s);
}

dal_status dal_model_compile(dal_model *model, const dal_system **system)
{
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
            model->nlifted = model->ncurved = 0;
            return st;
        }
        model->compiled = 1;
    }
    *system = &model->system;
    return DAL_OK;
}

dal_model_summary dal_model_report(const dal_model *model)
{
    dal_model_summary s = {.bodies = model->body_names.n - 1,
                           .joints = model->joint_names.n,
                           .forces = model->force_names.n,
                           .velocities = model->nv,
                           .rows = model->nc};
    for (int k = 0; k < model->nconstraints; ++k) {
        s.holonomic += model->constraint[k].nonholonomic ? 0 : model->constraint[k].nrows;
    }
    s.freedoms = s.velocities - s.rows;
    return s;
}

dal_status dal_model_joint_rows(const dal_model *model, int joint, int *first, int *n)
{
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
static double joint_gap(const dal_model *m, int joint, int *row)
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

dal_status dal_model_open_joints(dal_model *model, double t, const double *q, double tol, int *count, char *buffer,
                                 size_t size)
{
    if (!model->compiled) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: compile it before asking for its joints");
    }
    // velocities do not matter for Phi: any array of the right size will do
    const dal_residual out = {.Phi = model->rows};
    DAL_TRY(mb_residual(&out, &(dal_point){t, q, model->v0, model->v0, model->rows}, model));
    size_t used = 0;
    *count = 0;
    for (int k = 0; k < model->joint_names.n; ++k) {
        int row = 0;
        const double gap = joint_gap(model, k, &row);
        if (gap > tol || isnan(gap)) {
            char name[128];
            row_name(name, sizeof name, row, model);
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
