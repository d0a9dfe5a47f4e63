/* Forwards and backwards through the records of a run. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "mbs/derivative.h"

/* The step that ends with record i, or the start that it is. */
static dal_status linearize(dal_gradient *g, long i)
{
    DAL_TRY(dal_gr_load(g, i));
    DAL_TRY(dal_gr_need_derivative(g));
    if (i == 0 || dal_gr_fresh(g, i)) {
        const double *q, *v;
        DAL_TRY(dal_gr_before_start(g, &q, &v, i));
        return g->type->start(g->derivative, dal_gr_time(g, i), q, v, g->opt.h);
    }
    dal_gr_remember(g, i - 1);
    dal_gr_stretch(g, i - 1);
    return g->type->step(g->derivative, dal_gr_record(g, i - 1), dal_gr_record(g, i));
}

/* ---- forwards --------------------------------------------------------------------------------- */

dal_status dal_gr_directions(dal_gradient *g, double *dp)
{
    double *unit = g->of_squares;
    for (int k = 0; k < g->n; ++k) {
        dal_zero(unit, g->n);
        unit[k] = 1.0;
        DAL_TRY(dal_gr_product(g, unit));
        for (int i = 0; i < g->np; ++i) {
            dp[i + k * g->np] = g->index[i] >= 0 ? g->p[g->index[i]] : 0.0;
        }
    }
    return DAL_OK;
}

static void initial_changes(const dal_gradient *g, double *Y, const double *dp)
{
    const int nv = g->nv;
    for (int k = 0; k < g->n; ++k) {
        double *y = Y + k * g->ny;
        dal_zero(y, g->ny);
        if (g->start.closed) {
            dal_copy(y, g->dq0 + k * nv, nv);
            dal_copy(y + nv, g->dv0 + k * nv, nv);
            continue;
        }
        for (int i = 0; i < g->np; ++i) {
            const double f = dp[i + k * g->np], *q = mb_dependence_q0(g->dependence, i),
                         *v = mb_dependence_v0(g->dependence, i);
            if (q && f != 0.0) {
                dal_add_multiple(y, q, f, nv);
            }
            if (v && f != 0.0) {
                dal_add_multiple(y + nv, v, f, nv);
            }
        }
    }
}

/* Changes of state i from those of the state before. Directions from `first` on are those of the numbers. */
static dal_status next_changes(dal_gradient *g, long i, double *Y, double *dp, int count, int first)
{
    int done;
    DAL_TRY(dal_gr_stretch_to(g, Y, &done, i, count, first));
    if (done) {
        return DAL_OK;
    }
    DAL_TRY(linearize(g, i));
    DAL_TRY(i == 0 ? dal_gr_joints_forward(g, Y, dp, count) : DAL_OK);
    if (i == 0 || dal_gr_fresh(g, i)) {
        dal_gr_renewed_forward(g, dp, Y, count);
        DAL_TRY(g->type->start_forward(g->derivative, Y, dp, count));
    } else {
        DAL_TRY(g->type->step_forward(g->derivative, Y, dp, count));
    }
    return dal_gr_renew_forward(g, dp, Y, i, count);
}

/* What the change of its time does: sums over time, and outputs that have time in them. */
static dal_status add_time(dal_gradient *g, long i, double *c)
{
    double *rate = g->outputs.rate;
    if (dal_max_abs(g->dt, g->n) == 0.0) {
        return DAL_OK;
    }
    DAL_TRY(dal_gr_outputs_rate(g, rate, i));
    for (int value = 0; value < g->nvalues; ++value) {
        double *row = g->row + (size_t)value * (size_t)g->n;
        const int weighed = dal_gr_weights(g, c, NULL, value, i);
        const double f = dal_gr_time_slope(g, value, i) + (weighed ? dal_dot(c, rate, g->plan.ninputs) : 0.0);
        dal_add_multiple(row, g->dt, f, g->n);
    }
    return DAL_OK;
}

/* What the changes of state i do to all values. */
static dal_status add_state(dal_gradient *g, long i, const double *Y, const double *dp, double *c)
{
    const gr_outputs *o = &g->outputs;
    const int ninputs = g->plan.ninputs;
    int known = 0;
    for (int value = 0; value < g->nvalues; ++value) {
        double *row = g->row + (size_t)value * (size_t)g->n;
        if (value >= g->nof) { // most residuals are of other times
            const gr_nodes *at = &g->nodes[value - g->nof];
            if (i < at->first || i >= at->first + at->n) {
                continue;
            }
        }
        if (!dal_gr_weights(g, c, row, value, i)) {
            continue;
        }
        if (!known) {
            DAL_TRY(dal_gr_outputs_at(g, i));
            known = 1;
        }
        const double *J = o->J;
        for (int k = 0; k < o->ncolumns; ++k, J += ninputs) {
            const double f = dal_dot(c, J, ninputs);
            for (int j = 0; j < g->n; ++j) {
                row[j] += f * Y[o->column[k] + j * g->ny];
            }
        }
        for (int k = 0; k < o->nnumbers; ++k, J += ninputs) {
            const double f = dal_dot(c, J, ninputs);
            for (int j = 0; j < g->n; ++j) {
                row[j] += f * dp[o->number[k] + j * g->np];
            }
        }
    }
    return DAL_OK;
}

static dal_status forward(dal_gradient *g, double *Y, double *dp, double *c)
{
    DAL_TRY(dal_gr_load(g, 0)); // rows that are held there
    DAL_TRY(dal_gr_event_rows(g));
    DAL_TRY(dal_gr_directions(g, dp));
    initial_changes(g, Y, dp);
    for (long i = 0; i < g->nrecords; ++i) {
        DAL_TRY(next_changes(g, i, Y, dp, g->n, 0));
        DAL_TRY(add_state(g, i, Y, dp, c));
        DAL_TRY(add_time(g, i, c));
        dal_gr_note_event(g, i);
    }
    return DAL_OK;
}

dal_status dal_gr_forward(dal_gradient *g)
{
    const size_t n = (size_t)g->n;
    double *Y = dal_alloc_zero(g->ctx, ((size_t)(g->wide + g->np) * n + (size_t)g->plan.ninputs + 1) * sizeof *Y);
    if (!Y) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the changes of a state with %d numbers", g->n);
    }
    double *dp = Y + (size_t)g->wide * n;
    const dal_status st = forward(g, Y, dp, dp + (size_t)g->np * n);
    dal_free(g->ctx, Y);
    DAL_TRY(st);
    dal_zero(g->of_squares, g->n);
    for (int i = g->nof; i < g->nvalues; ++i) {
        dal_add_multiple(g->of_squares, g->row + (size_t)i * n, 2.0 * g->value[i], g->n);
    }
    g->rows = g->nvalues;
    return DAL_OK;
}

/* Columns first .. first + count - 1 of the transition matrix. */
static dal_status some_columns(dal_gradient *g, double *Phi, double *Y, double *dp, int first, int count)
{
    const int nv = g->nv;
    DAL_TRY(dal_gr_load(g, 0)); // rows that are held there
    dal_zero(Y, g->ny * count);
    dal_zero(dp, g->np * count); // what is remembered
    for (int j = 0; j < count; ++j) {
        Y[j * g->ny + first + j] = 1.0;
    }
    for (long i = 0; i < g->nrecords; ++i) {
        DAL_TRY(next_changes(g, i, Y, dp, count, count));
    }
    for (int j = 0; j < count; ++j) {
        dal_copy(Phi + (size_t)(first + j) * 2 * (size_t)nv, Y + j * g->ny, 2 * nv);
    }
    return DAL_OK;
}

dal_status dal_gr_transition(dal_gradient *g, double *Phi)
{
    const int room = g->columns, n = 2 * g->nv;
    double *Y = dal_alloc_zero(g->ctx, (size_t)(g->wide + g->np) * (size_t)room * sizeof *Y);
    if (!Y) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for a transition matrix");
    }
    dal_status st = DAL_OK;
    for (int first = 0; first < n && st == DAL_OK; first += room) {
        st = some_columns(g, Phi, Y, Y + (size_t)g->wide * (size_t)room, first, n - first < room ? n - first : room);
    }
    dal_free(g->ctx, Y);
    return st;
}

/* ---- backwards -------------------------------------------------------------------------------- */

double *dal_gr_row_of(dal_gradient *g, int value)
{
    return value < g->nof ? g->row + (size_t)value * (size_t)g->n : g->of_squares;
}

dal_status dal_gr_seed(dal_gradient *g, gr_backward *b, long i)
{
    const gr_outputs *o = &g->outputs;
    const int ninputs = g->plan.ninputs;
    int known = 0;
    for (int j = 0; j < b->count; ++j) {
        const int value = b->first + j;
        if (!dal_gr_weights(g, b->c, dal_gr_row_of(g, value), value < g->nof ? value : -1, i)) {
            continue;
        }
        if (!known) {
            DAL_TRY(dal_gr_outputs_at(g, i));
            known = 1;
        }
        const double *J = o->J;
        for (int k = 0; k < o->ncolumns; ++k, J += ninputs) {
            b->Y[o->column[k] + j * g->ny] += dal_dot(b->c, J, ninputs);
        }
        for (int k = 0; k < o->nnumbers; ++k, J += ninputs) {
            b->pbar[o->number[k] + j * g->np] += dal_dot(b->c, J, ninputs);
        }
    }
    return DAL_OK;
}

/* From weights of p and of the initial values to those of the numbers. */
static dal_status to_numbers(dal_gradient *g, const gr_backward *b)
{
    const int nv = g->nv;
    double *of = dal_alloc_zero(g->ctx, ((size_t)g->n + 1) * sizeof *of);
    if (!of) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for a gradient");
    }
    dal_status st = DAL_OK;
    for (int j = 0; j < b->count && st == DAL_OK; ++j) {
        const double *y = b->Y + j * g->ny;
        double *pbar = b->pbar + j * g->np, *row = dal_gr_row_of(g, b->first + j);
        dal_zero(g->p, g->ntotal + g->nwhole);
        for (int i = 0; i < g->np; ++i) {
            if (!g->start.closed) {
                const double *q = mb_dependence_q0(g->dependence, i), *v = mb_dependence_v0(g->dependence, i);
                pbar[i] += (q ? dal_dot(y, q, nv) : 0.0) + (v ? dal_dot(y + nv, v, nv) : 0.0);
            }
            if (g->index[i] >= 0) {
                g->p[g->index[i]] = pbar[i];
            }
        }
        for (int k = 0; k < g->n && g->start.closed; ++k) {
            row[k] += dal_dot(y, g->dq0 + k * nv, nv) + dal_dot(y + nv, g->dv0 + k * nv, nv);
        }
        st = dal_gr_product_transposed(g, of);
        dal_add(row, of, g->n);
    }
    dal_free(g->ctx, of);
    return st;
}

static void note_size(const dal_gradient *g, gr_backward *b)
{
    for (int j = 0; j < b->count; ++j) {
        const double size = dal_max_abs(b->Y + j * g->ny, g->ny);
        b->last[j] = b->last[j] > 0.0 ? b->last[j] : size;
        b->most[j] = fmax(b->most[j], size);
    }
}

static dal_status adjoint(dal_gradient *g, gr_backward *b)
{
    for (long i = g->nrecords - 1; i >= 0;) {
        int done;
        DAL_TRY(dal_gr_load(g, i));
        DAL_TRY(dal_gr_seed(g, b, i));
        DAL_TRY(dal_gr_stretch_back(g, b, &i, &done));
        if (done) {
            continue;
        }
        DAL_TRY(dal_gr_renew_adjoint(g, b->Y, b->pbar, i, b->count));
        DAL_TRY(linearize(g, i));
        if (i == 0 || dal_gr_fresh(g, i)) {
            DAL_TRY(g->type->start_adjoint(g->derivative, b->Y, b->pbar, b->count));
            dal_gr_renewed_adjoint(g, b->Y, b->pbar, b->count);
            DAL_TRY(i == 0 ? dal_gr_joints_adjoint(g, b->Y, b->pbar, b->count) : DAL_OK);
        } else {
            DAL_TRY(g->type->step_adjoint(g->derivative, b->Y, b->pbar, b->error, b->count));
            note_size(g, b);
        }
        --i;
    }
    g->about.growth = 1.0;
    for (int j = 0; j < b->count; ++j) {
        g->about.growth = b->last[j] > 0.0 ? fmax(g->about.growth, b->most[j] / b->last[j]) : g->about.growth;
    }
    return to_numbers(g, b);
}

dal_status dal_gr_adjoint(dal_gradient *g)
{
    const int count = g->to - g->from;
    const size_t n = (size_t)(g->wide + g->np + 3) * (size_t)count + (size_t)g->plan.ninputs + 1;
    double *room = dal_alloc_zero(g->ctx, n * sizeof *room);
    if (!room) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the weights of a state");
    }
    gr_backward b = {.first = g->from, .count = count, .Y = room};
    b.pbar = room + g->wide * count;
    b.error = b.pbar + g->np * count;
    b.last = b.error + count;
    b.most = b.last + count;
    b.c = b.most + count;
    dal_status st = dal_gr_stretches(g, &b);
    dal_zero(g->of_squares, g->n);
    st = st == DAL_OK ? adjoint(g, &b) : st;
    g->about.newton_error = count > 0 ? b.error[0] : 0.0;
    dal_gr_stretches_clear(g, &b);
    dal_free(g->ctx, room);
    g->rows = g->nof;
    return st;
}
