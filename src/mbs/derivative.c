#include <math.h>

#include "base/vector.h"
#include "mbs/derivative_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"

/* ---- derivatives of an element ---------------------------------------------------------------- */

void mb_derivatives_write(const mb_derivatives *s, const number *k, int point)
{
    for (int i = k->first; i < k->first + k->nwords; ++i) {
        *s->word[i].at = point < 0 ? s->word[i].own : s->word[i].moved[point];
    }
}

/* What is wanted of the residual of an element: places of r, and levels of rows. */
typedef struct answers {
    dal_residual out;
    double *r, *rows;
    int level[4], nlevels; /* numbers of the first row of a level, in rows */
} answers;

/* r, rows: where it goes to. */
static answers answers_of(const mb_derivatives *s, const dal_rows *w, double *r, double *rows)
{
    const int nc = s->m->nc;
    answers x = {.r = r,
                 .rows = rows,
                 .out = {.r = w->r ? r : NULL,
                         .Phi = w->Phi ? rows : NULL,
                         .vel = w->vel ? rows + nc : NULL,
                         .acc = w->acc ? rows + 2 * nc : NULL,
                         .law = w->law ? rows + 3 * nc : NULL}};
    const double *const level[4] = {w->Phi, w->vel, w->acc, w->law};
    for (int l = 0; l < 4; ++l) {
        if (level[l]) {
            x.level[x.nlevels++] = l * nc;
        }
    }
    return x;
}

/* The residual of one element alone, into r and rows. */
static void evaluate(const mb_derivatives *s, const reach *to, int e, const answers *w, const dal_point *at)
{
    mb_instance *m = s->m;
    if (w->out.r) {
        mb_reach_begin(s, to, w->r);
    }
    for (int l = 0; l < w->nlevels && to->nrows > 0; ++l) {
        mb_clear_range(w->rows + w->level[l], &to->range[to->nv]);
    }
    m->element[e].type->residual(m->element[e].self, m, &w->out, at);
    if (w->out.r) {
        mb_reach_end(s, to, w->r);
    }
}

/* Ranges of bodies have six numbers, rows often three: to = a to + b from */
DAL_INLINE void combine_range(double *restrict to, const double *restrict from, int n, double a, double b)
{
    for (int i = 0; i < n; ++i) {
        to[i] = a * to[i] + b * from[i];
    }
}

static void combine(double *to, const double *from, const dal_range *range, double a, double b)
{
    if (range->n == 6) {
        combine_range(to + range->first, from + range->first, 6, a, b);
    } else if (range->n == 3) {
        combine_range(to + range->first, from + range->first, 3, a, b);
    } else {
        combine_range(to + range->first, from + range->first, range->n, a, b);
    }
}

/* w: of the column, of another value. A polynomial of degree two is known from its ends. */
static void element_column(const mb_derivatives *s, dal_column *column, const number *k, int e, const answers w[2],
                           const dal_point *at)
{
    const reach *to = &s->reach[e];
    const dal_range *v = to->range, *row = v + to->nv;
    const int last = k->by->n - 1, by = k->few ? last : 1;
    const double ends = 1.0 / ((k->by->place[last] - k->by->place[0]) * k->step);
    mb_derivatives_write(s, k, 0);
    evaluate(s, to, e, &w[0], at);
    for (int j = by; j <= last; j += by) {
        const double b = k->few ? ends : k->by->weight[j] / k->step;
        const double a = j > by ? 1.0 : k->few ? -ends : k->by->weight[0] / k->step;
        mb_derivatives_write(s, k, j);
        evaluate(s, to, e, &w[1], at);
        for (int i = 0; i < to->nv && w->out.r; ++i) {
            combine(w[0].r, w[1].r, &v[i], a, b);
        }
        for (int l = 0; l < w->nlevels && to->nrows > 0; ++l) {
            combine(w[0].rows + w->level[l], w[1].rows + w->level[l], row, a, b);
        }
    }
    column->v = v;
    column->row = row;
    column->nv = w->out.r ? to->nv : 0;
    column->nrows = to->nrows;
}

int mb_derivatives_act(const mb_derivatives *s, int e, const dal_rows *wants, double t)
{
    const mb_instance *m = s->m;
    const mb_element *element = &m->element[e];
    if (e < m->first_rows) {
        return wants->r && !wants->alone && mb_element_acts(element, m, t);
    }
    return !mb_open(element, m, t);
}

/* Is a function that acts in an element one of the time? */
static int of_time(const mb_instance *m, int e)
{
    const int f = e - m->first_force, c = e - m->first_rows;
    if (f >= 0 && f < m->nforces) {
        return m->force[f].d.characteristic == 0 && !m->force[f].d.calling_law && !m->force[f].curve;
    }
    return c < 0 || c >= m->nconstraints || m->constraint[c].joint < 0 || !m->joint[m->constraint[c].joint].d.rows;
}

/* The shares of all elements in a number. */
static void number_columns(const mb_derivatives *s, dal_column *column, const number *n, const dal_rows *wants,
                           const answers w[2], const dal_point *at, void (*take)(const dal_column *column, void *user),
                           void *user)
{
    const int counts = !n->local || (at->t >= n->from && at->t <= n->to);
    for (int i = n->element; i < n->element + n->nelements; ++i) {
        const int e = s->list[i];
        if ((counts || !of_time(s->m, e)) && mb_derivatives_act(s, e, wants, at->t)) {
            element_column(s, column, n, e, w, at);
            take(column, user);
        }
    }
    mb_derivatives_write(s, n, -1);
}

/* The first number of a run that may count at a time, or later. */
static int first_at(const mb_derivatives *s, const number_run *run, double t)
{
    int low = run->first, high = run->first + run->n;
    while (run->timed && low < high) {
        const int mid = (low + high) / 2;
        *(s->number[mid].to < t ? &low : &high) = s->number[mid].to < t ? mid + 1 : mid;
    }
    return low;
}

static dal_status columns(dal_dependence *p, const dal_rows *wants, const dal_point *given,
                          void (*take)(const dal_column *column, void *user), void *user)
{
    mb_derivatives *s = (mb_derivatives *)p;
    mb_instance *m = s->m;
    const int nc = m->nc;
    const number_run all = {.n = s->nnumbers};
    DAL_TRY(mb_settled(m));
    const dal_point at = {mb_smooth_time(m, given->t), given->q, given->v, given->vd, given->la};
    m->st = DAL_OK;
    m->summed = 0;
    m->bare = wants->bare || wants->alone;
    mb_states(m, &at);
    mb_lift_all(m, &at);
    const answers w[2] = {answers_of(s, wants, s->column_r, s->column_rows), answers_of(s, wants, s->r, s->rows)};
    double *rows = s->column_rows;
    dal_column column = {
        .at = {.r = s->column_r, .Phi = rows, .vel = rows + nc, .acc = rows + 2 * nc, .law = rows + 3 * nc}};
    for (int i = 0; i < (s->run ? s->nruns : 1); ++i) {
        const number_run *run = s->run ? &s->run[i] : &all;
        for (int k = first_at(s, run, at.t); k < run->first + run->n; ++k) {
            if (run->timed && s->number[k].from > at.t) {
                break;
            }
            column.k = k;
            number_columns(s, &column, &s->number[k], wants, w, &at, take, user);
        }
    }
    if (s->recall.n > 0 && s->run) {
        mb_recall_columns(s, &column, wants, &at, take, user);
    }
    m->bare = 0;
    return m->st;
}

/* Does a number count within its interval of time alone? */
static int is_timed(const mb_derivatives *s, const number *n)
{
    int yes = n->local;
    for (int i = n->element; i < n->element + n->nelements && yes; ++i) {
        yes = of_time(s->m, s->list[i]);
    }
    return yes;
}

static void find_runs(mb_derivatives *s, number_run *run)
{
    for (int k = 0; k < s->nnumbers; ++k) {
        const int timed = s->number[k].timed = is_timed(s, &s->number[k]);
        const number *n = &s->number[k], *before = k > 0 ? n - 1 : n;
        if (k == 0 || run[s->nruns - 1].timed != timed ||
            (timed && !(n->from >= before->from && n->to >= before->to))) {
            run[s->nruns++] = (number_run){.first = k, .timed = timed};
        }
        run[s->nruns - 1].n++;
    }
    s->run = run;
}

/* ---- degrees ---------------------------------------------------------------------------------- */

static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

typedef struct columns_of {
    const mb_derivatives *s;
    double *x, size; /* nv + 3 nc: the sum, with a sign */
    double sign;
} columns_of;

static void add_column(const dal_column *c, void *user)
{
    columns_of *to = user;
    const int nv = to->s->m->nv, nc = to->s->m->nc;
    const double *const level[3] = {c->at.Phi, c->at.vel, c->at.acc};
    for (int i = 0; i < c->nv; ++i) {
        for (int k = c->v[i].first; k < c->v[i].first + c->v[i].n; ++k) {
            to->x[k] += to->sign * c->at.r[k];
            to->size = fmax(to->size, fabs(c->at.r[k]));
        }
    }
    for (int l = 0; l < 3 && c->nrows > 0; ++l) {
        for (int k = c->row->first; k < c->row->first + c->row->n; ++k) {
            to->x[nv + l * nc + k] += to->sign * level[l][k];
            to->size = fmax(to->size, fabs(level[l][k]));
        }
    }
}

/* Rows that have neither functions nor time in them. */
static int is_geometry(const mb_instance *m, int e)
{
    const mb_constraint *c = e >= m->first_rows ? &m->constraint[e - m->first_rows] : NULL;
    const mb_joint *j = c && c->joint >= 0 ? &m->joint[c->joint] : NULL;
    return c && !c->slide && !(j && (j->d.function > 0 || j->d.rows || j->curve));
}

/* Does it act through geometry alone? That is analytic: what holds at a state that is drawn holds at all. */
static int through_geometry(const mb_derivatives *s, const number *k)
{
    int yes = k->nelements > 0 && k->by->place[0] == -k->by->place[k->by->n - 1] && k->by->n > 2;
    for (int i = k->element; i < k->element + k->nelements; ++i) {
        yes &= is_geometry(s->m, s->list[i]);
    }
    return yes;
}

/* A state that is drawn, and room for sums: x has nv + 3 nc numbers, then q, v, v', lambda. */
static dal_point draw_point(mb_derivatives *s, double *x, double t)
{
    const mb_instance *m = s->m;
    const int nv = m->nv, nc = m->nc;
    double *q = x + nv + 3 * nc, *v = q + m->of->group->nq, *vd = v + nv, *la = vd + nv;
    unsigned seed = 3;
    for (int i = 0; i < nv; ++i) {
        s->theta[i] = 0.3 * draw(&seed);
        v[i] = draw(&seed);
        vd[i] = draw(&seed);
    }
    for (int i = 0; i < nc; ++i) {
        la[i] = draw(&seed);
    }
    dal_retract(m->of->group, q, s->q0, s->theta);
    return (dal_point){t, q, v, vd, la};
}

/* How far the column of a number is from that by other values, relative to it: with two in place of six, or with four; infinite: not
 * known. x as above. */
static dal_status compare_columns(mb_derivatives *s, number *k, double *x, double t, const dal_stencil *four,
                                  double *apart)
{
    const int n = s->m->nv + 3 * s->m->nc, all = s->nnumbers;
    const dal_point at = draw_point(s, x, t);
    const dal_rows wants = {.r = x, .Phi = x, .vel = x, .acc = x};
    const dal_stencil *by = k->by;
    number *const list = s->number;
    columns_of sum = {.s = s, .x = x};
    dal_status st = DAL_OK;
    dal_zero(x, n);
    s->nnumbers = 1;
    s->number = k;
    for (int other = 0; other < 2 && st == DAL_OK; ++other) {
        k->few = other && !four;
        k->by = other && four ? four : by;
        sum.sign = other ? -1.0 : 1.0;
        st = columns(&s->base, &wants, &at, add_column, &sum);
    }
    k->few = 0;
    k->by = by;
    s->number = list;
    s->nnumbers = all;
    *apart = st == DAL_OK && sum.size > 0.0 ? dal_max_abs(x, n) / sum.size : INFINITY;
    if (st == DAL_OK || st == DAL_ENOMEM) {
        return st;
    }
    dal_ctx_clear(s->data->ctx); // a law need not have a value there
    return DAL_OK;
}

/* Numbers that enter as polynomials of degree two at most need two values. */
static dal_status find_degrees(mb_derivatives *s, double *x)
{
    for (int k = 0; k < s->nnumbers; ++k) {
        double apart;
        if (through_geometry(s, &s->number[k])) {
            DAL_TRY(compare_columns(s, &s->number[k], x, 0.0, NULL, &apart));
            s->number[k].few = apart <= 1e-11;
        }
    }
    return DAL_OK;
}

/* Do six values and four say the same of a parameter of a function or a law, up to the end of the run? */
static dal_status is_slow(mb_derivatives *s, number *k, double *x, double until, int *yes)
{
    enum { TIMES = 5 };
    static const dal_stencil four = {
        6, {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}, {0.0, 1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0, 0.0}};
    *yes = 1;
    for (int i = 1; i <= TIMES && *yes; ++i) {
        double apart;
        DAL_TRY(compare_columns(s, k, x, until * i / TIMES, &four, &apart));
        *yes = apart <= 1e-7 || apart == INFINITY;
    }
    return DAL_OK;
}

/* Parameters that have gone through many periods before the run ends are moved by less. */
static dal_status find_periods(mb_derivatives *s, double *x, const int *index, double length, double until)
{
    for (int k = 0; k < s->nnumbers; ++k) {
        int slow = 1;
        if (s->number[k].alone && s->number[k].by == &dal_six_values) {
            DAL_TRY(is_slow(s, &s->number[k], x, until, &slow));
        }
        DAL_TRY(slow ? DAL_OK : mb_derivatives_find_closely(s, &s->number[k], index[k], length));
    }
    return DAL_OK;
}

/* ---- outside ---------------------------------------------------------------------------------- */

static double length_of(const mb_derivatives *s)
{
    const dal_system *sys = s->data->sys;
    return sys->equations.units ? sys->equations.units(s->r, sys->user, s->m) : 1.0;
}

static dal_status find_all(mb_derivatives *s, const int *index, int n, double until)
{
    const mb_instance *m = s->m;
    const double length = length_of(s);
    double *x;
    DAL_TAKE(&s->pool, x, 3 * m->nv + 4 * m->nc + m->of->group->nq + 1);
    for (int k = 0; k < n; ++k) {
        DAL_TRY(mb_derivatives_find(s, &s->number[k], index[k], length));
    }
    for (int i = 0; i < s->nlist; ++i) {
        s->reach[s->list[i]] = mb_reach_of(s, s->list[i]);
    }
    DAL_TRY(find_degrees(s, x));
    DAL_TRY(find_periods(s, x, index, length, until));
    number_run *run;
    DAL_TAKE(&s->pool, run, n + 1);
    find_runs(s, run);
    return mb_recall_init(s);
}

static dal_status set_up(mb_derivatives *s, const int *index, int n, double until)
{
    const mb_instance *m = s->m;
    DAL_TAKE(&s->pool, s->number, n + 1);
    DAL_TAKE(&s->pool, s->image, mb_image_size(m));
    DAL_TAKE(&s->pool, s->q0, m->of->group->nq);
    DAL_TAKE(&s->pool, s->v0, m->nv);
    DAL_TAKE(&s->pool, s->theta, m->nv);
    DAL_TAKE(&s->pool, s->r, m->nv);
    DAL_TAKE(&s->pool, s->rows, 4 * m->nc + 1);
    DAL_TAKE(&s->pool, s->column_r, m->nv);
    DAL_TAKE(&s->pool, s->column_rows, 4 * m->nc + 1);
    DAL_TAKE(&s->pool, s->reach, m->nelements);
    DAL_TAKE(&s->pool, s->seen, m->nelements);
    memcpy(s->image, mb_image_of(m), mb_image_size(m));
    dal_copy(s->q0, m->q0, m->of->group->nq);
    dal_copy(s->v0, m->v0, m->nv);
    return find_all(s, index, n, until);
}

dal_status mb_dependence_create(dal_dependence **p, dal_data *data, const int *index, int n, double until)
{
    dal_pool pool = {.ctx = data->ctx, .what = "derivatives of a model"};
    mb_derivatives *s;
    *p = NULL;
    mb_instance *m = mb_instance_in(data);
    if (!m) {
        return DAL_EINVAL;
    }
    DAL_TRY(mb_settled(m));
    DAL_TAKE(&pool, s, 1);
    *s = (mb_derivatives){
        .base = {n, columns}, .nnumbers = n, .data = data, .m = m, .found = {MB_GRAVITY, -1, 0}, .pool = pool};
    dal_status st = set_up(s, index, n, until);
    const dal_status back = mb_settle(m); // initial values once more
    st = st == DAL_OK ? back : st;
    if (st != DAL_OK) {
        mb_dependence_destroy(&s->base);
        return st;
    }
    *p = &s->base;
    return DAL_OK;
}

void mb_dependence_destroy(dal_dependence *p)
{
    if (p) {
        mb_derivatives *s = (mb_derivatives *)p;
        dal_free(s->pool.ctx, s->word);
        dal_free(s->pool.ctx, s->list);
        mb_recall_release(s);
        dal_pool pool = s->pool; // it is in it
        dal_pool_release(&pool);
    }
}
