/* What is differentiated: a model of a file, whose numbers are bound, or equations of the caller's own (dal_gradient_own), whose
 * derivatives with respect to the numbers are those of a callback, or differences of six values. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "mbs/derivative.h"
#include "system/data.h"

static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

/* Place j of six, -3 ... 3 without 0, and its weight in a derivative. */
static double place(int j)
{
    return j < 3 ? j - 3 : j - 2;
}

static double weight_of(int j)
{
    const double at = place(j);
    return (at < 0.0 ? -1.0 : 1.0) * weight[(int)fabs(at) - 1];
}

static double step_of(const dal_gradient *g, int k)
{
    return 1e-3 * (g->now[k] != 0.0 ? fabs(g->now[k]) : 1.0);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

dal_status dal_gr_set(dal_gradient *g, dal_data *data, const double *x)
{
    if (!g->own.system) {
        return dal_binding_set(g->binding, data, x);
    }
    dal_data_forget(data);
    return g->own.set(x, g->own.user);
}

dal_status dal_gr_guess(dal_gradient *g, dal_data *data, double *q, double *v, io_guess *how)
{
    if (!g->own.system) {
        return dal_binding_guess(g->binding, data, q, v, how, g->now);
    }
    *how = (io_guess){.closed = 1};
    DAL_TRY(dal_gr_set(g, data, g->now));
    return g->own.initial(q, v, g->own.user);
}

dal_status dal_gr_product(dal_gradient *g, const double *direction)
{
    if (!g->own.system) {
        return dal_binding_product(g->binding, dal_sim_data(g->sim), g->p, g->now, direction);
    }
    dal_copy(g->p, direction, g->n);
    return DAL_OK;
}

dal_status dal_gr_product_transposed(dal_gradient *g, double *of)
{
    if (!g->own.system) {
        return dal_binding_product_transposed(g->binding, dal_sim_data(g->sim), of, g->now, g->p);
    }
    dal_copy(of, g->p, g->n);
    return DAL_OK;
}

/* ---- equations of one's own ------------------------------------------------------------------- */

typedef struct own_dependence {
    dal_dependence base; /* first */
    dal_gradient *g;
    double *r, *rows, *column_r, *column_rows; /* nv, 4 nc each */
    double *x;                                 /* n: numbers that are moved */
    dal_range v, row;
    dal_pool pool;
} own_dependence;

/* The equations at a point, where they are wanted, into r and rows. */
static dal_status evaluate(const own_dependence *s, const dal_rows *wants, const dal_point *at)
{
    const int nc = s->row.n;
    const dal_residual out = {.r = wants->r ? s->r : NULL,
                              .Phi = wants->Phi ? s->rows : NULL,
                              .vel = wants->vel ? s->rows + nc : NULL,
                              .acc = wants->acc ? s->rows + 2 * nc : NULL,
                              .law = wants->law ? s->rows + 3 * nc : NULL};
    dal_zero(s->r, s->v.n);
    dal_zero(s->rows, 4 * nc);
    return dal_data_residual(dal_sim_data(s->g->sim), &out, at);
}

/* column += f d/dp_k */
static dal_status add_number(own_dependence *s, const dal_rows *wants, const dal_point *at, int k, double f)
{
    dal_gradient *g = s->g;
    const int nc = s->row.n;
    if (g->own.derivative) {
        const dal_residual out = {
            .r = s->r, .Phi = s->rows, .vel = s->rows + nc, .acc = s->rows + 2 * nc, .law = s->rows + 3 * nc};
        dal_zero(s->r, s->v.n);
        dal_zero(s->rows, 4 * nc);
        DAL_TRY(g->own.derivative(&out, at, k, g->own.user));
        dal_add_multiple(s->column_r, s->r, f, s->v.n);
        dal_add_multiple(s->column_rows, s->rows, f, 4 * nc);
        return DAL_OK;
    }
    const double own = g->now[k], step = step_of(g, k);
    dal_status st = DAL_OK;
    for (int j = 0; j < 6 && st == DAL_OK; ++j) {
        g->now[k] = own + place(j) * step;
        st = dal_gr_set(g, dal_sim_data(g->sim), g->now);
        st = st == DAL_OK ? evaluate(s, wants, at) : st;
        dal_add_multiple(s->column_r, s->r, f * weight_of(j) / step, s->v.n);
        dal_add_multiple(s->column_rows, s->rows, f * weight_of(j) / step, 4 * nc);
    }
    g->now[k] = own;
    const dal_status back = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    return st == DAL_OK ? back : st;
}

static dal_status columns(dal_dependence *p, const dal_rows *wants, const dal_point *at,
                          void (*take)(const dal_column *column, void *user), void *user)
{
    own_dependence *s = (own_dependence *)p;
    const int nc = s->row.n;
    double *rows = s->column_rows;
    const dal_point without = {at->t, at->q, at->v, at->vd, s->column_rows + 4 * nc};
    dal_column column = {
        .at = {.r = s->column_r, .Phi = rows, .vel = rows + nc, .acc = rows + 2 * nc, .law = rows + 3 * nc},
        .v = &s->v,
        .row = &s->row,
        .nv = 1,
        .nrows = nc > 0};
    for (int k = 0; k < p->n; ++k) {
        dal_zero(s->column_r, s->v.n);
        dal_zero(rows, 4 * nc);
        DAL_TRY(add_number(s, wants, at, k, 1.0));
        if (wants->alone) { // r is affine in lambda
            DAL_TRY(add_number(s, wants, &without, k, -1.0));
        }
        column.k = k;
        take(&column, user);
    }
    return DAL_OK;
}

static dal_status make_own(dal_gradient *g)
{
    const int nv = g->nv, nc = dal_system_rows(g->sys);
    dal_pool pool = {.ctx = g->ctx, .what = "derivatives of a system"};
    own_dependence *s;
    double *x;
    DAL_TAKE(&pool, s, 1);
    *s = (own_dependence){.base = {g->n, columns}, .g = g, .v = {0, nv}, .row = {0, nc}, .pool = pool};
    g->dependence = &s->base;
    DAL_TAKE(&s->pool, x, 2 * nv + 9 * nc + 1); // the last nc stay zero
    DAL_TAKE(&s->pool, s->x, g->n + 1);
    s->r = x;
    s->column_r = x + nv;
    s->rows = x + 2 * nv;
    s->column_rows = s->rows + 4 * nc;
    return DAL_OK;
}

void dal_gr_dependence_destroy(dal_gradient *g)
{
    if (g->dependence && g->own.system) {
        dal_pool pool = ((own_dependence *)g->dependence)->pool; // it is in it
        dal_pool_release(&pool);
    } else {
        mb_dependence_destroy(g->dependence);
    }
    g->dependence = NULL;
}

dal_status dal_gr_dependence_create(dal_gradient *g)
{
    g->about.differences = g->own.system && !g->own.derivative ? g->n : 0;
    return g->own.system ? make_own(g) : mb_dependence_create(&g->dependence, dal_sim_data(g->sim), g->index, g->np);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

int dal_gr_output_size(const dal_gradient *g)
{
    return g->own.system ? g->own.noutputs : dal_model_output_size(g->model);
}

dal_status dal_gr_outputs(dal_gradient *g, double *y, const dal_point *at)
{
    return g->own.system ? g->own.outputs(y, at, g->own.user)
                         : mb_outputs_wanted(dal_sim_data(g->sim), y, at, g->outputs.wanted);
}

dal_status dal_gr_outputs_by_number(dal_gradient *g, double *dy, double *y, const dal_point *at, int k)
{
    const int n = dal_gr_output_size(g);
    if (!g->own.system) {
        return mb_dependence_outputs(g->dependence, dy, y, n, at, g->outputs.wanted, k);
    }
    const double own = g->now[k], step = step_of(g, k);
    dal_status st = DAL_OK;
    dal_zero(dy, n);
    for (int j = 0; j < 6 && st == DAL_OK; ++j) {
        g->now[k] = own + place(j) * step;
        st = dal_gr_set(g, dal_sim_data(g->sim), g->now);
        st = st == DAL_OK ? dal_gr_outputs(g, y, at) : st;
        dal_add_multiple(dy, y, weight_of(j) / step, n);
    }
    g->now[k] = own;
    const dal_status back = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    return st == DAL_OK ? back : st;
}

dal_status dal_gr_outputs_moved(dal_gradient *g, double *y, const dal_point *at, const int *k, int count)
{
    if (!g->own.system) {
        return mb_dependence_outputs_moved(g->dependence, y, at, g->outputs.wanted, k, count);
    }
    double *x = ((own_dependence *)g->dependence)->x;
    dal_copy(x, g->now, g->n);
    for (int i = 0; i < count; ++i) {
        x[k[i]] += step_of(g, k[i]);
    }
    dal_status st = dal_gr_set(g, dal_sim_data(g->sim), x);
    st = st == DAL_OK ? dal_gr_outputs(g, y, at) : st;
    const dal_status back = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    return st == DAL_OK ? back : st;
}

/* ---- creation --------------------------------------------------------------------------------- */

static dal_status bind_input(dal_gradient *g, sweep_input *in, const char *name)
{
    *in = (sweep_input){.output = -1, .component = 0, .n = 1};
    if (strcmp(name, "t") == 0) {
        return DAL_OK;
    }
    for (int i = 0; i < g->own.noutputs; ++i) {
        if (strcmp(g->own.output[i], name) == 0) {
            in->output = in->first = i;
            return DAL_OK;
        }
    }
    return dal_fail(g->ctx, DAL_EINVAL, "gradients: the system has no output '%s'", name);
}

dal_status dal_gr_own_init(dal_gradient *g, const dal_gradient_own *own)
{
    if (!own->system || !own->options || !own->number || !own->set || !own->initial ||
        (own->noutputs > 0 && (!own->output || !own->outputs))) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "dal_gradient_create: equations of one's own need system, options, number, set, initial and "
                        "outputs");
    }
    if (!(own->t_end > 0.0)) {
        return dal_fail(g->ctx, DAL_EINVAL, "dal_gradient_create: t_end = %g is not after the start", own->t_end);
    }
    if (own->system->contacts.n > 0 || own->system->events.n > 0) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "gradients: equations of one's own with contacts or events are not differentiated");
    }
    g->own = *own;
    g->sys = own->system;
    for (int k = 0; k < g->plan.ninputs; ++k) {
        DAL_TRY(bind_input(g, &g->input[k], g->plan.input[k]));
    }
    dal_copy(g->given, own->number, g->n);
    g->opt = *own->options;
    g->t_end = own->t_end;
    g->jobs = 1; // callbacks need not know of threads
    return DAL_OK;
}

/* ---- what is not differentiated --------------------------------------------------------------- */

/* Derivatives by numbers are found by differences, whose steps would leave the thin layer in which wheels and teeth touch. */
dal_status dal_gr_check_forces(const dal_gradient *g)
{
    static const char *const refused[] = {"delay", "tyre", "rail", "mesh", "belt"};
    for (int k = 0; k < dal_model_report(g->model).forces; ++k) {
        dal_force force;
        DAL_TRY(dal_model_force_info(g->model, &force, k));
        const int lossy = (force.restitution > 0.0 && force.restitution < 1.0) || force.bristle > 0.0;
        if (strcmp(force.type, "contact") == 0 && lossy) { // what it remembers follows from the numbers, too
            return dal_fail(
                g->ctx, DAL_EINVAL,
                "gradients: contact '%s' remembers the speed at which it was touched, or its bristles, which "
                "is not differentiated; use restitution 1 and no bristles, or a joint of type contact",
                force.name);
        }
        for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
            if (strcmp(force.type, refused[i]) == 0) {
                return dal_fail(g->ctx, DAL_EINVAL, "gradients: force '%s' is of type %s, which is not differentiated",
                                force.name, force.type);
            }
        }
    }
    return DAL_OK;
}
