/* Programs: their text, and the numbers of the members that run in them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "generate/generate_impl.h"
#include "io/follow.h"
#include "sim/left_out.h"
#include "system/data.h"

static char *copy_text(dal_ctx *ctx, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *to = dal_alloc_zero(ctx, n);
    if (to) {
        memcpy(to, text, n);
    }
    return to;
}

static dal_status copy_texts(dal_ctx *ctx, char ***to, const char *const *from, int n)
{
    *to = dal_alloc_zero(ctx, (size_t)(n + 1) * sizeof **to);
    for (int i = 0; *to && i < n; ++i) {
        (*to)[i] = copy_text(ctx, from[i]);
        if (!(*to)[i]) {
            return dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the names of the program");
        }
    }
    return *to ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the names of the program");
}

static void free_texts(dal_ctx *ctx, char **text, int n)
{
    for (int i = 0; text && i < n; ++i) {
        dal_free(ctx, text[i]);
    }
    dal_free(ctx, text);
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Values of the parameters in the model: they are variables of it. */
static dal_status own_values(const dal_program *p, double *own)
{
    for (int i = 0; i < p->nparameters; ++i) {
        int found = 0;
        for (int k = 0; k < dal_document_variable_count(p->doc); ++k) {
            const dal_variable v = dal_document_variable(p->doc, k);
            if (strcmp(v.name, p->parameter[i]) == 0) {
                own[i] = v.value;
                found = 1;
            }
        }
        if (!found) {
            return dal_fail(p->ctx, DAL_EINVAL, "generate: the model has no variable '%s'", p->parameter[i]);
        }
    }
    return DAL_OK;
}

static dal_status open_model(dal_program *p, const char *source, const char *const *set, int nset, double *own)
{
    DAL_TRY(dal_document_open(&p->own_doc, p->ctx, source, set, nset));
    p->doc = p->own_doc;
    DAL_TRY(own_values(p, own));
    const dal_status st =
        dal_binding_create(&p->own_binding, p->ctx, p->doc, (const char *const *)p->parameter, p->nparameters);
    if (st != DAL_OK) {
        return dal_fail_in(p->ctx, st, "generate: parameters");
    }
    p->binding = p->own_binding;
    return DAL_OK;
}

/* ---- numbers that were printed ---------------------------------------------------------------- */

/* All simulations of a compiled model have their elements in blocks of the same form; gravity is counted behind. */
static long place_of(const mb_instance *at, const double *x)
{
    const uintptr_t to = (uintptr_t)x, from = (uintptr_t)at->arena.base, own = (uintptr_t)at->gravity;
    return to >= from && to < from + at->arena.size     ? (long)(to - from)
           : to >= own && to < own + sizeof at->gravity ? (long)(at->arena.size + to - own)
                                                        : -1;
}

double gen_value_at(const mb_instance *at, long place)
{
    const size_t offset = (size_t)place, size = at->arena.size;
    double x;
    memcpy(&x, offset < size ? at->arena.base + offset : (const char *)at->gravity + (offset - size), sizeof x);
    return x;
}

gen_term gen_number(gen *g, const double *x)
{
    dal_program *p = g->p;
    if (dal_grow(g->ctx, (void **)&p->number, &p->number_capacity, p->nnumbers + 1, sizeof *p->number) != DAL_OK) {
        g->st = DAL_ENOMEM;
        return gen_const(*x);
    }
    const int slot = gen_slot_of(p->nodes, x);
    p->number[p->nnumbers++] = (gen_printed){*x, place_of(g->at, x), slot};
    g->nslots = slot >= g->nslots ? slot + 1 : g->nslots;
    return slot >= 0 ? gen_name(1.0, "k[%d]", slot) : gen_const(*x);
}

/* Are two values of number i the same, but for rounding beside those next to it, which belong to the same frame or body? */
static int is_alike(const dal_program *p, const mb_instance *at, int i, double x, double y)
{
    double size = 0.0;
    for (int k = 0; k < p->nnumbers && x != y; ++k) {
        if (p->number[k].place >= 0 && labs(p->number[k].place - p->number[i].place) <= 12 * (long)sizeof(double)) {
            size = fmax(size, fabs(gen_value_at(at, p->number[k].place)));
        }
    }
    return fabs(x - y) <= 1e-15 * size;
}

/* Constants of a member into k. What the program has as a literal must be that number here. */
static dal_status find_slots(const dal_program *p, const mb_instance *at, dal_ctx *ctx, double *k)
{
    int n = 0;
    for (int i = 0; i < p->nnumbers; ++i) {
        const gen_printed *is = &p->number[i];
        const double x = is->place >= 0 ? gen_value_at(at, is->place) : is->x;
        if (is->slot == n) { // slots are numbered as they are first printed
            k[n++] = x;
        } else if (!is_alike(p, at, i, x, is->slot >= 0 ? k[is->slot] : is->x)) {
            return dal_fail(ctx, DAL_EINVAL,
                            "generate: with these values a number is %g that the program has as %g; the parameters do "
                            "not act on it near those of the model",
                            x, is->slot >= 0 ? k[is->slot] : is->x);
        }
    }
    return DAL_OK;
}

dal_status gen_own_slots(const gen *g, double *k)
{
    mb_instance *at;
    dal_data *data = dal_sim_data(g->p->sim);
    DAL_TRY(mb_instance_of(&at, dal_document_model(g->p->doc), data));
    DAL_TRY(dal_binding_set(g->p->binding, data, g->p->own));
    DAL_TRY(mb_settled(at));
    return find_slots(g->p, at, g->ctx, k);
}

/* ---- programs --------------------------------------------------------------------------------- */

/* Rows that the steps do without because they depend on others, into `to`, NULL: how many. Those of joints that are open are switched. */
static int dependent_rows(const dal_sim *sim, int *to)
{
    int n, count = 0;
    const int *rows = dal_sim_left_out(sim, &n);
    for (int i = 0; i < n; ++i) {
        if (!dal_data_released(dal_sim_data(sim), rows[i], dal_sim_state(sim).t)) {
            if (to) {
                to[count] = rows[i];
            }
            ++count;
        }
    }
    return count;
}

static dal_status keep_left_out(dal_program *p)
{
    p->nleft_out = dependent_rows(p->sim, NULL);
    p->left_out = dal_alloc_zero(p->ctx, ((size_t)p->nleft_out + 1) * sizeof *p->left_out);
    if (!p->left_out) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the rows left out");
    }
    (void)dependent_rows(p->sim, p->left_out);
    return DAL_OK;
}

/* The start of the model itself, in a block of its own. */
static dal_status keep_start(dal_program *p, gen_start *start, double **block)
{
    DAL_TRY(keep_left_out(p));
    const dal_state s = dal_sim_state(p->sim);
    const dal_system *sys = p->system;
    const size_t nq = (size_t)sys->group->nq, nv = (size_t)sys->group->nv, nc = (size_t)dal_system_rows(sys),
                 nm = (size_t)sys->nmemory;
    double *x = *block = dal_alloc_zero(p->ctx, (nq + 4 * nv + nc + nm + 1) * sizeof *x);
    if (!x) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the start");
    }
    const double *from[] = {s.q, s.v, s.vd, s.a, s.la, dal_sim_data(p->sim)->memory, dal_sim_shown_state(p->sim).v};
    const size_t n[] = {nq, nv, nv, nv, nc, nm, nv};
    double *to[7];
    for (int k = 0; k < 7; ++k) {
        if (n[k] > 0) {
            memcpy(x, from[k], n[k] * sizeof *x);
        }
        to[k] = x;
        x += n[k];
    }
    DAL_TRY(dal_sim_step_multipliers(p->sim, to[4]));
    *start = (gen_start){.state = {.t = s.t, .q = to[0], .v = to[1], .vd = to[2], .a = to[3], .la = to[4]},
                         .vc = to[6],
                         .memory = to[5]};
    return DAL_OK;
}

/* Which velocities are given, if the others are completed from them. */
static dal_status find_given(dal_program *p)
{
    const dal_model *m = dal_document_model(p->doc);
    const dal_system *sys = &m->system;
    int *given = dal_alloc(p->ctx, (size_t)m->nv * sizeof *given), n[2] = {0, 0};
    if (!given) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the start");
    }
    const dal_status st = dal_data_given(dal_sim_data(p->sim), given);
    for (int i = 0; st == DAL_OK && i < m->nv; ++i) {
        n[given[i]] += !sys->names.is_state(i, sys->user);
    }
    if (m->nc > 0 && n[0] > 0 && n[1] > 0) {
        p->given = given;
    } else {
        dal_free(p->ctx, given);
    }
    return st;
}

/* Starts that generated code does not have. */
static void check_start(dal_program *p)
{
    const dal_options *o = dal_sim_options(p->sim);
    const dal_model *m = dal_document_model(p->doc);
    const char *why = "";
    const long dense = (long)m->nc * (m->group->nv + m->nc); // (AS.2)
    why = p->given && dense > GEN_START_DENSE ? "completing velocities takes more than 256 KB of memory for a member"
                                              : why;
    for (int k = 0; k < m->nconstraints; ++k) {
        why = m->constraint[k].type->form == MB_FORM_COEFFICIENTS ? "it does not take joints of type pfaffian" : why;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        why = m->force[k].type->element.mass ? "it does not take forces of type armature, mass between bodies" : why;
    }
    why = gen_beams_weigh(m) ? "it does not take beams with consistent mass" : why;
    why = dal_binding_assembles(p->binding) ? "the model closes its loops before it starts (assembly)" : why;
    why = o->initial == DAL_INITIAL_STATIC ? "it does not find an equilibrium (initial = static)" : why;
    snprintf(p->no_start, sizeof p->no_start, "%s", why);
}

/* What follows from the parameters. The step is a constant of the program. */
static dal_status find_numbers(dal_program *p, const double *own)
{
    memcpy(p->own, own, (size_t)p->nparameters * sizeof *own);
    gen_name_fields(p);
    DAL_TRY(find_given(p));
    check_start(p);
    if (dal_binding_sets_step(p->binding)) {
        return dal_fail(p->ctx, DAL_EINVAL,
                        "generate: the step size depends on the parameters, and programs have a constant one; set h to "
                        "a number");
    }
    return gen_nodes_find(&p->nodes, p);
}

static dal_status print_program(dal_program *p, const double *own)
{
    double *block = NULL;
    gen_start start;
    dal_status st = keep_start(p, &start, &block);
    st = st == DAL_OK && (p->nparameters > 0 || p->how.change) ? find_numbers(p, own) : st;
    st = st == DAL_OK ? gen_record(p, &start) : st;
    gen_nodes_release(p->nodes);
    p->nodes = NULL;
    dal_free(p->ctx, block);
    return st;
}

static dal_status fill(dal_program *p, const double *own, const dal_options *options)
{
    dal_model *model = dal_document_model(p->doc);
    DAL_TRY(dal_model_compile(model, &p->system));
    DAL_TRY(dal_sim_create(&p->sim, p->ctx, p->system, options ? options : dal_document_options(p->doc)));
    DAL_TRY(dal_binding_start(p->binding, p->sim, NULL, own));
    p->h = dal_sim_options(p->sim)->h;
    DAL_TRY(print_program(p, own));
    const gen *g = &p->shape;
    const int t = g->nslots, q = t + 1, v = q + g->nq;
    p->layout = (dal_member_layout){t, q, v, v + 5 * g->nv, g->nq, g->nv, g->nc, v + g->nv};
    p->size = gen_member_size(g);
    return DAL_OK;
}

static dal_status copy_options(dal_program *p, const dal_generate_options *how)
{
    dal_ctx *ctx = p->ctx;
    p->how = (dal_generate_options){.scalar = how->scalar,
                                    .lanes = how->lanes > 0 ? how->lanes : 8,
                                    .trace = how->trace,
                                    .change = how->change,
                                    .any_step = how->any_step && how->scalar == DAL_GENERATE_DOUBLE && !how->trace};
    for (size_t i = 0; how->name && how->name[i] != '\0' && i + 1 < sizeof p->name; ++i) {
        p->name[i] = how->name[i];
    }
    if (how->nparameters > GEN_PARAMETERS) {
        return dal_fail(ctx, DAL_EINVAL, "generate: %d parameters, at most %d", how->nparameters, GEN_PARAMETERS);
    }
    DAL_NEED_TEXTS(ctx, how->parameters, how->nparameters);
    DAL_NEED_TEXTS(ctx, how->outputs, how->noutputs);
    DAL_TRY(copy_texts(ctx, &p->parameter, how->parameters, how->nparameters));
    p->nparameters = how->nparameters;
    if (how->outputs) {
        DAL_TRY(copy_texts(ctx, &p->output, how->outputs, how->noutputs));
        p->how.outputs = (const char *const *)p->output;
        p->how.noutputs = p->noutputs = how->noutputs;
    }
    return DAL_OK;
}

static dal_program *make(dal_ctx *ctx)
{
    dal_program *p = dal_alloc_zero(ctx, sizeof *p);
    if (p) {
        p->ctx = ctx;
    }
    return p;
}

/* Printing goes on where there is no memory for a piece: a text with a hole is no program, and what else went wrong followed. */
static dal_status finish(dal_program **program, dal_program *p, unsigned long refused, dal_status st)
{
    if (dal_alloc_refused(p->ctx) != refused) {
        st = dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the program");
    }
    if (st != DAL_OK) {
        dal_program_destroy(p);
    }
    *program = st == DAL_OK ? p : NULL;
    return st;
}

static const dal_generate_options plain;

dal_status dal_program_create_(dal_program **program, dal_ctx *ctx, const char *source, const char *const *set,
                               int nset, const dal_generate_options *how, size_t size)
{
    double own[GEN_PARAMETERS] = {0.0};
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, program);
    DAL_NEED(ctx, source);
    *program = NULL;
    DAL_OWN(ctx, dal_generate_options, how);
    const unsigned long refused = dal_alloc_refused(ctx);
    dal_program *p = make(ctx);
    if (!p) {
        return dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the program");
    }
    dal_status st = copy_options(p, how ? how : &plain);
    st = st == DAL_OK ? open_model(p, source, set, nset, own) : st;
    st = st == DAL_OK ? fill(p, own, NULL) : st;
    return finish(program, p, refused, st);
}

dal_status dal_program_create_bound_(dal_program **program, dal_ctx *ctx, dal_document *doc, const dal_binding *binding,
                                     const double *values, const dal_generate_options *how, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, program);
    DAL_NEED(ctx, doc);
    DAL_NEED(ctx, binding);
    DAL_OWN(ctx, dal_generate_options, how);
    how = how ? how : &plain;
    if (how->nparameters > 0) {
        DAL_NEED(ctx, values);
    }
    *program = NULL;
    const unsigned long refused = dal_alloc_refused(ctx);
    dal_program *p = make(ctx);
    if (!p) {
        return dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the program");
    }
    dal_status st = copy_options(p, how);
    p->doc = doc;
    p->binding = binding;
    st = st == DAL_OK ? fill(p, values, how->options) : st;
    return finish(program, p, refused, st);
}

void dal_program_destroy(dal_program *p)
{
    if (p) {
        dal_sim_destroy(p->sim);
        dal_binding_destroy(p->own_binding);
        dal_document_destroy(p->own_doc);
        free_texts(p->ctx, p->parameter, p->nparameters);
        free_texts(p->ctx, p->output, p->noutputs);
        dal_free(p->ctx, p->number);
        dal_free(p->ctx, p->output_at);
        dal_free(p->ctx, p->left_out);
        dal_free(p->ctx, p->given);
        dal_free(p->ctx, p->text);
        dal_free(p->ctx, p);
    }
}

const char *dal_program_text(const dal_program *p)
{
    return p ? p->text : NULL;
}

const char *dal_program_no_start(const dal_program *p)
{
    return !p || p->starts ? NULL : p->no_start[0] ? p->no_start : "it has no parameters";
}

int dal_program_size(const dal_program *p)
{
    return p ? p->size : 0;
}

int dal_program_output(const dal_program *p, const char *name)
{
    const dal_model *m = p && name ? dal_document_model(p->doc) : NULL;
    for (int k = 0; m && k < dal_model_output_count(m); ++k) {
        if (strcmp(dal_model_output_info(m, k).name, name) == 0) {
            return p->output_at[k];
        }
    }
    return -1;
}

int dal_program_output_size(const dal_program *p)
{
    return p ? p->noutput_values : 0;
}

dal_member_layout dal_program_layout(const dal_program *p)
{
    return p ? p->layout : (dal_member_layout){0};
}

/* The same rows left out? */
static dal_status check_left_out(const dal_program *p, const dal_sim *sim, dal_ctx *ctx)
{
    int n = 0, same = dependent_rows(sim, NULL) == p->nleft_out;
    const int *rows = dal_sim_left_out(sim, &n);
    for (int i = 0, d = 0; i < n && same; ++i) {
        if (!dal_data_released(dal_sim_data(sim), rows[i], dal_sim_state(sim).t)) {
            same = rows[i] == p->left_out[d++];
        }
    }
    return same ? DAL_OK
                : dal_fail(ctx, DAL_EINVAL,
                           "generate: with these values other rows depend on each other than in the program");
}

dal_status dal_program_member_of(const dal_program *p, double *x, const dal_sim *sim)
{
    mb_instance *at;
    DAL_NEED_AS(NULL, p, "program");
    DAL_NEED(p->ctx, sim);
    DAL_NEED(p->ctx, x);
    dal_data *data = dal_sim_data(sim);
    DAL_TRY(mb_instance_of(&at, dal_document_model(p->doc), data));
    if (dal_sim_options(sim)->h != p->h) {
        return dal_fail(data->ctx, DAL_EINVAL, "generate: the step size is %g, that of the program %g",
                        dal_sim_options(sim)->h, p->h);
    }
    const dal_state start = dal_sim_state(sim);
    DAL_TRY(check_left_out(p, sim, data->ctx));
    gen_pack(&p->shape, x, NULL, &start, data->memory);
    if (p->nleft_out > 0) {
        DAL_TRY(dal_sim_step_multipliers(sim, x + p->layout.la));
    }
    return find_slots(p, at, data->ctx, x);
}

dal_status dal_program_member(const dal_program *p, double *x, const double *values)
{
    DAL_NEED_AS(NULL, p, "program");
    DAL_NEED(p->ctx, x);
    if (p->nparameters > 0) {
        DAL_NEED(p->ctx, values);
    }
    DAL_TRY(dal_binding_start(p->binding, p->sim, NULL, values));
    return dal_program_member_of(p, x, p->sim);
}

dal_status dal_generate_(char **text, dal_ctx *ctx, const char *source, const char *const *set, int nset,
                         const dal_generate_options *how, size_t size)
{
    dal_program *p;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, text);
    DAL_NEED(ctx, source);
    *text = NULL;
    DAL_TRY(dal_program_create_(&p, ctx, source, set, nset, how, size));
    if (p) {
        *text = p->text;
        p->text = NULL;
    }
    dal_program_destroy(p);
    return DAL_OK;
}

void dal_generate_free(dal_ctx *ctx, char *text)
{
    dal_free(ctx, text);
}
