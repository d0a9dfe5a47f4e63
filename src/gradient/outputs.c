/* Derivatives of outputs with respect to a state and to numbers: differences of six values, which are exact to 1e-12 where outputs
 * are smooth. On what they depend is found once, at states drawn beside the run. */
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
    DAL_TAKE(&g->pool, o->y, 4 * size + 1);
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

/* The point with component `column` of a change of the state moved by `by`. */
static dal_point moved(dal_gradient *g, const dal_point *at, int column, double by)
{
    gr_outputs *o = &g->outputs;
    const int nv = g->nv, kind = column / nv;
    dal_point to = *at;
    if (kind == 0) {
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

/* dy: derivatives of all outputs; 0: there are none */
static dal_status column_of(dal_gradient *g, double *dy, const dal_point *at, int column, double step)
{
    const int size = dal_gr_output_size(g);
    const dal_stencil *by = column >= 3 * g->nv ? &dal_two_values : &dal_six_values; // the last are linear
    double *y = g->outputs.y + 2 * size;
    dal_zero(dy, size);
    for (int j = 0; j < by->n; ++j) {
        const dal_point to = moved(g, at, column, by->place[j] * step);
        DAL_TRY(dal_gr_outputs(g, y, &to));
        dal_add_multiple(dy, y, by->weight[j] / step, size);
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
    double *y = o->y + dal_gr_output_size(g), *other = o->J + g->plan.ninputs;
    if (numbers) {
        DAL_TRY(dal_gr_outputs_moved(g, y, at, list, n));
    } else {
        const dal_point to = moved_together(g, at, list, n);
        DAL_TRY(dal_gr_outputs(g, y, &to));
    }
    dal_gr_inputs_of(g, other, y, at->t);
    *yes = memcmp(other, x, (size_t)g->plan.ninputs * sizeof *x) != 0;
    return DAL_OK;
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

/* What is not in the list yet: components of a state, or numbers. */
static int left_over(dal_gradient *g, const int *list, int count, int all, int numbers)
{
    int n = 0;
    for (int k = 0; k < all; ++k) {
        int there = !numbers && k / g->nv == 2; // algorithmic accelerations are shown nowhere
        for (int i = 0; i < count && !there; ++i) {
            there = list[i] == k;
        }
        if (!there) {
            g->outputs.todo[n++] = k;
        }
    }
    return n;
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
    for (int trial = 0; trial < TRIALS; ++trial) {
        const long i = g->first + (g->held - 1) * trial / (TRIALS - 1);
        dal_gr_remember_all(g, i);
        dal_point room;
        const dal_point state = dal_gr_point(g, i);
        const dal_point *whole = dal_mask_point(g->parts.ev->sys, dal_sim_data(g->sim), &room, &state);
        const dal_point at = trial % 2 ? *whole : drawn(g, whole, &seed);
        double *x = o->J;
        DAL_TRY(dal_gr_outputs(g, o->y, &at));
        dal_gr_inputs_of(g, x, o->y, at.t);
        const int columns = left_over(g, o->column, o->ncolumns, g->ny, 0);
        DAL_TRY(search(g, &at, x, 0, o->column, &o->ncolumns, columns));
        const int numbers = left_over(g, o->number, o->nnumbers, g->np - g->nwhole, 1);
        DAL_TRY(search(g, &at, x, 1, o->number, &o->nnumbers, numbers));
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
    dal_gr_remember_all(g, i);
    dal_point room;
    const dal_point state = dal_gr_point(g, i);
    const dal_point at = *dal_mask_point(g->parts.ev->sys, dal_sim_data(g->sim), &room, &state);
    double *y = o->y, *dy = o->y + size, *dx = o->J;
    DAL_TRY(dal_gr_outputs(g, y, &at));
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
    const int size = dal_gr_output_size(g);
    double *y = o->y, *dy = o->y + size, *moved_y = o->y + 2 * size;
    dal_point room;
    dal_gr_remember_all(g, i);
    const dal_point state = dal_gr_point(g, i);
    dal_point at = *dal_mask_point(g->parts.ev->sys, dal_sim_data(g->sim), &room, &state);
    const double t = at.t, step = 1e-4 * g->t_end;
    DAL_TRY(dal_gr_outputs(g, y, &at));
    dal_zero(dy, size);
    for (int j = 0; j < dal_six_values.n; ++j) {
        at.t = t + dal_six_values.place[j] * step;
        DAL_TRY(dal_gr_outputs(g, moved_y, &at));
        dal_add_multiple(dy, moved_y, dal_six_values.weight[j] / step, size);
    }
    inputs_change(g, dx, y, dy);
    for (int k = 0; k < g->plan.ninputs; ++k) {
        dx[k] = g->input[k].output < 0 ? 1.0 : dx[k]; // time itself
    }
    return DAL_OK;
}
