/* From a simulation of a model to its text. */
#include <ctype.h>
#include <stdio.h>

#include "base/message.h"
#include "generate/generate_impl.h"
#include "integrate/integrator.h"
#include "sim/left_out.h"
#include "sim/scales.h"
#include "system/data.h"

static void release(gen *g)
{
    dal_free(g->ctx, g->body);
    dal_free(g->ctx, g->pair);
    dal_free(g->ctx, g->link);
    dal_free(g->ctx, g->eta0);
    dal_free(g->ctx, g->weight);
    gen_matrix_release(g);
    gen_values_release(g);
    gen_text_release(&g->solution);
}

static int has_steps(const gen *g)
{
    const mb_instance *m = g->at;
    int found = 0;
    for (int k = 1; k <= m->of->function_names.n; ++k) {
        found |= mb_function_is_table(&m->function[k]) && m->function[k].interpolation == DAL_INTERPOLATION_CONSTANT;
    }
    return found;
}

static dal_status check_options(const gen *g)
{
    const dal_options *o = &g->opt, usual = dal_options_init();
    const int index2 = o->formulation == DAL_FORMULATION_INDEX2, drops = g->nleft_out > 0;
    const struct {
        int is;
        const char *what, *remedy;
    } refused[] = {
        {g->at->of->ncrowds > 0, "a contact group", "leave out contacts: their rows come and go"},
        {has_steps(g), "a table of constants, at which steps end,", "take interpolation = linear"},
        {o->integrator == DAL_INTEGRATOR_BDF, "integrator = bdf, whose steps have a history of their own,",
         "set integrator = genalpha or rattlie"},
        {o->integrator != DAL_INTEGRATOR_GENALPHA && !gen_rattlie(g), "this integrator",
         "give h, or set integrator = genalpha or rattlie"},
        {o->step == DAL_STEP_ADAPTIVE || (o->step == DAL_STEP_FIXED_OR_CUT && g->ngaps == 0),
         "a step size that changes", "set step = fixed"},
        {o->formulation != DAL_FORMULATION_INDEX3 && !index2 && o->formulation != DAL_FORMULATION_GGL,
         "formulation = index1", "set formulation = index3, index2 or ggl"},
        {o->kinematics != DAL_KINEMATICS_EXACT || o->jacobian != DAL_JACOBIAN_EXACT || o->stop != DAL_STOP_INCREMENT ||
             o->tangent != DAL_TANGENT_EXACT,
         "a published variant of the algorithm", "set kinematics, jacobian and tangent = exact, stop = increment"},
        {o->newton == DAL_NEWTON_MODIFIED, "newton = modified", "set newton = full"},
        {o->projection != DAL_PROJECTION_NONE, "projection", "set projection = none, or formulation = ggl"},
        {o->linear_solver != usual.linear_solver, "a choice of the linear solver",
         "set linear_solver = auto: programs have a solver of their own"},
        {o->max_steps > 0, "max_steps", "set max_steps = 0: whoever calls a program counts its steps"},
        {drops && o->redundant_tol != usual.redundant_tol, "redundant_tol",
         "leave it out: programs fail where a row that was left out gets off"},
        {drops && index2, "leaving out redundant rows with formulation = index2", "set formulation = index3 or ggl"}};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; ++k) {
        if (refused[k].is) {
            return dal_fail(g->ctx, DAL_EINVAL, "generate: %s is not for generated code; %s", refused[k].what,
                            refused[k].remedy);
        }
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
    const size_t npairs =
        nbodies + 16 * nc + (4 + 4 * DAL_INPUTS_MAX) * (size_t)m->force_names.n + (size_t)gen_beam_pairs(m) + 1;
    g->nq = m->group->nq;
    g->nv = m->group->nv;
    g->nc = m->nc;
    g->body = dal_alloc_zero(g->ctx, nbodies * sizeof *g->body);
    g->pair = dal_alloc_zero(g->ctx, npairs * sizeof *g->pair);
    g->link = dal_alloc_zero(g->ctx, (2 * MB_TERMS * nc + 1) * sizeof *g->link);
    g->eta0 = dal_alloc_zero(g->ctx, (nc + 1) * sizeof *g->eta0);
    if (!g->body || !g->pair || !g->link || !g->eta0) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the lists of elements");
    }
    if (gen_rattlie(g)) {
        g->opt.formulation = DAL_FORMULATION_INDEX3;
        g->opt.scaling = 0;
    }
    DAL_TRY(dal_ga_coefficients(g->ctx, &g->c, &g->opt));
    g->h = g->opt.h;
    g->gp = g->c.gamma / (g->h * g->c.beta);
    g->kv = (1.0 - g->c.alpha_m) / (g->h * g->c.gamma * (1.0 - g->c.alpha_f));
    g->s = g->opt.scaling ? 1.0 / (g->kv * g->gp) : 1.0;
    g->s_vel = g->opt.scaling ? 1.0 / g->gp : 1.0;
    DAL_TRY(gen_bodies(g));
    DAL_TRY(gen_events(g));
    DAL_TRY(gen_beams(g)); // before joints: rows of what slides along them are none of a joint
    DAL_TRY(gen_joints(g));
    DAL_TRY(gen_forces(g));
    DAL_TRY(check_options(g)); // elements are refused first: some of them ask for options
    DAL_TRY(gen_rattlie(g) ? gen_rattlie_check(g) : DAL_OK);
    g->n = g->nv + g->nc + g->ne;
    if (g->n > GEN_UNKNOWNS) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "generate: a step of this model has %d unknowns, programs have at most %d: unrolled code of "
                        "that size takes "
                        "minutes to compile and is no faster than the library; run it there",
                        g->n, GEN_UNKNOWNS);
    }
    DAL_TRY(gen_matrix_init(g));
    gen_leave_out(g);
    gen_sums(g);
    return DAL_OK;
}

/* As dal_ga_scale and the size of increments in src/integrate have them. */
static dal_status set_scales(gen *g, dal_sim_scales s)
{
    g->weight = dal_alloc_zero(g->ctx, (size_t)(2 * g->n + g->nv) * sizeof *g->weight);
    if (!g->weight) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the scales");
    }
    g->tolerance = g->weight + g->n;
    g->unit = g->tolerance + g->n;
    g->work = s.work;
    g->length = s.length;
    for (int i = 0; i < g->nv; ++i) {
        g->unit[i] = s.unit[i];
        g->weight[i] = DAL_FORCE_WEIGHT / s.inertia[i];
        g->tolerance[i] = g->opt.atol * s.unit[i];
    }
    int ngone;
    const int *left_out = dal_sim_left_out(g->p->sim, &ngone);
    for (int r = 0, d = 0; r < g->nc; ++r) {
        const int gone = d < ngone && left_out[d] == r;
        const double reach = gone ? 1.0 : s.reach[r - d];
        d += gone;
        g->tolerance[g->nv + r] = reach;
        g->weight[g->nv + r] = 1.0 / reach;
    }
    for (int c = 0; c < g->m->nconstraints; ++c) {
        for (int i = 0; g->eta0[c] >= 0 && i < g->m->constraint[c].nrows; ++i) {
            const int k = g->nv + g->nc + g->eta0[c] + i;
            g->weight[k] = g->weight[g->nv + g->m->constraint[c].row0 + i];
            g->tolerance[k] = g->opt.atol * s.length * s.length * g->weight[k];
        }
    }
    return DAL_OK;
}

int gen_perturbed(const gen *g)
{
    return g->opt.starting == DAL_STARTING_PERTURBED && g->opt.formulation == DAL_FORMULATION_INDEX3 && g->nh > 0 &&
           !gen_rattlie(g);
}

int gen_knows_vc(const gen *g)
{
    return (g->how->change && gen_perturbed(g)) || (g->how->any_step && !gen_rattlie(g));
}

/* What belongs to the printing is released; sizes stay. */
static gen shape_of(const gen *g)
{
    return (gen){.how = g->how,
                 .opt = g->opt,
                 .nq = g->nq,
                 .nv = g->nv,
                 .nc = g->nc,
                 .nh = g->nh,
                 .ne = g->ne,
                 .nslots = g->nslots,
                 .nmemory = g->nmemory,
                 .nsums = g->nsums,
                 .nevents = g->nevents,
                 .nswitches = g->nswitches,
                 .nmasks = g->nmasks,
                 .ngaps = g->ngaps};
}

/* The model with the numbers of a simulation. */
static dal_model view_of(const mb_instance *at)
{
    dal_model view = *at->of;
    view.body = at->body;
    view.body_desc = at->desc;
    view.joint = at->joint;
    view.force = at->force;
    view.constraint = at->constraint;
    view.function = at->function;
    view.output = at->output;
    return view;
}

dal_status gen_record(dal_program *p, const gen_start *start)
{
    mb_instance *at;
    gen_text text = {.ctx = p->ctx};
    DAL_TRY(mb_instance_of(&at, dal_document_model(p->doc), dal_sim_data(p->sim)));
    const dal_model view = view_of(at);
    gen g = {.ctx = p->ctx,
             .p = p,
             .m = &view,
             .at = at,
             .how = &p->how,
             .opt = *dal_sim_options(p->sim),
             .left_out = p->left_out,
             .nleft_out = p->nleft_out,
             .starts = (p->nparameters > 0 || p->how.change) && p->no_start[0] == '\0'};
    set_name(&g, p->name[0] ? p->name : dal_document_name(p->doc));
    dal_status st = prepare(&g);
    st = st == DAL_OK ? set_scales(&g, dal_sim_scales_of(p->sim)) : st;
    st = st == DAL_OK ? gen_program(&g, &text, start) : st;
    p->output_at = dal_alloc_zero(p->ctx, ((size_t)view.output_names.n + 1) * sizeof *p->output_at);
    if (st == DAL_OK && !p->output_at) {
        st = dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the outputs");
    }
    p->noutput_values = gen_output_count(&g, p->output_at);
    p->text = text.s;
    p->starts = g.starts;
    p->shape = shape_of(&g);
    memcpy(p->shape.angle, g.angle, sizeof g.angle);
    memcpy(p->shape.sum, g.sum, sizeof g.sum);
    release(&g);
    return st;
}
