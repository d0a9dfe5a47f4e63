#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "io/follow.h"
#include "mbs/derivative.h"
#include "sweep/pool.h"
#include "system/data.h"

/* ---- creation --------------------------------------------------------------------------------- */

/* Texts of the description, for others of its kind. */
static dal_status keep_texts(dal_gradient *g, const dal_gradient_spec *spec)
{
    char **of, **set;
    DAL_TAKE(&g->pool, of, spec->nof + 1);   // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(&g->pool, set, spec->nset + 1); // NOLINT(bugprone-sizeof-expression): pointers
    for (int k = 0; k < spec->nof; ++k) {
        DAL_TAKE_TEXT(&g->pool, of[k], spec->of[k]);
    }
    for (int k = 0; k < spec->nset; ++k) {
        DAL_TAKE_TEXT(&g->pool, set[k], spec->set[k]);
    }
    g->spec = *spec;
    g->spec.of = (const char *const *)of;
    g->spec.set = (const char *const *)set;
    g->spec.by = (const char *const *)g->name;
    g->spec.data = g->data;
    DAL_TAKE_TEXT(&g->pool, g->spec.source, spec->source);
    if (spec->text) {
        DAL_TAKE_TEXT(&g->pool, g->spec.text, spec->text);
    }
    return DAL_OK;
}

static dal_status copy_spec(dal_gradient *g, const dal_gradient_spec *spec)
{
    g->n = spec->nby;
    g->nof = spec->nof;
    g->ndata = spec->ndata;
    g->memory = spec->memory > 0 ? spec->memory : (size_t)512 << 20;
    DAL_TAKE(&g->pool, g->name, g->n + 1); // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(&g->pool, g->parameter, g->n + 1);
    DAL_TAKE(&g->pool, g->given, g->n + 1);
    DAL_TAKE(&g->pool, g->now, g->n + 1);
    DAL_TAKE(&g->pool, g->of_squares, g->n + 1);
    for (int k = 0; k < g->n; ++k) {
        DAL_TAKE_TEXT(&g->pool, g->name[k], spec->by[k]);
        g->parameter[k].name = g->name[k];
    }
    DAL_TAKE(&g->pool, g->data, g->ndata + 1);
    for (int c = 0; c < g->ndata; ++c) {
        const dal_gradient_data *from = &spec->data[c];
        double *x;
        DAL_TAKE(&g->pool, x, 3 * from->n + 1);
        dal_copy(x, from->t, from->n);
        dal_copy(x + from->n, from->y, from->n);
        for (int i = 0; i < from->n; ++i) {
            x[2 * from->n + i] = from->weight ? from->weight[i] : 1.0;
        }
        g->data[c] = (dal_gradient_data){.t = x, .y = x + from->n, .weight = x + 2 * from->n, .n = from->n};
        DAL_TAKE_TEXT(&g->pool, g->data[c].expression, from->expression);
        g->nresiduals += from->n;
    }
    g->jobs = spec->jobs > 0 ? spec->jobs : dal_sweep_cores();
    const int most = dal_gr_results(g) / 2, threads = g->jobs < most ? g->jobs : most;
    g->memory /= (size_t)(threads > 1 ? threads : 1);
    DAL_TRY(keep_texts(g, spec));
    DAL_TAKE(&g->pool, g->nodes, g->nresiduals + 1);
    return DAL_OK;
}

static dal_status make_plan(dal_gradient *g, const dal_gradient_spec *spec)
{
    const char **curve;
    DAL_TAKE(&g->pool, curve, spec->ndata + 1); // NOLINT(bugprone-sizeof-expression): pointers
    for (int c = 0; c < spec->ndata; ++c) {
        curve[c] = spec->data[c].expression;
    }
    g->nnamed = spec->nby < SWEEP_PARAMETERS ? spec->nby : SWEEP_PARAMETERS;
    const dal_sweep_spec collect = {.nparameters = g->nnamed,
                                    .collect = spec->of,
                                    .ncollect = spec->nof,
                                    .trajectory = curve,
                                    .ntrajectories = spec->ndata};
    DAL_TRY(dal_sweep_plan_init(&g->plan, &g->pool, &collect, g->parameter));
    DAL_TAKE(&g->pool, g->input, g->plan.ninputs + 1);
    DAL_TAKE(&g->pool, g->reduced, g->plan.nreductions + 1);
    DAL_TAKE(&g->pool, g->tally, g->plan.nreductions + 1);
    g->nvalues = g->nof + g->nresiduals;
    DAL_TAKE(&g->pool, g->value, g->nvalues + 1);
    DAL_TAKE(&g->pool, g->row, (size_t)(g->nvalues + 1) * (size_t)(g->n + 1));
    DAL_TRY(dal_gr_check_reductions(g));
    return spec->own ? DAL_OK : dal_sweep_inputs_add(g->input, &g->plan, g->ctx, g->model);
}

/* Equations of textbooks have their tangents where |p| = 1 (EP.4), which these methods hold at all points of a step. */
static dal_status check_lengths(const dal_gradient *g)
{
    const int held = g->opt.integrator == DAL_INTEGRATOR_GENALPHA && g->opt.formulation != DAL_FORMULATION_INDEX2;
    for (int k = 0; k < g->sys->nconstraints && !held; ++k) {
        if (g->sys->constraint[k].kind == DAL_ROWS_TEXTBOOK) {
            return dal_fail(g->ctx, DAL_EOPTION,
                            "gradients of bodies of type euler_parameters_textbook need integrator = genalpha with "
                            "formulation = index3 or ggl; type euler_parameters has them with all methods");
        }
    }
    return DAL_OK;
}

/* Methods that have derivatives. */
static dal_status check_method(const dal_gradient *g)
{
    const dal_options *opt = &g->opt;
    if (opt->integrator == DAL_INTEGRATOR_BDF || opt->integrator == DAL_INTEGRATOR_RATTLIE) {
        return dal_fail(g->ctx, DAL_EOPTION,
                        "gradients: integrator = %s has none: choose genalpha with step = fixed, rk or lobatto",
                        opt->integrator == DAL_INTEGRATOR_BDF ? "bdf" : "rattlie");
    }
    if (opt->integrator == DAL_INTEGRATOR_GENALPHA && opt->step != DAL_STEP_FIXED) {
        return dal_fail(g->ctx, DAL_EOPTION,
                        "gradients of integrator = genalpha need step = fixed; rk and lobatto have them with error "
                        "control, too");
    }
    if (opt->integrator == DAL_INTEGRATOR_LOBATTO && opt->lambda == DAL_LAMBDA_VARIATIONAL) {
        return dal_fail(g->ctx, DAL_EOPTION,
                        "gradients: lambda = variational of integrator = lobatto has none: choose lambda = symmetric "
                        "or consistent");
    }
    return check_lengths(g);
}

/* Derivatives are those of steps that are solved: Newton's method goes on to rounding. */
static dal_status choose_method(dal_gradient *g)
{
    dal_options *opt = &g->opt;
    dal_options_resolve(opt);
    if (opt->integrator == DAL_INTEGRATOR_AUTO) {
        opt->integrator = DAL_INTEGRATOR_GENALPHA;
        opt->step = DAL_STEP_FIXED;
        dal_log(g->ctx, DAL_LOG_INFO, "gradients: integrator = auto has none; generalized-alpha with h = %g instead",
                opt->h);
    }
    DAL_TRY(check_method(g));
    const int captured = g->sys->contacts.touches || opt->impacts == DAL_IMPACTS_CAPTURED;
    if (captured || (opt->impacts == DAL_IMPACTS_AUTO && g->sys->contacts.n > 200)) {
        return dal_fail(g->ctx, DAL_EOPTION,
                        "gradients: impacts = captured has none, nor have groups of contacts: choose impacts = located "
                        "with contacts as joints");
    }
    if (opt->projection != DAL_PROJECTION_NONE) {
        return dal_fail(g->ctx, DAL_EOPTION, "gradients need projection = none: choose formulation = ggl");
    }
    if (opt->initial != DAL_INITIAL_PROJECT && opt->initial != DAL_INITIAL_STRICT) {
        return dal_fail(g->ctx, DAL_EOPTION, "gradients need initial = project or strict");
    }
    g->rtol = opt->rtol;
    g->atol = opt->atol;
    if (opt->integrator != DAL_INTEGRATOR_LOBATTO) { // which always does
        opt->rtol = fmin(opt->rtol, 1e-13);
        opt->atol = fmin(opt->atol, 1e-14);
    }
    opt->newton = DAL_NEWTON_FULL;
    opt->jacobian = DAL_JACOBIAN_EXACT;
    opt->tangent = DAL_TANGENT_EXACT;
    g->type = opt->integrator == DAL_INTEGRATOR_RK        ? &dal_rk_derivative
              : opt->integrator == DAL_INTEGRATOR_LOBATTO ? &dal_lb_derivative
                                                          : &dal_ga_derivative;
    return DAL_OK;
}

/* ---- simulations ------------------------------------------------------------------------------ */

/* Contacts would have it cut steps. */
static dal_status create_simulation(dal_gradient *g)
{
    DAL_TRY(dal_sim_create(&g->sim, g->ctx, g->sys, &g->opt));
    if (!g->own.system) {
        mb_keep_ends(dal_sim_data(g->sim));
    }
    if (g->opt.step == DAL_STEP_FIXED) {
        dal_sim_keep_steps_whole(g->sim);
    }
    return DAL_OK;
}

/* The simulation that is differentiated has the steps that are given to it. */
static dal_status choose_simulation(dal_gradient *g)
{
    g->control = g->opt;
    if (g->control.step == DAL_STEP_ADAPTIVE) {
        g->opt.step = DAL_STEP_FIXED;
        g->opt.h = 2.0 * g->t_end; // a step ends where it is told to
    }
    const double h = g->opt.h;
    DAL_TRY(create_simulation(g));
    DAL_TRY(dal_gr_set(g, dal_sim_data(g->sim), g->given)); // expressions have their numbers from here on
    DAL_TRY(g->opt.integrator == DAL_INTEGRATOR_GENALPHA ? dal_gr_fit_step(g) : DAL_OK);
    if (g->opt.h == h) {
        return DAL_OK;
    }
    dal_sim_destroy(g->sim);
    g->sim = NULL;
    DAL_TRY(create_simulation(g));
    return dal_gr_set(g, dal_sim_data(g->sim), g->given);
}

/* It is there. */
static dal_status finish_simulation(dal_gradient *g)
{
    dal_sim_data(g->sim)->units = g->units;
    DAL_TRY(g->control.step == DAL_STEP_ADAPTIVE ? dal_gr_pilot(g) : DAL_OK);
    return dal_gr_observe(g);
}

void dal_gr_drop_simulation(dal_gradient *g)
{
    dal_gr_drop_derivative(g);
    dal_gr_records_clear(g);
    dal_gr_dependence_destroy(g);
    dal_sim_destroy(g->sim);
    dal_sim_destroy(g->pilot);
    g->sim = g->pilot = NULL;
}

dal_status dal_gr_make_simulation(dal_gradient *g)
{
    dal_gr_drop_simulation(g);
    DAL_TRY(create_simulation(g));
    return finish_simulation(g);
}

dal_status dal_gr_solve_to(dal_gradient *g, double atol, double rtol)
{
    if (g->opt.atol == atol && g->opt.rtol == rtol) {
        return DAL_OK;
    }
    g->opt.atol = atol;
    g->opt.rtol = rtol;
    return dal_gr_make_simulation(g);
}

/* Stiff equations are rounded above that: Newton's method may leave ten times as much, as far as the model allows it. 0: it does
 * already. */
static int loosen(dal_gradient *g, dal_status *st)
{
    if (*st != DAL_NOCONV || g->opt.atol >= g->atol) {
        return 0;
    }
    const double rtol = fmin(10.0 * g->opt.rtol, fmax(g->rtol, g->opt.rtol));
    *st = dal_gr_solve_to(g, fmin(10.0 * g->opt.atol, g->atol), rtol);
    dal_log(g->ctx, DAL_LOG_INFO, "gradients: steps are solved to atol = %g, rounding is above what was tried",
            g->opt.atol);
    return *st == DAL_OK;
}

/* Neither times nor step sizes may follow from the numbers. */
static dal_status check_times(dal_gradient *g)
{
    double t_end, other, *x = g->bound_x;
    DAL_TRY(dal_binding_t_end(g->binding, &t_end, x));
    for (int k = 0; k < g->nbound; ++k) {
        const double own = x[k];
        x[k] = own != 0.0 ? 1.01 * own : 0.01;
        const dal_status st = dal_binding_t_end(g->binding, &other, x);
        x[k] = own;
        if (st != DAL_OK || other != t_end) {
            return dal_fail(g->ctx, DAL_EINVAL, "gradients: t_end depends on '%s'; times are not differentiated",
                            g->name[g->bound[k]]);
        }
    }
    return dal_binding_sets_step(g->binding)
               ? dal_fail(g->ctx, DAL_EINVAL, "gradients: the step size depends on a number; it is not differentiated")
               : DAL_OK;
}

static dal_status check_system(const dal_gradient *g)
{
    for (int k = 0; k < g->sys->events.n; ++k) {
        if (g->sys->events.event[k].every > 0.0) {
            return dal_fail(g->ctx, DAL_EINVAL, "gradients: the event '%s' is sampled, which is not differentiated",
                            g->sys->events.event[k].name);
        }
    }
    for (int k = 0; k < g->plan.ninputs && !g->own.system; ++k) {
        const sweep_input *in = &g->input[k];
        if (in->output >= 0 && dal_model_output_info(g->model, in->output).integral) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "gradients: '%s' is an integral over time; say integral(...) of its power",
                            g->plan.input[k]);
        }
    }
    return DAL_OK;
}

/* Units are held, as step sizes are: ggl weighs turns against translations by them. */
static dal_status hold_units(dal_gradient *g)
{
    dal_data *data = dal_sim_data(g->sim);
    double *units;
    if (!g->sys->equations.units) {
        return DAL_OK;
    }
    DAL_TAKE(&g->pool, units, g->nv + 1);
    units[g->nv] = g->sys->equations.units(units, g->sys->user, data->work);
    g->units = units;
    return DAL_OK;
}

static dal_status make_room(dal_gradient *g)
{
    g->nv = g->sys->group->nv;
    DAL_TAKE(&g->pool, g->q0, g->sys->group->nq);
    DAL_TAKE(&g->pool, g->shifted_q, g->sys->group->nq);
    DAL_TAKE(&g->pool, g->v0, g->nv);
    DAL_TAKE(&g->pool, g->dq0, (size_t)g->nv * (size_t)(g->n + 1));
    DAL_TAKE(&g->pool, g->dv0, (size_t)g->nv * (size_t)(g->n + 1));
    DAL_TRY(hold_units(g));
    g->ntotal = g->own.system ? 0 : dal_data_parameters(dal_sim_data(g->sim), NULL);
    g->nremembered = g->own.system ? 0 : mb_remembered_count(dal_sim_data(g->sim));
    g->np = g->ntotal + g->nremembered + g->nwhole;
    DAL_TAKE(&g->pool, g->p, g->np + 1);
    DAL_TAKE(&g->pool, g->index, g->np + 1);
    DAL_TRY(dal_gr_events_init(g));
    return dal_gr_outputs_init(g);
}

static dal_status open_model(dal_gradient *g, const dal_gradient_spec *spec)
{
    const dal_load_options how = {
        .set = spec->set, .nset = spec->nset, .files_outside = spec->files_outside, .text = spec->text};
    DAL_TRY(dal_document_open_with(&g->doc, g->ctx, spec->source, &how));
    g->model = dal_document_model(g->doc);
    DAL_TRY(make_plan(g, spec));
    DAL_TRY(dal_gr_bind(g));
    DAL_TRY(dal_model_compile(g->model, &g->sys));
    dal_sweep_inputs_bind(g->input, &g->plan, g->model);
    dal_copy(g->now, g->given, g->n);
    g->happens =
        g->sys->contacts.n > 0 || g->sys->contacts.touches || g->sys->events.n > 0 || g->sys->life.released != NULL;
    g->opt = *dal_document_options(g->doc);
    g->t_end = dal_document_t_end(g->doc);
    return check_times(g);
}

static dal_status open_own(dal_gradient *g, const dal_gradient_spec *spec)
{
    DAL_TRY(make_plan(g, spec));
    DAL_TRY(dal_gr_own_init(g, spec->own));
    dal_copy(g->now, g->given, g->n);
    return DAL_OK;
}

static dal_status set_up(dal_gradient *g, const dal_gradient_spec *spec)
{
    DAL_TRY(copy_spec(g, spec));
    DAL_TRY(spec->own ? open_own(g, spec) : open_model(g, spec));
    DAL_TRY(check_system(g));
    DAL_TRY(choose_method(g));
    DAL_TRY(choose_simulation(g));
    DAL_TRY(g->own.system ? DAL_OK : dal_gr_check_forces(g));
    DAL_TRY(make_room(g));
    DAL_TRY(spec->own ? DAL_OK : dal_gr_check_numbers(g));
    DAL_TRY(dal_gr_check_all_breaks(g));
    DAL_TRY(dal_gr_check_whole(g));
    return finish_simulation(g);
}

dal_status dal_gradient_create_(dal_gradient **gradient, dal_ctx *ctx, const dal_gradient_spec *spec, size_t size)
{
    DAL_NEED(ctx, gradient);
    *gradient = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_gradient_spec, spec);
    DAL_NEED_AS(ctx, spec->source, "spec->source");
    dal_pool pool = {.ctx = ctx, .what = "a gradient"};
    dal_gradient *g;
    DAL_TAKE(&pool, g, 1);
    g->pool = pool;
    g->ctx = ctx;
    const dal_status st = set_up(g, spec);
    if (st != DAL_OK) {
        dal_gradient_destroy(g);
        return st;
    }
    *gradient = g;
    return DAL_OK;
}

void dal_gradient_destroy(dal_gradient *g)
{
    if (g == NULL) {
        return;
    }
    dal_gr_dismiss(g);
    dal_gr_drop_simulation(g);
    dal_gr_events_clear(g);
    dal_gr_close_whole(g);
    dal_binding_destroy(g->binding);
    if (g->plan.pool) {
        dal_sweep_plan_release(&g->plan);
    }
    dal_document_destroy(g->doc);
    dal_free(g->ctx, g->segment);
    dal_free(g->ctx, g->times);
    dal_free(g->ctx, g->line);
    dal_free(g->ctx, g->record);
    dal_pool pool = g->pool; // it is in it
    dal_pool_release(&pool);
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Where something may happen the adjoint takes each direction of a state through it. */
static dal_gradient_mode choose_mode(const dal_gradient *g, dal_gradient_mode asked)
{
    const int results = g->nof + (g->ndata > 0), few = 4 * results + (g->happens ? 4 * g->nv : 0);
    return asked != DAL_GRADIENT_AUTO ? asked : g->n <= few ? DAL_GRADIENT_FORWARD : DAL_GRADIENT_ADJOINT;
}

dal_status dal_gradient_run(dal_gradient *g, const double *numbers, dal_gradient_mode mode)
{
    DAL_NEED_AS(NULL, g, "gradient");
    dal_copy(g->now, numbers ? numbers : g->given, g->n);
    g->about = (dal_gradient_info){.mode = choose_mode(g, mode), .newton_error = NAN, .growth = NAN};
    const dal_status st = dal_gr_run_shared(g);
    if (st != DAL_EINVAL || mode != DAL_GRADIENT_AUTO || g->about.mode != DAL_GRADIENT_ADJOINT || !g->happens) {
        return st;
    }
    dal_log(g->ctx, DAL_LOG_INFO, "gradients: forward mode, for an event has no derivative in some directions");
    g->about.mode = DAL_GRADIENT_FORWARD;
    return dal_gr_run_shared(g);
}

dal_status dal_gr_run_once(dal_gradient *g)
{
    g->rows = 0;
    DAL_TRY(dal_gr_reopen(g));
    dal_status st = dal_gr_run(g);
    while (loosen(g, &st)) {
        st = dal_gr_run(g);
    }
    DAL_TRY(st);
    DAL_TRY(dal_gr_values(g));
    memset(g->row, 0, (size_t)g->nvalues * (size_t)g->n * sizeof *g->row);
    st = g->about.mode == DAL_GRADIENT_VALUES    ? DAL_OK
         : g->about.mode == DAL_GRADIENT_FORWARD ? dal_gr_forward(g)
                                                 : dal_gr_adjoint(g);
    if (st < 0 && g->happens) { // it ended beside the run: another start must not differ from a first one by rounding
        DAL_TRY(dal_gr_make_simulation(g));
    }
    return st;
}

void dal_gradient_freeze(dal_gradient *g, int on)
{
    if (g) {
        g->frozen = on;
    }
}

int dal_gradient_velocities(const dal_gradient *g)
{
    return g ? g->nv : 0;
}

dal_status dal_gradient_transition(dal_gradient *g, double *Phi)
{
    DAL_NEED_AS(NULL, g, "gradient");
    DAL_NEED(g->ctx, Phi);
    return g->nrecords > 0 && g->about.mode != DAL_GRADIENT_VALUES
               ? dal_gr_transition(g, Phi)
               : dal_fail(g->ctx, DAL_EINVAL, "dal_gradient_transition: run with derivatives first");
}

/* ---- questions -------------------------------------------------------------------------------- */

int dal_gradient_count(const dal_gradient *g)
{
    return g ? g->n : 0;
}

const char *dal_gradient_name(const dal_gradient *g, int k)
{
    return g && k >= 0 && k < g->n ? g->name[k] : NULL;
}

double dal_gradient_number(const dal_gradient *g, int k)
{
    return g && k >= 0 && k < g->n ? g->given[k] : (double)NAN;
}

int dal_gradient_values(const dal_gradient *g)
{
    return g ? g->nvalues : 0;
}

double dal_gradient_value(const dal_gradient *g, int i)
{
    return g && i >= 0 && i < g->nvalues ? g->value[i] : (double)NAN;
}

const double *dal_gradient_row(const dal_gradient *g, int i)
{
    return g && i >= 0 && i < g->rows ? g->row + (size_t)i * (size_t)g->n : NULL;
}

double dal_gradient_squares(const dal_gradient *g)
{
    return g ? g->squares : (double)NAN;
}

const double *dal_gradient_of_squares(const dal_gradient *g)
{
    return g && g->ndata > 0 && g->about.mode != DAL_GRADIENT_VALUES ? g->of_squares : NULL;
}

int dal_gradient_events(const dal_gradient *g)
{
    int n = 0;
    for (long i = 0; g && i < g->nrecords; ++i) {
        n += dal_gr_kind(g, i) == GR_AFTER;
    }
    return n;
}

double dal_gradient_event_time(const dal_gradient *g, int k)
{
    const long i = g && k >= 0 ? dal_gr_event(g, k) : -1;
    return i >= 0 ? dal_gr_time(g, i) : (double)NAN;
}

const double *dal_gradient_event_row(const dal_gradient *g, int k)
{
    const int known = g && g->event_row && g->about.mode == DAL_GRADIENT_FORWARD && k >= 0;
    return known && dal_gr_event(g, k) >= 0 ? g->event_row + (ptrdiff_t)k * g->n : NULL;
}

dal_gradient_info dal_gradient_about(const dal_gradient *g)
{
    return g ? g->about : (dal_gradient_info){.newton_error = NAN, .growth = NAN};
}
