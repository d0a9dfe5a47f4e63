/* What is differentiated: a model of a file, whose numbers are bound or opened with (anew.c), or equations of the caller's own
 * (dal_gradient_own). Of the last two whole equations are evaluated at a few values of a number, unless there is a callback. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "mbs/derivative.h"
#include "system/data.h"

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Those of a list for all numbers that are bound. */
static const double *bound_of(dal_gradient *g, double *room, const double *x)
{
    for (int i = 0; i < g->nbound; ++i) {
        room[i] = x[g->bound[i]];
    }
    return room;
}

dal_status dal_gr_set(dal_gradient *g, dal_data *data, const double *x)
{
    if (!g->own.system) {
        return dal_binding_set(g->binding, data, bound_of(g, g->bound_x, x));
    }
    dal_data_forget(data);
    return g->own.set(x, g->own.user);
}

dal_status dal_gr_guess(dal_gradient *g, double *q, double *v, io_guess *how, const gr_model *twin)
{
    dal_data *data = twin ? twin->data : dal_sim_data(g->sim);
    if (!g->own.system) {
        DAL_TRY(dal_binding_guess(twin ? twin->binding : g->binding, data, q, v, how, bound_of(g, g->bound_x, g->now)));
        how->closed |= g->nwhole > 0;
        if (twin && twin->shift) {
            dal_add_multiple(q, twin->shift, -1.0, g->sys->group->nq);
        }
        return DAL_OK;
    }
    *how = (io_guess){.closed = 1};
    DAL_TRY(dal_gr_set(g, data, g->now));
    return g->own.initial(q, v, g->own.user);
}

dal_status dal_gr_product(dal_gradient *g, const double *direction)
{
    if (!g->own.system) {
        DAL_TRY(dal_binding_product(g->binding, dal_sim_data(g->sim), g->p, bound_of(g, g->bound_x, g->now),
                                    bound_of(g, g->bound_dx, direction)));
    }
    for (int i = 0; i < g->nwhole; ++i) {
        g->p[g->ntotal + i] = direction[g->whole[i].number];
    }
    return DAL_OK;
}

dal_status dal_gr_product_transposed(dal_gradient *g, double *of)
{
    if (!g->own.system) {
        DAL_TRY(dal_binding_product_transposed(g->binding, dal_sim_data(g->sim), g->bound_dx,
                                               bound_of(g, g->bound_x, g->now), g->p));
    }
    for (int i = 0; i < g->nbound; ++i) {
        of[g->bound[i]] = g->bound_dx[i];
    }
    for (int i = 0; i < g->nwhole; ++i) {
        of[g->whole[i].number] = g->p[g->ntotal + i];
    }
    return DAL_OK;
}

/* ---- whole equations -------------------------------------------------------------------------- */

typedef struct whole_dependence {
    dal_dependence base;   /* first */
    dal_dependence *bound; /* numbers that are bound come first; NULL: there are none */
    dal_gradient *g;
    double *r, *rows, *column_r, *column_rows; /* nv, 4 nc each */
    dal_range v, row;
    dal_pool pool;
} whole_dependence;

/* The data of the equations with number w at place j, and the point as they see it. */
static dal_status move(dal_gradient *g, const gr_whole *w, int j, dal_data **data, dal_point *at)
{
    const int nq = g->sys->group->nq;
    *data = w->twin[j].data;
    if (*data) {
        dal_copy(g->shifted_q, at->q, nq);
        dal_add(g->shifted_q, w->twin[j].shift, nq);
        at->q = g->shifted_q;
        return DAL_OK;
    }
    g->now[w->number] = w->own + w->by->place[j] * w->step;
    *data = dal_sim_data(g->sim);
    return dal_gr_set(g, *data, g->now);
}

static dal_status move_back(dal_gradient *g, const gr_whole *w, dal_status st)
{
    if (w->twin[0].data) {
        return st;
    }
    g->now[w->number] = w->own;
    const dal_status back = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    return st == DAL_OK ? back : st;
}

/* column += f d/dp of a number */
static dal_status add_number(whole_dependence *s, const dal_rows *wants, const dal_point *at, const gr_whole *w,
                             double f)
{
    dal_gradient *g = s->g;
    const int nc = s->row.n, callback = g->own.derivative != NULL;
    const dal_residual out = {.r = wants->r || callback ? s->r : NULL,
                              .Phi = wants->Phi || callback ? s->rows : NULL,
                              .vel = wants->vel || callback ? s->rows + nc : NULL,
                              .acc = wants->acc || callback ? s->rows + 2 * nc : NULL,
                              .law = wants->law || callback ? s->rows + 3 * nc : NULL};
    dal_status st = DAL_OK;
    for (int j = 0; j < (callback ? 1 : w->by->n) && st == DAL_OK; ++j) {
        const double weight = f * (callback ? 1.0 : w->by->weight[j] / w->step);
        dal_point to = *at;
        dal_data *data;
        dal_zero(s->r, s->v.n);
        dal_zero(s->rows, 4 * nc);
        st = callback ? g->own.derivative(&out, at, w->number, g->own.user) : move(g, w, j, &data, &to);
        st = st == DAL_OK && !callback ? dal_data_residual(data, &out, &to) : st;
        dal_add_multiple(s->column_r, s->r, weight, s->v.n);
        dal_add_multiple(s->column_rows, s->rows, weight, 4 * nc);
    }
    return callback ? st : move_back(g, w, st);
}

static dal_status columns(dal_dependence *p, const dal_rows *wants, const dal_point *at,
                          void (*take)(const dal_column *column, void *user), void *user)
{
    whole_dependence *s = (whole_dependence *)p;
    const int nc = s->row.n, first = s->bound ? s->bound->n : 0;
    double *rows = s->column_rows;
    const dal_point without = {at->t, at->q, at->v, at->vd, s->column_rows + 4 * nc};
    dal_column column = {
        .at = {.r = s->column_r, .Phi = rows, .vel = rows + nc, .acc = rows + 2 * nc, .law = rows + 3 * nc},
        .v = &s->v,
        .row = &s->row,
        .nv = 1,
        .nrows = nc > 0};
    DAL_TRY(s->bound ? s->bound->columns(s->bound, wants, at, take, user) : DAL_OK);
    for (int k = first; k < p->n; ++k) {
        const gr_whole *w = &s->g->whole[k - first];
        dal_zero(s->column_r, s->v.n);
        dal_zero(rows, 4 * nc);
        DAL_TRY(add_number(s, wants, at, w, 1.0));
        if (wants->alone) { // r is affine in lambda
            DAL_TRY(add_number(s, wants, &without, w, -1.0));
        }
        column.k = k;
        take(&column, user);
    }
    return DAL_OK;
}

static dal_status make_whole(dal_gradient *g, dal_dependence *bound)
{
    const int nv = g->nv, nc = dal_system_rows(g->sys);
    dal_pool pool = {.ctx = g->ctx, .what = "derivatives of a system"};
    whole_dependence *s;
    double *x;
    DAL_TAKE(&pool, s, 1);
    *s = (whole_dependence){
        .base = {g->np, columns}, .bound = bound, .g = g, .v = {0, nv}, .row = {0, nc}, .pool = pool};
    g->dependence = &s->base;
    DAL_TAKE(&s->pool, x, 2 * nv + 9 * nc + 1); // the last nc stay zero
    s->r = x;
    s->column_r = x + nv;
    s->rows = x + 2 * nv;
    s->column_rows = s->rows + 4 * nc;
    return DAL_OK;
}

static int is_whole(const dal_gradient *g)
{
    return g->dependence && g->dependence->columns == columns;
}

dal_dependence *dal_gr_bound(const dal_gradient *g)
{
    return is_whole(g) ? ((whole_dependence *)g->dependence)->bound : g->dependence;
}

void dal_gr_dependence_destroy(dal_gradient *g)
{
    dal_dependence *bound = g->dependence;
    if (is_whole(g)) {
        dal_pool pool = ((whole_dependence *)g->dependence)->pool; // it is in it
        bound = ((whole_dependence *)g->dependence)->bound;
        dal_pool_release(&pool);
    }
    mb_dependence_destroy(bound);
    g->dependence = NULL;
}

dal_status dal_gr_dependence_create(dal_gradient *g)
{
    g->about.differences = g->own.system && !g->own.derivative ? g->n : 0;
    const int nbound = g->np - g->nwhole - g->nremembered;
    dal_dependence *bound = NULL;
    DAL_TRY(g->own.system ? DAL_OK : mb_dependence_create(&bound, dal_sim_data(g->sim), g->index, nbound, g->t_end));
    if (g->nwhole == 0 && bound) {
        g->dependence = bound;
        return DAL_OK;
    }
    const dal_status st = make_whole(g, bound);
    if (!is_whole(g)) {
        mb_dependence_destroy(bound);
    }
    return st;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

int dal_gr_output_size(const dal_gradient *g)
{
    return g->own.system ? g->own.noutputs : dal_model_output_size(g->model);
}

static dal_status outputs_of(dal_gradient *g, dal_data *data, double *y, const dal_point *at)
{
    return g->own.system ? g->own.outputs(y, at, g->own.user) : mb_outputs_wanted(data, y, at, g->outputs.wanted);
}

dal_status dal_gr_outputs(dal_gradient *g, double *y, const dal_point *at)
{
    return outputs_of(g, dal_sim_data(g->sim), y, at);
}

dal_status dal_gr_outputs_by_number(dal_gradient *g, double *dy, double *y, const dal_point *at, int k)
{
    const int n = dal_gr_output_size(g), nbound = g->np - g->nwhole;
    if (k < nbound) {
        return mb_dependence_outputs(dal_gr_bound(g), dy, y, n, at, g->outputs.wanted, k);
    }
    const gr_whole *w = &g->whole[k - nbound];
    dal_status st = DAL_OK;
    dal_zero(dy, n);
    for (int j = 0; j < w->by->n && st == DAL_OK; ++j) {
        dal_point to = *at;
        dal_data *data;
        st = move(g, w, j, &data, &to);
        st = st == DAL_OK ? outputs_of(g, data, y, &to) : st;
        dal_add_multiple(dy, y, w->by->weight[j] / w->step, n);
    }
    return move_back(g, w, st);
}

dal_status dal_gr_outputs_moved(dal_gradient *g, double *y, const dal_point *at, const int *k, int count)
{
    return mb_dependence_outputs_moved(dal_gr_bound(g), y, at, g->outputs.wanted, k, count);
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
    DAL_TAKE(&g->pool, g->whole, g->n + 1);
    for (; g->nwhole < g->n; ++g->nwhole) {
        g->whole[g->nwhole].number = g->nwhole;
    }
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

/* Can the number be changed a little, to one side at least? A message says why not. */
static int can_move(dal_gradient *g, int k)
{
    const double own = g->given[k], step = 1e-3 * (own != 0.0 ? fabs(own) : 1.0);
    int good = 0;
    for (int side = -1; side <= 1 && !good; side += 2) {
        g->now[k] = own + side * step;
        good = dal_gr_set(g, dal_sim_data(g->sim), g->now) == DAL_OK;
    }
    g->now[k] = own;
    return good;
}

dal_status dal_gr_check_numbers(dal_gradient *g)
{
    for (int i = 0; i < g->nbound; ++i) {
        const int k = g->bound[i];
        if (!can_move(g, k)) {
            char why[300];
            snprintf(why, sizeof why, "%s", dal_ctx_message(g->ctx));
            return dal_fail(g->ctx, DAL_EINVAL, "gradients: '%s' cannot be moved: %s", g->name[k], why);
        }
    }
    dal_ctx_clear(g->ctx);
    return dal_gr_set(g, dal_sim_data(g->sim), g->given);
}

dal_status dal_gr_check_forces(const dal_gradient *g)
{
    for (int k = 0; k < dal_model_report(g->model).forces; ++k) {
        dal_force force;
        DAL_TRY(dal_model_force_info(g->model, &force, k));
        const int lossy = (force.restitution > 0.0 && force.restitution < 1.0) || force.bristle > 0.0;
        const int contact = strcmp(force.type, "contact") == 0 && lossy;
        if ((contact || strcmp(force.type, "delay") == 0) && (g->happens || g->nwhole > 0)) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "gradients: %s '%s' remembers %s, which is not differentiated in models with contacts as "
                            "joints, limits, releases or events%s",
                            contact ? "contact" : "delay", force.name,
                            contact ? "the speed at which it was touched, or its bristles" : "the past",
                            g->happens ? ""
                                       : ", nor by numbers that a model is opened with, of beams and flexible bodies");
        }
    }
    const char *reaction = mb_remembered_reaction(dal_sim_data(g->sim));
    return reaction ? dal_fail(g->ctx, DAL_EINVAL,
                               "gradients: delay '%s' reads a reaction, which is not differentiated; delay what the "
                               "reaction follows from",
                               reaction)
                    : DAL_OK;
}
