/* What a run remembers, differentiated: columns of the equations with respect to it, and how it follows from final states; then
 * derivatives of outputs with respect to numbers of the model and to what is remembered. */
#include <math.h>

#include "mbs/derivative_impl.h"
#include "mbs/force_impl.h"
#include "mbs/meeting_impl.h"
#include "mbs/numbers_impl.h"

/* ---- which numbers ---------------------------------------------------------------------------- */

/* Where the memory of a force begins, and how many numbers it has. */
static int memory_of(const mb_force *f, int *n)
{
    *n = f->type->keep ? f->type->history : MB_MEETING_MEMORY;
    return f->type->keep ? f->history : f->memory;
}

static int is_remembered(const mb_force *f, int i)
{
    return f->type->remembers && f->type->remembers(f, i);
}

int mb_remembered_count(dal_data *data)
{
    const mb_instance *m = mb_instance_in(data);
    int count = 0, n;
    for (int k = 0; m && k < m->nforces; ++k) {
        (void)memory_of(&m->force[k], &n);
        for (int i = 0; m->force[k].type->remembers && i < n; ++i) {
            count += is_remembered(&m->force[k], i);
        }
    }
    return count;
}

const char *mb_remembered_reaction(dal_data *data)
{
    const mb_instance *m = mb_instance_in(data);
    for (int k = 0; m && k < m->nforces; ++k) {
        if (m->force[k].type->keep && mb_reads_reactions(&m->force[k])) {
            return m->of->force_names.name[k];
        }
    }
    return NULL;
}

void mb_keep_ends(dal_data *data)
{
    mb_instance *m = mb_instance_in(data);
    if (m) {
        m->ends_alone = 1;
    }
}

dal_status mb_recall_init(mb_derivatives *s)
{
    mb_recall *x = &s->recall;
    const mb_instance *m = s->m;
    *x = (mb_recall){.s = s};
    const int count = mb_remembered_count(s->data);
    if (count == 0) {
        return DAL_OK;
    }
    int most = 0;
    DAL_TAKE(&s->pool, x->place, m->of->nmemory);
    DAL_TAKE(&s->pool, x->slot, count);
    for (int i = 0; i < m->of->nmemory; ++i) {
        x->place[i] = -1;
    }
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &m->force[k];
        int n, first = memory_of(f, &n);
        for (int i = 0; f->type->remembers && i < n; ++i) {
            if (is_remembered(f, i)) {
                x->place[first + i] = s->nnumbers + x->n;
                x->slot[x->n++] = first + i;
                most = n > most ? n : most;
            }
        }
        if (f->type->recalled) {
            s->reach[m->first_force + k] = mb_reach_of(s, m->first_force + k);
        }
    }
    DAL_TAKE(&s->pool, x->kept, most);
    DAL_TAKE(&s->pool, x->own, count);
    s->base.n = s->nnumbers + x->n;
    return DAL_OK;
}

void mb_recall_release(mb_derivatives *s)
{
    mb_recall *x = &s->recall;
    dal_free(s->pool.ctx, x->row);
    dal_free(s->pool.ctx, x->by);
    dal_free(s->pool.ctx, x->from);
    dal_free(s->pool.ctx, x->group);
    dal_free(s->pool.ctx, x->now);
}

/* ---- columns of the equations ----------------------------------------------------------------- */

double *mb_recall_begin(mb_recall *x)
{
    mb_reach_begin(x->s, &x->s->reach[x->element], x->s->r);
    return x->s->r;
}

void mb_recall_end(mb_recall *x)
{
    mb_reach_end(x->s, &x->s->reach[x->element], x->s->r);
}

void mb_recall_take(mb_recall *x, int slot, double weight)
{
    const mb_derivatives *s = x->s;
    const reach *to = &s->reach[x->element];
    for (int i = 0; i < to->nv; ++i) {
        for (int k = to->range[i].first; k < to->range[i].first + to->range[i].n; ++k) {
            s->column_r[k] = weight * s->r[k];
        }
    }
    *x->column = (dal_column){.k = x->place[slot], .at = x->column->at, .v = to->range, .nv = to->nv};
    x->take(x->column, x->user);
}

void mb_recall_columns(mb_derivatives *s, dal_column *column, const dal_rows *wants, const dal_point *at,
                       void (*take)(const dal_column *column, void *user), void *user)
{
    mb_recall *x = &s->recall;
    const mb_instance *m = s->m;
    x->column = column;
    x->take = take;
    x->user = user;
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &m->force[k];
        x->element = m->first_force + k;
        if (f->type->recalled && mb_derivatives_act(s, x->element, wants, at->t)) {
            f->type->recalled(x, f, s->m, at);
        }
    }
}

/* ---- rows at a final state -------------------------------------------------------------------- */

static void note(mb_recall *x, dal_status st)
{
    x->st = x->st == DAL_OK ? st : x->st;
}

static size_t row_size(const mb_recall *x)
{
    return 3 * (size_t)x->s->m->nv + (size_t)x->s->m->nc;
}

static dal_status add_row(mb_recall *x, int slot)
{
    const int size = (int)row_size(x);
    DAL_GROW(x->s->pool.ctx, x->row, x->room_row, x->nrows + 1);
    DAL_GROW(x->s->pool.ctx, x->by, x->room_by, (x->nrows + 1) * size);
    dal_zero(x->by + (ptrdiff_t)x->nrows * size, size);
    x->row[x->nrows++] = x->place[slot];
    return DAL_OK;
}

void mb_recall_row(mb_recall *x, int slot)
{
    note(x, add_row(x, slot));
}

static dal_status add_from(mb_recall *x, int row, int k, double weight)
{
    DAL_GROW(x->s->pool.ctx, x->from, x->room_from, x->nfrom + 1);
    x->from[x->nfrom++] = (renewal){row, k, weight};
    return DAL_OK;
}

void mb_recall_from(mb_recall *x, int slot, double weight)
{
    if (x->st == DAL_OK && x->place[slot] >= 0) {
        note(x, add_from(x, x->nrows - 1, x->place[slot], weight));
    }
}

static double *last_row(const mb_recall *x)
{
    return x->by + (ptrdiff_t)(x->nrows - 1) * (ptrdiff_t)row_size(x);
}

void mb_recall_body(mb_recall *x, int body, const double K6[6], const double C6[6], const double A6[6])
{
    if (x->st == DAL_OK && body > 0) {
        mb_add_row(x->s->m, last_row(x), body, K6, C6, A6);
    }
}

void mb_recall_velocity(mb_recall *x, int v, double weight)
{
    if (x->st == DAL_OK) {
        last_row(x)[x->s->m->nv + v] += weight;
    }
}

void mb_recall_reaction(mb_recall *x, int row, double weight)
{
    if (x->st == DAL_OK) {
        last_row(x)[3 * x->s->m->nv + row] += weight;
    }
}

double mb_recall_ahead(const mb_recall *x)
{
    return x->ahead;
}

static void renew(const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment)
{
    if (f->type->keep) {
        f->type->keep(f, m, at, moment);
    } else {
        f->type->remember(f, m, at->t);
    }
}

static int follows(const mb_derivatives *s, int force, const number *by, double t)
{
    int yes = 0;
    for (int i = by->element; i < by->element + by->nelements; ++i) {
        yes |= s->list[i] == s->m->first_force + force;
    }
    return yes && (!by->timed || (t >= by->from && t <= by->to));
}

/* What numbers of the model do to the rows of a force, from `first` on. */
static dal_status add_numbers(mb_recall *x, int force, int first, const dal_point *at, dal_moment moment)
{
    const mb_derivatives *s = x->s;
    const mb_force *f = &s->m->force[force];
    int n;
    const int rows = x->nrows - first;
    double *memory = s->m->memory + memory_of(f, &n);
    DAL_GROW(s->pool.ctx, x->now, x->room_now, rows + 1);
    dal_copy(x->kept, memory, n);
    for (int k = 0; k < s->nnumbers && rows > 0; ++k) {
        const number *by = &s->number[k];
        if (!follows(s, force, by, at->t)) {
            continue;
        }
        dal_zero(x->now, rows);
        for (int j = 0; j < by->by->n; ++j) {
            mb_derivatives_write(s, by, j);
            renew(f, s->m, at, moment);
            for (int i = 0; i < rows; ++i) {
                x->now[i] += by->by->weight[j] / by->step * s->m->memory[x->slot[x->row[first + i] - s->nnumbers]];
            }
            dal_copy(memory, x->kept, n);
        }
        mb_derivatives_write(s, by, -1);
        for (int i = 0; i < rows; ++i) {
            DAL_TRY(x->now[i] != 0.0 ? add_from(x, first + i, k, x->now[i]) : DAL_OK);
        }
    }
    return DAL_OK;
}

static dal_status add_group(mb_recall *x, int force, const dal_point *at, dal_moment moment)
{
    mb_instance *m = x->s->m;
    const mb_force *f = &m->force[force];
    const int first = x->nrows;
    DAL_GROW(x->s->pool.ctx, x->group, x->room_group, x->ngroups + 1);
    x->group[x->ngroups++] = (renewals){first, x->nfrom};
    f->type->renewed(x, f, m, at, moment);
    DAL_TRY(x->st);
    DAL_TRY(add_numbers(x, force, first, at, moment));
    if (f->type->keep) { // others may follow from it already
        f->type->keep(f, m, at, moment);
    }
    return DAL_OK;
}

/* Rows of all forces that remember; histories come last, and one after the other, for they may follow from each other. */
static dal_status add_groups(mb_recall *x, const dal_point *at, dal_moment moment, int early)
{
    const mb_instance *m = x->s->m;
    for (int k = 0; k < m->nforces && !early; ++k) {
        if (m->force[k].type->renewed && !m->force[k].type->keep) {
            DAL_TRY(add_group(x, k, at, moment));
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        if (m->force[k].type->renewed && m->force[k].type->keep) {
            DAL_TRY(add_group(x, k, at, moment));
        }
    }
    return m->st;
}

dal_status mb_dependence_renew(dal_dependence *p, const dal_point *at, dal_moment moment, double ahead)
{
    mb_derivatives *s = (mb_derivatives *)p;
    mb_recall *x = &s->recall;
    mb_instance *m = s->m;
    const int early = m->memory[MB_MEMORY_STARTED] == 0.0 && moment != DAL_MOMENT_START;
    DAL_TRY(mb_settled(m));
    m->st = x->st = DAL_OK;
    m->summed = 0;
    x->nrows = x->nfrom = x->ngroups = 0;
    x->ahead = ahead;
    mb_states(m, at);
    mb_lift_all(m, at);
    DAL_TRY(add_groups(x, at, moment, early));
    return early ? DAL_OK : dal_data_accept(s->data, at, moment);
}

/* A force: its rows, what they follow from; now: a number for each row. */
typedef struct span {
    int row, rows, from, ends;
    double *now;
} span;

static span span_of(const mb_recall *x, int g)
{
    const int last = g + 1 == x->ngroups;
    return (span){.row = x->group[g].row,
                  .rows = last ? x->nrows : x->group[g + 1].row,
                  .from = x->group[g].from,
                  .ends = last ? x->nfrom : x->group[g + 1].from,
                  .now = x->now - x->group[g].row};
}

/* The place of a row of the system in changes of states; -1: it is left out. */
static int row_at(const int *held, int row)
{
    return held ? held[row] : row;
}

/* What a change of a state, y, and changes d of all numbers make of what a force remembers. */
static void change(const mb_recall *x, const span *f, double *d, const double *y, const int *held)
{
    const int nv = x->s->m->nv, nc = x->s->m->nc;
    for (int r = f->row; r < f->rows; ++r) {
        const double *by = x->by + (ptrdiff_t)r * (ptrdiff_t)row_size(x);
        f->now[r] = dal_dot(by, y, 2 * nv) + dal_dot(by + 2 * nv, y + 3 * nv, nv);
        for (int i = 0; i < nc; ++i) {
            const int at = row_at(held, i);
            f->now[r] += at >= 0 ? by[3 * nv + i] * y[4 * nv + at] : 0.0;
        }
    }
    for (int i = f->from; i < f->ends; ++i) {
        f->now[x->from[i].row] += x->from[i].weight * d[x->from[i].number];
    }
    for (int r = f->row; r < f->rows; ++r) {
        d[x->row[r]] = f->now[r];
    }
}

static void weigh(const mb_recall *x, const span *f, double *y, double *d, const int *held)
{
    const int nv = x->s->m->nv, nc = x->s->m->nc;
    for (int r = f->row; r < f->rows; ++r) {
        const double *by = x->by + (ptrdiff_t)r * (ptrdiff_t)row_size(x), w = d[x->row[r]];
        f->now[r] = w;
        d[x->row[r]] = 0.0;
        dal_add_multiple(y, by, w, 2 * nv);
        dal_add_multiple(y + 3 * nv, by + 2 * nv, w, nv);
        for (int i = 0; i < nc; ++i) {
            const int at = row_at(held, i);
            if (at >= 0) {
                y[4 * nv + at] += w * by[3 * nv + i];
            }
        }
    }
    for (int i = f->from; i < f->ends; ++i) {
        d[x->from[i].number] += x->from[i].weight * f->now[x->from[i].row];
    }
}

void mb_dependence_renew_forward(dal_dependence *p, double *dp, const double *y, int ny, int count, const int *held)
{
    const mb_recall *x = &((mb_derivatives *)p)->recall;
    for (int g = 0; g < x->ngroups; ++g) {
        const span f = span_of(x, g);
        for (int j = 0; j < count; ++j) {
            change(x, &f, dp + (ptrdiff_t)j * p->n, y + (ptrdiff_t)j * ny, held);
        }
    }
}

void mb_dependence_renew_adjoint(dal_dependence *p, double *y, double *pbar, int ny, int count, const int *held)
{
    const mb_recall *x = &((mb_derivatives *)p)->recall;
    for (int g = x->ngroups - 1; g >= 0; --g) {
        const span f = span_of(x, g);
        for (int j = 0; j < count; ++j) {
            weigh(x, &f, y + (ptrdiff_t)j * ny, pbar + (ptrdiff_t)j * p->n, held);
        }
    }
}

/* ---- numbers outside -------------------------------------------------------------------------- */

/* What is remembered is behind the numbers of the model: NULL then. */
static const number *number_of(const dal_dependence *p, int k)
{
    const mb_derivatives *s = (const mb_derivatives *)p;
    return k < s->nnumbers ? &s->number[k] : NULL;
}

const double *mb_dependence_q0(const dal_dependence *p, int k)
{
    const number *n = number_of(p, k);
    return n ? n->q0 : NULL;
}

const double *mb_dependence_v0(const dal_dependence *p, int k)
{
    const number *n = number_of(p, k);
    return n ? n->v0 : NULL;
}

int mb_dependence_is_local(const dal_dependence *p, int k)
{
    const number *n = number_of(p, k);
    return n ? n->local : 1;
}

int mb_dependence_counts(const dal_dependence *p, int k, double t)
{
    const mb_derivatives *s = (const mb_derivatives *)p;
    const number *n = number_of(p, k);
    const double slack = 2e-6 * fabs(t); // steps end a little behind a jump (mb_smooth_time)
    double weight[MB_DELAY_POINTS];
    int slot[MB_DELAY_POINTS];
    if (n) {
        return !n->timed || (t >= n->from - slack && t <= n->to + slack);
    }
    for (int f = 0; f < s->m->nforces; ++f) { // of a history a few count at a time
        const mb_force *force = &s->m->force[f];
        const int i = s->recall.slot[k - s->nnumbers];
        if (force->type->keep && i >= force->history && i < force->history + force->type->history) {
            int yes = 0;
            for (int j = mb_delayed_from(slot, weight, force, s->m, t) - 1; j >= 0; --j) {
                yes |= slot[j] == i;
            }
            return yes;
        }
    }
    return 1;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* The values of number k, over which step; NULL: nothing follows from it. */
static const dal_stencil *stencil_of(const mb_derivatives *s, int k, double *step)
{
    const number *n = number_of(&s->base, k);
    if (n) {
        *step = n->step;
        return n->nwords > 0 ? n->by : NULL;
    }
    *step = 1e-4 * fmax(fabs(s->m->memory[s->recall.slot[k - s->nnumbers]]), 1e-2);
    return &dal_six_values;
}

/* Number k moved by that. */
static void move(const mb_derivatives *s, int k, int point, double by)
{
    const number *n = number_of(&s->base, k);
    if (n) {
        mb_derivatives_write(s, n, point);
    } else {
        s->m->memory[s->recall.slot[k - s->nnumbers]] = s->recall.own[k - s->nnumbers] + by;
    }
    s->m->summed = 0;
}

static void keep_own(const mb_derivatives *s, int k)
{
    if (k >= s->nnumbers) {
        s->recall.own[k - s->nnumbers] = s->m->memory[s->recall.slot[k - s->nnumbers]];
    }
}

dal_status mb_dependence_outputs(dal_dependence *p, double *dy, double *y, int n, const dal_point *at,
                                 const char *wanted, int k)
{
    mb_derivatives *s = (mb_derivatives *)p;
    double step;
    const dal_stencil *by = stencil_of(s, k, &step);
    dal_status st = DAL_OK;
    dal_zero(dy, n);
    keep_own(s, k);
    for (int j = 0; by && j < by->n && st == DAL_OK; ++j) {
        move(s, k, j, by->place[j] * step);
        st = mb_outputs_wanted(s->data, y, at, wanted);
        dal_add_multiple(dy, y, by->weight[j] / step, n);
    }
    move(s, k, -1, 0.0);
    return st;
}

dal_status mb_dependence_outputs_moved(dal_dependence *p, double *y, const dal_point *at, const char *wanted,
                                       const int *k, int count)
{
    mb_derivatives *s = (mb_derivatives *)p;
    for (int i = 0; i < count; ++i) {
        double step;
        const dal_stencil *by = stencil_of(s, k[i], &step);
        keep_own(s, k[i]);
        if (by) {
            move(s, k[i], by->n - 1, by->place[by->n - 1] * step);
        }
    }
    const dal_status st = mb_outputs_wanted(s->data, y, at, wanted);
    for (int i = 0; i < count; ++i) {
        move(s, k[i], -1, 0.0);
    }
    return st;
}
