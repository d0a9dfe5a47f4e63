/* Derivatives of outputs with respect to a state and to numbers: differences of six values, which are exact to 1e-12 where outputs
 * are smooth. On what they depend is found at states drawn beside the run, and each state is asked for what these have not shown:
 * forces may act, and values of tables count, for a short time. */
#include <math.h>
#include <string.h>

#include "base/stencil.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "mbs/derivative.h"
#include "system/mask.h"

void dal_gr_inputs_of(const dal_gradient *g, double *x, const double *y, double t)
{
    for (int k = 0; k < g->plan.ninputs; ++k) {
        const sweep_input *in = &g->input[k];
        const double *from = y + in->first;
        x[k] = in->output < 0 ? t : in->n == 1 ? from[0] : sqrt(dal_dot(from, from, 3));
    }
}

/* dx from dy at y */
static void inputs_change(const dal_gradient *g, double *dx, const double *y, const double *dy)
{
    for (int k = 0; k < g->plan.ninputs; ++k) {
        const sweep_input *in = &g->input[k];
        const double *from = y + in->first, *by = dy + in->first;
        const double norm = in->n == 1 ? 1.0 : sqrt(dal_dot(from, from, 3));
        dx[k] = in->output < 0 ? 0.0 : in->n == 1 ? by[0] : norm > 0.0 ? dal_dot(from, by, 3) / norm : 0.0;
    }
}

dal_status dal_gr_outputs_init(dal_gradient *g)
{
    gr_outputs *o = &g->outputs;
    const int rows = dal_system_rows(g->sys), size = dal_gr_output_size(g);
    const int all = 4 * g->nv + rows;
    DAL_TAKE(&g->pool, o->column, all);
    DAL_TAKE(&g->pool, o->number, g->np + 1);
    DAL_TAKE(&g->pool, o->J, (g->plan.ninputs + 1) * (all + g->np + 1));
    DAL_TAKE(&g->pool, o->y, 6 * size + 1);
    DAL_TAKE(&g->pool, o->q, 2 * g->sys->group->nq);
    DAL_TAKE(&g->pool, o->v, 2 * g->nv);
    DAL_TAKE(&g->pool, o->vd, 2 * g->nv);
    DAL_TAKE(&g->pool, o->la, 2 * rows + 1);
    DAL_TAKE(&g->pool, o->theta, g->nv);
    DAL_TAKE(&g->pool, o->todo, all + g->np);
    DAL_TAKE(&g->pool, o->wanted, (g->own.system ? g->own.noutputs : dal_model_output_count(g->model)) + 1);
    for (int k = 0; k < g->plan.ninputs; ++k) {
        if (g->input[k].output >= 0) {
            o->wanted[g->input[k].output] = 1;
        }
    }
    DAL_TAKE(&g->pool, o->rate, g->plan.ninputs + 1);
    return DAL_OK;
}

/* The point with component `column` of a change of the state moved by `by`; TIME: with another time. */
enum { TIME = -1 };
static dal_point moved(dal_gradient *g, const dal_point *at, int column, double by)
{
    gr_outputs *o = &g->outputs;
    const int nv = g->nv, kind = column / nv;
    dal_point to = *at;
    if (column == TIME) {
        to.t += by;
    } else if (kind == 0) {
        dal_zero(o->theta, nv);
        o->theta[column] = by;
        dal_retract(g->sys->group, o->q, at->q, o->theta);
        to.q = o->q;
    } else if (kind < 4) {
        double *x = kind == 1 ? o->v : o->vd;
        dal_copy(x, kind == 1 ? at->v : at->vd, nv);
        x[column % nv] += by;
        *(kind == 1 ? &to.v : &to.vd) = x;
    } else {
        dal_copy(o->la, at->la, dal_system_rows(g->sys));
        o->la[dal_mask_row(g->parts.ev->sys, column - 4 * nv)] += by;
        to.la = o->la;
    }
    return to;
}

static double step_of(const dal_gradient *g, int column)
{
    const int nv = g->nv, kind = column / nv;
    const int thin = kind == 0 && !g->own.system && mb_has_thin_forces(dal_sim_data(g->sim)); // a contact must not open
    // velocities enter as polynomials most of the time, accelerations and multipliers linearly
    return kind < 4 ? (kind == 3 ? 1.0 : thin ? 1e-6 : 1e-3) * g->parts.ev->unit[column % nv] : 1.0;
}

/* Derivatives of all outputs by a stencil over `step`, and by the four values among six, which lack little where outputs are smooth. */
static dal_status slopes(dal_gradient *g, double *dy, double *four, const dal_point *at, int column,
                         const dal_stencil *by, double step)
{
    const int size = dal_gr_output_size(g);
    double *y = g->outputs.y + 2 * size;
    dal_zero(dy, size);
    dal_zero(four, size);
    for (int j = 0; j < by->n; ++j) {
        const dal_point to = moved(g, at, column, by->place[j] * step);
        DAL_TRY(dal_gr_outputs(g, y, &to));
        dal_add_multiple(dy, y, by->weight[j] / step, size);
        if (j > 0 && j + 1 < by->n) {
            dal_add_multiple(four, y, dal_four_values.weight[j - 1] / step, size);
        }
    }
    return DAL_OK;
}

/* Is any derivative of what is collected in doubt? apart: by how much they are other than by fewer values. What is small beside the
 * outputs over the step does not count. */
static int doubtful(const dal_gradient *g, const double *dy, const double *apart, double step)
{
    const double *y = g->outputs.y;
    int yes = 0;
    for (int k = 0; k < g->plan.ninputs; ++k) {
        const sweep_input *in = &g->input[k];
        for (int i = in->first; i < in->first + in->n && in->output >= 0; ++i) {
            yes |= apart[i] > 1e-6 * (fabs(dy[i]) + 1e-7 * fabs(y[i]) / step);
        }
    }
    return yes;
}

/* Those over a shorter step where they leave much less doubt. */
static void take_better(double *dy, double *apart, const double *other, const double *four, int n)
{
    for (int i = 0; i < n; ++i) {
        const double now = fabs(other[i] - four[i]);
        if (now < 1e-3 * apart[i]) {
            dy[i] = other[i];
            apart[i] = now;
        }
    }
}

/* dy: derivatives of all outputs, y, at a point. A table or a law may have a corner within reach: then shorter steps do. */
static dal_status column_of(dal_gradient *g, double *dy, const dal_point *at, int column, double step)
{
    enum { SHORTER = 2 };
    const int size = dal_gr_output_size(g), linear = column >= 3 * g->nv; // in accelerations and multipliers
    double *four = g->outputs.y + 3 * size, *other = four + size, *apart = other + size;
    DAL_TRY(slopes(g, dy, four, at, column, linear ? &dal_two_values : &dal_six_values, step));
    for (int i = 0; i < size; ++i) {
        apart[i] = linear ? 0.0 : fabs(dy[i] - four[i]);
    }
    for (int k = 0; k < SHORTER && doubtful(g, dy, apart, step); ++k) {
        DAL_TRY(slopes(g, other, four, at, column, &dal_six_values, step * (k == 0 ? 1e-2 : 1e-4)));
        take_better(dy, apart, other, four, size);
    }
    return DAL_OK;
}

static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* A state beside a state of the run. */
static dal_point drawn(dal_gradient *g, const dal_point *at, unsigned *seed)
{
    gr_outputs *o = &g->outputs;
    const int nv = g->nv, nq = g->sys->group->nq, rows = dal_system_rows(g->sys);
    for (int i = 0; i < nv; ++i) {
        const double unit = g->parts.ev->unit[i];
        o->theta[i] = 0.3 * unit * draw(seed);
        o->v[nv + i] = at->v[i] + unit * draw(seed);
        o->vd[nv + i] = at->vd[i] + unit * draw(seed);
    }
    for (int i = 0; i < rows; ++i) {
        o->la[rows + i] = at->la[i] + draw(seed);
    }
    dal_retract(g->sys->group, o->q + nq, at->q, o->theta);
    return (dal_point){at->t, o->q + nq, o->v + nv, o->vd + nv, o->la + rows};
}

/* The point with several components of a change of the state moved, as far as states are drawn. */
static dal_point moved_together(dal_gradient *g, const dal_point *at, const int *column, int n)
{
    gr_outputs *o = &g->outputs;
    const int nv = g->nv;
    unsigned seed = 11;
    dal_zero(o->theta, nv);
    dal_copy(o->v, at->v, nv);
    dal_copy(o->vd, at->vd, nv);
    dal_copy(o->la, at->la, dal_system_rows(g->sys));
    for (int i = 0; i < n; ++i) {
        const int k = column[i] % nv, kind = column[i] / nv;
        const double by = 1.0 + 0.5 * draw(&seed), unit = kind < 4 ? g->parts.ev->unit[k] : 1.0;
        if (kind < 4) {
            *(kind == 0 ? &o->theta[k] : kind == 1 ? &o->v[k] : &o->vd[k]) += (kind == 0 ? 0.3 : 1.0) * unit * by;
        } else {
            o->la[dal_mask_row(g->parts.ev->sys, column[i] - 4 * nv)] += by;
        }
    }
    dal_retract(g->sys->group, o->q, at->q, o->theta);
    return (dal_point){at->t, o->q, o->v, o->vd, o->la};
}

/* Do the inputs, x, change with some components of the state, or some numbers? */
static dal_status changes(dal_gradient *g, int *yes, const dal_point *at, const double *x, int numbers, const int *list,
                          int n)
{
    gr_outputs *o = &g->outputs;
    double *y = o->y + dal_gr_output_size(g), *other = o->J + 2 * g->plan.ninputs;
    dal_status st;
    if (numbers) {
        st = dal_gr_outputs_moved(g, y, at, list, n);
    } else {
        const dal_point to = moved_together(g, at, list, n);
        st = dal_gr_outputs(g, y, &to);
    }
    *yes = st != DAL_OK; // so far away there may be no outputs
    if (st == DAL_OK) {
        dal_gr_inputs_of(g, other, y, at->t);
        *yes = memcmp(other, x, (size_t)g->plan.ninputs * sizeof *x) != 0;
    } else if (st != DAL_ENOMEM) {
        dal_ctx_clear(g->ctx);
        st = DAL_OK;
    }
    return st;
}

/* Those of todo[0 .. n-1] on which the inputs depend are added to a list: what changes nothing together changes nothing alone, the
 * others are halved. */
static dal_status search(dal_gradient *g, const dal_point *at, const double *x, int numbers, int *list, int *count,
                         int n)
{
    const int *todo = g->outputs.todo;
    struct {
        int from, n;
    } part[64];
    int parts = 0, yes;
    part[parts].from = 0;
    part[parts++].n = n;
    while (parts > 0) {
        const int from = part[--parts].from, size = part[parts].n, half = size / 2;
        if (size == 0) {
            continue;
        }
        DAL_TRY(changes(g, &yes, at, x, numbers, todo + from, size));
        if (yes && size == 1) {
            list[(*count)++] = todo[from];
        } else if (yes) {
            part[parts].from = from + half;
            part[parts++].n = size - half;
            part[parts].from = from;
            part[parts++].n = half;
        }
    }
    return DAL_OK;
}

/* What may be missing in a list: components of a state, or numbers. */
enum { STATE, NUMBERS, LOCAL_NUMBERS };
static int may_be_missing(const dal_gradient *g, int k, int what, double t)
{
    if (what == STATE) {
        return k / g->nv != 2; // algorithmic accelerations are shown nowhere
    }
    return mb_dependence_is_local(dal_gr_bound(g), k) == (what == LOCAL_NUMBERS) &&
           mb_dependence_counts(dal_gr_bound(g), k, t);
}

/* Add to a list what it lacks at a point with inputs x. */
static dal_status complete(dal_gradient *g, const dal_point *at, const double *x, int what)
{
    gr_outputs *o = &g->outputs;
    int *list = what == STATE ? o->column : o->number, *count = what == STATE ? &o->ncolumns : &o->nnumbers;
    const int all = what == STATE ? g->ny : g->own.system ? 0 : g->np - g->nwhole;
    int n = 0;
    for (int k = 0; k < all; ++k) {
        int there = !may_be_missing(g, k, what, at->t);
        for (int i = 0; i < *count && !there; ++i) {
            there = list[i] == k;
        }
        if (!there) {
            o->todo[n++] = k;
        }
    }
    return search(g, at, x, what != STATE, list, count, n);
}

/* On what the inputs, x, depend at a point. Of values of tables those that count there: the next point has others. There is room behind x. */
static dal_status complete_lists(dal_gradient *g, const dal_point *at, double *x)
{
    gr_outputs *o = &g->outputs;
    double *y = o->y + dal_gr_output_size(g), *here = x + g->plan.ninputs;
    const dal_point same = moved_together(g, at, NULL, 0); // but for rounding
    o->nnumbers = o->nkept;
    DAL_TRY(dal_gr_outputs(g, y, &same));
    dal_gr_inputs_of(g, here, y, at->t);
    DAL_TRY(complete(g, at, here, STATE));
    DAL_TRY(complete(g, at, x, NUMBERS));
    o->nkept = o->nnumbers;
    return complete(g, at, x, LOCAL_NUMBERS);
}

/* A state as outputs see it. room: it may point there */
static dal_point seen_at(dal_gradient *g, long i, dal_point *room)
{
    dal_gr_remember_all(g, i);
    const dal_point state = dal_gr_point(g, i);
    return *dal_mask_point(g->parts.ev->sys, dal_sim_data(g->sim), room, &state);
}

/* On what the inputs depend: at a few states, and beside them. */
static dal_status find_lists(dal_gradient *g)
{
    enum { TRIALS = 6 };
    gr_outputs *o = &g->outputs;
    unsigned seed = 1;
    o->ncolumns = 0;
    for (o->nnumbers = 0; o->nnumbers < g->nwhole; ++o->nnumbers) { // these may change anything
        o->number[o->nnumbers] = g->np - g->nwhole + o->nnumbers;
    }
    o->nkept = o->nnumbers;
    for (int trial = 0; trial < TRIALS; ++trial) {
        dal_point room;
        const dal_point state = seen_at(g, g->first + (g->held - 1) * trial / (TRIALS - 1), &room);
        const dal_point at = trial % 2 ? state : drawn(g, &state, &seed);
        double *x = o->J;
        DAL_TRY(dal_gr_outputs(g, o->y, &at));
        dal_gr_inputs_of(g, x, o->y, at.t);
        DAL_TRY(complete_lists(g, &at, x));
    }
    o->known = 1;
    return DAL_OK;
}

dal_status dal_gr_outputs_at(dal_gradient *g, long i)
{
    gr_outputs *o = &g->outputs;
    const int size = dal_gr_output_size(g), ninputs = g->plan.ninputs;
    if (!o->known) {
        DAL_TRY(find_lists(g));
    }
    dal_point room;
    const dal_point at = seen_at(g, i, &room);
    double *y = o->y, *dy = o->y + size, *dx = o->J;
    DAL_TRY(dal_gr_outputs(g, y, &at));
    dal_gr_inputs_of(g, dx, y, at.t);
    DAL_TRY(complete_lists(g, &at, dx));
    for (int k = 0; k < o->ncolumns; ++k, dx += ninputs) {
        DAL_TRY(column_of(g, dy, &at, o->column[k], step_of(g, o->column[k])));
        inputs_change(g, dx, y, dy);
    }
    for (int k = 0; k < o->nnumbers; ++k, dx += ninputs) {
        DAL_TRY(dal_gr_outputs_by_number(g, dy, y + 2 * size, &at, o->number[k]));
        inputs_change(g, dx, y, dy);
    }
    return DAL_OK;
}

dal_status dal_gr_outputs_rate(dal_gradient *g, double *dx, long i)
{
    gr_outputs *o = &g->outputs;
    double *y = o->y, *dy = y + dal_gr_output_size(g);
    dal_point room;
    const dal_point at = seen_at(g, i, &room);
    DAL_TRY(dal_gr_outputs(g, y, &at));
    DAL_TRY(column_of(g, dy, &at, TIME, 1e-4 * g->t_end));
    inputs_change(g, dx, y, dy);
    for (int k = 0; k < g->plan.ninputs; ++k) {
        dx[k] = g->input[k].output < 0 ? 1.0 : dx[k]; // time itself
    }
    return DAL_OK;
}
