/* Numbers that a model is opened with: what the mesh of a beam and the shapes of a flexible body are made from. No binding can set
 * them. The model is opened anew where they change, and derivatives are differences of whole equations of models beside it, each
 * opened with one number moved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "system/data.h"

/* ---- which they are --------------------------------------------------------------------------- */

/* A binding of some of the names, one after the other. */
static dal_status bind_names(dal_gradient *g, dal_binding **binding, int first, int count)
{
    return dal_binding_create(binding, g->ctx, g->doc, (const char *const *)g->name + first, count);
}

/* A number that cannot be bound: the model must have it, and one that is a little larger must lead to the same structure. */
static dal_status take_whole(dal_gradient *g, int k)
{
    dal_binding *none;
    if (dal_document_number(g->doc, &g->given[k], g->name[k]) != DAL_OK) {
        return bind_names(g, &none, k, 1); // it says why
    }
    g->whole[g->nwhole++].number = k;
    return DAL_OK;
}

/* What can be bound of some of the numbers, and what not: those that do not go together are halved. */
static dal_status sort_numbers(dal_gradient *g, int first, int count) // NOLINT(misc-no-recursion)
{
    dal_binding *binding;
    const dal_status st = bind_names(g, &binding, first, count);
    dal_binding_destroy(binding);
    if (st == DAL_OK) {
        for (int k = first; k < first + count; ++k) {
            g->bound[g->nbound++] = k;
        }
        return DAL_OK;
    }
    if (st != DAL_EINVAL) {
        return st;
    }
    if (count == 1) {
        return take_whole(g, first);
    }
    DAL_TRY(sort_numbers(g, first, count / 2));
    return sort_numbers(g, first + count / 2, count - count / 2);
}

/* The binding of the numbers that can be bound. */
static dal_status bind(dal_gradient *g, const dal_document *doc, dal_binding **binding)
{
    for (int i = 0; i < g->nbound; ++i) {
        g->bound_name[i] = g->name[g->bound[i]];
    }
    return dal_binding_create(binding, g->ctx, doc, g->bound_name, g->nbound);
}

dal_status dal_gr_bind(dal_gradient *g)
{
    DAL_TAKE(&g->pool, g->bound, g->n + 1);
    DAL_TAKE(&g->pool, g->bound_x, g->n + 1);
    DAL_TAKE(&g->pool, g->bound_dx, g->n + 1);
    DAL_TAKE(&g->pool, g->bound_name, g->n + 1); // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(&g->pool, g->whole, g->n + 1);
    DAL_TAKE(&g->pool, g->opened, g->n + 1);
    if (!g->spec.text) {
        DAL_TAKE_TEXT(&g->pool, g->spec.text, dal_document_text(g->doc));
    }
    if (g->n > 0) {
        DAL_TRY(sort_numbers(g, 0, g->n));
    }
    dal_ctx_clear(g->ctx);
    DAL_TRY(bind(g, g->doc, &g->binding));
    dal_binding_values(g->binding, g->bound_x);
    for (int i = 0; i < g->nbound; ++i) {
        g->given[g->bound[i]] = g->bound_x[i];
    }
    dal_copy(g->opened, g->given, g->n);
    return DAL_OK;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void close_model(const dal_gradient *g, gr_model *m)
{
    dal_free(g->ctx, m->shift);
    dal_data_destroy(m->data);
    dal_binding_destroy(m->binding);
    dal_document_destroy(m->doc);
    *m = (gr_model){0};
}

/* Assignments of the description, then those of variables among the numbers; numbers of elements by address. */
static dal_status list_numbers(const dal_gradient *g, dal_pool *pool, dal_load_options *how, const double *x)
{
    enum { WORD = 400 };
    const char **set, **address;
    double *number;
    const int n = g->spec.nset + g->nwhole;
    DAL_TAKE(pool, set, n + 1);             // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(pool, address, g->nwhole + 1); // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(pool, number, g->nwhole + 1);
    for (int k = 0; k < g->spec.nset; ++k) {
        set[how->nset++] = g->spec.set[k];
    }
    for (int i = 0; i < g->nwhole; ++i) {
        const int k = g->whole[i].number;
        char *text;
        if (dal_sweep_is_address(g->doc, g->name[k])) {
            address[how->nnumbers] = g->name[k];
            number[how->nnumbers++] = x[k];
            continue;
        }
        DAL_TAKE(pool, text, WORD);
        snprintf(text, WORD, "%s=%.17g", g->name[k], x[k]);
        set[how->nset++] = text;
    }
    how->set = set;
    how->address = address;
    how->number = number;
    return DAL_OK;
}

static dal_status open_document(dal_gradient *g, gr_model *m, const dal_load_options *how)
{
    DAL_TRY(dal_document_open_with(&m->doc, g->ctx, g->spec.source, how));
    dal_model *model = dal_document_model(m->doc);
    DAL_TRY(dal_sweep_inputs_add(g->input, &g->plan, g->ctx, model));
    DAL_TRY(bind(g, m->doc, &m->binding));
    DAL_TRY(dal_model_compile(model, &m->sys));
    dal_sweep_inputs_bind(g->input, &g->plan, model); // the same for all
    return DAL_OK;
}

/* The model with other numbers. */
static dal_status open_with(dal_gradient *g, gr_model *m, const double *x)
{
    dal_pool pool = {.ctx = g->ctx, .what = "the model"};
    dal_load_options how = {.text = g->spec.text, .files_outside = g->spec.files_outside};
    *m = (gr_model){0};
    dal_status st = list_numbers(g, &pool, &how, x);
    st = st == DAL_OK ? open_document(g, m, &how) : st;
    dal_pool_release(&pool);
    if (st != DAL_OK) {
        close_model(g, m);
    }
    return st;
}

/* Do the shapes of flexible bodies stand for the same motions? Another order, or another sign, would be another coordinate. */
static int same_shapes(const dal_model *a, const dal_model *b)
{
    for (int body = 1; dal_model_body_name(a, body) != NULL; ++body) {
        const dal_flexible_nodes x = dal_model_flexible_nodes(a, body), y = dal_model_flexible_nodes(b, body);
        if (x.n != y.n || x.nmodes != y.nmodes) {
            return 0;
        }
        for (int k = 0; k < 3 * x.nmodes; k += 3) {
            double product = 0.0, a2 = 0.0, b2 = 0.0;
            for (int i = 0; i < x.n; ++i) {
                const double *s = x.shape + (ptrdiff_t)3 * x.nmodes * i + k, *t = y.shape + (s - x.shape);
                product += dal_dot(s, t, 3);
                a2 += dal_dot(s, s, 3);
                b2 += dal_dot(t, t, 3);
            }
            if (product < 0.9 * sqrt(a2 * b2)) {
                return 0;
            }
        }
    }
    return 1;
}

static int same_options(const dal_options *a, const dal_options *b)
{
    const dal_option_table *table = dal_options_table();
    int same = 1;
    for (int k = 0; k < table->n; ++k) {
        char x[600], y[600];
        (void)dal_options_format(x, sizeof x, &table->option[k], a);
        (void)dal_options_format(y, sizeof y, &table->option[k], b);
        same &= strcmp(x, y) == 0;
    }
    return same;
}

/* Is it the same model but for its numbers? */
static int is_like(const dal_gradient *g, const gr_model *m)
{
    const dal_system *a = g->sys, *b = m->sys;
    return a->group->nq == b->group->nq && a->group->nv == b->group->nv && dal_system_rows(a) == dal_system_rows(b) &&
           a->nconstraints == b->nconstraints && a->npairs == b->npairs && a->nlinks == b->nlinks &&
           a->nmemory == b->nmemory && a->ninputs == b->ninputs && a->contacts.n == b->contacts.n &&
           a->events.n == b->events.n && dal_document_t_end(m->doc) == dal_document_t_end(g->doc) &&
           same_options(dal_document_options(m->doc), dal_document_options(g->doc)) &&
           same_shapes(g->model, dal_document_model(m->doc));
}

static dal_status other_structure(dal_gradient *g, int k)
{
    return dal_fail(
        g->ctx, DAL_EINVAL,
        "gradients: with '%s' the structure of the model changes (numbers of elements, the order of shapes of "
        "flexible bodies), or its times and options: that has no derivative",
        g->name[k]);
}

/* ---- models beside the model ------------------------------------------------------------------ */

static dal_status open_twin(dal_gradient *g, gr_whole *w, int j)
{
    gr_model *m = &w->twin[j];
    g->now[w->number] = w->own + w->by->place[j] * w->step;
    dal_status st = open_with(g, m, g->now);
    g->now[w->number] = w->own;
    DAL_TRY(st);
    if (!is_like(g, m)) {
        close_model(g, m);
        return other_structure(g, w->number);
    }
    m->shift = dal_alloc_zero(g->ctx, (size_t)g->sys->group->nq * sizeof(double));
    DAL_TRY(m->shift ? DAL_OK : dal_fail(g->ctx, DAL_ENOMEM, "no memory for a model beside the model"));
    return dal_data_create(&m->data, g->ctx, m->sys);
}

static void close_twins(const dal_gradient *g, gr_whole *w)
{
    for (int j = 0; j < DAL_STENCIL_POINTS; ++j) {
        close_model(g, &w->twin[j]);
    }
}

/* At all values of the stencil; where the number cannot be moved to both sides, at those of one. */
static dal_status open_twins(dal_gradient *g, gr_whole *w)
{
    static const dal_stencil *const choice[] = {&dal_six_values, &dal_values_ahead, &dal_values_behind};
    dal_status st = DAL_OK;
    for (size_t i = 0; i < sizeof choice / sizeof choice[0]; ++i) {
        w->by = choice[i];
        st = DAL_OK;
        for (int j = 0; j < w->by->n && st == DAL_OK; ++j) {
            st = open_twin(g, w, j);
        }
        if (st == DAL_OK || st == DAL_ENOMEM) {
            return st;
        }
        close_twins(g, w);
    }
    return st;
}

/* How many of the coordinates of a factor are those of a place in axes that do not turn. */
static int places_of(const dal_factor *F)
{
    switch (F->type->kind) {
    case DAL_FACTOR_RN:
    case DAL_FACTOR_R2S1:
        return F->nq;
    case DAL_FACTOR_R3SO3:
        return 3;
    default:
        return 0;
    }
}

/* The twin has the numbers of the run, and its places begin where those of the model do. */
static dal_status settle_twin(dal_gradient *g, gr_model *m)
{
    const dal_group *G = g->sys->group;
    io_guess how;
    dal_zero(m->shift, G->nq);
    DAL_TRY(dal_gr_guess(g, g->shifted_q, g->outputs.v, &how, m));
    for (int f = 0; f < G->nfactors; ++f) {
        for (int i = G->factor[f].q; i < G->factor[f].q + places_of(&G->factor[f]); ++i) {
            m->shift[i] = g->shifted_q[i] - g->q0[i];
        }
    }
    return DAL_OK;
}

static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* Is it, by its address, a number of functions or forces, which may have kinks? Variables may be anything. */
static int is_of_laws(const dal_gradient *g, const gr_whole *w)
{
    const char *name = g->name[w->number];
    return dal_sweep_is_address(g->doc, name) && strncmp(name, "beams.", 6) != 0 && strncmp(name, "bodies.", 7) != 0;
}

/* Of all equations at a time and a state that is drawn beside the initial one: the derivative by six values, what the outer two of
 * them lack of it, and the equations themselves, their largest entries. room: nq + 2 nv + nc + 3 (nv + 3 nc) numbers */
static dal_status compare_stencils(dal_gradient *g, const gr_whole *w, double t, double *room, double size[3])
{
    const int nq = g->sys->group->nq, nv = g->nv, nc = dal_system_rows(g->sys), n = nv + 3 * nc;
    double *v = room + nq, *vd = v + nv, *la = vd + nv, *r = la + nc, *six = r + n, *two = six + n;
    unsigned seed = 5;
    for (int i = 0; i < nv; ++i) {
        six[i] = 0.3 * draw(&seed);
        v[i] = draw(&seed);
        vd[i] = draw(&seed);
    }
    for (int i = 0; i < nc; ++i) {
        la[i] = draw(&seed);
    }
    dal_retract(g->sys->group, room, g->q0, six);
    dal_zero(six, 2 * n);
    for (int j = 0; j < w->by->n; ++j) {
        const dal_residual out = {.r = r, .Phi = r + nv, .vel = r + nv + nc, .acc = r + nv + 2 * nc};
        dal_zero(r, n);
        dal_copy(g->shifted_q, room, nq);
        dal_add(g->shifted_q, w->twin[j].shift, nq);
        DAL_TRY(dal_data_residual(w->twin[j].data, &out, &(dal_point){t, g->shifted_q, v, vd, la}));
        dal_add_multiple(six, r, w->by->weight[j], n);
        if (j == 0 || j == w->by->n - 1) {
            dal_add_multiple(two, r, dal_outer_values.weight[j > 0], n);
        }
    }
    size[0] = dal_max_abs(six, n);
    dal_add_multiple(two, six, -1.0, n);
    size[1] = dal_max_abs(two, n);
    size[2] = dal_max_abs(r, n);
    return DAL_OK;
}

/* Does the number enter as a polynomial of degree two at most? Variables may be numbers of functions of time: all over the run. */
static dal_status is_polynomial(dal_gradient *g, const gr_whole *w, int *yes)
{
    enum { TIMES = 37 };
    const int nq = g->sys->group->nq, nv = g->nv, nc = dal_system_rows(g->sys);
    double *room = dal_alloc(g->ctx, (size_t)(nq + 5 * nv + 10 * nc + 1) * sizeof *room);
    dal_status st = DAL_OK;
    int counts = 0;
    if (!room) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory");
    }
    *yes = 1;
    for (int k = 0; k < TIMES && *yes && st == DAL_OK; ++k) {
        double size[3];
        st = compare_stencils(g, w, g->t_end * k / (TIMES - 1), room, size);
        counts |= st == DAL_OK && size[0] > 1e-12 * size[2];
        *yes = st == DAL_OK && size[1] <= 1e-11 * size[0] + 1e-14 * size[2];
    }
    *yes &= counts;
    dal_free(g->ctx, room);
    return st;
}

/* Of moduli and densities two models will do. */
static dal_status thin_out(dal_gradient *g, gr_whole *w)
{
    int enough = 0;
    if (w->by == &dal_six_values && !is_of_laws(g, w)) {
        DAL_TRY(is_polynomial(g, w, &enough));
    }
    if (enough) {
        gr_model last = w->twin[w->by->n - 1];
        w->twin[w->by->n - 1] = (gr_model){0};
        for (int j = 1; j < w->by->n; ++j) {
            close_model(g, &w->twin[j]);
        }
        w->twin[1] = last;
        w->by = &dal_outer_values;
    }
    return DAL_OK;
}

dal_status dal_gr_place_whole(dal_gradient *g)
{
    for (int i = 0; i < g->nwhole; ++i) {
        gr_whole *w = &g->whole[i];
        w->own = g->now[w->number];
        const int open = w->twin[0].doc != NULL; // they are closed where it changes
        if (!open) {
            w->by = &dal_six_values;
            w->step = (g->own.system ? 1e-3 : is_of_laws(g, w) ? 1e-4 : 4e-3) * (w->own != 0.0 ? fabs(w->own) : 1.0);
            DAL_TRY(g->own.system ? DAL_OK : open_twins(g, w));
        }
        for (int j = 0; j < w->by->n && !g->own.system; ++j) {
            DAL_TRY(settle_twin(g, &w->twin[j]));
        }
        DAL_TRY(open || g->own.system ? DAL_OK : thin_out(g, w));
    }
    return DAL_OK;
}

void dal_gr_close_whole(dal_gradient *g)
{
    for (int i = 0; i < g->nwhole; ++i) {
        close_twins(g, &g->whole[i]);
    }
}

/* Are the numbers that the model must be opened with such that it can be? */
dal_status dal_gr_check_whole(dal_gradient *g)
{
    if (g->own.system) {
        return DAL_OK;
    }
    if (g->nwhole > 0 && g->happens) {
        return dal_fail(
            g->ctx, DAL_EINVAL,
            "gradients: '%s' is a number that the model is opened with, of a beam or a flexible body, and the "
            "model has contacts or events: by such numbers it is not differentiated",
            g->name[g->whole[0].number]);
    }
    for (int i = 0; i < g->nwhole; ++i) {
        gr_whole *w = &g->whole[i];
        *w = (gr_whole){.number = w->number, .own = g->given[w->number], .by = &dal_values_ahead};
        w->step = 4e-3 * (w->own != 0.0 ? fabs(w->own) : 1.0);
        dal_status st = open_twin(g, w, 1);
        if (st == DAL_OK) {
            st = dal_gr_check_breaks(g, w->twin[1].data, w->number);
            close_model(g, &w->twin[1]);
            DAL_TRY(st);
        }
        if (st == DAL_EINVAL) {
            char why[300];
            snprintf(why, sizeof why, "%s", dal_ctx_message(g->ctx));
            return dal_fail(g->ctx, st, "gradients: '%s' cannot be moved: %s", g->name[w->number], why);
        }
        DAL_TRY(st);
    }
    return DAL_OK;
}

/* ---- the model itself ------------------------------------------------------------------------- */

dal_status dal_gr_reopen(dal_gradient *g)
{
    gr_model m;
    int same = 1;
    for (int i = 0; i < g->nwhole && !g->own.system; ++i) {
        same &= g->now[g->whole[i].number] == g->opened[g->whole[i].number];
    }
    if (same) {
        return DAL_OK;
    }
    DAL_TRY(open_with(g, &m, g->now));
    if (!is_like(g, &m)) {
        close_model(g, &m);
        return other_structure(g, g->whole[0].number);
    }
    dal_gr_close_whole(g);
    dal_gr_drop_simulation(g);
    dal_binding_destroy(g->binding);
    dal_document_destroy(g->doc);
    g->doc = m.doc;
    g->model = dal_document_model(m.doc);
    g->sys = m.sys;
    g->binding = m.binding;
    dal_copy(g->opened, g->now, g->n);
    return dal_gr_make_simulation(g);
}

/* ---- what happens to all of them -------------------------------------------------------------- */

void dal_gr_each_twin(const dal_gradient *g, void (*what)(const gr_model *m, const dal_gradient *g, long i), long i)
{
    for (int k = 0; k < g->nwhole; ++k) {
        for (int j = 0; j < DAL_STENCIL_POINTS; ++j) {
            if (g->whole[k].twin[j].data) {
                what(&g->whole[k].twin[j], g, i);
            }
        }
    }
}
