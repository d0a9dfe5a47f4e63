/* From a model file to its numbers and its text. */
#include <ctype.h>
#include <stdio.h>

#include "base/message.h"
#include "generate/generate_impl.h"
#include "system/data.h"

static void release(gen *g)
{
    dal_free(g->ctx, g->body);
    dal_free(g->ctx, g->pair);
    dal_free(g->ctx, g->link);
    dal_free(g->ctx, g->hol0);
    dal_free(g->ctx, g->A.at);
    dal_free(g->ctx, g->A.seen);
    dal_free(g->ctx, g->A.known);
    dal_free(g->ctx, g->A.pivot_row);
    dal_free(g->ctx, g->A.pivot_col);
}

static dal_status refuse(const gen *g, const char *what, const char *remedy)
{
    return dal_fail(g->ctx, DAL_EINVAL, "generate: %s is not for generated code; %s", what, remedy);
}

static dal_status check_options(const gen *g)
{
    const dal_options *o = &g->opt;
    if (o->integrator != DAL_GENALPHA) {
        return refuse(g, "this integrator", "set integrator = genalpha");
    }
    if (o->step == DAL_STEP_ADAPTIVE || o->step == DAL_STEP_FIXED_OR_CUT) {
        return refuse(g, "a step size that changes", "set step = fixed");
    }
    if (o->formulation != DAL_INDEX3 && o->formulation != DAL_INDEX2 && o->formulation != DAL_GGL) {
        return refuse(g, "formulation = index1", "set formulation = index3, index2 or ggl");
    }
    if (o->kinematics != DAL_KINEMATICS_EXACT || o->jacobian != DAL_JACOBIAN_EXACT) {
        return refuse(g, "a published variant of the algorithm", "set kinematics = exact and jacobian = exact");
    }
    if (o->newton != DAL_NEWTON_FULL) {
        return refuse(g, "newton = modified", "set newton = full");
    }
    if (o->projection != DAL_PROJECTION_NONE) {
        return refuse(g, "projection", "set projection = none, or formulation = ggl");
    }
    if (o->redundant != DAL_REDUNDANT_ERROR) {
        return refuse(g, "leaving out redundant rows", "remove them from the model");
    }
    return DAL_OK;
}

static void set_name(gen *g, const char *name)
{
    size_t n = 0;
    for (; name[n] != '\0' && n < 31; ++n) {
        const char c = isalnum((unsigned char)name[n]) ? name[n] : '_';
        g->name[n] = n == 0 && isdigit((unsigned char)c) ? '_' : c;
    }
    for (size_t k = 0; k < n; ++k) {
        g->upper[k] = (char)toupper((unsigned char)g->name[k]);
    }
}

static dal_status prepare(gen *g)
{
    const dal_model *m = g->m;
    const size_t nbodies = (size_t)m->body_names.n, nc = (size_t)m->nconstraints;
    g->nq = m->group->nq;
    g->nv = m->group->nv;
    g->nc = m->nc;
    g->body = dal_alloc_zero(g->ctx, nbodies * sizeof *g->body);
    g->pair = dal_alloc_zero(g->ctx, (nbodies + 2 * nc + 64 * (size_t)m->force_names.n + 1) * sizeof *g->pair);
    g->link = dal_alloc_zero(g->ctx, (4 * nc + 1) * sizeof *g->link);
    g->hol0 = dal_alloc_zero(g->ctx, (nc + 1) * sizeof *g->hol0);
    if (!g->body || !g->pair || !g->link || !g->hol0) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the lists of elements");
    }
    DAL_TRY(dal_ga_coefficients(g->ctx, &g->opt, &g->c));
    g->h = g->opt.h;
    g->gp = g->c.gamma / (g->h * g->c.beta);
    g->kv = (1.0 - g->c.alpha_m) / (g->h * g->c.gamma * (1.0 - g->c.alpha_f));
    g->s = g->opt.scaling ? 1.0 / (g->kv * g->gp) : 1.0;
    g->s_vel = g->opt.scaling ? 1.0 / g->gp : 1.0;
    DAL_TRY(check_options(g));
    DAL_TRY(gen_bodies(g));
    DAL_TRY(gen_joints(g));
    DAL_TRY(gen_forces(g));
    g->n = g->nv + g->nc + (g->opt.formulation == DAL_GGL ? g->nh : 0);
    return gen_matrix_create(g);
}

static dal_status print(gen_record *r, const dal_program *p, dal_document *doc, const dal_sim *sim)
{
    gen g = {.ctx = p->ctx,
             .m = dal_document_model(doc),
             .how = &p->how,
             .opt = *dal_sim_options(sim),
             .slot = p->slot,
             .first = p->first,
             .nslots = p->nslots};
    const dal_state start = dal_sim_state(sim);
    const double *memory = dal_sim_data(sim)->memory;
    set_name(&g, p->name[0] ? p->name : dal_document_name(doc));
    dal_status st = prepare(&g);
    st = st == DAL_OK ? gen_program(&g, &r->text, &start, memory) : st;
    r->number = g.number;
    r->nnumbers = g.nnumbers;
    r->nslots = g.nslots;
    r->size = gen_member_size(&g);
    if (st == DAL_OK) {
        r->member = dal_alloc_zero(p->ctx, (size_t)r->size * sizeof(double));
        st = r->member ? DAL_OK : dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for a member");
    }
    if (st == DAL_OK) {
        gen_pack(&g, r->member, NULL, &start, memory);
        const int t = g.nslots, q = t + 1, v = q + g.nq;
        r->layout = (dal_member_layout){t, q, v, v + 5 * g.nv, g.nq, g.nv, g.nc};
    }
    release(&g);
    return st;
}

static dal_status start(gen_record *r, const dal_program *p, dal_document *doc)
{
    const dal_system *system;
    dal_sim *sim = NULL;
    dal_model *model = dal_document_model(doc);
    DAL_TRY(dal_model_compile(model, &system));
    DAL_TRY(dal_document_assemble(doc, system, NULL));
    DAL_TRY(dal_sim_create(&sim, p->ctx, system, dal_document_options(doc)));
    dal_status st = dal_sim_start(sim, 0.0, dal_model_q0(model), dal_model_v0(model), NULL);
    st = st == DAL_OK ? print(r, p, doc, sim) : st;
    dal_sim_destroy(sim);
    return st;
}

dal_status gen_record_make(gen_record *r, const dal_program *p, const double *values)
{
    enum { VALUE = 128 };
    const int n = p->nset + (values ? p->nparameters : 0);
    dal_document *doc = NULL;
    *r = (gen_record){.text = {.ctx = p->ctx}};
    const char **set = dal_alloc_zero(p->ctx, (size_t)(n + 1) * sizeof *set);
    char *text = dal_alloc_zero(p->ctx, (size_t)(p->nparameters + 1) * VALUE);
    if (!set || !text) {
        dal_free(p->ctx, set);
        dal_free(p->ctx, text);
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the assignments");
    }
    for (int i = 0; i < n; ++i) {
        set[i] = i < p->nset ? p->set[i] : text + (size_t)(i - p->nset) * VALUE;
        if (i >= p->nset) {
            snprintf(text + (size_t)(i - p->nset) * VALUE, VALUE, "%s=%.17g", p->parameter[i - p->nset],
                     values[i - p->nset]);
        }
    }
    dal_status st = dal_document_open(&doc, p->ctx, p->source, set, n);
    st = st == DAL_OK ? start(r, p, doc) : st;
    dal_document_destroy(doc);
    dal_free(p->ctx, set);
    dal_free(p->ctx, text);
    return st;
}

void gen_record_release(gen_record *r, dal_ctx *ctx)
{
    gen_text_release(&r->text);
    dal_free(ctx, r->number);
    dal_free(ctx, r->member);
    *r = (gen_record){.text = {.ctx = ctx}};
}
